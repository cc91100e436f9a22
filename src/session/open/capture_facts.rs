//! This module reads the type of the devices and the names of the programs of a capture without its events. Of the plane of a device,
//! it steps over the lines; of the plane with the programs, it reads their names alone.

use super::Input;
use super::detect::format;
use super::plane_heads::{LimitedSource, PROGRAMS, first_device_type, listed_outline, without_events};
use xla_profile::wire::Format;

/// What a capture says beside its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureFacts {
    /// Type of the first device. `None` if it is unknown, or too far within the file.
    pub device_type: Option<String>,
    /// Names of the programs, in the order of the alphabet. Empty if they are unknown.
    pub programs: Vec<String>,
}

/// Returns what a file says beside its events. Packed files and files of other formats are not read.
pub fn capture_facts(input: &Input) -> CaptureFacts {
    let mut facts = CaptureFacts::default();
    let source = input.source.as_ref();
    let outline = matches!(format(source), Ok(Format::XSpace)).then(|| listed_outline(source)).flatten();
    let Some(outline) = outline else { return facts };
    let source = LimitedSource::new(source);
    let named = |is_named: &dyn Fn(&str) -> bool| outline.planes.iter().find(|(_, name)| is_named(name));
    // The programs are read first, because the stats of a device lie behind the names of all of its ops.
    if let Some((span, _)) = named(&|name| name == PROGRAMS)
        && let Some(profile) = without_events(&source, *span, true)
    {
        facts.programs = profile.programs.into_values().collect();
        facts.programs.sort_unstable();
        facts.programs.dedup();
    }
    facts.device_type = first_device_type(&source, &outline);
    facts
}
