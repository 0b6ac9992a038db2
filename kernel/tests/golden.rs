//! Golden hashes: what a run must end with on every machine, thread count and build profile, so
//! that a change of bits cannot pass unseen. A hash changes only with the contract, and then in
//! one commit with docs/contract.md.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod common;

use common::{Chance, GAIT, LEVELS, THREADS, herd, scattered};
use flockstep::{Config, Drive, Edge, Engine, Flock, Gait, Kind, Rule, Scenery, Spawn, World};

/// Also more threads than any list of small pools has.
const MANY_THREADS: usize = 16;

/// Name, number of bodies, ticks, and the state hash after them.
const RUNS: [(&str, usize, u64, u64); 7] = [
    ("walls", 600, 120, 0xf7aa_f052_c3fd_6305),
    ("torus", 600, 120, 0x4363_0b2c_afb6_1005),
    ("open", 600, 120, 0x9b81_286b_e2d6_3670),
    ("kinds", 500, 120, 0xd0a3_fec4_b117_9ad9),
    ("behaviours", 120, 400, 0x8725_d874_9492_d1a6),
    ("murmuration", 1000, 300, 0xd3be_4a2c_d1f3_ed3b),
    ("large", 20_000, 12, 0xc806_154b_c681_c9a5),
];

fn wandering() -> Kind {
    Kind {
        behaviours: vec![
            Drive::Wander { distance: 6.0, radius: 4.0, period: 20 }.weighing(0.15),
            Drive::Contain { margin: 14.0 }.weighing(0.6),
        ],
        ..herd(16.0)
    }
}

fn config(name: &str) -> Config {
    let world = |side: f32, edge| World::new(side, side * 0.75, edge);
    match name {
        "walls" => Config::new(world(320.0, Edge::Walls), herd(16.0)),
        "torus" => Config::new(world(320.0, Edge::Torus), herd(16.0)),
        "open" => Config::new(world(320.0, Edge::Open), herd(16.0)),
        "kinds" => {
            let rules = vec![Rule::separation(24.0, 1.0)];
            let loner = Kind { rules, ..Kind::new(Gait::new(0.9, 0.08)) };
            let edges = [Edge::Torus, Edge::Walls];
            let world = World { edges, ..world(320.0, Edge::Walls) };
            let kinds = vec![herd(12.0), loner, wandering()];
            Config { world, dt: 0.75, seed: 3, kinds, scenery: Scenery::default() }
        }
        "behaviours" => {
            let config = Config::new(World::new(192.0, 128.0, Edge::Walls), wandering());
            Config { seed: 5, ..config }
        }
        "murmuration" => {
            let starling = Kind {
                rules: vec![
                    Rule::separation(6.0, 1.5),
                    Rule::alignment(12.0, 1.0),
                    Rule::cohesion(14.0, 0.8),
                ],
                ..Kind::new(Gait::new(2.0, 0.12))
            };
            Config::new(world(320.0, Edge::Torus), starling)
        }
        "large" => Config::new(world(1800.0, Edge::Torus), herd(16.0)),
        other => panic!("no run is called {other}"),
    }
}

fn populated(name: &str, n: usize) -> Flock {
    let config = config(name);
    let mut chance = Chance(n as u64);
    let spawns: Vec<Spawn> = scattered(n, config.world.size, GAIT.max_speed, 42)
        .into_iter()
        .map(|(position, velocity)| {
            let kind = chance.below(config.kinds.len()) as u8;
            let gait = (name == "kinds" && chance.below(9) == 0).then_some(Gait::new(1.5, 0.2));
            Spawn { position, velocity, kind, gait }
        })
        .collect();
    let mut flock = Flock::new(config).unwrap();
    flock.add_all(&spawns).unwrap();
    flock
}

fn hash_after(mut flock: Flock, ticks: u64) -> u64 {
    for _ in 0..ticks {
        flock.tick();
    }
    flock.state_hash()
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "no threads there")]
fn every_thread_count_reaches_the_golden_hashes() {
    let mut wrong = Vec::new();
    for (name, n, ticks, golden) in RUNS {
        for threads in THREADS.into_iter().chain([MANY_THREADS]) {
            let mut flock = populated(name, n);
            flock.set_parallel_from(64);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| hash_after(flock, ticks));
            if found != golden {
                wrong.push(format!("{name} on {threads} threads: {found:#018x}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_instruction_set_reaches_the_golden_hashes() {
    let mut wrong = Vec::new();
    for (name, n, ticks, golden) in RUNS {
        for &level in LEVELS.iter() {
            let mut alone = populated(name, n);
            alone.set_parallel_from(usize::MAX);
            alone.set_level(level).unwrap();
            let found = hash_after(alone, ticks);
            if found != golden {
                wrong.push(format!("{name} on {level}, on the calling thread: {found:#018x}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_reference_reaches_the_golden_hashes() {
    for (name, n, ticks, golden) in RUNS.into_iter().filter(|(_, n, ..)| *n <= 1000) {
        let mut flock = populated(name, n);
        flock.set_engine(Engine::Everybody);
        assert_eq!(hash_after(flock, ticks), golden, "{name}");
    }
}

#[test]
fn the_unordered_engine_does_not() {
    for (name, n, ticks, golden) in RUNS {
        let mut flock = populated(name, n);
        flock.set_engine(Engine::Unordered);
        assert_ne!(hash_after(flock, ticks), golden, "{name}: order would not matter");
    }
}

/// The chapter's comparison: 512 walkers, 300 ticks, everybody against the cells, at every body.
#[test]
fn queries_agree() {
    let mut slow = populated("walls", 512);
    let mut fast = slow.clone();
    slow.set_engine(Engine::Everybody);
    let (mut tests_of_slow, mut tests_of_fast) = (0, 0);
    for tick in 0..300 {
        tests_of_slow += slow.tick_counted().distance_tests;
        tests_of_fast += fast.tick_counted().distance_tests;
        let what = format!("tick {tick}");
        common::assert_same_bits(&common::bodies(&fast), &common::bodies(&slow), &what);
    }
    println!("300 ticks of 512 bodies: every body {tests_of_slow} tests, cells {tests_of_fast}");
    assert_eq!(tests_of_slow, 300 * 512 * 511);
    assert!(tests_of_fast * 10 < tests_of_slow, "{tests_of_fast}");
}
