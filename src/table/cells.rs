//! This module writes the values of a column as cells and texts in the unit of the column, and as exact values for
//! tooltips.

use super::format::{self, TimeUnit};
use super::page::{Cell, Head, Mark, Name, STRETCH};
use super::shown::{Format, Shown};
use super::{Column, MIXED, Value};
use std::borrow::Cow;
use std::cmp::Ordering;
use xla_profile::units::Picos;

/// A column on the page, with the values that all its cells share.
pub(super) struct ReadyColumn<'t, R: 'static> {
    pub(super) shown: &'t Shown,
    pub(super) column: &'static Column<R>,
    pub(super) head: &'static str,
    /// Largest number of the column that sets the unit.
    pub(super) largest: f64,
    /// Peak of the hardware. Larger numbers are marked. `None` if there is no peak.
    pub(super) peak: Option<f64>,
    /// Index of the tooltip of the cells among the tooltips of a row.
    pub(super) tip: usize,
}

/// The values besides its row on which a cell depends.
#[derive(Clone, Copy, Default)]
pub(super) struct CellContext {
    /// The number to which shares and ranges refer.
    pub(super) whole: Option<f64>,
    /// Running sum up to this row and including it, for a cumulative column.
    pub(super) sum: f64,
}

impl<'t, R> ReadyColumn<'t, R> {
    /// Returns the column header. Its width has room for the largest count and for the total.
    pub(super) fn head(&self, total: Option<&str>) -> Head {
        let shown = self.shown;
        let widest = match shown.format {
            Format::Count => format::count(self.largest as u64).len(),
            Format::Time | Format::Difference => {
                let largest = format::time(picos(self.largest), self.time_unit()).len();
                largest.max(total.map_or(0, |total| total.len() + 1))
            }
            _ => 0,
        };
        Head {
            id: shown.id.to_owned(),
            head: self.head.to_owned(),
            unit: self.unit().to_owned(),
            numeric: shown.format.is_numeric(),
            digits: (shown.digits > 0).then_some(shown.digits.max(widest as u32)),
            stretches: shown.stretches,
            longest: None,
            sort: shown.format.is_sortable().then_some(shown.format.is_numeric()),
            priority: shown.priority,
            visibility: shown.visibility,
            about: shown.about.to_owned(),
            tip: self.tip,
        }
    }

    /// Returns the cell of a value. `mark` returns the swatch of the row.
    #[expect(clippy::cast_precision_loss, reason = "a place on the screen")]
    pub(super) fn cell(&self, value: &Value<'_>, mark: impl FnOnce() -> Option<Mark>, around: CellContext) -> Cell {
        let width = self.shown.digits * if self.shown.stretches { STRETCH } else { 1 };
        let width = width as usize;
        let whole = around.whole;
        let Some(text) = self.written(value, around) else { return Cell::Absent };
        match (self.shown.format, value) {
            (Format::Name, _) => Cell::Name(Name { text, mono: true, ..Name::default() }),
            (Format::Text, _) => Cell::Text(format::middle_cut(&text, width)),
            (Format::Soft | Format::Path, _) => Cell::Soft(format::middle_cut(&text, width)),
            (Format::Mono, _) => Cell::Mono(format::middle_cut(&text, width)),
            (Format::Marked, _) => match mark() {
                Some(mark) => Cell::Marked(mark, text),
                None => Cell::Text(text),
            },
            (Format::Count | Format::Cumulative, _) => Cell::Soft(text),
            (Format::Range, Value::Range(first, last)) => {
                let part = |point: u64| fraction(point as f64, whole.unwrap_or_default());
                Cell::Range(part(*first), part(*last), text)
            }
            (Format::Parts, Value::List(parts)) => {
                let part =
                    |index: usize| parts.get(index).and_then(number).map_or(0.0, |part| fraction(part, self.largest));
                Cell::Gap(part(0), part(1), text)
            }
            (Format::Kinds, Value::List(kinds)) => {
                let kinds: Vec<_> = kinds.iter().filter_map(kind_time).collect();
                let whole = kinds.iter().filter_map(|(.., time)| number(time)).sum();
                let part = |(class, _, time): &(&str, &str, &Value<'_>)| {
                    Some(((*class).to_owned(), fraction(number(time)?, whole)))
                };
                Cell::Kinds(kinds.iter().filter_map(part).collect(), text)
            }
            (Format::Difference, Value::Difference(difference)) => {
                Cell::Difference { text, is_real: difference.is_real }
            }
            (Format::DifferenceBar, Value::Difference(difference)) => {
                let share = fraction(difference.ps.unsigned_abs() as f64, self.largest);
                Cell::DifferenceBar {
                    share: if difference.ps < 0 { -share } else { share },
                    text,
                    is_real: difference.is_real,
                }
            }
            (format, value) => match (format, number(value)) {
                (Format::Share, Some(number)) => Cell::Bar(fraction(number, self.largest), text),
                (Format::FractionBar, Some(number)) => Cell::Bar(number.clamp(0.0, 1.0), text),
                (Format::OfPeak, Some(number)) if number > 1.0 => Cell::Above(text),
                (_, Some(number)) if self.peak.is_some_and(|peak| number > peak) => Cell::Above(text),
                _ => Cell::Text(text),
            },
        }
    }

    /// Returns the whole text of a cell.
    pub(super) fn text(&self, row: &R, around: CellContext) -> Option<String> {
        self.written(&(self.column.value)(row), around)
    }

    /// Writes a value in the unit of the column. `None` if the value is absent.
    pub(super) fn written(&self, value: &Value<'_>, around: CellContext) -> Option<String> {
        let percent = |part: f64| Some(format::percent(part / around.whole.filter(|whole| *whole > 0.0)?));
        Some(match (self.shown.format, value) {
            (Format::Share, value) => return percent(number(value)?),
            (Format::Cumulative, _) => return percent(around.sum),
            (Format::Path, Value::Text(path)) => format::last_segment(path).to_owned(),
            (Format::Parts, Value::List(parts)) => return parts.first().and_then(exact_short),
            (Format::Kinds, Value::List(kinds)) => {
                let kind_text =
                    |(_, label, time): (&str, &str, &Value<'_>)| Some(format!("{label} {}", exact_short(time)?));
                kinds.iter().filter_map(kind_time).filter_map(kind_text).collect::<Vec<_>>().join(", ")
            }
            (Format::DifferenceShare, Value::Difference(difference)) => {
                let whole = around.whole.filter(|whole| *whole > 0.0)?;
                format::signed_percent(difference.ps as f64 / whole)
            }
            (Format::Change, Value::Number(change)) => format::signed_percent(*change),
            (_, Value::Difference(difference)) => format::signed_time(difference.ps, self.time_unit()),
            (_, Value::Time(time)) => format::time(*time, self.time_unit()),
            (Format::Mib, Value::Bytes(n)) => format::mib(*n),
            (Format::Tflops, Value::Number(rate)) => format::tflops(*rate),
            (Format::Intensity, Value::Number(intensity)) => format::short_intensity(*intensity),
            (_, Value::Bandwidth(rate)) => format::gbs(*rate),
            (_, Value::Number(fraction) | Value::Percent(fraction)) => format::percent(*fraction),
            (_, value) => return plain(value),
        })
    }

    /// Returns the unit of the column's times.
    fn time_unit(&self) -> TimeUnit {
        TimeUnit::for_largest(picos(self.largest))
    }

    fn unit(&self) -> &'static str {
        match self.shown.format {
            Format::Time | Format::Difference => self.time_unit().symbol(),
            Format::Mib => "MiB",
            Format::Share
            | Format::FractionBar
            | Format::OfPeak
            | Format::Percent
            | Format::Cumulative
            | Format::DifferenceShare
            | Format::Change => "%",
            Format::Gbps => "GB/s",
            Format::Name
            | Format::Text
            | Format::Soft
            | Format::Mono
            | Format::Path
            | Format::Marked
            | Format::Range
            | Format::Parts
            | Format::Kinds
            | Format::DifferenceBar
            | Format::Count
            | Format::Tflops
            | Format::Intensity => "",
        }
    }
}

/// Returns the class, the label and the time of a kind in a cell of [`Format::Kinds`].
fn kind_time<'v>(value: &'v Value<'_>) -> Option<(&'static str, &'static str, &'v Value<'v>)> {
    let Value::List(pair) = value else { return None };
    let [Value::Labelled(class, label), time] = pair.as_slice() else { return None };
    Some((class, label, time))
}

/// Returns a value as a number, for bars and units.
#[expect(clippy::cast_precision_loss, reason = "bars and units need a few digits")]
pub(super) fn number(value: &Value<'_>) -> Option<f64> {
    Some(match value {
        Value::Time(time) => time.as_f64(),
        Value::Count(n) | Value::Bytes(n) => *n as f64,
        Value::Executions(n) => n.as_f64(),
        Value::Difference(difference) => difference.ps.unsigned_abs() as f64,
        Value::Number(number) | Value::Percent(number) | Value::Bandwidth(number) => *number,
        _ => return None,
    })
}

/// Writes a value with all its digits and its unit. `None` if the value is absent.
pub(super) fn exact(value: &Value<'_>) -> Option<String> {
    Some(match value {
        Value::Time(time) => format::exact_time(*time),
        Value::Number(number) => format::quantity(*number),
        Value::Percent(fraction) => format::percent_text(*fraction),
        Value::Bandwidth(rate) => format!("{} GB/s", format::gbs(*rate)),
        Value::Bytes(n) => format::exact_bytes(*n),
        value => return plain(value),
    })
}

/// Writes a time with its unit and few digits. Other values are written by [`exact`].
fn exact_short(value: &Value<'_>) -> Option<String> {
    if let Value::Time(time) = value { Some(format::time_text(*time)) } else { exact(value) }
}

/// Writes a value that needs no unit.
fn plain(value: &Value<'_>) -> Option<String> {
    let text = match value {
        Value::Count(n) | Value::Bytes(n) => format::count(*n),
        Value::Executions(n) => format::executions(*n),
        Value::Integer(n) => n.to_string(),
        Value::Difference(difference) => {
            format!("{}{}", format::sign(difference.ps as f64), format::exact_time(Picos(difference.ps.unsigned_abs())))
        }
        Value::Id(id) => id.to_string(),
        Value::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::Text(text) => text.clone().into_owned(),
        Value::Word(name) | Value::Labelled(_, name) | Value::Ranked(_, _, name) => (*name).to_owned(),
        Value::Mixed(_) => MIXED.to_owned(),
        Value::Range(first, last) => format!("{} to {}", format::count(*first), format::count(*last)),
        Value::Record(fields) => {
            let field = |(name, value): &(Cow<'_, str>, Value<'_>)| Some(format!("{name} {}", exact_short(value)?));
            fields.iter().filter_map(field).collect::<Vec<_>>().join(", ")
        }
        Value::List(values) => values.iter().filter_map(exact).collect::<Vec<_>>().join(", "),
        Value::Rows(rows) => {
            let mut texts = Vec::new();
            rows.for_each(&mut |row| texts.extend(exact(&row)));
            texts.join(", ")
        }
        _ => String::new(),
    };
    (!text.is_empty()).then_some(text)
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
