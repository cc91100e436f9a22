//! The page's content security policy, sealed.
//!
//! `index.html` carries the policy with a placeholder; the build adds an inline start script; this writes the
//! script's hash where the placeholder is. Without it the page stays blank: the policy allows no inline script
//! but the one that we built.
//!
//! Pure text → text. Must not touch files.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// What `index.html` has in `script-src` in place of the hashes.
pub const PLACEHOLDER: &str = "'sha256-ROOFLIGHT'";

/// The page with the hashes of its inline scripts in its policy.
///
/// # Errors
/// When there is not exactly one placeholder, or no inline script: the page would not start.
pub fn seal(html: &str) -> Result<String> {
    let found = html.matches(PLACEHOLDER).count();
    ensure!(found == 1, "index.html has {found} times {PLACEHOLDER} in it: its meta policy needs it exactly once");
    let scripts = inline_scripts(html)?;
    ensure!(!scripts.is_empty(), "no inline script in the built index.html: nothing would start the page");
    let mut hashes: Vec<String> = scripts.iter().map(|script| source(script)).collect();
    hashes.sort();
    hashes.dedup();
    Ok(html.replace(PLACEHOLDER, &hashes.join(" ")))
}

/// A script as the policy names it. Browsers hash what the parser hands them, in which every line ends in `\n`.
fn source(script: &str) -> String {
    let text = script.replace("\r\n", "\n").replace('\r', "\n");
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// The text of each `<script>` without `src`, exactly as it stands. Comments are passed over.
fn inline_scripts(html: &str) -> Result<Vec<&str>> {
    let mut scripts = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if rest.starts_with("<!--") {
            let end = rest.find("-->").context("a comment is not closed")?;
            rest = &rest[end..];
        } else if starts_with_tag(rest, "<script") {
            let open = rest.find('>').context("a <script tag does not end")?;
            let body = &rest[open + 1..];
            let end = find_ignoring_case(body, "</script").context("a <script> is not closed")?;
            if !has_src(&rest[..open]) {
                scripts.push(&body[..end]);
            }
            rest = &body[end..];
        }
        rest = &rest[1..];
    }
    Ok(scripts)
}

fn starts_with_tag(text: &str, tag: &str) -> bool {
    let (Some(head), Some(next)) = (text.get(..tag.len()), text[tag.len().min(text.len())..].chars().next()) else {
        return false;
    };
    head.eq_ignore_ascii_case(tag) && (next == '>' || next.is_ascii_whitespace())
}

fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    text.as_bytes().windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

fn has_src(tag: &str) -> bool {
    tag.split_ascii_whitespace().any(|attribute| attribute.split('=').next() == Some("src"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf 'go()' | openssl dgst -sha256 -binary | base64`
    const GO: &str = "'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='";

    fn page(body: &str) -> String {
        format!("<meta content=\"script-src 'self' {PLACEHOLDER}\">{body}")
    }

    #[test]
    fn the_hash_stands_where_the_placeholder_was() {
        let sealed = seal(&page("<script type=module>go()</script>")).unwrap();
        assert_eq!(sealed, format!("<meta content=\"script-src 'self' {GO}\"><script type=module>go()</script>"));
    }

    #[test]
    fn every_inline_script_is_allowed_once() {
        let sealed = seal(&page("<script>go()</script><SCRIPT >go()</SCRIPT><script>no()</script>")).unwrap();
        assert_eq!(sealed.matches(GO).count(), 1);
        assert_eq!(sealed.matches("'sha256-").count(), 2);
    }

    #[test]
    fn line_ends_do_not_change_the_hash() {
        assert_eq!(source("a\r\nb\rc\n"), source("a\nb\nc\n"));
    }

    #[test]
    fn what_is_not_an_inline_script_is_not_hashed() {
        let scripts = inline_scripts(
            "<!-- <script>old()</script> --><script src=x.js></script><scripted>a</scripted><p>ü<script data-src=1>b</script>",
        );
        assert_eq!(scripts.unwrap(), ["b"]);
    }

    #[test]
    fn a_page_that_could_not_start_is_refused() {
        assert!(seal(&page("<script src=app.js></script>")).is_err(), "no inline script");
        assert!(seal("<script>go()</script>").is_err(), "no placeholder");
        assert!(seal(&page(&page("<script>go()</script>"))).is_err(), "two policies");
        assert!(seal(&page("<script>go()")).is_err(), "not closed");
        assert!(seal(&page("<script")).is_err(), "cut short");
    }
}
