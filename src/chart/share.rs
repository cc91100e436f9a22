//! This module formats the texts of the share dialog: counts, sizes and the first rows of a report. It does not depend
//! on page elements.

use crate::protocol::ReportRow;
use crate::share::{Preview, Table};
use crate::table::format;

/// Returns the number of rows that the report includes: "52 of 1,019" or "all 33".
pub fn count(table: &Table) -> String {
    match (table.shown, table.total) {
        (shown, total) if shown < total => format!("{} of {}", format::count(shown), format::count(total)),
        (1, _) => "1".to_owned(),
        (shown, _) => format!("all {}", format::count(shown)),
    }
}

/// Returns the heading of the list of texts: "All texts included (437), beside 3,208 numbers".
pub fn texts(preview: &Preview) -> String {
    let n = preview.texts.iter().map(|section| section.texts.len() as u64).sum();
    format!("All texts included ({}), beside {} numbers", format::count(n), format::count(preview.n_numbers.into()))
}

/// Returns the value of the slider for screen readers: the level of detail and the length of the link in characters.
pub fn level_text(level: u8, length: usize) -> String {
    format!("{level} of 100, {} characters", format::count(length as u64))
}

/// Returns the last component of a capture's path, which browsers write with `/`. A `\` is a part of a name, or begins an escape in it.
pub fn own_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the first rows as text in aligned columns: name, kind, time, share of the step, source.
pub fn rows(rows: &[ReportRow]) -> String {
    let cells: Vec<[String; 5]> = rows.iter().map(cells).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let line = |[name, kind, time, share, source]: &[String; 5]| {
        let [w0, w1, w2, w3] = widths;
        format!("{name:w0$}   {kind:w1$}   {time:>w2$}   {share:>w3$}   {source}").trim_end().to_owned()
    };
    cells.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn cells(row: &ReportRow) -> [String; 5] {
    [
        format::middle_cut(&row.name, 40),
        row.kind.label().to_lowercase(),
        format::time_text(row.total),
        row.of_step.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0)),
        row.source.clone().unwrap_or_default(),
    ]
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::analysis::classify::Kind;
    use xla_profile::units::Picos;

    #[test]
    fn counts_say_what_is_left_out() {
        let table = |shown, total| Table { title: String::new(), shown, total };
        assert_eq!(
            [table(52, 1019), table(33, 33), table(1, 1)].map(|table| count(&table)),
            ["52 of 1,019", "all 33", "1"]
        );
    }

    #[test]
    fn rows_line_up() {
        let row = |name: &str, total, of_step, source: Option<&str>| ReportRow {
            name: name.to_owned(),
            kind: Kind::Compute,
            total: Picos(total),
            of_step,
            source: source.map(str::to_owned),
        };
        let text =
            rows(&[row("fusion.1", 6_251_000_000, Some(0.0512), None), row("a", 51_000_000, None, Some("x.py:1"))]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("fusion.1   compute   ") && lines[0].ends_with("5.1 %"), "{text}");
        assert!(lines[1].starts_with("a          compute   ") && lines[1].ends_with("    –   x.py:1"), "{text}");
    }

    #[test]
    fn folders_of_captures_stay() {
        assert_eq!(
            [own_name("a/b.pb"), own_name("b.pb"), own_name("a/c\\u{202e}b.pb")],
            ["b.pb", "b.pb", "c\\u{202e}b.pb"]
        );
    }
}
