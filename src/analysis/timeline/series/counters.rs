//! This module finds the counters that a profiler recorded, and reads their values. A counter is a numeric stat of the
//! events of one name on a line of counters.

use super::report::SeriesUnit;
use super::step_function::{StepBuilder, StepFunction};
use crate::lanes::LineTimes;
use crate::profile::{CounterRow, Line, Plane, Profile, StrId};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// The longest event, in ps, that counts as an instant. Profilers write instants with a duration of 1 ps.
const INSTANT: u64 = 1000;

/// The name of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CounterName {
    /// Name of the events.
    pub event: StrId,
    /// Name of the stat.
    pub stat: StrId,
}

/// Returns the counters of a line in the order of their first values, each with its greatest value.
pub fn counters(plane: &Plane, line: &Line) -> impl Iterator<Item = (CounterName, f64)> {
    let mut all: IndexMap<CounterName, f64, FxBuildHasher> = IndexMap::default();
    for row in &line.counters {
        let most = all.entry(name(plane, line, row)).or_insert(row.value);
        *most = most.max(row.value);
    }
    all.into_iter()
}

fn name(plane: &Plane, line: &Line, row: &CounterRow) -> CounterName {
    CounterName { event: plane.op(line.events.op(row.event as usize)).name, stat: row.stat }
}

/// Reads the values of a counter. A value holds for the duration of its event. The value of an instant holds until the next
/// value, and that of the last instant until `end`, the end of the session.
pub fn values(plane: &Plane, line: &Line, times: LineTimes<'_>, counter: CounterName, end: u64) -> StepFunction {
    let rows = line.counters.iter().filter(|row| name(plane, line, row) == counter);
    let mut values: Vec<((u64, u64), f64)> = rows.map(|row| (times.time(row.event as usize), row.value)).collect();
    // The sort is stable: of several values at the same time, the last one in the file holds.
    values.sort_by_key(|((start, _), _)| *start);
    let mut steps = StepBuilder::default();
    let mut last = 0;
    for (at, ((start, until), value)) in values.iter().enumerate() {
        let next = values.get(at + 1).map_or(end, |((next, _), _)| *next);
        let until = if until - start > INSTANT { (*until).min(next) } else { next };
        steps.push(*start, *value);
        if until < next {
            steps.push(until, f64::NAN);
        }
        last = until;
    }
    steps.finish(last)
}

/// Returns the title of a counter: the name of its events, with the name of the stat if it says more.
pub fn title(profile: &Profile, counter: CounterName) -> String {
    let (event, stat) = (profile.text(counter.event), profile.text(counter.stat));
    let says_no_more = stat.eq_ignore_ascii_case(event) || matches!(stat, "value" | "counter_value");
    if says_no_more { event.to_owned() } else { format!("{event}, {stat}") }
}

/// Returns the unit of a counter by the names of its stat and its events.
pub fn unit(profile: &Profile, counter: CounterName) -> SeriesUnit {
    let [event, stat] = [counter.event, counter.stat].map(|name| profile.text(name).to_ascii_lowercase());
    let has = |word: &str| event.contains(word) || stat.contains(word);
    match () {
        () if has("%") || has("percent") => SeriesUnit::Percent,
        () if has("bytes/s") || has("bytes_per_s") => SeriesUnit::BytesPerSecond,
        () if has("bytes") => SeriesUnit::Bytes,
        () if matches!(stat.as_str(), "fills" | "spills" | "count") => SeriesUnit::Count,
        () if event.starts_with("count_") || event.contains("(count)") => SeriesUnit::Count,
        () => SeriesUnit::Value,
    }
}

/// Returns one sentence on the source and the meaning of a counter.
pub fn about(profile: &Profile, counter: CounterName) -> String {
    let (event, stat) = (profile.text(counter.event), profile.text(counter.stat));
    match stat {
        "% util" => format!(
            "Static slot occupancy over measured windows: the share of the slots of the unit {event} that the compiler filled \
             in the instructions of the kernel; not a hardware counter."
        ),
        "fills" | "spills" => format!(
            "Static count over measured windows: the vector register {stat} in the instructions of the kernel; not a hardware \
             counter."
        ),
        _ => format!("The values that the profiler recorded as “{stat}” of the events “{event}”."),
    }
}
