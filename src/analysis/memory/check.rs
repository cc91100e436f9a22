//! This module compares the peaks of a device with its capacity: the need of programs, the memory in use, and the size
//! of the memory. It does not depend on events.

use super::report::MemoryPrograms;
use super::runtime_report::{AllocatorMemory, Capacity, CapacitySource, CrossCheck, RuntimeMemory};
use crate::analysis::base::Analysis;
use crate::analysis::base::hardware::{device_name, devices_per_chip};
use crate::chip::Chip;
use rustc_hash::FxHashSet;
use xla_profile::profile::{Plane, Profile};

/// Fraction of the capacity above which memory is tight.
const TIGHT: f64 = 0.9;
/// Fragmentation above which a report mentions it.
const FRAGMENTED: f64 = 0.1;

impl Analysis {
    /// Compares the peaks of each allocator, then those of each device without an allocator, with the peak of the first of
    /// `programs`: the highest of those that ran ([`crate::session::memory_programs`]). If the session has neither
    /// but a program has a peak, the only entry has the label "a device". `chip` gives the capacity where no allocator
    /// reports it; `None` selects the chip that the plane names.
    pub fn cross_check(
        &self,
        profile: &Profile,
        programs: &MemoryPrograms,
        runtime: &RuntimeMemory,
        chip: Option<&Chip>,
    ) -> Vec<CrossCheck> {
        let program = programs.programs.iter().find_map(|program| {
            let peak = program.hbm_peak()?;
            Some((peak, program.name.as_str()))
        });
        let mut checks: Vec<CrossCheck> = Vec::new();
        for allocator in &runtime.allocators {
            let plane = allocator.device.map(|device| &profile.planes[self.devices[device as usize].plane]);
            // Memory that a host keeps for its devices is not memory of a device.
            let program = program.filter(|_| !allocator.is_of_host());
            checks.push(check(&allocator.label, program, Some(allocator), size(plane, chip)));
        }
        let with_allocator: FxHashSet<u32> =
            runtime.allocators.iter().filter_map(|allocator| allocator.device).collect();
        for (i, device) in self.devices.iter().enumerate() {
            if !with_allocator.contains(&(i as u32)) {
                checks.push(check(&device.label, program, None, size(Some(&profile.planes[device.plane]), chip)));
            }
        }
        if checks.is_empty() && program.is_some() {
            checks.push(check("a device", program, None, size(None, chip)));
        }
        checks
    }
}

/// Returns the memory of one device from the table of chips.
fn size(plane: Option<&Plane>, chip: Option<&Chip>) -> Option<Capacity> {
    let named = || Chip::named(device_name(plane?)?);
    let chip = chip.or_else(named)?;
    let n_devices = plane.map_or_else(|| chip.devices(None), |plane| devices_per_chip(plane, chip));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole bytes, below 2⁵³")]
    let size = chip.hbm_size?.value as u64 / u64::from(n_devices.max(1));
    Some(Capacity { size, source: CapacitySource::Chip(chip.name.to_owned()) })
}

fn check(
    label: &str,
    program: Option<(u64, &str)>,
    allocator: Option<&AllocatorMemory>,
    published: Option<Capacity>,
) -> CrossCheck {
    let (static_peak, runtime_peak) = (program.map(|(peak, _)| peak), allocator.map(|a| a.peak.in_use()));
    let named = allocator.and_then(|a| a.capacity).filter(|size| *size > 0);
    let capacity = named.map(|size| Capacity { size, source: CapacitySource::Allocator }).or(published);
    let peak_and_capacity = static_peak.max(runtime_peak).zip(capacity.as_ref().map(|capacity| capacity.size));
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let used = peak_and_capacity.map(|(peak, size)| peak as f64 / size as f64);
    let signed = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
    let fragmentation = allocator.and_then(|a| a.fragmentation);
    CrossCheck {
        label: label.to_owned(),
        static_peak,
        program: program.map(|(_, name)| name.to_owned()),
        runtime_peak,
        headroom: peak_and_capacity.map(|(peak, size)| signed(size).saturating_sub(signed(peak))),
        is_tight: used.is_some_and(|used| used > TIGHT),
        used,
        capacity,
        fragmentation,
        is_fragmented: fragmentation.is_some_and(|share| share > FRAGMENTED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::memory::runtime_report::UseAt;

    fn allocator(reserved: u64, allocated: u64, available: Option<u64>, fragmentation: f64) -> AllocatorMemory {
        AllocatorMemory {
            label: "TPU:0".to_owned(),
            device: None,
            ordinal: Some(0),
            allocator: None,
            plane: "/host:CPU".to_owned(),
            file: 0,
            n_events: 1,
            peak: UseAt { reserved, allocated, available, ..UseAt::default() },
            capacity: available.map(|available| reserved + allocated + available),
            fragmentation: Some(fragmentation),
            lifetime_peak: None,
            persistent: 0,
            transient: 0,
            timeline: Vec::new(),
            steps: Vec::new(),
        }
    }

    #[test]
    fn the_larger_peak_counts_against_what_there_is() {
        let checked = |reserved, allocated, fragmentation| {
            let allocator = allocator(reserved, allocated, Some(100 - reserved - allocated), fragmentation);
            check("TPU:0", Some((70, "jit_f")), Some(&allocator), None)
        };
        let roomy = checked(20, 30, 0.1);
        assert_eq!(
            (roomy.used, roomy.headroom, roomy.is_tight, roomy.is_fragmented),
            (Some(0.7), Some(30), false, false)
        );
        let tight = checked(20, 71, 0.11);
        assert_eq!(
            (tight.used, tight.headroom, tight.is_tight, tight.is_fragmented),
            (Some(0.91), Some(9), true, true)
        );
    }

    #[test]
    fn without_an_allocator_the_chip_says_what_there_is() {
        let v5e = size(None, Chip::named("TPU v5e"));
        let check = check("TPU:0", Some((20_000_000_000, "jit_f")), None, v5e);
        assert_eq!(check.capacity.as_ref().unwrap().source, CapacitySource::Chip("TPU v5e".to_owned()));
        assert!(check.is_tight && check.headroom < Some(0), "{check:?}");
        let v7x = size(None, Chip::named("TPU v7x")).unwrap();
        assert_eq!(v7x.size, 96 << 30, "half a chip");
        let unknown = super::check("a device", Some((7, "jit_f")), None, None);
        assert_eq!((unknown.used, unknown.headroom, unknown.is_tight), (None, None, false));
    }
}
