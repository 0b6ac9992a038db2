//! The promise: the fast path equals the scalar reference, bit for bit, at every body and tick,
//! whatever is configured and whatever a host changes between two ticks.

mod common;

use common::draws::{Change, config, configs, placement, populated};
use common::{Chance, Company, altered, bits, bodies, flock, ticks_agree};
use flockstep::{Body, Config, Drive, Edge, Flock, Gait, Kind, Obstacle, Rule, Spawn, World};
use proptest::prelude::*;

/// Mostly small, sometimes up to 2,000.
fn count() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0_usize..40, 4 => 40_usize..200, 1 => 200_usize..2000]
}

/// The reference looks at every pair: about this many pairs a world keep the whole test short.
const PAIRS: usize = 1_000_000;

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: 160,
        max_shrink_iters: 4_000,
        failure_persistence: None,
        ..Default::default()
    }
}

/// Two faults that the worlds below have shown, made certain.
#[test]
fn nobody_at_all_and_an_ulp_beside_an_obstacle_s_middle() {
    let place = World::new(10.0, 8.0, Edge::Walls);
    let gait = Gait::new(0.5, 0.1);
    let looking = Kind { rules: vec![Rule::separation(2.0, 1.0).seeing(90.0)], ..Kind::new(gait) };
    ticks_agree(&flock(place, looking, &[]), 2);

    let behaviours = vec![Drive::Avoid { look_ahead: 1.0, clearance: 0.0 }.weighing(1.0)];
    let mut config = Config::new(place, Kind { behaviours, ..Kind::new(gait) });
    config.scenery.obstacles = vec![Obstacle { centre: [0.0, 0.0], radius: 1.0 }];
    let mut beside = Flock::new(config).expect("allowed");
    let ulp = 0.0_f32.next_up();
    for spot in [[ulp, 0.0], [0.0, ulp], [ulp, ulp], [0.0, 0.0]] {
        for velocity in [[0.25, 0.15], [0.0, 0.0]] {
            beside.add(Spawn::new(spot, velocity)).expect("allowed");
        }
    }
    ticks_agree(&beside, 4);
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn cells_equal_the_reference(
        (config, others) in configs(), n in count(), how in placement(), seed in any::<u64>()
    ) {
        let mut chance = Chance(seed);
        let mut company = Company::new(&populated(&config, n, how, &mut chance));
        let ticks = (PAIRS / (n * n + 1)).clamp(4, 30);
        let mut saved = company.flock().snapshot();
        for _ in 0..ticks {
            company.tick();
            // Half of the time nothing happens, else one thing or a few at once.
            for _ in 0..[0, 0, 0, 1, 1, 4][chance.below(6)] {
                let change = Change::drawn(company.flock(), &others, how, &mut chance);
                company.change(|flock| change.apply(flock));
            }
            // And sometimes a host goes back to an earlier state.
            match chance.below(20) {
                0 => saved = company.flock().snapshot(),
                1 => company.change(|flock| flock.restore_from(&saved).expect("it loads again")),
                _ => {}
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
    fn far_out_on_open_edges_nothing_overflows(
        mut config in config(), n in 4_usize..40, how in placement(), seed in any::<u64>()
    ) {
        config.world.edges = [Edge::Open; 2];
        let mut chance = Chance(seed);
        let mut flock = populated(&config, n, how, &mut chance);
        // Where only a snapshot can put a body, and no run would ever take it.
        for id in 0..n as u32 / 4 {
            let [x, y] = [-1.234_567e8, -1.234_568e8];
            flock.set_motion(id, [x, y], flock.get(id).expect("it lives").velocity).expect("open");
            let mut far = || [1e30, -1e30, 1e19, -1e15][chance.below(4)];
            let moved = altered(&altered(&flock.snapshot(), x, far()), y, far());
            flock = Flock::restore(&moved).expect("it could have walked there");
        }
        ticks_agree(&flock, 3);
    }

    #[test]
    fn explanations_tell_the_next_tick(
        config in config(), n in 0_usize..50, how in placement(), seed in any::<u64>()
    ) {
        let mut flock = populated(&config, n, how, &mut Chance(seed));
        for _ in 0..3 {
            let told: Vec<_> =
                flock.iter().map(|body| flock.explain(body.id).expect("it lives")).collect();
            flock.tick();
            for (told, after) in told.iter().zip(flock.iter()) {
                let before = Body {
                    position: told.next_position, velocity: told.next_velocity, ..told.body
                };
                prop_assert_eq!(bits(&before), bits(&after), "{:?}", told);
                let mut sum = [0.0_f32; 2];
                for term in &told.terms {
                    for (sum, force) in sum.iter_mut().zip(term.force) {
                        *sum += term.weight * force;
                    }
                }
                prop_assert_eq!(told.sum, sum);
            }
        }
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
