//! This module sends the requests beside the breakdown, such as scopes, statistics of steps, and exports. Each request
//! has a handler for its answer.

use super::clock::now;
use super::pending::{OnReply, SentRequest};
use super::{Opened, SharedSignal, State};
use crate::analysis::base::Query;
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::requests::TypedRequest;
use crate::protocol::{Answer, Reply, Request, RequestId, ViewRequest};
use crate::view::type_erasure::effect;
use leptos::prelude::*;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

impl State {
    /// Returns the query of the shown window, with the peaks, the costs and the useful FLOPs of the roofline view.
    pub(crate) fn window_query(self) -> RooflineQuery {
        let (device, step) = self.query.with(|query| (query.device, query.step));
        self.views.with(|views| views.roofline.clone().to_query(Query { device, step, ..Query::default() }))
    }

    /// Returns a signal for an answer about the open session. The answer about another session is removed. It stays if
    /// the same files are read again, after the worker failed, and if the rest of the files has been read.
    pub(crate) fn answer_of_session<T: Send + Sync + 'static>(self) -> SharedSignal<T> {
        let found = SharedSignal::none();
        let mut shown = None;
        effect(move || {
            let opened = self.opened.get();
            let is_rest = |(shown, opened): (&Opened, &Opened)| {
                shown.session.reading.is_some() && shown.name == opened.name && opened.session.reading.is_none()
            };
            let is_completed = shown.as_deref().zip(opened.as_deref()).is_some_and(is_rest);
            if opened.as_deref() != shown.as_deref() && !is_completed {
                found.set(None);
            }
            shown = opened;
        });
        found
    }

    /// Sends a request to the open session, and returns its id; `None` if no session is open. `then` handles the
    /// answer, or [`Reply::Cancelled`] if the user cancels the request or the worker ends. If another session is opened
    /// meanwhile, `then` is not called.
    pub(crate) fn request(self, request: &Request, then: impl FnOnce(Reply) + 'static) -> Option<RequestId> {
        self.send(request, true, Box::new(then))
    }

    /// Sends a request of a view to the open session, as [`State::request`] does. `then` handles the answer, or the reply that tells
    /// why there is none.
    pub(crate) fn request_answer<A: TypedRequest + Into<ViewRequest>>(
        self,
        typed: A,
        then: impl FnOnce(Result<A::Answer, Reply>) + 'static,
    ) -> Option<RequestId> {
        self.request(&Request::from(typed.into()), move |reply| then(reply.answer::<A>()))
    }

    /// Sends a request of a view now, and again whenever a signal that `typed` reads changes or another session is open. `then`
    /// handles the last answer, or the reply that tells why there is none. No answer is handled if `typed` returns `None`, or once
    /// the owner is disposed. A request that the user cancelled is not sent again by itself, unless it changes or
    /// [`State::resend_cancelled`] is called.
    pub(crate) fn request_answer_on_change<A: TypedRequest + Into<ViewRequest>>(
        self,
        typed: impl Fn() -> Option<A> + 'static,
        then: impl Fn(Result<A::Answer, Reply>) + 'static,
    ) {
        let request = move || typed().map(|typed| Request::from(typed.into()));
        self.request_on_change(request, move |reply| then(reply.answer::<A>()));
    }

    /// Returns an answer. If there is none, the page shows why.
    pub(crate) fn shown<T>(self, answer: Result<T, Reply>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(Reply::Failed(failure)) => {
                self.fail(failure);
                None
            }
            // The request was withdrawn, or the field of its filter shows the error.
            Err(_) => None,
        }
    }

    fn send(self, request: &Request, once: bool, then: OnReply) -> Option<RequestId> {
        let id = self.workers.try_update_value(|workers| {
            let id = workers.open.as_ref()?.send(request);
            workers.sent_requests.push(SentRequest { id, then, once, since: now() });
            Some(id)
        });
        self.update_slow_state();
        id.flatten()
    }

    /// Sends a request whenever it changes, as [`State::request_answer_on_change`] says.
    fn request_on_change(self, request: impl Fn() -> Option<Request> + 'static, then: impl Fn(Reply) + 'static) {
        let then = Rc::new(then);
        let waiting = StoredValue::new(None::<RequestId>);
        let withdraw = move || {
            if let Some(id) = waiting.try_get_value().flatten() {
                self.withdraw(id);
            }
        };
        // The request that was cancelled, and the value of `tries` at that time.
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
                move |request_and_tries: (Request, u32)| {
                    if let Ok(mut stopped) = stopped.lock() {
                        *stopped = Some(request_and_tries);
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
            let (then, request_and_tries) = (Rc::clone(&then), request.clone());
            let on_reply = move |reply| {
                waiting.set_value(None);
                match reply {
                    Reply::Cancelled => stop((request_and_tries, tries)),
                    reply => then(reply),
                }
            };
            waiting.set_value(self.send(&request, false, Box::new(on_reply)));
        });
        on_cleanup(move || {
            withdraw();
            gone();
        });
    }

    /// Withdraws a request. Its answer is not handled.
    fn withdraw(self, id: RequestId) {
        self.workers.update_value(|workers| {
            workers.sent_requests.retain(|sent| sent.id != id);
            if let Some(link) = &workers.open {
                link.send(&Request::Cancel(id));
                workers.withdrawn.push(id);
            }
        });
        self.update_slow_state();
    }

    /// Handles an answer to a request of this module. Any other answer is returned.
    pub(super) fn handle_other_answer(self, answer: Answer) -> Option<Answer> {
        let then = self.workers.try_update_value(|workers| {
            workers.withdrawn.retain(|id| *id != answer.id);
            let index = workers.sent_requests.iter().position(|sent| sent.id == answer.id)?;
            Some(workers.sent_requests.remove(index).then)
        });
        self.update_slow_state();
        match then.flatten() {
            Some(then) => {
                then(answer.reply);
                None
            }
            None => Some(answer),
        }
    }
}
