//! The list of columns: which are shown. This module knows the breakdown's columns; how they are drawn is the table's.

use super::rows::{change, shown};
use crate::chart::breakdown::{Cell, columns};
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::popover::Popover;
use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

/// The button and its list.
#[component]
pub(crate) fn Chooser(state: State) -> impl IntoView {
    let by = Memo::new(move |_| state.query.with(|query| query.by));
    let one = move |cell: Cell| {
        let checked = move || shown(state).contains(&cell);
        let switch = move |event: ev::Event| {
            let on = event_target::<HtmlInputElement>(&event).checked();
            change(state, |now| {
                now.retain(|other| *other != cell);
                if on {
                    // Where it belongs in the usual order.
                    let at = now.iter().position(|other| *other > cell).unwrap_or(now.len());
                    now.insert(at, cell);
                }
            });
        };
        view! {
            <label class="column">
                <input type="checkbox" prop:checked=checked disabled=cell == Cell::Name on:change=switch />
                <span>{cell.head(by.get())}</span>
                <span class="entry-detail">{cell.about()}</span>
            </label>
        }
        .any()
    };
    let list = move || columns::available(by.get()).map(one).collect_view();
    // Rows of two lines have three columns, and nothing to choose.
    let wide = move || state.table.get_value().is_none_or(|model| !model.measure.get().two_lines());
    let button = move || {
        view! {
            <Popover
                id="columns"
                class="btn line"
                label=Signal::stored("Columns".to_owned())
                panel_class="columns"
                face=Box::new(move || view! { {icon(Icon::Columns)} <span class="wide">"Columns"</span> }.any())
            >
                <div class="columns-list">{live(list)}</div>
                <div class="columns-foot">
                    <button
                        type="button"
                        class="btn line"
                        disabled=move || state.columns.with(Option::is_none)
                        on:click=move |_| state.columns.set(None)
                    >
                        "Automatic"
                    </button>
                </div>
            </Popover>
        }
        .any()
    };
    view! { <If when=wide>{button()}</If> }.any()
}
