//! What a device can do at most: by its plane, by the table of chips, by the user; and which of these counts.
//!
//! ```text
//!  plane stats ───► profile ──┐
//!  device type ─► chip table ─┼─► offers ──choice──► one peak each, with where it is from
//!  the user ──────► yours ────┘
//! ```
//!
//! Per **device plane**: a chip's figures are divided among its devices. FLOP/s and bytes/s, base 10: a plane's
//! `peak_hbm_bw_gigabytes_per_second` is GB/s, not GiB/s. This module knows planes and chips; no ops.

use super::compute_dtype::precision;
use super::query::{Level, PeakChoice, PeakSource, Precision};
use crate::chip::{Chip, Figure, gpu};
use crate::hlo::DType;
use crate::profile::Plane;
use serde::{Deserialize, Serialize};

/// What a peak is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PeakOf {
    /// FLOP/s with such operands.
    Compute(Precision),
    /// Bytes/s of such a memory.
    Memory(Level),
}

/// A peak and where it is from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Of what.
    pub of: PeakOf,
    /// FLOP/s, or bytes/s.
    pub value: f64,
    /// Who says so.
    pub source: PeakSource,
    /// In which words: the name of a stat, a page.
    pub from: String,
}

/// The peaks of one device, or of several that are alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DevicePeaks {
    /// The devices' labels.
    pub devices: Vec<String>,
    /// What the capture calls the device.
    pub device_type: Option<String>,
    /// The chip whose published figures are meant, where it is known.
    pub chip: Option<String>,
    /// Devices of one chip.
    pub devices_per_chip: Option<u32>,
    /// The peaks that count, at most one of each.
    pub used: Vec<Peak>,
    /// All there are to choose from.
    pub offers: Vec<Peak>,
}

impl DevicePeaks {
    /// The peak that counts.
    pub fn peak(&self, of: PeakOf) -> Option<&Peak> {
        self.used.iter().find(|peak| peak.of == of)
    }

    /// FLOP/s with such operands.
    pub fn flops(&self, precision: Precision) -> Option<f64> {
        self.peak(PeakOf::Compute(precision)).map(|peak| peak.value)
    }

    /// What most programs compute with on it: bf16, or f16 where its matrix units take no bf16.
    pub fn main(&self) -> Precision {
        let has = |precision| self.flops(precision).is_some();
        if !has(Precision::Bf16) && has(Precision::F16) { Precision::F16 } else { Precision::Bf16 }
    }

    /// Bytes/s of a memory.
    pub fn bytes(&self, level: Level) -> Option<f64> {
        self.peak(PeakOf::Memory(level)).map(|peak| peak.value)
    }

    /// FLOP/byte at which both roofs meet: peak FLOP/s ÷ bytes/s of HBM.
    pub fn ridge(&self, precision: Precision) -> Option<f64> {
        Some(self.flops(precision)? / self.bytes(Level::Hbm)?)
    }

    /// The peaks of a plane's device.
    pub fn resolve(label: &str, plane: &Plane, choice: &PeakChoice) -> Self {
        let device_type = plane.text_stat("device_type_string").or_else(|| plane.text_stat("gpu_device_name"));
        let gpu = Gpu::from_plane(plane);
        let recorded = device_type.and_then(Chip::named).or_else(|| gpu.as_ref()?.chip());
        let chosen = choice.chip.as_deref().and_then(Chip::named);
        let chip = chosen.or(recorded);
        // The capture's figures are not those of another chip that is requested.
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
        offers.retain(|peak| peak.value.is_finite() && peak.value > 0.0);
        let published_first = choice.prefer == PeakSource::Published;
        // ROCm's figure counts two transfers a clock of memory; HBM3 makes four. The data sheet is right.
        let is_amd = gpu.as_ref().is_some_and(|gpu| gpu.amd);
        let halved = |peak: &Peak| {
            is_amd
                && (peak.of, peak.source) == (PeakOf::Memory(Level::Hbm), PeakSource::Profile)
                && chip.and_then(|chip| chip.hbm).is_some_and(|published| published.value > 1.5 * peak.value)
        };
        let rank = |peak: &Peak| match peak.source {
            PeakSource::Yours => 0,
            PeakSource::Profile if halved(peak) => 3,
            PeakSource::Profile => 1 + u8::from(published_first),
            PeakSource::Published => 2 - u8::from(published_first),
        };
        let every = Precision::ALL.map(PeakOf::Compute).into_iter().chain(Level::ALL.map(PeakOf::Memory));
        let best = |of| offers.iter().filter(|peak| peak.of == of).min_by_key(|peak| rank(peak)).cloned();
        Self {
            devices: vec![label.to_owned()],
            device_type: device_type.map(str::to_owned),
            chip: chip.map(|chip| chip.name.to_owned()),
            devices_per_chip,
            used: every.filter_map(best).collect(),
            offers,
        }
    }

    /// They are the same but for whose they are.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (&self.used, &self.offers, &self.chip, &self.device_type)
            == (&other.used, &other.offers, &other.chip, &other.device_type)
    }
}

fn yours(choice: &PeakChoice) -> Vec<Peak> {
    let of = |of, value| Peak { of, value, source: PeakSource::Yours, from: "yours".to_owned() };
    let flops = choice.flops.iter().map(|(precision, value)| of(PeakOf::Compute(*precision), *value));
    flops.chain(choice.hbm_bytes.map(|value| of(PeakOf::Memory(Level::Hbm), value))).collect()
}

/// The chip's figures over its devices.
fn published(chip: &Chip, devices: u32) -> Vec<Peak> {
    let n = f64::from(devices.max(1));
    let of = |of, figure: Option<Figure>| {
        let from =
            |figure: Figure| if devices > 1 { format!("{} ÷ {devices}", figure.source) } else { figure.source.into() };
        figure.map(|f| Peak { of, value: f.value / n, source: PeakSource::Published, from: from(f) })
    };
    let compute = [
        (Precision::Bf16, chip.bf16),
        (Precision::Fp8, chip.fp8),
        (Precision::Int8, chip.int8),
        (Precision::F16, chip.f16),
    ];
    let compute = compute.into_iter().filter_map(|(precision, figure)| of(PeakOf::Compute(precision), figure));
    compute.chain(of(PeakOf::Memory(Level::Hbm), chip.hbm)).collect()
}

/// What the plane says: of a TPU outright, of a GPU by its multiprocessors and clock.
fn of_plane(plane: &Plane, chip: Option<&Chip>) -> Vec<Peak> {
    let stat = |name: &str| plane.number_stat(name).filter(|value| *value > 0.0);
    let peak = |of, value, from: String| Peak { of, value, source: PeakSource::Profile, from };
    let mut peaks = Vec::new();
    let bf16 = PeakOf::Compute(Precision::Bf16);
    if let Some(teraflops) = stat("peak_teraflops_per_second") {
        let value = teraflops * 1e12;
        peaks.push(peak(bf16, value, "peak_teraflops_per_second".into()));
        // The plane says one peak; what other operands are to it, the table says.
        for (precision, figure) in chip.into_iter().flat_map(|c| [(Precision::Fp8, c.fp8), (Precision::Int8, c.int8)]) {
            if let Some((figure, base)) = figure.zip(chip.and_then(|c| c.bf16)) {
                let ratio = figure.value / base.value;
                let from = format!("peak_teraflops_per_second × {ratio:.2}, as published ({})", figure.source);
                peaks.push(peak(PeakOf::Compute(precision), value * ratio, from));
            }
        }
    } else if let Some(gpu) = Gpu::from_plane(plane) {
        if let Some(n) = gpu::flop_per_cycle(gpu.amd, gpu.major, gpu.minor) {
            let from = format!("core_count × clock_rate × {n} FLOP a cycle");
            let half = if gpu::takes_bf16(gpu.amd, gpu.major) { bf16 } else { PeakOf::Compute(Precision::F16) };
            peaks.push(peak(half, gpu.cycles * n, from.clone()));
            if let Some(ratio) = gpu::fp8_ratio(gpu.amd, gpu.major, gpu.minor) {
                peaks.push(peak(PeakOf::Compute(Precision::Fp8), gpu.cycles * n * ratio, format!("{from} × {ratio}")));
            }
        }
        if let Some(bytes) = stat("memory_bandwidth") {
            peaks.push(peak(PeakOf::Memory(Level::Hbm), bytes, "memory_bandwidth".into()));
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
        peaks.extend(found.map(|(name, giga)| peak(PeakOf::Memory(level), giga * 1e9, name.to_owned())));
    }
    peaks
}

/// A GPU by its plane.
struct Gpu {
    amd: bool,
    major: u32,
    minor: u32,
    /// Multiprocessors.
    units: f64,
    /// Cycles/s of all multiprocessors.
    cycles: f64,
    /// Bytes of its memory, where the plane says them.
    memory: Option<f64>,
}

impl Gpu {
    fn from_plane(plane: &Plane) -> Option<Self> {
        // `as` saturates: a number that makes no sense is no architecture.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers")]
        let whole = |name: &str| plane.number_stat(name).map(|n| n as u32);
        let (cores, kilohertz) = (plane.number_stat("core_count")?, plane.number_stat("clock_rate")?);
        Some(Self {
            amd: plane.text_stat("device_vendor").is_some_and(|vendor| vendor.to_ascii_uppercase().contains("AMD")),
            major: whole("compute_cap_major")?,
            minor: whole("compute_cap_minor")?,
            units: cores,
            cycles: cores * kilohertz * 1e3,
            memory: plane.number_stat("memory_size"),
        })
    }

    /// The chip that has these multiprocessors and this memory.
    fn chip(&self) -> Option<&'static Chip> {
        gpu::chip(self.amd, self.major, self.minor, self.units, self.memory?)
    }
}

/// The peaks of a device in the form that ops are compared with.
#[derive(Clone, Debug)]
pub(super) struct Ceilings {
    /// FLOP/s, by [`Precision`].
    pub flops: [Option<f64>; 8],
    /// The user gave it.
    pub yours: [bool; 8],
    /// What counts for ops of no type with a peak: [`DevicePeaks::main`].
    pub main: Precision,
    /// Bytes/s, by [`Level`].
    pub bytes: [Option<f64>; 5],
}

impl Ceilings {
    pub fn from_peaks(peaks: &DevicePeaks) -> Self {
        let yours = |p| peaks.peak(PeakOf::Compute(p)).is_some_and(|peak| peak.source == PeakSource::Yours);
        Self {
            flops: Precision::ALL.map(|p| peaks.flops(p)),
            yours: Precision::ALL.map(yours),
            main: peaks.main(),
            bytes: Level::ALL.map(|l| peaks.bytes(l)),
        }
    }

    /// The class whose peak a type is compared with: f16 has bf16's where it has none of its own.
    pub fn class(&self, dtype: DType) -> Option<Precision> {
        let class = precision(dtype)?;
        let is_shared = class == Precision::F16 && self.flops[class as usize].is_none();
        Some(if is_shared { Precision::Bf16 } else { class })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::PlaneStat;

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
        let source = |of| peaks.peak(of).map(|peak| peak.source);
        assert!(near(peaks.flops(Precision::Bf16), 918e12) && near(peaks.bytes(Level::Hbm), 1638e9));
        assert_eq!(source(PeakOf::Compute(Precision::Bf16)), Some(PeakSource::Published));
        assert_eq!(source(PeakOf::Memory(Level::VmemRead)), Some(PeakSource::Profile), "nothing is published");
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
