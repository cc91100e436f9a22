//! This module parses the tables of call stacks, which precede the computations in the text of a module.
//!
//! ```text
//! FileNames             FunctionNames     FileLocations
//! 1 "/app/train.py"     1 "main"          1 {file_name_id=1 function_name_id=1 line=5 …}
//!
//! StackFrames
//! 1 {file_location_id=1 parent_frame_id=0}
//! ```

use super::instruction::Reader;
use super::scan::Scan;
use crate::hlo::escape::unescape;
use crate::hlo::{Frame, Frames, Location};

/// Parses the table that starts here. Returns `false` if no table does.
pub(super) fn read(scan: &mut Scan<'_>, frames: &mut Frames, reader: &mut Reader) -> bool {
    let tables = ["FileNames", "FunctionNames", "FileLocations", "StackFrames"];
    let Some(table) = tables.into_iter().find(|t| scan.eat_word(t)) else { return false };
    loop {
        scan.lines();
        let place = scan.position();
        let Some(number) = scan.number::<usize>() else { return true };
        scan.space();
        let is_new = match table {
            "FileNames" => name(scan).map(|n| (frames.files.push(reader.texts.get(&n)), frames.files.len())),
            "FunctionNames" => {
                name(scan).map(|n| (frames.functions.push(reader.texts.get(&n)), frames.functions.len()))
            }
            "FileLocations" => location(scan).map(|l| (frames.locations.push(l), frames.locations.len())),
            _ => frame(scan).map(|f| (frames.frames.push(f), frames.frames.len())),
        };
        // Rows have the numbers 1, 2, 3, …, which are the ids.
        if is_new.is_none_or(|((), n)| n != number) {
            reader.leftover(scan.text_from(place));
            scan.skip_line();
        }
    }
}

fn name(scan: &mut Scan<'_>) -> Option<String> {
    let place = scan.position();
    if scan.peek() != Some(b'"') {
        return None;
    }
    scan.quoted();
    scan.since(place).strip_prefix('"')?.strip_suffix('"').map(unescape)
}

fn location(scan: &mut Scan<'_>) -> Option<Location> {
    let mut location = Location::default();
    fields(scan, |key, value| {
        let place = match key {
            "file_name_id" => &mut location.file,
            "function_name_id" => &mut location.function,
            "line" => &mut location.line,
            "end_line" => &mut location.end_line,
            "column" => &mut location.column,
            "end_column" => &mut location.end_column,
            _ => return,
        };
        *place = value;
    })?;
    Some(location)
}

fn frame(scan: &mut Scan<'_>) -> Option<Frame> {
    let mut frame = Frame::default();
    fields(scan, |key, value| match key {
        "file_location_id" => frame.location = value,
        "parent_frame_id" => frame.parent = value,
        _ => {}
    })?;
    Some(frame)
}

/// Calls `each` for every `key=number` in the bracket.
fn fields(scan: &mut Scan<'_>, mut each: impl FnMut(&str, u32)) -> Option<()> {
    let mut inner = Scan::new(scan.group()?);
    loop {
        inner.space();
        if inner.is_empty() {
            return Some(());
        }
        let key = inner.word();
        let value = inner.eat(b'=').then(|| inner.number())??;
        each(key, value);
    }
}
