//! Worlds with everything that a configuration can hold, drawn by proptest so that a failure
//! shrinks; none of them is refused. Bodies and changes are drawn beside them from a seed.

use super::Chance;
use flockstep::{
    Behaviour, Body, Config, Drive, Edge, Field, Flock, Flow, Gait, Ground, Kind, Kinds, MAX_KINDS,
    Noise, Obstacle, Path, Respawn, Rule, Scenery, Soil, Spawn, Spread, Target, Urge, Weight,
    World,
};
use proptest::collection::vec;
use proptest::prelude::*;

// ---- Numbers

fn span(world: &World) -> f32 {
    world.size[0].min(world.size[1])
}

/// A radius as a share of the smaller extent: tiny, middling, or exactly half a torus.
fn share() -> impl Strategy<Value = f32> + Clone {
    prop_oneof![2 => 0.001_f32..0.02, 4 => 0.02_f32..0.2, 2 => 0.2_f32..0.5, 1 => Just(0.5_f32)]
}

/// Over 0: mostly of the world's size, at times a distance between two [`point`]s, or the smallest
/// or largest that is allowed.
fn length(world: World) -> BoxedStrategy<f32> {
    let usual = (0.001_f32..1.0).prop_map(move |share| share * span(&world));
    let quarters = (1_u8..=4).prop_map(move |quarter| f32::from(quarter) / 4.0 * span(&world));
    prop_oneof![12 => usual, 2 => quarters, 1 => Just(1e-9_f32), 1 => Just(1e9_f32)].boxed()
}

/// The same, or 0.
fn distance(world: World) -> BoxedStrategy<f32> {
    prop_oneof![4 => length(world), 1 => Just(0.0_f32)].boxed()
}

fn time() -> BoxedStrategy<f32> {
    prop_oneof![6 => 0.1_f32..20.0, 1 => Just(0.0_f32), 1 => Just(1e9_f32)].boxed()
}

fn period() -> BoxedStrategy<u32> {
    prop_oneof![6 => 1_u32..40, 1 => Just(1_u32), 1 => Just(65_536_u32)].boxed()
}

/// In the world, around it, on its quarters (corners, edges, middle), or as far out as allowed.
fn point(world: World) -> BoxedStrategy<[f32; 2]> {
    let [width, height] = world.size;
    let on = move |[x, y]: [f32; 2]| [x * width, y * height];
    let quarter = || (0_u8..=4).prop_map(|quarter| f32::from(quarter) / 4.0);
    prop_oneof![
        10 => [-0.2_f32..1.2, -0.2_f32..1.2].prop_map(on),
        4 => [quarter(), quarter()].prop_map(on),
        1 => [-1e9_f32..=1e9, -1e9_f32..=1e9],
    ]
    .boxed()
}

fn vector() -> BoxedStrategy<[f32; 2]> {
    prop_oneof![
        6 => [-1.0_f32..1.0, -1.0_f32..1.0],
        1 => Just([0.0, 0.0]),
        1 => Just([1.0, 0.0]),
        1 => Just([0.0, -1.0]),
        1 => Just([1e-23, -1e-23]),
        1 => Just([1e9, 1e9]),
    ]
    .boxed()
}

fn weight() -> BoxedStrategy<Weight> {
    let number = || {
        prop_oneof![
            12 => 0.1_f32..3.0, 3 => -2.0_f32..0.0, 2 => Just(0.0_f32), 1 => Just(1e6_f32)
        ]
    };
    prop_oneof![
        8 => number().prop_map(Weight::Steady),
        1 => (number(), number(), period())
            .prop_map(|(mean, amplitude, period)| Weight::Sine { mean, amplitude, period }),
        1 => (number(), number()).prop_map(|(low, high)| Weight::Drawn { low, high }),
        1 => (number(), number(), period())
            .prop_map(|(low, high, period)| Weight::Noise { low, high, period }),
    ]
    .boxed()
}

/// Some of the flock's kinds, once they are [`fit`]ted to their number.
fn kinds() -> BoxedStrategy<Kinds> {
    let some = any::<u32>().prop_map(|bits| {
        (0..32).filter(|kind| bits >> kind & 1 == 1).fold(Kinds::NONE, Kinds::and)
    });
    prop_oneof![
        4 => Just(Kinds::ALL),
        2 => (0_u8..5).prop_map(Kinds::only),
        2 => some,
        1 => Just(Kinds::NONE),
    ]
    .boxed()
}

// ---- Rules

fn chapter_s_urge() -> impl Strategy<Value = Urge> {
    prop_oneof![Just(Urge::Separation), Just(Urge::Alignment), Just(Urge::Cohesion)]
}

fn urge(radius: f32) -> impl Strategy<Value = Urge> {
    let beyond = prop_oneof![4 => 0.0_f32..1.2, 1 => Just(0.0_f32), 1 => Just(1.0_f32)];
    prop_oneof![
        3 => chapter_s_urge(),
        1 => beyond.prop_map(move |share| Urge::Gather { beyond: share * radius }),
        1 => Just(Urge::View),
        1 => any::<bool>().prop_map(|fading| Urge::Flee { fading }),
        1 => Just(Urge::Hunt),
    ]
}

fn field_of_view() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => Just(360.0_f32),
        1 => Just(359.0_f32),
        1 => Just(270.0_f32),
        1 => Just(180.0_f32),
        1 => Just(90.0_f32),
        1 => Just(1e-3_f32),
        2 => 1.0_f32..360.0,
    ]
}

fn rule(world: World) -> BoxedStrategy<Rule> {
    let radius = share().prop_map(move |share| share * span(&world));
    let rule = radius.prop_flat_map(|radius| (urge(radius), Just(radius)));
    (rule, weight(), kinds(), field_of_view())
        .prop_map(|((urge, radius), weight, hears, degrees)| {
            Rule::new(urge, radius, weight).hearing(hears).seeing(degrees)
        })
        .boxed()
}

fn rules(world: World) -> BoxedStrategy<Vec<Rule>> {
    let span = span(&world);
    let steady = || prop_oneof![4 => 0.1_f32..3.0, 1 => -2.0_f32..0.0, 1 => Just(0.0_f32)];
    // What the chapter has, with one radius or several: most worlds are like that.
    let alike = (share(), [steady(), steady(), steady()]).prop_map(move |(share, weights)| {
        let radius = share * span;
        let [apart, along, together] = weights;
        vec![
            Rule::separation(radius, apart),
            Rule::alignment(radius, along),
            Rule::cohesion(radius, together),
        ]
    });
    let plain = (chapter_s_urge(), share(), steady())
        .prop_map(move |(urge, share, weight)| Rule::new(urge, share * span, weight));
    prop_oneof![
        2 => alike,
        2 => vec(plain, 0..5),
        6 => vec(rule(world), 0..6),
        1 => vec(rule(world), 0..=16),
    ]
    .boxed()
}

// ---- Behaviours

fn target(world: World) -> BoxedStrategy<Target> {
    let orbit = (point(world), length(world), period())
        .prop_map(|(centre, radius, period)| Target::Orbit { centre, radius, period });
    prop_oneof![
        2 => point(world).prop_map(Target::Point),
        2 => orbit,
        2 => (0_u32..30).prop_map(Target::Body),
        1 => (0_u32..2_000).prop_map(Target::Body),
        1 => Just(Target::Body(u32::MAX)),
        2 => kinds().prop_map(Target::Nearest),
    ]
    .boxed()
}

fn drive(world: World) -> BoxedStrategy<Drive> {
    let (target, length, distance) =
        (move || target(world), move || length(world), move || distance(world));
    let offset = prop_oneof![4 => [-1.0_f32..1.0, -1.0_f32..1.0], 1 => Just([0.0_f32, 0.0])];
    let offset = offset.prop_map(move |offset| offset.map(|share| share * span(&world)));
    prop_oneof![
        target().prop_map(|target| Drive::Seek { target }),
        (target(), length()).prop_map(|(target, slowing)| Drive::Arrive { target, slowing }),
        (target(), distance(), any::<bool>()).prop_map(|(target, range, fading)| Drive::Flee {
            target,
            range,
            fading
        }),
        (target(), time()).prop_map(|(target, look_ahead)| Drive::Pursue { target, look_ahead }),
        (target(), distance(), time()).prop_map(|(target, range, look_ahead)| Drive::Evade {
            target,
            range,
            look_ahead
        }),
        (target(), offset, length(), time()).prop_map(|(target, offset, slowing, look_ahead)| {
            Drive::OffsetPursuit { target, offset, slowing, look_ahead }
        }),
        (target(), distance(), distance(), length()).prop_map(
            |(target, behind, clearance, slowing)| {
                Drive::FollowLeader { target, behind, clearance, slowing }
            }
        ),
        (length(), length(), period()).prop_map(|(distance, radius, period)| Drive::Wander {
            distance,
            radius,
            period
        }),
        length().prop_map(|margin| Drive::Contain { margin }),
        (distance(), distance())
            .prop_map(|(look_ahead, clearance)| Drive::Avoid { look_ahead, clearance }),
        any::<u8>().prop_map(|flow| Drive::FollowFlow { flow }),
        (any::<u8>(), distance())
            .prop_map(|(path, look_ahead)| Drive::FollowPath { path, look_ahead }),
    ]
    .boxed()
}

fn behaviours(world: World) -> BoxedStrategy<Vec<Behaviour>> {
    let behaviour = (drive(world), weight()).prop_map(|(drive, weight)| drive.weighing(weight));
    let behaviour = behaviour.boxed();
    prop_oneof![20 => vec(behaviour.clone(), 0..4), 1 => vec(behaviour, 0..=64)].boxed()
}

// ---- Kinds

/// A gait that never takes a body over half a torus, whatever the time step.
fn gait(world: World) -> impl Strategy<Value = Gait> {
    let force = prop_oneof![15 => 0.0001_f32..0.1, 1 => Just(1e9_f32)];
    (0.001_f32..0.16, force).prop_map(move |(speed, force)| {
        Gait::new(speed * span(&world), (force * span(&world)).min(1e9))
    })
}

fn spread() -> impl Strategy<Value = Spread> {
    let share = || prop_oneof![3 => 0.0_f32..0.99, 1 => Just(0.0_f32), 1 => Just(0.99_f32)];
    (share(), share(), share()).prop_map(|(max_speed, max_force, look_ahead)| Spread {
        max_speed,
        max_force,
        look_ahead,
    })
}

fn ground(world: World) -> impl Strategy<Value = Ground> {
    let share = |most: f32| prop_oneof![4 => 0.0..most, 1 => Just(0.0_f32), 1 => Just(most)];
    let pair = move |most| {
        [share(most), share(most)].prop_map(move |pair| pair.map(|share| share * span(&world)))
    };
    (any::<u8>(), pair(0.16), pair(1.0)).prop_map(|(field, max_speed, max_force)| Ground {
        field,
        max_speed,
        max_force,
    })
}

fn respawn(world: World) -> impl Strategy<Value = Respawn> {
    let unit = || prop_oneof![3 => 0.0_f32..1.0, 1 => Just(0.0_f32), 1 => Just(1.0_f32)];
    let speed = prop_oneof![4 => 0.0_f32..0.2, 1 => Just(0.0_f32)];
    (kinds(), share(), [unit(), unit()], [unit(), unit()], speed).prop_map(
        move |(by, share, a, b, speed)| Respawn {
            by,
            within: share * span(&world),
            low: [0, 1].map(|axis| a[axis].min(b[axis]) * world.size[axis]),
            high: [0, 1].map(|axis| a[axis].max(b[axis]) * world.size[axis]),
            speed: speed * span(&world),
        },
    )
}

fn kind(world: World) -> BoxedStrategy<Kind> {
    let one_in = |n: u32, some: BoxedStrategy<bool>| prop_oneof![n - 1 => Just(false), 1 => some];
    let given = |n| one_in(n, Just(true).boxed());
    (
        (gait(world), given(4), spread(), given(5), ground(world)),
        rules(world),
        behaviours(world),
        (given(6), respawn(world)),
    )
        .prop_map(|((gait, spreads, spread, on_ground, ground), rules, behaviours, respawn)| {
            // A spread may double either number.
            let halved = Gait::new(gait.max_speed * 0.5, gait.max_force * 0.5);
            Kind {
                gait: if spreads { halved } else { gait },
                spread: spreads.then_some(spread),
                ground: on_ground.then_some(ground),
                rules,
                behaviours,
                respawn: respawn.0.then_some(respawn.1),
            }
        })
        .boxed()
}

// ---- Scenery

fn cells() -> impl Strategy<Value = [u16; 2]> {
    [1_u16..=8, 1_u16..=8]
}

fn noise() -> impl Strategy<Value = Noise> {
    let density = prop_oneof![6 => 0.01_f32..2.0, 1 => Just(1e-9_f32), 1 => Just(16.0_f32)];
    let stream = prop_oneof![4 => 0_u32..3, 1 => any::<u32>()];
    (density, prop_oneof![1 => Just(0_u32), 2 => period()], stream)
        .prop_map(|(density, period, stream)| Noise { density, period, stream })
}

fn flow(world: World) -> BoxedStrategy<Field<Flow>> {
    let values = move |cells: [u16; 2]| {
        let count = usize::from(cells[0] * cells[1]);
        prop_oneof![
            vector().prop_map(Flow::Uniform),
            point(world).prop_map(|centre| Flow::Swirl { centre }),
            any::<u32>().prop_map(|stream| Flow::Random { stream }),
            noise().prop_map(Flow::Noise),
            vec(vector(), count).prop_map(Flow::Listed),
        ]
    };
    cells()
        .prop_flat_map(move |cells| (Just(cells), values(cells)))
        .prop_map(|(cells, values)| Field { cells, values })
        .boxed()
}

fn soil() -> BoxedStrategy<Field<Soil>> {
    let values = |cells: [u16; 2]| {
        let value = prop_oneof![4 => 0.0_f32..1.0, 1 => Just(0.0_f32), 1 => Just(1.0_f32)];
        let listed = vec(value, usize::from(cells[0] * cells[1])).prop_map(Soil::Listed);
        prop_oneof![noise().prop_map(Soil::Noise), listed]
    };
    cells()
        .prop_flat_map(move |cells| (Just(cells), values(cells)))
        .prop_map(|(cells, values)| Field { cells, values })
        .boxed()
}

fn path(world: World) -> BoxedStrategy<Path> {
    // In every third path two neighbouring points coincide, in some all of them do.
    (vec(point(world), 2..7), 0_usize..12, distance(world), any::<bool>())
        .prop_map(|(mut points, twice, radius, closed)| {
            if twice == 11 {
                points = vec![points[0]; points.len()];
            } else if twice + 1 < points.len() {
                points[twice + 1] = points[twice];
            }
            Path { points, radius, closed }
        })
        .boxed()
}

fn scenery(world: World) -> BoxedStrategy<Scenery> {
    let obstacle =
        (point(world), length(world)).prop_map(|(centre, radius)| Obstacle { centre, radius });
    (vec(flow(world), 0..4), vec(soil(), 0..3), vec(path(world), 0..3), vec(obstacle, 0..5))
        .prop_map(|(flows, grounds, paths, obstacles)| Scenery { flows, grounds, paths, obstacles })
        .boxed()
}

// ---- Configurations

fn edge() -> impl Strategy<Value = Edge> {
    prop_oneof![Just(Edge::Walls), Just(Edge::Torus), Just(Edge::Open)]
}

pub(crate) fn world() -> impl Strategy<Value = World> {
    let extent = prop_oneof![4 => 1.0_f32..500.0, 1 => 1e-3_f32..1.0, 1 => 1e3_f32..1e6];
    (extent, 0.3_f32..3.0, [edge(), edge()])
        .prop_map(|(width, shape, edges)| World { size: [width, width * shape], edges })
}

/// Any configuration of that world: mostly one to five kinds, sometimes 32.
pub(crate) fn config_in(world: World) -> BoxedStrategy<Config> {
    let all = prop_oneof![15 => Just(false), 1 => Just(true)];
    let kinds = (vec(kind(world), 1..6), all);
    (kinds, scenery(world), 0.1_f32..3.0, any::<u64>())
        .prop_map(move |((kinds, all), scenery, dt, seed)| {
            let config = Config { world, dt, seed, kinds, scenery };
            fit(with_kinds(config, if all { MAX_KINDS } else { 1 }))
        })
        .boxed()
}

/// Any configuration of any world.
pub(crate) fn config() -> impl Strategy<Value = Config> {
    world().prop_flat_map(config_in)
}

/// A configuration, and others of the same world that a flock may change to.
pub(crate) fn configs() -> impl Strategy<Value = (Config, Vec<Config>)> {
    let all = world().prop_flat_map(|world| (config_in(world), vec(config_in(world), 1..3)));
    all.prop_map(|(first, others)| {
        let count = first.kinds.len();
        let others = others.into_iter().map(|other| fit(with_kinds(other, count)));
        (first, others.collect())
    })
}

/// Its kinds over and over, until there are this many.
fn with_kinds(mut config: Config, least: usize) -> Config {
    let count = least.max(config.kinds.len());
    config.kinds = config.kinds.iter().cycle().take(count).cloned().collect();
    config
}

/// Lets every set of kinds, flow, path and ground be one that is there.
fn fit(mut config: Config) -> Config {
    let count = config.kinds.len();
    let among = |kinds: Kinds| {
        let named = || (0..MAX_KINDS as u8).filter(|&kind| kinds.contains(kind));
        let folded = named().map(|kind| kind % count as u8);
        if kinds == Kinds::ALL { kinds } else { folded.fold(Kinds::NONE, Kinds::and) }
    };
    let Scenery { flows, grounds, paths, .. } = &config.scenery;
    let (flows, grounds, paths) = (flows.len(), grounds.len(), paths.len());
    let one_of = |index: u8, count: usize| (usize::from(index) % count) as u8;
    for kind in &mut config.kinds {
        kind.rules.iter_mut().for_each(|rule| rule.hears = among(rule.hears));
        kind.behaviours.retain(|behaviour| match behaviour.drive {
            Drive::FollowFlow { .. } => flows > 0,
            Drive::FollowPath { .. } => paths > 0,
            _ => true,
        });
        for behaviour in &mut kind.behaviours {
            match &mut behaviour.drive {
                Drive::FollowFlow { flow } => *flow = one_of(*flow, flows),
                Drive::FollowPath { path, .. } => *path = one_of(*path, paths),
                Drive::Seek { target }
                | Drive::Arrive { target, .. }
                | Drive::Flee { target, .. }
                | Drive::Pursue { target, .. }
                | Drive::Evade { target, .. }
                | Drive::OffsetPursuit { target, .. }
                | Drive::FollowLeader { target, .. } => {
                    if let Target::Nearest(kinds) = target {
                        *kinds = among(*kinds);
                    }
                }
                _ => {}
            }
        }
        kind.ground = kind.ground.filter(|_| grounds > 0);
        if let Some(ground) = &mut kind.ground {
            ground.field = one_of(ground.field, grounds);
        }
        if let Some(respawn) = &mut kind.respawn {
            respawn.by = among(respawn.by);
        }
    }
    config
}

// ---- Bodies

/// How bodies are strewn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Placement {
    Uniform,
    /// A few tight knots.
    Clusters,
    /// On a coarse lattice: many share a spot, and many offsets are exact multiples.
    Lattice,
    /// On corners, edges and the boundaries of cells, an ulp to either side.
    Boundaries,
    /// On what the configuration names: targets, obstacles, paths, corners of fields.
    Spots,
}

pub(crate) fn placement() -> impl Strategy<Value = Placement> {
    prop_oneof![
        3 => Just(Placement::Uniform),
        1 => Just(Placement::Clusters),
        1 => Just(Placement::Lattice),
        2 => Just(Placement::Boundaries),
        2 => Just(Placement::Spots),
    ]
}

/// Where something happens in a configuration.
fn spots(config: &Config) -> Vec<[f32; 2]> {
    let [width, height] = config.world.size;
    let mut spots = vec![[0.0, 0.0], [width, height], [width / 2.0, height / 2.0]];
    let mut disc = |[x, y]: [f32; 2], radius: f32| {
        spots.extend([[x, y], [x + radius, y], [x, y - radius]]);
    };
    let Scenery { flows, grounds, paths, obstacles } = &config.scenery;
    obstacles.iter().for_each(|obstacle| disc(obstacle.centre, obstacle.radius));
    for kind in &config.kinds {
        for target in kind.behaviours.iter().filter_map(|behaviour| behaviour.drive.target()) {
            match target {
                Target::Point(point) => disc(point, 0.0),
                Target::Orbit { centre, radius, .. } => disc(centre, radius),
                Target::Body(_) | Target::Nearest(_) => {}
            }
        }
    }
    spots.extend(config.kinds.iter().filter_map(|kind| kind.respawn).map(|it| it.low));
    for path in paths {
        for [a, b] in path.segments() {
            spots.extend([a, [a[0] / 2.0 + b[0] / 2.0, a[1] / 2.0 + b[1] / 2.0]]);
        }
    }
    let cells = flows.iter().map(|flow| flow.cells).chain(grounds.iter().map(|soil| soil.cells));
    spots.extend(cells.map(|[cols, rows]| [width / f32::from(cols), height / f32::from(rows)]));
    spots
}

fn place(config: &Config, how: Placement, chance: &mut Chance) -> [f32; 2] {
    let World { size, edges } = config.world;
    let span = span(&config.world);
    let radius = if config.radius() > 0.0 { config.radius() } else { span / 7.0 };
    let uniform = [chance.within(0.0, size[0]), chance.within(0.0, size[1])];
    let nearby = |value: f32, chance: &mut Chance| {
        [value, value.next_up(), value.next_down(), value][chance.below(4)]
    };
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
        Placement::Spots => {
            let spots = spots(config);
            spots[chance.below(spots.len())].map(|value| nearby(value, chance))
        }
    };
    // Nothing holds a body in on an open axis.
    let out = matches!(how, Placement::Spots) && chance.below(2) == 0;
    [0, 1].map(|axis| match edges[axis] {
        Edge::Open if out => spot[axis].clamp(-1e9, 1e9),
        _ => spot[axis].clamp(0.0, size[axis]),
    })
}

/// Up to half as fast again as the gait allows, along an axis, at rest, or so slow that its square
/// is 0.
fn velocity(speed: f32, chance: &mut Chance) -> [f32; 2] {
    let [x, y] = [chance.within(-speed, speed), chance.within(-speed, speed)].map(|v| v * 1.5);
    match chance.below(16) {
        0 | 1 => [0.0, 0.0],
        2 => [x, 0.0],
        3 => [-0.0, y],
        4 => [1e-23, -1e-23],
        _ => [x, y],
    }
}

/// Slow enough for any time step of a drawn configuration.
fn own_gait(config: &Config, kind: u8) -> Gait {
    let Gait { max_speed, max_force } = config.kinds[usize::from(kind)].gait;
    Gait::new(max_speed * 0.5, (max_force * 2.0).min(1e9))
}

pub(crate) fn spawn(config: &Config, how: Placement, chance: &mut Chance) -> Spawn {
    let kind = chance.below(config.kinds.len()) as u8;
    let velocity = velocity(config.kinds[usize::from(kind)].gait.max_speed, chance);
    let position = place(config, how, chance);
    let gait = (chance.below(16) == 0).then(|| own_gait(config, kind));
    Spawn { position, velocity, kind, gait }
}

/// A flock of `n` bodies.
pub(crate) fn populated(config: &Config, n: usize, how: Placement, chance: &mut Chance) -> Flock {
    let mut flock = Flock::new(config.clone()).expect("every drawn configuration is allowed");
    let spawns: Vec<Spawn> = (0..n).map(|_| spawn(config, how, chance)).collect();
    flock.add_all(&spawns).expect("every drawn body is allowed");
    flock
}

// ---- Changes

/// What a host may do between two ticks.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Add(Spawn),
    Remove(u32),
    /// Every so manieth body goes.
    Thin(u32),
    Kind(u32, u8),
    Motion(u32, [f32; 2], [f32; 2]),
    Gait(u32, Gait),
    Config(Box<Config>),
}

impl Change {
    /// Any change that `flock` allows. `others` are configurations for it, see [`configs`].
    pub(crate) fn drawn(
        flock: &Flock,
        others: &[Config],
        how: Placement,
        chance: &mut Chance,
    ) -> Self {
        let config = flock.config();
        let alive: Vec<Body> = flock.iter().collect();
        let added = Self::Add(spawn(config, how, chance));
        if alive.is_empty() {
            return added;
        }
        let body = alive[chance.below(alive.len())];
        let kind = chance.below(config.kinds.len()) as u8;
        match chance.below(16) {
            0..3 => added,
            3 | 4 => Self::Remove(body.id),
            5 => Self::Thin(2 + chance.below(9) as u32),
            6 | 7 => Self::Kind(body.id, kind),
            8 | 9 => {
                let velocity = velocity(body.gait.max_speed, chance);
                Self::Motion(body.id, place(config, how, chance), velocity)
            }
            // To where another is, as fast as that one.
            10 => {
                let Body { position, velocity, .. } = alive[chance.below(alive.len())];
                Self::Motion(body.id, position, velocity)
            }
            11 | 12 => Self::Gait(body.id, own_gait(config, kind)),
            13 => Self::Config(Box::new(altered(config, chance))),
            _ => {
                let other = others[chance.below(others.len())].clone();
                Self::Config(Box::new(fit(with_kinds(other, config.kinds.len()))))
            }
        }
    }

    pub(crate) fn apply(&self, flock: &mut Flock) {
        match self {
            Self::Add(spawn) => flock.add(*spawn).map(drop),
            Self::Remove(id) => flock.remove(*id).map(drop),
            Self::Thin(each) => {
                flock.retain(|body| body.id % each != 0);
                Ok(())
            }
            Self::Kind(id, kind) => flock.set_kind(*id, *kind),
            Self::Motion(id, position, velocity) => flock.set_motion(*id, *position, *velocity),
            Self::Gait(id, gait) => flock.set_gait(*id, *gait),
            Self::Config(config) => flock.set_config((**config).clone()),
        }
        .expect("every drawn change is allowed");
    }
}

/// The same configuration but for one thing.
fn altered(config: &Config, chance: &mut Chance) -> Config {
    let mut config = config.clone();
    let at = chance.below(config.kinds.len());
    let kind = &mut config.kinds[at];
    match chance.below(7) {
        0 => config.seed = !config.seed,
        1 => config.dt *= 0.5,
        2 => drop(kind.rules.pop()),
        3 => drop(kind.behaviours.pop()),
        4 => kind.rules.iter_mut().for_each(|rule| rule.weight = Weight::Steady(0.5)),
        5 => kind.respawn = None,
        _ => config.scenery.obstacles.clear(),
    }
    config
}
