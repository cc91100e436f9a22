//! This module opens views, and shows what a finding or a gap points at: a time in the timeline, a step, or a device.

use super::{Opened, State};
use crate::analysis::base::{DeviceChoice, Filter, GroupBy, StepChoice, TimeRange};
use crate::analysis::classify::{ModelModule, Phase};
use crate::chart::overview::FindingLink;
use crate::chart::timeline::DeviceTime;
use crate::chart::timeline::sight::groups_about;
use crate::protocol::requests;
use crate::protocol::url::View;
use crate::protocol::url::timeline::{TimelineRows, TimelineViewState};
use leptos::prelude::*;

impl State {
    /// Opens a view. It shows the device that the header names: the other views show that of the overview, too, unless
    /// the user chose a mean or a sum.
    pub(crate) fn open_view(self, view: View) {
        let named = untrack(|| self.header_device());
        if view != View::Overview && !self.has_chosen_device.get_untracked() {
            self.choose(|query| query.device = named);
            let is_early = self.judged_device.with_untracked(String::is_empty);
            if is_early && self.view.get_untracked() == View::Overview && untrack(|| self.summary().is_none()) {
                self.choose_device_of_overview();
            }
        }
        self.view.set(view);
    }

    /// Shows the device of the overview once the overview is known: the user left it before its answer came.
    fn choose_device_of_overview(self) {
        let query = untrack(|| self.overview_query());
        self.request_answer(requests::Overview(query), move |answer| {
            // If the request was withdrawn, the devices stay as they are.
            let Ok(Some(overview)) = answer else { return };
            let device = self.device_at(&overview.device).filter(|_| !self.has_chosen_device.get_untracked());
            self.judged_device.set(overview.device);
            if let Some(device) = device {
                self.choose(|query| query.device = device);
            }
        });
    }

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

    /// Shows what a finding is about: its longest idle time in the timeline, or a view with the device of the overview,
    /// with the step that the finding names, and with the ops of the finding alone. A report has neither another device
    /// nor all ops.
    pub(crate) fn show_finding(self, link: &FindingLink) {
        if let Some((time, step)) = &link.gap {
            return self.show_in_timeline(time.clone(), Some(*step), TimelineRows::Idle);
        }
        if untrack(|| self.summary()).is_none() {
            self.choose_ops_of_finding(link);
        }
        if link.view == View::Communication {
            self.change_views(|views| {
                views.comm.traffic = Some(link.traffic);
                views.comm.pane = link.pane.unwrap_or(views.comm.pane);
            });
        }
        if let Some(picture) = link.picture.filter(|_| link.view == View::Breakdown) {
            self.picture.set(picture);
        }
        self.view.set(link.view);
    }

    /// Chooses the device, the step and the ops of a finding for its view.
    fn choose_ops_of_finding(self, link: &FindingLink) {
        let device = self.device_at(&link.device);
        let is_of_ops = matches!(link.view, View::Breakdown | View::Roofline);
        if is_of_ops {
            let filter = Filter { kind: link.kind, ops: link.ops.clone(), ..Filter::default() };
            self.choose_ops(device, link.step.map(StepChoice::Number), filter);
        } else {
            self.choose(|query| query.device = device.unwrap_or(query.device));
        }
        if link.view == View::Communication {
            self.comm_filter.set(link.collectives.clone());
        }
    }

    /// Shows the ops of a module of a device, or those of one of its phases, in the breakdown. The other views have the same filter.
    pub(crate) fn show_module(self, device: &str, module: ModelModule, phase: Option<Phase>) {
        let filter = Filter { module: Some(module), phase, ..Filter::default() };
        self.choose_ops(self.device_at(device), None, filter);
        self.view.set(View::Breakdown);
    }

    /// Chooses the ops that pass a filter, one by one. A device or a step of `None` stays as it is.
    fn choose_ops(self, device: Option<DeviceChoice>, step: Option<StepChoice>, filter: Filter) {
        self.choose(|query| {
            query.device = device.unwrap_or(query.device);
            query.step = step.unwrap_or(query.step);
            query.by = GroupBy::Op;
            query.filter = filter;
        });
        self.zoom.set(String::new());
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
