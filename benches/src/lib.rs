//! What the suites and `flockstep bench` share: crowds of any size, the rival engines that are
//! raced over them, and the check of an engine's answers that comes before its time is taken.

mod check;
mod crowd;
mod errand;
mod rivals;
mod timing;

pub use check::check;
pub use crowd::{CROWDS, Crowd, Density, Placement, RADIUS, SETTLED, settled};
pub use errand::Errand;
pub use rivals::{Answer, Entry, Rival, Walker, Work, all};
pub use timing::{STRETCH, time, time_flock, warm_up};
