//! A buffer that is alive at a point of a program's curve.

use super::query::BufferId;
use super::words::{Category, MemoryClass};
use serde::{Deserialize, Serialize};

/// A buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// Names it in questions: stays the same as long as the session is open.
    pub id: BufferId,
    /// Bytes with padding; of a buffer that is alive at a point where a later one has some of its addresses, the others.
    pub size: u64,
    /// Bytes of its elements. `None` where its shape is not known.
    pub unpadded: Option<u64>,
    /// `bf16[8,128]{1,0:T(8,128)(2,1)}`. Empty where it is not known.
    pub shape: String,
    /// `bf16`. `None` for a tuple's table, or where it is not known.
    pub dtype: Option<String>,
    /// What gives it, `fusion.12`, with its place in a tuple: `fusion.12{0}`. Empty where it is not known.
    pub instruction: String,
    /// `fusion`. Empty where it is not known.
    pub opcode: String,
    /// The framework's name of the operation, with its scopes. Empty where there is none.
    pub op_name: String,
    /// The innermost place in the source, `file:line`.
    pub source: Option<String>,
    /// What it is to the program.
    pub category: Category,
    /// What it is to the model.
    pub class: MemoryClass,
    /// The event that took it; 0 for what is alive all the time.
    pub first: u32,
    /// The event that let it go; the last point for what is alive until the end.
    pub last: u32,
}

impl Buffer {
    /// The name that people know the buffer by: of a parameter the path of the argument (`state[0]['layers']['w1']`), else
    /// the instruction that defines it, else its scope.
    pub fn label(&self) -> String {
        let is_argument = self.category == Category::Parameter && !self.op_name.is_empty();
        match (&*self.instruction, &*self.op_name) {
            (_, op_name) if is_argument => op_name.to_owned(),
            ("", "") => format!("buffer {}", self.id.0),
            ("", op_name) => op_name.to_owned(),
            (instruction, _) => instruction.to_owned(),
        }
    }

    /// Bytes of padding; `None` where the size without padding is unknown.
    pub fn wasted(&self) -> Option<u64> {
        self.unpadded.map(|unpadded| self.size.saturating_sub(unpadded))
    }

    /// Padding as a fraction of the size.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn padding(&self) -> Option<f64> {
        self.wasted().map(|wasted| wasted as f64 / self.size.max(1) as f64)
    }
}
