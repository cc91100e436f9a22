//! These tests read kernels that JAX lowered (`samples/kernel/lower.py`), and bodies that are damaged or built to harm.

mod build;
mod contents;
mod loops;
mod robust;

/// Matrix product as a pipeline of 16 steps within one call.
const MADE: &[u8] = include_bytes!("../../../../../samples/kernel/made.mlirbc");
/// The same kernel in version 6 of the format.
const MADE_V6: &[u8] = include_bytes!("../../../../../samples/kernel/made.v6.mlirbc");
/// Matrix product with a grid, and with an accumulator as scratch.
const GRID_MATMUL: &[u8] = include_bytes!("../../../../../samples/kernel/grid_matmul.mlirbc");
/// The backend_config of the same kernel.
const GRID_MATMUL_CONFIG: &str = include_str!("../../../../../samples/kernel/grid_matmul.backend_config.json");
/// Attention with a scalar as prefetch, and with loops whose bounds the kernel computes.
const ATTENTION: &[u8] = include_bytes!("../../../../../samples/kernel/attention.mlirbc");
/// Matrix products of several types, without a grid.
const MIXED: &[u8] = include_bytes!("../../../../../samples/kernel/mixed.mlirbc");
