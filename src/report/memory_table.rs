//! This module writes memory as sentences and tables for the terminal, and as CSV.

use crate::analysis::memory::{
    AllocatorMemory, FIT_METHOD, Fit, RequestedSizes, RollUpBy, SizeField, SpaceMemory, WholeMemory, fit_verdict,
    largest_sizes,
};
use crate::table::format::{bytes_text, count, percent_text, time_text};
use crate::table::text::Table;
use rustc_hash::FxHashMap;

const ABSENT: &str = "–";

fn or_absent<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or(ABSENT.to_owned(), show)
}

/// Returns the peaks and sums of each program by memory space, as a table.
pub fn programs(whole: &WholeMemory) -> Table {
    let mut table = Table::new(&[
        ("Program", true),
        ("Memory", true),
        ("Peak", false),
        ("Persistent", false),
        ("Parameters", false),
        ("Allocated", false),
        ("Peak at", false),
        ("Instruction", true),
        ("File", true),
    ]);
    for program in &whole.programs {
        let name = || program.peaks.name.clone();
        let file = || program.file.clone().unwrap_or_else(|| ABSENT.to_owned());
        for peak in &program.peaks.spaces {
            table.row(vec![
                name(),
                peak.space.clone(),
                bytes_text(peak.peak),
                bytes_text(peak.indefinite),
                bytes_text(peak.parameters),
                or_absent(peak.allocated(), bytes_text),
                or_absent(peak.position, |at| format!("{} of {}", count(at.into()), count(peak.n_events.into()))),
                peak.instruction.clone().unwrap_or_default(),
                file(),
            ]);
        }
        if program.peaks.spaces.is_empty() {
            let mut cells = vec![name()];
            cells.resize(table.heads.len() - 2, ABSENT.to_owned());
            cells.push(program.peaks.note.as_ref().map_or(String::new(), |note| note.code.key().replace('_', " ")));
            cells.push(file());
            table.row(cells);
        }
    }
    table
}

/// Returns the buffers that are alive at a peak, summed by class, as a table.
pub fn classes(space: &SpaceMemory) -> Table {
    let mut table = Table::new(&[("Class", true), ("Size", false), ("% of peak", false), ("Buffers", false)]);
    let rows = space.rollups.iter().filter(|rollup| rollup.by == RollUpBy::Class).flat_map(|rollup| &rollup.rows);
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let share = |size: u64| (space.peak.peak > 0).then(|| size as f64 / space.peak.peak as f64);
    for row in rows {
        table.row(vec![
            row.key.clone(),
            bytes_text(row.size),
            or_absent(share(row.size), percent_text),
            row.n.to_string(),
        ]);
    }
    table
}

/// Returns the memory of a program with other sizes of the model and of the batch: the verdict and the classes. `None` if
/// the sizes of the program are unknown.
pub fn fit(space: &SpaceMemory, whole: &WholeMemory, requested: RequestedSizes) -> Option<(Vec<String>, Table)> {
    let with = requested.or_program_sizes(space.fit.as_ref()?.size);
    let found = Fit::new(space, with, whole.capacity())?;
    let mut table = Table::new(&[
        ("Class", true),
        ("Grows with", true),
        ("Rule of thumb", false),
        ("Measured", false),
        ("With these sizes", false),
    ]);
    let about = |size: Option<u64>| or_absent(size, |size| format!("~{}", bytes_text(size)));
    for row in &found.rows {
        table.row(vec![
            row.class.label().to_owned(),
            row.grows_with.to_owned(),
            or_absent(row.rule, bytes_text),
            bytes_text(row.measured),
            about(row.estimate),
        ]);
    }
    let measured = bytes_text(space.peak.peak);
    table.row(vec!["Peak".to_owned(), String::new(), ABSENT.to_owned(), measured, about(found.estimate)]);
    let size = |field: SizeField| format!("{} {}", field.label().to_lowercase(), count(field.value(&with)));
    let sizes = SizeField::ALL.map(size).join(", ");
    let (_, verdict) = fit_verdict(&found);
    let largest = largest_sizes(&found).map_or_else(String::new, |largest| format!(" {largest}"));
    let lines = vec![format!("Will it fit? With {sizes}"), format!("{verdict}{largest}"), FIT_METHOD.to_owned()];
    Some((lines, table))
}

/// Returns the buffers that are alive at a peak, the largest first, as a table of `top` rows.
pub fn alive(space: &SpaceMemory, top: usize) -> Table {
    let mut table = Table::new(&[
        ("Buffer", true),
        ("Size", false),
        ("Padding", false),
        ("Category", true),
        ("Class", true),
        ("Live range", true),
        ("Shape", true),
        ("Name", true),
    ]);
    for b in space.alive.buffers.iter().take(top) {
        let padding = b.wasted();
        table.row(vec![
            b.label(),
            bytes_text(b.size),
            or_absent(padding, |wasted| if wasted == 0 { String::new() } else { bytes_text(wasted) }),
            b.category.label().to_owned(),
            b.class.label().to_owned(),
            format!("{}–{}", count(b.first.into()), count(b.last.into())),
            b.shape.clone(),
            b.op_name.clone(),
        ]);
    }
    let shown = space.alive.buffers.len().min(top);
    let left = space.alive.n as usize - shown;
    if left > 0 {
        let size: u64 = space.alive.buffers.iter().take(top).map(|b| b.size).sum();
        let mut cells = vec![format!("{} more", count(left as u64)), bytes_text(space.alive.size.saturating_sub(size))];
        cells.resize(table.heads.len(), String::new());
        table.row(cells);
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
        let (place, of) = (count(u64::from(moment.place) + 1), count(moment.of.into()));
        lines.push(format!("Reached by {}, {place} of {of} in the schedule{part}", moment.instruction));
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
    let mut table = Table::new(&[
        ("Device", true),
        ("Peak in use", false),
        ("At", false),
        ("Minimum in use", false),
        ("Program peak", false),
        ("Capacity", false),
        ("Used", false),
        ("Fragmentation", false),
        ("Remark", true),
    ]);
    // Of several allocators with one label, the first one counts.
    let allocators: FxHashMap<&str, &AllocatorMemory> =
        whole.runtime.allocators.iter().rev().map(|allocator| (allocator.label.as_str(), allocator)).collect();
    for check in &whole.checks {
        let allocator = allocators.get(check.label.as_str());
        let unknown = check.used.is_none();
        let words = [
            (check.is_tight, "more than 90 % used"),
            (check.is_fragmented, "fragmented"),
            (unknown, "not known: no allocator events, no program"),
        ];
        let words: Vec<&str> = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        table.row(vec![
            check.label.clone(),
            or_absent(check.runtime_peak, bytes_text),
            or_absent(allocator, |a| time_text(a.peak.at)),
            or_absent(allocator, |a| bytes_text(a.persistent)),
            or_absent(check.static_peak, bytes_text),
            or_absent(check.capacity.as_ref(), |capacity| bytes_text(capacity.size)),
            or_absent(check.used, percent_text),
            or_absent(check.fragmentation, percent_text),
            words.join(", "),
        ]);
    }
    table
}

/// Returns the first `top` buffers that are alive at each peak for CSV, with the names of the JSON.
pub fn csv(whole: &WholeMemory, top: usize) -> Table {
    let text = ["program", "program_id"];
    let heads = ["color", "size_bytes", "unpadded_bytes", "first", "last"];
    let rest = ["category", "class", "opcode", "instruction", "shape", "op_name", "source", "name"];
    let columns = text.map(|head| (head, true)).into_iter().chain(heads.map(|head| (head, false)));
    let columns: Vec<(&str, bool)> = columns.chain(rest.map(|head| (head, true))).collect();
    let mut table = Table::new(&columns);
    for program in &whole.programs {
        for space in &program.spaces {
            for b in space.memory.alive.buffers.iter().take(top) {
                table.row(vec![
                    program.peaks.name.clone(),
                    program.peaks.program_id.map_or(String::new(), |id| id.to_string()),
                    space.memory.peak.color.to_string(),
                    b.size.to_string(),
                    b.unpadded.map_or(String::new(), |n| n.to_string()),
                    b.first.to_string(),
                    b.last.to_string(),
                    b.category.key().to_owned(),
                    b.class.key().to_owned(),
                    b.opcode.clone(),
                    b.instruction.clone(),
                    b.shape.clone(),
                    b.op_name.clone(),
                    b.source.clone().unwrap_or_default(),
                    b.label(),
                ]);
            }
        }
    }
    table
}
