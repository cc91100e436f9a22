//! This module provides real HLO: the texts of instructions, and the programs of captures.

use super::{json, profile};
use xla_profile::wire::hlo::decode;
use xla_profile::wire::proto::hlo::HloProto;
use xla_profile::wire::proto::xspace::{XPlane, XSpace, x_stat};

/// Programs that were compiled ahead of time. All but the `after_codegen` ones have a buffer assignment.
pub const AOT: [&str; 8] = [
    "tpu7x_2x2x1_dense_L16_d4096_s2048_b16_tp2",
    "v4_2x2x1_dense_L8_d2048_s2048_b16_tp2",
    "v5e_2x2_dense_L2_d1024_s1024_b8_tp2",
    "v5e_2x2_dense_L2_d1024_s1024_b8_tp2.after_codegen",
    "v5p_2x2x2_dense_L16_d4096_s2048_b16_tp2",
    "v5p_2x2x2_dense_L16_d4096_s2048_b16_tp2.after_codegen",
    "v6e_2x4_dense_L16_d2048_s2048_b16_tp2",
    "v6e_2x4_dense_L16_d2048_s2048_b16_tp2.after_codegen",
];

/// Reads one of [`AOT`]; `None` if there are no real captures.
pub fn aot(name: &str) -> Option<HloProto> {
    Some(decode(&profile(&format!("tpu-aot/{name}.hlo_proto.pb"))?).unwrap())
}

/// The distinct texts of one source.
pub struct Corpus {
    pub name: &'static str,
    pub texts: Vec<String>,
}

/// Returns every text of a single instruction in the real captures, by source.
pub fn corpora() -> Option<Vec<Corpus>> {
    let stats = json("tpu-v5p-golden/hlo_stats.json.gz")?;
    let column = stats["cols"].as_array()?.iter().position(|c| c["id"] == "hlo_op_expression")?;
    let rows = stats["rows"].as_array()?.iter();
    let stats = rows.filter_map(|r| r["c"][column]["v"].as_str().map(str::to_owned)).collect();

    let mut tree = Vec::new();
    strings(&json("tpu-v5p-golden/op_profile.json.gz")?, "expression", &mut tree);

    let mut vllm = Vec::new();
    strings(&json("tpu-vllm-trace/vllm.trace.json.gz")?, "long_name", &mut vllm);

    let space = xspace("tpu-v6e-host-offload/host.xplane.pb")?;
    let devices = space.planes.iter().filter(|p| p.name.starts_with("/device:"));
    let v6e = devices.flat_map(op_texts).collect();

    let named = [("v5p hlo_stats", stats), ("v5p op_profile", tree), ("vLLM", vllm), ("v6e", v6e)];
    Some(named.into_iter().map(|(name, texts)| Corpus { name, texts: distinct(texts) }).collect())
}

fn distinct(mut texts: Vec<String>) -> Vec<String> {
    texts.retain(|t| !t.is_empty());
    texts.sort();
    texts.dedup();
    texts
}

/// Collects every string under the key `key`, at any depth.
fn strings(value: &serde_json::Value, key: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|v| strings(v, key, found)),
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    serde_json::Value::String(text) if name == key => found.push(text.clone()),
                    other => strings(other, key, found),
                }
            }
        }
        _ => {}
    }
}

/// Reads an XSpace of the real captures.
pub fn xspace(name: &str) -> Option<XSpace> {
    Some(prost::Message::decode(profile(name)?.as_slice()).unwrap())
}

/// Returns the names of the ops of a device, which are the texts of their instructions.
pub fn op_texts(plane: &XPlane) -> Vec<String> {
    let lines = plane.lines.iter().filter(|l| l.name == "XLA Ops" || l.name == "Async XLA Ops");
    let ids = lines.flat_map(|l| l.events.iter().map(|e| e.metadata_id));
    distinct(ids.filter_map(|id| plane.event_metadata.get(&id)).map(|m| m.name.clone()).collect())
}

/// Returns every HLO proto in `/host:metadata` of a capture, with the name of the event metadata that holds it:
/// `jit_f(program id)`.
pub fn programs(space: &XSpace) -> Vec<(String, HloProto)> {
    let planes = space.planes.iter().filter(|p| p.name == "/host:metadata");
    let stats = planes.flat_map(|p| p.event_metadata.values().flat_map(|m| m.stats.iter().map(|s| (&m.name, s))));
    stats
        .filter_map(|(name, stat)| match &stat.value {
            Some(x_stat::Value::BytesValue(bytes)) => Some((name.clone(), decode(bytes).ok()?)),
            _ => None,
        })
        .collect()
}

/// Returns the text of a whole module.
pub fn llama() -> Option<String> {
    let gzip = profile("hlo-text/llama3-8b-v6e8-train_step.after_optimizations.hlo.gz")?;
    Some(String::from_utf8(xla_profile::source::inflate_slice(&gzip, 1 << 28).bytes).unwrap())
}
