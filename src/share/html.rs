//! One page that opens from disk: the built page, packed, and a report file as text blocks, and a script that starts it.
//!
//! ```text
//!  page.pack ──┬─ base64 ──► <script type="application/x-rooflight-page">   ┐ boot.js: blob: addresses,
//!  .rooflight ─┴───────────► <script type="application/x-rooflight-inside"> ┘ then the page's own start
//! ```
//!
//! Base64 has no `<`, names are escaped, and the policy allows the two scripts by their hashes and blob: addresses alone: nothing in
//! it can become markup, and it makes no request. The page finds the report as a `File` in `globalThis.rooflightInside`, and what it
//! is made of as a `Blob` in `globalThis.rooflightPack`: it can be written once more. Natively all of it is made here ([`page`]); the
//! page puts the pieces together itself.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The built page in one file, beside it: `cargo xtask build` makes it.
pub const PACK: &str = "page.pack";
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

/// What the page opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Its name.
    pub name: String,
    /// Its bytes: a report file, with or without captures.
    pub bytes: Vec<u8>,
    /// The state of the views at first: the part of an address behind the `#`. Empty: as usual.
    pub place: String,
    /// Address of the page that links made in this one open. Empty: not known.
    pub base: String,
}

/// What is seen until the page has started.
const BODY: &str = "\n<div id=\"boot\"><header class=\"top\"><div class=\"bar\"></div></header></div>\n\
    <noscript><p class=\"noscript\">Rooflight reads profiles with WebAssembly in this file, and needs JavaScript to start it.</p></noscript>\n";
/// What ends a block.
pub const CLOSED: &str = "</script>\n";

/// The page, with something inside: an HTML file. `pack`: what [`PACK`] holds.
pub fn page(pack: &[u8], inside: &Inside) -> String {
    [
        &start(&inside.name),
        PAGE_BLOCK,
        &base64(pack),
        CLOSED,
        &inside_block(&inside.name, &inside.place, &inside.base),
        &base64(&inside.bytes),
        CLOSED,
        &tail(),
    ]
    .concat()
}

/// Bytes of such a file, about: what is packed, and what is inside.
pub const fn size(pack: u64, inside: u64) -> u64 {
    let frame = (BOOT.len() + THEME.len() + BODY.len() + 1200) as u64;
    frame + base64_size(pack) + base64_size(inside)
}

/// Bytes as text of a block. Pieces may follow each other where the bytes of all but the last are a multiple of 3.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

const fn base64_size(n: u64) -> u64 {
    n.div_ceil(3).saturating_mul(4)
}

/// What comes before the blocks. `name`: what is inside.
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

/// What starts the block of the page itself.
pub const PAGE_BLOCK: &str = "<script type=\"application/x-rooflight-page\">";

/// What starts the block of what is inside; `place` is the state of its views, `base` the address of the page that links open.
pub fn inside_block(name: &str, place: &str, base: &str) -> String {
    let (name, place, base) = (escaped(name), escaped(place), escaped(base));
    format!(
        "<script type=\"application/x-rooflight-inside\" data-name=\"{name}\" data-place=\"{place}\" data-base=\"{base}\">"
    )
}

/// What comes behind the blocks.
pub fn tail() -> String {
    format!("<script>{BOOT}</script>\n</body>\n</html>\n")
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

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_and_the_policy_names_what_runs() {
        let (name, place) = ("a\"></script><b>".to_owned(), "v=1&a=\"<b>".to_owned());
        let html = page(b"packed", &Inside { name, bytes: b"</script>".repeat(9), place, base: "\"<b>".to_owned() });
        assert!(html.starts_with("<!doctype html>"));
        // The two scripts that run, the page, what is inside.
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
    fn what_is_inside_comes_out_again() {
        let inside =
            Inside { name: "x".to_owned(), bytes: (0..=255).collect(), place: String::new(), base: String::new() };
        let html = page(b"packed", &inside);
        let block = |kind: &str| {
            let text = between(html.split(kind).nth(1).unwrap(), ">", "</script>").unwrap();
            STANDARD.decode(text).unwrap()
        };
        assert_eq!(block("x-rooflight-inside\""), inside.bytes);
        assert_eq!(block("x-rooflight-page\""), b"packed");
    }

    #[test]
    fn its_size_is_told_before() {
        let (name, place, base) = ("report.rooflight".to_owned(), "v=1".to_owned(), String::new());
        let inside = Inside { name, bytes: vec![7; 5000], place, base };
        let real = page(&[1; 999], &inside).len() as u64;
        assert!(real.abs_diff(size(999, 5000)) < 1000, "{real} and {}", size(999, 5000));
    }

    fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
        let rest = &text[text.find(from)? + from.len()..];
        rest.get(..rest.find(to)?)
    }
}
