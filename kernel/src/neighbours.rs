//! The one neighbour loop: lanes hold the bodies that ask, and each lane hears the bodies that answer
//! one at a time in canonical order, either the same body in all lanes or, along a row, in each lane
//! the next one. Each lane therefore adds in the scalar order, whatever the width of a vector. A
//! candidate out of range adds a masked +0.0, which never changes a sum that started at +0.0.

use crate::error::Result;
use crate::simd::{Isa, Kernel, Level, Simd};
use std::hint::black_box;
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

impl<'a> Answers<'a> {
    /// Columns of the same length.
    #[inline(always)]
    pub(crate) fn new(x: &'a [f32], y: &'a [f32], vx: &'a [f32], vy: &'a [f32]) -> Self {
        // Said once here, it need not be checked for each column again.
        let n = x.len();
        Self { x, y: &y[..n], vx: &vx[..n], vy: &vy[..n] }
    }

    /// Position and velocity of each body at `places`.
    #[inline(always)]
    fn each(&self, places: Range<usize>) -> impl Iterator<Item = [f32; 4]> + use<'a> {
        let Self { x, y, vx, vy } = *self;
        let positions = x[places.clone()].iter().zip(&y[places.clone()]);
        let velocities = vx[places.clone()].iter().zip(&vy[places]);
        positions.zip(velocities).map(|((&x, &y), (&vx, &vy))| [x, y, vx, vy])
    }

    /// The same of as many consecutive bodies as a vector holds, starting at each of `places`, of
    /// which there is one at least.
    #[inline(always)]
    fn each_vector(
        &self,
        places: Range<usize>,
        lanes: usize,
    ) -> impl Iterator<Item = [&'a [f32]; 4]> + use<'a> {
        let end = places.end + lanes - 1;
        let Self { x, y, vx, vy } = *self;
        let [x, y, vx, vy] = [x, y, vx, vy].map(|column| column[places.start..end].windows(lanes));
        x.zip(y).zip(vx.zip(vy)).map(|((x, y), (vx, vy))| [x, y, vx, vy])
    }
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

impl<S: Simd> Sums<S> {
    #[inline(always)]
    pub(crate) fn nothing(s: S) -> Self {
        let zero = [s.splat(0.0); 2];
        Self { separation: zero, alignment: zero, cohesion: zero, neighbours: 0 }
    }
}

impl<S: Simd> Asking<S> {
    /// Every lane hears every body of `run`, one after the other.
    #[inline(always)]
    pub(crate) fn hear<const RULES: u8, const WRAP: bool>(
        &self,
        s: S,
        answers: &Answers<'_>,
        run: Range<usize>,
        sums: &mut Sums<S>,
    ) {
        // Only candidates inside the block's own span can be the asking body itself.
        let own =
            self.span.start.clamp(run.start, run.end)..self.span.end.clamp(run.start, run.end);
        self.hear_others::<RULES, WRAP>(s, answers, run.start..own.start, sums);
        for (lane, answer) in
            (own.start - self.span.start.min(own.start)..).zip(answers.each(own.clone()))
        {
            self.answer::<RULES, WRAP>(s, splat(s, answer), Some(s.all_but(lane)), sums);
        }
        self.hear_others::<RULES, WRAP>(s, answers, own.end..run.end, sums);
    }

    /// Hears a run that holds none of the asking bodies.
    #[inline(always)]
    fn hear_others<const RULES: u8, const WRAP: bool>(
        &self,
        s: S,
        answers: &Answers<'_>,
        run: Range<usize>,
        sums: &mut Sums<S>,
    ) {
        for answer in answers.each(run) {
            self.answer::<RULES, WRAP>(s, splat(s, answer), None, sums);
        }
    }

    /// Lane `i` hears the bodies `i` places after each of `places`, as far as they are in `row`.
    /// Bodies of one row that are near each other in space are near each other in storage, so this
    /// tests far fewer pairs than if every lane heard everyone whom any lane might hear.
    #[inline(always)]
    pub(crate) fn hear_along<const RULES: u8>(
        &self,
        s: S,
        answers: &Answers<'_>,
        places: Range<usize>,
        row: &Range<usize>,
        sums: &mut Sums<S>,
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
                    self.answer::<RULES, false>(s, load(s, answer), None, sums);
                }
                continue;
            }
            // Some lanes may be past either end of the row.
            for (place, answer) in part.clone().zip(answers.each_vector(part, S::LANES)) {
                let end = row.end.saturating_sub(place).min(S::LANES);
                let inside = s.lanes(row.start.saturating_sub(place).min(end)..end);
                self.answer::<RULES, false>(s, load(s, answer), Some(inside), sums);
            }
        }
    }

    /// One body, or one a lane, answers.
    #[inline(always)]
    fn answer<const RULES: u8, const WRAP: bool>(
        &self,
        s: S,
        [x, y, vx, vy]: [S::F; 4],
        others: Option<S::M>,
        sums: &mut Sums<S>,
    ) {
        let mut dx = self.position[0] - x;
        let mut dy = self.position[1] - y;
        if WRAP {
            dx = short_way(s, dx, self.period[0]);
            dy = short_way(s, dy, self.period[1]);
        }
        let q = dx * dx + dy * dy;
        let near = self.near(s, q, 0, others);
        if RULES & SEPARATION != 0 {
            let voting = s.le_where(near, s.splat(SAME_SPOT), q);
            let w = s.splat(1.0) / q;
            sums.separation[0] = s.add_where(voting, sums.separation[0], dx * w);
            sums.separation[1] = s.add_where(voting, sums.separation[1], dy * w);
        }
        if RULES & ALIGNMENT != 0 {
            let heard = if RULES & ONE_REACH != 0 { near } else { self.near(s, q, 1, others) };
            sums.alignment[0] = s.add_where(heard, sums.alignment[0], vx);
            sums.alignment[1] = s.add_where(heard, sums.alignment[1], vy);
        }
        if RULES & COHESION != 0 {
            let heard = if RULES & ONE_REACH != 0 { near } else { self.near(s, q, 2, others) };
            sums.cohesion[0] = s.sub_where(heard, sums.cohesion[0], dx);
            sums.cohesion[1] = s.sub_where(heard, sums.cohesion[1], dy);
        }
        if RULES & COUNTED != 0 {
            let asking = s.lanes(0..self.span.len());
            let counted = match others {
                Some(others) => s.le_where(asking & others, q, self.counted_within),
                None => s.le_where(asking, q, self.counted_within),
            };
            sums.neighbours += u64::from(s.count(counted));
        }
    }

    /// Which lanes hear an answer at this squared distance by rule number `rule`.
    #[inline(always)]
    fn near(&self, s: S, q: S::F, rule: usize, others: Option<S::M>) -> S::M {
        match others {
            Some(others) => s.le_where(others, q, self.reach[rule]),
            None => s.le(q, self.reach[rule]),
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
            reach,
            period: [f32::INFINITY; 2],
            counted_within: reach[0],
        };
        let mut sums = Sums::nothing(s);
        const ALL: u8 = SEPARATION | ALIGNMENT | COHESION | ONE_REACH;
        for _ in 0..self.rounds {
            let run = 0..self.answers.x.len();
            asking.hear_others::<ALL, false>(s, &self.answers, run, &mut sums);
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
    let answers = black_box(Answers { x: &x, y: &y, vx: &x, vy: &y });
    let (slots, sum) = Isa::new(level)?.run(PairLoop { answers, rounds });
    black_box(sum);
    Ok(slots)
}

#[inline(always)]
fn splat<S: Simd>(s: S, [x, y, vx, vy]: [f32; 4]) -> [S::F; 4] {
    [s.splat(x), s.splat(y), s.splat(vx), s.splat(vy)]
}

#[inline(always)]
fn load<S: Simd>(s: S, [x, y, vx, vy]: [&[f32]; 4]) -> [S::F; 4] {
    [s.load(x), s.load(y), s.load(vx), s.load(vy)]
}

/// An offset on a torus, taken the short way round.
#[inline(always)]
fn short_way<S: Simd>(s: S, d: S::F, period: f32) -> S::F {
    let (whole, half) = (s.splat(period), s.splat(period * 0.5));
    let up = s.select(s.lt(d, s.splat(-period * 0.5)), d + whole, d);
    s.select(s.lt(half, d), d - whole, up)
}
