//! This module renders a load under way: the bytes read, the stages, the notes, and the button that cancels the load.

use crate::chart::loading::{Line, Load, OPEN_SO_FAR, State as Stage};
use crate::table::format;
use crate::view::state::{State, now};
use crate::view::type_erasure::{EraseType, If, effect, live};
use crate::view::widgets::icon::{Icon, icon};
use leptos::html;
use leptos::prelude::*;
use std::time::Duration;

/// Renders the load under way.
#[component]
pub(crate) fn Loading(state: State) -> impl IntoView {
    let tick = move || {
        state.load.update(|load| {
            if let Some(load) = load {
                load.tick(now());
            }
        });
    };
    if let Ok(timer) = set_interval_with_handle(tick, Duration::from_millis(250)) {
        on_cleanup(move || timer.clear());
    }
    let cancel = NodeRef::<html::Button>::new();
    effect(move || {
        // The focus is set in the next frame, which computes the layout anyway. A focus at once would compute the
        // layout twice.
        if let Some(button) = cancel.get() {
            request_animation_frame(move || drop(button.focus()));
        }
    });
    let text =
        move |read: fn(&Load) -> String| move || state.load.with(|load| load.as_ref().map(read).unwrap_or_default());
    let percent = text(|load| load.percent().to_string());
    let lines = move || state.load.with(|load| load.as_ref().map(Load::lines).unwrap_or_default());
    let found =
        Memo::new(move |_| state.load.with(|load| load.as_ref().map(|load| load.notes().to_vec()).unwrap_or_default()));
    let notes = move || {
        let (notes, first) = (found.get(), 3);
        let so_far = format::counted(notes.len() as u64, "note", "notes");
        let more = notes.len().saturating_sub(first);
        (!notes.is_empty()).then(|| {
            let one = |note: String| view! { <li>{note}</li> }.any();
            view! {
                <section class="loading-notes" role="status">
                    {icon(Icon::Info)}
                    <div>
                        <b>{so_far} " so far"</b>
                        <ul>{notes.into_iter().take(first).map(one).collect_view()}</ul>
                        {(more > 0).then(|| view! { <p class="sub">{format!("and {more} more")}</p> }.any())}
                    </div>
                </section>
            }
            .any()
        })
    };
    view! {
        <main class="loading">
            <h1>
                <span class="mono">{text(|load| load.name.clone())}</span>
                " "
                <span class="unit">{text(Load::size)}</span>
            </h1>
            <div class="meter" role="progressbar" aria-label="Read" aria-valuemin="0" aria-valuemax="100" aria-valuenow=percent>
                <div style:width=text(|load| format!("{:.1}%", load.fraction() * 100.0))></div>
            </div>
            <p class="loading-line">
                <span><b>{text(|load| load.read().0)}</b> {text(|load| load.read().1)}</span>
                <span class="grow"></span>
                <span>{text(|load| load.left().unwrap_or_default())}</span>
            </p>
            <table class="stages">
                <caption class="visually-hidden">"Stages of the load"</caption>
                <tbody>{move || lines().into_iter().map(line).collect_view()}</tbody>
            </table>
            <p class="loading-acts">
                <button node_ref=cancel type="button" class="btn line" on:click=move |_| state.cancel()>
                    "Cancel" <kbd>"Esc"</kbd>
                </button>
                <If when=move || state.load.with(|load| load.as_ref().is_some_and(Load::can_stop))>
                    <button type="button" class="btn" on:click=move |_| state.stop_reading()>{OPEN_SO_FAR}</button>
                </If>
                <span class="grow"></span>
                <span class="sub">{text(|load| load.memory().unwrap_or_default())}</span>
            </p>
            {live(notes)}
        </main>
    }.any()
}

fn line(line: Line) -> impl IntoView {
    let (class, mark, state) = match line.state {
        Stage::Done => ("done", Some(Icon::Check), "done"),
        Stage::Now => ("now", Some(Icon::Now), "in progress"),
        Stage::Waiting => ("wait", None, "pending"),
        Stage::Skipped => ("wait", None, ""),
    };
    view! {
        <tr class=class>
            <th scope="row"><span class="stage-mark">{mark.map(icon)}</span> {line.name} <span class="visually-hidden">{state}</span></th>
            <td class="found">{line.found}</td>
            <td class="num">{line.time}</td>
        </tr>
    }.any()
}
