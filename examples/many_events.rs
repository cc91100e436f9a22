//! This example writes a trace JSON of many events, as a trace viewer gets it from a long run of a transformer on eight
//! devices.
//!
//! ```sh
//! cargo run --release --example many_events -- OUT.json 1000000     # plain; a name that ends in .gz is packed
//! ```

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{BufWriter, Result, Write};

const DEVICES: u64 = 8;
const OPS: u64 = 1_000;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| "many.trace.json".into());
    let n = args.next().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    if path.ends_with(".gz") {
        let mut packed = GzEncoder::new(file, Compression::default());
        write(&mut packed, n)?;
        packed.finish()?.flush()
    } else {
        let mut file = file;
        write(&mut file, n)?;
        file.flush()
    }
}

fn write(out: &mut impl Write, n: u64) -> Result<()> {
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"metadata\":{{\"highres-ticks\":true}},\"traceEvents\":[")?;
    for device in 0..DEVICES {
        let pid = 3 + device;
        let name = format!("\"name\":\"process_name\",\"args\":{{\"name\":\"/device:TPU:{device}\"}}");
        writeln!(out, "{{\"ph\":\"M\",\"pid\":{pid},{name}}},")?;
        writeln!(
            out,
            "{{\"ph\":\"M\",\"pid\":{pid},\"tid\":3,\"name\":\"thread_name\",\"args\":{{\"name\":\"XLA Ops\"}}}},"
        )?;
    }
    let ops: Vec<String> = (0..OPS).map(op).collect();
    for i in 0..n {
        // Events come device by device, as the profiler writes them. Each op takes 1 µs and a little more, which
        // differs from event to event.
        let (device, index) = (i / n.div_ceil(DEVICES), i % n.div_ceil(DEVICES));
        let (ts, ps, odd) = (index * 2, index * 2_000_000, index * 7_919 % 1_000);
        write!(out, "{{\"ph\":\"X\",\"pid\":{},\"tid\":3,\"ts\":{ts}.{odd:03},\"dur\":1.{odd:03},", 3 + device)?;
        write!(out, "{}", ops[(index % OPS) as usize])?;
        let clock = ps + 198_000_000_000 + odd;
        writeln!(out, ",\"device_offset_ps\":\"{clock}\",\"device_duration_ps\":\"{}\"}}}},", 1_000_000 + odd)?;
    }
    write!(out, "{{}}]}}")
}

/// Returns the part of the JSON of an event that all events of an op share. The brace of its `args` stays open.
fn op(n: u64) -> String {
    let (layer, hlo) =
        (n / 20, format!("%fusion.{n} = bf16[8,2048]{{1,0:T(8,128)(2,1)}} fusion(bf16[8,{n}]{{1,0}} %param.{n})"));
    format!(
        "\"name\":\"fusion.{n}\",\"args\":{{\"bytes_accessed\":\"{}\",\"hlo_category\":\"convolution fusion\",\"long_name\":\"{hlo}\",\
         \"model_flops\":\"{}\",\"source\":\"model.py:{n}\",\"tf_op\":\"jit(train)/layers_{layer}/mlp/dot_general:\"",
        4_096 * n,
        1_000_000 * n
    )
}
