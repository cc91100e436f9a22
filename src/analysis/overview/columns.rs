//! This module declares the columns of findings in CSV.

use super::{Finding, Overview};
use crate::table::Column;
use crate::table::Value::{self, Bytes, Count, Percent, Time, Word};

/// A finding, with the group that it is listed in.
pub struct FindingRow {
    /// "time", "option", "memory" or "quality".
    pub group: &'static str,
    /// Its place in the group, from 1.
    pub rank: u64,
    pub finding: Finding,
}

/// The columns of findings, with the names of the JSON. Lists are left out: of the ops, the first one is named.
pub const FINDINGS: &[Column<FindingRow>] = &[
    Column::new("group", |row| Word(row.group)),
    Column::new("rank", |row| Count(row.rank)),
    Column::new("id", |row| Value::text(&row.finding.id)),
    Column::new("title", |row| Value::text(&row.finding.title)),
    Column::new("recoverable_ps", |row| Time(row.finding.recoverable)),
    Column::new("at_stake_ps", |row| Time(row.finding.at_stake)),
    Column::new("claimed_ps", |row| Time(row.finding.claimed)),
    Column::new("per_capture_ps", |row| Value::maybe(row.finding.per_capture, Time)),
    Column::new("pct_of_period", |row| Percent(row.finding.share)),
    Column::new("stake_bytes", |row| Value::maybe(row.finding.bytes, Bytes)),
    Column::new("severity", |row| Word(row.finding.severity.key())),
    Column::new("confidence", |row| Word(row.finding.confidence.key())),
    Column::new("confidence_reason", |row| Value::text(&row.finding.reason)),
    Column::new("detail", |row| Value::text(&row.finding.detail)),
    Column::new("op", |row| Value::maybe_text(row.finding.evidence.ops.first().map(|op| &*op.name))),
    Column::new("n_ops", |row| Count(row.finding.evidence.n_ops.into())),
    Column::new("worked_if", |row| Value::text(&row.finding.worked_if)),
];

impl Overview {
    /// Returns all findings, group by group.
    pub fn finding_rows(&self) -> Vec<FindingRow> {
        let groups =
            [("time", &self.findings), ("option", &self.options), ("memory", &self.memory), ("quality", &self.quality)];
        let of_group = |(group, findings): (&'static str, &Vec<Finding>)| {
            let row = |(rank, finding): (u64, &Finding)| FindingRow { group, rank, finding: finding.clone() };
            (1..).zip(findings).map(row).collect::<Vec<FindingRow>>()
        };
        groups.into_iter().flat_map(of_group).collect()
    }
}
