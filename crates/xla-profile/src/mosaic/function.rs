//! This module reads what the function of a kernel declares: its grid, and the blocks of its operands
//! (`jax/_src/pallas/mosaic/lowering.py`).

use super::array_type::{ArrayType, array_type, size};
use super::attribute::{Attribute, decode, word};
use super::body::{DimensionSemantics, PipelineMode, Window};
use super::op_attributes::{OpAttributes, lossy};
use super::tables::Tables;
use super::unread::{MAX_RANK, MAX_WINDOWS, Read, Unread};

/// The name of the arguments in a reason.
const ARGUMENTS: &str = "arguments of the function";

/// The function of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub attributes: OpAttributes,
    /// Numbers of the types of the arguments: an index for each dimension of the grid, the scalars, the windows, and
    /// the scratch operands.
    pub arguments: Vec<u64>,
}

impl Function {
    pub fn name(&self, tables: &Tables<'_>) -> Read<String> {
        self.attributes.text(tables, "sym_name")
    }

    pub fn iteration_bounds(&self, tables: &Tables<'_>) -> Read<Vec<Option<u64>>> {
        sizes(self.attributes.attribute(tables, "iteration_bounds")?)
    }

    pub fn dimension_semantics(&self, tables: &Tables<'_>) -> Read<Vec<Read<DimensionSemantics>>> {
        let elements = elements(&self.attributes.attribute(tables, "dimension_semantics")?, MAX_RANK)?;
        let semantics = |index: &u64| {
            let attribute = decode(tables, *index)?;
            let word = word(&attribute)?;
            DimensionSemantics::from_key(word).ok_or_else(|| Unread::word(word))
        };
        Ok(elements.iter().map(semantics).collect())
    }

    /// Returns a count that is an attribute.
    pub fn count(&self, tables: &Tables<'_>, name: &str) -> Read<u64> {
        u64::try_from(self.attributes.integer(tables, name)?).map_err(|_| Unread::Encoding)
    }

    pub fn windows(&self, tables: &Tables<'_>) -> Read<Vec<Option<Window>>> {
        let elements = elements(&self.attributes.attribute(tables, "window_params")?, MAX_WINDOWS)?;
        let rank = self.iteration_bounds(tables).map(|bounds| bounds.len() as u64);
        let first = rank.and_then(|rank| Ok(rank.saturating_add(self.count(tables, "scalar_prefetch")?)));
        let window = |(position, dictionary): (u64, &u64)| {
            let Attribute::Dictionary(pairs) = decode(tables, *dictionary)? else { return Err(Unread::Encoding) };
            if pairs.count == 0 {
                return Ok(None);
            }
            let argument = first.clone().map(|first| first.saturating_add(position));
            Ok(Some(self.window(tables, *dictionary, argument)))
        };
        (0..).zip(&elements).map(window).collect()
    }

    /// Reads the window of an argument.
    fn window(&self, tables: &Tables<'_>, dictionary: u64, argument: Read<u64>) -> Window {
        let attributes = OpAttributes { dictionary: Some(dictionary), properties: None, is_registered: false };
        let mode = attributes.word(tables, "pipeline_mode");
        let transform = attributes.attribute(tables, "transform_indices").and_then(|symbol| match symbol {
            Attribute::Symbol(name) => decode(tables, name),
            _ => Err(Unread::Encoding),
        });
        Window {
            block: attributes.attribute(tables, "window_bounds").and_then(sizes),
            array: argument.and_then(|index| self.argument(tables, index)),
            pipeline_mode: mode.and_then(|mode| PipelineMode::from_text(mode).ok_or_else(|| Unread::word(mode))),
            transform_indices: transform.and_then(|name| match name {
                Attribute::String(name) => Ok(lossy(name)),
                _ => Err(Unread::Encoding),
            }),
        }
    }

    /// Returns the operands and results, which are the arguments between the indices of the grid and the scratch
    /// operands.
    pub fn operands(&self, tables: &Tables<'_>) -> Read<Vec<Read<ArrayType>>> {
        let rank = match self.iteration_bounds(tables) {
            Ok(bounds) => bounds.len() as u64,
            Err(Unread::Absent) => 0,
            Err(reason) => return Err(reason),
        };
        let end = self.first_scratch(tables)?;
        Ok((rank..end).map(|index| self.argument(tables, index)).collect())
    }

    /// Returns the scratch operands, which are the last arguments.
    pub fn scratch(&self, tables: &Tables<'_>) -> Read<Vec<Read<ArrayType>>> {
        let arguments = self.first_scratch(tables)?..self.arguments.len() as u64;
        Ok(arguments.map(|index| self.argument(tables, index)).collect())
    }

    fn first_scratch(&self, tables: &Tables<'_>) -> Read<u64> {
        let index = self.count(tables, "scratch_operands")?;
        let count = self.arguments.len() as u64;
        count.checked_sub(index).ok_or(Unread::Index { table: ARGUMENTS, index, count })
    }

    fn argument(&self, tables: &Tables<'_>, index: u64) -> Read<ArrayType> {
        let found = usize::try_from(index).ok().and_then(|index| self.arguments.get(index));
        let count = self.arguments.len() as u64;
        let type_index = found.ok_or(Unread::Index { table: ARGUMENTS, index, count })?;
        array_type(tables, *type_index)
    }
}

/// Returns the numbers of the elements of an array.
fn elements(attribute: &Attribute<'_>, limit: u64) -> Read<Vec<u64>> {
    let Attribute::Array(numbers) = attribute else { return Err(Unread::Encoding) };
    numbers.elements(limit)
}

/// Returns the sizes of a shape or of a grid.
fn sizes(attribute: Attribute<'_>) -> Read<Vec<Option<u64>>> {
    let Attribute::Integers(values) = attribute else { return Err(Unread::Encoding) };
    Ok(values.into_iter().map(size).collect())
}
