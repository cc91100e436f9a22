//! This module writes shapes and replica groups as short texts.
use xla_profile::hlo::{ReplicaGroups, Shape};

/// Writes replica groups: ` over 4 groups of 2`.
pub(crate) fn groups(groups: &ReplicaGroups) -> String {
    let (n, size) = match groups {
        ReplicaGroups::All => return " over all devices".to_owned(),
        ReplicaGroups::Pairs(pairs) => {
            let s = if pairs.len() == 1 { "" } else { "s" };
            return format!(" along {} pair{s} of devices", pairs.len());
        }
        ReplicaGroups::Iota(iota) => (Some(iota.groups), Some(iota.size)),
        ReplicaGroups::Lists(lists) => {
            let size = groups.size().filter(|size| lists.iter().all(|l| l.len() as u64 == *size));
            (Some(lists.len() as u64), size)
        }
        ReplicaGroups::Mesh(_) => (groups.groups().map(|g| g.len() as u64), groups.size()),
    };
    match (n, size) {
        (Some(1), Some(size)) => format!(" over one group of {size}"),
        (Some(n), Some(size)) => format!(" over {n} groups of {size}"),
        (Some(n), None) => format!(" over {n} groups"),
        (None, Some(size)) => format!(" over groups of {size}"),
        (None, None) => String::new(),
    }
}

/// Writes a shape without its layout. For a tuple of more than three parts, it writes their number and the first part.
pub(in crate::analysis) fn shape(shape: &Shape) -> String {
    match shape.elements() {
        elements if elements.len() > 3 => {
            format!("{} parts, the first {}", elements.len(), self::shape(&elements[0]))
        }
        _ => shape.without_layout().to_string(),
    }
}
