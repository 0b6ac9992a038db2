//! The one neighbour loop: lanes hold the bodies that ask, and each lane hears the bodies that answer
//! one at a time in canonical order, either the same body in all lanes or, along a row, in each lane
//! the next one. Each lane therefore adds in the scalar order, whatever the width of a vector. A
//! candidate out of range adds a masked +0.0, which never changes a sum that started at +0.0.

use crate::error::Result;
use crate::simd::{Isa, Kernel, Level, Simd};
use std::hint::black_box;
use std::ops::Range;

/// Bodies whose squared distance is below this name no direction to be pushed in.
pub(crate) const SAME_SPOT: f32 = 1e-24;

/// The bodies that can answer, in canonical order.
#[derive(Clone, Copy)]
pub(crate) struct Answers<'a> {
    pub x: &'a [f32],
    pub y: &'a [f32],
    pub vx: &'a [f32],
    pub vy: &'a [f32],
    /// A bit for each body's kind; anything where no ear asks for it.
    pub kind: &'a [u32],
}

impl<'a> Answers<'a> {
    /// Columns of the same length.
    #[inline(always)]
    pub(crate) fn new([x, y, vx, vy]: [&'a [f32]; 4], kind: &'a [u32]) -> Self {
        // Said once here, it need not be checked for each column again.
        let n = x.len();
        Self { x, y: &y[..n], vx: &vx[..n], vy: &vy[..n], kind: &kind[..n] }
    }

    /// Position, velocity and kind of each body at `places`.
    #[inline(always)]
    fn each(&self, places: Range<usize>) -> impl Iterator<Item = ([f32; 4], u32)> + use<'a> {
        let Self { x, y, vx, vy, kind } = *self;
        let positions = x[places.clone()].iter().zip(&y[places.clone()]);
        let velocities = vx[places.clone()].iter().zip(&vy[places.clone()]);
        let kinds = &kind[places];
        positions
            .zip(velocities)
            .zip(kinds)
            .map(|(((&x, &y), (&vx, &vy)), &kind)| ([x, y, vx, vy], kind))
    }

    /// The same of as many consecutive bodies as a vector holds, starting at each of `places`, of
    /// which there is one at least.
    #[inline(always)]
    fn each_vector(
        &self,
        places: Range<usize>,
        lanes: usize,
    ) -> impl Iterator<Item = ([&'a [f32]; 4], &'a [u32])> + use<'a> {
        let end = places.end + lanes - 1;
        let Self { x, y, vx, vy, kind } = *self;
        let [x, y, vx, vy] = [x, y, vx, vy].map(|column| column[places.start..end].windows(lanes));
        let kind = kind[places.start..end].windows(lanes);
        x.zip(y).zip(vx.zip(vy)).zip(kind).map(|(((x, y), (vx, vy)), kind)| ([x, y, vx, vy], kind))
    }
}

/// What one body, or one a lane, answers.
#[derive(Clone, Copy)]
pub(crate) struct Answer<S: Simd> {
    /// From it to the asking body, the short way round.
    d: [S::F; 2],
    /// Squared length of that.
    q: S::F,
    velocity: [S::F; 2],
    kind: S::F,
    /// The lanes that it answers, if not all.
    to: Option<S::M>,
}

impl<S: Simd> Answer<S> {
    /// Which lanes it is near, at these squared radii.
    #[inline(always)]
    fn within(&self, s: S, reach: S::F) -> S::M {
        match self.to {
            Some(to) => s.le_where(to, self.q, reach),
            None => s.le(self.q, reach),
        }
    }
}

/// What asking bodies make of each answer.
pub(crate) trait Ear<S: Simd> {
    /// What they add up.
    type Sums;

    /// Adds an answer. Must be `#[inline(always)]`.
    fn hear(&self, s: S, answer: Answer<S>, sums: &mut Self::Sums);
}

/// The bodies of one block, one a lane.
pub(crate) struct Asking<S: Simd> {
    pub position: [S::F; 2],
    /// Their places among the answers; at most `LANES`.
    pub span: Range<usize>,
    /// Extents of the torus per axis, infinite where there is none.
    pub period: [f32; 2],
}

impl<S: Simd> Asking<S> {
    /// Every lane hears every body of `run`, one after the other.
    #[inline(always)]
    pub(crate) fn hear<E: Ear<S>, const WRAP: bool>(
        &self,
        s: S,
        ear: &E,
        answers: &Answers<'_>,
        run: Range<usize>,
        sums: &mut E::Sums,
    ) {
        // Only candidates inside the block's own span can be the asking body itself.
        let own =
            self.span.start.clamp(run.start, run.end)..self.span.end.clamp(run.start, run.end);
        self.hear_others::<E, WRAP>(s, ear, answers, run.start..own.start, sums);
        for (lane, answer) in
            (own.start - self.span.start.min(own.start)..).zip(answers.each(own.clone()))
        {
            let from = splat(s, answer);
            self.answer::<E, WRAP>(s, ear, from, Some(s.all_but(lane)), sums);
        }
        self.hear_others::<E, WRAP>(s, ear, answers, own.end..run.end, sums);
    }

    /// Hears a run that holds none of the asking bodies.
    #[inline(always)]
    fn hear_others<E: Ear<S>, const WRAP: bool>(
        &self,
        s: S,
        ear: &E,
        answers: &Answers<'_>,
        run: Range<usize>,
        sums: &mut E::Sums,
    ) {
        for answer in answers.each(run) {
            self.answer::<E, WRAP>(s, ear, splat(s, answer), None, sums);
        }
    }

    /// Lane `i` hears the bodies `i` places after each of `places`, as far as they are in `row`.
    /// Bodies of one row that are near each other in space are near each other in storage, so this
    /// tests far fewer pairs than if every lane heard everyone whom any lane might hear.
    #[inline(always)]
    pub(crate) fn hear_along<E: Ear<S>>(
        &self,
        s: S,
        ear: &E,
        answers: &Answers<'_>,
        places: Range<usize>,
        row: &Range<usize>,
        sums: &mut E::Sums,
    ) {
        // At its own place every lane would hear itself.
        let own = self.span.start;
        let before = places.start..own.clamp(places.start, places.end);
        let after = (own + 1).clamp(places.start, places.end)..places.end;
        for part in [before, after] {
            if part.is_empty() {
                continue;
            }
            if row.start <= part.start && part.end + S::LANES <= row.end + 1 {
                for answer in answers.each_vector(part, S::LANES) {
                    self.answer::<E, false>(s, ear, load(s, answer), None, sums);
                }
                continue;
            }
            // Some lanes may be past either end of the row.
            for (place, answer) in part.clone().zip(answers.each_vector(part, S::LANES)) {
                let end = row.end.saturating_sub(place).min(S::LANES);
                let inside = s.lanes(row.start.saturating_sub(place).min(end)..end);
                self.answer::<E, false>(s, ear, load(s, answer), Some(inside), sums);
            }
        }
    }

    /// One body, or one a lane, answers the lanes of `to`, or all.
    #[inline(always)]
    fn answer<E: Ear<S>, const WRAP: bool>(
        &self,
        s: S,
        ear: &E,
        ([x, y, vx, vy], kind): ([S::F; 4], S::F),
        to: Option<S::M>,
        sums: &mut E::Sums,
    ) {
        let mut d = [self.position[0] - x, self.position[1] - y];
        if WRAP {
            d = short_way(s, d, self.period);
        }
        let q = d[0] * d[0] + d[1] * d[1];
        ear.hear(s, Answer { d, q, velocity: [vx, vy], kind, to }, sums);
    }
}

/// Bits of the parameter of [`Herd`]: which sums a compiled variant of the loop makes.
pub(crate) const SEPARATION: u8 = 1;
pub(crate) const ALIGNMENT: u8 = 2;
pub(crate) const COHESION: u8 = 4;
/// Also count neighbours.
pub(crate) const COUNTED: u8 = 8;
/// All three rules have one radius, so one comparison serves them.
pub(crate) const ONE_REACH: u8 = 16;

/// The three rules of a herd at once, each hearing everybody all round.
pub(crate) struct Herd<S: Simd, const RULES: u8> {
    /// Squared radii of separation, alignment and cohesion; -1 where a lane's kind has no such rule.
    pub reach: [S::F; 3],
    /// The largest squared radius of the flock, within which neighbours are counted.
    pub counted_within: S::F,
    /// How many lanes ask.
    pub lanes: usize,
}

/// What the neighbours add up to, in each lane.
pub(crate) struct Sums<S: Simd> {
    pub separation: [S::F; 2],
    pub alignment: [S::F; 2],
    pub cohesion: [S::F; 2],
    /// Over all lanes of the block.
    pub neighbours: u64,
}

impl<S: Simd> Sums<S> {
    #[inline(always)]
    pub(crate) fn nothing(s: S) -> Self {
        let zero = [s.splat(0.0); 2];
        Self { separation: zero, alignment: zero, cohesion: zero, neighbours: 0 }
    }
}

impl<S: Simd, const RULES: u8> Ear<S> for Herd<S, RULES> {
    type Sums = Sums<S>;

    #[inline(always)]
    fn hear(&self, s: S, answer: Answer<S>, sums: &mut Sums<S>) {
        let Answer { d: [dx, dy], q, velocity: [vx, vy], to, .. } = answer;
        let near = answer.within(s, self.reach[0]);
        if RULES & SEPARATION != 0 {
            let voting = s.le_where(near, s.splat(SAME_SPOT), q);
            let w = s.splat(1.0) / q;
            sums.separation[0] = s.add_where(voting, sums.separation[0], dx * w);
            sums.separation[1] = s.add_where(voting, sums.separation[1], dy * w);
        }
        if RULES & ALIGNMENT != 0 {
            let heard = if RULES & ONE_REACH != 0 { near } else { answer.within(s, self.reach[1]) };
            sums.alignment[0] = s.add_where(heard, sums.alignment[0], vx);
            sums.alignment[1] = s.add_where(heard, sums.alignment[1], vy);
        }
        if RULES & COHESION != 0 {
            let heard = if RULES & ONE_REACH != 0 { near } else { answer.within(s, self.reach[2]) };
            sums.cohesion[0] = s.sub_where(heard, sums.cohesion[0], dx);
            sums.cohesion[1] = s.sub_where(heard, sums.cohesion[1], dy);
        }
        if RULES & COUNTED != 0 {
            let asking = s.lanes(0..self.lanes);
            let counted = match to {
                Some(to) => s.le_where(asking & to, q, self.counted_within),
                None => s.le_where(asking, q, self.counted_within),
            };
            sums.neighbours += u64::from(s.count(counted));
        }
    }
}

/// The urges of single rules, as the parameter of [`One`].
pub(crate) const SEPARATE: u8 = 0;
pub(crate) const ALIGN: u8 = 1;
pub(crate) const COHERE: u8 = 2;
pub(crate) const GATHER: u8 = 3;
pub(crate) const VIEW: u8 = 4;
pub(crate) const FLEE: u8 = 5;
pub(crate) const HUNT: u8 = 6;
/// Not an urge: whether anybody is heard at all.
pub(crate) const CAUGHT: u8 = 7;

/// One rule that may hear only some kinds, and only those in view.
pub(crate) struct One<S: Simd, const URGE: u8> {
    /// Squared radius; -1 where a lane's kind has no such rule.
    pub reach: S::F,
    /// Bits of the kinds that are heard.
    pub hears: S::F,
    /// The asking bodies' velocities.
    pub velocity: [S::F; 2],
    /// The same, or (0, 0) for who sees all round.
    pub facing: [S::F; 2],
    /// Squared cosine of half the field of view with its sign, times the squared speed.
    pub edge: S::F,
    /// What the urge needs besides: see [`crate::plan::SingleKind`].
    pub extra: S::F,
}

impl<S: Simd, const URGE: u8> One<S, URGE> {
    /// What the sums start with.
    #[inline(always)]
    pub(crate) fn nothing(s: S) -> [S::F; 3] {
        let best = if URGE == HUNT { f32::INFINITY } else { 0.0 };
        [s.splat(0.0), s.splat(0.0), s.splat(best)]
    }
}

impl<S: Simd, const URGE: u8> Ear<S> for One<S, URGE> {
    /// x and y, and for a hunt the squared speed of the slowest.
    type Sums = [S::F; 3];

    #[inline(always)]
    fn hear(&self, s: S, answer: Answer<S>, sums: &mut [S::F; 3]) {
        let Answer { d: [dx, dy], q, velocity: [vx, vy], kind, .. } = answer;
        let near = answer.within(s, self.reach) & s.meets(kind, self.hears);
        let zero = s.splat(0.0);
        let dot = zero - (self.facing[0] * dx + self.facing[1] * dy);
        let heard = s.le_where(near, self.edge * q, dot * s.max(dot, zero - dot));
        match URGE {
            SEPARATE => {
                let heard = s.le_where(heard, s.splat(SAME_SPOT), q);
                let w = s.splat(1.0) / q;
                sums[0] = s.add_where(heard, sums[0], dx * w);
                sums[1] = s.add_where(heard, sums[1], dy * w);
            }
            ALIGN => {
                sums[0] = s.add_where(heard, sums[0], vx);
                sums[1] = s.add_where(heard, sums[1], vy);
            }
            COHERE => {
                sums[0] = s.sub_where(heard, sums[0], dx);
                sums[1] = s.sub_where(heard, sums[1], dy);
            }
            GATHER => {
                let heard = heard & s.lt(self.extra, q);
                sums[0] = s.sub_where(heard, sums[0], dx);
                sums[1] = s.sub_where(heard, sums[1], dy);
            }
            VIEW => {
                let w = s.splat(1.0) - q * self.extra;
                let cross = self.velocity[1] * dx - self.velocity[0] * dy;
                let aside = s.select(s.lt(zero, cross), zero - w, w);
                sums[0] = s.add_where(heard, sums[0], aside);
            }
            FLEE => {
                let heard = s.le_where(heard, s.splat(SAME_SPOT), q);
                let w = s.splat(1.0) / s.sqrt(q) - self.extra;
                sums[0] = s.add_where(heard, sums[0], dx * w);
                sums[1] = s.add_where(heard, sums[1], dy * w);
            }
            HUNT => {
                let speed = vx * vx + vy * vy;
                let slower = heard & s.lt(speed, sums[2]);
                sums[0] = s.select(slower, dx, sums[0]);
                sums[1] = s.select(slower, dy, sums[1]);
                sums[2] = s.select(slower, speed, sums[2]);
            }
            _ => sums[0] = s.add_where(heard, sums[0], s.splat(1.0)),
        }
    }
}

/// The bare arithmetic of a pair, nothing else: what a CPU can do at most. See [`pair_loop`].
struct PairLoop<'a> {
    answers: Answers<'a>,
    rounds: u32,
}

impl Kernel for PairLoop<'_> {
    type Output = (u64, f32);

    #[inline(always)]
    fn call<S: Simd>(self, s: S) -> (u64, f32) {
        let reach = [s.splat(4.0); 3];
        let asking = Asking::<S> {
            position: [s.load(&self.answers.x[8..]), s.load(&self.answers.y[8..])],
            span: 0..0,
            period: [f32::INFINITY; 2],
        };
        const ALL: u8 = SEPARATION | ALIGNMENT | COHESION | ONE_REACH;
        let ear = Herd::<S, ALL> { reach, counted_within: reach[0], lanes: 0 };
        let mut sums = Sums::nothing(s);
        for _ in 0..self.rounds {
            let run = 0..self.answers.x.len();
            asking.hear_others::<_, false>(s, &ear, &self.answers, run, &mut sums);
        }
        let slots = u64::from(self.rounds) * (self.answers.x.len() * S::LANES) as u64;
        let Sums { separation, alignment, cohesion, .. } = sums;
        let all = separation[0] + separation[1] + alignment[0] + alignment[1];
        (slots, s.greatest(all + cohesion[0] + cohesion[1]))
    }
}

/// Runs the arithmetic of three rules with one radius over the same few bodies `rounds` times, on
/// this thread, and returns how many [lane slots](crate::Counts::lane_slots) that were. Timed, it
/// tells the most that this machine could do, for a tick's rate to be held against.
///
/// # Errors
/// [`Error::LevelMissing`](crate::Error::LevelMissing) if this CPU lacks the instruction set.
///
/// ```
/// use flockstep::{Level, pair_loop};
///
/// let start = std::time::Instant::now();
/// let slots = pair_loop(Level::best(), 10_000)?;
/// let a_second = slots as f64 / start.elapsed().as_secs_f64();
/// assert!(a_second > 0.0);
/// # Ok::<(), flockstep::Error>(())
/// ```
pub fn pair_loop(level: Level, rounds: u32) -> Result<u64> {
    // On a grid, so that some are in reach and some are not.
    let x: [f32; 64] = std::array::from_fn(|k| (k % 8) as f32 * 0.75);
    let y: [f32; 64] = std::array::from_fn(|k| (k / 8) as f32 * 0.75);
    let answers = black_box(Answers::new([&x, &y, &x, &y], &[0; 64]));
    let (slots, sum) = Isa::new(level)?.run(PairLoop { answers, rounds });
    black_box(sum);
    Ok(slots)
}

#[inline(always)]
fn splat<S: Simd>(s: S, ([x, y, vx, vy], kind): ([f32; 4], u32)) -> ([S::F; 4], S::F) {
    ([s.splat(x), s.splat(y), s.splat(vx), s.splat(vy)], s.splat_bits(kind))
}

#[inline(always)]
fn load<S: Simd>(s: S, ([x, y, vx, vy], kind): ([&[f32]; 4], &[u32])) -> ([S::F; 4], S::F) {
    ([s.load(x), s.load(y), s.load(vx), s.load(vy)], s.load_bits(kind))
}

/// An offset taken the short way round where an axis is a torus.
#[inline(always)]
pub(crate) fn short_way<S: Simd>(s: S, d: [S::F; 2], period: [f32; 2]) -> [S::F; 2] {
    [shorter(s, d[0], period[0]), shorter(s, d[1], period[1])]
}

#[inline(always)]
fn shorter<S: Simd>(s: S, d: S::F, period: f32) -> S::F {
    let (whole, half) = (s.splat(period), s.splat(period * 0.5));
    let up = s.select(s.lt(d, s.splat(-period * 0.5)), d + whole, d);
    s.select(s.lt(half, d), d - whole, up)
}
