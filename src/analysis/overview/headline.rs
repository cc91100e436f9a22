//! This module says in which part of the model a finding is: its modules, and source lines.
//!
//! ```text
//!  Copies and layout changes take time  +  in the experts (moe.py:28, :33)
//!  Collectives …                        +  in attention and the MLP
//!  Ops limited by memory …              +  at train.py:81             no module is known
//! ```

use super::evidence::Evidence;
use super::report::{Finding, Overview, Suggestion};
use crate::analysis::classify::ModelModule;
use crate::table::format::last_segment;
use crate::table::words::joined;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Share of the time of ops from which on one module stands for all of them.
const ONE: f64 = 0.6;
/// Share of the time of ops from which on two modules together stand for all of them.
const TWO: f64 = 0.8;
/// Largest number of source lines in a place.
const MAX_LINES: usize = 2;

/// Returns the modules that have most of the time of ops: one, or two together. Empty if no module is known, or if they are
/// more.
pub(super) fn main_modules(times: impl Iterator<Item = (ModelModule, Picos)>) -> Vec<ModelModule> {
    let mut sums = [Picos::ZERO; ModelModule::ALL.len()];
    times.for_each(|(module, time)| sums[module.index()] += time);
    let all: Picos = sums.iter().copied().sum();
    let mut modules = ModelModule::ALL;
    modules.small_sort_by_key(|module| (Reverse(sums[module.index()]), *module));
    let share = |n: usize| -> f64 {
        let time: Picos = modules.iter().take(n).map(|module| sums[module.index()]).sum();
        time.fraction_of(all).unwrap_or(0.0)
    };
    let n = if share(1) >= ONE {
        1
    } else if share(2) >= TWO {
        2
    } else {
        0
    };
    let main = &modules[..n];
    if main.contains(&ModelModule::Unknown) { Vec::new() } else { main.to_vec() }
}

impl Evidence {
    /// Returns the place in the model, to follow a title: "in the experts (moe.py:28, :33)". `None` if neither modules nor source
    /// lines are known.
    fn location_text(&self) -> Option<String> {
        let modules: Vec<&str> = self.modules.iter().map(|module| module.in_words()).collect();
        let lines = self.source_lines();
        match (modules.is_empty(), lines.is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!("at {lines}")),
            (false, true) => Some(format!("in {}", joined(&modules))),
            (false, false) => Some(format!("in {} ({lines})", joined(&modules))),
        }
    }

    /// Returns the source lines of the ops with the most time. A file that has several of them is named once.
    fn source_lines(&self) -> String {
        let mut lines: Vec<&str> = Vec::new();
        for source in self.ops.iter().filter_map(|op| op.source.as_deref()) {
            let line = last_segment(source);
            if !lines.contains(&line) && lines.len() < MAX_LINES {
                lines.push(line);
            }
        }
        let mut text = String::new();
        let mut last_file = None;
        for line in lines {
            let (file, number) = line.rsplit_once(':').unwrap_or((line, ""));
            let is_same = last_file == Some(file);
            text += if text.is_empty() { "" } else { ", " };
            if is_same {
                text += ":";
                text += number;
            } else {
                text += line;
            }
            last_file = Some(file);
        }
        text
    }
}

impl Finding {
    /// Returns the title with the place in the model, as in "Copies and layout changes take time in the experts (moe.py:28)".
    pub fn headline(&self) -> String {
        self.evidence.location_text().map_or_else(|| self.title.clone(), |place| format!("{} {place}", self.title))
    }
}

impl Overview {
    /// Returns what to try first: the first advice of the finding that the verdict begins with. `None` if it has none.
    pub fn next_step(&self) -> Option<&Suggestion> {
        let first = self.first_of_verdict()?;
        let findings = self.findings.iter().chain(&self.quality);
        findings.filter(|finding| finding.id == first).find_map(|finding| finding.tries.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::overview::OpEvidence;

    fn op(source: &str) -> OpEvidence {
        OpEvidence {
            name: "copy.1".to_owned(),
            program: None,
            program_id: None,
            source: Some(source.to_owned()),
            n_layers: 1,
            n_alike: 1,
            self_time: None,
            time: Picos(1),
        }
    }

    #[test]
    fn one_module_two_or_none() {
        use ModelModule::{Attention, Experts, Mlp, Unknown};
        let main =
            |times: &[(ModelModule, u64)]| main_modules(times.iter().map(|(module, time)| (*module, Picos(*time))));
        assert_eq!(main(&[(Attention, 30), (Mlp, 10), (Attention, 35), (Experts, 25)]), [Attention]);
        assert_eq!(main(&[(Mlp, 45), (Attention, 40), (Unknown, 15)]), [Mlp, Attention]);
        assert!(main(&[(Mlp, 40), (Attention, 30), (Experts, 30)]).is_empty(), "three share the time");
        assert!(main(&[(Unknown, 70), (Mlp, 30)]).is_empty(), "most of it has no name");
        assert!(main(&[]).is_empty());
    }

    #[test]
    fn places_in_words() {
        let evidence = |modules: &[ModelModule], sources: &[&str]| Evidence {
            modules: modules.to_vec(),
            ops: sources.iter().map(|source| op(source)).collect(),
            ..Evidence::default()
        };
        let place = |modules: &[ModelModule], sources: &[&str]| evidence(modules, sources).location_text();
        let experts = [ModelModule::Experts];
        let lines = ["/src/model/moe.py:28", "/src/model/moe.py:28", "/src/model/moe.py:33", "/src/a.py:1"];
        assert_eq!(place(&experts, &lines).as_deref(), Some("in the experts (moe.py:28, :33)"));
        assert_eq!(place(&experts, &[]).as_deref(), Some("in the experts"));
        let both = [ModelModule::Attention, ModelModule::Mlp];
        assert_eq!(place(&both, &["a.py:1", "b.py:2"]).as_deref(), Some("in attention and the MLP (a.py:1, b.py:2)"));
        assert_eq!(place(&[], &["train.py:81"]).as_deref(), Some("at train.py:81"));
        assert_eq!(place(&[], &[]), None);
    }
}
