//! flockstep itself, as one of the engines.

use super::herd::walkers;
use super::{Rival, Walker, Work};
use flockstep::{Engine, Flock, Neighbours};

pub(crate) struct Own {
    flock: Flock,
    start: Vec<u8>,
}

impl Own {
    pub(crate) fn new(flock: &Flock, engine: Engine) -> Self {
        let mut flock = flock.clone();
        flock.set_engine(engine);
        Self { start: flock.snapshot(), flock }
    }
}

impl Rival for Own {
    fn tick(&mut self) {
        self.flock.tick();
    }

    fn rewind(&mut self) {
        self.flock.restore_from(&self.start).expect("it was saved by this flock");
    }

    fn state(&self) -> Vec<Walker> {
        walkers(&self.flock)
    }

    fn neighbours(&mut self, hear: &mut dyn FnMut(&[u32])) {
        let config = self.flock.config();
        let near = Neighbours::new(config.world, config.radius());
        let mut near = near.expect("a flock's world and radius are allowed");
        near.build_from(&self.flock).expect("its bodies are in its world");
        let mut found = Vec::new();
        for body in 0..near.len() as u32 {
            found.clear();
            near.of_body(body, |neighbour| found.push(neighbour.index));
            found.sort_unstable();
            hear(&found);
        }
    }

    fn work(&mut self) -> Work {
        let counts = self.flock.clone().tick_counted();
        let lane_slots = (counts.lane_slots > 0).then_some(counts.lane_slots);
        Work { distance_tests: Some(counts.distance_tests), lane_slots }
    }
}
