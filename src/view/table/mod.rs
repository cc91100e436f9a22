//! The table: a grid of any length of which only the seen rows exist. One tab stop; arrows, Page, Home, End
//! walk its cells. Knows where rows go and which are wanted; cells are in `row`, words in `chart::rows`.

mod head;
mod nav;
mod row;

use crate::chart::columns::{self, Cell, Chosen, Units};
use crate::chart::window;
use crate::engine::BreakdownHead;
use crate::report::number;
use crate::view::state::{Place, Same, State};
use crate::view::widgets::size::{on_width, rect, screen};
use leptos::{ev, html, prelude::*};
use std::ops::Range;
use web_sys::Element;

/// What the table must know of its own size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measure {
    width: f64,
    row: f64,
    digit: f64,
    letter: f64,
}

/// Handles on a table's parts.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    state: State,
    head: Memo<Option<Same<BreakdownHead>>>,
    node: NodeRef<html::Div>,
    body: NodeRef<html::Div>,
    measure: RwSignal<Measure>,
    seen: RwSignal<Range<u32>>,
    count: Memo<u32>,
    /// Which columns there are: seldom others, while their widths follow the figures.
    cells: Memo<Vec<Cell>>,
}

impl Grid {
    fn units(self) -> Option<Units> {
        self.head.with(|head| head.as_ref().map(|head| Units::of(&head.largest)))
    }

    /// Finds out which rows are in view, and asks for them.
    fn look(self) {
        let (Some(node), Some(body)) = (self.node.get_untracked(), self.body.get_untracked()) else { return };
        let (frame, rows) = (rect(&node), rect(&body));
        let top = frame.y.max(0.0) - rows.y;
        let bottom = (frame.y + frame.height).min(screen().1) - rows.y;
        let seen = window::rendered(self.count.get_untracked(), self.measure.get_untracked().row, top, bottom);
        if self.seen.with_untracked(|old| *old != seen) {
            self.seen.set(seen.clone());
        }
        self.state.want(&seen);
    }

    fn measure(self, width: f64) {
        let Some(node) = self.node.get_untracked() else { return };
        let size = |class: &str| {
            node.query_selector(class).ok().flatten().map(|probe: Element| rect(&probe)).unwrap_or_default()
        };
        let (row, letter) = (size(".probe"), size(".probe-letter"));
        self.measure.set(Measure { width, row: row.height, digit: row.width / 10.0, letter: letter.width / 10.0 });
        self.look();
    }
}

/// The table of a breakdown.
#[component]
pub(crate) fn Table(state: State, head: Memo<Option<Same<BreakdownHead>>>) -> impl IntoView {
    let grid = Grid {
        state,
        head,
        node: NodeRef::new(),
        body: NodeRef::new(),
        measure: RwSignal::new(Measure { width: 1200.0, row: 24.0, digit: 7.0, letter: 7.0 }),
        seen: RwSignal::new(0..0),
        count: Memo::new(move |_| head.with(|head| head.as_ref().map_or(0, |head| head.n_groups))),
        cells: Memo::new(move |_| state.columns.with(|columns| columns.iter().map(|chosen| chosen.cell).collect())),
    };
    Effect::new(move |_| {
        if let Some(node) = grid.node.get() {
            on_width(&node, move |width| grid.measure(width));
        }
    });
    Effect::new(move |_| {
        let measure = grid.measure.get();
        let chosen = head.with(|head| {
            let head = head.as_ref()?;
            Some(columns::choose(head.query.by, &head.largest, head.totals.n_events, measure.width, measure.digit))
        });
        state.columns.set(chosen.unwrap_or_default());
    });
    let sort = state.shown_sort();
    let asked = Memo::new(move |_| (head.with(|head| head.as_ref().map(|head| head.query)), sort.get()));
    Effect::new(move |_| {
        // The same question answered anew (its worker died): the table stays where it is.
        head.track();
        request_animation_frame(move || grid.look());
    });
    Effect::new(move |_| {
        // Another question or order: from the top. (Read, not only tracked: a memo that nobody reads never runs.)
        asked.get();
        if let Some(node) = grid.node.get_untracked() {
            node.set_scroll_top(0);
        }
        let place = state.place.get_untracked();
        let place = Place { row: place.row.map(|_| 0), ..place };
        state.place.set(place);
        nav::follow(grid, place);
    });
    let listeners = [
        window_event_listener_untyped("scroll", move |_| grid.look()),
        window_event_listener_untyped("resize", move |_| grid.look()),
    ];
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    view! { <View grid /> }.into_any()
}

#[component]
fn View(grid: Grid) -> impl IntoView {
    let state = grid.state;
    let by = move || grid.head.with(|head| head.as_ref().map_or("", |head| head.query.by.label()));
    let height = move || format!("{}px", f64::from(grid.count.get()) * grid.measure.get().row);
    // The row with the keyboard's place exists even out of view: the focus must not fall off the page.
    let rows = move || {
        let (seen, count) = (grid.seen.get(), grid.count.get());
        let extra = state.place.get().row.filter(|row| !seen.contains(row) && *row < count);
        extra.into_iter().chain(seen.start.min(count)..seen.end.min(count)).collect::<Vec<_>>()
    };
    view! {
        <div
            node_ref=grid.node
            class="grid"
            class:busy=move || state.busy.get()
            role="grid"
            aria-label=move || format!("Time by {}", by().to_lowercase())
            aria-rowcount=move || (u64::from(grid.count.get()) + 2).to_string()
            aria-colcount=move || state.columns.with(Vec::len).to_string()
            aria-busy=move || state.busy.get().to_string()
            style=("--columns", move || state.columns.with(|chosen| columns::template(chosen)))
            on:scroll=move |_| grid.look()
            on:keydown=move |event: ev::KeyboardEvent| nav::key(grid, &event)
            on:focusin=move |event: ev::FocusEvent| nav::focused(grid, &event)
            on:focusout=move |_| state.tips.hide()
            on:pointerover=move |event: ev::PointerEvent| nav::hovered(grid, &event)
            on:pointerleave=move |_| state.tips.leave()
        >
            <head::Head grid />
            <div node_ref=grid.body class="grid-body" role="rowgroup" style:height=height>
                <span class="probe" aria-hidden="true"></span>
                <span class="probe-letter" aria-hidden="true"></span>
                <For each=rows key=|index| *index children=move |index| view! { <row::Row grid index /> } />
            </div>
            <Foot grid />
        </div>
    }
    .into_any()
}

/// The totals of what is shown.
#[component]
fn Foot(grid: Grid) -> impl IntoView {
    let cells = move || {
        let (head, units) = (grid.head.get()?, grid.units()?);
        let (totals, window) = (head.totals.clone(), head.header.step_duration);
        let one = |chosen: &Chosen| {
            let text = match chosen.cell {
                Cell::Name => columns::counted(head.query.by, head.n_groups),
                Cell::SelfTime => number::time(totals.busy, units.total),
                Cell::Step => {
                    window.and_then(|window| totals.busy.fraction_of(window)).map(number::percent).unwrap_or_default()
                }
                Cell::Runs => number::count(totals.n_events),
                _ => String::new(),
            };
            view! { <div role="gridcell" class:num=chosen.cell.numeric()>{text}</div> }
        };
        Some(grid.state.columns.with(|chosen| chosen.iter().map(one).collect_view()))
    };
    view! {
        <div class="grid-foot" role="rowgroup">
            <div class="row" role="row" aria-rowindex=move || (u64::from(grid.count.get()) + 2).to_string()>{cells}</div>
        </div>
    }
    .into_any()
}
