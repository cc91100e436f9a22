//! What the page draws, before it is drawn: geometry, choices and words, as plain tested functions.
//!
//! Knows report structs, sizes in pixels and how numbers look. Knows no browser, no component and no
//! colour: `view` asks here and puts the answer on the screen.

pub mod columns;
pub mod empty;
pub mod label;
pub mod load;
pub mod pick;
pub mod place;
pub mod readout;
pub mod rows;
pub mod schematic;
pub mod slot;
pub mod stack;
pub mod window;
