//! This module describes the arrays that an op reads and writes, and the changes between them. It depends on shapes and
//! layouts, and not on times.

use super::report::{Change, OpRole, OpValue, ValueChange};
use crate::analysis::base::instruction_ref::InstructionRef;
use xla_profile::hlo::{ArrayShape, Layout, Shape, Tile};

/// Largest number of values in the report.
const MAX: usize = 400;

/// Returns the results, then the operands, and the number of values that were left out.
pub(crate) fn values(inst: InstructionRef<'_>) -> (Vec<OpValue>, u32) {
    let (mut values, mut more) = (Vec::new(), 0);
    let mut add = |shape: Option<&Shape>, role: &dyn Fn(Vec<u32>) -> OpRole| {
        each(
            shape,
            |path, shape| {
                if values.len() < MAX { values.push(value(shape, role(path), inst.tpu)) } else { more += 1 }
            },
        );
    };
    add(Some(&inst.instruction.shape), &OpRole::Result);
    for (i, operand) in inst.instruction.operands.iter().enumerate() {
        let role = |path| OpRole::Operand { index: i as u32, name: operand.name.to_string(), path };
        add(inst.operand_shape(i), &role);
    }
    (values, more)
}

/// Calls `found` for each part of a shape that is no tuple, with its index path. An unknown shape gives one call, with
/// `None`.
fn each(shape: Option<&Shape>, mut found: impl FnMut(Vec<u32>, Option<&Shape>)) {
    let mut left = vec![(Vec::new(), shape)];
    while let Some((path, shape)) = left.pop() {
        match shape {
            Some(Shape::Tuple(elements)) => left.extend(elements.iter().enumerate().rev().map(|(i, element)| {
                let mut path = path.clone();
                path.push(i as u32);
                (path, Some(element))
            })),
            shape => found(path, shape),
        }
    }
}

fn value(shape: Option<&Shape>, role: OpRole, tpu: bool) -> OpValue {
    let mut value = OpValue {
        role,
        shape: shape.map(|s| s.without_layout().to_string()).unwrap_or_default(),
        layout: None,
        dtype: None,
        bytes: None,
        padded_bytes: None,
        padded_dims: None,
        overhead: None,
        memory: None,
        tiling: None,
    };
    let inner = match shape {
        Some(Shape::Buffer(inner)) => inner.as_array(),
        shape => shape.and_then(Shape::as_array),
    };
    let Some(array) = inner else { return value };
    value.dtype = Some(array.dtype.to_string());
    value.bytes = array.bytes();
    value.padded_bytes = array.padded_bytes();
    value.padded_dims = array.padded_dims().filter(|dims| *dims != array.dims);
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let ratio = |(padded, bytes): (u64, u64)| (bytes > 0).then(|| padded as f64 / bytes as f64 - 1.0);
    value.overhead = value.padded_bytes.zip(value.bytes).and_then(ratio);
    if let Some(layout) = &array.layout {
        value.layout = Some(layout.to_string());
        value.memory = memory(layout.memory_space, tpu);
        value.tiling = tiling(layout);
    }
    value
}

/// Returns the name of a memory space. `None` for space 0 of devices other than TPUs.
pub(crate) fn memory(space: i64, tpu: bool) -> Option<String> {
    match space {
        0 if tpu => Some("HBM".to_owned()),
        1 if tpu => Some("VMEM".to_owned()),
        0 => None,
        space => Some(format!("S({space})")),
    }
}

/// Describes the tiles of a layout. `None` if the elements are not tiled.
fn tiling(layout: &Layout) -> Option<String> {
    let words = |tile: &Tile| {
        let dims = tile.dims.iter().map(|d| if *d == Tile::COMBINE { "*".to_owned() } else { d.to_string() });
        dims.collect::<Vec<_>>().join("×")
    };
    let (outer, inner) = layout.tiles.split_first()?;
    let inner = inner.iter().map(|tile| format!(", each cut into {}", words(tile))).collect::<String>();
    Some(format!("tiles of {}{inner}", words(outer)))
}

/// Returns the changes between the input and the output of an op that only moves data. Empty for other ops.
pub(crate) fn value_changes(inst: InstructionRef<'_>) -> Vec<ValueChange> {
    let Some((from, to)) = inst.moved() else { return Vec::new() };
    let mut value_changes = Vec::new();
    let mut add = |change, from: String, to: String| {
        if from != to {
            value_changes.push(ValueChange { change, words: format!("{from} → {to}") });
        }
    };
    add(Change::Dtype, from.dtype.to_string(), to.dtype.to_string());
    add(Change::Shape, dims(&from.dims), dims(&to.dims));
    if let (Some(a), Some(b)) = (&from.layout, &to.layout) {
        if a.minor_to_major.len() == b.minor_to_major.len() {
            add(Change::DimOrder, order(a), order(b));
        }
        let tiles = |l: &Layout| tiling(l).unwrap_or_else(|| "not tiled".to_owned());
        add(Change::Tiling, tiles(a), tiles(b));
        let space = |a: &ArrayShape| memory(a.memory_space(), inst.tpu).unwrap_or_else(|| "main memory".to_owned());
        add(Change::Memory, space(from), space(to));
    }
    value_changes
}

fn dims(dims: &[u64]) -> String {
    format!("[{}]", dims.iter().map(u64::to_string).collect::<Vec<_>>().join(","))
}

fn order(layout: &Layout) -> String {
    format!("{{{}}}", layout.minor_to_major.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text::instruction;

    fn with_instruction(text: &str, check: impl FnOnce(InstructionRef<'_>)) {
        let parsed = instruction(text).unwrap();
        check(InstructionRef { instruction: &parsed.instruction, module: None, tpu: true });
    }

    #[test]
    fn arrays_with_their_padding() {
        let text = "%f = (bf16[3,5]{1,0:T(8,128)(2,1)S(1)}, /*x*/(token[], s32[]{:T(128)S(6)})) fusion(f32[3,5]{1,0:T(2,2)} %a, %b)";
        with_instruction(text, |inst| {
            let (values, more) = values(inst);
            assert_eq!((values.len(), more), (5, 0));
            let first = &values[0];
            assert_eq!((first.shape.as_str(), first.layout.as_deref()), ("bf16[3,5]", Some("{1,0:T(8,128)(2,1)S(1)}")));
            assert_eq!(
                (first.bytes, first.padded_bytes, first.padded_dims.clone()),
                (Some(30), Some(2048), Some(vec![8, 128]))
            );
            assert_eq!(first.memory.as_deref(), Some("VMEM"));
            assert_eq!(first.tiling.as_deref(), Some("tiles of 8×128, each cut into 2×1"));
            assert_eq!(values[1].role, OpRole::Result(vec![1, 0]));
            assert_eq!((values[1].shape.as_str(), values[1].bytes), ("token[]", None));
            assert_eq!((values[2].memory.as_deref(), values[2].padded_bytes), (Some("S(6)"), Some(512)));
            assert!((values[3].overhead.unwrap() - 0.6).abs() < 1e-12);
            assert_eq!(values[3].role, OpRole::Operand { index: 0, name: "a".into(), path: vec![] });
            assert_eq!((values[4].shape.as_str(), values[4].dtype.as_deref()), ("", None));
        });
    }

    #[test]
    fn changes_of_a_copy() {
        let changes_of = |text: &str| {
            let mut rows = Vec::new();
            with_instruction(text, |inst| {
                rows = value_changes(inst).into_iter().map(|r| (r.change, r.words)).collect();
            });
            rows
        };
        let copy = "%copy.488 = f32[1,512,7168]{2,0,1:T(1,128)} copy(f32[1,512,7168]{2,1,0:T(8,128)} %fusion.636)";
        let order = (Change::DimOrder, "{2,1,0} → {2,0,1}".to_owned());
        assert_eq!(changes_of(copy), [order, (Change::Tiling, "tiles of 8×128 → tiles of 1×128".to_owned())]);
        let done = "%copy-done.50 = bf16[2048,7168]{1,0:T(8,128)(2,1)S(1)} copy-done((bf16[2048,7168]{1,0:T(8,128)(2,1)S(1)}, bf16[2048,7168]{1,0:T(8,128)(2,1)}, u32[]{:S(2)}) %copy-start.50)";
        assert_eq!(changes_of(done), [(Change::Memory, "HBM → VMEM".to_owned())]);
        let convert = "%c = bf16[512,32000]{1,0:T(8,128)(2,1)} convert(f32[512,32000]{1,0:T(8,128)} %p)";
        assert_eq!(changes_of(convert)[0], (Change::Dtype, "f32 → bf16".to_owned()));
        assert!(changes_of("%a = f32[2]{0} add(f32[2]{0:S(1)} %b, f32[2]{0} %c)").is_empty());
    }
}
