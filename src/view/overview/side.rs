//! This module renders what stands beside the findings: steps, devices, useful FLOPs, and the rules that found nothing.

use crate::analysis::overview::Overview;
use crate::chart::overview::{self, Dot, HostRow, RuleLine, StepRow};
use crate::table::format;
use crate::view::roofline::Useful;
use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::swatch::fill;
use crate::view::widgets::tree::width;
use leptos::prelude::*;

/// Largest number of steps that are drawn as rows. More are columns.
const MAX_ROWS: usize = 12;

/// Renders the column beside the findings.
pub(super) fn side(state: State, overview: &Overview) -> AnyView {
    view! {
        <aside class="overview-side" aria-label="Steps, devices and rules">
            {steps(state, overview)} {devices(overview)}
            <section>
                <h2>"Useful FLOPs"</h2>
                {guess(state, overview)}
                <Useful state />
            </section>
            {skipped(overview)} {checked(overview)}
        </aside>
    }
    .any()
}

/// Renders the guess of the useful FLOPs with a button that takes it over, or says what to enter.
fn guess(state: State, overview: &Overview) -> AnyView {
    let is_given = state.window_query().useful.is_some();
    let Some((sentence, useful)) = overview::guess(overview).filter(|_| !is_given) else {
        return (!is_given)
            .then(|| view! { <p class="sub">"Enter tokens and FLOPs per token for the MFU of useful work."</p> })
            .into_any();
    };
    let button = useful.map(|useful| {
        let take = move |_| {
            state.change_views(|views| views.roofline.useful = Some(useful));
        };
        view! { <button type="button" class="btn line small-text" on:click=take>"Use this guess"</button> " " }.any()
    });
    view! { <p class="sub">{sentence}</p> {button} }.any()
}

fn heading(title: &'static str, about: String) -> AnyView {
    view! { <h2>{title} " " <span class="about">{about}</span></h2> }.any()
}

fn steps(state: State, overview: &Overview) -> AnyView {
    let (rows, about) = overview::steps(overview);
    if rows.len() < 2 {
        return ().into_any();
    }
    if rows.len() > MAX_ROWS {
        return step_columns(rows, about);
    }
    let has_events = state.can(|can| can.timeline);
    let row = |step: StepRow| {
        let parts = step
            .parts
            .into_iter()
            .map(|(part, (x, length))| {
                view! { <rect class=fill(part) x=width(x) width=width(length) height="100%" /> }.any()
            })
            .collect_view();
        let class = if step.reason.is_empty() { "" } else { "left-out" };
        let title = if step.reason.is_empty() {
            step.time.clone()
        } else {
            format!("{}, not counted: {}", step.time, step.reason)
        };
        let number = match step.number.parse::<u64>() {
            Ok(number) if has_events => {
                let device = overview.device.clone();
                let label = format!("Step {number} in the breakdown");
                let show = move |_| state.show_step(&device, number);
                view! { <button type="button" class="link" aria-label=label on:click=show>{step.number}</button> }.any()
            }
            _ => view! { <span class="sub">{step.number}</span> }.any(),
        };
        view! {
            <li class=class title=title>
                {number}
                <svg aria-hidden="true">{parts}</svg>
                <span class="num">{step.time}</span>
            </li>
        }
        .any()
    };
    view! {
        <section>
            {heading("Steps", about)}
            <ol class="step-rows">{rows.into_iter().map(row).collect_view()}</ol>
        </section>
    }
    .any()
}

/// Returns the label of a column of steps.
fn step_label(number: &str) -> String {
    format!("{} {number}", if number.contains(' ') { "steps" } else { "step" })
}

/// Renders many steps as columns.
fn step_columns(rows: Vec<StepRow>, about: String) -> AnyView {
    let sentence = rows.iter().map(|step| format!("{} {}", step.number, step.time)).collect::<Vec<String>>().join(", ");
    let end = |step: &StepRow| step.parts.last().map_or(0.0, |(_, (start, length))| start + length);
    let longest = rows.iter().max_by(|a, b| end(a).total_cmp(&end(b))).map(|step| format!("longest {}", step.time));
    let ends = [rows.first(), rows.last()].map(|step| step.map(|step| step_label(&step.number)));
    #[expect(clippy::cast_precision_loss, reason = "a number of columns")]
    let step_width = 1.0 / rows.len() as f64;
    let column = |(index, step): (usize, StepRow)| {
        #[expect(clippy::cast_precision_loss, reason = "a number of columns")]
        let x = width(index as f64 * step_width);
        let part = |(part, (start, length)): (_, (f64, f64))| {
            let (x, wide) = (x.clone(), width(0.85 * step_width));
            view! { <rect class=fill(part) x=x width=wide y=width(1.0 - start - length) height=width(length) /> }.any()
        };
        let class = if step.reason.is_empty() { "" } else { "left-out" };
        view! { <g class=class>{step.parts.into_iter().map(part).collect_view()}</g> }.any()
    };
    let [first, last] = ends;
    view! {
        <section>
            {heading("Steps", about)}
            <svg class="step-columns" role="img" aria-label=sentence>
                {rows.into_iter().enumerate().map(column).collect_view()}
            </svg>
            <p class="device-ends"><span>{first}</span> <span>{longest}</span> <span>{last}</span></p>
        </section>
    }
    .any()
}

fn devices(overview: &Overview) -> AnyView {
    let (dots, about) = overview::devices(overview);
    if dots.is_empty() {
        return ().into_any();
    }
    let hosts = overview::hosts(overview);
    if !hosts.is_empty() {
        return host_rows(hosts, about);
    }
    let sentence = dots.iter().map(|dot| format!("{} {}", dot.label, dot.time)).collect::<Vec<String>>().join(", ");
    let least =
        dots.iter().min_by(|a, b| a.position.total_cmp(&b.position)).map(|dot| format!("{} {}", dot.label, dot.time));
    let most =
        dots.iter().max_by(|a, b| a.position.total_cmp(&b.position)).map(|dot| format!("{} {}", dot.label, dot.time));
    view! {
        <section>
            {heading("Devices", about)}
            <svg class="device-line" role="img" aria-label=sentence>
                {device_line(dots)}
            </svg>
            <p class="device-ends"><span>{least}</span> <span>{most}</span></p>
        </section>
    }
    .any()
}

/// Renders devices as dots on a line.
fn device_line(dots: Vec<Dot>) -> AnyView {
    let draw = |dot: Dot| {
        view! { <circle class="device-dot" class:critical=dot.is_critical cx=format!("{:.2}%", 2.0 + 96.0 * dot.position) cy="9" r="5" /> }.any()
    };
    view! {
        <rect class="mark-line" x="2%" y="8" width="96%" height="1" />
        {dots.into_iter().map(draw).collect_view()}
    }
    .any()
}

/// Renders a line of devices for each host.
fn host_rows(hosts: Vec<HostRow>, about: String) -> AnyView {
    let row = |host: HostRow| {
        let is_critical = host.dots.iter().any(|dot| dot.is_critical);
        view! {
            <li class:critical=is_critical>
                <span class="host-name">{host.name}</span>
                <svg class="device-line" aria-hidden="true">{device_line(host.dots)}</svg>
                <span class="num">{host.time}</span>
            </li>
        }
        .any()
    };
    view! {
        <section>
            {heading("Hosts", about)}
            <ol class="host-rows">{hosts.into_iter().map(row).collect_view()}</ol>
        </section>
    }
    .any()
}

fn skipped(overview: &Overview) -> AnyView {
    let rules = overview::skipped(overview);
    if rules.is_empty() {
        return ().into_any();
    }
    let line =
        |(name, reason): (String, String)| view! { <li><b>{name}</b> <span class="sub">{reason}</span></li> }.any();
    view! {
        <section>
            {heading("Could not be checked", format::counted(rules.len() as u64, "rule", "rules"))}
            <ul class="rules skipped">{rules.into_iter().map(line).collect_view()}</ul>
        </section>
    }
    .any()
}

fn checked(overview: &Overview) -> AnyView {
    let rules = overview::checked(overview);
    let line = |rule: RuleLine| {
        view! {
            <li>
                {icon(Icon::Check)}
                <span>{rule.name}</span> <span class="num">{rule.value}</span> <span class="sub">{rule.threshold}</span>
            </li>
        }
        .any()
    };
    view! {
        <section>
            {heading("Checked, nothing found", format::counted(rules.len() as u64, "rule", "rules"))}
            <ul class="rules">{rules.into_iter().map(line).collect_view()}</ul>
        </section>
    }
    .any()
}
