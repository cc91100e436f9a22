//! This module selects the marks of the chart: rows with their positions, and sums. It does not depend on pixels.

use super::work_group::WorkGroup;
use crate::analysis::roofline::{Level, RooflineFigures, RooflinePosition};
use crate::protocol::RooflineHead;
use crate::protocol::url::roofline::RoofBy;
use xla_profile::units::Picos;

/// A mark of the chart: a row, or a sum of many rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    pub name: String,
    /// Key of the row in selections; empty for a sum.
    pub key: String,
    /// Group that gives the mark its shape; `None` for a sum, which is a hollow diamond.
    pub group: Option<WorkGroup>,
    /// FLOP per byte of the selected memory.
    pub x: f64,
    /// FLOP/s.
    pub y: f64,
    /// Figures of the row in the roofline model.
    pub roof: RooflinePosition,
    /// Potential savings of this row and of all rows with larger savings, divided by all potential savings.
    pub cumulative: Option<f64>,
}

/// The marks of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dots {
    /// Rows, most time first, then sums.
    pub all: Vec<Dot>,
    /// Number and time of rows without a position on logarithmic axes: they have no FLOPs, no bytes of the selected
    /// memory, or too little time for a rate.
    pub unplottable: (u32, Picos),
    /// Number and time of rows with a roof that the report does not send for the chart.
    pub more: (u32, Picos),
}

impl Dots {
    /// Returns the number of rows in `all`.
    pub fn n_rows(&self) -> usize {
        self.all.iter().filter(|dot| dot.group.is_some()).count()
    }
}

/// Creates a mark. `None` if the figures give no position on logarithmic axes.
fn dot(
    name: &str,
    key: String,
    group: Option<WorkGroup>,
    roof: &RooflinePosition,
    level: Level,
    cumulative: Option<f64>,
) -> Option<Dot> {
    let (x, y) = (roof.intensity_of(level)?, roof.flop_rate()?);
    let has_place = x.is_finite() && y.is_finite() && x > 0.0 && y > 0.0;
    has_place.then(|| Dot { name: name.to_owned(), key, group, x, y, roof: roof.clone(), cumulative })
}

/// Selects the marks of a report.
pub fn dots(head: &RooflineHead, by: RoofBy, level: Level) -> Dots {
    let mut dots = Dots { more: head.more, ..Dots::default() };
    let mut add = |found: Option<Dot>, time: Picos| match found {
        Some(found) => dots.all.push(found),
        None => dots.unplottable = (dots.unplottable.0 + 1, dots.unplottable.1 + time),
    };
    if by == RoofBy::Step {
        for step in &head.steps {
            let name = format!("step {}", step.number);
            if let Some(roof) = &step.roof {
                add(dot(&name, step.number.to_string(), Some(WorkGroup::Other), roof, level, None), roof.total);
            }
        }
    } else {
        for point in &head.points {
            if let Some(roof) = &point.roof {
                let group = WorkGroup::from_op_group(point.op_group.as_deref());
                let found = dot(point.name(by), point.row_key(), Some(group), roof, level, point.cumulative);
                add(found.filter(|_| !roof.is_too_short(head.figures.considered)), roof.total);
            }
        }
    }
    // The sum of a single mark would have the same position as the mark.
    if dots.all.len() > 1 && (by != RoofBy::Step || head.figures.header.step == "all") {
        dots.all.extend(sums(&head.figures, level, by));
    }
    dots
}

/// Returns the sum of the window, and the sums of up to 4 programs if several programs have a roof.
fn sums(figures: &RooflineFigures, level: Level, by: RoofBy) -> Vec<Dot> {
    let mut sums = Vec::new();
    let whole = figures.header.step_text().trim_start_matches("the ").to_owned();
    let mut with_roof = figures.programs.iter().filter(|program| program.roof.is_some());
    let (first, several) = (with_roof.next(), with_roof.next().is_some());
    let name = match first.and_then(|program| program.program.as_deref()) {
        Some(program) if !several && by != RoofBy::Program => format!("{whole}, {program}"),
        _ => whole,
    };
    sums.extend(figures.step.as_ref().and_then(|roof| dot(&name, String::new(), None, roof, level, None)));
    if several && by != RoofBy::Program {
        for program in figures.programs.iter().take(4) {
            let name = program.program.as_deref().unwrap_or("no program");
            sums.extend(program.roof.as_ref().and_then(|roof| dot(name, String::new(), None, roof, level, None)));
        }
    }
    sums
}
