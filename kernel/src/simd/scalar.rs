//! One lane: lets code that handles a single body share the vector code's arithmetic.

use super::Simd;

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
    fn first_lanes(self, count: usize) -> bool {
        count > 0
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
