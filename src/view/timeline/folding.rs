//! This module unfolds and folds the groups of tracks, and brings the tracks that a link is about into sight.

use super::model::TimelineModel;
use crate::analysis::timeline::LineRef;
use crate::chart::timeline::BandKind;
use crate::chart::timeline::sight::ScrollTarget;
use crate::protocol::url::timeline::TimelineRows;
use crate::view::state::toggle;
use leptos::prelude::*;

impl TimelineModel {
    /// Returns the groups that are unfolded.
    fn unfolded(self) -> Vec<u32> {
        self.layout.with_untracked(|layout| {
            let heads = layout.as_ref().map(|layout| layout.bands().to_vec()).unwrap_or_default();
            let is_open = |kind| matches!(kind, BandKind::Head { is_open: true, .. });
            heads.into_iter().filter(|band| is_open(band.kind)).map(|band| band.group).collect()
        })
    }

    /// Unfolds or folds a group.
    pub(super) fn fold(self, group: u32) {
        let mut open = self.unfolded();
        toggle(&mut open, group);
        open.sort_unstable();
        self.change(|view_state| view_state.open = Some(open));
    }

    /// Shows all threads of a group, or only the first ones.
    pub(super) fn show_all(self, group: u32) {
        self.change(|view_state| toggle(&mut view_state.all, group));
    }

    /// Unfolds the group of a line, and shows all of its threads if the line is not among the first ones.
    pub(super) fn unfold(self, line: LineRef) {
        let group = self.timeline.with_untracked(|timeline| {
            let groups = &timeline.as_ref()?.groups;
            let index = groups.iter().position(|group| group.tracks.iter().any(|track| track.line == line))?;
            u32::try_from(index).ok()
        });
        let Some(group) = group else { return };
        if !self.unfolded().contains(&group) {
            self.fold(group);
        }
        let is_shown = || {
            self.layout.with_untracked(|layout| {
                let is_line = |band: &crate::chart::timeline::Band| band.line() == Some(line);
                layout.as_ref().is_some_and(|layout| layout.bands().iter().any(is_line))
            })
        };
        if !is_shown() {
            self.show_all(group);
        }
    }

    /// Brings the tracks of the selected range into sight: the ops of its device, or its idle time and a thread of its host.
    pub(super) fn bring_range_into_sight(self) {
        let (range, rows) = self.view_state.with_untracked(|view_state| (view_state.range, view_state.rows));
        let device = untrack(|| self.device()).filter(|_| range.is_some());
        self.sight.set(device.map(|device| match rows {
            TimelineRows::Idle => ScrollTarget::Idle(device),
            TimelineRows::Sums | TimelineRows::Events | TimelineRows::Hits => ScrollTarget::Ops(device),
        }));
    }
}
