//! This module runs the stages of `cargo xtask test` in order, times each stage, and prints a table at the end.
//!
//! A failed stage does not stop the others, so that one run shows all errors. Only the stages that need the built page
//! are left out when the page does not build.

mod counts;
mod dependencies;
pub mod stages;

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use stages::{STAGES, Stage};

enum Outcome {
    Passed(String),
    Failed(String),
    /// The stage did not run, because the stage that it needs has failed.
    LeftOut,
}

struct Row {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

impl Row {
    fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Passed(_))
    }
}

/// Runs the stages of [`STAGES`] with the names `only`, or all if `only` is empty. Prints `N passed, N failed` last.
pub fn run(only: &[String]) -> Result<ExitCode> {
    let mut rows: Vec<Row> = Vec::new();
    for stage in STAGES.iter().filter(|stage| only.is_empty() || only.iter().any(|name| name == stage.name)) {
        let row = run_stage(stage, &rows);
        println!("{}", line(&row));
        rows.push(row);
    }
    println!("\n{}", table(&rows));
    let all_passed = rows.iter().all(Row::passed);
    Ok(ExitCode::from(u8::from(!all_passed)))
}

fn run_stage(stage: &Stage, before: &[Row]) -> Row {
    let needs_failed = before.iter().any(|row| Some(row.name) == stage.needs && !row.passed());
    if needs_failed {
        return Row { name: stage.name, outcome: Outcome::LeftOut, took: Duration::ZERO };
    }
    println!("\n── {}: {}", stage.name, stage.what);
    let start = Instant::now();
    let outcome = match (stage.run)() {
        Ok(note) => Outcome::Passed(note),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    };
    Row { name: stage.name, outcome, took: start.elapsed() }
}

fn line(row: &Row) -> String {
    let (word, note) = match &row.outcome {
        Outcome::Passed(note) => ("ok", note.as_str()),
        Outcome::Failed(error) => ("FAILED", error.lines().next().unwrap_or_default()),
        Outcome::LeftOut => ("left out", ""),
    };
    format!("{:8} {word:8} {:>7.1} s  {note}", row.name, row.took.as_secs_f64()).trim_end().to_owned()
}

/// Formats one line per stage. The last line has only the count, for programs that read the output.
fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let _ = writeln!(text, "{}", line(row));
    }
    let passed = rows.iter().filter(|row| row.passed()).count();
    // A stage that was left out counts as failed, so that the count does not hide it.
    let _ = write!(text, "\n{passed} passed, {} failed", rows.len() - passed);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_the_count() {
        let row = |name, outcome, seconds| Row { name, outcome, took: Duration::from_secs(seconds) };
        let rows = [
            row("fmt", Outcome::Passed(String::new()), 1),
            row("page", Outcome::Failed("cargo failed\nwith more".to_owned()), 92),
            row("size", Outcome::LeftOut, 0),
        ];
        assert_eq!(
            table(&rows),
            "fmt      ok           1.0 s\n\
             page     FAILED      92.0 s  cargo failed\n\
             size     left out     0.0 s\n\
             \n\
             1 passed, 2 failed"
        );
    }

    #[test]
    fn a_stage_that_needs_another_comes_after_it() {
        for (at, stage) in STAGES.iter().enumerate() {
            let Some(needs) = stage.needs else { continue };
            assert!(STAGES[..at].iter().any(|before| before.name == needs), "{}", stage.name);
        }
    }
}
