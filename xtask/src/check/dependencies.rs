//! This module checks the dependencies against `deny.toml`: their licences, bans, and crates with several versions.
//! `cargo deny` checks the same rules and the advisories, on GitHub only, because building it takes minutes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, ensure};
use spdx::{Expression, ParseMode};
use toml::{Table, Value};

use crate::{process, repo};

/// Checks all crates that `cargo tree` lists. Returns their number in words.
pub fn check() -> Result<String> {
    let mut tree = process::cargo();
    tree.current_dir(repo::root()).args(["tree", "--locked", "--workspace", "--all-features", "--target", "all"]);
    tree.args(["--edges", "all", "--prefix", "none", "--format", "{p}|{l}"]);
    let text = process::output_of(&mut tree).context("`cargo tree` fails: is Cargo.lock up to date?")?;
    let rules = fs::read_to_string(repo::root().join("deny.toml")).context("deny.toml")?.parse()?;
    let (n, wrong) = wrong(&text, &rules);
    ensure!(n > 20, "`cargo tree` lists no dependencies:\n{text}");
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(format!("{n} crates"))
}

/// Returns the number of crates in `list`, with lines `name v1.2.3 (…)|licence`, and one sentence per broken rule.
fn wrong(list: &str, rules: &Table) -> (usize, Vec<String>) {
    let crates: BTreeSet<(&str, &str, &str)> = list.lines().filter_map(parse).collect();
    let (allow, deny, skip) =
        (texts(rules, "licenses", "allow"), texts(rules, "bans", "deny"), texts(rules, "bans", "skip"));
    let mut wrong = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for &(name, version, license) in &crates {
        if !is_allowed(license, &allow) {
            wrong.push(format!("{name} {version} has the licence `{license}`, which deny.toml does not allow."));
        }
        if deny.contains(&name) {
            wrong.push(format!("{name} {version} is banned in deny.toml."));
        }
        // `name@1` stands for all versions 1.x, and `name@0.1` for all versions 0.1.x.
        let is_of =
            |prefix: &str| version == prefix || version.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
        if !skip.iter().any(|skip| skip.split_once('@').is_some_and(|(other, prefix)| other == name && is_of(prefix))) {
            versions.entry(name).or_default().push(version);
        }
    }
    let several = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
    wrong.extend(several.map(|(name, versions)| format!("{name} is there in versions {}.", versions.join(" and "))));
    (crates.len(), wrong)
}

/// Returns the name, the version and the licence in `line`.
fn parse(line: &str) -> Option<(&str, &str, &str)> {
    let (package, license) = line.split_once('|')?;
    let mut words = package.split(' ');
    Some((words.next()?, words.next()?.strip_prefix('v')?, license.trim_end_matches(" (*)")))
}

/// Returns the texts of one list in `rules`. An item is a text, or a table with a text at `crate`.
fn texts<'r>(rules: &'r Table, section: &str, list: &str) -> Vec<&'r str> {
    let list = rules.get(section).and_then(|section| section.get(list)).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|item| item.get("crate").unwrap_or(item).as_str()).collect()
}

/// Returns whether `allow` satisfies the expression `license`. Old crates write `MIT/Apache-2.0` in place of `OR`.
fn is_allowed(license: &str, allow: &[&str]) -> bool {
    Expression::parse_mode(license, ParseMode::LAX)
        .is_ok_and(|license| license.evaluate(|one| allow.contains(&one.to_string().as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_rules_are_reported() {
        let rules = "[licenses]\nallow = ['MIT', 'Apache-2.0 WITH LLVM-exception']\n[bans]\ndeny = [{ crate = 'bad' }]\n\
                     skip = [{ crate = 'old@0.1', reason = 'x' }]\n";
        let rules = rules.parse().unwrap();
        let fine = "old v0.1.9|MIT\nold v0.2.0|MIT OR GPL-3.0\na v1.0.0|MIT/Apache-2.0\nb v1.0.0 (*)|Apache-2.0 WITH LLVM-exception (*)\n";
        assert_eq!(wrong(fine, &rules), (4, Vec::new()));
        let bad = "bad v1.0.0|MIT\nfree v1.0.0|GPL-3.0\nno v1.0.0|\ntwice v1.0.0|MIT\ntwice v2.0.0|MIT\n";
        let (n, found) = wrong(&format!("{fine}{bad}"), &rules);
        let words = [
            "bad 1.0.0 is banned",
            "free 1.0.0 has the licence `GPL-3.0`",
            "no 1.0.0 has the",
            "twice is there in versions 1.0.0 and 2.0.0",
        ];
        assert_eq!((n, found.len()), (9, words.len()), "{found:?}");
        assert!(found.iter().zip(words).all(|(found, word)| found.starts_with(word)), "{found:?}");
    }
}
