//! This module lists what both sides of a comparison should share, such as the chip and the work in a step.

use super::input::Input;
use super::report::{CompareUnit, Parity, SideHead};
use crate::table::format;

/// The properties without which a time per step says nothing.
const NEEDED: [&str; 3] = ["device_type", "n_devices", "batch"];

/// Compares the properties of both sides. `is_same_program` is whether both run the same programs, if that is known.
pub fn parity(a: &Input<'_>, b: &Input<'_>, is_same_program: Option<bool>) -> Vec<Parity> {
    let heads = (&a.head, &b.head);
    let ops = |side: &Input<'_>| Some(format::counted(side.n_ops, "op", "ops"));
    let batch = |side: &Input<'_>| {
        let (sequences, length) = side.overview.model_guess?.batch?;
        Some(format!("{} × {}", format::count(sequences), format::count(length)))
    };
    let parameters = |side: &Input<'_>| Some(format::count(side.overview.model_guess?.n_parameters?));
    let coverage =
        |head: &SideHead| Some(if head.is_partial { "a part of the capture" } else { "complete" }.to_owned());
    let mut all = vec![
        Parity::new("device_type", "Chip", heads.0.device_type.clone(), heads.1.device_type.clone()),
        Parity::new("n_devices", "Devices", Some(heads.0.n_devices.to_string()), Some(heads.1.n_devices.to_string())),
        Parity::new("step_kind", "Kind of steps", heads.0.step_kind.clone(), heads.1.step_kind.clone()),
        Parity::new("batch", "Sequences × length", batch(a), batch(b)),
        Parity::new("parameters", "Parameters", parameters(a), parameters(b)),
        Parity { is_equal: is_same_program, ..Parity::new("program", "Program", ops(a), ops(b)) },
        Parity::new("coverage", "Captures", coverage(heads.0), coverage(heads.1)),
    ];
    // Two partial captures are no better than one.
    if let Some(coverage) = all.last_mut().filter(|_| heads.0.is_partial) {
        coverage.is_equal = Some(false);
    }
    all
}

impl Parity {
    fn new(key: &str, label: &str, a: Option<String>, b: Option<String>) -> Self {
        let is_equal = a.as_ref().zip(b.as_ref()).map(|(a, b)| a == b);
        Self { key: key.to_owned(), label: label.to_owned(), a, b, is_equal }
    }
}

/// Returns whether a step is the same work on both sides, as far as it is known.
fn is_same_work(parity: &[Parity]) -> bool {
    parity.iter().all(|fact| fact.is_equal != Some(false) || !NEEDED.contains(&&*fact.key))
}

/// The longest time of a million tokens that is compared, in ps: about two weeks. Sums of longer times do not fit into 64 bits.
const LONGEST: u128 = 1 << 60;

/// Returns the unit of times: tokens if the sides do different work in a step, and the tokens of a step are known.
pub fn unit(a: &SideHead, b: &SideHead, parity: &[Parity]) -> CompareUnit {
    let has_tokens = |head: &SideHead| {
        let time = |tokens: u64| u128::from(head.period_ps) * 1_000_000 / u128::from(tokens.max(1));
        head.tokens.is_some_and(|tokens| time(tokens) < LONGEST)
    };
    if has_tokens(a) && has_tokens(b) && !is_same_work(parity) { CompareUnit::MillionTokens } else { CompareUnit::Step }
}

/// Returns whether times of both sides can be compared.
pub fn is_comparable(unit: CompareUnit, parity: &[Parity]) -> bool {
    unit == CompareUnit::MillionTokens || is_same_work(parity)
}
