//! This module decodes the types of elements.

use super::tables::Tables;
use super::unread::{Read, Unread};
use crate::hlo::DType;

/// Codes of types of the builtin dialect.
const INTEGER: u64 = 0;
const INDEX: u64 = 1;
const BF16: u64 = 3;
const F16: u64 = 4;
const F32: u64 = 5;
const F64: u64 = 6;
const F8E5M2: u64 = 22;
const F8E4M3: u64 = 23;
const F8E4M3FN: u64 = 24;
const F8E5M2FNUZ: u64 = 25;
const F8E4M3FNUZ: u64 = 26;
const F8E4M3B11FNUZ: u64 = 27;
const F8E3M4: u64 = 28;
const F4E2M1FN: u64 = 29;
const F8E8M0FNU: u64 = 32;

/// Returns the width in bits of the integer type with a number. The type `index` counts as 64 bits.
pub(super) fn integer_bits(tables: &Tables<'_>, index: u64) -> Read<u32> {
    let mut fields = tables.type_entry(index)?.fields()?;
    match fields.number()? {
        INTEGER => u32::try_from(fields.number()? >> 2).map_err(|_| Unread::Overflow),
        INDEX => Ok(64),
        _ => Err(Unread::Encoding),
    }
}

/// Returns the type of elements with a number. Integers without a sign count as signed, as in HLO.
///
/// # Errors
/// Returns the name of a type that HLO does not have, such as `!tpu.dma_semaphore`.
pub(super) fn decode(tables: &Tables<'_>, index: u64) -> Read<DType> {
    let entry = tables.type_entry(index)?;
    if !entry.is_binary {
        // Older versions of MLIR have no codes for types of few bits, such as `f8E4M3FN`.
        let text = String::from_utf8_lossy(entry.assembly()?);
        let name = if text.len() > 16 { None } else { Some(text.to_ascii_lowercase()) };
        return name.and_then(|name| DType::from_name(&name)).ok_or_else(|| Unread::word(&text));
    }
    let mut fields = entry.fields()?;
    match fields.number()? {
        INTEGER => {
            let bits = fields.number()?;
            let (width, is_unsigned) = (bits >> 2, bits & 3 == 2);
            match (width, is_unsigned) {
                (1, _) => Ok(DType::Pred),
                (2, false) => Ok(DType::S2),
                (4, false) => Ok(DType::S4),
                (8, false) => Ok(DType::S8),
                (16, false) => Ok(DType::S16),
                (32, false) => Ok(DType::S32),
                (64, false) => Ok(DType::S64),
                (2, true) => Ok(DType::U2),
                (4, true) => Ok(DType::U4),
                (8, true) => Ok(DType::U8),
                (16, true) => Ok(DType::U16),
                (32, true) => Ok(DType::U32),
                (64, true) => Ok(DType::U64),
                _ => Err(Unread::word(&format!("i{width}"))),
            }
        }
        INDEX => Err(Unread::word("index")),
        BF16 => Ok(DType::BF16),
        F16 => Ok(DType::F16),
        F32 => Ok(DType::F32),
        F64 => Ok(DType::F64),
        F8E5M2 => Ok(DType::F8E5M2),
        F8E4M3 => Ok(DType::F8E4M3),
        F8E4M3FN => Ok(DType::F8E4M3FN),
        F8E5M2FNUZ => Ok(DType::F8E5M2FNUZ),
        F8E4M3FNUZ => Ok(DType::F8E4M3FNUZ),
        F8E4M3B11FNUZ => Ok(DType::F8E4M3B11FNUZ),
        F8E3M4 => Ok(DType::F8E3M4),
        F4E2M1FN => Ok(DType::F4E2M1FN),
        F8E8M0FNU => Ok(DType::F8E8M0FNU),
        _ => Err(Unread::Encoding),
    }
}
