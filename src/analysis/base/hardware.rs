//! This module finds the chip of a device from the stats of its plane. It depends on the table of chips, and not on ops.

use crate::chip::{Chip, gpu};
use xla_profile::profile::Plane;

/// Returns the name of the chip that a plane states: `device_type_string`, else the product name `gpu_device_name`.
pub fn device_name(plane: &Plane) -> Option<&str> {
    plane.text_stat("device_type_string").or_else(|| plane.text_stat("gpu_device_name"))
}

/// Returns the chip of a plane, by its name, else by the properties that the driver reports. `None` if the table has no
/// such chip.
pub fn recorded_chip(plane: &Plane) -> Option<&'static Chip> {
    device_name(plane).and_then(Chip::named).or_else(|| Gpu::from_plane(plane)?.chip())
}

/// Returns the number of devices of a chip, as far as the plane tells whether cores work as one.
pub fn devices_per_chip(plane: &Plane, chip: &Chip) -> u32 {
    chip.devices(plane.number_stat("has_megacore").map(|has| has > 0.0))
}

/// Properties of a GPU from the stats of its plane.
pub struct Gpu {
    pub amd: bool,
    pub major: u32,
    pub minor: u32,
    /// Number of multiprocessors.
    units: f64,
    /// Clock cycles per second, summed over all multiprocessors.
    pub cycles: f64,
    /// Bytes of device memory. `None` if the plane does not state them.
    memory: Option<f64>,
}

impl Gpu {
    /// Reads the properties. `None` if the plane is that of no GPU, or lacks one of them.
    pub fn from_plane(plane: &Plane) -> Option<Self> {
        // `as` saturates, so an invalid number matches no known architecture.
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

    /// Returns the chip with this architecture, this number of multiprocessors and this size of memory.
    fn chip(&self) -> Option<&'static Chip> {
        gpu::chip(self.amd, self.major, self.minor, self.units, self.memory?)
    }
}
