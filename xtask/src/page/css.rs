//! The style sheets as one, without what only people read: together they compress to little more than half, and a
//! visitor's browser asks once.
//!
//! Pure text → text. Must not touch files.

use anyhow::{Context, Result, ensure};

const LINK: &str = "<link rel=\"stylesheet\" href=\"";

/// The files that `html` links as style sheets, in their order.
pub fn linked(html: &str) -> Vec<&str> {
    html.split(LINK).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// `html` with one link to `name` where the first style sheet was.
///
/// # Errors
/// Where it links none, or a link says more than where.
pub fn link_one(html: &str, name: &str) -> Result<String> {
    let mut parts = html.split(LINK);
    let mut one = parts.next().unwrap_or_default().to_owned();
    ensure!(one.len() < html.len(), "no style sheet in index.html");
    one.push_str(&format!("{LINK}./{name}\">"));
    for part in parts {
        let (_, behind) = part.split_once("\">").context("a style sheet's link has more than an address")?;
        one.push_str(behind.trim_start());
    }
    Ok(one)
}

/// A sheet without comments, and with one space wherever there is room. Text in quotes stays as it is.
pub fn squeeze(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(next) = rest.chars().next() {
        let taken = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if next == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            out.push_str(&rest[..end]);
            end
        } else if next.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
            next.len_utf8()
        } else {
            out.push(next);
            next.len_utf8()
        };
        rest = &rest[taken..];
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_link_where_many_were() {
        let html = format!("<a>\n{LINK}a.css\">\n{LINK}b.css\">\n<b>");
        assert_eq!(linked(&html), ["a.css", "b.css"]);
        assert_eq!(link_one(&html, "c.css").unwrap(), format!("<a>\n{LINK}./c.css\"><b>"));
        assert!(link_one("<a>", "c.css").is_err());
    }

    #[test]
    fn only_room_and_comments_go() {
        let css = "/* a */\n.b > .c {\n  content: \"/* 1  2 */\";\n  width: calc(1px + 2px); /* d */\n}\n";
        assert_eq!(squeeze(css), ".b > .c { content: \"/* 1  2 */\"; width: calc(1px + 2px); }");
    }
}
