//! This module renders the overview: the verdict, the figures, the bar of a step, the findings, and beside them steps,
//! devices and the rules that found nothing. Texts and fractions are in `chart::overview`.

mod findings;
mod modules;
mod side;

use super::roofline;
use super::state::{Opened, PtrEq, State};
use super::type_erasure::{EraseType, effect, live};
use super::widgets::figure::{readout, slight_figures};
use super::widgets::swatch::{fill, swatch};
use super::widgets::tree::width;
use crate::analysis::overview::{Overview as Answer, OverviewQuery};
use crate::chart::overview::{self, Segment};
use crate::protocol::requests;
use crate::report::overview::text::next_text;
use leptos::prelude::*;

/// Renders the overview.
#[component]
pub(crate) fn Overview(state: State) -> impl IntoView {
    let request = Memo::new(move |_| state.overview_query());
    let found = state.answer_of_session::<Answer>();
    let (is_waiting, is_absent) = (RwSignal::new(true), RwSignal::new(false));
    state.request_answer_on_change(
        move || {
            is_waiting.set(true);
            Some(requests::Overview(request.get()))
        },
        move |answer| {
            is_waiting.set(false);
            if let Some(answer) = state.shown(answer) {
                is_absent.set(answer.is_none());
                found.set(answer.map(PtrEq::new));
            }
        },
    );
    let device = move || {
        let label = found.get().map(|overview| overview.device.clone())?;
        let position = |opened: &Opened| opened.session.devices.iter().position(|device| device.label == label);
        state.opened.with(|opened| opened.as_ref().and_then(|opened| position(opened))).map(|index| index as u32)
    };
    effect(move || state.overview_device.set(device()));
    effect(move || {
        if let Some(overview) = found.get() {
            state.judged_device.set(overview.device.clone());
        }
    });
    on_cleanup(move || state.overview_device.set(None));
    let body = move || Some(answered(state, request, &*found.get()?));
    let empty = move || {
        is_absent.get().then(|| {
            let message = "No device of this capture has this step, so there is nothing to judge.";
            view! { <p class="overview-empty">{message}</p> }.any()
        })
    };
    view! {
        <div class="overview" role="tabpanel" aria-labelledby="tab-overview" aria-busy=move || is_waiting.get().to_string()>
            {live(body)} {live(empty)}
        </div>
    }
    .any()
}

/// Copies the overview as Markdown.
pub(super) fn copy_markdown(state: State) {
    findings::copy_markdown(state, untrack(|| state.overview_query()));
}

fn answered(state: State, request: Memo<OverviewQuery>, answer: &Answer) -> AnyView {
    view! {
        <h1 class="verdict">{answer.verdict.clone()}</h1>
        {answer.next_step().map(|next| view! { <p class="overview-next">{next_text(next)}</p> }.any())}
        <p class="overview-about">{overview::about(answer)}</p>
        {other_views(state, answer)}
        {chip(state, answer)}
        <dl class="figures" data-roving="">{readout(overview::readout(answer))}</dl>
        {slight_figures(overview::slight(answer))}
        {peak_source(state, answer)}
        {bar(answer)}
        {modules::modules(state, answer)}
        <div class="overview-columns">
            {findings::findings(state, request, answer)}
            {side::side(state, answer)}
        </div>
    }
    .any()
}

/// Renders which devices the other views show, if the user chose a mean or a sum, and a button that shows the device of
/// the overview there. A report holds no other device.
fn other_views(state: State, answer: &Answer) -> AnyView {
    let words = overview::other_views(answer, state.query.with_untracked(|query| query.device));
    let label = format!("Show {} in all views", answer.device);
    let note = move || {
        let is_report = state.summary().is_some();
        let words = words.clone().filter(|_| is_report || state.has_chosen_device.get())?;
        let label = label.clone();
        let button = (!is_report).then(|| {
            view! { <button type="button" class="link" on:click=move |_| state.show_judged_device()>{label}</button> }
                .any()
        });
        Some(view! { <p class="overview-others">{words} " " {button}</p> }.any())
    };
    live(note).into_any()
}

/// Renders the picker of the chip, if the peaks of the device are unknown or the user chose the chip.
fn chip(state: State, answer: &Answer) -> AnyView {
    if !state.can(|can| can.other_peaks) {
        return ().into_any();
    }
    let has_chosen_chip = state.window_query().peaks.chip.is_some();
    let Some(text) = overview::chip_text(answer, has_chosen_chip) else { return ().into_any() };
    let guessed = answer.chip_guess.as_ref().filter(|_| !has_chosen_chip).map_or(&[][..], |guess| &guess.chips);
    let take = |chip: &String| roofline::chip_button(state, chip.clone());
    view! {
        <p class="overview-chip">
            {roofline::chips(state, "overview-chip")} " " <span class="sub">{text}</span> " " {guessed.iter().map(take).collect_view()}
        </p>
    }
    .any()
}

/// Renders which peak MFU and HFU are shares of, and a button that chooses the other one. A report has one peak.
fn peak_source(state: State, answer: &Answer) -> AnyView {
    let Some(line) = overview::peak_source(answer).filter(|_| state.can(|can| can.other_peaks)) else {
        return ().into_any();
    };
    let other = line.other;
    let choose = move |_| state.change_views(|views| views.roofline.peaks.prefer = other);
    view! {
        <p class="overview-peak">
            {line.sentence} " " <button type="button" class="link" on:click=choose>{line.button}</button>
        </p>
    }
    .any()
}

/// Renders the bar of a step by kind, the strip of needed time and time to gain below it, and their legends.
fn bar(answer: &Answer) -> AnyView {
    let rect = |class: String, (x, length): (f64, f64), y: &'static str, height: &'static str| {
        view! { <rect class=class x=width(x) y=y width=width(length) height=height /> }.any()
    };
    let segment = |segment: Segment| {
        let strip =
            segment.strip.iter().map(|(part, place)| rect(part.class().to_owned(), *place, "33", "9")).collect_view();
        let label = overview::segment_label(&segment).map(|(label, fits_narrow)| {
            let wide = if fits_narrow { "" } else { "wide" };
            let class = format!("segment-label {wide} on-{}", segment.part.class());
            view! { <text class=class x=width(segment.place.0) dx="8" y="19">{label}</text> }.any()
        });
        view! { {rect(fill(segment.part), segment.place, "0", "30")} {label} {strip} }.any()
    };
    let kinds = overview::kinds(answer);
    let sentence = kinds.iter().map(|kind| format!("{} {} {}", kind.label, kind.time, kind.unit)).collect::<Vec<_>>();
    let legend = |entry: overview::Legend| {
        view! {
            <span class="strip-entry">
                <svg class="strip-mark" viewBox="0 0 14 9" aria-hidden="true"><rect class=entry.part.class() width="14" height="9" /></svg>
                <b>{entry.time}</b> " " {entry.words}
            </span>
        }
        .any()
    };
    let units = kinds.first().map(|kind| format!("{}, % of {}", kind.unit, answer.window_word()));
    let kind = |overview::KindLine { part, label, short_label, time, unit, share, lost }: overview::KindLine| {
        let percent = if share.is_empty() { "" } else { " % · " };
        view! {
            <div class="part">
                <dt>
                    {swatch(part)} <span class="wide">{label}</span> <span class="narrow">{short_label}</span>
                </dt>
                <dd class="part-time">{time} <span class="wide">" " {unit}</span></dd>
                <dd class="part-share">{share} <span class="wide">{percent} {lost}</span></dd>
            </div>
        }
        .any()
    };
    view! {
        <svg class="overview-bar" role="img" aria-label=sentence.join("; ")>
            {overview::segments(answer).into_iter().map(segment).collect_view()}
        </svg>
        <p class="strip-legend">{overview::legend(answer).into_iter().map(legend).collect_view()}</p>
        <p class="parts-units" aria-hidden="true">{units}</p>
        <dl class="parts">{kinds.into_iter().map(kind).collect_view()}</dl>
        {overview::overlap_note(answer).map(|note| view! { <p class="overview-chip sub">{note}</p> }.any())}
    }
    .any()
}
