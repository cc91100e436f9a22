//! The page's content security policy: `index.html` carries it with a placeholder, and this writes the hashes of its inline scripts
//! there. Without them the page stays blank: the policy allows no inline script but those that we built.
//!
//! Pure text → text. Must not touch files.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// What `index.html` has in `script-src` in place of the hashes.
const PLACEHOLDER: &str = "'sha256-ROOFLIGHT'";

/// What `trunk serve` writes into its script that reloads the page, each time it serves it; and what says the same for good.
const RELOAD: [(&str, &str); 2] = [("'{{__TRUNK_ADDRESS__}}'", "location.host"), ("{{__TRUNK_WS_BASE__}}", "/")];

/// The page with the hashes of its inline scripts in its policy.
///
/// # Errors
/// When there is not exactly one placeholder, or no inline script: the page would not start.
pub fn seal(html: &str) -> Result<String> {
    let found = html.matches(PLACEHOLDER).count();
    ensure!(found == 1, "index.html has {found} times {PLACEHOLDER} in it: its meta policy needs it exactly once");
    let html = RELOAD.iter().fold(html.to_owned(), |html, (varying, fixed)| html.replace(varying, fixed));
    let scripts = inline_scripts(&html)?;
    ensure!(!scripts.is_empty(), "no inline script in the built index.html: nothing would start the page");
    let mut hashes: Vec<String> =
        scripts.iter().map(|script| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script)))).collect();
    hashes.sort();
    hashes.dedup();
    Ok(html.replace(PLACEHOLDER, &hashes.join(" ")))
}

/// The text of each `<script>` without `src`, as browsers hash it: every line ends in `\n`. Tags are as Trunk writes them, in small letters.
fn inline_scripts(html: &str) -> Result<Vec<String>> {
    let mut scripts = Vec::new();
    for rest in html.split("<script").skip(1) {
        let (tag, rest) = rest.split_once('>').context("a <script tag does not end")?;
        let (script, _) = rest.split_once("</script>").context("a <script> is not closed")?;
        if !tag.contains(" src=") {
            scripts.push(script.replace("\r\n", "\n"));
        }
    }
    Ok(scripts)
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
    fn the_hashes_stand_where_the_placeholder_was() {
        let body =
            "<script type=module>go()</script><script src=x.js></script><script>go()</script><script>no()</script>";
        let sealed = seal(&page(body)).unwrap();
        assert!(sealed.starts_with("<meta content=\"script-src 'self' 'sha256-") && sealed.ends_with(body));
        assert_eq!((sealed.matches(GO).count(), sealed.matches("'sha256-").count()), (1, 2));
        let reloads = seal(&page("<script>go('{{__TRUNK_ADDRESS__}}')</script>")).unwrap();
        assert!(reloads.ends_with("<script>go(location.host)</script>"), "{reloads}");
        assert_eq!(inline_scripts("<script>a\r\nb</script>").unwrap(), ["a\nb"]);
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
