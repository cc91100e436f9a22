//! What is shown where a capture has nothing for a view: what is missing, why, what would supply it, what there is instead.

use crate::chart::empty::{self, Supply};
use crate::engine::PlaneInfo;
use crate::engine::address::View;
use crate::report::number;
use crate::view::erase::Any;
use crate::view::state::State;
use crate::view::widgets::files::choose_files;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// The view of a capture without device time.
#[component]
pub(crate) fn Empty(state: State) -> impl IntoView {
    move || {
        let opened = state.opened.get()?;
        let words = empty::empty(&opened.session);
        let planes = opened.session.planes.iter().take(100).map(plane).collect_view();
        let more = opened.session.planes.len().saturating_sub(100);
        let holds = view! {
            <h2>"What the file holds"</h2>
            <table class="have">
                <thead>
                    <tr><th scope="col">"Plane"</th><th scope="col" class="num">"Lines"</th><th scope="col" class="num">"Events"</th></tr>
                </thead>
                <tbody>{planes}</tbody>
            </table>
            {(more > 0).then(|| view! { <p class="sub">{format!("and {more} more planes")}</p> }.any())}
        }
        .any();
        Some(missing(state, &words, None, Some(holds)))
    }
}

/// What any view shows in the place of what it cannot: `words` say it. `act` is the view's own way out, before "Choose files";
/// `more` stands below.
pub(crate) fn missing(state: State, words: &empty::Empty, act: Option<AnyView>, more: Option<AnyView>) -> AnyView {
    let look = move |_| state.view.set(View::File);
    let instead = (!words.instead.is_empty()).then(|| {
        view! {
            <h2>"What it does hold"</h2>
            <table class="have">
                <tbody>{words.instead.iter().map(instead).collect_view()}</tbody>
            </table>
        }
        .any()
    });
    view! {
        <section class="empty">
            <h1>{words.title.clone()}</h1>
            <p>{words.why.clone()}</p>
            <h2>"What would supply it"</h2>
            <table class="have">
                <tbody>{words.supply.iter().map(supply).collect_view()}</tbody>
            </table>
            <p class="acts">
                {act}
                <button type="button" class="btn line" on:click=|_| choose_files()>
                    {icon(Icon::File)} "Choose files"
                </button>
                <button type="button" class="btn line" on:click=look>"See what is in the file"</button>
            </p>
            {instead}
            {more}
        </section>
    }
    .any()
}

fn instead((what, value): &(String, String)) -> impl IntoView + use<> {
    view! { <tr><th scope="row">{what.clone()}</th><td class="num">{value.clone()}</td></tr> }.any()
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
