//! This module judges each flag of a text by the defaults, by the chip, and by the communication of a window.

use super::compiler::Compiler;
use super::defaults::{KnownFlag, KnownFlags, is_on, is_same_value};
use super::edit::changed;
use super::flag_rules;
use super::report::{Change, FlagMark, FlagRow, FlagsReport, Verdict};
use super::text::{FlagText, Form, Setting};
use crate::analysis::base::Platform;
use crate::analysis::comm::suggested_flags::{CHECKED_GPU, CHECKED_TPU, Flag};
use crate::analysis::comm::{Comm, Core, Execution, Primitive, PrimitiveSums};
use crate::chip::Chip;
use crate::table::format::{counted, counted_executions, percent_text, time_text};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// Share of the window for which compute must wait for a primitive before flags are worth trying.
const LEAST_STALL: f64 = 0.005;
/// The largest number of flags with a change of their own. The changed text has all changes.
const MAX_CHANGES: usize = 24;
/// The largest number of names in a row about several flags.
const LISTED: usize = 8;

/// Judges the flags of `text`. `compiler` is that of the programs of `comm`, or its platform.
pub fn evaluate_flags(text: &str, compiler: impl Into<Compiler>, comm: &Comm) -> FlagsReport {
    let evaluator = FlagEvaluator {
        text,
        flags: FlagText::read(text),
        known: KnownFlags::new(),
        compiler: compiler.into(),
        chip: comm.header.device_type.as_deref().and_then(Chip::named),
        comm,
    };
    evaluator.report()
}

struct FlagEvaluator<'a> {
    text: &'a str,
    flags: FlagText,
    known: KnownFlags,
    compiler: Compiler,
    chip: Option<&'static Chip>,
    comm: &'a Comm,
}

/// How a setting is to be changed.
#[derive(Clone, Copy)]
enum Edit {
    TakeOut,
    /// The flag is misspelled, and is written as it is meant.
    Correct,
}

/// The executions of a primitive, or of all collectives.
#[derive(Default)]
struct Executions {
    n: Count,
    /// Executions with a start and a done, or fused with compute.
    n_async: Count,
    n_sparse: Count,
}

impl FlagEvaluator<'_> {
    fn report(&self) -> FlagsReport {
        let (mut rows, mut marks) = (Vec::new(), Vec::new());
        let (mut removed, mut defaults): (Vec<&Setting>, Vec<&str>) = (Vec::new(), Vec::new());
        let later = self.later_settings();
        for (setting, later) in self.flags.settings.iter().zip(&later) {
            let (mut row, edit) = self.row(setting, *later);
            if row.verdict.is_problem() {
                marks.push(FlagMark { start: setting.start as u32, end: setting.end as u32, verdict: row.verdict });
            }
            if let Some(edit) = edit {
                removed.push(setting);
                // Each change has the whole text.
                row.change = (removed.len() <= MAX_CHANGES).then(|| self.change(setting, edit));
            }
            if row.verdict == Verdict::Default { defaults.push(&setting.name) } else { rows.push(row) }
        }
        if !defaults.is_empty() {
            rows.push(self.default_row(&defaults));
        }
        let mut added: Vec<(&str, &str)> = Vec::new();
        // A flag that was misspelled is written rightly, unless it is set again.
        for (setting, later) in self.flags.settings.iter().zip(&later) {
            if setting.form == Form::Misspelled && later.is_none() && self.known.find(&setting.name).is_some() {
                added.push((&setting.name, &setting.value));
            }
        }
        for sums in &self.comm.primitives {
            let flags = self.flags_to_try(sums);
            if !flags.is_empty() {
                rows.push(self.row_to_try(sums, &flags));
                for flag in flags {
                    added.retain(|(name, _)| *name != flag.name);
                    added.push((flag.name, flag.value));
                }
            }
        }
        rows.small_sort_by_key(|row| (row.verdict, Reverse(row.stall)));
        let is_changed = !removed.is_empty() || !added.is_empty();
        FlagsReport {
            header: self.comm.header.clone(),
            totals: self.comm.totals.clone(),
            compiler: self.compiler.known().map(str::to_owned),
            other_compiler: self.compiler.differing().map(str::to_owned),
            n_flags: self.flags.settings.len() as u32,
            n_other: self.flags.n_other as u32,
            is_cut: self.flags.is_cut,
            rows,
            marks,
            changed: is_changed.then(|| self.edited_text(&removed, &added)),
            settings: self
                .flags
                .settings
                .iter()
                .rev()
                .map(|setting| (setting.name.clone(), setting.value.clone()))
                .collect(),
            notes: self.comm.notes.clone(),
        }
    }

    /// Returns the text without some settings, and with some flags. Other values of an added flag are removed.
    fn edited_text(&self, removed: &[&Setting], added: &[(&str, &str)]) -> String {
        let is_replaced = |setting: &&Setting| added.iter().any(|(name, _)| *name == setting.name);
        let replaced = self.flags.settings.iter().filter(is_replaced);
        let removed: Vec<&Setting> = removed.iter().copied().chain(replaced).collect();
        changed(self.text, &removed, added)
    }

    fn change(&self, setting: &Setting, edit: Edit) -> Change {
        let (label, added) = match edit {
            Edit::TakeOut => ("Take it out", None),
            Edit::Correct => ("Correct it", Some((setting.name.as_str(), setting.value.as_str()))),
        };
        Change { label: label.to_owned(), text: self.edited_text(&[setting], added.as_slice()) }
    }

    /// Returns for each setting the next one of the same flag. `None` if there is none.
    fn later_settings(&self) -> Vec<Option<&Setting>> {
        let mut next: FxHashMap<&str, &Setting> = FxHashMap::default();
        let settings = self.flags.settings.iter().rev();
        let mut later: Vec<Option<&Setting>> = settings.map(|setting| next.insert(&setting.name, setting)).collect();
        later.reverse();
        later
    }

    /// Returns the verdict about a setting, and how the setting is to be changed. `later` is the next setting of the
    /// same flag.
    fn row(&self, setting: &Setting, later: Option<&Setting>) -> (FlagRow, Option<Edit>) {
        let (name, value) = (setting.name.as_str(), setting.value.as_str());
        let primitive = flag_rules::primitive(name);
        let row = |verdict: Verdict, text: String, edit: Option<Edit>| {
            let stall = primitive.map(|primitive| self.stall(primitive));
            let row = FlagRow { verdict, flags: vec![name.to_owned()], text, primitive, stall, change: None };
            (row, edit)
        };
        if let Some(later) = later.filter(|later| !is_same_value(&later.value, value)) {
            let text = format!("It is set twice, to {value} and to {}. The last value counts.", later.value);
            return row(Verdict::Conflict, text, Some(Edit::TakeOut));
        }
        if later.is_some() {
            return row(Verdict::NoEffect, "It is set again later, to the same value.".to_owned(), Some(Edit::TakeOut));
        }
        let Some(known) = self.known.find(name) else {
            let closest = self.known.closest(name);
            let question = closest.map_or_else(String::new, |flag| format!(" Did you mean {}?", flag.name));
            let text = format!(
                "{CHECKED_TPU} and {CHECKED_GPU} do not have this flag, and a compiler stops at a flag that it does not have.{question}"
            );
            return match self.compiler.differing() {
                // The run did not stop, so its compiler may have the flag.
                Some(other) => {
                    row(Verdict::Unknown, format!("{text} The capture is of {other}, which may have it."), None)
                }
                None => row(Verdict::Unknown, text, Some(Edit::TakeOut)),
            };
        };
        if setting.form == Form::Misspelled {
            let written = self.text.get(setting.start..setting.end).unwrap_or_default();
            let meant = Form::Option.text(name, value);
            let text = format!("{written} is no flag, and a compiler stops at it. Did you mean {meant}?");
            return row(Verdict::Refused, text, Some(Edit::Correct));
        }
        if let Some(other) =
            flag_rules::platform(name).filter(|other| self.compiler.platform.is_some_and(|own| own != *other))
        {
            let text = format!(
                "It is a flag for {}s, and this capture is of a {}.",
                platform_name(other),
                self.own_platform()
            );
            return row(Verdict::NoEffect, text, Some(Edit::TakeOut));
        }
        let is_on = is_on(value);
        if let Some(chip) = self.chip.filter(|chip| is_on == Some(true) && flag_rules::is_refused(name, chip)) {
            let text = format!("The compiler for {} does not accept it (checked with {}).", chip.name, known.compiler);
            return row(Verdict::Refused, text, Some(Edit::TakeOut));
        }
        if is_on == Some(true)
            && let Some(other) = flag_rules::excluded(name)
            && self.is_on(&other)
        {
            let text = format!("It excludes {other}, which is on too. Keep one of the two.");
            return row(Verdict::Conflict, text, Some(Edit::TakeOut));
        }
        if is_same_value(value, known.default) {
            return row(Verdict::Default, String::new(), None);
        }
        if let Some(needed) = flag_rules::needed(name).filter(|needed| self.is_off(needed)) {
            let text = format!("It needs {needed}, which is off.");
            return row(Verdict::NoEffect, text, Some(Edit::TakeOut));
        }
        let (verdict, text) = match is_on {
            Some(true) if flag_rules::is_seen_in_collectives(name) => self.effect(name, primitive),
            _ => (Verdict::Set, default_text(value, known)),
        };
        row(verdict, text, None)
    }

    /// Returns what the capture shows of a flag that decides how collectives run.
    fn effect(&self, name: &str, primitive: Option<Primitive>) -> (Verdict, String) {
        let seen = self.executions(primitive);
        let names = primitive.map_or(("collective", "collectives"), plural);
        if seen.n == 0 {
            return (Verdict::NoEffect, format!("No {} runs here.", names.0));
        }
        let all = counted_executions(seen.n, names.0, names.1);
        let hidden = self.hidden(primitive);
        let share =
            hidden.map(|share| format!("{} of their time in flight is hidden behind compute", percent_text(share)));
        let share = share.unwrap_or_else(|| "their time in flight is unknown".to_owned());
        if flag_rules::is_offload(name) {
            return if seen.n_sparse > 0 {
                let sparse = counted_executions(seen.n_sparse, names.0, names.1);
                (Verdict::Working, format!("{sparse} run on a SparseCore; {share}."))
            } else {
                (Verdict::NoEffect, format!("None of {all} runs on a SparseCore."))
            };
        }
        if self.compiler.platform == Some(Platform::Gpu) {
            return match hidden {
                Some(0.0) => (Verdict::NoEffect, format!("Nothing of {all} is hidden behind compute.")),
                Some(_) => (Verdict::Working, format!("{all}: {share}.")),
                None => (Verdict::Set, format!("{all}: {share}.")),
            };
        }
        if seen.n_async > 0 {
            let text =
                format!("{} of {all} are asynchronous; {share}.", crate::table::format::executions(seen.n_async));
            return (Verdict::Working, text);
        }
        (Verdict::NoEffect, format!("All of {all} are synchronous."))
    }

    /// Returns the flags to try for a primitive that have another value now.
    fn flags_to_try(&self, sums: &PrimitiveSums) -> Vec<Flag> {
        let window = self.comm.header.step_duration.unwrap_or_default();
        let share = sums.traffic.stall.fraction_of(window);
        if share.is_some_and(|share| share < LEAST_STALL) {
            return Vec::new();
        }
        let suggestions = sums.suggestions(self.comm.header.device_type.as_deref());
        let is_new = |flag: &Flag| {
            let value = self.flags.effective(&self.known, flag.name);
            value.is_some_and(|value| !is_same_value(value, flag.value))
        };
        suggestions.into_iter().filter(is_new).collect()
    }

    fn row_to_try(&self, sums: &PrimitiveSums, flags: &[Flag]) -> FlagRow {
        let (one, many) = plural(sums.primitive);
        let share = self.comm.header.step_duration.and_then(|window| sums.traffic.stall.fraction_of(window));
        let share = share.map_or_else(String::new, |share| format!(" ({} of the time)", percent_text(share)));
        let hidden = sums.traffic.overlap.share();
        let hidden = hidden
            .map_or_else(String::new, |share| format!("; {} of the time in flight is hidden", percent_text(share)));
        let value = |flag: &Flag| self.flags.effective(&self.known, flag.name).unwrap_or(flag.default);
        let values: Vec<&str> = flags.iter().map(value).collect();
        let words = if values.len() == 1 { "The value is" } else { "The values are" };
        let text = format!(
            "Compute waits {} for {}{share}{hidden}. {words} {} now.",
            time_text(sums.traffic.stall),
            counted_executions(sums.traffic.n, one, many),
            values.join(", "),
        );
        let label = if flags.len() == 1 { "Add it" } else { "Add them" };
        let added: Vec<(&str, &str)> = flags.iter().map(|flag| (flag.name, flag.value)).collect();
        FlagRow {
            verdict: Verdict::ToTry,
            flags: flags.iter().map(|flag| format!("{}={}", flag.name, flag.value)).collect(),
            text,
            primitive: Some(sums.primitive),
            stall: Some(sums.traffic.stall),
            change: Some(Change { label: label.to_owned(), text: self.edited_text(&[], &added) }),
        }
    }

    fn default_row(&self, names: &[&str]) -> FlagRow {
        let more = names.len().saturating_sub(LISTED);
        let more = if more == 0 { String::new() } else { format!(" {more} more are not listed.") };
        let n = counted(names.len() as u64, "flag has its", "flags have their");
        FlagRow {
            verdict: Verdict::Default,
            flags: names.iter().take(LISTED).map(|name| (*name).to_owned()).collect(),
            text: format!("{n} default value, so without them nothing changes.{more}"),
            primitive: None,
            stall: None,
            change: None,
        }
    }

    fn is_on(&self, name: &str) -> bool {
        self.flags.effective(&self.known, name).and_then(is_on) == Some(true)
    }

    fn is_off(&self, name: &str) -> bool {
        self.flags.effective(&self.known, name).and_then(is_on) == Some(false)
    }

    fn own_platform(&self) -> &'static str {
        self.compiler.platform.map_or("device", platform_name)
    }

    /// Returns the time for which compute waits for a primitive.
    fn stall(&self, primitive: Primitive) -> Picos {
        let sums = self.comm.primitives.iter().filter(|sums| sums.primitive == primitive && sums.core == Core::Tensor);
        sums.map(|sums| sums.traffic.stall).sum()
    }

    /// Returns the share of the time in flight that is hidden behind compute. `None` if nothing is in flight.
    fn hidden(&self, primitive: Option<Primitive>) -> Option<f64> {
        let Some(primitive) = primitive else { return self.comm.tensor.overlap.share() };
        let mut sums = self.comm.primitives.iter().filter(|sums| sums.primitive == primitive);
        sums.find_map(|sums| sums.traffic.overlap.share())
    }

    fn executions(&self, primitive: Option<Primitive>) -> Executions {
        let mut found = Executions::default();
        for row in self.comm.rows.iter().filter(|row| primitive.is_none() || row.primitive == primitive) {
            found.n += row.n;
            if matches!(row.execution, Execution::Async | Execution::Fused) {
                found.n_async += row.n;
            }
            if row.core == Core::Sparse {
                found.n_sparse += row.n;
            }
        }
        found
    }
}

fn platform_name(platform: Platform) -> &'static str {
    match platform {
        Platform::Tpu => "TPU",
        Platform::Gpu => "GPU",
        Platform::Cpu => "CPU",
    }
}

fn default_text(value: &str, known: &KnownFlag) -> String {
    let default = if known.default.is_empty() { "empty" } else { known.default };
    let value = if value.is_empty() { "empty" } else { value };
    format!("{value}; the default of {} is {default}.", known.compiler)
}

/// Returns the name of a primitive for one execution and for several.
fn plural(primitive: Primitive) -> (&'static str, &'static str) {
    match primitive {
        Primitive::AllReduce => ("all-reduce", "all-reduces"),
        Primitive::AllGather => ("all-gather", "all-gathers"),
        Primitive::ReduceScatter => ("reduce-scatter", "reduce-scatters"),
        Primitive::AllToAll => ("all-to-all", "all-to-alls"),
        Primitive::RaggedAllToAll => ("ragged all-to-all", "ragged all-to-alls"),
        Primitive::Permute => ("collective permute", "collective permutes"),
        Primitive::Broadcast => ("broadcast", "broadcasts"),
        Primitive::Send => ("send", "sends"),
        Primitive::Recv => ("receive", "receives"),
        Primitive::Unknown => ("collective", "collectives"),
        Primitive::Copy => ("copy", "copies"),
        Primitive::Slice => ("slice", "slices"),
    }
}
