//! One trait for vectors of `f32`, so that the kernel is written once.
//!
//! A value of a type that implements [`Simd`] is a token: holding it proves that the CPU has the
//! instructions. Every function generic over it must be `#[inline(always)]`, and must make no
//! closure that works on vectors, or operations become calls. Only operations whose bits are the
//! same everywhere are here: no fused multiply-add, no approximate reciprocal, no sum across lanes.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod level;
mod portable;

pub use level::Level;
pub(crate) use level::{Isa, Kernel};

use std::ops::{Add, BitAnd, Div, Mul, Range, Sub};

/// The widest vector any implementation has; buffers of one block have this length.
pub(crate) const MAX_LANES: usize = 16;

/// The operations of one instruction set.
pub(crate) trait Simd: Copy + Send + Sync {
    /// How many `f32` a vector holds.
    const LANES: usize;
    /// A vector.
    type F: Copy
        + Add<Output = Self::F>
        + Sub<Output = Self::F>
        + Mul<Output = Self::F>
        + Div<Output = Self::F>;
    /// One truth value a lane.
    type M: Copy + BitAnd<Output = Self::M>;

    /// The same value in every lane.
    fn splat(self, value: f32) -> Self::F;
    /// The first `LANES` values; lanes past the slice's end are NaN, so that a leak shows.
    fn load(self, values: &[f32]) -> Self::F;
    /// How far the first `LANES` values are from `start`; they are whole numbers, at most 2^24 away.
    /// Lanes past the slice's end may hold anything.
    fn load_since(self, values: &[u32], start: u32) -> Self::F;
    /// The same bits in every lane. They are only for [`Simd::meets`].
    fn splat_bits(self, bits: u32) -> Self::F;
    /// The first `LANES` bit patterns; lanes past the slice's end have none set.
    fn load_bits(self, bits: &[u32]) -> Self::F;
    /// Whether the bit patterns have a set bit in common.
    fn meets(self, a: Self::F, b: Self::F) -> Self::M;
    /// Writes the first `out.len()` lanes, at most `LANES`.
    fn store(self, vector: Self::F, out: &mut [f32]);
    /// Correctly rounded square root.
    fn sqrt(self, a: Self::F) -> Self::F;
    /// The smaller of each pair; neither is NaN.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// The larger of each pair; neither is NaN.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// The smallest lane; none is NaN.
    fn least(self, a: Self::F) -> f32;
    /// The largest lane; none is NaN.
    #[inline(always)]
    fn greatest(self, a: Self::F) -> f32 {
        -self.least(self.splat(0.0) - a)
    }
    /// `a < b`.
    fn lt(self, a: Self::F, b: Self::F) -> Self::M;
    /// `a <= b`.
    fn le(self, a: Self::F, b: Self::F) -> Self::M;
    /// `a` where the mask holds, else `b`.
    fn select(self, mask: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// `a` where the mask holds, else +0.0.
    fn keep(self, mask: Self::M, a: Self::F) -> Self::F;
    /// `sum + a` where the mask holds, else `sum`, which is not -0.0.
    #[inline(always)]
    fn add_where(self, mask: Self::M, sum: Self::F, a: Self::F) -> Self::F {
        sum + self.keep(mask, a)
    }
    /// `sum - a` where the mask holds, else `sum`.
    #[inline(always)]
    fn sub_where(self, mask: Self::M, sum: Self::F, a: Self::F) -> Self::F {
        sum - self.keep(mask, a)
    }
    /// `a <= b` where the mask holds, else false.
    #[inline(always)]
    fn le_where(self, mask: Self::M, a: Self::F, b: Self::F) -> Self::M {
        mask & self.le(a, b)
    }
    /// These lanes and no others; the range ends at `LANES` or before.
    fn lanes(self, lanes: Range<usize>) -> Self::M;
    /// Every lane but this one.
    fn all_but(self, lane: usize) -> Self::M;
    /// In how many lanes the mask holds.
    fn count(self, mask: Self::M) -> u32;
}

/// Fewer values than a vector holds, filled up with NaN.
#[inline(always)]
fn nan_padded<const LANES: usize>(values: &[f32]) -> [f32; LANES] {
    let mut padded = [f32::NAN; LANES];
    padded[..values.len()].copy_from_slice(values);
    padded
}

/// Fewer bit patterns than a vector holds, filled up with 0.
#[inline(always)]
fn zero_padded<const LANES: usize>(bits: &[u32]) -> [u32; LANES] {
    let mut padded = [0; LANES];
    padded[..bits.len()].copy_from_slice(bits);
    padded
}

/// The four operators of an x86 vector.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_operators {
    ($vector:ident, $($operator:ident $method:ident $intrinsic:ident),*) => {$(
        impl core::ops::$operator for $vector {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: this file's vectors are made only with its token, which exists only
                // after `detect` found the instruction set.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    )*};
}
#[cfg(target_arch = "x86_64")]
use x86_operators;
