//! This module defines the figures above a view: a value with its label, its unit and the formula behind it.

use super::tip::row;
use crate::table::format::{self, ABSENT};
use xla_profile::units::Picos;

/// Explanation of a figure: the formula and its inputs. The ⊜ button beside the figure opens it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    /// Formula, such as "Idle = window − time with an op".
    pub formula: String,
    /// Labels and values: the inputs, the result, and anything left out.
    pub rows: Vec<(String, String)>,
}

/// One figure: a label, a value and its explanation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    pub label: String,
    pub value: String,
    /// Unit; empty for counts.
    pub unit: &'static str,
    /// Part of the time that the figure covers, if not all of it: "of 24.05 ms compute".
    pub scope: Option<String>,
    /// The assumption on which the figure rests, in a line below it.
    pub note: Option<String>,
    /// Explanation of the figure.
    pub how: Formula,
}

impl Figure {
    /// Returns whether the value is zero, or too small for its digits. Such figures step back.
    pub fn is_slight(&self) -> bool {
        self.value == "0" || self.value.starts_with('<')
    }
}

/// The row of figures above a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readout {
    /// Figure with the most prominence.
    pub hero: Figure,
    /// Figures beside the hero figure.
    pub main: Vec<Figure>,
    /// Figures at the far end of the row. A narrow row drops these first.
    pub side: Vec<Figure>,
}

/// Builds a figure with its formula and the rows of its explanation.
pub(in crate::chart) fn figure(
    label: impl Into<String>,
    (value, unit): (String, &'static str),
    formula: &str,
    rows: Vec<(String, String)>,
) -> Figure {
    let how = Formula { formula: formula.to_owned(), rows };
    Figure { label: label.into(), value, unit, how, ..Figure::default() }
}

/// Returns a fraction as a percentage and its unit. `None` gives the sign for an absent value, without a unit.
pub(in crate::chart) fn share_figure(value: Option<f64>) -> (String, &'static str) {
    value.map_or_else(|| (ABSENT.to_owned(), ""), |share| (format::percent(share), "%"))
}

/// Marks a figure above 100 % of a limit, such as the peak of the device.
pub(in crate::chart) fn mark_above(mut figure: Figure, limit: &str) -> Figure {
    figure.value = format!("▲ {}", figure.value);
    figure.scope = Some(format!("above the {limit}"));
    let reason = format!("Costs are estimated too high, or the {limit} is that of another chip.");
    figure.how.rows.push(row("▲ Above 100 %", reason));
    figure
}

/// Returns a time in a rounded form and in picoseconds: "1.00 ms = 1,000,000,000 ps".
pub(in crate::chart) fn exact(time: Picos) -> String {
    format!("{} = {}", format::time_text(time), format::exact_time(time))
}
