//! This module tests the chart per step.

use super::*;
use crate::chart::plot::step::kinds;
use crate::chart::plot::time_part::TimePart;
use crate::chart::plot::{hit_test, svg};
use proptest::prelude::*;

const MS: u64 = 1_000_000_000;

fn step(number: usize, compute: u64, idle: u64) -> Step {
    let mut parts = vec![Picos::ZERO; 8];
    (parts[0], parts[7]) = (Picos(compute), Picos(idle));
    Step { name: number.to_string(), duration: Picos(compute + idle), parts, ..Step::default() }
}

fn steps(n: usize) -> Vec<Step> {
    (0..n).map(|index| step(index, 100 * MS + index as u64 * MS, 10 * MS)).collect()
}

fn layout(steps: &[Step], subject: &str, selected: Option<u32>, width: f64, height: f64) -> Scene {
    super::layout(steps, &kinds(), subject, selected, (width, height))
}

fn of_tone(scene: &Scene, tone: Tone) -> Vec<&Mark> {
    scene.marks.iter().filter(|mark| mark.paint.fill == Some(tone)).collect()
}

const COMPUTE: Tone = Tone::Kind(TimePart::Kind(crate::analysis::classify::Kind::Compute));
const IDLE: Tone = Tone::Kind(TimePart::Idle);

#[test]
fn bars_are_stacked_from_zero_with_idle_on_top() {
    let scene = layout(&steps(4), "of TPU:0", Some(2), 600.0, 200.0);
    let (compute, idle) = (of_tone(&scene, COMPUTE), of_tone(&scene, IDLE));
    assert_eq!([compute.len(), idle.len()], [4, 4]);
    for (compute, idle) in compute.iter().zip(&idle) {
        let (below, above) = (compute.shape.bounds(), idle.shape.bounds());
        assert!((below.y + below.height - (200.0 - MARGINS.bottom)).abs() < 1e-9, "zero is in the frame");
        assert!((above.y + above.height - below.y).abs() < 1e-9 && above.height > 0.0);
    }
    assert!(idle.iter().all(|mark| mark.paint.pattern.is_some()));
    let here = of_tone(&scene, Tone::AccentLine);
    let middle = |mark: &Mark| mark.shape.bounds().centre().0;
    assert!(here.len() == 1 && (middle(here[0]) - middle(compute[2])).abs() < 1e-9);
}

#[test]
fn the_axis_has_a_unit_and_round_numbers() {
    let scene = layout(&steps(4), "", None, 600.0, 200.0);
    let texts: Vec<_> = scene
        .marks
        .iter()
        .filter_map(|mark| if let Shape::Text { text, .. } = &mark.shape { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(texts, ["0", "50", "100", "ms", "0", "1", "2", "3", "mean 111.500", "median 111.500"]);
    let (mean, median) = ("mean 111.500", "median 111.500");
    let y = |words: &str| {
        let is = |mark: &&Mark| matches!(&mark.shape, Shape::Text { text, .. } if text == words);
        scene.marks.iter().find(is).map(|mark| mark.shape.bounds().y).unwrap()
    };
    assert!(y(median) - y(mean) >= 13.0, "one below the other");
    let short = layout(&[step(0, 1_500_000, 0)], "", None, 600.0, 200.0);
    assert!(short.marks.iter().any(|mark| matches!(&mark.shape, Shape::Text { text, .. } if text == "µs")));
}

#[test]
fn many_steps_become_areas_and_then_share_columns() {
    let areas = layout(&steps(300), "", None, 700.0, 200.0);
    assert_eq!(of_tone(&areas, COMPUTE).len(), 1, "one outline for all");
    assert_eq!(areas.marks.iter().filter(|mark| mark.id.is_some()).count(), 300);
    let merged = layout(&steps(5000), "", Some(4321), 700.0, 200.0);
    assert!(of_tone(&merged, COMPUTE).is_empty() && merged.marks.len() < 1000);
    assert_eq!(of_tone(&merged, Tone::AccentLine).len(), 1);
    assert!(
        merged.title.contains("columns of up to 9 steps, each from the shortest to the longest"),
        "{}",
        merged.title
    );
    assert!(!areas.title.contains("column"));
    assert_eq!(merged.table.rows.len(), 5000);
}

#[test]
fn columns_share_the_steps() {
    assert_eq!(ranges(3, 100.0), [0..1, 1..2, 2..3]);
    assert_eq!(ranges(5, 2.9), [0..3, 3..5]);
    assert_eq!((ranges(0, 100.0).len(), ranges(7, -3.0).into_iter().flatten().count()), (0, 7));
}

#[test]
fn the_sentence_and_the_labels() {
    let scene = layout(&steps(3), "of TPU:0", None, 600.0, 200.0);
    assert_eq!(
        scene.title,
        "3 steps of TPU:0: mean 111.00 ms, median 111.00 ms, shortest 110.00 ms (step 0), longest 112.00 ms (step 2)."
    );
    assert_eq!(layout(&steps(1), "", None, 600.0, 200.0).title, "1 step: 110.00 ms.");
    assert_eq!(layout(&[], "of TPU:0", None, 600.0, 200.0).title, "No steps of TPU:0.");
    let hit = hit_test::mark_at(&scene.marks, 300.0, 50.0);
    assert_eq!(hit, Some(1), "the whole column is a target");
    assert!(scene.marks.iter().any(|mark| mark.label == "Step 1: 111.00 ms"));
    let mut spread = steps(2);
    spread[0].spread = Some((Picos(90 * MS), Picos(150 * MS)));
    let scene = layout(&spread, "", None, 600.0, 200.0);
    assert!(scene.marks.iter().any(|mark| mark.label == "Step 0: mean 110.00 ms, 90.00 ms to 150.00 ms"));
    assert_eq!(scene.table.heads.last().map(String::as_str), Some("Longest, ms"));
    assert!(scene.title.contains("from the fastest to the slowest"));
}

#[test]
fn means_and_medians() {
    let facts_of = |durations: &[u64]| step_text::facts(&durations.iter().map(|d| step(0, *d, 0)).collect::<Vec<_>>());
    let facts = facts_of(&[4, 1, 1, 10]).unwrap();
    assert_eq!((facts.mean, facts.median, facts.shortest, facts.longest), (Picos(4), Picos(2), 1, 3));
    assert_eq!(facts_of(&[u64::MAX, u64::MAX]).unwrap().mean, Picos(u64::MAX));
    assert_eq!(facts_of(&[]), None);
    // Steps that are left out count in neither mean nor median, but can be the longest.
    let mut some: Vec<Step> = [90, 2, 4, 50].iter().map(|d| step(0, *d, 0)).collect();
    (some[0].is_left_out, some[3].is_left_out) = (true, true);
    let facts = step_text::facts(&some).unwrap();
    assert_eq!((facts.n, facts.mean, facts.median, facts.shortest, facts.longest), (2, Picos(3), Picos(3), 1, 0));
    assert!(step_text::sentence(&some, "", Some(&facts), 4).contains("median 3 ps (over 2 of them), shortest"));
    some.iter_mut().for_each(|step| step.is_left_out = true);
    assert_eq!(step_text::facts(&some).unwrap().n, 4);
    assert_eq!(step_text::column(&steps(3)), "Steps 0 to 2: 110.00 ms to 112.00 ms");
}

#[test]
fn hostile_names_are_words() {
    let named = Step { name: "</text>&".repeat(9), ..step(0, MS, 0) };
    let file = svg::write(&layout(&[named], "<b>", None, 600.0, 200.0), &|_| "#000".to_owned());
    assert!(file.contains("&lt;/text&gt;") && !file.contains("<b>"));
}

proptest! {
    #[test]
    fn nothing_leaves_the_picture(
        times in prop::collection::vec((any::<[u32; 7]>(), any::<u32>(), any::<Option<u32>>()), 0..700),
        width in 120.0f64..1600.0, height in 60.0f64..400.0, selected in any::<Option<u8>>(),
    ) {
        let step = |(parts, idle, more): ([u32; 7], u32, Option<u32>)| {
            let mut parts = parts.map(|part| Picos(u64::from(part) * 1000)).to_vec();
            parts.push(Picos(idle.into()));
            let duration = parts.iter().copied().sum::<Picos>();
            let spread = more.map(|more| (Picos(duration.0 / 2), duration + Picos(more.into())));
            Step { name: "12".to_owned(), duration, parts, spread, ..Step::default() }
        };
        let steps: Vec<_> = times.into_iter().map(step).collect();
        let scene = layout(&steps, "", selected.map(u32::from), width, height);
        let mut ids: Vec<_> = scene.marks.iter().filter_map(|mark| mark.id).collect();
        ids.dedup();
        prop_assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "each once, in order");
        prop_assert!(ids.iter().all(|id| (*id as usize) < steps.len()));
        prop_assert_eq!(ids.is_empty(), steps.is_empty());
        for mark in &scene.marks {
            let bounds = mark.shape.bounds();
            prop_assert!(bounds.x.is_finite() && bounds.width >= -1e-9 && bounds.height >= -1e-9, "{mark:?}");
            prop_assert!(bounds.y >= 0.0 && bounds.y + bounds.height <= height + 1e-6, "{mark:?}");
            if !matches!(mark.shape, Shape::Text { .. }) {
                prop_assert!(bounds.x >= 0.0 && bounds.x + bounds.width <= width + 3.0, "{mark:?}");
            }
        }
        prop_assert!(scene.marks.len() <= 8 * (width as usize) + 64);
    }
}
