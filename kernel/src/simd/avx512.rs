//! Sixteen lanes: AVX-512F, nothing newer, so that every AVX-512 machine qualifies.
#![allow(unsafe_code, reason = "intrinsics, each behind a token that proves the CPU has them")]

use super::{Kernel, Simd, nan_padded, x86_operators, zero_padded};
use core::arch::x86_64::*;
use core::ops::Range;

/// Proof that this CPU has AVX-512F.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// The token, if the CPU (and its operating system) has the instructions.
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx512f").then_some(Self(()))
    }

    /// Runs the work with the instruction set enabled for everything inlined into it.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f")]
        fn enabled<K: Kernel>(kernel: K, s: Avx512) -> K::Output {
            kernel.call(s)
        }
        // SAFETY: holding an `Avx512` proves that the CPU has the instruction set.
        unsafe { enabled(kernel, self) }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct F(__m512);

#[derive(Clone, Copy)]
pub(crate) struct M(__mmask16);

const LANES: usize = 16;

x86_operators!(F, Add add _mm512_add_ps, Sub sub _mm512_sub_ps, Mul mul _mm512_mul_ps, Div div _mm512_div_ps);

/// Calls an intrinsic. The one form of unsafe in this file.
macro_rules! intrinsic {
    ($name:ident $(::<$constant:ident>)? ($($argument:expr),*)) => {
        // SAFETY: the caller holds an `Avx512` or a vector made with one, which exist only after
        // `Avx512::detect` found AVX-512F.
        unsafe { $name$(::<$constant>)?($($argument),*) }
    };
}

impl core::ops::BitAnd for M {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Simd for Avx512 {
    const LANES: usize = LANES;
    type F = F;
    type M = M;

    #[inline(always)]
    fn splat(self, value: f32) -> F {
        F(intrinsic!(_mm512_set1_ps(value)))
    }

    #[inline(always)]
    fn load(self, values: &[f32]) -> F {
        match values.first_chunk::<LANES>() {
            Some(full) => F(intrinsic!(_mm512_loadu_ps(full.as_ptr()))),
            None => {
                let tail = nan_padded::<LANES>(values);
                F(intrinsic!(_mm512_loadu_ps(tail.as_ptr())))
            }
        }
    }

    #[inline(always)]
    fn load_since(self, values: &[u32], start: u32) -> F {
        let Some(full) = values.first_chunk::<LANES>() else { return self.splat(0.0) };
        let values = intrinsic!(_mm512_loadu_epi32(full.as_ptr().cast()));
        let start = intrinsic!(_mm512_set1_epi32(start as i32));
        let since = intrinsic!(_mm512_sub_epi32(values, start));
        F(intrinsic!(_mm512_cvtepi32_ps(since)))
    }

    #[inline(always)]
    fn splat_bits(self, bits: u32) -> F {
        let lanes = intrinsic!(_mm512_set1_epi32(bits as i32));
        F(intrinsic!(_mm512_castsi512_ps(lanes)))
    }

    #[inline(always)]
    fn load_bits(self, bits: &[u32]) -> F {
        let lanes = match bits.first_chunk::<LANES>() {
            Some(full) => intrinsic!(_mm512_loadu_epi32(full.as_ptr().cast())),
            None => {
                let tail = zero_padded::<LANES>(bits);
                intrinsic!(_mm512_loadu_epi32(tail.as_ptr().cast()))
            }
        };
        F(intrinsic!(_mm512_castsi512_ps(lanes)))
    }

    #[inline(always)]
    fn meets(self, a: F, b: F) -> M {
        let (a, b) = (intrinsic!(_mm512_castps_si512(a.0)), intrinsic!(_mm512_castps_si512(b.0)));
        M(intrinsic!(_mm512_test_epi32_mask(a, b)))
    }

    #[inline(always)]
    fn store(self, vector: F, out: &mut [f32]) {
        match out.first_chunk_mut::<LANES>() {
            Some(full) => intrinsic!(_mm512_storeu_ps(full.as_mut_ptr(), vector.0)),
            None => {
                let mut lanes = [0.0; LANES];
                intrinsic!(_mm512_storeu_ps(lanes.as_mut_ptr(), vector.0));
                out.copy_from_slice(&lanes[..out.len()]);
            }
        }
    }

    #[inline(always)]
    fn sqrt(self, a: F) -> F {
        F(intrinsic!(_mm512_sqrt_ps(a.0)))
    }

    #[inline(always)]
    fn min(self, a: F, b: F) -> F {
        F(intrinsic!(_mm512_min_ps(a.0, b.0)))
    }

    #[inline(always)]
    fn max(self, a: F, b: F) -> F {
        F(intrinsic!(_mm512_max_ps(a.0, b.0)))
    }

    #[inline(always)]
    fn least(self, a: F) -> f32 {
        intrinsic!(_mm512_reduce_min_ps(a.0))
    }

    #[inline(always)]
    fn lt(self, a: F, b: F) -> M {
        M(intrinsic!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a.0, b.0)))
    }

    #[inline(always)]
    fn le(self, a: F, b: F) -> M {
        M(intrinsic!(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(a.0, b.0)))
    }

    #[inline(always)]
    fn select(self, mask: M, a: F, b: F) -> F {
        F(intrinsic!(_mm512_mask_blend_ps(mask.0, b.0, a.0)))
    }

    #[inline(always)]
    fn keep(self, mask: M, a: F) -> F {
        F(intrinsic!(_mm512_maskz_mov_ps(mask.0, a.0)))
    }

    #[inline(always)]
    fn add_where(self, mask: M, sum: F, a: F) -> F {
        F(intrinsic!(_mm512_mask_add_ps(sum.0, mask.0, sum.0, a.0)))
    }

    #[inline(always)]
    fn sub_where(self, mask: M, sum: F, a: F) -> F {
        F(intrinsic!(_mm512_mask_sub_ps(sum.0, mask.0, sum.0, a.0)))
    }

    #[inline(always)]
    fn le_where(self, mask: M, a: F, b: F) -> M {
        M(intrinsic!(_mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask.0, a.0, b.0)))
    }

    #[inline(always)]
    fn lanes(self, lanes: Range<usize>) -> M {
        M(((1_u32 << lanes.end) - (1_u32 << lanes.start)) as u16)
    }

    #[inline(always)]
    fn all_but(self, lane: usize) -> M {
        M(!(1 << lane))
    }

    #[inline(always)]
    fn count(self, mask: M) -> u32 {
        u32::from(mask.0).count_ones()
    }
}
