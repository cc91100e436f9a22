//! One instruction: name, opcode, shape, operands, attributes. Stands alone (the name of an op's event) or in a
//! [`Module`](super::Module), where operands and called computations also have ids.

use super::{ComputationId, InstructionId, Metadata, ReplicaGroups, Shape, Text};

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Its name, without `%`.
    pub name: Text,
    /// What it does, as HLO spells it: `fusion`, `all-reduce-start`.
    pub opcode: Text,
    /// What it gives.
    pub shape: Shape,
    /// What it takes. Empty for a parameter and a constant, which have an `argument`.
    pub operands: Vec<Operand>,
    /// What stands in the parentheses where it is no operand: a parameter's number, a constant's value, anything that
    /// could not be read as operands.
    pub argument: Option<Text>,
    /// Everything after the parentheses, in order.
    pub attributes: Vec<Attribute>,
    /// Whether it is its computation's root.
    pub is_root: bool,
    /// The computation it is in; `None` for one that stands alone.
    pub computation: Option<ComputationId>,
    /// Its id in the proto it was read from, by which buffers name it. `None` if it was read from text.
    pub proto_id: Option<i64>,
}

/// Something an instruction takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// Its name, without `%`.
    pub name: Text,
    /// Its shape, where the text says it (an op's event does, a module does not).
    pub shape: Option<Shape>,
    /// Its place in the module.
    pub id: Option<InstructionId>,
}

/// `key=value` after an instruction's operands, or in a module's first line.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// What stands before `=`.
    pub key: Text,
    /// What stands after it.
    pub value: Value,
}

/// The value of an attribute: read where something uses it, as text elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// As it was written.
    Text(Text),
    /// Computations: `calls=`, `to_apply=`, `body=`, `condition=`, `branch_computations=`, `called_computations=`.
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
    /// Its name, without `%`.
    pub name: Text,
    /// Its place in the module.
    pub id: Option<ComputationId>,
}

impl Instruction {
    /// The value of the first attribute `key`.
    pub fn attribute(&self, key: &str) -> Option<&Value> {
        self.attributes.iter().find(|a| *a.key == *key).map(|a| &a.value)
    }

    /// The value of `key` as text, if it is kept as text; quotes are taken off.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.attribute(key)? {
            Value::Text(text) => Some(text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text)),
            _ => None,
        }
    }

    /// The computations it calls, in order: those of a `while` are its condition and body.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.attributes.iter().flat_map(|a| match &a.value {
            Value::Calls(calls) => calls.as_slice(),
            _ => &[],
        })
    }

    /// The computation it calls as `key`: `instruction.call("body")`.
    pub fn call(&self, key: &str) -> Option<&Call> {
        match self.attribute(key)? {
            Value::Calls(calls) => calls.first(),
            _ => None,
        }
    }

    /// Instructions that have to run before it without giving it data.
    pub fn control_predecessors(&self) -> &[Operand] {
        match self.attribute("control-predecessors") {
            Some(Value::Instructions(before)) => before,
            _ => &[],
        }
    }

    /// Where it comes from.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.attributes.iter().find_map(|a| match &a.value {
            Value::Metadata(metadata) => Some(metadata.as_ref()),
            _ => None,
        })
    }

    /// The framework's name of the operation; empty if there is none.
    pub fn op_name(&self) -> &str {
        self.metadata().and_then(|m| m.op_name.as_deref()).unwrap_or_default()
    }

    /// Its replica groups or source-target pairs. A collective with `replica_groups={}` has
    /// [`ReplicaGroups::All`].
    pub fn replica_groups(&self) -> Option<&ReplicaGroups> {
        self.attributes.iter().find_map(|a| match &a.value {
            Value::Groups(groups) => Some(groups.as_ref()),
            _ => None,
        })
    }

    /// The kind of a fusion: `kLoop`.
    pub fn fusion_kind(&self) -> Option<&str> {
        self.text("kind")
    }

    /// What a custom call calls.
    pub fn custom_call_target(&self) -> Option<&str> {
        self.text("custom_call_target")
    }

    /// What the backend noted, mostly JSON; as it was written.
    pub fn backend_config(&self) -> Option<&str> {
        self.text("backend_config")
    }

    /// The number of a parameter.
    pub fn parameter_number(&self) -> Option<u64> {
        if &*self.opcode == "parameter" { self.argument.as_ref()?.trim().parse().ok() } else { None }
    }
}
