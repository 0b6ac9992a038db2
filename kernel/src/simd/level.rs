//! Which instruction set a flock uses, found at run time.

use super::Simd;
use super::portable::Portable;
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512};
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// An instruction set. All give the same bits; wider ones are faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Four lanes, in every build: SSE2 on x86-64, NEON on AArch64, simd128 on wasm.
    Portable,
    /// Eight lanes, on x86-64 CPUs with AVX2.
    Avx2,
    /// Sixteen lanes, on x86-64 CPUs with AVX-512F.
    Avx512,
}

impl Level {
    /// Every level, narrow to wide.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Whether this CPU has it.
    pub fn is_available(self) -> bool {
        Isa::new(self).is_ok()
    }

    /// The widest that this CPU has: what a new flock uses.
    pub fn best() -> Self {
        let available = Self::ALL.into_iter().rev().find(|level| level.is_available());
        available.unwrap_or(Self::Portable)
    }

    /// `portable`, `avx2` or `avx512`; also what [`FromStr`] reads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|level| level.name() == text);
        found.ok_or_else(|| Error::UnknownLevel(text.to_owned()))
    }
}

/// The token of a level that this CPU has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Isa {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// Work that is compiled once for each instruction set.
pub(crate) trait Kernel {
    /// What it returns.
    type Output;
    /// Does it; must be `#[inline(always)]`.
    fn call<S: Simd>(self, s: S) -> Self::Output;
}

impl Isa {
    pub(crate) fn new(level: Level) -> Result<Self> {
        let found = match level {
            Level::Portable => Some(Self::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => Avx512::detect().map(Self::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => None,
        };
        found.ok_or(Error::LevelMissing(level))
    }

    /// The widest that this CPU has.
    pub(crate) fn best() -> Self {
        Self::new(Level::best()).unwrap_or(Self::Portable(Portable))
    }

    pub(crate) fn level(self) -> Level {
        match self {
            Self::Portable(_) => Level::Portable,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Level::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Level::Avx512,
        }
    }

    /// Runs the work with this instruction set enabled. To be called inside a task, not around
    /// one: code that a pool calls back is not inlined here.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Portable(s) => kernel.call(s),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(s) => s.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(s) => s.run(kernel),
        }
    }
}
