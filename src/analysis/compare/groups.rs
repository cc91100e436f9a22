//! This module selects and groups the rows of a comparison: by group of work, by kind of time, by scope or by source.

use super::causes::common_scopes;
use super::report::{CompareRows, Comparison, RowDelta, RowSide};
use crate::analysis::base::folded_scopes::fold;
use crate::analysis::base::scope_tree::NO_SCOPE;
use crate::analysis::classify::Kind;
use crate::analysis::classify::scope_path::is_within;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Reverse;
use xla_profile::keyed_enum;
use xla_profile::small_sort::SmallSort;

/// The name of the group of ops whose source is unknown.
const NO_SOURCE: &str = "<no source>";
/// The name of the group of ops whose group of work is unknown.
const NO_OP_GROUP: &str = "<unknown>";

/// The name of the group of ops that a report leaves out, and that are sums by kind.
const LEFT_OUT: &str = "<left out>";

keyed_enum! {
    /// What a row of the table stands for.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum CompareBy {
        /// The ops of both sides that are matched, or ops of one side.
        #[default]
        Op = "op": "Op",
        /// A group of work, such as matmul, attention or copy.
        OpGroup = "op_group": "Op group",
        Kind = "kind": "Kind",
        /// A scope path, with `*` for the number of an unrolled layer.
        Scope = "scope": "Scope",
        /// A source line: the innermost one in the user's own code.
        Source = "source": "Source",
        /// The deepest scope that both sides have, without transformations, loops and the numbers of layers.
        CommonScope = "common_scope": "Common scope",
    }
}

impl CompareBy {
    /// Returns the name of the group of each row. `rows` have to be all rows of a comparison, because unrolled layers are folded only
    /// where there are several of them.
    fn names(self, rows: &[RowDelta]) -> Vec<Cow<'_, str>> {
        match self {
            Self::Op => rows.iter().map(|row| row.name().into()).collect(),
            Self::Kind => rows.iter().map(|row| row.kind.key().into()).collect(),
            Self::OpGroup => rows.iter().map(|row| row.op_group().unwrap_or(none(row, NO_OP_GROUP)).into()).collect(),
            Self::Source => rows.iter().map(|row| row.source().unwrap_or(none(row, NO_SOURCE)).into()).collect(),
            Self::Scope => {
                let paths: Vec<&str> = rows.iter().map(|row| row.scope().unwrap_or(none(row, NO_SCOPE))).collect();
                fold(&paths, "").paths.into_iter().map(Cow::Owned).collect()
            }
            Self::CommonScope => {
                let paths: Vec<[Option<&str>; 2]> = rows.iter().map(RowDelta::scope_paths).collect();
                let names = common_scopes(&paths).into_iter().map(|scopes| scopes.join("/"));
                let name = |(name, row): (String, &RowDelta)| {
                    if name.is_empty() { none(row, NO_SCOPE).into() } else { Cow::Owned(name) }
                };
                names.zip(rows).map(name).collect()
            }
        }
    }

    /// Returns the text for users of the name of a group.
    pub fn text(self, name: &str) -> &str {
        let kind = Kind::ALL.into_iter().find(|kind| self == Self::Kind && kind.key() == name);
        kind.map_or(name, |kind| kind.label())
    }
}

/// Returns the name of the group of a row without a group. The ops of a sum are of several groups.
fn none(row: &RowDelta, unknown: &'static str) -> &'static str {
    if row.is_left_out() { LEFT_OUT } else { unknown }
}

impl RowDelta {
    /// Returns a text of the op of B, or that of A if B has none.
    fn text(&self, text: fn(&RowSide) -> Option<&str>) -> Option<&str> {
        [&self.b, &self.a].into_iter().flatten().filter_map(text).find(|text| !text.is_empty())
    }

    /// Returns the scope path of the op of B, or that of A if B has none.
    pub fn scope(&self) -> Option<&str> {
        self.text(|side| side.scope.as_deref())
    }

    /// Returns the innermost source frame in the user's own code of the op of B, or that of A if B has none.
    pub fn source(&self) -> Option<&str> {
        self.text(|side| side.source.as_deref())
    }

    /// Returns the group of work of the op of B, or that of A if B has none.
    pub fn op_group(&self) -> Option<&str> {
        self.text(|side| side.op_group.as_deref())
    }
}

/// Selects rows of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowSelection {
    pub rows: CompareRows,
    /// Path of a scope: only ops at or below it. Empty for all ops; `<no scope>` for the ops without one.
    pub scope: String,
    pub by: CompareBy,
    /// Name of a group: only its ops, each as a row. `None` selects all rows, as groups.
    pub group: Option<String>,
}

impl RowSelection {
    /// Returns whether the rows are groups of ops.
    pub fn is_grouped(&self) -> bool {
        self.by != CompareBy::Op && self.group.is_none()
    }

    /// Returns the selected rows of a comparison, in their order.
    pub fn select(&self, rows: &[RowDelta]) -> Vec<RowDelta> {
        self.named(rows).map(|(_, row)| row.clone()).collect()
    }

    /// Returns the groups of the selected rows of a comparison: the one with the largest difference first, of equal ones that
    /// with the most time.
    pub fn groups(&self, rows: &[RowDelta]) -> Vec<GroupDelta> {
        groups_of(self.by, self.named(rows))
    }

    /// Iterates over the selected rows, each with the name of its group among all rows.
    fn named<'r>(&self, rows: &'r [RowDelta]) -> impl Iterator<Item = (Cow<'r, str>, &'r RowDelta)> {
        let is_selected = |name: &str, row: &RowDelta| {
            self.group.as_ref().is_none_or(|group| group == name) && self.rows.has(row) && self.is_in_scope(row)
        };
        self.by.names(rows).into_iter().zip(rows).filter(move |(name, row)| is_selected(name, row))
    }

    /// Returns whether an op of a side is in the scope.
    fn is_in_scope(&self, row: &RowDelta) -> bool {
        let is_in = |side: &RowSide| match side.scope.as_deref().filter(|path| !path.is_empty()) {
            Some(path) => is_within(path, &self.scope),
            None => self.scope == NO_SCOPE,
        };
        self.scope.is_empty() || [&row.a, &row.b].into_iter().flatten().any(is_in)
    }
}

/// Rows of a comparison that belong together. Times are in ps per unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupDelta {
    /// The name in JSON and in addresses.
    pub name: String,
    /// The text for users.
    pub text: String,
    /// The kind of time. `None` if the rows differ in it.
    pub kind: Option<Kind>,
    pub n_rows: u32,
    pub a_ps: i64,
    pub b_ps: i64,
    /// The sum of the differences of the rows, which sum to that of the whole.
    pub delta_ps: i64,
}

/// Returns the groups of all rows of a comparison.
pub fn groups(rows: &[RowDelta], by: CompareBy) -> Vec<GroupDelta> {
    RowSelection { by, ..RowSelection::default() }.groups(rows)
}

fn groups_of<'r>(by: CompareBy, rows: impl Iterator<Item = (Cow<'r, str>, &'r RowDelta)>) -> Vec<GroupDelta> {
    let mut groups: IndexMap<Cow<'_, str>, GroupDelta> = IndexMap::default();
    for (name, row) in rows {
        let time = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.self_ps);
        let group = groups.entry(name).or_insert_with_key(|name| GroupDelta {
            name: name.clone().into_owned(),
            text: by.text(name).to_owned(),
            kind: Some(row.kind),
            n_rows: 0,
            a_ps: 0,
            b_ps: 0,
            delta_ps: 0,
        });
        group.kind = group.kind.filter(|kind| *kind == row.kind);
        group.n_rows += 1;
        for (sum, time) in
            [(&mut group.a_ps, time(&row.a)), (&mut group.b_ps, time(&row.b)), (&mut group.delta_ps, row.delta_ps)]
        {
            *sum = sum.saturating_add(time);
        }
    }
    let mut groups: Vec<GroupDelta> = groups.into_values().collect();
    groups.small_sort_by_key(|group| Reverse((group.delta_ps.unsigned_abs(), group.a_ps.max(group.b_ps))));
    groups
}

impl Comparison {
    /// Returns the comparison without source lines.
    #[must_use]
    pub fn without_sources(mut self) -> Self {
        for side in self.rows.iter_mut().flat_map(|row| [&mut row.a, &mut row.b]).flatten() {
            side.source = None;
        }
        self
    }
}
