//! These tests check the File view and the texts of programs: sums over every real capture, texts against the printed
//! module, and searches against a plain loop.

use crate::common::{self, breakdown_page, bytes, hlo, make, profile, roofline_query, self_time};
use rooflight::analysis::base::{DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::files::{FileView, LineUse, PlaneRole, ProgramSource};
use rooflight::chart::files;
use rooflight::protocol::{
    LineKind, MAX_LINES, MemorySession, OpRef, ProgramFound, ProgramOutline, ProgramPage, ProgramQuery, ProgramRef,
    Reply, Request, ViewRequest,
};
use rooflight::session::{Input, OpenSession};
use rooflight::table::page::{PageQuery, split_row_key};
use xla_profile::hlo::Module;
use xla_profile::units::Picos;
use xla_profile::wire::hlo::decode;
use xla_profile::wire::proto::xspace::XSpace;

fn open(name: &str, bytes: Vec<u8>) -> OpenSession {
    let input = Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap().0
}

fn file(engine: &mut OpenSession) -> FileView {
    engine.answer(&ViewRequest::File.into()).decode().unwrap()
}

fn page(engine: &mut OpenSession, program: ProgramRef, first: u32, count: u32) -> ProgramPage {
    engine.answer(&ViewRequest::ProgramText { program, first, count }.into()).decode().unwrap()
}

fn outline(engine: &mut OpenSession, program: ProgramRef) -> ProgramOutline {
    engine.answer(&ViewRequest::ProgramOutline(program).into()).decode().unwrap()
}

fn search(engine: &mut OpenSession, program: ProgramRef, text: &str, regex: bool) -> Vec<u32> {
    let found: ProgramFound = engine
        .answer(&ViewRequest::ProgramSearch(ProgramQuery { program, text: text.to_owned(), regex }).into())
        .decode()
        .unwrap();
    assert_eq!(found.n as usize, found.lines.len());
    found.lines
}

/// Returns the whole text of a program, read in windows of `count` lines.
fn text(engine: &mut OpenSession, program: ProgramRef, count: u32) -> String {
    let mut text = String::new();
    let mut first = 0;
    loop {
        let page = page(engine, program, first, count);
        assert_eq!(page.first, first);
        assert!(page.lines.len() <= (count as usize).min(MAX_LINES));
        for line in &page.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        first += page.lines.len() as u32;
        if page.lines.is_empty() {
            assert_eq!((first, text.len() as u64), (page.head.n_lines, page.head.bytes));
            return text;
        }
    }
}

fn check_sums(engine: &mut OpenSession, size: u64) -> FileView {
    let view = file(engine);
    assert_eq!((view.bytes, view.files.len()), (size, 1));
    assert_eq!(view.n_events, view.planes.iter().map(|p| p.n_events).sum::<u64>());
    assert!(view.planes.iter().map(|p| p.bytes).sum::<u64>() <= size);
    for plane in &view.planes {
        assert_eq!(plane.n_events, plane.lines.iter().map(|l| l.n_events).sum::<u64>());
        assert_eq!(plane.bytes, plane.metadata_bytes + plane.lines.iter().map(|l| l.bytes).sum::<u64>());
        assert_eq!(plane.origin_ns.is_some(), plane.n_events > 0);
        assert!(!plane.words.is_empty() && plane.file == 0);
        for line in &plane.lines {
            assert_eq!(line.span.is_some(), line.n_events > 0, "{}", line.name);
            assert!(line.span.is_none_or(|(from, to)| from <= to));
            assert!(line.n_events > 0 || line.used == LineUse::NotUsed);
        }
    }
    // The programs are compared with the rows of the breakdown.
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, by: GroupBy::Program, ..Query::busiest() };
    let page = breakdown_page(engine, &query, PageQuery { count: 1000, ..PageQuery::default() });
    let mut busy = 0;
    for row in &page.rows {
        let (_, Some(id)) = split_row_key(&row.key) else { continue };
        let program = view.programs.iter().find(|p| p.program_id == Some(id)).unwrap();
        assert_eq!(program.busy, Some(self_time(row)), "{}", program.name);
        busy += 1;
    }
    assert_eq!(view.programs.iter().filter(|p| p.busy.is_some()).count(), busy);
    assert!(view.programs.is_sorted_by_key(|p| std::cmp::Reverse(p.busy)));
    assert!(view.programs.iter().all(|p| p.n_instructions.is_none() && p.n_computations.is_none()));
    view
}

#[test]
fn sums_of_every_capture() {
    for space in [make::small(), make::kda()] {
        let bytes = bytes(&space);
        let size = bytes.len() as u64;
        check_sums(&mut open("it.xplane.pb", bytes), size);
    }
    for (name, bytes) in common::xspaces() {
        let size = bytes.len() as u64;
        check_sums(&mut open(name, bytes), size);
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn a_real_capture() {
    let name = "tpu-v6e-host-offload/host.xplane.pb";
    let bytes = profile(name).unwrap();
    let size = bytes.len() as u64;
    let view = check_sums(&mut open(name, bytes), size);
    let result: Vec<_> = view.programs.iter().map(|p| (p.name.as_str(), p.n_runs, p.bytes, p.source)).collect();
    let capture = ProgramSource::Capture;
    let expected = [
        ("jit_f", Some(400), Some(8194), capture),
        ("jit__psum", Some(12), Some(2293), capture),
        ("jit_broadcast_in_dim", Some(1), Some(1425), capture),
        ("jit_convert_element_type", Some(1), Some(453), capture),
    ];
    assert_eq!(result, expected);
    assert_eq!(view.programs[0].busy, Some(Picos(313_653_114_681_250)));
    assert_eq!(view.programs[3].busy, None, "its runs have no ops");
    let devices: Vec<_> = view.planes.iter().filter(|p| p.role == PlaneRole::Device).collect();
    assert_eq!(devices.len(), 4);
    let used: Vec<_> = devices[0].lines.iter().take(3).map(|l| (l.name.as_str(), l.used)).collect();
    let expected = [("XLA Modules", LineUse::Modules), ("XLA Ops", LineUse::Ops), ("Async XLA Ops", LineUse::Async)];
    assert_eq!(used, expected);
    let others: Vec<_> = devices[0].lines[3..].iter().map(|l| (l.name.as_str(), l.used)).collect();
    assert_eq!(others, [("Overlay", LineUse::NotUsed), ("XLA TraceMe", LineUse::Gaps)]);
}

/// The program that ran longest comes first in the File view and in Memory. Ops of trace JSON do not name their
/// program, but runs do. The lengths are those of the `XLA Modules` events in the file, summed by hand.
#[test]
#[ignore = "needs captures of other projects"]
fn the_program_that_ran_longest_comes_first() {
    let name = "tpu-vllm-trace/vllm.trace.json.gz";
    let bytes = profile(name).unwrap();
    let mut engine = open(name, bytes);
    let view = file(&mut engine);
    let result: Vec<_> =
        view.programs.iter().map(|p| (p.name.as_str(), p.n_runs, p.run_time.unwrap().0, p.busy)).collect();
    let expected = [
        ("jit_step_fun", Some(2), 66_914_493_397 + 66_976_312_125, None),
        ("jit_compute_logits_func", Some(2), 295_455_132 + 293_799_520, None),
        ("jit_sample", Some(2), 10_859_394 + 11_725_090, None),
        ("jit__select_from_array_fn", Some(2), 10_756_228 + 11_786_315, None),
    ];
    assert_eq!(result, expected);
    assert!(
        files::program(&view.programs[0]).1.starts_with("133.89 ms in 2 executions"),
        "{:?}",
        files::program(&view.programs[0])
    );
    let memory: MemorySession = engine.answer(&ViewRequest::Memory.into()).decode().unwrap();
    let order: Vec<u32> = memory.programs.programs.iter().map(|program| program.program).collect();
    assert_eq!(order, [0, 1, 2, 3], "nothing is known of their memory: the same order");
}

/// The text of every program, in a capture or in a file of its own, is the text that its module prints.
#[test]
fn texts_match_printed_modules() {
    let mut n = 0;
    for (name, capture) in common::xspaces() {
        let programs = hlo::programs(&prost::Message::decode(&*capture).unwrap());
        let mut engine = open(name, capture);
        for (i, program) in file(&mut engine).programs.iter().enumerate() {
            let id = program.program_id.unwrap();
            let ends = [format!("({id})"), format!("({})", id.cast_signed())];
            let Some((_, proto)) = programs.iter().find(|(name, _)| ends.iter().any(|end| name.ends_with(end))) else {
                assert_ne!(program.source, ProgramSource::Capture, "{name} {}", program.name);
                continue;
            };
            check_text(&mut engine, ProgramRef(i as u32), &Module::from_proto(proto));
            n += 1;
        }
    }
    assert!(n > 10, "{n}");
    for name in hlo::AOT {
        let bytes = profile(&format!("tpu-aot/{name}.hlo_proto.pb")).unwrap();
        let module = Module::from_proto(&decode(&bytes).unwrap());
        check_text(&mut open("it.pb", bytes), ProgramRef(0), &module);
    }
}

fn check_text(engine: &mut OpenSession, program: ProgramRef, module: &Module) {
    let printed = module.to_string();
    assert!(text(engine, program, 700) == printed, "{}", module.name);
    let outline = outline(engine, program);
    assert_eq!((outline.head.name.as_str(), outline.head.leftover), (&*module.name, module.damage.leftover as u32));
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(outline.head.n_lines as usize, lines.len());
    assert_eq!(outline.computations.len(), module.computations().len());
    assert_eq!(outline.computations.iter().filter(|c| c.is_entry).count(), usize::from(module.entry.is_some()));
    let entry = outline.computations.iter().find(|c| c.is_entry).map(|c| c.name.clone());
    assert_eq!(entry, outline.head.entry);
    for (item, (_, computation)) in outline.computations.iter().zip(module.computations()) {
        let line = lines[item.line as usize];
        assert!(line.trim_start_matches("ENTRY ").starts_with(&format!("%{} ", item.name)), "{line}");
        assert_eq!((&*item.name, item.n_instructions), (&*computation.name, computation.instructions.len() as u32));
        assert_eq!(page(engine, program, item.line, 1).lines[0].kind, LineKind::Computation);
    }
    // The lines of instructions carry their names, in order, and none is left out.
    let mut names = Vec::new();
    while (names.len() as u32) < outline.head.n_lines {
        names.extend(page(engine, program, names.len() as u32, 1000).lines);
    }
    let names = names.into_iter().filter_map(|line| match line.kind {
        LineKind::Instruction(name) => Some(name),
        _ => None,
    });
    // A scheduled module is printed in the order of its schedule.
    let (printed, _) = xla_profile::hlo::text::module(&module.to_string()).unwrap();
    assert!(names.eq(printed.instructions().map(|(_, i)| i.name.to_string())));
    assert_eq!(printed.instructions().len(), module.instructions().len());
    // The counts are known once the program was read.
    let result = &file(engine).programs[program.0 as usize];
    assert_eq!(result.n_instructions, Some(module.instructions().len() as u32));
    assert_eq!(result.n_computations, Some(module.computations().len() as u32));
}

#[test]
fn searches_match_a_plain_loop() {
    let Some(bytes) = profile(&format!("tpu-aot/{}.hlo_proto.pb", hlo::AOT[6])) else { return };
    let printed = Module::from_proto(&decode(&bytes).unwrap()).to_string();
    let mut engine = open("it.pb", bytes);
    let found = |is: &dyn Fn(&str) -> bool| -> Vec<u32> {
        printed.lines().enumerate().filter(|(_, line)| is(line)).map(|(i, _)| i as u32).collect()
    };
    let lower = |line: &str| line.to_ascii_lowercase();
    for needle in ["fusion", "FUSION.1", "S(5)", "jit(train_step)/", "}", "no such text", "bf16[", " "] {
        let expected = found(&|line| lower(line).contains(&lower(needle)));
        assert_eq!(search(&mut engine, ProgramRef(0), needle, false), expected, "{needle}");
    }
    let needle = r"^\s+(ROOT )?%fusion\.\d+ = ";
    let regex = regex_lite::RegexBuilder::new(needle).case_insensitive(true).build().unwrap();
    let expected = found(&|line| regex.is_match(line));
    assert!(!expected.is_empty());
    assert_eq!(search(&mut engine, ProgramRef(0), needle, true), expected);
    assert_eq!(search(&mut engine, ProgramRef(0), "", false), [0; 0]);
    let query = ProgramQuery { program: ProgramRef(0), text: "a(".into(), regex: true };
    assert!(matches!(engine.answer(&ViewRequest::ProgramSearch(query).into()), Reply::BadFilter(e) if e.column == 2));
}

#[test]
#[ignore = "needs captures of other projects"]
fn without_hlo_the_text_lists_the_events() {
    let name = "tpu-v6e-host-offload/host.xplane.pb";
    let mut space = hlo::xspace(name).unwrap();
    space.planes.retain(|plane| plane.name != "/host:metadata");
    let mut engine = open(name, bytes(&space));
    let view = file(&mut engine);
    assert_eq!(view.programs.len(), 4);
    assert!(view.programs.iter().all(|p| p.source == ProgramSource::Events && p.bytes.is_none()));
    let mut texts: Vec<String> = space.planes.iter().flat_map(hlo::op_texts).collect();
    for i in 0..4 {
        let page = page(&mut engine, ProgramRef(i), 0, 1000);
        assert!(page.lines[0].text.starts_with("// The capture does not have the HLO of this program"));
        assert_eq!((page.head.entry, page.head.n_computations), (None, None));
        for line in &page.lines[1..] {
            assert!(matches!(&line.kind, LineKind::Instruction(name) if line.text.starts_with(&format!("%{name} = "))));
            texts.retain(|text| *text != line.text);
        }
        assert_eq!(page.head.n_instructions as usize, page.lines.len() - 1);
        assert!(outline(&mut engine, ProgramRef(i)).computations.is_empty());
    }
    assert!(texts.is_empty(), "{texts:?}");
    assert!(file(&mut engine).programs.iter().all(|p| p.n_instructions.is_none()), "events do not say");
}

#[test]
fn missing_programs_are_reported() {
    let mut engine = open("it.xplane.pb", bytes(&make::small()));
    let n = file(&mut engine).programs.len() as u32;
    for program in [ProgramRef(n), ProgramRef(u32::MAX)] {
        let query =
            |request: &Request, engine: &mut OpenSession| assert!(matches!(engine.answer(request), Reply::Failed(_)));
        query(&ViewRequest::ProgramText { program, first: 0, count: 10 }.into(), &mut engine);
        query(&ViewRequest::ProgramOutline(program).into(), &mut engine);
        query(
            &ViewRequest::Op { query: roofline_query(Query::busiest()), op: OpRef::listed("x", program) }.into(),
            &mut engine,
        );
    }
    let page = page(&mut engine, ProgramRef(0), u32::MAX, u32::MAX);
    assert!(page.lines.is_empty());
}

fn inspect(args: &[&str]) -> std::process::Output {
    crate::fleet::rooflight().arg("inspect").args(args).output().unwrap()
}

/// `--top` limits the planes and lines that `inspect` lists, and text is limited without it.
#[test]
fn inspect_lists_no_more_planes_than_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.xplane.pb");
    let mut planes: Vec<_> = (0..300).map(|n| make::Plane::new(&format!("plane {n}")).done()).collect();
    for plane in &mut planes {
        plane.lines.push(Default::default());
    }
    std::fs::write(&path, bytes(&XSpace { planes, ..XSpace::default() })).unwrap();
    let path = path.to_str().unwrap();
    let text = |args: &[&str]| {
        let out = inspect(&[args, &[path]].concat());
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let n_planes = |text: &str| text.lines().filter(|line| line.contains("plane ")).count();
    for form in [&[][..], &["--markdown"]] {
        let all = text(form);
        assert!((50..=200).contains(&n_planes(&all)) && all.contains(" more"), "{all}");
        let few = text(&[form, &["--top", "5"]].concat());
        assert!((1..=5).contains(&n_planes(&few)) && few.contains(" more"), "{few}");
    }
    assert_eq!(n_planes(&text(&["--csv"])), 300);
    assert!((1..=5).contains(&n_planes(&text(&["--csv", "--top", "5"]))));
    let json = |args: &[&str]| -> serde_json::Value { serde_json::from_str(&text(args)).unwrap() };
    assert_eq!(json(&["--json"])["planes"].as_array().unwrap().len(), 300);
    assert_eq!(json(&["--json", "--top", "5"])["planes"].as_array().unwrap().len(), 5);
}

/// A pipe has no size. It is read to its end, and is not taken for an empty file.
#[test]
#[cfg(unix)]
fn a_pipe_is_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe.xplane.pb");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let (writer, space) = (path.clone(), bytes(&make::small()));
    let thread = std::thread::spawn(move || std::fs::write(writer, space));
    let out = inspect(&["--json", path.to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    thread.join().unwrap().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["planes"].as_array().unwrap().len(), 3);
    assert_eq!(json["files"][0]["size_bytes"], bytes(&make::small()).len());
    // `<(cat capture.xplane.pb)` of a shell is a pipe too, and a device is not read.
    let refused = inspect(&["/dev/null"]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(
        text,
        "rooflight: /dev/null could not be opened. It is a device or a socket, and no file. Give the path of a capture.\n"
    );
}

/// Bytes above the bandwidth of any HBM are those of all memories, and the text says so.
#[test]
fn rates_above_every_hbm_are_explained() {
    let mut plane = make::Plane::new("/device:TPU:0");
    let stats = |bytes: i64| [("hlo_category", make::text("loop fusion")), ("bytes_accessed", make::int(bytes))];
    let fast = plane.op("%fusion.1 = f32[8] fusion(f32[8] %x), kind=kLoop, calls=%c", "fusion.1", &stats(40_000_000));
    let slow = plane.op("%fusion.2 = f32[8] fusion(f32[8] %x), kind=kLoop, calls=%d", "fusion.2", &stats(1_000_000));
    plane.line("XLA Ops", &[(fast, 0, 1_000_000), (slow, 1_000_000, 1_000_000)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fast.xplane.pb");
    std::fs::write(&path, bytes(&XSpace { planes: vec![plane.done()], ..XSpace::default() })).unwrap();
    let text = |args: &[&str]| {
        let out = crate::fleet::rooflight().arg("breakdown").args(args).arg(&path).output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    let all = text(&[]);
    assert!(all.contains("▲ 40,000") && !all.contains("▲ 1,000"), "{all}");
    assert!(all.contains("▲ GB/s: the rate is above the HBM bandwidth of any known chip ("), "{all}");
    assert!(all.contains("Bytes are those of all memories, caches included."), "{all}");
    assert!(!text(&["--filter", "fusion.2"]).contains('▲'));
}
