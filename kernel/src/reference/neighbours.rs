//! What each rule makes of the neighbours it hears.

use super::Vector;
use super::draws::sine_and_cosine;
use super::steering::{Steered, dot, opposite, plus, scaled, steer, times};
use crate::bodies::Body;
use crate::rules::{Rule, Urge};
use crate::world::{Edge, World};

/// Below this squared distance two bodies are on one spot, which names no direction.
pub(super) const ONE_SPOT: f32 = 1e-24;

/// `mine - theirs`, the short way round on a torus.
pub(super) fn offset(world: &World, mine: Vector, theirs: Vector) -> Vector {
    [0, 1].map(|axis| {
        let (d, extent) = (mine[axis] - theirs[axis], world.size[axis]);
        if world.edges[axis] != Edge::Torus {
            d
        } else if d > extent * 0.5 {
            d - extent
        } else if d < -(extent * 0.5) {
            d + extent
        } else {
            d
        }
    })
}

/// One rule of the asking body, and what it has added up so far.
pub(super) struct Listener<'a> {
    rule: &'a Rule,
    /// S, A, C, F or H of the contract.
    sum: Vector,
    /// L of the contract.
    lateral: f32,
    /// The least squared speed that a hunter heard.
    slowest: f32,
    /// How many neighbours counted.
    pub heard: u32,
}

impl<'a> Listener<'a> {
    pub(super) fn new(rule: &'a Rule) -> Self {
        Self { rule, sum: [0.0, 0.0], lateral: 0.0, slowest: f32::INFINITY, heard: 0 }
    }

    /// Listens to `other`, from which `d` leads to `me`, `q` long squared, and tells what it adds;
    /// `None` if the rule does not hear it or it does not count.
    pub(super) fn listen(&mut self, me: &Body, other: &Body, d: Vector, q: f32) -> Option<Vector> {
        let Rule { radius, hears, field_of_view, .. } = *self.rule;
        let near = q <= radius * radius && hears.contains(other.kind);
        if near && in_view(field_of_view, me.velocity, d, q) {
            let said = self.hear(me, other, d, q)?;
            self.heard += 1;
            Some(said)
        } else {
            None
        }
    }

    /// Adds up by the rule's urge. Subtracting is adding the opposite, to the bit.
    fn hear(&mut self, me: &Body, other: &Body, d: Vector, q: f32) -> Option<Vector> {
        let radius = self.rule.radius;
        let said = match self.rule.urge {
            Urge::Separation if q >= ONE_SPOT => times(d, 1.0 / q),
            Urge::Alignment => other.velocity,
            Urge::Cohesion => opposite(d),
            Urge::Gather { beyond } if q > beyond * beyond => opposite(d),
            Urge::View => return Some(self.look_past(me.velocity, d, q)),
            Urge::Flee { fading } if q >= ONE_SPOT => {
                let fade = if fading { 1.0 / radius } else { 0.0 };
                times(d, 1.0 / q.sqrt() - fade)
            }
            Urge::Hunt => return Some(self.compare(other.velocity, d)),
            Urge::Separation | Urge::Gather { .. } | Urge::Flee { .. } => return None,
        };
        self.sum = plus(self.sum, said);
        Some(said)
    }

    /// A step to the side where `other` is not: to the left of the heading is more than 0.
    fn look_past(&mut self, v: Vector, d: Vector, q: f32) -> Vector {
        let cross = v[1] * d[0] - v[0] * d[1];
        let w = 1.0 - q * (1.0 / (self.rule.radius * self.rule.radius));
        let step = if cross > 0.0 { -w } else { w };
        self.lateral += step;
        [-v[1] * step, v[0] * step]
    }

    /// Keeps the slowest, the first of equals. It tells how to get to `other` in either case.
    fn compare(&mut self, v: Vector, d: Vector) -> Vector {
        let squared_speed = dot(v, v);
        if squared_speed < self.slowest {
            (self.slowest, self.sum) = (squared_speed, d);
        }
        opposite(d)
    }

    /// The steering force once everybody was heard.
    pub(super) fn steered(&self, me: &Body) -> Steered {
        let [vx, vy] = me.velocity;
        match self.rule.urge {
            Urge::Separation | Urge::Alignment | Urge::Cohesion | Urge::Gather { .. } => {
                steer(me, self.sum)
            }
            Urge::View => steer(me, [-vy * self.lateral, vx * self.lateral]),
            Urge::Flee { .. } => scaled(me, self.sum),
            Urge::Hunt => steer(me, opposite(self.sum)),
        }
    }
}

/// Whether the neighbour from which `d` leads here is inside the field of view of a body that moves
/// by `v`. Squares of cosines are compared with their signs kept, so there is no root.
fn in_view(degrees: f32, v: Vector, d: Vector, q: f32) -> bool {
    let squared_speed = dot(v, v);
    if degrees == 360.0 || squared_speed <= 0.0 {
        return true;
    }
    let (_, cosine) = sine_and_cosine(degrees / 360.0);
    // The polynomial is not exact at a right angle; this is.
    let cosine = if degrees == 180.0 { 0.0 } else { cosine };
    let dot = -dot(v, d);
    cosine * cosine.abs() * squared_speed * q <= dot * dot.abs()
}
