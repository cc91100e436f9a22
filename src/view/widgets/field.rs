//! Fields that rows are looked for in. Knows the element; not what is looked for.

use leptos::{ev, html, prelude::*};

/// Esc in a field: what stands in it goes (`cleared` is told), and from an empty one the focus.
pub(crate) fn leave(event: &ev::KeyboardEvent, node: NodeRef<html::Input>, cleared: impl FnOnce()) {
    event.stop_propagation();
    let Some(field) = node.get_untracked() else { return };
    if field.value().is_empty() {
        let _ = field.blur();
    } else {
        field.set_value("");
        cleared();
    }
}
