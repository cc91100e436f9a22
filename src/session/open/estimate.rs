//! This module estimates the memory that files would take if they were opened, by plane. The estimate uses the sizes of
//! planes and measured ratios, and reads no events.
//!
//! ```text
//!  files ──► planes and their bytes ──× bytes of memory per byte──► more than the budget? the user chooses planes
//! ```
//!
//! The memory of a page ends at 4 GiB (32-bit WebAssembly), and a tab that reaches this limit is lost. Therefore the
//! user chooses before the files are read.

use super::Input;
use super::detect::format;
use crate::protocol::{Choice, Estimate, Failure, Skip};
use xla_profile::small_sort::SmallSort;
use xla_profile::source::SourceError;
use xla_profile::wire::Format;
use xla_profile::wire::xspace::planes;

/// Total size of the files, in bytes, from which the memory is estimated. Smaller sessions are read without an
/// estimate.
pub const ESTIMATE_THRESHOLD: u64 = 256 << 20;
/// Largest estimate, in bytes, that is opened without a choice by the user. A quarter of the memory of 4 GiB remains
/// for the answers.
pub const BUDGET: u64 = 3 << 30;

/// Memory per byte of an XSpace, in tenths. Measured on 1 GB: half a byte (docs/PERFORMANCE.md). The rest is for the
/// allocator and the answers.
const PER_BYTE: u64 = 7;
/// Largest ratio of unpacked to packed bytes among the measured captures, for gzip and zip. The unpacked bytes stay in
/// memory while they are read.
const UNPACKED: u64 = 9;
/// The same ratio for xz, in captures of several steps.
const UNPACKED_XZ: u64 = 14;

/// Estimates the memory of the files. Returns `None` if the estimate is within the budget.
///
/// # Errors
/// Returns a [`Failure`] if a file cannot be read.
pub fn estimate(inputs: &[Input], budget: u64) -> Result<Option<Estimate>, Failure> {
    let mut choices = Vec::new();
    for (index, input) in (0..).zip(inputs) {
        let found =
            of_file(index, input).map_err(|error| super::messages::unreadable(&input.name, &error.to_string()))?;
        choices.extend(found);
    }
    let mut estimate = Estimate { choices, budget };
    if estimate.memory() <= budget {
        return Ok(None);
    }
    choose(&mut estimate);
    Ok(Some(estimate))
}

fn of_file(place: u32, input: &Input) -> Result<Vec<Choice>, SourceError> {
    let source = input.source.as_ref();
    let choice = |plane: Option<(u32, String)>, bytes: u64, memory: u64| {
        let (index, plane) = plane.unzip();
        let position = Skip { file: place, plane: index };
        Choice { position, file: input.name.clone(), plane, bytes, memory, is_chosen: true }
    };
    let bytes = source.size();
    let packed = |ratio: u64| vec![choice(None, bytes, (bytes * ratio).min(2 << 30) / 10 * (PER_BYTE + 10))];
    Ok(match format(source)? {
        Format::XSpace => {
            let heads = (0..).zip(planes(source));
            heads.map(|(i, head)| choice(Some((i, head.name)), head.bytes, head.bytes / 10 * PER_BYTE)).collect()
        }
        // Trace JSON is read while it is unpacked. An event takes about 17 bytes in memory, and 100 bytes or more in
        // the file.
        Format::TraceJson => vec![choice(None, bytes, bytes / 4)],
        Format::Gzip | Format::Zip => packed(UNPACKED),
        Format::Xz => packed(UNPACKED_XZ),
        _ => vec![choice(None, bytes, bytes)],
    })
}

/// Chooses the planes and files that fit into the budget: first the planes that describe the capture, then devices and
/// whole files, then the rest, each in the order of the files.
fn choose(estimate: &mut Estimate) {
    let rank = |choice: &Choice| match choice.plane.as_deref() {
        Some("/host:metadata" | "Task Environment") => 0,
        Some(name) if name.starts_with("/device:") => 1,
        None => 1,
        Some(_) => 2,
    };
    let mut order: Vec<usize> = (0..estimate.choices.len()).collect();
    order.small_sort_by(|a, b| (rank(&estimate.choices[*a]), a).cmp(&(rank(&estimate.choices[*b]), b)));
    let mut left = estimate.budget;
    for index in order {
        let choice = &mut estimate.choices[index];
        choice.is_chosen = choice.memory <= left;
        left -= if choice.is_chosen { choice.memory } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varint(mut n: usize, out: &mut Vec<u8>) {
        while n >= 0x80 {
            out.push((n % 0x80) as u8 | 0x80);
            n /= 0x80;
        }
        out.push(n as u8);
    }

    /// Returns an XSpace with planes of the given names. Each plane has a line with the given number of meaningless
    /// bytes.
    fn space(planes: &[(&str, usize)]) -> Vec<u8> {
        let mut space = Vec::new();
        for (name, n) in planes {
            let mut plane = vec![0x12, name.len() as u8];
            plane.extend(name.bytes());
            plane.push(0x1a);
            varint(*n, &mut plane);
            plane.resize(plane.len() + n, 0);
            space.push(0x0a);
            varint(plane.len(), &mut space);
            space.extend(plane);
        }
        space
    }

    fn input(name: &str, bytes: Vec<u8>) -> Input {
        Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false }
    }

    #[test]
    fn choices_appear_only_above_the_limit_with_devices_first() {
        let planes = [("/host:CPU", 4000), ("/device:TPU:0", 3000), ("/device:TPU:1", 3000), ("/host:metadata", 100)];
        let inputs = || vec![input("a.xplane.pb", space(&planes)), input("b.xplane.pb", space(&planes[1..2]))];
        assert_eq!(estimate(&inputs(), 1 << 20), Ok(None));
        let estimate = estimate(&inputs(), 5_000).unwrap().unwrap();
        let chosen: Vec<_> =
            estimate.choices.iter().map(|c| (c.file.as_str(), c.plane.as_deref().unwrap(), c.is_chosen)).collect();
        assert_eq!(
            chosen,
            [
                ("a.xplane.pb", "/host:CPU", false),
                ("a.xplane.pb", "/device:TPU:0", true),
                ("a.xplane.pb", "/device:TPU:1", true),
                ("a.xplane.pb", "/host:metadata", true),
                ("b.xplane.pb", "/device:TPU:0", false),
            ]
        );
        assert!(estimate.memory() <= estimate.budget);
        assert_eq!(estimate.skips(), [Skip { file: 0, plane: Some(0) }, Skip { file: 1, plane: Some(0) }]);
        let device = &estimate.choices[1];
        assert!((3000..3030).contains(&device.bytes) && device.memory == device.bytes / 10 * PER_BYTE, "{device:?}");
    }

    #[test]
    fn packed_files_are_one_choice() {
        let mut packed = vec![0x1f, 0x8b, 8, 0];
        packed.resize(5000, 0);
        let estimate = estimate(&[input("a.xplane.pb.gz", packed)], 10_000).unwrap().unwrap();
        assert_eq!(estimate.choices.len(), 1);
        assert_eq!(
            (estimate.choices[0].position, estimate.choices[0].is_chosen),
            (Skip { file: 0, plane: None }, false)
        );
    }
}
