//! HLO text → instructions and modules. Total: what is not understood is kept as text and counted, never an error.
//!
//! ```text
//! module       HloModule NAME {, KEY=VALUE} ⏎ [tables of call stacks] computation…
//! computation  [ENTRY] [%]NAME [(NAME: SHAPE, …) -> SHAPE] { ⏎ instruction ⏎ … } {, KEY=VALUE}
//! instruction  [ROOT] [%]NAME = SHAPE OPCODE ( operands | text ) {, KEY=VALUE}
//! operand      [SHAPE] [%]NAME            /*index=5*/ before every fifth
//! shape        DTYPE [ dims ] [{ minor_to_major : tails }]  |  ( shapes )  |  token[]  |  b( shape )
//! value        everything up to the next comma outside of brackets and quotes; it may hold line breaks
//! ```
//!
//! Time and memory are linear in the text: each byte is examined a fixed number of times, also where brackets or
//! quotes never close (from the first such place on, a value ends with its line).

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

/// An instruction read from its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The instruction.
    pub instruction: Instruction,
    /// How the text spells it.
    pub style: Style,
    /// What was not understood.
    pub damage: Damage,
}

/// Reads one instruction: the name of an op's event, or a line of a module. `None` if it is none: no
/// `name = shape opcode(`.
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

/// Reads a whole module. `None` if there is no computation in it, or if it consists of so many empty parts (`a=f32[]b()`) that it
/// would take many times the size of its text: no compiler writes such a text.
pub fn module(text: &str) -> Option<(Module, Style)> {
    module::read(text)
}

/// Reads a shape, with nothing after it.
pub fn shape(text: &str) -> Option<Shape> {
    let mut scan = Scan::new(text.trim());
    let shape = shape::read(&mut scan)?;
    scan.is_empty().then_some(shape)
}

/// Reads the value of `replica_groups=`. Pairs look like lists; read those with [`source_target_pairs`].
pub fn replica_groups(text: &str) -> Option<ReplicaGroups> {
    groups::read(text)
}

/// Reads the value of `source_target_pairs=`.
pub fn source_target_pairs(text: &str) -> Option<ReplicaGroups> {
    groups::pairs(text)
}
