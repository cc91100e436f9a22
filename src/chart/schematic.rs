//! The landing page's picture: how a step's time is sorted into kinds. A drawing, not a measurement.
//!
//! ```text
//!   recorded   ▒[copy][ loop: [mm][ar][mm][f ] ][host]▒      ops in the order they ran
//!                 \     ╲   ╳   ╱                           each flows to its kind
//!   sorted     [compute     ][fused][comm.][…][▒▒ idle]      the same time, by kind
//! ```
//!
//! Invariants: each piece has the same width above and below; pieces do not overlap; both lines fill the width.

use super::slot::Slot;
use crate::analysis::Kind::{Communication, Compute, Container, DataMovement, Fused, Host, Other};

/// What the drawing's step consists of: a part and its share in hundredths, in the order of time.
const STEP: [(Slot, f64); 25] = [
    (Slot::Idle, 2.5),
    (Slot::Kind(DataMovement), 5.0),
    (Slot::Kind(Container), 1.5),
    (Slot::Kind(Compute), 8.0),
    (Slot::Kind(Communication), 4.0),
    (Slot::Kind(Compute), 6.0),
    (Slot::Kind(Container), 1.0),
    (Slot::Kind(Fused), 6.0),
    (Slot::Kind(DataMovement), 3.0),
    (Slot::Kind(Compute), 9.0),
    (Slot::Kind(Container), 1.5),
    (Slot::Kind(Compute), 7.0),
    (Slot::Kind(Communication), 5.0),
    (Slot::Kind(Fused), 5.0),
    (Slot::Kind(Compute), 8.0),
    (Slot::Kind(DataMovement), 3.5),
    (Slot::Kind(Container), 1.5),
    (Slot::Idle, 1.5),
    (Slot::Kind(Other), 2.5),
    (Slot::Kind(Compute), 6.0),
    (Slot::Kind(Host), 4.0),
    (Slot::Idle, 1.5),
    (Slot::Kind(Communication), 3.5),
    (Slot::Kind(DataMovement), 3.0),
    (Slot::Idle, 0.5),
];
/// The pieces that run inside the loop, the loop's own time included.
const LOOP: std::ops::Range<usize> = 2..17;

/// One piece: where it was recorded and where it is sorted to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Of which part.
    pub slot: Slot,
    /// Left edge above.
    pub from: f64,
    /// Left edge below.
    pub to: f64,
    /// Its width, the same above and below.
    pub width: f64,
}

/// The drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Schematic {
    /// The pieces, in the order of time.
    pub pieces: Vec<Piece>,
    /// The loop around some of them: left edge and width.
    pub container: (f64, f64),
    /// The sorted parts: which, left edge, width.
    pub parts: Vec<(Slot, f64, f64)>,
}

/// The drawing at `width` pixels.
pub fn schematic(width: f64) -> Schematic {
    let sum: f64 = STEP.iter().map(|(_, share)| share).sum();
    let scale = width / sum;
    let total = |slot: Slot| STEP.iter().filter(|(of, _)| *of == slot).map(|(_, share)| share * scale).sum::<f64>();
    let mut at = 0.0;
    let parts: Vec<_> = Slot::all()
        .map(|slot| {
            let part = (slot, at, total(slot));
            at += part.2;
            part
        })
        .collect();
    let mut next: Vec<_> = parts.iter().map(|(slot, x, _)| (*slot, *x)).collect();
    let mut from = 0.0;
    let mut pieces = Vec::with_capacity(STEP.len());
    for (slot, share) in STEP {
        let width = share * scale;
        let Some((_, to)) = next.iter_mut().find(|(of, _)| *of == slot) else { continue };
        pieces.push(Piece { slot, from, to: *to, width });
        *to += width;
        from += width;
    }
    let left = pieces.get(LOOP.start).map_or(0.0, |piece| piece.from);
    let right = pieces.get(LOOP.end).map_or(width, |piece| piece.from);
    Schematic { pieces, container: (left, right - left), parts }
}

/// The outline of the band between a piece's two places, from height `top` to `bottom`.
pub fn band(piece: &Piece, top: f64, bottom: f64) -> String {
    let middle = top.midpoint(bottom);
    let (a, b) = (piece.from, piece.from + piece.width);
    let (c, d) = (piece.to, piece.to + piece.width);
    format!(
        "M{a:.1} {top:.1}C{a:.1} {middle:.1} {c:.1} {middle:.1} {c:.1} {bottom:.1}H{d:.1}\
         C{d:.1} {middle:.1} {b:.1} {middle:.1} {b:.1} {top:.1}Z"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lines_fill_the_width() {
        let drawing = schematic(600.0);
        let above: f64 = drawing.pieces.iter().map(|piece| piece.width).sum();
        let below: f64 = drawing.parts.iter().map(|(_, _, width)| width).sum();
        assert!((above - 600.0).abs() < 1e-9 && (below - 600.0).abs() < 1e-9);
        assert!(drawing.parts.iter().all(|(_, _, width)| *width > 0.0), "each kind is shown");
    }

    #[test]
    fn pieces_land_in_their_part_without_overlap() {
        let drawing = schematic(600.0);
        for (slot, x, width) in drawing.parts {
            let mut at = x;
            for piece in drawing.pieces.iter().filter(|piece| piece.slot == slot) {
                assert!((piece.to - at).abs() < 1e-9);
                at += piece.width;
            }
            assert!((at - x - width).abs() < 1e-9);
        }
    }

    #[test]
    fn the_loop_holds_its_own_time() {
        let drawing = schematic(600.0);
        let (left, width) = drawing.container;
        let own = drawing.pieces.iter().filter(|piece| piece.slot == Slot::Kind(Container));
        assert!(own.clone().count() > 0);
        assert!(own.into_iter().all(|p| p.from >= left - 1e-9 && p.from + p.width <= left + width + 1e-9));
        assert!(band(&drawing.pieces[0], 0.0, 10.0).starts_with("M0.0 0.0C"));
    }
}
