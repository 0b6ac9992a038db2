//! The owned flock as callers see it: bodies by id, refusals by name, snapshots, hashes, counts.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod common;

use common::{
    Chance, ContractGrid, GAIT, assert_same_bits, at_rest, bits, bodies, drawn_config, edge_pairs,
    engines_agree, flock, hears_only, herd, offset, scattered, squared, stamp, world,
};
use flockstep::{
    Body, Config, Counts, Drive, Edge, Engine, Error, Flock, Forces, Gait, Kind, MAX_KINDS,
    Neighbours, PARALLEL_FROM, Rule, Spawn, Weight, World, check_float_mode, reference,
};
use xxhash_rust::xxh3::xxh3_64;

const PLACE: World = World::new(100.0, 80.0, Edge::Walls);

fn ids(flock: &Flock) -> Vec<u32> {
    flock.iter().map(|body| body.id).collect()
}

/// Two kinds, gaits of their own, every behaviour, gaps in the ids: nothing is left at a default.
fn varied(edge: Edge) -> Flock {
    let wander = Drive::Wander { distance: 2.0, radius: 1.0, period: 7 }.weighing(0.5);
    let contain = Drive::Contain { margin: 9.0 }.weighing(1.0);
    let kinds = vec![herd(9.0), Kind { behaviours: vec![wander, contain], ..hears_only(0, 4.0) }];
    let place = World { edges: [edge; 2], ..PLACE };
    let config = Config { kinds, seed: 77, dt: 0.5, ..Config::new(place, herd(9.0)) };
    let mut flock = Flock::new(config).unwrap();
    for (k, (position, velocity)) in scattered(60, place.size, 2.0, 1).into_iter().enumerate() {
        let gait = (k % 5 == 0).then_some(Gait::new(1.5, 0.25));
        flock.add(Spawn { position, velocity, kind: (k % 2) as u8, gait }).unwrap();
    }
    flock.retain(|body| body.id % 7 != 3);
    for _ in 0..3 {
        flock.tick();
    }
    flock
}

/// Everything that a refused call must leave alone.
fn fixed(flock: &Flock) -> (Vec<u8>, Vec<Body>, Config, u64) {
    (flock.snapshot(), bodies(flock), flock.config().clone(), flock.tick_number())
}

// ---- Bodies

#[test]
fn ids_ascend_and_are_never_used_again() {
    let mut flock = flock(PLACE, herd(9.0), &at_rest(&[[1.0, 1.0]; 3]));
    assert_eq!(ids(&flock), [0, 1, 2]);
    flock.remove(2).unwrap();
    assert_eq!(flock.add(Spawn::new([2.0, 2.0], [0.0; 2])), Ok(3));
    flock.retain(|_| false);
    assert_eq!(ids(&flock), [0; 0]);
    assert_eq!(flock.add_all(&[Spawn::new([2.0, 2.0], [0.0; 2]); 4]), Ok(4));
    assert_eq!(ids(&flock), [4, 5, 6, 7]);
    assert_eq!(flock.add_all(&[]), Ok(8), "the id that the next body gets");
    // A refused body uses up no id.
    flock.add(Spawn::new([-1.0, 0.0], [0.0; 2])).unwrap_err();
    assert_eq!(flock.add(Spawn::new([2.0, 2.0], [0.0; 2])), Ok(8));
    for gone in [0, 1, 2, 3, 9, u32::MAX] {
        assert_eq!(flock.get(gone), None);
        assert_eq!(flock.remove(gone), Err(Error::NoSuchBody(gone)));
        assert_eq!(flock.set_gait(gone, GAIT), Err(Error::NoSuchBody(gone)));
        let told = flock.set_motion(gone, [1.0; 2], [0.0; 2]).unwrap_err();
        assert_eq!(told.to_string(), format!("no body has id {gone}"));
        assert_eq!(flock.explain(gone), None);
    }
}

#[test]
fn ids_run_out_by_name() {
    let still = Spawn::new([2.0, 2.0], [0.0; 2]);
    let young = flock(PLACE, Kind::new(GAIT), &at_rest(&[[1.0, 1.0]]));
    let mut saved = young.snapshot();
    // The next id stands before flags, number of bodies, and 20 bytes for the one body.
    let at = saved.len() - 20 - 12;
    assert_eq!(saved[at..at + 4], 1_u32.to_le_bytes());
    saved[at..at + 4].copy_from_slice(&(u32::MAX - 2).to_le_bytes());
    stamp(&mut saved);
    let mut old = Flock::restore(&saved).unwrap();
    assert_eq!(old.add_all(&[still; 3]), Err(Error::IdsRunOut));
    assert_eq!(old.len(), 1, "all or none");
    assert_eq!(old.add_all(&[still; 2]), Ok(u32::MAX - 2));
    let told = old.add(still).unwrap_err().to_string();
    assert_eq!(told, "ids have run out: a flock hands out 4,294,967,295 in its life");
    assert_eq!(ids(&old), [0, u32::MAX - 2, u32::MAX - 1]);
    engines_agree(&old, 2);
}

#[test]
fn bodies_are_read_and_changed_by_id() {
    let mut flock = varied(Edge::Walls);
    let before = bodies(&flock);
    assert_eq!(flock.iter().len(), flock.len());
    assert!(before.is_sorted_by_key(|body| body.id) && before.len() > 40);
    for body in &before {
        assert_eq!(flock.get(body.id), Some(*body));
        assert_eq!(body.kind, (body.id % 2) as u8);
        let kind = flock.config().kinds[usize::from(body.kind)].gait;
        assert_eq!(body.gait, if body.id % 5 == 0 { Gait::new(1.5, 0.25) } else { kind });
    }
    // The columns hold the same bodies, in the order of storage.
    let (stored, [x, y, vx, vy]) = flock.columns();
    let mut columns: Vec<_> =
        (0..stored.len()).map(|at| (stored[at], [x[at], y[at]], [vx[at], vy[at]])).collect();
    columns.sort_unstable_by_key(|&(id, ..)| id);
    assert!(columns.into_iter().eq(before.iter().map(|b| (b.id, b.position, b.velocity))));

    let id = before[20].id;
    flock.set_motion(id, [12.0, 34.0], [-0.5, 0.25]).unwrap();
    flock.set_gait(id, Gait::new(3.0, 2.0)).unwrap();
    let changed = flock.get(id).unwrap();
    assert_eq!((changed.position, changed.velocity), ([12.0, 34.0], [-0.5, 0.25]));
    assert_eq!(changed.gait, Gait::new(3.0, 2.0));
    for body in before.iter().filter(|body| body.id != id) {
        assert_eq!(flock.get(body.id), Some(*body), "nobody else changes");
    }
    engines_agree(&flock, 5);
    assert_eq!(flock.remove(id), Ok(changed), "a body that is removed is handed back");
    assert_eq!(flock.get(id), None);
    assert_eq!(flock.len(), before.len() - 1);
    engines_agree(&flock, 5);
}

#[test]
fn retain_visits_by_ascending_id_and_keeps_what_it_is_told() {
    for keep in [0_u32, 1, 2, 3, 4] {
        let mut flock = varied(Edge::Torus);
        let before = bodies(&flock);
        let mut visited = Vec::new();
        let kept = |body: &Body| body.id * body.id % 5 != keep;
        flock.retain(|body| {
            visited.push(*body);
            kept(body)
        });
        assert_eq!(visited, before);
        let wanted: Vec<Body> = before.into_iter().filter(kept).collect();
        assert_same_bits(&bodies(&flock), &wanted, "kept");
        assert_eq!(bodies(&flock), wanted, "kinds and gaits go with their bodies");
        engines_agree(&flock, 3);
    }
}

#[test]
fn a_list_is_added_wholly_or_not_at_all() {
    let mut flock = varied(Edge::Walls);
    let before = fixed(&flock);
    let fine = Spawn::new([1.0, 1.0], [0.0; 2]);
    for (spawn, told) in [
        (Spawn::new([1.0, 81.0], [0.0; 2]), "body 2: y is 81.0; "),
        (Spawn::new([1.0, 1.0], [f32::NAN, 0.0]), "body 2: vx is NaN; "),
        (Spawn { kind: 2, ..fine }, "body 2: kind is 2"),
        (Spawn { gait: Some(Gait::new(0.0, 1.0)), ..fine }, "body 2: gait.max_speed is 0.0; "),
    ] {
        let refusal = flock.add_all(&[fine, fine, spawn, fine]).unwrap_err().to_string();
        assert!(refusal.starts_with(told), "{refusal}");
        assert_eq!(fixed(&flock), before);
    }
}

// ---- Refusals

type Set = fn(&mut Config, f32);

/// Every positive number of a configuration, by its path.
const POSITIVE: [(&str, Set); 12] = [
    ("world.size[0]", |config, value| config.world.size[0] = value),
    ("world.size[1]", |config, value| config.world.size[1] = value),
    ("dt", |config, value| config.dt = value),
    ("kinds[0].gait.max_speed", |config, value| config.kinds[0].gait.max_speed = value),
    ("kinds[1].gait.max_force", |config, value| config.kinds[1].gait.max_force = value),
    ("kinds[0].rules[0].radius", |config, value| rule(config, 0, 0).radius = value),
    ("kinds[0].rules[1].radius", |config, value| rule(config, 0, 1).radius = value),
    ("kinds[1].rules[2].radius", |config, value| rule(config, 1, 2).radius = value),
    ("kinds[1].rules[0].radius", |config, value| rule(config, 1, 0).radius = value),
    ("kinds[1].behaviours[0].distance", |config, value| behave(config, 0, value)),
    ("kinds[1].behaviours[0].radius", |config, value| behave(config, 1, value)),
    ("kinds[1].behaviours[1].margin", |config, value| behave(config, 2, value)),
];

/// Every weight, by its path.
const WEIGHTS: [(&str, Set); 5] = [
    ("kinds[0].rules[0].weight", |config, value| rule(config, 0, 0).weight = value.into()),
    ("kinds[0].rules[1].weight", |config, value| rule(config, 0, 1).weight = value.into()),
    ("kinds[1].rules[2].weight", |config, value| rule(config, 1, 2).weight = value.into()),
    ("kinds[1].behaviours[0].weight", |config, value| weigh(config, 0, value)),
    ("kinds[1].behaviours[1].weight", |config, value| weigh(config, 1, value)),
];

fn rule(config: &mut Config, kind: usize, rule: usize) -> &mut Rule {
    &mut config.kinds[kind].rules[rule]
}

/// Sets one of the three numbers of the second kind's behaviours.
fn behave(config: &mut Config, number: usize, value: f32) {
    let [wander, contain] = &mut config.kinds[1].behaviours[..] else {
        panic!("the second kind has two behaviours");
    };
    let (Drive::Wander { distance, radius, .. }, Drive::Contain { margin }) =
        (&mut wander.drive, &mut contain.drive)
    else {
        panic!("the second kind wanders and is contained");
    };
    *[distance, radius, margin].into_iter().nth(number).unwrap() = value;
}

/// Sets the weight of one of the second kind's behaviours.
fn weigh(config: &mut Config, behaviour: usize, value: f32) {
    config.kinds[1].behaviours[behaviour].weight = Weight::Steady(value);
}

/// A herd, and a second kind with behaviours too.
fn two_kinds(place: World) -> Config {
    let wander = Drive::Wander { distance: 2.0, radius: 1.0, period: 7 }.weighing(0.5);
    let behaviours = vec![wander, Drive::Contain { margin: 9.0 }.weighing(1.0)];
    let kinds = vec![herd(9.0), Kind { behaviours, ..herd(9.0) }];
    Config { kinds, ..Config::new(place, herd(9.0)) }
}

/// What refuses a configuration, by every way in. `set_config` must change nothing.
#[track_caller]
fn refusal(config: &Config) -> String {
    let told = config.check().unwrap_err();
    assert_eq!(Flock::new(config.clone()).unwrap_err().to_string(), told.to_string());
    assert_eq!(Forces::new(config.clone()).unwrap_err().to_string(), told.to_string());
    let mut flock = varied(Edge::Walls);
    let before = fixed(&flock);
    assert_eq!(flock.set_config(config.clone()).unwrap_err().to_string(), told.to_string());
    assert_eq!(fixed(&flock), before);
    told.to_string()
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for (field, set) in POSITIVE {
        for value in [0.0, -0.0, -1.0, nan, inf, -inf, 1e-30, 1e30, 0.9e-9, 1.1e9] {
            let mut config = two_kinds(PLACE);
            set(&mut config, value);
            let wanted = format!("{field} is {value:?}; allowed: a finite number from 1e-9 to 1e9");
            assert_eq!(refusal(&config), wanted);
        }
        for value in [1e-9, 1.0, 1e9] {
            let mut config = two_kinds(PLACE);
            set(&mut config, value);
            assert_eq!(config.check(), Ok(()), "{field} = {value:?}");
        }
    }
    for (field, set) in WEIGHTS {
        for value in [nan, inf, -inf, 1e30, -1e30, 1.1e6, -1.1e6] {
            let mut config = two_kinds(PLACE);
            set(&mut config, value);
            let wanted = format!("{field} is {value:?}; allowed: a finite number from -1e6 to 1e6");
            assert_eq!(refusal(&config), wanted);
        }
        for value in [0.0, -1.0, 1e-30, 1e6, -1e6] {
            let mut config = two_kinds(PLACE);
            set(&mut config, value);
            assert_eq!(config.check(), Ok(()), "{field} = {value:?}");
        }
    }
    let wander = |period| Drive::Wander { distance: 2.0, radius: 1.0, period }.weighing(0.5);
    for period in [0, 65_537, u32::MAX] {
        let mut config = two_kinds(PLACE);
        config.kinds[0].behaviours = vec![wander(9), wander(period)];
        let told = refusal(&config);
        assert!(told.starts_with("kinds[0].behaviours[1].period is "), "{told}");
        assert!(told.ends_with("; allowed: a whole number of ticks from 1 to 65536"), "{told}");
    }
    let mut config = two_kinds(PLACE);
    config.kinds[0].behaviours = vec![wander(1), wander(65_536)];
    assert_eq!(config.check(), Ok(()));
    config.kinds[1].behaviours = vec![wander(9); 64];
    assert_eq!(config.check(), Ok(()));
    config.kinds[1].behaviours.push(wander(9));
    assert_eq!(refusal(&config), "kinds[1].behaviours lists 65; allowed: at most 64");
    assert_eq!(MAX_KINDS, 32);
    for count in [0, 33, 300] {
        let config = Config { kinds: vec![herd(9.0); count], ..two_kinds(PLACE) };
        assert_eq!(refusal(&config), format!("a flock of {count} kinds; allowed: 1 to 32"));
    }
    let full = Config { kinds: vec![herd(9.0); 32], ..two_kinds(PLACE) };
    let mut full = Flock::new(full).unwrap();
    for kind in 0..32 {
        full.add(Spawn { kind, ..Spawn::new([40.0, 40.0], [0.1 * f32::from(kind), 0.0]) }).unwrap();
    }
    engines_agree(&full, 5);
}

#[test]
fn a_body_s_numbers_out_of_range_are_refused_by_name() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for edges in edge_pairs() {
        let config = Config { world: world([100.0, 80.0], edges), ..two_kinds(PLACE) };
        let mut flock = Flock::new(config).unwrap();
        flock.add_all(&[Spawn::new([1.0, 1.0], [0.5, 0.0]); 3]).unwrap();
        let before = fixed(&flock);
        let fine = Spawn::new([2.0, 2.0], [0.0; 2]);
        let mut refused = |spawn: Spawn, wanted: &str| {
            let told = flock.add(spawn).unwrap_err().to_string();
            assert!(told.starts_with(&format!("body 3: {wanted}")), "{told}, not {wanted}");
            if spawn.kind == 0 && spawn.gait.is_none() {
                let told = flock.set_motion(1, spawn.position, spawn.velocity).unwrap_err();
                let told = told.to_string();
                assert!(told.starts_with(&format!("body 1: {wanted}")), "{told}, not {wanted}");
            }
            if let Some(gait) = spawn.gait {
                let told = flock.set_gait(1, gait).unwrap_err().to_string();
                assert!(told.starts_with(&format!("body 1: {wanted}")), "{told}, not {wanted}");
            }
            assert_eq!(fixed(&flock), before);
        };
        for (axis, name) in ["x", "y"].into_iter().enumerate() {
            let mut values = vec![nan, inf, -inf, 1e30, -1e30, 1.1e9, -1.1e9];
            if edges[axis] != Edge::Open {
                let extent = [100.0_f32, 80.0][axis];
                values.extend([-1.0, -1e-30, extent.next_up(), extent + 1.0]);
            }
            for value in values {
                let mut position = fine.position;
                position[axis] = value;
                refused(Spawn { position, ..fine }, &format!("{name} is {value:?}; allowed: "));
                let mut velocity = [0.0; 2];
                velocity[axis] = value;
                if !value.is_finite() {
                    let wanted = format!("v{name} is {value:?}; allowed: a finite number");
                    refused(Spawn { velocity, ..fine }, &wanted);
                } else if value.abs() > 1e9 {
                    let wanted = format!("velocity is {:?}; allowed: at most 1e9", value.abs());
                    refused(Spawn { velocity, ..fine }, &wanted);
                }
            }
        }
        // The velocity's length counts, not each of its parts.
        refused(Spawn { velocity: [8e8, 8e8], ..fine }, "velocity is ");
        for value in [0.0, -1.0, nan, inf, 1e-30, 1e30] {
            let told = format!("is {value:?}; allowed: a finite number from 1e-9 to 1e9");
            let gait = Some(Gait::new(value, 1.0));
            refused(Spawn { gait, ..fine }, &format!("gait.max_speed {told}"));
            let gait = Some(Gait::new(1.0, value));
            refused(Spawn { gait, ..fine }, &format!("gait.max_force {told}"));
        }
        for kind in [2, 255] {
            refused(Spawn { kind, ..fine }, &format!("kind is {kind}"));
        }
        // What is just allowed.
        flock.add(Spawn::new([0.0, 80.0], [6e8, -8e8])).unwrap();
        flock.add(Spawn::new([100.0, -0.0], [0.0, 1e-40])).unwrap();
        if edges == [Edge::Open; 2] {
            flock.add(Spawn::new([1e9, -1e9], [0.0; 2])).unwrap();
        }
        engines_agree(&flock, 5);
    }
}

#[test]
fn extreme_settings_stay_finite_and_load_again() {
    let mut chance = Chance(5);
    let mut tried = 0;
    for pair in (0..9).cycle().take(540) {
        let edges = edge_pairs().nth(pair).unwrap();
        let mut config = two_kinds(World { edges, ..PLACE });
        for (_, set) in POSITIVE {
            if chance.below(2) == 0 {
                set(&mut config, [1e-9, 1e9, 1e-3, 1e4][chance.below(4)]);
            }
        }
        for (_, set) in WEIGHTS {
            if chance.below(2) == 0 {
                set(&mut config, [1e6, -1e6, 0.0, 1e-30][chance.below(4)]);
            }
        }
        // A torus refuses what would reach round it; nothing else is refused.
        let mut flock = match Flock::new(config.clone()) {
            Ok(flock) => flock,
            Err(Error::RadiusOverTorus { .. } | Error::StepOverTorus { .. }) => continue,
            Err(other) => panic!("{other}"),
        };
        for k in 0..12 {
            let near = [chance.unit(), chance.unit()].map(|p| [p, p * 1e-6, 0.0, 1.0][k % 4]);
            let mut position = [0, 1].map(|axis| near[axis] * config.world.size[axis]);
            for axis in 0..2 {
                if edges[axis] == Edge::Open && chance.below(3) == 0 {
                    position[axis] = [1e9, -1e9, 1e-12, -1e-20][chance.below(4)];
                }
            }
            let length = [1e9, 1e-9, 1.0, 0.0][chance.below(4)] * 0.7;
            let velocity = [length, -length];
            let kind = chance.below(2) as u8;
            flock.add(Spawn { position, velocity, kind, gait: None }).unwrap();
        }
        let later = engines_agree(&flock, 6);
        let restored = Flock::restore(&later.snapshot()).unwrap();
        assert_eq!(restored.state_hash(), later.state_hash());
        tried += 1;
    }
    assert!(tried > 200, "only {tried} configurations were not refused");
}

// ---- Kinds, hosts, configurations

#[test]
fn two_kinds_equal_the_reference() {
    for edges in edge_pairs() {
        let wary = Kind {
            rules: vec![Rule::separation(12.0, 2.0), Rule::cohesion(5.0, -0.5)],
            ..Kind::new(Gait::new(3.0, 0.6))
        };
        let kinds = vec![hears_only(1, 7.0), wary];
        let place = world([100.0, 80.0], edges);
        let config = Config { kinds, ..Config::new(place, herd(1.0)) };
        assert_eq!(config.radius(), 12.0, "the largest of any rule in use");
        let mut mixed = Flock::new(config).unwrap();
        for (k, (position, velocity)) in scattered(150, place.size, 2.0, 6).into_iter().enumerate()
        {
            mixed.add(Spawn { position, velocity, kind: (k % 2) as u8, gait: None }).unwrap();
        }
        let later = engines_agree(&mixed, 30);
        // Each kind keeps its own pace, and each hears by its own rules.
        let fastest = |kind| {
            let of_kind = later.iter().filter(|body| body.kind == kind);
            of_kind.map(|body| squared(body.velocity)).fold(0.0, f32::max)
        };
        assert!(fastest(0) <= 2.4 * 2.4 * 1.000_01 && fastest(1) > 2.4 * 2.4);
        for (id, names) in [(0, &["alignment"][..]), (1, &["separation", "cohesion"])] {
            let told: Vec<_> = mixed.explain(id).unwrap().terms.iter().map(|t| t.name).collect();
            assert_eq!(told, names);
        }
        // Exchanging the kinds changes the bits: the kind is not just carried along.
        let mut exchanged = Flock::new(mixed.config().clone()).unwrap();
        for body in mixed.iter() {
            let Body { position, velocity, kind, .. } = body;
            exchanged.add(Spawn { position, velocity, kind: 1 - kind, gait: None }).unwrap();
        }
        exchanged.tick();
        mixed.tick();
        assert_ne!(bodies(&exchanged)[0].velocity, bodies(&mixed)[0].velocity);
    }
}

#[test]
fn host_forces_equal_the_reference() {
    let host = |body: &Body| {
        let [x, y] = body.position;
        [0.01 * (40.0 - y), 0.02 * (x - 50.0) * f32::from(body.id as u16)]
    };
    for edge in [Edge::Walls, Edge::Torus, Edge::Open] {
        for engine in [Engine::Cells, Engine::Everybody] {
            let mut hosted = varied(edge);
            hosted.set_engine(engine);
            let mut slow = bodies(&hosted);
            for _ in 0..10 {
                let forces: Vec<_> = slow.iter().map(host).collect();
                reference::tick(hosted.config(), hosted.tick_number(), &mut slow, &forces);
                hosted.tick_with(host).unwrap();
                assert_same_bits(&bodies(&hosted), &slow, "with a host's forces");
            }
            // No force at all is no host at all, and nothing is left over from the last tick.
            let mut alone = hosted.clone();
            alone.tick();
            hosted.tick_with(|_| [0.0, 0.0]).unwrap();
            assert_eq!(alone.state_hash(), hosted.state_hash());
            hosted.tick();
            alone.tick();
            assert_eq!(alone.state_hash(), hosted.state_hash());
        }
    }
}

#[test]
fn a_refused_host_force_leaves_everything() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for engine in [Engine::Cells, Engine::Everybody, Engine::Unordered] {
        for parallel_from in [1, usize::MAX] {
            let mut flock = varied(Edge::Torus);
            flock.set_engine(engine);
            flock.set_parallel_from(parallel_from);
            let before = fixed(&flock);
            let columns = flock.columns().0.to_vec();
            for value in [nan, inf, -inf, 1.1e15, -1.1e15] {
                for (axis, name) in ["x", "y"].into_iter().enumerate() {
                    let push = |body: &Body| {
                        let mut force = [0.1, 0.1];
                        if body.id == 30 {
                            force[axis] = value;
                        }
                        force
                    };
                    let told = flock.tick_with(push).unwrap_err().to_string();
                    let wanted = format!(
                        "body 30: force {name} is {value:?}; \
                         allowed: a finite number, at most 1e15 either way"
                    );
                    assert_eq!(told, wanted);
                    assert_eq!(fixed(&flock), before);
                    assert_eq!(flock.columns().0, columns);
                }
            }
            // Nothing of the refused forces is left in the next tick.
            let mut fresh = Flock::restore(&before.0).unwrap();
            fresh.set_engine(engine);
            fresh.tick();
            flock.tick();
            if engine != Engine::Unordered {
                assert_eq!(flock.state_hash(), fresh.state_hash());
            }
            flock.tick_with(|_| [1e15, -1e15]).unwrap();
            assert!(flock.iter().all(|body| body.velocity.iter().all(|v| v.is_finite())));
        }
    }
}

#[test]
fn a_new_configuration_is_followed_at_once() {
    let mut flock = varied(Edge::Walls);
    let mut slow = bodies(&flock);
    let mut chance = Chance(7);
    for edges in edge_pairs() {
        let mut config = drawn_config(&mut chance, edges, 2);
        config.world.size = [100.0, 80.0];
        config.dt = 0.5;
        for kind in &mut config.kinds {
            for rule in &mut kind.rules {
                rule.radius = rule.radius.clamp(1.0, 40.0);
            }
            kind.gait.max_speed = kind.gait.max_speed.min(20.0);
        }
        // Those who walked out through an open edge have no place in a world with walls.
        flock.retain(|body| {
            [0, 1].iter().all(|&a| (0.0..[100.0, 80.0][a]).contains(&body.position[a]))
        });
        flock.set_config(config.clone()).unwrap();
        assert_eq!(flock.config(), &config);
        let gaits: Vec<Gait> = flock.iter().map(|body| body.gait).collect();
        slow.retain(|body| flock.get(body.id).is_some());
        for (body, gait) in slow.iter_mut().zip(gaits) {
            body.gait = gait;
        }
        for _ in 0..5 {
            reference::tick(&config, flock.tick_number(), &mut slow, &[]);
            flock.tick();
            assert_same_bits(&bodies(&flock), &slow, &format!("{edges:?}"));
        }
    }
}

#[test]
fn a_new_kind_s_gait_is_followed_by_all_who_were_given_none() {
    let faster = |config: &Config| {
        let mut config = config.clone();
        config.kinds[0].gait = Gait::new(4.5, 0.75);
        config
    };
    let mut flock = flock(PLACE, herd(9.0), &at_rest(&[[10.0, 10.0], [20.0, 20.0], [30.0, 30.0]]));
    flock.set_config(faster(flock.config())).unwrap();
    assert!(flock.iter().all(|body| body.gait == Gait::new(4.5, 0.75)));
    // One body's own gait is its own affair: the others still have their kind's.
    flock.set_config(Config::new(PLACE, herd(9.0))).unwrap();
    flock.set_gait(1, Gait::new(1.0, 0.1)).unwrap();
    flock.set_config(faster(flock.config())).unwrap();
    assert_eq!(flock.get(1).unwrap().gait, Gait::new(1.0, 0.1));
    for id in [0, 2] {
        assert_eq!(flock.get(id).unwrap().gait, Gait::new(4.5, 0.75), "body {id}");
    }
}

#[test]
fn a_refused_configuration_leaves_everything() {
    let mut flock = varied(Edge::Open);
    flock.set_motion(8, [500.0, -3.0], [0.0, 0.0]).unwrap();
    flock.set_gait(9, Gait::new(90.0, 1.0)).unwrap();
    let before = fixed(&flock);
    let open = flock.config().clone();
    let with = |change: &dyn Fn(&mut Config)| {
        let mut config = open.clone();
        change(&mut config);
        config
    };
    let out = "allowed: from 0 to";
    for (config, told) in [
        (with(&|c| c.world.edges[0] = Edge::Walls), format!("body 8: x is 500.0; {out}")),
        (with(&|c| c.world.edges[1] = Edge::Torus), format!("body 8: y is -3.0; {out}")),
        (with(&|c| drop(c.kinds.pop())), "kind is 1".to_owned()),
        (with(&|c| c.dt = f32::NAN), "dt is NaN".to_owned()),
        (with(&|c| c.kinds[1].gait.max_force = 0.0), "kinds[1].gait.max_force is 0.0".to_owned()),
    ] {
        let refusal = flock.set_config(config).unwrap_err().to_string();
        assert!(refusal.contains(&told), "{refusal}, not {told}");
        assert_eq!(fixed(&flock), before);
    }
    // Too fast for a torus by its own gait: 90 * 0.5 is over half of 80.
    flock.set_motion(8, [50.0, 3.0], [0.0, 0.0]).unwrap();
    flock.retain(|body| {
        [0, 1].iter().all(|&axis| (0.0..=[100.0, 80.0][axis]).contains(&body.position[axis]))
    });
    let before = fixed(&flock);
    let torus = with(&|c| c.world.edges = [Edge::Torus; 2]);
    let refusal = flock.set_config(torus.clone()).unwrap_err().to_string();
    let wanted = "body 9: gait.max_speed times dt is 45.0, over half the torus's y extent; \
                  allowed: at most 40.0";
    assert_eq!(refusal, wanted);
    assert_eq!(fixed(&flock), before);
    engines_agree(&flock, 3);

    flock.set_gait(9, Gait::new(60.0, 1.0)).unwrap();
    flock.set_motion(8, [100.0, 80.0], [0.0, 0.0]).unwrap();
    flock.set_config(torus).unwrap();
    assert_eq!(flock.get(8).unwrap().position, [0.0, 0.0], "a torus's end is its start");
    // A refusal for a later body's sake leaves an earlier one at the wall it stood at.
    let mut walled = self::flock(PLACE, herd(9.0), &at_rest(&[[100.0, 80.0], [1.0, 1.0]]));
    walled.set_gait(1, Gait::new(45.0, 1.0)).unwrap();
    let before = fixed(&walled);
    let torus = World { edges: [Edge::Torus; 2], ..PLACE };
    walled.set_config(Config::new(torus, herd(9.0))).unwrap_err();
    assert_eq!(fixed(&walled), before);
    assert_eq!(walled.get(0).unwrap().position, [100.0, 80.0]);
    // One kind more, one kind less, and more than before: bodies keep theirs by index.
    for count in [3, 2, 5, 2] {
        let kinds = [&open.kinds[..], &open.kinds, &open.kinds].concat();
        flock.set_config(Config { kinds: kinds[..count].to_vec(), ..open.clone() }).unwrap();
        assert!(flock.iter().all(|body| u32::from(body.kind) == body.id % 2));
        engines_agree(&flock, 2);
    }
    flock.retain(|body| body.kind == 0);
    for count in [1, 2, 1] {
        let config = Config { kinds: open.kinds[..count].to_vec(), ..open.clone() };
        flock.set_config(config).unwrap();
        assert!(flock.iter().all(|body| body.kind == 0));
        engines_agree(&flock, 2);
        Flock::restore(&flock.snapshot()).unwrap();
    }
}

// ---- Snapshots

#[test]
fn a_snapshot_that_is_cut_off_is_refused() {
    let flock = varied(Edge::Torus);
    let saved = flock.snapshot();
    let mut other = varied(Edge::Walls);
    let before = fixed(&other);
    for length in 0..saved.len() {
        let refusal = Flock::restore(&saved[..length]).unwrap_err();
        assert!(matches!(refusal, Error::Snapshot(_)), "{length} bytes: {refusal}");
        let refusal = other.restore_from(&saved[..length]).unwrap_err();
        assert!(matches!(refusal, Error::Snapshot(_)), "{length} bytes: {refusal}");
        // The checksum may be right and the bytes too few all the same.
        if length >= 24 {
            let mut shorter = saved[..length].to_vec();
            stamp(&mut shorter);
            let refusal = Flock::restore(&shorter).unwrap_err();
            assert!(matches!(refusal, Error::Snapshot(_)), "{length} bytes: {refusal}");
            assert!(other.restore_from(&shorter).is_err());
        }
    }
    assert_eq!(fixed(&other), before);
    for more in [1, 4, 20, 24] {
        let mut longer = [&saved[..], &vec![0; more]].concat();
        assert!(matches!(Flock::restore(&longer), Err(Error::Snapshot(_))));
        stamp(&mut longer);
        assert!(matches!(Flock::restore(&longer), Err(Error::Snapshot(_))));
    }
    assert_eq!(Flock::restore(&saved).unwrap().snapshot(), saved, "whole, it is taken");
}

/// Few bodies, so that every byte can be tried.
fn small() -> Flock {
    let mut flock = varied(Edge::Torus);
    flock.retain(|body| body.id < 6);
    flock
}

#[test]
fn a_snapshot_with_any_bit_flipped_is_refused() {
    let saved = small().snapshot();
    let mut flock = varied(Edge::Walls);
    let before = fixed(&flock);
    let mut taken = Vec::new();
    for at in 0..saved.len() {
        for bit in 0..8 {
            let mut flipped = saved.clone();
            flipped[at] ^= 1 << bit;
            match Flock::restore(&flipped) {
                Err(Error::Snapshot(_)) => assert!(flock.restore_from(&flipped).is_err()),
                Err(other) => panic!("byte {at}: {other}"),
                Ok(_) => taken.push(at),
            }
        }
    }
    assert_eq!(fixed(&flock), before);
    assert_eq!(taken, [0; 0], "flipped bytes that nobody noticed");
}

#[test]
fn an_altered_snapshot_whose_checksum_fits_is_refused_or_sound() {
    let saved = small().snapshot();
    let (mut refused, mut sound) = (0, 0);
    for at in 24..saved.len() {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut altered = saved.clone();
            altered[at] ^= flip;
            stamp(&mut altered);
            if let Ok(flock) = Flock::restore(&altered) {
                sound += 1;
                // What it was restored to is what it saves, though not always what was altered: NaN
                // has many bit patterns, and one of them stands for "no gait of its own".
                let again = Flock::restore(&flock.snapshot()).unwrap();
                assert_eq!(again.snapshot(), flock.snapshot(), "byte {at}");
                let later = engines_agree(&flock, 2);
                Flock::restore(&later.snapshot()).unwrap();
            } else {
                refused += 1;
            }
        }
    }
    assert!(refused > 200 && sound > 200, "{refused} refused, {sound} sound");
}

#[test]
fn a_snapshot_that_is_not_one_is_told_what_it_lacks() {
    let flock = small();
    let saved = flock.snapshot();
    let refusal = |alter: &dyn Fn(&mut Vec<u8>)| {
        let mut altered = saved.clone();
        alter(&mut altered);
        let told = Flock::restore(&altered).unwrap_err().to_string();
        assert!(told.starts_with("not a usable snapshot: "), "{told}");
        told
    };
    for other in [1, 3] {
        let told = refusal(&|bytes| bytes[8] = other);
        assert!(told.ends_with(&format!("version {other}; this library reads 2")), "{told}");
    }
    let told = refusal(&|bytes| bytes[8..12].copy_from_slice(&0_u32.to_le_bytes()));
    assert!(told.ends_with("version 0; this library reads 2"), "{told}");
    let told = refusal(&|bytes| bytes[0] = b'F');
    assert!(told.contains("does not begin with \"flockstp\""), "{told}");
    let told = refusal(&|bytes| bytes.truncate(10));
    assert!(told.contains("10 bytes are fewer than"), "{told}");
    let told = refusal(&|bytes| *bytes.last_mut().unwrap() ^= 1);
    assert!(told.contains("checksum does not match"), "{told}");

    // Ids stand before six columns of four bytes a body and the kinds' one.
    let n = flock.len();
    let id = |place: usize| saved.len() - n * (4 * 7 + 1) + 4 * place;
    let told = refusal(&|bytes| {
        bytes.copy_within(id(1)..id(2), id(0));
        stamp(bytes);
    });
    assert!(told.contains("an id stands twice or was never handed out"), "{told}");
    let told = refusal(&|bytes| {
        bytes[id(0)..id(1)].copy_from_slice(&60_u32.to_le_bytes());
        stamp(bytes);
    });
    assert!(told.contains("an id stands twice or was never handed out"), "{told}");
}

#[test]
fn a_restored_flock_continues() {
    for edge in [Edge::Walls, Edge::Torus, Edge::Open] {
        let mut flock = varied(edge);
        flock.remove(58).unwrap();
        let saved = flock.snapshot();
        let mut buffer = vec![1, 2, 3];
        flock.snapshot_into(&mut buffer);
        assert_eq!(buffer, saved);

        let mut restored = Flock::restore(&saved).unwrap();
        assert_eq!(fixed(&restored), fixed(&flock));
        assert_eq!(restored.add(Spawn::new([1.0, 1.0], [0.0; 2])), Ok(60), "not 58 or 59 again");
        restored.remove(60).unwrap();
        assert_eq!(restored.add(Spawn::new([1.0, 1.0], [0.0; 2])), Ok(61));

        // Back to the saved state over one that went on, keeping engine and threading.
        let mut back = flock.clone();
        back.set_engine(Engine::Everybody);
        back.set_config(Config { dt: 0.25, seed: 1, ..back.config().clone() }).unwrap();
        back.retain(|body| body.id % 2 == 0);
        back.add_all(&[Spawn::new([1.0, 1.0], [0.0; 2]); 9]).unwrap();
        (0..5).for_each(|_| back.tick());
        back.restore_from(&saved).unwrap();
        assert_eq!(back.engine(), Engine::Everybody);
        assert_eq!(fixed(&back), fixed(&flock));
        assert_eq!(back.fingerprint(), flock.fingerprint());
        for _ in 0..10 {
            back.tick();
            flock.tick();
            assert_eq!(back.state_hash(), flock.state_hash());
        }
        assert_eq!(back.tick_number(), 13);
        assert_eq!(back.add(Spawn::new([1.0, 1.0], [0.0; 2])), Ok(60));

        // Into a flock of another shape altogether.
        let mut other = Flock::new(Config::new(PLACE, Kind::new(GAIT))).unwrap();
        other.restore_from(&saved).unwrap();
        assert_eq!(Flock::restore(&saved).unwrap().state_hash(), other.state_hash());
        engines_agree(&other, 3);
        assert_eq!(other.add(Spawn::new([1.0, 1.0], [0.0; 2])), Ok(60));
    }
}

// ---- Identity of a run

/// The bytes that the contract says a state hash covers; kinds only where there are several.
fn contract_bytes(flock: &Flock) -> Vec<u8> {
    let mut bytes = (flock.len() as u64).to_le_bytes().to_vec();
    for body in flock.iter() {
        bytes.extend(body.id.to_le_bytes());
        for value in [body.position, body.velocity].as_flattened() {
            bytes.extend(value.to_bits().to_le_bytes());
        }
        if flock.config().kinds.len() > 1 {
            bytes.extend(u32::from(body.kind).to_le_bytes());
        }
    }
    bytes
}

#[test]
fn the_state_hash_is_the_contract_s() {
    let nobody = flock(PLACE, herd(9.0), &[]);
    // Python: xxhash.xxh3_64_hexdigest(struct.pack("<Q", 0))
    assert_eq!(nobody.state_hash(), NOBODY);
    let mut three = flock(
        PLACE,
        herd(9.0),
        &[([1.5, 2.25], [0.5, -0.25]), ([99.0, 79.0], [-0.0, 1e-40]), ([100.0, 0.1], [2.0, 0.0])],
    );
    three.remove(1).unwrap();
    three.add(Spawn::new([3.0, 4.0], [5.0, 6.0])).unwrap();
    // Python: xxhash.xxh3_64_hexdigest(struct.pack("<QI4fI4fI4f", 3, 0, 1.5, 2.25, 0.5, -0.25,
    //     2, 100.0, 0.1, 2.0, 0.0, 3, 3.0, 4.0, 5.0, 6.0))
    assert_eq!(three.state_hash(), THREE);
    // Larger than any buffer, and stored in an order that is not that of ids.
    let mut many = flock(PLACE, herd(9.0), &scattered(1000, PLACE.size, 2.0, 8));
    many.retain(|body| body.id % 3 != 1);
    for _ in 0..3 {
        assert_eq!(many.state_hash(), xxh3_64(&contract_bytes(&many)));
        many.tick();
        assert!(!many.columns().0.is_sorted());
    }
}

const NOBODY: u64 = 0xc77b_3abb_6f87_acd9;
const THREE: u64 = 0x5c9d_948e_5527_85f6;
const TWO_KINDS: u64 = 0xf755_147e_795c_7490;

#[test]
fn the_state_hash_is_the_contract_s_with_several_kinds() {
    let mixed = varied(Edge::Torus);
    assert_eq!(mixed.state_hash(), xxh3_64(&contract_bytes(&mixed)));
    let mut two = Flock::new(two_kinds(PLACE)).unwrap();
    two.add(Spawn { kind: 1, ..Spawn::new([1.5, 2.25], [0.5, -0.25]) }).unwrap();
    // Python: xxhash.xxh3_64_hexdigest(struct.pack("<QI4fI", 1, 0, 1.5, 2.25, 0.5, -0.25, 1))
    assert_eq!(two.state_hash(), TWO_KINDS);
}

#[test]
fn every_bit_of_a_state_shows_in_its_hash() {
    let start = varied(Edge::Torus);
    let hash = start.state_hash();
    for id in [0, 29, 58] {
        let Body { position, velocity, .. } = start.get(id).unwrap();
        for part in 0..4 {
            let mut changed = start.clone();
            let (mut p, mut v) = (position, velocity);
            let value = if part < 2 { &mut p[part] } else { &mut v[part - 2] };
            *value = value.next_up();
            changed.set_motion(id, p, v).unwrap();
            assert_ne!(changed.state_hash(), hash, "part {part} of body {id}");
        }
        let mut without = start.clone();
        without.remove(id).unwrap();
        assert_ne!(without.state_hash(), hash);
    }
    // 0 and -0 are different bits.
    let zero = flock(PLACE, herd(9.0), &[([1.0, 1.0], [0.0, 0.0])]);
    let minus = flock(PLACE, herd(9.0), &[([1.0, 1.0], [-0.0, 0.0])]);
    assert_ne!(zero.state_hash(), minus.state_hash());
}

#[test]
fn every_setting_shows_in_the_fingerprint() {
    let of = |config: &Config| Flock::new(config.clone()).unwrap().fingerprint();
    let base = two_kinds(PLACE);
    let mut seen = vec![of(&base)];
    for (_, set) in POSITIVE.into_iter().chain(WEIGHTS) {
        let mut config = base.clone();
        set(&mut config, 0.75);
        seen.push(of(&config));
    }
    for axis in 0..2 {
        for edge in [Edge::Torus, Edge::Open] {
            let mut config = base.clone();
            config.world.edges[axis] = edge;
            seen.push(of(&config));
        }
    }
    seen.push(of(&Config { seed: 1, ..base.clone() }));
    seen.push(of(&Config { kinds: base.kinds[..1].to_vec(), ..base.clone() }));
    let mut config = base.clone();
    config.kinds[0].rules.remove(1);
    seen.push(of(&config));
    config.kinds[0].rules = base.kinds[0].rules[1..].to_vec();
    seen.push(of(&config));
    config = base.clone();
    config.kinds[1].behaviours.reverse();
    seen.push(of(&config));
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), count, "two configurations share a fingerprint");

    // Bodies come and go without it; their own gaits are part of it.
    let mut flock = Flock::new(base.clone()).unwrap();
    flock.add_all(&[Spawn::new([5.0, 5.0], [1.0, 0.0]); 3]).unwrap();
    flock.tick();
    assert_eq!(flock.fingerprint(), of(&base));
    flock.set_gait(1, Gait::new(1.0, 0.5)).unwrap();
    let one = flock.fingerprint();
    assert_ne!(one, of(&base));
    flock.set_gait(1, Gait::new(1.0, 0.25)).unwrap();
    assert_ne!(flock.fingerprint(), one);
}

// ---- What a tick did, and who may call it

#[test]
fn counts_are_the_contract_s() {
    for edges in edge_pairs() {
        for radius in [2.0, 9.0, 24.0, 39.0] {
            let place = world([100.0, 80.0], edges);
            let mut crowd = flock(place, herd(radius), &scattered(200, place.size, 2.0, 9));
            for _ in 0..3 {
                let spots: Vec<[f32; 2]> = crowd.iter().map(|body| body.position).collect();
                let tests = ContractGrid::new(&place, radius, &spots).distance_tests(&place);
                let near = |mine: &[f32; 2]| {
                    let offsets = spots.iter().map(|&theirs| offset(&place, *mine, theirs));
                    offsets.filter(|&apart| squared(apart) <= radius * radius).count() as u64 - 1
                };
                let neighbours: u64 = spots.iter().map(near).sum();

                let mut everybody = crowd.clone();
                everybody.set_engine(Engine::Everybody);
                let wanted =
                    Counts { distance_tests: 200 * 199, lane_slots: 0, neighbours, tasks: 1 };
                assert_eq!(everybody.tick_counted(), wanted);

                for parallel_from in [usize::MAX, 1, 64] {
                    let mut flock = crowd.clone();
                    flock.set_parallel_from(parallel_from);
                    let counts = flock.tick_counted();
                    assert_eq!(counts.distance_tests, tests, "{edges:?}, radius {radius}");
                    assert_eq!(counts.neighbours, neighbours);
                    assert!(counts.lane_slots >= tests, "{counts:?}");
                    assert_eq!(
                        counts.tasks == 1,
                        parallel_from == usize::MAX || !cfg!(feature = "parallel"),
                        "{counts:?}"
                    );
                }
                crowd.tick();
            }
        }
    }
}

#[test]
fn large_flocks_are_spread_and_small_ones_are_not() {
    let place = World::new(4000.0, 4000.0, Edge::Torus);
    let crowd = scattered(PARALLEL_FROM, place.size, 2.0, 10);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut flock = flock(place, herd(16.0), &crowd);
    assert_eq!(pool.install(|| flock.tick_counted()).tasks > 1, cfg!(feature = "parallel"));
    flock.remove(0).unwrap();
    assert_eq!(pool.install(|| flock.tick_counted()).tasks, 1);
}

#[test]
fn counting_changes_no_bit() {
    let (mut counted, mut plain) = (varied(Edge::Torus), varied(Edge::Torus));
    for _ in 0..10 {
        counted.tick_counted();
        plain.tick();
        assert_eq!(counted.state_hash(), plain.state_hash());
    }
    assert_eq!((counted.tick_number(), plain.tick_number()), (13, 13));
}

#[test]
fn an_explanation_tells_the_next_tick() {
    for edge in [Edge::Walls, Edge::Torus, Edge::Open] {
        let mut flock = varied(edge);
        for _ in 0..5 {
            let told: Vec<_> = flock.iter().map(|body| flock.explain(body.id).unwrap()).collect();
            let before = bodies(&flock);
            flock.tick();
            for ((told, before), after) in told.iter().zip(before).zip(bodies(&flock)) {
                assert_eq!(told.body, before);
                let next =
                    Body { position: told.next_position, velocity: told.next_velocity, ..before };
                assert_eq!(bits(&next), bits(&after), "{told:?}");
                let mut sum = [0.0_f32; 2];
                for term in &told.terms {
                    for (sum, force) in sum.iter_mut().zip(term.force) {
                        *sum += term.weight * force;
                    }
                }
                assert_eq!(told.sum, sum);
            }
        }
    }
}

#[test]
fn an_explanation_tells_the_next_tick_with_a_host() {
    let host = |body: &Body| [0.02 * body.position[1], -0.5 * body.velocity[0]];
    for edge in [Edge::Walls, Edge::Torus, Edge::Open] {
        let mut flock = varied(edge);
        assert_eq!(flock.explain_with(u32::MAX, host), None);
        let told: Vec<_> =
            flock.iter().map(|body| flock.explain_with(body.id, host).unwrap()).collect();
        for told in &told {
            let alone = flock.explain(told.body.id).unwrap();
            let pushed = host(&told.body);
            assert_eq!((told.host, alone.host), (Some(pushed), None));
            assert_eq!(told.sum, [alone.sum[0] + pushed[0], alone.sum[1] + pushed[1]]);
            assert_eq!((&told.terms, &told.neighbours), (&alone.terms, &alone.neighbours));
        }
        flock.tick_with(host).unwrap();
        for (told, after) in told.iter().zip(bodies(&flock)) {
            let (position, velocity) = (told.next_position, told.next_velocity);
            assert_eq!(bits(&Body { position, velocity, ..told.body }), bits(&after), "{told:?}");
        }
    }
}

#[test]
fn the_unordered_engine_has_the_neighbours_and_not_the_bits() {
    let place = World::new(192.0, 128.0, Edge::Torus);
    let start = flock(place, herd(16.0), &scattered(300, place.size, 2.0, 11));
    assert_eq!(start.engine(), Engine::Cells);
    let (mut ordered, mut unordered) = (start.clone(), start);
    unordered.set_engine(Engine::Unordered);
    assert_eq!(unordered.engine(), Engine::Unordered);
    let counts = [ordered.tick_counted(), unordered.tick_counted()];
    assert_eq!(counts[0], counts[1]);
    assert_ne!(ordered.state_hash(), unordered.state_hash(), "300 bodies summed in another order");
    for (a, b) in ordered.iter().zip(unordered.iter()) {
        for (a, b) in a.position.iter().zip(b.position) {
            assert!((a - b).abs() < 1e-3, "yet they differ by rounding only");
        }
    }
}

#[test]
fn a_clone_goes_its_own_way() {
    let mut flock = varied(Edge::Torus);
    let mut clone = flock.clone();
    assert_eq!(fixed(&clone), fixed(&flock));
    let before = fixed(&flock);
    clone.tick();
    clone.remove(0).unwrap();
    assert_eq!(fixed(&flock), before);
    flock.tick();
    flock.remove(0).unwrap();
    assert_eq!(fixed(&flock), fixed(&clone));
}

#[test]
fn everything_can_be_sent_and_shared() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Flock>();
    is_shared::<Forces>();
    is_shared::<Neighbours>();
    is_shared::<Config>();
    is_shared::<Error>();
    // Reading a flock from several threads at once, ids out of storage order.
    let start = varied(Edge::Torus);
    let hash = start.state_hash();
    // A clone has not yet worked out its order: whoever asks first does.
    let flock = start.clone();
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4).map(|_| scope.spawn(|| flock.state_hash())).collect();
        for reader in readers {
            assert_eq!(reader.join().unwrap(), hash);
        }
    });
    assert_eq!(start.state_hash(), hash);
}

#[test]
fn offsets_are_the_contract_s() {
    let mut chance = Chance(12);
    for edges in edge_pairs() {
        let place = world([100.0, 80.0], edges);
        for _ in 0..2000 {
            let mut spot = || [chance.within(0.0, 100.0), chance.within(0.0, 80.0)];
            let (from, to) = (spot(), spot());
            assert_eq!(place.offset(from, to), offset(&place, to, from));
        }
        for (from, to) in [([0.0, 0.0], [50.0, 40.0]), ([50.0, 40.0], [0.0, 0.0])] {
            assert_eq!(place.offset(from, to), offset(&place, to, from), "half way round");
        }
    }
}

#[test]
fn this_thread_computes_as_the_contract_asks() {
    assert_eq!(check_float_mode(), Ok(()));
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "a thread's floating-point mode can be changed by no other means")]
mod float_mode {
    use super::{PLACE, herd};
    use flockstep::{Config, Error, Flock, Forces, check_float_mode};
    use std::arch::asm;

    /// What a host's thread is told by the three calls that check its mode.
    #[derive(Default)]
    struct Told {
        check: Option<Error>,
        flock: Option<Error>,
        forces: Option<Error>,
        restored: Option<Error>,
        snapshot: Vec<u8>,
    }

    extern "C" fn ask(told: &mut Told) {
        let config = || Config::new(PLACE, herd(9.0));
        told.check = check_float_mode().err();
        told.flock = Flock::new(config()).err();
        told.forces = Forces::new(config()).err();
        told.restored = Flock::restore(&told.snapshot).err();
    }

    /// The control register of SSE arithmetic.
    fn mode() -> u32 {
        let mut mode = 0_u32;
        // SAFETY: `stmxcsr` stores four bytes, into a variable of four bytes.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack));
        }
        mode
    }

    /// Calls [`ask`] in a mode of its own, as a host written in another language would.
    fn told_in(mode: u32, told: &mut Told) {
        let before = self::mode();
        // SAFETY: the mode is set back before the block ends, so that no Rust code around it runs
        // in another one; the stack is aligned for a call on entry, `ask` has the C ABI, gets the
        // pointer to `told` that it asks for and does not unwind, and all that a C function may
        // clobber is listed. r12 is preserved by the function called.
        unsafe {
            asm!(
                "ldmxcsr [{mode}]",
                "call {ask}",
                "ldmxcsr [r12]",
                mode = in(reg) &raw const mode,
                ask = sym ask,
                in("r12") &raw const before,
                inout("rdi") std::ptr::from_mut(told) => _,
                clobber_abi("C"),
            );
        }
        assert_eq!(self::mode() & 0xffc0, before & 0xffc0, "set back");
    }

    #[test]
    fn a_thread_that_computes_otherwise_is_refused() {
        const FLUSH: u32 = 0x8000;
        const INPUTS_ARE_ZERO: u32 = 0x0040;
        let [down, up, to_zero] = [0x2000, 0x4000, 0x6000];
        std::thread::spawn(move || {
            let usual = mode();
            assert_eq!(usual & 0xe040, 0, "this thread should start as the contract asks");
            let snapshot = Flock::new(Config::new(PLACE, herd(9.0))).unwrap().snapshot();
            let mut fine = Told { snapshot: snapshot.clone(), ..Told::default() };
            told_in(usual, &mut fine);
            assert!(fine.check.is_none() && fine.flock.is_none() && fine.restored.is_none());

            let flushes = "flushes subnormal numbers to zero";
            let rounds = "does not round to nearest even";
            for (bits, what) in [
                (FLUSH, flushes),
                (INPUTS_ARE_ZERO, flushes),
                (FLUSH | INPUTS_ARE_ZERO, flushes),
                (down, rounds),
                (up, rounds),
                (to_zero, rounds),
            ] {
                let mut told = Told { snapshot: snapshot.clone(), ..Told::default() };
                told_in(usual | bits, &mut told);
                let wanted = Some(Error::FloatMode(what));
                assert_eq!(told.check, wanted, "mode {bits:#x}");
                assert_eq!(told.flock, wanted, "mode {bits:#x}");
                assert_eq!(told.forces, wanted, "mode {bits:#x}");
                assert_eq!(told.restored, wanted, "mode {bits:#x}");
                let text = Error::FloatMode(what).to_string();
                assert!(text.starts_with(&format!("this thread {what}")), "{text}");
            }
            assert_eq!(check_float_mode(), Ok(()), "and this thread is as it was");
        })
        .join()
        .unwrap();
    }
}
