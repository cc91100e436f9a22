//! This module writes the ledger as JSON. It defines the names and the order of the fields.

use crate::analysis::ledger::{Ledger, Owner};
use crate::units::Picos;
use serde::{Serialize, Serializer};

/// The ledger in the JSON of `rooflight summary`.
#[derive(Serialize)]
pub struct LedgerJson<'a> {
    device: &'a str,
    n_steps: u32,
    window_ps: Picos,
    attainable: f64,
    owners: Owners<'a>,
    excess_over_devices_ps: Option<Picos>,
}

/// The times of all owners, by their names.
struct Owners<'a>(&'a Ledger);

impl Serialize for Owners<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Owner::ALL.map(|owner| (owner.key(), self.0.time(owner))))
    }
}

impl<'a> LedgerJson<'a> {
    /// Returns a ledger as JSON, with the label of its device.
    pub fn new(ledger: &'a Ledger, device: &'a str) -> Self {
        Self {
            device,
            n_steps: ledger.n_steps,
            window_ps: ledger.window,
            attainable: ledger.attainable,
            owners: Owners(ledger),
            excess_over_devices_ps: ledger.excess,
        }
    }
}
