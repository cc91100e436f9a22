//! Instructions and attributes from text.

use super::scan::Scan;
use super::{groups, metadata, shape};
use crate::hlo::ids::Texts;
use crate::hlo::{Attribute, Call, Damage, Instruction, Operand, Shape, Style, Text, Value};

/// Reads instructions that share their texts.
pub(super) struct Reader {
    pub(super) texts: Texts,
    pub(super) damage: Damage,
    pub(super) style: Style,
    /// Parts that were read: instructions, operands, attributes and names in them.
    parts: usize,
    /// More parts than this, and reading stops.
    most: usize,
}

/// Attributes that name computations.
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

/// So many parts are allowed in any text.
const THIN: usize = 1 << 16;

impl Reader {
    /// For a text of so many bytes. A part takes about eighty bytes when it is read, and an instruction, which counts four, that much
    /// more; the plainest instructions that compilers print have almost six bytes per part.
    pub(super) fn new(bytes: usize) -> Self {
        let most = THIN.max(bytes / 5);
        Self { texts: Texts::default(), damage: Damage::default(), style: Style::default(), parts: 0, most }
    }

    /// Counts parts; `false` where there are more than a text of this length has.
    pub(super) fn room(&mut self, parts: usize) -> bool {
        self.parts = self.parts.saturating_add(parts);
        !self.is_thin()
    }

    /// The text has so many empty parts that reading it would take many times its size: reading stopped.
    pub(super) const fn is_thin(&self) -> bool {
        self.parts > self.most
    }

    /// Counts a piece that is not understood; the first few are quoted.
    pub(super) fn leftover(&mut self, piece: &str) {
        self.damage.leftover = self.damage.leftover.saturating_add(1);
        let quote = || piece.chars().take_while(|c| *c != '\n').take(60).collect::<String>();
        self.damage.note(|| format!("not understood: {}", quote()));
    }

    /// Counts that brackets or quotes of a text do not close.
    pub(super) fn unclosed(&mut self, scan: &Scan<'_>) {
        if scan.unclosed {
            self.damage.leftover = self.damage.leftover.saturating_add(1);
            self.damage.note(|| "a bracket or quote does not close".to_owned());
        }
    }

    /// Reads an instruction up to where nothing more of it follows. `None` if it does not start like one.
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

    /// A name with or without `%`.
    pub(super) fn name(&mut self, scan: &mut Scan<'_>) -> Option<Text> {
        let percent = scan.eat(b'%');
        let name = scan.name();
        self.style.percent |= percent;
        (!name.is_empty()).then(|| self.texts.get(name))
    }

    /// A shape; one that is not known is counted.
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

    /// Operands up to the end of the text.
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

    /// Every `, key=value` that follows.
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
                // No `key=`: the whole piece is kept as a value without a key.
                scan.back(place);
                self.leftover(scan.rest());
            }
            let start = scan.position();
            let mut value = scan.value();
            // A mesh may be followed by its devices: the one value with a comma outside of brackets.
            if value.starts_with("mesh[") && scan.eat_str(", device_ids=") {
                scan.value();
                value = scan.since(start).trim_end();
            }
            let key = self.texts.get(if known { key } else { "" });
            let value = self.value(&key, value);
            attributes.push(Attribute { key, value });
        }
    }

    /// The value of an attribute: read where there is a type for it and it fits, as text elsewhere.
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

    /// `%a` or `{%a, %b}`.
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
