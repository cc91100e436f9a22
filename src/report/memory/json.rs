//! This module writes memory as JSON. It defines the names and the order of the fields, and computes nothing.

use crate::analysis::base::columns::NOTES;
use crate::analysis::memory::columns::{ALLOCATORS, BUFFERS, CROSS_CHECKS, ESTIMATE, JUMPS, PADDED, ROLL_UPS, SPACE};
use crate::analysis::memory::{
    FIT_TOO_LARGE, Fit, FitRow, JobSize, Padding, ProgramWithTimelines, RequestedSizes, SpaceMemory, SpaceWithTimeline,
    Vocabulary, WholeMemory,
};
use crate::report::json::first;
use crate::table::{Object, Value, object};
use xla_profile::profile::Note;

/// Returns the memory of all programs and allocators as JSON, with the first `top` rows of each list. `requested` are
/// the sizes for which the memory is estimated.
pub fn memory<'a>(
    head: Object<'a>,
    whole: &'a WholeMemory,
    top: usize,
    requested: RequestedSizes,
    notes: &'a [Note],
) -> Object<'a> {
    let programs = whole.programs.iter().map(|timed| program(timed, top, whole, requested));
    object!(Memory {
        head: OwnFields = head,
        /// All programs. Programs that ran in the capture come first, and of these the one with the highest peak in
        /// HBM. Programs without a known peak come last, in the order in which the text of `inspect` lists them.
        programs: List(Own) = programs,
        /// The allocators of each device.
        runtime: Rows(ALLOCATORS) = &whole.runtime.allocators,
        /// The peak of the programs, the peak of the allocator, and the capacity, by device.
        cross_check: Rows(CROSS_CHECKS) = &whole.checks,
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}

fn program<'a>(
    timed: &'a ProgramWithTimelines,
    top: usize,
    whole: &'a WholeMemory,
    requested: RequestedSizes,
) -> Object<'a> {
    object!(MemoryProgram {
        /// Name of the program.
        name: Name(Program) = &timed.peaks.name,
        /// Id of the program in the capture, as decimal digits.
        program_id: ProgramId or null = timed.peaks.program_id,
        /// Name of the file with its HLO. Null if the session has no HLO of it.
        file: Name(File) or null = timed.file.as_deref(),
        /// The memories of the device.
        spaces: List(Own) = timed.spaces.iter().map(|timed| space(timed, top, whole, requested)),
        /// Name of a note: why nothing is known, or what the figures leave out.
        note: Word or null = timed.peaks.note.as_ref().map(|note| note.code.key()),
    })
}

fn space<'a>(
    timed: &'a SpaceWithTimeline,
    top: usize,
    whole: &'a WholeMemory,
    requested: RequestedSizes,
) -> Object<'a> {
    let space = &timed.memory;
    let rollups = space.rollups.iter();
    let rollups = rollups.map(|rollup| (rollup.by.key(), Value::rows(ROLL_UPS, first(&rollup.rows, top))));
    object!(MemorySpace {
        space: Fields(SPACE) = space,
        /// Bytes that are alive before each event, and at the end.
        timeline: List(Bytes) = timed.timeline.iter().copied(),
        /// Number of the buffers that are alive at the peak.
        n_alive: Count = space.alive.n.into(),
        /// The buffers at the peak, the largest first. They sum to the peak.
        alive: Rows(BUFFERS) = first(&space.alive.buffers, top),
        /// Sums of `alive` by `category`, `class`, `opcode`, `scope`, `source` and `dtype`.
        rollups: Value(Map(Rows(ROLL_UPS))) = Value::map(rollups),
        /// The padding at the peak.
        padding: Own = padding(&space.padding, top),
        /// At most 50 temporaries of more than 100 MiB that live for more than half of the trace.
        long_lived: Rows(BUFFERS) = first(&space.long_lived, top),
        /// At most 20 rises of the curve, the largest first.
        jumps: Rows(JUMPS) = first(&space.jumps, top),
        /// Temporaries at the peak with a dimension of the vocabulary. Null where there are none.
        vocabulary: Own or null = space.vocabulary.as_ref().map(|found| vocabulary(found, top)),
        /// The classes at the peak, compared with a rule of thumb.
        estimate: Object(ESTIMATE) = &space.estimate,
        /// The peak for the sizes of the options. Null if the weights or the tokens are not recognised.
        fit: Own or null = fit(space, whole, requested),
    })
}

fn padding(padding: &Padding, top: usize) -> Object<'_> {
    object!(Padding {
        /// Size of all padding at the peak.
        wasted_bytes: Bytes = padding.wasted,
        /// Number of buffers with padding.
        n: Count = padding.n.into(),
        /// At most 50 buffers with the most padding, the most first.
        worst: Rows(PADDED) = first(&padding.worst, top),
    })
}

fn vocabulary(vocabulary: &Vocabulary, top: usize) -> Object<'_> {
    object!(Vocabulary {
        /// Sizes of vocabularies in this program, the largest first.
        dims: List(Count) = vocabulary.dims.iter().copied(),
        /// Size of all temporaries at the peak with such a dimension.
        size_bytes: Bytes = vocabulary.size,
        /// These temporaries, the largest first.
        buffers: Rows(BUFFERS) = first(&vocabulary.buffers, top),
        /// The number of pieces in which the loss is assumed to be computed.
        chunks: Count = vocabulary.chunks.into(),
        /// The peak by a replay that splits these buffers into `chunks` pieces.
        chunked_peak_bytes: Bytes = vocabulary.peak,
        /// The peak − `chunked_peak_bytes`.
        saves_bytes: Bytes = vocabulary.saves,
    })
}

/// Returns the memory with the sizes that the user gave, or with those of the program.
fn fit(space: &SpaceMemory, whole: &WholeMemory, requested: RequestedSizes) -> Option<Object<'static>> {
    let program = space.fit.as_ref()?.size;
    let with = requested.or_program_sizes(program);
    let fit = Fit::new(space, with, whole.capacity())?;
    let by_class = fit.rows.iter().map(|row| (row.class.key(), Value::Object(fit_of_class(row))));
    Some(object!(MemoryFit {
        /// The sizes of the program.
        program: Own = sizes(program),
        /// The sizes of the options, or those of the program where there is no option.
        with: Own = sizes(with),
        /// The estimated peak. Null above 8 EiB.
        estimate_bytes: Bytes or null = fit.estimate,
        /// Why there is no estimate. Null if there is one.
        note: Text or null = fit.estimate.is_none().then_some(FIT_TOO_LARGE),
        /// The memory of the device. Null if it is unknown.
        capacity_bytes: Bytes or null = fit.capacity,
        /// The largest number of parameters with a peak below 90 % of the capacity. Null if the capacity is unknown or
        /// too small.
        most_parameters: Count or null = fit.most_parameters,
        /// The largest number of sequences on a device with a peak below 90 % of the capacity, or null likewise.
        most_sequences: Count or null = fit.most_sequences,
        /// The sizes by class.
        by_class: Value(Map(Own)) = Value::map(by_class),
    }))
}

fn sizes(size: JobSize) -> Object<'static> {
    object!(Sizes {
        /// Number of parameters of the whole model.
        n_parameters: Count = size.n_parameters,
        /// Number of devices that share one copy of the parameters.
        n_sharing: Count = size.n_sharing,
        /// Number of sequences on one device.
        sequences: Count = size.sequences,
        /// Number of tokens of a sequence on one device.
        length: Count = size.length,
    })
}

fn fit_of_class(row: &FitRow) -> Object<'static> {
    object!(MemoryFitClass {
        /// Size by the rule of thumb for the sizes of the program. Null if the class has no rule.
        rule_bytes: Bytes or null = row.rule,
        /// Size at the peak.
        measured_bytes: Bytes = row.measured,
        /// The estimated size. Null above 8 EiB.
        estimate_bytes: Bytes or null = row.estimate,
    })
}
