//! The contract between page and worker, and the session behind it.
//!
//! `contract` is plain data. `session` answers requests from a profile, natively testable. The browser half
//! (`client`: the page's end, `server`: the worker's) exists only in the page's build.

#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub mod client;
mod contract;
#[expect(clippy::module_inception, reason = "the engine is what this folder is named after")]
mod engine;
#[cfg(all(target_arch = "wasm32", feature = "web"))]
mod message;
#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub mod server;
pub use contract::*;
pub use engine::{Engine, Input};
