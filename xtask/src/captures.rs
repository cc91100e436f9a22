//! This module lists the captures of other projects that tests use (`tests/captures.toml`), and copies or downloads them into a folder.

use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context, Result, bail};
use toml::Table;

use crate::{download, repo};

/// Where files of GitHub are.
const GITHUB: &str = "https://raw.githubusercontent.com";

/// A file that tests use.
struct CaptureFile {
    /// The path in the folder of captures.
    name: String,
    bytes: u64,
    sha256: String,
    /// Where the file can be downloaded. `None` if no public copy is known.
    source: Option<String>,
    /// Where the file comes from, in words.
    origin: String,
}

impl CaptureFile {
    fn read(table: &Table) -> Result<Self> {
        let text = |key: &str| table.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        let need = |key: &str| text(key).with_context(|| format!("a file of tests/captures.toml has no {key}"));
        let source = || Some(format!("{}/{}/{}", text("repository")?, text("commit")?, text("path")?));
        let origin = match (text("repository"), text("made_with")) {
            (Some(repository), _) => {
                let place = text("commit").zip(text("path"));
                let place = place.map(|(commit, path)| format!(" {commit} {path}")).unwrap_or_default();
                format!("{repository}{place}, {}", need("licence")?)
            }
            (None, Some(program)) => format!("made with {program}"),
            (None, None) => bail!("{} has no origin in tests/captures.toml", need("name")?),
        };
        Ok(Self {
            name: need("name")?,
            bytes: table.get("bytes").and_then(toml::Value::as_integer).unwrap_or_default().try_into()?,
            sha256: need("sha256")?,
            source: source(),
            origin,
        })
    }

    fn is_in(&self, folder: &Path) -> bool {
        download::check(&folder.join(&self.name), &self.sha256).is_ok()
    }
}

fn files() -> Result<Vec<CaptureFile>> {
    let table: Table = fs::read_to_string(repo::root().join("tests/captures.toml"))?.parse()?;
    let files = table.get("file").and_then(|files| files.as_array()).context("tests/captures.toml lists no file")?;
    files.iter().map(|file| CaptureFile::read(file.as_table().context("a file is no table")?)).collect()
}

/// Prints where each file comes from, and whether the folder of captures has it.
pub fn list() -> Result<()> {
    let (files, folder) = (files()?, repo::profiles());
    let mut text = String::new();
    for file in &files {
        let there = folder.as_ref().is_some_and(|folder| file.is_in(folder));
        let state = if there { "there" } else { "absent" };
        let CaptureFile { name, origin, bytes, sha256, .. } = file;
        writeln!(text, "{name}\n    {origin}\n    {bytes} bytes, SHA-256 {sha256}, {state}")?;
    }
    text += "\n";
    text += &match folder {
        Some(folder) => format!("Tests read these files in {}.\n", folder.display()),
        None => "There is no folder of captures, so the tests that need it are ignored. Get it with: cargo xtask captures --to FOLDER\n"
            .to_owned(),
    };
    // The reader of a pipe may need only the first lines.
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Puts all files into `to`: from the folder `from`, or from GitHub without one.
pub fn get(to: &Path, from: Option<&Path>) -> Result<()> {
    let missing = get_files(&files()?, to, from, GITHUB)?;
    if !missing.is_empty() {
        println!("No public copy is known of these files, and the native tests that need them fail:");
        missing.iter().for_each(|name| println!("    {name}"));
    }
    println!("Run the tests with these captures: ROOFLIGHT_PROFILES={} cargo xtask test", to.canonicalize()?.display());
    Ok(())
}

/// Does the same as [`get`]. Returns the names of the files without a public copy.
fn get_files(files: &[CaptureFile], to: &Path, from: Option<&Path>, server: &str) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for file in files.iter().filter(|file| !file.is_in(to)) {
        let path = to.join(&file.name);
        match (from, &file.source) {
            (Some(from), _) => copy(&from.join(&file.name), &path, &file.sha256)?,
            (None, Some(source)) => download::download(&format!("{server}/{source}"), &file.sha256, &path)?,
            (None, None) => missing.push(file.name.clone()),
        }
    }
    Ok(missing)
}

fn copy(from: &Path, to: &Path, sha256: &str) -> Result<()> {
    download::check(from, sha256).with_context(|| format!("{} is another file", from.display()))?;
    fs::create_dir_all(to.parent().context("no folder")?)?;
    fs::copy(from, to).with_context(|| format!("{} cannot be written", to.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::download::tests::{HELLO, serve};
    use std::collections::BTreeSet;

    fn file(name: &str, source: Option<&str>) -> CaptureFile {
        let source = source.map(str::to_owned);
        CaptureFile { name: name.to_owned(), bytes: 5, sha256: HELLO.to_owned(), source, origin: String::new() }
    }

    #[test]
    fn files_are_downloaded_or_copied() {
        let (server, folder) = (serve(b"hello"), tempfile::tempdir().unwrap());
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        let listed = [file("tpu/a.pb", Some("there")), file("tpu/xprof/b.json", None)];
        let missing = get_files(&listed, &first, None, &server).unwrap();
        assert_eq!(missing, ["tpu/xprof/b.json"]);
        assert_eq!(fs::read(first.join("tpu/a.pb")).unwrap(), b"hello");
        // What is there is not downloaded again: this server has no such file.
        assert!(get_files(&listed[..1], &first, None, &format!("{server}/no")).unwrap().is_empty());
        assert!(get_files(&listed, &second, Some(&first), &server).is_err(), "a file that is absent there");
        fs::create_dir_all(first.join("tpu/xprof")).unwrap();
        fs::write(first.join("tpu/xprof/b.json"), "hello").unwrap();
        assert!(get_files(&listed, &second, Some(&first), &server).unwrap().is_empty());
        assert_eq!(fs::read(second.join("tpu/xprof/b.json")).unwrap(), b"hello");
        fs::write(first.join("tpu/a.pb"), "other").unwrap();
        let error = get_files(&listed, &folder.path().join("third"), Some(&first), &server).unwrap_err();
        assert!(format!("{error:#}").contains("a.pb is another file"), "{error:#}");
    }

    #[test]
    fn most_captures_can_be_downloaded() {
        let listed = files().unwrap();
        assert!(listed.iter().filter(|file| file.source.is_some()).count() >= 10);
        assert!(listed.iter().all(|file| file.bytes > 0 && file.sha256.len() == 64));
    }

    /// The folder of captures has exactly the files that are listed, and those that this repository has, too.
    #[test]
    #[ignore = "needs captures of other projects"]
    fn the_list_is_complete() {
        let (listed, folder) = (files().unwrap(), repo::profiles().unwrap());
        for file in &listed {
            let path = folder.join(&file.name);
            assert_eq!((fs::metadata(&path).unwrap().len(), file.is_in(&folder)), (file.bytes, true), "{}", file.name);
        }
        let mut found = BTreeSet::new();
        let mut folders = vec![folder.clone()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/");
                let is_ours = ["cpu-jax", "tpu-aot", "README.md"].iter().any(|own| name.starts_with(own));
                if path.is_dir() {
                    folders.push(path);
                } else if !is_ours {
                    found.insert(name);
                }
            }
        }
        assert_eq!(found, listed.into_iter().map(|file| file.name).collect());
    }
}
