//! Compiles `proto/` (in Rust: no protoc needed) and stamps the build.
//!
//! The stamp is a hash of the sources that page and worker have in common: the first message between them compares it. What only
//! the page is made of is left out, so that an edit of a view builds no worker.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

const PROTOS: [&str; 2] = ["proto/hlo.proto", "proto/xspace.proto"];

/// Folders of `src/` that only the page or a program's start is made of.
const PAGE: [&str; 3] = ["bin", "chart", "view"];

const RARE: [&str; 11] = [
    "HloInstructionProto.literal",
    "HloInstructionProto.window",
    "HloInstructionProto.convolution_dimension_numbers",
    "HloInstructionProto.padding_config",
    "HloInstructionProto.dot_dimension_numbers",
    "HloInstructionProto.frontend_attributes",
    "HloInstructionProto.metadata",
    "HloInstructionProto.collective_device_list",
    "HloInstructionProto.iota_collective_device_list",
    "HloInstructionProto.mesh_axes_replica_group_list",
    "ShapeProto.layout",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    println!("cargo:rerun-if-changed=Cargo.lock");

    let descriptors = protox::compile(PROTOS, ["proto"])?;
    let mut config = prost_build::Config::new();
    config.btree_map(["."]);
    // Few instructions have these; inline, they would make each of them half a kilobyte larger.
    for part in RARE {
        config.boxed(format!(".rooflight.hlo.{part}"));
    }
    config.compile_fds(descriptors)?;

    let mut hasher = DefaultHasher::new();
    let mut files: Vec<PathBuf> = PROTOS.iter().chain(&["Cargo.lock"]).map(PathBuf::from).collect();
    for entry in std::fs::read_dir("src")? {
        let path = entry?.path();
        if !PAGE.iter().any(|name| path.ends_with(name)) {
            println!("cargo:rerun-if-changed={}", path.display());
            collect(&path, &mut files)?;
        }
    }
    files.sort();
    for file in files {
        file.to_string_lossy().hash(&mut hasher);
        std::fs::read(&file).unwrap_or_default().hash(&mut hasher);
    }
    println!("cargo:rustc-env=ROOFLIGHT_BUILD={:016x}", hasher.finish());
    Ok(())
}

/// Adds a file, or all files of a folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    std::fs::read_dir(path)?.try_for_each(|entry| collect(&entry?.path(), files))
}
