//! This module writes gaps as sentences and tables for the terminal, and as CSV.

use crate::analysis::gaps::columns::GAPS;
use crate::analysis::gaps::{Gap, GapClass, Gaps};
use crate::profile::NoteCode;
use crate::table::csv;
use crate::table::format::{TimeUnit, count, counted_executions, executions, percent, percent_text, time, time_text};
use crate::table::text::Table;
use crate::units::Picos;

const ABSENT: &str = "–";

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

/// Returns the idle time by class as a table.
pub fn classes(gaps: &Gaps) -> Table {
    let unit = TimeUnit::for_largest(gaps.idle());
    let total = format!("Time {}", unit.symbol());
    let mut table = Table::new(&[("Waited for", true), (&total, false), ("Window %", false), ("Gaps", false)]);
    let share = |of: Picos| of.fraction_of(gaps.window).map_or(ABSENT.into(), percent);
    for class in &gaps.classes {
        table.row(vec![class.class.label().into(), time(class.total, unit), share(class.total), executions(class.n)]);
    }
    table.row(vec!["Idle".into(), time(gaps.idle(), unit), share(gaps.idle()), executions(gaps.n_gaps)]);
    table
}

/// Returns the `top` longest gaps as a table.
pub fn gaps(gaps: &Gaps, top: usize) -> Table {
    let mut table = Table::new(&[
        ("Gap", false),
        ("Device", true),
        ("Start", false),
        ("Waited for", true),
        ("After", true),
        ("Before", true),
        ("Program", true),
        ("Host events", true),
    ]);
    let text = |text: &Option<String>| text.clone().unwrap_or(ABSENT.into());
    for gap in gaps.gaps.iter().take(top) {
        table.row(vec![
            time_text(gap.total),
            gap.device.clone(),
            time_text(gap.start),
            gap.main_class().label().into(),
            text(&gap.after),
            text(&gap.before),
            text(&gap.program),
            host_events(gap),
        ]);
    }
    let n_left = gaps.n_all - gaps.gaps.len().min(top) as u64;
    if n_left > 0 {
        let left = gaps.gaps.iter().skip(top).map(|gap| gap.total).sum::<Picos>() + gaps.rest;
        let mut row = vec![time_text(left), format!("{} more", count(n_left))];
        row.resize(table.heads.len(), String::new());
        table.row(row);
    }
    table
}

/// Returns the host events of a gap with their times.
fn host_events(gap: &Gap) -> String {
    let untraced = gap.untraced.iter().filter(|_| gap.main_class() == GapClass::Host);
    let untraced = untraced.map(|of| format!("nothing traced on {} for {}", of.thread, time_text(of.total)));
    let texts = gap.host_events.iter().map(|event| format!("{} {}", event.name, time_text(event.total)));
    let texts = texts.chain(untraced);
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the first `top` gaps with exact figures for CSV, with the names of the JSON.
pub fn csv(gaps: &Gaps, top: usize) -> Table {
    csv::table(GAPS, gaps.gaps.iter().take(top))
}
