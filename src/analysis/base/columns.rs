//! This module declares the fields that all features share: sums by kind, statistics of durations, totals and notes.

use super::{Spread, Totals};
use crate::analysis::classify::Kind;
use crate::table::columns;
use xla_profile::profile::{Note, Severity};
use xla_profile::units::Picos;

columns! {
    /// Sums of the times by [`Kind::index`], as JSON has them.
    pub KINDS(row: [Picos; 7]) {
        /// Self time of compute.
        compute_duration_ps: Time in json csv table = sum(row, &[Kind::Compute]),
        /// Self time of data movement.
        data_move_duration_ps: Time in json csv table = sum(row, &[Kind::DataMovement]),
        /// Self time of communication, with the ops that compute and communicate at once.
        comm_duration_ps: Time in json csv table = sum(row, &[Kind::Communication, Kind::Fused]),
        /// The part of `comm_duration_ps` in ops that compute and communicate at once.
        fused_duration_ps: Time in json csv table = sum(row, &[Kind::Fused]),
        /// Self time of transfers between host and device.
        host_duration_ps: Time in json csv table = sum(row, &[Kind::Host]),
        /// Self time of other ops, and of containers such as loops.
        other_duration_ps: Time in json csv table = sum(row, &[Kind::Other, Kind::Container]),
    }

    /// The statistics of durations.
    pub SPREAD(row: Spread) {
        /// Number of durations.
        n: Count = row.n.into(),
        /// The mean.
        mean_dur_ps: Count = rounded(row.mean),
        /// The median.
        median_dur_ps: Count = rounded(row.median),
        /// The shortest.
        min_dur_ps: Time = row.min,
        /// The longest.
        max_dur_ps: Time = row.max,
        /// The standard deviation. Null for a single duration.
        std_dev_ps: Count or null = row.std_dev.map(rounded),
        /// The first quartile.
        q1_dur_ps: Count = rounded(row.quartiles[0]),
        /// The third quartile.
        q3_dur_ps: Count = rounded(row.quartiles[1]),
        /// Half the width of the 95 % confidence interval of the mean. Null for a single duration.
        interval95_ps: Count or null = row.interval().map(rounded),
    }

    /// The sums over all ops of the window.
    pub TOTALS(row: Totals) {
        /// Number of events in the window.
        n_events_total: Executions = row.n_events,
        /// Number of events without metadata.
        n_events_unresolved: Executions = row.n_unresolved,
        kinds: Fields(KINDS) in json = &row.by_kind,
        /// Inclusive time of containers, which is in no sum.
        container_duration_ps: Time = row.container_inclusive,
        /// Self time of all ops. The times by kind sum to it.
        busy_duration_ps: Time = row.busy,
        /// Time in which any op runs.
        union_ps: Time = row.union,
        /// The rest of the window.
        idle_duration_ps: Time = row.idle,
        /// Self time of each category that no rule knows.
        unknown_categories: Map(Time) in json = row.unknown_categories.iter().map(|(name, time)| (name.as_str(), *time)),
    }

    /// Notes on assumptions and on data that is missing.
    pub NOTES(row: Note) {
        /// How much the note changes: `info` nothing, `caution` a figure depends on an assumption, `partial` data is missing.
        severity: Word(Severity) in json table = row.severity,
        /// The name of the note.
        code: Word in json table = row.code.key(),
        /// The fact, and the remedy if there is one.
        message: Removed in json table = row.message.as_str(),
        /// The file, the plane or the line that the note is about. Null if it is the whole session.
        r#where: Removed or null in json table = row.place.as_deref(),
    }
}

fn sum(by_kind: &[Picos; 7], kinds: &[Kind]) -> Picos {
    kinds.iter().map(|kind| by_kind[kind.index()]).sum()
}

/// Returns a duration in whole picoseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration: positive; `as` saturates")]
pub fn rounded(ps: f64) -> u64 {
    ps.round() as u64
}
