//! Rooflight opens XLA profiles: it reads what JAX, XLA and TensorFlow write (XSpace) and says where the
//! time goes. The same library runs in a browser tab (WebAssembly, in a worker) and in the terminal.
//!
//! ```text
//!  source ──► wire ──► profile ──► analysis ──► report, share ──► bin/rooflight   terminal, CI, agents
//!  bytes      records  columns     numbers      text, links
//!                                     │
//!                                  session ◄──► worker ◄── protocol ──► view    the page
//!                                  answers      messages                pixels  (chart: geometry)
//! ```
//!
//! Folder order is the way data flows: a folder never names a later one. Everything up to and including
//! `chart` compiles natively and knows no browser; `tests/native/tidy.rs` checks it.
//!
//! Invariants that hold everywhere:
//! - **No input panics**, and no allocation is larger than the input justifies.
//! - **Time is integer picoseconds** ([`units::Picos`]); floats appear only where a ratio is shown.
//! - **Parts sum to the whole, exactly**: kinds sum to busy, busy + idle = window.
//! - **Absent is `None`** and a [`profile::Note`] says why; never a silent zero.
//! - **Order is defined**: ties are broken by name, no hash map's order reaches output.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod analysis;
pub mod chart;
pub mod chip;
pub mod protocol;
pub mod report;
pub mod session;
pub mod share;
mod small_sort;
pub mod table;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod view;
pub mod worker;

pub use xla_profile::{hlo, profile, source, units, wire};

/// Identifies the sources this was built from. Page and worker compare theirs before they talk.
pub const BUILD: &str = env!("ROOFLIGHT_BUILD");
