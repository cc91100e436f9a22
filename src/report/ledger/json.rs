//! This module writes the ledger as JSON.

use crate::analysis::gaps::GapClass;
use crate::analysis::ledger::{Ledger, Owner};
use crate::table::{Object, object};
use xla_profile::units::Picos;

/// Returns the ledger in the JSON of `rooflight summary`, with the label of its device.
pub fn ledger<'a>(ledger: &'a Ledger, device: &'a str) -> Object<'a> {
    object!(Ledger {
        /// Name of the device. Of several devices, it is the one that waits least for the others, because the length of
        /// a step depends on it.
        device: Name(Device) = device,
        /// Number of steps. 1 for the whole capture.
        n_steps: Count = ledger.n_steps.into(),
        /// Sum of the periods of the steps on the event clock. For the whole capture, its length.
        window_ps: Time = ledger.window,
        /// Share of the roofline that ops are expected to attain.
        attainable: Number = ledger.attainable,
        /// The time of each owner. Each instant has one owner, so the times sum to `window_ps`.
        owners: Own = owners(|owner| ledger.time(owner)),
        /// Sum over the ops that do not communicate of the time of the device beyond the median of the devices, as a
        /// mean over the steps. Null where no other device is compared.
        excess_over_devices_ps: Time or null = ledger.excess,
    })
}

/// Returns the time of each owner.
pub(in crate::report) fn owners(time: impl Fn(Owner) -> Picos) -> Object<'static> {
    object!(Owners {
        /// Compute: min(roofline time ÷ `attainable`, self time).
        floor: Time = time(Owner::Floor),
        /// The rest of compute.
        excess: Time = time(Owner::Excess),
        /// Time of compute, copies and layout changes beyond the median of the devices, for a straggler.
        slower: Time = time(Owner::Slower),
        /// Time of compute ops whose cost or peak is unknown, and of ops that no rule classifies.
        opaque: Time = time(Owner::Opaque),
        /// Communication without `late`.
        transfer: Time = time(Owner::Transfer),
        /// Waits of communication for devices that arrive later.
        late: Time = time(Owner::Late),
        /// Data movement: starts of asynchronous copies and slices, and the waits for them.
        dma: Time = time(Owner::Dma),
        /// Data movement: other copies and layout changes.
        layout: Time = time(Owner::Layout),
        /// Self time of loops and other containers.
        r#loop: Time = time(Owner::Loop),
        /// Idle time of the class `capture` of `gaps`.
        capture: Time = time(Owner::Gap(GapClass::Capture)),
        /// Idle time of the class `recompile` of `gaps`.
        recompile: Time = time(Owner::Gap(GapClass::Recompile)),
        /// Idle time of the class `input` of `gaps`, with the ops that exchange data with the host, such as infeeds,
        /// and copies from the host to a GPU outside of programs.
        input: Time = time(Owner::Gap(GapClass::Input)),
        /// Idle time of the class `sync` of `gaps`.
        sync: Time = time(Owner::Gap(GapClass::Sync)),
        /// Idle time of the class `defrag` of `gaps`.
        defrag: Time = time(Owner::Gap(GapClass::Defrag)),
        /// Idle time of the class `host` of `gaps`.
        host: Time = time(Owner::Gap(GapClass::Host)),
        /// Idle time of the class `barrier` of `gaps`.
        barrier: Time = time(Owner::Gap(GapClass::Barrier)),
        /// Idle time of the class `dependency` of `gaps`.
        dependency: Time = time(Owner::Gap(GapClass::Dependency)),
        /// Idle time of the class `launch` of `gaps`.
        launch: Time = time(Owner::Gap(GapClass::Launch)),
        /// Idle time of the class `unexplained` of `gaps`.
        unexplained: Time = time(Owner::Gap(GapClass::Unexplained)),
        /// Idle time of the class `callback` of `gaps`.
        callback: Time = time(Owner::Gap(GapClass::Callback)),
        /// Idle time of the class `requests` of `gaps`.
        requests: Time = time(Owner::Gap(GapClass::Requests)),
    })
}

#[cfg(test)]
mod tests {
    use super::owners;
    use crate::analysis::ledger::Owner;
    use xla_profile::units::Picos;

    #[test]
    fn each_owner_has_its_time() {
        let place = |owner| Picos(Owner::ALL.iter().position(|other| *other == owner).unwrap() as u64);
        let expected = Owner::ALL.map(|owner| format!("\"{}\":{}", owner.key(), place(owner).0)).join(",");
        assert_eq!(serde_json::to_string(&owners(place)).unwrap(), format!("{{{expected}}}"));
    }
}
