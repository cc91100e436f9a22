//! What a GPU can do by what its driver says of it: multiprocessors × clock × operations a cycle. Knows architectures by
//! number; no captures.

/// FLOP of one multiprocessor in one cycle, dense, with operands of f16 or bf16 on its matrix units: of `NVIDIA` GPUs by
/// compute capability (the architectures' white papers; the figures that xprof takes), of AMD's by `gfx` number. `None`
/// for what is not known; a guess would be off by a factor.
pub fn flop_per_cycle(amd: bool, major: u32, minor: u32) -> Option<f64> {
    Some(match (amd, major, minor) {
        (false, 7, _) | (false, 8, 6 | 9) => 1024.0,
        // gfx942, MI300: 304 units at 2.1 GHz are the 1,307.4 TFLOP/s of its data sheet.
        (false, 8, 0) | (true, 9, 4) => 2048.0,
        (false, 9, _) => 4096.0,
        (false, 10, _) => 8192.0,
        _ => return None,
    })
}

/// How many times as fast operands of f8 are; `None` where the matrix units take none.
pub fn fp8_ratio(amd: bool, major: u32, minor: u32) -> Option<f64> {
    let has = if amd { (major, minor) == (9, 4) } else { (major, minor) >= (8, 9) };
    (has && flop_per_cycle(amd, major, minor).is_some()).then_some(2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_those_of_the_data_sheets() {
        let peak = |amd, major, minor, units: f64, hertz: f64| {
            flop_per_cycle(amd, major, minor).map(|n| (n * units * hertz / 1e11).round() / 10.0)
        };
        assert_eq!(peak(false, 7, 0, 80.0, 1.53e9), Some(125.3), "V100");
        assert_eq!(peak(false, 8, 0, 108.0, 1.41e9), Some(311.9), "A100");
        assert_eq!(peak(false, 9, 0, 132.0, 1.83e9), Some(989.4), "H100");
        assert_eq!(peak(true, 9, 4, 304.0, 2.1e9), Some(1307.4), "MI300X");
        assert_eq!(peak(false, 6, 0, 56.0, 1.48e9), None, "no matrix units");
        assert_eq!((peak(true, 11, 0, 96.0, 2.5e9), fp8_ratio(false, 8, 0)), (None, None));
        assert_eq!(
            (fp8_ratio(false, 8, 9), fp8_ratio(false, 9, 0), fp8_ratio(true, 9, 4)),
            (Some(2.0), Some(2.0), Some(2.0))
        );
    }
}
