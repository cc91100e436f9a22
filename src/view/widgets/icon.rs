//! This module renders icons of 16 × 16, stroked in the colour of the text. Icons have no labels; their buttons have
//! them.

use crate::view::type_erasure::EraseType;
use leptos::prelude::*;

/// The icons of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    Check,
    Close,
    Columns,
    Copy,
    Down,
    File,
    Folder,
    Info,
    Left,
    Link,
    More,
    Now,
    Pin,
    Right,
    Save,
    Search,
    Share,
    Swap,
    Theme,
    Warn,
}

impl Icon {
    const fn path(self) -> &'static str {
        match self {
            Self::Check => "M3 8.5l3.2 3L13 4.5",
            Self::Close => "M3.5 3.5l9 9M12.5 3.5l-9 9",
            Self::Columns => "M2 2.5h12v11H2zM6 2.5v11M10 2.5v11",
            Self::Copy => "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3",
            Self::Down => "M4 6l4 4 4-4",
            Self::File => "M4 1.5h5.5L13 5v9.5H4zM9.5 1.5V5H13",
            Self::Folder => "M1.5 4V13h13V5H8L6.5 3h-5z",
            Self::Info => "M2 8a6 6 0 1012 0a6 6 0 10-12 0M8 7.3V11M8 5v.1",
            Self::Left => "M10 3L5 8l5 5",
            Self::Link => "M6.5 9.5l3-3M7 5l1.6-1.6a2.9 2.9 0 014 4L11 9M9 11l-1.6 1.6a2.9 2.9 0 01-4-4L5 7",
            Self::More => "M3 8h.1M8 8h.1M13 8h.1",
            Self::Now => "M5 3l8 5-8 5z",
            Self::Pin => "M6 2h4l-.6 5L12 9.5H4L6.6 7zM8 9.5V14",
            Self::Right => "M6 3l5 5-5 5",
            Self::Save => "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 11v2.5h11V11",
            Self::Search => "M7 2.5a4.5 4.5 0 100 9a4.5 4.5 0 100-9M10.3 10.3l3.2 3.2",
            Self::Share => "M8 10V2M4.5 5L8 1.7 11.5 5M4.5 7.5H2.5v6.5h11V7.5h-2",
            Self::Swap => "M2.5 5.5h10M9.5 2.5l3 3-3 3M13.5 11h-10M6.5 8l-3 3 3 3",
            Self::Theme => "M2.5 8a5.5 5.5 0 1011 0a5.5 5.5 0 10-11 0",
            Self::Warn => "M8 2.2L14.4 13.5H1.6zM8 6.5v3M8 11.5v.1",
        }
    }
}

pub(crate) fn icon(which: Icon) -> AnyView {
    let half = (which == Icon::Theme).then(|| view! { <path class="fill" d="M8 2.5v11a5.5 5.5 0 000-11z" /> }.any());
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d=which.path() />
            {half}
        </svg>
    }
    .any()
}

/// Renders the logo: a roof line with one lit pane under it.
pub(crate) fn mark() -> AnyView {
    view! {
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
            <path class="mark-roof" d="M2 21L10.8 8.2H22" />
            <path class="mark-pane" d="M9.9 17.6L14.1 11.5H20L15.8 17.6Z" />
        </svg>
    }
    .any()
}
