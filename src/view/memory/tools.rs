//! Which program, which memory, or which allocator.

use super::sight::Sight;
use crate::analysis::memory::{AllocatorMemory, ProgramPeaks, SpacePeak};
use crate::chart::memory::text;
use crate::engine::memory_place::Side;
use crate::report::number;
use crate::view::erase::{Any, live};
use leptos::{ev, prelude::*};

/// The pickers.
#[component]
pub(super) fn Tools(sight: Sight) -> impl IntoView {
    let side = move |side: Side, label: &'static str| {
        let pressed = move || (sight.place.with(|place| place.side) == side).to_string();
        view! { <button type="button" aria-pressed=pressed on:click=move |_| sight.change(|place| place.side = side)>{label}</button> }.any()
    };
    let pickers = move || {
        if sight.place.with(|place| place.side) == Side::Allocator {
            allocators(sight)
        } else {
            view! { {programs(sight)} {memories(sight)} }.any()
        }
    };
    view! {
        <div class="memory-tools">
            {live(pickers)}
            <div class="segmented" role="group" aria-label="What the curve is of">
                {side(Side::Static, "Static")}
                {side(Side::Allocator, "Allocator")}
            </div>
        </div>
    }
    .any()
}

/// Programs, the heaviest first; each with its peak.
fn programs(sight: Sight) -> AnyView {
    let chosen = move || sight.ask.with(|ask| ask.as_ref().map(|ask| ask.program));
    let change = move |event: ev::Event| {
        if let Ok(program) = event_target_value(&event).parse() {
            sight.change(|place| (place.program, place.at, place.color) = (Some(program), None, 0));
        }
    };
    let one = move |of: &ProgramPeaks| {
        let program = of.program;
        let peak = of.spaces.iter().find(|space| space.color == 0).or_else(|| of.spaces.first());
        let says = peak.map_or_else(|| "nothing known".to_owned(), |space| text(space.peak));
        let words = format!("{} · {says}", number::middle_cut(&of.name, 48));
        view! { <option value=program.to_string() selected=move || chosen() == Some(program)>{words}</option> }.any()
    };
    let all = move || {
        sight
            .session
            .with(|session| session.as_ref().map(|session| session.programs.programs.iter().map(one).collect_view()))
    };
    view! { <select aria-label="Program" on:change=change>{live(all)}</select> }.any()
}

/// Memories of the program, where it has several.
fn memories(sight: Sight) -> AnyView {
    let change = move |event: ev::Event| {
        if let Ok(color) = event_target_value(&event).parse() {
            sight.change(|place| (place.color, place.at) = (color, None));
        }
    };
    let select = move || {
        let spaces = sight.told.with(|told| told.as_ref().map(|told| told.program.spaces.clone())).unwrap_or_default();
        if spaces.len() < 2 {
            return None;
        }
        let one = move |of: &SpacePeak| {
            let color = of.color;
            let words = format!("{} · {}", of.space, text(of.peak));
            view! { <option value=color.to_string() selected=move || sight.place.with(|place| place.color == color)>{words}</option> }.any()
        };
        let options = spaces.iter().map(one).collect_view();
        Some(view! { <select aria-label="Memory" on:change=change>{options}</select> }.any())
    };
    live(select).into_any()
}

/// Allocators, by device.
fn allocators(sight: Sight) -> AnyView {
    let change = move |event: ev::Event| {
        if let Ok(at) = event_target_value(&event).parse() {
            sight.change(|place| place.allocator = at);
        }
    };
    let one = move |(at, of): (usize, &AllocatorMemory)| {
        let name = of.allocator.as_ref().map_or(String::new(), |name| format!(", {name}"));
        let words = format!("{}{name} · {}", of.label, text(of.peak.in_use()));
        view! { <option value=at.to_string() selected=move || sight.place.with(|place| place.allocator as usize == at)>{words}</option> }.any()
    };
    let all = move || {
        sight.session.with(|session| {
            session.as_ref().map(|session| session.runtime.allocators.iter().enumerate().map(one).collect_view())
        })
    };
    view! { <select aria-label="Allocator" on:change=change>{live(all)}</select> }.any()
}
