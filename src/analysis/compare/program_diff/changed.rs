//! This module compares two instructions property by property.

use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::compare::matching::Digest;
use crate::analysis::compare::sections::{ChangedProperty, Property};
use crate::table::format::middle_cut;
use std::collections::BTreeMap;
use xla_profile::hlo::{ArrayShape, Call, Instruction, Layout, Shape, Value};

/// Largest number of characters of a text.
const TEXT: usize = 120;

/// Number of characters before the place where two texts differ.
const CONTEXT: usize = 12;

/// Attributes that have a property of their own, or that only name something.
const OWN: [&str; 9] = [
    "channel_id",
    "sharding",
    "operand_precision",
    "algorithm",
    "kind",
    "custom_call_target",
    "replica_groups",
    "source_target_pairs",
    "metadata",
];

/// Returns the properties in which two instructions differ. Empty if they are the same apart from names, ids and sources. If the
/// instructions are exchanged, the texts are.
pub(super) fn changed_properties(a: InstructionRef<'_>, b: InstructionRef<'_>) -> Vec<ChangedProperty> {
    let mut changed = Changed::default();
    changed.compare(Property::Opcode, &opcode(a), &opcode(b));
    changed.arrays(a, b);
    let (parts_a, parts_b) = (a.parts(), b.parts());
    changed.fused(a, &parts_a, b, &parts_b);
    let groups = |side: InstructionRef<'_>| {
        side.worker().instruction.replica_groups().map_or_else(String::new, ToString::to_string)
    };
    changed.compare(Property::Groups, &groups(a), &groups(b));
    changed.compare(Property::Precision, &precision(a, &parts_a), &precision(b, &parts_b));
    changed.compare(Property::Sharding, &sharding(a), &sharding(b));
    changed.attributes(a.instruction, b.instruction);
    if changed.0.is_empty() && inside(&parts_a) != inside(&parts_b) {
        let text = || "instructions inside the fusion".to_owned();
        changed.0.push(ChangedProperty { property: Property::Attributes, a: text(), b: text() });
    }
    changed.0
}

#[derive(Default)]
struct Changed(Vec<ChangedProperty>);

impl Changed {
    fn push(&mut self, property: Property, a: &str, b: &str) {
        self.0.push(ChangedProperty { property, a: middle_cut(a, TEXT), b: middle_cut(b, TEXT) });
    }

    fn compare(&mut self, property: Property, a: &str, b: &str) {
        if a != b {
            self.push(property, a, b);
        }
    }

    /// Compares the arrays of results and operands. The texts are those of the first arrays that differ.
    fn arrays(&mut self, a: InstructionRef<'_>, b: InstructionRef<'_>) {
        let (arrays_a, arrays_b) = (arrays(a), arrays(b));
        if arrays_a.len() != arrays_b.len() {
            let text = |side: InstructionRef<'_>| {
                let operands: Vec<String> =
                    side.operand_shapes().map(|shape| shape.without_layout().to_string()).collect();
                format!("{} of ({})", side.instruction.shape.without_layout(), operands.join(", "))
            };
            let (a, b) = (text(a), text(b));
            self.push(Property::Shape, &a, &b);
            return;
        }
        let pairs = || arrays_a.iter().copied().zip(arrays_b.iter().copied());
        if let Some((a, b)) = pairs().find(|(a, b)| a.dims != b.dims) {
            self.push(Property::Shape, &text(a), &text(b));
        }
        if let Some((a, b)) = pairs().find(|(a, b)| a.dtype != b.dtype) {
            self.push(Property::Dtype, &a.dtype.to_string(), &b.dtype.to_string());
        }
        // Layouts of arrays of another rank cannot be compared, and a layout that is not given is unknown.
        let layouts = pairs().filter(|(a, b)| a.dims.len() == b.dims.len());
        let layouts = layouts.filter_map(|(a, b)| Some((a.layout.as_deref()?, b.layout.as_deref()?)));
        let in_main = |layout: &Layout| Layout { memory_space: 0, ..layout.clone() };
        if let Some((a, b)) = layouts.into_iter().map(|(a, b)| (in_main(a), in_main(b))).find(|(a, b)| a != b) {
            self.push(Property::Layout, &a.to_string(), &b.to_string());
        }
        if let Some((a, b)) = pairs().find(|(a, b)| a.memory_space() != b.memory_space()) {
            let text = |array: &ArrayShape| format!("S({})", array.memory_space());
            self.push(Property::MemorySpace, &text(a), &text(b));
        }
    }

    /// Compares the opcodes inside of fusions. The texts have those that the other side has less often.
    fn fused(
        &mut self,
        a: InstructionRef<'_>,
        parts_a: &[InstructionRef<'_>],
        b: InstructionRef<'_>,
        parts_b: &[InstructionRef<'_>],
    ) {
        if a.opcode() != b.opcode() || a.opcode() != "fusion" {
            return;
        }
        let kind = |side: InstructionRef<'_>| side.instruction.fusion_kind().unwrap_or_default().to_owned();
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        parts_a.iter().for_each(|part| *counts.entry(opcode(*part)).or_default() += 1);
        parts_b.iter().for_each(|part| *counts.entry(opcode(*part)).or_default() -= 1);
        let more = |sign: i64| {
            let chosen = counts.iter().map(|(opcode, n)| (opcode.as_str(), n * sign)).filter(|(_, n)| *n > 0);
            chosen.map(|(opcode, n)| times(opcode, n.unsigned_abs())).collect::<Vec<String>>().join(", ")
        };
        let (more_a, more_b) = (more(1), more(-1));
        let has_other_ops = more_a != more_b;
        let (text_a, text_b) = if has_other_ops { (more_a, more_b) } else { (kind(a), kind(b)) };
        self.compare(Property::FusedSet, &text_a, &text_b);
    }

    /// Compares all other attributes. The texts are those of the first one that differs.
    fn attributes(&mut self, a: &Instruction, b: &Instruction) {
        let (all_a, all_b) = (attributes(a), attributes(b));
        let keys = all_a.keys().chain(all_b.keys());
        let mut different: Vec<&str> = keys.copied().filter(|key| all_a.get(key) != all_b.get(key)).collect();
        different.sort_unstable();
        if let Some(key) = different.first() {
            let [of_a, of_b] = [&all_a, &all_b].map(|all| all.get(key).map_or_else(String::new, Attribute::text));
            let (of_a, of_b) = differing_parts(&of_a, &of_b);
            self.0.push(ChangedProperty {
                property: Property::Attributes,
                a: format!("{key}={of_a}"),
                b: format!("{key}={of_b}"),
            });
        }
    }
}

/// Returns the parts of two texts from shortly before the place where they differ.
fn differing_parts(a: &str, b: &str) -> (String, String) {
    let n_common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let skipped = if n_common > 2 * CONTEXT { n_common - CONTEXT } else { 0 };
    let part = |text: &str| {
        let start = if skipped > 0 { "…" } else { "" };
        let mut part: String = start.chars().chain(text.chars().skip(skipped)).take(TEXT).collect();
        if text.chars().count() > skipped + TEXT {
            part.push('…');
        }
        part
    };
    (part(a), part(b))
}

/// The value of an attribute, without names.
#[derive(PartialEq, Eq)]
enum Attribute<'a> {
    Text(&'a str),
    /// Number of computations or of instructions.
    Number(usize),
}

impl<'a> Attribute<'a> {
    /// Returns `None` for names and for values that have a property of their own.
    fn new(value: &'a Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(Self::Text(text)),
            Value::Calls(calls) => Some(Self::Number(calls.len())),
            Value::Instructions(_) | Value::Groups(_) | Value::Metadata(_) => None,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Text(text) => (*text).to_owned(),
            Self::Number(n) => n.to_string(),
        }
    }
}

/// Returns the attributes without properties of their own, and the value of a constant.
fn attributes(instruction: &Instruction) -> BTreeMap<&str, Attribute<'_>> {
    let others = instruction.attributes.iter().filter(|attribute| !OWN.contains(&&*attribute.key));
    let mut all: BTreeMap<&str, Attribute<'_>> =
        others.filter_map(|attribute| Some((&*attribute.key, Attribute::new(&attribute.value)?))).collect();
    if let Some(literal) = instruction.argument.as_deref().filter(|_| &*instruction.opcode == "constant") {
        all.insert("value", Attribute::Text(literal));
    }
    all
}

/// Returns the opcode of an instruction, with the target of a custom call and the reduction of a reduce.
fn opcode(instruction: InstructionRef<'_>) -> String {
    let target = instruction.instruction.custom_call_target();
    let reduction = instruction.instruction.call("to_apply").and_then(|call| reduction(instruction, call));
    let name = target.or(reduction).map_or_else(String::new, |name| format!(" {name}"));
    format!("{}{name}", instruction.opcode())
}

/// Returns the opcode of the result of a computation that an instruction applies.
fn reduction<'a>(instruction: InstructionRef<'a>, call: &Call) -> Option<&'a str> {
    let module = instruction.module?.0;
    let root = module.computation(call.id?)?.root?;
    Some(&module.instruction(root)?.opcode)
}

/// Returns the arrays of the result and of the operands, in order.
fn arrays(instruction: InstructionRef<'_>) -> Vec<&ArrayShape> {
    std::iter::once(&instruction.instruction.shape)
        .chain(instruction.operand_shapes())
        .flat_map(Shape::arrays)
        .collect()
}

fn text(shape: &ArrayShape) -> String {
    Shape::Array(ArrayShape { layout: None, ..shape.clone() }).to_string()
}

/// Returns how exactly an instruction and those inside of it multiply. Empty for the default.
fn precision(instruction: InstructionRef<'_>, parts: &[InstructionRef<'_>]) -> String {
    let texts = std::iter::once(&instruction).chain(parts).flat_map(|instruction| {
        ["operand_precision", "algorithm"].into_iter().filter_map(|key| instruction.instruction.text(key))
    });
    counted(texts)
}

/// Returns the sharding of an instruction; for a parameter, the number of pieces along each dimension. Empty if it is unknown.
fn sharding(instruction: InstructionRef<'_>) -> String {
    let tiles = || Some(format!("{:?}", instruction.module?.0.parameter_tiles(instruction.instruction)?));
    instruction.instruction.text("sharding").map(str::to_owned).or_else(tiles).unwrap_or_default()
}

/// Returns a digest of the instructions inside of a fusion that does not depend on their order.
fn inside(parts: &[InstructionRef<'_>]) -> u64 {
    let digest = |part: &InstructionRef<'_>| {
        let mut digest = Digest::default();
        digest.add(opcode(*part));
        digest.print(&part.instruction.shape);
        for (key, value) in attributes(part.instruction) {
            digest.add((key, value.text()));
        }
        digest.finish()
    };
    parts.iter().map(digest).fold(0, u64::wrapping_add)
}

/// Returns texts with their numbers, in alphabetical order: "copy, fusion × 2".
pub(super) fn counted<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    counts.into_iter().map(|(text, n)| times(text, n)).collect::<Vec<String>>().join(", ")
}

fn times(text: &str, n: u64) -> String {
    if n == 1 { text.to_owned() } else { format!("{text} × {n}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text;

    fn changes(a: &str, b: &str) -> Vec<(Property, String, String)> {
        let [a, b] = [a, b].map(|written| text::instruction(written).unwrap().instruction);
        let reference = |instruction| InstructionRef { instruction, module: None, tpu: false };
        let there = changed_properties(reference(&a), reference(&b));
        let turned = changed_properties(reference(&b), reference(&a));
        let swapped =
            turned.into_iter().map(|change| ChangedProperty { property: change.property, a: change.b, b: change.a });
        assert_eq!(there, swapped.collect::<Vec<_>>());
        there.into_iter().map(|change| (change.property, change.a, change.b)).collect()
    }

    #[test]
    fn each_property_has_its_texts() {
        let one = |property, a: &str, b: &str| vec![(property, a.to_owned(), b.to_owned())];
        let dot = "%d = f32[8,4]{1,0} dot(bf16[8,2]{1,0} %a, bf16[2,4]{1,0} %b)";
        let with = |from: &str, to: &str| dot.replace(from, to);
        for (other, wanted) in [
            (with("%a", "%c"), Vec::new()),
            (with("bf16[8,2]", "bf16[8,16]"), one(Property::Shape, "bf16[8,2]", "bf16[8,16]")),
            (with("f32[8,4]", "bf16[8,4]"), one(Property::Dtype, "f32", "bf16")),
            (with("[8,2]{1,0}", "[8,2]{0,1}"), one(Property::Layout, "{1,0}", "{0,1}")),
            (with("[8,2]{1,0}", "[8,2]{1,0:S(1)}"), one(Property::MemorySpace, "S(0)", "S(1)")),
            (with("[8,2]{1,0}", "[8,2]"), Vec::new()),
            (with(" dot(", " convolution("), one(Property::Opcode, "dot", "convolution")),
            (
                format!("{dot}, operand_precision={{highest,highest}}"),
                one(Property::Precision, "", "{highest,highest}"),
            ),
            (format!("{dot}, sharding={{replicated}}"), one(Property::Sharding, "", "{replicated}")),
            (format!("{dot}, channel_id=3, metadata={{op_name=\"x\"}}"), Vec::new()),
            (
                format!("{dot}, lhs_contracting_dims={{1}}"),
                one(Property::Attributes, "lhs_contracting_dims=", "lhs_contracting_dims={1}"),
            ),
        ] {
            assert_eq!(changes(dot, &other), wanted, "{other}");
        }
        let reduce = "%r = f32[8] all-reduce(f32[8] %x), replica_groups={{0,1},{2,3}}";
        assert_eq!(
            changes(reduce, &reduce.replace("{{0,1},{2,3}}", "{{0,2},{1,3}}")),
            one(Property::Groups, "{{0,1},{2,3}}", "{{0,2},{1,3}}")
        );
        let (texts, more) = ("x".repeat(200), "y".repeat(200));
        let (a, b) = differing_parts(&format!("{texts}a{more}"), &format!("{texts}b{more}"));
        assert_eq!((a.chars().count(), a.chars().position(|c| c == 'a')), (TEXT + 1, Some(CONTEXT + 1)));
        assert_eq!(b, a.replace('a', "b"));
    }
}
