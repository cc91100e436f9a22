//! This module renders the picture above the table: the icicle of scopes, the time of each step, the devices side by
//! side, data movement, or idle gaps.

use super::{scopes, steps};
use crate::protocol::BreakdownHead;
use crate::protocol::url::Picture;
use crate::view::data_movement::DataMovementPicture;
use crate::view::gaps::IdlePicture;
use crate::view::shared::picture_frame::choice;
use crate::view::state::{SharedMemo, State};
use crate::view::type_erasure::{EraseType, live};
use leptos::prelude::*;

/// Renders the chosen picture.
#[component]
pub(crate) fn Pictures(state: State, head: SharedMemo<BreakdownHead>) -> impl IntoView {
    let chosen = Memo::new(move |_| shown(state));
    let body = move || match chosen.get() {
        Picture::Scopes => view! { <scopes::ScopesPicture state head choice=choice(state) /> }.any(),
        Picture::Steps => view! { <steps::StepsPicture state choice=choice(state) /> }.any(),
        Picture::Devices => view! { <steps::DevicesPicture state choice=choice(state) /> }.any(),
        Picture::DataMovement => view! { <DataMovementPicture state /> }.any(),
        Picture::Idle => view! { <IdlePicture state /> }.any(),
    };
    view! { <section class="picture-pane" aria-label="Picture">{live(body)}</section> }.any()
}

/// Returns the picture to show. A session without the other pictures shows the steps.
fn shown(state: State) -> Picture {
    if state.can(|can| can.all_pictures) { state.picture.get() } else { Picture::Steps }
}
