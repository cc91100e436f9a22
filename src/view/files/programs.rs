//! This module renders the list of programs, and the text of the chosen program.

use super::code::Code;
use super::find::{Find, FoundLines};
use crate::analysis::files::FileView;
use crate::chart::files;
use crate::protocol::{OutlineItem, ProgramOutline, ProgramRef, requests};
use crate::view::state::{PtrEq, SharedSignal, State};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::clipboard;
use leptos::prelude::*;

/// A program of more bytes is read only if the user chooses it.
const BY_ITSELF: u64 = 32 << 20;

/// Renders the list of programs, the computations of the chosen program, and its text.
#[component]
pub(crate) fn Programs(state: State, found: SharedSignal<FileView>) -> impl IntoView {
    let chosen = Memo::new(move |_| {
        let known = found.with(|file| file.as_ref().map(|file| file.programs.clone()))?;
        match state.file.with(|place| place.program) {
            Some(index) if known.get(index as usize).is_some() => Some(ProgramRef(index)),
            // No program was chosen, or the chosen program does not exist.
            _ => known.first().filter(|program| program.bytes.unwrap_or(0) <= BY_ITSELF).map(|_| ProgramRef(0)),
        }
    });
    let hits = FoundLines::none();
    let outline = SharedSignal::<ProgramOutline>::none();
    let request = move || chosen.get().map(requests::ProgramOutline);
    state.request_answer_on_change(request, move |answer| {
        if let Some(answer) = state.shown(answer) {
            outline.set(Some(PtrEq::new(answer)));
        }
    });
    let list = move || {
        let file = found.get()?;
        let one = |(index, program): (usize, &crate::analysis::files::FileProgram)| {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let (name, summary) = files::program(program);
            let pressed = move || (chosen.get() == Some(ProgramRef(index))).to_string();
            let choose = move |_| {
                state.file.update(|place| (place.program, place.line) = (Some(index), None));
            };
            view! {
                <li>
                    <button type="button" class="program" aria-pressed=pressed on:click=choose>
                        <span class="mono">{name}</span> <span class="sub">{summary}</span>
                    </button>
                </li>
            }
            .any()
        };
        let list = file.programs.iter().enumerate().map(one).collect_view();
        let none = file.programs.is_empty().then(|| {
            view! {
                <p class="chart-empty">
                    "This capture has no programs: neither HLO nor ops with HLO text. Drop a *.hlo_proto.pb beside it."
                </p>
            }
            .any()
        });
        Some(view! { <ul class="programs">{list}</ul> {none} }.any())
    };
    let mine = move || {
        let chosen = chosen.get();
        outline.get().filter(|outline| Some(outline.program) == chosen)
    };
    let computations =
        move || mine().filter(|program| !program.computations.is_empty()).map(|program| computations(state, &program));
    let any = Memo::new(move |_| chosen.get().is_some());
    view! {
        <section class="file-programs" aria-labelledby="file-programs">
            <h2 id="file-programs">"Programs"</h2>
            {live(list)}
            {live(computations)}
        </section>
        <If when=any>
            <section class="file-text" aria-labelledby="file-text">
                <div class="file-tools">
                    <h2 id="file-text">"HLO text"</h2>
                    <span class="grow"></span>
                    <Find state chosen found=hits />
                    <button type="button" class="btn line" on:click=move |_| save(state, chosen.get_untracked())>"Save text"</button>
                </div>
                <Code state chosen file=found found=hits />
            </section>
        </If>
    }
    .any()
}

fn computations(state: State, outline: &ProgramOutline) -> AnyView {
    let one = |item: &OutlineItem| {
        let line = item.line;
        let go = move |_| state.go_to_line(line + 1);
        view! {
            <li>
                <button type="button" class="program" on:click=go>
                    <span class="mono">{item.name.clone()}</span> <span class="sub">{files::computation(item)}</span>
                </button>
            </li>
        }
        .any()
    };
    // The entry computation is mostly the last one of the text, and is listed first.
    let entry = outline.computations.iter().filter(|item| item.is_entry);
    let others = outline.computations.iter().filter(|item| !item.is_entry);
    let shown: Vec<AnyView> = entry.chain(others).take(files::COMPUTATIONS).map(one).collect();
    let more = outline.computations.len() - shown.len();
    view! {
        <details class="computations" open=true>
            <summary>"Computations " <span class="sub">{outline.computations.len()}</span></summary>
            <ul class="programs">{shown}</ul>
            {(more > 0).then(|| view! { <p class="sub">{format!("and {more} more: look for them in the text")}</p> }.any())}
        </details>
    }
    .any()
}

/// Saves the whole text of a program, which is requested piece by piece.
fn save(state: State, program: Option<ProgramRef>) {
    if let Some(program) = program {
        piece(state, program, String::new(), 0);
    }
}

fn piece(state: State, program: ProgramRef, mut text: String, first: u32) {
    let request = requests::ProgramText { program, first, count: 1000 };
    state.request_answer(request, move |answer| {
        let Some(page) = state.shown(answer) else { return };
        for line in &page.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        let next = first.saturating_add(u32::try_from(page.lines.len()).unwrap_or(u32::MAX));
        if next < page.head.n_lines && !page.lines.is_empty() {
            piece(state, program, text, next);
            return;
        }
        let name = crate::chart::widgets::table::file_name(&page.head.name, "hlo", "txt");
        if clipboard::save(&name, "text/plain", &text).is_err() {
            let message = "The browser refuses to save a file from this page.".to_owned();
            state.inform(crate::protocol::Failure { title: "Nothing was saved".to_owned(), message });
        }
    });
}
