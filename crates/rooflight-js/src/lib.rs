//! This crate is the native half of the npm package `rooflight`: it opens captures in a worker, and answers with the
//! JSON documents of the command line, as objects or as text.
//!
//! ```text
//!  package/index.js  ──►  worker.js  ──►  this crate  ──►  rooflight::cli   the commands, their options and sentences
//!  sessions, types        messages        sources
//! ```
//!
//! On other targets than wasm32 the crate is empty.

#[cfg(target_arch = "wasm32")]
mod answer;
#[cfg(target_arch = "wasm32")]
mod capture;
#[cfg(target_arch = "wasm32")]
mod source;
