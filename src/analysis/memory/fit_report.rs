//! This module holds the sizes of the model and of the batch, and what the estimate for other sizes scales.

use super::categories::MemoryClass;
use serde::{Deserialize, Serialize};

/// The sizes on which the memory of one device depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSize {
    /// Parameters of the whole model.
    pub n_parameters: u64,
    /// Devices that share one copy of the parameters.
    pub n_sharing: u64,
    pub sequences: u64,
    /// Tokens of a sequence on one device.
    pub length: u64,
}

/// Other sizes than those of a program, as far as the user gave them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestedSizes {
    pub n_parameters: Option<u64>,
    pub n_sharing: Option<u64>,
    pub sequences: Option<u64>,
    pub length: Option<u64>,
}

impl RequestedSizes {
    /// Returns the sizes with those of the program where the user gave none.
    pub fn or_program_sizes(self, program: JobSize) -> JobSize {
        JobSize {
            n_parameters: self.n_parameters.unwrap_or(program.n_parameters),
            n_sharing: self.n_sharing.unwrap_or(program.n_sharing),
            sequences: self.sequences.unwrap_or(program.sequences),
            length: self.length.unwrap_or(program.length),
        }
    }
}

/// The measured sizes of a program, and what is alive at the points that may be its peak with other sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitBasis {
    pub size: JobSize,
    /// The classes that are alive at the measured peak, then at other high points. The classes of a point sum to the curve.
    pub moments: Vec<Vec<FitPart>>,
}

/// The bytes of one class at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitPart {
    pub class: MemoryClass,
    /// Bytes.
    pub size: u64,
    /// Bytes of those in arrays with the length of a sequence in two dimensions, as the scores of attention have.
    pub scores: u64,
}
