//! One page that opens from disk: the built page, packed, and a report file as text blocks, and a script that starts it.
//!
//! ```text
//!  page.pack ──┬─ dense ──► <script type="application/x-rooflight-page">   ┐ boot.js: blob: addresses,
//!  .rooflight ─┴──────────► <script type="application/x-rooflight-inside"> ┘ then the page's own start
//! ```
//!
//! The file is UTF-16 with a byte order mark, which no host and no setting overrules: so what is packed is text without growing by a
//! third (`dense`). That has no `<`, names are escaped, and the policy allows the two scripts by their hashes and blob: addresses
//! alone: nothing in it can become markup, and it makes no request. The page finds the report as a `File` in
//! `globalThis.rooflightInside`, and what it is made of as a `Blob` in `globalThis.rooflightPack`: it can be written once more.
//! Natively all of it is made here ([`page`]); the page puts the pieces together itself.

use super::dense;
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
    /// How it is looked at first: what an address says behind the `#`. Empty: as usual.
    pub place: String,
    /// Address of the page that links made in this one open. Empty: not known.
    pub base: String,
}

/// What is seen until the page has started.
const BODY: &str = "\n<div id=\"boot\"><header class=\"top\"><div class=\"bar\"></div></header></div>\n\
    <noscript><p class=\"noscript\">Rooflight reads profiles with WebAssembly in this file, and needs JavaScript to start it.</p></noscript>\n";
/// What ends a block.
pub const CLOSED: &str = "</script>\n";

/// The page, with something inside: bytes of an HTML file. `pack`: what [`PACK`] holds.
pub fn page(pack: &[u8], inside: &Inside) -> Vec<u8> {
    let mut out = utf16(&(start(&inside.name) + &page_block(pack.len() as u64)));
    dense::push(&mut out, pack);
    out.extend(utf16(
        &(CLOSED.to_owned() + &inside_block(inside.bytes.len() as u64, &inside.name, &inside.place, &inside.base)),
    ));
    dense::push(&mut out, &inside.bytes);
    out.extend(utf16(&(CLOSED.to_owned() + &tail())));
    out
}

/// Bytes of such a file, about: what is packed, and what is inside.
pub const fn size(pack: u64, inside: u64) -> u64 {
    let frame = 2 * (BOOT.len() + THEME.len() + BODY.len() + 1200) as u64;
    frame + dense::size(pack) + dense::size(inside)
}

/// Text as it stands in the file.
pub fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// What comes before the blocks: the byte order mark first. `name`: what is inside.
pub fn start(name: &str) -> String {
    let policy = format!(
        "default-src 'none'; script-src 'wasm-unsafe-eval' blob: '{}' '{}'; style-src blob:; connect-src blob:; \
         worker-src blob:; img-src blob: data:",
        hash(THEME),
        hash(BOOT)
    );
    format!(
        "\u{feff}<!doctype html>\n<html lang=\"en\">\n<head>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Rooflight: {}</title>\n<script>{THEME}</script>\n</head>\n\
         <body>{BODY}",
        escaped(name)
    )
}

/// What starts the block of the page itself, of so many bytes.
pub fn page_block(size: u64) -> String {
    format!("<script type=\"application/x-rooflight-page\" data-size=\"{size}\">")
}

/// What starts the block of what is inside, of so many bytes; `place` is how that is looked at, `base` the address of the page that
/// links open.
pub fn inside_block(size: u64, name: &str, place: &str, base: &str) -> String {
    let (name, place, base) = (escaped(name), escaped(place), escaped(base));
    format!(
        "<script type=\"application/x-rooflight-inside\" data-size=\"{size}\" data-name=\"{name}\" data-place=\"{place}\" \
         data-base=\"{base}\">"
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

    fn text(inside: &Inside) -> String {
        let bytes = page(b"packed", inside);
        let units: Vec<u16> = bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
        String::from_utf16(&units).unwrap()
    }

    #[test]
    fn nothing_breaks_out_and_the_policy_names_what_runs() {
        let (name, place) = ("a\"></script><b>".to_owned(), "v=1&a=\"<b>".to_owned());
        let html = text(&Inside { name, bytes: b"</script>".repeat(9), place, base: "\"<b>".to_owned() });
        assert!(html.starts_with("\u{feff}<!doctype html>"), "the mark says what it is written in");
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
        let html = text(&inside);
        let block = |kind: &str| {
            let rest = html.split(kind).nth(1).unwrap();
            (between(rest, "data-size=\"", "\"").unwrap().parse().unwrap(), between(rest, ">", "</script>").unwrap())
        };
        let (size, text) = block("x-rooflight-inside");
        assert_eq!(dense::read(text, size), inside.bytes);
        let (size, text) = block("x-rooflight-page");
        assert_eq!(dense::read(text, size), b"packed");
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
