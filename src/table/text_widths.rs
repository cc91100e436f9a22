//! This module finds the lengths of the texts in each column, from which the widths of columns follow.

use super::page::{Cell, Head, Row};

/// Number of characters of a name that fit beside columns of their usual widths.
const LONG_NAME: u32 = 36;

/// Sets the length of the longest text of each column. If a name is long, columns of texts leave it the width that they
/// do not need.
pub(super) fn set_text_widths(columns: &mut [Head], rows: &[Row]) {
    for (index, column) in columns.iter_mut().enumerate() {
        let mut lengths = rows.iter().map(|row| row.cells.get(index).and_then(length));
        // A column of bars or swatches keeps its width.
        let longest: Option<u32> = lengths.try_fold(0, |longest: u32, length| Some(longest.max(length?)));
        column.longest = longest.filter(|_| !column.numeric);
    }
    let has_long_names = columns.first().and_then(|names| names.longest).is_some_and(|longest| longest > LONG_NAME);
    for column in columns.iter_mut().filter(|column| has_long_names && !column.stretches) {
        column.digits = column.digits.map(|digits| column.longest.map_or(digits, |longest| digits.min(longest + 1)));
    }
}

/// Returns the number of characters of a cell. `None` if it has more than a text.
fn length(cell: &Cell) -> Option<u32> {
    let text = match cell {
        Cell::Absent => "–",
        Cell::Text(text) | Cell::Soft(text) | Cell::Mono(text) => text,
        Cell::Name(name) => &name.text,
        _ => return None,
    };
    u32::try_from(text.chars().count()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::page::{ColumnVisibility, Name};

    fn head(id: &str, digits: Option<u32>) -> Head {
        Head {
            id: id.to_owned(),
            head: id.to_owned(),
            unit: String::new(),
            numeric: false,
            digits,
            stretches: false,
            longest: None,
            sort: None,
            priority: 0,
            visibility: ColumnVisibility::Usual,
            about: String::new(),
            tip: 0,
        }
    }

    fn row(name: &str, text: &str) -> Row {
        let name = Name { text: name.to_owned(), ..Name::default() };
        let cells = vec![Cell::Name(name), Cell::Soft(text.to_owned()), Cell::Bar(0.5, "5".to_owned())];
        Row { key: String::new(), title: String::new(), cells, tips: Vec::new(), opens: false, parts: Vec::new() }
    }

    #[test]
    fn texts_leave_room_to_long_names() {
        let widths = |rows: &[Row]| {
            let mut columns = [head("name", None), head("text", Some(20)), head("bar", Some(13))];
            set_text_widths(&mut columns, rows);
            columns.map(|column| (column.digits, column.longest))
        };
        let short = [row("fusion.1", "mixed"), row("fusion.22", "loop fusion")];
        assert_eq!(widths(&short), [(None, Some(9)), (Some(20), Some(11)), (Some(13), None)]);
        let long = [row(&"a/".repeat(30), "mixed"), row("a/b", "loop fusion")];
        assert_eq!(widths(&long), [(None, Some(60)), (Some(12), Some(11)), (Some(13), None)]);
    }
}
