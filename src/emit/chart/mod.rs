//! A witness as a message sequence chart: a lifeline per component that moves, a row per step.
//!
//! A step of one component is a box on its lifeline; a step of several is a line with a dot at each of them and the action
//! above. Below are the states they move to. Hidden steps are dashed and grey.

mod svg;
mod text;

pub use svg::write as write_svg;
pub use text::write as write_text;
