//! What this machine is, and the most it could do.

use flockstep::{Error, Level, pair_loop};
use std::time::Instant;
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
/// in its way: the limit that a tick is held against. The best of many short runs.
#[expect(clippy::disallowed_methods, reason = "a benchmark times")]
pub(crate) fn pair_rate(level: Level) -> Result<f64, Error> {
    let mut best = 0.0_f64;
    for _ in 0..RUNS {
        let start = Instant::now();
        let slots = pair_loop(level, ROUNDS)?;
        best = best.max(slots as f64 / start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// How often the limit is measured, and how long each time: about a millisecond.
const RUNS: usize = 50;
const ROUNDS: u32 = 4096;
