//! How what an address says of one view is read. Knows pairs; not what a name means.

/// Hands over the names and values of what an address says of one view: `name:value;name:value`.
///
/// # Errors
/// The first pair of which `take` makes nothing.
pub(super) fn each_pair(text: &str, mut take: impl FnMut(&str, &str) -> Option<()>) -> Result<(), String> {
    for pair in text.split(';').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once(':').unwrap_or((pair, ""));
        take(name, value).ok_or_else(|| pair.to_owned())?;
    }
    Ok(())
}
