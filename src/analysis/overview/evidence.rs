//! This module holds what a finding is seen by: ops, steps, devices, host events and a small drawing.

use super::picture::Picture;
use crate::analysis::breakdown::row_label::function_name;
use crate::analysis::classify::{Kind, ModelModule};
use crate::analysis::gaps::{Gap, GapClass, host_class};
use crate::table::format::{counted, middle_cut};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// What a finding is seen by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The ops with the most time, at most five.
    pub ops: Vec<OpEvidence>,
    pub n_ops: u32,
    /// The modules of the model that have most of the time of all ops: one, or two together. Empty if no module is known, or if they
    /// are more.
    pub modules: Vec<ModelModule>,
    /// The keys of all ops, as a filter of the breakdown names them. Empty if they are too many, and in a report.
    pub op_keys: Vec<String>,
    /// The kind of all ops. `None` if they differ, if there are none, and in a report.
    pub kind: Option<Kind>,
    pub steps: Vec<u64>,
    pub devices: Vec<String>,
    /// Host events with the most time, at most five, with their time per step.
    pub host_events: Vec<(String, Picos)>,
    /// The longest stretches of time in the shown step, at most five, in order. Empty if there are no steps.
    pub spans: Vec<StepSpan>,
    /// The small drawing. `None` if there is nothing to draw but steps or devices.
    pub picture: Option<Picture>,
}

/// A stretch of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSpan {
    pub step: u64,
    /// Start after the start of the step.
    pub start: Picos,
    /// End after the start of the step.
    pub end: Picos,
}

/// An op that a finding is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpEvidence {
    pub name: String,
    pub program: Option<String>,
    pub program_id: Option<u64>,
    /// Innermost source line in the user's own code.
    pub source: Option<String>,
    /// Number of unrolled layers whose like ops are summed here; 1 for an op alone. `name` is the longest of them.
    pub n_layers: u32,
    /// Number of ops that are summed here because they are alike: those of the layers, and those with the same deduplicated name. It is 1
    /// for an op alone, and in a report.
    pub n_alike: u32,
    /// Time per step that the finding is about.
    pub time: Picos,
    /// Self time per step, as in the breakdown. It is more than `time` if a part belongs to another finding, or is in the shade of another
    /// op. `None` in a report.
    pub self_time: Option<Picos>,
}

impl OpEvidence {
    /// Returns the name, with the number of layers if there are several: `fusion.3 in 30 layers`, or with the number of ops like it:
    /// `fusion.3 and 63 ops like it`. Of the signature of a C++ kernel, it is the name of the function. A name longer than `longest`
    /// characters is cut in its middle.
    pub fn label(&self, longest: usize) -> String {
        let name = middle_cut(&function_name(&self.name), longest);
        match (self.n_layers, self.n_alike) {
            (2.., _) => format!("{name} in {} layers", self.n_layers),
            (_, 2..) => format!("{name} and {} like it", counted(u64::from(self.n_alike) - 1, "op", "ops")),
            _ => name,
        }
    }
}

/// Returns the host events in gaps with their times, the longest first.
pub(super) fn host_events_of<'g>(gaps: impl Iterator<Item = &'g Gap>) -> Vec<(String, Picos)> {
    let mut times: IndexMap<&str, Picos> = IndexMap::new();
    for event in gaps.flat_map(|gap| &gap.host_events) {
        *times.entry(&event.name).or_default() += event.total;
    }
    let mut events: Vec<(String, Picos)> = times.into_iter().map(|(name, time)| (name.to_owned(), time)).collect();
    events.small_sort_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
    events
}

/// Returns the event that says most about gaps of some classes. The events are in order of their time, the longest first.
pub(super) fn telling_event<'e>(events: &'e [(String, Picos)], classes: &[GapClass]) -> Option<&'e (String, Picos)> {
    // An event that gives the gaps their class says most. Else, of events that take at least half as long as the longest,
    // the shortest is usually the innermost one.
    let longest = events.first().map_or(Picos::ZERO, |(_, time)| *time);
    let is_about_as_long = |(_, time): &&(String, Picos)| time.fraction_of(longest).is_some_and(|share| share > 0.5);
    let is_of_class = |(name, _): &&(String, Picos)| host_class(name).is_some_and(|class| classes.contains(&class));
    events.iter().find(is_of_class).or_else(|| events.iter().rfind(is_about_as_long))
}
