//! These tests check how the ops of two captures are matched: on copies of a capture with other names and ids, on random
//! parts of real captures, and on captures of one model in several forms.

use crate::common::{self, bytes, make, open};
use proptest::prelude::*;
use prost::Message;
use rooflight::analysis::base::{Analysis, intervals, self_time};
use rooflight::analysis::compare::matching::{OpMatch, Side, SideOp, Tier, match_ops};
use rooflight::session::{Opened, Programs};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::rc::Rc;
use xla_profile::hlo::Module;
use xla_profile::profile::{OpId, ProgramId};
use xla_profile::wire::hlo::decode;
use xla_profile::wire::proto::hlo::HloProto;
use xla_profile::wire::proto::xspace::{XSpace, XStat, x_stat};

/// A capture with its programs.
pub struct Capture {
    pub opened: Opened,
    analysis: Analysis,
    pub modules: BTreeMap<ProgramId, Rc<Module>>,
}

impl Capture {
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        let mut opened = open(name, bytes).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let ids = opened.profile.programs.keys();
        let modules = ids.filter_map(|id| Some((*id, programs.of_id(&opened.profile, *id)?))).collect();
        Self { opened, analysis, modules }
    }

    pub fn sample(name: &str) -> Self {
        Self::new(&format!("{name}.xplane.pb.xz"), packed(name))
    }

    /// Returns a capture without its programs.
    fn without_hlo(mut self) -> Self {
        self.modules.clear();
        self
    }

    fn module(&self, id: ProgramId) -> Option<&Module> {
        self.modules.get(&id).map(|module| &**module)
    }

    /// Returns the ops of a device with their self times, in the order in which they first run.
    pub fn ops(&self, device: usize) -> Vec<SideOp> {
        let device = &self.analysis.devices[device];
        let plane = &self.opened.profile.planes[device.plane];
        let mut ops: BTreeMap<OpId, SideOp> = BTreeMap::new();
        for line in device.ops.iter().map(|line| &plane.lines[*line]) {
            let events = intervals(line, device.op_clock).unwrap();
            let mut times = vec![0; events.len()];
            self_time(&events, |event, from, to| times[event] += to - from);
            for ((op, (start, _)), time) in line.events.ops().zip(&events).zip(times) {
                let side_op = ops.entry(op).or_insert(SideOp { op, time: 0, n: 0, first_start: *start });
                (side_op.time, side_op.n, side_op.first_start) =
                    (side_op.time + time, side_op.n + 1, side_op.first_start.min(*start));
            }
        }
        let mut ops: Vec<SideOp> = ops.into_values().collect();
        ops.sort_by_key(|op| (op.first_start, op.op));
        ops
    }

    pub fn name(&self, op: &SideOp) -> &str {
        let plane = &self.opened.profile.planes[self.analysis.devices[0].plane];
        self.opened.profile.text(plane.op(op.op).name)
    }
}

/// Matches ops of the first devices of two captures.
pub fn match_parts(a: (&Capture, &[SideOp]), b: (&Capture, &[SideOp])) -> Vec<OpMatch> {
    let (of_a, of_b) = (|id| a.0.module(id), |id| b.0.module(id));
    let side_a = Side { programs: Some(&of_a), ..side(a.0, a.1) };
    let side_b = Side { programs: Some(&of_b), ..side(b.0, b.1) };
    match_ops(&side_a, &side_b)
}

fn side<'a>(capture: &'a Capture, ops: &[SideOp]) -> Side<'a> {
    Side { profile: &capture.opened.profile, analysis: &capture.analysis, device: 0, programs: None, ops: ops.to_vec() }
}

fn packed(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/samples/{name}.xplane.pb.xz", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Checks that every op is in exactly one match.
pub fn check_once(matches: &[OpMatch], n_a: usize, n_b: usize) {
    for (n, ops_of) in [(n_a, (|m| &m.a) as fn(&OpMatch) -> &Vec<usize>), (n_b, |m| &m.b)] {
        let mut all: Vec<usize> = matches.iter().flat_map(ops_of).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..n).collect::<Vec<usize>>());
    }
    for op_match in matches {
        assert_eq!(op_match.tier.is_none(), op_match.a.is_empty() || op_match.b.is_empty(), "{op_match:?}");
        assert!(
            matches!(op_match.tier, Some(Tier::ScopeGroup | Tier::LayerGroup))
                || op_match.a.len().max(op_match.b.len()) == 1,
            "{op_match:?}"
        );
    }
}

/// Returns the share of time of both sides by tier, as a fraction; `None` is the time without a partner.
pub fn shares(matches: &[OpMatch], a: &[SideOp], b: &[SideOp]) -> BTreeMap<Option<Tier>, f64> {
    let mut shares: BTreeMap<Option<Tier>, f64> = BTreeMap::new();
    let all: u64 = a.iter().chain(b).map(|op| op.time).sum();
    for op_match in matches {
        let times = op_match.a.iter().map(|op| a[*op].time).chain(op_match.b.iter().map(|op| b[*op].time));
        *shares.entry(op_match.tier).or_default() += times.sum::<u64>() as f64 / all as f64;
    }
    shares
}

pub fn text(shares: &BTreeMap<Option<Tier>, f64>) -> String {
    let tier = |tier: &Option<Tier>| tier.map_or("unmatched", Tier::key);
    shares
        .iter()
        .map(|(shared, share)| format!("{} {:.2} %", tier(shared), share * 100.0))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns all captures of the tests, with their names.
fn captures() -> Vec<(String, Capture)> {
    common::xspaces().into_iter().map(|(name, bytes)| (name.to_owned(), Capture::new(name, bytes))).collect()
}

#[test]
fn a_capture_matches_itself_exactly() {
    for (name, mut capture) in captures() {
        for has_hlo in [true, false] {
            if !has_hlo {
                capture = capture.without_hlo();
            }
            let ops = capture.ops(0);
            let matches = match_parts((&capture, &ops), (&capture, &ops));
            check_once(&matches, ops.len(), ops.len());
            for op_match in &matches {
                assert_eq!(op_match.a, op_match.b, "{name}");
                assert_eq!(
                    (op_match.tier, op_match.is_ambiguous),
                    (Some(Tier::Exact), false),
                    "{name} {}",
                    capture.name(&ops[op_match.a[0]])
                );
            }
        }
    }
}

/// Returns a number that differs for each number below 100,003, in another order.
fn renumber(number: u64) -> u64 {
    (number * 7919 + 13) % 100_003
}

/// Returns a text with other numbers in names such as `fusion.12`, and other ids of programs.
fn renamed(text: &str, programs: &BTreeMap<String, String>) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        out.push_str(&programs.get(word).cloned().unwrap_or_else(|| renamed_word(word)));
        let next = after.find(is_part).unwrap_or(after.len());
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    out
}

fn renamed_word(word: &str) -> String {
    let mut parts: Vec<String> = word.split('.').map(str::to_owned).collect();
    if parts[0].starts_with(|c: char| c.is_ascii_alphabetic()) {
        for part in &mut parts[1..] {
            if let Ok(number) = part.parse::<u64>() {
                *part = renumber(number).to_string();
            }
        }
    }
    parts.join(".")
}

/// Returns a capture as another compilation of the same program has it: other numbers in the names of instructions, and
/// other ids of instructions, computations, channels and programs.
fn renumbered(bytes: &[u8]) -> Vec<u8> {
    let mut space = XSpace::decode(bytes).unwrap();
    let mut programs = BTreeMap::new();
    for name in space.planes.iter().flat_map(|plane| plane.event_metadata.values()).map(|metadata| &metadata.name) {
        if let Some((_, id)) = xla_profile::profile::program_of(name) {
            programs.insert(id.0.to_string(), (id.0 ^ 5).to_string());
            programs.insert(id.0.cast_signed().to_string(), (id.0 ^ 5).to_string());
        }
    }
    let stat = |stat: &mut XStat, program: Option<i64>| match &mut stat.value {
        Some(x_stat::Value::StrValue(text)) => *text = renamed(text, &programs),
        Some(x_stat::Value::Uint64Value(id)) if Some(stat.metadata_id) == program => *id ^= 5,
        Some(x_stat::Value::Int64Value(id)) if Some(stat.metadata_id) == program => *id ^= 5,
        Some(x_stat::Value::BytesValue(bytes)) => {
            if let Ok(mut proto) = decode(bytes) {
                renumber_program(&mut proto);
                *bytes = proto.encode_to_vec();
            }
        }
        _ => {}
    };
    for plane in &mut space.planes {
        let program =
            plane.stat_metadata.iter().find(|(_, stat_metadata)| stat_metadata.name == "program_id").map(|(id, _)| *id);
        for metadata in plane.event_metadata.values_mut() {
            metadata.name = renamed(&metadata.name, &programs);
            metadata.display_name = renamed(&metadata.display_name, &programs);
            metadata.stats.iter_mut().for_each(|own| stat(own, program));
        }
        for metadata in plane.stat_metadata.values_mut() {
            metadata.name = renamed(&metadata.name, &programs);
        }
        for event in plane.lines.iter_mut().flat_map(|line| &mut line.events) {
            event.stats.iter_mut().for_each(|own| stat(own, program));
        }
    }
    space.encode_to_vec()
}

fn renumber_program(proto: &mut HloProto) {
    proto.buffer_assignment = None;
    let Some(module) = &mut proto.hlo_module else { return };
    let id = |id: &mut i64| *id = *id * 3 + 1000;
    let none = BTreeMap::new();
    id(&mut module.entry_computation_id);
    module.entry_computation_name = renamed(&module.entry_computation_name, &none);
    if let Some(schedule) = &mut module.schedule {
        let sequences = std::mem::take(&mut schedule.sequences);
        for (mut computation, mut sequence) in sequences {
            id(&mut computation);
            sequence.instruction_ids.iter_mut().for_each(id);
            schedule.sequences.insert(computation, sequence);
        }
    }
    for computation in &mut module.computations {
        computation.name = renamed(&computation.name, &none);
        id(&mut computation.id);
        id(&mut computation.root_id);
        for instruction in &mut computation.instructions {
            instruction.name = renamed(&instruction.name, &none);
            id(&mut instruction.id);
            instruction.operand_ids.iter_mut().for_each(id);
            instruction.control_predecessor_ids.iter_mut().for_each(id);
            instruction.called_computation_ids.iter_mut().for_each(id);
            if instruction.channel_id > 0 {
                instruction.channel_id += 40;
            }
        }
    }
}

#[test]
fn a_renumbered_capture_has_the_same_ops() {
    let mut bytes = Vec::new();
    lzma_rust2::XzReader::new(&packed("sample")[..], true).read_to_end(&mut bytes).unwrap();
    let other = renumbered(&bytes);
    for (has_hlo, is_whole) in [(true, true), (false, true), (true, false), (false, false)] {
        let [a, b] = [&bytes, &other].map(|bytes| {
            let capture = Capture::new("sample.xplane.pb", bytes.clone());
            if has_hlo { capture } else { capture.without_hlo() }
        });
        let (ops_a, mut ops_b) = (a.ops(0), b.ops(0));
        if !is_whole {
            // Without HLO, the programs are not the same if an op does not run.
            ops_b.remove(ops_b.len() / 3);
        }
        let matches = match_parts((&a, &ops_a), (&b, &ops_b));
        check_once(&matches, ops_a.len(), ops_b.len());
        let shares = shares(&matches, &ops_a, &ops_b);
        println!("renumbered, HLO {has_hlo}, all ops {is_whole}: {}", text(&shares));
        let is_first = |tier: &Option<Tier>| matches!(tier, Some(Tier::Exact | Tier::ScopeAndShape));
        let (mut right, mut wrong) = (0, 0);
        for op_match in matches.iter().filter(|op_match| op_match.tier.is_some()) {
            let (op_a, op_b) = (&ops_a[op_match.a[0]], &ops_b[op_match.b[0]]);
            let is_right = op_match.a.len() == 1 && renamed_word(a.name(op_a)) == b.name(op_b);
            *(if is_right { &mut right } else { &mut wrong }) += op_a.time;
        }
        println!("right {right}, wrong {wrong}");
        if is_whole {
            assert_eq!(wrong, 0);
            assert!(shares.iter().filter(|(tier, _)| is_first(tier)).map(|(_, share)| share).sum::<f64>() > 0.995);
        }
        assert!(wrong * 100 < right, "{right} {wrong}");
        assert!(
            b.name(&ops_b[0]) == renamed_word(a.name(&ops_a[0]))
                && ops_a.iter().any(|op| a.name(op) != renamed_word(a.name(op)))
        );
    }
}

#[test]
fn captures_of_one_model_on_a_gpu() {
    let xla = Capture::sample("gpu/xla.graphs");
    let ops = xla.ops(0);
    for (name, least) in [("again", 0.95), ("batch2", 0.95), ("unrolled", 0.85), ("f32", 0.9), ("cudnn", 0.6)] {
        let other = Capture::sample(&format!("gpu/{name}.graphs"));
        let others = other.ops(0);
        let matches = match_parts((&xla, &ops), (&other, &others));
        check_once(&matches, ops.len(), others.len());
        let shares = shares(&matches, &ops, &others);
        println!("xla against {name}: {}", text(&shares));
        let matched: f64 = shares.iter().filter(|(tier, _)| tier.is_some()).map(|(_, share)| share).sum();
        assert!(matched >= least, "{name}: {}", text(&shares));
    }
}

/// Returns the matches in an order that does not depend on which side is the first.
fn in_order(mut matches: Vec<OpMatch>) -> Vec<OpMatch> {
    matches.sort_by(|x, y| (&x.a, &x.b).cmp(&(&y.a, &y.b)));
    matches
}

#[test]
fn random_parts_of_captures() {
    let captures = captures();
    let all: Vec<(&Capture, Vec<SideOp>)> = captures.iter().map(|(_, capture)| (capture, capture.ops(0))).collect();
    let ops = |most: u32| prop::collection::vec(0..most, 64);
    let strategy = (0..all.len(), 0..all.len(), any::<bool>(), ops(8), ops(12), 0..3_u32);
    let config = ProptestConfig { cases: 40, ..ProptestConfig::default() };
    proptest!(config, |((first, second, is_same, drop_a, drop_b, swaps) in strategy)| {
        let second = if is_same { first } else { second };
        // An op is dropped where the number at its place is 0.
        let part = |(_, ops): &(&Capture, Vec<SideOp>), drop: &[u32]| -> Vec<SideOp> {
            let kept = ops.iter().enumerate().filter(|(index, _)| drop[(index * 31 + index / 64) % drop.len()] > 0);
            let mut kept: Vec<SideOp> = kept.map(|(_, op)| *op).collect();
            for index in 0..swaps as usize {
                let n = kept.len();
                if n > 8 {
                    kept.swap(n / 2, n / 2 + index);
                }
            }
            kept
        };
        let (a, b) = (part(&all[first], &drop_a), part(&all[second], &drop_b));
        let (of_a, of_b) = ((all[first].0, &a[..]), (all[second].0, &b[..]));
        let matches = match_parts(of_a, of_b);
        check_once(&matches, a.len(), b.len());
        prop_assert_eq!(&matches, &match_parts(of_a, of_b));
        let swapped = match_parts(of_b, of_a).into_iter().map(|m| OpMatch { a: m.b, b: m.a, ..m }).collect();
        prop_assert_eq!(in_order(matches), in_order(swapped));
    });
}

/// Returns a capture of `n` ops in layers of 100, each with its own instruction, without HLO. The names of the
/// instructions begin at `number`, and every `skipped`-th op is absent.
fn synthetic(n: usize, number: usize, skipped: usize) -> Capture {
    let mut plane = make::Plane::new("/device:TPU:0");
    let mut events = Vec::new();
    for i in (0..n).filter(|i| (i + 1) % skipped != 0) {
        let (name, before) = (number + i * 3, number + (i.max(1) - 1) * 3);
        let (layer, part) = (i / 100, i % 100);
        let shape = format!("bf16[8,{},128]{{2,1,0:T(8,128)(2,1)}}", part % 7 + 1);
        let hlo = format!(
            "%fusion.{name} = {shape} fusion({shape} %fusion.{before}, {shape} %param.{part}, f32[128]{{0:T(128)}} %param.7), \
             kind=kLoop, calls=%fused_computation.{name}, backend_config={{\"window_config\":{{\"kernel_window_bounds\":[],\
             \"output_window_bounds\":[\"{part}\",\"8\"]}},\"used_scoped_memory_configs\":[]}}"
        );
        // Every other op has the same scope in all layers, as if the loop over layers was unrolled.
        let layer = if part % 2 == 0 { layer } else { 0 };
        let path = format!("jit(step)/layers_{layer}/part_{}/dot_general:", part / 4);
        let name = format!("fusion.{name}");
        let id = plane.op(&hlo, &name, &[("tf_op", make::text(&path)), ("program_id", make::int(number as i64 + 1))]);
        events.push((id, i as i64 * 100, 90));
    }
    plane.line("XLA Ops", &events);
    let space = XSpace { planes: vec![plane.done()], ..XSpace::default() };
    Capture::new("synthetic.xplane.pb", bytes(&space))
}

#[test]
fn ops_that_are_absent_do_not_shift_the_others() {
    let (a, b) = (synthetic(2000, 0, usize::MAX), synthetic(2000, 5, 97));
    let (ops_a, ops_b) = (a.ops(0), b.ops(0));
    let matches = match_parts((&a, &ops_a), (&b, &ops_b));
    check_once(&matches, ops_a.len(), ops_b.len());
    let number = |name: &str| name.strip_prefix("fusion.").unwrap().parse::<usize>().unwrap();
    for op_match in &matches {
        let (in_a, in_b) = (
            op_match.a.first().map(|op| number(a.name(&ops_a[*op]))),
            op_match.b.first().map(|op| number(b.name(&ops_b[*op]))),
        );
        match (in_a, in_b) {
            (Some(in_a), Some(in_b)) => assert_eq!((in_a + 5, op_match.tier), (in_b, Some(Tier::ScopeAndShape))),
            (in_a, in_b) => assert_eq!((in_a.map(|name| (name / 3 + 1) % 97), in_b), (Some(0), None)),
        }
    }
}

/// Run with `cargo test --release --test native -- --ignored --nocapture on_request_matching`.
#[test]
#[ignore = "it measures time, which only an optimized build keeps"]
fn on_request_matching_40_000_ops_takes_less_than_half_a_second() {
    let a = synthetic(40_000, 0, usize::MAX);
    let mut times = Vec::new();
    for (number, skipped) in [(5, usize::MAX), (5, 1000)] {
        let b = synthetic(40_000, number, skipped);
        let (ops_a, ops_b) = (a.ops(0), b.ops(0));
        let start = std::time::Instant::now();
        let matches = match_parts((&a, &ops_a), (&b, &ops_b));
        let took = start.elapsed();
        check_once(&matches, ops_a.len(), ops_b.len());
        println!("{} and {} ops: {took:?}, {}", ops_a.len(), ops_b.len(), text(&shares(&matches, &ops_a, &ops_b)));
        times.push(took);
    }
    assert!(times.iter().all(|took| took.as_secs_f64() < 0.5), "{times:?}");
}

/// Returns a capture of `n` additions without scopes, with its program. Each takes an element of a tuple with `n_elements`
/// elements, as the ops of a loop do. Every `skipped`-th op is absent.
fn with_program(n: usize, n_elements: usize, rows: usize, skipped: usize) -> Capture {
    let shape = format!("f32[{rows},128]{{1,0}}");
    let tuple = vec![&*shape; n_elements].join(", ");
    let mut program =
        format!("HloModule jit_step, is_scheduled=true\n\nENTRY %main {{\n  %p = ({tuple}) parameter(0)\n");
    for i in 0..n_elements {
        writeln!(program, "  %gte.{i} = {shape} get-tuple-element(%p), index={i}").unwrap();
    }
    let mut plane = make::Plane::new("/device:TPU:0");
    let mut events = Vec::new();
    let mut before = "gte.0".to_owned();
    for i in (0..n).filter(|i| (i + 1) % skipped != 0) {
        let name = format!("add.{i}");
        let hlo = format!("%{name} = {shape} add(%{before}, %gte.{})", i % n_elements);
        writeln!(program, "  {hlo}").unwrap();
        let id = plane.op(&hlo, &name, &[("program_id", make::int(1))]);
        events.push((id, i as i64 * 100, 90));
        before = name;
    }
    program.push_str("}\n");
    plane.line("XLA Ops", &events);
    let mut capture =
        Capture::new("program.xplane.pb", bytes(&XSpace { planes: vec![plane.done()], ..XSpace::default() }));
    let (module, _) = xla_profile::hlo::text::module(&program).unwrap();
    assert_eq!(module.instructions().len(), 1 + n_elements + events.len());
    capture.modules.insert(ProgramId(1), Rc::new(module));
    capture
}

/// Run with `cargo test --release --test native -- --ignored --nocapture on_request_matching`.
#[test]
#[ignore = "it measures time, which only an optimized build keeps"]
fn on_request_matching_40_000_ops_with_programs_takes_less_than_half_a_second() {
    let a = with_program(40_000, 4000, 8, usize::MAX);
    let mut times = Vec::new();
    // The same program, one without some ops, and one whose ops all have another shape, so that no tier before the last
    // ones matches any.
    for (rows, skipped) in [(8, usize::MAX), (8, 1000), (16, 1000)] {
        let b = with_program(40_000, 4000, rows, skipped);
        let (ops_a, ops_b) = (a.ops(0), b.ops(0));
        let start = std::time::Instant::now();
        let matches = match_parts((&a, &ops_a), (&b, &ops_b));
        let took = start.elapsed();
        check_once(&matches, ops_a.len(), ops_b.len());
        println!("{} and {} ops: {took:?}, {}", ops_a.len(), ops_b.len(), text(&shares(&matches, &ops_a, &ops_b)));
        times.push(took);
    }
    assert!(times.iter().all(|took| took.as_secs_f64() < 0.5), "{times:?}");
}
