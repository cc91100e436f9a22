//! This module defines the requests and replies between the page and the worker, and the addresses of the page. The reports
//! inside of replies are defined in `analysis`. This module holds plain data and depends on neither side.

pub mod answer_type;
pub mod capabilities;
pub mod captures;
pub mod comm;
pub mod compare;
pub mod estimate;
pub mod memory;
pub mod op_ref;
pub mod page_text;
pub mod part_requests;
pub mod program_text;
pub mod reply;
pub mod request;
pub mod roofline;
pub mod share;
pub mod table_query;
pub mod tables;
pub mod timeline;
pub mod url;
pub mod view_request;

/// The requests of the page with the types of their answers.
pub mod requests {
    pub use super::answer_type::TypedRequest;
    pub use super::part_requests::*;
    pub use super::view_request::typed::*;
}

pub use capabilities::Capabilities;
pub use captures::CapturesRequest;
pub use comm::CommView;
pub use compare::{CompareDots, CompareTimeline, CompareTimelineQuery, ComparedOps, SideTimeline, TimelineRow};
pub use estimate::{Choice, Estimate, Skip};
pub use memory::MemorySession;
pub use op_ref::{OpRef, ProgramSelector};
pub use program_text::{
    LineKind, MAX_FOUND, MAX_LINES, OutlineItem, ProgramFound, ProgramHead, ProgramLine, ProgramOutline, ProgramPage,
    ProgramQuery, ProgramRef,
};
pub use reply::{Answer, Failure, Progress, Reply, Stage, mismatch};
pub use request::{
    Call, DeviceInfo, DevicesRead, KindInfo, MAX_LISTED_STEPS, PlaneInfo, Request, RequestId, SessionInfo, SessionSlot,
    SharedReportInfo, StepInfo,
};
pub use roofline::{MAX_POINTS, RoofPoint, RooflineHead};
pub use share::{CaptureRange, ReportRow, ShareAnswer, ShareQuery};
pub use tables::{BreakdownHead, DataMovementView, Export, OmittedSum};
pub use timeline::{ExcerptRequest, ExportedFile, TimelineRequest};
pub use view_request::ViewRequest;
