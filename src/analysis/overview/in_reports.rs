//! This module divides an overview into what a report holds, and what follows from the rules: texts, thresholds and
//! advice.

use super::flags::flag_try;
use super::picture::ShownStep;
use super::report::{Checked, Finding, Overview, SkippedRule, Suggestion};
use super::rule::Rule;
use super::rule_id::RuleId;
use super::rules;
use crate::analysis::comm::suggested_flags;

fn rule(id: RuleId) -> &'static Rule {
    // A test checks that each id has a rule.
    rules().find(|rule| rule.id == id).unwrap_or(&super::callbacks::RULES[0])
}

impl Finding {
    /// Returns the finding of a rule without numbers and evidence.
    pub fn of_rule(id: RuleId) -> Self {
        rule(id).empty_finding()
    }

    /// Returns which of the advice of its rule the finding gives, as bits, and the names of the flags that come first.
    pub fn advice(&self) -> (u64, Vec<String>) {
        let of_rule = rule(self.rule()).advice();
        let is_given = |advice: &Suggestion| self.tries.iter().any(|own| own.flag.is_none() && own.text == advice.text);
        let given = of_rule.iter().take(64).enumerate().filter(|(_, advice)| is_given(advice));
        let bits = given.fold(0, |bits, (position, _)| bits | 1_u64 << position);
        (bits, self.tries.iter().filter_map(|advice| advice.flag.clone()).collect())
    }

    /// Sets the advice by what [`Finding::advice`] returns. `chip` is the chip of the flags. Without bits, the finding
    /// gets the advice of its rule that holds in all cases.
    pub fn set_advice(&mut self, bits: Option<u64>, flags_first: &[String], chip: Option<&str>) {
        let rule = rule(self.rule());
        let known = flags_first.iter().filter_map(|name| suggested_flags::named(name));
        let bits = bits.unwrap_or_else(|| rule.unconditional_advice());
        let of_rule = rule.advice().into_iter().take(64).enumerate().filter(|(position, _)| bits >> position & 1 == 1);
        self.tries = known.map(|flag| flag_try(&flag, chip)).chain(of_rule.map(|(_, advice)| advice)).collect();
    }
}

impl Checked {
    /// Returns the entry of a rule without numbers.
    pub fn of_rule(id: RuleId) -> Self {
        rule(id).checked(0.0, None)
    }
}

impl SkippedRule {
    /// Returns the entry of a rule without a reason.
    pub fn of_rule(id: RuleId) -> Self {
        rule(id).skipped(String::new())
    }
}

impl Overview {
    /// Returns the overview as a report gives it back: without the numbers in formulas, the pictures of times, notes,
    /// guesses and the user's flags.
    #[must_use]
    pub fn as_in_report(mut self) -> Self {
        self.notes.clear();
        self.model_guess = None;
        self.chip_guess = None;
        self.lacks_peaks = false;
        self.shown_step = ShownStep::default();
        self.figures.iter_mut().for_each(|figure| figure.inputs.clear());
        self.all_findings().for_each(|finding| {
            finding.inputs.clear();
            finding.evidence.picture = None;
            finding.evidence.ops.iter_mut().for_each(|op| (op.n_alike, op.self_time) = (1, None));
            finding.evidence.spans.clear();
            finding.evidence.op_keys.clear();
            finding.evidence.kind = None;
            finding.tries.iter_mut().for_each(|advice| advice.set = None);
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::RuleId;

    #[test]
    fn each_id_has_one_rule() {
        let n_rules = |id: RuleId| rules().filter(|rule| rule.id == id).count();
        assert_eq!(RuleId::ALL.map(n_rules), [1; RuleId::ALL.len()]);
    }
}
