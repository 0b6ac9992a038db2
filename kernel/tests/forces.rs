//! Forces over the caller's own arrays: the reference's to the bit, and enough for a host that
//! integrates by itself to walk where a flock would.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod common;

use common::draws::{config, placement, spawn};
use common::{
    Chance, GAIT, POOLS, bodies, drawn_config, edge_pairs, flock, herd, scattered, stored, world,
};
use flockstep::{Body, Config, Edge, Error, Flock, Forces, Gait, Kind, Spawn, World, reference};
use proptest::prelude::*;

/// The arrays of a host, with the kinds to go with them.
struct Arrays {
    positions: Vec<[f32; 2]>,
    velocities: Vec<[f32; 2]>,
    kinds: Vec<u8>,
}

impl Arrays {
    fn drawn(config: &Config, n: usize, chance: &mut Chance) -> Self {
        let mut arrays = Self { positions: vec![], velocities: vec![], kinds: vec![] };
        let [width, height] = config.world.size;
        for _ in 0..n {
            let kind = chance.below(config.kinds.len());
            let speed = config.kinds[kind].gait.max_speed * 1.5;
            let spot = [chance.within(0.0, width), chance.within(0.0, height)];
            // Some in a corner, which is a torus's start as well as its end.
            let position = if chance.below(10) == 0 { config.world.size } else { spot };
            arrays.positions.push(position);
            arrays.velocities.push([chance.within(-speed, speed), chance.within(-speed, speed)]);
            arrays.kinds.push(kind as u8);
        }
        arrays
    }

    /// What the reference would be given: the index is the id.
    fn bodies(&self, config: &Config) -> Vec<Body> {
        let mut flock = Flock::new(config.clone()).unwrap();
        for (k, &position) in self.positions.iter().enumerate() {
            let (velocity, kind) = (self.velocities[k], self.kinds[k]);
            flock.add(Spawn { position, velocity, kind, gait: None }).unwrap();
        }
        bodies(&flock)
    }
}

/// A host's force that differs from body to body and from place to place.
fn host(body: &Body) -> [f32; 2] {
    let [x, y] = body.position;
    [0.01 * y - 0.02 * body.velocity[0], 0.003 * x - 0.1 * f32::from(body.kind)]
}

fn force_bits(forces: &[[f32; 2]]) -> Vec<[u32; 2]> {
    forces.iter().map(|force| force.map(f32::to_bits)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn forces_equal_the_reference(
        config in config(), n in 0_usize..300, how in placement(),
        tick in prop_oneof![0_u64..1000, any::<u64>(), Just(u64::MAX)], seed in any::<u64>(),
    ) {
        let mut chance = Chance(seed);
        let mut arrays = Arrays { positions: vec![], velocities: vec![], kinds: vec![] };
        for _ in 0..n {
            let Spawn { position, velocity, kind, .. } = spawn(&config, how, &mut chance);
            arrays.positions.push(position);
            arrays.velocities.push(velocity);
            arrays.kinds.push(kind);
        }
        let Arrays { positions, velocities, kinds } = &arrays;
        let all = arrays.bodies(&config);
        let mut forces = Forces::new(config.clone()).unwrap();
        let mut out = vec![[f32::NAN; 2]; n];

        // With kinds and a host's forces, alone and in every pool.
        let hosted: Vec<[f32; 2]> = all.iter().map(host).collect();
        let wanted = force_bits(&reference::forces(&config, tick, &all, &hosted));
        forces.set_parallel_from(usize::MAX);
        forces.compute_with(tick, positions, velocities, kinds, host, &mut out).unwrap();
        prop_assert_eq!(&force_bits(&out), &wanted);
        forces.set_parallel_from(1);
        for pool in POOLS.iter() {
            out.fill([f32::NAN; 2]);
            pool.install(|| {
                forces.compute_with(tick, positions, velocities, kinds, host, &mut out)
            }).unwrap();
            prop_assert_eq!(&force_bits(&out), &wanted);
        }

        // And without: all are of the first kind, and nothing of the host's is left over.
        let first = Arrays { kinds: vec![0; n], ..arrays };
        let wanted = reference::forces(&config, tick, &first.bodies(&config), &[]);
        forces.compute(tick, &first.positions, &first.velocities, &mut out).unwrap();
        prop_assert_eq!(force_bits(&out), force_bits(&wanted));
    }
}

/// The contract's step, as a host would write it for itself.
fn step(config: &Config, p: &mut [f32; 2], v: &mut [f32; 2], force: [f32; 2], max_speed: f32) {
    for axis in 0..2 {
        v[axis] += force[axis] * config.dt;
    }
    let squared = v[0] * v[0] + v[1] * v[1];
    if squared > max_speed * max_speed {
        let scale = max_speed / squared.sqrt();
        *v = v.map(|part| part * scale);
    }
    for axis in 0..2 {
        let extent = config.world.size[axis];
        let (p, v) = (&mut p[axis], &mut v[axis]);
        *p += *v * config.dt;
        match config.world.edges[axis] {
            Edge::Open => {}
            Edge::Torus => {
                if *p < 0.0 {
                    *p += extent;
                }
                if *p >= extent {
                    *p -= extent;
                }
            }
            Edge::Walls => {
                if *p < 0.0 {
                    (*p, *v) = (-*p, -*v);
                } else if *p > extent {
                    (*p, *v) = (2.0 * extent - *p, -*v);
                }
                *p = p.clamp(0.0, extent);
            }
        }
    }
}

#[test]
fn a_host_that_integrates_by_itself_walks_where_the_flock_does() {
    for (pair, edges) in edge_pairs().enumerate() {
        for kinds in [1, 3] {
            let mut chance = Chance(pair as u64);
            let config = drawn_config(&mut chance, edges, kinds);
            let Arrays { mut positions, mut velocities, kinds } =
                Arrays::drawn(&config, 150, &mut chance);
            let mut owned = Flock::new(config.clone()).unwrap();
            for (k, &position) in positions.iter().enumerate() {
                let (velocity, kind) = (velocities[k], kinds[k]);
                owned.add(Spawn { position, velocity, kind, gait: None }).unwrap();
            }
            positions.iter_mut().for_each(|position| *position = stored(&config.world, *position));
            let mut forces = Forces::new(config.clone()).unwrap();
            let mut out = vec![[0.0; 2]; positions.len()];
            for tick in 0..50 {
                owned.tick_with(host).unwrap();
                forces.compute_with(tick, &positions, &velocities, &kinds, host, &mut out).unwrap();
                for (k, body) in owned.iter().enumerate() {
                    step(
                        &config,
                        &mut positions[k],
                        &mut velocities[k],
                        out[k],
                        body.gait.max_speed,
                    );
                }
            }
            for (k, body) in bodies(&owned).into_iter().enumerate() {
                let (p, v) = (positions[k].map(f32::to_bits), velocities[k].map(f32::to_bits));
                assert_eq!(p, body.position.map(f32::to_bits), "{edges:?}: {body:?}");
                assert_eq!(v, body.velocity.map(f32::to_bits), "{edges:?}: {body:?}");
            }
        }
    }
}

#[test]
fn an_index_is_an_id() {
    // Gaps in a flock's ids change nothing as long as the order is the same.
    let place = World::new(60.0, 60.0, Edge::Torus);
    let crowd = scattered(200, place.size, 2.0, 3);
    let mut gaps = flock(place, herd(9.0), &crowd);
    gaps.retain(|body| body.id % 3 != 1);
    let (positions, velocities): (Vec<_>, Vec<_>) =
        gaps.iter().map(|body| (body.position, body.velocity)).unzip();
    let mut out = vec![[0.0; 2]; positions.len()];
    let mut forces = Forces::new(gaps.config().clone()).unwrap();
    forces.compute(0, &positions, &velocities, &mut out).unwrap();
    for (body, force) in gaps.iter().zip(out) {
        assert_eq!(gaps.explain(body.id).unwrap().cut, force, "{body:?}");
    }
}

#[test]
fn the_force_is_cut_to_the_gait() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    let mut forces = Forces::new(Config::new(place, Kind::new(GAIT))).unwrap();
    let mut out = [[0.0; 2]; 2];
    let positions = [[1.0, 1.0], [50.0, 50.0]];
    let pull = |body: &Body| [3.0 * f32::from(body.id as u8), 4.0 * f32::from(body.id as u8)];
    forces.compute_with(0, &positions, &[[0.0; 2]; 2], &[], pull, &mut out).unwrap();
    let scale = 0.3 / 5.0_f32;
    assert_eq!(out, [[0.0, 0.0], [3.0 * scale, 4.0 * scale]]);
}

#[test]
fn refusals_are_named_and_leave_the_output() {
    type Host<'a> = &'a (dyn Fn(&Body) -> [f32; 2] + Sync);
    let idle: Host = &|_| [0.0, 0.0];
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for edges in edge_pairs() {
        let place = world([100.0, 80.0], edges);
        let kinds = vec![herd(9.0), Kind::new(Gait::new(1.0, 1.0))];
        let mut forces = Forces::new(Config { kinds, ..Config::new(place, herd(9.0)) }).unwrap();
        let still = [[0.0; 2]; 3];
        let at = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]];
        let mut refused = |p: &[[f32; 2]], v: &[[f32; 2]], kinds: &[u8], n: usize, host: Host| {
            let mut out = vec![[7.0, 7.0]; n];
            let told = forces.compute_with(0, p, v, kinds, host, &mut out).unwrap_err();
            assert_eq!(out, vec![[7.0, 7.0]; n], "untouched");
            told.to_string()
        };
        let fine = [0, 1, 0];
        let told = refused(&at, &still[..2], &fine, 3, idle);
        assert_eq!(told, "velocities has 2 entries for 3 bodies");
        let told = refused(&at, &still, &fine[..1], 3, idle);
        assert_eq!(told, "kinds has 1 entries for 3 bodies");
        let told = refused(&at, &still, &fine, 4, idle);
        assert_eq!(told, "out has 4 entries for 3 bodies");
        let told = refused(&at, &still, &[0, 1, 2], 3, idle);
        assert!(told.starts_with("body 2: kind is 2") && told.contains("; allowed: "), "{told}");

        for (axis, name) in ["x", "y"].into_iter().enumerate() {
            for value in [nan, inf, -inf, 1e10] {
                let mut moved = at;
                moved[1][axis] = value;
                let told = refused(&moved, &still, &fine, 3, idle);
                assert!(told.starts_with(&format!("body 1: {name} is {value:?}; ")), "{told}");
            }
            let mut outside = at;
            outside[2][axis] = -0.5;
            if edges[axis] != Edge::Open {
                let told = refused(&outside, &still, &fine, 3, idle);
                assert!(told.starts_with(&format!("body 2: {name} is -0.5; ")), "{told}");
            }
            for (value, field) in [(nan, ["vx", "vy"][axis]), (2e9, "velocity")] {
                let mut fast = still;
                fast[2][axis] = value;
                let told = refused(&at, &fast, &fine, 3, idle);
                assert!(told.starts_with(&format!("body 2: {field} is {value:?}; ")), "{told}");
            }
            for value in [nan, inf, -inf, 1.1e15, -1.1e15] {
                let push = move |body: &Body| {
                    let mut force = [0.0; 2];
                    force[axis] = if body.id == 1 { value } else { 1.0 };
                    force
                };
                let told = refused(&at, &still, &fine, 3, &push);
                let wanted = format!("body 1: force {name} is {value:?}; ");
                assert!(told.starts_with(&wanted), "{told}");
            }
        }
        // Refusals leave no trace in what is computed next.
        let mut out = [[0.0; 2]; 3];
        forces.compute(0, &at, &still, &mut out).unwrap();
        let mut anew = Forces::new(Config::new(place, herd(9.0))).unwrap();
        let mut wanted = [[0.0; 2]; 3];
        anew.compute(0, &at, &still, &mut wanted).unwrap();
        assert_eq!(out, wanted);
        let largest = |_: &Body| [1e15, -1e15];
        forces.compute_with(0, &at, &still, &[], largest, &mut out).unwrap();
        assert!(out.as_flattened().iter().all(|part| part.is_finite()));
    }
    let mut none = Forces::new(Config::new(World::new(1.0, 1.0, Edge::Walls), herd(0.5))).unwrap();
    let lengths = none.compute(0, &[], &[[0.0; 2]], &mut []).unwrap_err();
    assert_eq!(lengths, Error::Lengths { what: "velocities", length: 1, bodies: 0 });
}
