//! These tests run `rooflight report`: the files that it writes, the arguments that it refuses, and that no output
//! holds a source line unless one is requested.

use crate::common::{bytes, make};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::{DeflateDecoder, MultiGzDecoder};
use rooflight::protocol::url::address::PageAddress;
use rooflight::share::{decode_link, unpack};
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::Duration;

/// The address of a page, for links.
const BASE: &str = "https://example.org/rooflight/";

/// A folder with a capture in a folder of its own, in which the program runs.
struct Desk {
    dir: tempfile::TempDir,
    capture: PathBuf,
}

/// Texts that no report may contain: the source file in the small capture, the capture's folder, and a person's folder.
const SECRETS: [&str; 3] = ["model.py", "of-mine", "someone"];

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let capture = dir.path().join("of-mine/small.xplane.pb");
        fs::create_dir(capture.parent().unwrap()).unwrap();
        let mut space = make::small();
        for plane in &mut space.planes {
            // The source line gets a person's folder in front.
            let stats = plane.event_metadata.values_mut().flat_map(|owner| &mut owner.stats);
            for stat in
                stats.chain(plane.lines.iter_mut().flat_map(|line| &mut line.events).flat_map(|owner| &mut owner.stats))
            {
                let Some(xla_profile::wire::proto::xspace::x_stat::Value::StrValue(text)) = &mut stat.value else {
                    continue;
                };
                if text.contains("model.py") {
                    *text = format!("/home/someone/{text}");
                }
            }
        }
        fs::write(&capture, bytes(&space)).unwrap();
        Self { dir, capture }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
        command.current_dir(self.dir.path()).env_remove("ROOFLIGHT_BASE");
        command.arg("report").arg(&self.capture).args(args).output().unwrap()
    }

    /// Runs the program, which must succeed, and returns its output.
    fn output(&self, args: &[&str]) -> String {
        let out = self.run(args);
        let error = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {error}");
        String::from_utf8(out.stdout).unwrap()
    }

    /// Asserts exit code 2, all `words` on stderr, and nothing on stdout.
    fn refused(&self, args: &[&str], words: &[&str]) {
        let out = self.run(args);
        let error = String::from_utf8(out.stderr).unwrap();
        assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{args:?}: {error}");
        assert!(words.iter().all(|word| error.contains(word)), "{args:?}: {error}");
    }

    /// Creates a folder like that of a build.
    fn dist(&self, name: &str) -> PathBuf {
        let dir = self.path(name);
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("page.pack"), "the page, packed").unwrap();
        dir
    }
}

/// Returns everything that can be read in some bytes: the bytes themselves, and every stream of deflate or gzip that
/// begins within the first 64 bytes.
fn readable(bytes: &[u8]) -> String {
    let mut all = bytes.to_vec();
    for start in 0..bytes.len().min(64) {
        let mut inside = Vec::new();
        // Bytes that are no stream end with an error. The part before the error counts.
        let _ = DeflateDecoder::new(&bytes[start..]).take(1 << 22).read_to_end(&mut inside);
        let _ = MultiGzDecoder::new(&bytes[start..]).take(1 << 22).read_to_end(&mut inside);
        all.extend(inside);
    }
    String::from_utf8_lossy(&all).into_owned()
}

fn unbase64(text: &str) -> Vec<u8> {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    STANDARD.decode(text).or_else(|_| URL_SAFE_NO_PAD.decode(text)).unwrap()
}

#[track_caller]
fn holds_no_secret(bytes: &[u8]) {
    let text = readable(bytes);
    assert!(text.contains("TPU"), "it was not read at all");
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret}");
    }
}

fn report_of(link: &str) -> String {
    link.trim().split_once('#').unwrap().1.parse::<PageAddress>().unwrap().report
}

/// Reads a page in one file.
fn page(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Returns the content of a block of a page.
fn block(html: &str, what: &str) -> Vec<u8> {
    let block = html.split(&format!("application/x-rooflight-{what}")).nth(1).unwrap();
    let text = block.split_once('>').unwrap().1.split_once("</script>").unwrap().0;
    STANDARD.decode(text).unwrap()
}

#[test]
fn a_link_needs_the_address_of_a_page() {
    let desk = Desk::new();
    // The server at that address can read the content of the link, so there is no default address.
    desk.refused(&["--link"], &["needs the address of a Rooflight page", "--base https://", "ROOFLIGHT_BASE"]);
    desk.refused(&["--link", "--base", ""], &["needs the address of a Rooflight page"]);
    desk.refused(&["--link", "--base", "example.org/r"], &["--base is example.org/r", "https://"]);
    let with = |name: &str, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
        command.env("ROOFLIGHT_BASE", name).arg("report").arg(&desk.capture).args(args).output().unwrap()
    };
    let printed = |out: Output| String::from_utf8(out.stdout).unwrap();
    let link = printed(with("https://example.com/of/the/team/", &["--link"]));
    assert!(link.starts_with("https://example.com/of/the/team/#v=") && link.lines().count() == 1, "{link}");
    let link = printed(with("https://example.com/", &["--link", "--base", BASE]));
    assert!(link.starts_with(&format!("{BASE}#")), "the option comes before the environment: {link}");
    assert_eq!(with("example.com", &["--link"]).status.code(), Some(2));
    assert_eq!(printed(with("", &["--link"])), "", "empty is not given");
    let link = desk.output(&["--link", "--base", BASE]);
    assert!(link.starts_with(&format!("{BASE}#")) && link.ends_with('\n') && link.lines().count() == 1, "{link}");
    let report = decode_link(&report_of(&link)).unwrap();
    assert_eq!((report.origin.level, report.origin.files[0].name.as_str()), (100, "small.xplane.pb"));
    holds_no_secret(&unbase64(&report_of(&link)));
    let other = desk.output(&["--link", "--base", "https://example.org/r/#old", "--level", "80", "--step", "7"]);
    assert!(other.starts_with("https://example.org/r/#v="), "{other}");
    let report = decode_link(&report_of(&other)).unwrap();
    assert_eq!((report.origin.level, report.header.step.as_str()), (80, "7"));
}

#[test]
fn a_report_file_holds_all_but_sources() {
    let desk = Desk::new();
    assert_eq!(desk.output(&["--rooflight", "it.rooflight"]), "");
    let file = fs::read(desk.path("it.rooflight")).unwrap();
    let result = unpack(&file).unwrap();
    assert_eq!((result.report.origin.level, result.captures.len()), (100, 0));
    holds_no_secret(&file);
    // A report file is requested as a capture is.
    let program = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
        command.current_dir(desk.dir.path()).arg("report").args(args).output().unwrap()
    };
    let again = String::from_utf8(program(&["it.rooflight", "--link", "--base", BASE]).stdout).unwrap();
    assert_eq!(report_of(&again), report_of(&desk.output(&["--link", "--base", BASE])));

    desk.output(&["--rooflight", "with.rooflight", "--with-capture"]);
    let with = fs::read(desk.path("with.rooflight")).unwrap();
    let result = unpack(&with).unwrap();
    assert_eq!(result.captures[0].name, "small.xplane.pb", "without its folder");
    assert!(with.ends_with(&fs::read(&desk.capture).unwrap()));
    // When such a file is passed on, the new file carries the capture, not a report with a report in it.
    let once_more = program(&["with.rooflight", "--rooflight", "again.rooflight", "--with-capture"]);
    assert!(once_more.status.success());
    assert!(fs::read(desk.path("again.rooflight")).unwrap() == with);
    let none = program(&["it.rooflight", "--rooflight", "again.rooflight", "--with-capture"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(String::from_utf8(none.stderr).unwrap().contains("The capture is missing"));
    desk.output(&["--rooflight", "sources.rooflight", "--with-sources"]);
    let result = readable(&fs::read(desk.path("sources.rooflight")).unwrap());
    assert!(SECRETS.iter().all(|secret| result.contains(secret)), "this test would see a source");
    desk.refused(&["--rooflight", "no/such/folder.rooflight"], &["no/such/folder.rooflight"]);
}

#[test]
fn a_page_is_made_from_the_built_page() {
    let desk = Desk::new();
    // A program inside a checkout would find the checkout's built page, so the program is copied to another folder.
    let program = desk.path("apart/program");
    fs::create_dir(program.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_rooflight"), &program).unwrap();
    let run = || {
        let mut command = Command::new(&program);
        command.current_dir(desk.dir.path()).arg("report").arg(&desk.capture).args(["--html", "it.html"]);
        // Another test that starts its program at this moment may have the copy open for writing for a short time.
        for _ in 0..200 {
            match command.output() {
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => sleep(Duration::from_millis(20)),
                ran => return ran.unwrap(),
            }
        }
        panic!("the program stayed busy")
    };
    let none = run();
    let text = String::from_utf8(none.stderr).unwrap();
    assert_eq!((none.status.code(), none.stdout.len()), (Some(2), 0), "{text}");
    assert!(
        text.contains("There is no built page") && text.contains("--app") && !desk.path("it.html").exists(),
        "{text}"
    );
    for place in ["dist", "apart/dist"] {
        let dist = desk.dist(place);
        let found = run();
        assert_eq!(found.status.code(), Some(0), "{place}: {}", String::from_utf8_lossy(&found.stderr));
        let html = page(&desk.path("it.html"));
        assert!(html.contains("id=\"boot\""));
        assert_eq!(block(&html, "page"), b"the page, packed");
        holds_no_secret(&block(&html, "inside"));
        assert!(SECRETS.iter().all(|secret| !html.contains(secret)));
        fs::remove_dir_all(dist).unwrap();
        fs::remove_file(desk.path("it.html")).unwrap();
    }
    let dist = desk.dist("elsewhere");
    desk.output(&["--html", "it.html", "--app", "elsewhere", "--base", BASE]);
    assert!(page(&desk.path("it.html")).contains(&format!("data-base=\"{BASE}\"")), "for links made in it");
    desk.output(&["--html", "it.html", "--app", "elsewhere", "--with-capture"]);
    assert!(page(&desk.path("it.html")).contains("data-base=\"\""), "nobody gave an address");
    let file = block(&page(&desk.path("it.html")), "inside");
    assert_eq!(unpack(&file).unwrap().captures.len(), 1);
    desk.refused(&["--html", "it.html", "--app", "nowhere"], &["nowhere is not a built page", "cargo xtask build"]);
    fs::remove_file(dist.join("page.pack")).unwrap();
    desk.refused(&["--html", "it.html", "--app", "elsewhere"], &["elsewhere is not a built page", "page.pack"]);
}

#[test]
fn text_and_markdown_list_the_shared_data() {
    let desk = Desk::new();
    let result = desk.output(&[]);
    assert!(
        result.contains("The link's report would have")
            && result.contains("Names of ops")
            && result.contains("small.xplane.pb")
    );
    assert!(
        !result.contains("Lines of source code") && SECRETS.iter().all(|secret| !result.contains(secret)),
        "{result}"
    );
    // A link's usual level has no source lines even with `--with-sources`, so the level is 100.
    let result = desk.output(&["--with-sources", "--level", "100"]);
    assert!(result.contains("Lines of source code") && result.contains("/home/someone/train.py:3"), "{result}");
    let words = desk.output(&["--markdown"]);
    assert!(words.contains("| Compute") && SECRETS.iter().all(|secret| !words.contains(secret)), "{words}");
    desk.output(&["--markdown", "--out", "it.md"]);
    assert_eq!(fs::read_to_string(desk.path("it.md")).unwrap(), words);
}

#[test]
fn pseudonyms() {
    let desk = Desk::new();
    let names = ["small.xplane", "jit_train", "layer_0"];
    let plain = desk.output(&[]);
    assert!(names.iter().any(|name| plain.contains(name)));
    let file = |name: &str| readable(&fs::read(desk.path(name)).unwrap());
    desk.output(&["--rooflight", "it.rooflight", "--anonymise"]);
    let link = desk.output(&["--link", "--base", BASE, "--anonymise"]);
    for text in [
        desk.output(&["--anonymise"]),
        desk.output(&["--markdown", "--anonymise"]),
        file("it.rooflight"),
        readable(&unbase64(&report_of(&link))),
    ] {
        assert!(text.contains("file-1") && names.iter().chain(&SECRETS).all(|name| !text.contains(name)), "{text}");
    }
    desk.refused(&["--anonymise", "--with-sources"], &["--anonymise", "--with-sources"]);
    desk.refused(&["--anonymise", "--with-capture", "--rooflight", "x"], &["--anonymise", "--with-capture"]);
}

#[test]
fn wrong_arguments_are_refused() {
    let desk = Desk::new();
    desk.refused(&["--level", "101"], &["101", "--level"]);
    desk.refused(&["--link", "--rooflight", "x"], &["--link", "--rooflight"]);
    desk.refused(&["--step", "99"], &["No step 99"]);
    desk.refused(&["--device", "9"], &["Devices: TPU:0, TPU:1, mean, all"]);
    for form in ["--json", "--csv"] {
        desk.refused(&[form], &["--markdown", "`rooflight summary`"]);
    }
    assert!(!Path::new("x").exists());
}
