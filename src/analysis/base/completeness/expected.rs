//! This module finds how many devices run a program together, and which of them the capture lacks.
//!
//! Each collective names the devices of its groups by numbers from 0 on, so a program runs on at least one device more than the
//! largest number.

use super::sign::Sign;
use crate::analysis::base::device::Device;
use crate::table::format::counted;
use rustc_hash::FxHashSet;
use xla_profile::hlo::{Instruction, ReplicaGroups, text};
use xla_profile::profile::{Note, NoteCode, Profile, Severity, StrId};

/// The largest number of devices of a program that is believed: a hundred times that of the largest machine. Numbers above it
/// are damaged.
const MOST: u64 = ReplicaGroups::LIMIT;
/// A host has this number of chips, or a multiple of it.
const CHIPS: u64 = 4;

/// The devices of the captures of a session, of those that run the program together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingDevices {
    /// Devices with ops in the captures.
    pub captured: u64,
    /// Devices that run the program.
    pub expected: u64,
    /// Captures, one for each host or process.
    n_files: u64,
    /// Devices of each capture; `None` if captures have different numbers of them.
    per_file: Option<u64>,
}

impl MissingDevices {
    /// Returns the devices that are missing if a program runs on `expected` devices. `None` if none are.
    pub fn new(profile: &Profile, devices: &[Device], expected: u64) -> Option<Self> {
        let captured = devices.len() as u64;
        if captured == 0 || expected <= captured || expected > MOST {
            return None;
        }
        let mut by_file = vec![0_u64; profile.files.len()];
        for device in devices {
            if let Some(n) = by_file.get_mut(profile.planes[device.plane].file) {
                *n += 1;
            }
        }
        by_file.retain(|n| *n > 0);
        let first = by_file.first().copied();
        let per_file = first.filter(|first| by_file.iter().all(|n| n == first));
        Some(Self { captured, expected, n_files: by_file.len() as u64, per_file })
    }

    /// Returns the sentence with the two numbers.
    pub fn sentence(&self) -> String {
        format!("{} of {} devices are in the capture.", self.captured, self.expected)
    }

    /// Returns the note that devices are missing.
    pub fn note(&self) -> Note {
        self.sign().note()
    }

    /// Returns whether the captures have all devices of some hosts, as far as their number tells: 4 or 8 for each host. Other
    /// captures have some devices of a host, such as those of one process, and a comparison would leave out their neighbours.
    pub fn has_whole_hosts(&self) -> bool {
        self.per_file.is_some_and(|n| n.is_multiple_of(CHIPS))
    }

    pub(super) fn sign(&self) -> Sign {
        let more =
            self.per_file.filter(|n| self.expected.is_multiple_of(*n) && (self.has_whole_hosts() || self.n_files > 1));
        let more = more.map(|n| self.expected / n - self.n_files);
        let add = match more {
            Some(more) => format!("Captures of {} exist: add them.", counted(more, "more host", "more hosts")),
            None => "Each host writes a capture of its own, and with PyTorch/XLA each process does (pytorch/xla#3965): add them. \
                     vLLM records one chip on purpose (tpu_num_chips_to_profile_per_task)."
                .to_owned(),
        };
        let are = if self.has_whole_hosts() { "are compared with each other alone" } else { "are not compared" };
        let advice = format!("Figures are those of the captured devices, which {are}. {add}");
        let mut sign = Sign::new(NoteCode::DevicesMissing, Severity::Info, self.sentence(), advice);
        sign.n = Some(self.expected - self.captured);
        sign
    }
}

/// Returns the devices that the groups in the texts of ops name, and the captures lack. `None` if they lack none.
pub(super) fn missing_devices(profile: &Profile, devices: &[Device]) -> Option<MissingDevices> {
    let mut seen: FxHashSet<StrId> = FxHashSet::default();
    let mut expected = 0;
    for op in devices.iter().flat_map(|device| &profile.planes[device.plane].ops) {
        if !seen.insert(op.text) {
            continue;
        }
        let written = profile.text(op.text);
        if ["replica_groups=", "source_target_pairs="].iter().any(|part| written.contains(part)) {
            let parsed = text::instruction(written);
            expected = expected.max(parsed.map_or(0, |parsed| n_devices(&parsed.instruction)));
        }
    }
    MissingDevices::new(profile, devices, expected)
}

/// Returns the number of devices that an instruction names; 0 if it names none.
fn n_devices(instruction: &Instruction) -> u64 {
    let after = |largest: Option<u64>| largest.map_or(0, |largest| largest.saturating_add(1));
    match instruction.replica_groups() {
        None | Some(ReplicaGroups::All) => 0,
        Some(ReplicaGroups::Lists(lists)) => after(lists.iter().flatten().copied().max()),
        Some(ReplicaGroups::Pairs(pairs)) => after(pairs.iter().map(|(from, to)| *from.max(to)).max()),
        Some(ReplicaGroups::Iota(iota)) => iota.groups.saturating_mul(iota.size),
        Some(groups @ ReplicaGroups::Mesh(_)) => {
            let groups = groups.groups().unwrap_or_default();
            groups.iter().map(|group| group.len() as u64).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_name_the_devices_of_a_program() {
        let n = |groups: &str| {
            let written = format!("%a = f32[8] all-reduce(f32[8] %x), {groups}, to_apply=%add");
            n_devices(&text::instruction(&written).unwrap().instruction)
        };
        assert_eq!(n("replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true"), 8);
        assert_eq!(n("replica_groups={{0,1,2,3,4,5,6,7}}"), 8);
        assert_eq!(n("replica_groups=[2,4]<=[8]"), 8);
        assert_eq!(n("replica_groups={}"), 0);
        let written = "%p = f32[8] collective-permute(f32[8] %x), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}";
        assert_eq!(n_devices(&text::instruction(written).unwrap().instruction), 4);
    }
}
