//! Bytes → an `HloProto`. This module knows which bytes are one; what a program means is `hlo`'s.
//!
//! Programs are decoded whole: they are small beside a capture's events. A field of two bytes can become a message of
//! hundreds, so what there is of each kind is counted first, and a file that would blow up is refused.

use super::proto::hlo as proto;
use super::{Cursor, Field, Span, SpanValue, Value, Walker, Window, WireError};
use crate::source::Source;
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
    /// The text names a module, and no computation is in it.
    #[error("the text has no module with a name and computations")]
    NoComputation,
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
    check(bytes, Part::Program)?;
    let program = proto::HloProto::decode(bytes).map_err(|e| HloError::Decode(e.to_string()))?;
    usable(program)
}

/// Decodes an `HloModuleProto` that has no `HloProto` around it.
///
/// # Errors
/// As [`decode`].
pub fn decode_module(bytes: &[u8]) -> Result<proto::HloProto, HloError> {
    check(bytes, Part::Module)?;
    let module = proto::HloModuleProto::decode(bytes).map_err(|e| HloError::Decode(e.to_string()))?;
    usable(proto::HloProto { hlo_module: Some(module), buffer_assignment: None })
}

fn usable(program: proto::HloProto) -> Result<proto::HloProto, HloError> {
    let usable = program.hlo_module.as_ref().is_some_and(|m| !m.name.is_empty() && !m.computations.is_empty());
    if usable { Ok(program) } else { Err(HloError::Empty) }
}

/// Whether bytes are worth decoding.
fn check(bytes: &[u8], part: Part) -> Result<(), HloError> {
    let parts = count(bytes, part, 0)?;
    // Real programs have some forty bytes per part, the plainest (additions without metadata) have seven: 38 for an instruction, which
    // counts four, and its shape. Decoded, a part takes about a hundred and fifty.
    if parts > THIN.max(bytes.len() as u64 / 6) {
        return Err(HloError::Thin { parts, bytes: bytes.len() as u64 });
    }
    Ok(())
}

/// What a program of its own file says of itself, found by place: nothing is decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The module's name.
    pub name: String,
    /// `HloModuleProto.id`; 0 where there is none.
    pub id: u64,
    /// The module's bytes.
    pub module: Span,
    /// What is wrong after the module, which is whole.
    pub damage: Option<WireError>,
}

/// Longest name of a module: real ones are below 200 bytes.
const MAX_NAME: u64 = 1 << 16;

/// Looks at a file that is a program: an `HloProto`, or a module alone.
///
/// # Errors
/// Where its module is cut or damaged, or has no name or no computations.
pub fn outline(source: &dyn Source, is_module: bool) -> Result<Outline, HloError> {
    let mut window = Window::new(source);
    let whole = window.whole();
    let (mut module, mut damage) = (Some(whole).filter(|_| is_module), None);
    let mut walker = Walker::new(whole);
    while !is_module && damage.is_none() {
        match walker.next_field(&mut window) {
            Ok(Some((1, SpanValue::Span(span)))) => module = module.or(Some(span)),
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) if module.is_some() => damage = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    let module = module.ok_or(HloError::Empty)?;
    let (mut name, mut id, mut has_computations) = (String::new(), 0, false);
    let mut walker = Walker::new(module);
    while let Some((number, value)) = walker.next_field(&mut window)? {
        match (number, value) {
            (1, SpanValue::Span(span)) if span.len() <= MAX_NAME => {
                name = String::from_utf8_lossy(window.bytes(span)?).into_owned();
            }
            (3, SpanValue::Span(_)) => has_computations = true,
            (5, SpanValue::Number(n)) => id = n,
            _ => {}
        }
    }
    let is_usable = has_computations && !name.is_empty();
    if is_usable { Ok(Outline { name, id, module, damage }) } else { Err(HloError::Empty) }
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
