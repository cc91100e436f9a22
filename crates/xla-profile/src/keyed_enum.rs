//! This module declares enums whose variants have names outside of the program.

/// Declares an enum whose variants have a key, which JSON, command lines and addresses use, and perhaps a label for users.
///
/// ```
/// xla_profile::keyed_enum! {
///     /// The direction of a copy.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub enum Direction {
///         /// From the host to the device.
///         In = "h2d": "Host to device",
///         Out = "d2h": "Device to host",
///     }
/// }
/// assert_eq!((Direction::In.key(), Direction::In.label()), ("h2d", "Host to device"));
/// assert_eq!((Direction::from_key("d2h"), Direction::ALL.len()), (Some(Direction::Out), 2));
/// ```
#[macro_export]
macro_rules! keyed_enum {
    ($(#[$attribute:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $key:literal: $label:literal,)+ }) => {
        $crate::keyed_enum! { $(#[$attribute])* $vis enum $name { $($(#[$doc])* $variant = $key,)+ } }

        impl $name {
            /// Returns the name for users.
            $vis const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)+ }
            }
        }
    };
    ($(#[$attribute:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $key:literal,)+ }) => {
        $(#[$attribute])*
        $vis enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All variants, in the order of their declaration.
            $vis const ALL: [Self; [$($key),+].len()] = [$(Self::$variant),+];

            /// Returns the name in JSON, on the command line and in addresses. It never changes.
            $vis const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)+ }
            }

            /// Returns the variant with a key. `None` if there is none.
            $vis fn from_key(key: &str) -> Option<Self> {
                match key { $($key => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
