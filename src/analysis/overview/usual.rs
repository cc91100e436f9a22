//! This module says which values of figures are small or large, by the thresholds of rules, so that a figure and its finding agree.

use super::figures::{Figure, FigureId, Unit, shown_figures};
use super::rule::{LEAST, Rule};
use super::rules;
use crate::table::format::percent_text;

/// Returns from which value on a rule makes a finding of a figure: "from 3.0 % on, by the rule “Exposed collectives”". `None` if no
/// rule does.
pub(super) fn finding_from(id: FigureId) -> Option<String> {
    let (_, texts) = shown_figures().find(|(other, _)| *other == id)?;
    let rule = rules().find(|rule| Some(rule.id) == texts.rule)?;
    let Rule { threshold, unit: Unit::Fraction, name, .. } = rule else { return None };
    Some(format!("from {} on, by the rule “{name}”", percent_text(*threshold)))
}

impl Figure {
    /// Returns whether the figure is a share of time that is too small for any finding.
    pub fn is_slight(&self) -> bool {
        let is_loss = matches!(
            self.id,
            FigureId::Idle | FigureId::HostWaits | FigureId::ExposedCommunication | FigureId::DeviceSpread
        );
        is_loss && self.value.is_some_and(|value| value < LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_with_a_rule_give_its_threshold() {
        let exposed = finding_from(FigureId::ExposedCommunication);
        assert_eq!(exposed.as_deref(), Some("from 3.0 % on, by the rule “Exposed collectives”"));
        let ruled = || shown_figures().filter(|(_, texts)| texts.rule.is_some());
        assert!(ruled().count() > 3 && ruled().all(|(id, _)| finding_from(id).is_some()));
        assert_eq!(finding_from(FigureId::HardwareMfu), None);
    }

    #[test]
    fn only_time_that_no_rule_would_report_is_slight() {
        let is_slight = |id, value| Figure { value, ..Figure::unknown(id, None) }.is_slight();
        assert!(is_slight(FigureId::Idle, Some(0.0)) && is_slight(FigureId::DeviceSpread, Some(0.000_7)));
        assert!(!is_slight(FigureId::Idle, Some(LEAST)) && !is_slight(FigureId::HardwareMfu, Some(0.0)));
        assert!(!is_slight(FigureId::Idle, None), "what is unknown is not small");
    }
}
