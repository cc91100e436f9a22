//! This module shows values over time beside the events: counters that the profiler recorded, and rates that are derived
//! from events.
//!
//! ```text
//!  counters of a plane ────────────────────────────────┐
//!  allocator events ──► bytes in use ──────────────────┼─► step function ─┬─► picture: min, max, mean by column
//!  ops and spans ──► stretches with a rate ──► overlay ┘                  └─► range: min, max, mean
//! ```
//!
//! A step function is computed with the first picture of its series. Listing the series reads counters, the times of sampled
//! counters, allocator events and distinct ops, and not the times of ops.

mod allocators;
mod counters;
mod device_rates;
mod list;
mod overlay;
mod report;

pub use report::{SeriesColumn, SeriesPicture, SeriesRange, SeriesRef, SeriesTrack, SeriesUnit};

use super::report::{PictureQuery, Timeline};
use crate::analysis::base::{Analysis, Interval};
use crate::analysis::counters::StepFunction;
use device_rates::LastCore;
use list::SeriesSource;
use rustc_hash::FxHashMap;
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

/// The greatest number of steps that are kept, of all series: about 250 MB.
const MAX_STEPS: usize = 1 << 24;

/// The series of a session, and the values of those that have been shown.
#[derive(Default)]
pub struct SeriesIndex {
    /// The source of each series, by group.
    sources: Vec<Vec<SeriesSource>>,
    functions: FxHashMap<SeriesRef, StepFunction>,
    n_steps: usize,
    /// The displayed time of each group minus its time on the event clock, on which values are kept, in ps.
    offsets: Vec<i64>,
    /// The displayed end of the session, until which the last value of a counter holds.
    end: Picos,
}

impl SeriesIndex {
    /// Lists the series of a session in the groups of its timeline.
    pub fn new(profile: &Profile, analysis: &Analysis, timeline: &mut Timeline) -> Self {
        let mut sources = Vec::with_capacity(timeline.groups.len());
        for (index, series) in list::series(profile, analysis, &timeline.groups).into_iter().enumerate() {
            let numbered = |(number, mut track): (usize, SeriesTrack)| {
                track.id = SeriesRef { group: index as u32, series: number as u32 };
                track
            };
            let (of_group, tracks): (Vec<SeriesSource>, Vec<SeriesTrack>) = series.into_iter().unzip();
            sources.push(of_group);
            timeline.groups[index].series = tracks.into_iter().enumerate().map(numbered).collect();
        }
        let offsets = timeline.groups.iter().map(|group| timeline.offset(group)).collect();
        Self { sources, offsets, end: timeline.end, ..Self::default() }
    }

    /// Draws the series of a query that exist, in its order.
    pub fn picture(&mut self, profile: &Profile, analysis: &Analysis, query: &PictureQuery) -> Vec<SeriesPicture> {
        let mut pictures = Vec::with_capacity(query.series.len());
        let mut core = LastCore::default();
        for id in &query.series {
            let offset = self.offset(*id);
            let peak = self.source(*id).and_then(|source| source.peak(profile, analysis)).unwrap_or(f64::INFINITY);
            let Some(function) = self.function(profile, analysis, &mut core, *id) else { continue };
            let most = function.whole().max;
            let top = if most.is_nan() { 0.0 } else { most.min(peak) };
            let mut picture = SeriesPicture { id: *id, top, columns: Vec::new() };
            for column in 0..u64::from(query.n_columns) {
                let time = |column: u64| {
                    let displayed = query.start.0.saturating_add(query.column.0.saturating_mul(column));
                    Picos(displayed).moved(-offset).0
                };
                picture.push(SeriesColumn::new(function, (time(column), time(column + 1))));
            }
            pictures.push(picture);
        }
        pictures
    }

    /// Returns the values of a series in a range of time. `None` if there is no such series.
    pub fn range(
        &mut self,
        profile: &Profile,
        analysis: &Analysis,
        id: SeriesRef,
        (start, end): (Picos, Picos),
    ) -> Option<SeriesRange> {
        let range = (start.moved(-self.offset(id)).0, end.moved(-self.offset(id)).0);
        let sum = self.function(profile, analysis, &mut LastCore::default(), id)?.summary(range);
        let value = |value: f64| (!value.is_nan()).then_some(value);
        let covered = Picos(sum.covered);
        Some(SeriesRange {
            id,
            start,
            end,
            mean: sum.mean(),
            min: value(sum.min),
            max: value(sum.max),
            covered,
            covered_share: covered.fraction_of(end.saturating_sub(start)).unwrap_or(0.0),
        })
    }

    fn source(&self, id: SeriesRef) -> Option<SeriesSource> {
        self.sources.get(id.group as usize)?.get(id.series as usize).copied()
    }

    fn offset(&self, id: SeriesRef) -> i64 {
        self.offsets.get(id.group as usize).copied().unwrap_or(0)
    }

    /// Returns the values of a series, which are computed if they are not kept. `None` if there is no such series.
    fn function(
        &mut self,
        profile: &Profile,
        analysis: &Analysis,
        core: &mut LastCore,
        id: SeriesRef,
    ) -> Option<&StepFunction> {
        let end = self.end.moved(-self.offset(id)).0;
        let source = self.source(id)?;
        if !self.functions.contains_key(&id) {
            let function = source.read(profile, analysis, core, end)?;
            if self.n_steps.saturating_add(function.len()) > MAX_STEPS {
                self.functions.clear();
                self.n_steps = 0;
            }
            self.n_steps += function.len();
            self.functions.insert(id, function);
        }
        self.functions.get(&id)
    }
}

impl SeriesColumn {
    /// Summarizes a part of a step function.
    #[expect(clippy::cast_possible_truncation, reason = "a picture needs no more than seven digits")]
    fn new(function: &StepFunction, column: Interval) -> Self {
        let sum = function.summary(column);
        let mean = sum.mean().unwrap_or(f64::NAN);
        Self { min: sum.min as f32, max: sum.max as f32, mean: mean as f32 }
    }
}
