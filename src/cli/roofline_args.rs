//! This module declares the arguments of `rooflight roofline`, some of which other commands share.

use crate::analysis::base::Query;
use crate::analysis::roofline::{KernelCost, PeakChoice, PeakSource, Precision, RooflineQuery, UsefulFlops};
use crate::chip::{CHIPS, Chip};
use clap::builder::PossibleValuesParser;

/// Peaks of a device.
#[derive(clap::Args)]
pub struct PeakArgs {
    /// Takes the published peaks of this chip instead of the peaks in the capture.
    #[arg(long, value_name = "NAME", value_parser = chip)]
    chip: Option<String>,
    /// The source that wins if both the capture and the table of chips have a peak.
    #[arg(long, default_value = "profile", value_parser = PossibleValuesParser::new(["profile", "published"]))]
    peaks: String,
    /// The peak TFLOP/s of one device for a dtype such as bf16, f16, fp8, int8, int4 or f32. Can be repeated.
    #[arg(long, value_name = "DTYPE=X", value_parser = peak)]
    peak_tflops: Vec<(Precision, f64)>,
    /// The HBM bandwidth of one device in GB/s (10⁹ bytes per second).
    #[arg(long, value_name = "X", value_parser = peak_amount)]
    peak_hbm_gbps: Option<f64>,
}

impl PeakArgs {
    /// Returns the choice of peaks.
    pub fn choice(&self) -> PeakChoice {
        let published = self.chip.is_some() || self.peaks == "published";
        PeakChoice {
            prefer: if published { PeakSource::Published } else { PeakSource::Profile },
            chip: self.chip.clone(),
            flops: self.peak_tflops.iter().map(|(precision, tera)| (*precision, tera * 1e12)).collect(),
            hbm_bytes: self.peak_hbm_gbps.map(|giga| giga * 1e9),
        }
    }
}

/// Peaks, costs, and the useful FLOPs of a step.
#[derive(clap::Args)]
pub struct RooflineArgs {
    /// Includes all kinds of time, not only compute.
    #[arg(long)]
    all_kinds: bool,
    #[command(flatten)]
    peaks: PeakArgs,
    /// FLOPs and bytes of one execution of the kernels with this name (`*` matches any text). They replace the costs in the capture. Can be repeated.
    #[arg(long, value_name = "NAME=FLOPS,BYTES", value_parser = cost)]
    kernel_cost: Vec<KernelCost>,
    /// The sequences in one step of the whole job, for MFU from useful FLOPs.
    #[arg(long, value_name = "N", value_parser = positive, requires = "sequence", requires = "flops_per_token")]
    batch: Option<f64>,
    /// The tokens in one sequence.
    #[arg(long, value_name = "N", value_parser = positive, requires = "batch")]
    sequence: Option<f64>,
    /// FLOPs per token: for training about 6 × parameters, plus attention.
    #[arg(long, value_name = "X", value_parser = positive, requires = "batch")]
    flops_per_token: Option<f64>,
    /// The number of devices that share a step. Default: the number that the program is compiled for, else the devices in the capture.
    #[arg(long, value_name = "N", requires = "batch")]
    job_devices: Option<u32>,
}

impl RooflineArgs {
    /// Combines the options with `query` into a query of the roofline.
    pub fn to_query(&self, query: Query) -> RooflineQuery {
        let useful = || {
            let (batch, sequence, flops_per_token) = (self.batch?, self.sequence?, self.flops_per_token?);
            Some(UsefulFlops { batch, sequence, flops_per_token, devices: self.job_devices })
        };
        RooflineQuery {
            query,
            all_kinds: self.all_kinds,
            peaks: self.peaks.choice(),
            costs: self.kernel_cost.clone(),
            useful: useful(),
            ..RooflineQuery::default()
        }
    }
}

fn chip(name: &str) -> Result<String, String> {
    let names = || CHIPS.iter().map(|chip| chip.name).collect::<Vec<_>>().join(", ");
    Chip::meant(name).map(|chip| chip.name.to_owned()).ok_or_else(|| format!("known chips: {}", names()))
}

/// The largest amount of an option. Products of such amounts are finite.
const LARGEST: f64 = 1e30;

/// Parses a number above zero.
pub fn positive(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|value: &f64| *value > 0.0 && *value <= LARGEST);
    value.ok_or_else(|| "a number above zero, and at most 1e30".to_owned())
}

/// Parses a peak in GB/s or TFLOP/s. Shares of a peak beyond these limits would have no meaning.
fn peak_amount(text: &str) -> Result<f64, String> {
    positive(text)
        .ok()
        .filter(|value| (1e-3..=1e9).contains(value))
        .ok_or_else(|| "a number from 0.001 to 1e9".to_owned())
}

fn peak(text: &str) -> Result<(Precision, f64), String> {
    let (name, value) = text.split_once('=').ok_or("a type, `=`, and TFLOP/s: `bf16=197`")?;
    let names = || Precision::ALL.map(Precision::key).join(", ");
    let precision = Precision::named(name).ok_or_else(|| format!("types: {}", names()))?;
    Ok((precision, peak_amount(value)?))
}

fn cost(text: &str) -> Result<KernelCost, String> {
    let parts = text.rsplit_once('=').and_then(|(name, costs)| Some((name, costs.split_once(',')?)));
    let (name, (flops, bytes)) = parts.ok_or("a name, `=`, FLOPs, `,` and bytes: `gmm*=2e12,3e9`")?;
    let amount = |text: &str| {
        let value = text.trim().parse().ok().filter(|value: &f64| (0.0..=LARGEST).contains(value));
        value.ok_or_else(|| format!("“{text}” is not a number from 0 to 1e30"))
    };
    if name.trim().is_empty() {
        return Err("the name of the kernel is missing".to_owned());
    }
    Ok(KernelCost { pattern: name.trim().to_owned(), flops: amount(flops)?, bytes: amount(bytes)? })
}
