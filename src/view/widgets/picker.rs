//! This module renders a button that shows the chosen entry and opens a list to choose another one.

use super::icon::{Icon, icon};
use super::listbox::Listbox;
use super::popover::{self, Popover};
use crate::chart::widgets::picker_options::Choice;
use crate::view::type_erasure::EraseType;
use leptos::prelude::*;

/// Renders the picker `id` of one of `choices`. `label` stands before the chosen entry.
#[component]
pub(crate) fn Picker<T>(
    id: &'static str,
    label: &'static str,
    /// The label of the list.
    list: &'static str,
    /// Whether the button also shows the detail of the chosen entry.
    #[prop(optional)]
    detailed: bool,
    /// The text of the button while no entry of the list is chosen.
    #[prop(optional)]
    none: &'static str,
    choices: Memo<Vec<Choice<T>>>,
    #[prop(into)] chosen: Signal<T>,
    choose: Callback<T>,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let shown = Memo::new(move |_| {
        let chosen = chosen.get();
        let texts = |choice: &Choice<T>| (choice.label.clone(), choice.detail.clone());
        choices.with(|all| all.iter().find(|choice| choice.value == chosen).map(texts))
    });
    let name = move || shown.get().map_or_else(|| none.to_owned(), |(label, _)| label);
    let detail = move || {
        detailed.then(|| view! { <span class="pick-of">{move || shown.get().map(|(_, detail)| detail)}</span> }.any())
    };
    let take = Callback::new(move |value: T| {
        popover::hide(id);
        choose.run(value);
    });
    view! {
        <Popover
            id=id
            class="btn pick"
            label=Signal::derive(move || {
                let detail = shown.get().map(|(_, detail)| detail).filter(|detail| detailed && !detail.is_empty());
                let detail = detail.map_or_else(String::new, |detail| format!(" {detail}"));
                format!("{label} {}{detail}", name())
            })
            panel_class="menu"
            face=Box::new(move || {
                view! {
                    <span class="pick-of">{label}</span>
                    " "
                    <b>{name}</b>
                    " "
                    {detail()}
                    {icon(Icon::Down)}
                }
                .any()
            })
        >
            <Listbox id=format!("{id}-list") label=list choices chosen choose=take />
        </Popover>
    }
    .any()
}
