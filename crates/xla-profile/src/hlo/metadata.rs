//! Where an instruction comes from: the framework's names and the source.

use super::Text;

/// Where an instruction comes from. Empty texts and zeros are not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The framework's name of the operation, with its scopes: `jit(f)/layer/dot_general`.
    pub op_name: Option<Text>,
    /// The framework's type of the operation.
    pub op_type: Option<Text>,
    /// The file of the innermost frame, where it is written here and not in the stack frames.
    pub source_file: Option<Text>,
    /// Its line.
    pub source_line: u32,
    /// The last line.
    pub source_end_line: u32,
    /// Its column.
    pub source_column: u32,
    /// The last column.
    pub source_end_column: u32,
    /// The innermost frame, 1-based; see [`Module::stack`](super::Module::stack). 0 is none.
    pub stack_frame: u32,
    /// The name that instructions of one source share.
    pub deduplicated_name: Option<Text>,
    /// The name a scheduler gave.
    pub scheduling_name: Option<Text>,
    /// What else is written there, as `key` and `value` with its quotes.
    pub others: Vec<(Text, Text)>,
}

impl Metadata {
    /// The field that text calls `key`, if it is a text.
    pub(super) fn text_mut(&mut self, key: &str) -> Option<&mut Option<Text>> {
        match key {
            "op_type" => Some(&mut self.op_type),
            "op_name" => Some(&mut self.op_name),
            "source_file" => Some(&mut self.source_file),
            "deduplicated_name" => Some(&mut self.deduplicated_name),
            "scheduling_name" => Some(&mut self.scheduling_name),
            _ => None,
        }
    }

    /// The field that text calls `key`, if it is a number.
    pub(super) fn number_mut(&mut self, key: &str) -> Option<&mut u32> {
        match key {
            "source_line" => Some(&mut self.source_line),
            "source_end_line" => Some(&mut self.source_end_line),
            "source_column" => Some(&mut self.source_column),
            "source_end_column" => Some(&mut self.source_end_column),
            "stack_frame_id" => Some(&mut self.stack_frame),
            _ => None,
        }
    }
}
