//! The scalar reference: docs/contract.md in code, readable from top to bottom.
//!
//! Plain, sequential, a double loop over every pair. It shares no arithmetic with the fast path,
//! which must equal it bit for bit; tests, `flockstep sweep` and [`explain`] lean on that.

use crate::bodies::Body;
use crate::flock::Counts;
use crate::rules::{Behaviour, Config};
use crate::world::{Edge, World};

type Vector = [f32; 2];

/// One tick of every body: `tick` is the number of ticks before this one. `host` holds a force of
/// the host for each body, or is empty.
///
/// # Panics
/// If `host` is neither empty nor as long as `bodies`, or a kind is not in `config`.
pub fn tick(config: &Config, tick: u64, bodies: &mut [Body], host: &[Vector]) -> Counts {
    assert!(host.is_empty() || host.len() == bodies.len(), "a force for each body, or none");
    let order = canonical_order(config, bodies);
    let before = bodies.to_vec();
    let mut counts = Counts { tasks: 1, ..Counts::default() };
    for (i, body) in bodies.iter_mut().enumerate() {
        let host = host.get(i).copied();
        let force = force_on(config, tick, &before, &order, i, host, &mut counts);
        (body.position, body.velocity) = step(config, body, force);
    }
    counts
}

/// The forces of that tick, without the step.
///
/// # Panics
/// As [`tick`].
pub fn forces(config: &Config, tick: u64, bodies: &[Body], host: &[Vector]) -> Vec<Vector> {
    assert!(host.is_empty() || host.len() == bodies.len(), "a force for each body, or none");
    let order = canonical_order(config, bodies);
    let force =
        |i| force_on(config, tick, bodies, &order, i, host.get(i).copied(), &mut Counts::default());
    (0..bodies.len()).map(force).collect()
}

/// Everything that moves one body at one tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The body before the tick.
    pub body: Body,
    /// Whom it hears, in canonical order.
    pub neighbours: Vec<Vote>,
    /// One entry a rule in use and a behaviour, in the order their forces are added.
    pub terms: Vec<Term>,
    /// The host's force, added last.
    pub host: Option<Vector>,
    /// The weighted forces added up.
    pub sum: Vector,
    /// The sum cut to the gait's `max_force`.
    pub cut: Vector,
    /// Its position one tick later.
    pub next_position: Vector,
    /// Its velocity one tick later.
    pub next_velocity: Vector,
}

/// What one neighbour says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vote {
    /// The neighbour.
    pub body: Body,
    /// From the neighbour to the asking body, the short way round on a torus.
    pub offset: Vector,
    /// The offset's squared length.
    pub distance_squared: f32,
    /// Its vote on where to be pushed, if separation hears it.
    pub separation: Option<Vector>,
    /// Whether alignment hears it.
    pub aligned: bool,
    /// Whether cohesion hears it.
    pub cohered: bool,
}

/// One rule's or behaviour's part in the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// `separation`, `alignment`, `cohesion`, `wander` or `contain`.
    pub name: &'static str,
    /// How many neighbours it heard.
    pub heard: u32,
    /// Where it wants to go: the sum over neighbours, or the behaviour's own direction.
    pub direction: Vector,
    /// That direction at full speed.
    pub desired: Vector,
    /// Desired velocity minus velocity.
    pub steering: Vector,
    /// The steering cut to the gait's `max_force`.
    pub force: Vector,
    /// What the force is multiplied with before it is added.
    pub weight: f32,
}

/// Tells why the body `id` moves as it does at this tick, under `host`'s force if there is one;
/// `None` if there is no such body.
///
/// # Panics
/// If a kind is not in `config`.
pub fn explain(
    config: &Config,
    tick: u64,
    bodies: &[Body],
    id: u32,
    host: Option<Vector>,
) -> Option<Explanation> {
    let i = bodies.iter().position(|body| body.id == id)?;
    let order = canonical_order(config, bodies);
    let mut told = Told::default();
    let cut = force_on(config, tick, bodies, &order, i, host, &mut told);
    let (next_position, next_velocity) = step(config, &bodies[i], cut);
    let Told { neighbours, terms, sum } = told;
    let body = bodies[i];
    Some(Explanation { body, neighbours, terms, host, sum, cut, next_position, next_velocity })
}

/// Someone who looks on while a force is computed.
trait Watch {
    fn tested(&mut self) {}
    fn neighbour(&mut self, _vote: Vote) {}
    fn term(&mut self, _term: Term) {}
    fn sum(&mut self, _sum: Vector) {}
}

impl Watch for Counts {
    fn tested(&mut self) {
        self.distance_tests += 1;
    }

    fn neighbour(&mut self, _vote: Vote) {
        self.neighbours += 1;
    }
}

#[derive(Default)]
struct Told {
    neighbours: Vec<Vote>,
    terms: Vec<Term>,
    sum: Vector,
}

impl Watch for Told {
    fn neighbour(&mut self, vote: Vote) {
        self.neighbours.push(vote);
    }

    fn term(&mut self, term: Term) {
        self.terms.push(term);
    }

    fn sum(&mut self, sum: Vector) {
        self.sum = sum;
    }
}

// ---- Order

/// Indices into `bodies`, ascending by `(row, col, id)`.
fn canonical_order(config: &Config, bodies: &[Body]) -> Vec<usize> {
    let axis = |axis: usize| -> Vec<f32> { bodies.iter().map(|b| b.position[axis]).collect() };
    let extents = [0, 1].map(|a| extent(&config.world, a, &axis(a)));
    let [cols, rows] = cells(config.radius(), extents, bodies.len());
    let key = |i: usize| {
        let [x, y] = bodies[i].position;
        let row = cell_of(y, extents[1], rows);
        let col = cell_of(x, extents[0], cols);
        (row, col, bodies[i].id)
    };
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_key(|&i| key(i));
    order
}

/// Start and length of the grid along one axis.
fn extent(world: &World, axis: usize, values: &[f32]) -> (f32, f32) {
    if world.edges[axis] != Edge::Open {
        return (0.0, world.size[axis]);
    }
    let smallest = values.iter().copied().reduce(f32::min).unwrap_or(0.0);
    let largest = values.iter().copied().reduce(f32::max).unwrap_or(0.0);
    (smallest, largest - smallest)
}

/// Columns and rows: as many cells as the radius and the number of bodies allow.
fn cells(radius: f32, extents: [(f32, f32); 2], n: usize) -> [u64; 2] {
    if radius == 0.0 {
        return [1, 1];
    }
    let mut cell = radius * (65.0 / 64.0);
    loop {
        let along = |length: f32, cell: f32| (length / cell).floor().clamp(1.0, 16384.0) as u64;
        let (cols, rows) = (along(extents[0].1, cell / 2.0), along(extents[1].1, cell));
        if cols * rows <= 16 * n as u64 + 2048 {
            return [cols, rows];
        }
        cell *= 2.0;
    }
}

fn cell_of(value: f32, (start, length): (f32, f32), count: u64) -> u64 {
    if count == 1 {
        return 0;
    }
    ((value - start) * (count as f32 / length)).clamp(0.0, (count - 1) as f32) as u64
}

// ---- Neighbours and force

/// The force on body `i`: each rule's weighted steering, the behaviours', the host's, then the cut.
fn force_on(
    config: &Config,
    tick: u64,
    bodies: &[Body],
    order: &[usize],
    i: usize,
    host: Option<Vector>,
    watch: &mut impl Watch,
) -> Vector {
    let me = bodies[i];
    let kind = &config.kinds[usize::from(me.kind)];
    let radius = config.radius();
    let (mut separation, mut alignment, mut cohesion) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    let mut heard = [0; 3];

    for other in order.iter().map(|&j| bodies[j]) {
        if other.id == me.id {
            continue;
        }
        watch.tested();
        let dx = offset(&config.world, 0, me.position[0], other.position[0]);
        let dy = offset(&config.world, 1, me.position[1], other.position[1]);
        let q = dx * dx + dy * dy;
        let mut vote = Vote {
            body: other,
            offset: [dx, dy],
            distance_squared: q,
            separation: None,
            aligned: false,
            cohered: false,
        };
        if let Some(rule) = kind.separation
            && q <= rule.radius * rule.radius
            && q >= 1e-24
        {
            let w = 1.0 / q;
            vote.separation = Some([dx * w, dy * w]);
            separation[0] += dx * w;
            separation[1] += dy * w;
            heard[0] += 1;
        }
        if let Some(rule) = kind.alignment
            && q <= rule.radius * rule.radius
        {
            vote.aligned = true;
            alignment[0] += other.velocity[0];
            alignment[1] += other.velocity[1];
            heard[1] += 1;
        }
        if let Some(rule) = kind.cohesion
            && q <= rule.radius * rule.radius
        {
            vote.cohered = true;
            cohesion[0] -= dx;
            cohesion[1] -= dy;
            heard[2] += 1;
        }
        if radius > 0.0 && q <= radius * radius {
            watch.neighbour(vote);
        }
    }

    let mut force = [0.0, 0.0];
    let mut add = |name, weight, heard, direction: Vector| {
        let mut term = steer(&me, direction);
        (term.name, term.weight, term.heard) = (name, weight, heard);
        force[0] += weight * term.force[0];
        force[1] += weight * term.force[1];
        watch.term(term);
    };
    let sums = [separation, alignment, cohesion];
    for (rule, (name, in_use)) in kind.rules().into_iter().enumerate() {
        if let Some(in_use) = in_use {
            add(name, in_use.weight, heard[rule], sums[rule]);
        }
    }
    for behaviour in &kind.behaviours {
        match *behaviour {
            Behaviour::Wander { weight, distance, radius, period } => {
                let angle = wander_angle(config.seed, me.id, tick, period);
                add("wander", weight, 0, wander_direction(me.velocity, distance, radius, angle));
            }
            Behaviour::Contain { weight, margin } => {
                add("contain", weight, 0, contain_direction(&config.world, me.position, margin));
            }
        }
    }
    if let Some(host) = host {
        force[0] += host[0];
        force[1] += host[1];
    }
    watch.sum(force);
    cut(force, me.gait.max_force)
}

/// `mine - theirs`, the short way round on a torus.
fn offset(world: &World, axis: usize, mine: f32, theirs: f32) -> f32 {
    let (d, extent) = (mine - theirs, world.size[axis]);
    if world.edges[axis] != Edge::Torus {
        d
    } else if d > extent / 2.0 {
        d - extent
    } else if d < -(extent / 2.0) {
        d + extent
    } else {
        d
    }
}

/// Desired velocity minus velocity, cut to `max_force`; zero for no direction.
fn steer(me: &Body, direction: Vector) -> Term {
    let none = [0.0, 0.0];
    let nothing = Term {
        name: "",
        heard: 0,
        direction,
        desired: none,
        steering: none,
        force: none,
        weight: 0.0,
    };
    let l = direction[0] * direction[0] + direction[1] * direction[1];
    if l <= 0.0 {
        return nothing;
    }
    let scale = me.gait.max_speed / l.sqrt();
    let desired = [direction[0] * scale, direction[1] * scale];
    let steering = [desired[0] - me.velocity[0], desired[1] - me.velocity[1]];
    Term { desired, steering, force: cut(steering, me.gait.max_force), ..nothing }
}

/// `a` no longer than `longest`.
fn cut(a: Vector, longest: f32) -> Vector {
    let squared = a[0] * a[0] + a[1] * a[1];
    if squared > longest * longest {
        let scale = longest / squared.sqrt();
        [a[0] * scale, a[1] * scale]
    } else {
        a
    }
}

// ---- Behaviours

/// The drifting angle in half-turns: drawn every `period` ticks, eased from one to the next.
fn wander_angle(seed: u64, id: u32, tick: u64, period: u32) -> f32 {
    let k = tick / u64::from(period);
    let t = (tick - k * u64::from(period)) as f32 / period as f32;
    let (a, b) = (random(seed, id, k), random(seed, id, k.wrapping_add(1)));
    a + (b - a) * (t * t * (3.0 - 2.0 * t))
}

/// The k-th number of a body's stream: two rounds of SplitMix64, the top 24 bits, in [-1, 1).
fn random(seed: u64, id: u32, k: u64) -> f32 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let split_mix = |state: u64| {
        let mut z = state.wrapping_add(GOLDEN);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let body = split_mix(GOLDEN.wrapping_mul(id.into()).wrapping_add(seed));
    let word = split_mix(0xD1B5_4A32_D192_ED03_u64.wrapping_mul(k).wrapping_add(body));
    (word >> 40) as f32 / 8388608.0 - 1.0
}

/// To the point on the circle ahead that lies `angle` half-turns off the heading.
fn wander_direction(velocity: Vector, distance: f32, radius: f32, angle: f32) -> Vector {
    let speed = (velocity[0] * velocity[0] + velocity[1] * velocity[1]).sqrt();
    let mut heading = [1.0, 0.0];
    if speed > 0.0 {
        heading = [velocity[0] / speed, velocity[1] / speed];
    }
    let (sin, cos) = sine_and_cosine(angle);
    let side = [heading[0] * cos - heading[1] * sin, heading[0] * sin + heading[1] * cos];
    [heading[0] * distance + side[0] * radius, heading[1] * distance + side[1] * radius]
}

/// Sine and cosine of `u` half-turns by the contract's polynomials, innermost term first.
fn sine_and_cosine(u: f32) -> (f32, f32) {
    let h = u / 2.0;
    let t = h * h;
    let mut sin = -0.007_370_431;
    for coefficient in [0.082_145_89, -0.599_264_5, 2.550_164, -5.167_713, std::f32::consts::PI] {
        sin = coefficient + t * sin;
    }
    sin *= h;
    let mut cos = 0.001_929_574;
    for coefficient in [-0.025_806_89, 0.235_330_63, -1.335_262_8, 4.058_712, -4.934_802, 1.0] {
        cos = coefficient + t * cos;
    }
    (2.0 * (sin * cos), 1.0 - 2.0 * (sin * sin))
}

/// One unit inwards for each edge nearer than `margin`.
fn contain_direction(world: &World, position: Vector, margin: f32) -> Vector {
    let mut direction = [0.0, 0.0];
    for axis in 0..2 {
        if position[axis] < margin {
            direction[axis] += 1.0;
        }
        if position[axis] > world.size[axis] - margin {
            direction[axis] -= 1.0;
        }
    }
    direction
}

// ---- Step

/// Position and velocity one tick later under `force`.
fn step(config: &Config, body: &Body, force: Vector) -> (Vector, Vector) {
    let dt = config.dt;
    let [vx, vy] = body.velocity;
    let mut v = cut([vx + force[0] * dt, vy + force[1] * dt], body.gait.max_speed);
    let mut p = [body.position[0] + v[0] * dt, body.position[1] + v[1] * dt];
    for axis in 0..2 {
        let extent = config.world.size[axis];
        match config.world.edges[axis] {
            Edge::Walls => {
                if p[axis] < 0.0 {
                    (p[axis], v[axis]) = (-p[axis], -v[axis]);
                } else if p[axis] > extent {
                    (p[axis], v[axis]) = (2.0 * extent - p[axis], -v[axis]);
                }
                if p[axis] > extent {
                    p[axis] = extent;
                }
                if p[axis] < 0.0 {
                    p[axis] = 0.0;
                }
            }
            Edge::Torus => {
                if p[axis] < 0.0 {
                    p[axis] += extent;
                }
                if p[axis] >= extent {
                    p[axis] -= extent;
                }
            }
            Edge::Open => {}
        }
    }
    (p, v)
}
