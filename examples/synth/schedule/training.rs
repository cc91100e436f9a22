//! This module plans training: the steps, and what a host does between them.

use super::plan::{Basis, Call, Links, MarkStats, Plan, US};
use fastrand::Rng;

/// Returns one of several values.
pub fn one_of<T: Copy>(random: &mut Rng, all: &[T]) -> T {
    all[random.usize(0..all.len())]
}

/// Takes the annotations away.
pub fn unmark(plan: &mut Plan) {
    plan.blocks.iter_mut().for_each(|block| block.mark = None);
}

/// Returns a duration between two numbers of microseconds.
pub fn micros(random: &mut Rng, from: u64, until: u64) -> u64 {
    random.u64(from..until) * US
}

/// Adds a program with a random id and number of ops, which takes between two numbers of microseconds.
pub fn program(plan: &mut Plan, random: &mut Rng, name: &str, (from, until): (u64, u64)) -> usize {
    let n_ops = random.usize(2..6);
    plan.program(name, random.u64(1..1 << 40), micros(random, from, until), n_ops)
}

/// The name and the first number of annotations. `None` if they have no numbers.
fn marks(plan: &mut Plan, random: &mut Rng) -> (&'static str, Option<u64>) {
    let name = one_of(random, &["train", "step", "train_step", "update"]);
    let any = random.u64(0..100_000);
    let first = (random.u8(..) < 190).then(|| one_of(random, &[0, 1, 100, any]));
    if first.is_some() && random.u8(..) < 40 {
        // The event inside has `_r`, and would be the only one that has it.
        (plan.mark_stats, plan.has_inner_marks) = (MarkStats::NumberOnly, false);
    }
    (name, first)
}

/// Adds steps of the same programs.
fn steps(plan: &mut Plan, random: &mut Rng, n: usize, programs: &[usize]) {
    let (name, first) = marks(plan, random);
    let load = micros(random, 1000, 4000);
    for number in 0..n {
        plan.block(programs, load).marked(name, first.map(|first| first + number as u64));
    }
}

/// Adds the programs of a step: one large one, and up to two small ones.
fn step_programs(plan: &mut Plan, random: &mut Rng) -> Vec<usize> {
    let n = random.usize(1..=3);
    let mut programs = Vec::new();
    for (index, name) in ["jit_train_step", "jit_update_metrics", "jit_convert_element_type"].iter().take(n).enumerate()
    {
        let duration = if index == 0 { (3000, 15_000) } else { (100, 800) };
        programs.push(program(plan, random, name, duration));
    }
    programs
}

/// Plans at least `least` steps, and nothing else.
pub fn plain_training(plan: &mut Plan, random: &mut Rng, least: usize) {
    let programs = step_programs(plan, random);
    let n = random.usize(least.max(3)..=40);
    steps(plan, random, n, &programs);
}

/// Plans training with evaluations and checkpoints between its steps, some of them annotated. The capture may begin in a
/// step.
pub fn training(plan: &mut Plan, random: &mut Rng) {
    let programs = step_programs(plan, random);
    let n = random.usize(3..=40);
    let evaluation = one_of(random, &[None, Some(true), Some(false)]);
    let has_checkpoints = random.bool();
    let begins_in_step = plan.links != Links::Order && random.u8(..) < 80;
    let (name, first) = marks(plan, random);
    let load = micros(random, 500, 4000);
    if begins_in_step {
        let block = plan.block(&programs, load).outside();
        block.is_recorded = false;
    }
    if random.bool() {
        let init = program(plan, random, "jit_init", (200, 2000));
        plan.block(&[init], 0).outside();
    }
    let eval = program(plan, random, "jit_eval_step", (2000, 6000));
    let save = program(plan, random, "jit_snapshot", (200, 1000));
    let mut n_evaluations = 0;
    for number in 0..n {
        plan.block(&programs, load).marked(name, first.map(|first| first + number as u64));
        if evaluation.is_some() && random.u8(..) < 40 {
            let is_marked = evaluation == Some(true);
            let block = plan.block(&[eval], load / 2);
            if is_marked {
                // An annotation without any number would count on from that of the steps.
                block.marked("eval", first.map(|_| n_evaluations));
                n_evaluations += 1;
            } else {
                block.outside();
            }
        }
        if has_checkpoints && random.u8(..) < 20 {
            plan.block(&[save], 0).outside();
        }
    }
    if random.bool() {
        plan.blocks.iter_mut().find(|block| block.is_step).into_iter().for_each(|block| block.calls[0].compiles = true);
    }
}

/// Plans annotated steps, some of them evaluations, of which each waits for the one before.
pub fn regular_training(plan: &mut Plan, random: &mut Rng) {
    plain_training(plan, random, 4);
    if random.bool() {
        let eval = program(plan, random, "jit_eval_step", (2000, 6000));
        let call = |plan: &Plan| vec![plan.call(eval)];
        for index in (2..plan.blocks.len()).step_by(random.usize(2..5)) {
            plan.blocks[index].calls = call(plan);
            plan.blocks[index].marked("eval", None);
        }
        // All have numbers or none has.
        plan.mark_stats = MarkStats::Root;
        plan.blocks.iter_mut().filter_map(|block| block.mark.as_mut()).for_each(|mark| mark.number = None);
    }
}

pub fn gradient_accumulation(plan: &mut Plan, random: &mut Rng) {
    let n_micro = random.usize(2..=8);
    let gradient = program(plan, random, "jit_grad_fn", (1500, 6000));
    let update = program(plan, random, "jit_apply_update", (500, 4000));
    let programs: Vec<usize> = std::iter::repeat_n(gradient, n_micro).chain([update]).collect();
    let n = random.usize(3..=20);
    steps(plan, random, n, &programs);
    if plan.level == 4 && random.bool() {
        add_run_outside(plan, random);
    }
}

/// Adds a run before the steps or after them, whose program is none of theirs.
fn add_run_outside(plan: &mut Plan, random: &mut Rng) {
    let save = program(plan, random, "jit_snapshot", (200, 800));
    plan.block(&[save], 0).outside();
    if random.bool() {
        plan.blocks.rotate_right(1);
    }
}

pub fn recompile(plan: &mut Plan, random: &mut Rng) {
    let n = random.usize(3..=25);
    let duration = random.u64(3000..15_000);
    let programs: Vec<usize> =
        (0..n).map(|_| program(plan, random, "jit_train_step", (duration, duration + 1))).collect();
    varied_steps(plan, random, &programs, true);
}

pub fn shapes(plan: &mut Plan, random: &mut Rng) {
    let n_shapes = random.usize(2..=3);
    let shapes: Vec<usize> = (0..n_shapes).map(|_| program(plan, random, "jit_train_step", (3000, 15_000))).collect();
    // Each shape is in two steps at least.
    let mut programs: Vec<usize> = shapes.iter().flat_map(|shape| [*shape; 2]).collect();
    programs.extend((0..random.usize(0..=30)).map(|_| one_of(random, &shapes)));
    random.shuffle(&mut programs);
    varied_steps(plan, random, &programs, false);
}

/// Adds a step of each program.
fn varied_steps(plan: &mut Plan, random: &mut Rng, programs: &[usize], compiles: bool) {
    let (name, first) = marks(plan, random);
    let load = micros(random, 500, 4000);
    for (number, program) in programs.iter().enumerate() {
        let block = plan.block(&[*program], load).marked(name, first.map(|first| first + number as u64));
        block.calls[0].compiles = compiles;
    }
}

pub fn sequence(plan: &mut Plan, random: &mut Rng) {
    plan.level = 4;
    let names = ["jit_forward", "jit_backward", "jit_clip_gradients", "jit_optimizer", "jit_metrics"];
    let n_programs = random.usize(2..=names.len());
    let programs: Vec<usize> =
        names.iter().take(n_programs).map(|name| program(plan, random, name, (600, 6000))).collect();
    let n = random.usize(4..=40);
    steps(plan, random, n, &programs);
    if random.bool() {
        add_run_outside(plan, random);
    }
    unmark(plan);
}

pub fn irregular(plan: &mut Plan, random: &mut Rng) {
    plan.level = 5;
    let step = program(plan, random, "jit_train_step", (3000, 9000));
    let eval = program(plan, random, "jit_eval_step", (500, 20_000));
    let is_anchor = random.bool();
    let mut anchors = vec!["jit_train_step".to_owned()];
    anchors.extend(is_anchor.then(|| "jit_eval_step".to_owned()));
    plan.basis = Basis::Runs(anchors);
    for _ in 0..random.usize(8..=40) {
        let has_eval = random.u8(..) < 70;
        let programs = [step, eval];
        plan.block(&programs[..if has_eval { 2 } else { 1 }], micros(random, 500, 3000));
    }
}

/// Plans a pipeline of stages, one on each device: all microbatches forward, then all of them backward, then an update.
pub fn pipeline(plan: &mut Plan, random: &mut Rng) {
    plan.n_devices = random.usize(2..=4);
    let n_micro = random.usize(2..=6);
    let last = plan.n_devices - 1;
    let mut stages = Vec::new();
    for stage in 0..=last {
        let mut add = |name: &str, from, until| program(plan, random, name, (from, until));
        let forward = add(&format!("jit_stage{stage}_forward"), 800, 1600);
        let backward = add(&format!("jit_stage{stage}_backward"), 1600, 3000);
        // The first stage reads tokens, the last one has the loss.
        let begin = (stage == 0).then(|| add("jit_embed", 300, 900));
        let middle = (stage == last).then(|| add("jit_loss", 300, 900));
        let end = (stage % 2 == 0).then(|| add("jit_update", 500, 1500));
        stages.push((forward, backward, begin, middle, end));
    }
    let (name, first) = marks(plan, random);
    let load = micros(random, 4000, 8000);
    for number in 0..random.usize(4..=15) {
        let block = plan.block(&[], load).marked(name, first.map(|first| first + number as u64));
        let mut add = |program: Option<usize>, stage: usize, waits_for: Option<usize>| {
            let program = program?;
            block.calls.push(Call { program, devices: vec![stage], waits_for, compiles: false });
            Some(block.calls.len() - 1)
        };
        add(stages[0].2, 0, None);
        for _ in 0..n_micro {
            (0..=last).fold(None, |before, stage| add(Some(stages[stage].0), stage, before));
        }
        add(stages[last].3, last, None);
        for _ in 0..n_micro {
            (0..=last).rev().fold(None, |before, stage| add(Some(stages[stage].1), stage, before));
        }
        for (stage, settings) in stages.iter().enumerate() {
            add(settings.4, stage, None);
        }
    }
}

pub fn op_by_op(plan: &mut Plan, random: &mut Rng) {
    (plan.level, plan.basis, plan.n_devices) = (6, Basis::None, 1);
    let names = ["jit_matmul", "jit_tanh", "jit_add"];
    let programs: Vec<usize> =
        names.iter().map(|name| plan.program(name, random.u64(1..1 << 40), 20 * US, 1)).collect();
    for _ in 0..random.usize(30..=100) {
        plan.block(&programs, 0);
    }
    plan.ahead = plan.blocks.len();
}
