//! These tests check data movement: on captures built by hand, on the real host-offload capture, and against the sums
//! of the breakdown.

use crate::common;
use crate::common::{bytes, make, open};
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::classify::Kind;
use rooflight::analysis::data_movement::{
    Answer, Change, DataMovement, DataMovementRow, LayoutChange, classify, in_module,
};
use rooflight::session::Opened;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

fn data_movement(opened: &Opened, query: &Query) -> DataMovement {
    Analysis::new(&opened.profile).data_movement(&opened.profile, query, None)
}

fn data_movement_of_plane(plane: XPlane) -> DataMovement {
    let opened = open("it.xplane.pb", bytes(&XSpace { planes: vec![plane], ..XSpace::default() })).unwrap();
    data_movement(&opened, &Query { step: StepChoice::All, ..Query::busiest() })
}

/// Returns a plane of ops that run one after the other, given as program, HLO text, category and duration in ps.
fn plane(ops: &[(i64, &str, &str, i64)]) -> XPlane {
    let mut p = make::Plane::new("/device:TPU:0");
    let (mut events, mut now) = (Vec::new(), 0);
    for (program, text, category, duration) in ops {
        let name = text.trim_start_matches('%').split(" = ").next().unwrap();
        let mut stats = vec![("program_id", make::int(*program))];
        if !category.is_empty() {
            stats.push(("hlo_category", make::text(category)));
        }
        events.push((p.op(&format!("{text}{}", " ".repeat(*program as usize)), name, &stats), now, *duration));
        now += duration;
    }
    p.line("XLA Ops", &events);
    p.done()
}

fn row<'a>(a: &'a DataMovement, category: &str) -> &'a DataMovementRow {
    let found = a.by_category.iter().find(|r| r.key == category);
    found.unwrap_or_else(|| panic!("no {category}: {:?}", a.by_category.iter().map(|r| &r.key).collect::<Vec<_>>()))
}

fn answers(row: &DataMovementRow) -> [Option<bool>; 5] {
    Change::ALL.map(|change| row.tally(change).majority())
}

#[test]
fn a_wait_takes_the_answers_of_its_start() {
    let a = data_movement_of_plane(plane(&[
        (1, "%copy-start.1 = (f32[8]{0:S(5)}, f32[8]{0}, u32[]) copy-start(f32[8]{0} %x)", "copy-start", 1),
        (2, "%copy-start.1 = (f32[8]{0}, f32[8]{0}, u32[]) copy-start(f32[8]{0} %x)", "copy-start", 1),
        (1, "copy-done.1 = f32[8]{0:S(5)} copy-done(copy-start.1)", "copy-done", 50),
    ]));
    let done = row(&a, "copy-done");
    assert_eq!(answers(done), [Some(false), Some(false), Some(false), Some(true), Some(false)]);
    assert_eq!((done.total, done.stall, done.bytes), (Picos(50), Picos(50), Some(64)));
    assert_eq!((done.space_moves[0].from, done.space_moves[0].to), (0, 5));
    let start = row(&a, "copy-start");
    assert_eq!((start.stall, start.bytes), (Picos::ZERO, None));
    assert!(start.tally(Change::MemorySpace).is_mixed() && start.tally(Change::MemorySpace).yes == Picos(1));
    assert!(a.notes.iter().any(|n| n.code == "host_offload"));
    let lost =
        data_movement_of_plane(plane(&[(1, "copy-done.1 = f32[8]{0:S(5)} copy-done(copy-start.9)", "copy-done", 50)]));
    assert_eq!(answers(row(&lost, "copy-done")), [None; 5]);
    assert_eq!(row(&lost, "copy-done").undetectable["no_shape"], Picos(50));
}

#[test]
fn async_waits_have_the_kind_of_the_wrapped_op() {
    let a = data_movement_of_plane(plane(&[
        (
            1,
            "%async-start.1 = ((f32[8]{0}), f32[2]{0}, u32[]) async-start(f32[8]{0} %x), calls=%wrapped_slice.4",
            "async-start",
            1,
        ),
        (
            1,
            "%async-update.1 = ((f32[8]{0}), f32[2]{0}, u32[]) async-update(((f32[8]{0}), f32[2]{0}, u32[]) %async-start.1)",
            "async-update",
            2,
        ),
        (1, "%async-done.1 = f32[2]{0} async-done(((f32[8]{0}), f32[2]{0}, u32[]) %async-update.1)", "async-done", 4),
        (
            1,
            "%async-start.2 = ((f32[8]{0}), f32[8]{0}) async-start(f32[8]{0} %x), calls=%wrapped_all_to_all",
            "async-start",
            8,
        ),
        (1, "%async-done.2 = f32[8]{0} async-done(((f32[8]{0}), f32[8]{0}) %async-start.2)", "async-done", 16),
        (1, "%async-done.3 = f32[8]{0} async-done(((f32[8]{0}), f32[8]{0}) %async-start.3)", "async-done", 32),
    ]));
    let t = &a.totals;
    assert_eq!(
        (t.time_of_kind(Kind::DataMovement), t.time_of_kind(Kind::Communication), t.time_of_kind(Kind::Other)),
        (Picos(7), Picos(24), Picos(32))
    );
    assert_eq!((a.total, a.stall, a.exposed_comm), (Picos(31), Picos(20), Picos(16)));
}

#[test]
fn mixed_answers_are_decided_by_time() {
    let a = data_movement_of_plane(plane(&[
        (1, "%copy.1 = bf16[8,4]{0,1} copy(f32[8,4]{1,0} %x)", "data formatting", 10),
        (1, "%copy.2 = f32[8,4]{0,1} copy(f32[8,4]{1,0} %x)", "data formatting", 30),
        (1, "%copy.3 = f32[8,4] copy(f32[8,4] %x)", "data formatting", 25),
        (1, "%dot.1 = f32[8] dot(f32[8] %x, f32[8] %y)", "convolution", 35),
    ]));
    let formatting = row(&a, "data formatting");
    assert_eq!(answers(formatting), [Some(false), Some(true), Some(false), Some(false), Some(false)]);
    let dtype = formatting.tally(Change::Dtype);
    assert_eq!((dtype.yes, dtype.no, dtype.is_mixed()), (Picos(10), Picos(55), true));
    assert_eq!(formatting.tally(Change::Tiling).undetectable, Picos(25));
    assert_eq!((formatting.shapes_in.len(), formatting.shapes_in[0].as_str()), (2, "f32[8,4]{1,0}"));
    let note = a.notes.iter().find(|n| n.code == "data_formatting_share").unwrap();
    assert!(note.message.contains("65.0 %"), "{}", note.message);
    let program = &a.opcodes[0];
    assert_eq!((program.n_dot_convolution, program.copy_bytes), (1.into(), 192 + 256 + 256));
    assert_eq!((program.opcodes[0].opcode.as_str(), program.opcodes[0].n), ("copy", 3.into()));
}

/// If the capture has no categories, the categories come from the texts of the ops.
#[test]
fn categories_by_text() {
    let a = data_movement_of_plane(plane(&[(1, "%transpose.1 = f32[8] transpose(f32[8] %x), dimensions={0}", "", 5)]));
    assert_eq!(row(&a, "data formatting").total, Picos(5));
    assert_eq!(
        (a.by_source[0].key.as_str(), a.by_source[0].key_kind.as_str()),
        ("<no source>:data formatting", "no_source")
    );
}

/// Checks for several steps and devices that the categories, and the sources within them, sum to the time of data
/// movement and communication.
fn sums(opened: &Opened) {
    let analysis = Analysis::new(&opened.profile);
    let mut steps = vec![StepChoice::All, StepChoice::Busiest];
    steps.extend(analysis.devices.iter().flat_map(|d| &d.steps).map(|s| StepChoice::Number(s.number)).take(3));
    for step in steps {
        for device in [DeviceChoice::All, DeviceChoice::One(0)] {
            let query = Query { device, step, by: GroupBy::Kind, ..Query::busiest() };
            let b = analysis.breakdown(&opened.profile, &query).unwrap();
            let a = analysis.data_movement(&opened.profile, &query, None);
            let t = &b.totals;
            let expected =
                t.time_of_kind(Kind::DataMovement) + t.time_of_kind(Kind::Communication) + t.time_of_kind(Kind::Fused);
            let total = |rows: &[DataMovementRow]| rows.iter().map(|r| r.total).sum::<Picos>();
            assert_eq!((a.total, total(&a.by_category), total(&a.by_source)), (expected, expected, expected));
            assert_eq!(a.opcodes.iter().flat_map(|p| &p.opcodes).map(|o| o.total).sum::<Picos>(), t.busy);
            for category in &a.by_category {
                assert_eq!(total(a.sources_of(category)), category.total, "{}", category.key);
                for tally in &category.changes {
                    assert_eq!(tally.yes + tally.no + tally.undetectable, category.total);
                }
            }
        }
    }
}

#[test]
fn data_movement_sums_to_the_breakdown() {
    sums(&open("small.xplane.pb", bytes(&make::small())).unwrap());
    for (file, bytes) in common::xspaces() {
        sums(&open(file, bytes).unwrap());
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn host_offload_of_a_real_capture() {
    let bytes = common::profile("tpu-v6e-host-offload/host.xplane.pb").unwrap();
    let opened = open("host.xplane.pb", bytes).unwrap();
    let a = data_movement(&opened, &Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::busiest() });
    let done = row(&a, "copy-done");
    assert_eq!((done.n_executions, done.total, done.stall), (2400.into(), Picos(304_033_212_062_500), done.total));
    assert_eq!(answers(done), [Some(false), Some(false), Some(false), Some(true), Some(false)]);
    let memory = done.tally(Change::MemorySpace);
    assert_eq!((memory.yes, memory.is_mixed()), (done.total, false));
    let spaces: Vec<(i64, i64)> = done.space_moves.iter().map(|m| (m.from, m.to)).collect();
    assert_eq!(spaces, [(0, 5), (5, 0)], "to the host and back");
    assert_eq!(done.space_moves.iter().map(|m| m.total).sum::<Picos>(), done.total);
    assert_eq!(done.bytes, Some(2400 * 2 * 5_368_709_120));
    assert_eq!(a.opcodes[0].copy_bytes, 2400 * 2 * 5_368_709_120);
    let reduce = row(&a, "all-reduce");
    assert_eq!((reduce.n_executions, reduce.stall, a.exposed_comm), (12.into(), reduce.total, reduce.total));
}

/// Every op of a real training run is read, and nearly all changes are determined.
#[test]
#[ignore = "needs captures of other projects"]
fn a_real_training_run() {
    let table = common::json("tpu-v5p-golden/hlo_stats.json.gz").unwrap();
    let columns: Vec<&str> = table["cols"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap()).collect();
    let column = |name: &str| columns.iter().position(|c| *c == name).unwrap();
    let cell = |row: &serde_json::Value, name: &str| row["c"][column(name)]["v"].clone();
    let ops: Vec<(String, String, i64)> = table["rows"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let hlo = cell(row, "hlo_op_expression").as_str().unwrap_or_default().to_owned();
            #[expect(clippy::cast_possible_truncation, reason = "microseconds, as picoseconds")]
            let time = (cell(row, "total_self_time").as_f64().unwrap() * 1e6) as i64;
            (format!("{hlo}{}", " ".repeat(i)), cell(row, "category").as_str().unwrap().to_owned(), time)
        })
        .collect();
    let ops: Vec<(i64, &str, &str, i64)> = ops.iter().map(|(text, c, t)| (1, text.as_str(), c.as_str(), *t)).collect();
    let a = data_movement_of_plane(plane(&ops));
    let formatting = row(&a, "data formatting");
    assert_eq!(formatting.tally(Change::Tiling).undetectable, Picos::ZERO);
    // Three of the ops change dtype and order at once. One op keeps its order except for a dimension of size one.
    assert_eq!(answers(formatting), [Some(false), Some(true), Some(false), Some(false), Some(false)]);
    assert_eq!(answers(row(&a, "copy-done"))[3], Some(true), "to VMEM and back");
    let figures = |r: &DataMovementRow| {
        let percent = |p: Picos| format!("{:.3}", p.fraction_of(r.total).unwrap_or_default() * 100.0);
        (r.key.clone(), r.changes.iter().map(|t| [t.yes, t.no, t.undetectable].map(percent)).collect::<Vec<_>>())
    };
    insta::assert_json_snapshot!("v5p_data_movement", a.by_category.iter().map(figures).collect::<Vec<_>>());
}

/// With the instructions of its program, fewer fusions have an undetectable dimension order than with their texts
/// alone.
#[test]
fn programs_determine_more_fusions() {
    let Some(bytes) = common::profile("tpu-aot/v5e_2x2_dense_L2_d1024_s1024_b8_tp2.hlo_proto.pb") else { return };
    let proto = xla_profile::wire::hlo::decode(&bytes).unwrap();
    let module = xla_profile::hlo::Module::from_proto(&proto);
    let (mut alone, mut inside) = (0, 0);
    for (id, instruction) in module.instructions().filter(|(_, i)| &*i.opcode == "fusion") {
        let order = |v: LayoutChange| matches!(v.changes.answer(Change::DimOrder), Answer::Undetectable(_));
        alone += usize::from(order(classify(instruction)));
        inside += usize::from(order(in_module(&module, id)));
    }
    assert!(inside < alone, "{inside} < {alone}");
}

/// Returns the counts of a program with their names: executed ops, then instructions in bodies.
fn opcode_counts(
    program: &rooflight::analysis::data_movement::ProgramOpcodes,
    opcode: &str,
) -> (Option<u64>, Option<u64>) {
    let own = program.opcodes.iter().find(|sums| sums.opcode == opcode).and_then(|sums| sums.n.whole());
    let bodies = program.bodies.as_ref().map(|all| all.iter().find(|sums| sums.opcode == opcode));
    (own, bodies.map(|sums| sums.map_or(0, |sums| sums.n.whole().unwrap())))
}

/// An op runs the instructions of its body, which have no events. A `call` runs ops with events of their own, which are
/// counted as ops.
#[test]
fn instructions_in_bodies_are_counted_apart() {
    const TEXT: &str = "HloModule jit_f

%inner (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %e.2 = f32[8]{0} exponential(f32[8]{0} %p)
  ROOT %t = f32[8]{0} transpose(f32[8]{0} %e.2), dimensions={0}
}

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %sum = f32[] add(f32[] %x, f32[] %y)
}

%body (q: f32[8]) -> f32[] {
  %q = f32[8]{0} parameter(0)
  %zero = f32[] constant(0)
  %e.1 = f32[8]{0} exponential(f32[8]{0} %q)
  %nested = f32[8]{0} fusion(f32[8]{0} %e.1), kind=kLoop, calls=%inner
  %d = f32[8]{0} dot(f32[8]{0} %nested, f32[8]{0} %e.1), lhs_contracting_dims={}, rhs_contracting_dims={}
  ROOT %r = f32[] reduce(f32[8]{0} %d, f32[] %zero), dimensions={0}, to_apply=%add
}

%called (c: f32[8]) -> f32[8] {
  %c = f32[8]{0} parameter(0)
  %seen = f32[8]{0} exponential(f32[8]{0} %c)
  ROOT %unseen = f32[8]{0} negate(f32[8]{0} %seen)
}

ENTRY %main (a: f32[8]) -> f32[] {
  %a = f32[8]{0} parameter(0)
  %call.1 = f32[8]{0} call(f32[8]{0} %a), to_apply=%called
  ROOT %fusion.1 = f32[] fusion(f32[8]{0} %call.1), kind=kInput, calls=%body
}
";
    let module = xla_profile::hlo::text::module(TEXT).unwrap().0;
    let ops: &[(i64, &str, &str, i64)] = &[
        (1, "%call.1 = f32[8]{0} call(f32[8]{0} %a), to_apply=%called", "call", 1),
        (1, "%seen = f32[8]{0} exponential(f32[8]{0} %c)", "non-fusion elementwise", 5),
        (1, "%fusion.1 = f32[] fusion(f32[8]{0} %call.1), kind=kInput, calls=%body", "loop fusion", 7),
        (1, "%fusion.1 = f32[] fusion(f32[8]{0} %call.1), kind=kInput, calls=%body", "loop fusion", 7),
    ];
    let space = XSpace { planes: vec![plane(ops)], ..XSpace::default() };
    let opened = open("it.xplane.pb", bytes(&space)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    let (mut found, executed) = analysis.data_movement_and_ops(&opened.profile, &query, None);
    let programs: Vec<_> = executed.programs_with_bodies().collect();
    assert_eq!(programs.len(), 1);
    assert_eq!(opcode_counts(&found.opcodes[0], "exponential"), (Some(1), None), "nothing is counted yet");
    found.count_bodies(&opened.profile, &executed, programs[0], &module);
    let program = &found.opcodes[0];
    let counts = ["exponential", "transpose", "reduce", "dot", "fusion", "negate", "add", "constant", "parameter"]
        .map(|opcode| opcode_counts(program, opcode));
    assert_eq!(
        counts,
        [
            (Some(1), Some(4)),
            (None, Some(2)),
            (None, Some(2)),
            (None, Some(2)),
            (Some(2), Some(2)),
            (None, Some(1)),
            (None, Some(0)),
            (None, Some(0)),
            (None, Some(0))
        ]
    );
    assert_eq!(program.n_dot_convolution_in_bodies(), Some(2.into()));
    // The counts are unknown without the HLO of a fusion.
    let (mut found, executed) = analysis.data_movement_and_ops(&opened.profile, &query, None);
    let other = xla_profile::hlo::text::module(&TEXT.replace("%fusion.1", "%fusion.2")).unwrap().0;
    found.count_bodies(&opened.profile, &executed, programs[0], &other);
    assert_eq!(found.opcodes[0].bodies, None);
}

/// The training step of an H100 has its dots and exponentials in fusions.
#[test]
fn the_command_counts_instructions_in_fusions() {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/gpu/xla.graphs.xplane.pb.xz");
    let out = crate::fleet::rooflight().args(["data-movement", "--json", capture]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let program = &json["opcodes"][0];
    assert_eq!((&program["n_dot_convolution"], &program["n_exponential"]), (&0.into(), &0.into()));
    for name in ["n_dot_convolution", "n_exponential", "n_reduce", "n_transpose"] {
        let n = program[format!("{name}_in_fusions")].as_f64().unwrap();
        assert!(n > 0.0, "{name}: {program}");
    }
    let all = program["by_opcode_in_fusions"].as_array().unwrap();
    let exponential = all.iter().find(|sums| sums["opcode"] == "exponential").unwrap();
    assert_eq!(exponential["n_executions"], program["n_exponential_in_fusions"]);
}
