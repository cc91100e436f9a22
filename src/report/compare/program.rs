//! This module writes the differences of the programs of two sessions, for the terminal and for Markdown.

use crate::analysis::compare::{
    ChangeCounts, ChangeKind, ChangedProperty, Comparison, ProgramChange, ProgramDiff, Property,
};
use crate::table::format::{ABSENT, TimeUnit, count, counted, middle_cut, signed_time_text};
use crate::table::text::Table;
use crate::table::text_columns::TextColumns;
use xla_profile::units::Picos;

/// Largest number of opcodes in a line.
const OPCODES: usize = 6;
/// Properties of a change in a line.
const PROPERTIES: usize = 3;
/// Largest number of characters of the text of a property.
const TEXT: usize = 36;

/// Returns the differences of the programs in at most `top` lines: the numbers of changes, opcodes whose number differs,
/// and the changes with the largest differences. Empty if the programs are the same.
pub(super) fn lines(comparison: &Comparison, top: usize) -> Vec<String> {
    let diff = &comparison.program_changes;
    if let Some(absent) = &diff.absent {
        return vec![format!("Programs are not compared. {absent}")];
    }
    let mut lines = sentences(diff);
    lines.extend(diff.changes.iter().filter(|change| change.delta_ps != 0).map(|one| change(comparison, one)));
    lines.truncate(top);
    lines
}

/// Returns the numbers of changes, and the opcodes whose number differs, in sentences. Empty if the programs are the same.
pub fn sentences(diff: &ProgramDiff) -> Vec<String> {
    match &diff.absent {
        Some(absent) => vec![format!("Programs are not compared. {absent}")],
        None => numbers(diff).into_iter().chain(opcodes(diff)).collect(),
    }
}

/// Returns the changes with the largest differences as a table. `None` if no change takes time.
pub fn table(comparison: &Comparison, top: usize) -> Option<Table> {
    let changes = comparison.program_changes.changes.iter().filter(|change| change.delta_ps != 0);
    let shown: Vec<&ProgramChange> = changes.take(top).collect();
    let longest = shown.iter().map(|change| change.delta_ps.unsigned_abs()).max()?;
    let unit = TimeUnit::for_largest(Picos(longest));
    Some(
        TextColumns::new()
            .text("Op", |change: &ProgramChange| op(comparison, change).to_owned())
            .text("Change", change_text)
            .difference("Difference", unit, |change| change.delta_ps)
            .table(shown),
    )
}

/// Returns the numbers of changes in a sentence. `None` without changes.
fn numbers(diff: &ProgramDiff) -> Option<String> {
    let ChangeCounts { added, removed, changed } = diff.n_changes;
    let mut parts: Vec<String> = Vec::new();
    let mut add = |n: u64, what: &str| {
        if n > 0 {
            parts.push(format!("{} {what}", count(n)));
        }
    };
    add(added.into(), "new");
    add(removed.into(), "gone");
    add(changed.into(), &format!("changed{}", properties(diff)));
    add(diff.n_moved.into(), "in another order");
    let rest = diff.n_without_time;
    let n_rest = u64::from(rest.added) + u64::from(rest.removed) + u64::from(rest.changed);
    if n_rest > 0 {
        parts.push(counted(n_rest, "change of an instruction without time", "changes of instructions without time"));
    }
    if parts.is_empty() {
        return None;
    }
    let cost = if diff.changes.is_empty() {
        String::new()
    } else {
        format!(" New, gone and changed ops: {}.", signed_time_text(diff.delta_ps))
    };
    Some(format!("Ops of the programs: {}.{cost}", parts.join(", ")))
}

/// Returns how often each property changed: " (dtype 28, shape 2)".
fn properties(diff: &ProgramDiff) -> String {
    let text = |(property, n): &(Property, u32)| format!("{} {}", property.label(), count((*n).into()));
    let texts: Vec<String> = diff.properties.iter().map(text).collect();
    if texts.is_empty() { String::new() } else { format!(" ({})", texts.join(", ")) }
}

/// Returns the opcodes whose number differs: "Instructions: fusion 120 → 118, copy 12 → 20". `None` if there are none.
fn opcodes(diff: &ProgramDiff) -> Option<String> {
    let text = |n: u32| count(n.into());
    let shown = diff.opcodes.iter().take(OPCODES);
    let mut texts: Vec<String> =
        shown.map(|opcode| format!("{} {} → {}", opcode.opcode, text(opcode.a), text(opcode.b))).collect();
    let n_more = diff.opcodes.len().saturating_sub(OPCODES);
    if n_more > 0 {
        texts.push(counted(n_more as u64, "more opcode", "more opcodes"));
    }
    (!texts.is_empty()).then(|| format!("Instructions: {}.", texts.join(", ")))
}

fn change(comparison: &Comparison, change: &ProgramChange) -> String {
    let name = middle_cut(op(comparison, change), 48);
    format!("{} {name}: {}.", signed_time_text(change.delta_ps), change_text(change))
}

/// Returns the name of the op of a change.
fn op<'a>(comparison: &'a Comparison, change: &ProgramChange) -> &'a str {
    comparison.rows.get(change.row as usize).map_or("", |row| row.name())
}

/// Returns how an op changed.
fn change_text(change: &ProgramChange) -> String {
    match change.kind {
        ChangeKind::Added => "new".to_owned(),
        ChangeKind::Removed => "gone".to_owned(),
        ChangeKind::Changed => change.what.iter().take(PROPERTIES).map(property).collect::<Vec<String>>().join("; "),
    }
}

fn property(property: &ChangedProperty) -> String {
    let label = property.property.label();
    let text = |text: &str| if text.is_empty() { ABSENT.to_owned() } else { middle_cut(text, TEXT) };
    match (property.property, &*property.a, &*property.b) {
        (Property::FusedSet, "", b) => format!("{label} + {}", text(b)),
        (Property::FusedSet, a, "") => format!("{label} − {}", text(a)),
        (_, a, b) if a == b => format!("{label}: {}", text(a)),
        (Property::Attributes, a, b) => format!("{label} {} → {}", start(a), start(b)),
        (_, a, b) => format!("{label} {} → {}", text(a), text(b)),
    }
}

/// Returns the start of a text.
fn start(text: &str) -> String {
    let cut: String = text.chars().take(TEXT).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}
