//! This module turns bytes into records: protobuf fields, the walk over an XSpace, HLO protos, the events of trace
//! JSON, and the detection of formats.
//!
//! ```text
//!  Source ──► Window ──► Walker (fields of large messages)  ──► xspace: planes, metadata
//!             1 MiB       └────► Cursor (fields in a slice) ──► xspace: events, straight into columns
//!  Source ──► Stream ──► Text (tokens)                      ──► trace: events of a trace JSON
//! ```
//!
//! The module does not depend on the meaning of ops or steps. Nothing here panics, and each declared length is compared
//! with the bytes that remain before memory is allocated for it.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

mod cursor;
mod error;
pub mod hlo;
pub mod hlo_text;
mod known_formats;
mod search;
mod sniff;
pub mod trace;
mod window;
pub mod xspace;

pub use cursor::{Cursor, Field, Value};
pub use error::WireError;
pub use known_formats::{KnownFormat, by_ending};
pub use sniff::{Format, REPORT_MAGIC, Unknown, sniff};
pub use window::{Span, SpanValue, Walker, Window};

/// Messages generated from `proto/`. Only small messages are decoded with them; tests use them as an oracle.
pub mod proto {
    #![allow(missing_docs, reason = "generated; the fields are documented in proto/")]
    #![allow(clippy::pedantic, reason = "generated")]
    /// `HloProto` and its parts.
    pub mod hlo {
        include!(concat!(env!("OUT_DIR"), "/rooflight.hlo.rs"));
    }
    /// `XSpace` and its parts.
    pub mod xspace {
        include!(concat!(env!("OUT_DIR"), "/rooflight.xspace.rs"));
    }
}
