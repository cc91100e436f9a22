//! Questions beside the table's: scopes, statistics over steps, exports. Each is asked with what to do with its
//! answer. This module knows requests; not what becomes of the answers.

use super::State;
use super::clock::now;
use super::pending::{OnReply, SentRequest};
use crate::protocol::{Answer, Reply, Request, RequestId};
use crate::view::type_erasure::effect;
use leptos::prelude::*;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

impl State {
    /// Asks the open session; `then` hears the answer, or [`Reply::Cancelled`] where someone cancels it or its worker ends, unless
    /// another session is opened meanwhile. `None` where nothing is open to be asked.
    pub(crate) fn request(self, request: &Request, then: impl FnOnce(Reply) + 'static) -> Option<RequestId> {
        self.send(request, true, Box::new(then))
    }

    fn send(self, request: &Request, once: bool, then: OnReply) -> Option<RequestId> {
        let id = self.engines.try_update_value(|engines| {
            let id = engines.open.as_ref()?.send(request);
            engines.further.push(SentRequest { id, then, once, since: now() });
            Some(id)
        });
        self.look_at_waiting();
        id.flatten()
    }

    /// Asks now, and again whenever what `request` reads changes or another session is open; only the last answer is
    /// heard (none where there is nothing to ask), and none once the owner is gone. A question that someone cancelled is not asked
    /// again by itself, unless it changes or they [say so](State::ask_again).
    pub(crate) fn keep_asking(self, request: impl Fn() -> Option<Request> + 'static, then: impl Fn(Reply) + 'static) {
        let then = Rc::new(then);
        let waiting = StoredValue::new(None::<RequestId>);
        let withdraw = move || {
            if let Some(id) = waiting.try_get_value().flatten() {
                self.withdraw(id);
            }
        };
        // The question that was cancelled, and at which try.
        let stopped = Arc::new(Mutex::new(None::<(Request, u32)>));
        let take_stopped = {
            let stopped = Arc::clone(&stopped);
            move || {
                let taken = stopped.lock().ok().and_then(|mut stopped| stopped.take());
                if taken.is_some() {
                    self.count_stopped(-1);
                }
                taken
            }
        };
        let gone = take_stopped.clone();
        effect(move || {
            self.opened.track();
            let tries = self.tries.get();
            let request = request();
            withdraw();
            let stop = {
                let stopped = Arc::clone(&stopped);
                move |of: (Request, u32)| {
                    if let Ok(mut stopped) = stopped.lock() {
                        *stopped = Some(of);
                        self.count_stopped(1);
                    }
                }
            };
            if let Some(before) = take_stopped()
                && request.as_ref().is_some_and(|request| (request, tries) == (&before.0, before.1))
            {
                stop(before);
                return;
            }
            let Some(request) = request else {
                waiting.set_value(None);
                return;
            };
            let (then, of) = (Rc::clone(&then), request.clone());
            let heard = move |reply| {
                waiting.set_value(None);
                match reply {
                    Reply::Cancelled => stop((of, tries)),
                    reply => then(reply),
                }
            };
            waiting.set_value(self.send(&request, false, Box::new(heard)));
        });
        on_cleanup(move || {
            withdraw();
            gone();
        });
    }

    /// Withdraws a question: its answer is not heard.
    fn withdraw(self, id: RequestId) {
        self.engines.update_value(|engines| {
            engines.further.retain(|sent| sent.id != id);
            if let Some(link) = &engines.open {
                link.send(&Request::Cancel(id));
                engines.withdrawn.push(id);
            }
        });
        self.look_at_waiting();
    }

    /// Takes in an answer to such a question; gives back any other.
    pub(super) fn hear_further(self, answer: Answer) -> Option<Answer> {
        let then = self.engines.try_update_value(|engines| {
            engines.withdrawn.retain(|id| *id != answer.id);
            let at = engines.further.iter().position(|sent| sent.id == answer.id)?;
            Some(engines.further.remove(at).then)
        });
        self.look_at_waiting();
        match then.flatten() {
            Some(then) => {
                then(answer.reply);
                None
            }
            None => Some(answer),
        }
    }
}
