//! This module composes the view of the files: figures, missing data, planes with their lines, and programs with their
//! text.

mod code;
mod find;
mod planes;
mod programs;
mod quality;

use crate::analysis::files::FileView;
use crate::chart::{empty, files};
use crate::protocol::requests;
use crate::view::empty::empty_state;
use crate::view::state::{PtrEq, SharedSignal, State};
use crate::view::type_erasure::{EraseType, live};
pub(crate) use find::focus;
use leptos::prelude::*;

/// Renders the view of the files.
#[component]
pub(crate) fn File(state: State) -> impl IntoView {
    let found = SharedSignal::<FileView>::none();
    state.request_answer_on_change(
        move || state.can(|can| can.file_contents).then_some(requests::File),
        move |answer| {
            if let Some(file) = state.shown(answer) {
                found.set(Some(PtrEq::new(file)));
            }
        },
    );
    if !untrack(|| state.can(|can| can.file_contents)) {
        return no_files(state);
    }
    let figures = move || {
        let one = |(index, (label, value, unit)): (usize, (&'static str, String, &'static str))| {
            let class = if index == 0 { "figure hero" } else { "figure" };
            view! { <div class=class><dt>{label}</dt><dd>{value} <span class="unit">{unit}</span></dd></div> }.any()
        };
        found.with(|file| Some(files::figures(file.as_ref()?).into_iter().enumerate().map(one).collect_view()))
    };
    let origin = move || found.with(|file| file.as_ref().map(|file| files::origin(file)));
    let lacks = move || found.get().map(|file| quality::quality(&file));
    let planes = move || found.get().map(|file| planes::planes(&file));
    view! {
        <div class="file" role="tabpanel" aria-labelledby="tab-file">
            <h1 class="visually-hidden">"Contents of the files"</h1>
            <dl class="figures" data-roving="">{live(figures)}</dl>
            <p class="file-origin">{live(origin)}</p>
            {live(lacks)}
            <div class="file-parts">
                <section class="file-planes" aria-labelledby="file-planes">
                    <h2 id="file-planes">"Planes and lines"</h2>
                    {live(planes)}
                </section>
                <programs::Programs state found />
            </div>
        </div>
    }
    .any()
}

/// Renders the view of the files for a summary, which has no files.
fn no_files(state: State) -> AnyView {
    let words = untrack(|| state.opened.with(|opened| opened.as_ref().map(|opened| empty::files(&opened.session))));
    view! {
        <div class="file" role="tabpanel" aria-labelledby="tab-file">
            <h1 class="visually-hidden">"Contents of the files"</h1>
            {words.map(|words| empty_state(state, words, ().into_any()))}
        </div>
    }
    .any()
}
