//! What several test files need: small flocks, pools, and equality to the bit.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

pub(crate) mod draws;

use flockstep::{
    Body, Config, Counts, Drive, Edge, Engine, Flock, Gait, Kind, Level, Neighbours, Rule, Scenery,
    Spawn, Urge, Vote, World, reference,
};
use std::sync::LazyLock;

/// Numbers of threads that every bit must be independent of.
pub(crate) const THREADS: [usize; 4] = [1, 2, 3, 7];

/// One pool for each entry of [`THREADS`].
pub(crate) static POOLS: LazyLock<Vec<rayon::ThreadPool>> = LazyLock::new(|| {
    let pool = |&threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    THREADS.iter().map(|threads| pool(threads).unwrap()).collect()
});

/// The instruction sets this CPU has. The others are named on standard error, and are a failure if
/// `FLOCKSTEP_REQUIRE_LEVELS` is set.
pub(crate) static LEVELS: LazyLock<Vec<Level>> = LazyLock::new(|| {
    let (has, lacks): (Vec<_>, Vec<_>) = Level::ALL.into_iter().partition(|l| l.is_available());
    for level in &lacks {
        eprintln!("skipped: {level} (this CPU lacks it)");
    }
    let required = std::env::var_os("FLOCKSTEP_REQUIRE_LEVELS").is_some();
    assert!(lacks.is_empty() || !required, "required, and lacking: {lacks:?}");
    has
});

/// The chapter's gait.
pub(crate) const GAIT: Gait = Gait::new(2.4, 0.3);

/// A kind with the chapter's weights and one radius for all three rules.
pub(crate) fn herd(radius: f32) -> Kind {
    Kind {
        rules: vec![
            Rule::separation(radius, 1.6),
            Rule::alignment(radius, 1.0),
            Rule::cohesion(radius, 0.9),
        ],
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
    positions.iter().map(|&position| (position, [0.0, 0.0])).collect()
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
        [chance.within(low[0], high[0]), chance.within(low[1], high[1])]
    };
    (0..n).map(|_| (pair([0.0; 2], size), pair([-speed; 2], [speed; 2]))).collect()
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
        assert_eq!(bits(found), bits(wanted), "{what}: {found:?} should be {wanted:?}");
        assert!(found.position.iter().chain(&found.velocity).all(|v| v.is_finite()), "{what}");
    }
}

/// The flock's bodies by ascending id.
pub(crate) fn bodies(flock: &Flock) -> Vec<Body> {
    flock.iter().collect()
}

/// One flock several times over: by the fast path on the calling thread, on every instruction set
/// and in every pool cut as finely as possible, the reference beside them, and as an engine of a
/// small flock. Ticked and changed together, they must agree at every body.
pub(crate) struct Company {
    alone: Flock,
    /// Who must agree with it, the pool they are ticked in, and what they are called.
    others: Vec<(Flock, Option<&'static rayon::ThreadPool>, String)>,
    slow: Vec<Body>,
}

impl Company {
    pub(crate) fn new(flock: &Flock) -> Self {
        let mut alone = flock.clone();
        alone.set_engine(Engine::Cells);
        alone.set_parallel_from(usize::MAX);
        let mut others = Vec::new();
        for &level in LEVELS.iter() {
            let mut flock = alone.clone();
            flock.set_level(level).unwrap();
            others.push((flock, None, format!("on {level}")));
        }
        for (pool, threads) in POOLS.iter().zip(THREADS) {
            let mut flock = alone.clone();
            flock.set_parallel_from(1);
            others.push((flock, Some(pool), format!("on {threads} threads")));
        }
        if alone.len() < 50 {
            let mut flock = alone.clone();
            flock.set_engine(Engine::Everybody);
            others.push((flock, None, "by the double loop".to_owned()));
        }
        Self { slow: bodies(&alone), alone, others }
    }

    pub(crate) fn flock(&self) -> &Flock {
        &self.alone
    }

    /// One tick of everyone, who must agree afterwards, and what it did.
    #[track_caller]
    pub(crate) fn tick(&mut self) -> Counts {
        let Self { alone, others, slow } = self;
        let number = alone.tick_number();
        let wanted = reference::tick(alone.config(), number, slow, &[]);
        let counts = alone.tick_counted();
        assert_same_bits(&bodies(alone), slow, &format!("tick {number}"));
        assert_eq!(counts.neighbours, wanted.neighbours, "neighbours at tick {number}");
        assert!(counts.distance_tests <= wanted.distance_tests, "tests at tick {number}");
        let hash = alone.state_hash();
        for (flock, pool, what) in others {
            match pool {
                Some(pool) => pool.install(|| flock.tick()),
                None => flock.tick(),
            }
            let what = format!("tick {number} {what}");
            if flock.state_hash() != hash {
                assert_same_bits(&bodies(flock), slow, &what);
            }
            assert_eq!(flock.state_hash(), hash, "{what}");
        }
        counts
    }

    /// Does the same to everyone. From now on the company has one more, which was restored from the
    /// changed state: whatever the others keep from tick to tick, it has not.
    pub(crate) fn change(&mut self, change: impl Fn(&mut Flock)) {
        const FRESH: &str = "restored after a change";
        change(&mut self.alone);
        self.others.retain(|(.., what)| what != FRESH);
        self.others.iter_mut().for_each(|(flock, ..)| change(flock));
        self.slow = bodies(&self.alone);
        let mut fresh = Flock::restore(&self.alone.snapshot()).unwrap();
        fresh.set_parallel_from(usize::MAX);
        self.others.push((fresh, None, FRESH.to_owned()));
    }
}

/// Ticks copies of `flock` in [`Company`]. Returns the flock after the last tick and that tick's
/// counts.
#[track_caller]
pub(crate) fn ticks_agree(flock: &Flock, ticks: usize) -> (Flock, Counts) {
    let mut company = Company::new(flock);
    let mut last = Counts::default();
    for _ in 0..ticks {
        last = company.tick();
    }
    (company.alone, last)
}

/// How many neighbours each body has within the flock's radius, by ascending id.
pub(crate) fn neighbours(flock: &Flock) -> Vec<usize> {
    let ids = flock.iter().map(|body| body.id);
    ids.map(|id| flock.explain(id).unwrap().neighbours.len()).collect()
}

/// All nine combinations of edges.
pub(crate) fn edge_pairs() -> impl Iterator<Item = [Edge; 2]> {
    let edges = [Edge::Walls, Edge::Torus, Edge::Open];
    edges.into_iter().flat_map(move |x| edges.map(|y| [x, y]))
}

// ---- The contract's geometry once more, so that no answer is checked against itself

/// A world with an edge for each axis.
pub(crate) fn world(size: [f32; 2], edges: [Edge; 2]) -> World {
    World { size, edges }
}

/// A kind that hears one rule only: 0 separation, 1 alignment, 2 cohesion.
pub(crate) fn hears_only(rule: usize, radius: f32) -> Kind {
    let urge = [Urge::Separation, Urge::Alignment, Urge::Cohesion][rule];
    Kind { rules: vec![Rule::new(urge, radius, 1.0)], ..Kind::new(GAIT) }
}

/// What a neighbour says by the rule at this place in its kind's list, if that rule hears it.
pub(crate) fn said(vote: &Vote, rule: usize) -> Option<[f32; 2]> {
    vote.heard.iter().find(|heard| heard.rule == rule).map(|heard| heard.says)
}

/// A position as it is stored: the far edge of a torus is its start.
pub(crate) fn stored(world: &World, position: [f32; 2]) -> [f32; 2] {
    [0, 1].map(|axis| {
        let at_end = position[axis] == world.size[axis];
        if world.edges[axis] == Edge::Torus && at_end { 0.0 } else { position[axis] }
    })
}

/// From `theirs` to `mine`, the short way round on a torus.
pub(crate) fn offset(world: &World, mine: [f32; 2], theirs: [f32; 2]) -> [f32; 2] {
    [0, 1].map(|axis| {
        let (d, extent) = (mine[axis] - theirs[axis], world.size[axis]);
        if world.edges[axis] != Edge::Torus {
            d
        } else if d > extent / 2.0 {
            d - extent
        } else if d < -(extent / 2.0) {
            d + extent
        } else {
            d
        }
    })
}

pub(crate) fn squared([x, y]: [f32; 2]) -> f32 {
    x * x + y * y
}

/// The grid of the contract over some positions.
pub(crate) struct ContractGrid {
    pub(crate) cols: u64,
    pub(crate) rows: u64,
    /// Row and column of each position.
    pub(crate) cells: Vec<[u64; 2]>,
}

impl ContractGrid {
    pub(crate) fn new(world: &World, radius: f32, positions: &[[f32; 2]]) -> Self {
        let span = |axis: usize| {
            let values = || positions.iter().map(|position| position[axis]);
            if world.edges[axis] == Edge::Open {
                let low = values().fold(f32::INFINITY, f32::min);
                let high = values().fold(f32::NEG_INFINITY, f32::max);
                if positions.is_empty() { (0.0, 0.0) } else { (low, high - low) }
            } else {
                (0.0, world.size[axis])
            }
        };
        let spans = [span(0), span(1)];
        let mut cell = radius * 65.0 / 64.0;
        let counts = loop {
            if radius == 0.0 {
                break [1, 1];
            }
            let count = |(_, length): (f32, f32), cell: f32| {
                (length / cell).floor().clamp(1.0, 16384.0) as u64
            };
            let (cols, rows) = (count(spans[0], cell * 0.5), count(spans[1], cell));
            if cols * rows <= 16 * positions.len() as u64 + 2048 {
                break [cols, rows];
            }
            cell *= 2.0;
        };
        let along = |axis: usize, value: f32| {
            let (start, length) = spans[axis];
            if counts[axis] == 1 {
                return 0;
            }
            let place = (value - start) * (counts[axis] as f32 / length);
            place.clamp(0.0, (counts[axis] - 1) as f32) as u64
        };
        let cells = positions.iter().map(|&[x, y]| [along(1, y), along(0, x)]);
        Self { cols: counts[0], rows: counts[1], cells: cells.collect() }
    }

    /// Indices of the positions in canonical order.
    pub(crate) fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.cells.len() as u32).collect();
        order.sort_by_key(|&index| (self.cells[index as usize], index));
        order
    }

    /// Ordered pairs of two positions at most two columns and one row of cells apart.
    pub(crate) fn distance_tests(&self, world: &World) -> u64 {
        let touch = |axis: usize, a: u64, b: u64| {
            let (count, reach) = [(self.cols, 2), (self.rows, 1)][axis];
            let apart = a.abs_diff(b);
            let round = world.edges[axis] == Edge::Torus && count - apart <= reach;
            apart <= reach || round
        };
        let mut tests = 0;
        for (i, a) in self.cells.iter().enumerate() {
            for (j, b) in self.cells.iter().enumerate() {
                tests += u64::from(i != j && touch(1, a[0], b[0]) && touch(0, a[1], b[1]));
            }
        }
        tests
    }
}

// ---- Agreement of everyone who can be asked

/// The ids of every body's neighbours in canonical order, by ascending id of who asks, after
/// asserting that every way to ask agrees: `explain` and the queries in each neighbour and offset,
/// the three engines and four pools in their number.
#[track_caller]
pub(crate) fn hearings(flock: &Flock) -> Vec<Vec<u32>> {
    let all = bodies(flock);
    let (world, radius) = (flock.config().world, flock.config().radius());
    let positions: Vec<[f32; 2]> = all.iter().map(|body| body.position).collect();
    let mut near = Neighbours::new(world, radius).unwrap();
    near.build(&positions).unwrap();
    let (mut offsets, mut indices) = (Vec::new(), Vec::new());
    near.lists(&mut offsets, &mut indices);

    let mut heard = Vec::new();
    for (index, body) in all.iter().enumerate() {
        let told = flock.explain(body.id).unwrap().neighbours;
        let told: Vec<_> =
            told.iter().map(|vote| (vote.body.id, vote.offset, vote.distance_squared)).collect();
        let mut found = Vec::new();
        near.of_body(index as u32, |neighbour| {
            let id = all[neighbour.index as usize].id;
            found.push((id, neighbour.offset, neighbour.distance_squared));
        });
        assert_eq!(found, told, "neighbours of {body:?}");
        let list = offsets[index] as usize..offsets[index + 1] as usize;
        let listed: Vec<u32> = indices[list].iter().map(|&i| all[i as usize].id).collect();
        let ids: Vec<u32> = told.iter().map(|&(id, ..)| id).collect();
        assert_eq!(listed, ids, "list of {body:?}");
        heard.push(ids);
    }

    let wanted: usize = heard.iter().map(Vec::len).sum();
    for engine in [Engine::Cells, Engine::Everybody, Engine::Unordered] {
        let count = |parallel_from: usize| {
            let mut flock = flock.clone();
            flock.set_engine(engine);
            flock.set_parallel_from(parallel_from);
            flock.tick_counted().neighbours
        };
        assert_eq!(count(usize::MAX), wanted as u64, "{engine:?}");
        for (pool, threads) in POOLS.iter().zip(THREADS) {
            let counted = pool.install(|| count(1));
            assert_eq!(counted, wanted as u64, "{engine:?} on {threads} threads");
        }
    }
    heard
}

/// As [`ticks_agree`], and the double loop as an engine of the flock besides.
#[track_caller]
pub(crate) fn engines_agree(flock: &Flock, ticks: usize) -> Flock {
    let (fast, _) = ticks_agree(flock, ticks);
    let mut everybody = flock.clone();
    everybody.set_engine(Engine::Everybody);
    for _ in 0..ticks {
        everybody.tick();
    }
    assert_same_bits(&bodies(&everybody), &bodies(&fast), "the double loop");
    fast
}

// ---- Configurations and snapshots

/// A configuration by chance, of any edges, the chapter's rules, and behaviours that need no scenery,
/// that is never refused. tests/common/draws.rs has the rest.
pub(crate) fn drawn_config(chance: &mut Chance, edges: [Edge; 2], kinds: usize) -> Config {
    let width = chance.within(10.0, 300.0);
    let size = [width, width * chance.within(0.5, 2.0)];
    let span = size[0].min(size[1]);
    Config {
        world: world(size, edges),
        dt: chance.within(0.2, 2.0),
        seed: chance.word(),
        kinds: (0..kinds).map(|_| drawn_kind(chance, span)).collect(),
        scenery: Scenery::default(),
    }
}

fn drawn_kind(chance: &mut Chance, span: f32) -> Kind {
    let mut rule = |urge| {
        let share = [chance.within(0.01, 0.1), chance.within(0.1, 0.5), 0.5][chance.below(3)];
        let rule = Rule::new(urge, share * span, chance.within(-1.0, 3.0));
        (chance.below(4) > 0).then_some(rule)
    };
    let urges = [Urge::Separation, Urge::Alignment, Urge::Cohesion];
    let rules = urges.into_iter().filter_map(&mut rule).collect();
    let mut behaviours = Vec::new();
    for _ in 0..chance.below(3) {
        let weight = chance.within(-0.5, 1.0);
        let drive = if chance.below(2) == 0 {
            Drive::Wander {
                distance: chance.within(0.1, 4.0),
                radius: chance.within(0.1, 2.0),
                period: 1 + chance.below(40) as u32,
            }
        } else {
            Drive::Contain { margin: chance.within(0.01, 0.6) * span }
        };
        behaviours.push(drive.weighing(weight));
    }
    let gait = Gait::new(chance.within(0.001, 0.1) * span, chance.within(0.001, 0.1) * span);
    Kind { rules, behaviours, ..Kind::new(gait) }
}

/// Gives an altered snapshot the checksum that goes with it.
pub(crate) fn stamp(snapshot: &mut [u8]) {
    let checksum = xxhash_rust::xxh3::xxh3_64(&snapshot[24..]);
    snapshot[16..24].copy_from_slice(&checksum.to_le_bytes());
}

/// A snapshot in which the only `f32` with the bits of `old` is `new`, its checksum right.
pub(crate) fn altered(snapshot: &[u8], old: f32, new: f32) -> Vec<u8> {
    let places: Vec<usize> =
        (0..snapshot.len() - 3).filter(|&at| snapshot[at..at + 4] == old.to_le_bytes()).collect();
    let [place] = places[..] else {
        panic!("{old} stands at {places:?}");
    };
    let mut altered = snapshot.to_vec();
    altered[place..place + 4].copy_from_slice(&new.to_le_bytes());
    stamp(&mut altered);
    altered
}
