//! This module lays out nested boxes. Each opened node gets its own layout, the innermost first, and is then placed
//! like any other node in the box around it. An edge between boxes passes through ports in their rims.

use super::layer_graph::{Item, Link, NodePlace};
use super::layered_layout::{LayeredLayout, compute_layout};
use crate::analysis::op::graph::OpGraph;
use crate::chart::plot::popover_position::Rect;
use indexmap::IndexMap;
use xla_profile::small_sort::SmallSort;

/// Width of a node that is not opened, in px.
pub(crate) const WIDTH: f64 = 208.0;
/// Height of a node that is not opened, in px.
pub(crate) const HEIGHT: f64 = 44.0;
/// Height of the header line of an opened node, in px.
pub(crate) const HEAD: f64 = 32.0;
/// Margin between a box and its contents, and around the whole drawing, in px.
pub(crate) const MARGIN: f64 = 16.0;

/// Positions of all nodes and edges.
pub(crate) struct Nested {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Bounds of each node.
    pub(crate) rects: Vec<Rect>,
    /// Points of each edge, from its source to its target.
    pub(crate) routes: Vec<Vec<(f64, f64)>>,
}

/// The contents of one box, or of the whole drawing.
#[derive(Default)]
struct Group {
    /// Nodes in the box; they are the first items.
    members: Vec<usize>,
    items: Vec<Item>,
    links: Vec<Link>,
    /// Index of a link by its ends, trunk and target, so that edges share links.
    known: IndexMap<(usize, usize, u32, u32), usize>,
    /// Ports by the node at the other end of the edge, and whether they are in the upper rim.
    ports: IndexMap<(u32, bool), usize>,
    laid: LayeredLayout,
    /// Top left corner in the drawing.
    corner: (f64, f64),
}

impl Group {
    /// Returns the margin between the upper (or lower) rim and the contents. Links through ports bring their own space.
    fn rim(&self, upper: bool) -> f64 {
        if self.ports.iter().any(|((_, is_upper), _)| *is_upper == upper) { 0.0 } else { MARGIN }
    }
}

/// A part of an edge: the index of a group and of a link in it.
type EdgePart = (usize, usize);

/// The end of an edge within a group: the node itself, or the box that contains it.
#[derive(Clone, Copy)]
struct End {
    item: usize,
    /// Offset of the end from the middle of the item, in px. `None` if the end is free.
    offset: Option<f64>,
}

/// Places nodes and edges. The last group is the whole drawing.
pub(crate) fn nest(graph: &OpGraph) -> Nested {
    let n = graph.nodes.len();
    // A node comes after its parent.
    let parent: Vec<usize> = graph.nodes.iter().map(|node| node.parent.map_or(n, |p| p as usize)).collect();
    let mut groups: Vec<Group> = (0..=n).map(|_| Group::default()).collect();
    let mut place = vec![0; n];
    for i in 0..n {
        place[i] = groups[parent[i]].members.len();
        groups[parent[i]].members.push(i);
    }
    let chains: Vec<(Vec<usize>, Vec<usize>)> =
        graph.edges.iter().map(|e| (chain(&parent, e.from as usize), chain(&parent, e.to as usize))).collect();
    let mut parts: Vec<Vec<EdgePart>> = vec![Vec::new(); graph.edges.len()];
    let mut sizes = vec![(WIDTH, HEIGHT); n];
    // The innermost boxes come first, the whole drawing last.
    for node in (0..n).rev().filter(|node| graph.nodes[*node].is_opened()) {
        fill(&mut groups, node, &sizes, graph, &chains, &place, &mut parts);
        let group = &groups[node];
        let width = (group.laid.width + MARGIN * 2.0).max(WIDTH * 1.5);
        sizes[node] = (width, HEAD + group.rim(true) + group.laid.height + group.rim(false));
    }
    fill(&mut groups, n, &sizes, graph, &chains, &place, &mut parts);
    let mut rects = vec![Rect::default(); n];
    groups[n].corner = (MARGIN, MARGIN);
    for i in 0..n {
        let around = &groups[parent[i]];
        let rect = around.laid.items[place[i]];
        rects[i] = Rect { x: around.corner.0 + rect.x, y: around.corner.1 + rect.y, ..rect };
        let (inset, rim) = ((rects[i].width - groups[i].laid.width) / 2.0, groups[i].rim(true));
        groups[i].corner = (rects[i].x + inset, rects[i].y + HEAD + rim);
    }
    let path = |((from, to), parts): (&(Vec<usize>, Vec<usize>), &mut Vec<EdgePart>)| {
        // The parts are in the order of the path: out of boxes, across, into boxes.
        parts.small_sort_by_key(|(group, _)| {
            let place_in = |chain: &[usize]| chain.iter().position(|other| other == group);
            match (place_in(from), place_in(to)) {
                (Some(position), None) => position,
                (None, Some(position)) => usize::MAX - position,
                _ => usize::MAX / 2,
            }
        });
        let mut path: Vec<(f64, f64)> = Vec::new();
        for (group, link) in parts {
            let Group { corner, laid, .. } = &groups[*group];
            path.extend(laid.routes[*link].iter().map(|(x, y)| (corner.0 + x, corner.1 + y)));
        }
        path.dedup();
        path
    };
    let all = &groups[n].laid;
    Nested {
        width: all.width + MARGIN * 2.0,
        height: all.height + MARGIN * 2.0,
        routes: chains.iter().zip(&mut parts).map(path).collect(),
        rects,
    }
}

/// Returns a node and the boxes around it, from the inside out.
fn chain(parent: &[usize], node: usize) -> Vec<usize> {
    let mut chain = vec![node];
    let mut current = node;
    while let Some(next) = parent.get(current).filter(|next| **next < parent.len()) {
        chain.push(*next);
        current = *next;
    }
    chain
}

/// Lays out the contents of one box. The boxes inside it have their layout already.
fn fill(
    groups: &mut [Group],
    index: usize,
    sizes: &[(f64, f64)],
    graph: &OpGraph,
    chains: &[(Vec<usize>, Vec<usize>)],
    place: &[usize],
    parts: &mut [Vec<EdgePart>],
) {
    let mut group = std::mem::take(&mut groups[index]);
    let item = |i: &usize| Item { width: sizes[*i].0, height: sizes[*i].1, place: NodePlace::Free };
    group.items = group.members.iter().map(item).collect();
    let is_here = |i: &usize| group.members.get(place[*i]) == Some(i);
    for (edge, (from, to)) in chains.iter().enumerate() {
        // Member at each end of the edge. An end without a member is outside of the box.
        let (out, into) = (from.iter().position(is_here), to.iter().position(is_here));
        let (source, target) = (graph.edges[edge].from, graph.edges[edge].to);
        let trunk = source * 2 + u32::from(graph.edges[edge].control);
        let port = |groups: &[Group], member: usize, node: u32, upper: bool| {
            let laid = &groups[member].laid;
            let port_rect = groups[member].ports.get(&(node, upper)).and_then(|port| laid.items.get(*port));
            port_rect.map(|rect| rect.x + rect.width / 2.0 - laid.width / 2.0)
        };
        let leaves =
            out.map(|index| End { item: place[from[index]], offset: port(groups, from[index], source, false) });
        let enters = into.map(|index| End { item: place[to[index]], offset: port(groups, to[index], target, true) });
        let (a, b) = match (leaves, enters) {
            (None, None) => continue,
            // One end contains the other, or both ends are in one member: another box draws the edge.
            (Some(a), Some(b)) if a.item == b.item => continue,
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) => (a, group_port(&mut group.ports, &mut group.items, source, false)),
            (None, Some(b)) => (group_port(&mut group.ports, &mut group.items, target, true), b),
        };
        let key = (a.item, b.item, trunk, if b.offset.is_some() { target } else { u32::MAX });
        let key = if enters.is_none() || leaves.is_none() { (a.item, b.item, u32::MAX, key.3) } else { key };
        let links = &mut group.links;
        let link = *group.known.entry(key).or_insert_with(|| {
            let (out, into) = (a.offset.unwrap_or(0.0), b.offset.unwrap_or(0.0));
            links.push(Link { from: a.item, to: b.item, out, into, fixed: b.offset.is_some(), trunk });
            links.len() - 1
        });
        parts[edge].push((index, link));
    }
    group.laid = compute_layout(&group.items, &group.links);
    groups[index] = group;
}

/// Returns the port of an edge in the rim of the box that is being laid out.
fn group_port(ports: &mut IndexMap<(u32, bool), usize>, items: &mut Vec<Item>, node: u32, upper: bool) -> End {
    let item = *ports.entry((node, upper)).or_insert_with(|| {
        items.push(Item { width: 0.0, height: 0.0, place: if upper { NodePlace::Top } else { NodePlace::Bottom } });
        items.len() - 1
    });
    End { item, offset: Some(0.0) }
}
