//! This module finds where a figure changes for good over many captures. Only captures that can be compared take part.

use super::report::{CaptureFigure, CaptureRow, CapturesSeries, SeriesChange, SeriesMark};
use crate::analysis::base::Spread;
use crate::analysis::compare::{BAND, ChangePoint, figure_series};
use xla_profile::units::Picos;

/// The fewest steps of which quartiles are drawn.
const MIN_STEPS: usize = 4;

/// Returns a figure over all captures in `order`. `usual` is one of those that can be compared with most others.
pub fn captures_series(
    rows: &[CaptureRow],
    order: &[u32],
    usual: Option<u32>,
    figure: CaptureFigure,
) -> CapturesSeries {
    let usual = usual.map(|index| &rows[index as usize]);
    let mark = |index: &u32| {
        let row = &rows[*index as usize];
        SeriesMark {
            capture: *index,
            value: value(row, figure),
            spread: spread(row).filter(|_| figure == CaptureFigure::StepTime),
            is_comparable: usual.is_some_and(|usual| usual.is_comparable(row)),
            is_partial: row.summary().is_some_and(|summary| summary.is_partial),
        }
    };
    let marks: Vec<SeriesMark> = order.iter().map(mark).collect();
    // A partial capture may lack the steps that are slow, so it says nothing of a change.
    let is_whole = |mark: &SeriesMark| mark.is_comparable && !mark.is_partial && mark.value.is_some();
    let whole: Vec<u32> = (0..).zip(&marks).filter(|(_, mark)| is_whole(mark)).map(|(index, _)| index).collect();
    let values = whole.iter().map(|index| marks[*index as usize].value).collect();
    let found = figure_series(figure.name(), figure.unit(), values, BAND);
    let change = |ChangePoint { first_after: after_mark, before, after }: &ChangePoint| {
        let last_before = whole[after_mark.saturating_sub(1) as usize];
        SeriesChange {
            first_after: whole[*after_mark as usize],
            last_before,
            before: *before,
            after: *after,
            cause: None,
        }
    };
    let changes = found.changes.iter().map(change).collect();
    CapturesSeries { figure, is_by_time: true, marks, changes }
}

fn value(row: &CaptureRow, figure: CaptureFigure) -> Option<f64> {
    match figure {
        CaptureFigure::StepTime => row.median_ps,
        _ => row.figure(figure.name()),
    }
}

/// Returns the first and third quartile of the steps.
fn spread(row: &CaptureRow) -> Option<(f64, f64)> {
    let summary = row.summary()?;
    let periods = &summary.point.head.periods_ps;
    if periods.is_empty() && summary.point.head.n_steps as usize >= MIN_STEPS {
        return summary.quartiles_ps;
    }
    let spread = Spread::new(periods.iter().map(|period| Picos(*period)).collect())?;
    (periods.len() >= MIN_STEPS).then_some((spread.quartiles[0], spread.quartiles[1]))
}
