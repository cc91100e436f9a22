//! This module reads a pipe to its end. A pipe has no size and cannot be read twice, so its bytes are kept in memory.

use crate::protocol::Failure;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The largest number of bytes that are read.
const MAX_BYTES: u64 = 4 << 30;
/// The longest time to wait until a program opens the other end. A shell opens it before it starts this program.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the bytes of a pipe.
///
/// # Errors
/// If no program writes to the pipe, or if it cannot be read.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_within(path, PATIENCE, MAX_BYTES)
}

fn read_within(path: &Path, patience: Duration, max_bytes: u64) -> Result<Vec<u8>, Failure> {
    let failed = |why: String| Failure {
        title: format!("{} could not be read", path.display()),
        message: format!("It is a pipe, and {why}."),
    };
    let file = open(path, patience).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => {
            failed(format!("no program has opened it to write within {} seconds", patience.as_secs()))
        }
        _ => failed(format!("the system says: {error}")),
    })?;
    let mut bytes = Vec::new();
    let read = file.take(max_bytes + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(format!("the system says: {error}")))?;
    if bytes.len() as u64 > max_bytes {
        return Err(failed(format!(
            "it has more than {} GiB, which would all be in memory; write it to a file first",
            max_bytes >> 30
        )));
    }
    Ok(bytes)
}

/// Opens a pipe. The system waits until another program opens it to write, so a thread of its own opens it.
fn open(path: &Path, patience: Duration) -> io::Result<File> {
    let (opened, is_open) = channel();
    let path = path.to_owned();
    std::thread::Builder::new().name("pipe".to_owned()).spawn(move || {
        // Nobody receives the file if it comes too late.
        let _ = opened.send(File::open(path));
    })?;
    is_open.recv_timeout(patience).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => Err(io::ErrorKind::TimedOut.into()),
        RecvTimeoutError::Disconnected => Err(io::Error::other("the thread that opens it has ended")),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Command;

    fn pipe(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    #[test]
    fn a_pipe_is_read_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        let bytes: Vec<u8> = (0..300_000_u32).map(|i| (i % 251) as u8).collect();
        let (writer, written) = (path.clone(), bytes.clone());
        let thread = std::thread::spawn(move || std::fs::write(writer, written));
        assert_eq!(read(&path).ok(), Some(bytes));
        thread.join().unwrap().unwrap();
    }

    #[test]
    fn a_pipe_without_a_writer_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let failure = read_within(&pipe(folder.path()), Duration::from_millis(20), 10).err().unwrap();
        assert!(failure.message.starts_with("It is a pipe, and no program has opened it"), "{}", failure.message);
    }

    #[test]
    fn a_pipe_without_end_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        let writer = path.clone();
        // The writer fails when the reader has closed the pipe.
        let thread = std::thread::spawn(move || std::fs::write(writer, vec![7; 1 << 20]));
        let failure = read_within(&path, PATIENCE, 10).err().unwrap();
        assert!(failure.message.contains("more than"), "{}", failure.message);
        assert!(thread.join().unwrap().is_err());
    }
}
