//! This module reads and writes the state of the timeline in the address: the visible part, the range whose sums are shown,
//! the measured time, the groups that are unfolded, the pinned tracks, the search, the rows, and the selected event. The state
//! is one value of the address, which only this view reads. Times are displayed times: if the clocks of hosts are aligned, an address
//! with a time has the same meaning for everyone, because the offsets follow from the files.
//!
//! ```text
//!  part:100-2000;range:500-900;open:0,3;all:4;pins:0-2,idle-0;by:op;find:fusion;event:0-2-17
//! ```
//!
//! Only values that differ from the default are written. Names are added, and never renamed. A value that cannot be
//! parsed is an error. An unknown name is skipped, because a later build may have added it.

use super::params::{Pairs, each_pair};
use crate::analysis::base::GroupBy;
use crate::analysis::timeline::{LineRef, TrackId, event_key, parse_event_key};
use crate::table::filter::{FilterField, TextFilter};
use std::fmt;
use std::str::FromStr;
use xla_profile::keyed_enum;

keyed_enum! {
    /// The rows below the tracks.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum TimelineRows {
        /// Sums over the range.
        #[default]
        Sums = "sums": "Sums",
        /// The idle gaps of the range, by what the device waited for.
        Idle = "idle": "Idle",
        /// The events of the range.
        Events = "events": "Events",
        /// The events that the search found.
        Hits = "hits": "Hits",
    }
}

/// The state of the timeline. Times are displayed times, in ps on the axis of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineViewState {
    /// The visible part. `None` shows the step of the page, or with `shows_all` the whole capture.
    pub part: Option<(u64, u64)>,
    /// Whether the whole capture is visible, if there is no `part`.
    pub shows_all: bool,
    /// The range whose sums are shown. `None` shows the sums of the visible part.
    pub range: Option<(u64, u64)>,
    pub measure: Option<(u64, u64)>,
    /// The groups that are unfolded, by their index. `None` unfolds the first device and the first host.
    pub open: Option<Vec<u32>>,
    /// The groups whose threads are all shown.
    pub all: Vec<u32>,
    /// The tracks above all others, in their order.
    pub pins: Vec<TrackId>,
    /// Whether the clocks of hosts are aligned. `None` aligns them if they are known to differ.
    pub is_aligned: Option<bool>,
    /// Whether the links of all events are drawn, and not only those of the selected one.
    pub has_flows: bool,
    /// The rows below the tracks.
    pub rows: TimelineRows,
    /// The grouping of the sums.
    pub by: GroupBy,
    /// The text that is searched, and where.
    pub find: TextFilter,
    /// The selected event: its line, and its index in the line.
    pub event: Option<(LineRef, u32)>,
}

impl Default for TimelineViewState {
    fn default() -> Self {
        Self {
            part: None,
            shows_all: false,
            range: None,
            measure: None,
            open: None,
            all: Vec::new(),
            pins: Vec::new(),
            is_aligned: None,
            has_flows: false,
            rows: TimelineRows::Sums,
            by: GroupBy::Kind,
            find: TextFilter::default(),
            event: None,
        }
    }
}

fn list(items: &[u32]) -> String {
    items.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

impl fmt::Display for TimelineViewState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |(from, to): (u64, u64)| format!("{from}-{to}");
        let mut pairs = Pairs::new(f);
        pairs.write_if_some("part", self.part.map(span).or(self.shows_all.then(|| "all".to_owned())))?;
        pairs.write_if_some("range", self.range.map(span))?;
        pairs.write_if_some("measure", self.measure.map(span))?;
        pairs.write_if_some("open", self.open.as_ref().map(|open| list(open)))?;
        pairs.write_unless_default(self.all.is_empty(), "all", list(&self.all))?;
        let pins: Vec<String> = self.pins.iter().map(|pin| pin.key()).collect();
        pairs.write_unless_default(pins.is_empty(), "pins", pins.join(","))?;
        pairs.write_if_some("align", self.is_aligned.map(|is_aligned| if is_aligned { "on" } else { "off" }))?;
        pairs.write_unless_default(!self.has_flows, "flows", "all")?;
        pairs.write_unless_default(self.rows == TimelineRows::Sums, "rows", self.rows.key())?;
        pairs.write_unless_default(self.by == GroupBy::Kind, "by", self.by.key())?;
        // A semicolon would end the value.
        let find = self.find.text.replace('%', "%25").replace(';', "%3B");
        pairs.write_unless_default(find.is_empty(), "find", &find)?;
        pairs.write_unless_default(self.find.within == FilterField::Leaf, "within", self.find.within.key())?;
        pairs.write_unless_default(!self.find.regex, "regex", "1")?;
        pairs.write_if_some("event", self.event.map(|(line, event)| event_key(line, event)))
    }
}

impl FromStr for TimelineViewState {
    /// The pair of name and value that cannot be parsed.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut state = Self::default();
        each_pair(text, |name, value| state.apply(name, value))?;
        Ok(state)
    }
}

impl TimelineViewState {
    fn apply(&mut self, name: &str, value: &str) -> Option<()> {
        let span = || {
            let (from, to) = value.split_once('-')?;
            let (from, to) = (from.parse().ok()?, to.parse().ok()?);
            (from < to).then_some((from, to))
        };
        let numbers = || -> Option<Vec<u32>> {
            value.split(',').filter(|item| !item.is_empty()).map(|item| item.parse().ok()).collect()
        };
        match name {
            "part" if value == "all" => (self.part, self.shows_all) = (None, true),
            "part" => self.part = Some(span()?),
            "range" => self.range = Some(span()?),
            "measure" => self.measure = Some(span()?),
            "open" => self.open = Some(numbers()?),
            "all" => self.all = numbers()?,
            "pins" => self.pins = value.split(',').map(TrackId::parse).collect::<Option<_>>()?,
            "align" => self.is_aligned = Some(["off", "on"].iter().position(|name| *name == value)? == 1),
            "flows" => self.has_flows = value == "all",
            "rows" => self.rows = TimelineRows::from_key(value)?,
            "by" => self.by = GroupBy::from_key(value)?,
            "find" => self.find.text = value.replace("%3B", ";").replace("%25", "%"),
            "within" => self.find.within = FilterField::from_key(value)?,
            "regex" => self.find.regex = value == "1",
            "event" => self.event = Some(parse_event_key(value)?),
            _ => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::timeline::SeriesRef;

    #[test]
    fn the_state_comes_back() {
        let full = TimelineViewState {
            part: Some((0, u64::MAX)),
            shows_all: false,
            range: Some((5, 6)),
            measure: Some((7, 9)),
            open: Some(vec![0, 3]),
            all: vec![4],
            pins: vec![
                TrackId::Idle(2),
                TrackId::Line(LineRef { plane: 3, line: 4 }),
                TrackId::Series(SeriesRef { group: 0, series: 5 }),
            ],
            is_aligned: Some(false),
            has_flows: true,
            rows: TimelineRows::Idle,
            by: GroupBy::Op,
            find: TextFilter { text: "a;b:c, d".to_owned(), within: FilterField::Anywhere, regex: true },
            event: Some((LineRef { plane: 1, line: 2 }, 17)),
        };
        let whole = TimelineViewState { shows_all: true, ..Default::default() };
        assert_eq!(whole.to_string(), "part:all");
        let none_open = TimelineViewState { open: Some(Vec::new()), ..Default::default() };
        for state in [full, whole, TimelineViewState::default(), none_open] {
            assert_eq!(state.to_string().parse(), Ok(state));
        }
        assert_eq!(TimelineViewState::default().to_string(), "");
    }

    #[test]
    fn wrong_values_are_errors_and_unknown_names_are_skipped() {
        for wrong in [
            "part:5",
            "part:6-5",
            "range:a-b",
            "open:x",
            "by:nothing",
            "event:1-2",
            "pins:a",
            "align:x",
            "rows:x",
            "within:y",
        ] {
            assert_eq!(wrong.parse::<TimelineViewState>(), Err(wrong.to_owned()));
        }
        assert_eq!("later:1".parse(), Ok(TimelineViewState::default()));
    }
}
