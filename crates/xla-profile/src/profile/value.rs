//! This module defines the value of a stat, as the readers produce it.
use super::ids::ProgramId;
use super::strings::{StrId, Strings};

/// Number of the lowest bits of the first word of [`Value::words`] that are in use. A key has the stat in the other bits.
pub(super) const TAG_BITS: u32 = 8;

/// The value of a stat. A text is interned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Text(StrId),
    Uint(u64),
    Int(i64),
    Double(f64),
    /// A number in [`Memories`](super::memory::Memories).
    Memory(u32),
}

impl Value {
    /// Returns the value as two words for a key. Equal values have equal words.
    pub(super) fn words(self) -> [u64; 2] {
        match self {
            Self::Text(id) => [0, u64::from(id.number())],
            Self::Uint(v) => [1, v],
            Self::Int(v) => [2, v.cast_unsigned()],
            Self::Double(v) => [3, v.to_bits()],
            Self::Memory(v) => [4, u64::from(v)],
        }
    }

    /// Returns the second word of [`Value::words`] after texts and values of memory have got the numbers that `text` and
    /// `memory` return. The first word may have more than the lowest [`TAG_BITS`].
    pub(super) fn renumbered(
        [tag, word]: [u64; 2],
        text: impl Fn(u32) -> Option<StrId>,
        memory: impl Fn(u32) -> Option<u32>,
    ) -> u64 {
        let new = u32::try_from(word).ok().and_then(|number| match tag % (1 << TAG_BITS) {
            0 => text(number).map(StrId::number),
            4 => memory(number),
            _ => None,
        });
        new.map_or(word, u64::from)
    }

    /// Returns the number in [`Memories`](super::memory::Memories), or `None` if the value is of another type.
    pub(super) const fn memory(self) -> Option<u32> {
        match self {
            Self::Memory(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the value of a number, or of a text that is a whole number, because some producers write costs as text.
    #[expect(clippy::cast_precision_loss, reason = "costs are estimates; the field's tools keep them as doubles")]
    pub(super) fn number(self, strings: &Strings) -> Option<f64> {
        match self {
            Self::Uint(v) => Some(v as f64),
            Self::Int(v) => Some(v as f64),
            Self::Double(v) => Some(v),
            Self::Memory(_) => None,
            // The text is not parsed as a double, because that needs tables of 10 kB that do not compress.
            Self::Text(id) => strings.get(id).parse::<i64>().ok().map(|v| v as f64),
        }
    }

    pub(super) fn text(self, strings: &mut Strings) -> StrId {
        match self {
            Self::Text(id) => id,
            Self::Uint(v) => strings.intern(&v.to_string()),
            Self::Int(v) => strings.intern(&v.to_string()),
            Self::Double(v) => strings.intern(&v.to_string()),
            Self::Memory(_) => strings.intern(""),
        }
    }

    pub(super) fn program(self, strings: &Strings) -> Option<ProgramId> {
        match self {
            Self::Uint(v) => Some(ProgramId(v)),
            Self::Int(v) => Some(ProgramId(v.cast_unsigned())),
            Self::Double(_) | Self::Memory(_) => None,
            Self::Text(id) => {
                let text = strings.get(id);
                text.parse().ok().or_else(|| text.parse::<i64>().ok().map(i64::cast_unsigned)).map(ProgramId)
            }
        }
    }
}
