//! This module defines the model of a capture, with events in columns, and builds the model from the walks over XSpace
//! and trace JSON.
//!
//! ```text
//!  Profile ─ planes ─ lines ─ events: start │ duration │ op     (device clock beside it)
//!              └───── ops ◄────────────────────────────┘
//!                      └── texts ──► Strings, each distinct text once
//! ```
//!
//! The module uses the terms of an XSpace. It does not depend on the bytes of an XSpace (`wire`), or on steps, devices
//! and kinds (`analysis`).
mod allocator;
mod anomalies;
mod block;
mod builder;
mod column;
mod copies;
mod correlation_ids;
mod counters;
mod derive;
mod division;
mod event_links;
mod event_ops;
mod events;
mod ids;
mod listing_limit;
mod memory;
mod model;
mod note;
mod note_code;
mod part;
mod pending;
mod programs;
mod progress;
mod renumbering;
mod short_name;
mod stats;
mod strings;
#[cfg(not(target_arch = "wasm32"))]
mod threads;
mod trace;
mod value;

pub use allocator::AllocatorRow;
pub use builder::Builder;
pub use column::Column;
pub use copies::cupti_copy_name;
pub use counters::{COUNTER_LINE, CounterRow};
pub use event_links::{EventLink, LinkContext, RunId, StepMark};
pub use events::Events;
pub use ids::{OpId, ProgramId, program_of};
pub use listing_limit::max_listed;
pub use memory::{Memories, MemoryBytes};
pub use model::{HloBlob, HloForm, Line, Op, OpKey, OpStats, Plane, PlaneStat, Profile, StatCount};
pub use note::{Note, Severity};
pub use note_code::NoteCode;
pub use part::ProfilePart;
pub use progress::ReadProgress;
pub use strings::{StrId, Strings};
pub use trace::Survey;
