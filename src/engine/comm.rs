//! Communication with the programs at hand. Knows reports; no browser.

use super::Programs;
use super::programs::AtHand;
use crate::analysis::Analysis;
use crate::analysis::comm::{Comm, CommLanes, CommQuery, LaneQuery};
use crate::profile::Profile;

/// What devices wait for, with sizes and groups from the programs.
pub fn comm(analysis: &Analysis, profile: &Profile, programs: &mut Programs, ask: &CommQuery) -> Comm {
    let at_hand = AtHand::new(profile, programs);
    analysis.comm(profile, ask, Some(&|id| at_hand.module(id)))
}

/// What is in flight in a step of a device, in lanes.
pub fn comm_lanes(analysis: &Analysis, profile: &Profile, programs: &mut Programs, ask: &LaneQuery) -> CommLanes {
    let at_hand = AtHand::new(profile, programs);
    analysis.comm_lanes(profile, ask, Some(&|id| at_hand.module(id)))
}
