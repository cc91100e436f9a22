//! This module names the operations of a body that the reader understands. All others are only counted.

/// The longest name, in bytes, that is compared.
const MAX_NAME: usize = 32;

crate::keyed_enum! {
    /// An operation that the reader understands, by its name in MLIR.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum OpKind {
        Function = "func.func",
        Constant = "arith.constant",
        Add = "arith.addi",
        Subtract = "arith.subi",
        Multiply = "arith.muli",
        IndexCast = "arith.index_cast",
        For = "scf.for",
        While = "scf.while",
        Parallel = "scf.parallel",
        Forall = "scf.forall",
        If = "scf.if",
        IndexSwitch = "scf.index_switch",
        Alloca = "memref.alloca",
        SemaphoreAlloc = "tpu.sem_alloc",
        EnqueueDma = "tpu.enqueue_dma",
        Matmul = "tpu.matmul",
        TraceStart = "tpu.trace_start",
        TraceStop = "tpu.trace_stop",
    }
}

impl OpKind {
    /// Returns the operation with a full name.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        if name.len() > MAX_NAME { None } else { std::str::from_utf8(name).ok().and_then(Self::from_key) }
    }

    /// Returns the operation with a name within a dialect.
    pub fn from_names(dialect: &[u8], name: &[u8]) -> Option<Self> {
        let is_long = dialect.len() > MAX_NAME || name.len() > MAX_NAME;
        if is_long { None } else { Self::from_name(&[dialect, b".", name].concat()) }
    }
}
