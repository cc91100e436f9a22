//! This module renders a table: a grid of any length of which only the rows in view exist. The table is one tab stop;
//! arrows, Page Up, Page Down, Home and End walk its cells. Columns and cells are data of `chart::widgets::table`.

mod grid;
mod head;
mod nav;
mod row;

pub(crate) use grid::{GridAction, GridCell, Model};

use super::table::grid::{Grid, Layout};
use crate::chart::widgets::table::{self, Column};
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::size::{on_resize, on_scroll, with_frame};
use leptos::ev;
use leptos::prelude::*;

/// The width of a table on a landscape page in the printed type, in pixels of a table on the screen.
const PAPER: f64 = 1200.0;

/// Renders a table.
#[component]
pub(crate) fn Table(model: Model) -> impl IntoView {
    let grid = Grid {
        model,
        node: NodeRef::new(),
        body: NodeRef::new(),
        visible: RwSignal::new(0..0),
        menu_column: RwSignal::new(None),
        ids: Memo::new(move |_| model.columns.with(|columns| columns.iter().map(|column| column.id.clone()).collect())),
    };
    effect(move || {
        if let Some(node) = grid.node.get() {
            on_resize(&node, Box::new(move || grid.measure()));
        }
    });
    effect(move || {
        // Another query or order scrolls the table to its top. This happens in the next frame, because scrolling makes
        // the browser compute the layout. The memo is read and not only tracked, because a memo without readers never
        // runs.
        model.query_hash.get();
        request_animation_frame(move || {
            if let Some(node) = grid.element() {
                node.set_scroll_top(0);
            }
        });
        let place = model.place.get_untracked();
        let place = GridCell { row: place.row.map(|_| 0), ..place };
        model.place.set(place);
        nav::follow(grid, place);
    });
    effect(move || {
        // If the same query is answered again (because the worker died), or if a row is expanded, the table keeps its
        // scroll position.
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
    on_scroll(move || grid.find_visible());
    let resized = window_event_listener_untyped("resize", move |_| grid.find_visible());
    // Paper is narrower than most screens, so the table shows the columns that fit on paper until the page is printed.
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
    // The row at the keyboard's place exists even out of view, so that the focus is not lost.
    let rows = move || {
        let (visible, count) = (grid.visible.get(), model.count.get());
        let extra = model.place.get().row.filter(|row| !visible.contains(row) && *row < count);
        extra.into_iter().chain(visible.start.min(count)..visible.end.min(count)).collect::<Vec<_>>()
    };
    // Head, rows and totals use the same widths, so that they line up.
    let layout = move |template: Layout| {
        move || model.columns.with(|columns| model.foot.with(|foot| template(columns, model.measure.get(), foot)))
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
            on:scroll=move |_| grid.find_visible()
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

/// Renders the totals of the rows.
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
