//! This module estimates the buffers and live ranges of a program of which only the text is known.
//!
//! ```text
//!  Module, is_scheduled ─► order: the entry, and the bodies of loops and calls where they run
//!                       ─► buffers: one for each array that an instruction makes, none for an array that is passed on
//!                       ─► sharing: loops, aliased outputs, updates in place of operands after their last use
//!                       ─► BufferAssignmentProto with a trace ─► treated as that of any other program
//! ```
//!
//! The assignment of the compiler knows more: the operands that its backend may overwrite, moves of data, and
//! addresses. The sum of the live buffers is therefore an estimate, without fragmentation. A text without a schedule
//! does not define live ranges, so the result is `None`.

use super::estimate_arrays::{aliases, arrays};
use indexmap::IndexMap;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use xla_profile::hlo::opcode::is_done;
use xla_profile::hlo::{ArrayShape, ComputationId, Instruction, InstructionId, Module, Shape};
use xla_profile::wire::proto::hlo::BufferAssignmentProto;

/// Maximum nesting of loops and calls. A program with deeper nesting has no estimate.
const DEPTH: usize = 64;
/// Largest number of estimated arrays, in multiples of the arrays of the program: a body may have many calls.
const TIMES: usize = 8;
/// Limit of the walk, in multiples of the program's instructions, operands and arrays. It is twice as large, because an
/// instruction is paid for its operands and for its arrays.
const STEPS: usize = 2 * TIMES;
/// Letters of a name, and levels of nested tuples, that are written for each array as one part of the program.
const LETTERS: usize = 64;
const LEVELS: usize = 8;

/// Opcodes that pass all of their first operand on.
const PASSES_ON: [&str; 5] = ["bitcast", "while", "optimization-barrier", "opt-barrier", "async-update"];

/// Opcodes that may write their result over an operand of the same size which nothing uses later.
const IN_PLACE: [&str; 22] = [
    "fusion",
    "dynamic-update-slice",
    "scatter",
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "select",
    "negate",
    "exponential",
    "log",
    "tanh",
    "sqrt",
    "rsqrt",
    "power",
    "and",
    "or",
    "clamp",
    "all-reduce",
    "custom-call",
];

/// The buffers of the arrays of an instruction. Instructions that pass them on share the list.
type Value = Rc<[u32]>;

/// An array in memory.
pub(super) struct EstimatedBuffer {
    /// Bytes with padding.
    pub(super) size: u64,
    pub(super) color: i64,
    pub(super) instruction: InstructionId,
    pub(super) index: Vec<i64>,
    /// Event that makes the array.
    event: u32,
    /// Events that first and last need the memory of the array.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The next buffer on the path to the owner of the memory; this buffer if it is the owner.
    same: u32,
    /// Whether the array is a parameter of the entry, which is alive for the whole program.
    pub(super) is_parameter: bool,
    pub(super) is_constant: bool,
    pub(super) is_output: bool,
}

/// A walk over a program in the order of its schedule, which finds the live ranges of its buffers.
pub(super) struct LiveRanges<'m> {
    pub(super) module: &'m Module,
    pub(super) made: Vec<EstimatedBuffer>,
    /// For each instruction, the buffers of its arrays in order.
    values: IndexMap<InstructionId, Value>,
    /// For each tuple, the index of the first array of each part, then the number of arrays.
    starts: IndexMap<InstructionId, Rc<[usize]>>,
    /// The instruction of each event.
    pub(super) order: Vec<InstructionId>,
    /// Number of instructions, operands and arrays that the walk may still visit. Nothing is listed before it is
    /// subtracted from this number.
    left: usize,
    /// Number of arrays that may still be made.
    left_to_make: usize,
}

/// Estimates a buffer assignment. `None` if the text has no schedule, or if the walk is too long or too deep.
pub(super) fn assignment(module: &Module) -> Option<BufferAssignmentProto> {
    let entry = module.entry?;
    module.computation(entry)?.schedule.as_ref()?;
    let n_arrays: usize = module.instructions().map(|(_, i)| i.shape.arrays().count()).sum();
    let n_parts: usize = module.instructions().map(|(_, i)| i.operands.len() + 1).sum();
    let left = n_arrays.saturating_add(n_parts).saturating_mul(STEPS);
    let mut ranges = LiveRanges {
        module,
        made: Vec::new(),
        values: IndexMap::default(),
        starts: IndexMap::default(),
        order: Vec::new(),
        left,
        left_to_make: n_arrays.saturating_mul(TIMES),
    };
    ranges.computation(entry, &[], DEPTH)?;
    ranges.outputs(entry);
    ranges.left = left;
    ranges.in_place()?;
    Some(ranges.into_assignment())
}

impl LiveRanges<'_> {
    /// Walks a computation. `operands` are the values of its parameters; the entry has none. `None` if it is too large.
    fn computation(&mut self, id: ComputationId, operands: &[Value], depth: usize) -> Option<()> {
        let module = self.module;
        let depth = depth.checked_sub(1)?;
        let order = module.computation(id)?.schedule.as_ref()?;
        for id in order {
            let instruction = module.instruction(*id)?;
            let value = self.instruction(*id, instruction, operands, depth)?;
            self.visit(value.len() + 1)?;
            *self.values.entry(*id).or_insert_with(|| Rc::new([])) = value;
        }
        Some(())
    }

    /// Subtracts what the walk visits next from what it may still visit. `None` if that is too much.
    fn visit(&mut self, n: usize) -> Option<()> {
        self.left = self.left.checked_sub(n)?;
        Some(())
    }

    fn instruction(
        &mut self,
        id: InstructionId,
        instruction: &Instruction,
        operands: &[Value],
        depth: usize,
    ) -> Option<Value> {
        let module = self.module;
        self.visit(instruction.operands.len())?;
        let inputs: Vec<Value> = module.operands(id).map(|operand| self.value(operand)).collect();
        let n_inputs: usize = inputs.iter().map(|input| input.len()).sum();
        let opcode = &*instruction.opcode;
        match opcode {
            "parameter" => {
                let number = instruction.parameter_number().and_then(|number| usize::try_from(number).ok())?;
                if let Some(value) = operands.get(number) {
                    return Some(value.clone());
                }
            }
            // The caller pays for the list. A tuple of tuples may be as long as the product of their lengths.
            "tuple" if n_inputs > self.left => return None,
            "tuple" => return Some(inputs.iter().flat_map(|input| input.iter().copied()).collect()),
            "get-tuple-element" => return Some(self.element(id, instruction, &inputs).unwrap_or_else(|| Rc::new([]))),
            _ => {}
        }
        self.visit(n_inputs + instruction.name.len() / LETTERS)?;
        self.bodies(instruction, &inputs, depth)?;
        let place = u32::try_from(self.order.len()).ok()?;
        self.order.push(id);
        for buffer in inputs.iter().flat_map(|input| input.iter()) {
            self.made[*buffer as usize].last = place;
        }
        let first = inputs.first().cloned().unwrap_or_else(|| Rc::new([]));
        if PASSES_ON.contains(&opcode) {
            return Some(first);
        }
        if let ("call", Some(root)) = (opcode, instruction.calls().find_map(|call| module.computation(call.id?)?.root))
        {
            return Some(self.value(root));
        }
        let n = instruction.shape.arrays().count();
        if is_done(opcode) {
            // The result of a `copy-start` begins with the copy, and that of any other start with its operands.
            self.visit(n)?;
            let is_first = opcode == "copy-done" || first.len() == n;
            let taken = if is_first { 0 } else { self.taken(id)? };
            return Some(first.iter().copied().skip(taken).take(n).collect());
        }
        // The result of an asynchronous start contains its operands. They are no arrays of its own.
        let is_start = opcode.ends_with("-start");
        let passed: Vec<u32> = inputs.iter().filter(|_| is_start).flat_map(|input| input.iter().copied()).collect();
        let passed_at = usize::from(opcode == "copy-start");
        let has_passed = n > passed.len();
        let mut value = Vec::with_capacity(n);
        for (i, (index, array)) in arrays(&instruction.shape).into_iter().enumerate() {
            let passed = i.checked_sub(passed_at).and_then(|i| passed.get(i)).filter(|_| has_passed);
            value.push(match passed {
                Some(buffer) => *buffer,
                None => self.make(id, instruction, index, array, place)?,
            });
        }
        Some(value.into())
    }

    fn value(&self, id: InstructionId) -> Value {
        self.values.get(&id).cloned().unwrap_or_else(|| Rc::new([]))
    }

    /// Returns the buffers of one part of a tuple.
    fn element(&mut self, id: InstructionId, instruction: &Instruction, inputs: &[Value]) -> Option<Value> {
        let part: usize = instruction.text("index")?.parse().ok()?;
        let tuple = self.module.operands(id).next()?;
        let Shape::Tuple(parts) = &self.module.instruction(tuple)?.shape else { return None };
        let starts = self.starts.entry(tuple).or_insert_with(|| {
            let mut end = 0;
            let ends = parts.iter().map(|part| {
                end += part.arrays().count();
                end
            });
            [0].into_iter().chain(ends.collect::<Vec<usize>>()).collect()
        });
        let (from, to) = (*starts.get(part)?, *starts.get(part + 1)?);
        inputs.first()?.get(from..to).map(Rc::from)
    }

    /// Returns the number of arrays that the start of an asynchronous op takes. `done` is its done. `None` if the walk is
    /// too long.
    fn taken(&mut self, done: InstructionId) -> Option<usize> {
        let module = self.module;
        let opcode = |id: InstructionId| module.instruction(id).map_or("", |instruction| &*instruction.opcode);
        let mut start = module.operands(done).next();
        for _ in 0..DEPTH {
            start =
                start.filter(|id| opcode(*id) == "async-update").and_then(|id| module.operands(id).next()).or(start);
        }
        let start = start.and_then(|start| Some((start, module.instruction(start)?.operands.len())));
        self.visit(start.map_or(0, |(_, n)| n))?;
        let taken = start.into_iter().flat_map(|(start, _)| module.operands(start));
        Some(taken.filter_map(|operand| self.values.get(&operand)).map(|value| value.len()).sum())
    }

    /// Walks the computations that a loop, a conditional or a call runs.
    fn bodies(&mut self, instruction: &Instruction, inputs: &[Value], depth: usize) -> Option<()> {
        let module = self.module;
        let takes = |i: usize| match &*instruction.opcode {
            "while" | "call" => Some(inputs),
            "conditional" => inputs.get(i + 1..i + 2),
            _ => None,
        };
        for (i, call) in instruction.calls().enumerate() {
            self.visit(1)?;
            let (Some(inputs), Some(id)) = (takes(i), call.id) else { continue };
            if module.computation(id).is_some_and(|body| body.schedule.is_some()) {
                self.computation(id, inputs, depth)?;
            }
        }
        // The results of an iteration of a loop use the memory of the values that the iteration took.
        let body = instruction
            .call("body")
            .filter(|_| &*instruction.opcode == "while")
            .and_then(|call| module.computation(call.id?)?.root);
        let (gives, carried) = (body.map(|root| self.value(root)), inputs.first());
        for (next, carried) in
            gives.iter().flat_map(|gives| gives.iter()).zip(carried.iter().flat_map(|buffers| buffers.iter()))
        {
            self.share(*next, *carried);
        }
        Some(())
    }

    fn make(
        &mut self,
        id: InstructionId,
        instruction: &Instruction,
        index: Vec<i64>,
        array: &ArrayShape,
        place: u32,
    ) -> Option<u32> {
        let buffer = u32::try_from(self.made.len()).ok()?;
        self.visit(index.len() / LEVELS + instruction.name.len() / LETTERS)?;
        self.left_to_make = self.left_to_make.checked_sub(1)?;
        let is = |opcode: &str| &*instruction.opcode == opcode;
        self.made.push(EstimatedBuffer {
            size: array.padded_bytes().unwrap_or_default(),
            color: array.memory_space(),
            instruction: id,
            index,
            event: place,
            first: place,
            last: place,
            same: buffer,
            is_parameter: is("parameter") && instruction.computation == self.module.entry,
            is_constant: is("constant"),
            is_output: false,
        });
        Some(buffer)
    }

    /// Returns the buffer that owns the memory of `buffer`.
    pub(super) fn memory(&mut self, mut buffer: u32) -> u32 {
        while self.made[buffer as usize].same != buffer {
            let next = self.made[buffer as usize].same;
            // Each step halves the rest of the path, so that a long chain is walked only once.
            self.made[buffer as usize].same = self.made[next as usize].same;
            buffer = self.made[buffer as usize].same;
        }
        buffer
    }

    /// Lets `buffer` use the memory of `with`, if sizes and colours agree. Parameters and constants keep their memory.
    fn share(&mut self, buffer: u32, with: u32) {
        let (buffer, with) = (self.memory(buffer), self.memory(with));
        let (a, b) = (&self.made[buffer as usize], &self.made[with as usize]);
        if buffer == with || a.size != b.size || a.color != b.color || a.is_parameter || a.is_constant {
            return;
        }
        let (first, last, is_output) = (a.first.min(b.first), a.last.max(b.last), a.is_output || b.is_output);
        self.made[buffer as usize].same = with;
        let operand_bytes = &mut self.made[with as usize];
        (operand_bytes.first, operand_bytes.last, operand_bytes.is_output) = (first, last, is_output);
    }

    /// Marks the results of the program as outputs. Results that the module aliases with a parameter use its memory.
    fn outputs(&mut self, entry: ComputationId) {
        let module = self.module;
        let root = module.computation(entry).and_then(|computation| computation.root);
        let root_buffers = root.map_or_else(|| Rc::new([]) as Value, |root| self.value(root));
        for buffer in root_buffers.iter() {
            let buffer = self.memory(*buffer);
            self.made[buffer as usize].is_output = true;
        }
        let parameters: IndexMap<u64, InstructionId> = module
            .instructions_of(entry)
            .filter_map(|id| Some((module.instruction(id)?.parameter_number()?, id)))
            .collect();
        for (output, parameter) in aliases(module) {
            let parameter_buffer =
                parameters.get(&parameter).and_then(|id| self.values.get(id)).and_then(|value| value.first());
            if let (Some(buffer), Some(parameter)) = (root_buffers.get(output).copied(), parameter_buffer.copied()) {
                self.share(buffer, parameter);
            }
        }
    }

    /// Lets instructions overwrite operands that are used for the last time. `None` if their operands are too many.
    fn in_place(&mut self) -> Option<()> {
        let module = self.module;
        let mut from = 0;
        while let Some(EstimatedBuffer { instruction: id, event, .. }) = self.made.get(from) {
            let (id, event) = (*id, *event);
            // The arrays of one execution of an instruction are neighbours.
            let n = self.made[from..].iter().take_while(|made| (made.instruction, made.event) == (id, event)).count();
            let opcode = module.instruction(id).map_or("", |instruction| &*instruction.opcode);
            if IN_PLACE.contains(&opcode) {
                self.overwrite(id, event, from as u32..(from + n) as u32)?;
            }
            from += n;
        }
        Some(())
    }

    /// Gives the arrays `made` by an instruction the memory of operands that nothing uses later. `None` if the operands are
    /// too many.
    fn overwrite(&mut self, id: InstructionId, index: u32, made: Range<u32>) -> Option<()> {
        self.visit(self.module.instruction(id).map_or(0, |instruction| instruction.operands.len()))?;
        let inputs: Vec<Value> = self.module.operands(id).map(|operand| self.value(operand)).collect();
        self.visit(inputs.iter().map(|input| input.len()).sum())?;
        let mut free: IndexMap<(u64, i64), VecDeque<u32>> = IndexMap::default();
        for operand in inputs.iter().flat_map(|input| input.iter()) {
            let operand_bytes = self.memory(*operand);
            let operand = &self.made[operand_bytes as usize];
            if operand.last == index
                && !operand.is_parameter
                && !operand.is_constant
                && !operand.is_output
                && !made.contains(&operand_bytes)
            {
                free.entry((operand.size, operand.color)).or_default().push_back(operand_bytes);
            }
        }
        for buffer in made {
            let EstimatedBuffer { size, color, same, is_output, .. } = self.made[buffer as usize];
            let operand_bytes =
                free.get_mut(&(size, color)).filter(|_| same == buffer && !is_output).and_then(VecDeque::pop_front);
            if let Some(operand_bytes) = operand_bytes {
                self.share(buffer, operand_bytes);
            }
        }
        Some(())
    }
}
