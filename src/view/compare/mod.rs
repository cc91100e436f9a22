//! This module renders the comparison of two captures: the verdict, the figures of both sides, the waterfall of the difference,
//! the steps, and the table of ops. Texts and fractions are in `chart::compare`.

mod empty;
mod model;
mod panel;
mod picture;
mod rows;
mod scatter;
mod scopes;
mod timeline;

use crate::analysis::compare::Comparison;
use crate::chart::compare;
use crate::protocol::requests;
use crate::report;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::clipboard;
use crate::view::widgets::figure::readout;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::table::Table;
use leptos::prelude::*;
use model::CompareModel;
pub(crate) use model::close_panel;

/// Renders the comparison, or the way to open a second capture.
#[component]
pub(crate) fn Compare(state: State) -> impl IntoView {
    let is_pair = Memo::new(move |_| state.is_compared());
    view! {
        <div class="compare" role="tabpanel" aria-labelledby="tab-compare">
            <If when=move || !is_pair.get()>{move || empty::one_capture(state)}</If>
            <If when=move || is_pair.get()><Pair state /></If>
        </div>
    }
    .any()
}

#[component]
fn Pair(state: State) -> impl IntoView {
    let model = CompareModel::new(state);
    let table_model = rows::table_model(model);
    state.table.set_value(Some(table_model));
    state.place.set(Default::default());
    on_cleanup(move || {
        state.table.set_value(None);
        state.compared_row.set(String::new());
    });
    let head = move || Some(head(model, &*model.found.get()?));
    let failure = move || {
        model.failure.get().map(|failure| {
            view! {
                <section class="empty">
                    <h1>{failure.title}</h1>
                    <p>{failure.message}</p>
                    <p class="acts">{end_button(state)}</p>
                </section>
            }
            .any()
        })
    };
    let is_there = Memo::new(move |_| model.found.with(Option::is_some));
    let has_panel = Memo::new(move |_| state.compared_row.with(|row| !row.is_empty()));
    view! {
        {live(failure)}
        <div class="compare-head" aria-busy=move || model.busy.get().to_string()>{live(head)}</div>
        <If when=move || is_there.get()>
            <div class="compare-halves" class:one=move || model.view_state.with(|view_state| view_state.pane.is_wide())>
                {picture::pictures(model)}
            </div>
            <section class="compare-table" aria-label="Ops of both sides">
                <rows::Tools model />
                <Table model=table_model />
            </section>
        </If>
        <If when=move || has_panel.get()><panel::Panel model /></If>
    }
    .any()
}

/// Renders the button that closes the second capture.
fn end_button(state: State) -> AnyView {
    view! {
        <button type="button" class="btn line small-text" on:click=move |_| state.close_second()>{icon(Icon::Close)} "End comparison"</button>
    }
    .any()
}

/// Renders the verdict, the sides and the figures.
fn head(model: CompareModel, comparison: &Comparison) -> AnyView {
    let state = model.state;
    let side = |letter: &'static str, (files, about): (String, String)| {
        view! {
            <p class="compare-side">
                <span class=format!("side-letter side-{}", letter.to_ascii_lowercase())>{letter}</span>
                <span class="mono">{files}</span> <span class="sub">{about}</span>
            </p>
        }
        .any()
    };
    let [a, b] = compare::sides(comparison);
    let notes = compare::notes(comparison);
    let note = |text: String| view! { <li>{text}</li> }.any();
    let markdown = move |_| {
        let request = requests::CompareMarkdown(model.query.get_untracked());
        state.request_answer(request, move |answer| {
            if let Some(text) = state.shown(answer) {
                clipboard::copy(&text, move |done| {
                    let title = if done { "Markdown copied" } else { "Markdown could not be copied" };
                    state.inform(crate::protocol::Failure { title: title.to_owned(), message: String::new() });
                });
            }
        });
    };
    // A comparison that was shared has no captures that could be compared in another way.
    let is_own = !untrack(|| state.is_shared_comparison());
    let swap = is_own.then(|| {
        view! {
            <button type="button" class="btn line small-text" title="Swap A and B (x)" on:click=move |_| state.swap_sides()>
                {icon(Icon::Swap)} "Swap"
            </button>
        }
        .any()
    });
    view! {
        <h1 class="verdict">
            {report::compare::text::claim(comparison)} <span class="verdict-evidence">{report::compare::text::evidence(comparison)}</span>
        </h1>
        <div class="compare-sides">
            {side("A", a)}
            {swap}
            {side("B", b)}
            <span class="grow"></span>
            <button type="button" class="btn line small-text" on:click=markdown>{icon(Icon::Copy)} "Copy Markdown"</button>
            {is_own.then(|| end_button(state))}
        </div>
        <dl class=format!("figures {}", compare::verdict_class(comparison.verdict)) data-roving="">{readout(compare::readout(comparison))}</dl>
        {(!notes.is_empty()).then(|| view! { <ul class="compare-notes">{notes.into_iter().map(note).collect_view()}</ul> }.any())}
    }
    .any()
}
