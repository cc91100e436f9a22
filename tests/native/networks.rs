//! These tests check the networks of collectives and copies with their bandwidths, and the transfers between slices. The
//! truth is that of simulated runs, of the made cases, and of a real capture.

use crate::causes::{Device, MS, US};
use crate::common::{bytes, open};
use fastrand::Rng;
use rooflight::analysis::base::Analysis;
use rooflight::analysis::comm::{Comm, CommQuery, DcnCollective, Machine, Network, NetworkRates, Primitive};
use rooflight::session::{self, Programs};
use std::path::Path;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

/// The peak of a TPU v5e between slices, in bytes per second of a device.
const DCN: f64 = 3.125e9;

fn comm_of(name: &str, capture: Vec<u8>, query: &CommQuery) -> Comm {
    let mut opened = open(name, capture).unwrap();
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    session::comm(&Analysis::new(&opened.profile), &opened.profile, &mut programs, query)
}

fn comm_of_planes(planes: Vec<XPlane>, rates: NetworkRates) -> Comm {
    let space = XSpace { planes, hostnames: vec!["host-a".into()], ..Default::default() };
    let machine = Machine { rates, ..Machine::default() };
    comm_of("host.xplane.pb", bytes(&space), &CommQuery { machine, ..CommQuery::default() })
}

fn comm_of_case(name: &str) -> Comm {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/cases").join(name);
    comm_of(name, std::fs::read(path).unwrap(), &CommQuery::default())
}

/// The attributes of the ops of a transfer between slices.
fn attributes(kind: &str, rendezvous: &str, target: &str) -> String {
    format!(
        "channel_id=3, is_host_transfer=true, frontend_attributes={{_xla_host_transfer_handler_name=\"xla_megascale_runtime\",\
         _xla_host_transfer_rendezvous=\"{rendezvous}\",_xla_megascale_transfer_type=\"{kind}\"{target}}}"
    )
}

/// Adds the send and the wait of a transfer between slices, whose message is `n` values of f32.
fn transfer(device: &mut Device, (kind, number, target): (&str, u32, &str), n: u64) -> (i64, i64) {
    let attributes = attributes(kind, &format!("collective.{number}_0"), target);
    let send =
        format!("%send.{number} = (f32[{n}]{{0}}, u32[], token[]) send(f32[{n}]{{0}} %g, token[] %t), {attributes}");
    let wait = format!(
        "%recv-done.{number} = (f32[{n}]{{0}}, token[]) recv-done((f32[{n}]{{0}}, u32[], token[]) %recv.{number}), {attributes}"
    );
    (device.op_of_bytes(&send, "host send", "", (0, 0)), device.op_of_bytes(&wait, "host recv-done", "", (0, 0)))
}

fn assert_close(value: Option<f64>, wanted: f64, what: &str) {
    let value = value.unwrap_or_else(|| panic!("{what} is unknown"));
    assert!((value / wanted - 1.0).abs() < 1e-6, "{what}: {value} for {wanted}");
}

/// Bytes on the network per byte of the message, among `n` slices.
fn factor(primitive: Primitive, n: f64) -> f64 {
    match primitive {
        Primitive::AllReduce => 2.0 * (n - 1.0) / n,
        Primitive::ReduceScatter => n - 1.0,
        Primitive::Permute => 1.0,
        _ => (n - 1.0) / n,
    }
}

#[test]
fn transfers_between_slices_have_the_times_and_bytes_of_the_simulation() {
    let kinds = [
        ("ALL_REDUCE", Primitive::AllReduce),
        ("ALL_GATHER", Primitive::AllGather),
        ("REDUCE_SCATTER", Primitive::ReduceScatter),
        ("ALL_TO_ALL", Primitive::AllToAll),
        ("ONE_TO_ONE", Primitive::Permute),
    ];
    for (seed, (kind, primitive)) in (0..).zip(kinds.into_iter().cycle().take(20)) {
        let mut random = Rng::with_seed(seed);
        let mut device = Device::new(0, 7);
        let (n, n_slices) = (random.u64(1..64) << 18, random.u64(2..9));
        let target = format!(",_xla_megascale_target=\"{{0:{}}}x{{0:3}}\"", n_slices - 1);
        let (send, wait) = transfer(&mut device, (kind, 5, &target), n);
        let (other_send, other_wait) = transfer(&mut device, ("ALL_REDUCE", 8, &target), 1024);
        let (first, second, waits) = (random.i64(2..9) * MS, random.i64(1..5) * MS, random.i64(1..20) * MS);
        let matmul = device.matmul(first);
        // The send takes 40 µs, and two ops of another transfer lie between the send and its wait.
        let ops = [
            (matmul, first),
            (send, 40 * US),
            (matmul, second),
            (other_send, 30 * US),
            (other_wait, 200 * US),
            (wait, waits),
        ];
        device.steps(&ops);
        let comm = comm_of_planes(vec![device.done()], NetworkRates::default());
        let collective: &DcnCollective =
            comm.dcn.iter().find(|collective| collective.rendezvous == "collective.5_0").unwrap();
        let time = |time: i64| Picos(time.unsigned_abs());
        assert_eq!(
            (collective.primitive, collective.n_slices, collective.n),
            (primitive, Some(n_slices), 1.into()),
            "run {seed}"
        );
        assert_eq!(collective.in_flight, time(270 * US + second + waits), "run {seed}");
        assert_eq!(collective.exposed, time(270 * US + waits), "run {seed}");
        assert_eq!(collective.stall, time(40 * US + waits), "run {seed}");
        assert_eq!(collective.slack, time(second), "run {seed}");
        assert_eq!(collective.bytes, Some(4 * n));
        let sent = 4.0 * n as f64 * factor(primitive, n_slices as f64);
        assert_close(collective.sent.map(|sent| sent as f64), sent.floor(), "bytes");
        let seconds = |time: Picos| time.as_f64() / 1e12;
        let sent = sent.floor();
        assert_close(collective.rate(), sent / seconds(collective.in_flight), "rate");
        assert_close(collective.rate_to_hide(), sent / seconds(collective.slack), "rate to hide it");
        assert_close(collective.util(), sent / seconds(collective.in_flight) / DCN, "share of the network");
        assert_close(collective.time_at_peak().map(seconds), sent / DCN, "time at the peak");
        let missing = (sent / DCN - seconds(collective.slack)).max(0.0);
        assert!((seconds(collective.missing_work().unwrap()) - missing).abs() < 1e-9, "run {seed}");
        assert!(!collective.is_at_least());
        // The row has the same rate, because both count the same bytes.
        let row = comm.rows.iter().find(|row| row.op.as_deref() == Some("send.5")).unwrap();
        assert_eq!((row.network, row.peak), (Some(Network::Dcn), Some(DCN)));
        assert!((row.bus_rate.unwrap() / collective.rate().unwrap() - 1.0).abs() < 1e-6);
        assert_eq!(
            comm.dcn.iter().map(|collective| collective.stall).sum::<Picos>(),
            comm.tensor.stall + comm.tensor.issue
        );
    }
}

#[test]
fn a_bandwidth_of_the_user_counts() {
    let mut device = Device::new(0, 7);
    let (send, wait) = transfer(&mut device, ("ALL_REDUCE", 5, ""), 1 << 20);
    let matmul = device.matmul(MS);
    device.steps(&[(matmul, MS), (send, 10 * US), (wait, MS)]);
    let rates = NetworkRates { dcn: Some(10_000_000_000), hosts: None };
    let comm = comm_of_planes(vec![device.done()], rates);
    assert_eq!(comm.dcn[0].peak, Some(1e10));
    assert!(comm.dcn[0].is_at_least(), "the program does not say how many slices there are");
    assert_eq!(comm.dcn[0].rate_to_hide(), None, "nothing is scheduled");
    for (text, rate) in [("6.25", Ok(6_250_000_000)), ("0", Err(())), ("x", Err(())), ("1e9", Err(()))] {
        assert_eq!(NetworkRates::parse(text).map_err(|_| ()), rate, "{text}");
    }
}

/// The figures are worked out by hand from the times and shapes of the cases.
#[test]
fn made_cases_have_the_figures_worked_out_by_hand() {
    let comm = comm_of_case("tpu_multislice_dcn.xplane.pb");
    let [collective] = &comm.dcn[..] else { panic!("{:?}", comm.dcn) };
    assert_eq!(
        (&*collective.rendezvous, collective.bytes, collective.sent),
        ("collective.123_0", Some(64 << 20), Some(64 << 20))
    );
    let ms = |time: Picos| (time.as_f64() / 1e7).round() / 100.0;
    assert_eq!(
        [collective.in_flight, collective.stall, collective.exposed, collective.slack].map(ms),
        [15.05, 15.05, 15.05, 0.0]
    );
    assert_eq!(collective.time_at_peak().map(ms), Some(10.74));
    assert!(
        (collective.rate().unwrap() / 1e9 - 4.459).abs() < 5e-4 && (collective.util().unwrap() - 0.7134).abs() < 5e-5
    );
    let row = |comm: &Comm, name: &str| comm.rows.iter().find(|row| row.key == name).unwrap().clone();
    let found = row(&comm, "reduce-scatter.2");
    assert_eq!((found.network, found.peak), (Some(Network::Ici), None), "its topology is unknown");
    // 8 H100 of one host: 900 GB/s of NVLink, half of it in each direction.
    let found = row(&comm_of_case("gpu_sync_ag.xplane.pb"), "all-gather-start");
    assert_eq!((found.network, found.peak), (Some(Network::NvLink), Some(450e9)));
    assert!((found.util.unwrap() - 0.3728).abs() < 5e-5);
    // At most all rows are sent, so their bandwidth is no reason to doubt the link.
    let found = row(&comm_of_case("gpu_ragged_a2a.xplane.pb"), "ragged-all-to-all.3");
    assert_eq!((found.bytes_each, found.network), (Some(448 << 20), Some(Network::NvLink)));
    assert!((found.bus_rate.unwrap() / 1e9 - 14.68).abs() < 5e-3 && !found.is_above_peak());
}

/// Six arrays of 5 GiB go between a TPU v6e and its host. PCIe has 32 GB/s, which no copy exceeds.
#[test]
#[ignore = "needs captures of other projects"]
fn copies_of_the_host_stay_below_pcie() {
    let name = "tpu-v6e-host-offload/host.xplane.pb";
    let comm = comm_of(name, crate::common::profile(name).unwrap(), &CommQuery::default());
    let of_host: Vec<_> = comm.copy_rows.iter().filter(|row| row.network == Some(Network::Pcie)).collect();
    assert_eq!(of_host.len(), 6);
    assert!(of_host.iter().all(|row| row.bytes_each == Some(5 << 30) && row.peak == Some(32e9)));
    let shares: Vec<f64> = of_host.iter().map(|row| row.util.unwrap()).collect();
    assert!(shares.iter().all(|share| (0.25..1.0).contains(share)), "{shares:?}");
    assert!(shares.iter().any(|share| *share > 0.9), "{shares:?}");
}
