//! This module divides the bar of a step by kind, and the strip below it by whether the device needs the time.

use crate::analysis::overview::{KindShare, Overview};
use crate::chart::plot::time_part::TimePart;
use crate::table::format::{ABSENT, TimeUnit, percent, time, time_text};
use xla_profile::units::Picos;

/// Whether the device needs a part of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StripPart {
    Needed,
    Lost,
    NotJudged,
}

impl StripPart {
    /// All parts, in order.
    pub const ALL: [Self; 3] = [Self::Needed, Self::Lost, Self::NotJudged];

    /// Returns the class of the mark.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Needed => "mark-needed",
            Self::Lost => "mark-lost",
            Self::NotJudged => "mark-not-judged",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Needed => "needed at the attainable share of the roofline",
            Self::Lost => "at most to gain: slower compute, communication, data movement, idle",
            Self::NotJudged => "not judged: no roofline time",
        }
    }

    const fn time(self, kind: &KindShare) -> Picos {
        match self {
            Self::Needed => kind.needed,
            Self::Lost => kind.lost,
            Self::NotJudged => kind.not_judged,
        }
    }
}

/// A part of the bar, with its parts in the strip. Places are fractions of the bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    pub part: TimePart,
    pub label: &'static str,
    /// Start and length.
    pub place: (f64, f64),
    pub strip: Vec<(StripPart, (f64, f64))>,
}

/// Returns the full and the short name of a part of a step. Time without events is not idle if the profiler lost events.
fn names(overview: &Overview, part: TimePart) -> (&'static str, &'static str) {
    let is_lost = part == TimePart::Idle && overview.hides_idle();
    if is_lost { ("No events", "No events") } else { (part.label(), part.short()) }
}

/// Returns the part of time of a kind.
fn time_part(kind: &KindShare) -> TimePart {
    kind.kind.map_or(TimePart::Idle, TimePart::Kind)
}

/// Returns the segments of the bar. They fill it.
pub fn segments(overview: &Overview) -> Vec<Segment> {
    let whole: Picos = overview.kinds.iter().map(|kind| kind.total).sum();
    let share = |time: Picos| time.fraction_of(whole).unwrap_or(0.0);
    let mut next_start = 0.0;
    let mut found = Vec::new();
    for kind in overview.kinds.iter().filter(|kind| kind.total > Picos::ZERO) {
        let (start, length) = (next_start, share(kind.total));
        let mut inner = start;
        let strip = StripPart::ALL
            .into_iter()
            .filter(|part| part.time(kind) > Picos::ZERO)
            .map(|part| {
                let place = (inner, share(part.time(kind)));
                inner += place.1;
                (part, place)
            })
            .collect();
        let part = time_part(kind);
        found.push(Segment { part, label: names(overview, part).1, place: (start, length), strip });
        next_start += length;
    }
    found
}

/// Returns the label of a segment, if it is long enough for one, and whether the label also fits on a narrow page.
pub fn segment_label(segment: &Segment) -> Option<(&'static str, bool)> {
    /// Shortest share of the bar that holds a label.
    const SHORTEST: f64 = 0.1;
    /// Width of a letter and of the space around a label, as shares of the bar of a narrow page.
    const NARROW: (f64, f64) = (0.024, 0.04);
    let label = segment.label;
    let narrow = label.chars().count() as f64 * NARROW.0 + NARROW.1;
    (segment.place.1 >= SHORTEST).then_some((label, segment.place.1 >= narrow))
}

/// Returns how the bar counts the time in which ops of several streams run at once. `None` without such time.
pub fn overlap_note(overview: &Overview) -> Option<String> {
    let time = overview.totals.overlap()?;
    Some(format!(
        "Ops of several streams run at once for {}. The bar and the findings count this time once, and tables of ops count it for each op.",
        time_text(time)
    ))
}

/// An entry of the legend of the strip.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    pub part: StripPart,
    pub time: String,
    pub words: &'static str,
}

/// Returns the legend of the strip.
pub fn legend(overview: &Overview) -> Vec<Legend> {
    let entry = |part: StripPart| {
        let sum: Picos = overview.kinds.iter().map(|kind| part.time(kind)).sum();
        let is_unknown = part == StripPart::Needed && overview.kinds.iter().any(|kind| kind.not_judged > Picos::ZERO);
        match sum {
            Picos::ZERO if is_unknown => {
                Legend { part, time: ABSENT.to_owned(), words: "needed: no op has a roofline time" }
            }
            _ if part == StripPart::NotJudged && overview.gain().requests > Picos::ZERO => {
                Legend { part, time: time_text(sum), words: "not judged: no roofline time, or waits for requests" }
            }
            _ if part == StripPart::NotJudged && overview.hides_idle() => {
                Legend { part, time: time_text(sum), words: "not judged: events were lost" }
            }
            Picos::ZERO => Legend { part, time: "None".to_owned(), words: part.words() },
            sum => Legend { part, time: time_text(sum), words: part.words() },
        }
    };
    StripPart::ALL.into_iter().map(entry).collect()
}

/// A part of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct KindLine {
    pub part: TimePart,
    pub label: &'static str,
    /// The label for narrow places.
    pub short_label: &'static str,
    /// Its time, without the unit, which all parts share.
    pub time: String,
    pub unit: &'static str,
    /// Its share of the step as a percentage, without the sign.
    pub share: String,
    /// How much of it is lost.
    pub lost: String,
}

/// Returns the parts of a step that have time.
pub fn kinds(overview: &Overview) -> Vec<KindLine> {
    let unit = TimeUnit::for_largest(overview.period);
    let line = |kind: &KindShare| {
        let share = kind.total.fraction_of(overview.period).filter(|share| *share > 0.0);
        let share = share.map_or(String::new(), percent);
        let lost = match kind {
            _ if kind.kind.is_none() && overview.hides_idle() => "events were lost".to_owned(),
            _ if kind.lost == Picos::ZERO && kind.needed == Picos::ZERO => "not judged".to_owned(),
            _ => format!("{} {} to gain", time(kind.lost, unit), unit.symbol()),
        };
        let part = time_part(kind);
        let (label, short_label) = names(overview, part);
        KindLine { part, label, short_label, time: time(kind.total, unit), unit: unit.symbol(), share, lost }
    };
    overview.kinds.iter().filter(|kind| kind.total > Picos::ZERO).map(line).collect()
}
