//! This module renders the pickers of the device and the step. A picker always shows a choice, never a placeholder.

use crate::analysis::base::{DeviceChoice, StepChoice};
use crate::chart::widgets::picker_options;
use crate::view::state::{Opened, State};
use crate::view::type_erasure::{EraseType, If};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::listbox::{Listbox, ListboxOptions};
use crate::view::widgets::picker::Picker;
use crate::view::widgets::popover::{self, Popover};
use leptos::prelude::*;

/// Renders both pickers, if the session has devices.
#[component]
pub(crate) fn Pickers(state: State) -> impl IntoView {
    let any = move || state.opened.with(|opened| opened.as_ref().is_some_and(|o| !o.session.devices.is_empty()));
    view! {
        <If when=any>
            <div class="pickers">
                <Device state />
                <Step state />
            </div>
        </If>
    }
    .any()
}

#[component]
fn Device(state: State) -> impl IntoView {
    let choices = Memo::new(move |_| {
        state.opened.with(|opened| opened.as_ref().map(|o| picker_options::devices(&o.session)).unwrap_or_default())
    });
    let chosen = Signal::derive(move || state.header_device());
    let choose = Callback::new(move |device: DeviceChoice| untrack(|| state.choose_device(device)));
    view! { <Picker id="device" label="Device" list="Devices" choices chosen choose /> }.any()
}

#[component]
fn Step(state: State) -> impl IntoView {
    let device = Memo::new(move |_| state.query.with(|query| query.device));
    let options = ListboxOptions {
        count: Signal::derive(move || {
            let count = |opened: &Opened| picker_options::steps(&opened.session, device.get()).count();
            state
                .opened
                .with(|opened| opened.as_ref().map_or(0, |opened| u32::try_from(count(opened)).unwrap_or(u32::MAX)))
        }),
        get: Callback::new(move |index: u32| {
            state
                .opened
                .with(|opened| picker_options::steps(&opened.as_ref()?.session, device.get()).get(index as usize))
        }),
        position: Callback::new(move |step: StepChoice| {
            let index = state
                .opened
                .with(|opened| picker_options::steps(&opened.as_ref()?.session, device.get()).position(step))?;
            u32::try_from(index).ok()
        }),
    };
    let chosen = Signal::derive(move || state.step());
    let label = Memo::new(move |_| {
        let text = |opened: &Opened| picker_options::steps(&opened.session, device.get()).label(chosen.get());
        state.opened.with(|opened| opened.as_ref().map_or_else(String::new, |opened| text(opened)))
    });
    let count = Memo::new(move |_| {
        let n_steps =
            |opened: &Opened| picker_options::steps(&opened.session, device.get()).n_steps_beside(chosen.get());
        state.opened.with(|opened| opened.as_ref().map_or(0, |opened| n_steps(opened)))
    });
    let choose = Callback::new(move |step: StepChoice| {
        popover::hide("step");
        state.choose_step(step);
    });
    let has_events = move || state.summary().is_none();
    let methods = Memo::new(|_| picker_options::step_methods());
    let method = Signal::derive(move || {
        state.opened.with(|opened| {
            opened.as_ref().map_or(u32::MAX, |opened| picker_options::step_method_index(&opened.session))
        })
    });
    let choose_method = Callback::new(move |index: u32| {
        popover::hide("step");
        picker_options::step_method(index).into_iter().for_each(|by| state.find_steps(by));
    });
    let go = move |by: isize, name: &'static str, face: Icon| {
        let to = Memo::new(move |_| state.neighbouring_step(by));
        let press = move |_| {
            if let Some(step) = to.get_untracked() {
                state.choose_step(step);
            }
        };
        let why = move || to.get().is_none().then_some("there is none");
        view! {
            <button
                type="button"
                class="btn icon-only"
                aria-label=name
                aria-disabled=move || to.get().is_none().to_string()
                title=why
                on:click=press
            >
                {icon(face)}
            </button>
        }
        .any()
    };
    view! {
        <span class="stepper">
            {go(-1, "Previous step", Icon::Left)}
            <Popover
                id="step"
                class="btn pick"
                label=Signal::derive(move || match count.get() {
                    0 => label.get(),
                    n => format!("{} of {n} steps", label.get()),
                })
                panel_class="menu"
                face=Box::new(move || {
                    view! {
                        <b>{label}</b>
                        " "
                        <span class="pick-of">{move || (count.get() > 0).then(|| format!("of {}", count.get()))}</span>
                        {icon(Icon::Down)}
                    }.any()
                })
            >
                <Listbox id="step-list" label="Steps" choices=options chosen choose />
                <If when=has_events>
                    <p class="menu-head">"Find steps"</p>
                    <Listbox id="steps-by" label="Find steps" choices=methods chosen=method choose=choose_method />
                </If>
            </Popover>
            {go(1, "Next step", Icon::Right)}
        </span>
    }
    .any()
}
