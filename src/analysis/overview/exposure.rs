//! This module tells why nothing hides a collective, where flags that overlap collectives cannot help.

use super::context::Context;
use crate::analysis::base::device_programs::sets_of_programs;
use crate::analysis::classify::opcode;
use crate::table::format::counted;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xla_profile::hlo::{ReplicaGroups, text};
use xla_profile::profile::{OpId, OpKey, ProgramId};
use xla_profile::units::Picos;

/// What a finding says of collectives that XLA made synchronous. XLA does so after scheduling, if only ops without work lie
/// between a start and its done (`convert_async_collectives_to_sync.cc`).
pub(super) const SYNCHRONOUS: &str = " XLA made them synchronous, because its schedule has no other op between their start \
                                      and their end. They run on the stream of the compute, and nothing hides them.";

/// Returns whether the program says of all of these ops that they are synchronous.
pub(super) fn are_synchronous(context: &Context<'_>, ops: &[(usize, Picos)]) -> bool {
    const IS_SYNC: &str = "\"is_sync\":true";
    let is_sync = |index: usize| {
        let op = context.op(index).0;
        let (name, text) = (context.profile.text(op.name), context.profile.text(op.text));
        let in_module = || {
            let module = context.programs.and_then(|module_of| module_of(op.stats.program?))?;
            let instruction = module.instruction(module.instruction_named(name)?)?;
            Some(instruction.backend_config()?.replace(' ', "").contains(IS_SYNC))
        };
        text.contains(IS_SYNC) || in_module() == Some(true)
    };
    !ops.is_empty() && ops.iter().all(|(index, _)| is_sync(*index))
}

/// The largest distance between the time of a transfer and that of a bubble, as a share of the bubble.
const NEAR_BUBBLE: f64 = 0.2;

/// Returns the number of stages of a pipeline and of microbatches of a step, if devices run programs of their own and
/// the time in which a device waits for others is that of the bubble of a pipeline: (stages − 1) ÷
/// (microbatches + stages − 1) of a step (Huang et al., "GPipe").
pub(super) fn bubble(context: &Context<'_>, time: Picos) -> Option<(u64, u64)> {
    let n_stages = sets_of_programs(context.profile, &context.analysis.devices).len() as u64;
    let n_batches = u64::from(context.programs_of_step().iter().map(|(_, n)| *n).max()?);
    if n_stages < 2 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let expected = (n_stages - 1) as f64 / (n_batches + n_stages - 1) as f64;
    ((context.share(time) - expected).abs() <= expected * NEAR_BUBBLE).then_some((n_stages, n_batches))
}

pub(super) fn bubble_text(stages: u64, batches: u64) -> String {
    format!(
        " The devices run programs of their own. A pipeline of {stages} stages with {} per step is idle for {} of {}.",
        counted(batches, "microbatch", "microbatches"),
        stages - 1,
        counted(batches + stages - 1, "part of a step", "parts of a step")
    )
}

/// Source and target of each transfer of a permute.
type Pairs = BTreeSet<(u64, u64)>;

/// Returns the time that permutes in opposite directions would take less at once than one after the other, over all
/// steps: links carry data in both directions. Each pair of permutes must run on one line of the device. `None` if
/// there is no such pair.
pub(super) fn serial_permutes(context: &Context<'_>) -> Option<Picos> {
    let plane = context.plane();
    let mut permutes: Vec<(OpId, Option<ProgramId>, Pairs)> = Vec::new();
    for (index, (op, times)) in plane.ops.iter().zip(&context.times.ops).enumerate() {
        let written = context.profile.text(op.text);
        let is_permute = times.self_time > 0
            && opcode(written)
                .is_some_and(|opcode| opcode.starts_with("collective-permute") && !opcode.ends_with("-done"));
        if is_permute && let Some(pairs) = pairs(written) {
            permutes.push((OpId(index as u32), op.stats.program, pairs));
        }
    }
    if permutes.len() < 2 {
        return None;
    }
    // The self time of all ops of each transfer, such as the wait for it.
    let self_time = |id: OpId| context.times.ops.get(id.0 as usize).map_or(0, |times| times.self_time);
    let mut of_transfers: FxHashMap<OpKey, u64> = FxHashMap::default();
    for (id, transfer) in &context.transfers {
        *of_transfers.entry(transfer.named).or_default() += self_time(*id);
    }
    let time = |id: OpId| match context.transfers.get(&id) {
        Some(transfer) => of_transfers.get(&transfer.named).copied().unwrap_or(0),
        None => self_time(id),
    };
    let mut by_pairs: FxHashMap<(Option<ProgramId>, &Pairs), OpId> = FxHashMap::default();
    let mut saved = Picos::ZERO;
    for (id, program, pairs) in &permutes {
        let opposite: Pairs = pairs.iter().map(|(source, target)| (*target, *source)).collect();
        let other = by_pairs.get(&(*program, &opposite)).copied().filter(|_| opposite != *pairs);
        if let Some(other) = other.filter(|other| are_on_one_line(context, *id, *other)) {
            saved += Picos(time(*id).min(time(other)));
        }
        by_pairs.entry((*program, pairs)).or_insert(*id);
    }
    (saved > Picos::ZERO).then_some(saved)
}

fn pairs(written: &str) -> Option<Pairs> {
    let (_, after) = written.split_once("source_target_pairs=")?;
    let end = after.find("}}").map_or(after.len(), |end| end + 2);
    match text::source_target_pairs(after.get(..end)?)? {
        ReplicaGroups::Pairs(pairs) => Some(pairs.into_iter().collect()),
        _ => None,
    }
}

/// Returns whether a line of the device, such as a stream, has events of both ops.
fn are_on_one_line(context: &Context<'_>, a: OpId, b: OpId) -> bool {
    let lines = context.device().ops.iter().map(|index| &context.plane().lines[*index]);
    lines.into_iter().any(|line| {
        let has = |id: OpId| line.events.ops().any(|op| op == id);
        has(a) && has(b)
    })
}

pub(super) fn serial_text(context: &Context<'_>, saved: Picos) -> String {
    format!(
        " Permutes in opposite directions run one after the other. At once, they would take up to {} less per step.",
        context.step_text(saved)
    )
}
