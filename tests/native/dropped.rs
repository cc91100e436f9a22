//! These tests open compiled programs as files of their own. A program is detected by the content of its file, opened
//! alone, and joined to the captures beside the file.

use crate::common;
use crate::common::trace::xz;
use crate::common::{breakdown_page, bytes, hlo, make, profile, roofline_query};
use proptest::prelude::*;
use prost::Message;
use rooflight::analysis::base::{Query, StepChoice};
use rooflight::analysis::files::{FileView, ProgramSource};
use rooflight::analysis::op::{OpBasis, OpDetail};
use rooflight::protocol::{OpRef, ProgramPage, ProgramRef, SessionInfo, ViewRequest};
use rooflight::session::{Input, OpenSession};
use rooflight::table::page::{PageQuery, split_row_key};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;
use std::rc::Rc;
use xla_profile::hlo::Module;
use xla_profile::source::{Source, SourceError};
use xla_profile::wire::hlo::outline;
use xla_profile::wire::proto::hlo::{HloComputationProto, HloModuleProto, HloProto};
use xla_profile::wire::proto::xspace::{XSpace, x_stat};
use xla_profile::wire::{Format, REPORT_MAGIC, sniff};

const V6E: &str = "tpu-v6e-host-offload/host.xplane.pb";

fn open(files: &[(&str, &[u8])]) -> (OpenSession, SessionInfo) {
    let input = |(name, bytes): &(&str, &[u8])| Input {
        name: (*name).into(),
        source: Box::new(bytes.to_vec()),
        from_folder: false,
    };
    OpenSession::open(files.iter().map(input).collect(), &mut |_| {}).unwrap()
}

fn file(engine: &mut OpenSession) -> FileView {
    engine.answer(&ViewRequest::File.into()).decode().unwrap()
}

fn page(engine: &mut OpenSession, program: u32) -> ProgramPage {
    engine
        .answer(&ViewRequest::ProgramText { program: ProgramRef(program), first: 0, count: 10 }.into())
        .decode()
        .unwrap()
}

fn op(engine: &mut OpenSession, program: Option<u64>, name: &str) -> OpDetail {
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    engine
        .answer(&ViewRequest::Op { query: roofline_query(query), op: OpRef::new(name, program) }.into())
        .decode()
        .unwrap()
}

fn op_of(engine: &mut OpenSession, program: u32, name: &str) -> OpDetail {
    let request =
        ViewRequest::Op { query: roofline_query(Query::busiest()), op: OpRef::listed(name, ProgramRef(program)) };
    engine.answer(&request.into()).decode().unwrap()
}

/// Returns the names and programs of all ops that ran.
fn ops(engine: &mut OpenSession) -> Vec<(Option<u64>, String)> {
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    let page = breakdown_page(engine, &query, PageQuery { count: 1000, ..PageQuery::default() });
    let named = |row: rooflight::table::page::Row| {
        let (name, program) = split_row_key(&row.key);
        (program, name.to_owned())
    };
    page.rows.into_iter().map(named).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// Returns the bytes of a module, without the HLO proto around it.
fn bare(bytes: &[u8]) -> Vec<u8> {
    HloProto::decode(bytes).unwrap().hlo_module.unwrap().encode_to_vec()
}

fn aot(name: &str) -> Option<Vec<u8>> {
    profile(&format!("tpu-aot/{name}.hlo_proto.pb"))
}

/// Bytes, each with a name.
type Named = Vec<(String, Vec<u8>)>;

/// A conversion of the bytes of a program to another form.
type Form = fn(&[u8]) -> Vec<u8>;

/// Returns the capture, the bytes of the capture without its programs, and these programs by the name of the event
/// metadata that held them. `None` if there are no real captures.
fn apart() -> Option<(XSpace, Vec<u8>, Named)> {
    let whole = hlo::xspace(V6E)?;
    let mut stripped = whole.clone();
    stripped.planes.retain(|plane| plane.name != "/host:metadata");
    let metadata = whole.planes.iter().filter(|plane| plane.name == "/host:metadata");
    let stats = metadata.flat_map(|p| p.event_metadata.values().flat_map(|m| m.stats.iter().map(|s| (&m.name, s))));
    let programs = stats.filter_map(|(name, stat)| match &stat.value {
        Some(x_stat::Value::BytesValue(bytes)) => Some((name.clone(), bytes.clone())),
        _ => None,
    });
    let programs: Vec<_> = programs.collect();
    assert_eq!(programs.len(), 4);
    Some((whole, bytes(&stripped), programs))
}

#[test]
fn every_program_opens_alone() {
    for name in hlo::AOT {
        let Some(bytes) = aot(name) else { return };
        let module = Module::from_proto(&HloProto::decode(bytes.as_slice()).unwrap());
        let forms = [
            ("HLO proto", bytes.clone()),
            ("HLO proto, gzip", gzip(&bytes)),
            ("HLO proto, xz", xz(&bytes)),
            ("HLO module proto", bare(&bytes)),
            ("HLO module proto, gzip", gzip(&bare(&bytes))),
        ];
        for (words, bytes) in forms {
            // The name of the file decides nothing.
            let (mut engine, session) = open(&[("some file", &bytes)]);
            assert_eq!((session.files[0].format.as_str(), session.files[0].bytes), (words, bytes.len() as u64));
            assert!(session.devices.is_empty() && session.planes.is_empty() && session.partial.is_none());
            let view = file(&mut engine);
            assert!(matches!(view.notes.as_slice(), [note] if note.code == "only_programs"), "{:?}", view.notes);
            let [program] = view.programs.as_slice() else { panic!("{:?}", view.programs) };
            assert_eq!((program.name.as_str(), program.source), (&*module.name, ProgramSource::Dropped));
            assert_eq!((program.n_runs, program.busy, program.file), (None, None, Some(0)));
            assert!(page(&mut engine, 0).lines[0].text.starts_with(&format!("HloModule {}", module.name)));
            let first = module.instructions().next().unwrap().1;
            let detail = op(&mut engine, None, &first.name);
            assert_eq!((detail.basis, detail.opcode.as_deref()), (OpBasis::Proto, Some(&*first.opcode)));
        }
    }
}

#[test]
fn the_command_line_opens_programs() {
    let Some(bytes) = aot(hlo::AOT[2]) else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("it.hlo_proto.pb");
    std::fs::write(&path, bytes).unwrap();
    for view in ["breakdown", "summary", "non-compute", "inspect", "overview"] {
        let run = |args: &[&str]| {
            let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).arg(view).args(args).arg(&path).output().unwrap();
            assert_eq!(out.status.code(), Some(0), "{view}: {}", String::from_utf8_lossy(&out.stderr));
            String::from_utf8(out.stdout).unwrap()
        };
        let json: serde_json::Value = serde_json::from_str(&run(&["--json"])).unwrap();
        assert_eq!(json["status"], if view == "inspect" { "ok" } else { "absent" });
        let codes: Vec<_> = json["notes"].as_array().unwrap().iter().map(|n| n["code"].clone()).collect();
        assert_eq!(codes, ["only_programs"], "{view}");
        assert_eq!(run(&[]).matches("no timings").count(), 1, "{view}");
    }
}

/// Programs beside a capture, under any name, give the same details of ops as programs inside the capture.
#[test]
#[ignore = "needs captures of other projects"]
fn programs_beside_a_capture_give_the_same_details() {
    let (whole, stripped, programs) = apart().unwrap();
    let (mut engine, _) = open(&[(V6E, &bytes(&whole))]);
    let all = ops(&mut engine);
    let expected: Vec<OpDetail> = all.iter().map(|(id, name)| op(&mut engine, *id, name)).collect();
    assert!(expected.iter().all(|detail| detail.basis == OpBasis::Proto));
    let within = file(&mut engine);
    let by_name = |i: usize, _: &str| format!("program {i}.pb");
    let by_id = |_: usize, name: &str| format!("x/{name}.hlo_proto.pb");
    let forms: [Form; 3] = [<[u8]>::to_vec, gzip, bare];
    for form in forms {
        for name_of in [&by_name as &dyn Fn(usize, &str) -> String, &by_id] {
            let dropped: Vec<(String, Vec<u8>)> =
                programs.iter().enumerate().map(|(i, (name, bytes))| (name_of(i, name), form(bytes))).collect();
            let mut files: Vec<(&str, &[u8])> = dropped.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
            files.push(("host.xplane.pb", &stripped));
            let (mut engine, session) = open(&files);
            assert_eq!((session.files.len(), session.devices.len()), (5, 4));
            assert!(session.notes.is_empty(), "{:?}", session.notes);
            for ((id, name), expected) in all.iter().zip(&expected) {
                assert_eq!(op(&mut engine, *id, name), *expected);
            }
            let beside = file(&mut engine);
            for (a, b) in beside.programs.iter().zip(&within.programs) {
                assert_eq!((&a.name, a.program_id, a.n_runs, a.busy), (&b.name, b.program_id, b.n_runs, b.busy));
                assert_eq!((a.source, b.source), (ProgramSource::Dropped, ProgramSource::Capture));
            }
            assert_eq!(beside.programs.len(), within.programs.len());
        }
    }
}

/// A program is joined by name if the name of its file has another id than the capture, and a note reports the ids.
#[test]
#[ignore = "needs captures of other projects"]
fn an_id_that_differs_from_the_capture_is_reported() {
    let (_, capture, programs) = apart().unwrap();
    let (name, bytes) = programs.iter().find(|(name, _)| name.starts_with("jit_f(")).unwrap();
    let notes = |file: &str| {
        let (mut engine, _) = open(&[("host.xplane.pb", &capture), (file, bytes)]);
        let notes = file_notes(&mut engine);
        notes
            .into_iter()
            .filter(|(code, _)| code == "program_id_differs")
            .map(|(_, message)| message)
            .collect::<Vec<_>>()
    };
    let text = notes("jit_f(99).hlo_proto.pb");
    let [text] = text.as_slice() else { panic!("{text:?}") };
    let ran = name.trim_start_matches("jit_f(").trim_end_matches(')');
    assert!(text.contains("program id 99") && text.contains(&format!("id {ran}")), "{text}");
    assert!(notes(&format!("{name}.hlo_proto.pb")).is_empty(), "the same id");
    assert!(notes("jit_f.hlo_proto.pb").is_empty(), "no id");
}

fn file_notes(engine: &mut OpenSession) -> Vec<(String, String)> {
    file(engine).notes.into_iter().map(|note| (note.code.to_string(), note.message)).collect()
}

/// A program that the capture holds already is not joined twice, and both can be read.
#[test]
#[ignore = "needs captures of other projects"]
fn a_program_inside_the_capture_is_preferred() {
    let (whole, _, programs) = apart().unwrap();
    let (name, program) = programs.iter().find(|(name, _)| name.starts_with("jit_f(")).unwrap();
    let (mut engine, _) = open(&[(V6E, &bytes(&whole)), (name, program)]);
    let view = file(&mut engine);
    assert_eq!(view.programs.len(), 5);
    assert_eq!((view.programs[0].source, view.programs[0].n_runs), (ProgramSource::Capture, Some(400)));
    let second = view.programs.iter().position(|p| p.source == ProgramSource::Dropped).unwrap();
    assert_eq!((view.programs[second].n_runs, view.programs[second].program_id), (None, view.programs[0].program_id));
    assert_eq!(page(&mut engine, 0).lines, page(&mut engine, second as u32).lines);
}

/// Two programs with the same name ran. Only their instructions show which file holds which of them.
#[test]
#[ignore = "needs captures of other projects"]
fn one_name_for_several_programs() {
    let (_, stripped, programs) = apart().unwrap();
    // The runs of jit_f and those of jit__psum get the same name.
    let mut space = XSpace::decode(stripped.as_slice()).unwrap();
    for plane in &mut space.planes {
        for metadata in plane.event_metadata.values_mut().filter(|m| m.name.starts_with("jit__psum(")) {
            metadata.name = metadata.name.replace("jit__psum(", "jit_f(");
        }
    }
    let named = |name: &str, to: &str| {
        let mut proto =
            HloProto::decode(&*programs.iter().find(|(other, _)| other.starts_with(name)).unwrap().1).unwrap();
        proto.hlo_module.as_mut().unwrap().name = to.to_owned();
        proto.encode_to_vec()
    };
    let (f, psum) = (named("jit_f(", "jit_f"), named("jit__psum(", "jit_f"));
    let (mut engine, _) = open(&[("a.pb", &f), ("b.pb", &psum), ("host.xplane.pb", &bytes(&space))]);
    for (id, name) in ops(&mut engine) {
        let detail = op(&mut engine, id, &name);
        let codes: Vec<&str> = detail.notes.iter().map(|n| n.code.key()).collect();
        match name.as_str() {
            "all-reduce" | "broadcast_add_fusion" | "copy-done.4" => {
                assert_eq!((detail.basis, codes.as_slice()), (OpBasis::Proto, &["program_by_name"][..]), "{name}");
            }
            "broadcast.2" => assert_eq!(detail.basis, OpBasis::EventText),
            _ => {}
        }
    }
}

/// Data movement reads programs where the texts of ops give no answer, both inside the capture and beside it.
#[test]
#[ignore = "needs captures of other projects"]
fn data_movement_reads_programs() {
    let (whole, _, programs) = apart().unwrap();
    // The texts of ops are replaced by their names alone.
    let mut silent = whole.clone();
    for metadata in silent.planes.iter_mut().flat_map(|p| p.event_metadata.values_mut()) {
        if let Some((name, _)) = metadata.name.split_once(" = ") {
            metadata.name = name.trim_start_matches('%').to_owned();
        }
    }
    let mut without = silent.clone();
    without.planes.retain(|plane| plane.name != "/host:metadata");
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
    };
    write("whole/it.xplane.pb", &bytes(&whole));
    write("silent/it.xplane.pb", &bytes(&silent));
    write("without/it.xplane.pb", &bytes(&without));
    write("beside/it.xplane.pb", &bytes(&without));
    for (i, (_, program)) in programs.iter().enumerate() {
        write(&format!("beside/{i}.hlo_proto.pb"), program);
    }
    // The rows are by category, with their changes. An event without a text still has its category.
    let data_movement = |name: &str| {
        let args = ["non-compute", "--json", "--step", "all", "--device", "all"];
        let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).arg(dir.path().join(name)).output().unwrap();
        let value: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        let row =
            |r: &serde_json::Value| serde_json::json!([r["key"], r["total_dur_ps"], r["changes"], r["moved_bytes"]]);
        value["by_category"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let undetectable = |rows: &[serde_json::Value]| rows.iter().any(|r| r[2]["dtype"]["undetectable_ps"] != 0);
    let (whole, silent, without, beside) =
        (data_movement("whole"), data_movement("silent"), data_movement("without"), data_movement("beside"));
    assert!(!whole.is_empty() && !undetectable(&whole));
    assert!(undetectable(&without));
    assert_eq!((&silent, &beside), (&whole, &whole));
}

#[test]
fn several_files_are_several_programs() {
    let files: Option<Vec<(&str, Vec<u8>)>> = hlo::AOT.iter().map(|name| Some((*name, aot(name)?))).collect();
    let Some(files) = files else { return };
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let (mut engine, session) = open(&files);
    assert_eq!(session.files.len(), 8);
    let view = file(&mut engine);
    assert_eq!(view.programs.len(), 8);
    // All programs have the same name and no id, so an op is requested by the index of its program.
    for (i, program) in view.programs.iter().enumerate() {
        let name = &view.files[program.file.unwrap() as usize].name;
        let module = Module::from_proto(&hlo::aot(name).unwrap());
        let root = module.computation(module.entry.unwrap()).unwrap().root.unwrap();
        let root = module.instruction(root).unwrap();
        let detail = op_of(&mut engine, i as u32, &root.name);
        assert_eq!(detail.text, Some(root.to_string()), "{name}");
        assert!(detail.computation.unwrap().is_entry && detail.figures.is_none());
    }
}

#[test]
fn programs_get_ids_from_files_and_captures() {
    let program = |id: i64, name: &str| {
        let computations = vec![HloComputationProto { name: "main".into(), ..HloComputationProto::default() }];
        let module = HloModuleProto { name: name.into(), id, computations, ..HloModuleProto::default() };
        HloProto { hlo_module: Some(module), buffer_assignment: None }.encode_to_vec()
    };
    let ids = |files: &[(&str, &[u8])]| {
        let view = file(&mut open(files).0);
        let ids: BTreeMap<String, Option<u64>> = view
            .programs
            .iter()
            .filter(|p| p.source == ProgramSource::Dropped)
            .map(|p| (view.files[p.file.unwrap() as usize].name.clone(), p.program_id))
            .collect();
        ids.into_values().collect::<Vec<_>>()
    };
    let (a, b) = (program(7, "jit_f"), program(7, "jit_g"));
    assert_eq!(ids(&[("a", &a)]), [Some(7)]);
    assert_eq!(ids(&[("a", &a), ("b", &b)]), [Some(7), None], "one id is one program's");
    assert_eq!(ids(&[("jit_f(-1).pb", &a)]), [Some(u64::MAX)], "the file's name has the events' id");
    assert_eq!(ids(&[("a", &program(0, "jit_f"))]), [None]);
    // A program is joined to the small capture by its name. An id alone joins nothing.
    let small = bytes(&make::small());
    let known = file(&mut open(&[("s.xplane.pb", &small)]).0).programs;
    let (id, name) = (known[0].program_id.unwrap(), known[0].name.as_str());
    assert_eq!(ids(&[("s.xplane.pb", &small), ("t", &program(id.cast_signed(), name))]), [Some(id)]);
    assert_eq!(ids(&[("s.xplane.pb", &small), ("t", &program(5, name))]), [Some(id)], "by name");
    assert_eq!(ids(&[("s.xplane.pb", &small), ("t", &program(id.cast_signed(), "jit_other"))]), [None]);
}

/// A source that counts the bytes that are read from it.
struct Counted(Vec<u8>, Rc<Cell<u64>>);
impl Source for Counted {
    fn size(&self) -> u64 {
        self.0.size()
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        self.1.set(self.1.get() + buf.len() as u64);
        self.0.read_at(offset, buf)
    }
}

#[test]
fn other_files_are_read_only_at_the_start() {
    // A graph of TensorFlow starts like a program, with two names.
    let mut bytes = b"\x0a\x0f\x0a\x05add_1\x12\x03Add\x1a\x01x".to_vec();
    bytes.resize(8 << 20, 0x0a);
    let read = Rc::new(Cell::new(0));
    let source = Box::new(Counted(bytes, Rc::clone(&read)));
    let input = Input { name: "graph.pb".into(), source, from_folder: false };
    assert!(OpenSession::open(vec![input], &mut |_| {}).is_err());
    // The head of the file is read, and before that the bytes in which a report is detected.
    assert_eq!(read.get(), (1 << 16) + REPORT_MAGIC.len() as u64);
}

#[test]
#[ignore = "needs captures of other projects"]
fn formats_are_not_confused() {
    for name in hlo::AOT {
        let bytes = aot(name).unwrap();
        let module = bare(&bytes);
        // Wherever the head ends, the file is not taken for an XSpace once the names are in the head.
        for n in (64..2048).chain([4096, 1 << 16]) {
            let size = bytes.len() as u64;
            assert_eq!(sniff(&bytes[..n], size), Format::HloProto, "{name} {n}");
            assert_eq!(sniff(&module[..n], size), Format::HloModule, "{name} {n}");
        }
    }
    for (name, bytes) in common::xspaces() {
        for n in (16..2048).chain([4096, 1 << 16]) {
            assert_eq!(sniff(&bytes[..n], bytes.len() as u64), Format::XSpace, "{name} {n}");
        }
    }
}

/// A cut or damaged program is refused, or its module is kept. Nothing panics.
#[test]
#[ignore = "needs captures of other projects"]
fn every_prefix_and_many_flips() {
    let (_, _, programs) = apart().unwrap();
    let (_, whole) = programs.iter().find(|(name, _)| name.starts_with("jit__psum(")).unwrap();
    let module_end = outline(whole, false).unwrap().module.end as usize;
    let try_it = |bytes: &[u8]| -> Option<bool> {
        let input = Input { name: "it.pb".into(), source: Box::new(bytes.to_vec()), from_folder: false };
        let (mut engine, session) = OpenSession::open(vec![input], &mut |_| {}).ok()?;
        file(&mut engine);
        let request = ViewRequest::ProgramText { program: ProgramRef(0), first: 0, count: 1000 }.into();
        engine.answer(&request);
        engine.answer(&ViewRequest::ProgramOutline(ProgramRef(0)).into());
        Some(session.partial.is_none())
    };
    for n in 0..whole.len() {
        let whole_module = (n >= module_end).then_some(n == module_end);
        assert_eq!(try_it(&whole[..n]), whole_module, "{n} of {module_end} and {}", whole.len());
    }
    assert_eq!(try_it(whole), Some(true));
    let packed = gzip(whole);
    for n in 0..packed.len() {
        assert_ne!(try_it(&packed[..n]), Some(true), "a cut at {n} goes unnoticed");
    }
    assert_eq!(try_it(&packed[..packed.len() - 1]), Some(false), "all but the checksum");
    for whole in [whole.clone(), bare(whole)] {
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 1 << (index % 8);
            try_it(&damaged);
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_open_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        sniff(&bytes, bytes.len() as u64);
        let with_start = [b"\x0a\x0a\x0a\x04name\x12\x02".as_slice(), &bytes].concat();
        let input = Input { name: "it.pb".into(), source: Box::new(with_start), from_folder: false };
        let _ = OpenSession::open(vec![input], &mut |_| {});
    }
}
