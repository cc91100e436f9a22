//! This module parses the value of `metadata={op_name="jit(f)/add" source_line=3}`: `key=value` with blanks between.

use super::scan::Scan;
use crate::hlo::Metadata;
use crate::hlo::escape::unescape;
use crate::hlo::ids::Texts;

/// Parses metadata. Returns `None` if the text does not have this form.
pub(super) fn read(text: &str, texts: &mut Texts) -> Option<Metadata> {
    let mut scan = Scan::new(text);
    let mut scan = Scan::new(scan.group()?);
    let mut metadata = Metadata::default();
    loop {
        scan.space();
        if scan.is_empty() {
            return Some(metadata);
        }
        let key = scan.word();
        if key.is_empty() || !scan.eat(b'=') {
            return None;
        }
        let value = value(&mut scan);
        let is_new = if let Some(place @ None) = metadata.text_mut(key) {
            *place = unquoted(value).map(|v| texts.get(&unescape(v)));
            place.is_some()
        } else if let Some(place @ 0) = metadata.number_mut(key) {
            // A number such as `007` is kept as text, because it would print as `7`.
            *place = value.parse().ok().filter(|_| !value.starts_with(['0', '+'])).unwrap_or(0);
            *place > 0
        } else {
            false
        };
        if !is_new {
            metadata.others.push((texts.get(key), texts.get(value)));
        }
    }
}

/// Returns a quoted text, a bracket with its content, or the text up to the next blank.
fn value<'a>(scan: &mut Scan<'a>) -> &'a str {
    let place = scan.position();
    if scan.peek() == Some(b'"') {
        scan.quoted();
    } else if scan.group().is_none() {
        scan.take(|b| !b.is_ascii_whitespace());
    }
    scan.since(place)
}

/// Returns the text in the quotes, or `None` if there are no quotes or nothing is in them.
fn unquoted(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"').filter(|v| !v.is_empty())
}
