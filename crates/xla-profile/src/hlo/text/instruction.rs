//! This module parses instructions and attributes.

use super::scan::Scan;
use super::{groups, metadata, shape};
use crate::hlo::ids::Texts;
use crate::hlo::{Attribute, Call, Damage, Instruction, Operand, Shape, Style, Text, Value};

/// A parser of instructions that share their texts.
pub(super) struct Reader {
    pub(super) texts: Texts,
    pub(super) damage: Damage,
    pub(super) style: Style,
    /// Number of parsed parts: instructions, operands, attributes, and the names in attributes.
    parts: usize,
    /// Largest number of parts. Parsing stops above it.
    most: usize,
}

/// Keys of attributes whose values are computations.
const CALLS: [&str; 10] = [
    "body",
    "branch_computations",
    "called_computations",
    "calls",
    "condition",
    "false_computation",
    "scatter",
    "select",
    "to_apply",
    "true_computation",
];

/// Number of parts that every text may have, however short it is.
const ALWAYS_ALLOWED_PARTS: usize = 1 << 16;

impl Reader {
    /// Creates a parser for a text of `bytes` bytes. A parsed part takes about 80 bytes, and an instruction takes four
    /// times as much and counts as four parts. The plainest instructions that compilers print have almost six bytes per
    /// part.
    pub(super) fn new(bytes: usize) -> Self {
        let most = ALWAYS_ALLOWED_PARTS.max(bytes / 5);
        Self { texts: Texts::default(), damage: Damage::default(), style: Style::default(), parts: 0, most }
    }

    /// Counts parts. Returns `false` if there are more parts than a text of this length may have.
    pub(super) fn room(&mut self, parts: usize) -> bool {
        self.parts = self.parts.saturating_add(parts);
        !self.has_too_many_parts()
    }

    /// Returns whether parsing stopped, because the text has so many empty parts that it would take many times its size
    /// in memory.
    pub(super) const fn has_too_many_parts(&self) -> bool {
        self.parts > self.most
    }

    /// Counts a piece of text that could not be parsed. The notes quote the first few pieces.
    pub(super) fn leftover(&mut self, piece: &str) {
        self.damage.leftover = self.damage.leftover.saturating_add(1);
        let quote = || piece.chars().take_while(|c| *c != '\n').take(60).collect::<String>();
        self.damage.note(|| format!("not understood: {}", quote()));
    }

    /// Counts a bracket or a quote that does not close, if the text has one.
    pub(super) fn unclosed(&mut self, scan: &Scan<'_>) {
        if scan.unclosed {
            self.damage.leftover = self.damage.leftover.saturating_add(1);
            self.damage.note(|| "a bracket or quote does not close".to_owned());
        }
    }

    /// Parses an instruction and its attributes. Returns `None` if the text does not start with `name = shape opcode(`.
    pub(super) fn instruction(&mut self, scan: &mut Scan<'_>) -> Option<Instruction> {
        if !self.room(4) {
            return None;
        }
        let is_root = scan.eat_word("ROOT");
        scan.space();
        let name = self.name(scan)?;
        scan.space();
        if !scan.eat(b'=') {
            return None;
        }
        scan.space();
        let shape = self.shape(scan)?;
        scan.space();
        let opcode = self.texts.get(scan.word());
        if opcode.is_empty() {
            return None;
        }
        let place = scan.position();
        let inner = scan.group()?;
        let (operands, argument) = self.operands(&opcode, inner);
        if scan.since(place).as_bytes().first() != Some(&b'(') {
            return None;
        }
        let attributes = self.attributes(scan);
        Some(Instruction {
            name,
            opcode,
            shape,
            operands,
            argument,
            attributes,
            is_root,
            computation: None,
            proto_id: None,
        })
    }

    /// Parses a name with or without `%`.
    pub(super) fn name(&mut self, scan: &mut Scan<'_>) -> Option<Text> {
        let percent = scan.eat(b'%');
        let name = scan.name();
        self.style.percent |= percent;
        (!name.is_empty()).then(|| self.texts.get(name))
    }

    /// Parses a shape. A shape of an unknown type is counted as a leftover.
    fn shape(&mut self, scan: &mut Scan<'_>) -> Option<Shape> {
        let start = scan.position();
        let shape = shape::read(scan)?;
        if matches!(shape, Shape::Other(_)) {
            self.leftover(scan.since(start));
        }
        Some(shape)
    }

    fn operands(&mut self, opcode: &str, inner: &str) -> (Vec<Operand>, Option<Text>) {
        if matches!(opcode, "parameter" | "constant") {
            return (Vec::new(), Some(self.texts.get(inner)));
        }
        self.style.counted |= inner.contains("/*index=");
        let mut scan = Scan::new(inner);
        if let Some(operands) = self.list(&mut scan) {
            return (operands, None);
        }
        self.leftover(scan.rest());
        (Vec::new(), Some(self.texts.get(inner)))
    }

    /// Parses operands up to the end of the text.
    fn list(&mut self, scan: &mut Scan<'_>) -> Option<Vec<Operand>> {
        let mut operands = Vec::new();
        loop {
            scan.lines();
            if scan.is_empty() {
                return Some(operands);
            }
            if !operands.is_empty() && !scan.eat(b',') {
                return None;
            }
            scan.lines();
            let shape = if scan.peek() == Some(b'%') { None } else { self.shape(scan) };
            scan.space();
            let name = self.name(scan);
            if name.is_none() && shape.is_none() || !self.room(1) {
                return None;
            }
            operands.push(Operand { name: name.unwrap_or_default(), shape, id: None });
        }
    }

    /// Parses all `, key=value` that follow.
    pub(super) fn attributes(&mut self, scan: &mut Scan<'_>) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        loop {
            scan.space();
            if !scan.eat(b',') || !self.room(1) {
                return attributes;
            }
            scan.space();
            let place = scan.position();
            let key = scan.word();
            let known = !key.is_empty() && scan.eat(b'=');
            if !known {
                // A piece without `key=` is kept as a value without a key.
                scan.back(place);
                self.leftover(scan.rest());
            }
            let start = scan.position();
            let mut value = scan.value();
            // Devices may follow a mesh. This is the only value with a comma outside of brackets.
            if value.starts_with("mesh[") && scan.eat_str(", device_ids=") {
                scan.value();
                value = scan.since(start).trim_end();
            }
            let key = self.texts.get(if known { key } else { "" });
            let value = self.value(&key, value);
            attributes.push(Attribute { key, value });
        }
    }

    /// Parses the value of an attribute. A value without a type of its own, or one that does not fit its type, is a
    /// text.
    fn value(&mut self, key: &str, text: &str) -> Value {
        let read = match key {
            "metadata" => metadata::read(text, &mut self.texts).map(|m| Value::Metadata(Box::new(m))),
            "replica_groups" => groups::read(text).map(|g| Value::Groups(Box::new(g))),
            "source_target_pairs" => groups::pairs(text).map(|g| Value::Groups(Box::new(g))),
            "control-predecessors" => self.names(text).map(|names| {
                let operand = |name| Operand { name, shape: None, id: None };
                Value::Instructions(names.into_iter().map(operand).collect())
            }),
            _ if CALLS.contains(&key) => self
                .names(text)
                .map(|names| Value::Calls(names.into_iter().map(|name| Call { name, id: None }).collect())),
            _ => None,
        };
        read.unwrap_or_else(|| Value::Text(self.texts.get(text)))
    }

    /// Parses `%a` or `{%a, %b}`.
    fn names(&mut self, text: &str) -> Option<Vec<Text>> {
        let mut scan = Scan::new(text);
        if !text.starts_with('{') {
            let name = self.name(&mut scan)?;
            return scan.is_empty().then(|| vec![name]);
        }
        let mut scan = Scan::new(scan.group()?);
        scan.space();
        let names = shape::list(&mut scan, |s| self.name(s).filter(|_| self.room(1)))?;
        scan.is_empty().then_some(names)
    }
}
