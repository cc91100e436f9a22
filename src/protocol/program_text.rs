//! This module defines the requests for the text of a program and their replies: ranges of lines, an outline, and
//! search results. It holds plain data and depends on neither side.

use crate::analysis::files::ProgramSource;
use serde::{Deserialize, Serialize};

/// Index of a program in [`crate::analysis::files::FileView::programs`]. It does not change within a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgramRef(pub u32);

/// The name, counts and sizes of a program. An `Option` is `None` if the capture holds only the texts of the program's
/// events, which do not give the value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramHead {
    pub name: String,
    /// Name of the entry computation.
    pub entry: Option<String>,
    pub n_computations: Option<u32>,
    /// Number of instructions, or number of distinct texts if only the texts of events are known.
    pub n_instructions: u32,
    /// Number of lines of the text.
    pub n_lines: u32,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// Number of parts of the text that the parser does not recognise.
    pub leftover: u32,
    /// Number of references to operands, computations and roots that the program does not contain.
    pub unresolved: u32,
    /// Sentences about the first of these faults.
    pub damage: Vec<String>,
}

/// The role of a line in the text of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineKind {
    /// First line of a computation.
    Computation,
    /// First line of an instruction. The text is the name of the instruction without `%`.
    Instruction(String),
    /// Any other line: the header, tables of files, closing braces, and the continuation of an attribute with line
    /// breaks.
    Other,
}

/// A line of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramLine {
    /// The line without its line break.
    pub text: String,
    pub kind: LineKind,
}

/// Some lines of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramPage {
    pub program: ProgramRef,
    /// Origin of the text.
    pub source: ProgramSource,
    pub head: ProgramHead,
    /// The first line of `lines`, counted from 0.
    pub first: u32,
    /// At most [`MAX_LINES`] lines and 4 MiB of text. At least one line, unless `first` is beyond the end of the text.
    pub lines: Vec<ProgramLine>,
}

/// Largest number of lines in a [`ProgramPage`].
pub const MAX_LINES: usize = 1000;

/// The computations of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramOutline {
    pub program: ProgramRef,
    pub head: ProgramHead,
    /// Computations in the order of the text, in which the entry usually comes last. Empty if only the texts of events
    /// are known.
    pub computations: Vec<OutlineItem>,
}

/// A computation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineItem {
    /// Name without `%`.
    pub name: String,
    /// Its first line, counted from 0.
    pub line: u32,
    pub n_instructions: u32,
    /// Number of instructions that call the computation.
    pub n_callers: u32,
    /// Whether the computation is the entry of the program.
    pub is_entry: bool,
    /// Whether the computation is the body of a fusion.
    pub is_fusion: bool,
}

/// A search in the text of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramQuery {
    pub program: ProgramRef,
    /// The text to search for. Upper and lower case of A to Z match each other. An empty text matches nothing.
    pub text: String,
    /// Whether the text is a regular expression, which is matched against each line.
    pub regex: bool,
}

/// The result of a search in the text of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramFound {
    pub query: ProgramQuery,
    /// The first matching lines, counted from 0, in order: at most [`MAX_FOUND`].
    pub lines: Vec<u32>,
    /// Number of all matching lines.
    pub n: u32,
}

/// Largest number of lines in a [`ProgramFound`].
pub const MAX_FOUND: usize = 100_000;
