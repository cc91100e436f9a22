//! This module plans the runs of a server: prefills and decodes in no fixed order, of a few shapes.

use super::plan::{Basis, Plan};
use super::training::{micros, one_of, program};
use fastrand::Rng;

/// The programs of a server.
struct Server {
    /// Prefills by their number of tokens.
    prefills: Vec<usize>,
    /// Decodes by their number of requests.
    decodes: Vec<usize>,
    /// What follows each decode.
    sample: Option<usize>,
}

/// What the server does in each iteration: a prefill, or a decode. Each shape is there twice at least.
fn iterations(plan: &mut Plan, random: &mut Rng) -> (Server, Vec<(bool, usize)>) {
    let (n_prefills, n_decodes) = (random.usize(1..=3), random.usize(1..=2));
    let mut shapes = |name: &str, n: usize, from, until| {
        (0..n).map(|_| program(plan, random, name, (from, until))).collect::<Vec<usize>>()
    };
    let prefills = shapes("jit_prefill", n_prefills, 8000, 24_000);
    let decodes = shapes("jit_decode", n_decodes, 3000, 6000);
    let sample = random.bool().then(|| program(plan, random, "jit_sample", (80, 160)));
    let mut order: Vec<(bool, usize)> = prefills.iter().flat_map(|shape| [(true, *shape); 2]).collect();
    order.extend((0..random.usize(1..=4)).map(|_| (true, one_of(random, &prefills))));
    order.extend(decodes.iter().flat_map(|shape| [(false, *shape); 4]));
    order.extend((0..random.usize(0..=25)).map(|_| (false, one_of(random, &decodes))));
    random.shuffle(&mut order);
    (Server { prefills, decodes, sample }, order)
}

/// Plans a server without annotations. Nothing tells which runs belong together, so each prefill and each decode is a
/// step.
pub fn server(plan: &mut Plan, random: &mut Rng) {
    plan.level = 5;
    plan.basis = Basis::Runs(vec!["jit_prefill".to_owned(), "jit_decode".to_owned()]);
    blocks(plan, random);
}

/// Plans a server that annotates each iteration.
pub fn annotated_server(plan: &mut Plan, random: &mut Rng) {
    blocks(plan, random);
    let first = random.bool().then(|| random.u64(0..10_000));
    let name = one_of(random, &["execute_model", "engine_step"]);
    for (number, block) in plan.blocks.iter_mut().enumerate() {
        block.marked(name, first.map(|first| first + number as u64));
    }
}

fn blocks(plan: &mut Plan, random: &mut Rng) {
    let (server, order) = iterations(plan, random);
    debug_assert!(!server.prefills.is_empty() && !server.decodes.is_empty());
    for (is_prefill, program) in order {
        let programs: Vec<usize> = [program].into_iter().chain(server.sample.filter(|_| !is_prefill)).collect();
        plan.block(&programs, micros(random, 100, 2000));
    }
}
