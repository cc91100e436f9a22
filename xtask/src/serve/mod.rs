//! A static file server for one's own machine, as plain as the hosts that the page is made for: no headers that
//! a static host would not send (so no COOP, no COEP), and nothing outside its folder.
//!
//! Must not know Rooflight: it serves files.

mod path;

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::{io, thread};

use anyhow::{Context, Result};
use tiny_http::{Header, Method, Request, Response, Server};

/// Tried first, so that what the page remembers for its origin is there again the next time.
const USUAL_PORT: u16 = 8417;

/// Serves `folder` on this machine until the process is stopped.
pub fn forever(folder: &Path, port: Option<u16>) -> Result<()> {
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let listener = listen(port)?;
    let address = listener.local_addr()?;
    let server = Server::from_listener(listener, None).map_err(|error| anyhow::anyhow!(error))?;
    println!("Rooflight is at http://{address}/ (Ctrl-C stops it)");
    // A browser asks for several files at once; a large one must not hold up the others.
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for request in server.incoming_requests() {
                    if let Err(error) = answer(request, &folder) {
                        eprintln!("{error}");
                    }
                }
            });
        }
    });
    Ok(())
}

fn listen(port: Option<u16>) -> Result<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    match port {
        Some(port) => bind(port).with_context(|| format!("port {port}")),
        None => bind(USUAL_PORT).or_else(|_| bind(0)).context("no free port"),
    }
}

fn answer(request: Request, folder: &Path) -> io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(Response::empty(405));
    }
    match find(request.url(), folder) {
        Some((file, mime)) => request.respond(
            Response::from_file(file)
                .with_header(header("Content-Type", mime))
                .with_header(header("Cache-Control", "no-cache")),
        ),
        None => request.respond(Response::from_string("not found\n").with_status_code(404)),
    }
}

fn find(target: &str, folder: &Path) -> Option<(File, &'static str)> {
    // A link inside the folder may lead out of it: what counts is where the file really is.
    let path = folder.join(path::relative(target)?).canonicalize().ok()?;
    if !path.starts_with(folder) || !path.is_file() {
        return None;
    }
    let mime = path::mime(path.extension()?.to_str()?);
    Some((File::open(path).ok()?, mime))
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("both are plain ASCII")
}
