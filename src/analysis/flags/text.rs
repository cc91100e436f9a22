//! This module finds the flags in a text. The text may be the value of an environment variable, a command or a script
//! that sets it, a flag file (`--name=value`), debug options or YAML (`name: value`), or a dict of Python or JSON
//! (`"name": value`), as `compiler_options` of `jax.jit`. It depends on letters alone.

use super::defaults::KnownFlags;

/// A flag that a text sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name, without `--` and without the `no` that switches it off.
    pub name: String,
    pub value: String,
    /// Bytes of the text, from the name's first to the value's last.
    pub start: usize,
    pub end: usize,
    pub form: Form,
}

/// How a flag is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// `--name=value`, `--name` or `--noname`.
    #[default]
    Option,
    /// `--name-value`, which no compiler reads.
    Misspelled,
    /// `name: value`.
    DebugOption,
    /// `"name": value` in a dict, with this quote.
    Dict(char),
}

impl Form {
    /// Returns a flag in this form.
    pub fn text(self, name: &str, value: &str) -> String {
        match self {
            Self::Option | Self::Misspelled => format!("--{name}={value}"),
            Self::DebugOption => format!("{name}: {value}"),
            Self::Dict(quote) => format!("{quote}{name}{quote}: {quote}{value}{quote}"),
        }
    }
}

/// The flags of a text, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagText {
    pub settings: Vec<Setting>,
    /// Options of other programs.
    pub n_other: usize,
    /// Whether the text has more flags, or is longer, than is read.
    pub is_cut: bool,
}

/// Largest number of flags that are read. No compiler has half as many.
const MAX_FLAGS: usize = 4096;
/// Largest number of bytes that are read. A flag file with all flags of libtpu has 68 kB.
const MAX_BYTES: usize = 256 << 10;

impl FlagText {
    /// Finds the flags of a text, up to a limit. Lines that are comments are skipped.
    pub fn read(text: &str) -> Self {
        let mut found = Self { is_cut: text.len() > MAX_BYTES, ..Self::default() };
        let end = (0..=MAX_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        let text = text.get(..end.unwrap_or_default()).unwrap_or_default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if found.settings.len() >= MAX_FLAGS {
                found.is_cut = true;
                break;
            }
            let content = line.trim_start();
            if !content.starts_with('#') && !content.starts_with("//") {
                match debug_option(line, start) {
                    Some(setting) => found.settings.push(setting),
                    None => found.read_line(line, start),
                }
            }
            start += line.len();
        }
        found
    }

    /// Returns the value of a flag: the last one that the text sets. `None` if the text does not set the flag.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.settings.iter().rfind(|setting| setting.name == name).map(|setting| setting.value.as_str())
    }

    /// Returns the value of a flag: the last one that the text sets, else the default. `None` if the flag is unknown.
    pub fn effective<'a>(&'a self, known: &KnownFlags, name: &str) -> Option<&'a str> {
        self.value(name).or_else(|| known.find(name).map(|flag| flag.default))
    }

    /// Finds the entries of dicts in a line: a name in quotes, a colon, and a value. Returns whether there are any.
    /// `start` is the line's place in the text.
    fn read_dict(&mut self, line: &str, start: usize) -> bool {
        let before = self.settings.len();
        let mut offset = 0;
        while let Some(found) = line.get(offset..).and_then(|rest| rest.find("xla")) {
            let name_start = offset + found;
            let quote = line.get(..name_start).and_then(|before| before.chars().next_back());
            let rest = line.get(name_start..).unwrap_or_default();
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let (name, rest) = rest.split_at(length);
            offset = name_start + length;
            let Some(quote) = quote.filter(|quote| matches!(quote, '"' | '\'')) else { continue };
            let Some(after) = rest.strip_prefix(quote).map(str::trim_start).and_then(|rest| rest.strip_prefix(':'))
            else {
                continue;
            };
            let value_start = line.len() - after.trim_start().len();
            let (value, length) = read_dict_value(after.trim_start());
            if value.is_empty() || self.settings.len() >= MAX_FLAGS {
                continue;
            }
            offset = value_start + length;
            let (name, value) = (name.to_owned(), value.to_owned());
            let (first, end) = (start + name_start - 1, start + offset);
            self.settings.push(Setting { name, value, start: first, end, form: Form::Dict(quote) });
        }
        self.settings.len() > before
    }

    /// Finds the flags of a line. `start` is the line's place in the text.
    fn read_line(&mut self, line: &str, start: usize) {
        if self.read_dict(line, start) {
            return;
        }
        let mut offset = 0;
        while let Some(rest) = line.get(offset..) {
            let Some(dashes) = rest.find("--") else { return };
            let name_start = offset + dashes + 2;
            let after = line.get(name_start..).unwrap_or_default();
            let name_length = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            let (name, value) = after.split_at(name_length);
            let is_first = rest.get(..dashes).is_some_and(|before| !before.ends_with(is_word));
            offset = name_start + name_length.max(1);
            if name.is_empty() || !is_first {
                continue;
            }
            let misspelled = ["-true", "-false"].into_iter().find(|word| {
                let after = value.strip_prefix(word);
                after.is_some_and(|after| !after.starts_with(is_word))
            });
            let (value, length) = match (value.strip_prefix('='), misspelled) {
                (Some(value), _) => {
                    let (value, length) = read_value(value);
                    (Some(value.to_owned()), length + 1)
                }
                (None, Some(word)) => (Some(word.trim_start_matches('-').to_owned()), word.len()),
                (None, None) => (None, 0),
            };
            offset = name_start + name_length + length;
            let Some((name, is_negated)) = known_name(name) else {
                self.n_other += 1;
                continue;
            };
            if self.settings.len() >= MAX_FLAGS {
                self.is_cut = true;
                return;
            }
            let value = value.unwrap_or_else(|| (!is_negated).to_string());
            self.settings.push(Setting {
                name: name.to_owned(),
                value,
                start: start + name_start - 2,
                end: start + offset,
                form: if misspelled.is_some() { Form::Misspelled } else { Form::Option },
            });
        }
    }
}

/// Whether a letter before `--` makes it a part of a word.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Returns the name of an XLA flag, and whether a `no` before it switches it off. `None` if it is another program's option.
fn known_name(name: &str) -> Option<(&str, bool)> {
    match name.strip_prefix("no") {
        Some(rest) if rest.starts_with("xla") => Some((rest, true)),
        _ => name.starts_with("xla").then_some((name, false)),
    }
}

/// Reads a value: up to its closing quote, or up to the next space or quote. Returns the value without quotes, and the
/// number of bytes that were read.
fn read_value(text: &str) -> (&str, usize) {
    if let Some(quote) = text.chars().next().filter(|c| *c == '\'' || *c == '"')
        && let Some((value, _)) = text.get(1..).and_then(|rest| rest.split_once(quote))
        && !value.contains("--")
    {
        return (value, value.len() + 2);
    }
    let length =
        text.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\\' | ')')).unwrap_or(text.len());
    let value = text.get(..length).unwrap_or_default().trim_end_matches([',', ';']);
    (value, value.len())
}

/// Reads a value of a dict: a text in quotes, or a word up to a comma or the end of the dict. Returns the value without
/// quotes, and the number of bytes that were read.
fn read_dict_value(text: &str) -> (&str, usize) {
    if let Some(quote) = text.chars().next().filter(|c| *c == '\'' || *c == '"')
        && let Some((value, _)) = text.get(1..).and_then(|rest| rest.split_once(quote))
    {
        return (value, value.len() + 2);
    }
    let length =
        text.find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ')' | ']' | '#')).unwrap_or(text.len());
    (text.get(..length).unwrap_or_default(), length)
}

/// Reads a line of debug options: `xla_dump_to: "/tmp"`. `None` if the line is no such line.
fn debug_option(line: &str, start: usize) -> Option<Setting> {
    let content = line.trim();
    let (name, value) = content.split_once(':')?;
    let is_name = name.starts_with("xla") && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = value.trim();
    if !is_name || value.is_empty() || value.contains(char::is_whitespace) {
        return None;
    }
    let start = start + (line.len() - line.trim_start().len());
    let value = value.trim_matches('"').to_owned();
    Some(Setting { name: name.to_owned(), value, start, end: start + content.len(), form: Form::DebugOption })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flags(text: &str) -> Vec<(String, String)> {
        FlagText::read(text).settings.into_iter().map(|setting| (setting.name, setting.value)).collect()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn flags_are_found_in_every_form() {
        let two = [pair("xla_a", "true"), pair("xla_b", "4")];
        for text in [
            "--xla_a=true --xla_b=4",
            "LIBTPU_INIT_ARGS=\"--xla_a=true --xla_b=4\"",
            "export XLA_FLAGS='--xla_a=true --xla_b=4'; python train.py --config=c.yaml --no-eval",
            "--xla_a\n--xla_b=4\n",
            "--xla_a='true'\r\n--xla_b=\"4\"",
            "os.environ['XLA_FLAGS'] = (\n  '--xla_a=true '\n  '--xla_b=4'\n)",
            "flags = [\"--xla_a=true\", \"--xla_b=4\"]",
            "LIBTPU_INIT_ARGS=\"\\\n --xla_a=true \\\n --xla_b=4\"",
            "# --xla_c=1\n// --xla_d\n--xla_a=True --xla_b=4",
            "xla_a: true\nxla_b: 4\n",
            "env:\n  xla_a: true\n  xla_b: 4\n",
            "compiler_options = {\n    \"xla_a\": \"true\",\n    \"xla_b\": 4,\n}\n",
            "jax.jit(f, compiler_options={'xla_a': True, 'xla_b': '4'})",
            "{\"xla_a\": true, \"xla_b\": 4}",
        ] {
            let found = flags(text);
            let found: Vec<(String, String)> =
                found.into_iter().map(|(name, value)| (name, value.to_ascii_lowercase())).collect();
            assert_eq!(found, two, "{text}");
        }
    }

    #[test]
    fn values_keep_what_belongs_to_them() {
        assert_eq!(
            flags("--noxla_a --xla_b=a,b --xla_c= --xla_d=x;y=1").concat_names(),
            "xla_a=false xla_b=a,b xla_c= xla_d=x;y=1"
        );
        assert_eq!(flags("xla_dump_to: \"/tmp/dump\"").concat_names(), "xla_dump_to=/tmp/dump");
        assert_eq!(flags("--xla_a-false --xla_b-trueish").concat_names(), "xla_a=false xla_b=true");
        assert_eq!(flags("a--xla_b=1 ---xla_c=1 note: xla_d: 1 2"), []);
        let read = FlagText::read("--xla_a=1 --lr=0.1 --xla_a=2");
        assert_eq!((read.n_other, read.value("xla_a"), read.value("xla_b")), (1, Some("2"), None));
        assert_eq!(read.effective(&KnownFlags::new(), "xla_tpu_enable_async_all_to_all"), Some("false"));
    }

    trait Names {
        fn concat_names(&self) -> String;
    }

    impl Names for Vec<(String, String)> {
        fn concat_names(&self) -> String {
            self.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        }
    }

    #[test]
    fn the_number_of_flags_has_a_limit() {
        for text in ["--xla_a ".repeat(5000), "--xla_a\n".repeat(5000)] {
            let read = FlagText::read(&text);
            assert!(read.is_cut);
            assert_eq!(read.settings.len(), MAX_FLAGS);
        }
        let long = format!("--xla_a\n{}--xla_b", " ".repeat(MAX_BYTES));
        assert_eq!((flags(&long), FlagText::read(&long).is_cut), (vec![pair("xla_a", "true")], true));
        assert!(!FlagText::read("--xla_a").is_cut);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_every_range_is_a_part_of_it(text in "(--|xla_|[a-z=:'\" \n,é]|--xla_a=){0,40}") {
            let mut last = 0;
            for setting in FlagText::read(&text).settings {
                prop_assert!(setting.start >= last && setting.end > setting.start, "{setting:?}");
                let part = text.get(setting.start..setting.end);
                prop_assert!(part.is_some_and(|part| part.contains(&setting.name)), "{setting:?}");
                last = setting.end;
            }
        }
    }
}
