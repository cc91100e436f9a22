//! This module renders the icicle of scopes. A click zooms to a scope and filters the table by it; Enter only filters;
//! Esc zooms out. Geometry and texts are in `chart::breakdown::scopes` and `chart::plot::icicle`.

use crate::analysis::base::{GroupBy, Query};
use crate::analysis::breakdown::Scopes;
use crate::chart::breakdown::scopes;
use crate::chart::plot::icicle::{self, Icicle, Node};
use crate::chart::plot::icicle_scene;
use crate::chart::widgets::table::TWO_LINES;
use crate::protocol::{BreakdownHead, requests};
use crate::view::shared::chart::{Model, room};
use crate::view::shared::picture_frame::framed;
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use crate::view::type_erasure::{EraseType, If, effect};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;

/// Scopes with a smaller share of the root's time are merged. On a chart of 4,000 pixels, this share is 2 pixels wide.
const MIN_SHARE: f64 = 0.0005;
/// The largest number of rows, on wide and on narrow screens.
const ROWS: (u32, u32) = (7, 5);

/// A tree of scopes with its layout.
struct Drawn {
    scopes: PtrEq<Scopes>,
    /// The node that is drawn across the whole width.
    first: u32,
    nodes: Vec<Node>,
    icicle: Icicle,
}

/// Renders the icicle of scopes.
#[component]
pub(super) fn ScopesPicture(state: State, head: SharedMemo<BreakdownHead>, choice: AnyView) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let found = request_scopes(state);
    let window = move || head.with(|head| head.as_ref().and_then(|head| head.header.step_duration));
    let whole = move || head.with(|head| head.as_ref().map_or("step", |head| head.header.window_word()));
    let drawn = SharedMemo::new(move || {
        let scopes = found.get()?;
        let mut nodes = scopes::nodes(&scopes, window());
        let rows = if width.get() < TWO_LINES { ROWS.1 } else { ROWS.0 };
        let first = scopes::first(&scopes);
        // A first cell with a parent is drawn in amber, as the mark of a zoomed tree. Only a zoomed tree keeps the
        // parent.
        if let Some(node) = nodes.get_mut(first as usize) {
            node.parent = (!scopes.root.is_empty()).then_some(u32::MAX);
        }
        let icicle = icicle::layout(&nodes, first, room(width.get()), rows);
        Some(PtrEq::new(Drawn { scopes, first, nodes, icicle }))
    });
    let focus = RwSignal::new(None);
    let scene = SharedMemo::new(move || {
        let drawn = drawn.get()?;
        let filter = state.query.with(|query| query.filter.scope.clone());
        let selected = drawn.scopes.nodes.iter().position(|node| !filter.is_empty() && node.path == filter);
        let selected = selected.and_then(|index| u32::try_from(index).ok());
        let title = "Self time by scope path";
        Some(PtrEq::new(icicle_scene::to_scene(&drawn.nodes, &drawn.icicle, room(width.get()), selected, title)))
    });
    let node_of = move |id: u32| drawn.get_untracked().and_then(|drawn| drawn.scopes.nodes.get(id as usize).cloned());
    // A filter by scope changes the tree. The keyboard focus stays at the same scope.
    let last = StoredValue::new(None::<String>);
    effect(move || {
        let Some(drawn) = drawn.get() else { return };
        if let Some(path) = last.get_value() {
            let place = drawn.scopes.nodes.iter().rposition(|node| node.path == path);
            focus.set(place.and_then(|place| u32::try_from(place).ok()));
        }
    });
    let press = move |(id, by_key): (u32, bool)| {
        let Some(node) = node_of(id) else { return };
        if by_key {
            let same = state.query.with_untracked(|query| query.filter.scope == node.path);
            last.set_value(Some(node.path.clone()));
            state.filter(|filter| filter.scope = if same { String::new() } else { node.path });
            return;
        } else if drawn.with_untracked(|drawn| drawn.as_ref().is_some_and(|drawn| drawn.first == id)) {
            state.zoom_out();
        } else {
            state.zoom_to(node.path);
        }
        last.set_value(None);
        focus.set(None);
    };
    let model = Model {
        scene,
        tip: Callback::new(move |id| node_of(id).map(|node| scopes::tip(&node, untrack(window), untrack(whole)))),
        press: Callback::new(press),
        out: Callback::new(move |()| state.zoom_out()),
        key: None,
        walk: Some(Callback::new(move |(from, direction)| {
            drawn.with_untracked(|drawn| icicle::walk(&drawn.as_ref()?.icicle.cells, Some(from), direction))
        })),
        focus,
    };
    let none = Memo::new(move |_| {
        found.with(|found| found.as_ref().is_some_and(|found| found.total.0 > 0 && found.no_scope == found.total))
    });
    let without = move || found.with(|found| found.as_ref().and_then(|found| scopes::no_scope_text(found)));
    let caption = view! {
        <Crumbs state />
        <span class="grow"></span>
        <span class="picture-note">
            {move || {
                if none.get() { Some("No op carries a tf_op path: the capture has no scopes.".to_owned()) } else { without() }
            }}
        </span>
    }.any();
    // Typing into the filter and zooming must not move the table, so the picture keeps its height until all ops are
    // shown.
    let tallest = Memo::new(move |old: Option<&f64>| {
        let now = scene.with(|scene| scene.as_ref().map_or(0.0, |scene| scene.height));
        let is_all = state.query.with(|query| query.filter.is_empty()) && state.zoom.with(String::is_empty);
        if is_all { now } else { now.max(old.copied().unwrap_or(0.0)) }
    });
    view! {
        <div node_ref=node style=("--tallest", move || format!("{}px", tallest.get()))>
            {framed(state, model, "scopes", choice, caption.into_any())}
        </div>
    }
    .any()
}

/// Requests the tree of scopes whenever the request changes. The last tree stays until the next one has come.
fn request_scopes(state: State) -> SharedSignal<Scopes> {
    let found = SharedSignal::<Scopes>::none();
    // The grouping of the rows does not affect the tree, so a change of the grouping sends no request.
    let request = Memo::new(move |_| (Query { by: GroupBy::Scope, ..state.query.get() }, state.zoom.get()));
    state.request_answer_on_change(
        move || {
            let (query, root) = request.get();
            Some(requests::Scopes { query, root, min_share: MIN_SHARE })
        },
        move |answer| {
            let Ok(scopes) = answer else { return };
            // The step does not have the scope of the zoom, so the zoom and its filter are removed.
            if scopes.total.0 == 0 && !scopes.root.is_empty() {
                if state.query.with_untracked(|query| query.filter.scope == scopes.root) {
                    state.filter(|filter| filter.scope = String::new());
                }
                state.zoom.set(String::new());
            }
            found.set(Some(PtrEq::new(scopes)));
        },
    );
    found
}

/// Renders the path of the zoomed scope, which leads out of the zoom, and the button that filters by the scope.
#[component]
fn Crumbs(state: State) -> impl IntoView {
    let zoom = Memo::new(move |_| state.zoom.get());
    let only = move |_| state.filter(|filter| filter.scope = zoom.get_untracked());
    let one = move |(name, path): (String, String)| {
        let current = (path == zoom.get()).then_some("true");
        let title = path.clone();
        view! {
            <span class="crumb-gap" aria-hidden="true">"/"</span>
            <button type="button" class="crumb" title=title aria-current=current on:click=move |_| state.zoom_to(path.clone())>
                {name}
            </button>
        }.any()
    };
    let zoomed = move || zoom.with(|zoom| !zoom.is_empty());
    let filtered = move || state.query.with(|query| query.filter.scope == zoom.get());
    view! {
        <If when=move || !zoomed()>
            <span class="picture-note wide">"self time by " <code>"tf_op"</code> " path; colour strip: kinds"</span>
        </If>
        <If when=zoomed>
            <nav class="crumbs" aria-label="Scope">
                <button type="button" class="crumb" on:click=move |_| state.zoom_to(String::new())>"all ops"</button>
                {move || zoom.with(|zoom| scopes::crumbs(zoom)).into_iter().map(one).collect_view()}
            </nav>
            <If when=move || !filtered()>
                <button type="button" class="btn small-text" on:click=only>{icon(Icon::Search)} "Show only these ops"</button>
            </If>
        </If>
    }.any()
}
