//! This module renders the picture of the landing page, a step of the sample that `chart::landing` draws.

use crate::chart::landing;
use crate::view::shared::chart;
use crate::view::type_erasure::{EraseType, effect};
use crate::view::widgets::size::on_width;
use leptos::html;
use leptos::prelude::*;

/// Renders the picture and its caption.
#[component]
pub(crate) fn Picture() -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let (width, set_width) = signal(0.0);
    effect(move || {
        if let Some(node) = node.get() {
            on_width(&node, move |width| set_width.set(width));
        }
    });
    view! {
        <figure class="picture">
            <div node_ref=node class="picture-canvas">
                {move || (width.get() > 0.0).then(|| draw(width.get()))}
            </div>
            <figcaption class="sub">
                "The sample: a training step on TPU v5p. Each mark is an op; its area is the time it takes. Circles are matmuls,
                squares are elementwise ops. The times are simulated."
            </figcaption>
        </figure>
    }
    .any()
}

fn draw(width: f64) -> AnyView {
    let scene = landing::scene(width);
    view! {
        <svg width=scene.width.to_string() height=scene.height.to_string() role="img" aria-label=scene.title.clone()>
            {chart::draw(&scene)}
        </svg>
    }
    .any()
}
