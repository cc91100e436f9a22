//! These tests compare every form of replica groups with brute force, and the groups of every real collective with its
//! devices.

use crate::common::hlo::{AOT, aot};
use proptest::prelude::*;
use std::collections::BTreeMap;
use xla_profile::hlo::{AxisRef, Devices, Iota, MeshAxes, Module, ReplicaGroups, Transposed, opcode, text};

fn devices_of(name: &str) -> u64 {
    let topology = name.split('_').nth(1).unwrap();
    let chips: u64 = topology.split('x').map(|n| n.parse::<u64>().unwrap()).product();
    // v4 and v7x were compiled with each of a chip's two cores as a device.
    if name.starts_with("tpu7x") || name.starts_with("v4") { 2 * chips } else { chips }
}

#[test]
fn every_collective_of_every_program() {
    let mut forms: BTreeMap<&str, usize> = BTreeMap::new();
    for name in AOT {
        let Some(program) = aot(name) else { return };
        let module = Module::from_proto(&program);
        for (_, instruction) in module.instructions() {
            let Some(groups) = instruction.replica_groups() else {
                assert!(!opcode::is_collective(&instruction.opcode) || opcode::is_done(&instruction.opcode));
                continue;
            };
            assert!(opcode::is_collective(&instruction.opcode), "{}", instruction.opcode);
            let printed = groups.to_string();
            let (form, again) = match groups {
                ReplicaGroups::Pairs(_) => ("pairs", text::source_target_pairs(&printed)),
                ReplicaGroups::Lists(_) => ("lists", text::replica_groups(&printed)),
                ReplicaGroups::Iota(_) => ("iota", text::replica_groups(&printed)),
                ReplicaGroups::Mesh(_) => ("mesh", text::replica_groups(&printed)),
                ReplicaGroups::All => ("all", text::replica_groups(&printed)),
            };
            *forms.entry(form).or_default() += 1;
            assert_eq!(again.as_ref(), Some(groups));
            let lists = groups.groups().unwrap();
            assert_eq!(groups.first().as_ref(), lists.first());
            assert_eq!(groups.size(), Some(lists[0].len() as u64));
            let mut devices = lists.concat();
            devices.sort_unstable();
            if form == "pairs" {
                assert!(devices.iter().all(|d| *d < devices_of(name)));
            } else {
                assert_eq!(devices, (0..devices_of(name)).collect::<Vec<_>>(), "{name} {printed}");
            }
        }
    }
    assert_eq!(forms.into_iter().collect::<Vec<_>>(), [("iota", 221), ("lists", 46), ("mesh", 79), ("pairs", 128)]);
}

#[test]
fn known_groups() {
    let lists = "{{0,16,32,48,64,80,96,112},{1,17,33,49,65,81,97,113}}";
    let groups = text::replica_groups(lists).unwrap();
    assert_eq!((groups.size(), groups.stride(), groups.to_string().as_str()), (Some(8), Some(16), lists));
    let groups = text::replica_groups("[4,2]<=[2,4]T(1,0)").unwrap();
    assert_eq!(groups.groups().unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
    assert_eq!(text::replica_groups("[2,4]<=[8]").unwrap().groups().unwrap(), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(text::replica_groups("{}"), Some(ReplicaGroups::All));
    assert_eq!(text::source_target_pairs("{{0,1},{1,0}}"), Some(ReplicaGroups::Pairs(vec![(0, 1), (1, 0)])));

    let mesh = |text: &str| text::replica_groups(text).unwrap().groups().unwrap();
    assert_eq!(mesh("mesh['x'=2,'y'=4] {'x'}"), [[0, 4], [1, 5], [2, 6], [3, 7]]);
    assert_eq!(mesh("mesh[x=2,y=4] {y}"), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(mesh("mesh['x'=8] {'x':(1)2}"), [[0, 4], [1, 5], [2, 6], [3, 7]]);
    assert_eq!(mesh("mesh['x'=8] {'x':(4)2,'x':(1)2}"), [[0, 4, 1, 5], [2, 6, 3, 7]]);
    assert_eq!(mesh("mesh['x'=2,'y'=2], device_ids=(0,2,3,1) {'x'}"), [[0, 3], [2, 1]]);
    assert_eq!(mesh("mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'y'}"), [[0, 2], [1, 3]]);
    // In an instruction, the devices of a mesh follow a comma that does not end the attribute.
    let text =
        "%a = f32[4]{0} all-gather(%b), replica_groups=mesh['x'=2,'y'=2], device_ids=(0,2,3,1) {'x'}, dimensions={0}";
    let parsed = text::instruction(text).unwrap();
    assert_eq!(parsed.damage.leftover, 0);
    assert_eq!(parsed.instruction.replica_groups().unwrap().first(), Some(vec![0, 3]));
    assert_eq!(parsed.instruction.to_string(), text);
}

#[test]
fn hostile_sizes_have_no_groups() {
    for hostile in [
        "[1,1099511627776]<=[1099511627776]",
        "[18446744073709551615,18446744073709551615]<=[1]",
        "[2,2]<=[3]",
        "[2,2]<=[2,2]T(0,0)",
        "[2,2]<=[2,2]T(0,7)",
        "[2,2]<=[2,2]T(0)",
        "[0,2]<=[0]",
        "[2,0]<=[0]",
        "mesh['x'=1099511627776] {'x'}",
        "mesh['x'=8] {'x':(3)2}",
        "mesh['x'=8] {'x':(1)2,'x'}",
        "mesh['x'=8] {'x':(0)2}",
        "mesh['x'=0] {'x'}",
        "mesh['x'=4], device_ids=(1,2) {'x'}",
        "mesh['x'=4], device_ids=([9999999999]) {'x'}",
    ] {
        let groups = text::replica_groups(hostile).unwrap();
        assert_eq!((groups.groups(), groups.first(), groups.stride()), (None, None, None), "{hostile}");
        assert_eq!(text::replica_groups(&groups.to_string()), Some(groups), "{hostile}");
    }
}

/// Returns 0, 1, 2, … as an array of `dims`, transposed by `perm` and flattened. The result comes from coordinates,
/// without strides.
fn transposed(dims: &[u64], perm: &[u64]) -> Vec<u64> {
    let mut cells: Vec<(Vec<u64>, u64)> = vec![(Vec::new(), 0)];
    for dim in dims {
        cells = cells
            .iter()
            .flat_map(|(cell, i)| (0..*dim).map(move |d| ([&cell[..], &[d]].concat(), i * dim + d)))
            .collect();
    }
    let key = |cell: &[u64]| perm.iter().map(|p| cell[*p as usize]).collect::<Vec<_>>();
    cells.sort_by_key(|(cell, _)| key(cell));
    cells.into_iter().map(|(_, i)| i).collect()
}

fn dims_and_perm() -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    prop::collection::vec(1_u64..5, 1..5).prop_flat_map(|dims| {
        let perm: Vec<u64> = (0..dims.len() as u64).collect();
        (Just(dims), Just(perm).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn iota_is_reshape_transpose_reshape((dims, perm) in dims_and_perm(), cut in 0_usize..99) {
        let total: u64 = dims.iter().product();
        let divisors: Vec<u64> = (1..=total).filter(|d| total.is_multiple_of(*d)).collect();
        let size = divisors[cut % divisors.len()];
        let expected: Vec<Vec<u64>> = transposed(&dims, &perm).chunks(size as usize).map(<[u64]>::to_vec).collect();
        let groups = ReplicaGroups::Iota(Iota { groups: total / size, size, order: Transposed { dims, perm } });
        prop_assert_eq!(groups.groups(), Some(expected.clone()));
        prop_assert_eq!(groups.first(), expected.first().cloned());
        prop_assert_eq!(text::replica_groups(&groups.to_string()), Some(groups));
    }

    /// Axes are split as pre × size × rest. Two devices are in one group if they differ only in grouped digits.
    #[test]
    fn mesh_groups_differ_only_along_their_axes(
        axes in prop::collection::vec((1_u64..3, 1_u64..4, 1_u64..3, 0_u8..3), 1..4),
        order in any::<u64>(),
    ) {
        let mesh: Vec<_> = axes.iter().enumerate().map(|(i, (a, b, c, _))| (format!("a{i}").as_str().into(), a * b * c)).collect();
        let refs: Vec<AxisRef> = axes.iter().enumerate().filter_map(|(axis, (pre, size, _, how))| match how {
            0 => None,
            1 => Some(AxisRef { axis, sub: None }),
            _ => Some(AxisRef { axis, sub: Some((*pre, *size)) }),
        }).collect();
        prop_assume!(!refs.is_empty());
        let total: u64 = mesh.iter().map(|(_, n): &(_, u64)| n).product();
        let devices: Vec<u64> = (0..total).map(|i| (i + order % total) % total).collect();
        let digits = |mut place: u64| {
            let mut kept = Vec::new();
            let mut grouped = Vec::new();
            for (a, b, c, how) in axes.iter().rev() {
                for (n, part) in [(c, 2), (b, 1), (a, 0)] {
                    let digit = place % n;
                    place /= n;
                    let is_grouped = *how == 1 || (*how == 2 && part == 1);
                    if is_grouped { grouped.push(digit) } else { kept.push(digit) }
                }
            }
            kept.reverse();
            grouped.reverse();
            (kept, grouped)
        };
        let mut places: Vec<u64> = (0..total).collect();
        places.sort_by_key(|p| digits(*p));
        let mut expected: Vec<Vec<u64>> = Vec::new();
        let mut last = None;
        for place in places {
            let kept = Some(digits(place).0);
            if kept != last {
                expected.push(Vec::new());
                last = kept;
            }
            expected.last_mut().unwrap().push(devices[place as usize]);
        }
        let groups = ReplicaGroups::Mesh(MeshAxes { mesh, devices: Devices::Listed(devices), axes: refs });
        prop_assert_eq!(groups.groups(), Some(expected));
        prop_assert_eq!(text::replica_groups(&groups.to_string()), Some(groups));
    }
}
