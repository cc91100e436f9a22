//! This module determines the type of a plane's device and the lines that hold its ops, by the names of planes and
//! lines.

use crate::chip::Chip;
use xla_profile::profile::{Line, Plane};

/// The type of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// A TPU core, with one line of ops.
    Tpu,
    /// A GPU, with one line per stream.
    Gpu,
    /// A CPU that runs ops, with one line per thread.
    Cpu,
}

impl Platform {
    /// Returns the platform of a plane by its name, such as `/device:TPU:0`; `None` for a plane that is not a device or
    /// is only a part of one.
    pub fn from_plane_name(plane: &str) -> Option<Self> {
        let (kind, number) = plane.strip_prefix("/device:")?.split_once(':')?;
        let platform = match kind {
            "TPU" => Self::Tpu,
            "GPU" => Self::Gpu,
            "CPU" => Self::Cpu,
            _ => return None,
        };
        (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(platform)
    }

    /// Returns the platform of a device type, such as `TPU v5` or `NVIDIA H100`. `None` if the type is unknown.
    pub fn from_device_type(device_type: &str) -> Option<Self> {
        let is_gpu = |name: &str| ["NVIDIA", "AMD"].iter().any(|vendor| name.starts_with(vendor));
        match Chip::named(device_type) {
            Some(chip) if chip.name.starts_with("TPU") => Some(Self::Tpu),
            Some(_) => Some(Self::Gpu),
            None if device_type.starts_with("TPU") => Some(Self::Tpu),
            None => is_gpu(device_type).then_some(Self::Gpu),
        }
    }

    /// Returns the indices of the lines whose events are ops, without empty lines. For a GPU, these are its streams if
    /// there are any: its `XLA Ops` line is then derived from the streams, and would count every op twice.
    pub fn op_lines(self, plane: &Plane) -> Vec<usize> {
        let lines = |is: &dyn Fn(&Line) -> bool| -> Vec<usize> {
            let lines = plane.lines.iter().enumerate();
            let mut lines: Vec<usize> =
                lines.filter(|(_, line)| is(line) && !line.events.is_empty()).map(|(i, _)| i).collect();
            // The order of the lines in a file does not count.
            lines.sort_by_key(|i| plane.lines[*i].id);
            lines
        };
        let ops = || lines(&|line| line.name == "XLA Ops");
        match self {
            Self::Gpu => Some(lines(&Line::is_stream)).filter(|streams| !streams.is_empty()).unwrap_or_else(ops),
            Self::Cpu if plane.is_derived() => lines(&|line| line.name != "XLA Modules"),
            Self::Tpu | Self::Cpu => ops(),
        }
    }

    /// Returns the plural noun for the op lines of the platform.
    pub const fn lines(self) -> &'static str {
        match self {
            Self::Tpu => "lines",
            Self::Gpu => "streams",
            Self::Cpu => "threads",
        }
    }
}

/// Returns the type of a device: `device_type_string`, else the product name `gpu_device_name`, else the vendor and the
/// compute capability of a GPU. `None` if the plane has none of these stats.
pub fn device_type(plane: &Plane) -> Option<String> {
    super::hardware::device_name(plane).map(str::to_owned).or_else(|| {
        let (major, minor) = (plane.number_stat("compute_cap_major")?, plane.number_stat("compute_cap_minor")?);
        let maker = plane.text_stat("device_vendor").map_or_else(String::new, |maker| format!("{maker} "));
        Some(format!("{maker}GPU, compute capability {major}.{minor}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_types_have_a_platform() {
        for (name, expected) in [
            ("TPU v5", Some(Platform::Tpu)),
            ("TPU v99", Some(Platform::Tpu)),
            ("NVIDIA H100 80GB HBM3", Some(Platform::Gpu)),
            ("AMD Instinct MI300X", Some(Platform::Gpu)),
            ("cpu", None),
        ] {
            assert_eq!(Platform::from_device_type(name), expected, "{name}");
        }
    }

    #[test]
    fn devices_by_name() {
        for (name, expected) in [
            ("/device:TPU:0", Some(Platform::Tpu)),
            ("/device:GPU:12", Some(Platform::Gpu)),
            ("/device:CPU:1", Some(Platform::Cpu)),
            ("/device:TPU:0 SparseCore 1", None),
            ("/device:CUSTOM:Megascale Trace", None),
            ("/device:GPU:", None),
            ("/host:CPU", None),
        ] {
            assert_eq!(Platform::from_plane_name(name), expected, "{name}");
        }
    }
}
