//! This module parses whole modules.

use super::comments;
use super::instruction::Reader;
use super::scan::Scan;
use super::tables;
use crate::hlo::{Computation, InstructionId, Module, Style, Text, Value};

pub(super) fn read(text: &str) -> Option<(Module, Style)> {
    let text = comments::blanked(text);
    let mut scan = Scan::new(&text);
    let mut reader = Reader::new(text.len());
    let mut module = Module::default();
    scan.lines();
    if starts_with_instruction(scan.clone()) {
        // The instructions of a computation without its header.
        let computation = Computation { name: reader.texts.get("snippet"), ..Computation::default() };
        body(&mut scan, &mut reader, &mut module, (computation, true), true);
    }
    loop {
        scan.lines();
        if scan.is_empty() || reader.has_too_many_parts() {
            break;
        }
        let place = scan.position();
        if scan.eat_word("HloModule") {
            reader.room(1);
            scan.space();
            module.name = reader.name(&mut scan).unwrap_or_default();
            module.attributes = reader.attributes(&mut scan);
            line_end(&mut scan, &mut reader);
        } else if !tables::read(&mut scan, &mut module.frames, &mut reader)
            && computation(&mut scan, &mut reader, &mut module).is_none()
        {
            reader.leftover(scan.text_from(place));
            // Parsing continues where it stopped. Going back to the start of the line would make time quadratic.
            scan.skip_line();
        }
    }
    reader.unclosed(&scan);
    if module.computations.is_empty() || reader.has_too_many_parts() {
        return None;
    }
    // Without `ENTRY`, the last computation is the entry.
    let last = module.computations().last().map(|(id, _)| id);
    module.entry = module.entry.or(last);
    if module.name.is_empty() {
        // A part of a module has the name of its entry.
        let entry = module.entry.and_then(|id| module.computations.get(id.index()));
        module.name = entry.map(|computation| Text::clone(&computation.name)).unwrap_or_default();
    }
    module.damage = reader.damage;
    let mut module = module.link();
    if module.attributes.iter().any(|a| &*a.key == "is_scheduled" && a.value == Value::Text("true".into())) {
        schedule(&mut module);
    }
    Some((module, reader.style))
}

/// Sets the schedule of each computation to the order of the text, as in the text of a scheduled module.
fn schedule(module: &mut Module) {
    for computation in module.computations.iter_mut().filter(|c| !c.is_fusion) {
        computation.schedule = Some(computation.instructions.clone().map(|i| InstructionId::new(i as usize)).collect());
    }
}

/// Parses a computation and adds it to the module. Returns `None` if no computation starts here; the position may have
/// moved.
fn computation(scan: &mut Scan<'_>, reader: &mut Reader, module: &mut Module) -> Option<()> {
    let header = header(scan, reader)?;
    reader.room(4);
    body(scan, reader, module, header, false);
    Some(())
}

/// Returns whether an instruction starts here: `[ROOT] [%]NAME =`.
fn starts_with_instruction(mut scan: Scan<'_>) -> bool {
    scan.eat_word("ROOT");
    scan.space();
    scan.eat(b'%');
    let has_name = !scan.name().is_empty();
    scan.space();
    has_name && scan.eat(b'=')
}

/// Parses the instructions of a computation up to its closing brace, and adds it to the module. A computation without braces ends with
/// the text.
fn body(
    scan: &mut Scan<'_>,
    reader: &mut Reader,
    module: &mut Module,
    (mut computation, is_entry): (Computation, bool),
    is_bare: bool,
) {
    let start = module.instructions.len();
    loop {
        scan.lines();
        if scan.eat(b'}') {
            break;
        }
        if scan.is_empty() || reader.has_too_many_parts() {
            if !is_bare {
                reader.leftover("a computation that does not end");
            }
            break;
        }
        let place = scan.position();
        if let Some(instruction) = reader.instruction(scan) {
            module.instructions.push(instruction);
            // In short texts, the closing brace is on the same line.
            scan.space();
            if scan.peek() != Some(b'}') {
                line_end(scan, reader);
            }
        } else {
            reader.leftover(scan.text_from(place));
            scan.skip_line();
        }
    }
    for attribute in reader.attributes(scan) {
        match (&*attribute.key, attribute.value) {
            ("execution_thread", Value::Text(thread)) => {
                computation.thread = Some(reader.texts.get(thread.trim_matches('"')));
            }
            _ => reader.leftover(&attribute.key),
        }
    }
    line_end(scan, reader);
    module.push_computation(start, computation, is_entry);
}

/// Words that begin other parts of a module. A computation cannot have such a name, because its text would be
/// ambiguous.
const WORDS: [&str; 6] = ["HloModule", "ENTRY", "FileNames", "FunctionNames", "FileLocations", "StackFrames"];

/// Parses `ENTRY %name (p: f32[]) -> f32[] {`, or only `name {`. The shapes are skipped, because the parameters and the
/// root have them too.
fn header(scan: &mut Scan<'_>, reader: &mut Reader) -> Option<(Computation, bool)> {
    let is_entry = scan.eat_word("ENTRY");
    scan.space();
    let name = reader.name(scan).filter(|name| !WORDS.contains(&&**name))?;
    scan.space();
    if scan.peek() == Some(b'(') {
        scan.group()?;
        scan.space();
        scan.eat_str("->").then_some(())?;
        scan.space();
        super::shape::read(scan)?;
        scan.space();
    }
    scan.eat(b'{').then(|| (Computation { name, ..Computation::default() }, is_entry))
}

/// Skips the rest of the line, and counts it unless it is blank or a comment.
fn line_end(scan: &mut Scan<'_>, reader: &mut Reader) {
    scan.space();
    if !scan.is_empty() && scan.peek() != Some(b'\n') && !scan.rest().starts_with("//") {
        reader.leftover(scan.rest());
        scan.skip_line();
    }
}
