//! A herd's rules: one loop makes the sums of separation, alignment and cohesion.

use super::act::{Act, Urged};
use super::blocks::Hearsay;
use super::{Pass, STRETCH, Tick};
use crate::behaviours::Acting;
use crate::neighbours::{ALIGNMENT, COHESION, Herd, SEPARATION, Sums};
use crate::parallel::{Slots, Tally};
use crate::plan::{KindPlan, Plan};
use crate::simd::{Kernel, MAX_LANES, Simd};
use crate::steering::{Limits, steer};
use std::ops::Range;

/// All blocks of a task, compiled for one set of a herd's rules.
pub(super) struct HerdBlocks<'a, const N: usize, const RULES: u8> {
    pub pass: &'a Pass<'a>,
    pub slots: Slots<'a, f32, N>,
}

impl<const N: usize, const RULES: u8> Kernel for HerdBlocks<'_, N, RULES> {
    type Output = Tally;

    #[inline(always)]
    fn call<S: Simd>(self, s: S) -> Tally {
        self.pass.herd::<S, N, RULES>(s, self.slots)
    }
}

/// What the bodies of a stretch heard by a herd's rules, a column for each sum.
pub(super) struct Stretch([[f32; STRETCH]; 6]);

impl Stretch {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self([[0.0; STRETCH]; 6])
    }

    /// Keeps a block's sums; what its idle lanes hold is overwritten by the next block.
    #[inline(always)]
    pub(super) fn put<S: Simd, const RULES: u8>(&mut self, s: S, at: usize, sums: &Sums<S>) {
        let Sums { separation, alignment, cohesion, .. } = sums;
        let bits = [SEPARATION, ALIGNMENT, COHESION];
        for (rule, sum) in [separation, alignment, cohesion].into_iter().enumerate() {
            if RULES & bits[rule] != 0 {
                s.store(sum[0], &mut self.0[2 * rule][at..]);
                s.store(sum[1], &mut self.0[2 * rule + 1][at..]);
            }
        }
    }

    #[inline(always)]
    pub(super) fn sums<S: Simd>(&self, s: S, at: usize) -> Sums<S> {
        let Self([sx, sy, ax, ay, cx, cy]) = self;
        Sums {
            separation: [s.load(&sx[at..]), s.load(&sy[at..])],
            alignment: [s.load(&ax[at..]), s.load(&ay[at..])],
            cohesion: [s.load(&cx[at..]), s.load(&cy[at..])],
            neighbours: 0,
        }
    }
}

/// What a kind or body brings along, in lanes.
pub(super) struct Traits<S: Simd> {
    reach: [S::F; 3],
    weight: [S::F; 3],
    limits: Limits<S>,
}

impl Pass<'_> {
    /// Hears and then steers, a stretch at a time: the sums of a stretch stay in the first cache, and
    /// steering meets full vectors however short the rows are.
    #[inline(always)]
    pub(super) fn herd<S: Simd, const N: usize, const RULES: u8>(
        &self,
        s: S,
        slots: Slots<'_, f32, N>,
    ) -> Tally {
        let Slots { start, columns: mut out } = slots;
        let end = start + out[0].len();
        let shared = self.shared_traits(s);
        let mut stretch = Stretch::new();
        let Plan { behaves, gaits_vary, .. } = self.tick.plan;
        let mut urged = (behaves || gaits_vary).then(Urged::new);
        let mut tally = Tally::default();
        let mut first = start;
        while first < end {
            let mut heard = end.min(first + STRETCH);
            if RULES != 0 {
                heard = self.hear::<S, RULES>(s, &shared, first..end, &mut stretch, &mut tally);
            }
            if let Some(urged) = &mut urged {
                self.limit_each(first..heard, urged);
            }
            for at in (first..heard).step_by(S::LANES) {
                let block = at..heard.min(at + S::LANES);
                let sums = stretch.sums(s, at - first);
                let mut traits = self.traits(s, &shared, block.clone());
                if let Some(urged) = &mut urged {
                    traits.limits = urged.limits(s, at - first);
                    let me = self.acting(s, block, traits.limits);
                    urged.put(s, at - first, obey::<S, RULES>(s, &sums, &traits, &me));
                } else {
                    let me = self.acting(s, block, traits.limits);
                    let force = obey::<S, RULES>(s, &sums, &traits, &me);
                    self.finish(s, &me, force, start, &mut out);
                }
            }
            if let Some(urged) = &urged {
                let bodies = first..heard;
                self.isa.run(Act { pass: self, bodies, start, urged, out: &mut out });
            }
            first = heard;
        }
        tally
    }

    /// What the first of these bodies hear, as many as make a stretch; returns where they end. A
    /// block is consecutive bodies in one row of cells.
    #[inline(always)]
    pub(super) fn hear<S: Simd, const RULES: u8>(
        &self,
        s: S,
        shared: &Option<Traits<S>>,
        bodies: Range<usize>,
        stretch: &mut Stretch,
        tally: &mut Tally,
    ) -> usize {
        let plan = &self.tick.plan;
        let answers = self.answers();
        let mut walk = self.walk::<S>(bodies.clone());
        let mut at = bodies.start;
        while at < bodies.end && at - bodies.start <= STRETCH - S::LANES {
            let asking = self.block(s, &mut walk, at..bodies.end);
            let span = asking.span.clone();
            let ear = Herd::<S, RULES> {
                reach: self.traits(s, shared, span.clone()).reach,
                counted_within: s.splat(plan.radius * plan.radius),
                lanes: span.len(),
            };
            let mut sums = Sums::nothing(s);
            let around = self.around(s, &asking, &walk);
            Hearsay { asking: &asking, answers: &answers, around: &around, walk: &walk }
                .listen(s, &ear, &mut sums);
            tally.lane_slots += around.slots::<S>();
            tally.neighbours += sums.neighbours;
            stretch.put::<S, RULES>(s, at - bodies.start, &sums);
            at = span.end;
        }
        at
    }

    /// The traits of every body, if there is only one kind.
    #[inline(always)]
    pub(super) fn shared_traits<S: Simd>(&self, s: S) -> Option<Traits<S>> {
        let [kind] = self.tick.plan.kinds[..] else {
            return None;
        };
        let KindPlan { reach, weight, gait } = kind;
        let limits =
            Limits { max_speed: s.splat(gait.max_speed), max_force: s.splat(gait.max_force) };
        Some(Traits { reach: splat_each(s, reach), weight: splat_each(s, weight), limits })
    }

    #[inline(always)]
    pub(super) fn traits<S: Simd>(
        &self,
        s: S,
        shared: &Option<Traits<S>>,
        block: Range<usize>,
    ) -> Traits<S> {
        match shared {
            Some(shared) => self.traits_with_own_gaits(s, shared, block.start),
            None => self.traits_by_kind(s, block),
        }
    }

    #[inline(always)]
    pub(super) fn traits_with_own_gaits<S: Simd>(
        &self,
        s: S,
        shared: &Traits<S>,
        at: usize,
    ) -> Traits<S> {
        let sorted = &self.tick.sorted;
        let Limits { mut max_speed, mut max_force } = shared.limits;
        if sorted.has_own_gaits() {
            // NaN, which is not even equal to itself, stands for "as the kind's".
            let own = (s.load(&sorted.max_speed[at..]), s.load(&sorted.max_force[at..]));
            max_speed = s.select(s.le(own.0, own.0), own.0, max_speed);
            max_force = s.select(s.le(own.1, own.1), own.1, max_force);
        }
        let limits = Limits { max_speed, max_force };
        Traits { reach: shared.reach, weight: shared.weight, limits }
    }

    #[inline(always)]
    pub(super) fn traits_by_kind<S: Simd>(&self, s: S, block: Range<usize>) -> Traits<S> {
        let Tick { sorted, plan, .. } = self.tick;
        let mut kinds = [plan.kinds[0]; MAX_LANES];
        for (slot, &kind) in kinds.iter_mut().zip(&sorted.kind[block.clone()]) {
            *slot = plan.kinds[usize::from(kind)];
        }
        let by_kind = Traits {
            reach: [
                s.load(&kinds.map(|kind| kind.reach[0])),
                s.load(&kinds.map(|kind| kind.reach[1])),
                s.load(&kinds.map(|kind| kind.reach[2])),
            ],
            weight: [
                s.load(&kinds.map(|kind| kind.weight[0])),
                s.load(&kinds.map(|kind| kind.weight[1])),
                s.load(&kinds.map(|kind| kind.weight[2])),
            ],
            limits: Limits {
                max_speed: s.load(&kinds.map(|kind| kind.gait.max_speed)),
                max_force: s.load(&kinds.map(|kind| kind.gait.max_force)),
            },
        };
        self.traits_with_own_gaits(s, &by_kind, block.start)
    }
}

#[inline(always)]
pub(super) fn splat_each<S: Simd>(s: S, [a, b, c]: [f32; 3]) -> [S::F; 3] {
    [s.splat(a), s.splat(b), s.splat(c)]
}

/// The weighted steering forces of a herd's rules, in the contract's order.
#[inline(always)]
pub(super) fn obey<S: Simd, const RULES: u8>(
    s: S,
    sums: &Sums<S>,
    traits: &Traits<S>,
    me: &Acting<S>,
) -> [S::F; 2] {
    let Traits { weight, limits, .. } = *traits;
    let mut force = [s.splat(0.0); 2];
    for (bit, direction, weight) in [
        (SEPARATION, sums.separation, weight[0]),
        (ALIGNMENT, sums.alignment, weight[1]),
        (COHESION, sums.cohesion, weight[2]),
    ] {
        if RULES & bit != 0 {
            let [x, y] = steer(s, direction, me.velocity, limits);
            force = [force[0] + weight * x, force[1] + weight * y];
        }
    }
    force
}
