//! What HLO means: shapes, layouts and their padding, replica groups, instructions, modules.
//!
//! ```text
//!  "%add.1 = f32[8]{0} add(…)" ──► text ──┐
//!  "HloModule jit_f, …"                   ├──► Module, Instruction ──► print
//!  HloProto (wire::hlo) ──► from_proto ───┘      Shape, ReplicaGroups …
//! ```
//!
//! Must not know: events, time, chips, where a text or a proto came from. Nothing here panics, recurses without a
//! bound, or allocates more than its input justifies; what is not understood is kept as text and counted.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

mod dtype;
mod frames;
mod ids;
mod instruction;
mod layout;
mod module;
pub mod opcode;
mod padding;
mod replica;
mod shape;

pub use dtype::DType;
pub use frames::{Frame, Frames, Location, SourceFrame};
pub use ids::{ComputationId, InstructionId, Text};
pub use instruction::{Attribute, Call, Instruction, Metadata, Operand, Value};
pub use layout::{Layout, Tail, Tile};
pub use module::{Computation, Damage, Module};
pub use replica::{AxisRef, Iota, MeshAxes, ReplicaGroups};
pub use shape::{ArrayShape, Shape};
