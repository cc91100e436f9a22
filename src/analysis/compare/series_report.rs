//! This module defines what a comparison of many captures reports. It is plain data and does not depend on the analysis.

use super::report::{CompareUnit, SideHead, Verdict};
use crate::analysis::overview::{Figure, Unit};
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The order of the captures of a series.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum SeriesOrder {
        /// By the time at which the profile was started, as the capture records it; by name if a capture does not.
        #[default]
        Time = "time",
        /// By the names of the files.
        Name = "name",
    }
}

/// The capture with which all others are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesBase {
    #[default]
    First,
    /// The capture whose median step is the median of all captures.
    Median,
    /// The capture with this number in the series, counted from 1.
    Number(u32),
}

/// A capture of a series, before it is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesPoint {
    pub head: SideHead,
    /// When the profile was started, in ns since 1970. `None` if the capture does not record it.
    pub start_ns: Option<u64>,
    /// The figures of its overview.
    pub figures: Vec<Figure>,
}

/// The comparison of many captures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// In the order of the series.
    pub captures: Vec<SeriesCapture>,
    pub order: SeriesOrder,
    /// Index of the capture with which all others are compared.
    pub base: u32,
    pub unit: CompareUnit,
    /// First the time, then the figures of the overview that a capture has.
    pub figures: Vec<FigureSeries>,
}

/// A capture of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesCapture {
    /// Its place among the captures as they were given.
    pub position: u32,
    pub head: SideHead,
    /// When the profile was started, in ns since 1970. `None` if the capture does not record it.
    pub start_ns: Option<u64>,
    /// Median of the steps in ps per unit. `None` without steps.
    pub median: Option<f64>,
    /// Change of the median as a share of that of the base.
    pub change: Option<f64>,
    /// The verdict on the difference from the base.
    pub verdict: Verdict,
}

/// A figure of all captures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureSeries {
    /// `period`, or the name in the overview.
    pub name: String,
    pub unit: Unit,
    /// In the order of the series. `None` if a capture does not have the figure.
    pub values: Vec<Option<f64>>,
    /// The largest usual difference of neighbours. `None` with fewer than 8 values.
    pub fence: Option<f64>,
    /// The difference beyond which the figure has changed: the fence, else the band. `None` without values.
    pub limit: Option<f64>,
    pub changes: Vec<ChangePoint>,
}

/// A place where a figure changes for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangePoint {
    /// Index of the first capture after the change.
    pub first_after: u32,
    /// Median of the three values before and after it.
    pub before: f64,
    pub after: f64,
}
