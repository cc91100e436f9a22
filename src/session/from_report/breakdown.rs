//! This module answers the breakdown from a report: its ops, the sums over the ops that it leaves out, and the
//! groupings that follow from them.

use super::{Answered, ReportSession, notes};
use crate::analysis::base::{Filter, FilterField, GroupBy, Matcher, Query};
use crate::analysis::breakdown::{Group, Shown};
use crate::analysis::classify::{Kind, ModelModule};
use crate::protocol::table_query::TableAction;
use crate::protocol::{BreakdownHead, Reply, requests};
use crate::session::capture::breakdown_rows::breakdown_table;
use crate::session::table_answer::answer;
use crate::share::{GroupedRows, OmittedSum};
use crate::table::answer::CachedOrder;
use crate::table::source::Source;
use indexmap::IndexMap;
use std::cmp::Reverse;
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

impl ReportSession {
    /// Answers a request for the figures of a breakdown.
    pub(crate) fn head(&self, query: &Query) -> Answered {
        let groups = self.groups(query)?;
        let report = &self.report;
        let mut all_notes = notes(report, &report.notes);
        let (cut, things) = match self.saved(query) {
            Some(saved) => (saved.n_omitted(), "groups"),
            None => (report.n_cut() as usize, "ops"),
        };
        if cut > 0 && !query.filter.text.is_empty() {
            let message =
                format!("{cut} {things} are only a sum in this summary, so the filter does not apply to them.");
            all_notes.push(Note::new(Severity::Caution, NoteCode::SummaryFilter, message));
        }
        let n_all = self.n_all(query, groups.len())?;
        Ok(Reply::answer_to::<requests::Breakdown>(&BreakdownHead {
            query: query.clone(),
            header: report.header.clone(),
            totals: report.totals.clone(),
            shown: self.shown(&groups, n_all),
            n_groups: groups.len() as u32,
            notes: all_notes,
        }))
    }

    /// Answers a request about the table of a breakdown.
    pub(crate) fn breakdown_rows(&self, query: &Query, action: &TableAction) -> Answered {
        let groups = self.groups(query)?;
        let shown = self.shown(&groups, self.n_all(query, groups.len())?);
        let rows = Source::InMemory(&groups);
        let table = breakdown_table(rows, query, &self.report.header, &shown, CachedOrder::default());
        Ok(answer(&mut table.with_last(is_rest), action))
    }

    /// Returns the number of rows without a filter. For the grouping by op, this counts the ops that the report sums
    /// into one row per kind as well.
    fn n_all(&self, query: &Query, n_groups: usize) -> Result<usize, Reply> {
        if let Some(saved) = self.saved(query) {
            return Ok(saved.n_rows());
        }
        Ok(match query.by {
            GroupBy::Op => self.report.n_rows() as usize,
            _ if query.filter.is_empty() => n_groups,
            _ => self.groups(&Query { filter: Filter::default(), ..query.clone() })?.len(),
        })
    }

    fn shown(&self, groups: &[Group], n_all: usize) -> Shown {
        let total: Picos = groups.iter().map(|group| group.total).sum();
        let total_of = |kind: Kind| groups.iter().filter(|group| group.kind == kind).map(|group| group.total).sum();
        let is_all = total == self.report.totals.busy;
        Shown {
            total,
            n_events: if is_all {
                self.report.totals.n_events
            } else {
                groups.iter().map(|group| group.n_executions).sum()
            },
            by_kind: if is_all { self.report.totals.by_kind } else { Kind::ALL.map(total_of) },
            n_all: n_all as u32,
            of_step: self.report.header.step_duration.and_then(|window| total.fraction_of(window)),
            anywhere: None,
        }
    }

    /// Returns the rows of a query, most time first.
    fn groups(&self, query: &Query) -> Result<Vec<Group>, Reply> {
        self.check_device_and_step(query)?;
        let filter = &query.filter;
        if !filter.scope.is_empty() {
            return Err(self.missing("the tree of scopes"));
        }
        let matcher = filter.compile().map_err(Reply::BadFilter)?;
        let report = &self.report;
        if matcher.has_text() && matcher.within == FilterField::Source && !report.origin.has_sources {
            return Err(self.missing("lines of source"));
        }
        let saved = self.saved(query);
        let is_by_texts_of_ops =
            matches!(query.by, GroupBy::Category | GroupBy::Module) || matcher.within == FilterField::Source;
        let selects_ops = matcher.kind.is_some()
            || matcher.module.is_some()
            || matcher.names_ops()
            || (matcher.has_text() && is_by_texts_of_ops);
        if query.by != GroupBy::Kind && saved.is_some() && selects_ops {
            // A group may hold ops of several kinds, and has the texts of none of them.
            return Err(self.missing("this grouping of some of the ops"));
        }
        let mut rows: Vec<&Group> = match saved {
            Some(saved) => saved.rows.iter().collect(),
            None => report.rows.iter().map(|row| &row.group).collect(),
        };
        rows.retain(|group| passes(&matcher, group));
        let mut groups: Vec<Group> = rows.into_iter().cloned().collect();
        if !matcher.has_text() && !matcher.names_ops() {
            let rest =
                saved.map_or_else(|| rest(&report.rest, "op", "ops"), |saved| rest(&saved.rest, "group", "groups"));
            groups.extend(rest.into_iter().filter(|rest| matcher.kind.is_none_or(|kind| kind == rest.kind)));
        }
        let by_group = |key: fn(&Group) -> Option<&str>| {
            if report.is_whole() { Ok(key) } else { Err(self.missing("groupings by anything but op and kind")) }
        };
        let mut groups = match query.by {
            _ if saved.is_some() => groups,
            GroupBy::Op => groups,
            GroupBy::Kind => merge_groups(groups, query.by, |group| Some(group.kind.key())),
            GroupBy::Category => merge_groups(groups, query.by, by_group(Group::main_category)?),
            GroupBy::OpGroup => merge_groups(groups, query.by, by_group(|group| group.op_group.as_deref())?),
            GroupBy::Phase => merge_groups(groups, query.by, by_group(|group| group.phase.as_deref())?),
            GroupBy::Program => merge_groups(groups, query.by, by_group(|group| group.program.as_deref())?),
            GroupBy::Module if report.has_all_modules() => {
                merge_groups(groups, query.by, |group| group.module.map(ModelModule::key))
            }
            GroupBy::Module | GroupBy::Dedup | GroupBy::Layer | GroupBy::Scope | GroupBy::Source => {
                return Err(self.missing("this grouping"));
            }
        };
        for group in &mut groups {
            group.mean = group.n_executions.mean_of(group.total);
            group.of_step = report.header.step_duration.and_then(|window| group.total.fraction_of(window));
            let of_kind = group.total.saturating_sub(group.other_kinds);
            group.of_kind = of_kind.fraction_of(report.totals.time_of_kind(group.kind));
        }
        groups
            .small_sort_by(|a, b| (is_rest(a), Reverse(a.total), &a.key).cmp(&(is_rest(b), Reverse(b.total), &b.key)));
        Ok(groups)
    }

    /// Returns the rows of the grouping of a query that the report was made with. `None` if the groups follow from its ops.
    fn saved(&self, query: &Query) -> Option<&GroupedRows> {
        let follows = match query.by {
            GroupBy::Category => self.report.is_whole(),
            GroupBy::Module => self.report.has_all_modules(),
            GroupBy::Kind => !query.filter.text.is_empty() || !query.filter.ops.is_empty(),
            _ => false,
        };
        self.report.groups.iter().find(|grouped| grouped.by == query.by && !follows)
    }
}

/// The type of the names of sums of rows that the report leaves out.
const REST: &str = "other";

/// Returns one row per kind for the rows that the report leaves out. `one` and `several` name such rows.
fn rest(omitted: &[OmittedSum], one: &str, several: &str) -> Vec<Group> {
    let row = |rest: &OmittedSum| {
        let name = if rest.n_rows == 1 { one } else { several };
        let key = format!("{} other {} {name}", rest.n_rows, rest.kind.label().to_lowercase());
        Group {
            key_kind: REST.to_owned(),
            kind: rest.kind,
            n_executions: rest.n_executions,
            total: rest.total,
            inclusive: rest.total,
            ..Group::empty(key)
        }
    };
    omitted.iter().map(row).collect()
}

fn is_rest(group: &Group) -> bool {
    group.key_kind == REST
}

fn passes(matcher: &Matcher, group: &Group) -> bool {
    let is_in = |text: Option<&str>| text.is_some_and(|text| matcher.is_match(text));
    let is_text = !matcher.has_text()
        || match matcher.within {
            FilterField::Leaf => is_in(Some(&group.key)) || is_in(group.scope_leaf()),
            FilterField::Source => is_in(group.source_inner.as_deref()),
            FilterField::Anywhere => is_in(Some(&group.key)) || is_in(group.tf_op.as_deref()),
        };
    is_text
        && matcher.kind.is_none_or(|kind| kind == group.kind)
        && matcher.module.is_none_or(|module| Some(module) == group.module)
        && matcher.has_op(&group.key, group.program_id)
}

/// Merges rows with the same key. Rows without a key are merged into one row, "<none>".
fn merge_groups(groups: Vec<Group>, by: GroupBy, key: impl Fn(&Group) -> Option<&str>) -> Vec<Group> {
    let mut sums: IndexMap<String, (Group, [Picos; Kind::ALL.len()])> = IndexMap::default();
    for group in groups {
        let key = key(&group).unwrap_or("<none>").to_owned();
        let (sum, by_kind) = sums.entry(key.clone()).or_insert_with(|| {
            let first = Group {
                key_kind: by.key().to_owned(),
                min: Picos(u64::MAX),
                program: group.program.clone(),
                program_id: group.program_id,
                op_group: group.op_group.clone(),
                phase: group.phase.clone(),
                layer: group.layer.clone(),
                module: group.module,
                ..Group::empty(key)
            };
            (first, Default::default())
        });
        keep_alike(&mut sum.program, &group.program);
        keep_alike(&mut sum.program_id, &group.program_id);
        keep_alike(&mut sum.op_group, &group.op_group);
        keep_alike(&mut sum.phase, &group.phase);
        keep_alike(&mut sum.layer, &group.layer);
        keep_alike(&mut sum.module, &group.module);
        let add =
            |sum: &mut Option<f64>, more: Option<f64>| *sum = more.map_or(*sum, |more| Some(sum.unwrap_or(0.0) + more));
        add(&mut sum.flops, group.flops);
        add(&mut sum.model_flops, group.model_flops);
        add(&mut sum.bytes_accessed, group.bytes_accessed);
        by_kind[group.kind.index()] += group.total.saturating_sub(group.other_kinds);
        sum.n_executions += group.n_executions;
        sum.total += group.total;
        sum.inclusive += group.inclusive;
        sum.max = sum.max.max(group.max);
        if group.n_executions > 0 {
            sum.min = sum.min.min(group.min);
        }
        for (name, share) in group.categories {
            let category = sum.categories.entry(name).or_default();
            category.n += share.n;
            category.dur += share.dur;
        }
    }
    let finished = |(mut sum, by_kind): (Group, [Picos; Kind::ALL.len()])| {
        // Of kinds with the same time, the first counts.
        if let Some(kind) = Kind::ALL.into_iter().rev().max_by_key(|kind| by_kind[kind.index()]) {
            sum.kind = kind;
            sum.other_kinds = sum.total.saturating_sub(by_kind[kind.index()]);
        }
        if sum.n_executions == 0 {
            sum.min = Picos::ZERO;
        }
        sum
    };
    sums.into_values().map(finished).collect()
}

/// Removes a value that is not that of another row, too.
fn keep_alike<T: PartialEq>(value: &mut Option<T>, other: &Option<T>) {
    if value != other {
        *value = None;
    }
}
