//! This module defines the requests of the views. It holds plain data and depends on neither side.
//!
//! ```text
//!  a view ── ViewRequest ──► Request::View ──► Session ── answer ──bytes──► Reply::Answer ──► the view
//! ```
//!
//! Each view request names the type of its reply. Replies cross as bytes, so that [`Reply`](super::Reply) needs one variant for all views.

use super::answer_type::{TypedRequest, typed_request};
use super::captures::CapturesRequest;
use super::compare::CompareTimelineQuery;
use super::op_ref::OpRef;
use super::program_text::{ProgramQuery, ProgramRef};
use super::share::ShareQuery;
use super::table_query::{ExportQuery, TableAction, TableQuery};
use super::tables::Export;
use super::timeline::TimelineRequest;
use crate::analysis::base::Query;
use crate::analysis::comm::{CommQuery, LaneQuery};
use crate::analysis::compare::CompareQuery;
use crate::analysis::flags::FlagsQuery;
use crate::analysis::memory::{BufferId, MemoryQuery, Points};
use crate::analysis::overview::OverviewQuery;
use crate::analysis::roofline::RooflineQuery;
use serde::{Deserialize, Serialize};

/// Declares the requests of the views: the enum that crosses to the worker, and for each variant a type that knows its answer.
/// The variants in `parts` stand for several requests each, whose types are in [`part_requests`](super::part_requests).
macro_rules! view_requests {
    (
        parts { $($part:tt)* }
        $($(#[$doc:meta])* $name:ident $(($payload:ty))?
            $({ $($(#[$about:meta])* $field:ident: $type:ty),* $(,)? })? -> $answer:ty;)*
    ) => {
        /// A request of a view. Any variant may also be answered with [`Reply::Failed`](crate::protocol::Reply::Failed), and one
        /// with a filter with [`Reply::BadFilter`](crate::protocol::Reply::BadFilter).
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum ViewRequest {
            $($(#[$doc])* $name $(($payload))? $({ $($(#[$about])* $field: $type),* })?,)*
            $($part)*
        }

        /// The requests of one view each, with the types of their answers.
        pub mod typed {
            use super::*;

            $(typed_request! {
                $(#[$doc])*
                ViewRequest::$name: $name $(($payload))? $({ $($(#[$about])* $field: $type),* })? -> $answer
            })*
        }
    };
}

view_requests! {
    parts {
        /// Requests rows of a table, as cells or as text; see [`TableAction`].
        Table {
            table: TableQuery,
            /// Rows to return, and their form: cells or text.
            action: TableAction,
        },
        /// Asks about a list of captures. The reply is the type that the [`CapturesRequest`] names.
        Captures(CapturesRequest),
        /// Requests a part of the timeline. The reply is the type that the [`TimelineRequest`] names.
        Timeline(TimelineRequest),
    }
    /// Requests the figures of a breakdown, without rows.
    Breakdown(Query) -> crate::protocol::tables::BreakdownHead;
    /// Requests rows of a view as a file, in the form that the command line writes. The answer is the text of the file.
    ExportRows { rows: ExportQuery, format: Export } -> String;
    /// Requests the tree of scopes at and below `root`.
    Scopes {
        /// Device, step and filter. The grouping of rows has no effect.
        query: Query,
        /// A scope path. Empty stands for all scopes.
        root: String,
        /// Below each scope, children whose fraction of the time of `root` is smaller are summed into one node.
        min_share: f64,
    } -> crate::analysis::breakdown::Scopes;
    /// Requests the steps of all devices.
    StepStats -> crate::analysis::breakdown::StepStats;
    /// Requests the details of one op. Fails if no op has this name.
    Op {
        /// Device, step, peaks and costs. The grouping and the filter have no effect.
        query: RooflineQuery,
        op: OpRef,
    } -> crate::analysis::op::OpDetail;
    /// Requests the operands and users around one op. Fails if no op has this name.
    Graph {
        /// Device and step. The grouping and the filter have no effect.
        query: Query,
        op: OpRef,
        /// Names of the instructions whose bodies are shown as well.
        open: Vec<String>,
    } -> crate::analysis::op::graph::OpGraph;
    /// Requests data movement. The grouping and the filter have no effect.
    DataMovement(Query) -> crate::protocol::tables::DataMovementView;
    /// Requests how far a window uses the hardware. The grouping and the filter have no effect.
    Utilization(RooflineQuery) -> crate::protocol::tables::Utilization;
    /// Requests the idle gaps with the longest gaps of each class. The grouping and the filter have no effect.
    Gaps(Query) -> crate::analysis::gaps::Gaps;
    /// Requests what limits the run. `None` if no device has the step.
    Overview(OverviewQuery) -> Option<crate::analysis::overview::Overview>;
    /// Requests the overview as Markdown.
    OverviewMarkdown(OverviewQuery) -> String;
    /// Requests the contents of the files. The reply includes the counts of the programs that have been read so far.
    File -> crate::analysis::files::FileView;
    /// Requests some lines of a program.
    ProgramText {
        program: ProgramRef,
        /// First line, counted from 0.
        first: u32,
        /// Number of lines. The reply has fewer lines at the end of the text, or if they exceed the size of a page.
        count: u32,
    } -> crate::protocol::program_text::ProgramPage;
    /// Requests the computations of a program.
    ProgramOutline(ProgramRef) -> crate::protocol::program_text::ProgramOutline;
    /// Searches the text of a program. The text is a filter.
    ProgramSearch(ProgramQuery) -> crate::protocol::program_text::ProgramFound;
    /// Requests the figures and the points of a roofline.
    Roofline(RooflineQuery) -> crate::protocol::roofline::RooflineHead;
    /// Requests the memory needs of all programs and the memory use of the allocators.
    Memory -> crate::protocol::MemorySession;
    /// Requests the memory of one program.
    MemoryOf(MemoryQuery) -> crate::analysis::memory::StaticMemory;
    /// Requests the buffers that are alive at a point of a program's memory curve. `None` if the program has nothing in
    /// this memory; the same holds for the three requests below.
    MemoryAt {
        query: MemoryQuery,
        point: u32,
    } -> Option<crate::analysis::memory::AliveAt>;
    /// Requests the peak of a program without some buffers.
    MemoryWithout {
        query: MemoryQuery,
        /// Buffers that are left out.
        without: Vec<BufferId>,
        /// Points at which the curve without these buffers is returned.
        points: Points,
    } -> Option<crate::analysis::memory::WhatIf>;
    /// Requests a part of a program's memory curve.
    MemoryCurve {
        query: MemoryQuery,
        points: Points,
    } -> Option<crate::analysis::memory::Curve>;
    /// Requests the live ranges in a part of a program's memory curve.
    MemoryLiveRanges {
        query: MemoryQuery,
        points: Points,
    } -> Option<crate::analysis::memory::LiveRangeRows>;
    /// Requests the collectives, the copies and their exposed time.
    Comm(CommQuery) -> crate::protocol::CommView;
    /// Requests the intervals of collectives and copies in one step of one device.
    CommLanes(LaneQuery) -> crate::analysis::comm::CommLanes;
    /// Requests the comparison of the two open sessions with the largest rows of each owner.
    Compare(CompareQuery) -> crate::analysis::compare::Comparison;
    /// Requests the ops of a row of the comparison.
    CompareOps {
        query: CompareQuery,
        /// [Name](crate::analysis::compare::RowDelta::key) of the row.
        key: String,
    } -> crate::protocol::compare::ComparedOps;
    /// Requests the rows of the comparison as points.
    CompareDots(CompareQuery) -> crate::protocol::compare::CompareDots;
    /// Requests a step of each side on one time axis.
    CompareTimeline(CompareTimelineQuery) -> crate::protocol::compare::CompareTimeline;
    /// Requests the comparison as Markdown.
    CompareMarkdown(CompareQuery) -> String;
    /// Requests the verdicts about XLA flags.
    Flags(FlagsQuery) -> crate::analysis::flags::FlagsReport;
    /// Requests the preview of a report.
    Share(ShareQuery) -> crate::protocol::ShareAnswer;
    /// Requests the start of a report file. The page appends the bytes of the captures, in their order.
    ShareFile {
        query: ShareQuery,
        /// Name and size in bytes of each capture in the file.
        captures: Vec<(String, u64)>,
    } -> Vec<u8>;
    /// Requests a report as Markdown, for the description of a pull request or a change.
    ShareMarkdown {
        query: ShareQuery,
        /// Address that opens the report. `None` if the text has no link.
        url: Option<String>,
    } -> String;
}

impl ViewRequest {
    /// Returns whether the request is about a report to share. The session answers these requests for a capture and
    /// for a report alike.
    pub(crate) const fn is_share(&self) -> bool {
        matches!(self, Self::Share(_) | Self::ShareFile { .. } | Self::ShareMarkdown { .. })
    }

    /// Returns whether the request is about a comparison to share, and not about a session.
    pub(crate) const fn is_share_of_comparison(&self) -> bool {
        match self {
            Self::Share(query) | Self::ShareFile { query, .. } | Self::ShareMarkdown { query, .. } => {
                query.comparison.is_some()
            }
            _ => false,
        }
    }

    /// Returns whether the request is about both open sessions.
    pub(crate) const fn is_compare(&self) -> bool {
        matches!(
            self,
            Self::Compare(_)
                | Self::CompareOps { .. }
                | Self::CompareDots(_)
                | Self::CompareTimeline(_)
                | Self::CompareMarkdown(_)
                | Self::ExportRows { rows: ExportQuery::Compare { .. }, .. }
                | Self::Table { table: TableQuery::Compare(..), .. }
        )
    }
}
