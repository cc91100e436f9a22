//! These tests give the simulated capture the scopes that other frameworks write, and compare the modules of its ops with the
//! list that was made by hand for its own scopes.

use crate::common::{open, profile};
use crate::modules::{compare, sample_truth};
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::classify::ModelModule;
use rustc_hash::FxHashMap;

/// The name of a framework, and what stands in its scopes in place of those of the sample.
type Framework = (&'static str, [(&'static str, &'static str); 7]);

/// The scopes of the sample in the order in which they are replaced: the longer one first.
const FRAMEWORKS: [Framework; 5] = [
    // MaxText and T5X, in Flax. Optax writes no scope.
    (
        "Flax",
        [
            ("_layer/attention/", "_layer/decoder/layers/self_attention/"),
            ("_layer/mlp/", "_layer/decoder/layers/mlp/wi_0/"),
            ("_layer/moe/router/", "_layer/decoder/layers/MoeBlock_0/gate/"),
            ("_layer/moe/", "_layer/decoder/layers/MoeBlock_0/"),
            ("(embed)/", "(Transformer)/token_embedder/"),
            ("(head)/", "(Transformer)/decoder/logits_dense/"),
            ("/adam/", "/"),
        ],
    ),
    (
        "Haiku",
        [
            ("_layer/attention/", "_layer/transformer/~/layer_0/multi_head_attention/query/"),
            ("_layer/mlp/", "_layer/transformer/~/layer_0/mlp/~/linear_0/"),
            ("_layer/moe/router/", "_layer/transformer/~/layer_0/moe/router/"),
            ("_layer/moe/", "_layer/transformer/~/layer_0/moe/expert_0/"),
            ("(embed)/", "(transformer)/~/token_embed/"),
            ("(head)/", "(transformer)/~/lm_head/"),
            ("/adam/", "/"),
        ],
    ),
    (
        "Equinox",
        [
            ("_layer/attention/", "_layer/eqx.nn.MultiheadAttention/"),
            ("_layer/mlp/", "_layer/eqx.nn.MLP/"),
            ("_layer/moe/router/", "_layer/moe_layer/router/"),
            ("_layer/moe/", "_layer/moe_layer/"),
            ("(embed)/", "()/eqx.nn.Embedding/"),
            ("(head)/", "()/lm_head/"),
            ("/adam/", "/"),
        ],
    ),
    (
        "Keras",
        [
            ("_layer/attention/", "_layer/bert/encoder/layer_3/attention/self/query/"),
            ("_layer/mlp/", "_layer/bert/encoder/layer_3/intermediate/dense/"),
            ("_layer/moe/router/", "_layer/bert/encoder/layer_3/router/"),
            ("_layer/moe/", "_layer/bert/encoder/layer_3/experts/"),
            ("(embed)/", "()/bert/embeddings/word_embeddings/"),
            ("(head)/", "()/cls/predictions/transform/dense/"),
            ("/adam/", "/Adam/"),
        ],
    ),
    (
        "PyTorch/XLA",
        [
            ("_layer/attention/", "_layer/model/layers.3/self_attn/q_proj/aten::mm/"),
            ("_layer/mlp/", "_layer/model/layers.3/mlp/gate_proj/aten::mm/"),
            ("_layer/moe/router/", "_layer/model/layers.3/block_sparse_moe/gate/aten::mm/"),
            ("_layer/moe/", "_layer/model/layers.3/block_sparse_moe/experts/aten::mm/"),
            ("(embed)/", "()/model/embed_tokens/aten::embedding/"),
            ("(head)/", "()/lm_head/aten::mm/"),
            ("/adam/", "/aten::_foreach_addcdiv_/"),
        ],
    ),
];

#[test]
fn modules_are_right_with_the_names_of_five_frameworks() {
    let bytes = profile("sample.xplane.pb").unwrap();
    let opened = open("sample.xplane.pb", bytes.clone()).unwrap();
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, by: GroupBy::Op, ..Query::default() };
    let rows = Analysis::new(&opened.profile).breakdown(&opened.profile, &query).unwrap().groups;
    let truth: FxHashMap<&str, Option<ModelModule>> =
        rows.iter().map(|row| (row.key.as_str(), sample_truth(row))).collect();
    for (framework, names) in FRAMEWORKS {
        let mut opened = open("sample.xplane.pb", bytes.clone()).unwrap();
        let mut n_renamed = 0;
        for plane in &mut opened.profile.planes {
            for op in &mut plane.ops {
                let Some(path) = op.stats.tf_op.map(|path| opened.profile.strings.get(path).to_owned()) else {
                    continue;
                };
                if let Some((own, name)) = names.iter().find(|(own, _)| path.contains(own)) {
                    op.stats.tf_op = Some(opened.profile.strings.intern(&path.replace(own, name)));
                    n_renamed += 1;
                }
            }
        }
        assert!(n_renamed > 500, "{n_renamed}");
        let analysis = Analysis::new(&opened.profile);
        let found = compare(&opened, &analysis, |row| truth.get(row.key.as_str()).copied().flatten());
        println!("{framework}: {:.2} % right, wrong: {:?}", 100.0 * found.right, found.wrong);
        assert!(found.right >= 0.95, "{framework}: {found:?}");
        assert_eq!(found.wrong_and_certain, None, "{framework}");
    }
}
