//! This module checks that a machine has what a task needs, before anything long begins.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::tools::{browser, python};
use crate::{process, repo};

/// The space in GB that every task needs: a build ends soon with less.
pub const SPACE: Need = Need::Space(2);

/// What must be there before a task begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    Node,
    Python,
    /// Space on the disk of the target folder, in GB.
    Space(u64),
}

impl Need {
    /// Returns a sentence that says what is missing, and what to do. `None` if the need is met.
    fn missing(self) -> Option<String> {
        match self {
            Self::Node => browser::node().err().map(|error| format!("{error:#}.")),
            Self::Python => python::system().err().map(|error| format!("{error:#}.")),
            Self::Space(wanted) => {
                let folder = repo::target().ok()?;
                let free = free_space(&folder)?;
                let folder = folder.display();
                (free < wanted).then(|| format!("{folder} has {free} GB of free space, and {wanted} GB are needed: free some, or set CARGO_TARGET_DIR to a folder on a larger disk."))
            }
        }
    }
}

/// Checks that all needs are met.
///
/// # Errors
/// Names everything that is missing, each in a line.
pub fn check(needs: impl IntoIterator<Item = Need>) -> Result<()> {
    let missing: Vec<String> = needs.into_iter().filter_map(Need::missing).collect();
    if missing.is_empty() { Ok(()) } else { bail!("{}", missing.join("\n")) }
}

/// Returns the free space of the disk with `folder`, in whole GB. `None` if the system does not say it.
fn free_space(folder: &Path) -> Option<u64> {
    let existing = folder.ancestors().find(|folder| folder.exists())?;
    printed_space(&process::output_of(Command::new("df").arg("-Pk").arg(existing))?)
}

/// Reads the column `Available` of `df -Pk`: KiB, which are returned in whole GB.
fn printed_space(table: &str) -> Option<u64> {
    let kibibytes: u64 = table.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(kibibytes * 1024 / 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_is_read_from_the_table_of_df() {
        let table =
            "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 263940096 60128256 35018812 64% /";
        assert_eq!(printed_space(table), Some(35));
        assert_eq!(printed_space("Filesystem"), None);
    }

    #[test]
    fn everything_that_is_missing_is_named() {
        assert!(check([Need::Space(0)]).is_ok());
        let error = check([Need::Space(u64::MAX), Need::Space(u64::MAX - 1)]).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 2, "{error}");
        assert!(error.contains("GB of free space"), "{error}");
    }
}
