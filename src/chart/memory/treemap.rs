//! This module draws the treemap of the buffers that are alive at a point: groups with a heading, and their buffers
//! inside. It does not depend on a browser.
//!
//! The id of a mark is the index in the list of buffers. The colour is the class of the buffer, for every grouping.

use super::size::text;
use crate::analysis::memory::{AliveAt, Buffer, BufferId, RollUpBy};
use crate::chart::plot::label;
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::plot::treemap::squarify;
use crate::chart::widgets::tip::Tip;
use crate::table::format;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// Gap between groups, and [`LINE`] between buffers, in px.
const GAP: f64 = 2.0;
const LINE: f64 = 1.0;
/// Height of a group's heading, in px.
const HEAD: f64 = 15.0;
/// Smallest number of letters of a name that a buffer shows.
const LETTERS: usize = 6;

struct Group {
    key: String,
    size: u64,
    members: Vec<usize>,
}

/// Returns the key of the group that a buffer belongs to; empty if the buffer does not have the property.
pub fn key(buffer: &Buffer, by: RollUpBy) -> String {
    match by {
        RollUpBy::Category => buffer.category.label().to_owned(),
        RollUpBy::Class => buffer.class.label().to_owned(),
        RollUpBy::Opcode => buffer.opcode.clone(),
        RollUpBy::Scope => scope(&buffer.op_name).to_owned(),
        RollUpBy::Source => buffer.source.clone().unwrap_or_default(),
        RollUpBy::Dtype => buffer.dtype.clone().unwrap_or_default(),
    }
}

/// Returns the path without its last segment.
fn scope(op_name: &str) -> &str {
    op_name.rsplit_once('/').map_or("", |(scope, _)| scope)
}

fn groups(buffers: &[Buffer], by: RollUpBy) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, buffer) in buffers.iter().enumerate().filter(|(_, buffer)| buffer.size > 0) {
        let key = key(buffer, by);
        match groups.iter_mut().find(|group| group.key == key) {
            Some(group) => {
                group.size = group.size.saturating_add(buffer.size);
                group.members.push(index);
            }
            None => groups.push(Group { key, size: buffer.size, members: vec![index] }),
        }
    }
    groups.small_sort_by(|a, b| (Reverse(a.size), &a.key).cmp(&(Reverse(b.size), &b.key)));
    groups
}

/// Draws the treemap. Buffers in `without`, which the what-if leaves out, are faint and have a dashed outline.
pub fn scene(alive: &AliveAt, by: RollUpBy, without: &[BufferId], size: (f64, f64)) -> Scene {
    let (width, height) = size;
    let groups = groups(&alive.buffers, by);
    #[expect(clippy::cast_precision_loss, reason = "areas")]
    let sizes: Vec<f64> = groups.iter().map(|group| group.size as f64).collect();
    let frame = Rect { x: 0.0, y: 0.0, width, height };
    let mut marks = Vec::new();
    for (group, part) in groups.iter().zip(squarify(&sizes, frame)) {
        let inner =
            Rect { x: part.x, y: part.y, width: (part.width - GAP).max(0.0), height: (part.height - GAP).max(0.0) };
        let name = if group.key.is_empty() { "none" } else { &group.key };
        let head = format!("{name} {}", text(group.size));
        let room = inner.height > HEAD * 2.5 && inner.width > 44.0;
        let words = [head, name.to_owned()];
        let below = match label::fit(&words, Size::Micro.px(), inner.width - 4.0).filter(|_| room) {
            None => inner,
            Some(words) => {
                let shape = Shape::text(inner.x + 2.0, inner.y + 11.0, Anchor::Start, words.to_owned());
                marks.push(Mark::new(shape, Paint::fill(Tone::Ink2)));
                Rect { y: inner.y + HEAD, height: inner.height - HEAD, ..inner }
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "areas")]
        let sizes: Vec<f64> = group.members.iter().map(|index| alive.buffers[*index].size as f64).collect();
        for (index, part) in group.members.iter().zip(squarify(&sizes, below)) {
            buffer(&mut marks, *index, &alive.buffers[*index], part, without);
        }
    }
    Scene { width, height, marks, title: title(alive, &groups, by), table: table(alive, &groups) }
}

fn buffer(marks: &mut Vec<Mark>, index: usize, buffer: &Buffer, part: Rect, without: &[BufferId]) {
    let (w, h) = ((part.width - LINE).max(0.0), (part.height - LINE).max(0.0));
    if w <= 0.0 || h <= 0.0 {
        return;
    }
    let id = u32::try_from(index).unwrap_or(u32::MAX);
    let out = without.contains(&buffer.id);
    let paint =
        if out { Paint::fill(Tone::Class(buffer.class)).faded(0.25) } else { Paint::fill(Tone::Class(buffer.class)) };
    marks.push(Mark::for_datum(id, sentence(buffer), Shape::rect(part.x, part.y, w, h), paint));
    if out {
        marks.push(Mark::new(
            Shape::rect(part.x + 0.75, part.y + 0.75, w - 1.5, h - 1.5),
            Paint::stroke(Tone::AccentLine, 1.5).dashed(),
        ));
    }
    let room = label::mono_room(w - 8.0, Size::Micro.px());
    if h >= 17.0 && room >= LETTERS {
        let shape = Shape::mono_text(part.x + 4.0, part.y + 13.0, format::middle_cut(&buffer.label(), room));
        marks.push(Mark::new(shape, Paint::fill(if out { Tone::Ink } else { Tone::OnClass(buffer.class) })));
    }
}

fn sentence(buffer: &Buffer) -> String {
    format!("{}, {}, {}: {}.", buffer.label(), buffer.class.label(), buffer.category.label(), text(buffer.size))
}

/// Builds the tooltip of a buffer.
pub fn tip(buffer: &Buffer) -> Tip {
    let mut rows = vec![("Size".to_owned(), format!("{} ({} B)", text(buffer.size), format::count(buffer.size)))];
    let mut row = |label: &str, value: Option<String>| rows.extend(value.map(|value| (label.to_owned(), value)));
    let wasted = buffer.wasted().filter(|wasted| *wasted > 0);
    row("Padding", wasted.map(text));
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    row("Shape", some(&buffer.shape));
    row("Class", Some(format!("{}, {}", buffer.class.label(), buffer.category.label())));
    let title = buffer.label();
    row("Instruction", some(&buffer.instruction).filter(|instruction| *instruction != title));
    row("Opcode", some(&buffer.opcode));
    row("Scope", some(&buffer.op_name).filter(|scope| *scope != title));
    row("Source", buffer.source.clone());
    row(
        "Live range",
        Some(format!("from {} to {}", format::count(buffer.first.into()), format::count(buffer.last.into()))),
    );
    Tip { title, rows }
}

fn title(alive: &AliveAt, groups: &[Group], by: RollUpBy) -> String {
    let one =
        |group: &Group| format!("{} {}", if group.key.is_empty() { "none" } else { &group.key }, text(group.size));
    let largest: Vec<String> = groups.iter().take(6).map(one).collect();
    let buffers = format::counted(alive.n.into(), "buffer", "buffers");
    format!("{buffers} alive, {}, by {}: {}.", text(alive.size), by.label(), largest.join(", "))
}

fn table(alive: &AliveAt, groups: &[Group]) -> SceneTable {
    let row = |group: &Group| {
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = group.size as f64 / alive.size.max(1) as f64;
        let name = if group.key.is_empty() { "none" } else { &group.key };
        [name.to_owned(), text(group.size), format::percent_text(share), format::count(group.members.len() as u64)]
    };
    SceneTable::new(["Group", "Size", "% of all", "Buffers"], groups.iter().map(row))
}
