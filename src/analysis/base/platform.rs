//! What a plane's device is, and which of its lines are of ops. This module knows names of planes and lines; no time.

use crate::profile::{Line, Plane};

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// A TPU's core: one line of ops.
    Tpu,
    /// A GPU: a line per stream.
    Gpu,
    /// A CPU as a device: a line per thread.
    Cpu,
}

impl Platform {
    /// Of `/device:TPU:0`; `None` of a plane that is no device, or only a part of one.
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

    /// The lines whose events are ops, those that have some. Of a GPU its streams: where there are any, its `XLA Ops` line
    /// was made of them and would count them twice.
    pub fn op_lines(self, plane: &Plane) -> Vec<usize> {
        let lines = |is: &dyn Fn(&Line) -> bool| -> Vec<usize> {
            let lines = plane.lines.iter().enumerate();
            lines.filter(|(_, line)| is(line) && !line.events.is_empty()).map(|(i, _)| i).collect()
        };
        let ops = || lines(&|line| line.name == "XLA Ops");
        match self {
            Self::Gpu => Some(lines(&Line::is_stream)).filter(|streams| !streams.is_empty()).unwrap_or_else(ops),
            Self::Cpu if plane.is_derived() => lines(&|line| line.name != "XLA Modules"),
            Self::Tpu | Self::Cpu => ops(),
        }
    }

    /// What its lines of ops are, where there are several.
    pub const fn lines(self) -> &'static str {
        match self {
            Self::Tpu => "lines",
            Self::Gpu => "streams",
            Self::Cpu => "threads",
        }
    }
}

/// What a device calls itself: its type, its product name, or of a GPU that says neither its maker and compute capability.
pub fn device_type(plane: &Plane) -> Option<String> {
    let named = plane.text_stat("device_type_string").or_else(|| plane.text_stat("gpu_device_name"));
    named.map(str::to_owned).or_else(|| {
        let (major, minor) = (plane.number_stat("compute_cap_major")?, plane.number_stat("compute_cap_minor")?);
        let maker = plane.text_stat("device_vendor").map_or_else(String::new, |maker| format!("{maker} "));
        Some(format!("{maker}GPU, compute capability {major}.{minor}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
