//! This module simulates the run with its faults, and the same run without each of them, which shows what a fault costs.

use super::cost::{Cost, Costs};
use super::faults::{Fault, Faults};
use super::machine::{Machine, Work};
use super::program::{self, Item, Program};
use super::run::{Job, Run};
use super::scale::Scale;

/// Number of steps over which the cost of a fault is measured.
const MEASURED_STEPS: usize = 20;

/// The input of all runs of a program on a machine.
pub struct Simulation<'a> {
    pub program: &'a Program,
    pub items: &'a [Item],
    pub machine: &'a Machine,
    pub costs: Vec<Cost>,
    /// Number of devices that the program was compiled for.
    pub group: usize,
    pub healthy: bool,
    pub devices: usize,
    pub devices_per_host: usize,
    pub seed: u64,
    scales: &'a [Scale],
    starts: Vec<Option<usize>>,
    experts: Vec<bool>,
    turns: u64,
}

impl<'a> Simulation<'a> {
    pub fn new(
        program: &'a Program,
        items: &'a [Item],
        machine: &'a Machine,
        group: usize,
        healthy: bool,
        (devices, devices_per_host): (usize, usize),
        seed: u64,
    ) -> Self {
        let mut costs = Costs::new(&program.module);
        let costs = program.ops.iter().map(|op| costs.execution_cost(op.id)).collect();
        let starts = program.ops.iter().map(|op| op.start).collect();
        let is_expert = |op| Fault::ExpertImbalance.affects(program, op, 1, None);
        let experts = (0..program.ops.len()).map(is_expert).collect();
        let turns = program::turns(items);
        Self {
            program,
            items,
            machine,
            costs,
            group,
            healthy,
            devices,
            devices_per_host,
            seed,
            scales: &[],
            starts,
            experts,
            turns,
        }
    }

    /// Returns the simulation with factors on the time of ops.
    pub fn with_scales(self, scales: &'a [Scale]) -> Self {
        Self { scales, ..self }
    }

    /// Returns the work of each op in a run with these faults.
    pub fn works(&self, faults: Faults) -> Vec<Work> {
        self.works_without(faults, None)
    }

    /// Returns the work of each op in a run with these faults, and with all factors but one.
    fn works_without(&self, faults: Faults, left_out: Option<usize>) -> Vec<Work> {
        let scales = self.scales.iter().enumerate().filter(|(n, _)| Some(*n) != left_out).map(|(_, scale)| scale);
        let work = |op: usize| {
            let work = self.machine.work(self.program, op, &self.costs[op], self.group, (faults, self.healthy));
            let own = scales.clone().filter(|scale| scale.affects(&self.program.ops[op].name));
            own.fold(work, |work, scale| scale.apply(work))
        };
        (0..self.program.ops.len()).map(work).collect()
    }

    /// Returns the run of `works` before its first step. `usual` is the mean period without faults.
    pub fn run<'r>(&'r self, works: &'r [Work], faults: Faults, usual: u64) -> Run<'r> {
        Run::new(Job {
            items: self.items,
            works,
            starts: &self.starts,
            experts: &self.experts,
            devices: self.devices,
            group: self.group,
            devices_per_host: self.devices_per_host,
            faults,
            usual,
            turns: self.turns,
            seed: self.seed,
        })
    }

    /// Returns the mean period in ticks of a run with these faults.
    fn period(&self, faults: Faults, steps: usize, usual: u64) -> Option<f64> {
        self.period_of(&self.works(faults), faults, steps, usual)
    }

    /// Returns the mean period in ticks of a run of `works` with these faults.
    fn period_of(&self, works: &[Work], faults: Faults, steps: usize, usual: u64) -> Option<f64> {
        let mut run = self.run(works, faults, usual);
        (0..steps.min(MEASURED_STEPS)).for_each(|_| run.step());
        run.period()
    }

    /// Returns the mean period without faults, in ticks. A run of one step has none, and its usual period is that of two.
    pub fn usual(&self, steps: usize) -> u64 {
        self.period(Faults::default(), steps.max(2), 0).unwrap_or(0.0).round() as u64
    }

    /// Returns for each fault the time by which it lengthens the mean period, in ticks. `None` without a period.
    pub fn injected(&self, faults: Faults, steps: usize, usual: u64) -> Vec<(Fault, Option<f64>)> {
        let with = self.period(faults, steps, usual);
        let cost = |fault: Fault| Some(with? - self.period(faults.without(fault), steps, usual)?);
        faults.iter().map(|fault| (fault, cost(fault))).collect()
    }

    /// Returns for each factor the time by which it lengthens the mean period, in ticks. `None` without a period.
    pub fn injected_by_scales(&self, faults: Faults, steps: usize, usual: u64) -> Vec<Option<f64>> {
        let with = self.period(faults, steps, usual);
        let without = |n: usize| self.period_of(&self.works_without(faults, Some(n)), faults, steps, usual);
        (0..self.scales.len()).map(|n| Some(with? - without(n)?)).collect()
    }

    /// Returns the faults, of `faults`, that change an op.
    pub fn faults_of_op(&self, op: usize, faults: Faults) -> Faults {
        let message = self.machine.message(self.program, op, self.group);
        let ticks = self.machine.own_ticks(self.program, op, &self.costs[op], self.healthy);
        let others = faults.iter().filter(|fault| !fault.affects(self.program, op, ticks, message.as_ref()));
        others.fold(faults, Faults::without)
    }
}
