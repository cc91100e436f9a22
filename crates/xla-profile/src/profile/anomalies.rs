//! This module counts anomalies while a capture is read: records that are unusual but not damaged. Each kind becomes
//! one note.

use super::{Note, NoteCode, Severity};
use crate::wire::xspace::StatValue;
use serde::{Deserialize, Serialize};

/// Counts of anomalies by kind.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Anomalies {
    pub(super) negative_times: u64,
    pub(super) aggregated: u64,
    pub(super) mixed_clock_lines: Vec<String>,
    pub(super) unnamed_stats: u64,
}

impl Anomalies {
    /// Converts an event time in picoseconds. A negative time becomes 0 and is counted.
    pub(super) fn clamped(&mut self, ps: i64) -> u64 {
        u64::try_from(ps).unwrap_or_else(|_| {
            self.negative_times += 1;
            0
        })
    }

    /// Like [`clamped`](Self::clamped), for a number that may exceed 64 bits.
    pub(super) fn clamped_wide(&mut self, ps: i128) -> u64 {
        self.clamped(i64::try_from(ps).unwrap_or(if ps < 0 { -1 } else { i64::MAX }))
    }

    /// Converts a stat to picoseconds; `None` if it is not a number.
    pub(super) fn picos(&mut self, value: StatValue<'_>) -> Option<u64> {
        Some(match value {
            StatValue::Uint(v) => v,
            StatValue::Int(v) => self.clamped(v),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            StatValue::Double(v) => v as u64,
            _ => return None,
        })
    }

    /// Stores that only some events of a line have a time on the device clock.
    pub(super) fn mixed_clock(&mut self, plane: &str, line: &str) {
        self.mixed_clock_lines.push(format!("{plane}, {line}"));
    }

    /// Adds the counts of planes that were read apart.
    pub(super) fn add(&mut self, other: Self) {
        let Self { negative_times, aggregated, mixed_clock_lines, unnamed_stats } = other;
        self.negative_times += negative_times;
        self.aggregated += aggregated;
        self.mixed_clock_lines.extend(mixed_clock_lines);
        self.unnamed_stats += unnamed_stats;
    }

    /// Returns one note for each kind of anomaly that was found, and one for each line with mixed clocks.
    pub(super) fn notes(self) -> Vec<Note> {
        let counted =
            |n: u64, severity, code, rest: &str| (n > 0).then(|| Note::new(severity, code, format!("{n} {rest}")));
        let mixed = "Only some events have a time on the device clock. The clock of events is used for all.";
        let counts = [
            counted(
                self.negative_times,
                Severity::Caution,
                NoteCode::NegativeTime,
                "events have a negative start or duration, which counts as 0. Samples of counters in an XSpace with a negative start are left out.",
            ),
            counted(
                self.aggregated,
                Severity::Caution,
                NoteCode::AggregatedEvents,
                "events are sums over many executions and have no position in time. They start at 0.",
            ),
            counted(
                self.unnamed_stats,
                Severity::Info,
                NoteCode::UnnamedStats,
                "stats have an id without a name and are left out.",
            ),
        ];
        let lines = self.mixed_clock_lines.into_iter();
        let lines = lines.map(|line| Note::new(Severity::Caution, NoteCode::MixedClock, mixed).with_place(line));
        counts.into_iter().flatten().chain(lines).collect()
    }
}
