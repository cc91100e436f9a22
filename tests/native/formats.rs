//! These tests open files that lie beside captures or are mistaken for them. Each is named, with the way on, and none is taken for a
//! capture. Texts and programs in forms that people paste do open.

use crate::common::trace::{self, gzip};
use crate::common::{bytes, make, open};
use rooflight::session::Opened;
use std::path::Path;
use std::process::Command;
use xla_profile::wire::proto::xspace::XSpace;

/// Returns the text of the failure of a file.
fn refused(name: &str, bytes: &[u8]) -> String {
    let Err(failure) = open(name, bytes.to_vec()) else { panic!("{name} opens") };
    format!("{}. {}", failure.title, failure.message)
}

fn case(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/cases").join(name)).unwrap()
}

fn codes(opened: &Opened) -> Vec<&str> {
    opened.profile.notes.iter().map(|note| note.code.key()).collect()
}

#[test]
fn known_formats_are_named_with_the_way_on() {
    let mut riegeli = vec![0; 64];
    riegeli[..8].copy_from_slice(&[0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f]);
    riegeli[48] = 0x73;
    let sqlite =
        [b"SQLite format 3\0".as_slice(), &[0; 84], b"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start"].concat();
    let memory =
        b"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 17179869184 bytes.\n";
    let hbm = b"XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 18.32G of 15.48G hbm.\n";
    let bytecode = [b"ML\xefR".as_slice(), b"\x0dStableHLO_v1.9.0\0"].concat();
    for (name, bytes, words) in [
        ("compile_options.pb", case("dump_compile_options.pb"), ["compile options", ".xplane.pb"]),
        ("memory.prof", case("memory.prof"), ["pprof", "pprof -http"]),
        ("f.mlir", case("stablehlo.mlir"), ["StableHLO", "compile().as_text()"]),
        ("f.mlirbc", bytecode, ["StableHLO", "compile().as_text()"]),
        ("f.mlir", b"#loc = loc(unknown)\nfunc.func @f() {\n}\n".to_vec(), ["MLIR", "compile().as_text()"]),
        (
            "b.txt",
            case("module_0000.jit_f.after_optimizations-buffer-assignment.txt"),
            ["buffer assignment", ".hlo.pb"],
        ),
        ("h.xplane.riegeli", riegeli, ["Riegeli", "enable_continuous_profiling"]),
        ("r.sqlite", sqlite, ["Nsight Systems", "nsys-ui"]),
        ("r.nsys-rep", vec![0x07, 0xfe, 0x9a, 0x11, 0x02], ["Nsight Systems", "nsys-ui"]),
        ("r.ncu-rep", b"NVR\0\x10\x01\xff".to_vec(), ["Nsight Compute", "ncu-ui"]),
        ("oom.txt", memory.to_vec(), ["out-of-memory", "rooflight memory"]),
        ("oom.txt", hbm.to_vec(), ["out-of-memory", "rooflight memory"]),
        ("host.xplane.pb", Vec::new(), ["is empty: the profile was larger than 2 GiB", "Capture fewer steps"]),
    ] {
        let text = refused(name, &bytes);
        assert!(words.iter().all(|word| text.contains(word)), "{name}: {text}");
        assert!(text.starts_with(name), "{text}");
    }
    let packed = refused("host.mlir.gz", &gzip(&case("stablehlo.mlir")));
    assert!(packed.contains("StableHLO"), "{packed}");
    assert!(!refused("other.sqlite", b"SQLite format 3\0plain").contains("Nsight"));
}

#[test]
fn fields_of_other_messages_are_no_texts_of_an_xspace() {
    let mut space = make::small();
    space.warnings = vec!["Detected GPU events dropped".to_owned()];
    assert!(codes(&open("a.xplane.pb", bytes(&space)).unwrap()).contains(&"profiler_warning"));
    // A warning with control characters is a message of another format.
    space.warnings = vec!["\u{8}\u{1}\u{12}".to_owned()];
    let opened = open("a.xplane.pb", bytes(&space)).unwrap();
    assert!(!codes(&opened).contains(&"profiler_warning"), "{:?}", opened.profile.notes);
    // Errors, warnings and hosts without planes are still an XSpace.
    let space = XSpace {
        errors: vec!["CUPTI could not be loaded".to_owned()],
        hostnames: vec!["host-a".to_owned()],
        ..Default::default()
    };
    let text = refused("a.xplane.pb", &bytes(&space));
    assert!(text.contains("holds no planes"), "{text}");
}

#[test]
fn an_empty_xspace_is_not_said_to_hold_the_rest_of_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("host.xplane.pb"), b"").unwrap();
    let space = XSpace { planes: vec![make::device(0)], ..XSpace::default() };
    let json = trace::text(&trace::events_of(&space));
    std::fs::write(folder.path().join("host.trace.json"), json).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(["inspect"]).arg(folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned();
    assert!(text.contains("host.xplane.pb is empty: the profile was larger than 2 GiB"), "{text}");
    assert!(!text.contains("it holds all"), "{text}");
}

const BODY: &str = "{\n  %a = f32[8]{0} parameter(0)\n  ROOT %b = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} %a)\n}\n";

#[test]
fn hlo_with_comments_and_without_a_header_opens() {
    let header = "HloModule m, is_scheduled=true\n\n";
    let commented = format!(
        "/* a module\n   of two lines */ {header}ENTRY %main (x: f32[8]) -> f32[8] /* \"{{ */ {{\n  \
         %a = f32[8]{{0}} parameter(0), /* x, \" ) */ sharding={{replicated}} // first\n  \
         /* ROOT */ ROOT %b = f32[8]{{0}} add(f32[8]{{0}} %a /* one, ( */, f32[8]{{0}} %a), metadata={{op_name=\"a/*b*/\"}} /* end\n */\n}}\n"
    );
    let plain = format!("{header}ENTRY %main (x: f32[8]) -> f32[8] {BODY}");
    for (text, name, n) in [
        (commented, "m", 2),
        (plain, "m", 2),
        (format!("ENTRY %main.7 (x: f32[8]) -> f32[8] {BODY}"), "main.7", 2),
        (format!("%fused_computation {BODY}\nENTRY e {BODY}"), "fused_computation", 4),
        ("%b = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} %a)\nROOT c = f32[8]{0} negate(b)\n".to_owned(), "b", 2),
    ] {
        let opened = open("pasted.txt", text.clone().into_bytes()).unwrap();
        assert_eq!((opened.files[0].format.as_str(), &opened.partial), ("HLO text", &None), "{text}");
        assert_eq!(opened.profile.hlo[0].module(), name, "{text}");
        let (module, _) = xla_profile::hlo::text::module(&text).unwrap();
        assert_eq!((module.instructions().count(), module.damage.leftover), (n, 0), "{text}: {:?}", module.damage);
        let add = module.instruction_named("b").and_then(|id| Some(module.instruction(id)?.operands.len()));
        assert_eq!(add, Some(2), "{text}");
    }
}

#[test]
fn a_dump_is_one_program_for_each_module() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/cases/dump_folder");
    let run = |arguments: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(arguments).arg(&folder).output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&run(&["memory", "--json"])).unwrap();
    let programs = json["programs"].as_array().unwrap();
    assert_eq!(programs.len(), 1, "{programs:?}");
    assert_eq!(programs[0]["file"], "module_0000.jit_f.cl_1.after_optimizations.hlo.pb");
    let notes = json["notes"].as_array().unwrap();
    let stages = notes.iter().find(|note| note["code"] == "other_stages").unwrap()["message"].as_str().unwrap();
    for stage in ["after_codegen", "after_optimizations_before_buffer_assignment", "before_optimizations"] {
        assert!(stages.contains(stage), "{stages}");
    }
    let text = run(&["memory"]);
    assert!(text.contains("module_0000.jit_f.cl_1.after_optimizations.hlo.pb"), "{text}");
}
