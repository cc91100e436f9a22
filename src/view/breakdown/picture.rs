//! The picture above the table: the tree of scopes, the time of each step, devices side by side, or what computes nothing. This module knows which is
//! shown; each picture knows itself.

use super::picture_frame::choice;
use super::{scopes, steps};
use crate::protocol::BreakdownHead;
use crate::protocol::url::Picture;
use crate::view::data_movement::DataMovementPicture;
use crate::view::state::{PtrEq, State};
use crate::view::type_erasure::{EraseType, live};
use leptos::prelude::*;

/// The pictures' common head, and the one that is chosen.
#[component]
pub(crate) fn Pictures(state: State, head: Memo<Option<PtrEq<BreakdownHead>>>) -> impl IntoView {
    let chosen = Memo::new(move |_| shown(state));
    let body = move || match chosen.get() {
        Picture::Scopes => view! { <scopes::ScopesPicture state head choice=choice(state) /> }.any(),
        Picture::Steps => view! { <steps::StepsPicture state choice=choice(state) /> }.any(),
        Picture::Devices => view! { <steps::DevicesPicture state choice=choice(state) /> }.any(),
        Picture::DataMovement => view! { <DataMovementPicture state /> }.any(),
    };
    view! { <section class="picture-pane" aria-label="Picture">{live(body)}</section> }.any()
}

/// The picture that is shown: the steps, where the session has no other.
fn shown(state: State) -> Picture {
    if state.can(|can| can.all_pictures) { state.picture.get() } else { Picture::Steps }
}
