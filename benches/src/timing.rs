//! Takes an engine's time.

use crate::rivals::Rival;
use flockstep::Flock;
use std::time::{Duration, Instant};

/// After so many timed ticks a crowd is put back, so that it stays as dense as it was checked.
pub const STRETCH: u64 = 32;

/// The time of so many ticks. Every [`STRETCH`] ticks the crowd is put back and ticks once more;
/// neither is counted, so that buffers are warm and bodies lie in memory as in any later tick.
pub fn time<R: Rival + ?Sized>(engine: &mut R, ticks: u64) -> Duration {
    let put_back = |engine: &mut R| {
        engine.rewind();
        engine.tick();
    };
    time_stretches(engine, ticks, put_back, R::tick)
}

/// The time of so many ticks of a flock, which is put back to its snapshot before every [`STRETCH`].
///
/// # Panics
/// If `saved` is not a snapshot.
pub fn time_flock(flock: &mut Flock, ticks: u64, saved: &[u8]) -> Duration {
    let put_back = |flock: &mut Flock| flock.restore_from(saved).expect("it was just saved");
    time_stretches(flock, ticks, put_back, Flock::tick)
}

/// The time of so many ticks, with `put_back`, which is not counted, before every [`STRETCH`].
#[expect(clippy::disallowed_methods, reason = "a benchmark times")]
fn time_stretches<E: ?Sized>(
    engine: &mut E,
    ticks: u64,
    mut put_back: impl FnMut(&mut E),
    mut tick: impl FnMut(&mut E),
) -> Duration {
    let mut spent = Duration::ZERO;
    let mut left = ticks;
    while left > 0 {
        put_back(engine);
        let stretch = left.min(STRETCH);
        let began = Instant::now();
        for _ in 0..stretch {
            tick(engine);
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
