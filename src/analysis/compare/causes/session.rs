//! This module lists what is certain of the whole and changes many ops: properties of the sessions, such as another batch, and
//! changes of whole programs, such as another type of the weights or more layers.

use super::compared::Compared;
use super::evidence::executions;
use super::report::{Cause, CauseKind};
use super::work_rows::{WorkRow, WorkRows};
use crate::analysis::compare::report::Parity;
use crate::analysis::compare::rows::Pairs;
use crate::analysis::compare::sections::Property;
use indexmap::IndexMap;
use std::cmp::Reverse;

/// The properties of a session that change each op, the strongest first.
const PROPERTIES: [&str; 4] = ["device_type", "n_devices", "batch", "parameters"];

/// Another type is a change of the whole if at least one op of this number has it, of the ops that both sides have.
const OPS_PER_TYPE: u32 = 10;

/// Returns the properties in which the sessions differ.
pub(super) fn session_causes(pairs: &Pairs<'_, '_, '_>, compared: &Compared<'_>) -> Vec<Cause> {
    let cause = |key: &&str| {
        let is_this = |parity: &&Parity| parity.key == **key;
        let property = compared.parity.iter().find(is_this).filter(|parity| parity.is_equal == Some(false))?;
        Some(Cause {
            kind: CauseKind::Session,
            label: property.label.clone(),
            a: property.a.clone()?,
            b: property.b.clone()?,
            n_ops_a: pairs.a.ops.len() as u32,
            n_ops_b: pairs.b.ops.len() as u32,
            a_ps: compared.times.0,
            b_ps: compared.times.1,
            delta_ps: compared.delta_ps,
        })
    };
    PROPERTIES.iter().filter_map(cause).collect()
}

/// Returns the changes of programs that many ops share: their type, and a number of executions that explains the difference.
pub(super) fn program_causes(work: &WorkRows<'_>, compared: &Compared<'_>) -> Vec<Cause> {
    let rows: Vec<&WorkRow<'_>> = work.rows.iter().collect();
    let explains = |cause: &Cause| compared.explaining_share(cause.delta_ps).is_some();
    let executions = work.is_per_step.then(|| executions(&rows)).flatten().filter(explains);
    dtype(&rows).into_iter().chain(executions).collect()
}

/// Returns the change of type that most ops share. `None` if few ops of both sides share one.
fn dtype(rows: &[&WorkRow<'_>]) -> Option<Cause> {
    let mut changes: IndexMap<(&str, &str), Cause> = IndexMap::default();
    let mut n_ops = 0_u32;
    for row in rows.iter().filter(|row| !row.a.is_empty() && !row.b.is_empty()) {
        n_ops = n_ops.saturating_add(row.b.len() as u32);
        if let Some(types) = row.change(Property::Dtype) {
            changes.entry(types).or_insert_with(|| Cause::new(CauseKind::Dtype)).add_row(row);
        }
    }
    let ((a, b), cause) = changes.into_iter().min_by_key(|(_, cause)| Reverse(cause.n_ops_b))?;
    let is_shared = cause.n_ops_b.saturating_mul(OPS_PER_TYPE) >= n_ops;
    is_shared.then(|| Cause { a: a.to_owned(), b: b.to_owned(), ..cause })
}
