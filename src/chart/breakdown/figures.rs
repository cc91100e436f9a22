//! This module computes the figures above the chart of the breakdown, with the explanation of each figure. It does not
//! depend on pixels.

use super::spread_text::spread_text;
use crate::analysis::base::{Header, Query, Totals};
use crate::analysis::classify::Phase;
use crate::analysis::comm::Overlap;
use crate::chart::plot::time_part::TimePart;
use crate::chart::widgets::figure::{Figure, Readout, exact, figure, share_figure};
use crate::chart::widgets::tip::row;
use crate::protocol::BreakdownHead;
use crate::protocol::tables::Utilization;
use crate::table::format::{self, ABSENT, TimeUnit};
use crate::table::words::capitalized;
use xla_profile::units::Picos;

/// Returns the figures of a breakdown. `utilization` is the newest answer about a window, and `hardware` has its figures
/// of the hardware (`chart::roofline::figures::utilization`). They are left out if they are about another window.
pub fn readout(head: &BreakdownHead, utilization: Option<(&Utilization, Vec<Figure>)>) -> Readout {
    let (header, totals) = (&head.header, &head.totals);
    let window = header.step_duration;
    let mut main = vec![busy(totals)];
    main.extend(window.map(|window| idle(totals, window)));
    main.extend(overlap(totals));
    main.extend(unresolved(totals));
    let mut side = Vec::new();
    if let Some((utilization, hardware)) =
        utilization.filter(|(utilization, _)| is_same_window(&utilization.query.query, &head.query))
    {
        main.extend(hardware.into_iter().filter(|figure| figure.value != ABSENT));
        main.extend(utilization.collectives.zip(window).map(|(overlap, window)| exposed(&overlap, window)));
        side.extend(utilization.phases.iter().map(|(op_phase, time)| phase(*op_phase, *time, totals.busy)));
    }
    Readout { hero: hero(header), main, side }
}

fn is_same_window(a: &Query, b: &Query) -> bool {
    (a.device, a.step) == (b.device, b.step)
}

fn exposed(overlap: &Overlap, window: Picos) -> Figure {
    let rows = vec![
        row("In flight", exact(overlap.in_flight)),
        row("While the same core computes", exact(overlap.overlapped)),
        row("Exposed", exact(overlap.exposed)),
        row("Window", exact(window)),
    ];
    let formula = "Time with a collective in flight and no compute beside it ÷ window";
    figure("Exposed comm.", share_figure(overlap.exposed.fraction_of(window)), formula, rows)
}

fn phase(phase: Phase, time: Picos, busy: Picos) -> Figure {
    let share = time.fraction_of(busy).map_or_else(|| ABSENT.to_owned(), format::percent_text);
    let rows = vec![row("Result", exact(time)), row("Share of busy time", share)];
    let label = capitalized(phase.label());
    figure(label, format::figure_time(time), "Σ self time of ops of the phase; tf_op names it", rows)
}

fn hero(header: &Header) -> Figure {
    let whole = header.step == "all";
    let mut rows = Vec::new();
    if let Some(device) = &header.device {
        rows.push(row("Device", device.clone()));
    }
    if let Some((start, end)) = header.window {
        rows.push(row("Start", format::exact_time(start)));
        rows.push(row("End", format::exact_time(end)));
    }
    if header.n_devices > 1 {
        rows.push(row("Devices", format::count(header.n_devices.into())));
    }
    rows.extend(header.mean.n_steps.map(|n| row("Steady steps", format::count(n.into()))));
    if !whole && header.range().is_none() {
        rows.push(row("End of a step", "the start of the next one, or the end of the last step’s event"));
    }
    if let Some(periods) = &header.mean.periods {
        rows.extend(spread_text(periods).into_iter().map(|(label, value)| row(&format!("Period, {label}"), value)));
    }
    rows.extend(header.step_duration.map(|time| row("Result", exact(time))));
    if header.window.is_some() {
        rows.push(row("Clock", "0 is the first event of the device"));
    }
    let what = if whole { "end of the last op − start of the first" } else { "its end − its start" };
    let over = match (header.mean.n_steps.is_some(), header.mean.n_devices.is_some(), header.n_devices > 1) {
        (true, true, _) => "mean over steady steps and devices: ",
        (true, false, true) => "Σ over devices, mean over steady steps: ",
        (true, false, false) => "mean over steady steps: ",
        (false, true, _) => "mean over devices: ",
        (false, false, true) => "Σ over devices: ",
        (false, false, false) => "",
    };
    let (name, label) = match (whole, header.mean.n_steps) {
        (true, _) => ("Whole capture", "Whole capture".to_owned()),
        (false, Some(_)) => ("Step time", "Step time".to_owned()),
        (false, None) if header.range().is_some() => ("Range", "Range".to_owned()),
        (false, None) => ("Step", format!("Step {}", header.step)),
    };
    let value = header.step_duration.map_or((ABSENT.to_owned(), ""), format::figure_time);
    let label = label + &header.scope_text().map_or_else(String::new, |scope| format!(", {scope}"));
    rows.extend(header.not_in_file.map(|time| row("Not in the file", exact(time))));
    Figure { scope: header.missing_text(), ..figure(label, value, &format!("{name} = {over}{what}"), rows) }
}

fn busy(totals: &Totals) -> Figure {
    let mut rows: Vec<_> = TimePart::all()
        .filter(|time_part| *time_part != TimePart::Idle && time_part.time(totals).0 > 0)
        .map(|time_part| row(time_part.label(), format::exact_time(time_part.time(totals))))
        .collect();
    rows.push(row("Result", exact(totals.busy)));
    rows.push(row("Self time", "an op’s time less the time of the ops that run inside it"));
    rows.push(row("Executions", format::executions(totals.n_events)));
    if totals.container_inclusive.0 > 0 {
        rows.push(row("Inside loops", exact(totals.container_inclusive)));
        rows.push(row("Left out", "the whole time of loops and calls: their ops are counted one by one"));
    }
    figure("Busy", format::figure_time(totals.busy), "Busy = Σ self time of all ops", rows)
}

fn idle(totals: &Totals, window: Picos) -> Figure {
    let share = totals.idle.fraction_of(window);
    let rows = vec![
        row("Window", format::exact_time(window)),
        row("With an op", format::exact_time(totals.union)),
        row("Idle", format::exact_time(totals.idle)),
        row("Result", share.map_or_else(|| ABSENT.to_owned(), format::percent_text)),
    ];
    let value = share.map_or_else(|| ABSENT.to_owned(), format::percent);
    figure("Idle", (value, "%"), "Idle = (window − time in which an op ran) ÷ window", rows)
}

fn overlap(totals: &Totals) -> Option<Figure> {
    let time = totals.overlap()?;
    let rows = vec![
        row("Busy", format::exact_time(totals.busy)),
        row("With an op", format::exact_time(totals.union)),
        row("Result", exact(time)),
    ];
    let formula = "Overlap = busy − time in which an op ran";
    Some(figure("Overlap", format::figure_time(time), formula, rows))
}

fn unresolved(totals: &Totals) -> Option<Figure> {
    let rows =
        vec![row("Result", format::executions(totals.n_unresolved)), row("Counted in", "busy, under “unresolved”")];
    let formula = "Unresolved = op events that name no metadata in the file";
    let value = (format::executions(totals.n_unresolved), "");
    (totals.n_unresolved > 0).then(|| figure("Unresolved", value, formula, rows))
}

/// One part of the window in the legend below the bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowPart {
    pub time_part: TimePart,
    /// Time, in the unit that all parts share. `None` if the part has no time.
    pub time: Option<String>,
    pub unit: &'static str,
    /// Share of the window: "53.7 %". `None` if the part has no time, or if the window is not known.
    pub share: Option<String>,
    /// Exact time in picoseconds, for the tooltip.
    pub exact: String,
}

/// Returns all parts in order, including parts without time.
pub fn parts(head: &BreakdownHead) -> Vec<WindowPart> {
    let times: Vec<_> = TimePart::all().map(|time_part| (time_part, time_part.time(&head.totals))).collect();
    let unit = TimeUnit::for_largest(times.iter().map(|(_, time)| *time).max().unwrap_or_default());
    times
        .into_iter()
        .map(|(time_part, time)| WindowPart {
            time_part,
            time: (time.0 > 0).then(|| format::time(time, unit)),
            unit: unit.symbol(),
            share: share(time, head.header.step_duration),
            exact: format::exact_time(time),
        })
        .collect()
}

fn share(time: Picos, window: Option<Picos>) -> Option<String> {
    let fraction = time.fraction_of(window?)?;
    (time.0 > 0).then(|| format::percent_text(fraction))
}

/// Returns the text alternative of the bar, for screen readers.
pub fn sentence(parts: &[WindowPart]) -> String {
    let phrases: Vec<_> = parts
        .iter()
        .filter_map(|part| Some(format!("{} {}", part.time_part.label(), part.share.as_deref()?)))
        .collect();
    if phrases.is_empty() { "No time by kind".to_owned() } else { format!("Time by kind: {}", phrases.join(", ")) }
}

/// Returns true if the parts sum exactly to the whole: kinds to the busy time, and the busy time plus the idle time to
/// the window. Returns false if the window is not known.
pub fn parts_sum_to_window(head: &BreakdownHead) -> bool {
    let totals = &head.totals;
    let kinds: Picos = totals.by_kind.into_iter().sum();
    // Where ops overlap, the busy time is longer than the time with an op.
    kinds == totals.busy && head.header.step_duration.is_some_and(|window| totals.busy + totals.idle == window)
}

/// Returns why the kinds of time sum to more than the window: ops of several streams that run at once. `None` if they do not.
pub fn streams_overlap(head: &BreakdownHead) -> Option<String> {
    let excess = head.totals.overlap()?;
    let (excess, word) = (format::time_text(excess), head.header.window_word());
    Some(format!(
        "Ops of several streams run at once: busy and idle time sum to {excess} more than the {word}. The overview counts this time once."
    ))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::analysis::base::{Query, Status};
    use crate::analysis::breakdown::Shown;

    pub(crate) fn head() -> BreakdownHead {
        let mut totals = Totals {
            n_events: 2_400.into(),
            busy: Picos(900_000_000),
            union: Picos(900_000_000),
            idle: Picos(100_000_000),
            ..Totals::default()
        };
        totals.by_kind[0] = Picos(600_000_000);
        totals.by_kind[3] = Picos(300_000_000);
        BreakdownHead {
            query: Query::default(),
            header: Header {
                status: Status::Ok,
                device: Some("/device:TPU:0".to_owned()),
                n_devices: 1,
                device_type: None,
                step: "3".to_owned(),
                mean: crate::analysis::base::Mean::default(),
                n_steps: 4,
                window: Some((Picos(5), Picos(1_000_000_005))),
                step_duration: Some(Picos(1_000_000_000)),
                not_in_file: None,
                peaks: crate::analysis::base::Peaks::default(),
            },
            totals,
            shown: Shown::default(),
            n_groups: 2,
            notes: Vec::new(),
        }
    }

    #[test]
    fn figures_of_a_step() {
        let out = readout(&head(), None);
        assert_eq!((out.hero.label.as_str(), out.hero.value.as_str(), out.hero.unit), ("Step 3", "1.00", "ms"));
        let main: Vec<_> = out.main.iter().map(|f| (f.label.as_str(), f.value.as_str(), f.unit)).collect();
        assert_eq!(main, [("Busy", "900.00", "µs"), ("Idle", "10.0", "%")]);
        assert!(out.side.is_empty());
        assert!(parts_sum_to_window(&head()));
        assert!(!parts_sum_to_window(&BreakdownHead { totals: Totals::default(), ..head() }));
    }

    #[test]
    fn a_sum_over_devices_says_so() {
        let mut head = head();
        head.header.n_devices = 4;
        head.header.window = None;
        head.header.step = "all".to_owned();
        head.totals.container_inclusive = Picos(5);
        let out = readout(&head, None);
        assert_eq!(out.hero.label, "Whole capture, sum of 4 devices");
        assert!(out.main[0].how.rows.iter().any(|(label, value)| label == "Inside loops" && value.contains("5 ps")));
    }

    #[test]
    fn a_breakdown_without_a_window_has_no_shares() {
        let mut head = head();
        head.header.step_duration = None;
        assert_eq!(readout(&head, None).hero.value, format::ABSENT);
        assert!(parts(&head).iter().all(|part| part.share.is_none()));
        assert_eq!(sentence(&parts(&head)), "No time by kind");
    }

    #[test]
    fn parts_share_one_unit() {
        let parts = parts(&head());
        assert_eq!((parts[0].time.as_deref(), parts[0].unit), (Some("600.0"), "µs"));
        assert_eq!(parts[1].time, None);
        assert_eq!(sentence(&parts), "Time by kind: Compute 60.0 %, Data movement 30.0 %, Idle 10.0 %");
    }
}
