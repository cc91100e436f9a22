//! Whether dimensions lie in another order than before. This module knows shapes and layouts; it knows no ops' time.
//!
//! A dimension of size 1 has no place in memory, so it has no order either: `f32[1,8,4]{2,0,1}` lies as `{2,1,0}` does.
//! A transpose that its layouts undo moves nothing: what counts is the order in which the *operand's* dimensions lie.

use super::change::{Answer, Reason};
use crate::hlo::{ArrayShape, Instruction};

/// For each dimension of the result the dimension of the operand that it is.
pub type Map = Vec<Option<usize>>;

/// How an instruction's result dimensions stem from those of what it reads. `None` where they do not one by one.
pub fn map(opcode: &str, instruction: &Instruction, from: &ArrayShape, to: &ArrayShape) -> Option<Map> {
    match opcode {
        "transpose" => {
            let dimensions = dimensions(instruction)?;
            let fits = dimensions.len() == to.dims.len() && dimensions.iter().all(|d| *d < from.dims.len());
            fits.then(|| dimensions.into_iter().map(Some).collect())
        }
        "broadcast" => {
            let mut map = vec![None; to.dims.len()];
            for (of, at) in dimensions(instruction)?.into_iter().enumerate() {
                *map.get_mut(at)? = Some(of);
            }
            Some(map)
        }
        "reshape" | "dynamic-reshape" => reshape(from, to),
        "gather" => None,
        _ => (from.dims.len() == to.dims.len()).then(|| (0..to.dims.len()).map(Some).collect()),
    }
}

/// A step further back: `outer` leads from the result to what `inner` gives.
pub fn compose(outer: &Map, inner: &Map) -> Map {
    outer.iter().map(|d| d.and_then(|d| inner.get(d).copied().flatten())).collect()
}

/// Where only dimensions of size 1 come or go, the others keep their places.
fn reshape(from: &ArrayShape, to: &ArrayShape) -> Option<Map> {
    let large = |a: &ArrayShape| a.dims.iter().enumerate().filter(|(_, n)| **n != 1).map(|(i, _)| i).collect();
    let (of, at): (Vec<usize>, Vec<usize>) = (large(from), large(to));
    let same = of.len() == at.len() && of.iter().zip(&at).all(|(f, t)| from.dims.get(*f) == to.dims.get(*t));
    same.then(|| {
        let mut map = vec![None; to.dims.len()];
        for (of, at) in of.into_iter().zip(at) {
            map[at] = Some(of);
        }
        map
    })
}

/// Whether the order changes. `reshapes`: without a map, the logical order of elements is still the same.
pub fn order(from: &ArrayShape, to: &ArrayShape, map: Option<&Map>, reshapes: bool) -> Answer {
    let Some(map) = map else {
        if !reshapes {
            return Answer::Undetectable(Reason::Reshape);
        }
        // Merged or split, but in logical order: if both lie in that order, so do the parts.
        return match (major_to_minor(from), major_to_minor(to)) {
            (Some(a), Some(b)) if a.is_sorted() && b.is_sorted() => Answer::No,
            (Some(_), Some(_)) => Answer::Undetectable(Reason::Reshape),
            _ => Answer::Undetectable(Reason::NoLayout),
        };
    };
    // Dimensions with an order on both sides.
    let joined = |at: usize| {
        let of = map.get(at).copied().flatten()?;
        (to.dims.get(at).is_some_and(|n| *n != 1) && from.dims.get(of).is_some_and(|n| *n != 1)).then_some(of)
    };
    let shared: Vec<usize> = (0..to.dims.len()).filter_map(joined).collect();
    if shared.len() < 2 {
        return Answer::No;
    }
    let (Some(before), Some(after)) = (major_to_minor(from), major_to_minor(to)) else {
        return Answer::Undetectable(Reason::NoLayout);
    };
    let before = before.into_iter().filter(|d| shared.contains(d));
    Answer::from(!before.eq(after.into_iter().filter_map(joined)))
}

/// Dimensions of more than one element from the most major to the most minor. `None` where no layout says it.
fn major_to_minor(array: &ArrayShape) -> Option<Vec<usize>> {
    let large = |d: &usize| array.dims.get(*d).is_some_and(|n| *n != 1);
    if (0..array.dims.len()).filter(large).count() < 2 {
        return Some((0..array.dims.len()).filter(large).collect());
    }
    let layout = array.layout.as_ref().filter(|l| l.minor_to_major.len() == array.dims.len())?;
    Some(layout.minor_to_major.iter().rev().map(|d| *d as usize).filter(large).collect())
}

/// `dimensions={0,2,1}`.
fn dimensions(instruction: &Instruction) -> Option<Vec<usize>> {
    let text = instruction.text("dimensions")?.trim();
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    inner.split(',').map(str::trim).filter(|d| !d.is_empty()).map(|d| d.parse().ok()).collect()
}
