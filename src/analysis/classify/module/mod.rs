//! This module determines the module of the model that an op belongs to, such as attention or the optimizer, and how
//! certain that is.
//!
//! ```text
//!  scope path ─► by_scope: certain or likely ─┐
//!  kernel, source line ─► by_source: likely ──┼─► label of an op
//!  nearest instruction with a name: likely ───┤      (in_program, for captures whose programs are read)
//!  what its program computes: guess ──────────┤      (by_structure, for programs that name no module)
//!  ops that read it, ops that it reads: guess ┘      (data_flow, by the operands in the texts of the ops)
//! ```
//!
//! The words of frameworks are tables (`words`). A label above [`Certainty::Guess`] needs a name that somebody wrote.

pub(in crate::analysis) mod by_scope;
pub(in crate::analysis) mod by_source;
mod by_structure;
pub(in crate::analysis) mod data_flow;
pub mod in_program;
mod model_module;
mod values;
mod words;

pub use by_scope::by_scope;
pub use model_module::{Certainty, ModelModule, ModuleLabel};
