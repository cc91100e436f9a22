//! What the address says of the roofline: the grouping of rows, their order, the chart's axis, and what the user knows
//! better than the capture. One value of the address, which only this view reads.
//!
//! ```text
//!  by:source;sort:-total_dur_ps;x:vmem_read;prefer:published;chip:TPU v5p;peak:bf16:229500000000000;hbm:1382500000000;
//!  cost:splash*:1200000000000:3000000000;useful:128:2048:6000000000:8
//! ```
//!
//! Only what differs from the usual is written; names are added, never renamed. FLOP/s, bytes/s, FLOP and bytes, plain
//! numbers. What is not understood is an error; names from a later build are skipped.

use super::params::{Pairs, each_pair};
use crate::analysis::base::{GroupBy, Query};
use crate::analysis::roofline::{KernelCost, Level, PeakChoice, PeakSource, Precision, RooflineQuery, UsefulFlops};
use crate::table::page::SortBy;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What rows and marks stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RoofBy {
    /// Ops.
    #[default]
    Op,
    /// Places in the source.
    Source,
    /// Programs.
    Program,
    /// Steps.
    Step,
}

impl RoofBy {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Op, Self::Source, Self::Program, Self::Step];

    /// The name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Op => "op",
            Self::Source => "source",
            Self::Program => "program",
            Self::Step => "step",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Op => "Ops",
            Self::Source => "Sources",
            Self::Program => "Programs",
            Self::Step => "Steps",
        }
    }

    /// The grouping of the query. Every answer holds the steps as well, so steps need no grouping of their own.
    pub const fn group_by(self) -> GroupBy {
        match self {
            Self::Op | Self::Step => GroupBy::Op,
            Self::Source => GroupBy::Source,
            Self::Program => GroupBy::Program,
        }
    }
}

/// All that the address says of the roofline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RooflinePlace {
    /// What rows stand for.
    pub by: RoofBy,
    /// Their order; `None`: the table's own.
    pub sort: Option<SortBy>,
    /// The memory whose bytes the chart's axis counts.
    pub x: Level,
    /// Against which peaks.
    pub peaks: PeakChoice,
    /// What kernels cost.
    pub costs: Vec<KernelCost>,
    /// What a step has to compute.
    pub useful: Option<UsefulFlops>,
}

impl RooflinePlace {
    /// What is asked of a query: with the user's peaks, costs and useful FLOPs.
    pub fn to_query(self, query: Query) -> RooflineQuery {
        RooflineQuery { query, peaks: self.peaks, costs: self.costs, useful: self.useful, ..RooflineQuery::default() }
    }
}

/// Within a value `;` and `:` are separators. The whole is escaped once more where it is written into an address.
const ESCAPED: &AsciiSet = &CONTROLS.add(b';').add(b':').add(b'%');

impl fmt::Display for RooflinePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::default();
        let text = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
        let mut pairs = Pairs::new(f);
        pairs.say_unless(self.by == usual.by, "by", self.by.key())?;
        pairs.say_some("sort", self.sort.as_ref())?;
        pairs.say_unless(self.x == usual.x, "x", self.x.key())?;
        pairs.say_unless(self.peaks.prefer != PeakSource::Published, "prefer", "published")?;
        pairs.say_some("chip", self.peaks.chip.as_deref().map(text))?;
        for (precision, flops) in &self.peaks.flops {
            pairs.write_pair("peak", format_args!("{}:{flops}", precision.key()))?;
        }
        pairs.say_some("hbm", self.peaks.hbm_bytes)?;
        for cost in &self.costs {
            pairs.write_pair("cost", format_args!("{}:{}:{}", text(&cost.pattern), cost.flops, cost.bytes))?;
        }
        if let Some(UsefulFlops { batch, sequence, flops_per_token, devices }) = self.useful {
            let devices = devices.map_or_else(String::new, |n| format!(":{n}"));
            pairs.write_pair("useful", format_args!("{batch}:{sequence}:{flops_per_token}{devices}"))?;
        }
        Ok(())
    }
}

impl FromStr for RooflinePlace {
    /// The name and value that mean nothing.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut place = Self::default();
        each_pair(text, |name, value| place.take(name, value)).map(|()| place)
    }
}

impl RooflinePlace {
    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        let text = |text: &str| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
        let mut parts = value.split(':');
        match name {
            "by" => self.by = RoofBy::ALL.into_iter().find(|by| by.key() == value)?,
            "sort" => self.sort = Some(value.parse().ok()?),
            "x" => self.x = Level::ALL.into_iter().find(|level| level.key() == value)?,
            "prefer" if value == "published" => self.peaks.prefer = PeakSource::Published,
            "prefer" => return None,
            "chip" => self.peaks.chip = Some(text(value)?),
            "peak" => {
                let key = parts.next()?;
                let precision = Precision::ALL.into_iter().find(|precision| precision.key() == key)?;
                self.peaks.flops.push((precision, positive(parts.next()?)?));
            }
            "hbm" => self.peaks.hbm_bytes = Some(positive(value)?),
            "cost" => {
                let (pattern, flops, bytes) = (text(parts.next()?)?, amount(parts.next()?)?, amount(parts.next()?)?);
                self.costs.push(KernelCost { pattern, flops, bytes });
            }
            "useful" => {
                let mut number = || positive(parts.next()?);
                let (batch, sequence, flops_per_token) = (number()?, number()?, number()?);
                let devices = parts.next().map(str::parse).transpose().ok()?;
                self.useful = Some(UsefulFlops { batch, sequence, flops_per_token, devices });
            }
            // A name that a later build knows.
            _ => {}
        }
        Some(())
    }
}

/// A finite number that is not below zero.
fn amount(text: &str) -> Option<f64> {
    text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0)
}

/// One above zero.
fn positive(text: &str) -> Option<f64> {
    amount(text).filter(|n| *n > 0.0)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_usual_says_nothing_and_what_was_written_stays_readable() {
        assert_eq!(RooflinePlace::default().to_string(), "");
        assert_eq!("".parse(), Ok(RooflinePlace::default()));
        let one: RooflinePlace =
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
    fn what_means_nothing_is_refused_and_named() {
        for bad in
            ["by:kind", "sort:-", "peak:bf16:-1", "hbm:inf", "cost:a:1", "useful:1:2", "prefer:x", "x:sram", "chip:%ff"]
        {
            assert_eq!(bad.parse::<RooflinePlace>(), Err(bad.to_owned()), "{bad}");
        }
    }

    fn places() -> impl Strategy<Value = RooflinePlace> {
        let numbers = 1e-3f64..1e18;
        let useful = (numbers.clone(), numbers.clone(), numbers.clone(), any::<Option<u32>>());
        let costs = prop::collection::vec((any::<String>(), numbers.clone(), numbers.clone()), 0..3);
        let peaks = (
            any::<bool>(),
            any::<Option<String>>(),
            prop::collection::vec((0..7usize, numbers.clone()), 0..3),
            prop::option::of(numbers),
        );
        let plain = (0..4usize, prop::option::of(("[a-z_]{1,9}", any::<bool>())), 0..5usize);
        (plain, peaks, costs, prop::option::of(useful)).prop_map(|((by, sort, x), peaks, costs, useful)| {
            let (published, chip, flops, hbm_bytes) = peaks;
            let prefer = if published { PeakSource::Published } else { PeakSource::Profile };
            RooflinePlace {
                by: RoofBy::ALL[by],
                sort: sort.map(|(column, descending)| SortBy { column, descending }),
                x: Level::ALL[x],
                peaks: PeakChoice {
                    prefer,
                    chip,
                    flops: flops.into_iter().map(|(at, value)| (Precision::ALL[at], value)).collect(),
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
        fn what_is_written_is_read_back(place in places()) {
            prop_assert_eq!(place.to_string().parse::<RooflinePlace>(), Ok(place));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = text.parse::<RooflinePlace>();
        }
    }
}
