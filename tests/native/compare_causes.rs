//! These tests compare the explanations of differences with what is known of the captures: what was changed between them, in which
//! module, and what replaced what. Each truth was written by hand from `samples/gpu/train.py`, from the options of the simulator, and
//! from the options of `samples/variants.py`, before the first explanation was made.

use crate::compare::{compared, gpu, opened, simulated};
use crate::compare_pairs::runs;
use rooflight::analysis::compare::{CauseKind, Comparison, PairLevel, RowSide, Verdict};
use rooflight::report::compare::{explanation, text};

/// What the headline of a pair has to say.
struct Truth {
    /// The pair, for messages.
    name: &'static str,
    /// Words that the headline must have, in any order and case.
    words: &'static [&'static str],
    /// The least share of the difference that the named part explains.
    share: f64,
}

fn check(truth: &Truth, comparison: &Comparison, failures: &mut Vec<String>) {
    let headline = explanation::sentences(comparison).join(" ");
    println!("{}: {headline}", truth.name);
    let lower = headline.to_lowercase();
    let missing: Vec<&&str> = truth.words.iter().filter(|word| !lower.contains(&word.to_lowercase())).collect();
    let share = comparison.explanation.main.as_ref().map_or(0.0, |main| main.share);
    if !missing.is_empty() || share < truth.share {
        failures.push(format!("{}: {missing:?}, {share:.2} in “{headline}”", truth.name));
    }
    check_pairs(comparison);
    assert!(text::sentence(comparison).contains(&headline), "{}", truth.name);
}

/// Each row is in one pair, so that the pairs sum to the rows.
pub fn check_pairs(comparison: &Comparison) {
    let pairs = &comparison.explanation.pairs;
    let sum = |values: &mut dyn Iterator<Item = i64>| values.sum::<i64>();
    let rows = || comparison.rows.iter();
    assert_eq!(sum(&mut pairs.iter().map(|pair| pair.delta_ps)), sum(&mut rows().map(|row| row.delta_ps)));
    let (a, b) = (sum(&mut pairs.iter().map(|pair| pair.a_ps)), sum(&mut pairs.iter().map(|pair| pair.b_ps)));
    assert_eq!(a, sum(&mut rows().filter_map(|row| row.a.as_ref()).map(|side| side.self_ps)));
    assert_eq!(b, sum(&mut rows().filter_map(|row| row.b.as_ref()).map(|side| side.self_ps)));
    for pair in pairs {
        assert!(!pair.name.is_empty() || pair.level != PairLevel::Scope);
        assert!(pair.unmatched_a_ps <= pair.a_ps && pair.unmatched_b_ps <= pair.b_ps, "{}", pair.name);
        let of_phases = sum(&mut pair.phases.iter().map(|phase| phase.a_ps));
        assert!(of_phases <= pair.a_ps, "{}", pair.name);
        if pair.level != PairLevel::OneSide {
            assert!(pair.n_ops_a > 0 && pair.n_ops_b > 0 || pair.level == PairLevel::Scope, "{}", pair.name);
        }
    }
}

/// Captures of one model on an H100, of which one thing was changed each time.
#[test]
fn captures_of_an_h100_are_explained() {
    let mut failures = Vec::new();
    for (b, words, share) in [
        (
            "cudnn",
            &[
                "Attention 4.53 → 2.10 ms",
                "40 ops instead of 57",
                "cuDNN flash attention replaced",
                "softmax",
                "matmuls",
            ][..],
            0.8,
        ),
        ("f32", &["bf16 became f32"], 0.8),
        ("batch2", &["4 × 1,024 in A, 2 × 1,024 in B"], 0.5),
        ("loader", &["idle", "host", "5.7"], 0.9),
        ("unrolled", &["Layers", "in a loop in A and unrolled in B"], 0.6),
    ] {
        check(&Truth { name: b, words, share }, &compared(gpu("xla"), gpu(b)), &mut failures);
    }
    let again = compared(gpu("xla"), gpu("again"));
    assert_eq!((again.verdict, &again.explanation.main), (Verdict::WithinNoise, &None));
    assert!(explanation::sentences(&again).is_empty());
    assert!(failures.is_empty(), "{failures:#?}");
}

/// What replaced what has the opposite direction the other way round.
#[test]
fn the_other_way_round_the_replaced_work_is_back() {
    let back = compared(gpu("cudnn"), gpu("xla"));
    let main = back.explanation.main.as_ref().unwrap();
    assert_eq!(
        (explanation::title(main).to_lowercase(), main.work.n_ops_a, main.work.n_ops_b),
        ("attention".to_owned(), 40, 57)
    );
    let replaced = main.work.causes.iter().find(|cause| cause.kind == CauseKind::Replaced).unwrap();
    assert!(replaced.a.contains("cuDNN") && replaced.b.contains("softmax"), "{replaced:?}");
    // Both sides do the work of each scope, module and group, although many ops have no partner of their own. The rest of the time
    // of B is in ops without a scope, nearly all in `fusion.68`. In cuDNN's run, each op of the group of this fusion has a scope, so
    // that nothing tells its counterpart.
    let ((a, b), (all_a, all_b)) = (back.matched_shares(), back.paired_shares().unwrap());
    assert!(a < 0.9 && b < 0.7 && all_a > 0.99 && all_b > 0.94, "{a} {b} {all_a} {all_b}");
    let alone = back.explanation.pairs.iter().filter(|pair| pair.level == PairLevel::OneSide);
    let alone_ps: i64 = alone.map(|pair| pair.b_ps).sum();
    let is_fusion = |side: &&RowSide| side.ops == ["fusion.68"];
    let fusion = back.rows.iter().filter_map(|row| row.b.as_ref()).find(is_fusion).unwrap();
    assert!(fusion.scope.is_none() && fusion.self_ps * 10 > alone_ps * 9, "{fusion:?} {alone_ps}");
}

/// Simulated runs of which one has a fault.
#[test]
fn simulated_faults_are_explained() {
    let (healthy, _) = simulated(&[]);
    let mut failures = Vec::new();
    for (fault, words, share) in [
        ("exposed-all-gather", &["All-gathers", "without a change"][..], 0.9),
        ("recompute", &["Recomputation"], 0.9),
        ("retiling-copies", &["copies", "explain "], 0.9),
        ("opaque-kernel", &["attention"], 0.9),
        ("host-bound", &["idle", "host"], 0.9),
        ("straggler", &["slower than on other devices"], 0.9),
    ] {
        let (broken, _) = simulated(&["--fault", fault]);
        let comparison = compared(opened(&healthy), opened(&broken));
        check(&Truth { name: fault, words, share }, &comparison, &mut failures);
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Simulated runs of two compiled programs. With weights in bf16, no op has to convert them to it, and few
/// other ops change their types. With a pair of layers more, all
/// layers take longer together: the work is in no scope or module that has half of it, and the number of executions says why.
#[test]
fn compiled_programs_are_explained() {
    let mut failures = Vec::new();
    for (a, b, words, share) in
        [("base", "bf16", &["conversions"][..], 0.5), ("base", "layers", &["1.25 times as often"], 0.0)]
    {
        let [a_run, b_run] = runs([a, b]);
        check(&Truth { name: b, words, share }, &compared(opened(&a_run), opened(&b_run)), &mut failures);
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
