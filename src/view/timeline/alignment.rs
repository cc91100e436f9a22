//! This module switches the alignment of the clocks of hosts, and converts displayed times to the event clock, on which all sums
//! are.

use super::model::TimelineModel;
use crate::analysis::base::TimeRange;
use crate::analysis::timeline::{Alignment, Timeline};
use crate::chart::timeline::text;
use crate::protocol::url::timeline::TimelineViewState;
use crate::view::type_erasure::{EraseType, If};
use leptos::prelude::*;
use xla_profile::units::Picos;

/// Returns a range of displayed times after its device was moved by `by` ps. `None` if it is before 0.
fn moved((start, end): (u64, u64), by: i64) -> Option<(u64, u64)> {
    let range = TimeRange { start: Picos(start), end: Picos(end) }.moved(by)?;
    Some((range.start.0, range.end.0))
}

impl TimelineModel {
    /// Returns whether the tracks are those of the alignment that the user chose. Until they have come, nothing is requested for
    /// displayed times.
    pub(super) fn has_chosen_alignment(self) -> bool {
        let is_chosen = self.view_state.with(|view_state| view_state.is_aligned);
        self.timeline.with(|timeline| {
            let Some(timeline) = timeline else { return false };
            let is_wanted = |alignment: &Alignment| alignment.is_applied == is_chosen.unwrap_or(alignment.is_default);
            timeline.alignment.as_ref().is_none_or(is_wanted)
        })
    }

    /// Returns whether the clocks of hosts are aligned in all displayed times.
    pub(super) fn is_aligned(self) -> bool {
        self.timeline.with_untracked(|timeline| timeline.as_ref().is_some_and(|timeline| timeline.is_aligned()))
    }

    /// Returns the displayed range on the event clock of a device.
    pub(super) fn event_clock_range(self, device: Option<u32>) -> Option<TimeRange> {
        let range = self.range()?;
        range.moved(
            -self.timeline.with(|timeline| timeline.as_ref().map_or(0, |timeline| timeline.device_offset(device))),
        )
    }

    /// Returns a range on the event clock of a device as displayed.
    pub(super) fn displayed_range(self, device: Option<u32>, range: (u64, u64)) -> Option<(u64, u64)> {
        moved(
            range,
            self.timeline
                .with_untracked(|timeline| timeline.as_ref().map_or(0, |timeline| timeline.device_offset(device))),
        )
    }

    /// Keeps the visible part, the range and the measured time at the events of the device of the sums, when the clocks are
    /// aligned in another way.
    pub(super) fn move_times(self, before: &Timeline, after: &Timeline) {
        let device = untrack(|| self.device());
        let by = after.device_offset(device).saturating_sub(before.device_offset(device));
        if by == 0 {
            return;
        }
        let (view, whole) = (self.view.get_untracked(), self.whole.get_untracked());
        let part = (view != whole).then_some((view.start, view.end));
        self.cancel_address_update();
        self.change(|view_state| {
            view_state.part = part.and_then(|part| moved(part, by));
            view_state.range = view_state.range.and_then(|range| moved(range, by));
            view_state.measure = view_state.measure.and_then(|time| moved(time, by));
        });
    }

    fn switch_alignment(self) {
        let alignment = self.timeline.with_untracked(|timeline| timeline.as_ref()?.alignment.clone());
        let Some(alignment) = alignment else { return };
        self.change(|view_state: &mut TimelineViewState| {
            let is_aligned = !view_state.is_aligned.unwrap_or(alignment.is_default);
            view_state.is_aligned = (is_aligned != alignment.is_default).then_some(is_aligned);
        });
    }
}

/// Renders the switch that aligns the clocks of hosts. It is there if the session has several hosts that can be compared.
pub(super) fn switch(model: TimelineModel) -> AnyView {
    let alignment = Memo::new(move |_| model.timeline.with(|timeline| timeline.as_ref()?.alignment.clone()));
    let title = move || alignment.with(|alignment| alignment.as_ref().map(text::alignment_title));
    let pressed = move || {
        let is_default = alignment.with(|alignment| alignment.as_ref().is_some_and(|alignment| alignment.is_default));
        model.view_state.with(|view_state| view_state.is_aligned.unwrap_or(is_default)).to_string()
    };
    view! {
        <If when=move || alignment.with(Option::is_some)>
            <button type="button" class="btn line" id="align-hosts" aria-pressed=pressed title=title on:click=move |_| model.switch_alignment()>
                "Align host clocks"
            </button>
        </If>
    }
    .any()
}
