//! This module shows what a finding or a gap points at: a time in the timeline, a step, or a device.

use super::{Opened, State};
use crate::analysis::base::{DeviceChoice, Filter, GroupBy, StepChoice, TimeRange};
use crate::chart::overview::FindingLink;
use crate::chart::timeline::DeviceTime;
use crate::chart::timeline::sight::groups_about;
use crate::protocol::requests;
use crate::protocol::url::View;
use crate::protocol::url::timeline::{TimelineRows, TimelineViewState};
use leptos::prelude::*;

impl State {
    /// Selects a time of a device as the range of the timeline, and opens the timeline there, with the tracks of the device and
    /// of its host, and with these rows. `part` is the visible part; `None` is the time with a margin of half its length on both sides.
    ///
    /// The timeline may display the time elsewhere than on the event clock, if the session has several hosts.
    pub(crate) fn show_in_timeline(self, time: DeviceTime, part: Option<TimeRange>, rows: TimelineRows) {
        let mut place = self.views.with_untracked(|views| views.timeline.clone());
        let request = requests::Tracks { is_aligned: place.is_aligned, step: None };
        self.request_answer(request, move |answer| {
            if let Some(timeline) = self.shown(answer) {
                let group = timeline.groups.iter().position(|group| group.name == time.device);
                // What the host did explains what the device waited for.
                for index in group.map_or_else(Vec::new, |index| groups_about(&timeline, index)) {
                    let open = place.open.get_or_insert_default();
                    if !open.contains(&index) {
                        open.push(index);
                    }
                }
                if let Some(device) = self.device_at(&time.device) {
                    self.choose_device(device);
                }
                // The sums are those of the device of the selected event, if there is one.
                place.event = None;
                let by = group.map_or(0, |index| timeline.offset(&timeline.groups[index]));
                if let Some(range) = time.range.moved(by) {
                    self.open_timeline(place, range, part.and_then(|part| part.moved(by)), rows);
                }
            }
        });
    }

    /// Opens the timeline at a displayed range.
    fn open_timeline(
        self,
        mut place: TimelineViewState,
        range: TimeRange,
        part: Option<TimeRange>,
        rows: TimelineRows,
    ) {
        let (start, end) = (range.start.0, range.end.0);
        let margin = (range.length().0 / 2).max(1);
        let around = (start.saturating_sub(margin), end.saturating_add(margin));
        place.part = Some(part.map_or(around, |part| (part.start.0, part.end.0)));
        place.range = Some((start, end));
        place.rows = rows;
        self.change_views(|views| views.timeline = place);
        self.view.set(View::Timeline);
    }

    /// Shows one step of a device in the breakdown. An unknown device leaves the choice of the device as it is.
    pub(crate) fn show_step(self, device: &str, number: u64) {
        let device = self.device_at(device).unwrap_or_else(|| self.query.with_untracked(|query| query.device));
        self.choose_window(device, StepChoice::Number(number));
        self.view.set(View::Breakdown);
    }

    /// Shows a device in the breakdown. An unknown device changes nothing.
    pub(crate) fn show_device(self, device: &str) {
        if let Some(device) = self.device_at(device) {
            self.choose_device(device);
            self.view.set(View::Breakdown);
        }
    }

    /// Shows what a finding is about: a view with the device of the overview and the same steps, and with the ops of the finding
    /// alone. A report has neither another device nor all ops.
    pub(crate) fn show_finding(self, link: &FindingLink) {
        if untrack(|| self.summary()).is_none() {
            let device = self.device_at(&link.device);
            let is_of_ops = matches!(link.view, View::Breakdown | View::Roofline);
            if is_of_ops || link.view == View::Communication {
                self.choose(|query| {
                    query.device = device.unwrap_or(query.device);
                    if is_of_ops {
                        query.by = GroupBy::Op;
                        query.filter = Filter { kind: link.kind, ops: link.ops.clone(), ..Filter::default() };
                    }
                });
            }
            if is_of_ops {
                self.zoom.set(String::new());
            }
            if link.view == View::Communication {
                self.comm_filter.set(link.collectives.clone());
            }
        }
        self.view.set(link.view);
    }

    /// Shows the device of the overview in all views.
    pub(crate) fn show_judged_device(self) {
        let device = self.judged_device.with_untracked(|label| self.device_at(label));
        if let Some(device) = device {
            self.choose_device(device);
        }
    }

    /// Returns the device with this label.
    fn device_at(self, label: &str) -> Option<DeviceChoice> {
        let place = |opened: &Opened| opened.session.devices.iter().position(|device| device.label == label);
        let index = self.opened.with_untracked(|opened| opened.as_ref().and_then(|opened| place(opened)))?;
        u32::try_from(index).ok().map(DeviceChoice::One)
    }
}
