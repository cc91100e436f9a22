//! These tests check that names in a capture cannot act on a terminal: the program prints no control character and no
//! invisible character of a name.

use crate::common::{bytes, make};
use std::process::Command;

/// Text that clears the screen, sets a title, moves the cursor, overwrites a line, reverses text, hides text, and ends
/// a line.
const HOSTILE: &str =
    "\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}[1Aop\rOK\u{8}\u{7f}\u{9b}31m\u{202e}gnp\u{2066}x\u{200b}y\u{feff}\nz";

/// Returns the small capture with the hostile text appended to its names and texts.
fn capture() -> Vec<u8> {
    let mut space = make::small();
    for plane in &mut space.planes {
        for line in plane.lines.iter_mut().filter(|line| line.name.contains("python")) {
            line.name += HOSTILE;
        }
        for of in plane.event_metadata.values_mut() {
            for name in [&mut of.name, &mut of.display_name] {
                *name += HOSTILE;
            }
        }
        for of in plane.stat_metadata.values_mut().filter(|of| of.name.contains('/') || of.name.contains(':')) {
            of.name += HOSTILE;
        }
        for stat in plane.event_metadata.values_mut().flat_map(|of| &mut of.stats).chain(&mut plane.stats) {
            if let Some(rooflight::wire::proto::xspace::x_stat::Value::StrValue(text)) = &mut stat.value {
                *text += HOSTILE;
            }
        }
    }
    space.planes[2].name += HOSTILE;
    space.warnings.push(format!("beware {HOSTILE}"));
    bytes(&space)
}

#[test]
fn printed_names_do_not_act_on_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hostile\u{1b}[2J.xplane.pb");
    std::fs::write(&path, capture()).unwrap();
    let views = [
        "breakdown",
        "breakdown --by scope",
        "breakdown --by source",
        "breakdown --json",
        "summary",
        "summary --json",
        "non-compute",
        "roofline",
        "memory",
        "comm",
        "inspect",
        "inspect --json",
        "report",
        "report --markdown",
        "breakdown --step 99",
        "breakdown --device nine",
    ];
    let mut shown = 0;
    for view in views {
        let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(view.split(' ')).arg(&path).output().unwrap();
        for text in [out.stdout, out.stderr] {
            let text = String::from_utf8(text).unwrap();
            let acts = |c: &char| *c != '\n' && rooflight::table::text::is_invisible(*c);
            assert_eq!(text.chars().find(acts), None, "{view}: {text:?}");
            shown += usize::from(text.contains("\\u{1b}[2J") || text.contains("\\u001b[2J"));
        }
    }
    assert!(shown > 8, "the names are there, as escapes: {shown}");
}

#[test]
fn a_file_that_cannot_be_read_is_named_safely() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a\u{1b}[2J\u{202e}.xplane.pb");
    std::fs::write(&path, b"\xff\xff\xff\xff").unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(["summary"]).arg(&path).output().unwrap();
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("a\\u{1b}[2J\\u{202e}.xplane.pb") && !text.contains('\u{1b}'), "{text:?}");
}
