//! This module estimates the FLOPs of the attention calls of cuDNN from the shapes of their operands.

use super::sizes::{contracted, elements, numbers};
use super::{Instruction, InstructionId, Module};

/// The start of the names of cuDNN's attention calls.
pub(super) const ATTENTION: &str = "__cudnn$fmha";

/// Returns the FLOPs of an attention call of cuDNN. For each pair of a query and a key, the forward call has two
/// matmuls of the size of a head, and the backward call five, because it computes the scores again. A causal mask
/// leaves out the pairs after the query, and a window those long before it. The values are taken to have the head
/// size of the queries.
pub(super) fn attention(module: &Module, of: &Instruction, id: InstructionId, target: &str) -> Option<f64> {
    let config = of.backend_config()?;
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

/// Returns the heads of all sequences, the queries and the keys of an attention call, from its operands and the dimensions of its
/// first matmul.
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

/// Returns the heads of all sequences, the queries and the keys of an attention call, from the shape of its scores in its backend
/// config.
fn scores(config: &str) -> Option<[f64; 3]> {
    let (_, scores) = config.split_once("\"intermediate_tensor_shape\"")?;
    let (_, dims) = scores.split_once("\"dimensions\"")?;
    let dims = numbers(dims.split_once('[')?.1.split_once(']')?.0);
    let [batch, heads, n_queries, n_keys] = dims[..] else { return None };
    #[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
    let [n_heads, n_queries, n_keys] = [batch * heads, n_queries, n_keys].map(|n| n as f64);
    Some([n_heads, n_queries, n_keys])
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
}
