//! What is allocated: nothing in a tick once its buffers have grown, and never more than the live
//! bodies ask for.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]
#![allow(unsafe_code, reason = "an allocator can only be written with it; it counts and passes on")]

mod common;

use common::{GAIT, edge_pairs, flock, herd, scattered, world};
use flockstep::{
    Body, Config, Drive, Edge, Engine, Flock, Forces, Gait, Kind, Neighbours, Spawn, World,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};

/// The system's allocator with counters, which see every thread.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

impl Counting {
    fn grown(bytes: usize) {
        ALLOCATIONS.fetch_add(1, SeqCst);
        let live = LIVE.fetch_add(bytes, SeqCst) + bytes;
        PEAK.fetch_max(live, SeqCst);
    }
}

// SAFETY: every call is passed on unchanged to the system's allocator, which keeps the promises of
// the trait; the counters touch no memory that is handed out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::grown(layout.size());
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::grown(layout.size());
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), SeqCst);
        // SAFETY: `memory` came from `System`, as every allocation here does.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::grown(size);
        LIVE.fetch_sub(layout.size(), SeqCst);
        // SAFETY: `memory` came from `System`, as every allocation here does.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often `work` allocates, on any thread.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.load(SeqCst);
    work();
    ALLOCATIONS.load(SeqCst) - before
}

/// By how many bytes the heap grows at most while `work` runs.
fn peak(work: impl FnOnce()) -> usize {
    let before = LIVE.load(SeqCst);
    PEAK.store(before, SeqCst);
    work();
    PEAK.load(SeqCst) - before
}

/// Flocks that between them use every column and every kind of edge.
fn flocks() -> Vec<(&'static str, Flock)> {
    let place = World::new(200.0, 150.0, Edge::Torus);
    let crowd = scattered(1500, place.size, 2.0, 1);
    let mut flocks = Vec::new();
    for edge in [Edge::Walls, Edge::Torus] {
        let place = World::new(200.0, 150.0, edge);
        flocks.push(("plain", flock(place, herd(8.0), &crowd)));
    }
    flocks.push(("no rule", flock(place, Kind::new(GAIT), &crowd)));

    let wander = Drive::Wander { distance: 2.0, radius: 1.0, period: 7 }.weighing(0.5);
    let behaviours = vec![wander, Drive::Contain { margin: 14.0 }.weighing(1.0)];
    let kinds = vec![herd(8.0), Kind { behaviours, ..herd(5.0) }];
    let mut mixed = Flock::new(Config { kinds, ..Config::new(place, herd(8.0)) }).unwrap();
    for (k, &(position, velocity)) in crowd.iter().enumerate() {
        let gait = (k % 3 == 0).then_some(Gait::new(1.5, 0.2));
        mixed.add(Spawn { position, velocity, kind: (k % 2) as u8, gait }).unwrap();
    }
    // Holes in the ids, so that finding a body needs more than its number.
    mixed.retain(|body| body.id % 5 != 0);
    flocks.push(("kinds, gaits and behaviours", mixed));

    // On open edges, those who keep formation: the grid's number of cells stays.
    let open = World::new(200.0, 150.0, Edge::Open);
    let marching: Vec<_> = crowd.iter().map(|&(position, _)| (position, [1.5, 0.5])).collect();
    flocks.push(("marching on open edges", flock(open, Kind::new(GAIT), &marching)));
    flocks
}

/// Everything that should allocate nothing, once each. Reading is part of it.
fn turn(flock: &mut Flock, saved: &mut Vec<u8>) {
    flock.tick();
    flock.tick_counted();
    flock.tick_with(|body: &Body| [0.01, -0.01 * body.velocity[0]]).unwrap();
    assert!(flock.get(1).is_some());
    let mut moving = 0.0;
    for body in flock.iter() {
        moving += body.velocity[0].abs();
    }
    assert!(moving > 0.0);
    flock.snapshot_into(saved);
    flock.set_motion(1, [20.0, 20.0], [1.0, 0.0]).unwrap();
}

fn ticks_allocate_nothing(pool: &rayon::ThreadPool) {
    for (what, start) in flocks() {
        for engine in [Engine::Cells, Engine::Unordered] {
            let mut flock = start.clone();
            flock.set_engine(engine);
            let mut saved = Vec::new();
            flock.set_parallel_from(usize::MAX);
            (0..30).for_each(|_| turn(&mut flock, &mut saved));
            let alone = allocations(|| (0..30).for_each(|_| turn(&mut flock, &mut saved)));
            assert_eq!(alone, 0, "{what}, {engine:?}, alone");

            flock.set_parallel_from(1);
            let spread = pool.install(|| {
                (0..60).for_each(|_| turn(&mut flock, &mut saved));
                allocations(|| (0..30).for_each(|_| turn(&mut flock, &mut saved)))
            });
            assert_eq!(spread, 0, "{what}, {engine:?}, in a pool");
        }
        // A rollback: back to a saved state and on again. Loading may allocate, ticking may not.
        let mut flock = start.clone();
        let mut saved = Vec::new();
        for _ in 0..30 {
            flock.snapshot_into(&mut saved);
            flock.tick();
            flock.restore_from(&saved).unwrap();
        }
        for _ in 0..30 {
            assert_eq!(allocations(|| flock.snapshot_into(&mut saved)), 0, "{what}, saving");
            assert_eq!(allocations(|| flock.tick()), 0, "{what}, between restorations");
            flock.restore_from(&saved).unwrap();
        }
    }
}

fn forces_and_queries_allocate_nothing(pool: &rayon::ThreadPool) {
    let place = World::new(200.0, 150.0, Edge::Torus);
    let (positions, velocities): (Vec<_>, Vec<_>) =
        scattered(1500, place.size, 2.0, 2).into_iter().unzip();
    let mut out = vec![[0.0; 2]; positions.len()];
    let kinds: Vec<u8> = (0..positions.len()).map(|k| (k % 2) as u8).collect();
    let both = Config { kinds: vec![herd(8.0), herd(5.0)], ..Config::new(place, herd(8.0)) };
    let mut forces = Forces::new(both).unwrap();
    let mut turn = |forces: &mut Forces| {
        forces.compute(0, &positions, &velocities, &mut out).unwrap();
        let host = |body: &Body| [0.1 * body.velocity[1], 0.0];
        forces.compute_with(1, &positions, &velocities, &kinds, host, &mut out).unwrap();
    };
    forces.set_parallel_from(usize::MAX);
    (0..3).for_each(|_| turn(&mut forces));
    assert_eq!(allocations(|| (0..20).for_each(|_| turn(&mut forces))), 0, "forces, alone");
    forces.set_parallel_from(1);
    let spread = pool.install(|| {
        (0..60).for_each(|_| turn(&mut forces));
        allocations(|| (0..20).for_each(|_| turn(&mut forces)))
    });
    assert_eq!(spread, 0, "forces, in a pool");

    let mut near = Neighbours::new(place, 8.0).unwrap();
    let (mut offsets, mut indices) = (Vec::new(), Vec::new());
    let mut turn = || {
        near.build(&positions).unwrap();
        let mut found = 0;
        (0..positions.len() as u32).for_each(|index| near.of_body(index, |_| found += 1));
        near.of_point([1.0, 1.0], 30.0, |_| found += 1).unwrap();
        near.in_rectangle([-20.0, 5.0], [20.0, 90.0], |_| found += 1).unwrap();
        near.lists(&mut offsets, &mut indices);
        assert!(found > indices.len());
    };
    (0..3).for_each(|_| turn());
    assert_eq!(allocations(|| (0..20).for_each(|_| turn())), 0, "queries");
}

/// A hundred bodies need a hundred bodies' memory, however many cells the radius would ask for.
fn sparse_world() {
    for edges in edge_pairs() {
        for (extent, radius) in [(1000.0, 0.02), (1e6, 8.0)] {
            let place = world([extent, extent], edges);
            let crowd = scattered(100, [extent; 2], 1.0, 3);
            let grown = peak(|| {
                let mut sparse = flock(place, herd(radius), &crowd);
                (0..20).for_each(|_| sparse.tick());
                let mut near = Neighbours::new(place, radius).unwrap();
                let positions: Vec<_> = crowd.iter().map(|&(position, _)| position).collect();
                near.build(&positions).unwrap();
                near.of_body(0, |_| ());
                Flock::restore(&sparse.snapshot()).unwrap().tick();
            });
            assert!(grown > 0 && grown < 50_000_000, "{grown} bytes, {edges:?}, {extent}");
        }
    }
}

/// A million bodies come and go, a thousand at a time; memory follows those who live.
fn memory_follows_the_living() {
    let place = World::new(500.0, 500.0, Edge::Torus);
    let crowd = scattered(1000, place.size, 2.0, 4);
    let spawns: Vec<Spawn> = crowd.iter().map(|&(p, v)| Spawn::new(p, v)).collect();
    let mut passing = Flock::new(Config::new(place, herd(8.0))).unwrap();
    let grown = peak(|| {
        for turn in 0..1000 {
            assert_eq!(passing.add_all(&spawns).unwrap(), turn * 1000);
            passing.tick();
            assert!(passing.len() >= 1000);
            // A few stay behind for a while, so that the living ids have gaps.
            passing.retain(|body| body.id % 400 == 0 && body.id + 10_000 > turn * 1000);
            for id in turn * 1000..turn * 1000 + 1000 {
                assert_eq!(passing.get(id).is_some(), id % 400 == 0);
            }
        }
    });
    assert!(passing.len() < 40, "{} left", passing.len());
    assert_eq!(passing.add(spawns[0]).unwrap(), 1_000_000);
    assert!(grown < 1_000_000, "{grown} bytes for a thousand bodies at a time");
}

/// A million bodies, two a square of one radius: everything that is kept for them, buffers included.
fn bytes_a_body(pool: &rayon::ThreadPool) {
    let n = 1_000_000;
    let place = World::new(11_314.0, 11_314.0, Edge::Walls);
    let spawns: Vec<Spawn> =
        scattered(n, place.size, 2.0, 5).into_iter().map(|(p, v)| Spawn::new(p, v)).collect();
    let before = LIVE.load(SeqCst);
    let mut many = Flock::new(Config::new(place, herd(16.0))).unwrap();
    many.add_all(&spawns).unwrap();
    pool.install(|| (0..3).for_each(|_| many.tick()));
    let each = (LIVE.load(SeqCst) - before) as f64 / n as f64;
    println!("{each:.1} bytes a body at {n} bodies");
    assert!((40.0..=96.0).contains(&each), "{each} bytes a body");
}

/// One test only: the counters are the process's, and a second test would count in them too.
#[test]
fn memory() {
    // One pool, alive to the end: its threads allocate when they start and when they stop.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.broadcast(|_| ());
    ticks_allocate_nothing(&pool);
    forces_and_queries_allocate_nothing(&pool);
    sparse_world();
    memory_follows_the_living();
    bytes_a_body(&pool);
}
