//! This module holds the parts of widgets that do not depend on a browser: tables, figures, pickers, long
//! lists, tooltips.

pub mod figure;
pub mod hlo_text;
pub mod picker_options;
pub mod relative_time;
pub mod table;
pub mod tip;
pub mod virtual_rows;
