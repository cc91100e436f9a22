//! This module counts the events that belong to one execution of an instruction. A convolution of a library runs as
//! several kernels, and a sort on a CPU has two events. The cost of the instruction is divided among these events, so
//! that the cost counts once per execution. A memset before the kernel of a library has no part of the cost.
//!
//! ```text
//!  events of a plane     a   c₁ c₂   b b     a   c₁ c₂   b b
//!  per instruction       a 2     c 2 of each kernel     b 4       events of the rarest kernel
//!  per computation       all of its instructions run equally often: 2
//!  events per execution  a 1     c 2                    b 2
//! ```
//!
//! This module depends on ops and their instructions, not on time or cost.

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use xla_profile::hlo::{ComputationId, InstructionId, Module};
use xla_profile::profile::{OpId, Plane, ProgramId, StrId};

pub(crate) type OpInstruction = (OpId, InstructionId);

/// Tolerance for whole multiples, as a fraction. A capture may begin and end during a run, so that counts differ
/// slightly.
const OFF: f64 = 0.1;
/// Largest number of events per execution of an instruction.
const MAX_EVENTS_PER_EXECUTION: u32 = 64;

/// The number of events of an instruction, in total and by kernel, without memsets, and the number of memsets.
#[derive(Default)]
struct EventCounts {
    events: u64,
    kernels: IndexMap<StrId, u64>,
    memsets: u64,
}

impl EventCounts {
    /// Returns the number of events of the rarest kernel. An execution has at least one event of each kernel.
    fn least(&self) -> u64 {
        self.kernels.iter().map(|(_, n)| *n).filter(|n| *n > 0).min().unwrap_or(self.memsets)
    }

    /// Returns whether only kernels do the work of the instruction, and not its memsets.
    fn has_kernels(&self) -> bool {
        self.events > 0
    }
}

/// Counts the events of each op of a plane.
pub(crate) fn events(plane: &Plane) -> Vec<u64> {
    let mut events = vec![0_u64; plane.ops.len()];
    for op in plane.lines.iter().flat_map(|line| line.events.ops()) {
        if let Some(n) = events.get_mut(op.0 as usize) {
            *n = n.saturating_add(1);
        }
    }
    events
}

/// Returns the events per execution of the instruction of each op in `found`, in the order of `found`; at least 1, or 0
/// for a memset of an instruction that has other kernels, which do its work. `events` holds the number of events of each
/// op of the plane, and `is_memset` tells whether the kernel of an op is a memset. `runs` is the number of runs of the
/// program on the plane, or `None` if it is unknown.
pub(crate) fn per_execution(
    plane: &Plane,
    found: &[OpInstruction],
    module: &Module,
    events: &[u64],
    is_memset: &dyn Fn(OpId) -> bool,
    runs: Option<u64>,
) -> Vec<u32> {
    let mut per_kernel: IndexMap<InstructionId, EventCounts> = IndexMap::default();
    for (op, instruction) in found {
        let n = events.get(op.0 as usize).copied().unwrap_or(0);
        let info = plane.op(*op);
        let per_kernel = per_kernel.entry(*instruction).or_default();
        if is_memset(*op) {
            per_kernel.memsets = per_kernel.memsets.saturating_add(n);
            continue;
        }
        per_kernel.events = per_kernel.events.saturating_add(n);
        // One kernel has several ops if only some of its events carry all stats.
        let kernel = per_kernel.kernels.entry(info.stats.kernel.unwrap_or(info.text)).or_default();
        *kernel = kernel.saturating_add(n);
    }
    let mut computations: IndexMap<Option<ComputationId>, Vec<u64>> = IndexMap::default();
    let computation = |id: InstructionId| module.instruction(id).and_then(|instruction| instruction.computation);
    for (id, per_kernel) in &per_kernel {
        computations.entry(computation(*id)).or_default().push(per_kernel.least());
    }
    let n_executions = |(computation, counts): (&Option<ComputationId>, &Vec<u64>)| {
        (*computation, executions(counts, runs.filter(|_| computation.is_some() && *computation == module.entry)))
    };
    let by_computation: IndexMap<Option<ComputationId>, u64> = computations.iter().map(n_executions).collect();
    let per = |(op, id): &OpInstruction| {
        let counts = per_kernel.get(id);
        let has_kernels = counts.is_some_and(EventCounts::has_kernels);
        if is_memset(*op) && has_kernels {
            return 0;
        }
        let events = counts.map_or(0, |counts| if has_kernels { counts.events } else { counts.memsets });
        // Every instruction of an op was counted in its computation above.
        let executions = by_computation.get(&computation(*id)).copied().unwrap_or(0);
        multiple(events, executions).unwrap_or(1)
    };
    found.iter().map(per).collect()
}

/// Returns the number of executions of a computation. Its instructions run equally often, so this is the count that
/// most instructions have, or the smallest count or number of runs of which that count is a multiple.
fn executions(counts: &[u64], runs: Option<u64>) -> u64 {
    let mut by_count: IndexMap<u64, u32> = IndexMap::default();
    counts.iter().filter(|n| **n > 0).for_each(|n| *by_count.entry(*n).or_default() += 1);
    let most = by_count.iter().max_by_key(|(n, times)| (*times, std::cmp::Reverse(*n))).map_or(0, |(n, _)| *n);
    let candidates = counts.iter().copied().chain(runs).filter(|n| *n > 0 && *n < most);
    candidates.filter(|n| multiple(most, *n).is_some()).min().unwrap_or(most)
}

/// Returns the whole multiple of `part` that `count` is, within the tolerance [`OFF`]. `None` if there is none up to
/// [`MAX_EVENTS_PER_EXECUTION`].
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small ratios"
)]
fn multiple(count: u64, part: u64) -> Option<u32> {
    let ratio = count as f64 / part as f64;
    let whole = ratio.round();
    (part > 0 && whole >= 1.0 && whole <= f64::from(MAX_EVENTS_PER_EXECUTION) && (ratio - whole).abs() <= OFF * whole)
        .then_some(whole as u32)
}

/// The runs of all programs on planes, from the lines "XLA Modules". The lines of a plane are read when its runs are first
/// requested.
#[derive(Default)]
pub(crate) struct Runs(FxHashMap<usize, FxHashMap<ProgramId, u64>>);

impl Runs {
    /// Returns the number of runs of a program on a plane. `plane_index` is its index in the profile. `None` if the lines have no run of it.
    pub(crate) fn of_program(&mut self, plane: &Plane, plane_index: usize, program: Option<ProgramId>) -> Option<u64> {
        let of_plane = self.0.entry(plane_index).or_insert_with(|| {
            let lines = plane.lines.iter().filter(|line| line.name == "XLA Modules");
            let programs = lines.flat_map(|line| line.events.ops()).filter_map(|op| plane.op(op).stats.program);
            let mut runs = FxHashMap::default();
            programs.for_each(|program| *runs.entry(program).or_default() += 1);
            runs
        });
        of_plane.get(&program?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text;
    use xla_profile::profile::{Op, OpStats, Strings};

    const HLO: &str = "HloModule m\n\n%body {\n  %p = f32[8] parameter(0)\n  ROOT %n = f32[8] negate(%p)\n}\n\nENTRY %e {\n  \
                       %a = f32[8] parameter(0)\n  %b = f32[8] add(%a, %a)\n  %c = f32[8] exponential(%b)\n  \
                       ROOT %d = f32[8] call(%c), to_apply=%body\n}\n";

    /// Returns the events per execution of instructions that run as the given kernels. Each entry is an instruction, a
    /// kernel and its number of events.
    fn counts_of(counts: &[(&str, &str, u64)], runs: Option<u64>) -> Vec<u32> {
        let (module, _) = text::module(HLO).unwrap();
        let mut strings = Strings::default();
        let mut plane = Plane::default();
        let (mut found, mut events) = (Vec::new(), Vec::new());
        for (name, kernel, n) in counts {
            let text = strings.intern(kernel);
            let stats = OpStats { kernel: Some(text), ..OpStats::default() };
            found.push((OpId(plane.ops.len() as u32), module.instruction_named(name).unwrap()));
            plane.ops.push(Op { resolved: true, name: text, text, stats });
            events.push(*n);
        }
        let is_memset = |op: OpId| strings.get(plane.op(op).text).starts_with("Memset");
        per_execution(&plane, &found, &module, &events, &is_memset, runs)
    }

    #[test]
    fn several_kernels_of_one_instruction() {
        assert_eq!(counts_of(&[("b", "add", 5), ("c", "pack", 5), ("c", "exp", 5)], Some(5)), [1, 2, 2]);
        assert_eq!(counts_of(&[("b", "add", 5), ("c", "exp", 15)], None), [1, 3], "one kernel, three times");
        assert_eq!(
            counts_of(&[("b", "add", 3), ("b", "add", 2), ("c", "exp", 5)], None),
            [1, 1, 1],
            "one kernel as two ops"
        );
        assert_eq!(counts_of(&[("c", "exp", 10)], Some(5)), [2], "alone: by the runs");
        assert_eq!(counts_of(&[("c", "exp", 10)], None), [1], "nothing says otherwise");
    }

    #[test]
    fn a_memset_before_a_kernel_has_no_part_of_the_cost() {
        assert_eq!(counts_of(&[("b", "add", 5), ("c", "Memset 0", 5), ("c", "gemm", 5)], Some(5)), [1, 0, 1]);
        assert_eq!(counts_of(&[("c", "Memset 0", 5), ("c", "a", 5), ("c", "b", 5)], Some(5)), [0, 2, 2]);
        assert_eq!(counts_of(&[("b", "add", 5), ("c", "Memset 0", 5)], Some(5)), [1, 1], "the memset is the work");
    }

    #[test]
    fn a_loops_body_runs_more_often() {
        assert_eq!(counts_of(&[("b", "add", 5), ("n", "neg", 40)], Some(5)), [1, 1]);
        assert_eq!(counts_of(&[("b", "add", 5), ("n", "neg", 40), ("n", "tail", 40)], Some(5)), [1, 2, 2]);
    }

    #[test]
    fn missing_events_do_not_change_kernel_counts() {
        assert_eq!(counts_of(&[("b", "add", 100), ("c", "exp", 63)], None), [1, 1]);
        assert_eq!(counts_of(&[("b", "add", 100), ("c", "exp", 99)], Some(101)), [1, 1]);
        assert_eq!(counts_of(&[("b", "add", 100), ("c", "pack", 99), ("c", "exp", 100)], Some(101)), [1, 2, 2]);
        assert_eq!(counts_of(&[("b", "add", 0), ("c", "exp", 5)], None), [1, 1]);
    }
}
