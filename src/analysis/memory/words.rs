//! The kinds that buffers are reported by: their names in JSON and for people. This module knows no buffer.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident $key:literal $label:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$of])* $variant,)* }

        impl $name {
            /// All, in order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name in the JSON contract.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)* }
            }

            /// The name people read.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }
        }
    };
}

words! {
    /// What a buffer is to its program.
    Category {
        /// A parameter of the program.
        Parameter "Parameter" "parameter",
        /// What lives on after the program, and is no parameter.
        Output "Output" "output",
        /// A constant.
        Constant "Constant" "constant",
        /// What comes and goes.
        #[default]
        Temporary "Temporary" "temporary",
    }
}

words! {
    /// What a buffer is to the model, by its category and its scope: the first of these that fits.
    MemoryClass {
        /// Parameters of the model: by their names, else because the forward pass of a training step reads them.
        Weights "weights" "weights",
        /// An optimizer's state: by its names, else because only the update of a training step reads it.
        Optimizer "optimizer" "optimizer state",
        /// All other parameters.
        Inputs "inputs" "inputs",
        /// Logits and their loss: those with a dimension of the vocabulary's size.
        Logits "logits" "logits",
        /// Experts and their routing.
        Experts "experts" "experts",
        /// Attention.
        Attention "attention" "attention",
        /// What the backward pass gives.
        Gradients "gradients" "gradients",
        /// What the forward pass gives.
        Activations "activations" "activations",
        /// What collectives give.
        Communication "communication" "communication buffers",
        /// All others.
        #[default]
        Temporaries "temporaries" "temporaries",
        /// Results of the program that no parameter's memory holds.
        Outputs "outputs" "outputs",
        /// Constants of the program.
        Constants "constants" "constants",
    }
}

words! {
    /// What a roll-up sums by.
    RollUpBy {
        /// [`Category`].
        #[default]
        Category "category" "category",
        /// [`MemoryClass`].
        Class "class" "class",
        /// Opcode.
        Opcode "opcode" "opcode",
        /// The scope: the path without its last segment.
        Scope "scope" "scope",
        /// The innermost place in the source.
        Source "source" "source",
        /// Element type.
        Dtype "dtype" "type",
    }
}
