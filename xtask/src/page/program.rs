//! The page's program: compiled, cut into parts, bound to JavaScript, optimised, and named after what is in it.
//!
//! ```text
//!  cargo ──► split ──► main ───► wasm-bindgen ──┬──► app-….js     the glue, with the loader of the parts
//!              │                                └──► app-….wasm   what is fetched first
//!              ├────► one for each part ───────────► op-….wasm    fetched when it is first needed
//!              └────► what parts have in common ───► shared-….wasm, one file of several modules
//! ```
//!
//! The cuts are functions in `src/bin/app.rs`. The linker is asked to leave in where each function and each table of data
//! is named: so what only one part names can be taken out of the program after it was optimised as a whole.
//!
//! Knows the tools and files. What the loader does is `parts`'; in which order functions lie is `order`'s.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, anyhow};
use wasm_split_cli_support as split;

use super::{hashed, order, parts, without_comments};
use crate::tools::{self, PageTools};
use crate::{process, repo};

/// What a page of this program links.
pub struct Program {
    /// The glue's file name.
    pub script: String,
    /// The program's file name.
    pub wasm: String,
}

/// Builds the program into `out`.
pub fn build(tools: &PageTools, out: &Path) -> Result<Program> {
    // Not `page`: that is where Cargo builds what runs here for the profile of that name.
    let work = repo::target()?.join("of-page/program");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work)?;
    let cut = cut(&compile()?, &work)?;
    process::run(
        Command::new(&tools.wasm_bindgen)
            .args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-name", "app", "--out-dir"])
            .args([&work, &work.join("main.wasm")]),
    )?;

    let main = work.join("app_bg.wasm");
    let all: Vec<&Path> = cut.shared.iter().chain(cut.parts.values()).chain([&main]).map(PathBuf::as_path).collect();
    optimise(tools, &all)?;

    let mut shared = (Vec::new(), Vec::new());
    for chunk in &cut.shared {
        shared.0.extend(fs::read(chunk)?);
        shared.1.push(shared.0.len());
    }
    let common = (hashed("shared", "wasm", &shared.0), shared.1);
    if !shared.0.is_empty() {
        fs::write(out.join(&common.0), &shared.0)?;
    }
    let mut files = BTreeMap::new();
    for (part, path) in &cut.parts {
        let wasm = fs::read(path)?;
        let own = (hashed(part, "wasm", &wasm), vec![wasm.len()]);
        fs::write(out.join(&own.0), wasm)?;
        let shares = !common.1.is_empty() && cut.sharing.contains(part);
        files.insert(part.clone(), if shares { vec![common.clone(), own] } else { vec![own] });
    }
    let glue = fs::read_to_string(work.join("app.js"))?;
    let glue = without_comments(&parts::with_loader(&glue, &files)?);
    let wasm = fs::read(main)?;
    let program = Program { script: hashed("app", "js", glue.as_bytes()), wasm: hashed("app", "wasm", &wasm) };
    fs::write(out.join(&program.script), glue)?;
    fs::write(out.join(&program.wasm), wasm)?;
    Ok(program)
}

/// The program as Cargo builds it, with the linker's tables still in it.
fn compile() -> Result<PathBuf> {
    let args =
        ["rustc", "--package", "rooflight", "--bin", "app", "--features", "web", "--profile", "page", "--locked"];
    let mut cargo = process::cargo();
    cargo.args(args).args(["--target", tools::WASM, "--", "-Clink-args=--emit-relocs"]).current_dir(repo::root());
    process::run(&mut cargo)?;
    Ok(repo::target()?.join(tools::WASM).join("page/app.wasm"))
}

/// What a program was cut into, beside its main part.
struct Cut {
    parts: BTreeMap<String, PathBuf>,
    shared: Vec<PathBuf>,
    /// Parts that need something of `shared`.
    sharing: Vec<String>,
}

fn cut(program: &Path, work: &Path) -> Result<Cut> {
    let wasm = fs::read(program).with_context(|| program.display().to_string())?;
    let main = work.join("main.wasm");
    let mut options = split::Options::new(&wasm);
    options.output_dir = work;
    options.main_out_path = &main;
    let cut = split::transform(options).map_err(|error| anyhow!("the program could not be cut: {error:#}"))?;
    let file = |name: &str| work.join(format!("{name}.wasm"));
    let own = |part: &String| format!("split_{part}");
    let chunks: Vec<&String> = cut
        .prefetch_map
        .iter()
        .flat_map(|(part, files)| files.iter().filter(move |name| **name != own(part)))
        .collect();
    let mut shared: Vec<PathBuf> = chunks.iter().map(|name| file(name)).collect();
    shared.sort();
    shared.dedup();
    let sharing = cut.prefetch_map.iter().filter(|(part, files)| files.iter().any(|name| *name != own(part)));
    let sharing = sharing.map(|(part, _)| part.clone()).collect();
    let parts = cut.prefetch_map.keys().map(|part| (part.clone(), file(&own(part)))).collect();
    Ok(Cut { parts, shared, sharing })
}

/// Optimises files in place, as many at once as there are processors; the largest is last in the list, and first to begin.
fn optimise(tools: &PageTools, files: &[&Path]) -> Result<()> {
    let waiting = Mutex::new(files.to_vec());
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.pop());
    let work = || std::iter::from_fn(next).try_for_each(|path| optimise_one(tools, path));
    thread::scope(|scope| {
        let n = thread::available_parallelism().map_or(1, usize::from);
        let all: Vec<_> = (0..n).map(|_| scope.spawn(work)).collect();
        all.into_iter().try_for_each(|one| one.join().map_err(|_| anyhow!("wasm-opt could not be run"))?)
    })
}

/// See [`order`]. Twice: what the first run leaves, the second finds less in.
fn optimise_one(tools: &PageTools, path: &Path) -> Result<()> {
    let run = |passes: &[&str]| process::run(Command::new(&tools.wasm_opt).args(passes).arg(path).arg("-o").arg(path));
    // The cutter's names are of kinds that wasm-opt does not know, and would tell.
    fs::write(path, order::without_names(&fs::read(path)?)?)?;
    run(&["-Oz"])?;
    fs::write(path, order::name(&fs::read(path)?)?).with_context(|| path.display().to_string())?;
    run(&["-Oz", "--reorder-functions-by-name", "--strip-debug"])
}
