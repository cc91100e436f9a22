//! This module counts tests from the output of the test runners.
//!
//! The counts are for the summary only. The exit code decides whether a stage has passed.

use std::fmt;

/// The numbers of passed, failed and skipped tests, summed over all test files of a stage.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Counts {
    /// Adds the counts in one line of output, if the line has counts.
    ///
    /// Rust prints `test result: ok. 12 passed; 0 failed; 1 ignored; …`, and Node.js prints `ℹ pass 12`.
    pub fn read(&mut self, line: &str) {
        if let Some(result) = line.trim_start().strip_prefix("test result: ") {
            let parts = result.split(['.', ';']).filter_map(|part| part.trim().split_once(' '));
            parts.for_each(|(number, word)| self.add(word, number));
        } else if let Some((word, number)) = line.strip_prefix("ℹ ").and_then(|line| line.split_once(' ')) {
            self.add(word, number);
        }
    }

    fn add(&mut self, word: &str, number: &str) {
        let Ok(number) = number.parse::<u64>() else { return };
        match word {
            "passed" | "pass" => self.passed += number,
            "failed" | "fail" => self.failed += number,
            "ignored" | "skipped" => self.skipped += number,
            _ => {}
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tests", self.passed + self.failed)?;
        if self.skipped > 0 { write!(f, ", {} skipped", self.skipped) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_what_both_runners_print() {
        let mut counts = Counts::default();
        for line in [
            "running 12 tests",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.05s",
            "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.05s",
            "ℹ tests 4",
            "ℹ pass 4",
            "ℹ skipped 1",
            "ℹ duration_ms 1234.5",
        ] {
            counts.read(line);
        }
        assert_eq!(counts, Counts { passed: 18, failed: 3, skipped: 2 });
        assert_eq!(counts.to_string(), "21 tests, 2 skipped");
    }
}
