//! Rooflight opens XLA profiles: it reads the captures that JAX, XLA and TensorFlow write (XSpace), and shows where the
//! time goes. The same library runs in a browser tab (WebAssembly, in a worker) and in the terminal.
//!
//! ```text
//!  source ──► wire ──► profile ──► analysis ──► report, share ──► cli             terminal, CI, scripts
//!  bytes      records  columns     numbers      text, links
//!                                     │
//!                                  session ◄──► worker ◄── protocol ──► view    the page
//!                                  answers      messages                pixels  (chart: geometry)
//! ```
//!
//! Folders are in the order in which data flows: a folder never names a later one. All folders up to and including
//! `chart` compile natively and do not depend on a browser; `tests/native/tidy.rs` checks both rules.
//!
//! These invariants hold everywhere:
//! - **No input panics**, and no allocation is larger than the input justifies.
//! - **Time is integer picoseconds** ([`xla_profile::units::Picos`]); floats appear only where a ratio is shown.
//! - **Parts sum to the whole, exactly**: kinds sum to busy, and busy + idle = window on a device with one op line.
//! - **An absent value is `None`**, and a [`xla_profile::profile::Note`] gives the reason. No value is silently zero.
//! - **The order of output is defined**: ties are broken by name, and the order of a hash map never reaches output.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod analysis;
pub mod chart;
pub mod chip;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
pub mod fleet;
pub mod protocol;
pub mod report;
pub mod session;
pub mod share;
pub mod table;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod view;
pub mod worker;

/// Identifies the sources of this build. The page and the worker compare their values before they exchange other
/// messages.
pub const BUILD: &str = env!("ROOFLIGHT_BUILD");
