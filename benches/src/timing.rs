//! Takes an engine's time.

use crate::rivals::Rival;
use std::time::{Duration, Instant};

/// After so many timed ticks a crowd is put back, so that it stays as dense as it was checked.
pub const STRETCH: u64 = 32;

/// The time of so many ticks. Every [`STRETCH`] ticks the crowd is put back and ticks once more;
/// neither is counted, so that buffers are warm and bodies lie in memory as in any later tick.
#[expect(clippy::disallowed_methods, reason = "a benchmark times")]
pub fn time(engine: &mut dyn Rival, ticks: u64) -> Duration {
    let mut spent = Duration::ZERO;
    let mut left = ticks;
    while left > 0 {
        engine.rewind();
        engine.tick();
        let stretch = left.min(STRETCH);
        let began = Instant::now();
        for _ in 0..stretch {
            engine.tick();
        }
        spent += began.elapsed();
        left -= stretch;
    }
    spent
}

/// Lets an engine tick for so long, untimed: threads that slept are awake then, and so are the
/// virtual CPUs under them, which takes tens of milliseconds.
#[expect(clippy::disallowed_methods, reason = "a benchmark times")]
pub fn warm_up(engine: &mut dyn Rival, time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        engine.rewind();
        for _ in 0..STRETCH {
            engine.tick();
        }
    }
}
