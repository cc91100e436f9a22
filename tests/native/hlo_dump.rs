//! These tests open the texts of compiled programs as files. Such a text is detected by its content and opens like the
//! proto of the same program. A text is refused if its module would take many times the size of the text.

use crate::common::hlo::{self, llama};
use crate::common::trace::xz;
use crate::common::{profile, roofline_query};
use rooflight::analysis::base::Query;
use rooflight::analysis::files::{FileView, ProgramSource};
use rooflight::analysis::op::{OpBasis, OpDetail};
use rooflight::protocol::{OpRef, ProgramOutline, ProgramPage, ProgramRef, Reply, SessionInfo, ViewRequest};
use rooflight::session::{Input, OpenSession};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use xla_profile::hlo::{Module, text};

fn open(name: &str, bytes: &[u8]) -> (OpenSession, SessionInfo) {
    let input = Input { name: name.into(), source: Box::new(bytes.to_vec()), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap()
}

fn view(engine: &mut OpenSession) -> FileView {
    engine.answer(&ViewRequest::File.into()).decode().unwrap()
}

fn lines(engine: &mut OpenSession) -> ProgramPage {
    let request = ViewRequest::ProgramText { program: ProgramRef(0), first: 0, count: 1000 };
    engine.answer(&request.into()).decode().unwrap()
}

fn outline(engine: &mut OpenSession) -> ProgramOutline {
    engine.answer(&ViewRequest::ProgramOutline(ProgramRef(0)).into()).decode().unwrap()
}

fn op(engine: &mut OpenSession, name: &str) -> OpDetail {
    let request = ViewRequest::Op { query: roofline_query(Query::busiest()), op: OpRef::listed(name, ProgramRef(0)) };
    engine.answer(&request.into()).decode().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// Returns the JSON that the command line writes, and its exit code.
fn cli(view: &str, path: &Path) -> (Value, Option<i32>) {
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args([view, "--json"]).arg(path).output().unwrap();
    (serde_json::from_slice(&out.stdout).unwrap_or_default(), out.status.code())
}

/// The text of a program gives the same details of each instruction as its proto.
#[test]
fn a_dump_gives_the_same_details_as_its_proto() {
    for name in ["v5e_2x2_dense_L2_d1024_s1024_b8_tp2", "v4_2x2x1_dense_L8_d2048_s2048_b16_tp2"] {
        let Some(bytes) = profile(&format!("tpu-aot/{name}.hlo_proto.pb")) else { return };
        let module = Module::from_proto(&hlo::aot(name).unwrap());
        let dump = module.to_string();
        let (mut of_proto, _) = open("a.pb", &bytes);
        let forms = [
            ("HLO text", dump.clone().into_bytes()),
            ("HLO text, gzip", gzip(dump.as_bytes())),
            ("HLO text, xz", xz(dump.as_bytes())),
            ("HLO text", format!("\n// a comment\n{dump}").into_bytes()),
        ];
        for (words, bytes) in forms {
            // The name of the file decides nothing.
            let (mut of_text, session) = open("some file", &bytes);
            assert_eq!((session.files[0].format.as_str(), session.partial), (words, None));
            let (a, b) = (view(&mut of_text), view(&mut of_proto));
            assert_eq!((&a.programs[0].name, a.programs[0].source), (&b.programs[0].name, ProgramSource::Text));
            assert_eq!(a.programs[0].bytes, Some(if words == "HLO text" { bytes.len() } else { dump.len() } as u64));
            let (a, b) = (lines(&mut of_text), lines(&mut of_proto));
            assert_eq!((&a.lines, &a.head), (&b.lines, &b.head));
            assert_eq!(outline(&mut of_text).computations, outline(&mut of_proto).computations);
        }
        let (mut of_text, _) = open("some.hlo", dump.as_bytes());
        for (_, instruction) in module.instructions().step_by(97) {
            let (mut a, mut b) = (op(&mut of_text, &instruction.name), op(&mut of_proto, &instruction.name));
            assert_eq!((a.basis, b.basis), (OpBasis::Proto, OpBasis::Proto));
            for detail in [&mut a, &mut b] {
                detail.notes.clear();
                // Users stand in the order of the module, which is the schedule in a text but not in a proto.
                detail.users.sort_by(|a, b| a.name.cmp(&b.name));
            }
            assert_eq!(a, b, "{}", instruction.name);
        }
    }
}

/// Returns the padded bytes of the entry's parameters, by the shapes in the head of a dump.
fn entry_parameters(dump: &str) -> u64 {
    let layout = dump.split_once("entry_computation_layout={(").unwrap().1.split_once(")->").unwrap().0;
    let layout = layout.split("/*").map(|piece| piece.rsplit("*/").next().unwrap()).collect::<String>();
    let shapes = layout.split("}, ").map(|shape| format!("{}}}", shape.trim().trim_end_matches('}')));
    shapes.map(|shape| text::shape(&shape).unwrap().padded_bytes().unwrap()).sum()
}

/// Opens a dump of another project. The expected counts come without the reader: a line with ` = ` after a name is an
/// instruction.
#[test]
#[ignore = "needs captures of other projects"]
fn a_real_dump_opens_in_the_page_and_the_command_line() {
    let dump = llama().unwrap();
    let named = |line: &&str| line.trim_start().trim_start_matches("ROOT ").starts_with('%') && line.contains(" = ");
    let n_instructions = dump.lines().filter(named).count() as u32;
    let n_computations = dump.lines().filter(|line| line.ends_with(" {")).count() as u32;
    let packed = profile("hlo-text/llama3-8b-v6e8-train_step.after_optimizations.hlo.gz").unwrap();
    let (mut engine, session) = open("x.hlo.gz", &packed);
    assert_eq!((session.files[0].format.as_str(), &session.partial), ("HLO text, gzip", &None));
    let page = lines(&mut engine);
    assert_eq!((page.head.n_instructions, page.head.n_computations), (n_instructions, Some(n_computations)));
    assert_eq!((page.head.leftover, page.head.unresolved), (0, 0));
    let entry = outline(&mut engine).computations.into_iter().find(|computation| computation.is_entry).unwrap();
    assert!(dump.contains(&format!("\nENTRY %{} (", entry.name)));

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.hlo");
    std::fs::write(&path, &dump).unwrap();
    for (view, status) in [("inspect", "ok"), ("breakdown", "absent"), ("summary", "absent"), ("non-compute", "absent")]
    {
        let (json, code) = cli(view, &path);
        assert_eq!((&json["status"], code), (&Value::from(status), Some(0)), "{view}: {json}");
        let notes = json["notes"].as_array().unwrap();
        assert_eq!(notes.iter().filter(|note| note["code"] == "only_programs").count(), 1, "{view}: {notes:?}");
    }
    let (json, code) = cli("memory", &path);
    assert_eq!((&json["status"], code), (&Value::from("ok"), Some(0)));
    let spaces = json["programs"][0]["spaces"].as_array().unwrap();
    let hbm = spaces.iter().find(|space| space["color"] == 0).unwrap();
    assert_eq!((&hbm["basis"], &hbm["total_allocation_bytes"]), (&"live_ranges".into(), &Value::Null));
    // The parameters are those of the entry's layout, and all but the two inputs are updated in place.
    let (parameters, live_out) = (hbm["parameter_bytes"].as_u64().unwrap(), hbm["live_out_bytes"].as_u64().unwrap());
    let (peak, entry) = (hbm["peak_bytes"].as_u64().unwrap(), entry_parameters(&dump));
    assert_eq!(parameters, entry);
    assert!(live_out < entry + (1 << 20) && live_out > entry - (1 << 20), "{live_out} of {entry}");
    assert!(peak > entry && peak < 32 << 30, "a v6e has 32 GB: {peak} of {entry}");
    assert!(json["notes"].as_array().unwrap().iter().any(|note| note["code"] == "live_ranges"));
    // Without an order of the instructions, there are no live ranges.
    let unordered = dir.path().join("unordered.hlo");
    std::fs::write(&unordered, dump.replacen("is_scheduled=true, ", "", 1)).unwrap();
    let (json, _) = cli("memory", &unordered);
    assert_eq!((&json["status"], &json["programs"][0]["note"]), (&"absent".into(), &"no_buffer_assignment".into()));
    let (json, _) = cli("inspect", &path);
    let program = &json["programs"][0];
    assert_eq!((&program["name"], &program["hlo_from"]), (&"jit_train_step".into(), &"hlo_text".into()), "{json}");
}

/// A cut file is reported as partial, and the part before the cut is kept.
#[test]
#[ignore = "needs captures of other projects"]
fn a_cut_dump_is_partial() {
    let dump = llama().unwrap();
    for bytes in [dump.as_bytes()[..dump.len() / 2].to_vec(), gzip(dump.as_bytes())[..40_000].to_vec()] {
        let (mut engine, session) = open("x.hlo", &bytes);
        assert!(session.partial.as_ref().unwrap().contains("inside a computation"), "{:?}", session.partial);
        let head = lines(&mut engine).head;
        assert!(head.n_instructions > 100 && head.leftover > 0, "{head:?}");
    }
}

/// Text that is not a program, or whose module would take many times its size, is refused with a sentence.
#[test]
fn text_that_is_no_program_is_refused() {
    let input =
        |text: &str| Input { name: "x.txt".into(), source: Box::new(text.as_bytes().to_vec()), from_folder: false };
    for (text, title) in [
        ("HloModule m\n", "x.txt could not be read"),
        ("HloModule , a=b\nf {\n}\n", "x.txt could not be read"),
        ("module @jit_f {\n}\n", "x.txt is not an XLA profile"),
    ] {
        let Err(failure) = OpenSession::open(vec![input(text)], &mut |_| {}) else { panic!("{text} opened") };
        assert_eq!(failure.title, title, "{}", failure.message);
    }
    let operands = format!("  a = f32[] b({})\n", "c,".repeat(1 << 20));
    for body in ["a=f32[]b()\n".repeat(1 << 18), operands, "f {\n}\n".repeat(1 << 18)] {
        let thin = format!("HloModule m\n\nf {{\n{body}}}\n");
        assert!(text::module(&thin).is_none());
        let (mut engine, _) = open("x.txt", thin.as_bytes());
        let reply = engine.answer(&ViewRequest::ProgramOutline(ProgramRef(0)).into());
        let Reply::Failed(failure) = reply else { panic!("it was read") };
        assert!(failure.message.contains("no compiler writes"), "{}", failure.message);
    }
    // The plainest programs that compilers print are read, whatever their length.
    let plain = "  add.1 = f32[8]{0} add(a.1, b.1)\n".repeat(1 << 17);
    assert!(text::module(&format!("HloModule m\n\nf {{\n{plain}}}\n")).is_some());
}
