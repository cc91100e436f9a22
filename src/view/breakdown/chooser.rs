//! This module renders the list by which the user chooses the columns of a table.

use crate::chart::widgets::table::Column;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::popover::Popover;
use crate::view::widgets::table::{GridAction, Model};
use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

/// Renders the button and its list of columns.
#[component]
pub(crate) fn Chooser(state: State, table: Model) -> impl IntoView {
    let one = move |(index, Column { id, head, about, .. }): (usize, Column)| {
        let column_id = id.clone();
        let checked = move || table.columns.with(|columns| columns.iter().any(|column| column.id == column_id));
        let switch = move |event: ev::Event| {
            let is_on = event_target::<HtmlInputElement>(&event).checked();
            table.act.run(if is_on { GridAction::Show(id.clone()) } else { GridAction::Hide(id.clone()) });
        };
        view! {
            <label class="column">
                <input type="checkbox" prop:checked=checked disabled=index == 0 on:change=switch />
                <span>{head}</span>
                <span class="entry-detail">{about}</span>
            </label>
        }
        .any()
    };
    let list = move || table.all.get().into_iter().enumerate().map(one).collect_view();
    // Rows of two lines have fixed columns, so there is nothing to choose.
    let wide = move || !table.measure.get().two_lines();
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
