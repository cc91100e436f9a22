//! These tests compare the modules of ops with lists that were written by hand from the programs and the sources, and
//! check that the time by module sums to the busy time.

use crate::common::hlo::{AOT, aot};
use crate::common::{open, profile};
use rooflight::analysis::base::{Analysis, DeviceChoice, Filter, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::Group;
use rooflight::analysis::classify::ModelModule::{
    self, Attention, Convolution, Embedding, Experts, Head, Loss, Mlp, Norm, Optimizer, Recurrent, Sampling, Unknown,
};
use rooflight::analysis::classify::{Certainty, OpFacts, module_by_scope, modules_by_structure, nearest_scopes};
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::session::Opened;
use rooflight::session::programs::Programs;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::rc::Rc;
use xla_profile::hlo::{Instruction, Module};
use xla_profile::profile::ProgramId;
use xla_profile::units::Picos;

/// Returns the module that a scope or a name stands for in the programs of `samples`.
pub fn by_sources(path: &str) -> Option<ModelModule> {
    const SCOPES: [(&str, ModelModule); 10] = [
        ("/adam/", Optimizer),
        ("/optimizer/", Optimizer),
        ("/moe/", Experts),
        ("/attention/", Attention),
        ("/mlp/", Mlp),
        ("(embed)", Embedding),
        ("(head)", Head),
        ("(loss)", Loss),
        ("/logits/", Head),
        ("jit(decode)/gather", Embedding),
    ];
    SCOPES.into_iter().find(|(scope, _)| path.contains(scope)).map(|(_, module)| module)
}

/// The ops of the sample that name no module, by their operands and readers in its program.
const SAMPLE: [(&str, ModelModule); 15] = [
    ("collective-permute-done.9", Attention),
    ("collective-permute-done.5", Mlp),
    ("collective-permute-done.1", Attention),
    ("collective-permute-done.12", Head),
    ("copy.1006", Experts),
    ("copy.613", Embedding),
    ("copy.605", Embedding),
    ("copy.600", Optimizer),
    ("copy.617", Optimizer),
    ("copy.618", Optimizer),
    ("copy.620", Optimizer),
    ("copy.621", Optimizer),
    ("convert.236", Experts),
    ("convert.237", Experts),
    ("while.66", Unknown),
];

pub fn sample_truth(group: &Group) -> Option<ModelModule> {
    by_sources(group.tf_op.as_deref().unwrap_or_default())
        .or_else(|| SAMPLE.into_iter().find(|(name, _)| *name == group.key).map(|(_, module)| module))
}

/// The ops of `samples/gpu` that name no module. Weights of the MLP and their gradients have 4,096 features, those of
/// attention 1,024. The fusions without a path are softmaxes, and what is joined are queries, keys and values.
fn gpu_truth(group: &Group) -> Option<ModelModule> {
    let path = group.tf_op.as_deref().unwrap_or_default();
    let shape = group.shapes.first().map_or("", String::as_str);
    let slices = ["dynamic_index_in_dim", "dynamic_update_index_in_dim", "broadcast_in_dim"];
    let is_slice = slices.iter().any(|name| path.contains(name));
    let is_of_attention = ["fusion.", "input_transpose_fusion", "loop_broadcast_fusion"];
    // Queries, keys and values have 3 × 1,024 features. The cache of the server has 528 places.
    let is_cache = shape.contains("8,528,1024]");
    by_sources(path).or(match () {
        () if is_slice && shape.contains("4096") => Some(Mlp),
        () if is_slice && (is_cache || (shape.contains("1024,1024]") && !shape.contains("[4,4,"))) => Some(Attention),
        () if group.key.starts_with("wrapped_concatenate") => Some(Attention),
        () if path.is_empty() && is_of_attention.iter().any(|name| group.key.starts_with(name)) => Some(Attention),
        () if path.is_empty() => Some(Unknown),
        () => None,
    })
}

/// The ops of vLLM's Qwen2 on two chips. The source of the projections tells which one it is: `o_proj` is called by the
/// attention layer, and `down_proj` by PyTorch's module.
fn vllm_truth(group: &Group) -> Option<ModelModule> {
    let path = group.tf_op.as_deref().unwrap_or_default();
    let is_in = |words: &[&str]| words.iter().any(|word| path.contains(word));
    let stack = group.source_stack.as_deref().unwrap_or_default();
    Some(match () {
        () if is_in(&["ragged_paged_attention", "_jax_attn_func", "QKVParallelLinear"]) => Attention,
        () if is_in(&["MergedColumnParallelLinear"]) => Mlp,
        () if is_in(&["RowParallelLinear"]) && stack.contains("vllm/attention/layer.py") => Attention,
        () if is_in(&["RowParallelLinear"]) => Mlp,
        () if is_in(&["aten::mean.dim", "aten::rsqrt"]) => Norm,
        () if is_in(&["aten::sub", "aten::cat", "aten::index_select", "aten::split"]) => Attention,
        () if is_in(&["aten::embedding"]) => Embedding,
        () if is_in(&["compute_logits_func"]) => Head,
        () if is_in(&["jit(sample)"]) => Sampling,
        () => return None,
    })
}

/// How the labels of a capture compare with the truth.
#[derive(Debug)]
pub struct Agreement {
    /// The share of the busy time of all devices whose label is right.
    pub right: f64,
    /// An op whose label is certain and wrong.
    pub wrong_and_certain: Option<String>,
    /// The wrong ops with the most time: name, label, truth, and time.
    pub wrong: Vec<(String, ModelModule, Option<ModelModule>, Picos)>,
}

/// Compares the labels of the ops of all devices.
pub fn compare(opened: &Opened, analysis: &Analysis, truth: impl Fn(&Group) -> Option<ModelModule>) -> Agreement {
    let mut certainties: FxHashMap<(Option<ProgramId>, &str, ModelModule), Certainty> = FxHashMap::default();
    for (device, facts) in analysis.devices.iter().zip(&analysis.facts) {
        for (op, OpFacts { module: label, .. }) in opened.profile.planes[device.plane].ops.iter().zip(&facts.ops) {
            let key = (op.stats.program, opened.profile.text(op.name), label.module);
            let strongest = certainties.entry(key).or_insert(label.certainty);
            *strongest = label.certainty.min(*strongest);
        }
    }
    let (mut total, mut right, mut wrong, mut wrong_and_certain) = (0, 0, Vec::new(), None);
    for module in ModelModule::ALL {
        // The ops of one name can differ in their modules. A row counts those of one module.
        let filter = Filter { module: Some(module), ..Filter::default() };
        let query = Query { device: DeviceChoice::All, step: StepChoice::All, by: GroupBy::Op, filter };
        for row in analysis.breakdown(&opened.profile, &query).unwrap().groups {
            total += row.total.0;
            // The self time of a loop is no op of the model.
            let truth = if row.key.starts_with("while") { Some(Unknown) } else { truth(&row) };
            if truth == Some(module) {
                right += row.total.0;
                continue;
            }
            let certainty = certainties[&(row.program_id.map(ProgramId), row.key.as_str(), module)];
            if truth.is_some() && certainty == Certainty::Certain && wrong_and_certain.is_none() {
                wrong_and_certain = Some(row.key.clone());
            }
            wrong.push((row.key, module, truth, row.total));
        }
    }
    wrong.sort_by_key(|(.., time)| Reverse(*time));
    wrong.truncate(12);
    Agreement { right: right as f64 / total as f64, wrong_and_certain, wrong }
}

#[test]
fn labels_agree_with_lists_made_by_hand() {
    type Truth = fn(&Group) -> Option<ModelModule>;
    let captures: [(&str, Truth); 10] = [
        ("sample.xplane.pb", sample_truth),
        ("gpu/xla.kernels.xplane.pb", gpu_truth),
        ("gpu/xla.graphs.xplane.pb", gpu_truth),
        ("gpu/cudnn.kernels.xplane.pb", gpu_truth),
        ("gpu/cudnn.graphs.xplane.pb", gpu_truth),
        ("gpu/unrolled.kernels.xplane.pb", gpu_truth),
        ("gpu/unrolled.graphs.xplane.pb", gpu_truth),
        ("gpu/f32.graphs.xplane.pb", gpu_truth),
        ("gpu/decode.graphs.xplane.pb", gpu_truth),
        ("tpu-vllm-trace/vllm.trace.json.gz", vllm_truth),
    ];
    for (name, truth) in captures {
        let Some(bytes) = profile(name) else { continue };
        let opened = open(name.rsplit('/').next().unwrap(), bytes).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let found = compare(&opened, &analysis, truth);
        println!("{name}: {:.2} % right, wrong: {:?}", 100.0 * found.right, found.wrong);
        assert!(found.right >= 0.95, "{name}: {found:?}");
        assert_eq!(found.wrong_and_certain, None, "{name}");
    }
}

/// Five runs of a convolution. GPU:0 only copies arrays outside of any program, and nothing in the capture tells for
/// what. All kernels of GPU:7 are the convolution and its changes of layout.
#[test]
fn kernels_are_of_a_convolution_and_copies_of_no_module() {
    let Some(bytes) = profile("gpu-mi300-conv-legacy/host.xplane.pb") else { return };
    let times = times_by_module(bytes);
    assert_eq!(times, [(Convolution, Picos(3_586_493_000)), (Unknown, Picos(889_028_000))]);
}

/// A capture of one matmul has no model.
#[test]
fn a_matmul_is_of_no_module() {
    let Some(bytes) = profile("gpu-mi300/gemm.xplane.pb") else { return };
    let times = times_by_module(bytes);
    assert_eq!(times.iter().map(|(module, _)| *module).collect::<Vec<_>>(), [Unknown]);
}

/// Returns the time of each module on all devices, in the order of the modules.
fn times_by_module(bytes: Vec<u8>) -> Vec<(ModelModule, Picos)> {
    let opened = open("host.xplane.pb", bytes).unwrap();
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::default() };
    let query = RooflineQuery { query, ..RooflineQuery::default() };
    let found = Analysis::new(&opened.profile).modules(&opened.profile, &query, None);
    let mut times: Vec<_> = found.modules.iter().map(|sum| (sum.module, sum.total)).collect();
    times.sort_unstable();
    times
}

/// Returns the compiler's estimate of the cycles of an instruction.
fn cycles(instruction: &Instruction) -> u64 {
    let text = instruction.to_string();
    let digits = text.split_once("\"estimated_cycles\":\"").map_or("", |(_, rest)| rest.split('"').next().unwrap());
    // The greatest number stands for an unknown one.
    digits.parse().ok().filter(|cycles| *cycles < i64::MAX as u64).unwrap_or(0)
}

#[test]
fn programs_agree_with_their_sources() {
    for name in AOT.into_iter().filter(|name| name.ends_with("after_codegen")) {
        let Some(proto) = aot(name) else { continue };
        let module = Module::from_proto(&proto);
        let nearest = nearest_scopes(&module);
        let (mut total, mut right) = (0, 0);
        for ((_, instruction), nearest) in module.instructions().zip(nearest) {
            let is_parameter = |path: &str| by_sources(&path.replace("']", "/").replace("['", "/"));
            let path = instruction.op_name();
            let Some(truth) = by_sources(path).or_else(|| is_parameter(path)) else { continue };
            total += cycles(instruction);
            let label = nearest.and_then(module_by_scope);
            right += if label.is_some_and(|label| label.module == truth) { cycles(instruction) } else { 0 };
        }
        assert!(total > 0 && right * 100 >= total * 95, "{name}: {right} of {total}");
    }
}

#[test]
fn paths_of_frameworks() {
    let paths = [
        ("jit(f)/jvp(Transformer)/layers_3/self_attention/query/dot_general", Attention),
        ("jit(f)/jvp(Model)/layers_3/self_attn/q_proj/dot_general", Attention),
        ("jit(f)/layers_0/self_attn/rotary_emb/mul", Attention),
        ("jit(f)/model/layers.3/mlp/gate_proj/dot_general", Mlp),
        ("jit(f)/layers_3/pre_self_attention_layer_norm/mul", Norm),
        ("jit(f)/layers_3/post_attention_layernorm/mul", Norm),
        ("jit(f)/transpose(jvp(decoder))/decoder_norm/scale/mul", Norm),
        ("jit(f)/jvp(T)/decoder/layers/mlp/wi_0/dot_general", Mlp),
        ("jit(f)/jvp(T)/decoder/logits_dense/dot_general", Head),
        ("jit(f)/jvp(T)/token_embedder/gather", Embedding),
        ("jit(f)/jvp(T)/token_embedder/attend/dot_general", Head),
        ("jit(f)/block_sparse_moe/experts/gate_proj/dot_general", Experts),
        ("jit(f)/MoeBlock_0/gate/dot_general", Experts),
        ("jit(f)/layers_1/mixer/mamba/conv1d/conv_general_dilated", Recurrent),
        ("bert/encoder/layer_3/attention/self/query/MatMul", Attention),
        ("bert/encoder/layer_3/attention/output/dense/MatMul", Attention),
        ("bert/encoder/layer_3/attention/output/LayerNorm/add", Norm),
        ("bert/encoder/layer_3/intermediate/dense/MatMul", Mlp),
        ("bert/encoder/layer_3/output/dense/MatMul", Mlp),
        ("bert/embeddings/word_embeddings/gather", Embedding),
        ("cls/predictions/transform/dense/MatMul", Head),
        ("jit(step)/lm_head/dot_general", Head),
        ("jit(train)/loss/cross_entropy/mul", Loss),
        ("jit(train)/adam/mul", Optimizer),
        ("jit(train)/optimizer/attention/mul", Optimizer),
        ("jit(train)/clip_by_global_norm/reduce_sum", Optimizer),
        ("jit(f)/ResNet/Conv_0/conv_general_dilated", Convolution),
        ("jit(f)/bqhd,bkhd->bhqk/dot_general", Attention),
        ("jit(sample)/reduce", Sampling),
        ("jit(step_fun)/aten::embedding/jit(_take)/gather", Embedding),
        ("state.params['decoder']['layers_0']['mlp']['wi']['kernel']", Mlp),
        // An optimizer of graphs, which TensorFlow has, updates no parameters.
        ("gradient_tape/SparseSoftmaxCrossEntropyWithLogits/Cast_1/ArithmeticOptimizer/ReorderCast_float_Cast", Loss),
        ("gradient_tape/replica_4/Cast/ArithmeticOptimizer/ReorderCast_float_Cast", Unknown),
        ("jit(f)/jit(_normal)/mul", Unknown),
        ("jit(f)/Dense_0/dot_general", Unknown),
        ("jit(f)/dense/abc,cd->abd/dot_general", Unknown),
        ("jit(loss_fn)/add", Unknown),
        ("", Unknown),
    ];
    for (path, expected) in paths {
        let label = module_by_scope(path);
        assert_eq!(label.map_or(Unknown, |label| label.module), expected, "{path}: {label:?}");
    }
    let certainty = |path: &str| module_by_scope(path).unwrap().certainty;
    assert_eq!(certainty("jit(f)/layers_3/mlp/mul"), Certainty::Certain);
    assert_eq!(certainty("jit(f)/loss/layers_3/mul"), Certainty::Likely, "the loss may contain the model");
    assert_eq!(certainty("jit(sample)/reduce"), Certainty::Likely, "the name of a function");
    assert_eq!(certainty("params['mlp']['wi']"), Certainty::Likely, "the name of a parameter");
}

fn sample() -> (Opened, Analysis) {
    let opened = open("sample.xplane.pb", profile("sample.xplane.pb").unwrap()).unwrap();
    let analysis = Analysis::new(&opened.profile);
    (opened, analysis)
}

#[test]
fn modules_sum_to_the_busy_time() {
    let (opened, analysis) = sample();
    for step in [StepChoice::Mean, StepChoice::All, StepChoice::Number(1)] {
        let query = Query { step, ..Query::busiest() };
        let roofline = RooflineQuery { query: query.clone(), ..RooflineQuery::default() };
        let found = analysis.modules(&opened.profile, &roofline, None);
        let busy = analysis.breakdown(&opened.profile, &query).unwrap().totals.busy;
        assert_eq!(found.busy, busy);
        assert_eq!(found.cells.iter().map(|cell| cell.total).sum::<Picos>(), busy);
        assert_eq!(found.modules.iter().map(|sum| sum.total).sum::<Picos>(), busy);
        assert_eq!(found.certainties.iter().map(|share| share.total).sum::<Picos>(), busy);
        for cell in &found.cells {
            assert!(cell.judged <= cell.total, "{cell:?}");
        }
        // The same times as the rows of the breakdown.
        let by_module = Query { by: GroupBy::Module, ..query.clone() };
        let rows = analysis.breakdown(&opened.profile, &by_module).unwrap().groups;
        for row in &rows {
            let module = ModelModule::from_key(&row.key).unwrap();
            assert_eq!(found.module(module).map(|sum| sum.total), Some(row.total), "{module:?}");
        }
        assert_eq!(rows.len(), found.modules.len());
    }
}

#[test]
fn a_module_has_its_largest_ops_and_its_layers() {
    let (opened, analysis) = sample();
    let query = RooflineQuery { query: Query::busiest(), ..RooflineQuery::default() };
    let found = analysis.modules(&opened.profile, &query, None);
    let attention = found.module(Attention).unwrap();
    let largest = attention.largest.as_ref().unwrap();
    assert!(largest.total <= attention.total && largest.n_ops > 0);
    assert!(largest.source.as_ref().unwrap().contains("attention.py"), "{largest:?}");
    assert_eq!(attention.n_layers, None, "the number of iterations is unknown");
    let opened = open("unrolled.xplane.pb", profile("gpu/unrolled.kernels.xplane.pb").unwrap()).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let found = analysis.modules(&opened.profile, &query, None);
    assert_eq!(found.module(Attention).unwrap().n_layers, Some(4));
    assert_eq!(found.module(Loss).unwrap().n_layers, None);
}

#[test]
fn a_filter_selects_a_module() {
    let (opened, analysis) = sample();
    let all = Query { by: GroupBy::Module, ..Query::busiest() };
    let one = Query { filter: Filter { module: Some(Mlp), ..Filter::default() }, ..all.clone() };
    let [all, one] = [all, one].map(|query| analysis.breakdown(&opened.profile, &query).unwrap().groups);
    let mlp = all.iter().find(|row| row.key == "mlp").unwrap();
    assert_eq!(one.iter().map(|row| (row.key.as_str(), row.total)).collect::<Vec<_>>(), [("mlp", mlp.total)]);
}

/// Returns the shares of the work of a program, by the roofline of shapes, of which the structure gives the module that names
/// give: of all that names label, and of what the structure labels.
fn by_structure(module: &Module) -> (f64, f64) {
    let (names, structure) = (nearest_scopes(module), modules_by_structure(module));
    let (mut total, mut labelled, mut right) = (0.0, 0.0, 0.0);
    for (((id, instruction), path), found) in module.instructions().zip(names).zip(structure) {
        let is_in_fusion = instruction.computation.and_then(|id| module.computation(id)).is_some_and(|c| c.is_fusion);
        let Some((path, truth)) = path.and_then(|path| Some((path, module_by_scope(path)?.module))) else { continue };
        if is_in_fusion {
            continue;
        }
        let cost = module.cost(id);
        let time = f64::max(cost.flops.unwrap_or(0.0) / 200e12, cost.bytes.unwrap_or(0.0) / 1e12);
        // The norms are in the scopes of attention and MLP, and the softmax of the loss in that of the head.
        let is_narrower = match found {
            Some(Norm) => path.contains("reduce_sum"),
            Some(Loss) => path.contains("log_softmax"),
            _ => false,
        };
        total += time;
        labelled += if found.is_some() { time } else { 0.0 };
        right += if found == Some(truth) || is_narrower { time } else { 0.0 };
    }
    (right / total, right / labelled)
}

/// Returns the largest program of a capture.
fn largest_program(name: &str) -> Option<Rc<Module>> {
    let opened = open(name.rsplit('/').next().unwrap(), profile(name)?).unwrap();
    let largest = opened.profile.hlo.iter().max_by_key(|blob| blob.span.len()).unwrap().program.unwrap();
    Programs::new(opened.open_files).of_id(&opened.profile, largest)
}

/// The structure of a program tells the modules of most of its work without any name. The collectives of v7x run on SparseCore,
/// and its program does not tell what they read, so that its gradients are not found.
#[test]
fn structure_tells_modules_without_names() {
    let compiled = |name: &'static str| Some(Rc::new(Module::from_proto(&aot(name)?)));
    let least = [
        ("tpu7x", compiled("tpu7x_2x2x1_dense_L16_d4096_s2048_b16_tp2"), 0.69),
        ("v4", compiled("v4_2x2x1_dense_L8_d2048_s2048_b16_tp2"), 0.95),
        ("v5e", compiled("v5e_2x2_dense_L2_d1024_s1024_b8_tp2"), 0.84),
        ("v5p", compiled("v5p_2x2x2_dense_L16_d4096_s2048_b16_tp2"), 0.92),
        ("v6e", compiled("v6e_2x4_dense_L16_d2048_s2048_b16_tp2"), 0.86),
        ("sample", largest_program("sample.xplane.pb"), 0.75),
        ("h100", largest_program("gpu/xla.kernels.xplane.pb"), 0.85),
        ("unrolled", largest_program("gpu/unrolled.kernels.xplane.pb"), 0.9),
    ];
    for (name, module, least) in least {
        let Some(module) = module else { continue };
        let (of_all, of_labelled) = by_structure(&module);
        println!("{name}: {:.1} % of all, {:.1} % of what it labels", 100.0 * of_all, 100.0 * of_labelled);
        assert!(of_all >= least, "{name}: {of_all}");
    }
}
