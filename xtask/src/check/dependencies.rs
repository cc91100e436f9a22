//! Dependencies against `deny.toml`: their licences are allowed, none is banned, and none is there in two versions but those
//! that are listed. `cargo deny` checks the same, and advisories, where it runs: on GitHub. It takes minutes to build, this nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, ensure};

use crate::{process, repo};

/// A dependency as `cargo tree` lists it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    license: String,
}

/// The lists of `deny.toml`.
struct Rules {
    allow: Vec<String>,
    deny: Vec<String>,
    /// `name@version`, the version as far as it matters.
    skip: Vec<String>,
}

/// Checks all dependencies; how many there are.
pub fn check() -> Result<String> {
    let mut tree = process::cargo();
    tree.current_dir(repo::root()).args(["tree", "--locked", "--workspace", "--all-features", "--target", "all"]);
    tree.args(["--edges", "all", "--prefix", "none", "--format", "{p}|{l}"]);
    let text = process::ask(&mut tree).context("`cargo tree` fails: is Cargo.lock up to date?")?;
    let crates = crates(&text);
    ensure!(crates.len() > 20, "`cargo tree` lists no dependencies:\n{text}");
    let rules = rules(&fs::read_to_string(repo::root().join("deny.toml")).context("deny.toml")?);
    let wrong = wrong(&crates, &rules);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(format!("{} crates", crates.len()))
}

/// Lines of `name v1.2.3 (how)|license`, each crate once.
fn crates(text: &str) -> BTreeSet<Crate> {
    let of = |line: &str| {
        let (package, license) = line.split_once('|')?;
        let mut words = package.split(' ');
        let (name, version) = (words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned());
        Some(Crate { name, version, license: license.trim_end_matches(" (*)").to_owned() })
    };
    text.lines().filter_map(of).collect()
}

fn rules(toml: &str) -> Rules {
    let toml: String = toml
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .fold(String::new(), |all, line| all + line + "\n");
    // The texts of a list: all of them, or those of one key.
    let list = |name: &str, key: &str| -> Vec<String> {
        let from = format!("\n{name} = [");
        let Some((_, rest)) = toml.split_once(&from) else { return Vec::new() };
        let inner = rest.split_once("\n]").map_or(rest, |(inner, _)| inner);
        inner
            .lines()
            .filter_map(|line| Some(line.split_once(&format!("{key}\""))?.1.split_once('"')?.0.to_owned()))
            .collect()
    };
    Rules { allow: list("allow", ""), deny: list("deny", "crate = "), skip: list("skip", "crate = ") }
}

/// What breaks the rules, a sentence each.
fn wrong(crates: &BTreeSet<Crate>, rules: &Rules) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Crate { name, version, license } in crates {
        if !is_allowed(license, &rules.allow) {
            wrong.push(format!("{name} {version} has the licence `{license}`, which deny.toml does not allow."));
        }
        if rules.deny.contains(name) {
            wrong.push(format!("{name} {version} is banned in deny.toml."));
        }
        let is_skipped = |skip: &String| {
            let at = skip.split_once('@').filter(|(of, _)| of == name).map(|(_, at)| at);
            at.is_some_and(|at| version == at || version.strip_prefix(at).is_some_and(|rest| rest.starts_with('.')))
        };
        if !rules.skip.iter().any(is_skipped) {
            versions.entry(name).or_default().push(version);
        }
    }
    let several = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
    wrong.extend(several.map(|(name, versions)| format!("{name} is there in versions {}.", versions.join(" and "))));
    wrong
}

/// Whether an expression of licences (`MIT OR (Apache-2.0 AND Zlib)`; of old crates `MIT/Apache-2.0`) can be met.
fn is_allowed(license: &str, allow: &[String]) -> bool {
    let text = license.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut at = 0;
    any_of(&words, &mut at, allow) && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize, allow: &[String]) -> bool {
    let mut is = all_of(words, at, allow);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        is |= all_of(words, at, allow);
    }
    is
}

fn all_of(words: &[&str], at: &mut usize, allow: &[String]) -> bool {
    let mut is = license_or_group(words, at, allow);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        is &= license_or_group(words, at, allow);
    }
    is
}

fn license_or_group(words: &[&str], at: &mut usize, allow: &[String]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let is = any_of(words, at, allow);
        *at += 1;
        return is;
    }
    let mut name = (*word).to_owned();
    if let (Some(&"WITH"), Some(exception)) = (words.get(*at), words.get(*at + 1)) {
        name += &format!(" WITH {exception}");
        *at += 2;
    }
    allow.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences() {
        let allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Zlib"].map(str::to_owned);
        for (license, is) in [
            ("MIT", true),
            ("MIT OR GPL-3.0", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0", false),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR GPL-3.0) AND Zlib", true),
            ("GPL-3.0 OR Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0 WITH another", false),
            ("MIT GPL-3.0", false),
            ("", false),
        ] {
            assert_eq!(is_allowed(license, &allow), is, "{license}");
        }
    }

    #[test]
    fn what_breaks_the_rules_is_said() {
        let rules = rules(
            "[licenses]\nallow = [\n    \"MIT\",\n]\n[bans]\ndeny = [\n    { crate = \"bad\" },\n]\nskip = [\n    { crate = \"old@0.1\", reason = \"x\" },\n]\n",
        );
        let lists = "old v0.1.9|MIT\nold v0.2.0|MIT\ntwice v1.0.0|MIT\ntwice v2.0.0 (*)|MIT (*)\n";
        let found = wrong(&crates(&format!("{lists}bad v1.0.0|MIT\nfree v1.0.0|GPL-3.0\n")), &rules);
        let words = [
            "bad 1.0.0 is banned",
            "free 1.0.0 has the licence `GPL-3.0`",
            "twice is there in versions 1.0.0 and 2.0.0",
        ];
        assert_eq!(found.len(), words.len(), "{found:?}");
        assert!(found.iter().zip(words).all(|(found, word)| found.starts_with(word)), "{found:?}");
        assert!(wrong(&crates("old v0.1.9|MIT\nold v0.2.0|MIT\n"), &rules).is_empty());
    }
}
