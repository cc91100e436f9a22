//! This module collects what the estimate for other sizes scales: the classes that are alive at the measured peak, and at
//! the highest points of the other parts of the program. With other sizes, one of those may become the peak.

use super::categories::{Category, MemoryClass};
use super::class::Vocabularies;
use super::fit_report::{FitBasis, FitPart};
use super::heap_trace::LiveRange;
use super::program::ProgramMemory;
use super::space::Space;
use xla_profile::hlo::{Module, Shape};

/// Number of parts of the program whose highest points are candidates for the peak.
const PARTS: usize = 24;

impl ProgramMemory {
    /// Returns the basis of the estimate. `None` if the sizes of the program are not recognised.
    pub(super) fn fit_basis(&self, module: &Module, vocabularies: &Vocabularies, space: &Space) -> Option<FitBasis> {
        let (size, is_width) = self.job_size(module)?;
        let has_scores = |shape: Option<&Shape>, class: MemoryClass| match class {
            MemoryClass::Weights | MemoryClass::Optimizer => false,
            // An array of the width of the model looks like scores if the width is the length of a sequence.
            _ if is_width && class != MemoryClass::Attention => false,
            _ => has_length_twice(shape, size.length),
        };
        let add = |parts: &mut Vec<FitPart>, slot: Option<u32>, category: Category, size: u64| {
            let class = self.class_of_slot(module, vocabularies, slot, category);
            let shape = slot.and_then(|slot| self.buffers.all.get(slot as usize)?.shape(module));
            let scores = if has_scores(shape, class) { size } else { 0 };
            match parts.iter_mut().find(|part| part.class == class) {
                Some(part) => {
                    part.size = part.size.saturating_add(size);
                    part.scores = part.scores.saturating_add(scores);
                }
                None => parts.push(FitPart { class, size, scores }),
            }
        };
        let mut persistent = Vec::new();
        for (_, allocation) in self.buffers.of_color(space.color).filter(|(_, a)| a.is_indefinite()) {
            add(&mut persistent, allocation.shown, allocation.category, allocation.size);
        }
        let moment = |point: u32| {
            let mut parts = persistent.clone();
            let live_ranges: Vec<LiveRange> = space.alive(point).copied().collect();
            for (range, size) in live_ranges.iter().zip(self.own_sizes(space, &live_ranges)) {
                add(&mut parts, Some(range.holder), self.category(*range), size);
            }
            parts
        };
        let peak = space.peak_point();
        let length = space.padded.len().div_ceil(PARTS).max(1);
        let highest = space.padded.chunks(length).zip((0..).step_by(length)).filter_map(|(part, first)| {
            let (index, _) =
                part.iter().enumerate().max_by_key(|(index, bytes)| (**bytes, std::cmp::Reverse(*index)))?;
            u32::try_from(first + index).ok()
        });
        let moments = [peak].into_iter().chain(highest.filter(|point| *point != peak)).map(moment).collect();
        Some(FitBasis { size, moments })
    }
}

/// Returns whether an array has the length of a sequence in two dimensions, as the scores of attention have.
fn has_length_twice(shape: Option<&Shape>, length: u64) -> bool {
    let dims = shape.and_then(Shape::as_array).map_or(&[][..], |array| &array.dims);
    length > 1 && dims.iter().filter(|dim| **dim == length).count() >= 2
}
