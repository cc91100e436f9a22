//! This module encodes a report as text for an address, in base64url, and checks the length of links. It does not
//! depend on addresses.

use super::envelope::{decode, encode};
use super::error::ShareError;
use super::limits::MAX_LINK_LENGTH;
use super::report::Report;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Largest length of a link, in characters, that the level of detail aims for. Mail and chat programs keep links of
/// this length.
pub const TARGET_LINK_LENGTH: usize = 8_000;

/// The class of a link's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Every program keeps the link.
    Good,
    /// Some programs cut the link.
    Long,
    /// The link is not made.
    TooLong,
}

impl Fit {
    /// Returns the class of a whole address with this number of characters.
    pub const fn from_length(characters: usize) -> Self {
        if characters <= TARGET_LINK_LENGTH {
            Self::Good
        } else if characters <= MAX_LINK_LENGTH {
            Self::Long
        } else {
            Self::TooLong
        }
    }

    /// Returns the message about the length. `None` if the length is good.
    pub fn sentence(self, characters: usize) -> Option<String> {
        match self {
            Self::Good => None,
            Self::Long => Some(format!(
                "The link is {characters} characters long. Browsers open it, but mail and chat programs may cut links of more than {TARGET_LINK_LENGTH}: choose less detail, or send the file."
            )),
            Self::TooLong => Some(format!(
                "The link would be {characters} characters long, and {MAX_LINK_LENGTH} are the most that browsers open everywhere. Choose less detail, or send the file."
            )),
        }
    }
}

/// Encodes a report as a text of letters, digits, `-` and `_`.
pub fn encode_link(report: &Report) -> String {
    URL_SAFE_NO_PAD.encode(encode(report))
}

/// Returns the base address of links: `text` without its fragment and without surrounding spaces. `None` if `text` is
/// not an address that starts with `https://` or `http://` and has a host, or if it has a user name.
pub fn base_address(text: &str) -> Option<&str> {
    let text = text.trim().split('#').next()?;
    let starts = |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let scheme = ["https://", "http://"].into_iter().find(|scheme| starts(scheme))?;
    let host = text.get(scheme.len()..)?.split(['/', '?']).next()?;
    let is_plain = text.chars().all(|c| !c.is_whitespace() && !c.is_control());
    (is_plain && !host.is_empty() && !host.contains('@')).then_some(text)
}

/// Decodes a text that [`encode_link`] returned.
///
/// # Errors
/// Returns a [`ShareError`] if the text is cut, damaged or too long.
pub fn decode_link(text: &str) -> Result<Report, ShareError> {
    if text.is_empty() {
        return Err(ShareError::Empty);
    }
    if text.len() > MAX_LINK_LENGTH {
        return Err(ShareError::Long(text.len()));
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let Some(index) = text.chars().position(|c| !is_allowed(c)) {
        return Err(ShareError::Character { position: index + 1 });
    }
    // A character after the last whole byte is the rest of a byte that was cut off.
    let whole = if text.len() % 4 == 1 { text.get(..text.len() - 1).unwrap_or_default() } else { text };
    let report = decode(&LENIENT.decode(whole).map_err(|_| ShareError::Damaged)?)?;
    // The checksum does not cover the unused bits of the last character.
    if URL_SAFE_NO_PAD.decode(text).is_err() { Err(ShareError::Damaged) } else { Ok(report) }
}

/// A decoder that ignores the unused bits after the last byte. In a link that was cut, they may be set.
const LENIENT: base64::engine::GeneralPurpose = base64::engine::GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    base64::engine::GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::base_address;

    #[test]
    fn a_base_address_has_a_scheme_and_a_host_and_no_fragment() {
        assert_eq!(base_address(" https://example.com/r/#old "), Some("https://example.com/r/"));
        assert_eq!(base_address("HTTP://localhost:8000/"), Some("HTTP://localhost:8000/"));
        for none in [
            "",
            "#x",
            "example.com/r/",
            "file:///r/index.html",
            "https://",
            "https:///r",
            "javascript://a",
            "https://a b/",
        ] {
            assert_eq!(base_address(none), None, "{none}");
        }
        assert_eq!(base_address("https://user:secret@example.com/"), None, "a password is not passed on");
    }
}
