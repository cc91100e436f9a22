//! Tests of the statistics against published figures, against brute force, and on samples with known noise.

use super::*;
use fastrand::Rng;
use proptest::prelude::*;

/// Permeability constants of the human chorioamnion at 12 to 26 weeks and at term: Hollander and Wolfe (1999), table 4.1.
const EARLY: [f64; 5] = [1.15, 0.88, 0.90, 0.74, 1.21];
const TERM: [f64; 10] = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn published_example() {
    // The one-sided p is 0.1272 there, and the shift 0.305.
    close(mann_whitney(&EARLY, &TERM).unwrap(), 2.0 * 0.1272, 1e-4);
    let shift = shift(&EARLY, &TERM).unwrap();
    close(shift.estimate, 0.305, 1e-12);
    close(shift.low, -0.15, 1e-12);
    close(shift.high, 0.76, 1e-12);
}

#[test]
fn small_samples_reach_a_limit() {
    let (a, b) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]);
    close(mann_whitney(&a, &b).unwrap(), 2.0 / 70.0, 1e-12);
    assert_eq!(shift(&a, &b), Some(Shift { estimate: 4.0, low: 1.0, high: 7.0 }));
    assert_eq!((mann_whitney(&a[1..], &b), mann_whitney(&a, &b[1..])), (None, None));
    assert_eq!((shift(&a[1..], &b), shift(&a, &b[1..])), (None, None));
    for value in [f64::NAN, f64::INFINITY] {
        assert_eq!((mann_whitney(&[1.0, 2.0, 3.0, value], &b), shift(&[1.0, 2.0, 3.0, value], &b)), (None, None));
    }
}

#[test]
fn ties_and_large_samples_use_the_normal_distribution() {
    assert_eq!(mann_whitney(&[3.0; 5], &[3.0; 6]), Some(1.0));
    assert_eq!(shift(&[3.0; 5], &[3.0; 6]), Some(Shift { estimate: 0.0, low: 0.0, high: 0.0 }));
    // By hand: U = 2.5, its mean 8, groups of 3 and 2 equal values: variance 16 ÷ 12 × (9 − 30 ÷ 56), z = 5 ÷ 3.35942.
    let tied = mann_whitney(&[1.0, 2.0, 2.0, 3.0], &[2.0, 3.0, 4.0, 5.0]).unwrap();
    close(tied, 0.136_65, 1e-5);
    // Without ties the two ways agree where one takes over from the other.
    let numbers = |n: usize, start: f64| -> Vec<f64> { (0..n).map(|i| start + i as f64).collect() };
    let exact = mann_whitney(&numbers(20, 0.0), &numbers(20, 5.5)).unwrap();
    let normal = mann_whitney(&numbers(20, 0.0), &numbers(21, 5.0 + 1e-6)).unwrap();
    close(exact, normal, 0.01);
}

/// Returns the two-sided p value by going through all ways to choose the sample `b` from all values.
fn p_by_permutation(a: &[f64], b: &[f64]) -> f64 {
    let all = [a, b].concat();
    let distance = |members: u32| {
        let is_b = |i: usize| members >> i & 1 == 1;
        let pairs = (0..all.len()).flat_map(|i| (0..all.len()).map(move |j| (i, j)));
        let u = pairs.filter(|(i, j)| !is_b(*i) && is_b(*j) && all[*j] > all[*i]).count();
        (2 * u).abs_diff(a.len() * b.len())
    };
    let observed = distance(((1 << b.len()) - 1) << a.len());
    let choices: Vec<u32> =
        (0..1 << all.len()).filter(|members: &u32| members.count_ones() as usize == b.len()).collect();
    choices.iter().filter(|members| distance(**members) >= observed).count() as f64 / choices.len() as f64
}

/// Returns all differences b − a, sorted.
fn sorted_differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = a.iter().flat_map(|a| b.iter().map(move |b| b - a)).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// Two samples of different whole numbers.
fn distinct(sizes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let numbers = proptest::collection::hash_set(-1000..1000_i32, 2 * *sizes.end());
    let shuffled = numbers.prop_map(|set| set.into_iter().map(f64::from).collect::<Vec<_>>());
    (shuffled, sizes.clone(), sizes).prop_map(|(all, n, m)| (all[..n].to_vec(), all[n..n + m].to_vec()))
}

/// Two samples of any finite numbers, often equal ones.
fn samples() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let number = prop_oneof![(-5..5_i32).prop_map(f64::from), -1e9..1e9];
    let sample = proptest::collection::vec(number, 4..40);
    (sample.clone(), sample)
}

proptest! {
    #[test]
    fn p_equals_that_of_all_permutations((a, b) in distinct(4..=6)) {
        let p = mann_whitney(&a, &b).unwrap();
        prop_assert!((p - p_by_permutation(&a, &b)).abs() < 1e-12, "{p} is not {}", p_by_permutation(&a, &b));
    }

    #[test]
    fn sides_are_symmetric((a, b) in samples()) {
        prop_assert_eq!(mann_whitney(&a, &b), mann_whitney(&b, &a));
        let (forth, back) = (shift(&a, &b).unwrap(), shift(&b, &a).unwrap());
        prop_assert_eq!((forth.estimate, forth.low, forth.high), (-back.estimate, -back.high, -back.low));
    }

    #[test]
    fn bounds_are_differences_of_pairs((a, b) in samples()) {
        let all = sorted_differences(&a, &b);
        let Shift { estimate, low, high } = shift(&a, &b).unwrap();
        prop_assert_eq!(estimate, f64::midpoint(all[(all.len() - 1) / 2], all[all.len() / 2]));
        let outside = all.iter().filter(|difference| **difference < low).count();
        prop_assert!(all.contains(&low) && all[all.len() - 1 - outside.min(all.len() - 1)] >= high);
        prop_assert!(low <= estimate && estimate <= high);
    }

    #[test]
    fn interval_without_zero_is_a_significant_difference((a, b) in distinct(4..=20)) {
        let (p, shift) = (mann_whitney(&a, &b).unwrap(), shift(&a, &b).unwrap());
        prop_assert_eq!(p <= 0.05, shift.low > 0.0 || shift.high < 0.0, "{} {:?}", p, shift);
    }

    #[test]
    fn unit_and_origin_do_not_matter((a, b) in distinct(4..=30)) {
        let scaled = |values: &[f64]| values.iter().map(|value| value * 8.0 + 1024.0).collect::<Vec<_>>();
        let (plain, other) = (shift(&a, &b).unwrap(), shift(&scaled(&a), &scaled(&b)).unwrap());
        prop_assert_eq!(mann_whitney(&a, &b), mann_whitney(&scaled(&a), &scaled(&b)));
        prop_assert_eq!((plain.estimate * 8.0, plain.low * 8.0, plain.high * 8.0), (other.estimate, other.low, other.high));
    }
}

#[test]
fn many_pairs_are_selected_exactly() {
    // 1.2 million pairs: more than fit the exact distribution, few enough to sort here.
    let mut rng = Rng::with_seed(1);
    let (a, b) = (noisy(&mut rng, 1200, 100.0, 1.0), noisy(&mut rng, 1000, 100.1, 1.0));
    let all = sorted_differences(&a, &b);
    let shift = shift(&a, &b).unwrap();
    assert_eq!(shift.estimate, f64::midpoint(all[599_999], all[600_000]));
    // By hand: 600,000 − 1.959964 × √(1,200,000 × 2201 ÷ 12) + 0.5, rounded down, is 570,922: the c-th one from each end.
    assert_eq!((shift.low, shift.high), (all[570_921], all[1_200_000 - 570_922]));
    // Ranks of a million values each.
    let many: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let more: Vec<f64> = many.iter().map(|value| value + 10_000.0).collect();
    let large = super::shift(&many, &more).unwrap();
    assert_eq!(large.estimate, 10_000.0);
    assert!(large.low > 9_000.0 && large.high < 11_000.0, "{large:?}");
}

/// Returns `n` values around `mean` with normal noise (Box–Muller).
fn noisy(rng: &mut Rng, n: usize, mean: f64, deviation: f64) -> Vec<f64> {
    let mut value = || {
        let (radius, angle) = ((-2.0 * (1.0 - rng.f64()).ln()).sqrt(), std::f64::consts::TAU * rng.f64());
        mean + deviation * radius * angle.cos()
    };
    (0..n).map(|_| value()).collect()
}

/// Returns the pairs of a thousand, of 8 + 8 steps of about 100 with noise, that differ by the test, that are slower by the
/// test and by 1 at least, and whose interval has the true difference.
fn thousand_pairs(seed: u64, difference: f64, noise: f64) -> [usize; 3] {
    let mut rng = Rng::with_seed(seed);
    let mut counts = [0; 3];
    for _ in 0..1000 {
        let (a, b) = (noisy(&mut rng, 8, 100.0, noise), noisy(&mut rng, 8, 100.0 + difference, noise));
        let (p, shift) = (mann_whitney(&a, &b).unwrap(), shift(&a, &b).unwrap());
        let is_slower = p < 0.05 && shift.estimate > 1.0;
        let is_covered = shift.low <= difference && difference <= shift.high;
        for (count, is_so) in counts.iter_mut().zip([p < 0.05, is_slower, is_covered]) {
            *count += usize::from(is_so);
        }
    }
    counts
}

#[test]
fn equal_captures_rarely_differ() {
    let [differ, slower, covered] = thousand_pairs(1, 0.0, 0.5);
    assert!(differ < 65 && covered > 935, "{differ} differ at a level of 5 %, {covered} intervals of 95 % hold 0");
    assert!(slower < 10, "{slower} are slower");
    // Where the steps have as much noise as the band is wide, 8 of them are few: about 1.2 % are slower by chance.
    let noisy: usize = (1..=5).map(|seed| thousand_pairs(seed, 0.0, 1.0)[1]).sum();
    assert!(noisy < 5 * 20, "{noisy} of 5,000 are slower");
}

#[test]
fn three_percent_are_detected() {
    let [differ, slower, covered] = thousand_pairs(2, 3.0, 1.0);
    assert!(differ >= 990 && slower >= 990, "{differ} differ, {slower} are slower");
    assert!(covered > 935, "{covered} intervals of 95 % hold 3 %");
}

#[test]
fn dependent_steps_say_less() {
    let (up, saw) = ((0..12).map(f64::from).collect::<Vec<_>>(), [1.0, 2.0].repeat(6));
    // By hand: 107.25 ÷ 143.
    close(lag1_autocorrelation(&up).unwrap(), 0.75, 1e-12);
    close(effective_size(&up), 12.0 / 7.0, 1e-12);
    close(widening(&up, &saw), 7.0_f64.sqrt(), 1e-12);
    close(lag1_autocorrelation(&saw).unwrap(), -11.0 / 12.0, 1e-12);
    assert_eq!(effective_size(&saw), 12.0);
    assert_eq!(widening(&saw, &up[..9]), 1.0, "9 values are too few");
    assert_eq!((lag1_autocorrelation(&[2.0; 12]), lag1_autocorrelation(&[1.0, 2.0])), (None, None));
    assert_eq!((effective_size(&[]), widening(&[], &[5.0; 20])), (0.0, 1.0));
    assert_eq!(Shift { estimate: 2.0, low: 1.0, high: 4.0 }.widened(2.0), Shift { estimate: 2.0, low: 0.0, high: 6.0 });
    // An autoregressive series with ρ = 0.6: (1 − ρ) ÷ (1 + ρ) is a quarter.
    let mut level = 0.0;
    let series: Vec<f64> = noisy(&mut Rng::with_seed(3), 20_000, 0.0, 1.0)
        .into_iter()
        .map(|noise| {
            level = 0.6 * level + noise;
            level
        })
        .collect();
    close(effective_size(&series) / 20_000.0, 0.25, 0.02);
}

#[test]
fn false_discoveries_are_limited() {
    // Benjamini and Hochberg (1995), the example of section 4: 4 of 15 at 5 %, where Bonferroni's procedure finds 3.
    let published = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
        1.0,
    ];
    let mut p = published.map(Some).to_vec();
    let significant = |p: &[Option<f64>]| -> Vec<usize> {
        let all = benjamini_hochberg(p, 0.05);
        assert_eq!(all.len(), p.len());
        (0..p.len()).filter(|i| all[*i]).collect()
    };
    assert_eq!(significant(&p), [0, 1, 2, 3]);
    p.reverse();
    p.push(None);
    p.push(Some(f64::NAN));
    assert_eq!(significant(&p), [11, 12, 13, 14], "tests without a p value do not count");
    // A step-up procedure: the second p value is above its own limit, and the third is not.
    assert_eq!(significant(&[Some(0.016), Some(0.04), Some(0.045)]), [0, 1, 2]);
    assert_eq!(significant(&[Some(0.06), None]), [0; 0]);
    assert_eq!(significant(&[]), [0; 0]);
}

#[test]
fn medians_and_fences() {
    assert_eq!((median(&[]), median(&[f64::NAN, 1.0])), (None, None));
    assert_eq!(
        (median(&[5.0]), median(&[9.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 9.0])),
        (Some(5.0), Some(2.0), Some(3.0))
    );
    let history = [3.0, 1.0, 2.0, 5.0, 4.0, 7.0, 6.0];
    assert_eq!(fence(&history), Some(5.5 + 3.0 * 3.0));
    assert_eq!((fence(&history[1..]), fence(&[f64::NAN; 8])), (None, None));
}
