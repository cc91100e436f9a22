//! These tests check the roofline on built captures whose figures are computed by hand, and check that all parts sum to
//! the whole.

use crate::common::{self, bytes, make, open};
use make::{Plane, int, text};
use proptest::prelude::*;
use rooflight::analysis::base::{Analysis, DeviceChoice, Filter, GroupBy, Query, StepChoice};
use rooflight::analysis::classify::Kind;
use rooflight::analysis::roofline::{
    Bound, CostSource, DeviceCountSource, KernelCost, Level, PeakChoice, PeakSource, PossibleCause, Precision,
    Roofline, RooflinePosition, RooflineQuery, SkipReason, UsefulFlops, Verdict, verify,
};
use rooflight::report::roofline;
use rooflight::session;
use rooflight::session::{Opened, Programs};
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XPlane, XSpace, XStat};

/// One microsecond, in ps.
const US: i64 = 1_000_000;

fn roofline(opened: &mut Opened, query: &RooflineQuery) -> Roofline {
    let analysis = Analysis::new(&opened.profile);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let answer = session::roofline(&analysis, &opened.profile, &mut programs, query).unwrap();
    let (n, order) = (answer.n_rows(), answer.order().to_vec());
    let roofs: Vec<Option<RooflinePosition>> = order.iter().map(|row| answer.roof(*row)).collect();
    assert_eq!(answer.row(&opened.profile, &analysis, n as u32), None);
    let result = answer.into_report(&opened.profile, &analysis, usize::MAX);
    assert_eq!(result.rows.iter().map(|row| row.roof.clone()).collect::<Vec<_>>(), roofs);
    sums(&result);
    result
}

fn roofline_of_plane(plane: XPlane, query: &RooflineQuery) -> Roofline {
    roofline(&mut open("it.xplane.pb", bytes(&XSpace { planes: vec![plane], ..XSpace::default() })).unwrap(), query)
}

fn all() -> RooflineQuery {
    RooflineQuery { query: Query { step: StepChoice::All, ..Query::busiest() }, ..RooflineQuery::default() }
}

/// Checks the sums that hold for every roofline.
fn sums(r: &Roofline) {
    let f = &r.figures;
    let rows: Picos = r.rows.iter().map(|row| row.group.total).sum();
    if rows == Picos(u64::MAX) || f.totals.busy == Picos(u64::MAX) {
        return; // Saturated times do not sum.
    }
    assert_eq!(rows, f.considered);
    let held = f.step.as_ref().map_or(Picos::ZERO, |roof| roof.total);
    assert_eq!(held + f.skipped.iter().map(|s| s.total).sum(), f.considered);
    assert_eq!(f.programs.iter().map(|p| p.total).sum::<Picos>(), f.considered);
    for row in &r.rows {
        let own = row.roof.as_ref().map_or(Picos::ZERO, |roof| roof.total);
        assert_eq!(own + row.skipped.iter().map(|s| s.total).sum(), row.group.total, "{}", row.group.key);
    }
    for reason in SkipReason::ALL {
        let of_rows: Picos =
            r.rows.iter().flat_map(|row| &row.skipped).filter(|s| s.reason == reason).map(|s| s.total).sum();
        let of_all = f.skipped.iter().find(|s| s.reason == reason).map_or(Picos::ZERO, |s| s.total);
        assert_eq!(of_rows, of_all, "{reason:?}");
    }
    let opaque = f.skipped.iter().find(|s| s.reason == SkipReason::OpaqueCall).map_or(Picos::ZERO, |s| s.total);
    assert_eq!(f.opaque.iter().map(|k| k.total).sum::<Picos>(), opaque);
    // Roofline times saturate, too, if a peak is next to zero.
    if let Some(step) = f.step.as_ref().filter(|step| step.t_roof < Picos(i64::MAX as u64)) {
        for parts in [
            r.rows.iter().filter_map(|row| row.roof.as_ref()).collect::<Vec<_>>(),
            f.programs.iter().filter_map(|p| p.roof.as_ref()).collect(),
        ] {
            assert_eq!(parts.iter().map(|p| i128::from(p.gap)).sum::<i128>(), i128::from(step.gap));
            assert_eq!(parts.iter().map(|p| p.t_roof).sum::<Picos>(), step.t_roof);
            assert_eq!(parts.iter().map(|p| p.t_compute).sum::<Picos>(), step.t_compute);
            assert_eq!(parts.iter().map(|p| p.recoverable).sum::<Picos>(), step.recoverable);
            assert_eq!(parts.iter().map(|p| p.above).sum::<Picos>(), step.above);
        }
    }
    if let Some(last) = f.gaps.last().filter(|_| f.gaps.len() < 100) {
        assert!((last.cumulative - 1.0).abs() < 1e-9);
    }
    assert!(f.gaps.windows(2).all(|w| w[0].recoverable >= w[1].recoverable));
    assert!(f.coverage.is_none_or(|c| (0.0..=1.0).contains(&c)));
}

/// An op that ran: HLO text, category, duration in ps, stats.
type Ran<'a> = (&'a str, &'a str, i64, &'a [(&'a str, Value)]);

/// Returns a plane of ops that run one after the other.
fn plane(device: &str, own: &[(&str, Value)], ops: &[Ran<'_>]) -> XPlane {
    let mut p = Plane::new("/device:TPU:0");
    if !device.is_empty() {
        p.own("device_type_string", text(device));
    }
    for (name, value) in own {
        p.own(name, value.clone());
    }
    let (mut events, mut now) = (Vec::new(), 0);
    for (hlo, category, duration, more) in ops {
        let name = hlo.trim_start_matches('%').split(" = ").next().unwrap();
        let mut stats = vec![("program_id", int(7)), ("hlo_category", text(category))];
        stats.extend(more.iter().cloned());
        events.push((p.op(hlo, name, &stats), now, *duration));
        now += duration;
    }
    p.line("XLA Ops", &events);
    p.done()
}

fn cost(flops: i64, bytes: i64) -> Vec<(&'static str, Value)> {
    vec![("flops", int(flops)), ("bytes_accessed", int(bytes))]
}

fn row<'a>(r: &'a Roofline, key: &str) -> &'a rooflight::analysis::roofline::RoofRow {
    r.rows.iter().find(|row| row.group.key == key).unwrap_or_else(|| panic!("no {key}"))
}

fn position_of<'a>(r: &'a Roofline, key: &str) -> &'a RooflinePosition {
    row(r, key).roof.as_ref().unwrap_or_else(|| panic!("{key}: {:?}", row(r, key).skipped))
}

fn note(r: &Roofline, code: &str) -> bool {
    r.figures.notes.iter().any(|n| n.code == code)
}

const DOT: &str = "%dot.1 = f32[64,64]{1,0} dot(bf16[64,64]{1,0} %a, bf16[64,64]{1,0} %b)";

/// 138.8 GFLOP in 2.12 ms on a v5e leave a gap of 1.42 ms, which is 67 %.
#[test]
fn by_hand() {
    let costs = cost(138_800_000_000, 1_000_000);
    let r = roofline_of_plane(plane("TPU v5 lite", &[], &[(DOT, "convolution", 2120 * US, &costs)]), &all());
    let roof = position_of(&r, "dot.1");
    assert_eq!(
        (roof.dtype.as_deref(), roof.precision, roof.bound),
        (Some("bf16"), Some(Precision::Bf16), Bound::Compute)
    );
    assert_eq!((roof.t_compute, roof.gap), (Picos(704_568_528), 2_120_000_000 - 704_568_528));
    assert!((roof.gap_fraction.unwrap() - 0.6677).abs() < 1e-4 && (roof.ridge.unwrap() - 240.537).abs() < 1e-3);
    assert_eq!(r.figures.peaks[0].chip.as_deref(), Some("TPU v5e"));
    assert!(r.figures.peaks[0].used.iter().all(|p| p.source == PeakSource::Published) && note(&r, "published_peaks"));
    let seen = verify(roof).unwrap();
    assert_eq!(
        (seen.verdict, seen.checks[0], seen.measured),
        (Verdict::Far, PossibleCause::RetilingCopies, Picos(2_120_000_000))
    );
    assert!((seen.ratio - 3.0089).abs() < 1e-3);
    assert_eq!((r.figures.gaps[0].key.as_str(), r.figures.gaps[0].recoverable), ("dot.1", Picos(1_415_431_472)));
}

#[test]
fn peaks_by_choice() {
    let own = [
        ("peak_teraflops_per_second", Value::DoubleValue(200.0)),
        ("peak_hbm_bw_gigabytes_per_second", Value::DoubleValue(800.0)),
    ];
    let costs = cost(1_000_000, 1_000_000);
    let mfu = |choice: PeakChoice| {
        let query = RooflineQuery { peaks: choice, ..all() };
        let r = roofline_of_plane(plane("TPU v5e", &own, &[(DOT, "convolution", 10 * US, &costs)]), &query);
        let roof = position_of(&r, "dot.1").clone();
        (roof.mfu.unwrap() * 1e3, roof.hbm_util().unwrap() * 1e3)
    };
    let near = |(a, b): (f64, f64), c: f64, d: f64| assert!((a - c).abs() < 1e-3 && (b - d).abs() < 1e-2, "{a} {b}");
    // The op reaches 0.1 of 200 TFLOP/s, and 100 of 800 GB/s.
    near(mfu(PeakChoice::default()), 0.5, 125.0);
    near(mfu(PeakChoice { prefer: PeakSource::Published, ..PeakChoice::default() }), 0.507_614, 122.1);
    near(mfu(PeakChoice { chip: Some("TPU7x".into()), ..PeakChoice::default() }), 0.086_693, 27.1);
    let yours = PeakChoice { flops: vec![(Precision::Bf16, 1e12)], hbm_bytes: Some(1e12), ..PeakChoice::default() };
    near(mfu(yours), 100.0, 100.0);
}

/// `flops` and `bytes_accessed` can be stats of events instead of metadata, and two events of one op can differ.
#[test]
fn costs_on_events() {
    let mut p = Plane::new("/device:TPU:0");
    p.own("device_type_string", text("TPU v5e"));
    let op = p.op(DOT, "dot.1", &[("hlo_category", text("convolution"))]);
    p.line("XLA Ops", &[(op, 0, 10 * US), (op, 10 * US, 10 * US), (op, 20 * US, 5 * US)]);
    let stats: Vec<Vec<XStat>> = [(1000, 10), (3000, 30)]
        .into_iter()
        .map(|(flops, bytes)| vec![p.stat("flops", int(flops)), p.stat("bytes_accessed", int(bytes))])
        .collect();
    let mut plane = p.done();
    for (event, stats) in plane.lines[0].events.iter_mut().zip(stats) {
        event.stats = stats;
    }
    let r = roofline_of_plane(plane, &all());
    let roof = position_of(&r, "dot.1");
    assert_eq!((roof.flops, roof.bytes, roof.n, roof.total), (4000.0, 40.0, 2.into(), Picos(20_000_000)));
    let skipped = &row(&r, "dot.1").skipped;
    assert_eq!((skipped.len(), skipped[0].reason, skipped[0].n_ops), (1, SkipReason::NoFlops, 1));
    assert_eq!(skipped[0].total, Picos(5_000_000), "an event that does not say its cost");
    assert!((r.figures.coverage.unwrap() - 0.8).abs() < 1e-12);
}

/// If the result of a fusion is a tuple, the dtype comes from the operands. If the text has no dtypes of operands, the
/// dtype comes from the largest part of the tuple and is uncertain.
#[test]
fn tuples() {
    let hlo = "%fusion.1 = (f32[8]{0}, bf16[64,64]{1,0}) fusion(%a, %b), kind=kOutput, calls=%c";
    let costs = cost(1_000_000, 1000);
    let r = roofline_of_plane(plane("TPU v5e", &[], &[(hlo, "convolution fusion", 10 * US, &costs)]), &all());
    let roof = position_of(&r, "fusion.1");
    assert_eq!((roof.dtype.as_deref(), roof.dtype_uncertain), (Some("bf16"), true), "nothing says what it takes");
    assert!(note(&r, "dtype_uncertain"));
    let known = "%fusion.1 = (f32[8]{0}, bf16[64,64]{1,0}) fusion(s8[64,64]{1,0} %a, s8[64,64]{1,0} %b), calls=%c";
    let r = roofline_of_plane(plane("TPU v5e", &[], &[(known, "convolution fusion", 10 * US, &costs)]), &all());
    let roof = position_of(&r, "fusion.1");
    assert_eq!(
        (roof.dtype.as_deref(), roof.precision, roof.dtype_uncertain),
        (Some("s8"), Some(Precision::Int8), false)
    );
}

/// A kernel at 400 % of the peak is shown as it is, a note reports that its cost is wrong, and it hides no other op's
/// gap.
#[test]
fn above_the_peak() {
    let kernel =
        "%splash.1 = bf16[64,64]{1,0} custom-call(bf16[64,64]{1,0} %q), custom_call_target=\"tpu_custom_call\"";
    let (fast, slow) = (cost(7_880_000_000, 1000), cost(985_000_000, 1000));
    let ops: [Ran<'_>; 2] = [(kernel, "custom-call", 10 * US, &fast), (DOT, "convolution", 10 * US, &slow)];
    let r = roofline_of_plane(plane("TPU v5e", &[], &ops), &all());
    let roof = position_of(&r, "splash.1");
    assert!((roof.mfu.unwrap() - 4.0).abs() < 1e-9 && roof.is_above());
    assert_eq!((roof.gap, roof.recoverable), (-30_000_000, Picos::ZERO));
    assert_eq!(
        verify(roof).map(|v| (v.verdict, v.checks)),
        Some((Verdict::AbovePeak, vec![PossibleCause::CostEstimate]))
    );
    let step = r.figures.step.as_ref().unwrap();
    assert_eq!((step.recoverable, step.above, step.gap), (Picos(5_000_000), Picos(10_000_000), -25_000_000));
    // A figure above 100 % is marked on the page and in the terminal.
    let hfu = rooflight::chart::roofline::figures::utilization(&r.figures, None);
    let hfu = hfu.iter().find(|figure| figure.label == "HFU").unwrap();
    assert_eq!((&*hfu.value, hfu.scope.as_deref()), ("▲ 225.0", Some("above the peak")));
    let text = rooflight::report::roofline::table::head(&r.figures);
    assert!(text.contains("HFU ▲ 225.0 % (above the peak)"), "{text}");
    assert!(note(&r, "above_peak"));
}

#[test]
fn an_unknown_chip() {
    let costs = cost(1_000_000, 1000);
    let ops: [Ran<'_>; 1] = [(DOT, "convolution", 10 * US, &costs)];
    let r = roofline_of_plane(plane("TPU v99", &[], &ops), &all());
    assert_eq!((r.figures.step.as_ref(), r.figures.skipped[0].reason), (None, SkipReason::NoPeak));
    assert!(note(&r, "unknown_peaks") && r.figures.coverage == Some(0.0));
    let yours = PeakChoice { flops: vec![(Precision::Bf16, 1e12)], ..PeakChoice::default() };
    let r = roofline_of_plane(plane("TPU v99", &[], &ops), &RooflineQuery { peaks: yours, ..all() });
    assert_eq!(r.figures.skipped[0].reason, SkipReason::NoBandwidth);
    let named = PeakChoice { chip: Some("v5e, or so".into()), ..PeakChoice::default() };
    assert!(note(
        &roofline_of_plane(plane("TPU v5e", &[], &ops), &RooflineQuery { peaks: named, ..all() }),
        "unknown_chip"
    ));
}

#[test]
fn f32_matmuls_of_tpus_have_the_peak_of_their_passes() {
    let dot = "%dot.1 = f32[64,64]{1,0} dot(f32[64,64]{1,0} %a, f32[64,64]{1,0} %b)";
    let add = "%fusion.2 = f32[64,64]{1,0} fusion(f32[64,64]{1,0} %a), kind=kLoop, calls=%c";
    let highest = format!("{}, operand_precision={{highest,highest}}", dot.replace("dot.1", "dot.3"));
    let high = format!("{}, operand_precision={{default,high}}", dot.replace("dot.1", "dot.4"));
    // The dot of this fusion is unknown.
    let unseen = "%fusion.5 = f32[64,64]{1,0} fusion(f32[64,64]{1,0} %a, f32[64,64]{1,0} %b), kind=kOutput, calls=%c";
    let costs = cost(1_000_000, 1000);
    let ops: [Ran<'_>; 5] = [
        (dot, "convolution", 10 * US, &costs),
        (add, "loop fusion", 5 * US, &costs),
        (&highest, "convolution", 10 * US, &costs),
        (&high, "convolution", 10 * US, &costs),
        (unseen, "convolution fusion", 40 * US, &costs),
    ];
    let r = roofline_of_plane(plane("TPU v5e", &[], &ops), &all());
    let share = 1e6 / 10e-6 / 197e12;
    for (name, passes) in [("dot.1", 1.0), ("dot.3", 6.0), ("dot.4", 3.0)] {
        let mfu = position_of(&r, name).mfu.unwrap();
        assert!((mfu / (share * passes) - 1.0).abs() < 1e-9, "{name}: {mfu}");
    }
    assert_eq!(row(&r, "fusion.5").skipped[0].reason, SkipReason::NoPeak);
    let message = r.figures.notes.iter().find(|n| n.code == "no_peak_for_dtype").map(|n| n.message.as_str());
    assert!(message.unwrap().starts_with("53.3 % of the time computes with f32"), "{message:?}");
    let vector = position_of(&r, "fusion.2");
    assert_eq!(
        (vector.dtype.as_deref(), vector.precision),
        (Some("f32"), Some(Precision::Bf16)),
        "not the matrix units"
    );
    assert!(note(&r, "vector_work"));
    let yours = PeakChoice { flops: vec![(Precision::F32, 1e12)], ..PeakChoice::default() };
    let r = roofline_of_plane(plane("TPU v5e", &[], &ops), &RooflineQuery { peaks: yours, ..all() });
    assert!(
        (position_of(&r, "dot.1").mfu.unwrap() - 0.1).abs() < 1e-12
            && (position_of(&r, "fusion.2").mfu.unwrap() - 0.2).abs() < 1e-12
    );
}

#[test]
fn the_costs_of_opaque_kernels_can_be_given() {
    let kernel = |n: u32| {
        format!(
            "%gmm.{n} = bf16[64,64]{{1,0}} custom-call(bf16[64,64]{{1,0}} %q), custom_call_target=\"tpu_custom_call\""
        )
    };
    let (one, two) = (kernel(1), kernel(2));
    let nothing = [("flops", int(0)), ("bytes_accessed", int(500))];
    let ops: [Ran<'_>; 2] = [(&one, "custom-call", 10 * US, &[]), (&two, "custom-call", 30 * US, &nothing)];
    let r = roofline_of_plane(plane("TPU v5e", &[], &ops), &all());
    let kernels: Vec<_> = r.figures.opaque.iter().map(|k| (k.op.as_str(), k.n, k.total.0)).collect();
    assert_eq!(kernels, [("gmm.2", 1.into(), 30_000_000), ("gmm.1", 1.into(), 10_000_000)]);
    assert_eq!(r.figures.opaque[0].target.as_deref(), Some("tpu_custom_call"));
    assert_eq!((r.figures.skipped[0].n_ops, note(&r, "opaque_kernels")), (2, true));
    let costs = vec![KernelCost { pattern: "gmm".into(), flops: 1.97e9, bytes: 8190.0 }];
    let r = roofline_of_plane(plane("TPU v5e", &[], &ops), &RooflineQuery { costs, ..all() });
    let roof = position_of(&r, "gmm.1");
    assert!((roof.mfu.unwrap() - 1.0).abs() < 1e-9 && roof.cost == CostSource::Yours);
    assert_eq!((r.figures.coverage, r.figures.opaque.len()), (Some(1.0), 0));
}

#[test]
fn memories_have_their_own_roofs() {
    let access = |operation: u8, memory: u8, bytes: u8| vec![0x0a, 6, 0x08, operation, 0x10, memory, 0x18, bytes];
    let split = Value::BytesValue([access(1, 1, 10), access(2, 1, 10), access(1, 3, 100)].concat());
    let mut costs = cost(40, 120);
    costs.push(("memory_access_breakdown", split));
    // 1 GB/s is one byte per 1000 ps.
    let own = [
        ("peak_teraflops_per_second", Value::DoubleValue(1.0)),
        ("peak_hbm_bw_gigabytes_per_second", Value::DoubleValue(1.0)),
        ("peak_vmem_rd_bw_gigabytes_per_second", Value::DoubleValue(2.0)),
    ];
    let r = roofline_of_plane(plane("TPU v5e", &own, &[(DOT, "convolution", 100_000, &costs)]), &all());
    let roof = position_of(&r, "dot.1");
    assert_eq!((roof.t_compute, roof.t_hbm(), roof.t_roof), (Picos(40), Picos(20_000), Picos(50_000)));
    assert_eq!((roof.bound, roof.intensity, roof.bytes), (Bound::Memory(Level::VmemRead), Some(2.0), 120.0));
    assert_eq!((roof.hbm_util(), roof.util), (Some(0.2), Some(0.5)));
    assert!(!note(&r, "bytes_not_split"));
    assert_eq!(verify(roof).unwrap().verdict, Verdict::Fair);
    // Without the split, all bytes of the same op count as HBM's.
    let r = roofline_of_plane(plane("TPU v5e", &own, &[(DOT, "convolution", 100_000, &cost(40, 120))]), &all());
    assert_eq!(position_of(&r, "dot.1").t_hbm(), Picos(120_000));
    assert!(note(&r, "bytes_not_split"));
}

#[test]
fn model_flops_replace_missing_flops() {
    let costs = vec![("model_flops", int(1_970_000_000)), ("bytes_accessed", int(8))];
    let r = roofline_of_plane(plane("TPU v5e", &[], &[(DOT, "convolution", 20 * US, &costs)]), &all());
    let roof = position_of(&r, "dot.1");
    assert!(
        (roof.mfu.unwrap() - 0.5).abs() < 1e-9 && roof.cost == CostSource::ModelFlops && note(&r, "model_flops_used")
    );
    assert!((r.figures.window.model_mfu.unwrap() - 0.5).abs() < 1e-9 && r.figures.window.hfu.is_none());
}

/// The ends of asynchronous ops have no roof, and the bytes of a pair count once.
#[test]
fn all_kinds() {
    let start = "%copy-start.1 = (f32[8]{0}, f32[8]{0}, u32[]) copy-start(f32[8]{0} %x)";
    let done = "%copy-done.1 = f32[8]{0} copy-done((f32[8]{0}, f32[8]{0}, u32[]) %copy-start.1)";
    let reduce = "%all-reduce.1 = f32[8]{0} all-reduce(f32[8]{0} %x)";
    let costs = cost(0, 8_190_000);
    let ops: [Ran<'_>; 3] = [
        (start, "copy-start", US, &costs),
        (done, "copy-done", 50 * US, &costs),
        (reduce, "all-reduce", 20 * US, &costs),
    ];
    let compute = roofline_of_plane(plane("TPU v5e", &[], &ops), &all());
    assert_eq!((compute.rows.len(), compute.figures.considered, compute.figures.coverage), (0, Picos::ZERO, None));
    let r = roofline_of_plane(plane("TPU v5e", &[], &ops), &RooflineQuery { all_kinds: true, ..all() });
    assert_eq!(r.figures.considered, r.figures.totals.busy);
    assert_eq!(r.figures.skipped[0].reason, SkipReason::AsyncEnd);
    let roof = position_of(&r, "all-reduce.1");
    assert!((roof.util.unwrap() - 0.5).abs() < 1e-9 && roof.intensity == Some(0.0));
    assert_eq!(r.figures.window.bytes, Some(2.0 * 8_190_000.0), "the wait's and the collective's");
}

/// 2·32·1024·8192·32768 FLOP over 8 devices of 23 TFLOP/s take 95.6 ms.
#[test]
fn useful_flops_of_a_job() {
    let mut p = Plane::new("/device:TPU:0");
    p.own("device_type_string", text("TPU v5e"));
    let (op, step) = (p.op(DOT, "dot.1", &[]), p.op("1", "", &[]));
    p.line("Steps", &[(step, 0, 95_600 * US), (step, 95_600 * US, 95_600 * US)]);
    p.line("XLA Ops", &[(op, 0, 95_600 * US), (op, 95_600 * US, 95_600 * US)]);
    let plane = p.done();
    let peaks = PeakChoice { flops: vec![(Precision::Bf16, 23e12)], ..PeakChoice::default() };
    let useful =
        UsefulFlops { batch: 32.0, sequence: 1024.0, flops_per_token: 2.0 * 8192.0 * 32768.0, devices: Some(8) };
    for step in [StepChoice::Busiest, StepChoice::All] {
        let query = RooflineQuery {
            query: Query { step, ..Query::busiest() },
            peaks: peaks.clone(),
            useful: Some(useful),
            ..RooflineQuery::default()
        };
        let r = roofline_of_plane(plane.clone(), &query);
        let mfu = r.figures.window.useful_mfu.unwrap();
        assert!((mfu - 1.0).abs() < 1e-3, "{step}: {mfu}");
    }
    let bad = UsefulFlops { batch: f64::NAN, ..useful };
    let r = roofline_of_plane(plane, &RooflineQuery { useful: Some(bad), ..all() });
    assert!(r.figures.window.useful_mfu.is_none() && note(&r, "no_useful_mfu"));
}

#[test]
fn short_ops_are_bound_by_latency() {
    let costs = cost(1000, 1000);
    let ops: [Ran<'_>; 1] = [(DOT, "convolution", 5 * US, &costs)];
    let r = roofline_of_plane(plane("TPU v5e", &[], &ops), &all());
    assert!(position_of(&r, "dot.1").latency_bound);
    assert_eq!(r.figures.latency_bound, Picos(5_000_000));
    assert_eq!(verify(position_of(&r, "dot.1")).unwrap().checks[0], PossibleCause::Latency);
}

/// The sums hold for several groupings, steps and devices of a built capture and of every real one.
#[test]
fn parts_sum_everywhere() {
    let small = || open("it.xplane.pb", bytes(&make::small())).unwrap();
    every(small);
    for (name, bytes) in common::xspaces() {
        every(|| open(name, bytes.clone()).unwrap());
    }
}

fn every(open: impl Fn() -> Opened) {
    for (by, step, all_kinds) in [
        (GroupBy::Op, StepChoice::All, false),
        (GroupBy::Op, StepChoice::All, true),
        (GroupBy::Source, StepChoice::Busiest, false),
        (GroupBy::Program, StepChoice::All, true),
        (GroupBy::Kind, StepChoice::Busiest, true),
    ] {
        for device in [DeviceChoice::All, DeviceChoice::One(0), DeviceChoice::One(7)] {
            let query = Query { device, step, by, ..Query::busiest() };
            let mut opened = open();
            let r = roofline(&mut opened, &RooflineQuery { query, all_kinds, ..RooflineQuery::default() });
            let t = &r.figures.totals;
            assert_eq!(r.figures.considered, if all_kinds { t.busy } else { t.time_of_kind(Kind::Compute) });
        }
    }
}

/// The panel of an op has the same figures as the op's row.
#[test]
fn a_single_op_matches_its_row() {
    let mut captures = vec![open("it.xplane.pb", bytes(&make::small())).unwrap()];
    captures.extend(common::profile(common::V6E).map(|bytes| open("host.xplane.pb", bytes).unwrap()));
    for opened in captures {
        let analysis = Analysis::new(&opened.profile);
        let query = Query { device: DeviceChoice::All, ..Query::busiest() };
        let request = RooflineQuery { query, all_kinds: true, ..RooflineQuery::default() };
        let result = analysis.roofline(&opened.profile, &request, None).unwrap().into_report(
            &opened.profile,
            &analysis,
            usize::MAX,
        );
        assert!(!result.rows.is_empty());
        for row in &result.rows {
            let found = analysis.find_op(&opened.profile, &request.query, row.group.program_id, &row.group.key);
            let one = analysis.op_roof(&opened.profile, &found, &request, None).unwrap();
            assert_eq!((&one.roof, &one.skipped), (&row.roof, &row.skipped), "{}", row.group.key);
            assert_eq!((&one.verified, &one.peaks), (&row.roof.as_ref().and_then(verify), &result.figures.peaks));
        }
        let nowhere = analysis.find_op(&opened.profile, &request.query, None, "no such op");
        assert_eq!(analysis.op_roof(&opened.profile, &nowhere, &request, None), None);
    }
}

/// A step has the same figures alone and among all steps.
#[test]
fn each_step_matches_the_step_alone() {
    let mut captures = vec![open("it.xplane.pb", bytes(&make::small())).unwrap()];
    captures.extend(common::profile(common::V6E).map(|bytes| open("host.xplane.pb", bytes).unwrap()));
    for mut opened in captures {
        let analysis = Analysis::new(&opened.profile);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        for (device, all_kinds) in [(DeviceChoice::All, true), (DeviceChoice::One(0), false)] {
            let request =
                |step| RooflineQuery { query: Query { device, step, ..Query::busiest() }, all_kinds, ..all() };
            let busiest = request(StepChoice::Busiest);
            let steps = session::roofline_steps(&analysis, &opened.profile, &mut programs, &busiest).unwrap();
            assert_eq!(steps.len(), analysis.devices[0].steps.len());
            for step in steps.iter().take(5).chain(steps.last()) {
                let alone = request(StepChoice::Number(step.number));
                let alone = session::roofline(&analysis, &opened.profile, &mut programs, &alone).unwrap().figures;
                assert_eq!(step.total, alone.considered, "step {}", step.number);
                let figures = |r: &RooflinePosition| {
                    (r.total, r.n, r.t_roof, r.gap, r.bound, (r.mfu.unwrap_or(0.0) * 1e9).round())
                };
                assert_eq!(step.roof.as_ref().map(figures), alone.step.as_ref().map(figures), "step {}", step.number);
            }
        }
    }
}

#[test]
fn a_filter_chooses_ops() {
    let costs = cost(1_000_000, 1000);
    let other = "%fusion.2 = f32[64,64]{1,0} fusion(f32[64,64]{1,0} %a), kind=kLoop, calls=%c";
    let ops: [Ran<'_>; 2] = [(DOT, "convolution", 10 * US, &costs), (other, "loop fusion", 5 * US, &costs)];
    let filter = Filter { text: "dot".into(), ..Filter::default() };
    let query = Query { step: StepChoice::All, filter, ..Query::busiest() };
    let r = roofline_of_plane(plane("TPU v5e", &[], &ops), &RooflineQuery { query, ..RooflineQuery::default() });
    assert_eq!((r.rows.len(), r.figures.considered, r.figures.coverage), (1, Picos(10_000_000), Some(1.0)));
}

fn any_stat() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        Just(None),
        any::<i64>().prop_map(|v| Some(Value::Int64Value(v))),
        any::<f64>().prop_map(|v| Some(Value::DoubleValue(v))),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(|v| Some(Value::BytesValue(v))),
        (0_i64..1_000_000_000).prop_map(|v| Some(Value::Int64Value(v))),
    ]
}

proptest! {
    /// Whatever the stats are, parts sum to the whole and nothing panics.
    #[test]
    fn any_stats(
        ops in prop::collection::vec((0_usize..5, any_stat(), any_stat(), any_stat(), any_stat(), 0_i64..1_000_000), 0..12),
        peaks in prop::collection::vec(any_stat(), 6),
        kinds in any::<bool>(),
        chip in 0_usize..4,
    ) {
        const HLO: [&str; 5] = [
            DOT,
            "%f = (f32[8]{0}, s8[64,64]) fusion(%a, f32[9] %b), kind=kOutput, calls=%c",
            "%k = bf16[8] custom-call(%a), custom_call_target=\"t\"",
            "%while.1 = (s32[]) while((s32[]) %t), body=%b",
            "not hlo",
        ];
        const CATEGORIES: [&str; 5] = ["convolution", "convolution fusion", "custom-call", "while", "loop fusion"];
        let names = [
            "peak_teraflops_per_second",
            "peak_hbm_bw_gigabytes_per_second",
            "peak_vmem_rd_bw_gigabytes_per_second",
            "clock_rate",
            "core_count",
            "compute_cap_major",
        ];
        let own: Vec<(&str, Value)> = names.into_iter().zip(peaks).filter_map(|(n, v)| Some((n, v?))).collect();
        let stats: Vec<Vec<(&str, Value)>> = ops
            .iter()
            .map(|(_, flops, bytes, model, memory, _)| {
                let all = [("flops", flops), ("bytes_accessed", bytes), ("model_flops", model), ("memory_access_breakdown", memory)];
                all.into_iter().filter_map(|(n, v)| Some((n, v.clone()?))).collect()
            })
            .collect();
        let rows: Vec<Ran<'_>> =
            ops.iter().zip(&stats).map(|(op, stats)| (HLO[op.0], CATEGORIES[op.0], op.5, stats.as_slice())).collect();
        let chip = ["", "TPU v5e", "TPU7x", "no chip"][chip];
        roofline_of_plane(plane(chip, &own, &rows), &RooflineQuery { all_kinds: kinds, ..all() });
    }
}

/// Returns the roofline of an opened file.
fn answer_of(mut opened: Opened, query: &RooflineQuery) -> Roofline {
    roofline(&mut opened, query)
}

fn sample() -> Opened {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz");
    open("sample.xplane.pb.xz", std::fs::read(path).unwrap()).unwrap()
}

/// The devices of the job share the useful FLOPs of a step, not the devices that are shown. One device and all devices
/// therefore reach the same MFU.
#[test]
fn useful_flops_are_shared_by_the_devices_of_the_program() {
    let useful = UsefulFlops { batch: 16.0, sequence: 2048.0, flops_per_token: 6.03e9, devices: None };
    let window = |device, devices| {
        let query = Query { device, step: StepChoice::Number(0), ..Query::busiest() };
        let useful = Some(UsefulFlops { devices, ..useful });
        answer_of(sample(), &RooflineQuery { query, useful, ..RooflineQuery::default() })
    };
    let (one, all) = (window(DeviceChoice::One(0), None), window(DeviceChoice::All, None));
    for r in [&one, &all] {
        let devices = r.figures.window.useful_devices.unwrap();
        assert_eq!((devices.n, devices.source), (8, DeviceCountSource::Program));
        let mfu = r.figures.window.useful_mfu.unwrap();
        assert!((mfu - 0.322).abs() < 0.002, "{mfu}");
        assert!(note(r, "useful_devices") && !note(r, "window_above_peak"));
    }
    // With a wrong number of devices, the MFU is more than the devices can reach, and a note reports this.
    let wrong = window(DeviceChoice::One(0), Some(1));
    assert!(wrong.figures.window.useful_mfu.unwrap() > 2.5 && note(&wrong, "window_above_peak"));
}

/// Without a program, the devices of the capture share the useful FLOPs, whichever of them is shown.
#[test]
fn useful_flops_without_a_program_are_shared_by_the_devices_of_the_capture() {
    let device = |n: usize| {
        let mut p = Plane::new(&format!("/device:TPU:{n}"));
        p.own("device_type_string", text("TPU v5e"));
        let (op, step) = (p.op(DOT, "dot.1", &[]), p.op("1", "", &[]));
        p.line("Steps", &[(step, 0, 1000 * US)]);
        p.line("XLA Ops", &[(op, 0, 1000 * US)]);
        p.done()
    };
    let space = XSpace { planes: (0..4).map(device).collect(), ..XSpace::default() };
    let useful = UsefulFlops { batch: 1.0, sequence: 1.0, flops_per_token: 4.0 * 197e9, devices: None };
    for device in [DeviceChoice::One(2), DeviceChoice::All] {
        let query = Query { device, ..Query::busiest() };
        let r = answer_of(
            open("it.xplane.pb", bytes(&space)).unwrap(),
            &RooflineQuery { query, useful: Some(useful), ..RooflineQuery::default() },
        );
        let devices = r.figures.window.useful_devices.unwrap();
        assert_eq!((devices.n, devices.source), (4, DeviceCountSource::Capture));
        assert!((r.figures.window.useful_mfu.unwrap() - 1.0).abs() < 1e-9);
    }
}

/// The convolution has 34 × 31 × 53 outputs of 5,120 features, and a window of 1 × 2 × 2 over 16 features, with stride
/// 1 × 2 × 2 and padding 1 on every side. 32 · 60 · 104 positions lie inside the input. The convolution runs as two
/// kernels, and its cost counts once per run.
#[test]
#[ignore = "needs captures of other projects"]
fn a_convolution_of_two_kernels_costs_once_per_run() {
    let capture = common::profile("gpu-mi300-conv-legacy/host.xplane.pb").unwrap();
    let once = 2.0 * 5120.0 * 16.0 * 32.0 * 60.0 * 104.0;
    let position = |step| {
        let opened = open("host.xplane.pb", capture.clone()).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let device = analysis.devices.iter().position(|device| device.label == "GPU:7").unwrap();
        let query = Query { device: DeviceChoice::One(device as u32), step, ..Query::busiest() };
        answer_of(opened, &RooflineQuery { query, ..RooflineQuery::default() })
    };
    let all = position(StepChoice::All);
    let conv = position_of(&all, "cudnn-conv.1.0");
    assert_eq!((conv.n, conv.flops), (10.into(), 5.0 * once));
    let rate = conv.flop_rate().unwrap() / 1e12;
    assert!((rate - 106.2).abs() < 0.1, "{rate}");
    assert_eq!(conv.above, Picos::ZERO, "neither kernel is above a roof of its own");
    for step in 0..5 {
        let r = position(StepChoice::Number(step));
        assert_eq!(position_of(&r, "cudnn-conv.1.0").flops, once, "step {step}");
    }
    // The data sheet's bandwidth is used, and the profile's bandwidth is shown beside it.
    let peaks = &all.figures.peaks[0];
    assert_eq!((peaks.chip.as_deref(), peaks.bytes(Level::Hbm)), (Some("MI300X"), Some(5300e9)));
    assert!(note(&all, "published_hbm") && !note(&all, "above_peak"));
}

/// The tensor cores of a V100 take f16, and not bf16.
#[test]
#[ignore = "needs captures of other projects"]
fn a_v100_has_a_peak_of_f16() {
    let capture = common::profile("gpu-v100/host.xplane.pb").unwrap();
    let r = answer_of(open("host.xplane.pb", capture).unwrap(), &RooflineQuery::default());
    let peaks = &r.figures.peaks[0];
    assert_eq!(peaks.chip.as_deref(), Some("V100 16GB SXM2"));
    assert_eq!((peaks.flops(Precision::Bf16), peaks.main()), (None, Precision::F16));
    assert!((peaks.flops(Precision::F16).unwrap() / 125.3376e12 - 1.0).abs() < 1e-9);
}

/// The efficiency is that of 24 ms in a step of 889 ms. The table and the chart state this in the same words.
#[test]
#[ignore = "needs captures of other projects"]
fn the_roofline_states_its_part_of_the_step() {
    let capture = common::profile("tpu-v6e-host-offload/host.xplane.pb").unwrap();
    let query = Query { device: DeviceChoice::One(0), step: StepChoice::Number(0), ..Query::busiest() };
    let r = answer_of(open("host.xplane.pb", capture).unwrap(), &RooflineQuery { query, ..RooflineQuery::default() });
    let scope = "of 24.05 ms compute, 2.7 % of the step";
    assert_eq!(roofline::table::scope(&r.figures).as_deref(), Some(scope));
    let head = roofline::table::head(&r.figures);
    assert!(head.contains(&format!("Roofline efficiency: 81.8 % {scope}; coverage 100.0 %")), "{head}");
    let hero = rooflight::chart::roofline::figures::readout(&r.figures, None).hero;
    assert_eq!((hero.value.as_str(), hero.scope.as_deref()), ("81.8", Some(scope)));
}

/// MFU counts the FLOPs of the model, and HFU counts those of recompute, too.
#[test]
fn mfu_counts_the_flops_of_the_model() {
    let query = Query { device: DeviceChoice::One(0), step: StepChoice::Number(0), ..Query::busiest() };
    let r = answer_of(sample(), &RooflineQuery { query, ..RooflineQuery::default() });
    let result = roofline::table::window_use(&r.figures);
    let value = |name: &str| result.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_str());
    assert_eq!((value("MFU"), value("HFU")), (Some("20.6 %"), Some("26.4 %")));
}

/// A window in which no execution starts has time, but no FLOPs and no bytes: rates and shares of peaks are unknown, and not 0.
#[test]
fn a_window_without_a_start_has_no_rates() {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz");
    let window = ["--device", "6", "--window", "1062000us..1063000us"];
    let run = |args: &[&str]| {
        let out = crate::fleet::rooflight().args(args).args(window).arg(capture).output().unwrap();
        assert_eq!(out.status.code(), Some(0));
        String::from_utf8(out.stdout).unwrap()
    };
    let text = run(&["breakdown"]);
    let row: Vec<&str> =
        text.lines().find(|line| line.starts_with("fusion.407 ")).unwrap().split_whitespace().collect();
    assert_eq!(row[1..8], ["1.000", "100.0", "Compute", "0", "–", "–", "–"], "{text}");
    let text = run(&["roofline"]);
    assert!(text.contains("no start in the window, 1 op") && !text.contains("MFU 0 %"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&run(&["roofline", "--json"])).unwrap();
    assert_eq!(
        json["groups"][0]["skipped"]["no_start"]["dur_ps"].as_f64(),
        Some(1e9),
        "{}",
        json["groups"][0]["skipped"]
    );
    for field in ["mfu", "hbm_util", "roofline_util", "gap_ps", "recoverable_ps"] {
        assert!(json["groups"][0][field].is_null(), "{field}");
    }
    let json: serde_json::Value = serde_json::from_str(&run(&["overview", "--json"])).unwrap();
    for figure in ["model_mfu", "hardware_mfu", "hbm_bandwidth"] {
        assert!(json["figures"][figure]["value"].is_null(), "{}", json["figures"][figure]);
    }
}

/// Shares of peaks of several sources cannot be compared, so the sources are named where MFU and HFU are.
#[test]
fn the_source_of_peaks_is_named() {
    let run = |args: &[&str]| {
        let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/gpu/xla.graphs.xplane.pb.xz");
        let out = crate::fleet::rooflight().args(args).arg(capture).output().unwrap();
        String::from_utf8(out.stdout).unwrap().replace('\n', " ")
    };
    assert!(run(&["roofline"]).contains("MFU and HFU are shares of bf16 1,070.5 TFLOP/s (profile)"));
    let published = run(&["roofline", "--peaks", "published"]);
    assert!(
        published.contains("MFU and HFU are shares of bf16 989") && published.contains("TFLOP/s (published)"),
        "{published}"
    );
}
