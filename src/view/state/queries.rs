//! Asking about the open session: a query's figures and rows, and further rows as they scroll into view.
//! Knows the contract; an answer that is no longer wanted is withdrawn, and ignored when it comes.

use super::State;
use super::clock::now;
use super::engines::Engines;
use super::pending::{InFlight, Pending, PendingState, Shown};
use super::ptr_eq::PtrEq;
use crate::analysis::base::{DeviceChoice, Filter, GroupBy, Query, StepChoice};
use crate::chart::breakdown::{columns, scopes};
use crate::chart::widgets::table::Folds;
use crate::chart::widgets::{picker_options, virtual_rows};
use crate::protocol::{Answer, Reply, Request, RequestId, RowsPage, RowsQuery, Sort};
use leptos::prelude::*;
use std::ops::Range;

impl State {
    /// Asks for other figures, in another order, or both.
    pub(crate) fn choose(self, change: impl FnOnce(&mut Query, &mut Sort)) {
        let (old, old_sort) = (self.query.get_untracked(), self.sort.get_untracked());
        let (mut query, mut sort) = (old.clone(), old_sort);
        change(&mut query, &mut sort);
        if !columns::sortable(query.by, sort.column) {
            sort = Sort::default();
        }
        let same = query == old && sort == old_sort;
        // With its worker gone for good, nobody answers: what is chosen stays what is shown.
        if same || !self.engines.with_value(Engines::can_answer) {
            return;
        }
        if query.by != old.by {
            self.selected.update(Vec::clear);
        }
        self.folds.set(Folds::default());
        self.query.set(query);
        self.sort.set(sort);
        self.tips.hide();
        self.request_table();
    }

    /// Shows other ops.
    pub(crate) fn filter(self, change: impl FnOnce(&mut Filter)) {
        self.choose(|query, _| change(&mut query.filter));
    }

    /// Zooms the picture of scopes: the table shows the ops below that scope alone. Empty: all.
    pub(crate) fn zoom_to(self, path: String) {
        self.filter(|filter| filter.scope.clone_from(&path));
        self.zoom.set(path);
    }

    /// Zooms out by one scope; `false` where nothing is zoomed.
    pub(crate) fn zoom_out(self) -> bool {
        let zoom = self.zoom.get_untracked();
        if !zoom.is_empty() {
            self.zoom_to(scopes::out_of(&zoom));
        }
        !zoom.is_empty()
    }

    /// Groups rows by something else.
    pub(crate) fn group_by(self, by: GroupBy) {
        self.choose(|query, _| query.by = by);
    }

    /// Chooses a device; its busiest step where it has no step of the number shown.
    pub(crate) fn choose_device(self, device: DeviceChoice) {
        let step = untrack(|| self.step());
        let known = self.opened.with_untracked(|opened| {
            opened
                .as_ref()
                .is_some_and(|opened| picker_options::steps(&opened.session, device).position(step).is_some())
        });
        self.choose(|query, _| {
            query.device = device;
            query.step = if known { step } else { StepChoice::Busiest };
        });
    }

    /// Chooses a step.
    pub(crate) fn choose_step(self, step: StepChoice) {
        self.choose(|query, _| query.step = step);
    }

    /// The step that is shown or asked for, "busiest" resolved to its number.
    pub(crate) fn step(self) -> StepChoice {
        match self.query.with(|query| query.step) {
            StepChoice::Busiest => self
                .shown
                .with(|shown| shown.as_ref().map(|shown| picker_options::chosen_step(&shown.head.header.step)))
                .unwrap_or(StepChoice::Busiest),
            step => step,
        }
    }

    /// The step `by` places on, where there is one.
    pub(crate) fn step_on(self, by: isize) -> Option<StepChoice> {
        let device = self.query.with(|query| query.device);
        let opened = self.opened.get()?;
        picker_options::steps(&opened.session, device).neighbour(self.step(), by)
    }

    /// The device `by` places on, where there is one.
    pub(crate) fn device_on(self, by: isize) -> Option<DeviceChoice> {
        let opened = self.opened.get()?;
        picker_options::neighbour(&picker_options::devices(&opened.session), self.query.with(|query| query.device), by)
    }

    pub(super) fn request_table(self) {
        let (query, sort) = (self.query.get_untracked(), self.sort.get_untracked());
        let head = self
            .shown
            .with_untracked(|shown| shown.as_ref().map(|shown| shown.head.clone()).filter(|head| head.query == query));
        let request = self.engines.try_update_value(|engines| {
            let link = engines.open.as_ref()?;
            if let Some(old) = engines.pending.take() {
                engines.withdrawn.extend(old.withdraw(link));
            }
            engines.flight.clear();
            engines.pending = Some(Pending::send(link, query, sort, head));
            Some(())
        });
        self.look_at_waiting();
        // Without a link the files are being read again: the question waits for that.
        self.busy.set(request.flatten().is_some() || self.engines.with_value(Engines::can_answer));
    }

    /// Asks for those of `rows` that have not come and are not under way.
    pub(crate) fn want(self, rows: &Range<u32>) {
        let Some((query, sort, missing)) = self.shown.with_untracked(|shown| {
            let shown = shown.as_ref()?;
            let missing: Vec<_> =
                virtual_rows::pages(rows.clone()).filter(|page| !shown.pages.contains_key(page)).collect();
            Some((shown.head.query.clone(), shown.sort, missing))
        }) else {
            return;
        };
        self.engines.update_value(|engines| {
            engines.wanted = rows.clone();
            let Some(link) = &engines.open else { return };
            for first in missing {
                if engines.flight.iter().all(|row| row.page != first) {
                    let rows = RowsQuery { query: query.clone(), sort, first, count: virtual_rows::PAGE };
                    engines.flight.push(InFlight { id: link.send(&Request::Rows(rows)), page: first, since: now() });
                }
            }
        });
        self.look_at_waiting();
    }

    /// Takes in an answer about the open session.
    pub(super) fn receive(self, answer: Answer) {
        let Some(answer) = self.hear_further(answer) else { return };
        let id = answer.id;
        let rows = match &answer.reply {
            Reply::Rows(page) => Some(PtrEq::new((**page).clone())),
            _ => None,
        };
        let heard = self.engines.try_update_value(|engines| match engines.pending.as_mut() {
            Some(pending) => pending.receive(answer),
            None => PendingState::NotMine,
        });
        match heard.unwrap_or(PendingState::NotMine) {
            PendingState::Waiting => {}
            PendingState::Done(shown) => {
                self.engines.update_value(|engines| engines.pending = None);
                self.show(shown);
            }
            PendingState::Failed(failure) => {
                self.take_back();
                self.fail(failure);
            }
            PendingState::Refused(error) => {
                self.take_back();
                self.filter_error.set(Some(error));
            }
            PendingState::NotMine => self.take_rows(id, rows),
        }
        self.look_at_waiting();
    }

    pub(super) fn show(self, shown: Shown) {
        self.busy.set(false);
        self.filter_error.set(None);
        self.shown.set(Some(shown));
    }

    /// A question could not be answered: what is on screen stays, and is what is chosen again.
    pub(super) fn take_back(self) {
        self.engines.update_value(|engines| engines.pending = None);
        self.busy.set(false);
        if let Some((query, sort)) = self.shown.with_untracked(|shown| shown.as_ref().map(Shown::question)) {
            self.query.set(query);
            self.sort.set(sort);
        }
    }

    fn take_rows(self, id: RequestId, rows: Option<PtrEq<RowsPage>>) {
        let wanted = self.engines.try_update_value(|engines| {
            let at = engines.flight.iter().position(|row| row.id == id)?;
            engines.flight.swap_remove(at);
            Some(engines.wanted.clone())
        });
        let (Some(Some(wanted)), Some(rows)) = (wanted, rows) else { return };
        self.shown.update(|shown| {
            let Some(shown) = shown.as_mut() else { return };
            if rows.query.query != shown.head.query || rows.query.sort != shown.sort {
                return;
            }
            shown.pages.insert(rows.query.first, rows);
            if let Some(far) =
                virtual_rows::farthest(shown.pages.keys().copied().collect::<Vec<_>>().into_iter(), &wanted)
            {
                shown.pages.remove(&far);
            }
        });
    }

    /// The query on screen and the one asked for, so that an opening session is asked the right one.
    pub(super) fn current_query(self) -> (Query, Sort) {
        (self.query.get_untracked(), self.sort.get_untracked())
    }
}
