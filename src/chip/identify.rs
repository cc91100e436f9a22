//! This module proposes the chip of a device that names none, from what was measured on it and from names. It depends on the table of
//! chips, and not on captures.

use super::{CHIPS, Chip};

/// What is known of a device whose chip is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceTraits {
    pub is_tpu: bool,
    /// FLOP/s that ops with operands of 16 bits reached.
    pub flops: Option<f64>,
    /// Bytes of memory, as the allocator reports them.
    pub memory: Option<u64>,
    /// The largest number of rows in the tiles of arrays of 16 bits.
    pub tile_rows: Option<u32>,
}

/// How far above a peak a measured rate may be. Clocks of a device are read in whole ticks.
const CLOCK_ERROR: f64 = 1.02;

/// The share of its memory that a chip offers to programs: the runtime reserves a part of it, and vendors give GB or GiB.
const OFFERED: std::ops::RangeInclusive<f64> = 0.88..=1.08;

/// Returns the chips that a device may be: those whose peak is not below what was measured, and whose memory has the size. Without a
/// measured rate or a size of memory, all chips of the platform are possible.
pub fn possible_chips(device: &DeviceTraits) -> Vec<&'static Chip> {
    let is_possible = |chip: &&Chip| {
        let share = 1.0 / f64::from(chip.devices(None));
        let peak = chip.bf16.or(chip.f16).map(|figure| figure.value * share);
        let memory = chip.hbm_size.map(|figure| figure.value * share);
        let reaches = device.flops.is_none_or(|flops| peak.is_some_and(|peak| flops <= peak * CLOCK_ERROR));
        #[expect(clippy::cast_precision_loss, reason = "a size of memory")]
        let has_size = |size: u64| memory.is_some_and(|memory| OFFERED.contains(&(size as f64 / memory)));
        let tiles = device.tile_rows.is_none_or(|rows| rows < LARGE_TILE || chip.name == LARGE_TILES);
        chip.is_tpu() == device.is_tpu && reaches && device.memory.is_none_or(has_size) && tiles
    };
    CHIPS.iter().filter(is_possible).collect()
}

/// The number of rows in a tile of 16 bits that only compilers for one chip choose, and that chip. In `samples/tpu-aot`, the program for
/// v7x has 1,183 such layouts, and those for v4, v5e, v5p and v6e have none.
pub const LARGE_TILE: u32 = 16;
const LARGE_TILES: &str = "TPU v7x";

/// Returns the chip that a name of a file mentions, such as `v5p_4x4x4` or `h100-run3`. `None` if it mentions none, or several.
pub fn chip_in_name(name: &str) -> Option<&'static Chip> {
    let words = || name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    // A version of a program may be called v2 or v4 as well.
    let is_version = |word: &str| word.len() == 2 && word.starts_with(['v', 'V']);
    let is_topology = |word: &str| {
        let sides: Vec<&str> = word.split('x').collect();
        sides.len() > 1 && sides.iter().all(|side| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_of_tpu = words().any(|word| is_topology(word) || word.eq_ignore_ascii_case("tpu"));
    let has_number = |word: &&str| word.len() > 1 && word.bytes().any(|byte| byte.is_ascii_digit());
    let meant = |word: &str| Chip::meant(word).filter(|_| !is_version(word) || is_of_tpu);
    let mut found = words().filter(has_number).filter_map(meant);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(device: DeviceTraits) -> Vec<&'static str> {
        possible_chips(&device).into_iter().map(|chip| chip.name).collect()
    }

    #[test]
    fn a_rate_excludes_the_chips_that_are_slower() {
        let tpu = DeviceTraits { is_tpu: true, ..DeviceTraits::default() };
        assert!(names(tpu).len() > 5 && names(tpu).iter().all(|name| name.starts_with("TPU")));
        // A core of v7x reaches 1,153.5 TFLOP/s, v6e 918 and v5p 459.
        assert_eq!(names(DeviceTraits { flops: Some(840e12), ..tpu }), ["TPU v6e", "TPU v7x"]);
        assert_eq!(names(DeviceTraits { flops: Some(1000e12), ..tpu }), ["TPU v7x"]);
        assert_eq!(
            names(DeviceTraits { flops: Some(920e12), ..tpu }),
            ["TPU v6e", "TPU v7x"],
            "within the error of the clock"
        );
        assert_eq!(names(DeviceTraits { flops: Some(5000e12), ..tpu }), [""; 0]);
        assert_eq!(names(DeviceTraits { flops: Some(840e12), tile_rows: Some(16), ..tpu }), ["TPU v7x"]);
    }

    #[test]
    fn a_size_of_memory_excludes_all_others() {
        let of_size = |gib: f64| {
            let memory = Some((gib * 1_073_741_824.0) as u64);
            names(DeviceTraits { is_tpu: true, memory, ..DeviceTraits::default() })
        };
        assert!(of_size(15.75).contains(&"TPU v5e") && !of_size(15.75).contains(&"TPU v6e"));
        assert!(of_size(31.25).contains(&"TPU v6e") && !of_size(31.25).contains(&"TPU v5e"));
        assert_eq!(of_size(500.0), [""; 0]);
    }

    #[test]
    fn names_of_files_mention_chips() {
        let name = |text| chip_in_name(text).map(|chip| chip.name);
        assert_eq!(name("v5p_4x4x4_dense.hlo_proto.pb"), Some("TPU v5p"));
        assert_eq!(name("tpu7x_2x2x1_dense_L16.hlo_proto.pb"), Some("TPU v7x"));
        assert_eq!(name("runs/h100-train.xplane.pb"), Some("H100 SXM"));
        assert_eq!([name("model_v2.xplane.pb"), name("host.xplane.pb"), name("v5e_or_v6e.pb")], [None; 3]);
        assert_eq!(name("v4_2x2x1_dense.pb"), Some("TPU v4"), "the topology says that it is a TPU");
    }
}
