//! This module collects what the operations of a kernel's function do.

use super::array_type::array_type;
use super::body::{Alloca, Loop, Matmul, Precision, Scope};
use super::function::Function;
use super::matmul::matmul_dims;
use super::op_attributes::OpAttributes;
use super::op_kind::OpKind;
use super::tables::Tables;
use super::unread::{MAX_LISTED, Read, Unread};
use super::values::Values;
use super::walk::{Op, Visitor};
use rustc_hash::FxHashMap;

/// How many of the last allocations a semaphore can go with.
const RECENT_ALLOCAS: usize = 64;

/// What is around the current operation.
#[derive(Clone, Debug)]
struct Context {
    parent_loop: Option<usize>,
    /// Product of the trip counts of the loops.
    executions: Read<u64>,
    is_in_branch: bool,
    /// Number of scopes that are open where the region starts.
    open_scopes: usize,
    /// Number of allocations that wait for a semaphore where the region starts.
    waiting: usize,
}

/// The operations of the function that counts as the kernel.
#[derive(Debug)]
pub(super) struct Collected {
    pub function: Function,
    pub allocas: Vec<Alloca>,
    pub loops: Vec<Loop>,
    pub matmuls: Vec<Matmul>,
    pub scopes: Vec<Scope>,
    pub enqueued_dmas: u64,
    /// Number of operations by the number of their name.
    pub op_counts: Vec<u64>,
    scope_indices: FxHashMap<Read<String>, usize>,
    open: Vec<usize>,
    /// Indices of allocations that no semaphore goes with yet.
    waiting: Vec<usize>,
}

/// The visitor that collects the operations of the kernel's function. This is the first function with the attribute
/// `dimension_semantics`, which every kernel of Pallas has, or the first of all; the others compute positions of
/// blocks.
pub(super) struct Collector<'t, 'a> {
    tables: &'t Tables<'a>,
    /// The function that counts as the kernel so far.
    pub kernel: Option<Collected>,
    is_final: bool,
    /// Whether the operation that was seen last is the function to collect.
    is_start: bool,
    /// Number of operations around the current one, and this number within the function that is collected.
    depth: usize,
    function_depth: Option<usize>,
    /// The kind of the operation that was seen last, and what is around its regions if it is collected.
    last: Option<OpKind>,
    contexts: Vec<Context>,
}

impl<'t, 'a> Collector<'t, 'a> {
    pub const fn new(tables: &'t Tables<'a>) -> Self {
        Self {
            tables,
            kernel: None,
            is_final: false,
            is_start: false,
            depth: 0,
            function_depth: None,
            last: None,
            contexts: Vec::new(),
        }
    }

    /// Starts to collect a function, unless a better one is collected.
    fn start_function(&mut self, attributes: OpAttributes) {
        let is_kernel = attributes.index(self.tables, "dimension_semantics").is_ok();
        if self.is_final || (self.kernel.is_some() && !is_kernel) {
            return;
        }
        self.is_final = is_kernel;
        self.is_start = true;
        self.kernel = Some(Collected::new(attributes, self.tables.op_names.len()));
    }

    fn context(&self) -> Context {
        let outermost =
            Context { parent_loop: None, executions: Ok(1), is_in_branch: false, open_scopes: 0, waiting: 0 };
        self.contexts.last().cloned().unwrap_or(outermost)
    }
}

impl Visitor for Collector<'_, '_> {
    fn visit_op(&mut self, op: &Op<'_, '_>, values: &Values) -> Read<Option<i64>> {
        self.last = op.name.kind;
        self.is_start = false;
        let attributes =
            OpAttributes { dictionary: op.attributes, properties: op.properties, is_registered: op.name.is_registered };
        if self.function_depth.is_none() {
            if self.last == Some(OpKind::Function) {
                self.start_function(attributes);
            }
            return Ok(None);
        }
        let context = self.context();
        let Some(kernel) = &mut self.kernel else { return Ok(None) };
        kernel.count(op.name_index);
        let Some(kind) = op.name.kind else { return Ok(None) };
        let constant = kernel.collect(kind, op, &attributes, values, self.tables, context);
        kernel.check_lengths().map(|()| constant)
    }

    fn enter_op(&mut self) {
        self.depth = self.depth.saturating_add(1);
        if self.is_start {
            self.function_depth = Some(self.depth);
        }
        if self.function_depth.is_none() {
            return;
        }
        let mut context = self.context();
        let Some(kernel) = &self.kernel else { return };
        match self.last {
            Some(OpKind::For | OpKind::While | OpKind::Parallel | OpKind::Forall) => {
                context.parent_loop = kernel.loops.len().checked_sub(1);
                let trip_count = kernel.loops.last().map_or(Err(Unread::Absent), |last| last.trip_count.clone());
                context.executions = context
                    .executions
                    .and_then(|executions| executions.checked_mul(trip_count?).ok_or(Unread::Overflow));
            }
            Some(OpKind::If | OpKind::IndexSwitch) => context.is_in_branch = true,
            _ => {}
        }
        context.open_scopes = kernel.open.len();
        context.waiting = kernel.waiting.len();
        self.contexts.push(context);
    }

    fn enter_region(&mut self) {
        let (Some(context), Some(kernel)) = (self.contexts.last(), &mut self.kernel) else { return };
        kernel.open.truncate(context.open_scopes);
        kernel.waiting.truncate(context.waiting);
    }

    fn enter_block(&mut self, arguments: &[u64]) {
        // The first block of the function itself.
        if self.function_depth == Some(self.depth)
            && let Some(kernel) = self.kernel.as_mut().filter(|kernel| kernel.function.arguments.is_empty())
        {
            kernel.function.arguments.extend_from_slice(arguments);
        }
    }

    fn leave_op(&mut self) {
        self.enter_region();
        self.contexts.pop();
        if self.function_depth == Some(self.depth) {
            self.function_depth = None;
        }
        self.depth = self.depth.saturating_sub(1);
    }
}

impl Collected {
    /// Returns an error if a list is longer than those of a kernel.
    fn check_lengths(&self) -> Read<()> {
        let arguments = self.function.arguments.len();
        let lengths = [arguments, self.allocas.len(), self.loops.len(), self.matmuls.len(), self.scopes.len()];
        let too_many = lengths.into_iter().find(|length| *length > MAX_LISTED);
        too_many.map_or(Ok(()), |count| Err(Unread::TooMany { count: count as u64, limit: MAX_LISTED as u64 }))
    }

    fn new(attributes: OpAttributes, names: usize) -> Self {
        Self {
            function: Function { attributes, arguments: Vec::new() },
            allocas: Vec::new(),
            loops: Vec::new(),
            matmuls: Vec::new(),
            scopes: Vec::new(),
            enqueued_dmas: 0,
            op_counts: vec![0; names],
            scope_indices: FxHashMap::default(),
            open: Vec::new(),
            waiting: Vec::new(),
        }
    }

    fn count(&mut self, name_index: u64) {
        if let Some(count) = usize::try_from(name_index).ok().and_then(|index| self.op_counts.get_mut(index)) {
            *count = count.saturating_add(1);
        }
    }

    /// Collects an operation, and returns the number that it computes if that is known.
    fn collect(
        &mut self,
        kind: OpKind,
        op: &Op<'_, '_>,
        attributes: &OpAttributes,
        values: &Values,
        tables: &Tables<'_>,
        context: Context,
    ) -> Option<i64> {
        match kind {
            OpKind::Constant => return attributes.integer(tables, "value").ok(),
            OpKind::Add => return folded(op, values, i64::checked_add),
            OpKind::Subtract => return folded(op, values, i64::checked_sub),
            OpKind::Multiply => return folded(op, values, i64::checked_mul),
            OpKind::IndexCast => return constant(op, values, 0).ok(),
            OpKind::For => {
                let (trip_count, parent) = (trip_count(op, values), context.parent_loop);
                self.loops.push(Loop { trip_count, parent });
            }
            OpKind::While | OpKind::Parallel | OpKind::Forall => {
                self.loops.push(Loop { trip_count: Err(Unread::NotConstant), parent: context.parent_loop });
            }
            OpKind::Alloca => {
                let array = op.results.first().map_or(Err(Unread::Absent), |index| array_type(tables, *index));
                self.waiting.push(self.allocas.len());
                self.allocas.push(Alloca { array, buffers: None });
            }
            OpKind::SemaphoreAlloc => self.semaphores(op, tables, context.waiting),
            OpKind::EnqueueDma => self.enqueued_dmas = self.enqueued_dmas.saturating_add(1),
            OpKind::Matmul => self.matmul(op, attributes, values, tables, context),
            OpKind::TraceStart => {
                self.start_scope(attributes.text(tables, "message"));
            }
            OpKind::TraceStop if self.open.len() > context.open_scopes => {
                self.open.pop();
            }
            OpKind::TraceStop | OpKind::Function | OpKind::If | OpKind::IndexSwitch => {}
        }
        None
    }

    fn start_scope(&mut self, name: Read<String>) {
        let index = *self.scope_indices.entry(name).or_insert_with_key(|name| {
            self.scopes.push(Scope { name: name.clone(), starts: 0 });
            self.scopes.len().saturating_sub(1)
        });
        if let Some(scope) = self.scopes.get_mut(index) {
            scope.starts = scope.starts.saturating_add(1);
        }
        self.open.push(index);
    }

    /// Finds the array that an allocation of semaphores goes with: the last one in the same region whose first
    /// dimension has as many elements. `emit_pipeline` allocates both one after the other.
    fn semaphores(&mut self, op: &Op<'_, '_>, tables: &Tables<'_>, outer: usize) {
        let array = op.results.first().map(|index| array_type(tables, *index));
        let Some(Ok(array)) = array else { return };
        let [Some(buffers)] = array.shape[..] else { return };
        let is_dma = matches!(&array.element, Err(Unread::Word { word }) if word == "!tpu.dma_semaphore");
        if !is_dma {
            return;
        }
        let recent = self.waiting.iter().enumerate().skip(outer).rev().take(RECENT_ALLOCAS);
        let has_buffers = |index: usize| {
            let array = self.allocas.get(index).and_then(|alloca| alloca.array.as_ref().ok());
            array.is_some_and(|array| array.shape.len() > 1 && array.shape.first() == Some(&Some(buffers)))
        };
        let found = recent.map(|(place, index)| (place, *index)).find(|(_, index)| has_buffers(*index));
        if let Some((place, index)) = found {
            self.waiting.remove(place);
            if let Some(alloca) = self.allocas.get_mut(index) {
                alloca.buffers = Some(buffers);
            }
        }
    }

    fn matmul(
        &mut self,
        op: &Op<'_, '_>,
        attributes: &OpAttributes,
        values: &Values,
        tables: &Tables<'_>,
        context: Context,
    ) {
        let operand = |index: usize| {
            let number = op.operands.get(index).ok_or(Unread::Absent)?;
            array_type(tables, values.find(*number)?.type_index)
        };
        let result = op.results.first().map_or(Err(Unread::Absent), |index| array_type(tables, *index));
        let (lhs, rhs) = (operand(0), operand(1));
        let is_set = |name| attributes.integer(tables, name) == Ok(1);
        let dims = match (&lhs, &rhs) {
            (Ok(lhs), Ok(rhs)) => {
                let transposed = [is_set("transpose_lhs"), is_set("transpose_rhs")];
                matmul_dims(lhs, rhs, attributes.word(tables, "dimension_numbers"), transposed)
            }
            (Err(reason), _) | (_, Err(reason)) => Err(reason.clone()),
        };
        let precision = match attributes.word(tables, "precision") {
            Ok(word) => Precision::from_key(word).ok_or_else(|| Unread::word(word)),
            Err(Unread::Absent) => Ok(Precision::Bf16),
            Err(reason) => Err(reason),
        };
        self.matmuls.push(Matmul {
            dims,
            lhs: lhs.and_then(|array| array.element),
            rhs: rhs.and_then(|array| array.element),
            result: result.and_then(|array| array.element),
            precision,
            parent_loop: context.parent_loop,
            executions: context.executions,
            is_in_branch: context.is_in_branch,
            scope: self.open.last().copied(),
        });
    }
}

/// Returns the known number of an operand.
fn constant(op: &Op<'_, '_>, values: &Values, operand: usize) -> Read<i64> {
    let number = op.operands.get(operand).ok_or(Unread::Absent)?;
    values.find(*number)?.constant.ok_or(Unread::NotConstant)
}

/// Returns the result of an operation on two known numbers.
fn folded(op: &Op<'_, '_>, values: &Values, compute: fn(i64, i64) -> Option<i64>) -> Option<i64> {
    compute(constant(op, values, 0).ok()?, constant(op, values, 1).ok()?)
}

/// Returns how often a loop with constant bounds runs: ⌈(upper − lower) ÷ step⌉.
fn trip_count(op: &Op<'_, '_>, values: &Values) -> Read<u64> {
    let bound = |operand| constant(op, values, operand);
    let (lower, upper, step) = (bound(0)?, bound(1)?, bound(2)?);
    let step = u64::try_from(step).ok().filter(|step| *step > 0).ok_or(Unread::Step)?;
    Ok(if upper > lower { upper.abs_diff(lower).div_ceil(step) } else { 0 })
}
