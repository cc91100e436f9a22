//! This module defines the contents of a tooltip.

/// Contents of a tooltip: a name, then a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    /// Full name.
    pub title: String,
    /// Labels and exact values.
    pub rows: Vec<(String, String)>,
}

/// Returns a row of a tooltip or of an explanation: a label and its value.
pub(in crate::chart) fn row(label: &str, value: impl Into<String>) -> (String, String) {
    (label.to_owned(), value.into())
}
