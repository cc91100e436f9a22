//! What the views ask beyond rows, and how it crosses to the worker. Plain data; knows neither side.
//!
//! ```text
//!  a view ── Question ──bytes──► Request::Question ──► Session ── Answer ──bytes──► Reply::Answer ──► the view
//! ```
//!
//! Each question has a type for its answer. Both cross as bytes within one request and one reply, so that the protocol needs one request and
//! one reply for all of them.

use super::program_text::{ProgramQuery, ProgramRef};
use super::request::{OpRef, Reply, Request};
use super::table_query::{TableAction, TableOf};
use super::tables::Export;
use crate::analysis::base::Query;
use crate::analysis::comm::{CommQuery, LaneQuery};
use crate::analysis::memory::{BufferId, MemoryQuery, Points};
use crate::analysis::roofline::RooflineQuery;
use crate::table::page::SortBy;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a view asks. Each says what it is answered with; any may be answered with [`Reply::Failed`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// All that is known of one op: [`crate::analysis::op::OpDetail`]. Failed where nothing has this name.
    Op {
        /// Which device and step, against which peaks and costs; grouping and filter play no part.
        query: RooflineQuery,
        /// Which op.
        op: OpRef,
    },
    /// An op's neighbourhood: [`crate::analysis::op::graph::OpGraph`]. Failed where nothing has this name.
    Graph {
        /// Which device and step; grouping and filter play no part.
        query: Query,
        /// Which op.
        op: OpRef,
        /// Names of those whose inside is requested, too.
        open: Vec<String>,
    },
    /// Data movement: [`super::tables::DataMovementView`]. Grouping and filter play no part.
    DataMovement(Query),
    /// What is in the files: [`crate::analysis::files::FileView`]. Counts of programs that were read since are in it.
    File,
    /// Some lines of a program: [`super::program_text::ProgramPage`].
    ProgramText {
        /// Which.
        program: ProgramRef,
        /// First line, counted from 0.
        first: u32,
        /// How many; fewer come where there are no more, or that many at once are too many.
        count: u32,
    },
    /// The computations of a program: [`super::program_text::ProgramOutline`].
    ProgramOutline(ProgramRef),
    /// Where something is in a program's text: [`super::program_text::ProgramFound`], or [`Reply::BadFilter`].
    ProgramSearch(ProgramQuery),
    /// Ops against their roofs: [`super::roofline::RooflineHead`], or [`Reply::BadFilter`].
    Roofline(RooflineQuery),
    /// All of their rows as a file, as the command line writes it: [`Reply::Exported`], or [`Reply::BadFilter`].
    ExportRoofline {
        /// Of which question.
        query: RooflineQuery,
        /// In which order; `None`: the table's own.
        sort: Option<SortBy>,
        /// As what.
        format: Export,
    },
    /// Rows of a table, as cells or as text: see [`TableAction`]. [`Reply::BadFilter`] where its filter is no regular expression.
    Table {
        /// Which table.
        of: TableOf,
        /// What of it.
        action: TableAction,
    },
    /// What programs need and allocators gave: [`crate::protocol::MemorySession`].
    Memory,
    /// One program's memory: [`crate::analysis::memory::StaticMemory`].
    MemoryOf(MemoryQuery),
    /// What is alive at a point of its curve: `Option<`[`crate::analysis::memory::AliveAt`]`>`.
    MemoryAt {
        /// Of which program and memory.
        query: MemoryQuery,
        /// The point.
        point: u32,
    },
    /// Its peak without some buffers: `Option<`[`crate::analysis::memory::WhatIf`]`>`.
    MemoryWithout {
        /// Of which program and memory.
        query: MemoryQuery,
        /// Which.
        without: Vec<BufferId>,
        /// Which points of the curve without them.
        points: Points,
    },
    /// A piece of its curve: `Option<`[`crate::analysis::memory::Curve`]`>`.
    MemoryCurve {
        /// Of which program and memory.
        query: MemoryQuery,
        /// From where to where.
        points: Points,
    },
    /// Lives within a piece of it: `Option<`[`crate::analysis::memory::LiveRangeRows`]`>`.
    MemoryLanes {
        /// Of which program and memory.
        query: MemoryQuery,
        /// From where to where.
        points: Points,
    },
    /// All of it as a file, as the command line writes it: [`Reply::Exported`].
    ExportMemory(Export),
    /// What the compute waits for: [`crate::protocol::CommView`].
    Comm(CommQuery),
    /// What is in flight in a step of a device: [`crate::analysis::comm::CommLanes`].
    CommLanes(LaneQuery),
    /// What would leave with a report: [`crate::protocol::ShareAnswer`].
    Share(crate::protocol::ShareQuery),
    /// The start of a report file, `Vec<u8>`: the bytes of the captures are to follow, in their order.
    ShareFile {
        /// Which report.
        query: crate::protocol::ShareQuery,
        /// Captures within: name and bytes.
        captures: Vec<(String, u64)>,
    },
    /// A report in words and tables, `String`: for the description of a change.
    ShareMarkdown {
        /// Which report.
        query: crate::protocol::ShareQuery,
        /// Where it opens.
        url: Option<String>,
    },
    /// All rows of communication as a file, as the command line writes it: [`Reply::Exported`].
    ExportComm {
        /// Of which question.
        query: CommQuery,
        /// As what.
        format: Export,
    },
}

impl Question {
    /// Whether it is about what leaves: that is answered of a report as of a capture.
    pub(crate) const fn is_share(&self) -> bool {
        matches!(self, Self::Share(_) | Self::ShareFile { .. } | Self::ShareMarkdown { .. })
    }
}

impl From<Question> for Request {
    fn from(question: Question) -> Self {
        // Writing to memory does not fail; what cannot be written is no question.
        Self::Question(postcard::to_allocvec(&question).unwrap_or_default())
    }
}

impl Reply {
    /// An answer to a [`Question`].
    pub(crate) fn answer_to_question(answer: &impl Serialize) -> Self {
        Self::Answer(postcard::to_allocvec(answer).unwrap_or_default())
    }

    /// The answer to a [`Question`], as the type that the question names.
    ///
    /// # Errors
    /// The reply itself, where it is none.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T, Self> {
        match &self {
            Self::Answer(bytes) => postcard::from_bytes(bytes).map_err(|_| self),
            _ => Err(self),
        }
    }
}

/// The question of a request; `None` where its bytes are none.
pub(crate) fn decode_question(bytes: &[u8]) -> Option<Question> {
    postcard::from_bytes(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::request::Failure;

    #[test]
    fn questions_and_answers_cross_and_nothing_else_is_taken_for_one() {
        let question = Question::ProgramText { program: ProgramRef(3), first: 7, count: u32::MAX };
        let Request::Question(bytes) = Request::from(question.clone()) else { panic!() };
        assert_eq!(decode_question(&bytes), Some(question));
        assert_eq!(decode_question(&[]), None);
        assert_eq!(decode_question(&[250, 1]), None);
        assert_eq!(Reply::answer_to_question(&"a text".to_owned()).decode(), Ok("a text".to_owned()));
        let failed = Reply::Failed(Failure { title: "a".to_owned(), message: "b".to_owned() });
        assert_eq!(failed.clone().decode::<String>(), Err(failed));
    }
}
