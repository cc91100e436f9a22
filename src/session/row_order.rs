//! The order of rows, and the largest figure of each column. Pure; knows rows, not how they are drawn.
//!
//! Comparing texts is what takes time, so it is done once: rows are ranked by key, and each order then compares two
//! numbers, the column's and the rank. A column of text is ranked as well, each distinct text once.

use crate::analysis::base::sort_by_text;
use crate::analysis::breakdown::{RowText, RowView};
use crate::protocol::{Column, Largest, Sort};
use crate::table::order::{distinct_texts, ranks_of_order, real_order, sort_rows_by_number, text_rank};
use crate::units::Picos;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Rows in one page: more than any screen shows.
const MAX_ROWS: usize = 1000;

/// The orders of one answer's rows: that which was requested last, and the ranks that all need.
#[derive(Default)]
pub(crate) struct Orders {
    /// By row: its place by key, then by program.
    ranks: Vec<u32>,
    last: Option<(Sort, Vec<u32>)>,
}

impl Orders {
    /// Row numbers in the order asked for. Ties go by key, then by program; absent values come last in both directions.
    pub(crate) fn get(&mut self, rows: RowView<'_>, sort: Sort) -> &[u32] {
        let cached = self.last.take().filter(|(of, order)| *of == sort && order.len() == rows.len());
        let order = match cached {
            Some((_, order)) => order,
            // Rows come with this order.
            None if sort == Sort::default() => rows.order().to_vec(),
            None => self.sorted(rows, sort),
        };
        &self.last.insert((sort, order)).1
    }

    fn sorted(&mut self, rows: RowView<'_>, sort: Sort) -> Vec<u32> {
        if self.ranks.len() != rows.len() {
            self.ranks = ranks(rows);
        }
        sort_rows_by_number(&values(rows, sort.column, &self.ranks), &self.ranks, sort.descending)
    }
}

/// By row: its place by key, then by program.
pub(crate) fn ranks(rows: RowView<'_>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    let program = |i: u32| rows.row(i as usize).program;
    sort_by_text(&mut order, |i| rows.key(i as usize), |a, b| program(a).cmp(&program(b)));
    ranks_of_order(order.into_iter().map(|i| i as usize))
}

/// A number per row that orders as the column's values do.
fn values(rows: RowView<'_>, column: Column, ranks: &[u32]) -> Vec<Option<u64>> {
    let each = |of: &dyn Fn(usize) -> Option<u64>| (0..rows.len()).map(of).collect();
    match column {
        Column::Name => each(&|i| Some(u64::from(ranks[i]))),
        Column::Total | Column::OfStep => each(&|i| Some(rows.row(i).own)),
        Column::Kind => each(&|i| Some(rows.row(i).kind.index() as u64)),
        Column::Executions => each(&|i| Some(rows.row(i).n)),
        Column::Mean => each(&|i| rows.row(i).mean().map(|m| m.0)),
        Column::Inclusive => each(&|i| Some(rows.row(i).inclusive)),
        // What no execution starts in has no shortest and no longest one.
        Column::Min => each(&|i| Some(rows.row(i).min).filter(|_| rows.row(i).n > 0)),
        Column::Max => each(&|i| Some(rows.row(i).max).filter(|_| rows.row(i).n > 0)),
        Column::OfKind => each(&|i| rows.of_kind(i).map(real_order)),
        Column::FlopRate => each(&|i| rows.row(i).flop_rate().map(real_order)),
        Column::ByteRate => each(&|i| rows.row(i).byte_rate().map(real_order)),
        Column::Flops => each(&|i| rows.row(i).flops.map(real_order)),
        Column::Bytes => each(&|i| rows.row(i).bytes.map(real_order)),
        Column::Intensity => each(&|i| rows.row(i).intensity().map(real_order)),
        Column::OpGroup => texts(rows, RowText::OpGroup),
        Column::Phase => each(&|i| rows.phase(i).map(|p| p as u64)),
        Column::Layer => texts(rows, RowText::Layer),
        Column::Category => texts(rows, RowText::Category),
        Column::Source => texts(rows, RowText::Source),
        Column::Program => texts(rows, RowText::Program),
        Column::Dtype => texts(rows, RowText::Dtype),
        Column::Shape => texts(rows, RowText::Shape),
        Column::ScopeLeaf => texts(rows, RowText::ScopeLeaf),
    }
}

/// Texts of a column, each distinct one by its place among them; numbers at the end by value, so that `layers_2` comes
/// before `layers_10`.
fn texts(rows: RowView<'_>, column: RowText) -> Vec<Option<u64>> {
    let mut by_token: FxHashMap<(u64, u64), Option<u32>> = FxHashMap::default();
    let mut by_text: FxHashMap<&str, u32> = FxHashMap::default();
    let mut read = |i: usize| {
        let next = by_text.len() as u32;
        Some(*by_text.entry(rows.text(i, column)?).or_insert(next))
    };
    let number = |i: usize| match rows.token(i, column) {
        Some(token) => *by_token.entry(token).or_insert_with(|| read(i)),
        None => read(i),
    };
    let numbers: Vec<Option<u32>> = (0..rows.len()).map(number).collect();
    let distinct = distinct_texts(by_text.keys().copied().collect());
    let mut ranks = vec![0; by_text.len()];
    for (text, number) in by_text {
        ranks[number as usize] = text_rank(&distinct, text).unwrap_or_default();
    }
    numbers.into_iter().map(|number| Some(ranks[number? as usize])).collect()
}

/// The largest figure of each column.
pub(crate) fn largest(rows: RowView<'_>) -> Largest {
    let of = rows.all().iter().map(|row| Largest {
        total: Picos(row.own),
        mean: row.mean().unwrap_or_default(),
        inclusive: Picos(row.inclusive),
        n_executions: row.n,
        max: Picos(row.max),
        flop_rate: row.flop_rate(),
        byte_rate: row.byte_rate(),
        flops: row.flops,
        bytes: row.bytes,
        intensity: row.intensity(),
    });
    of.fold(Largest::default(), Largest::with)
}

/// The places of a page's rows in an order.
pub(crate) fn window(n: usize, first: u32, count: u32) -> Range<usize> {
    let first = (first as usize).min(n);
    first..first.saturating_add((count as usize).min(MAX_ROWS)).min(n)
}
