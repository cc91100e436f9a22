//! This module removes source lines and replaces names by pseudonyms. The same name has the same pseudonym in all
//! places of a report.

use super::codec;
use super::codec::visit::{Number, Text, Visit, VisitResult};
use super::error::ShareError;
use super::opcodes::{is_allocator, is_category, is_chip, is_of_compiler};
use super::report::Report;
use crate::analysis::overview::Overview;
use crate::table::kind::NameKind;
use std::collections::{BTreeMap, BTreeSet};
use xla_profile::hlo::DType;
use xla_profile::profile::Note;

impl Report {
    /// Returns the report without source lines and without the folders of files. Sentences that name either stay without them.
    #[must_use]
    pub fn without_sources(&self) -> Self {
        let mut report = self.clone();
        let mut strip = Strip::default();
        // The visitor does not fail.
        let _ = codec::report(&mut strip, &mut report);
        let is_path = |text: &str| strip.gone.iter().any(|gone| text.contains(gone.as_str()));
        let scrub = |text: &str| without_paths(text, &is_path);
        let scrub_note = |note: &mut Note| {
            note.place.take_if(|place| scrub(place).as_deref() != Some(place.as_str()));
            scrub(&note.message).map(|message| note.message = message).is_some()
        };
        report.notes_mut().for_each(|notes| notes.retain_mut(scrub_note));
        for program in &mut report.memory.programs {
            program.note.take_if(|note| !scrub_note(note));
        }
        if report.origin.partial.as_deref().is_some_and(|partial| scrub(partial).as_deref() != Some(partial)) {
            report.origin.partial = Some(PARTIAL.to_owned());
        }
        let step_is = &mut report.header.mean.step_is;
        *step_is = step_is.as_deref().and_then(scrub);
        for finding in report.overview.iter_mut().flat_map(Overview::all_findings) {
            finding.detail = scrub(&finding.detail).unwrap_or_default();
        }
        if let Some(comparison) = &mut report.comparison {
            comparison.scrub_sentences(&scrub);
        }
        report.origin.has_sources = false;
        // Some parts repeat values of the whole.
        report.derive();
        report
    }

    /// Returns the report with pseudonyms such as `op-1`, `program-2` and `scope-3`, and without source lines.
    ///
    /// Names of ops that compilers give stay, and so do opcodes, categories, element types, and common names of
    /// devices, chips and allocators. Notes and the dimensions of shapes are removed.
    #[must_use]
    pub fn anonymise(&self) -> Self {
        let mut report = self.without_sources();
        report.notes_mut().for_each(Vec::clear);
        for program in &mut report.memory.programs {
            program.note = None;
        }
        report.header.mean.step_is = None;
        for finding in report.overview.iter_mut().flat_map(Overview::all_findings) {
            finding.detail.clear();
        }
        if let Some(comparison) = &mut report.comparison {
            comparison.remove_names();
        }
        let _ = codec::report(&mut Rename::default(), &mut report);
        report.origin.partial = report.origin.partial.as_ref().map(|_| PARTIAL.to_owned());
        report.origin.is_anonymous = true;
        report.derive();
        report
    }

    fn notes_mut(&mut self) -> impl Iterator<Item = &mut Vec<Note>> {
        let memory = &mut self.memory;
        [
            &mut self.notes,
            &mut self.roofline.figures.notes,
            &mut self.comm.comm.notes,
            &mut memory.notes,
            &mut memory.runtime.notes,
        ]
        .into_iter()
    }
}

/// Returns a sentence without the words for which `is_path` holds, such as “model/moe.py:33”, and without the commas, brackets and
/// prepositions around them. `None` if no sentence is left, or if a path is left: one with spaces is several words, none of which
/// may be recognised.
fn without_paths(text: &str, is_path: &dyn Fn(&str) -> bool) -> Option<String> {
    if !is_path(text) {
        return Some(text.to_owned());
    }
    // A further line of the same file: the second word of “moe.py:28, :33”.
    let is_line =
        |word: &str| word.strip_prefix(':').is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let mut kept: Vec<String> = Vec::new();
    let mut is_removed = false;
    for word in text.split(' ') {
        is_removed = is_path(word) || (is_removed && is_line(word));
        if !is_removed {
            kept.push(word.to_owned());
            continue;
        }
        if word.starts_with('(') {
            kept.push("(".to_owned());
        }
        kept.pop_if(|before| PREPOSITIONS.contains(&before.to_lowercase().as_str()));
        // The end of a sentence stays: "2.30 ms, model/moe.py:33." becomes "2.30 ms."
        let end = &word[word.trim_end_matches(['.', ',', ';', ')']).len()..];
        if let Some(before) = kept.last_mut() {
            before.truncate(before.trim_end_matches(',').len());
            before.push_str(end);
        }
    }
    let text = kept.join(" ").replace("(, ", "(").replace(" ()", "");
    Some(text).filter(|text| !text.is_empty() && !is_path(text))
}

/// Words that belong to the path after them.
const PREPOSITIONS: [&str; 6] = ["at", "by", "from", "in", "of", "on"];

const PARTIAL: &str = "Only a part of the capture could be read.";

/// The visitor that removes source lines and folders, and collects what it removed.
#[derive(Default)]
struct Strip {
    gone: BTreeSet<String>,
}

impl Visit for Strip {
    fn count(&mut self, n: usize, _: usize) -> Result<usize, ShareError> {
        Ok(n)
    }

    fn integer(&mut self, _: &mut Option<u64>, _: Option<u64>, _: Number) -> VisitResult {
        Ok(())
    }

    fn real(&mut self, _: &mut Option<f64>, _: Option<f64>) -> VisitResult {
        Ok(())
    }

    fn text(&mut self, value: &mut Option<String>, _: Option<&str>, what: Text) -> VisitResult {
        match what {
            Text::Source => {
                let stack = value.take().unwrap_or_default();
                // Sentences shorten paths, so the name of the file is searched for, too.
                let files = stack.split(['\n', ';']).filter_map(|line| line.trim().split(':').next());
                let texts = files.flat_map(|file| [file, file.rsplit('/').next().unwrap_or(file)]);
                self.gone.extend(texts.filter(|text| text.len() > 3).map(str::to_owned));
            }
            Text::File => {
                if let Some((folder, name)) = value.as_deref().and_then(|path| path.rsplit_once('/')) {
                    self.gone.insert(format!("{folder}/"));
                    *value = Some(name.to_owned());
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The visitor that replaces names by pseudonyms.
#[derive(Default)]
struct Rename {
    /// The number of each name, by kind, in the order of first occurrence.
    known: BTreeMap<&'static str, BTreeMap<String, usize>>,
    programs: BTreeMap<u64, u64>,
}

impl Rename {
    fn named(&mut self, what: &'static str, name: &str) -> String {
        let known = self.known.entry(what).or_default();
        let next = known.len() + 1;
        let n = *known.entry(name.to_owned()).or_insert(next);
        format!("{what}-{n}")
    }
}

impl Visit for Rename {
    fn count(&mut self, n: usize, _: usize) -> Result<usize, ShareError> {
        Ok(n)
    }

    fn integer(&mut self, value: &mut Option<u64>, _: Option<u64>, what: Number) -> VisitResult {
        if let (Number::Program, Some(id)) = (what, value) {
            let n = self.programs.len() as u64;
            *id = *self.programs.entry(*id).or_insert(n + 1);
        }
        Ok(())
    }

    fn real(&mut self, _: &mut Option<f64>, _: Option<f64>) -> VisitResult {
        Ok(())
    }

    fn text(&mut self, value: &mut Option<String>, _: Option<&str>, what: Text) -> VisitResult {
        let Some(name) = value.as_deref().filter(|name| !name.is_empty()) else { return Ok(()) };
        let other = match what {
            Text::Word | Text::Sentence | Text::Source => return Ok(()),
            Text::Op if is_of_compiler(name) => return Ok(()),
            Text::Category if is_category(name) => return Ok(()),
            Text::Chip if is_chip(name) => return Ok(()),
            Text::Allocator if is_allocator(name) => return Ok(()),
            Text::Program if name.bytes().all(|byte| byte.is_ascii_digit()) => return Ok(()),
            Text::Device if is_device(name) => return Ok(()),
            Text::Op => self.named("op", name),
            Text::Program => self.named("program", name),
            Text::Scope => self.named("scope", name),
            Text::File => self.named("file", name),
            Text::Device => self.named("device", name),
            Text::Axis => self.named("axis", name),
            Text::Category => self.named("category", name),
            Text::Chip => self.named("chip", name),
            Text::Allocator => self.named("allocator", name),
            Text::Shape => shape(name),
        };
        *value = Some(other);
        Ok(())
    }
}

/// Replaces single names by pseudonyms, as [`Report::anonymise`] does. The same name has the same pseudonym.
#[derive(Default)]
pub struct Pseudonyms(Rename);

impl Pseudonyms {
    /// Returns the pseudonym of a name. Names that are common to all captures stay. `None` for a source line.
    pub fn pseudonym(&mut self, kind: NameKind, name: &str) -> Option<String> {
        let what = match kind {
            NameKind::Source => return None,
            NameKind::Op => Text::Op,
            NameKind::Program => Text::Program,
            NameKind::Scope => Text::Scope,
            NameKind::File => Text::File,
            NameKind::Device => Text::Device,
            NameKind::Axis => Text::Axis,
            NameKind::Category => Text::Category,
            NameKind::Chip => Text::Chip,
            NameKind::Allocator => Text::Allocator,
            NameKind::Shape => Text::Shape,
        };
        let mut value = Some(name.to_owned());
        // The visitor does not fail.
        let _ = self.0.text(&mut value, None, what);
        value
    }

    /// Returns the number that stands for the id of a program.
    pub fn program_id(&mut self, id: u64) -> u64 {
        let mut value = Some(id);
        let _ = self.0.integer(&mut value, None, Number::Program);
        value.unwrap_or_default()
    }
}

/// Returns whether a name is common to all captures, such as `TPU:0`, `/device:GPU:3` and `8 devices`.
fn is_device(name: &str) -> bool {
    let plain = name.strip_prefix("/device:").unwrap_or(name);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let of_kind = ["TPU", "GPU", "CPU"].iter().find_map(|kind| plain.strip_prefix(kind)?.strip_prefix(':'));
    of_kind.is_some_and(is_number) || plain.strip_suffix(" devices").is_some_and(is_number) || name == "a device"
}

/// Returns the element types of a shape without dimensions, such as `(bf16[…], f32[…])`. A capture can hold any text in
/// place of a shape, so that only element types, parentheses and commas stay.
fn shape(text: &str) -> String {
    let (mut shape, mut word, mut deep) = (String::new(), String::new(), 0_u32);
    for c in text.chars().chain([' ']) {
        if deep == 0 && (c.is_alphanumeric() || c == '_') {
            word.push(c);
            continue;
        }
        if is_element_type(&word) {
            shape.push_str(&word);
        }
        word.clear();
        match c {
            '[' | '{' => {
                deep = deep.saturating_add(1);
                if c == '[' && deep == 1 {
                    shape.push_str("[…]");
                }
            }
            ']' | '}' => deep = deep.saturating_sub(1),
            '(' | ')' | ',' | ' ' if deep == 0 => shape.push(c),
            _ => {}
        }
    }
    shape.trim().to_owned()
}

/// Returns whether a word is the name of an element type, such as `bf16`, and not a name that the capture chose.
fn is_element_type(word: &str) -> bool {
    DType::from_name(word).is_some_and(|dtype| dtype.name() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_stays_without_its_paths() {
        let is_path =
            |text: &str| text.contains("model/moe.py") || text.contains("moe.py") || text.contains("my model.py");
        for (text, rest) in [
            (
                "145 ops, 28.39 ms per step. Largest: copy.787, 2.30 ms, model/moe.py:33.",
                Some("145 ops, 28.39 ms per step. Largest: copy.787, 2.30 ms."),
            ),
            (
                "181 ops. Largest: fusion.877, 1.59 ms, model/moe.py:36. They run at 34.2 % of their roofline.",
                Some("181 ops. Largest: fusion.877, 1.59 ms. They run at 34.2 % of their roofline."),
            ),
            ("Copies (moe.py:28, :33) take 24 ms of 167 ms.", Some("Copies take 24 ms of 167 ms.")),
            ("Copies (moe.py:28) take 24 ms.", Some("Copies take 24 ms.")),
            ("Copies (24 ms, moe.py:28) take long.", Some("Copies (24 ms) take long.")),
            ("Copies (moe.py:28, 24 ms) take long.", Some("Copies (24 ms) take long.")),
            ("The ops at model/moe.py:28, model/moe.py:33 wait.", Some("The ops wait.")),
            ("The longest op is from moe.py:28.", Some("The longest op is.")),
            ("moe.py:28", None),
            ("No path.", Some("No path.")),
            ("Largest: copy.1, my model.py:3.", None),
        ] {
            assert_eq!(without_paths(text, &is_path).as_deref(), rest);
        }
    }

    #[test]
    fn shapes_keep_their_types() {
        assert_eq!(shape("bf16[8,128]{1,0:T(8,128)(2,1)}"), "bf16[…]");
        assert_eq!(shape("(f32[2]{0}, s32[])"), "(f32[…], s32[…])");
        assert_eq!(shape("(f32[2]{0}, /*index=5*/s32[], token[])"), "(f32[…], s32[…], token[…])");
        assert_eq!(shape("secret<|(javascript:alert(1), f32[hidden] type77 f32x\u{202e}"), "((), f32[…]");
        assert!(is_device("/device:TPU:0") && is_device("GPU:12") && !is_device("/host:secret") && !is_device("TPU:x"));
    }
}
