//! From directions to force: the arithmetic every rule and behaviour shares.

use crate::simd::Simd;

/// The force that turns velocity `v` towards `direction` at full speed, no longer than `max_force`
/// (Reynolds 1999: desired velocity minus velocity). Zero where the direction is.
#[inline(always)]
pub(crate) fn steer<S: Simd>(
    s: S,
    direction: [S::F; 2],
    v: [S::F; 2],
    max_speed: S::F,
    max_force: S::F,
) -> [S::F; 2] {
    let [x, y] = direction;
    let squared = x * x + y * y;
    let scale = max_speed / s.sqrt(squared);
    let force = limit(s, [x * scale - v[0], y * scale - v[1]], max_force);
    let named = s.lt(s.splat(0.0), squared);
    [s.keep(named, force[0]), s.keep(named, force[1])]
}

/// `a` no longer than `longest`, its direction kept.
#[inline(always)]
pub(crate) fn limit<S: Simd>(s: S, a: [S::F; 2], longest: S::F) -> [S::F; 2] {
    let [x, y] = a;
    let squared = x * x + y * y;
    let over = s.lt(longest * longest, squared);
    let scale = longest / s.sqrt(squared);
    [s.select(over, x * scale, x), s.select(over, y * scale, y)]
}
