//! These tests judge the cases of `samples/cases`: files with the shape of runs that people asked about, each with what is right.

use regex_lite::RegexBuilder;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What a command of a case printed.
struct Printed {
    exit: Option<i32>,
    /// The output and the messages, with one blank between words.
    text: String,
    json: Value,
}

fn run(case: &Value) -> Printed {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/cases");
    let arguments = case["run"].as_array().unwrap().iter();
    let arguments = arguments.map(|text| text.as_str().unwrap().replace("{f}", folder.to_str().unwrap()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
    let out = command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let text = [out.stdout.as_slice(), b" ", &out.stderr].concat();
    let text = String::from_utf8_lossy(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    Printed { exit: out.status.code(), text, json: serde_json::from_slice(&out.stdout).unwrap_or_default() }
}

/// Returns the value at a path such as `rows.0.bus_gbps`.
fn value_at<'j>(json: &'j Value, path: &str) -> &'j Value {
    path.split('.').fold(json, |value, key| match key.parse::<usize>() {
        Ok(index) => &value[index],
        Err(_) => &value[key],
    })
}

/// Returns a sentence if a check of a case does not hold.
fn failure(check: &Value, printed: &Printed) -> Option<String> {
    let Printed { exit, text, json } = printed;
    let verdict = json["verdict"].as_str().unwrap_or_default();
    let matches = |pattern: &Value, text: &str| {
        RegexBuilder::new(pattern.as_str().unwrap()).case_insensitive(true).build().unwrap().is_match(text)
    };
    let (key, wanted) = check.as_object().unwrap().iter().find(|(key, _)| *key != "rel").unwrap();
    let holds = match key.as_str() {
        "exit" => wanted.as_array().unwrap().iter().any(|code| code.as_i64() == exit.map(i64::from)),
        "has" => matches(wanted, text),
        "not" => !matches(wanted, text),
        "first" => matches(wanted, verdict),
        "first_not" => !matches(wanted, verdict),
        _ => {
            let value = value_at(json, check["at"].as_str().unwrap());
            let number = |expected: &Value| expected.as_f64().unwrap_or(f64::NAN);
            let rel = check["rel"].as_f64().unwrap_or(0.02);
            let is_near = |expected: &Value| (number(value) - number(expected)).abs() <= rel * number(expected).abs();
            return (!(check.get("near").is_none_or(is_near)
                && check.get("eq").is_none_or(|expected| number(value) == number(expected))
                && check.get("min").is_none_or(|expected| number(value) >= number(expected))
                && check.get("max").is_none_or(|expected| number(value) <= number(expected))))
            .then(|| format!("{check}: the value is {value}"));
        }
    };
    (!holds).then(|| format!("{check}: exit {exit:?}, verdict “{verdict}”"))
}

#[test]
fn cases_are_right() {
    let expected = include_str!("../../samples/cases/expected.json");
    let cases: Vec<Value> = serde_json::from_str(expected).unwrap();
    let mut faults = Vec::new();
    for case in &cases {
        let printed = run(case);
        let checks = case["checks"].as_array().unwrap().iter();
        let failures: Vec<String> = checks.filter_map(|check| failure(check, &printed)).collect();
        if !failures.is_empty() {
            faults.push(format!("{} ({}): {}", case["name"], case["why"], failures.join("; ")));
        }
    }
    assert!(cases.len() > 20);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A check that does not hold is found, whatever its kind.
#[test]
fn checks_can_fail() {
    let json = serde_json::json!({"verdict": "It waits", "rows": [{"n": 3}]});
    let printed = Printed { exit: Some(1), text: "two words".to_owned(), json };
    for (check, holds) in [
        (r#"{"exit": [0, 1]}"#, true),
        (r#"{"exit": [0]}"#, false),
        (r#"{"has": "TWO\\s"}"#, true),
        (r#"{"not": "words"}"#, false),
        (r#"{"first": "waits"}"#, true),
        (r#"{"first_not": "waits"}"#, false),
        (r#"{"at": "rows.0.n", "eq": 3}"#, true),
        (r#"{"at": "rows.0.n", "near": 3.1, "rel": 0.01}"#, false),
        (r#"{"at": "rows.0.n", "max": 2}"#, false),
        (r#"{"at": "rows.1.n", "min": 0}"#, false),
    ] {
        assert_eq!(failure(&serde_json::from_str(check).unwrap(), &printed).is_none(), holds, "{check}");
    }
}
