//! This module estimates the FLOPs of the attention calls of cuDNN and of Transformer Engine from their sizes.

use super::sizes::{contracted, elements, numbers};
use super::{Instruction, InstructionId, Module};

/// The start of the names of cuDNN's attention calls.
pub(super) const ATTENTION: &str = "__cudnn$fmha";

/// Returns the FLOPs of an attention call of cuDNN. For each pair of a query and a key, the forward call has two
/// matmuls of the size of a head, and the backward call five, because it computes the scores again. A causal mask
/// leaves out the pairs after the query, and a window those long before it. The values are taken to have the head
/// size of the queries.
pub(super) fn attention(module: &Module, instruction: &Instruction, id: InstructionId, target: &str) -> Option<f64> {
    let config = instruction.backend_config()?;
    let [n_heads, n_queries, n_keys] = scores(config).or_else(|| scores_of_operands(module, id, config))?;
    let is_causal = config.split_once("\"mask_type\"").is_some_and(|(_, mask)| mask.contains("\"CAUSAL\""));
    let window = config.split_once("\"sliding_window_length\"").and_then(|(_, length)| {
        let length: String =
            length.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        length.parse::<u32>().ok().map(f64::from)
    });
    let pairs = if is_causal && n_queries == n_keys {
        let window = window.filter(|window| *window > 0.0).unwrap_or(n_keys).min(n_keys);
        window * (window + 1.0) / 2.0 + (n_keys - window) * window
    } else {
        n_queries * n_keys
    };
    let head_size = elements(module.operand_shape(id, 0)?) / (n_heads * n_queries);
    let matmuls = if target.contains("Backward") { 5.0 } else { 2.0 };
    Some(2.0 * matmuls * n_heads * pairs * head_size).filter(|flops| flops.is_finite())
}

/// Returns the heads of all sequences, the queries and the keys of an attention call, from its operands and the
/// dimensions of its first matmul.
fn scores_of_operands(module: &Module, id: InstructionId, config: &str) -> Option<[f64; 3]> {
    let (_, matmul) = config.split_once("\"bmm1_dot_dimension_numbers\"")?;
    let (matmul, _) = matmul.split_once('}')?;
    let side = |operand: usize, side: &str| {
        let dims = |what: &str| {
            let (_, list) = matmul.split_once(&*format!("\"{side}_{what}_dimensions\""))?;
            contracted(module.operand_shape(id, operand)?, &numbers(list.split_once('[')?.1.split_once(']')?.0))
        };
        let batch = dims("batch")?;
        Some((batch, elements(module.operand_shape(id, operand)?) / (batch * dims("contracting")?)))
    };
    let ((n_heads, n_queries), (_, n_keys)) = (side(0, "lhs")?, side(1, "rhs")?);
    Some([n_heads, n_queries, n_keys])
}

/// Returns the heads of all sequences, the queries and the keys of an attention call, from the shape of its scores in
/// its backend config.
fn scores(config: &str) -> Option<[f64; 3]> {
    let (_, scores) = config.split_once("\"intermediate_tensor_shape\"")?;
    let (_, dims) = scores.split_once("\"dimensions\"")?;
    let dims = numbers(dims.split_once('[')?.1.split_once(']')?.0);
    let [batch, heads, n_queries, n_keys] = dims[..] else { return None };
    #[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
    let [n_heads, n_queries, n_keys] = [batch.saturating_mul(heads), n_queries, n_keys].map(|n| n as f64);
    Some([n_heads, n_queries, n_keys])
}

/// The start of the names of the attention calls of Transformer Engine.
pub(super) const TRANSFORMER_ENGINE: &str = "te_fused_attn_";

/// Returns the FLOPs of an attention call of Transformer Engine, by the rules of [`attention`]. Its sizes are
/// attributes of the call, else those of the queries and the keys: batch, sequence, heads and the size of a head.
pub(super) fn transformer_engine(
    module: &Module,
    instruction: &Instruction,
    id: InstructionId,
    target: &str,
) -> Option<f64> {
    let config = instruction.backend_config().unwrap_or_default();
    let dims = |operand: usize| {
        let dims = &module.operand_shape(id, operand)?.as_array()?.dims;
        <[u64; 4]>::try_from(dims.as_slice()).ok()
    };
    let size = |name: &str, (operand, dim): (usize, usize)| {
        number_named(config, name).or_else(|| dims(operand)?.get(dim).copied())
    };
    let batch = size("input_batch", (0, 0))?;
    let n_queries = size("q_max_seqlen", (0, 1))?;
    let n_keys = size("kv_max_seqlen", (1, 1))?;
    let heads = size("attn_heads", (0, 2))?;
    let head_size = number_named(config, "qk_head_dim").or_else(|| size("head_dim", (0, 3)))?;
    // Masks 2 to 5 are causal (`NVTE_Mask_Type`).
    let is_causal = number_named(config, "mask_type").is_some_and(|mask| (2..=5).contains(&mask));
    #[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
    let [batch, n_queries, n_keys, heads, head_size] = [batch, n_queries, n_keys, heads, head_size].map(|n| n as f64);
    let pairs = if is_causal && n_queries == n_keys { n_keys * (n_keys + 1.0) / 2.0 } else { n_queries * n_keys };
    let matmuls = if target.contains("backward") { 5.0 } else { 2.0 };
    Some(2.0 * matmuls * batch * heads * pairs * head_size).filter(|flops| flops.is_finite())
}

/// Returns the number of an attribute, as in `q_max_seqlen = 2048 : i64` or `"q_max_seqlen":"2048"`.
fn number_named(config: &str, name: &str) -> Option<u64> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let after = config.match_indices(name).find_map(|(start, _)| {
        let (before, rest) = config.split_at_checked(start)?;
        rest.strip_prefix(name).filter(|after| !before.ends_with(is_word) && !after.starts_with(is_word))
    })?;
    let after = after.trim_start_matches([' ', '"', '=', ':']);
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    after.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::cost::tests::cost;

    #[test]
    fn attention_without_the_shape_of_its_scores_has_that_of_its_operands() {
        // Two sequences of 8 queries and 6 keys, 3 heads of size 4; the keys have one head.
        let hlo = "HloModule m\n\nENTRY %e {\n  %q = bf16[2,3,8,4]{3,2,1,0} parameter(0)\n  %k = bf16[2,1,6,4]{3,2,1,0} parameter(1)\n  \
                   ROOT %c = (bf16[2,3,8,4]{3,2,1,0}, u8[0]{0}) custom-call(%q, %k, %k), custom_call_target=\"__cudnn$fmhaSoftmax\", \
                   backend_config={\"cudnn_fmha_backend_config\":{\"mask_type\":\"NO_MASK\",\"bmm1_dot_dimension_numbers\":{\
                   \"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_dimensions\":[\"3\"],\"lhs_batch_dimensions\":[\"0\",\"1\"],\
                   \"rhs_batch_dimensions\":[\"0\",\"1\"]}}}\n}\n";
        assert_eq!(cost(hlo, "c").0, Some(2.0 * 2.0 * 6.0 * 48.0 * 4.0));
    }

    #[test]
    fn attention_counts_the_pairs_that_its_mask_leaves() {
        // Two sequences of 8 tokens, 3 heads of size 4, in bf16.
        let call = |target: &str, mask: &str, window: u32| {
            let hlo = format!(
                "HloModule m\n\nENTRY %e {{\n  %q = bf16[2,8,3,4]{{3,2,1,0}} parameter(0)\n  \
                 ROOT %c = (bf16[2,3,8,4]{{3,2,1,0}}, u8[512]{{0}}) custom-call(%q, %q, %q), \
                 custom_call_target=\"__cudnn$fmhaSoftmax{target}\", backend_config={{\"cudnn_fmha_backend_config\":{{\
                 \"intermediate_tensor_shape\":{{\"element_type\":\"BF16\",\"dimensions\":[\"2\",\"3\",\"8\",\"8\"]}},\
                 \"mask_type\":\"{mask}\",\"sliding_window_length\":{window}}}}}\n}}\n"
            );
            cost(&hlo, "c")
        };
        let per_pair = 2.0 * 2.0 * 2.0 * 3.0 * 4.0;
        assert_eq!(call("", "NO_MASK", 0), (Some(64.0 * per_pair), Some(4.0 * 384.0)), "without its workspace");
        assert_eq!(call("", "CAUSAL", 0).0, Some(36.0 * per_pair), "1 + 2 + … + 8 pairs");
        assert_eq!(call("", "CAUSAL", 3).0, Some(21.0 * per_pair), "1 + 2 + 3 × 6 pairs");
        assert_eq!(call("Backward", "CAUSAL", 0).0, Some(36.0 * per_pair * 2.5));
    }

    #[test]
    fn attention_of_transformer_engine_has_the_sizes_of_its_attributes() {
        // 2 sequences of 8 queries and 8 keys, 4 heads of size 16, of which the keys have 2.
        let call = |target: &str, config: &str| {
            let hlo = format!(
                "HloModule m\n\nENTRY %e {{\n  %q = bf16[2,8,4,16]{{3,2,1,0}} parameter(0)\n  \
                 %k = bf16[2,8,2,16]{{3,2,1,0}} parameter(1)\n  ROOT %c = (bf16[2,8,4,16]{{3,2,1,0}}, f32[8]{{0}}) \
                 custom-call(%q, %k, %k), custom_call_target=\"te_fused_attn_{target}_ffi\"{config}\n}}\n"
            );
            cost(&hlo, "c").0
        };
        let per_pair = 2.0 * 2.0 * 2.0 * 4.0 * 16.0;
        assert_eq!(call("forward", ""), Some(64.0 * per_pair));
        assert_eq!(call("forward", ", backend_config={mask_type = 2 : i64}"), Some(36.0 * per_pair));
        assert_eq!(call("backward", ", backend_config={mask_type = 0 : i64}"), Some(64.0 * per_pair * 2.5));
        let longer = ", backend_config={kv_max_seqlen = 16 : i64, mask_type = 1 : i64, q_max_seqlen = 8 : i64}";
        assert_eq!(call("forward", longer), Some(128.0 * per_pair));
    }
}
