//! This module reduces an address to the part that travels with a report: the state of the views, without anything that
//! the report does not hold or must not reveal. It depends only on addresses.

use super::address::{PageAddress, View};
use super::comm::CommViewState;
use super::compare::{ComparePane, CompareViewState};
use super::memory::MemoryViewState;
use super::roofline::RooflineViewState;
use super::view_states::ViewStates;
use crate::analysis::base::{Filter, FilterField, GroupBy, Query};
use crate::analysis::compare::CompareBy;

/// Returns the address at which `report` opens with the present state of the views.
///
/// `groups` are the groupings of the breakdown that the report holds. The address leaves out source lines and names if the
/// report leaves them out.
pub fn shared_address(
    now: &PageAddress,
    report: &str,
    groups: &[GroupBy],
    with_sources: bool,
    anonymise: bool,
) -> PageAddress {
    // The ops of a finding are many, and the report may not hold them.
    let filter = Filter { scope: String::new(), ops: Vec::new(), ..now.query.filter.clone() };
    let keeps_text = !anonymise && (filter.within != FilterField::Source || with_sources);
    let filter = if keeps_text {
        filter
    } else {
        Filter { kind: filter.kind, module: filter.module, phase: filter.phase, ..Filter::default() }
    };
    // A filter selects ops before they are grouped. Groups that were sent cannot be made again from some of their ops; those of a
    // report with all ops can, and it then has the grouping by op group.
    let now_by = now.query.by;
    let can_filter = matches!(now_by, GroupBy::Op | GroupBy::Kind)
        || groups.contains(&GroupBy::OpGroup) && !matches!(now_by, GroupBy::Dedup | GroupBy::Scope);
    let is_held = groups.contains(&now_by) && (can_filter || filter.is_empty());
    let by = if is_held { now_by } else { GroupBy::Op };
    let selection = if anonymise || by != now.query.by { Vec::new() } else { now.selection.clone() };
    PageAddress {
        // The report determines the device and the step.
        query: Query { by, filter, ..Query::default() },
        sort: now.sort.clone(),
        columns: now.columns.clone(),
        selection,
        picture: now.picture,
        // The comparison is shared by itself.
        view: if now.view == View::Compare { View::default() } else { now.view },
        views: ViewStates {
            roofline: RooflineViewState {
                sort: now.views.roofline.sort.clone(),
                x: now.views.roofline.x,
                ..RooflineViewState::default()
            },
            memory: MemoryViewState { side: now.views.memory.side, ..MemoryViewState::default() },
            comm: CommViewState {
                traffic: now.views.comm.traffic,
                pane: now.views.comm.pane,
                ..CommViewState::default()
            },
            ..ViewStates::default()
        },
        report: report.to_owned(),
        ..PageAddress::default()
    }
}

/// Returns the address at which the shared comparison in `report` opens with the present state of its view. The comparison is
/// that of its sender, so that it is not made again with the sides exchanged or with pairs of the user.
pub fn shared_comparison_address(now: &PageAddress, report: &str, with_sources: bool, anonymise: bool) -> PageAddress {
    let state = now.views.compare.clone();
    let is_named = !anonymise && (with_sources || state.by != CompareBy::Source);
    let compare = CompareViewState {
        rows: state.rows,
        by: if is_named { state.by } else { CompareBy::Op },
        group: state.group.filter(|_| is_named),
        // A shared comparison has no events.
        pane: if state.pane == ComparePane::Timeline { ComparePane::default() } else { state.pane },
        scope: if anonymise { String::new() } else { state.scope },
        shows_differences: state.shows_differences,
        ..CompareViewState::default()
    };
    let views = ViewStates { compare, ..ViewStates::default() };
    PageAddress { view: View::Compare, views, report: report.to_owned(), ..PageAddress::default() }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn now() -> PageAddress {
        let text = "v=1&device=3&step=12&by=category&filter=secret.py&in=source&kind=compute&scope=jit(f)&sort=-mean&\
                    picture=steps&zoom=jit(f)&op=secret.1&view=roofline&src=https://secret.example/x&capture=secret.xplane.pb&kept=18c&program=1&find=secret&\
                    roofline=sort:-runs;cost:secret*:1:2;hbm:5&memory=side:allocator;program:3&comm=of:copies;mesh:secret=2&sel=secret.2";
        text.parse().unwrap()
    }

    /// Groupings of a report with all ops, and of one without.
    const WHOLE: [GroupBy; 6] =
        [GroupBy::Op, GroupBy::Dedup, GroupBy::OpGroup, GroupBy::Category, GroupBy::Kind, GroupBy::Scope];
    const CUT: [GroupBy; 5] = [GroupBy::Op, GroupBy::Dedup, GroupBy::Category, GroupBy::Kind, GroupBy::Scope];

    #[test]
    fn groupings_that_the_report_holds_are_kept() {
        let opened_by = |text: &str, groups: &[GroupBy]| {
            let now: PageAddress = text.parse().unwrap();
            shared_address(&now, "R", groups, false, false).query.by
        };
        for (by, name) in [
            (GroupBy::Category, "category"),
            (GroupBy::Dedup, "dedup"),
            (GroupBy::Scope, "scope"),
            (GroupBy::Kind, "kind"),
        ] {
            assert_eq!(opened_by(&format!("v=1&by={name}"), &CUT), by);
        }
        assert_eq!(opened_by("v=1&by=op_group", &WHOLE), GroupBy::OpGroup);
        assert_eq!(
            opened_by("v=1&by=op_group", &CUT),
            GroupBy::Op,
            "the groups of the ops that were not sent are unknown"
        );
        assert_eq!(opened_by("v=1&by=scope&filter=a", &CUT), GroupBy::Op, "a filter selects ops");
        assert_eq!(opened_by("v=1&by=category&filter=a", &WHOLE), GroupBy::Category);
        assert_eq!(opened_by("v=1&by=dedup&kind=compute", &WHOLE), GroupBy::Op);
        assert_eq!(opened_by("v=1&by=kind&kind=compute", &CUT), GroupBy::Kind);
    }

    #[test]
    fn parameters_outside_the_report_are_kept() {
        let passed = shared_address(&now(), "R", &WHOLE, true, false).to_string();
        assert_eq!(
            passed,
            "v=1&by=category&filter=secret.py&in=source&kind=compute&sort=-mean&picture=steps&view=roofline&\
             roofline=sort:-runs&memory=side:allocator&comm=of:copies&sel=secret.2&report=R"
        );
        let cut = shared_address(&now(), "R", &CUT, true, false);
        assert_eq!((cut.query.by, cut.selection), (GroupBy::Op, Vec::new()), "rows of other groupings are not shared");
    }

    #[test]
    fn a_comparison_opens_as_its_sender_sees_it() {
        let text = "v=1&view=compare&src=https://secret.example/x&compare=swap:1;rows:matched;by:source;group:secret.py%3A3;\
                    pane:timeline;scope:secret;pair:secret.1:secret.2";
        let now: PageAddress = text.parse().unwrap();
        let passed = shared_comparison_address(&now, "R", false, false).to_string();
        assert_eq!(passed, "v=1&view=compare&compare=rows:matched;scope:secret&report=R");
        let passed = shared_comparison_address(&now, "R", true, true).to_string();
        assert_eq!(passed, "v=1&view=compare&compare=rows:matched&report=R");
    }

    #[test]
    fn removed_data_is_removed_from_the_address() {
        let passed = shared_address(&now(), "R", &WHOLE, false, false).to_string();
        assert!(!passed.contains(".py") && passed.contains("kind=compute"), "{passed}");
        let passed = shared_address(&now(), "R", &WHOLE, true, true).to_string();
        assert!(!passed.contains("secret") && passed.contains("view=roofline"), "{passed}");
    }
}
