//! Paths on the command line → inputs. Folders are walked; what is in the files is reported later, by content.

use rooflight::protocol::Failure;
use rooflight::session::Input;
use rooflight::session::open::no_capture;
use rooflight::source::FileSource;
use std::path::{Path, PathBuf};

/// Files in a folder, at most.
const MAX_FILES: usize = 10_000;

/// Opens everything that was named.
pub fn inputs(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut files = Vec::new();
            collect(path, &mut files).map_err(|e| failed(path, &e))?;
            files.sort();
            if files.is_empty() {
                return Err(no_capture(0, Vec::new()));
            }
            // One file in a folder is still a folder: what is no capture is skipped, not complained about.
            for file in files {
                inputs.push(Input { from_folder: true, ..input(&file)? });
            }
        } else {
            inputs.push(input(path)?);
        }
    }
    Ok(inputs)
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        // Links are not followed: a folder may link to itself.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && files.len() < MAX_FILES {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn input(path: &Path) -> Result<Input, Failure> {
    let source = FileSource::open(path).map_err(|e| failed(path, &e))?;
    Ok(Input { name: path.display().to_string(), source: Box::new(source), from_folder: false })
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "There is no such file or folder; check the path".to_owned(),
        std::io::ErrorKind::PermissionDenied => "You are not allowed to read it; check its permissions".to_owned(),
        _ => format!("The system says: {error}"),
    };
    Failure { title: format!("{} could not be opened", path.display()), message: format!("{why}.") }
}
