//! This module makes the rows of a breakdown for its table. It makes only the rows that are shown.
//!
//! Comparing texts takes most of the time of sorting, so each text is compared once: rows are ranked by name, and each
//! order then compares two numbers, the value of the column and the rank. A column of texts is ranked in the same way,
//! each distinct text once.

use crate::analysis::base::{Analysis, FilterError, Header, Query};
use crate::analysis::breakdown::columns::{GROUP_TABLE, heading, kind_rank, nouns};
use crate::analysis::breakdown::{Answer, Group, RowText, RowView, Shown};
use crate::table::Value;
use crate::table::answer::{CachedOrder, TableRows};
use crate::table::page::row_key;
use crate::table::sort::{distinct_texts, ranks_of_order, sort_by_name, text_rank};
use crate::table::source::{RowMaker, Source};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

/// The rows of a breakdown as a [`RowMaker`].
pub(crate) struct BreakdownRows<'a>(pub(crate) RowView<'a>);

impl RowMaker<Group> for BreakdownRows<'_> {
    fn n_rows(&self) -> usize {
        self.0.len()
    }

    fn row(&self, row: u32) -> Group {
        self.0.group(row as usize)
    }

    fn key(&self, row: u32) -> String {
        let index = row as usize;
        row_key(&self.0.key(index), self.0.row(index).program.flatten().map(|program| program.0))
    }

    fn read_numbers(&self, rows: &mut dyn Iterator<Item = u32>, read: &mut dyn FnMut(u32, &Group)) {
        let mut group = Group::empty(String::new());
        for row in rows {
            self.0.read_numbers(row as usize, &mut group);
            read(row, &group);
        }
    }

    fn text_order(&self, column: &str, ranks: &[u32]) -> Option<Vec<Option<u64>>> {
        let rows = self.0;
        let each = |number: &dyn Fn(usize) -> Option<u64>| (0..rows.len()).map(number).collect();
        let texts = |text| Some(text_order(rows, text));
        match column {
            "key" => Some(name_order(rows, ranks)),
            "kind" => Some(each(&|i| Some(kind_rank(rows.row(i).kind, rows.is_of_several_kinds(i)).into()))),
            "phase" => Some(each(&|i| rows.phase(i).map(|phase| phase as u64))),
            "module" => Some(each(&|i| rows.module(i).map(|module| module.index() as u64))),
            "hlo_category" => texts(RowText::Category),
            "source_inner" => texts(RowText::Source),
            "scope_leaf" => texts(RowText::ScopeLeaf),
            "tf_op" => texts(RowText::TfOp),
            "program" => texts(RowText::Program),
            "op_group" => texts(RowText::OpGroup),
            "layer" => texts(RowText::Layer),
            "dtype" => texts(RowText::Dtype),
            "shape" => texts(RowText::Shape),
            _ => None,
        }
    }

    fn ranks(&self) -> Vec<u32> {
        let rows = self.0;
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        let program = |i: u32| rows.row(i as usize).program;
        sort_by_name(&mut order, |i| rows.key(i as usize), |a, b| program(a).cmp(&program(b)));
        ranks_of_order(order.into_iter().map(|i| i as usize))
    }

    fn usual_order(&self) -> Vec<u32> {
        self.0.order().to_vec()
    }
}

/// Number of cached answers. Switching back and forth between two groupings then computes each answer once.
const KEPT_ANSWERS: usize = 6;

/// The answers to the last queries, the newest last.
#[derive(Default)]
pub(crate) struct KeptBreakdowns(Vec<KeptBreakdown>);

/// The cached answer to a query.
pub(crate) struct KeptBreakdown {
    query: Query,
    pub(super) answer: Answer,
    /// Order of the rows in the last request.
    pub(super) order: CachedOrder,
}

impl KeptBreakdowns {
    /// Returns the answer to a query from the cache, or computes it.
    pub(crate) fn get(
        &mut self,
        profile: &Profile,
        analysis: &Analysis,
        query: &Query,
    ) -> Result<&mut KeptBreakdown, FilterError> {
        let kept = match self.0.iter().position(|kept| kept.query == *query) {
            Some(index) => self.0.remove(index),
            None => {
                let answer = analysis.answer(profile, query)?;
                KeptBreakdown { query: query.clone(), answer, order: CachedOrder::default() }
            }
        };
        if self.0.len() == KEPT_ANSWERS {
            self.0.remove(0);
        }
        self.0.push(kept);
        let newest = self.0.len() - 1;
        Ok(&mut self.0[newest])
    }
}

/// Returns the table of a breakdown.
pub(crate) fn breakdown_table<'r>(
    rows: Source<'r, Group>,
    query: &Query,
    header: &Header,
    shown: &Shown,
    kept: CachedOrder,
) -> TableRows<'r, Group> {
    let window = header.step_duration.map(Picos::as_f64);
    let filtered_out = shown.n_all.saturating_sub(rows.n_rows() as u32);
    let is_range = header.range().is_some();
    let head = |column: &crate::table::shown::Shown| match heading(column, query.by)? {
        "Step" if is_range => Some("Range"),
        head => Some(head),
    };
    TableRows::new(&GROUP_TABLE, rows, window, head, kept)
        .with_nouns(nouns(query.by))
        .with_more(filtered_out)
        .with_total("total_dur_ps", Value::Time(shown.total))
        .with_total("share", Value::Time(shown.total))
        .with_total("n_executions", Value::Executions(shown.n_events))
        .with_peak("flop_rate", header.peaks.flops)
        .with_peak("byte_rate", header.peaks.hbm_bytes)
}

/// Returns, for each row, the rank of its name among the distinct names. `ranks` are those of the rows by name.
fn name_order(rows: RowView<'_>, ranks: &[u32]) -> Vec<Option<u64>> {
    let mut by_rank = vec![0; ranks.len()];
    ranks.iter().enumerate().for_each(|(row, rank)| by_rank[*rank as usize] = row);
    let mut order = vec![None; ranks.len()];
    let mut last: Option<(u64, Cow<'_, str>)> = None;
    for row in by_rank {
        let name = rows.key(row);
        let number = last.map_or(0, |(number, before)| number + u64::from(before != name));
        order[row] = Some(number);
        last = Some((number, name));
    }
    order
}

/// Returns, for each row, the rank of its text among the distinct texts of the column. Numbers at the end of a text are
/// compared by value, so that `layers_2` comes before `layers_10`. `None` if the row has no text.
fn text_order(rows: RowView<'_>, column: RowText) -> Vec<Option<u64>> {
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
