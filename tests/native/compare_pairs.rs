//! These tests compare programs of one model in other shapes, such as more layers or another chip. The true pairs of their ops
//! are known: all programs come from the same sources, so that ops that come from the same place of the sources, and take the
//! same weights of the model, belong together. The matcher uses neither places in the sources nor names of weights.

use crate::compare::{compared, opened};
use crate::compare_matching::{Capture, check_once, match_parts, shares, text};
use crate::synth::made;
use rooflight::analysis::compare::matching::{OpMatch, SideOp};
use rooflight::hlo::opcode::{base, is_collective, is_done};
use rooflight::hlo::{Call, InstructionId, Module};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

/// The programs of `programs/train_steps.xz`, as `samples/variants.py` lists them, with the chip that each is for.
const VARIANTS: [(&str, &str); 8] = [
    ("base", "TPU v5p"),
    ("layers", "TPU v5p"),
    ("bf16", "TPU v5p"),
    ("batch", "TPU v5p"),
    ("tensor4", "TPU v5p"),
    ("v5e", "TPU v5e"),
    ("unrolled2", "TPU v5p"),
    ("unrolled3", "TPU v5p"),
];

/// Simulates runs of some of the programs. Returns the folder of each.
fn runs<const N: usize>(names: [&str; N]) -> [tempfile::TempDir; N] {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/programs/train_steps.xz");
    let mut bytes = Vec::new();
    lzma_rust2::XzReader::new(&*std::fs::read(packed).unwrap(), true).read_to_end(&mut bytes).unwrap();
    let mut rest = &bytes[..];
    let mut programs = BTreeMap::new();
    for (name, _) in VARIANTS {
        let length = prost::decode_length_delimiter(&mut rest).unwrap();
        let (program, after) = rest.split_at(length);
        programs.insert(name, program);
        rest = after;
    }
    assert!(rest.is_empty());
    names.map(|name| {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), programs[name]).unwrap();
        let (_, chip) = VARIANTS.into_iter().find(|(of, _)| *of == name).unwrap();
        made(&["--hlo", file.path().to_str().unwrap(), "--chip", chip, "--steps", "8", "--no-trace"]).0
    })
}

fn capture(folder: &tempfile::TempDir) -> Capture {
    Capture::new("worker-0.xplane.pb", std::fs::read(folder.path().join("worker-0.xplane.pb")).unwrap())
}

/// Where an op comes from, and what it does. Ops with the same role belong together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Role {
    /// `forward`, `recompute`, `backward` or `optimizer`; empty if the program does not say so.
    phase: &'static str,
    /// Scope of the layer of an unrolled program, such as `layers_2`; empty if it has none.
    layer: String,
    /// Opcode; `matmul` for a fusion with a matrix multiplication.
    work: String,
    /// File, line and column of all calls that led to the op.
    places: BTreeSet<Vec<(String, u32, u32)>>,
    /// The parameters of the program that it takes, possibly in another type or layout, or gathered.
    parameters: BTreeSet<String>,
}

/// Returns the role of the instruction of a name. `None` if the program says neither where it comes from nor what it takes.
fn role(module: &Module, name: &str) -> Option<Role> {
    let id = module.instruction_named(name)?;
    let worker = module.wrapped(id);
    let opcode = |id| module.instruction(id).map_or("", |instruction| &*instruction.opcode);
    let multiplies: Vec<InstructionId> =
        inside(module, worker).into_iter().filter(|id| matches!(opcode(*id), "convolution" | "dot")).collect();
    let sources = if multiplies.is_empty() { vec![worker] } else { multiplies.clone() };
    let work = match opcode(worker) {
        _ if !multiplies.is_empty() => "matmul".to_owned(),
        // A collective may be asynchronous on one side only.
        collective if is_collective(collective) => base(collective).to_owned(),
        _ => opcode(id).to_owned(),
    };
    let place = |id: &InstructionId| {
        let stack = module.stack(*id);
        stack.iter().map(|frame| (frame.file.to_owned(), frame.line, frame.column)).collect::<Vec<_>>()
    };
    let operands = sources.iter().flat_map(|id| module.operands(*id));
    let role = Role {
        phase: phase(module.instruction(sources[0])?.op_name()),
        layer: layer(module.instruction(sources[0])?.op_name()),
        work,
        places: sources.iter().map(place).filter(|place| !place.is_empty()).collect(),
        parameters: operands.filter_map(|id| parameter(module, id)).collect(),
    };
    (!role.places.is_empty() || !role.parameters.is_empty()).then_some(role)
}

fn phase(op_name: &str) -> &'static str {
    let phases = [("rematted_computation", "recompute"), ("transpose(", "backward"), ("jvp(", "forward")];
    let phase = phases.into_iter().find(|(part, _)| op_name.contains(part)).map(|(_, phase)| phase);
    phase.unwrap_or(if op_name.contains("/adam/") || op_name.contains("/optimizer/") { "optimizer" } else { "" })
}

fn layer(op_name: &str) -> String {
    let part = op_name.split(['/', '(', ')']).find(|part| part.starts_with("layers_"));
    part.unwrap_or_default().to_owned()
}

/// Returns an instruction with all instructions of the fusions and calls in it.
fn inside(module: &Module, id: InstructionId) -> Vec<InstructionId> {
    let Some(instruction) = module.instruction(id).filter(|of| matches!(&*of.opcode, "fusion" | "call")) else {
        return vec![id];
    };
    let called = instruction.calls().filter_map(|call| call.id).flat_map(|id| module.instructions_of(id));
    std::iter::once(id).chain(called.flat_map(|id| inside(module, id))).collect()
}

/// Returns the name of the parameter of the program whose values an instruction has, apart from their type, their layout and
/// the part of them.
fn parameter(module: &Module, id: InstructionId) -> Option<String> {
    let mut id = id;
    // The elements of tuples that are taken, the last one first.
    let mut elements: Vec<usize> = Vec::new();
    for _ in 0..200 {
        let instruction = module.instruction(id)?;
        let operand = |n: usize| instruction.operands.get(n)?.id;
        let root = || instruction.calls().find_map(|call: &Call| module.computation(call.id?)?.root);
        id = match &*instruction.opcode {
            "parameter" if instruction.computation == module.entry => {
                return Some(instruction.op_name().to_owned()).filter(|name| !name.is_empty());
            }
            "parameter" => {
                let caller = *module.callers(instruction.computation?).first()?;
                let n = instruction.parameter_number()? as usize;
                module.instruction(caller)?.operands.get(n)?.id?
            }
            "get-tuple-element" => {
                elements.push(instruction.text("index")?.parse().ok()?);
                operand(0)?
            }
            "tuple" => operand(elements.pop()?)?,
            "fusion" | "call" | "async-start" => root()?,
            "while" | "opt-barrier" | "copy" | "convert" | "bitcast" | "reshape" | "transpose" | "slice"
            | "dynamic-slice" | "all-gather" | "async-update" => operand(0)?,
            opcode if is_done(opcode) || matches!(opcode, "copy-start" | "all-gather-start") => operand(0)?,
            _ => return None,
        };
    }
    None
}

/// The time of ops that are matched rightly, wrongly, and with an op whose role is unknown.
#[derive(Debug, Default)]
struct Judged {
    right: u64,
    wrong: u64,
    unknown: u64,
    /// The names, roles and times of wrong matches, those with the most time first.
    mistakes: Vec<(u64, String)>,
}

impl Judged {
    fn right_pct(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong) as f64 * 100.0
    }

    fn known_pct(&self) -> f64 {
        (self.right + self.wrong) as f64 / (self.right + self.wrong + self.unknown) as f64 * 100.0
    }
}

/// The program that most ops of a capture are in.
fn program(capture: &Capture) -> &Module {
    capture.modules.values().max_by_key(|module| module.instructions().len()).unwrap()
}

fn judged(a: (&Capture, &[SideOp]), b: (&Capture, &[SideOp]), matches: &[OpMatch]) -> Judged {
    let roles = |(capture, ops): (&Capture, &[SideOp])| -> Vec<Option<Role>> {
        let module = program(capture);
        ops.iter().map(|op| role(module, capture.name(op))).collect()
    };
    let (roles_a, roles_b) = (roles(a), roles(b));
    let mut judged = Judged::default();
    for of in matches.iter().filter(|of| of.tier.is_some()) {
        let time: u64 = of.a.iter().map(|op| a.1[*op].time).chain(of.b.iter().map(|op| b.1[*op].time)).sum();
        let set = |ops: &[usize], roles: &[Option<Role>]| -> Option<BTreeSet<Role>> {
            ops.iter().map(|op| roles[*op].clone()).collect()
        };
        match (set(&of.a, &roles_a), set(&of.b, &roles_b)) {
            (Some(role_a), Some(role_b)) if role_a == role_b => judged.right += time,
            (Some(role_a), Some(role_b)) => {
                judged.wrong += time;
                let names = (a.0.name(&a.1[of.a[0]]), b.0.name(&b.1[of.b[0]]));
                judged.mistakes.push((time, format!("{:?} {names:?}\n  {role_a:?}\n  {role_b:?}", of.tier)));
            }
            _ => judged.unknown += time,
        }
    }
    judged.mistakes.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    judged
}

#[test]
fn explore() {
    for (a, b) in [
        ("base", "base"),
        ("base", "layers"),
        ("base", "bf16"),
        ("base", "batch"),
        ("base", "tensor4"),
        ("base", "v5e"),
        ("unrolled2", "unrolled3"),
        ("base", "unrolled2"),
    ] {
        let [a_run, b_run] = runs([a, b]);
        let (of_a, of_b) = (capture(&a_run), capture(&b_run));
        let (ops_a, ops_b) = (of_a.ops(0), of_b.ops(0));
        let matches = match_parts((&of_a, &ops_a), (&of_b, &ops_b));
        check_once(&matches, ops_a.len(), ops_b.len());
        let judged = judged((&of_a, &ops_a), (&of_b, &ops_b), &matches);
        println!(
            "== {a} against {b}: {} right {:.2} %, known {:.2} %",
            text(&shares(&matches, &ops_a, &ops_b)),
            judged.right_pct(),
            judged.known_pct()
        );
        for (time, mistake) in judged.mistakes.iter().take(12) {
            println!("{} us {mistake}", time / 1_000_000);
        }
        let of = compared(opened(&a_run), opened(&b_run));
        println!("{:?} {:?} {} {} {:?} {:?}", of.unit, of.verdict, of.a_ps, of.b_ps, of.a.tokens, of.b.tokens);
    }
}
