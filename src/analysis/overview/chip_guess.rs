//! This module proposes the chip of a device that the capture does not name, from what its ops reached and from the name of the file.

use super::context::Context;
use super::figure_values::lacks_peaks;
use super::report::ChipGuess;
use crate::analysis::base::Platform;
use crate::analysis::classify::opcode;
use crate::analysis::ledger::OwnedOp;
use crate::chip::Chip;
use crate::chip::identify::{DeviceTraits, LARGE_TILE, chip_in_name, possible_chips};
use crate::table::format::{bytes_text, tflops};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Largest number of chips that are proposed.
const MOST: usize = 2;

/// The share of the time in which ops must be as fast as the rate that counts as measured. The costs of few ops may be wrong.
const FAST_SHARE: f64 = 0.01;

/// Proposes the chip of the device of the overview. `None` if its peaks are known, or if too many chips are possible.
pub(super) fn chip_guess(context: &Context<'_>) -> Option<ChipGuess> {
    if !lacks_peaks(context.roofline) || context.platform() == Platform::Cpu {
        return None;
    }
    let is_tpu = context.platform() == Platform::Tpu;
    // The allocator of a GPU manages a part of the memory that the user chooses.
    let capacity = || context.checks.iter().find_map(|check| check.capacity.as_ref()).map(|capacity| capacity.size);
    let traits = DeviceTraits {
        is_tpu,
        flops: fast_rate(context),
        memory: is_tpu.then(capacity).flatten(),
        tile_rows: tile_rows(context),
    };
    let possible = possible_chips(&traits);
    let file = context.files.files.get(context.plane().file).or(context.files.files.first());
    let named = file.and_then(|file| chip_in_name(&file.name)).filter(|chip| possible.contains(chip));
    let chips: Vec<&Chip> = named.map_or(possible, |chip| vec![chip]);
    if chips.is_empty() || chips.len() > MOST {
        return None;
    }
    let mut reasons = Vec::new();
    if let Some(flops) = traits.flops.filter(|_| named.is_none()) {
        reasons.push(format!("ops reach {} TFLOP/s", tflops(flops)));
    }
    reasons.extend(traits.memory.map(|size| format!("its memory has {}", bytes_text(size))));
    let large_tiles = traits.tile_rows.filter(|rows| *rows >= LARGE_TILE);
    reasons
        .extend(large_tiles.map(|rows| format!("its arrays of bf16 have tiles of {rows} rows, as on no other chip")));
    reasons.extend(named.map(|_| "the name of the file mentions it".to_owned()));
    let reason = reasons.join(", and ");
    Some(ChipGuess { chips: chips.iter().map(|chip| chip.name.to_owned()).collect(), reason })
}

/// Returns the FLOP/s that ops of 16 bits reach for at least [`FAST_SHARE`] of the busy time. `None` if too few ops have costs.
fn fast_rate(context: &Context<'_>) -> Option<f64> {
    let busy: Picos = context.by_op.ops.iter().map(OwnedOp::total).sum();
    let rate = |index: usize| {
        let text = context.op_text(index);
        // Operands of fewer bits have a higher peak. The author of a custom call writes its cost.
        let is_narrow = ["f8e", "f4e", "s8[", "u8[", "s4[", "u4["].iter().any(|dtype| text.contains(dtype));
        if is_narrow || opcode(text) == Some("custom-call") {
            return None;
        }
        let stats = &context.op(index).0.stats;
        let (owned, time) = (&context.by_op.ops[index], context.by_op.ops[index].total());
        let flops = stats.flops.or(stats.model_flops)? * owned.n.as_f64();
        (time > Picos::ZERO).then(|| (flops / (time.as_f64() / 1e12), time))
    };
    let mut rates: Vec<(f64, Picos)> = (0..context.by_op.ops.len()).filter_map(rate).collect();
    rates.small_sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut fast = Picos::ZERO;
    let is_enough = |(_, time): &&(f64, Picos)| {
        fast += *time;
        fast.fraction_of(busy).is_some_and(|share| share >= FAST_SHARE)
    };
    rates.iter().find(is_enough).map(|(rate, _)| *rate)
}

/// Returns the largest number of rows in the tiles of bf16 arrays, such as 16 of `T(16,128)(2,1)`. `None` without tiles.
fn tile_rows(context: &Context<'_>) -> Option<u32> {
    let rows = |tile: &str| tile.split_once(",128)(2,1)")?.0.parse::<u32>().ok();
    let of_op = |index: usize| context.op_text(index).split("T(").skip(1).filter_map(rows).max();
    (0..context.by_op.ops.len()).filter_map(of_op).max()
}
