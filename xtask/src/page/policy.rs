//! This module puts the hashes of the inline scripts into the content security policy of the page, in place of a
//! placeholder. Without the hashes the page stays blank, because the policy allows only inline scripts with a hash.
//!
//! The functions turn text into text. This module does not read or write files.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The text in `script-src` of `index.html` that the hashes replace.
const PLACEHOLDER: &str = "'sha256-ROOFLIGHT'";

/// The variables in Trunk's reload script, which `trunk serve` fills at each request, and constant text in their place.
const RELOAD: [(&str, &str); 2] = [("'{{__TRUNK_ADDRESS__}}'", "location.host"), ("{{__TRUNK_WS_BASE__}}", "/")];

/// Returns the page `html` with the hashes of its inline scripts in its policy.
///
/// # Errors
/// If `html` has not exactly one placeholder, no inline script, or a `<script>` without an end.
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

/// Returns the text of each `<script>` without `src`, with lines that end in `\n`, because browsers hash this form.
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

    /// Output of `printf 'go()' | openssl dgst -sha256 -binary | base64`, in the form of a policy.
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
