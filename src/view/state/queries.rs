//! This module sends queries about the open session. A query that is not current any more is withdrawn, and its answer
//! is ignored.

use super::State;
use super::pending::{Pending, PendingState};
use super::ptr_eq::PtrEq;
use super::workers::Workers;
use crate::analysis::base::{DeviceChoice, Filter, GroupBy, Query, StepChoice};
use crate::analysis::ledger::LedgerQuery;
use crate::analysis::overview::OverviewQuery;
use crate::chart::breakdown::scopes;
use crate::chart::widgets::picker_options;
use crate::protocol::{Answer, BreakdownHead, DeviceInfo};
use leptos::prelude::*;

impl State {
    /// Changes the query, and requests its breakdown.
    pub(crate) fn choose(self, change: impl FnOnce(&mut Query)) {
        let old = self.query.get_untracked();
        let mut query = old.clone();
        change(&mut query);
        // If the worker has ended for good, there is no answer, so the query stays the one on screen.
        if query == old || !self.workers.with_value(Workers::can_answer) {
            return;
        }
        if query.by != old.by {
            self.selected.update(Vec::clear);
        }
        self.query.set(query);
        self.tips.hide();
        self.request_breakdown();
    }

    /// Changes the filter of the query.
    pub(crate) fn filter(self, change: impl FnOnce(&mut Filter)) {
        self.choose(|query| change(&mut query.filter));
    }

    /// Zooms the icicle to a scope, and filters the table by it. An empty `path` removes the zoom and the filter.
    pub(crate) fn zoom_to(self, path: String) {
        self.filter(|filter| filter.scope.clone_from(&path));
        self.zoom.set(path);
    }

    /// Zooms out by one scope. Returns `false` if the icicle is not zoomed.
    pub(crate) fn zoom_out(self) -> bool {
        let zoom = self.zoom.get_untracked();
        if !zoom.is_empty() {
            self.zoom_to(scopes::out_of(&zoom));
        }
        !zoom.is_empty()
    }

    /// Changes the grouping of the rows.
    pub(crate) fn group_by(self, by: GroupBy) {
        self.choose(|query| query.by = by);
    }

    /// Returns the index of the chosen device. `None` if several are shown together.
    pub(crate) fn shown_device(self) -> Option<u32> {
        match self.query.with(|query| query.device) {
            DeviceChoice::One(device) => Some(device),
            DeviceChoice::Mean | DeviceChoice::All => None,
        }
    }

    /// Returns the number of the shown step if the page does not list it, because a device has very many steps.
    pub(crate) fn unlisted_step(self) -> Option<u64> {
        let StepChoice::Number(number) = self.step() else { return None };
        let lists = |device: &DeviceInfo| device.steps.iter().any(|step| step.number == number);
        let is_listed =
            self.opened.with(|opened| opened.as_ref().is_none_or(|opened| opened.session.devices.iter().any(lists)));
        (!is_listed).then_some(number)
    }

    /// Returns the devices that the header names: those that are chosen, or in place of a mean or a sum the device of
    /// the overview on screen. A report holds no other devices than those of its sender.
    pub(crate) fn header_device(self) -> DeviceChoice {
        let device = self.query.with(|query| query.device);
        match (device, self.overview_device.get()) {
            (DeviceChoice::Mean | DeviceChoice::All, Some(index)) if self.summary().is_none() => {
                DeviceChoice::One(index)
            }
            _ => device,
        }
    }

    /// Returns the query of the devices that the header names.
    pub(crate) fn header_query(self) -> Query {
        Query { device: self.header_device(), ..self.query.get() }
    }

    /// Returns the query of the overview: the window, and what the user gave about the mesh and the flags.
    pub(crate) fn overview_query(self) -> OverviewQuery {
        OverviewQuery {
            ledger: LedgerQuery { roofline: self.window_query(), ..LedgerQuery::default() },
            machine: self.views.with(|views| views.comm.machine.clone()),
            flags: self.flags.with(|text| (!text.trim().is_empty()).then(|| text.clone())),
        }
    }

    /// Chooses a device. If the device does not have the current step, the mean of its steps is chosen.
    pub(crate) fn choose_device(self, device: DeviceChoice) {
        self.has_chosen_device.set(true);
        let step = untrack(|| self.step());
        let known = self.opened.with_untracked(|opened| {
            opened
                .as_ref()
                .is_some_and(|opened| picker_options::steps(&opened.session, device).position(step).is_some())
        });
        self.choose(|query| {
            query.device = device;
            query.step = if known { step } else { StepChoice::Mean };
        });
    }

    /// Chooses a device and a step or range.
    pub(crate) fn choose_window(self, device: DeviceChoice, step: StepChoice) {
        self.choose(|query| (query.device, query.step) = (device, step));
    }

    pub(crate) fn choose_step(self, step: StepChoice) {
        self.choose(|query| query.step = step);
    }

    /// Returns the step of the query. "Busiest", and a mean that the capture does not have, are replaced by the step on
    /// screen.
    pub(crate) fn step(self) -> StepChoice {
        match self.query.with(|query| query.step) {
            step @ (StepChoice::Busiest | StepChoice::Mean | StepChoice::Kind(_)) => {
                self.shown.with(|shown| shown.as_ref()?.header.step.parse().ok()).unwrap_or(step)
            }
            step => step,
        }
    }

    /// Returns the step `by` places after the current one; `None` past either end.
    pub(crate) fn neighbouring_step(self, by: isize) -> Option<StepChoice> {
        let device = self.query.with(|query| query.device);
        let opened = self.opened.get()?;
        picker_options::steps(&opened.session, device).neighbour(self.step(), by)
    }

    /// Returns the device `by` places after the current one; `None` past either end.
    pub(crate) fn neighbouring_device(self, by: isize) -> Option<DeviceChoice> {
        let opened = self.opened.get()?;
        picker_options::neighbour(&picker_options::devices(&opened.session), self.header_device(), by)
    }

    pub(super) fn request_breakdown(self) {
        let query = self.query.get_untracked();
        let is_shown = self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|head| head.query == query));
        let request = self.workers.try_update_value(|workers| {
            let link = workers.open.as_ref()?;
            if let Some(old) = workers.pending.take() {
                workers.withdrawn.push(old.withdraw(link));
            }
            workers.pending = (!is_shown).then(|| Pending::send(link, query));
            Some(())
        });
        self.update_slow_state();
        // Without a worker, the files are being read again, and the query waits for that.
        let is_asked = request.flatten().is_some() && !is_shown;
        self.busy.set(is_asked || self.workers.with_value(|workers| workers.open.is_none() && workers.can_answer()));
    }

    /// Handles an answer about the open session.
    pub(super) fn receive(self, answer: Answer) {
        let Some(answer) = self.handle_other_answer(answer) else { return };
        let pending_state =
            self.workers.with_value(|workers| workers.pending.as_ref().map(|pending| pending.receive(answer)));
        match pending_state.unwrap_or(PendingState::NotMine) {
            PendingState::Done(head) => {
                self.workers.update_value(|workers| workers.pending = None);
                self.show(head);
            }
            PendingState::Failed(failure) => {
                self.restore_query();
                self.fail(failure);
            }
            PendingState::Refused(error) => {
                self.restore_query();
                self.filter_error.set(Some(error));
            }
            PendingState::NotMine => {}
        }
        self.update_slow_state();
    }

    pub(super) fn show(self, head: PtrEq<BreakdownHead>) {
        self.busy.set(false);
        self.filter_error.set(None);
        self.shown.set(Some(head));
    }

    /// Handles a query that could not be answered: the page stays as it is, and its query is chosen again.
    pub(super) fn restore_query(self) {
        self.workers.update_value(|workers| workers.pending = None);
        self.busy.set(false);
        if let Some(query) = self.shown.with_untracked(|shown| shown.as_ref().map(|head| head.query.clone())) {
            self.query.set(query);
        }
    }
}
