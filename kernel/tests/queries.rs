//! Neighbour queries against a double loop written here, in canonical order worked out here.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod common;

use common::{Chance, ContractGrid, edge_pairs, flock, herd, offset, squared, stored, world};
use flockstep::{Edge, Error, Neighbour, Neighbours, World};
use proptest::prelude::*;

/// Positions in a world, a grid built from them, and their canonical order.
struct Scene {
    world: World,
    radius: f32,
    /// As they are stored.
    positions: Vec<[f32; 2]>,
    order: Vec<u32>,
    near: Neighbours,
}

impl Scene {
    fn new(world: World, radius: f32, given: &[[f32; 2]]) -> Self {
        let positions: Vec<_> = given.iter().map(|&position| stored(&world, position)).collect();
        let order = ContractGrid::new(&world, radius, &positions).order();
        let mut near = Neighbours::new(world, radius).unwrap();
        near.build(given).unwrap();
        Self { world, radius, positions, order, near }
    }

    /// Everyone within `radius` of a point but `not`, in canonical order.
    fn within(&self, point: [f32; 2], radius: f32, not: Option<u32>) -> Vec<Neighbour> {
        let answer = |&index: &u32| {
            let offset = offset(&self.world, point, self.positions[index as usize]);
            let distance_squared = squared(offset);
            let heard = distance_squared <= radius * radius && not != Some(index);
            heard.then_some(Neighbour { index, offset, distance_squared })
        };
        self.order.iter().filter_map(answer).collect()
    }

    /// Everyone with an image in the rectangle, in canonical order.
    fn inside(&self, low: [f32; 2], high: [f32; 2]) -> Vec<u32> {
        let inside = |index: &&u32| {
            let position = self.positions[**index as usize];
            (0..2).all(|axis| {
                let (p, extent) = (position[axis], self.world.size[axis]);
                let within = |p: f32| low[axis] <= p && p <= high[axis];
                let wraps = self.world.edges[axis] == Edge::Torus;
                within(p)
                    || wraps
                        && (within(p + extent) || within(p - extent) || within(p + 2.0 * extent))
            })
        };
        self.order.iter().filter(inside).copied().collect()
    }

    fn found_of_body(&self, index: u32) -> Vec<Neighbour> {
        let mut found = Vec::new();
        self.near.of_body(index, |neighbour| found.push(neighbour));
        found
    }

    fn found_of_point(&self, point: [f32; 2], radius: f32) -> Vec<Neighbour> {
        let mut found = Vec::new();
        self.near.of_point(point, radius, |neighbour| found.push(neighbour)).unwrap();
        found
    }

    fn found_inside(&self, low: [f32; 2], high: [f32; 2]) -> Vec<u32> {
        let mut found = Vec::new();
        self.near.in_rectangle(low, high, |index| found.push(index)).unwrap();
        found
    }

    /// A coordinate that a query may have: anywhere, on corners and bodies, an ulp beside them,
    /// and where nothing wraps far outside.
    fn coordinate(&self, axis: usize, chance: &mut Chance) -> f32 {
        let extent = self.world.size[axis];
        let mut spot = match chance.below(5) {
            0 => [0.0, extent][chance.below(2)],
            1 if !self.positions.is_empty() => {
                self.positions[chance.below(self.positions.len())][axis]
            }
            _ => chance.within(0.0, extent),
        };
        spot = [spot, spot.next_up(), spot.next_down(), spot][chance.below(4)];
        if self.world.edges[axis] == Edge::Torus {
            return spot.clamp(0.0, extent);
        }
        let far = [-1e9, 1e9, extent * -3.5, extent * 4.5, -self.radius, extent + self.radius];
        if chance.below(3) == 0 { far[chance.below(6)] } else { spot }
    }

    /// A span that a rectangle may have; on a torus it often hangs over an edge, or both.
    fn span(&self, axis: usize, chance: &mut Chance) -> [f32; 2] {
        let extent = self.world.size[axis];
        let mut end = || {
            let spot = self.coordinate(axis, chance);
            if self.world.edges[axis] == Edge::Torus {
                let turned = spot + [-extent, 0.0, extent, 0.0][chance.below(4)];
                [turned, turned.next_up(), turned.next_down()][chance.below(3)]
                    .clamp(-extent, 2.0 * extent)
            } else {
                spot
            }
        };
        let (a, b) = (end(), end());
        // Sometimes a single line, sometimes all but exactly one extent long.
        let b = match chance.below(8) {
            0 => a,
            1 if a <= extent => a + extent,
            2 if a <= extent => (a + extent).next_down(),
            _ => b,
        };
        if a <= b { [a, b] } else { [b, a] }
    }
}

/// Positions that gather where queries go wrong: on edges, corners, lattices and each other.
fn positions(
    world: &World,
    radius: f32,
    n: usize,
    how: usize,
    chance: &mut Chance,
) -> Vec<[f32; 2]> {
    let mut coordinate = |axis: usize| {
        let (extent, edge) = (world.size[axis], world.edges[axis]);
        let anywhere = chance.within(0.0, extent);
        let spot = match how {
            0 => anywhere,
            1 => (anywhere / radius).round() * radius,
            2 => {
                let on = [0.0, extent, anywhere, extent / 2.0][chance.below(4)];
                [on, on.next_up(), on.next_down()][chance.below(3)]
            }
            _ => extent * 0.5 + (anywhere - extent * 0.5) * 0.01,
        };
        match edge {
            Edge::Open if chance.below(20) == 0 => chance.within(-2.0, 3.0) * extent,
            Edge::Open => spot,
            _ => spot.clamp(0.0, extent),
        }
    };
    (0..n).map(|_| [coordinate(0), coordinate(1)]).collect()
}

fn scene(pair: usize, size: [f32; 2], share: f32, n: usize, how: usize, seed: u64) -> Scene {
    let world = world(size, edge_pairs().nth(pair).unwrap());
    let radius = share * size[0].min(size[1]);
    let positions = positions(&world, radius, n, how, &mut Chance(seed));
    Scene::new(world, radius, &positions)
}

/// A radius as a share of the smaller extent, from tiny to exactly half a torus.
fn share() -> impl Strategy<Value = f32> {
    prop_oneof![1e-4_f32..0.01, 0.01_f32..0.1, 0.1_f32..0.5, Just(0.5_f32)]
}

fn size() -> impl Strategy<Value = [f32; 2]> {
    let extent = prop_oneof![3 => 1.0_f32..500.0, 1 => 1e-3_f32..1.0, 1 => 1e3_f32..1e6];
    (extent, 0.2_f32..5.0).prop_map(|(width, shape)| [width, width * shape])
}

fn cases() -> ProptestConfig {
    ProptestConfig { cases: 600, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn neighbours_of_bodies_are_the_double_loop_s(
        pair in 0_usize..9, size in size(), share in share(),
        n in 0_usize..300, how in 0_usize..4, seed in any::<u64>(),
    ) {
        let scene = scene(pair, size, share, n, how, seed);
        prop_assert_eq!(scene.near.len(), n);
        let (mut offsets, mut indices) = (Vec::new(), Vec::new());
        scene.near.lists(&mut offsets, &mut indices);
        prop_assert_eq!(offsets.len(), n + 1);
        prop_assert_eq!(offsets[n] as usize, indices.len());
        for index in 0..n as u32 {
            let at = index as usize;
            let wanted = scene.within(scene.positions[at], scene.radius, Some(index));
            prop_assert_eq!(&scene.found_of_body(index), &wanted, "body {}", index);
            let listed = &indices[offsets[at] as usize..offsets[at + 1] as usize];
            prop_assert!(listed.iter().eq(wanted.iter().map(|neighbour| &neighbour.index)));
        }
    }

    #[test]
    fn neighbours_of_points_are_the_double_loop_s(
        pair in 0_usize..9, size in size(), share in share(), other in share(),
        n in 0_usize..300, how in 0_usize..4, seed in any::<u64>(),
    ) {
        let scene = scene(pair, size, share, n, how, seed);
        let mut chance = Chance(!seed);
        let smaller = size[0].min(size[1]);
        for _ in 0..12 {
            let point = [scene.coordinate(0, &mut chance), scene.coordinate(1, &mut chance)];
            // The grid's radius, any other, and where nothing wraps one beyond the world.
            let mut radii = vec![scene.radius, other * smaller, smaller / 2.0];
            if !scene.world.edges.contains(&Edge::Torus) {
                radii.extend([size[0] + size[1], 1e9]);
            }
            for radius in radii {
                let (found, wanted) =
                    (scene.found_of_point(point, radius), scene.within(point, radius, None));
                prop_assert_eq!(found, wanted, "{} around {:?}", radius, point);
            }
        }
    }

    #[test]
    fn rectangles_hold_what_the_double_loop_finds(
        pair in 0_usize..9, size in size(), share in share(),
        n in 0_usize..300, how in 0_usize..4, seed in any::<u64>(),
    ) {
        let scene = scene(pair, size, share, n, how, seed);
        let mut chance = Chance(!seed);
        for _ in 0..40 {
            let [x, y] = [0, 1].map(|axis| scene.span(axis, &mut chance));
            let (low, high) = ([x[0], y[0]], [x[1], y[1]]);
            let (found, wanted) = (scene.found_inside(low, high), scene.inside(low, high));
            prop_assert_eq!(found, wanted, "{:?} to {:?} in {:?}", low, high, scene.world);
        }
    }
}

#[test]
fn answers_tell_offsets_the_short_way_round() {
    let torus = World::new(100.0, 100.0, Edge::Torus);
    let scene = Scene::new(torus, 5.0, &[[1.0, 50.0], [99.0, 50.0], [4.0, 54.0], [50.0, 50.0]]);
    let answer = |index, offset, distance_squared| Neighbour { index, offset, distance_squared };
    // Row 9 holds y = 50 and row 10 y = 54; within row 9 the body itself is in column 0.
    let wanted = [answer(1, [2.0, 0.0], 4.0), answer(2, [-3.0, -4.0], 25.0)];
    assert_eq!(scene.found_of_body(0), wanted);
    let wanted = [answer(0, [-1.0, 0.0], 1.0), answer(1, [1.0, 0.0], 1.0)];
    assert_eq!(scene.found_of_point([0.0, 50.0], 1.0), wanted);
    assert_eq!(scene.found_of_point([100.0, 50.0], 1.0), wanted, "the far edge is the start");
}

#[test]
fn a_rectangle_over_a_torus_s_edge_wraps() {
    let torus = World::new(100.0, 80.0, Edge::Torus);
    let corners = [[1.0, 1.0], [99.0, 1.0], [1.0, 79.0], [99.0, 79.0], [50.0, 40.0]];
    let scene = Scene::new(torus, 5.0, &corners);
    assert_eq!(scene.found_inside([-2.0, -2.0], [2.0, 2.0]), [0, 1, 2, 3]);
    assert_eq!(scene.found_inside([98.0, 78.0], [102.0, 82.0]), [0, 1, 2, 3]);
    assert_eq!(scene.found_inside([98.0, 0.0], [101.0, 2.0]), [0, 1]);
    assert_eq!(scene.found_inside([-2.0, 0.0], [-0.5, 80.0]), [1, 3]);
    assert_eq!(scene.found_inside([-100.0, -80.0], [200.0, 160.0]), [0, 1, 4, 2, 3]);
    assert_eq!(scene.found_inside([50.0, 40.0], [50.0, 40.0]), [4], "both corners are included");
}

#[test]
fn a_rectangle_almost_round_a_torus_holds_everyone_between() {
    // From just below 0 to just below the extent, where `low + extent` rounds to `high` itself:
    // the span must not be taken for a single point.
    let extent = 100.0_f32.next_up();
    let (low, high) = (-(extent - 100.0) / 2.0, 100.0);
    assert!(low + extent == high && high - low < extent);
    for axis in 0..2 {
        let torus = World::new(extent, extent, Edge::Torus);
        let spots = (0_u8..10).map(|k| {
            let mut spot = [50.0, 50.0];
            spot[axis] = f32::from(k) * 10.0;
            spot
        });
        let scene = Scene::new(torus, 5.0, &spots.collect::<Vec<_>>());
        let (mut from, mut to) = ([0.0, 0.0], [extent, extent]);
        (from[axis], to[axis]) = (low, high);
        assert_eq!(scene.inside(from, to).len(), 10);
        assert_eq!(scene.found_inside(from, to), scene.inside(from, to), "axis {axis}");
    }
}

#[test]
fn building_anew_forgets_the_earlier_positions() {
    let mut near = Neighbours::new(World::new(100.0, 100.0, Edge::Open), 5.0).unwrap();
    assert!(near.is_empty(), "built from nothing at first");
    near.build(&[[1.0, 1.0]; 20]).unwrap();
    near.build(&[[1.0, 1.0], [-4000.0, 1.0]]).unwrap();
    assert_eq!(near.len(), 2);
    near.of_body(0, |neighbour| panic!("{neighbour:?} should be forgotten"));
    // A refused call keeps them, however late in the list the fault stands.
    let mut faulty = vec![[2.0, 2.0]; 40];
    faulty.push([f32::NAN, 0.0]);
    let refusal = near.build(&faulty).unwrap_err();
    assert!(matches!(refusal, Error::Body { body: 40, field: "x", .. }), "{refusal}");
    assert_eq!(near.len(), 2);
    near.of_body(1, |neighbour| panic!("{neighbour:?} should be far away"));
    let mut found = Vec::new();
    near.in_rectangle([-5000.0, 0.0], [5000.0, 2.0], |index| found.push(index)).unwrap();
    assert_eq!(found, [1, 0]);
}

#[test]
fn refusals_are_named() {
    let edges = [Edge::Torus, Edge::Walls];
    let mut near = Neighbours::new(world([100.0, 80.0], edges), 5.0).unwrap();
    near.build(&[[1.0, 1.0], [2.0, 2.0]]).unwrap();
    let rectangle = |low: [f32; 2], high: [f32; 2]| {
        let refusal = near.in_rectangle(low, high, |_| panic!("nobody is visited")).unwrap_err();
        refusal.to_string()
    };
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for (low, high, told) in [
        ([nan, 0.0], [1.0, 1.0], "low x is NaN; allowed: finite, and on a torus within one extent"),
        ([0.0, nan], [1.0, 1.0], "low y is NaN; allowed: finite"),
        ([0.0, 0.0], [inf, 1.0], "high x is inf; allowed: finite"),
        ([0.0, 0.0], [1.0, nan], "high y is NaN; allowed: finite"),
        ([0.0, -inf], [1.0, 1.0], "low y is -inf; allowed: finite"),
        ([-101.0, 0.0], [1.0, 1.0], "low x is -101.0; allowed: finite"),
        ([0.0, 0.0], [201.0, 1.0], "high x is 201.0; allowed: finite"),
        ([2.0, 0.0], [1.0, 1.0], "low x is 2.0; allowed: at most the opposite corner"),
        ([0.0, 2.0], [1.0, 1.0], "low y is 2.0; allowed: at most the opposite corner"),
    ] {
        let text = rectangle(low, high);
        assert!(text.starts_with(told), "{text}");
    }
    // Beyond walls there is nothing to wrap to, and nothing to refuse.
    near.in_rectangle([-100.0, -1e30], [200.0, 1e30], |_| ()).unwrap();

    let point = |point, radius| near.of_point(point, radius, |_| ()).unwrap_err().to_string();
    let anywhere = "a finite number, at most 1e30 either way";
    for (at, told) in [
        ([nan, 1.0], "point x is NaN; allowed: from 0 to the extent of a torus".to_owned()),
        ([-1.0, 1.0], "point x is -1.0; allowed: from 0 to the extent of a torus".to_owned()),
        ([100.1, 1.0], "point x is 100.1; allowed: from 0 to the extent of a torus".to_owned()),
        ([1.0, nan], format!("point y is NaN; allowed: {anywhere}")),
        ([1.0, -inf], format!("point y is -inf; allowed: {anywhere}")),
        ([1.0, 1.1e30], format!("point y is 1.1e30; allowed: {anywhere}")),
    ] {
        assert_eq!(point(at, 5.0), told);
    }
    // Beyond walls a point may stand as well as a rectangle.
    near.of_point([1.0, -1e9], 5.0, |_| panic!("nobody is there")).unwrap();
    assert_eq!(
        point([1.0, 1.0], 50.1),
        "radius is 50.1, over half the torus's x extent; allowed: at most 50.0"
    );
    assert_eq!(point([1.0, 1.0], 0.0), "radius is 0.0; allowed: a finite number from 1e-9 to 1e9");

    let new = |size, radius| Neighbours::new(world(size, edges), radius).unwrap_err().to_string();
    let allowed = "allowed: a finite number from 1e-9 to 1e9";
    for value in [0.0, -1.0, nan, inf, 1e-30, 1e30] {
        assert_eq!(new([value, 80.0], 5.0), format!("world.size[0] is {value:?}; {allowed}"));
        assert_eq!(new([100.0, value], 5.0), format!("world.size[1] is {value:?}; {allowed}"));
        assert_eq!(new([100.0, 80.0], value), format!("radius is {value:?}; {allowed}"));
    }
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_body_that_was_not_built_from_has_no_neighbours() {
    let near = Neighbours::new(World::new(1.0, 1.0, Edge::Walls), 0.5).unwrap();
    near.of_body(0, |_| ());
}

#[test]
fn a_flock_is_taken_by_ascending_id_or_not_at_all() {
    let motions = [([90.0, 5.0], [0.0; 2]), ([5.0, 5.0], [0.0; 2]), ([8.0, 5.0], [0.0; 2])];
    let mut flock = flock(World::new(100.0, 10.0, Edge::Walls), herd(10.0), &motions);
    flock.remove(0).unwrap();
    let mut near = Neighbours::new(flock.config().world, 4.0).unwrap();
    near.build_from(&flock).unwrap();
    let mut found = Vec::new();
    near.of_body(0, |neighbour| found.push(neighbour.index));
    assert_eq!((near.len(), found), (2, vec![1]));
    // A world that has no place for one of them is left empty, not half full.
    let mut narrow = Neighbours::new(World::new(6.0, 10.0, Edge::Walls), 4.0).unwrap();
    assert!(narrow.build_from(&flock).is_err());
    assert!(narrow.is_empty());
    narrow.in_rectangle([0.0; 2], [6.0, 10.0], |index| panic!("{index} is still there")).unwrap();
}
