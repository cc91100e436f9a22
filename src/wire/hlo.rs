//! Bytes → an `HloProto`. Knows which bytes are one; what a program means is `hlo`'s.
//!
//! Programs are decoded whole: they are small beside a capture's events. A field of two bytes can become a message of
//! hundreds, so what there is of each kind is counted first, and a file that would blow up is refused.

use super::proto::hlo as proto;
use super::{Cursor, Field, Value, WireError};
use prost::Message;
use thiserror::Error;

/// Why bytes are no HLO proto that can be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HloError {
    /// The bytes are not protobuf, or stop early.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The bytes are protobuf, but not of this message.
    #[error("the bytes are no HLO program: {0}")]
    Decode(String),
    /// It decodes but has no module name or no computations: some other message that happens to fit.
    #[error("the bytes hold no named HLO module with computations")]
    Empty,
    /// It consists of so many empty parts that reading it would take many times its size.
    #[error("{parts} parts in {bytes} bytes: no compiler writes such a program")]
    Thin {
        /// Messages in it.
        parts: u64,
        /// Its size.
        bytes: u64,
    },
}

/// Decodes an `HloProto`: a `.hlo_proto.pb`, or the `Hlo Proto` stat of a `/host:metadata` event.
///
/// # Errors
/// Where the bytes are none. A module without a name or computations counts as none: one real `llo_proto` parses as an
/// empty `HloProto`.
pub fn decode(bytes: &[u8]) -> Result<proto::HloProto, HloError> {
    let parts = count(bytes, Part::Program, 0)?;
    // Real programs have some forty bytes per part. Decoded, a part takes about a hundred and fifty.
    if parts > THIN.max(bytes.len() as u64 / 8) {
        return Err(HloError::Thin { parts, bytes: bytes.len() as u64 });
    }
    let program = proto::HloProto::decode(bytes).map_err(|e| HloError::Decode(e.to_string()))?;
    let usable = program.hlo_module.as_ref().is_some_and(|m| !m.name.is_empty() && !m.computations.is_empty());
    if usable { Ok(program) } else { Err(HloError::Empty) }
}

/// So many parts are allowed in any program.
const THIN: u64 = 1 << 16;

/// What a message is, as far as counting goes.
#[derive(Clone, Copy)]
enum Part {
    Program,
    Module,
    Computation,
    Instruction,
    Shape,
    Buffers,
    Allocation,
    Trace,
    Frames,
    /// A message that holds no large ones.
    Leaf,
}

impl Part {
    /// What field `number` of it holds, if that is a message to count.
    fn field(self, number: u32) -> Option<Self> {
        match (self, number) {
            (Self::Program, 1) => Some(Self::Module),
            (Self::Program, 3) => Some(Self::Buffers),
            (Self::Module, 3) => Some(Self::Computation),
            (Self::Module, 17) => Some(Self::Frames),
            (Self::Computation, 2) => Some(Self::Instruction),
            (Self::Instruction, 3) | (Self::Shape, 4) => Some(Self::Shape),
            (Self::Buffers, 3) => Some(Self::Allocation),
            (Self::Buffers, 4) => Some(Self::Trace),
            (Self::Buffers, 1 | 2) | (Self::Trace, 1) | (Self::Allocation, 9) | (Self::Frames, 1..=4) => {
                Some(Self::Leaf)
            }
            _ => None,
        }
    }
}

/// Counts the messages in one. An instruction counts as four: decoded, it is that much larger than the others.
fn count(bytes: &[u8], part: Part, depth: u32) -> Result<u64, WireError> {
    // As deep as prost goes: what lies deeper it refuses.
    if matches!(part, Part::Leaf) || depth > 100 {
        return Ok(1);
    }
    let mut parts = if matches!(part, Part::Instruction) { 4_u64 } else { 1 };
    let mut cursor = Cursor::new(bytes, 0);
    while let Some(Field { number, value }) = cursor.next_field()? {
        if let (Some(inner), Value::Bytes(bytes)) = (part.field(number), value) {
            parts = parts.saturating_add(count(bytes, inner, depth.saturating_add(1))?);
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::{HloComputationProto, HloInstructionProto, HloModuleProto, HloProto, ShapeProto};

    fn program(module: HloModuleProto) -> Vec<u8> {
        HloProto { hlo_module: Some(module), buffer_assignment: None }.encode_to_vec()
    }

    #[test]
    fn a_program_has_a_name_and_computations() {
        let computations = vec![HloComputationProto::default()];
        let named = HloModuleProto { name: "jit_f".into(), computations, ..HloModuleProto::default() };
        assert!(decode(&program(named.clone())).is_ok());
        let unnamed = HloModuleProto { name: String::new(), ..named.clone() };
        assert_eq!(decode(&program(unnamed)), Err(HloError::Empty));
        let empty = HloModuleProto { computations: Vec::new(), ..named };
        assert_eq!(decode(&program(empty)), Err(HloError::Empty));
        assert_eq!(decode(b""), Err(HloError::Empty));
        assert!(matches!(decode(b"\x0a\x05ab"), Err(HloError::Wire(_))));
        assert!(matches!(decode(b"\x0a\x04\x0a\x02\xff\xff"), Err(HloError::Decode(_))));
    }

    #[test]
    fn empty_parts_are_not_decoded_by_the_million() {
        let mut tuple = ShapeProto { element_type: 13, ..ShapeProto::default() };
        tuple.tuple_shapes = vec![ShapeProto::default(); 1 << 20];
        let instruction = HloInstructionProto { shape: Some(tuple), ..HloInstructionProto::default() };
        let computation = HloComputationProto { instructions: vec![instruction], ..HloComputationProto::default() };
        let module = HloModuleProto { name: "m".into(), computations: vec![computation], ..HloModuleProto::default() };
        assert!(matches!(decode(&program(module)), Err(HloError::Thin { .. })));
    }

    #[test]
    fn shapes_nested_without_end_are_refused() {
        let mut shape = Vec::new();
        for _ in 0..200 {
            let mut outer = vec![0x22];
            prost::encode_length_delimiter(shape.len(), &mut outer).unwrap();
            outer.extend(&shape);
            shape = outer;
        }
        let nest = |tag: u8, inner: &[u8]| {
            let mut outer = vec![tag];
            prost::encode_length_delimiter(inner.len(), &mut outer).unwrap();
            outer.extend(inner);
            outer
        };
        let bytes = nest(0x0a, &nest(0x1a, &nest(0x12, &nest(0x1a, &shape))));
        assert!(matches!(decode(&bytes), Err(HloError::Decode(_))));
    }
}
