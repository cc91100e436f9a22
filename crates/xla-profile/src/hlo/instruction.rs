//! This module defines one instruction: name, opcode, shape, operands and attributes. An instruction is on its own (the
//! name of an op's event) or in a [`Module`](super::Module), where its operands and called computations also have ids.

use super::{ComputationId, InstructionId, Metadata, ReplicaGroups, Shape, Text};

/// An HLO instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Name, without `%`.
    pub name: Text,
    /// Opcode, such as `fusion` or `all-reduce-start`.
    pub opcode: Text,
    pub shape: Shape,
    /// Operands. Empty for a parameter and a constant, which have an `argument`.
    pub operands: Vec<Operand>,
    /// The text in the parentheses if it is not operands: the number of a parameter, the value of a constant, or text
    /// that could not be read as operands.
    pub argument: Option<Text>,
    /// The attributes after the parentheses, in order.
    pub attributes: Vec<Attribute>,
    /// The instruction is the root of its computation.
    pub is_root: bool,
    /// Computation of the instruction; `None` for an instruction on its own.
    pub computation: Option<ComputationId>,
    /// Id in the proto, by which buffers refer to the instruction. `None` if it was read from text.
    pub proto_id: Option<i64>,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// Name, without `%`.
    pub name: Text,
    /// Shape, if the text has it (the text of an op's event does, the text of a module does not).
    pub shape: Option<Shape>,
    /// Id in the module; `None` if the operand is not in a module.
    pub id: Option<InstructionId>,
}

/// A `key=value` after the operands of an instruction, or in the first line of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Text before `=`; empty if there is no `=`.
    pub key: Text,
    pub value: Value,
}

/// The value of an attribute. Only values that some code uses are parsed; all others are texts.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The text of the value.
    Text(Text),
    /// Computations, such as those of `calls=`, `to_apply=`, `body=`, `condition=` and `branch_computations=`.
    Calls(Vec<Call>),
    /// Instructions: `control-predecessors=`.
    Instructions(Vec<Operand>),
    /// `replica_groups=` and `source_target_pairs=`.
    Groups(Box<ReplicaGroups>),
    /// `metadata=`.
    Metadata(Box<Metadata>),
}

/// A computation that an instruction calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Name, without `%`.
    pub name: Text,
    /// Id in the module; `None` if the computation is not in a module.
    pub id: Option<ComputationId>,
}

impl Instruction {
    /// Returns the value of the first attribute with this key.
    pub fn attribute(&self, key: &str) -> Option<&Value> {
        self.attributes.iter().find(|a| *a.key == *key).map(|a| &a.value)
    }

    /// Returns the value of the attribute `key` without its quotes, if the value is a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.attribute(key)? {
            Value::Text(text) => Some(text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text)),
            _ => None,
        }
    }

    /// Iterates over the called computations in order. Those of a `while` are its condition and its body.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.attributes.iter().flat_map(|a| match &a.value {
            Value::Calls(calls) => calls.as_slice(),
            _ => &[],
        })
    }

    /// Returns the first computation of the attribute `key`, such as `instruction.call("body")`.
    pub fn call(&self, key: &str) -> Option<&Call> {
        match self.attribute(key)? {
            Value::Calls(calls) => calls.first(),
            _ => None,
        }
    }

    /// Returns the instructions that must run before this one although they are not its operands.
    pub fn control_predecessors(&self) -> &[Operand] {
        match self.attribute("control-predecessors") {
            Some(Value::Instructions(before)) => before,
            _ => &[],
        }
    }

    /// Returns the metadata: the op name and the source.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.attributes.iter().find_map(|a| match &a.value {
            Value::Metadata(metadata) => Some(metadata.as_ref()),
            _ => None,
        })
    }

    /// Returns the op name (such as `jit(step)/layer_0/dot_general`), which is empty if there is none.
    pub fn op_name(&self) -> &str {
        self.metadata().and_then(|m| m.op_name.as_deref()).unwrap_or_default()
    }

    /// Returns the replica groups or the source-target pairs. A collective with `replica_groups={}` has
    /// [`ReplicaGroups::All`].
    pub fn replica_groups(&self) -> Option<&ReplicaGroups> {
        self.attributes.iter().find_map(|a| match &a.value {
            Value::Groups(groups) => Some(groups.as_ref()),
            _ => None,
        })
    }

    /// Returns the kind of a fusion, such as `kLoop`.
    pub fn fusion_kind(&self) -> Option<&str> {
        self.text("kind")
    }

    /// Returns the target of a custom call.
    pub fn custom_call_target(&self) -> Option<&str> {
        self.text("custom_call_target")
    }

    /// Returns the text of `backend_config`, which is JSON in most cases.
    pub fn backend_config(&self) -> Option<&str> {
        self.text("backend_config")
    }

    /// Returns the number of a parameter, and `None` for other instructions.
    pub fn parameter_number(&self) -> Option<u64> {
        if &*self.opcode == "parameter" { self.argument.as_ref()?.trim().parse().ok() } else { None }
    }
}
