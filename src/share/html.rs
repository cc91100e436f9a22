//! This module writes a single HTML page that opens from disk. The page holds the built page of Rooflight and a report
//! file as text blocks, and a script that starts the page.
//!
//! ```text
//!  page.pack ──┬─ base64 ──► <script type="application/x-rooflight-page">   ┐ boot.js: blob: addresses,
//!  .rooflight ─┴───────────► <script type="application/x-rooflight-inside"> ┘ then the page's own start
//! ```
//!
//! Nothing in the blocks can become markup, and the page makes no request: base64 has no `<`, names are escaped, and
//! the content security policy allows only the two scripts, by their hashes, and blob: addresses. The page finds the
//! report as a `File` in `globalThis.rooflightInside`, and the pack as a `Blob` in `globalThis.rooflightPack`, so that
//! it can write such a file again. The command line makes the whole page here ([`page`]); in the browser, the page
//! joins the parts itself.

use crate::table::text::escape_invisible;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Name of the file that holds the built page, next to the page. `cargo xtask build` makes the file.
pub const PACK: &str = "page.pack";
/// Script that starts the page.
const BOOT: &str = include_str!("boot.js");
/// Script that runs before the page is drawn: it sets the chosen theme, and prevents the browser from opening a dropped
/// file. The same script of the hosted page also adds a host to the policy; this page contacts no host.
const THEME: &str = r#"
try {
  const theme = localStorage.getItem("rooflight.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {}
for (const event of ["dragover", "drop"]) addEventListener(event, (e) => e.dataTransfer?.types.includes("Files") && e.preventDefault());
"#;

/// The report file in the page, with the state of the views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedReport {
    pub name: String,
    /// Bytes of a report file, with or without captures.
    pub bytes: Vec<u8>,
    /// First state of the views: the part of an address after the `#`. Empty stands for the default.
    pub place: String,
    /// Address of the hosted page, which links from this page open. Empty if it is unknown.
    pub base: String,
}

/// Content that is visible until the page has started.
const BODY: &str = "\n<div id=\"boot\"><header class=\"top\"><div class=\"bar\"></div></header></div>\n\
    <noscript><p class=\"noscript\">Rooflight reads profiles with WebAssembly in this file, and needs JavaScript to start it.</p></noscript>\n";
/// The end of a block.
pub const CLOSED: &str = "</script>\n";

/// Returns the HTML page with `report`. `pack` is the content of the file [`PACK`].
pub fn page(pack: &[u8], report: &EmbeddedReport) -> String {
    [
        &start(&report.name),
        PAGE_BLOCK,
        &base64(pack),
        CLOSED,
        &inside_block(&report.name, &report.place, &report.base),
        &base64(&report.bytes),
        CLOSED,
        &tail(),
    ]
    .concat()
}

/// Returns the approximate size of the HTML page in bytes, from the sizes of the pack and of the report file.
pub const fn size(pack: u64, report: u64) -> u64 {
    let frame = (BOOT.len() + THEME.len() + BODY.len() + 1200) as u64;
    frame + base64_size(pack) + base64_size(report)
}

/// Encodes bytes as the text of a block. Parts can be encoded one after the other if the length of each part except the
/// last is a multiple of 3.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

const fn base64_size(n: u64) -> u64 {
    n.div_ceil(3).saturating_mul(4)
}

/// Returns the HTML before the blocks. `name` is the name of the report file.
pub fn start(name: &str) -> String {
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

/// The start of the block with the built page.
pub const PAGE_BLOCK: &str = "<script type=\"application/x-rooflight-page\">";

/// The start of the start of the block with the report file.
const INSIDE_BLOCK: &str = "<script type=\"application/x-rooflight-inside\"";

/// Returns the bytes of the report file in a page. `None` if the page holds none.
pub fn report_file(page: &[u8]) -> Option<Vec<u8>> {
    let page = std::str::from_utf8(page).ok()?;
    let (_, block) = page.split_once(INSIDE_BLOCK)?;
    // The attributes are escaped, so that they hold no `>`.
    let (_, block) = block.split_once('>')?;
    let (text, _) = block.split_once("</script>")?;
    STANDARD.decode(text.trim()).ok()
}

/// Returns the start of the block with the report file. `place` is the state of the views, and `base` the address of
/// the page that links open.
pub fn inside_block(name: &str, place: &str, base: &str) -> String {
    let (name, place, base) = (escaped(name), escaped(place), escaped(base));
    format!("{INSIDE_BLOCK} data-name=\"{name}\" data-place=\"{place}\" data-base=\"{base}\">")
}

/// Returns the HTML after the blocks.
pub fn tail() -> String {
    format!("<script>{BOOT}</script>\n</body>\n</html>\n")
}

fn hash(script: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(script)))
}

/// Escapes a text for the value of an attribute or the content of an element, with its invisible characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape_invisible(text).chars() {
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

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_and_the_policy_names_what_runs() {
        let (name, place) = ("a\"></script><b>".to_owned(), "v=1&a=\"<b>".to_owned());
        let html =
            page(b"packed", &EmbeddedReport { name, bytes: b"</script>".repeat(9), place, base: "\"<b>".to_owned() });
        assert!(html.starts_with("<!doctype html>"));
        // The two scripts that run, the page, and the report file.
        assert_eq!(html.matches("<script").count(), 2 + 1 + 1);
        assert_eq!(html.matches("</script>").count(), 2 + 1 + 1);
        assert!(html.contains("data-base=\"&quot;&lt;b&gt;\""));
        assert!(html.contains("data-name=\"a&quot;&gt;&lt;/script&gt;&lt;b&gt;\"") && !html.contains("<b>"));
        assert_eq!(hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "as the standard has it");
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
    fn embedded_data_round_trips() {
        let report = EmbeddedReport {
            name: "x".to_owned(),
            bytes: (0..=255).collect(),
            place: String::new(),
            base: String::new(),
        };
        let html = page(b"packed", &report);
        let block = |kind: &str| {
            let text = between(html.split(kind).nth(1).unwrap(), ">", "</script>").unwrap();
            STANDARD.decode(text).unwrap()
        };
        assert_eq!(block("x-rooflight-inside\""), report.bytes);
        assert_eq!(block("x-rooflight-page\""), b"packed");
    }

    #[test]
    fn its_size_is_told_before() {
        let (name, place, base) = ("report.rooflight".to_owned(), "v=1".to_owned(), String::new());
        let report = EmbeddedReport { name, bytes: vec![7; 5000], place, base };
        let real = page(&[1; 999], &report).len() as u64;
        assert!(real.abs_diff(size(999, 5000)) < 1000, "{real} and {}", size(999, 5000));
    }

    fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
        let rest = &text[text.find(from)? + from.len()..];
        rest.get(..rest.find(to)?)
    }
}
