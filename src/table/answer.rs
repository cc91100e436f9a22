//! The rows of a table as the page asks for them: filtered, sorted, and written as cells; and as text for the clipboard.

use super::copy::{CopyForm, markdown, tsv};
use super::filter::{FilterField, TextMatcher};
use super::format::{self, TimeUnit};
use super::order::{SortKey, ranks_of_order, sort_rows};
use super::page::{Cell, Head, PageQuery, Row, SortBy, TablePage};
use super::shown::{Format, Shown, Table, TipLine};
use super::{Column, Value};
use crate::units::Picos;
use std::cmp::Ordering;

/// A column on the page, with what all of its cells share.
struct Ready<'t, R: 'static> {
    shown: &'t Shown,
    column: &'static Column<R>,
    head: &'static str,
    /// The unit of its times.
    unit: TimeUnit,
    /// The largest number of the column that it has its unit of.
    largest: f64,
}

/// A table with its rows, ready to be asked.
pub struct TableRows<'r, R: 'static> {
    table: &'r Table<R>,
    rows: &'r [R],
    whole: Option<f64>,
    /// Rows that the table once had and that a report left out.
    more: u32,
    columns: Vec<Ready<'r, R>>,
}

impl<'r, R> TableRows<'r, R> {
    /// A table of these rows. `head` gives the heading of a column in this table, or `None` to leave the column out. `whole`: the
    /// duration that shares are of, such as that of the step.
    pub fn new(
        table: &'r Table<R>,
        rows: &'r [R],
        whole: Option<Picos>,
        head: impl Fn(&Shown) -> Option<&'static str>,
    ) -> Self {
        let find = |id: &str| table.columns.iter().find(|column| column.id == id);
        let largest = |column: &Column<R>| {
            let numbers = rows.iter().filter_map(|row| number(&(column.value)(row)));
            numbers.max_by(f64::total_cmp).unwrap_or(0.0)
        };
        let ready = |shown: &'r Shown| {
            let (head, column) = (head(shown)?, find(shown.id)?);
            let largest =
                if shown.format.is_numeric() { largest(find(shown.scale_of()).unwrap_or(column)) } else { 0.0 };
            Some(Ready { shown, column, head, unit: TimeUnit::for_largest(picos(largest)), largest })
        };
        let columns = table.shown.iter().filter_map(ready).collect();
        Self { table, rows, whole: whole.map(Picos::as_f64), more: 0, columns }
    }

    /// The same where a report left out so many rows.
    #[must_use]
    pub fn with_more(mut self, more: u32) -> Self {
        self.more = more;
        self
    }

    /// Some rows as cells.
    pub fn page(&self, query: &PageQuery, filter: &TextMatcher) -> TablePage {
        let sort = self.sort(query);
        let order = self.order(&sort, filter);
        let end = query.first.saturating_add(query.count) as usize;
        let part: Vec<&R> = order.iter().take(end).skip(query.first as usize).map(|row| &self.rows[*row]).collect();
        TablePage {
            columns: self.columns.iter().map(|column| self.head(column)).collect(),
            n_rows: order.len() as u32,
            first: query.first,
            rows: part.iter().map(|row| self.row(row)).collect(),
            totals: self.totals(&order),
            sort,
        }
    }

    /// Rows as text, with these columns: all that pass the filter, or those of these keys. Second: how many rows.
    pub fn copy(
        &self,
        (query, filter): (&PageQuery, &TextMatcher),
        columns: &[String],
        keys: Option<&[String]>,
        form: CopyForm,
    ) -> (String, u32) {
        let chosen = columns.iter().filter_map(|id| self.columns.iter().find(|column| column.shown.id == *id));
        let chosen: Vec<&Ready<'_, R>> = chosen.collect();
        let order = self.order(&self.sort(query), filter).into_iter().map(|row| &self.rows[row]);
        let is_meant = |row: &&R| keys.is_none_or(|keys| keys.contains(&(self.table.key)(row)));
        let rows: Vec<Vec<String>> = order
            .filter(is_meant)
            .map(|row| {
                chosen.iter().map(|column| self.text(column, row).unwrap_or(format::ABSENT.to_owned())).collect()
            })
            .collect();
        let heads: Vec<Head> = chosen.iter().map(|column| self.head(column)).collect();
        let n = rows.len() as u32;
        let text = if form == CopyForm::Tsv { tsv(&heads, &rows) } else { markdown(&heads, &rows) };
        (text, n)
    }

    /// The order that is asked for, where the table has such a column.
    fn sort(&self, query: &PageQuery) -> SortBy {
        let known = |sort: &&SortBy| self.columns.iter().any(|column| column.shown.id == sort.column);
        query.sort.as_ref().filter(known).cloned().unwrap_or_else(|| SortBy::new(self.table.usual, true))
    }

    /// Numbers of the rows that pass, in an order. Ties go by name.
    fn order(&self, sort: &SortBy, filter: &TextMatcher) -> Vec<usize> {
        let rows: Vec<usize> = (0..self.rows.len()).filter(|row| self.passes(&self.rows[*row], filter)).collect();
        let Some(by) = self.table.columns.iter().find(|column| column.id == sort.column) else { return rows };
        let keys: Vec<SortKey<'_>> = rows.iter().map(|row| sort_key((by.value)(&self.rows[*row]))).collect();
        let ranks = self.name_ranks(&rows);
        sort_rows(&keys, &ranks, sort.descending).into_iter().map(|row| rows[row as usize]).collect()
    }

    fn name_ranks(&self, rows: &[usize]) -> Vec<u32> {
        let Some(name) = self.table.shown.first() else { return (0..rows.len() as u32).collect() };
        let Some(column) = self.table.columns.iter().find(|column| column.id == name.id) else { return Vec::new() };
        let keys: Vec<SortKey<'_>> = rows.iter().map(|row| sort_key((column.value)(&self.rows[*row]))).collect();
        let places: Vec<u32> = (0..rows.len() as u32).collect();
        let order = sort_rows(&keys, &places, false);
        ranks_of_order(order.into_iter().map(|row| row as usize))
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
            _ => false,
        })
    }

    fn head(&self, column: &Ready<'_, R>) -> Head {
        let shown = column.shown;
        let widest = match shown.format {
            Format::Count => format::count(column.largest as u64).len() as u32,
            _ => 0,
        };
        Head {
            id: shown.id.to_owned(),
            head: column.head.to_owned(),
            unit: unit(column).to_owned(),
            numeric: shown.format.is_numeric(),
            digits: (shown.digits > 0).then_some(shown.digits.max(widest)),
            sort: Some(shown.format.is_numeric()),
            priority: shown.priority,
        }
    }

    fn row(&self, row: &R) -> Row {
        Row {
            key: (self.table.key)(row),
            title: self.columns.first().and_then(|column| self.text(column, row)).unwrap_or_default(),
            cells: self.columns.iter().map(|column| self.cell(column, row)).collect(),
            tip: self.table.tip(row),
            opens: (self.table.opens)(row),
        }
    }

    fn cell(&self, column: &Ready<'_, R>, row: &R) -> Cell {
        let width = column.shown.digits as usize;
        if column.shown.format == Format::Name {
            return Cell::Name((self.table.name)(row));
        }
        let value = (column.column.value)(row);
        let Some(text) = self.written(&value, column) else { return Cell::Absent };
        match (&column.shown.format, number(&value)) {
            (Format::Text, _) => Cell::Text(format::middle_cut(&text, width)),
            (Format::Soft, _) => Cell::Soft(format::middle_cut(&text, width)),
            (Format::Mono, _) => Cell::Mono(format::middle_cut(&text, width)),
            (Format::Share, Some(number)) => Cell::Bar(fraction(number, column.largest), text),
            (Format::FractionBar, Some(number)) => Cell::Bar(number.clamp(0.0, 1.0), text),
            (Format::OfPeak, Some(number)) if number > 1.0 => Cell::Above(text),
            _ => Cell::Text(text),
        }
    }

    /// The whole text of a cell.
    fn text(&self, column: &Ready<'_, R>, row: &R) -> Option<String> {
        self.written(&(column.column.value)(row), column)
    }

    /// A value in the unit of its column; `None` where there is none.
    fn written(&self, value: &Value<'_>, column: &Ready<'_, R>) -> Option<String> {
        Some(match (&column.shown.format, value) {
            (Format::Share, value) => format::percent(number(value)? / self.whole.filter(|whole| *whole > 0.0)?),
            (_, Value::Time(time)) => format::time(*time, column.unit),
            (Format::Mib, Value::Count(n)) => format::mib(*n),
            (_, Value::Bandwidth(rate)) => format::gbs(*rate),
            (_, Value::Number(fraction) | Value::Percent(fraction)) => format::percent(*fraction),
            (_, value) => return plain(value),
        })
    }

    fn totals(&self, order: &[usize]) -> Vec<(String, String)> {
        let (one, several) = self.table.nouns;
        let (n, all) = (order.len() as u64, self.rows.len() as u64 + u64::from(self.more));
        let counted = format::counted(all, one, several);
        let name = if n == all { counted } else { format!("{} of {counted}", format::count(n)) };
        let sum = |column: &Ready<'_, R>| {
            let values = order.iter().map(|row| (column.column.value)(&self.rows[*row]));
            let sum = values.filter(|value| *value != Value::Absent).reduce(|a, b| added(&a, &b))?;
            Some((column.shown.id.to_owned(), self.written(&sum, column)?))
        };
        let first = self.columns.first().map(|column| (column.shown.id.to_owned(), name));
        first.into_iter().chain(self.columns.iter().filter(|column| column.shown.has_total).filter_map(sum)).collect()
    }
}

impl<R> Table<R> {
    /// The labels and exact values of a row's tooltip.
    pub fn tip(&self, row: &R) -> Vec<(String, String)> {
        let line = |line: &TipLine| {
            let column = self.columns.iter().find(|column| column.id == line.id)?;
            let text = exact(&(column.value)(row))?;
            let text = if line.unit.is_empty() { text } else { format!("{text} {}", line.unit) };
            Some((line.label.to_owned(), text))
        };
        self.tips.iter().filter_map(line).collect()
    }
}

fn unit<R>(column: &Ready<'_, R>) -> &'static str {
    match column.shown.format {
        Format::Name | Format::Text | Format::Soft | Format::Mono | Format::Count => "",
        Format::Time => column.unit.symbol(),
        Format::Mib => "MiB",
        Format::Share | Format::FractionBar | Format::OfPeak => "%",
        Format::Gbps => "GB/s",
    }
}

/// The key that a value is sorted by.
fn sort_key(value: Value<'_>) -> SortKey<'_> {
    match value {
        Value::Time(time) => SortKey::Number(time.0),
        Value::Count(n) | Value::Id(n) => SortKey::Number(n),
        // The order of signed numbers, as unsigned ones.
        Value::Integer(n) => SortKey::Number(n.cast_unsigned() ^ 1 << 63),
        Value::Number(number) | Value::Percent(number) | Value::Bandwidth(number) => SortKey::Real(number),
        Value::Flag(flag) => SortKey::Number(flag.into()),
        Value::Text(text) if text.is_empty() => SortKey::Absent,
        Value::Text(text) => SortKey::Text(text),
        Value::Word(name) => SortKey::Text(name.into()),
        Value::Absent | Value::List(_) | Value::Record(_) => SortKey::Absent,
    }
}

/// A value as a number, for bars and units.
#[expect(clippy::cast_precision_loss, reason = "bars and units need a few digits")]
fn number(value: &Value<'_>) -> Option<f64> {
    Some(match value {
        Value::Time(time) => time.as_f64(),
        Value::Count(n) => *n as f64,
        Value::Number(number) | Value::Percent(number) | Value::Bandwidth(number) => *number,
        _ => return None,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the largest time of a column; `as` saturates"
)]
fn picos(largest: f64) -> Picos {
    Picos(largest as u64)
}

fn fraction(part: f64, whole: f64) -> f64 {
    if whole.partial_cmp(&0.0) == Some(Ordering::Greater) { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// The sum of two values of a column.
fn added(a: &Value<'_>, b: &Value<'_>) -> Value<'static> {
    match (a, b) {
        (Value::Time(a), Value::Time(b)) => Value::Time(*a + *b),
        (Value::Count(a), Value::Count(b)) => Value::Count(a.saturating_add(*b)),
        (Value::Percent(a), Value::Percent(b)) => Value::Percent(a + b),
        (Value::Number(a), Value::Number(b)) => Value::Number(a + b),
        _ => Value::Absent,
    }
}

/// A value with all of its digits and its unit; `None` where there is none.
fn exact(value: &Value<'_>) -> Option<String> {
    Some(match value {
        Value::Time(time) => format::exact_time(*time),
        Value::Number(number) => format::quantity(*number),
        Value::Percent(fraction) => format::percent_text(*fraction),
        Value::Bandwidth(rate) => format!("{} GB/s", format::gbs(*rate)),
        value => return plain(value),
    })
}

/// The text of a value that needs no unit.
fn plain(value: &Value<'_>) -> Option<String> {
    let text = match value {
        Value::Count(n) => format::count(*n),
        Value::Integer(n) => n.to_string(),
        Value::Id(id) => id.to_string(),
        Value::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::Text(text) => text.clone().into_owned(),
        Value::Word(name) => (*name).to_owned(),
        Value::List(values) => values.iter().filter_map(exact).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    (!text.is_empty()).then_some(text)
}
