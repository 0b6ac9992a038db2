//! From directions to force: the arithmetic that rules and behaviours share.

use super::{Term, Vector};
use crate::bodies::Body;

/// A steering force and how it came about; all zero where there is none.
#[derive(Clone, Copy, Default)]
pub(super) struct Steered {
    direction: Vector,
    desired: Vector,
    steering: Vector,
    force: Vector,
}

impl Steered {
    /// The force as an explanation shows it.
    pub(super) fn term(
        self,
        name: &'static str,
        rule: Option<usize>,
        heard: u32,
        weight: f32,
    ) -> Term {
        let Self { direction, desired, steering, force } = self;
        Term { name, rule, heard, direction, desired, steering, force, weight }
    }
}

/// At full speed along `direction`; zero for no direction.
pub(super) fn steer(me: &Body, direction: Vector) -> Steered {
    let squared = dot(direction, direction);
    if squared > 0.0 {
        toward(me, direction, times(direction, me.gait.max_speed / squared.sqrt()))
    } else {
        Steered { direction, ..Steered::default() }
    }
}

/// Along `direction`, at full speed times its length where that is below 1.
pub(super) fn scaled(me: &Body, direction: Vector) -> Steered {
    if dot(direction, direction) > 0.0 {
        let max_speed = me.gait.max_speed;
        toward(me, direction, cut(times(direction, max_speed), max_speed))
    } else {
        Steered { direction, ..Steered::default() }
    }
}

/// To the place `offset` away, slower in proportion within `slowing` of it. At the place it brakes.
pub(super) fn arrive(me: &Body, offset: Vector, slowing: f32) -> Steered {
    let squared = dot(offset, offset);
    let max_speed = me.gait.max_speed;
    let scale =
        if squared > slowing * slowing { max_speed / squared.sqrt() } else { max_speed / slowing };
    toward(me, offset, times(offset, scale))
}

/// Desired velocity minus velocity, cut to `max_force`.
fn toward(me: &Body, direction: Vector, desired: Vector) -> Steered {
    let steering = minus(desired, me.velocity);
    Steered { direction, desired, steering, force: cut(steering, me.gait.max_force) }
}

/// `a` no longer than `longest`.
pub(super) fn cut(a: Vector, longest: f32) -> Vector {
    let squared = dot(a, a);
    if squared > longest * longest { times(a, longest / squared.sqrt()) } else { a }
}

/// `a` at length 1, each part divided; (1, 0) for no direction.
pub(super) fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    if length > 0.0 { [a[0] / length, a[1] / length] } else { [1.0, 0.0] }
}

pub(super) fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

pub(super) fn plus(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1]]
}

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1]]
}

pub(super) fn times(a: Vector, factor: f32) -> Vector {
    [a[0] * factor, a[1] * factor]
}

pub(super) fn opposite(a: Vector) -> Vector {
    [-a[0], -a[1]]
}
