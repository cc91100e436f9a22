//! Questions beside the table's: scopes, statistics over steps, exports. Each is asked with what to do with its
//! answer. Knows requests; not what becomes of the answers.

use super::State;
use crate::engine::{Answer, Reply, Request, RequestId};
use crate::view::erase::effect;
use leptos::prelude::*;
use std::rc::Rc;

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

    /// Asks now, and again whenever what `request` reads changes or another session is open; only the last answer is
    /// heard (none where there is nothing to ask), and none once the owner is gone.
    pub(crate) fn keep_asking(self, request: impl Fn() -> Option<Request> + 'static, then: impl Fn(Reply) + 'static) {
        let then = Rc::new(then);
        let waiting = StoredValue::new(None::<RequestId>);
        let withdraw = move || {
            if let Some(id) = waiting.try_get_value().flatten() {
                self.withdraw(id);
            }
        };
        effect(move || {
            self.opened.track();
            let request = request();
            withdraw();
            let Some(request) = request else {
                waiting.set_value(None);
                return;
            };
            let then = Rc::clone(&then);
            waiting.set_value(self.request(&request, move |reply| {
                waiting.set_value(None);
                match reply {
                    Reply::NotFetched => self.unanswered.set(true),
                    reply => then(reply),
                }
            }));
        });
        on_cleanup(withdraw);
    }

    /// Withdraws a question: its answer is not heard.
    fn withdraw(self, id: RequestId) {
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
