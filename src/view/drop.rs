//! This module makes the whole page a drop target, and hands dropped files to the state. While a session is open, the place of
//! the drop says what is done with the files. On a narrow page, they replace the open session.

use super::state::{self, OpenAs, State};
use super::type_erasure::{EraseType, live};
use crate::chart::widgets::table::TWO_LINES;
use leptos::ev;
use leptos::prelude::*;
use web_sys::DragEvent;

fn has_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}

/// Returns the width of the window in pixels.
fn window_width() -> f64 {
    window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(1.0).max(1.0)
}

/// Returns what can be done with a drop. A report has no hosts.
fn choices(state: State) -> &'static [OpenAs] {
    match (state.opened.with(Option::is_some) && !state.is_folder(), state.summary()) {
        (false, _) => &OpenAs::ALL[..1],
        (true, Some(summary)) if summary.comparison.is_some() => &OpenAs::ALL[..1],
        (true, Some(_)) => &[OpenAs::Replace, OpenAs::Compare],
        (true, None) => &OpenAs::ALL,
    }
}

/// Returns what a drop at this place does: the page is divided into equal columns, unless it is narrow.
fn choice(event: &DragEvent, choices: &[OpenAs]) -> OpenAs {
    let wide = window_width();
    if wide < TWO_LINES {
        return OpenAs::Replace;
    }
    let share = f64::from(event.client_x()) / wide;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2")]
    let index = (share * choices.len() as f64).max(0.0) as usize;
    choices.get(index).or(choices.last()).copied().unwrap_or_default()
}

/// Renders the frame that is shown while files are dragged over the page.
#[component]
pub(crate) fn DropTarget(state: State) -> impl IntoView {
    let over = RwSignal::new(None::<OpenAs>);
    let has_choice = move || choices(state).len() > 1;
    let enter = move |event: DragEvent| {
        if has_files(&event) {
            event.prevent_default();
            if let Some(transfer) = event.data_transfer() {
                transfer.set_drop_effect("copy");
            }
            let chosen = Some(choice(&event, untrack(|| choices(state))));
            // The event comes many times per second.
            if over.get_untracked() != chosen {
                over.set(chosen);
            }
        }
    };
    let leave = move |event: DragEvent| {
        if event.related_target().is_none() {
            over.set(None);
        }
    };
    let dropped = move |event: DragEvent| {
        over.set(None);
        if !has_files(&event) {
            return;
        }
        event.prevent_default();
        if let Some(transfer) = event.data_transfer() {
            let open_as = choice(&event, untrack(|| choices(state)));
            state::from_drop(state, &transfer, open_as);
        }
    };
    let listeners = [
        window_event_listener(ev::dragenter, enter),
        window_event_listener(ev::dragover, enter),
        window_event_listener(ev::dragleave, leave),
        window_event_listener(ev::drop, dropped),
    ];
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    let name = move || state.opened.with(|opened| opened.as_ref().map_or(String::new(), |opened| opened.name.clone()));
    let about = move |open_as: OpenAs| match open_as {
        OpenAs::Replace => format!("{} is closed", name()),
        OpenAs::Compare => format!("{} stays as A, these files are B", name()),
        OpenAs::AddHosts => "read together, as more hosts of the same run".to_owned(),
    };
    let area = move |open_as: OpenAs| {
        view! {
            <div class="drop-area" class:chosen=move || over.get() == Some(open_as)>
                <b>{open_as.label()}</b> <span>{move || about(open_as)}</span>
            </div>
        }
        .any()
    };
    let areas = move || {
        if has_choice() && over.with(Option::is_some) && window_width() >= TWO_LINES {
            Some(choices(state).iter().copied().map(area).collect_view().into_any())
        } else {
            let words = if has_choice() { format!("Drop to replace {}", name()) } else { "Drop to open".to_owned() };
            Some(view! { <p>{words}</p> }.any())
        }
    };
    view! {
        <div class="drop-frame" hidden=move || over.with(Option::is_none)>{live(areas)}</div>
    }
    .any()
}
