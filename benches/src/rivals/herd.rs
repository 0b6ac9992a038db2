//! What the rivals share besides their way of finding neighbours: bodies as an array of structs,
//! and the arithmetic of docs/contract.md for one kind with three rules of one radius in walls.

use flockstep::{Edge, Flock, Gait, Kind, Rule, Urge, Weight};

pub(crate) type Vector = [f32; 2];

/// How much further than the radius a rival preselects, so that no rounding on the way loses a
/// neighbour. Whoever was preselected is then measured by the contract.
pub(crate) const SLACK: f32 = 1.0 + 1.0 / 1024.0;

/// One body; its id is its index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    /// Where it is.
    pub position: [f32; 2],
    /// How it moves.
    pub velocity: [f32; 2],
}

/// The bodies of a rival and what rules them.
#[derive(Clone, Debug)]
pub(crate) struct Herd {
    pub walkers: Vec<Walker>,
    pub size: Vector,
    pub radius: f32,
    weights: [f32; 3],
    gait: Gait,
    dt: f32,
    start: Vec<Walker>,
}

/// The weights of a kind's separation, alignment and cohesion, which hear everybody.
fn three_weights(kind: &Kind, radius: f32) -> [f32; 3] {
    assert_eq!(kind.rules.len(), 3, "rivals hear three rules");
    [Urge::Separation, Urge::Alignment, Urge::Cohesion].map(|urge| {
        let is_it = |rule: &&Rule| **rule == Rule::new(urge, radius, rule.weight);
        match kind.rules.iter().find(is_it).map(|rule| rule.weight) {
            Some(Weight::Steady(weight)) => weight,
            _ => panic!("rivals know only {urge:?} of one radius, all round, of a steady weight"),
        }
    })
}

impl Herd {
    /// # Panics
    /// If it is not a flock of one kind that hears three rules with one radius and nothing else,
    /// in walls: the rivals know no other.
    pub(crate) fn new(flock: &Flock) -> Self {
        let config = flock.config();
        assert_eq!(config.world.edges, [Edge::Walls; 2], "rivals know only walls");
        let [kind] = &config.kinds[..] else { panic!("rivals know only one kind") };
        assert!(kind.behaviours.is_empty(), "rivals know no behaviours");
        let radius = kind.rules[0].radius;
        let weights = three_weights(kind, radius);
        let walkers: Vec<Walker> = walkers(flock);
        Self {
            start: walkers.clone(),
            walkers,
            size: config.world.size,
            radius,
            weights,
            gait: kind.gait,
            dt: config.dt,
        }
    }

    /// Puts every body back to where it was made.
    pub(crate) fn rewind(&mut self) {
        self.walkers.copy_from_slice(&self.start);
    }

    /// How far the preselection of neighbours must reach.
    pub(crate) fn reach(&self) -> f32 {
        self.radius * SLACK
    }

    /// Whether `i` hears `j`, who is another.
    #[inline]
    pub(crate) fn hears(&self, i: usize, j: usize) -> bool {
        let (_, q) = apart(&self.walkers[i], &self.walkers[j]);
        q <= self.radius * self.radius
    }

    /// The force on body `i` that these directions make.
    #[inline]
    pub(crate) fn force(&self, i: usize, directions: [Vector; 3]) -> Vector {
        let mut force = [0.0, 0.0];
        for (weight, direction) in self.weights.into_iter().zip(directions) {
            let [x, y] = self.steer(direction, self.walkers[i].velocity);
            force = [force[0] + weight * x, force[1] + weight * y];
        }
        cut(force, self.gait.max_force)
    }

    fn steer(&self, direction: Vector, velocity: Vector) -> Vector {
        let l = direction[0] * direction[0] + direction[1] * direction[1];
        if l <= 0.0 {
            return [0.0, 0.0];
        }
        let scale = self.gait.max_speed / l.sqrt();
        let steering = [direction[0] * scale - velocity[0], direction[1] * scale - velocity[1]];
        cut(steering, self.gait.max_force)
    }

    /// Moves every body under its force.
    pub(crate) fn step(&mut self, forces: &[Vector]) {
        for (walker, force) in self.walkers.iter_mut().zip(forces) {
            let [vx, vy] = walker.velocity;
            let v = [vx + force[0] * self.dt, vy + force[1] * self.dt];
            walker.velocity = cut(v, self.gait.max_speed);
            for axis in 0..2 {
                let (p, v) = (&mut walker.position[axis], &mut walker.velocity[axis]);
                let extent = self.size[axis];
                *p += *v * self.dt;
                if *p < 0.0 {
                    (*p, *v) = (-*p, -*v);
                } else if *p > extent {
                    (*p, *v) = (2.0 * extent - *p, -*v);
                }
                if *p > extent {
                    *p = extent;
                }
                if *p < 0.0 {
                    *p = 0.0;
                }
            }
        }
    }
}

/// The bodies of a flock in id order.
pub(crate) fn walkers(flock: &Flock) -> Vec<Walker> {
    let walker =
        |body: flockstep::Body| Walker { position: body.position, velocity: body.velocity };
    flock.iter().map(walker).collect()
}

/// The offset from `other` to `me`, and its squared length.
#[inline]
pub(crate) fn apart(me: &Walker, other: &Walker) -> (Vector, f32) {
    let dx = me.position[0] - other.position[0];
    let dy = me.position[1] - other.position[1];
    ([dx, dy], dx * dx + dy * dy)
}

/// A neighbour's vote on where to be pushed; nobody is pushed by a body on the same spot.
#[inline]
pub(crate) fn vote([dx, dy]: Vector, q: f32) -> Vector {
    if q >= 1e-24 {
        let w = 1.0 / q;
        [dx * w, dy * w]
    } else {
        [0.0, 0.0]
    }
}

/// What a body's neighbours add up to, in one pass.
#[derive(Default)]
pub(crate) struct Sums {
    separation: Vector,
    alignment: Vector,
    cohesion: Vector,
}

impl Sums {
    #[inline]
    pub(crate) fn hear(&mut self, me: &Walker, other: &Walker) {
        let (d, q) = apart(me, other);
        let vote = vote(d, q);
        for axis in 0..2 {
            self.separation[axis] += vote[axis];
            self.alignment[axis] += other.velocity[axis];
            self.cohesion[axis] -= d[axis];
        }
    }

    pub(crate) fn directions(&self) -> [Vector; 3] {
        [self.separation, self.alignment, self.cohesion]
    }
}

fn cut([x, y]: Vector, longest: f32) -> Vector {
    let squared = x * x + y * y;
    if squared > longest * longest {
        let scale = longest / squared.sqrt();
        [x * scale, y * scale]
    } else {
        [x, y]
    }
}
