//! This module defines what the timeline reports about values over time. All times are displayed
//! times, in ps on the axis of the session.

use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// The place of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeriesRef {
    /// Index of the group in [`Timeline::groups`](super::super::Timeline::groups).
    pub group: u32,
    /// Index of the series in [`TrackGroup::series`](super::super::TrackGroup::series).
    pub series: u32,
}

/// A value over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesTrack {
    pub id: SeriesRef,
    pub name: String,
    pub unit: SeriesUnit,
    /// Whether the values are derived from events, and not recorded as a counter.
    pub is_estimated: bool,
    /// The greatest value. `None` if it is computed with the first picture; see [`SeriesPicture::top`].
    pub max: Option<f64>,
    /// One sentence on the source and the meaning of the values.
    pub about: String,
}

/// The unit of the values of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SeriesUnit {
    /// From 0 to 100.
    Percent,
    Bytes,
    Count,
    FlopsPerSecond,
    BytesPerSecond,
    /// The unit is unknown.
    #[default]
    Value,
}

/// The picture of a series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesPicture {
    pub id: SeriesRef,
    /// The value at the top of its lane: the greatest value of the whole series or, if that is more than the peak of the
    /// device, the peak; 0 if the series has no values.
    pub top: f64,
    /// Minimum, maximum and mean of each column as three little-endian `f32`; NaN where there is no value. The mean is
    /// weighted by time. [`SeriesPicture::read`] decodes the bytes.
    #[serde(with = "serde_bytes")]
    pub columns: Vec<u8>,
}

/// A column of a series. Each value is NaN if the series has none in the column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesColumn {
    pub min: f32,
    pub max: f32,
    /// ∫ value dt ÷ covered time.
    pub mean: f32,
}

impl SeriesPicture {
    /// Iterates over the columns. Bytes that are cut end the iteration.
    pub fn read(&self) -> impl Iterator<Item = SeriesColumn> + '_ {
        let (columns, _) = self.columns.as_chunks::<12>();
        columns.iter().map(|bytes| {
            let [a, b, c, d, e, f, g, h, i, j, k, l] = *bytes;
            let [min, max, mean] = [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(f32::from_le_bytes);
            SeriesColumn { min, max, mean }
        })
    }

    /// Appends a column.
    pub(super) fn push(&mut self, column: SeriesColumn) {
        let SeriesColumn { min, max, mean } = column;
        self.columns.extend([min, max, mean].into_iter().flat_map(f32::to_le_bytes));
    }
}

/// The values of a series in a range of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesRange {
    pub id: SeriesRef,
    pub start: Picos,
    pub end: Picos,
    /// ∫ value dt ÷ covered time. `None` if no time is covered.
    pub mean: Option<f64>,
    /// `None` if the range has no value.
    pub min: Option<f64>,
    /// `None` if the range has no value.
    pub max: Option<f64>,
    /// The part of the range in which the series has a value.
    pub covered: Picos,
    /// `covered` ÷ the length of the range; 0 for an empty range.
    pub covered_share: f64,
}
