//! This module selects the devices and the window of a query, and computes their times, sums and notes. The breakdown
//! and the scopes start from this selection. The module does not depend on the grouping into rows.

use super::device::{Clock, Device, Step};
use super::device_notes::{beyond_sums, is_beyond_sums};
use super::op_times::{OpTimes, Window, mean_times};
use super::platform::{Platform, device_type};
use super::query::{DeviceChoice, Query, StepChoice};
use super::report::{Header, Mean, Peaks, Status, Totals};
use super::rows::Slice;
use super::scale::Scale;
use super::spread::Spread;
use crate::analysis::base::Analysis;
use crate::analysis::classify::{Kind, PlaneFacts};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xla_profile::profile::{Note, NoteCode, OpId, OpKey, Plane, Profile, Severity};
use xla_profile::units::Picos;

/// The devices and the window of a query.
pub struct Selection {
    pub header: Header,
    /// Sums over all ops, whatever the filter.
    pub totals: Totals,
    /// Times of the ops of each device that has the step, in the order of the devices.
    pub slices: Vec<Slice>,
    /// Indices of the selected devices in order, including those without the step.
    pub chosen: Vec<usize>,
    /// The step of the query. The mean of a capture without steady steps becomes the busiest step.
    pub step: StepChoice,
    /// The factor from sums over the windows to the figures of the query.
    pub scale: Scale,
    /// Notes on assumptions and on data that is left out.
    pub notes: Vec<Note>,
}

impl Analysis {
    /// Selects the devices and the window of a query, and measures the times of their ops.
    pub(in crate::analysis) fn selection(&self, profile: &Profile, query: &Query) -> Selection {
        let mut notes = self.notes.clone();
        let chosen = self.chosen_devices(query.device);
        let step = self.step_or_busiest(query.step, &chosen);
        let windows: Vec<(usize, Option<Window>)> =
            chosen.iter().map(|index| (*index, self.devices[*index].choose(step))).collect();
        let (scale, mut mean) = scale(query.device, step, &windows);
        mean.periods = mean.n_steps.and_then(|_| self.periods(query.device, step, &chosen));
        mean.kind = mean.n_steps.and_then(|_| self.kind_of_mean(step, &chosen));
        mean.step_is = mean.n_steps.and_then(|_| self.describe_step(self.devices.get(*chosen.first()?)?, step));
        let mut totals = Totals::default();
        let mut slices = Vec::new();
        let (mut window, mut duration, mut step_name) = (None, None::<Picos>, None);
        let mut exact_duration = 0_u128;
        let windows: Vec<(usize, Window)> =
            windows.into_iter().filter_map(|(index, window)| Some((index, window?))).collect();
        let not_in_file = |(index, _): &(usize, Window)| -> Picos {
            let device = &self.devices[*index];
            let range = device.chosen_range(step);
            device.chosen_steps(step, range.as_ref()).iter().map(|step| step.not_in_file).sum()
        };
        let not_in_file = scale.time(windows.iter().map(not_in_file).sum());
        let measured = self.op_times(profile, &windows);
        for ((index, window_of), measured) in windows.into_iter().zip(measured) {
            let device = &self.devices[index];
            let plane = &profile.planes[device.plane];
            let measured = mean_times(measured, scale);
            let length = scale.time(Picos(window_of.spans.length()));
            add_totals(&mut totals, &measured, &self.facts[index], plane, profile, length);
            duration = Some(duration.unwrap_or_default() + length);
            exact_duration += u128::from(length.0);
            let hull = if window_of.whole { device.whole } else { window_of.spans.hull() };
            window = Some((Picos(hull.0), Picos(hull.1)));
            step_name.get_or_insert(window_of.name);
            if measured.lost_lines > 0 {
                let message = "The times of an op line lie outside its plane, so the line is left out.";
                notes.push(Note::new(Severity::Caution, NoteCode::ImplausibleTime, message).with_place(&device.label));
            }
            slices.push(Slice { device: index, measured, chosen: None });
        }
        // The notes of the session cover its steps and the whole capture. A range of time may be longer.
        let is_beyond = is_beyond_sums(exact_duration);
        if is_beyond && self.beyond_sums().is_none() {
            notes.push(beyond_sums());
        }
        let missing = chosen.len() - slices.len();
        if missing > 0 {
            let message = format!("{missing} of {} devices do not have this step and are not included.", chosen.len());
            notes.push(Note::new(Severity::Caution, NoteCode::StepMissing, message));
        }
        if totals.n_unresolved > 0 {
            let message = format!(
                "{} events have no metadata. Their time counts as “unresolved event”, of kind other.",
                totals.n_unresolved
            );
            notes.push(Note::new(Severity::Caution, NoteCode::UnresolvedEvents, message));
        }
        notes.extend(unknown_categories(&totals));
        notes.extend(self.clock_notes(&chosen, step));
        notes.extend(self.mean_notes(query.step, step, &chosen));
        notes.extend(self.lines_note(&slices, &totals));
        notes.extend(self.only_copies(&chosen, &totals));
        let device_of = |i: &usize| &profile.planes[self.devices[*i].plane];
        let types: Vec<String> = chosen.iter().filter_map(|i| device_type(device_of(i))).collect();
        let types: Vec<&str> = types.iter().map(String::as_str).collect::<BTreeSet<&str>>().into_iter().collect();
        let header = Header {
            status: match duration {
                Some(_) if is_beyond => Status::Partial,
                Some(_) => Status::Ok,
                None => Status::Absent,
            },
            device: match chosen.as_slice() {
                [] => None,
                [one] => Some(self.devices[*one].label.clone()),
                many => mean
                    .n_devices
                    .map(|n| format!("mean of {n} devices"))
                    .or_else(|| Some(format!("{} devices", many.len()))),
            },
            n_devices: chosen.len() as u32,
            device_type: (!types.is_empty()).then(|| types.join(", ")),
            step: step_name.unwrap_or_else(|| step.to_string()),
            mean,
            n_steps: chosen.iter().map(|i| self.devices[*i].steps.len() as u32).max().unwrap_or(0),
            window: window.filter(|_| chosen.len() == 1 && !step.is_mean()),
            step_duration: duration,
            not_in_file: (not_in_file > Picos::ZERO).then_some(not_in_file),
            peaks: Peaks {
                flops: alike(chosen.iter().map(|i| device_of(i).number_stat("peak_teraflops_per_second")))
                    .map(|v| v * 1e12),
                hbm_bytes: alike(chosen.iter().map(|i| device_of(i).number_stat("peak_hbm_bw_gigabytes_per_second")))
                    .map(|v| v * 1e9),
            },
        };
        Selection { header, totals, slices, chosen, step, scale, notes }
    }

    /// Returns the self time of each op in ps on each device that has the step: the times of a breakdown of that device alone.
    /// A device on which an op does not run is left out.
    pub fn self_times_by_device(&self, profile: &Profile, step: StepChoice) -> IndexMap<OpKey, Vec<u64>> {
        let all = self.chosen_devices(DeviceChoice::All);
        let step = self.step_or_busiest(step, &all);
        let window = |index: &usize| Some((*index, self.devices[*index].choose(step)?));
        let windows: Vec<(usize, Window)> = all.iter().filter_map(window).collect();
        let mut times: IndexMap<OpKey, Vec<u64>> = IndexMap::default();
        for ((index, window), measured) in windows.iter().zip(self.op_times(profile, &windows)) {
            let measured = mean_times(measured, Scale::new(1, window.n_steps.into()));
            let mut of_device: IndexMap<OpKey, u64> = IndexMap::default();
            let ops = &profile.planes[self.devices[*index].plane].ops;
            for (op, time) in ops.iter().zip(&measured.ops).filter(|(_, time)| time.n > 0 || time.self_time > 0) {
                let sum = of_device.entry(op.key()).or_default();
                *sum = sum.saturating_add(time.self_time);
            }
            of_device.into_iter().for_each(|(op, time)| times.entry(op).or_default().push(time));
        }
        times
    }

    /// Returns the indices of the devices of a choice. Empty if the session does not have the device.
    pub(in crate::analysis) fn chosen_devices(&self, choice: DeviceChoice) -> Vec<usize> {
        match choice {
            DeviceChoice::One(i) => Some(i as usize).filter(|i| *i < self.devices.len()).into_iter().collect(),
            DeviceChoice::Mean | DeviceChoice::All => (0..self.devices.len()).collect(),
        }
    }

    /// Returns the step choice that stands for `step` on the devices `chosen`: the busiest step for the mean, if none of
    /// them has a steady step.
    pub(in crate::analysis) fn step_or_busiest(&self, step: StepChoice, chosen: &[usize]) -> StepChoice {
        let has_steady = |index: &usize| self.devices[*index].steady_steps_of(step).next().is_some();
        let is_absent = step.is_mean() && !chosen.iter().any(has_steady);
        if is_absent { StepChoice::Busiest } else { step }
    }

    /// Returns the factor of each step by its number, for sums over `devices`: 1, or for a mean of devices 1 ÷ the number
    /// of those that have the step.
    pub(in crate::analysis) fn scale_of_steps(
        &self,
        choice: DeviceChoice,
        devices: &[usize],
    ) -> impl Fn(u64) -> Scale + use<> {
        let mut n_devices: FxHashMap<u64, u64> = FxHashMap::default();
        if choice == DeviceChoice::Mean {
            let numbers = devices.iter().flat_map(|device| &self.devices[*device].steps).map(|step| step.number);
            numbers.for_each(|number| *n_devices.entry(number).or_default() += 1);
        }
        move |number| Scale::new(1, n_devices.get(&number).copied().unwrap_or(1))
    }

    /// Returns whether a step is among the `max_steps` steps of some devices with the lowest numbers. Steps of the same number
    /// count as one.
    pub(in crate::analysis) fn lowest_steps(
        &self,
        devices: &[usize],
        max_steps: usize,
    ) -> impl Fn(&Step) -> bool + use<> {
        let steps = devices.iter().flat_map(|device| &self.devices[*device].steps);
        let mut numbers: Vec<u64> = if steps.clone().nth(max_steps).is_none() || max_steps == 0 {
            Vec::new()
        } else {
            steps.map(|step| step.number).collect()
        };
        numbers.sort_unstable();
        numbers.dedup();
        let first_left_out = numbers.get(max_steps).copied();
        move |step| max_steps > 0 && first_left_out.is_none_or(|number| step.number < number)
    }

    /// Returns the statistics of the periods of steady steps. The period of a step is the mean or the sum of the devices
    /// `chosen` that have it.
    fn periods(&self, choice: DeviceChoice, step: StepChoice, chosen: &[usize]) -> Option<Spread> {
        let steady = chosen.iter().flat_map(|index| self.devices[*index].steady_steps_of(step));
        let mut lengths: Vec<(u64, Picos)> = steady.map(|step| (step.number, step.length())).collect();
        lengths.sort_unstable();
        let period = |lengths: &[(u64, Picos)]| {
            let sum: Picos = lengths.iter().map(|(_, length)| *length).sum();
            match choice {
                DeviceChoice::Mean => Picos(sum.0 / lengths.len() as u64),
                DeviceChoice::One(_) | DeviceChoice::All => sum,
            }
        };
        Spread::new(lengths.chunk_by(|(a, _), (b, _)| a == b).map(period).collect())
    }

    /// Returns the name of the kind of steps that a mean covers. `None` if all steps are of one kind.
    fn kind_of_mean(&self, step: StepChoice, chosen: &[usize]) -> Option<String> {
        let main = || self.devices.get(*chosen.first()?).map(|device| device.main_kind);
        let kind = if let StepChoice::Kind(kind) = step { Some(kind) } else { main() };
        self.kinds.get(usize::from(kind?)).filter(|_| self.kinds.len() > 1).map(|kind| kind.name.clone())
    }

    /// Returns a note if a mean over steps is requested that the capture does not have, or if few steps are steady.
    fn mean_notes(&self, requested: StepChoice, step: StepChoice, chosen: &[usize]) -> Option<Note> {
        let note = |message: &str| Some(Note::new(Severity::Info, NoteCode::FewSteps, message));
        let any = |is: fn(&Device) -> bool| chosen.iter().any(|index| is(&self.devices[*index]));
        match (requested, step) {
            (StepChoice::Mean, StepChoice::Mean) if any(|device| device.has_few_steady) => {
                note("Fewer than three steps are steady, so the mean covers all steps whose end is in the capture.")
            }
            (StepChoice::Mean | StepChoice::Kind(_), StepChoice::Busiest) if any(|device| !device.steps.is_empty()) => {
                note("No step ends within the capture, so there is no mean over steps. The longest step is shown.")
            }
            _ => None,
        }
    }

    /// Returns a note if ops of one device ran on several lines at the same time.
    fn lines_note(&self, slices: &[Slice], totals: &Totals) -> Option<Note> {
        let device = slices.iter().map(|slice| &self.devices[slice.device]).find(|device| device.ops.len() > 1)?;
        let twice = totals.busy.saturating_sub(totals.union);
        (twice > Picos::ZERO).then(|| {
            let lines = device.platform.lines();
            let message = format!(
                "Ops run on several {lines} at the same time. Busy time is the sum over {lines}, {twice} more than the time with at \
                 least one op. Idle time is the time without any op."
            );
            Note::new(Severity::Info, NoteCode::LinesSideBySide, message)
        })
    }

    /// Returns a note if the selected device is a GPU that ran only copies in the window, and the session has other
    /// devices.
    fn only_copies(&self, chosen: &[usize], totals: &Totals) -> Option<Note> {
        let [one] = chosen else { return None };
        let device = &self.devices[*one];
        let moved = totals.by_kind[Kind::DataMovement.index()];
        let only = device.platform == Platform::Gpu && moved > Picos::ZERO && moved == totals.busy;
        (only && self.devices.len() > 1).then(|| {
            let message = "Only copies ran on this device in the window. Choose another device.";
            Note::new(Severity::Info, NoteCode::OnlyCopies, message).with_place(&device.label)
        })
    }

    fn clock_notes(&self, chosen: &[usize], step: StepChoice) -> Option<Note> {
        let differs = |i: &&usize| {
            let device = &self.devices[**i];
            device.op_clock == Clock::Device && device.step_clock != Clock::Device && !device.steps.is_empty()
        };
        let n = chosen.iter().filter(differs).count();
        (n > 0 && step != StepChoice::All).then(|| {
            let message = "Steps have no time on the device clock, so the numbers of a step use the clock of events. \
                           Numbers of the whole capture use the device clock; durations differ slightly.";
            Note::new(Severity::Info, NoteCode::EventClockForSteps, message)
        })
    }
}

/// Returns the factor from sums over windows to the figures of a query, and the means that it makes.
fn scale(device: DeviceChoice, step: StepChoice, windows: &[(usize, Option<Window>)]) -> (Scale, Mean) {
    let (n_chosen, mut n_devices, mut n_windows, mut n_steps) = (windows.len(), 0, 0, 0);
    for window in windows.iter().filter_map(|(_, window)| window.as_ref()) {
        n_devices += 1;
        n_windows += u64::from(window.n_steps);
        n_steps = n_steps.max(window.n_steps);
    }
    let is_mean = device == DeviceChoice::Mean;
    let mean = Mean {
        n_steps: step.is_mean().then_some(n_steps),
        kind: None,
        step_is: None,
        n_devices: (is_mean && n_chosen > 1).then_some(n_devices),
        periods: None,
    };
    (Scale::new(if is_mean { 1 } else { n_devices.into() }, n_windows), mean)
}

/// Returns the common value; `None` if values differ or if one is absent.
fn alike(mut values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let first = values.next()??;
    values.all(|v| v.is_some_and(|v| v.to_bits() == first.to_bits())).then_some(first)
}

fn add_totals(
    totals: &mut Totals,
    measured: &OpTimes,
    facts: &PlaneFacts,
    plane: &Plane,
    profile: &Profile,
    window: Picos,
) {
    for (i, (time, facts)) in measured.ops.iter().zip(&facts.ops).enumerate() {
        if time.n == 0 && time.self_time == 0 {
            continue;
        }
        let self_time = Picos(time.self_time);
        totals.by_kind[facts.kind.index()] += self_time;
        totals.busy += self_time;
        totals.n_events += time.n;
        if facts.kind == Kind::Container {
            totals.container_inclusive += Picos(time.inclusive);
        }
        if !plane.op(OpId(i as u32)).resolved {
            totals.n_unresolved += time.n;
        } else if !facts.known {
            let name = facts.category.map_or("<none>", |c| profile.text(c));
            *totals.unknown_categories.entry(name.to_owned()).or_default() += self_time;
        }
    }
    let union = Picos(measured.union);
    totals.union += union;
    totals.idle += window.saturating_sub(union);
}

fn unknown_categories(totals: &Totals) -> Option<Note> {
    let time: Picos = totals.unknown_categories.values().copied().sum();
    let share = time.fraction_of(totals.busy)?;
    (time > Picos::ZERO).then(|| {
        let names: Vec<&str> = totals.unknown_categories.keys().map(String::as_str).take(5).collect();
        let percent = share * 100.0;
        // A small time is not reported as "0.00 %".
        let share = if percent < 0.01 { "Under 0.01 %".to_owned() } else { format!("{percent:.2} %") };
        let message =
            format!("{share} of busy time has unknown categories ({}) and counts as other.", names.join(", "));
        Note::new(Severity::Caution, NoteCode::UnknownCategories, message)
    })
}
