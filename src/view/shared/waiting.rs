//! This module renders the strip for a slow answer: the time that it has taken, and Cancel; after a cancel, the offer
//! to compute the answer all the same. While the rest of the files is read, it has the number of devices that are read. The
//! strip floats over the page, so that nothing moves.

use crate::chart::loading::{Load, STOP, devices_read};
use crate::view::state::{State, now};
use crate::view::type_erasure::{EraseType, If, effect, live};
use gloo::timers::callback::Interval;
use leptos::prelude::*;

/// The interval between updates of the time, in milliseconds.
const TICK: u32 = 100;

/// Renders the strip. Nothing is shown while answers come soon.
#[component]
pub(crate) fn Waiting(state: State) -> impl IntoView {
    let is_slow = Memo::new(move |_| state.slow.with(Option::is_some) && !state.load_shown.get());
    let is_stopped = Memo::new(move |_| !is_slow.get() && state.stopped.get() > 0 && !state.load_shown.get());
    let reading = Memo::new(move |_| state.opened.with(|opened| opened.as_ref()?.session.reading));
    let is_reading =
        Memo::new(move |_| reading.get().is_some() && !is_slow.get() && !is_stopped.get() && !state.load_shown.get());
    let percent = move || state.remaining_files.with(|load| load.as_ref().map(Load::percent_text)).unwrap_or_default();
    let seconds = RwSignal::new(String::new());
    let tell = move || {
        if let Some(since) = state.slow.get_untracked() {
            seconds.set(format!("{:.1} s", (now() - since) / 1000.0));
        }
    };
    let clock = StoredValue::new_local(None::<Interval>);
    effect(move || {
        let interval = is_slow.get().then(|| {
            tell();
            Interval::new(TICK, tell)
        });
        clock.set_value(interval);
    });
    let words = move || match (is_slow.get(), is_stopped.get()) {
        (true, _) => "Computing …".to_owned(),
        (_, true) => "Cancelled.".to_owned(),
        _ => reading.get().filter(|_| is_reading.get()).map(devices_read).unwrap_or_default(),
    };
    view! {
        <div class="waiting" hidden=move || !is_slow.get() && !is_stopped.get() && !is_reading.get()>
            <If when=move || is_slow.get() || is_reading.get()>
                <span class="waiting-mark" aria-hidden="true"></span>
            </If>
            <span role="status">{live(words)}</span>
            <If when=is_slow>
                <span class="waiting-time num" aria-hidden="true">{live(move || seconds.get())}</span>
                <button type="button" class="btn line" on:click=move |_| state.cancel_requests()>"Cancel"</button>
            </If>
            <If when=is_reading>
                <span class="waiting-time num" aria-hidden="true">{live(percent)}</span>
                <button type="button" class="btn line" on:click=move |_| state.stop_reading()>{STOP}</button>
            </If>
            <If when=is_stopped>
                <button type="button" class="btn line" on:click=move |_| state.resend_cancelled()>"Compute"</button>
            </If>
        </div>
    }
    .any()
}
