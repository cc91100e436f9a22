//! This module defines the requests and replies between the page and the worker, and the addresses of the page. The reports
//! inside of replies are defined in `analysis`. This module holds plain data and depends on neither side.

pub mod answer_type;
pub mod capabilities;
pub mod captures;
pub mod comm;
pub mod compare;
pub mod estimate;
pub mod memory;
pub(crate) mod page_text;
pub mod part_requests;
pub mod program_text;
pub mod request;
pub mod roofline;
pub mod share;
pub mod table_query;
pub mod tables;
pub mod timeline;
pub mod url;
pub mod view_request;

/// The requests of the page with the types of their answers.
pub mod ask {
    pub use super::answer_type::Ask;
    pub use super::part_requests::*;
    pub use super::view_request::typed::*;
}

pub use capabilities::Capabilities;
pub use captures::CapturesRequest;
pub use comm::CommView;
pub use compare::{CompareDots, CompareTimeline, CompareTimelineQuery, ComparedOps, SideTimeline, TimelineRow};
pub use estimate::{Choice, Estimate, Skip};
pub use memory::MemorySession;
pub use program_text::{
    LineKind, MAX_FOUND, MAX_LINES, OutlineItem, ProgramFound, ProgramHead, ProgramLine, ProgramOutline, ProgramPage,
    ProgramQuery, ProgramRef,
};
pub use request::{
    Answer, Call, CaptureRange, DeviceInfo, DevicesRead, Failure, KindInfo, MAX_LISTED_STEPS, OpRef, PlaneInfo,
    ProgramOf, Progress, Reply, Request, RequestId, SessionInfo, SessionSlot, SharedReportInfo, Stage, StepInfo,
    mismatch,
};
pub use roofline::{MAX_POINTS, RoofPoint, RooflineHead};
pub use share::{ReportRow, ShareAnswer, ShareQuery};
pub use tables::{BreakdownHead, DataMovementView, Export, OmittedSum};
pub use timeline::{ExcerptRequest, ExportedFile, TimelineRequest};
pub use view_request::ViewRequest;
