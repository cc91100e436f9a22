//! The whole page: the bar, then what is open, being opened, or neither. Knows which; not what is in it.

use crate::chart::load::Load;
use crate::engine::address::View;
use crate::view::bar::AppBar;
use crate::view::breakdown::Breakdown;
use crate::view::drop::DropTarget;
use crate::view::empty::NoDevices;
use crate::view::erase::{Any, If, effect, live};
use crate::view::landing::Landing;
use crate::view::loading::Loading;
use crate::view::op;
use crate::view::parts::{Parts, dialog, part};
use crate::view::state::{Opened, State};
use crate::view::widgets::files::Inputs;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::roving;
use crate::view::widgets::swatch::patterns;
use crate::view::widgets::toast::Toasts;
use crate::view::widgets::tooltip::Tooltip;
use crate::view::widgets::waiting::Waiting;
use crate::view::{bar::help::Help, keys};
use leptos::prelude::*;

/// The page.
#[component]
pub(crate) fn App(parts: Parts) -> impl IntoView {
    let state = State::new(parts);
    state.theme.get_untracked().apply();
    let help = NodeRef::new();
    keys::listen(state, help);
    roving::listen();
    state.follow_address();
    effect(move || {
        let name = state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
        document().set_title(&name.map_or_else(|| "Rooflight".to_owned(), |name| format!("{name} · Rooflight")));
    });
    // A tooltip is of what was there.
    effect(move || {
        state.view.track();
        state.tips.hide();
    });
    let open = Memo::new(move |_| state.opened.with(Option::is_some));
    // What is open stays in the document while something else is read: it comes back as it was.
    view! {
        {patterns()}
        <AppBar state help />
        <If when=move || state.load_shown.get()>
            <Loading state />
        </If>
        <If when=move || !open.get() && !state.load_shown.get()>
            <Landing state />
        </If>
        <If when=move || open.get()>
            <OpenView state />
        </If>
        <If when=move || state.estimate.with(Option::is_some)>
            {move || part(state, |parts| parts.choice, |_, words| words)}
        </If>
        <If when=move || state.sharing.get()>{move || dialog(state, |parts| parts.share, state.sharing)}</If>
        <Inputs state />
        <Toasts state />
        <Waiting state />
        <DropTarget state />
        <Help state node=help />
        <Tooltip tips=state.tips />
        <p class="unseen" role="status">
            {move || state.load_shown.get().then(|| state.load.with(|load| load.as_ref().map(Load::announcement)))}
        </p>
    }
    .any()
}

/// The view of what is open, out of sight while something is read.
#[component]
fn OpenView(state: State) -> impl IntoView {
    let head = state.head();
    let any = Memo::new(move |_| head.with(|head| head.as_ref().is_some_and(|head| head.header.device.is_some())));
    let op_open = Memo::new(move |_| state.op.with(|op| !op.is_empty()));
    let body = move || {
        if state.view.get() == View::File {
            return part(state, |parts| parts.file, file_frame);
        }
        // Programs alone have memory, too.
        if state.view.get() == View::Memory {
            return part(state, |parts| parts.memory, memory_frame);
        }
        if any.get() && state.view.get() == View::Roofline {
            return part(state, |parts| parts.roofline, roofline_frame);
        }
        if any.get() && state.view.get() == View::Communication {
            return part(state, |parts| parts.comm, comm_frame);
        }
        if any.get() { view! { <Breakdown state head /> }.any() } else { view! { <NoDevices state /> }.any() }
    };
    view! {
        <main class="view" id="view" hidden=move || state.load_shown.get()>
            {move || {
                let summary = |opened: &Opened| opened.session.summary.as_ref().map(|summary| summary.sentence.clone());
                state.opened.with(|opened| opened.as_ref().and_then(|opened| summary(opened))).map(of_summary)
            }}
            {move || {
                state.opened.with(|opened| opened.as_ref().and_then(|opened| opened.session.partial.clone())).map(strip)
            }}
            {live(body)}
            <If when=op_open>{move || part(state, |parts| parts.op, op_frame)}</If>
        </main>
    }
    .any()
}

fn file_frame(_: State, words: AnyView) -> AnyView {
    view! { <div class="file" role="tabpanel" aria-labelledby="tab-file">{words}</div> }.any()
}

fn roofline_frame(_: State, words: AnyView) -> AnyView {
    view! { <div class="roofline" role="tabpanel" aria-labelledby="tab-roofline">{words}</div> }.any()
}

fn memory_frame(_: State, words: AnyView) -> AnyView {
    view! { <div class="memory" role="tabpanel" aria-labelledby="tab-memory">{words}</div> }.any()
}

fn comm_frame(_: State, words: AnyView) -> AnyView {
    view! { <div class="comm" role="tabpanel" aria-labelledby="tab-communication">{words}</div> }.any()
}

fn op_frame(state: State, words: AnyView) -> AnyView {
    let close = move |_| op::close(state);
    view! {
        <aside class="op-panel" aria-label="Op">
            <header>
                <span class="grow"></span>
                <button type="button" class="btn icon-only" aria-label="Close" title="Close (Esc)" on:click=close>{icon(Icon::Close)}</button>
            </header>
            {words}
        </aside>
    }
    .any()
}

fn of_summary(sentence: String) -> impl IntoView {
    view! {
        <p class="strip summary">{icon(Icon::Info)} <span>{sentence}</span></p>
    }
    .any()
}

fn strip(sentence: String) -> impl IntoView {
    view! {
        <p class="strip">{icon(Icon::Warn)} <span><b>"Partial. "</b> {sentence}</span></p>
    }
    .any()
}
