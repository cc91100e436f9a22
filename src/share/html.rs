//! One page that opens from disk: the built page's files and a report file as text blocks, and a script that starts it.
//!
//! ```text
//!  css, js, wasm ── gzip ── base64 ──► <script type="application/x-rooflight-part">   ┐ boot.js: blob: addresses,
//!  .rooflight ───────────── base64 ──► <script type="application/x-rooflight-inside"> ┘ then the page's own start
//! ```
//!
//! Base64 has no `<`, names are escaped, and the policy allows the two scripts by their hashes and blob: addresses alone: nothing
//! in it can become markup, and it makes no request. The page finds the report as a `File` in `globalThis.rooflightInside`, and the
//! blocks of its own parts in `globalThis.rooflightParts`: it can be written once more. Natively all of it is made here
//! ([`page`]); the page puts the pieces together itself, packed by the browser.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::io::Write;
use thiserror::Error;

/// Starts the page: see there.
const BOOT: &str = include_str!("boot.js");
/// Before anything is drawn: the theme that was chosen, and no leaving for a dropped file. The page's own such script also says
/// whom it may talk to; this one talks to nobody.
const THEME: &str = r#"
try {
  const theme = localStorage.getItem("rooflight.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {}
for (const event of ["dragover", "drop"]) addEventListener(event, (e) => e.dataTransfer?.types.includes("Files") && e.preventDefault());
"#;

/// A file of the built page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its name in `dist/`.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What the page opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Its name.
    pub name: String,
    /// Its bytes: a report file, with or without captures.
    pub bytes: Vec<u8>,
    /// How it is looked at first: what an address says behind the `#`. Empty: as usual.
    pub place: String,
}

/// Why files are no built page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HtmlError {
    /// One is missing.
    #[error("It has no {0}")]
    Lacks(&'static str),
}

/// What is seen until the page has started.
const BODY: &str = "\n<div id=\"boot\"><header class=\"top\"><div class=\"bar\"></div></header></div>\n\
    <noscript><p class=\"noscript\">Rooflight reads profiles with WebAssembly in this file, and needs JavaScript to start it.</p></noscript>\n";
/// What ends a block.
pub const CLOSED: &str = "</script>\n";

/// The page, with something inside.
///
/// # Errors
/// [`HtmlError`] where the files are no built page.
pub fn page(assets: &[Asset], inside: &Inside) -> Result<String, HtmlError> {
    for needed in [".js", ".css", ".wasm"] {
        if !assets.iter().any(|asset| asset.name.ends_with(needed)) {
            return Err(HtmlError::Lacks(needed));
        }
    }
    let mut out = head(&inside.name);
    for (asset, kind) in assets.iter().filter_map(|asset| Some((asset, kind(&asset.name)?))) {
        out += &opened("part", &asset.name, kind, "");
        STANDARD.encode_string(packed(&asset.bytes), &mut out);
        out += CLOSED;
    }
    out += &opened("inside", &inside.name, "application/octet-stream", &inside.place);
    STANDARD.encode_string(&inside.bytes, &mut out);
    out += CLOSED;
    out += &tail();
    Ok(out)
}

/// What comes before the blocks. `name`: what is inside.
pub fn head(name: &str) -> String {
    let policy = format!(
        "default-src 'none'; script-src 'wasm-unsafe-eval' blob: '{}' '{}'; style-src blob:; connect-src blob:; \
         worker-src blob:; img-src blob: data:",
        hash(THEME),
        hash(BOOT)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Rooflight: {}</title>\n<script>{THEME}</script>\n</head>\n\
         <body>{BODY}",
        escaped(name)
    )
}

/// What starts a block of base64: a part of the page, or what is inside; `place` is how that is looked at.
pub fn opened(what: &str, name: &str, kind: &str, place: &str) -> String {
    let (name, place) = (escaped(name), escaped(place));
    let place = if place.is_empty() { String::new() } else { format!(" data-place=\"{place}\"") };
    format!("<script type=\"application/x-rooflight-{what}\" data-name=\"{name}\" data-kind=\"{kind}\"{place}>")
}

/// What comes behind the blocks.
pub fn tail() -> String {
    format!("<script>{BOOT}</script>\n</body>\n</html>\n")
}

/// What a file is served as; `None` for those that the page does not need.
pub fn kind(name: &str) -> Option<&'static str> {
    // What keeps the page for when there is no network has nothing to do on a disk.
    if name == "sw.js" {
        return None;
    }
    let (_, end) = name.rsplit_once('.')?;
    Some(match end {
        "js" => "text/javascript",
        "css" => "text/css",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => return None,
    })
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    gzip.write_all(bytes).and_then(|()| gzip.finish()).unwrap_or_default()
}

fn hash(script: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(script)))
}

/// A text as an attribute's value or an element's content.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asset(name: &str, bytes: &str) -> Asset {
        Asset { name: name.to_owned(), bytes: bytes.as_bytes().to_vec() }
    }

    fn built() -> Vec<Asset> {
        let index = "<html><head><script>its()</script><script type=\"module\">start()</script></head><body>\n<p>boot</p></body></html>";
        vec![
            asset("app-1.js", "import.meta; \"./further-2.wasm\"; // </script>"),
            asset("app-1.wasm", "\0asm"),
            asset("further-2.wasm", "\0asm"),
            asset("index.html", index),
            asset("sample.xplane.pb.xz", "not wanted"),
            asset("sw.js", "not wanted"),
            asset("style-3.css", "p{}"),
        ]
    }

    #[test]
    fn nothing_breaks_out_and_the_policy_names_what_runs() {
        let (name, place) = ("a\"></script><b>".to_owned(), "v=1&a=\"<b>".to_owned());
        let inside = Inside { name, bytes: b"</script>".repeat(9), place };
        let html = page(&built(), &inside).unwrap();
        // The two scripts that run, four parts, what is inside.
        assert_eq!(html.matches("<script").count(), 2 + 4 + 1);
        assert_eq!(html.matches("</script>").count(), 2 + 4 + 1);
        assert!(html.contains("data-name=\"a&quot;&gt;&lt;/script&gt;&lt;b&gt;\"") && !html.contains("<b>"));
        assert!(!html.contains("sample.xplane") && !html.contains("sw.js") && html.contains("id=\"boot\""));
        assert_eq!(hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "as the standard has it");
        assert!(!html.contains("its()"), "scripts of the page are not taken over");
        for script in [THEME, BOOT] {
            assert!(
                html.contains(&format!("'{}'", hash(script))) && html.contains(&format!("<script>{script}</script>"))
            );
        }
        let policy = between(&html, "content=\"", "\"").unwrap();
        assert!(!policy.contains("unsafe-i") && !policy.contains("http") && !policy.contains("'self'"), "{policy}");
        assert!(!BOOT.contains("</script") && !BOOT.contains("http"));
    }

    #[test]
    fn what_is_inside_comes_out_again() {
        let inside = Inside { name: "x".to_owned(), bytes: (0..=255).collect(), place: String::new() };
        let html = page(&built(), &inside).unwrap();
        let text =
            html.split("application/x-rooflight-inside").nth(1).and_then(|rest| between(rest, "\">", "</script>"));
        assert_eq!(STANDARD.decode(text.unwrap()).unwrap(), inside.bytes);
    }

    #[test]
    fn other_folders_are_no_built_page() {
        let inside = Inside { name: "x".to_owned(), bytes: Vec::new(), place: String::new() };
        assert_eq!(page(&[], &inside), Err(HtmlError::Lacks(".js")));
        assert_eq!(page(&[asset("a.js", ""), asset("a.css", "")], &inside), Err(HtmlError::Lacks(".wasm")));
    }

    fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
        let rest = &text[text.find(from)? + from.len()..];
        rest.get(..rest.find(to)?)
    }
}
