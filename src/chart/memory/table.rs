//! What is alive as a table: columns, cells and totals; rows are loaded, and sorted here. This module knows buffers; no browser.

use super::size::{mib, text as size_text};
use super::treemap::tip as buffer_tip;
use crate::analysis::memory::{AliveAt, Buffer};
use crate::chart::breakdown::Tip;
use crate::chart::widgets::table::{self, Column, Measure};
use crate::table::format::{self, ABSENT};
use crate::table::order::{SortKey, sort_rows, text_filter};
use crate::table::page::{Cell, Mark, Name};

/// A column: its id, head, width in digits, whether it holds figures.
const ALL: [(&str, &str, u32, bool); 9] = [
    ("name", "Buffer", 0, false),
    ("size", "Size", 10, true),
    ("class", "Class", 15, false),
    ("shape", "Shape", 30, false),
    ("life", "Live range", 11, false),
    ("padding", "Padding", 9, true),
    ("category", "Category", 11, false),
    ("scope", "Scope", 34, false),
    ("source", "Source", 24, false),
];
/// Which go first where there is little room.
const DROP: [&str; 7] = ["source", "scope", "category", "padding", "life", "shape", "class"];

/// An order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    /// The id of a column.
    pub column: &'static str,
    /// Largest first; for texts: z first.
    pub descending: bool,
}

/// The largest first.
pub const USUAL: Order = Order { column: "size", descending: true };

/// The id of a column of this name.
pub fn column_id(id: &str) -> Option<&'static str> {
    ALL.into_iter().map(|(known, ..)| known).find(|known| *known == id)
}

/// The columns that fit.
pub fn columns(two_lines: bool, measure: Measure) -> Vec<Column> {
    let column = |(id, head, digits, numeric): (&'static str, &'static str, u32, bool)| {
        let unit = match id {
            "size" => "MiB",
            "padding" => "%",
            _ => "",
        };
        table::column(id, (head, unit), numeric, (digits > 0).then_some(digits), Some(numeric))
    };
    let mut columns: Vec<Column> = ALL.into_iter().map(column).collect();
    if two_lines {
        columns.retain(|column| matches!(&*column.id, "name" | "size"));
    }
    table::fit_beside(150.0, &mut columns, &DROP, measure);
    columns
}

/// Places of buffers in an order; a filter's text is looked for in name, scope, source, shape, class and category. Ties stay as
/// they come: by size.
pub fn order(alive: &AliveAt, order: Order, filter: &str) -> Vec<usize> {
    let contains = text_filter(filter);
    let matches = |of: &Buffer| {
        let source = of.source.as_deref().unwrap_or_default();
        let texts = [&*of.instruction, &*of.op_name, source, of.class.label(), &*of.shape, of.category.label()];
        contains(&texts)
    };
    let places: Vec<usize> = (0..alive.buffers.len()).filter(|at| matches(&alive.buffers[*at])).collect();
    let shown = || places.iter().map(|at| &alive.buffers[*at]);
    let keys = shown().map(|of| match order.column {
        "size" => SortKey::Number(of.size),
        "padding" => SortKey::real(padding(of)),
        "class" => SortKey::Number(of.class as u64),
        "category" => SortKey::Number(of.category as u64),
        "life" => SortKey::Number(of.last.saturating_sub(of.first).into()),
        "shape" => SortKey::Text(of.shape.as_str().into()),
        "scope" => SortKey::Text(of.op_name.as_str().into()),
        "source" => SortKey::text(of.source.as_deref()),
        _ => SortKey::Text(of.label().into()),
    });
    let ranks: Vec<u32> = (0..places.len() as u32).collect();
    sort_rows(&keys.collect::<Vec<_>>(), &ranks, order.descending).into_iter().map(|row| places[row as usize]).collect()
}

fn padding(of: &Buffer) -> Option<f64> {
    let unpadded = of.unpadded?;
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = of.size.saturating_sub(unpadded) as f64 / of.size.max(1) as f64;
    Some(share)
}

/// A row. `points`: how many the curve has, for the bar of its life.
pub fn row(of: &Buffer, columns: &[Column], room: usize, points: u32, two_lines: bool, out: bool) -> table::Row {
    let cell = |column: &Column| match &*column.id {
        "name" => {
            let words = format!("{}, {}", of.class.label(), of.category.label());
            Cell::Name(Name {
                text: format::middle_cut(&of.label(), room),
                mono: true,
                second: two_lines.then_some((None, words)),
                ..Name::default()
            })
        }
        "class" => Cell::Marked(Mark::Memory(of.class.key().to_owned()), of.class.label().to_owned()),
        "life" => Cell::Range(part(of.first, points), part(of.last, points), text(of, "life")),
        "shape" => Cell::Mono(format::middle_cut(&of.shape, 30)),
        "scope" => Cell::Soft(format::middle_cut(&text(of, "scope"), 34)),
        "source" => Cell::Soft(format::middle_cut(&text(of, "source"), 24)),
        id => match text(of, id) {
            words if words == ABSENT => Cell::Absent,
            words => Cell::Text(words),
        },
    };
    table::Row {
        cells: columns.iter().map(cell).collect(),
        open: None,
        room: false,
        inner: false,
        selected: out,
        tells: true,
    }
}

fn part(point: u32, points: u32) -> f64 {
    f64::from(point) / f64::from(points.max(1))
}

/// A cell as text, for copies.
pub fn text(of: &Buffer, id: &str) -> String {
    let some = |text: &str| if text.is_empty() { ABSENT.to_owned() } else { text.to_owned() };
    match id {
        "name" => of.label(),
        "size" => mib(of.size),
        "class" => of.class.label().to_owned(),
        "category" => of.category.label().to_owned(),
        "shape" => some(&of.shape),
        "life" => format!("{} to {}", format::count(of.first.into()), format::count(of.last.into())),
        "padding" => padding(of).map_or_else(|| ABSENT.to_owned(), format::percent),
        "scope" => some(&of.op_name),
        _ => some(of.source.as_deref().unwrap_or_default()),
    }
}

/// What a row has to say.
pub fn tip(of: &Buffer) -> Option<Tip> {
    Some(buffer_tip(of))
}

/// The totals.
pub fn foot(alive: &AliveAt, shown: &[usize]) -> Vec<(String, String)> {
    let all = shown.len() == alive.buffers.len();
    let size = shown.iter().fold(0, |sum: u64, at| sum.saturating_add(alive.buffers[*at].size));
    let n = if all {
        format::counted(alive.n.into(), "buffer", "buffers")
    } else {
        format!("{} of {}", format::count(shown.len() as u64), format::counted(alive.n.into(), "buffer", "buffers"))
    };
    vec![("name".to_owned(), n), ("size".to_owned(), mib(if all { alive.size } else { size }))]
}

/// What of the alive is not in the table, in words.
pub fn rest(alive: &AliveAt) -> Option<String> {
    let more = (alive.n as usize).saturating_sub(alive.buffers.len());
    (more > 0).then(|| {
        format!(
            "{} ({}) are in no row: the saved file has all.",
            format::counted(more as u64, "smaller buffer", "smaller buffers"),
            size_text(alive.rest)
        )
    })
}
