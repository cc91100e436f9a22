//! This module holds the widgets that several views use. A widget knows neither the state of the page nor the meaning of
//! the data that it shows.

pub(crate) mod clipboard;
pub(crate) mod drag_select;
pub(crate) mod field;
pub(crate) mod figure;
pub(crate) mod icon;
pub(crate) mod listbox;
pub(crate) mod menu;
pub(crate) mod picker;
pub(crate) mod popover;
pub(crate) mod roving;
pub(crate) mod size;
pub(crate) mod swatch;
pub(crate) mod table;
pub(crate) mod tooltip;
pub(crate) mod tree;
