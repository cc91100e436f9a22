//! One page that opens from disk: the built page's files and a report file as text blocks, and a script that starts it.
//!
//! ```text
//!  index.html   css, js, wasm ── gzip ── base64 ──► <script type="application/x-rooflight-part">   ┐ boot.js: blob: addresses,
//!  .rooflight ────────────────────────── base64 ──► <script type="application/x-rooflight-inside"> ┘ then the page's own start
//! ```
//!
//! Base64 has no `<`, names are escaped, and the policy allows the two scripts by their hashes and blob: addresses alone: nothing
//! in it can become markup, and it makes no request. The page finds the report as a `File` in `globalThis.rooflightInside`.

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
}

/// Why files are no built page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HtmlError {
    /// One is missing.
    #[error("It has no {0}")]
    Lacks(&'static str),
    /// One is not as a build writes it.
    #[error("Its index.html is none that a build writes")]
    Index,
}

/// The page, with something inside.
///
/// # Errors
/// [`HtmlError`] where the files are no built page.
pub fn page(assets: &[Asset], inside: &Inside) -> Result<String, HtmlError> {
    let with = |end: &'static str| assets.iter().filter(move |asset| asset.name.ends_with(end));
    let index = with("index.html").next().ok_or(HtmlError::Lacks("index.html"))?;
    let index = std::str::from_utf8(&index.bytes).map_err(|_| HtmlError::Index)?;
    for needed in [".js", ".css", ".wasm"] {
        with(needed).next().ok_or(HtmlError::Lacks(needed))?;
    }
    let body = between(index, "<body>", "</body>").ok_or(HtmlError::Index)?;
    let policy = format!(
        "default-src 'none'; script-src 'wasm-unsafe-eval' blob: '{}' '{}'; style-src blob:; connect-src blob:; \
         worker-src blob:; img-src blob: data:",
        hash(THEME),
        hash(BOOT)
    );
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Rooflight: {}</title>\n<script>{THEME}</script>\n</head>\n\
         <body>{body}",
        escaped(&inside.name)
    );
    let parts = assets.iter().filter_map(|asset| Some((asset, kind(&asset.name)?)));
    for (asset, kind) in parts {
        block(&mut out, "part", &asset.name, kind, &packed(&asset.bytes));
    }
    block(&mut out, "inside", &inside.name, "application/octet-stream", &inside.bytes);
    out += &format!("<script>{BOOT}</script>\n</body>\n</html>\n");
    Ok(out)
}

fn block(out: &mut String, what: &str, name: &str, kind: &str, bytes: &[u8]) {
    let name = escaped(name);
    *out += &format!("<script type=\"application/x-rooflight-{what}\" data-name=\"{name}\" data-kind=\"{kind}\">");
    STANDARD.encode_string(bytes, out);
    *out += "</script>\n";
}

/// What a file is served as; `None` for those that the page does not need.
fn kind(name: &str) -> Option<&'static str> {
    let (_, end) = name.rsplit_once('.')?;
    Some(match end {
        "js" => "text/javascript",
        "css" => "text/css",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => return None,
    })
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let rest = &text[text.find(from)? + from.len()..];
    rest.get(..rest.find(to)?)
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
            asset("sample.xplane.pb.gz", "not wanted"),
            asset("style-3.css", "p{}"),
        ]
    }

    #[test]
    fn nothing_breaks_out_and_the_policy_names_what_runs() {
        let inside = Inside { name: "a\"></script><b>".to_owned(), bytes: b"</script>".repeat(9) };
        let html = page(&built(), &inside).unwrap();
        // The two scripts that run, four parts, what is inside.
        assert_eq!(html.matches("<script").count(), 2 + 4 + 1);
        assert_eq!(html.matches("</script>").count(), 2 + 4 + 1);
        assert!(html.contains("data-name=\"a&quot;&gt;&lt;/script&gt;&lt;b&gt;\"") && !html.contains("<b>"));
        assert!(!html.contains("sample.xplane") && html.contains("<p>boot</p>"));
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
        let inside = Inside { name: "x".to_owned(), bytes: (0..=255).collect() };
        let html = page(&built(), &inside).unwrap();
        let text =
            html.split("application/x-rooflight-inside").nth(1).and_then(|rest| between(rest, "\">", "</script>"));
        assert_eq!(STANDARD.decode(text.unwrap()).unwrap(), inside.bytes);
    }

    #[test]
    fn other_folders_are_no_built_page() {
        let inside = Inside { name: "x".to_owned(), bytes: Vec::new() };
        assert_eq!(page(&[], &inside), Err(HtmlError::Lacks("index.html")));
        assert_eq!(page(&[asset("index.html", "<p>")], &inside), Err(HtmlError::Lacks(".js")));
        let mut other = built();
        other[3].bytes = b"<p>".to_vec();
        assert_eq!(page(&other, &inside), Err(HtmlError::Index));
    }
}
