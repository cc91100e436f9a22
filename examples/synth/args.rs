//! This module parses the command line of the simulator.

use super::Failure;
use super::faults::{Faults, names};
use super::scale::Scale;
use super::schedule::Scenario;
use clap::Parser;
use clap::builder::PossibleValuesParser;
use std::path::{Path, PathBuf};

/// Makes captures like those of a TPU without a TPU: from a real XLA:TPU program, with simulated times.
///
/// Writes worker-N.xplane.pb, worker-N.trace.json.gz and expected.json, which holds the figures that an analysis must
/// find. The same arguments give the same bytes.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask synth")]
pub struct Args {
    /// Folder for the files
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Make the captures of a kind of run, with the steps that are in them; only the seed counts besides
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Scenario::ALL.iter().map(|scenario| scenario.name())))]
    scenario: Option<String>,
    /// HloProto with schedule and buffer assignment, gzip or not [default: the sample's]
    #[arg(long, value_name = "FILE")]
    hlo: Option<PathBuf>,
    /// The same program after code generation, with the compiler's own estimates per op
    #[arg(long, value_name = "FILE")]
    cycles: Option<PathBuf>,
    /// Chip that runs the program
    #[arg(long, value_name = "NAME", default_value = "TPU v5p")]
    pub chip: String,
    /// Seed of small differences in the times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    devices: u16,
    /// Number of hosts that the devices are spread over; each host writes its own captures
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    hosts: u16,
    /// Number of steps [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "size_mb")]
    steps: Option<u32>,
    /// Size of all captures together, instead of a number of steps; more than 1,900 MB are spread over several hosts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(10..=4096))]
    size_mb: Option<u16>,
    /// Unroll loops: each iteration has ops of its own
    #[arg(long)]
    pub unroll: bool,
    /// Fault of the run; may be given more than once
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
    fault: Vec<String>,
    /// Factor on the time of the ops of one name without its number, such as fusion=1.10; may be given more than once
    #[arg(long, value_name = "OP=FACTOR")]
    pub scale: Vec<Scale>,
    /// Shuffle the numbers that a compile gives: those in names, and the ids of computations, channels and metadata
    #[arg(long)]
    pub renumber: bool,
    /// Move the source lines of all files, as an edit does
    #[arg(long)]
    pub edit_lines: bool,
    /// A run that leaves nothing to gain: compute at 95 % of its roofline, collectives and copies at 2 % of their time
    #[arg(long)]
    pub healthy: bool,
    /// Largest difference between the event clocks of a host's devices, in microseconds
    #[arg(long, value_name = "X", default_value_t = 0.2)]
    clock_skew: f64,
    /// Time by which the clock of each host is ahead of that of the host before, in milliseconds
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    host_skew: f64,
    /// Start the profile this many days after the beginning of 2026
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub day: u32,
    /// Also write worker-N.xplane.pb.xz: the same capture at xz's strongest compression, which takes a second per MB
    #[arg(long)]
    pub xz: bool,
    /// Do not write trace.json.gz
    #[arg(long)]
    no_trace: bool,
}

/// The length of a run.
pub enum Length {
    /// Number of steps.
    Steps(usize),
    /// Size of the captures of all hosts together, in MB.
    Megabytes(usize),
}

impl Args {
    /// Parses the arguments of this process. Ends the process if an argument is invalid or help is requested.
    ///
    /// # Errors
    /// Returns an error if there are more hosts than devices.
    pub fn read() -> Result<Self, Failure> {
        let args = Self::parse();
        if args.hosts > args.devices {
            return Err("a host has at least one device".into());
        }
        Ok(args)
    }

    /// Returns the path of the program, and the path of the file with the compiler's estimates. The second path is
    /// `None` for a program of `--hlo` without `--cycles`.
    pub fn program(&self) -> (PathBuf, Option<PathBuf>) {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
        match &self.hlo {
            Some(hlo) => (hlo.clone(), self.cycles.clone()),
            None => {
                let own = || samples.join("train_step.cycles.hlo_proto.pb.gz");
                (samples.join("train_step.hlo_proto.pb.gz"), Some(self.cycles.clone().unwrap_or_else(own)))
            }
        }
    }

    /// Returns the scenario that `--scenario` names.
    pub fn scenario(&self) -> Option<Scenario> {
        self.scenario.as_deref().and_then(Scenario::named)
    }

    /// Returns the number of devices.
    pub fn devices(&self) -> usize {
        self.devices.into()
    }

    /// Returns the number of hosts that the devices are spread over.
    pub fn hosts(&self) -> usize {
        self.hosts.into()
    }

    /// Returns the length of the run.
    pub fn length(&self) -> Length {
        match self.size_mb {
            Some(mb) => Length::Megabytes(mb.into()),
            None => Length::Steps(self.steps.unwrap_or(10) as usize),
        }
    }

    /// Returns the faults that `--fault` names.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        self.fault.iter().for_each(|name| faults.add(name));
        faults
    }

    /// Returns the largest difference between the event clocks of a host's devices, in ps.
    pub fn clock_skew_ps(&self) -> u64 {
        (self.clock_skew.max(0.0) * 1e6) as u64
    }

    /// Returns the time by which the clock of each host is ahead of that of the host before, in ps.
    pub fn host_skew_ps(&self) -> u64 {
        (self.host_skew.max(0.0) * 1e9) as u64
    }

    /// Returns whether `trace.json.gz` is written.
    pub const fn trace(&self) -> bool {
        !self.no_trace
    }
}
