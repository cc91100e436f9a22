//! This module writes memory as sentences and tables for the terminal, and as CSV.

use crate::analysis::memory::columns::{BUFFERS, CROSS_CHECKS, ROLL_UPS};
use crate::analysis::memory::{
    AllocatorMemory, CrossCheck, FIT_METHOD, Fit, FitRow, ProgramWithTimelines, RequestedSizes, RollUpBy, SizeField,
    SpaceMemory, SpacePeak, WholeMemory, fit_verdict, largest_sizes,
};
use crate::table::csv;
use crate::table::format::{ABSENT, bytes_text, count, percent_text, time_text};
use crate::table::text::Table;
use crate::table::text_columns::{TextColumns, or_absent};
use rustc_hash::FxHashMap;

/// Returns the peaks and sums of each program by memory space, as a table.
pub fn programs(whole: &WholeMemory) -> Table {
    type Line<'w> = (&'w ProgramWithTimelines, Option<&'w SpacePeak>);
    let lines = whole.programs.iter().flat_map(|program| {
        let unknown = program.peaks.spaces.is_empty().then_some(None);
        program.peaks.spaces.iter().map(Some).chain(unknown).map(move |peak| (program, peak))
    });
    TextColumns::new()
        .text("Program", |(program, _): &Line<'_>| program.peaks.name.clone())
        .text("Memory", |(_, peak)| or_absent(*peak, |peak| &*peak.space))
        .number("Peak", |(_, peak)| or_absent(*peak, |peak| bytes_text(peak.peak)))
        .number("Persistent", |(_, peak)| or_absent(*peak, |peak| bytes_text(peak.indefinite)))
        .number("Parameters", |(_, peak)| or_absent(*peak, |peak| bytes_text(peak.parameters)))
        .number("Allocated", |(_, peak)| or_absent(peak.and_then(SpacePeak::allocated), bytes_text))
        .number("Peak at", |(_, peak)| {
            let place = peak.and_then(|peak| Some((peak.position?, peak.n_events)));
            or_absent(place, |(place, n)| format!("{} of {}", count(place.into()), count(n.into())))
        })
        .text("Instruction", |(program, peak)| match peak {
            Some(peak) => peak.instruction.clone().unwrap_or_default(),
            None => program.peaks.note.as_ref().map_or(String::new(), |note| note.code.key().replace('_', " ")),
        })
        .text("File", |(program, _)| or_absent(program.file.as_deref(), |file| file))
        .table(lines)
}

/// Returns the buffers that are alive at a peak, summed by class, as a table.
pub fn classes(space: &SpaceMemory) -> Table {
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let share = |size: u64| (space.peak.peak > 0).then(|| size as f64 / space.peak.peak as f64);
    let rollups = space.rollups.iter().filter(|rollup| rollup.by == RollUpBy::Class);
    TextColumns::new()
        .declared(ROLL_UPS, "key", "Class")
        .declared(ROLL_UPS, "size_bytes", "Size")
        .number("% of peak", |row| or_absent(share(row.size), percent_text))
        .number("Buffers", |row| row.n.to_string())
        .table(rollups.flat_map(|rollup| &rollup.rows))
}

/// Returns the memory of a program with other sizes of the model and of the batch: the verdict and the classes. `None` if
/// the sizes of the program are unknown.
pub fn fit(space: &SpaceMemory, whole: &WholeMemory, requested: RequestedSizes) -> Option<(Vec<String>, Table)> {
    let with = requested.or_program_sizes(space.fit.as_ref()?.size);
    let found = Fit::new(space, with, whole.capacity())?;
    let about = |size: Option<u64>| or_absent(size, |size| format!("~{}", bytes_text(size)));
    let columns = TextColumns::new()
        .text("Class", |row: &FitRow| row.class.label().to_owned())
        .text("Grows with", |row| row.grows_with.to_owned())
        .number("Rule of thumb", |row| or_absent(row.rule, bytes_text))
        .number("Measured", |row| bytes_text(row.measured))
        .number("With these sizes", |row| about(row.estimate));
    let mut table = columns.table(&found.rows);
    let peak = [
        ("Rule of thumb", ABSENT.to_owned()),
        ("Measured", bytes_text(space.peak.peak)),
        ("With these sizes", about(found.estimate)),
    ];
    table.summary_row("Peak".to_owned(), &peak);
    let size = |field: SizeField| format!("{} {}", field.label().to_lowercase(), count(field.value(&with)));
    let sizes = SizeField::ALL.map(size).join(", ");
    let (_, verdict) = fit_verdict(&found);
    let largest = largest_sizes(&found).map_or_else(String::new, |largest| format!(" {largest}"));
    let lines = vec![format!("Will it fit? With {sizes}"), format!("{verdict}{largest}"), FIT_METHOD.to_owned()];
    Some((lines, table))
}

/// Returns the buffers that are alive at a peak, the largest first, as a table of `top` rows.
pub fn alive(space: &SpaceMemory, top: usize) -> Table {
    let columns = TextColumns::new()
        .declared(BUFFERS, "name", "Buffer")
        .declared(BUFFERS, "size_bytes", "Size")
        .number("Padding", |buffer| {
            or_absent(buffer.wasted(), |wasted| if wasted == 0 { String::new() } else { bytes_text(wasted) })
        })
        .declared(BUFFERS, "category", "Category")
        .declared(BUFFERS, "class", "Class")
        .text("Live range", |buffer| format!("{}–{}", count(buffer.first.into()), count(buffer.last.into())))
        .declared(BUFFERS, "shape", "Shape")
        .declared(BUFFERS, "op_name", "Name");
    let shown = space.alive.buffers.get(..top).unwrap_or(&space.alive.buffers);
    let mut table = columns.table(shown);
    let n_left = space.alive.n as usize - shown.len();
    if n_left > 0 {
        let size = space.alive.size.saturating_sub(shown.iter().map(|buffer| buffer.size).sum());
        table.summary_row(format!("{} more", count(n_left as u64)), &[("Size", bytes_text(size))]);
    }
    table
}

/// Writes a few lines about the position of the peak and about ways to lower it.
pub fn findings(program: &str, space: &SpaceMemory) -> Vec<String> {
    let peak = &space.peak;
    let mut lines = vec![format!("{program}, {}: {} at its peak", peak.space, bytes_text(peak.peak))];
    if let Some(moment) = &space.moment {
        let part = moment.part.map_or("", |part| match part {
            crate::analysis::memory::MomentPart::Forward => ", in the forward pass",
            crate::analysis::memory::MomentPart::Turn => ", where forward turns into backward",
            crate::analysis::memory::MomentPart::Backward => ", in the backward pass",
        });
        let (place, n) = (count(u64::from(moment.place) + 1), count(moment.n_instructions.into()));
        lines.push(format!("Reached by {}, {place} of {n} in the schedule{part}", moment.instruction));
    }
    if space.padding.wasted > 0 {
        lines.push(format!("Padding: {} in {} buffers", bytes_text(space.padding.wasted), space.padding.n));
    }
    if !space.long_lived.is_empty() {
        let size = space.long_lived.iter().fold(0, |sum: u64, b| sum.saturating_add(b.size));
        let n = space.long_lived.len();
        lines.push(format!("Long-lived temporaries: {n} of more than 100 MiB, {} together", bytes_text(size)));
    }
    if let Some(v) = space.vocabulary.as_ref().filter(|v| v.saves > 0) {
        let (saves, chunks) = (bytes_text(v.saves), v.chunks);
        lines.push(format!("The loss in {chunks} pieces (chunked cross-entropy) would lower the peak by {saves}"));
    }
    lines
}

/// Returns the peaks of the allocators beside the peaks of the programs and the capacity, by device, as a table.
pub fn checks(whole: &WholeMemory) -> Table {
    // Of several allocators with one label, the first one counts.
    let allocators: FxHashMap<&str, &AllocatorMemory> =
        whole.runtime.allocators.iter().rev().map(|allocator| (allocator.label.as_str(), allocator)).collect();
    let allocator = |check: &CrossCheck| allocators.get(check.label.as_str());
    TextColumns::new()
        .declared(CROSS_CHECKS, "device", "Device")
        .declared(CROSS_CHECKS, "runtime_peak_bytes", "Peak in use")
        .number("At", |check| or_absent(allocator(check), |allocator| time_text(allocator.peak.time)))
        .number("Minimum in use", |check| or_absent(allocator(check), |allocator| bytes_text(allocator.persistent)))
        .declared(CROSS_CHECKS, "static_peak_bytes", "Program peak")
        .declared(CROSS_CHECKS, "capacity_bytes", "Capacity")
        .declared(CROSS_CHECKS, "used", "Used")
        .declared(CROSS_CHECKS, "fragmentation", "Fragmentation")
        .text("Remark", |check| {
            let words = [
                (check.is_tight, "more than 90 % used"),
                (check.is_fragmented, "fragmented"),
                (check.used.is_none(), "not known: no allocator events, no program"),
            ];
            words.into_iter().filter_map(|(is, word)| is.then_some(word)).collect::<Vec<_>>().join(", ")
        })
        .table(&whole.checks)
}

/// Returns the first `top` buffers that are alive at each peak for CSV, with the names of the JSON.
pub fn csv(whole: &WholeMemory, top: usize) -> Table {
    const PEAK: [&str; 3] = ["program", "program_id", "color"];
    const BUFFER: [&str; 12] = [
        "size_bytes",
        "unpadded_bytes",
        "first",
        "last",
        "category",
        "class",
        "opcode",
        "instruction",
        "shape",
        "op_name",
        "source",
        "name",
    ];
    let mut table = csv::empty_table(PEAK.into_iter().chain(BUFFER));
    for program in &whole.programs {
        let id = program.peaks.program_id.map_or(String::new(), |id| id.to_string());
        for space in &program.spaces {
            let peak = [program.peaks.name.clone(), id.clone(), space.memory.peak.color.to_string()];
            for buffer in space.memory.alive.buffers.iter().take(top) {
                table.row(peak.iter().cloned().chain(csv::chosen_cells(BUFFERS, &BUFFER, buffer)).collect());
            }
        }
    }
    table
}
