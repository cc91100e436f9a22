//! The rows of a table as the page asks for them: filtered, sorted, and written as cells; and as text for the clipboard.

use super::cells::{ReadyColumn, exact, number};
use super::copy::{CopyForm, markdown, tsv};
use super::filter::{FilterError, FilterField, TextFilter, TextMatcher};
use super::format;
use super::order::{SortKey, ranks_of_order, sort_rows};
use super::page::{Head, PageQuery, Row, SortBy, TablePage};
use super::shown::{Shown, Table};
use super::{Column, Value};
use std::rc::Rc;

/// What is found out about rows once for all questions about them: ranks, the last order, the largest numbers. It is kept beside the
/// rows, and replaced with them.
#[derive(Debug, Default)]
pub struct KeptOrder {
    /// By row: its place by name.
    ranks: Option<Vec<u32>>,
    /// The rows that pass the last filter, in the last order.
    last: Option<(SortBy, TextFilter, Rc<[u32]>)>,
    /// By column on the page: the number that bars and units go by.
    largest: Vec<(&'static str, f64)>,
}

/// A table with its rows, ready to be asked.
pub struct TableRows<'r, R: 'static> {
    table: &'r Table<R>,
    rows: &'r [R],
    whole: Option<f64>,
    /// Rows that the table once had and that a report left out.
    more: u32,
    nouns: (&'static str, &'static str),
    /// Totals that are not the sum of a column.
    totals: Vec<(&'static str, Value<'static>)>,
    columns: Vec<ReadyColumn<'r, R>>,
    kept: KeptOrder,
}

impl<'r, R> TableRows<'r, R> {
    /// A table of these rows. `head` gives the heading of a column in this table, or `None` to leave the column out. `whole`: the
    /// number that shares and ranges are of, such as the picoseconds of the step. `kept` is from the last question about these
    /// rows.
    pub fn new(
        table: &'r Table<R>,
        rows: &'r [R],
        whole: Option<f64>,
        head: impl Fn(&Shown) -> Option<&'static str>,
        mut kept: KeptOrder,
    ) -> Self {
        let mut largest = |column: &Column<R>| {
            if let Some((_, largest)) = kept.largest.iter().find(|(id, _)| *id == column.id) {
                return *largest;
            }
            let numbers = rows.iter().filter_map(|row| number(&(column.value)(row)));
            let largest = numbers.max_by(f64::total_cmp).unwrap_or(0.0);
            kept.largest.push((column.id, largest));
            largest
        };
        let ready = |shown: &'r Shown| {
            let (head, column) = (head(shown)?, table.column(shown.id)?);
            let scale = table.column(shown.scale_of()).unwrap_or(column);
            let largest = if shown.format.has_scale() { largest(scale) } else { 0.0 };
            Some(ReadyColumn::new(shown, column, head, largest))
        };
        let columns = table.shown.iter().filter_map(ready).collect();
        Self { table, rows, whole, more: 0, nouns: table.nouns, totals: Vec::new(), columns, kept }
    }

    /// The same where a report left out so many rows.
    #[must_use]
    pub fn with_more(mut self, more: u32) -> Self {
        self.more = more;
        self
    }

    /// The same with other words for one row and several rows.
    #[must_use]
    pub fn with_nouns(mut self, nouns: (&'static str, &'static str)) -> Self {
        self.nouns = nouns;
        self
    }

    /// The same with a total that is not the sum of its column.
    #[must_use]
    pub fn with_total(mut self, id: &'static str, total: Value<'static>) -> Self {
        self.totals.push((id, total));
        self
    }

    /// What is to be kept for the next question about these rows.
    pub fn into_kept(self) -> KeptOrder {
        self.kept
    }

    /// Some rows as cells.
    ///
    /// # Errors
    /// [`FilterError`] where the filter's text is to be a regular expression and is none.
    pub fn page(&mut self, query: &PageQuery) -> Result<TablePage, FilterError> {
        let sort = self.sort(query.sort.as_ref());
        let order = self.order(&sort, &query.filter)?;
        let end = query.first.saturating_add(query.count) as usize;
        let part: Vec<&R> = order.iter().take(end).skip(query.first as usize).map(|row| self.row(*row)).collect();
        let totals = self.totals(&order);
        let total = |id: &str| totals.iter().find(|(of, _)| of == id).map(|(_, text)| text.as_str());
        Ok(TablePage {
            columns: self.columns.iter().map(|column| column.head(total(column.shown.id))).collect(),
            n_rows: order.len() as u32,
            first: query.first,
            rows: part.iter().map(|row| self.page_row(row)).collect(),
            totals,
            sort,
        })
    }

    /// Rows as text, with these columns: all that pass the filter, or those of these keys. Second: how many rows.
    ///
    /// # Errors
    /// [`FilterError`] where the filter's text is to be a regular expression and is none.
    pub fn copy(
        &mut self,
        query: &PageQuery,
        columns: &[String],
        keys: Option<&[String]>,
        form: CopyForm,
    ) -> Result<(String, u32), FilterError> {
        let order = self.order(&self.sort(query.sort.as_ref()), &query.filter)?;
        let chosen = columns.iter().filter_map(|id| self.columns.iter().find(|column| column.shown.id == *id));
        let chosen: Vec<&ReadyColumn<'_, R>> = chosen.collect();
        let is_meant = |row: &&R| keys.is_none_or(|keys| keys.contains(&(self.table.key)(row)));
        let cell = |column: &&ReadyColumn<'_, R>, row: &R| column.text(row, self.whole);
        let rows: Vec<Vec<String>> = order
            .iter()
            .map(|row| self.row(*row))
            .filter(is_meant)
            .map(|row| chosen.iter().map(|column| cell(column, row).unwrap_or(format::ABSENT.to_owned())).collect())
            .collect();
        let heads: Vec<Head> = chosen.iter().map(|column| column.head(None)).collect();
        let n = rows.len() as u32;
        let text = if form == CopyForm::Tsv { tsv(&heads, &rows) } else { markdown(&heads, &rows) };
        Ok((text, n))
    }

    /// The numbers of all rows in an order.
    pub fn sorted(&mut self, sort: Option<&SortBy>) -> Rc<[u32]> {
        self.order_of(&self.sort(sort), &TextFilter::default(), &TextMatcher::default())
    }

    fn row(&self, row: u32) -> &'r R {
        &self.rows[row as usize]
    }

    /// The order that is asked for, where the table has such a column.
    fn sort(&self, wanted: Option<&SortBy>) -> SortBy {
        let known = |sort: &&SortBy| self.columns.iter().any(|column| column.shown.id == sort.column);
        wanted.filter(known).cloned().unwrap_or_else(|| SortBy::new(self.table.usual, true))
    }

    /// Numbers of the rows that pass, in an order. Ties go by name, then as the rows come.
    fn order(&mut self, sort: &SortBy, filter: &TextFilter) -> Result<Rc<[u32]>, FilterError> {
        Ok(self.order_of(sort, filter, &filter.compile()?))
    }

    /// The same with the filter ready to be used.
    fn order_of(&mut self, sort: &SortBy, filter: &TextFilter, matcher: &TextMatcher) -> Rc<[u32]> {
        let last = self.kept.last.as_ref().filter(|(of, text, _)| of == sort && text == filter);
        if let Some((_, _, order)) = last {
            return Rc::clone(order);
        }
        let order: Rc<[u32]> = self.find_order(sort, matcher).into();
        self.kept.last = Some((sort.clone(), filter.clone(), Rc::clone(&order)));
        order
    }

    fn find_order(&mut self, sort: &SortBy, matcher: &TextMatcher) -> Vec<u32> {
        let rows: Vec<u32> = (0..self.rows.len() as u32).filter(|row| self.passes(self.row(*row), matcher)).collect();
        let Some(by) = self.table.column(&sort.column) else { return rows };
        let keys: Vec<SortKey<'_>> = rows.iter().map(|row| sort_key((by.value)(self.row(*row)))).collect();
        let all_ranks = self.kept.ranks.take().unwrap_or_else(|| self.name_ranks());
        let ranks: Vec<u32> = rows.iter().map(|row| all_ranks[*row as usize]).collect();
        let order = sort_rows(&keys, &ranks, sort.descending).into_iter().map(|at| rows[at as usize]).collect();
        self.kept.ranks = Some(all_ranks);
        order
    }

    fn name_ranks(&self) -> Vec<u32> {
        let places: Vec<u32> = (0..self.rows.len() as u32).collect();
        let Some(column) = self.table.shown.first().and_then(|name| self.table.column(name.id)) else { return places };
        let keys: Vec<SortKey<'_>> = self.rows.iter().map(|row| sort_key((column.value)(row))).collect();
        ranks_of_order(sort_rows(&keys, &places, false).into_iter().map(|row| row as usize))
    }

    fn passes(&self, row: &R, filter: &TextMatcher) -> bool {
        if !filter.has_text() {
            return true;
        }
        let is_meant = |column: &&Column<R>| match filter.within {
            FilterField::Leaf => self.table.leaf.contains(&column.id),
            FilterField::Source => column.id == "source",
            FilterField::Anywhere => true,
        };
        self.table.columns.iter().filter(is_meant).any(|column| match (column.value)(row) {
            Value::Text(text) => filter.is_match(&text),
            Value::Word(name) => filter.is_match(name),
            Value::Labelled(name, label) => filter.is_match(name) || filter.is_match(label),
            _ => false,
        })
    }

    fn page_row(&self, row: &R) -> Row {
        Row {
            key: (self.table.key)(row),
            title: self.columns.first().and_then(|column| column.text(row, self.whole)).unwrap_or_default(),
            cells: self.columns.iter().map(|column| column.cell(self.table, row, self.whole)).collect(),
            tip: self.table.tip(row),
            opens: (self.table.opens)(row),
        }
    }

    fn totals(&self, order: &[u32]) -> Vec<(String, String)> {
        let (one, several) = self.nouns;
        let (n, all) = (order.len() as u64, self.rows.len() as u64 + u64::from(self.more));
        let counted = format::counted(all, one, several);
        let name = if n == all { counted } else { format!("{} of {counted}", format::count(n)) };
        let total = |column: &ReadyColumn<'_, R>| {
            let id = column.shown.id;
            let known = self.totals.iter().find(|(of, _)| *of == id).map(|(_, total)| total.clone());
            let sum = || {
                let values = order.iter().map(|row| (column.column.value)(self.row(*row)));
                values.filter(|value| *value != Value::Absent).reduce(|a, b| added(&a, &b))
            };
            let total = known.or_else(|| if column.shown.has_total { sum() } else { None })?;
            Some((id.to_owned(), column.written(&total, self.whole)?))
        };
        let first = self.columns.first().map(|column| (column.shown.id.to_owned(), name));
        first.into_iter().chain(self.columns.iter().filter_map(total)).collect()
    }
}

impl<R> Table<R> {
    /// The labels and exact values of a row's tooltip.
    pub fn tip(&self, row: &R) -> Vec<(String, String)> {
        let values = self
            .tips
            .iter()
            .filter_map(|line| Some((line.label.to_owned(), exact(&(self.column(line.id)?.value)(row))?)));
        values.collect()
    }
}

/// The key that a value is sorted by.
fn sort_key(value: Value<'_>) -> SortKey<'_> {
    match value {
        Value::Time(time) => SortKey::Number(time.0),
        Value::Count(n) | Value::Bytes(n) | Value::Id(n) => SortKey::Number(n),
        // The order of signed numbers, as unsigned ones.
        Value::Integer(n) => SortKey::Number(n.cast_unsigned() ^ 1 << 63),
        Value::Number(number) | Value::Percent(number) | Value::Bandwidth(number) => SortKey::Real(number),
        Value::Flag(flag) => SortKey::Number(flag.into()),
        Value::Range(first, last) => SortKey::Number(last.saturating_sub(first)),
        Value::Text(text) if text.is_empty() => SortKey::Absent,
        Value::Text(text) => SortKey::Text(text),
        Value::Word(name) | Value::Labelled(_, name) => SortKey::Text(name.into()),
        Value::Absent | Value::List(_) | Value::Record(_) => SortKey::Absent,
    }
}

/// The sum of two values of a column.
fn added(a: &Value<'_>, b: &Value<'_>) -> Value<'static> {
    match (a, b) {
        (Value::Time(a), Value::Time(b)) => Value::Time(*a + *b),
        (Value::Count(a), Value::Count(b)) => Value::Count(a.saturating_add(*b)),
        (Value::Bytes(a), Value::Bytes(b)) => Value::Bytes(a.saturating_add(*b)),
        (Value::Percent(a), Value::Percent(b)) => Value::Percent(a + b),
        (Value::Number(a), Value::Number(b)) => Value::Number(a + b),
        _ => Value::Absent,
    }
}
