//! This module turns values over time into areas: one for each stretch of time in which there are values.

use super::viewport::Viewport;
use crate::analysis::timeline::{PictureQuery, SeriesColumn, SeriesPicture};

/// The place of an area, in px.
#[derive(Clone, Copy, Debug)]
pub struct AreaPlace {
    /// The visible part of the axis, which begins at `left` and is `width` px wide.
    pub view: Viewport,
    pub left: f64,
    pub width: f64,
    /// The value 0 is at `bottom`, and the value at the top of the lane `height` above it.
    pub bottom: f64,
    pub height: f64,
}

/// Returns the corners of the areas below a value of each column, such as its mean. Columns outside of the visible part are
/// left out.
pub fn areas(
    picture: &SeriesPicture,
    query: &PictureQuery,
    place: AreaPlace,
    value: fn(SeriesColumn) -> f32,
) -> Vec<Vec<(f64, f64)>> {
    let mut all: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut area: Vec<(f64, f64)> = Vec::new();
    let close = |area: &mut Vec<(f64, f64)>, all: &mut Vec<Vec<(f64, f64)>>| {
        if let (Some((first, _)), Some((last, _))) = (area.first().copied(), area.last().copied()) {
            area.extend([(last, place.bottom), (first, place.bottom)]);
            all.push(std::mem::take(area));
        }
    };
    for (number, column) in (0..).zip(picture.read()) {
        let time = |number: u64| query.start.0.saturating_add(query.column.0.saturating_mul(number));
        let (start, end) = (time(number), time(number + 1));
        if end <= place.view.start || start >= place.view.end {
            continue;
        }
        let value = f64::from(value(column));
        if value.is_nan() {
            close(&mut area, &mut all);
            continue;
        }
        let side = |time: u64| place.left + place.view.x(time, place.width).clamp(0.0, place.width);
        let share = if picture.top > 0.0 { (value / picture.top).clamp(0.0, 1.0) } else { 0.0 };
        let y = place.bottom - share * place.height;
        // Columns of the same height are one side of the area.
        match area.last_mut() {
            Some(last) if last.1 == y => last.0 = side(end),
            _ => area.extend([(side(start), y), (side(end), y)]),
        }
    }
    close(&mut area, &mut all);
    all
}

/// Returns the highest value of a column.
pub const fn highest(column: SeriesColumn) -> f32 {
    column.max
}

/// Returns the mean of a column.
pub const fn mean(column: SeriesColumn) -> f32 {
    column.mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::units::Picos;

    #[test]
    fn values_are_areas_above_the_time_that_has_them() {
        let columns = [[1.0, 1.0, 1.0], [1.0, 3.0, 1.0], [2.0, 2.0, 2.0], [f32::NAN; 3], [4.0, 4.0, 4.0]];
        let bytes = columns.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let picture = SeriesPicture { top: 4.0, columns: bytes, ..SeriesPicture::default() };
        let query = PictureQuery { start: Picos(100), column: Picos(10), n_columns: 5, ..PictureQuery::default() };
        let view = Viewport { start: 100, end: 150 };
        let place = AreaPlace { view, left: 0.0, width: 50.0, bottom: 40.0, height: 40.0 };
        let means = areas(&picture, &query, place, mean);
        let first = vec![(0.0, 30.0), (20.0, 30.0), (20.0, 20.0), (30.0, 20.0), (30.0, 40.0), (0.0, 40.0)];
        let last = vec![(40.0, 0.0), (50.0, 0.0), (50.0, 40.0), (40.0, 40.0)];
        assert_eq!(means, [first, last]);
        let most = areas(&picture, &query, place, highest);
        assert_eq!(most[0][2], (10.0, 10.0), "the highest value of the second column");
        let later = AreaPlace { view: Viewport { start: 140, end: 160 }, ..place };
        assert_eq!(areas(&picture, &query, later, mean).len(), 1);
    }
}
