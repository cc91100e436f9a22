//! This module parses HLO text into instructions and modules. Parts that cannot be parsed are not an error; they are
//! kept as text or left out, and counted.
//!
//! ```text
//! module       [HloModule NAME {, KEY=VALUE}] ⏎ [tables of call stacks] computation…  |  instruction…
//! computation  [ENTRY] [%]NAME [(NAME: SHAPE, …) -> SHAPE] { ⏎ instruction ⏎ … } {, KEY=VALUE}
//! instruction  [ROOT] [%]NAME = SHAPE OPCODE ( operands | text ) {, KEY=VALUE}
//! operand      [SHAPE] [%]NAME            /*index=5*/ before every fifth
//! shape        DTYPE [ dims ] [{ minor_to_major : tails }]  |  ( shapes )  |  token[]  |  b( shape )
//! value        everything up to the next comma outside of brackets and quotes; it may contain line breaks
//! ```
//!
//! Time and memory are linear in the length of the text, even if brackets or quotes never close: after the first one
//! that does not close, a value ends with its line.

mod comments;
mod groups;
mod instruction;
mod metadata;
mod module;
mod scan;
mod shape;
mod tables;

use super::{Damage, Instruction, Module, ReplicaGroups, Shape, Style};
use instruction::Reader;
use scan::Scan;

/// An instruction that was parsed from its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub instruction: Instruction,
    pub style: Style,
    /// The parts that could not be parsed.
    pub damage: Damage,
}

/// Parses one instruction: the name of an op's event, or a line of a module. Returns `None` if the text does not start
/// with `name = shape opcode(`.
///
/// ```
/// let text = "%add.1 = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} %b), metadata={op_name=\"jit(f)/add\"}";
/// let add = xla_profile::hlo::text::instruction(text).unwrap();
/// assert_eq!(&*add.instruction.opcode, "add");
/// assert_eq!(&*add.instruction.operands[1].name, "b");
/// assert_eq!(add.instruction.op_name(), "jit(f)/add");
/// assert_eq!(add.damage.leftover, 0);
/// assert_eq!(add.instruction.to_string(), text);
/// ```
pub fn instruction(text: &str) -> Option<Parsed> {
    let mut scan = Scan::new(text);
    let mut reader = Reader::new(text.len());
    scan.lines();
    let instruction = reader.instruction(&mut scan)?;
    scan.lines();
    if !scan.is_empty() {
        reader.leftover(scan.rest());
    }
    reader.unclosed(&scan);
    Some(Parsed { instruction, style: reader.style, damage: reader.damage })
}

/// Parses a whole module. Returns `None` if the module has no computation, or if it has so many empty parts
/// (`a=f32[]b()`) that it would take many times the size of its text in memory. No compiler writes such a text.
pub fn module(text: &str) -> Option<(Module, Style)> {
    module::read(text)
}

/// Parses a shape. Returns `None` if the text is not a shape, or if other text follows it.
pub fn shape(text: &str) -> Option<Shape> {
    let mut scan = Scan::new(text.trim());
    let shape = shape::read(&mut scan)?;
    scan.is_empty().then_some(shape)
}

/// Parses the value of `replica_groups=`. Source-target pairs have the same form as lists, and
/// [`source_target_pairs`] parses them.
pub fn replica_groups(text: &str) -> Option<ReplicaGroups> {
    groups::read(text)
}

/// Parses the value of `source_target_pairs=`.
pub fn source_target_pairs(text: &str) -> Option<ReplicaGroups> {
    groups::pairs(text)
}
