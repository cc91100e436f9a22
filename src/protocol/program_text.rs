//! The text of a program as the page asks for it: windows of lines, an outline, places where something is found. Plain
//! data; knows neither side.

use crate::analysis::files::ProgramSource;
use serde::{Deserialize, Serialize};

/// A program: its place in [`crate::analysis::files::FileView::programs`], which does not change within a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgramRef(pub u32);

/// What a program is. `None` where only events' texts are there: they do not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramHead {
    /// Its name.
    pub name: String,
    /// The computation it starts with.
    pub entry: Option<String>,
    /// Its computations.
    pub n_computations: Option<u32>,
    /// Its instructions: of events' texts, how many there are.
    pub n_instructions: u32,
    /// Lines of its text.
    pub n_lines: u32,
    /// Bytes of its text.
    pub bytes: u64,
    /// Pieces of it that were not understood.
    pub leftover: u32,
    /// What its instructions refer to that is nowhere in it.
    pub unresolved: u32,
    /// The first few of these, in words.
    pub damage: Vec<String>,
}

/// What a line of a program is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineKind {
    /// The first line of a computation.
    Computation,
    /// The first line of an instruction, by the instruction's name without `%`.
    Instruction(String),
    /// Any other: the head, tables of files, closing braces, what an attribute with line breaks goes on with.
    Other,
}

/// A line of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramLine {
    /// Its text, without the line break.
    pub text: String,
    /// What it is.
    pub kind: LineKind,
}

/// Some lines of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramPage {
    /// Which program.
    pub program: ProgramRef,
    /// Where its text is from.
    pub source: ProgramSource,
    /// What it is.
    pub head: ProgramHead,
    /// The first line told, counted from 0.
    pub first: u32,
    /// Lines from there: at most [`MAX_LINES`], and no more than some megabytes; one at least where there is one.
    pub lines: Vec<ProgramLine>,
}

/// Lines told at once.
pub const MAX_LINES: usize = 1000;

/// The computations of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramOutline {
    /// Which program.
    pub program: ProgramRef,
    /// What it is.
    pub head: ProgramHead,
    /// Its computations, in the order of the text: the entry is mostly the last. None where only events' texts are
    /// there.
    pub computations: Vec<OutlineItem>,
}

/// A computation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineItem {
    /// Its name, without `%`.
    pub name: String,
    /// Its first line, counted from 0.
    pub line: u32,
    /// Its instructions.
    pub n_instructions: u32,
    /// Instructions that call it.
    pub n_callers: u32,
    /// The program starts with it.
    pub is_entry: bool,
    /// It is the body of a fusion.
    pub is_fusion: bool,
}

/// What is looked for in a program's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramQuery {
    /// In which program.
    pub program: ProgramRef,
    /// What, whatever the case of A to Z; nothing is found of an empty text.
    pub text: String,
    /// It is a regular expression; a line is what it is compared with.
    pub regex: bool,
}

/// Where something is in a program's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramFound {
    /// What was looked for.
    pub query: ProgramQuery,
    /// Lines that have it, counted from 0, in order: at most [`MAX_FOUND`].
    pub lines: Vec<u32>,
    /// How many lines have it.
    pub n: u32,
}

/// Lines told of a search.
pub const MAX_FOUND: usize = 100_000;
