//! This module renders the figures above a view: one main figure, and others beside it, each with its formula.

use crate::chart::breakdown::figures;
use crate::chart::roofline;
use crate::protocol::BreakdownHead;
use crate::protocol::tables::Utilization;
use crate::view::state::{SharedMemo, SharedSignal};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::figure::readout;
use leptos::prelude::*;

/// Renders the figures of the breakdown. Those of the hardware follow when `utilization` is there.
#[component]
pub(crate) fn Figures(
    head: SharedMemo<BreakdownHead>,
    utilization: SharedSignal<Utilization>,
    is_waiting: RwSignal<bool>,
) -> impl IntoView {
    let row = move || {
        let utilization = utilization.get();
        let of_hardware = utilization
            .as_deref()
            .map(|utilization| (utilization, roofline::figures::utilization(&utilization.figures, None)));
        Some(readout(figures::readout(&*head.get()?, of_hardware)))
    };
    view! { <dl class="figures" data-roving="" aria-busy=move || is_waiting.get().to_string()>{live(row)}</dl> }.any()
}
