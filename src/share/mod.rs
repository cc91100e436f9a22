//! This module makes a session small enough to be shared: it defines a [`Report`], the link and the file that hold a
//! report, and the preview of the data in a report.
//!
//! ```text
//!  analyses ──► Report ──cut_to──► cut, rounded ──► codec ──► columns ──► deflate ──► envelope ─┬─► base64url  link
//!                 │                                  ▲                                          └─► .rooflight file
//!                 └── without_sources, anonymise ────┘ the codec visits each value with its kind
//! ```
//!
//! This module depends on the reports of the analyses, not on sessions, the page or the browser. The bytes that it
//! reads may come from strangers: each length is compared with the bytes that are left, all memory is counted against a
//! budget, and nothing recurses.

mod anonymise;
mod codec;
mod compare_report;
mod comparison;
mod cut;
mod derive;
mod envelope;
mod error;
mod file;
pub mod html;
mod level;
mod limits;
mod link;
mod markdown;
mod omitted;
mod opcodes;
mod preview;
mod read;
mod report;
mod round;
mod sentence;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod write;

pub use anonymise::Pseudonyms;
pub use comparison::SharedComparison;
pub use envelope::{decode, encode};
pub use error::ShareError;
pub use file::{EmbeddedCapture, EmbeddedSource, MAGIC, ReportFile, pack, unpack};
pub use level::Level;
pub use limits::{MAX_LINK_LENGTH, VERSION};
pub use link::{Fit, TARGET_LINK_LENGTH, base_address, decode_link, encode_link};
pub use markdown::markdown;
pub use omitted::{OmittedSum, OmittedSums};
pub use preview::{Preview, Section, Table};
pub use report::*;
