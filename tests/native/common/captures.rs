//! This module finds captures for tests: those of this repository (`samples/`), and captures of other projects, which
//! are not part of the repository and need not be there.

use std::fs;
use std::path::{Path, PathBuf};
use xla_profile::source;

/// The captures of this repository that tests read as XSpaces, and then those of other projects.
pub const XSPACES: [&str; 7] = [
    "sample.xplane.pb",
    "gpu/xla.graphs.xplane.pb",
    "gpu/cudnn.kernels.xplane.pb",
    "cpu-jax/vm.xplane.pb",
    V6E,
    "gpu-v100/host.xplane.pb",
    "gpu-mi300/gemm.xplane.pb",
];

/// The captures with golden files.
pub const GOLDEN: [&str; 4] = [V6E, "cpu-jax/vm.xplane.pb", "gpu-v100/host.xplane.pb", "gpu-mi300/gemm.xplane.pb"];

/// A capture of four TPUs v6e, of another project.
pub const V6E: &str = "tpu-v6e-host-offload/host.xplane.pb";

/// No unpacked capture is larger.
const LARGEST: u64 = 1 << 30;

/// Returns the folder of captures of other projects, `$ROOFLIGHT_PROFILES`. Without this variable, returns `None` and prints
/// a message.
///
/// # Panics
/// Panics if the folder does not exist.
pub fn profiles() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("ROOFLIGHT_PROFILES").map(PathBuf::from) else {
        eprintln!("SKIPPED 1: ROOFLIGHT_PROFILES names no folder of captures of other projects");
        return None;
    };
    assert!(folder.is_dir(), "ROOFLIGHT_PROFILES: {} is no folder", folder.display());
    Some(folder)
}

/// Reads a capture, such as `cpu-jax/vm.xplane.pb`: from this repository, unpacked, or from the captures of other
/// projects. If neither has the capture because that folder does not exist, returns `None` and prints a message.
pub fn profile(name: &str) -> Option<Vec<u8>> {
    if let Some(own) = sample(name) {
        return Some(own);
    }
    let path = profiles()?.join(name);
    Some(fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Returns the path of a capture that [`profile`] can read. A capture that this repository holds packed is unpacked
/// into the folder for temporary files of tests.
pub fn path(name: &str) -> Option<PathBuf> {
    let Some(bytes) = sample(name) else { return Some(profiles()?.join(name)) };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("captures").join(name);
    // Another test may read the file, so that a file with these bytes is left alone, and any other is replaced whole.
    if fs::read(&path).is_ok_and(|found| found == bytes) {
        return Some(path);
    }
    let folder = path.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    let unfinished = tempfile::NamedTempFile::new_in(folder).unwrap();
    fs::write(unfinished.path(), bytes).unwrap();
    unfinished.persist(&path).unwrap();
    Some(path)
}

/// Returns all captures of [`XSPACES`] that are there, with their names.
pub fn xspaces() -> Vec<(&'static str, Vec<u8>)> {
    let found = XSPACES.into_iter().filter_map(|name| Some((name, profile(name)?))).collect::<Vec<_>>();
    assert!(found.len() >= 4, "the captures of this repository are there");
    found
}

/// Reads a file of `samples/`, and unpacks it if only a packed form is there.
fn sample(name: &str) -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    let packed = |end: &str| fs::read(format!("{}.{end}", path.display())).ok();
    fs::read(&path)
        .ok()
        .or_else(|| Some(source::inflate(&packed("xz")?, source::XZ.into(), LARGEST, &mut |_| {}).bytes))
        .or_else(|| Some(source::inflate_slice(&packed("gz")?, LARGEST).bytes))
}
