//! This module fetches a capture from the web: the user confirms a large one, the page shows the progress, and a broken
//! connection is resumed. The messages are in `session::open::remote`.
//!
//! ```text
//!   address ──► GET ──► head: size ──► (confirm) ──► pieces ──► blobs of 16 MiB ──► File ──► opened like any file
//!                                                      ▲ │ the connection broke
//!                                  GET, Range: bytes=n- ◄┘
//! ```
//!
//! A capture takes one request, with no `HEAD` or preflight request before it, because hosts that sign addresses sign
//! them for one kind of request.

use crate::session::open::remote::{CONFIRM_THRESHOLD, Refusal, WebAddress, is_ipv6_host, is_plain_host};
use crate::view::state::{Fetching, State};
use crate::worker::client::Picked;
use js_sys::{Array, Reflect, Uint8Array};
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, Blob, File, Headers, ReadableStreamDefaultReader, ReferrerPolicy, Request,
    RequestCredentials, RequestInit, RequestMode, Response, Url,
};

/// The number of bytes that are collected before the browser gets them as a Blob. The browser stores Blobs where it
/// likes, so the page's memory holds no more than this.
const AT_ONCE: u64 = 16 << 20;
/// The number of consecutive attempts to resume that may receive nothing, before the fetch fails.
const RETRIES: u32 = 8;

/// A response of which only the head was received.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) place: WebAddress,
    /// The size of the capture in bytes; `None` if the host does not report it.
    pub(super) size: Option<u64>,
    response: Response,
    /// The ETag or the date of the file, by which a later response is known to be of the same file.
    mark: Option<String>,
    signal: AbortSignal,
    pub(super) fetching: Fetching,
}

impl Head {
    /// Returns whether the user must confirm the fetch: the capture is large, or its size is unknown. The capture of a page
    /// that this machine serves (`rooflight view`) comes from the same disk, so the page fetches it at once.
    pub(super) fn is_asked(&self) -> bool {
        !is_served_here(&self.place) && self.size.is_none_or(|size| size >= CONFIRM_THRESHOLD)
    }
}

/// Returns whether a host name stands for this machine.
fn is_this_machine(hostname: &str) -> bool {
    matches!(hostname, "localhost" | "127.0.0.1" | "[::1]")
}

/// Returns whether this machine serves both the page and the capture, from one origin.
fn is_served_here(place: &WebAddress) -> bool {
    let Ok(url) = Url::new(&place.url) else { return false };
    is_this_machine(&url.hostname()) && window().location().origin().is_ok_and(|origin| origin == url.origin())
}

/// Parses an address.
///
/// # Errors
/// Returns the address and the reason why the page cannot fetch from it.
pub(super) fn parse_capture_url(text: &str) -> Result<WebAddress, (WebAddress, Refusal)> {
    let none = |refusal| (WebAddress::new(text.to_owned(), String::new(), ""), refusal);
    let url = Url::new(text.trim()).map_err(|_| none(Refusal::NoAddress))?;
    let place = WebAddress::new(url.href(), url.host(), &url.pathname());
    let page = window().location();
    let is_near = is_this_machine(&url.hostname());
    match &*url.protocol() {
        "http:" | "https:" if !url.username().is_empty() || !url.password().is_empty() => {
            Err((place, Refusal::Credentials))
        }
        "http:" | "https:" if is_ipv6_host(&url.host()) => Err((place, Refusal::Ipv6)),
        "http:" | "https:" if !is_plain_host(&url.host()) => Err((place, Refusal::Host)),
        "http:" if page.protocol().is_ok_and(|page| page == "https:") && !is_near => Err((place, Refusal::Mixed)),
        "http:" | "https:" => Ok(place),
        other => Err(none(Refusal::Scheme(other.to_owned()))),
    }
}

/// Returns whether the page's policy allows requests to the host of `place`. The policy names the page's own origin,
/// and the origin of the capture that the address named when the page was opened (`index.html` keeps that capture's
/// address in `data-src`).
pub(super) fn is_allowed(place: &WebAddress) -> bool {
    let origin = |text: &str| Url::new(text).ok().map(|url| url.origin());
    let policy = document().query_selector("meta[data-src]").ok().flatten();
    let named = policy.and_then(|policy| policy.get_attribute("data-src"));
    let wanted = origin(&place.url);
    wanted.is_some()
        && (wanted == window().location().origin().ok() || wanted == named.and_then(|named| origin(&named)))
}

/// Requests a capture. `Ok(None)` means that the fetch was cancelled meanwhile.
///
/// # Errors
/// Returns the reason why the capture cannot be fetched.
pub(super) async fn request_head(state: State, place: &WebAddress) -> Result<Option<Head>, Refusal> {
    let Ok(abort) = AbortController::new() else { return Err(Refusal::Silent) };
    let signal = abort.signal();
    let fetching = state.begin_fetching(abort);
    let answer = get(place, &signal, None).await;
    if !state.wants(&fetching) {
        return Ok(None);
    }
    let Ok(response) = answer else {
        let why = refusal_reason(place).await;
        return if state.wants(&fetching) { Err(why) } else { Ok(None) };
    };
    if !response.ok() {
        return Err(Refusal::Status(response.status(), response.status_text()));
    }
    let headers = response.headers();
    // If the host packs the response, its length is not the length of the received bytes.
    let size = if header(&headers, "content-encoding").is_some() { None } else { number(&headers, "content-length") };
    let mark = header(&headers, "etag").or_else(|| header(&headers, "last-modified"));
    Ok(Some(Head { place: place.clone(), size, response, mark, signal, fetching }))
}

/// Fetches the body of a response. `Ok(None)` means that the fetch was cancelled meanwhile.
///
/// # Errors
/// Returns the reason why the capture cannot be fetched.
pub(super) async fn fetch(state: State, head: Head) -> Result<Option<Picked>, Refusal> {
    let Head { place, size, response, mark, signal, fetching } = head;
    let blobs = Array::new();
    let mut got = PartialFetch { blobs: &blobs, pieces: Array::new(), buffered: 0, done: 0 };
    let (mut response, mut retries) = (response, RETRIES);
    loop {
        let before = got.done;
        let mut progress = |done| state.fetches(&fetching, (&place.name, &place.host), done, size);
        progress(before);
        let whole = pieces(&response, &mut got, &mut progress).await;
        if !state.wants(&fetching) {
            return Ok(None);
        }
        match (whole, size) {
            (Ok(()), Some(total)) if got.done > total => return Err(Refusal::Length { done: got.done, total }),
            (Ok(()), Some(total)) if got.done < total => {}
            (Ok(()), _) => break,
            (Err(()), _) => {}
        }
        let broke = Refusal::BrokeOff { done: got.done, total: size };
        retries = if got.done > before { RETRIES } else { retries.checked_sub(1).ok_or_else(|| broke.clone())? };
        let next = fetch_rest(&place, &signal, got.done, mark.as_deref()).await;
        if !state.wants(&fetching) {
            return Ok(None);
        }
        response = next.ok_or(broke)?;
    }
    got.hand_over();
    let file = File::new_with_blob_sequence(&blobs, &place.name);
    let file = file.map_err(|_| Refusal::BrokeOff { done: got.done, total: size })?;
    Ok(Some(Picked::new(&place.name, file)))
}

/// The bytes that were received so far.
struct PartialFetch<'a> {
    blobs: &'a Array,
    pieces: Array,
    buffered: u64,
    done: u64,
}

impl PartialFetch<'_> {
    fn take(&mut self, piece: &Uint8Array) {
        let n = u64::from(piece.length());
        self.pieces.push(piece);
        self.buffered += n;
        self.done += n;
        if self.buffered >= AT_ONCE {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        if let Ok(blob) = Blob::new_with_u8_array_sequence(&self.pieces) {
            self.blobs.push(&blob);
        }
        self.pieces = Array::new();
        self.buffered = 0;
    }
}

/// Reads a response to its end. An error means that the connection broke.
async fn pieces(response: &Response, got: &mut PartialFetch<'_>, progress: &mut impl FnMut(u64)) -> Result<(), ()> {
    let stream = response.body().ok_or(())?;
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    loop {
        let next = JsFuture::from(reader.read()).await.map_err(|_| ())?;
        let field = |name: &str| Reflect::get(&next, &name.into()).map_err(|_| ());
        if field("done")?.is_truthy() {
            return Ok(());
        }
        got.take(&field("value")?.dyn_into().map_err(|_| ())?);
        progress(got.done);
    }
}

/// Requests the rest of a file from byte `from` on. `None` if the request fails, if the host sends no parts, or if the
/// file has changed.
async fn fetch_rest(place: &WebAddress, signal: &AbortSignal, from: u64, mark: Option<&str>) -> Option<Response> {
    let response = get(place, signal, Some(from)).await.ok()?;
    let headers = response.headers();
    let now = header(&headers, "etag").or_else(|| header(&headers, "last-modified"));
    let same = now.is_none() || mark.is_none() || now.as_deref() == mark;
    let starts = header(&headers, "content-range").is_none_or(|range| range.starts_with(&format!("bytes {from}-")));
    (response.status() == 206 && same && starts).then_some(response)
}

async fn get(place: &WebAddress, signal: &AbortSignal, from: Option<u64>) -> Result<Response, JsValue> {
    let init = RequestInit::new();
    init.set_signal(Some(signal));
    init.set_credentials(RequestCredentials::Omit);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    let request = Request::new_with_str_and_init(&place.url, &init)?;
    if let Some(from) = from {
        request.headers().set("range", &format!("bytes={from}-"))?;
    }
    Ok(JsFuture::from(window().fetch_with_request(&request)).await?.unchecked_into())
}

/// Finds the reason why a request failed, because the browser does not give it. If a `no-cors` request succeeds, the
/// host exists, but does not allow this page to read its answers.
async fn refusal_reason(place: &WebAddress) -> Refusal {
    if !window().navigator().on_line() {
        return Refusal::Offline;
    }
    let init = RequestInit::new();
    init.set_mode(RequestMode::NoCors);
    init.set_method("HEAD");
    init.set_credentials(RequestCredentials::Omit);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    match JsFuture::from(window().fetch_with_str_and_init(&place.url, &init)).await {
        Ok(_) => Refusal::Cors,
        Err(_) => Refusal::Silent,
    }
}

fn header(headers: &Headers, name: &str) -> Option<String> {
    headers.get(name).ok().flatten()
}

fn number(headers: &Headers, name: &str) -> Option<u64> {
    header(headers, name)?.trim().parse().ok()
}
