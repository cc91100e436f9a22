//! The landing page's picture: a step as it is recorded, sorted into kinds. Drawn from `chart::schematic`; it
//! says that it is a drawing.

use crate::chart::schematic::{self, Piece, Schematic};
use crate::chart::slot::Slot;
use crate::view::erase::{Any, effect};
use crate::view::widgets::size::on_width;
use crate::view::widgets::swatch::{fill, swatch};
use leptos::{html, prelude::*};

/// Heights, from top to bottom: the loop, the ops, the bands, the bar.
const LOOP: f64 = 18.0;
const OPS: (f64, f64) = (22.0, 30.0);
const BANDS: (f64, f64) = (56.0, 256.0);
const BAR: f64 = 34.0;
const HEIGHT: f64 = BANDS.1 + 4.0 + BAR;

/// The picture and its legend.
#[component]
pub(crate) fn Picture() -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let (width, set_width) = signal(0.0);
    effect(move || {
        if let Some(node) = node.get() {
            on_width(&node, move |width| set_width.set(width));
        }
    });
    let entry = |slot: Slot| {
        view! {
            <div>
                <dt>{swatch(slot)} {slot.label()}</dt>
                <dd>{slot.about()}</dd>
            </div>
        }
        .any()
    };
    view! {
        <figure class="picture">
            <p class="picture-head"><b>"As recorded"</b> " ops in the order they ran, inside their loop"</p>
            <div node_ref=node class="picture-canvas">
                {move || (width.get() > 0.0).then(|| draw(&schematic::schematic(width.get()), width.get()))}
            </div>
            <p class="picture-head foot"><b>"As read here"</b> " the same time, by kind; what is lost is hatched"</p>
            <dl class="picture-legend">{Slot::all().map(entry).collect_view()}</dl>
            <figcaption class="sub">"A drawing, not a measurement: widths stand for time, and stay the same."</figcaption>
        </figure>
    }.any()
}

fn draw(drawing: &Schematic, width: f64) -> impl IntoView + use<> {
    let band = |piece: &Piece| {
        view! { <path class=format!("band band-{}", piece.slot.class()) d=schematic::band(piece, BANDS.0, BANDS.1) /> }
            .any()
    };
    let op = |piece: &Piece| block(piece.slot, piece.from, OPS.0, piece.width, OPS.1);
    let part = |(slot, x, width): &(Slot, f64, f64)| block(*slot, *x, BANDS.1 + 4.0, *width, BAR);
    let (left, loop_width) = drawing.container;
    view! {
        <svg
            width=width.to_string()
            height=HEIGHT.to_string()
            role="img"
            aria-label="A drawing: the ops of one step, in the order they ran, flow into a bar that is sorted by kind."
        >
            {drawing.pieces.iter().map(band).collect_view()}
            <rect class="loop" x=(left + 0.5).to_string() y="0.5" width=(loop_width - 2.0).to_string() height=LOOP.to_string() />
            <text class="loop-name" x=(left + 8.0).to_string() y="13.5">"while"</text>
            {drawing.pieces.iter().map(op).collect_view()}
            {drawing.parts.iter().map(part).collect_view()}
        </svg>
    }.any()
}

fn block(slot: Slot, x: f64, y: f64, width: f64, height: f64) -> impl IntoView + use<> {
    view! {
        <rect
            class=fill(slot)
            x=x.to_string()
            y=y.to_string()
            width=(width - 1.0).max(1.0).to_string()
            height=height.to_string()
        />
    }
    .any()
}
