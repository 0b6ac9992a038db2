//! What comes after the rules: behaviours, the host's force, the cut, the step and respawns.

use super::{Pass, STEP, STRETCH, Tick};
use crate::behaviours::Acting;
use crate::bodies::Bodies;
use crate::draws::{RESPAWN, Stream, lerp, share};
use crate::plan::gait;
use crate::rules::Respawn;
use crate::simd::{Kernel, Simd};
use crate::steering::{Limits, limit};
use crate::step::Motion;
use std::ops::Range;

/// What comes after the rules, for the bodies of a stretch.
pub(super) struct Act<'a, 'b, const N: usize> {
    pub pass: &'a Pass<'a>,
    pub bodies: Range<usize>,
    /// The first body of the task.
    pub start: usize,
    pub urged: &'a Urged,
    pub out: &'a mut [&'b mut [f32]; N],
}

impl<const N: usize> Kernel for Act<'_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn call<S: Simd>(self, s: S) {
        let Self { pass, bodies, start, urged, out } = self;
        for at in bodies.clone().step_by(S::LANES) {
            let block = at..bodies.end.min(at + S::LANES);
            let me = pass.acting(s, block.clone(), urged.limits(s, at - bodies.start));
            let mut force = urged.force(s, at - bodies.start);
            if pass.tick.plan.behaves {
                force = pass.stage().add(s, &me, force);
            }
            pass.finish(s, &me, force, start, out);
            if N == STEP {
                pass.respawn(block, &urged.caught[at - bodies.start..], start, out);
            }
        }
    }
}

/// What the rules make of a stretch, before behaviours, and what limits its bodies.
pub(super) struct Urged {
    pub force: [[f32; STRETCH]; 2],
    pub max_speed: [f32; STRETCH],
    pub max_force: [f32; STRETCH],
    /// Over 0 for bodies that are caught.
    pub caught: [f32; STRETCH],
}

impl Urged {
    pub(super) fn new() -> Self {
        let zero = [0.0; STRETCH];
        Self { force: [zero; 2], max_speed: zero, max_force: zero, caught: zero }
    }

    #[inline(always)]
    pub(super) fn limits<S: Simd>(&self, s: S, at: usize) -> Limits<S> {
        Limits {
            max_speed: s.load(&self.max_speed[at..]),
            max_force: s.load(&self.max_force[at..]),
        }
    }

    #[inline(always)]
    pub(super) fn force<S: Simd>(&self, s: S, at: usize) -> [S::F; 2] {
        [s.load(&self.force[0][at..]), s.load(&self.force[1][at..])]
    }

    /// Keeps a block's force; what its idle lanes hold is overwritten by the next block.
    #[inline(always)]
    pub(super) fn put<S: Simd>(&mut self, s: S, at: usize, force: [S::F; 2]) {
        s.store(force[0], &mut self.force[0][at..]);
        s.store(force[1], &mut self.force[1][at..]);
    }
}

impl Pass<'_> {
    #[inline(always)]
    pub(super) fn acting<S: Simd>(
        &self,
        s: S,
        block: Range<usize>,
        limits: Limits<S>,
    ) -> Acting<S> {
        let Bodies { x, y, vx, vy, .. } = &self.tick.sorted;
        let at = block.start;
        Acting {
            block,
            position: [s.load(&x[at..]), s.load(&y[at..])],
            velocity: [s.load(&vx[at..]), s.load(&vy[at..])],
            limits,
        }
    }

    /// Works out what limits each of these bodies.
    pub(super) fn limit_each(&self, bodies: Range<usize>, urged: &mut Urged) {
        let Tick { sorted, moment, .. } = self.tick;
        let limits = urged.max_speed.iter_mut().zip(&mut urged.max_force);
        for (place, (max_speed, max_force)) in bodies.zip(limits) {
            let kind = &self.config.kinds[usize::from(sorted.kind_at(place))];
            let position = [sorted.x[place], sorted.y[place]];
            let who = (self.config.seed, sorted.id[place]);
            let gait = gait(kind, sorted.own_gait_at(place), who, position, moment);
            (*max_speed, *max_force) = (gait.max_speed, gait.max_force);
        }
    }

    /// From a block's force to what is written: the force with the host's, cut, or where it moves
    /// the bodies.
    #[inline(always)]
    pub(super) fn finish<S: Simd, const N: usize>(
        &self,
        s: S,
        me: &Acting<S>,
        force: [S::F; 2],
        start: usize,
        out: &mut [&mut [f32]; N],
    ) {
        let force = self.add_host(s, force, me.block.start);
        let force = limit(s, force, me.limits.max_force);
        let written = me.block.start - start..me.block.end - start;
        if N == STEP {
            let dt = s.splat(self.config.dt);
            let motion = Motion::<S> { position: me.position, velocity: me.velocity };
            let moved = motion.step(s, force, me.limits.max_speed, dt, &self.config.world);
            s.store(moved.position[0], &mut out[0][written.clone()]);
            s.store(moved.position[1], &mut out[1][written.clone()]);
            s.store(moved.velocity[0], &mut out[2][written.clone()]);
            s.store(moved.velocity[1], &mut out[3][written]);
        } else {
            s.store(force[0], &mut out[0][written.clone()]);
            s.store(force[1], &mut out[1][written]);
        }
    }

    #[inline(always)]
    pub(super) fn add_host<S: Simd>(&self, s: S, force: [S::F; 2], at: usize) -> [S::F; 2] {
        let [fx, fy] = &self.tick.host;
        if fx.is_empty() {
            return force;
        }
        [force[0] + s.load(&fx[at..]), force[1] + s.load(&fy[at..])]
    }

    /// Puts the bodies of a block that are caught somewhere else.
    pub(super) fn respawn<const N: usize>(
        &self,
        block: Range<usize>,
        caught: &[f32],
        start: usize,
        out: &mut [&mut [f32]; N],
    ) {
        let Tick { sorted, moment, .. } = self.tick;
        for (place, _) in block.zip(caught).filter(|(_, caught)| **caught > 0.0) {
            let kind = &self.config.kinds[usize::from(sorted.kind_at(place))];
            let Some(respawn) = &kind.respawn else { continue };
            let stream = Stream::new(self.config.seed, RESPAWN, sorted.id[place]);
            let motion = reborn(respawn, stream, moment.tick, self.tick.plan.period);
            for (column, value) in out.iter_mut().zip(motion) {
                column[place - start] = value;
            }
        }
    }
}

/// A caught body's new x, y, vx and vy.
pub(super) fn reborn(respawn: &Respawn, stream: Stream, tick: u64, period: [f32; 2]) -> [f32; 4] {
    let draw = |nth: u64| stream.draw(tick.wrapping_mul(4).wrapping_add(nth));
    let place = |axis: usize| {
        let place = lerp(respawn.low[axis], respawn.high[axis], share(draw(axis as u64)));
        if place >= period[axis] { 0.0 } else { place }
    };
    [place(0), place(1), respawn.speed * draw(2), respawn.speed * draw(3)]
}
