//! What tooltips say: exact values behind the texts of cells. This module knows groups; no browser.

use super::cell::Cell;
use super::rows::Row;
use crate::analysis::breakdown::{Group, Part, is_unrated};
use crate::table::format;

/// What a tooltip says: a name, then a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    /// The whole name.
    pub title: String,
    /// Exact values.
    pub rows: Vec<(String, String)>,
}

/// What a cell's tooltip says, where it has more to say than the cell.
pub fn tip(cell: Cell, row: Row<'_>) -> Option<Tip> {
    let group = row.group;
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut add = |label: &str, value: Option<String>| rows.extend(value.map(|value| (label.to_owned(), value)));
    match cell {
        Cell::Name => {
            add("Program", group.program.clone());
            add("Category", group.main_category().map(str::to_owned));
            add("Kernel", group.kernel.clone());
            add("Result", group.shapes.first().cloned());
            add("Scope", group.tf_op.clone());
            add("Source", group.source_inner.clone());
            return Some(Tip { title: group.key.clone(), rows });
        }
        Cell::SelfTime | Cell::Step | Cell::Inclusive | Cell::OfKind => {
            add("Self", Some(format::exact_time(group.total)));
            add("With what runs inside", Some(format::exact_time(group.inclusive)));
            add("% of kind", group.of_kind.map(format::percent_text));
        }
        Cell::Mean | Cell::Runs | Cell::Min | Cell::Max => {
            add("Executions", Some(format::count(group.n_executions)));
            add("Mean", group.mean.map(format::exact_time));
            add("Shortest", Some(format::exact_time(group.min)));
            add("Longest", Some(format::exact_time(group.max)));
        }
        Cell::Cumulative => add("Cumulative self time", Some(format::exact_time(row.cumulative))),
        Cell::Rate => {
            add("Floating point operations", Some(format::quantity(group.flops?)));
            add("Self", Some(format::exact_time(group.total)));
            add("No rate", unrated(group));
        }
        Cell::Bytes => {
            add("Bytes accessed", Some(format::quantity(group.bytes_accessed?)));
            add("Self", Some(format::exact_time(group.total)));
            add("No rate", unrated(group));
        }
        Cell::Category => {
            let by_time = |(name, share): (&String, &crate::analysis::breakdown::Share)| {
                (name.clone(), format!("{}, {}", format::time_text(share.dur), format::counted(share.n, "run", "runs")))
            };
            rows.extend(group.categories.iter().take(8).map(by_time));
        }
        Cell::Source => {
            let frames = group.source_stack.as_deref().or(group.source_inner.as_deref())?;
            rows.extend(frames.lines().take(12).map(|frame| (String::new(), frame.to_owned())));
        }
        Cell::Kind => add("Kind", Some(group.kind.label().to_owned())),
        Cell::Scope => rows.push((String::new(), group.tf_op.clone()?)),
        Cell::Shape | Cell::Dtype => rows.extend(group.shapes.iter().map(|shape| (String::new(), shape.clone()))),
        Cell::Program => add("Program", Some(group.program.clone()?)),
        Cell::Intensity => {
            add("Floating point operations", Some(format::quantity(group.flops?)));
            add("Bytes accessed", Some(format::quantity(group.bytes_accessed?)));
        }
        Cell::Phase | Cell::OpGroup | Cell::Layer => return None,
    }
    Some(Tip { title: group.key.clone(), rows })
}

/// Why a row has no rate, where its time is the reason.
fn unrated(group: &Group) -> Option<String> {
    is_unrated(group.total, group.n_executions).then(|| "less than 100 ns per execution".to_owned())
}

/// What a part has to say beyond its cells.
pub fn inner_tip(part: &Part) -> Option<Tip> {
    let rows =
        vec![("Self".to_owned(), format::exact_time(part.total)), ("Executions".to_owned(), format::count(part.n))];
    Some(Tip { title: part.signature.clone(), rows })
}
