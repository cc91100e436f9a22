//! This module holds the flags of XLA with their defaults, for one version of each compiler.
//!
//! A table is a flag file: one `--name=value` per line, ordered by name. The table of libtpu is what an XLA dump of that
//! version writes (`*.flagfile`). The table of jaxlib has the fields of `xla.DebugOptions` with the values that
//! jaxlib sets.

use crate::analysis::comm::flags::{CHECKED_GPU, CHECKED_TPU};

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
pub struct KnownFlags(Vec<KnownFlag>);

/// The compilers with their tables. A process reads the flags of libtpu from `LIBTPU_INIT_ARGS`, and those of jaxlib
/// from `XLA_FLAGS`.
const TABLES: [(&str, &str); 2] = [
    (CHECKED_TPU, include_str!("defaults/libtpu-0.0.51.txt")),
    (CHECKED_GPU, include_str!("defaults/jaxlib-0.10.2.txt")),
];

/// One of so many letters of a name may differ from a known name.
const LETTERS_PER_ERROR: usize = 8;

impl KnownFlags {
    /// Reads the tables.
    pub fn new() -> Self {
        let mut flags: Vec<KnownFlag> =
            TABLES.into_iter().flat_map(|(compiler, text)| flags_of(compiler, text)).collect();
        // A flag that both compilers have keeps its place in the first table.
        flags.sort_by_key(|flag| flag.name);
        flags.dedup_by_key(|flag| flag.name);
        Self(flags)
    }

    /// Returns a flag by its name. `None` if no compiler has it.
    pub fn find(&self, name: &str) -> Option<&KnownFlag> {
        let at = self.0.binary_search_by_key(&name, |flag| flag.name).ok()?;
        self.0.get(at)
    }

    /// Returns the flag whose name is closest to `name`. `None` if every name differs in more than a few letters.
    pub fn closest(&self, name: &str) -> Option<&KnownFlag> {
        let most = name.len() / LETTERS_PER_ERROR;
        // Names whose lengths differ by more cannot be close.
        let near = self.0.iter().filter(|flag| flag.name.len().abs_diff(name.len()) <= most);
        let (distance, flag) = near.map(|flag| (strsim::levenshtein(name, flag.name), flag)).min()?;
        (distance <= most).then_some(flag)
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

    #[test]
    fn words_for_on_are_equal() {
        assert!(is_same_value("1", "true") && is_same_value("True", "true") && is_same_value("enabled", "true"));
        assert!(!is_same_value("auto", "true") && !is_same_value("1", "2") && !is_same_value("0", "true"));
        assert!(is_same_value("4194304", "4194304") && is_same_value("1", "1") && !is_same_value("1", "0"));
    }
}
