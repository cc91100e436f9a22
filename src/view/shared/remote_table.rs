//! This module builds the model of a table whose rows come from the worker as they scroll into view. The worker filters
//! and sorts the rows, and writes their cells.

use crate::analysis::breakdown::row_label;
use crate::chart::widgets::table::{self, Folds, Measure};
use crate::chart::widgets::tip::Tip;
use crate::chart::widgets::virtual_rows;
use crate::protocol::requests;
use crate::protocol::table_query::{CopiedRows, TableAction, TableQuery};
use crate::table::copy::CopyForm;
use crate::table::filter::TextFilter;
use crate::table::format;
use crate::table::page::{Cell, Head, Name, PageQuery, Row, SortBy, TablePage};
use crate::view::shared::save;
use crate::view::state::{PtrEq, State};
use crate::view::widgets::table::{GridAction, Model};
use crate::view::widgets::{clipboard, popover};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// The signals and handlers by which a view defines its table.
#[derive(Clone, Copy)]
pub(crate) struct RemoteTable {
    /// The name of the table, for screen readers.
    pub(crate) label: Signal<String>,
    /// The table; `None` while it is not known.
    pub(crate) table: Signal<Option<TableQuery>>,
    /// Whether an answer is pending on which the table depends.
    pub(crate) waits: Signal<bool>,
    pub(crate) filter: Signal<TextFilter>,
    /// The order; `None` means the table's own order.
    pub(crate) sort: Signal<Option<SortBy>>,
    /// Handles another order.
    pub(crate) set_sort: Callback<SortBy>,
    /// The ids of the columns that the user chose, or an inner `None` for the columns that fit. The outer `None` means
    /// that the columns cannot be chosen.
    pub(crate) columns: Option<RwSignal<Option<Vec<String>>>>,
    /// The keys of the rows that are selected for copying.
    pub(crate) selected: Signal<Vec<String>>,
    /// Returns whether a row is shown as selected, by its key.
    pub(crate) is_selected: Callback<String, bool>,
    /// Handles a press on a row.
    pub(crate) press: Callback<(RowPress, Row)>,
    /// Renders the text for a table without rows.
    pub(crate) empty: Callback<(), AnyView>,
}

/// A press on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowPress {
    /// A click on the name, or Enter: open the row.
    Open,
    /// A double click beside the name. Its first click has selected the row.
    DoubleClick,
    /// A click with Ctrl or Command, or Space: add the row to the selection, or remove it.
    Toggle,
    /// A click: select the row alone.
    Select,
}

/// The query of a table, without the range of its rows.
#[derive(Clone, PartialEq)]
struct TableRequest {
    table: TableQuery,
    sort: Option<SortBy>,
    filter: TextFilter,
}

impl TableRequest {
    fn page(&self, first: u32) -> PageQuery {
        PageQuery { sort: self.sort.clone(), filter: self.filter.clone(), first, count: virtual_rows::PAGE }
    }

    fn rows(&self, first: u32) -> requests::Rows {
        requests::Rows { table: self.table.clone(), query: self.page(first) }
    }
}

/// The rows that are loaded, and the query that they answer.
#[derive(Clone, PartialEq)]
struct Loaded {
    requested: TableRequest,
    pages: BTreeMap<u32, PtrEq<TablePage>>,
}

impl Loaded {
    fn first_page(&self) -> Option<&PtrEq<TablePage>> {
        self.pages.values().next()
    }

    /// Returns a row, and the rows of its page.
    fn row(&self, index: u32) -> Option<(&Row, &[Row])> {
        let page = self.pages.get(&(index / virtual_rows::PAGE * virtual_rows::PAGE))?;
        Some((page.rows.get((index - page.first) as usize)?, &page.rows))
    }
}

/// Builds the model of a table.
pub(crate) fn model(state: State, table: RemoteTable) -> Model {
    let measure = RwSignal::new(Measure::START);
    let (loaded, busy) = (RwSignal::new(None::<Loaded>), RwSignal::new(false));
    let under_way = StoredValue::new(Vec::<u32>::new());
    let folds = RwSignal::new(Folds::default());
    let requested = Memo::new(move |_| {
        Some(TableRequest { table: table.table.get()?, sort: table.sort.get(), filter: table.filter.get() })
    });
    // The rows on screen stay until those of the new query have come.
    state.request_answer_on_change(
        move || {
            let request = requested.with(|requested| Some(requested.as_ref()?.rows(0)));
            busy.set(request.is_some());
            request
        },
        move |answer| {
            busy.set(false);
            let requested = requested.get_untracked();
            if let (Some(requested), Ok(page)) = (requested, answer) {
                under_way.update_value(Vec::clear);
                folds.set(Folds::default());
                loaded.set(Some(Loaded { requested, pages: BTreeMap::from([(0, PtrEq::new(page))]) }));
            }
        },
    );
    let head = Memo::new(move |_| loaded.with(|loaded| loaded.as_ref()?.first_page().cloned()));
    let all = Memo::new(move |_| head.get().map_or_else(Vec::new, |page| page.columns.clone()));
    let columns = Memo::new(move |_| {
        let Some(page) = head.get() else { return Vec::new() };
        match table.columns.and_then(|columns| columns.get()) {
            Some(ids) => table::chosen(&page.columns, &ids, &page.sort.column, measure.get()),
            None => table::fitting_columns(page.columns.clone(), &page.sort.column, measure.get()),
        }
    });
    let has_parts =
        Memo::new(move |_| head.get().is_some_and(|page| page.rows.iter().any(|row| !row.parts.is_empty())));
    // Converts a place in the expanded table to the index of the row, the row, and the index of the part at this place.
    let with = move |flat: u32| {
        let (index, part) = folds.with(|folds| folds.find(flat));
        let row = loaded.with(|loaded| loaded.as_ref()?.row(index).map(|(row, _)| row.clone()))?;
        Some((index, row, part))
    };
    let row = move |flat: u32| {
        let all = head.get()?;
        let (index, part) = folds.with(|folds| folds.find(flat));
        loaded.with(|loaded| {
            let (row, beside) = loaded.as_ref()?.row(index)?;
            let cells = |row: &Row, beside: &[Row]| {
                columns.with(|columns| shown_cells(row, beside, (&all.columns, columns), measure.get()))
            };
            Some(match part {
                Some(part) => table::Row {
                    cells: cells(row.parts.get(part as usize)?, &row.parts),
                    open: None,
                    has_toggle_space: false,
                    inner: true,
                    selected: false,
                    opens_details: false,
                },
                None => table::Row {
                    cells: cells(row, beside),
                    open: (!row.parts.is_empty()).then(|| folds.with(|folds| folds.is_open(index))),
                    has_toggle_space: has_parts.get(),
                    inner: false,
                    selected: table.is_selected.run(row.key.clone()),
                    opens_details: row.opens,
                },
            })
        })
    };
    let tip = move |(flat, id): (u32, String)| {
        let (_, mut row, part) = with(flat)?;
        if let Some(part) = part {
            row = row.parts.into_iter().nth(part as usize)?;
        }
        let place = columns.with(|columns| columns.iter().find(|column| column.id == id).map(|column| column.tip))?;
        let rows = row.tips.into_iter().nth(place)?;
        Some(Tip { title: row.title, rows })
    };
    let press = move |press: RowPress, flat: u32| {
        let Some((index, row, None)) = untrack(|| with(flat)) else { return };
        let opens_parts = matches!(press, RowPress::Open | RowPress::DoubleClick) && !row.parts.is_empty();
        if opens_parts {
            folds.update(|folds| folds.toggle(index, row.parts.len() as u32));
        } else {
            table.press.run((press, row));
        }
    };
    let copy = move |ids: Vec<String>, all: bool, form: CopyForm| {
        let selected = || Some(table.selected.get_untracked()).filter(|selected| !selected.is_empty());
        // Without a selection, the row at the keyboard's place is copied.
        let at_place = || untrack(|| Some(vec![with(state.place.get().row?)?.1.key]));
        let keys = if all { None } else { selected().or_else(at_place) };
        if let Some(requested) = requested.get_untracked() {
            copy_rows(state, &requested, ids, keys, form);
        }
    };
    let ids = move || columns.with_untracked(|columns| columns.iter().map(|column| column.id.clone()).collect());
    let change_columns = move |change: &dyn Fn(&mut Vec<String>)| {
        let mut now: Vec<String> = ids();
        change(&mut now);
        if let Some(columns) = table.columns {
            columns.set(Some(now));
        }
    };
    let act = move |act: GridAction| match act {
        GridAction::Sort(column, descending) => table.set_sort.run(SortBy { column, descending }),
        GridAction::Fold(flat) => press(RowPress::Open, flat),
        GridAction::Open(flat) => press(RowPress::DoubleClick, flat),
        GridAction::Select(flat) => press(RowPress::Toggle, flat),
        GridAction::Pick(flat) => press(RowPress::Select, flat),
        GridAction::Copy(id) => copy(vec![id], true, CopyForm::Tsv),
        GridAction::CopyRows { all, form } => copy(ids(), all, form),
        GridAction::Hide(id) => change_columns(&|now| now.retain(|other| *other != id)),
        GridAction::Move(id, by) => change_columns(&|now| {
            let index = now.iter().position(|other| *other == id);
            // The name stays the first column.
            let to = index.and_then(|index| index.checked_add_signed(by)).filter(|to| (1..now.len()).contains(to));
            if let Some((index, to)) = index.zip(to) {
                now.swap(index, to);
            }
        }),
        GridAction::Show(id) => change_columns(&|now| {
            // The column gets its place in the usual order.
            let place = |id: &str| all.with_untracked(|all| all.iter().position(|column| column.id == id));
            let index = now.iter().position(|other| place(other) > place(&id)).unwrap_or(now.len());
            now.insert(index, id.clone());
        }),
        GridAction::Columns => popover::toggle("columns"),
    };
    let query_hash = Memo::new(move |_| {
        loaded.with(|loaded| {
            let requested = loaded.as_ref().map(|loaded| &loaded.requested);
            let text =
                requested.map(|requested| format!("{:?}{:?}{:?}", requested.table, requested.sort, requested.filter));
            rustc_hash::FxBuildHasher.hash_one(text)
        })
    });
    Model {
        label: table.label,
        columns,
        all,
        count: Memo::new(move |_| {
            let n_rows = head.with(|head| head.as_ref().map_or(0, |page| page.n_rows));
            folds.with(|folds| folds.count(n_rows))
        }),
        row: Callback::new(row),
        tip: Callback::new(tip),
        foot: Memo::new(move |_| head.with(|head| head.as_ref().map(|page| page.totals.clone()).unwrap_or_default())),
        // Rows of two lines have fixed columns.
        free: Signal::derive(move || table.columns.is_some() && !measure.get().two_lines()),
        sorted: Memo::new(move |_| {
            head.with(|head| head.as_ref().map(|page| (page.sort.column.clone(), page.sort.descending)))
        }),
        query_hash,
        answer: Signal::derive(move || loaded.track()),
        busy: Signal::derive(move || busy.get() || table.waits.get()),
        none: table.empty,
        want: Callback::new(move |visible: std::ops::Range<u32>| {
            let index = |flat| folds.with_untracked(|folds| folds.find(flat)).0;
            let rows = index(visible.start)..index(visible.end.saturating_sub(1)).saturating_add(1);
            load(state, loaded, under_way, &rows);
        }),
        act: Callback::new(act),
        place: state.place,
        measure,
        tips: state.tips,
    }
}

/// Loads the pages of `rows` that are neither loaded nor requested.
fn load(state: State, loaded: RwSignal<Option<Loaded>>, under_way: StoredValue<Vec<u32>>, rows: &std::ops::Range<u32>) {
    let Some(requested) = loaded.with_untracked(|loaded| loaded.as_ref().map(|loaded| loaded.requested.clone())) else {
        return;
    };
    for first in virtual_rows::pages(rows.clone()) {
        let is_there =
            loaded.with_untracked(|loaded| loaded.as_ref().is_some_and(|loaded| loaded.pages.contains_key(&first)));
        if is_there || under_way.with_value(|pages| pages.contains(&first)) {
            continue;
        }
        under_way.update_value(|pages| pages.push(first));
        let (asked, rows) = (requested.clone(), rows.clone());
        state.request_answer(requested.rows(first), move |answer| {
            let _ = under_way.try_update_value(|pages| pages.retain(|other| *other != first));
            let Some(page) = state.shown(answer) else { return };
            let _ = loaded.try_update(|loaded| {
                let Some(loaded) = loaded.as_mut().filter(|loaded| loaded.requested == asked) else { return };
                loaded.pages.insert(first, PtrEq::new(page));
                let keys: Vec<u32> = loaded.pages.keys().copied().collect();
                if let Some(far) = virtual_rows::farthest(keys.into_iter(), &rows) {
                    loaded.pages.remove(&far);
                }
            });
        });
    }
}

/// Copies rows to the clipboard: all of them, or those with the given keys.
fn copy_rows(state: State, requested: &TableRequest, columns: Vec<String>, keys: Option<Vec<String>>, form: CopyForm) {
    let action = TableAction::Copy { query: requested.page(0), columns, keys, form };
    state.request_answer(requests::CopyRows { table: requested.table.clone(), action }, move |answer| {
        let Some(CopiedRows { text, n }) = state.shown(answer) else { return };
        clipboard::copy(&text, move |done| state.inform(save::copy_message(done, n)));
    });
}

/// Returns the cells of the columns that are shown, with names and texts cut to their room.
fn shown_cells(row: &Row, beside: &[Row], (all, shown): (&[Head], &[Head]), measure: Measure) -> Vec<Cell> {
    let room = table::name_room(shown, measure);
    let cut = |text: &str, column: &Head| format::middle_cut(text, column.digits.unwrap_or(0) as usize);
    let cell = |column: &Head| {
        let index = all.iter().position(|other| other.id == column.id);
        match index.and_then(|index| row.cells.get(index)) {
            Some(Cell::Name(name)) => Cell::Name(shown_name(name, beside, room, measure.two_lines())),
            Some(Cell::Text(text)) if column.stretches => Cell::Text(cut(text, column)),
            Some(Cell::Soft(text)) if column.stretches => Cell::Soft(cut(text, column)),
            Some(Cell::Mono(text)) if column.stretches => Cell::Mono(cut(text, column)),
            cell => cell.cloned().unwrap_or(Cell::Absent),
        }
    };
    shown.iter().map(cell).collect()
}

/// A text beside a name is left out if fewer letters fit.
const LEAST_BESIDE: usize = 10;

fn shown_name(name: &Name, beside: &[Row], room: usize, two_lines: bool) -> Name {
    let others = beside.iter().filter_map(|row| row.cells.first()).map(Cell::plain);
    let text = row_label::short_name(&name.text, others, room);
    let left = room.saturating_sub(text.chars().count() + 2);
    let is_wide = !two_lines && left >= LEAST_BESIDE;
    let second = name.second.as_ref().filter(|_| two_lines);
    Name {
        second: second.map(|(mark, text)| (mark.clone(), format::middle_cut(text, room))),
        beside: name
            .beside
            .as_deref()
            .filter(|_| is_wide)
            .map(|text| row_label::short_name(text, std::iter::empty(), left)),
        text,
        ..name.clone()
    }
}
