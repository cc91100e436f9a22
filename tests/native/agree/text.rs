//! This module checks the texts for users: Markdown, the summary, and the tables of views. Each label must have the
//! figures of the fields that it names.

use super::views::{Views, all_printed, printed, ps, rows};
use rooflight::analysis::classify::Kind;
use rooflight::table::format::{TimeUnit, executions, percent_text, time, time_text};
use serde_json::Value;
use xla_profile::units::{Count, Picos};

/// Returns the numbers of a line, with their units: "166.84 ms", "26.4 %", "170".
fn figures(line: &str) -> Vec<String> {
    const UNITS: [&str; 10] = ["ps", "ns", "µs", "ms", "s", "%", "B", "KiB", "MiB", "GiB"];
    let trimmed = |word: &'_ str| word.trim_matches(['|', '(', ')', ',', ';', ':', '.']).to_owned();
    let words: Vec<String> = line.split_whitespace().map(trimmed).collect();
    let is_number = |word: &str| {
        let digits = word.trim_start_matches('<');
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| matches!(c, '0'..='9' | ',' | '.'))
    };
    let unit = |index: usize| words.get(index + 1).filter(|word| UNITS.contains(&word.as_str()));
    let figure = |index: usize| unit(index).map_or(words[index].clone(), |unit| format!("{} {unit}", words[index]));
    (0..words.len()).filter(|index| is_number(&words[*index])).map(figure).collect()
}

/// Asserts that exactly the lines with figures in a text have the expected labels and figures, in the expected order.
fn assert_lines(what: &str, text: &str, expected: &[(&str, Vec<String>)]) {
    let lines = text.lines().filter(|line| !figures(line).is_empty());
    let result: Vec<(&str, Vec<String>)> = lines.map(|line| (line, figures(line))).collect();
    let expected: Vec<_> = expected.iter().filter(|(_, figures)| !figures.is_empty()).collect();
    for index in 0..result.len().max(expected.len()) {
        let (is, should) = (result.get(index), expected.get(index));
        let same = is.zip(should).is_some_and(|(is, should)| is.0.contains(should.0) && is.1 == should.1);
        assert!(same, "{what}: {is:?}, by the JSON {should:?}\n{text}");
    }
}

/// Returns the sums of the roofline as the summary and Markdown print them: "Roofline efficiency: 59.5 % of 91.02 ms
/// compute, 54.6 % of the step; coverage 96.9 %".
fn efficiency(views: &Views) -> Vec<String> {
    let summary = &views.roofline["step_summary"];
    let mut found = all_printed(summary, &["weighted_avg_roofline_util"]);
    if summary["weighted_avg_roofline_util"].is_null() {
        return found;
    }
    let share = ps(&summary["rooflined_dur_ps"]).fraction_of(ps(&views.roofline["step_duration_ps"]));
    found.push(printed("_ps", &summary["rooflined_dur_ps"]));
    found.extend(share.map(percent_text));
    found.extend(all_printed(summary, &["rooflined_pct_of_compute"]));
    found
}

/// Returns the peak of the first program that needs the device's main memory.
fn peak(views: &Views) -> Vec<String> {
    let mut spaces = rows(&views.memory["programs"]).iter().flat_map(|program| rows(&program["spaces"]));
    spaces.find(|space| space["color"] == 0).map_or(Vec::new(), |space| all_printed(space, &["peak_bytes"]))
}

/// Returns the cells of each row of a Markdown table.
fn cells(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|--"));
    rows.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

pub fn assert_markdown(what: &str, text: &str, views: &Views) {
    let Some(step) = views.breakdown["step_duration_ps"].as_u64().map(Picos) else {
        return assert!(!text.contains("\n- "), "{what}: figures without a step\n{text}");
    };
    let means = ["n_mean_steps", "n_mean_devices"].map(|name| &views.breakdown[name]);
    let means = means.into_iter().filter(|n| !n.is_null()).map(Value::to_string);
    let step_figures = std::iter::once(time_text(step)).chain(means).collect();
    let (window, traffic) = (&views.roofline["window"], &views.comm["comm_totals"]);
    let steps = rows(&views.summary["step_stats"]["devices"]).iter().find(|device| device["all"].is_object());
    let has_traffic = traffic["n_executions"] != 0;
    assert_lines(
        &format!("{what}, figures"),
        &text.lines().filter(|line| line.starts_with("- ")).collect::<Vec<_>>().join("\n"),
        &[
            ("- Step:", step_figures),
            ("step", steps.map_or(Vec::new(), |stats| all_printed(&stats["all"], &["n", "min_dur_ps", "max_dur_ps"]))),
            ("- MFU:", all_printed(window, &["model_mfu"])),
            ("- HFU", all_printed(window, &["mfu"])),
            ("bandwidth", all_printed(window, &["hbm_util"])),
            ("bandwidth utilization, measured", all_printed(window, &["hbm_util_measured"])),
            ("SMs active, measured", all_printed(window, &["sm_active"])),
            ("- Roofline efficiency:", efficiency(views)),
            ("- Memory:", peak(views)),
            ("- Communication:", all_printed(traffic, if has_traffic { &["exposed_ps", "overlap_pct"] } else { &[] })),
        ],
    );
    let share = |time: Picos| time.fraction_of(step).map_or("–".to_owned(), percent_text);
    let kind = |kind: Kind| {
        let row = rows(&views.summary["kinds"]).iter().find(|row| row["key"] == kind.key())?;
        Some((kind.label(), ps(&row["total_dur_ps"])))
    };
    let idle = ("Idle", ps(&views.breakdown["totals"]["idle_duration_ps"]));
    let kinds = Kind::ALL.into_iter().filter_map(kind).chain([idle]).filter(|(_, time)| *time > Picos::ZERO);
    let kinds = kinds.map(|(label, time)| vec![label.to_owned(), time_text(time), share(time)]);
    let ops = rows(&views.breakdown["groups"]).iter().take(10).map(|row| {
        let total = ps(&row["total_dur_ps"]);
        // The cells are counted from the right, because a name may contain any characters.
        let n = &row["n_executions"];
        let count = n.as_u64().map_or_else(|| executions(Count::new(n.as_f64().unwrap())), |n| n.to_string());
        vec![time_text(total), share(total), count]
    });
    let expected: Vec<Vec<String>> = kinds.chain(ops).collect();
    let result = cells(text).into_iter().filter(|row| !matches!(row[0], "Kind" | "Op"));
    let result: Vec<Vec<&str>> = result.map(|row| row[row.len() - 3..].to_vec()).collect();
    assert_eq!(result, expected, "{what}: tables\n{text}");
}

/// Checks the lines of a summary around its tables. The columns of tables have their units in their headings, so no row
/// has a figure with a unit.
pub fn assert_summary(what: &str, text: &str, views: &Views) {
    let Some(step) = views.breakdown["step_duration_ps"].as_u64().map(Picos) else { return };
    let n_steps = views.breakdown["n_steps"].to_string();
    let mut heading = match views.breakdown["step"].as_str().unwrap() {
        "all" => Vec::new(),
        "mean" => vec![views.breakdown["n_mean_steps"].to_string(), n_steps],
        number => vec![number.to_owned(), n_steps],
    };
    let n_devices = &views.breakdown["n_mean_devices"];
    if !n_devices.is_null() {
        heading.insert(0, n_devices.to_string());
    }
    heading.push(time_text(step));
    let (roof, window) = (&views.roofline["step_summary"], &views.roofline["window"]);
    let mean = ["weighted_avg_mfu", "weighted_avg_hbm_util"];
    let mean = mean.map(|name| printed(name, &roof[name])).into_iter().filter(|text| text != "–");
    let savings: &[&str] = &["recoverable_ps", "recoverable_pct_of_step"];
    let traffic = |part: &Value| {
        let names = ["stall_ps", "in_flight_ps", "exposed_ps", "overlapped_ps", "overlap_pct", "n_executions"];
        if part["n_executions"].as_u64() > Some(0) { all_printed(part, &names) } else { Vec::new() }
    };
    let balance = &views.comm["balance"];
    let straggler = &balance["straggler"];
    let late = rows(&balance["devices"]).iter().find(|device| device["device"] == straggler["device"]);
    let late = late.map_or(Vec::new(), |device| all_printed(device, &["n_last", "n_executions"]));
    let allocators = rows(&views.summary["memory"]["runtime"]).iter();
    let most = allocators.max_by_key(|allocator| allocator["peak_in_use_bytes"].as_u64());
    // Left out are notes, which are sentences of the JSON, the peaks, which belong to the chip, and "No straggler",
    // which no field of the JSON contains.
    let is_told = |line: &&str| {
        let others = ["note:", "Partial", "No straggler"];
        figures(line).iter().any(|figure| figure.contains(' '))
            && !line.contains("/s (")
            && !others.iter().any(|start| line.starts_with(start))
    };
    // The name of a chip may contain numbers.
    let chip = views.breakdown["device_type"].as_str().unwrap_or_default();
    let text = text.replacen(&format!("({chip})"), "", 1);
    let lines: Vec<&str> = text.lines().filter(is_told).collect();
    assert_lines(
        &format!("{what}, summary"),
        &lines.join("\n"),
        &[
            ("", heading),
            ("", figures(views.summary["verdict"].as_str().unwrap_or_default())),
            ("Roofline efficiency:", [efficiency(views), mean.collect()].concat()),
            ("Potential savings:", if efficiency(views).is_empty() { Vec::new() } else { all_printed(roof, savings) }),
            ("Whole", all_printed(window, &["model_mfu", "mfu", "hbm_util", "hbm_util_measured", "sm_active"])),
            ("Collectives:", traffic(&views.comm["comm_totals"])),
            ("SparseCore collectives:", traffic(&views.comm["sparse_core_totals"])),
            ("Copies between memories:", traffic(&views.comm["dma"])),
            ("Steps differ", all_printed(balance, &["worst_spread_pct"])),
            ("Straggler:", [all_printed(straggler, &["delay_ps", "pct_of_window"]), late].concat()),
            ("Memory:", peak(views)),
            (
                "Memory:",
                most.map_or(Vec::new(), |allocator| all_printed(allocator, &["peak_in_use_bytes", "capacity_bytes"])),
            ),
        ],
    );
}

/// A table of a view: the view, the heading of the first column, and for each other column its heading and the field of
/// the JSON that it shows.
pub type Columns<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);
pub const COLUMNS: [Columns<'_>; 5] = [
    (
        "breakdown",
        "Op",
        &[("Self", "total_dur_ps"), ("Step %", "pct_of_step"), ("Count", "n_executions"), ("Mean", "avg_dur_ps")],
    ),
    (
        "roofline",
        "Op",
        &[
            ("Self", "total_dur_ps"),
            ("Step %", "pct_of_step"),
            ("MFU %", "mfu"),
            ("HBM %", "hbm_util"),
            ("Roof %", "roofline_util"),
        ],
    ),
    (
        "comm",
        "Collective",
        &[("Stall", "stall_ps"), ("In flight", "in_flight_ps"), ("Exposed", "exposed_ps"), ("Overlap", "overlap_pct")],
    ),
    (
        "memory",
        "Program",
        &[
            ("Peak", "peak_bytes"),
            ("Persistent", "indefinite_bytes"),
            ("Parameters", "parameter_bytes"),
            ("Allocated", "total_allocation_bytes"),
        ],
    ),
    (
        "memory",
        "Device",
        &[
            ("Peak in use", "runtime_peak_bytes"),
            ("Program peak", "static_peak_bytes"),
            ("Capacity", "capacity_bytes"),
            ("Used", "used"),
        ],
    ),
];

/// Returns the rows of the JSON that a table shows.
fn shown(views: &Views, (view, first, _): Columns<'_>) -> Vec<Value> {
    let document = views.named(view);
    match first {
        // A program whose memory is unknown has a row of its own.
        "Program" => rows(&document["programs"])
            .iter()
            .flat_map(|program| {
                if rows(&program["spaces"]).is_empty() { vec![Value::Null] } else { rows(&program["spaces"]).to_vec() }
            })
            .collect(),
        "Device" => rows(&document["cross_check"]).to_vec(),
        "Collective" => rows(&document["rows"]).to_vec(),
        _ => rows(&document["groups"]).to_vec(),
    }
}

/// Checks that a table for users shows the fields of the JSON.
pub fn assert_table(what: &str, text: &str, views: &Views, columns: Columns<'_>) {
    const UNITS: [TimeUnit; 5] = [TimeUnit::Ps, TimeUnit::Ns, TimeUnit::Us, TimeUnit::Ms, TimeUnit::S];
    let rows = shown(views, columns);
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with(&format!("| {}", columns.1))).collect();
    let table = lines.iter().take_while(|line| !line.is_empty()).copied().collect::<Vec<_>>().join("\n");
    let result = cells(&table);
    let Some((heads, result)) = result.split_first() else {
        return assert!(rows.is_empty(), "{what}: no table of {}\n{text}", columns.0);
    };
    for (row, result) in rows.iter().take(TOP).zip(result) {
        for (column, field) in columns.2 {
            let index =
                heads.iter().position(|head| head.starts_with(column)).unwrap_or_else(|| panic!("{what}: no {column}"));
            let unit = UNITS.into_iter().find(|unit| heads[index].ends_with(&format!(" {}", unit.symbol())));
            let value = &row[*field];
            let is_rate = ["mfu", "hbm_util", "roofline_util"].contains(field);
            let expected = match unit {
                _ if is_rate && result.last().is_some_and(|remark| remark.contains("too short for rates")) => {
                    "–".to_owned()
                }
                Some(unit) if value.is_u64() => time(ps(value), unit),
                _ => printed(field, value),
            };
            let expected = if column.ends_with('%') { expected.trim_end_matches(" %") } else { &expected };
            // The cells are counted from the right, because a name may contain any characters.
            assert_eq!(
                result[result.len() + index - heads.len()],
                expected,
                "{what}, {}: {column} of {}",
                columns.0,
                result[0]
            );
        }
    }
}

/// Number of rows of each table that are compared.
pub const TOP: usize = 10;
