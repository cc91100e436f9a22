//! This module analyses the memory of a device: the need of a program, from its compiler, and the memory in use, from
//! its allocator. It does not depend on files.

mod addresses;
mod attention_size;
mod buffers;
mod categories;
mod check;
mod class;
pub mod columns;
mod estimate;
mod estimate_arrays;
mod estimate_assignment;
mod fit;
mod fit_basis;
mod fit_report;
mod fit_text;
mod heap_trace;
mod live_buffer;
mod model_guess;
mod program;
mod query;
mod report;
mod runtime;
mod runtime_report;
mod schedule;
mod space;
mod summary;
mod train_state;

pub use categories::{Category, MemoryClass, RollUpBy};
pub use fit::{Fit, FitRow, LIMIT};
pub use fit_report::{FitBasis, FitPart, JobSize, RequestedSizes};
pub use fit_text::{
    FIT_METHOD, FIT_TOO_LARGE, FIT_UNKNOWN, FitVerdict, SizeField, fit_verdict, largest_sizes, parse_size,
};
pub use model_guess::{ModelGuess, large_count};
pub use program::ProgramMemory;
pub use query::{BufferId, BytesPerParameter, MemoryQuery, Points};
pub use report::{
    AliveAt, Basis, Buffer, Curve, CurveColumn, Estimate, EstimateRow, Jump, LiveRangeRows, MemoryPrograms, Moment,
    MomentPart, Padded, Padding, ProgramPeaks, ProgramWithTimelines, RollUp, RollUpRow, SpaceMemory, SpacePeak,
    SpaceWithTimeline, StaticMemory, Vocabulary, WhatIf, WhatIfColumn, WholeMemory,
};
pub use runtime_report::{
    AllocatorMemory, Capacity, CapacitySource, CrossCheck, RuntimeMemory, UseAt, UseColumn, UseStep,
};
pub use summary::roll_ups;
