//! These tests check captures of one H100 that XLA made with CUDA graphs, whose events do not name their instructions.
//! Each is compared with a capture of the same program in which every kernel names its instruction.

use crate::common::open;
use prost::Message;
use rooflight::analysis::base::{Analysis, Filter, GroupBy, Query, StepChoice};
use rooflight::analysis::memory::{FIT_TOO_LARGE, Fit, FitVerdict, JobSize, MemoryQuery, fit_verdict};
use rooflight::analysis::overview::OverviewQuery;
use rooflight::analysis::roofline::{RooflinePosition, RooflineQuery};
use rooflight::session::{self, Opened, Programs};
use std::collections::BTreeMap;
use std::io::Read;
use xla_profile::profile::NoteCode;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::XSpace;

/// The captures in `samples/gpu` with CUDA graphs, and XLA's own figure of the peak memory in bytes
/// (`memory_analysis().peak_memory_in_bytes`).
const GRAPHS: [(&str, u64); 7] = [
    ("xla.graphs", 746_602_642),
    ("again.graphs", 746_602_642),
    ("loader.graphs", 746_602_642),
    ("counters.graphs", 746_602_642),
    ("cudnn.graphs", 612_515_986),
    ("f32.graphs", 1_493_319_828),
    ("unrolled.graphs", 587_219_370),
];

pub fn path(name: &str) -> String {
    format!("{}/samples/gpu/{name}.xplane.pb.xz", env!("CARGO_MANIFEST_DIR"))
}

pub fn sample(name: &str) -> (Opened, Analysis) {
    let opened = open(&format!("{name}.xplane.pb.xz"), std::fs::read(path(name)).unwrap()).unwrap();
    assert_eq!(opened.partial, None);
    let analysis = Analysis::new(&opened.profile);
    (opened, analysis)
}

/// The executions and the time of each op in the whole capture.
fn ops((opened, analysis): &(Opened, Analysis)) -> BTreeMap<String, (u64, Picos)> {
    let query = Query { step: StepChoice::All, by: GroupBy::Op, ..Query::busiest() };
    let rows = analysis.breakdown(&opened.profile, &query).unwrap().groups;
    rows.iter().map(|row| (row.key.clone(), (row.n_executions.whole().unwrap(), row.total))).collect()
}

#[test]
fn kernels_of_graphs_have_the_ops_of_the_same_program_without_graphs() {
    for (name, n) in [("xla", 104), ("unrolled", 251)] {
        let [graphs, kernels] = ["graphs", "kernels"].map(|form| ops(&sample(&format!("{name}.{form}"))));
        let counts =
            |ops: &BTreeMap<String, (u64, Picos)>| ops.iter().map(|(op, (n, _))| (op.clone(), *n)).collect::<Vec<_>>();
        assert_eq!(counts(&graphs), counts(&kernels));
        assert_eq!(graphs.len(), n);
        // Copies run beside other kernels in one capture and not in the other. The time of long kernels is the same.
        for (op, (n, time)) in &graphs {
            let (_, expected) = kernels[op];
            let mean = time.0 / n;
            assert!(
                mean < 30_000_000 || time.0.abs_diff(expected.0) < expected.0 / 10,
                "{name} {op}: {time:?} {expected:?}"
            );
        }
    }
    // Without a graph, cuDNN clears its buffers by further memsets.
    let (graphs, kernels) = (ops(&sample("cudnn.graphs")), ops(&sample("cudnn.kernels")));
    let names = |ops: &BTreeMap<String, (u64, Picos)>| ops.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&graphs), names(&kernels));
    let differ: Vec<&String> = graphs.keys().filter(|op| graphs[*op].0 != kernels[*op].0).collect();
    assert!(differ.len() == 3 && differ.iter().all(|op| op.starts_with("dot_product_attention_")), "{differ:?}");
}

#[test]
fn a_run_has_the_kernels_that_one_call_of_the_host_launched() {
    for (name, _) in GRAPHS {
        let (opened, analysis) = sample(name);
        let steps = &analysis.devices[0].steps;
        assert_eq!(steps.len(), 8, "{name}");
        let n_events: usize = analysis.devices[0]
            .ops
            .iter()
            .map(|line| opened.profile.planes[analysis.devices[0].plane].lines[*line].events.len())
            .sum();
        assert_eq!(n_events % 8, 0, "{name}: all runs have the same kernels");
        for absent in [NoteCode::OpsWithoutHlo, NoteCode::UnnamedStats] {
            assert!(opened.profile.notes.iter().all(|note| note.code != absent), "{name}: {absent:?}");
        }
    }
}

/// Without the threads of the host, a run begins where the first kernel repeats in another launch. These programs begin
/// with a graph in which kernels repeat.
#[test]
fn without_the_host_a_kernel_that_repeats_within_a_graph_begins_no_run() {
    for name in ["xla.graphs", "f32.graphs"] {
        let packed = std::fs::read(path(name)).unwrap();
        let mut bytes = Vec::new();
        lzma_rust2::XzReader::new(&packed[..], true).read_to_end(&mut bytes).unwrap();
        let mut space = XSpace::decode(&bytes[..]).unwrap();
        space.planes.retain(|plane| plane.name != "/host:CPU");
        let opened = open("host.xplane.pb", space.encode_to_vec()).unwrap();
        assert_eq!(Analysis::new(&opened.profile).devices[0].steps.len(), 8, "{name}");
    }
}

#[test]
fn no_op_is_faster_than_its_peak_and_nearly_all_have_one() {
    for (name, _) in GRAPHS {
        let (mut opened, analysis) = sample(name);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let query = Query { step: StepChoice::Mean, by: GroupBy::Op, ..Query::busiest() };
        let query = RooflineQuery { query, ..RooflineQuery::default() };
        let answer = session::roofline(&analysis, &opened.profile, &mut programs, &query).unwrap();
        let report = answer.into_report(&opened.profile, &analysis, usize::MAX);
        let roofs: Vec<&RooflinePosition> = report.rows.iter().filter_map(|row| row.roof.as_ref()).collect();
        let fastest = roofs.iter().filter_map(|roof| roof.mfu).fold(0.0, f64::max);
        assert!(fastest > 0.5 && fastest < 1.0, "{name}: {fastest}");
        let coverage = report.figures.coverage.unwrap();
        assert!(coverage > 0.98, "{name}: {coverage}");
    }
}

/// The FLOPs of the matmuls by hand, for 4,096 tokens, 4 layers, a width of 1,024 and 8,192 words. With rematerialisation
/// the backward pass computes the queries, keys, values, scores and the wider half of the MLP a second time.
#[test]
fn flops_of_matmuls_are_those_of_the_model() {
    let (tokens, layers, width, vocabulary, sequence) = (4096.0, 4.0, 1024.0, 8192.0, 1024.0);
    let square = 2.0 * tokens * width * width;
    let wide = 4.0 * square;
    let scores = 2.0 * tokens * sequence * width;
    let forward = 4.0 * square + 2.0 * scores + 2.0 * wide;
    let again = forward - wide;
    let expected = layers * (3.0 * forward + again) + 3.0 * 2.0 * tokens * width * vocabulary;
    let (opened, analysis) = sample("xla.graphs");
    let query = Query { step: StepChoice::All, by: GroupBy::OpGroup, ..Query::busiest() };
    let groups = analysis.breakdown(&opened.profile, &query).unwrap().groups;
    let matmuls = groups.iter().find(|group| group.key == "matmul").unwrap();
    let flops = matmuls.flops.unwrap() / 8.0;
    // Fusions also have elementwise arithmetic.
    assert!((flops / expected - 1.0).abs() < 0.01, "{flops} {expected}");
}

/// The guess of the model's size is that of `train.py`: 4 layers with heads of 1,024 elements together, whatever computes
/// the attention.
#[test]
fn attention_is_recognised_in_matmuls_and_in_calls() {
    for (name, _) in GRAPHS {
        let (mut opened, analysis) = sample(name);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let files = analysis.file_view(&opened.profile, &opened.files, false);
        let sizes = (0..files.programs.len())
            .filter_map(|index| session::guess_model(&opened.profile, &mut programs, &files.programs, index))
            .filter_map(|size| size.attention.zip(size.tokens()));
        assert_eq!(sizes.max(), Some((4 * 1024, 4096)), "{name}");
    }
}

#[test]
fn the_peak_of_memory_is_that_of_xla() {
    for (name, expected) in GRAPHS {
        let (mut opened, analysis) = sample(name);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let files = analysis.file_view(&opened.profile, &opened.files, false);
        let memory = session::memory_programs(&opened.profile, &mut programs, &files.programs);
        let peaks = memory.programs.iter().flat_map(|program| &program.spaces).map(|space| space.peak);
        assert_eq!(peaks.max(), Some(expected), "{name}");
    }
}

/// The ops of attention that memory limits have other advice than those of a model whose attention is one kernel, and a
/// model in f32 is advised to compute in bf16.
#[test]
fn advice_is_for_what_most_of_a_finding_is_about() {
    let tries = |name: &str, id: &str| {
        let (mut opened, analysis) = sample(name);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let files = analysis.file_view(&opened.profile, &opened.files, false);
        let query = OverviewQuery::default();
        let overview = session::overview(&analysis, &opened.profile, &mut programs, &files, &query).unwrap();
        let finding = overview.findings.into_iter().find(|finding| finding.id.key() == id).unwrap();
        finding.tries.into_iter().filter_map(|advice| advice.code).collect::<Vec<_>>().join("; ")
    };
    assert!(tries("xla.graphs", "memory_roof").contains("dot_product_attention"));
    assert!(tries("unrolled.graphs", "memory_roof").contains("dot_product_attention"));
    assert_eq!(tries("cudnn.graphs", "memory_roof"), "");
    assert!(tries("f32.graphs", "compute_roof").contains("bfloat16"));
    assert_eq!(tries("xla.graphs", "compute_roof"), "");
}

#[test]
fn a_loader_that_sleeps_is_the_first_finding() {
    let (mut opened, analysis) = sample("loader.graphs");
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let files = analysis.file_view(&opened.profile, &opened.files, false);
    let query = OverviewQuery::default();
    let overview = session::overview(&analysis, &opened.profile, &mut programs, &files, &query).unwrap();
    let first = &overview.findings[0];
    assert_eq!(first.id.key(), "host_dispatch");
    // It sleeps for 5 ms in each step, and the host does some work besides.
    assert!((5_000_000_000..6_500_000_000).contains(&first.recoverable.0), "{:?}", first.recoverable);
    // No host event covers the sleep, and the advice is to trace Python.
    assert!(first.detail.ends_with("such as Python."), "{}", first.detail);
    assert_eq!(first.tries[0].code.as_deref(), Some("options.python_tracer_level = 1"));
}

#[test]
fn unrolled_layers_are_one_scope_and_one_piece_of_evidence() {
    let (mut opened, analysis) = sample("unrolled.graphs");
    let query = Query { step: StepChoice::Mean, by: GroupBy::Layer, ..Query::busiest() };
    let tree = analysis.scopes(&opened.profile, &query, "", 0.0).unwrap();
    assert!(tree.nodes.iter().all(|node| !node.path.contains("layers_1")), "no node of one layer");
    // The phases of a layer have different scopes. Together they have the time of the four layers.
    let is_first = |index: usize| {
        let parent = tree.nodes[index].parent.map(|parent| tree.nodes[parent as usize].path.contains("layers_*"));
        tree.nodes[index].path.contains("layers_*") && parent == Some(false)
    };
    let folded: Vec<usize> = (0..tree.nodes.len()).filter(|index| is_first(*index)).collect();
    assert!(folded.iter().all(|index| tree.nodes[*index].name.contains(" ×4")), "{:?}", tree.nodes[folded[0]].name);
    let in_scopes: Picos = folded.iter().map(|index| tree.nodes[*index].total).sum();
    let layers = analysis.breakdown(&opened.profile, &query).unwrap().groups;
    let in_layers: Vec<Picos> =
        layers.iter().filter(|row| row.key.starts_with("layers_")).map(|row| row.total).collect();
    assert_eq!((in_layers.len(), in_layers.iter().copied().sum::<Picos>()), (4, in_scopes));
    // A folded scope selects the ops of all layers.
    let path = &tree.nodes[folded[0]].path;
    let filter = Filter { scope: path.clone(), ..Filter::default() };
    let rows = analysis.breakdown(&opened.profile, &Query { filter, ..query.clone() }).unwrap().groups;
    assert_eq!(rows.iter().map(|row| row.total).sum::<Picos>(), tree.nodes[folded[0]].total);
    assert_eq!(analysis.scopes(&opened.profile, &query, path, 0.0).unwrap().total, tree.nodes[folded[0]].total);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let files = analysis.file_view(&opened.profile, &opened.files, false);
    let overview =
        session::overview(&analysis, &opened.profile, &mut programs, &files, &OverviewQuery::default()).unwrap();
    let op = &overview.findings[0].evidence.ops[0];
    assert_eq!(op.n_layers, 4);
    assert!(overview.findings[0].detail.contains(&format!("Largest: {} in 4 layers", op.name)));
}

/// The memory of another batch, estimated from one program and planned by XLA for another.
#[test]
fn the_estimate_for_another_batch_is_near_what_xla_plans() {
    let space = |name: &str| {
        let (mut opened, analysis) = sample(name);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let whole = session::whole_memory(
            &analysis,
            &opened.profile,
            &mut programs,
            &MemoryQuery::default(),
            Some(0),
            &|_| true,
            None,
        );
        let largest = whole.programs.first().unwrap().spaces.first().unwrap().memory.clone();
        (largest, whole.capacity())
    };
    let (four, capacity) = space("xla.graphs");
    let size = four.fit.as_ref().unwrap().size;
    assert_eq!(size, JobSize { n_parameters: 67_108_864, n_sharing: 1, sequences: 4, length: 1024 });
    assert_eq!(capacity, Some(63_763_906_560), "of the allocator");
    // The sizes of the program give its peak.
    assert_eq!(Fit::new(&four, size, capacity).unwrap().estimate, Some(four.peak.peak));
    let (two, _) = space("batch2.graphs");
    let fit = Fit::new(&four, JobSize { sequences: 2, ..size }, capacity).unwrap();
    let error = fit.estimate.unwrap().abs_diff(two.peak.peak) as f64 / two.peak.peak as f64;
    assert!(error < 0.02, "{:?} {}", fit.estimate, two.peak.peak);
    // The largest model fits, and one with one parameter more does not.
    let limit = capacity.unwrap() as f64 * 0.9;
    let most = fit.most_parameters.unwrap();
    let with = |n_parameters| {
        Fit::new(&four, JobSize { n_parameters, sequences: 2, ..size }, capacity).unwrap().estimate.unwrap() as f64
    };
    assert!(with(most) <= limit && with(most + most / 1000) > limit);
    assert_eq!(Fit::new(&four, size, None).unwrap().most_parameters, None, "the capacity is unknown");
    // The memory of scores of attention grows with the square of the length. Sums of it would not fit their type.
    let long = JobSize { length: 8_000_000_000, ..size };
    for (capacity, verdict) in [(capacity, FitVerdict::DoesNotFit), (None, FitVerdict::Unknown)] {
        let fit = Fit::new(&four, long, capacity).unwrap();
        assert_eq!(fit.estimate, None);
        assert!(fit.rows.iter().any(|row| row.estimate.is_none()), "{:?}", fit.rows);
        let (found, sentence) = fit_verdict(&fit);
        assert!(found == verdict && sentence.ends_with(FIT_TOO_LARGE), "{sentence}");
        let (bar, _) = rooflight::chart::memory::fit::bar(&fit);
        assert!(bar.is_empty());
        assert_eq!(rooflight::chart::memory::fit::rows(&fit).1[1], "–");
    }
}

#[test]
fn sizes_whose_memory_does_not_fit_its_type_have_no_estimate() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/gpu/xla.graphs.xplane.pb.xz");
    let memory = |output: &[&str], length: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rooflight"));
        let out = command.arg("memory").args(output).args(["--fit-length", length, file]).output().unwrap();
        assert!(out.status.success());
        String::from_utf8(out.stdout).unwrap()
    };
    let fit = |length: &str| -> serde_json::Value {
        let json: serde_json::Value = serde_json::from_str(&memory(&["--json"], length)).unwrap();
        json["programs"][0]["spaces"][0]["fit"].clone()
    };
    let (usual, long) = (fit("2k"), fit("8B"));
    assert!(usual["estimate_bytes"].is_u64() && usual["note"].is_null(), "{usual}");
    assert!(long["estimate_bytes"].is_null() && long["note"] == FIT_TOO_LARGE, "{long}");
    assert!(memory(&[], "8B").contains(FIT_TOO_LARGE));
}
