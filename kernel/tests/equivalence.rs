//! The promise: the fast path equals the scalar reference, bit for bit, at every body and tick.

mod common;

use common::{Chance, bodies, ticks_agree};
use flockstep::{Behaviour, Config, Edge, Flock, Gait, Kind, Rule, Spawn, World};
use proptest::prelude::*;

/// How bodies are strewn.
#[derive(Clone, Copy, Debug)]
enum Placement {
    Uniform,
    /// A few tight knots.
    Clusters,
    /// On a coarse lattice: many share a spot, and many offsets are exact multiples.
    Lattice,
    /// On corners, edges and the boundaries of cells, an ulp to either side.
    Boundaries,
}

fn place(how: Placement, size: [f32; 2], radius: f32, chance: &mut Chance) -> [f32; 2] {
    let uniform = [chance.within(0.0, size[0]), chance.within(0.0, size[1])];
    let spot = match how {
        Placement::Uniform => uniform,
        Placement::Clusters => {
            let knot = chance.below(3) as f32 / 3.0;
            [0, 1].map(|axis| size[axis] * knot + (uniform[axis] - size[axis] / 2.0) * 1e-3)
        }
        Placement::Lattice => {
            [0, 1].map(|axis| (uniform[axis] / radius * 2.0).floor() * radius / 2.0)
        }
        Placement::Boundaries => [0, 1].map(|axis| {
            let multiple = (uniform[axis] / radius).round() * radius;
            let on = if chance.below(4) == 0 { size[axis] } else { multiple };
            [on, on.next_up(), on.next_down(), 0.0][chance.below(4)]
        }),
    };
    [0, 1].map(|axis| spot[axis].clamp(0.0, size[axis]))
}

fn edge() -> impl Strategy<Value = Edge> {
    prop_oneof![Just(Edge::Walls), Just(Edge::Torus), Just(Edge::Open)]
}

/// A radius as a share of the smaller extent: tiny, middling, or exactly half a torus.
fn share() -> impl Strategy<Value = f32> {
    prop_oneof![2 => 0.001_f32..0.02, 4 => 0.02_f32..0.2, 2 => 0.2_f32..0.5, 1 => Just(0.5_f32)]
}

fn rule(span: f32) -> impl Strategy<Value = Option<Rule>> {
    let weight = prop_oneof![4 => 0.1_f32..3.0, 1 => -2.0_f32..0.0, 1 => Just(0.0_f32)];
    let some = (share(), weight).prop_map(move |(share, w)| Some(Rule::new(share * span, w)));
    prop_oneof![4 => some, 1 => Just(None)]
}

fn behaviour(span: f32) -> impl Strategy<Value = Behaviour> {
    let weight = -0.5_f32..1.0;
    prop_oneof![
        (weight.clone(), 0.1_f32..4.0, 0.1_f32..2.0, 1_u32..40).prop_map(
            |(weight, distance, radius, period)| Behaviour::Wander {
                weight,
                distance,
                radius,
                period
            }
        ),
        (weight, 0.01_f32..0.6)
            .prop_map(move |(weight, margin)| Behaviour::Contain { weight, margin: margin * span }),
    ]
}

fn kind(span: f32) -> impl Strategy<Value = Kind> {
    // A sixth of the span a tick is fast, and never over half a torus.
    let gait = (0.001_f32..0.16, 0.001_f32..1.0);
    let behaviours = prop::collection::vec(behaviour(span), 0..3);
    (gait, rule(span), rule(span), rule(span), behaviours).prop_map(
        move |((speed, force), separation, alignment, cohesion, behaviours)| Kind {
            gait: Gait::new(speed * span, force * span * 0.1),
            separation,
            alignment,
            cohesion,
            behaviours,
        },
    )
}

fn config() -> impl Strategy<Value = Config> {
    let extent = prop_oneof![4 => 1.0_f32..500.0, 1 => 1e-3_f32..1.0, 1 => 1e3_f32..1e6];
    (extent, 0.3_f32..3.0, [edge(), edge()], 0.1_f32..3.0, any::<u64>()).prop_flat_map(
        |(width, shape, edges, dt, seed)| {
            let world = World { size: [width, width * shape], edges };
            let span = width.min(width * shape);
            prop::collection::vec(kind(span), 1..4).prop_map(move |kinds| Config {
                world,
                dt,
                seed,
                kinds,
            })
        },
    )
}

fn placement() -> impl Strategy<Value = Placement> {
    prop_oneof![
        3 => Just(Placement::Uniform),
        1 => Just(Placement::Clusters),
        1 => Just(Placement::Lattice),
        2 => Just(Placement::Boundaries),
    ]
}

/// Mostly small, sometimes up to 2,000.
fn count() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0_usize..40, 4 => 40_usize..200, 1 => 200_usize..2000]
}

fn spawn(config: &Config, how: Placement, chance: &mut Chance) -> Spawn {
    let kind = chance.below(config.kinds.len()) as u8;
    let gait = config.kinds[usize::from(kind)].gait;
    let span = config.world.size[0].min(config.world.size[1]);
    let radius = if config.radius() > 0.0 { config.radius() } else { span / 7.0 };
    let speed = gait.max_speed * 1.5;
    let velocity = match chance.below(8) {
        0 => [0.0, 0.0],
        _ => [chance.within(-speed, speed), chance.within(-speed, speed)],
    };
    let position = place(how, config.world.size, radius, chance);
    let own = Gait::new(gait.max_speed * 0.5, gait.max_force * 2.0);
    let gait = (chance.below(16) == 0).then_some(own);
    Spawn { position, velocity, kind, gait }
}

fn populated(config: &Config, n: usize, how: Placement, chance: &mut Chance) -> Flock {
    let mut flock = Flock::new(config.clone()).expect("every drawn configuration is allowed");
    let spawns: Vec<Spawn> = (0..n).map(|_| spawn(config, how, chance)).collect();
    flock.add_all(&spawns).expect("every drawn body is allowed");
    flock
}

/// The reference looks at every pair: about this many pairs a world keep the whole test short.
const PAIRS: usize = 6_000_000;

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: 160,
        max_shrink_iters: 400,
        failure_persistence: None,
        ..Default::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn cells_equal_the_reference(
        config in config(), n in count(), how in placement(), seed in any::<u64>()
    ) {
        let mut chance = Chance(seed);
        let mut flock = populated(&config, n, how, &mut chance);
        let ticks = (PAIRS / (n * n + 1)).clamp(2, 30);
        // Three stretches, with bodies that come and go between them.
        for _ in 0..3 {
            flock = ticks_agree(&flock, ticks.div_ceil(3)).0;
            for _ in 0..chance.below(6) {
                flock.add(spawn(&config, how, &mut chance)).expect("allowed");
            }
            let alive = bodies(&flock);
            for body in alive.iter().filter(|_| chance.below(10) == 0) {
                flock.remove(body.id).expect("it lives");
            }
        }
    }

    #[test]
    fn a_snapshot_continues_to_the_same_bits(
        config in config(), n in 0_usize..120, how in placement(), seed in any::<u64>()
    ) {
        let mut flock = populated(&config, n, how, &mut Chance(seed));
        for _ in 0..5 {
            flock.tick();
        }
        let saved = flock.snapshot();
        let mut restored = Flock::restore(&saved).expect("a saved state always loads again");
        prop_assert_eq!(restored.config(), flock.config());
        prop_assert_eq!(restored.fingerprint(), flock.fingerprint());
        for _ in 0..5 {
            prop_assert_eq!(restored.state_hash(), flock.state_hash());
            prop_assert_eq!(restored.tick_number(), flock.tick_number());
            restored.tick();
            flock.tick();
        }
        restored.restore_from(&saved).expect("and again");
        for _ in 0..5 {
            restored.tick();
        }
        prop_assert_eq!(bodies(&restored), bodies(&flock));
    }

    #[test]
    fn storage_order_changes_nothing(
        config in config(), n in 1_usize..120, how in placement(), seed in any::<u64>()
    ) {
        // The same bodies, one flock having lost others on the way: ids have gaps and the storage
        // is in another order, yet the bits agree with the reference of the survivors.
        let mut flock = populated(&config, 2 * n, how, &mut Chance(seed));
        flock.tick();
        flock.retain(|body| body.id % 2 == 0);
        prop_assert_eq!(flock.len(), n);
        ticks_agree(&flock, 4);
    }
}
