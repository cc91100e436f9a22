//! This module collects the files that the user chose or dropped, including those in dropped folders. It does not read
//! files.

use super::{OpenAs, State};
use crate::protocol::Failure;
use crate::table::text::escape_page_text;
use crate::worker::client::Picked;
use js_sys::{Array, Promise, Reflect};
use leptos::prelude::GetValue;
use std::cmp::Reverse;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader, FileSystemEntry,
    FileSystemFileEntry, HtmlInputElement,
};
use xla_profile::small_sort::SmallSort;

/// The largest file of flags that is read, in bytes.
const MAX_FLAGS_FILE: f64 = (4 << 20) as f64;
/// The largest number of files that are collected from dropped folders.
const MAX_FILES: usize = 20_000;

/// Opens the files of an input as the user has chosen, and clears the input, so that the same file can be chosen again.
pub(crate) fn from_input(state: State, input: &HtmlInputElement) {
    let open_as = state.choose_as.get_value();
    let picked = input.files().map(|files| list(&files)).unwrap_or_default();
    input.set_value("");
    open(state, picked, open_as);
}

/// Opens files. Files of XLA flags are no part of it: their text becomes the flags of the run.
fn open(state: State, picked: Vec<Picked>, open_as: OpenAs) {
    let (flags, files): (Vec<Picked>, Vec<Picked>) = picked.into_iter().partition(|one| is_flag_file(&one.path));
    if !files.is_empty() {
        state.open_as(files, open_as);
    }
    // The flags of an XLA dump are the same for each of its programs, so one file is enough.
    let Some(first) = flags.into_iter().next() else { return };
    if first.file.size() > MAX_FLAGS_FILE {
        return state.fail(Failure {
            title: format!("{} could not be read", first.path),
            message: "It is too large for a file of flags.".to_owned(),
        });
    }
    spawn_local(async move {
        match JsFuture::from(first.file.text()).await.ok().and_then(|text| text.as_string()) {
            Some(text) => state.set_flags(text, &first.path),
            None => state.fail(Failure {
                title: format!("{} could not be read", first.path),
                message: "The browser does not read the file.".to_owned(),
            }),
        }
    });
}

fn is_flag_file(path: &str) -> bool {
    [".flagfile", ".debug_options"].iter().any(|end| path.ends_with(end))
}

fn list(files: &FileList) -> Vec<Picked> {
    (0..files.length())
        .filter_map(|index| files.get(index))
        .map(|file| {
            // A file that was chosen with its folder has its path within the folder.
            let path = Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
            Picked::new(&path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name()), file)
        })
        .collect()
}

/// Opens dropped files. The entries must be read before the event ends; folders are walked afterwards.
pub(crate) fn from_drop(state: State, transfer: &DataTransfer, open_as: OpenAs) {
    let items = transfer.items();
    let entries: Vec<FileSystemEntry> =
        (0..items.length()).filter_map(|index| items.get(index)?.webkit_get_as_entry().ok().flatten()).collect();
    let plain = transfer.files().map(|files| list(&files)).unwrap_or_default();
    if !entries.iter().any(FileSystemEntry::is_directory) {
        open(state, plain, open_as);
        return;
    }
    let names: Vec<String> = entries.iter().map(|entry| escape_page_text(&entry.name()).into_owned()).collect();
    let opens = state.opens();
    spawn_local(async move {
        let walked = walk(entries).await;
        if state.opens() != opens {
            return;
        }
        match walked {
            Ok(picked) if picked.is_empty() => state.load_failed(Failure {
                title: format!("No file in {}", names.join(", ")),
                message:
                    "The folder is empty. Drop the folder that holds the .xplane.pb files, or the files themselves."
                        .to_owned(),
            }),
            Ok(picked) => open(state, picked, open_as),
            Err(error) => state.load_failed(Failure {
                title: format!("{} could not be read", names.join(", ")),
                message: format!("The browser does not list the folder: {error:?}."),
            }),
        }
    });
}

/// Returns all files below `entries`. The entries of each folder are sorted by name.
async fn walk(entries: Vec<FileSystemEntry>) -> Result<Vec<Picked>, JsValue> {
    let mut found = Vec::new();
    let mut waiting = entries;
    waiting.reverse();
    while let Some(entry) = waiting.pop() {
        if found.len() >= MAX_FILES {
            break;
        }
        if entry.is_directory() {
            let mut inside = children(&entry.unchecked_into()).await?;
            inside.small_sort_by_key(|item| Reverse(FileSystemEntry::name(item)));
            waiting.append(&mut inside);
        } else {
            let path = entry.full_path().trim_start_matches('/').to_owned();
            found.push(Picked::new(&path, file(&entry.unchecked_into()).await?));
        }
    }
    Ok(found)
}

async fn file(entry: &FileSystemFileEntry) -> Result<File, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| entry.file_with_callback_and_callback(&resolve, &reject));
    Ok(JsFuture::from(promise).await?.unchecked_into())
}

async fn children(folder: &FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader: FileSystemDirectoryReader = folder.create_reader();
    let mut all = Vec::new();
    loop {
        // The browser returns about a hundred entries at a time, and an empty list at the end.
        let promise = Promise::new(&mut |resolve, reject| {
            if let Err(error) = reader.read_entries_with_callback_and_callback(&resolve, &reject) {
                drop(reject.call1(&JsValue::NULL, &error));
            }
        });
        let some: Array = JsFuture::from(promise).await?.unchecked_into();
        if some.length() == 0 || all.len() >= MAX_FILES {
            return Ok(all);
        }
        all.extend(some.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}
