//! This module finds the rows of a roofline by the rows of a breakdown, and ranks them by recoverable time. It builds no row.

use super::{RooflineAnswer, RowSums};
use crate::analysis::base::Analysis;
use crate::analysis::base::rows::Key;
use crate::analysis::breakdown::RowView;
use crate::table::sort::sort_by_name;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use xla_profile::profile::Profile;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The rows of a roofline by what they have in common with the rows of a breakdown of the same query.
pub struct RowsByKey {
    rows: FxHashMap<Key, u32>,
    cumulative: Vec<Option<f64>>,
}

impl RooflineAnswer {
    /// Returns the rows by their keys. `profile` and `analysis` must be those of the query.
    pub fn rows_by_key(&self, profile: &Profile, analysis: &Analysis) -> RowsByKey {
        let view = self.view(profile, analysis);
        let rows = (0..).zip(view.all()).map(|(index, row)| (row.key, index)).collect();
        RowsByKey { rows, cumulative: self.cumulative(view) }
    }

    /// Returns for each row the recoverable time of this row and of all rows with a larger gap, as a fraction of that of all
    /// rows. Rows with the same gap are in the order of their names.
    fn cumulative(&self, view: RowView<'_>) -> Vec<Option<f64>> {
        let gap = |row: u32| self.sums.get(row as usize).map_or(0, RowSums::recoverable);
        let mut order: Vec<u32> = (0..self.sums.len() as u32).filter(|row| gap(*row) > 0).collect();
        let program = |row: u32| view.row(row as usize).program.flatten();
        sort_by_name(&mut order, |row| view.key(row as usize), |a, b| (program(a), a).cmp(&(program(b), b)));
        order.small_sort_by_key(|row| Reverse(gap(*row)));
        let all = Picos(order.iter().fold(0, |sum: u64, row| sum.saturating_add(gap(*row))));
        let mut cumulative = vec![None; self.sums.len()];
        let mut before = Picos::ZERO;
        for row in order {
            before += Picos(gap(row));
            cumulative[row as usize] = before.fraction_of(all);
        }
        cumulative
    }
}

impl RowsByKey {
    /// Returns the number of the row that has the key of row `i` of a breakdown. `None` if the roofline does not select it.
    pub fn row(&self, breakdown: RowView<'_>, i: usize) -> Option<u32> {
        self.rows.get(&breakdown.row(i).key).copied()
    }

    /// Returns the recoverable time of a row and of all rows with a larger gap, as a fraction of that of all rows. `None`
    /// without recoverable time.
    pub fn cumulative(&self, row: u32) -> Option<f64> {
        self.cumulative.get(row as usize).copied().flatten()
    }
}
