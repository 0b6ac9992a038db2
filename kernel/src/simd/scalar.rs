//! One lane: lets code that handles a single body share the vector code's arithmetic.

use super::Simd;
use std::ops::Range;

/// Plain `f32`.
#[derive(Clone, Copy)]
pub(crate) struct Scalar;

impl Simd for Scalar {
    const LANES: usize = 1;
    type F = f32;
    type M = bool;

    #[inline(always)]
    fn splat(self, value: f32) -> f32 {
        value
    }

    #[inline(always)]
    fn load(self, values: &[f32]) -> f32 {
        values.first().copied().unwrap_or(f32::NAN)
    }

    #[inline(always)]
    fn load_since(self, values: &[u32], start: u32) -> f32 {
        values.first().map_or(0.0, |value| value.wrapping_sub(start) as i32 as f32)
    }

    #[inline(always)]
    fn store(self, vector: f32, out: &mut [f32]) {
        if let Some(first) = out.first_mut() {
            *first = vector;
        }
    }

    #[inline(always)]
    fn sqrt(self, a: f32) -> f32 {
        a.sqrt()
    }

    #[inline(always)]
    fn min(self, a: f32, b: f32) -> f32 {
        if b < a { b } else { a }
    }

    #[inline(always)]
    fn max(self, a: f32, b: f32) -> f32 {
        if b > a { b } else { a }
    }

    #[inline(always)]
    fn least(self, a: f32) -> f32 {
        a
    }

    #[inline(always)]
    fn lt(self, a: f32, b: f32) -> bool {
        a < b
    }

    #[inline(always)]
    fn le(self, a: f32, b: f32) -> bool {
        a <= b
    }

    #[inline(always)]
    fn select(self, mask: bool, a: f32, b: f32) -> f32 {
        if mask { a } else { b }
    }

    #[inline(always)]
    fn keep(self, mask: bool, a: f32) -> f32 {
        if mask { a } else { 0.0 }
    }

    #[inline(always)]
    fn lanes(self, lanes: Range<usize>) -> bool {
        lanes.contains(&0)
    }

    #[inline(always)]
    fn all_but(self, lane: usize) -> bool {
        lane != 0
    }

    #[inline(always)]
    fn count(self, mask: bool) -> u32 {
        u32::from(mask)
    }
}
