//! These tests take every list of a capture to one, two and four times a size, run every command and every request of the
//! page on it, and fail if work or memory grows much faster than the list: a search through the list for each of its
//! entries makes sixteen times the work of four times the entries.
//!
//! The allocator of this program counts the allocations, their bytes, and the bytes that are in use at a time. These counts
//! are exact, and they are the same in each run. They do not see a loop that allocates nothing. No count of such work is
//! available everywhere: counters of instructions need rights that containers and hosted machines do not give. The
//! processor time of this process stands for it. It is compared only between sizes of the same work within one run, and a
//! test fails only if four times the entries take more than ten times the time and more than a floor that linear work of
//! this size does not reach, in each of several attempts. The allocator is the reason why these tests are a program of
//! their own, and the measurements are the reason why they run one after the other.

#[path = "../native/common/make.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod make;

mod hosts;
mod lists;
mod measure;
mod programs;
mod work;

use measure::Cost;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The files of a capture: names and contents.
type Files = Vec<(String, Vec<u8>)>;

/// Largest growth of a count when a list grows by `times`: linear × log.
fn largest_growth(times: f64) -> f64 {
    times * 1.5
}

/// Counts below these are not compared, because fixed costs prevail.
const LEAST_BYTES: f64 = 4e6;
const LEAST_ALLOCATIONS: f64 = 20_000.0;
/// Processor time in seconds that four times the size may always take.
const LEAST_TIME: f64 = 0.1;
/// Largest growth of the processor time when a list grows by four.
const LARGEST_TIME: f64 = 10.0;
/// Number of attempts in which the processor time must be too long.
const ATTEMPTS: usize = 3;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs all work on `files` for `size`, twice and four times `size`.
fn check(size: usize, files: impl Fn(usize) -> Files) {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let costs = [1, 2, 4].map(|times| work::costs(&files(size * times)));
    let mut broken = Vec::new();
    for (name, one) in &costs[0] {
        for (times, costs) in [(2.0, &costs[1]), (4.0, &costs[2])] {
            broken.extend(counts(name, one, &costs[name], times));
        }
    }
    let mut best: [BTreeMap<&str, f64>; 2] =
        [&costs[0], &costs[2]].map(|costs| costs.iter().map(|(name, cost)| (*name, cost.seconds)).collect());
    for attempt in 1.. {
        let slow: Vec<&str> = best[0].keys().copied().filter(|name| is_slow(best[0][name], best[1][name])).collect();
        if slow.is_empty() {
            break;
        }
        if attempt >= ATTEMPTS {
            let text = |name: &&str| format!("{name}: {:.3} s, {:.3} s", best[0][name], best[1][name]);
            broken.extend(slow.iter().map(text));
            break;
        }
        for (best, times) in best.iter_mut().zip([1, 4]) {
            for (name, cost) in work::costs(&files(size * times)) {
                best.entry(name).and_modify(|best| *best = best.min(cost.seconds));
            }
        }
    }
    assert!(broken.is_empty(), "grows faster than the list:\n  {}", broken.join("\n  "));
}

fn is_slow(one: f64, four: f64) -> bool {
    four > LEAST_TIME && four > one * LARGEST_TIME
}

/// Returns the counts that grow too much.
fn counts(name: &str, one: &Cost, more: &Cost, times: f64) -> Vec<String> {
    let all = [
        ("bytes allocated", one.bytes, more.bytes, LEAST_BYTES),
        ("allocations", one.allocations, more.allocations, LEAST_ALLOCATIONS),
        ("bytes in use", one.peak, more.peak, LEAST_BYTES),
    ];
    let is_more = |(_, one, more, least): &(&str, f64, f64, f64)| *more > one.max(*least) * largest_growth(times);
    let text = |(what, one, more, _): (&str, f64, f64, f64)| format!("{name}, × {times}: {what} {one:.0}, {more:.0}");
    all.into_iter().filter(is_more).map(text).collect()
}

/// 270 KB of text, in which a tuple of 30,000 tuples of 30,000 arrays would have 900 million arrays.
#[test]
fn a_tuple_of_tuples_has_no_estimate() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (text, cost) = work::document_of(&programs::tuple_operands(30_000), "memory");
    assert!(text.contains("live ranges are not estimated from this text"), "{text}");
    assert!(cost.peak < 64e6, "{cost:?}");
    let (text, _) = work::document_of(&programs::tuple_operands(2), "memory");
    assert!(!text.contains("live ranges are not estimated"), "{text}");
}

/// The JSON of many ops is many times their capture. The command line writes it while it is made, and keeps none of it.
#[test]
fn the_json_of_a_command_is_not_kept() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for command in ["breakdown --json", "roofline --json"] {
        let [(text, kept), (written, cost)] = work::document_and_output_of(&lists::ops(2000), command);
        assert_eq!(text, written);
        #[expect(clippy::cast_precision_loss, reason = "a number of bytes of a text")]
        let length = text.len() as f64;
        assert!(length > 2e6 && cost.peak < kept.peak - 0.9 * length, "{command}, {length}: {kept:?} {cost:?}");
    }
}

/// Events of one program with different names of its module. All kernels are found in the program, which is read once.
#[test]
fn kernels_with_many_names_of_one_module_have_their_ops() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let n = 300;
    let (text, cost) = work::document_of(&programs::modules_of_cuda_graphs(n), "breakdown --json --step all");
    // The order of the instructions tells the op of all kernels but the first.
    for i in 2..=n {
        assert!(text.contains(&format!("\"negate.{i}\"")), "negate.{i}: {text}");
    }
    let (_, alone) = work::document_of(&programs::modules_of_cuda_graphs(n / 2), "breakdown --json --step all");
    assert!(cost.allocations < 3.0 * alone.allocations, "{cost:?} {alone:?}");
}

/// Declares a test for each list: its name, the size, and the files for a size.
macro_rules! lists {
    ($($name:ident $size:literal $files:expr;)*) => {
        $(#[test]
        fn $name() {
            check($size, $files);
        })*
    };
}

lists! {
    planes_without_events 4000 lists::empty_planes;
    lines_without_events 4000 lists::empty_lines;
    lines_with_an_event 2000 lists::lines;
    devices_of_tpus 1000 lists::tpus;
    devices_of_gpus 1000 lists::gpus;
    devices_of_a_cpu 1000 lists::cpus;
    devices_with_sparse_cores 500 lists::sparse_cores;
    devices_with_a_collective 500 lists::collectives_of_devices;
    captures 400 lists::captures;
    steps 2000 lists::steps;
    steps_that_compile 1000 hosts::steps_that_compile;
    ops 1000 lists::ops;
    executions_of_ops 10_000 lists::executions;
    nested_ops 2500 lists::nested_ops;
    more_nested_ops 5000 lists::nested_ops;
    scopes 900 lists::scopes;
    collectives 1000 lists::collectives;
    executions_of_collectives 4000 lists::executions_of_collectives;
    categories 1000 lists::categories;
    notes 4000 lists::notes;
    programs_in_events 1000 lists::programs_in_events;
    programs_in_a_capture 500 programs::embedded;
    program_files 300 programs::files;
    modules_of_cuda_graphs 1000 programs::modules_of_cuda_graphs;
    nodes_of_cuda_graphs 2000 programs::nodes_of_cuda_graphs;
    tuple_operands 2000 programs::tuple_operands;
    instructions_of_a_text 2000 programs::instructions;
    computations_of_a_text 1000 programs::computations;
    buffers 2000 programs::buffers;
    allocators 1000 lists::allocators;
    nested_host_events 1000 hosts::nested;
    overlapping_host_events 1000 hosts::overlapping;
    host_events_with_names 2000 hosts::names;
    chain_of_tasks 2000 hosts::chain;
    devices_that_wait_for_a_chain 100 hosts::devices_and_chain;
    threads 1000 hosts::threads;
    threads_of_a_trace 1000 lists::trace_threads;
    events_of_a_trace 4000 lists::trace_events;
}

#[test]
fn flags() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let files = lists::tpus(2);
    let costs = [500, 1000, 2000].map(|n| {
        let text: String = (0..n).map(|i| format!("--xla_tpu_unknown_flag_{i}=true ")).collect();
        work::cost_of_flags(&files, &text)
    });
    let broken: Vec<String> = [(2.0, 1), (4.0, 2)]
        .iter()
        .flat_map(|(times, index)| counts("flags", &costs[0], &costs[*index], *times))
        .collect();
    assert!(broken.is_empty() && !is_slow(costs[0].seconds, costs[2].seconds), "{broken:?} {costs:?}");
}

/// Many devices that wait for one chain of tasks. The events in the first gaps are named, and a note counts the others.
#[test]
fn gaps_of_many_devices_tell_how_many_have_no_names() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let command = "gaps --json --device all --step all";
    let n_named = |text: &str| text.matches("\"np.asarray\"").count();
    let (few, _) = work::document_of(&hosts::devices_and_chain(20), command);
    assert!(!few.contains("unnamed_host_events"), "{few}");
    assert_eq!(n_named(&few), 20);
    let (many, _) = work::document_of(&hosts::devices_and_chain(400), command);
    assert!(many.contains("unnamed_host_events"));
    assert!(n_named(&many) > 20 && n_named(&many) < 400, "{}", n_named(&many));
}
