//! This module holds the flags of XLA with their defaults, for one version of each compiler.
//!
//! A table is a flag file: one `--name=value` per line, ordered by name. The table of libtpu is what an XLA dump of that
//! version writes (`*.flagfile`). The table of jaxlib has the fields of `xla.DebugOptions` with the values that
//! jaxlib sets.

use super::closest::{LetterCounts, edit_distance};
use crate::analysis::comm::suggested_flags::{CHECKED_GPU, CHECKED_TPU};
use xla_profile::small_sort::SmallSort;

/// A flag that a compiler has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownFlag {
    /// The name, without `--`.
    pub name: &'static str,
    /// The default, without quotes. `auto` means that the compiler decides.
    pub default: &'static str,
    /// The compiler and its version.
    pub compiler: &'static str,
}

/// All flags of the compilers whose tables are here, ordered by name.
#[derive(Clone, Debug)]
pub struct KnownFlags {
    flags: Vec<KnownFlag>,
    /// The letters of each name.
    letters: Vec<LetterCounts>,
}

/// The compilers with their tables. A process reads the flags of libtpu from `LIBTPU_INIT_ARGS`, and those of jaxlib
/// from `XLA_FLAGS`.
const TABLES: [(&str, &str); 2] = [
    (CHECKED_TPU, include_str!("defaults/libtpu-0.0.51.txt")),
    (CHECKED_GPU, include_str!("defaults/jaxlib-0.10.2.txt")),
];

/// One of so many letters of a name may differ from a known name.
const LETTERS_PER_ERROR: usize = 8;

/// Returns the largest number of letters in which a known name may differ from `name`.
const fn most_errors(name: &str) -> usize {
    name.len() / LETTERS_PER_ERROR
}

impl KnownFlags {
    /// Reads the tables.
    pub fn new() -> Self {
        let mut flags: Vec<KnownFlag> =
            TABLES.into_iter().flat_map(|(compiler, text)| flags_of(compiler, text)).collect();
        // A flag that both compilers have keeps its place in the first table.
        flags.small_sort_by_key(|flag| flag.name);
        flags.dedup_by_key(|flag| flag.name);
        let letters = flags.iter().map(|flag| LetterCounts::new(flag.name)).collect();
        Self { flags, letters }
    }

    /// Returns a flag by its name. `None` if no compiler has it.
    pub fn find(&self, name: &str) -> Option<&KnownFlag> {
        let index = self.flags.binary_search_by_key(&name, |flag| flag.name).ok()?;
        self.flags.get(index)
    }

    /// Returns the flag whose name is closest to `name`. `None` if every name differs in more than a few letters.
    pub fn closest(&self, name: &str) -> Option<&KnownFlag> {
        let most = most_errors(name);
        let distance = |flag: &'_ KnownFlag| edit_distance(name, flag.name, most);
        self.candidates(name).filter_map(|flag| Some((distance(flag)?, flag))).min().map(|(_, flag)| flag)
    }

    /// Iterates over the flags whose letters do not rule out that they are close to `name`.
    fn candidates(&self, name: &str) -> impl Iterator<Item = &KnownFlag> {
        let most = most_errors(name);
        let letters = LetterCounts::new(name);
        // Names whose lengths differ by more cannot be close.
        let is_near = move |flag: &KnownFlag, counts: &LetterCounts| {
            flag.name.len().abs_diff(name.len()) <= most && letters.least_distance(counts) <= most
        };
        self.flags.iter().zip(&self.letters).filter(move |(flag, counts)| is_near(flag, counts)).map(|(flag, _)| flag)
    }
}

impl Default for KnownFlags {
    fn default() -> Self {
        Self::new()
    }
}

/// Iterates over the flags of a table.
fn flags_of(compiler: &'static str, text: &'static str) -> impl Iterator<Item = KnownFlag> {
    let flag = move |line: &'static str| {
        let (name, value) = line.strip_prefix("--")?.split_once('=')?;
        Some(KnownFlag { name, default: value.trim_matches('\''), compiler })
    };
    text.lines().filter_map(flag)
}

/// Returns whether two values of a flag mean the same. The words for on and off are equal: `true`, `1` and `enabled`.
pub(super) fn is_same_value(value: &str, other: &str) -> bool {
    let (value, other) = (value.to_ascii_lowercase(), other.to_ascii_lowercase());
    // 1 is a number unless the other value is a word.
    let switch = (value.parse::<f64>().is_err() || other.parse::<f64>().is_err()).then(|| is_on(&value));
    value == other || switch.flatten().is_some_and(|on| is_on(&other) == Some(on))
}

/// Returns whether a value switches a flag on. `None` if the value is no switch, or if it leaves the choice to the compiler.
pub(super) fn is_on(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "enabled" | "yes" | "t" | "y" => Some(true),
        "false" | "0" | "disabled" | "no" | "f" | "n" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_is_ordered_and_complete() {
        let n_flags = TABLES.map(|(compiler, text)| flags_of(compiler, text).count());
        assert_eq!(n_flags, [1474, 310]);
        for (compiler, text) in TABLES {
            // The first line names the source.
            assert_eq!(flags_of(compiler, text).count(), text.lines().count() - 1);
            assert!(text.starts_with("# ") && text.contains(compiler));
            assert!(flags_of(compiler, text).is_sorted_by_key(|flag| flag.name), "{compiler}");
        }
    }

    #[test]
    fn defaults_are_found_without_quotes() {
        let known = KnownFlags::new();
        let value = |name: &str| known.find(name).map(|flag| (flag.compiler, flag.default));
        assert_eq!(value("xla_enable_async_all_reduce"), Some(("libtpu 0.0.51", "false")));
        assert_eq!(value("xla_tpu_enable_async_collective_fusion"), Some(("libtpu 0.0.51", "true")));
        assert_eq!(value("xla_gpu_enable_pipelined_reduce_scatter"), Some(("jaxlib 0.10.2", "true")));
        assert_eq!(value("xla_tpu_all_reduce_latency_bound_threshold_in_bytes"), None);
    }

    #[test]
    fn names_with_typing_errors_are_recognised() {
        let known = KnownFlags::new();
        let closest = |name: &str| known.closest(name).map(|flag| flag.name);
        let typed = "xla_gpu_enable_latency_hidding_scheduler";
        assert_eq!(closest(typed), Some("xla_gpu_enable_latency_hiding_scheduler"));
        assert_eq!(closest("xla_tpu_does_not_exist_at_all"), None);
        assert_eq!(closest(""), None);
    }

    /// A file may have thousands of unknown names, and each is compared with more than a thousand known ones.
    #[test]
    fn the_edit_distance_is_computed_for_few_names() {
        let known = KnownFlags::new();
        for name in ["xla_tpu_enable_async_collective_fuzion_17", "xla_tpu_does_not_exist_at_all", "xla_gpu_enable_x"] {
            let n_candidates = known.candidates(name).count();
            assert!(n_candidates <= known.flags.len() / 50, "{name}: {n_candidates}");
        }
        for flag in known.flags.iter().step_by(7) {
            let typed = format!("{}x", flag.name);
            assert_eq!(known.closest(&typed).map(|found| strsim::levenshtein(&typed, found.name)), Some(1), "{typed}");
        }
    }

    #[test]
    fn words_for_on_are_equal() {
        assert!(is_same_value("1", "true") && is_same_value("True", "true") && is_same_value("enabled", "true"));
        assert!(!is_same_value("auto", "true") && !is_same_value("1", "2") && !is_same_value("0", "true"));
        assert!(is_same_value("4194304", "4194304") && is_same_value("1", "1") && !is_same_value("1", "0"));
    }
}
