//! This module reduces an address to the part that travels with a report: the state of the views, without anything that
//! the report does not hold or must not reveal. It depends only on addresses.

use super::address::{PageAddress, View};
use super::comm::CommViewState;
use super::memory::MemoryViewState;
use super::roofline::RooflineViewState;
use crate::analysis::base::{Filter, FilterField, GroupBy, Query};
use std::fmt::Display;
use std::str::FromStr;

/// Returns the address at which `report` opens with the present state of the views.
///
/// `is_whole` means that each op has a row of its own in the report; otherwise only the groupings by op and by kind are
/// kept. The address leaves out source lines and names if the report leaves them out.
pub fn shared_address(
    now: &PageAddress,
    report: &str,
    is_whole: bool,
    with_sources: bool,
    anonymise: bool,
) -> PageAddress {
    let by = match now.query.by {
        by @ (GroupBy::Op | GroupBy::Kind) => by,
        by @ (GroupBy::Category | GroupBy::OpGroup | GroupBy::Phase | GroupBy::Program) if is_whole => by,
        _ => GroupBy::Op,
    };
    let filter = Filter { scope: String::new(), ..now.query.filter.clone() };
    let is_said = !anonymise && (filter.within != FilterField::Source || with_sources);
    let filter = if is_said { filter } else { Filter { kind: filter.kind, ..Filter::default() } };
    let selection = if anonymise || by != now.query.by { Vec::new() } else { now.selection.clone() };
    PageAddress {
        // The report determines the device and the step.
        query: Query { by, filter, ..Query::default() },
        sort: now.sort.clone(),
        columns: now.columns.clone(),
        selection,
        picture: now.picture,
        // A report has no second capture.
        view: if now.view == View::Compare { View::default() } else { now.view },
        roofline: rewrite_view(&now.roofline, |place: RooflineViewState| RooflineViewState {
            sort: place.sort,
            x: place.x,
            ..RooflineViewState::default()
        }),
        memory: rewrite_view(&now.memory, |place: MemoryViewState| MemoryViewState {
            side: place.side,
            ..MemoryViewState::default()
        }),
        comm: rewrite_view(&now.comm, |place: CommViewState| CommViewState {
            of: place.of,
            pane: place.pane,
            ..CommViewState::default()
        }),
        report: report.to_owned(),
        ..PageAddress::default()
    }
}

/// Parses the state of a view, and writes the part that `keep` returns. Returns an empty text if `text` is not valid.
fn rewrite_view<T: FromStr + Display>(text: &str, keep: impl FnOnce(T) -> T) -> String {
    text.parse().map_or_else(|_| String::new(), |place| keep(place).to_string())
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

    #[test]
    fn parameters_outside_the_report_are_kept() {
        let passed = shared_address(&now(), "R", true, true, false).to_string();
        assert_eq!(
            passed,
            "v=1&by=category&filter=secret.py&in=source&kind=compute&sort=-mean&picture=steps&view=roofline&\
             roofline=sort:-runs&memory=side:allocator&comm=of:copies&sel=secret.2&report=R"
        );
        let cut = shared_address(&now(), "R", false, true, false);
        assert_eq!((cut.query.by, cut.selection), (GroupBy::Op, Vec::new()), "rows of other groupings are not shared");
    }

    #[test]
    fn removed_data_is_removed_from_the_address() {
        let passed = shared_address(&now(), "R", true, false, false).to_string();
        assert!(!passed.contains(".py") && passed.contains("kind=compute"), "{passed}");
        let passed = shared_address(&now(), "R", true, true, true).to_string();
        assert!(!passed.contains("secret") && passed.contains("view=roofline"), "{passed}");
    }
}
