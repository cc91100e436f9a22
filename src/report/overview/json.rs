//! This module writes the overview as JSON.

use crate::analysis::base::columns::{NOTES, SPREAD};
use crate::analysis::modules::columns::MODULES;
use crate::analysis::overview::Overview;
use crate::analysis::overview::columns::{
    CHECKED_RULES, CHIP_GUESS, FIGURES, FINDINGS, KIND_SHARES, MODEL_GUESS, SKIPPED_RULES, TRIES,
};
use crate::report::ledger::json::owners;
use crate::table::{Object, object};
use xla_profile::profile::Note;

/// Returns the JSON of a capture without a device that the overview can judge. The notes say why there is no overview,
/// and the verdict what the capture lost: `None` if nothing is known to be lost.
pub fn absent<'a>(head: Object<'a>, verdict: Option<&'a str>, notes: &'a [Note]) -> Object<'a> {
    object!(AbsentOverview {
        head: OwnFields = head,
        /// What the capture lost, if no device has ops. The status is then `absent`, and other fields of an overview are
        /// missing. Null if nothing is known to be lost.
        verdict: Text or null = verdict,
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}

/// Returns the JSON of `rooflight overview --json`.
pub fn overview<'a>(head: Object<'a>, overview: &'a Overview, notes: &'a [Note]) -> Object<'a> {
    let ledger = &overview.ledger;
    object!(Overview {
        head: OwnFields = head,
        /// The verdict in one or two sentences.
        verdict: Text = &overview.verdict,
        /// What to try first: the first advice of the finding that the verdict begins with. Null if it has none.
        next_step: Object(TRIES) or null = overview.next_step(),
        /// The device that all times are about.
        critical_device: Name(Device) = &overview.device,
        /// Number of steps that all times are about.
        n_steady: Count = ledger.n_steps.into(),
        /// False if the times are those of the whole capture or of `--window`.
        has_steps: Flag = overview.has_steps,
        /// Length of a step, as a mean of the periods.
        period_ps: Time = overview.period,
        /// Statistics of the periods of these steps. Null without steps.
        periods: Object(SPREAD) or null = overview.periods.as_ref(),
        /// The share of the roofline that ops are expected to attain.
        attainable: Number = ledger.attainable,
        /// The figures by name.
        figures: Map(Object(FIGURES)) = overview.figures.iter().map(|figure| (figure.id.key(), figure)),
        /// A guess of the chip, if the capture has costs of ops and does not name its chip. No figure uses it. Null if there is none.
        chip_guess: Object(CHIP_GUESS) or null = overview.chip_guess.as_ref(),
        /// A guess of the useful FLOPs from the program. No figure uses it. Null if the program is unknown.
        model_guess: Object(MODEL_GUESS) or null = overview.model_guess.as_ref(),
        /// The time of each owner per step.
        ledger: Own = owners(|owner| ledger.per_step(ledger.time(owner))),
        /// The time of a step by kind, and the part of it that the device needs.
        kinds: Rows(KIND_SHARES) = &overview.kinds,
        /// The time of a step by module of the model, phase and kind. Null in a report of version 6 or older.
        modules: Object(MODULES) or null = overview.modules.as_ref(),
        /// The time of a step that could at most be gained: the sum of `lost_ps` of `kinds`.
        to_gain_ps: Time = overview.gain().most,
        /// Sum of the recoverable times of `findings`, at most `to_gain_ps`.
        recoverable_ps: Time = overview.recoverable,
        /// Findings in time, the most recoverable one first. Times are per step.
        findings: Rows(FINDINGS) = &overview.findings,
        /// Findings that change memory, numerics or the model.
        options: Rows(FINDINGS) = &overview.options,
        /// Findings in bytes.
        memory_findings: Rows(FINDINGS) = &overview.memory,
        /// Findings about the capture itself.
        quality: Rows(FINDINGS) = &overview.quality,
        /// The rules that found nothing.
        thresholds: Rows(CHECKED_RULES) = &overview.checked,
        /// The rules that could not be checked.
        not_checked: Rows(SKIPPED_RULES) = &overview.skipped,
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}
