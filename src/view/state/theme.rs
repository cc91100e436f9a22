//! This module holds the colour theme, and the values that the page remembers in local storage between visits.

use leptos::prelude::*;

/// A colour theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    /// The theme of the operating system.
    System,
    Light,
    Dark,
}

impl Theme {
    /// Returns the theme that was chosen on an earlier visit.
    pub(crate) fn remembered() -> Self {
        match remembered("theme").as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// Applies the theme to the document.
    pub(crate) fn apply(self) {
        let Some(root) = document().document_element() else { return };
        let _ = match self.key() {
            Some(key) => root.set_attribute("data-theme", key),
            None => root.remove_attribute("data-theme"),
        };
    }

    /// Returns the name of the theme in the document and in storage; `None` for the system's theme.
    pub(crate) const fn key(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// Returns the name of the theme for users.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::System => "as the system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Returns the next theme, in the order light, dark, system.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
            Self::System => Self::Light,
        }
    }
}

fn key(name: &str) -> String {
    format!("rooflight.{name}")
}

/// Returns the value that is remembered under a name. `None` if there is no value, or if the browser stores nothing.
pub(crate) fn remembered(name: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(&key(name)).ok()?
}

/// The name of the flag that is set while captures are stored on this device.
pub(crate) const KEPT: &str = "kept";

/// Remembers a value; `None` forgets it.
pub(crate) fn remember(name: &str, value: Option<&str>) {
    let Ok(Some(storage)) = window().local_storage() else { return };
    let _ = match value {
        Some(value) => storage.set_item(&key(name), value),
        None => storage.remove_item(&key(name)),
    };
}
