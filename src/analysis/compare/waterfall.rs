//! This module divides the difference of two sessions among the owners of time, and each owner's part among ops. Every level
//! sums to the one above, to the picosecond.

use super::exact::{Divisors, Numerator, round, round_parts};
use super::input::Input;
use super::report::PartDelta;
use super::rows::Pairs;
use crate::analysis::ledger::Owner;
use xla_profile::units::Picos;

pub struct Whole {
    pub a_ps: i64,
    pub b_ps: i64,
    pub delta_ps: i64,
    /// The differences of the classes of idle time, which belong to no op.
    pub gaps: Vec<Numerator>,
}

impl Whole {
    pub fn new(a: &Input<'_>, b: &Input<'_>, divisors: Divisors) -> Self {
        let window = |side: &Input<'_>| side.ledger.window.0;
        let numerator = divisors.difference(window(a), window(b));
        let gaps = Owner::ALL.into_iter().filter(|owner| matches!(owner, Owner::Gap(_)));
        Self {
            a_ps: divisors.mean_a(window(a)),
            b_ps: divisors.mean_b(window(b)),
            delta_ps: round(numerator, divisors.denominator()),
            gaps: gaps.map(|owner| divisors.difference(without_ops(a, owner), without_ops(b, owner))).collect(),
        }
    }
}

/// Returns the time of an owner in ps that belongs to no op.
fn without_ops(input: &Input<'_>, owner: Owner) -> u64 {
    let all: Vec<usize> = (0..input.ops.len()).collect();
    let of_ops = Picos(input.time(&all, Some(owner)));
    input.ledger.time(owner).saturating_sub(of_ops).0
}

/// Divides the difference among the owners that have time on either side.
pub fn parts(pairs: &Pairs<'_, '_, '_>, whole: &Whole) -> Vec<PartDelta> {
    let Pairs { a, b, matches, divisors, .. } = *pairs;
    let time = |side: &Input<'_>, owner| side.ledger.time(owner).0;
    let has_time = |owner: &Owner| time(a, *owner) > 0 || time(b, *owner) > 0;
    let owners: Vec<Owner> = Owner::ALL.into_iter().filter(has_time).collect();
    let numerators: Vec<Numerator> =
        owners.iter().map(|owner| divisors.difference(time(a, *owner), time(b, *owner))).collect();
    let deltas = round_parts(&numerators, divisors.denominator(), whole.delta_ps);
    let part = |(owner, delta_ps): (&Owner, i64)| {
        let has_part = |entry: &&(u32, &super::matching::OpMatch)| {
            a.time(&entry.1.a, Some(*owner)) > 0 || b.time(&entry.1.b, Some(*owner)) > 0
        };
        let numbered: Vec<_> = (0..).zip(matches).collect();
        let chosen: Vec<_> = numbered.iter().filter(has_part).collect();
        let mut inside: Vec<Numerator> =
            chosen.iter().map(|(_, op_match)| pairs.difference(op_match, Some(*owner))).collect();
        // What belongs to no op is the last part.
        inside.push(divisors.difference(without_ops(a, *owner), without_ops(b, *owner)));
        let rounded = round_parts(&inside, divisors.denominator(), delta_ps);
        PartDelta {
            owner: *owner,
            a_ps: divisors.mean_a(time(a, *owner)),
            b_ps: divisors.mean_b(time(b, *owner)),
            delta_ps,
            children: chosen.iter().zip(&rounded).map(|((row, _), delta)| (*row, *delta)).collect(),
            groups: Vec::new(),
        }
    };
    owners.iter().zip(deltas).map(part).collect()
}
