//! These tests compare real captures with `xprof`'s output, and with the numbers in the README of the real captures.

use crate::common;
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::Breakdown;
use rooflight::session::Opened;
use std::collections::BTreeMap;
use xla_profile::units::{Count, Picos};

const V6E: &str = "tpu-v6e-host-offload";

fn v6e() -> Option<(Opened, Analysis)> {
    let opened = common::open("host.xplane.pb", common::profile(&format!("{V6E}/host.xplane.pb"))?).unwrap();
    assert_eq!(opened.partial, None);
    let analysis = Analysis::new(&opened.profile);
    Some((opened, analysis))
}

fn all(by: GroupBy) -> Option<Breakdown> {
    let (opened, analysis) = v6e()?;
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, by, ..Query::busiest() };
    analysis.breakdown(&opened.profile, &query).ok()
}

fn seconds(p: Picos) -> String {
    format!("{:.4}", p.as_f64() / 1e12)
}

#[test]
#[ignore = "needs captures of other projects"]
fn v6e_totals() {
    let b = all(GroupBy::Category).unwrap();
    assert_eq!(b.header.step_duration.map(seconds).as_deref(), Some("363.7297"));
    assert_eq!((seconds(b.totals.busy), seconds(b.totals.idle)), ("315.1179".into(), "48.6118".into()));
    let rows: BTreeMap<&str, (Count, String)> =
        b.groups.iter().map(|g| (g.key.as_str(), (g.n_executions, seconds(g.total)))).collect();
    assert_eq!(rows["copy-done"], (2400.into(), "304.0332".into()));
    assert_eq!(rows["loop fusion"], (1200.into(), "9.6199".into()));
    assert_eq!(rows["all-reduce"], (12.into(), "1.4603".into()));
    let all_reduce = b.groups.iter().find(|g| g.key == "all-reduce").unwrap();
    assert_eq!(all_reduce.bytes_accessed, Some(12.0 * 2.0 * 5_368_709_120.0));
}

#[test]
#[ignore = "needs captures of other projects"]
fn v6e_copy_done_per_chip_is_on_the_device_clock() {
    let (opened, analysis) = v6e().unwrap();
    for (i, expected) in ["76.0095", "76.0192", "76.0107", "75.9938"].into_iter().enumerate() {
        let query = Query {
            device: DeviceChoice::One(i as u32),
            step: StepChoice::All,
            by: GroupBy::Category,
            ..Query::busiest()
        };
        let b = analysis.breakdown(&opened.profile, &query).unwrap();
        let copy_done = b.groups.iter().find(|g| g.key == "copy-done").unwrap();
        assert_eq!(seconds(copy_done.total), expected, "chip {i}");
    }
}

/// Every (program, op) of xprof's `hlo_stats` has the same count, and the same self time to the printed digits.
#[test]
#[ignore = "needs captures of other projects"]
fn v6e_every_op_equals_hlo_stats() {
    let b = all(GroupBy::Op).unwrap();
    let table = common::json(&format!("{V6E}/xprof/hlo_stats.json.gz")).unwrap();
    let columns: Vec<&str> = table["cols"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap()).collect();
    let column = |name: &str| columns.iter().position(|c| *c == name).unwrap();
    let mut ours: BTreeMap<(String, String), (Count, Picos)> = b
        .groups
        .iter()
        .map(|g| ((g.program_id.unwrap().to_string(), g.key.clone()), (g.n_executions, g.total)))
        .collect();
    let rows = table["rows"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let cell = |name: &str| &row["c"][column(name)]["v"];
        let text = |name: &str| cell(name).as_str().unwrap().to_owned();
        let key = (text("program_id"), text("hlo_op_name"));
        let (n, own) = ours.remove(&key).unwrap_or_else(|| panic!("{key:?} is missing"));
        assert!((n.as_f64() - cell("occurrences").as_f64().unwrap()).abs() < 0.5, "{key:?}");
        // The table has microseconds, printed as the shortest double, so half a picosecond may differ.
        let theirs = cell("total_self_time").as_f64().unwrap() * 1e6;
        assert!((own.as_f64() - theirs).abs() <= 0.5_f64.max(theirs * 1e-15), "{key:?}: {} {theirs}", own.0);
    }
    assert!(ours.is_empty(), "xprof does not list {ours:?}");
}

#[test]
#[ignore = "needs captures of other projects"]
fn v6e_every_grouping_and_step_sums() {
    let (opened, analysis) = v6e().unwrap();
    for by in GroupBy::ALL {
        for device in [DeviceChoice::All, DeviceChoice::Mean, DeviceChoice::One(0), DeviceChoice::One(3)] {
            for step in [StepChoice::All, StepChoice::Mean, StepChoice::Busiest, StepChoice::Number(41)] {
                let b = analysis.breakdown(&opened.profile, &Query { device, step, by, ..Query::busiest() }).unwrap();
                assert_eq!(b.groups.iter().map(|g| g.total).sum::<Picos>(), b.totals.busy);
                assert_eq!(b.totals.by_kind.iter().copied().sum::<Picos>(), b.totals.busy);
                assert_eq!(Some(b.totals.union + b.totals.idle), b.header.step_duration);
                assert_eq!(b.totals.union, b.totals.busy, "one op line");
                assert!(b.totals.unknown_categories.is_empty(), "{:?}", b.totals.unknown_categories);
            }
        }
    }
}

/// Time outside of steps is in no step. The busy times of the steps sum to at most the durations of the steps, on one
/// clock.
#[test]
#[ignore = "needs captures of other projects"]
fn v6e_steps_add_up() {
    let (opened, analysis) = v6e().unwrap();
    let device = &analysis.devices[0];
    let breakdown = |n: u64| {
        analysis
            .breakdown(&opened.profile, &Query { step: StepChoice::Number(n), by: GroupBy::Kind, ..Query::busiest() })
            .unwrap()
    };
    let sum: Picos = device.steps.iter().map(|s| breakdown(s.number).totals.busy).sum();
    let whole: Picos = device.steps.iter().map(|step| step.duration).sum();
    assert!(sum <= whole && sum.as_f64() > whole.as_f64() * 0.9, "{sum:?} {whole:?}");
    assert_eq!(device.steps.len(), 100);
}
