//! These tests check rules that hold for the steps of every capture: the order of planes and lines in a file does not
//! count, and neither does the part of the capture that other steps take.

use crate::common::{bytes, open};
use crate::simulator::schedule::{Scenario, captures, permute};
use rooflight::analysis::base::{Analysis, Clock, DeviceChoice, GroupBy, Query, StepChoice};
use std::collections::BTreeMap;
use xla_profile::wire::proto::xspace::XSpace;
use xla_profile::wire::proto::xspace::x_event::Data;

/// The steps of a device: the number, the start, the end, whether it has a period, whether it is steady, the number of
/// ops. The times are in ps after the start of the profile.
type Steps = Vec<(u64, u64, u64, bool, bool, u32)>;

/// Returns the steps of each device.
fn steps(space: &XSpace) -> BTreeMap<String, Steps> {
    let opened = open("vm.xplane.pb", bytes(space)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let of_device = |device: &rooflight::analysis::base::Device| {
        let Clock::Event { origin_ns } = device.event_clock else { panic!("the event clock is one of events") };
        let origin = u64::try_from(origin_ns).unwrap() * 1000;
        let steps = device.steps.iter().map(|step| {
            let (start, end) = step.event_window;
            (step.number, origin + start, origin + end, step.has_period, step.not_steady.is_none(), step.n_ops)
        });
        (device.label.clone(), steps.collect())
    };
    analysis.devices.iter().map(of_device).collect()
}

#[test]
fn the_order_of_planes_and_lines_does_not_count() {
    for seed in 0..3 * Scenario::ALL.len() as u64 {
        let scenario = Scenario::ALL[seed as usize % Scenario::ALL.len()];
        for (_, space) in captures(scenario, seed).files {
            let expected = steps(&space);
            let mut random = fastrand::Rng::with_seed(seed);
            for _ in 0..2 {
                let mut other = space.clone();
                permute(&mut other, &mut random);
                assert_eq!(steps(&other), expected, "{} {seed}", scenario.name());
            }
        }
    }
}

/// The start and the end of an event in ps after the start of the profile.
fn time(line_ns: i64, event: &xla_profile::wire::proto::xspace::XEvent) -> (i64, i64) {
    let Some(Data::OffsetPs(offset)) = event.data else { panic!("an event has a time") };
    (line_ns * 1000 + offset, line_ns * 1000 + offset + event.duration_ps)
}

/// The self time and the executions of each op of a device between two times, by op.
fn figures(space: &XSpace, device: &str) -> BTreeMap<String, (u64, u64)> {
    let opened = open("vm.xplane.pb", bytes(space)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let Some(index) = analysis.devices.iter().position(|candidate| candidate.label == device) else {
        return BTreeMap::new();
    };
    let query =
        Query { device: DeviceChoice::One(index as u32), step: StepChoice::All, by: GroupBy::Op, ..Query::busiest() };
    let rows = analysis.breakdown(&opened.profile, &query).unwrap().groups;
    let figures = |row: &rooflight::analysis::breakdown::Group| (row.total.0, row.n_executions.whole().unwrap());
    rows.iter().map(|row| (format!("{} of {:?}", row.key, row.program_id), figures(row))).collect()
}

/// A capture is cut at the starts of its steps, and each part is a capture. The figures of the parts together are those of
/// the whole capture: no op is lost or counted twice where steps meet.
#[test]
fn the_figures_of_a_capture_are_the_sums_of_its_parts() {
    let cut = [Scenario::Annotated, Scenario::Sequence, Scenario::Serving, Scenario::Pipeline, Scenario::LostSpan];
    for (seed, scenario) in cut.into_iter().cycle().take(15).enumerate() {
        let made = captures(scenario, seed as u64);
        let (space, truth) = (&made.files[0].1, &made.truth.captures[0]);
        for device in &truth.devices {
            // Ops of other devices cross these times, so the parts are those of this device.
            let mut whole = space.clone();
            whole.planes.retain(|plane| {
                !plane.name.starts_with("/device:") || plane.name == format!("/device:{}", device.device)
            });
            let mut cuts: Vec<i64> = device.steps.iter().map(|step| step.start_ps as i64).collect();
            cuts.push(i64::MAX);
            let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            let mut from = i64::MIN;
            for until in cuts {
                let mut part = whole.clone();
                for line in part.planes.iter_mut().flat_map(|plane| &mut plane.lines) {
                    let start = line.timestamp_ns;
                    line.events.retain(|event| (from..until).contains(&time(start, event).0));
                }
                from = until;
                for (op, (time, n)) in figures(&part, &device.device) {
                    let sum = sums.entry(op).or_default();
                    *sum = (sum.0 + time, sum.1 + n);
                }
            }
            assert_eq!(sums, figures(&whole, &device.device), "{} {seed} {}", scenario.name(), device.device);
        }
    }
}
