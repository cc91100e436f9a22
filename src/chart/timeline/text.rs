//! This module writes the texts of the timeline: the tooltip and the details of an event, and the notes beside the
//! tracks.

use crate::analysis::timeline::{
    Alignment, AlignmentBasis, EventDetail, Flow, FlowKind, FlowsReport, HostOffset, IdleBox, SearchReport,
    SeriesColumn, SeriesRange, SeriesTrack, SeriesUnit, Timeline, Track, TrackGroup,
};
use crate::chart::widgets::tip::{Tip, row};
use crate::table::format;
use xla_profile::units::Picos;

/// Returns the content of the tooltip of an event.
pub fn tip(event: &EventDetail, track: &str) -> Tip {
    let mut rows = vec![row("Duration", format::time_text(event.duration()))];
    if event.self_time != event.duration() {
        rows.push(row("Self", format::time_text(event.self_time)));
    }
    rows.extend(event.kind.map(|kind| row("Kind", kind.label())));
    rows.push(row("Start", start(event)));
    rows.push(row("Line", track));
    Tip { title: event.name.clone(), rows }
}

/// Returns the content of the tooltip of idle time.
pub fn idle_tip(idle: &IdleBox, device: &str) -> Tip {
    let several = idle.n_gaps > 1;
    let waited = if several { "Mostly waited for" } else { "Waited for" };
    let mut rows = vec![row(waited, idle.class.label())];
    rows.push(row("Time", format::time_text(idle.time)));
    let (start, end) = idle.gap;
    let gap = Picos(end.0.saturating_sub(start.0));
    if several {
        rows.push(row("Gaps", format::count(idle.n_gaps.into())));
    } else if gap != idle.time {
        rows.push(row("Whole gap", format::time_text(gap)));
    }
    rows.push(row("Start", format::time_text(start)));
    Tip { title: format!("{device} is idle"), rows }
}

/// Returns a value of a series with its unit.
pub fn series_value(value: f64, unit: SeriesUnit) -> String {
    match unit {
        SeriesUnit::Percent => format!("{} %", format::decimal(value, 1)),
        SeriesUnit::Bytes => format::bytes_text(value.max(0.0) as u64),
        SeriesUnit::Count | SeriesUnit::Value if value.fract() != 0.0 && value.abs() < 1000.0 => {
            format::decimal(value, 2)
        }
        SeriesUnit::Count | SeriesUnit::Value => format::quantity(value),
        SeriesUnit::FlopsPerSecond => format!("{} TFLOP/s", format::tflops(value)),
        SeriesUnit::BytesPerSecond => format!("{} GB/s", format::gbs(value)),
    }
}

/// Returns the text below the name of a series: its scale and whether its values are estimated or, with a range, its mean there.
pub fn series_note(series: &SeriesTrack, max: Option<f64>, range: Option<&SeriesRange>) -> String {
    if let Some(mean) = range.and_then(|range| range.mean) {
        return format!("mean {}", series_value(mean, series.unit));
    }
    let scale = max.or(series.max).map(|max| format!("0 to {}", series_value(max, series.unit)));
    let estimated = series.is_estimated.then(|| "estimated".to_owned());
    scale.into_iter().chain(estimated).collect::<Vec<_>>().join(", ")
}

/// Returns the sentences about a series: its source and, with a range, its values there.
pub fn series_about(series: &SeriesTrack, range: Option<&SeriesRange>) -> String {
    let about = &series.about;
    let Some((range, mean)) = range.and_then(|range| Some((range, range.mean?))) else { return about.clone() };
    let value = |value: Option<f64>| value.map_or_else(String::new, |value| series_value(value, series.unit));
    let covered = format::percent_text(range.covered_share);
    let (low, high) = (value(range.min), value(range.max));
    let mean = series_value(mean, series.unit);
    format!("{about} In the range: mean {mean}, lowest {low}, highest {high}; {covered} of its time has a value.")
}

/// Returns the content of the tooltip of a series at a column of its picture, which is `column` long.
pub fn series_tip(series: &SeriesTrack, value: SeriesColumn, (time, column): (Picos, Picos)) -> Tip {
    let SeriesColumn { min, max, mean } = value;
    let text = |value: f32| series_value(value.into(), series.unit);
    let mut rows = Vec::new();
    if mean.is_nan() {
        rows.push(row("Value", "none here"));
    } else if min == max {
        rows.push(row("Value", text(mean)));
    } else {
        rows.push(row(&format!("Mean of {}", format::time_text(column)), text(mean)));
        rows.push(row("Lowest, highest", format!("{}, {}", text(min), text(max))));
    }
    rows.push(row("Time", format::time_text(time)));
    rows.push(row("Source", series.about.as_str()));
    Tip { title: series.name.clone(), rows }
}

/// Returns the text beside the switch of links: how many are drawn.
pub fn flows_note(report: &FlowsReport) -> String {
    let shown = report.flows.len() as u64;
    if shown < report.n {
        format!("the first {} of {} links", format::count(shown), format::count(report.n))
    } else {
        format::counted(report.n, "link", "links")
    }
}

/// Returns the start of an event, with the time from the start of its step if it has one.
fn start(event: &EventDetail) -> String {
    let start = format::time_text(event.start);
    match event.step {
        Some((number, since)) => format!("{start}, step {number} + {}", format::time_text(since)),
        None => start,
    }
}

/// Returns the details of the selected event: labels and values.
pub fn details(event: &EventDetail) -> Vec<(&'static str, String)> {
    let (n, all) = event.execution;
    let mut rows = vec![("Duration", format::time_text(event.duration()))];
    if event.self_time != event.duration() {
        rows.push(("Self time", format::time_text(event.self_time)));
    }
    rows.push(("Start", start(event)));
    if all > 1 {
        rows.push(("Execution", format!("{} of {}", format::count(n), format::count(all))));
        rows.push(("Median of all", format::time_text(event.median)));
    }
    rows.extend(event.event_start.map(|start| ("Start, event clock", format::time_text(start))));
    rows.extend(event.device_start.map(|start| ("Start, device clock", format::exact_time(start))));
    rows
}

/// Returns the text of a link to another event: how it belongs to this one, and its name.
pub fn flow(flow: &Flow) -> String {
    let verb = match (flow.kind, flow.is_source) {
        (FlowKind::Launch, true) => "Launched by",
        (FlowKind::Launch, false) => "Launches",
        (FlowKind::Context, true) => "Started by",
        (FlowKind::Context, false) => "Starts",
        (FlowKind::Run, _) => "Same run:",
    };
    format!("{verb} {}", format::middle_cut(&flow.event.name, 32))
}

/// Returns the sentence that describes an event to a screen reader.
pub fn sentence(event: &EventDetail, track: &str) -> String {
    let kind = event.kind.map_or_else(String::new, |kind| format!(", {}", kind.label().to_lowercase()));
    format!("{track}: {}, {}{kind}, starts at {}", event.name, format::time_text(event.duration()), start(event))
}

/// Returns the label of the ruler: the unit of its times, and the clock.
pub fn unit(unit: &str, is_aligned: bool) -> String {
    format!("{unit}, {}", if is_aligned { "aligned clocks" } else { "event clock" })
}

/// Returns the sentence after the summary of an export: its times are not the displayed ones, which are aligned.
pub fn exported_clock(device: &str) -> String {
    format!(" Times are on the event clock; the range is that of {device}.")
}

/// Largest number of hosts that the title of the switch lists.
const MAX_HOSTS: usize = 8;

/// Returns the title of the switch that aligns the clocks of hosts: what it does, and the offset of each host.
pub fn alignment_title(alignment: &Alignment) -> String {
    let about = "Displays the hosts so that their common collectives end together. Sums, waits, gaps and findings stay on the \
                 event clock.";
    let others = || alignment.hosts.iter().filter(|host| host.basis != AlignmentBasis::Reference);
    let host = |host: &HostOffset| {
        let n = host.n.into();
        let basis = match host.basis {
            AlignmentBasis::Collectives => format::counted(n, "common collective", "common collectives"),
            AlignmentBasis::Steps => format::counted(n, "start of a common step", "starts of common steps"),
            AlignmentBasis::Reference | AlignmentBasis::Unknown => return format!(" {}: not aligned.", host.name),
        };
        format!(" {}: {}, by {basis}.", host.name, offset_text(host))
    };
    let hosts: String = others().take(MAX_HOSTS).map(host).collect();
    let n_more = others().count().saturating_sub(MAX_HOSTS) as u64;
    let more = (n_more > 0).then(|| format!(" {}.", format::counted(n_more, "more host", "more hosts")));
    format!("{about}{hosts}{}", more.unwrap_or_default())
}

/// Returns the time by which a host is displayed later, with its spread if there is one: "−4.90 s ± 210.00 ns".
fn offset_text(host: &HostOffset) -> String {
    let sign = if host.offset_ps < 0 { "−" } else { "+" };
    let spread = host.spread.map_or_else(String::new, |spread| format!(" ± {}", format::time_text(spread)));
    format!("{sign}{}{spread}", format::time_text(Picos(host.offset_ps.unsigned_abs())))
}

/// Returns how the clock of a host is aligned. `None` for the first host.
fn alignment_note(host: &HostOffset) -> Option<String> {
    match host.basis {
        AlignmentBasis::Collectives => Some(format!("aligned by {}", offset_text(host))),
        AlignmentBasis::Steps => Some(format!("aligned by {}, from the starts of steps", offset_text(host))),
        AlignmentBasis::Unknown => Some("clock not aligned".to_owned()),
        AlignmentBasis::Reference => None,
    }
}

/// Returns the text beside the name of a group: what it holds, and how the clock of its host is aligned.
pub fn group_note(timeline: &Timeline, group: &TrackGroup) -> String {
    let n_events: u64 = group.tracks.iter().map(|track| track.n_events).sum();
    let (one, many) = if group.is_host { ("thread", "threads") } else { ("line", "lines") };
    let tracks = format::counted(group.tracks.len() as u64, one, many);
    let alignment = timeline.applied_offset(group).and_then(alignment_note);
    let parts = [tracks, format::counted(n_events, "event", "events")].into_iter().chain(alignment);
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns the text below the name of a track: what its lanes show.
pub fn track_note(track: &Track, n_lanes: u32) -> String {
    let events = format::counted(track.n_events, "event", "events");
    if n_lanes > 1 { format!("{events}, {n_lanes} deep") } else { events }
}

/// Returns the result of a search in words.
pub fn search_result(report: &SearchReport) -> String {
    if report.query.filter.text.is_empty() {
        return String::new();
    }
    match report.n {
        0 => "No event matches.".to_owned(),
        n => format!("{}, {}", format::counted(n, "event", "events"), format::time_text(report.time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::classify::Kind;
    use crate::analysis::gaps::GapClass;
    use crate::analysis::timeline::LineRef;

    fn event() -> EventDetail {
        EventDetail {
            line: LineRef::default(),
            event: 3,
            lane: 1,
            name: "fusion.12".to_owned(),
            text: None,
            start: Picos(822_246_000_000),
            end: Picos(822_584_000_000),
            self_time: Picos(338_000_000),
            device_start: Some(Picos(1_020_330_000_000)),
            event_start: None,
            kind: Some(Kind::Compute),
            program: Some(7),
            step: Some((4, Picos(3_100_000_000))),
            execution: (2, 98),
            median: Picos(340_000_000),
            flows: Vec::new(),
        }
    }

    #[test]
    fn an_event_in_words() {
        assert_eq!(
            sentence(&event(), "TPU:0, XLA Ops"),
            "TPU:0, XLA Ops: fusion.12, 338.00 µs, compute, starts at 822.25 ms, step 4 + 3.10 ms"
        );
        let labels: Vec<&str> = details(&event()).iter().map(|(label, _)| *label).collect();
        assert_eq!(labels, ["Duration", "Start", "Execution", "Median of all", "Start, device clock"]);
    }

    #[test]
    fn an_alignment_in_words() {
        let host =
            |name: &str, offset_ps, spread, basis, n| HostOffset { name: name.to_owned(), offset_ps, spread, basis, n };
        let alignment = Alignment {
            hosts: vec![
                host("a", 0, None, AlignmentBasis::Reference, 0),
                host("b", -4_900_000_000_000, Some(Picos(210_000)), AlignmentBasis::Collectives, 24),
                host("c", 5_000_000, None, AlignmentBasis::Steps, 1),
                host("d", 0, None, AlignmentBasis::Unknown, 0),
            ],
            shift: Picos(0),
            is_default: true,
            is_applied: true,
        };
        let title = alignment_title(&alignment);
        let offsets = "event clock. b: −4.90 s ± 210.00 ns, by 24 common collectives. c: +5.00 µs, by 1 start of a common step. d: not \
                       aligned.";
        assert!(title.ends_with(offsets), "{title}");
        let mut timeline = Timeline { alignment: Some(alignment), ..Timeline::default() };
        let note = |timeline: &Timeline, host| group_note(timeline, &TrackGroup { host, ..TrackGroup::default() });
        let notes: Vec<String> = (0..4).map(|host| note(&timeline, host)).collect();
        assert_eq!(
            notes,
            [
                "0 lines, 0 events",
                "0 lines, 0 events, aligned by −4.90 s ± 210.00 ns",
                "0 lines, 0 events, aligned by +5.00 µs, from the starts of steps",
                "0 lines, 0 events, clock not aligned"
            ]
        );
        timeline.alignment = None;
        assert_eq!(note(&timeline, 1), "0 lines, 0 events");
    }

    #[test]
    fn idle_time_in_words() {
        let idle = IdleBox {
            start: Picos(1_000_000),
            end: Picos(3_000_000),
            class: GapClass::Launch,
            time: Picos(2_000_000),
            gap: (Picos(1_000_000), Picos(9_000_000)),
            n_gaps: 1,
        };
        let rows = |idle: &IdleBox| {
            idle_tip(idle, "TPU:0")
                .rows
                .into_iter()
                .map(|(label, value)| format!("{label}: {value}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(rows(&idle), ["Waited for: Launch", "Time: 2.00 µs", "Whole gap: 8.00 µs", "Start: 1.00 µs"]);
        let several = IdleBox { n_gaps: 3, ..idle };
        assert_eq!(rows(&several), ["Mostly waited for: Launch", "Time: 2.00 µs", "Gaps: 3", "Start: 1.00 µs"]);
    }

    #[test]
    fn values_in_words() {
        let unit = SeriesUnit::FlopsPerSecond;
        let series = SeriesTrack { name: "FLOP/s".to_owned(), unit, is_estimated: true, ..SeriesTrack::default() };
        assert_eq!(series_note(&series, Some(9.18e14), None), "0 to 918.0 TFLOP/s, estimated");
        assert_eq!(series_note(&series, None, None), "estimated");
        let (mean, min, max) = (Some(2e14), Some(0.0), Some(9e14));
        let range = SeriesRange { mean, min, max, covered_share: 0.5, ..SeriesRange::default() };
        assert_eq!(series_note(&series, None, Some(&range)), "mean 200.0 TFLOP/s");
        assert!(
            series_about(&series, Some(&range)).ends_with("highest 900.0 TFLOP/s; 50.0 % of its time has a value.")
        );
        let value = |min, max, mean| {
            let tip = series_tip(&series, SeriesColumn { min, max, mean }, (Picos(5_000_000), Picos(1_000_000)));
            tip.rows[0].clone()
        };
        assert_eq!(
            (series_value(0.25, SeriesUnit::Count), series_value(25.0, SeriesUnit::Count)),
            ("0.25".into(), "25".into())
        );
        let pair = |label: &str, value: &str| (label.to_owned(), value.to_owned());
        assert_eq!(value(1e12, 1e12, 1e12), pair("Value", "1.0 TFLOP/s"));
        assert_eq!(value(0.0, 1e14, 5e13), pair("Mean of 1.00 µs", "50.0 TFLOP/s"));
        assert_eq!(value(f32::NAN, f32::NAN, f32::NAN), pair("Value", "none here"));
    }
}
