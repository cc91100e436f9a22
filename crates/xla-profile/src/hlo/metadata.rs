//! This module defines the metadata of an instruction: its op name and its source.

use super::Text;

/// The metadata of an instruction (`OpMetadata`). A number is 0 if it is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Op name with its scopes, such as `jit(f)/layer/dot_general`.
    pub op_name: Option<Text>,
    /// Type of the operation in the framework.
    pub op_type: Option<Text>,
    /// File of the innermost call, if it is here and not in the stack frames.
    pub source_file: Option<Text>,
    pub source_line: u32,
    /// Last line.
    pub source_end_line: u32,
    pub source_column: u32,
    /// Last column.
    pub source_end_column: u32,
    /// The innermost stack frame, counted from 1; see [`Module::stack`](super::Module::stack).
    pub stack_frame: u32,
    /// Name that instructions with the same source share.
    pub deduplicated_name: Option<Text>,
    pub scheduling_name: Option<Text>,
    /// Other fields as `key` and `value`; a value keeps its quotes.
    pub others: Vec<(Text, Text)>,
}

impl Metadata {
    /// Returns the text field with the given key in HLO text, or `None` if no text field has that key.
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

    /// Returns the number with the given key in HLO text, or `None` if no number has that key.
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
