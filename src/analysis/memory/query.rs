//! The query of memory. Plain data; knows no answer.

use serde::{Deserialize, Serialize};

/// A buffer of a program, as answers name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BufferId(pub u32);

/// What is asked of one program's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryQuery {
    /// Its place in [`crate::analysis::files::FileView::programs`].
    pub program: u32,
    /// The memory colour: 0 is the device's main memory.
    pub color: i64,
    /// Columns of the curve, at most.
    pub columns: u32,
    /// Buffers told of those alive, at most. Sums are over all.
    pub buffers: u32,
    /// A dimension of this size or more is a vocabulary's.
    pub vocabulary: u64,
    /// Bytes that each of the model's parameters takes.
    pub per_parameter: BytesPerParameter,
    /// Parameters of the model on one device; `None`: as counted from the weights.
    pub n_parameters: Option<u64>,
}

impl MemoryQuery {
    /// A dimension as large as the smallest vocabularies of today.
    pub const VOCABULARY: u64 = 100_000;
}

impl Default for MemoryQuery {
    fn default() -> Self {
        Self {
            program: 0,
            color: 0,
            columns: 1000,
            buffers: 1000,
            vocabulary: Self::VOCABULARY,
            per_parameter: BytesPerParameter::default(),
            n_parameters: None,
        }
    }
}

/// Bytes that training takes for each parameter of a model. The default is mixed precision with Adam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BytesPerParameter {
    /// The weight.
    pub weights: f64,
    /// Its gradient.
    pub gradients: f64,
    /// Adam's first moment.
    pub m: f64,
    /// Adam's second moment.
    pub v: f64,
    /// The weight in full precision.
    pub master: f64,
}

impl Default for BytesPerParameter {
    fn default() -> Self {
        Self { weights: 2.0, gradients: 2.0, m: 4.0, v: 4.0, master: 4.0 }
    }
}

/// A piece of a program's time, in points of its curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// The first.
    pub from: u32,
    /// The one after the last.
    pub to: u32,
}
