//! These tests request single ops as the page does, and compare the answers with the rows of the breakdown and with the
//! program in the capture. The tests also cover captures without a program.

use crate::common::{self, bytes, hlo, make, profile, roofline_query};
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice};
use rooflight::analysis::breakdown::Group;
use rooflight::analysis::op::{Change, OpBasis, OpDetail, OpRole};
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::protocol::{OpRef, Reply, ViewRequest};
use rooflight::session::{Input, OpenSession};
use std::io::Write;
use xla_profile::hlo::{Module, text};
use xla_profile::profile::{Plane, Profile};
use xla_profile::wire::proto::xspace::{XSpace, x_stat};

const V6E: &str = "tpu-v6e-host-offload/host.xplane.pb";

fn open(name: &str, bytes: Vec<u8>) -> OpenSession {
    let input = Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap().0
}

fn op(engine: &mut OpenSession, query: &Query, program: Option<u64>, name: &str) -> OpDetail {
    engine
        .answer(&ViewRequest::Op { query: roofline_query(query.clone()), op: OpRef::new(name, program) }.into())
        .decode()
        .unwrap()
}

/// Returns the rows of the breakdown of a capture.
fn rows(name: &str, bytes: Vec<u8>, query: &Query) -> Vec<Group> {
    let opened = crate::common::open(name, bytes).unwrap();
    Analysis::new(&opened.profile).breakdown(&opened.profile, query).unwrap().groups
}

/// Checks for every op that its figures are those of its row, that the figures of its step are the same, and that its
/// bins sum to its executions. The answer about one op takes as long as a breakdown, so that each of the 15 choices of device
/// and step is tried with every fifth row. Every row is tried with three choices.
fn check_rows(name: &str, bytes: &[u8]) {
    let engine = &mut open(name, bytes.to_vec());
    let steps = [StepChoice::Mean, StepChoice::Busiest, StepChoice::All, StepChoice::Number(0), StepChoice::Number(77)];
    for (d, device) in [DeviceChoice::One(0), DeviceChoice::Mean, DeviceChoice::All].into_iter().enumerate() {
        for (s, step) in steps.into_iter().enumerate() {
            let query = Query { device, step, ..Query::busiest() };
            let is_mean = step == StepChoice::Mean || device == DeviceChoice::Mean;
            for row in rows(name, bytes.to_vec(), &query).iter().skip((d + s) % steps.len()).step_by(steps.len()) {
                let detail = op(engine, &query, row.program_id, &row.key);
                let figures = detail.figures.unwrap();
                let counted = |p| (row.n_executions > 0).then_some(p);
                assert_eq!((figures.n, figures.total, figures.inclusive), (row.n_executions, row.total, row.inclusive));
                assert_eq!((figures.min, figures.mean, figures.max), (counted(row.min), row.mean, counted(row.max)));
                assert_eq!((figures.of_step, figures.of_kind), (row.of_step, row.of_kind), "{}", row.key);
                assert_eq!((figures.flops, figures.bytes_accessed), (row.flops, row.bytes_accessed));
                assert_eq!((detail.kind, detail.phase), (Some(row.kind), row.phase.clone()));
                assert_eq!(detail.source.innermost, row.source_inner.clone().or(detail.source.innermost.clone()));
                assert_eq!(detail.program_id, row.program_id);
                match figures.histogram {
                    Some(h) => {
                        // The histogram has the executions of all windows of a mean.
                        let executions = h.bins.iter().sum::<u64>();
                        assert!(figures.n == executions || (is_mean && figures.n < executions));
                        assert_eq!((Some(h.from), Some(h.to)), (figures.min, figures.max));
                        assert!(h.bins.len() <= 24);
                    }
                    None => assert!(figures.n < 2 || is_mean),
                }
                if let Some(step) = figures.steps.iter().find(|s| s.number.to_string() == figures.step) {
                    // The mean of devices is rounded once here, and once for each device there.
                    let apart = step.total.saturating_sub(figures.total);
                    assert!(
                        step.n == figures.n && step.total >= figures.total && apart.0 <= if is_mean { 8 } else { 0 }
                    );
                }
                assert!(!detail.words.is_empty() && !detail.words.ends_with('.'));
            }
        }
    }
}

#[test]
fn every_op_of_every_capture_has_the_figures_of_its_row() {
    for space in [make::small(), make::kda()] {
        check_rows("it.xplane.pb", &bytes(&space));
    }
    for (name, bytes) in common::xspaces() {
        check_rows(name, &bytes);
    }
}

/// The opcode, the neighbours and the computation of each op are those of the proto.
#[test]
#[ignore = "needs captures of other projects"]
fn op_details_match_the_program() {
    let space = hlo::xspace(V6E).unwrap();
    let programs: Vec<(String, Module)> =
        hlo::programs(&space).iter().map(|(name, proto)| (name.clone(), Module::from_proto(proto))).collect();
    let mut engine = open(V6E, bytes(&space));
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    let rows = rows(V6E, bytes(&space), &query);
    assert!(rows.len() > 10);
    for row in &rows {
        let detail = op(&mut engine, &query, row.program_id, &row.key);
        assert_eq!(detail.basis, OpBasis::Proto, "{}", row.key);
        let id = row.program_id.unwrap();
        let (_, module) = programs.iter().find(|(name, _)| name.ends_with(&format!("({id})"))).unwrap();
        let id = module.instruction_named(&row.key).unwrap();
        let instruction = module.instruction(id).unwrap();
        assert_eq!(detail.opcode.as_deref(), Some(&*instruction.opcode));
        let names =
            |ids: Vec<_>| ids.into_iter().map(|i| module.instruction(i).unwrap().name.to_string()).collect::<Vec<_>>();
        let shown =
            |side: &[rooflight::analysis::op::Neighbour]| side.iter().map(|n| n.name.clone()).collect::<Vec<_>>();
        let mut operands = names(module.operands(id).collect());
        operands.dedup();
        assert_eq!(shown(&detail.operands), operands);
        assert_eq!(shown(&detail.users), names(module.users(id).to_vec()));
        for neighbour in detail.operands.iter().chain(&detail.users) {
            let of_it = rows.iter().find(|r| r.key == neighbour.name && r.program_id == row.program_id);
            assert_eq!(neighbour.is_op, of_it.is_some());
            assert_eq!(neighbour.total, of_it.map(|r| r.total));
            assert_eq!(neighbour.kind, of_it.map(|r| r.kind));
            // The neighbour can be requested in turn.
            op(&mut engine, &query, detail.program_id, &neighbour.name);
        }
        assert!(detail.text.as_deref().is_some_and(|t| t.contains(&*instruction.opcode)));
        assert_eq!(detail.fused.is_some(), &*instruction.opcode == "fusion");
        assert!(detail.computation.is_some_and(|p| p.is_entry));
        assert!(detail.notes.is_empty(), "{:?}", detail.notes);
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn ops_of_a_real_program() {
    let bytes = profile(V6E).unwrap();
    let mut engine = open(V6E, bytes);
    let query = Query::busiest();
    let reduce = op(&mut engine, &query, None, "all-reduce");
    assert_eq!(reduce.words, "all-reduce of f32[5,1024,1024,256] over 4 groups of 2");
    assert!(reduce.text.unwrap().contains("replica_groups=[4,2]<=[2,4]T(1,0)"));
    assert_eq!(reduce.values.len(), 2);
    for value in &reduce.values {
        let size = Some(5 * 1024 * 1024 * 256 * 4);
        assert_eq!((value.shape.as_str(), value.dtype.as_deref()), ("f32[5,1024,1024,256]", Some("f32")));
        assert_eq!((value.bytes, value.padded_bytes, value.overhead), (size, size, Some(0.0)));
        assert_eq!((value.memory.as_deref(), &value.padded_dims), (Some("HBM"), &None));
        assert_eq!(value.tiling.as_deref(), Some("tiles of 8×128"));
    }
    let done = op(&mut engine, &query, None, "%copy-done.4");
    assert_eq!(done.words, "wait for copy of f32[5,1024,1024,256], S(5) → HBM");
    assert_eq!(done.value_changes.len(), 1);
    assert_eq!((done.value_changes[0].change, done.value_changes[0].words.as_str()), (Change::Memory, "S(5) → HBM"));
    assert_eq!(done.operands[0].name, "copy-start.4");
    assert_eq!(done.values[0].role, OpRole::Result(vec![]));
    let fusion = op(&mut engine, &query, None, "broadcast_add_fusion");
    assert_eq!(fusion.words, "elementwise add → f32[5,1024,1024,256]");
    let fused = fusion.fused.unwrap();
    assert!(fused.lines.len() > 2 && fused.more == 0);
    let inner = fused.lines[1].trim_start_matches("ROOT ").trim_start_matches('%').split(' ').next().unwrap();
    let part = op(&mut engine, &query, fusion.program_id, inner);
    assert!(part.figures.is_none() && part.notes.iter().any(|n| n.code == "no_time"));
    let place = part.computation.unwrap();
    assert_eq!((place.caller_opcode.as_deref(), place.is_entry), (Some("fusion"), false));
    let failed = ViewRequest::Op { query: roofline_query(query), op: OpRef::new("no-such-op", None) }.into();
    assert!(matches!(engine.answer(&failed), Reply::Failed(f) if f.title == "There is no no-such-op"));
}

/// The program in a packed file gives the same details. The file is unpacked again up to the program.
#[test]
#[ignore = "needs captures of other projects"]
fn packed_files_give_the_same_details() {
    let bytes = profile(V6E).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&bytes).unwrap();
    let (mut plain, mut packed) = (open(V6E, bytes.clone()), open("it.xplane.pb.gz", gzip.finish().unwrap()));
    for row in rows(V6E, bytes, &Query::busiest()) {
        let detail_of = |engine: &mut OpenSession| op(engine, &Query::busiest(), row.program_id, &row.key);
        assert_eq!(detail_of(&mut packed), detail_of(&mut plain));
    }
}

/// Changes the bytes of all programs of a capture.
fn with_programs(mut space: XSpace, change: impl Fn(&mut Vec<u8>)) -> XSpace {
    for plane in space.planes.iter_mut().filter(|p| p.name == "/host:metadata") {
        for stat in plane.event_metadata.values_mut().flat_map(|m| &mut m.stats) {
            if let Some(x_stat::Value::BytesValue(bytes)) = &mut stat.value {
                change(bytes);
            }
        }
    }
    space
}

#[test]
#[ignore = "needs captures of other projects"]
fn without_the_program_the_event_text_is_used() {
    let space = hlo::xspace(V6E).unwrap();
    let mut whole = open(V6E, bytes(&space));
    let rows = rows(V6E, bytes(&space), &Query::busiest());
    let mut none = space.clone();
    none.planes.retain(|p| p.name != "/host:metadata");
    let broken = with_programs(space.clone(), |bytes| bytes.truncate(bytes.len() / 2));
    let empty = with_programs(space, Vec::clear);
    for (space, code) in [(none, "no_programs"), (broken, "hlo_unreadable"), (empty, "hlo_unreadable")] {
        let mut engine = open(V6E, bytes(&space));
        for row in &rows {
            let detail_of = |engine: &mut OpenSession| op(engine, &Query::busiest(), row.program_id, &row.key);
            let (detail, full) = (detail_of(&mut engine), detail_of(&mut whole));
            assert_eq!(detail.basis, OpBasis::EventText);
            assert!(detail.notes.iter().any(|n| n.code == code), "{:?}", detail.notes);
            assert_eq!((detail.opcode, detail.figures, detail.text), (full.opcode, full.figures, full.text));
            let shapes = |d: &[rooflight::analysis::op::OpValue]| {
                d.iter().map(|v| (v.role.clone(), v.shape.clone(), v.padded_bytes)).collect::<Vec<_>>()
            };
            assert_eq!(shapes(&detail.values), shapes(&full.values));
            let names = |d: &[rooflight::analysis::op::Neighbour], ops: bool| {
                let mut names: Vec<String> = d.iter().filter(|n| n.is_op || !ops).map(|n| n.name.clone()).collect();
                names.sort();
                names
            };
            assert_eq!(names(&detail.operands, false), names(&full.operands, false));
            assert_eq!(names(&detail.users, true), names(&full.users, true));
            assert!(detail.fused.is_none() && detail.computation.is_none());
        }
    }
}

/// All instructions of a GPU's programs can be requested, and those that ran as kernels have figures.
#[test]
#[ignore = "needs captures of other projects"]
fn a_gpu_capture_has_programs() {
    let name = "gpu-mi300/gemm.xplane.pb";
    let space = hlo::xspace(name).unwrap();
    let mut engine = open(name, bytes(&space));
    let programs = hlo::programs(&space);
    assert!(!programs.is_empty());
    let (mut n, mut ran) = (0, 0);
    for (name, proto) in &programs {
        let id = name.rsplit_once('(').unwrap().1.trim_end_matches(')').parse::<u64>().unwrap();
        let module = Module::from_proto(proto);
        for (_, instruction) in module.instructions() {
            let detail = op(&mut engine, &Query::busiest(), Some(id), &instruction.name);
            assert_eq!((detail.basis, detail.program_id), (OpBasis::Proto, Some(id)));
            ran += u32::from(detail.figures.is_some());
            // Only the memories of a TPU have names.
            assert!(detail.values.iter().all(|v| v.memory.is_none()));
            n += 1;
        }
        let first = module.instructions().next().unwrap().1;
        assert_eq!(op(&mut engine, &Query::busiest(), None, &first.name).basis, OpBasis::Proto);
    }
    // xprof's table of ops has the same number of rows.
    assert!(n > 10 && ran == 16, "{n} {ran}");
}

/// Returns the detail of every instruction of a module, as if the module belonged to a TPU.
fn all_details(module: &Module) -> Vec<OpDetail> {
    let plane = Plane { name: "/device:TPU:0".into(), ..Plane::default() };
    let mut profile = Profile::default();
    profile.planes.push(plane);
    let analysis = Analysis::new(&profile);
    let found_op = |name: &str| {
        let found = analysis.find_op(&profile, &Query::busiest(), None, name);
        analysis.op_detail(&profile, &found, Some((module, None)), &RooflineQuery::default(), Vec::new()).unwrap()
    };
    module.instructions().map(|(_, instruction)| found_op(&instruction.name)).collect()
}

fn has(details: &[OpDetail], words: &str) {
    assert!(details.iter().any(|d| d.words == words), "nothing is “{words}”");
}

#[test]
#[ignore = "needs captures of other projects"]
fn words_of_real_programs() {
    let llama = hlo::llama().unwrap();
    let details = all_details(&text::module(&llama).unwrap().0);
    has(&details, "bf16 matmul [4×8192×4096]·[4096×4096×1] fused with reduce");
    has(&details, "start of reduce-scatter of bf16[14336,4096] over one group of 8");
    has(&details, "convert of bf16[512], bf16 → f32, other tiles, VMEM → HBM");
    has(&details, "custom call to tpu_custom_call → (bf16[4,32,8192,128], f32[4,32,8192,128], f32[4,32,8192,128])");
    has(&details, "wait for copy of bf16[14336,512], HBM → VMEM");
    let turns = |name: &str| details.iter().find(|d| d.name == name).unwrap().words.rsplit_once(", ").unwrap().1;
    assert_eq!((turns("while.164"), turns("while.166")), ("32 times", "63 times"));
    let details = all_details(&Module::from_proto(&hlo::aot(hlo::AOT[0]).unwrap()));
    has(&details, "bf16 matmul [4×2048×4096]·[4096×8192×1] fused with silu");
    has(&details, "bf16 matmul [4×2048×4096]·[4096×16000×1] fused with log_softmax, reduce");
    has(&details, "all-reduce of bf16[4,2048,4096] over 4 groups of 2");
    has(&details, "elementwise multiply, add, rsqrt → f32[4,2048], result in VMEM");
    for detail in &details {
        assert!(detail.words.len() < 400, "{}", detail.words);
        assert_eq!(detail.source.innermost.is_some(), !detail.source.stack.is_empty());
    }
    assert!(details.iter().any(|d| d.source.stack.len() > 1 && d.source.from_hlo));
    assert!(details.iter().filter_map(|d| d.computation.as_ref()).any(|p| p.trip_count == Some(16)));
}

/// Requests each text alone, as an event has it.
#[test]
#[ignore = "needs captures of other projects"]
fn words_of_real_texts() {
    let corpora = hlo::corpora().unwrap();
    let mut n = 0;
    for corpus in corpora {
        for line in corpus.texts.iter().filter(|t| text::instruction(t).is_some()) {
            let mut plane = make::Plane::new("/device:TPU:0");
            let name = text::instruction(line).unwrap().instruction.name.to_string();
            let id = plane.op(line, &name, &[]);
            plane.line("XLA Ops", &[(id, 0, 10)]);
            let space = XSpace { planes: vec![plane.done()], ..XSpace::default() };
            let detail = op(&mut open("it.xplane.pb", bytes(&space)), &Query::busiest(), None, &name);
            assert_eq!((detail.basis, detail.text.as_deref()), (OpBasis::EventText, Some(line.as_str())));
            assert!(!detail.words.is_empty());
            n += 1;
        }
    }
    assert!(n > 300);
}
