//! This module renders the dialog that chooses what to read of files that would take more memory than the page may use:
//! planes with their sizes, and the sum of the chosen ones. `session::open::estimate` makes the estimate.

use crate::protocol::{Choice, Estimate};
use crate::table::format;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, effect, live};
use leptos::html;
use leptos::prelude::*;

/// Renders the dialog.
#[component]
pub(crate) fn Choose(state: State) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    effect(move || {
        if let Some(dialog) = dialog.get() {
            let _ = dialog.show_modal();
        }
    });
    let answer = state.estimate.with_untracked(|answer| answer.as_deref().cloned());
    let estimate = RwSignal::new(answer.unwrap_or_else(|| Estimate { choices: Vec::new(), budget: 0 }));
    let bytes = estimate.with_untracked(|estimate| estimate.choices.iter().map(|choice| choice.bytes).sum());
    let memory = Memo::new(move |_| estimate.with(Estimate::memory));
    let budget = estimate.with_untracked(|estimate| estimate.budget);
    let is_over = Memo::new(move |_| memory.get() > budget);
    let none = Memo::new(move |_| estimate.with(|estimate| estimate.choices.iter().all(|choice| !choice.is_chosen)));
    let open = move |_| state.open_chosen(Some(estimate.with_untracked(Estimate::skips)));
    let sum = move || {
        let (memory, budget) = (format::bytes_text(memory.get()), format::bytes_text(budget));
        format!("About {memory} of the {budget} of memory that this page may use.")
    };
    let row = move |(index, choice): (usize, Choice)| {
        let toggle = move |event| {
            let is_chosen = event_target_checked(&event);
            estimate.update(|estimate| {
                if let Some(choice) = estimate.choices.get_mut(index) {
                    choice.is_chosen = is_chosen;
                }
            });
        };
        let name = choice.plane.clone().unwrap_or_else(|| "all of it".to_owned());
        view! {
            <tr>
                <th scope="row">
                    <label>
                        <input type="checkbox" prop:checked=choice.is_chosen on:change=toggle />
                        <span class="mono">{name}</span>
                    </label>
                </th>
                <td class="sub" title=choice.file.clone()>{format::middle_cut(&choice.file, 36)}</td>
                <td class="num">{format::bytes_text(choice.bytes)}</td>
            </tr>
        }
        .any()
    };
    let rows = estimate.with_untracked(|estimate| estimate.choices.clone());
    view! {
        <dialog node_ref=dialog class="dialog choose" aria-labelledby="choose-title" on:close=move |_| state.open_chosen(None)>
            <h1 id="choose-title">{format!("{} does not fit into memory", format::bytes_text(bytes))}</h1>
            <p>
                "The whole file needs more memory than a browser gives to one page. Choose what to read. Program descriptions and as many devices as fit are selected. The command line reads all of it."
            </p>
            <div class="choose-rows">
                <table>
                    <caption class="visually-hidden">"Planes"</caption>
                    <tbody>{rows.into_iter().enumerate().map(row).collect_view()}</tbody>
                </table>
            </div>
            <p class="choose-sum" role="status" class:over=is_over>{live(sum)}</p>
            <div class="acts">
                <button type="button" class="btn solid" prop:disabled=none on:click=open>
                    {move || if is_over.get() { "Open anyway" } else { "Open selection" }}
                </button>
                <button type="button" class="btn line" on:click=move |_| state.open_chosen(None)>"Cancel"</button>
            </div>
        </dialog>
    }
    .any()
}
