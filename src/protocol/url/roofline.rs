//! This module reads and writes the state of the roofline view in the address: the grouping and the order of the rows,
//! the axis of the chart, and the peaks and costs that the user entered. The state is one value of the address, which
//! only this view reads.
//!
//! ```text
//!  by:source;sort:-total_dur_ps;x:vmem_read;prefer:published;chip:TPU v5p;peak:bf16:229500000000000;hbm:1382500000000;
//!  cost:splash*:1200000000000:3000000000;useful:128:2048:6000000000:8
//! ```
//!
//! Only values that differ from the default are written. Names are added, and never renamed. Peaks are in FLOP/s and
//! bytes per second, costs in FLOPs and bytes, all as plain numbers. A value that cannot be parsed is an error. An
//! unknown name is skipped, because a later build may have added it.

use super::params::{Pairs, decode_text, each_pair, encode_text};
use crate::analysis::base::{GroupBy, Query};
use crate::analysis::roofline::{KernelCost, Level, PeakChoice, PeakSource, Precision, RooflineQuery, UsefulFlops};
use crate::table::page::SortBy;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use xla_profile::keyed_enum;

keyed_enum! {
    /// The items that rows and points stand for.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum RoofBy {
        #[default]
        Op = "op": "Ops",
        Source = "source": "Sources",
        Program = "program": "Programs",
        Step = "step": "Steps",
    }
}

impl RoofBy {
    /// Returns the grouping of the query. Every answer also holds the steps, so steps need no grouping of their own.
    pub const fn group_by(self) -> GroupBy {
        match self {
            Self::Op | Self::Step => GroupBy::Op,
            Self::Source => GroupBy::Source,
            Self::Program => GroupBy::Program,
        }
    }
}

/// The state of the roofline view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RooflineViewState {
    /// Grouping of the rows.
    pub by: RoofBy,
    /// Order of the rows. `None` stands for the order that the table has by default.
    pub sort: Option<SortBy>,
    /// The memory whose bytes the x axis of the chart counts.
    pub x: Level,
    pub peaks: PeakChoice,
    /// Costs of kernels that the user entered.
    pub costs: Vec<KernelCost>,
    /// FLOPs that a step has to compute. `None` if the user did not enter them.
    pub useful: Option<UsefulFlops>,
}

impl RooflineViewState {
    /// Returns the roofline query for `query` with the peaks, costs and useful FLOPs of this state.
    pub fn to_query(self, query: Query) -> RooflineQuery {
        RooflineQuery { query, peaks: self.peaks, costs: self.costs, useful: self.useful, ..RooflineQuery::default() }
    }
}

impl fmt::Display for RooflineViewState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::default();
        let mut pairs = Pairs::new(f);
        pairs.write_unless_default(self.by == usual.by, "by", self.by.key())?;
        pairs.write_if_some("sort", self.sort.as_ref())?;
        pairs.write_unless_default(self.x == usual.x, "x", self.x.key())?;
        pairs.write_unless_default(self.peaks.prefer != PeakSource::Published, "prefer", "published")?;
        pairs.write_if_some("chip", self.peaks.chip.as_deref().map(encode_text))?;
        for (precision, flops) in &self.peaks.flops {
            pairs.write_pair("peak", format_args!("{}:{flops}", precision.key()))?;
        }
        pairs.write_if_some("hbm", self.peaks.hbm_bytes)?;
        for cost in &self.costs {
            pairs.write_pair("cost", format_args!("{}:{}:{}", encode_text(&cost.pattern), cost.flops, cost.bytes))?;
        }
        if let Some(UsefulFlops { batch, sequence, flops_per_token, devices }) = self.useful {
            let devices = devices.map_or_else(String::new, |n| format!(":{n}"));
            pairs.write_pair("useful", format_args!("{batch}:{sequence}:{flops_per_token}{devices}"))?;
        }
        Ok(())
    }
}

impl FromStr for RooflineViewState {
    /// The pair of name and value that cannot be parsed.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut state = Self::default();
        each_pair(text, |name, value| state.apply(name, value)).map(|()| state)
    }
}

impl RooflineViewState {
    fn apply(&mut self, name: &str, value: &str) -> Option<()> {
        let mut parts = value.split(':');
        match name {
            "by" => self.by = RoofBy::from_key(value)?,
            "sort" => self.sort = Some(value.parse().ok()?),
            "x" => self.x = Level::from_key(value)?,
            "prefer" if value == "published" => self.peaks.prefer = PeakSource::Published,
            "prefer" => return None,
            "chip" => self.peaks.chip = Some(decode_text(value)?),
            "peak" => {
                let key = parts.next()?;
                let precision = Precision::from_key(key)?;
                self.peaks.flops.push((precision, positive(parts.next()?)?));
            }
            "hbm" => self.peaks.hbm_bytes = Some(positive(value)?),
            "cost" => {
                let (pattern, flops, bytes) =
                    (decode_text(parts.next()?)?, amount(parts.next()?)?, amount(parts.next()?)?);
                self.costs.push(KernelCost { pattern, flops, bytes });
            }
            "useful" => {
                let mut number = || positive(parts.next()?);
                let (batch, sequence, flops_per_token) = (number()?, number()?, number()?);
                let devices = parts.next().map(str::parse).transpose().ok()?;
                self.useful = Some(UsefulFlops { batch, sequence, flops_per_token, devices });
            }
            // A later build may have added the name.
            _ => {}
        }
        Some(())
    }
}

/// Parses a finite number that is not negative.
fn amount(text: &str) -> Option<f64> {
    text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0)
}

/// Parses a finite number above zero.
fn positive(text: &str) -> Option<f64> {
    amount(text).filter(|n| *n > 0.0)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::table::text::escape_page_text;
    use proptest::prelude::*;

    #[test]
    fn defaults_are_omitted_and_old_addresses_parse() {
        assert_eq!(RooflineViewState::default().to_string(), "");
        assert_eq!("".parse(), Ok(RooflineViewState::default()));
        let one: RooflineViewState =
            "by:source;sort:-total_dur_ps;x:vmem_read;prefer:published;chip:TPU v5p;peak:bf16:229500000000000;\
            hbm:1382500000000;cost:splash*:1200000000000:3e9;useful:128:2048:6e9:8;later:1"
                .parse()
                .unwrap();
        assert_eq!((one.by, one.sort), (RoofBy::Source, Some(SortBy::new("total_dur_ps", true))));
        assert_eq!((one.x, one.peaks.prefer), (Level::VmemRead, PeakSource::Published));
        assert_eq!(one.peaks.flops, [(Precision::Bf16, 229.5e12)]);
        assert_eq!((&*one.costs[0].pattern, one.costs[0].bytes), ("splash*", 3e9));
        assert_eq!(one.useful.and_then(|useful| useful.devices), Some(8));
    }

    #[test]
    fn invalid_parameters_are_refused_by_name() {
        for bad in
            ["by:kind", "sort:-", "peak:bf16:-1", "hbm:inf", "cost:a:1", "useful:1:2", "prefer:x", "x:sram", "chip:%ff"]
        {
            assert_eq!(bad.parse::<RooflineViewState>(), Err(bad.to_owned()), "{bad}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        any::<String>().prop_map(|text| escape_page_text(&text).into_owned())
    }

    fn states() -> impl Strategy<Value = RooflineViewState> {
        let numbers = 1e-3f64..1e18;
        let useful = (numbers.clone(), numbers.clone(), numbers.clone(), any::<Option<u32>>());
        let costs = prop::collection::vec((text(), numbers.clone(), numbers.clone()), 0..3);
        let peaks = (
            any::<bool>(),
            prop::option::of(text()),
            prop::collection::vec((0..7usize, numbers.clone()), 0..3),
            prop::option::of(numbers),
        );
        let plain = (0..4usize, prop::option::of(("[a-z_]{1,9}", any::<bool>())), 0..5usize);
        (plain, peaks, costs, prop::option::of(useful)).prop_map(|((by, sort, x), peaks, costs, useful)| {
            let (published, chip, flops, hbm_bytes) = peaks;
            let prefer = if published { PeakSource::Published } else { PeakSource::Profile };
            RooflineViewState {
                by: RoofBy::ALL[by],
                sort: sort.map(|(column, descending)| SortBy { column, descending }),
                x: Level::ALL[x],
                peaks: PeakChoice {
                    prefer,
                    chip,
                    flops: flops.into_iter().map(|(index, value)| (Precision::ALL[index], value)).collect(),
                    hbm_bytes,
                },
                costs: costs.into_iter().map(|(pattern, flops, bytes)| KernelCost { pattern, flops, bytes }).collect(),
                useful: useful.map(|(batch, sequence, flops_per_token, devices)| UsefulFlops {
                    batch,
                    sequence,
                    flops_per_token,
                    devices,
                }),
            }
        })
    }

    proptest! {
        #[test]
        fn written_values_round_trip(state in states()) {
            prop_assert_eq!(state.to_string().parse::<RooflineViewState>(), Ok(state));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = text.parse::<RooflineViewState>();
        }
    }
}
