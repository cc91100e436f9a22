//! A report as text for an address: base64url, and how long is too long. This module knows characters; no address.

use super::envelope::{decode, encode};
use super::error::ShareError;
use super::limits::MOST;
use super::report::Report;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Links are to be no longer: mail programs and chats keep these.
pub const AIM: usize = 8_000;

/// Whether a link's length will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It will.
    Good,
    /// Some programs cut it.
    Long,
    /// None is made.
    TooLong,
}

impl Fit {
    /// Of a whole address of so many characters.
    pub const fn from_length(characters: usize) -> Self {
        if characters <= AIM {
            Self::Good
        } else if characters <= MOST {
            Self::Long
        } else {
            Self::TooLong
        }
    }

    /// What is to be reported of it; nothing where it will do.
    pub fn sentence(self, characters: usize) -> Option<String> {
        match self {
            Self::Good => None,
            Self::Long => Some(format!(
                "The link is {characters} characters long. Browsers open it, but mail and chat programs may cut links of more than {AIM}: choose less detail, or send the file."
            )),
            Self::TooLong => Some(format!(
                "The link would be {characters} characters long, and {MOST} are the most that browsers open everywhere. Choose less detail, or send the file."
            )),
        }
    }
}

/// A report as text of letters, digits, `-` and `_`.
pub fn encode_link(report: &Report) -> String {
    URL_SAFE_NO_PAD.encode(encode(report))
}

/// The base address of links: where `text` is an address that starts with `https://` or `http://` and has a host, that address
/// without its fragment and without spaces around it.
pub fn base_address(text: &str) -> Option<&str> {
    let text = text.trim().split('#').next()?;
    let starts = |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let scheme = ["https://", "http://"].into_iter().find(|scheme| starts(scheme))?;
    let host = text.get(scheme.len()..)?.split(['/', '?']).next()?;
    let is_plain = text.chars().all(|c| !c.is_whitespace() && !c.is_control());
    (is_plain && !host.is_empty() && !host.contains('@')).then_some(text)
}

/// Reads such a text.
///
/// # Errors
/// [`ShareError`]: what is wrong with it.
pub fn decode_link(text: &str) -> Result<Report, ShareError> {
    if text.is_empty() {
        return Err(ShareError::Empty);
    }
    if text.len() > MOST {
        return Err(ShareError::Long(text.len()));
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let Some(at) = text.chars().position(|c| !is_allowed(c)) {
        return Err(ShareError::Character { at: at + 1 });
    }
    // A character that is left over after whole bytes is the rest of what was cut.
    let whole = if text.len() % 4 == 1 { text.get(..text.len() - 1).unwrap_or_default() } else { text };
    let report = decode(&LENIENT.decode(whole).map_err(|_| ShareError::Damaged)?)?;
    // The checksum does not see those bits.
    if URL_SAFE_NO_PAD.decode(text).is_err() { Err(ShareError::Damaged) } else { Ok(report) }
}

/// Bits behind the last byte say nothing; where a link was cut they may be set.
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
