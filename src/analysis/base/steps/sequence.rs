//! This module finds the smallest sequence that repeats in a list.

use std::ops::Range;

/// The largest share of the list before and after the part that repeats.
const ENDS: f64 = 0.2;
/// The least number of repetitions.
const LEAST: usize = 3;
/// Number of periods that are tried.
const TRIES: usize = 64;

/// Finds the smallest period of at least 2 with which a list repeats exactly, and the part that repeats, which leaves out
/// at most a fifth of the list at its ends. `None` if there is none, or if neighbours are equal everywhere.
pub fn repeating(list: &[u32]) -> Option<(usize, Range<usize>)> {
    let n = list.len();
    // The part that repeats holds the middle three fifths, so its periods are among those of the middle.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
    let ends = (n as f64 * ENDS) as usize;
    let middle = &list[ends..n - ends];
    if middle.len() < 2 {
        return None;
    }
    for period in periods(middle).take(TRIES) {
        let start = (0..ends).rev().take_while(|index| list[*index] == list[index + period]).last().unwrap_or(ends);
        let end = (n - ends..n)
            .take_while(|index| list[*index] == list[index - period])
            .last()
            .map_or(n - ends, |index| index + 1);
        if n - (end - start) > ends || end - start < LEAST * period {
            continue;
        }
        return (period > 1).then_some((period, start..end));
    }
    None
}

/// A sequence that repeats within a larger one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerUnit {
    /// Where the first repetition starts in the larger sequence, which goes on at its start.
    pub start: usize,
    pub length: usize,
    pub n: usize,
}

/// The longest sequence in which a smaller one is searched.
const LONGEST: usize = 512;

/// Finds the shortest sequence of which most of a larger one consists, such as four steps of a larger one that ends with an
/// evaluation. The rest has no program of it. A single program is such a sequence only if all other programs are
/// aside from steps by their names: else the rest belongs to the step, as an update after accumulated gradients.
pub fn inner_unit(unit: &[u32], is_aside: &dyn Fn(u32) -> bool) -> Option<InnerUnit> {
    let n = unit.len();
    if n > LONGEST {
        return None;
    }
    let value = |i: usize| unit[i % n];
    for length in 1..=n / 2 {
        for start in 0..n {
            let is_same = |i: usize| value(start + i) == value(start + i % length);
            let n_same = (0..n).take_while(|i| is_same(*i)).count();
            let repeats = n_same / length;
            let covered = repeats * length;
            if repeats < 2 || covered == n || 2 * covered < n && length > 1 {
                continue;
            }
            let of_step: Vec<u32> = (0..length).map(|i| value(start + i)).collect();
            if length > 1 && of_step.iter().all(|name| *name == of_step[0]) {
                continue;
            }
            let mut rest = (covered..n).map(|i| value(start + i));
            let is_apart = |name: u32| !of_step.contains(&name) && (length > 1 || is_aside(name));
            if rest.all(is_apart) && !of_step.iter().all(|name| is_aside(*name)) {
                return Some(InnerUnit { start, length, n: repeats });
            }
        }
    }
    None
}

/// Returns the periods of a list that are shorter than it, ascending: `list[i] == list[i + period]` wherever both exist.
fn periods(list: &[u32]) -> impl Iterator<Item = usize> + use<> {
    // The length of the longest proper border of each prefix (Knuth, Morris and Pratt).
    let mut border = vec![0_usize; list.len()];
    for index in 1..list.len() {
        let mut length = border[index - 1];
        while length > 0 && list[index] != list[length] {
            length = border[length - 1];
        }
        border[index] = if list[index] == list[length] { length + 1 } else { 0 };
    }
    let n = list.len();
    let first = border.last().copied().unwrap_or(0);
    let next = move |length: &usize| length.checked_sub(1).map(|last| border[last]);
    std::iter::successors(Some(first), next).map(move |length| n - length).take_while(move |period| *period < n)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_of_real_captures() {
        let repetition = |text: &str| repeating(&text.bytes().map(u32::from).collect::<Vec<u32>>());
        assert_eq!(repetition("abababab"), Some((2, 0..8)));
        // Gradient accumulation with two runs before the first step, and a part of the last one.
        assert_eq!(repetition("xygggugggugggugggugg"), Some((4, 2..20)));
        assert_eq!(repetition("aaaaaaaa"), None, "one program");
        assert_eq!(repetition("abab"), None, "two repetitions");
        assert_eq!(repetition("pddpdddpddddpd"), None, "a server");
        assert_eq!(repetition(""), None);
    }

    #[test]
    fn steps_between_evaluations() {
        let inner = |text: &str| {
            let unit: Vec<u32> = text.bytes().map(u32::from).collect();
            // `e` is an evaluation.
            inner_unit(&unit, &|name| name == u32::from(b'e')).map(|inner| (inner.start, inner.length, inner.n))
        };
        assert_eq!(inner("tttttee"), Some((0, 1, 5)));
        assert_eq!(inner("ettttte"), Some((1, 1, 5)), "the larger sequence goes on at its start");
        assert_eq!(inner("ggugguggux"), Some((0, 3, 3)));
        assert_eq!(inner("ggggu"), None, "accumulated gradients and their update");
        assert_eq!(inner("gugu"), None, "nothing else");
        assert_eq!(inner("abcd"), None);
        assert_eq!(inner("tteeee"), Some((0, 1, 2)));
    }

    proptest! {
        #[test]
        fn a_repeated_sequence_is_found(
            unit in proptest::collection::vec(0_u32..3, 2..8),
            repeats in 3_usize..6,
            ends in proptest::collection::vec(7_u32..9, 0..2),
        ) {
            let list = [unit.repeat(repeats), ends].concat();
            let n_repeating = unit.len() * repeats;
            let found = repeating(&list);
            let is_one_program = unit.iter().all(|name| *name == unit[0]);
            let is_within_limit = list.len() - n_repeating <= list.len() / 5;
            // The unit may itself be a shorter one that repeats.
            let is_period = |period: usize| (0..n_repeating - period).all(|index| list[index] == list[index + period]);
            let smallest = (1..=unit.len()).find(|period| is_period(*period));
            prop_assert_eq!(found.map(|(period, _)| period), smallest.filter(|_| is_within_limit && !is_one_program));
        }

        #[test]
        fn the_period_is_that_of_a_plain_search(list in proptest::collection::vec(0_u32..3, 0..40)) {
            let n = list.len();
            let ends = n / 5;
            let fits = |period: usize| {
                let parts = (0..=ends).flat_map(|start| (n - (ends - start)..=n).map(move |end| (start, end)));
                parts.filter(|(start, end)| start < end && end - start >= 3 * period)
                    .any(|(start, end)| (start..end - period).all(|index| list[index] == list[index + period]))
            };
            let smallest = (1..=n).find(|period| fits(*period));
            let found = repeating(&list).map(|(period, _)| period);
            prop_assert_eq!(found, smallest.filter(|period| *period > 1));
        }
    }
}
