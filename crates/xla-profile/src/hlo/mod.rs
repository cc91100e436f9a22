//! This module defines HLO programs: shapes, layouts and their padding, replica groups, instructions and modules. It
//! reads them from text or from a proto, and prints them as text.
//!
//! ```text
//!  "%add.1 = f32[8]{0} add(…)" ──► text ──┐
//!  "HloModule jit_f, …"                   ├──► Module, Instruction ──► print
//!  HloProto (wire::hlo) ──► from_proto ───┘      Shape, ReplicaGroups …
//! ```
//!
//! The module does not depend on events, time, chips, or the origin of a text or a proto. Nothing here panics, recurses
//! without a bound, or allocates more than its input justifies. Parts that cannot be read are kept as text and counted.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

mod attention;
mod convolution;
mod cost;
mod dtype;
mod escape;
mod frames;
mod from_proto;
mod ids;
mod instruction;
mod layout;
mod link;
mod listing;
mod mesh;
mod metadata;
mod module;
pub mod opcode;
mod padding;
mod print;
mod print_module;
mod proto_attributes;
mod proto_shape;
mod replica;
mod shape;
mod sharding;
mod sizes;
pub mod text;
mod tile;
mod transposed;
mod window;

pub use cost::Cost;
pub use dtype::DType;
pub use frames::{Frame, Frames, Location, SourceFrame};
pub use ids::{ComputationId, InstructionId, Text};
pub use instruction::{Attribute, Call, Instruction, Operand, Value};
pub use layout::{Layout, Tail};
pub use listing::{Line, Listing};
pub use mesh::{AxisRef, Devices, MeshAxes};
pub use metadata::Metadata;
pub use module::{Computation, Damage, Module};
pub use print::Style;
pub use replica::{Iota, ReplicaGroups};
pub use shape::{ArrayShape, Shape};
pub use tile::Tile;
pub use transposed::Transposed;
