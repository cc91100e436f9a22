//! This module writes tables of text for terminals, CSV and Markdown. Numbers are already formatted.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A table of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Headings with their units.
    pub heads: Vec<String>,
    /// Whether each column is text, which is left-aligned. The others are numbers, which are right-aligned.
    pub text: Vec<bool>,
    /// Rows, each as long as `heads`.
    pub rows: Vec<Vec<String>>,
}

/// Largest number of characters of a cell on a terminal, and the number of them that come from the end of the text.
const CELL: (usize, usize) = (100, 30);

/// Returns a text, or its two ends if it is longer than a cell.
fn shortened(cell: &str) -> String {
    let n = cell.chars().count();
    if n <= CELL.0 {
        return cell.to_owned();
    }
    let start = cell.chars().take(CELL.0 - CELL.1 - 1);
    start.chain(['…']).chain(cell.chars().skip(n - CELL.1)).collect()
}

/// Returns whether a character acts on a terminal or hides text instead of showing a glyph: control characters (C0,
/// DEL, C1), line and paragraph separators, bidirectional overrides and isolates, zero-width characters, variation
/// selectors and tags.
pub const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns a text of a capture as one line that is safe to print. [Invisible](is_invisible) characters are escaped, so
/// that a name cannot clear a screen, set a title, move the cursor or overwrite the figures beside it.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// Returns a text of several lines that is safe to print. Line breaks (`\n`, `\r\n`) and tabs stay, and all other
/// [invisible](is_invisible) characters are escaped.
pub fn escape_invisible_lines(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    escaped(text, |at| match bytes[at] {
        b'\n' | b'\t' => true,
        b'\r' => bytes.get(at + 1) == Some(&b'\n'),
        _ => false,
    })
}

/// Escapes invisible characters, except at the byte offsets for which `keep` returns true.
fn escaped(text: &str, keep: impl Fn(usize) -> bool) -> Cow<'_, str> {
    let hidden = |(at, c): &(usize, char)| is_invisible(*c) && !keep(*at);
    if !text.char_indices().any(|c| hidden(&c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.char_indices() {
        if hidden(&c) {
            // `escape_default` writes `\t`, `\r` and `\n` as short escapes, and all others as `\u{…}`.
            out.extend(c.1.escape_default());
        } else {
            out.push(c.1);
        }
    }
    Cow::Owned(out)
}

/// Returns a cell for a spreadsheet. A text that a spreadsheet would run as a formula gets an apostrophe at its start.
/// Numbers stay numbers.
pub fn spreadsheet_cell(text: &str) -> Cow<'_, str> {
    let text = if text.starts_with(['\t', '\r']) {
        Cow::Owned(format!("'{}", escape_invisible(text)))
    } else {
        escape_invisible(text)
    };
    if text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err() {
        return Cow::Owned(format!("'{text}"));
    }
    text
}

/// Returns a text of a capture as one line of plain Markdown: it cannot become an image, a link, HTML or code.
pub fn markdown_text(text: &str) -> Cow<'_, str> {
    const ACTIVE: [char; 7] = ['\\', '`', '*', '|', '[', '<', '&'];
    let text = escape_invisible(text);
    // Markdown makes links of "https://…" and "www.…" without any markup.
    if !text.contains(ACTIVE) && !text.contains("://") && !text.contains("www.") {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.as_ref();
    while let Some(c) = rest.chars().next() {
        let taken = if rest.starts_with("://") {
            out.push_str(":\\/\\/");
            3
        } else if rest.starts_with("www.") {
            out.push_str("www\\.");
            4
        } else {
            let after = rest.get(c.len_utf8()..).unwrap_or_default();
            // "<0.001" does not start a tag.
            let is_plain = c == '<' && !after.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
            if ACTIVE.contains(&c) && !is_plain {
                out.push('\\');
            }
            out.push(c);
            c.len_utf8()
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    Cow::Owned(out)
}

impl Table {
    /// Creates a table with headings. `true` marks a text column.
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

    /// Writes aligned columns for a terminal. Names are made [safe to print](escape_invisible), and a very long text, such as
    /// the name of a GPU kernel, loses its middle.
    pub fn aligned(&self) -> String {
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| shortened(&escape_invisible(cell))).collect()).collect();
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

    /// Writes comma-separated values of RFC 4180 that are [safe](spreadsheet_cell) to open in a spreadsheet.
    pub fn csv(&self) -> String {
        let cell = |c: &String| {
            let c = spreadsheet_cell(c);
            if c.contains([',', '"', '\n', '\r']) { format!("\"{}\"", c.replace('"', "\"\"")) } else { c.into_owned() }
        };
        let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n";
        std::iter::once(&self.heads).chain(&self.rows).map(line).collect()
    }

    /// Writes a Markdown table of [plain texts](markdown_text).
    pub fn markdown(&self) -> String {
        let cell = |c: &String| markdown_text(c).into_owned();
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
    fn names_cannot_act_on_a_terminal() {
        let plain = "fusion.1 é ∑ 名 a|b";
        assert!(matches!(escape_invisible(plain), Cow::Borrowed(text) if text == plain));
        assert_eq!(escape_invisible("\u{1b}[2J\u{7}\r\n\t\0"), "\\u{1b}[2J\\u{7}\\r\\n\\t\\u{0}");
        assert_eq!(
            escape_invisible("\u{9b}31m \u{202e}b\u{2066}c\u{200b}\u{feff}"),
            "\\u{9b}31m \\u{202e}b\\u{2066}c\\u{200b}\\u{feff}"
        );
        assert_eq!(escape_invisible_lines("a\tb\r\nc\rd\n\u{1b}"), "a\tb\r\nc\\rd\n\\u{1b}");
        let mut table = Table::new(&[("Op", true), ("Self ms", false)]);
        table.row(vec!["x\r\n\u{1b}[1A".into(), "1".into()]);
        assert_eq!(table.aligned(), "Op              Self ms\nx\\r\\n\\u{1b}[1A        1\n");
    }

    #[test]
    fn names_are_no_formulas() {
        for plain in ["-1.5", "+2", "-1e-9", "fusion.1", "a=b", "−3", "–"] {
            assert_eq!(spreadsheet_cell(plain), plain);
        }
        for formula in ["=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-2+3"] {
            assert_eq!(spreadsheet_cell(formula), format!("'{formula}"));
        }
        assert_eq!(spreadsheet_cell("\t=1"), "'\\t=1");
        assert_eq!(spreadsheet_cell("\r=1\n"), "'\\r=1\\n");
    }

    #[test]
    fn names_are_plain_text_in_markdown() {
        for plain in ["all-reduce.1", "loop_fusion", "122.11 ms", "{0,1}", "a (b)", "<0.001", "a < b"] {
            assert_eq!(markdown_text(plain), plain);
        }
        for (text, expected) in [
            ("![x](http://evil.example/t.png)", "!\\[x](http:\\/\\/evil.example/t.png)"),
            ("<img src=x>", "\\<img src=x>"),
            ("`a` | &lt;", "\\`a\\` \\| \\&lt;"),
            ("www.evil.example\r\n# x", "www\\.evil.example\\\\r\\\\n# x"),
        ] {
            assert_eq!(markdown_text(text), expected);
        }
    }

    #[test]
    fn each_form() {
        assert_eq!(table().aligned(), "Op        Self ms\na|b, \"c\"      1.5\né           10.25\n");
        assert_eq!(table().csv(), "Op,Self ms\r\n\"a|b, \"\"c\"\"\",1.5\r\né,10.25\r\n");
        assert_eq!(table().markdown(), "| Op | Self ms |\n|---|--:|\n| a\\|b, \"c\" | 1.5 |\n| é | 10.25 |\n");
    }
}
