//! This module declares the groupings of buffers, with their names in JSON and for users. It does not depend on
//! buffers.

use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The role of a buffer in its program.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Category {
        Parameter = "Parameter": "parameter",
        /// Memory that may outlive the program and is no parameter.
        Output = "Output": "output",
        Constant = "Constant": "constant",
        /// Memory that is allocated and freed while the program runs.
        #[default]
        Temporary = "Temporary": "temporary",
    }
}

keyed_enum! {
    /// The role of a buffer in the model, by its category and its scope. The first class that fits counts.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum MemoryClass {
        /// Parameters of the model, by their names, or because the forward pass of a training step reads them.
        Weights = "weights": "weights",
        /// State of an optimizer, by its names, or because only the update of a training step reads it.
        Optimizer = "optimizer": "optimizer state",
        /// All other parameters of the program.
        Inputs = "inputs": "inputs",
        /// Logits and their loss: arrays with a dimension of the size of the vocabulary.
        Logits = "logits": "logits",
        /// Experts and their routing.
        Experts = "experts": "experts",
        Attention = "attention": "attention",
        /// Results of the backward pass.
        Gradients = "gradients": "gradients",
        /// Results of the forward pass.
        Activations = "activations": "activations",
        /// Results of collectives.
        Communication = "communication": "communication buffers",
        /// All other temporaries.
        #[default]
        Temporaries = "temporaries": "temporaries",
        /// Results of the program that do not use the memory of a parameter.
        Outputs = "outputs": "outputs",
        Constants = "constants": "constants",
    }
}

keyed_enum! {
    /// The property by which a roll-up sums buffers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum RollUpBy {
        /// By [`Category`].
        #[default]
        Category = "category": "category",
        /// By [`MemoryClass`].
        Class = "class": "class",
        Opcode = "opcode": "opcode",
        /// The scope path without its last segment.
        Scope = "scope": "scope",
        /// Innermost source line.
        Source = "source": "source",
        /// Element type.
        Dtype = "dtype": "type",
    }
}
