//! The roofline chart: FLOP per byte across, FLOP/s up, both by decades; the roofs of the device, and a mark for each row.
//!
//! ```text
//!  FLOP/s │        ╱╱╱╱╱ wall: no op can be beyond a roof
//!         │      ╱────────────── peak of a type
//!         │    ╱ ┆  ●  ◆ step
//!         │  ╱   ┆ ▲
//!         │╱ HBM ┆■
//!         └──────┴────────────── FLOP/byte
//!              ridge
//! ```
//!
//! Knows an answer's figures and rows; no browser, and no formula of a figure (`analysis::roofline`).

mod axes;
mod clip;
pub mod coverage;
pub mod dots;
pub mod figures;
mod form;
mod marks;
pub mod numbers;
pub mod peaks;
mod roofs;
pub mod table;
pub mod words;

pub use axes::Window;
pub use axes::usual;
pub use axes::whole;
pub use axes::zoomed;
pub use dots::Dot;
pub use dots::Dots;
pub use dots::dots;
pub use form::Form;
pub use marks::Look;
pub use marks::brushed;
pub use marks::scene;
pub use roofs::Ceilings;
pub use roofs::memory;
