//! This module finds the counters that a profiler recorded, and reads their values. A counter is a numeric stat of the
//! events of one name on a line of counters.
//!
//! Most counters hold a level. CUPTI samples the units of a GPU at a fixed rate, and its sums, such as `dram__bytes_read.sum`,
//! are amounts of the interval that begins with the event. Amounts of bytes are divided by their intervals.

mod measured_rate;
mod step_function;

pub use measured_rate::{MEMORY_TRAFFIC, SM_CYCLES};
pub use step_function::{StepBuilder, StepFunction};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use xla_profile::lanes::LineTimes;
use xla_profile::profile::{CounterRow, Line, Plane, Profile, StrId};

/// The longest event, in ps, that counts as an instant. Profilers write instants with a duration of 1 ps.
const INSTANT: u64 = 1000;

/// The name of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CounterName {
    pub event: StrId,
    pub stat: StrId,
}

/// Returns the counters of a line in the order of their first values, each with the greatest value in the file.
pub fn counters(plane: &Plane, line: &Line) -> impl Iterator<Item = (CounterName, f64)> {
    let mut all: IndexMap<CounterName, f64, FxBuildHasher> = IndexMap::default();
    for row in &line.counters {
        let most = all.entry(name(plane, line, row)).or_insert(row.value);
        *most = most.max(row.value);
    }
    all.into_iter()
}

/// Returns whether the values of a counter are numbers of bytes of the interval that begins with each event.
pub fn is_amount(profile: &Profile, counter: CounterName) -> bool {
    let event = profile.text(counter.event);
    event.contains("_bytes") && event.ends_with(".sum")
}

fn name(plane: &Plane, line: &Line, row: &CounterRow) -> CounterName {
    CounterName { event: plane.op(line.events.op(row.event as usize)).name, stat: row.stat }
}

/// Reads the values of a counter. A value holds for the duration of its event. The value of an instant holds until the next
/// value, and that of the last instant until `end`, the end of the session.
///
/// [Amounts](is_amount) are divided by the time to the next sample. If that one is more than one and a half median intervals
/// later, samples are missing, and the interval has the median length. A single sample has no interval, and no value.
#[expect(clippy::cast_precision_loss, reason = "a rate")]
pub fn values(
    plane: &Plane,
    line: &Line,
    times: LineTimes<'_>,
    counter: CounterName,
    (end, is_amount): (u64, bool),
) -> StepFunction {
    let rows = line.counters.iter().filter(|row| name(plane, line, row) == counter);
    let mut values: Vec<((u64, u64), f64)> = rows.map(|row| (times.time(row.event as usize), row.value)).collect();
    // The sort is stable: of several values at the same time, the last one in the file holds.
    values.sort_by_key(|((start, _), _)| *start);
    let between = values.windows(2).map(|pair| pair[1].0.0 - pair[0].0.0);
    let mut intervals: Vec<u64> = between.filter(|length| is_amount && *length > 0).collect();
    intervals.sort_unstable();
    let median = intervals.get(intervals.len() / 2).copied().unwrap_or(0);
    let mut steps = StepBuilder::default();
    let mut last = 0;
    for (index, ((start, until), value)) in values.iter().enumerate() {
        let next = values.get(index + 1).map(|((next, _), _)| *next);
        let until = if is_amount {
            next.filter(|next| next - start <= median.saturating_add(median / 2))
                .unwrap_or(start.saturating_add(median))
        } else if until - start > INSTANT {
            next.map_or(*until, |next| next.min(*until))
        } else {
            next.unwrap_or(end)
        };
        if is_amount && until == *start {
            continue;
        }
        let value = if is_amount { value / ((until - start) as f64 * 1e-12) } else { *value };
        steps.push(*start, value);
        if until < next.unwrap_or(end) {
            steps.push(until, f64::NAN);
        }
        last = until;
    }
    steps.finish(last)
}
