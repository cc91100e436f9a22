//! This module defines the requests of the page with the types of their answers, so that an answer of another type does not
//! compile, neither where the worker makes it nor where the page reads it.
//!
//! ```text
//!  requests::Gaps(query) ──► ViewRequest::Gaps ──► Session: Reply::answer_to::<requests::Gaps>(&gaps) ──► Result<Gaps, Reply> ──► the page
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A request with the type of its answer.
pub trait TypedRequest {
    type Answer: Serialize + DeserializeOwned;
}

/// Declares a request and its answer. The path is the variant of an enum that is made of it.
macro_rules! typed_request {
    ($(#[$doc:meta])* $into:path: $name:ident -> $answer:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name;

        impl From<$name> for ViewRequest {
            fn from(_: $name) -> Self {
                $into.into()
            }
        }

        impl TypedRequest for $name {
            type Answer = $answer;
        }
    };
    ($(#[$doc:meta])* $into:path: $name:ident($payload:ty) -> $answer:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(pub $payload);

        impl From<$name> for ViewRequest {
            fn from(request: $name) -> Self {
                $into(request.0).into()
            }
        }

        impl TypedRequest for $name {
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
            fn from(request: $name) -> Self {
                let $name { $($field),* } = request;
                $into { $($field),* }.into()
            }
        }

        impl TypedRequest for $name {
            type Answer = $answer;
        }
    };
}
pub(crate) use typed_request;
