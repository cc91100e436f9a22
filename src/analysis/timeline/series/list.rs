//! This module lists the series of a session: the counters of each plane, and what is derived for each device.

use super::allocators::{self, AllocatorKey};
use super::counters::{about, title, unit};
use super::device_rates::{LastCore, Rate, has_main_memory_bytes, has_rate};
use super::report::{SeriesRef, SeriesTrack, SeriesUnit};
use crate::analysis::base::{Analysis, Platform};
use crate::analysis::counters::{self, CounterName, StepFunction};
use crate::analysis::roofline::{Level, PeakChoice, Precision};
use crate::analysis::timeline::report::TrackGroup;
use xla_profile::profile::Profile;

/// The source of the values of a series.
#[derive(Clone, Copy, Debug)]
pub enum SeriesSource {
    /// A counter on a line of a plane.
    Counter { plane: usize, line: usize, name: CounterName },
    /// The bytes in use of an allocator whose events are on a plane.
    BytesInUse { plane: usize, allocator: AllocatorKey },
    /// A rate of a device.
    Rate { device: usize, rate: Rate },
}

/// A series before it has a place.
type Listed = (SeriesSource, SeriesTrack);

/// Lists the series of each group: first the counters, then those that are derived.
pub fn series(profile: &Profile, analysis: &Analysis, groups: &[TrackGroup]) -> Vec<Vec<Listed>> {
    let plane_of = |group: &TrackGroup| group.tracks.first().map(|track| track.line.plane as usize);
    let mut all: Vec<Vec<Listed>> = groups
        .iter()
        .map(|group| plane_of(group).map_or_else(Vec::new, |plane| of_plane(profile, analysis, plane)))
        .collect();
    for (index, plane) in groups.iter().enumerate().filter_map(|(index, group)| Some((index, plane_of(group)?))) {
        for (allocator, max) in allocators::allocators(&profile.planes[plane], analysis.axis) {
            let device = analysis.allocator_device(profile, plane, allocator.ordinal, allocator.name);
            let own =
                groups.iter().position(|group| group.device.is_some_and(|number| Some(number as usize) == device));
            let track = allocator_track(profile, allocator, own.is_some(), max);
            all[own.unwrap_or(index)].push((SeriesSource::BytesInUse { plane, allocator }, track));
        }
    }
    for (group, series) in groups.iter().zip(&mut all) {
        let Some(device) = group.device.map(|device| device as usize) else { continue };
        let rates = Rate::ALL.into_iter().filter(|rate| has_rate(profile, analysis, device, *rate));
        let bytes = match analysis.devices[device].platform {
            Platform::Cpu => "Memory bandwidth",
            _ if has_main_memory_bytes(profile, analysis, device) => "HBM bandwidth",
            _ => "Bytes accessed",
        };
        series.extend(rates.map(|rate| (SeriesSource::Rate { device, rate }, rate_track(rate, bytes))));
    }
    all
}

/// Number of counters of a line up to which maxima of rates are computed.
const MAX_SAMPLED: usize = 64;

/// Lists the counters of a plane.
fn of_plane(profile: &Profile, analysis: &Analysis, index: usize) -> Vec<Listed> {
    let plane = &profile.planes[index];
    let lines = plane.lines.iter().enumerate().filter(|(_, line)| !line.counters.is_empty());
    let on_axis = lines.filter(|(_, line)| analysis.axis.extent(line).is_some());
    let listed = |(number, line)| {
        // Each maximum of rates reads the whole line. A sampler has few counters; a damaged file may have many.
        let is_sampled = counters::counters(plane, line).nth(MAX_SAMPLED).is_none();
        counters::counters(plane, line).map(move |(name, max)| {
            let times = analysis.axis.times(line).filter(|_| is_sampled && counters::is_amount(profile, name));
            let max = times.map_or(max, |times| counters::values(plane, line, times, name, (0, true)).whole().max);
            let track = SeriesTrack {
                id: SeriesRef::default(),
                name: title(profile, name),
                unit: unit(profile, name),
                is_estimated: false,
                max: Some(max).filter(|max| !max.is_nan()),
                about: about(profile, name),
            };
            (SeriesSource::Counter { plane: index, line: number, name }, track)
        })
    };
    on_axis.flat_map(listed).collect()
}

/// Describes the bytes in use of an allocator. `has_device` is whether its series is among those of its device.
fn allocator_track(profile: &Profile, allocator: AllocatorKey, has_device: bool, max: f64) -> SeriesTrack {
    let name = allocator.name.map(|name| profile.text(name).to_owned());
    let device = allocator.ordinal.filter(|_| !has_device).map(|ordinal| format!("device {ordinal}"));
    let parts = ["Bytes in use".to_owned()].into_iter().chain(name).chain(device);
    SeriesTrack {
        id: SeriesRef::default(),
        name: parts.collect::<Vec<_>>().join(", "),
        unit: SeriesUnit::Bytes,
        is_estimated: true,
        max: Some(max),
        about:
            "The bytes that the allocator has reserved for programs and allocated for arrays, after each of its events."
                .to_owned(),
    }
}

/// Describes a rate of a device. `bytes` is the name of the rate of bytes.
fn rate_track(rate: Rate, bytes: &str) -> SeriesTrack {
    let (name, unit, about) = match rate {
        Rate::CollectivesInFlight => (
            "Collectives in flight",
            SeriesUnit::Count,
            "The number of collectives that have started and not ended, including synchronous ones.",
        ),
        Rate::CopiesInFlight => (
            "Copies in flight",
            SeriesUnit::Count,
            "The number of asynchronous copies between memories that have started and not ended.",
        ),
        Rate::Flops => (
            "FLOP/s",
            SeriesUnit::FlopsPerSecond,
            "The FLOPs of each op by its cost estimate, divided by its self time; there is no value while only ops without a \
             cost run. The lane ends at the peak of the device: a higher value comes from an estimate that is too high.",
        ),
        Rate::HbmBytes => (
            bytes,
            SeriesUnit::BytesPerSecond,
            "The bytes of memory of each op by its cost estimate, divided by its self time, or by its time in flight if it is \
             asynchronous; there is no value while only ops without a cost run. The lane ends at the bandwidth of the device: a \
             higher value comes from bytes that a cache served. “Bytes accessed” also counts bytes of on-chip memory, because \
             the capture does not divide bytes by memory; its lane ends at the highest value.",
        ),
    };
    let (name, about) = (name.to_owned(), about.to_owned());
    SeriesTrack { id: SeriesRef::default(), name, unit, is_estimated: true, max: None, about }
}

impl SeriesSource {
    /// Reads the values of the series. `end` is the end of the session. `None` if its line is not on the axis.
    pub fn read(&self, profile: &Profile, analysis: &Analysis, core: &mut LastCore, end: u64) -> Option<StepFunction> {
        Some(match *self {
            Self::Counter { plane, line, name } => {
                let plane = profile.planes.get(plane)?;
                let line = plane.lines.get(line)?;
                let times = analysis.axis.times(line)?;
                counters::values(plane, line, times, name, (end, counters::is_amount(profile, name)))
            }
            Self::BytesInUse { plane, allocator } => {
                allocators::bytes_in_use(profile.planes.get(plane)?, analysis.axis, allocator, end)
            }
            Self::Rate { device, rate } => core.device_rate(profile, analysis, device, rate),
        })
    }

    /// Returns the peak of the device in the unit of the series: the highest one of all precisions, or that of HBM. `None` if it is
    /// unknown, or if the series has none.
    pub fn peak(&self, profile: &Profile, analysis: &Analysis) -> Option<f64> {
        let Self::Rate { device, rate } = *self else { return None };
        let peaks = || analysis.device_peaks(profile, device, &PeakChoice::default());
        match rate {
            Rate::CollectivesInFlight | Rate::CopiesInFlight => None,
            Rate::Flops => {
                let peaks = peaks();
                Precision::ALL.iter().filter_map(|precision| peaks.flops(*precision)).max_by(f64::total_cmp)
            }
            Rate::HbmBytes => peaks().bytes(Level::Hbm).filter(|_| has_main_memory_bytes(profile, analysis, device)),
        }
    }
}
