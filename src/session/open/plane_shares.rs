//! This module lists the planes that several workers read, each plane apart from the others. Only large files are divided
//! so; what they hold is known from the lengths of their planes, before any event is read.

use super::planes_read::PlaneAt;
use super::{Input, detect::format};
use crate::protocol::Skip;
use xla_profile::small_sort::SmallSort;
use xla_profile::wire::xspace::{SpaceField, lines_at_start, outline};
use xla_profile::wire::{Format, Span};

/// Total size of the planes, in bytes, from which starting a worker takes less time than it saves.
const LEAST_BYTES: u64 = 16 << 20;
/// Largest number of planes of a file that are read apart. Files with more are not captures of profilers.
const MAX_PLANES: usize = 1 << 10;
/// Number of bytes that are read in the time that it takes to open the first device and to answer the first requests about
/// it. In a browser, the program is compiled meanwhile.
const FIRST_COST: u64 = 80 << 20;

/// The planes that are read apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaneList {
    /// All planes: first those of `first`, then the largest first, so that they can be divided into equal shares.
    pub all: Vec<PlaneAt>,
    /// The first device and the planes that do not belong to a device. They can be shown before the rest is read. Empty if
    /// they are more than half of the bytes, if there is one device, or if planes are divided: then all workers finish at about
    /// the same time.
    pub first: Vec<PlaneAt>,
    pub n_devices: u32,
    /// What the files hold beside planes, by the index of the file.
    pub fields: Vec<(u32, Vec<SpaceField>)>,
}

impl PlaneList {
    /// Divides the planes among workers by their bytes. The first worker reads the planes of `first`, and also opens them.
    pub fn divide_among_workers(&self, n_workers: usize) -> Vec<Vec<PlaneAt>> {
        let mut shares = vec![(0, Vec::new()); n_workers.max(1)];
        shares[0].0 = if self.first.is_empty() { 0 } else { FIRST_COST };
        for (n, plane_at) in self.all.iter().enumerate() {
            let is_first = n < self.first.len();
            let least = shares.iter_mut().min_by_key(|(bytes, _)| if is_first { 0 } else { *bytes });
            if let Some((bytes, share)) = least {
                *bytes += plane_at.bytes();
                share.push(*plane_at);
            }
        }
        shares.into_iter().map(|(_, share)| share).collect()
    }
}

/// Lists the planes for `n_workers` workers to read apart. There are none if the files are small, packed, or of another format.
pub fn list_planes(inputs: &[Input], skips: &[Skip], n_workers: usize) -> PlaneList {
    // Small files are not even listed, because each read of a file in a browser takes milliseconds.
    if inputs.iter().map(|input| input.source.size()).sum::<u64>() < LEAST_BYTES {
        return PlaneList::default();
    }
    let (mut found, mut fields): (Vec<(PlaneAt, Option<u64>)>, _) = (Vec::new(), Vec::new());
    for (file, input) in (0..).zip(inputs) {
        let is_skipped = |plane: Option<u32>| skips.contains(&Skip { file, plane });
        if is_skipped(None) || !matches!(format(input.source.as_ref()), Ok(Format::XSpace)) {
            continue;
        }
        let Some(outline) = outline(input.source.as_ref(), MAX_PLANES) else { continue };
        fields.push((file, outline.fields));
        let located =
            |(plane, (span, name)): (u32, (Span, String))| (PlaneAt::whole(file, plane, span), device_number(&name));
        found.extend((0..).zip(outline.planes).map(located).filter(|(plane_at, _)| !is_skipped(Some(plane_at.plane))));
    }
    let bytes: u64 = found.iter().map(|(plane_at, _)| plane_at.bytes()).sum();
    let n_devices = found.iter().filter(|(_, device)| device.is_some()).count() as u32;
    let n_planes = found.len();
    let mut found: Vec<(PlaneAt, Option<u64>)> = found
        .into_iter()
        .flat_map(|(plane_at, device)| {
            divided(inputs, plane_at, bytes, n_workers).into_iter().map(move |part| (part, device))
        })
        .collect();
    if bytes < LEAST_BYTES || found.len() < 2 {
        return PlaneList::default();
    }
    let is_divided = found.len() > n_planes;
    found.small_sort_by(|(a, _), (b, _)| (b.bytes(), a).cmp(&(a.bytes(), b)));
    let lowest = found.iter().filter_map(|(plane_at, device)| Some((plane_at.file, (*device)?))).min();
    let is_first = |(plane_at, device): &(PlaneAt, Option<u64>)| {
        lowest.is_some_and(|(file, number)| plane_at.file == file && device.is_none_or(|device| device == number))
    };
    let planes = |list: &[(PlaneAt, Option<u64>)]| list.iter().map(|(plane_at, _)| *plane_at).collect::<Vec<PlaneAt>>();
    let (mut first, rest): (Vec<_>, Vec<_>) = found.iter().partition(|entry| is_first(entry));
    let first_bytes: u64 = first.iter().map(|(plane_at, _)| plane_at.bytes()).sum();
    if n_devices < 2 || first_bytes > bytes / 2 || is_divided {
        return PlaneList { all: planes(&found), first: Vec::new(), n_devices, fields };
    }
    // The device takes longest to become a breakdown.
    first.small_sort_by(|(_, a), (_, b)| b.is_some().cmp(&a.is_some()));
    let first = planes(&first);
    PlaneList { all: [first.clone(), planes(&rest)].concat(), first, n_devices, fields }
}

/// Divides a plane into parts if it is larger than the share of a worker, and if most of it are lines.
fn divided(inputs: &[Input], plane_at: PlaneAt, bytes: u64, n_workers: usize) -> Vec<PlaneAt> {
    let share = bytes / n_workers.max(1) as u64;
    let is_large = plane_at.bytes() / 5 > share / 4;
    let source = inputs.get(plane_at.file as usize).filter(|_| is_large).map(|input| input.source.as_ref());
    let n = plane_at.bytes().div_ceil(share.max(1)).min(n_workers as u64) as u32;
    match source.and_then(|source| lines_at_start(source, plane_at.span())) {
        Some(lines) => plane_at.divided(lines, n).collect(),
        None => vec![plane_at],
    }
}

/// Returns the number of the device in the name of its plane, such as 3 in `/device:TPU:3`. `None` for planes that are not
/// of one device.
fn device_number(name: &str) -> Option<u64> {
    let (kind, number) = name.strip_prefix("/device:")?.split_once(':')?;
    if matches!(kind, "TPU" | "GPU") { number.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an XSpace with planes of the given names and sizes.
    fn input(planes: &[(&str, usize)]) -> Input {
        let mut space = Vec::new();
        for (name, n) in planes {
            let mut plane = vec![0x12, name.len() as u8];
            plane.extend(name.bytes());
            plane.push(0x1a);
            prost::encoding::encode_varint(*n as u64, &mut plane);
            plane.resize(plane.len() + n, 0);
            space.push(0x0a);
            prost::encoding::encode_varint(plane.len() as u64, &mut space);
            space.extend(plane);
        }
        Input { name: "a.xplane.pb".to_owned(), source: Box::new(space), from_folder: false }
    }

    const MB: usize = 1 << 20;

    /// Returns the indices of planes in their file.
    fn order(planes: &[PlaneAt]) -> Vec<u32> {
        planes.iter().map(|plane_at| plane_at.plane).collect()
    }

    #[test]
    fn the_first_device_comes_first_and_then_the_largest_planes() {
        let planes = [
            ("/host:CPU", MB),
            ("/device:TPU:10", 12 * MB),
            ("/device:TPU:2", 8 * MB),
            ("/device:CUSTOM:x", 10),
            ("/device:TPU:3", 10 * MB),
        ];
        let found = list_planes(&[input(&planes)], &[], 2);
        assert_eq!((order(&found.all), order(&found.first), found.n_devices), (vec![2, 0, 3, 1, 4], vec![2, 0, 3], 3));
        let shares: Vec<Vec<u32>> = found.divide_among_workers(2).iter().map(|share| order(share)).collect();
        assert_eq!(shares, [vec![2, 0, 3], vec![1, 4]], "the first worker also answers requests");
        assert_eq!(found.divide_among_workers(1).concat(), found.all);
        let skip = |plane: Option<u32>| Skip { file: 0, plane };
        let found = list_planes(&[input(&planes)], &[skip(Some(2))], 2);
        assert_eq!((order(&found.first), found.n_devices), (vec![4, 0, 3], 2), "the device that is left");
        assert_eq!(list_planes(&[input(&planes)], &[skip(None)], 2), PlaneList::default());
    }

    #[test]
    fn there_is_no_first_part_if_it_would_be_most_of_the_file() {
        let host = [("/host:CPU", 18 * MB), ("/device:TPU:0", MB), ("/device:TPU:1", MB)];
        let found = list_planes(&[input(&host)], &[], 1);
        assert_eq!((found.all.len(), found.first.len()), (3, 0));
        let shares: Vec<Vec<u32>> = found.divide_among_workers(2).iter().map(|share| order(share)).collect();
        assert_eq!(shares, [vec![0], vec![1, 2]], "by size");
        let one = list_planes(&[input(&[("/host:CPU", 9 * MB), ("/device:GPU:0", 9 * MB)])], &[], 2);
        assert_eq!((one.all.len(), one.first.len()), (2, 0));
        assert_eq!(
            list_planes(&[input(&[("/device:TPU:0", MB), ("/device:TPU:1", MB)])], &[], 2),
            PlaneList::default()
        );
        let packed = Input { source: Box::new([0x1f_u8, 0x8b, 8, 0].repeat(5 * MB)), ..input(&[]) };
        assert_eq!(list_planes(&[packed], &[], 2), PlaneList::default());
    }

    #[test]
    fn planes_larger_than_a_share_are_divided() {
        let parts = |planes: &[(&str, usize)], n| {
            let found = list_planes(&[input(planes)], &[], n);
            assert!(found.first.is_empty());
            let mut all = found.all;
            all.sort();
            assert!(all.windows(2).all(|two| two[0].plane < two[1].plane || two[0].events_end == two[1].events_start));
            assert!(
                all.iter().all(|plane_at| plane_at.n_parts as usize
                    == order(&all).iter().filter(|n| **n == plane_at.plane).count())
            );
            all.iter().map(|plane_at| (plane_at.plane, plane_at.bytes() as usize / MB)).collect::<Vec<_>>()
        };
        assert_eq!(parts(&[("/device:TPU:0", 30 * MB)], 2), [(0, 15), (0, 15)]);
        assert_eq!(parts(&[("/device:TPU:0", 30 * MB)], 1), [], "one worker reads the file as a whole");
        assert_eq!(parts(&[("/host:CPU", 8 * MB), ("/device:GPU:0", 24 * MB)], 4), [(0, 8), (1, 8), (1, 8), (1, 8)]);
    }
}
