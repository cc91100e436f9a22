//! This module counts the compilations of each jitted function: those of JAX on the thread that called the function.

use super::device::host_lines;
use crate::table::format::{counted, middle_cut, time_text};
use indexmap::IndexMap;
use std::cmp::Reverse;
use xla_profile::profile::Profile;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The start of the names of host events in which JAX compiles a program: `backend_compile`,
/// `backend_compile_and_load`.
const COMPILE: &str = "backend_compile";

/// The start of the names of calls of jitted functions: `PjitFunction(train_step)`.
const CALL: &str = "PjitFunction(";

/// The compilations of one jitted function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compilations {
    /// The name of the function. `None` if they are outside of the calls of functions.
    pub function: Option<String>,
    pub n: u64,
    /// The time of all compilations.
    pub time: Picos,
}

/// Returns the compilations of each function on the planes of a host, those with the most time first. A compilation
/// belongs to the innermost call that it lies in.
pub fn compilations(profile: &Profile, planes: &[usize]) -> Vec<Compilations> {
    let mut by_function: IndexMap<Option<&str>, (u64, Picos)> = IndexMap::default();
    for ((plane, _), line) in host_lines(profile, planes) {
        let name = |op: xla_profile::profile::OpId| profile.text(profile.planes[plane].op(op).name);
        let events = line.events.times().zip(line.events.ops());
        let of_interest = events.filter(|(_, op)| name(*op).starts_with(COMPILE) || name(*op).starts_with(CALL));
        let mut events: Vec<(u64, u64, &str)> =
            of_interest.map(|((start, duration), op)| (start, start.saturating_add(duration), name(op))).collect();
        events.small_sort_by_key(|(start, end, _)| (*start, Reverse(*end)));
        // The calls that contain the next event, the innermost last.
        let mut calls: Vec<(u64, &str)> = Vec::new();
        let mut compiled_until = 0;
        for (start, end, name) in events {
            while calls.last().is_some_and(|(call_end, _)| *call_end <= start) {
                calls.pop();
            }
            if let Some(function) = name.strip_prefix(CALL) {
                calls.push((end, function.trim_end_matches(')')));
            } else if start >= compiled_until {
                compiled_until = end;
                let sum = by_function.entry(calls.last().map(|(_, function)| *function)).or_default();
                *sum = (sum.0 + 1, sum.1 + Picos(end.saturating_sub(start)));
            }
        }
    }
    let compilations = |(function, (n, time)): (Option<&str>, (u64, Picos))| Compilations {
        function: function.map(str::to_owned),
        n,
        time,
    };
    let mut all: Vec<Compilations> = by_function.into_iter().map(compilations).collect();
    all.small_sort_by_key(|function| Reverse(function.time));
    all
}

/// Longest name of a function in a sentence.
const MAX_NAME: usize = 60;

/// Returns a sentence about the functions that the host compiled, those with the most time first. It is empty if there
/// are none.
pub fn describe_compilations(all: &[Compilations]) -> String {
    let name = |function: &Compilations| {
        middle_cut(function.function.as_deref().unwrap_or("outside of jitted functions"), MAX_NAME)
    };
    let text = |function: &Compilations| {
        format!("{} {}, {}", name(function), counted(function.n, "time", "times"), time_text(function.time))
    };
    let named: Vec<String> = all.iter().take(2).map(text).collect();
    if named.is_empty() { String::new() } else { format!(" In the capture, the host compiled {}.", named.join("; ")) }
}
