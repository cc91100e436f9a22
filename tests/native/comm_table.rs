//! These tests compare the page's table of communication with plain sums, sorts and scans of the report.

use crate::comm_chart::{query, sample};
use rooflight::analysis::comm::{Comm, CommBy, CommQuery, CommRow, Machine, Primitive, Topology, TransferFilter};
use rooflight::chart::comm::{figures, key};
use rooflight::chart::widgets::table::{Measure, TWO_LINES, fitting_columns};
use rooflight::protocol::CommView;
use rooflight::protocol::url::comm::CommRows;
use rooflight::session;
use rooflight::table::copy::CopyForm;
use rooflight::table::filter::{FilterField, TextFilter};
use rooflight::table::format::{self, TimeUnit};
use rooflight::table::page::{PageQuery, SortBy, TablePage};
use std::cmp::Ordering;
use xla_profile::units::{Count, Picos};

const BOTH: [TransferFilter; 2] = [TransferFilter::Collectives, TransferFilter::Copies];

/// Returns all rows of the table, as the page requests them.
fn page(view: &CommView, transfers: TransferFilter, query: PageQuery) -> TablePage {
    let (more, _) = if transfers == TransferFilter::Copies { view.more_copies } else { view.more };
    let mut table = session::comm_table(&view.comm, &view.query, transfers).with_more(more);
    table.page(&PageQuery { count: u32::MAX, ..query }).unwrap()
}

fn rows_of(comm: &Comm, transfers: TransferFilter) -> &[CommRow] {
    if transfers == TransferFilter::Copies { &comm.copy_rows } else { &comm.rows }
}

/// Returns the texts of a column, in the order of the rows.
fn column(page: &TablePage, id: &str) -> Vec<String> {
    let index = page.columns.iter().position(|column| column.id == id).expect("the table has the column");
    page.rows.iter().map(|row| row.cells[index].plain().to_owned()).collect()
}

fn total<'p>(page: &'p TablePage, id: &str) -> Option<&'p str> {
    page.totals.iter().find(|(other, _)| other == id).map(|(_, text)| text.as_str())
}

fn time_unit(page: &TablePage, id: &str) -> TimeUnit {
    let head = page.columns.iter().find(|column| column.id == id).expect("the table has the column");
    TimeUnit::ALL.into_iter().find(|unit| unit.symbol() == head.unit).expect("a unit of time")
}

/// Each total is the sum of its column, or is absent. The table of a summary also shows how many rows the capture has.
#[test]
fn totals_are_sums_of_their_columns() {
    let whole = sample().view(CommQuery { query: query(), ..CommQuery::default() });
    let mut part = whole.clone();
    let rest = CommRow::cut(&mut part.comm.rows, 12);
    part.more = (rest.len() as u32, rest.iter().map(|row| row.overlap.exposed).sum());
    // The row with the lowest bandwidth is among those that are kept, so the figure is that of all rows.
    let lowest = |view: &CommView| {
        let readout = figures::readout(view, CommRows::Collectives);
        readout.main.into_iter().find(|figure| figure.label == "Lowest bus bandwidth").unwrap().value
    };
    assert_eq!((lowest(&whole), part.comm.rows.len()), (lowest(&part), 12));
    assert!(CommRow::slowest(&whole.comm.rows).unwrap() >= 12, "it would be cut");
    for view in [&whole, &part] {
        for transfers in BOTH {
            let (page, all) = (page(view, transfers, PageQuery::default()), rows_of(&view.comm, transfers));
            let stall: Picos = all.iter().map(|row| row.stall).sum();
            assert_eq!(total(&page, "stall_ps"), Some(&*format::time(stall, time_unit(&page, "stall_ps"))));
            let executions = all.iter().filter(|row| !row.is_unpaired()).map(|row| row.n).sum::<Count>();
            assert_eq!(total(&page, "executions"), Some(&*format::executions(executions)));
            let share = stall.fraction_of(view.comm.header.step_duration.unwrap()).unwrap();
            assert_eq!(total(&page, "share"), Some(&*format::percent(share)));
            // Several rows are in flight at the same time, so a sum would count time twice.
            assert!(["in_flight_ps", "exposed_ps", "overlap_pct"].iter().all(|id| total(&page, id).is_none()));
        }
    }
    let page = page(&part, TransferFilter::Collectives, PageQuery::default());
    assert_eq!(total(&page, "key"), Some(&*format!("12 of {} rows", 12 + part.more.0)));
}

/// A pair whose other half lies outside the capture has time, but no execution.
#[test]
fn unpaired_halves_are_no_executions() {
    let mut view = sample().view(CommQuery { query: query(), ..CommQuery::default() });
    view.comm.rows.truncate(1);
    view.comm.rows[0].n = 0.into();
    let page = page(&view, TransferFilter::Collectives, PageQuery::default());
    assert_eq!(column(&page, "executions"), ["–"]);
    assert!(page.rows[0].tips[0].iter().any(|(label, text)| label == "Executions" && text.starts_with("none:")));
}

/// Returns the number of a row in a column, computed from the report itself: `None` if the row has no such number, and
/// NaN if the column holds texts.
fn number(row: &CommRow, id: &str, transfers: TransferFilter) -> Option<f64> {
    Some(match id {
        "stall_ps" | "share" => row.stall.as_f64(),
        "executions" => Some(row.n.as_f64()).filter(|_| !row.is_unpaired())?,
        "in_flight_ps" => row.overlap.in_flight.as_f64(),
        "exposed_ps" => row.overlap.exposed.as_f64(),
        "overlap_pct" => row.overlap.share()?,
        "bytes_per_execution" => row.bytes_each? as f64,
        "rate" if transfers == TransferFilter::Copies => row.alg_rate?,
        "rate" => row.bus_rate?,
        "util" => row.util?,
        _ => f64::NAN,
    })
}

#[test]
fn row_order_matches_plain_sorting() {
    let mut session = sample();
    let topology: Topology = "2x4".parse().unwrap();
    for by in CommBy::ALL {
        let machine = Machine { topology: Some(topology.clone()), ..Machine::default() };
        let view = session.view(CommQuery { query: query(), by, machine });
        for transfers in BOTH {
            let all = rows_of(&view.comm, transfers);
            let columns = page(&view, transfers, PageQuery::default()).columns;
            for id in columns.iter().map(|column| column.id.as_str()) {
                for descending in [true, false] {
                    let sort = Some(SortBy::new(id, descending));
                    let page = page(&view, transfers, PageQuery { sort: sort.clone(), ..PageQuery::default() });
                    assert_eq!((page.rows.len(), Some(&page.sort)), (all.len(), sort.as_ref()));
                    let find = |wanted: &str| all.iter().find(|row| key(row) == wanted).unwrap();
                    let numbers: Vec<Option<f64>> =
                        page.rows.iter().map(|row| number(find(&row.key), id, transfers)).collect();
                    let texts = column(&page, id);
                    for (index, pair) in numbers.windows(2).enumerate() {
                        let is_ordered = match (pair[0], pair[1]) {
                            (Some(a), Some(b)) if a.is_nan() || b.is_nan() => {
                                let (a, b) = (&texts[index], &texts[index + 1]);
                                // Texts that end in a number compare by the number. Long texts are cut and are not
                                // compared.
                                let parts = |text: &str| {
                                    let stem = text.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
                                    let number = text[stem.len()..].parse::<u64>().ok();
                                    (stem, number)
                                };
                                let by = parts(a).cmp(&parts(b));
                                let is_cut = a.contains('…') || b.contains('…');
                                let is_ordered = by == Ordering::Equal || (by == Ordering::Greater) == descending;
                                is_cut || b == "–" || a != "–" && is_ordered
                            }
                            (Some(a), Some(b)) if descending => a >= b,
                            (Some(a), Some(b)) => a <= b,
                            // Absent values come last in both directions.
                            (None, Some(_)) => false,
                            (_, None) => true,
                        };
                        assert!(is_ordered, "{by:?} {id} {descending}: {pair:?} {:?}", &texts[index..index + 2]);
                    }
                }
            }
        }
    }
}

#[test]
fn a_filter_matches_the_texts_of_a_row() {
    let view = sample().view(CommQuery { query: query(), ..CommQuery::default() });
    let filtered =
        |filter: TextFilter| page(&view, TransferFilter::Collectives, PageQuery { filter, ..PageQuery::default() });
    let found = filtered(TextFilter::anywhere("ALL-gather"));
    let is_gather = |row: &&CommRow| row.primitive == Some(Primitive::AllGather) || row.key.contains("all-gather");
    let meant: Vec<&CommRow> = view.comm.rows.iter().filter(is_gather).collect();
    assert!(!meant.is_empty() && meant.len() < view.comm.rows.len());
    let mut keys: Vec<&str> = found.rows.iter().map(|row| row.key.as_str()).collect();
    let mut plain: Vec<String> = meant.iter().map(|row| key(row)).collect();
    keys.sort_unstable();
    plain.sort_unstable();
    assert_eq!(keys, plain);
    let stall: Picos = meant.iter().map(|row| row.stall).sum();
    assert_eq!(total(&found, "stall_ps"), Some(&*format::time(stall, time_unit(&found, "stall_ps"))));
    let n = format!("{} of {} rows", meant.len(), view.comm.rows.len());
    assert_eq!(total(&found, "key"), Some(&*n));
    // The filter can be a regular expression, and can apply to one field of a row.
    let regex = |text: &str, within| TextFilter { text: text.to_owned(), within, regex: true };
    let named = filtered(regex("^all-gather", FilterField::Leaf));
    let plain = view.comm.rows.iter().filter(|row| row.key.starts_with("all-gather")).count();
    assert_eq!(named.n_rows as usize, plain);
    assert_eq!(filtered(regex("^all-gather", FilterField::Source)).n_rows, 0);
    assert!(regex("(", FilterField::Leaf).compile().is_err());
}

#[test]
fn pages_and_copied_texts_are_parts_of_the_table() {
    let view = sample().view(CommQuery { query: query(), ..CommQuery::default() });
    let all = page(&view, TransferFilter::Collectives, PageQuery::default());
    let mut table = session::comm_table(&view.comm, &view.query, TransferFilter::Collectives);
    let part = table.page(&PageQuery { first: 3, count: 5, ..PageQuery::default() }).unwrap();
    assert_eq!((part.n_rows, &part.rows[..], &part.totals), (all.n_rows, &all.rows[3..8], &all.totals));
    let columns = ["key", "stall_ps"].map(str::to_owned);
    let ask = PageQuery::default();
    let (tsv, n) = table.copy(&ask, &columns, None, CopyForm::Tsv).unwrap();
    let unit = &all.columns[1].unit;
    let lines: Vec<&str> = tsv.lines().collect();
    assert_eq!((lines[0], lines.len()), (&*format!("Collective\tStall ({unit})"), n as usize + 1));
    let keys = vec![all.rows[4].key.clone()];
    let (markdown, n) = table.copy(&ask, &columns, Some(&keys), CopyForm::Markdown).unwrap();
    assert_eq!((markdown.lines().count(), n), (3, 1));
    assert!(markdown.lines().nth(1) == Some("| --- | ---: |") && markdown.contains(&all.rows[4].title));
}

#[test]
fn narrow_tables_drop_columns_but_keep_the_sorted_one() {
    let topology = Some("2x4".parse().unwrap());
    let view = sample().view(CommQuery {
        query: query(),
        machine: Machine { topology, ..Machine::default() },
        ..CommQuery::default()
    });
    let heads = page(&view, TransferFilter::Collectives, PageQuery::default()).columns;
    let ids = |width: f64, sorted: &str| -> Vec<String> {
        let measure = Measure { width, row: if width < TWO_LINES { 40.0 } else { 24.0 }, ..Measure::START };
        fitting_columns(heads.clone(), sorted, measure).into_iter().map(|column| column.id).collect()
    };
    assert_eq!(ids(4000.0, "stall_ps").len(), 15);
    assert!(ids(900.0, "source").iter().any(|id| id == "source"));
    assert_eq!(ids(390.0, "rate"), ["key", "stall_ps", "rate"]);
    assert_eq!(ids(390.0, "stall_ps"), ["key", "stall_ps"]);
}
