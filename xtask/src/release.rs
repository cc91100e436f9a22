//! This module makes the files of a release in `target/release-files`, and checks each of them. It publishes nothing:
//! `.github/workflows/release.yml` runs the same parts on each system, and publishes what they made.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use toml::{Table, Value};

use crate::npm::empty;
use crate::page::{self, Build};
use crate::{download, npm, process, python, repo, tools};

/// The file with the checksums, in the format of `sha256sum`.
const CHECKSUMS: &str = "SHA256SUMS";
/// The samples that a program must open.
const SAMPLE: &str = "samples/sample.xplane.pb.xz";

/// A part of a release. Parts run in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Part {
    /// All manifests and the changelog have the same version
    Versions,
    /// The page, as an archive for any static host
    Page,
    /// The command line for this system
    Archive,
    /// The wheel for this system, with the page in dist/
    Wheel,
    /// The package for npm
    Npm,
    /// The crates for crates.io, compiled as users get them
    Crates,
    /// A software bill of materials in CycloneDX
    Sbom,
    /// The checksums of all files
    Checksums,
}

/// Makes the parts, or all if there is none. `tag` is the tag of the release, if there is one already.
pub fn run(parts: &[Part], tag: Option<&str>) -> Result<()> {
    let version = versions(tag)?;
    let out = repo::target()?.join("release-files");
    if parts.is_empty() {
        // Files of an earlier version would get checksums too.
        empty(&out)?;
    }
    fs::create_dir_all(&out)?;
    let mut parts = if parts.is_empty() { Part::value_variants().to_vec() } else { parts.to_vec() };
    parts.sort_unstable();
    for part in parts {
        println!(
            "{}",
            match part {
                Part::Versions => format!("version {version}"),
                Part::Page => page_archive(&out, &version)?,
                Part::Archive => archive(&out, &version)?,
                Part::Wheel => wheel(&out, &version)?,
                Part::Npm => npm_package(&out)?,
                Part::Crates => crates(&out, &version)?,
                Part::Sbom => sbom(&out)?,
                Part::Checksums => checksums(&out)?,
            }
        );
    }
    Ok(())
}

/// Returns the version that all manifests have.
fn versions(tag: Option<&str>) -> Result<String> {
    let root = repo::root();
    let read = |path: &str| fs::read_to_string(root.join(path)).with_context(|| path.to_owned());
    let manifest: Table = read("Cargo.toml")?.parse()?;
    let version = text(&manifest["package"]["version"])?;
    let reader = text(&manifest["dependencies"]["xla-profile"]["version"])?;
    ensure!(reader == version, "Cargo.toml names xla-profile {reader}, and the version is {version}");
    for name in ["crates/xla-profile", "crates/rooflight-python", "crates/rooflight-js"] {
        let other: Table = read(&format!("{name}/Cargo.toml"))?.parse()?;
        let other = text(&other["package"]["version"])?;
        ensure!(other == version, "{name} has the version {other}, and the root {version}");
    }
    let pyproject: Table = read("crates/rooflight-python/pyproject.toml")?.parse()?;
    let dynamic = pyproject["project"]["dynamic"].as_array().is_some_and(|list| list.contains(&"version".into()));
    ensure!(dynamic, "the wheel does not take its version from Cargo.toml");
    let package = read("crates/rooflight-js/package/package.json")?;
    ensure!(
        package.contains(&format!("\"version\": \"{version}\"")),
        "package.json has another version than {version}"
    );
    if let Some(tag) = tag {
        ensure!(tag.strip_prefix('v') == Some(&version), "the tag is {tag}, and the version is {version}");
    }
    let changelog = read("CHANGELOG.md")?;
    let has = |heading: &str| changelog.lines().any(|line| line.starts_with(&format!("## {heading}")));
    let heading = if tag.is_some() { version.as_str() } else { "Unreleased" };
    ensure!(has(&version) || has(heading), "CHANGELOG.md has no section {heading}");
    Ok(version)
}

fn text(value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).context("a version is no text")
}

/// Packs the page in `dist/`, which is built anew.
fn page_archive(out: &Path, version: &str) -> Result<String> {
    page::build(Build::Release, &repo::dist())?;
    page::size::check(&repo::dist())?;
    let name = format!("rooflight-page-{version}.tar.gz");
    process::run(tar(out, "-czf", &name, &repo::dist()).arg("."))?;
    Ok(name)
}

/// Packs the command line with its licences, and runs the program that the archive contains.
fn archive(out: &Path, version: &str) -> Result<String> {
    let rustc = process::output_of(Command::new("rustc").arg("-vV")).context("no rustc")?;
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let name = format!("rooflight-{version}-{host}");
    let args = ["build", "--release", "--locked", "--bin", "rooflight", "--features", "fleet"];
    process::run(process::cargo().current_dir(repo::root()).args(args))?;
    let scratch = repo::target()?.join("release-archive");
    let (folder, program) = (scratch.join(&name), format!("rooflight{}", env::consts::EXE_SUFFIX));
    empty(&folder)?;
    let files = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md", "docs/CLI.md"]
        .map(|file| repo::root().join(file));
    for file in files.into_iter().chain([repo::target()?.join("release").join(&program)]) {
        fs::copy(&file, folder.join(file.file_name().unwrap_or_default()))?;
    }
    let archive = format!("{name}.tar.gz");
    process::run(tar(out, "-czf", &archive, &scratch).arg(&name))?;
    let user = scratch.join("user");
    empty(&user)?;
    process::run(&mut tar(out, "-xzf", &archive, &user))?;
    let program = user.join(&name).join(program);
    let printed = process::output_of(Command::new(&program).arg("--version"));
    ensure!(printed == Some(format!("rooflight {version}")), "the program prints the version {printed:?}");
    let verdict = process::output_of(Command::new(&program).arg("overview").arg(repo::root().join(SAMPLE)));
    ensure!(verdict.is_some_and(|text| !text.is_empty()), "the program does not open the sample");
    Ok(archive)
}

/// Builds the wheel, installs it into a fresh environment, and opens the sample.
fn wheel(out: &Path, version: &str) -> Result<String> {
    let wheel = python::build("release")?;
    let python = python::install(&wheel)?;
    let code =
        "import rooflight, sys; assert rooflight.open(sys.argv[1]).overview()['verdict']; print(rooflight.__version__)";
    let printed = process::output_of(Command::new(python).args(["-c", code]).arg(repo::root().join(SAMPLE)));
    ensure!(printed.as_deref() == Some(version), "the wheel has the version {printed:?}");
    store(&wheel, out)
}

fn npm_package(out: &Path) -> Result<String> {
    let archive = npm::pack()?;
    process::run(npm::npm()?.args(["publish", "--dry-run", "--access", "public"]).arg(&archive))?;
    store(&archive, out)
}

/// Packs the crates and compiles them as they are packed.
fn crates(out: &Path, version: &str) -> Result<String> {
    let names = ["xla-profile", "rooflight"];
    let mut cargo = process::cargo();
    cargo.current_dir(repo::root()).args(["package", "--locked", "--allow-dirty"]);
    process::run(cargo.args(names.iter().flat_map(|name| ["--package", name])))?;
    let stored = names.map(|name| store(&repo::target()?.join(format!("package/{name}-{version}.crate")), out));
    Ok(stored.into_iter().collect::<Result<Vec<_>>>()?.join("\n"))
}

/// Writes a bill of materials for each package that users get, and checks that it has all crates that the package is
/// built from.
fn sbom(out: &Path) -> Result<String> {
    let root = repo::root();
    let mut cyclonedx = Command::new(tools::cyclonedx()?);
    cyclonedx.current_dir(&root).args(["cyclonedx", "--format", "json", "--target", "all", "--all-features"]);
    process::run(cyclonedx.args(["--override-filename", "release.cdx"]))?;
    let mut written = Vec::new();
    // The program writes a file for each member of the workspace.
    for folder in [".", "crates/rooflight-python", "crates/rooflight-js", "crates/xla-profile", "xtask"] {
        let made = root.join(folder).join("release.cdx.json");
        let text = fs::read_to_string(&made).with_context(|| made.display().to_string())?;
        fs::remove_file(&made)?;
        let name = if folder == "." { "rooflight" } else { folder.rsplit('/').next().unwrap_or_default() };
        if !name.starts_with("rooflight") {
            continue;
        }
        let missing: Vec<String> = crates_of(name)?.into_iter().filter(|purl| !names(&text, purl)).collect();
        ensure!(missing.is_empty(), "the bill of materials of {name} lacks {}", missing.join(", "));
        fs::write(out.join(format!("{name}.cdx.json")), text)?;
        written.push(format!("{name}.cdx.json"));
    }
    Ok(written.join("\n"))
}

/// Returns whether a bill of materials has a package URL, which ends there or has qualifiers after it.
fn names(text: &str, purl: &str) -> bool {
    text.match_indices(purl).any(|(start, _)| text[start + purl.len()..].starts_with(['"', '?']))
}

/// Returns the crates that a package is built from on any system, as package URLs.
fn crates_of(name: &str) -> Result<Vec<String>> {
    let mut tree = process::cargo();
    tree.current_dir(repo::root()).args(["tree", "--locked", "--all-features", "--target", "all"]);
    tree.args(["--edges", "normal,build", "--prefix", "none", "--format", "{p}", "--package", name]);
    let list = process::output_of(&mut tree).context("`cargo tree` fails")?;
    let crates: BTreeSet<String> = list
        .lines()
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, rest)| format!("pkg:cargo/{name}@{}", rest.split(' ').next().unwrap_or_default()))
        .collect();
    ensure!(crates.len() > 20, "`cargo tree` lists {} crates for {name}", crates.len());
    Ok(crates.into_iter().collect())
}

/// Writes the checksums of all files, and reads them back.
fn checksums(out: &Path) -> Result<String> {
    let mut files: Vec<PathBuf> = fs::read_dir(out)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|path| path.file_name().is_some_and(|name| name != CHECKSUMS));
    files.sort();
    let mut list = String::new();
    for path in &files {
        let sum = download::sha256(path)?;
        writeln!(list, "{sum}  {}", path.file_name().unwrap_or_default().to_string_lossy())?;
    }
    fs::write(out.join(CHECKSUMS), &list)?;
    if let Some(program) = process::find_program(&["sha256sum"]) {
        process::run(Command::new(program).current_dir(out).args(["--check", "--quiet", CHECKSUMS]))?;
    }
    Ok(list.trim_end().to_owned())
}

/// Copies a file into the folder of the release. Returns its name.
fn store(file: &Path, out: &Path) -> Result<String> {
    let name = file.file_name().context("a file has no name")?;
    fs::copy(file, out.join(name)).with_context(|| file.display().to_string())?;
    Ok(name.to_string_lossy().into_owned())
}

/// Returns a command that writes or reads an archive of the folder `files`. The archive is named without its path, because
/// the `tar` of Git on Windows takes a drive for a host.
fn tar(out: &Path, action: &str, archive: &str, files: &Path) -> Command {
    let mut tar = Command::new("tar");
    tar.current_dir(out).args([action, archive, "-C"]).arg(files);
    tar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_not_the_start_of_another() {
        let text = r#""purl": "pkg:cargo/a@1.0.10", "purl": "pkg:cargo/b@1.0.1?download_url=file://.""#;
        assert!(names(text, "pkg:cargo/a@1.0.10") && names(text, "pkg:cargo/b@1.0.1"));
        assert!(!names(text, "pkg:cargo/a@1.0.1") && !names(text, "pkg:cargo/c@1.0.1"));
    }

    #[test]
    fn all_manifests_have_one_version() {
        let version = versions(None).unwrap();
        assert!(versions(Some(&format!("w{version}"))).is_err());
        assert!(versions(Some("v999.0.0")).unwrap_err().to_string().contains("999"));
    }
}
