//! This module changes the flags of a text and leaves the rest of the text as it is.

use super::text::{FlagText, Form, Setting};
use xla_profile::small_sort::SmallSort;

/// Returns the text without the settings `removed`, and with the flags `added` after the last flag. Each added flag is
/// written like the flags of the text.
pub(super) fn changed(text: &str, removed: &[&Setting], added: &[(&str, &str)]) -> String {
    let mut rest = text.to_owned();
    let mut by_place = removed.to_vec();
    by_place.small_sort_by_key(|setting| std::cmp::Reverse(setting.start));
    by_place.dedup_by_key(|setting| setting.start);
    for setting in by_place {
        let range = with_separator(&rest, setting.start, setting.end);
        rest.replace_range(range, "");
    }
    if added.is_empty() {
        return rest;
    }
    let settings = FlagText::read(&rest).settings;
    // If all flags are taken out, the added ones are written as those were.
    let form =
        settings.last().map(|last| last.form).or_else(|| FlagText::read(text).settings.last().map(|last| last.form));
    let form = form.unwrap_or_default();
    let added: Vec<String> = added.iter().map(|(name, value)| form.text(name, value)).collect();
    let Some(last) = settings.last() else {
        let separator = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
        return rest + separator + &added.join("\n");
    };
    // The separator before the last flag, with the quotes and the continuation of its line.
    let before = settings.iter().rev().nth(1).map_or(0, |one| one.end);
    let usual = match form {
        Form::Option | Form::Misspelled => " ",
        Form::DebugOption => "\n",
        Form::Dict(_) => ", ",
    };
    let between = rest.get(before..last.start).filter(|_| settings.len() > 1);
    // What is between two flags can also be another program's option.
    let is_separator = |text: &&str| text.contains(char::is_whitespace) && !text.contains(char::is_alphanumeric);
    let separator = between.filter(is_separator).unwrap_or(usual).to_owned();
    let added: String = added.iter().map(|flag| format!("{separator}{flag}")).collect();
    let end = last.end;
    rest.insert_str(end, &added);
    rest
}

/// Extends the range of a setting by the space before it, or by the space after it if it is the first of its line or of its
/// quotes.
fn with_separator(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let is_blank = |c: &char| *c == ' ' || *c == '\t';
    let before = text.get(..start).map_or(0, |before| before.chars().rev().take_while(is_blank).count());
    let before_blanks = text.get(..start - before).unwrap_or_default();
    let starts_line = before_blanks.is_empty() || before_blanks.ends_with('\n');
    let after = text.get(end..).unwrap_or_default();
    // An entry of a dict is followed by a comma.
    let is_entry = text.get(start..).is_some_and(|entry| entry.starts_with(['"', '\'']));
    let comma = if is_entry { after.strip_prefix(',').map_or(0, |_| 1) } else { 0 };
    let (end, after) = (end + comma, after.get(comma..).unwrap_or_default());
    if !starts_line && !before_blanks.ends_with(['"', '\'']) {
        return start - before..end;
    }
    let blanks = after.chars().take_while(is_blank).count();
    let is_whole_line = starts_line && after.get(blanks..).is_some_and(|after| after.starts_with('\n'));
    start - before..end + blanks + usize::from(is_whole_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edited(text: &str, removed: &[&str], added: &[(&str, &str)]) -> String {
        let settings = FlagText::read(text).settings;
        let removed: Vec<&Setting> =
            settings.iter().filter(|setting| removed.contains(&setting.name.as_str())).collect();
        changed(text, &removed, added)
    }

    #[test]
    fn the_rest_of_the_text_stays() {
        let line = "LIBTPU_INIT_ARGS=\"--xla_a=1 --xla_b=2 --xla_c=3\" python t.py";
        assert_eq!(edited(line, &["xla_b"], &[]), "LIBTPU_INIT_ARGS=\"--xla_a=1 --xla_c=3\" python t.py");
        assert_eq!(
            edited(line, &["xla_a"], &[("xla_d", "true")]),
            "LIBTPU_INIT_ARGS=\"--xla_b=2 --xla_c=3 --xla_d=true\" python t.py"
        );
        let lines = "--xla_a=1\n--xla_b=2\n--xla_c=3\n";
        assert_eq!(edited(lines, &["xla_b"], &[("xla_d", "4")]), "--xla_a=1\n--xla_c=3\n--xla_d=4\n");
        let script = "export XLA_FLAGS=\"\\\n  --xla_a=1 \\\n  --xla_b=2\"\n";
        assert_eq!(
            edited(script, &[], &[("xla_c", "3")]),
            "export XLA_FLAGS=\"\\\n  --xla_a=1 \\\n  --xla_b=2 \\\n  --xla_c=3\"\n"
        );
        let other = "X='--xla_a=1 --lr=2 --xla_b=2 N=1'";
        assert_eq!(
            edited(other, &[], &[("xla_c", "3"), ("xla_d", "4")]),
            "X='--xla_a=1 --lr=2 --xla_b=2 --xla_c=3 --xla_d=4 N=1'"
        );
        let dict = "{\n  \"xla_a\": 1,\n  \"xla_b\": \"2\",\n}\n";
        assert_eq!(edited(dict, &["xla_a"], &[("xla_c", "3")]), "{\n  \"xla_b\": \"2\", \"xla_c\": \"3\",\n}\n");
        assert_eq!(
            edited(dict, &[], &[("xla_c", "3")]),
            "{\n  \"xla_a\": 1,\n  \"xla_b\": \"2\",\n  \"xla_c\": \"3\",\n}\n"
        );
        assert_eq!(edited("{'xla_a': 1, 'xla_b': 2}", &["xla_b"], &[]), "{'xla_a': 1,}");
        assert_eq!(edited("", &[], &[("xla_c", "3"), ("xla_d", "4")]), "--xla_c=3\n--xla_d=4");
        assert_eq!(edited("xla_a: 1\n", &[], &[("xla_c", "3")]), "xla_a: 1\nxla_c: 3\n");
        assert_eq!(edited("xla_a: 1\nxla_b: 1\n", &[], &[("xla_c", "3")]), "xla_a: 1\nxla_b: 1\nxla_c: 3\n");
    }

    proptest! {
        #[test]
        fn removed_flags_are_gone_and_added_ones_are_there(
            flags in prop::collection::vec(("xla_[a-d]", "[a-z0-9]{0,4}"), 0..6),
            separator in prop::sample::select(vec![" ", "\n", " \\\n  ", "\", \""]),
            removed in prop::sample::select(vec!["xla_a", "xla_b"]),
        ) {
            let text = flags.iter().map(|(name, value)| format!("--{name}={value}")).collect::<Vec<_>>().join(separator);
            let next = FlagText::read(&edited(&text, &[removed], &[("xla_new", "1")]));
            let kept: Vec<&str> =
                flags.iter().map(|(name, _)| name.as_str()).filter(|name| *name != removed).chain(["xla_new"]).collect();
            prop_assert_eq!(next.settings.iter().map(|setting| setting.name.as_str()).collect::<Vec<_>>(), kept);
        }
    }
}
