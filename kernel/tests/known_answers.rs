//! Numbers worked out by hand, so that the fast path and the reference cannot be wrong together.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod common;

use common::{
    GAIT, edge_pairs, engines_agree, flock, hears_only, herd, said, scattered, squared, world,
};
use flockstep::reference::{Explanation, Term};
use flockstep::{
    Body, Config, Drive, Edge, Engine, Flock, Forces, Gait, Kind, Rule, Scenery, Spawn, World,
};

/// To three decimals, as the chapter prints.
fn shown([x, y]: [f32; 2]) -> String {
    format!("{x:.3},{y:.3}")
}

fn length(a: [f32; 2]) -> f32 {
    squared(a).sqrt()
}

fn term<'a>(told: &'a Explanation, name: &str) -> &'a Term {
    told.terms.iter().find(|term| term.name == name).unwrap()
}

/// One body after one tick, which the cells, the pools and the double loop agree on.
fn after(config: Config, position: [f32; 2], velocity: [f32; 2]) -> Body {
    let mut flock = Flock::new(config).unwrap();
    flock.add(Spawn::new(position, velocity)).unwrap();
    engines_agree(&flock, 1).get(0).unwrap()
}

#[test]
fn the_chapter_s_hand_calculation() {
    for edges in edge_pairs() {
        let mut herd = flock(
            world([192.0, 128.0], edges),
            herd(16.0),
            &[
                ([96.0, 64.0], [1.8, 0.6]),
                ([92.0, 67.0], [0.6, -2.0]),
                ([80.0, 64.0], [2.4, 0.0]),
                ([104.0, 70.0], [-0.3, -1.6]),
            ],
        );
        let told = herd.explain(0).unwrap();

        let mut votes = told.neighbours.clone();
        votes.sort_by_key(|vote| vote.body.id);
        let row = |k: usize| {
            let vote = &votes[k];
            let distance = vote.distance_squared.sqrt();
            format!("{} {distance:.3} {}", shown(vote.offset), shown(said(vote, 0).unwrap()))
        };
        assert_eq!(row(0), "4.000,-3.000 5.000 0.160,-0.120");
        assert_eq!(row(1), "16.000,0.000 16.000 0.062,0.000");
        assert_eq!(row(2), "-8.000,-6.000 10.000 -0.080,-0.060");
        assert_eq!(votes.len(), 3);

        let row = |name: &str| {
            let Term { heard, desired, steering, force, .. } = *term(&told, name);
            assert_eq!(heard, 3);
            let full = length(steering);
            format!("{} {} {full:.3} {}", shown(desired), shown(steering), shown(force))
        };
        assert_eq!(row("separation"), "1.490,-1.882 -0.310,-2.482 2.501 -0.037,-0.298");
        assert_eq!(row("alignment"), "1.440,-1.920 -0.360,-2.520 2.546 -0.042,-0.297");
        assert_eq!(row("cohesion"), "-1.920,1.440 -3.720,0.840 3.814 -0.293,0.066");

        // 0.16 + 0.0625 - 0.08 is 0.1425: the chapter's f64 prints 0.143, an f32 just below it.
        assert_eq!(shown(term(&told, "separation").direction), "0.142,-0.180");
        let mean = |sum: [f32; 2]| sum.map(|part| part / 3.0);
        assert_eq!(shown(mean(term(&told, "alignment").direction)), "0.900,-1.200");
        let [x, y] = mean(term(&told, "cohesion").direction);
        assert_eq!(shown([96.0 + x, 64.0 + y]), "92.000,67.000");

        let weights: Vec<f32> = told.terms.iter().map(|term| term.weight).collect();
        assert_eq!(weights, [1.6, 1.0, 0.9]);
        assert_eq!(shown(told.sum), "-0.365,-0.714");
        assert_eq!(format!("{:.3}", length(told.sum)), "0.802");
        assert_eq!(shown(told.cut), "-0.137,-0.267");

        for body in [engines_agree(&herd, 1).get(0).unwrap(), {
            herd.tick();
            herd.get(0).unwrap()
        }] {
            assert_eq!(shown(body.position), "97.663,64.333");
            assert_eq!(shown(body.velocity), "1.663,0.333");
            assert_eq!(body.position, told.next_position);
            assert_eq!(body.velocity, told.next_velocity);
        }
    }
}

#[test]
fn alignment_heads_where_the_mean_velocity_does() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    // Mean velocity (2, 0) and length 2: desired is (1.5, 0), steering (1, -2).
    let kind = Kind { gait: Gait::new(1.5, 4.0), ..hears_only(1, 10.0) };
    let crowd = [
        ([50.0, 50.0], [0.5, 2.0]),
        ([53.0, 50.0], [1.0, 1.5]),
        ([50.0, 46.0], [3.0, -1.5]),
        ([61.0, 50.0], [-9.0, 9.0]),
    ];
    let told = flock(place, kind.clone(), &crowd).explain(0).unwrap();
    let alignment = term(&told, "alignment");
    assert_eq!((alignment.heard, alignment.direction), (2, [4.0, 0.0]), "the last is too far");
    assert_eq!(alignment.desired, [1.5, 0.0]);
    assert_eq!(alignment.steering, [1.0, -2.0]);
    assert_eq!(alignment.force, [1.0, -2.0]);
    let later = engines_agree(&flock(place, kind, &crowd), 1);
    assert_eq!(later.get(0).unwrap().velocity, [1.5, 0.0]);
    assert_eq!(later.get(0).unwrap().position, [51.5, 50.0]);
}

#[test]
fn cohesion_heads_for_the_middle() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    // Neighbours at (3, 4) and (3, 0) from here: their middle is (3, 2), their sum (6, 4). With
    // those at (-3, 4) and (3, 4) it is straight up: desired (0, 2), steering (-1, 2).
    let kind = Kind { gait: Gait::new(2.0, 4.0), ..hears_only(2, 10.0) };
    let still = [0.0, 0.0];
    let aside = [([50.0, 50.0], still), ([53.0, 54.0], still), ([53.0, 50.0], still)];
    let told = flock(place, kind.clone(), &aside).explain(0).unwrap();
    assert_eq!(term(&told, "cohesion").direction, [6.0, 4.0]);

    let ahead = [([50.0, 50.0], [1.0, 0.0]), ([47.0, 54.0], still), ([53.0, 54.0], still)];
    let told = flock(place, kind.clone(), &ahead).explain(0).unwrap();
    let cohesion = term(&told, "cohesion");
    assert_eq!((cohesion.direction, cohesion.desired), ([0.0, 8.0], [0.0, 2.0]));
    assert_eq!(cohesion.steering, [-1.0, 2.0]);
    let later = engines_agree(&flock(place, kind, &ahead), 1);
    assert_eq!(later.get(0).unwrap().velocity, [0.0, 2.0]);
    assert_eq!(later.get(0).unwrap().position, [50.0, 52.0]);
}

#[test]
fn separation_weighs_the_nearest_most() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    // Votes of length 1/2 and 1/8 along x, from either side: (-1/2, 0) + (1/8, 0).
    let kind = Kind { gait: Gait::new(2.0, 4.0), ..hears_only(0, 10.0) };
    let still = [0.0, 0.0];
    let crowd = [([50.0, 50.0], [0.0, 1.0]), ([52.0, 50.0], still), ([42.0, 50.0], still)];
    let told = flock(place, kind.clone(), &crowd).explain(0).unwrap();
    let separation = term(&told, "separation");
    assert_eq!((separation.direction, separation.desired), ([-0.375, 0.0], [-2.0, 0.0]));
    let later = engines_agree(&flock(place, kind, &crowd), 1);
    assert_eq!(later.get(0).unwrap().velocity, [-2.0, 0.0]);
    assert_eq!(later.get(0).unwrap().position, [48.0, 50.0]);
}

#[test]
fn each_rule_s_force_is_cut_before_it_is_weighed() {
    // Both rules would push with (2, 0) and (-2, 0); each is cut to 0.5, weighed 3 and 1.
    let place = World::new(100.0, 100.0, Edge::Walls);
    let kind = Kind {
        rules: vec![Rule::separation(10.0, 3.0), Rule::cohesion(10.0, 1.0)],
        ..Kind::new(Gait::new(2.0, 0.5))
    };
    let pair = flock(place, kind, &[([50.0, 50.0], [0.0; 2]), ([46.0, 50.0], [0.0; 2])]);
    let told = pair.explain(0).unwrap();
    assert_eq!(term(&told, "separation").force, [0.5, 0.0]);
    assert_eq!(term(&told, "cohesion").force, [-0.5, 0.0]);
    assert_eq!((told.sum, told.cut), ([1.0, 0.0], [0.5, 0.0]));
    assert_eq!(engines_agree(&pair, 1).get(0).unwrap().velocity, [0.5, 0.0]);
}

#[test]
fn each_edge_s_step() {
    // (edge, start, velocity, end, velocity at the end), along either axis of a world of 100
    let steps = [
        (Edge::Walls, 1.0, -3.0, 2.0, 3.0),
        (Edge::Walls, 99.0, 3.0, 98.0, -3.0),
        (Edge::Walls, 3.0, -3.0, 0.0, -3.0),
        (Edge::Walls, 97.0, 3.0, 100.0, 3.0),
        (Edge::Walls, 0.0, 3.0, 3.0, 3.0),
        (Edge::Torus, 1.0, -3.0, 98.0, -3.0),
        (Edge::Torus, 99.0, 3.0, 2.0, 3.0),
        (Edge::Torus, 97.0, 3.0, 0.0, 3.0),
        (Edge::Torus, 3.0, -3.0, 0.0, -3.0),
        (Edge::Open, 1.0, -3.0, -2.0, -3.0),
        (Edge::Open, 99.0, 3.0, 102.0, 3.0),
        (Edge::Open, -1000.0, -3.0, -1003.0, -3.0),
    ];
    for (edge, start, v, end, turned) in steps {
        for other in [Edge::Walls, Edge::Torus, Edge::Open] {
            for axis in 0..2 {
                let on = |along, across| if axis == 0 { [along, across] } else { [across, along] };
                let edges = if axis == 0 { [edge, other] } else { [other, edge] };
                let config =
                    Config::new(world([100.0, 100.0], edges), Kind::new(Gait::new(8.0, 1.0)));
                let body = after(config, on(start, 40.0), on(v, 2.0));
                assert_eq!(body.position, on(end, 42.0), "{edges:?} from {start} by {v}");
                assert_eq!(body.velocity, on(turned, 2.0), "{edges:?} from {start} by {v}");
            }
        }
    }
}

#[test]
fn open_edges_let_bodies_go() {
    let place = World::new(100.0, 100.0, Edge::Open);
    let kind = Kind::new(Gait::new(8.0, 1.0));
    let crowd = [([50.0, 50.0], [4.0, -2.0]), ([50.0, 50.0], [-8.0, 0.0])];
    let mut going = flock(place, kind, &crowd);
    for _ in 0..1000 {
        going.tick();
    }
    assert_eq!(going.get(0).unwrap().position, [4050.0, -1950.0]);
    assert_eq!(going.get(1).unwrap().position, [-7950.0, 50.0]);
    engines_agree(&going, 3);
    Flock::restore(&going.snapshot()).unwrap();
}

#[test]
fn dt_scales_force_and_velocity() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    for (dt, velocity, position) in [
        (1.0, [1.5, 1.0], [51.5, 51.0]),
        (0.5, [1.25, 1.0], [50.625, 50.5]),
        (2.0, [2.0, 1.0], [54.0, 52.0]),
        (0.25, [1.125, 1.0], [50.281_25, 50.25]),
    ] {
        let config = Config { dt, ..Config::new(place, Kind::new(Gait::new(4.0, 1.0))) };
        for engine in [Engine::Cells, Engine::Everybody] {
            let mut pushed = Flock::new(config.clone()).unwrap();
            pushed.set_engine(engine);
            pushed.add(Spawn::new([50.0, 50.0], [1.0, 1.0])).unwrap();
            pushed.tick_with(|_| [0.5, 0.0]).unwrap();
            let body = pushed.get(0).unwrap();
            assert_eq!((body.velocity, body.position), (velocity, position), "dt {dt}");
        }
    }
}

#[test]
fn speed_is_cut_to_the_gait() {
    // (6, 8) is 10 long: cut to 5 it is (3, 4).
    let config = Config::new(World::new(100.0, 100.0, Edge::Walls), Kind::new(Gait::new(5.0, 1.0)));
    let body = after(config.clone(), [50.0, 50.0], [6.0, 8.0]);
    assert_eq!((body.velocity, body.position), ([3.0, 4.0], [53.0, 54.0]));
    let body = after(config, [50.0, 50.0], [3.0, -4.0]);
    assert_eq!(body.velocity, [3.0, -4.0], "exactly as fast as allowed");
}

#[test]
fn contain_travels_away_from_near_edges() {
    let contain = Drive::Contain { margin: 14.0 }.weighing(2.0);
    let kind = Kind { behaviours: vec![contain], ..Kind::new(Gait::new(2.5, 8.0)) };
    for edge in [Edge::Walls, Edge::Torus, Edge::Open] {
        let place = World::new(100.0, 80.0, edge);
        // (position, direction); the margin itself is not yet near
        for (position, direction) in [
            ([5.0, 40.0], [1.0, 0.0]),
            ([95.0, 40.0], [-1.0, 0.0]),
            ([50.0, 3.0], [0.0, 1.0]),
            ([50.0, 79.0], [0.0, -1.0]),
            ([5.0, 79.0], [1.0, -1.0]),
            ([95.0, 0.0], [-1.0, 1.0]),
            ([14.0, 66.0], [0.0, 0.0]),
            ([86.0, 14.0], [0.0, 0.0]),
            ([14.0_f32.next_down(), 66.0_f32.next_up()], [1.0, -1.0]),
            ([50.0, 40.0], [0.0, 0.0]),
        ] {
            let alone = flock(place, kind.clone(), &[(position, [-1.0, 0.0])]);
            let told = alone.explain(0).unwrap();
            assert_eq!(term(&told, "contain").direction, direction, "at {position:?}");
            engines_agree(&alone, 3);
        }
    }
    // Exactly: desired (2.5, 0), steering (3.5, 0), weighed 2, cut to 6, velocity 5 cut to 2.5.
    let kind = Kind { gait: Gait::new(2.5, 6.0), ..kind };
    let config = Config::new(World::new(100.0, 80.0, Edge::Walls), kind);
    let alone = flock(config.world, config.kinds[0].clone(), &[([5.0, 40.0], [-1.0, 0.0])]);
    let told = alone.explain(0).unwrap();
    let contain = term(&told, "contain");
    assert_eq!((contain.desired, contain.steering), ([2.5, 0.0], [3.5, 0.0]));
    assert_eq!((told.sum, told.cut), ([7.0, 0.0], [6.0, 0.0]));
    let body = after(config.clone(), [5.0, 40.0], [-1.0, 0.0]);
    assert_eq!((body.velocity, body.position), ([2.5, 0.0], [7.5, 40.0]));
    let mut out = [[0.0; 2]];
    let mut forces = Forces::new(config).unwrap();
    forces.compute(0, &[[5.0, 40.0]], &[[-1.0, 0.0]], &mut out).unwrap();
    assert_eq!(out, [[6.0, 0.0]]);
    // In a world smaller than twice the margin both sides push, and cancel.
    let narrow = Config::new(
        World { size: [20.0, 80.0], edges: [Edge::Walls; 2] },
        Kind { behaviours: vec![Drive::Contain { margin: 14.0 }.weighing(1.0)], ..Kind::new(GAIT) },
    );
    let body = after(narrow, [10.0, 40.0], [0.5, 0.25]);
    assert_eq!((body.velocity, body.position), ([0.5, 0.25], [10.5, 40.25]));
}

/// A wanderer's direction at a tick, from a flock that has come there without being pushed.
fn wander_directions(seed: u64, id: u32, velocity: [f32; 2], ticks: usize) -> Vec<[f32; 2]> {
    let wander = Drive::Wander { distance: 3.0, radius: 2.0, period: PERIOD }.weighing(0.0);
    let kind = Kind { behaviours: vec![wander], ..Kind::new(Gait::new(8.0, 1.0)) };
    let place = World::new(100.0, 100.0, Edge::Torus);
    let mut flock = Flock::new(Config { seed, ..Config::new(place, kind) }).unwrap();
    for _ in 0..=id {
        flock.add(Spawn::new([50.0, 50.0], velocity)).unwrap();
    }
    let mut directions = Vec::new();
    for _ in 0..ticks {
        directions.push(term(&flock.explain(id).unwrap(), "wander").direction);
        flock.tick();
    }
    directions
}

const PERIOD: u32 = 20;

#[test]
fn wander_steers_to_a_circle_ahead() {
    // Headings of which each part is exact, and a body at rest, which heads to +x.
    for (velocity, heading) in [
        ([3.0, 4.0], [0.6, 0.8]),
        ([-2.0, 0.0], [-1.0, 0.0]),
        ([0.0, -5.0], [0.0, -1.0]),
        ([0.0, 0.0], [1.0, 0.0]),
    ] {
        let directions = wander_directions(1, 0, velocity, 400);
        let [hx, hy]: [f32; 2] = heading;
        // The target is on the circle whose middle is 3 ahead and whose radius is 2.
        let spokes: Vec<[f32; 2]> =
            directions.iter().map(|[x, y]| [x - 3.0 * hx, y - 3.0 * hy]).collect();
        for spoke in &spokes {
            assert!((length(*spoke) - 2.0).abs() < 1e-5, "{spoke:?}");
        }
        // It drifts: all round in time, never in a jump. Blended from one drawn angle to the next
        // it turns by at most 1.5 / period of the difference a tick, and that is at most two
        // half-turns: a chord of at most 2 * 3 pi / 20 = 0.942.
        let chords: Vec<f32> = spokes
            .windows(2)
            .map(|pair| length([pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]]))
            .collect();
        assert!(chords.iter().all(|&chord| chord < 0.943), "{chords:?}");
        assert!(chords.iter().sum::<f32>() > 20.0, "it hardly moves");
        for side in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]] {
            let seen = spokes.iter().any(|[x, y]| x * side[0] + y * side[1] > 1.0);
            assert!(seen, "it never points to {side:?}");
        }
        // At every drawn angle it pauses: the blend has no slope there.
        for drawn in (PERIOD as usize..380).step_by(PERIOD as usize) {
            let (pause, between) = (chords[drawn], chords[drawn + PERIOD as usize / 2]);
            assert!(pause <= between + 1e-5, "at tick {drawn}: {pause} and {between}");
        }
    }
}

#[test]
fn wander_depends_on_seed_id_and_tick_alone() {
    let one = wander_directions(1, 0, [3.0, 4.0], 50);
    assert_eq!(wander_directions(1, 0, [3.0, 4.0], 50), one);
    assert_ne!(wander_directions(2, 0, [3.0, 4.0], 50), one, "another seed");
    assert_ne!(wander_directions(1, 1, [3.0, 4.0], 50), one, "another body");
    // The angle off the heading does not depend on where it heads: turned by a right angle, the
    // direction is too.
    let turned = wander_directions(1, 0, [-4.0, 3.0], 50);
    for ([x, y], turned) in one.iter().zip(turned) {
        assert!(length([turned[0] + y, turned[1] - x]) < 1e-5);
    }
    // Nor on company, nor on whether others were removed; and it works by the fast path.
    let wander = Drive::Wander { distance: 3.0, radius: 2.0, period: PERIOD }.weighing(1.0);
    let kind = Kind { behaviours: vec![wander], ..Kind::new(Gait::new(2.0, 0.5)) };
    let place = World::new(100.0, 100.0, Edge::Torus);
    let start = |n: usize| flock(place, kind.clone(), &vec![([50.0, 50.0], [1.0, 0.0]); n]);
    let (mut company, mut fewer) = (start(9), start(9));
    fewer.retain(|body| body.id % 4 == 0);
    for _ in 0..60 {
        company.tick();
        fewer.tick();
        for body in fewer.iter() {
            assert_eq!(company.get(body.id), Some(body));
        }
    }
    engines_agree(&company, 10);
    let [a, b] = [0, 4].map(|id| company.get(id).unwrap().position);
    assert_ne!(a, b, "each body wanders its own way");
}

#[test]
fn wander_s_force_by_hand() {
    // Whatever the angle: towards the direction at full speed, minus velocity, cut, weighed.
    let wander = Drive::Wander { distance: 3.0, radius: 2.0, period: PERIOD }.weighing(0.5);
    let kind = Kind { behaviours: vec![wander], ..Kind::new(Gait::new(2.0, 0.25)) };
    let place = World::new(100.0, 100.0, Edge::Walls);
    let alone = flock(place, kind, &[([50.0, 50.0], [1.0, 0.5])]);
    let told = alone.explain(0).unwrap();
    let wander = term(&told, "wander");
    let [x, y] = wander.direction;
    let scale = 2.0 / length([x, y]);
    assert_eq!(wander.desired, [x * scale, y * scale]);
    let steering = [x * scale - 1.0, y * scale - 0.5];
    assert_eq!(wander.steering, steering);
    let scale = 0.25 / length(steering);
    let force = steering.map(|part| part * scale);
    assert_eq!(wander.force, force);
    let velocity = [1.0 + 0.5 * force[0], 0.5 + 0.5 * force[1]];
    let body = engines_agree(&alone, 1).get(0).unwrap();
    assert_eq!(body.velocity, velocity);
    assert_eq!(body.position, [50.0 + velocity[0], 50.0 + velocity[1]]);
}

#[test]
fn behaviours_are_added_after_the_rules_in_listed_order() {
    let wander = Drive::Wander { distance: 2.0, radius: 1.0, period: 7 }.weighing(0.5);
    let contain = Drive::Contain { margin: 60.0 }.weighing(1.5);
    let place = World::new(100.0, 100.0, Edge::Walls);
    let rules = ["separation", "alignment", "cohesion"];
    for (behaviours, last) in [
        (vec![wander, contain], ["wander", "contain"]),
        (vec![contain, wander], ["contain", "wander"]),
    ] {
        let kind = Kind { behaviours, ..herd(9.0) };
        let pair = flock(place, kind, &[([50.0, 45.0], [1.0, 0.5]), ([45.0, 44.0], [0.0, 0.5])]);
        let told = pair.explain(0).unwrap();
        let names: Vec<_> = told.terms.iter().map(|term| term.name).collect();
        assert_eq!(names, [&rules[..], &last].concat());
        engines_agree(&pair, 20);
    }
}

/// The hashes that `tests/stranger.py` prints, which wrote the contract again in another language.
#[test]
fn a_stranger_who_reads_the_contract_gets_the_same_bits() {
    let behaviours = vec![
        Drive::Wander { distance: 6.0, radius: 4.0, period: 20 }.weighing(0.15),
        Drive::Contain { margin: 14.0 }.weighing(0.6),
    ];
    let mut herd = Kind { behaviours, ..herd(16.0) };
    herd.rules[1] = Rule::alignment(12.0, 1.0);
    let loner = Kind {
        rules: vec![Rule::separation(24.0, 1.5), Rule::cohesion(9.0, -0.5)],
        ..Kind::new(Gait::new(1.5, 0.25))
    };
    for (edges, hash) in [
        ([Edge::Walls, Edge::Torus], 0x15c9_c225_58b7_371c),
        ([Edge::Torus, Edge::Open], 0xdbff_c331_5f84_4cd0),
        ([Edge::Open, Edge::Walls], 0xf8ec_9be1_3fe0_7c9b),
    ] {
        let place = world([100.0, 75.0], edges);
        let kinds = vec![herd.clone(), loner.clone()];
        let scenery = Scenery::default();
        let config = Config { world: place, dt: 0.75, seed: 3, kinds, scenery };
        let mut flock = Flock::new(config).unwrap();
        for (k, (position, velocity)) in scattered(60, place.size, 2.0, 9).into_iter().enumerate() {
            let gait = (k % 7 == 0).then_some(Gait::new(3.0, 0.5));
            flock.add(Spawn { position, velocity, kind: u8::from(k % 3 == 0), gait }).unwrap();
        }
        let mut everybody = flock.clone();
        everybody.set_engine(Engine::Everybody);
        for _ in 0..40 {
            flock.tick();
            everybody.tick();
        }
        assert_eq!(flock.state_hash(), hash, "{edges:?}");
        assert_eq!(everybody.state_hash(), hash, "{edges:?}");
    }
}
