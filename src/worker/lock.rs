//! This module takes locks that the browser keeps for all pages and workers of an origin (Web Locks). A page or worker
//! that ends in any way releases its locks. `web-sys` has no stable interface for these locks, so the calls go through
//! `js_sys`.

use js_sys::{Function, Object, Promise, Reflect, global};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A lock that is held until this value is dropped.
#[must_use]
pub struct Lock {
    release: Function,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.release.call0(&JsValue::UNDEFINED);
    }
}

/// Waits until the lock `name` is free, and takes it. `None` means that the browser offers no locks to this page,
/// because the page was not loaded securely or has no origin.
pub async fn acquire(name: &str) -> Option<Lock> {
    let release = request(name, false).await?;
    Some(Lock { release: release.dyn_into().ok()? })
}

/// Takes the lock `name` without waiting. `Ok(None)` means that another page or worker holds the lock.
///
/// # Errors
/// Returns [`Absent`] if the browser offers no locks to this page.
pub async fn try_acquire(name: &str) -> Result<Option<Lock>, Absent> {
    let release = request(name, true).await.ok_or(Absent)?;
    Ok(release.dyn_into().ok().map(|release| Lock { release }))
}

/// The error that the browser offers no locks to this page.
#[derive(Clone, Copy, Debug)]
pub struct Absent;

/// Requests a lock, and returns the function that releases it. With `at_once`, returns null if another page or worker
/// holds the lock. `None` means that the browser offers no locks.
async fn request(name: &str, at_once: bool) -> Option<JsValue> {
    let field = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok().filter(JsValue::is_truthy);
    let manager = field(&field(&global(), "navigator")?, "locks")?;
    let query: Function = field(&manager, "request")?.dyn_into().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"ifAvailable".into(), &at_once.into()).ok()?;
    let granted = Promise::new(&mut |resolve, reject| {
        let refuse = reject.clone();
        // The lock is held until the promise that this closure returns is resolved.
        let on_granted = Closure::once_into_js(move |lock: JsValue| {
            Promise::new(&mut |release, _| {
                let answer = if lock.is_null() { JsValue::NULL } else { release.clone().into() };
                let _ = resolve.call1(&JsValue::UNDEFINED, &answer);
                if lock.is_null() {
                    let _ = release.call0(&JsValue::UNDEFINED);
                }
            })
        });
        match query.call3(&manager, &name.into(), &options, &on_granted) {
            Ok(asked) => {
                let refused = Closure::once_into_js(move |why: JsValue| {
                    let _ = refuse.call1(&JsValue::UNDEFINED, &why);
                });
                // The rejection is handled here, because the browser reports an unhandled rejection as an error.
                let catch = Reflect::get(&asked, &"catch".into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
                let _ = catch.map(|catch| catch.call1(&asked, &refused));
            }
            Err(why) => drop(reject.call1(&JsValue::UNDEFINED, &why)),
        }
    });
    JsFuture::from(granted).await.ok()
}
