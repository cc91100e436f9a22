//! From a request's target to a file: nothing outside the folder is ever named.
//!
//! Pure: must not touch files, so that each rule can be tested.

use std::path::PathBuf;

/// The file that a request asks for, relative to the served folder; a folder means its `index.html`.
///
/// `None` is for what no link of ours contains: a step up, a hidden file, a separator or a NUL in disguise.
pub fn relative(target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let mut file = PathBuf::new();
    for part in path.split('/') {
        let name = percent_decoded(part)?;
        if name.starts_with('.') || name.contains(['/', '\\', ':', '\0']) {
            return None;
        }
        file.push(name);
    }
    if path.is_empty() || path.ends_with('/') {
        file.push("index.html");
    }
    Some(file)
}

fn percent_decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, tail @ ..] = rest else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(digit(*high)? * 16 + digit(*low)?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

/// What browsers must be told: they compile no wasm and run no module that comes under another name.
pub fn mime(extension: &str) -> &'static str {
    match extension {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript",
        "css" => "text/css",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn names_files_below_the_folder() {
        for (target, file) in [
            ("/", "index.html"),
            ("/?src=x", "index.html"),
            ("/app.js?v=1", "app.js"),
            ("/help/", "help/index.html"),
            ("/a%20b.css", "a b.css"),
            ("/snippets/x/y.js", "snippets/x/y.js"),
        ] {
            assert_eq!(relative(target).as_deref(), Some(Path::new(file)), "{target}");
        }
    }

    #[test]
    fn never_leaves_it() {
        for target in [
            "",
            "x",
            "*",
            "http://host/x",
            "/..",
            "/../x",
            "/a/../../x",
            "/%2e%2e/x",
            "/.%2E/x",
            "/..%2fx",
            "/a%5c..%5cx",
            "/a\\..\\x",
            "/C:/x",
            "/.git/config",
            "/x%00.js",
            "/%",
            "/%2",
            "/%zz",
            "/%+1",
            "/%ff",
        ] {
            assert_eq!(relative(target), None, "{target}");
        }
        assert!(relative("//etc/passwd").unwrap().is_relative());
    }

    #[test]
    fn wasm_and_modules_go_by_their_names() {
        assert_eq!(mime("wasm"), "application/wasm");
        assert_eq!(mime("js"), "text/javascript");
        assert_eq!(mime("pb"), "application/octet-stream");
    }
}
