//! A part of a table as it crosses from the worker to the page: heads, some rows as cells, totals. Plain data.

use super::filter::TextFilter;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which rows of a table, in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PageQuery {
    /// The order; `None`: the table's own.
    pub sort: Option<SortBy>,
    /// Which rows.
    pub filter: TextFilter,
    /// The first row, counted from 0 in that order.
    pub first: u32,
    /// How many rows; fewer come where there are no more.
    pub count: u32,
}

/// An order of rows. Ties go by name. Absent values come last in both directions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SortBy {
    /// The id of a column.
    pub column: String,
    /// Largest first; for texts: z first.
    pub descending: bool,
}

impl SortBy {
    /// An order by a column.
    pub fn new(column: &str, descending: bool) -> Self {
        Self { column: column.to_owned(), descending }
    }
}

/// The order as text: the id of the column, after a minus sign where the largest comes first.
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
    /// The columns, in their order.
    pub columns: Vec<Head>,
    /// The order of the rows.
    pub sort: SortBy,
    /// Rows that pass the filter.
    pub n_rows: u32,
    /// The first row.
    pub first: u32,
    /// The rows.
    pub rows: Vec<Row>,
    /// The totals of the rows that pass the filter: the id of a column, and the text.
    pub totals: Vec<(String, String)>,
}

/// The head of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The column's id, as in files and addresses.
    pub id: String,
    /// The heading.
    pub head: String,
    /// The unit beside it, or nothing.
    pub unit: String,
    /// Figures, which are right-aligned.
    pub numeric: bool,
    /// The width in digits; `None` for the column that takes the rest.
    pub digits: Option<u32>,
    /// Whether a first press sorts largest first; `None`: rows cannot be sorted by the column.
    pub sort: Option<bool>,
    /// Where there is little room, columns of a large number are left out first. 0: never left out.
    pub priority: u8,
    /// How much room the column needs to be shown.
    pub room: Room,
    /// What the column is, for the list of columns.
    pub about: String,
    /// Which of a row's tooltips its cells have.
    pub tip: usize,
}

/// How much room a column needs to be shown unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Room {
    /// Names keep a few words.
    Usual,
    /// Names keep a third of the table.
    Wide,
    /// The column is shown only where somebody has chosen it.
    Chosen,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The name in selections.
    pub key: String,
    /// The title of its tooltip: the whole name.
    pub title: String,
    /// One cell per column.
    pub cells: Vec<Cell>,
    /// Its tooltips: labels and exact values.
    pub tips: Vec<Vec<(String, String)>>,
    /// Whether a press on the name shows more about the row.
    pub opens: bool,
    /// Its parts, which can be opened below it.
    pub parts: Vec<Row>,
}

/// The content of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// No value: "–".
    Absent,
    /// A text, or a number in the unit of the column.
    Text(String),
    /// A text of lesser weight.
    Soft(String),
    /// A text in the letters of code.
    Mono(String),
    /// A number above what the hardware can do: it is shown, and marked.
    Above(String),
    /// A bar of this fraction of the column's width, and a number.
    Bar(f64, String),
    /// Two lengths of one bar as fractions of its width: what had to be, and what was lost; and the first as a text.
    Gap(f64, f64, String),
    /// A range as fractions of its width, and as a text.
    Range(f64, f64, String),
    /// A swatch, and a text.
    Marked(Mark, String),
    /// The name of the row.
    Name(Name),
}

/// A swatch: the last part of its class in the style sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// A kind of time.
    Time(String),
    /// A class of memory.
    Memory(String),
}

/// The name of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The text. The page cuts it to its room.
    pub text: String,
    /// Whether a compiler or a user wrote it.
    pub mono: bool,
    /// The swatch before it.
    pub mark: Option<Mark>,
    /// The second line on narrow screens.
    pub second: Option<(Option<Mark>, String)>,
    /// A text beside it.
    pub beside: Option<String>,
}

impl Cell {
    /// The plain text, for screen readers.
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
            | Self::Marked(_, text) => text,
            Self::Name(name) => &name.text,
        }
    }
}

/// The name of a row in selections: its text, and the id of its program where it has one.
pub fn row_key(text: &str, program: Option<u64>) -> String {
    program.map_or_else(|| text.to_owned(), |id| format!("{text}@{id}"))
}

/// The text and the program of a row's name in selections.
pub fn split_row_key(key: &str) -> (&str, Option<u64>) {
    let split = key.rsplit_once('@').and_then(|(text, id)| Some((text, id.parse().ok()?)));
    split.map_or((key, None), |(text, id)| (text, Some(id)))
}
