//! This module lists archives of built tools, with the SHA-256 that is published beside each archive. A system without an archive builds
//! the tool from source.

use std::env::consts::{ARCH, OS};

use super::Tool;

/// An archive of one version for one system.
struct Archive {
    program: &'static str,
    version: &'static str,
    os: &'static str,
    arch: &'static str,
    /// The name of the archive, without the name and the version of the tool.
    name: &'static str,
    sha256: &'static str,
}

const fn trunk(os: &'static str, arch: &'static str, name: &'static str, sha256: &'static str) -> Archive {
    Archive { program: "trunk", version: "0.21.14", os, arch, name, sha256 }
}

const fn wasm_bindgen(os: &'static str, arch: &'static str, name: &'static str, sha256: &'static str) -> Archive {
    Archive { program: "wasm-bindgen", version: "0.2.126", os, arch, name, sha256 }
}

#[rustfmt::skip]
const ARCHIVES: [Archive; 8] = [
    trunk("linux", "x86_64", "x86_64-unknown-linux-gnu.tar.gz", "f2b4680cd239693a646a2795e4633c625328d7b2a044fbe749fa3a2fe9e7036b"),
    trunk("linux", "aarch64", "aarch64-unknown-linux-gnu.tar.gz", "b1d8e60e454f7fc182d9a4d95d1506ffbae947d8ba90f8f6f02da93b60f980f9"),
    trunk("macos", "x86_64", "x86_64-apple-darwin.tar.gz", "f1ba0e3bbe24e0ae219c6d22c33e24e2825c1608dd27c2556e323495110f1a95"),
    trunk("macos", "aarch64", "aarch64-apple-darwin.tar.gz", "764e299dd50d89442a4e96a236349f57961984b701e74d3dbdb39cd1c9f5101e"),
    trunk("windows", "x86_64", "x86_64-pc-windows-msvc.zip", "cd6ac15b9daff0365e5695036791ef2ce3c63f61c014f5a8c532363266e4569c"),
    wasm_bindgen("linux", "x86_64", "x86_64-unknown-linux-musl.tar.gz", "064948d58e2d6c0a745216477a639ba696216d6309aaa902939d1b865b1d869d"),
    wasm_bindgen("linux", "aarch64", "aarch64-unknown-linux-musl.tar.gz", "96864b3992ad45536deb59fc62edc5b845376b7d8b4ac670a6bdab4ab8d2c657"),
    wasm_bindgen("windows", "x86_64", "x86_64-pc-windows-msvc.tar.gz", "5a3773c7e69cfb2d865e235e9210de184c8c3af1787720646ec1a8bbe09c6179"),
];

/// Returns the address and the SHA-256 of an archive of `tool` for this system.
pub(super) fn archive(tool: &Tool) -> Option<(String, &'static str)> {
    let is_right = |archive: &&Archive| {
        (archive.program, archive.version, archive.os, archive.arch) == (tool.program, tool.version.as_str(), OS, ARCH)
    };
    let Archive { version, name, sha256, .. } = ARCHIVES.iter().find(is_right)?;
    let address = match tool.program {
        "trunk" => format!("https://github.com/trunk-rs/trunk/releases/download/v{version}/trunk-{name}"),
        program => format!(
            "https://github.com/wasm-bindgen/wasm-bindgen/releases/download/{version}/{program}-{version}-{name}"
        ),
    };
    Some((address, sha256))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of another version than the one in use is never downloaded.
    #[test]
    fn archives_are_of_the_versions_in_use() {
        for archive in &ARCHIVES {
            let version = if archive.program == "trunk" {
                super::super::TRUNK.to_owned()
            } else {
                super::super::wasm_bindgen_version().unwrap()
            };
            assert_eq!(archive.version, version, "{}", archive.program);
            assert!(archive.sha256.len() == 64 && archive.sha256.bytes().all(|digit| digit.is_ascii_hexdigit()));
        }
    }
}
