//! These tests compare kernels on the streams of GPUs with xprof's tables of the same captures. Built captures cover
//! the cases that no real capture has.

use crate::common;
use crate::common::make::{self, int, text};
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, Step, StepBasis, StepChoice};
use rooflight::analysis::breakdown::Breakdown;
use rooflight::analysis::breakdown::row_label;
use rooflight::analysis::classify::{Kind, OpGroup};
use rooflight::analysis::comm::{CommQuery, Primitive};
use rooflight::session::Opened;
use std::collections::BTreeMap;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::{XEvent, XPlane, XSpace};

const V100: &str = "gpu-v100";
const MI300: &str = "gpu-mi300";

fn real(folder: &str, file: &str) -> Option<(Opened, Analysis)> {
    let opened = common::open(file, common::profile(&format!("{folder}/{file}"))?).unwrap();
    assert_eq!(opened.partial, None);
    let analysis = Analysis::new(&opened.profile);
    Some((opened, analysis))
}

fn breakdown(opened: &(Opened, Analysis), device: DeviceChoice, step: StepChoice, by: GroupBy) -> Breakdown {
    opened.1.breakdown(&opened.0.profile, &Query { device, step, by, ..Query::busiest() }).unwrap()
}

/// Returns the rows of one of xprof's tables, by the names of its columns.
fn table(folder: &str, name: &str) -> Option<Vec<BTreeMap<String, serde_json::Value>>> {
    let table = common::json(&format!("{folder}/xprof/{name}.json.gz"))?;
    let ids: Vec<String> =
        table["cols"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap().to_owned()).collect();
    let row = |row: &serde_json::Value| {
        let cells = row["c"].as_array().unwrap().iter().map(|cell| cell["v"].clone());
        ids.iter().cloned().zip(cells).collect()
    };
    Some(table["rows"].as_array().unwrap().iter().map(row).collect())
}

/// Returns the executions and the time, in µs, of each kernel in xprof's table, whose rows are by kernel, op and grid
/// size.
fn kernel_stats(folder: &str) -> Option<BTreeMap<String, (f64, f64)>> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for row in table(folder, "kernel_stats")? {
        let sum = sums.entry(row["kernel_name"].as_str().unwrap().to_owned()).or_default();
        sum.0 += row["occurrences"].as_f64().unwrap();
        sum.1 += row["total_duration_us"].as_f64().unwrap();
    }
    assert!(!sums.is_empty());
    Some(sums)
}

/// Returns the executions and the time, in µs, of each kernel of an op, over all devices.
#[expect(clippy::cast_precision_loss, reason = "the table's numbers are doubles")]
fn kernels((opened, analysis): &(Opened, Analysis)) -> BTreeMap<String, (f64, f64)> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for device in &analysis.devices {
        let plane = &opened.profile.planes[device.plane];
        for line in device.ops.iter().map(|i| &plane.lines[*i]) {
            for (op, (_, duration)) in line.events.ops().zip(line.events.times()) {
                let kernel = plane.op(op).stats.kernel.expect("all ops of a GPU are kernels");
                let sum = sums.entry(opened.profile.text(kernel).to_owned()).or_default();
                *sum = (sum.0 + 1.0, sum.1 + duration as f64 / 1e6);
            }
        }
    }
    sums
}

/// Compares all of xprof's kernels, to the printed digits. xprof's table lacks the copies that CUPTI distinguishes from
/// kernels.
#[test]
#[ignore = "needs captures of other projects"]
fn every_kernel_equals_kernel_stats() {
    for (folder, file, busy) in [(V100, "host.xplane.pb", 0), (MI300, "gemm.xplane.pb", 3_475_484_000)] {
        let (Some(session), Some(theirs)) = (real(folder, file), kernel_stats(folder)) else { return };
        let mut ours = kernels(&session);
        for (name, (n, us)) in theirs {
            let (our_n, our_us) = ours.remove(&name).unwrap_or_else(|| panic!("{name} is missing"));
            assert!((our_n - n).abs() < 0.5 && (our_us - us).abs() < 1e-3 * n, "{name}: {our_n} {our_us}, {n} {us}");
        }
        assert!(ours.keys().all(|name| name.starts_with("Memcpy")), "{:?}", ours.keys());
        // No kernels of one stream overlap in these captures, so the self times sum to the durations.
        let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Op);
        let sum: f64 = kernels(&session).values().map(|(_, us)| us).sum();
        assert!((b.totals.busy.as_f64() / 1e6 - sum).abs() < 1e-3, "{folder}");
        assert!(busy == 0 || b.totals.busy == Picos(busy), "{folder}: {:?}", b.totals.busy);
    }
}

/// Compares every (program, op) of xprof's `hlo_stats`: count, time, category, FLOPs and bytes. Calls of cuBLAS have
/// FLOPs only in Rooflight.
#[test]
#[ignore = "needs captures of other projects"]
fn mi300_every_op_equals_hlo_stats() {
    let (Some(session), Some(theirs)) = (real(MI300, "gemm.xplane.pb"), table(MI300, "hlo_stats")) else { return };
    let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Op);
    let row = |g: &rooflight::analysis::breakdown::Group| Some(((g.program_id?.to_string(), g.key.clone()), g.clone()));
    let mut ours: BTreeMap<_, _> = b.groups.iter().filter_map(row).collect();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    for row in theirs {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let number = |name: &str| row[name].as_f64().unwrap();
        let key = (text("program_id"), text("hlo_op_name"));
        let group = ours.remove(&key).unwrap_or_else(|| panic!("{key:?} is missing"));
        let ps = number("total_self_time") * 1e6;
        assert!((group.total.as_f64() - ps).abs() < 1.0, "{key:?}");
        let n = group.n_executions.as_f64();
        assert!((n - number("occurrences")).abs() < 0.5, "{key:?}");
        assert_eq!(group.main_category(), Some(text("category").as_str()), "{key:?}");
        let (flops, bytes) = (group.flops.unwrap(), group.bytes_accessed.unwrap());
        if text("category") == "custom-call" {
            assert!(flops > 0.0 && bytes > 0.0, "{key:?}");
        } else {
            // The rates are in GFLOP/s and in GiB/s.
            assert!(near(flops / ps * 1e3, number("normalized_flop_rate")), "{key:?} {flops}");
            let rate = bytes / ps * 1e12 / f64::from(1 << 30);
            assert!((rate - number("measured_memory_bw")).abs() <= 1e-6 * rate, "{key:?} {rate}");
        }
    }
    assert!(ours.is_empty(), "xprof does not list {:?}", ours.keys());
}

#[test]
#[ignore = "needs captures of other projects"]
fn mi300_runs_and_copies() {
    let session = real(MI300, "gemm.xplane.pb").unwrap();
    let device = &session.1.devices[0];
    assert_eq!((device.label.as_str(), device.steps.len(), session.1.devices.len()), ("GPU:0", 6, 1));
    let programs = ["jit_convert_element_type", "jit_broadcast_in_dim"];
    let expected: Vec<&str> = [&programs[..], &programs, &["jit_dot"; 3]].concat();
    let StepBasis::Sequence { programs } = &device.basis else { panic!("{:?}", device.basis) };
    assert_eq!(*programs, expected, "six times the inputs and three runs of the matmul");
    assert!(session.1.notes.iter().any(|note| note.code == "derived_runs"));
    // Only the launches show that these copies come from the host. Kernels do not.
    let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Category);
    let copies = b.groups.iter().find(|g| g.key == "MemcpyH2D").unwrap();
    assert_eq!((copies.n_executions, copies.kind), (12.into(), Kind::DataMovement));
    let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::OpGroup);
    let matmul = b.groups.iter().find(|g| g.key == OpGroup::Matmul.label()).unwrap();
    assert_eq!(matmul.n_executions, 18, "of hipBLASLt, and the fusion named after one");
}

/// The ops that ROCm calls copies are data movement and have a category. The figures are those of `profiles/README.md`.
#[test]
#[ignore = "needs captures of other projects"]
fn copies_of_rocm_are_no_compute() {
    let session = real("gpu-mi300-conv-legacy", "host.xplane.pb").unwrap();
    let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Kind);
    let kind = |kind: Kind| b.groups.iter().find(|g| g.kind == kind).map(|g| (g.n_executions, g.total.0)).unwrap();
    assert_eq!(b.totals.busy.0, 4_475_521_000);
    assert_eq!(kind(Kind::DataMovement), (53.into(), 889_028_000));
    assert_eq!(kind(Kind::Compute), (25.into(), 3_586_493_000));
    let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Category);
    let categories: Vec<&str> = b.groups.iter().map(|g| g.key.as_str()).collect();
    assert!(categories.contains(&"MemcpyD2D") && !categories.contains(&"<none>"), "{categories:?}");
}

/// The kernel that ran is shown beside its op. TensorFlow does not record ops, so the names of its kernels give their
/// category.
#[test]
#[ignore = "needs captures of other projects"]
fn kernels_are_shown_beside_their_ops() {
    let session = real(MI300, "gemm.xplane.pb").unwrap();
    let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Op);
    let call = b.groups.iter().find(|g| g.key.starts_with("custom-call")).unwrap();
    assert!(call.kernel.as_deref().is_some_and(|kernel| kernel.starts_with("Cijk_")), "{:?}", call.kernel);
    let session = real(V100, "host.xplane.pb").unwrap();
    let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Op);
    assert!(b.groups.iter().all(|g| g.kernel.is_none()), "rows are named after kernels");
    let philox = b.groups.iter().find(|g| g.key.contains("FillPhiloxRandomKernelLaunch")).unwrap();
    assert_eq!(philox.main_category(), Some("rng kernel"));
    // Shortened labels of different rows stay different.
    let labels: Vec<String> = b
        .groups
        .iter()
        .map(|g| row_label::short_name(&g.key, b.groups.iter().map(|other| other.key.as_str()), 34))
        .collect();
    let distinct: std::collections::BTreeSet<&String> = labels.iter().collect();
    assert_eq!(distinct.len(), labels.len(), "{labels:#?}");
    assert!(labels.iter().any(|label| label.contains("FillPhiloxRandomKernelLaunch")), "{labels:#?}");
}

#[test]
#[ignore = "needs captures of other projects"]
fn every_grouping_sums() {
    for (folder, file) in [(V100, "host.xplane.pb"), (MI300, "gemm.xplane.pb")] {
        let session = real(folder, file).unwrap();
        for by in GroupBy::ALL {
            for device in [DeviceChoice::All, DeviceChoice::One(0), DeviceChoice::One(1)] {
                for step in [StepChoice::All, StepChoice::Busiest] {
                    let b = breakdown(&session, device, step, by);
                    assert_eq!(b.groups.iter().map(|g| g.total).sum::<Picos>(), b.totals.busy);
                    assert_eq!(b.totals.by_kind.iter().copied().sum::<Picos>(), b.totals.busy);
                    assert_eq!(Some(b.totals.union + b.totals.idle), b.header.step_duration.or(Some(Picos::ZERO)));
                    assert!(b.totals.union <= b.totals.busy && b.totals.unknown_categories.is_empty());
                }
            }
        }
    }
}

/// Returns the event of a kernel with a correlation id, and with the stats of its op if one is given.
fn kernel(plane: &mut make::Plane, time: (i64, i64), name: &str, correlation: i64, op: Option<&str>) -> XEvent {
    let id = plane.op(name, "", &[]);
    let mut event = make::event(id, time.0, time.1);
    event.stats.push(plane.stat("correlation_id", int(correlation)));
    if let Some(op) = op {
        for (stat, value) in [("hlo_op", text(op)), ("hlo_module", text("jit_f")), ("program_id", int(7))] {
            event.stats.push(plane.stat(stat, value));
        }
    }
    event
}

/// Returns a capture of two streams, in ps, and of the launches on the host:
///
/// ```text
///  Stream #1   gemm 0…100 │ add 100…150        gemm 200…300 │ add 300…350    graph 400…440
///  Stream #2         AllReduce 50…250                                         copy 460…470
/// ```
/// The second gemm and the collective do not name their op, but their launches do. The line "XLA Ops", which is derived
/// from the streams, counts nothing.
fn made() -> (Opened, Analysis) {
    let mut gpu = make::Plane::new("/device:GPU:0");
    let first = [
        kernel(&mut gpu, (0, 100), "sm90_gemm", 1, Some("dot.1")),
        kernel(&mut gpu, (100, 50), "loop_add_fusion", 2, Some("loop_add_fusion")),
        kernel(&mut gpu, (200, 100), "sm90_gemm", 3, None),
        kernel(&mut gpu, (300, 50), "loop_add_fusion", 4, Some("loop_add_fusion")),
        kernel(&mut gpu, (400, 40), "loop_add_fusion_2", 9, None),
    ];
    let second = [
        kernel(&mut gpu, (50, 200), "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 5, None),
        kernel(&mut gpu, (460, 10), "MemcpyD2H", 6, None),
    ];
    gpu.line("Stream #1(Compute)", &[]).events = first.to_vec();
    gpu.line("Stream #2(Compute,MemcpyD2H)", &[]).events = second.to_vec();
    gpu.line("XLA Ops", &[]).events = first.to_vec();
    let mut host = make::Plane::new("/host:CPU");
    let launches = [
        // The runtime and the driver both record a launch, and only one of the records names the op.
        kernel(&mut host, (0, 5), "cudaLaunchKernel", 3, None),
        kernel(&mut host, (1, 3), "cuLaunchKernel", 3, Some("dot.1")),
        kernel(&mut host, (6, 3), "cuLaunchKernelEx", 5, Some("all-reduce-start.1")),
        kernel(&mut host, (9, 3), "cuGraphLaunch", 9, None),
    ];
    host.line("python", &[]).events = launches.to_vec();
    let planes: Vec<XPlane> = vec![host.done(), gpu.done()];
    let opened = common::open("made.xplane.pb", common::bytes(&XSpace { planes, ..Default::default() })).unwrap();
    let analysis = Analysis::new(&opened.profile);
    (opened, analysis)
}

#[test]
fn launches_name_the_ops_of_kernels() {
    let session = made();
    let b = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Op);
    let rows: Vec<(&str, u64, u64, Kind)> =
        b.groups.iter().map(|g| (g.key.as_str(), g.n_executions.whole().unwrap(), g.total.0, g.kind)).collect();
    let expected = [
        ("all-reduce-start.1", 1, 200, Kind::Communication),
        ("dot.1", 2, 200, Kind::Compute),
        ("loop_add_fusion", 2, 100, Kind::Compute),
        ("loop_add_fusion_2", 1, 40, Kind::Compute),
        ("MemcpyD2H", 1, 10, Kind::DataMovement),
    ];
    assert_eq!(rows, expected);
    // The busy intervals are 0…350, 400…440 and 460…470 of 0…470.
    assert_eq!((b.totals.busy, b.totals.union, b.totals.idle), (Picos(550), Picos(400), Picos(70)));
    assert!(b.notes.iter().any(|note| note.code == "lines_side_by_side"), "{:?}", b.notes);
    let graphs = session.0.profile.notes.iter().find(|note| note.code == "command_buffers").unwrap();
    assert!(graphs.message.starts_with("1 kernels") && graphs.message.contains("--xla_gpu_enable_command_buffer="));
    let by_category = breakdown(&session, DeviceChoice::All, StepChoice::All, GroupBy::Category);
    let keys: Vec<&str> = by_category.groups.iter().map(|g| g.key.as_str()).collect();
    assert!(keys.contains(&"command buffer") && keys.contains(&"MemcpyD2H"), "{keys:?}");
}

#[test]
fn a_run_begins_where_the_first_op_repeats() {
    let (opened, analysis) = made();
    let (profile, device) = (&opened.profile, &analysis.devices[0]);
    let name = |step: &Step| step.name(profile, &profile.planes[device.plane]).to_owned();
    let steps: Vec<_> = device.steps.iter().map(|step| (name(step), step.window)).collect();
    // The collective of the first run lasts into the second run, and a step ends where the next one starts. A kernel
    // without a program belongs to no run.
    assert_eq!(steps, [("jit_f".to_owned(), (0, 200)), ("jit_f".to_owned(), (200, 350))]);
    assert_eq!(analysis.devices[0].steps[0].duration, Picos(250));
}

/// The kernel of a collective covers the whole collective, although its op is a start. Compute on other streams
/// overlaps it.
#[test]
fn collectives_are_synchronous_on_their_stream() {
    let (opened, analysis) = made();
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    let comm = analysis.comm(&opened.profile, &CommQuery { query, ..CommQuery::default() }, None);
    let overlap = comm.tensor.overlap;
    assert_eq!((comm.rows.len(), comm.rows[0].primitive), (1, Some(Primitive::AllReduce)));
    assert_eq!(
        (comm.tensor.stall, overlap.in_flight, overlap.exposed, overlap.overlapped),
        (Picos(200), Picos(200), Picos(50), Picos(150))
    );
    assert_eq!(comm.pairing.unpaired, 0);
    let flags = &comm.primitives[0].flags;
    assert!(flags.iter().all(|flag| flag.starts_with("xla_gpu_")) && !flags.is_empty(), "{flags:?}");
}
