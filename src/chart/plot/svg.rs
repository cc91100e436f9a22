//! This module writes a scene as a self-contained SVG file, for "save" and as the source of a PNG. The caller supplies
//! the colours of tokens, so that the file has the current theme of the page.

use super::paint::{Paint, Pattern, Tone};
use super::scene::{Mark, Scene, Shape, path_data, px};
use super::time_part::TimePart;
use crate::analysis::classify::Kind;

/// Font stacks of the page. The file repeats them, because it has no style sheet.
const SANS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";
const MONO: &str =
    "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Segoe UI Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/// Writes the file. `colour` returns the colour of a token such as `--ink`.
pub fn write(scene: &Scene, colour: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(1024 + scene.marks.len() * 96);
    out.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\"");
    lengths(&mut out, &[("width", scene.width), ("height", scene.height)]);
    let size = format!("0 0 {} {}", px(scene.width), px(scene.height));
    attribute(&mut out, "viewBox", &size);
    attribute(&mut out, "font-family", SANS);
    // The title of the root is both the visible name and the name for screen readers.
    out.push_str(" role=\"img\"><title>");
    escape(&mut out, &scene.title);
    out.push_str("</title>");
    patterns(&mut out, scene, colour);
    out.push_str("<rect width=\"100%\" height=\"100%\"");
    attribute(&mut out, "fill", &colour(Tone::Ground.css_var()));
    out.push_str("/>");
    for mark in scene.marks.iter().filter(|mark| mark.paint.is_drawn()) {
        element(&mut out, mark, colour);
    }
    out.push_str("</svg>\n");
    out
}

/// Writes the definitions of the patterns that the scene uses.
fn patterns(out: &mut String, scene: &Scene, colour: &dyn Fn(&str) -> String) {
    let used = |pattern: &Pattern| scene.marks.iter().any(|mark| mark.paint.pattern == Some(*pattern));
    let kind = |kind| colour(Tone::Kind(TimePart::Kind(kind)).css_var());
    let ground = || colour(Tone::Ground.css_var());
    out.push_str("<defs>");
    for pattern in Pattern::ALL.into_iter().filter(used) {
        let (side, turn) = match pattern {
            Pattern::Hatch | Pattern::Stripe => (6, 45),
            Pattern::Cross => (5, 0),
            Pattern::Dots => (4, 0),
            Pattern::Wall => (6, -25),
        };
        out.push_str(&format!(
            "<pattern id=\"{}\" width=\"{side}\" height=\"{side}\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate({turn})\">",
            pattern.id()
        ));
        let mut tile = |shape: &str, name: &str, colour: &str| {
            out.push('<');
            out.push_str(shape);
            attribute(out, name, colour);
            out.push_str("/>");
        };
        match pattern {
            Pattern::Hatch => {
                tile("rect width=\"6\" height=\"6\"", "fill", &ground());
                tile("rect width=\"2\" height=\"6\"", "fill", &colour(Tone::Kind(TimePart::Idle).css_var()));
            }
            Pattern::Stripe => {
                tile("rect width=\"6\" height=\"6\"", "fill", &kind(Kind::Fused));
                tile("rect width=\"1.2\" height=\"6\" opacity=\".75\"", "fill", &kind(Kind::Compute));
            }
            Pattern::Cross => {
                tile("rect width=\"5\" height=\"5\"", "fill", &ground());
                tile("path d=\"M0 0L5 5M5 0L0 5\" stroke-width=\".9\"", "stroke", &kind(Kind::Container));
            }
            Pattern::Dots => {
                tile("rect width=\"4\" height=\"4\"", "fill", &kind(Kind::Other));
                tile("circle cx=\"2\" cy=\"2\" r=\".9\"", "fill", &ground());
            }
            Pattern::Wall => tile("rect width=\"1.2\" height=\"6\"", "fill", &colour(Tone::Edge.css_var())),
        }
        out.push_str("</pattern>");
    }
    out.push_str("</defs>");
}

fn element(out: &mut String, mark: &Mark, colour: &dyn Fn(&str) -> String) {
    let (name, words) = match &mark.shape {
        Shape::Rect { x, y, w, h, r } => {
            out.push_str("<rect");
            // A negative size would make the file invalid.
            lengths(out, &[("x", *x), ("y", *y), ("width", w.max(0.0)), ("height", h.max(0.0))]);
            if *r > 0.0 {
                lengths(out, &[("rx", *r)]);
            }
            ("rect", None)
        }
        Shape::Line { x1, y1, x2, y2 } => {
            out.push_str("<line");
            lengths(out, &[("x1", *x1), ("y1", *y1), ("x2", *x2), ("y2", *y2)]);
            ("line", None)
        }
        Shape::Path(points, closed) => {
            out.push_str("<path");
            attribute(out, "d", &path_data(points, *closed));
            ("path", None)
        }
        Shape::Circle { x, y, r } => {
            out.push_str("<circle");
            lengths(out, &[("cx", *x), ("cy", *y), ("r", r.max(0.0))]);
            ("circle", None)
        }
        Shape::Text { x, y, text, anchor, size, mono, halo } => {
            out.push_str("<text");
            lengths(out, &[("x", *x), ("y", *y), ("font-size", size.px())]);
            attribute(out, "text-anchor", anchor.key());
            if *mono {
                attribute(out, "font-family", MONO);
            }
            if *halo {
                attribute(out, "stroke", &colour(Tone::Ground.css_var()));
                out.push_str(" stroke-width=\"3.5\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
            }
            ("text", Some((text.as_str(), *halo)))
        }
    };
    paint(out, &mark.paint, words.is_some_and(|(_, halo)| halo), colour);
    let words = words.map(|(text, _)| text);
    if words.is_none() && mark.label.is_empty() {
        out.push_str("/>");
        return;
    }
    out.push('>');
    if !mark.label.is_empty() {
        out.push_str("<title>");
        escape(out, &mark.label);
        out.push_str("</title>");
    }
    escape(out, words.unwrap_or_default());
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

/// Writes fill and stroke. A text with a halo already has a stroke.
fn paint(out: &mut String, paint: &Paint, halo: bool, colour: &dyn Fn(&str) -> String) {
    let fill = match (paint.pattern, paint.fill) {
        (Some(pattern), _) => pattern.css(),
        (None, Some(tone)) => colour(tone.css_var()),
        (None, None) => "none".to_owned(),
    };
    attribute(out, "fill", &fill);
    if let (Some(tone), false) = (paint.stroke, halo) {
        attribute(out, "stroke", &colour(tone.css_var()));
        lengths(out, &[("stroke-width", paint.width)]);
        if paint.dash {
            attribute(out, "stroke-dasharray", "3 4");
        }
    }
    if paint.opacity < 1.0 {
        lengths(out, &[("opacity", paint.opacity)]);
    }
}

fn lengths(out: &mut String, values: &[(&str, f64)]) {
    for (name, value) in values {
        attribute(out, name, &px(*value));
    }
}

fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(out, value);
    out.push('"');
}

/// Escapes text for XML. Characters that XML 1.0 does not allow become U+FFFD.
fn escape(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML parsers read a line break in an attribute as a space.
            '\n' | '\t' | '\r' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::chart::plot::scene::{Anchor, Size};
    use proptest::prelude::*;

    /// Checks that `xml` is well-formed within the limits of this writer: tags nest, attributes are quoted and named
    /// once, only known entities, no control characters, one root. Returns the texts between tags.
    fn texts(xml: &str) -> Result<Vec<String>, String> {
        let unescape = |text: &str| -> Result<String, String> {
            for part in text.split('&').skip(1) {
                let known = ["amp;", "lt;", "gt;", "quot;"].iter().any(|entity| part.starts_with(entity));
                known.then_some(()).ok_or_else(|| format!("entity &{part}"))?;
            }
            let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
            let bad = |c: char| c < ' ' && c != '\n';
            if plain.contains(bad) { Err(format!("control character in {text:?}")) } else { Ok(plain) }
        };
        let (mut open, mut found, mut roots, mut rest) = (Vec::new(), Vec::new(), 0, xml.trim_end());
        while let Some(tag_start) = rest.find('<') {
            let (text, tag) = rest.split_at(tag_start);
            if !text.is_empty() {
                found.push(unescape(text)?);
            }
            let (tag, after) = tag[1..].split_once('>').ok_or("a tag without end")?;
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                if open.pop() != Some(name) {
                    return Err(format!("</{name}> closes nothing"));
                }
                continue;
            }
            let (inside, alone) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, mut attributes) = inside.split_once(' ').unwrap_or((inside, ""));
            let mut names = Vec::new();
            while !attributes.is_empty() {
                let (key, value) = attributes.trim_start().split_once("=\"").ok_or("an attribute without value")?;
                let (value, after) = value.split_once('"').ok_or("a value without end")?;
                unescape(value)?;
                let is_name = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
                if !is_name || value.contains('<') || names.contains(&key) {
                    return Err(format!("{key}=\"{value}\" in <{name}>"));
                }
                names.push(key);
                attributes = after;
            }
            roots += u32::from(open.is_empty());
            if !alone {
                open.push(name);
            }
        }
        match (open.pop(), roots, rest) {
            (None, 1, "") => Ok(found),
            rest => Err(format!("ends with {rest:?}")),
        }
    }

    fn tokens(name: &str) -> String {
        format!("#{}", name.len())
    }

    fn text(text: &str) -> Shape {
        let anchor = Anchor::Middle;
        Shape::Text { x: 1.0, y: 2.0, text: text.to_owned(), anchor, size: Size::Dense, mono: true, halo: true }
    }

    fn one_of_each(name: &str) -> Scene {
        let dashed = Paint::stroke(Tone::AccentLine, 1.75).dashed().faded(0.4);
        let mut marks = vec![
            Mark::for_datum(
                0,
                name.to_owned(),
                Shape::Rect { x: 0.0, y: 0.0, w: -3.0, h: 5.0, r: 2.0 },
                Paint::time_part(TimePart::Idle),
            ),
            Mark::new(Shape::line(0.0, f64::NAN, 9.0, 9.0), dashed),
            Mark::new(Shape::Path(vec![(0.0, 0.0), (3.0, 4.0)], true), Paint::fill(Tone::Seq(3))),
            Mark::for_datum(1, String::new(), Shape::Circle { x: 1.0, y: 1.0, r: 3.0 }, dashed),
            Mark::for_datum(2, name.to_owned(), text(name), Paint::fill(Tone::Ink)),
            Mark::for_datum(3, "unseen".to_owned(), Shape::rect(0.0, 0.0, 9.0, 9.0), Paint::NONE),
        ];
        let fill = |pattern| Paint { pattern: Some(pattern), ..Paint::NONE };
        marks.extend(Pattern::ALL.map(|pattern| Mark::new(Shape::rect(0.0, 0.0, 9.0, 9.0), fill(pattern))));
        Scene { width: 100.0, height: 50.5, marks, title: name.to_owned(), ..Scene::default() }
    }

    #[test]
    fn a_file_needs_nothing_else() {
        let file = write(&one_of_each("x"), &tokens);
        assert!(file.starts_with(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"50.5\" viewBox=\"0 0 100 50.5\""
        ));
        assert!(!file.contains("var(") && !file.contains("class=") && !file.contains("unseen"), "{file}");
        assert!(Pattern::ALL.iter().all(|pattern| file.contains(&format!("<pattern id=\"{}\"", pattern.id()))));
        assert!(
            file.contains("stroke-dasharray")
                && file.contains("paint-order=\"stroke\"")
                && file.contains("width=\"0\"")
        );
        let plain = Scene { width: 1.0, height: 1.0, ..Scene::default() };
        assert!(!write(&plain, &tokens).contains("<pattern"), "only what is used");
    }

    #[test]
    fn names_stay_text() {
        for name in
            ["</text><script>alert(1)</script>", "a&amp;b \"q\" 'r'", "]]><!--", "fusion\u{0}\u{8}\n.1", "𝛼é\u{ffff}"]
        {
            let file = write(&one_of_each(name), &tokens);
            let found = texts(&file).unwrap_or_else(|error| panic!("{error}\n{file}"));
            let clean: String = name
                .chars()
                .map(|c| {
                    if c == '\n' {
                        ' '
                    } else if c < ' ' || c == '\u{ffff}' {
                        '\u{fffd}'
                    } else {
                        c
                    }
                })
                .collect();
            assert_eq!(found.iter().filter(|text| **text == clean).count(), 4, "title, two labels, one text: {file}");
            assert!(!file.contains("<script") && !file.contains("<!--"));
        }
    }

    #[test]
    fn the_checker_finds_mistakes() {
        for bad in
            ["<a><b></a></b>", "<a", "<a x=\"1\" x=\"2\"/>", "<a>&nbsp;</a>", "<a/><b/>", "<a x='1'/>", "<a>\u{1}</a>"]
        {
            assert!(texts(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_name_makes_a_well_formed_file(name in any::<String>(), colour in any::<String>()) {
            let file = write(&one_of_each(&name), &|_| colour.clone());
            prop_assert!(texts(&file).is_ok(), "{:?}\n{file}", texts(&file));
        }
    }
}
