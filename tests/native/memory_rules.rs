//! These tests check the rules of memory on a program counted by hand, on random traces against an independent
//! interpreter, and on damaged files.

use crate::common;
use crate::common::memory::{assigned, buffer, event, tiny};
use proptest::prelude::*;
use prost::Message;
use rooflight::analysis::base::Analysis;
use rooflight::analysis::memory::{
    Basis, BufferId, Category, MemoryClass, MemoryQuery, MomentPart, Points, ProgramMemory, ProgramPeaks, RollUpBy,
    SpaceMemory, StaticMemory, WhatIf,
};
use rooflight::session;
use rooflight::session::Programs;
use std::collections::BTreeMap;
use xla_profile::hlo::Module;
use xla_profile::wire::hlo::decode;
use xla_profile::wire::proto::hlo::heap_simulator_trace::Event;
use xla_profile::wire::proto::hlo::heap_simulator_trace::event::Kind;
use xla_profile::wire::proto::hlo::{BufferAllocationProto, BufferAssignmentProto, HeapSimulatorTrace, HloProto};

const ALL_POINTS: Points = Points { from: 0, to: u32::MAX };

fn held(proto: &HloProto) -> (Module, ProgramMemory) {
    let module = Module::from_proto(proto);
    let memory = ProgramMemory::new(proto.buffer_assignment.as_ref().unwrap(), &module);
    (module, memory)
}

fn space_memory(proto: &HloProto) -> SpaceMemory {
    let (module, memory) = held(proto);
    memory.summarize(&module, ProgramPeaks::default(), &MemoryQuery::default()).space.unwrap()
}

#[test]
fn by_hand() {
    let (module, memory) = held(&tiny());
    let space = space_memory(&tiny());
    let below = 16_384 + 4096;
    let heap = [0, 4096, 36_864, 32_768, 36_864, 4096, 0].map(|bytes| bytes + below);
    assert_eq!(memory.timeline(0).unwrap(), heap);
    let peak = &space.peak;
    assert_eq!((peak.peak, peak.position, peak.instruction.as_deref()), (57_344, Some(1), Some("logits")));
    assert_eq!((peak.indefinite, peak.parameters, peak.live_out), (below, below, 4096));
    assert_eq!((peak.total_allocation, peak.constants, peak.basis), (below + 40_960, 0, Basis::Trace));
    let moment = space.moment.as_ref().unwrap();
    assert_eq!((moment.instruction.as_str(), moment.place, moment.n_instructions), ("logits", 3, 6));
    assert_eq!(moment.part, Some(MomentPart::Turn));
    // 8 × 100 of 8 × 128 elements are used, and 3 × 5 of 8 × 128. Memory that is alive all the time counts with its
    // padding.
    assert_eq!(space.peak_unpadded, below + 3200 + 32_768);
    assert_eq!((space.padding.wasted, space.padding.n), (896 + 4036, 2));
    assert_eq!(space.padding.worst[0].buffer.instruction, "m");
    assert_eq!(space.padding.worst[0].overhead, Some(4036.0 / 60.0));
    let alive: Vec<_> = space.alive.buffers.iter().map(|b| (b.instruction.as_str(), b.category, b.class)).collect();
    let known = [
        ("logits", Category::Temporary, MemoryClass::Logits),
        ("emb", Category::Parameter, MemoryClass::Weights),
        ("act", Category::Temporary, MemoryClass::Activations),
        ("m", Category::Parameter, MemoryClass::Optimizer),
    ];
    assert_eq!(alive, known);
    // The memory of `act` is used again by `softmax`, and is then reported for `softmax`.
    let again = memory.alive_at(&module, &MemoryQuery::default(), 4).unwrap();
    let softmax = again.buffers.iter().find(|b| b.instruction == "softmax").unwrap();
    assert_eq!((softmax.first, softmax.last, softmax.size), (3, 5, 4096));
    assert_eq!((again.size, again.instruction.as_deref()), (57_344, Some("softmax")));
    let sizes: Vec<u64> = space.jumps.iter().map(|jump| jump.size).collect();
    assert_eq!(sizes, [32_768, 4096, 4096]);
    // With an eighth of the logits, the peak stays at the same event.
    let vocabulary = space.vocabulary.unwrap();
    assert_eq!((vocabulary.dims, vocabulary.size), (vec![512], 32_768));
    assert_eq!((vocabulary.peak, vocabulary.saves), (57_344 - 28_672, 28_672));
    assert_eq!((space.estimate.n_parameters, space.estimate.counted), (Some(8 * 512), true));
    let rows: Vec<_> = space.estimate.rows.iter().map(|row| (row.expected, row.measured)).collect();
    assert_eq!(rows, [(Some(8192), 16_384), (Some(8192), 0), (Some(49_152), 4096)]);
}

#[test]
fn without_a_trace_the_schedule_is_used() {
    let mut proto = tiny();
    proto.buffer_assignment.as_mut().unwrap().heap_simulator_traces.clear();
    for (offset, assigned) in (0..).zip(&mut proto.buffer_assignment.as_mut().unwrap().buffer_allocations[3].assigned) {
        assigned.offset = offset;
    }
    let (module, memory) = held(&proto);
    let result = memory.summarize(&module, ProgramPeaks::default(), &MemoryQuery::default());
    assert!(result.notes.iter().any(|note| note.code == "no_heap_trace"), "{:?}", result.notes);
    let space = result.space.unwrap();
    assert_eq!(space.peak.basis, Basis::Schedule);
    // `act` lives until `logits` has run, `logits` until `softmax` has run, and `softmax` until `new_m` has run.
    let heap = [0, 0, 0, 4096, 36_864, 36_864, 4096].map(|bytes| bytes + 20_480);
    assert_eq!(memory.timeline(0).unwrap(), heap);
    assert_eq!((space.peak.peak, space.peak.instruction.as_deref()), (57_344, Some("logits")));
    assert_eq!(space.alive.buffers.iter().map(|b| b.size).sum::<u64>(), 57_344);
}

/// Returns the curve of a trace by a simple interpreter. The interpreter tracks the memory of each buffer and the
/// number of holders of each memory, and sums the sizes anew at each point.
fn interpret(events: &[Event], sizes: &BTreeMap<i64, u64>) -> Vec<u64> {
    held_at_each_point(events, sizes).iter().map(|held| held.iter().map(|id| sizes[id]).sum()).collect()
}

/// Returns the buffers whose memory is held, for each point.
fn held_at_each_point(events: &[Event], sizes: &BTreeMap<i64, u64>) -> Vec<Vec<i64>> {
    let (mut memory, mut holders) = (BTreeMap::<i64, i64>::new(), BTreeMap::<i64, u32>::new());
    let mut points = vec![Vec::new()];
    for event in events {
        let id = event.buffer_id;
        if sizes.contains_key(&id) {
            let own = *memory.get(&id).unwrap_or(&id);
            match event.kind() {
                Kind::Alloc if own == id && holders.get(&id).is_some_and(|n| *n > 0) => {
                    *holders.get_mut(&id).unwrap() += 1;
                }
                Kind::Alloc => {
                    memory.insert(id, id);
                    *holders.entry(id).or_default() += 1;
                }
                Kind::Free => {
                    if let Some(n) = holders.get_mut(&own) {
                        *n = n.saturating_sub(1);
                    }
                }
                Kind::ShareWith => {
                    let with = event.share_with_canonical_id;
                    if sizes.contains_key(&with) {
                        let holder = *memory.get(&with).unwrap_or(&with);
                        memory.insert(id, holder);
                        *holders.entry(holder).or_default() += 1;
                    }
                }
            }
        }
        points.push(holders.iter().filter(|(_, n)| **n > 0).map(|(id, _)| *id).collect());
    }
    points
}

fn program(events: Vec<Event>, sizes: &BTreeMap<i64, u64>, below: u64) -> HloProto {
    let logical = |id: &i64, size: &u64| buffer(*id, -1, size.cast_signed());
    let ids: Vec<i64> = sizes.keys().copied().collect();
    let assignment = BufferAssignmentProto {
        logical_buffers: sizes.iter().map(|(id, size)| logical(id, size)).collect(),
        buffer_allocations: vec![
            BufferAllocationProto {
                index: 0,
                size: 1 << 40,
                assigned: assigned(&ids),
                ..BufferAllocationProto::default()
            },
            BufferAllocationProto {
                index: 1,
                size: below.cast_signed(),
                is_constant: true,
                ..BufferAllocationProto::default()
            },
        ],
        heap_simulator_traces: vec![HeapSimulatorTrace { events, ..HeapSimulatorTrace::default() }],
        ..BufferAssignmentProto::default()
    };
    HloProto { buffer_assignment: Some(assignment), ..tiny() }
}

/// Generates events of ten buffers, two of which do not exist.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let kind = prop_oneof![Just(Kind::Alloc), Just(Kind::Free), Just(Kind::ShareWith)];
    proptest::collection::vec(
        (kind, 0_i64..10, 0_i64..10).prop_map(|(kind, id, with)| event(kind, id, with, "act")),
        0..60,
    )
}

fn sizes() -> impl Strategy<Value = BTreeMap<i64, u64>> {
    proptest::collection::vec(0_u64..1000, 8).prop_map(|sizes| (0_i64..).zip(sizes).collect())
}

/// Returns the same program in another memory than HBM, with each buffer at its offset in one allocation of `size`
/// bytes.
fn elsewhere(events: Vec<Event>, sizes: &BTreeMap<i64, u64>, offsets: &[i64], size: i64) -> HloProto {
    let mut proto = program(events, sizes, 50);
    let assignment = proto.buffer_assignment.as_mut().unwrap();
    assignment.logical_buffers.iter_mut().for_each(|buffer| buffer.color = 1);
    assignment.buffer_allocations.iter_mut().for_each(|allocation| allocation.color = 1);
    assignment.buffer_allocations[0].size = size;
    for (assigned, offset) in assignment.buffer_allocations[0].assigned.iter_mut().zip(offsets) {
        assigned.offset = *offset;
    }
    proto
}

/// Buffers of VMEM share addresses. Each address counts once per point, however many buffers take it.
#[test]
fn an_address_counts_once_by_hand() {
    let sizes: BTreeMap<i64, u64> = [(0, 100), (1, 60), (2, 40)].into();
    let events = vec![
        event(Kind::Alloc, 0, 0, "act"),
        event(Kind::Alloc, 1, 0, "logits"),
        event(Kind::Free, 0, 0, "logits"),
        event(Kind::Alloc, 2, 0, "softmax"),
    ];
    let proto = elsewhere(events, &sizes, &[0, 20, 80], 120);
    let (module, memory) = held(&proto);
    // Buffer 1 lies inside buffer 0, and buffer 2 follows buffer 1.
    assert_eq!(memory.timeline(1).unwrap(), [0, 100, 100, 60, 100].map(|heap| heap + 50));
    let query = MemoryQuery { color: 1, ..MemoryQuery::default() };
    let alive = memory.alive_at(&module, &query, 2).unwrap();
    let sizes: Vec<(u32, u64)> = alive.buffers.iter().map(|buffer| (buffer.id.0, buffer.size)).collect();
    assert_eq!((alive.size, sizes), (150, vec![(1, 60), (4, 50), (0, 40)]), "each address with who took it last");
    let result = memory.summarize(&module, ProgramPeaks::default(), &query);
    assert!(result.notes.iter().any(|note| note.code == "addresses_shared"), "{:?}", result.notes);
    let without = memory.peak_without(&module, &query, &[BufferId(0)], ALL_POINTS).unwrap();
    assert_eq!((without.before, without.peak, without.position), (150, 150, Some(3)));
}

proptest! {
    /// The curve counts each address once per point, so a memory is never fuller than its allocation.
    #[test]
    fn an_address_counts_once(
        events in events(),
        sizes in sizes(),
        offsets in proptest::collection::vec(0_i64..1000, 8),
        size in 0_i64..2000,
    ) {
        let events: Vec<Event> = std::iter::once(event(Kind::Alloc, 0, 0, "act")).chain(events).collect();
        let (module, memory) = held(&elsewhere(events.clone(), &sizes, &offsets, size));
        let taken = |held: &Vec<i64>| -> u64 {
            let is_taken = |byte: &i64| held.iter().any(|id| {
                let offset = offsets[*id as usize];
                (offset..offset + sizes[id].cast_signed()).contains(byte)
            });
            (0..size).filter(is_taken).count() as u64
        };
        let known: Vec<u64> = held_at_each_point(&events, &sizes).iter().map(|held| taken(held) + 50).collect();
        prop_assert_eq!(memory.timeline(1).unwrap(), &known);
        prop_assert!(known.iter().all(|bytes| *bytes <= size.cast_unsigned() + 50));
        let query = MemoryQuery { color: 1, ..MemoryQuery::default() };
        let space = memory.summarize(&module, ProgramPeaks::default(), &query).space.unwrap();
        prop_assert_eq!(Some(space.peak.peak), known.iter().copied().max());
        prop_assert!(space.peak.peak <= space.peak.total_allocation);
        for rollup in &space.rollups {
            prop_assert_eq!(rollup.rows.iter().map(|row| row.size).sum::<u64>(), space.peak.peak, "{:?}", rollup.by);
        }
        for (point, bytes) in known.iter().enumerate() {
            let alive = memory.alive_at(&module, &query, point as u32).unwrap();
            prop_assert_eq!((alive.size, alive.buffers.iter().map(|b| b.size).sum::<u64>()), (*bytes, *bytes));
        }
        for jump in &space.jumps {
            prop_assert_eq!(jump.after, known[jump.position as usize + 1]);
            prop_assert!(jump.size <= jump.after);
        }
    }

    #[test]
    fn the_curve_matches_the_interpreter(events in events(), sizes in sizes(), below in 0_u64..500) {
        // The first event determines the memory of the trace. In a real trace, this event allocates an existing buffer.
        let events: Vec<Event> = std::iter::once(event(Kind::Alloc, 0, 0, "act")).chain(events).collect();
        let (module, memory) = held(&program(events.clone(), &sizes, below));
        let known: Vec<u64> = interpret(&events, &sizes).into_iter().map(|heap| heap + below).collect();
        prop_assert_eq!(memory.timeline(0).unwrap(), &known);
        let query = MemoryQuery { columns: 7, ..MemoryQuery::default() };
        let space = memory.summarize(&module, ProgramPeaks::default(), &query).space.unwrap();
        let peak = known.iter().copied().max().unwrap();
        prop_assert_eq!(space.peak.peak, peak);
        let first = known.iter().position(|bytes| *bytes == peak).unwrap();
        prop_assert_eq!(space.peak.position, first.checked_sub(1).map(|index| index as u32));
        for rollup in &space.rollups {
            prop_assert_eq!(rollup.rows.iter().map(|row| row.size).sum::<u64>(), peak, "{:?}", rollup.by);
        }
        for (point, bytes) in known.iter().enumerate() {
            let alive = memory.alive_at(&module, &query, point as u32).unwrap();
            prop_assert_eq!(alive.size, *bytes);
            prop_assert_eq!(alive.buffers.iter().map(|b| b.size).sum::<u64>(), *bytes);
        }
        // A column holds the minimum and the maximum of its points, and no point is left out.
        let curve = &space.curve;
        let ends: Vec<u32> = curve.columns.iter().skip(1).map(|c| c.first).chain([curve.to]).collect();
        prop_assert!(curve.columns.len() <= 7 && curve.to as usize == known.len());
        for (column, end) in curve.columns.iter().zip(ends) {
            let points = &known[column.first as usize..end as usize];
            prop_assert_eq!((Some(&column.least), Some(&column.most)), (points.iter().min(), points.iter().max()));
            prop_assert_eq!(known[column.most_at as usize], column.most);
        }
        let window = Points { from: 0, to: u32::MAX };
        for lane in memory.lanes(&module, &query, window).unwrap().lanes {
            prop_assert!(lane.windows(2).all(|two| two[0].last <= two[1].first));
        }
    }

    #[test]
    fn without_a_buffer_the_peak_is_no_higher(events in events(), sizes in sizes(), gone in proptest::collection::vec(0_u32..10, 0..5)) {
        let events: Vec<Event> = std::iter::once(event(Kind::Alloc, 0, 0, "act")).chain(events).collect();
        let (module, memory) = held(&program(events.clone(), &sizes, 77));
        let ids: Vec<BufferId> = gone.iter().map(|id| BufferId(*id)).collect();
        let what = memory.peak_without(&module, &MemoryQuery::default(), &ids, ALL_POINTS).unwrap();
        prop_assert!(what.peak <= what.before && what.before <= what.peak + what.without);
        // Buffers 0 to 7 come first, in this order. Then come allocations: 8 is the one that holds the buffers, and 9
        // is the constant.
        let left = sizes.iter().map(|(id, size)| (*id, if gone.contains(&(*id as u32)) { 0 } else { *size })).collect();
        let below = if gone.contains(&9) { 0 } else { 77 };
        let known = interpret(&events, &left).into_iter().max().unwrap() + below;
        prop_assert_eq!(what.peak, known);
        prop_assert_eq!(what.curve.iter().map(|column| column.most).max(), Some(known));
        let few = MemoryQuery { columns: 3, ..MemoryQuery::default() };
        let few = memory.peak_without(&module, &few, &ids, ALL_POINTS).unwrap();
        prop_assert!(few.curve.len() <= 3);
        prop_assert_eq!(few.curve.iter().map(|column| column.most).max(), Some(known));
    }
}

/// A file can have very many memories. Only some are listed, because each has curves of its own.
#[test]
fn only_some_of_very_many_memories_are_listed() {
    let mut proto = tiny();
    let assignment = proto.buffer_assignment.as_mut().unwrap();
    let allocation =
        |color| BufferAllocationProto { color, size: 1, is_constant: true, ..BufferAllocationProto::default() };
    assignment.buffer_allocations.extend((1..1000).map(allocation));
    let (module, memory) = held(&proto);
    assert_eq!(memory.peaks().len(), 64);
    let result = memory.summarize(&module, ProgramPeaks::default(), &MemoryQuery::default());
    let note = result.notes.iter().find(|note| note.code == "memories_left_out").unwrap();
    assert!(note.message.starts_with("936 "), "{note:?}");
}

/// Answers are equal after they are encoded and decoded, as between worker and page.
#[test]
fn reports_round_trip() {
    let (module, memory) = held(&tiny());
    let result = memory.summarize(&module, ProgramPeaks::default(), &MemoryQuery::default());
    let bytes = postcard::to_allocvec(&result).unwrap();
    assert_eq!(postcard::from_bytes::<StaticMemory>(&bytes).unwrap(), result);
    let largest = result.space.unwrap().alive.buffers[0].id;
    let what = memory.peak_without(&module, &MemoryQuery::default(), &[largest], ALL_POINTS).unwrap();
    // Without the logits, `softmax` takes the freed memory again, which is no more than before.
    assert_eq!((what.before, what.peak, what.position, what.without), (57_344, 24_576, Some(0), 32_768));
    assert_eq!(postcard::from_bytes::<WhatIf>(&postcard::to_allocvec(&what).unwrap()).unwrap(), what);
}

/// Sends every query to the memory of a program, if `bytes` are an HLO proto.
fn ask_all(bytes: &[u8]) {
    let Ok(proto) = decode(bytes) else { return };
    let Some(assignment) = &proto.buffer_assignment else { return };
    let module = Module::from_proto(&proto);
    let memory = ProgramMemory::new(assignment, &module);
    for peak in memory.peaks() {
        let query = MemoryQuery { color: peak.color, ..MemoryQuery::default() };
        let space = memory.summarize(&module, ProgramPeaks::default(), &query).space.unwrap();
        assert_eq!(space.alive.buffers.iter().fold(space.alive.rest, |sum, b| sum.saturating_add(b.size)), peak.peak);
        assert!(
            space
                .rollups
                .iter()
                .all(|rollup| rollup.by == RollUpBy::Scope || !rollup.rows.is_empty() || peak.peak == 0)
        );
        let ids: Vec<BufferId> = space.alive.buffers.iter().map(|b| b.id).collect();
        assert!(memory.peak_without(&module, &query, &ids, ALL_POINTS).unwrap().peak <= peak.peak);
        memory.alive_at(&module, &query, u32::MAX);
        memory.curve(&module, &query, Points { from: 3, to: 1 });
    }
}

#[test]
fn every_prefix_ends_in_a_note_or_an_error() {
    let whole = tiny().encode_to_vec();
    for len in 0..=whole.len() {
        ask_all(&whole[..len]);
        let Ok(mut opened) = common::open("jit_f.hlo_proto.pb", whole[..len].to_vec()) else { continue };
        let analysis = Analysis::new(&opened.profile);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let query = MemoryQuery::default();
        let result = session::whole_memory(&analysis, &opened.profile, &mut programs, &query, None, &|_| true, None);
        assert_eq!(result.programs.len(), 1);
        assert!(!result.programs[0].peaks.spaces.is_empty() || !result.notes.is_empty());
        assert_eq!(
            len == whole.len(),
            result.programs[0].peaks.spaces.first().is_some_and(|s| s.peak == 57_344),
            "{len}"
        );
    }
}

#[test]
fn bits_that_flip() {
    let whole = tiny().encode_to_vec();
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << bit;
            ask_all(&bytes);
        }
    }
}
