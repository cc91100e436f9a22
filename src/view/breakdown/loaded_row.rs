//! A row of the breakdown that the page has loaded.

use crate::chart::breakdown::rows;
use crate::view::state::State;

use leptos::prelude::*;
/// Reads a row of the table, counted as it is shown: its group's place, the group, and which of its parts is meant.
pub(super) fn with_row<T>(
    state: State,
    flat: u32,
    read: impl FnOnce(u32, rows::Row<'_>, Option<u32>) -> Option<T>,
) -> Option<T> {
    let (index, part) = state.folds.with(|folds| folds.find(flat));
    let page = state.page_of(index)?;
    read(index, rows::find(&page, index)?, part)
}
