//! Locks that the browser keeps for all pages and workers of an origin (Web Locks): whoever holds one lets go of it by ending, in whatever
//! way. This module knows the browser's interface, which `web-sys` has not as a stable one; not what is guarded.

use js_sys::{Function, Object, Promise, Reflect, global};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A lock that is held until this is dropped.
#[must_use]
pub struct Lock {
    release: Function,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.release.call0(&JsValue::UNDEFINED);
    }
}

/// Waits until nobody else holds the lock `name`, and holds it. `None` where this browser gives this page no locks: it was not loaded
/// securely, or has no origin.
pub async fn acquire(name: &str) -> Option<Lock> {
    let release = request(name, false).await?;
    Some(Lock { release: release.dyn_into().ok()? })
}

/// Holds the lock `name` where nobody else does, without waiting: `Ok(None)` where somebody does.
///
/// # Errors
/// Where this browser gives this page no locks.
pub async fn try_acquire(name: &str) -> Result<Option<Lock>, Absent> {
    let release = request(name, true).await.ok_or(Absent)?;
    Ok(release.dyn_into().ok().map(|release| Lock { release }))
}

/// This browser gives this page no locks.
#[derive(Clone, Copy, Debug)]
pub struct Absent;

/// What lets go of the lock again, once it is held; with `at_once` nothing where another holds it.
async fn request(name: &str, at_once: bool) -> Option<JsValue> {
    let field = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok().filter(JsValue::is_truthy);
    let manager = field(&field(&global(), "navigator")?, "locks")?;
    let query: Function = field(&manager, "request")?.dyn_into().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"ifAvailable".into(), &at_once.into()).ok()?;
    let granted = Promise::new(&mut |resolve, reject| {
        let refuse = reject.clone();
        // Held for as long as the promise that this returns is open.
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
                // Where there is nobody to hear that it is refused, the browser complains of it.
                let catch = Reflect::get(&asked, &"catch".into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
                let _ = catch.map(|catch| catch.call1(&asked, &refused));
            }
            Err(why) => drop(reject.call1(&JsValue::UNDEFINED, &why)),
        }
    });
    JsFuture::from(granted).await.ok()
}
