//! The one neighbour loop: lanes hold the bodies that ask, and the bodies that answer are broadcast
//! one at a time in canonical order. Each lane therefore adds in the scalar order, whatever the
//! width of a vector. A candidate out of range adds a masked +0.0, which never changes a sum that
//! started at +0.0.

use crate::simd::Simd;
use std::ops::Range;

/// Bits of the `RULES` parameter: which sums a compiled variant of the loop makes.
pub(crate) const SEPARATION: u8 = 1;
pub(crate) const ALIGNMENT: u8 = 2;
pub(crate) const COHESION: u8 = 4;
/// Also count neighbours.
pub(crate) const COUNTED: u8 = 8;
/// All three rules have one radius, so one comparison serves them.
pub(crate) const ONE_REACH: u8 = 16;

/// Bodies whose squared distance is below this name no direction to be pushed in.
const SAME_SPOT: f32 = 1e-24;

/// The bodies that can answer, in canonical order.
#[derive(Clone, Copy)]
pub(crate) struct Answers<'a> {
    pub x: &'a [f32],
    pub y: &'a [f32],
    pub vx: &'a [f32],
    pub vy: &'a [f32],
}

/// The bodies of one block, one a lane.
pub(crate) struct Asking<S: Simd> {
    pub position: [S::F; 2],
    /// Their places among the answers; at most `LANES`.
    pub span: Range<usize>,
    /// Squared radii of separation, alignment and cohesion; -1 where a lane's kind has no such rule.
    pub reach: [S::F; 3],
    /// Extents of the torus per axis, infinite where there is none.
    pub period: [f32; 2],
    /// The largest squared radius of the flock, within which neighbours are counted.
    pub counted_within: S::F,
}

/// What the neighbours add up to, in each lane.
pub(crate) struct Sums<S: Simd> {
    pub separation: [S::F; 2],
    pub alignment: [S::F; 2],
    pub cohesion: [S::F; 2],
    /// Over all lanes of the block.
    pub neighbours: u64,
}

impl<S: Simd> Asking<S> {
    /// Hears every candidate in `runs`, in that order.
    #[inline(always)]
    pub(crate) fn hear<const RULES: u8, const WRAP: bool>(
        &self,
        s: S,
        answers: &Answers<'_>,
        runs: &[Range<usize>],
    ) -> Sums<S> {
        let zero = [s.splat(0.0); 2];
        let mut sums = Sums { separation: zero, alignment: zero, cohesion: zero, neighbours: 0 };
        let lanes = s.first_lanes(self.span.len());
        for run in runs {
            // Only candidates inside the block's own span can be the asking body itself.
            let own =
                self.span.start.clamp(run.start, run.end)..self.span.end.clamp(run.start, run.end);
            self.hear_others::<RULES, WRAP>(s, answers, run.start..own.start, lanes, &mut sums);
            for at in own.clone() {
                let answer = [answers.x[at], answers.y[at], answers.vx[at], answers.vy[at]];
                let others = Some(s.all_but(at - self.span.start));
                self.answer::<RULES, WRAP>(s, answer, others, lanes, &mut sums);
            }
            self.hear_others::<RULES, WRAP>(s, answers, own.end..run.end, lanes, &mut sums);
        }
        sums
    }

    /// Hears a run that holds none of the asking bodies.
    #[inline(always)]
    fn hear_others<const RULES: u8, const WRAP: bool>(
        &self,
        s: S,
        answers: &Answers<'_>,
        run: Range<usize>,
        lanes: S::M,
        sums: &mut Sums<S>,
    ) {
        let positions = answers.x[run.clone()].iter().zip(&answers.y[run.clone()]);
        let velocities = answers.vx[run.clone()].iter().zip(&answers.vy[run]);
        for ((&x, &y), (&vx, &vy)) in positions.zip(velocities) {
            self.answer::<RULES, WRAP>(s, [x, y, vx, vy], None, lanes, sums);
        }
    }

    /// One body answers every lane.
    #[inline(always)]
    fn answer<const RULES: u8, const WRAP: bool>(
        &self,
        s: S,
        [x, y, vx, vy]: [f32; 4],
        others: Option<S::M>,
        lanes: S::M,
        sums: &mut Sums<S>,
    ) {
        let mut dx = self.position[0] - s.splat(x);
        let mut dy = self.position[1] - s.splat(y);
        if WRAP {
            dx = short_way(s, dx, self.period[0]);
            dy = short_way(s, dy, self.period[1]);
        }
        let q = dx * dx + dy * dy;
        let near = self.near(s, q, 0, others);
        if RULES & SEPARATION != 0 {
            let voting = near & s.le(s.splat(SAME_SPOT), q);
            let w = s.splat(1.0) / q;
            sums.separation[0] = s.add_where(voting, sums.separation[0], dx * w);
            sums.separation[1] = s.add_where(voting, sums.separation[1], dy * w);
        }
        if RULES & ALIGNMENT != 0 {
            let heard = if RULES & ONE_REACH != 0 { near } else { self.near(s, q, 1, others) };
            sums.alignment[0] = s.add_where(heard, sums.alignment[0], s.splat(vx));
            sums.alignment[1] = s.add_where(heard, sums.alignment[1], s.splat(vy));
        }
        if RULES & COHESION != 0 {
            let heard = if RULES & ONE_REACH != 0 { near } else { self.near(s, q, 2, others) };
            sums.cohesion[0] = s.sub_where(heard, sums.cohesion[0], dx);
            sums.cohesion[1] = s.sub_where(heard, sums.cohesion[1], dy);
        }
        if RULES & COUNTED != 0 {
            let counted = lanes & s.le(q, self.counted_within);
            let counted = match others {
                Some(others) => counted & others,
                None => counted,
            };
            sums.neighbours += u64::from(s.count(counted));
        }
    }

    /// Which lanes hear an answer at this squared distance by rule number `rule`.
    #[inline(always)]
    fn near(&self, s: S, q: S::F, rule: usize, others: Option<S::M>) -> S::M {
        let near = s.le(q, self.reach[rule]);
        match others {
            Some(others) => near & others,
            None => near,
        }
    }
}

/// An offset on a torus, taken the short way round.
#[inline(always)]
fn short_way<S: Simd>(s: S, d: S::F, period: f32) -> S::F {
    let (whole, half) = (s.splat(period), s.splat(period * 0.5));
    let up = s.select(s.lt(d, s.splat(-period * 0.5)), d + whole, d);
    s.select(s.lt(half, d), d - whole, up)
}
