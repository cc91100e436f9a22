//! This module holds the type of a buffer that is alive at a point of a program's curve.

use super::categories::{Category, MemoryClass};
use super::query::BufferId;
use serde::{Deserialize, Serialize};

/// A buffer of a program, with its live range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// Id for queries. It is stable while the session is open.
    pub id: BufferId,
    /// Bytes with padding. If a later buffer has some of the addresses at the point of the list, only the other bytes
    /// count.
    pub size: u64,
    /// Bytes of the elements. `None` if the shape is unknown.
    pub unpadded: Option<u64>,
    /// Shape, such as `bf16[8,128]{1,0:T(8,128)(2,1)}`. Empty if it is unknown.
    pub shape: String,
    /// Element type, such as `bf16`. `None` for the pointer table of a tuple, or if it is unknown.
    pub dtype: Option<String>,
    /// Name of the instruction that defines the buffer, with the index in its tuple, such as `fusion.12{0}`. Empty if
    /// it is unknown.
    pub instruction: String,
    /// Opcode, such as `fusion`. Empty if it is unknown.
    pub opcode: String,
    /// Name of the operation in the framework, with its scopes. Empty if it is unknown.
    pub op_name: String,
    /// Innermost source line, as `file:line`.
    pub source: Option<String>,
    pub category: Category,
    pub class: MemoryClass,
    /// Event that took the buffer; 0 for a buffer that is alive all the time.
    pub first: u32,
    /// Event that freed the buffer; the number of events if none frees it.
    pub last: u32,
}

impl Buffer {
    /// Returns the name for users: for a parameter the path of the argument (`state[0]['layers']['w1']`), else the
    /// instruction that defines the buffer, else the scope.
    pub fn label(&self) -> String {
        let is_argument = self.category == Category::Parameter && !self.op_name.is_empty();
        match (&*self.instruction, &*self.op_name) {
            (_, op_name) if is_argument => op_name.to_owned(),
            ("", "") => format!("buffer {}", self.id.0),
            ("", op_name) => op_name.to_owned(),
            (instruction, _) => instruction.to_owned(),
        }
    }

    /// Returns the padding in bytes. `None` if the size without padding is unknown.
    pub fn wasted(&self) -> Option<u64> {
        self.unpadded.map(|unpadded| self.size.saturating_sub(unpadded))
    }

    /// Returns the padding as a fraction of the size.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn padding(&self) -> Option<f64> {
        self.wasted().map(|wasted| wasted as f64 / self.size.max(1) as f64)
    }
}
