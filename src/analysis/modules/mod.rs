//! This module sums the time of a step by module of the model, phase and kind, and compares it with the roofline.
//!
//! ```text
//!  self time of each op (the breakdown) ─┬─► cell: module × phase × kind ─► Σ cells = busy, to the picosecond
//!  roofline time of ops of compute ──────┘
//! ```
//!
//! The labels of ops come from `classify::module`, and roofline times from `roofline`. Nothing is measured here.

pub mod columns;
mod report;
mod sums;

pub use report::{AlikeOps, CertaintyShare, ModuleCell, ModuleSum, Modules};

use crate::analysis::base::Analysis;
use crate::analysis::base::rows::{Slice, each};
use crate::analysis::base::selection::Selection;
use crate::analysis::classify::Kind;
use crate::analysis::data_movement::Programs;
use crate::analysis::roofline::RooflineQuery;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use sums::{CellKey, Sums};
use xla_profile::profile::{OpKey, Profile};

impl Analysis {
    /// Sums the time of the devices and the step of `query` by module. The grouping and the filter are ignored.
    pub fn modules(&self, profile: &Profile, query: &RooflineQuery, programs: Option<Programs<'_>>) -> Modules {
        let Selection { totals, slices, .. } = self.selection(profile, &query.query);
        let session = self.session_facts(profile);
        let mut sums = Sums::default();
        each(&slices, |member, time| {
            sums.add(session, slices[member.slice as usize].device, member.op, time);
        });
        for slice in &slices {
            let facts = &self.facts[slice.device].ops;
            let computes: Vec<bool> =
                facts.iter().map(|facts| matches!(facts.kind, Kind::Compute | Kind::Fused)).collect();
            let slice = Slice { chosen: Some(Rc::from(computes)), ..slice.clone() };
            // The ops of one name are those of one instruction, and the one with the most time decides their cell.
            let mut cells: FxHashMap<OpKey, (u64, CellKey)> = FxHashMap::default();
            each(std::slice::from_ref(&slice), |member, time| {
                let (op, facts) = session.op(slice.device, member.op);
                let longest = cells.entry(op.key()).or_insert((time.self_time, CellKey::new(facts)));
                if time.self_time > longest.0 {
                    *longest = (time.self_time, CellKey::new(facts));
                }
            });
            for (op, floor) in self.op_floors(profile, query, programs, slice) {
                if let Some((_, cell)) = cells.get(&op) {
                    sums.add_floor(*cell, &floor);
                }
            }
        }
        sums.into_modules(session, totals.busy)
    }
}
