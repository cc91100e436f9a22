//! This module declares the columns of the table of captures.

use crate::analysis::base::Spread;
use crate::analysis::base::columns::NOTES;
use crate::analysis::classify::Kind;
use crate::analysis::compare::step_tokens;
use crate::analysis::files::FileProgram;
use crate::analysis::ledger::Owner;
use crate::analysis::overview::Overview;
use crate::fleet::column::{Part, part};
use crate::fleet::derive::Analysed;
use crate::fleet::keys::Keys;
use crate::fleet::{PROGRAM_VERSION, calendar};
use crate::session::capture::CaptureSession;
use crate::session::compare::start_ns;
use crate::table::{Value, columns};
use xla_profile::profile::{Note, PlaneStat, Profile};

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

    fn periods(&self) -> Option<&Spread> {
        self.overview.as_ref()?.periods.as_ref()
    }
}

/// The columns of captures.
pub const PARTS: &[Part<CaptureRow>] = &[part!(CAPTURES, |row| Some(row))];

columns! {
    CAPTURES(row: CaptureRow) {
        /// The version of Rooflight.
        program_version: Text in table = PROGRAM_VERSION,
        /// The options of the export that change rows.
        request: Text in table = &row.facts.request,
        /// `ok`; `partial`: damaged or cut; `absent`: no device has times; `failed`: it could not be read, and has no other row.
        status: Word in table = row.status,
        /// Why it could not be read.
        error: Removed or null in table = row.error.as_deref(),
        /// The time at which the profile was started.
        captured_at: Instant or null in table = row.captured_at,
        /// The files, as they were given.
        files: List(Name(File)) in table = &row.facts.files,
        /// Stored bytes of all files.
        bytes: Bytes in table = row.facts.bytes,
        /// With `--digest`: SHA-256 of the file; of several files, that of their sorted digests.
        sha256: Removed or null in table = row.facts.sha256.as_deref(),
        /// The hosts.
        hosts: List(Name(File)) in table = &row.hosts,
        /// Number of devices in the capture.
        n_devices: Count or null in table = row.n_devices,
        /// The type of the devices.
        device_type: Name(Chip) or null in table = row.device_type.as_deref(),
        /// The programs, the one with the most time first.
        programs: Rows(PROGRAMS) in table = &row.programs,
        /// The version of JAX: the key `jax`, else that in the capture.
        jax: Text or null in table = version(row, 0),
        /// The version of jaxlib, in the same way.
        jaxlib: Text or null in table = version(row, 1),
        /// The version of libtpu, in the same way.
        libtpu: Text or null in table = version(row, 2),
        /// The key `job`.
        job: Text or null in table = row.facts.keys.get("job"),
        /// The key `commit`.
        commit: Text or null in table = row.facts.keys.get("commit"),
        /// The key `model`.
        model: Text or null in table = row.facts.keys.get("model"),
        /// The key `batch`.
        batch: Integer or null in table = row.facts.keys.integer("batch"),
        /// The key `tokens`: tokens of a step.
        tokens: Integer or null in table = row.facts.keys.integer("tokens"),
        /// All keys.
        keys: Value(Map(Text)) in table =
            Value::map(row.facts.keys.pairs().iter().map(|(key, value)| (key.as_str(), Value::text(value)))),
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) in table = &row.notes,
        /// Share of the time of compute that has a roofline time.
        coverage_pct: Percent or null in table = row.coverage,
        /// The verdict of the overview.
        verdict: Removed or null in table = row.overview.as_ref().map(|overview| &overview.verdict),
        /// The device on which the time of a step depends.
        critical_device: Name(Device) or null in table = row.overview.as_ref().map(|overview| &overview.device),
        /// Steps in the capture.
        n_steps: Count or null in table = row.n_steps,
        /// Steady steps of the critical device.
        n_steady: Count or null in table = row
            .overview
            .as_ref()
            .filter(|overview| overview.has_steps)
            .map(|overview| overview.ledger.n_steps.into()),
        /// The time of a step: the mean of the steady steps of the critical device.
        period_ps: Time or null in table = row.overview.as_ref().map(|overview| overview.period),
        /// The median of these steps.
        step_median_ps: Number or null in table = row.periods().map(|periods| periods.median),
        /// The first quartile.
        step_q1_ps: Number or null in table = row.periods().map(|periods| periods.quartiles[0]),
        /// The third quartile.
        step_q3_ps: Number or null in table = row.periods().map(|periods| periods.quartiles[1]),
        /// The recoverable time of all findings in time.
        recoverable_ps: Time or null in table = row.overview.as_ref().map(|overview| overview.recoverable),
        /// Picoseconds of a step by owner. They sum to the step, except for rounding.
        ledger: Value(Map(Time)) or null in table = Value::maybe(row.overview.as_ref(), ledger),
        /// The figures of the overview that are known.
        figures: Value(Map(Number)) or null in table = Value::maybe(row.overview.as_ref(), figures),
        /// Picoseconds of a step by kind of time, with `idle`, as the overview divides it.
        kinds: Value(Map(Time)) or null in table = Value::maybe(row.overview.as_ref(), kinds),
        /// Tokens of a step of the whole job, as the shapes of the program's inputs tell them.
        step_tokens: Count or null in table = row.overview.as_ref().and_then(step_tokens),
    }

    /// A program, and its fingerprint, which does not depend on names, ids and order.
    PROGRAMS(row: (FileProgram, Option<u64>)) {
        /// Name of the program.
        name: Name(Program) in json table = &row.0.name,
        /// Its id in the capture, as decimal digits.
        program_id: ProgramId or null in json table = row.0.program_id,
        /// Its fingerprint. Null without HLO, and for programs that the critical device does not run.
        fingerprint: Digest or null in json table = row.1.map(u64::cast_signed),
        /// Number of its runs.
        n_runs: Count or null in json table = row.0.n_runs,
        /// The time of all runs.
        run_time_ps: Time or null in json table = row.0.run_time,
    }
}

/// The stats with the versions of JAX, jaxlib and libtpu, and the keys that replace them.
const VERSIONS: [(&str, &str); 3] =
    [("jax_version", "jax"), ("jaxlib_version", "jaxlib"), ("libtpu_version", "libtpu")];

fn version(row: &CaptureRow, index: usize) -> Option<&str> {
    row.facts.keys.get(VERSIONS[index].1).or(row.versions[index].as_deref())
}

fn ledger(overview: &Overview) -> Value<'_> {
    let owner = |owner: Owner| (owner.key(), Value::Time(overview.ledger.per_step(overview.ledger.time(owner))));
    Value::map(Owner::ALL.into_iter().map(owner))
}

fn kinds(overview: &Overview) -> Value<'_> {
    Value::map(overview.kinds.iter().map(|share| (Kind::key_or_idle(share.kind), Value::Time(share.total))))
}

fn figures(overview: &Overview) -> Value<'_> {
    Value::map(overview.figures.iter().filter_map(|figure| Some((figure.id.key(), Value::Number(figure.value?)))))
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
        let known = critical?.programs.iter().find(|listed| listed.id.map(|id| id.0) == program.program_id)?;
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
