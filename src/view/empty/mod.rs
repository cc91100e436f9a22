//! This module renders the text of a view that has nothing to show: the missing data, the reason, and how to record the
//! data. It also renders the view of a session without device ops. The texts are in `chart::empty`.

use crate::chart::empty::{self, Empty, Need};
use crate::protocol::PlaneInfo;
use crate::protocol::url::View;
use crate::table::format;
use crate::view::shared::files::choose_files;
use crate::view::state::{OpenAs, State};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Renders `words` as a part of a view. `acts` are the actions of this view, which stand before the choice of other
/// files.
pub(crate) fn empty_state(state: State, words: Empty, acts: AnyView) -> AnyView {
    let options = move |_| state.view.set(View::File);
    let is_file = move || state.view.get() == View::File;
    let Empty { title, why, needs } = words;
    let table = (!needs.is_empty()).then(|| {
        view! {
            <table class="have need-list">
                <thead>
                    <tr>
                        <th scope="col">"Required data"</th>
                        <th scope="col">"How to record it"</th>
                        <th scope="col" class="num">"Found"</th>
                    </tr>
                </thead>
                <tbody>{needs.into_iter().map(need).collect_view()}</tbody>
            </table>
        }
        .any()
    });
    view! {
        <section class="empty" role="status">
            <h2 class="empty-title">{title}</h2>
            <p>{why}</p>
            {table}
            <p class="acts">
                {acts}
                <button type="button" class="btn line" on:click=move |_| choose_files(state, OpenAs::Replace)>{icon(Icon::File)} "Choose files"</button>
                {move || (!is_file()).then(|| view! { <button type="button" class="btn line" on:click=options>"See what is in the file"</button> }.any())}
            </p>
        </section>
    }
    .any()
}

/// Renders a sentence. Text between backticks is shown as code.
fn words(text: &str) -> AnyView {
    let piece = |(index, piece): (usize, &str)| match index % 2 {
        0 => piece.to_owned().into_any(),
        _ => view! { <code>{piece.to_owned()}</code> }.any(),
    };
    text.split('`').enumerate().map(piece).collect_view().into_any()
}

fn need(need: Need) -> AnyView {
    let is_missing = need.found.is_none();
    view! {
        <tr>
            <th scope="row">{need.what}</th>
            <td class="supply-remedy">{words(&need.how)}</td>
            <td class="num" class:caution=is_missing>{need.found.unwrap_or_else(|| "missing".to_owned())}</td>
        </tr>
    }
    .any()
}

/// Renders the view of a session without device ops. Every view that counts these ops shows it.
#[component]
pub(crate) fn NoDevices(state: State) -> impl IntoView {
    move || {
        let opened = state.opened.get()?;
        let planes = opened.session.planes.iter().take(100).map(plane).collect_view();
        let (n, more) = (opened.session.planes.len(), opened.session.planes.len().saturating_sub(100));
        let contents = (n > 0).then(|| {
            view! {
                <h2>"Contents of the file"</h2>
                <table class="have">
                    <thead>
                        <tr><th scope="col">"Plane"</th><th scope="col" class="num">"Lines"</th><th scope="col" class="num">"Events"</th></tr>
                    </thead>
                    <tbody>{planes}</tbody>
                </table>
                {(more > 0).then(|| view! { <p class="sub">{format!("and {more} more planes")}</p> }.any())}
            }
            .any()
        });
        Some(
            view! {
                <div class="no-devices">
                    <h1 class="visually-hidden">{state.view.get().label()} " of " {opened.name.clone()}</h1>
                    {empty_state(state, empty::devices(&opened.session), ().into_any())}
                    <section class="empty held">{contents}</section>
                </div>
            }
            .any(),
        )
    }
}

fn plane(plane: &PlaneInfo) -> impl IntoView + use<> {
    view! {
        <tr>
            <th scope="row" class="mono">{plane.name.clone()}</th>
            <td class="num">{format::count(plane.n_lines.into())}</td>
            <td class="num">{format::count(plane.n_events)}</td>
        </tr>
    }
    .any()
}
