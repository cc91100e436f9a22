//! This module turns the report of idle gaps into rows of texts and bar lengths. It does not depend on page elements.

use super::timeline::DeviceTime;
use super::widgets::figure::Formula;
use super::widgets::tip;
use crate::analysis::base::TimeRange;
use crate::analysis::gaps::{Gap, GapClass, Gaps};
use crate::table::format::{self, ABSENT, TimeUnit};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// A class of gaps, or a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: String,
    /// Time, in the unit of the table.
    pub time: String,
    /// Time ÷ time of the largest class.
    pub bar: f64,
    /// Share of the window in percent, without the percent sign.
    pub of_window: String,
    /// Number of gaps; empty for a gap.
    pub n: String,
    /// Op before the gap, op after the gap, and the program whose run ends the gap; empty for a class.
    pub around: [String; 3],
    /// The time of a gap; `None` for a class.
    pub gap_time: Option<DeviceTime>,
    /// Labels and values below the row: host events, other parts of the gap.
    pub more: Vec<(String, String)>,
}

/// A class with its longest gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub row: Row,
    pub gaps: Vec<Row>,
    /// Number of gaps that have no row: "1,428 more gaps".
    pub rest: Option<String>,
}

/// Contents of the view of idle gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleTable {
    /// Unit of the times in the table.
    pub unit: &'static str,
    pub groups: Vec<Group>,
    /// Sums over all classes: time, share of the window, gaps.
    pub total: [String; 3],
}

/// Builds the contents of the view.
pub fn idle(gaps: &Gaps) -> IdleTable {
    let idle = gaps.idle();
    let unit = TimeUnit::for_largest(idle);
    let largest = gaps.classes.first().map_or(Picos::ZERO, |class| class.total);
    let of_window = |time: Picos| time.fraction_of(gaps.window).map_or_else(|| ABSENT.to_owned(), format::percent);
    let several = gaps.gaps.iter().any(|gap| gap.device != gaps.gaps[0].device);
    let row = |name: String, time: Picos| Row {
        name,
        time: format::time(time, unit),
        bar: time.fraction_of(largest).unwrap_or_default(),
        of_window: of_window(time),
        n: String::new(),
        around: <[String; 3]>::default(),
        gap_time: None,
        more: Vec::new(),
    };
    let group = |class: &crate::analysis::gaps::ClassTime| {
        let of_class = gaps.gaps.iter().filter_map(|gap| Some((gap, time_of(gap, class.class)?)));
        let mut of_class: Vec<(&Gap, Picos)> = of_class.collect();
        of_class.small_sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        of_class.truncate(GAPS);
        let gap_row = |(gap, time): &(&Gap, Picos)| {
            let start = format!("at {}", format::time_text(gap.start));
            let start = if gaps.header.mean.n_steps.is_some() { in_step(gap.step, &start) } else { start };
            let name = if several { format!("{}, {start}", gap.device) } else { start };
            let op = |op: &Option<String>| op.clone().unwrap_or_else(|| ABSENT.to_owned());
            let around = [op(&gap.after), op(&gap.before), op(&gap.program)];
            let range = TimeRange::between(gap.axis_start, gap.axis_start + gap.total);
            let gap_time = range.map(|range| DeviceTime { device: gap.device.clone(), range });
            Row { around, gap_time, more: details(gap, class.class), ..row(name, *time) }
        };
        let left = class.n_all - of_class.len() as u64;
        Group {
            row: Row { n: format::executions(class.n), ..row(class.class.label().to_owned(), class.total) },
            gaps: of_class.iter().map(gap_row).collect(),
            rest: (left > 0).then(|| format::counted(left, "more gap", "more gaps")),
        }
    };
    IdleTable {
        unit: unit.symbol(),
        groups: gaps.classes.iter().map(group).collect(),
        total: [format::time(idle, unit), of_window(idle), format::executions(gaps.n_gaps)],
    }
}

/// Returns the start of a gap after the step that it is in: "step 12, at 3.20 ms".
fn in_step(step: Option<u64>, start: &str) -> String {
    step.map_or_else(|| start.to_owned(), |step| format!("step {step}, {start}"))
}

/// The part of a gap, as 1 ÷ a number, from which on its time without traced events is listed.
const LEAST_UNTRACED: u64 = 10;

/// Largest number of gaps that are listed of a class.
const GAPS: usize = 12;

fn time_of(gap: &Gap, class: GapClass) -> Option<Picos> {
    gap.parts.iter().find(|(other, _)| *other == class).map(|(_, time)| *time)
}

/// Returns the host events of a gap, and its time of other classes.
fn details(gap: &Gap, class: GapClass) -> Vec<(String, String)> {
    let events = gap.host_events.iter().filter(|_| class.is_host_late());
    let events = events.map(|event| (event.name.clone(), format::time_text(event.total)));
    let untraced =
        gap.untraced.iter().filter(|thread| class == GapClass::Host && thread.total.0 >= gap.total.0 / LEAST_UNTRACED);
    let untraced =
        untraced.map(|thread| (format!("nothing traced on {} for", thread.thread), format::time_text(thread.total)));
    let others = gap.parts.iter().filter(|(other, _)| *other != class);
    let others = others.map(|(other, time)| (format!("{}:", other.label()), format::time_text(*time)));
    let others: Vec<(String, String)> = others.collect();
    let whole = (!others.is_empty()).then(|| ("Whole gap:".to_owned(), format::time_text(gap.total)));
    untraced.chain(events).chain(whole).chain(others).collect()
}

/// Returns the sentence beside the chart selector.
pub fn summary(gaps: &Gaps) -> String {
    let idle = gaps.idle();
    if idle == Picos::ZERO {
        return "never idle".to_owned();
    }
    let share = idle
        .fraction_of(gaps.window)
        .map_or_else(String::new, |share| format!(", {} of the window", format::percent_text(share)));
    let late = gaps.host_late();
    let late = if late > Picos::ZERO {
        format!("; waiting on the host for {}", format::time_text(late))
    } else {
        String::new()
    };
    let (n, time) = gaps.in_loops;
    let loops =
        if n > 0 { format!("; {} more between the ops of loops", format::time_text(time)) } else { String::new() };
    format!("{} idle{share}{late}{loops}", format::time_text(idle))
}

/// Returns the explanation of the figures.
pub fn formula(gaps: &Gaps) -> Formula {
    let linked = format!("{} of {}", format::count(gaps.n_linked_runs), format::count(gaps.n_runs));
    let rows = vec![
        tip::row("Window", format::exact_time(gaps.window)),
        tip::row("Busy", format::exact_time(gaps.busy)),
        tip::row("Idle", format::exact_time(gaps.idle())),
        tip::row(
            "Waiting on host",
            "until the end of the host call that enqueued the next run, by what the threads of the call did",
        ),
        tip::row("Launch", "from there to the start of the run"),
        tip::row("Runs (GPU: kernels) with a known host call", linked),
        tip::row("Clock", "clock of events, which devices and host share"),
    ];
    Formula { formula: "Idle = window − time with an op on any line = Σ gaps".to_owned(), rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::{Header, Peaks, Status, Totals};
    use crate::analysis::gaps::{ClassTime, HostEvent};

    fn gaps() -> Gaps {
        let gap = |start: u64, parts: &[(GapClass, u64)]| Gap {
            device: "TPU:0".to_owned(),
            start: Picos(start),
            axis_start: Picos(start),
            step: Some(1),
            total: Picos(parts.iter().map(|(_, time)| time).sum()),
            parts: parts.iter().map(|(class, time)| (*class, Picos(*time))).collect(),
            after: Some("fusion.1".to_owned()),
            before: None,
            program: Some("jit_f".to_owned()),
            host_events: vec![HostEvent { name: "np.asarray".to_owned(), total: Picos(600_000) }],
            untraced: None,
        };
        let class = |class, total, n: u64| ClassTime { class, total: Picos(total), n: n.into(), n_all: n };
        Gaps {
            header: Header {
                status: Status::Ok,
                device: None,
                n_devices: 1,
                device_type: None,
                step: "all".to_owned(),
                mean: crate::analysis::base::Mean::default(),
                n_steps: 0,
                window: None,
                step_duration: None,
                not_in_file: None,
                peaks: Peaks::default(),
            },
            totals: Totals::default(),
            window: Picos(4_000_000),
            busy: Picos(3_000_000),
            classes: vec![class(GapClass::Sync, 600_000, 1), class(GapClass::Launch, 400_000, 30)],
            gaps: vec![
                gap(0, &[(GapClass::Sync, 600_000), (GapClass::Launch, 100_000)]),
                gap(9, &[(GapClass::Launch, 200_000)]),
            ],
            n_gaps: 30.into(),
            n_all: 30,
            rest: Picos(100_000),
            in_loops: (0.into(), Picos::ZERO),
            n_runs: 2,
            n_linked_runs: 2,
            host_lead: None,
            clock_shift: None,
            notes: Vec::new(),
        }
    }

    #[test]
    fn gaps_by_class() {
        let table = idle(&gaps());
        assert_eq!(summary(&gaps()), "1.00 µs idle, 25.0 % of the window; waiting on the host for 600.00 ns");
        let [sync, launch] = &table.groups[..] else { panic!("{:?}", table.groups) };
        assert_eq!((sync.row.bar, &*sync.row.of_window, &*sync.row.n), (1.0, "15.0", "1"));
        assert_eq!(sync.gaps[0].more[0], ("np.asarray".to_owned(), "600.00 ns".to_owned()));
        assert_eq!(sync.gaps[0].around, ["fusion.1", ABSENT, "jit_f"]);
        // The gap with most time of the class comes first, and its host events belong to the late part alone.
        assert_eq!(launch.gaps.iter().map(|gap| gap.more.len()).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(launch.rest.as_deref(), Some("28 more gaps"));
    }
}
