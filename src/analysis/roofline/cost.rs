//! This module finds the cost of one execution of an op: from the user or from the capture. It does not depend on
//! peaks.

use super::query::{KernelCost, Level};
use super::report::{CostSource, SkipReason};
use xla_profile::profile::{MemoryBytes, Op};

/// The cost of one execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    pub flops: f64,
    pub bytes: f64,
    /// Bytes of each memory, by [`Level::index`].
    pub levels: [f64; 5],
    pub source: CostSource,
}

/// Returns the cost of one execution of an op. A cost that the user gave comes first, then the stats of the capture.
/// `opaque` is whether the op is a custom call.
///
/// # Errors
/// The reason why the cost is unknown.
pub(super) fn cost(
    op: &Op,
    name: &str,
    opaque: bool,
    memory: Option<&MemoryBytes>,
    costs: &[KernelCost],
) -> Result<Cost, SkipReason> {
    if let Some(KernelCost { flops, bytes, .. }) = costs.iter().find(|cost| fits(&cost.pattern, name)) {
        let known = |cost: f64| if cost.is_finite() && cost > 0.0 { cost } else { 0.0 };
        // The user gives the cost of one execution of the instruction. Each of its kernels has an equal share.
        let events = op.stats.events_per_execution.map_or(1.0, |n| f64::from(n.get()));
        let (flops, bytes) = (known(*flops) / events, known(*bytes) / events);
        if flops > 0.0 || bytes > 0.0 {
            return Ok(Cost { flops, bytes, levels: all_hbm(bytes), source: CostSource::Yours });
        }
    }
    let known = |cost: Option<f64>| cost.filter(|cost| cost.is_finite());
    let (flops, model) = (known(op.stats.flops), known(op.stats.model_flops));
    if opaque && !flops.or(model).is_some_and(|flops| flops > 0.0) {
        return Err(SkipReason::OpaqueCall);
    }
    let bytes = known(op.stats.bytes_accessed);
    let total = flops.or(model).ok_or(SkipReason::NoFlops)?;
    // A custom call reads and writes something: without bytes, they are unknown.
    let bytes = bytes.filter(|bytes| !opaque || *bytes > 0.0).ok_or(SkipReason::NoBytes)?;
    if total == 0.0 && bytes == 0.0 {
        return Err(SkipReason::NoFlops);
    }
    let levels = memory.map_or_else(|| all_hbm(bytes), split);
    let source = if flops.is_some() { CostSource::Capture } else { CostSource::ModelFlops };
    Ok(Cost { flops: total, bytes, levels, source })
}

fn all_hbm(bytes: f64) -> [f64; 5] {
    let mut levels = [0.0; 5];
    levels[Level::Hbm.index()] = bytes;
    levels
}

#[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
fn split(memory: &MemoryBytes) -> [f64; 5] {
    let MemoryBytes { hbm, cmem_read, cmem_write, vmem_read, vmem_write, .. } = *memory;
    [hbm, vmem_read, vmem_write, cmem_read, cmem_write].map(|bytes| bytes as f64)
}

/// Returns whether a pattern matches the name of an op, with or without the number at its end. `*` matches any text.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let pattern = pattern.trim().trim_start_matches('%');
    let stem = name.rsplit_once('.').filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    !pattern.is_empty() && (matches(pattern, name) || stem.is_some_and(|(stem, _)| matches(pattern, stem)))
}

/// Matches without backtracking: between the stars, the first part is a prefix, the last part is a suffix, and the
/// parts between follow in order.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(offset) = rest.find(part) else { return false };
        rest = &rest[offset + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::profile::{OpStats, Strings};

    fn cost_of(stats: OpStats, opaque: bool, costs: &[KernelCost]) -> Result<Cost, SkipReason> {
        let name = Strings::default().intern("k.1");
        cost(&Op { resolved: true, name, text: name, stats }, "k.1", opaque, None, costs)
    }

    #[test]
    fn the_first_reason_wins() {
        let stats = |flops, bytes_accessed| OpStats { flops, bytes_accessed, ..OpStats::default() };
        assert_eq!(cost_of(stats(None, None), true, &[]), Err(SkipReason::OpaqueCall));
        assert_eq!(cost_of(stats(Some(0.0), Some(8.0)), true, &[]), Err(SkipReason::OpaqueCall));
        assert_eq!(cost_of(stats(None, None), false, &[]), Err(SkipReason::NoFlops));
        assert_eq!(cost_of(stats(Some(f64::INFINITY), Some(8.0)), false, &[]), Err(SkipReason::NoFlops));
        assert_eq!(cost_of(stats(Some(0.0), Some(0.0)), false, &[]), Err(SkipReason::NoFlops));
        assert_eq!(cost_of(stats(Some(4.0), None), false, &[]), Err(SkipReason::NoBytes));
        let moves = cost_of(stats(Some(0.0), Some(8.0)), false, &[]).unwrap();
        assert_eq!((moves.flops, moves.levels[0], moves.source), (0.0, 8.0, CostSource::Capture));
        let model = OpStats { model_flops: Some(5.0), bytes_accessed: Some(8.0), ..OpStats::default() };
        assert_eq!(cost_of(model, true, &[]).unwrap().source, CostSource::ModelFlops);
        let yours = KernelCost { pattern: "k*".into(), flops: 9.0, bytes: f64::NAN };
        let cost = cost_of(stats(Some(4.0), Some(2.0)), true, std::slice::from_ref(&yours)).unwrap();
        assert_eq!((cost.flops, cost.bytes, cost.source), (9.0, 0.0, CostSource::Yours));
        let three = OpStats { events_per_execution: std::num::NonZeroU32::new(3), ..stats(Some(4.0), Some(2.0)) };
        assert_eq!(cost_of(three, true, &[yours]).unwrap().flops, 3.0, "one of three kernels of an execution");
    }

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("gmm", "gmm", true),
            ("gmm", "gmm.12", true),
            ("gmm", "gmm.remat", false),
            ("gmm", "tgmm", false),
            ("*gmm", "tgmm.3", true),
            ("vmap_splash*dkv*", "vmap_splash_mha_dkv_segmented", true),
            ("vmap_splash*dkv*", "vmap_splash_mha_dq", false),
            ("a*b*a", "aba", true),
            ("a*a", "a", false),
            ("*", "anything", true),
            ("", "anything", false),
            ("%gmm.1", "gmm.1", true),
            ("é*", "éü.1", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
