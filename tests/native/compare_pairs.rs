//! These tests compare programs of one model in other shapes, such as more layers or another chip. The true pairs of their ops
//! are known: all programs come from the same sources, so that ops that come from the same place of the sources, and take the
//! same weights of the model, belong together. The matcher uses neither places in the sources nor names of weights.

use crate::compare::{compared, gpu, opened};
use crate::compare_matching::{Capture, check_once, match_parts, shares, text};
use crate::synth::made;
use rooflight::analysis::compare::CompareUnit;
use rooflight::analysis::compare::matching::{OpMatch, SideOp, Tier};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use xla_profile::hlo::opcode::{base, is_collective, is_done};
use xla_profile::hlo::{Call, InstructionId, Module};

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
pub fn runs<const N: usize>(names: [&str; N]) -> [tempfile::TempDir; N] {
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
        let (_, chip) = VARIANTS.into_iter().find(|(variant, _)| *variant == name).unwrap();
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
    let Some(instruction) = module.instruction(id).filter(|caller| matches!(&*caller.opcode, "fusion" | "call")) else {
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
            | "dynamic-slice" | "all-gather" | "collective-permute" | "async-update" => operand(0)?,
            opcode
                if is_done(opcode)
                    || matches!(opcode, "copy-start" | "all-gather-start" | "collective-permute-start") =>
            {
                operand(0)?
            }
            _ => return None,
        };
    }
    None
}

impl Role {
    /// Returns whether two roles are the same, as far as both programs say. `None` if neither their places nor their parameters
    /// can be compared: a gradient takes no parameter, and copies have no place.
    ///
    /// A fusion may have a multiplication more on one side, so a common place and a common parameter are enough. An op that
    /// moves a parameter is identified by the parameter: its place is that of a conversion, which is gone if the parameter has another
    /// type.
    fn agrees(&self, other: &Self) -> Option<bool> {
        fn meet<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> Option<bool> {
            (!a.is_empty() && !b.is_empty()).then(|| !a.is_disjoint(b))
        }
        let (places, parameters) = (meet(&self.places, &other.places), meet(&self.parameters, &other.parameters));
        let is_same = if self.work == "matmul" || parameters.is_none() {
            let phases = self.phase.is_empty() || other.phase.is_empty() || self.phase == other.phase;
            phases && places != Some(false) && parameters != Some(false)
        } else {
            (self.phase == "forward") == (other.phase == "forward") && parameters == Some(true)
        };
        (places.is_some() || parameters.is_some()).then_some(is_same && self.layer == other.layer)
    }
}

/// The time of ops that are matched rightly, wrongly, and with an op whose role is unknown.
#[derive(Debug, Default)]
struct Judged {
    right: u64,
    wrong: u64,
    unknown: u64,
    /// The wrong matches with their times.
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

/// Returns the largest program of a capture.
fn program(capture: &Capture) -> &Module {
    capture.modules.values().max_by_key(|module| module.instructions().len()).unwrap()
}

fn roles((capture, ops): (&Capture, &[SideOp])) -> Vec<Option<Role>> {
    let module = program(capture);
    ops.iter().map(|op| role(module, capture.name(op))).collect()
}

/// An op is matched rightly if the other side of its match has an op with the same role. In groups of ops with one scope, what an
/// op does is another matter: one fusion may have become two, and a collective may have become several.
fn judged(a: (&Capture, &[SideOp]), b: (&Capture, &[SideOp]), matches: &[OpMatch]) -> Judged {
    let (roles_a, roles_b) = (roles(a), roles(b));
    let mut judged = Judged::default();
    for op_match in matches.iter().filter(|op_match| op_match.tier.is_some()) {
        let is_group = matches!(op_match.tier, Some(Tier::ScopeGroup | Tier::LayerGroup));
        type Ops<'o> = (&'o [usize], &'o [Option<Role>], (&'o Capture, &'o [SideOp]));
        let mut count = |(ops, roles, side): Ops<'_>, (others, other_roles, other_side): Ops<'_>| {
            for op in ops {
                let agrees = |other: &usize| {
                    let (one, other) = (roles[*op].as_ref()?, other_roles[*other].as_ref()?);
                    // A group of layers holds the same work of any layer.
                    let in_layers = op_match.tier == Some(Tier::LayerGroup);
                    let one = if in_layers { &Role { layer: other.layer.clone(), ..one.clone() } } else { one };
                    Some(one.agrees(other)? && (is_group || one.work == other.work))
                };
                let known: Vec<bool> = others.iter().filter_map(agrees).collect();
                let time = side.1[*op].time;
                if known.contains(&true) {
                    judged.right += time;
                } else if known.is_empty() {
                    judged.unknown += time;
                } else {
                    judged.wrong += time;
                    let names = (side.0.name(&side.1[*op]), other_side.0.name(&other_side.1[others[0]]));
                    let roles = (&roles[*op], &other_roles[others[0]]);
                    judged
                        .mistakes
                        .push((time, format!("{:?} {names:?}\n  {:?}\n  {:?}", op_match.tier, roles.0, roles.1)));
                }
            }
        };
        let (of_a, of_b): (Ops<'_>, Ops<'_>) = ((&op_match.a, &roles_a, a), (&op_match.b, &roles_b, b));
        count(of_a, of_b);
        count(of_b, of_a);
    }
    judged.mistakes.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    judged
}

/// Judges the matches of two captures.
fn judged_pair(a: &Capture, b: &Capture) -> Judged {
    let (ops_a, ops_b) = (a.ops(0), b.ops(0));
    let matches = match_parts((a, &ops_a), (b, &ops_b));
    check_once(&matches, ops_a.len(), ops_b.len());
    let judged = judged((a, &ops_a), (b, &ops_b), &matches);
    println!(
        "right {:.2} %, known {:.2} %: {}",
        judged.right_pct(),
        judged.known_pct(),
        text(&shares(&matches, &ops_a, &ops_b))
    );
    for (time, mistake) in judged.mistakes.iter().take(6) {
        println!("{} us {mistake}", time / 1_000_000);
    }
    judged
}

/// The weights of the model that matrices are multiplied with, by hand, in all layers.
const WEIGHTS: [&str; 13] = [
    "['dense']['attention']['query']",
    "['dense']['attention']['key']",
    "['dense']['attention']['value']",
    "['dense']['attention']['output']",
    "['dense']['mlp']['gate']",
    "['dense']['mlp']['up']",
    "['dense']['mlp']['down']",
    "['sparse']['attention']['query']",
    "['sparse']['attention']['key']",
    "['sparse']['attention']['value']",
    "['sparse']['attention']['output']",
    "['sparse']['moe']['up']",
    "['sparse']['moe']['down']",
];

/// Returns the multiplications in the forward pass whose partner multiplies with another weight, or which have no partner.
fn wrong_weights(a: &Capture, b: &Capture) -> Vec<&'static str> {
    let (ops_a, ops_b) = (a.ops(0), b.ops(0));
    let matches = match_parts((a, &ops_a), (b, &ops_b));
    let (roles_a, roles_b) = (roles((a, &ops_a)), roles((b, &ops_b)));
    let multiplies = |role: &Option<Role>, weight: &str| {
        let is_weight = |name: &String| name.ends_with(weight);
        role.as_ref().is_some_and(|role| {
            role.phase == "forward" && role.work == "matmul" && role.parameters.iter().any(is_weight)
        })
    };
    let is_wrong = |weight: &&str| {
        let mut all = (0..ops_a.len()).filter(|op| multiplies(&roles_a[*op], weight)).peekable();
        assert!(all.peek().is_some(), "{weight}");
        !all.all(|op| {
            let op_match = matches.iter().find(|op_match| op_match.a.contains(&op)).unwrap();
            op_match.b.iter().any(|op| multiplies(&roles_b[*op], weight))
        })
    };
    WEIGHTS.into_iter().filter(is_wrong).collect()
}

/// Programs whose shapes differ: at least 95 % of the matched time is matched rightly.
#[test]
fn programs_of_other_shapes() {
    // With twice the batch, the projections of the values are no longer in one fusion with the attention. On TPU v5e, the
    // all-gathers of weights are in one loop with their multiplications, and no operand leads to a weight.
    let values = ["['dense']['attention']['value']", "['sparse']['attention']['value']"];
    let cases: [(&str, &str, f64, Option<&[&str]>); 6] = [
        ("base", "layers", 99.9, Some(&[])),
        ("base", "bf16", 98.0, Some(&[])),
        ("base", "batch", 97.0, Some(&values)),
        ("base", "tensor4", 98.0, Some(&[])),
        ("base", "v5e", 97.0, None),
        ("unrolled2", "unrolled3", 98.0, Some(&[])),
    ];
    let mut failures = Vec::new();
    for (a, b, least, wrong) in cases {
        println!("{a} against {b}");
        let [a_run, b_run] = runs([a, b]);
        let (of_a, of_b) = (capture(&a_run), capture(&b_run));
        let judged = judged_pair(&of_a, &of_b);
        let weights = wrong_weights(&of_a, &of_b);
        println!("wrong weights: {weights:?}");
        if judged.right_pct() < least || judged.known_pct() < 95.0 || wrong.is_some_and(|wrong| weights != wrong) {
            failures.push((a, b, judged.right_pct(), judged.known_pct(), weights));
        }
        compared(opened(&a_run), opened(&b_run));
    }
    assert!(failures.is_empty(), "{failures:?}");
}

/// Captures of one model on an H100, whose kernels name their instructions.
#[test]
fn captures_of_a_gpu() {
    let xla = Capture::sample("gpu/xla.graphs");
    for name in ["again", "batch2", "f32", "cudnn"] {
        println!("xla against {name}");
        let judged = judged_pair(&xla, &Capture::sample(&format!("gpu/{name}.graphs")));
        assert!(judged.right_pct() >= 95.0 && judged.known_pct() > 90.0, "{name}: {}", judged.right_pct());
    }
}

/// With half the batch, the difference is that per token.
#[test]
fn half_a_batch_is_compared_per_token() {
    let comparison = compared(gpu("xla"), gpu("batch2"));
    let per_million =
        |periods: &[u64], tokens: u64| periods.iter().sum::<u64>() as f64 / periods.len() as f64 * 1e6 / tokens as f64;
    // `samples/gpu/train.py`: 4 and 2 sequences of 1,024 tokens.
    let delta = per_million(&comparison.b.periods_ps, 2048) - per_million(&comparison.a.periods_ps, 4096);
    assert_eq!(comparison.unit, CompareUnit::MillionTokens);
    assert!((comparison.delta_ps as f64 - delta).abs() < delta.abs() * 0.01, "{} {delta}", comparison.delta_ps);
}
