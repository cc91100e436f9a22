//! This module computes the virtual rows of a long table: the rows that exist in the document. It works on heights and
//! counts.
//!
//! ```text
//!   row 0 ┄┄┄┄┄┄┄┄┄┄
//!         ┄┄┄┄┄┄┄┄┄┄  ┐
//!   ┌ viewport ────┐  │ rendered: the visible rows, and OVERSCAN rows on either side
//!   └──────────────┘  │
//!         ┄┄┄┄┄┄┄┄┄┄  ┘
//! ```

use std::ops::Range;

/// Number of rows rendered beyond each edge, so that a quick scroll does not show empty space.
pub const OVERSCAN: u32 = 8;
/// Number of rows per request to the worker.
pub const PAGE: u32 = 128;
/// Number of pages kept in memory. The pages farthest from the view are dropped first.
pub const KEEP: usize = 24;

/// Returns the rows to render if `top..bottom` (px) of a list of `rows` rows is visible.
pub fn rendered(rows: u32, row_height: f64, top: f64, bottom: f64) -> Range<u32> {
    if row_height <= 0.0 || bottom <= top {
        return 0..0;
    }
    let first = to_row(top / row_height).saturating_sub(OVERSCAN).min(rows);
    let last = to_row((bottom / row_height).ceil()).saturating_add(OVERSCAN).min(rows);
    first..last.max(first)
}

/// Converts a float to a row number; values out of range saturate.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, which is what is wanted")]
fn to_row(value: f64) -> u32 {
    value as u32
}

/// Returns the number of rows that Page Down moves by: one less than the number of whole rows that fit, at least 1.
pub fn page_step(height: f64, row_height: f64) -> u32 {
    if row_height > 0.0 { to_row(height / row_height).max(2) - 1 } else { 1 }
}

/// Returns the first row of each page that contains a part of `rows`.
pub fn pages(rows: Range<u32>) -> impl Iterator<Item = u32> {
    let first = rows.start / PAGE * PAGE;
    (first..rows.end).step_by(PAGE as usize).filter(move |_| !rows.is_empty())
}

/// Returns the page farthest from the middle of `rows`. `None` if there are at most [`KEEP`] pages.
pub fn farthest(pages: impl ExactSizeIterator<Item = u32>, rows: &Range<u32>) -> Option<u32> {
    let far = pages.len() > KEEP;
    let middle = u64::from(rows.start).midpoint(u64::from(rows.end));
    pages.filter(|_| far).max_by_key(|page| middle.abs_diff(u64::from(*page)))
}

/// Returns the distance that a scroller must move, so that `top..bottom` of its content is within `0..height`. In px;
/// negative upwards.
pub fn reveal(top: f64, bottom: f64, height: f64) -> f64 {
    if top < 0.0 {
        top
    } else if bottom > height {
        bottom - height
    } else {
        0.0
    }
}

/// A key that moves between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
}

impl Move {
    /// Returns the move for a key, given by its `KeyboardEvent.key`.
    pub fn of_key(key: &str) -> Option<Self> {
        Some(match key {
            "ArrowUp" => Self::Up,
            "ArrowDown" => Self::Down,
            "PageUp" => Self::PageUp,
            "PageDown" => Self::PageDown,
            "Home" => Self::Home,
            "End" => Self::End,
            _ => return None,
        })
    }
}

/// Returns the row after a move. `None` is the heading above row 0. `page` is the number of rows of a Page Up or Page
/// Down.
pub fn moved(from: Option<u32>, by: Move, page: u32, rows: u32) -> Option<u32> {
    let last = rows.checked_sub(1)?;
    match (by, from) {
        (Move::Up, _) => from?.checked_sub(1),
        (Move::Home, _) | (Move::Down, None) => Some(0),
        (Move::Down, Some(row)) => Some(row.saturating_add(1).min(last)),
        (Move::PageUp, _) => Some(from?.saturating_sub(page)),
        (Move::PageDown, _) => Some(from.unwrap_or(0).saturating_add(page).min(last)),
        (Move::End, _) => Some(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_rows_are_rendered_with_overscan() {
        assert_eq!(rendered(100_000, 24.0, 2400.0, 2880.0), 92..128);
        assert_eq!(rendered(100_000, 24.0, 0.0, 480.0), 0..28);
        assert_eq!(rendered(5, 24.0, 0.0, 480.0), 0..5);
        assert_eq!(rendered(5, 24.0, 9e9, 9.1e9), 5..5);
        assert_eq!(rendered(5, 0.0, 0.0, 480.0), 0..0);
        assert_eq!(rendered(5, 24.0, -480.0, -240.0), 0..5);
    }

    #[test]
    fn pages_cover_the_rows() {
        assert_eq!(pages(0..1).collect::<Vec<_>>(), [0]);
        assert_eq!(pages(127..129).collect::<Vec<_>>(), [0, 128]);
        assert_eq!(pages(5..5).count(), 0);
        assert_eq!(pages(99_990..100_000).collect::<Vec<_>>(), [99_968]);
    }

    #[test]
    fn far_pages_go_first() {
        let loaded = (0..30u32).map(|page| page * PAGE).collect::<Vec<_>>();
        assert_eq!(farthest(loaded.iter().copied(), &(0..40)), Some(29 * PAGE));
        assert_eq!(farthest(loaded.iter().copied(), &(29 * PAGE..29 * PAGE + 40)), Some(0));
        assert_eq!(farthest([0, PAGE].into_iter(), &(0..40)), None);
    }

    #[test]
    fn keys_stay_within_the_table() {
        assert_eq!(moved(Some(0), Move::Up, 10, 5), None);
        assert_eq!(moved(None, Move::Up, 10, 5), None);
        assert_eq!(moved(None, Move::Down, 10, 5), Some(0));
        assert_eq!(moved(Some(4), Move::Down, 10, 5), Some(4));
        assert_eq!(moved(Some(1), Move::PageDown, 10, 5), Some(4));
        assert_eq!(moved(Some(3), Move::PageUp, 10, 5), Some(0));
        assert_eq!(moved(Some(3), Move::End, 10, 100_000), Some(99_999));
        assert_eq!(moved(Some(3), Move::Down, 10, 0), None);
        assert_eq!([page_step(480.0, 24.0), page_step(10.0, 24.0)], [19, 1]);
    }

    #[test]
    fn reveal_moves_no_more_than_needed() {
        assert!((reveal(-10.0, 14.0, 100.0) - -10.0).abs() < 1e-9);
        assert!((reveal(90.0, 114.0, 100.0) - 14.0).abs() < 1e-9);
        assert!(reveal(10.0, 34.0, 100.0).abs() < 1e-9);
    }
}
