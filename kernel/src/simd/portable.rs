//! Four lanes through `wide`: SSE2 on x86-64, NEON on AArch64, simd128 on wasm, arrays elsewhere.

use super::{Simd, nan_padded};
use wide::f32x4;

/// What every build has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

const LANES: usize = 4;
const INDEX: f32x4 = f32x4::new([0.0, 1.0, 2.0, 3.0]);

/// Compared lane by lane: all bits set where the comparison holds.
type Mask = f32x4;

impl Simd for Portable {
    const LANES: usize = LANES;
    type F = f32x4;
    type M = Mask;

    #[inline(always)]
    fn splat(self, value: f32) -> f32x4 {
        f32x4::splat(value)
    }

    #[inline(always)]
    fn load(self, values: &[f32]) -> f32x4 {
        match values.first_chunk::<LANES>() {
            Some(full) => f32x4::new(*full),
            None => {
                let tail = nan_padded::<LANES>(values);
                f32x4::new(tail)
            }
        }
    }

    #[inline(always)]
    fn store(self, vector: f32x4, out: &mut [f32]) {
        let lanes = vector.to_array();
        match out.first_chunk_mut::<LANES>() {
            Some(full) => *full = lanes,
            None => out.copy_from_slice(&lanes[..out.len()]),
        }
    }

    #[inline(always)]
    fn sqrt(self, a: f32x4) -> f32x4 {
        a.sqrt()
    }

    #[inline(always)]
    fn lt(self, a: f32x4, b: f32x4) -> Mask {
        a.simd_lt(b)
    }

    #[inline(always)]
    fn le(self, a: f32x4, b: f32x4) -> Mask {
        a.simd_le(b)
    }

    #[inline(always)]
    fn select(self, mask: Mask, a: f32x4, b: f32x4) -> f32x4 {
        mask.select(a, b)
    }

    #[inline(always)]
    fn keep(self, mask: Mask, a: f32x4) -> f32x4 {
        mask & a
    }

    #[inline(always)]
    fn first_lanes(self, count: usize) -> Mask {
        INDEX.simd_lt(f32x4::splat(count as f32))
    }

    #[inline(always)]
    fn all_but(self, lane: usize) -> Mask {
        INDEX.simd_ne(f32x4::splat(lane as f32))
    }

    #[inline(always)]
    fn count(self, mask: Mask) -> u32 {
        mask.to_bitmask().count_ones()
    }
}
