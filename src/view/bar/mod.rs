//! The top of the page: mark, pickers, theme and help; below them the tabs and what the capture has to say.

mod capture;
pub(crate) mod help;
mod notes;
mod pickers;

use crate::chart::readout;
use crate::view::erase::{Any, If, live};
use crate::view::state::State;
use crate::view::widgets::icon::{Icon, icon, mark};
use leptos::{html, prelude::*};

/// The app bar, and the tabs where something is open.
#[component]
pub(crate) fn AppBar(state: State, help: NodeRef<html::Dialog>) -> impl IntoView {
    let open = Memo::new(move |_| state.opened.with(Option::is_some) && !state.load_shown.get());
    let theme = move || format!("Theme: {}. Switch", state.theme.get().label());
    let show_help = move |_| {
        if let Some(dialog) = help.get_untracked() {
            let _ = dialog.show_modal();
        }
    };
    view! {
        <header class="top">
            <div class="bar">
                <span class="brand">{mark()} "Rooflight"</span>
                <If when=move || open.get()>
                    <capture::Capture state />
                    <pickers::Pickers state />
                </If>
                <span class="grow"></span>
                <button type="button" class="btn icon-only" aria-label=theme title=theme on:click=move |_| state.switch_theme()>
                    {icon(Icon::Theme)}
                </button>
                <button type="button" class="btn icon-only" aria-label="Keys and help" on:click=show_help>
                    "?"
                </button>
            </div>
            <If when=move || open.get()>
                <Tabs state />
            </If>
        </header>
    }.any()
}

/// The views there are, and the badges of the capture.
#[component]
fn Tabs(state: State) -> impl IntoView {
    let partial = move || state.opened.with(|opened| opened.as_ref().is_some_and(|o| o.session.partial.is_some()));
    let head = state.head();
    let closes = Memo::new(move |_| head.with(|head| head.as_ref().is_some_and(|head| readout::closes(head))));
    let whole = move || head.with(|head| head.as_ref().map_or("step", |head| readout::whole(&head.header)));
    view! {
        <div class="tabs">
            <div role="tablist" aria-label="Views">
                <button type="button" class="tab" role="tab" id="tab-breakdown" aria-selected="true" aria-controls="view">
                    "Breakdown"
                </button>
            </div>
            <span class="grow"></span>
            <If when=partial>
                <span class="badge caution">{icon(Icon::Warn)} "Partial file"</span>
            </If>
            <If when=move || closes.get()>
                <span class="badge good closes">{icon(Icon::Check)} "Parts sum to the " {live(whole)}</span>
            </If>
            <notes::Notes state />
        </div>
    }.any()
}
