//! A tooltip as data.

/// What a tooltip says: a name, then a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    /// The whole name.
    pub title: String,
    /// Labels and exact values.
    pub rows: Vec<(String, String)>,
}
