//! This module writes the tables and their columns as text: for the test that keeps them, and for the documentation.

use super::heads::sql;
use super::{SCHEMA_VERSION, TableName};
use std::fmt::Write as _;

/// Returns the names and the types of all columns, one on each line.
pub fn schema_text() -> String {
    let mut text = format!("schema_version {SCHEMA_VERSION}\n");
    for table in TableName::ALL {
        let _ = writeln!(text, "\n{}", table.key());
        for column in table.columns() {
            let _ = writeln!(text, "  {} {}", column.id, sql(&column.kind));
        }
    }
    text
}

/// Returns the tables with the descriptions of their columns, as Markdown.
pub fn schema_markdown() -> String {
    let mut text = format!("# The tables of the fleet export, version {SCHEMA_VERSION}\n");
    text +=
        "\nThis page is written by the test `the_schema_is_documented`. [FLEET.md](FLEET.md) explains the export.\n";
    for table in TableName::ALL.into_iter().rev() {
        let _ =
            write!(text, "\n## {}\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n", table.key(), table.about());
        for column in table.columns() {
            let _ = writeln!(text, "| `{}` | `{}` | {} |", column.id, sql(&column.kind), column.description());
        }
    }
    text
}
