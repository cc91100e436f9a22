//! This module holds the figures of each chip, with their sources. The module contains only data.

use super::{Chip, Figure, Link};

/// The pages of the vendor, one per TPU generation.
const CLOUD_V2: &str = "cloud.google.com/tpu/docs/v2";
const CLOUD_V3: &str = "cloud.google.com/tpu/docs/v3";
const CLOUD_V4: &str = "cloud.google.com/tpu/docs/v4";
const CLOUD_V5E: &str = "cloud.google.com/tpu/docs/v5e";
const CLOUD_V5P: &str = "cloud.google.com/tpu/docs/v5p";
const CLOUD_V6E: &str = "cloud.google.com/tpu/docs/v6e";
const CLOUD_V7X: &str = "cloud.google.com/tpu/docs/tpu7x";
const SCALING: &str = "jax-ml.github.io/scaling-book/tpus";
const V100: &str = "NVIDIA V100 data sheet, SXM2, tensor cores with fp16";
const A100_40: &str = "NVIDIA A100 40GB SXM datasheet, dense";
const A100: &str = "NVIDIA A100 80GB SXM datasheet, dense";
const H100: &str = "NVIDIA H100 SXM datasheet, dense";
const H200: &str = "NVIDIA H200 SXM datasheet, dense";
const B200: &str = "NVIDIA B200 datasheet, dense";
const MI250X: &str = "AMD Instinct MI250X data sheet, dense";
const MI300X: &str = "AMD Instinct MI300X data sheet, dense";
const MI325X: &str = "AMD Instinct MI325X data sheet, dense";
const MI355X: &str = "AMD Instinct MI355X data sheet, dense";

/// The source of TPU clocks. No vendor publishes the clock of a TPU. The clock follows from the bf16 peak and the
/// number of multipliers in the matrix units: FLOP/s ÷ (cores × units × side² × 2).
const CLOCK: &str = "bf16 peak ÷ (2 × multipliers of the matrix units)";

const fn tera(value: f64, source: &'static str) -> Option<Figure> {
    Some(Figure { value: value * 1e12, source })
}

const fn giga(value: f64, source: &'static str) -> Option<Figure> {
    Some(Figure { value: value * 1e9, source })
}

const fn gib(value: f64, source: &'static str) -> Option<Figure> {
    Some(Figure { value: value * 1_073_741_824.0, source })
}

const fn clock(mega: f64) -> Option<Figure> {
    Some(Figure { value: mega * 1e6, source: CLOCK })
}

const fn ici(gigabytes: f64, links: u32) -> Option<Link> {
    Some(Link { bytes: Figure { value: gigabytes * 1e9, source: SCALING }, links })
}

/// Returns the link of an NVLink bandwidth in GB/s. Vendors publish the sum over both directions; one direction is
/// half.
const fn nvlink(gigabytes: f64, source: &'static str) -> Option<Link> {
    Some(Link { bytes: Figure { value: gigabytes / 2.0 * 1e9, source }, links: 1 })
}

/// Returns the links to the other GPUs of a board. `gigabytes` is the bandwidth of one link in one direction, in GB/s.
const fn fabric(gigabytes: f64, links: u32, source: &'static str) -> Option<Link> {
    Some(Link { bytes: Figure { value: gigabytes * 1e9, source }, links })
}

/// The source of the bandwidth of PCIe: transfers per second × lanes, as the generation of the data sheet has them.
const PCIE: &str = "PCIe x16 of the generation in the data sheet";

/// Returns the bandwidth of PCIe in one direction: 16 GB/s for 16 lanes of generation 3, twice as much for each later one.
const fn pcie(gigabytes: f64) -> Option<Figure> {
    giga(gigabytes, PCIE)
}

const TPU: Chip = Chip {
    name: "",
    spellings: &[],
    cores: 1,
    megacore: false,
    bf16: None,
    f16: None,
    fp8: None,
    int8: None,
    hbm: None,
    hbm_size: None,
    link: None,
    pcie: None,
    dcn: None,
    clock: None,
};

/// All known chips: TPUs, then chips of NVIDIA, then chips of AMD, each from the oldest to the newest.
pub const CHIPS: &[Chip] = &[
    Chip {
        name: "TPU v2",
        spellings: &["TPU v2"],
        cores: 2,
        bf16: tera(46.0, CLOUD_V2),
        hbm: giga(700.0, CLOUD_V2),
        hbm_size: giga(16.0, CLOUD_V2),
        link: ici(60.0, 4),
        pcie: giga(16.0, SCALING),
        dcn: giga(6.25, SCALING),
        clock: clock(700.0),
        ..TPU
    },
    Chip {
        name: "TPU v3",
        spellings: &["TPU v3"],
        cores: 2,
        bf16: tera(123.0, CLOUD_V3),
        hbm: giga(900.0, CLOUD_V3),
        hbm_size: gib(32.0, CLOUD_V3),
        link: ici(100.0, 4),
        pcie: giga(16.0, SCALING),
        dcn: giga(6.25, SCALING),
        clock: clock(940.0),
        ..TPU
    },
    Chip {
        name: "TPU v4",
        spellings: &["TPU v4"],
        cores: 2,
        megacore: true,
        bf16: tera(275.0, CLOUD_V4),
        int8: tera(275.0, CLOUD_V4),
        hbm: giga(1228.0, CLOUD_V4),
        hbm_size: gib(32.0, CLOUD_V4),
        link: ici(45.0, 6),
        pcie: giga(16.0, SCALING),
        dcn: giga(6.25, SCALING),
        clock: clock(1050.0),
        ..TPU
    },
    Chip {
        name: "TPU v5e",
        spellings: &["TPU v5e", "TPU v5 lite"],
        bf16: tera(197.0, CLOUD_V5E),
        int8: tera(394.0, CLOUD_V5E),
        hbm: giga(819.0, CLOUD_V5E),
        hbm_size: giga(16.0, CLOUD_V5E),
        link: ici(50.0, 4),
        pcie: giga(16.0, SCALING),
        dcn: giga(3.125, SCALING),
        clock: clock(1500.0),
        ..TPU
    },
    Chip {
        name: "TPU v5p",
        spellings: &["TPU v5p", "TPU v5"],
        cores: 2,
        megacore: true,
        bf16: tera(459.0, CLOUD_V5P),
        fp8: tera(459.0, CLOUD_V5P),
        int8: tera(918.0, CLOUD_V5P),
        hbm: giga(2765.0, CLOUD_V5P),
        hbm_size: gib(95.0, CLOUD_V5P),
        link: ici(100.0, 6),
        pcie: giga(16.0, SCALING),
        dcn: giga(6.25, SCALING),
        clock: clock(1750.0),
        ..TPU
    },
    Chip {
        name: "TPU v6e",
        spellings: &["TPU v6e", "TPU v6 lite"],
        bf16: tera(918.0, CLOUD_V6E),
        fp8: tera(918.0, CLOUD_V6E),
        int8: tera(1836.0, CLOUD_V6E),
        hbm: giga(1638.0, CLOUD_V6E),
        hbm_size: gib(32.0, CLOUD_V6E),
        link: ici(100.0, 4),
        pcie: giga(32.0, SCALING),
        dcn: giga(12.5, SCALING),
        clock: clock(1750.0),
        ..TPU
    },
    Chip {
        name: "TPU v7x",
        spellings: &["TPU v7x", "TPU7x"],
        cores: 2,
        bf16: tera(2307.0, CLOUD_V7X),
        fp8: tera(4614.0, CLOUD_V7X),
        hbm: giga(7380.0, CLOUD_V7X),
        hbm_size: gib(192.0, CLOUD_V7X),
        link: ici(100.0, 6),
        dcn: giga(12.5, SCALING),
        clock: clock(2200.0),
        ..TPU
    },
    Chip {
        name: "V100 16GB SXM2",
        spellings: &["Tesla V100-SXM2-16GB"],
        f16: tera(125.0, V100),
        hbm: giga(900.0, V100),
        hbm_size: giga(16.0, V100),
        link: nvlink(300.0, V100),
        pcie: pcie(16.0),
        ..TPU
    },
    Chip {
        name: "V100 32GB SXM2",
        spellings: &["Tesla V100-SXM2-32GB"],
        f16: tera(125.0, V100),
        hbm: giga(900.0, V100),
        hbm_size: giga(32.0, V100),
        link: nvlink(300.0, V100),
        pcie: pcie(16.0),
        ..TPU
    },
    Chip {
        name: "A100 40GB SXM",
        spellings: &["NVIDIA A100-SXM4-40GB"],
        bf16: tera(312.0, A100_40),
        int8: tera(624.0, A100_40),
        hbm: giga(1555.0, A100_40),
        hbm_size: giga(40.0, A100_40),
        link: nvlink(600.0, A100_40),
        pcie: pcie(32.0),
        ..TPU
    },
    Chip {
        name: "A100 80GB SXM",
        spellings: &["NVIDIA A100-SXM4-80GB"],
        bf16: tera(312.0, A100),
        int8: tera(624.0, A100),
        hbm: giga(2039.0, A100),
        hbm_size: giga(80.0, A100),
        link: nvlink(600.0, A100),
        pcie: pcie(32.0),
        ..TPU
    },
    Chip {
        name: "H100 SXM",
        spellings: &["NVIDIA H100 80GB HBM3"],
        bf16: tera(989.0, H100),
        fp8: tera(1979.0, H100),
        int8: tera(1979.0, H100),
        hbm: giga(3350.0, H100),
        hbm_size: giga(80.0, H100),
        link: nvlink(900.0, H100),
        pcie: pcie(64.0),
        ..TPU
    },
    Chip {
        name: "H200 SXM",
        spellings: &["NVIDIA H200"],
        bf16: tera(989.0, H200),
        fp8: tera(1979.0, H200),
        int8: tera(1979.0, H200),
        hbm: giga(4800.0, H200),
        hbm_size: giga(141.0, H200),
        link: nvlink(900.0, H200),
        pcie: pcie(64.0),
        ..TPU
    },
    Chip {
        name: "B200",
        spellings: &["NVIDIA B200"],
        bf16: tera(2250.0, B200),
        fp8: tera(4500.0, B200),
        int8: tera(4500.0, B200),
        hbm: giga(8000.0, B200),
        hbm_size: giga(192.0, B200),
        link: nvlink(1800.0, B200),
        pcie: pcie(128.0),
        ..TPU
    },
    Chip {
        name: "MI250X",
        spellings: &["AMD Instinct MI250X"],
        cores: 2,
        bf16: tera(383.0, MI250X),
        int8: tera(383.0, MI250X),
        hbm: giga(3276.8, MI250X),
        hbm_size: gib(128.0, MI250X),
        link: fabric(50.0, 8, MI250X),
        pcie: pcie(32.0),
        ..TPU
    },
    Chip {
        name: "MI300X",
        spellings: &["AMD Instinct MI300X"],
        bf16: tera(1307.4, MI300X),
        fp8: tera(2614.9, MI300X),
        int8: tera(2614.9, MI300X),
        hbm: giga(5300.0, MI300X),
        hbm_size: gib(192.0, MI300X),
        link: fabric(64.0, 7, MI300X),
        pcie: pcie(64.0),
        ..TPU
    },
    Chip {
        name: "MI325X",
        spellings: &["AMD Instinct MI325X"],
        bf16: tera(1307.4, MI325X),
        fp8: tera(2614.9, MI325X),
        int8: tera(2614.9, MI325X),
        hbm: giga(6000.0, MI325X),
        hbm_size: gib(256.0, MI325X),
        link: fabric(64.0, 7, MI325X),
        pcie: pcie(64.0),
        ..TPU
    },
    Chip {
        name: "MI355X",
        spellings: &["AMD Instinct MI355X"],
        bf16: tera(2516.6, MI355X),
        fp8: tera(5033.2, MI355X),
        int8: tera(5033.2, MI355X),
        hbm: giga(8000.0, MI355X),
        hbm_size: gib(288.0, MI355X),
        link: fabric(76.8, 7, MI355X),
        pcie: pcie(64.0),
        ..TPU
    },
];
