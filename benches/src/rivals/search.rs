//! The tick that every rival shares, around its own way of finding neighbours.

use super::herd::{Herd, Sums, Vector};
use super::{Rival, Walker, Work};
use flockstep::Flock;

/// A way of finding neighbours.
pub(crate) trait Search: Send {
    /// Prepares for the questions of one tick.
    fn build(&mut self, herd: &Herd);

    /// Visits every other body within the radius of body `i`.
    fn near(&mut self, herd: &Herd, i: usize, visit: impl FnMut(usize));

    /// How many distances a tick measures, once built; `None` if that is not known.
    fn tests(&self, _herd: &Herd) -> Option<u64> {
        None
    }
}

/// A way of adding up what neighbours say.
pub(crate) trait Listen: Send + Default {
    /// The three rules' directions for body `i`.
    fn hear(&mut self, herd: &Herd, search: &mut impl Search, i: usize) -> [Vector; 3];
}

/// Every rule hears a neighbour as it is found; there is no list.
#[derive(Default)]
pub(crate) struct Fused;

impl Listen for Fused {
    #[inline]
    fn hear(&mut self, herd: &Herd, search: &mut impl Search, i: usize) -> [Vector; 3] {
        let me = &herd.walkers[i];
        let mut sums = Sums::default();
        search.near(herd, i, |j| sums.hear(me, &herd.walkers[j]));
        sums.directions()
    }
}

/// A herd that finds its neighbours by `S` and hears them by `L`.
pub(crate) struct Searching<S, L = Fused> {
    herd: Herd,
    search: S,
    listen: L,
    forces: Vec<Vector>,
}

impl<S: Search, L: Listen> Searching<S, L> {
    pub(crate) fn new(flock: &Flock, search: impl FnOnce(&Herd) -> S) -> Self {
        let herd = Herd::new(flock);
        Self { search: search(&herd), herd, listen: L::default(), forces: Vec::new() }
    }
}

impl<S: Search, L: Listen> Rival for Searching<S, L> {
    fn tick(&mut self) {
        let Self { herd, search, listen, forces } = self;
        search.build(herd);
        forces.clear();
        for i in 0..herd.walkers.len() {
            let directions = listen.hear(herd, search, i);
            forces.push(herd.force(i, directions));
        }
        herd.step(forces);
    }

    fn rewind(&mut self) {
        self.herd.rewind();
    }

    fn state(&self) -> Vec<Walker> {
        self.herd.walkers.clone()
    }

    fn neighbours(&mut self, hear: &mut dyn FnMut(&[u32])) {
        self.search.build(&self.herd);
        let mut found = Vec::new();
        for i in 0..self.herd.walkers.len() {
            found.clear();
            self.search.near(&self.herd, i, |j| found.push(j as u32));
            found.sort_unstable();
            hear(&found);
        }
    }

    fn work(&mut self) -> Work {
        self.search.build(&self.herd);
        Work { distance_tests: self.search.tests(&self.herd), lane_slots: None }
    }
}
