//! This module turns the report of an op into the texts and bar lengths of its panel. It does not depend on page
//! elements.

use crate::analysis::classify::Phase;
use crate::analysis::op::{Change, Neighbour, OpBasis, OpDetail, OpFigures, OpRole, OpStep, OpValue, ValueChange};
use crate::protocol::{OpRef, ProgramRef, ProgramSelector};
use crate::table::format::{self, ABSENT};
use crate::table::page::split_row_key;
use xla_profile::units::Picos;

/// A figure: label, value and unit.
pub type Figure = (&'static str, String, &'static str);

/// Parses the key of an op: `fusion.1`, `fusion.1@<program id>`, or `fusion.1@#3` for the program at index 3 of the
/// list.
pub fn op_ref(key: &str) -> OpRef {
    let placed = key.rsplit_once("@#").and_then(|(name, number)| Some((name, number.parse().ok()?)));
    match (placed, split_row_key(key)) {
        (Some((name, number)), _) => OpRef::listed(name, ProgramRef(number)),
        (None, (name, id)) => OpRef::new(name, id),
    }
}

/// Returns the key of op `name` in the same program as `key`. `id` is the id of that program.
pub fn sibling_key(key: &str, name: &str, id: Option<u64>) -> String {
    match (op_ref(key).program, id) {
        (ProgramSelector::Listed(program), _) => format!("{name}@#{}", program.0),
        (_, Some(id)) => format!("{name}@{id}"),
        (_, None) => name.to_owned(),
    }
}

/// Returns the figures at the top of the panel.
pub fn figures(op: &OpFigures) -> Vec<Figure> {
    let time = |label, time: Option<Picos>| match time.map(format::figure_time) {
        Some((value, unit)) => (label, value, unit),
        None => (label, ABSENT.to_owned(), ""),
    };
    let share = op.of_step.map_or_else(|| ABSENT.to_owned(), format::percent);
    vec![
        time("Self", Some(op.total)),
        ("% of step", share, "%"),
        ("Executions", format::executions(op.n), ""),
        time("Mean", op.mean),
    ]
}

/// Returns the line below the name: kind, phase, layer, caller and trip count. Unknown parts are left out.
pub fn place_text(op: &OpDetail) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(op.kind.map(|kind| kind.label().to_owned()));
    let is_unknown = |phase: &String| Phase::ALL.into_iter().any(|other| !other.is_known() && other.label() == phase);
    parts.extend(op.phase.clone().filter(|phase| !is_unknown(phase)));
    parts.extend(op.layer.clone().filter(|layer| !layer.starts_with('<')));
    if let Some(place) = &op.computation {
        match (&place.caller, place.is_entry) {
            (_, true) => {}
            (Some(caller), _) => parts.push(format!("in {caller}")),
            (None, _) => parts.push(format!("in {}", place.computation)),
        }
        parts.extend(place.trip_count.map(|n| format::counted(n, "trip", "trips")));
    }
    parts.join(", ")
}

/// One row of the table of operands and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueRow {
    /// "result" or "result.0"; for an operand, its index, such as "1" or "1.2".
    pub role: String,
    pub shape: String,
    pub layout: String,
    /// True for an operand with another layout than the first result.
    pub differs: bool,
    /// Bytes in memory, with padding if known: "14.0 MiB".
    pub bytes: String,
    /// Padding divided by the bytes without padding: "0 %".
    pub padding: String,
    /// Memory space such as "VMEM"; empty for HBM, and if the space is not known.
    pub memory: String,
    /// Labels and values that the row does not show: operand name, memory space, tiling, padded dimensions, bytes
    /// without padding.
    pub more: Vec<(String, String)>,
}

/// Returns the operands and results as rows.
pub fn values(op: &OpDetail) -> Vec<ValueRow> {
    let first = op.values.iter().find(|value| matches!(value.role, OpRole::Result(_)));
    let layout = first.and_then(|value| value.layout.as_deref());
    op.values.iter().map(|value| value_row(value, layout)).collect()
}

fn value_row(value: &OpValue, result: Option<&str>) -> ValueRow {
    let (role, name) = match &value.role {
        OpRole::Result(path) => (format!("result{}", index(path)), None),
        OpRole::Operand { index: operand, name, path } => (format!("{operand}{}", index(path)), Some(name)),
    };
    let is_operand = name.is_some();
    let own = value.layout.as_deref();
    let dims = |dims: &Vec<u64>| dims.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ");
    let more = [
        name.map(|name| ("operand".to_owned(), name.clone())),
        value.memory.clone().map(|memory| ("memory".to_owned(), memory)),
        value.tiling.clone().map(|tiling| ("layout".to_owned(), tiling)),
        value.padded_dims.as_ref().map(|padded| ("in memory".to_owned(), dims(padded))),
        value.bytes.map(|bytes| ("without padding".to_owned(), format::bytes_text(bytes))),
    ];
    ValueRow {
        role,
        shape: if value.shape.is_empty() { ABSENT.to_owned() } else { value.shape.clone() },
        layout: own.unwrap_or_default().to_owned(),
        differs: is_operand && own.is_some() && result.is_some() && own != result,
        bytes: value.padded_bytes.or(value.bytes).map_or_else(|| ABSENT.to_owned(), format::bytes_text),
        padding: value.overhead.map_or_else(|| ABSENT.to_owned(), |over| format!("{} %", format::percent(over))),
        memory: value.memory.clone().filter(|memory| memory != "HBM").unwrap_or_default(),
        more: more.into_iter().flatten().collect(),
    }
}

fn index(path: &[u32]) -> String {
    path.iter().map(|element| format!(".{element}")).collect()
}

/// Returns the sentence for a change between operand and result.
pub fn change_text(change: &ValueChange) -> String {
    let what = match change.change {
        Change::Dtype => "Element type",
        Change::Shape => "Shape",
        Change::DimOrder => "Order of dimensions",
        Change::Tiling => "Tiling",
        Change::Memory => "Memory space",
    };
    format!("{what}: {}", change.words)
}

/// Returns the second line of a neighbour: opcode and shape.
pub fn neighbour(neighbour: &Neighbour) -> String {
    let parts = [neighbour.opcode.clone().unwrap_or_default(), neighbour.shape.clone()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the source of the HLO in words.
pub const fn basis(basis: OpBasis) -> &'static str {
    match basis {
        OpBasis::Proto => "from the program in the capture",
        OpBasis::EventText => "from the text of its event: one instruction",
        OpBasis::None => "no HLO in the capture",
    }
}

/// Returns the bars of a histogram: x, width and height in px. The largest value has the full height, and no value
/// above zero is lower than 1 px.
pub fn bars(values: &[u64], width: f64, height: f64) -> Vec<(f64, f64, f64)> {
    #![expect(clippy::cast_precision_loss, reason = "pixels")]
    let most = values.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = width / values.len().max(1) as f64;
    let gap = if step > 4.0 { 1.0 } else { 0.0 };
    let bar = |(index, value): (usize, &u64)| {
        let tall = (*value as f64 / most * height).max(if *value > 0 { 1.0 } else { 0.0 });
        (index as f64 * step, (step - gap).max(0.5), tall)
    };
    values.iter().enumerate().map(bar).collect()
}

/// The largest number of bars, each at least half a pixel wide.
const MAX_BARS: usize = 500;

/// Returns the self times in ps of the steps as bars, and which steps they are. If there are many, a bar is the longest of a few
/// steps. `None` for fewer than two steps.
pub fn steps(op: &OpFigures) -> Option<(Vec<u64>, String)> {
    let (first, last) = (op.steps.first()?, op.steps.last().filter(|_| op.steps.len() > 1)?);
    let n_merged = op.steps.len().div_ceil(MAX_BARS);
    let longest = |steps: &[OpStep]| steps.iter().map(|step| step.total.0).max().unwrap_or_default();
    let mut words = format!("{} to {}", first.number, last.number);
    if op.steps.len() < op.n_steps as usize {
        words += &format!("; {} of {} shown", format::count(op.steps.len() as u64), format::count(op.n_steps.into()));
    }
    if n_merged > 1 {
        words += &format!("; each bar is the longest of {n_merged} steps");
    }
    Some((op.steps.chunks(n_merged).map(longest).collect(), words))
}

/// Returns the shortest and the longest self time of an execution, and the number of executions in the histogram, which
/// are those of all steps of a mean. `None` without a histogram.
pub fn spread(op: &OpFigures) -> Option<String> {
    let (min, max, histogram) = (op.min?, op.max?, op.histogram.as_ref()?);
    let n = histogram.bins.iter().sum();
    Some(format!("{} to {}, {}", format::time_text(min), format::time_text(max), format::counted(n, "run", "runs")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(role: OpRole, layout: &str) -> OpValue {
        OpValue {
            role,
            shape: "f32[3,5]".into(),
            layout: Some(layout.into()),
            dtype: Some("f32".into()),
            bytes: Some(60),
            padded_bytes: Some(96),
            padded_dims: Some(vec![4, 6]),
            overhead: Some(0.6),
            memory: Some("VMEM".into()),
            tiling: None,
        }
    }

    #[test]
    fn operand_layouts_that_differ_are_marked() {
        let operand = |index| OpRole::Operand { index, name: "p".into(), path: vec![2] };
        let row_of = |role, layout| value_row(&value(role, layout), Some("{1,0}"));
        assert!(!row_of(OpRole::Result(vec![]), "{0,1}").differs, "the result is what it differs from");
        assert!(row_of(operand(1), "{0,1}").differs && !row_of(operand(1), "{1,0}").differs);
        let row = row_of(operand(1), "{1,0}");
        assert_eq!((row.role.as_str(), row.bytes.as_str(), row.memory.as_str()), ("1.2", "96 B", "VMEM"));
        assert!(row.more.contains(&("in memory".into(), "4 × 6".into())));
    }

    #[test]
    fn bars_fill_their_frame() {
        let bars = bars(&[1, 0, 4], 30.0, 8.0);
        assert_eq!(bars, [(0.0, 9.0, 2.0), (10.0, 9.0, 0.0), (20.0, 9.0, 8.0)]);
    }
}
