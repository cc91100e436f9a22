//! Writes the terms on screen into `docs/GLOSSARY.md`, and checks that they are up to date there, that their names
//! differ, and that they explain the words on screen. `INSTA_UPDATE=always` writes them.

use crate::tidy::{check, files};
use rooflight::analysis::overview::shown_figures;
use rooflight::chart::glossary::{TERMS, Topic, term_of_label};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

const START: &str = "<!-- The terms on screen: tests/native/glossary.rs writes them. -->\n";
const END: &str = "<!-- The end of the terms on screen. -->\n";

/// Writes the terms as tables of Markdown, one for each topic.
fn markdown() -> String {
    let mut text = String::new();
    for topic in Topic::ALL {
        let _ = writeln!(text, "\n### {}\n", topic.label());
        text += "| term | meaning | formula | usual | source |\n|---|---|---|---|---|\n";
        for term in TERMS.iter().filter(|term| term.topic == topic) {
            let names = term.names.join(" · ");
            let _ =
                writeln!(text, "| {names} | {} | {} | {} | {} |", term.meaning, term.formula, term.usual, term.source);
        }
    }
    text + "\n"
}

#[test]
fn the_document_has_the_terms_on_screen() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/GLOSSARY.md");
    let stored = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = stored.split_once(START).expect("the start of the terms");
    let (_, tail) = rest.split_once(END).expect("the end of the terms");
    let text = [head, START, &markdown(), END, tail].concat();
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        std::fs::write(&path, &text).unwrap();
        return;
    }
    assert!(stored == text, "docs/GLOSSARY.md is out of date: INSTA_UPDATE=always writes it");

    // The terms of the code, which stand below, define none of the terms on screen again.
    let below = tail.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | ")).map(|(names, _)| names);
    let below: BTreeSet<String> = below.flat_map(|names| names.split(", ")).map(str::to_lowercase).collect();
    let names = TERMS.iter().flat_map(|term| term.names.iter().flat_map(|names| names.split(", ")));
    let twice: Vec<String> = names.map(str::to_lowercase).filter(|name| below.contains(name)).collect();
    check(&twice, "a term is defined once in docs/GLOSSARY.md");
}

#[test]
fn names_differ_and_meanings_are_sentences() {
    let mut known = BTreeSet::new();
    let mut broken = Vec::new();
    for term in TERMS {
        let all = term.names.iter().chain(term.labels);
        broken.extend(all.filter(|name| !known.insert(name.to_lowercase())).map(|name| format!("{name} stands twice")));
        let is_sentence = |text: &str| text.ends_with('.') && text.chars().next().is_some_and(char::is_uppercase);
        if !is_sentence(term.meaning) || term.meaning.contains(". ") {
            broken.push(format!("{}: the meaning is not one sentence", term.name()));
        }
        if !(term.usual.is_empty() || is_sentence(term.usual)) || term.source.is_empty() {
            broken.push(format!("{}: what is usual is no sentence, or the source is missing", term.name()));
        }
        if [term.meaning, term.formula, term.usual, term.source].iter().any(|text| text.contains('|')) {
            broken.push(format!("{}: a text has a separator of cells", term.name()));
        }
    }
    check(&broken, "terms of the glossary");
}

/// A figure without a term is one that a newcomer cannot look up. A label that nothing on screen has is out of date.
#[test]
fn figures_have_terms_and_labels_are_on_screen() {
    let mut broken = Vec::new();
    for (_, texts) in shown_figures() {
        let labels = [texts.label, texts.text_label];
        let unknown = labels.into_iter().filter(|label| term_of_label(label).is_none());
        broken.extend(unknown.map(|label| format!("the figure {label} has no term")));
    }
    let code: Vec<String> = files("src", &["rs"])
        .into_iter()
        .filter(|(name, _)| !name.contains("/glossary"))
        .map(|(_, code)| code)
        .collect();
    for label in TERMS.iter().flat_map(|term| term.labels) {
        if !code.iter().any(|code| code.contains(&format!("\"{label}\""))) {
            broken.push(format!("{label} is nowhere on screen"));
        }
    }
    check(&broken, "the glossary explains the words on screen");
}
