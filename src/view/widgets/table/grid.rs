//! This module holds the state of a table on screen, which its head, its rows and its keys share.

use crate::chart::widgets::table::{Column, Measure, Row};
use crate::chart::widgets::tip::Tip;
use crate::chart::widgets::virtual_rows;
use crate::table::copy::CopyForm;
use crate::table::page::Cell;
use crate::view::widgets::size::{OnSize, rect, screen};
use crate::view::widgets::tooltip::Tips;
use leptos::html;
use std::ops::Range;
use std::sync::Arc;
use web_sys::Element;

use leptos::prelude::*;
/// A function that makes a style from the columns, the sizes and the totals.
pub(super) type Layout = fn(&[Column], Measure, &[(String, String)]) -> String;

/// The keyboard's place in a table: a row (`None` is the head) and a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GridCell {
    pub(crate) row: Option<u32>,
    pub(crate) column: usize,
}

/// An action of the user on a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GridAction {
    /// Sorts by a column; with `true`, the largest value comes first.
    Sort(String, bool),
    /// Expands or collapses a row that has parts. Any other row is opened.
    Fold(u32),
    /// Opens a row, as a double click does.
    Open(u32),
    /// Selects a row, or clears its selection.
    Select(u32),
    /// Selects a row alone.
    Pick(u32),
    Hide(String),
    /// Shows a hidden column.
    Show(String),
    /// Moves a column to the left (−1) or to the right (1).
    Move(String, isize),
    /// Copies a column of all rows to the clipboard, as its cells are shown.
    Copy(String),
    /// Copies all rows to the clipboard, or the selected ones. Without a selection, the row at the keyboard's place is
    /// copied.
    CopyRows {
        all: bool,
        form: CopyForm,
    },
    /// Shows the list of all columns.
    Columns,
}

/// The content of a table, as signals and handlers of its view. They are cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct Model {
    /// The name of the table, for screen readers.
    pub(crate) label: Signal<String>,
    /// The columns that are shown.
    pub(crate) columns: Memo<Vec<Column>>,
    /// All columns.
    pub(crate) all: Memo<Vec<Column>>,
    /// The number of rows, with the parts of expanded rows.
    pub(crate) count: Memo<u32>,
    /// Returns a row; `None` until it is loaded.
    pub(crate) row: Callback<u32, Option<Row>>,
    /// Returns the tooltip of a cell, by row and column id.
    pub(crate) tip: Callback<(u32, String), Option<Tip>>,
    /// The totals of the rows: column id and text.
    pub(crate) foot: Memo<Vec<(String, String)>>,
    /// Whether columns may be hidden, moved and added.
    pub(crate) free: Signal<bool>,
    /// The column by which rows are sorted, and whether the largest value comes first.
    pub(crate) sorted: Memo<Option<(String, bool)>>,
    /// A hash of the query. The table goes to its top when it changes.
    pub(crate) query_hash: Memo<u64>,
    /// A signal that changes with every answer.
    pub(crate) answer: Signal<()>,
    /// Whether an answer is pending.
    pub(crate) busy: Signal<bool>,
    /// Renders the text for a table without rows.
    pub(crate) none: Callback<(), AnyView>,
    /// Loads a range of rows.
    pub(crate) want: Callback<Range<u32>>,
    /// Handles an action of the user.
    pub(crate) act: Callback<GridAction>,
    /// The keyboard's place.
    pub(crate) place: RwSignal<GridCell>,
    /// The sizes of the table, by which the view chooses columns.
    pub(crate) measure: RwSignal<Measure>,
    /// The only tooltip of the page.
    pub(crate) tips: Tips,
}

/// Handles on the parts of a table.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub(super) model: Model,
    pub(super) node: NodeRef<html::Div>,
    pub(super) body: NodeRef<html::Div>,
    pub(super) visible: RwSignal<Range<u32>>,
    /// The ids of the columns that are shown. They change seldom, while the widths of columns follow the figures.
    pub(super) ids: Memo<Vec<String>>,
    /// The column of which the menu is open.
    pub(super) menu_column: RwSignal<Option<String>>,
}

impl Grid {
    /// Returns the element of the grid; `None` if the table is gone. Frames and observers may run after the end of the
    /// table.
    pub(super) fn element(self) -> Option<web_sys::HtmlDivElement> {
        self.node.try_get_untracked().flatten()
    }

    /// Returns the range of the rows in view, in pixels from the first row; `None` if the table is gone.
    pub(super) fn in_view(self) -> Option<(f64, f64)> {
        let (node, body) = (self.element()?, self.body.try_get_untracked().flatten()?);
        let (frame, rows) = (rect(&node), rect(&body));
        Some((frame.y.max(0.0) - rows.y, (frame.y + frame.height).min(screen().1) - rows.y))
    }

    /// Renders and loads the rows of a range, which is given in pixels.
    pub(super) fn show(self, (top, bottom): (f64, f64)) {
        let height = self.model.measure.get_untracked().row;
        let visible = virtual_rows::rendered(self.model.count.get_untracked(), height, top, bottom);
        if self.visible.with_untracked(|old| *old != visible) {
            self.visible.set(visible.clone());
        }
        self.model.want.run(visible);
    }

    /// Renders and loads the rows in view.
    pub(super) fn find_visible(self) {
        if let Some(view) = self.in_view() {
            self.show(view);
        }
    }

    /// Reads the sizes of the table's parts, and returns the work that applies them.
    pub(super) fn measure(self) -> OnSize {
        let Some((node, view)) = self.element().zip(self.in_view()) else { return Box::new(|| {}) };
        let size = |class: &str| {
            node.query_selector(class).ok().flatten().map(|probe: Element| rect(&probe)).unwrap_or_default()
        };
        let (row, letter) = (size(".probe"), size(".probe-letter"));
        let width = node.client_width().into();
        let now = Measure { width, row: row.height, digit: row.width / 10.0, letter: letter.width / 10.0 };
        Box::new(move || {
            if self.element().is_none() {
                return;
            }
            if self.model.measure.get_untracked() != now {
                self.model.measure.set(now);
            }
            self.show(view);
        })
    }
}

/// A row that the signals of its cells share.
pub(super) type SharedRow = Arc<Row>;

/// Returns the content of one cell of a row.
pub(super) fn content(row: &SharedRow, column: usize) -> Option<&Cell> {
    row.cells.get(column)
}
