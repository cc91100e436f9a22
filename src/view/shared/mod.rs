//! This module holds the parts of the page that several views share and that know its state: charts, tables whose rows the worker has,
//! messages, and the menus that copy and save.

pub(crate) mod chart;
pub(crate) mod files;
pub(crate) mod picture_frame;
mod remote_table;
pub(crate) mod save;
pub(crate) mod toast;
pub(crate) mod waiting;
pub(crate) mod zoom;

pub(crate) use remote_table::{RemoteTable, RowPress, model as remote_model};
