//! This module reads and writes the state of the timeline in the address: the visible part, the range whose sums are shown,
//! the groups that are unfolded, the search, and the selected event. The state is one value of the address, which only this
//! view reads.
//!
//! ```text
//!  part:100-2000;range:500-900;open:0,3;all:4;by:op;find:fusion;event:0-2-17
//! ```
//!
//! Only values that differ from the default are written. Names are added, and never renamed. A value that cannot be
//! parsed is an error. An unknown name is skipped, because a later build may have added it.

use super::params::{Pairs, each_pair};
use crate::analysis::base::GroupBy;
use crate::analysis::timeline::{LineRef, event_key, parse_event_key};
use std::fmt;
use std::str::FromStr;

/// The state of the timeline. Times are in ps on the axis of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineViewState {
    /// The visible part. `None` shows the whole capture.
    pub part: Option<(u64, u64)>,
    /// The range whose sums are shown. `None` shows the sums of the visible part.
    pub range: Option<(u64, u64)>,
    /// The groups that are unfolded, by their index. `None` unfolds the first device and the first host.
    pub open: Option<Vec<u32>>,
    /// The groups whose threads are all shown.
    pub all: Vec<u32>,
    /// The grouping of the sums.
    pub by: GroupBy,
    /// The text that is searched.
    pub find: String,
    /// The selected event: its line, and its index in the line.
    pub event: Option<(LineRef, u32)>,
}

impl Default for TimelineViewState {
    fn default() -> Self {
        Self {
            part: None,
            range: None,
            open: None,
            all: Vec::new(),
            by: GroupBy::Kind,
            find: String::new(),
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
        pairs.write_if_some("part", self.part.map(span))?;
        pairs.write_if_some("range", self.range.map(span))?;
        pairs.write_if_some("open", self.open.as_ref().map(|open| list(open)))?;
        pairs.write_unless_default(self.all.is_empty(), "all", list(&self.all))?;
        pairs.write_unless_default(self.by == GroupBy::Kind, "by", self.by.key())?;
        // A semicolon would end the value.
        let find = self.find.replace('%', "%25").replace(';', "%3B");
        pairs.write_unless_default(find.is_empty(), "find", &find)?;
        pairs.write_if_some("event", self.event.map(|(line, event)| event_key(line, event)))
    }
}

impl FromStr for TimelineViewState {
    /// The pair of name and value that cannot be parsed.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut place = Self::default();
        each_pair(text, |name, value| place.take(name, value))?;
        Ok(place)
    }
}

impl TimelineViewState {
    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        let span = || {
            let (from, to) = value.split_once('-')?;
            let (from, to) = (from.parse().ok()?, to.parse().ok()?);
            (from < to).then_some((from, to))
        };
        let numbers = || -> Option<Vec<u32>> {
            value.split(',').filter(|item| !item.is_empty()).map(|item| item.parse().ok()).collect()
        };
        match name {
            "part" => self.part = Some(span()?),
            "range" => self.range = Some(span()?),
            "open" => self.open = Some(numbers()?),
            "all" => self.all = numbers()?,
            "by" => self.by = GroupBy::ALL.into_iter().find(|by| by.key() == value)?,
            "find" => self.find = value.replace("%3B", ";").replace("%25", "%"),
            "event" => self.event = Some(parse_event_key(value)?),
            _ => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_comes_back() {
        let full = TimelineViewState {
            part: Some((0, u64::MAX)),
            range: Some((5, 6)),
            open: Some(vec![0, 3]),
            all: vec![4],
            by: GroupBy::Op,
            find: "a;b:c, d".to_owned(),
            event: Some((LineRef { plane: 1, line: 2 }, 17)),
        };
        for state in
            [full, TimelineViewState::default(), TimelineViewState { open: Some(Vec::new()), ..Default::default() }]
        {
            assert_eq!(state.to_string().parse(), Ok(state));
        }
        assert_eq!(TimelineViewState::default().to_string(), "");
    }

    #[test]
    fn wrong_values_are_errors_and_unknown_names_are_skipped() {
        for wrong in ["part:5", "part:6-5", "range:a-b", "open:x", "by:nothing", "event:1-2"] {
            assert_eq!(wrong.parse::<TimelineViewState>(), Err(wrong.to_owned()));
        }
        assert_eq!("later:1".parse(), Ok(TimelineViewState::default()));
    }
}
