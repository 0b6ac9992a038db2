//! Where a body is one tick later.

use super::draws::{RESPAWN, lerp, share};
use super::neighbours::offset;
use super::steering::{cut, dot, plus, times};
use super::{State, Vector};
use crate::bodies::Body;
use crate::rules::Respawn;
use crate::world::{Edge, World};

/// A body's motion one tick later.
pub(super) struct Next {
    pub position: Vector,
    pub velocity: Vector,
    /// Whether it was caught and put there.
    pub respawned: bool,
}

/// One tick under `force`: a caught body is put somewhere else, any other moves.
pub(super) fn step(state: &State<'_>, me: &Body, force: Vector) -> Next {
    match caught(state, me) {
        Some(respawn) => respawned(state, me, respawn),
        None => moved(state, me, force),
    }
}

/// The body's respawn, if another body of the kinds that catch it is near enough.
fn caught<'a>(state: &'a State<'_>, me: &Body) -> Option<&'a Respawn> {
    let respawn = state.kind(me).respawn.as_ref()?;
    let near = |other: &Body| {
        let d = offset(&state.config.world, me.position, other.position);
        dot(d, d) <= respawn.within * respawn.within
    };
    state.others(me).any(|other| respawn.by.contains(other.kind) && near(other)).then_some(respawn)
}

fn respawned(state: &State<'_>, me: &Body, respawn: &Respawn) -> Next {
    let world = &state.config.world;
    let first = state.tick.wrapping_mul(4);
    let draw = |more: u64| state.draw(RESPAWN, me.id.into(), first.wrapping_add(more));
    let position = [0, 1].map(|axis| {
        let drawn = lerp(respawn.low[axis], respawn.high[axis], share(draw(axis as u64)));
        let at_end = world.edges[axis] == Edge::Torus && drawn == world.size[axis];
        if at_end { 0.0 } else { drawn }
    });
    let velocity = [2, 3].map(|more| respawn.speed * draw(more));
    Next { position, velocity, respawned: true }
}

/// Velocity first, then position with the new velocity, then edges.
fn moved(state: &State<'_>, me: &Body, force: Vector) -> Next {
    let (world, dt) = (&state.config.world, state.config.dt);
    let mut velocity = cut(plus(me.velocity, times(force, dt)), me.gait.max_speed);
    let mut position = plus(me.position, times(velocity, dt));
    for axis in 0..2 {
        (position[axis], velocity[axis]) = at_edges(world, axis, position[axis], velocity[axis]);
    }
    Next { position, velocity, respawned: false }
}

/// Coordinate and velocity along one axis once its edges had their say.
fn at_edges(world: &World, axis: usize, mut p: f32, mut v: f32) -> (f32, f32) {
    let extent = world.size[axis];
    match world.edges[axis] {
        Edge::Walls => {
            if p < 0.0 {
                (p, v) = (-p, -v);
            } else if p > extent {
                (p, v) = (2.0 * extent - p, -v);
            }
            if p > extent {
                p = extent;
            }
            if p < 0.0 {
                p = 0.0;
            }
        }
        Edge::Torus => {
            if p < 0.0 {
                p += extent;
            }
            if p >= extent {
                p -= extent;
            }
        }
        Edge::Open => {}
    }
    (p, v)
}
