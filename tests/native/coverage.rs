//! These tests check what the overview says of costs that are unknown, or known in part.

use crate::causes::{Device, MS, overview};
use rooflight::analysis::overview::{FigureId, Overview, RuleId};
use rooflight::report::overview::text::{TextStyle, text};

const STYLE: TextStyle = TextStyle { width: 1000, is_coloured: false };

/// Adds an op to a device.
type AddOp<'a> = &'a dyn Fn(&mut Device) -> i64;

/// Makes the overview of steps that have these ops one after the other: a way to add each op, and its duration.
fn of_ops(ops: &[(AddOp<'_>, i64)]) -> Overview {
    let mut device = Device::new(0, 7);
    let ops: Vec<(i64, i64)> = ops.iter().map(|(add, duration)| (add(&mut device), *duration)).collect();
    device.steps(&ops);
    overview(vec![device.done()]).0
}

/// A Pallas kernel: FLOPs that the compiler counted, and no bytes.
fn kernel(device: &mut Device) -> i64 {
    let hlo = "%matmul.3 = f32[2048,2048]{1,0} custom-call(f32[2048,1024]{1,0} %a, f32[1024,2048]{1,0} %b), \
               custom_call_target=\"tpu_custom_call\"";
    device.op_of_bytes(hlo, "custom-call", "jit(f)/pallas_call", (1_077_000_000, 0))
}

/// A fusion of which nothing tells that its f32 operands have the default precision.
fn unseen(device: &mut Device) -> i64 {
    let hlo = "%fusion.9 = f32[64,64]{1,0} fusion(f32[64,64]{1,0} %a, f32[64,64]{1,0} %b), kind=kOutput, calls=%c";
    device.op_of_bytes(hlo, "convolution fusion", "jit(f)/dot_general", (1_000_000_000, 1024))
}

#[test]
fn a_kernel_without_bytes_has_no_share_of_the_peaks() {
    let overview = of_ops(&[(&kernel, 5 * MS)]);
    for id in [FigureId::HardwareMfu, FigureId::HbmBandwidth] {
        let figure = overview.figure(id).unwrap();
        assert_eq!(figure.value, None, "{}", id.key());
        assert!(figure.absent.is_some(), "{}", id.key());
    }
    let text = text(&overview, STYLE);
    assert!(!text.contains("HFU") && !text.contains("HBM bandwidth"), "{text}");
    assert!(!text.contains("Needed:"), "what is needed is unknown: {text}");
}

#[test]
fn costs_that_are_known_in_part_give_a_least_value() {
    let matmul = |device: &mut Device| device.matmul(5 * MS);
    let overview = of_ops(&[(&matmul, 5 * MS), (&kernel, 5 * MS)]);
    let mfu = overview.figure(FigureId::HardwareMfu).unwrap();
    assert_eq!(mfu.coverage, Some(0.5));
    assert!(mfu.is_at_least() && (0.4..0.42).contains(&mfu.value.unwrap()), "{mfu:?}");
    let text = text(&overview, STYLE);
    assert!(text.contains("HFU (FLOPs as run) ≥ 40."), "{text}");
    // The matmul takes what it needs at four fifths of the roofline.
    assert!(text.contains("Needed: 5.00 ms (50.0 %)."), "{text}");
    assert!(text.contains("is not judged, and may add to it"), "{text}");

    let overview = of_ops(&[(&matmul, 5 * MS)]);
    let mfu = overview.figure(FigureId::HardwareMfu).unwrap();
    assert!(!mfu.is_at_least() && (mfu.value.unwrap() - 0.8).abs() < 1e-6, "{mfu:?}");
}

#[test]
fn ops_without_a_peak_of_their_type_ask_for_it() {
    let overview = of_ops(&[(&unseen, 5 * MS)]);
    let finding = overview.findings.iter().find(|finding| finding.rule() == RuleId::OpaqueKernels).unwrap();
    let code: Vec<&str> = finding.tries.iter().filter_map(|advice| advice.code.as_deref()).collect();
    assert_eq!(code, ["--peak-tflops f32=…"]);
}
