//! What is shown of a capture without device time: what is missing, why, what would supply it, what there is.

use crate::chart::empty::{self, Supply};
use crate::engine::PlaneInfo;
use crate::engine::address::View;
use crate::report::number;
use crate::view::erase::Any;
use crate::view::state::State;
use crate::view::widgets::files::choose_files;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// The view.
#[component]
pub(crate) fn Empty(state: State) -> impl IntoView {
    let look = move |_| state.view.set(View::File);
    move || {
        let opened = state.opened.get()?;
        let words = empty::empty(&opened.session);
        let planes = opened.session.planes.iter().take(100).map(plane).collect_view();
        let more = opened.session.planes.len().saturating_sub(100);
        Some(
            view! {
                <section class="empty">
                    <h1>{words.title}</h1>
                    <p>{words.why}</p>
                    <h2>"What would supply it"</h2>
                    <table class="have">
                        <tbody>{words.supply.iter().map(supply).collect_view()}</tbody>
                    </table>
                    <p class="acts">
                        <button type="button" class="btn line" on:click=|_| choose_files()>
                            {icon(Icon::File)} "Choose files"
                        </button>
                        <button type="button" class="btn line" on:click=look>"See what is in the file"</button>
                    </p>
                    <h2>"What the file holds"</h2>
                    <table class="have">
                        <thead>
                            <tr><th scope="col">"Plane"</th><th scope="col" class="num">"Lines"</th><th scope="col" class="num">"Events"</th></tr>
                        </thead>
                        <tbody>{planes}</tbody>
                    </table>
                    {(more > 0).then(|| view! { <p class="sub">{format!("and {more} more planes")}</p> }.any())}
                </section>
            }
            .any(),
        )
    }
}

fn supply(line: &Supply) -> impl IntoView + use<> {
    let said = if line.in_file { "in the file" } else { "not in file" };
    view! {
        <tr>
            <th scope="row">{line.what}</th>
            <td class="supply-how">{line.how}</td>
            <td class="num" class:caution=!line.in_file>{said}</td>
        </tr>
    }
    .any()
}

fn plane(plane: &PlaneInfo) -> impl IntoView + use<> {
    view! {
        <tr>
            <th scope="row" class="mono">{plane.name.clone()}</th>
            <td class="num">{number::count(plane.n_lines.into())}</td>
            <td class="num">{number::count(plane.n_events)}</td>
        </tr>
    }
    .any()
}
