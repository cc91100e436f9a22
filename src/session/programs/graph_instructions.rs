//! This module finds the instruction of each node of a CUDA graph. XLA records the instructions of a computation into a
//! graph in the order of their schedule, one node per instruction. A node with a kernel of XLA has a name that comes
//! from its instruction. A node that stands for a call of a library is a graph of its own, whose nodes have the numbers
//! after those of all instructions.
//!
//! ```text
//!  schedule   fusion-start  custom-call.1  fusion.7   custom-call.2  add_fusion.3
//!  node       0  –          1  –           2 fusion_7  3  –          4 add_fusion_3
//!  libraries  5 memcpy128   6 Memset 7 gemm            8 Memset 9 gemm               in the order of the gaps 0, 1, 3
//! ```
//!
//! This module does not depend on events or time.

use std::ops::Range;
use xla_profile::hlo::{Instruction, InstructionId, Module, opcode};
use xla_profile::profile::cupti_copy_name;
use xla_profile::small_sort::SmallSort;

/// A node of a graph: its number, and the name of its kernel.
pub(super) type Node<'a> = (u32, &'a str);

/// Smallest part of the kernels of XLA whose names must fit their instructions, as `FIT.0 / FIT.1`.
const FIT: (usize, usize) = (9, 10);

/// Largest number of nodes at which the graphs of libraries are taken to begin. Few instructions without a kernel of XLA
/// follow the last one with such a kernel.
const BEGINS: usize = 64;

/// Largest number of instructions with the same name of a kernel that are compared. Real programs have one.
const NAMESAKES: usize = 16;

/// The instructions of a program that launch kernels, in the order of the schedule.
pub(super) struct LaunchOrder<'a> {
    module: &'a Module,
    /// All computations one after the other, each with an empty entry behind it, and an empty entry at control flow.
    order: Vec<Option<InstructionId>>,
    /// The name of a kernel of XLA, and the places in `order` of the instructions with that name, sorted.
    kernels: Vec<(String, usize)>,
}

impl<'a> LaunchOrder<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        let mut order = Vec::new();
        for (_, computation) in module.computations().filter(|(_, computation)| !computation.is_fusion) {
            for id in computation.schedule.iter().flatten() {
                let Some(instruction) = module.instruction(*id) else { continue };
                match launches(instruction) {
                    Launches::Nothing => {}
                    Launches::Kernels => order.push(Some(module.wrapped(*id))),
                    Launches::Computations => order.push(None),
                }
            }
            order.push(None);
        }
        let place = |(place, id): (usize, &Option<InstructionId>)| Some((kernel_of(name(module, (*id)?)), place));
        let mut kernels: Vec<(String, usize)> = order.iter().enumerate().filter_map(place).collect();
        kernels.small_sort_by(Ord::cmp);
        Self { module, order, kernels }
    }

    /// Returns the instruction of each node, in the order of `nodes`, which must be sorted by number. A node whose
    /// instruction is uncertain has `None`.
    pub(super) fn instructions(&self, nodes: &[Node<'_>]) -> Vec<Option<InstructionId>> {
        let mut found = vec![None; nodes.len()];
        let named: Vec<Node<'_>> =
            nodes.iter().copied().filter(|(_, kernel)| self.places(kernel).next().is_some()).collect();
        let Some(first) = self.first(&named) else { return found };
        let instruction = |slot: u32| *self.order.get(first.checked_add_signed(slot as isize)?)?;
        let fits = |(slot, kernel): &Node<'_>| {
            instruction(*slot).is_some_and(|id| stem(&kernel_of(name(self.module, id))) == stem(kernel))
        };
        let n_fits = named.iter().filter(|node| fits(node)).count();
        if n_fits * FIT.1 < named.len() * FIT.0 {
            return found;
        }
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| fits(node)) {
            found[index] = instruction(node.0);
        }
        let last = named.last().map_or(0, |(slot, _)| *slot);
        // Nodes that no kernel of XLA has: copies, and graphs of libraries in the order of the gaps.
        for (slot, of_slot) in self.libraries(nodes, last, &instruction).into_iter().flatten() {
            for index in of_slot {
                found[index] = instruction(slot);
            }
        }
        found
    }

    /// Returns the place of the instruction of node 0: the one on which most names agree.
    fn first(&self, named: &[Node<'_>]) -> Option<usize> {
        let votes = named
            .iter()
            .flat_map(|(slot, kernel)| self.places(kernel).filter_map(|place| place.checked_sub(*slot as usize)));
        let mut votes: Vec<usize> = votes.collect();
        votes.sort_unstable();
        let most = votes.chunk_by(|a, b| a == b).max_by_key(|same| same.len())?;
        most.first().copied()
    }

    /// Returns the places of the instructions whose kernel has this name.
    fn places(&self, kernel: &str) -> impl Iterator<Item = usize> {
        let start = self.kernels.partition_point(|(name, _)| name.as_str() < kernel);
        let same = self.kernels[start..].iter().take_while(move |(name, _)| name == kernel);
        same.take(NAMESAKES).map(|(_, place)| *place)
    }

    /// Returns the nodes of each instruction without a kernel of XLA, as indices in `nodes`. `last` is the highest number
    /// of a kernel of XLA, and `instruction` returns the instruction of a number. `None` if the nodes do not fit the
    /// instructions.
    fn libraries(
        &self,
        nodes: &[Node<'_>],
        last: u32,
        instruction: &dyn Fn(u32) -> Option<InstructionId>,
    ) -> Option<Vec<(u32, Range<usize>)>> {
        let end = nodes.last()?.0.checked_add(1)?;
        let start = nodes.partition_point(|(number, _)| *number <= last);
        // The nodes within the graphs of libraries may begin at any node after the last kernel of XLA.
        let mut begins = (start..nodes.len()).take(BEGINS).map(|index| nodes[index].0).chain([end]);
        begins.find_map(|n_slots| self.calls(nodes, n_slots, instruction))
    }

    /// Returns the nodes of each instruction without a kernel of XLA, if the graph has `n_slots` instructions.
    fn calls(
        &self,
        nodes: &[Node<'_>],
        n_slots: u32,
        instruction: &dyn Fn(u32) -> Option<InstructionId>,
    ) -> Option<Vec<(u32, Range<usize>)>> {
        let within = nodes.partition_point(|(number, _)| *number < n_slots);
        let (mut index, mut rest) = (0, within);
        let mut calls = Vec::new();
        for slot in 0..n_slots {
            if nodes[..within].get(index).is_some_and(|(number, _)| *number == slot) {
                let is_copy = cupti_copy_name(nodes[index].1).is_some();
                if is_copy && instruction(slot).and_then(|id| self.target(id)).is_some() {
                    return None;
                }
                calls.extend(is_copy.then_some((slot, index..index + 1)));
                index += 1;
            } else {
                let id = instruction(slot)?;
                let n = match self.target(id) {
                    Some(target) => n_kernels(&nodes[rest..], target),
                    None => n_of_other(&nodes[rest..], self.is_collective(id)),
                }?;
                calls.push((slot, rest..rest + n));
                rest += n;
            }
        }
        (rest == nodes.len()).then_some(calls)
    }

    /// Returns the target of a custom call; `None` for other instructions.
    fn target(&self, id: InstructionId) -> Option<&str> {
        self.module.instruction(id)?.custom_call_target()
    }

    fn is_collective(&self, id: InstructionId) -> bool {
        self.module.instruction(id).is_some_and(|instruction| opcode::is_collective(&instruction.opcode))
    }
}

/// Returns the number of nodes at the start of `nodes` that belong to a custom call with this target: a kernel with memsets
/// before it. cuBLAS may add a kernel that sums up, and cuDNN further kernels of its own. `None` if the nodes do not fit.
fn n_kernels(nodes: &[Node<'_>], target: &str) -> Option<usize> {
    let n_memsets = n_memsets(nodes);
    let is_cudnn = target.starts_with("__cudnn$");
    let (first, rest) = nodes.get(n_memsets..)?.split_first()?;
    let fits = cupti_copy_name(first.1).is_none() && has_word(first, &["cudnn"]) == is_cudnn;
    let further: &[&str] = if is_cudnn { &["cudnn"] } else { &["splitK", "reduce"] };
    fits.then(|| n_memsets + 1 + rest.iter().take_while(|node| has_word(node, further)).count())
}

/// Returns the number of nodes at the start of `nodes` that belong to another instruction: the copy of a fusion of slices,
/// or the kernel of a collective. `None` if the nodes do not fit.
fn n_of_other(nodes: &[Node<'_>], is_collective: bool) -> Option<usize> {
    let n_memsets = if is_collective { n_memsets(nodes) } else { 0 };
    let node = nodes.get(n_memsets)?;
    let word = cupti_copy_name(node.1);
    let is_copy = word.is_some_and(|word| word != "Memset");
    let fits = if is_collective { is_copy || has_word(node, &["nccl", "rccl"]) } else { is_copy };
    fits.then_some(n_memsets + 1)
}

fn n_memsets(nodes: &[Node<'_>]) -> usize {
    nodes.iter().take_while(|(_, kernel)| cupti_copy_name(kernel) == Some("Memset")).count()
}

fn has_word((_, kernel): &Node<'_>, words: &[&str]) -> bool {
    words.iter().any(|word| kernel.contains(word))
}

/// What an instruction launches.
enum Launches {
    Nothing,
    Kernels,
    /// Other computations, such as the body of a loop.
    Computations,
}

fn launches(instruction: &Instruction) -> Launches {
    match &*instruction.opcode {
        "parameter" | "constant" | "tuple" | "get-tuple-element" | "bitcast" | "after-all" | "opt-barrier"
        | "add-dependency" | "async-update" => Launches::Nothing,
        code if opcode::is_done(code) => Launches::Nothing,
        "while" | "conditional" | "call" => Launches::Computations,
        _ => Launches::Kernels,
    }
}

fn name(module: &Module, id: InstructionId) -> &str {
    module.instruction(id).map_or("", |instruction| &*instruction.name)
}

/// Returns the name that XLA gives to the kernel of an instruction: `loop_add_fusion_5` for `loop_add_fusion.5`.
fn kernel_of(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '.' | '-') { '_' } else { c }).collect()
}

/// Returns the name of a kernel without the number at its end. Equal fusions share the kernel of one of them.
fn stem(kernel: &str) -> &str {
    let stem = kernel.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.strip_suffix('_').filter(|_| stem.len() < kernel.len()).unwrap_or(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text;

    const HLO: &str = r#"HloModule m, is_scheduled=true

%copied { %q = f32[8] parameter(0)
  ROOT %slice_fusion.9 = f32[8] negate(%q) }

ENTRY %e {
  %a = f32[8] parameter(0)
  %s = ((f32[8]), f32[8], u32[]) async-start(%a), calls=%copied
  %d = f32[8] async-done(%s)
  %custom-call.1 = f32[8] custom-call(%d), custom_call_target="__cublas$gemm"
  %fusion.7 = f32[8] negate(%custom-call.1)
  %custom-call.2 = f32[8] custom-call(%fusion.7), custom_call_target="__cublas$gemm"
  %add_fusion.3 = f32[8] negate(%custom-call.2)
  %add_fusion.4 = f32[8] negate(%add_fusion.3)
  ROOT %t = (f32[8]) tuple(%add_fusion.4)
}
"#;

    /// Returns the names of the instructions of nodes.
    fn names(nodes: &[Node<'_>]) -> Vec<String> {
        let (module, _) = text::module(HLO).unwrap();
        let found = LaunchOrder::new(&module).instructions(nodes);
        found.iter().map(|id| id.map_or("?".to_owned(), |id| name(&module, id).to_owned())).collect()
    }

    #[test]
    fn libraries_fill_the_gaps_in_order() {
        let nodes = [
            (2, "fusion_7"),
            (4, "add_fusion_3"),
            (5, "add_fusion_3"),
            (6, "memcpy128"),
            (7, "Memset 0"),
            (8, "gemm"),
            (9, "Memset 0"),
            (10, "gemm"),
            (11, "splitKreduce_kernel"),
        ];
        let (first, second) = ("custom-call.1", "custom-call.2");
        let expected =
            ["fusion.7", "add_fusion.3", "add_fusion.4", "slice_fusion.9", first, first, second, second, second];
        assert_eq!(names(&nodes), expected);
    }

    #[test]
    fn calls_with_two_memsets_and_with_none() {
        let nodes = [
            (2, "fusion_7"),
            (4, "add_fusion_3"),
            (5, "memcpy128"),
            (6, "Memset 0"),
            (7, "Memset 0"),
            (8, "gemm"),
            (9, "gemm"),
        ];
        let (first, second) = ("custom-call.1", "custom-call.2");
        assert_eq!(names(&nodes), ["fusion.7", "add_fusion.3", "slice_fusion.9", first, first, first, second]);
        let swapped = [(2, "fusion_7"), (4, "add_fusion_3"), (5, "gemm"), (6, "memcpy128"), (7, "gemm")];
        assert_eq!(names(&swapped), ["fusion.7", "add_fusion.3", "?", "?", "?"], "a copy is no call of a library");
    }

    #[test]
    fn a_call_of_cudnn_has_several_kernels() {
        let hlo = HLO.replacen("__cublas$gemm", "__cudnn$fmhaSoftmaxBackward", 1);
        let (module, _) = text::module(&hlo).unwrap();
        let nodes = [
            (2, "fusion_7"),
            (4, "add_fusion_3"),
            (5, "memcpy128"),
            (7, "Memset 0"),
            (8, "void cudnn::fusion::dot"),
            (9, "cudnn_generated_bprop"),
            (10, "gemm"),
        ];
        let found = LaunchOrder::new(&module).instructions(&nodes);
        let names: Vec<&str> = found.iter().map(|id| id.map_or("?", |id| name(&module, id))).collect();
        let (first, second) = ("custom-call.1", "custom-call.2");
        assert_eq!(names, ["fusion.7", "add_fusion.3", "slice_fusion.9", first, first, first, second]);
    }

    #[test]
    fn a_collective_has_a_kernel_of_nccl() {
        let hlo =
            HLO.replacen("custom-call(%d), custom_call_target=\"__cublas$gemm\"", "all-reduce(%d), to_apply=%sum", 1);
        let (module, _) = text::module(&hlo).unwrap();
        let order = LaunchOrder::new(&module);
        let collective_of = |kernel: &str| {
            let nodes = [(2, "fusion_7"), (4, "add_fusion_3"), (5, "memcpy128"), (6, kernel), (7, "gemm")];
            order.instructions(&nodes)[3].map(|id| name(&module, id).to_owned())
        };
        assert_eq!(collective_of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL").as_deref(), Some("custom-call.1"));
        assert_eq!(collective_of("other"), None, "a kernel of no known library of collectives");
    }

    #[test]
    fn a_graph_may_begin_within_the_schedule() {
        let nodes = [(0, "fusion_7"), (2, "add_fusion_3"), (3, "add_fusion_3"), (4, "gemm")];
        assert_eq!(names(&nodes), ["fusion.7", "add_fusion.3", "add_fusion.4", "custom-call.2"]);
    }

    #[test]
    fn kernels_that_do_not_fit_stay_unknown() {
        let gemms = [(2, "fusion_7"), (4, "add_fusion_3"), (5, "add_fusion_3"), (6, "gemm"), (7, "gemm")];
        assert_eq!(names(&gemms), ["fusion.7", "add_fusion.3", "add_fusion.4", "?", "?"], "three gaps, two kernels");
        assert_eq!(names(&[(0, "gemm"), (1, "gemm")]), ["?", "?"], "no kernel has the name of an instruction");
        assert_eq!(names(&[(0, "fusion_7"), (1, "add_fusion_3"), (2, "fusion_7")]), ["?", "?", "?"], "another order");
        assert_eq!(names(&[]), Vec::<String>::new());
    }
}
