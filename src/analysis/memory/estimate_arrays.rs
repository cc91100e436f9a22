//! This module reads data for live ranges from the text of a program: the arrays of a shape, and the outputs that share
//! memory with a parameter. It does not depend on time.

use xla_profile::hlo::{ArrayShape, Module, Shape, Value};

/// Returns the arrays of a shape with their shape indices.
pub(super) fn arrays(shape: &Shape) -> Vec<(Vec<i64>, &ArrayShape)> {
    fn add<'s>(shape: &'s Shape, index: &mut Vec<i64>, found: &mut Vec<(Vec<i64>, &'s ArrayShape)>) {
        match shape {
            Shape::Array(array) => found.push((index.clone(), array)),
            Shape::Tuple(parts) => {
                for (i, part) in (0_i64..).zip(parts) {
                    index.push(i);
                    add(part, index, found);
                    index.pop();
                }
            }
            Shape::Buffer(inner) => add(inner, index, found),
            Shape::Token | Shape::Opaque | Shape::Other(_) => {}
        }
    }
    let mut found = Vec::new();
    add(shape, &mut Vec::new(), &mut found);
    found
}

/// Returns the outputs that share memory with a parameter: the index of the output and the number of the parameter,
/// from `{ {1}: (0, {}, may-alias), … }`.
pub(super) fn aliases(module: &Module) -> Vec<(usize, u64)> {
    let attribute = module.attributes.iter().find(|attribute| &*attribute.key == "input_output_alias");
    let Some(Value::Text(text)) = attribute.map(|attribute| &attribute.value) else { return Vec::new() };
    let one = |piece: &str| {
        let (output, parameter) = piece.rsplit_once("}:")?;
        let output = output.rsplit_once('{')?.1.trim();
        // A result that is no tuple has an empty index. An index of several parts belongs to a tuple in a tuple, and is
        // left out.
        let output = if output.is_empty() { 0 } else { output.parse().ok()? };
        Some((output, parameter.trim_start().strip_prefix('(')?.split_once(',')?.0.trim().parse().ok()?))
    };
    text.split("alias)").filter_map(one).collect()
}
