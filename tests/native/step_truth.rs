//! These tests compare the steps of simulated runs with the true ones: their number, starts, periods, numbers and kinds.
//! The truth is that of the plan of each run, and is made without any analysis.

use crate::common::{bytes, open};
use crate::simulator::schedule::truth::DeviceTruth;
use crate::simulator::schedule::{CaptureTruth, Scenario, captures};
use rooflight::analysis::base::{Analysis, Clock, Device, Step};
use std::collections::BTreeMap;
use xla_profile::wire::proto::xspace::XSpace;

/// Returns the kind of a step.
fn kind(_device: &Device, step: &Step) -> Option<usize> {
    Some(step.kind.into())
}

/// Number of simulated runs. `ROOFLIGHT_RUNS=5000 cargo test --test native step_truth::` checks more.
const N_RUNS: u64 = 500;

/// What a capture and its truth say about the steps of all devices, and the first difference of each sort.
#[derive(Default)]
struct Agreement {
    steps: Option<String>,
    numbers: Option<String>,
    periods: Option<String>,
    kinds: Option<String>,
}

/// Returns the start and the end of the steps in ps since the start of the profile.
fn times(device: &Device) -> Vec<(u64, u64)> {
    let Clock::Event { origin_ns } = device.event_clock else { panic!("the event clock is one of events") };
    let origin = u64::try_from(origin_ns).unwrap() * 1000;
    device.steps.iter().map(|step| (origin + step.event_window.0, origin + step.event_window.1)).collect()
}

fn compare_device(device: Option<&Device>, truth: &DeviceTruth, agreement: &mut Agreement) {
    let Some(device) = device else {
        if !truth.steps.is_empty() {
            agreement.steps.get_or_insert(format!("{} is not found", truth.device));
        }
        return;
    };
    let times = times(device);
    let starts: Vec<u64> = times.iter().map(|(start, _)| *start).collect();
    let expected: Vec<u64> = truth.steps.iter().map(|step| step.start_ps).collect();
    if starts != expected {
        let index = starts.iter().zip(&expected).position(|(found, expected)| found != expected);
        agreement.steps.get_or_insert(format!(
            "{}: {} steps, not {}; the first other start is at {index:?}",
            truth.device,
            starts.len(),
            expected.len()
        ));
        return;
    }
    let label = &truth.device;
    let found = device.steps.iter().zip(&times).zip(&truth.steps);
    for (index, ((step, (_, end)), expected)) in found.enumerate() {
        if expected.number.is_some_and(|number| number != step.number) {
            let message = format!("{label}: step {index} has the number {}, not {:?}", step.number, expected.number);
            agreement.numbers.get_or_insert(message);
        }
        if expected.end_ps != step.has_period.then_some(*end) {
            let message =
                format!("{label}: step {index} ends at {end} ({}), not {:?}", step.has_period, expected.end_ps);
            agreement.periods.get_or_insert(message);
        }
    }
    // Kinds agree if each found one is one true kind.
    let kinds: Vec<Option<usize>> = device.steps.iter().map(|step| kind(device, step)).collect();
    for (index, found) in kinds.iter().enumerate() {
        let is_same = |other: &usize| kinds[*other].is_some() && kinds[*other] == *found;
        let other = (0..index).find(|other| is_same(other) != (truth.steps[*other].kind == truth.steps[index].kind));
        if let Some(other) = other.or_else(|| found.is_none().then_some(index)) {
            let message = format!(
                "{label}: steps {other} and {index} are of the kinds {:?} and {found:?}, not {:?} and {:?}",
                kinds[other], truth.kinds[truth.steps[other].kind], truth.kinds[truth.steps[index].kind]
            );
            agreement.kinds.get_or_insert(message);
            break;
        }
    }
}

fn compare(space: &XSpace, truth: &CaptureTruth) -> Agreement {
    let mut agreement = Agreement::default();
    let opened = match open("vm.xplane.pb", bytes(space)) {
        Ok(opened) => opened,
        Err(failure) => {
            agreement.steps = Some(format!("{failure:?}"));
            return agreement;
        }
    };
    let analysis = Analysis::new(&opened.profile);
    for device in &truth.devices {
        let found = analysis.devices.iter().find(|candidate| candidate.label == device.device);
        compare_device(found, device, &mut agreement);
    }
    agreement
}

#[test]
fn the_steps_of_random_runs_are_the_true_ones() {
    let n = std::env::var("ROOFLIGHT_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(N_RUNS);
    // Runs, and those of which steps, numbers, periods and kinds are right.
    let mut tables: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut differences = Vec::new();
    for seed in 0..n {
        let scenario = Scenario::ALL[seed as usize % Scenario::ALL.len()];
        let made = captures(scenario, seed);
        let found =
            made.files.iter().zip(&made.truth.captures).map(|((_, space), truth)| (compare(space, truth), truth));
        let mut is_right = [true; 4];
        for (agreement, truth) in found {
            let Agreement { steps, numbers, periods, kinds } = agreement;
            let of_steps = steps.clone();
            let all =
                [steps, numbers.or_else(|| of_steps.clone()), periods.or_else(|| of_steps.clone()), kinds.or(of_steps)];
            for (index, difference) in all.into_iter().enumerate() {
                if let Some(difference) = difference {
                    is_right[index] = false;
                    let what = ["steps", "numbers", "periods", "kinds"][index];
                    differences.push(format!(
                        "{} {seed}, level {}: {what}: {difference}",
                        scenario.name(),
                        truth.level
                    ));
                }
            }
        }
        let table = tables.entry(scenario.name()).or_default();
        table[0] += 1;
        table[1..].iter_mut().zip(is_right).for_each(|(n, is_right)| *n += usize::from(is_right));
    }
    for (scenario, [n, steps, numbers, periods, kinds]) in &tables {
        println!(
            "{scenario:32} {n:3} runs: steps {steps:3}, numbers {numbers:3}, periods {periods:3}, kinds {kinds:3}"
        );
    }
    let shown = differences.len().min(40);
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences[..shown].join("\n"));
}

/// The truth itself: steps are in order and apart, each run is in one step or outside, and a lost run is in none.
#[test]
fn the_truth_is_consistent() {
    for seed in 0..4 * Scenario::ALL.len() as u64 {
        let scenario = Scenario::ALL[seed as usize % Scenario::ALL.len()];
        let made = captures(scenario, seed);
        let place = format!("{} {seed}", scenario.name());
        assert_eq!(made.files.len(), made.truth.captures.len(), "{place}");
        for ((path, space), truth) in made.files.iter().zip(&made.truth.captures) {
            assert_eq!(path, &truth.file);
            for device in &truth.devices {
                let plane =
                    space.planes.iter().find(|plane| plane.name == format!("/device:{}", device.device)).unwrap();
                let starts = device.steps.iter().map(|step| step.start_ps);
                assert!(starts.clone().is_sorted_by(|a, b| a < b), "{place}");
                assert!(device.steps.iter().all(|step| step.end_ps.is_none_or(|end| end > step.start_ps)), "{place}");
                let used: std::collections::BTreeSet<usize> = device.steps.iter().map(|step| step.kind).collect();
                assert_eq!(used.len(), device.kinds.len(), "{place}");
                let n_runs = device.steps.iter().map(|step| step.runs).sum::<usize>() + device.outside.len();
                if let Some(line) = plane.lines.iter().find(|line| line.name == "XLA Modules") {
                    assert_eq!(line.events.len(), n_runs, "{place}");
                }
                let has_ops = plane.lines.iter().any(|line| line.name == "XLA Ops" || line.name.contains("Compute"));
                assert_eq!(has_ops, n_runs > 0, "{place}");
            }
            let is_lost =
                |name: &str| ["lost-", "ends-", "starts-", "dropped-"].iter().any(|start| name.starts_with(start));
            assert_eq!(
                !truth.lost.is_empty(),
                is_lost(scenario.name()) || scenario == Scenario::ProfilerError,
                "{place}"
            );
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_captures() {
    for scenario in Scenario::ALL {
        let [a, b, other] = [5, 5, 6].map(|seed| captures(*scenario, seed));
        let all = |made: &crate::simulator::schedule::Made| -> Vec<Vec<u8>> {
            made.files.iter().map(|(_, space)| bytes(space)).collect()
        };
        // A map of metadata has no order, so that planes and not bytes are compared.
        assert!(a.files == b.files, "{}", scenario.name());
        assert!(all(&a) != all(&other), "{}", scenario.name());
        assert_eq!(Scenario::named(scenario.name()), Some(*scenario));
    }
}
