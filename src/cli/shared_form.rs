//! This module writes what `rooflight report` and `rooflight compare` share: links, and the report as one HTML page.

use crate::protocol::Failure;
use crate::protocol::url::address::PageAddress;
use crate::share::html::{EmbeddedReport, PACK, page};
use crate::share::{Fit, base_address};
use std::path::{Path, PathBuf};

/// The environment variable that holds the address of the page. It is used without `--base`.
pub(super) const BASE: &str = "ROOFLIGHT_BASE";
/// The environment variable that holds the folder of the built page. It is used without `--app`.
const APP: &str = "ROOFLIGHT_APP";

/// Returns the line with a link to an address of the page at `base`, and warns if the link is long. `remedy` is said of a
/// link that is too long.
pub(super) fn printed_link(
    base: &str,
    address: &PageAddress,
    remedy: &str,
    warn: &dyn Fn(&str),
) -> Result<String, Failure> {
    let link = format!("{base}#{address}");
    let fit = Fit::from_length(link.len());
    match (fit, fit.sentence(link.len())) {
        (Fit::TooLong, sentence) => Err(Failure {
            title: "The link is too long".to_owned(),
            message: format!("{} {remedy}", sentence.unwrap_or_default()),
        }),
        (_, sentence) => {
            sentence.iter().for_each(|sentence| warn(sentence));
            Ok(link + "\n")
        }
    }
}

/// Returns the address of the page that links open: that of the option `--base`, else that of the environment variable. `None`
/// means that neither gives an address.
pub(super) fn links_base(option: Option<&str>) -> Result<Option<String>, Failure> {
    let of_environment = || std::env::var(BASE).ok().map(|text| (BASE, text));
    let base = option.map(|text| ("--base", text.to_owned())).or_else(of_environment);
    let Some((name, text)) = base.filter(|(_, text)| !text.trim().is_empty()) else { return Ok(None) };
    base_address(&text).map(|base| Some(base.to_owned())).ok_or_else(|| Failure {
        title: format!("{name} is {text}, and that is not the address of a page"),
        message:
            "The address of a page starts with https:// or http:// and has a host: https://example.com/rooflight/."
                .to_owned(),
    })
}

/// Returns the packed page of the folder `app`, as [`app_folder`] finds it.
pub(super) fn page_pack(app: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let pack = app_folder(app)?.join(PACK);
    std::fs::read(&pack).map_err(|error| unwritten(&pack, &error))
}

/// Writes the bytes of a report file within a packed page as one HTML page. Links that are made in it open the page at `base`.
pub(super) fn write_html(path: &Path, pack: &[u8], bytes: Vec<u8>, base: Option<String>) -> Result<String, Failure> {
    let embedded = EmbeddedReport {
        name: "report.rooflight".to_owned(),
        bytes,
        place: String::new(),
        base: base.unwrap_or_default(),
    };
    std::fs::write(path, page(pack, &embedded)).map_err(|error| unwritten(path, &error))?;
    Ok(String::new())
}

/// Finds the folder of the built page: `--app`, else the one of the environment variable, else a `dist` folder beside the program or up to two folders above it,
/// else `dist` in the current folder.
fn app_folder(app: Option<&Path>) -> Result<PathBuf, Failure> {
    let is_built = |dir: &PathBuf| dir.join(PACK).is_file();
    if let Some(dir) = app.map(Path::to_owned).or_else(|| std::env::var_os(APP).map(PathBuf::from)) {
        return Some(dir.clone()).filter(is_built).ok_or_else(|| Failure {
            title: format!("{} is not a built page", dir.display()),
            message: format!("It has no {PACK}. `cargo xtask build` writes a page to dist."),
        });
    }
    let exe = std::env::current_exe().unwrap_or_default();
    // A program in `target/release` lies two folders below its checkout.
    let beside = exe.ancestors().skip(1).take(3).map(|dir| dir.join("dist"));
    beside.chain([PathBuf::from("dist")]).find(is_built).ok_or_else(|| Failure {
        title: "There is no built page".to_owned(),
        message: "--html needs one: build it with `cargo xtask build`, or say with --app where it is.".to_owned(),
    })
}

/// Returns the failure for a file that cannot be used.
pub(super) fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure { title: format!("{} could not be used", path.display()), message: format!("{error}.") }
}
