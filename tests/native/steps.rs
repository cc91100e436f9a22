//! Tests of the steps that captures have: how they are found, how many there are, their mean period, and their kinds. The
//! expected values are those of an independent implementation, which reads the same files.

use super::common::open;
use crate::common::captures::profile;
use rooflight::analysis::base::{Analysis, StepsBy};
use rooflight::session::Opened;
use std::path::Path;

/// Opens a file of the folder `samples`.
fn sample(name: &str) -> Opened {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    open(name, std::fs::read(path).unwrap()).unwrap()
}

/// Returns how the steps of the first device with steps were found, their number, the mean of their periods in ms, and the
/// names of their kinds with the number of steps of each.
fn steps(opened: &Opened, by: &StepsBy) -> (&'static str, usize, f64, Vec<(String, u64)>) {
    let analysis = Analysis::with_steps(&opened.profile, by);
    let device = analysis.devices.iter().find(|device| !device.steps.is_empty()).unwrap();
    let periods: Vec<f64> =
        device.steps.iter().filter(|step| step.has_period).map(|step| step.length().as_f64() / 1e9).collect();
    let mean = periods.iter().sum::<f64>() / periods.len() as f64;
    let kinds = analysis.kinds.iter().map(|kind| (kind.name.clone(), kind.n_steps)).collect();
    (device.basis.key(), device.steps.len(), mean, kinds)
}

/// Returns the codes of the notes on steps.
fn codes(opened: &Opened, by: &StepsBy) -> Vec<&'static str> {
    let analysis = Analysis::with_steps(&opened.profile, by);
    let mut codes: Vec<&str> = analysis.notes.iter().map(|note| note.code.key()).collect();
    codes.retain(|code| code.starts_with("steps") || code.starts_with("programs_one"));
    codes
}

const FIRST: StepsBy = StepsBy::FirstThatFits;

#[test]
fn steps_of_the_cases_are_the_expected_ones() {
    for (file, by, n, period, kind) in [
        ("cases/cpu_callback.xplane.pb", "annotation", 8, 74.346, "train"),
        ("cases/cpu_inputslow.xplane.pb", "annotation", 10, 40.702, "train"),
        ("cases/gpu_grad_accum.xplane.pb", "annotation", 6, 40.0, "train"),
        ("cases/gpu_pipeline2.xplane.pb", "annotation", 8, 42.2, "train"),
        ("cases/gpu_shapes.xplane.pb", "annotation", 8, 120.0, "train"),
        ("cases/gpu_sync_ag.xplane.pb", "annotation", 6, 4.0, "train"),
        ("gpu/again.graphs.xplane.pb.xz", "annotation", 8, 7.385, "train"),
        ("gpu/cudnn.kernels.xplane.pb.xz", "annotation", 8, 5.280, "train"),
        ("gpu/xla.kernels.xplane.pb.xz", "annotation", 8, 7.526, "train"),
        ("cases/tpu_multislice_dcn.xplane.pb", "line", 6, 30.0, "jit_train_step"),
        ("cases/tpu_torchxla.xplane.pb", "line", 4, 10.0, "SyncTensorsGraph.2104"),
        ("sample.xplane.pb.xz", "line", 5, 167.236, "jit_train_step"),
        ("cases/tpu_decode_unlinked.xplane.pb", "program", 20, 20.0, "jit_step_fun"),
        ("cases/gpu_ragged_a2a.xplane.pb", "program", 6, 30.0, "jit_moe"),
        ("cases/gpu_ppermute_serial.xplane.pb", "program", 6, 5.0, "jit_ring"),
        ("cases/gpu_moe_fft_costs.xplane.pb", "program", 6, 2.0, "jit_mix"),
        ("cases/tpu_scatter_loop.xplane.pb", "program", 8, 0.6, "jit_f"),
    ] {
        let (found, n_found, mean, kinds) = steps(&sample(file), &FIRST);
        assert_eq!((found, n_found), (by, n), "{file}");
        assert!((mean / period - 1.0).abs() < 0.002, "{file}: {mean} ms");
        assert_eq!(kinds, [(kind.to_owned(), n as u64)], "{file}");
    }
}

#[test]
fn steps_without_marks_are_the_sequence_that_repeats() {
    for (file, n, period) in [("gpu_grad_accum", 6, 40.0), ("gpu_pipeline2", 8, 42.2)] {
        let opened = sample(&format!("cases/{file}.xplane.pb"));
        let (found, n_found, mean, _) = steps(&opened, &StepsBy::Sequence);
        assert_eq!((found, n_found), ("sequence", n), "{file}");
        assert!((mean / period - 1.0).abs() < 0.002, "{file}: {mean} ms");
    }
}

#[test]
fn programs_of_one_name_that_run_once_are_one_kind() {
    let opened = sample("cases/gpu_shapes.xplane.pb");
    assert_eq!(codes(&opened, &FIRST), ["steps_by", "programs_one_run_each"]);
    let analysis = Analysis::new(&opened.profile);
    assert_eq!(analysis.kinds[0].n_programs, Some(8));
    // Each step compiles, so compiling is what a step does, and only the first and the last step are not steady.
    assert_eq!(analysis.devices[0].steady_steps().count(), 6);
}

#[test]
fn a_server_has_kinds_of_steps() {
    let opened = sample("gpu/decode.graphs.xplane.pb.xz");
    let (found, n, _, kinds) = steps(&opened, &FIRST);
    assert_eq!((found, n), ("program", 34));
    assert_eq!(kinds, [("decode".to_owned(), 32), ("prefill".to_owned(), 2)]);
    let analysis = Analysis::new(&opened.profile);
    let decode = analysis.devices[0].steady_steps();
    let mut lengths: Vec<f64> = decode.map(|step| step.length().as_f64() / 1e9).collect();
    lengths.sort_by(f64::total_cmp);
    assert!((lengths[lengths.len() / 2] - 0.978).abs() < 0.002, "{lengths:?}");
}

#[test]
fn steps_can_be_found_in_the_way_that_the_user_wants() {
    let opened = sample("cases/gpu_grad_accum.xplane.pb");
    let program = |name: &str| StepsBy::Program(name.to_owned());
    assert_eq!(steps(&opened, &program("jit_grad_fn")).1, 48);
    assert_eq!(steps(&opened, &program("jit_apply_update")).1, 6);
    let whole = Analysis::with_steps(&opened.profile, &StepsBy::All);
    assert!(whole.devices.iter().all(|device| device.steps.is_empty()) && whole.kinds.is_empty());
    // The capture has no line of steps.
    assert!(Analysis::with_steps(&opened.profile, &StepsBy::Line).devices.iter().all(|device| device.steps.is_empty()));
    let texts = [("annotation", StepsBy::Annotation), ("line", StepsBy::Line), ("sequence", StepsBy::Sequence)];
    for (text, by) in texts.into_iter().chain([("all", StepsBy::All), ("program=jit_f", program("jit_f"))]) {
        assert_eq!(text.parse(), Ok(by));
    }
    assert!(["", "program=", "steps", "line=1"].iter().all(|text| text.parse::<StepsBy>().is_err()));
}

#[test]
fn steps_of_real_captures_are_the_expected_ones() {
    for (file, by, n, period) in [
        ("cpu-jax/vm.xplane.pb", "annotation", 5, 1_142.4),
        ("tpu-v6e-host-offload/host.xplane.pb", "program", 100, 784.434),
        ("gpu-mi300/gemm.xplane.pb", "sequence", 6, 1.521),
    ] {
        let Some(bytes) = profile(file) else { return };
        let opened = open(file, bytes).unwrap();
        let (found, n_found, mean, _) = steps(&opened, &FIRST);
        assert_eq!((found, n_found), (by, n), "{file}");
        assert!((mean / period - 1.0).abs() < 0.002, "{file}: {mean} ms");
    }
}
