//! This module turns the paths on the command line into inputs. It walks folders. It does not check the types of files:
//! the session detects their formats by content.

#[cfg(not(target_arch = "wasm32"))]
use super::pipe;
use crate::protocol::Failure;
use crate::session::Input;
use crate::session::open::no_capture;
use std::path::{Path, PathBuf};
#[cfg(not(target_arch = "wasm32"))]
use xla_profile::source::{FileSource, Source};

/// The largest number of files that are taken from one folder and its subfolders.
const MAX_FILES: usize = 10_000;

/// Opens the inputs that paths stand for. It is `inputs` of this module, unless a program has the files in memory.
pub type Inputs<'a> = &'a dyn Fn(&[PathBuf]) -> Result<Vec<Input>, Failure>;

/// Opens every file in `paths`, and the files of every folder.
///
/// # Errors
/// Returns a [`Failure`] if a path cannot be read, or if a folder holds no file.
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
            // A folder with one file is still a folder: the session skips a file of a folder that is no capture, and
            // reports no error.
            for file in files {
                inputs.push(Input { from_folder: true, ..input(&file)? });
            }
        } else {
            inputs.push(input(path)?);
        }
    }
    Ok(inputs)
}

/// Returns whether a path is one of the files to read, or lies in a folder of them.
pub fn is_input(inputs: &[PathBuf], path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let inputs = inputs.iter().filter_map(|file| file.canonicalize().ok());
    inputs.into_iter().any(|input| path == input || input.is_dir() && path.starts_with(input))
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        // Symbolic links are not followed, because a folder may link to itself.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && files.len() < MAX_FILES {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Returns the error of a platform without files: programs there pass the bytes of captures in place of paths.
#[cfg(target_arch = "wasm32")]
fn input(path: &Path) -> Result<Input, Failure> {
    Err(failed(path, &std::io::ErrorKind::Unsupported.into()))
}

#[cfg(not(target_arch = "wasm32"))]
fn input(path: &Path) -> Result<Input, Failure> {
    let source: Box<dyn Source> = match special_file(path) {
        None => Box::new(FileSource::open(path).map_err(|e| failed(path, &e))?),
        Some(SpecialFile::Pipe) => Box::new(pipe::read(path)?),
        Some(SpecialFile::Device) => {
            return Err(Failure {
                title: format!("{} could not be opened", path.display()),
                message: "It is a device or a socket, and no file. Give the path of a capture.".to_owned(),
            });
        }
    };
    Ok(Input { name: path.display().to_string(), source, from_folder: false })
}

/// A path that is neither a file nor a folder.
#[cfg(not(target_arch = "wasm32"))]
enum SpecialFile {
    /// A pipe has no size, and is read to its end: `<(zcat capture.pb.gz)` of a shell, and named pipes.
    Pipe,
    Device,
}

#[cfg(not(target_arch = "wasm32"))]
fn special_file(path: &Path) -> Option<SpecialFile> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = path.metadata().ok()?.file_type();
        if kind.is_fifo() {
            return Some(SpecialFile::Pipe);
        }
        let is_device = kind.is_char_device() || kind.is_block_device() || kind.is_socket();
        is_device.then_some(SpecialFile::Device)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "There is no such file or folder; check the path".to_owned(),
        std::io::ErrorKind::PermissionDenied => "You are not allowed to read it; check its permissions".to_owned(),
        _ => format!("The system says: {error}"),
    };
    Failure { title: format!("{} could not be opened", path.display()), message: format!("{why}.") }
}
