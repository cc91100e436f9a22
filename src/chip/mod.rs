//! This module holds the published peaks of chips, each with its source, per chip and per device.
//!
//! A *device* is the hardware of one plane in a capture: a core of a chip, or the whole chip if it has one core or if
//! its cores work as one (megacore). This module depends on the names that captures use for chips
//! (`device_type_string`, `gpu_device_name`), but not on ops or captures.

pub mod gpu;
pub mod identify;
mod table;

pub use table::CHIPS;

/// A number with its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The number, in the unit of the field that holds the figure.
    pub value: f64,
    /// The document that publishes the number, or the formula behind it.
    pub source: &'static str,
}

/// The links between a chip and other chips: ICI or NVLink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Bytes/s of one link in one direction.
    pub bytes: Figure,
    /// Number of links of a chip.
    pub links: u32,
}

/// A chip. Figures are per chip and dense; `None` if none is published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chip {
    /// The usual name of the chip.
    pub name: &'static str,
    /// The names of the chip in captures and compilers.
    pub spellings: &'static [&'static str],
    /// Number of cores, each of which may have a plane in a capture.
    pub cores: u32,
    /// Whether the cores work as one device. `has_megacore` in a capture takes precedence.
    pub megacore: bool,
    /// FLOP/s with bf16 operands, and also with f16 operands if `f16` is `None`.
    pub bf16: Option<Figure>,
    /// FLOP/s with f16 operands, for chips whose matrix units take no bf16.
    pub f16: Option<Figure>,
    /// FLOP/s with operands of any f8 type.
    pub fp8: Option<Figure>,
    /// Operations/s with operands of s8 or u8.
    pub int8: Option<Figure>,
    /// Bytes/s of HBM.
    pub hbm: Option<Figure>,
    /// Bytes of HBM.
    pub hbm_size: Option<Figure>,
    /// Links to the neighbouring chips.
    pub link: Option<Link>,
    /// Bytes/s in one direction between the chip and its host, over PCIe.
    pub pcie: Option<Figure>,
    /// Bytes/s in one direction of the chip's share of the data center network.
    pub dcn: Option<Figure>,
    /// Cycles/s of a core. The compiler counts its `estimated_cycles` in these cycles.
    pub clock: Option<Figure>,
}

/// Returns the usual name of the chip that a capture names, such as "TPU v5p" for "TPU v5" and "TPU v5e" for "TPU v5 lite". The product
/// names of GPUs stay: they say more than the name in the table.
pub fn usual_name(device_type: &str) -> &str {
    Chip::named(device_type).filter(|chip| chip.is_tpu()).map_or(device_type, |chip| chip.name)
}

impl Chip {
    /// Returns the chip with this name or spelling, in upper or lower case; `None` if the table has no such chip.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.trim();
        CHIPS.iter().find(|chip| {
            chip.name.eq_ignore_ascii_case(name) || chip.spellings.iter().any(|other| other.eq_ignore_ascii_case(name))
        })
    }

    /// Returns the highest HBM bandwidth of all chips in the table, in bytes/s.
    pub fn highest_hbm() -> f64 {
        CHIPS.iter().filter_map(|chip| chip.hbm).map(|figure| figure.value).fold(0.0, f64::max)
    }

    /// Returns the chip that a user means: [`Self::named`] with or without `TPU`, or the only chip whose name begins so, as
    /// `H100`. `None` if there is none, or more than one.
    pub fn meant(text: &str) -> Option<&'static Self> {
        let text = text.trim();
        let begins = |chip: &&Self| chip.name.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
        let mut all = CHIPS.iter().filter(begins);
        Self::named(text)
            .or_else(|| Self::named(&format!("TPU {text}")))
            .or_else(|| all.next().filter(|_| all.next().is_none()))
    }

    /// Whether the chip is a TPU.
    pub fn is_tpu(&self) -> bool {
        self.name.starts_with("TPU")
    }

    /// Whether AMD makes the chip.
    pub fn is_amd(&self) -> bool {
        self.name.starts_with("MI")
    }

    /// Returns the number of devices of one chip. `megacore` is the value in the capture, if it has one.
    pub fn devices(&self, megacore: Option<bool>) -> u32 {
        if megacore.unwrap_or(self.megacore) { 1 } else { self.cores }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chip(name: &str) -> &'static Chip {
        Chip::named(name).unwrap()
    }

    #[test]
    fn both_spellings_lead_to_the_same_chip() {
        for (one, other, name) in [
            ("TPU v5 lite", "TPU v5e", "TPU v5e"),
            ("TPU v5", "tpu V5P", "TPU v5p"),
            ("TPU v6 lite", "TPU v6e", "TPU v6e"),
            ("TPU7x", "TPU v7x", "TPU v7x"),
        ] {
            assert_eq!((chip(one).name, chip(other).name), (name, name));
        }
        assert_eq!(Chip::named("TPU v9"), None);
        assert_eq!(
            ["TPU v5", "TPU v5 lite", "NVIDIA H100 80GB HBM3", "TPU v9"].map(usual_name),
            ["TPU v5p", "TPU v5e", "NVIDIA H100 80GB HBM3", "TPU v9"]
        );
    }

    #[test]
    fn a_short_name_is_enough_if_it_names_one_chip() {
        let meant = |text| Chip::meant(text).map(|chip| chip.name);
        assert_eq!(
            ["v6e", "V5 LITE", "h100", "TPU v7x"].map(meant),
            ["TPU v6e", "TPU v5e", "H100 SXM", "TPU v7x"].map(Some)
        );
        assert_eq!(["A100", "V100", "", "TPU", "v9", "µ"].map(meant), [None; 6]);
    }

    #[test]
    fn no_spelling_is_of_two_chips() {
        let mut all: Vec<String> =
            CHIPS.iter().flat_map(|chip| chip.spellings.iter().map(|name| name.to_ascii_lowercase())).collect();
        let n = all.len();
        all.sort();
        all.dedup();
        assert_eq!(n, all.len());
        for chip in CHIPS {
            for name in chip.spellings {
                assert_eq!(Chip::named(name), Some(chip));
            }
        }
    }

    #[test]
    fn ridges_are_those_computed_by_hand() {
        let ridge = |name: &str| chip(name).bf16.unwrap().value / chip(name).hbm.unwrap().value;
        assert!((ridge("TPU v5e") - 240.537_24).abs() < 1e-4);
        // Per device the ratio is the same, because half a chip has half of both peaks.
        assert!((ridge("TPU v7x") - 312.601_63).abs() < 1e-4);
        assert_eq!(chip("TPU v7x").devices(None), 2);
        assert_eq!((chip("TPU v5p").devices(None), chip("TPU v5p").devices(Some(false))), (1, 2));
    }

    #[test]
    fn figures_are_those_of_the_data_sheets() {
        // TFLOP/s of bf16 or f16, TFLOP/s of fp8, GB/s of HBM.
        for (name, half, fp8, hbm) in [
            ("Tesla V100-SXM2-16GB", 125.0, None, 900.0),
            ("NVIDIA A100-SXM4-40GB", 312.0, None, 1555.0),
            ("AMD Instinct MI250X", 383.0, None, 3276.8),
            ("AMD Instinct MI300X", 1307.4, Some(2614.9), 5300.0),
            ("AMD Instinct MI325X", 1307.4, Some(2614.9), 6000.0),
            ("AMD Instinct MI355X", 2516.6, Some(5033.2), 8000.0),
        ] {
            let chip = chip(name);
            let tera = |figure: Option<Figure>| figure.map(|f| f.value / 1e12);
            assert_eq!((tera(chip.bf16.or(chip.f16)), tera(chip.fp8)), (Some(half), fp8), "{name}");
            assert_eq!(chip.hbm.map(|f| f.value / 1e9), Some(hbm), "{name}");
        }
        assert_eq!(chip("Tesla V100-SXM2-32GB").bf16, None, "its tensor cores take no bf16");
        assert_eq!(chip("MI250X").devices(None), 2);
    }

    #[test]
    fn clocks_follow_from_the_matrix_units() {
        // (matrix units of a core, multipliers along one side of a unit)
        for (name, units, side) in [
            ("TPU v2", 1.0, 128.0),
            ("TPU v3", 2.0, 128.0),
            ("TPU v4", 4.0, 128.0),
            ("TPU v5e", 4.0, 128.0),
            ("TPU v5p", 4.0, 128.0),
            ("TPU v6e", 4.0, 256.0),
            ("TPU v7x", 4.0, 256.0),
        ] {
            let chip = chip(name);
            let peak = chip.clock.unwrap().value * f64::from(chip.cores) * units * side * side * 2.0;
            assert!((peak / chip.bf16.unwrap().value - 1.0).abs() < 0.005, "{name}: {peak:e}");
        }
    }
}
