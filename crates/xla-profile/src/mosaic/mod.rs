//! This module reads the body of a Pallas kernel for TPUs: grid, blocks, buffers, matrix products and scopes. The HLO
//! custom call `tpu_custom_call` holds the body in its backend_config, as MLIR bytecode of the compiler Mosaic.
//!
//! ```text
//!  backend_config ──config──► bytes ──tables──► texts, names, attributes, types
//!                               │                            │ decoded when needed
//!                               └─walk──► operations ──collect──► KernelBody
//! ```
//!
//! The module decodes only what it returns, and knows neither events nor time. Nothing here panics or recurses, and
//! memory grows with the bytes that are read, not with counts that they declare. A value that cannot be read is an
//! [`Unread`], which says why.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

mod array_type;
mod attribute;
mod body;
mod collect;
mod config;
mod cursor;
mod element;
mod function;
mod matmul;
mod op_attributes;
#[allow(dead_code, reason = "the keys of operations are only looked up")]
mod op_kind;
mod read;
mod tables;
#[cfg(test)]
mod tests;
mod unread;
mod values;
mod walk;

pub use array_type::{ArrayType, MemorySpace};
pub use body::{
    Alloca, DimensionSemantics, KernelBody, Loop, Matmul, MatmulDims, PipelineMode, Precision, Scope, Window,
};
pub use config::{CostEstimate, KernelConfig};
pub use read::read;
pub use unread::{Read, Unread};
