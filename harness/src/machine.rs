//! What this machine is, and the most it could do.

use flockstep::Level;
use std::{env, fs, thread};

/// The CPU's own name for itself, or its architecture where that cannot be read.
pub(crate) fn cpu() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map_or(env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// How many threads run at once.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, Into::into)
}

/// Lane slots a second that one thread evaluates when nothing but the bare arithmetic of a pair is
/// in its way: the limit that a tick is held against. `None` while nobody measures it.
pub(crate) fn pair_rate(_level: Level) -> Option<f64> {
    None
}
