//! This module renders the flags of the run: a text that the user pastes, and the verdict about each flag. Figures and
//! texts are in `chart::comm::flags`.

use super::model::CommModel;
use crate::analysis::flags::{FlagsQuery, FlagsReport};
use crate::chart::comm::flags::{ABOUT, FlagLine, class, empty, lines, pieces};
use crate::protocol::{Failure, requests};
use crate::report::flags;
use crate::view::state::{PtrEq, State};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::clipboard;
use leptos::prelude::*;

/// Renders the text of the flags, and beside it the verdicts.
#[component]
pub(super) fn Flags(model: CommModel, head: AnyView) -> impl IntoView {
    let state = model.state;
    let found = state.answer_of_session::<(String, FlagsReport)>();
    state.request_answer_on_change(
        move || Some(requests::Flags(FlagsQuery { comm: model.query.get(), text: state.flags.get() })),
        move |answer| {
            if let Some(report) = state.shown(answer) {
                // The answer is about the text of the last request, because earlier requests are withdrawn.
                found.set(Some(PtrEq::new((state.flags.get_untracked(), report))));
            }
        },
    );
    let about = move || Some(flags::table::head(&found.get()?.1));
    let marked = move || {
        let found = found.get()?;
        let text = state.flags.get();
        let pieces = if text == found.0 { pieces(&text, &found.1) } else { None };
        let pieces = pieces.unwrap_or_else(|| vec![(format!("{text} "), None)]);
        let piece = |(text, verdict): (String, Option<_>)| match verdict {
            Some(verdict) => view! { <u class=class(verdict)>{text}</u> }.any(),
            None => view! { <span>{text}</span> }.any(),
        };
        Some(pieces.into_iter().map(piece).collect_view())
    };
    let is_empty = Memo::new(move |_| state.flags.with(String::is_empty));
    let changed = move || found.with(|found| found.as_ref()?.1.changed.clone());
    let rows = move || {
        let found = found.get()?;
        let rows = lines(&found.1);
        if rows.is_empty() {
            return Some(view! { <p class="chart-empty">{empty(&found.1)}</p> }.any());
        }
        Some(table(state, rows))
    };
    view! {
        <div class="picture-head" data-roving="">{head} <span class="picture-note">{live(about)}</span> <span class="grow"></span></div>
        <div class="comm-flags">
            <div class="flag-text">
                <div class="flag-field">
                    <pre aria-hidden="true">{live(marked)}</pre>
                    <textarea
                        aria-label="XLA flags"
                        aria-describedby="flags-about"
                        spellcheck="false"
                        autocapitalize="off"
                        placeholder="LIBTPU_INIT_ARGS=\"--xla_…=true\""
                        prop:value=move || state.flags.get()
                        on:input=move |event| state.flags.set(event_target_value(&event))
                    ></textarea>
                </div>
                <p class="sub" id="flags-about">{ABOUT}</p>
                <div class="acts">
                    <button type="button" class="btn line" disabled=move || is_empty.get() on:click=move |_| state.flags.set(String::new())>"Clear"</button>
                    <button type="button" class="btn line" disabled=move || changed().is_none() on:click=move |_| copy(state, changed())>"Copy with all changes"</button>
                </div>
            </div>
            <div class="found" tabindex="0" role="region" aria-label="Verdicts about flags">{live(rows)}</div>
        </div>
    }
    .any()
}

/// Copies the text with all changes, and says so.
fn copy(state: State, text: Option<String>) {
    let Some(text) = text else { return };
    clipboard::copy(&text, move |done| {
        let title = if done { "Flags copied" } else { "Flags could not be copied" };
        state.inform(Failure { title: title.to_owned(), message: String::new() });
    });
}

fn table(state: State, rows: Vec<FlagLine>) -> AnyView {
    let row = move |line: FlagLine| {
        let flags = line.flags.into_iter().map(|flag| view! { <code>{flag}</code> }.any()).collect_view();
        let change = line.change.map(|change| {
            let text = change.text;
            view! { <button type="button" class="link" on:click=move |_| state.flags.set(text.clone())>{change.label}</button> }.any()
        });
        view! {
            <tr>
                <th scope="row" class=class(line.verdict)>{line.verdict.label()}</th>
                <td class="flag-reason"><div class="flags">{flags}</div> <p>{line.reason}</p></td>
                <td class="num">{line.stall}</td>
                <td>{change}</td>
            </tr>
        }
        .any()
    };
    view! {
        <table class="found-table">
            <thead><tr><th scope="col">"Verdict"</th><th scope="col">"Flag, judged by this capture"</th><th scope="col" class="num">"Stall"</th><th scope="col">"Change"</th></tr></thead>
            <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .any()
}
