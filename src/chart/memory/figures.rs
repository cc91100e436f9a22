//! This module computes the figures of the memory view: the peak first, then its parts, the capacity, and the peak of
//! the allocator. It does not depend on pixels. All formulas are those of the analysis.

use super::size::{UNIT, in_unit, text};
use crate::analysis::memory::{
    AliveAt, AllocatorMemory, Basis, Capacity, CapacitySource, CrossCheck, MomentPart, SpaceMemory,
};
use crate::chart::widgets::figure::{Figure, Readout, figure};
use crate::chart::widgets::tip::row;
use crate::table::format::{self, ABSENT};

fn exact(size: u64) -> String {
    format!("{} B", format::count(size))
}

/// Returns a size and its unit.
fn size(bytes: u64) -> (String, &'static str) {
    (format::mib(bytes), UNIT)
}

/// Returns the figures of a program's memory. `check` belongs to the device that runs the program.
pub fn program(space: &SpaceMemory, check: Option<&CrossCheck>) -> Readout {
    let peak = &space.peak;
    let temporaries = peak.peak.saturating_sub(peak.indefinite);
    let basis = match peak.basis {
        Basis::Trace => "the compiler’s heap simulator, replayed: shared buffers count once",
        Basis::Schedule => {
            "the schedule of the entry computation, because there is no heap trace; loop bodies are not included"
        }
        Basis::Constant => "only persistent buffers",
        Basis::LiveRanges => "an estimate from the schedule of the text, because there is no buffer assignment",
    };
    let mut rows = vec![
        row("Persistent", exact(peak.indefinite)),
        row("Allocated while it runs", exact(temporaries)),
        row("Sum", exact(peak.peak)),
        row("Without padding", exact(space.peak_unpadded)),
        row(
            "All allocations",
            peak.allocated().map_or("–: only a buffer assignment has them".to_owned(), |size| {
                format!("{}: not all are alive at once", exact(size))
            }),
        ),
        row("From", basis),
    ];
    if let Some(moment) = &space.moment {
        let part = moment.part.map_or("", |part| match part {
            MomentPart::Forward => ", in the forward half",
            MomentPart::Turn => ", where forward turns into backward",
            MomentPart::Backward => ", in the backward half",
        });
        let place = format::count(u64::from(moment.place) + 1);
        rows.push(row(
            "Reached by",
            format!("{}, {place} of {}{part}", moment.instruction, format::count(moment.n_instructions.into())),
        ));
    }
    let main_label = format!("Peak {}", peak.space);
    let mut main = Vec::new();
    if let Some((check, capacity)) =
        check.filter(|_| peak.color == 0).and_then(|check| Some((check, check.capacity.as_ref()?)))
    {
        main.push(of_capacity(peak.peak, check, capacity));
    }
    let expected = vec![
        row("Parameters", exact(peak.parameters)),
        row("Constants", exact(peak.constants)),
        row("Outputs", format!("{}; a parameter updated in place is both", exact(peak.live_out))),
    ];
    main.push(figure(
        "Persistent",
        size(peak.indefinite),
        "Σ allocations of parameters, constants and outputs",
        expected,
    ));
    main.push(figure(
        "Allocated while it runs",
        size(temporaries),
        "Peak − persistent: buffers that the program allocates and frees, alive at the peak",
        vec![row("At the peak", exact(temporaries))],
    ));
    let wasted = space.padding.wasted;
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = wasted as f64 / peak.peak.max(1) as f64;
    let padding =
        vec![row("Wasted", exact(wasted)), row("Buffers with padding", format::count(space.padding.n.into()))];
    main.push(figure(
        "Padding",
        (format::percent(share), "%"),
        "Σ (size − bytes of its elements) ÷ peak, over what is alive there",
        padding,
    ));
    if let Some(runtime) = check.filter(|_| peak.color == 0).and_then(|check| check.runtime_peak) {
        let rows = vec![
            row("In use at the peak", exact(runtime)),
            row("This program", exact(peak.peak)),
            row("In use", "reserved + allocated: bytes allocated alone would miss the program’s arena"),
        ];
        main.push(figure(
            "Allocator’s peak",
            size(runtime),
            "The highest memory in use that the allocator reported",
            rows,
        ));
    }
    Readout {
        hero: figure(
            main_label,
            size(peak.peak),
            "Persistent + the most of the other buffers that is alive at once",
            rows,
        ),
        main,
        side: Vec::new(),
    }
}

fn of_capacity(peak: u64, check: &CrossCheck, capacity: &Capacity) -> Figure {
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = peak as f64 / capacity.size.max(1) as f64;
    let source = match &capacity.source {
        CapacitySource::Allocator => format!("the allocator of {}", check.label),
        CapacitySource::Chip(name) => format!("published, {name}"),
    };
    let headroom = check.headroom.map_or_else(
        || ABSENT.to_owned(),
        |bytes| {
            let size = text(bytes.unsigned_abs());
            if bytes < 0 { format!("\u{2212}{size}: it does not fit") } else { size }
        },
    );
    let tight = if check.is_tight { "more than 90 % used" } else { "OK" };
    let rows = vec![
        row("Capacity", format!("{}: {source}", exact(capacity.size))),
        row("Headroom above the larger peak", headroom),
        row("Status", tight),
    ];
    let limit = match capacity.source {
        CapacitySource::Allocator => "allocator limit",
        CapacitySource::Chip(_) => "capacity",
    };
    figure(
        format!("Use of {} {limit}", format::bytes_text(capacity.size)),
        (format::percent(share), "%"),
        "Peak ÷ capacity",
        rows,
    )
}

/// Returns the rows of the table of devices: device, program, peak of the program, peak of the allocator, capacity,
/// share used, headroom, status. All sizes are in [`UNIT`].
pub fn checks(all: &[CrossCheck]) -> Vec<[String; 8]> {
    all.iter().map(check).collect()
}

fn check(check: &CrossCheck) -> [String; 8] {
    let headroom = in_unit(check.headroom.map(i64::unsigned_abs));
    let mut status = Vec::new();
    if check.headroom.is_some_and(|bytes| bytes < 0) {
        status.push("does not fit");
    } else if check.is_tight {
        status.push("more than 90 % used");
    }
    if check.is_fragmented {
        status.push("fragmented: more than 10 %");
    }
    if status.is_empty() {
        status.push(if check.used.is_some() { "OK" } else { ABSENT });
    }
    [
        check.label.clone(),
        check.program.clone().unwrap_or_else(|| ABSENT.to_owned()),
        in_unit(check.static_peak),
        in_unit(check.runtime_peak),
        in_unit(check.capacity.as_ref().map(|capacity| capacity.size)),
        check.used.map_or_else(|| ABSENT.to_owned(), format::percent_text),
        if check.headroom.is_some_and(|bytes| bytes < 0) { format!("\u{2212}{headroom}") } else { headroom },
        status.join("; "),
    ]
}

/// Returns the figures of an allocator.
pub fn allocator(allocator: &AllocatorMemory) -> Readout {
    let peak = &allocator.peak;
    let step = peak.step.map_or_else(|| "in no step".to_owned(), |step| format!("in step {step}"));
    let rows = vec![
        row("Reserved", exact(peak.reserved)),
        row("Allocated", exact(peak.allocated)),
        row("When", format!("{}, {step}", format::exact_time(peak.time))),
        row("Events", format::count(allocator.n_events)),
    ];
    let mut main = Vec::new();
    if let Some(capacity) = allocator.capacity {
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = peak.in_use() as f64 / capacity.max(1) as f64;
        let rows =
            vec![row("Capacity", exact(capacity)), row("Capacity is", "reserved + allocated + available, at the peak")];
        main.push(figure(
            format!("Use of {} allocator limit", format::bytes_text(capacity)),
            (format::percent(share), "%"),
            "In use ÷ capacity",
            rows,
        ));
    }
    main.push(figure(
        "Persistent",
        size(allocator.persistent),
        "The least in use over the capture",
        vec![row("Exactly", exact(allocator.persistent))],
    ));
    main.push(figure(
        "Transient",
        size(allocator.transient),
        "Peak − persistent",
        vec![row("Exactly", exact(allocator.transient))],
    ));
    if let Some(fragmentation) = allocator.fragmentation {
        let expected = vec![row("Remark", "above 10 %")];
        main.push(figure(
            "Fragmentation",
            (format::percent(fragmentation), "%"),
            "Fragmentation as the allocator reports it at its peak",
            expected,
        ));
    }
    if let Some(lifetime) = allocator.lifetime_peak {
        main.push(figure(
            "Lifetime peak, allocated",
            size(lifetime),
            "The most that the allocator recorded as allocated, including the time before the capture, and without what it reserves for programs",
            vec![row("Exactly", exact(lifetime))],
        ));
    }
    Readout {
        hero: figure(
            "Peak in use",
            size(peak.in_use()),
            "Reserved + allocated, at the first moment of their most",
            rows,
        ),
        main,
        side: Vec::new(),
    }
}

/// Returns a sentence about the live buffers that a summary does not hold. `None` if the list is complete.
pub fn left_out(alive: &AliveAt) -> Option<String> {
    let more = (alive.n as usize).saturating_sub(alive.buffers.len());
    (more > 0).then(|| {
        format!(
            "{} ({}) are not in this summary: the capture has all.",
            format::counted(more as u64, "smaller buffer", "smaller buffers"),
            text(alive.rest)
        )
    })
}
