//! These tests read bad bytes. Every prefix of a small capture, and many corruptions of it and of real captures, must
//! end in `Ok` or `Err`, without a panic and without memory that the input does not justify.

use crate::common;
use crate::common::{make, open};
use proptest::prelude::*;
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::comm::{CommQuery, LaneQuery, Machine, TransferFilter};
use rooflight::analysis::roofline::RooflineQuery;
use xla_profile::units::Picos;

/// Opens a capture and analyses the part that was read. The invariants hold for damaged files, too. Returns whether the
/// capture is whole.
fn use_it(bytes: Vec<u8>) -> bool {
    let Ok(opened) = open("it.xplane.pb", bytes) else { return false };
    let analysis = Analysis::new(&opened.profile);
    for step in [StepChoice::All, StepChoice::Busiest] {
        for by in [GroupBy::Op, GroupBy::Source, GroupBy::Scope, GroupBy::Layer] {
            let b = analysis
                .breakdown(&opened.profile, &Query { device: DeviceChoice::All, step, by, ..Query::busiest() })
                .unwrap();
            let saturated = b.totals.busy == Picos(u64::MAX);
            assert!(saturated || b.groups.iter().map(|g| g.total).sum::<Picos>() == b.totals.busy);
        }
    }
    let scopes = analysis.scopes(&opened.profile, &Query::busiest(), "", 0.01).unwrap();
    assert!(scopes.total == Picos(u64::MAX) || scopes.nodes[0].total == scopes.total);
    for all_kinds in [false, true] {
        let request = RooflineQuery { all_kinds, ..RooflineQuery::default() };
        let figures = analysis.roofline(&opened.profile, &request, None).unwrap().figures;
        let held = figures.step.as_ref().map_or(Picos::ZERO, |roof| roof.total);
        let sum = held + figures.skipped.iter().map(|s| s.total).sum();
        assert!(figures.considered == Picos(u64::MAX) || sum == figures.considered);
        analysis.roofline_steps(&opened.profile, &request, None).unwrap();
    }
    for step in [StepChoice::All, StepChoice::Busiest] {
        let query = Query { device: DeviceChoice::All, step, ..Query::busiest() };
        let topology = "2x2".parse().ok();
        let request = CommQuery {
            query: query.clone(),
            machine: Machine { topology, ..Machine::default() },
            ..CommQuery::default()
        };
        let comm = analysis.comm(&opened.profile, &request, None);
        for row in comm.rows.iter().chain(&comm.copy_rows) {
            let overlap = row.overlap;
            assert!(overlap.in_flight == Picos(u64::MAX) || overlap.in_flight == overlap.exposed + overlap.overlapped);
        }
        let lanes = analysis.comm_lanes(
            &opened.profile,
            &LaneQuery { query, transfers: TransferFilter::All, ..LaneQuery::default() },
            None,
        );
        assert!(lanes.spans.iter().all(|span| span.lane < lanes.n_lanes && span.start < span.end));
    }
    let steps = analysis.step_stats(&opened.profile);
    assert_eq!(steps.devices.len(), analysis.devices.len());
    opened.partial.is_none()
}

#[test]
fn every_prefix_of_the_small_capture() {
    let bytes = common::bytes(&make::small());
    let whole: Vec<bool> = (0..=bytes.len()).map(|n| use_it(bytes[..n].to_vec())).collect();
    assert!(whole[bytes.len()]);
    // A prefix is a whole XSpace only where one field of the XSpace ends and the next begins.
    let mut ends = vec![bytes.len()];
    let mut space = make::small();
    space.hostnames.clear();
    while !space.planes.is_empty() {
        ends.push(common::bytes(&space).len());
        space.planes.pop();
    }
    ends.sort_unstable();
    let unnoticed: Vec<usize> = (0..whole.len()).filter(|n| whole[*n]).collect();
    assert_eq!(unnoticed, ends);
}

#[test]
fn every_prefix_of_the_packed_capture() {
    for pack in [common::trace::gzip, common::trace::xz] {
        let bytes = pack(&common::bytes(&make::small()));
        for n in 0..bytes.len() {
            assert!(!use_it(bytes[..n].to_vec()), "a cut at {n} goes unnoticed");
        }
        assert!(use_it(bytes));
    }
}

#[test]
fn flipped_bits_of_the_xz_capture() {
    let bytes = common::trace::xz(&common::bytes(&make::small()));
    let mut random = Lcg(3);
    for _ in 0..3_000 {
        let mut damaged = bytes.clone();
        let index = random.below(damaged.len());
        damaged[index] ^= 1 << random.below(8);
        // A checksum covers each byte, so no damaged file is taken for whole.
        assert!(!use_it(damaged), "a flip at {index} goes unnoticed");
    }
}

/// A random generator with a fixed seed, so that a failure can be repeated.
struct Lcg(u64);
impl Lcg {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

#[test]
fn ten_thousand_flipped_bytes() {
    let bytes = common::bytes(&make::small());
    let mut random = Lcg(1);
    for _ in 0..10_000 {
        let mut damaged = bytes.clone();
        let index = random.below(damaged.len());
        damaged[index] ^= 1 << random.below(8);
        use_it(damaged);
    }
}

#[test]
fn flipped_bytes_and_cuts_in_real_captures() {
    for name in ["gpu/xla.graphs.xplane.pb", common::V6E, "gpu-mi300/gemm.xplane.pb"] {
        let Some(bytes) = common::profile(name) else { continue };
        let mut random = Lcg(2);
        for round in 0..150 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + round % 5 {
                let index = random.below(damaged.len());
                damaged[index] = random.below(256) as u8;
            }
            if round % 3 == 0 {
                damaged.truncate(random.below(bytes.len()));
            }
            use_it(damaged);
        }
    }
}

#[test]
fn declared_lengths_allocate_nothing() {
    // A plane, a line and an event each declare 2⁶³ − 1 bytes.
    let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    for head in [vec![0x0a], vec![0x0a, 60, 0x12, 1, b'p', 0x1a], vec![0x0a, 60, 0x12, 1, b'p', 0x1a, 40, 0x22]] {
        let mut bytes = head;
        bytes.extend(huge);
        bytes.extend([0x08, 1]);
        assert!(!use_it(bytes));
    }
}

proptest! {
    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        use_it(bytes);
    }

    #[test]
    fn noise_in_a_plane(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let mut space = vec![0x0a, (bytes.len() + 3) as u8, 0x12, 1, b'p'];
        space.extend(&bytes);
        use_it(space);
    }
}
