//! Rules that are heard one by one: a loop for each.

use super::act::{Act, Urged};
use super::blocks::Hearsay;
use super::{Pass, STRETCH, Tick};
use crate::behaviours::Acting;
use crate::draws::Stream;
use crate::neighbours::{CAUGHT, COUNTED, FLEE, HUNT, Herd, One, Sums, VIEW};
use crate::parallel::{Slots, Tally};
use crate::plan::{ALL_ROUND, Single};
use crate::simd::{Kernel, MAX_LANES, Simd};
use crate::steering::{steer, steer_scaled};
use std::ops::Range;

/// What rules that are heard one by one make of the first of these bodies.
pub(super) struct Singles<'a> {
    pass: &'a Pass<'a>,
    singles: &'a [Single],
    counted: bool,
    bodies: Range<usize>,
    urged: &'a mut Urged,
    tally: &'a mut Tally,
}

impl Kernel for Singles<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<S: Simd>(self, s: S) -> usize {
        let Self { pass, singles, counted, bodies, urged, tally } = self;
        pass.hear_singles(s, singles, counted, bodies, urged, tally)
    }
}

/// What one rule means to each lane.
pub(super) struct Heed<S: Simd> {
    reach: S::F,
    hears: S::F,
    edge: S::F,
    extra: S::F,
    weight: S::F,
}

impl Pass<'_> {
    /// A stretch at a time, hears and then acts.
    pub(super) fn singles<const N: usize>(
        &self,
        singles: &[Single],
        counted: bool,
        slots: Slots<'_, f32, N>,
    ) -> Tally {
        let Slots { start, columns: mut out } = slots;
        let end = start + out[0].len();
        let mut urged = Urged::new();
        let mut tally = Tally::default();
        let mut first = start;
        while first < end {
            self.limit_each(first..end.min(first + STRETCH), &mut urged);
            let heard = self.isa.run(Singles {
                pass: self,
                singles,
                counted,
                bodies: first..end,
                urged: &mut urged,
                tally: &mut tally,
            });
            let bodies = first..heard;
            self.isa.run(Act { pass: self, bodies, start, urged: &urged, out: &mut out });
            first = heard;
        }
        tally
    }

    /// What the first of these bodies are urged to, as many as make a stretch; returns where they
    /// end.
    #[inline(always)]
    pub(super) fn hear_singles<S: Simd>(
        &self,
        s: S,
        singles: &[Single],
        counted: bool,
        bodies: Range<usize>,
        urged: &mut Urged,
        tally: &mut Tally,
    ) -> usize {
        let answers = self.answers();
        let mut walk = self.walk::<S>(bodies.clone());
        let mut at = bodies.start;
        urged.caught = [0.0; STRETCH];
        while at < bodies.end && at - bodies.start <= STRETCH - S::LANES {
            let asking = self.block(s, &mut walk, at..bodies.end);
            let around = self.around(s, &asking, &walk);
            let hearing =
                Hearsay { asking: &asking, answers: &answers, around: &around, walk: &walk };
            if counted {
                tally.lane_slots += around.slots::<S>();
                tally.neighbours += self.count(s, &hearing);
            }
            let column = at - bodies.start;
            let me = self.acting(s, asking.span.clone(), urged.limits(s, column));
            let mut force = [s.splat(0.0); 2];
            for single in singles {
                let Some(heed) = self.heed(s, single, asking.span.clone()) else { continue };
                tally.lane_slots += around.slots::<S>();
                let heard = hear_one(s, single.urge, &heed, &hearing, &me);
                if single.urge == CAUGHT {
                    s.store(heard[0], &mut urged.caught[column..]);
                    continue;
                }
                let [x, y] = follow(s, single.urge, heard, &me);
                force = [force[0] + heed.weight * x, force[1] + heed.weight * y];
            }
            urged.put(s, column, force);
            at = asking.span.end;
        }
        at
    }

    /// How many neighbours a block has.
    #[inline(always)]
    pub(super) fn count<S: Simd>(&self, s: S, hearing: &Hearsay<'_, S>) -> u64 {
        let within = s.splat(self.tick.plan.radius * self.tick.plan.radius);
        let lanes = hearing.asking.span.len();
        let ear = Herd::<S, COUNTED> { reach: [within; 3], counted_within: within, lanes };
        let mut sums = Sums::nothing(s);
        hearing.listen(s, &ear, &mut sums);
        sums.neighbours
    }

    /// What a rule means to the bodies at `span`; nothing if no kind among them has it.
    #[inline(always)]
    pub(super) fn heed<S: Simd>(
        &self,
        s: S,
        single: &Single,
        span: Range<usize>,
    ) -> Option<Heed<S>> {
        let Tick { sorted, moment, .. } = self.tick;
        let mut kinds = [&single.kinds[0]; MAX_LANES];
        if single.kinds.len() > 1 {
            for (slot, &kind) in kinds.iter_mut().zip(&sorted.kind[span.clone()]) {
                *slot = &single.kinds[usize::from(kind)];
            }
        }
        if kinds[..span.len()].iter().all(|kind| kind.reach < 0.0) {
            return None;
        }
        let mut weights = [0.0; MAX_LANES];
        let (seed, tick) = (self.config.seed, moment.tick);
        for ((weight, kind), &id) in weights.iter_mut().zip(kinds).zip(&sorted.id[span]) {
            *weight = kind.weight.of(|| Stream::new(seed, kind.stream, id), tick);
        }
        Some(Heed {
            reach: s.load(&kinds.map(|kind| kind.reach)),
            hears: s.load_bits(&kinds.map(|kind| kind.hears)),
            edge: s.load(&kinds.map(|kind| kind.edge)),
            extra: s.load(&kinds.map(|kind| kind.extra)),
            weight: s.load(&weights),
        })
    }
}

/// What a block hears by one rule.
#[inline(always)]
pub(super) fn hear_one<S: Simd>(
    s: S,
    urge: u8,
    heed: &Heed<S>,
    hearing: &Hearsay<'_, S>,
    me: &Acting<S>,
) -> [S::F; 3] {
    let [vx, vy] = me.velocity;
    let squared = vx * vx + vy * vy;
    let looking = s.lt(s.splat(0.0), squared) & s.lt(s.splat(ALL_ROUND), heed.edge);
    let facing = [s.keep(looking, vx), s.keep(looking, vy)];
    let edge = s.keep(looking, heed.edge * squared);
    macro_rules! urges {
        ($($urge:literal)*) => {
            match urge {
                $($urge => {
                    let ear = One::<S, $urge> {
                        reach: heed.reach,
                        hears: heed.hears,
                        velocity: me.velocity,
                        facing,
                        edge,
                        extra: heed.extra,
                    };
                    let mut sums = One::<S, $urge>::nothing(s);
                    hearing.listen(s, &ear, &mut sums);
                    sums
                })*
                _ => unreachable!("there is no other urge"),
            }
        };
    }
    urges!(0 1 2 3 4 5 6 7)
}

/// From what a rule heard to its steering force.
#[inline(always)]
pub(super) fn follow<S: Simd>(s: S, urge: u8, [x, y, _]: [S::F; 3], me: &Acting<S>) -> [S::F; 2] {
    let (zero, [vx, vy]) = (s.splat(0.0), me.velocity);
    match urge {
        FLEE => steer_scaled(s, [x, y], me.velocity, me.limits),
        VIEW => steer(s, [(zero - vy) * x, vx * x], me.velocity, me.limits),
        HUNT => steer(s, [zero - x, zero - y], me.velocity, me.limits),
        _ => steer(s, [x, y], me.velocity, me.limits),
    }
}
