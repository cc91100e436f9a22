//! Light, dark, or what the system says; and what the page remembers between visits. This module knows local storage.

use leptos::prelude::*;

/// Which colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system says.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// What was chosen on an earlier visit.
    pub(crate) fn remembered() -> Self {
        match remembered("theme").as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// Puts it on the document.
    pub(crate) fn apply(self) {
        let Some(root) = document().document_element() else { return };
        let _ = match self.key() {
            Some(key) => root.set_attribute("data-theme", key),
            None => root.remove_attribute("data-theme"),
        };
    }

    /// As an attribute and in storage; `None` for the system's.
    pub(crate) const fn key(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// In words.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::System => "as the system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The next one: light, dark, system.
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

/// What is remembered under a name. Nothing where the browser keeps nothing.
pub(crate) fn remembered(name: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(&key(name)).ok()?
}

/// Remembered while captures are kept on this device.
pub(crate) const KEPT: &str = "kept";

/// Remembers a value, or forgets it.
pub(crate) fn remember(name: &str, value: Option<&str>) {
    let Ok(Some(storage)) = window().local_storage() else { return };
    let _ = match value {
        Some(value) => storage.set_item(&key(name), value),
        None => storage.remove_item(&key(name)),
    };
}
