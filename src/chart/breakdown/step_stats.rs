//! This module turns statistics over steps into bars, figures and tooltips. The layout is in `plot`. This module does
//! not depend on a browser.

use super::spread_text::{rounded, spread_text};
use crate::analysis::base::{DeviceChoice, Spread, StepChoice};
use crate::analysis::breakdown::{AcrossDevices, DeviceSteps, StepStats, StepTime};
use crate::analysis::classify::Kind;
use crate::chart::plot::devices::Device;
use crate::chart::plot::step::{Step, StepPart};
use crate::chart::widgets::figure::Formula;
use crate::chart::widgets::tip::{Tip, row};
use crate::table::format;
use rustc_hash::{FxHashMap, FxHashSet};
use xla_profile::units::Picos;

/// Returns the device whose steps are the bars. For all devices, this is the device with the most steps, the first of
/// several.
fn device(stats: &StepStats, choice: DeviceChoice) -> Option<&DeviceSteps> {
    match choice {
        DeviceChoice::One(index) => stats.devices.get(index as usize),
        DeviceChoice::Mean | DeviceChoice::All => stats.devices.iter().rev().max_by_key(|device| device.steps.len()),
    }
}

/// Returns the steps as bars, of one device or as means over all devices.
pub fn steps(stats: &StepStats, choice: DeviceChoice) -> Vec<Step> {
    let Some(device) = device(stats, choice) else { return Vec::new() };
    let one = |step: &StepTime| Step {
        name: step.number.to_string(),
        duration: step.length,
        parts: step.by_kind.into_iter().chain([step.idle]).collect(),
        spread: None,
        is_left_out: step.not_steady.is_some(),
        remarks: remarks(step),
    };
    if choice.single().is_some() {
        return device.steps.iter().map(one).collect();
    }
    // One map from step number to steps replaces a search per step, because a capture may have a million steps.
    let mut all: FxHashMap<u64, Vec<&StepTime>> = FxHashMap::default();
    for device in &stats.devices {
        let mut known = FxHashSet::default();
        // If a device has several steps with the same number, the first one counts.
        for step in device.steps.iter().filter(|step| known.insert(step.number)) {
            all.entry(step.number).or_default().push(step);
        }
    }
    let mean = |step: &StepTime| mean(all.get(&step.number)?);
    device.steps.iter().map(|step| mean(step).unwrap_or_else(|| one(step))).collect()
}

/// Returns the mean over the steps of one number on several devices, with the range of their lengths. `None` if `all` is
/// empty.
fn mean(all: &[&StepTime]) -> Option<Step> {
    let number = all.first()?.number;
    let n = u64::try_from(all.len()).ok().filter(|n| *n > 0)?;
    let mean = |time: &dyn Fn(&StepTime) -> Picos| Picos(all.iter().map(|step| time(step)).sum::<Picos>().0 / n);
    let lengths = || all.iter().map(|step| step.length);
    let ends = lengths().min().zip(lengths().max()).filter(|_| n > 1);
    Some(Step {
        name: number.to_string(),
        duration: mean(&|step| step.length),
        parts: (0..Kind::ALL.len())
            .map(|index| mean(&|step| step.by_kind.get(index).copied().unwrap_or_default()))
            .chain([mean(&|step| step.idle)])
            .collect(),
        spread: ends,
        is_left_out: all.iter().any(|step| step.not_steady.is_some()),
        remarks: Vec::new(),
    })
}

/// Returns what the tooltip of a step says beside its times: the length of its event, if that is not the period, and
/// why the step is not steady.
fn remarks(step: &StepTime) -> Vec<(&'static str, String)> {
    let event = (step.duration != step.length).then(|| ("Event", format::time_text(step.duration)));
    event.into_iter().chain(step.not_steady.map(|reason| ("Not steady", reason.label().to_owned()))).collect()
}

/// Returns the device of the bars: "TPU:0", or "the mean of 4 devices". A shared link can hold only the first steps:
/// "TPU:0, the first 8 of 100 steps".
pub fn device_text(stats: &StepStats, choice: DeviceChoice) -> String {
    let subject = match choice {
        DeviceChoice::One(index) => {
            stats.devices.get(index as usize).map_or_else(String::new, |device| device.label.clone())
        }
        DeviceChoice::Mean | DeviceChoice::All => {
            format!("the mean of {}", format::counted(stats.devices.len() as u64, "device", "devices"))
        }
    };
    let drawn_and_all =
        device(stats, choice).and_then(|device| Some((device.steps.len() as u64, u64::from(device.all?.n))));
    match drawn_and_all.filter(|(drawn, all)| drawn < all) {
        Some((drawn, all)) => format!("{subject}, the first {} of {} steps", format::count(drawn), format::count(all)),
        None => subject,
    }
}

/// Returns the step that bar number `index` shows.
pub fn number(stats: &StepStats, choice: DeviceChoice, index: u32) -> Option<StepChoice> {
    let step = device(stats, choice)?.steps.get(index as usize)?;
    Some(StepChoice::Number(step.number))
}

/// Returns the index of the bar that shows `step`. `None` if `step` is not a single step, or if the device does not
/// have it.
pub fn step_index(stats: &StepStats, choice: DeviceChoice, step: StepChoice) -> Option<u32> {
    let StepChoice::Number(number) = step else { return None };
    let index = device(stats, choice)?.steps.iter().position(|step| step.number == number)?;
    u32::try_from(index).ok()
}

/// Builds the tooltip of a bar: the duration, the range over devices, each part with time, and the last part (idle) in
/// any case.
pub fn tip(steps: &[Step], parts: &[StepPart], index: u32) -> Option<Tip> {
    let step = steps.get(index as usize)?;
    let mut rows = vec![row("Duration", format::time_text(step.duration))];
    if let Some((min, max)) = step.spread {
        rows.push(row("Shortest, longest", format!("{}, {}", format::time_text(min), format::time_text(max))));
    }
    rows.extend(step.remarks.iter().map(|(label, text)| row(label, text.as_str())));
    let part = |time: Picos| {
        let share = time.fraction_of(step.duration).map(format::percent_text).unwrap_or_default();
        format!("{}, {share}", format::time_text(time))
    };
    let all = parts.iter().zip(&step.parts).enumerate();
    let shown = all.filter(|(index, (_, time))| **time > Picos::ZERO || index + 1 == parts.len());
    rows.extend(shown.map(|(_, (kind, time))| row(kind.label, part(*time))));
    Some(Tip { title: format!("Step {}", step.name), rows })
}

/// Returns the devices that have steps, for the comparison of devices.
pub fn devices(stats: &StepStats) -> Vec<Device> {
    let one = |device: &DeviceSteps| {
        let all = device.all.as_ref()?;
        let mut by_kind = [Picos::ZERO; 7];
        for step in &device.steps {
            by_kind.iter_mut().zip(step.by_kind).for_each(|(sum, time)| *sum += time);
        }
        let total = device.steps.iter().map(|step| step.duration).sum();
        let name = device.label.clone();
        Some(Device { name, mean: rounded(all.mean), min: all.min, max: all.max, by_kind, total })
    };
    stats.devices.iter().filter_map(one).collect()
}

/// Returns the step with the largest spread over devices: (longest − shortest) ÷ mean. `None` if no step ran on several
/// devices.
pub fn widest(stats: &StepStats) -> Option<&AcrossDevices> {
    stats.spread.iter().filter(|across| across.n_devices > 1).max_by(|a, b| a.spread.total_cmp(&b.spread))
}

/// Returns the figures below the chart: over the steady steps, or over all steps if none has a period. With several
/// devices, they are those of the means. `None` if the capture has no steps, and for the means in a link that holds only a
/// part of the steps.
pub fn figures(stats: &StepStats, choice: DeviceChoice) -> Option<Vec<(&'static str, String)>> {
    let device = device(stats, choice)?;
    let all = device.all.as_ref()?;
    let n = |n: u32| format::count(n.into());
    let of_means = || {
        let bars = steps(stats, choice).into_iter();
        Spread::new(bars.filter(|bar| !bar.is_left_out || device.steady.is_none()).map(|bar| bar.duration).collect())
    };
    let lengths = match choice.single() {
        Some(_) => *device.steady.as_ref().unwrap_or(all),
        None if device.steps.len() < all.n as usize => return None,
        None => of_means()?,
    };
    let (label, text) = match &device.steady {
        Some(_) if device.has_few_steady => ("Steps with a period", format!("{} of {}", n(lengths.n), n(all.n))),
        Some(_) => ("Steady steps", format!("{} of {}", n(lengths.n), n(all.n))),
        None => ("Steps", n(all.n)),
    };
    let mut figures = vec![(label, text)];
    figures.extend(spread_text(&lengths));
    Some(figures)
}

/// Returns the explanation of the figures below the chart. `None` in the same cases as [`figures`].
pub fn formula(stats: &StepStats, choice: DeviceChoice) -> Option<Formula> {
    let device = device(stats, choice)?;
    let all = device.all.as_ref()?;
    // A shared link can hold only the first steps; the sum over these is not the sum over all steps.
    let is_cut = device.steps.len() < all.n as usize;
    let steady = steps(stats, choice).into_iter().filter(|step| !step.is_left_out || device.steady.is_none());
    let sum = format::exact_time(steady.map(|step| step.duration).sum());
    let sum = if is_cut { "not in this link: it holds a part of the steps" } else { &sum };
    let which = match device.steady {
        Some(_) if device.has_few_steady => "fewer than three are steady, so all steps with a period count",
        Some(_) => {
            "not the first; no compilation or program load on the host in more than 1 % of the step; at least 80 % of the median number of ops"
        }
        None => "no step has a period, so the events of all steps count",
    };
    let rows = vec![
        row("Device", device_text(stats, choice)),
        row("Steps", format::count(all.n.into())),
        row("Period", "from the start of a step to the start of the next; the last step has none"),
        row("Steady steps", which),
        row("Σ of periods", sum),
        row("± of the mean", "95 % interval: t × std. dev. ÷ √steps, Student’s t for steps − 1"),
        row("Median", "the middle one; of an even number, the mean of the two in the middle"),
        row("Quartiles", "a quarter and three quarters of the way from shortest to longest"),
        row("Std. dev.", "√(Σ (period − mean)² ÷ (steps − 1))"),
        row("Source", "the Steps line, else runs of the program with most time"),
    ];
    Some(Formula { formula: "Mean = Σ of the steady steps’ periods ÷ steps".to_owned(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u64, duration: u64) -> StepTime {
        let by_kind = std::array::from_fn(|index| if index == 0 { Picos(duration - 1) } else { Picos::ZERO });
        StepTime {
            number,
            name: number.to_string(),
            length: Picos(duration),
            duration: Picos(duration),
            not_steady: None,
            busy: Picos(duration - 1),
            idle: Picos(1),
            by_kind,
            n_ops: 1,
        }
    }

    fn stats() -> StepStats {
        let all =
            |mean: f64| Some(Spread { n: 2, mean, median: mean, min: Picos(10), max: Picos(30), ..Spread::default() });
        let device = |label: &str, steps: Vec<StepTime>| DeviceSteps {
            label: label.to_owned(),
            steps,
            all: all(20.4),
            steady: None,
            has_few_steady: true,
            kinds: Vec::new(),
            found_by: "line".to_owned(),
            outside: Picos::ZERO,
        };
        let across = AcrossDevices {
            number: 7,
            n_devices: 2,
            min: Picos(10),
            max: Picos(31),
            mean: Picos(20),
            slowest: "TPU:1".to_owned(),
            spread: 1.05,
        };
        StepStats {
            devices: vec![device("TPU:0", vec![step(7, 10)]), device("TPU:1", vec![step(7, 31), step(8, 9)])],
            spread: vec![across],
        }
    }

    #[test]
    fn bars_are_steps_of_one_device_or_means() {
        let stats = stats();
        assert_eq!(steps(&stats, DeviceChoice::One(0)).len(), 1);
        let all = steps(&stats, DeviceChoice::All);
        assert_eq!((all[0].duration, all[0].spread), (Picos(20), Some((Picos(10), Picos(31)))));
        assert_eq!((all[1].duration, all[1].spread), (Picos(9), None), "only one device has it");
        assert_eq!(number(&stats, DeviceChoice::All, 1), Some(StepChoice::Number(8)));
        assert_eq!(step_index(&stats, DeviceChoice::One(1), StepChoice::Number(8)), Some(1));
        assert_eq!(step_index(&stats, DeviceChoice::One(1), StepChoice::All), None);
        assert!(steps(&stats, DeviceChoice::One(9)).is_empty());
    }

    #[test]
    fn a_link_says_how_many_of_the_steps_it_holds() {
        let mut stats = stats();
        stats.devices[1].steps.truncate(1);
        assert_eq!(device_text(&stats, DeviceChoice::One(1)), "TPU:1, the first 1 of 2 steps");
        let rows = formula(&stats, DeviceChoice::One(1)).expect("it has steps").rows;
        assert_eq!(rows[4].1, "not in this link: it holds a part of the steps");
        stats.devices[0].all = None;
        assert_eq!(device_text(&stats, DeviceChoice::One(0)), "TPU:0");
    }

    #[test]
    fn figures_are_of_one_device_or_of_the_means() {
        let mut stats = stats();
        let of_all = |stats: &StepStats| figures(stats, DeviceChoice::Mean).map(|all| all[3..6].to_vec());
        let text = |label, time: &str| (label, time.to_owned());
        let expected = [text("quartiles", "12 ps to 17 ps"), text("min", "9 ps"), text("max", "20 ps")];
        assert_eq!(of_all(&stats).as_deref(), Some(&expected[..]), "means of 10 and 31 ps, and one step of 9 ps");
        let figures = figures(&stats, DeviceChoice::One(1)).expect("it has steps");
        assert_eq!(figures[1], ("mean", "20 ps".to_owned()));
        assert_eq!(formula(&stats, DeviceChoice::One(1)).expect("it has steps").rows[4].1, "40 ps");
        assert!(formula(&stats, DeviceChoice::All).is_some());
        assert_eq!(device_text(&stats, DeviceChoice::One(1)), "TPU:1");
        assert_eq!(devices(&stats)[0].mean, Picos(20));
        assert_eq!(widest(&stats).map(|across| across.number), Some(7));
        assert_eq!(
            tip(&steps(&stats, DeviceChoice::One(0)), &crate::chart::plot::step::kinds(), 0).expect("a bar").rows[1].1,
            "9 ps, 90.0 %"
        );
        stats.devices[1].steps.truncate(1);
        assert_eq!(of_all(&stats), None, "a link with a part of the steps has no mean over devices of all steps");
    }
}
