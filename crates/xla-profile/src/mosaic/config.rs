//! This module reads the backend_config of the custom call of a kernel, which is JSON (`jax/_src/tpu_custom_call.py`).

use super::body::KernelBody;
use super::read::read;
use super::unread::{Read, Unread};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The colour of VMEM in XLA.
const VMEM: u64 = 1;

/// The backend_config of a custom call `tpu_custom_call`.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelConfig {
    /// The body as MLIR bytecode.
    pub body: Read<Vec<u8>>,
    /// The cost that the author of the kernel states (`pl.CostEstimate`), for one execution. `None` without an
    /// estimate.
    pub cost_estimate: Option<CostEstimate>,
    /// The limit of VMEM of the kernel, in bytes. `None` if the compiler's default applies.
    pub vmem_limit: Option<u64>,
}

/// The cost of a kernel as its author states it. Negative numbers count as absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostEstimate {
    /// Floating-point operations.
    pub flops: Option<u64>,
    /// Bytes that are read and written.
    pub bytes_accessed: Option<u64>,
    /// Exponentials, logarithms and the like.
    pub transcendentals: Option<u64>,
}

impl KernelConfig {
    /// Parses a backend_config. `custom_call_config` and `scoped_memory_configs` may stand within another object.
    ///
    /// # Errors
    /// Returns [`Unread::NotJson`] if the text is not JSON, or is nested more than 128 levels deep.
    pub fn from_json(text: &str) -> Read<Self> {
        let config: Value = serde_json::from_str(text).map_err(|_| Unread::NotJson)?;
        let call = member(&config, "custom_call_config");
        let body = call.and_then(|call| call.get("body")).and_then(Value::as_str).ok_or(Unread::NoBody);
        let cost = call.and_then(|call| call.get("cost_estimate")).filter(|cost| cost.is_object());
        let configs = member(&config, "scoped_memory_configs").and_then(Value::as_array);
        let vmem = configs.into_iter().flatten().find(|config| number(config, "memory_space").unwrap_or(VMEM) == VMEM);
        Ok(Self {
            body: body.and_then(|body| STANDARD.decode(body).map_err(|_| Unread::NotBase64)),
            cost_estimate: cost.map(|cost| CostEstimate {
                flops: number(cost, "flops"),
                bytes_accessed: number(cost, "bytes_accessed"),
                transcendentals: number(cost, "transcendentals"),
            }),
            vmem_limit: vmem.and_then(|config| number(config, "size")),
        })
    }

    /// Reads the body.
    ///
    /// # Errors
    /// Returns the reason why there is no body, or why it cannot be read.
    pub fn kernel_body(&self) -> Read<KernelBody> {
        read(self.body.as_ref().map_err(Clone::clone)?)
    }
}

/// Returns the first value with a key, in the object itself or in one within it. The outermost one is found first.
fn member<'j>(config: &'j Value, key: &str) -> Option<&'j Value> {
    let mut level = vec![config];
    while !level.is_empty() {
        if let Some(value) = level.iter().find_map(|value| value.get(key)) {
            return Some(value);
        }
        level = level.into_iter().filter_map(Value::as_object).flat_map(serde_json::Map::values).collect();
    }
    None
}

/// Returns a number, which protobuf writes as a text if it has 64 bits.
fn number(object: &Value, key: &str) -> Option<u64> {
    let value = object.get(key)?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
