//! This module detects changes of the dimension order in memory. It depends on shapes and layouts, and not on times.
//!
//! A dimension of size 1 has no position in memory and therefore no order: `f32[1,8,4]{2,0,1}` lies as `{2,1,0}` does.
//! A transpose that its layouts undo moves nothing, because the order in memory of the *operand's* dimensions stays the
//! same.

use super::change::{Answer, Reason};
use xla_profile::hlo::{ArrayShape, Instruction};

/// For each dimension of the result, the dimension of the operand from which it comes. `None` for a dimension that is
/// new.
pub type Map = Vec<Option<usize>>;

/// Maps the dimensions of an instruction's result to those of its operand. `None` if they do not correspond one to one.
pub fn map(opcode: &str, instruction: &Instruction, from: &ArrayShape, to: &ArrayShape) -> Option<Map> {
    match opcode {
        "transpose" => {
            let dimensions = dimensions(instruction)?;
            let fits = dimensions.len() == to.dims.len() && dimensions.iter().all(|d| *d < from.dims.len());
            fits.then(|| dimensions.into_iter().map(Some).collect())
        }
        "broadcast" => {
            let mut map = vec![None; to.dims.len()];
            for (source, target) in dimensions(instruction)?.into_iter().enumerate() {
                *map.get_mut(target)? = Some(source);
            }
            Some(map)
        }
        "reshape" | "dynamic-reshape" => reshape(from, to),
        "gather" => None,
        _ => (from.dims.len() == to.dims.len()).then(|| (0..to.dims.len()).map(Some).collect()),
    }
}

/// Composes two maps: `outer` leads from the result to the result of `inner`, and `inner` from there to its operand.
pub fn compose(outer: &Map, inner: &Map) -> Map {
    outer.iter().map(|d| d.and_then(|d| inner.get(d).copied().flatten())).collect()
}

/// Maps a reshape that only adds or removes dimensions of size 1. `None` for other reshapes.
fn reshape(from: &ArrayShape, to: &ArrayShape) -> Option<Map> {
    let large = |a: &ArrayShape| a.dims.iter().enumerate().filter(|(_, n)| **n != 1).map(|(i, _)| i).collect();
    let (source, target): (Vec<usize>, Vec<usize>) = (large(from), large(to));
    let same =
        source.len() == target.len() && source.iter().zip(&target).all(|(f, t)| from.dims.get(*f) == to.dims.get(*t));
    same.then(|| {
        let mut map = vec![None; to.dims.len()];
        for (source, target) in source.into_iter().zip(target) {
            map[target] = Some(source);
        }
        map
    })
}

/// Whether the dimension order changes from `from` to `to`. With `reshapes` and without a map, the elements keep their
/// logical order.
pub fn order(from: &ArrayShape, to: &ArrayShape, map: Option<&Map>, reshapes: bool) -> Answer {
    let Some(map) = map else {
        if !reshapes {
            return Answer::Undetectable(Reason::Reshape);
        }
        // A reshape keeps the logical order of elements. If both layouts follow that order, the memory order is the
        // same.
        return match (major_to_minor(from), major_to_minor(to)) {
            (Some(a), Some(b)) if a.is_sorted() && b.is_sorted() => Answer::No,
            (Some(_), Some(_)) => Answer::Undetectable(Reason::Reshape),
            _ => Answer::Undetectable(Reason::NoLayout),
        };
    };
    // Dimensions of more than one element that exist on both sides.
    let joined = |target: usize| {
        let source = map.get(target).copied().flatten()?;
        (to.dims.get(target).is_some_and(|n| *n != 1) && from.dims.get(source).is_some_and(|n| *n != 1))
            .then_some(source)
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

/// Returns the dimensions of more than one element, from the most major to the most minor. `None` if the layout is
/// unknown.
fn major_to_minor(array: &ArrayShape) -> Option<Vec<usize>> {
    let large = |d: &usize| array.dims.get(*d).is_some_and(|n| *n != 1);
    if (0..array.dims.len()).filter(large).count() < 2 {
        return Some((0..array.dims.len()).filter(large).collect());
    }
    let layout = array.layout.as_ref().filter(|l| l.minor_to_major.len() == array.dims.len())?;
    Some(layout.minor_to_major.iter().rev().map(|d| *d as usize).filter(large).collect())
}

/// Parses `dimensions={0,2,1}`.
fn dimensions(instruction: &Instruction) -> Option<Vec<usize>> {
    let text = instruction.text("dimensions")?.trim();
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    inner.split(',').map(str::trim).filter(|d| !d.is_empty()).map(|d| d.parse().ok()).collect()
}
