//! From directions to force: the arithmetic every rule and behaviour shares.

use crate::simd::Simd;

/// What limits a body, in lanes.
#[derive(Clone, Copy)]
pub(crate) struct Limits<S: Simd> {
    pub max_speed: S::F,
    pub max_force: S::F,
}

/// The force that turns velocity `v` towards `direction` at full speed, no longer than `max_force`
/// (Reynolds 1999: desired velocity minus velocity). Zero where the direction is.
#[inline(always)]
pub(crate) fn steer<S: Simd>(
    s: S,
    direction: [S::F; 2],
    v: [S::F; 2],
    limits: Limits<S>,
) -> [S::F; 2] {
    let [x, y] = direction;
    let squared = x * x + y * y;
    let scale = limits.max_speed / s.sqrt(squared);
    let force = toward(s, [x * scale, y * scale], v, limits);
    keep(s, s.lt(s.splat(0.0), squared), force)
}

/// The same with a direction that says how fast, too: full speed at length 1 and beyond.
#[inline(always)]
pub(crate) fn steer_scaled<S: Simd>(
    s: S,
    direction: [S::F; 2],
    v: [S::F; 2],
    limits: Limits<S>,
) -> [S::F; 2] {
    let [x, y] = direction;
    let squared = x * x + y * y;
    let desired = limit(s, [x * limits.max_speed, y * limits.max_speed], limits.max_speed);
    keep(s, s.lt(s.splat(0.0), squared), toward(s, desired, v, limits))
}

/// The force that turns velocity `v` to the `desired` one, no longer than `max_force`.
#[inline(always)]
pub(crate) fn toward<S: Simd>(
    s: S,
    desired: [S::F; 2],
    v: [S::F; 2],
    limits: Limits<S>,
) -> [S::F; 2] {
    limit(s, [desired[0] - v[0], desired[1] - v[1]], limits.max_force)
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

/// `a` where the mask holds, else zero.
#[inline(always)]
pub(crate) fn keep<S: Simd>(s: S, mask: S::M, [x, y]: [S::F; 2]) -> [S::F; 2] {
    [s.keep(mask, x), s.keep(mask, y)]
}

/// `a` where the mask holds, else `b`.
#[inline(always)]
pub(crate) fn select<S: Simd>(s: S, mask: S::M, a: [S::F; 2], b: [S::F; 2]) -> [S::F; 2] {
    [s.select(mask, a[0], b[0]), s.select(mask, a[1], b[1])]
}
