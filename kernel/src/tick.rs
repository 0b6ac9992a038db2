//! What the owned flock and the forces-only call share: sort, hear neighbours, steer, act, step.

use crate::behaviours::{Acting, Stage};
use crate::bodies::{Bodies, Body};
use crate::cells::{Cells, RowAround};
use crate::draws::{RESPAWN, Stream, lerp, share};
use crate::error::{Error, Result};
use crate::grid::{Grid, Order};
use crate::neighbours::{
    ALIGNMENT, Answers, Asking, CAUGHT, COHESION, COUNTED, Ear, FLEE, HUNT, Herd, One, SEPARATION,
    Sums, VIEW,
};
use crate::parallel::{Slots, Tally, drive};
use crate::plan::{ALL_ROUND, Hearing, KindPlan, Moment, Plan, Single, gait};
use crate::rules::{Config, Respawn};
use crate::simd::{Isa, Kernel, MAX_LANES, Simd};
use crate::sort::Spread;
use crate::steering::{Limits, limit, steer, steer_scaled};
use crate::step::Motion;
use std::ops::Range;

/// The largest force a host may add, along either axis.
const HOST_FORCE_LIMIT: f32 = 1e15;

/// The number of columns that a step writes: x, y, vx, vy.
const STEP: usize = 4;

/// Buffers that live from tick to tick; once they are large enough, a tick allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tick {
    plan: Plan,
    moment: Moment,
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
        Self { plan: Plan::new(config), moment: Moment::new(config), ..Self::default() }
    }

    /// Makes the next tick one of this configuration.
    pub(crate) fn adopt(&mut self, config: &Config) {
        self.plan = Plan::new(config);
        self.moment = Moment::new(config);
    }

    /// Brings `bodies` into canonical order, and works out what else this tick needs.
    pub(crate) fn sort(&mut self, bodies: &Bodies, config: &Config, tick: u64, mode: Mode) {
        let Self { plan, moment, sorted, cells, host } = self;
        let grid = Grid::new(&config.world, plan.radius, &bodies.x, &bodies.y);
        cells.sort(grid, &bodies.x, &bodies.y, &bodies.id, mode.order, mode.spread);
        sorted.gather(bodies, &cells.places, mode.spread.parallel_from);
        moment.prepare(config, plan, sorted, tick);
        host.iter_mut().for_each(Vec::clear);
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
    pub(crate) fn forces(&self, config: &Config, mode: Mode, columns: [&mut [f32]; 2]) -> Tally {
        self.pass(config, mode, columns)
    }

    /// Position and velocity of every sorted body one tick later, in canonical order.
    pub(crate) fn step(&self, config: &Config, mode: Mode, columns: [&mut [f32]; STEP]) -> Tally {
        self.pass(config, mode, columns)
    }

    fn pass<const N: usize>(&self, config: &Config, mode: Mode, columns: [&mut [f32]; N]) -> Tally {
        let pass = Pass { tick: self, config, order: mode.order, isa: mode.spread.isa };
        let slots = Slots { start: 0, columns };
        drive(slots, mode.spread.parallel_from, &|slots| pass.enter(mode.counted, slots))
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
    order: Order,
    isa: Isa,
}

/// All blocks of a task, compiled for one set of a herd's rules.
struct HerdBlocks<'a, const N: usize, const RULES: u8> {
    pass: &'a Pass<'a>,
    slots: Slots<'a, f32, N>,
}

impl<const N: usize, const RULES: u8> Kernel for HerdBlocks<'_, N, RULES> {
    type Output = Tally;

    #[inline(always)]
    fn call<S: Simd>(self, s: S) -> Tally {
        self.pass.herd::<S, N, RULES>(s, self.slots)
    }
}

/// What rules that are heard one by one make of the first of these bodies.
struct Singles<'a> {
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

/// What comes after the rules, for the bodies of a stretch.
struct Act<'a, 'b, const N: usize> {
    pass: &'a Pass<'a>,
    bodies: Range<usize>,
    /// The first body of the task.
    start: usize,
    urged: &'a Urged,
    out: &'a mut [&'b mut [f32]; N],
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

/// How many bodies are heard before they are steered. Half as many cost 10 %, twice as many gain
/// nothing (docs/performance.md).
const STRETCH: usize = 128;

/// Flocks that fill up to so many vectors are cut into blocks across rows, each of which hears one
/// run of whole rows: rows would not fill a vector.
const BLOCKS_ACROSS_ROWS: usize = 3;

/// What the bodies of a stretch heard by a herd's rules, a column for each sum.
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

/// What the rules make of a stretch, before behaviours, and what limits its bodies.
struct Urged {
    force: [[f32; STRETCH]; 2],
    max_speed: [f32; STRETCH],
    max_force: [f32; STRETCH],
    /// Over 0 for bodies that are caught.
    caught: [f32; STRETCH],
}

impl Urged {
    fn new() -> Self {
        let zero = [0.0; STRETCH];
        Self { force: [zero; 2], max_speed: zero, max_force: zero, caught: zero }
    }

    #[inline(always)]
    fn limits<S: Simd>(&self, s: S, at: usize) -> Limits<S> {
        Limits {
            max_speed: s.load(&self.max_speed[at..]),
            max_force: s.load(&self.max_force[at..]),
        }
    }

    #[inline(always)]
    fn force<S: Simd>(&self, s: S, at: usize) -> [S::F; 2] {
        [s.load(&self.force[0][at..]), s.load(&self.force[1][at..])]
    }

    /// Keeps a block's force; what its idle lanes hold is overwritten by the next block.
    #[inline(always)]
    fn put<S: Simd>(&mut self, s: S, at: usize, force: [S::F; 2]) {
        s.store(force[0], &mut self.force[0][at..]);
        s.store(force[1], &mut self.force[1][at..]);
    }
}

/// Where a task is among the rows of cells.
struct Walk<'a> {
    row: RowAround<'a>,
    /// Whether blocks go across rows.
    across: bool,
}

/// The candidates of a block, in the order they are heard.
struct Around {
    runs: [Range<usize>; 6],
    /// How many of them count.
    count: usize,
    /// Whether each lane hears its own part of the run; only the first three can.
    slides: [bool; 3],
    /// Whether offsets may have to be taken across a seam.
    wraps: bool,
}

/// What a kind or body brings along, in lanes.
struct Traits<S: Simd> {
    reach: [S::F; 3],
    weight: [S::F; 3],
    limits: Limits<S>,
}

/// What one rule means to each lane.
struct Heed<S: Simd> {
    reach: S::F,
    hears: S::F,
    edge: S::F,
    extra: S::F,
    weight: S::F,
}

impl<'a> Pass<'a> {
    fn enter<const N: usize>(&self, counted: bool, slots: Slots<'_, f32, N>) -> Tally {
        match &self.tick.plan.hearing {
            Hearing::Singles(singles) => self.singles(singles, counted, slots),
            Hearing::Herd { rules, one_reach } => {
                self.enter_herd(Plan::variant(*rules, *one_reach, counted, N == STEP), slots)
            }
        }
    }

    /// Picks the compiled variant for these rules. Called once a task, so that everything below it
    /// is inlined into one function.
    fn enter_herd<const N: usize>(&self, rules: u8, slots: Slots<'_, f32, N>) -> Tally {
        macro_rules! variants {
            ($($rules:literal)*) => {
                match rules {
                    $($rules => self.isa.run(HerdBlocks::<N, $rules> { pass: self, slots }),)*
                    _ => unreachable!("Plan::variant names no other"),
                }
            };
        }
        if N == STEP { variants!(0 1 2 3 4 5 6 7 15 23) } else { variants!(0 7 15 23) }
    }

    fn stage(&self) -> Stage<'a> {
        let Tick { plan, moment, sorted, .. } = self.tick;
        Stage { config: self.config, plan, moment, sorted }
    }

    fn answers(&self) -> Answers<'a> {
        let Tick { sorted, moment, .. } = self.tick;
        // A herd's ear does not ask for kinds.
        let kinds = if moment.kind_bits.is_empty() { &sorted.id } else { &moment.kind_bits };
        Answers::new([&sorted.x, &sorted.y, &sorted.vx, &sorted.vy], kinds)
    }

    // ---- A herd's rules

    /// Hears and then steers, a stretch at a time: the sums of a stretch stay in the first cache, and
    /// steering meets full vectors however short the rows are.
    #[inline(always)]
    fn herd<S: Simd, const N: usize, const RULES: u8>(
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
    fn hear<S: Simd, const RULES: u8>(
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
    fn shared_traits<S: Simd>(&self, s: S) -> Option<Traits<S>> {
        let [kind] = self.tick.plan.kinds[..] else {
            return None;
        };
        let KindPlan { reach, weight, gait } = kind;
        let limits =
            Limits { max_speed: s.splat(gait.max_speed), max_force: s.splat(gait.max_force) };
        Some(Traits { reach: splat_each(s, reach), weight: splat_each(s, weight), limits })
    }

    #[inline(always)]
    fn traits<S: Simd>(&self, s: S, shared: &Option<Traits<S>>, block: Range<usize>) -> Traits<S> {
        match shared {
            Some(shared) => self.traits_with_own_gaits(s, shared, block.start),
            None => self.traits_by_kind(s, block),
        }
    }

    #[inline(always)]
    fn traits_with_own_gaits<S: Simd>(&self, s: S, shared: &Traits<S>, at: usize) -> Traits<S> {
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
            limits: Limits {
                max_speed: s.load(&kinds.map(|kind| kind.gait.max_speed)),
                max_force: s.load(&kinds.map(|kind| kind.gait.max_force)),
            },
        };
        self.traits_with_own_gaits(s, &by_kind, block.start)
    }

    // ---- Blocks and their candidates

    #[inline(always)]
    fn walk<S: Simd>(&self, bodies: Range<usize>) -> Walk<'a> {
        let Tick { sorted, cells, .. } = self.tick;
        let across =
            sorted.len() <= BLOCKS_ACROSS_ROWS * S::LANES && self.order == Order::Canonical;
        let mut row = cells.row_around(cells.grid.row(sorted.y[bodies.start]), self.order);
        if across {
            row.bodies = bodies;
        }
        Walk { row, across }
    }

    /// The next block: the first of these bodies, as far as they are in one row.
    #[inline(always)]
    fn block<S: Simd>(&self, s: S, walk: &mut Walk<'a>, bodies: Range<usize>) -> Asking<S> {
        let Tick { sorted, cells, plan, .. } = self.tick;
        let at = bodies.start;
        if at >= walk.row.bodies.end {
            walk.row = cells.row_around(cells.grid.row(sorted.y[at]), self.order);
        }
        Asking {
            position: [s.load(&sorted.x[at..]), s.load(&sorted.y[at..])],
            span: at..bodies.end.min(walk.row.bodies.end).min(at + S::LANES),
            period: plan.period,
        }
    }

    /// Whom a block has to listen to.
    #[inline(always)]
    fn around<S: Simd>(&self, s: S, asking: &Asking<S>, walk: &Walk<'a>) -> Around {
        let Tick { sorted, cells, .. } = self.tick;
        let Walk { row, across } = walk;
        let (first, last) = (asking.span.start, asking.span.end - 1);
        let n = sorted.len();
        let mut around =
            Around { runs: [const { 0..0 }; 6], count: 1, slides: [false; 3], wraps: false };
        if *across && cells.grid.wraps() {
            around.runs[0] = 0..n;
            around.wraps = true;
            return around;
        }
        if *across {
            let rows = [first, last].map(|place| cells.grid.row(sorted.y[place]));
            around.runs[0] = cells.rows_touching(rows);
            return around;
        }
        let cols = cells.grid.col(sorted.x[first])..cells.grid.col(sorted.x[last]) + 1;
        if cells.grid.sees_seam(row.number, &cols) {
            let runs = cells.candidates(row.number, cols, self.order);
            return Around { runs, count: 6, slides: [false; 3], wraps: true };
        }
        let runs = row.runs(&cols);
        let windows = row.windows(s, &cols, &asking.span, &runs, n);
        around.count = row.heard;
        for k in 0..3 {
            around.slides[k] = windows[k].len() < runs[k].len();
            let heard = if around.slides[k] { &windows[k] } else { &runs[k] };
            around.runs[k] = heard.clone();
        }
        around
    }

    // ---- Rules one by one

    /// A stretch at a time, hears and then acts.
    fn singles<const N: usize>(
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
    fn hear_singles<S: Simd>(
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
    fn count<S: Simd>(&self, s: S, hearing: &Hearsay<'_, S>) -> u64 {
        let within = s.splat(self.tick.plan.radius * self.tick.plan.radius);
        let lanes = hearing.asking.span.len();
        let ear = Herd::<S, COUNTED> { reach: [within; 3], counted_within: within, lanes };
        let mut sums = Sums::nothing(s);
        hearing.listen(s, &ear, &mut sums);
        sums.neighbours
    }

    /// What a rule means to the bodies at `span`; nothing if no kind among them has it.
    #[inline(always)]
    fn heed<S: Simd>(&self, s: S, single: &Single, span: Range<usize>) -> Option<Heed<S>> {
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

    // ---- After the rules

    #[inline(always)]
    fn acting<S: Simd>(&self, s: S, block: Range<usize>, limits: Limits<S>) -> Acting<S> {
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
    fn limit_each(&self, bodies: Range<usize>, urged: &mut Urged) {
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
    fn finish<S: Simd, const N: usize>(
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
    fn add_host<S: Simd>(&self, s: S, force: [S::F; 2], at: usize) -> [S::F; 2] {
        let [fx, fy] = &self.tick.host;
        if fx.is_empty() {
            return force;
        }
        [force[0] + s.load(&fx[at..]), force[1] + s.load(&fy[at..])]
    }

    /// Puts the bodies of a block that are caught somewhere else.
    fn respawn<const N: usize>(
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
fn reborn(respawn: &Respawn, stream: Stream, tick: u64, period: [f32; 2]) -> [f32; 4] {
    let draw = |nth: u64| stream.draw(tick.wrapping_mul(4).wrapping_add(nth));
    let place = |axis: usize| {
        let place = lerp(respawn.low[axis], respawn.high[axis], share(draw(axis as u64)));
        if place >= period[axis] { 0.0 } else { place }
    };
    [place(0), place(1), respawn.speed * draw(2), respawn.speed * draw(3)]
}

impl Around {
    /// How many pairs of lanes and candidates that is.
    fn slots<S: Simd>(&self) -> u64 {
        let runs = self.runs[..self.count].iter();
        runs.map(|run| run.len() as u64).sum::<u64>() * S::LANES as u64
    }
}

/// A block and whom it hears.
struct Hearsay<'a, S: Simd> {
    asking: &'a Asking<S>,
    answers: &'a Answers<'a>,
    around: &'a Around,
    walk: &'a Walk<'a>,
}

impl<S: Simd> Hearsay<'_, S> {
    /// Lets the block hear all of its candidates.
    #[inline(always)]
    fn listen<E: Ear<S>>(&self, s: S, ear: &E, sums: &mut E::Sums) {
        let Self { asking, answers, around, walk } = self;
        for (k, run) in around.runs[..around.count].iter().enumerate() {
            let run = run.clone();
            if k < 3 && around.slides[k] {
                asking.hear_along(s, ear, answers, run, &walk.row.rows[k].bodies, sums);
            } else if around.wraps {
                asking.hear::<E, true>(s, ear, answers, run, sums);
            } else {
                asking.hear::<E, false>(s, ear, answers, run, sums);
            }
        }
    }
}

/// What a block hears by one rule.
#[inline(always)]
fn hear_one<S: Simd>(
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
fn follow<S: Simd>(s: S, urge: u8, [x, y, _]: [S::F; 3], me: &Acting<S>) -> [S::F; 2] {
    let (zero, [vx, vy]) = (s.splat(0.0), me.velocity);
    match urge {
        FLEE => steer_scaled(s, [x, y], me.velocity, me.limits),
        VIEW => steer(s, [(zero - vy) * x, vx * x], me.velocity, me.limits),
        HUNT => steer(s, [zero - x, zero - y], me.velocity, me.limits),
        _ => steer(s, [x, y], me.velocity, me.limits),
    }
}

#[inline(always)]
fn splat_each<S: Simd>(s: S, [a, b, c]: [f32; 3]) -> [S::F; 3] {
    [s.splat(a), s.splat(b), s.splat(c)]
}

/// The weighted steering forces of a herd's rules, in the contract's order.
#[inline(always)]
fn obey<S: Simd, const RULES: u8>(
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
