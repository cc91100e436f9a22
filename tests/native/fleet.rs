//! These tests compare the tables of `rooflight export --parquet` with the JSON of the views, and with each other.

use crate::common::fleet::Run;
use crate::common::{bytes, make};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use xla_profile::wire::proto::xspace::XSpace;

pub const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz");
pub const GPU: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/gpu/xla.graphs.xplane.pb.xz");

pub fn rooflight() -> Command {
    Command::new(env!("CARGO_BIN_EXE_rooflight"))
}

/// Runs `rooflight export` with `args`, and checks the exit code.
pub fn export(args: &[&str], code: i32) -> Output {
    let out = rooflight().arg("export").args(args).output().unwrap();
    assert_eq!(out.status.code(), Some(code), "{}", String::from_utf8_lossy(&out.stderr));
    out
}

/// Writes captures of the runs of a job. Returns their paths.
pub fn write_runs(folder: &Path, n: usize) -> Vec<String> {
    let write = |number| {
        let path = folder.join(format!("{number:04}.xplane.pb"));
        std::fs::write(&path, Run { number, index: n }.capture()).unwrap();
        path.display().to_string()
    };
    (0..n).map(write).collect()
}

/// Returns the files below a folder with their bytes. The paths begin with the name of the folder.
pub fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder.parent().unwrap()).unwrap().to_owned();
                files.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    files
}

/// Returns the rows of a Parquet file as JSON.
pub fn parquet_rows(path: &Path) -> Vec<Map<String, Value>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap()).unwrap().build().unwrap();
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch.unwrap();
        let schema = batch.schema();
        for row in 0..batch.num_rows() {
            let cell = |(field, column): (&std::sync::Arc<arrow_schema::Field>, &ArrayRef)| {
                (field.name().clone(), value(column, row))
            };
            rows.push(schema.fields().iter().zip(batch.columns()).map(cell).collect());
        }
    }
    rows
}

fn value(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    let items = |array: &ArrayRef| (0..array.len()).map(|row| value(array, row)).collect::<Vec<Value>>();
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Timestamp(..) => json!({"micros": array.as_primitive::<TimestampMicrosecondType>().value(row)}),
        DataType::List(_) => items(&array.as_list::<i32>().value(row)).into(),
        DataType::Struct(fields) => {
            let columns = array.as_struct();
            fields
                .iter()
                .zip(columns.columns())
                .map(|(field, column)| (field.name().clone(), value(column, row)))
                .collect::<Map<_, _>>()
                .into()
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let pairs = items(entries.column(0)).into_iter().zip(items(entries.column(1)));
            pairs.map(|(key, value)| (key.as_str().unwrap().to_owned(), value)).collect::<Map<_, _>>().into()
        }
        other => panic!("{other}"),
    }
}

/// Returns the rows of a table, of all files below `out`.
pub fn table(out: &Path, name: &str) -> Vec<Map<String, Value>> {
    let files = tree(&out.join(format!("table={name}")));
    files.keys().flat_map(|file| parquet_rows(&out.join(file))).collect()
}

fn view(args: &[&str]) -> Value {
    let out = rooflight().args(args).arg("--json").output().unwrap();
    serde_json::from_slice(&out.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

/// Returns whether two values are the same. The reader of JSON in the tests may miss the last digit of a double.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || (a - b).abs() <= a.abs() * 4e-16
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| is_same(value, other)))
        }
        (a, b) => a == b,
    }
}

/// Compares columns of a row with fields of JSON.
fn equal(row: &Map<String, Value>, of_view: &Value, columns: &[(&str, &str)]) {
    for (column, field) in columns {
        let (a, b) = (&row[*column], &of_view[*field]);
        assert!(is_same(a, b), "{column} is {a}, and {field} is {b}");
    }
}

#[test]
fn names_and_types_of_columns_are_kept() {
    insta::assert_snapshot!("fleet_schema", rooflight::fleet::schema_text());
}

#[test]
fn the_schema_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/FLEET_TABLES.md");
    let text = rooflight::fleet::schema_markdown();
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "INSTA_UPDATE=always writes the page");
}

#[test]
fn tables_equal_the_json_of_the_views() {
    for capture in [SAMPLE, GPU] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().to_str().unwrap();
        export(&["--parquet", out, capture], 0);
        ops_equal_the_views(dir.path(), capture);

        let comm = view(&["comm", capture]);
        let rows = table(dir.path(), "collectives");
        assert_eq!(rows.len(), comm["rows"].as_array().unwrap().len());
        let same = [
            "program",
            "program_id",
            "op",
            "primitive",
            "core",
            "sync",
            "scope",
            "source",
            "groups",
            "group_size",
            "group_stride",
            "n_groups",
            "axis",
            "role",
            "n_executions",
            "bytes_per_execution",
            "bytes",
            "stall_ps",
            "issue_ps",
            "fused_ps",
            "in_flight_ps",
            "exposed_ps",
            "overlapped_ps",
            "waited_ps",
            "wall_ps",
            "alg_gbps",
            "bus_gbps",
        ];
        for (row, of_view) in rows.iter().zip(comm["rows"].as_array().unwrap()) {
            equal(row, of_view, &same.map(|name| (name, name)));
        }

        let overview = view(&["overview", capture]);
        let rows = table(dir.path(), "findings");
        let groups =
            [("time", "findings"), ("option", "options"), ("memory", "memory_findings"), ("quality", "quality")];
        let listed = groups
            .iter()
            .flat_map(|(group, list)| overview[*list].as_array().unwrap().iter().map(move |finding| (*group, finding)));
        let listed: Vec<(&str, &Value)> = listed.collect();
        assert!(rows.len() == listed.len() && rows.len() > 2);
        for (row, (group, of_view)) in rows.iter().zip(listed) {
            let same = [
                "id",
                "severity",
                "confidence",
                "confidence_reason",
                "title",
                "detail",
                "why",
                "at_stake_ps",
                "claimed_ps",
                "recoverable_ps",
                "per_capture_ps",
                "pct_of_period",
                "stake_bytes",
                "formula",
                "overlaps",
                "worked_if",
            ];
            equal(row, of_view, &same.map(|name| (name, name)));
            equal(
                row,
                &of_view["evidence"],
                &["ops", "n_ops", "steps", "devices", "host_events", "spans"].map(|name| (name, name)),
            );
            assert_eq!(row["group"], *group);
            let texts = |tries: &Value| {
                tries.as_array().unwrap().iter().map(|advice| advice["text"].clone()).collect::<Vec<Value>>()
            };
            assert_eq!(texts(&row["try"]), texts(&of_view["try"]));
        }

        let captures = table(dir.path(), "captures");
        let [row] = &captures[..] else { panic!("{captures:?}") };
        equal(
            row,
            &overview,
            &[
                ("status", "status"),
                ("verdict", "verdict"),
                ("critical_device", "critical_device"),
                ("period_ps", "period_ps"),
                ("recoverable_ps", "recoverable_ps"),
                ("ledger", "ledger"),
                ("n_steady", "n_steady"),
                ("device_type", "device_type"),
            ],
        );
        for (name, figure) in row["figures"].as_object().unwrap() {
            assert!(is_same(figure, &overview["figures"][name]["value"]), "{name}");
        }
        steps_and_memory_equal_the_views(dir.path(), capture);
    }
}

fn ops_equal_the_views(out: &Path, capture: &str) {
    let rows = table(out, "ops");
    let breakdown = view(&["breakdown", capture]);
    let roofline = view(&["roofline", capture]);
    let by_name = |list: &Value| -> BTreeMap<(String, String), Value> {
        let key = |row: &Value| (row["program_id"].to_string(), row["key"].to_string());
        list.as_array().unwrap().iter().map(|row| (key(row), row.clone())).collect()
    };
    let (groups, roofs) = (by_name(&breakdown["groups"]), by_name(&roofline["groups"]));
    assert!(rows.len() == groups.len() && roofs.len() > 10, "{} {}", rows.len(), roofs.len());
    let n_devices = breakdown["n_devices"].as_u64().unwrap();
    let devices: Vec<BTreeMap<(String, String), Value>> =
        (0..n_devices).map(|n| by_name(&view(&["breakdown", capture, "--device", &n.to_string()])["groups"])).collect();
    let (mut n_roofs, mut n_keys) = (0, 0);
    for row in &rows {
        let key = (row["program_id"].to_string(), row["op"].to_string());
        let group = &groups[&key];
        equal(
            row,
            group,
            &[
                ("program", "program"),
                ("kind", "kind"),
                ("scope", "tf_op"),
                ("source", "source_inner"),
                ("self_ps", "total_dur_ps"),
                ("n_executions", "n_executions"),
                ("flops", "flops_sum"),
                ("bytes", "bytes_accessed_sum"),
                ("phase", "phase"),
                ("op_group", "op_group"),
                ("layer", "layer"),
                ("module", "module"),
            ],
        );
        let times: Vec<u64> = devices.iter().filter_map(|device| device.get(&key)?["total_dur_ps"].as_u64()).collect();
        assert_eq!(row["self_min_ps"].as_u64(), times.iter().copied().min(), "{key:?}");
        assert_eq!(row["self_max_ps"].as_u64(), times.iter().copied().max());
        assert_eq!(row["n_devices"].as_u64(), Some(times.len() as u64));
        if let Some(roof) = roofs.get(&key).filter(|roof| !roof["t_roofline_ps"].is_null()) {
            let same = ["t_roofline_ps", "gap_ps", "recoverable_ps", "rooflined_dur_ps", "roofline_util", "bound"];
            equal(row, roof, &same.map(|name| (name, name)));
            n_roofs += 1;
        } else {
            assert!(row["t_roofline_ps"].is_null());
        }
        n_keys += usize::from(!row["signature_hash"].is_null());
    }
    assert!(n_roofs > 10 && n_keys * 10 > rows.len() * 9, "{n_roofs} {n_keys} of {}", rows.len());
    // Digests with ranks identify the ops of a program.
    let keys = |row: &Map<String, Value>| {
        [&row["program_id"], &row["scope_hash"], &row["signature_hash"], &row["rank"]].map(Value::to_string)
    };
    let distinct: std::collections::BTreeSet<_> = rows.iter().filter(|row| !row["rank"].is_null()).map(keys).collect();
    assert_eq!(distinct.len(), n_keys);
}

fn steps_and_memory_equal_the_views(out: &Path, capture: &str) {
    let summary = view(&["summary", capture]);
    let rows = table(out, "steps");
    let devices = summary["step_stats"]["devices"].as_array().unwrap();
    let steps = devices
        .iter()
        .flat_map(|device| device["steps"].as_array().unwrap().iter().map(|step| (&device["device"], step)));
    let steps: Vec<(&Value, &Value)> = steps.collect();
    assert_eq!(rows.len(), steps.len());
    for (row, (device, step)) in rows.iter().zip(steps) {
        let same = [
            "step",
            "name",
            "period_ps",
            "dur_ps",
            "is_steady",
            "not_steady",
            "busy_ps",
            "idle_ps",
            "compute_duration_ps",
            "data_move_duration_ps",
            "comm_duration_ps",
            "fused_duration_ps",
            "host_duration_ps",
            "other_duration_ps",
            "n_ops",
        ];
        equal(row, step, &same.map(|name| (name, name)));
        assert_eq!(&row["device"], device);
    }
    // Idle time by class is that of `gaps` for the step and the device alone.
    let critical: Vec<_> = rows.iter().filter(|row| !row["idle_by_class"].is_null()).collect();
    assert!(critical.len() > 2 && critical.iter().all(|row| row["is_critical"] == true && row["is_steady"] == true));
    for row in critical.iter().take(2) {
        let (step, device) = (row["step"].to_string(), row["device"].as_str().unwrap());
        let gaps = view(&["gaps", capture, "--step", &step, "--device", device]);
        let classes = gaps["classes"].as_array().unwrap().iter();
        let of_view: BTreeMap<String, u64> = classes
            .map(|class| (class["class"].as_str().unwrap().to_owned(), class["total_ps"].as_u64().unwrap()))
            .filter(|(_, time)| *time > 0)
            .collect();
        let of_table = row["idle_by_class"].as_object().unwrap().iter();
        let of_table: BTreeMap<String, u64> = of_table
            .map(|(class, time)| (class.clone(), time.as_u64().unwrap()))
            .filter(|(_, time)| *time > 0)
            .collect();
        assert_eq!(of_table, of_view, "step {step} of {device}");
    }
    let memory = view(&["memory", capture]);
    let rows = table(out, "memory");
    let spaces =
        memory["programs"].as_array().unwrap().iter().flat_map(|program| program["spaces"].as_array().unwrap());
    let spaces: Vec<&Value> = spaces.collect();
    let (programs, allocators): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row["origin"] == "program");
    assert_eq!((programs.len(), allocators.len()), (spaces.len(), memory["runtime"].as_array().unwrap().len()));
    for (row, space) in programs.into_iter().zip(spaces) {
        let same = [
            "color",
            "memory_space",
            "basis",
            "peak_bytes",
            "peak_unpadded_bytes",
            "peak_instruction",
            "indefinite_bytes",
            "parameter_bytes",
            "n_alive",
        ];
        equal(row, space, &same.map(|name| (name, name)));
        assert_eq!(row["wasted_bytes"], space["padding"]["wasted_bytes"]);
        let classes = space["rollups"]["class"].as_array().unwrap().iter();
        let classes: Map<String, Value> =
            classes.map(|class| (class["key"].as_str().unwrap().to_owned(), class["size_bytes"].clone())).collect();
        assert_eq!(row["by_class"], Value::Object(classes));
    }
    for (row, allocator) in allocators.into_iter().zip(memory["runtime"].as_array().unwrap()) {
        let same = [
            "device",
            "allocator",
            "peak_in_use_bytes",
            "reserved_bytes",
            "allocated_bytes",
            "fragmentation",
            "lifetime_peak_bytes",
        ];
        equal(row, allocator, &same.map(|name| (name, name)));
    }
}

/// Digests join captures of different versions of this program, so that they must not change without a new schema version.
#[test]
fn digests_of_ops_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let runs = write_runs(dir.path(), 1);
    export(&["--parquet", out.to_str().unwrap(), &runs[0]], 0);
    let rows = table(&out, "ops");
    let digests: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "{} {} {} {}",
                row["op"], row["scope_hash"], row["signature_hash"], row["signature_without_shapes_hash"]
            )
        })
        .collect();
    insta::assert_snapshot!("fleet_digests", digests.join("\n"));
    let captures = table(&out, "captures");
    assert_eq!(captures[0]["captured_at"], json!({"micros": 1_790_812_800_000_000_i64}));
    assert!(
        tree(&out).keys().all(|path| path.to_string_lossy().contains("date=2026-10-01")),
        "{:?}",
        tree(&out).keys()
    );
}

#[test]
fn json_lines_equal_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let [parquet, lines] = ["parquet", "lines"].map(|name| dir.path().join(name));
    for (form, out) in [("--parquet", &parquet), ("--jsonl", &lines)] {
        export(&[form, out.to_str().unwrap(), SAMPLE, GPU, "--key", "commit=a1", "--key", "steps_per_day=100"], 0);
    }
    let mut n_rows = 0;
    for (path, bytes) in tree(&lines) {
        let path = PathBuf::from(path.to_string_lossy().replacen("lines", "parquet", 1).replace(".jsonl", ".parquet"));
        let rows = parquet_rows(&dir.path().join(path));
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text.lines().count(), rows.len());
        for (line, mut row) in text.lines().zip(rows) {
            let line: Map<String, Value> = serde_json::from_str(line).unwrap();
            if let Some(captured) = row.get_mut("captured_at").filter(|captured| !captured.is_null()) {
                // Both are the same moment: RFC 3339 with six decimals, and microseconds.
                let text = line["captured_at"].as_str().unwrap();
                assert_eq!(
                    &text[text.len() - 8..text.len() - 1],
                    format!(".{:06}", captured["micros"].as_i64().unwrap() % 1_000_000)
                );
                *captured = line["captured_at"].clone();
            }
            let (line, row) = (Value::Object(line), Value::Object(row));
            assert!(is_same(&line, &row), "{line} {row}");
            n_rows += 1;
        }
    }
    assert!(n_rows > 1000, "{n_rows}");
}

#[test]
fn names_are_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str, options: &[&str]| -> String {
        let out = dir.path().join(name);
        export(&[&["--jsonl", out.to_str().unwrap(), SAMPLE, "--key", "job=public"], options].concat(), 0);
        tree(&out).into_values().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
    };
    let (plain, anonymous) = (text("plain", &[]), text("anonymous", &["--anonymise"]));
    let rows = || plain.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let columns = ["program", "scope", "source", "layer", "groups", "program_id", "scope_hash", "signature_hash"];
    let mut secrets: std::collections::BTreeSet<String> = rows()
        .flat_map(|row| columns.map(|column| row[column].to_string()))
        .map(|text| text.trim_matches('"').to_owned())
        .filter(|text| text.len() > 4)
        .collect();
    secrets.extend(["sample.xplane", "jit_train_step", "train.py", ".py:"].map(str::to_owned));
    assert!(secrets.len() > 600, "{}", secrets.len());
    for secret in &secrets {
        let position = anonymous.find(secret);
        assert!(position.is_none(), "{secret} in {}", &anonymous[position.unwrap_or(0).saturating_sub(120)..][..200]);
    }
    assert_eq!(anonymous.lines().count(), plain.lines().count());
    assert!(
        anonymous.contains("\"program-1\"")
            && anonymous.contains("\"scope-1\"")
            && anonymous.contains("\"job\":\"public\"")
    );
}

/// Two ops of one name and program, a computation and a collective. No text tells what both of them do.
#[test]
fn what_the_ops_of_a_row_do_not_share_is_null() {
    let mut plane = make::Plane::new("/device:TPU:0");
    let ops = [("loop fusion", "f32[8]"), ("all-reduce fusion", "f32[16]")].map(|(category, shape)| {
        let stats = [("hlo_category", make::text(category)), ("program_id", make::int(1))];
        plane.op(&format!("%fusion.1 = {shape} fusion(%a)"), "fusion.1", &stats)
    });
    plane.line("XLA Ops", &[(ops[0], 0, 600), (ops[1], 600, 400)]);
    let dir = tempfile::tempdir().unwrap();
    let capture = dir.path().join("a.xplane.pb");
    std::fs::write(&capture, bytes(&XSpace { planes: vec![plane.done()], ..XSpace::default() })).unwrap();
    let out = dir.path().join("out");
    export(&["--parquet", out.to_str().unwrap(), capture.to_str().unwrap()], 0);
    let rows = table(&out, "ops");
    assert_eq!((rows.len(), &rows[0]["self_ps"], &rows[0]["op_group"]), (1, &1000.into(), &Value::Null));
}
