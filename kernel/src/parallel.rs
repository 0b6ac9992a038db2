//! How work is spread: split in halves down to a grain, on the caller's rayon pool.

#[cfg(feature = "parallel")]
use std::iter::Peekable;
use std::ops::Add;

/// Flocks of fewer bodies than this stay on the calling thread unless told otherwise: waking a
/// pool costs more than it saves. Measured on two cores, as times of one thread's time: 1.6 at 1,024
/// bodies, 1.18 at 2,048, 0.86 at 4,096, 0.6 at 8,192 (docs/performance.md).
pub const PARALLEL_FROM: usize = 4096;

/// A flock just large enough to be spread is cut into about this many tasks.
const TASKS_AT_FIRST: usize = 8;

/// However large a flock is, no thread gets more tasks than about this many: enough to even out
/// crowded and empty regions.
const TASKS_A_THREAD: usize = 16;

/// A stretch of work that can be cut in two.
pub(crate) trait Job: Sized + Send {
    /// How many bodies it covers.
    fn len(&self) -> usize;
    /// The first `at` bodies and the rest.
    fn split(self, at: usize) -> (Self, Self);
}

/// What a tick did, added up over its tasks. Sums of integers, so their order does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub tasks: u64,
    pub lane_slots: u64,
    pub neighbours: u64,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            tasks: self.tasks + other.tasks,
            lane_slots: self.lane_slots + other.lane_slots,
            neighbours: self.neighbours + other.neighbours,
        }
    }
}

/// Runs `job` whole, or in parallel pieces if it covers at least `parallel_from` bodies.
pub(crate) fn drive<J: Job>(
    job: J,
    parallel_from: usize,
    run: &(impl Fn(J) -> Tally + Sync),
) -> Tally {
    let spread = job.len() >= parallel_from && threads() > 1;
    let smallest = (parallel_from / TASKS_AT_FIRST).max(1);
    let grain = smallest.max(job.len() / (threads() * TASKS_A_THREAD));
    let grain = if spread { grain } else { usize::MAX };
    split(job, grain, run)
}

#[cfg(feature = "parallel")]
fn split<J: Job>(job: J, grain: usize, run: &(impl Fn(J) -> Tally + Sync)) -> Tally {
    if job.len() <= grain {
        return Tally { tasks: 1, ..run(job) };
    }
    let half = job.len() / 2;
    let (first, rest) = job.split(half);
    let (a, b) = rayon::join(|| split(first, grain, run), || split(rest, grain, run));
    a + b
}

#[cfg(not(feature = "parallel"))]
fn split<J: Job>(job: J, _grain: usize, run: &(impl Fn(J) -> Tally + Sync)) -> Tally {
    Tally { tasks: 1, ..run(job) }
}

/// Runs `work` on a thread of the pool if `spread`. What it spreads there costs far less than from
/// outside, where every call wakes a worker and waits for it.
#[cfg(feature = "parallel")]
pub(crate) fn enter<R: Send>(spread: bool, work: impl FnOnce() -> R + Send) -> R {
    if spread && threads() > 1 { rayon::join(work, || ()).0 } else { work() }
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn enter<R>(_spread: bool, work: impl FnOnce() -> R) -> R {
    work()
}

/// Runs `job` in pieces of `size` bodies on this thread, so that what a piece reads again and again
/// stays in the first cache.
pub(crate) fn in_pieces<J: Job>(mut job: J, size: usize, mut run: impl FnMut(J)) {
    while job.len() > size {
        let (first, rest) = job.split(size);
        run(first);
        job = rest;
    }
    run(job);
}

/// How many threads the caller's pool has.
#[cfg(feature = "parallel")]
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn threads() -> usize {
    1
}

/// Runs `work` on each item, each in a task of its own; a single one stays on this thread.
#[cfg(feature = "parallel")]
pub(crate) fn for_each<T: Send>(items: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    fn rest<T: Send>(
        items: &mut Peekable<impl Iterator<Item = T> + Send>,
        work: &(impl Fn(T) + Sync),
    ) {
        let Some(item) = items.next() else { return };
        if items.peek().is_none() {
            work(item);
        } else {
            rayon::join(|| work(item), || rest(items, work));
        }
    }
    rest(&mut items.peekable(), &work);
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn for_each<T>(items: impl Iterator<Item = T>, work: impl Fn(T)) {
    items.for_each(work);
}

/// `N` columns of results for consecutive bodies, the first of them body `start`.
pub(crate) struct Slots<'a, T, const N: usize> {
    pub start: usize,
    pub columns: [&'a mut [T]; N],
}

impl<T: Send, const N: usize> Job for Slots<'_, T, N> {
    fn len(&self) -> usize {
        self.columns[0].len()
    }

    fn split(self, at: usize) -> (Self, Self) {
        let none = || std::array::from_fn::<&mut [T], N, _>(|_| &mut []);
        let (mut first, mut rest) = (none(), none());
        for (k, column) in self.columns.into_iter().enumerate() {
            (first[k], rest[k]) = column.split_at_mut(at);
        }
        (Self { start: self.start, columns: first }, Self { start: self.start + at, columns: rest })
    }
}

/// Two jobs over the same bodies.
impl<A: Job, B: Job> Job for (A, B) {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn split(self, at: usize) -> (Self, Self) {
        let (a, b) = (self.0.split(at), self.1.split(at));
        ((a.0, b.0), (a.1, b.1))
    }
}
