//! This module shows the progress of long work in a line of the terminal: the stage, the bytes, and the time that is left.

use crate::protocol::{Progress, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Work that ends before this time shows no progress.
const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// The line. It is not shown if stderr is no terminal.
pub(super) struct ProgressLine {
    bar: ProgressBar,
}

impl ProgressLine {
    /// Starts the line, which appears after a second, and never if `is_quiet`.
    pub(super) fn start(is_quiet: bool) -> Self {
        let line = Self { bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()) };
        if !is_quiet {
            line.show_after(DELAY, ProgressDrawTarget::stderr());
        }
        line
    }

    fn show_after(&self, delay: Duration, target: ProgressDrawTarget) {
        let bar = self.bar.clone();
        // The thread ends with the program.
        std::thread::spawn(move || {
            std::thread::sleep(delay);
            if !bar.is_finished() {
                bar.set_draw_target(target);
                bar.enable_steady_tick(TICK);
            }
        });
    }

    pub(super) fn update(&self, progress: &Progress) {
        let reads = matches!(progress.stage, Stage::Inflate | Stage::Read);
        let template = if reads { "{msg} {bytes} of {total_bytes}, {eta} left" } else { "{msg}, {elapsed}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_message(stage_words(progress.stage));
        self.bar.set_length(progress.bytes_total);
        self.bar.set_position(progress.bytes_done);
    }

    /// Prints with `print`, above the line.
    pub(super) fn print_above<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the line, before the output.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

const fn stage_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Fetch | Stage::Detect => "Detecting formats",
        Stage::Inflate => "Unpacking",
        Stage::Read => "Reading",
        Stage::Analyse => "Analysing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::InMemoryTerm;

    /// Waits until the terminal shows `wanted`, and for 10 seconds at most.
    fn wait(terminal: &InMemoryTerm, wanted: impl Fn(&str) -> bool) -> String {
        for _ in 0..200 {
            if wanted(&terminal.contents()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        terminal.contents()
    }

    #[test]
    fn the_line_names_the_stage_and_the_bytes_and_is_removed() {
        let terminal = InMemoryTerm::new(5, 80);
        let line = ProgressLine::start(true);
        let reading = Progress { bytes_done: 3 << 20, ..Progress::new(Stage::Read, 8 << 20, "a file") };
        line.update(&reading);
        assert_eq!(terminal.contents(), "");
        line.show_after(Duration::from_millis(20), ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        let shown = wait(&terminal, |shown| shown.contains("Reading"));
        assert!(shown.starts_with("Reading 3.00 MiB of 8.00 MiB, ") && shown.ends_with(" left"), "{shown}");
        line.update(&Progress::new(Stage::Analyse, 8 << 20, "a file"));
        let shown = wait(&terminal, |shown| shown.contains("Analysing"));
        assert!(shown.starts_with("Analysing, "), "{shown}");
        line.print_above(|| assert_eq!(terminal.contents(), "", "a message replaces the line"));
        line.end();
        assert_eq!(terminal.contents(), "");
    }
}
