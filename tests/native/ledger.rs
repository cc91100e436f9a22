//! These tests check the ledger: on a capture that is divided by hand, against the simulated straggler, and that the owners
//! sum to the window in every capture.

use crate::common::{self, bytes, make, open};
use crate::synth::{files, made};
use prost::Message;
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice};
use rooflight::analysis::gaps::GapClass;
use rooflight::analysis::ledger::{Ledger, LedgerQuery, Owner};
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::session::{Input, Opened};
use std::collections::BTreeMap;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

fn ledger(opened: &Opened, analysis: &Analysis, device: DeviceChoice, step: StepChoice) -> Option<Ledger> {
    let roofline = RooflineQuery { query: Query { device, step, ..Query::busiest() }, ..RooflineQuery::default() };
    analysis.ledger(&opened.profile, &LedgerQuery { roofline, attainable: 0.8 }, None)
}

/// A device of 100 FLOPs and one byte of HBM per picosecond, with two steps, the second of which has no period. The device
/// arrives at the all-reduce at `arrival`.
fn device(number: u32, arrival: i64) -> XPlane {
    let mut p = make::Plane::new(&format!("/device:TPU:{number}"));
    p.own("peak_teraflops_per_second", Value::DoubleValue(100.0));
    p.own("peak_hbm_bw_gigabytes_per_second", Value::DoubleValue(1000.0));
    let op = |p: &mut make::Plane, hlo: &str, category: &str, costs: &[(&str, Value)]| {
        let name = hlo[1..].split(' ').next().unwrap();
        let stats = [&[("hlo_category", make::text(category)), ("program_id", make::int(7))], costs].concat();
        p.op(hlo, name, &stats)
    };
    let costs = [("flops", make::int(10_000)), ("bytes_accessed", make::int(40))];
    let ops = [
        op(&mut p, "%while.1 = (s32[]) while((s32[]) %t), body=%b", "while", &[]),
        op(&mut p, "%fusion.1 = bf16[8]{0} fusion(bf16[8]{0} %a), kind=kLoop, calls=%c", "loop fusion", &costs),
        op(&mut p, "%kernel.1 = bf16[8]{0} custom-call(bf16[8]{0} %a)", "custom-call", &[]),
        op(&mut p, "%copy-start.4 = (f32[8]{0}, f32[8]{0}, u32[]) copy-start(f32[8]{0} %a)", "copy-start", &[]),
        op(&mut p, "%copy-done.4 = f32[8]{0} copy-done((f32[8]{0}, f32[8]{0}, u32[]) %copy-start.4)", "copy-done", &[]),
        op(&mut p, "%copy.2 = f32[8]{0} copy(f32[8]{0} %a)", "data formatting", &[]),
        op(&mut p, "%all-reduce.3 = f32[8]{0} all-reduce(f32[8]{0} %a), replica_groups={{0,1}}", "all-reduce", &[]),
        op(&mut p, "%infeed.5 = ((f32[8]{0}), token[]) infeed(token[] %t)", "infeed", &[]),
    ];
    let [whole, fusion, kernel, start, done, copy, reduce, infeed] = ops;
    let [zero, one] = ["0", "1"].map(|name| p.op(name, "", &[]));
    p.line("Steps", &[(zero, 0, 1400), (one, 2000, 10)]);
    let events = [
        (whole, 0, 1000),
        (fusion, 100, 200),
        (kernel, 300, 50),
        (start, 350, 10),
        (done, 400, 50),
        (copy, 450, 70),
        (reduce, arrival, 1300 - arrival),
        (infeed, 1300, 20),
        (kernel, 2000, 10),
    ];
    p.line("XLA Ops", &events);
    p.done()
}

#[test]
fn owners_of_a_step_are_those_found_by_hand() {
    let space = XSpace { planes: vec![device(0, 1100), device(1, 1150)], ..XSpace::default() };
    let opened = open("it.xplane.pb", bytes(&space)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let found = ledger(&opened, &analysis, DeviceChoice::One(0), StepChoice::Number(0)).unwrap();
    // The fusion needs 100 ps at the peak, and 125 ps are attainable.
    let expected = [
        (Owner::Floor, 125),
        (Owner::Excess, 75),
        (Owner::Opaque, 50),
        (Owner::Transfer, 150),
        (Owner::Late, 50),
        (Owner::Dma, 60),
        (Owner::Layout, 70),
        (Owner::Loop, 620),
        (Owner::Gap(GapClass::Input), 20),
        (Owner::Gap(GapClass::Unexplained), 100 + 680),
    ];
    assert_eq!(found.owners, expected.map(|(owner, time)| (owner, Picos(time))));
    assert_eq!((found.window, found.n_steps, found.excess), (Picos(2000), 1, Some(Picos(0))));
    // The second device arrives last and waits for nobody, so the step depends on it.
    for choice in [DeviceChoice::Mean, DeviceChoice::All] {
        let found = ledger(&opened, &analysis, choice, StepChoice::Mean).unwrap();
        assert_eq!((found.device, found.window), (1, Picos(2000)));
        assert_eq!((found.time(Owner::Late), found.time(Owner::Transfer)), (Picos(0), Picos(150)));
    }
}

/// Checks that the owners sum to the periods of the steps, and that idle time and gaps are the same.
fn check(name: &str, opened: &Opened) {
    let analysis = Analysis::new(&opened.profile);
    let mut n = 0;
    for (index, device) in analysis.devices.iter().enumerate() {
        let one = DeviceChoice::One(index as u32);
        let steps = device.steps.iter().take(5).map(|step| StepChoice::Number(step.number));
        for choice in steps.chain([StepChoice::Mean, StepChoice::All]) {
            let Some(found) = ledger(opened, &analysis, one, choice) else { continue };
            n += 1;
            let sum = found.owners.iter().map(|(_, time)| *time).sum::<Picos>();
            assert_eq!(sum, found.window, "{name} {} {choice}", device.label);
            let is_meant = |step: &&rooflight::analysis::base::Step| match choice {
                StepChoice::Mean => step.not_steady.is_none(),
                choice => choice == StepChoice::Number(step.number),
            };
            let meant = device.steps.iter().filter(is_meant);
            let periods = meant.map(|step| Picos(step.event_window.1 - step.event_window.0)).sum::<Picos>();
            let gaps = analysis.gaps(&opened.profile, &Query { device: one, step: choice, ..Query::busiest() });
            if periods > Picos::ZERO {
                assert_eq!(found.window, periods, "{name} {} {choice}", device.label);
            }
            if found.n_steps == 1 {
                assert_eq!(found.window, gaps.window, "{name} {} {choice}", device.label);
                for class in &gaps.classes {
                    let time = found.time(Owner::Gap(class.class));
                    // Ops of the host, such as infeeds, count as input as well.
                    let is_equal = time == class.total || class.class == GapClass::Input && time > class.total;
                    assert!(is_equal, "{name} {} {choice}: {:?}", device.label, class.class);
                }
            }
        }
    }
    assert!(n > 0, "{name}");
}

#[test]
fn owners_sum_to_the_window() {
    for (name, capture) in common::xspaces() {
        check(name, &open("host.xplane.pb", capture).unwrap());
    }
    if let Some(capture) = common::profile("tpu-vllm-trace/vllm.trace.json.gz") {
        check("vLLM", &open("vllm.trace.json.gz", capture).unwrap());
    }
}

#[test]
fn the_order_of_lines_does_not_matter() {
    for (name, capture) in common::xspaces() {
        let mut space = XSpace::decode(&*capture).unwrap();
        let before = open("host.xplane.pb", bytes(&space)).unwrap();
        for plane in &mut space.planes {
            fastrand::Rng::with_seed(7).shuffle(&mut plane.lines);
        }
        space.planes.reverse();
        let after = open("host.xplane.pb", bytes(&space)).unwrap();
        let [analysis, other] = [&before, &after].map(|opened| Analysis::new(&opened.profile));
        for (index, device) in analysis.devices.iter().enumerate() {
            let place = other.devices.iter().position(|candidate| candidate.label == device.label).unwrap();
            let found = |opened, analysis, index: usize| {
                let ledger: Option<Ledger> =
                    ledger(opened, analysis, DeviceChoice::One(index as u32), StepChoice::Mean);
                ledger.map(|ledger| Ledger { device: 0, ..ledger })
            };
            let [one, two] = [found(&before, &analysis, index), found(&after, &other, place)];
            // Ops of one kind that run at once on several lines have no order.
            if device.ops.len() == 1 {
                assert_eq!(one, two, "{name} {}", device.label);
            } else {
                let windows = [one, two].map(|ledger| ledger.map(|ledger| ledger.window));
                assert_eq!(windows[0], windows[1], "{name} {}", device.label);
            }
        }
    }
}

/// The devices of several hosts have the same owners, gaps and steps, whatever the order of the files is.
#[test]
fn the_order_of_files_does_not_matter() {
    let (folder, _) = made(&["--steps", "4", "--devices", "4", "--hosts", "2", "--no-trace", "--fault", "slow-host"]);
    let mut captures: Vec<(String, Vec<u8>)> =
        files(folder.path()).into_iter().filter(|(name, _)| name.ends_with(".xplane.pb")).collect();
    let mut read = || {
        let inputs = captures.iter().map(|(name, bytes)| Input {
            name: name.clone(),
            source: Box::new(bytes.clone()),
            from_folder: false,
        });
        let opened = rooflight::session::open(inputs.collect(), &mut |_| {}).unwrap();
        captures.reverse();
        let analysis = Analysis::new(&opened.profile);
        let steps = analysis.step_stats(&opened.profile);
        let figures = |index: usize| {
            let device = DeviceChoice::One(index as u32);
            let ledger =
                ledger(&opened, &analysis, device, StepChoice::Mean).map(|ledger| (ledger.owners, ledger.window));
            let query = Query { device, step: StepChoice::Mean, ..Query::busiest() };
            let gaps = analysis.gaps(&opened.profile, &query);
            (analysis.devices[index].label.clone(), (ledger, gaps.classes, steps.devices[index].steps.clone()))
        };
        (0..analysis.devices.len()).map(figures).collect::<BTreeMap<_, _>>()
    };
    let (one, other) = (read(), read());
    assert_eq!((one.len(), &one), (4, &other));
    assert!(one.values().all(|(ledger, ..)| ledger.is_some()));
}

/// In the vLLM trace, both devices wait for each other for about as long, so neither is a straggler.
#[test]
#[ignore = "needs captures of other projects"]
fn devices_of_the_vllm_trace_are_alike() {
    let capture = common::profile("tpu-vllm-trace/vllm.trace.json.gz").unwrap();
    let opened = open("vllm.trace.json.gz", capture).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let late = |device| {
        let found = ledger(&opened, &analysis, DeviceChoice::One(device), StepChoice::Mean).unwrap();
        assert_eq!(found.time(Owner::Slower), Picos::ZERO);
        (found.time(Owner::Late).0 + 500_000) / 1_000_000
    };
    assert_eq!([late(0), late(1)], [63, 84]);
}

/// The straggler takes an eighth longer for its own work. Its excess is the time by which a step gets longer.
#[test]
fn a_straggler_is_slower_by_the_time_that_was_injected() {
    let found = |options: &[&str]| {
        let (folder, _) = made(&[&["--steps", "6", "--no-trace"], options].concat());
        let opened = open("it.xplane.pb", files(folder.path()).remove("worker-0.xplane.pb").unwrap()).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let ledger = ledger(&opened, &analysis, DeviceChoice::Mean, StepChoice::Mean).unwrap();
        let period = ledger.window.0 / u64::from(ledger.n_steps);
        (analysis.devices[ledger.device].label.clone(), period, ledger)
    };
    let (device, slow, ledger) = found(&["--fault", "straggler"]);
    let (_, fast, healthy) = found(&[]);
    assert_eq!(device, "TPU:5");
    // A few small ops vary, so that another device may be later by some nanoseconds.
    assert!(ledger.time(Owner::Late).fraction_of(ledger.window).unwrap() < 1e-5, "{:?}", ledger.owners);
    assert_eq!((healthy.time(Owner::Slower), healthy.excess < ledger.excess), (Picos::ZERO, true));
    let injected = (slow - fast) as f64;
    let excess = ledger.excess.unwrap().as_f64();
    assert!((excess / injected - 1.0).abs() < 0.05, "{excess} {injected}");
    let slower = ledger.time(Owner::Slower).as_f64() / f64::from(ledger.n_steps);
    assert!(slower > 0.9 * excess && slower <= excess, "{slower} {excess}");
}
