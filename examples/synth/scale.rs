//! This module changes the time of ops by a factor, so that a comparison of two captures has something to find.

use super::machine::{AsyncWork, Transfer, Work};
use std::str::FromStr;

/// A factor on the time of the ops whose names have the same stem.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Name of the ops, without the number at its end.
    pub stem: String,
    pub factor: f64,
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (op, factor) = text.split_once('=').ok_or("OP=FACTOR is expected, such as fusion=1.10")?;
        let factor = factor.parse::<f64>().ok().filter(|factor| factor.is_finite() && *factor > 0.0);
        let factor = factor.ok_or("the factor must be a number above 0")?;
        Ok(Self { stem: stem(op).to_owned(), factor })
    }
}

impl Scale {
    /// Returns whether the factor is one on the op of this name.
    pub fn affects(&self, name: &str) -> bool {
        stem(name) == self.stem
    }

    /// Returns the work after the factor. The end of an asynchronous operation has no time of its own.
    pub fn apply(&self, work: Work) -> Work {
        let scaled = |ticks: u64| (ticks as f64 * self.factor).round() as u64;
        let transfer = |transfer: Transfer| Transfer {
            ticks: scaled(transfer.ticks),
            idle_ticks: scaled(transfer.idle_ticks),
            ..transfer
        };
        match work {
            Work::Local(ticks) => Work::Local(scaled(ticks)),
            Work::Collective(message, own) => Work::Collective(transfer(message), scaled(own)),
            Work::Start(AsyncWork::Copy(ticks)) => Work::Start(AsyncWork::Copy(scaled(ticks))),
            Work::Start(AsyncWork::Offloaded(ticks)) => Work::Start(AsyncWork::Offloaded(scaled(ticks))),
            Work::Start(AsyncWork::Collective(message)) => Work::Start(AsyncWork::Collective(transfer(message))),
            Work::Done => Work::Done,
        }
    }
}

/// Returns a name without the numbers at its end: `fusion.12` and, of an unrolled loop, `fusion.12.u3` become `fusion`.
pub fn stem(name: &str) -> &str {
    let mut stem = name;
    while let Some((rest, last)) = stem.rsplit_once('.') {
        let digits = last.strip_prefix('u').unwrap_or(last);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        stem = rest;
    }
    stem
}
