//! This module defines the requests of the page with the types of their answers, so that an answer of another type does not
//! compile, neither where the worker makes it nor where the page reads it.
//!
//! ```text
//!  ask::Gaps(query) ──► ViewRequest::Gaps ──► Session: Reply::answer_to::<ask::Gaps>(&gaps) ──► Result<Gaps, Reply> ──► the page
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A request with the type of its answer.
pub trait Ask {
    type Answer: Serialize + DeserializeOwned;
}

/// Declares a request and its answer. The path is the variant of an enum that is made of it.
macro_rules! ask {
    ($(#[$doc:meta])* $into:path: $name:ident -> $answer:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name;

        impl From<$name> for ViewRequest {
            fn from(_: $name) -> Self {
                $into.into()
            }
        }

        impl Ask for $name {
            type Answer = $answer;
        }
    };
    ($(#[$doc:meta])* $into:path: $name:ident($payload:ty) -> $answer:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(pub $payload);

        impl From<$name> for ViewRequest {
            fn from(ask: $name) -> Self {
                $into(ask.0).into()
            }
        }

        impl Ask for $name {
            type Answer = $answer;
        }
    };
    ($(#[$doc:meta])* $into:path: $name:ident { $($(#[$about:meta])* $field:ident: $type:ty),* $(,)? } -> $answer:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
        }

        impl From<$name> for ViewRequest {
            fn from(ask: $name) -> Self {
                let $name { $($field),* } = ask;
                $into { $($field),* }.into()
            }
        }

        impl Ask for $name {
            type Answer = $answer;
        }
    };
}
pub(crate) use ask;
