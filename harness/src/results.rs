//! Results of a race: one row an engine, crowd and number of threads; as CSV, and what follows.

use crate::fault::{Fault, Outcome};
use crate::input::read_file;
use flockstep_benches::{Crowd, Density, Placement, Work};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A row of the CSV. What was not measured, or is not known of an engine, is empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub cpu: String,
    /// The instruction set that flockstep used.
    pub isa: String,
    pub engine: String,
    pub threads: usize,
    /// `uniform` or `bunched`.
    pub placement: String,
    /// About how many neighbours the crowd is named for.
    pub neighbours: u32,
    pub bodies: usize,
    pub status: Status,
    /// The median over batches.
    pub microseconds_a_tick: Option<f64>,
    pub fastest_batch: Option<f64>,
    pub slowest_batch: Option<f64>,
    pub batches: usize,
    /// What made it be skipped.
    pub expected_microseconds_a_tick: Option<f64>,
    pub ns_a_body: Option<f64>,
    /// Times the time of flockstep, on the fewest threads it was timed on.
    pub ratio_to_flockstep: Option<f64>,
    /// How many neighbours there really are.
    pub neighbours_a_body: f64,
    pub distance_tests_a_tick: Option<u64>,
    pub lane_slots_a_tick: Option<u64>,
    pub lane_slots_a_second: Option<f64>,
    /// Lane slots a second as a share of what the bare arithmetic would allow on these threads.
    pub share_of_limit: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Measured,
    /// One tick would have taken too long.
    Skipped,
}

/// How a measurement went.
pub(crate) enum Timing {
    /// Seconds a tick, one entry a batch; at least one.
    Batches(Vec<f64>),
    /// Seconds that a tick would take.
    Skipped(f64),
}

/// What was raced where.
pub(crate) struct Setting<'a> {
    pub cpu: &'a str,
    pub isa: &'a str,
    pub crowd: Crowd,
    pub neighbours_a_body: f64,
    /// Lane slots a second of one thread, at most.
    pub limit: f64,
}

impl Row {
    pub(crate) fn new(
        setting: &Setting<'_>,
        engine: &str,
        threads: usize,
        timing: Timing,
        work: Work,
    ) -> Self {
        let Crowd { bodies, density, placement } = setting.crowd;
        let (mut batches, expected) = match timing {
            Timing::Batches(batches) => (batches, None),
            Timing::Skipped(expected) => (Vec::new(), Some(expected)),
        };
        batches.sort_by(f64::total_cmp);
        let median = median(&batches);
        let rate = median.and_then(|tick| Some(work.lane_slots? as f64 / tick));
        let micros = |seconds: f64| seconds * 1e6;
        Self {
            cpu: setting.cpu.to_owned(),
            isa: setting.isa.to_owned(),
            engine: engine.to_owned(),
            threads,
            placement: placement.name().to_owned(),
            neighbours: density.neighbours(),
            bodies,
            status: if median.is_some() { Status::Measured } else { Status::Skipped },
            microseconds_a_tick: median.map(micros),
            fastest_batch: batches.first().copied().map(micros),
            slowest_batch: batches.last().copied().map(micros),
            batches: batches.len(),
            expected_microseconds_a_tick: expected.map(micros),
            ns_a_body: median.map(|tick| tick * 1e9 / bodies as f64),
            ratio_to_flockstep: None,
            neighbours_a_body: setting.neighbours_a_body,
            distance_tests_a_tick: work.distance_tests,
            lane_slots_a_tick: work.lane_slots,
            lane_slots_a_second: rate,
            share_of_limit: rate.map(|rate| rate / (setting.limit * threads as f64)),
        }
    }

    /// Whether it is of the same kind of crowd, whatever its size.
    pub(crate) fn stands(&self, placement: Placement, density: Density) -> bool {
        self.placement == placement.name() && self.neighbours == density.neighbours()
    }
}

/// Every kind of crowd.
pub(crate) fn kinds() -> impl Iterator<Item = (Placement, Density)> {
    let densities = |placement| Density::ALL.map(|density| (placement, density));
    Placement::ALL.into_iter().flat_map(densities)
}

/// Engines with their numbers of threads, in the order of the rows.
pub(crate) fn contestants<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<(&'a str, usize)> {
    let mut who = Vec::new();
    for row in rows {
        let this = (&row.engine[..], row.threads);
        if !who.contains(&this) {
            who.push(this);
        }
    }
    who
}

/// The middle of sorted values, or between the two in the middle.
fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// Compares one crowd's rows with those of `own`, on the fewest threads it was timed on.
pub(crate) fn compare(rows: &mut [Row], own: &str) {
    let mine = rows.iter().filter(|row| row.engine == own && row.microseconds_a_tick.is_some());
    let Some(base) = mine.min_by_key(|row| row.threads).and_then(|row| row.microseconds_a_tick)
    else {
        return;
    };
    for row in rows {
        row.ratio_to_flockstep = row.microseconds_a_tick.map(|micros| micros / base);
    }
}

/// The largest crowd that still reaches so many ticks a second, by the rows of one engine in one
/// kind of crowd in ascending size: on the straight line, in logarithms, between the two measured
/// sizes around it; `>` the largest measured, if that is still fast enough, `<` the smallest, if not
/// even that is.
pub(crate) fn capacity(rows: &[&Row], ticks_a_second: f64) -> String {
    let limit = 1e6 / ticks_a_second;
    let measured = rows.iter().filter_map(|row| Some((row.bodies, row.microseconds_a_tick?)));
    let measured: Vec<(usize, f64)> = measured.collect();
    match measured.iter().rposition(|&(_, micros)| micros <= limit) {
        None => measured.first().map_or("-".to_owned(), |(bodies, _)| format!("<{bodies}")),
        Some(at) if at + 1 == measured.len() => format!(">{}", measured[at].0),
        Some(at) => {
            let [(few, fast), (many, slow)] = [measured[at], measured[at + 1]];
            let along = libm::log(limit / fast) / libm::log(slow / fast);
            let bodies = few as f64 * libm::pow(many as f64 / few as f64, along);
            format!("{bodies:.0}")
        }
    }
}

/// Reads what `bench --csv` wrote.
pub(crate) fn read(path: &Path) -> Outcome<Vec<Row>> {
    let refuse = |why: String| Fault::Input(format!("cannot read {}: {why}", path.display()));
    let bytes = read_file(path).map_err(|error| refuse(error.to_string()))?;
    let rows: Result<Vec<Row>, _> = csv::Reader::from_reader(&bytes[..]).deserialize().collect();
    rows.map_err(|error| refuse(format!("not results of `flockstep bench`: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(engine: &str, threads: usize, bodies: usize, timing: Timing) -> Row {
        let crowd = Crowd::new(bodies);
        let setting = Setting { cpu: "c", isa: "i", crowd, neighbours_a_body: 7.0, limit: 2e9 };
        let work = Work { distance_tests: None, lane_slots: Some(3000) };
        Row::new(&setting, engine, threads, timing, work)
    }

    fn timed(engine: &str, threads: usize, bodies: usize, micros: f64) -> Row {
        row(engine, threads, bodies, Timing::Batches(vec![micros * 1e-6]))
    }

    #[test]
    fn a_row_holds_the_median_and_what_follows_from_it() {
        let found = row("a", 2, 500, Timing::Batches(vec![4e-6, 1e-6, 2e-6, 3e-6]));
        let near = |found: Option<f64>, wanted: f64| (found.unwrap() / wanted - 1.0).abs() < 1e-9;
        assert!(near(found.microseconds_a_tick, 2.5));
        assert!(near(found.fastest_batch, 1.0) && near(found.slowest_batch, 4.0));
        assert!(near(found.ns_a_body, 5.0));
        assert!(near(found.lane_slots_a_second, 1.2e9) && near(found.share_of_limit, 0.3));
        let skipped = row("a", 1, 500, Timing::Skipped(2.0));
        assert_eq!(skipped.status, Status::Skipped);
        assert_eq!(skipped.microseconds_a_tick, None);
        assert_eq!(skipped.expected_microseconds_a_tick, Some(2e6));
    }

    #[test]
    fn ratios_are_to_flockstep_on_the_fewest_threads() {
        let mut rows = [timed("own", 2, 9, 2.0), timed("own", 1, 9, 4.0), timed("b", 1, 9, 8.0)];
        compare(&mut rows, "own");
        let found = rows.map(|row| row.ratio_to_flockstep.unwrap());
        assert!((found[0] - 0.5).abs() < 1e-9 && (found[2] - 2.0).abs() < 1e-9, "{found:?}");
        let mut alone = [timed("b", 1, 9, 8.0)];
        compare(&mut alone, "own");
        assert_eq!(alone[0].ratio_to_flockstep, None);
    }

    #[test]
    fn capacity_lies_on_the_line_between_two_sizes() {
        let rows =
            [timed("a", 1, 100, 100.0), timed("a", 1, 400, 1600.0), timed("a", 1, 800, 6400.0)];
        let rows: Vec<&Row> = rows.iter().collect();
        // Four times the time for twice the bodies: 400 us at 200 bodies.
        assert_eq!(capacity(&rows, 2500.0), "200");
        assert_eq!(capacity(&rows, 10.0), ">800");
        assert_eq!(capacity(&rows, 1e6), "<100");
        assert_eq!(capacity(&[], 60.0), "-");
    }

    #[test]
    fn rows_read_back() {
        let rows = [timed("a", 1, 100, 1.0 / 3.0), row("b", 1, 7, Timing::Skipped(1.5))];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let mut writer = csv::Writer::from_path(&path).unwrap();
        rows.iter().for_each(|row| writer.serialize(row).unwrap());
        writer.flush().unwrap();
        assert_eq!(read(&path).unwrap(), rows);
    }
}
