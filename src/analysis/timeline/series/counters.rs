//! This module writes the titles, units and explanations of counters.

use super::report::SeriesUnit;
use crate::analysis::counters::{CounterName, is_amount};
use xla_profile::profile::Profile;

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
        () if has("%") || has("percent") || has(".pct") => SeriesUnit::Percent,
        () if has("bytes/s") || has("bytes_per_s") => SeriesUnit::BytesPerSecond,
        () if has("bytes") && (is_amount(profile, counter) || has("per_second")) => SeriesUnit::BytesPerSecond,
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
        _ if is_amount(profile, counter) => {
            format!(
                "The bytes that the hardware counter {event} counted between two samples, divided by the time between them."
            )
        }
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
