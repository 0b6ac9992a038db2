//! What behaviours aim at, and how they steer.

use super::draws::{WANDER, sine_and_cosine, turning};
use super::neighbours::{ONE_SPOT, offset};
use super::scenery::{along_path, flow_at};
use super::steering::{Steered, arrive, dot, minus, opposite, plus, scaled, steer, times, unit};
use super::{State, Vector};
use crate::bodies::Body;
use crate::rules::{Drive, Kinds, Target};
use crate::world::World;

/// The behaviour's steering force; `None` if it gives none.
pub(super) fn drive(state: &State<'_>, me: &Body, drive: &Drive) -> Option<Steered> {
    let aim = |target| aim(state, me, target);
    let seen = |look_ahead: f32| look_ahead * state.look_ahead_factor(me);
    let scenery = &state.config.scenery;
    Some(match *drive {
        Drive::Seek { target } => steer(me, aim(target)?.offset),
        Drive::Arrive { target, slowing } => arrive(me, aim(target)?.offset, slowing),
        Drive::Flee { target, range, fading } => flee(me, &aim(target)?, range, fading)?,
        Drive::Pursue { target, look_ahead } => {
            let aim = aim(target)?;
            steer(me, meeting(me, aim.offset, aim.velocity, seen(look_ahead)))
        }
        Drive::Evade { target, range, look_ahead } => {
            evade(me, &aim(target)?, range, seen(look_ahead))?
        }
        Drive::OffsetPursuit { target, offset, slowing, look_ahead } => {
            let aim = aim(target)?;
            let beside = plus(aim.offset, turned(unit(aim.velocity), offset));
            arrive(me, meeting(me, beside, aim.velocity, seen(look_ahead)), slowing)
        }
        Drive::FollowLeader { target, behind, clearance, slowing } => {
            follow(me, &aim(target)?, behind, clearance, slowing)
        }
        Drive::Wander { distance, radius, period } => {
            let angle = state.drift(WANDER, me.id.into(), period);
            steer(me, wander(me.velocity, distance, radius, angle))
        }
        Drive::Contain { margin } => steer(me, inward(&state.config.world, me.position, margin)),
        Drive::Avoid { look_ahead, clearance } => {
            steer(me, aside(state, me, seen(look_ahead), clearance)?)
        }
        Drive::FollowFlow { flow } => {
            steer(me, flow_at(state, &scenery.flows[usize::from(flow)], me.position))
        }
        Drive::FollowPath { path, look_ahead } => {
            steer(me, along_path(me, &scenery.paths[usize::from(path)], seen(look_ahead))?)
        }
    })
}

// ---- Targets

/// Where a target is at this tick, seen from a body.
struct Aim {
    /// From the body to the target: `o` of the contract.
    offset: Vector,
    /// How the target moves.
    velocity: Vector,
    /// The offset's squared length.
    q: f32,
}

/// Where the target is; `None` if there is none.
fn aim(state: &State<'_>, me: &Body, target: Target) -> Option<Aim> {
    let (place, velocity) = match target {
        Target::Point(point) => (point, [0.0, 0.0]),
        Target::Orbit { centre, radius, period } => orbit(state, centre, radius, period),
        Target::Body(id) => {
            let body = state.others(me).find(|other| other.id == id)?;
            (body.position, body.velocity)
        }
        Target::Nearest(kinds) => {
            let body = nearest(state, me, kinds)?;
            (body.position, body.velocity)
        }
    };
    let offset = offset(&state.config.world, place, me.position);
    Some(Aim { offset, velocity, q: dot(offset, offset) })
}

/// Place and velocity of what circles.
fn orbit(state: &State<'_>, centre: Vector, radius: f32, period: u32) -> (Vector, Vector) {
    let at = |tick: u64| {
        let (sin, cos) = sine_and_cosine(turning(tick, period));
        plus(centre, times([cos, sin], radius))
    };
    let (now, then) = (at(state.tick), at(state.tick.wrapping_add(1)));
    let [x, y] = minus(then, now);
    (now, [x / state.config.dt, y / state.config.dt])
}

/// The nearest other body of these kinds, the first in canonical order of equals.
fn nearest<'a>(state: &'a State<'_>, me: &Body, kinds: Kinds) -> Option<&'a Body> {
    let mut nearest = None;
    let mut least = f32::INFINITY;
    for other in state.others(me).filter(|other| kinds.contains(other.kind)) {
        let d = offset(&state.config.world, me.position, other.position);
        let q = dot(d, d);
        if q < least {
            (nearest, least) = (Some(other), q);
        }
    }
    nearest
}

/// To where something `offset` away will be once this body could be there, at most `look_ahead`
/// later: T of the contract.
fn meeting(me: &Body, offset: Vector, velocity: Vector, look_ahead: f32) -> Vector {
    let distance = dot(offset, offset).sqrt();
    let max_speed = me.gait.max_speed;
    let time = if distance < look_ahead * max_speed { distance / max_speed } else { look_ahead };
    plus(offset, times(velocity, time))
}

/// `a` turned by the direction `g`, so that `[1, 0]` becomes `g`.
fn turned(g: Vector, a: Vector) -> Vector {
    [g[0] * a[0] - g[1] * a[1], g[1] * a[0] + g[0] * a[1]]
}

// ---- Steering by a target

fn flee(me: &Body, aim: &Aim, range: f32, fading: bool) -> Option<Steered> {
    if aim.q > range * range || aim.q < ONE_SPOT {
        return None;
    }
    let away = opposite(aim.offset);
    if fading {
        let w = 1.0 / aim.q.sqrt() - 1.0 / range;
        Some(scaled(me, times(away, w)))
    } else {
        Some(steer(me, away))
    }
}

fn evade(me: &Body, aim: &Aim, range: f32, look_ahead: f32) -> Option<Steered> {
    if aim.q > range * range {
        return None;
    }
    Some(steer(me, opposite(meeting(me, aim.offset, aim.velocity, look_ahead))))
}

/// Out of a leader's way, else to a place behind it.
fn follow(me: &Body, aim: &Aim, behind: f32, clearance: f32, slowing: f32) -> Steered {
    let (o, g) = (aim.offset, unit(aim.velocity));
    let ahead = -dot(o, g);
    let side = g[1] * o[0] - g[0] * o[1];
    if ahead > 0.0 && aim.q <= clearance * clearance {
        steer(me, if side >= 0.0 { [-g[1], g[0]] } else { [g[1], -g[0]] })
    } else {
        arrive(me, minus(o, times(g, behind)), slowing)
    }
}

// ---- Steering by oneself and the world

/// To the point on the circle ahead that lies `angle` half-turns off the heading.
fn wander(velocity: Vector, distance: f32, radius: f32, angle: f32) -> Vector {
    let h = unit(velocity);
    let (sin, cos) = sine_and_cosine(angle);
    let rim = [h[0] * cos - h[1] * sin, h[0] * sin + h[1] * cos];
    plus(times(h, distance), times(rim, radius))
}

/// One unit inwards for each edge nearer than `margin`.
fn inward(world: &World, position: Vector, margin: f32) -> Vector {
    [0, 1].map(|axis| {
        let mut direction = 0.0;
        if position[axis] < margin {
            direction += 1.0;
        }
        if position[axis] > world.size[axis] - margin {
            direction -= 1.0;
        }
        direction
    })
}

/// Aside of the first obstacle on the way, or out of the one around; `None` if nothing threatens.
fn aside(state: &State<'_>, me: &Body, look_ahead: f32, clearance: f32) -> Option<Vector> {
    let heading = unit(me.velocity);
    let moves = dot(me.velocity, me.velocity) > 0.0;
    let mut first: Option<(f32, Vector)> = None;
    for obstacle in &state.config.scenery.obstacles {
        let o = offset(&state.config.world, obstacle.centre, me.position);
        let reach = obstacle.radius + clearance;
        let (along, direction, threatens) = if dot(o, o) < reach * reach {
            (-1.0, opposite(o), true)
        } else {
            let along = dot(o, heading);
            let direction = minus(times(heading, along), o);
            let ahead = along > 0.0 && along <= look_ahead + reach;
            let narrow = dot(direction, direction) < reach * reach;
            (along, direction, moves && ahead && narrow)
        };
        if threatens && first.is_none_or(|(least, _)| along < least) {
            first = Some((along, direction));
        }
    }
    let (_, direction) = first?;
    let named = dot(direction, direction) > 0.0;
    Some(if named { direction } else { [-heading[1], heading[0]] })
}
