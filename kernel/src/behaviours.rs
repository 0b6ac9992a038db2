//! Steering that asks no neighbour, one body at a time. docs/contract.md, "Behaviours".

use crate::bodies::Body;
use crate::rules::{Behaviour, Config};
use crate::simd::Scalar;
use crate::steering::steer;
use std::f32::consts::PI;

/// The weighted force of one behaviour on one body at one tick.
#[inline]
pub(crate) fn force(behaviour: &Behaviour, body: &Body, config: &Config, tick: u64) -> [f32; 2] {
    let (weight, direction) = match *behaviour {
        Behaviour::Wander { weight, distance, radius, period } => {
            let angle = drift(config.seed, body.id, tick, period);
            (weight, ahead(body.velocity, distance, radius, angle))
        }
        Behaviour::Contain { weight, margin } => {
            (weight, inward(body.position, config.world.size, margin))
        }
    };
    let gait = body.gait;
    steer(Scalar, direction, body.velocity, gait.max_speed, gait.max_force)
        .map(|part| weight * part)
}

/// From the body to a point on the wander circle, `angle` half-turns off the heading.
fn ahead([vx, vy]: [f32; 2], distance: f32, radius: f32, angle: f32) -> [f32; 2] {
    let length = (vx * vx + vy * vy).sqrt();
    let [hx, hy] = if length > 0.0 { [vx / length, vy / length] } else { [1.0, 0.0] };
    let [sin, cos] = sin_cos_half_turns(angle);
    [hx * distance + (hx * cos - hy * sin) * radius, hy * distance + (hx * sin + hy * cos) * radius]
}

/// Away from the edges nearer than `margin`.
fn inward(position: [f32; 2], size: [f32; 2], margin: f32) -> [f32; 2] {
    [0, 1].map(|axis| {
        let from_low = if position[axis] < margin { 1.0 } else { 0.0 };
        let from_high = if position[axis] > size[axis] - margin { 1.0 } else { 0.0 };
        from_low - from_high
    })
}

/// The wander angle in half-turns, in [-1, 1]: drawn every `period` ticks and blended between.
fn drift(seed: u64, id: u32, tick: u64, period: u32) -> f32 {
    let (draw, phase) = (tick / u64::from(period), tick % u64::from(period));
    let (from, to) = (drawn(seed, id, draw), drawn(seed, id, draw.wrapping_add(1)));
    let t = phase as f32 / period as f32;
    let blend = t * t * (3.0 - 2.0 * t);
    from + (to - from) * blend
}

/// The `draw`-th number of a body's own stream, uniform on a grid of 2^24 points in [-1, 1).
fn drawn(seed: u64, id: u32, draw: u64) -> f32 {
    let stream = scramble(seed.wrapping_add(u64::from(id).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    let word = scramble(stream.wrapping_add(draw.wrapping_mul(0xD1B5_4A32_D192_ED03)));
    (word >> 40) as f32 / 8_388_608.0 - 1.0
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014), after its increment.
fn scramble(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// Sine and cosine of `u` half-turns, for `u` in [-1, 1], within 2e-6: Taylor sums at half the
/// angle, then doubled. Written out because a platform's sine differs between platforms.
fn sin_cos_half_turns(u: f32) -> [f32; 2] {
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
        for draw in 0..50 {
            assert_eq!(drift(7, 3, draw * 20, 20), drawn(7, 3, draw));
        }
        let angles: Vec<f32> = (0..2000).map(|tick| drift(7, 3, tick, 20)).collect();
        assert!(angles.iter().all(|angle| (-1.0..=1.0).contains(angle)));
        assert!(angles.iter().any(|&angle| angle > 0.5) && angles.iter().any(|&a| a < -0.5));
        let largest = angles.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(largest < 0.16, "an angle jumped by {largest}");
    }

    #[test]
    fn corners_push_along_both_axes() {
        assert_eq!(inward([5.0, 3.0], [100.0, 100.0], 14.0), [1.0, 1.0]);
        assert_eq!(inward([95.0, 50.0], [100.0, 100.0], 14.0), [-1.0, 0.0]);
        assert_eq!(inward([50.0, 50.0], [100.0, 100.0], 14.0), [0.0, 0.0]);
        assert_eq!(inward([5.0, 5.0], [10.0, 10.0], 14.0), [0.0, 0.0]);
    }
}
