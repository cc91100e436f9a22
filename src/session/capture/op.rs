//! This module answers requests about one op: its details, and the graph of its operands and users. It finds the
//! program of the op and does not depend on a browser.

use super::{CaptureSession, no_program};
use crate::analysis::base::{Query, ResolvedOp};
use crate::analysis::op::OpDetail;
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::{Failure, MAX_LISTED_STEPS, OpRef, ProgramSelector, Reply, requests};
use crate::session::open::messages;
use std::rc::Rc;
use xla_profile::hlo::Module;
use xla_profile::profile::{Note, ProgramId};

/// An op, its program if that could be read, and notes about both.
struct OpWithModule {
    found: ResolvedOp,
    module: Option<(Rc<Module>, Option<ProgramId>)>,
    notes: Vec<Note>,
}

impl OpWithModule {
    fn module(&self) -> Option<(&Module, Option<ProgramId>)> {
        self.module.as_ref().map(|(module, id)| (module.as_ref(), *id))
    }
}

impl CaptureSession {
    /// Answers [`ViewRequest::Op`](crate::protocol::ViewRequest::Op).
    pub(crate) fn op(&mut self, query: &RooflineQuery, op: &OpRef) -> Reply {
        self.op_detail(query, op).map_or_else(Reply::Failed, |detail| Reply::answer_to::<requests::Op>(&detail))
    }

    /// Returns the details of an op, with the first [`MAX_LISTED_STEPS`] steps.
    pub(crate) fn op_detail(&mut self, query: &RooflineQuery, op: &OpRef) -> Result<OpDetail, Failure> {
        let found = self.find_op(&query.query, op)?;
        let detail = self.analysis.op_detail(&self.profile, &found.found, found.module(), query, found.notes.clone());
        let mut detail = detail.ok_or_else(|| self.no_op(op))?;
        if let Some(figures) = &mut detail.figures {
            figures.steps.truncate(MAX_LISTED_STEPS);
        }
        Ok(detail)
    }

    /// Answers [`ViewRequest::Graph`](crate::protocol::ViewRequest::Graph). `open` names the instructions whose bodies are
    /// shown.
    pub(crate) fn graph(&mut self, query: &Query, op: &OpRef, open: &[String]) -> Reply {
        let found = match self.find_op(query, op) {
            Ok(found) => found,
            Err(failure) => return Reply::Failed(failure),
        };
        match self.analysis.op_graph(&self.profile, &found.found, found.module(), open, found.notes.clone()) {
            Some(graph) => Reply::answer_to::<requests::Graph>(&graph),
            None => Reply::Failed(self.no_op(op)),
        }
    }

    fn no_op(&self, op: &OpRef) -> Failure {
        messages::no_op(&op.name, self.profile.hlo.is_empty())
    }

    fn find_op(&mut self, query: &Query, op: &OpRef) -> Result<OpWithModule, Failure> {
        let id = match op.program {
            ProgramSelector::Any => None,
            ProgramSelector::Id(id) => Some(id),
            ProgramSelector::Listed(program) => {
                let entry = self.file().programs.get(program.0 as usize).ok_or_else(no_program)?;
                let (id, hlo) = (entry.program_id, entry.hlo);
                if let Some(hlo) = hlo {
                    return Ok(self.of_listed(query, &op.name, id, hlo));
                }
                id
            }
        };
        let found = self.analysis.find_op(&self.profile, query, id, &op.name);
        let (module, notes) = self.programs.module_of(&self.profile, &found);
        Ok(OpWithModule { found, module, notes })
    }

    /// Returns an op of a listed program. `hlo` is the index of the program in
    /// [`Profile::hlo`](xla_profile::profile::Profile::hlo).
    fn of_listed(&mut self, query: &Query, name: &str, id: Option<u64>, hlo: u32) -> OpWithModule {
        let found = match id {
            Some(_) => self.analysis.find_op(&self.profile, query, id, name),
            None => self.analysis.unseen_op(&self.profile, query, name),
        };
        match self.programs.get(&self.profile, hlo as usize) {
            Ok(module) => OpWithModule { found, module: Some((module, id.map(ProgramId))), notes: Vec::new() },
            Err(note) => OpWithModule { found, module: None, notes: vec![note] },
        }
    }
}
