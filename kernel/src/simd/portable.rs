//! Four lanes through `wide`: SSE2 on x86-64, NEON on AArch64, simd128 on wasm, arrays elsewhere.

use super::{Simd, nan_padded, zero_padded};
use std::ops::Range;
use wide::{f32x4, i32x4};

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
    fn load_since(self, values: &[u32], start: u32) -> f32x4 {
        let Some(full) = values.first_chunk::<LANES>() else { return self.splat(0.0) };
        f32x4::from_i32x4(i32x4::new(full.map(|value| value.wrapping_sub(start) as i32)))
    }

    #[inline(always)]
    fn splat_bits(self, bits: u32) -> f32x4 {
        bytemuck::cast([bits; LANES])
    }

    #[inline(always)]
    fn load_bits(self, bits: &[u32]) -> f32x4 {
        match bits.first_chunk::<LANES>() {
            Some(full) => bytemuck::cast(*full),
            None => bytemuck::cast(zero_padded::<LANES>(bits)),
        }
    }

    #[inline(always)]
    fn meets(self, a: f32x4, b: f32x4) -> Mask {
        let common: i32x4 = bytemuck::cast(a & b);
        bytemuck::cast(!common.simd_eq(i32x4::ZERO))
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
    fn min(self, a: f32x4, b: f32x4) -> f32x4 {
        a.fast_min(b)
    }

    #[inline(always)]
    fn max(self, a: f32x4, b: f32x4) -> f32x4 {
        a.fast_max(b)
    }

    #[inline(always)]
    fn least(self, a: f32x4) -> f32 {
        let [a, b, c, d] = a.to_array();
        a.min(b).min(c.min(d))
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
    fn lanes(self, lanes: Range<usize>) -> Mask {
        let from = f32x4::splat(lanes.start as f32).simd_le(INDEX);
        from & INDEX.simd_lt(f32x4::splat(lanes.end as f32))
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
