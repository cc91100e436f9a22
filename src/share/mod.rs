//! A session small enough to be passed on: a [`Report`], the link and the file that carry one, and what leaves with it.
//!
//! ```text
//!  analyses ──► Report ──at(level)──► cut, rounded ──► codec ──► columns ──► deflate ──► envelope ─┬─► base64url   a link
//!                 │                                     ▲                                          └─► .rooflight  a file
//!                 └── without_sources, anonymise ───────┘ each datum is visited with what it is
//! ```
//!
//! Knows the analyses' reports; no engine, no page, no browser. What is read here was written by strangers: each length is
//! checked against what is left, all memory is paid from a budget, and nothing recurses.

mod anonymise;
mod codec;
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
mod opcodes;
mod preview;
mod read;
mod report;
mod round;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod write;

pub use envelope::{decode, encode};
pub use error::ShareError;
pub use file::{Carried, EmbeddedSource, MAGIC, ReportFile, pack, unpack};
pub use level::Level;
pub use limits::{MOST, VERSION};
pub use link::{AIM, Fit, base_address, decode_link, encode_link};
pub use markdown::markdown;
pub use preview::{Preview, Section, Table};
pub use report::*;
