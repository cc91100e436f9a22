//! This module states how much of a step could at most be gained, and under which assumption. It reads the parts of an overview
//! alone, so that a report states the same.

use super::report::{KindShare, Overview};
use super::rule_id::RuleId;
use crate::analysis::gaps::GapClass;
use crate::analysis::ledger::Owner;
use crate::table::format::{counted, percent_text, time_text};
use xla_profile::units::Picos;

/// The time of a step that could be gained, per step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// The time of compute at the attainable share of its roofline.
    pub needed: Picos,
    /// The rest of compute, communication, data movement and idle time. No change of the program gains more, unless it changes what
    /// the program computes.
    pub most: Picos,
    /// Time of ops without a roofline time, and waits of a server for requests.
    pub not_judged: Picos,
    /// The part of `not_judged` in which a server waits for requests.
    pub requests: Picos,
    /// Idle time outside of the steps, in the whole capture. No step has it. `None` if it is no finding.
    pub idle_outside: Option<Picos>,
}

impl Gain {
    /// Returns the time of ops without a roofline time.
    pub const fn opaque(&self) -> Picos {
        self.not_judged.saturating_sub(self.requests)
    }
}

impl Overview {
    /// Returns the time of a step that could at most be gained.
    pub fn gain(&self) -> Gain {
        let sum = |part: fn(&KindShare) -> Picos| self.kinds.iter().map(part).sum::<Picos>();
        let outside = self.quality.iter().find(|finding| finding.rule() == RuleId::IdleOutside);
        let not_judged = sum(|kind| kind.not_judged);
        let requests = self.ledger.per_step(self.ledger.time(Owner::Gap(GapClass::Requests)));
        let (needed, lost) = (sum(|kind| kind.needed), sum(|kind| kind.lost));
        // A throttled device may still be above the attainable share of the roofline.
        let beyond = self.recoverable.saturating_sub(lost).min(needed);
        Gain {
            needed: needed.saturating_sub(beyond),
            most: lost + beyond,
            not_judged,
            requests: requests.min(not_judged),
            idle_outside: outside.and_then(|finding| finding.per_capture),
        }
    }

    /// Returns what the time that could be gained assumes, and what it leaves out, in words: "if the same ops reached 80 % of their
    /// roofline and nothing else waited; the findings can recover 12 ms of it; 3.1 % of the step is not judged, and may add to it".
    pub fn gain_assumption(&self) -> String {
        let gain = self.gain();
        let share = |time: Picos| percent_text(time.fraction_of(self.period).unwrap_or(0.0));
        let mut text = if gain.needed > Picos::ZERO {
            format!(
                "if the same ops reached {} of their roofline and nothing else waited",
                percent_text(self.ledger.attainable)
            )
        } else {
            "if nothing waited; no op has a roofline time".to_owned()
        };
        let is_noticeable =
            |time: Picos| time.fraction_of(self.period).is_some_and(|share| share >= super::rule::LEAST);
        let named = self.recoverable;
        if named > Picos::ZERO && is_noticeable(gain.most.saturating_sub(named)) {
            text += &format!("; the findings can recover {} of it", time_text(named));
        }
        let opaque = gain.opaque();
        if is_noticeable(opaque) {
            text += &format!("; {} of the {} is not judged, and may add to it", share(opaque), self.window_word());
        }
        if is_noticeable(gain.requests) {
            text += &format!("; the waits for requests, {}, are no loss", share(gain.requests));
        }
        if let Some(outside) = gain.idle_outside {
            text += &format!("; besides, the device is idle for {} outside of the steps", time_text(outside));
        }
        text
    }

    /// Returns what the findings in time together promise, in words: their recoverable time, or that it is unknown.
    pub fn findings_sum_text(&self) -> String {
        let n = counted(self.findings.len() as u64, "finding", "findings");
        let is_of_requests = |rule: RuleId| rule == RuleId::NoRequests;
        if self.recoverable > Picos::ZERO {
            let share = percent_text(self.recoverable.fraction_of(self.period).unwrap_or(0.0));
            let time = time_text(self.recoverable);
            format!("together {time} of a {}, {share}, can be recovered; no time is counted twice", self.window_word())
        } else if self.findings.iter().all(|finding| is_of_requests(finding.rule())) {
            "only more requests would fill this time".to_owned()
        } else {
            format!("{n}; how much of their time can be recovered is unknown")
        }
    }
}
