//! These tests check the list of captures that tables of `rooflight export --jsonl` open: its figures against those of the list of the
//! captures themselves, rows that cannot be read, and bytes that are no rows.

use crate::captures::{N, Nights, nights, open, set, table, view};
use crate::common::answer_of;
use proptest::prelude::*;
use rooflight::analysis::captures::{CaptureFigure, CaptureProgress, CapturesView};
use rooflight::fleet::{ExportOutcome, FileFormat, FleetExport, Keys, TableName};
use rooflight::protocol::table_query::ExportQuery;
use rooflight::protocol::{Export, Failure, SessionInfo, requests};
use rooflight::session::captures::summarise;
use rooflight::session::{Input, OpenSession};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A file of a table: its path within the folder, and its text.
type TableFile = (String, String);

/// Returns all files below a folder, in the order of their paths.
fn files_below(folder: &Path) -> Vec<TableFile> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                files.push((format!("fleet/{name}"), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Exports captures as JSON lines with all tables, and returns the files.
fn exported(captures: Vec<Vec<Input>>) -> Vec<TableFile> {
    let out = tempfile::tempdir().unwrap();
    let keys = Keys::new(vec![("job".to_owned(), "nightly".to_owned())]).unwrap();
    let export = FleetExport::new(out.path().to_owned(), FileFormat::JsonLines, &TableName::ALL, keys).unwrap();
    for inputs in captures {
        let paths: Vec<PathBuf> = inputs.iter().map(|input| PathBuf::from(&input.name)).collect();
        assert_eq!(export.export(&paths, Ok(inputs)).unwrap(), ExportOutcome::Written);
    }
    files_below(out.path())
}

/// The captures of all nights, and their tables. They are made once, because several tests read them.
static NIGHTS: LazyLock<(Nights, Vec<TableFile>)> = LazyLock::new(|| {
    let nights = nights();
    let files = exported((0..N).map(|night| nights.inputs(|number| number == night)).collect());
    (nights, files)
});

fn inputs(files: &[TableFile]) -> Vec<Input> {
    let input = |(name, text): &TableFile| Input {
        name: name.clone(),
        source: Box::new(text.clone().into_bytes()),
        from_folder: name.contains('/'),
    };
    files.iter().map(input).collect()
}

/// Returns the files of some tables.
fn of_tables(files: &[TableFile], tables: &[&str]) -> Vec<TableFile> {
    let is_of = |(name, _): &&TableFile| tables.iter().any(|table| name.contains(&format!("table={table}/")));
    files.iter().filter(is_of).cloned().collect()
}

/// Returns one file with the lines of all of them.
fn concatenated(files: &[TableFile]) -> TableFile {
    ("all.jsonl".to_owned(), files.iter().map(|(_, text)| text.as_str()).collect())
}

fn open_tables(files: &[TableFile]) -> (OpenSession, SessionInfo) {
    open(&inputs(files))
}

fn failure(files: &[TableFile]) -> Failure {
    match OpenSession::open_folder(&inputs(files), &mut |_| ()) {
        Err(failure) => failure,
        Ok(opened) => panic!("{:?}", opened.map(|(_, info)| info)),
    }
}

/// Returns the rows as the page saves them, by time.
fn json_rows(session: &mut OpenSession) -> Vec<Value> {
    let text = answer_of(session, requests::ExportRows { rows: ExportQuery::Captures, format: Export::Json });
    let json: Value = serde_json::from_str(&text).unwrap();
    json["rows"].as_array().unwrap().clone()
}

/// Compares two values. Doubles may differ in their last digit, because the reader of JSON does not round them.
fn assert_same(found: &Value, expected: &Value, place: &str) {
    match (found, expected) {
        (Value::Number(found), Value::Number(expected)) => {
            let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
            assert!((found - expected).abs() <= expected.abs() * 1e-12, "{place}: {found}, not {expected}");
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{place}");
            for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                assert_same(found, expected, &format!("{place}[{index}]"));
            }
        }
        (Value::Object(found), Value::Object(expected)) => {
            assert!(found.keys().eq(expected.keys()), "{place}: {:?}, not {:?}", found.keys(), expected.keys());
            for (key, found) in found {
                assert_same(found, &expected[key], &format!("{place}.{key}"));
            }
        }
        (found, expected) => assert_eq!(found, expected, "{place}"),
    }
}

/// Compares the list of tables with that of the captures themselves: every figure of every row, and the pictures.
fn assert_same_list(of_tables: &mut OpenSession, of_captures: &mut OpenSession) {
    let (found, expected) = (json_rows(of_tables), json_rows(of_captures));
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.into_iter().zip(expected) {
        let name = expected["name"].to_string();
        let without_keys = |mut row: Value| {
            let row_fields = row.as_object_mut().unwrap();
            // A capture in a folder has no keys.
            row_fields.remove("keys");
            row
        };
        assert_same(&without_keys(found), &without_keys(expected), &name);
    }
    for figure in CaptureFigure::ALL {
        let series = |session: &mut OpenSession| {
            let CapturesView { captures, mut series, latest, best, worst, n_other, n_partial, n_failed, .. } =
                view(session, figure);
            let name = |index: u32| captures[index as usize].name.clone();
            let marks: Vec<_> = series
                .marks
                .drain(..)
                .map(|mark| (name(mark.capture), mark.value, mark.spread, mark.is_comparable, mark.is_partial))
                .collect();
            let changes: Vec<_> = series
                .changes
                .iter()
                .map(|change| (change.first_after, change.last_before, change.before, change.after))
                .collect();
            let ends = [latest, best, worst].map(|capture| capture.map(name));
            serde_json::to_value((marks, changes, ends, n_other, n_partial, n_failed, series.is_by_time)).unwrap()
        };
        assert_same(&series(of_tables), &series(of_captures), figure.label());
    }
}

#[test]
fn tables_are_listed_as_their_captures_are() {
    let (nights, files) = &*NIGHTS;
    let (mut of_captures, _) = open(&nights.inputs(|_| true));
    for night in 0..N {
        set(&mut of_captures, night, Ok(nights.summary(night)));
    }
    let (mut of_tables, info) = open_tables(files);
    assert_eq!((info.captures.len(), info.captures.iter().all(Vec::is_empty)), (N, true));
    assert_same_list(&mut of_tables, &mut of_captures);
    let found = view(&mut of_tables, CaptureFigure::StepTime);
    assert_eq!((found.n_read, found.n_without_files, found.n_left_out), (N as u32, N as u32, 0));
    assert_eq!(found.series.changes.len(), 1);
    // The order of the rows in the table is the same, and none of them opens.
    let (page, expected) = (table(&mut of_tables), table(&mut of_captures));
    let titles =
        |page: &rooflight::table::page::TablePage| page.rows.iter().map(|row| row.title.clone()).collect::<Vec<_>>();
    assert_eq!(titles(&page), titles(&expected));
    assert!(page.rows.iter().all(|row| !row.opens) && expected.rows.iter().all(|row| row.opens));
    assert!(page.rows[0].tips[0].iter().any(|(_, text)| text == "job=nightly"), "{:?}", page.rows[0].tips);
    // Files of the other tables are not read, and a note says so.
    assert_eq!(info.notes.len(), 1, "{:?}", info.notes);
    assert!(info.notes[0].message.contains("of ops, collectives or memory not read"), "{}", info.notes[0].message);
}

#[test]
fn tables_are_read_from_single_files_and_from_concatenated_ones() {
    let (_, files) = &*NIGHTS;
    let (mut whole, _) = open_tables(files);
    let needed = of_tables(files, &["captures", "findings", "steps"]);
    let (mut one, info) = open_tables(&[concatenated(&needed)]);
    assert_same_list(&mut one, &mut whole);
    assert!(info.notes.is_empty(), "{:?}", info.notes);
    // Rows of other tables after the first line are passed over.
    let mut everything = files.clone();
    everything.sort_by_key(|(name, _)| !name.contains("table=captures/"));
    let (mut one, _) = open_tables(&[concatenated(&everything)]);
    assert_same_list(&mut one, &mut whole);
    // The same lines twice are the same captures.
    let twice = [needed.clone(), needed].concat();
    let (mut same, info) = open_tables(&[concatenated(&twice)]);
    assert_same_list(&mut same, &mut whole);
    assert!(info.notes[0].message.starts_with("8 rows repeat a capture"), "{:?}", info.notes);
    // One capture is a list, too.
    let single = of_tables(files, &["captures"]).remove(0);
    let (mut one, info) = open_tables(&[single]);
    assert_eq!((info.captures.len(), view(&mut one, CaptureFigure::StepTime).n_read), (1, 1));
}

/// Without the other tables, the row of a capture has its own figures, and no value is made up.
#[test]
fn what_a_missing_table_holds_is_unknown() {
    let (nights, files) = &*NIGHTS;
    let (mut session, _) = open_tables(&of_tables(files, &["captures"]));
    let rows = json_rows(&mut session);
    for (night, row) in rows.iter().enumerate() {
        let read = nights.summary(night);
        assert_eq!(row["n_steps"], read.point.head.n_steps);
        assert_same(&row["median_ps"], &read.point.head.median_ps.unwrap().round().into(), "median");
        for unknown in ["n_findings", "top_finding", "at_stake_ps", "verdict"] {
            assert!(row[unknown].is_null(), "{unknown} of {row}");
        }
        assert_eq!(row["change_ps"].is_null(), night == 0, "the difference is known, its verdict is not");
    }
    let list = view(&mut session, CaptureFigure::StepTime);
    assert_eq!(list.series.changes.len(), 1);
    // The quartiles of the row are drawn, if there are enough steps.
    let of_five_steps = |(name, text): TableFile| {
        let mut row: Value = serde_json::from_str(&text).unwrap();
        row["n_steady"] = 5.into();
        (name, row.to_string())
    };
    let files_of_five: Vec<_> = of_tables(files, &["captures"]).into_iter().map(of_five_steps).collect();
    let (mut of_five, _) = open_tables(&files_of_five);
    for mark in view(&mut of_five, CaptureFigure::StepTime).series.marks {
        let night = mark.capture as usize;
        let row: Value = serde_json::from_str(&files_of_five[night].1).unwrap();
        let spread = mark.spread.map(|(low, high)| [low, high]);
        assert_eq!(spread, Some([&row["step_q1_ps"], &row["step_q3_ps"]].map(|ps| ps.as_f64().unwrap())));
    }
    // A table of an older version has no kinds of time.
    let removed = |(name, text): TableFile| {
        let mut row: Value = serde_json::from_str(&text).unwrap();
        for column in ["kinds", "bytes", "hosts", "n_devices", "period_ps", "files"] {
            row.as_object_mut().unwrap().remove(column);
        }
        (name, row.to_string())
    };
    let (mut session, _) = open_tables(&of_tables(files, &["captures"]).into_iter().map(removed).collect::<Vec<_>>());
    for row in json_rows(&mut session) {
        for unknown in ["bytes", "n_hosts", "n_devices", "period_ps"] {
            assert!(row[unknown].is_null(), "{unknown} of {row}");
        }
        assert_eq!(row["name"].as_str().unwrap().len(), 12, "the start of the id");
    }
}

#[test]
fn a_capture_among_the_files_is_not_listed_twice() {
    let (nights, files) = &*NIGHTS;
    // The tables of all nights beside the captures of two of them.
    let mixed: Vec<Input> = nights.inputs(|night| night < 2).into_iter().chain(inputs(files)).collect();
    let (mut session, info) = open(&mixed);
    assert_eq!(info.captures.iter().filter(|files| !files.is_empty()).count(), 2);
    assert_eq!(info.captures.len(), N);
    let list = view(&mut session, CaptureFigure::StepTime);
    assert_eq!((list.n_read, list.n_without_files), (N as u32 - 2, N as u32 - 2));
    // The row names a file that lies beside the capture, and has another size for it.
    let beside = |(name, text): TableFile| {
        let mut row: Value = serde_json::from_str(&text).unwrap();
        row["bytes"] = 7.into();
        row["files"].as_array_mut().unwrap().insert(0, "nightly/notes.json".into());
        (name, row.to_string())
    };
    let rows_beside: Vec<TableFile> = of_tables(files, &["captures"]).into_iter().map(beside).collect();
    let (_, info) = open(&nights.inputs(|night| night < 2).into_iter().chain(inputs(&rows_beside)).collect::<Vec<_>>());
    assert_eq!(info.captures.len(), N);
    for night in 0..2 {
        set(&mut session, night, Ok(nights.summary(night)));
    }
    assert_eq!(view(&mut session, CaptureFigure::StepTime).series.changes.len(), 1);
    // One capture beside its own row opens as a capture.
    let row = |night: usize| of_tables(files, &["captures"]).remove(night);
    let night_of = |night: usize| nights.inputs(|number| number == night).into_iter();
    let is_list = |inputs: Vec<Input>| OpenSession::open_folder(&inputs, &mut |_| ()).unwrap().is_some();
    let rows: Vec<bool> = (0..N).map(|index| is_list(night_of(0).chain(inputs(&[row(index)])).collect())).collect();
    assert_eq!(rows.iter().filter(|is_list| !**is_list).count(), 1, "{rows:?}");
}

#[test]
fn real_captures_are_listed_as_their_files_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/gpu");
    let names = ["xla", "again", "batch2", "cudnn", "f32"];
    let input = |name: &str| {
        let name = format!("{name}.graphs.xplane.pb.xz");
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        Input { name: format!("gpu/{name}"), source: Box::new(bytes), from_folder: true }
    };
    let (mut of_captures, info) = open(&names.map(input));
    for (index, files) in info.captures.iter().enumerate() {
        let inputs = files.iter().map(|index| input(names[*index as usize])).collect();
        set(&mut of_captures, index, summarise(inputs, &mut |_| ()).map_err(|failure| failure.message));
    }
    let files = exported(names.iter().map(|name| vec![input(name)]).collect());
    let (mut of_tables, _) = open_tables(&files);
    assert_same_list(&mut of_tables, &mut of_captures);
}

#[test]
fn captures_that_failed_say_why() {
    let out = tempfile::tempdir().unwrap();
    let export =
        FleetExport::new(out.path().to_owned(), FileFormat::JsonLines, &TableName::ALL, Keys::default()).unwrap();
    let path = PathBuf::from("nightly/2026_01_09_02_00_00/a.xplane.pb");
    let input = Input { name: path.display().to_string(), source: Box::new(vec![0_u8; 64]), from_folder: false };
    let outcome = export.export(&[path], Ok(vec![input])).unwrap();
    let ExportOutcome::Failed(sentence) = outcome else { panic!("{outcome:?}") };
    let (_, files) = &*NIGHTS;
    let (mut session, _) = open_tables(&[files.clone(), files_below(out.path())].concat());
    let list = view(&mut session, CaptureFigure::StepTime);
    assert_eq!((list.n_captures, list.n_failed), (N as u32 + 1, 1));
    let failed = list.captures.last().unwrap();
    assert_eq!((&*failed.name, &failed.progress), ("2026_01_09_02_00_00", &CaptureProgress::Failed(sentence)));
    assert!(list.series.is_by_time, "the folder is named by its time");
}

#[test]
fn damaged_lines_and_other_versions_cost_their_rows() {
    let (_, files) = &*NIGHTS;
    let (_, text) = concatenated(&of_tables(files, &["captures"]));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1].truncate(200);
    lines[2] = "[1, 2]".to_owned();
    lines[3] = lines[3].replace("\"schema_version\":1", "\"schema_version\":2");
    lines[4] = lines[4].replace("\"capture_id\"", "\"capture\"");
    lines.insert(5, String::new());
    let (mut session, info) = open_tables(&[("rows.jsonl".to_owned(), lines.join("\r\n"))]);
    assert_eq!(view(&mut session, CaptureFigure::StepTime).n_captures as usize, N - 4);
    let notes: Vec<&str> = info.notes.iter().map(|note| note.message.as_str()).collect();
    assert!(
        notes[0].starts_with("3 lines could not be read: the first one is line 2 of rows.jsonl; it is not JSON: "),
        "{notes:?}"
    );
    assert!(
        notes[1].starts_with("1 row is of another version of the tables, such as version 2 in line 4 of rows.jsonl."),
        "{notes:?}"
    );
    // Nothing that can be read.
    let newer = text.replace("\"schema_version\":1", "\"schema_version\":7");
    let Failure { title, message } = failure(&[("rows.jsonl".to_owned(), newer)]);
    assert_eq!(title, "rows.jsonl lists no capture");
    assert!(message.contains("such as version 7") && message.contains("Open the whole folder"), "{message}");
    let Failure { message, .. } = failure(&of_tables(files, &["findings"]));
    assert!(message.starts_with("It has rows of tables, but none of the table captures."), "{message}");
}

/// The command line reads no tables, and says what reads them.
#[test]
fn the_command_line_says_what_the_file_is() {
    let (_, files) = &*NIGHTS;
    let path = tempfile::tempdir().unwrap();
    let file = path.path().join("captures.jsonl");
    std::fs::write(&file, &of_tables(files, &["captures"])[0].1).unwrap();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_rooflight")).arg("summary").arg(&file).output().unwrap();
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(!out.status.success() && text.contains("captures.jsonl is not an XLA profile"), "{text}");
    assert!(text.contains("The page lists the captures of such rows"), "{text}");
}

/// Opens bytes, and asks for everything that the page asks for.
fn try_everything(bytes: Vec<u8>) {
    let input = Input { name: "a.jsonl".to_owned(), source: Box::new(bytes), from_folder: false };
    if let Ok(Some((mut session, _))) = OpenSession::open_folder(&[input], &mut |_| ()) {
        for figure in CaptureFigure::ALL {
            let found = view(&mut session, figure);
            rooflight::chart::captures::readout(&found);
            rooflight::chart::captures::picture(&found);
        }
        table(&mut session);
        json_rows(&mut session);
    }
}

/// A value of JSON of any type that a column may have, or may not have.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("compute|idle|period|model_mfu|name|.{0,4}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let row = b"{\"capture_id\":\"a\",\"schema_version\":1,\"status\":\"ok\",\"verdict\":\"x\"}\n";
        try_everything([row.as_slice(), &bytes].concat());
        try_everything(bytes);
    }

    #[test]
    fn values_of_any_type_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any_value()), 1..12),
    ) {
        let files = of_tables(&NIGHTS.1, &["captures", "findings", "steps"]);
        let (_, text) = concatenated(&files);
        let mut rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for (row, column, value) in changes {
            let index = row.index(rows.len());
            let row = rows[index].as_object_mut().unwrap();
            let column = row.keys().nth(column.index(row.len())).unwrap().clone();
            row.insert(column, value);
        }
        let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
        try_everything(lines.join("\n").into_bytes());
    }
}
