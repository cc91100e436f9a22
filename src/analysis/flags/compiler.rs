//! This module finds the compiler of a session: its platform, and the version that the capture states.

use crate::analysis::base::{Analysis, Platform};
use crate::analysis::comm::suggested_flags::{CHECKED_GPU, CHECKED_TPU};
use xla_profile::profile::Profile;

/// The compiler of the programs of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiler {
    /// The platform of the devices. `None` if it is unknown.
    pub platform: Option<Platform>,
    /// The compiler and its version as the capture states it, such as `libtpu 0.0.51`. Captures before jaxlib 0.10 do not.
    pub stated: Option<String>,
}

impl Compiler {
    /// Reads the platform of the first device, and the versions in the planes.
    pub fn of_session(profile: &Profile, analysis: &Analysis) -> Self {
        let platform = analysis.devices.first().map(|device| device.platform);
        let (stat, name) =
            if platform == Some(Platform::Tpu) { ("libtpu_version", "libtpu") } else { ("jaxlib_version", "jaxlib") };
        let version = profile.planes.iter().find_map(|plane| plane.text_stat(stat));
        Self { platform, stated: version.map(|version| format!("{name} {version}")) }
    }

    /// Returns the compiler whose flags and defaults are known. `None` if the platform is unknown.
    pub fn known(&self) -> Option<&'static str> {
        Some(if self.platform? == Platform::Tpu { CHECKED_TPU } else { CHECKED_GPU })
    }

    /// Returns the compiler that the capture states, if its flags and defaults may differ from those that are known.
    pub fn differing(&self) -> Option<&str> {
        self.stated.as_deref().filter(|stated| self.known().is_some_and(|known| known != *stated))
    }
}

impl From<Option<Platform>> for Compiler {
    fn from(platform: Option<Platform>) -> Self {
        Self { platform, stated: None }
    }
}
