//! This module finds the peaks of a device in its plane, in the table of chips and in the input of the user, and
//! chooses one of them for each precision and each memory.
//!
//! ```text
//!  plane stats ───► profile ──┐
//!  device type ─► chip table ─┼─► offers ──choice──► one peak for each precision and memory, with its source
//!  the user ──────► yours ────┘
//! ```
//!
//! Peaks are those of one **device plane**: the figures of a chip are divided among its devices. They are FLOP/s and
//! bytes/s with base 10: the stat `peak_hbm_bw_gigabytes_per_second` is in GB/s, not GiB/s. This module does not depend
//! on ops.

use super::compute_dtype::precision;
use super::query::{Level, PeakChoice, PeakSource, Precision};
use crate::analysis::base::hardware::{Gpu, device_name, recorded_chip};
use crate::chip::{Chip, Figure, gpu};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use xla_profile::hlo::DType;
use xla_profile::keyed_enum;
use xla_profile::profile::Plane;

/// The values that a peak can have, in FLOP/s or bytes/s. A value of a capture or of an address beyond them is no peak: shares
/// of it would be infinite.
const PEAKS: RangeInclusive<f64> = 1e3..=1e21;

/// The resource that a peak limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PeakResource {
    /// FLOP/s with operands of a precision.
    Compute(Precision),
    /// Bytes/s of a memory.
    Memory(Level),
}

impl PeakResource {
    /// Returns the name in JSON: that of the precision or of the memory.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Compute(precision) => precision.key(),
            Self::Memory(level) => level.key(),
        }
    }
}

keyed_enum! {
    /// The source of the main compute peak and of the HBM peak of a device.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MainPeakSource {
        Profile = "profile",
        Published = "published",
        Yours = "yours",
        /// The two peaks have different sources.
        Mixed = "mixed",
    }
}

/// A peak and its source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    pub resource: PeakResource,
    /// FLOP/s or bytes/s.
    pub value: f64,
    pub source: PeakSource,
    /// The source in words: the name of a stat, or a web page.
    pub from: String,
}

/// The peaks of one device, or of several devices with the same peaks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DevicePeaks {
    pub devices: Vec<String>,
    /// Name of the device type in the capture.
    pub device_type: Option<String>,
    /// Name of the chip in the table of chips. `None` if the chip is unknown.
    pub chip: Option<String>,
    /// Devices of one chip. `None` if the chip is unknown.
    pub devices_per_chip: Option<u32>,
    /// The chosen peaks, at most one for each precision and each memory.
    pub used: Vec<Peak>,
    /// All peaks that were found.
    pub offers: Vec<Peak>,
}

impl DevicePeaks {
    /// Returns the chosen peak of a precision or a memory.
    pub fn peak(&self, peak_of: PeakResource) -> Option<&Peak> {
        self.used.iter().find(|peak| peak.resource == peak_of)
    }

    /// Returns the peak FLOP/s with operands of a precision.
    pub fn flops(&self, precision: Precision) -> Option<f64> {
        self.peak(PeakResource::Compute(precision)).map(|peak| peak.value)
    }

    /// Returns the precision of the matrix units that most programs use: bf16, or f16 if the device has a peak for f16
    /// and none for bf16.
    pub fn main(&self) -> Precision {
        let has = |precision| self.flops(precision).is_some();
        if !has(Precision::Bf16) && has(Precision::F16) { Precision::F16 } else { Precision::Bf16 }
    }

    /// Returns the source of the main compute peak and of the HBM peak. `None` if the device has neither.
    pub fn main_source(&self) -> Option<MainPeakSource> {
        let source = |peak_of| self.peak(peak_of).map(|peak| peak.source);
        let (compute, hbm) = (source(PeakResource::Compute(self.main())), source(PeakResource::Memory(Level::Hbm)));
        if compute.zip(hbm).is_some_and(|(compute, hbm)| compute != hbm) {
            return Some(MainPeakSource::Mixed);
        }
        Some(match compute.or(hbm)? {
            PeakSource::Profile => MainPeakSource::Profile,
            PeakSource::Published => MainPeakSource::Published,
            PeakSource::Yours => MainPeakSource::Yours,
        })
    }

    /// Returns the main compute peak by the capture and by the data sheet. `None` if one of them is unknown, or if the user gave
    /// the peak.
    pub fn main_by_source(&self) -> Option<[&Peak; 2]> {
        let resource = PeakResource::Compute(self.main());
        let is_given = self.peak(resource)?.source == PeakSource::Yours;
        let offer = |source| self.offers.iter().find(|peak| (peak.resource, peak.source) == (resource, source));
        Some([offer(PeakSource::Profile)?, offer(PeakSource::Published)?]).filter(|_| !is_given)
    }

    /// Returns the peak bytes/s of a memory.
    pub fn bytes(&self, level: Level) -> Option<f64> {
        self.peak(PeakResource::Memory(level)).map(|peak| peak.value)
    }

    /// Returns the ridge point in FLOPs per byte: peak FLOP/s ÷ peak bytes/s of HBM.
    pub fn ridge(&self, precision: Precision) -> Option<f64> {
        Some(self.flops(precision)? / self.bytes(Level::Hbm)?)
    }

    /// Finds and chooses the peaks of the device of a plane.
    pub fn resolve(label: &str, plane: &Plane, choice: &PeakChoice) -> Self {
        let gpu = Gpu::from_plane(plane);
        let recorded = recorded_chip(plane);
        let chosen = choice.chip.as_deref().and_then(Chip::named);
        let chip = chosen.or(recorded);
        // If the user chose another chip than that of the capture, the figures of the capture do not apply.
        let elsewhere = chosen.is_some() && recorded.is_some() && chosen != recorded;
        let megacore = plane.number_stat("has_megacore").map(|n| n > 0.0).filter(|_| !elsewhere);
        let devices_per_chip = chip.map(|chip| chip.devices(megacore));
        let mut offers = yours(choice);
        if !elsewhere {
            offers.extend(of_plane(plane, chip));
        }
        if let (Some(chip), Some(n)) = (chip, devices_per_chip) {
            offers.extend(published(chip, n));
        }
        offers.retain(|peak| PEAKS.contains(&peak.value));
        let published_first = choice.prefer == PeakSource::Published;
        // ROCm computes the bandwidth with two transfers per memory clock, but HBM3 makes four. The published figure is
        // right.
        let is_amd = gpu.as_ref().is_some_and(|gpu| gpu.amd);
        let halved = |peak: &Peak| {
            is_amd
                && (peak.resource, peak.source) == (PeakResource::Memory(Level::Hbm), PeakSource::Profile)
                && chip.and_then(|chip| chip.hbm).is_some_and(|published| published.value > 1.5 * peak.value)
        };
        let rank = |peak: &Peak| match peak.source {
            PeakSource::Yours => 0,
            PeakSource::Profile if halved(peak) => 3,
            PeakSource::Profile => 1 + u8::from(published_first),
            PeakSource::Published => 2 - u8::from(published_first),
        };
        let every = Precision::ALL.map(PeakResource::Compute).into_iter().chain(Level::ALL.map(PeakResource::Memory));
        let best =
            |resource| offers.iter().filter(|peak| peak.resource == resource).min_by_key(|peak| rank(peak)).cloned();
        Self {
            devices: vec![label.to_owned()],
            device_type: device_name(plane).map(str::to_owned),
            chip: chip.map(|chip| chip.name.to_owned()),
            devices_per_chip,
            used: every.filter_map(best).collect(),
            offers,
        }
    }

    /// Returns the bits of the numbers of all peaks. Both zeros have the same.
    pub(super) fn values(&self) -> Vec<u64> {
        self.used.iter().chain(&self.offers).map(|peak| (peak.value + 0.0).to_bits()).collect()
    }

    /// Returns whether two entries have the same peaks, chip and device type.
    pub(super) fn has_same_peaks(&self, other: &Self) -> bool {
        (&self.used, &self.offers, &self.chip, &self.device_type)
            == (&other.used, &other.offers, &other.chip, &other.device_type)
    }
}

fn yours(choice: &PeakChoice) -> Vec<Peak> {
    let peak = |resource, value| Peak { resource, value, source: PeakSource::Yours, from: "yours".to_owned() };
    let flops = choice.flops.iter().map(|(precision, value)| peak(PeakResource::Compute(*precision), *value));
    flops.chain(choice.hbm_bytes.map(|value| peak(PeakResource::Memory(Level::Hbm), value))).collect()
}

/// Returns the published peaks of one device: the figures of the chip, divided among its devices.
fn published(chip: &Chip, devices: u32) -> Vec<Peak> {
    let n = f64::from(devices.max(1));
    let peak = |resource, figure: Option<Figure>| {
        let from =
            |figure: Figure| if devices > 1 { format!("{} ÷ {devices}", figure.source) } else { figure.source.into() };
        figure.map(|f| Peak { resource, value: f.value / n, source: PeakSource::Published, from: from(f) })
    };
    let compute = [
        (Precision::Bf16, chip.bf16),
        (Precision::Fp8, chip.fp8),
        (Precision::Int8, chip.int8),
        (Precision::F16, chip.f16),
    ];
    let compute = compute.into_iter().filter_map(|(precision, figure)| peak(PeakResource::Compute(precision), figure));
    compute.chain(peak(PeakResource::Memory(Level::Hbm), chip.hbm)).collect()
}

/// Returns the peaks from the stats of a plane. A TPU states its peaks; those of a GPU follow from its multiprocessors
/// and its clock.
fn of_plane(plane: &Plane, chip: Option<&Chip>) -> Vec<Peak> {
    let stat = |name: &str| plane.number_stat(name).filter(|value| *value > 0.0);
    let peak = |resource, value, from: String| Peak { resource, value, source: PeakSource::Profile, from };
    let mut peaks = Vec::new();
    let bf16 = PeakResource::Compute(Precision::Bf16);
    if let Some(teraflops) = stat("peak_teraflops_per_second") {
        let value = teraflops * 1e12;
        peaks.push(peak(bf16, value, "peak_teraflops_per_second".into()));
        // The plane states only the bf16 peak. The ratio of another precision to bf16 comes from the table of chips.
        for (precision, figure) in chip.into_iter().flat_map(|c| [(Precision::Fp8, c.fp8), (Precision::Int8, c.int8)]) {
            if let Some((figure, base)) = figure.zip(chip.and_then(|c| c.bf16)) {
                let ratio = figure.value / base.value;
                let from = format!("peak_teraflops_per_second × {ratio:.2}, as published ({})", figure.source);
                peaks.push(peak(PeakResource::Compute(precision), value * ratio, from));
            }
        }
    } else if let Some(gpu) = Gpu::from_plane(plane) {
        if let Some(n) = gpu::flop_per_cycle(gpu.amd, gpu.major, gpu.minor) {
            let from = format!("core_count × clock_rate × {n} FLOP a cycle");
            let half = if gpu::takes_bf16(gpu.amd, gpu.major) { bf16 } else { PeakResource::Compute(Precision::F16) };
            peaks.push(peak(half, gpu.cycles * n, from.clone()));
            for (precision, ratio, as_type) in [
                (Precision::Fp8, gpu::fp8_ratio(gpu.amd, gpu.major, gpu.minor), ""),
                (Precision::Int8, gpu::int8_ratio(gpu.amd, gpu.major, gpu.minor), ""),
                (Precision::F64, gpu::f64_ratio(gpu.amd, gpu.major, gpu.minor), ""),
                (Precision::F32, gpu::tf32_ratio(gpu.amd, gpu.major, gpu.minor), ", as TF32"),
            ] {
                let Some(ratio) = ratio else { continue };
                let from = format!("{from} × {ratio}{as_type}");
                peaks.push(peak(PeakResource::Compute(precision), gpu.cycles * n * ratio, from));
            }
        }
        if let Some(bytes) = stat("memory_bandwidth") {
            peaks.push(peak(PeakResource::Memory(Level::Hbm), bytes, "memory_bandwidth".into()));
        }
    }
    for (level, names) in [
        (Level::Hbm, &["peak_hbm_bw_gigabytes_per_second"][..]),
        (Level::VmemRead, &["peak_vmem_rd_bw_gigabytes_per_second", "peak_sram_rd_bw_gigabytes_per_second"]),
        (Level::VmemWrite, &["peak_vmem_wr_bw_gigabytes_per_second", "peak_sram_wr_bw_gigabytes_per_second"]),
        (Level::CmemRead, &["peak_cmem_rd_bw_gigabytes_per_second"]),
        (Level::CmemWrite, &["peak_cmem_wr_bw_gigabytes_per_second"]),
    ] {
        let found = names.iter().find_map(|name| Some((*name, stat(name)?)));
        peaks.extend(found.map(|(name, giga)| peak(PeakResource::Memory(level), giga * 1e9, name.to_owned())));
    }
    peaks
}

/// The chosen peaks of a device as arrays.
#[derive(Clone, Debug)]
pub(super) struct Ceilings {
    /// FLOP/s, indexed by [`Precision`].
    pub flops: [Option<f64>; 8],
    /// Whether the user gave the peak, indexed by [`Precision`].
    pub yours: [bool; 8],
    /// The precision whose peak counts for ops without a matmul, unless the user gave a peak for their type:
    /// [`DevicePeaks::main`].
    pub main: Precision,
    /// Bytes/s, by [`Level::index`].
    pub bytes: [Option<f64>; 5],
}

impl Ceilings {
    pub fn from_peaks(peaks: &DevicePeaks) -> Self {
        let yours = |p| peaks.peak(PeakResource::Compute(p)).is_some_and(|peak| peak.source == PeakSource::Yours);
        Self {
            flops: Precision::ALL.map(|p| peaks.flops(p)),
            yours: Precision::ALL.map(yours),
            main: peaks.main(),
            bytes: Level::ALL.map(|l| peaks.bytes(l)),
        }
    }

    /// Returns the precision whose peak a type is compared with. f16 has the peak of bf16 if it has none of its own.
    /// `None` for a type that belongs to no precision.
    pub fn class(&self, dtype: DType) -> Option<Precision> {
        let class = precision(dtype)?;
        let is_shared = class == Precision::F16 && self.flops[class as usize].is_none();
        Some(if is_shared { Precision::Bf16 } else { class })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::profile::PlaneStat;

    fn plane(stats: &[(&str, PlaneStat)]) -> Plane {
        Plane { stats: stats.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect(), ..Plane::default() }
    }

    fn number(name: &str, value: f64) -> (&str, PlaneStat) {
        (name, PlaneStat::Number(value))
    }

    fn text<'a>(name: &'a str, value: &str) -> (&'a str, PlaneStat) {
        (name, PlaneStat::Text(value.to_owned()))
    }

    fn near(value: Option<f64>, expected: f64) -> bool {
        value.is_some_and(|value| (value / expected - 1.0).abs() < 1e-6)
    }

    #[test]
    fn the_plane_comes_first_and_the_table_gives_the_ratios() {
        let plane = plane(&[
            text("device_type_string", "TPU v6 Lite"),
            number("peak_teraflops_per_second", 946.7),
            number("peak_hbm_bw_gigabytes_per_second", 1_637.993_152_512),
            number("peak_cmem_rd_bw_gigabytes_per_second", 0.0),
            number("peak_sram_rd_bw_gigabytes_per_second", 23_296.0),
            number("has_megacore", 0.0),
        ]);
        let peaks = DevicePeaks::resolve("TPU:0", &plane, &PeakChoice::default());
        assert_eq!((peaks.chip.as_deref(), peaks.devices_per_chip), (Some("TPU v6e"), Some(1)));
        assert!(near(peaks.flops(Precision::Bf16), 946.7e12) && near(peaks.flops(Precision::Int8), 2.0 * 946.7e12));
        assert!(near(peaks.bytes(Level::Hbm), 1_637.993_152_512e9), "base 10");
        assert!(near(peaks.bytes(Level::VmemRead), 23_296e9));
        assert_eq!((peaks.bytes(Level::CmemRead), peaks.flops(Precision::F32)), (None, None), "0 is no peak");
        assert!(peaks.used.iter().all(|peak| peak.source == PeakSource::Profile), "{:?}", peaks.used);
        let published = PeakChoice { prefer: PeakSource::Published, ..PeakChoice::default() };
        let peaks = DevicePeaks::resolve("TPU:0", &plane, &published);
        let source = |resource| peaks.peak(resource).map(|peak| peak.source);
        assert!(near(peaks.flops(Precision::Bf16), 918e12) && near(peaks.bytes(Level::Hbm), 1638e9));
        assert_eq!(source(PeakResource::Compute(Precision::Bf16)), Some(PeakSource::Published));
        assert_eq!(source(PeakResource::Memory(Level::VmemRead)), Some(PeakSource::Profile), "nothing is published");
    }

    #[test]
    fn a_chips_figures_are_divided_among_its_devices() {
        let v7x = DevicePeaks::resolve("TPU:0", &plane(&[text("device_type_string", "TPU7x")]), &PeakChoice::default());
        assert!(near(v7x.flops(Precision::Bf16), 1153.5e12) && near(v7x.flops(Precision::Fp8), 2307e12));
        assert!(near(v7x.bytes(Level::Hbm), 3690e9) && near(v7x.ridge(Precision::Bf16), 312.601_626));
        let v5p = |megacore: Option<f64>| {
            let mut stats = vec![text("device_type_string", "TPU v5")];
            stats.extend(megacore.map(|n| number("has_megacore", n)));
            DevicePeaks::resolve("TPU:0", &plane(&stats), &PeakChoice::default()).flops(Precision::Bf16)
        };
        assert!(near(v5p(None), 459e12) && near(v5p(Some(1.0)), 459e12) && near(v5p(Some(0.0)), 229.5e12));
        let v5e =
            DevicePeaks::resolve("TPU:0", &plane(&[text("device_type_string", "TPU v5 lite")]), &PeakChoice::default());
        assert!(near(v5e.ridge(Precision::Bf16), 240.537_241));
    }

    #[test]
    fn gpus_by_their_multiprocessors() {
        let gpu = |stats: &[(&str, PlaneStat)]| DevicePeaks::resolve("GPU:0", &plane(stats), &PeakChoice::default());
        let v100 = gpu(&[
            number("clock_rate", 1_530_000.0),
            number("core_count", 80.0),
            number("memory_bandwidth", 898_048e6),
            number("compute_cap_major", 7.0),
            number("compute_cap_minor", 0.0),
        ]);
        assert!(near(v100.flops(Precision::F16), 125.3376e12) && near(v100.bytes(Level::Hbm), 898.048e9));
        assert_eq!((v100.flops(Precision::Bf16), v100.main()), (None, Precision::F16), "its tensor cores take no bf16");
        let mut mi300 = vec![
            number("clock_rate", 2_100_000.0),
            number("core_count", 304.0),
            number("compute_cap_major", 9.0),
            number("compute_cap_minor", 4.0),
        ];
        assert!(near(gpu(&mi300).flops(Precision::Bf16), 304.0 * 2.1e9 * 4096.0), "NVIDIA's, by default");
        mi300.push(text("device_vendor", "AMD"));
        assert!(near(gpu(&mi300).flops(Precision::Bf16), 1307.4432e12), "as xprof says");
        mi300.extend([number("memory_bandwidth", 2_662.4e9), number("memory_size", 206_141_652_992.0)]);
        let known = gpu(&mi300);
        assert_eq!(known.chip.as_deref(), Some("MI300X"));
        assert!(near(known.bytes(Level::Hbm), 5300e9), "the driver counts half of the transfers: {:?}", known.used);
        let beside = known.offers.iter().any(|p| p.source == PeakSource::Profile && near(Some(p.value), 2_662.4e9));
        assert!(beside, "what the profile says stands beside it");
        let unknown =
            gpu(&[number("clock_rate", 1.0), number("core_count", f64::NAN), number("compute_cap_major", -3.0)]);
        assert!(unknown.used.is_empty());
    }

    #[test]
    fn the_user_wins_and_another_chip_has_nothing_of_this_one() {
        let plane = plane(&[
            text("device_type_string", "TPU v5e"),
            number("peak_teraflops_per_second", 197.0),
            number("peak_vmem_rd_bw_gigabytes_per_second", 9000.0),
        ]);
        let choice = PeakChoice {
            chip: Some("tpu v7X".into()),
            flops: vec![(Precision::F32, 50e12), (Precision::Bf16, f64::INFINITY)],
            hbm_bytes: Some(-1.0),
            ..PeakChoice::default()
        };
        let peaks = DevicePeaks::resolve("TPU:0", &plane, &choice);
        assert!(near(peaks.flops(Precision::F32), 50e12), "yours");
        assert!(near(peaks.flops(Precision::Bf16), 1153.5e12), "what is no number is no peak");
        assert!(near(peaks.bytes(Level::Hbm), 3690e9));
        assert_eq!(peaks.bytes(Level::VmemRead), None, "it is the other chip's");
    }
}
