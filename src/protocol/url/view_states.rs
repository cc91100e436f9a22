//! This module holds the state of each view as a value. A view is declared once: its field, which is also the name of its part of the
//! address, the type of its state, and its name in messages.

use super::captures::CapturesViewState;
use super::comm::CommViewState;
use super::compare::CompareViewState;
use super::memory::MemoryViewState;
use super::roofline::RooflineViewState;
use super::timeline::TimelineViewState;
use std::fmt;

/// A part of an address that cannot be read. The state of its view is the usual one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPart {
    /// The name of the view in messages, such as "memory".
    pub view: &'static str,
    /// The pair of name and value that means nothing.
    pub pair: String,
}

macro_rules! view_states {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $label:literal;)*) => {
        /// The state of each view that has one.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct ViewStates {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl ViewStates {
            /// Calls `write` with the name and the text of each part of the address. A view in its usual state has none.
            pub(super) fn each_part(&self, write: &mut dyn FnMut(&'static str, &str) -> fmt::Result) -> fmt::Result {
                $(
                    let text = self.$name.to_string();
                    if !text.is_empty() {
                        write(stringify!($name), &text)?;
                    }
                )*
                Ok(())
            }

            /// Reads the part of the address with a name. `None` if no view has this name.
            pub(super) fn apply(&mut self, name: &str, text: &str) -> Option<Result<(), BadPart>> {
                match name {
                    $(stringify!($name) => {
                        let read = text.parse().map(|state| self.$name = state);
                        Some(read.map_err(|pair| BadPart { view: $label, pair }))
                    })*
                    _ => None,
                }
            }
        }
    };
}

view_states! {
    roofline: RooflineViewState = "the roofline";
    memory: MemoryViewState = "memory";
    comm: CommViewState = "communication";
    compare: CompareViewState = "the comparison";
    timeline: TimelineViewState = "the timeline";
    /// It stays while a capture of the list is open.
    captures: CapturesViewState = "the list of captures";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_states_have_no_part() {
        let mut n = 0;
        ViewStates::default()
            .each_part(&mut |_, _| {
                n += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(n, 0);
    }

    #[test]
    fn a_part_that_means_nothing_is_named() {
        let mut states = ViewStates::default();
        assert_eq!(states.apply("memory", "side:allocator"), Some(Ok(())));
        let bad = BadPart { view: "memory", pair: "side:nowhere".to_owned() };
        assert_eq!(states.apply("memory", "side:nowhere"), Some(Err(bad)));
        assert_eq!(states.apply("later", "x"), None);
        assert_eq!(states.memory.to_string(), "side:allocator");
    }
}
