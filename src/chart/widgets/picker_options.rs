//! This module lists the choices of the device picker and the step picker, and finds the neighbours of a choice. It
//! does not depend on menus.

use crate::analysis::base::{DeviceChoice, Filter, FilterField, GroupBy, Query, StepChoice, StepsBy};
use crate::protocol::{DeviceInfo, KindInfo, SessionInfo, StepInfo};
use crate::table::format;
use xla_profile::units::Picos;

/// The most characters of the name of a kind of steps.
const MAX_KIND: usize = 24;

/// One line of a picker's menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<T> {
    pub value: T,
    pub label: String,
    /// Text beside the label: a time, or a number of ops.
    pub detail: String,
}

/// Returns the choices of devices; with several devices, their mean and their sum come first. A summary offers only the
/// choice that it holds.
pub fn devices(session: &SessionInfo) -> Vec<Choice<DeviceChoice>> {
    let one = |(index, device): (usize, &DeviceInfo)| Choice {
        value: DeviceChoice::One(u32::try_from(index).unwrap_or(u32::MAX)),
        label: device.label.clone(),
        detail: format!("{} busy", format::time_text(device.busy)),
    };
    let n = session.devices.len();
    if let Some(summary) = &session.summary {
        // A summary holds one device, or the mean or the sum of all devices.
        let devices = session.devices.iter().enumerate().map(one).chain(mean_and_sum(n, None));
        return devices.filter(|choice| choice.value == summary.device).collect();
    }
    let busy = session.devices.iter().map(|device| device.busy).sum();
    let several = mean_and_sum(n, Some(busy)).into_iter().filter(|_| n > 1);
    several.chain(session.devices.iter().enumerate().map(one)).collect()
}

/// Returns the mean and the sum of `n` devices that are busy for the time `busy` together.
fn mean_and_sum(n: usize, busy: Option<Picos>) -> [Choice<DeviceChoice>; 2] {
    let choice = |value, label: String, busy: Option<Picos>| Choice {
        value,
        label,
        detail: busy.map_or_else(String::new, |busy| format!("{} busy", format::time_text(busy))),
    };
    let mean = busy.map(|busy| Picos(busy.0 / (n as u64).max(1)));
    [choice(DeviceChoice::Mean, format!("Mean of {n}"), mean), choice(DeviceChoice::All, format!("Sum of {n}"), busy)]
}

/// Returns the device whose steps the step picker lists: the selected device, or for several devices the one with the
/// most steps.
fn step_source_device(session: &SessionInfo, device: DeviceChoice) -> Option<&DeviceInfo> {
    match device {
        DeviceChoice::One(index) => session.devices.get(index as usize),
        DeviceChoice::Mean | DeviceChoice::All => session.devices.iter().rev().max_by_key(|device| device.steps.len()),
    }
}

/// Replaces a device or a step that the session does not have by the default one.
pub fn clamp_query(session: &SessionInfo, query: Query) -> Query {
    let device = match query.device {
        DeviceChoice::One(index) if index as usize >= session.devices.len() => session.usual_query.device,
        DeviceChoice::Mean | DeviceChoice::All if session.devices.len() < 2 => session.usual_query.device,
        device => device,
    };
    // A step beyond the listed ones may exist.
    let has_step = |device: &DeviceInfo, number| {
        device.n_steps as usize > device.steps.len() || device.steps.iter().any(|step| step.number == number)
    };
    let known = |number| step_source_device(session, device).is_some_and(|device| has_step(device, number));
    let step = match query.step {
        StepChoice::Number(number) if !known(number) => StepChoice::default(),
        step => step,
    };
    Query { device, step, ..query }
}

/// Returns the device to show when the session `before`, of which only some devices had been read, becomes `after`: the same
/// device, or the one to show first if that was shown before.
pub fn device_after(before: &SessionInfo, after: &SessionInfo, device: DeviceChoice) -> DeviceChoice {
    match device {
        device if device == before.usual_query.device => after.usual_query.device,
        DeviceChoice::One(index) => {
            let name = before.devices.get(index as usize).map(|device| &device.name);
            let place = after.devices.iter().position(|device| Some(&device.name) == name);
            place.map_or(after.usual_query.device, |place| DeviceChoice::One(place as u32))
        }
        DeviceChoice::Mean | DeviceChoice::All => device,
    }
}

/// Restricts a query to the contents of a summary: one step, one choice of devices, and few groupings. Returns the
/// query unchanged for a session of captures.
pub fn available_query(session: &SessionInfo, query: Query) -> Query {
    let Some(summary) = &session.summary else { return query };
    let by = if session.capabilities.groups_breakdown_by(query.by) { query.by } else { GroupBy::default() };
    let is_available =
        query.filter.scope.is_empty() && (query.filter.within != FilterField::Source || summary.has_sources);
    let filter = if is_available { query.filter } else { Filter::default() };
    Query { device: summary.device, step: summary.step, by, filter }
}

/// The methods of finding steps that the picker offers.
const STEP_METHODS: [(StepsBy, &str); 5] = [
    (StepsBy::FirstThatFits, "Automatically"),
    (StepsBy::Annotation, "By annotations of the program"),
    (StepsBy::Line, "By the “Steps” line of the device"),
    (StepsBy::Sequence, "By programs that repeat"),
    (StepsBy::All, "Not at all: the whole capture"),
];

/// Returns the methods of finding steps as choices. The value is an index for [`step_method`].
pub fn step_methods() -> Vec<Choice<u32>> {
    let choice = |(index, (_, label)): (usize, &(StepsBy, &str))| Choice {
        value: index as u32,
        label: (*label).to_owned(),
        detail: String::new(),
    };
    STEP_METHODS.iter().enumerate().map(choice).collect()
}

/// Returns a method of finding steps.
pub fn step_method(index: u32) -> Option<StepsBy> {
    STEP_METHODS.get(index as usize).map(|(by, _)| by.clone())
}

/// Returns the index of the method by which the steps of a session were found.
pub fn step_method_index(session: &SessionInfo) -> u32 {
    STEP_METHODS.iter().position(|(by, _)| *by == session.steps_by).map_or(u32::MAX, |index| index as u32)
}

/// Choices of the step picker: the mean of the steady steps, the whole capture, then the steps of a device. Lines are
/// created on demand, because a capture can have a million steps.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    /// The only choice, if the session is a summary.
    only: Option<StepChoice>,
    /// Number of steady steps, if there are any.
    n_steady: Option<u32>,
    /// The kinds of steps, that of the mean first; in a summary, that of its mean alone. Empty if all steps are of one kind.
    kinds: &'a [KindInfo],
    steps: &'a [StepInfo],
}

/// Returns the choices of the step picker.
pub fn steps(session: &SessionInfo, device: DeviceChoice) -> Steps<'_> {
    let only = session.summary.as_ref().map(|summary| match summary.step {
        one @ (StepChoice::Number(_) | StepChoice::Mean | StepChoice::Kind(_) | StepChoice::Range(_)) => one,
        StepChoice::All | StepChoice::Busiest => StepChoice::All,
    });
    let source = step_source_device(session, device);
    let n_steady = source.map(|device| device.n_steady).filter(|n| *n > 0);
    let steps = source.filter(|_| only.is_none()).map_or(&[][..], |device| &device.steps);
    let kinds = source.map_or(&[][..], |device| &device.kinds);
    Steps { only, n_steady, kinds, steps }
}

impl Steps<'_> {
    /// Returns the number of choices.
    pub const fn count(&self) -> usize {
        self.n_first() + self.steps.len()
    }

    /// Returns the number of single steps.
    pub const fn n_steps(&self) -> usize {
        self.steps.len()
    }

    /// Returns the number of steps to show beside a choice: all of them. 0 beside the mean of one of several kinds, which has fewer.
    pub const fn n_steps_beside(&self, choice: StepChoice) -> usize {
        if choice.is_mean() && !self.kinds.is_empty() { 0 } else { self.n_steps() }
    }

    /// Returns the number of choices before the single steps.
    pub const fn n_first(&self) -> usize {
        let n_means = if self.n_steady.is_none() {
            0
        } else if self.kinds.is_empty() {
            1
        } else {
            self.kinds.len()
        };
        if self.only.is_none() { n_means + 1 } else { 1 }
    }

    /// Returns the choice at an index that is less than [`Self::n_first`].
    fn first_choice(&self, index: usize) -> StepChoice {
        self.only.unwrap_or_else(|| match index {
            _ if index + 1 == self.n_first() => StepChoice::All,
            0 => StepChoice::Mean,
            _ => self.kinds.get(index).map_or(StepChoice::Mean, |kind| StepChoice::Kind(kind.kind)),
        })
    }

    /// Returns the kind of a mean. `None` if all steps are of one kind, or if the choice is no mean.
    fn kind(&self, choice: StepChoice) -> Option<&KindInfo> {
        match choice {
            StepChoice::Mean => self.kinds.first(),
            StepChoice::Kind(kind) => self.kinds.iter().find(|other| other.kind == kind),
            _ => None,
        }
    }

    /// Returns the name of a choice.
    pub fn label(&self, choice: StepChoice) -> String {
        match choice {
            StepChoice::Number(number) => format!("Step {number}"),
            StepChoice::Mean | StepChoice::Kind(_) => match self.kind(choice) {
                Some(kind) => format!("Mean step, {}", format::middle_cut(&kind.name, MAX_KIND)),
                None => "Mean step".to_owned(),
            },
            StepChoice::All | StepChoice::Busiest => "Whole capture".to_owned(),
            StepChoice::Range(range) => format!("Range of {}", format::time_text(range.length())),
        }
    }

    /// Returns the choice at an index.
    pub fn get(&self, index: usize) -> Option<Choice<StepChoice>> {
        let Some(before) = index.checked_sub(self.n_first()) else {
            let value = self.first_choice(index);
            let own = self.kind(value).map(|kind| kind.n_steady);
            let n_steady = own.or(self.n_steady).filter(|_| value.is_mean());
            let detail =
                n_steady.map_or_else(String::new, |n| format::counted(n.into(), "steady step", "steady steps"));
            return Some(Choice { value, label: self.label(value), detail });
        };
        let step = self.steps.get(before)?;
        let detail = if step.name == step.number.to_string() {
            format::time_text(step.duration)
        } else {
            format!("{}, {}", program(&step.name), format::time_text(step.duration))
        };
        let value = StepChoice::Number(step.number);
        Some(Choice { value, label: self.label(value), detail })
    }

    /// Returns the index of a choice.
    pub fn position(&self, choice: StepChoice) -> Option<usize> {
        if let Some(index) = (0..self.n_first()).find(|index| self.first_choice(*index) == choice) {
            return Some(index);
        }
        let StepChoice::Number(number) = choice else { return None };
        self.steps.iter().position(|step| step.number == number).map(|index| index + self.n_first())
    }

    /// Returns the choice `by` places after `from`; `None` beyond either end.
    pub fn neighbour(&self, from: StepChoice, by: isize) -> Option<StepChoice> {
        let index = self.position(from)?.checked_add_signed(by)?;
        match index.checked_sub(self.n_first()) {
            None => Some(self.first_choice(index)),
            Some(before) => self.steps.get(before).map(|step| StepChoice::Number(step.number)),
        }
    }
}

/// Removes the program's number from its name: "jit_f" for "jit_f(1219076091723580382)".
fn program(name: &str) -> &str {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_suffix(')')
        .and_then(|name| name.rsplit_once('('))
        .filter(|(_, id)| is_number(id))
        .map_or(name, |(name, _)| name)
}

/// Returns the choice `by` places after `from`; `None` beyond either end.
pub fn neighbour<T: Copy + PartialEq>(choices: &[Choice<T>], from: T, by: isize) -> Option<T> {
    let index = choices.iter().position(|choice| choice.value == from)?;
    choices.get(index.checked_add_signed(by)?).map(|choice| choice.value)
}

/// Returns the text of the file picker: the name of the only file, or of the first file with the number of further
/// files.
pub fn session_name(names: &[String]) -> String {
    let base = |path: &str| crate::table::format::last_segment(path).to_owned();
    match names {
        [] => "no file".to_owned(),
        [one] => base(one),
        [first, rest @ ..] => format!("{} + {}", base(first), rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Capabilities, SharedReportInfo, StepInfo};

    pub(crate) fn session(n_devices: u32, n_steps: u64) -> SessionInfo {
        let step = |number| StepInfo { number, name: number.to_string(), duration: Picos(1_000_000_000), n_ops: 5 };
        let device = |n: u32| DeviceInfo {
            name: format!("/device:TPU:{n}"),
            label: format!("TPU:{n}"),
            device_type: None,
            n_ops: 10,
            busy: Picos(2_000_000_000),
            steps: (0..n_steps).map(step).collect(),
            n_steps: n_steps as u32,
            n_steady: n_steps.saturating_sub(1) as u32,
            kinds: Vec::new(),
        };
        SessionInfo {
            files: Vec::new(),
            devices: (0..n_devices).map(device).collect(),
            usual_query: Query::default(),
            steps_by: StepsBy::default(),
            planes: Vec::new(),
            notes: Vec::new(),
            partial: None,
            reading: None,
            captures: Vec::new(),
            n_events: 0,
            summary: None,
            capabilities: Capabilities::capture(),
            framework: crate::analysis::base::Framework::Unknown,
        }
    }

    fn all(steps: Steps<'_>) -> Vec<(StepChoice, String)> {
        (0..steps.count()).filter_map(|index| steps.get(index)).map(|one| (one.value, one.label)).collect()
    }

    #[test]
    fn several_devices_can_be_summed() {
        let many = devices(&session(2, 0));
        assert_eq!(
            many.iter().map(|c| c.label.as_str()).collect::<Vec<_>>(),
            ["Mean of 2", "Sum of 2", "TPU:0", "TPU:1"]
        );
        assert_eq!([&*many[0].detail, &*many[1].detail], ["2.00 ms busy", "4.00 ms busy"]);
        assert_eq!(devices(&session(1, 0)).len(), 1);
    }

    #[test]
    fn a_summary_offers_what_it_holds() {
        let summary = SharedReportInfo {
            comparison: None,
            sentence: String::new(),
            device: DeviceChoice::One(1),
            step: StepChoice::Number(2),
            level: 25,
            has_sources: false,
            is_anonymous: false,
        };
        let mut session =
            SessionInfo { summary: Some(summary), capabilities: Capabilities::report(false, true), ..session(3, 4) };
        assert_eq!(devices(&session).iter().map(|one| one.label.as_str()).collect::<Vec<_>>(), ["TPU:1"]);
        assert_eq!(all(steps(&session, DeviceChoice::One(1))), [(StepChoice::Number(2), "Step 2".to_owned())]);
        let query_by = |by, within| Query {
            by,
            filter: Filter { text: "a".to_owned(), within, ..Filter::default() },
            ..Query::default()
        };
        let query = available_query(&session, query_by(GroupBy::Category, FilterField::Source));
        assert_eq!(
            (query.by, query.filter.is_empty()),
            (GroupBy::Op, true),
            "neither categories of what is summed, nor sources"
        );
        assert_eq!((query.device, query.step), (DeviceChoice::One(1), StepChoice::Number(2)));
        session.capabilities = Capabilities::report(true, true);
        let query = available_query(&session, query_by(GroupBy::Category, FilterField::default()));
        assert_eq!((query.by, &*query.filter.text), (GroupBy::Category, "a"));
        session
            .summary
            .iter_mut()
            .for_each(|summary| (summary.device, summary.step) = (DeviceChoice::All, StepChoice::All));
        assert_eq!(devices(&session).iter().map(|one| one.label.as_str()).collect::<Vec<_>>(), ["Sum of 3"]);
        assert_eq!(all(steps(&session, DeviceChoice::All)), [(StepChoice::All, "Whole capture".to_owned())]);
    }

    #[test]
    fn steps_have_neighbours_and_ends() {
        let session = session(1, 3);
        let steps = steps(&session, DeviceChoice::One(0));
        assert_eq!(steps.count(), 5);
        let labels: Vec<_> = all(steps).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["Mean step", "Whole capture", "Step 0", "Step 1", "Step 2"]);
        assert_eq!(steps.get(2).map(|step| step.detail).as_deref(), Some("1.00 ms"));
        assert_eq!(steps.neighbour(StepChoice::Number(1), 1), Some(StepChoice::Number(2)));
        assert_eq!(steps.neighbour(StepChoice::Number(2), 1), None);
        assert_eq!(steps.neighbour(StepChoice::Number(0), -1), Some(StepChoice::All));
        assert_eq!(steps.neighbour(StepChoice::All, -1), Some(StepChoice::Mean));
        assert_eq!(steps.neighbour(StepChoice::Mean, -1), None);
        assert_eq!(steps.neighbour(StepChoice::Busiest, 1), None);
        assert_eq!((steps.position(StepChoice::Number(2)), steps.position(StepChoice::Number(9))), (Some(4), None));
    }

    #[test]
    fn programs_lose_their_number() {
        assert_eq!(program("jit_f(1219076091723580382)"), "jit_f");
        assert_eq!([program("jit_f(x)"), program("f"), program("(1)")], ["jit_f(x)", "f", ""]);
    }

    #[test]
    fn a_session_is_named_after_its_files() {
        let name = |names: &[&str]| session_name(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        assert_eq!(name(&["run/host.xplane.pb"]), "host.xplane.pb");
        assert_eq!(name(&["a.pb", "b.pb", "c.pb"]), "a.pb + 2");
        assert_eq!(name(&[]), "no file");
    }
}
