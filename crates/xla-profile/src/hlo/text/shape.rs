//! This module parses shapes and layouts.

use super::scan::Scan;
use crate::hlo::{ArrayShape, DType, Layout, Shape, Tail, Tile};
use crate::small_sort::SmallSort;

/// Parses the shape that starts here. Text with the form of a shape that cannot be parsed becomes [`Shape::Other`].
/// Returns `None`, and consumes nothing, if the text does not have the form of a shape.
pub(super) fn read(scan: &mut Scan<'_>) -> Option<Shape> {
    let place = scan.position();
    let shape = nested(scan, Shape::DEPTH);
    if shape.is_some() {
        return shape;
    }
    // A shape of an unknown type (`f6e3m2fn[2]{0}`), or tuples that are nested too deeply, stay text.
    scan.back(place);
    scan.word();
    if scan.group().is_none() {
        scan.back(place);
        return None;
    }
    if scan.peek() == Some(b'{') {
        scan.group();
    }
    Some(Shape::Other(scan.since(place).into()))
}

fn nested(scan: &mut Scan<'_>, depth: usize) -> Option<Shape> {
    let deeper = depth.checked_sub(1)?;
    if scan.eat(b'(') {
        return tuple(scan, deeper);
    }
    let name = scan.word();
    if name == "b" && scan.eat(b'(') {
        let inner = nested(scan, deeper)?;
        return scan.eat(b')').then(|| Shape::Buffer(Box::new(inner)));
    }
    if !scan.eat(b'[') {
        return None;
    }
    match name {
        "token" if scan.eat(b']') => return Some(Shape::Token),
        "opaque" if scan.eat(b']') => return Some(Shape::Opaque),
        _ => {}
    }
    let dtype = DType::from_name(name)?;
    let (dims, dynamic) = dims(scan)?;
    let layout = if scan.eat(b'{') { Some(Box::new(layout(scan)?)) } else { None };
    Some(Shape::Array(ArrayShape { dtype, dims, dynamic, layout }))
}

fn tuple(scan: &mut Scan<'_>, depth: usize) -> Option<Shape> {
    let mut elements = Vec::new();
    loop {
        scan.lines();
        if scan.eat(b')') {
            return Some(Shape::Tuple(elements));
        }
        if !elements.is_empty() && !scan.eat(b',') {
            return None;
        }
        scan.lines();
        elements.push(nested(scan, depth)?);
    }
}

/// Parses dimensions up to `]`. Returns their sizes, and which of them are bounds.
fn dims(scan: &mut Scan<'_>) -> Option<(Vec<u64>, Vec<bool>)> {
    let (mut dims, mut dynamic) = (Vec::new(), Vec::new());
    while !scan.eat(b']') {
        if !dims.is_empty() && !scan.eat(b',') {
            return None;
        }
        let bound = scan.eat_str("<=");
        let unbounded = scan.eat(b'?');
        dims.push(if unbounded { ArrayShape::UNBOUNDED } else { scan.number()? });
        dynamic.push(bound || unbounded);
    }
    if !dynamic.contains(&true) {
        dynamic.clear();
    }
    Some((dims, dynamic))
}

/// Parses a layout after its `{`.
fn layout(scan: &mut Scan<'_>) -> Option<Layout> {
    let mut layout = Layout { minor_to_major: list(scan, Scan::number)?, ..Layout::default() };
    if scan.eat(b':') {
        while scan.peek() != Some(b'}') {
            tail(scan, &mut layout)?;
        }
        layout.others.small_sort_by_key(Tail::rank);
    }
    scan.eat(b'}').then_some(layout)
}

/// Parses one of `T(8,128)(2,1)`, `E(4)`, `L(128)`, `S(1)`, `#(u32)` and so on.
fn tail(scan: &mut Scan<'_>, layout: &mut Layout) -> Option<()> {
    let key = scan.take(|b| b.is_ascii_alphabetic() || matches!(b, b'#' | b'*'));
    let value = scan.group()?;
    match key {
        "T" => {
            layout.tiles.push(tile(value)?);
            while scan.peek() == Some(b'(') {
                layout.tiles.push(tile(scan.group()?)?);
            }
        }
        "E" if layout.element_bits == 0 => layout.element_bits = value.parse().ok()?,
        "L" if layout.tail_alignment == 0 => layout.tail_alignment = value.parse().ok()?,
        "S" if layout.memory_space == 0 => layout.memory_space = value.parse().ok()?,
        "" => return None,
        _ => layout.others.push(Tail { key: key.into(), value: value.into() }),
    }
    Some(())
}

fn tile(value: &str) -> Option<Tile> {
    let mut scan = Scan::new(value);
    let dims = list(&mut scan, |s| if s.eat(b'*') { Some(Tile::COMBINE) } else { s.number() })?;
    scan.is_empty().then_some(Tile { dims })
}

/// Parses items with commas between them, up to the first text that is not a comma. The list is empty if the first item
/// cannot be parsed; a later item that cannot be parsed gives `None`.
pub(super) fn list<'a, T>(scan: &mut Scan<'a>, mut item: impl FnMut(&mut Scan<'a>) -> Option<T>) -> Option<Vec<T>> {
    let Some(first) = item(scan) else { return Some(Vec::new()) };
    let mut items = vec![first];
    while scan.eat(b',') {
        scan.space();
        items.push(item(scan)?);
    }
    Some(items)
}

#[cfg(test)]
mod tests {
    use crate::hlo::text::shape;
    use crate::hlo::{Shape, Tile};

    #[test]
    fn shapes_print_as_they_were_written() {
        for text in [
            "f32[]",
            "f32[]{:T(128)}",
            "s32[2]{0:S(4)}",
            "u32[]{:S(2)}",
            "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}",
            "s4[8,128]{1,0:T(8,128)E(4)S(1)}",
            "f32[<=10,?,7]{2,1,0}",
            "f32[8]{0:T(*,128)}",
            "f32[8]{0:D(D)T(8)L(1024)#(u32)*(u64)E(4)S(1)SC(0:4)M(8)}",
            "token[]",
            "opaque[]",
            "()",
            "((f32[2]{0}, token[]), s32[])",
            "b(f32[4]{0})",
            "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])",
        ] {
            assert_eq!(shape(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn sizes() {
        let bytes = |text| shape(text).and_then(|s| Some((s.bytes()?, s.padded_bytes()?)));
        assert_eq!(bytes("f32[3,5]{1,0:T(2,2)}"), Some((60, 96)));
        assert_eq!(bytes("bf16[3,5]{1,0:T(8,128)(2,1)}"), Some((30, 2048)));
        assert_eq!(bytes("(f32[]{:T(128)}, s32[3], token[])"), Some((16, 524)));
        assert_eq!(bytes("s4[3]{0}"), Some((3, 3)));
        assert_eq!(bytes("s4[3]{0:E(4)}"), Some((2, 2)));
        assert_eq!(bytes("s32[2]{0:T(1)L(128)S(4)}"), Some((8, 512)));
        assert_eq!(bytes("f32[?]"), None);
        assert_eq!(bytes("f32[4294967296,4294967296]"), None);
        assert_eq!(bytes("f32[4294967296,4294967296,0]"), Some((0, 0)));
        let Some(Shape::Array(array)) = shape("f32[3,5]{1,0:T(*,2)}") else { panic!() };
        assert_eq!(array.layout.unwrap().tiles, [Tile { dims: vec![Tile::COMBINE, 2] }]);
    }

    #[test]
    fn unknown_shapes_stay_text() {
        assert_eq!(shape("f6e3m2fn[2]{0}"), Some(Shape::Other("f6e3m2fn[2]{0}".into())));
        assert_eq!(shape("f32[99999999999999999999]"), Some(Shape::Other("f32[99999999999999999999]".into())));
        assert_eq!(shape("f32"), None);
        let deep = "(".repeat(1 << 20);
        assert_eq!(shape(&deep), None);
        let closed = format!("{deep}{}", ")".repeat(1 << 20));
        assert_eq!(shape(&closed), Some(Shape::Other(closed.as_str().into())));
    }
}
