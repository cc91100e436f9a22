//! This module names formats that are no capture and no program, but lie beside them or are mistaken for them, with the way from each
//! of them to something that can be read.

use super::search::contains;
use super::xspace::is_text;
use super::{Cursor, Field, Value};

/// A format that is recognised and cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFormat {
    /// Its name with an article, as a part of a sentence.
    pub name: &'static str,
    /// Sentences about the way on. Empty if there is none but another file.
    pub advice: &'static str,
}

const fn known(name: &'static str, advice: &'static str) -> KnownFormat {
    KnownFormat { name, advice }
}

const NSIGHT_SYSTEMS: KnownFormat = known(
    "a report of Nsight Systems",
    "Open it with nsys-ui. Nsight holds CUPTI, so that JAX records no kernels beside it: capture again without it, with jax.profiler.trace.",
);

const RIEGELI: KnownFormat = known(
    "Riegeli records, as XLA writes an .xplane.riegeli",
    "Convert the file with xprof, or profile again without enable_continuous_profiling, which then writes an .xplane.pb.",
);

const COMPILE_OPTIONS: KnownFormat = known(
    "the XLA compile options of a program (compile_options.pb of a dump)",
    "It holds no events and no program. Open the .hlo_proto.pb or .hlo.pb of the dump, or the .xplane.pb of a profile.",
);

const PPROF: KnownFormat = known(
    "a pprof profile, as jax.profiler.save_device_memory_profile writes it",
    "Open it with pprof: `pprof -http=: memory.prof`. For the buffers of a program, open its .hlo_proto.pb or the .xplane.pb of a profile.",
);

const BUFFER_ASSIGNMENT: KnownFormat = known(
    "the text of a buffer assignment",
    "The .hlo.pb of the same module beside it holds the buffer assignment in full: open that file \
     (module_….after_optimizations.hlo.pb, written with --xla_dump_hlo_as_proto).",
);

const STABLEHLO: KnownFormat = known(
    "a StableHLO module (MLIR), which is not compiled yet",
    "Compile it, and open the text of the compiled program: `jax.jit(f).lower(x).compile().as_text()`. `--xla_dump_to` writes it as well.",
);

const MLIR: KnownFormat = known(
    "an MLIR module, which is not HLO",
    "Open the text of the compiled program: `jax.jit(f).lower(x).compile().as_text()`. `--xla_dump_to` writes it as well.",
);

const OUT_OF_MEMORY: KnownFormat = known(
    "an out-of-memory message of XLA",
    "It names only the largest buffers. Run the program with XLA_FLAGS=--xla_dump_to=DIR --xla_dump_hlo_as_proto, and open DIR with \
     `rooflight memory`: it shows all buffers at the peak.",
);

/// The formats whose files begin with fixed bytes.
const MAGIC: [(&[u8], KnownFormat); 18] = [
    (b"\x89PNG\r\n\x1a\n", known("a PNG image", "")),
    (b"\xff\xd8\xff", known("a JPEG image", "")),
    (b"GIF8", known("a GIF image", "")),
    (b"RIFF", known("a RIFF file (WebP, WAV or AVI)", "")),
    (b"%PDF", known("a PDF document", "")),
    (b"SQLite format 3\0", known("a SQLite database", "")),
    (b"\x7fELF", known("a Linux program", "")),
    (b"MZ", known("a Windows program", "")),
    (b"\xcf\xfa\xed\xfe", known("a macOS program", "")),
    (b"\x28\xb5\x2f\xfd", known("a zstd archive", "")),
    (b"BZh", known("a bzip2 archive", "")),
    (b"\0asm", known("a WebAssembly module", "")),
    (b"PAR1", known("a Parquet file", "")),
    (b"\x89HDF", known("an HDF5 file", "")),
    (b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", RIEGELI),
    (
        b"NVR\0",
        known(
            "a report of Nsight Compute",
            "Open it with ncu-ui. It holds counters of single kernels, and no timeline.",
        ),
    ),
    (b"QDSTRM", NSIGHT_SYSTEMS),
    (b"ML\xefR", STABLEHLO),
];

/// Tables that Nsight Systems writes when it exports a report as SQLite.
const NSIGHT_TABLES: [&[u8]; 3] = [b"CUPTI_ACTIVITY_KIND", b"NVTX_EVENTS", b"META_DATA_CAPTURE"];

/// Endings of names that tell formats without fixed first bytes.
const ENDINGS: [(&str, KnownFormat); 3] =
    [(".nsys-rep", NSIGHT_SYSTEMS), (".qdrep", NSIGHT_SYSTEMS), (".xplane.riegeli", RIEGELI)];

/// Returns the format whose files begin with these bytes.
pub(super) fn by_magic(head: &[u8]) -> Option<KnownFormat> {
    let (magic, format) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic))?;
    let is_nsight = magic.starts_with(b"SQLite") && NSIGHT_TABLES.iter().any(|table| contains(head, table));
    Some(if is_nsight { NSIGHT_SYSTEMS } else { *format })
}

/// Returns the format of a binary file that `head` does not tell, by the ending of its name.
pub fn by_ending(name: &str) -> Option<KnownFormat> {
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format)
}

/// Returns the format of a message that is no XSpace and no program.
pub(super) fn by_fields(head: &[u8]) -> Option<KnownFormat> {
    if is_pprof(head) {
        return Some(PPROF);
    }
    is_compile_options(head).then_some(COMPILE_OPTIONS)
}

/// Returns the format of a text that is neither JSON nor HLO.
pub(super) fn by_text(head: &[u8]) -> Option<KnownFormat> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if text.starts_with(b"BufferAssignment:") {
        return Some(BUFFER_ASSIGNMENT);
    }
    if starts_as_mlir(text) {
        let is_stable = contains(text, b"stablehlo.") || contains(text, b"mhlo.") || contains(text, b"vhlo.");
        return Some(if is_stable { STABLEHLO } else { MLIR });
    }
    let is_of_memory = contains(text, b"RESOURCE_EXHAUSTED") || contains(text, b"Ran out of memory in memory space");
    let has_memory = [b"ut of memory".as_slice(), b"emory space", b" hbm", b"Failed to allocate"]
        .iter()
        .any(|word| contains(text, word));
    (is_of_memory && has_memory).then_some(OUT_OF_MEMORY)
}

/// Returns whether a text starts with a module or a function of MLIR. Lines before it may be comments or aliases of attributes.
fn starts_as_mlir(text: &[u8]) -> bool {
    let is_before = |line: &&[u8]| line.is_empty() || line.starts_with(b"//") || line.starts_with(b"#");
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(first) = lines.find(|line| !is_before(line)) else { return false };
    let is_module = first.starts_with(b"module @")
        || first.starts_with(b"module {")
        || first.starts_with(b"module attributes")
        || first.starts_with(b"\"builtin.module\"");
    is_module || first.starts_with(b"func.func ")
}

/// Returns whether a message starts like a profile of pprof: the types of its values, each a pair of numbers of strings.
fn is_pprof(head: &[u8]) -> bool {
    let mut cursor = Cursor::new(head, 0);
    let mut n_types = 0_u32;
    while let Ok(Some(field)) = cursor.next_field() {
        match (field.number, field.value) {
            (1, Value::Bytes(pair)) if is_pair(pair) => n_types = n_types.saturating_add(1),
            // A sample has the locations of its stack and its values.
            (2, Value::Bytes(_)) => return n_types > 0,
            _ => return false,
        }
    }
    false
}

fn is_pair(message: &[u8]) -> bool {
    let mut cursor = Cursor::new(message, 0);
    let mut is_number = |wanted: u32| matches!(cursor.next_field(), Ok(Some(Field { number, value: Value::Varint(_) })) if number == wanted);
    is_number(1) && is_number(2) && matches!(cursor.next_field(), Ok(None))
}

/// Returns whether a message starts like the compile options of XLA: the layouts of arguments, whether they are a tuple, and the options
/// for building, which begin with the number of a device.
fn is_compile_options(head: &[u8]) -> bool {
    let mut cursor = Cursor::new(head, 0);
    loop {
        let Ok(Some(field)) = cursor.next_field() else { return false };
        match (field.number, field.value) {
            (1, Value::Bytes(_)) | (2, Value::Varint(0 | 1)) => {}
            (3, Value::Bytes(options)) => return !is_text(options) && is_build_options(options),
            _ => return false,
        }
    }
}

fn is_build_options(options: &[u8]) -> bool {
    let mut cursor = Cursor::new(options, 0);
    matches!(cursor.next_field(), Ok(Some(field)) if field.number == 1 && matches!(field.value, Value::Varint(_)))
}
