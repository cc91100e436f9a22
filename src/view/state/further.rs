//! Questions beside the table's: scopes, statistics over steps, exports. Each is asked with what to do with its
//! answer. Knows requests; not what becomes of the answers.

use super::State;
use crate::engine::{Answer, Reply, Request, RequestId};
use leptos::prelude::*;

/// What is done with an answer.
pub(super) type Then = Box<dyn FnOnce(Reply)>;

impl State {
    /// Asks the open session; `then` hears the answer, unless another session is opened meanwhile. `None` where nothing
    /// is open to be asked.
    pub(crate) fn request(self, request: &Request, then: impl FnOnce(Reply) + 'static) -> Option<RequestId> {
        self.engines
            .try_update_value(|engines| {
                let id = engines.open.as_ref()?.send(request);
                engines.further.push((id, Box::new(then)));
                Some(id)
            })
            .flatten()
    }

    /// Withdraws a question: its answer is not heard.
    pub(crate) fn withdraw(self, id: RequestId) {
        self.engines.update_value(|engines| {
            engines.further.retain(|(waiting, _)| *waiting != id);
            if let Some(link) = &engines.open {
                link.send(&Request::Cancel(id));
            }
        });
    }

    /// Takes in an answer to such a question; gives back any other.
    pub(super) fn hear_further(self, answer: Answer) -> Option<Answer> {
        let then = self.engines.try_update_value(|engines| {
            let at = engines.further.iter().position(|(waiting, _)| *waiting == answer.id)?;
            Some(engines.further.swap_remove(at).1)
        });
        match then.flatten() {
            Some(then) => {
                then(answer.reply);
                None
            }
            None => Some(answer),
        }
    }
}
