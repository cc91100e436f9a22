//! This module decodes an `HloProto` from bytes. The meaning of a program is the subject of [`crate::hlo`].
//!
//! Programs are decoded as a whole, because they are small beside the events of a capture. A field of two bytes can
//! become a message of hundreds of bytes in memory. Messages are therefore counted first, and a file that would need
//! too much memory is refused.

use super::proto::hlo as proto;
use super::{Cursor, Field, Span, SpanValue, Value, Walker, Window, WireError};
use crate::source::Source;
use prost::Message;
use thiserror::Error;

/// The error of reading an HLO program, from a proto or from text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HloError {
    /// The bytes are not protobuf, end too early, or cannot be read.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The bytes are protobuf fields, but not of this message.
    #[error("the bytes are no HLO program: {0}")]
    Decode(String),
    /// The program has no module name or no computations. Other messages may decode as such a program.
    #[error("the bytes hold no named HLO module with computations")]
    Empty,
    /// The HLO text has no module name or no computation.
    #[error("the text has no module with a name and computations")]
    NoComputation,
    /// The program consists of so many empty parts that it would take many times its size in memory.
    #[error("{parts} parts in {bytes} bytes: no compiler writes such a program")]
    Thin {
        /// Number of parts (messages of a proto); an instruction counts as four.
        parts: u64,
        /// Size of the program.
        bytes: u64,
    },
}

/// Decodes an `HloProto`: a `.hlo_proto.pb` file, or the `Hlo Proto` stat of a `/host:metadata` event.
///
/// # Errors
/// Returns an error if the bytes are not a program, or have too many empty parts ([`HloError::Thin`]). A module
/// without a name or computations is [`HloError::Empty`]: a real `llo_proto` parses as an empty `HloProto`.
pub fn decode(bytes: &[u8]) -> Result<proto::HloProto, HloError> {
    check(bytes, MessageKind::Program)?;
    let program = proto::HloProto::decode(bytes).map_err(|e| HloError::Decode(e.to_string()))?;
    usable(program)
}

/// Decodes an `HloModuleProto` that has no `HloProto` around it.
///
/// # Errors
/// Returns the same errors as [`decode`].
pub fn decode_module(bytes: &[u8]) -> Result<proto::HloProto, HloError> {
    check(bytes, MessageKind::Module)?;
    let module = proto::HloModuleProto::decode(bytes).map_err(|e| HloError::Decode(e.to_string()))?;
    usable(proto::HloProto { hlo_module: Some(module), buffer_assignment: None })
}

fn usable(program: proto::HloProto) -> Result<proto::HloProto, HloError> {
    let usable = program.hlo_module.as_ref().is_some_and(|m| !m.name.is_empty() && !m.computations.is_empty());
    if usable { Ok(program) } else { Err(HloError::Empty) }
}

/// Refuses bytes that would take many times their size once decoded.
fn check(bytes: &[u8], kind: MessageKind) -> Result<(), HloError> {
    let parts = count(bytes, kind, 0)?;
    // Real programs have some 40 bytes per part. The plainest programs (additions without metadata) have 7: 38 bytes
    // for an instruction, which counts as four, and its shape. A decoded part takes about 150 bytes.
    if parts > THIN.max(bytes.len() as u64 / 6) {
        return Err(HloError::Thin { parts, bytes: bytes.len() as u64 });
    }
    Ok(())
}

/// The name, the id and the position of the module in a program file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    pub name: String,
    /// `HloModuleProto.id`; 0 if the file has none.
    pub id: u64,
    /// Position of the module in the file.
    pub module: Span,
    /// Whether the file has a buffer assignment.
    pub has_buffers: bool,
    /// The error behind the module, if there is one. The module itself is complete.
    pub damage: Option<WireError>,
}

/// Longest name of a module, in bytes. Real names are below 200 bytes.
const MAX_NAME: u64 = 1 << 16;

/// Finds the module of a program file by its field offsets, without decoding it. With `is_module`, the file is an
/// `HloModuleProto`, otherwise an `HloProto`.
///
/// # Errors
/// Returns an error if the module is cut or damaged, or has no name or no computations.
pub fn outline(source: &dyn Source, is_module: bool) -> Result<Outline, HloError> {
    let mut window = Window::new(source);
    let whole = window.whole();
    let (mut module, mut damage, mut has_buffers) = (Some(whole).filter(|_| is_module), None, false);
    let mut walker = Walker::new(whole);
    while !is_module && damage.is_none() {
        match walker.next_field(&mut window) {
            Ok(Some((1, SpanValue::Span(span)))) => module = module.or(Some(span)),
            Ok(Some((3, SpanValue::Span(span)))) => has_buffers |= !span.is_empty(),
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
    if is_usable { Ok(Outline { name, id, module, has_buffers, damage }) } else { Err(HloError::Empty) }
}

/// Number of parts that every program may have, however small it is.
const THIN: u64 = 1 << 16;

/// The kinds of message that [`count`] distinguishes.
#[derive(Clone, Copy)]
enum MessageKind {
    Program,
    Module,
    Computation,
    Instruction,
    Shape,
    Buffers,
    Allocation,
    Trace,
    Frames,
    /// A message whose own messages are not counted.
    Leaf,
}

impl MessageKind {
    /// Returns the kind of message in field `number`, or `None` if that field is not counted.
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
            (Self::Module, 14)
            | (Self::Buffers, 1 | 2)
            | (Self::Trace, 1)
            | (Self::Allocation, 9)
            | (Self::Frames, 1..=4) => Some(Self::Leaf),
            _ => None,
        }
    }
}

/// Counts a message and the messages inside of it. An instruction counts as four, because it is four times as large as
/// the others once decoded.
fn count(bytes: &[u8], kind: MessageKind, depth: u32) -> Result<u64, WireError> {
    // `prost` refuses messages that are nested deeper than 100.
    if matches!(kind, MessageKind::Leaf) || depth > 100 {
        return Ok(1);
    }
    let mut parts = if matches!(kind, MessageKind::Instruction) { 4_u64 } else { 1 };
    let mut cursor = Cursor::new(bytes, 0);
    while let Some(Field { number, value }) = cursor.next_field()? {
        if let (Some(inner), Value::Bytes(bytes)) = (kind.field(number), value) {
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
    fn empty_shardings_are_not_decoded_by_the_million() {
        let spmd_parameters_shardings = vec![proto::OpShardingProto::default(); 1 << 20];
        let computations = vec![HloComputationProto::default()];
        let module =
            HloModuleProto { name: "m".into(), computations, spmd_parameters_shardings, ..HloModuleProto::default() };
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
