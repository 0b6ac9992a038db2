//! The double loop: every body measures to every other.

use super::herd::Herd;
use super::search::Search;

pub(crate) struct Everybody;

impl Search for Everybody {
    fn build(&mut self, _herd: &Herd) {}

    #[inline]
    fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        for j in 0..herd.walkers.len() {
            if j != i && herd.hears(i, j) {
                visit(j);
            }
        }
    }

    fn tests(&self, herd: &Herd) -> Option<u64> {
        let n = herd.walkers.len() as u64;
        Some(n * n.saturating_sub(1))
    }
}
