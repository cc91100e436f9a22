//! This module declares the table of captures.

use crate::analysis::base::Spread;
use crate::analysis::classify::Kind;
use crate::analysis::compare::step_tokens;
use crate::analysis::files::FileProgram;
use crate::analysis::ledger::Owner;
use crate::analysis::overview::Overview;
use crate::fleet::column::{ColumnType, Field, FleetColumn, INTEGER, PROGRAM_ID, Privacy, REMOVED, TEXT, name};
use crate::fleet::derive::Analysed;
use crate::fleet::keys::Keys;
use crate::fleet::{PROGRAM_VERSION, calendar};
use crate::profile::{Note, PlaneStat, Profile, Severity};
use crate::session::capture::CaptureSession;
use crate::session::compare::start_ns;
use crate::share::NameKind;
use crate::table::Value::{self, Bytes, Count, Id, Integer, List, Number, Percent, Record, Time, Word};

/// What is known of a capture before it is analysed.
#[derive(Clone, Debug, Default)]
pub struct CaptureFacts {
    pub capture_id: String,
    /// The files, as they were given.
    pub files: Vec<String>,
    /// Stored bytes of all files.
    pub bytes: u64,
    /// Digest of all bytes. `None` unless it was requested.
    pub sha256: Option<String>,
    pub keys: Keys,
    /// The options of the export that change rows.
    pub request: String,
}

/// A capture.
#[derive(Default)]
pub struct CaptureRow {
    pub facts: CaptureFacts,
    /// `ok`, `partial`, `absent` or `failed`.
    status: &'static str,
    /// Why the capture could not be read.
    error: Option<String>,
    /// In microseconds since 1970.
    captured_at: Option<i64>,
    hosts: Vec<String>,
    n_devices: Option<u64>,
    device_type: Option<String>,
    programs: Vec<(FileProgram, Option<u64>)>,
    versions: [Option<String>; 3],
    notes: Vec<Note>,
    n_steps: Option<u64>,
    coverage: Option<f64>,
    overview: Option<Overview>,
}

impl CaptureRow {
    /// Returns the row of a capture that could not be read.
    pub fn failed(facts: CaptureFacts, error: String) -> Self {
        Self { facts, status: "failed", error: Some(error), ..Self::default() }
    }
}

const PROGRAM: ColumnType = ColumnType::Record(&[
    Field { id: "name", kind: name(NameKind::Program) },
    Field { id: "program_id", kind: PROGRAM_ID },
    Field { id: "fingerprint", kind: ColumnType::Integer(Privacy::Removed) },
    Field { id: "n_runs", kind: INTEGER },
    Field { id: "run_time_ps", kind: INTEGER },
]);
const NOTE: ColumnType = ColumnType::Record(&[
    Field { id: "severity", kind: TEXT },
    Field { id: "code", kind: TEXT },
    Field { id: "message", kind: REMOVED },
    Field { id: "where", kind: REMOVED },
]);
const FILE: ColumnType = name(NameKind::File);

/// The columns of captures.
pub const CAPTURES: &[FleetColumn<CaptureRow>] = &[
    FleetColumn::new("program_version", TEXT, "The version of Rooflight.", |_| Value::text(PROGRAM_VERSION)),
    FleetColumn::new("request", TEXT, "The options of the export that change rows.", |row| {
        Value::text(&row.facts.request)
    }),
    FleetColumn::new(
        "status",
        TEXT,
        "`ok`; `partial`: damaged or cut; `absent`: no device has times; `failed`: it could not be read, and has no other row.",
        |row| Word(row.status),
    ),
    FleetColumn::new("error", REMOVED, "Why it could not be read.", |row| Value::maybe_text(row.error.as_deref())),
    FleetColumn::new("captured_at", ColumnType::Instant, "The time at which the profile was started.", |row| {
        Value::maybe(row.captured_at, Integer)
    }),
    FleetColumn::new("files", ColumnType::List(&FILE), "The files, as they were given.", |row| {
        Value::texts(&row.facts.files)
    }),
    FleetColumn::new("bytes", INTEGER, "Stored bytes of all files.", |row| Bytes(row.facts.bytes)),
    FleetColumn::new(
        "sha256",
        ColumnType::Text(Privacy::Removed),
        "With `--digest`: SHA-256 of the file; of several files, that of their sorted digests.",
        |row| Value::maybe_text(row.facts.sha256.as_deref()),
    ),
    FleetColumn::new("hosts", ColumnType::List(&FILE), "The hosts.", |row| Value::texts(&row.hosts)),
    FleetColumn::new("n_devices", INTEGER, "Number of devices in the capture.", |row| {
        Value::maybe(row.n_devices, Count)
    }),
    FleetColumn::new("device_type", name(NameKind::Chip), "The type of the devices.", |row| {
        Value::maybe_text(row.device_type.as_deref())
    }),
    FleetColumn::new(
        "programs",
        ColumnType::List(&PROGRAM),
        "The programs, the one with the most time first. The fingerprint does not depend on names, ids and order; it is null without HLO, \
         and for programs that the critical device does not run.",
        |row| List(row.programs.iter().map(program).collect()),
    ),
    FleetColumn::new("jax", TEXT, "The version of JAX: the key `jax`, else that in the capture.", |row| {
        version(row, 0)
    }),
    FleetColumn::new("jaxlib", TEXT, "The version of jaxlib, in the same way.", |row| version(row, 1)),
    FleetColumn::new("libtpu", TEXT, "The version of libtpu, in the same way.", |row| version(row, 2)),
    FleetColumn::new("job", TEXT, "The key `job`.", |row| Value::maybe_text(row.facts.keys.get("job"))),
    FleetColumn::new("commit", TEXT, "The key `commit`.", |row| Value::maybe_text(row.facts.keys.get("commit"))),
    FleetColumn::new("model", TEXT, "The key `model`.", |row| Value::maybe_text(row.facts.keys.get("model"))),
    FleetColumn::new("batch", INTEGER, "The key `batch`.", |row| {
        Value::maybe(row.facts.keys.integer("batch"), Integer)
    }),
    FleetColumn::new("tokens", INTEGER, "The key `tokens`: tokens of a step.", |row| {
        Value::maybe(row.facts.keys.integer("tokens"), Integer)
    }),
    FleetColumn::new("keys", ColumnType::Map(&TEXT), "All keys.", |row| {
        Value::map(row.facts.keys.pairs().iter().map(|(key, value)| (key.as_str(), Value::text(value))))
    }),
    FleetColumn::new("notes", ColumnType::List(&NOTE), "Notes on assumptions and on data that is missing.", |row| {
        List(row.notes.iter().map(note).collect())
    }),
    FleetColumn::new(
        "coverage_pct",
        ColumnType::Real,
        "Share of the time of compute that has a roofline time.",
        |row| Value::maybe(row.coverage, Percent),
    ),
    FleetColumn::new("verdict", TEXT, "The verdict of the overview.", |row| {
        Value::maybe_text(row.overview.as_ref().map(|of| of.verdict.as_str()))
    }),
    FleetColumn::new(
        "critical_device",
        name(NameKind::Device),
        "The device on which the time of a step depends.",
        |row| Value::maybe_text(row.overview.as_ref().map(|of| of.device.as_str())),
    ),
    FleetColumn::new("n_steps", INTEGER, "Steps in the capture.", |row| Value::maybe(row.n_steps, Count)),
    FleetColumn::new("n_steady", INTEGER, "Steady steps of the critical device.", |row| {
        Value::maybe(row.overview.as_ref().filter(|of| of.has_steps), |of| Count(of.ledger.n_steps.into()))
    }),
    FleetColumn::new(
        "period_ps",
        INTEGER,
        "The time of a step: the mean of the steady steps of the critical device.",
        |row| Value::maybe(row.overview.as_ref(), |of| Time(of.period)),
    ),
    FleetColumn::new("step_median_ps", ColumnType::Real, "The median of these steps.", |row| {
        spread(row, |of| of.median)
    }),
    FleetColumn::new("step_q1_ps", ColumnType::Real, "The first quartile.", |row| spread(row, |of| of.quartiles[0])),
    FleetColumn::new("step_q3_ps", ColumnType::Real, "The third quartile.", |row| spread(row, |of| of.quartiles[1])),
    FleetColumn::new("recoverable_ps", INTEGER, "The recoverable time of all findings in time.", |row| {
        Value::maybe(row.overview.as_ref(), |of| Time(of.recoverable))
    }),
    FleetColumn::new(
        "ledger",
        ColumnType::Map(&INTEGER),
        "Picoseconds of a step by owner. They sum to the step, except for rounding.",
        |row| Value::maybe(row.overview.as_ref(), ledger),
    ),
    FleetColumn::new(
        "figures",
        ColumnType::Map(&ColumnType::Real),
        "The figures of the overview that are known.",
        |row| Value::maybe(row.overview.as_ref(), figures),
    ),
    FleetColumn::new(
        "kinds",
        ColumnType::Map(&INTEGER),
        "Picoseconds of a step by kind of time, with `idle`, as the overview divides it.",
        |row| Value::maybe(row.overview.as_ref(), kinds),
    ),
    FleetColumn::new(
        "step_tokens",
        INTEGER,
        "Tokens of a step of the whole job, as the shapes of the program's inputs tell them.",
        |row| Value::maybe(row.overview.as_ref().and_then(step_tokens), Count),
    ),
];

/// The stats with the versions of JAX, jaxlib and libtpu, and the keys that replace them.
const VERSIONS: [(&str, &str); 3] =
    [("jax_version", "jax"), ("jaxlib_version", "jaxlib"), ("libtpu_version", "libtpu")];

fn version(row: &CaptureRow, index: usize) -> Value<'_> {
    Value::maybe_text(row.facts.keys.get(VERSIONS[index].1).or(row.versions[index].as_deref()))
}

fn spread(row: &CaptureRow, value: impl FnOnce(&Spread) -> f64) -> Value<'_> {
    Value::maybe(row.overview.as_ref().and_then(|of| of.periods.as_ref()), |of| Number(value(of)))
}

fn program((of, fingerprint): &(FileProgram, Option<u64>)) -> Value<'_> {
    Record(vec![
        ("name".into(), Value::text(&of.name)),
        ("program_id".into(), Value::maybe(of.program_id, Id)),
        ("fingerprint".into(), Value::maybe(*fingerprint, |digest| Integer(digest.cast_signed()))),
        ("n_runs".into(), Value::maybe(of.n_runs, Count)),
        ("run_time_ps".into(), Value::maybe(of.run_time, Time)),
    ])
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Caution => "caution",
        Severity::Partial => "partial",
    }
}

fn note(note: &Note) -> Value<'_> {
    Record(vec![
        ("severity".into(), Word(severity(note.severity))),
        ("code".into(), Word(note.code.key())),
        ("message".into(), Value::text(&note.message)),
        ("where".into(), Value::maybe_text(note.place.as_deref())),
    ])
}

fn ledger(overview: &Overview) -> Value<'_> {
    let owner = |owner: Owner| (owner.key(), Time(overview.ledger.per_step(overview.ledger.time(owner))));
    Value::map(Owner::ALL.into_iter().map(owner))
}

fn kinds(overview: &Overview) -> Value<'_> {
    Value::map(overview.kinds.iter().map(|share| (Kind::key_or_idle(share.kind), Time(share.total))))
}

fn figures(overview: &Overview) -> Value<'_> {
    Value::map(overview.figures.iter().filter_map(|figure| Some((figure.name.as_str(), Number(figure.value?)))))
}

/// Returns the date of a moment for a partition. `None` if the moment is unknown.
pub fn date(captured_at: Option<i64>) -> Option<String> {
    captured_at.map(calendar::date)
}

/// Returns the time at which a profile was started, in microseconds since 1970.
pub fn captured_at(profile: &Profile) -> Option<i64> {
    i64::try_from(start_ns(profile)? / 1000).ok()
}

fn plane_stat(profile: &Profile, name: &str) -> Option<String> {
    let stats = profile.planes.iter().flat_map(|plane| &plane.stats);
    let text = |value: &PlaneStat| if let PlaneStat::Text(text) = value { Some(text.clone()) } else { None };
    stats.filter(|(stat, _)| stat == name).find_map(|(_, value)| text(value)).filter(|text| !text.is_empty())
}

/// Returns the row of a capture that was read.
pub fn row(session: &CaptureSession, analysed: &Analysed, facts: &CaptureFacts) -> CaptureRow {
    let CaptureSession { profile, analysis, partial, .. } = session;
    let header = &analysed.breakdown.header;
    let status = match (*partial, analysed.is_absent()) {
        (true, _) => "partial",
        (_, true) => "absent",
        _ => "ok",
    };
    let critical = analysed.critical.as_ref();
    // The analysis of ops knows programs by name and id.
    let fingerprint = |program: &FileProgram| {
        let known = critical?.programs.iter().find(|of| of.id.map(|id| id.0) == program.program_id)?;
        known.fingerprint
    };
    let programs = analysed.files.programs.iter().map(|program| (program.clone(), fingerprint(program))).collect();
    CaptureRow {
        facts: facts.clone(),
        status,
        error: None,
        captured_at: captured_at(profile),
        hosts: analysed.files.hosts.clone(),
        n_devices: Some(analysis.devices.len() as u64),
        device_type: header.device_type.clone(),
        programs,
        versions: VERSIONS.map(|(stat, _)| plane_stat(profile, stat)),
        notes: profile.notes.iter().chain(&analysed.breakdown.notes).cloned().collect(),
        n_steps: Some(u64::from(header.n_steps)),
        coverage: analysed.roofline.figures.coverage,
        overview: critical.map(|critical| critical.derived.overview.clone()),
    }
}
