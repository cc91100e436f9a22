//! This module writes the contents of the files, a [`FileView`], as JSON.

use crate::analysis::base::Status;
use crate::analysis::base::columns::NOTES;
use crate::analysis::files::columns::{FILES, LINES, STAT_COUNTS};
use crate::analysis::files::{
    FilePlane, FileProgram, FileView, Finding, FindingKind, PlaneRole, ProgramSource, StatUse,
};
use crate::table::{Object, Value, object};
use std::collections::BTreeMap;
use xla_profile::profile::{Note, PlaneStat};
use xla_profile::small_sort::SmallSort;

/// Returns the JSON of `rooflight inspect --json`, with the first `top` planes and programs.
pub fn inspect<'a>(view: &'a FileView, top: usize, notes: &'a [Note]) -> Object<'a> {
    let mut programs: Vec<&FileProgram> = view.programs.iter().collect();
    programs.small_sort_by_key(|program| (program.program_id.is_none(), program.program_id));
    object!(Inspect {
        /// Whether the files were read completely: `partial` if only a part of them could be read.
        status: Word(Status) = if view.partial { Status::Partial } else { Status::Ok },
        /// Name of the command.
        view: Word = "inspect",
        /// The files that were read.
        files: Rows(FILES) = &view.files,
        /// Names of the hosts in the captures.
        hosts: List(Name(File)) = &view.hosts,
        /// The planes, in the order of the files.
        planes: List(Own) = view.planes.iter().take(top).map(|plane| plane_object(view, plane)),
        /// The programs, by id.
        programs: List(Own) = programs.into_iter().take(top).map(|program| program_object(view, program)),
        /// Number of events of all planes.
        n_events_total: Count = view.n_events,
        /// The gaps in the data, the most serious first.
        quality: List(Own) = view.quality.iter().map(finding_object),
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}

fn finding_object(finding: &Finding) -> Object<'_> {
    object!(FileFinding {
        /// The kind of the gap.
        what: Word(FindingKind) = finding.kind,
        /// A plane, a device or a file. Null for the session.
        r#where: Removed or null = finding.place.as_deref(),
        /// Number of events, stats or devices. Null if there is nothing to count.
        n: Count or null = finding.n,
        /// The effect on the figures.
        consequence: Removed = &finding.consequence,
        /// A way to close the gap. Null if none is known.
        remedy: Text or null = finding.remedy.as_deref(),
    })
}

/// Returns the name of a file.
fn file(view: &FileView, index: u32) -> Option<&str> {
    view.files.get(index as usize).map(|file| file.name.as_str())
}

fn plane_object<'a>(view: &'a FileView, plane: &'a FilePlane) -> Object<'a> {
    // Of stats with the same name, the last one is written.
    let stats: BTreeMap<&str, Value<'_>> =
        plane.stats.iter().map(|stat| (stat.name.as_str(), stat_value(&stat.value))).collect();
    let stat_counts: BTreeMap<&str, &StatUse> =
        plane.stat_names.iter().map(|counts| (counts.name.as_str(), counts)).collect();
    object!(FilePlane {
        /// Name of the plane.
        name: Name(Device) = &plane.name,
        /// The id in the file.
        id: Integer = plane.id,
        /// What the plane holds.
        role: Word(PlaneRole) = plane.role,
        /// Name of the file of the plane.
        file: Name(File) = file(view, plane.file).unwrap_or_default(),
        /// The unpacked bytes of the plane.
        size_bytes: Bytes = plane.bytes,
        /// Those of them outside of its lines.
        metadata_bytes: Bytes = plane.metadata_bytes,
        /// Number of events.
        n_events: Count = plane.n_events,
        /// Number of metadata entries of events.
        n_metadata: Count = plane.n_metadata,
        /// Number of distinct ops.
        n_ops: Count = plane.n_ops,
        /// The earliest timestamp of the lines with events, in ns. `span_ps` counts from it. Null without events.
        origin_ns: Integer or null = plane.origin_ns,
        /// The stats of the plane by name: texts and numbers. Bytes are an object with their number, `n_bytes`.
        stats: Map(Value(Any)) = stats,
        /// The stats of events and of metadata, by name.
        stat_counts: Map(Object(STAT_COUNTS)) = stat_counts,
        /// The lines of the plane.
        lines: Rows(LINES) = &plane.lines,
    })
}

fn stat_value(stat: &PlaneStat) -> Value<'_> {
    match stat {
        PlaneStat::Text(text) => Value::text(text),
        PlaneStat::Number(n) => Value::Number(*n),
        PlaneStat::Bytes(n) => Value::Record(vec![("n_bytes".into(), Value::Count(*n))]),
    }
}

fn program_object<'a>(view: &'a FileView, program: &'a FileProgram) -> Object<'a> {
    object!(FileProgram {
        /// Name of the program, without its id.
        name: Name(Program) = &program.name,
        /// The id of the program. Null if none is known.
        program_id: ProgramId or null = program.program_id,
        /// Where the HLO comes from: `capture`, a file of its own (`hlo_proto`, `hlo_text`), or `events` if only the
        /// texts of events are known.
        hlo_from: Word(ProgramSource) = program.source,
        /// Name of the file of the HLO. Null if there is none.
        hlo_file: Name(File) or null = program.file.and_then(|index| file(view, index)),
        /// Bytes of the HLO. Null if there is none.
        hlo_bytes: Bytes or null = program.bytes,
        /// Number of the module runs, on all devices and over the whole capture. Null if the program did not run.
        n_executions: Count or null = program.n_runs,
        /// Total length of the module runs, over the same range. Null if the program did not run.
        run_duration_ps: Time or null = program.run_time,
        /// Self time of its ops, over the same range. It is also null if no op names its program, as in trace JSON.
        busy_duration_ps: Time or null = program.busy,
    })
}
