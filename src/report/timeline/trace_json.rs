//! This module writes the events of a timeline as trace JSON, which Perfetto and the trace viewer of Chrome open. A plane is a
//! process, and a lane of a line is a thread, so that no two events of a thread overlap.
//!
//! ```text
//!  {"ph":"M", …}   names and order of processes and threads      before the first event of each
//!  {"ph":"X", …}   an event: ts and dur in µs, with six decimals, so that every ps is there
//!  {"ph":"C", …}   a sample of a counter, with its values
//!  {"ph":"s", …}   the start of a link, and "f" its end          after all events
//! ```

use crate::analysis::timeline::{
    FlowKind, TimelineIndex, TraceCounter, TraceEvent, TraceInstant, TraceQuery, TraceRecord, TraceReport, TraceThread,
};
use crate::table::format;
use serde_json::{Map, Value, json};
use std::fmt;
use std::io::{self, Write};
use xla_profile::profile::{Profile, Severity};
use xla_profile::units::Picos;

/// Writes the events that touch the range of a query, and the links between them.
///
/// # Errors
/// Returns the error of `out`.
pub fn write(
    index: &mut TimelineIndex,
    profile: &Profile,
    query: &TraceQuery,
    out: &mut dyn Write,
) -> io::Result<TraceReport> {
    let mut writer = TraceWriter { out, is_first: true, n_flows: 0 };
    write!(writer.out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let report = index.trace(profile, query, &mut |record| writer.record(record))?;
    let notes = json!({
        "files": profile.files,
        "range": query.range.map(|range| format!("{range} ps")),
        "left_out": left_out(&report),
        "partial": damage(profile),
    });
    write!(writer.out, "\n],\"otherData\":{notes}}}\n")?;
    Ok(report)
}

/// Returns the sentence about the part of a damaged capture that could not be read. `None` if all of it was read.
pub fn damage(profile: &Profile) -> Option<String> {
    let note = profile.notes.iter().find(|note| note.severity == Severity::Partial)?;
    Some(format!("Only a part of the capture could be read: {}", note.message))
}

/// Returns the sentence about the events that a trace leaves out. `None` if it holds all events of the range.
pub fn left_out(report: &TraceReport) -> Option<String> {
    let until = format::time_text(report.until?);
    Some(format!(
        "{} of {} events of the range are in the trace, those that start before {until}. Choose a shorter range or a larger limit \
         for the others.",
        format::count(report.n_events),
        format::count(report.n_in_range)
    ))
}

struct TraceWriter<'a> {
    out: &'a mut dyn Write,
    is_first: bool,
    n_flows: u64,
}

impl TraceWriter<'_> {
    fn record(&mut self, record: TraceRecord<'_>) -> io::Result<()> {
        match record {
            TraceRecord::Process { process, name } => {
                let meta = |kind: &str, args: &Value| json!({"ph": "M", "pid": process, "name": kind, "args": args});
                self.line(&meta("process_name", &json!({"name": name})))?;
                self.line(&meta("process_sort_index", &json!({"sort_index": process})))
            }
            TraceRecord::Thread { thread: TraceThread { process, thread }, name, lane } => {
                let name = if lane == 0 { name.to_owned() } else { format!("{name} (lane {})", lane + 1) };
                let meta = |kind: &str, args: &Value| json!({"ph": "M", "pid": process, "tid": thread, "name": kind, "args": args});
                self.line(&meta("thread_name", &json!({"name": name})))?;
                self.line(&meta("thread_sort_index", &json!({"sort_index": thread})))
            }
            TraceRecord::Event(event) => self.event(&event),
            TraceRecord::Counter(counter) => self.counter(&counter),
            TraceRecord::Flow { kind, source, target } => {
                self.n_flows += 1;
                self.flow_end("\"ph\":\"s\"", kind, source)?;
                self.flow_end("\"ph\":\"f\",\"bp\":\"e\"", kind, target)
            }
        }
    }

    fn event(&mut self, event: &TraceEvent<'_>) -> io::Result<()> {
        let TraceThread { process, thread } = event.thread;
        let (start, duration) = (Micros(event.start), Micros(event.end.saturating_sub(event.start)));
        let name = Value::from(event.name);
        self.begin_line()?;
        write!(
            self.out,
            "{{\"ph\":\"X\",\"pid\":{process},\"tid\":{thread},\"ts\":{start},\"dur\":{duration},\"name\":{name}"
        )?;
        let args = [
            ("kind", event.kind.map(|kind| kind.key().into())),
            ("hlo_category", event.category.map(Value::from)),
            ("program", event.program.map(Value::from)),
            ("step", event.step.map(Value::from)),
        ];
        let mut before = ",\"args\":{";
        for (key, value) in args {
            let Some(value) = value else { continue };
            write!(self.out, "{before}\"{key}\":{value}")?;
            before = ",";
        }
        self.out.write_all(if before == "," { b"}}" } else { b"}" })
    }

    fn counter(&mut self, counter: &TraceCounter<'_>) -> io::Result<()> {
        let TraceCounter { process, name, start, values } = *counter;
        let args: Map<String, Value> = values.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        self.begin_line()?;
        let (name, args, start) = (Value::from(name), Value::Object(args), Micros(start));
        write!(self.out, "{{\"ph\":\"C\",\"pid\":{process},\"ts\":{start},\"name\":{name},\"args\":{args}}}")
    }

    fn flow_end(&mut self, phase: &str, kind: FlowKind, instant: TraceInstant) -> io::Result<()> {
        let TraceThread { process, thread } = instant.thread;
        let kind = match kind {
            FlowKind::Launch => "launch",
            FlowKind::Context => "context",
            FlowKind::Run => "run",
        };
        self.begin_line()?;
        write!(
            self.out,
            "{{{phase},\"id\":{},\"pid\":{process},\"tid\":{thread},\"ts\":{},\"name\":\"{kind}\",\"cat\":\"{kind}\"}}",
            self.n_flows,
            Micros(instant.start)
        )
    }

    fn line(&mut self, value: &Value) -> io::Result<()> {
        self.begin_line()?;
        write!(self.out, "{value}")
    }

    fn begin_line(&mut self) -> io::Result<()> {
        let separator: &[u8] = if std::mem::take(&mut self.is_first) { b"\n" } else { b",\n" };
        self.out.write_all(separator)
    }
}

/// A time in µs with six decimals, which is exact.
struct Micros(Picos);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0.0 / 1_000_000, self.0.0 % 1_000_000)
    }
}
