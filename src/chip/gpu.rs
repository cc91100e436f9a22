//! This module holds the figures of GPU architectures from which the peak of a GPU follows: multiprocessors × clock
//! (both as the driver reports them) × operations per cycle. The module identifies architectures by number, and does
//! not depend on captures.

use super::Chip;

/// Returns the dense FLOPs of the matrix units of one multiprocessor in one cycle, with f16 or bf16 operands. NVIDIA
/// GPUs are identified by compute capability (figures of the architectures' white papers, which xprof uses too), AMD
/// GPUs by `gfx` number. Returns `None` for unknown architectures, because a guess would be off by a factor.
pub fn flop_per_cycle(amd: bool, major: u32, minor: u32) -> Option<f64> {
    Some(match (amd, major, minor) {
        (false, 7, _) | (false, 8, 6 | 9) => 1024.0,
        // gfx942 (MI300): 304 units at 2.1 GHz give the 1,307.4 TFLOP/s of its data sheet.
        (false, 8, 0) | (true, 9, 4) => 2048.0,
        // gfx950 (MI355X): 256 units at 2.4 GHz give the 2,516.6 TFLOP/s of its data sheet.
        (false, 9, _) | (true, 9, 5) => 4096.0,
        (false, 10, _) => 8192.0,
        _ => return None,
    })
}

/// Returns the speed of f8 operands relative to f16; `None` if the matrix units do not take f8, or for unknown
/// architectures.
pub fn fp8_ratio(amd: bool, major: u32, minor: u32) -> Option<f64> {
    let has = if amd { matches!((major, minor), (9, 4 | 5)) } else { (major, minor) >= (8, 9) };
    (has && flop_per_cycle(amd, major, minor).is_some()).then_some(2.0)
}

/// Returns the speed of 8-bit integers relative to f16: figures of the white papers of Turing, Ampere, Ada, Hopper and Blackwell,
/// and of the data sheets of MI300X and MI355X. `None` if the matrix units do not take them, or for unknown architectures.
pub fn int8_ratio(amd: bool, major: u32, minor: u32) -> Option<f64> {
    let has = if amd { matches!((major, minor), (9, 4 | 5)) } else { (major, minor) >= (7, 5) };
    (has && flop_per_cycle(amd, major, minor).is_some()).then_some(2.0)
}

/// Returns the speed of f32 operands relative to bf16. From Ampere on, NVIDIA's matrix units take f32 operands as TF32,
/// with 10 bits of mantissa, and XLA uses this unless a matmul asks for a higher precision. `None` for other GPUs.
pub fn tf32_ratio(amd: bool, major: u32, minor: u32) -> Option<f64> {
    (!amd && major >= 8 && flop_per_cycle(amd, major, minor).is_some()).then_some(0.5)
}

/// Returns the speed of f64 operands relative to f16 in one cycle, in matrix units where the chip has them for f64: figures of the
/// white papers of Volta, Ampere and Hopper, and of the data sheets of MI250X and MI300X. `None` for other GPUs.
pub const fn f64_ratio(amd: bool, major: u32, minor: u32) -> Option<f64> {
    match (amd, major, minor) {
        (false, 7 | 8, 0) | (false, 9, _) => Some(1.0 / 16.0),
        (true, 9, 4) => Some(1.0 / 8.0),
        _ => None,
    }
}

/// Returns whether the matrix units take bf16. NVIDIA's matrix units take bf16 from Ampere on, and only f16 before.
pub const fn takes_bf16(amd: bool, major: u32) -> bool {
    amd || major >= 8
}

/// The data of a GPU's driver: whether it is from AMD, architecture (major, minor), multiprocessors, GiB of memory, and
/// the chip's name in the table.
type Hardware = (bool, (u32, u32), f64, f64, &'static str);

/// The data that identifies chips. The driver gives gfx90a the architecture 9.0, which is also that of older chips
/// without matrix units; the number of multiprocessors distinguishes them.
const HARDWARE: [Hardware; 10] = [
    (false, (7, 0), 80.0, 16.0, "V100 16GB SXM2"),
    (false, (7, 0), 80.0, 32.0, "V100 32GB SXM2"),
    (false, (8, 0), 108.0, 40.0, "A100 40GB SXM"),
    (false, (8, 0), 108.0, 80.0, "A100 80GB SXM"),
    (false, (9, 0), 132.0, 80.0, "H100 SXM"),
    (false, (9, 0), 132.0, 141.0, "H200 SXM"),
    (true, (9, 0), 110.0, 64.0, "MI250X"),
    (true, (9, 4), 304.0, 192.0, "MI300X"),
    (true, (9, 4), 304.0, 256.0, "MI325X"),
    (true, (9, 5), 256.0, 288.0, "MI355X"),
];

/// Returns the chip with this architecture, number of multiprocessors and bytes of memory; `None` if the table has no
/// such chip. Drivers reserve up to 5 % of the memory, so less memory matches too.
pub fn chip(amd: bool, major: u32, minor: u32, units: f64, memory: f64) -> Option<&'static Chip> {
    let gib = memory / 1_073_741_824.0;
    let same = |hardware: &&Hardware| {
        (hardware.0, hardware.1) == (amd, (major, minor))
            && (hardware.2 - units).abs() < 0.5
            && (0.95..=1.01).contains(&(gib / hardware.3))
    };
    HARDWARE.iter().find(same).and_then(|hardware| Chip::named(hardware.4))
}

/// GPUs without NVLink: words that their names have, and the bandwidth of their PCIe in one direction, in GB/s. A word ends
/// where letters and digits end; with `*`, it may go on.
const WITHOUT_NVLINK: [(&str, f64); 16] = [
    ("V100 PCIE", 16.0),
    ("P100 PCIE", 16.0),
    ("A100 PCIE", 32.0),
    ("H100 PCIE", 64.0),
    ("T4", 16.0),
    ("P4", 16.0),
    ("P40", 16.0),
    ("A10", 32.0),
    ("A10G", 32.0),
    ("L4", 32.0),
    ("L40", 32.0),
    ("L40S", 32.0),
    ("RTX 20*", 16.0),
    ("RTX 30*", 32.0),
    ("RTX 40*", 32.0),
    ("RTX 50*", 64.0),
];

/// Returns the bandwidth of PCIe in bytes per second and direction, if the name is that of a model of NVIDIA without NVLink.
pub fn pcie(name: &str) -> Option<f64> {
    let words: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(str::to_ascii_uppercase)
        .filter(|w| !w.is_empty())
        .collect();
    let is = |word: &str, wanted: &str| match wanted.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == wanted,
    };
    let has = |model: &str| model.split(' ').all(|wanted| words.iter().any(|word| is(word, wanted)));
    WITHOUT_NVLINK.iter().find(|(model, _)| has(model)).map(|(_, rate)| rate * 1e9)
}

/// Returns whether a model for PCIe has the same number of multiprocessors and the same memory as this one, so that the
/// figures of the driver do not tell them apart.
pub fn has_pcie_twin(chip: &str) -> bool {
    chip.starts_with("V100") || chip.starts_with("A100")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_by_their_hardware() {
        let name = |amd, major, minor, units, memory| chip(amd, major, minor, units, memory).map(|chip| chip.name);
        assert_eq!(name(false, 7, 0, 80.0, 16_945_512_448.0), Some("V100 16GB SXM2"));
        assert_eq!(name(false, 8, 0, 108.0, 42_505_273_344.0), Some("A100 40GB SXM"));
        assert_eq!(name(false, 9, 0, 132.0, 85_029_158_912.0), Some("H100 SXM"));
        assert_eq!(name(true, 9, 4, 304.0, 206_141_652_992.0), Some("MI300X"));
        assert_eq!(name(true, 9, 4, 80.0, 206_141_652_992.0), None, "another one of its family");
        assert_eq!(name(false, 8, 9, 142.0, 48e9), None);
        for (amd, (major, minor), units, gib, known) in HARDWARE {
            assert_eq!(name(amd, major, minor, units, gib * 1_073_741_824.0), Some(known));
        }
    }

    #[test]
    fn models_without_nvlink() {
        for (name, rate) in [
            ("NVIDIA A100-PCIE-40GB", Some(32e9)),
            ("NVIDIA A100 80GB PCIe", Some(32e9)),
            ("NVIDIA A100-SXM4-80GB", None),
            ("Tesla V100-PCIE-16GB", Some(16e9)),
            ("NVIDIA H100 PCIe", Some(64e9)),
            ("NVIDIA H100 80GB HBM3", None),
            ("NVIDIA L4", Some(32e9)),
            ("NVIDIA L40S", Some(32e9)),
            ("NVIDIA A10", Some(32e9)),
            ("Tesla T4", Some(16e9)),
            ("NVIDIA GeForce RTX 4090", Some(32e9)),
        ] {
            assert_eq!(pcie(name), rate, "{name}");
        }
    }

    #[test]
    fn peaks_are_those_of_the_data_sheets() {
        let peak = |amd, major, minor, units: f64, hertz: f64| {
            flop_per_cycle(amd, major, minor).map(|n| (n * units * hertz / 1e11).round() / 10.0)
        };
        assert_eq!(peak(false, 7, 0, 80.0, 1.53e9), Some(125.3), "V100");
        assert_eq!(peak(false, 8, 0, 108.0, 1.41e9), Some(311.9), "A100");
        assert_eq!(peak(false, 9, 0, 132.0, 1.83e9), Some(989.4), "H100");
        assert_eq!(peak(true, 9, 4, 304.0, 2.1e9), Some(1307.4), "MI300X");
        assert_eq!(peak(true, 9, 5, 256.0, 2.4e9), Some(2516.6), "MI355X");
        assert_eq!(peak(false, 6, 0, 56.0, 1.48e9), None, "no matrix units");
        assert_eq!((peak(true, 11, 0, 96.0, 2.5e9), fp8_ratio(false, 8, 0)), (None, None));
        assert_eq!(
            (fp8_ratio(false, 8, 9), fp8_ratio(false, 9, 0), fp8_ratio(true, 9, 4)),
            (Some(2.0), Some(2.0), Some(2.0))
        );
        // int8 of the data sheets, in TOP/s: H100 1,979, MI300X 2,614.9. The matrix units of V100 take none.
        assert_eq!((int8_ratio(false, 9, 0), int8_ratio(true, 9, 4)), (Some(2.0), Some(2.0)));
        assert_eq!(
            (int8_ratio(false, 7, 0), int8_ratio(false, 7, 5), int8_ratio(true, 11, 0)),
            (None, Some(2.0), None)
        );
    }
}
