//! These tests list the texts that users read, in one list per feature.
//!
//! A text stands in the code that shows it. The snapshots put the texts of a feature together, so that one person can
//! read them in one sitting, and so that a changed text is visible in a review. Every string that begins with a capital
//! letter or has several words counts as a text, except for those of attributes, of class names and of tests within a
//! file.

use crate::tidy::files;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::fmt::Write;

/// The features, each with the paths of its files. A file belongs to a feature if its path begins with one of these
/// paths.
const FEATURES: &[(&str, &[&str])] = &[
    ("breakdown", &["analysis/breakdown/", "chart/breakdown/", "view/breakdown/", "report/breakdown/"]),
    (
        "data_movement",
        &["analysis/data_movement/", "chart/data_movement", "view/data_movement", "report/data_movement/"],
    ),
    (
        "roofline",
        &[
            "analysis/roofline/",
            "chart/roofline/",
            "view/roofline/",
            "report/roofline/",
            "protocol/roofline",
            "session/capture/roofline_table",
        ],
    ),
    ("memory", &["analysis/memory/", "chart/memory/", "view/memory/", "report/memory/"]),
    ("comm", &["analysis/comm/", "chart/comm/", "view/comm/", "report/comm/", "analysis/flags/", "report/flags/"]),
    ("overview", &["analysis/overview/", "chart/overview/", "view/overview/", "report/overview/"]),
    ("modules", &["analysis/modules/", "report/modules/"]),
    ("timeline", &["analysis/timeline/", "chart/timeline/", "view/timeline/", "report/timeline/"]),
    ("gaps", &["analysis/gaps/", "chart/gaps", "view/gaps", "report/gaps/"]),
    ("op", &["analysis/op/", "chart/op/", "view/op/"]),
    ("files", &["analysis/files/", "chart/files", "view/files/", "report/files/"]),
    ("share", &["share/", "chart/share", "view/share/"]),
    (
        "opening",
        &[
            "session/",
            "worker/",
            "chart/landing",
            "chart/loading",
            "chart/empty/",
            "view/landing/",
            "view/loading/",
            "view/sources/",
            "view/empty/",
            "view/drop",
            "crates/xla-profile/src/",
        ],
    ),
    (
        "page",
        &[
            "analysis/base/",
            "analysis/classify/",
            "chart/glossary/",
            "chart/widgets/",
            "chart/plot/",
            "chart/mod",
            "view/",
            "protocol/",
            "chip/",
        ],
    ),
    ("command_line", &["cli/"]),
];

/// Returns the feature of a file: the one with the longest path that fits.
fn feature(file: &str) -> Option<&'static str> {
    let fitting = FEATURES.iter().flat_map(|(name, paths)| paths.iter().map(move |path| (path, *name)));
    fitting.filter(|(path, _)| file.starts_with(**path)).max_by_key(|(path, _)| path.len()).map(|(_, name)| name)
}

/// Returns whether users read a string: it begins with a capital letter or has several words, and is no list of class
/// names, address or piece of SVG.
fn is_text(string: &str) -> bool {
    let starts_big = string.chars().next().is_some_and(char::is_uppercase) && string.chars().any(char::is_lowercase);
    let words = string.split(' ').filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count();
    let is_code = string.starts_with(['<', '#', '/', '-', '_', '%', 'M', '$']) && !starts_big
        || string.contains("::")
        || string.contains('=');
    !is_code && (starts_big || words > 1)
}

/// Returns the string of a literal, as it is written and without line breaks. `None` for other literals.
fn string(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut lines = inner.split("\\\n");
    let first = lines.next()?.to_owned();
    Some(lines.fold(first, |text, line| text + line.trim_start()))
}

/// Adds the texts of some code. Attributes, tests and class names are skipped.
fn collect(tokens: TokenStream, texts: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |index: usize, what: &str| tokens.get(index).is_some_and(|token| token.to_string() == what);
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        match token {
            // The documentation of a file is skipped.
            TokenTree::Punct(punct) if punct.as_char() == '#' && is(index + 1, "!") => index += 2,
            // Attributes are skipped. The item that follows an attribute of tests is skipped as well.
            TokenTree::Punct(punct)
                if punct.as_char() == '#' && matches!(tokens.get(index + 1), Some(TokenTree::Group(_))) =>
            {
                index += 1;
                let attribute = tokens[index].to_string().replace(' ', "");
                if attribute.starts_with("[cfg(test") || attribute.starts_with("[cfg(all(test") {
                    let ends_item = |token: &TokenTree| match token {
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                        token => token.to_string() == ";",
                    };
                    index += 1 + tokens[index + 1..].iter().take_while(|token| !ends_item(token)).count();
                }
            }
            TokenTree::Ident(name)
                if ["class", "id", "style", "viewBox"].contains(&name.to_string().as_str()) && is(index + 1, "=") =>
            {
                index += 2;
            }
            TokenTree::Group(group) => collect(group.stream(), texts),
            TokenTree::Literal(literal) => {
                let text = string(&literal.to_string()).filter(|text| is_text(text));
                texts.extend(text.filter(|text| !texts.contains(text)));
            }
            _ => {}
        }
        index += 1;
    }
}

#[test]
fn every_text_of_a_feature_in_one_list() {
    let mut lists: Vec<(&str, String)> = FEATURES.iter().map(|(name, _)| (*name, String::new())).collect();
    for (file, code) in files("src", &["rs"]).into_iter().chain(files("crates", &["rs"])) {
        let short = file.strip_prefix("src/").unwrap_or(&file);
        let Some(name) = feature(short).filter(|_| !file.ends_with("tests.rs")) else { continue };
        let mut texts = Vec::new();
        collect(code.parse().unwrap_or_else(|error| panic!("{file}: {error}")), &mut texts);
        let list = &mut lists.iter_mut().find(|(other, _)| *other == name).unwrap().1;
        if !texts.is_empty() {
            let _ = writeln!(list, "\n{file}");
            for text in &texts {
                let _ = writeln!(list, "  {text}");
            }
        }
    }
    for (name, list) in lists {
        assert!(list.lines().count() > 10, "{name} has texts");
        insta::assert_snapshot!(format!("texts_{name}"), list.trim_start());
    }
}
