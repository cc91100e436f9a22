//! This module reads the program of a run: its ops in the order in which a core runs them, with the trip counts of
//! loops. The module depends on HLO, not on times.

use super::Failure;
use super::args::Args;
use super::rewrite;
use prost::Message;
use std::collections::HashMap;
use std::path::Path;
use xla_profile::hlo::{ComputationId, Instruction, InstructionId, Module, Value};
use xla_profile::wire::proto::hlo::HloProto;

/// Opcodes that never appear as events, because nothing is executed for them.
const SILENT: [&str; 9] = [
    "parameter",
    "constant",
    "tuple",
    "get-tuple-element",
    "bitcast",
    "after-all",
    "partition-id",
    "replica-id",
    "opt-barrier",
];

/// Value of `estimated_cycles` where the compiler has no estimate.
const NO_ESTIMATE: u64 = 9_000_000_000_000_000_000;

/// A part of a program, as a core runs it.
#[derive(Debug)]
pub enum Item {
    /// One op, by its index in [`Program::ops`].
    Op(usize),
    /// Ops that one op encloses, and the number of times that they run.
    Loop { op: usize, turns: u64, body: Vec<Item> },
}

/// An op that appears as events.
#[derive(Debug)]
pub struct Op {
    pub id: InstructionId,
    /// Name of the op in its events. With `--unroll`, each iteration has a name of its own.
    pub name: String,
    /// The compiler's own estimate of one execution, in cycles.
    pub cycles: Option<u64>,
    /// Index of the async start, for an async done.
    pub start: Option<usize>,
}

/// A program and its ops.
pub struct Program {
    pub module: Module,
    pub ops: Vec<Op>,
    /// The proto as it is written into captures.
    pub bytes: Vec<u8>,
}

impl Program {
    /// Reads the program of `hlo`, and the compiler's estimates of `cycles` where this file is given. Rewrites the program
    /// as `args` say. Returns the program, and the items that a step runs.
    pub fn read(hlo: &Path, cycles: Option<&Path>, args: &Args) -> Result<(Self, Vec<Item>), Failure> {
        let mut bytes = plain(hlo)?;
        let mut names = None;
        if args.edit_lines || args.renumber {
            let mut proto = decode(&bytes, hlo)?;
            if args.edit_lines {
                rewrite::edit_lines(&mut proto);
            }
            names = args.renumber.then(|| rewrite::renumber(&mut proto, args.seed));
            bytes = proto.encode_to_vec();
        }
        let module = module(&bytes, hlo)?;
        let mut estimates = cycles.map(|path| estimates(&module_of(path)?)).transpose()?.unwrap_or_default();
        if let Some(names) = names {
            // The file for `--cycles` has the names before.
            let renamed = estimates.into_iter().filter_map(|(name, cycles)| Some((names.get(&name)?.clone(), cycles)));
            estimates = renamed.collect();
        }
        let own = estimates_of(&module);
        let entry = module.entry.ok_or("the program has no entry")?;
        let mut walk =
            Walk { module: &module, estimates, own, unroll: args.unroll, ops: Vec::new(), known: HashMap::new() };
        let items = walk.items(entry, "", 0)?;
        let ops = walk.ops;
        Ok((Self { module, ops, bytes }, items))
    }

    /// Returns the file of the innermost source line of an op. `None` if the program does not name it.
    pub fn file(&self, op: usize) -> Option<&str> {
        self.module.stack(self.ops[op].id).first().map(|frame| frame.file)
    }

    pub fn instruction(&self, op: usize) -> &Instruction {
        // The id of an op belongs to this module, because both are made together.
        self.module.instruction(self.ops[op].id).expect("of this module")
    }
}

/// Returns how often each of `n` ops runs in one step.
pub fn runs(items: &[Item], n: usize) -> Vec<u64> {
    fn count(items: &[Item], times: u64, runs: &mut [u64]) {
        for item in items {
            match item {
                Item::Op(op) => runs[*op] += times,
                Item::Loop { op, turns, body } => {
                    runs[*op] += times;
                    count(body, times * turns, runs);
                }
            }
        }
    }
    let mut runs = vec![0; n];
    count(items, 1, &mut runs);
    runs
}

/// Returns the number of iterations of all loops in one step.
pub fn turns(items: &[Item]) -> u64 {
    let number = |item: &Item| match item {
        Item::Op(_) => 0,
        Item::Loop { turns, body, .. } => turns * (1 + self::turns(body)),
    };
    items.iter().map(number).sum()
}

struct Walk<'a> {
    module: &'a Module,
    estimates: HashMap<String, u64>,
    own: HashMap<String, u64>,
    unroll: bool,
    ops: Vec<Op>,
    /// Ops by instruction and iteration.
    known: HashMap<(InstructionId, String), usize>,
}

impl Walk<'_> {
    /// Returns the items that a computation runs. `turn` ends the names of the ops of an unrolled loop.
    fn items(&mut self, computation: ComputationId, turn: &str, depth: usize) -> Result<Vec<Item>, Failure> {
        if depth > 16 {
            return Err("loops nested without end".into());
        }
        let source = self.module.computation(computation).ok_or("a computation is missing")?;
        let order: Vec<InstructionId> =
            source.schedule.clone().unwrap_or_else(|| self.module.instructions_of(computation).collect());
        let mut items = Vec::new();
        for id in order {
            let instruction = self.module.instruction(id).ok_or("an instruction is missing")?;
            match &*instruction.opcode {
                opcode if SILENT.contains(&opcode) => {}
                // An AllocateBuffer only names a buffer.
                "custom-call" if instruction.custom_call_target() == Some("AllocateBuffer") => {}
                "while" => {
                    let body = instruction.call("body").and_then(|call| call.id).ok_or("a loop without a body")?;
                    let turns = self.turns(instruction);
                    if self.unroll {
                        for n in 0..turns {
                            items.extend(self.items(body, &format!("{turn}.u{n}"), depth + 1)?);
                        }
                    } else {
                        let op = self.op(id, turn);
                        items.push(Item::Loop { op, turns, body: self.items(body, turn, depth + 1)? });
                    }
                }
                "call" | "conditional" => {
                    let called = instruction.calls().find_map(|call| call.id).ok_or("a call of nothing")?;
                    let op = self.op(id, turn);
                    items.push(Item::Loop { op, turns: 1, body: self.items(called, turn, depth + 1)? });
                }
                _ => items.push(Item::Op(self.op(id, turn))),
            }
        }
        Ok(items)
    }

    fn op(&mut self, id: InstructionId, turn: &str) -> usize {
        if let Some(op) = self.known.get(&(id, turn.to_owned())) {
            return *op;
        }
        let start = self.start_of(id).and_then(|start| self.known.get(&(start, turn.to_owned())).copied());
        let name = self.module.instruction(id).map_or("", |instruction| &instruction.name);
        let cycles = self.estimates.get(name).or_else(|| self.own.get(name)).copied();
        self.ops.push(Op { id, name: format!("{name}{turn}"), cycles, start });
        self.known.insert((id, turn.to_owned()), self.ops.len() - 1);
        self.ops.len() - 1
    }

    /// Returns the `-start` that a `-done` ends, through the ops between them; `None` for other instructions.
    fn start_of(&self, id: InstructionId) -> Option<InstructionId> {
        let is_end = |id: InstructionId| {
            let opcode = &self.module.instruction(id)?.opcode;
            Some(opcode.ends_with("-done") || &**opcode == "async-update")
        };
        let mut current = id;
        while is_end(current)? {
            current = self.module.operands(current).next()?;
        }
        (current != id).then_some(current)
    }

    /// Returns the trip count of a loop: the one that the compiler noted, or else the constant that the condition
    /// compares with, or else 1.
    fn turns(&self, instruction: &Instruction) -> u64 {
        let noted = instruction.backend_config().and_then(|config| {
            let config: serde_json::Value = serde_json::from_str(config).ok()?;
            config["known_trip_count"]["n"].as_str()?.parse().ok()
        });
        let compared = || {
            let condition = instruction.call("condition")?.id?;
            let constants = self.module.instructions_of(condition).filter_map(|id| {
                let instruction = self.module.instruction(id)?;
                if &*instruction.opcode == "constant" {
                    instruction.argument.as_ref()?.trim().parse().ok()
                } else {
                    None
                }
            });
            constants.max()
        };
        noted.or_else(compared).unwrap_or(1)
    }
}

/// Reads a file, and unpacks it if it is gzip.
fn plain(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&*bytes), &mut plain)?;
    Ok(plain)
}

fn module(bytes: &[u8], path: &Path) -> Result<Module, Failure> {
    Ok(Module::from_proto(&decode(bytes, path)?))
}

fn decode(bytes: &[u8], path: &Path) -> Result<HloProto, Failure> {
    Ok(xla_profile::wire::hlo::decode(bytes).map_err(|e| format!("{}: {e}", path.display()))?)
}

fn module_of(path: &Path) -> Result<Module, Failure> {
    module(&plain(path)?, path)
}

fn estimates(module: &Module) -> Result<HashMap<String, u64>, Failure> {
    let found = estimates_of(module);
    if found.is_empty() { Err("the file for --cycles has no estimated_cycles".into()) } else { Ok(found) }
}

/// Returns `estimated_cycles` of the backend configs, by name of the instruction.
fn estimates_of(module: &Module) -> HashMap<String, u64> {
    let trips = |instruction: &Instruction| {
        let config: serde_json::Value = serde_json::from_str(instruction.backend_config()?).ok()?;
        let cycles = config["window_config"]["estimated_cycles"].as_str().or(config["estimated_cycles"].as_str())?;
        cycles.parse::<u64>().ok().filter(|cycles| (1..NO_ESTIMATE).contains(cycles))
    };
    module.instructions().filter_map(|(_, i)| Some((i.name.to_string(), trips(i)?))).collect()
}

/// Returns the text of an op's event: the instruction alone, with the shapes of its operands and without the attributes
/// that only the program has.
pub fn text(module: &Module, op: &Op) -> String {
    let Some(instruction) = module.instruction(op.id) else { return op.name.clone() };
    let mut alone = instruction.clone();
    alone.name = op.name.as_str().into();
    alone.is_root = false;
    for operand in &mut alone.operands {
        operand.shape = operand.id.and_then(|id| module.instruction(id)).map(|from| from.shape.clone());
    }
    alone.attributes.retain(|attribute| {
        !matches!(attribute.value, Value::Metadata(_))
            && !matches!(&*attribute.key, "backend_config" | "frontend_attributes" | "sharding")
    });
    alone.display(xla_profile::hlo::Style::MODULE).to_string()
}
