//! This module connects the page and its worker in the browser: it starts workers, sends messages and reads Blobs.

#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod blob;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod client;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod helper;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
mod helpers;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod lock;
#[cfg(all(target_arch = "wasm32", any(feature = "page", feature = "worker")))]
pub mod message;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod parallel_open;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod program;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod runtime;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod server;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
mod spawn;
