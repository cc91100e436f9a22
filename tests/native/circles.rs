//! These tests check that no two files import each other, directly or through others.
//!
//! A file's imports are read from its tokens: `use` trees, and paths that begin with `crate`, `super` or `self`, also
//! inside macros. A name that a `mod.rs` re-exports leads to the file that defines the name. Tests within a file do not
//! count.

use crate::tidy::{check, files};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// A module's path below its crate: `["analysis", "comm"]`.
type Module = Vec<String>;

/// The imports of one file.
#[derive(Default)]
struct Imports {
    /// Absolute paths, by module and item: `analysis::base::Query`.
    paths: BTreeSet<Module>,
    /// Names that the file re-exports, and the path of each.
    exports: BTreeMap<String, Module>,
}

/// Returns the module of a file below the crate's folder: `analysis::comm` for `analysis/comm/mod.rs`.
fn module(file: &str) -> Module {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

/// Returns the absolute path of a path that stands in the module `within`; `None` if the path leads out of the crate.
fn absolute(path: &[String], within: &Module, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let mut base = within.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => return Some(path[1..].to_vec()),
        "self" | "super" => {
            while let Some(first @ ("self" | "super")) = rest.first().map(String::as_str) {
                if first == "super" {
                    base.pop();
                }
                rest = &rest[1..];
            }
        }
        first => {
            let child = [base.as_slice(), &[first.to_owned()]].concat();
            modules.contains_key(&child).then_some(())?;
        }
    }
    Some([base.as_slice(), rest].concat())
}

/// Collects all paths of a `use` tree, each with the name that the tree gives to it.
fn use_tree(tokens: &[TokenTree], prefix: &[String], found: &mut Vec<(Module, String)>) {
    let mut path = prefix.to_vec();
    let mut alias = None;
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        match token {
            TokenTree::Ident(word) if word == "as" => alias = tokens.get(index + 1).map(ToString::to_string),
            TokenTree::Ident(word) if alias.is_none() => path.push(word.to_string()),
            TokenTree::Punct(mark) if mark.as_char() == '*' => path.push("*".to_owned()),
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
                inner.split(is_comma).filter(|part| !part.is_empty()).for_each(|part| use_tree(part, &path, found));
                return;
            }
            _ => {}
        }
        index += 1;
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    if let Some(last) = path.last().cloned() {
        found.push((path, alias.unwrap_or(last)));
    }
}

/// Adds the imports of a stream of tokens to `imports`.
fn read(stream: TokenStream, within: &Module, modules: &BTreeMap<Module, String>, imports: &mut Imports) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let word = |index: usize| match tokens.get(index) {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    };
    let is_path_mark = |index: usize| {
        let colon = |index: usize| matches!(tokens.get(index), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
        colon(index) && colon(index + 1)
    };
    let mut index = 0;
    while index < tokens.len() {
        match (&tokens[index], word(index).as_deref()) {
            // The imports of `#[cfg(test)] mod tests { … }` are left out.
            (TokenTree::Group(group), _)
                if group.delimiter() == Delimiter::Bracket
                    && group.stream().to_string().replace(' ', "").contains("test")
                    && group.stream().to_string().starts_with("cfg")
                    && word(index + 1).as_deref() == Some("mod") =>
            {
                index += 4;
            }
            (_, Some("use")) => {
                let end = index + tokens[index..].iter().take_while(|token| token.to_string() != ";").count();
                let mut found = Vec::new();
                use_tree(&tokens[index + 1..end], &[], &mut found);
                let before = index.checked_sub(1).map(|before| tokens[before].to_string()).unwrap_or_default();
                let is_export = before == "pub" || before.starts_with('(');
                for (path, name) in found {
                    let Some(path) = absolute(&path, within, modules) else { continue };
                    if is_export {
                        imports.exports.insert(name, path.clone());
                    } else {
                        imports.paths.insert(path);
                    }
                }
                index = end + 1;
            }
            (_, Some(first)) if !(index >= 2 && is_path_mark(index - 2)) && is_path_mark(index + 1) => {
                let mut path = vec![first.to_owned()];
                while is_path_mark(index + 1) && word(index + 3).is_some() {
                    path.extend(word(index + 3));
                    index += 3;
                }
                imports.paths.extend(absolute(&path, within, modules));
                index += 1;
            }
            (TokenTree::Group(group), _) => {
                read(group.stream(), within, modules, imports);
                index += 1;
            }
            _ => index += 1,
        }
    }
}

/// Returns the module of the file that defines the item of a path.
fn defined_in(path: &[String], all: &BTreeMap<Module, Imports>, depth: u8) -> Option<Module> {
    let module = (0..=path.len()).rev().map(|n| path[..n].to_vec()).find(|module| all.contains_key(module))?;
    let export = path.get(module.len()).and_then(|name| all[&module].exports.get(name));
    match export {
        Some(export) if depth < 8 && *export != path => defined_in(export, all, depth + 1),
        _ => Some(module),
    }
}

/// Returns the groups of modules that import each other, each group once (Tarjan's strongly connected components).
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    struct Walk<'a> {
        graph: &'a BTreeMap<Module, BTreeSet<Module>>,
        index: BTreeMap<&'a Module, (usize, usize)>,
        stack: Vec<&'a Module>,
        found: Vec<Vec<Module>>,
    }
    impl<'a> Walk<'a> {
        fn visit(&mut self, module: &'a Module) -> usize {
            let number = self.index.len();
            self.index.insert(module, (number, number));
            self.stack.push(module);
            let mut low = number;
            for next in self.graph.get(module).into_iter().flatten() {
                let reached = match self.index.get(next) {
                    None => self.visit(next),
                    Some((number, _)) if self.stack.contains(&next) => *number,
                    Some(_) => continue,
                };
                low = low.min(reached);
            }
            if low == number {
                let start = self.stack.iter().position(|on| *on == module).unwrap();
                let circle = self.stack.split_off(start);
                if circle.len() > 1 {
                    self.found.push(circle.into_iter().cloned().collect());
                }
            }
            low
        }
    }
    let mut walk = Walk { graph, index: BTreeMap::new(), stack: Vec::new(), found: Vec::new() };
    for module in graph.keys() {
        if !walk.index.contains_key(module) {
            walk.visit(module);
        }
    }
    walk.found
}

/// Returns the modules of a crate, given as names and texts of files, each with the modules that it imports.
fn imports_by_module(files: &[(String, String)]) -> BTreeMap<Module, BTreeSet<Module>> {
    let modules: BTreeMap<Module, String> = files.iter().map(|(name, _)| (module(name), name.clone())).collect();
    let all: BTreeMap<Module, Imports> = files
        .iter()
        .map(|(name, text)| {
            let mut imports = Imports::default();
            read(text.parse().unwrap(), &module(name), &modules, &mut imports);
            (module(name), imports)
        })
        .collect();
    let leads = |from: &Module, imports: &Imports| {
        let to = imports.paths.iter().filter_map(|path| defined_in(path, &all, 0));
        to.filter(|to| to != from && !to.is_empty()).collect::<BTreeSet<Module>>()
    };
    all.iter().map(|(from, imports)| (from.clone(), leads(from, imports))).collect()
}

/// Returns the circles among the files of a crate, given as names and texts.
fn circles_of(files: &[(String, String)]) -> Vec<Vec<Module>> {
    circles(&imports_by_module(files))
}

/// Returns the rooms of a layer, which are its folders and the files beside them, each with the rooms that it imports.
fn rooms(layer: &str, modules: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    let room = |module: &Module| (module.len() > 1 && module[0] == layer).then(|| module[..2].to_vec());
    let mut rooms: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, to) in modules {
        let Some(from) = room(from) else { continue };
        let others = to.iter().filter_map(room).filter(|to| *to != from).collect::<Vec<Module>>();
        rooms.entry(from).or_default().extend(others);
    }
    rooms
}

/// Returns the files of `src` without its programs, with names below it.
fn sources() -> Vec<(String, String)> {
    let below = |(name, text): (String, String)| (name["src/".len()..].to_owned(), text);
    files("src", &["rs"]).into_iter().map(below).filter(|(name, _)| !name.starts_with("bin/")).collect()
}

#[test]
fn rooms_of_a_layer_have_an_order() {
    let modules = imports_by_module(&sources());
    let mut found = Vec::new();
    for layer in ["table", "analysis", "report", "share", "protocol", "session", "fleet", "chart", "view", "cli"] {
        let rooms = rooms(layer, &modules);
        assert!(rooms.len() > 3, "{layer} is nowhere");
        for circle in circles(&rooms) {
            let names = circle.iter().map(|room| room.join("::")).collect::<Vec<_>>().join(" ↔ ");
            // The files that join them help to find the way out.
            let between = modules.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
            let joins = |module: &Module| circle.iter().find(|room| module.starts_with(room)).cloned();
            let pairs = between.filter(|(from, to)| joins(from).zip(joins(to)).is_some_and(|(a, b)| a != b));
            found.push(format!(
                "{names}: {}",
                pairs
                    .map(|(from, to)| format!("{} → {}", from.join("::"), to.join("::")))
                    .collect::<Vec<_>>()
                    .join(", ")
            ));
        }
    }
    check(&found, "rooms of a layer have an order: no two of them import each other");
}

#[test]
fn no_two_files_import_each_other() {
    for folder in ["src", "crates/xla-profile/src"] {
        let below = |(name, text): (String, String)| (name[folder.len() + 1..].to_owned(), text);
        let all: Vec<_> =
            files(folder, &["rs"]).into_iter().map(below).filter(|(name, _)| !name.starts_with("bin/")).collect();
        assert!(all.len() > 20, "{folder} is nowhere");
        let found: Vec<String> = circles_of(&all)
            .iter()
            .map(|circle| circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" ↔ "))
            .collect();
        check(&found, "no two files import each other: move what both need to a file of its own");
    }
}

#[test]
fn circles_are_found() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let circle =
        |files: &[(String, String)]| circles_of(files).iter().flatten().map(|m| m.join("::")).collect::<Vec<_>>();
    let a = file("f/a.rs", "use super::b::B; fn f() { view! { {crate::g::c()} } }");
    let direct = [a.clone(), file("f/b.rs", "struct B; fn g() { super::a::f() }"), file("g.rs", "")];
    assert_eq!(circle(&direct), ["f::a", "f::b"]);
    // This circle leads through a re-export and through a path in a macro.
    let mods = file("f/mod.rs", "mod a; mod b; pub use a::f;");
    let through =
        [a.clone(), file("f/b.rs", "struct B;"), mods.clone(), file("g.rs", "use crate::f::f; pub fn c() {}")];
    assert_eq!(circle(&through), ["f::a", "g"]);
    // A folder that re-exports its files is in no circle with them, and neither are files that only tests join.
    let tests = file("f/b.rs", "struct B; #[cfg(test)] mod tests { use super::super::a::f; }");
    assert_eq!(circle(&[a, tests, mods, file("g.rs", "")]), Vec::<String>::new());
}
