//! This module writes gaps as sentences and tables for the terminal, and as CSV.

use crate::analysis::gaps::columns::GAPS;
use crate::analysis::gaps::{Gap, GapClass, Gaps};
use crate::table::csv;
use crate::table::format::{TimeUnit, count, counted_executions, executions, percent, percent_text, time_text};
use crate::table::text::Table;
use crate::table::text_columns::{TextColumns, or_absent};
use xla_profile::profile::NoteCode;
use xla_profile::units::{Count, Picos};

/// Writes a few lines about the idle time.
pub fn head(gaps: &Gaps) -> String {
    let idle = gaps.idle();
    let share =
        idle.fraction_of(gaps.window).map_or(String::new(), |share| format!(", {} of the window", percent_text(share)));
    // Without kernels, the time between the other events is not known to be idle.
    let is_known = gaps.notes.iter().all(|note| note.code != NoteCode::LaunchesWithoutKernels);
    let idle_word = if is_known { "Idle" } else { "Without events, and not known to be idle" };
    let mut text =
        format!("{idle_word}: {}{share}, in {}", time_text(idle), counted_executions(gaps.n_gaps, "gap", "gaps"));
    let late = gaps.host_late();
    if late > Picos::ZERO {
        text += &format!("; in {} of it the host was late", time_text(late));
    }
    if gaps.in_loops.0 > 0 {
        let (n, total) = gaps.in_loops;
        text +=
            &format!("\nBetween the ops of loops: {} in {}", time_text(total), counted_executions(n, "gap", "gaps"));
    }
    text + "\n\n"
}

/// Returns the idle time by class as a table. The last row is the sum.
pub fn classes(gaps: &Gaps) -> Table {
    let unit = TimeUnit::for_largest(gaps.idle());
    let columns = TextColumns::new()
        .text("Waited for", |(label, ..): &(&str, Picos, Count)| (*label).to_owned())
        .time("Time", unit, |(_, total, _)| *total)
        .number("Window %", |(_, total, _)| or_absent(total.fraction_of(gaps.window), percent))
        .number("Gaps", |(.., n)| executions(*n));
    let classes = gaps.classes.iter().map(|class| (class.class.label(), class.total, class.n));
    columns.table(classes.chain([("Idle", gaps.idle(), gaps.n_gaps)]))
}

/// Returns the `top` longest gaps as a table.
pub fn gaps(gaps: &Gaps, top: usize) -> Table {
    let columns = TextColumns::new()
        .declared(GAPS, "total_ps", "Gap")
        .declared(GAPS, "device", "Device")
        .declared(GAPS, "start_ps", "Start")
        .declared(GAPS, "class", "Waited for")
        .declared(GAPS, "after", "After")
        .declared(GAPS, "before", "Before")
        .declared(GAPS, "program", "Program")
        .text("Host events", host_events);
    let mut table = columns.table(gaps.gaps.iter().take(top));
    let n_left = gaps.n_all - gaps.gaps.len().min(top) as u64;
    if n_left > 0 {
        let left = gaps.gaps.iter().skip(top).map(|gap| gap.total).sum::<Picos>() + gaps.rest;
        table.summary_row(time_text(left), &[("Device", format!("{} more", count(n_left)))]);
    }
    table
}

/// Returns the host events of a gap with their times.
fn host_events(gap: &Gap) -> String {
    let untraced = gap.untraced.iter().filter(|_| gap.main_class() == GapClass::Host);
    let untraced = untraced.map(|one| format!("nothing traced on {} for {}", one.thread, time_text(one.total)));
    let texts = gap.host_events.iter().map(|event| format!("{} {}", event.name, time_text(event.total)));
    let texts = texts.chain(untraced);
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the first `top` gaps with exact figures for CSV, with the names of the JSON.
pub fn csv(gaps: &Gaps, top: usize) -> Table {
    csv::table(GAPS, gaps.gaps.iter().take(top))
}
