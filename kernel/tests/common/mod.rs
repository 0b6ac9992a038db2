//! What several test files need: small flocks, pools, and equality to the bit.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use flockstep::{
    Body, Config, Counts, Edge, Engine, Flock, Gait, Kind, Rule, Spawn, World, reference,
};
use std::sync::LazyLock;

/// Numbers of threads that every bit must be independent of.
pub(crate) const THREADS: [usize; 4] = [1, 2, 3, 7];

/// One pool for each entry of [`THREADS`].
pub(crate) static POOLS: LazyLock<Vec<rayon::ThreadPool>> = LazyLock::new(|| {
    let pool = |&threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    THREADS
        .iter()
        .map(|threads| pool(threads).unwrap())
        .collect()
});

/// The chapter's gait.
pub(crate) const GAIT: Gait = Gait::new(2.4, 0.3);

/// A kind with the chapter's weights and one radius for all three rules.
pub(crate) fn herd(radius: f32) -> Kind {
    Kind {
        separation: Some(Rule::new(radius, 1.6)),
        alignment: Some(Rule::new(radius, 1.0)),
        cohesion: Some(Rule::new(radius, 0.9)),
        ..Kind::new(GAIT)
    }
}

/// A flock of one kind.
pub(crate) fn flock(world: World, kind: Kind, bodies: &[([f32; 2], [f32; 2])]) -> Flock {
    let mut flock = Flock::new(Config::new(world, kind)).unwrap();
    let spawns: Vec<Spawn> = bodies.iter().map(|&(p, v)| Spawn::new(p, v)).collect();
    flock.add_all(&spawns).unwrap();
    flock
}

/// Bodies at rest.
pub(crate) fn at_rest(positions: &[[f32; 2]]) -> Vec<([f32; 2], [f32; 2])> {
    positions
        .iter()
        .map(|&position| (position, [0.0, 0.0]))
        .collect()
}

/// SplitMix64: enough chance for a test, and the same everywhere.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        (self.word() >> 40) as f32 / 16_777_216.0
    }

    pub(crate) fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }
}

/// Bodies anywhere in `size`, with velocities up to `speed` along each axis.
pub(crate) fn scattered(
    n: usize,
    size: [f32; 2],
    speed: f32,
    seed: u64,
) -> Vec<([f32; 2], [f32; 2])> {
    let mut chance = Chance(seed);
    let mut pair = |low: [f32; 2], high: [f32; 2]| {
        [
            chance.within(low[0], high[0]),
            chance.within(low[1], high[1]),
        ]
    };
    (0..n)
        .map(|_| (pair([0.0; 2], size), pair([-speed; 2], [speed; 2])))
        .collect()
}

/// The bits of a body's motion.
pub(crate) fn bits(body: &Body) -> [u32; 4] {
    let ([x, y], [vx, vy]) = (body.position, body.velocity);
    [x, y, vx, vy].map(f32::to_bits)
}

/// Says which body differs first, with both values.
#[track_caller]
pub(crate) fn assert_same_bits(found: &[Body], wanted: &[Body], what: &str) {
    let ids = |bodies: &[Body]| bodies.iter().map(|body| body.id).collect::<Vec<_>>();
    assert_eq!(ids(found), ids(wanted), "{what}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert_eq!(
            bits(found),
            bits(wanted),
            "{what}: {found:?} should be {wanted:?}"
        );
        assert!(
            found
                .position
                .iter()
                .chain(&found.velocity)
                .all(|v| v.is_finite()),
            "{what}"
        );
    }
}

/// The flock's bodies by ascending id.
pub(crate) fn bodies(flock: &Flock) -> Vec<Body> {
    flock.iter().collect()
}

/// Ticks a copy of `flock` by the fast path, alone and in every pool cut as finely as possible,
/// beside the reference, and asserts equal bits and counts at every body and tick. Returns the
/// flock after the last tick and that tick's counts.
#[track_caller]
pub(crate) fn ticks_agree(flock: &Flock, ticks: usize) -> (Flock, Counts) {
    let mut slow = bodies(flock);
    let mut alone = flock.clone();
    alone.set_engine(Engine::Cells);
    alone.set_parallel_from(usize::MAX);
    let mut spread: Vec<Flock> = POOLS.iter().map(|_| alone.clone()).collect();
    let mut last = Counts::default();
    for tick in 0..ticks {
        let number = flock.tick_number() + tick as u64;
        let wanted = reference::tick(flock.config(), number, &mut slow, &[]);
        last = alone.tick_counted();
        assert_same_bits(&bodies(&alone), &slow, &format!("tick {tick}"));
        assert_eq!(
            last.neighbours, wanted.neighbours,
            "neighbours at tick {tick}"
        );
        assert!(
            last.distance_tests <= wanted.distance_tests,
            "tests at tick {tick}"
        );
        for (pool, (spread, threads)) in POOLS.iter().zip(spread.iter_mut().zip(THREADS)) {
            spread.set_parallel_from(1);
            pool.install(|| spread.tick());
            let what = format!("tick {tick} on {threads} threads");
            assert_eq!(spread.state_hash(), alone.state_hash(), "{what}");
        }
    }
    (alone, last)
}

/// How many neighbours each body has within the flock's radius, by ascending id.
pub(crate) fn neighbours(flock: &Flock) -> Vec<usize> {
    let ids = flock.iter().map(|body| body.id);
    ids.map(|id| flock.explain(id).unwrap().neighbours.len())
        .collect()
}

/// All nine combinations of edges.
pub(crate) fn edge_pairs() -> impl Iterator<Item = [Edge; 2]> {
    let edges = [Edge::Walls, Edge::Torus, Edge::Open];
    edges.into_iter().flat_map(move |x| edges.map(|y| [x, y]))
}
