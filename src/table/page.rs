//! This module defines the part of a table that crosses from the worker to the page: column headers, some rows as
//! cells, and totals. It holds plain data.

use super::filter::TextFilter;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Selects rows of a table and their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PageQuery {
    /// Order of the rows. `None` stands for the order that the table has by default.
    pub sort: Option<SortBy>,
    pub filter: TextFilter,
    /// First row, counted from 0 in that order.
    pub first: u32,
    /// Number of rows. The page has fewer rows at the end of the table.
    pub count: u32,
}

/// An order of rows. Ties are sorted by name. Absent values come last in both directions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SortBy {
    pub column: String,
    /// Whether the largest value comes first, and for texts the last one.
    pub descending: bool,
}

impl SortBy {
    /// Creates an order by a column.
    pub fn new(column: &str, descending: bool) -> Self {
        Self { column: column.to_owned(), descending }
    }
}

/// Writes the id of the column, after a minus sign if the order is descending.
impl fmt::Display for SortBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.descending { "-" } else { "" }, self.column)
    }
}

impl FromStr for SortBy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let column = text.strip_prefix('-').unwrap_or(text);
        let is_id = !column.is_empty() && column.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
        if is_id { Ok(Self::new(column, text.starts_with('-'))) } else { Err(()) }
    }
}

/// Some rows of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TablePage {
    /// Columns in their order.
    pub columns: Vec<Head>,
    /// Order of the rows.
    pub sort: SortBy,
    /// Number of rows that pass the filter.
    pub n_rows: u32,
    /// Number of the first row, counted from 0 in the order.
    pub first: u32,
    pub rows: Vec<Row>,
    /// Totals of the rows that pass the filter: id of the column, and text.
    pub totals: Vec<(String, String)>,
}

/// The header of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Id of the column, as in files and addresses.
    pub id: String,
    pub head: String,
    /// Unit beside the heading. Empty if there is none.
    pub unit: String,
    /// Whether the column has numbers, which are right-aligned.
    pub numeric: bool,
    /// Width in digits. `None` for the column that takes the remaining width.
    pub digits: Option<u32>,
    /// Whether the column may be wider than that, up to [`STRETCH`] times. Its cells then have longer texts than fit.
    pub stretches: bool,
    /// Number of characters of the longest text in the column. `None` if the column does not hold texts.
    pub longest: Option<u32>,
    /// Whether the first press on the heading sorts the largest value first. `None` if rows cannot be sorted by the
    /// column.
    pub sort: Option<bool>,
    /// On a narrow page, the columns with the largest priority are hidden first. Columns of priority 0 are never
    /// hidden.
    pub priority: u8,
    /// Width that the name column keeps while this column is shown.
    pub visibility: ColumnVisibility,
    /// Description of the column in the list of columns.
    pub about: String,
    /// Index of the tooltip of the column's cells among the tooltips of a row.
    pub tip: usize,
}

/// Largest width of a column that stretches, relative to its usual width.
pub const STRETCH: u32 = 3;

/// The condition under which a column is shown by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnVisibility {
    /// The column is shown while names have room for a few words.
    Usual,
    /// The column is shown while names have 260 px, or a third of a narrow table.
    Wide,
    /// The column is shown only if the user has chosen it.
    Chosen,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Name of the row in selections.
    pub key: String,
    /// Title of the tooltip: the whole name.
    pub title: String,
    /// One cell per column.
    pub cells: Vec<Cell>,
    /// Tooltips, as labels with exact values.
    pub tips: Vec<Vec<(String, String)>>,
    /// Whether a press on the name shows details of the row.
    pub opens: bool,
    /// Parts of the row, which the user can expand below it.
    pub parts: Vec<Row>,
}

/// The content of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// No value, shown as "–".
    Absent,
    /// A text, or a number in the unit of the column.
    Text(String),
    /// A text in a weaker colour.
    Soft(String),
    /// A text in the monospace font.
    Mono(String),
    /// A number above the peak of the hardware, shown with a mark.
    Above(String),
    /// A bar, as a fraction of the column's width, and a number.
    Bar(f64, String),
    /// Two lengths that follow each other in one bar, as fractions of its width. The text gives the first one.
    Gap(f64, f64, String),
    /// A range, as fractions of the bar's width, and as a text.
    Range(f64, f64, String),
    /// A difference with its sign, and whether it is larger than times vary by chance. It is negative if B takes less time.
    Difference { text: String, is_real: bool },
    /// A bar to the right of the middle for a positive difference, to the left for a negative one, as a fraction of half the
    /// width; and the text of the difference.
    DifferenceBar { share: f64, text: String, is_real: bool },
    /// Kinds of time in one bar: the last part of the class of each, and its fraction of the bar's width. The text lists them.
    Kinds(Vec<(String, f64)>, String),
    /// A swatch, and a text.
    Marked(Mark, String),
    /// The name of the row.
    Name(Name),
}

/// A swatch, by the last part of its class in the style sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    Time(String),
    Memory(String),
}

/// The name of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The whole text. The page shortens it to the width of the column.
    pub text: String,
    /// Whether the text is a name of a compiler or a user, which is shown in the monospace font.
    pub mono: bool,
    /// The swatch before the name.
    pub mark: Option<Mark>,
    /// The second line on narrow screens.
    pub second: Option<(Option<Mark>, String)>,
    /// A text beside the name.
    pub beside: Option<String>,
}

impl Cell {
    /// Returns the plain text, for screen readers.
    pub fn plain(&self) -> &str {
        match self {
            Self::Absent => super::format::ABSENT,
            Self::Text(text)
            | Self::Soft(text)
            | Self::Mono(text)
            | Self::Above(text)
            | Self::Bar(_, text)
            | Self::Gap(_, _, text)
            | Self::Range(_, _, text)
            | Self::Difference { text, .. }
            | Self::DifferenceBar { text, .. }
            | Self::Kinds(_, text)
            | Self::Marked(_, text) => text,
            Self::Name(name) => &name.text,
        }
    }
}

/// Returns the name of a row in selections: its text, and the id of its program if it has one.
pub fn row_key(text: &str, program: Option<u64>) -> String {
    program.map_or_else(|| text.to_owned(), |id| format!("{text}@{id}"))
}

/// Splits the name of a row in selections into its text and the id of its program.
pub fn split_row_key(key: &str) -> (&str, Option<u64>) {
    let split = key.rsplit_once('@').and_then(|(text, id)| Some((text, id.parse().ok()?)));
    split.map_or((key, None), |(text, id)| (text, Some(id)))
}
