//! This module scans a text by brackets, quotes and comments. It does not depend on HLO.

/// A scanner at a position in a text.
#[derive(Clone)]
pub(super) struct Scan<'a> {
    text: &'a str,
    offset: usize,
    /// A bracket or a quote did not close. Values after it end with their lines.
    pub(super) unclosed: bool,
    /// A comment did not close, so no comment is searched after it.
    no_comments: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, unclosed: false, no_comments: false }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.offset >= self.text.len()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    /// Returns the position, for a later [`back`](Self::back).
    pub(super) fn position(&self) -> usize {
        self.offset
    }

    pub(super) fn back(&mut self, place: usize) {
        self.offset = place;
    }

    /// Returns the text from an earlier position up to the current one.
    pub(super) fn since(&self, place: usize) -> &'a str {
        self.text.get(place..self.offset).unwrap_or_default()
    }

    /// Returns the text from a position up to the end.
    pub(super) fn text_from(&self, place: usize) -> &'a str {
        self.text.get(place..).unwrap_or_default()
    }

    fn skip(&mut self, n: usize) {
        self.offset = self.offset.saturating_add(n).min(self.text.len());
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.skip(1);
        }
        found
    }

    pub(super) fn eat_str(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.skip(text.len());
        }
        found
    }

    /// Consumes `word` if a blank or the end follows: `ENTRY ` but not `ENTRYs`. Returns whether it did.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let ends = |rest: &str| rest.bytes().next().is_none_or(|b| b.is_ascii_whitespace());
        let found = self.rest().strip_prefix(word).is_some_and(ends);
        if found {
            self.skip(word.len());
        }
        found
    }

    /// Skips blanks and comments within a line.
    pub(super) fn space(&mut self) {
        loop {
            self.take(|b| matches!(b, b' ' | b'\t' | b'\r'));
            if !self.comment() {
                return;
            }
        }
    }

    /// Skips blanks, comments and line ends.
    pub(super) fn lines(&mut self) {
        loop {
            self.take(|b| b.is_ascii_whitespace());
            if self.rest().starts_with("//") {
                self.take(|b| b != b'\n');
            } else if !self.comment() {
                return;
            }
        }
    }

    fn comment(&mut self) -> bool {
        if self.no_comments || !self.rest().starts_with("/*") {
            return false;
        }
        match self.rest().find("*/") {
            Some(end) => self.skip(end.saturating_add(2)),
            None => self.no_comments = true,
        }
        !self.no_comments
    }

    /// Consumes and returns the bytes up to the first one that is not wanted.
    pub(super) fn take(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let n = rest.bytes().position(|b| !wanted(b)).unwrap_or(rest.len());
        // The end is on a character boundary, because `wanted` has the same result for all bytes that are not ASCII.
        self.skip(n);
        rest.get(..n).unwrap_or_default()
    }

    /// Consumes a keyword, such as `replica_groups` or `control-predecessors`. The result may be empty.
    pub(super) fn word(&mut self) -> &'a str {
        self.take(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    }

    /// Consumes a name: all bytes up to a bracket, comma, quote, equals sign or blank. The result may be empty.
    pub(super) fn name(&mut self) -> &'a str {
        self.take(|b| !b.is_ascii_whitespace() && !b"(){}[],=\"".contains(&b))
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        let place = self.offset;
        self.eat(b'-');
        self.take(|b| b.is_ascii_digit());
        let number = self.since(place).parse().ok();
        if number.is_none() {
            self.offset = place;
        }
        number
    }

    pub(super) fn skip_line(&mut self) {
        self.take(|b| b != b'\n');
    }

    /// Consumes and returns the text up to a comma, a line break or a closing bracket that is outside of brackets and
    /// quotes.
    pub(super) fn value(&mut self) -> &'a str {
        let rest = self.rest();
        let n = self.end_of(rest, |depth, b| depth == 0 && matches!(b, b',' | b'\n' | b')' | b']' | b'}'));
        self.skip(n);
        rest.get(..n).unwrap_or_default().trim_end()
    }

    /// Consumes a text with its quotes, or everything up to the end if the quotes do not close.
    pub(super) fn quoted(&mut self) {
        let rest = self.rest();
        let mut bytes = rest.bytes().enumerate().skip(1);
        while let Some((i, b)) = bytes.next() {
            match b {
                b'\\' => _ = bytes.next(),
                b'"' => return self.skip(i.saturating_add(1)),
                _ => {}
            }
        }
        self.skip(rest.len());
    }

    /// Consumes the bracket that opens here, and returns the text in it. Returns `None`, and consumes nothing, if no
    /// bracket opens here or if it does not close.
    pub(super) fn group(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        if !matches!(rest.bytes().next()?, b'(' | b'[' | b'{') {
            return None;
        }
        let n = self.end_of(rest, |depth, b| depth == 1 && matches!(b, b')' | b']' | b'}'));
        let inner = rest.get(1..n)?;
        if !matches!(rest.as_bytes().get(n)?, b')' | b']' | b'}') {
            return None;
        }
        self.skip(n.saturating_add(1));
        Some(inner)
    }

    /// Returns the offset of the first byte for which `end` is true. `end` gets the number of brackets that are open
    /// before the byte, and the byte. If a bracket or a quote does not close, the search ends with the line.
    fn end_of(&mut self, text: &str, end: impl Fn(usize, u8) -> bool) -> usize {
        if !self.unclosed {
            if let Some(n) = ends_at(text, &end) {
                return n;
            }
            self.unclosed = true;
        }
        let line = text.split('\n').next().unwrap_or_default();
        ends_at(line, &end).unwrap_or(line.len())
    }
}

/// Returns the offset of the first byte outside of quotes for which `end` is true, or the length of the text. Returns
/// `None` if the text ends inside brackets or quotes.
fn ends_at(text: &str, end: &impl Fn(usize, u8) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate();
    while let Some((i, b)) = bytes.next() {
        if end(depth, b) {
            return Some(i);
        }
        match b {
            b'"' => loop {
                match bytes.next()?.1 {
                    b'\\' => _ = bytes.next(),
                    b'"' => break,
                    _ => {}
                }
            },
            b'(' | b'[' | b'{' => depth = depth.saturating_add(1),
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (depth == 0).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_outside_of_brackets_and_quotes() {
        let mut scan = Scan::new("{a, \"}\\\"\", [1]}, next");
        assert_eq!(scan.value(), "{a, \"}\\\"\", [1]}");
        assert_eq!(scan.rest(), ", next");
        assert_eq!(Scan::new("{\n\"a\":1\n}}, x").value(), "{\n\"a\":1\n}");
    }

    #[test]
    fn unclosed_brackets_end_with_the_line() {
        let mut scan = Scan::new("{a\nb {c\nd}");
        assert_eq!(scan.value(), "{a");
        scan.lines();
        assert_eq!(scan.value(), "b {c");
        assert_eq!(Scan::new("\"a\nb").value(), "\"a");
        assert_eq!(Scan::new("(a").group(), None);
    }

    #[test]
    fn comments() {
        let mut scan = Scan::new(" /*index=5*/ a // b\n c /* d");
        scan.space();
        assert_eq!(scan.name(), "a");
        scan.lines();
        assert_eq!(scan.name(), "c");
        scan.lines();
        assert_eq!(scan.rest(), "/* d");
    }
}
