//! This module holds the names that frameworks give the modules of a model, in lower case and without numbers.
//!
//! `NAMES` are whole names of scopes, `WORDS` are words within names such as `encdec_attention`, `FUNCTIONS` are names
//! of single functions, which count only if no scope around them names a module, and `FILES` are names of source files.

use super::ModelModule::{
    self, Attention, Convolution, Embedding, Experts, Head, Loss, Mlp, Norm, Optimizer, Recurrent, Sampling,
};

/// Whole names of scopes that name a module wherever they stand.
pub(super) const NAMES: &[(&[&str], ModelModule)] = &[
    // Parts of attention: Hugging Face, vLLM, Flax, MaxText, GPT-2, Megatron.
    (
        &["q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj", "qkv", "c_attn", "query_key_value", "q_norm", "k_norm"],
        Attention,
    ),
    (
        &["wq", "wk", "wv", "query_norm", "key_norm", "q_layernorm", "k_layernorm", "qkvparallellinear", "relpos_bias"],
        Attention,
    ),
    (&["multiheaddotproductattention", "selfattention", "multiheadattention", "crossattention"], Attention),
    (&["rotary_emb", "rotary_embedding", "apply_rotary_pos_emb", "rotaryembedding", "kv_cache"], Attention),
    // Parts of dense layers.
    (&["gate_proj", "up_proj", "down_proj", "gate_up_proj", "c_fc", "fc1", "fc2", "intermediate"], Mlp),
    (&["wi", "wi_0", "wi_1", "dense_h_to_4h", "dense_4h_to_h", "feed_forward", "feedforward", "mlpblock"], Mlp),
    // Mixtures of experts.
    (&["experts", "expert", "router", "block_sparse_moe", "fusedmoe", "moeblock", "gate_logits"], Experts),
    (&["routed_expert", "shared_expert", "shared_experts", "routedmoe", "sparsemoe"], Experts),
    (&["ln", "ln_f", "bn", "layernorm", "rmsnorm", "batchnorm", "groupnorm", "norm"], Norm),
    (&["conv", "convolution", "convnet"], Convolution),
    (&["lstm", "gru", "rnn", "mamba", "ssm", "ssd", "rglru", "rg_lru", "rwkv", "retention", "gla", "kda"], Recurrent),
    (&["linear_attention", "linear_attn", "gated_delta_net", "gated_deltanet", "recurrent_block"], Recurrent),
    (&["wte", "wpe", "embed", "embedding", "embeddings", "embedder", "patch_embed"], Embedding),
    (&["lm_head", "logits", "logits_dense", "compute_logits", "head", "unembed", "classifier", "cls"], Head),
    (&["pooler", "predictions", "logitsprocessor", "logits_processor", "parallellmhead"], Head),
    (&["loss", "losses", "cross_entropy", "cross_entropy_loss", "xent", "nll_loss", "z_loss"], Loss),
    (&["softmax_cross_entropy", "softmax_cross_entropy_with_integer_labels", "cross_entropy_with_logits"], Loss),
    (&["softmaxcrossentropywithlogits", "sparsesoftmaxcrossentropywithlogits"], Loss),
    (&["clip_by_global_norm", "global_norm", "grad_norm", "clip_grads", "weight_decay"], Optimizer),
    (&["sampler", "sampling", "sample_tokens", "sample_token", "categorical", "gumbel"], Sampling),
];

/// Words within names that are joined by underscores. The last such word of a name decides, and a name that ends in a
/// word of `Norm` is a norm: `post_attention_layernorm`, `mlp_norm`.
pub(super) const WORDS: &[(&[&str], ModelModule)] = &[
    (&["attention", "attn", "mha", "mqa", "gqa", "mla", "rope", "rotary", "splash", "flashattention"], Attention),
    (&["mlp", "ffn", "swiglu", "geglu", "ffw"], Mlp),
    (&["moe", "experts", "megablox"], Experts),
    (&["embed", "embedding", "embeddings", "embedder"], Embedding),
    (&["mamba", "lstm", "gru", "ssm"], Recurrent),
    (&["layernorm", "rmsnorm", "norm", "batchnorm", "groupnorm", "ln"], Norm),
];

/// Names of functions and classes that belong to one module in most models.
pub(super) const FUNCTIONS: &[(&[&str], ModelModule)] = &[
    // Llama calls its weights `wo` and `w1` to `w3`, and other frameworks have them below a scope.
    (&["mergedcolumnparallellinear", "aten::silu", "aten::gelu", "silu_and_mul", "w1", "w2", "w3"], Mlp),
    (
        &["aten::scaled_dot_product_attention", "dot_product_attention", "query", "out_proj", "attend_to_cache"],
        Attention,
    ),
    (&["dot_product_attention_fwd", "dot_product_attention_bwd", "apply_rope", "alibi", "c_proj", "wo"], Attention),
    (&["aten::embedding", "aten::embedding_dense_backward", "vocabparallelembedding"], Embedding),
    (&["aten::rsqrt", "aten::native_layer_norm", "aten::native_batch_norm", "aten::rms_norm"], Norm),
    (&["aten::convolution", "aten::conv2d", "aten::convolution_overrideable", "conv_general_dilated"], Convolution),
    (&["aten::nll_loss_forward", "aten::nll_loss_backward", "aten::cross_entropy_loss"], Loss),
    (&["aten::multinomial", "sample", "_sample", "topk_topp_sampling"], Sampling),
    (&["compute_logits_func", "compute_logits_fn", "_compute_logits"], Head),
    (&["aten::_fused_adamw_", "aten::_foreach_addcdiv_", "aten::_foreach_addcmul_"], Optimizer),
];

/// Names of source files without `.py`, of their folders, and of functions in a stack.
pub(super) const FILES: &[(&[&str], ModelModule)] = &[
    (&["attention", "attentions", "attn", "flash_attention", "splash_attention", "self_attention"], Attention),
    (&["rotary_embedding", "rotary", "rope", "multihead_attention", "attention_layer", "mha"], Attention),
    (&["mlp", "feed_forward", "feedforward", "ffn", "activation"], Mlp),
    (&["moe", "experts", "fused_moe", "router", "routing", "mixture_of_experts"], Experts),
    (&["layernorm", "rmsnorm", "norm", "norms", "normalization", "normalizations", "layer_norm", "rms_norm"], Norm),
    (&["embedding", "embeddings", "embed", "embedder", "vocab_parallel_embedding"], Embedding),
    (&["conv", "convolution", "resnet"], Convolution),
    (&["mamba", "ssm", "lstm", "gru", "rnn", "rglru"], Recurrent),
    (&["logits_processor", "lm_head"], Head),
    (&["loss", "losses", "cross_entropy"], Loss),
    (&["optax", "optimizer", "optimizers", "adam", "adamw"], Optimizer),
    (&["sampler", "sampling", "sample"], Sampling),
];

/// Returns the module of a name in a table.
pub(super) fn find(table: &[(&[&str], ModelModule)], name: &str) -> Option<ModelModule> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, module)| *module)
}
