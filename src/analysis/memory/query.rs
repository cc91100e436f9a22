//! This module holds the types of a memory query. They are plain data and do not depend on the answer.

use serde::{Deserialize, Serialize};

/// The id of a buffer of a program in answers and queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BufferId(pub u32);

/// A query about the memory of one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryQuery {
    /// Index in [`crate::analysis::files::FileView::programs`].
    pub program: u32,
    /// Memory colour: 0 is the main memory of the device.
    pub color: i64,
    /// Maximum number of columns of the curve.
    pub columns: u32,
    /// Maximum number of live buffers in a list. Sums cover all buffers.
    pub buffers: u32,
    /// A dimension of at least this size counts as the size of a vocabulary.
    pub vocabulary: u64,
    /// Bytes of memory for each parameter of the model.
    pub per_parameter: BytesPerParameter,
    /// Parameters of the model on one device. `None` selects the number counted from the weights.
    pub n_parameters: Option<u64>,
}

impl MemoryQuery {
    /// The default for `vocabulary`: about the size of the smallest vocabularies of today.
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

/// Bytes that training needs for each parameter of a model. The default is mixed precision with Adam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BytesPerParameter {
    pub weights: f64,
    pub gradients: f64,
    /// First moment of Adam.
    pub m: f64,
    /// Second moment of Adam.
    pub v: f64,
    /// Weight in full precision.
    pub master: f64,
}

impl Default for BytesPerParameter {
    fn default() -> Self {
        Self { weights: 2.0, gradients: 2.0, m: 4.0, v: 4.0, master: 4.0 }
    }
}

/// A range of points of a program's curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// First point.
    pub from: u32,
    /// Point after the last one.
    pub to: u32,
}
