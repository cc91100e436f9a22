//! This module judges XLA flags that the user pastes, because a capture does not record them.
//!
//! ```text
//!  pasted text ──text──► settings ──┐
//!  defaults of the compilers ───────┼─evaluate─► verdicts, the time that is concerned, a changed text
//!  communication of the window ─────┘
//! ```
//!
//! A flag that is absent from the text has the default value of its compiler, and the verdicts are about effective
//! values. This module depends on communication, and not on events or pages.

mod closest;
pub mod columns;
mod compiler;
mod defaults;
mod edit;
mod evaluate;
mod flag_rules;
mod report;
mod text;

pub use compiler::Compiler;
pub use defaults::{KnownFlag, KnownFlags};
pub use evaluate::evaluate_flags;
pub use report::{Change, FlagMark, FlagRow, FlagsReport, Verdict};
pub use text::{FlagText, Form, Setting};

use super::comm::CommQuery;
use serde::{Deserialize, Serialize};

/// The flags of a run, and the window whose communication they are compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlagsQuery {
    pub comm: CommQuery,
    /// The text with flags: environment variables, a shell script, a flag file or debug options of an XLA dump. An empty
    /// text stands for the defaults of the compiler.
    pub text: String,
}
