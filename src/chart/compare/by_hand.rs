//! This module says how a user pairs ops by hand: which op waits for a partner, and what the page asks.

use crate::analysis::compare::{CompareRows, OpPair, RowDelta, RowSide};
use crate::table::page::split_row_key;

/// The label of the button that undoes a pairing.
pub const UNDO: &str = "Undo this pairing";
/// The label of the button that undoes all pairings, also those of ops that do not exist.
pub const UNDO_ALL: &str = "Undo all pairings";
/// The label of the button that ends the choice of a partner.
pub const CANCEL: &str = "Cancel pairing";

/// An op of one side, for which the user looks for a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpairedOp {
    /// Whether the op is of B.
    is_b: bool,
    /// Its name, with the id of its program.
    key: String,
}

impl UnpairedOp {
    /// Returns the op of a row that can get another partner: that of A if it has one.
    pub fn of_row(row: &RowDelta) -> Option<Self> {
        let key = row.a.as_ref().or(row.b.as_ref())?.key();
        Some(Self { is_b: row.a.is_none(), key })
    }

    fn name(&self) -> &str {
        split_row_key(&self.key).0
    }

    /// Returns the letters of the side of the op and of the other side.
    const fn letters(&self) -> [char; 2] {
        if self.is_b { ['B', 'A'] } else { ['A', 'B'] }
    }

    /// Returns the label of the button that begins the choice. `row` is the row of the op.
    pub fn button(&self, row: &RowDelta) -> String {
        let [own, other] = self.letters();
        let which = if row.tier.is_some() { "another op" } else { "an op" };
        format!("Pair {} of {own} with {which} of {other}", self.name())
    }

    /// Returns the rows to choose from at first.
    pub const fn rows(&self) -> CompareRows {
        if self.is_b { CompareRows::OnlyInA } else { CompareRows::OnlyInB }
    }

    /// Returns what the page asks while the user chooses.
    pub fn question(&self) -> String {
        let [own, other] = self.letters();
        format!("Open the row of the op of {other} that belongs to {} of {own}.", self.name())
    }

    /// Returns the pair with the op of the other side of a row, and the label of the button that makes it. `None` if the row has no
    /// such op.
    pub fn with(&self, row: &RowDelta) -> Option<(String, OpPair)> {
        let other = if self.is_b { &row.a } else { &row.b }.as_ref()?.key();
        let label = format!("Pair {} with {}", self.name(), split_row_key(&other).0);
        let (a, b) = if self.is_b { (other, self.key.clone()) } else { (self.key.clone(), other) };
        Some((label, OpPair { a, b }))
    }
}

/// Removes the pairs by which the ops of a row were matched.
pub fn remove_pairs(pairs: &mut Vec<OpPair>, row: &RowDelta) {
    let (Some(a), Some(b)) = (&row.a, &row.b) else { return };
    // Of several ops, the program of the first one is known.
    let has = |side: &RowSide, key: &str| {
        let (name, program) = split_row_key(key);
        let is_single = side.ops.len() == 1;
        side.ops.iter().any(|op| op == name) && (!is_single || program.is_none() || program == side.program_id)
    };
    pairs.retain(|pair| !(has(a, &pair.a) && has(b, &pair.b)));
}
