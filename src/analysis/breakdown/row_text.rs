//! This module defines the text columns of a row, and a token for each text. Equal tokens mean equal texts, so sorting
//! rows by such a column reads each distinct text once, and not once per row.

use super::row_view::RowView;
use xla_profile::profile::StrId;

/// A text column of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowText {
    /// The category, if all ops of the row agree.
    Category,
    /// Innermost source line of the example op.
    Source,
    /// Leaf of the example op's scope path.
    ScopeLeaf,
    /// The whole `tf_op` of the example op.
    TfOp,
    /// The program, if all ops of the row are of one program.
    Program,
    /// The group of work, if all ops of the row agree.
    OpGroup,
    /// The layer, if all ops of the row agree.
    Layer,
    /// The element type, if all ops of the row agree.
    Dtype,
    /// The shape, if all ops of the row agree.
    Shape,
}

/// The identity of a text. Rows with the same token have the same text.
pub type Token = (u64, u64);

impl<'a> RowView<'a> {
    /// Returns the text of row `i` in a column; `None` if the row has none.
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

    /// Returns the token of row `i` in a column; `None` if only the text itself can be compared.
    pub fn token(self, i: usize, column: RowText) -> Option<Token> {
        let id = |id: Option<StrId>| id.map_or(0, |id| u64::from(id.number()));
        let (device, example) = self.example(i);
        let stats = &example.stats;
        match column {
            // The device is part of the token, because the innermost end of stacks differs between devices.
            RowText::Source => Some((device as u64, id(stats.source_stack) << 32 | id(stats.source))),
            RowText::ScopeLeaf | RowText::TfOp => Some((0, id(stats.tf_op))),
            _ => {
                // The text of a row with several ops depends on sums.
                let (_, op, facts, _) = self.single_op(i)?;
                match column {
                    RowText::Category => Some((0, id(op.stats.category))),
                    RowText::Program => {
                        Some((u64::from(op.stats.program.is_some()), op.stats.program.map_or(0, |p| p.0)))
                    }
                    RowText::OpGroup => Some((0, facts.group as u64)),
                    RowText::Layer => Some((0, id(facts.layer))),
                    // Without the stat, the shape is a part of the op's HLO text.
                    _ => Some((0, id(Some(op.stats.shape?)))),
                }
            }
        }
    }
}
