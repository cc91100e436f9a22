//! This module stores captures on this device, at the user's request: copies in the browser's own file system for this
//! page (OPFS), and a list that describes them.
//!
//! A lock of the browser guards every change, because other tabs change the store as well. A folder that is not on the
//! list while the lock is free was left by a tab that was closed during a write, and is removed.
//!
//! ```text
//!  kept/ ─┬─ list          the stored captures, the newest first
//!         └─ 17a3…/ 0 1 …  the files of one capture
//! ```

use crate::worker::client::Picked;
use crate::worker::lock;
use js_sys::{Array, Date, Promise, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DomException, File, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions,
    FileSystemGetFileOptions, FileSystemRemoveOptions, FileSystemWritableFileStream, window,
};

/// A stored capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredCapture {
    /// The name of its folder.
    pub(super) id: String,
    pub(super) name: String,
    /// The devices, such as "TPU v5p × 8"; empty if they are unknown.
    pub(super) about: String,
    /// The size of its files in bytes.
    pub(super) bytes: u64,
    /// The time at which it was stored, in milliseconds since 1970.
    pub(super) stored_ms: u64,
    /// The paths of its files, in the order of their numbers.
    paths: Vec<String>,
}

/// The list as it is written to its file.
#[derive(Serialize, Deserialize)]
struct List {
    version: u32,
    all: Vec<StoredCapture>,
}

const VERSION: u32 = 1;
/// No build will have this version or a later one. A list with such a version is damaged.
const NO_VERSION: u32 = 1000;
const FOLDER: &str = "kept";
const LIST: &str = "list";
/// The name of the lock that guards changes.
const LOCK: &str = "rooflight kept";

/// Returns the stored captures, the newest first.
///
/// # Errors
/// Returns the browser's error if it stores nothing for this page, or if the list cannot be read now.
pub(super) async fn list() -> Result<Vec<StoredCapture>, JsValue> {
    let folder = folder().await?;
    if let Ok(Some(_lock)) = lock::try_acquire(LOCK).await {
        let _ = sweep(&folder).await;
    }
    read_list(&folder).await
}

/// Removes the folders that are not on the list. If a newer build wrote the list, or if it cannot be read now, nothing is removed.
async fn sweep(folder: &FileSystemDirectoryHandle) -> Result<(), JsValue> {
    let bytes = read_bytes(folder).await?;
    if postcard::take_from_bytes::<u32>(&bytes).is_ok_and(|(version, _)| version > VERSION && version < NO_VERSION) {
        return Ok(());
    }
    let named = stored_on(&bytes);
    let names = folder.keys();
    let mut left = Vec::new();
    loop {
        let next = JsFuture::from(names.next()?).await?;
        if Reflect::get(&next, &"done".into())?.is_truthy() {
            break;
        }
        left.extend(Reflect::get(&next, &"value".into())?.as_string());
    }
    left.retain(|name| name != LIST && named.iter().all(|stored| stored.id != *name));
    for name in left {
        let _ = remove(folder, &name).await;
    }
    Ok(())
}

/// Stores the files of a capture. A stored capture of the same name and size is removed, because it is the same one.
///
/// # Errors
/// Returns the browser's message if there is no room or no such file system.
pub(super) async fn store(name: &str, about: &str, files: &[Picked]) -> Result<StoredCapture, String> {
    let folder = folder().await.map_err(error_text)?;
    let _lock = lock::acquire(LOCK).await;
    let id = format!("{:x}", now());
    let stored = write(&folder, &id, files).await;
    if let Err(error) = stored {
        let _ = remove(&folder, &id).await;
        return Err(error_text(error));
    }
    let bytes = files.iter().map(|picked| size(&picked.file)).sum();
    let paths = files.iter().map(|picked| picked.path.clone()).collect();
    let stored = StoredCapture { id, name: name.to_owned(), about: about.to_owned(), bytes, stored_ms: now(), paths };
    let listed = async {
        let mut all = read_list(&folder).await?;
        let (before, mut others): (Vec<_>, Vec<_>) =
            all.drain(..).partition(|one| (&one.name, one.bytes) == (&stored.name, stored.bytes));
        others.insert(0, stored.clone());
        write_list(&folder, others).await?;
        Ok(before)
    };
    let before = match listed.await {
        Ok(before) => before,
        Err(error) => {
            let _ = remove(&folder, &stored.id).await;
            return Err(error_text(error));
        }
    };
    for one in before {
        let _ = remove(&folder, &one.id).await;
    }
    Ok(stored)
}

/// Returns the files of a stored capture.
///
/// # Errors
/// Returns a sentence without its full stop if the files are gone or have another size than when they were stored.
pub(super) async fn files(stored: &StoredCapture) -> Result<Vec<Picked>, String> {
    let all = async {
        let folder: FileSystemDirectoryHandle = wait(folder().await?.get_directory_handle(&stored.id)).await?;
        let mut picked = Vec::new();
        for (number, path) in stored.paths.iter().enumerate() {
            let handle: FileSystemFileHandle = wait(folder.get_file_handle(&number.to_string())).await?;
            let file: File = wait(handle.get_file()).await?;
            // The stored file is named by its number.
            let name = path.rsplit('/').next().unwrap_or(path);
            picked.push(Picked::new(path, File::new_with_blob_sequence(&Array::of1(&file), name)?));
        }
        Ok(picked)
    };
    let picked = all.await.map_err(|error| format!("The browser says: {}", error_text(error)))?;
    let bytes: u64 = picked.iter().map(|picked| size(&picked.file)).sum();
    if bytes != stored.bytes {
        return Err(format!("Its files have {bytes} bytes, and {} were stored", stored.bytes));
    }
    Ok(picked)
}

/// Removes one stored capture.
pub(super) async fn forget(id: &str) {
    let Ok(folder) = folder().await else { return };
    let _lock = lock::acquire(LOCK).await;
    let Ok(mut all) = read_list(&folder).await else { return };
    all.retain(|one| one.id != id);
    let _ = write_list(&folder, all).await;
    let _ = remove(&folder, id).await;
}

/// Removes all stored captures.
pub(super) async fn forget_all() {
    let Ok(root) = root().await else { return };
    let _lock = lock::acquire(LOCK).await;
    let _ = remove(&root, FOLDER).await;
}

async fn root() -> Result<FileSystemDirectoryHandle, JsValue> {
    let storage = window().ok_or("no window")?.navigator().storage();
    wait(storage.get_directory()).await
}

async fn folder() -> Result<FileSystemDirectoryHandle, JsValue> {
    let options = FileSystemGetDirectoryOptions::new();
    options.set_create(true);
    wait(root().await?.get_directory_handle_with_options(FOLDER, &options)).await
}

async fn read_list(folder: &FileSystemDirectoryHandle) -> Result<Vec<StoredCapture>, JsValue> {
    read_bytes(folder).await.map(|bytes| stored_on(&bytes))
}

/// Returns the stored captures on a list. Empty if the list is damaged or of another version.
fn stored_on(list: &[u8]) -> Vec<StoredCapture> {
    let list = postcard::from_bytes::<List>(list).ok();
    list.filter(|list| list.version == VERSION).map_or_else(Vec::new, |list| list.all)
}

/// Returns the bytes of the list; none if there is no list yet.
async fn read_bytes(folder: &FileSystemDirectoryHandle) -> Result<Vec<u8>, JsValue> {
    let handle: FileSystemFileHandle = match wait(folder.get_file_handle(LIST)).await {
        Ok(handle) => handle,
        Err(error) if error.dyn_ref::<DomException>().is_some_and(|error| error.name() == "NotFoundError") => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let file: File = wait(handle.get_file()).await?;
    Ok(Uint8Array::new(&JsFuture::from(file.array_buffer()).await?).to_vec())
}

async fn write_list(folder: &FileSystemDirectoryHandle, all: Vec<StoredCapture>) -> Result<(), JsValue> {
    let bytes = postcard::to_allocvec(&List { version: VERSION, all }).unwrap_or_default();
    put(folder, LIST, &Uint8Array::from(bytes.as_slice())).await
}

async fn write(folder: &FileSystemDirectoryHandle, id: &str, files: &[Picked]) -> Result<(), JsValue> {
    let options = FileSystemGetDirectoryOptions::new();
    options.set_create(true);
    let own: FileSystemDirectoryHandle = wait(folder.get_directory_handle_with_options(id, &options)).await?;
    for (number, picked) in files.iter().enumerate() {
        put(&own, &number.to_string(), &picked.file).await?;
    }
    Ok(())
}

/// Writes a file from bytes or from a Blob.
async fn put(folder: &FileSystemDirectoryHandle, name: &str, data: &JsValue) -> Result<(), JsValue> {
    let options = FileSystemGetFileOptions::new();
    options.set_create(true);
    let handle: FileSystemFileHandle = wait(folder.get_file_handle_with_options(name, &options)).await?;
    let stream: FileSystemWritableFileStream = wait(handle.create_writable()).await?;
    let written = match data.dyn_ref::<web_sys::Blob>() {
        Some(blob) => stream.write_with_blob(blob),
        None => stream.write_with_js_u8_array(data.unchecked_ref()),
    };
    JsFuture::from(written?).await?;
    JsFuture::from(stream.close()).await.map(drop)
}

async fn remove(folder: &FileSystemDirectoryHandle, name: &str) -> Result<(), JsValue> {
    let options = FileSystemRemoveOptions::new();
    options.set_recursive(true);
    JsFuture::from(folder.remove_entry_with_options(name, &options)).await.map(drop)
}

async fn wait<T: JsCast>(promise: Promise) -> Result<T, JsValue> {
    Ok(JsFuture::from(promise).await?.unchecked_into())
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err wants")]
fn error_text(error: JsValue) -> String {
    let message = error.dyn_ref::<DomException>().map_or_else(|| format!("{error:?}"), DomException::message);
    // The message becomes part of a sentence that has its own full stop.
    message.trim_end_matches('.').to_owned()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length: whole, below 2⁵³")]
fn size(file: &File) -> u64 {
    file.size() as u64
}

/// Returns the current time in milliseconds since 1970.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and after 1970")]
pub(super) fn now() -> u64 {
    Date::now() as u64
}
