//! One row of the table: empty until its page of rows has come.

use super::Grid;
use crate::analysis::{GroupBy, Kind};
use crate::chart::columns::{self, Cell};
use crate::chart::rows::{self, Row as Found};
use crate::chart::slot::Slot;
use crate::engine::BreakdownHead;
use crate::report::number;
use crate::view::widgets::swatch::swatch;
use leptos::prelude::*;

/// The row at `index`.
#[component]
pub(super) fn Row(grid: Grid, index: u32) -> impl IntoView {
    let state = grid.state;
    let page = Memo::new(move |_| state.page_of(index));
    // The keyboard's column, where this is its row: other rows need not know when it moves.
    let stop = Memo::new(move |_| {
        let place = state.place.get();
        (place.row == Some(index)).then_some(place.column)
    });
    let said = move |of: Cell| {
        let (head, page) = (grid.head.get()?, page.get()?);
        let row = rows::find(&page, index)?;
        let measure = grid.measure.get();
        let room =
            state.columns.with(|columns| columns::name_room(columns, measure.width, measure.digit, measure.letter));
        Some(cell(of, row, &head, room, measure.width < columns::TWO_LINES))
    };
    let absent = move |of: Cell| {
        let (head, page) = (grid.head.get()?, page.get()?);
        Some(is_absent(of, rows::find(&page, index)?, &head))
    };
    // What changes is within the cells: one that is made anew while it has the focus loses it.
    let cells = move || {
        let one = |(column, of): (usize, Cell)| {
            view! {
                <div
                    role="gridcell"
                    class=class(of)
                    class:absent=move || absent(of).unwrap_or_default()
                    data-column=column.to_string()
                    tabindex=move || if stop.get() == Some(column) { "0" } else { "-1" }
                >
                    {move || said(of)}
                </div>
            }
        };
        grid.cells.get().into_iter().enumerate().map(one).collect_view()
    };
    let top = move || format!("{}px", f64::from(index) * grid.measure.get().row);
    view! {
        <div class="row" role="row" aria-rowindex=(u64::from(index) + 2).to_string() data-row=index.to_string() style:top=top>
            {cells}
        </div>
    }
    .into_any()
}

const fn class(cell: Cell) -> &'static str {
    match cell {
        Cell::Name => "name",
        Cell::Cumulative | Cell::Runs => "num soft",
        Cell::Category | Cell::Source => "soft",
        _ if cell.numeric() => "num",
        _ => "",
    }
}

fn text(cell: Cell, row: Found<'_>, head: &BreakdownHead) -> String {
    rows::text(cell, row, head.header.step_duration, columns::Units::of(&head.largest))
}

fn is_absent(cell: Cell, row: Found<'_>, head: &BreakdownHead) -> bool {
    cell != Cell::Name && text(cell, row, head) == number::ABSENT
}

fn cell(cell: Cell, row: Found<'_>, head: &BreakdownHead, room: usize, two_lines: bool) -> AnyView {
    let words = text(cell, row, head);
    match cell {
        Cell::Name => name(row, head, room, two_lines),
        Cell::Kind => view! { {swatch(Slot::Kind(row.group.kind))} <span>{words}</span> }.into_any(),
        Cell::Step => {
            let length = rows::bar(row.group, head.largest.total) * 100.0;
            view! {
                <span class="share"><span style:width=format!("{length:.1}%")></span></span>
                <span>{words}</span>
            }
            .into_any()
        }
        _ => {
            let above = rows::is_above(cell, row.group, head.header.peaks);
            let mark = above.then(|| view! { <span class="above" title="Cost estimate above peak">"▲ "</span> });
            view! { <span class:above=above>{mark} {words}</span> }.into_any()
        }
    }
}

/// The name; on narrow screens with a second line, where kinds are groups with their swatch.
fn name(row: Found<'_>, head: &BreakdownHead, room: usize, two_lines: bool) -> AnyView {
    let group = row.group;
    let by_kind = head.query.by == GroupBy::Kind;
    let mono = if matches!(head.query.by, GroupBy::Kind | GroupBy::Category) { "" } else { "mono" };
    let label = Kind::ALL.into_iter().find(|kind| by_kind && kind.key() == group.key).map(Kind::label);
    let shown = label.map_or_else(|| number::middle_cut(&group.key, room), str::to_owned);
    let first = view! { {by_kind.then(|| swatch(Slot::Kind(group.kind)))} <span class=mono>{shown}</span> };
    if !two_lines {
        return first.into_any();
    }
    let runs = number::counted(group.n_executions, "run", "runs");
    if by_kind {
        return view! { <span class="line-1">{first}</span> <span class="line-2">{runs}</span> }.into_any();
    }
    let kind = group.kind.short();
    let left = room.saturating_sub(kind.len() + 4);
    let beside = rows::second_line(group).map(|source| format!(" · {}", number::middle_cut(source, left)));
    view! {
        <span class="line-1">{first}</span>
        <span class="line-2">{swatch(Slot::Kind(group.kind))} <span>{kind} {beside}</span></span>
    }
    .into_any()
}
