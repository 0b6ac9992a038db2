//! Eight lanes: AVX2, of which only the AVX part is used for numbers.
#![allow(unsafe_code, reason = "intrinsics, each behind a token that proves the CPU has them")]

use super::{Kernel, Simd, nan_padded, x86_operators, zero_padded};
use core::arch::x86_64::*;
use core::ops::Range;

/// Proof that this CPU has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The token, if the CPU (and its operating system) has the instructions.
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// Runs the work with the instruction set enabled for everything inlined into it.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2")]
        fn enabled<K: Kernel>(kernel: K, s: Avx2) -> K::Output {
            kernel.call(s)
        }
        // SAFETY: holding an `Avx2` proves that the CPU has the instruction set.
        unsafe { enabled(kernel, self) }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct F(__m256);

/// All bits of a lane are set where it holds.
#[derive(Clone, Copy)]
pub(crate) struct M(__m256);

const LANES: usize = 8;
const INDEX: [f32; LANES] = [0., 1., 2., 3., 4., 5., 6., 7.];

x86_operators!(F, Add add _mm256_add_ps, Sub sub _mm256_sub_ps, Mul mul _mm256_mul_ps, Div div _mm256_div_ps);

/// Calls an intrinsic. The one form of unsafe in this file.
macro_rules! intrinsic {
    ($name:ident $(::<$constant:ident>)? ($($argument:expr),*)) => {
        // SAFETY: the caller holds an `Avx2` or a vector made with one, which exist only after
        // `Avx2::detect` found AVX2.
        unsafe { $name$(::<$constant>)?($($argument),*) }
    };
}

const UPPER: i32 = 1;

/// The lower and the upper four lanes.
#[inline(always)]
fn halves(a: F) -> (__m128, __m128) {
    (intrinsic!(_mm256_castps256_ps128(a.0)), intrinsic!(_mm256_extractf128_ps::<UPPER>(a.0)))
}

impl core::ops::BitAnd for M {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_and_ps(self.0, other.0)))
    }
}

impl Simd for Avx2 {
    const LANES: usize = LANES;
    type F = F;
    type M = M;

    #[inline(always)]
    fn splat(self, value: f32) -> F {
        F(intrinsic!(_mm256_set1_ps(value)))
    }

    #[inline(always)]
    fn load(self, values: &[f32]) -> F {
        match values.first_chunk::<LANES>() {
            Some(full) => F(intrinsic!(_mm256_loadu_ps(full.as_ptr()))),
            None => {
                let tail = nan_padded::<LANES>(values);
                F(intrinsic!(_mm256_loadu_ps(tail.as_ptr())))
            }
        }
    }

    #[inline(always)]
    fn load_since(self, values: &[u32], start: u32) -> F {
        let Some(full) = values.first_chunk::<LANES>() else { return self.splat(0.0) };
        let values = intrinsic!(_mm256_loadu_si256(full.as_ptr().cast()));
        let start = intrinsic!(_mm256_set1_epi32(start as i32));
        let since = intrinsic!(_mm256_sub_epi32(values, start));
        F(intrinsic!(_mm256_cvtepi32_ps(since)))
    }

    #[inline(always)]
    fn splat_bits(self, bits: u32) -> F {
        let lanes = intrinsic!(_mm256_set1_epi32(bits as i32));
        F(intrinsic!(_mm256_castsi256_ps(lanes)))
    }

    #[inline(always)]
    fn load_bits(self, bits: &[u32]) -> F {
        let lanes = match bits.first_chunk::<LANES>() {
            Some(full) => intrinsic!(_mm256_loadu_si256(full.as_ptr().cast())),
            None => {
                let tail = zero_padded::<LANES>(bits);
                intrinsic!(_mm256_loadu_si256(tail.as_ptr().cast()))
            }
        };
        F(intrinsic!(_mm256_castsi256_ps(lanes)))
    }

    #[inline(always)]
    fn meets(self, a: F, b: F) -> M {
        let common = intrinsic!(_mm256_and_ps(a.0, b.0));
        let common = intrinsic!(_mm256_castps_si256(common));
        let (zero, all) = (intrinsic!(_mm256_setzero_si256()), intrinsic!(_mm256_set1_epi32(-1)));
        let none = intrinsic!(_mm256_cmpeq_epi32(common, zero));
        let some = intrinsic!(_mm256_xor_si256(none, all));
        M(intrinsic!(_mm256_castsi256_ps(some)))
    }

    #[inline(always)]
    fn store(self, vector: F, out: &mut [f32]) {
        match out.first_chunk_mut::<LANES>() {
            Some(full) => intrinsic!(_mm256_storeu_ps(full.as_mut_ptr(), vector.0)),
            None => {
                let mut lanes = [0.0; LANES];
                intrinsic!(_mm256_storeu_ps(lanes.as_mut_ptr(), vector.0));
                out.copy_from_slice(&lanes[..out.len()]);
            }
        }
    }

    #[inline(always)]
    fn sqrt(self, a: F) -> F {
        F(intrinsic!(_mm256_sqrt_ps(a.0)))
    }

    #[inline(always)]
    fn min(self, a: F, b: F) -> F {
        F(intrinsic!(_mm256_min_ps(a.0, b.0)))
    }

    #[inline(always)]
    fn max(self, a: F, b: F) -> F {
        F(intrinsic!(_mm256_max_ps(a.0, b.0)))
    }

    #[inline(always)]
    fn least(self, a: F) -> f32 {
        let (low, high) = halves(a);
        let four = intrinsic!(_mm_min_ps(low, high));
        let upper = intrinsic!(_mm_movehl_ps(four, four));
        let two = intrinsic!(_mm_min_ps(four, upper));
        let odd = intrinsic!(_mm_movehdup_ps(two));
        let one = intrinsic!(_mm_min_ss(two, odd));
        intrinsic!(_mm_cvtss_f32(one))
    }

    #[inline(always)]
    fn lt(self, a: F, b: F) -> M {
        M(intrinsic!(_mm256_cmp_ps::<_CMP_LT_OQ>(a.0, b.0)))
    }

    #[inline(always)]
    fn le(self, a: F, b: F) -> M {
        M(intrinsic!(_mm256_cmp_ps::<_CMP_LE_OQ>(a.0, b.0)))
    }

    #[inline(always)]
    fn select(self, mask: M, a: F, b: F) -> F {
        F(intrinsic!(_mm256_blendv_ps(b.0, a.0, mask.0)))
    }

    #[inline(always)]
    fn keep(self, mask: M, a: F) -> F {
        F(intrinsic!(_mm256_and_ps(mask.0, a.0)))
    }

    #[inline(always)]
    fn lanes(self, lanes: Range<usize>) -> M {
        let index = self.load(&INDEX);
        let from = self.le(self.splat(lanes.start as f32), index);
        from & self.lt(index, self.splat(lanes.end as f32))
    }

    #[inline(always)]
    fn all_but(self, lane: usize) -> M {
        let (index, lane) = (self.load(&INDEX), self.splat(lane as f32));
        M(intrinsic!(_mm256_cmp_ps::<_CMP_NEQ_UQ>(index.0, lane.0)))
    }

    #[inline(always)]
    fn count(self, mask: M) -> u32 {
        (intrinsic!(_mm256_movemask_ps(mask.0)) as u32).count_ones()
    }
}
