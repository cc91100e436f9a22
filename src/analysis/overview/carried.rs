//! This module gives the parts of an overview that follow from its rules, so that a report carries only the others.

use super::communication::BUBBLE;
use super::compute::FAR_BELOW;
use super::flags::flag_try;
use super::picture::ShownStep;
use super::report::{
    Checked, DeviceShare, Figure, Finding, Overview, Severity, SkippedRule, StepShare, Suggestion, Unit,
};
use super::rule::Rule;
use super::{figures, rules, verdict};
use crate::analysis::breakdown::{DeviceSteps, StepTime};
use crate::analysis::comm::flags;
use crate::units::Picos;

/// The largest number of steps that an overview lists. More cannot be drawn apart.
pub const MAX_STEPS: usize = 10_000;

/// The ids of all rules, in the order in which reports count them. It never changes, and a new rule is the last one, so
/// that older reports can be read.
const IN_REPORTS: [&str; 47] = [
    "input_bound",
    "host_dispatch",
    "recompile",
    "host_sync",
    "defragmentation",
    "many_launches",
    "late_peers",
    "loop_gaps",
    "unexplained_idle",
    "expert_imbalance",
    "straggler",
    "throttled",
    "small_collectives",
    "slow_link",
    "exposed_collective",
    "copy_before_dot",
    "layout_copies",
    "dma_wait",
    "recompute",
    "tiny_ops",
    "padded_compute",
    "memory_roof",
    "compute_roof",
    "opaque_kernels",
    "f32_matmul",
    "hbm_tight",
    "fragmented",
    "padding_bytes",
    "vocabulary_logits",
    "spare_hbm",
    "slow_steps",
    "varying_op",
    "truncated",
    "dropped",
    "device_missing",
    "warm_up",
    "xla_flags",
    "host_callback",
    "expanded_loop",
    "op_by_op",
    "tracing_cost",
    "no_requests",
    "unused_devices",
    "idle_outside",
    "result_copies",
    "async_calls",
    "gathers",
];

/// Number of all rules.
pub fn n_rules() -> usize {
    IN_REPORTS.len()
}

/// Returns the rule with an index in reports; the first rule if there is no such rule.
fn rule(index: usize) -> &'static Rule {
    let found = IN_REPORTS.get(index).and_then(|id| rules().find(|rule| rule.id == *id));
    // There always is a first rule.
    found.unwrap_or(&super::callbacks::RULES[0])
}

/// Returns the index in reports of the rule of a finding or of a list entry.
pub fn rule_index(id: &str) -> usize {
    let of_prefix = match id.split_once('_') {
        Some(("exposed", _)) => "exposed_collective",
        _ if id == BUBBLE => "exposed_collective",
        Some(("expanded", _)) => "expanded_loop",
        _ if id == FAR_BELOW => "memory_roof",
        _ => id,
    };
    IN_REPORTS.iter().position(|rule| *rule == id || *rule == of_prefix).unwrap_or(0)
}

impl Finding {
    /// Returns a finding of a rule without numbers and evidence.
    pub fn of_rule(index: usize) -> Self {
        rule(index).empty_finding()
    }

    /// Returns which of the advice of its rule the finding gives, as bits, and the names of the flags that come first.
    pub fn advice(&self) -> (u64, Vec<String>) {
        let of_rule = rule(rule_index(&self.id)).advice();
        let is_given = |advice: &Suggestion| self.tries.iter().any(|of| of.flag.is_none() && of.text == advice.text);
        let bits = of_rule.iter().take(64).enumerate().filter(|(_, advice)| is_given(advice));
        let bits = bits.fold(0, |bits, (at, _)| bits | 1_u64 << at);
        (bits, self.tries.iter().filter_map(|of| of.flag.clone()).collect())
    }

    /// Sets the advice by what [`Finding::advice`] returns. `chip` is the chip of the flags. Without bits, the finding
    /// gets the advice of its rule that holds in all cases.
    pub fn set_advice(&mut self, bits: Option<u64>, flags_first: &[String], chip: Option<&str>) {
        let rule = rule(rule_index(&self.id));
        let known = flags_first.iter().filter_map(|name| flags::named(name));
        let bits = bits.unwrap_or_else(|| rule.unconditional_advice());
        let of_rule = rule.advice().into_iter().take(64).enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        self.tries = known.map(|flag| flag_try(&flag, chip)).chain(of_rule.map(|(_, advice)| advice)).collect();
    }
}

impl Checked {
    /// Returns the entry of a rule without numbers.
    pub fn of_rule(index: usize) -> Self {
        rule(index).checked(0.0, None)
    }
}

impl SkippedRule {
    /// Returns the entry of a rule without a reason.
    pub fn of_rule(index: usize) -> Self {
        rule(index).skipped(String::new())
    }
}

impl Figure {
    /// Returns all figures without values.
    pub fn all_unknown() -> Vec<Self> {
        let unknown = |(name, unit): &(&str, Unit)| Self {
            name: (*name).to_owned(),
            unit: *unit,
            value: None,
            inputs: Vec::new(),
            coverage: None,
            absent: None,
        };
        figures::NAMES.iter().map(unknown).collect()
    }
}

impl Overview {
    /// Returns the word for the time that the overview is about: "step", "range" or "capture".
    pub fn window_word(&self) -> &'static str {
        match self.header.range() {
            _ if self.has_steps => "step",
            Some(_) => "range",
            None => "capture",
        }
    }

    /// Returns the guessed useful FLOPs ÷ the FLOPs that ran, if the guess is too high. `None` if it is plausible, or unknown.
    fn guess_excess(&self) -> Option<f64> {
        let size = self.model_guess?;
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let useful = size.tokens()?.checked_mul(size.flops_per_token()?)? as f64 / self.devices.len().max(1) as f64;
        let hardware = self.figures.iter().find(|figure| figure.name == "hardware_mfu")?;
        // The figures are those of one step, as the guess is.
        let (_, ran) = hardware.inputs.iter().find(|(name, _)| name == "flops")?;
        // FLOPs of attention and of embeddings are guessed, so that a small excess says nothing.
        (*ran > 0.0 && useful > 1.05 * ran).then(|| useful / ran)
    }

    /// Returns whether the guess of the useful FLOPs exceeds the FLOPs that ran, so that it cannot be right.
    pub fn is_guess_too_high(&self) -> bool {
        self.guess_excess().is_some()
    }

    /// Returns the guess of the useful FLOPs of a step as a sentence, with a warning if it exceeds the FLOPs that ran. `None`
    /// if the program does not suggest them.
    pub fn guess_sentence(&self) -> Option<String> {
        let sentence = self.model_guess?.sentence()?;
        Some(match self.guess_excess() {
            Some(ratio) => format!(
                "{sentence} That is {ratio:.2} × the FLOPs that ran, so it is too high: a token does not use all parameters, such \
                 as those of most experts."
            ),
            None => sentence,
        })
    }

    /// Sets the steps and the devices. `own` are the steps of the device, and `labels` the labels of all devices. `waited`
    /// returns for how long a device waits for the others, by its label.
    pub fn set_steps(
        &mut self,
        own: Option<&DeviceSteps>,
        labels: &mut dyn Iterator<Item = &str>,
        waited: &dyn Fn(&str) -> Option<Picos>,
    ) {
        let share = |step: &StepTime| {
            let mut parts = [Picos::ZERO; 8];
            parts[..7].copy_from_slice(&step.by_kind);
            parts[7] = step.idle;
            StepShare {
                number: step.number,
                length: step.length,
                is_counted: step.not_steady.is_none(),
                reason: step.not_steady.map(|reason| reason.label().to_owned()),
                parts,
            }
        };
        self.steps = own.map_or_else(Vec::new, |device| device.steps.iter().take(MAX_STEPS).map(share).collect());
        // The statistics are those of all steps.
        let n_steps = own.and_then(|device| device.all).map_or(0, |all| all.n);
        self.n_steps = n_steps.max(self.steps.len() as u32);
        self.devices = labels.map(|label| DeviceShare { label: label.to_owned(), waited: waited(label) }).collect();
    }

    /// Returns the overview without what reports do not carry: the numbers in formulas, the pictures of times, notes, guesses and
    /// the user's flags.
    #[must_use]
    pub fn as_carried(mut self) -> Self {
        self.notes.clear();
        self.model_guess = None;
        self.lacks_peaks = false;
        self.shown_step = ShownStep::default();
        self.figures.iter_mut().for_each(|figure| figure.inputs.clear());
        self.all_findings().for_each(|finding| {
            finding.inputs.clear();
            finding.evidence.picture = None;
            finding.evidence.spans.clear();
            finding.evidence.op_keys.clear();
            finding.evidence.kind = None;
            finding.tries.iter_mut().for_each(|of| of.set = None);
        });
        self
    }

    /// Iterates over all findings.
    pub fn all_findings(&mut self) -> impl Iterator<Item = &mut Finding> {
        let options = self.findings.iter_mut().chain(&mut self.options);
        options.chain(&mut self.memory).chain(&mut self.quality)
    }

    /// Computes the values that follow from the other values: shares, severities, some titles, the sum and the verdict.
    pub fn derive(&mut self) {
        let period = self.period;
        let share = |finding: &mut Finding| finding.share = finding.at_stake.fraction_of(period).unwrap_or(0.0);
        for findings in [&mut self.findings, &mut self.options, &mut self.memory, &mut self.quality] {
            findings.iter_mut().for_each(share);
        }
        for finding in self.findings.iter_mut().chain(&mut self.options).chain(&mut self.memory) {
            finding.severity = Severity::of_share(finding.share);
        }
        self.quality.iter_mut().for_each(|finding| finding.severity = Severity::High);
        let device = self.device.clone();
        for finding in self.all_findings() {
            if let Some(title) = verdict::title(&finding.id, &device) {
                finding.title = title;
            }
        }
        self.recoverable = self.findings.iter().map(|finding| finding.recoverable).sum();
        self.verdict = verdict::verdict(self);
    }
}

#[cfg(test)]
mod tests {
    use super::{IN_REPORTS, rule, rule_index};
    use crate::analysis::overview::rules;

    #[test]
    fn reports_count_every_rule_once() {
        let mut ids: Vec<&str> = rules().map(|rule| rule.id).collect();
        let mut counted = IN_REPORTS.to_vec();
        ids.sort_unstable();
        counted.sort_unstable();
        assert_eq!(ids, counted);
        assert!(rules().all(|of| rule(rule_index(of.id)).id == of.id));
    }
}
