//! This module draws the canvases with the colours of paper while the page is printed. A style sheet cannot change what a
//! canvas shows.

use super::picture::Colors;
use leptos::prelude::*;

/// Draws with the colours of the light theme before the page is printed, and with those of the theme afterwards. `draw` draws at
/// once, because the browser gives no frame to a page that is about to be printed.
pub(super) fn draw_for_print(colors: RwSignal<Option<Colors>>, draw: impl Fn() + Copy + 'static) {
    let before = window_event_listener_untyped("beforeprint", move |_| {
        let _ = colors.try_set(Some(light_colors()));
        draw();
    });
    let after = window_event_listener_untyped("afterprint", move |_| {
        let _ = colors.try_set(Some(Colors::read()));
        draw();
    });
    on_cleanup(move || {
        before.remove();
        after.remove();
    });
}

/// Reads the colours of the light theme, whatever theme is shown.
fn light_colors() -> Colors {
    let root = document().document_element();
    let theme = root.as_ref().and_then(|root| root.get_attribute("data-theme"));
    let set = |theme: Option<&str>| {
        if let Some(root) = &root {
            let _ = match theme {
                Some(theme) => root.set_attribute("data-theme", theme),
                None => root.remove_attribute("data-theme"),
            };
        }
    };
    set(Some("light"));
    let colors = Colors::read();
    set(theme.as_deref());
    colors
}
