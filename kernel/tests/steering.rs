//! Every rule and behaviour by itself: answers worked out by hand, inputs that have none, and what it
//! does over many ticks. docs/steering.md has the formulas.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod common;

use common::{bodies, engines_agree, squared};
use flockstep::{
    Behaviour, Config, Drive, Edge, Explanation, Field, Flock, Flow, Gait, Ground, Kind, Kinds,
    Noise, Obstacle, Path, Respawn, Rule, Scenery, Soil, Spawn, Spread, Target, Term, Urge, Weight,
    World,
};

/// So strong that no force is cut, unless a test says otherwise.
const STRONG: f32 = 1000.0;

const ROOM: World = World::new(100.0, 100.0, Edge::Walls);

/// A kind of this speed, strong, with one behaviour.
fn driven(max_speed: f32, drive: Drive) -> Kind {
    Kind { behaviours: vec![drive.weighing(1.0)], ..Kind::new(Gait::new(max_speed, STRONG)) }
}

/// A kind of this speed, strong, with one rule.
fn urged(max_speed: f32, rule: Rule) -> Kind {
    Kind { rules: vec![rule], ..Kind::new(Gait::new(max_speed, STRONG)) }
}

fn flock(config: Config, motions: &[([f32; 2], [f32; 2], u8)]) -> Flock {
    let mut flock = Flock::new(config).unwrap();
    for &(position, velocity, kind) in motions {
        flock.add(Spawn { kind, ..Spawn::new(position, velocity) }).unwrap();
    }
    flock
}

/// Body 0 of kind 0 under one behaviour, with others of a kind that goes straight.
fn asked(kind: Kind, scenery: Scenery, me: [[f32; 2]; 2], others: &[[[f32; 2]; 2]]) -> Explanation {
    let straight = Kind::new(Gait::new(50.0, STRONG));
    let config = Config { kinds: vec![kind, straight], scenery, ..Config::new(ROOM, still()) };
    let all = [(me[0], me[1], 0)].into_iter();
    let all: Vec<_> = all.chain(others.iter().map(|&[p, v]| (p, v, 1))).collect();
    let flock = flock(config, &all);
    let told = flock.explain(0).unwrap();
    let later = engines_agree(&flock, 1).get(0).unwrap();
    assert_eq!((later.position, later.velocity), (told.next_position, told.next_velocity));
    told
}

fn still() -> Kind {
    Kind::new(Gait::new(1.0, 1.0))
}

/// The only term of a body that has one rule or behaviour.
#[track_caller]
fn only(told: &Explanation) -> &Term {
    let [term] = &told.terms[..] else { panic!("{:?}", told.terms) };
    term
}

#[track_caller]
fn assert_close(found: [f32; 2], wanted: [f32; 2]) {
    let off = [found[0] - wanted[0], found[1] - wanted[1]];
    assert!(squared(off) <= 1e-10, "{found:?} should be {wanted:?}");
}

/// The desired velocity of body 0 at `position` doing `velocity` under this drive.
fn desired(speed: f32, drive: Drive, position: [f32; 2], velocity: [f32; 2]) -> [f32; 2] {
    only(&asked(driven(speed, drive), Scenery::default(), [position, velocity], &[])).desired
}

fn force(told: &Explanation) -> [f32; 2] {
    only(told).force
}

const REST: [f32; 2] = [0.0, 0.0];

// ---- Behaviours with a target

#[test]
fn seek_goes_at_full_speed_straight_to_it() {
    let seek = Drive::Seek { target: Target::Point([13.0, 14.0]) };
    // (3, 4) away: desired (3, 4) at a speed of 5, steering (3, 4) - (1, 0).
    let told = asked(driven(5.0, seek), Scenery::default(), [[10.0, 10.0], [1.0, 0.0]], &[]);
    let term = only(&told);
    assert_eq!((term.name, term.desired, term.steering), ("seek", [3.0, 4.0], [2.0, 4.0]));
    assert_eq!(told.next_velocity, [3.0, 4.0]);
    // On the target there is no direction, and so no force.
    let told = asked(driven(5.0, seek), Scenery::default(), [[13.0, 14.0], [1.0, 0.0]], &[]);
    assert_eq!((force(&told), told.next_velocity), (REST, [1.0, 0.0]));
}

#[test]
fn a_weak_body_turns_as_far_as_its_force_allows() {
    let seek = Drive::Seek { target: Target::Point([10.0, 90.0]) };
    let kind = Kind { gait: Gait::new(5.0, 0.5), ..driven(5.0, seek) };
    // Steering (0, 5) - (0, 1) is cut to 0.5, weighed once, and cut again.
    let told = asked(kind, Scenery::default(), [[10.0, 10.0], [0.0, 1.0]], &[]);
    assert_eq!((only(&told).steering, force(&told)), ([0.0, 4.0], [0.0, 0.5]));
    assert_eq!(told.next_velocity, [0.0, 1.5]);
}

#[test]
fn a_seeker_goes_the_short_way_round_a_torus() {
    let seek = Drive::Seek { target: Target::Point([97.0, 10.0]) };
    let round = World::new(100.0, 100.0, Edge::Torus);
    let flock = flock(Config::new(round, driven(5.0, seek)), &[([3.0, 10.0], REST, 0)]);
    assert_eq!(only(&flock.explain(0).unwrap()).direction, [-6.0, 0.0]);
    assert_eq!(engines_agree(&flock, 1).get(0).unwrap().position, [98.0, 10.0]);
}

#[test]
fn arrive_slows_down_in_proportion() {
    let arrive = |slowing| Drive::Arrive { target: Target::Point([13.0, 14.0]), slowing };
    let me = [10.0, 10.0];
    assert_eq!(desired(5.0, arrive(10.0), me, [1.0, 0.0]), [1.5, 2.0], "half way in");
    assert_eq!(desired(5.0, arrive(5.0), me, REST), [3.0, 4.0], "at its edge");
    assert_eq!(desired(5.0, arrive(2.0), me, REST), [3.0, 4.0], "outside");
    // On the target it wants to stand still: the force takes all of its velocity.
    let told =
        asked(driven(5.0, arrive(10.0)), Scenery::default(), [[13.0, 14.0], [1.0, 2.0]], &[]);
    assert_eq!((force(&told), told.next_velocity), ([-1.0, -2.0], REST));
}

#[test]
fn flee_turns_away_within_its_range() {
    let flee = |range, fading| Drive::Flee { target: Target::Point([14.0, 10.0]), range, fading };
    let me = [10.0, 10.0];
    assert_eq!(desired(5.0, flee(4.0, false), me, REST), [-5.0, 0.0], "its edge is inside");
    assert_eq!(desired(5.0, flee(3.9, false), me, REST), REST);
    assert_eq!(desired(5.0, flee(0.0, false), me, REST), REST);
    // Fading: half of the range away, half of the speed; at its edge, none.
    assert_eq!(desired(5.0, flee(8.0, true), me, REST), [-2.5, 0.0]);
    assert_eq!(desired(5.0, flee(4.0, true), me, REST), REST);
    assert_eq!(desired(5.0, flee(0.0, true), me, REST), REST);
    // On the threat there is no direction.
    for fading in [false, true] {
        for range in [0.0, 8.0] {
            let told = [[14.0, 10.0], [1.0, 1.0]];
            let told = asked(driven(5.0, flee(range, fading)), Scenery::default(), told, &[]);
            assert_eq!(force(&told), REST);
        }
    }
}

#[test]
fn pursue_goes_where_the_target_will_be() {
    let pursue = |look_ahead| Drive::Pursue { target: Target::Body(1), look_ahead };
    let direction = |speed, look_ahead, velocity| {
        let other = [[14.0, 10.0], velocity];
        let me = [[10.0, 10.0], REST];
        let told = asked(driven(speed, pursue(look_ahead)), Scenery::default(), me, &[other]);
        only(&told).direction
    };
    // 4 away at a speed of 1: 4 units of time until it could be there.
    assert_eq!(direction(1.0, 50.0, [0.0, 0.75]), [4.0, 3.0]);
    assert_eq!(direction(1.0, 2.0, [0.0, 0.75]), [4.0, 1.5], "no more than 2 ahead");
    assert_eq!(direction(1.0, 0.0, [0.0, 0.75]), [4.0, 0.0], "no look ahead: a seek");
    assert_eq!(direction(2.0, 50.0, [-2.0, 0.0]), REST, "it comes to meet it just here");
    // Nobody to pursue.
    let alone = asked(driven(1.0, pursue(9.0)), Scenery::default(), [[10.0, 10.0], REST], &[]);
    assert_eq!(force(&alone), REST);
}

#[test]
fn evade_goes_away_from_where_the_target_will_be() {
    let evade = |range| Drive::Evade { target: Target::Body(1), range, look_ahead: 50.0 };
    let other = [[14.0, 10.0], [0.0, 0.75]];
    let me = [[10.0, 10.0], REST];
    let told = asked(driven(1.0, evade(4.0)), Scenery::default(), me, &[other]);
    assert_eq!(only(&told).direction, [-4.0, -3.0]);
    for range in [3.9, 0.0] {
        let told = asked(driven(1.0, evade(range)), Scenery::default(), me, &[other]);
        assert_eq!(force(&told), REST);
    }
}

#[test]
fn offset_pursuit_keeps_a_place_beside_the_target() {
    let keep = |look_ahead| Drive::OffsetPursuit {
        target: Target::Body(1),
        offset: [-3.0, 4.0],
        slowing: 6.0,
        look_ahead,
    };
    // The leader goes along +x: the place is 3 behind and 4 to the +y side, at (17, 24).
    let (me, leader) = ([[14.0, 24.0], REST], [[20.0, 20.0], [2.0, 0.0]]);
    let told = asked(driven(3.0, keep(0.0)), Scenery::default(), me, &[leader]);
    assert_eq!(only(&told).desired, [1.5, 0.0], "3 away, which is half of 6");
    // One unit of time to get there, in which the place moves on by 2.
    let told = asked(driven(3.0, keep(10.0)), Scenery::default(), me, &[leader]);
    assert_eq!(only(&told).desired, [2.5, 0.0]);
    // It turns with the leader, who goes along -y now: the place is at (24, 23).
    let leader = [[20.0, 20.0], [0.0, -2.0]];
    let told = asked(driven(3.0, keep(0.0)), Scenery::default(), [[24.0, 20.0], REST], &[leader]);
    assert_eq!(only(&told).desired, [0.0, 1.5]);
}

#[test]
fn followers_stay_behind_and_out_of_the_way() {
    let follow =
        Drive::FollowLeader { target: Target::Body(1), behind: 4.0, clearance: 5.0, slowing: 12.0 };
    let desired = |position, velocity| {
        let leader = [[20.0, 20.0], velocity];
        let told = asked(driven(2.0, follow), Scenery::default(), [position, REST], &[leader]);
        only(&told).desired
    };
    assert_eq!(desired([10.0, 20.0], [2.0, 0.0]), [1.0, 0.0], "6 from the place behind");
    assert_eq!(desired([23.0, 21.0], [2.0, 0.0]), [0.0, 2.0], "in front, on the +y side");
    assert_eq!(desired([23.0, 19.0], [2.0, 0.0]), [0.0, -2.0], "in front, on the -y side");
    assert_eq!(desired([23.0, 20.0], [2.0, 0.0]), [0.0, 2.0], "dead in front");
    assert_eq!(desired([32.0, 20.0], [2.0, 0.0]), [-2.0, 0.0], "in front, but far");
    assert_eq!(desired([20.0, 20.0], [2.0, 0.0]), [-4.0 / 6.0, 0.0], "on the leader");
    assert_eq!(desired([14.0, 20.0], REST), [2.0 / 6.0, 0.0], "a leader at rest looks along +x");
}

#[test]
fn targets_are_points_orbits_bodies_and_the_nearest_of_a_kind() {
    let me = [[10.0, 10.0], REST];
    let direction = |target, others: &[[[f32; 2]; 2]]| {
        let seek = Drive::Seek { target };
        only(&asked(driven(5.0, seek), Scenery::default(), me, others)).direction
    };
    let others = [[[10.0, 15.0], REST], [[12.0, 10.0], REST], [[8.0, 10.0], REST]];
    assert_eq!(direction(Target::Body(1), &others), [0.0, 5.0]);
    assert_eq!(direction(Target::Body(9), &others), REST, "nobody has this id");
    assert_eq!(direction(Target::Body(0), &others), REST, "the body itself");
    // Bodies 2 and 3 are equally near; the cell of body 3 comes first.
    let nearest = Target::Nearest(Kinds::only(1));
    assert_eq!(direction(nearest, &others[..2]), [2.0, 0.0]);
    assert_eq!(direction(Target::Nearest(Kinds::only(0)), &others), REST, "no other of its kind");
    assert_eq!(direction(Target::Nearest(Kinds::NONE), &others), REST);
    let orbit = Target::Orbit { centre: [50.0, 10.0], radius: 20.0, period: 4 };
    assert_close(direction(orbit, &[]), [60.0, 0.0]);
    // A quarter of a turn a tick, towards +y.
    let mut flock = flock(Config::new(ROOM, driven(5.0, Drive::Seek { target: orbit })), &[]);
    flock.add(Spawn::new([10.0, 10.0], REST)).unwrap();
    let places = [[70.0, 10.0], [50.0, 30.0], [30.0, 10.0], [50.0, -10.0], [70.0, 10.0]];
    for place in places {
        let [x, y] = flock.get(0).unwrap().position;
        let [dx, dy] = only(&flock.explain(0).unwrap()).direction;
        assert!(squared([x + dx - place[0], y + dy - place[1]]) < 1e-6, "{place:?}");
        flock.tick();
    }
}

#[test]
fn equally_near_targets_are_taken_in_canonical_order() {
    // One cell: ids decide. Then two rows of cells: the upper row comes first, whatever the ids.
    let seek = driven(5.0, Drive::Seek { target: Target::Nearest(Kinds::only(1)) });
    let others = [[[50.0, 54.0], REST], [[50.0, 46.0], REST]];
    let me = [[50.0, 50.0], REST];
    let direction = |kind| only(&asked(kind, Scenery::default(), me, &others)).direction;
    assert_eq!(direction(seek.clone()), [0.0, 4.0]);
    let hearing = Rule::separation(2.0, 0.0);
    let told = asked(Kind { rules: vec![hearing], ..seek }, Scenery::default(), me, &others);
    assert_eq!(told.terms[1].direction, [0.0, -4.0]);
}

// ---- Behaviours about the world

#[test]
fn contain_acts_on_both_axes_in_a_corner() {
    let direction = |position| {
        let kind = driven(5.0, Drive::Contain { margin: 14.0 });
        only(&asked(kind, Scenery::default(), [position, REST], &[])).direction
    };
    assert_eq!(direction([5.0, 3.0]), [1.0, 1.0]);
    assert_eq!(direction([95.0, 3.0]), [-1.0, 1.0]);
    assert_eq!(direction([95.0, 50.0]), [-1.0, 0.0]);
    assert_eq!(direction([14.0, 86.0]), REST, "the margin itself is outside");
    let narrow = Config::new(
        World::new(10.0, 10.0, Edge::Walls),
        driven(5.0, Drive::Contain { margin: 14.0 }),
    );
    let told = flock(narrow, &[([5.0, 5.0], [1.0, 0.0], 0)]).explain(0).unwrap();
    assert_eq!(force(&told), REST, "both edges at once");
}

fn disc(x: f32, y: f32, radius: f32) -> Scenery {
    Scenery { obstacles: vec![Obstacle { centre: [x, y], radius }], ..Scenery::default() }
}

#[test]
fn avoid_steps_aside_for_what_is_on_the_way() {
    let direction = |scenery, look_ahead, position, velocity| {
        let kind = driven(5.0, Drive::Avoid { look_ahead, clearance: 1.0 });
        only(&asked(kind, scenery, [position, velocity], &[])).direction
    };
    let ahead = || disc(30.0, 20.0, 3.0);
    let along = [1.0, 0.0];
    // The way passes 2 from the middle, nearer than 3 + 1; it is 10 ahead.
    assert_eq!(direction(ahead(), 6.0, [20.0, 22.0], along), [0.0, 2.0]);
    assert_eq!(direction(ahead(), 5.0, [20.0, 22.0], along), REST, "too far ahead");
    assert_eq!(direction(ahead(), 6.0, [20.0, 24.5], along), REST, "the way is clear");
    assert_eq!(direction(ahead(), 6.0, [20.0, 22.0], [-1.0, 0.0]), REST, "it lies behind");
    assert_eq!(direction(ahead(), 6.0, [20.0, 22.0], REST), REST, "at rest there is no way");
    assert_eq!(direction(ahead(), 6.0, [20.0, 20.0], along), [0.0, 1.0], "dead ahead");
    assert_eq!(direction(ahead(), 0.0, [31.0, 20.0], REST), [1.0, 0.0], "out of it");
    assert_eq!(direction(ahead(), 0.0, [30.0, 20.0], REST), [0.0, 1.0], "in its very middle");
    // The nearer of two counts, whichever is listed first.
    let mut both = disc(40.0, 19.0, 3.0);
    both.obstacles.extend(disc(30.0, 20.0, 3.0).obstacles);
    assert_eq!(direction(both, 50.0, [20.0, 20.0], along), [0.0, 1.0]);
    assert_eq!(direction(Scenery::default(), 50.0, [20.0, 20.0], along), REST, "nothing there");
}

fn flow(cells: [u16; 2], values: Flow) -> Scenery {
    Scenery { flows: vec![Field { cells, values }], ..Scenery::default() }
}

#[test]
fn flows_are_followed_in_their_direction() {
    let direction = |scenery, position| {
        let kind = driven(5.0, Drive::FollowFlow { flow: 0 });
        only(&asked(kind, scenery, [position, REST], &[])).direction
    };
    let told = asked(
        driven(5.0, Drive::FollowFlow { flow: 0 }),
        flow([3, 3], Flow::Uniform([0.0, -3.0])),
        [[50.0, 50.0], [1.0, 0.0]],
        &[],
    );
    assert_eq!((only(&told).desired, force(&told)), ([0.0, -5.0], [-1.0, -5.0]));
    assert_eq!(direction(flow([1, 1], Flow::Uniform(REST)), [50.0, 50.0]), REST, "no flow");
    // The middle of the cell at (75, 55) lies (25, 5) from the centre.
    let swirl = || flow([10, 10], Flow::Swirl { centre: [50.0, 50.0] });
    assert_eq!(direction(swirl(), [71.0, 59.0]), [-5.0, 25.0]);
    let listed = vec![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    for (position, vector) in [
        ([10.0, 10.0], [1.0, 0.0]),
        ([50.0, 10.0], [0.0, 1.0]),
        ([49.0, 50.0], [-1.0, 0.0]),
        ([100.0, 100.0], [0.0, -1.0]),
    ] {
        assert_eq!(direction(flow([2, 2], Flow::Listed(listed.clone())), position), vector);
    }
}

#[test]
fn noise_is_smooth_in_space_and_time_and_differs_by_stream() {
    let still = Noise { density: 0.1, period: 0, stream: 0 };
    let vectors = |noise, tick| {
        let scenery = flow([40, 40], Flow::Noise(noise));
        let config = Config { scenery, seed: 3, ..Config::new(ROOM, self::still()) };
        config.flow_vectors(0, tick).unwrap()
    };
    let first = vectors(still, 0);
    assert!(first.iter().all(|&vector| (squared(vector) - 1.0).abs() < 1e-4));
    let turn = |a: [f32; 2], b: [f32; 2]| 1.0 - (a[0] * b[0] + a[1] * b[1]);
    let rows = first.chunks(40).flat_map(|row| row.windows(2));
    let largest = rows.map(|pair| turn(pair[0], pair[1])).fold(0.0, f32::max);
    assert!(largest < 0.42, "neighbouring cells differ by {largest}");
    assert!(first.iter().any(|v| v[0] > 0.7) && first.iter().any(|v| v[0] < -0.7));
    assert_eq!(vectors(still, 1000), first, "a period of 0 stands still");
    assert_ne!(vectors(Noise { stream: 1, ..still }, 0), first);
    let moving = Noise { period: 50, ..still };
    assert_eq!(vectors(moving, 0), first);
    let soon = vectors(moving, 1);
    let largest = first.iter().zip(&soon).map(|(&a, &b)| turn(a, b)).fold(0.0, f32::max);
    assert!(0.0 < largest && largest < 0.01, "one tick turns by {largest}");
    assert_ne!(vectors(moving, 50), first);
    let random = |stream| {
        let scenery = flow([9, 9], Flow::Random { stream });
        Config { scenery, ..Config::new(ROOM, self::still()) }.flow_vectors(0, 7).unwrap()
    };
    assert_ne!(random(0), random(1));
    assert_eq!(Config::new(ROOM, self::still()).flow_vectors(0, 0), None);
}

fn path(points: &[[f32; 2]], radius: f32, closed: bool) -> Scenery {
    let path = Path { points: points.to_vec(), radius, closed };
    Scenery { paths: vec![path], ..Scenery::default() }
}

const STRAIGHT: [[f32; 2]; 2] = [[10.0, 50.0], [90.0, 50.0]];

/// Where a path follower wants to go from here.
fn aim(scenery: Scenery, position: [f32; 2], velocity: [f32; 2]) -> [f32; 2] {
    let kind = driven(5.0, Drive::FollowPath { path: 0, look_ahead: 10.0 });
    only(&asked(kind, scenery, [position, velocity], &[])).direction
}

#[test]
fn path_followers_steer_only_when_they_stray() {
    let straight = || path(&STRAIGHT, 5.0, false);
    let along = [1.0, 0.0];
    // Looking 10 ahead it will be 10 off; it aims 10 further along than the nearest point (30, 50).
    assert_eq!(aim(straight(), [20.0, 40.0], along), [20.0, 10.0]);
    assert_eq!(aim(straight(), [20.0, 48.0], along), REST, "on the path and along it");
    assert_eq!(aim(straight(), [20.0, 45.0], along), REST, "on its very edge");
    assert_eq!(aim(straight(), [20.0, 48.0], [-1.0, 0.0]), [0.0, 2.0], "against it");
    assert_eq!(aim(straight(), [20.0, 48.0], REST), [10.0, 2.0], "at rest");
    assert_eq!(aim(straight(), [2.0, 50.0], [-1.0, 0.0]), [18.0, 0.0], "before its start");
    assert_eq!(aim(straight(), [75.0, 40.0], along), [15.0, 10.0], "its end is nearer than 10");
    assert_eq!(aim(straight(), [95.0, 50.0], along), REST, "past its end");
    assert_eq!(aim(straight(), [85.0, 20.0], along), REST, "about to be past its end");
}

#[test]
fn paths_bend_close_and_may_have_points_that_coincide() {
    let along = [1.0, 0.0];
    let bend = [[10.0, 50.0], [50.0, 50.0], [50.0, 90.0]];
    // The nearest point ahead is (46, 50): 4 to the corner, and 6 round it.
    assert_eq!(aim(path(&bend, 1.0, false), [36.0, 45.0], along), [14.0, 11.0]);
    let doubled = [bend[0], bend[0], bend[1], bend[1], bend[1], bend[2], bend[2]];
    assert_eq!(aim(path(&doubled, 1.0, false), [36.0, 45.0], along), [14.0, 11.0]);
    // Past an end that is listed twice, too, there is no force.
    let twice = [STRAIGHT[0], STRAIGHT[1], STRAIGHT[1]];
    assert_eq!(aim(path(&twice, 5.0, false), [95.0, 50.0], along), REST);
    assert_eq!(aim(path(&[[40.0, 40.0]; 2], 1.0, false), [36.0, 45.0], along), [4.0, -5.0]);
    assert_eq!(aim(path(&[[40.0, 40.0]; 3], 1.0, true), [36.0, 45.0], along), [4.0, -5.0]);
    // Closed, its last segment leads back to (10, 50); past that, the first one goes on.
    let triangle = [[10.0, 50.0], [90.0, 50.0], [10.0, 90.0]];
    assert_eq!(aim(path(&triangle, 1.0, true), [5.0, 66.0], [0.0, -1.0]), [9.0, -16.0]);
    // A path shorter than the look-ahead is walked round once, and no further.
    let tiny = [[40.0, 40.0], [41.0, 40.0]];
    assert_eq!(aim(path(&tiny, 0.0, true), [40.0, 42.0], REST), [1.0, -2.0]);
}

#[test]
fn ground_sets_speed_and_force_by_two_maps() {
    let ground = Field { cells: [2, 1], values: Soil::Listed(vec![0.0, 1.0]) };
    let kind = Kind {
        ground: Some(Ground { field: 0, max_speed: [1.0, 4.0], max_force: [0.25, 0.0] }),
        ..driven(50.0, Drive::Seek { target: Target::Point([50.0, 90.0]) })
    };
    let scenery = Scenery { grounds: vec![ground], ..Scenery::default() };
    let told = asked(kind.clone(), scenery.clone(), [[10.0, 10.0], REST], &[]);
    assert_eq!(told.gait, Gait::new(1.0, 0.25));
    assert!((squared(told.cut).sqrt() - 0.25).abs() < 1e-6);
    // On the other half it is fast and cannot turn; a velocity over the new limit is cut.
    let told = asked(kind.clone(), scenery.clone(), [[60.0, 10.0], [8.0, 0.0]], &[]);
    assert_eq!((told.gait, told.cut, told.next_velocity), (Gait::new(4.0, 0.0), REST, [4.0, 0.0]));
    // The ground takes the place of a body's own gait, too.
    let config = Config { scenery, ..Config::new(ROOM, kind) };
    let mut own = flock(config, &[([10.0, 10.0], REST, 0)]);
    own.set_gait(0, Gait::new(9.0, 9.0)).unwrap();
    assert_eq!(own.explain(0).unwrap().gait, Gait::new(1.0, 0.25));
    engines_agree(&own, 20);
}

#[test]
fn a_ground_where_nothing_moves_does_no_harm() {
    let ground = Field { cells: [1, 1], values: Soil::Listed(vec![0.0]) };
    let target = Target::Point([50.0, 90.0]);
    let drives = [
        Drive::Arrive { target, slowing: 3.0 },
        Drive::Pursue { target, look_ahead: 9.0 },
        Drive::Pursue { target: Target::Point([10.0, 10.0]), look_ahead: 0.0 },
        Drive::Flee { target, range: 900.0, fading: true },
    ];
    let kind = Kind {
        ground: Some(Ground { field: 0, max_speed: [0.0; 2], max_force: [0.0; 2] }),
        rules: vec![Rule::new(Urge::Flee { fading: true }, 9.0, 1.0), Rule::cohesion(9.0, 1.0)],
        behaviours: drives.map(|drive| drive.weighing(1.0)).to_vec(),
        ..still()
    };
    let scenery = Scenery { grounds: vec![ground], ..Scenery::default() };
    let config = Config { scenery, ..Config::new(ROOM, kind) };
    let stuck = flock(config, &[([10.0, 10.0], [3.0, 0.0], 0), ([12.0, 10.0], REST, 0)]);
    let later = engines_agree(&stuck, 3);
    assert_eq!(later.get(0).unwrap().position, [10.0, 10.0]);
}

// ---- Rules

/// What body 0 at (50, 50) makes of others of kind 1.
fn hears(rule: Rule, velocity: [f32; 2], others: &[[[f32; 2]; 2]]) -> Term {
    let told = asked(urged(4.0, rule), Scenery::default(), [[50.0, 50.0], velocity], others);
    *only(&told)
}

#[test]
fn gather_pulls_to_those_farther_than_its_minimum() {
    let gather = Rule::new(Urge::Gather { beyond: 2.0 }, 10.0, 1.0);
    let at = |x: f32, y: f32| [[x, y], REST];
    let others = [at(51.0, 50.0), at(54.0, 50.0), at(50.0, 60.0), at(50.0, 39.0), at(52.0, 50.0)];
    let term = hears(gather, REST, &others);
    assert_eq!((term.heard, term.direction), (2, [4.0, 10.0]), "the minimum itself is too near");
    let nearer = Rule::new(Urge::Gather { beyond: 20.0 }, 10.0, 1.0);
    assert_eq!(hears(nearer, REST, &others).direction, REST);
}

#[test]
fn view_moves_aside_from_who_stands_in_it() {
    let view = Rule::new(Urge::View, 4.0, 1.0).seeing(180.0);
    let at = |x: f32, y: f32| [[x, y], REST];
    // (2, 1) ahead on the +y side: pushed to -y by 1 - 5/16, times the speed.
    assert_eq!(hears(view, [2.0, 0.0], &[at(52.0, 51.0)]).direction, [0.0, -1.375]);
    assert_eq!(hears(view, [2.0, 0.0], &[at(52.0, 49.0)]).direction, [0.0, 1.375]);
    let both = [at(52.0, 51.0), at(52.0, 49.0)];
    assert_eq!(hears(view, [2.0, 0.0], &both).direction, REST, "equal on both sides");
    let nearer = [at(52.0, 51.0), at(51.0, 49.0)];
    assert_eq!(hears(view, [2.0, 0.0], &nearer).direction, [0.0, 0.375], "the nearer one wins");
    assert_eq!(hears(view, [2.0, 0.0], &[at(52.0, 50.0)]).direction, [0.0, 1.5], "dead ahead");
    assert_eq!(hears(view, [2.0, 0.0], &[at(48.0, 51.0)]).heard, 0, "behind");
    assert_eq!(hears(view, REST, &[at(52.0, 51.0)]).direction, REST, "at rest nothing is aside");
}

#[test]
fn prey_flees_each_threat_alike_or_fading() {
    let flee = |fading| Rule::new(Urge::Flee { fading }, 8.0, 1.0).hearing(Kinds::only(1));
    let at = |x: f32, y: f32| [[x, y], REST];
    let one = hears(flee(false), REST, &[at(54.0, 50.0)]);
    assert_eq!((one.direction, one.desired), ([-1.0, 0.0], [-4.0, 0.0]));
    let two = hears(flee(false), REST, &[at(54.0, 50.0), at(50.0, 58.0)]);
    assert_eq!((two.heard, two.direction), (2, [-1.0, -1.0]), "the distance does not matter");
    // Fading: half way to the radius half the speed, at the radius none.
    let one = hears(flee(true), REST, &[at(54.0, 50.0)]);
    assert_eq!((one.direction, one.desired), ([-0.5, 0.0], [-2.0, 0.0]));
    assert_eq!(hears(flee(true), REST, &[at(50.0, 58.0)]).desired, REST);
    // One spot names no direction.
    assert_eq!(hears(flee(false), REST, &[at(50.0, 50.0)]).force, REST);
}

#[test]
fn hunters_take_the_slowest_and_of_equals_the_first() {
    let hunt = Rule::new(Urge::Hunt, 8.0, 1.0);
    let others = [
        [[52.0, 50.0], [3.0, 0.0]],
        [[50.0, 55.0], [0.0, -1.0]],
        [[55.0, 50.0], [1.0, 0.0]],
        [[50.0, 30.0], REST],
    ];
    let term = hears(hunt, REST, &others);
    assert_eq!(
        term.direction,
        [0.0, 5.0],
        "of 2 and 3 the one in the first cell; 4 is out of range"
    );
    let seen = hunt.seeing(180.0);
    assert_eq!(hears(seen, [1.0, 0.0], &others).direction, [0.0, 5.0], "a right angle is seen");
    assert_eq!(hears(seen, [1.0, -0.1], &others).direction, [5.0, 0.0]);
    assert_eq!(hears(hunt, REST, &[]).force, REST);
    // The slowest is on the very spot: nowhere to go, though others are near.
    let others = [[[50.0, 50.0], REST], [[52.0, 50.0], [1.0, 0.0]]];
    assert_eq!(hears(hunt, REST, &others).force, REST);
}

#[test]
fn rules_hear_only_the_kinds_they_name() {
    let kinds = [Kinds::ALL, Kinds::NONE, Kinds::only(0), Kinds::only(1), Kinds::only(0).and(2)];
    for heard in kinds {
        let rule = Rule::alignment(20.0, 1.0).hearing(heard);
        let config = Config {
            kinds: vec![urged(4.0, rule), still(), still()],
            ..Config::new(ROOM, still())
        };
        let all: Vec<_> = (0..9).map(|k| ([40.0 + k as f32, 50.0], [1.0, 0.5], k % 3)).collect();
        let flock = flock(config, &all);
        let told = flock.explain(0).unwrap();
        let wanted = (1..9).filter(|k| heard.contains(k % 3)).count();
        assert_eq!(only(&told).heard as usize, wanted, "{heard:?}");
        engines_agree(&flock, 5);
    }
}

#[test]
fn the_field_of_view_is_right_at_every_angle_and_heading() {
    let degrees = |angle: f64| angle.to_degrees().rem_euclid(360.0);
    for view in [1.0_f32, 45.0, 90.0, 120.0, 180.0, 200.0, 270.0, 359.0, 360.0] {
        let rule = Rule::alignment(5.0, 1.0).seeing(view);
        for heading in (0..360).step_by(15) {
            let facing = around(f64::from(heading));
            let others: Vec<_> = (0..36)
                .map(|k| around(f64::from(heading) + f64::from(k) * 10.0 + 0.37))
                .map(|[x, y]| [[50.0 + 4.0 * x, 50.0 + 4.0 * y], [1.0, 1.0]])
                .collect();
            let wanted = others.iter().filter(|[[x, y], _]| {
                let (x, y) = (f64::from(*x) - 50.0, f64::from(*y) - 50.0);
                let off =
                    degrees(angle_of(y, x)) - degrees(angle_of(facing[1].into(), facing[0].into()));
                let off = off.rem_euclid(360.0);
                off.min(360.0 - off) <= f64::from(view) / 2.0
            });
            let wanted = wanted.count();
            let kind = urged(4.0, rule);
            let straight = Kind::new(Gait::new(50.0, STRONG));
            let config = Config { kinds: vec![kind, straight], ..Config::new(ROOM, still()) };
            let me = [([50.0, 50.0], facing, 0)].into_iter();
            let all: Vec<_> = me.chain(others.iter().map(|&[p, v]| (p, v, 1))).collect();
            let told = flock(config, &all).explain(0).unwrap();
            assert_eq!(only(&told).heard as usize, wanted, "{view} degrees, heading {heading}");
        }
    }
}

/// The angle of a vector in radians.
#[expect(clippy::disallowed_methods, reason = "only to check an answer, never to make one")]
fn angle_of(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

/// The unit vector at so many degrees.
#[expect(clippy::disallowed_methods, reason = "only to place bodies in a test")]
fn around(degrees: f64) -> [f32; 2] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    [cos as f32, sin as f32]
}

#[test]
fn half_a_circle_and_a_whole_one_have_exact_edges() {
    let heard = |view: f32, velocity: [f32; 2], other: [f32; 2]| {
        let rule = Rule::alignment(20.0, 1.0).seeing(view);
        hears(rule, velocity, &[[other, [1.0, 0.0]]]).heard
    };
    // At a right angle to any of these headings, and a bit behind it.
    for [x, y] in [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [2.0, 1.0], [-3.0, 4.0]] {
        for [sx, sy] in [[-y, x], [y, -x]] {
            assert_eq!(heard(180.0, [x, y], [50.0 + sx, 50.0 + sy]), 1, "{x},{y}");
            let behind = [50.0 + sx - x / 512.0, 50.0 + sy - y / 512.0];
            assert_eq!(heard(180.0, [x, y], behind), 0, "{x},{y}");
        }
        assert_eq!(heard(360.0, [x, y], [50.0 - x, 50.0 - y]), 1, "right behind");
        assert_eq!(heard(359.0, [x, y], [50.0 - x, 50.0 - y]), 0, "right behind");
        assert_eq!(heard(0.5, [x, y], [50.0 + x, 50.0 + y]), 1, "right ahead");
    }
    assert_eq!(heard(1.0, REST, [49.0, 50.0]), 1, "at rest it sees all round");
    assert_eq!(heard(1.0, [1.0, 0.0], [50.0, 50.0]), 1, "on one spot");
    assert_eq!(heard(1.0, [1e-30, 0.0], [49.0, 50.0]), 1, "too slow to have a heading");
}

// ---- Weights, spreads, respawns

#[test]
fn weights_swing_differ_and_drift() {
    let target = Target::Point([90.0, 50.0]);
    let weights = |weight: Weight, ticks: u64| -> Vec<Vec<f32>> {
        let seek = Behaviour { weight, drive: Drive::Seek { target } };
        let rule = Rule::separation(1.0, weight);
        let kind = Kind { behaviours: vec![seek], rules: vec![rule], ..still() };
        let mut flock = flock(Config::new(ROOM, kind), &[]);
        for k in 0..40 {
            flock.add(Spawn::new([2.0 * k as f32, 50.0], REST)).unwrap();
        }
        engines_agree(&flock, 3);
        let mut told = Vec::new();
        for _ in 0..ticks {
            let of = |id| {
                flock.explain(id).unwrap().terms.iter().map(|it| it.weight).collect::<Vec<_>>()
            };
            told.push((0..40).flat_map(of).collect());
            flock.tick();
        }
        told
    };
    assert!(weights(Weight::Steady(0.5), 2).iter().flatten().all(|&weight| weight == 0.5));
    let waves = weights(Weight::Sine { mean: 1.0, amplitude: 0.5, period: 8 }, 9);
    for (tick, wanted) in [(0, 1.0), (2, 1.5), (4, 1.0), (6, 0.5), (8, 1.0)] {
        assert!(waves[tick].iter().all(|weight: &f32| (weight - wanted).abs() < 1e-5), "{tick}");
    }
    let drawn = weights(Weight::Drawn { low: 1.0, high: 3.0 }, 3);
    assert_eq!(drawn[0], drawn[2], "drawn once");
    assert!(drawn[0].iter().all(|weight| (1.0..=3.0).contains(weight)));
    let mut sorted = drawn[0].clone();
    sorted.sort_by(f32::total_cmp);
    sorted.dedup();
    assert_eq!(sorted.len(), 80, "every body, and rule and behaviour, has its own");
    assert!(sorted[10] < 1.5 && sorted[70] > 2.5, "evenly");
    let drifting = weights(Weight::Noise { low: -1.0, high: 1.0, period: 10 }, 30);
    assert!(drifting.iter().flatten().all(|weight| (-1.0..=1.0).contains(weight)));
    for pair in drifting.windows(2) {
        let steps = pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).abs());
        let largest = steps.fold(0.0, f32::max);
        assert!(0.0 < largest && largest < 0.3, "a weight jumped by {largest}");
    }
}

#[test]
fn spreads_are_drawn_by_id_and_seed() {
    let spread = Some(Spread { max_speed: 0.2, max_force: 0.5, look_ahead: 0.0 });
    let kind = Kind { spread, ..Kind::new(Gait::new(10.0, 2.0)) };
    let gaits = |seed| -> Vec<Gait> {
        let config = Config { seed, ..Config::new(ROOM, kind.clone()) };
        let all: Vec<_> = (0..50).map(|k| ([k as f32, 9.0], REST, 0)).collect();
        bodies(&flock(config, &all)).iter().map(|body| body.gait).collect()
    };
    let first = gaits(1);
    assert_eq!(first, gaits(1));
    assert_ne!(first, gaits(2));
    assert!(first.iter().all(|gait| (8.0..=12.0).contains(&gait.max_speed)));
    assert!(first.iter().all(|gait| (1.0..=3.0).contains(&gait.max_force)));
    let of = |low: bool| first.iter().any(|gait| (gait.max_speed < 9.0) == low);
    assert!(of(true) && of(false));
    // An own gait is not spread, and what the spread says is what the tick obeys.
    let mut own = flock(Config { seed: 1, ..Config::new(ROOM, kind) }, &[]);
    for k in 0..30 {
        own.add(Spawn::new([50.0, k as f32], [30.0, 0.0])).unwrap();
    }
    own.set_gait(3, Gait::new(7.0, 7.0)).unwrap();
    let wanted: Vec<f32> = bodies(&own).iter().map(|body| body.gait.max_speed).collect();
    assert_eq!(wanted[3], 7.0);
    let later = engines_agree(&own, 1);
    for (body, wanted) in later.iter().zip(wanted) {
        assert!((body.velocity[0] - wanted).abs() < 1e-5);
    }
}

#[test]
fn a_spread_look_ahead_reaches_further_or_less_far() {
    let spread = Some(Spread { look_ahead: 0.5, ..Spread::default() });
    let pursue = Drive::Pursue { target: Target::Body(0), look_ahead: 10.0 };
    let kind = Kind { spread, ..driven(0.001, pursue) };
    let mut flock = flock(Config::new(ROOM, kind), &[([50.0, 50.0], [0.0, 1.0], 0)]);
    for _ in 0..40 {
        flock.add(Spawn::new([10.0, 50.0], REST)).unwrap();
    }
    let ahead: Vec<f32> =
        (1..41).map(|id| flock.explain(id).unwrap().terms[0].direction[1]).collect();
    assert!(ahead.iter().all(|ahead| (5.0..=15.0).contains(ahead)));
    assert!(ahead.iter().any(|&ahead| ahead < 8.0) && ahead.iter().any(|&ahead| ahead > 12.0));
    engines_agree(&flock, 4);
}

#[test]
fn a_caught_body_is_born_again_elsewhere() {
    let respawn = Respawn {
        by: Kinds::only(0),
        within: 5.0,
        low: [60.0, 20.0],
        high: [90.0, 40.0],
        speed: 3.0,
    };
    let prey = Kind { respawn: Some(respawn), ..Kind::new(Gait::new(9.0, 1.0)) };
    let config = Config { kinds: vec![still(), prey], ..Config::new(ROOM, still()) };
    let at = |x: f32, kind| ([x, 50.0], [0.5, 0.0], kind);
    let flock = flock(config, &[at(10.0, 0), at(15.0, 1), at(16.0, 1), at(15.5, 1)]);
    let caught: Vec<bool> = (0..4).map(|id| flock.explain(id).unwrap().respawned).collect();
    assert_eq!(caught, [false, true, false, false], "5 away is caught; nor do prey catch prey");
    let later = engines_agree(&flock, 1);
    let [x, y] = later.get(1).unwrap().position;
    assert!((60.0..=90.0).contains(&x) && (20.0..=40.0).contains(&y), "{x}, {y}");
    assert!(later.get(1).unwrap().velocity.iter().all(|part| part.abs() <= 3.0));
    assert_eq!(later.get(2).unwrap().position, [16.5, 50.0]);
    // Whoever is caught again and again is put somewhere else every time.
    let mut places = Vec::new();
    let mut chased = flock;
    for _ in 0..20 {
        let prey = chased.get(1).unwrap();
        chased.set_motion(0, prey.position, REST).unwrap();
        chased.tick();
        places.push(chased.get(1).unwrap().position.map(f32::to_bits));
    }
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 20);
}

// ---- What is refused

/// A configuration that has everything.
fn full() -> Config {
    let target = Target::Point([1.0, 1.0]);
    let noise = Noise { density: 0.1, period: 10, stream: 0 };
    let kind = Kind {
        spread: Some(Spread::default()),
        ground: Some(Ground { field: 0, max_speed: [1.0, 2.0], max_force: [1.0, 2.0] }),
        rules: vec![Rule::separation(9.0, 1.0), Rule::new(Urge::Gather { beyond: 1.0 }, 9.0, 1.0)],
        behaviours: vec![
            Drive::Seek { target }.weighing(1.0),
            Drive::Arrive { target, slowing: 1.0 }.weighing(1.0),
            Drive::FollowPath { path: 0, look_ahead: 1.0 }.weighing(1.0),
            Drive::FollowFlow { flow: 0 }.weighing(1.0),
        ],
        respawn: Some(Respawn {
            by: Kinds::ALL,
            within: 1.0,
            low: [0.0; 2],
            high: [9.0; 2],
            speed: 1.0,
        }),
        ..still()
    };
    let scenery = Scenery {
        flows: vec![Field { cells: [2, 2], values: Flow::Noise(noise) }],
        grounds: vec![Field { cells: [2, 1], values: Soil::Listed(vec![0.0, 1.0]) }],
        paths: path(&STRAIGHT, 5.0, false).paths,
        obstacles: disc(9.0, 9.0, 1.0).obstacles,
    };
    Config { scenery, ..Config::new(ROOM, kind) }
}

type Spoil = fn(&mut Config);

const REFUSED: [(&str, Spoil); 30] = [
    ("kinds[0].spread.max_speed is 1.0", |it| spread(it).max_speed = 1.0),
    ("kinds[0].spread.look_ahead is -0.1", |it| spread(it).look_ahead = -0.1),
    ("kinds[0].ground.max_speed[1] is inf", |it| ground(it).max_speed[1] = f32::INFINITY),
    ("kinds[0].ground.max_force[0] is -1.0", |it| ground(it).max_force[0] = -1.0),
    ("kinds[0].ground.field names ground 1; there are 1", |it| ground(it).field = 1),
    ("kinds[0].respawn.within is 0.0", |it| respawn(it).within = 0.0),
    ("kinds[0].respawn.low[0] is 10.0", |it| respawn(it).low[0] = 10.0),
    ("kinds[0].respawn.high[1] is 101.0", |it| respawn(it).high[1] = 101.0),
    ("kinds[0].respawn.speed is 1000000000.0", |it| respawn(it).speed = 1e9),
    ("kinds[0].respawn.by names kind 1; there are 1", |it| respawn(it).by = Kinds::only(1)),
    ("kinds[0].rules[0].field_of_view is 0.0", |it| it.kinds[0].rules[0].field_of_view = 0.0),
    ("kinds[0].rules[0].field_of_view is 361.0", |it| it.kinds[0].rules[0].field_of_view = 361.0),
    ("kinds[0].rules[0].hears names kind 7", |it| it.kinds[0].rules[0].hears = Kinds::only(7)),
    ("kinds[0].rules[1].beyond is NaN", |it| {
        it.kinds[0].rules[1].urge = Urge::Gather { beyond: f32::NAN };
    }),
    ("kinds[0].rules lists 17; allowed: at most 16", |it| {
        it.kinds[0].rules = vec![Rule::cohesion(1.0, 1.0); 17];
    }),
    ("kinds[0].behaviours[0].weight.period is 0.0", |it| {
        it.kinds[0].behaviours[0].weight = Weight::Sine { mean: 1.0, amplitude: 1.0, period: 0 };
    }),
    ("kinds[0].behaviours[0].weight.high is 2000000.0", |it| {
        it.kinds[0].behaviours[0].weight = Weight::Drawn { low: 0.0, high: 2e6 };
    }),
    ("kinds[0].behaviours[0].target[1] is NaN", |it| {
        it.kinds[0].behaviours[0].drive = Drive::Seek { target: Target::Point([0.0, f32::NAN]) };
    }),
    ("kinds[0].behaviours[1].slowing is 0.0", |it| {
        let target = Target::Body(0);
        it.kinds[0].behaviours[1].drive = Drive::Arrive { target, slowing: 0.0 };
    }),
    ("kinds[0].behaviours[2].path names path 3; there are 1", |it| {
        it.kinds[0].behaviours[2].drive = Drive::FollowPath { path: 3, look_ahead: 1.0 };
    }),
    ("kinds[0].behaviours[3].flow names flow 1; there are 1", |it| {
        it.kinds[0].behaviours[3].drive = Drive::FollowFlow { flow: 1 };
    }),
    ("scenery.flows[0].cells[0] is 0.0", |it| it.scenery.flows[0].cells[0] = 0),
    ("scenery.flows[0].values.density is 17.0", |it| {
        let noise = Noise { density: 17.0, period: 0, stream: 0 };
        it.scenery.flows[0].values = Flow::Noise(noise);
    }),
    ("scenery: cells of all fields lists 16777218", |it| it.scenery.flows[0].cells = [4096; 2]),
    ("scenery.grounds[0].values has 2 values for 4 cells", |it| {
        it.scenery.grounds[0].cells = [2, 2];
    }),
    ("scenery.grounds[0].values[1] is 1.5", |it| {
        it.scenery.grounds[0].values = Soil::Listed(vec![0.0, 1.5]);
    }),
    ("scenery.paths[0].points has 1; allowed: 2 to 1024", |it| {
        it.scenery.paths[0].points.truncate(1);
    }),
    ("scenery.paths[0].points[1][0] is inf", |it| {
        it.scenery.paths[0].points[1][0] = f32::INFINITY;
    }),
    ("scenery.paths[0].radius is -1.0", |it| it.scenery.paths[0].radius = -1.0),
    ("scenery.obstacles[0].radius is 0.0", |it| it.scenery.obstacles[0].radius = 0.0),
];

fn spread(config: &mut Config) -> &mut Spread {
    config.kinds[0].spread.as_mut().unwrap()
}

fn ground(config: &mut Config) -> &mut Ground {
    config.kinds[0].ground.as_mut().unwrap()
}

fn respawn(config: &mut Config) -> &mut Respawn {
    config.kinds[0].respawn.as_mut().unwrap()
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let good = flock(full(), &[([5.0, 5.0], REST, 0)]);
    let saved = Flock::restore(&good.snapshot()).unwrap();
    assert_eq!((saved.config(), saved.fingerprint()), (&full(), good.fingerprint()));
    for (wanted, spoil) in REFUSED {
        let mut config = full();
        spoil(&mut config);
        let refusal = config.check().expect_err(wanted).to_string();
        assert!(refusal.starts_with(wanted), "{refusal:?} should begin with {wanted:?}");
        let mut flock = good.clone();
        assert_eq!(flock.set_config(config).unwrap_err().to_string(), refusal);
        assert_eq!(flock.config(), &full(), "a refused call changes nothing");
    }
}

// ---- What they do over many ticks

fn distance(flock: &Flock, id: u32, [x, y]: [f32; 2]) -> f32 {
    let body = flock.get(id).unwrap();
    squared([body.position[0] - x, body.position[1] - y]).sqrt()
}

fn ticked(flock: &Flock, ticks: usize) -> Flock {
    let mut flock = flock.clone();
    (0..ticks).for_each(|_| flock.tick());
    flock
}

/// One body of the notebook's strength.
fn one(speed: f32, drive: Drive, at: [f32; 2], velocity: [f32; 2]) -> Flock {
    let kind = Kind { gait: Gait::new(speed, 0.2), ..driven(speed, drive) };
    let world = World::new(600.0, 400.0, Edge::Open);
    flock(Config::new(world, kind), &[(at, velocity, 0)])
}

#[test]
fn a_seeker_gets_there_and_passes_through() {
    let target = [400.0, 100.0];
    let seeker = one(4.0, Drive::Seek { target: Target::Point(target) }, [50.0, 50.0], REST);
    let near: Vec<f32> =
        (0..400).map(|ticks| distance(&ticked(&seeker, ticks), 0, target)).collect();
    assert!(near[60] < near[0] && near.iter().any(|&near| near < 4.0), "it gets there");
    assert!(near[200..].iter().any(|&near| near > 8.0), "it does not stop there");
}

#[test]
fn an_arriver_stops_and_stays() {
    let target = [400.0, 100.0];
    let arrive = Drive::Arrive { target: Target::Point(target), slowing: 100.0 };
    let mut arriver = one(5.0, arrive, [50.0, 50.0], [0.0, 5.0]);
    let mut farthest_after = 0.0_f32;
    let mut last = f32::INFINITY;
    for tick in 0..900 {
        arriver.tick();
        let near = distance(&arriver, 0, target);
        if tick > 150 {
            assert!(near <= last + 1e-3, "it swings out from {last} to {near} at tick {tick}");
        }
        if tick > 500 {
            farthest_after = farthest_after.max(near);
        }
        last = near;
    }
    assert!(farthest_after < 0.01, "it is {farthest_after} away");
    assert!(squared(arriver.get(0).unwrap().velocity) < 1e-6);
}

#[test]
fn a_fleer_gets_away_and_then_lets_be() {
    let threat = [300.0, 200.0];
    for fading in [false, true] {
        let flee = Drive::Flee { target: Target::Point(threat), range: 100.0, fading };
        let mut fleer = one(4.0, flee, [290.0, 195.0], REST);
        let mut last = distance(&fleer, 0, threat);
        while last < 90.0 {
            fleer.tick();
            let next = distance(&fleer, 0, threat);
            assert!(next > last, "it came nearer: {last} to {next}");
            last = next;
            if fleer.tick_number() > 400 {
                assert!(fading && last > 60.0, "it got only {last} away");
                break;
            }
        }
    }
}

#[test]
fn a_pursuer_catches_what_a_seeker_only_follows() {
    // The quarry crosses at the pursuer's own speed.
    let caught = |look_ahead: f32| {
        let drive = Drive::Pursue { target: Target::Body(1), look_ahead };
        let hunter = Kind { gait: Gait::new(3.0, 0.3), ..driven(3.0, drive) };
        let kinds = vec![hunter, Kind::new(Gait::new(3.0, 1.0))];
        let world = World::new(900.0, 600.0, Edge::Open);
        let config = Config { kinds, ..Config::new(world, still()) };
        let mut flock =
            flock(config, &[([300.0, 300.0], REST, 0), ([100.0, 200.0], [3.0, 0.0], 1)]);
        (0..300).any(|_| {
            flock.tick();
            let quarry = flock.get(1).unwrap().position;
            distance(&flock, 0, quarry) < 6.0
        })
    };
    assert!(caught(100.0));
    assert!(!caught(0.0));
}

#[test]
fn followers_line_up_behind_their_leader() {
    let follow = Drive::FollowLeader {
        target: Target::Body(0),
        behind: 20.0,
        clearance: 30.0,
        slowing: 40.0,
    };
    let follower = Kind {
        gait: Gait::new(3.0, 0.3),
        rules: vec![Rule::separation(8.0, 1.0)],
        ..driven(3.0, follow)
    };
    let kinds = vec![Kind::new(Gait::new(2.0, 1.0)), follower];
    let config = Config { kinds, ..Config::new(World::new(900.0, 600.0, Edge::Open), still()) };
    let mut flock = flock(config, &[([300.0, 300.0], [2.0, 0.0], 0)]);
    for k in 0..6 {
        let spawn = Spawn::new([330.0, 270.0 + 10.0 * k as f32], REST);
        flock.add(Spawn { kind: 1, ..spawn }).unwrap();
    }
    let later = ticked(&flock, 400);
    let [lx, ly] = later.get(0).unwrap().position;
    for id in 1..7 {
        let [x, y] = later.get(id).unwrap().position;
        assert!(x < lx && squared([x - lx, y - ly]) < 60.0 * 60.0, "{id} at {x}, {y}");
    }
}

#[test]
fn a_formation_is_kept() {
    let place = |offset| Drive::OffsetPursuit {
        target: Target::Body(0),
        offset,
        slowing: 20.0,
        look_ahead: 10.0,
    };
    let offsets = [[-20.0, 20.0], [-20.0, -20.0]];
    let wings =
        offsets.map(|offset| Kind { gait: Gait::new(4.0, 0.5), ..driven(4.0, place(offset)) });
    let [left, right] = wings;
    let kinds = vec![Kind::new(Gait::new(2.0, 1.0)), left, right];
    let config = Config { kinds, ..Config::new(World::new(900.0, 600.0, Edge::Open), still()) };
    let start =
        [([300.0, 300.0], [1.2, 1.6], 0), ([200.0, 310.0], REST, 1), ([350.0, 350.0], REST, 2)];
    let later = ticked(&flock(config, &start), 300);
    let leader = later.get(0).unwrap().position;
    for (id, [ahead, side]) in (1..).zip(offsets) {
        // The leader's heading is (0.6, 0.8). A wing trails its place a little, as it arrives there.
        let place = [leader[0] + 0.6 * ahead - 0.8 * side, leader[1] + 0.8 * ahead + 0.6 * side];
        assert!(distance(&later, id, place) < 12.0, "{id} is {} off", distance(&later, id, place));
    }
}

#[test]
fn nobody_runs_into_an_obstacle() {
    let scenery = Scenery {
        obstacles: vec![
            Obstacle { centre: [300.0, 200.0], radius: 40.0 },
            Obstacle { centre: [420.0, 260.0], radius: 25.0 },
        ],
        ..Scenery::default()
    };
    let kind = Kind {
        gait: Gait::new(3.0, 0.3),
        behaviours: vec![
            Drive::Avoid { look_ahead: 60.0, clearance: 8.0 }.weighing(2.0),
            Drive::Seek { target: Target::Point([560.0, 230.0]) }.weighing(0.3),
        ],
        ..still()
    };
    let world = World::new(600.0, 400.0, Edge::Walls);
    let config = Config { scenery: scenery.clone(), ..Config::new(world, kind) };
    let start: Vec<_> = (0..20).map(|k| ([50.0, 10.0 + 19.0 * k as f32], [3.0, 0.0], 0)).collect();
    let mut flock = flock(config, &start);
    let mut passed = 0;
    for _ in 0..170 {
        flock.tick();
        for body in bodies(&flock) {
            for Obstacle { centre: [x, y], radius } in &scenery.obstacles {
                let off = squared([body.position[0] - x, body.position[1] - y]).sqrt();
                assert!(off > *radius, "{body:?} is inside");
            }
            passed += usize::from(body.position[0] > 400.0);
        }
    }
    assert!(passed > 200, "they get past");
}

#[test]
fn path_followers_stay_on_their_path() {
    let points = [[100.0, 100.0], [500.0, 100.0], [500.0, 300.0], [100.0, 300.0]];
    let scenery = path(&points, 25.0, true);
    let follow = Drive::FollowPath { path: 0, look_ahead: 30.0 };
    let kind = Kind { gait: Gait::new(2.0, 0.4), ..driven(2.0, follow) };
    let config = Config {
        scenery: scenery.clone(),
        ..Config::new(World::new(600.0, 400.0, Edge::Walls), kind)
    };
    let start: Vec<_> = (0..12).map(|k| ([50.0 * k as f32, 180.0], [0.5, 1.0], 0)).collect();
    let mut flock = flock(config, &start);
    (0..250).for_each(|_| flock.tick());
    let off = |[x, y]: [f32; 2]| {
        let from = |[[ax, ay], [bx, by]]: [[f32; 2]; 2]| {
            let (ex, ey) = (bx - ax, by - ay);
            let t = (((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey)).clamp(0.0, 1.0);
            squared([x - ax - ex * t, y - ay - ey * t]).sqrt()
        };
        scenery.paths[0].segments().map(from).fold(f32::INFINITY, f32::min)
    };
    let mut seen = [false; 4];
    for _ in 0..700 {
        flock.tick();
        for body in bodies(&flock) {
            assert!(off(body.position) < 25.0, "{body:?} is {} off", off(body.position));
        }
        let [x, y] = flock.get(0).unwrap().position;
        seen[usize::from(x > 300.0) + 2 * usize::from(y > 200.0)] = true;
    }
    assert_eq!(seen, [true; 4], "they go round");
}

#[test]
fn prey_thins_out_near_a_predator() {
    let flee = Rule::new(Urge::Flee { fading: false }, 60.0, 2.5).hearing(Kinds::only(1));
    let roam = Drive::Wander { distance: 20.0, radius: 10.0, period: 30 }.weighing(1.0);
    let prey = Kind { rules: vec![flee], behaviours: vec![roam], ..Kind::new(Gait::new(2.0, 0.1)) };
    let world = World::new(400.0, 400.0, Edge::Torus);
    let near = |prey: Kind| {
        let kinds = vec![prey, Kind::new(Gait::new(1.0, 0.1))];
        let config = Config { kinds, seed: 5, ..Config::new(world, still()) };
        let mut flock = flock(config, &[([200.0, 200.0], REST, 1)]);
        for k in 0..400 {
            let place = [(k % 20) as f32 * 20.0 + 3.0, (k / 20) as f32 * 20.0 + 3.0];
            flock.add(Spawn::new(place, [1.0, 1.0])).unwrap();
        }
        (0..200).for_each(|_| flock.tick());
        let close = |body: &&flockstep::Body| {
            body.kind == 0 && squared([body.position[0] - 200.0, body.position[1] - 200.0]) < 1600.0
        };
        bodies(&flock).iter().filter(close).count()
    };
    let heedless = near(Kind { rules: vec![], ..prey.clone() });
    let wary = near(prey);
    assert!(heedless > 5 && wary * 4 < heedless, "{wary} near it, {heedless} of the heedless");
}

#[test]
fn a_hunter_goes_for_the_slowest() {
    let hunt = Rule::new(Urge::Hunt, 120.0, 1.0).hearing(Kinds::only(1));
    let kinds = vec![
        Kind { rules: vec![hunt], ..Kind::new(Gait::new(3.0, 0.3)) },
        Kind::new(Gait::new(2.0, 1.0)),
    ];
    let config = Config { kinds, ..Config::new(World::new(400.0, 400.0, Edge::Torus), still()) };
    let start = [
        ([100.0, 200.0], REST, 0),
        ([150.0, 200.0], [0.0, 2.0], 1),
        ([160.0, 230.0], [0.1, 0.0], 1),
        ([130.0, 150.0], [0.0, -1.5], 1),
    ];
    let mut flock = flock(config, &start);
    let caught = (0..60).any(|_| {
        flock.tick();
        distance(&flock, 0, flock.get(2).unwrap().position) < 3.0
    });
    assert!(caught);
}

#[test]
fn a_clear_view_spreads_a_flock_sideways() {
    // A file of bodies one behind the other, all going the same way, opens up.
    let width = |view: bool| {
        let rules = if view { vec![Rule::new(Urge::View, 40.0, 1.0).seeing(90.0)] } else { vec![] };
        let kind = Kind { rules, ..Kind::new(Gait::new(1.0, 0.05)) };
        let config = Config::new(World::new(900.0, 400.0, Edge::Open), kind);
        let start: Vec<_> = (0..10).map(|k| ([10.0 * k as f32, 200.0], [1.0, 0.0], 0)).collect();
        let later = engines_agree(&flock(config, &start), 60);
        let ys: Vec<f32> = bodies(&later).iter().map(|body| body.position[1]).collect();
        ys.iter().copied().fold(f32::MIN, f32::max) - ys.iter().copied().fold(f32::MAX, f32::min)
    };
    assert_eq!(width(false), 0.0);
    assert!(width(true) > 5.0);
}
