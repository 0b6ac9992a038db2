//! Whether this thread computes as the contract asks.

use crate::error::{Error, Result};
use std::hint::black_box;

/// Checks that the calling thread rounds to nearest even and keeps subnormals.
///
/// Audio and graphics hosts sometimes switch a thread to flush subnormals to zero, or change its
/// rounding; either changes bits. Building a flock checks the building thread; hosts whose other
/// threads tick can check them with this.
///
/// # Errors
/// [`Error::FloatMode`] says what the thread does instead.
pub fn check_float_mode() -> Result<()> {
    let smallest = black_box(f32::from_bits(1));
    let subnormal = black_box(f32::MIN_POSITIVE) * black_box(0.5);
    // Read as bits: under "denormals are zero" a comparison with 0 would say equal.
    if subnormal.to_bits() == 0 || (smallest * black_box(8_388_608.0)).to_bits() == 0 {
        return Err(Error::FloatMode("flushes subnormal numbers to zero"));
    }
    let (half_ulp, ulp) = (black_box(0.5 * f32::EPSILON), f32::EPSILON);
    let one = black_box(1.0_f32);
    let nearest_even = one + half_ulp == 1.0
        && -one - half_ulp == -1.0
        && (one + ulp) + half_ulp == 1.0 + 2.0 * ulp
        && (-one - ulp) - half_ulp == -1.0 - 2.0 * ulp;
    if nearest_even { Ok(()) } else { Err(Error::FloatMode("does not round to nearest even")) }
}
