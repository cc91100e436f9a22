//! Compiles `proto/` (in Rust: no protoc needed) and stamps the build.
//!
//! The stamp is a hash of the sources, the same for page and worker when they were built from the same
//! tree: it names the worker's URL and is compared in the first message between them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=Cargo.lock");

    let descriptors = protox::compile(["proto/xspace.proto"], ["proto"])?;
    prost_build::Config::new().btree_map(["."]).compile_fds(descriptors)?;

    let mut hasher = DefaultHasher::new();
    let mut files = vec![PathBuf::from("Cargo.lock"), PathBuf::from("proto/xspace.proto")];
    collect(Path::new("src"), &mut files)?;
    files.sort();
    for file in files {
        file.to_string_lossy().hash(&mut hasher);
        std::fs::read(&file).unwrap_or_default().hash(&mut hasher);
    }
    println!("cargo:rustc-env=ROOFLIGHT_BUILD={:016x}", hasher.finish());
    Ok(())
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
