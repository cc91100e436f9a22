//! This module numbers the values of a body: the results of operations and the arguments of blocks.
//!
//! A region reserves numbers for the values that it defines, behind those of the regions around it. The first number of
//! a region that is isolated from above is 0. Memory grows with the values that are defined, not with those reserved.

use super::unread::{Read, Unread};

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    /// Number of its type.
    pub type_index: u64,
    /// Its number, if that is known without running the kernel.
    pub constant: Option<i64>,
}

/// The values of a region.
#[derive(Debug)]
struct Region {
    is_isolated: bool,
    /// Number of the first value.
    base: u64,
    /// How many values the region defines.
    reserved: u64,
    defined: Vec<Value>,
}

/// The values that can be named where the walk stands.
#[derive(Debug, Default)]
pub(super) struct Values {
    regions: Vec<Region>,
}

impl Values {
    /// Enters a region that defines `reserved` values.
    pub fn enter(&mut self, is_isolated: bool, reserved: u64) -> Read<()> {
        let outer = self.regions.last().filter(|_| !is_isolated);
        let base = outer.map_or(Some(0), |outer| outer.base.checked_add(outer.reserved)).ok_or(Unread::Overflow)?;
        self.regions.push(Region { is_isolated, base, reserved, defined: Vec::new() });
        Ok(())
    }

    /// Leaves the innermost region.
    pub fn leave(&mut self) {
        self.regions.pop();
    }

    /// Defines the next value of the innermost region. A value beyond those reserved has no number.
    pub fn define(&mut self, value: Value) {
        if let Some(region) = self.regions.last_mut().filter(|region| (region.defined.len() as u64) < region.reserved) {
            region.defined.push(value);
        }
    }

    /// Returns the value with a number. [`Unread::Absent`] if it is not defined yet.
    pub fn find(&self, number: u64) -> Read<Value> {
        for region in self.regions.iter().rev() {
            if let Some(index) = number.checked_sub(region.base) {
                let value = usize::try_from(index).ok().and_then(|index| region.defined.get(index));
                return value.copied().ok_or(Unread::Absent);
            }
            if region.is_isolated {
                break;
            }
        }
        Err(Unread::Absent)
    }
}
