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
use crate::hlo::opcode::is_done;
use crate::hlo::{ArrayShape, ComputationId, Instruction, InstructionId, Module, Shape};
use crate::small_sort::SmallSort;
use crate::wire::proto::hlo::buffer_allocation_proto::Assigned;
use crate::wire::proto::hlo::heap_simulator_trace::Event;
use crate::wire::proto::hlo::heap_simulator_trace::event::Kind;
use crate::wire::proto::hlo::logical_buffer_proto::Location;
use crate::wire::proto::hlo::{BufferAllocationProto, BufferAssignmentProto, HeapSimulatorTrace, LogicalBufferProto};
use indexmap::IndexMap;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// Maximum nesting of loops and calls. A program with deeper nesting has no estimate.
const DEPTH: usize = 64;
/// Limit of the walk, in multiples of the program's instructions, operands and arrays: a body may have many calls.
const TIMES: usize = 8;

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
struct EstimatedBuffer {
    /// Bytes with padding.
    size: u64,
    color: i64,
    instruction: InstructionId,
    index: Vec<i64>,
    /// Event that makes the array.
    at: u32,
    /// Events that first and last need the memory of the array.
    first: u32,
    last: u32,
    /// The next buffer on the path to the owner of the memory; this buffer if it is the owner.
    same: u32,
    /// Whether the array is a parameter of the entry, which is alive for the whole program.
    is_parameter: bool,
    is_constant: bool,
    is_output: bool,
}

/// A walk over a program in the order of its schedule, which finds the live ranges of its buffers.
struct LiveRanges<'m> {
    module: &'m Module,
    made: Vec<EstimatedBuffer>,
    /// For each instruction, the buffers of its arrays in order.
    values: IndexMap<InstructionId, Value>,
    /// For each tuple, the index of the first array of each part, then the number of arrays.
    starts: IndexMap<InstructionId, Rc<[usize]>>,
    /// The instruction of each event.
    order: Vec<InstructionId>,
    /// Number of instructions, operands and arrays that the walk may still visit.
    left: usize,
}

/// Estimates a buffer assignment. `None` if the text has no schedule, or if the walk is too long or too deep.
pub(super) fn assignment(module: &Module) -> Option<BufferAssignmentProto> {
    let entry = module.entry?;
    module.computation(entry)?.schedule.as_ref()?;
    let arrays: usize = module.instructions().map(|(_, i)| i.shape.arrays().count() + i.operands.len() + 1).sum();
    let mut ranges = LiveRanges {
        module,
        made: Vec::new(),
        values: IndexMap::default(),
        starts: IndexMap::default(),
        order: Vec::new(),
        left: arrays.saturating_mul(TIMES),
    };
    ranges.computation(entry, &[], DEPTH)?;
    ranges.outputs(entry);
    ranges.in_place();
    Some(ranges.into_assignment())
}

impl LiveRanges<'_> {
    /// Walks a computation. `operands` are the values of its parameters; the entry has none. `None` if it is too large.
    fn computation(&mut self, id: ComputationId, operands: &[Value], depth: usize) -> Option<()> {
        let module = self.module;
        let depth = depth.checked_sub(1)?;
        let order = module.computation(id)?.schedule.as_ref()?;
        for at in order {
            let instruction = module.instruction(*at)?;
            let value = self.instruction(*at, instruction, operands, depth)?;
            self.left = self.left.checked_sub(value.len() + 1)?;
            *self.values.entry(*at).or_insert_with(|| Rc::new([])) = value;
        }
        Some(())
    }

    fn instruction(&mut self, id: InstructionId, of: &Instruction, operands: &[Value], depth: usize) -> Option<Value> {
        let module = self.module;
        let inputs: Vec<Value> = module.operands(id).map(|operand| self.value(operand)).collect();
        let opcode = &*of.opcode;
        match opcode {
            "parameter" => {
                let number = of.parameter_number().and_then(|number| usize::try_from(number).ok())?;
                if let Some(value) = operands.get(number) {
                    return Some(value.clone());
                }
            }
            "tuple" => return Some(inputs.iter().flat_map(|input| input.iter().copied()).collect()),
            "get-tuple-element" => return Some(self.element(id, of, &inputs).unwrap_or_else(|| Rc::new([]))),
            _ => {}
        }
        self.bodies(of, &inputs, depth)?;
        let at = u32::try_from(self.order.len()).ok()?;
        self.order.push(id);
        self.left = self.left.checked_sub(inputs.iter().map(|input| input.len()).sum())?;
        for buffer in inputs.iter().flat_map(|input| input.iter()) {
            self.made[*buffer as usize].last = at;
        }
        let first = inputs.first().cloned().unwrap_or_else(|| Rc::new([]));
        if PASSES_ON.contains(&opcode) {
            return Some(first);
        }
        if let ("call", Some(root)) = (opcode, of.calls().find_map(|call| module.computation(call.id?)?.root)) {
            return Some(self.value(root));
        }
        let n = of.shape.arrays().count();
        if is_done(opcode) {
            // The result of a `copy-start` begins with the copy, and that of any other start with its operands.
            let is_first = opcode == "copy-done" || first.len() == n;
            let taken = if is_first { 0 } else { self.taken(id) };
            return Some(first.iter().copied().skip(taken).take(n).collect());
        }
        // The result of an asynchronous start contains its operands. They are no arrays of its own.
        let is_start = opcode.ends_with("-start");
        let passed: Vec<u32> = inputs.iter().filter(|_| is_start).flat_map(|input| input.iter().copied()).collect();
        let passed_at = usize::from(opcode == "copy-start");
        let has_passed = n > passed.len();
        let mut value = Vec::with_capacity(n);
        for (i, (index, array)) in arrays(&of.shape).into_iter().enumerate() {
            let passed = i.checked_sub(passed_at).and_then(|i| passed.get(i)).filter(|_| has_passed);
            value.push(match passed {
                Some(buffer) => *buffer,
                None => self.make(id, of, index, array, at)?,
            });
        }
        Some(value.into())
    }

    fn value(&self, id: InstructionId) -> Value {
        self.values.get(&id).cloned().unwrap_or_else(|| Rc::new([]))
    }

    /// Returns the buffers of one part of a tuple.
    fn element(&mut self, id: InstructionId, of: &Instruction, inputs: &[Value]) -> Option<Value> {
        let part: usize = of.text("index")?.parse().ok()?;
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

    /// Returns the number of arrays that the start of an asynchronous op takes. `done` is its done.
    fn taken(&self, done: InstructionId) -> usize {
        let module = self.module;
        let opcode = |id: InstructionId| module.instruction(id).map_or("", |of| &*of.opcode);
        let mut start = module.operands(done).next();
        for _ in 0..DEPTH {
            start =
                start.filter(|id| opcode(*id) == "async-update").and_then(|id| module.operands(id).next()).or(start);
        }
        let taken = start.into_iter().flat_map(|start| module.operands(start));
        taken.filter_map(|operand| self.values.get(&operand)).map(|value| value.len()).sum()
    }

    /// Walks the computations that a loop, a conditional or a call runs.
    fn bodies(&mut self, of: &Instruction, inputs: &[Value], depth: usize) -> Option<()> {
        let module = self.module;
        let takes = |i: usize| match &*of.opcode {
            "while" | "call" => Some(inputs),
            "conditional" => inputs.get(i + 1..i + 2),
            _ => None,
        };
        for (i, call) in of.calls().enumerate() {
            let (Some(inputs), Some(id)) = (takes(i), call.id) else { continue };
            if module.computation(id).is_some_and(|body| body.schedule.is_some()) {
                self.computation(id, inputs, depth)?;
            }
        }
        // The results of an iteration of a loop use the memory of the values that the iteration took.
        let body =
            of.call("body").filter(|_| &*of.opcode == "while").and_then(|call| module.computation(call.id?)?.root);
        let (gives, carried) = (body.map(|root| self.value(root)), inputs.first());
        for (next, carried) in gives.iter().flat_map(|gives| gives.iter()).zip(carried.iter().flat_map(|of| of.iter()))
        {
            self.share(*next, *carried);
        }
        Some(())
    }

    fn make(
        &mut self,
        id: InstructionId,
        of: &Instruction,
        index: Vec<i64>,
        array: &ArrayShape,
        at: u32,
    ) -> Option<u32> {
        let buffer = u32::try_from(self.made.len()).ok()?;
        let is = |opcode: &str| &*of.opcode == opcode;
        self.made.push(EstimatedBuffer {
            size: array.padded_bytes().unwrap_or_default(),
            color: array.memory_space(),
            instruction: id,
            index,
            at,
            first: at,
            last: at,
            same: buffer,
            is_parameter: is("parameter") && of.computation == self.module.entry,
            is_constant: is("constant"),
            is_output: false,
        });
        Some(buffer)
    }

    /// Returns the buffer that owns the memory of `buffer`.
    fn memory(&mut self, mut buffer: u32) -> u32 {
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
        let root = module.computation(entry).and_then(|of| of.root);
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
            let of = parameters.get(&parameter).and_then(|id| self.values.get(id)).and_then(|value| value.first());
            if let (Some(buffer), Some(parameter)) = (root_buffers.get(output).copied(), of.copied()) {
                self.share(buffer, parameter);
            }
        }
    }

    /// Lets instructions overwrite operands that are used for the last time.
    fn in_place(&mut self) {
        let module = self.module;
        let mut from = 0;
        while let Some(EstimatedBuffer { instruction: id, at, .. }) = self.made.get(from) {
            let (id, at) = (*id, *at);
            // The arrays of one execution of an instruction are neighbours.
            let n = self.made[from..].iter().take_while(|made| (made.instruction, made.at) == (id, at)).count();
            let opcode = module.instruction(id).map_or("", |of| &*of.opcode);
            if IN_PLACE.contains(&opcode) {
                self.overwrite(id, at, from as u32..(from + n) as u32);
            }
            from += n;
        }
    }

    /// Gives the arrays `made` by an instruction the memory of operands that nothing uses later.
    fn overwrite(&mut self, id: InstructionId, at: u32, made: Range<u32>) {
        let operands: Vec<u32> = self.module.operands(id).flat_map(|operand| self.value(operand).to_vec()).collect();
        let mut free: IndexMap<(u64, i64), VecDeque<u32>> = IndexMap::default();
        for operand in operands {
            let operand_bytes = self.memory(operand);
            let of = &self.made[operand_bytes as usize];
            if of.last == at && !of.is_parameter && !of.is_constant && !of.is_output && !made.contains(&operand_bytes) {
                free.entry((of.size, of.color)).or_default().push_back(operand_bytes);
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
    }

    /// Converts the result to the message that the compiler writes.
    fn into_assignment(mut self) -> BufferAssignmentProto {
        let memory: Vec<u32> = (0..self.made.len() as u32).map(|buffer| self.memory(buffer)).collect();
        let mut assignment = BufferAssignmentProto::default();
        let mut places: IndexMap<u32, usize> = IndexMap::default();
        let mut temporaries: IndexMap<i64, BufferAllocationProto> = IndexMap::default();
        let mut events: IndexMap<i64, Vec<(u32, Kind, u32)>> = IndexMap::default();
        for (i, made) in (0_u32..).zip(&self.made) {
            let name = self.module.instruction(made.instruction).map_or(String::new(), |of| of.name.to_string());
            let size = i64::try_from(made.size).unwrap_or(i64::MAX);
            let defined_at =
                Some(Location { instruction_name: name, shape_index: made.index.clone(), instruction_id: -1 });
            assignment.logical_buffers.push(LogicalBufferProto { id: i.into(), size, defined_at, color: made.color });
            let assigned = Assigned { logical_buffer_id: i.into(), offset: 0, size };
            if memory[i as usize] != i {
                // A buffer that updates a parameter belongs to the allocation of that parameter.
                if let Some(place) = places.get(&memory[i as usize]) {
                    assignment.buffer_allocations[*place].assigned.push(assigned);
                }
                continue;
            }
            if made.is_parameter || made.is_constant || made.is_output {
                places.entry(i).or_insert(assignment.buffer_allocations.len());
                assignment.buffer_allocations.push(BufferAllocationProto {
                    size,
                    color: made.color,
                    is_entry_computation_parameter: made.is_parameter,
                    is_constant: made.is_constant,
                    maybe_live_out: made.is_output,
                    assigned: vec![assigned],
                    ..BufferAllocationProto::default()
                });
                continue;
            }
            let heap = temporaries
                .entry(made.color)
                .or_insert_with(|| BufferAllocationProto { color: made.color, ..BufferAllocationProto::default() });
            // The addresses of temporaries are unknown, so each temporary has an offset of its own.
            heap.assigned.push(Assigned { offset: heap.size, ..assigned });
            heap.size = heap.size.saturating_add(size);
            let events = events.entry(made.color).or_default();
            events.push((made.first, Kind::Alloc, i));
            events.push((made.last, Kind::Free, i));
        }
        assignment.buffer_allocations.extend(temporaries.into_iter().map(|(_, heap)| heap));
        for (_, mut events) in events {
            // The results of an instruction are allocated before its operands are freed.
            events.small_sort_by_key(|(at, kind, buffer)| (*at, *kind == Kind::Free, *buffer));
            let event = |(at, kind, buffer): (u32, Kind, u32)| Event {
                kind: kind.into(),
                buffer_id: buffer.into(),
                instruction_name: self
                    .order
                    .get(at as usize)
                    .and_then(|id| self.module.instruction(*id))
                    .map_or(String::new(), |of| of.name.to_string()),
                ..Event::default()
            };
            let events = events.into_iter().map(event).collect();
            assignment.heap_simulator_traces.push(HeapSimulatorTrace { events, ..HeapSimulatorTrace::default() });
        }
        assignment
    }
}
