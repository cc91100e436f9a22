//! Rules of docs/ARCHITECTURE.md that a machine can check. Each says why in one line when it is broken.

use std::path::{Path, PathBuf};

/// Folders in the order data flows: none names a later one.
const ORDER: [&str; 19] = [
    "crates/xla-profile/src/source",
    "crates/xla-profile/src/wire",
    "crates/xla-profile/src/excerpt",
    "crates/xla-profile/src/hlo",
    "crates/xla-profile/src/mosaic",
    "crates/xla-profile/src/profile",
    "crates/xla-profile/src/lanes",
    "src/chip",
    "src/table",
    "src/analysis",
    "src/report",
    "src/share",
    "src/protocol",
    "src/session",
    "src/fleet",
    "src/worker",
    "src/chart",
    "src/view",
    "src/cli",
];

/// Folders of `src/analysis` and `src/chart` in the order that data flows: first what all features share, then one folder per
/// feature. None names a later one.
const FEATURE_ORDER: [(&str, &[&str]); 2] = [
    (
        "analysis",
        &[
            "classify",
            "base",
            "breakdown",
            "data_movement",
            "counters",
            "roofline",
            "memory",
            "comm",
            "gaps",
            "ledger",
            "modules",
            "op",
            "files",
            "flags",
            "overview",
            "timeline",
            "compare",
            "captures",
        ],
    ),
    (
        "chart",
        &[
            "plot",
            "widgets",
            "breakdown",
            "data_movement",
            "gaps",
            "roofline",
            "memory",
            "comm",
            "op",
            "files",
            "timeline",
        ],
    ),
];

/// Names that say nothing: prepositions, pronouns, question words and verbs of speech. A function or a type is called by what it
/// does or is. `From::from` is the standard library's.
const BANNED_FUNCTIONS: [&str; 46] = [
    "above", "after", "any", "around", "ask", "asked", "at", "before", "beside", "beyond", "by", "down", "found",
    "from", "hear", "heard", "held", "hold", "how", "keep", "kept", "lives", "look", "looked", "nothing", "of", "one",
    "other", "out", "place", "said", "say", "says", "seen", "sight", "tell", "tells", "then", "told", "up", "way",
    "what", "when", "which", "whose", "without",
];
const BANNED_TYPES: [&str; 21] = [
    "Any", "Asked", "At", "Far", "Found", "From", "Heard", "Held", "How", "Kept", "Look", "Of", "Place", "Said",
    "Seen", "Sight", "Then", "Told", "Way", "What", "Which",
];
/// Names that say no more of a field or of a parameter than its type does.
const BANNED_FIELDS: [&str; 2] = ["at", "of"];
/// The few that are right where they stand.
const ALLOWED: [&str; 1] = ["src/view/type_erasure.rs any"];

/// Files that may name the browser's crates.
const BROWSER: [&str; 5] =
    ["src/view/", "src/worker/", "src/bin/app.rs", "src/bin/worker.rs", "crates/rooflight-js/src/"];
const BROWSER_CRATES: [&str; 7] =
    ["leptos", "web_sys", "js_sys", "wasm_bindgen", "gloo", "serde_wasm_bindgen", "console_error_panic_hook"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn files(dir: &str, extensions: &[&str]) -> Vec<(String, String)> {
    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        let skip = ["target", "node_modules", "dist", ".git"];
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if !skip.contains(&name.as_str()) {
                    walk(&path, found);
                }
            } else {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    if root().join(dir).is_dir() {
        walk(&root().join(dir), &mut found);
    }
    found.sort();
    let wanted = |p: &PathBuf| p.extension().is_some_and(|e| extensions.iter().any(|x| e == *x));
    let name = |p: &Path| p.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
    found.into_iter().filter(wanted).map(|p| (name(&p), std::fs::read_to_string(&p).unwrap())).collect()
}

/// Lines of code with their numbers: no comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, l)| (i + 1, l)).filter(|(_, l)| !l.trim_start().starts_with("//"))
}

pub(crate) fn check(broken: &[String], rule: &str) {
    assert!(broken.is_empty(), "{rule}\n  {}", broken.join("\n  "));
}

#[test]
fn folders_name_no_later_folder() {
    let mut broken = Vec::new();
    for (index, folder) in ORDER.iter().enumerate() {
        let found = files(folder, &["rs"]);
        assert!(!found.is_empty(), "{folder} is nowhere");
        let module = |folder: &str| format!("crate::{}", folder.rsplit('/').next().unwrap());
        for (name, text) in found {
            for (n, line) in code(&text) {
                let later = ORDER[index + 1..].iter().find(|later| line.contains(&module(later)));
                broken.extend(later.map(|later| format!("{name}:{n} names {later}")));
            }
        }
    }
    check(&broken, "folder order is data flow: a folder never names a later one");
}

#[test]
fn features_name_no_later_feature() {
    let mut broken = Vec::new();
    for (layer, order) in FEATURE_ORDER {
        for (name, text) in files(&format!("src/{layer}"), &["rs"]) {
            let place = |feature: &&str| name.starts_with(&format!("src/{layer}/{feature}"));
            let Some(index) = order.iter().position(place) else { continue };
            for (n, line) in code(&text) {
                let later =
                    order[index + 1..].iter().find(|later| line.contains(&format!("crate::{layer}::{later}::")));
                broken.extend(later.map(|later| format!("{name}:{n} names {layer}/{later}")));
            }
        }
    }
    check(&broken, "within a layer, a feature names only what comes before it");
}

#[test]
fn functions_and_types_are_called_by_what_they_are() {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut broken = Vec::new();
    for (name, text) in ["src", "crates", "xtask/src"].map(|folder| files(folder, &["rs"])).concat() {
        let mut is_conversion = false;
        for (n, line) in code(&text) {
            let line = line.trim_start();
            if line.starts_with("impl") {
                is_conversion = line.contains("From<");
            }
            let defined = |keyword: &str| {
                let start = line.find(keyword).filter(|start| *start == 0 || line[..*start].ends_with([' ', ')']))?;
                Some(word(&line[start + keyword.len()..]))
            };
            let function = defined("fn ").filter(|defined_name| {
                BANNED_FUNCTIONS.contains(&defined_name.as_str()) && !(is_conversion && defined_name == "from")
            });
            let types = ["struct ", "enum ", "trait ", "type "].into_iter().filter_map(defined);
            let ty = types.into_iter().find(|defined_name| BANNED_TYPES.contains(&defined_name.as_str()));
            let is_new = |found: &String| !ALLOWED.contains(&format!("{name} {found}").as_str());
            broken.extend(function.or(ty).filter(is_new).map(|found| format!("{name}:{n} defines {found}")));
        }
    }
    check(&broken, "a function or a type is called by what it does or is, in the words of the field");
}

#[test]
fn fields_and_parameters_are_called_by_what_they_hold() {
    let mut broken = Vec::new();
    let folders = ["src", "crates", "xtask/src", "examples", "tests", "benches", "fuzz"];
    for (name, text) in folders.map(|folder| files(folder, &["rs"])).concat() {
        for (n, line) in code(&text) {
            let line = line.trim_start();
            let is_named = |banned: &&&str| {
                let typed = format!("{banned}: ");
                // A line with a value is a field of `columns!` or `object!`, whose name is one of the JSON.
                let is_in_json = line.starts_with(&typed) && line.contains(" = ");
                let is_start = |before: &str| {
                    let before = before.trim_end();
                    before.is_empty()
                        || before.ends_with(['(', ',', '{', '|'])
                        || before.split(' ').next_back().is_some_and(|word| word.starts_with("pub") || word == "mut")
                };
                !is_in_json && line.match_indices(&typed).any(|(start, _)| is_start(&line[..start]))
            };
            broken.extend(BANNED_FIELDS.iter().find(is_named).map(|banned| format!("{name}:{n} names one {banned}")));
        }
    }
    check(&broken, "a field or a parameter is called by what it holds");
}

#[test]
fn browser_crates_stay_in_the_browser_half() {
    let mut broken = Vec::new();
    for (name, text) in [files("src", &["rs"]), files("crates", &["rs"])].concat() {
        if BROWSER.iter().any(|b| name.starts_with(b)) {
            continue;
        }
        for (n, line) in code(&text) {
            let named =
                BROWSER_CRATES.iter().find(|c| line.contains(&format!("{c}::")) || line.contains(&format!("use {c}")));
            broken.extend(named.map(|c| format!("{name}:{n} names {c}")));
        }
    }
    check(&broken, "everything but the browser half compiles natively with no browser crate");
}

#[test]
fn every_module_says_what_it_is() {
    let open = |text: &str| text.trim_start().starts_with("//!");
    let all = ["src", "crates", "xtask/src", "tests", "examples"].map(|folder| files(folder, &["rs"]));
    let broken: Vec<String> = all.concat().into_iter().filter(|(_, text)| !open(text)).map(|(name, _)| name).collect();
    check(&broken, "each module opens with //!: what it knows, what it must not know");
}

#[test]
fn files_are_small() {
    let all = [files("src", &["rs"]), files("crates", &["rs"]), files("xtask/src", &["rs"]), files("style", &["css"])]
        .concat();
    let long = |(name, text): (String, String)| {
        let n = text.lines().count();
        (n > 420).then(|| format!("{name} has {n} lines"))
    };
    check(&all.into_iter().filter_map(long).collect::<Vec<_>>(), "a file of more than 420 lines is two files");
}

#[test]
fn components_are_small() {
    let mut broken = Vec::new();
    for (name, text) in files("src/view", &["rs"]) {
        let mut start = None;
        for (n, line) in text.lines().enumerate() {
            if line.starts_with("#[component]") {
                start = Some(n);
            }
            if let (Some(s), true) = (start, line == "}") {
                if n - s > 150 {
                    broken.push(format!("{name}:{} is a component of {} lines", s + 1, n - s));
                }
                start = None;
            }
        }
    }
    check(&broken, "components are dumb and at most 150 lines");
}

#[test]
fn readers_deny_what_could_panic() {
    for folder in ["source", "wire", "excerpt", "hlo", "mosaic"] {
        let text = std::fs::read_to_string(root().join("crates/xla-profile/src").join(folder).join("mod.rs")).unwrap();
        for lint in ["unwrap_used", "expect_used", "indexing_slicing", "arithmetic_side_effects"] {
            assert!(text.contains(&format!("clippy::{lint}")), "{folder} must deny clippy::{lint}");
        }
    }
}

#[test]
fn the_policy_is_strict_and_nothing_goes_around_it() {
    let index = std::fs::read_to_string(root().join("index.html")).unwrap();
    for part in ["default-src 'none'", "connect-src 'self'", "style-src 'self'", "worker-src 'self' blob:"] {
        assert!(index.contains(part), "index.html's policy lacks {part}");
    }
    assert_eq!(index.matches("sha256-ROOFLIGHT").count(), 1, "the build puts the start script's hash there, once");
    let mut broken = Vec::new();
    for (name, text) in [files("src", &["rs"]), vec![("index.html".into(), index)]].concat() {
        for (n, line) in code(&text) {
            let around = ["inner_html", "innerHTML", "set_inner", " style=\"", "unsafe-inline", "eval("];
            let found = around.iter().find(|w| line.contains(**w));
            broken.extend(found.map(|w| format!("{name}:{n} has {w}")));
        }
    }
    check(&broken, "no data becomes markup, and the policy blocks inline styles");
}

/// A writer of Parquet would outweigh the worker.
#[test]
fn tables_are_native() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        if section.ends_with("ependencies]")
            && ["arrow-array", "arrow-buffer", "arrow-schema", "parquet"]
                .iter()
                .any(|name| line.starts_with(&format!("{name} = ")))
        {
            found.push((section, line.contains("optional = true") && line.contains("default-features = false")));
        }
    }
    let native = ("[target.'cfg(not(target_arch = \"wasm32\"))'.dependencies]", true);
    assert_eq!(found, [native; 4]);
    let lib = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    assert!(lib.contains("#[cfg(all(feature = \"tables\", not(target_arch = \"wasm32\")))]\npub mod fleet;"));
    let mut broken = Vec::new();
    for (name, text) in files("src", &["rs"]).into_iter().filter(|(name, _)| !name.starts_with("src/fleet/")) {
        let named =
            code(&text).find(|(_, line)| line.contains("arrow_") && line.contains("::") || line.contains("parquet::"));
        broken.extend(named.map(|(n, _)| format!("{name}:{n} names Arrow or Parquet")));
    }
    check(&broken, "Arrow and Parquet stay in src/fleet");
}

#[test]
fn wasm_bindgen_has_one_version() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let pinned = manifest.split("wasm-bindgen = \"=").nth(1).and_then(|s| s.split('"').next()).unwrap();
    assert!(
        lock.contains(&format!("name = \"wasm-bindgen\"\nversion = \"{pinned}\"")),
        "Cargo.lock is not at {pinned}"
    );
}

#[test]
fn the_repository_speaks_of_the_project_alone() {
    // Spelled in halves, so that this file does not break its own rule.
    let words = [["/ro", "ot/"], ["/wo", "rk/"], ["/tm", "p/bg"], ["artif", "actory"]].map(|w| w.concat());
    let extensions = ["rs", "md", "toml", "json", "mjs", "js", "css", "html", "yml", "proto", "snap", "svg", "lock"];
    let mut broken = Vec::new();
    for (name, text) in files("", &extensions) {
        for (n, line) in text.lines().enumerate() {
            let found = words.iter().find(|w| line.contains(w.as_str()));
            broken.extend(found.map(|w| format!("{name}:{} has {w}", n + 1)));
        }
    }
    check(&broken, "no machine paths and no registry hosts");
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    let mut broken = Vec::new();
    for (name, text) in
        files("docs", &["md"]).into_iter().chain(files("", &["md"]).into_iter().filter(|(n, _)| !n.contains('/')))
    {
        let dir = root().join(&name).parent().unwrap().to_path_buf();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next()) {
            if !target.is_empty() && !target.contains("://") && !dir.join(target).exists() {
                broken.push(format!("{name} links to {target}"));
            }
        }
    }
    check(&broken, "a link in a document leads to a file of the repository");
}
