//! These tests compare the neighbourhood of real ops with the relations in their program, and check the drawing of the
//! neighbourhood.

use crate::common::{bytes, hlo, make, open, roofline_query};
use rooflight::analysis::base::{Analysis, Query, StepChoice};
use rooflight::analysis::op::graph::{GraphNode, NodeRole, OpGraph};
use rooflight::analysis::op::{OpBasis, OpDetail};
use rooflight::chart::op::graph::{Drawing, draw, next, rows, scene};
use rooflight::chart::plot::hit_test::Direction;
use rooflight::chart::plot::svg;
use rooflight::protocol::{OpRef, Reply, ViewRequest};
use rooflight::session::{Input, OpenSession};
use std::collections::{BTreeMap, BTreeSet};
use xla_profile::hlo::{InstructionId, Module, text};
use xla_profile::profile::{Plane, Profile};
use xla_profile::wire::proto::xspace::XSpace;

const V6E: &str = "tpu-v6e-host-offload/host.xplane.pb";
/// Largest number of instructions that are shown on each side one hop away, on each side two hops away, and inside an
/// opened node.
const LIMITS: (usize, usize, usize) = (16, 32, 80);

/// Returns a profile without events.
fn empty() -> Profile {
    let mut profile = Profile::default();
    profile.planes.push(Plane { name: "/device:TPU:0".into(), ..Plane::default() });
    profile
}

/// Returns a profile in which every instruction outside of fusions ran, for invented durations.
fn ran(module: &Module) -> Profile {
    let mut plane = make::Plane::new("/device:TPU:0");
    let mut events = Vec::new();
    for (i, (id, computation)) in module.computations().enumerate() {
        for (k, id) in module.instructions_of(id).enumerate().filter(|_| !computation.is_fusion) {
            let instruction = module.instruction(id).unwrap();
            if !matches!(&*instruction.opcode, "parameter" | "constant" | "tuple" | "get-tuple-element" | "bitcast") {
                let time = (k * 7919 + i * 104_729) % 900 + 3;
                let op = plane.op(&instruction.to_string(), &instruction.name, &[]);
                events.push((op, events.len() as i64 * 1_000_000_000, time as i64 * 1_000_000));
            }
        }
    }
    plane.line("XLA Ops", &events);
    open("it.xplane.pb", bytes(&XSpace { planes: vec![plane.done()], ..XSpace::default() })).unwrap().profile
}

fn modules() -> Option<Vec<Module>> {
    let mut all = vec![text::module(&hlo::llama()?).unwrap().0];
    all.extend(hlo::AOT.into_iter().filter_map(|name| Some(Module::from_proto(&hlo::aot(name)?))));
    Some(all)
}

fn graph(profile: &Profile, analysis: &Analysis, module: &Module, name: &str, open: &[String]) -> OpGraph {
    let found = analysis.find_op(profile, &Query::busiest(), None, name);
    analysis.op_graph(profile, &found, Some((module, None)), open, Vec::new()).unwrap()
}

/// Pairs of a producer and a consumer, by name, from the texts of the instructions: operands and control predecessors.
struct Relations {
    data: BTreeSet<(String, String)>,
    control: BTreeSet<(String, String)>,
}

fn relations(module: &Module) -> Relations {
    let mut relations = Relations { data: BTreeSet::new(), control: BTreeSet::new() };
    for (_, instruction) in module.instructions() {
        let printed = text::instruction(&instruction.to_string()).unwrap().instruction;
        let to = || printed.name.to_string();
        relations.data.extend(printed.operands.iter().map(|from| (from.name.to_string(), to())));
        relations.control.extend(printed.control_predecessors().iter().map(|from| (from.name.to_string(), to())));
    }
    relations
}

impl Relations {
    /// Returns the names at one hop and at two hops, in one direction.
    fn hops(&self, name: &str, up: bool) -> [BTreeSet<String>; 2] {
        let step = |names: &BTreeSet<String>| -> BTreeSet<String> {
            let all = self.data.iter().chain(&self.control);
            if up {
                all.filter(|(_, to)| names.contains(to)).map(|(from, _)| from.clone()).collect()
            } else {
                all.filter(|(from, _)| names.contains(from)).map(|(_, to)| to.clone()).collect()
            }
        };
        let centre = BTreeSet::from([name.to_owned()]);
        let first = step(&centre);
        let second = step(&first).difference(&first).filter(|n| *n != name).cloned().collect();
        [first, second]
    }
}

fn at_hop(graph: &OpGraph, hop: i8) -> impl Iterator<Item = &GraphNode> {
    graph.nodes.iter().filter(move |node| node.parent.is_none() && node.hop == hop)
}

fn left(node: &GraphNode) -> usize {
    if let NodeRole::More(n) = node.role { n as usize } else { 0 }
}

fn check_hops(relations: &Relations, graph: &OpGraph) {
    let centre = &graph.nodes[graph.centre as usize];
    for (up, sign) in [(true, -1), (false, 1)] {
        let [first, second] = relations.hops(&centre.name, up);
        let result = |hop: i8| -> BTreeSet<String> {
            at_hop(graph, hop).filter(|n| n.is_instruction()).map(|n| n.name.clone()).collect()
        };
        let more = |hop: i8| at_hop(graph, hop).map(left).sum::<usize>();
        assert!(result(sign).is_subset(&first) && result(sign).len() <= LIMITS.0);
        assert_eq!(result(sign).len() + more(sign), first.len(), "{}", centre.name);
        assert!(result(sign * 2).is_subset(&second) && result(sign * 2).len() <= LIMITS.1);
        if more(sign) == 0 {
            assert_eq!(result(sign * 2).len() + more(sign * 2), second.len(), "{}", centre.name);
        }
        assert!(at_hop(graph, sign).chain(at_hop(graph, sign * 2)).filter(|n| left(n) > 0).count() <= 2);
    }
    let names: Vec<&String> = graph.nodes.iter().filter(|n| n.is_instruction()).map(|n| &n.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "each once");
}

/// Checks that every edge between instructions is a relation of the program, and that every relation between shown
/// instructions is an edge.
fn check_edges(relations: &Relations, graph: &OpGraph) {
    let name = |node: u32| graph.nodes[node as usize].name.clone();
    let (mut data, mut control) = (BTreeSet::new(), BTreeSet::new());
    let result = |node: u32| graph.nodes[node as usize].is_instruction();
    for edge in graph.edges.iter().filter(|edge| result(edge.from) && result(edge.to)) {
        let pair = (name(edge.from), name(edge.to));
        assert!(if edge.control { &relations.control } else { &relations.data }.contains(&pair), "{pair:?}");
        assert_eq!(edge.operands.is_empty(), edge.control);
        assert!(edge.control || !edge.shape.is_empty());
        if edge.control {
            control.insert(pair)
        } else {
            data.insert(pair)
        };
    }
    let names: BTreeSet<String> = graph.nodes.iter().map(|n| n.name.clone()).collect();
    let among = |all: &BTreeSet<(String, String)>| -> BTreeSet<_> {
        all.iter().filter(|(from, to)| names.contains(from) && names.contains(to)).cloned().collect()
    };
    assert_eq!((data, control), (among(&relations.data), among(&relations.control)));
    // A node that stands for others has an edge.
    for (i, _) in graph.nodes.iter().enumerate().filter(|(_, node)| left(node) > 0) {
        assert!(graph.edges.iter().any(|edge| edge.from as usize == i || edge.to as usize == i));
    }
}

fn check_drawing(graph: &OpGraph) -> Drawing {
    let drawing = draw(graph);
    assert_eq!(drawing.nodes.len(), graph.nodes.len());
    for (i, node) in drawing.nodes.iter().enumerate() {
        let rect = node.rect;
        assert!(rect.x >= 0.0 && rect.y >= 0.0);
        assert!(rect.x + rect.width <= drawing.width && rect.y + rect.height <= drawing.height);
        for other in &drawing.nodes[i + 1..] {
            assert!(!rect.overlaps(other.rect), "{} and {}", node.label, other.label);
        }
        // A node is inside every frame around it, and outside all other frames.
        let around: Vec<u32> =
            std::iter::successors(Some(node.id), |node| graph.nodes[*node as usize].parent).collect();
        for frame in &drawing.boxes {
            assert_eq!(frame.rect.holds(rect), around.contains(&frame.id));
            assert_eq!(frame.rect.overlaps(rect), around.contains(&frame.id));
        }
    }
    for edge in &drawing.edges {
        let (from, to) = (&drawing.nodes[edge.from as usize], &drawing.nodes[edge.to as usize]);
        let (start, end) = (edge.points[0], *edge.points.last().unwrap());
        assert!(edge.points.windows(2).all(|pair| pair[1].1 >= pair[0].1), "downward: {}", edge.tip);
        assert!(end.1 > start.1 && end.1 == to.rect.y, "{}", edge.tip);
        assert!(end.0 >= to.rect.x && end.0 <= to.rect.x + to.rect.width);
        assert!(start.0 >= from.rect.x && start.0 <= from.rect.x + from.rect.width);
        assert!(from.opened || start.1 == from.rect.y + from.rect.height);
        // The straight parts of an edge pass through no node. The curves of an edge lie outside the rows of nodes.
        for pair in edge.points.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let hit = drawing.nodes.iter().find(|n| !n.opened && n.rect.is_crossed(pair[0], pair[1]));
            assert!(hit.is_none(), "{} through {}", edge.tip, hit.unwrap().label);
        }
    }
    for node in &drawing.nodes {
        let neighbour = |to| next(&drawing, Some(node.id), to).map(|id| drawing.nodes[id as usize].rect);
        assert!(neighbour(Direction::Up).is_none_or(|up| up.y + up.height <= node.rect.y));
        assert!(neighbour(Direction::Down).is_none_or(|down| down.y >= node.rect.y + node.rect.height));
        assert!(neighbour(Direction::Left).is_none_or(|left| left.x < node.rect.x));
        assert!(neighbour(Direction::Right).is_none_or(|right| right.x > node.rect.x));
    }
    assert_eq!(next(&drawing, None, Direction::Up), Some(graph.centre));
    assert!(svg::write(&scene(graph, &drawing), &|_| "#000".to_owned()).starts_with("<svg"));
    assert_eq!(rows(graph).rows.len(), graph.edges.len().max(1));
    drawing
}

#[test]
#[ignore = "needs captures of other projects"]
fn neighbourhoods_of_real_ops_match_the_program_and_can_be_drawn() {
    let modules = modules().unwrap();
    let (profile, mut n) = (empty(), 0);
    let analysis = Analysis::new(&profile);
    for module in &modules {
        let relations = relations(module);
        let step = (module.instructions().len() / 40).max(1);
        for (_, instruction) in module.instructions().step_by(step) {
            let graph = graph(&profile, &analysis, module, &instruction.name, &[]);
            assert_eq!((graph.basis, &*graph.nodes[graph.centre as usize].name), (OpBasis::Proto, &*instruction.name));
            check_hops(&relations, &graph);
            check_edges(&relations, &graph);
            assert_eq!(check_drawing(&graph), draw(&graph), "the same graph gives the same drawing");
            n += 1;
        }
    }
    assert!(n >= 200, "{n}");
}

/// Returns the nodes inside an opened node.
fn inside<'a>(graph: &'a OpGraph, name: &str) -> Vec<&'a GraphNode> {
    let parent = graph.nodes.iter().position(|n| n.name == name).unwrap() as u32;
    graph.nodes.iter().filter(|n| n.parent == Some(parent)).collect()
}

#[test]
#[ignore = "needs captures of other projects"]
fn an_opened_node_shows_its_whole_body() {
    let modules = modules().unwrap();
    let profile = empty();
    let analysis = Analysis::new(&profile);
    let mut n = 0;
    for module in &modules {
        let opens = |i: &InstructionId| {
            let instruction = module.instruction(*i).unwrap();
            matches!(&*instruction.opcode, "fusion" | "while" | "call" | "conditional" | "async-start")
        };
        let all: Vec<InstructionId> = module.instructions().map(|(id, _)| id).filter(opens).collect();
        for id in all.iter().step_by((all.len() / 30).max(1)) {
            let instruction = module.instruction(*id).unwrap();
            let graph = graph(&profile, &analysis, module, &instruction.name, &[instruction.name.to_string()]);
            let inside = inside(&graph, &instruction.name);
            let names: BTreeSet<&str> = inside.iter().filter(|n| n.is_instruction()).map(|n| &*n.name).collect();
            let body: BTreeSet<String> = instruction
                .calls()
                .flat_map(|call| module.instructions_of(call.id.unwrap()))
                .map(|id| module.instruction(id).unwrap().name.to_string())
                .collect();
            assert!(names.iter().all(|name| body.contains(*name)));
            assert_eq!(names.len(), body.len().min(LIMITS.2));
            assert_eq!(names.len() + inside.iter().map(|n| left(n)).sum::<usize>(), body.len());
            let centre = &graph.nodes[graph.centre as usize];
            assert_eq!(centre.body.map(|b| (b.opened, b.instructions as usize)), Some((true, body.len())));
            // Data enters and leaves an opened fusion through its parameters and its root. The frame itself has only
            // control edges.
            let own = graph.edges.iter().filter(|e| !e.control && (e.from == graph.centre || e.to == graph.centre));
            assert_eq!(own.filter(|_| &*instruction.opcode == "fusion").count(), 0, "{}", instruction.name);
            check_drawing(&graph);
            n += 1;
        }
    }
    assert!(n > 100, "{n}");
}

/// Opens every node that can be opened, three times in turn.
#[test]
#[ignore = "needs captures of other projects"]
fn boxes_in_boxes() {
    let modules = modules().unwrap();
    let profile = empty();
    let analysis = Analysis::new(&profile);
    let mut deepest = 0;
    for module in &modules {
        let loops = module.instructions().filter(|(_, i)| matches!(&*i.opcode, "while" | "call" | "async-start"));
        for (_, centre) in loops.take(4) {
            let mut open: Vec<String> = Vec::new();
            for _ in 0..3 {
                let graph = graph(&profile, &analysis, module, &centre.name, &open);
                check_drawing(&graph);
                open = graph.nodes.iter().filter(|n| n.body.is_some()).map(|n| n.name.clone()).collect();
                let depth =
                    |node: u32| std::iter::successors(Some(node), |node| graph.nodes[*node as usize].parent).count();
                deepest = deepest.max((0..graph.nodes.len() as u32).map(depth).max().unwrap());
            }
        }
    }
    assert!(deepest >= 3, "{deepest}");
}

fn engine(space: &XSpace) -> OpenSession {
    let input = Input { name: V6E.to_owned(), source: Box::new(bytes(space)), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap().0
}

fn all_steps() -> Query {
    Query { step: StepChoice::All, ..Query::busiest() }
}

fn op_graph(engine: &mut OpenSession, name: &str, open: &[&str]) -> Result<OpGraph, Reply> {
    let open = open.iter().map(ToString::to_string).collect();
    engine.answer(&ViewRequest::Graph { query: all_steps(), op: OpRef::new(name, None), open }.into()).decode()
}

#[test]
#[ignore = "needs captures of other projects"]
fn the_session_answers_with_times_or_an_error() {
    let space = hlo::xspace(V6E).unwrap();
    let mut whole = engine(&space);
    let graph = op_graph(&mut whole, "all-reduce", &[]).unwrap();
    assert_eq!(graph.basis, OpBasis::Proto);
    assert!(graph.nodes.iter().any(|node| node.total.is_some()));
    for node in &graph.nodes {
        let op = ViewRequest::Op { query: roofline_query(all_steps()), op: OpRef::new(&node.name, graph.program_id) };
        let op: OpDetail = whole.answer(&op.into()).decode().unwrap();
        // An op outside of the window has no times, instead of zeros.
        let figures = op.figures.as_ref().map(|f| (f.total, f.n)).filter(|(total, n)| total.0 > 0 || *n > 0);
        assert_eq!(node.total.zip(node.n), figures, "{}", node.name);
        assert_eq!(node.kind, op.figures.and(op.kind), "{}", node.name);
    }
    let opened = op_graph(&mut whole, "broadcast_add_fusion", &["broadcast_add_fusion"]).unwrap();
    assert!(opened.nodes[opened.centre as usize].is_opened());
    assert!(
        matches!(op_graph(&mut whole, "no-such-op", &[]), Err(Reply::Failed(f)) if f.title == "There is no no-such-op")
    );

    // Without programs, the graph has one hop, and a note reports this.
    let mut none = space.clone();
    none.planes.retain(|p| p.name != "/host:metadata");
    let text = op_graph(&mut engine(&none), "all-reduce", &[]).unwrap();
    assert_eq!(text.basis, OpBasis::EventText);
    assert!(text.notes.iter().any(|n| n.code == "one_hop"));
    assert!(text.nodes.iter().all(|n| n.hop.abs() <= 1) && text.nodes.len() > 1);
    let one_hop = |graph: &OpGraph| at_hop(graph, -1).map(|n| n.name.clone()).collect::<Vec<_>>();
    assert_eq!(one_hop(&text), one_hop(&graph));
    check_drawing(&text);
}

/// Writes drawings for inspection: `ROOFLIGHT_GRAPHS=folder cargo test --test native op_graph::on_request -- --ignored`.
#[test]
#[ignore = "writes files to look at"]
fn on_request_pictures() {
    let (Some(modules), Some(folder)) = (modules(), std::env::var_os("ROOFLIGHT_GRAPHS")) else { return };
    let tokens = include_str!("../../style/tokens.css");
    let light = &tokens[..tokens.find("dark").unwrap_or(tokens.len())];
    let token = |name: &str| {
        let value =
            |css: &str| Some(css.split_once(&format!("{name}:"))?.1.split([';', '}']).next()?.trim().to_owned());
        value(light).or_else(|| value(tokens)).unwrap_or_else(|| "#f0f".to_owned())
    };
    let mut facts: BTreeMap<String, String> = BTreeMap::new();
    let mut write = |module: &Module, number: usize, name: &str, open: &[String]| {
        let profile = ran(module);
        let analysis = Analysis::new(&profile);
        let start = std::time::Instant::now();
        let graph = graph(&profile, &analysis, module, name, open);
        let built = start.elapsed();
        let start = std::time::Instant::now();
        let drawing = check_drawing(&graph);
        let checked = start.elapsed();
        let start = std::time::Instant::now();
        draw(&graph);
        let fact = format!(
            "{name}: {} nodes, {} edges, {}×{}; graph {built:?}, drawing {:?} ({checked:?} with checks)",
            graph.nodes.len(),
            graph.edges.len(),
            drawing.width,
            drawing.height,
            start.elapsed()
        );
        facts.insert(format!("graph-{number}"), fact);
        let path = std::path::Path::new(&folder).join(format!("graph-{number}.svg"));
        std::fs::write(path, svg::write(&scene(&graph, &drawing), &token)).unwrap();
    };
    let named = |module: &Module, like: &dyn Fn(InstructionId) -> bool| {
        let found = module.instructions().find(|(id, _)| like(*id)).unwrap().1;
        found.name.to_string()
    };
    let (llama, aot) = (&modules[0], &modules[1]);
    let is = |module: &Module, id: InstructionId, opcode: &str, body: std::ops::Range<usize>| {
        let instruction = module.instruction(id).unwrap();
        let size: usize = instruction.calls().map(|c| module.instructions_of(c.id.unwrap()).len()).sum();
        &*instruction.opcode == opcode && (opcode != "fusion" || body.contains(&size))
    };
    let fusion = named(llama, &|id| {
        is(llama, id, "fusion", 8..20) && llama.users(id).len() == 2 && llama.operands(id).count() == 3
    });
    write(llama, 1, &fusion, &[]);
    write(llama, 2, &fusion, std::slice::from_ref(&fusion));
    let large = named(aot, &|id| is(aot, id, "fusion", 25..80));
    write(aot, 3, &large, std::slice::from_ref(&large));
    let body = named(aot, &|id| is(aot, id, "while", 0..1));
    write(aot, 4, &body, &[]);
    write(aot, 5, &body, std::slice::from_ref(&body));
    let wide = named(llama, &|id| llama.users(id).len() > 12 && llama.operands(id).count() > 0);
    write(llama, 6, &wide, &[]);
    let done = named(llama, &|id| is(llama, id, "all-gather", 0..1) || is(llama, id, "all-reduce", 0..1));
    write(llama, 7, &done, &[]);
    for (number, fact) in facts {
        println!("{number}  {fact}");
    }
}

/// Checks relations that few real programs have: control edges, very many users, branches, and two calls of the same
/// computation.
#[test]
fn rare_relations() {
    let users: String = (0..40).map(|i| format!("  %u{i} = f32[8]{{0}} negate(%mid)\n")).collect();
    let ends = (0..40).map(|i| format!("%u{i}")).collect::<Vec<_>>().join(", ");
    let program = format!(
        "HloModule m\n\n%one {{\n  %p.1 = f32[8]{{0}} parameter(0)\n  ROOT %r.1 = f32[8]{{0}} log(%p.1)\n}}\n\n\
         %two {{\n  %p.2 = f32[8]{{0}} parameter(0)\n  ROOT %r.2 = f32[8]{{0}} tanh(%p.2)\n}}\n\n\
         ENTRY %main {{\n  %a = f32[8]{{0}} parameter(0)\n  %which = s32[] parameter(1)\n  \
         %mid = f32[8]{{0}} add(%a, %a)\n{users}  \
         %later = f32[8]{{0}} copy(%a), control-predecessors={{%mid}}\n  \
         %branch = f32[8]{{0}} conditional(%which, %a, %later), branch_computations={{%one, %two}}\n  \
         %call.1 = f32[8]{{0}} call(%branch), to_apply=%one\n  \
         ROOT %t = (f32[8]{{0}}) tuple({ends}, %call.1)\n}}\n"
    );
    let module = text::module(&program).unwrap().0;
    let (profile, relations) = (empty(), relations(&module));
    let analysis = Analysis::new(&profile);
    let drawn = |name: &str, open: &[&str]| {
        let open: Vec<String> = open.iter().map(ToString::to_string).collect();
        let graph = graph(&profile, &analysis, &module, name, &open);
        check_drawing(&graph);
        graph
    };
    for (_, instruction) in module.instructions() {
        let graph = drawn(&instruction.name, &[]);
        check_hops(&relations, &graph);
        check_edges(&relations, &graph);
    }
    let find = |graph: &OpGraph, name: &str| graph.nodes.iter().position(|n| n.name == name).unwrap() as u32;
    let mid = drawn("mid", &[]);
    assert!(mid.nodes.iter().any(|n| n.words == "25 more users" && n.hop == 1), "16 of 41");
    let twice = mid.edges.iter().find(|e| e.to == mid.centre).unwrap();
    assert_eq!((twice.operands.as_slice(), twice.bytes), ([0, 1].as_slice(), Some(32)));
    let later = drawn("later", &[]);
    let control: Vec<_> = later.edges.iter().filter(|e| e.control).collect();
    assert_eq!((control.len(), control[0].from), (1, find(&later, "mid")));
    assert!(draw(&later).edges.iter().filter(|e| e.dashed).count() == 1);

    // The operands of a conditional lead to the parameters of its branches. The predicate leads to the frame.
    let branch = drawn("branch", &["branch"]);
    let leads = |from: &str, to: &str| {
        let (from, to) = (find(&branch, from), find(&branch, to));
        branch.edges.iter().any(|e| (e.from, e.to, e.control) == (from, to, false))
    };
    assert!(leads("which", "branch") && leads("a", "p.1") && leads("later", "p.2"));
    assert!(leads("r.1", "call.1") && leads("r.2", "call.1") && !leads("branch", "call.1"));
    // Each instruction is shown once, so the second caller of a computation stays closed, and a note reports this.
    let both = drawn("call.1", &["branch", "call.1"]);
    let opened: Vec<&str> = both.nodes.iter().filter(|n| n.is_opened()).map(|n| &*n.name).collect();
    assert_eq!((opened, both.notes.iter().filter(|n| n.code == "shared").count()), (vec!["branch"], 1));
    assert!(drawn("r.2", &[]).notes.iter().any(|n| n.message.contains("limited to the body of branch")));
}
