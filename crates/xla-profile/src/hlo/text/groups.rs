//! This module parses replica groups and source-target pairs.

use super::scan::Scan;
use super::shape::list;
use crate::hlo::{AxisRef, Devices, Iota, MeshAxes, ReplicaGroups, Transposed};

pub(super) fn read(text: &str) -> Option<ReplicaGroups> {
    let mut scan = Scan::new(text.trim());
    let groups = match scan.peek()? {
        b'{' => lists(&mut scan)?,
        b'[' => iota(&mut scan)?,
        _ => mesh(&mut scan)?,
    };
    scan.is_empty().then_some(groups)
}

pub(super) fn pairs(text: &str) -> Option<ReplicaGroups> {
    let ReplicaGroups::Lists(lists) = read(text)? else {
        return (text == "{}").then(|| ReplicaGroups::Pairs(Vec::new()));
    };
    let pair = |l: &Vec<u64>| <[u64; 2]>::try_from(l.as_slice()).ok().map(|[from, to]| (from, to));
    lists.iter().map(pair).collect::<Option<_>>().map(ReplicaGroups::Pairs)
}

/// Parses `{}` or `{{0,1},{2,3}}`.
fn lists(scan: &mut Scan<'_>) -> Option<ReplicaGroups> {
    let mut inner = Scan::new(scan.group()?);
    inner.space();
    let lists = list(&mut inner, |s| {
        let mut group = Scan::new(s.group()?);
        group.space();
        let devices = list(&mut group, Scan::number)?;
        group.is_empty().then_some(devices)
    })?;
    let all = if lists.is_empty() { ReplicaGroups::All } else { ReplicaGroups::Lists(lists) };
    inner.is_empty().then_some(all)
}

/// Parses `[4,2]<=[2,4]T(1,0)`.
fn iota(scan: &mut Scan<'_>) -> Option<ReplicaGroups> {
    let sizes = numbers(scan)?;
    let [groups, size] = <[u64; 2]>::try_from(sizes).ok()?;
    if !scan.eat_str("<=") {
        return None;
    }
    Some(ReplicaGroups::Iota(Iota { groups, size, order: transposed(scan)? }))
}

/// Parses `[2,4]T(1,0)` or `[8]`.
fn transposed(scan: &mut Scan<'_>) -> Option<Transposed> {
    let dims = numbers(scan)?;
    let perm = if scan.eat(b'T') { numbers(scan)? } else { Vec::new() };
    Some(Transposed { dims, perm })
}

/// Parses numbers in brackets.
fn numbers(scan: &mut Scan<'_>) -> Option<Vec<u64>> {
    let mut inner = Scan::new(scan.group()?);
    let numbers = list(&mut inner, Scan::number)?;
    inner.is_empty().then_some(numbers)
}

/// Parses `mesh['x'=2,'y'=4], device_ids=(…) {'x','y':(1)2}`. In older files, the names have no quotes.
fn mesh(scan: &mut Scan<'_>) -> Option<ReplicaGroups> {
    if !scan.eat_str("mesh") {
        return None;
    }
    let mut inner = Scan::new(scan.group()?);
    let mesh = list(&mut inner, |s| {
        let name = axis_name(s)?;
        s.eat(b'=').then_some(())?;
        Some((name.into(), s.number()?))
    })?;
    inner.is_empty().then_some(())?;
    let devices = if scan.eat_str(", device_ids=") { devices(scan.group()?)? } else { Devices::Counting };
    scan.space();
    let mut inner = Scan::new(scan.group()?);
    let axes = list(&mut inner, |s| {
        let name = axis_name(s)?;
        let axis = mesh.iter().position(|(n, _): &(std::sync::Arc<str>, u64)| **n == *name)?;
        let sub = if s.eat(b':') { Some((s.group()?.parse().ok()?, s.number()?)) } else { None };
        Some(AxisRef { axis, sub })
    })?;
    inner.is_empty().then_some(ReplicaGroups::Mesh(MeshAxes { mesh, devices, axes }))
}

/// Parses `'x'` or `x`.
fn axis_name<'a>(scan: &mut Scan<'a>) -> Option<&'a str> {
    let name = if scan.eat(b'\'') {
        let name = scan.take(|b| b != b'\'');
        scan.eat(b'\'').then_some(name)?
    } else {
        scan.word()
    };
    (!name.is_empty()).then_some(name)
}

/// Parses `0,2,1,3` or `[2,2]T(1,0)`, which `<=` may precede.
fn devices(text: &str) -> Option<Devices> {
    let mut scan = Scan::new(text);
    scan.eat_str("<=");
    let devices = if scan.peek() == Some(b'[') {
        Devices::Transposed(transposed(&mut scan)?)
    } else {
        Devices::Listed(list(&mut scan, Scan::number)?)
    };
    scan.is_empty().then_some(devices)
}
