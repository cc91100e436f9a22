//! This module turns the fields of an instruction's proto into the attributes of HLO text, in the order of the text.

use super::ids::{ComputationId, Texts};
use super::{Attribute, Call, Metadata, Operand, Text, Value, proto_shape};
use crate::wire::proto::hlo as proto;
use proto::{DotDimensionNumbers, HloInstructionProto};
use std::collections::HashMap;
use std::fmt::Write;

pub(super) fn text(key: &str, value: &str, texts: &mut Texts) -> Attribute {
    Attribute { key: texts.get(key), value: Value::Text(texts.get(value)) }
}

/// Returns the text in the parentheses of a parameter or a constant, and `None` for other instructions.
pub(super) fn argument(from: &HloInstructionProto) -> Option<Text> {
    match from.opcode.as_str() {
        "parameter" => Some(from.parameter_number.to_string().into()),
        "constant" => Some(from.literal.as_ref().map_or_else(|| "{...}".into(), |l| literal(l))),
        _ => None,
    }
}

/// Returns the value of a scalar that is a boolean or a whole number. Any other literal is `{...}`, as text has it for
/// large literals.
fn literal(literal: &proto::LiteralProto) -> Text {
    let scalar = literal.shape.as_ref().is_some_and(|s| s.dimensions.is_empty() && s.tuple_shapes.is_empty());
    let value = if scalar { whole(literal) } else { None };
    value.map_or_else(|| "{...}".into(), Into::into)
}

fn whole(literal: &proto::LiteralProto) -> Option<String> {
    let proto::LiteralProto { preds, s32s, s64s, u32s, u64s, .. } = literal;
    (preds.first().map(ToString::to_string))
        .or_else(|| s32s.first().map(ToString::to_string))
        .or_else(|| s64s.first().map(ToString::to_string))
        .or_else(|| u32s.first().map(ToString::to_string))
        .or_else(|| u64s.first().map(ToString::to_string))
}

/// Returns all attributes in the order of HLO text. `before` holds the control predecessors.
pub(super) fn read(
    from: &HloInstructionProto,
    before: Vec<Operand>,
    names: &Names<'_>,
    texts: &mut Texts,
) -> Vec<Attribute> {
    let mut to = Attributes { list: Vec::new(), texts };
    let opcode = from.opcode.as_str();
    to.maybe("direction", &from.comparison_direction);
    if opcode == "get-tuple-element" {
        to.text("index", &from.tuple_index.to_string());
    }
    to.numbers_of(from);
    to.maybe("custom_call_target", &quoted(&from.custom_call_target));
    if from.channel_id > 0 {
        to.text("channel_id", &from.channel_id.to_string());
    }
    if let Some(groups) = proto_shape::groups(from) {
        to.push("replica_groups", Value::Groups(Box::new(groups)));
    }
    if let Some(pairs) = proto_shape::pairs(from) {
        to.push("source_target_pairs", Value::Groups(Box::new(pairs)));
    }
    // A reduce-scatter has its dimension after the attributes that it shares with an all-reduce.
    let scatters = opcode == "reduce-scatter";
    if !scatters {
        to.dimensions(from);
    }
    if from.use_global_device_ids {
        to.text("use_global_device_ids", "true");
    }
    if scatters {
        to.dimensions(from);
    }
    to.maybe("kind", &from.fusion_kind);
    to.maybe("output_to_operand_aliasing", &aliasing(&from.output_operand_aliasing));
    to.maybe("async_execution_thread", &quoted(&from.async_execution_thread));
    if let Some(index) = from.cross_program_prefetch_index {
        to.text("cross_program_prefetch_index", &index.to_string());
    }
    to.calls(from, names);
    if let Some(attributes) = &from.frontend_attributes
        && !attributes.map.is_empty()
    {
        let pairs: Vec<String> = attributes.map.iter().map(|(k, v)| format!("{k}={}", plain_or_quoted(v))).collect();
        to.text("frontend_attributes", &format!("{{{}}}", pairs.join(",")));
    }
    if !before.is_empty() {
        to.push("control-predecessors", Value::Instructions(before));
    }
    if let Some(metadata) = from.metadata.as_ref().and_then(|m| metadata(m, to.texts)) {
        to.push("metadata", Value::Metadata(Box::new(metadata)));
    }
    let config = String::from_utf8_lossy(&from.backend_config);
    // JSON has no quotes around it, any other text has.
    let config = if config.starts_with('{') { config.into_owned() } else { quoted(&config) };
    to.maybe("backend_config", &config);
    to.list
}

/// The precisions of operands, by number.
const PRECISIONS: [&str; 4] = ["default", "high", "highest", "packed_nibble"];

struct Attributes<'t> {
    list: Vec<Attribute>,
    texts: &'t mut Texts,
}

impl Attributes<'_> {
    fn push(&mut self, key: &str, value: Value) {
        self.list.push(Attribute { key: self.texts.get(key), value });
    }

    fn text(&mut self, key: &str, value: &str) {
        let value = Value::Text(self.texts.get(value));
        self.push(key, value);
    }

    fn maybe(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            self.text(key, value);
        }
    }

    fn dimensions(&mut self, from: &HloInstructionProto) {
        match from.opcode.as_str() {
            "iota" => self.text("iota_dimension", &list(&from.dimensions)),
            // These opcodes have the attribute even if the list is empty.
            opcode if !from.dimensions.is_empty() || matches!(opcode, "broadcast" | "reduce" | "transpose") => {
                self.text("dimensions", &braces(&from.dimensions));
            }
            _ => {}
        }
    }

    /// Adds slices, padding, windows and dimension numbers.
    fn numbers_of(&mut self, from: &HloInstructionProto) {
        if !from.slice_dimensions.is_empty() {
            let slices: Vec<String> = from.slice_dimensions.iter().map(slice).collect();
            self.text("slice", &format!("{{{}}}", slices.join(", ")));
        }
        if !from.dynamic_slice_sizes.is_empty() {
            self.text("dynamic_slice_sizes", &braces(&from.dynamic_slice_sizes));
        }
        if let Some(padding) = &from.padding_config {
            let dims: Vec<String> = padding.dimensions.iter().map(pad).collect();
            self.maybe("padding", &dims.join("x"));
        }
        if let Some(window) = &from.window {
            self.maybe("window", &super::window::window(window));
        }
        if let Some(dims) = &from.convolution_dimension_numbers {
            self.text("dim_labels", &super::window::dim_labels(dims));
        }
        if let Some(dot) = &from.dot_dimension_numbers {
            self.dot(dot);
        }
        if let Some(ragged) = &from.ragged_dot_dimension_numbers {
            ragged.dot_dimension_numbers.iter().for_each(|dot| self.dot(dot));
            self.dims("lhs_ragged_dims", &ragged.lhs_ragged_dimensions);
            self.dims("rhs_group_dims", &ragged.rhs_group_dimensions);
        }
        if !from.fft_length.is_empty() {
            let kind = ["FFT", "IFFT", "RFFT", "IRFFT"].get(from.fft_type as usize);
            kind.iter().for_each(|kind| self.text("fft_type", kind));
            self.dims("fft_length", &from.fft_length);
        }
        let precisions = from.precision_config.iter().flat_map(|config| &config.operand_precision);
        let name = |number: &i32| {
            let index = usize::try_from(*number).ok();
            index.and_then(|index| PRECISIONS.get(index)).copied().unwrap_or("default")
        };
        let names: Vec<&str> = precisions.map(name).collect();
        if names.iter().any(|name| *name != PRECISIONS[0]) {
            self.text("operand_precision", &format!("{{{}}}", names.join(",")));
        }
    }

    fn dot(&mut self, dot: &DotDimensionNumbers) {
        self.dims("lhs_batch_dims", &dot.lhs_batch_dimensions);
        self.dims("lhs_contracting_dims", &dot.lhs_contracting_dimensions);
        self.dims("rhs_batch_dims", &dot.rhs_batch_dimensions);
        self.dims("rhs_contracting_dims", &dot.rhs_contracting_dimensions);
    }

    /// Adds the numbers of dimensions, if there are any.
    fn dims(&mut self, key: &'static str, dims: &[i64]) {
        if !dims.is_empty() {
            self.text(key, &braces(dims));
        }
    }

    /// Adds the called computations under the keys that HLO text has for this opcode.
    fn calls(&mut self, from: &HloInstructionProto, names: &Names<'_>) {
        let mut calls = from.called_computation_ids.iter().map(|id| match names.computations.get(id) {
            Some((place, name)) => Call { name: (*name).into(), id: Some(*place) },
            None => Call { name: id.to_string().into(), id: None },
        });
        match from.opcode.as_str() {
            "while" => {
                // The first id is the body, but text has the condition first.
                let body = calls.next();
                for (key, call) in [("condition", calls.next()), ("body", body)] {
                    if let Some(call) = call {
                        self.push(key, Value::Calls(vec![call]));
                    }
                }
            }
            opcode => {
                let calls: Vec<Call> = calls.collect();
                let key = match opcode {
                    "fusion" | "async-start" | "async-update" | "async-done" => "calls",
                    "conditional" => "branch_computations",
                    "custom-call" => "called_computations",
                    _ => "to_apply",
                };
                if !calls.is_empty() {
                    self.push(key, Value::Calls(calls));
                }
            }
        }
    }
}

fn metadata(from: &proto::OpMetadata, texts: &mut Texts) -> Option<Metadata> {
    let mut text = |t: &str| (!t.is_empty()).then(|| texts.get(t));
    let n = |n: i32| u32::try_from(n).unwrap_or(0);
    let metadata = Metadata {
        op_name: text(&from.op_name),
        op_type: text(&from.op_type),
        source_file: text(&from.source_file),
        source_line: n(from.source_line),
        source_end_line: n(from.source_end_line),
        source_column: n(from.source_column),
        source_end_column: n(from.source_end_column),
        stack_frame: n(from.stack_frame_id),
        deduplicated_name: text(&from.deduplicated_name),
        scheduling_name: text(&from.scheduling_name),
        others: Vec::new(),
    };
    (metadata != Metadata::default()).then_some(metadata)
}

fn list(numbers: &[i64]) -> String {
    let mut out = String::new();
    for (i, n) in numbers.iter().enumerate() {
        let separator = if i > 0 { "," } else { "" };
        _ = write!(out, "{separator}{n}");
    }
    out
}

fn braces(numbers: &[i64]) -> String {
    format!("{{{}}}", list(numbers))
}

fn quoted(text: &str) -> String {
    if text.is_empty() { String::new() } else { super::escape::escape(text) }
}

/// Returns a text in braces as it is, and any other text in quotes.
fn plain_or_quoted(text: &str) -> String {
    if text.starts_with('{') && text.ends_with('}') { text.to_owned() } else { super::escape::escape(text) }
}

fn slice(s: &proto::hlo_instruction_proto::SliceDimensions) -> String {
    let stride = if s.stride > 1 { format!(":{}", s.stride) } else { String::new() };
    format!("[{}:{}{stride}]", s.start, s.limit)
}

fn pad(d: &proto::padding_config::Dimension) -> String {
    let interior = if d.interior_padding != 0 { format!("_{}", d.interior_padding) } else { String::new() };
    format!("{}_{}{interior}", d.edge_padding_low, d.edge_padding_high)
}

/// Returns a text such as `{{}: (1, {}), {1}: (10, {})}`, which is empty if there are no pairs.
fn aliasing(pairs: &[proto::hlo_instruction_proto::OutputOperandAliasing]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let index = |numbers: &[i64]| format!("{{{}}}", list(numbers).replace(',', ", "));
    let pairs: Vec<String> = pairs
        .iter()
        .map(|p| format!("{}: ({}, {})", index(&p.output_shape_index), p.operand_index, index(&p.operand_shape_index)))
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

/// The id and the name of each computation, by its id in the proto.
pub(super) struct Names<'p> {
    pub(super) computations: HashMap<i64, (ComputationId, &'p str)>,
}
