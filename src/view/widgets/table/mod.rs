//! A table: a grid of any length of which only the seen rows exist. One tab stop; arrows, Page, Home, End walk its
//! cells. Knows columns and cells as data (`chart::table`), and where rows go; not what they stand for.

mod head;
mod nav;
mod row;

use crate::chart::breakdown::Tip;
use crate::chart::widgets::table::Column;
use crate::chart::widgets::table::Content;
use crate::chart::widgets::table::Measure;
use crate::chart::widgets::table::Row;
use crate::chart::widgets::table::{self};
use crate::chart::widgets::virtual_rows;
use crate::view::type_erasure::EraseType;
use crate::view::type_erasure::effect;
use crate::view::type_erasure::live;
use crate::view::widgets::size::Then;
use crate::view::widgets::size::on_resize;
use crate::view::widgets::size::on_scroll;
use crate::view::widgets::size::rect;
use crate::view::widgets::size::screen;
use crate::view::widgets::size::with_frame;
use crate::view::widgets::tooltip::Tips;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use web_sys::Element;

/// Makes a style from the columns, how much room there is, and the totals.
type Layout = fn(&[Column], Measure, &[(&'static str, String)]) -> String;

/// The width of a landscape page in the table's type, as the style sheet prints it: pixels of a table on the screen.
const PAPER: f64 = 1200.0;

/// The place of the keyboard in a table: a row (`None`: the head) and a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) row: Option<u32>,
    pub(crate) column: usize,
}

/// What was done to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Sort by this column, largest first or not.
    Sort(&'static str, bool),
    /// Open or close what a row holds; where it holds nothing, tell more about it.
    Fold(u32),
    /// Open what a row stands for, as a double press does.
    Open(u32),
    /// Select a row, or no longer.
    Select(u32),
    /// Select a row and no other.
    Pick(u32),
    /// Leave a column out.
    Hide(&'static str),
    /// Move a column to the left (−1) or right (1).
    Move(&'static str, isize),
    /// Put what is seen of a column into the clipboard.
    Copy(&'static str),
    /// Put all rows into the clipboard, or those that are chosen.
    CopyRows(bool),
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
    /// How many rows there are.
    pub(crate) count: Memo<u32>,
    /// A row, once it has come.
    pub(crate) row: Callback<u32, Option<Row>>,
    /// What a cell has to say beyond its text: row, column.
    pub(crate) tip: Callback<(u32, &'static str), Option<Tip>>,
    /// The totals of what is shown: column, text.
    pub(crate) foot: Memo<Vec<(&'static str, String)>>,
    /// Whether columns may be hidden, moved and added.
    pub(crate) free: Signal<bool>,
    /// By which column rows are sorted, and whether largest first.
    pub(crate) sorted: Memo<Option<(&'static str, bool)>>,
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
    pub(crate) act: Callback<Act>,
    /// Where the keyboard is.
    pub(crate) place: RwSignal<Place>,
    /// The table's own size, for the view to choose columns by.
    pub(crate) measure: RwSignal<Measure>,
    /// The one tooltip.
    pub(crate) tips: Tips,
}

/// Handles on a table's parts.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    model: Model,
    node: NodeRef<html::Div>,
    body: NodeRef<html::Div>,
    seen: RwSignal<Range<u32>>,
    /// Which columns there are: seldom others, while their widths follow the figures.
    ids: Memo<Vec<&'static str>>,
    /// The column whose menu is asked for.
    asked: RwSignal<Option<&'static str>>,
}

impl Grid {
    /// The grid's element. Frames and observers come later than what they were asked for: the table may be gone.
    fn element(self) -> Option<web_sys::HtmlDivElement> {
        self.node.try_get_untracked().flatten()
    }

    /// Which stretch of the rows is in view, pixels from the first; `None` where the table is gone.
    fn in_view(self) -> Option<(f64, f64)> {
        let (node, body) = (self.element()?, self.body.try_get_untracked().flatten()?);
        let (frame, rows) = (rect(&node), rect(&body));
        Some((frame.y.max(0.0) - rows.y, (frame.y + frame.height).min(screen().1) - rows.y))
    }

    /// Makes the rows of a stretch, and asks for them.
    fn show(self, (top, bottom): (f64, f64)) {
        let height = self.model.measure.get_untracked().row;
        let seen = virtual_rows::rendered(self.model.count.get_untracked(), height, top, bottom);
        if self.seen.with_untracked(|old| *old != seen) {
            self.seen.set(seen.clone());
        }
        self.model.want.run(seen);
    }

    /// Finds out which rows are in view, and asks for them.
    fn look(self) {
        if let Some(view) = self.in_view() {
            self.show(view);
        }
    }

    /// Reads how large the table's parts are; what to do with that.
    fn measure(self) -> Then {
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

/// The table.
#[component]
pub(crate) fn Table(model: Model) -> impl IntoView {
    let grid = Grid {
        model,
        node: NodeRef::new(),
        body: NodeRef::new(),
        seen: RwSignal::new(0..0),
        asked: RwSignal::new(None),
        ids: Memo::new(move |_| model.columns.with(|columns| columns.iter().map(|column| column.id).collect())),
    };
    effect(move || {
        if let Some(node) = grid.node.get() {
            on_resize(&node, Box::new(move || grid.measure()));
        }
    });
    effect(move || {
        // Another question or order: from the top, with the next frame, as to scroll makes the browser lay the page out.
        // Read, not only tracked: a memo that nobody reads never runs.
        model.question.get();
        request_animation_frame(move || {
            if let Some(node) = grid.element() {
                node.set_scroll_top(0);
            }
        });
        let place = model.place.get_untracked();
        let place = Place { row: place.row.map(|_| 0), ..place };
        model.place.set(place);
        nav::follow(grid, place);
    });
    effect(move || {
        // The same question answered anew (its worker died), or rows opened: the table stays where it is.
        model.answer.track();
        model.count.get();
        with_frame(move || {
            let view = grid.in_view();
            Box::new(move || {
                if let (Some(view), Some(_)) = (view, grid.element()) {
                    grid.show(view);
                }
            })
        });
    });
    on_scroll(move || grid.look());
    let resized = window_event_listener_untyped("resize", move |_| grid.look());
    // Paper is narrower than most screens: the columns that fit there, until it is printed.
    let before = window_event_listener_untyped("beforeprint", move |_| {
        model.measure.update(|measure| measure.width = measure.width.min(PAPER));
    });
    let after = window_event_listener_untyped("afterprint", move |_| with_frame(move || grid.measure()));
    on_cleanup(move || {
        resized.remove();
        before.remove();
        after.remove();
    });
    view! { <View grid /> }.any()
}

#[component]
fn View(grid: Grid) -> impl IntoView {
    let model = grid.model;
    let height = move || format!("{}px", f64::from(model.count.get()) * model.measure.get().row);
    // The row with the keyboard's place exists even out of view: the focus must not fall off the page.
    let rows = move || {
        let (seen, count) = (grid.seen.get(), model.count.get());
        let extra = model.place.get().row.filter(|row| !seen.contains(row) && *row < count);
        extra.into_iter().chain(seen.start.min(count)..seen.end.min(count)).collect::<Vec<_>>()
    };
    // The same for head, rows and totals: they line up whatever stands in them.
    let layout = move |of: Layout| {
        move || model.columns.with(|columns| model.foot.with(|foot| of(columns, model.measure.get(), foot)))
    };
    let empty = move || model.count.get() == 0 && !model.busy.get();
    let none = move || {
        empty().then(|| {
            view! {
                <div role="rowgroup">
                    <div role="row" aria-rowindex="2"><div role="gridcell" class="none">{model.none.run(())}</div></div>
                </div>
            }
            .any()
        })
    };
    view! {
        <div
            node_ref=grid.node
            class="grid"
            class:busy=move || model.busy.get()
            role="grid"
            aria-label=move || model.label.get()
            aria-multiselectable="true"
            aria-rowcount=move || (u64::from(model.count.get()) + 2).to_string()
            aria-colcount=move || grid.ids.with(Vec::len).to_string()
            aria-busy=move || model.busy.get().to_string()
            style=("--columns", layout(table::template))
            style=("--narrowest", layout(table::narrowest))
            on:scroll=move |_| grid.look()
            on:keydown=move |event: ev::KeyboardEvent| nav::key(grid, &event)
            on:focusin=move |event: ev::FocusEvent| nav::focused(grid, &event)
            on:focusout=move |_| model.tips.hide()
            on:mousedown=move |event: ev::MouseEvent| nav::pressed(&event)
            on:click=move |event: ev::MouseEvent| nav::clicked(grid, &event)
            on:dblclick=move |event: ev::MouseEvent| nav::double_clicked(grid, &event)
            on:pointerover=move |event: ev::PointerEvent| nav::hovered(grid, &event)
            on:pointerleave=move |_| model.tips.leave()
        >
            <head::Head grid />
            <div node_ref=grid.body class="grid-body" role="rowgroup" style:height=height>
                <span class="probe" aria-hidden="true"></span>
                <span class="probe-letter" aria-hidden="true"></span>
                <For each=rows key=|index| *index children=move |index| view! { <row::Row grid index /> }.any() />
            </div>
            {live(none)}
            <Foot grid />
        </div>
        <head::ColumnMenu grid />
    }
    .any()
}

/// The totals of what is shown.
#[component]
fn Foot(grid: Grid) -> impl IntoView {
    let cells = move || {
        let totals = grid.model.foot.get();
        let one = |column: &Column| {
            let text = totals.iter().find(|(id, _)| *id == column.id).map(|(_, text)| text.clone());
            view! { <div role="gridcell" class:num=column.numeric><span>{text}</span></div> }.any()
        };
        grid.model.columns.with(|columns| columns.iter().map(one).collect_view())
    };
    view! {
        <div class="grid-foot" role="rowgroup">
            <div class="row" role="row" aria-rowindex=move || (u64::from(grid.model.count.get()) + 2).to_string()>{live(cells)}</div>
        </div>
    }.any()
}

/// A cell, shared between the signals of a row.
type SharedRow = Arc<Row>;

/// The content of one column of a row.
fn content(row: &SharedRow, column: usize) -> Option<&Content> {
    row.cells.get(column)
}
