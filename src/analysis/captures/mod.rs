//! This module lists many captures, such as those of every night: what their files say before they are read, a summary of each
//! one, and how their figures change from one to the next.
//!
//! ```text
//!  starts of all files ──► groups: the files of one run ──► a row each
//!                                                             │ the capture is read, and closed again
//!                                      series ◄── figures ◄── summary ◄── a row of a table
//! ```

mod cause;
pub mod columns;
mod grouping;
mod report;
mod rows;
mod run_paths;
mod same_run;
mod series;

pub use cause::change_cause;
pub use grouping::{CaptureFiles, group, names_of_paths};
pub use report::{
    CaptureFigure, CaptureProgress, CaptureRow, CaptureSummary, CapturesSeries, CapturesView, ChangeCause, FileHead,
    HeadKind, SeriesChange, SeriesMark, TopFinding,
};
pub use rows::CaptureRows;
pub use run_paths::{CAPTURE_ENDINGS, folder, time_of_folder};
pub use same_run::{is_copy, runs};
pub use series::captures_series;
