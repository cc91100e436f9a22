//! This module prints HLO as text. The printed text parses to the same value.

use super::escape::escape;
use super::{
    ArrayShape, Attribute, AxisRef, Devices, Instruction, Layout, MeshAxes, Metadata, Operand, ReplicaGroups, Shape,
    Text, Tile, Transposed, Value,
};
use std::fmt::{self, Display, Formatter, Write};

/// The style of an HLO text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Names of instructions and computations have a `%` before them.
    pub percent: bool,
    /// Every fifth operand has a comment with its index before it. (The elements of a tuple's shape always have it.)
    pub counted: bool,
}

impl Style {
    /// The style in which compilers dump whole modules.
    pub const MODULE: Self = Self { percent: true, counted: true };
}

/// Writes items with a separator between them.
fn join<T>(
    f: &mut Formatter<'_>,
    separator: &str,
    items: impl IntoIterator<Item = T>,
    mut each: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        each(f, item)?;
    }
    Ok(())
}

fn numbers(f: &mut Formatter<'_>, numbers: &[u64]) -> fmt::Result {
    join(f, ",", numbers, |f, n| write!(f, "{n}"))
}

/// Writes the comment before every fifth item of a list.
fn index(f: &mut Formatter<'_>, i: usize) -> fmt::Result {
    if i > 0 && i.is_multiple_of(5) { write!(f, "/*index={i}*/") } else { Ok(()) }
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_shape(f, self, true)
    }
}

impl Shape {
    /// Returns the text without layouts, such as `bf16[8,128]`.
    pub fn without_layout(&self) -> impl Display {
        struct Bare<'a>(&'a Shape);
        impl Display for Bare<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                write_shape(f, self.0, false)
            }
        }
        Bare(self)
    }
}

/// Writes a shape, with or without layouts. Readers limit the nesting to [`Shape::DEPTH`].
pub(super) fn write_shape(f: &mut Formatter<'_>, shape: &Shape, layouts: bool) -> fmt::Result {
    match shape {
        Shape::Array(array) => {
            write_array(f, array)?;
            match &array.layout {
                Some(layout) if layouts => layout.fmt(f),
                _ => Ok(()),
            }
        }
        Shape::Tuple(elements) => {
            f.write_char('(')?;
            join(f, ", ", elements.iter().enumerate(), |f, (i, element)| {
                index(f, i)?;
                write_shape(f, element, layouts)
            })?;
            f.write_char(')')
        }
        Shape::Token => f.write_str("token[]"),
        Shape::Opaque => f.write_str("opaque[]"),
        Shape::Buffer(inner) => {
            f.write_str("b(")?;
            write_shape(f, inner, layouts)?;
            f.write_char(')')
        }
        Shape::Other(text) => f.write_str(text),
    }
}

fn write_array(f: &mut Formatter<'_>, array: &ArrayShape) -> fmt::Result {
    write!(f, "{}[", array.dtype)?;
    join(f, ",", array.dims.iter().enumerate(), |f, (i, dim)| match (array.is_dynamic(i), *dim) {
        (true, ArrayShape::UNBOUNDED) => f.write_char('?'),
        (true, dim) => write!(f, "<={dim}"),
        (false, dim) => write!(f, "{dim}"),
    })?;
    f.write_char(']')
}

impl Display for Layout {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        join(f, ",", &self.minor_to_major, |f, dim| write!(f, "{dim}"))?;
        let others = |f: &mut Formatter<'_>, rank| {
            let mut wanted = self.others.iter().filter(|t| t.rank() == rank);
            wanted.try_for_each(|t| write!(f, "{}({})", t.key, t.value))
        };
        let Self { tiles, element_bits, tail_alignment, memory_space, others: tails, .. } = self;
        let plain =
            tiles.is_empty() && tails.is_empty() && (*element_bits, *tail_alignment, *memory_space) == (0, 0, 0);
        if !plain {
            f.write_char(':')?;
        }
        others(f, 0)?;
        if !self.tiles.is_empty() {
            f.write_char('T')?;
        }
        self.tiles.iter().try_for_each(|tile| tile.fmt(f))?;
        if self.tail_alignment > 0 {
            write!(f, "L({})", self.tail_alignment)?;
        }
        others(f, 1)?;
        if self.element_bits > 0 {
            write!(f, "E({})", self.element_bits)?;
        }
        if self.memory_space != 0 {
            write!(f, "S({})", self.memory_space)?;
        }
        others(f, 2)?;
        f.write_char('}')
    }
}

impl Display for Tile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('(')?;
        join(f, ",", &self.dims, |f, dim| if *dim == Self::COMBINE { f.write_char('*') } else { write!(f, "{dim}") })?;
        f.write_char(')')
    }
}

impl Display for ReplicaGroups {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("{}"),
            Self::Lists(lists) => {
                f.write_char('{')?;
                join(f, ",", lists, |f, list| {
                    f.write_char('{')?;
                    numbers(f, list)?;
                    f.write_char('}')
                })?;
                f.write_char('}')
            }
            Self::Iota(iota) => write!(f, "[{},{}]<={}", iota.groups, iota.size, iota.order),
            Self::Mesh(mesh) => mesh.fmt(f),
            Self::Pairs(pairs) => {
                f.write_char('{')?;
                join(f, ",", pairs, |f, (from, to)| write!(f, "{{{from},{to}}}"))?;
                f.write_char('}')
            }
        }
    }
}

impl Display for Transposed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        numbers(f, &self.dims)?;
        f.write_char(']')?;
        if !self.perm.is_empty() {
            f.write_str("T(")?;
            numbers(f, &self.perm)?;
            f.write_char(')')?;
        }
        Ok(())
    }
}

impl Display for MeshAxes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("mesh[")?;
        join(f, ",", &self.mesh, |f, (name, size)| write!(f, "'{name}'={size}"))?;
        f.write_char(']')?;
        match &self.devices {
            Devices::Counting => {}
            Devices::Transposed(order) => write!(f, ", device_ids=({order})")?,
            Devices::Listed(devices) => {
                f.write_str(", device_ids=(")?;
                numbers(f, devices)?;
                f.write_char(')')?;
            }
        }
        f.write_str(" {")?;
        join(f, ",", &self.axes, |f, AxisRef { axis, sub }| {
            match self.mesh.get(*axis) {
                Some((name, _)) => write!(f, "'{name}'")?,
                None => write!(f, "{axis}")?,
            }
            sub.map_or(Ok(()), |(pre, size)| write!(f, ":({pre}){size}"))
        })?;
        f.write_char('}')
    }
}

impl Display for Metadata {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let quoted = |text: &Option<Text>| text.as_ref().map(|text| escape(text));
        let number = |n: u32| (n > 0).then(|| n.to_string());
        // This is the order in which compilers write the fields.
        let known = [
            ("op_type", quoted(&self.op_type)),
            ("op_name", quoted(&self.op_name)),
            ("source_file", quoted(&self.source_file)),
            ("source_line", number(self.source_line)),
            ("source_end_line", number(self.source_end_line)),
            ("source_column", number(self.source_column)),
            ("source_end_column", number(self.source_end_column)),
            ("deduplicated_name", quoted(&self.deduplicated_name)),
            ("scheduling_name", quoted(&self.scheduling_name)),
            ("stack_frame_id", number(self.stack_frame)),
        ];
        let known = known.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let others = self.others.iter().map(|(key, value)| (&**key, value.to_string()));
        f.write_char('{')?;
        join(f, " ", known.chain(others), |f, (key, value)| write!(f, "{key}={value}"))?;
        f.write_char('}')
    }
}

/// A value together with the style in which it is printed.
pub(super) struct Styled<'a, T>(pub(super) &'a T, pub(super) Style);

impl Style {
    pub(super) fn name(self, f: &mut Formatter<'_>, name: &str) -> fmt::Result {
        if self.percent {
            f.write_char('%')?;
        }
        f.write_str(name)
    }
}

impl Instruction {
    /// Returns the text of the instruction in the given style.
    pub fn display(&self, style: Style) -> impl Display {
        Styled(self, style)
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Styled(self, Style { percent: true, counted: false }).fmt(f)
    }
}

impl Display for Styled<'_, Instruction> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(instruction, style) = *self;
        if instruction.is_root {
            f.write_str("ROOT ")?;
        }
        style.name(f, &instruction.name)?;
        write!(f, " = {} {}(", instruction.shape, instruction.opcode)?;
        match &instruction.argument {
            Some(argument) => f.write_str(argument)?,
            None => join(f, ", ", instruction.operands.iter().enumerate(), |f, (i, operand)| {
                if style.counted {
                    index(f, i)?;
                }
                write_operand(f, operand, style)
            })?,
        }
        f.write_char(')')?;
        write_attributes(f, &instruction.attributes, style)
    }
}

fn write_operand(f: &mut Formatter<'_>, operand: &Operand, style: Style) -> fmt::Result {
    match &operand.shape {
        Some(shape) if operand.name.is_empty() => shape.fmt(f),
        Some(shape) => {
            write!(f, "{shape} ")?;
            style.name(f, &operand.name)
        }
        None => style.name(f, &operand.name),
    }
}

/// Writes `, key=value` for each attribute.
pub(super) fn write_attributes(f: &mut Formatter<'_>, attributes: &[Attribute], style: Style) -> fmt::Result {
    for Attribute { key, value } in attributes {
        f.write_str(", ")?;
        if !key.is_empty() {
            write!(f, "{key}=")?;
        }
        match value {
            Value::Text(text) => f.write_str(text)?,
            Value::Groups(groups) => groups.fmt(f)?,
            Value::Metadata(metadata) => metadata.fmt(f)?,
            Value::Calls(calls) => {
                // One computation is written as `calls=%f`, but as `called_computations={%f}`.
                let braces = key.ends_with("_computations") || calls.len() != 1;
                write_names(f, calls.iter().map(|c| &*c.name), braces, style)?;
            }
            Value::Instructions(before) => write_names(f, before.iter().map(|o| &*o.name), true, style)?,
        }
    }
    Ok(())
}

fn write_names<'a>(
    f: &mut Formatter<'_>,
    names: impl Iterator<Item = &'a str>,
    braces: bool,
    style: Style,
) -> fmt::Result {
    if braces {
        f.write_char('{')?;
    }
    join(f, ", ", names, |f, name| style.name(f, name))?;
    if braces { f.write_char('}') } else { Ok(()) }
}
