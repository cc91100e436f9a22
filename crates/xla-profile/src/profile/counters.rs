//! This module holds the values of counter events. An XSpace has them in the numeric stats of the events of lines named
//! `_counters_`, and trace JSON also has them in the arguments of events with the phase `C`.
//!
//! The rows are beside the events of a line, and only counter events have them. A capture without counters therefore has
//! no extra cost.

use super::value::Value;
use super::{StrId, Strings};
use serde::{Deserialize, Serialize};

/// The name of a line of counters.
pub const COUNTER_LINE: &str = "_counters_";

/// A number of a counter event. An event has one row for each of its numeric stats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterRow {
    /// Index of the event in its line.
    pub event: u32,
    /// Name of the stat, such as `% util`. The name of the counter is the name of the event's op.
    pub stat: StrId,
    /// The value as in the file. It is finite.
    pub value: f64,
}

/// The numbers of the current event.
#[derive(Default)]
pub(super) struct PendingCounters(Vec<(StrId, f64)>);

impl PendingCounters {
    /// Adds a stat, if it is a finite number.
    pub(super) fn set(&mut self, stat: StrId, value: Option<Value>, strings: &Strings) {
        self.add(stat, value.and_then(|value| value.number(strings)));
    }

    /// Adds a number, if it is finite.
    pub(super) fn add(&mut self, stat: StrId, value: Option<f64>) {
        self.0.extend(value.filter(|value| value.is_finite()).map(|value| (stat, value)));
    }

    /// Moves the numbers to the rows of a line. The current event has index `event` in its line.
    #[inline]
    pub(super) fn take(&mut self, rows: &mut Vec<CounterRow>, event: usize) {
        if self.0.is_empty() {
            return;
        }
        let Ok(event) = u32::try_from(event) else { return self.clear() };
        rows.extend(self.0.drain(..).map(|(stat, value)| CounterRow { event, stat, value }));
    }

    /// Drops the numbers of an event that is left out.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_finite_numbers() {
        let mut strings = Strings::default();
        let [util, text, other] = ["% util", "12", "busy"].map(|name| strings.intern(name));
        let (mut pending, mut rows) = (PendingCounters::default(), Vec::new());
        pending.take(&mut rows, 0);
        assert!(rows.is_empty());
        pending.set(util, Some(Value::Double(40.5)), &strings);
        pending.set(other, Some(Value::Double(f64::NAN)), &strings);
        pending.set(other, Some(Value::Text(text)), &strings);
        pending.set(other, Some(Value::Text(util)), &strings);
        pending.take(&mut rows, 1);
        pending.take(&mut rows, 2);
        let row = |stat, value| CounterRow { event: 1, stat, value };
        assert_eq!(rows, [row(util, 40.5), row(other, 12.0)]);
    }
}
