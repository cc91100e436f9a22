//! The state of a table on screen, shared by its head, rows and keys.

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
/// Makes a style from the columns, how much room there is, and the totals.
pub(super) type Layout = fn(&[Column], Measure, &[(String, String)]) -> String;

/// The place of the keyboard in a table: a row (`None`: the head) and a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GridCell {
    pub(crate) row: Option<u32>,
    pub(crate) column: usize,
}

/// What was done to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GridAction {
    /// Sort by this column, largest first or not.
    Sort(String, bool),
    /// Open or close what a row holds; where it holds nothing, tell more about it.
    Fold(u32),
    /// Open what a row stands for, as a double press does.
    Open(u32),
    /// Select a row, or no longer.
    Select(u32),
    /// Select a row and no other.
    Pick(u32),
    /// Leave a column out.
    Hide(String),
    /// Show a column that is left out.
    Show(String),
    /// Move a column to the left (−1) or right (1).
    Move(String, isize),
    /// Put what is seen of a column into the clipboard.
    Copy(String),
    /// Put all rows into the clipboard, or those that are selected; without any, the one with the keyboard's place.
    CopyRows { all: bool, form: CopyForm },
    /// Show the list of all columns.
    Columns,
}

/// A table's content, as signals: what a view has to supply. Copied freely.
#[derive(Clone, Copy)]
pub(crate) struct Model {
    /// What the table is of.
    pub(crate) label: Signal<String>,
    /// The columns shown.
    pub(crate) columns: Memo<Vec<Column>>,
    /// All columns there are.
    pub(crate) all: Memo<Vec<Column>>,
    /// How many rows there are.
    pub(crate) count: Memo<u32>,
    /// A row, once it has come.
    pub(crate) row: Callback<u32, Option<Row>>,
    /// What a cell has to say beyond its text: row, column.
    pub(crate) tip: Callback<(u32, String), Option<Tip>>,
    /// The totals of what is shown: column, text.
    pub(crate) foot: Memo<Vec<(String, String)>>,
    /// Whether columns may be hidden, moved and added.
    pub(crate) free: Signal<bool>,
    /// By which column rows are sorted, and whether largest first.
    pub(crate) sorted: Memo<Option<(String, bool)>>,
    /// Changes when another question is asked: then the table starts from its top.
    pub(crate) question: Memo<u64>,
    /// Changes with every answer.
    pub(crate) answer: Signal<()>,
    /// Whether an answer is awaited.
    pub(crate) busy: Signal<bool>,
    /// What stands there when there are no rows.
    pub(crate) none: Callback<(), AnyView>,
    /// Rows that are wanted.
    pub(crate) want: Callback<Range<u32>>,
    /// What is done.
    pub(crate) act: Callback<GridAction>,
    /// Where the keyboard is.
    pub(crate) place: RwSignal<GridCell>,
    /// The table's own size, for the view to choose columns by.
    pub(crate) measure: RwSignal<Measure>,
    /// The one tooltip.
    pub(crate) tips: Tips,
}

/// Handles on a table's parts.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub(super) model: Model,
    pub(super) node: NodeRef<html::Div>,
    pub(super) body: NodeRef<html::Div>,
    pub(super) visible: RwSignal<Range<u32>>,
    /// Which columns there are: seldom others, while their widths follow the figures.
    pub(super) ids: Memo<Vec<String>>,
    /// The column whose menu is requested.
    pub(super) menu_column: RwSignal<Option<String>>,
}

impl Grid {
    /// The grid's element. Frames and observers come later than what they were requested: the table may be gone.
    pub(super) fn element(self) -> Option<web_sys::HtmlDivElement> {
        self.node.try_get_untracked().flatten()
    }

    /// Which stretch of the rows is in view, pixels from the first; `None` where the table is gone.
    pub(super) fn in_view(self) -> Option<(f64, f64)> {
        let (node, body) = (self.element()?, self.body.try_get_untracked().flatten()?);
        let (frame, rows) = (rect(&node), rect(&body));
        Some((frame.y.max(0.0) - rows.y, (frame.y + frame.height).min(screen().1) - rows.y))
    }

    /// Makes the rows of a stretch, and asks for them.
    pub(super) fn show(self, (top, bottom): (f64, f64)) {
        let height = self.model.measure.get_untracked().row;
        let visible = virtual_rows::rendered(self.model.count.get_untracked(), height, top, bottom);
        if self.visible.with_untracked(|old| *old != visible) {
            self.visible.set(visible.clone());
        }
        self.model.want.run(visible);
    }

    /// Finds out which rows are in view, and asks for them.
    pub(super) fn find_visible(self) {
        if let Some(view) = self.in_view() {
            self.show(view);
        }
    }

    /// Reads how large the table's parts are; what to do with that.
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

/// A cell, shared between the signals of a row.
pub(super) type SharedRow = Arc<Row>;

/// The content of one column of a row.
pub(super) fn content(row: &SharedRow, column: usize) -> Option<&Cell> {
    row.cells.get(column)
}
