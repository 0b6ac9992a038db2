//! Numbers that are drawn, curves over time, and sine and cosine.

use super::State;

/// The streams: what one number is drawn for never decides another.
pub(super) const WANDER: u64 = 0;
pub(super) const SPREAD: u64 = 1;
pub(super) const RESPAWN: u64 = 2;
pub(super) const FIRST_RULE: u64 = 16;
pub(super) const FIRST_BEHAVIOUR: u64 = 64;
pub(super) const FIRST_NOISE: u64 = 1 << 32;
pub(super) const FIRST_RANDOM_FLOW: u64 = 1 << 33;

impl State<'_> {
    /// The `k`-th number of `i` in a stream: two rounds of SplitMix64, the top 24 bits, in [-1, 1).
    pub(super) fn draw(&self, stream: u64, i: u64, k: u64) -> f32 {
        let seed = self.config.seed;
        let stream = 0xA076_1D64_78BD_642F_u64.wrapping_mul(stream);
        let first = mix(seed.wrapping_add(stream).wrapping_add(GOLDEN.wrapping_mul(i)));
        let word = mix(first.wrapping_add(0xD1B5_4A32_D192_ED03_u64.wrapping_mul(k)));
        (word >> 40) as f32 / 8388608.0 - 1.0
    }

    /// A number that is drawn every `period` ticks and eased from one draw to the next.
    pub(super) fn drift(&self, stream: u64, i: u64, period: u32) -> f32 {
        let k = self.tick / u64::from(period);
        let (a, b) = (self.draw(stream, i, k), self.draw(stream, i, k.wrapping_add(1)));
        lerp(a, b, ease(share_of_period(self.tick, period)))
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// How much of its period has passed at a tick, from 0 to below 1.
pub(super) fn share_of_period(tick: u64, period: u32) -> f32 {
    (tick % u64::from(period)) as f32 / period as f32
}

/// The angle of what turns once in a period, in half-turns from -1 to 1.
pub(super) fn turning(tick: u64, period: u32) -> f32 {
    let t = share_of_period(tick, period);
    let u = 2.0 * t;
    if t > 0.5 { u - 2.0 } else { u }
}

/// From 0 to 1, level at both ends.
pub(super) fn ease(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}

/// From [-1, 1] to [0, 1].
pub(super) fn share(u: f32) -> f32 {
    u * 0.5 + 0.5
}

pub(super) fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// Sine and cosine of `u` half-turns by the contract's polynomials, innermost term first.
pub(super) fn sine_and_cosine(u: f32) -> (f32, f32) {
    let h = u / 2.0;
    let t = h * h;
    let mut sin = -0.007_370_431;
    for coefficient in [0.082_145_89, -0.599_264_5, 2.550_164, -5.167_713, std::f32::consts::PI] {
        sin = coefficient + t * sin;
    }
    sin *= h;
    let mut cos = 0.001_929_574;
    for coefficient in [-0.025_806_89, 0.235_330_63, -1.335_262_8, 4.058_712, -4.934_802, 1.0] {
        cos = coefficient + t * cos;
    }
    (2.0 * (sin * cos), 1.0 - 2.0 * (sin * sin))
}
