//! These tests check how the programs of two captures are compared: on copies of a capture in which one instruction is another.

use crate::common::open;
use crate::compare::{compared, gpu, opened, sample, side, simulated};
use prost::Message;
use rooflight::analysis::compare::{ChangeCounts, ChangeKind, Comparison, Gate, GateFigure, ProgramDiff, Property};
use rooflight::report::compare;
use rooflight::session::Programs;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use xla_profile::hlo::Module;
use xla_profile::wire::hlo::decode;
use xla_profile::wire::proto::hlo::{HloInstructionProto, HloProto};
use xla_profile::wire::proto::xspace::{XSpace, x_stat};

/// The changes are rows, each at most once, and sum to the difference of the changes.
pub fn check_changes(comparison: &Comparison) {
    let diff = &comparison.program_changes;
    assert_eq!(diff.changes.iter().map(|change| change.delta_ps).sum::<i64>(), diff.delta_ps);
    let rows: BTreeSet<u32> = diff.changes.iter().map(|change| change.row).collect();
    assert_eq!(rows.len(), diff.changes.len());
    for change in &diff.changes {
        let row = &comparison.rows[change.row as usize];
        assert_eq!(row.delta_ps, change.delta_ps);
        let kind = match (&row.a, &row.b) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        assert_eq!(change.kind, kind);
        assert_eq!(change.what.is_empty(), kind != ChangeKind::Changed);
    }
    let sizes: Vec<u64> = diff.changes.iter().map(|change| change.delta_ps.unsigned_abs()).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b));
}

/// A program has no changes from itself.
pub fn check_no_changes(diff: &ProgramDiff) {
    assert!(
        diff.changes.is_empty() && diff.only_in_a.is_empty() && diff.only_in_b.is_empty(),
        "{:?}",
        diff.changes.first()
    );
    assert_eq!((diff.n_without_time, diff.n_moved, diff.opcodes.len()), (ChangeCounts::default(), 0, 0));
    assert!(diff.programs.iter().all(|program| program.is_same));
}

/// The changes of `there` are the opposite of those of `back`.
pub fn check_opposite_changes(there: &Comparison, back: &Comparison) {
    let changes = |comparison: &Comparison, is_turned: bool| {
        let change = |change: &rooflight::analysis::compare::ProgramChange| {
            let row = &comparison.rows[change.row as usize];
            let ops = |side: &Option<rooflight::analysis::compare::RowSide>| {
                side.as_ref().map_or(Vec::new(), |side| side.ops.clone())
            };
            let what = change.what.iter().map(|changed| (changed.property, changed.a.clone(), changed.b.clone()));
            let mut all = (ops(&row.a), ops(&row.b), change.kind, what.collect::<Vec<_>>());
            if is_turned {
                std::mem::swap(&mut all.0, &mut all.1);
                all.3.iter_mut().for_each(|(_, a, b)| std::mem::swap(a, b));
                all.2 = match all.2 {
                    ChangeKind::Added => ChangeKind::Removed,
                    ChangeKind::Removed => ChangeKind::Added,
                    ChangeKind::Changed => ChangeKind::Changed,
                };
            }
            all
        };
        let mut all: Vec<_> = comparison.program_changes.changes.iter().map(change).collect();
        all.sort();
        all
    };
    assert_eq!(changes(there, false), changes(back, true));
    let (there, back) = (&there.program_changes, &back.program_changes);
    // Each row is rounded on its own, and the rows of both ways by a picosecond.
    assert!((there.delta_ps + back.delta_ps).unsigned_abs() as usize <= there.changes.len());
    let ChangeCounts { added, removed, changed } = back.n_without_time;
    assert_eq!(there.n_without_time, ChangeCounts { added: removed, removed: added, changed });
    assert_eq!((there.n_moved, &there.only_in_a, &there.only_in_b), (back.n_moved, &back.only_in_b, &back.only_in_a));
    let opcodes = |diff: &ProgramDiff| diff.opcodes.clone();
    let turned = opcodes(back).into_iter().map(|mut diff| {
        std::mem::swap(&mut diff.a, &mut diff.b);
        diff
    });
    assert_eq!(opcodes(there), turned.collect::<Vec<_>>());
}

/// Another compile, and other source lines, are no changes. The order of independent instructions may be another one.
#[test]
fn another_compile_of_the_same_program_has_no_changes() {
    let (plain, _) = simulated(&[]);
    for options in [&["--edit-lines"][..], &["--renumber", "--edit-lines"], &["--seed", "5"]] {
        let (other, _) = simulated(options);
        let mut diff = compared(opened(&plain), opened(&other)).program_changes;
        if options.contains(&"--renumber") {
            diff.n_moved = 0;
        }
        check_no_changes(&diff);
        assert!(!diff.programs.is_empty());
    }
}

/// The sample, a capture of a TPU with its program.
fn packed_sample() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sample.xplane.pb.xz");
    let mut bytes = Vec::new();
    lzma_rust2::XzReader::new(&std::fs::read(path).unwrap()[..], true).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Returns a copy of a capture in which the programs are edited.
fn edited(bytes: &[u8], mut edit: impl FnMut(&mut HloProto)) -> Vec<u8> {
    let mut space = XSpace::decode(bytes).unwrap();
    for metadata in space.planes.iter_mut().flat_map(|plane| plane.event_metadata.values_mut()) {
        for stat in &mut metadata.stats {
            if let Some(x_stat::Value::BytesValue(bytes)) = &mut stat.value
                && let Ok(mut proto) = decode(bytes)
            {
                edit(&mut proto);
                *bytes = proto.encode_to_vec();
            }
        }
    }
    space.encode_to_vec()
}

fn edit_instruction(proto: &mut HloProto, name: &str, edit: impl Fn(&mut HloInstructionProto)) {
    let computations = proto.hlo_module.iter_mut().flat_map(|module| &mut module.computations);
    computations
        .flat_map(|computation| &mut computation.instructions)
        .filter(|instruction| instruction.name == name)
        .for_each(edit);
}

/// Returns the programs of a capture.
fn modules(bytes: &[u8]) -> Vec<std::rc::Rc<Module>> {
    let mut opened = open("a.xplane.pb", bytes.to_vec()).unwrap();
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let ids: Vec<_> = opened.profile.programs.keys().copied().collect();
    ids.into_iter().filter_map(|id| programs.of_id(&opened.profile, id)).collect()
}

/// An edit of one instruction is the change of that op, and of the ops that read its result.
#[test]
fn one_instruction_is_another() {
    let bytes = packed_sample();
    let modules = modules(&bytes);
    let plain = compared(side("a.xplane.pb", bytes.clone()), side("b.xplane.pb", bytes.clone()));
    let is_op = |name: &str| plain.rows.iter().any(|row| row.a.as_ref().unwrap().ops.iter().any(|op| op == name));
    let named = |is: &dyn Fn(&xla_profile::hlo::Instruction) -> bool| {
        let all = modules.iter().flat_map(|module| module.instructions());
        let chosen =
            all.map(|(_, instruction)| instruction).find(|instruction| is_op(&instruction.name) && is(instruction));
        chosen.expect("an op of this kind").name.to_string()
    };
    let fusion = named(&|instruction| {
        &*instruction.opcode == "fusion" && instruction.shape.as_array().is_some_and(|array| array.dims.len() > 1)
    });
    let collective =
        named(&|instruction| instruction.replica_groups().is_some() && &*instruction.opcode == "all-gather");
    let shape = |instruction: &mut HloInstructionProto,
                 edit: &dyn Fn(&mut xla_profile::wire::proto::hlo::ShapeProto)| {
        edit(instruction.shape.as_mut().unwrap());
    };
    type Edit<'e> = &'e dyn Fn(&mut HloInstructionProto);
    let double: Edit<'_> = &|instruction| shape(instruction, &|shape| shape.dimensions[0] *= 2);
    let other_type: Edit<'_> =
        &|instruction| shape(instruction, &|shape| shape.element_type = if shape.element_type == 11 { 16 } else { 11 });
    let reversed: Edit<'_> =
        &|instruction| shape(instruction, &|shape| shape.layout.as_mut().unwrap().minor_to_major.reverse());
    let moved: Edit<'_> = &|instruction| shape(instruction, &|shape| shape.layout.as_mut().unwrap().memory_space ^= 1);
    let configured: Edit<'_> = &|instruction| instruction.backend_config = b"{\"other\":1}".to_vec();
    let regrouped: Edit<'_> = &|instruction| {
        (instruction.iota_collective_device_list, instruction.collective_device_list) = (None, None);
        instruction.mesh_axes_replica_group_list = None;
        instruction.replica_groups = vec![xla_profile::wire::proto::hlo::ReplicaGroup { replica_ids: vec![0, 7] }];
    };
    for (name, edit, property) in [
        (&fusion, double, Property::Shape),
        (&fusion, other_type, Property::Dtype),
        (&fusion, reversed, Property::Layout),
        (&fusion, moved, Property::MemorySpace),
        (&fusion, configured, Property::Attributes),
        (&collective, regrouped, Property::Groups),
    ] {
        let other = edited(&bytes, |proto| edit_instruction(proto, name, edit));
        let comparison = compared(side("a.xplane.pb", bytes.clone()), side("b.xplane.pb", other));
        let diff = &comparison.program_changes;
        assert!(diff.programs.iter().any(|program| !program.is_same), "{name} {property:?}");
        let mut readers = BTreeSet::new();
        for module in &modules {
            let Some(id) = module.instruction_named(name) else { continue };
            readers.extend(module.users(id).iter().map(|user| module.instruction(*user).unwrap().name.to_string()));
            // Copies have no scope, so that a copy of another array may not be recognised; the wait for a copy reads it.
            for user in module.users(id).iter().flat_map(|user| module.users(*user)) {
                readers.extend(module.instruction(*user).map(|instruction| instruction.name.to_string()));
            }
        }
        let mut has_edited = false;
        for change in &diff.changes {
            let row = &comparison.rows[change.row as usize];
            let mut ops = [&row.a, &row.b].into_iter().flatten().flat_map(|side| &side.ops);
            if change.kind == ChangeKind::Changed && ops.clone().all(|op| op == name) {
                has_edited = true;
                let properties: Vec<Property> = change.what.iter().map(|changed| changed.property).collect();
                assert_eq!(properties, [property], "{name}: {:?}", change.what);
            } else {
                assert!(ops.all(|op| readers.contains(op)), "{name} {property:?} {row:?} {:?}", change.what);
            }
        }
        assert!(has_edited, "{name} {property:?}: {:?}", diff.changes);
        assert_eq!((diff.n_without_time.added, diff.n_without_time.removed), (0, 0), "{name} {property:?}");
        assert!(diff.opcodes.is_empty() && diff.n_moved == 0);
    }
}

/// Instructions that take no time are counted: a parameter that is added, and a constant with another value.
#[test]
fn instructions_without_time_are_counted() {
    let bytes = packed_sample();
    let mut n_constants = 0;
    let other = edited(&bytes, |proto| {
        let module = proto.hlo_module.as_mut().unwrap();
        let entry = module.entry_computation_id;
        let computation = module.computations.iter_mut().find(|candidate| candidate.id == entry).unwrap();
        let number = computation.instructions.iter().filter(|instruction| instruction.opcode == "parameter").count();
        let mut added =
            computation.instructions.iter().find(|instruction| instruction.opcode == "parameter").unwrap().clone();
        (added.name, added.id, added.parameter_number) = ("another".to_owned(), 1 << 40, number as i64);
        n_constants += 1;
        computation.instructions.push(added);
    });
    let comparison = compared(side("a.xplane.pb", bytes.clone()), side("b.xplane.pb", other.clone()));
    let diff = comparison.program_changes;
    assert!(diff.changes.is_empty());
    assert_eq!(diff.n_without_time, ChangeCounts { added: n_constants, removed: 0, changed: 0 });
    assert_eq!(diff.opcodes.len(), 1);
    assert_eq!((&*diff.opcodes[0].opcode, diff.opcodes[0].b - diff.opcodes[0].a), ("parameter", n_constants));
}

/// Programs that cannot be compared have a reason.
#[test]
fn programs_without_hlo_have_a_reason() {
    let comparison = compared(gpu("xla"), sample("sample.xplane.pb.xz"));
    let diff = &comparison.program_changes;
    assert_eq!(diff.programs.is_empty(), diff.absent.is_some());
    // Matmuls in f32 instead of bf16: most changed ops have another type.
    let comparison = compared(gpu("xla"), gpu("f32"));
    let changed = comparison.program_changes.changes.iter().filter(|change| change.kind == ChangeKind::Changed);
    let has = |property| {
        changed.clone().filter(|change| change.what.iter().any(|changed| changed.property == property)).count()
    };
    assert!(has(Property::Dtype) * 10 > changed.clone().count() * 8);
    assert!(has(Property::Groups) == 0 && has(Property::MemorySpace) == 0);
}

/// Markdown has at most 60 lines, whatever differs.
#[test]
fn markdown_is_short() {
    let mut comparison = compared(gpu("xla"), gpu("f32"));
    let finding = comparison.findings[0].clone();
    comparison.findings = vec![finding; 30];
    comparison.parity.iter_mut().for_each(|parity| parity.is_equal = Some(false));
    let parts = comparison.parts.clone();
    comparison.parts.extend(parts);
    for figure in &mut comparison.figures {
        (figure.a, figure.b) = (Some(0.1), Some(0.2));
    }
    let gate = Gate { on: GateFigure::Period, limit: Some(0.03), rows_over: Some(0.001) };
    let text = compare::text::markdown(&comparison, Some(&gate));
    let n = text.lines().count();
    assert!((52..=60).contains(&n), "{n}\n{text}");
}
