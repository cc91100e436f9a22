//! This module answers the page's requests about the rows of a table: it filters and sorts the rows, and writes them as
//! cells or as text for the clipboard.

use super::cells::{CellContext, ReadyColumn, exact};
use super::copy::{CopyForm, rows_as_text};
use super::filter::{FilterError, FilterField, TextFilter, TextMatcher};
use super::format;
use super::page::{Cell, Head, PageQuery, Row, SortBy, TablePage};
use super::shown::{Format, PartValues, Shown, Table, TipLine};
use super::sort::{SortKey, ranks_of_order, real_order, sort_rows, sort_rows_by_number};
use super::source::Source;
use super::text_widths::set_text_widths;
use super::totals::added;
use super::{Column, Value};
use std::rc::Rc;

/// The cached results about the rows of a table: ranks, the last order, and the largest numbers. The owner of the rows
/// keeps it beside the rows, and drops it together with them.
#[derive(Debug, Default)]
pub struct CachedOrder {
    /// Rank of each row by name.
    ranks: Option<Vec<u32>>,
    /// The rows that pass the last filter, in the last order.
    last: Option<(SortBy, TextFilter, Rc<[u32]>)>,
    /// Largest number of each column on the page, which sets units and the length of bars.
    largest: Vec<(&'static str, f64)>,
}

/// A table with its rows, which answers requests.
pub struct TableRows<'r, R: 'static> {
    table: &'r Table<R>,
    rows: Source<'r, R>,
    whole: Option<f64>,
    /// Number of rows that are not here, because a filter or a report left them out. The total row counts them.
    more: u32,
    nouns: (&'static str, &'static str),
    /// Totals that are not the sum of their column.
    totals: Vec<(&'static str, Value<'static>)>,
    /// Whether a row comes after all others in every order, as the sum of rows that a report leaves out.
    is_last: Option<fn(&R) -> bool>,
    columns: Vec<ReadyColumn<'r, R>>,
    kept: CachedOrder,
}

impl<'r, R> TableRows<'r, R> {
    /// Creates a table of these rows.
    ///
    /// `head` returns the heading of a column in this table, or `None` to leave the column out. `whole` is the number
    /// to which shares and ranges refer, such as the duration of the step in picoseconds. `kept` comes from the last
    /// request about these rows.
    pub fn new(
        table: &'r Table<R>,
        rows: impl Into<Source<'r, R>>,
        whole: Option<f64>,
        head: impl Fn(&Shown) -> Option<&'static str>,
        kept: CachedOrder,
    ) -> Self {
        Self::from_source(table, rows.into(), whole, &head, kept)
    }

    fn from_source(
        table: &'r Table<R>,
        rows: Source<'r, R>,
        whole: Option<f64>,
        head: &dyn Fn(&Shown) -> Option<&'static str>,
        mut kept: CachedOrder,
    ) -> Self {
        let known = |shown: &'r Shown| {
            let (head, column) = (head(shown)?, table.column(shown.id)?);
            Some((shown, head, column, table.column(shown.scale_of()).unwrap_or(column)))
        };
        let known: Vec<_> = table.shown.iter().filter_map(known).collect();
        let mut missing: Vec<&Column<R>> = Vec::new();
        for (shown, _, _, scale) in &known {
            let is_known =
                kept.largest.iter().any(|(id, _)| *id == scale.id) || missing.iter().any(|other| other.id == scale.id);
            if shown.format.has_scale() && !is_known {
                missing.push(scale);
            }
        }
        let found = rows.largest(&missing);
        kept.largest.extend(missing.iter().map(|column| column.id).zip(found));
        let largest =
            |scale: &Column<R>| kept.largest.iter().find(|(id, _)| *id == scale.id).map_or(0.0, |found| found.1);
        let columns = known
            .iter()
            .map(|(shown, head, column, scale)| {
                let tip = table.tip_of(shown.id);
                ReadyColumn { shown, column, head, largest: largest(scale), peak: None, tip }
            })
            .collect();
        Self { table, rows, whole, more: 0, nouns: table.nouns, totals: Vec::new(), is_last: None, columns, kept }
    }

    /// Sets the number of rows that a filter or a report left out.
    #[must_use]
    pub fn with_more(mut self, more: u32) -> Self {
        self.more = more;
        self
    }

    /// Sets the nouns for one row and for several rows.
    #[must_use]
    pub fn with_nouns(mut self, nouns: (&'static str, &'static str)) -> Self {
        self.nouns = nouns;
        self
    }

    /// Sets which rows come after all others in every order. This has an effect on rows in memory only.
    #[must_use]
    pub fn with_last(mut self, is_last: fn(&R) -> bool) -> Self {
        self.is_last = Some(is_last);
        self
    }

    /// Sets a total that is not the sum of its column.
    #[must_use]
    pub fn with_total(mut self, id: &'static str, total: Value<'static>) -> Self {
        self.totals.push((id, total));
        self
    }

    /// Sets the peak of the hardware for a column. Larger numbers are marked.
    #[must_use]
    pub fn with_peak(mut self, id: &str, peak: Option<f64>) -> Self {
        if let Some(column) = self.columns.iter_mut().find(|column| column.shown.id == id) {
            column.peak = peak.filter(|peak| *peak > 0.0);
        }
        self
    }

    /// Returns the cache for the next request about these rows.
    pub fn into_cached_order(self) -> CachedOrder {
        self.kept
    }

    /// Returns some rows as cells.
    ///
    /// # Errors
    /// Returns a [`FilterError`] if the filter is not a valid regular expression.
    pub fn page(&mut self, query: &PageQuery) -> Result<TablePage, FilterError> {
        let sort = self.sort_or_default(query.sort.as_ref());
        let order = self.order(&sort, &query.filter)?;
        let first = (query.first as usize).min(order.len());
        let end = first.saturating_add(query.count as usize).min(order.len());
        let part = &order[first..end];
        let mut made = Vec::new();
        let rows = self.rows.rows(part.iter().copied(), &mut made);
        let sums = self.running_sums(&order[..end]);
        let sum = |index: usize| sums.get(first + index).copied().unwrap_or_default();
        let totals = self.totals(&order);
        let total = |id: &str| totals.iter().find(|(other, _)| other == id).map(|(_, text)| text.as_str());
        let rows: Vec<Row> =
            rows.iter().enumerate().map(|(index, row)| self.page_row(row, &rows, sum(index))).collect();
        let mut columns: Vec<Head> = self.columns.iter().map(|column| column.head(total(column.shown.id))).collect();
        set_text_widths(&mut columns, &rows);
        Ok(TablePage { columns, n_rows: order.len() as u32, first: query.first, rows, totals, sort })
    }

    /// Returns rows as text with the given columns, and the number of rows. `keys` are the names of the rows in
    /// selections. `None` copies all rows that pass the filter.
    ///
    /// # Errors
    /// Returns a [`FilterError`] if the filter is not a valid regular expression.
    pub fn copy(
        &mut self,
        query: &PageQuery,
        columns: &[String],
        keys: Option<&[String]>,
        form: CopyForm,
    ) -> Result<(String, u32), FilterError> {
        let order = self.order(&self.sort_or_default(query.sort.as_ref()), &query.filter)?;
        let chosen = columns.iter().filter_map(|id| self.columns.iter().find(|column| column.shown.id == *id));
        let chosen: Vec<&ReadyColumn<'_, R>> = chosen.collect();
        let sums = self.running_sums(&order);
        let is_meant = |row: u32| keys.is_none_or(|keys| keys.contains(&self.rows.key(row, self.table.key)));
        let mut n = 0;
        let mut line = |(index, row): (usize, &u32)| -> Vec<String> {
            n += 1;
            let around = CellContext { whole: self.whole, sum: sums.get(index).copied().unwrap_or_default() };
            let text =
                |row: &R, column: &&ReadyColumn<'_, R>| column.text(row, around).unwrap_or(format::ABSENT.to_owned());
            self.rows.with(*row, |row| chosen.iter().map(|column| text(row, column)).collect())
        };
        let heads: Vec<Head> = chosen.iter().map(|column| column.head(None)).collect();
        let text =
            rows_as_text(form, &heads, order.iter().enumerate().filter(|(_, row)| is_meant(**row)).map(&mut line));
        Ok((text, n))
    }

    /// Returns the numbers of all rows in an order.
    pub fn sorted(&mut self, sort: Option<&SortBy>) -> Rc<[u32]> {
        self.cached_order(&self.sort_or_default(sort), &TextFilter::default(), &TextMatcher::default())
    }

    /// Returns the running sum for each of the rows. Empty if no column shows a running sum.
    fn running_sums(&self, rows: &[u32]) -> Vec<f64> {
        let column = self.columns.iter().find(|column| column.shown.format == Format::Cumulative);
        column.map_or_else(Vec::new, |column| self.rows.running_sums(column.column, rows))
    }

    /// Returns the requested order, or the default order if the table has no such column.
    fn sort_or_default(&self, wanted: Option<&SortBy>) -> SortBy {
        let known = |sort: &&SortBy| self.columns.iter().any(|column| column.shown.id == sort.column);
        wanted.filter(known).cloned().unwrap_or_else(|| SortBy::new(self.table.default_sort, true))
    }

    /// Returns the numbers of the rows that pass the filter, in order. Ties are sorted by name, then by row number.
    fn order(&mut self, sort: &SortBy, filter: &TextFilter) -> Result<Rc<[u32]>, FilterError> {
        Ok(self.cached_order(sort, filter, &filter.compile()?))
    }

    /// Returns the same order for a compiled filter. The last order is kept.
    fn cached_order(&mut self, sort: &SortBy, filter: &TextFilter, matcher: &TextMatcher) -> Rc<[u32]> {
        let last = self.kept.last.as_ref().filter(|(sorted, text, _)| sorted == sort && text == filter);
        if let Some((_, _, order)) = last {
            return Rc::clone(order);
        }
        let order: Rc<[u32]> = self.filter_and_sort(sort, matcher).into();
        self.kept.last = Some((sort.clone(), filter.clone(), Rc::clone(&order)));
        order
    }

    /// Returns the numbers of the rows that match, in order.
    fn filter_and_sort(&mut self, sort: &SortBy, matcher: &TextMatcher) -> Vec<u32> {
        if let (Source::Made(maker), false) = (&self.rows, matcher.has_text())
            && *sort == SortBy::new(self.table.default_sort, true)
        {
            return maker.usual_order();
        }
        let rows =
            self.rows.all().filter(|row| !matcher.has_text() || self.rows.with(*row, |row| self.passes(row, matcher)));
        let rows: Vec<u32> = rows.collect();
        let Some(by) = self.table.column(&sort.column) else { return rows };
        let all_ranks = self.kept.ranks.take().unwrap_or_else(|| self.name_ranks());
        let ranks: Vec<u32> = rows.iter().map(|row| all_ranks[*row as usize]).collect();
        let order = match self.rows {
            Source::InMemory(all) => {
                let keys: Vec<SortKey<'_>> = rows.iter().map(|row| sort_key((by.value)(&all[*row as usize]))).collect();
                let mut order = sort_rows(&keys, &ranks, sort.descending);
                if let Some(is_last) = self.is_last {
                    order.sort_by_key(|index| is_last(&all[rows[*index as usize] as usize]));
                }
                order
            }
            Source::Made(maker) => {
                let is_numeric = self
                    .columns
                    .iter()
                    .any(|column| column.shown.id == sort.column && column.shown.format.is_numeric());
                match maker.text_order(by.id, &all_ranks) {
                    Some(texts) => {
                        let numbers: Vec<_> = rows.iter().map(|row| texts[*row as usize]).collect();
                        sort_rows_by_number(&numbers, &ranks, sort.descending)
                    }
                    None if is_numeric => {
                        let mut numbers = Vec::with_capacity(rows.len());
                        let mut read = |_, row: &R| numbers.push(order_number((by.value)(row)));
                        maker.read_numbers(&mut rows.iter().copied(), &mut read);
                        sort_rows_by_number(&numbers, &ranks, sort.descending)
                    }
                    None => {
                        let key = |row: &u32| sort_key((by.value)(&maker.row(*row))).into_owned();
                        sort_rows(&rows.iter().map(key).collect::<Vec<_>>(), &ranks, sort.descending)
                    }
                }
            }
        };
        self.kept.ranks = Some(all_ranks);
        order.into_iter().map(|index| rows[index as usize]).collect()
    }

    fn name_ranks(&self) -> Vec<u32> {
        let all = match self.rows {
            Source::InMemory(all) => all,
            Source::Made(maker) => return maker.ranks(),
        };
        let places: Vec<u32> = self.rows.all().collect();
        let Some(column) = self.table.shown.first().and_then(|name| self.table.column(name.id)) else { return places };
        let ranks = |keys: Vec<SortKey<'_>>, ties: &[u32]| {
            ranks_of_order(sort_rows(&keys, ties, false).into_iter().map(|row| row as usize))
        };
        // Rows with equal names are sorted by their names in selections.
        let ties = ranks(all.iter().map(|row| SortKey::Text((self.table.key)(row).into())).collect(), &places);
        ranks(all.iter().map(|row| sort_key((column.value)(row))).collect(), &ties)
    }

    fn passes(&self, row: &R, filter: &TextMatcher) -> bool {
        let is_meant = |column: &&Column<R>| match filter.within {
            FilterField::Leaf => self.table.leaf.contains(&column.id),
            FilterField::Source => column.id == "source",
            FilterField::Anywhere => true,
        };
        self.table.columns.iter().filter(is_meant).any(|column| match (column.value)(row) {
            Value::Text(text) => filter.is_match(&text),
            Value::Mixed(text) => text.as_ref().is_some_and(|text| filter.is_match(text)),
            Value::Word(name) => filter.is_match(name),
            Value::Labelled(name, label) | Value::Ranked(_, name, label) => {
                filter.is_match(name) || filter.is_match(label)
            }
            _ => false,
        })
    }

    fn page_row(&self, row: &R, beside: &[&R], sum: f64) -> Row {
        let around = CellContext { whole: self.whole, sum };
        let mark = || (self.table.mark)(row);
        let cell = |column: &ReadyColumn<'_, R>| match column.shown.format {
            Format::Name => Cell::Name((self.table.name)(row, beside)),
            _ => column.cell(&(column.column.value)(row), mark, around),
        };
        let parts = (self.table.parts)(row);
        Row {
            key: (self.table.key)(row),
            title: self.columns.first().and_then(|column| column.text(row, around)).unwrap_or_default(),
            cells: self.columns.iter().map(cell).collect(),
            tips: self.tips(|id| self.table.column(id).map(|column| (column.value)(row))),
            opens: (self.table.opens)(row),
            // A single part would repeat the row.
            parts: if parts.len() > 1 { parts.iter().map(|part| self.part_row(part)).collect() } else { Vec::new() },
        }
    }

    /// Returns a part of a row as a row. Columns without a value of the part have empty cells.
    fn part_row(&self, part: &PartValues<'_>) -> Row {
        let value = |id: &str| part.iter().find(|(other, _)| *other == id).map(|(_, value)| value);
        let around = CellContext { whole: self.whole, sum: 0.0 };
        let cell = |column: &ReadyColumn<'_, R>| match value(column.shown.id) {
            Some(value) => column.cell(value, || None, around),
            None => Cell::Soft(String::new()),
        };
        let title = part.first().and_then(|(_, name)| exact(name)).unwrap_or_default();
        Row {
            key: title.clone(),
            title,
            cells: self.columns.iter().map(cell).collect(),
            tips: self.tips(|id| value(id).cloned()),
            opens: false,
            parts: Vec::new(),
        }
    }

    /// Returns the tooltips of a row, as labels with exact values.
    fn tips<'v>(&self, value: impl Fn(&str) -> Option<Value<'v>>) -> Vec<Vec<(String, String)>> {
        let line = |line: &TipLine| Some((line.label.to_owned(), exact(&value(line.id)?)?));
        self.table.tips.iter().map(|tip| tip.lines.iter().filter_map(line).collect()).collect()
    }

    fn totals(&self, order: &[u32]) -> Vec<(String, String)> {
        let (one, several) = self.nouns;
        let (n, all) = (order.len() as u64, self.rows.n_rows() as u64 + u64::from(self.more));
        let counted = format::counted(all, one, several);
        let name = if n == all { counted } else { format!("{} of {counted}", format::count(n)) };
        let total = |column: &ReadyColumn<'_, R>| {
            let id = column.shown.id;
            let known = self.totals.iter().find(|(other, _)| *other == id).map(|(_, total)| total.clone());
            let sum = || {
                let mut sum = Value::Absent;
                self.rows.read_numbers(&mut order.iter().copied(), &mut |_, row| {
                    sum = added(&sum, &(column.column.value)(row));
                });
                sum
            };
            let total = known.or_else(|| column.shown.has_total.then(sum))?;
            Some((id.to_owned(), column.written(&total, CellContext { whole: self.whole, sum: 0.0 })?))
        };
        let first = self.columns.first().map(|column| (column.shown.id.to_owned(), name));
        first.into_iter().chain(self.columns.iter().filter_map(total)).collect()
    }
}

/// Returns the key by which a value is sorted.
fn sort_key(value: Value<'_>) -> SortKey<'_> {
    match value {
        Value::Time(time) => SortKey::Number(time.0),
        Value::Count(n) | Value::Bytes(n) | Value::Id(n) => SortKey::Number(n),
        // The largest differences matter, whatever their sign.
        Value::Difference(difference) => SortKey::Number(difference.ps.unsigned_abs()),
        // Flipping the sign bit makes signed numbers sort like unsigned numbers.
        Value::Integer(n) => SortKey::Number(n.cast_unsigned() ^ 1 << 63),
        Value::Executions(n) => SortKey::Real(n.as_f64()),
        Value::Number(number) | Value::Percent(number) | Value::Bandwidth(number) => SortKey::Real(number),
        Value::Flag(flag) => SortKey::Number(flag.into()),
        Value::Range(first, last) => SortKey::Number(last.saturating_sub(first)),
        Value::Text(text) if text.is_empty() => SortKey::Absent,
        Value::Text(text) => SortKey::Text(text),
        Value::Ranked(place, ..) => SortKey::Number(place.into()),
        Value::Word(name) | Value::Labelled(_, name) => SortKey::Text(name.into()),
        _ => SortKey::Absent,
    }
}

/// Returns the sort key of a numeric value as a number.
fn order_number(value: Value<'_>) -> Option<u64> {
    match sort_key(value) {
        SortKey::Number(number) => Some(number),
        SortKey::Real(real) => Some(real_order(real)),
        SortKey::Text(_) | SortKey::Absent => None,
    }
}
