//! Tables for terminals, CSV and Markdown. Knows columns of text; numbers come formatted.

use std::fmt::Write as _;

/// A table of text. Columns after the first are figures unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Heads, units included.
    pub heads: Vec<String>,
    /// Which columns are text (left); the others are figures (right).
    pub text: Vec<bool>,
    /// Rows; each as long as `heads`.
    pub rows: Vec<Vec<String>>,
}

/// Most characters of a cell on a terminal, and how many of them are the text's end.
const CELL: (usize, usize) = (100, 30);

/// A text, or its two ends.
fn shortened(cell: &str) -> String {
    let n = cell.chars().count();
    if n <= CELL.0 {
        return cell.to_owned();
    }
    let start = cell.chars().take(CELL.0 - CELL.1 - 1);
    start.chain(['…']).chain(cell.chars().skip(n - CELL.1)).collect()
}

impl Table {
    /// A table with heads; `true` marks a text column.
    pub fn new(heads: &[(&str, bool)]) -> Self {
        Self {
            heads: heads.iter().map(|(h, _)| (*h).to_owned()).collect(),
            text: heads.iter().map(|(_, t)| *t).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Aligned columns for a terminal. Of a very long text, as a GPU's kernel has for a name, the middle is left out.
    pub fn aligned(&self) -> String {
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| shortened(cell)).collect()).collect();
        let all = || std::iter::once(&self.heads).chain(&rows);
        let width = |i: usize| all().filter_map(|r| r.get(i)).map(|c| c.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let mut out = String::new();
        for row in all() {
            let mut line = String::new();
            for ((cell, width), text) in row.iter().zip(&widths).zip(&self.text) {
                let pad = " ".repeat(width - cell.chars().count());
                let (before, after) = if *text { ("", pad.as_str()) } else { (pad.as_str(), "") };
                let _ = write!(line, "{before}{cell}{after}  ");
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// Comma-separated values as RFC 4180 has them.
    pub fn csv(&self) -> String {
        let cell = |c: &String| {
            if c.contains([',', '"', '\n', '\r']) { format!("\"{}\"", c.replace('"', "\"\"")) } else { c.clone() }
        };
        let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n";
        std::iter::once(&self.heads).chain(&self.rows).map(line).collect()
    }

    /// A Markdown table.
    pub fn markdown(&self) -> String {
        let cell = |c: &String| c.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ");
        let line = |row: &Vec<String>| format!("| {} |\n", row.iter().map(cell).collect::<Vec<_>>().join(" | "));
        let rule = self.text.iter().map(|t| if *t { "|---" } else { "|--:" }).collect::<String>() + "|\n";
        line(&self.heads) + &rule + &self.rows.iter().map(line).collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[("Op", true), ("Self ms", false)]);
        table.row(vec!["a|b, \"c\"".into(), "1.5".into()]);
        table.row(vec!["é".into(), "10.25".into()]);
        table
    }

    #[test]
    fn each_form() {
        assert_eq!(table().aligned(), "Op        Self ms\na|b, \"c\"      1.5\né           10.25\n");
        assert_eq!(table().csv(), "Op,Self ms\r\n\"a|b, \"\"c\"\"\",1.5\r\né,10.25\r\n");
        assert_eq!(table().markdown(), "| Op | Self ms |\n|---|--:|\n| a\\|b, \"c\" | 1.5 |\n| é | 10.25 |\n");
    }
}
