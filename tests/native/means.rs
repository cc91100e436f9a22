//! These tests compare means over steps and devices with the answers about each step of each device: a mean is their
//! sum, divided by their number.

use crate::common::{self, open};
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::comm::{Comm, CommQuery};
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::session::Opened;
use std::collections::BTreeMap;
use xla_profile::units::Picos;

/// The sums of a query: times in ps, counts and costs, by name. A mean rounds the times of each op.
type Sums = BTreeMap<String, f64>;

fn sums(opened: &Opened, analysis: &Analysis, query: &Query) -> Sums {
    let profile = &opened.profile;
    let mut sums = Sums::new();
    let mut add = |name: String, value: f64| *sums.entry(name).or_default() += value;
    let rows = analysis.breakdown(profile, query).unwrap();
    add("window".to_owned(), rows.header.step_duration.unwrap_or_default().as_f64());
    add("busy".to_owned(), rows.totals.busy.as_f64());
    add("idle".to_owned(), rows.totals.idle.as_f64());
    for group in &rows.groups {
        let name = |what: &str| format!("{what} of {} in {:?}", group.key, group.program_id);
        add(name("time"), group.total.as_f64());
        add(name("inclusive"), group.inclusive.as_f64());
        add(name("executions"), group.n_executions.as_f64());
        add(name("flops"), group.flops.unwrap_or_default());
    }
    let roofline =
        analysis.roofline(profile, &RooflineQuery { query: query.clone(), ..RooflineQuery::default() }, None).unwrap();
    add("bytes".to_owned(), roofline.figures.window.bytes.unwrap_or_default());
    add("roofline executions".to_owned(), roofline.figures.step.map_or(0.0, |step| step.n.as_f64()));
    let comm = analysis.comm(profile, &CommQuery { query: query.clone(), ..CommQuery::default() }, None);
    let Comm { tensor, copies, .. } = &comm;
    for (name, traffic) in [("collectives", tensor), ("copies", copies)] {
        add(format!("stall of {name}"), traffic.stall.as_f64());
        add(format!("exposed {name}"), traffic.overlap.exposed.as_f64());
        add(format!("overlapped {name}"), traffic.overlap.overlapped.as_f64());
        add(format!("executions of {name}"), traffic.n.as_f64());
    }
    let gaps = analysis.gaps(profile, query);
    add("window of gaps".to_owned(), gaps.window.as_f64());
    for class in &gaps.classes {
        add(format!("gaps of class {}", class.class.key()), class.total.as_f64());
    }
    sums
}

/// Asserts that a mean is the sum of `parts` divided by `n`, except for the rounding of each op.
fn assert_mean(what: &str, mean: &Sums, parts: &Sums, n: f64, n_devices: f64) {
    let names: Vec<&String> = mean.keys().chain(parts.keys()).collect();
    let n_ops = n_devices * names.len() as f64;
    for name in names {
        let [mean, sum] = [mean, parts].map(|figures| figures.get(name).copied().unwrap_or_default());
        assert!((mean - sum / n).abs() <= n_ops + mean.abs() * 1e-9, "{what}: {name} is {mean}, by steps {}", sum / n);
    }
}

fn check(name: &str, opened: &Opened) {
    let analysis = Analysis::new(&opened.profile);
    let (mut all, mut n_all) = (Sums::new(), 0.0);
    let query = |device, step| Query { device, step, by: GroupBy::Op, ..Query::busiest() };
    let mut n_devices = 0.0;
    for (index, device) in analysis.devices.iter().enumerate() {
        let choice = DeviceChoice::One(index as u32);
        let (mut parts, mut n) = (Sums::new(), 0.0);
        for step in device.steady_steps() {
            for (name, value) in sums(opened, &analysis, &query(choice, StepChoice::Number(step.number))) {
                *parts.entry(name.clone()).or_default() += value;
                *all.entry(name).or_default() += value;
            }
            n += 1.0;
        }
        if n > 0.0 {
            n_devices += 1.0;
            let mean = sums(opened, &analysis, &query(choice, StepChoice::Mean));
            assert_mean(&format!("{name} {}", device.label), &mean, &parts, n, 1.0);
        }
        n_all += n;
    }
    if n_all > 0.0 {
        let mean = sums(opened, &analysis, &query(DeviceChoice::Mean, StepChoice::Mean));
        assert_mean(&format!("{name}, all devices"), &mean, &all, n_all, n_devices);
        let sum = sums(opened, &analysis, &query(DeviceChoice::All, StepChoice::Mean));
        assert_mean(&format!("{name}, sum of devices"), &sum, &all, n_all / n_devices, n_devices);
    }
}

#[test]
fn means_of_real_captures_are_those_of_their_steps() {
    for (name, capture) in common::xspaces() {
        check(name, &open("host.xplane.pb", capture).unwrap());
    }
}

#[test]
fn the_mean_of_the_sample_is_that_of_its_steps() {
    let sample = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz")).unwrap();
    check("the sample", &open("sample.xplane.pb.xz", sample).unwrap());
}

/// The mean period of TPU:0 and the gaps of its steps, which `tests/native/gaps.rs` checks for the whole capture.
#[test]
#[ignore = "needs captures of other projects"]
fn the_mean_of_host_offload_is_not_its_longest_step() {
    let capture = common::profile(common::V6E).unwrap();
    let opened = open("host.xplane.pb", capture).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let query = Query { device: DeviceChoice::Mean, step: StepChoice::Mean, ..Query::busiest() };
    let header = analysis.breakdown(&opened.profile, &query).unwrap().header;
    assert_eq!((header.mean.n_devices, header.device.as_deref()), (Some(4), Some("mean of 4 devices")));
    assert_eq!((header.step.as_str(), header.window), ("mean", None));
    let steady: Vec<u64> =
        analysis.devices.iter().flat_map(|device| device.steady_steps().map(|step| step.length().0)).collect();
    let mean = steady.iter().map(|period| *period as f64).sum::<f64>() / steady.len() as f64;
    let Some(Picos(found)) = header.step_duration else { panic!("no window") };
    assert!((found as f64 - mean).abs() <= 2.0, "{found} {mean}");
    let gaps = analysis.gaps(&opened.profile, &query);
    assert!(gaps.gaps.iter().all(|gap| gap.step.is_some() && gap.start <= Picos(found * 2)));
}
