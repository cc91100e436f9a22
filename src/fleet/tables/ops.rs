//! This module lists the columns of the table of ops.

use crate::analysis::base::Spread;
use crate::analysis::breakdown::Group;
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::compare::matching::OpKeys;
use crate::analysis::ledger::StepTimes;
use crate::analysis::roofline::columns::ROOF;
use crate::analysis::roofline::{RooflinePosition, Skipped};
use crate::fleet::column::{Part, part};
use crate::fleet::derive::Analysed;
use crate::session::capture::CaptureSession;
use crate::table::columns;
use indexmap::IndexMap;
use std::borrow::Cow;
use xla_profile::profile::{OpKey, ProgramId};

/// An op of a program.
pub struct OpRow {
    group: Group,
    keys: Option<OpKeys>,
    /// Self times in ps on the devices on which the op runs, in ascending order.
    by_device: Vec<u64>,
    /// Statistics of its times over the steady steps of the critical device.
    by_step: Option<Spread>,
    roof: Option<RooflinePosition>,
    skipped: Vec<Skipped>,
}

/// The columns of ops.
pub const PARTS: &[Part<OpRow>] = &[
    part!(OPS, |row| Some(row)),
    part!(GROUPS, |row| Some(&row.group)),
    part!(TIMES, |row| Some(row)),
    part!(ROOF, |row| row.roof.is_some().then_some(&row.roof)),
    part!(REASON, |row| Some(row)),
];

columns! {
    OPS(row: OpRow) {
        /// The name of the op. XLA numbers ops anew in every compilation.
        op: Name(Op) in table = &row.group.key,
        // Anonymised exports leave digests of names out, because a guessed name could be confirmed by its digest.
        /// Digest of the scope path. It is the same in all captures.
        scope_hash: Digest or null in table = row.keys.and_then(|keys| keys.scope).map(u64::cast_signed),
        /// Digest of the signature: opcode, dtypes and shapes of result and operands, groups, and opcodes inside a fusion. Null if the
        /// critical device does not run the op.
        signature_hash: Digest or null in table = row.keys.map(|keys| keys.signature.with_shapes.cast_signed()),
        /// Digest of the signature without shapes.
        signature_without_shapes_hash: Digest or null in table =
            row.keys.map(|keys| keys.signature.without_shapes.cast_signed()),
        /// Number of the ops of the program with the same two digests that first run before it.
        rank: Count or null in table = row.keys.map(|keys| keys.rank.into()),
        /// The scope path (`tf_op`).
        scope: Name(Scope) or null in table = row.group.tf_op.as_deref(),
        /// The innermost source line in the user's own code.
        source: Removed or null in table = row.group.source_inner.as_deref(),
    }

    TIMES(row: OpRow) {
        /// Self time in a step: the mean of the devices.
        self_ps: Time in table = row.group.total,
        /// Devices on which the op runs in steady steps.
        n_devices: Count in table = row.by_device.len() as u64,
        /// The shortest self time of these devices.
        self_min_ps: Bytes or null in table = row.by_device.first().copied(),
        /// The longest self time of these devices.
        self_max_ps: Bytes or null in table = row.by_device.last().copied(),
        /// First quartile of its time over the steady steps of the critical device.
        step_q1_ps: Number or null in table = row.by_step.map(|spread| spread.quartiles[0]),
        /// The median over these steps.
        step_median_ps: Number or null in table = row.by_step.map(|spread| spread.median),
        /// The third quartile.
        step_q3_ps: Number or null in table = row.by_step.map(|spread| spread.quartiles[1]),
        /// FLOPs of all executions of a step.
        flops: Number or null in table = row.group.flops,
        /// Bytes that these access.
        bytes: Number or null in table = row.group.bytes_accessed,
    }

    REASON(row: OpRow) {
        /// Why compute has no roofline time.
        no_roofline: Word or null in table = row.skipped.first().map(|skipped| skipped.reason.key()),
    }
}

/// A program and the name of an op.
type Named<'a> = (Option<u64>, Cow<'a, str>);

/// Returns the ops of all programs, by their digests, so that like ops of many captures lie at like places.
pub fn rows<'a>(session: &'a CaptureSession, analysed: &'a Analysed) -> impl Iterator<Item = OpRow> + use<'a> {
    let CaptureSession { profile, analysis, .. } = session;
    let named = |(program, name): OpKey| -> Named<'a> { (program.map(|ProgramId(id)| id), profile.text(name).into()) };
    let by_device: IndexMap<Named<'a>, &Vec<u64>> =
        analysed.by_device.iter().map(|(key, times)| (named(*key), times)).collect();
    let mut of_critical: IndexMap<Named<'a>, (OpKeys, Option<Spread>)> = IndexMap::default();
    if let Some(critical) = &analysed.critical {
        let by_op = &critical.derived.by_op;
        let plane = &profile.planes[analysis.devices[by_op.ledger.device].plane];
        for (index, keys) in critical.programs.iter().flat_map(|program| &program.ops) {
            let Some(owned) = by_op.ops.get(*index) else { continue };
            let times = critical.op_steps.times(plane, owned.op).filter(|_| critical.derived.overview.has_steps);
            let spread = |times: &StepTimes| {
                let times = times.times.iter().map(|(_, time)| xla_profile::units::Picos(*time)).collect();
                Spread::with_zeros(times, critical.op_steps.steps.len())
            };
            of_critical.insert(named(plane.op(owned.op).key()), (*keys, times.and_then(spread)));
        }
    }
    let roofline = &analysed.roofline;
    let view = roofline.view(profile, analysis);
    let mut points: IndexMap<Named<'a>, u32> = IndexMap::default();
    for row in 0..roofline.n_rows() as u32 {
        let index = row as usize;
        let name = view.key(index).into_owned().into();
        points.insert((view.row(index).program.flatten().map(|id| id.0), name), row);
    }
    let name = |group: &'a Group| -> Named<'a> { (group.program_id, group.key.as_str().into()) };
    let mut groups: Vec<&'a Group> = analysed.breakdown.groups.iter().collect();
    groups.sort_by_cached_key(|group| {
        let keys = of_critical.get(&name(group)).map(|(keys, _)| keys);
        (keys.map(|keys| (keys.signature.with_shapes, keys.scope, keys.rank)), name(group))
    });
    groups.into_iter().map(move |group| {
        let name = name(group);
        let (keys, by_step) = of_critical.get(&name).copied().unzip();
        let mut times = by_device.get(&name).copied().cloned().unwrap_or_default();
        times.sort_unstable();
        let point = points.get(&name).copied();
        OpRow {
            keys,
            by_device: times,
            by_step: by_step.flatten(),
            roof: point.and_then(|point| roofline.roof(point)),
            skipped: point.map_or_else(Vec::new, |point| roofline.skipped(point).to_vec()),
            group: group.clone(),
        }
    })
}
