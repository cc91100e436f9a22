//! What the command line says.

use super::Failure;
use super::faults::{Faults, NAMES};
use clap::Parser;
use std::path::{Path, PathBuf};

/// Makes captures as a TPU would give them, without one: a real XLA:TPU program, simulated times.
///
/// Writes worker-N.xplane.pb, worker-N.trace.json.gz and expected.json, which says what an analysis has to find. The same
/// arguments give the same bytes.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask synth")]
pub struct Args {
    /// Folder for the files
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// HloProto with schedule and buffer assignment, gzip or not [default: the sample's]
    #[arg(long, value_name = "FILE")]
    hlo: Option<PathBuf>,
    /// The same program after code generation: the compiler's own estimates per op
    #[arg(long, value_name = "FILE")]
    cycles: Option<PathBuf>,
    /// What it runs on
    #[arg(long, value_name = "NAME", default_value = "TPU v5p")]
    pub chip: String,
    /// Times differ a little by seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    devices: u16,
    /// Devices are spread over so many hosts, each with captures of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    hosts: u16,
    /// [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "size_mb")]
    steps: Option<u32>,
    /// As many steps as make captures of so many MB together; more than 1,900 MB become several hosts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(10..=4096))]
    size_mb: Option<u16>,
    /// Loops become as many ops as they turn
    #[arg(long)]
    pub unroll: bool,
    /// What is wrong with the run; may be given more than once
    #[arg(long, value_name = "NAME", value_parser = NAMES)]
    fault: Vec<String>,
    /// Also worker-N.xplane.pb.xz: the same capture, packed as tightly as xz can, which takes a second per MB
    #[arg(long)]
    pub xz: bool,
    /// Without trace.json.gz
    #[arg(long)]
    no_trace: bool,
}

/// How long a run is.
pub enum Length {
    /// So many steps.
    Steps(usize),
    /// Captures of all hosts together.
    Megabytes(usize),
}

impl Args {
    /// Those of this process. Ends it where help is requested.
    pub fn read() -> Result<Self, Failure> {
        let args = Self::parse();
        if args.hosts > args.devices {
            return Err("a host has at least one device".into());
        }
        Ok(args)
    }

    /// The program, and the compiler's estimates.
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

    /// How many devices run.
    pub fn devices(&self) -> usize {
        self.devices.into()
    }

    /// How many hosts they are spread over.
    pub fn hosts(&self) -> usize {
        self.hosts.into()
    }

    /// How long they run.
    pub fn length(&self) -> Length {
        match self.size_mb {
            Some(mb) => Length::Megabytes(mb.into()),
            None => Length::Steps(self.steps.unwrap_or(10) as usize),
        }
    }

    /// What is wrong with the run.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        self.fault.iter().for_each(|name| faults.add(name));
        faults
    }

    /// Whether `trace.json.gz` is written.
    pub const fn trace(&self) -> bool {
        !self.no_trace
    }
}
