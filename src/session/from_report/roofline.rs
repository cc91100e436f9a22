//! The roofline of a report: its ops against their roofs, as they were held when it was made.

use super::{Answered, ReportSession, notes};
use crate::analysis::base::{GroupBy, Query};
use crate::analysis::roofline::{Level, RooflineQuery};
use crate::protocol::{MAX_POINTS, Reply, RoofLargest, RoofPoint, RoofRowsPage, RoofRowsQuery, RoofSort, RooflineHead};
use crate::session::row_order::window;
use crate::table::order::{name_ranks, sort_rows};
use crate::units::Picos;

impl ReportSession {
    /// Whether the question is the one that was answered when the report was made.
    fn is_held(&self, request: &RooflineQuery) -> Result<(), Reply> {
        self.check_device_and_step(&request.query)?;
        let Query { by, filter, .. } = &request.query;
        if *by != GroupBy::Op || !filter.is_empty() {
            return Err(self.lacks("other groupings and filters of the roofline"));
        }
        let usual = RooflineQuery { query: request.query.clone(), ..RooflineQuery::default() };
        if *request == usual { Ok(()) } else { Err(self.lacks("the roofline with other peaks and costs")) }
    }

    pub(crate) fn roofline(&self, query: &RooflineQuery) -> Answered {
        self.is_held(query)?;
        let points = self.points();
        let part = &self.report.roofline;
        let mut figures = part.figures.clone();
        figures.notes = notes(&self.report, &figures.notes);
        let mut largest = RoofLargest::default();
        for point in &points {
            largest.total = largest.total.max(point.total);
            largest.n = largest.n.max(point.n);
        }
        for roof in points.iter().filter_map(|point| point.roof.as_ref()) {
            largest.recoverable = largest.recoverable.max(roof.recoverable);
            largest.flop_rate = largest.flop_rate.max(roof.flop_rate().unwrap_or(0.0));
            largest.byte_rate = largest.byte_rate.max(roof.byte_rate(Level::Hbm).unwrap_or(0.0));
        }
        let n_rows = points.len() as u32;
        let mut placed: Vec<RoofPoint> = points.into_iter().filter(|point| point.roof.is_some()).collect();
        let rest = placed.split_off(placed.len().min(MAX_POINTS));
        let time = |point: &RoofPoint| point.roof.as_ref().map_or(Picos::ZERO, |roof| roof.total);
        let more = (part.more.0.saturating_add(rest.len() as u32), part.more.1 + rest.iter().map(time).sum());
        Ok(Reply::answer_to_question(&RooflineHead {
            query: query.clone(),
            figures,
            steps: part.steps.clone(),
            n_rows,
            points: placed,
            more,
            largest,
        }))
    }

    pub(crate) fn roofline_rows(&self, query: &RoofRowsQuery) -> Answered {
        self.is_held(&query.query)?;
        let points = self.points();
        let order = order(&points, query.sort);
        let page = window(order.len(), query.first, query.count);
        let rows = order[page].iter().map(|at| points[*at as usize].clone()).collect();
        Ok(Reply::answer_to_question(&RoofRowsPage { first: query.first, rows }))
    }

    fn points(&self) -> Vec<RoofPoint> {
        let of = |row: &crate::share::OpRow| {
            let (group, point) = (&row.group, row.point.as_ref()?);
            Some(RoofPoint {
                key: group.key.clone(),
                program: group.program.clone(),
                program_id: group.program_id,
                op_group: group.op_group.clone(),
                source: group.source_inner.clone(),
                total: group.total,
                n: group.n_executions,
                roof: point.roof.clone(),
                skipped: point.skipped.clone(),
                cumulative: point.cumulative,
            })
        };
        self.report.rows.iter().filter_map(of).collect()
    }
}

fn order(points: &[RoofPoint], sort: RoofSort) -> Vec<u32> {
    let ranks = name_ranks(points.len(), |i| (&points[i].key, points[i].program_id));
    let keys = points.iter().zip(&ranks).map(|(point, rank)| sort.column.sort_key(point.sort_row(*rank)));
    sort_rows(&keys.collect::<Vec<_>>(), &ranks, sort.descending)
}
