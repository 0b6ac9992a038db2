//! Races engines over a crowd: each one's answer is checked, then they are timed in turn.

use crate::console::{Progress, interrupted};
use crate::fault::{Fault, Outcome};
use crate::machine;
use crate::results::{Row, Setting, Timing, compare};
use flockstep::Level;
use flockstep_benches::{Crowd, Density, Entry, Placement, Rival, Work, check, time, warm_up};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::time::Duration;

/// An engine is timed in so many batches, unless they take too long.
const BATCHES: usize = 15;

/// Even the slowest engine is timed in so many.
const FEWEST_BATCHES: usize = 5;

/// How long several threads tick together before a batch of theirs is timed.
const WARM_UP: Duration = Duration::from_millis(50);

/// Engines and how they are raced.
pub(crate) struct Race {
    entries: Vec<&'static Entry>,
    /// Where flockstep runs, by number of threads; the others run on one thread.
    pools: BTreeMap<usize, ThreadPool>,
    threads: Vec<usize>,
    level: Level,
    seconds: f64,
    longest: f64,
    cpu: String,
    limit: f64,
    /// Bodies, and seconds a tick, of the last smaller crowd.
    known: BTreeMap<(&'static str, usize, Placement, Density), (usize, f64)>,
}

/// Who takes part, on how many threads flockstep, and for how long.
pub(crate) struct Terms {
    pub entries: Vec<&'static Entry>,
    pub threads: Vec<usize>,
    pub level: Level,
    /// How long each is timed.
    pub seconds: f64,
    /// How long a tick may take.
    pub longest: f64,
}

/// An engine that is being timed.
struct Contestant<'a> {
    entry: &'static Entry,
    threads: usize,
    pool: &'a ThreadPool,
    engine: Box<dyn Rival>,
    work: Work,
    /// Seconds a tick.
    latest: f64,
    batches: Vec<f64>,
    spent: f64,
}

impl Contestant<'_> {
    fn is_done(&self, seconds: f64) -> bool {
        let count = self.batches.len();
        count >= BATCHES || (count >= FEWEST_BATCHES && self.spent >= seconds)
    }

    fn run_batch(&mut self, seconds: f64) {
        let ticks = (seconds / BATCHES as f64 / self.latest).clamp(1.0, 1e7) as u64;
        let engine = self.engine.as_mut();
        let threads = self.threads;
        let took = self.pool.install(|| {
            if threads > 1 {
                warm_up(engine, WARM_UP);
            }
            time(engine, ticks)
        });
        let took = took.as_secs_f64();
        // A clock may be too coarse for a tick of two bodies.
        self.latest = (took / ticks as f64).max(1e-9);
        self.batches.push(self.latest);
        self.spent += took;
    }
}

impl Race {
    pub(crate) fn new(terms: Terms) -> Outcome<Self> {
        let Terms { entries, threads, level, seconds, longest } = terms;
        let mut pools = BTreeMap::new();
        for &count in threads.iter().chain([&1]) {
            let pool = ThreadPoolBuilder::new().num_threads(count).build();
            let failed = |error| Fault::Failed(format!("cannot start {count} threads: {error}"));
            pools.insert(count, pool.map_err(failed)?);
        }
        let (cpu, limit) = (machine::cpu(), machine::pair_rate(level)?);
        let known = BTreeMap::new();
        Ok(Self { entries, pools, threads, level, seconds, longest, cpu, limit, known })
    }

    /// Who takes part at this size, with their numbers of threads.
    pub(crate) fn contestants(
        &self,
        bodies: usize,
        largest: usize,
    ) -> Vec<(&'static Entry, usize)> {
        let entries = self.entries.iter().filter(|entry| entry.own || bodies <= largest);
        let with_threads = entries.flat_map(|&entry| {
            let threads = if entry.own { &self.threads[..] } else { &[1] };
            threads.iter().map(move |&threads| (entry, threads))
        });
        with_threads.collect()
    }

    /// Checks and times these engines over a crowd. Interrupted, it leaves rows out, or
    /// batches.
    pub(crate) fn run(
        &mut self,
        crowd: Crowd,
        contestants: &[(&'static Entry, usize)],
        progress: &mut Progress,
    ) -> Outcome<Vec<Row>> {
        let mut flock = crowd.flock();
        flock.set_level(self.level)?;
        for _ in 0..flockstep_benches::SETTLED {
            flock.tick();
        }
        let neighbours = flock.clone().tick_counted().neighbours as f64;
        let cpu = self.cpu.clone();
        let setting = Setting {
            cpu: &cpu,
            isa: self.level.name(),
            crowd,
            neighbours_a_body: neighbours / crowd.bodies as f64,
            limit: self.limit,
        };
        let mut rows = Vec::new();
        let mut racing = Vec::new();
        for &(entry, threads) in contestants {
            if interrupted() {
                break;
            }
            let pool = &self.pools[&threads];
            let mut engine = None;
            let expected = self.expected(entry, threads, crowd).unwrap_or_else(|| {
                let engine = engine.insert((entry.build)(&flock));
                pool.install(|| time(engine.as_mut(), 1)).as_secs_f64()
            });
            if expected > self.longest {
                let timing = Timing::Skipped(expected);
                rows.push(Row::new(&setting, entry.name, threads, timing, Work::default()));
                self.known.insert(key(entry, threads, crowd), (crowd.bodies, expected));
                progress.step();
                continue;
            }
            pool.install(|| check(entry, &flock))
                .map_err(|what| wrong(entry, threads, crowd, &what))?;
            let mut engine = engine.unwrap_or_else(|| (entry.build)(&flock));
            let work = pool.install(|| engine.work());
            let (latest, batches, spent) = (expected.max(1e-9), Vec::new(), 0.0);
            racing.push(Contestant { entry, threads, pool, engine, work, latest, batches, spent });
        }
        take_turns(&mut racing, self.seconds, progress);
        for Contestant { entry, threads, batches, work, .. } in racing {
            if !batches.is_empty() {
                let timing = Timing::Batches(batches);
                let row = Row::new(&setting, entry.name, threads, timing, work);
                let tick = row.microseconds_a_tick.unwrap_or(0.0) / 1e6;
                self.known.insert(key(entry, threads, crowd), (crowd.bodies, tick));
                rows.push(row);
            }
        }
        let place = |row: &Row| {
            contestants
                .iter()
                .position(|(e, threads)| e.name == row.engine && *threads == row.threads)
        };
        rows.sort_by_key(place);
        if let Some(own) = self.entries.iter().find(|entry| entry.own) {
            compare(&mut rows, own.name);
        }
        Ok(rows)
    }

    /// Seconds a tick by the last smaller crowd of this kind.
    fn expected(&self, entry: &'static Entry, threads: usize, crowd: Crowd) -> Option<f64> {
        let &(bodies, tick) = self.known.get(&key(entry, threads, crowd))?;
        let more = crowd.bodies as f64 / bodies as f64;
        Some(tick * if entry.every_pair { more * more } else { more })
    }
}

fn key(entry: &Entry, threads: usize, crowd: Crowd) -> (&'static str, usize, Placement, Density) {
    (entry.name, threads, crowd.placement, crowd.density)
}

/// A batch of each in turn, so that a slower moment of the machine meets them all.
fn take_turns(racing: &mut [Contestant<'_>], seconds: f64, progress: &mut Progress) {
    let mut left = racing.len();
    while left > 0 {
        for contestant in &mut *racing {
            if interrupted() {
                return;
            }
            if !contestant.is_done(seconds) {
                contestant.run_batch(seconds);
                if contestant.is_done(seconds) {
                    left -= 1;
                    progress.step();
                }
            }
        }
    }
}

/// An engine gave a wrong answer.
fn wrong(entry: &Entry, threads: usize, crowd: Crowd, what: &str) -> Fault {
    Fault::Failed(format!(
        "{} gives a wrong answer (threads: {threads}; {} bodies, {}, about {} neighbours): {what}",
        entry.name,
        crowd.bodies,
        crowd.placement.name(),
        crowd.density.neighbours()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockstep_benches::{Walker, all};

    /// An engine that stands still.
    struct Still(Box<dyn Rival>);

    impl Rival for Still {
        fn tick(&mut self) {}
        fn rewind(&mut self) {}
        fn state(&self) -> Vec<Walker> {
            self.0.state()
        }
        fn neighbours(&mut self, hear: &mut dyn FnMut(&[u32])) {
            self.0.neighbours(hear);
        }
        fn work(&mut self) -> Work {
            self.0.work()
        }
    }

    static STILL: Entry = Entry {
        name: "still",
        build: |flock| Box::new(Still((all()[0].build)(flock))),
        ..all()[0]
    };

    static SLOW: Entry = Entry { every_pair: true, ..all()[0] };

    fn race(entry: &'static Entry, longest: f64) -> Race {
        let terms = Terms {
            entries: vec![entry],
            threads: vec![1],
            level: Level::Portable,
            seconds: 0.001,
            longest,
        };
        Race::new(terms).unwrap()
    }

    #[test]
    fn a_wrong_answer_names_engine_crowd_and_body() {
        let mut progress = Progress::new(0, "");
        let outcome = race(&STILL, 1.0).run(Crowd::new(40), &[(&STILL, 1)], &mut progress);
        let Err(fault) = outcome else { panic!("it is wrong") };
        assert_eq!(fault.code(), 1);
        let said = fault.to_string();
        let wanted =
            "still gives a wrong answer (threads: 1; 40 bodies, uniform, about 7 neighbours)";
        assert!(said.starts_with(wanted) && said.contains("tick 0: body 0 has"), "{said}");
    }

    #[test]
    fn what_would_take_too_long_is_skipped_and_stays_skipped() {
        let mut progress = Progress::new(0, "");
        let mut race = race(&SLOW, 1e-12);
        let rows = race.run(Crowd::new(40), &[(&SLOW, 1)], &mut progress).unwrap();
        let first = rows[0].expected_microseconds_a_tick.unwrap();
        assert_eq!((rows[0].batches, rows[0].microseconds_a_tick), (0, None));
        let rows = race.run(Crowd::new(80), &[(&SLOW, 1)], &mut progress).unwrap();
        let then = rows[0].expected_microseconds_a_tick.unwrap();
        assert!((then / first - 4.0).abs() < 1e-9, "twice the bodies, four times as long: {then}");
    }
}
