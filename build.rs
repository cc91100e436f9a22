//! This build script sets `ROOFLIGHT_BUILD`, the build number.
//!
//! The build number is a hash of the sources that the page and the worker share. The first message between page and
//! worker compares it. Sources of the page alone are left out, so that an edit of a view does not rebuild the worker.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Folders of `src/` that the worker does not use: the page, the command line, and the start of each program.
const PAGE: [&str; 4] = ["bin", "chart", "cli", "view"];

fn main() -> std::io::Result<()> {
    let mut files = Vec::new();
    let own = std::fs::read_dir("src")?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    let own = own.into_iter().filter(|path| !PAGE.iter().any(|name| path.ends_with(name)));
    // The published crate lacks the folders of the reader, and its Cargo.lock has the version of the reader.
    let reader = ["crates/xla-profile/src", "crates/xla-profile/proto", "Cargo.lock"].map(PathBuf::from);
    for path in own.chain(reader.into_iter().filter(|path| path.exists())) {
        println!("cargo:rerun-if-changed={}", path.display());
        collect(&path, &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.to_string_lossy().hash(&mut hasher);
        std::fs::read(&file)?.hash(&mut hasher);
    }
    println!("cargo:rustc-env=ROOFLIGHT_BUILD={:016x}", hasher.finish());
    Ok(())
}

/// Adds the file `path`, or all files below the folder `path`, to `files`.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    std::fs::read_dir(path)?.try_for_each(|entry| collect(&entry?.path(), files))
}
