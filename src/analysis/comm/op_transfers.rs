//! This module names the transfer that each op of a device is a part of.

use super::sums::collective_infos;
use crate::analysis::base::Analysis;
use crate::analysis::classify::primitive::Primitive;
use crate::analysis::data_movement::Programs;
use rustc_hash::FxHashMap;
use xla_profile::profile::{OpId, OpKey, Profile};

/// The transfer of an op: a collective, or a copy between memories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpTransfer {
    /// The program and the name of the op that starts the transfer.
    pub named: OpKey,
    pub primitive: Primitive,
    /// Whether it is a collective between slices, over the data center network.
    pub is_over_dcn: bool,
    /// Bytes of the message of one execution. `None` if unknown.
    pub bytes: Option<u64>,
}

impl Analysis {
    /// Returns the transfers of the ops of a device.
    pub(in crate::analysis) fn op_transfers(
        &self,
        profile: &Profile,
        device: usize,
        programs: Option<Programs<'_>>,
    ) -> FxHashMap<OpId, OpTransfer> {
        let plane = &profile.planes[self.devices[device].plane];
        let transfers = self.async_pairs(profile, device);
        let infos = collective_infos(profile, [(plane, &*transfers)], programs);
        let transfer = |(op, _, index): (OpId, _, u32)| {
            let named = transfers.all[index as usize].named;
            let info = infos.get(&named)?;
            let (primitive, is_over_dcn) = (info.primitive, info.is_over_dcn());
            Some((op, OpTransfer { named, primitive, is_over_dcn, bytes: info.bytes }))
        };
        transfers.roles().filter_map(transfer).collect()
    }
}
