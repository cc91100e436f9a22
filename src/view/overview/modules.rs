//! This module renders the time of a step by module: a table with a bar by kind of time in each cell.

use crate::analysis::overview::Overview;
use crate::chart::overview::{self, ModuleBar, ModuleRow};
use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::widgets::swatch::fill;
use crate::view::widgets::tree::width;
use leptos::prelude::*;

/// Renders the modules. Nothing if no op names one.
pub(super) fn modules(state: State, answer: &Overview) -> AnyView {
    let Some(table) = overview::modules(answer) else { return ().into_any() };
    // A report has no single ops to select.
    let can_select = untrack(|| state.summary()).is_none();
    let device = answer.device.clone();
    let row = |row: ModuleRow| {
        let name = if can_select {
            let (device, module) = (device.clone(), row.module);
            let label = format!("{}: show its ops", row.label);
            let show = move |_| state.show_module(&device, module, None);
            view! { <button type="button" class="link" aria-label=label on:click=show>{row.label}</button> }.any()
        } else {
            row.label.into_any()
        };
        let cell = |bar: ModuleBar| {
            let (device, module, phase) = (device.clone(), row.module, bar.phase.filter(|_| can_select));
            let show = move |_| {
                if phase.is_some() {
                    state.show_module(&device, module, phase);
                }
            };
            let words = bar.words.clone();
            view! {
                <td class="module-bar wide" class:link-cell=phase.is_some() title=words on:click=show>
                    {drawn(bar)}
                </td>
            }
            .any()
        };
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="num">{row.time}</td>
                <td class="num">{row.share} <span class="unit">" %"</span></td>
                {row.bars.into_iter().map(cell).collect_view()}
                <td class="num">{row.roofline}</td>
                <td class="sub wide module-largest">{row.largest}</td>
            </tr>
        }
        .any()
    };
    let head = |head: String| view! { <th scope="col" class="wide">{head}</th> }.any();
    view! {
        <section class="modules" aria-labelledby="modules-title">
            <h2 id="modules-title">"Modules" " " <span class="about">{table.about}</span></h2>
            <table>
                <thead>
                    <tr>
                        <th scope="col">"Module"</th>
                        <th scope="col" class="num">"Time"</th>
                        <th scope="col" class="num">"Busy"</th>
                        {table.heads.into_iter().map(head).collect_view()}
                        <th scope="col" class="num">"Of roofline"</th>
                        <th scope="col" class="wide">"Largest ops"</th>
                    </tr>
                </thead>
                <tbody>{table.rows.into_iter().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
    .any()
}

/// Renders the time of a cell above its bar.
fn drawn(bar: ModuleBar) -> AnyView {
    if bar.parts.is_empty() {
        return ().into_any();
    }
    let part =
        |(part, (x, length))| view! { <rect class=fill(part) x=width(x) width=width(length) height="100%" /> }.any();
    view! {
        <span class="num">{bar.time}</span>
        <svg role="img" aria-label=bar.words>{bar.parts.into_iter().map(part).collect_view()}</svg>
    }
    .any()
}
