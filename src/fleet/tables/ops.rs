//! This module declares the table of ops.

use crate::analysis::base::Spread;
use crate::analysis::breakdown::Group;
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::compare::matching::OpKeys;
use crate::analysis::ledger::StepTimes;
use crate::analysis::roofline::columns::ROOF;
use crate::analysis::roofline::{RooflinePosition, Skipped};
use crate::fleet::column::{ColumnType, FleetColumn, INTEGER, PROGRAM_ID, Privacy, REMOVED, TEXT, name, of_view};
use crate::fleet::derive::Analysed;
use crate::profile::{OpKey, ProgramId};
use crate::session::capture::CaptureSession;
use crate::share::NameKind;
use crate::table::Value::{self, Absent, Bytes, Count, Integer, Word};
use indexmap::IndexMap;
use std::borrow::Cow;

const REAL: ColumnType = ColumnType::Real;
/// A digest of names. Anonymised exports leave it out, because a guessed name could be confirmed by its digest.
const DIGEST: ColumnType = ColumnType::Integer(Privacy::Removed);

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

macro_rules! group {
    ($id:literal, $kind:expr, $about:literal) => {
        FleetColumn::new($id, $kind, $about, |row: &OpRow| of_view(GROUPS, $id, &row.group))
    };
}

macro_rules! roof {
    ($id:literal, $kind:expr, $about:literal) => {
        FleetColumn::new($id, $kind, $about, |row: &OpRow| of_roof($id, row))
    };
}

/// The columns of ops.
pub const OPS: &[FleetColumn<OpRow>] = &[
    group!("program", name(NameKind::Program), "The program."),
    group!("program_id", PROGRAM_ID, "Its id in the capture, as decimal digits."),
    FleetColumn::new(
        "op",
        name(NameKind::Op),
        "The name of the op. XLA numbers ops anew in every compilation.",
        |row| Value::text(&row.group.key),
    ),
    FleetColumn::new("scope_hash", DIGEST, "Digest of the scope path. It is the same in all captures.", |row| {
        Value::maybe(row.keys.and_then(|keys| keys.scope), |digest| Integer(digest.cast_signed()))
    }),
    FleetColumn::new(
        "signature_hash",
        DIGEST,
        "Digest of the signature: opcode, dtypes and shapes of result and operands, groups, and opcodes inside a fusion. It is null if \
         the critical device does not run the op.",
        |row| Value::maybe(row.keys, |keys| Integer(keys.signature.with_shapes.cast_signed())),
    ),
    FleetColumn::new("signature_without_shapes_hash", DIGEST, "Digest of the signature without shapes.", |row| {
        Value::maybe(row.keys, |keys| Integer(keys.signature.without_shapes.cast_signed()))
    }),
    FleetColumn::new(
        "rank",
        INTEGER,
        "Number of the ops of the program with the same two digests that first run before it.",
        |row| Value::maybe(row.keys, |keys| Count(keys.rank.into())),
    ),
    FleetColumn::new("scope", name(NameKind::Scope), "The scope path (`tf_op`).", |row| {
        of_view(GROUPS, "tf_op", &row.group)
    }),
    FleetColumn::new("source", REMOVED, "The innermost source line in the user's own code.", |row| {
        of_view(GROUPS, "source_inner", &row.group)
    }),
    group!("kind", TEXT, "The kind of time: `compute`, `comm`, `data_move`, …"),
    group!("hlo_category", name(NameKind::Category), "The category that the compiler gives."),
    group!("op_group", TEXT, "The group of work, such as `matmul`."),
    group!("phase", TEXT, "The phase of training."),
    group!("layer", name(NameKind::Scope), "The layer of the model."),
    group!("dtype", TEXT, "The element type of the result."),
    group!("shape", name(NameKind::Shape), "The shape of the result."),
    group!("kernel", name(NameKind::Op), "The kernel of a GPU, if its name differs from that of the op."),
    group!("n_executions", REAL, "Executions in a step. A mean may be a fraction."),
    FleetColumn::new("self_ps", INTEGER, "Self time in a step: the mean of the devices.", |row| {
        of_view(GROUPS, "total_dur_ps", &row.group)
    }),
    FleetColumn::new("n_devices", INTEGER, "Devices on which the op runs in steady steps.", |row| {
        Count(row.by_device.len() as u64)
    }),
    FleetColumn::new("self_min_ps", INTEGER, "The shortest self time of these devices.", |row| {
        Value::maybe(row.by_device.first().copied(), Bytes)
    }),
    FleetColumn::new("self_max_ps", INTEGER, "The longest self time of these devices.", |row| {
        Value::maybe(row.by_device.last().copied(), Bytes)
    }),
    FleetColumn::new(
        "step_q1_ps",
        REAL,
        "First quartile of its time over the steady steps of the critical device.",
        |row| Value::maybe(row.by_step, |of| Value::Number(of.quartiles[0])),
    ),
    FleetColumn::new("step_median_ps", REAL, "The median over these steps.", |row| {
        Value::maybe(row.by_step, |of| Value::Number(of.median))
    }),
    FleetColumn::new("step_q3_ps", REAL, "The third quartile.", |row| {
        Value::maybe(row.by_step, |of| Value::Number(of.quartiles[1]))
    }),
    FleetColumn::new("flops", REAL, "FLOPs of all executions of a step.", |row| {
        of_view(GROUPS, "flops_sum", &row.group)
    }),
    FleetColumn::new("bytes", REAL, "Bytes that these access.", |row| {
        of_view(GROUPS, "bytes_accessed_sum", &row.group)
    }),
    roof!("rooflined_dur_ps", INTEGER, "The part of the self time that has a roofline time."),
    roof!("t_roofline_ps", INTEGER, "The roofline time of a step."),
    roof!("gap_ps", INTEGER, "That part − the roofline time. It is negative if the cost estimate exceeds the peak."),
    roof!("recoverable_ps", INTEGER, "The sum of positive gaps."),
    roof!("roofline_util", REAL, "Roofline time ÷ that part."),
    FleetColumn::new("bound", TEXT, "The resource with the longest time: `compute` or `memory`.", |row| {
        of_roof("bound", row)
    }),
    FleetColumn::new("no_roofline", TEXT, "Why compute has no roofline time.", |row| {
        row.skipped.first().map_or(Absent, |skipped| Word(skipped.reason.key()))
    }),
];

fn of_roof<'r>(id: &str, row: &'r OpRow) -> Value<'r> {
    if row.roof.is_some() { of_view(ROOF, id, &row.roof) } else { Absent }
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
                let times = times.times.iter().map(|(_, time)| crate::units::Picos(*time)).collect();
                Spread::with_zeros(times, critical.op_steps.steps.len())
            };
            of_critical.insert(named(plane.op(owned.op).key()), (*keys, times.and_then(spread)));
        }
    }
    let roofline = &analysed.roofline;
    let view = roofline.view(profile, analysis);
    let mut points: IndexMap<Named<'a>, u32> = IndexMap::default();
    for row in 0..roofline.n_rows() as u32 {
        let at = row as usize;
        let name = view.key(at).into_owned().into();
        points.insert((view.row(at).program.flatten().map(|id| id.0), name), row);
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
