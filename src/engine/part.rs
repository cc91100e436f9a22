//! Parts of the program that are fetched when they are first needed. Knows how one is asked for; knows neither what is in
//! it (`engine`, `view`) nor how parts are cut (`bin/app.rs`).

use std::future::Future;
use std::pin::Pin;

/// Fetches a part, and tells what it brings; `None` where it could not be fetched, then the next call tries again.
pub type Fetch<T> = fn() -> Pin<Box<dyn Future<Output = Option<T>>>>;
