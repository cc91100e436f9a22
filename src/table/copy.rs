//! This module writes rows as text for the clipboard, with the cells that a table on the page shows.

use super::page::Head;
use super::text::{markdown_text, spreadsheet_cell};
use serde::{Deserialize, Serialize};

/// The form of copied rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CopyForm {
    /// Tabs between cells.
    Tsv,
    Markdown,
}

/// Writes rows as text for the clipboard, after the headings of their columns.
pub fn rows_as_text(form: CopyForm, columns: &[Head], rows: impl Iterator<Item = Vec<String>>) -> String {
    let heads: Vec<String> = columns.iter().map(head).collect();
    match form {
        CopyForm::Tsv => {
            let line = |row: Vec<String>| {
                let cells = row.iter().zip(columns).map(|(cell, column)| tsv_cell(cell, column.numeric));
                cells.collect::<Vec<_>>().join("\t") + "\n"
            };
            std::iter::once(heads.join("\t") + "\n").chain(rows.map(line)).collect()
        }
        CopyForm::Markdown => {
            let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
            // Numbers are right-aligned.
            let rule = columns.iter().map(|c| if c.numeric { "---:" } else { "---" }.to_owned()).collect();
            let rows = rows.map(|row| row.iter().map(|cell| markdown_text(cell).into_owned()).collect());
            [heads, rule].into_iter().chain(rows).map(line).collect()
        }
    }
}

/// Returns a cell in a form that a spreadsheet does not misread: numbers are plain numbers, and texts are no formulas.
fn tsv_cell(cell: &str, numeric: bool) -> String {
    let plain = cell.replace(',', "").replace('\u{2212}', "-");
    if numeric && plain.parse::<f64>().is_ok() {
        return plain;
    }
    // Tabs and line breaks are written as escapes as well.
    spreadsheet_cell(cell).into_owned()
}

fn head(column: &Head) -> String {
    if column.unit.is_empty() { column.head.clone() } else { format!("{} ({})", column.head, column.unit) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::page::ColumnVisibility;

    fn column(id: &str, digits: Option<u32>) -> Head {
        let (id, head) = (id.to_owned(), id.to_owned());
        Head {
            id,
            head,
            unit: String::new(),
            numeric: digits.is_some(),
            digits,
            sort: None,
            priority: 0,
            visibility: ColumnVisibility::Usual,
            stretches: false,
            longest: None,
            about: String::new(),
            tip: 0,
        }
    }

    #[test]
    fn copies_have_heads_and_one_line_per_row() {
        let columns = [column("op", None), Head { unit: "ms".to_owned(), ..column("self", Some(7)) }];
        let rows = [vec!["a|b\n".to_owned(), "1.5".to_owned()]];
        let tsv = |rows: &[Vec<String>]| rows_as_text(CopyForm::Tsv, &columns, rows.iter().cloned());
        let markdown = |rows: &[Vec<String>]| rows_as_text(CopyForm::Markdown, &columns, rows.iter().cloned());
        assert_eq!(tsv(&rows), "op\tself (ms)\na|b\\n\t1.5\n");
        assert_eq!(markdown(&rows), "| op | self (ms) |\n| --- | ---: |\n| a\\|b\\\\n | 1.5 |\n");
        let rows = [vec!["=1+1\tx".to_owned(), "1,039.5".to_owned()], vec!["a,b".to_owned(), "–".to_owned()]];
        assert_eq!(tsv(&rows), "op\tself (ms)\n'=1+1\\tx\t1039.5\na,b\t–\n");
    }
}
