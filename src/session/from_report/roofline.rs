//! This module answers the roofline from a report: the position of each op in the roofline model at the time when the
//! report was made.

use super::{Answered, ReportSession, notes};
use crate::analysis::base::{GroupBy, Query};
use crate::analysis::breakdown::Group;
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::table_query::TableAction;
use crate::protocol::tables::Utilization;
use crate::protocol::url::roofline::RoofBy;
use crate::protocol::{MAX_LISTED_STEPS, MAX_POINTS, Reply, RoofPoint, RooflineHead, requests};
use crate::session::capture::roofline_table::{RoofRow, roof_table, step_rows};
use crate::session::capture::utilization::{in_flight, unfiltered, without_lists};
use crate::session::table_answer::answer;
use crate::share::Point;
use crate::table::answer::CachedOrder;
use xla_profile::units::Picos;

impl ReportSession {
    /// Checks that a query is the one that the report answers.
    fn check_query(&self, request: &RooflineQuery) -> Result<(), Reply> {
        self.check_device_and_step(&request.query)?;
        let Query { by, filter, .. } = &request.query;
        if *by != GroupBy::Op || !filter.is_empty() {
            return Err(self.missing("other groupings and filters of the roofline"));
        }
        let usual = RooflineQuery { query: request.query.clone(), ..RooflineQuery::default() };
        if *request == usual { Ok(()) } else { Err(self.missing("the roofline with other peaks and costs")) }
    }

    /// Answers [`ViewRequest::Roofline`](crate::protocol::ViewRequest::Roofline).
    pub(crate) fn roofline(&self, query: &RooflineQuery) -> Answered {
        self.check_query(query)?;
        let points = self.points();
        let part = &self.report.roofline;
        let mut figures = part.figures.clone();
        figures.notes = notes(&self.report, &figures.notes);
        let n_rows = points.len() as u32;
        let mut placed: Vec<RoofPoint> = points.into_iter().filter(|point| point.roof.is_some()).collect();
        let rest = placed.split_off(placed.len().min(MAX_POINTS));
        let time = |point: &RoofPoint| point.roof.as_ref().map_or(Picos::ZERO, |roof| roof.total);
        let more = (part.more.0.saturating_add(rest.len() as u32), part.more.1 + rest.iter().map(time).sum());
        Ok(Reply::answer_to::<requests::Roofline>(&RooflineHead {
            query: query.clone(),
            figures,
            steps: part.steps.iter().take(MAX_LISTED_STEPS).cloned().collect(),
            n_rows,
            points: placed,
            more,
        }))
    }

    /// Answers [`ViewRequest::Utilization`](crate::protocol::ViewRequest::Utilization) with the figures of the report.
    pub(crate) fn utilization(&self, query: &RooflineQuery) -> Answered {
        let query = unfiltered(query);
        self.check_query(&query)?;
        let figures = without_lists(self.report.roofline.figures.clone());
        let phases = self.report.phases.clone();
        let collectives = in_flight(&self.comm_part().comm);
        Ok(Reply::answer_to::<requests::Utilization>(&Utilization { query, figures, collectives, phases }))
    }

    /// Answers a request about the table of the roofline.
    pub(crate) fn roofline_rows(&self, query: &RooflineQuery, by: RoofBy, action: &TableAction) -> Answered {
        self.check_query(query)?;
        let part = &self.report.roofline;
        let rows = match by {
            RoofBy::Step => step_rows(&part.steps),
            _ => self.points().into_iter().map(|point| RoofRow::new(point, by, part.figures.considered)).collect(),
        };
        Ok(answer(&mut roof_table(&rows, &part.figures, by, CachedOrder::default()), action))
    }

    fn points(&self) -> Vec<RoofPoint> {
        let roof_point = |(group, point): (&Group, &Point)| RoofPoint {
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
        };
        self.report.roofline_rows().into_iter().map(roof_point).collect()
    }
}
