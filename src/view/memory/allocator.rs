//! What an allocator gave over time.

use super::sight::Sight;
use crate::chart::memory::curve;
use crate::view::erase::{Any, If, effect};
use crate::view::state::Same;
use crate::view::widgets::chart::{self, Model};
use crate::view::widgets::size::on_size;
use leptos::{html, prelude::*};

/// The curve's height.
const HEIGHT: f64 = 320.0;

/// The curve with its head.
#[component]
pub(super) fn Allocator(sight: Sight) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let width = RwSignal::new(0.0_f64);
    effect(move || {
        if let Some(node) = node.get() {
            on_size(&node, move |(wide, _)| width.set(wide));
        }
    });
    let scene = Memo::new(move |_| {
        let (of, width) = (sight.allocator.get()?, width.get());
        (width > 0.0).then(|| Same::new(curve::allocator(&of, (chart::room(width), HEIGHT))))
    });
    let model = Model {
        scene,
        tip: Callback::new(move |id: u32| sight.allocator.with(|of| curve::allocator_tip(of.as_ref()?, id as usize))),
        press: Callback::new(|_: (u32, bool)| {}),
        out: Callback::new(|()| false),
        walk: None,
        key: None,
        at: RwSignal::new(None),
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(sight.state, model, "allocator", table);
    view! {
        <section class="memory-curve" aria-label="Allocator">
            <div class="picture-head">
                <h2>"In use over time"</h2>
                <span class="grow"></span>
                {chart::tools("memory-menu", entries)}
            </div>
            <div class="memory-canvas" node_ref=node>
                <If when=move || !table.get()>{move || view! { <chart::Chart state=sight.state model /> }.any()}</If>
                <If when=move || table.get()>{move || chart::as_table(model)}</If>
            </div>
        </section>
    }
    .any()
}
