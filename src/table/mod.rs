//! This module declares each column of a table once, and holds the writers that all tables share.
//!
//! ```text
//!  columns of a feature: &[Column<Row>] ─┬─► object!         JSON documents, their types and their documentation
//!  rows of its report:   &[Row] ─────────┴─► csv::table      exact values for programs
//!
//!  Table<Row>, rows, filter, order ──► answer::TableRows ──► page::TablePage   cells, tooltips, totals; text to copy
//!  keys of rows by a column ──► sort::sort_rows     row numbers, ties by name, absent values last
//!  cells as text ─────────────► text::Table         terminal, CSV and Markdown
//! ```
//!
//! A [`Column`] gives the name of a column in files, and the [`Value`] of a row. This module does not depend on
//! features.

pub mod answer;
mod cells;
pub mod column;
pub mod copy;
pub mod csv;
pub mod date;
pub mod filter;
pub mod format;
pub mod json;
pub mod kind;
pub mod page;
pub mod shown;
pub mod sort;
pub mod source;
pub mod text;
pub mod text_columns;
mod text_widths;
mod totals;
pub mod value;
pub mod words;

pub use column::{Column, Rows};
pub(crate) use column::{columns, is_nullable, kind_of, object, outputs_of, value_of};
pub use kind::Outputs;
pub use value::{Difference, MIXED, Object, RowList, Value};

#[cfg(test)]
mod tests {
    use super::{Value, columns, csv};
    use xla_profile::units::Picos;

    struct Sample {
        name: String,
        rate: Option<f64>,
        shapes: Vec<String>,
    }

    columns! {
        COLUMNS(row: Sample) {
            /// The name.
            name: Text = &row.name,
            id: ProgramId = u64::MAX,
            time_ps: Time = Picos(1_500),
            gap_ps: Integer = -3,
            n: Count = 7,
            util: Number = 0.5,
            share_pct: Percent = 0.25,
            bus_gbps: Bandwidth or null = row.rate,
            is_late: Flag = true,
            kind: Word = "compute",
            shapes: List(Text) in json = &row.shapes,
            shape: Text or null in csv = row.shapes.first(),
            axes: List(Word) = ["x", "y"],
            parts: Rows(PARTS) in json = &row.shapes,
            kernel: Text or null in json if_present = row.shapes.get(1),
        }

        PARTS(row: String) {
            text: Text = row,
        }
    }

    fn rows() -> [Sample; 2] {
        let shapes = vec!["f32[8]".to_owned(), "fusion_kernel".to_owned()];
        [
            Sample { name: "a,b".to_owned(), rate: Some(2.5e9), shapes },
            Sample { name: "=c".to_owned(), rate: None, shapes: Vec::new() },
        ]
    }

    #[test]
    fn rows_of_json_have_each_value_in_its_unit() {
        let text = serde_json::to_string(&Value::rows(COLUMNS, &rows())).unwrap();
        let shared = r#""id":"18446744073709551615","time_ps":1500,"gap_ps":-3,"n":7,"util":0.5,"share_pct":25.0,"#;
        let expected = format!(
            r#"[{{"name":"a,b",{shared}"bus_gbps":2.5,"is_late":true,"kind":"compute","shapes":["f32[8]","fusion_kernel"],"axes":["x","y"],"parts":[{{"text":"f32[8]"}},{{"text":"fusion_kernel"}}],"kernel":"fusion_kernel"}},{{"name":"=c",{shared}"bus_gbps":null,"is_late":true,"kind":"compute","shapes":[],"axes":["x","y"],"parts":[]}}]"#
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn rows_of_csv_have_the_same_values_and_no_records() {
        let text = csv::table(COLUMNS, rows().iter()).csv();
        let shared = "18446744073709551615,1500,-3,7,0.5,25,";
        let expected = format!(
            "name,id,time_ps,gap_ps,n,util,share_pct,bus_gbps,is_late,kind,shape,axes\r\n\
             \"a,b\",{shared}2.5,true,compute,f32[8],x y\r\n\
             '=c,{shared},true,compute,,x y\r\n"
        );
        assert_eq!(text, expected);
    }
}
