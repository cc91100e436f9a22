//! This module draws the scopes of both sides: the icicle of A above that of B, on one scale of time. Scopes of B that differ are
//! tinted. The layout of one icicle is in `plot::icicle`.

use super::figures::{is_noise, letter_mark, time_unit};
use crate::analysis::compare::{Comparison, ScopeDelta};
use crate::chart::plot::hit_test::Direction;
use crate::chart::plot::icicle::{self, Icicle, Node, ROW_HEIGHT};
use crate::chart::plot::icicle_scene;
use crate::chart::plot::label;
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::widgets::tip::{Tip, row};
use crate::table::format::{self, TimeUnit, signed_time};
use xla_profile::units::Picos;

/// A scope is tinted if its time differs by at least this share of the time of A.
const CHANGED: f64 = 0.05;
/// Room for the letter of a side, in px.
const MARGIN: f64 = 22.0;
/// Space between the icicles, in px.
const GAP: f64 = 10.0;

/// The icicles of both sides. The id of a mark is the index of its scope; for a mark of B, plus the number of scopes.
#[derive(Clone, Debug, PartialEq)]
pub struct ScopesPicture {
    pub scene: Scene,
    /// That of A and that of B, or one of the difference.
    icicles: Vec<Icicle>,
    n: u32,
}

/// Draws the scopes at and below a path. An empty path stands for all scopes. `None` if neither side has time there, or if there
/// is no room.
pub fn scopes(comparison: &Comparison, path: &str, width: f64, rows_max: u32) -> Option<ScopesPicture> {
    let n = u32::try_from(comparison.scopes.len()).ok()?;
    let root = root(&comparison.scopes, path);
    let whole = comparison.scopes.get(root)?;
    let room = width - MARGIN;
    let longest = whole.a.total.max(whole.b.total);
    if longest == 0 || room <= 0.0 {
        return None;
    }
    let unit = time_unit(comparison);
    let nodes = [false, true].map(|is_b| nodes(comparison, is_b, root, unit));
    #[expect(clippy::cast_precision_loss, reason = "widths on the screen")]
    let width_of = |total: u64| total as f64 / longest as f64 * room;
    let widths = [width_of(whole.a.total), width_of(whole.b.total)];
    let layout = |side: usize| icicle::layout(&nodes[side], root as u32, widths[side], rows_max);
    let icicles = vec![layout(0), layout(1)];
    let mut marks = Vec::new();
    let mut top = 0.0;
    for (side, letter) in ["A", "B"].into_iter().enumerate() {
        let icicle = &icicles[side];
        let scene = icicle_scene::to_scene(&nodes[side], icicle, widths[side], None, letter);
        let shift = |mut mark: Mark| {
            mark.shape = mark.shape.moved(MARGIN, top);
            mark.id = mark.id.map(|id| if side == 0 { id } else { id + n });
            mark.label = if mark.id.is_some() { format!("{letter}: {}", mark.label) } else { mark.label };
            mark
        };
        marks.extend(scene.marks.into_iter().map(shift));
        marks.push(letter_mark(letter, top + ROW_HEIGHT * 0.68));
        marks.extend(missing(comparison, whole, (side, widths[side], room), top, unit));
        // A side without time has a row all the same, so that its letter stands somewhere.
        top += f64::from(icicle.rows().max(1)) * ROW_HEIGHT + GAP;
    }
    let cells = icicles.iter().map(|icicle| icicle.cells.len()).collect::<Vec<_>>();
    let scene = Scene {
        width,
        height: top - GAP,
        marks,
        title: format!("Self time by scope path, A above B, on one scale: {} cells in A, {} in B.", cells[0], cells[1]),
        table: table(comparison, unit),
    };
    Some(ScopesPicture { scene, icicles, n })
}

/// Draws the differences of the scopes at and below a path as one icicle. A scope is as wide as the longer side of its own ops and
/// its children together. `None` if neither side has time there, or if there is no room.
pub fn scope_differences(comparison: &Comparison, path: &str, width: f64, rows_max: u32) -> Option<ScopesPicture> {
    let n = u32::try_from(comparison.scopes.len()).ok()?;
    let root = root(&comparison.scopes, path);
    let unit = time_unit(comparison);
    let sizes = longer_times(&comparison.scopes);
    if *sizes.get(root)? == 0 || width <= 0.0 {
        return None;
    }
    let is_noise = is_noise(comparison.verdict);
    let node = |(index, scope): (usize, &ScopeDelta)| {
        let side = match (scope.a.total, scope.b.total) {
            (0, 1..) => " new",
            (1.., 0) => " gone",
            _ => "",
        };
        Node {
            parent: parent(&comparison.scopes, index, root),
            name: name(scope).to_owned(),
            figure: format!("{}{side}", signed_time(scope.delta_ps(), unit)),
            total: sizes[index],
            parts: [0; 7],
            tint: tone(scope).filter(|_| !is_noise),
        }
    };
    let nodes: Vec<Node> = comparison.scopes.iter().enumerate().map(node).collect();
    let icicle = icicle::layout(&nodes, root as u32, width, rows_max);
    let title = "Difference of self time by scope path, as wide as the longer sides of all parts";
    let scene = Scene { table: table(comparison, unit), ..icicle_scene::to_scene(&nodes, &icicle, width, None, title) };
    Some(ScopesPicture { scene, icicles: vec![icicle], n })
}

/// Returns the width of each scope in a picture of differences, in ps: the longer one of its own times in A and B, and the widths of
/// its children.
fn longer_times(scopes: &[ScopeDelta]) -> Vec<u64> {
    let mut own: Vec<(u64, u64)> = scopes.iter().map(|scope| (scope.a.total, scope.b.total)).collect();
    for scope in scopes {
        if let Some((a, b)) = scope.parent.and_then(|parent| own.get_mut(parent as usize)) {
            (*a, *b) = (a.saturating_sub(scope.a.total), b.saturating_sub(scope.b.total));
        }
    }
    let mut sizes: Vec<u64> = own.into_iter().map(|(a, b)| a.max(b)).collect();
    // Children come after their parents.
    for (index, scope) in scopes.iter().enumerate().rev() {
        if let Some(parent) = scope.parent {
            sizes[parent as usize] = sizes[parent as usize].saturating_add(sizes[index]);
        }
    }
    sizes
}

/// Returns the parent of a scope in a picture of `root`. A first cell with a parent is drawn as the mark of a zoomed tree.
fn parent(scopes: &[ScopeDelta], index: usize, root: usize) -> Option<u32> {
    let scope = &scopes[index];
    scope.parent.filter(|_| index != root || root > 0 && !scope.is_top(scopes))
}

/// Returns the index of the scope with a path. Without a path, the drawing starts at the only child of the root if that has the
/// same time.
fn root(scopes: &[ScopeDelta], path: &str) -> usize {
    let index_of = |path: &str| scopes.iter().position(|scope| scope.path == path);
    if let Some(index) = index_of(path).filter(|_| !path.is_empty()) {
        return index;
    }
    let mut children = scopes.iter().enumerate().filter(|(_, scope)| scope.parent == Some(0));
    let only = children.next().filter(|_| children.next().is_none());
    let is_whole = |(_, child): &(usize, &ScopeDelta)| {
        scopes.first().is_some_and(|root| (root.a.total, root.b.total) == (child.a.total, child.b.total))
    };
    only.filter(is_whole).map_or(0, |(index, _)| index)
}

/// Returns the nodes of a side for the layout.
fn nodes(comparison: &Comparison, is_b: bool, root: usize, unit: TimeUnit) -> Vec<Node> {
    let is_noise = is_noise(comparison.verdict);
    let node = |(index, scope): (usize, &ScopeDelta)| {
        let time = if is_b { scope.b } else { scope.a };
        let tone = tone(scope).filter(|_| is_b && !is_noise);
        let figure = format::time(Picos(time.total), unit);
        let is_shown = is_b && tone.is_some();
        let figure = if is_shown { format!("{figure} {}", signed_time(scope.delta_ps(), unit)) } else { figure };
        let parent = parent(&comparison.scopes, index, root);
        Node { parent, name: name(scope).to_owned(), figure, total: time.total, parts: time.by_kind, tint: tone }
    };
    comparison.scopes.iter().enumerate().map(node).collect()
}

fn name(scope: &ScopeDelta) -> &str {
    if scope.name.is_empty() { "all ops" } else { &scope.name }
}

impl ScopeDelta {
    /// Returns whether the scope is the only child of the root.
    fn is_top(&self, all: &[Self]) -> bool {
        self.parent == Some(0) && all.iter().filter(|scope| scope.parent == Some(0)).count() == 1
    }
}

/// Returns the colour of a scope that differs. `None` if its difference is small.
fn tone(scope: &ScopeDelta) -> Option<Tone> {
    let delta = scope.delta_ps();
    #[expect(clippy::cast_precision_loss, reason = "a threshold")]
    let is_changed = delta.unsigned_abs() as f64 >= CHANGED * scope.a.total as f64 && delta != 0;
    is_changed.then_some(if delta > 0 { Tone::Worse } else { Tone::Better })
}

/// Draws the time that the shorter side lacks, as a dashed box beside its root.
fn missing(
    comparison: &Comparison,
    whole: &ScopeDelta,
    (side, width, room): (usize, f64, f64),
    top: f64,
    unit: TimeUnit,
) -> Vec<Mark> {
    let free = room - width;
    if free < 4.0 {
        return Vec::new();
    }
    let is_noise = is_noise(comparison.verdict);
    // The box stands at the shorter side, and says what B lacks or has more than A.
    let tone = match tone(whole) {
        Some(tone) if !is_noise => tone,
        _ => Tone::Ink3,
    };
    let shape = Shape::rect(MARGIN + width + 1.0, top + 1.0, free - 2.0, ROW_HEIGHT - 3.0);
    let mut marks = vec![Mark::new(shape, Paint::stroke(tone, 1.0).dashed())];
    let text = format!("{} {}", signed_time(whole.delta_ps(), unit), unit.symbol());
    if side == 1 && label::width(&text, Size::Micro.px()) + 12.0 <= free {
        marks.push(Mark::new(
            Shape::text(MARGIN + width + 8.0, top + 14.5, Anchor::Start, text),
            Paint::fill(Tone::Ink),
        ));
    }
    marks
}

fn table(comparison: &Comparison, unit: TimeUnit) -> SceneTable {
    let [a, b, difference] = ["A", "B", "Difference"].map(|head| format!("{head}, {}", unit.symbol()));
    let row = |scope: &ScopeDelta| {
        let time = |ps: u64| format::time(Picos(ps), unit);
        let path = if scope.path.is_empty() { name(scope) } else { &scope.path };
        [path.to_owned(), time(scope.a.total), time(scope.b.total), signed_time(scope.delta_ps(), unit)]
    };
    SceneTable::new(["Scope", &a, &b, &difference], comparison.scopes.iter().map(row))
}

impl ScopesPicture {
    /// Returns the index of the scope of a mark.
    pub const fn scope(&self, id: u32) -> usize {
        (if id < self.n { id } else { id - self.n }) as usize
    }

    /// Returns the mark that a key leads to. The root of B is below A.
    pub fn walk(&self, from: u32, direction: Direction) -> Option<u32> {
        let [a, b] = &self.icicles[..] else {
            return icicle::walk(&self.icicles.first()?.cells, Some(from), direction);
        };
        let in_b = |node: u32| node + self.n;
        if from < self.n {
            let below = || b.cells.first().filter(|_| direction == Direction::Down).map(|cell| in_b(cell.node));
            return icicle::walk(&a.cells, Some(from), direction).or_else(below);
        }
        let above = || a.cells.first().filter(|_| direction == Direction::Up).map(|cell| cell.node);
        icicle::walk(&b.cells, Some(from - self.n), direction).map(in_b).or_else(above)
    }
}

/// Builds the tooltip of a scope.
pub fn scope_tip(comparison: &Comparison, scope: &ScopeDelta) -> Tip {
    let time = |ps: u64| format::time_text(Picos(ps));
    let mut rows = vec![
        row("Self time in A, all below", time(scope.a.total)),
        row("Self time in B, all below", time(scope.b.total)),
        row("Difference", format::signed_time_text(scope.delta_ps())),
    ];
    #[expect(clippy::cast_precision_loss, reason = "ratios")]
    let share = |whole: u64| (whole > 0).then(|| scope.delta_ps() as f64 / whole as f64);
    let change = share(scope.a.total).map(|share| ("Change", share));
    let of_whole = share(comparison.a_ps.unsigned_abs()).map(|share| ("Of the time of A", share));
    let shares = [change, of_whole].into_iter().flatten();
    rows.extend(shares.map(|(label, share)| row(label, format!("{} %", format::signed_percent(share)))));
    Tip { title: if scope.path.is_empty() { name(scope).to_owned() } else { scope.path.clone() }, rows }
}
