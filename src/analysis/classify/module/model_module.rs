//! This module defines the modules of a model, and the certainty with which an op belongs to one.

use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// A module of a model. Reports store positions, so that modules are added at the end.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ModelModule {
        /// Tables of tokens and positions, and the patches of an image.
        Embedding = "embedding": "Embedding",
        /// Attention with its projections, its rotary positions and its cache.
        Attention = "attention": "Attention",
        /// Dense feed-forward layers.
        Mlp = "mlp": "MLP",
        /// Mixtures of experts: routers, dispatch, experts and combination.
        Experts = "experts": "Experts",
        /// Normalisations that have a scope of their own.
        Norm = "norm": "Norms",
        /// Convolutions of a model of images or audio.
        Convolution = "convolution": "Convolution",
        /// Recurrent layers, state space models and linear attention.
        Recurrent = "recurrent": "Recurrent",
        /// The projection to the vocabulary or to classes.
        Head = "head": "Head",
        /// The loss.
        Loss = "loss": "Loss",
        /// The update of the parameters, and the norms of gradients.
        Optimizer = "optimizer": "Optimizer",
        /// Collectives that sum gradients outside of any module.
        GradientSync = "gradient_sync": "Gradient sync",
        /// The choice of the next token.
        Sampling = "sampling": "Sampling",
        /// No rule names the module.
        Unknown = "unknown": "Not named",
    }
}

impl ModelModule {
    /// Returns the position in [`ModelModule::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the name within a sentence, as in "copies in the experts".
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Embedding => "the embedding",
            Self::Attention => "attention",
            Self::Mlp => "the MLP",
            Self::Experts => "the experts",
            Self::Norm => "the norms",
            Self::Convolution => "the convolutions",
            Self::Recurrent => "the recurrent layers",
            Self::Head => "the head",
            Self::Loss => "the loss",
            Self::Optimizer => "the optimizer",
            Self::GradientSync => "the sum of gradients",
            Self::Sampling => "the sampling",
            Self::Unknown => "ops that nothing names",
        }
    }
}

keyed_enum! {
    /// How the module of an op is known.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Certainty {
        /// The scope path names the module.
        Certain = "certain": "by scope",
        /// A function, a source file, a kernel or the nearest named instruction of the program names the module.
        Likely = "likely": "likely",
        /// Neighbours in the data flow, the place in the step, or what the program computes suggest the module.
        Guess = "guess": "guess",
        /// The module is not known.
        Unknown = "unknown": "not named",
    }
}

impl Certainty {
    /// Returns the position in [`Certainty::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The module of an op, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleLabel {
    pub module: ModelModule,
    pub certainty: Certainty,
}

impl ModuleLabel {
    /// The label of an op whose module is not known.
    pub const UNKNOWN: Self = Self { module: ModelModule::Unknown, certainty: Certainty::Unknown };

    /// Creates a label of a known module.
    pub const fn new(module: ModelModule, certainty: Certainty) -> Self {
        Self { module, certainty }
    }

    /// Returns whether the module is known.
    pub fn is_known(self) -> bool {
        self.module != ModelModule::Unknown
    }

    /// Returns the label with at most this certainty.
    #[must_use]
    pub fn at_most(self, certainty: Certainty) -> Self {
        Self { certainty: self.certainty.max(certainty), ..self }
    }
}
