//! This module renders the icicles of both sides. A click or Enter zooms both to a scope, of which the table then shows the ops; Esc
//! zooms out. Geometry and texts are in `chart::compare`.

use super::model::CompareModel;
use crate::chart::breakdown::scopes::{crumbs, out_of};
use crate::chart::compare::{self, ScopesPicture};
use crate::chart::widgets::table::TWO_LINES;
use crate::protocol::url::compare::ComparePane;
use crate::view::shared::chart::{Model, room};
use crate::view::shared::picture_frame::framed;
use crate::view::state::{PtrEq, SharedMemo};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;

/// The largest number of rows of each side, on wide and on narrow screens.
const ROWS: (u32, u32) = (7, 5);

/// Renders the icicles with the path of the zoomed scope.
#[component]
pub(super) fn Scopes(model: CompareModel, choice: AnyView) -> impl IntoView {
    let state = model.state;
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let zoom = Memo::new(move |_| model.view_state.with(|view_state| view_state.scope.clone()));
    let shows_differences = Memo::new(move |_| model.view_state.with(|view_state| view_state.shows_differences));
    let picture = SharedMemo::<ScopesPicture>::new(move || {
        let comparison = model.found.get()?;
        let rows = if width.get() < TWO_LINES { ROWS.1 } else { ROWS.0 };
        let draw = if shows_differences.get() { compare::scope_differences } else { compare::scopes };
        draw(&comparison, &zoom.get(), room(width.get()), rows).map(PtrEq::new)
    });
    let scene = SharedMemo::new(move || Some(PtrEq::new(picture.get()?.scene.clone())));
    let zoom_to = move |path: String| model.select_rows(|view_state| view_state.scope = path);
    let path_of = move |id: u32| {
        let index = picture.get_untracked()?.scope(id);
        model.found.get_untracked()?.scopes.get(index).map(|scope| scope.path.clone())
    };
    let out = move || {
        let path = zoom.get_untracked();
        let is_zoomed = !path.is_empty();
        if is_zoomed {
            zoom_to(out_of(&path));
        }
        is_zoomed
    };
    let focus = RwSignal::new(None);
    let press = move |(id, _): (u32, bool)| {
        let Some(path) = path_of(id) else { return };
        if path == zoom.get_untracked() {
            out();
        } else {
            focus.set(None);
            zoom_to(path);
        }
    };
    let chart_model = Model {
        scene,
        tip: Callback::new(move |id| {
            let comparison = model.found.get_untracked()?;
            let scope = comparison.scopes.get(picture.get_untracked()?.scope(id))?;
            Some(compare::scope_tip(&comparison, scope))
        }),
        press: Callback::new(press),
        out: Callback::new(move |()| out()),
        key: None,
        walk: Some(Callback::new(move |(from, direction)| picture.get_untracked()?.walk(from, direction))),
        focus,
    };
    let crumb = move |(name, path): (String, String)| {
        let current = (path == zoom.get()).then_some("true");
        let title = path.clone();
        view! {
            <span class="crumb-gap" aria-hidden="true">"/"</span>
            <button type="button" class="crumb" title=title aria-current=current on:click=move |_| zoom_to(path.clone())>{name}</button>
        }
        .any()
    };
    let is_zoomed = move || zoom.with(|zoom| !zoom.is_empty());
    let way = move |label: &'static str, is_difference: bool| {
        let pressed = move || (shows_differences.get() == is_difference).to_string();
        let choose = move |_| model.change(|view_state| view_state.shows_differences = is_difference);
        view! { <button type="button" aria-pressed=pressed on:click=choose>{label}</button> }.any()
    };
    let about = move || {
        let comparison = model.found.get()?;
        Some(match shows_differences.get() {
            true => compare::scope_differences_text(&comparison),
            false => compare::picture_text(&comparison, ComparePane::Scopes),
        })
    };
    let caption = view! {
        <If when=move || !is_zoomed()>
            <span class="about">{live(about)}</span>
        </If>
        <If when=is_zoomed>
            <nav class="crumbs" aria-label="Scope">
                <button type="button" class="crumb" on:click=move |_| zoom_to(String::new())>"all ops"</button>
                {move || zoom.with(|zoom| crumbs(zoom)).into_iter().map(crumb).collect_view()}
            </nav>
        </If>
        <span class="grow"></span>
        <div class="segmented" data-roving="" role="group" aria-label="Icicles">{way("A above B", false)} {way("Difference", true)}</div>
    }
    .any();
    let none = move || {
        let is_empty = width.get() > 0.0 && picture.with(Option::is_none);
        is_empty.then(|| view! { <p class="chart-empty">"No op of either side has time."</p> }.any())
    };
    view! {
        <div class="compare-picture" node_ref=node>
            {framed(state, chart_model, "scopes", choice, caption)}
            {live(none)}
        </div>
    }
    .any()
}
