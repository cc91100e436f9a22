//! This module renders the top of the page: logo, pickers, share, theme and help; below them the tabs and the badges of
//! the capture.

mod capture;
pub(crate) mod help;
mod notes;
mod pickers;

use crate::chart::breakdown::figures;
use crate::protocol::url::View;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, If, effect, live};
use crate::view::widgets::icon::{Icon, icon, mark};
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Renders the app bar, and below it the tabs if a session is open.
#[component]
pub(crate) fn AppBar(state: State, help: NodeRef<html::Dialog>) -> impl IntoView {
    let open = Memo::new(move |_| state.opened.with(Option::is_some) && !state.load_shown.get());
    let is_folder = Memo::new(move |_| state.is_folder());
    let theme = move || format!("Theme: {}. Switch", state.theme.get().label());
    let show_help = move |_| {
        if let Some(dialog) = help.get_untracked() {
            let _ = dialog.show_modal();
        }
    };
    view! {
        <header class="top">
            <div class="bar" data-roving="" role="toolbar" aria-label="Capture and page">
                <span class="brand">{mark()} <span class="brand-name">"Rooflight"</span></span>
                <If when=move || open.get()>
                    <capture::Capture state />
                    <pickers::Pickers state />
                </If>
                <span class="grow"></span>
                <If when=move || open.get() && !is_folder.get()>
                    <button type="button" class="btn line share-button" aria-label="Share" title="Share (l)" on:click=move |_| state.sharing.set(true)>
                        {icon(Icon::Share)}
                        <span class="wide">"Share"</span>
                    </button>
                </If>
                <button type="button" class="btn icon-only" aria-label=theme title=theme on:click=move |_| state.switch_theme()>
                    {icon(Icon::Theme)}
                </button>
                <button type="button" class="btn icon-only" aria-label="Keys and help" on:click=show_help>
                    "?"
                </button>
            </div>
            <If when=move || open.get() && !is_folder.get()>
                <Tabs state />
            </If>
            <If when=move || open.get() && is_folder.get()>{move || folder_tab(state)}</If>
            <If when=move || state.load_shown.get()>{move || tabs_to_come()}</If>
        </header>
    }.any()
}

/// Returns whether the open session has a view.
fn is_offered(state: State, view: View) -> bool {
    match view {
        View::Compare => true,
        // A shared comparison has no other view.
        _ if state.is_shared_comparison() => false,
        View::Overview => state.can(|can| can.overview),
        View::Timeline => state.can(|can| can.timeline),
        _ => true,
    }
}

/// Scrolls the list of tabs so that the tab of a view is in the middle.
fn show_tab(list: &HtmlElement, view: View) {
    let Some(tab) = document().get_element_by_id(&format!("tab-{}", view.key())) else { return };
    let (tab, list_box) = (tab.get_bounding_client_rect(), list.get_bounding_client_rect());
    let off = (tab.left() + tab.right() - list_box.left() - list_box.right()) / 2.0;
    list.set_scroll_left(list.scroll_left() + off.round() as i32);
}

/// Moves to another view by the arrow keys, Home and End.
fn walk(state: State, event: &ev::KeyboardEvent) {
    let views: Vec<View> = View::ALL.into_iter().filter(|view| is_offered(state, *view)).collect();
    let now = views.iter().position(|view| *view == state.view.get_untracked()).unwrap_or(0);
    let last = views.len().saturating_sub(1);
    let to = match &*event.key() {
        "ArrowRight" => now + 1,
        "ArrowLeft" => now.checked_sub(1).unwrap_or(last),
        "Home" => 0,
        "End" => last,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    let Some(view) = views.get(if to > last { 0 } else { to }).copied() else { return };
    state.open_view(view);
    if let Some(tab) = document().get_element_by_id(&format!("tab-{}", view.key())) {
        let _ = tab.unchecked_into::<HtmlElement>().focus();
    }
}

/// Renders the tabs as plain text while a load is shown.
fn tabs_to_come() -> AnyView {
    let tab = |view: View| {
        view! { <span class="tab off">{view.label()} <span class="tab-key">{view.digit()}</span></span> }.any()
    };
    view! { <div class="tabs" aria-hidden="true">{View::ALL.map(tab).collect_view()}</div> }.any()
}

/// Renders the only tab of a list of captures.
fn folder_tab(state: State) -> AnyView {
    let views: Vec<&str> = View::ALL.iter().take(3).map(|view| view.label()).collect();
    let hint = move || state.folder_has_files().then(|| format!("open one for its views: {}, …", views.join(", ")));
    view! {
        <div class="tabs">
            <h1 class="tab chosen">"Captures"</h1>
            <span class="tab off">{hint}</span>
            <span class="grow"></span>
            <notes::Notes state />
        </div>
    }
    .any()
}

/// Renders the tabs of the views, and the badges of the capture.
#[component]
fn Tabs(state: State) -> impl IntoView {
    let partial = move || state.opened.with(|opened| opened.as_ref().is_some_and(|o| o.session.partial.is_some()));
    let head = state.head();
    // The parts of a step whose end is not in the file sum to less than the step.
    let closes = Memo::new(move |_| {
        !partial() && head.with(|head| head.as_ref().is_some_and(|head| figures::parts_sum_to_window(head)))
    });
    let missing = move || head.with(|head| Some(format!(": {}", head.as_ref()?.header.missing_text()?)));
    let sums = move || {
        let whole = head.with(|head| head.as_ref().map_or("step", |head| head.header.window_word()));
        format!("The kinds of time sum to the busy time, and busy and idle time sum to the {whole}, to the picosecond")
    };
    let tab = move |view: View| {
        let chosen = move || state.view.get() == view;
        view! {
            <button
                type="button"
                class="tab"
                role="tab"
                id=format!("tab-{}", view.key())
                title=format!("{} ({})", view.label(), view.digit())
                aria-selected=move || chosen().to_string()
                tabindex=move || if chosen() { "0" } else { "-1" }
                aria-controls="view"
                on:click=move |_| state.open_view(view)
            >
                {view.label()} <span class="tab-key" aria-hidden="true">{view.digit()}</span>
            </button>
        }
        .any()
    };
    let back = move || {
        let name = state.folder.get()?;
        let title = format!("Back to {} (9)", *name);
        Some(
            view! {
                <button type="button" class="tab tab-back" title=title on:click=move |_| state.return_to_folder()>
                    "‹ Captures" <span class="tab-key" aria-hidden="true">"9"</span>
                </button>
            }
            .any(),
        )
    };
    // On a narrow page, the tabs scroll sideways. The tab of the view that is shown stays in the middle.
    let tablist = NodeRef::<html::Div>::new();
    effect(move || {
        let (view, list) = (state.view.get(), tablist.get());
        // The badges beside the tabs come with the figures.
        head.with(|_| ());
        if let Some(list) = list {
            request_animation_frame(move || show_tab(&list, view));
        }
    });
    view! {
        <div class="tabs">
            {live(back)}
            <div node_ref=tablist role="tablist" aria-label="Views" on:keydown=move |event| walk(state, &event)>
                {live(move || {
                    Some(View::ALL.into_iter().filter(|view| is_offered(state, *view)).map(tab).collect_view())
                })}
            </div>
            <span class="grow"></span>
            <If when=partial>
                <span class="badge caution">{icon(Icon::Warn)} "Partial file" {live(missing)}</span>
            </If>
            <If when=move || closes.get()>
                <span class="badge good closes" title=sums>{icon(Icon::Check)} "Adds up"</span>
            </If>
            {live(move || {
                let title = head.with(|head| figures::streams_overlap(head.as_ref()?))?;
                Some(view! { <span class="badge" title=title>"Streams overlap"</span> }.any())
            })}
            <notes::Notes state />
        </div>
    }
    .any()
}
