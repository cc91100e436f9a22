//! This module runs the stages of `cargo xtask test` in order, times each stage, and prints a table at the end.
//!
//! A failed stage does not stop the others, so that one run shows all errors. Only the stages that need the built page
//! are skipped when the page does not build.

mod counts;
mod dependencies;
pub mod stages;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::preflight::{self, Need};
use stages::{STAGES, Stage};

enum Outcome {
    Passed(String),
    Failed(String),
    /// The stage did not run, because the stage that it needs has failed.
    Skipped,
}

struct StageResult {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

impl StageResult {
    fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Passed(_))
    }
}

/// Runs the stages of [`STAGES`] with the names `only`, or all if `only` is empty. Prints `N passed, N failed` last.
pub fn run(only: &[String]) -> Result<ExitCode> {
    let is_chosen = |stage: &&Stage| only.is_empty() || only.iter().any(|name| name == stage.name);
    // A stage that cannot run is named now, and not after the others.
    let needs: BTreeSet<Need> = STAGES.iter().filter(is_chosen).flat_map(|stage| stage.preflight).copied().collect();
    preflight::check(needs)?;
    let mut results: Vec<StageResult> = Vec::new();
    for stage in STAGES.iter().filter(is_chosen) {
        let needs_failed = results.iter().any(|result| Some(result.name) == stage.needs && !result.passed());
        results.push(run_stage(stage, needs_failed));
    }
    println!("\n{}", table(&results));
    Ok(ExitCode::from(u8::from(!results.iter().all(StageResult::passed))))
}

fn run_stage(stage: &Stage, needs_failed: bool) -> StageResult {
    println!("\n── {}: {}", stage.name, stage.description);
    let start = Instant::now();
    let outcome = match (!needs_failed).then(stage.run) {
        Some(Ok(note)) => Outcome::Passed(note),
        Some(Err(error)) => Outcome::Failed(format!("{error:#}")),
        None => Outcome::Skipped,
    };
    let result = StageResult { name: stage.name, outcome, took: start.elapsed() };
    println!("{}", line(&result));
    result
}

fn line(result: &StageResult) -> String {
    let (word, note) = match &result.outcome {
        Outcome::Passed(note) => ("ok", note.as_str()),
        Outcome::Failed(error) => ("FAILED", error.lines().next().unwrap_or_default()),
        Outcome::Skipped => ("skipped", ""),
    };
    format!("{:8} {word:8} {:>7.1} s  {note}", result.name, result.took.as_secs_f64()).trim_end().to_owned()
}

/// Formats one line per stage. The last line has only the count, for programs that read the output.
fn table(results: &[StageResult]) -> String {
    let mut text = String::new();
    for result in results {
        let _ = writeln!(text, "{}", line(result));
    }
    let passed = results.iter().filter(|result| result.passed()).count();
    // A stage that was skipped counts as failed, so that the count does not hide it.
    let _ = write!(text, "\n{passed} passed, {} failed", results.len() - passed);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_the_count() {
        let row = |name, outcome, seconds| StageResult { name, outcome, took: Duration::from_secs(seconds) };
        let rows = [
            row("fmt", Outcome::Passed(String::new()), 1),
            row("page", Outcome::Failed("cargo failed\nwith more".to_owned()), 92),
            row("size", Outcome::Skipped, 0),
        ];
        assert_eq!(
            table(&rows),
            "fmt      ok           1.0 s\n\
             page     FAILED      92.0 s  cargo failed\n\
             size     skipped      0.0 s\n\
             \n\
             1 passed, 2 failed"
        );
    }

    #[test]
    fn a_stage_that_needs_another_comes_after_it() {
        for (index, stage) in STAGES.iter().enumerate() {
            let Some(needs) = stage.needs else { continue };
            assert!(STAGES[..index].iter().any(|before| before.name == needs), "{}", stage.name);
        }
    }
}
