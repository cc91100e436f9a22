//! This module defines the part of the page's address after the `#`: the open view, and the state of each view.

pub mod address;
pub mod captures;
pub mod comm;
pub mod compare;
pub mod for_report;
pub mod memory;
pub mod params;
pub mod roofline;
pub mod timeline;
pub mod view;
pub mod view_states;

pub use for_report::{shared_address, shared_comparison_address};
pub use view::{FilesViewState, Picture, View};
pub use view_states::ViewStates;
