//! This module lists the planes that several workers read, each plane apart from the others. Only large files are divided
//! so; what they hold is known from the lengths of their planes, before any event is read.

use super::{Input, detect::format};
use crate::profile::Part;
use crate::protocol::Skip;
use crate::small_sort::SmallSort;
use crate::wire::xspace::{SpaceField, outline};
use crate::wire::{Format, Span};
use serde::{Deserialize, Serialize};

/// Total size of the planes, in bytes, from which starting a worker takes less time than it saves.
const LEAST_BYTES: u64 = 16 << 20;
/// Largest number of planes of a file that are read apart. Files with more are not captures of profilers.
const MAX_PLANES: usize = 1 << 10;
/// The time to read, open and show the first device, in times of reading it.
const FIRST_COST: u64 = 3;

/// The position of a plane in the files of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlaneAt {
    /// Index of the file.
    pub file: u32,
    /// Index of the plane within the file.
    pub plane: u32,
    /// Offset of the first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl PlaneAt {
    /// Returns the bytes of the plane in its file.
    pub const fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }

    /// Returns the size of the plane in bytes.
    pub const fn bytes(self) -> u64 {
        self.span().len()
    }
}

/// The planes that are read apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanesApart {
    /// All planes: first those of `first`, then the largest first, so that they can be divided into equal shares.
    pub all: Vec<PlaneAt>,
    /// The first device and the planes that do not belong to a device. They can be shown before the rest is read. Empty if
    /// they are more than half of the bytes, or if there is one device.
    pub first: Vec<PlaneAt>,
    /// Number of devices.
    pub n_devices: u32,
    /// What the files hold beside planes, by the index of the file.
    pub fields: Vec<(u32, Vec<SpaceField>)>,
}

impl PlanesApart {
    /// Divides the planes among workers by their bytes. The first worker reads the planes of `first`, and also opens them.
    pub fn shares(&self, n_workers: usize) -> Vec<Vec<PlaneAt>> {
        let mut shares = vec![(0, Vec::new()); n_workers.max(1)];
        for (n, at) in self.all.iter().enumerate() {
            let is_first = n < self.first.len();
            let least = shares.iter_mut().min_by_key(|(bytes, _)| if is_first { 0 } else { *bytes });
            if let Some((bytes, share)) = least {
                *bytes += if is_first { FIRST_COST * at.bytes() } else { at.bytes() };
                share.push(*at);
            }
        }
        shares.into_iter().map(|(_, share)| share).collect()
    }
}

/// Lists the planes to read apart. There are none if the files are small, packed, or of another format.
pub fn planes_apart(inputs: &[Input], skips: &[Skip]) -> PlanesApart {
    let (mut found, mut fields): (Vec<(PlaneAt, Option<u64>)>, _) = (Vec::new(), Vec::new());
    for (file, input) in (0..).zip(inputs) {
        let is_skipped = |plane: Option<u32>| skips.contains(&Skip { file, plane });
        if is_skipped(None) || !matches!(format(input.source.as_ref()), Ok(Format::XSpace)) {
            continue;
        }
        let Some(of) = outline(input.source.as_ref()).filter(|of| of.planes.len() <= MAX_PLANES) else { continue };
        fields.push((file, of.fields));
        let at = |(plane, (Span { start, end }, name)): (u32, (Span, String))| {
            (PlaneAt { file, plane, start, end }, device_number(&name))
        };
        found.extend((0..).zip(of.planes).map(at).filter(|(at, _)| !is_skipped(Some(at.plane))));
    }
    let bytes: u64 = found.iter().map(|(at, _)| at.bytes()).sum();
    if bytes < LEAST_BYTES || found.len() < 2 {
        return PlanesApart::default();
    }
    found.small_sort_by(|(a, _), (b, _)| (b.bytes(), a).cmp(&(a.bytes(), b)));
    let n_devices = found.iter().filter(|(_, device)| device.is_some()).count() as u32;
    let lowest = found.iter().filter_map(|(at, device)| Some((at.file, (*device)?))).min();
    let is_first = |(at, device): &(PlaneAt, Option<u64>)| {
        lowest.is_some_and(|(file, number)| at.file == file && device.is_none_or(|device| device == number))
    };
    let (mut first, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(is_first);
    // The device takes longest to become a breakdown.
    first.small_sort_by(|(_, a), (_, b)| b.is_some().cmp(&a.is_some()));
    let planes = |of: &[(PlaneAt, Option<u64>)]| of.iter().map(|(at, _)| *at).collect::<Vec<PlaneAt>>();
    let (first, rest) = (planes(&first), planes(&rest));
    let all = [first.clone(), rest].concat();
    let is_little = first.iter().map(|at| at.bytes()).sum::<u64>() <= bytes / 2;
    PlanesApart { all, first: if is_little && n_devices > 1 { first } else { Vec::new() }, n_devices, fields }
}

/// Returns the number of the device in the name of its plane, such as 3 in `/device:TPU:3`. `None` for planes that are not
/// of one device.
fn device_number(name: &str) -> Option<u64> {
    let (kind, number) = name.strip_prefix("/device:")?.split_once(':')?;
    if matches!(kind, "TPU" | "GPU") { number.parse().ok() } else { None }
}

/// Planes that have been read apart. A file with a damaged plane is left out: it is read as a whole, so that its damage
/// is reported in the order of the file.
#[derive(Clone, Default)]
pub struct PlanesRead {
    parts: Vec<(PlaneAt, Part)>,
    damaged: Vec<u32>,
    fields: Vec<(u32, Vec<SpaceField>)>,
    /// Files of which nothing is here are left out.
    pub is_all: bool,
}

/// A file whose planes have been read apart.
pub struct FileRead {
    /// The planes, in the order of the file.
    pub parts: Vec<Part>,
    /// What the file holds beside planes.
    pub fields: Vec<SpaceField>,
}

impl PlanesRead {
    /// Creates an empty list of planes of files with these fields.
    pub fn new(fields: Vec<(u32, Vec<SpaceField>)>) -> Self {
        Self { fields, ..Self::default() }
    }

    /// Adds a plane; `None` if it is damaged.
    pub fn add(&mut self, at: PlaneAt, part: Option<Part>) {
        match part {
            Some(part) => self.parts.push((at, part)),
            None => self.damaged.push(at.file),
        }
    }

    /// Returns the number of planes and of their events.
    pub fn count(&self) -> (u32, u64) {
        (self.parts.len() as u32, self.parts.iter().map(|(_, part)| part.n_events()).sum())
    }

    /// Returns whether a plane is here.
    pub fn has(&self, at: PlaneAt) -> bool {
        self.parts.iter().any(|(other, _)| *other == at)
    }

    /// Returns copies of some planes alone; `None` if one of them is not here, or is of a damaged file.
    pub fn only(&self, planes: &[PlaneAt]) -> Option<Self> {
        let copy = |at: &PlaneAt| {
            let is_damaged = self.damaged.contains(&at.file);
            self.parts.iter().find(|(other, _)| other == at && !is_damaged).cloned()
        };
        let parts = planes.iter().map(copy).collect::<Option<_>>()?;
        Some(Self { parts, damaged: Vec::new(), fields: self.fields.clone(), is_all: true })
    }

    /// Takes a file. `None` if its planes have not been read apart.
    pub fn take(&mut self, file: u32) -> Option<FileRead> {
        let (mut own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.parts).into_iter().partition(|(at, _)| at.file == file);
        self.parts = others;
        own.small_sort_by(|(a, _), (b, _)| a.cmp(b));
        let is_whole = !own.is_empty() && !self.damaged.contains(&file);
        let fields = self.fields.iter().find(|(at, _)| *at == file).map(|(_, fields)| fields.clone());
        let parts = own.into_iter().map(|(_, part)| part).collect();
        is_whole.then(|| FileRead { parts, fields: fields.unwrap_or_default() })
    }
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

    #[test]
    fn the_first_device_comes_first_and_then_the_largest_planes() {
        let planes = [
            ("/host:CPU", MB),
            ("/device:TPU:10", 12 * MB),
            ("/device:TPU:2", 8 * MB),
            ("/device:CUSTOM:x", 10),
            ("/device:TPU:3", 10 * MB),
        ];
        let found = planes_apart(&[input(&planes)], &[]);
        let order = |of: &[PlaneAt]| of.iter().map(|at| at.plane).collect::<Vec<u32>>();
        assert_eq!((order(&found.all), order(&found.first), found.n_devices), (vec![2, 0, 3, 1, 4], vec![2, 0, 3], 3));
        let shares: Vec<Vec<u32>> = found.shares(2).iter().map(|share| order(share)).collect();
        assert_eq!(shares, [vec![2, 0, 3], vec![1, 4]], "the first worker has 27 MB to do, the other one 22");
        assert_eq!(found.shares(1).concat(), found.all);
        let skip = |plane: Option<u32>| Skip { file: 0, plane };
        let found = planes_apart(&[input(&planes)], &[skip(Some(2))]);
        assert_eq!((order(&found.first), found.n_devices), (vec![4, 0, 3], 2), "the device that is left");
        assert_eq!(planes_apart(&[input(&planes)], &[skip(None)]), PlanesApart::default());
    }

    #[test]
    fn there_is_no_first_part_if_it_would_be_most_of_the_file() {
        let host = [("/host:CPU", 18 * MB), ("/device:TPU:0", MB), ("/device:TPU:1", MB)];
        let found = planes_apart(&[input(&host)], &[]);
        assert_eq!((found.all.len(), found.first.len()), (3, 0));
        let one = planes_apart(&[input(&[("/host:CPU", 9 * MB), ("/device:GPU:0", 9 * MB)])], &[]);
        assert_eq!((one.all.len(), one.first.len()), (2, 0));
        assert_eq!(
            planes_apart(&[input(&[("/device:TPU:0", MB), ("/device:TPU:1", MB)])], &[]),
            PlanesApart::default()
        );
        let packed = Input { source: Box::new([0x1f_u8, 0x8b, 8, 0].repeat(5 * MB)), ..input(&[]) };
        assert_eq!(planes_apart(&[packed], &[]), PlanesApart::default());
    }
}
