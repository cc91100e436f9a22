//! This module classifies an op by its texts: kind of time, category, op group, phase, layer and module of the model.
//! The module does not depend on time or devices.

pub(in crate::analysis) mod async_pairs;
pub(in crate::analysis) mod category;
pub(in crate::analysis) mod dcn;
pub(in crate::analysis) mod kind;
pub(in crate::analysis) mod kind_of_op;
pub(in crate::analysis) mod layer;
pub(in crate::analysis) mod module;
pub(in crate::analysis) mod moe;
pub(in crate::analysis) mod network;
pub(in crate::analysis) mod op_facts;
pub(in crate::analysis) mod op_group;
pub(in crate::analysis) mod opcode;
pub(in crate::analysis) mod opcode_kind;
pub(in crate::analysis) mod phase;
pub(in crate::analysis) mod primitive;
pub(in crate::analysis) mod scope_path;
pub(in crate::analysis) mod signature;
pub(in crate::analysis) mod source_frame;

pub use super::classify::opcode::opcode;
pub use category::{category, category_of_name, category_of_text};
pub use kind::Kind;
pub use kind_of_op::{Class, Facts, classify};
pub use layer::{NO_LAYER, SCANNED};
pub use module::in_program::{modules_by_structure, nearest_scopes};
pub use module::{Certainty, ModelModule, ModuleLabel, by_scope as module_by_scope};
pub use op_facts::{Finder, OpFacts, PlaneFacts};
pub use op_group::{OpGroup, category_of_kernel};
pub use opcode::result_shape;
pub use phase::Phase;
pub use scope_path::segments as scope_segments;
pub use source_frame::Innermost;
