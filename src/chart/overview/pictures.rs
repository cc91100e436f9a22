//! This module draws the small picture of a finding. Places and lengths are fractions of the drawing.

use super::side::{self, Dot};
use crate::analysis::overview::{Finding, OVERLAPPED_SHARE, Overview, Picture, RooflinePoint, StepShare};
use crate::chart::plot::time_part::TimePart;
use crate::table::format::{bytes_text, counted, percent_text, time_text};
use rustc_hash::FxHashSet;
use xla_profile::units::Picos;

/// Largest number of columns in a drawing of steps. More steps share a column, and the longest one is drawn.
const MAX_COLUMNS: usize = 60;
/// The decades of operational intensity ÷ ridge in a roofline chart.
const DECADES: (f64, f64) = (-3.0, 1.5);

/// A mark of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A rectangle of a CSS class: left and width, top and height.
    Rect { class: String, across: (f64, f64), down: (f64, f64) },
    /// A dot with its centre and its radius in pixels.
    Dot { is_marked: bool, x: f64, y: f64, radius: f64 },
}

/// A drawing with a few words below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    pub marks: Vec<Mark>,
    pub caption: String,
    /// What the marks mean.
    pub title: &'static str,
}

const OF_BYTES: &str = "Dark: this part of the size.";
const OF_TIME: &str = "Dark: the time that is needed at the attainable share of the roofline. Hatched: the rest.";
const OF_ROOFLINE: &str = "Each dot is an op. Its distance below the upper line is that to its roofline. Memory limits ops on the left, compute those on the right.";
const OF_STEP: &str =
    "Upper row: the kinds of ops in one step, from left to right. Lower row: when the finding happens.";
const OF_STEPS: &str = "Each column is a step with its length. Those that the finding is about are marked.";
const OF_DEVICES: &str = "Each dot is a device, by the time that it waits for the others, from left to right. The marked one is the slowest.";

fn rect(class: &str, across: (f64, f64), down: (f64, f64)) -> Mark {
    Mark::Rect { class: class.to_owned(), across, down }
}

/// Returns the drawing of a finding. `None` if there is nothing to draw.
pub fn drawing(overview: &Overview, finding: &Finding) -> Option<Drawing> {
    let evidence = &finding.evidence;
    let attainable = |part: &Picos, all: &Picos| format!("{} of {} attainable", time_text(*part), time_text(*all));
    match &evidence.picture {
        Some(Picture::Bytes { part, all }) => {
            let caption = format!("{} of {}", bytes_text(*part), bytes_text(*all));
            Some(Drawing { marks: part_of(Picos(*part), Picos(*all), "mark-track")?, caption, title: OF_BYTES })
        }
        Some(Picture::Needed { needed: part, all }) => {
            Some(Drawing { marks: part_of(*part, *all, "mark-lost")?, caption: attainable(part, all), title: OF_TIME })
        }
        Some(Picture::Roofline { points, needed: part, all }) => {
            Some(Drawing { marks: roofline(points), caption: attainable(part, all), title: OF_ROOFLINE })
        }
        Some(Picture::When(columns)) => Some(Drawing {
            marks: step_picture(overview, columns),
            caption: when_caption(overview, finding),
            title: OF_STEP,
        }),
        None if !evidence.steps.is_empty() => steps(overview, &evidence.steps),
        None if !evidence.devices.is_empty() => devices(overview, &evidence.devices),
        None => None,
    }
}

/// Draws a part of a whole as a bar, with the rest in another class.
fn part_of(part: Picos, all: Picos, rest: &str) -> Option<Vec<Mark>> {
    let share = part.fraction_of(all)?.min(1.0);
    let down = (0.2, 0.6);
    Some(vec![rect("mark-needed", (0.0, share), down), rect(rest, (share, 1.0 - share), down)])
}

/// Draws ops by the side of the ridge on which they are, and by their share of the roofline.
fn roofline(points: &[RooflinePoint]) -> Vec<Mark> {
    let dot = |point: &RooflinePoint| Mark::Dot {
        is_marked: false,
        x: (point.intensity.log10().clamp(DECADES.0, DECADES.1) - DECADES.0) / (DECADES.1 - DECADES.0) * 0.94 + 0.03,
        y: 1.0 - 0.85 * point.attained.clamp(0.0, 1.0),
        radius: 2.0 + 2.5 * point.share.clamp(0.0, 1.0).sqrt(),
    };
    let roof = rect("mark-needed", (0.0, 1.0), (0.12, 0.05));
    [roof, rect("mark-line", (0.0, 1.0), (0.96, 0.04))].into_iter().chain(points.iter().map(dot)).collect()
}

/// Draws the step by kind, and below it when the finding happens.
fn step_picture(overview: &Overview, columns: &[u8]) -> Vec<Mark> {
    let runs = |n: usize, is_same: &dyn Fn(usize, usize) -> bool| {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for index in 0..n {
            match runs.last_mut() {
                Some((first, length)) if is_same(*first, index) => *length += 1,
                _ => runs.push((index, 1)),
            }
        }
        runs
    };
    #[expect(clippy::cast_precision_loss, reason = "a number of columns")]
    let across = |(first, length): (usize, usize), n: usize| (first as f64 / n as f64, length as f64 / n as f64);
    let kinds = &overview.shown_step.kinds;
    let kind = |run: (usize, usize)| {
        let part = kinds[run.0].map_or(TimePart::Idle, TimePart::Kind);
        rect(&format!("mark-{}", part.class()), across(run, kinds.len()), (0.0, 0.42))
    };
    let share = |run: (usize, usize)| {
        // A short time is still visible.
        let height = 0.42 * (0.15 + 0.85 * f64::from(columns[run.0]) / 255.0);
        rect("mark-needed", across(run, columns.len()), (1.0 - height, height))
    };
    let step = runs(kinds.len(), &|a, b| kinds[a] == kinds[b]).into_iter().map(kind);
    let track = rect("mark-track", (0.0, 1.0), (0.58, 0.42));
    let is_drawn = |run: &(usize, usize)| columns[run.0] > 0;
    let happens = runs(columns.len(), &|a, b| columns[a] == columns[b]).into_iter().filter(is_drawn).map(share);
    step.chain([track]).chain(happens).collect()
}

fn when_caption(overview: &Overview, finding: &Finding) -> String {
    let step = overview
        .shown_step
        .number
        .map_or("when, in the capture".to_owned(), |number| format!("when, in step {number}"));
    let hidden = finding.inputs.iter().find(|(name, _)| name == OVERLAPPED_SHARE);
    hidden.map_or(step.clone(), |(_, share)| {
        format!("{step}; of all such collectives, {} hidden by compute", percent_text(*share))
    })
}

/// Draws the lengths of steps. `marked` are the numbers of those that the finding is about.
fn steps(overview: &Overview, marked: &[u64]) -> Option<Drawing> {
    let all = &overview.steps;
    let longest = all.iter().map(|step| step.length).max()?;
    let is_marked: FxHashSet<u64> = marked.iter().copied().collect();
    let group = all.len().div_ceil(MAX_COLUMNS).max(1);
    let n = all.len().div_ceil(group);
    #[expect(clippy::cast_precision_loss, reason = "a number of columns")]
    let width = 1.0 / n as f64;
    let column = |(index, steps): (usize, &[StepShare])| {
        let is_marked = steps.iter().any(|step| is_marked.contains(&step.number));
        let length = steps.iter().map(|step| step.length).max().unwrap_or_default();
        let height = length.fraction_of(longest).unwrap_or(0.0);
        #[expect(clippy::cast_precision_loss, reason = "a number of columns")]
        let across = (index as f64 * width, width * 0.8);
        rect(if is_marked { "mark-marked" } else { "mark-other" }, across, (1.0 - height, height))
    };
    let caption = format!("{} of {}", marked.len(), counted(overview.n_steps.into(), "step", "steps"));
    Some(Drawing { marks: all.chunks(group).enumerate().map(column).collect(), caption, title: OF_STEPS })
}

/// Draws the devices by their waits for the others. `marked` are the labels of those that the finding is about.
fn devices(overview: &Overview, marked: &[String]) -> Option<Drawing> {
    let (dots, _) = side::devices(overview);
    let most = dots.iter().max_by(|a, b| a.position.total_cmp(&b.position))?.time.clone();
    let mark = |dot: &Dot| Mark::Dot {
        is_marked: marked.contains(&dot.label),
        x: 0.03 + 0.94 * dot.position,
        y: 0.5,
        radius: 4.5,
    };
    let line = rect("mark-line", (0.03, 0.94), (0.48, 0.04));
    let (n, all) = (dots.len(), overview.devices.len());
    let devices = if n < all { format!("{n} of {all}") } else { n.to_string() };
    let caption = format!("waits of {devices} devices, at most {most}");
    Some(Drawing { marks: std::iter::once(line).chain(dots.iter().map(mark)).collect(), caption, title: OF_DEVICES })
}
