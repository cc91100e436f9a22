//! This module walks over the operations of a body in their order. It knows the structure of operations, regions and
//! blocks, and passes each operation to a [`Visitor`].
//!
//! The walk keeps a stack of its own, so that no nesting leads to a recursion. Each count in the file is followed by
//! bytes for each of its elements, so that the walk ends with the bytes.

use super::cursor::Cursor;
use super::tables::{IR, ISOLATED_SECTIONS, OPTIONAL_LOCATIONS, OpName, Tables, USE_LIST_ORDERS};
use super::unread::{MAX_DEPTH, Read, Unread};
use super::values::{Value, Values};

/// Bits of an operation that say which of its parts the file has.
const HAS_ATTRIBUTES: u8 = 1;
const HAS_RESULTS: u8 = 1 << 1;
const HAS_OPERANDS: u8 = 1 << 2;
const HAS_SUCCESSORS: u8 = 1 << 3;
const HAS_REGIONS: u8 = 1 << 4;
const HAS_USE_LISTS: u8 = 1 << 5;
const HAS_PROPERTIES: u8 = 1 << 6;

/// An operation, without its regions.
#[derive(Debug)]
pub(super) struct Op<'t, 'a> {
    /// Number of the name.
    pub name_index: u64,
    pub name: &'t OpName<'a>,
    /// Number of the dictionary of attributes.
    pub attributes: Option<u64>,
    /// Number of the properties.
    pub properties: Option<u64>,
    /// Numbers of the values.
    pub operands: &'t [u64],
    /// Numbers of the types.
    pub results: &'t [u64],
}

/// What sees the operations of a walk.
pub(super) trait Visitor {
    /// Sees an operation, and returns the value of its only result if that is a known number. An error ends the walk.
    fn visit_op(&mut self, op: &Op<'_, '_>, values: &Values) -> Read<Option<i64>>;
    /// Enters the regions of the operation that was seen last.
    fn enter_op(&mut self);
    /// Enters the next region of an operation.
    fn enter_region(&mut self);
    /// Enters the next block of a region, whose arguments have these types.
    fn enter_block(&mut self, arguments: &[u64]);
    /// Leaves the operation that was entered last.
    fn leave_op(&mut self);
}

/// The regions of an operation that the walk is in.
#[derive(Debug)]
struct Frame {
    regions: u64,
    blocks: u64,
    ops: u64,
    is_isolated: bool,
    /// Whether the regions have a section of their own, and thus a cursor.
    has_cursor: bool,
    /// Whether values of the current region are to be left.
    has_values: bool,
}

/// A walk, with the numbers of the last operation in memory that is used again.
struct Walk<'t, 'a> {
    tables: &'t Tables<'a>,
    cursor: Cursor<'a>,
    /// Cursors of the sections around the current one.
    outer: Vec<Cursor<'a>>,
    frames: Vec<Frame>,
    values: Values,
    operands: Vec<u64>,
    results: Vec<u64>,
}

/// Walks over all operations.
///
/// # Errors
/// Returns an error if the structure is damaged. The visitor has then seen the operations before the damage.
pub(super) fn walk(tables: &Tables<'_>, visitor: &mut impl Visitor) -> Read<()> {
    let mut walk = Walk {
        tables,
        cursor: tables.operations,
        outer: Vec::new(),
        frames: Vec::new(),
        values: Values::default(),
        operands: Vec::new(),
        results: Vec::new(),
    };
    // The file has one block without a region, whose values have no numbers.
    walk.values.enter(true, 0)?;
    let (has_cursor, has_values) = (false, true);
    walk.frames.push(Frame { regions: 0, blocks: 1, ops: 0, is_isolated: true, has_cursor, has_values });
    while walk.step(visitor)? {}
    Ok(())
}

impl<'a> Walk<'_, 'a> {
    /// Reads the next operation, or the start of the next block or region. Returns `false` at the end.
    fn step(&mut self, visitor: &mut impl Visitor) -> Read<bool> {
        let depth = self.frames.len();
        let Some(frame) = self.frames.last_mut() else { return Ok(false) };
        if frame.ops > 0 {
            frame.ops = frame.ops.saturating_sub(1);
            self.op(visitor)?;
        } else if frame.blocks > 0 {
            frame.blocks = frame.blocks.saturating_sub(1);
            let (ops, has_arguments) = self.cursor.flagged()?;
            frame.ops = ops;
            self.results.clear();
            if has_arguments {
                self.block_arguments()?;
            }
            // The block of the file itself is no block of an operation.
            if depth > 1 {
                visitor.enter_block(&self.results);
            }
        } else if frame.regions > 0 {
            frame.regions = frame.regions.saturating_sub(1);
            if std::mem::take(&mut frame.has_values) {
                self.values.leave();
            }
            frame.blocks = self.cursor.count()?;
            if frame.blocks > 0 {
                frame.has_values = true;
                let reserved = self.cursor.number()?;
                self.values.enter(frame.is_isolated, reserved)?;
            }
            visitor.enter_region();
        } else {
            if frame.has_values {
                self.values.leave();
            }
            if let Some(outer) = self.outer.pop_if(|_| frame.has_cursor) {
                self.cursor = outer;
            }
            self.frames.pop();
            if !self.frames.is_empty() {
                visitor.leave_op();
            }
        }
        Ok(true)
    }

    /// Reads the types of the arguments of a block into `results`.
    fn block_arguments(&mut self) -> Read<()> {
        for _ in 0..self.cursor.count()? {
            let (type_index, has_location) = if self.tables.version >= OPTIONAL_LOCATIONS {
                self.cursor.flagged()?
            } else {
                (self.cursor.number()?, true)
            };
            if has_location {
                self.cursor.number()?;
            }
            self.results.push(type_index);
            self.values.define(Value { type_index, constant: None });
        }
        if self.tables.version >= USE_LIST_ORDERS && self.cursor.byte()? != 0 {
            use_lists(&mut self.cursor, self.results.len())?;
        }
        Ok(())
    }

    /// Reads an operation without its regions.
    fn op(&mut self, visitor: &mut impl Visitor) -> Read<()> {
        let cursor = &mut self.cursor;
        let name_index = cursor.number()?;
        let name = self.tables.op_name(name_index)?;
        let parts = cursor.byte()?;
        cursor.number()?;
        let has = |part: u8| parts & part != 0;
        let attributes = if has(HAS_ATTRIBUTES) { Some(cursor.number()?) } else { None };
        let properties = if has(HAS_PROPERTIES) { Some(cursor.number()?) } else { None };
        numbers(cursor, has(HAS_RESULTS), &mut self.results)?;
        numbers(cursor, has(HAS_OPERANDS), &mut self.operands)?;
        if has(HAS_SUCCESSORS) {
            for _ in 0..cursor.count()? {
                cursor.number()?;
            }
        }
        if has(HAS_USE_LISTS) && self.tables.version >= USE_LIST_ORDERS {
            use_lists(cursor, self.results.len())?;
        }
        let (regions, is_isolated) = if has(HAS_REGIONS) { cursor.flagged()? } else { (0, false) };
        let op = Op { name_index, name, attributes, properties, operands: &self.operands, results: &self.results };
        let constant = visitor.visit_op(&op, &self.values)?;
        for type_index in &self.results {
            self.values.define(Value { type_index: *type_index, constant });
        }
        if regions > 0 {
            visitor.enter_op();
            self.enter(regions, is_isolated)?;
        }
        Ok(())
    }

    /// Enters the regions of an operation.
    fn enter(&mut self, regions: u64, is_isolated: bool) -> Read<()> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(Unread::TooDeep);
        }
        let has_cursor = is_isolated && self.tables.version >= ISOLATED_SECTIONS;
        if has_cursor {
            let offset = self.cursor.offset();
            let section = self.cursor.section()?;
            if usize::from(section.id) != IR {
                return Err(Unread::Invalid { offset });
            }
            self.outer.push(std::mem::replace(&mut self.cursor, section.contents));
        }
        self.frames.push(Frame { regions, blocks: 0, ops: 0, is_isolated, has_cursor, has_values: false });
        Ok(())
    }
}

/// Reads numbers into memory that is used again. There are none if the file does not have the part.
fn numbers(cursor: &mut Cursor<'_>, is_present: bool, numbers: &mut Vec<u64>) -> Read<()> {
    numbers.clear();
    if is_present {
        for _ in 0..cursor.count()? {
            numbers.push(cursor.number()?);
        }
    }
    Ok(())
}

/// Skips the orders of the uses of some of `values` values. The number of orders, and the value that each belongs to,
/// are absent for a single value.
fn use_lists(cursor: &mut Cursor<'_>, values: usize) -> Read<()> {
    let is_single = values <= 1;
    let lists = if is_single { 1 } else { cursor.count()? };
    for _ in 0..lists {
        if !is_single {
            cursor.number()?;
        }
        let (indices, _) = cursor.flagged()?;
        for _ in 0..indices {
            cursor.number()?;
        }
    }
    Ok(())
}
