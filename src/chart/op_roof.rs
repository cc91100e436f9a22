//! An op's time against what its device could do at most, as words and lengths. Knows an op's figures; nothing of elements.
//!
//! The floor is the longer of two: FLOPs ÷ peak FLOP/s and bytes ÷ peak bytes/s, with the costs that the compiler wrote and
//! the peaks that the device's plane says (Williams, Waterman and Patterson, "Roofline", 2009).

use super::readout::How;
use super::slot::Slot;
use crate::analysis::{Kind, OpDetail, OpFigures};
use crate::hlo::opcode;
use crate::report::number;
use crate::units::Picos;

/// An op's time against its floor.
#[derive(Clone, Debug, PartialEq)]
pub struct Roof {
    /// What its time is, for its colour.
    pub slot: Slot,
    /// Floor ÷ measured; above 1 where the cost estimate is more than the device can do.
    pub share: f64,
    /// "10.60 µs at the HBM roof".
    pub floor: String,
    /// "390.70 µs measured, 36.8 ×".
    pub measured: String,
    /// Bytes, FLOPs, what could be won: name and words.
    pub rows: Vec<(&'static str, String)>,
    /// How it is computed.
    pub how: How,
}

/// Of an op that ran; `None` where its costs or the device's peaks are not known, and for the ends of an asynchronous
/// op: `-start` only asks, and `-done` waits for what others do, so that no roof of this core bounds them.
pub fn roof(op: &OpDetail) -> Option<Roof> {
    if is_end(op.opcode.as_deref()) || is_end(op.category.as_deref()) {
        return None;
    }
    of_figures(op.figures.as_ref()?, Slot::Kind(op.kind.unwrap_or(Kind::Other)))
}

/// An opcode or category that is one end of an asynchronous op.
fn is_end(name: Option<&str>) -> bool {
    name.is_some_and(|name| opcode::is_start(name) || opcode::is_done(name))
}

fn of_figures(op: &OpFigures, slot: Slot) -> Option<Roof> {
    let seconds = op.total.as_f64() / 1e12;
    if op.n == 0 || seconds <= 0.0 {
        return None;
    }
    let at = |cost: Option<f64>, peak: Option<f64>| Some(cost? / peak.filter(|peak| *peak > 0.0)?);
    let (flops, bytes) = (at(op.flops, op.peaks.flops), at(op.bytes_accessed, op.peaks.hbm_bytes));
    let (floor, name) = match (flops, bytes) {
        (Some(flops), Some(bytes)) if flops >= bytes => (flops, "FLOP"),
        (_, Some(bytes)) => (bytes, "HBM"),
        (Some(flops), None) => (flops, "FLOP"),
        (None, None) => return None,
    };
    if floor <= 0.0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    let runs = op.n as f64;
    let (share, ratio) = (floor / seconds, seconds / floor);
    let rate = |cost: f64, peak: Option<f64>, show: fn(f64) -> String, unit: &str| {
        let rate = cost / seconds;
        let of = peak.map_or_else(String::new, |peak| {
            format!(" of {} {unit}, {}", show(peak), number::percent_text(rate / peak))
        });
        format!("{}{of}", show(rate))
    };
    let mut rows = Vec::new();
    rows.extend(op.bytes_accessed.map(|bytes| {
        let rate = rate(bytes, op.peaks.hbm_bytes, number::gbs, "GB/s");
        ("HBM", format!("{}B per run; {rate}", number::quantity(bytes / runs)))
    }));
    rows.extend(op.flops.map(|flops| {
        let words = if flops == 0.0 {
            "none".to_owned()
        } else {
            let rate = rate(flops, op.peaks.flops, number::tflops, "TFLOP/s");
            format!("{}FLOP per run; {rate}", number::quantity(flops / runs))
        };
        ("FLOPs", words)
    }));
    rows.extend(op.flops.zip(op.bytes_accessed).filter(|(flops, bytes)| *flops > 0.0 && *bytes > 0.0).map(
        |(flops, bytes)| {
            let ridge = op.peaks.flops.zip(op.peaks.hbm_bytes).filter(|(_, bytes)| *bytes > 0.0);
            let ridge = ridge.map_or_else(String::new, |(flops, bytes)| {
                format!("; the ridge is at {}", number::intensity(flops / bytes))
            });
            ("Intensity", format!("{} FLOP/byte{ridge}", number::intensity(flops / bytes)))
        },
    ));
    rows.push((
        "Recoverable",
        if share > 1.0 {
            "▲ the cost estimate is more than the device can do in this time".to_owned()
        } else {
            format!("{} if it ran at the {name} roof", number::time_text(picos(seconds - floor)))
        },
    ));
    Some(Roof {
        slot,
        share,
        floor: format!("{} at the {name} roof", number::time_text(picos(floor / runs))),
        measured: format!(
            "{} measured, {} ×",
            number::time_text(picos(seconds / runs)),
            number::decimal(ratio, if ratio < 10.0 { 2 } else { 1 })
        ),
        rows,
        how: how(op, floor),
    })
}

/// Seconds as a time; what is below none is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn picos(seconds: f64) -> Picos {
    Picos((seconds * 1e12).round() as u64)
}

fn how(op: &OpFigures, floor: f64) -> How {
    let row = |label: &str, value: String| (label.to_owned(), value);
    let peak = |peak: Option<f64>, show: fn(f64) -> String, unit: &str| {
        peak.map_or_else(
            || "the plane says none".to_owned(),
            |peak| format!("{} {unit}, by the device’s plane", show(peak)),
        )
    };
    let cost = |cost: Option<f64>| cost.map_or_else(|| "not in the capture".to_owned(), number::quantity);
    How {
        formula: "Floor = max(FLOPs ÷ peak FLOP/s, bytes ÷ peak bytes/s)".to_owned(),
        rows: vec![
            row("Self time", number::exact_time(op.total)),
            row("FLOPs", cost(op.flops)),
            row("Bytes", cost(op.bytes_accessed)),
            row("Peak FLOP/s", peak(op.peaks.flops, number::tflops, "TFLOP/s")),
            row("Peak HBM", peak(op.peaks.hbm_bytes, number::gbs, "GB/s")),
            row("Floor", number::exact_time(picos(floor))),
            row("Source", "costs are the compiler’s estimates; the peak is one for all types of elements".to_owned()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Peaks;

    fn of(op: &OpFigures) -> Option<Roof> {
        of_figures(op, Slot::Idle)
    }

    fn figures(flops: Option<f64>, bytes: Option<f64>, micros: u64) -> OpFigures {
        let peaks = Peaks { flops: Some(197e12), hbm_bytes: Some(819e9) };
        OpFigures {
            n: 2,
            total: Picos(micros * 1_000_000),
            flops,
            bytes_accessed: bytes,
            peaks,
            ..OpFigures::default()
        }
    }

    #[test]
    fn the_longer_floor_is_the_roof() {
        // 138.8 GFLOP take 704.6 µs at 197 TFLOP/s; measured 2.12 ms for both runs together.
        let compute = of(&figures(Some(138.8e9), Some(1e6), 2120)).unwrap();
        assert!((compute.share - 138.8e9 / 197e12 / 2.12e-3).abs() < 1e-12);
        assert_eq!(compute.floor, "352.28 µs at the FLOP roof");
        assert_eq!(compute.measured, "1.06 ms measured, 3.01 ×");
        assert_eq!(compute.rows.last().unwrap().1, "1.42 ms if it ran at the FLOP roof");
        // 81.9 MB take 100 µs at 819 GB/s.
        let memory = of(&figures(Some(0.0), Some(81.9e6), 200)).unwrap();
        assert!((memory.share - 0.5).abs() < 1e-12);
        assert_eq!(memory.rows[1], ("FLOPs", "none".to_owned()));
    }

    #[test]
    fn who_waits_has_no_roof() {
        for name in ["copy-start", "all-reduce-done", "async-done"] {
            assert!(is_end(Some(name)));
        }
        assert!(!is_end(Some("fusion")) && !is_end(Some("loop fusion")) && !is_end(None));
    }

    #[test]
    fn above_the_roof_is_said_and_absent_is_absent() {
        let above = of(&figures(None, Some(81.9e6), 50)).unwrap();
        assert!(above.share > 1.0 && above.rows.last().unwrap().1.starts_with('▲'));
        assert_eq!(of(&figures(None, None, 50)), None);
        assert_eq!(of(&figures(Some(0.0), None, 50)), None);
        assert_eq!(of(&figures(Some(1e9), Some(1e6), 0)), None);
        let no_peaks = OpFigures { peaks: Peaks::default(), ..figures(Some(1e9), Some(1e6), 50) };
        assert_eq!(of(&no_peaks), None);
    }
}
