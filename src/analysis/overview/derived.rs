//! This module computes the parts of an overview that follow from its other parts: shares, severities, some titles, the
//! verdict, and sentences about the guess of the model.

use super::figures::{FigureId, RAN_FLOPS};
use super::report::{DeviceShare, Finding, Overview, Severity, StepShare};
use super::{usual, verdict};
use crate::analysis::breakdown::{DeviceSteps, StepTime};
use crate::analysis::roofline::Quadrant;
use xla_profile::units::Picos;

/// The largest number of steps that an overview lists. More cannot be drawn apart.
pub const MAX_STEPS: usize = 10_000;

impl Overview {
    /// Returns the word for the time that the overview is about: "step", "range" or "capture".
    pub fn window_word(&self) -> &'static str {
        match self.header.range() {
            _ if self.has_steps => "step",
            Some(_) => "range",
            None => "capture",
        }
    }

    /// Compares the use of compute and memory. `None` if one of them is unknown.
    pub fn quadrant(&self) -> Option<Quadrant> {
        let known = |id: FigureId| {
            let figure = self.figure(id)?;
            Some((figure.value?, figure.is_at_least()))
        };
        let memory = known(FigureId::HbmBandwidthMeasured).or_else(|| known(FigureId::HbmBandwidth));
        Quadrant::new(known(FigureId::HardwareMfu), memory)
    }

    /// Returns the guessed useful FLOPs ÷ the FLOPs that ran, if the guess is too high. `None` if it is plausible, or
    /// unknown.
    fn guess_excess(&self) -> Option<f64> {
        let size = self.model_guess?;
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let useful = size.tokens()?.checked_mul(size.flops_per_token()?)? as f64 / self.devices.len().max(1) as f64;
        // The figures are those of one step, as the guess is.
        let ran = self.figure(FigureId::HardwareMfu)?.input(RAN_FLOPS)?;
        // FLOPs of attention and of embeddings are guessed, so that a small excess says nothing.
        (ran > 0.0 && useful > 1.05 * ran).then(|| useful / ran)
    }

    /// Returns whether the guess of the useful FLOPs exceeds the FLOPs that ran, so that it cannot be right.
    pub fn is_guess_too_high(&self) -> bool {
        self.guess_excess().is_some()
    }

    /// Returns the guess of the useful FLOPs of a step as a sentence, with a warning if it exceeds the FLOPs that ran.
    /// `None` if the program does not suggest them.
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

    /// Sets the steps and the devices. `own` are the steps of the device, and `labels` the labels of all devices.
    /// `waited` returns for how long a device waits for the others, by its label.
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
        for figure in &mut self.figures {
            figure.finding_from = usual::finding_from(figure.id);
        }
        self.recoverable = self.findings.iter().map(|finding| finding.recoverable).sum();
        self.verdict = verdict::verdict(self);
    }
}
