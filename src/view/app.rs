//! This module composes the whole page: the bar, and below it the open session, the load under way, or the landing
//! page.

use super::bar::AppBar;
use super::bar::help::Help;
use super::breakdown::Breakdown;
use super::captures::Captures;
use super::comm::Comm;
use super::compare::Compare;
use super::drop::DropTarget;
use super::empty::NoDevices;
use super::files::File;
use super::glossary::Glossary;
use super::landing::Landing;
use super::loading::Loading;
use super::memory::Memory;
use super::overview::Overview;
use super::roofline::Roofline;
use super::share::Share;
use super::shared::files::FileInputs;
use super::shared::toast::Toasts;
use super::shared::waiting::Waiting;
use super::sources::Choose;
use super::state::{Opened, State};
use super::timeline::Timeline;
use super::type_erasure::{EraseType, If, effect, live};
use super::widgets::icon::{Icon, icon};
use super::widgets::roving;
use super::widgets::swatch::patterns;
use super::widgets::tooltip::Tooltip;
use super::{glossary, hint, keys, op};
use crate::chart;
use crate::chart::loading::Load;
use crate::protocol::url::View;
use leptos::prelude::*;

/// Renders the whole page.
#[component]
pub(crate) fn App() -> impl IntoView {
    let state = State::new();
    state.theme.get_untracked().apply();
    let help = NodeRef::new();
    keys::listen(state, help);
    glossary::listen(state);
    roving::listen();
    state.follow_address();
    effect(move || {
        let name = state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
        document().set_title(&name.map_or_else(|| "Rooflight".to_owned(), |name| format!("{name} · Rooflight")));
    });
    // The tooltip belongs to the previous view.
    effect(move || {
        state.view.track();
        state.tips.hide();
    });
    let open = Memo::new(move |_| state.opened.with(Option::is_some));
    // The open session stays in the document while a load is shown, so that it keeps its state.
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
            <Choose state />
        </If>
        <If when=move || state.sharing.get()><Share state /></If>
        <If when=move || state.glossary.with(Option::is_some)><Glossary state /></If>
        <FileInputs state />
        <Toasts state />
        <Waiting state />
        <DropTarget state />
        <Help state node=help />
        <Tooltip tips=state.tips />
        <p class="visually-hidden" role="status">
            {move || state.load_shown.get().then(|| state.load.with(|load| load.as_ref().map(Load::announcement)))}
        </p>
    }
    .any()
}

/// Renders the view of the open session. The view is hidden while a load is shown.
#[component]
fn OpenView(state: State) -> impl IntoView {
    let head = state.head();
    let any = Memo::new(move |_| head.with(|head| head.as_ref().is_some_and(|head| head.header.device.is_some())));
    // The view stays when the rest of a session's files has been read.
    let has_overview = Memo::new(move |_| state.can(|can| can.overview));
    let has_timeline = Memo::new(move |_| state.can(|can| can.timeline));
    let op_open = Memo::new(move |_| state.op.with(|op| !op.is_empty()));
    let is_folder = Memo::new(move |_| state.is_folder());
    // The view stays when a worker that was restarted opens the same session again.
    let is_shared_comparison = Memo::new(move |_| state.is_shared_comparison());
    let body = move || {
        if is_folder.get() {
            return view! { <Captures state /> }.any();
        }
        let view = if is_shared_comparison.get() { View::Compare } else { state.view.get() };
        match view {
            View::File => return view! { <File state /> }.any(),
            // A capture that holds only compiled programs has memory figures, too.
            View::Memory => return view! { <Memory state /> }.any(),
            View::Overview if any.get() && has_overview.get() => return view! { <Overview state /> }.any(),
            View::Roofline if any.get() => return view! { <Roofline state /> }.any(),
            // A capture without device ops has events of the host.
            View::Timeline if has_timeline.get() => return view! { <Timeline state /> }.any(),
            View::Compare => return view! { <Compare state /> }.any(),
            View::Communication if any.get() => return view! { <Comm state /> }.any(),
            _ => {}
        }
        if any.get() { view! { <Breakdown state head /> }.any() } else { view! { <NoDevices state /> }.any() }
    };
    view! {
        <main class="view" id="view" hidden=move || state.load_shown.get()>
            {move || {
                let summary = |opened: &Opened| opened.session.summary.as_ref().map(|summary| summary.sentence.clone());
                state.opened.with(|opened| opened.as_ref().and_then(|opened| summary(opened))).map(report_strip)
            }}
            {move || {
                state.opened.with(|opened| opened.as_ref().and_then(|opened| opened.session.partial.clone())).map(strip)
            }}
            {hint::hint(state)}
            {live(move || device_strip(state))}
            {live(body)}
            <If when=op_open><op::Op state /></If>
        </main>
    }
    .any()
}

/// Renders that a view shows several devices where the overview shows one, and a button that shows that one. Nothing is rendered
/// if both show the same device.
fn device_strip(state: State) -> Option<AnyView> {
    let is_of_devices = matches!(state.view.get(), View::Breakdown | View::Roofline | View::Communication);
    let judged = state.judged_device.get();
    if !is_of_devices || judged.is_empty() {
        return None;
    }
    let n = state.opened.with(|opened| opened.as_ref().map_or(0, |opened| opened.session.devices.len()));
    let words = chart::overview::devices_words(state.query.with(|query| query.device), n)?;
    let button = state.summary().is_none().then(|| {
        let label = format!("Show {judged} here");
        view! { <button type="button" class="link" on:click=move |_| state.show_judged_device()>{label}</button> }.any()
    });
    Some(
        view! {
            <p class="device-strip">{icon(Icon::Info)} <span>{format!("The figures are the {words}; those of Overview are of {judged} alone. ")} {button}</span></p>
        }
        .any(),
    )
}

fn report_strip(sentence: String) -> impl IntoView {
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
