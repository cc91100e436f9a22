//! This module renders the text of a program. Only the lines near the visible part exist in the document; empty space
//! takes the height of the others. `chart::widgets::virtual_rows` decides which lines exist.

use super::find::FoundLines;
use crate::analysis::files::FileView;
use crate::chart::files;
use crate::chart::widgets::{hlo_text, virtual_rows};
use crate::protocol::{LineKind, ProgramHead, ProgramLine, ProgramPage, ProgramRef, requests};
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use crate::view::type_erasure::{EraseType, effect, live};
use leptos::prelude::*;
use leptos::{ev, html};

/// The height of a line in pixels, as in the style sheet.
const ROW: f64 = 18.0;
/// The number of lines above a line that is scrolled into view.
const ABOVE: f64 = 6.0;
/// The largest height of the text in pixels, because browsers draw nothing taller. Lines beyond it are reached by
/// search.
const TALLEST: f64 = 16_000_000.0;

/// The loaded pages of one program.
type Pages = Vec<PtrEq<ProgramPage>>;

/// Renders the text of the chosen program.
#[component]
pub(crate) fn Code(
    state: State,
    chosen: Memo<Option<ProgramRef>>,
    file: SharedSignal<FileView>,
    found: FoundLines,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let pages = RwSignal::new(Pages::new());
    let requested = StoredValue::new(Vec::<u32>::new());
    let visible = RwSignal::new((0.0_f64, 600.0_f64));
    let head = SharedMemo::new(move || pages.with(|pages| pages.first().map(|page| PtrEq::new(page.head.clone()))));
    let lines = Memo::new(move |_| head.with(|head| head.as_ref().map_or(0, |head| head.n_lines)));
    let rows = Memo::new(move |_| {
        let (top, height) = visible.get();
        virtual_rows::rendered(lines.get().max(1), ROW, top, top + height)
    });
    effect(move || {
        chosen.track();
        pages.set(Pages::new());
        requested.set_value(Vec::new());
        if let Some(node) = node.get_untracked() {
            node.set_scroll_top(0);
        }
    });
    // Requests the lines near the visible part that were not requested before.
    effect(move || {
        let (Some(program), rows) = (chosen.get(), rows.get()) else { return };
        for first in virtual_rows::pages(rows) {
            if requested.with_value(|requested| requested.contains(&first)) {
                continue;
            }
            requested.update_value(|requested| requested.push(first));
            want(state, program, first, chosen, pages, requested);
        }
    });
    // Scrolls the line of the address into view.
    let line = Memo::new(move |_| state.file.with(|place| place.line));
    effect(move || {
        // A jump to the same line scrolls again, because the user may have scrolled away.
        state.jumps.track();
        let (Some(line), true) = (line.get(), lines.get() > 0) else { return };
        let Some(node) = node.get() else { return };
        let top = f64::from(line.saturating_sub(1)) * ROW;
        let (from, height) = (f64::from(node.scroll_top()), f64::from(node.client_height()));
        if top < from || top + ROW > from + height {
            #[expect(clippy::cast_possible_truncation, reason = "pixels, saturating")]
            node.set_scroll_top((top - ABOVE * ROW).max(0.0) as i32);
        }
    });
    let scrolled = move |_| {
        if let Some(node) = node.get_untracked() {
            visible.set((f64::from(node.scroll_top()), f64::from(node.client_height())));
        }
    };
    effect(move || {
        if let Some(node) = node.get() {
            crate::view::widgets::size::on_width(&node, move |_| scrolled(()));
        }
    });
    let status = move || {
        let source = pages.with(|pages| pages.first().map(|page| page.source))?;
        head.with(|head: &Option<PtrEq<ProgramHead>>| Some(files::head(head.as_ref()?, source)))
    };
    // A program without an id is named by its index.
    let program = Memo::new(move |_| {
        let program = chosen.get()?;
        let id = file.with(|file| file.as_ref()?.programs.get(program.0 as usize)?.program_id);
        Some(id.filter(|id| *id != 0).map_or_else(|| format!("#{}", program.0), |id| id.to_string()))
    });
    // Enter opens the instruction of the current line.
    let key = move |event: ev::KeyboardEvent| {
        if event.key() != "Enter" || event.target() != event.current_target() {
            return;
        }
        let row = line.get_untracked().and_then(|line| line.checked_sub(1));
        let (Some(row), Some(program)) = (row, program.get_untracked()) else { return };
        let text = pages.with_untracked(|pages| find(pages, row));
        if let Some(LineKind::Instruction(name)) = text.map(|line| line.kind) {
            event.prevent_default();
            state.op.set(format!("{name}@{program}"));
        }
    };
    let body = move || {
        let (rows, chosen_line, program) = (rows.get(), line.get(), program.get());
        let shown = pages.with(|pages| rows.clone().map(|row| find(pages, row)).collect::<Vec<_>>());
        let hits = found.get();
        let one = |(row, text): (u32, Option<ProgramLine>)| {
            let is_at = chosen_line == Some(row + 1);
            let hit = hits.as_ref().is_some_and(|found| found.lines.binary_search(&row).is_ok());
            code_line(state, row, text, is_at, hit, program.as_deref())
        };
        rows.clone().zip(shown).map(one).collect_view()
    };
    let top = move || format!("{}px", f64::from(rows.get().start) * ROW);
    let height = move || format!("{}px", (f64::from(lines.get()) * ROW).min(TALLEST));
    view! {
        <p class="file-status">{live(status)}</p>
        <div class="code" node_ref=node tabindex="0" role="region" aria-label="Line by line" on:scroll=move |_| scrolled(()) on:keydown=key>
            <div class="code-space" style:height=height>
                <div class="code-rows" style:top=top>{live(body)}</div>
            </div>
        </div>
    }
    .any()
}

fn find(pages: &Pages, index: u32) -> Option<ProgramLine> {
    let covers = |page: &&PtrEq<ProgramPage>| page.first <= index && index - page.first < virtual_rows::PAGE;
    let page = pages.iter().find(covers)?;
    page.lines.get((index - page.first) as usize).cloned()
}

fn want(
    state: State,
    program: ProgramRef,
    first: u32,
    chosen: Memo<Option<ProgramRef>>,
    pages: RwSignal<Pages>,
    requested: StoredValue<Vec<u32>>,
) {
    let request = requests::ProgramText { program, first, count: virtual_rows::PAGE };
    state.request_answer(request, move |answer| {
        if chosen.try_get_untracked().flatten() != Some(program) {
            return;
        }
        if let Some(page) = state.shown(answer) {
            let _ = pages.try_update(|pages| {
                pages.push(PtrEq::new(page));
                let rows = first..first + virtual_rows::PAGE;
                if let Some(far) = virtual_rows::farthest(pages.iter().map(|page| page.first), &rows) {
                    pages.retain(|page| page.first != far);
                    let _ = requested.try_update_value(|requested| requested.retain(|other| *other != far));
                }
            });
        }
    });
}

fn code_line(
    state: State,
    row: u32,
    line: Option<ProgramLine>,
    is_current: bool,
    hit: bool,
    program: Option<&str>,
) -> AnyView {
    let number = view! { <span class="code-no" aria-hidden="true">{row + 1}</span> }.any();
    let Some(line) = line else { return view! { <div class="code-line">{number}</div> }.any() };
    let (text, left) = files::cut(&line.text);
    let mut name = match &line.kind {
        LineKind::Instruction(name) => Some((name.clone(), program.unwrap_or_default().to_owned())),
        _ => None,
    };
    let piece = |(token, piece): (hlo_text::Token, &str)| match (token, &name) {
        // The first name in the line of an instruction is its own name.
        (hlo_text::Token::Name, Some((own, program))) if piece.trim_start_matches('%') == own => {
            let key = format!("{own}@{program}");
            name = None;
            view! { <button type="button" class="code-op" tabindex="-1" on:click=move |_| state.op.set(key.clone())>{piece.to_owned()}</button> }.any()
        }
        _ => view! { <span class=token.class()>{piece.to_owned()}</span> }.any(),
    };
    let pieces: Vec<AnyView> = hlo_text::tokens(text).into_iter().map(piece).collect();
    let more = (left > 0).then(|| view! { <span class="sub">{format!(" … {left} more characters")}</span> }.any());
    let class = match (is_current, hit) {
        (true, _) => "code-line at",
        (_, true) => "code-line hit",
        _ if line.kind == LineKind::Computation => "code-line head",
        _ => "code-line",
    };
    view! { <div class=class>{number}<code>{pieces}{more}</code></div> }.any()
}
