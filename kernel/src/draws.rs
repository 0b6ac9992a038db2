//! Numbers drawn from (seed, stream, number, draw), and the curves that blend them.
//! docs/contract.md, "Draws".

use crate::rules::Weight;
use std::f32::consts::PI;

/// Where a wanderer heads.
pub(crate) const WANDER: u64 = 0;
/// A body's spread.
pub(crate) const SPREAD: u64 = 1;
/// A respawned body's place and velocity.
pub(crate) const RESPAWN: u64 = 2;
/// A rule's changing weight: this and the rule's index.
pub(crate) const RULE_WEIGHTS: u64 = 16;
/// A behaviour's changing weight: this and the behaviour's index.
pub(crate) const BEHAVIOUR_WEIGHTS: u64 = 64;
/// A field's noise: this and the field's stream.
pub(crate) const NOISE: u64 = 1 << 32;
/// A flow's random angles: this and the field's stream.
pub(crate) const ANGLES: u64 = 1 << 33;

/// One stream of one seed, for one body or whatever is numbered.
#[derive(Clone, Copy)]
pub(crate) struct Stream(u64);

impl Stream {
    #[inline]
    pub(crate) fn new(seed: u64, stream: u64, number: u32) -> Self {
        let seed = seed.wrapping_add(stream.wrapping_mul(0xA076_1D64_78BD_642F));
        Self(scramble(seed.wrapping_add(u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15))))
    }

    /// The `draw`-th number, uniform on a grid of 2^24 points in [-1, 1).
    #[inline]
    pub(crate) fn draw(self, draw: u64) -> f32 {
        let word = scramble(self.0.wrapping_add(draw.wrapping_mul(0xD1B5_4A32_D192_ED03)));
        (word >> 40) as f32 / 8_388_608.0 - 1.0
    }

    /// A number in [-1, 1] that is drawn every `period` ticks and blended between.
    #[inline]
    pub(crate) fn drift(self, tick: u64, period: u32) -> f32 {
        let (draw, phase) = whole_and_part(tick, period);
        lerp(self.draw(draw), self.draw(draw.wrapping_add(1)), ease(phase))
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014), after its increment.
#[inline]
fn scramble(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// How many whole periods have passed, and which part of the next.
#[inline]
pub(crate) fn whole_and_part(tick: u64, period: u32) -> (u64, f32) {
    let (whole, rest) = (tick / u64::from(period), tick % u64::from(period));
    (whole, rest as f32 / period as f32)
}

/// The angle of a clock with one turn a period, in half-turns from -1 to 1.
#[inline]
pub(crate) fn clock(tick: u64, period: u32) -> f32 {
    let (_, t) = whole_and_part(tick, period);
    if t > 0.5 { 2.0 * t - 2.0 } else { 2.0 * t }
}

#[inline]
pub(crate) fn ease(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}

#[inline]
pub(crate) fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// From [-1, 1] to [0, 1].
#[inline]
pub(crate) fn share(u: f32) -> f32 {
    u * 0.5 + 0.5
}

/// Sine and cosine of `u` half-turns, for `u` in [-1, 1], within 2e-6: Taylor sums at half the
/// angle, then doubled. Written out because a platform's sine differs between platforms.
#[inline]
pub(crate) fn sin_cos_half_turns(u: f32) -> [f32; 2] {
    let h = u * 0.5;
    let t = h * h;
    let sin = h
        * (PI
            + t * (-5.167_713
                + t * (2.550_164 + t * (-0.599_264_5 + t * (0.082_145_89 - t * 0.007_370_431)))));
    let cos = 1.0
        + t * (-4.934_802
            + t * (4.058_712
                + t * (-1.335_262_8
                    + t * (0.235_330_63 + t * (-0.025_806_89 + t * 0.001_929_574)))));
    [2.0 * (sin * cos), 1.0 - 2.0 * (sin * sin)]
}

/// The cosine of half a field of view, squared with its sign kept: exact at a right angle.
pub(crate) fn signed_square_of_cosine(degrees: f32) -> f32 {
    if degrees == 180.0 {
        return 0.0;
    }
    let [_, cos] = sin_cos_half_turns(degrees / 360.0);
    cos * cos.abs()
}

/// A weight at one tick: the same for all bodies, or each one's own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Weighing {
    Same(f32),
    Drawn { low: f32, high: f32 },
    Noise { low: f32, high: f32, period: u32 },
}

impl Weighing {
    #[inline]
    pub(crate) fn new(weight: Weight, tick: u64) -> Self {
        match weight {
            Weight::Steady(weight) => Self::Same(weight),
            Weight::Sine { mean, amplitude, period } => {
                let [sin, _] = sin_cos_half_turns(clock(tick, period));
                Self::Same(mean + amplitude * sin)
            }
            Weight::Drawn { low, high } => Self::Drawn { low, high },
            Weight::Noise { low, high, period } => Self::Noise { low, high, period },
        }
    }

    /// One body's.
    #[inline]
    pub(crate) fn of(&self, stream: impl Fn() -> Stream, tick: u64) -> f32 {
        match *self {
            Self::Same(weight) => weight,
            Self::Drawn { low, high } => lerp(low, high, share(stream().draw(0))),
            Self::Noise { low, high, period } => {
                lerp(low, high, share(stream().drift(tick, period)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_are_close_everywhere() {
        for step in -1000..=1000 {
            let u = step as f32 / 1000.0;
            let [sin, cos] = sin_cos_half_turns(u).map(f64::from);
            // The reference here is a series in f64, long enough for every digit that counts.
            let angle = f64::from(u) * std::f64::consts::PI;
            let (mut term, mut sums) = (1.0, [0.0, 1.0]);
            for power in 1..40 {
                term *= angle / f64::from(power);
                let sign = if power % 4 < 2 { 1.0 } else { -1.0 };
                sums[usize::from(power % 2 == 0)] += sign * term;
            }
            assert!((sin - sums[0]).abs() < 2e-6 && (cos - sums[1]).abs() < 2e-6, "at {u}");
        }
    }

    #[test]
    fn drift_meets_its_draws_and_stays_in_range() {
        let stream = Stream::new(7, WANDER, 3);
        for draw in 0..50 {
            assert_eq!(stream.drift(draw * 20, 20), stream.draw(draw));
        }
        let angles: Vec<f32> = (0..2000).map(|tick| stream.drift(tick, 20)).collect();
        assert!(angles.iter().all(|angle| (-1.0..=1.0).contains(angle)));
        assert!(angles.iter().any(|&angle| angle > 0.5) && angles.iter().any(|&a| a < -0.5));
        let largest = angles.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(largest < 0.16, "an angle jumped by {largest}");
    }

    #[test]
    fn a_clock_goes_round_once_a_period() {
        let angles: Vec<f32> = (0..8).map(|tick| clock(tick, 4)).collect();
        assert_eq!(angles, [0.0, 0.5, 1.0, -0.5, 0.0, 0.5, 1.0, -0.5]);
    }

    #[test]
    fn views_are_exact_where_it_shows() {
        assert_eq!(signed_square_of_cosine(180.0), 0.0);
        for (degrees, square) in [(90.0, 0.5), (120.0, 0.25), (240.0, -0.25), (270.0, -0.5)] {
            assert!((signed_square_of_cosine(degrees) - square).abs() < 1e-5, "{degrees}");
        }
    }
}
