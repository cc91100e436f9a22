//! This module renders a button and a panel that opens below it. The panel is a popover of the browser, which closes on
//! Esc and on a click elsewhere, and gives the focus back.

use super::size::{rect, screen};
use crate::chart::plot::popover_position;
use crate::view::type_erasure::{EraseType, If};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement};

/// Places the panel of `event` below the button with the id `button`, as the panel opens.
fn place_below(event: &Event, button: &str) {
    let panel: HtmlElement = event_target(event);
    let Some(button) = document().get_element_by_id(button) else { return };
    let size = rect(&panel);
    let (x, y) = popover_position::popover_corner(rect(&button), (size.width, size.height), screen(), 4.0);
    let style = panel.style();
    let _ = style.set_property("left", &format!("{x}px"));
    let _ = style.set_property("top", &format!("{y}px"));
}

/// Shows or hides the popover of an id.
pub(crate) fn toggle(id: &str) {
    if let Some(panel) = panel(id) {
        let _ = panel.toggle_popover();
    }
}

/// Hides the popover of an id.
pub(crate) fn hide(id: &str) {
    if let Some(panel) = panel(id) {
        let _ = panel.hide_popover();
    }
}

fn panel(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Renders a button and its panel. `id` is the id of the panel, and the button has the id `id-button`.
///
/// The content of the panel is rendered when the panel opens first, because a page has a dozen panels, and few of them
/// are ever opened.
#[component]
pub(crate) fn Popover(
    #[prop(into)] id: String,
    #[prop(into)] class: String,
    /// The spoken name of the button, which contains the text of the button. Without it, the text is the name.
    #[prop(optional)]
    label: Option<Signal<String>>,
    panel_class: &'static str,
    /// Whether the content also exists while the panel is closed, so that it can be printed.
    #[prop(optional)]
    eager: bool,
    face: Children,
    children: ChildrenFn,
) -> impl IntoView {
    let button = format!("{id}-button");
    let anchor = button.clone();
    let (open, set_open) = signal(false);
    let (made, set_made) = signal(false);
    let opening = move |_: Event| set_made.set(true);
    let toggled = move |event: Event| {
        let panel: HtmlElement = event_target(&event);
        let shown = panel.matches(":popover-open").unwrap_or(false);
        set_open.set(shown);
        // The panel is invisible until it has its place.
        let _ = panel.toggle_attribute_with_force("data-placed", shown);
        if shown {
            place_below(&event, &anchor);
            // If the panel has a list, a menu or switches, the first of them gets the focus.
            if let Ok(Some(list)) = panel.query_selector("[role=listbox], [role^=menuitem], input:not([disabled])") {
                let _ = list.unchecked_into::<HtmlElement>().focus();
            }
        }
    };
    view! {
        <button
            type="button"
            id=button
            class=class
            popovertarget=id.clone()
            aria-expanded=move || open.get().to_string()
            aria-label=move || label.map(|label| label.get())
        >
            {face()}
        </button>
        <div id=id class=format!("panel {panel_class}") popover="auto" on:beforetoggle=opening on:toggle=toggled>
            <If when=move || eager || made.get()>{children()}</If>
        </div>
    }
    .any()
}
