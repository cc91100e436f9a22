//! This module downloads files with `curl`, and checks their content.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::process;

/// Downloads the file at `address` to `path`. The folder of `path` is made if it is absent.
///
/// # Errors
/// If there is no `curl` or no network, if the server answers with an error, or if the content has another SHA-256 than `sha256`, in
/// hexadecimal digits. Nothing is left at `path` then.
pub fn download(address: &str, sha256: &str, path: &Path) -> Result<()> {
    let curl = process::find_program(&["curl"]).context("downloads need curl: install it")?;
    fs::create_dir_all(path.parent().context("no folder")?)?;
    let unfinished = path.with_extension("part");
    let mut curl = Command::new(curl);
    curl.args(["--fail", "--location", "--silent", "--show-error", "--connect-timeout", "10", "--retry", "2"]);
    let got = process::run(curl.args(["--output".as_ref(), unfinished.as_os_str(), address.as_ref()]))
        .and_then(|()| check(&unfinished, sha256));
    if let Err(error) = got {
        let _ = fs::remove_file(&unfinished);
        return Err(error.context(format!("{address} could not be downloaded")));
    }
    Ok(fs::rename(&unfinished, path)?)
}

/// Checks that a file has the SHA-256 `wanted`.
pub fn check(path: &Path, wanted: &str) -> Result<()> {
    let found = sha256(path)?;
    if found == wanted { Ok(()) } else { bail!("the SHA-256 of its content is {found}, and not {wanted}") }
}

/// Returns the SHA-256 of a file in hexadecimal digits.
pub fn sha256(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    /// Serves `content` at `/there` until the test ends. Returns the address of the server.
    pub fn serve(content: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(&stream).lines();
                let first = lines.next().unwrap().unwrap();
                let _ = lines.find(|line| line.as_ref().is_ok_and(String::is_empty));
                let (status, body) =
                    if first.starts_with("GET /there") { ("200 OK", content) } else { ("404 Not Found", &b""[..]) };
                let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
            }
        });
        format!("http://{address}")
    }

    /// The SHA-256 of `hello`.
    pub const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    #[test]
    fn only_the_right_content_is_kept() {
        let (server, folder) = (serve(b"hello"), tempfile::tempdir().unwrap());
        let path = folder.path().join("deep/er/file");
        download(&format!("{server}/there"), HELLO, &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"hello");
        let other = folder.path().join("other");
        let wrong = HELLO.replace('2', "3");
        let error = download(&format!("{server}/there"), &wrong, &other).unwrap_err();
        assert!(format!("{error:#}").contains(&format!("is {HELLO}, and not {wrong}")), "{error:#}");
        let error = download(&format!("{server}/elsewhere"), HELLO, &other).unwrap_err();
        assert!(format!("{error:#}").contains("/elsewhere could not be downloaded"), "{error:#}");
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert!(download(&format!("http://{nobody}/there"), HELLO, &other).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left of what failed");
    }
}
