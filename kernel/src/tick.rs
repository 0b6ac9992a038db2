//! What the owned flock and the forces-only call share: sort, hear neighbours, steer, step.

use crate::bodies::{Bodies, Body};
use crate::cells::{Cells, RowAround};
use crate::error::{Error, Result};
use crate::grid::{Grid, Order};
use crate::neighbours::{
    ALIGNMENT, Answers, Asking, COHESION, COUNTED, ONE_REACH, SEPARATION, Sums,
};
use crate::parallel::{Slots, Tally, drive};
use crate::rules::Config;
use crate::simd::{Isa, Kernel, MAX_LANES, Simd};
use crate::sort::Spread;
use crate::steering::{limit, steer};
use crate::step::Motion;
use crate::{behaviours, world::World};
use std::ops::Range;

/// The largest force a host may add, along either axis.
const HOST_FORCE_LIMIT: f32 = 1e15;

/// The number of columns that a step writes: x, y, vx, vy.
const STEP: usize = 4;

/// What the configuration means for the loop, worked out once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub radius: f32,
    /// Which rules any kind uses: bits of [`crate::neighbours`].
    rules: u8,
    kinds: Vec<KindPlan>,
    period: [f32; 2],
    /// Whether every kind uses all three rules with one radius.
    one_reach: bool,
    behaves: bool,
}

/// One kind's numbers as the lanes need them, by rule.
#[derive(Clone, Copy, Debug)]
struct KindPlan {
    /// Squared radius, or -1 for a rule that is not in use: no squared distance is below it.
    reach: [f32; 3],
    weight: [f32; 3],
    max_speed: f32,
    max_force: f32,
}

impl Plan {
    pub(crate) fn new(config: &Config) -> Self {
        let kinds = config.kinds.iter().map(|kind| {
            let rules = kind.rules().map(|(_, rule)| rule);
            KindPlan {
                reach: rules.map(|rule| rule.map_or(-1.0, |rule| rule.radius * rule.radius)),
                weight: rules.map(|rule| rule.map_or(0.0, |rule| rule.weight)),
                max_speed: kind.gait.max_speed,
                max_force: kind.gait.max_force,
            }
        });
        let used = |bit, of: usize| {
            if config.kinds.iter().any(|kind| kind.rules()[of].1.is_some()) { bit } else { 0 }
        };
        Self {
            radius: config.radius(),
            rules: used(SEPARATION, 0) | used(ALIGNMENT, 1) | used(COHESION, 2),
            kinds: kinds.collect(),
            period: config.world.period(),
            one_reach: kinds_hear_alike(config),
            behaves: config.kinds.iter().any(|kind| !kind.behaviours.is_empty()),
        }
    }
}

impl Plan {
    /// Which compiled variant of the loop serves these rules. Counting is not worth one for each
    /// set of rules: rules that are not in use hear nobody and have no weight.
    fn variant(&self, counted: bool) -> u8 {
        let all = SEPARATION | ALIGNMENT | COHESION;
        match self.rules {
            0 => 0,
            _ if counted => all | COUNTED,
            rules if self.one_reach => rules | ONE_REACH,
            rules => rules,
        }
    }
}

/// Whether every kind uses all three rules with one radius.
fn kinds_hear_alike(config: &Config) -> bool {
    config.kinds.iter().all(|kind| {
        let [separation, alignment, cohesion] =
            kind.rules().map(|(_, rule)| rule.map(|rule| rule.radius));
        separation.is_some() && separation == alignment && alignment == cohesion
    })
}

/// Buffers that live from tick to tick; once they are large enough, a tick allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tick {
    pub plan: Plan,
    /// The bodies as the tick found them, in canonical order.
    pub sorted: Bodies,
    pub cells: Cells,
    host: [Vec<f32>; 2],
}

/// How a tick runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    pub order: Order,
    pub counted: bool,
    pub spread: Spread,
}

impl Tick {
    pub(crate) fn new(config: &Config) -> Self {
        Self { plan: Plan::new(config), ..Self::default() }
    }

    /// Brings `bodies` into canonical order.
    pub(crate) fn sort(&mut self, bodies: &Bodies, world: &World, mode: Mode) {
        let grid = Grid::new(world, self.plan.radius, &bodies.x, &bodies.y);
        self.cells.sort(grid, &bodies.x, &bodies.y, &bodies.id, mode.order, mode.spread);
        self.sorted.gather(bodies, &self.cells.places, mode.spread.parallel_from);
        self.host.iter_mut().for_each(Vec::clear);
    }

    /// Asks the host for a force on every body, to be added before the cut.
    pub(crate) fn ask_host(
        &mut self,
        config: &Config,
        parallel_from: usize,
        force: &(impl Fn(&Body) -> [f32; 2] + Sync),
    ) -> Result<()> {
        let Self { sorted, host, .. } = self;
        let [fx, fy] = host;
        fx.resize(sorted.len(), 0.0);
        fy.resize(sorted.len(), 0.0);
        drive(Slots { start: 0, columns: [fx, fy] }, parallel_from, &|slots: Slots<'_, f32, 2>| {
            let [fx, fy] = slots.columns;
            for (offset, (fx, fy)) in fx.iter_mut().zip(fy).enumerate() {
                [*fx, *fy] = force(&sorted.get(slots.start + offset, config));
            }
            Tally::default()
        });
        for (at, &id) in sorted.id.iter().enumerate() {
            check_host_force([host[0][at], host[1][at]], id)?;
        }
        Ok(())
    }

    /// The force on every sorted body, into two columns in canonical order.
    pub(crate) fn forces(
        &self,
        config: &Config,
        tick: u64,
        mode: Mode,
        columns: [&mut [f32]; 2],
    ) -> Tally {
        self.pass(config, tick, mode, columns)
    }

    /// Position and velocity of every sorted body one tick later, in canonical order.
    pub(crate) fn step(
        &self,
        config: &Config,
        tick: u64,
        mode: Mode,
        columns: [&mut [f32]; STEP],
    ) -> Tally {
        self.pass(config, tick, mode, columns)
    }

    fn pass<const N: usize>(
        &self,
        config: &Config,
        tick: u64,
        mode: Mode,
        columns: [&mut [f32]; N],
    ) -> Tally {
        let pass =
            Pass { tick: self, config, number: tick, order: mode.order, isa: mode.spread.isa };
        let rules = self.plan.variant(mode.counted);
        drive(Slots { start: 0, columns }, mode.spread.parallel_from, &|slots| {
            pass.enter(rules, slots)
        })
    }
}

/// Refuses a host's force on the body `id` that could overflow.
pub(crate) fn check_host_force(force: [f32; 2], id: u32) -> Result<()> {
    for (field, value) in ["force x", "force y"].into_iter().zip(force) {
        if value.is_nan() || value.abs() > HOST_FORCE_LIMIT {
            let allowed = "a finite number, at most 1e15 either way".into();
            return Err(Error::Body { body: id as usize, field, value, allowed });
        }
    }
    Ok(())
}

/// One pass over all blocks: what every block reads.
#[derive(Clone, Copy)]
struct Pass<'a> {
    tick: &'a Tick,
    config: &'a Config,
    number: u64,
    order: Order,
    isa: Isa,
}

/// All blocks of a task, compiled for one set of rules.
struct Blocks<'a, const N: usize, const RULES: u8> {
    pass: &'a Pass<'a>,
    slots: Slots<'a, f32, N>,
}

impl<const N: usize, const RULES: u8> Kernel for Blocks<'_, N, RULES> {
    type Output = Tally;

    #[inline(always)]
    fn call<S: Simd>(self, s: S) -> Tally {
        self.pass.bodies::<S, N, RULES>(s, self.slots)
    }
}

/// How many bodies are heard before they are steered. Half as many cost 10 %, twice as many gain
/// nothing (docs/performance.md).
const STRETCH: usize = 128;

/// Flocks that fill up to so many vectors are cut into blocks across rows, each of which hears one
/// run of whole rows: rows would not fill a vector.
const BLOCKS_ACROSS_ROWS: usize = 3;

/// What the bodies of a stretch heard, a column for each sum.
struct Stretch([[f32; STRETCH]; 6]);

impl Stretch {
    #[inline(always)]
    fn new() -> Self {
        Self([[0.0; STRETCH]; 6])
    }

    /// Keeps a block's sums; what its idle lanes hold is overwritten by the next block.
    #[inline(always)]
    fn put<S: Simd, const RULES: u8>(&mut self, s: S, at: usize, sums: &Sums<S>) {
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
    fn sums<S: Simd>(&self, s: S, at: usize) -> Sums<S> {
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
struct Traits<S: Simd> {
    reach: [S::F; 3],
    weight: [S::F; 3],
    max_speed: S::F,
    max_force: S::F,
}

impl Pass<'_> {
    /// Picks the compiled variant for these rules. Called once a task, so that everything below it
    /// is inlined into one function.
    fn enter<const N: usize>(&self, rules: u8, slots: Slots<'_, f32, N>) -> Tally {
        macro_rules! variants {
            ($($rules:literal)*) => {
                match rules {
                    $($rules => self.isa.run(Blocks::<N, $rules> { pass: self, slots }),)*
                    _ => unreachable!("Plan::variant names no other"),
                }
            };
        }
        variants!(0 1 2 3 4 5 6 7 15 23)
    }

    /// Hears and then steers, a stretch at a time: the sums of a stretch stay in the first cache, and
    /// steering meets full vectors however short the rows are.
    #[inline(always)]
    fn bodies<S: Simd, const N: usize, const RULES: u8>(
        &self,
        s: S,
        slots: Slots<'_, f32, N>,
    ) -> Tally {
        let Slots { start, columns: mut out } = slots;
        let end = start + out[0].len();
        let shared = self.shared_traits(s);
        let mut stretch = Stretch::new();
        let mut tally = Tally::default();
        let mut first = start;
        while first < end {
            let mut heard = end.min(first + STRETCH);
            if RULES != 0 {
                heard = self.hear::<S, RULES>(s, &shared, first..end, &mut stretch, &mut tally);
            }
            for at in (first..heard).step_by(S::LANES) {
                let block = at..heard.min(at + S::LANES);
                let sums = stretch.sums(s, at - first);
                let traits = self.traits(s, &shared, block.clone());
                self.steer::<S, N, RULES>(s, block, start, &sums, &traits, &mut out);
            }
            first = heard;
        }
        tally
    }

    /// What the first of these bodies hear, as many as make a stretch; returns where they end. A
    /// block is consecutive bodies in one row of cells.
    #[inline(always)]
    fn hear<S: Simd, const RULES: u8>(
        &self,
        s: S,
        shared: &Option<Traits<S>>,
        bodies: Range<usize>,
        stretch: &mut Stretch,
        tally: &mut Tally,
    ) -> usize {
        let Tick { sorted, cells, plan, .. } = self.tick;
        let answers = Answers::new(&sorted.x, &sorted.y, &sorted.vx, &sorted.vy);
        let across =
            sorted.len() <= BLOCKS_ACROSS_ROWS * S::LANES && self.order == Order::Canonical;
        let mut at = bodies.start;
        let mut row = cells.row_around(cells.grid.row(sorted.y[at]), self.order);
        while at < bodies.end && at - bodies.start <= STRETCH - S::LANES {
            if across {
                row.bodies = bodies.clone();
            } else if at >= row.bodies.end {
                row = cells.row_around(cells.grid.row(sorted.y[at]), self.order);
            }
            let span = at..bodies.end.min(row.bodies.end).min(at + S::LANES);
            let asking = Asking::<S> {
                position: [s.load(&answers.x[at..]), s.load(&answers.y[at..])],
                span: span.clone(),
                reach: self.traits(s, shared, span.clone()).reach,
                period: plan.period,
                counted_within: s.splat(plan.radius * plan.radius),
            };
            let mut sums = Sums::nothing(s);
            let heard = self.hear_block::<S, RULES>(s, &asking, &answers, &row, across, &mut sums);
            tally.lane_slots += (heard * S::LANES) as u64;
            tally.neighbours += sums.neighbours;
            stretch.put::<S, RULES>(s, at - bodies.start, &sums);
            at = span.end;
        }
        at
    }

    /// What one block hears, and how many candidates each of its lanes took for that.
    #[inline(always)]
    fn hear_block<S: Simd, const RULES: u8>(
        &self,
        s: S,
        asking: &Asking<S>,
        answers: &Answers<'_>,
        row: &RowAround<'_>,
        across: bool,
        sums: &mut Sums<S>,
    ) -> usize {
        let cells = &self.tick.cells;
        let (first, last) = (asking.span.start, asking.span.end - 1);
        let n = answers.x.len();
        if across && cells.grid.wraps() {
            asking.hear::<RULES, true>(s, answers, 0..n, sums);
            return n;
        }
        if across {
            let rows = [first, last].map(|place| cells.grid.row(answers.y[place]));
            let run = cells.rows_touching(rows);
            asking.hear::<RULES, false>(s, answers, run.clone(), sums);
            return run.len();
        }
        let mut heard = 0;
        let cols = cells.grid.col(answers.x[first])..cells.grid.col(answers.x[last]) + 1;
        if cells.grid.sees_seam(row.number, &cols) {
            for run in cells.candidates(row.number, cols, self.order) {
                heard += run.len();
                asking.hear::<RULES, true>(s, answers, run, sums);
            }
            return heard;
        }
        let runs = row.runs(&cols);
        let windows = row.windows(s, &cols, &asking.span, &runs, n);
        for k in 0..row.heard {
            let (run, window) = (runs[k].clone(), windows[k].clone());
            if window.len() < run.len() {
                heard += window.len();
                asking.hear_along::<RULES>(s, answers, window, &row.rows[k].bodies, sums);
            } else {
                heard += run.len();
                asking.hear::<RULES, false>(s, answers, run, sums);
            }
        }
        heard
    }

    /// From what a block heard to its force, or to where it is a tick later.
    #[inline(always)]
    fn steer<S: Simd, const N: usize, const RULES: u8>(
        &self,
        s: S,
        block: Range<usize>,
        start: usize,
        sums: &Sums<S>,
        traits: &Traits<S>,
        out: &mut [&mut [f32]; N],
    ) {
        let sorted = &self.tick.sorted;
        let at = block.start;
        let motion = Motion::<S> {
            position: [s.load(&sorted.x[at..]), s.load(&sorted.y[at..])],
            velocity: [s.load(&sorted.vx[at..]), s.load(&sorted.vy[at..])],
        };
        let mut force = obey::<S, RULES>(s, sums, traits, &motion);
        if self.tick.plan.behaves {
            force = self.behave(s, force, block.clone());
        }
        force = self.add_host(s, force, at);
        let force = limit(s, force, traits.max_force);
        let written = at - start..block.end - start;
        if N == STEP {
            let dt = s.splat(self.config.dt);
            let moved = motion.step(s, force, traits.max_speed, dt, &self.config.world);
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
    fn traits<S: Simd>(&self, s: S, shared: &Option<Traits<S>>, block: Range<usize>) -> Traits<S> {
        match shared {
            Some(shared) => self.traits_with_own_gaits(s, shared, block.start),
            None => self.traits_by_kind(s, block),
        }
    }

    /// The traits of every body, if there is only one kind.
    #[inline(always)]
    fn shared_traits<S: Simd>(&self, s: S) -> Option<Traits<S>> {
        let [kind] = self.tick.plan.kinds[..] else {
            return None;
        };
        Some(Traits {
            reach: splat_each(s, kind.reach),
            weight: splat_each(s, kind.weight),
            max_speed: s.splat(kind.max_speed),
            max_force: s.splat(kind.max_force),
        })
    }

    #[inline(always)]
    fn traits_with_own_gaits<S: Simd>(&self, s: S, shared: &Traits<S>, at: usize) -> Traits<S> {
        let sorted = &self.tick.sorted;
        let (mut max_speed, mut max_force) = (shared.max_speed, shared.max_force);
        if sorted.has_own_gaits() {
            // NaN, which is not even equal to itself, stands for "as the kind's".
            let own = (s.load(&sorted.max_speed[at..]), s.load(&sorted.max_force[at..]));
            max_speed = s.select(s.le(own.0, own.0), own.0, max_speed);
            max_force = s.select(s.le(own.1, own.1), own.1, max_force);
        }
        Traits { reach: shared.reach, weight: shared.weight, max_speed, max_force }
    }

    #[inline(always)]
    fn traits_by_kind<S: Simd>(&self, s: S, block: Range<usize>) -> Traits<S> {
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
            max_speed: s.load(&kinds.map(|kind| kind.max_speed)),
            max_force: s.load(&kinds.map(|kind| kind.max_force)),
        };
        self.traits_with_own_gaits(s, &by_kind, block.start)
    }

    /// Adds the behaviours of each body in the block, in listed order.
    #[inline(always)]
    fn behave<S: Simd>(&self, s: S, force: [S::F; 2], block: Range<usize>) -> [S::F; 2] {
        let mut lanes = [[0.0_f32; MAX_LANES]; 2];
        for (axis, lanes) in lanes.iter_mut().enumerate() {
            s.store(force[axis], &mut lanes[..S::LANES]);
        }
        for (lane, at) in block.enumerate() {
            let body = self.tick.sorted.get(at, self.config);
            for behaviour in &self.config.kinds[usize::from(body.kind)].behaviours {
                let more = behaviours::force(behaviour, &body, self.config, self.number);
                lanes[0][lane] += more[0];
                lanes[1][lane] += more[1];
            }
        }
        [s.load(&lanes[0]), s.load(&lanes[1])]
    }

    #[inline(always)]
    fn add_host<S: Simd>(&self, s: S, force: [S::F; 2], at: usize) -> [S::F; 2] {
        let [fx, fy] = &self.tick.host;
        if fx.is_empty() {
            return force;
        }
        [force[0] + s.load(&fx[at..]), force[1] + s.load(&fy[at..])]
    }
}

#[inline(always)]
fn splat_each<S: Simd>(s: S, [a, b, c]: [f32; 3]) -> [S::F; 3] {
    [s.splat(a), s.splat(b), s.splat(c)]
}

/// The rules' weighted steering forces, in the contract's order.
#[inline(always)]
fn obey<S: Simd, const RULES: u8>(
    s: S,
    sums: &Sums<S>,
    traits: &Traits<S>,
    motion: &Motion<S>,
) -> [S::F; 2] {
    let Traits { weight, max_speed, max_force, .. } = *traits;
    let mut force = [s.splat(0.0); 2];
    for (bit, direction, weight) in [
        (SEPARATION, sums.separation, weight[0]),
        (ALIGNMENT, sums.alignment, weight[1]),
        (COHESION, sums.cohesion, weight[2]),
    ] {
        if RULES & bit != 0 {
            let [x, y] = steer(s, direction, motion.velocity, max_speed, max_force);
            force = [force[0] + weight * x, force[1] + weight * y];
        }
    }
    force
}
