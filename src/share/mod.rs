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

pub use envelope::VERSION;
pub use envelope::decode;
pub use envelope::encode;
pub use error::ShareError;
pub use file::Carried;
pub use file::MAGIC;
pub use file::ReportFile;
pub use file::Within;
pub use file::pack;
pub use file::unpack;
pub use level::Level;
pub use link::AIM;
pub use link::Fit;
pub use link::MOST;
pub use link::base_address;
pub use link::link;
pub use link::read_link;
pub use markdown::markdown;
pub use preview::Preview;
pub use preview::Section;
pub use preview::Table;
pub use report::*;
