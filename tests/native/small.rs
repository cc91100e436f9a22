//! These tests compare the breakdown of the small capture with sums made by hand.

use crate::common::{bytes, make, open};
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, Status, StepChoice};
use rooflight::analysis::classify::Kind;
use xla_profile::units::Picos;

fn breakdown(query: &Query) -> rooflight::analysis::breakdown::Breakdown {
    let opened = open("small.xplane.pb", bytes(&make::small())).unwrap();
    assert_eq!(opened.partial, None);
    Analysis::new(&opened.profile).breakdown(&opened.profile, query).unwrap()
}

fn row<'b>(b: &'b rooflight::analysis::breakdown::Breakdown, key: &str) -> &'b rooflight::analysis::breakdown::Group {
    b.groups.iter().find(|g| g.key == key).unwrap_or_else(|| panic!("no row {key}"))
}

#[test]
fn one_step_is_clipped_and_sums() {
    let b = breakdown(&Query { step: StepChoice::Number(7), ..Query::busiest() });
    let t = &b.totals;
    assert_eq!(b.header.step_duration, Some(Picos(1000)));
    // The while op (100…700) encloses fusion.1 (200 ps) and dus (350 ps), so its own time is 50 ps. The copy is cut at
    // 1000.
    assert_eq!(t.time_of_kind(Kind::Container), Picos(50));
    assert_eq!(t.time_of_kind(Kind::Compute), Picos(200));
    assert_eq!(t.time_of_kind(Kind::Communication), Picos(150));
    assert_eq!(t.time_of_kind(Kind::DataMovement), Picos(350 + 50));
    assert_eq!((t.busy, t.union, t.idle), (Picos(800), Picos(800), Picos(200)));
    assert_eq!(t.container_inclusive, Picos(600));
    assert_eq!(t.n_events, 5);
    assert_eq!(row(&b, "copy.2").total, Picos(50));
    assert_eq!(row(&b, "copy.2").n_executions, 1);
}

#[test]
fn the_rest_of_a_clipped_execution_is_in_the_next_step_without_a_count() {
    let b = breakdown(&Query { step: StepChoice::Number(8), ..Query::busiest() });
    let copy = row(&b, "copy.2");
    assert_eq!((copy.total, copy.n_executions, copy.mean), (Picos(100), 0.into(), None));
    assert_eq!(b.totals.busy, Picos(400));
    assert_eq!(b.totals.idle, Picos(200));
}

#[test]
fn the_busiest_step_is_the_default() {
    assert_eq!(breakdown(&Query::busiest()).header.step, "7");
}

#[test]
fn costs_rates_and_absent_values() {
    let b = breakdown(&Query { step: StepChoice::All, ..Query::busiest() });
    let dot = row(&b, "fusion.1");
    assert_eq!((dot.n_executions, dot.total, dot.flops), (2.into(), Picos(500), Some(8000.0)));
    assert_eq!((dot.min, dot.max, dot.mean), (Picos(200), Picos(300), Some(Picos(250))));
    assert_eq!(dot.flop_rate(), None, "250 ps an execution: too short for a rate");
    assert_eq!(dot.dtypes, ["bf16"]);
    assert_eq!(dot.source_inner.as_deref(), Some("model.py:12"));
    assert_eq!(row(&b, "dus").flops, None, "-1 is unknown, not a number");
    assert_eq!(dot.program.as_deref(), Some("jit_train"));
    assert_eq!(dot.program_id, Some((-42i64).cast_unsigned()));
}

#[test]
fn all_devices_are_summed() {
    let b = breakdown(&Query {
        device: DeviceChoice::All,
        step: StepChoice::Number(7),
        by: GroupBy::Kind,
        ..Query::busiest()
    });
    assert_eq!((b.totals.busy, b.header.step_duration), (Picos(1600), Some(Picos(2000))));
    assert_eq!(b.header.device.as_deref(), Some("2 devices"));
}

#[test]
fn every_grouping_sums_to_busy() {
    for by in GroupBy::ALL {
        for step in [StepChoice::All, StepChoice::Number(7), StepChoice::Number(8)] {
            let b = breakdown(&Query { device: DeviceChoice::All, step, by, ..Query::busiest() });
            assert_eq!(b.groups.iter().map(|g| g.total).sum::<Picos>(), b.totals.busy, "{by:?} {step:?}");
            assert_eq!(b.totals.by_kind.iter().copied().sum::<Picos>(), b.totals.busy, "{by:?} {step:?}");
        }
    }
}

#[test]
fn sources_have_three_tiers() {
    let b = breakdown(&Query { step: StepChoice::All, by: GroupBy::Source, ..Query::busiest() });
    let keys: Vec<(&str, &str)> = b.groups.iter().map(|g| (g.key_kind.as_str(), g.key.as_str())).collect();
    assert!(keys.contains(&("source_stack", "train.py:3:1\nmodel.py:12:5")), "{keys:?}");
    assert!(keys.contains(&("no_source", "<no source>:all-reduce")), "{keys:?}");
}

#[test]
fn a_capture_without_tpu_ops_is_reported() {
    let mut space = make::small();
    space.planes.retain(|p| p.name == "/host:CPU");
    let opened = open("host.xplane.pb", bytes(&space)).unwrap();
    let b = Analysis::new(&opened.profile).breakdown(&opened.profile, &Query::busiest()).unwrap();
    assert_eq!(b.header.status, Status::Absent);
    assert!(b.groups.is_empty() && b.header.step_duration.is_none());
    assert!(b.notes.iter().any(|n| n.code == "no_tpu_ops" && n.message.contains("/host:CPU")), "{:?}", b.notes);
}

#[test]
fn steps_come_from_modules_where_there_is_no_steps_line() {
    let mut space = make::small();
    for plane in &mut space.planes {
        plane.lines.retain(|l| l.name != "Steps");
    }
    let opened = open("small.xplane.pb", bytes(&space)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let numbers: Vec<u64> = analysis.devices[0].steps.iter().map(|s| s.number).collect();
    assert_eq!(numbers, [0, 1]);
    let note = analysis.notes.iter().find(|n| n.code == "steps_from_modules").unwrap();
    assert_eq!(note.message, "The capture has no “Steps” line. Steps are 2 runs of jit_train.");
}
