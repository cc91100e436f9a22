//! What opening files would take, before they are read: how much memory, and for which planes. This module knows heads of planes and rates
//! that were measured; reads no event.
//!
//! ```text
//!  files ──► planes and their bytes ──× bytes of memory per byte──► more than the budget? what is chosen from is told
//! ```
//!
//! A page's memory ends at 4 GiB (32-bit WebAssembly), and a tab that reaches it is lost. So it is asked before.

use super::Input;
use super::detect::format;
use crate::protocol::{Choice, Estimate, Failure, Skip};
use crate::small_sort::SmallSort;
use crate::source::SourceError;
use crate::wire::Format;
use crate::wire::xspace::planes;

/// Files of fewer bytes are read without a look at what they would take.
pub const LOOKED_FROM: u64 = 256 << 20;
/// More memory than this is not taken unasked, bytes: a quarter of what there is stays for the answers.
pub const BUDGET: u64 = 3 << 30;

/// Memory per byte of an XSpace, in tenths: half a byte measured on 1 GB (docs/PERFORMANCE.md), and what allocators and answers
/// take besides.
const PER_BYTE: u64 = 7;
/// What is packed unpacks to so many times its bytes, at most where captures were measured, and is held while it is read.
const UNPACKED: u64 = 9;
/// The same of xz, where there are several steps.
const UNPACKED_XZ: u64 = 14;

/// What the files would take, where that is more than the budget.
///
/// # Errors
/// Where a file cannot be read.
pub fn estimate(inputs: &[Input], budget: u64) -> Result<Option<Estimate>, Failure> {
    let mut choices = Vec::new();
    for (at, input) in (0..).zip(inputs) {
        let of = of_file(at, input).map_err(|error| super::messages::unreadable(&input.name, &error.to_string()))?;
        choices.extend(of);
    }
    let mut estimate = Estimate { choices, budget };
    if estimate.memory() <= budget {
        return Ok(None);
    }
    choose(&mut estimate);
    Ok(Some(estimate))
}

fn of_file(at: u32, input: &Input) -> Result<Vec<Choice>, SourceError> {
    let source = input.source.as_ref();
    let choice = |plane: Option<(u32, String)>, bytes: u64, memory: u64| {
        let (index, plane) = plane.unzip();
        let of = Skip { file: at, plane: index };
        Choice { of, file: input.name.clone(), plane, bytes, memory, is_chosen: true }
    };
    let bytes = source.size();
    let packed = |ratio: u64| vec![choice(None, bytes, (bytes * ratio).min(2 << 30) / 10 * (PER_BYTE + 10))];
    Ok(match format(source)? {
        Format::XSpace => {
            let heads = (0..).zip(planes(source));
            heads.map(|(i, head)| choice(Some((i, head.name)), head.bytes, head.bytes / 10 * PER_BYTE)).collect()
        }
        // Trace JSON is read as it is unpacked: some 17 bytes for an event of a hundred and more.
        Format::TraceJson => vec![choice(None, bytes, bytes / 4)],
        Format::Gzip | Format::Zip => packed(UNPACKED),
        Format::Xz => packed(UNPACKED_XZ),
        _ => vec![choice(None, bytes, bytes)],
    })
}

/// Chooses what fits: what describes the rest, then devices, then what else there is, each in its order.
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
    for at in order {
        let choice = &mut estimate.choices[at];
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

    /// An XSpace of planes of names, each with a line of so many bytes of events without sense.
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
    fn what_fits_is_not_asked_about_and_of_what_does_not_devices_come_first() {
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
    fn of_what_is_packed_only_the_whole_can_be_chosen() {
        let mut packed = vec![0x1f, 0x8b, 8, 0];
        packed.resize(5000, 0);
        let estimate = estimate(&[input("a.xplane.pb.gz", packed)], 10_000).unwrap().unwrap();
        assert_eq!(estimate.choices.len(), 1);
        assert_eq!((estimate.choices[0].of, estimate.choices[0].is_chosen), (Skip { file: 0, plane: None }, false));
    }
}
