//! This module formats the comparison of an op's time with its roofline time, as texts and bar lengths. The formulas
//! are in `analysis::roofline`. This module does not depend on page elements.

use super::panel;
use crate::analysis::classify::Kind;
use crate::analysis::op::{OpDetail, OpRole};
use crate::analysis::roofline::{
    Bound, CostSource, DevicePeaks, FloorComparison, Level, OpRoofline, Peak, PeakResource, PeakSource, PossibleCause,
    Precision, RooflinePosition, Verdict,
};
use crate::chart::plot::time_part::TimePart;
use crate::chart::widgets::figure::Formula;
use crate::chart::widgets::tip::row;
use crate::table::format;
use xla_profile::units::Picos;

/// The time of an op compared with its floor: the least time that its FLOPs, its bytes and the peaks allow.
#[derive(Clone, Debug, PartialEq)]
pub struct RooflineComparison {
    /// Kind of the op's time, for the colour.
    pub time_part: TimePart,
    /// Floor ÷ measured time. Above 1 if the cost estimate is more than the device can do.
    pub share: f64,
    /// Floor per execution: "10.60 µs at the HBM roof".
    pub floor: String,
    /// Mean time per execution: "390.70 µs measured, 36.8 ×".
    pub measured: String,
    /// Assessment in one sentence.
    pub verdict: String,
    /// Likely causes, as items to check; empty if the op takes one to two times its floor.
    pub checks: Vec<String>,
    /// Labels and values: bytes, FLOPs, type, intensity, both floors, potential savings.
    pub rows: Vec<(&'static str, String)>,
    /// Explanation of the figures.
    pub how: Formula,
}

const NO_ROOFLINE_OF_COMMUNICATION: &str =
    "No roofline: the links between devices limit communication. The communication view has its bandwidth.";

/// Contents of the roofline section of the panel.
#[derive(Clone, Debug, PartialEq)]
pub enum RooflineSection {
    Comparison(Box<RooflineComparison>),
    /// Reason for a missing roof.
    None(String),
}

/// Returns the roofline section of an op. `None` for an op that did not run. For data movement, the causes are the op's
/// own changes and its padding, if it has any. Communication has no roofline, because its limit is that of the links.
pub fn roof(op: &OpDetail) -> Option<RooflineSection> {
    let roof = op.roof.as_ref()?;
    if op.kind == Some(Kind::Communication) {
        return Some(RooflineSection::None(NO_ROOFLINE_OF_COMMUNICATION.to_owned()));
    }
    let mut line = roof_line(roof, TimePart::Kind(op.kind.unwrap_or(Kind::Other)))?;
    if let RooflineSection::Comparison(roof) = &mut line
        && op.kind == Some(Kind::DataMovement)
        && !roof.checks.is_empty()
    {
        let own = reasons(op);
        if !own.is_empty() {
            roof.checks = own;
        }
    }
    Some(line)
}

/// Returns the reasons why an op that only moves data takes long: its changes of layout or type, then its largest
/// padding.
fn reasons(op: &OpDetail) -> Vec<String> {
    let mut reasons: Vec<String> = op.value_changes.iter().map(panel::change_text).collect();
    let padded =
        op.values.iter().filter_map(|value| Some((value.overhead?, value))).filter(|(over, _)| *over >= MUCH_PADDING);
    if let Some((over, value)) = padded.max_by(|a, b| a.0.total_cmp(&b.0)) {
        let which = if matches!(value.role, OpRole::Result(_)) { "result" } else { "operand" };
        reasons.push(format!("Padding: the {which} takes {} × the bytes of its elements", times(over + 1.0)));
    }
    reasons
}

/// Smallest padding that is mentioned, divided by the bytes without padding.
const MUCH_PADDING: f64 = 0.5;

fn roof_line(roof: &OpRoofline, time_part: TimePart) -> Option<RooflineSection> {
    let Some((point, verified)) = roof.roof.as_ref().zip(roof.verified.as_ref()) else {
        let reason = roof.skipped.first().map(|skipped| skipped.reason.label());
        return reason.map(|reason| RooflineSection::None(format!("No roofline: {reason}.")));
    };
    let peaks = roof.peaks.first();
    Some(RooflineSection::Comparison(Box::new(RooflineComparison {
        time_part,
        share: point.util.unwrap_or(0.0),
        floor: format!("{} at the {} roof", format::time_text(verified.floor), verified.bound.label()),
        measured: format!("{} measured, {} ×", format::time_text(verified.measured), times(verified.ratio)),
        verdict: verdict(verified),
        checks: verified.checks.iter().map(|op_check| check(op_check).to_owned()).collect(),
        rows: rows(point, verified, peaks),
        how: formula(point, peaks),
    })))
}

fn times(ratio: f64) -> String {
    format::decimal(ratio, if ratio < 10.0 { 2 } else { 1 })
}

fn verdict(floor: &FloorComparison) -> String {
    let times = times(floor.ratio);
    match floor.verdict {
        Verdict::AbovePeak => "▲ The cost estimate is more than the device can do in this time.".to_owned(),
        Verdict::Fine => {
            let next = match floor.bound {
                Bound::Compute => "Only fewer FLOPs, or a type with a higher peak, make it faster.",
                Bound::Memory(_) => "Only fusion, which moves fewer bytes, makes it faster.",
            };
            format!("At the roof: {times} × its min. time. {next}")
        }
        Verdict::Fair => format!("Below the roof: {times} × slower than its roofline."),
        Verdict::Far => format!("Far below the roof: {times} × slower than its roofline. Check:"),
    }
}

const fn check(cause: &PossibleCause) -> &'static str {
    match cause {
        PossibleCause::RetilingCopies => {
            "copies and transposes before or after it that change the layout or the tiling"
        }
        PossibleCause::UnexpectedCollectives => "collectives that sharding put around it, or into it",
        PossibleCause::FusionFailure => "ops beside it that were not fused into it",
        PossibleCause::Latency => "little work per execution, so launch overhead dominates",
        PossibleCause::CostEstimate => "the cost estimate of the compiler or of the kernel’s author",
    }
}

fn rows(
    point: &RooflinePosition,
    verified: &FloorComparison,
    peaks: Option<&DevicePeaks>,
) -> Vec<(&'static str, String)> {
    let runs = if point.n > 0 { point.n.as_f64() } else { 1.0 };
    let share = |fraction: Option<f64>| {
        fraction.map_or_else(String::new, |fraction| format!(", {}", format::percent_text(fraction)))
    };
    let mut rows = Vec::new();
    for level in Level::ALL {
        let Some(rate) = point.byte_rate(level) else { continue };
        let bytes = point.level_bytes[level.index()] / runs;
        let peak_text = peaks
            .and_then(|peaks| peaks.bytes(level))
            .map_or_else(String::new, |peak| format!(" of {}", format::gbs(peak)));
        let used = share(point.level_util[level.index()]);
        rows.push((
            level.label(),
            format!("{}B per execution; {}{peak_text} GB/s{used}", format::quantity(bytes), format::gbs(rate)),
        ));
    }
    let flops = match point.flop_rate().filter(|rate| *rate > 0.0) {
        None => "none".to_owned(),
        Some(rate) => {
            let peak = point.precision.and_then(|precision| peaks?.flops(precision));
            let peak_text = peak.map_or_else(String::new, |peak| format!(" of {}", format::tflops(peak)));
            let used = share(point.mfu);
            format!(
                "{}FLOP per execution; {}{peak_text} TFLOP/s{used}",
                format::quantity(point.flops / runs),
                format::tflops(rate)
            )
        }
    };
    rows.push(("FLOPs", flops));
    if let Some(dtype) = &point.dtype {
        let peak = point
            .precision
            .map_or_else(String::new, |precision| format!(", against the peak of {}", precision.label()));
        let sure = if point.dtype_uncertain { "; its operands are unknown" } else { "" };
        rows.push(("Type", format!("{dtype}{peak}{sure}")));
    }
    if let Some(intensity) = point.intensity.filter(|intensity| *intensity > 0.0) {
        let ridge =
            point.ridge.map_or_else(String::new, |ridge| format!("; the ridge is at {}", format::intensity(ridge)));
        rows.push(("Intensity", format!("{} FLOP/byte{ridge}", format::intensity(intensity))));
    }
    let floors =
        format!("{} of compute, {} of HBM", format::time_text(verified.t_compute), format::time_text(verified.t_hbm));
    rows.push(("Min. time", floors));
    if point.recoverable > Picos::ZERO {
        let won = format::time_text(point.recoverable);
        rows.push(("Potential savings", format!("{won} if it ran at the {} roof", verified.bound.label())));
    }
    rows.into_iter().map(|(label, text)| (label, with_units_on_line(&text))).collect()
}

/// Returns a text in which no line breaks between a number and its unit.
fn with_units_on_line(text: &str) -> String {
    let mut parts = text.split(' ').peekable();
    let mut joined = String::new();
    while let Some(part) = parts.next() {
        joined.push_str(part);
        let is_number = part.ends_with(|c: char| c.is_ascii_digit());
        match parts.peek() {
            Some(&next) if is_number && next != "of" => joined.push('\u{a0}'),
            Some(_) => joined.push(' '),
            None => {}
        }
    }
    joined
}

fn formula(point: &RooflinePosition, peaks: Option<&DevicePeaks>) -> Formula {
    let peak = |resource: PeakResource, unit: &str| {
        peaks
            .and_then(|peaks| peaks.peak(resource))
            .map_or_else(|| "not known".to_owned(), |peak| peak_source(peak, unit))
    };
    let precision = point.precision.unwrap_or(Precision::Bf16);
    let cost = match point.cost {
        CostSource::Capture => "the compiler’s estimates, in the capture",
        CostSource::ModelFlops => "the model’s FLOPs; the capture has no others",
        CostSource::Yours => "yours",
    };
    Formula {
        formula: "Min. time = max(FLOPs ÷ peak FLOP/s, bytes ÷ peak bytes/s)".to_owned(),
        rows: vec![
            row("Self time", format::exact_time(point.total)),
            row("FLOPs", format::quantity(point.flops)),
            row("Bytes", format::quantity(point.bytes)),
            row("Peak FLOP/s", peak(PeakResource::Compute(precision), "TFLOP/s")),
            row("Peak HBM", peak(PeakResource::Memory(Level::Hbm), "GB/s")),
            row("Min. time", format::exact_time(point.t_roof)),
            row("Costs", cost),
            row("Source", "Williams, Waterman and Patterson, “Roofline”, 2009"),
        ],
    }
}

fn peak_source(peak: &Peak, unit: &str) -> String {
    let value = match peak.resource {
        PeakResource::Compute(_) => format::tflops(peak.value),
        PeakResource::Memory(_) => format::gbs(peak.value),
    };
    let from = if peak.source == PeakSource::Yours { "yours" } else { &peak.from };
    format!("{value} {unit}: {from}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::Query;
    use crate::analysis::op::{Change, OpBasis, OpSource, OpValue, ValueChange};
    use crate::analysis::roofline::{SkipReason, Skipped, verify};

    fn roof_with(n: u64, micros: u64, floor: u64, bound: Bound) -> RooflinePosition {
        let (total, t_roof) = (Picos(micros * 1_000_000), Picos(floor * 1_000_000));
        let mut t_memory = [Picos::ZERO; 5];
        if bound != Bound::Compute {
            t_memory[0] = t_roof;
        }
        RooflinePosition {
            total,
            n: n.into(),
            flops: 277.6e9,
            bytes: 2e6,
            level_bytes: [2e6, 0.0, 0.0, 0.0, 0.0],
            dtype: Some("bf16".to_owned()),
            precision: Some(Precision::Bf16),
            dtype_uncertain: false,
            dtype_mixed: false,
            cost: CostSource::Capture,
            intensity: Some(138_800.0),
            ridge: Some(240.5),
            bound,
            t_compute: if bound == Bound::Compute { t_roof } else { Picos::ZERO },
            t_memory,
            t_roof,
            bound_total: [Picos::ZERO; 6],
            mfu: Some(0.1),
            level_util: [Some(0.2), None, None, None, None],
            util: t_roof.fraction_of(total),
            gap: 0,
            gap_fraction: None,
            recoverable: total.saturating_sub(t_roof),
            above: Picos::ZERO,
            latency_bound: false,
        }
    }

    #[test]
    fn a_copy_says_what_it_changes() {
        let remark = ValueChange { change: Change::DimOrder, words: "{1,0} → {0,1}".to_owned() };
        let value = OpValue {
            role: OpRole::Result(Vec::new()),
            shape: "bf16[8,2]".to_owned(),
            layout: None,
            dtype: None,
            bytes: Some(32),
            padded_bytes: Some(928),
            padded_dims: None,
            overhead: Some(28.0),
            memory: None,
            tiling: None,
        };
        let detail = op(&[remark], &[value]);
        assert_eq!(
            reasons(&detail),
            ["Order of dimensions: {1,0} → {0,1}", "Padding: the result takes 29.0 × the bytes of its elements"]
        );
        assert!(reasons(&op(&[], &[])).is_empty(), "then the list for all ops stands");
    }

    /// An op with these changes and values, and nothing else.
    fn op(value_changes: &[ValueChange], values: &[OpValue]) -> OpDetail {
        OpDetail {
            query: Query::default(),
            name: "copy.1".to_owned(),
            opcode: None,
            kind: Some(Kind::DataMovement),
            phase: None,
            layer: None,
            category: None,
            kernel: None,
            program: None,
            program_id: None,
            computation: None,
            device: None,
            words: String::new(),
            figures: None,
            roof: None,
            values: values.to_vec(),
            more_values: 0,
            value_changes: value_changes.to_vec(),
            source: OpSource::default(),
            operands: Vec::new(),
            more_operands: 0,
            users: Vec::new(),
            more_users: 0,
            fused: None,
            text: None,
            basis: OpBasis::None,
            notes: Vec::new(),
        }
    }

    fn roof_of(point: RooflinePosition) -> RooflineComparison {
        let verified = verify(&point);
        let op = OpRoofline { roof: Some(point), verified, skipped: Vec::new(), peaks: Vec::new() };
        match roof_line(&op, TimePart::Idle) {
            Some(RooflineSection::Comparison(roof)) => *roof,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn op_far_from_its_roof_lists_possible_causes() {
        // 138.8 GFLOP per execution take 704.6 µs at 197 TFLOP/s; the measured time per execution is 2.12 ms.
        let roof = roof_of(roof_with(2, 4240, 1409, Bound::Compute));
        assert_eq!((&*roof.floor, &*roof.measured), ("704.50 µs at the compute roof", "2.12 ms measured, 3.01 ×"));
        assert!(roof.verdict.starts_with("Far below the roof: 3.01 ×") && roof.checks.len() == 3, "{roof:?}");
        assert_eq!(roof.rows.last().unwrap().1, "2.83\u{a0}ms if it ran at the compute roof");
        assert!(
            roof.rows
                .iter()
                .any(|(name, says)| *name == "Min. time" && says == "704.50\u{a0}µs of compute, 0\u{a0}s of HBM")
        );
    }

    #[test]
    fn at_the_roof_and_above_it() {
        // 90.1 % of a roof.
        let at_hbm = roof_of(roof_with(1, 111, 100, Bound::Memory(Level::Hbm))).verdict;
        assert!(at_hbm.starts_with("At the roof: 1.11 ×") && at_hbm.contains("fusion"), "{at_hbm}");
        let at_compute = roof_of(roof_with(1, 105, 100, Bound::Compute)).verdict;
        assert!(at_compute.starts_with("At the roof") && at_compute.contains("FLOPs"), "{at_compute}");
        // 89.3 % of a roof.
        let below = roof_of(roof_with(1, 112, 100, Bound::Memory(Level::Hbm))).verdict;
        assert!(below.starts_with("Below the roof"), "{below}");
        let above = roof_of(roof_with(1, 50, 100, Bound::Memory(Level::Hbm)));
        assert!(above.share > 1.0 && above.verdict.starts_with('▲'));
        assert!(!above.rows.iter().any(|(name, _)| *name == "Potential savings"));
        let fair = roof_of(roof_with(1, 160, 100, Bound::Memory(Level::Hbm)));
        assert!(
            fair.verdict.starts_with("Below the roof: 1.60 ×"),
            "62 % of the roof is not near it: {}",
            fair.verdict
        );
    }

    #[test]
    fn without_a_roof_the_reason_is_told() {
        let skipped = vec![Skipped { reason: SkipReason::AsyncEnd, n_ops: 1, total: Picos(5) }];
        let op = OpRoofline { roof: None, verified: None, skipped, peaks: Vec::new() };
        let Some(RooflineSection::None(words)) = roof_line(&op, TimePart::Idle) else { panic!() };
        assert_eq!(words, "No roofline: ends of asynchronous ops.");
    }

    #[test]
    fn communication_has_no_roofline_of_memory() {
        let roof = OpRoofline { roof: None, verified: None, skipped: Vec::new(), peaks: Vec::new() };
        let mut detail = OpDetail { roof: Some(roof), ..op(&[], &[]) };
        assert_eq!(super::roof(&detail), None, "a copy without a reason");
        detail.kind = Some(Kind::Communication);
        assert_eq!(super::roof(&detail), Some(RooflineSection::None(NO_ROOFLINE_OF_COMMUNICATION.to_owned())));
        detail.roof = None;
        assert_eq!(super::roof(&detail), None, "it did not run");
    }
}
