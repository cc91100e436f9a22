//! The loader of the program's parts, put into the script that wasm-bindgen writes: the program imports a function for each
//! part that fetches it. Within that script it needs no request of its own, and no import in a circle.
//!
//! Pure text → text. Must not touch files.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

const LOADER: &str = include_str!("parts.js");
/// Where the program says that it has these functions from.
const LINK: &str = "from \"./__wasm_split.js\"";
/// In the loader, in place of the files.
const PLACE: &str = "const PARTS = {};\n";

/// Where a part is: files, each with the places where its modules end.
pub type Files = Vec<(String, Vec<usize>)>;

/// `glue` with the loader of `parts` where it imports one.
///
/// # Errors
/// Where it imports none.
pub fn with_loader(glue: &str, parts: &BTreeMap<String, Files>) -> Result<String> {
    let (mut names, mut rest) = (Vec::new(), String::with_capacity(glue.len()));
    for line in glue.lines() {
        match line.strip_prefix("import * as ").and_then(|line| line.split_once(' ')) {
            Some((name, from)) if from.trim_end_matches(';') == LINK => names.push(name),
            _ => rest.extend([line, "\n"]),
        }
    }
    ensure!(!names.is_empty() && LOADER.contains(PLACE), "the program fetches no parts");
    let one = |(part, files): (&String, &Files)| {
        let file = |(name, ends): &(String, Vec<usize>)| {
            ends.iter().fold(format!("[\"./{name}\""), |text, end| format!("{text}, {end}")) + "]"
        };
        let files: Vec<String> = files.iter().map(file).collect();
        format!("    __wasm_split_load_{part}: load([{}]),\n", files.join(", "))
    };
    let parts: String = parts.iter().map(one).collect();
    let names: String = names.iter().map(|name| format!("const {name} = PARTS;\n")).collect();
    Ok(format!("{}const PARTS = {{\n{parts}}};\n{names}{rest}", LOADER.replace(PLACE, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_stands_where_it_was_imported() {
        let glue = "import * as import1 from \"./__wasm_split.js\"\nimport * as import2 from \"./__wasm_split.js\"\nlet wasm;\n";
        let shared = ("shared-1.wasm".to_owned(), vec![5, 9]);
        let own = ("op-2.wasm".to_owned(), vec![7]);
        let with = with_loader(glue, &BTreeMap::from([("op".to_owned(), vec![shared, own])])).unwrap();
        assert!(with.contains("__wasm_split_load_op: load([[\"./shared-1.wasm\", 5, 9], [\"./op-2.wasm\", 7]]),\n"));
        assert!(with.ends_with("};\nconst import1 = PARTS;\nconst import2 = PARTS;\nlet wasm;\n"), "{with}");
        assert_eq!(with.matches("const PARTS").count(), 1);
        assert!(with_loader("let wasm;\n", &BTreeMap::new()).is_err());
    }
}
