//! This module computes the figures of the roofline view: roofline efficiency, potential savings, coverage and
//! utilization. It does not depend on pixels. All formulas are those of the analysis.

use super::peaks::main_memory;
use crate::analysis::base::Peaks;
use crate::analysis::roofline::{Bound, DeviceCountSource, Level, PeakResource, RooflineFigures, UsefulFlops};
use crate::chart::widgets::figure::{Figure, Readout, figure, mark_above, share_figure};
use crate::chart::widgets::tip::row;
use crate::report::roofline;
use crate::table::format::{self, ABSENT};
use xla_profile::units::Picos;

fn exact(time: Picos) -> String {
    format::exact_time(time)
}

fn optional_number(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| "not in the capture".to_owned(), |value| format!("{}{unit}", format::quantity(value)))
}

/// Returns the row of figures. With `useful`, the row has an MFU from tokens.
pub fn readout(figures: &RooflineFigures, useful: Option<UsefulFlops>) -> Readout {
    let roof = figures.step.as_ref();
    let mut hero = figure(
        "Roofline efficiency",
        share_figure(roof.and_then(|roof| roof.util)),
        "Σ roofline time ÷ Σ self time",
        vec![
            row("Roofline time", roof.map_or_else(|| ABSENT.to_owned(), |roof| exact(roof.t_roof))),
            row("Self time", roof.map_or_else(|| ABSENT.to_owned(), |roof| exact(roof.total))),
            row("Per op", "max(FLOPs ÷ peak FLOP/s, bytes ÷ peak bytes/s), summed over ops"),
            row("Left out", format!("{} that has no roof", share_of(figures))),
            row("Source", "Williams, Waterman and Patterson, “Roofline”, 2009"),
        ],
    );
    if Peaks::is_above(roof.and_then(|roof| roof.util), Some(1.0)) {
        hero = mark_above(hero, "peak");
    }
    hero.scope = roofline::table::scope(figures);
    let mut main = Vec::new();
    if let Some(roof) = roof {
        let per = figures.header.step_duration.and_then(|window| roof.recoverable.fraction_of(window));
        main.push(figure(
            "Potential savings",
            format::figure_time(roof.recoverable),
            "Σ of self time − roofline time, over ops below their roof",
            vec![
                row("Total", exact(roof.recoverable)),
                row("Share of window", per.map_or_else(|| ABSENT.to_owned(), format::percent_text)),
                row("Ops above their roof", format!("{}: their negative gaps do not count", exact(roof.above))),
            ],
        ));
    }
    main.push(coverage(figures));
    if let Some(roof) = roof {
        let memory: Vec<(Level, Picos)> =
            Level::ALL.into_iter().map(|level| (level, roof.bound_total[level.index() + 1])).collect();
        let total: Picos = memory.iter().map(|(_, time)| *time).sum();
        let each = memory.iter().filter(|(_, time)| *time > Picos::ZERO);
        let mut rows: Vec<_> = each.map(|(level, time)| row(level.label(), exact(*time))).collect();
        rows.push(row(
            "Latency-bound",
            format!("{} of the self time: short ops with low utilization", exact(figures.latency_bound)),
        ));
        let compute = roof.bound_total[Bound::Compute.index()];
        main.push(figure(
            "Compute-bound",
            format::figure_time(compute),
            "Σ self time of ops whose min. time is FLOPs ÷ peak",
            vec![row("Total", exact(compute)), row("Ridge", ridge(figures))],
        ));
        main.push(figure(
            "Memory-bound",
            format::figure_time(total),
            "Σ self time of ops whose min. time is bytes ÷ bandwidth",
            rows,
        ));
    }
    Readout { hero, main, side: utilization(figures, useful) }
}

fn share_of(figures: &RooflineFigures) -> String {
    figures.coverage.map_or_else(|| "all".to_owned(), |covered| format::percent_text(1.0 - covered))
}

fn ridge(figures: &RooflineFigures) -> String {
    let ridge = figures.peaks.first().and_then(|peaks| Some((peaks.ridge(peaks.main())?, peaks.main().label())));
    let ridge_text = |(ridge, label)| format!("{} FLOP/byte for {label}", format::decimal(ridge, 1));
    ridge.map_or_else(|| ABSENT.to_owned(), ridge_text)
}

fn coverage(figures: &RooflineFigures) -> Figure {
    let mut rows = vec![row("Selected time", exact(figures.considered))];
    rows.extend(figures.step.as_ref().map(|roof| row("Covered by the roofline", exact(roof.total))));
    rows.extend(figures.skipped.iter().map(|skipped| row(skipped.reason.label(), exact(skipped.total))));
    figure("Coverage", share_figure(figures.coverage), "Time of ops that have a roof ÷ time of the selected ops", rows)
}

/// Returns the utilization of the whole window, including all kinds of time and idle time: MFU, HFU and bandwidth.
pub fn utilization(figures: &RooflineFigures, useful: Option<UsefulFlops>) -> Vec<Figure> {
    let window = &figures.window;
    let peak = window.peak_flops.and_then(|_| {
        let peaks = figures.peaks.first()?;
        peaks.peak(PeakResource::Compute(peaks.main()))
    });
    let base = |flops: Option<f64>, what: &str| {
        let mut rows = vec![
            row(what, optional_number(flops, "FLOP")),
            row("Peak", optional_number(window.peak_flops, "FLOP/s of a device")),
        ];
        rows.extend(peak.map(|peak| row("Source of the peak", format!("{}: {}", peak.source.key(), peak.from))));
        rows.push(row("Window, over devices", exact(window.window)));
        rows
    };
    let rate = |label: &str, share: Option<f64>, formula: &str, rows| {
        let figure = figure(label, share_figure(share), formula, rows);
        if Peaks::is_above(share, Some(1.0)) { mark_above(figure, "peak") } else { figure }
    };
    let mut side = Vec::new();
    if useful.is_some() {
        let mut rows = base(window.useful_flops, "FLOPs of these devices");
        let source = |source: DeviceCountSource| match source {
            DeviceCountSource::Yours => "yours",
            DeviceCountSource::Program => "as the program is compiled for",
            DeviceCountSource::Capture => "those of the capture; the job may have more",
        };
        let devices = window.useful_devices.map(|count| format!("{}, {}", count.n, source(count.source)));
        rows.extend(devices.map(|devices| row("Number of devices", devices)));
        side.push(rate(
            "MFU from tokens",
            window.useful_mfu,
            "Batch × sequence × FLOPs per token ÷ (number of devices × peak × time)",
            rows,
        ));
    }
    if window.model_mfu.is_some() {
        side.push(rate(
            "MFU",
            window.model_mfu,
            "Model FLOPs, without recompute ÷ (peak × window)",
            base(window.model_flops, "Model FLOPs"),
        ));
    }
    side.push(rate(
        "HFU",
        window.hfu,
        "FLOPs of all that ran, recompute included ÷ (peak × window)",
        base(window.flops, "FLOPs"),
    ));
    let memory = main_memory(figures.peaks.first());
    side.push(rate(
        &format!("{memory} bandwidth utilization"),
        window.hbm_util,
        &format!("Bytes of {memory} ÷ (bandwidth × window)"),
        vec![row("Bytes", optional_number(window.bytes, "B")), row("Window, over devices", exact(window.window))],
    ));
    side
}
