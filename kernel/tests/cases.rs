//! Faults that users of such software have met, one test each, named as in the table of cases.
//! Where the same fault could live on another axis, edge, engine or rule, the test goes there too.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod common;

use common::{
    Chance, ContractGrid, GAIT, altered, at_rest, bits, bodies, edge_pairs, engines_agree, flock,
    hearings, hears_only, herd, neighbours, offset, said, scattered, squared, stored, ticks_agree,
    world,
};
use flockstep::reference::Term;
use flockstep::{
    Body, Config, Drive, Edge, Engine, Error, Flock, Forces, Gait, Kind, Neighbours, Rule, Spawn,
    Urge, World,
};
use std::sync::Mutex;

type Motion = ([f32; 2], [f32; 2]);

/// What body `id` will be told by one of its rules.
fn term(flock: &Flock, id: u32, name: &str) -> Term {
    let told = flock.explain(id).unwrap();
    told.terms.into_iter().find(|term| term.name == name).unwrap()
}

/// The same bodies with x and y exchanged.
fn transposed(bodies: &[Motion]) -> Vec<Motion> {
    bodies.iter().map(|&([x, y], [vx, vy])| ([y, x], [vy, vx])).collect()
}

/// The forces that one kind of bodies feels, by the fast path.
fn forces(world: World, kind: Kind, bodies: &[Motion]) -> Vec<[f32; 2]> {
    let (positions, velocities): (Vec<_>, Vec<_>) = bodies.iter().copied().unzip();
    let mut out = vec![[0.0; 2]; bodies.len()];
    let mut forces = Forces::new(Config::new(world, kind)).unwrap();
    forces.compute(0, &positions, &velocities, &mut out).unwrap();
    out
}

#[test]
fn coincident_pair() {
    let tiny = 1e-23_f32;
    assert_eq!(squared([tiny, 0.0]), 0.0, "the squared distance should underflow");
    let pairs = [
        [[50.0, 50.0], [50.0, 50.0]],
        [[0.0, 0.0], [tiny, 0.0]],
        [[0.0, 0.0], [0.0, tiny]],
        [[tiny, tiny], [0.0, 0.0]],
    ];
    for edges in edge_pairs() {
        let place = world([100.0, 100.0], edges);
        for pair in pairs {
            let resting = flock(place, herd(10.0), &at_rest(&pair));
            assert_eq!(hearings(&resting), [[1], [0]]);
            for told in [0, 1].map(|id| resting.explain(id).unwrap()) {
                let [separation, alignment, cohesion] =
                    [0, 1, 2].map(|rule| said(&told.neighbours[0], rule));
                assert_eq!(separation, None, "one spot names no direction");
                assert!(alignment.is_some() && cohesion.is_some(), "yet both are heard");
            }
            assert_eq!(term(&resting, 0, "separation").heard, 0);
            // Nothing names a direction, so nothing moves.
            let later = engines_agree(&resting, 100);
            for (before, after) in bodies(&resting).iter().zip(bodies(&later)) {
                assert_eq!(before.position, after.position);
                assert_eq!(after.velocity, [0.0, 0.0]);
            }
            let moving = [(pair[0], [1.0, 0.5]), (pair[1], [-0.5, 1.0])];
            engines_agree(&flock(place, herd(10.0), &moving), 100);
        }
    }
    // The rule's own edge: votes begin at 1e-12 and are finite there.
    for (apart, heard) in [(1.1e-12, 1), (0.9e-12, 0)] {
        for other in [[apart, 0.0], [0.0, apart]] {
            let place = World::new(100.0, 100.0, Edge::Walls);
            let pair = flock(place, herd(10.0), &at_rest(&[[0.0, 0.0], other]));
            let separation = term(&pair, 0, "separation");
            assert_eq!(separation.heard, heard, "{apart} apart");
            assert!(separation.direction.iter().all(|part| part.is_finite()));
            engines_agree(&pair, 100);
        }
    }
}

#[test]
fn coincident_are_neighbours() {
    for edges in edge_pairs() {
        let place = world([10.0, 10.0], edges);
        for rule in 0..3 {
            let mut crowd = flock(place, hears_only(rule, 1.0), &at_rest(&[[0.5, 0.5]; 2]));
            assert_eq!(hearings(&crowd), [[1], [0]]);
            crowd.add(Spawn::new([0.5, 0.5], [0.0, 0.0])).unwrap();
            assert_eq!(hearings(&crowd), [vec![1, 2], vec![0, 2], vec![0, 1]]);
            // Identity is the id, wherever the body is stored.
            crowd.remove(0).unwrap();
            crowd.add(Spawn::new([0.5, 0.5], [0.0, 0.0])).unwrap();
            assert_eq!(hearings(&crowd), [[2, 3], [1, 3], [1, 2]]);
            let told = crowd.explain(3).unwrap();
            assert_eq!(told.terms[0].heard, if rule == 0 { 0 } else { 2 });
            engines_agree(&crowd, 3);
        }
        // A point is nobody: it hears everyone on its spot.
        let mut near = Neighbours::new(place, 1.0).unwrap();
        near.build(&[[0.5, 0.5]; 3]).unwrap();
        let mut found = Vec::new();
        near.of_point([0.5, 0.5], 1.0, |neighbour| found.push(neighbour.index)).unwrap();
        assert_eq!(found, [0, 1, 2]);
    }
}

#[test]
fn identical_crowd() {
    let crowd = |place, spot, n| flock(place, herd(1.0), &at_rest(&vec![spot; n]));
    let middle = crowd(World::new(10.0, 10.0, Edge::Walls), [5.0, 5.0], 10_000);
    let counts = [Engine::Cells, Engine::Everybody, Engine::Unordered].map(|engine| {
        let mut crowd = middle.clone();
        crowd.set_engine(engine);
        let counts = crowd.tick_counted();
        assert_eq!(crowd.state_hash(), middle.state_hash(), "{engine:?}: nothing should move");
        counts
    });
    for counts in counts {
        assert_eq!(counts.neighbours, 10_000 * 9_999);
        assert_eq!(counts.distance_tests, 10_000 * 9_999);
    }
    for id in [0, 5_000, 9_999] {
        assert_eq!(middle.explain(id).unwrap().neighbours.len(), 9_999);
    }
    let mut near = Neighbours::new(middle.config().world, 1.0).unwrap();
    near.build(&[[5.0, 5.0]; 10_000]).unwrap();
    for index in [0, 9_999] {
        let mut found = 0;
        near.of_body(index, |_| found += 1);
        assert_eq!(found, 9_999);
    }
    // In every corner, the last cell's and a torus's seam among them.
    for edges in edge_pairs() {
        for spot in [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]] {
            let cornered = crowd(world([10.0, 10.0], edges), spot, 300);
            let (_, counts) = ticks_agree(&cornered, 2);
            assert_eq!(counts.neighbours, 300 * 299);
        }
    }
}

#[test]
fn torus_tiny_negative() {
    let place = World::new(100.0, 100.0, Edge::Torus);
    assert_eq!(-1e-8_f32 + 100.0, 100.0, "the wrapped value should round to the extent");
    let stepping = [([0.0, 50.0], [-1e-8, 0.0]), ([1e-8, 50.0], [-2e-8, 0.0])];
    for bodies in [stepping.to_vec(), transposed(&stepping)] {
        for kind in [Kind::new(GAIT), hears_only(1, 10.0)] {
            let start = flock(place, kind, &bodies);
            let later = engines_agree(&start, 1);
            if start.config().radius() == 0.0 {
                assert!(later.iter().all(|body| body.position.contains(&0.0)), "{later:?}");
            }
            let later = engines_agree(&start, 20);
            for body in later.iter() {
                assert!(body.position.iter().all(|p| (0.0..100.0).contains(p)), "{body:?}");
            }
            // And what is saved there loads again.
            Flock::restore(&later.snapshot()).unwrap();
        }
    }
}

#[test]
fn torus_corner() {
    let place = World::new(12.0, 10.0, Edge::Torus);
    for (start, step, end) in [
        ([11.0, 9.0], [3.0, 1.0], [2.0, 0.0]),
        ([1.0, 0.0], [-3.0, -1.0], [10.0, 9.0]),
        ([11.0, 0.0], [1.0, -2.0], [0.0, 8.0]),
        ([0.5, 9.5], [-0.5, 0.5], [0.0, 0.0]),
    ] {
        for kind in
            [Kind::new(Gait::new(5.0, 1.0)), Kind { gait: Gait::new(5.0, 1.0), ..herd(2.0) }]
        {
            let later = engines_agree(&flock(place, kind, &[(start, step)]), 1);
            assert_eq!(later.get(0).unwrap().position, end);
        }
    }
}

#[test]
fn walled_far_edge() {
    let size = [96.0, 64.0];
    for edges in edge_pairs() {
        let place = world(size, edges);
        for corner in [[0.0, 0.0], [96.0, 0.0], [0.0, 64.0], [96.0, 64.0]] {
            let inside = corner.map(|p: f32| (p - 1.0).abs());
            let pair = flock(place, herd(2.0), &at_rest(&[corner, inside]));
            assert_eq!(hearings(&pair), [[1], [0]], "{edges:?} at {corner:?}");
            engines_agree(&pair, 20);
        }
    }
    // The far corner is in the last cell: of all bodies it comes last.
    let mut walled =
        flock(World::new(96.0, 64.0, Edge::Walls), herd(4.0), &scattered(200, size, 1.0, 1));
    let cornered = walled.add(Spawn::new(size, [0.0, 0.0])).unwrap();
    walled.tick();
    assert_eq!(walled.columns().0.last(), Some(&cornered));
    let mut near = Neighbours::new(World::new(96.0, 64.0, Edge::Walls), 4.0).unwrap();
    near.build(&[[1.0, 1.0], size]).unwrap();
    let mut found = Vec::new();
    near.in_rectangle(size, size, |index| found.push(index)).unwrap();
    assert_eq!(found, [1]);
}

#[test]
fn negative_positions() {
    let place = World::new(10.0, 10.0, Edge::Open);
    for shift in [0.0, -64.0, -4096.0] {
        let pair = [([shift - 0.3, 0.0], [0.0; 2]), ([shift + 0.2, 0.0], [0.0; 2])];
        for pair in [pair.to_vec(), transposed(&pair)] {
            let pair = flock(place, herd(0.6), &pair);
            assert_eq!(hearings(&pair), [[1], [0]]);
            engines_agree(&pair, 20);
        }
    }
    // In a crowd around the origin, truncation towards zero must not fold cells -1 and 0 together.
    let mut crowd = scattered(300, [20.0, 20.0], 1.0, 2);
    for (position, _) in &mut crowd {
        *position = position.map(|p| p - 10.0);
    }
    let crowd = flock(place, herd(0.6), &crowd);
    assert_double_loop(&crowd);
    engines_agree(&crowd, 10);
}

/// Asserts that everyone's neighbours are those of a double loop written here.
#[track_caller]
fn assert_double_loop(flock: &Flock) {
    let (place, all) = (flock.config().world, bodies(flock));
    let reach = flock.config().radius() * flock.config().radius();
    for (body, mut heard) in all.iter().zip(hearings(flock)) {
        let near = |other: &&Body| {
            let apart = offset(&place, body.position, other.position);
            other.id != body.id && squared(apart) <= reach
        };
        let wanted: Vec<u32> = all.iter().filter(near).map(|other| other.id).collect();
        heard.sort_unstable();
        assert_eq!(heard, wanted, "neighbours of {body:?}");
    }
}

#[test]
fn small_torus() {
    let lattice = |cols: u8, rows: u8| -> Vec<[f32; 2]> {
        let spots = (0..rows).flat_map(|y| (0..cols).map(move |x| [x, y]));
        spots.map(|spot| spot.map(f32::from)).collect()
    };
    let place = World::new(4.0, 4.0, Edge::Torus);
    for rule in 0..3 {
        let kind = Kind { gait: Gait::new(1.0, 0.3), ..hears_only(rule, 1.5) };
        let small = flock(place, kind, &at_rest(&lattice(4, 4)));
        assert_eq!(neighbours(&small), [8; 16]);
        assert_eq!(hearings(&small).iter().map(Vec::len).collect::<Vec<_>>(), [8; 16]);
        for body in small.iter() {
            assert_eq!(small.explain(body.id).unwrap().terms[0].heard, 8);
        }
        engines_agree(&small, 20);
    }
    // One, two, three and four cells on either axis, and each beside a wall or nothing.
    for (cols, rows) in [(3, 3), (3, 9), (9, 3), (4, 12), (12, 4), (5, 5), (6, 4), (7, 8)] {
        for edges in edge_pairs() {
            let place = world([f32::from(cols), f32::from(rows)], edges);
            for radius in [1.0, 1.42, 1.5] {
                let moving = lattice(cols, rows).into_iter().zip(1_u8..);
                let moving = moving.map(|(p, k)| (p, [f32::from(k % 5) - 2.0, f32::from(k % 3)]));
                let moving: Vec<Motion> = moving.collect();
                let kind = Kind { gait: Gait::new(1.0, 0.3), ..herd(radius) };
                let small = flock(place, kind, &moving);
                assert_double_loop(&small);
                engines_agree(&small, 10);
            }
        }
    }
}

#[test]
fn torus_radius_limit() {
    let torus = Edge::Torus;
    for (edges, axis) in [
        ([torus, torus], 'x'),
        ([torus, Edge::Walls], 'x'),
        ([torus, Edge::Open], 'x'),
        ([Edge::Walls, torus], 'y'),
        ([Edge::Open, torus], 'y'),
    ] {
        let place = world([100.0, 100.0], edges);
        for rule in 0..3 {
            let refused = Config::new(place, hears_only(rule, 51.0));
            let told = format!(
                "kinds[0].rules[0].radius is 51.0, over half the torus's {axis} extent; \
                 allowed: at most 50.0"
            );
            assert_eq!(Flock::new(refused.clone()).unwrap_err().to_string(), told);
            assert_eq!(Forces::new(refused.clone()).unwrap_err().to_string(), told);

            let bodies = [([1.0, 1.0], [1.0, 0.0]), ([51.0, 1.0], [0.0, 1.0])];
            let mut half = flock(place, hears_only(rule, 50.0), &bodies);
            assert_eq!(half.set_config(refused).unwrap_err().to_string(), told);
            assert_eq!(hearings(&half), [[1], [0]]);
            engines_agree(&half, 10);
        }
        let told =
            format!("radius is 51.0, over half the torus's {axis} extent; allowed: at most 50.0");
        assert_eq!(Neighbours::new(place, 51.0).unwrap_err().to_string(), told);
        let near = Neighbours::new(place, 50.0).unwrap();
        let refusal = near.of_point([1.0, 1.0], 51.0, |_| ()).unwrap_err();
        assert_eq!(refusal.to_string(), told);
        near.of_point([1.0, 1.0], 50.0, |_| ()).unwrap();
    }
    // The shorter axis sets the limit.
    let oblong = World::new(100.0, 60.0, torus);
    let told = Flock::new(Config::new(oblong, herd(31.0))).unwrap_err().to_string();
    assert!(told.contains("31.0") && told.contains("y extent") && told.contains("30.0"), "{told}");
    assert!(Flock::new(Config::new(oblong, herd(30.0))).is_ok());
    assert!(Flock::new(Config::new(World::new(100.0, 60.0, Edge::Walls), herd(51.0))).is_ok());
}

#[test]
fn torus_cohesion_direction() {
    let place = World::new(100.0, 100.0, Edge::Torus);
    let across = [([99.0, 50.0], [0.0; 2]), ([1.0, 50.0], [0.0; 2])];
    // (rule, direction of the body at 99 along the axis that wraps)
    for (rule, name, sign) in [(2, "cohesion", 1.0), (0, "separation", -1.0)] {
        for (axis, pair) in [across.to_vec(), transposed(&across)].into_iter().enumerate() {
            let pair_flock = flock(place, hears_only(rule, 10.0), &pair);
            let direction = term(&pair_flock, 0, name).direction;
            assert!(direction[axis] * sign > 0.0, "{name} at 99: {direction:?}");
            assert_eq!(direction[1 - axis], 0.0);
            let direction = term(&pair_flock, 1, name).direction;
            assert!(direction[axis] * sign < 0.0, "{name} at 1: {direction:?}");
            let force = forces(place, hears_only(rule, 10.0), &pair);
            assert_eq!(force[0][axis], sign * GAIT.max_force);
            assert_eq!(force[1][axis], -sign * GAIT.max_force);
            assert_eq!([force[0][1 - axis], force[1][1 - axis]], [0.0, 0.0]);
            engines_agree(&pair_flock, 50);
        }
    }
    // Cohesion alone adds up to the offset to the other's nearest image.
    let pair = flock(place, hears_only(2, 10.0), &across);
    assert_eq!(term(&pair, 0, "cohesion").direction, [2.0, 0.0]);
}

#[test]
fn one_axis_torus() {
    let along = |edges, place: [[f32; 2]; 2]| {
        let pair = flock(world([100.0, 100.0], edges), herd(5.0), &at_rest(&place));
        engines_agree(&pair, 20);
        hearings(&pair).concat().len()
    };
    let (across_y, across_x) = ([[50.0, 1.0], [50.0, 99.0]], [[1.0, 50.0], [99.0, 50.0]]);
    for other in [Edge::Walls, Edge::Open] {
        assert_eq!(along([Edge::Torus, other], across_y), 0);
        assert_eq!(along([Edge::Torus, other], across_x), 2);
        assert_eq!(along([other, Edge::Torus], across_x), 0);
        assert_eq!(along([other, Edge::Torus], across_y), 2);
        assert_eq!(along([other, other], across_x) + along([other, other], across_y), 0);
    }
    // Opposite corners meet only where both axes wrap.
    for edges in edge_pairs() {
        let wanted = if edges == [Edge::Torus; 2] { 2 } else { 0 };
        assert_eq!(along(edges, [[1.0, 1.0], [99.0, 99.0]]), wanted, "{edges:?}");
    }
}

#[test]
fn on_the_radius() {
    let beyond = 4.0_f32.next_up();
    for edges in edge_pairs() {
        let place = world([100.0, 100.0], edges);
        for rule in 0..3 {
            for (other, heard) in [([3.0, 4.0], 1), ([4.0, 3.0], 1), ([3.0, beyond], 0)] {
                let pair = flock(place, hears_only(rule, 5.0), &at_rest(&[[0.0, 0.0], other]));
                assert_eq!(hearings(&pair).concat().len(), 2 * heard, "{edges:?} at {other:?}");
                for id in 0..2 {
                    assert_eq!(pair.explain(id).unwrap().terms[0].heard as usize, heard);
                }
                engines_agree(&pair, 3);
            }
        }
        // In every lane of a block: many ask, one answers, all exactly 5 away.
        let ring = [[3.0, 4.0], [-3.0, 4.0], [4.0, -3.0], [-4.0, -3.0], [5.0, 0.0], [0.0, -5.0]];
        let mut spots = vec![[50.0, 50.0]];
        spots.extend(ring.iter().cycle().take(40).map(|[x, y]| [50.0 + x, 50.0 + y]));
        let crowd = flock(place, herd(5.0), &at_rest(&spots));
        assert_eq!(hearings(&crowd)[0].len(), 40);
        engines_agree(&crowd, 3);
    }
    // Across a torus's seam, on both axes at once.
    let place = World::new(100.0, 100.0, Edge::Torus);
    let seam = flock(place, herd(5.0), &at_rest(&[[98.0, 99.0], [1.0, 3.0]]));
    assert_eq!(hearings(&seam), [[1], [0]]);
}

#[test]
fn cell_boundary_rounding() {
    for edges in edge_pairs() {
        let place = world([410.0, 410.0], edges);
        for pair in [[[40.9, 7.0], [41.0, 7.0]], [[7.0, 40.9], [7.0, 41.0]]] {
            let pair = flock(place, herd(41.0), &at_rest(&pair));
            assert_eq!(hearings(&pair), [[1], [0]], "symmetric");
            engines_agree(&pair, 5);
        }
    }
    // 10,000 bodies on multiples of the radius, an ulp to either side or exactly.
    for (radius, edges) in [
        (41.0, [Edge::Walls, Edge::Torus]),
        (0.1, [Edge::Torus, Edge::Open]),
        (1.0 / 3.0, [Edge::Open, Edge::Walls]),
    ] {
        let place = world([radius * 100.0, radius * 90.0], edges);
        let mut chance = Chance(3);
        let mut spot = |axis: usize| {
            let multiple = chance.below(100) as f32 * radius;
            let near = [multiple, multiple.next_up(), multiple.next_down()][chance.below(3)];
            near.clamp(0.0, place.size[axis])
        };
        let spots: Vec<[f32; 2]> = (0..10_000).map(|_| [spot(0), spot(1)]).collect();
        let spots: Vec<[f32; 2]> = spots.iter().map(|&spot| stored(&place, spot)).collect();
        let mut near = Neighbours::new(place, radius).unwrap();
        near.build(&spots).unwrap();
        let (mut offsets, mut indices) = (Vec::new(), Vec::new());
        near.lists(&mut offsets, &mut indices);
        let mut pairs = 0;
        for (i, &mine) in spots.iter().enumerate() {
            let heard = offsets[i] as usize..offsets[i + 1] as usize;
            let mut heard = indices[heard].to_vec();
            heard.sort_unstable();
            let within = |j: &u32| {
                let apart = offset(&place, mine, spots[*j as usize]);
                *j as usize != i && squared(apart) <= radius * radius
            };
            let wanted: Vec<u32> = (0..spots.len() as u32).filter(within).collect();
            assert_eq!(heard, wanted, "neighbours of {mine:?}");
            // Hearing is mutual: the list above is symmetric because the double loop is.
            pairs += wanted.len() as u64;
        }
        let (_, counts) = ticks_agree(&flock(place, herd(radius), &at_rest(&spots)), 1);
        assert_eq!(counts.neighbours, pairs);
    }
}

#[test]
fn translation() {
    let spots = [[500.0, 700.0], [620.0, 770.0], [333.0, 641.0], [1000.0, 905.0], [517.0, 1201.0]];
    let spots = spots.map(|spot: [f32; 2]| spot.map(|p| p / 64.0));
    for edges in edge_pairs() {
        let place = world([192.0, 192.0], edges);
        // What each body hears, by id: cells move under the bodies, so the order may change.
        let heard = |shift: [f32; 2]| -> Vec<Vec<(u32, [u32; 2], u32)>> {
            let moved = spots.map(|[x, y]| [x + shift[0], y + shift[1]]);
            let moved = flock(place, herd(6.0), &at_rest(&moved));
            hearings(&moved);
            engines_agree(&moved, 20);
            let told = moved.iter().map(|body| moved.explain(body.id).unwrap().neighbours);
            told.map(|votes| {
                let told = votes.iter().map(|vote| {
                    (vote.body.id, vote.offset.map(f32::to_bits), vote.distance_squared.to_bits())
                });
                let mut told: Vec<_> = told.collect();
                told.sort_unstable();
                told
            })
            .collect()
        };
        let at_home = heard([0.0, 0.0]);
        assert!(at_home.iter().any(|heard| heard.len() > 1), "{at_home:?}");
        for shift in [[64.0, 0.0], [0.0, 64.0], [64.0, 64.0], [128.0, 64.0]] {
            assert_eq!(heard(shift), at_home, "{edges:?} shifted by {shift:?}");
        }
    }
}

#[test]
fn alignment_mean() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    let kind = Kind { gait: Gait::new(2.5, 8.0), ..hears_only(1, 10.0) };
    let crowd = [
        ([50.0, 50.0], [0.5, -1.0]),
        ([51.0, 50.0], [1.0, 0.0]),
        ([50.0, 51.0], [0.0, 1.0]),
        ([49.0, 50.0], [-1.0, 0.0]),
    ];
    let level = flock(place, kind.clone(), &crowd);
    assert_eq!(term(&level, 0, "alignment").direction, [0.0, 1.0]);
    assert_eq!(term(&level, 0, "alignment").desired, [0.0, 2.5]);
    assert_eq!(forces(place, kind.clone(), &crowd)[0], [-0.5, 3.5]);
    engines_agree(&level, 20);

    let crowd = transposed(&crowd);
    let upright = flock(place, kind.clone(), &crowd);
    assert_eq!(term(&upright, 0, "alignment").direction, [1.0, 0.0]);
    assert_eq!(forces(place, kind, &crowd)[0], [3.5, -0.5]);
}

#[test]
fn opposite_headings() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    let between =
        [([50.0, 50.0], [0.5, 0.25]), ([52.0, 50.0], [1.0, 0.0]), ([48.0, 50.0], [-1.0, 0.0])];
    // The same could be said of two who stand on opposite sides.
    for (rule, name) in [(1, "alignment"), (0, "separation"), (2, "cohesion")] {
        for crowd in [between.to_vec(), transposed(&between)] {
            let undecided = flock(place, hears_only(rule, 3.0), &crowd);
            let told = term(&undecided, 0, name);
            assert_eq!((told.heard, told.direction, told.force), (2, [0.0; 2], [0.0; 2]));
            assert_eq!(forces(place, hears_only(rule, 3.0), &crowd)[0], [0.0, 0.0]);
            let later = engines_agree(&undecided, 1).get(0).unwrap();
            let ([x, y], [vx, vy]) = crowd[0];
            assert_eq!((later.position, later.velocity), ([x + vx, y + vy], [vx, vy]));
        }
    }
}

#[test]
fn bad_radius() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-30] {
        for rule in 0..3 {
            let config = Config::new(place, hears_only(rule, radius));
            let told = format!(
                "kinds[0].rules[0].radius is {radius:?}; allowed: a finite number from 1e-9 to 1e9"
            );
            assert_eq!(Flock::new(config.clone()).unwrap_err().to_string(), told);
            assert_eq!(Forces::new(config.clone()).unwrap_err().to_string(), told);
            let mut sound = flock(place, herd(10.0), &[]);
            assert_eq!(sound.set_config(config.clone()).unwrap_err().to_string(), told);
            // In a second kind too, whose index is told.
            let kinds = vec![herd(10.0), hears_only(rule, radius)];
            let refusal = Flock::new(Config { kinds, ..config }).unwrap_err().to_string();
            assert!(refusal.starts_with(&format!("kinds[1].rules[0].radius is {radius:?};")));
        }
        let told = format!("radius is {radius:?}; allowed: a finite number from 1e-9 to 1e9");
        assert_eq!(Neighbours::new(place, radius).unwrap_err().to_string(), told);
        let near = Neighbours::new(place, 1.0).unwrap();
        let refusal = near.of_point([1.0, 1.0], radius, |_| ()).unwrap_err();
        assert_eq!(refusal.to_string(), told);
    }
}

/// The memory is watched in tests/memory.rs.
#[test]
fn sparse_world() {
    for edges in edge_pairs() {
        for (extent, radius) in [(1000.0, 0.02), (1e6, 8.0)] {
            let place = world([extent, extent], edges);
            let mut crowd = scattered(98, [extent; 2], 1.0, 4);
            // Two that do hear each other, far from the origin.
            crowd.push(([extent * 0.75, extent * 0.5], [0.0; 2]));
            crowd.push(([extent * 0.75 + radius / 2.0, extent * 0.5], [0.0; 2]));
            let sparse = flock(place, herd(radius), &crowd);
            assert_eq!(hearings(&sparse)[98..], [[99], [98]]);
            assert_double_loop(&sparse);
            engines_agree(&sparse, 10);
        }
    }
}

#[test]
fn bad_position() {
    // (edges, the field that is named when x is refused, and likewise y)
    for edges in edge_pairs() {
        let place = world([1000.0, 1000.0], edges);
        let mut sound = flock(place, herd(10.0), &at_rest(&[[12.34, 56.78]; 3]));
        sound.set_motion(1, [12.5, 56.5], [0.0; 2]).unwrap();
        let hash = sound.state_hash();
        for (position, field, value) in [
            ([2.0, f32::NAN], "y", "NaN"),
            ([f32::NAN, 2.0], "x", "NaN"),
            ([1e23, 0.0], "x", "1e23"),
            ([0.0, 1e23], "y", "1e23"),
            ([f32::INFINITY, 0.0], "x", "inf"),
            ([0.0, -1e23], "y", "-1e23"),
        ] {
            let refused = |result: Result<(), Error>, body: usize| {
                let told = result.unwrap_err().to_string();
                let wanted = format!("body {body}: {field} is {value}; allowed: ");
                assert!(told.starts_with(&wanted), "{told}");
            };
            let spawn = Spawn::new(position, [0.0; 2]);
            refused(sound.add(spawn).map(drop), 3);
            let listed = [Spawn::new([1.0, 1.0], [0.0; 2]), spawn];
            refused(sound.add_all(&listed).map(drop), 1);
            refused(sound.set_motion(2, position, [0.0; 2]), 2);
            let mut near = Neighbours::new(place, 10.0).unwrap();
            refused(near.build(&[[1.0, 1.0], position]), 1);
            let mut forces = Forces::new(Config::new(place, herd(10.0))).unwrap();
            let (at, still) = ([[1.0, 1.0], position], [[0.0; 2]; 2]);
            refused(forces.compute(0, &at, &still, &mut [[0.0; 2]; 2]), 1);
            assert_eq!(sound.state_hash(), hash, "a refused call should change nothing");
        }
        // Loaded: a snapshot that is whole, and says what no flock could have reached.
        for (old, field) in [(12.5, "x"), (56.5, "y")] {
            for new in [f32::NAN, f32::INFINITY, 1e31] {
                let told = Flock::restore(&altered(&sound.snapshot(), old, new)).unwrap_err();
                let told = told.to_string();
                assert!(told.starts_with(&format!("body 1: {field} is {new:?};")), "{told}");
            }
        }
        assert!(sound.restore_from(&altered(&sound.snapshot(), 12.5, f32::NAN)).is_err());
        assert_eq!(sound.state_hash(), hash);
    }
}

#[test]
fn empty_and_single() {
    for edges in edge_pairs() {
        let place = world([100.0, 80.0], edges);
        for kind in [herd(10.0), Kind::new(GAIT)] {
            let mut empty = engines_agree(&flock(place, kind.clone(), &[]), 3);
            assert_eq!((empty.len(), empty.is_empty(), empty.iter().count()), (0, true, 0));
            assert_eq!((empty.get(0), empty.explain(0)), (None, None));
            assert_eq!(empty.columns().0.len(), 0);
            assert!(matches!(empty.remove(0), Err(Error::NoSuchBody(0))));
            empty.retain(|_| true);
            empty.tick_with(|_| [1.0, 1.0]).unwrap();
            let restored = Flock::restore(&empty.snapshot()).unwrap();
            assert_eq!(restored.state_hash(), empty.state_hash());
            assert_eq!((restored.tick_number(), restored.len()), (4, 0));
            let counts = empty.tick_counted();
            assert_eq!((counts.distance_tests, counts.neighbours, counts.tasks), (0, 0, 1));

            let mut single = flock(place, kind.clone(), &[([50.0, 40.0], [1.5, -0.5])]);
            if !kind.rules.is_empty() {
                assert_eq!(hearings(&single), [Vec::<u32>::new()]);
            }
            single = engines_agree(&single, 20);
            let body = single.get(0).unwrap();
            assert_eq!((body.position, body.velocity), ([80.0, 30.0], [1.5, -0.5]));
            let told = single.explain(0).unwrap();
            assert_eq!((told.sum, told.neighbours.len()), ([0.0; 2], 0));
            let counts = single.tick_counted();
            assert_eq!((counts.distance_tests, counts.neighbours), (0, 0));
            Flock::restore(&single.snapshot()).unwrap();
            single.remove(0).unwrap();
            assert_eq!(single.state_hash(), empty.state_hash());
        }
        for positions in [&[][..], &[[50.0, 40.0]]] {
            let mut near = Neighbours::new(place, 10.0).unwrap();
            near.build(positions).unwrap();
            let (mut offsets, mut indices) = (vec![7], vec![7]);
            near.lists(&mut offsets, &mut indices);
            assert_eq!((offsets.len(), offsets[0], indices.len()), (positions.len() + 1, 0, 0));
            let (mut at_point, mut inside) = (0, 0);
            near.of_point([50.0, 41.0], 10.0, |_| at_point += 1).unwrap();
            near.in_rectangle([0.0, 0.0], [100.0, 80.0], |_| inside += 1).unwrap();
            assert_eq!([at_point, inside], [positions.len(); 2]);
            assert_eq!((near.len(), near.is_empty()), (positions.len(), positions.is_empty()));
            let moving: Vec<Motion> = positions.iter().map(|&p| (p, [1.0, 0.0])).collect();
            assert_eq!(forces(place, herd(10.0), &moving), vec![[0.0; 2]; positions.len()]);
        }
    }
}

#[test]
fn sum_order() {
    // Added one after the other, 1e8 + 1 - 1e8 + 1 is 1 in f32; in most other orders it is not.
    let large = 1e8_f32;
    assert_eq!(large + 1.0 - large + 1.0, 1.0);
    let terms = [large, 1.0, -large, 1.0];
    let place = World::new(100.0, 100.0, Edge::Walls);
    // One cell, so that the order is that of ids; `asks` comes first, between or last.
    for asks in 0..5 {
        for across in [false, true] {
            let mut crowd: Vec<Motion> = (0_u8..4)
                .map(|k| {
                    let along = terms[usize::from(k)];
                    // The 1 on the other axis makes the sum's length show in its direction.
                    ([f32::from(k) * 0.25 + 49.0, 50.0], [along, f32::from(u8::from(k == 0))])
                })
                .collect();
            crowd.insert(asks, ([50.0, 49.5], [0.0, 0.0]));
            if across {
                crowd = transposed(&crowd);
            }
            let kind = Kind { gait: Gait::new(2.0, 8.0), ..hears_only(1, 40.0) };
            let summed = flock(place, kind.clone(), &crowd);
            let told = term(&summed, asks as u32, "alignment");
            assert_eq!((told.heard, told.direction), (4, [1.0, 1.0]));
            let scale = 2.0 / 2.0_f32.sqrt();
            assert_eq!(forces(place, kind, &crowd)[asks], [scale, scale]);
            engines_agree(&summed, 2);
        }
    }
    // Cohesion adds offsets, separation votes: powers of two, so that each one is exact.
    let open = World::new(1.0, 1.0, Edge::Open);
    let two_27 = 134_217_728.0_f32;
    assert_eq!(two_27 + 1.0 - two_27 + 1.0, 1.0);
    for (rule, name, apart) in [(2, "cohesion", two_27), (0, "separation", -1.0 / two_27)] {
        for across in [false, true] {
            // The last stands one aside as well, to give the sum a second axis.
            let mut crowd = at_rest(&[
                [0.0, 0.0],
                [apart, 0.0],
                [if rule == 2 { 1.0 } else { -1.0 }, 0.0],
                [-apart, 0.0],
                [if rule == 2 { 1.0 } else { -1.0 }, 0.0],
            ]);
            if across {
                crowd = transposed(&crowd);
            }
            let kind = Kind { gait: Gait::new(2.0, 8.0), ..hears_only(rule, 2.0 * two_27) };
            let summed = flock(open, kind, &crowd);
            let direction = term(&summed, 0, name).direction;
            assert_eq!(direction, if across { [0.0, 1.0] } else { [1.0, 0.0] }, "{name}");
            engines_agree(&summed, 2);
        }
    }
}

#[test]
fn no_fma() {
    // a * a is 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11. Adding b * b = 2^-24 to the rounded
    // product rounds down again; to the exact product, as a fused multiply-add does, it rounds up.
    let (a, b) = (1.0_f32 + 1.0 / 4096.0, 1.0_f32 / 4096.0);
    let product: f32 = 1.0 + 1.0 / 2048.0;
    let exact = f64::from(a) * f64::from(a) + f64::from(b) * f64::from(b);
    assert_eq!(exact, f64::from(product.next_up()), "fused");
    let small = b * b;
    for (x, y) in [(a, b), (b, a)] {
        // Neighbours: by every engine, query and rule, and with either product first.
        for edges in edge_pairs() {
            for rule in 0..3 {
                let pair = at_rest(&[[0.0, 0.0], [x, y]]);
                let pair = flock(world([100.0, 100.0], edges), hears_only(rule, a), &pair);
                assert_eq!(hearings(&pair), [[1], [0]]);
                assert_eq!(pair.explain(0).unwrap().terms[0].heard, 1);
                engines_agree(&pair, 3);
            }
        }
        let place = World::new(100.0, 100.0, Edge::Walls);
        // The cut to max_force: a fused length would be over it, and shorten the force.
        let idle = Kind::new(Gait::new(8.0, a));
        let mut alone = Forces::new(Config::new(place, idle)).unwrap();
        let mut out = [[0.0; 2]];
        let host = |_: &Body| [x, y];
        alone.compute_with(0, &[[5.0, 5.0]], &[[0.0; 2]], &[], host, &mut out).unwrap();
        assert_eq!(out, [[x, y]]);
        // The cut to max_speed, and each axis of the step: v + f * dt and p + v * dt.
        let cut = |velocity| {
            let fast = Kind::new(Gait::new(a, 1.0));
            engines_agree(&flock(place, fast, &[([5.0, 5.0], velocity)]), 1).get(0).unwrap()
        };
        assert_eq!(cut([x, y]).velocity, [x, y]);
    }
    for axis in 0..2 {
        let along = |value: f32| if axis == 0 { [value, 0.0] } else { [0.0, value] };
        let place = World::new(100.0, 100.0, Edge::Walls);
        let kind = Kind::new(Gait::new(4.0, 4.0));
        let config = Config { dt: a, ..Config::new(place, kind) };
        for engine in [Engine::Cells, Engine::Everybody] {
            let mut alone = Flock::new(config.clone()).unwrap();
            alone.set_engine(engine);
            alone.add(Spawn::new(along(small), along(a))).unwrap();
            alone.tick();
            assert_eq!(alone.get(0).unwrap().position, along(product), "p + v * dt");
            alone.set_motion(0, [0.0; 2], along(small)).unwrap();
            alone.tick_with(|_| along(a)).unwrap();
            assert_eq!(alone.get(0).unwrap().velocity, along(product), "v + f * dt");
        }
        // f + weight * force, where the first term is just under half an ulp of the second.
        let first = small * (1.0 - b);
        let kind = Kind {
            rules: vec![Rule::separation(4.0, -first), Rule::cohesion(4.0, a)],
            ..Kind::new(Gait::new(a, 4.0))
        };
        let pair = at_rest(&[along(1.0), along(2.0)]);
        let pair_flock = flock(place, kind.clone(), &pair);
        assert_eq!(term(&pair_flock, 0, "cohesion").force, along(a));
        assert_eq!(forces(place, kind, &pair)[0], along(product), "f + weight * force");
        engines_agree(&pair_flock, 3);
    }
}

#[test]
fn vector_tail() {
    // The kernel loads NaN into the lanes past the end: if one leaked, a sum would show it.
    for edge in [Edge::Walls, Edge::Torus, Edge::Open] {
        let place = World::new(40.0, 30.0, edge);
        for n in 0..=70 {
            let crowd = scattered(n, place.size, 2.0, n as u64);
            ticks_agree(&flock(place, herd(9.0), &crowd), 3);
        }
    }
    let place = World::new(40.0, 30.0, Edge::Torus);
    for used in 0..8 {
        let herd = herd(9.0);
        let listed = herd.rules.iter().enumerate().filter(|(rule, _)| used & (1 << rule) != 0);
        let kind = Kind { rules: listed.map(|(_, &rule)| rule).collect(), ..herd.clone() };
        for n in (0..=70).step_by(3) {
            ticks_agree(&flock(place, kind.clone(), &scattered(n, place.size, 2.0, 5)), 2);
        }
    }
    // Every column that is loaded has a tail: gaits, kinds, behaviours.
    let wander = Drive::Wander { distance: 2.0, radius: 1.0, period: 5 }.weighing(0.5);
    let kinds = vec![herd(9.0), Kind { behaviours: vec![wander], ..hears_only(0, 4.0) }];
    let config = Config { kinds, ..Config::new(place, herd(9.0)) };
    for n in 0..=70 {
        let mut mixed = Flock::new(config.clone()).unwrap();
        for (k, (position, velocity)) in scattered(n, place.size, 2.0, 6).into_iter().enumerate() {
            let gait = (k % 3 == 0).then_some(Gait::new(1.5, 0.2));
            let kind = (k % 2) as u8;
            mixed.add(Spawn { position, velocity, kind, gait }).unwrap();
        }
        ticks_agree(&mixed, 2);
        // Host forces too, by two engines.
        let mut other = mixed.clone();
        other.set_engine(Engine::Everybody);
        for flock in [&mut mixed, &mut other] {
            flock.tick_with(|body| [0.01 * body.id as f32, -0.02]).unwrap();
        }
        assert_eq!(mixed.state_hash(), other.state_hash(), "{n} bodies");
    }
}

#[test]
fn sort_is_stable() {
    let threads = [1, 2, 3, 7, 16];
    let pool = |&n: &usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    let pools: Vec<_> = threads.iter().map(pool).collect();
    // 100,000 positions in eight cells, read back in canonical order.
    let place = World::new(100.0, 100.0, Edge::Walls);
    let crowd: Vec<[f32; 2]> =
        scattered(100_000, place.size, 0.0, 7).into_iter().map(|(position, _)| position).collect();
    let grid = ContractGrid::new(&place, 40.0, &crowd);
    assert_eq!([grid.cols, grid.rows], [4, 2]);
    let wanted = grid.order();
    for (pool, threads) in pools.iter().zip(threads) {
        for _ in 0..20 {
            let found = pool.install(|| {
                let mut near = Neighbours::new(place, 40.0).unwrap();
                near.build(&crowd).unwrap();
                let mut found = Vec::with_capacity(crowd.len());
                near.in_rectangle([0.0; 2], place.size, |index| found.push(index)).unwrap();
                found
            });
            assert!(found == wanted, "another permutation on {threads} threads");
        }
    }
    // The tick's own sort: few crowded cells of a larger grid, so that fewer pairs are tested.
    let mut chance = Chance(8);
    let knots = [[5.0, 5.0], [95.0, 5.0], [5.0, 95.0], [95.0, 95.0]];
    let crowd: Vec<Motion> = (0..10_000)
        .map(|_| {
            let knot = knots[chance.below(4)];
            (knot.map(|p| p + chance.within(-2.0, 2.0)), [0.0, 0.0])
        })
        .collect();
    let start = flock(place, hears_only(1, 9.0), &crowd);
    let spots: Vec<[f32; 2]> = crowd.iter().map(|&(position, _)| position).collect();
    let grid = ContractGrid::new(&place, 9.0, &spots);
    let mut occupied = grid.cells.clone();
    occupied.sort_unstable();
    occupied.dedup();
    assert_eq!(occupied.len(), 8, "{occupied:?}");
    let wanted = grid.order();
    for (pool, threads) in pools.iter().zip(threads) {
        for run in 0..20 {
            let mut flock = start.clone();
            flock.set_parallel_from(1 + run * 64);
            pool.install(|| flock.tick());
            assert!(flock.columns().0 == wanted, "another permutation on {threads} threads");
        }
    }
    // One cell only, where nothing but ids can order 100,000 bodies; twice, from another storage.
    let mut straight = flock(place, Kind::new(GAIT), &scattered(100_000, place.size, 1.0, 9));
    straight.remove(0).unwrap();
    for _ in 0..2 {
        straight.tick();
        assert!(straight.columns().0.iter().copied().eq(1..100_000));
    }
}

#[test]
fn many_threads_small() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build().unwrap();
    let place = World::new(192.0, 128.0, Edge::Torus);
    let start = flock(place, herd(16.0), &scattered(200, place.size, 1.0, 10));
    let (mut alone, mut pooled) = (start.clone(), start.clone());
    alone.set_parallel_from(usize::MAX);
    for tick in 0..600 {
        let counts = pool.install(|| pooled.tick_counted());
        assert_eq!(counts.tasks, 1, "tick {tick} reached the pool");
        alone.tick();
        assert_eq!(pooled.state_hash(), alone.state_hash(), "tick {tick}");
    }
    // Seen from inside: every body is asked about on one and the same thread, the caller's.
    let askers = Mutex::new(Vec::new());
    let ask = |_: &Body| {
        askers.lock().unwrap().push(std::thread::current().id());
        [0.0, 0.0]
    };
    let mut watched = start;
    for _ in 0..20 {
        let caller = pool.install(|| {
            watched.tick_with(ask).unwrap();
            std::thread::current().id()
        });
        let askers = std::mem::take(&mut *askers.lock().unwrap());
        assert_eq!(askers, vec![caller; 200]);
    }
    // The count is not just always 1: a flock told to spread does reach the pool.
    watched.set_parallel_from(1);
    assert_eq!(pool.install(|| watched.tick_counted()).tasks > 1, cfg!(feature = "parallel"));
}

#[test]
fn no_rule() {
    for edges in edge_pairs() {
        // Extents are multiples of every step, so that each position is exact.
        let place = world([64.0, 32.0], edges);
        let crowd: Vec<Motion> = (0_u8..50)
            .map(|k| {
                let velocity = [f32::from(k % 7) / 4.0 - 0.75, f32::from(k % 5) / 4.0 - 0.5];
                ([f32::from(k) + 0.5, f32::from(k % 32) + 0.25], velocity)
            })
            .collect();
        let start = flock(place, Kind::new(GAIT), &crowd);
        assert_eq!(start.config().radius(), 0.0);
        let later = engines_agree(&start, 100);
        for (body, &(position, velocity)) in later.iter().zip(&crowd) {
            for axis in 0..2 {
                let (p, v) = along_edge(position[axis], velocity[axis], 100.0, &place, axis);
                assert_eq!((body.position[axis], body.velocity[axis]), (p, v), "{body:?}");
            }
        }
    }
    // No radius, no cell to double for ever, and nobody to evaluate.
    let place = World::new(64.0, 32.0, Edge::Walls);
    let mut crowd = flock(place, Kind::new(GAIT), &scattered(50, place.size, 1.0, 13));
    let counts = crowd.tick_counted();
    assert_eq!((counts.neighbours, counts.lane_slots), (0, 0));
    // Not even a body on the same spot is a neighbour then: there is no radius to be within.
    let pair = flock(place, Kind::new(GAIT), &at_rest(&[[5.0, 5.0]; 2]));
    assert_eq!(neighbours(&pair), [0, 0]);
    for engine in [Engine::Cells, Engine::Everybody, Engine::Unordered] {
        let mut pair = pair.clone();
        pair.set_engine(engine);
        assert_eq!(pair.tick_counted().neighbours, 0, "{engine:?}");
    }
}

/// Where a body that goes straight is after `time`, by unfolding the axis.
fn along_edge(p: f32, v: f32, time: f32, place: &World, axis: usize) -> (f32, f32) {
    let (free, extent) = (p + v * time, place.size[axis]);
    match place.edges[axis] {
        Edge::Open => (free, v),
        Edge::Torus => (free.rem_euclid(extent), v),
        Edge::Walls => {
            let unfolded = free.rem_euclid(2.0 * extent);
            if unfolded > extent { (2.0 * extent - unfolded, -v) } else { (unfolded, v) }
        }
    }
}

#[test]
fn open_corner() {
    for (edges, heading) in [
        ([Edge::Open; 2], [1.0, 1.0]),
        ([Edge::Open; 2], [-1.0, -1.0]),
        ([Edge::Open, Edge::Walls], [1.0, 0.0]),
        ([Edge::Torus, Edge::Open], [0.0, -1.0]),
    ] {
        // 64 x 64 bodies, all of one velocity, hearing only alignment: they keep formation.
        let place = world([512.0, 512.0], edges);
        let velocity = heading.map(|h: f32| h * 16.0);
        let kind = Kind { gait: Gait::new(32.0, 0.3), ..hears_only(1, 16.0) };
        let spots = (0_u16..64).flat_map(|y| (0_u16..64).map(move |x| [x, y]));
        let crowd: Vec<Motion> =
            spots.map(|spot| (spot.map(|k| f32::from(k) * 8.0 + 4.0), velocity)).collect();
        let mut drifting = flock(place, kind, &crowd);
        let at_first = ticks_agree(&drifting, 1).1;
        let mut largest = 0;
        for _ in 0..40 {
            for _ in 0..12 {
                largest = largest.max(drifting.tick_counted().distance_tests);
            }
        }
        let gone = drifting.get(0).unwrap().position;
        for axis in 0..2 {
            let far = 5000.0 * heading[axis].abs();
            assert!((gone[axis] * heading[axis]) >= far, "{gone:?} heading {heading:?}");
        }
        let limit = at_first.distance_tests + at_first.distance_tests / 2;
        assert!(largest <= limit, "{largest} distance tests, {} at first", at_first.distance_tests);
        // Out there, still equal to the double loop.
        let (_, counts) = ticks_agree(&drifting, 2);
        assert!(counts.distance_tests <= limit);
        assert_eq!(counts.neighbours, at_first.neighbours);
    }
}

#[test]
fn fast_at_walls() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    // (start, velocity, end, velocity at the end)
    for (start, v, end, turned) in [
        (0.0, -150.0, 100.0, 150.0),
        (50.0, -200.0, 100.0, 200.0),
        (100.0, 150.0, 0.0, -150.0),
        (0.0, -40.0, 40.0, 40.0),
        (90.0, 20.0, 90.0, -20.0),
        (0.0, 100.0, 100.0, 100.0),
        (100.0, -100.0, 0.0, -100.0),
        (50.0, 1e9, 0.0, -1e9),
    ] {
        for kind in
            [Kind::new(Gait::new(1e9, 1.0)), Kind { gait: Gait::new(1e9, 1.0), ..herd(9.0) }]
        {
            let level = [([start, 30.0], [v, 0.0])];
            for (axis, bodies) in [level.to_vec(), transposed(&level)].into_iter().enumerate() {
                let body = engines_agree(&flock(place, kind.clone(), &bodies), 1).get(0).unwrap();
                assert_eq!((body.position[axis], body.velocity[axis]), (end, turned));
                assert_eq!((body.position[1 - axis], body.velocity[1 - axis]), (30.0, 0.0));
            }
        }
    }
}

#[test]
fn torus_full_step() {
    let config = |speed, dt, edges| {
        let kind = Kind::new(Gait::new(speed, 1.0));
        Config { dt, ..Config::new(world([100.0, 100.0], edges), kind) }
    };
    let torus = Edge::Torus;
    for (edges, axis) in
        [([torus; 2], 'x'), ([torus, Edge::Open], 'x'), ([Edge::Walls, torus], 'y')]
    {
        for (speed, dt) in [(60.0, 1.0), (30.0, 2.0)] {
            let told = format!(
                "kinds[0].gait.max_speed times dt is 60.0, over half the torus's {axis} extent; \
                 allowed: at most 50.0"
            );
            let refused = config(speed, dt, edges);
            assert_eq!(Flock::new(refused.clone()).unwrap_err().to_string(), told);
            let mut sound = Flock::new(config(1.0, 1.0, edges)).unwrap();
            assert_eq!(sound.set_config(refused).unwrap_err().to_string(), told);
            // A body's own gait is no way round it, when given or when dt grows.
            let gait = Some(Gait::new(60.0, 1.0));
            let spawn = Spawn { gait, ..Spawn::new([1.0, 1.0], [0.0; 2]) };
            let told = sound.add(spawn).unwrap_err().to_string();
            let named = "body 0: gait.max_speed times dt is 60.0";
            assert!(told.starts_with(named), "{told}");
            let gait = Some(Gait::new(30.0, 1.0));
            sound.add(Spawn { gait, ..spawn }).unwrap();
            let told = sound.set_gait(0, Gait::new(60.0, 1.0)).unwrap_err().to_string();
            assert!(told.starts_with(named), "{told}");
            let told = sound.set_config(config(1.0, 2.0, edges)).unwrap_err().to_string();
            assert!(told.starts_with(named), "{told}");
        }
        for (speed, dt) in [(50.0, 1.0), (25.0, 2.0)] {
            let mut full = Flock::new(config(speed, dt, edges)).unwrap();
            let mut chance = Chance(11);
            for k in 0..40 {
                // Any length: what is longer than the gait is cut in the first tick.
                let heading = [[1.0, 0.0], [0.0, -1.0], [-1.0, 1.0], [0.3, 0.7]][k % 4];
                let length = chance.within(0.5, 3.0) * speed;
                let position = [chance.within(0.0, 100.0), chance.within(0.0, 100.0)];
                full.add(Spawn::new(position, heading.map(|h: f32| h * length))).unwrap();
            }
            engines_agree(&full, 30);
            for _ in 0..1000 {
                full.tick();
                for body in full.iter() {
                    for (p, edge) in body.position.iter().zip(edges) {
                        assert!(edge != torus || (0.0..100.0).contains(p), "{body:?}");
                    }
                }
            }
            Flock::restore(&full.snapshot()).unwrap();
        }
    }
}

#[test]
fn huge_weight() {
    let place = World::new(100.0, 100.0, Edge::Walls);
    for weight in [3e38, -3e38, 1.1e6, f32::NAN, f32::INFINITY] {
        let refused = |kind: Kind, field: &str| {
            let told = Flock::new(Config::new(place, kind)).unwrap_err().to_string();
            let wanted = format!("kinds[0].{field}.weight is {weight:?}; allowed: ");
            assert!(told.starts_with(&wanted), "{told}");
        };
        for urge in [Urge::Separation, Urge::Alignment, Urge::Cohesion] {
            let rules = vec![Rule::new(urge, 10.0, weight)];
            refused(Kind { rules, ..Kind::new(GAIT) }, "rules[0]");
        }
        let contain = Drive::Contain { margin: 5.0 };
        let wander = Drive::Wander { distance: 2.0, radius: 1.0, period: 9 };
        for drive in [contain, wander] {
            let behaviours = vec![drive.weighing(weight)];
            refused(Kind { behaviours, ..Kind::new(GAIT) }, "behaviours[0]");
        }
    }
    // The largest weights that are allowed stay finite for good.
    let kind = Kind {
        rules: vec![
            Rule::separation(10.0, 1e6),
            Rule::alignment(10.0, -1e6),
            Rule::cohesion(10.0, 1e6),
        ],
        ..Kind::new(Gait::new(1e9, 1e9))
    };
    engines_agree(&flock(place, kind, &scattered(30, place.size, 1e8, 12)), 50);

    for velocity in [[3e38, 0.0], [0.0, 3e38], [3e38, -3e38], [0.0, f32::NAN]] {
        let mut sound = flock(place, herd(10.0), &at_rest(&[[1.0, 1.0]]));
        let before = bits(&sound.get(0).unwrap());
        let spawn = Spawn::new([1.0, 1.0], velocity);
        let told = [
            sound.add(spawn).unwrap_err().to_string(),
            sound.add_all(&[spawn, spawn]).unwrap_err().to_string(),
            sound.set_motion(0, [1.0, 1.0], velocity).unwrap_err().to_string(),
        ];
        for (told, body) in told.iter().zip([1, 0, 0]) {
            let field = if velocity[1].is_nan() { "vy" } else { "velocity" };
            assert!(told.starts_with(&format!("body {body}: {field} is ")), "{told}");
        }
        assert_eq!((sound.len(), bits(&sound.get(0).unwrap())), (1, before));
    }
}
