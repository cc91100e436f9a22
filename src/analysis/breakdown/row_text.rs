//! The columns of text of a row, and what makes two of them surely the same without reading either: ids of texts.
//! An order by such a column then reads each distinct text once, not one per row.

use super::row_view::RowView;
use crate::profile::StrId;

/// A column of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowText {
    /// The category with the most time.
    Category,
    /// Innermost source line of the example.
    Source,
    /// Leaf of the example's scope path.
    ScopeLeaf,
    /// The whole `tf_op` of the example.
    TfOp,
    /// The program, where the row is of one.
    Program,
    /// The group of work, where all agree.
    OpGroup,
    /// The layer, where all agree.
    Layer,
    /// The element type with the most time.
    Dtype,
    /// The shape with the most time.
    Shape,
}

/// Rows with the same token have the same text.
pub type Token = (u64, u64);

impl<'a> RowView<'a> {
    /// A row's text.
    pub fn text(self, i: usize, column: RowText) -> Option<&'a str> {
        match column {
            RowText::Category => self.category(i),
            RowText::Source => self.source_inner(i),
            RowText::ScopeLeaf => self.scope_leaf(i),
            RowText::TfOp => self.tf_op(i),
            RowText::Program => self.program(i),
            RowText::OpGroup => self.op_group(i).map(crate::analysis::classify::OpGroup::label),
            RowText::Layer => self.layer(i),
            RowText::Dtype => self.dtype(i),
            RowText::Shape => self.shape(i),
        }
    }

    /// A row's token; `None` where its text must be read.
    pub fn token(self, i: usize, column: RowText) -> Option<Token> {
        let id = |id: Option<StrId>| id.map_or(0, |id| u64::from(id.number()));
        let (device, example) = self.example(i);
        let stats = &example.stats;
        match column {
            // At which end a stack has its innermost frame differs from device to device.
            RowText::Source => Some((device as u64, id(stats.source_stack) << 32 | id(stats.source))),
            RowText::ScopeLeaf | RowText::TfOp => Some((0, id(stats.tf_op))),
            _ => {
                // Of several ops, the sums decide.
                let (_, op, facts, _) = self.only(i)?;
                match column {
                    RowText::Category => Some((0, id(op.stats.category))),
                    RowText::Program => {
                        Some((u64::from(op.stats.program.is_some()), op.stats.program.map_or(0, |p| p.0)))
                    }
                    RowText::OpGroup => Some((0, facts.group as u64)),
                    RowText::Layer => Some((0, id(facts.layer))),
                    // Without the stat, the shape is in the op's own text.
                    _ => Some((0, id(Some(op.stats.shape?)))),
                }
            }
        }
    }
}
