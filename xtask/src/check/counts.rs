//! This module counts tests from the output of the test runners.
//!
//! The counts are for the summary only. The exit code decides whether a stage has passed.

use std::collections::BTreeMap;
use std::fmt;

/// The numbers of passed, failed and skipped tests, summed over all test files of a stage.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
    /// The number of skipped tests by the reason that their runner gives.
    pub reasons: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds the counts in one line of output, if the line has counts.
    ///
    /// Rust prints `test result: ok. 12 passed; 0 failed; 1 ignored; …`, Node.js prints `ℹ pass 12`, and pytest prints
    /// `1 failed, 12 passed in 3.45s`. Of a skipped test, Rust prints `test name ... ignored, reason`, and Node.js prints
    /// `﹣ name (0.1ms) # reason`.
    pub fn read(&mut self, line: &str) {
        let reason = line.strip_prefix("test ").and_then(|line| line.split_once(" ... ignored, "));
        let reason = reason.or_else(|| line.strip_prefix("﹣ ").and_then(|line| line.rsplit_once(" # ")));
        if let Some((_, reason)) = reason {
            *self.reasons.entry(reason.to_owned()).or_default() += 1;
        }
        if let Some(result) = line.trim_start().strip_prefix("test result: ") {
            let parts = result.split(['.', ';']).filter_map(|part| part.trim().split_once(' '));
            parts.for_each(|(number, word)| self.add(word, number));
        } else if let Some((word, number)) = line.strip_prefix("ℹ ").and_then(|line| line.split_once(' ')) {
            self.add(word, number);
        } else if let Some((result, _)) = line.split_once(" in ").filter(|(_, time)| is_time(time)) {
            let parts = result.split(", ").filter_map(|part| part.split_once(' '));
            parts.for_each(|(number, word)| self.add(word, number));
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

/// Returns whether `text` is a time as pytest prints it: `3.45s`, or `75.00s (0:01:15)`.
fn is_time(text: &str) -> bool {
    text.split(' ').next().and_then(|time| time.strip_suffix('s')).is_some_and(|time| time.parse::<f64>().is_ok())
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tests", self.passed + self.failed)?;
        if self.skipped == 0 {
            return Ok(());
        }
        write!(f, ", {} skipped", self.skipped)?;
        let reasons: Vec<String> = self.reasons.iter().map(|(reason, n)| format!("{n}: {reason}")).collect();
        if reasons.is_empty() { Ok(()) } else { write!(f, " ({})", reasons.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_what_all_runners_print() {
        let mut counts = Counts::default();
        for line in [
            "running 12 tests",
            "test export::slow ... ignored, it takes long",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.05s",
            "﹣ a capture opens (0.2ms) # no real capture",
            "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.05s",
            "ℹ tests 4",
            "ℹ pass 4",
            "ℹ skipped 1",
            "ℹ duration_ms 1234.5",
            "1 failed, 9 passed, 2 skipped in 75.00s (0:01:15)",
            "7 passed in 0.05s",
            "12 passed in a hurry",
        ] {
            counts.read(line);
        }
        assert_eq!((counts.passed, counts.failed, counts.skipped), (34, 4, 4));
        assert_eq!(counts.to_string(), "38 tests, 4 skipped (1: it takes long; 1: no real capture)");
    }
}
