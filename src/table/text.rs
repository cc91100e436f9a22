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
/// that a name cannot clear a screen, set a title, move the cursor, begin a line or overwrite the figures beside it.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    // `escape_default` writes `\t`, `\r` and `\n` as short escapes, and all others as `\u{…}`.
    escaped(text, is_invisible, |out, c| out.extend(c.escape_default()))
}

/// Formats names as the first one and the number of the others: "a.xplane.pb and 2 more". `none` stands for no names.
pub fn first_name<S: AsRef<str>>(names: &[S], none: &str) -> String {
    match names {
        [] => none.to_owned(),
        [one] => one.as_ref().to_owned(),
        [first, rest @ ..] => format!("{} and {} more", first.as_ref(), rest.len()),
    }
}

/// Returns a text as the page shows it. Line breaks and tabs stay, because texts of several lines and CSV have them, and a
/// browser shows them as spaces within a line. All other [invisible](is_invisible) characters are escaped.
pub fn escape_page_text(text: &str) -> Cow<'_, str> {
    const LINE_END: &str = "\r\n";
    let escape = |part| escaped(part, is_hidden_on_page, |out, c| out.extend(c.escape_unicode()));
    if text.contains(LINE_END) {
        return Cow::Owned(text.split(LINE_END).map(escape).collect::<Vec<_>>().join(LINE_END));
    }
    escape(text)
}

const fn is_hidden_on_page(c: char) -> bool {
    is_invisible(c) && !matches!(c, '\n' | '\t')
}

/// Returns the text that [`escape_page_text`] has escaped. A text that already held such an escape is not told apart.
pub fn unescape_page_text(text: &str) -> Cow<'_, str> {
    const START: &str = "\\u{";
    if !text.contains(START) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(START) {
        out.push_str(before);
        let escape = after.split_once('}').and_then(|(digits, after)| {
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            is_hidden_on_page(c).then_some((c, after))
        });
        if let Some((c, after)) = escape {
            out.push(c);
            rest = after;
        } else {
            out.push_str(START);
            rest = after;
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Replaces the characters that `is_hidden` selects by what `write` writes for them.
fn escaped(text: &str, is_hidden: fn(char) -> bool, write: fn(&mut String, char)) -> Cow<'_, str> {
    let Some(first) = text.find(is_hidden) else { return Cow::Borrowed(text) };
    let (start, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(start);
    for c in rest.chars() {
        if is_hidden(c) { write(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Returns a text as a part of a file's name. [Invisible](is_invisible) characters, and characters that file systems do
/// not allow, become `-`.
pub fn file_name_text(name: &str) -> String {
    const REFUSED: &str = "/\\:*?\"<>|";
    name.chars().map(|c| if is_invisible(c) || REFUSED.contains(c) { '-' } else { c }).collect()
}

/// A form of a document for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// Plain text.
    Terminal,
    Markdown,
}

impl TextForm {
    pub fn table(self, table: &Table) -> String {
        match self {
            Self::Terminal => table.aligned(),
            Self::Markdown => table.markdown(),
        }
    }

    /// Writes sentences, one on each line. They may hold names of the capture: none of them can begin a line.
    pub fn lines<T: AsRef<str>>(self, lines: impl IntoIterator<Item = T>) -> String {
        let mut out = String::new();
        for line in lines {
            let line = line.as_ref();
            out.push_str(&match self {
                Self::Terminal => escape_invisible(line),
                Self::Markdown => markdown_text(line),
            });
            out.push('\n');
        }
        out
    }
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

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Adds a row of sums: its first cell, and others by the head of their column. All other cells are empty.
    ///
    /// # Panics
    /// In debug builds, if no column has one of the heads.
    pub fn summary_row(&mut self, first: String, cells: &[(&str, String)]) {
        let is_known = |name: &str| self.heads.iter().any(|head| head == name);
        debug_assert!(cells.iter().all(|(head, _)| is_known(head)), "no column of a cell of {first}");
        let cell = |head: &String| cells.iter().find(|(name, _)| name == head).map(|(_, cell)| cell.clone());
        let others = self.heads.iter().skip(1).map(|head| cell(head).unwrap_or_default());
        let row = std::iter::once(first).chain(others).collect();
        self.rows.push(row);
    }

    /// Adds a row with the number of rows beyond the first `top` of `n_rows`, if there are any.
    pub fn count_others(&mut self, n_rows: usize, top: usize) {
        if n_rows > top {
            self.summary_row(format!("{} more", super::format::count((n_rows - top) as u64)), &[]);
        }
    }

    /// Writes aligned columns for a terminal. Names are made [safe to print](escape_invisible), and a very long text,
    /// such as the name of a GPU kernel, loses its middle.
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
        let (exact, shown) = ("a\tb\r\nc\u{202e}\\u{41}\\u{\\n\u{1b}", "a\tb\r\nc\\u{202e}\\u{41}\\u{\\n\\u{1b}");
        assert_eq!(escape_page_text(exact), shown);
        assert_eq!(unescape_page_text(shown), exact);
        assert!(matches!(escape_page_text(plain), Cow::Borrowed(text) if text == plain));
        assert!(matches!(unescape_page_text(plain), Cow::Borrowed(text) if text == plain));
        assert_eq!(file_name_text("a/b\u{1b}[2J\r\n\u{202e}c.pb"), "a-b-[2J---c.pb");
        assert_eq!(TextForm::Terminal.lines(["a\nb", "c"]), "a\\nb\nc\n");
        assert_eq!(TextForm::Markdown.lines(["a\n*b*"]), "a\\\\n\\*b\\*\n");
        let mut table = Table::new(&[("Op", true), ("Self ms", false)]);
        table.row(vec!["x\r\n\u{1b}[1A".into(), "1".into()]);
        assert_eq!(table.aligned(), "Op              Self ms\nx\\r\\n\\u{1b}[1A        1\n");
    }

    #[test]
    fn sums_stand_below_their_heads() {
        let mut table = Table::new(&[("Self ms", true), ("Count", false), ("Self ms", false)]);
        table.summary_row("2 more".to_owned(), &[("Self ms", "1.5".to_owned())]);
        assert_eq!(table.rows, [["2 more", "", "1.5"]]);
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
