//! `flockstep bench`: flockstep against other engines on this machine.

use crate::cli::{BenchArgs, DensityArg, PlacementArg, ThreadsArg};
use crate::console::{Progress, interrupted, say};
use crate::fault::{Fault, Outcome};
use crate::machine;
use crate::output::{Pending, commit_all, require_extension};
use crate::race::{Race, Terms};
use crate::results::{Row, capacity, contestants, kinds};
use crate::scene::nearest;
use flockstep::{Error, Level};
use flockstep_benches::{Crowd, Density, Entry, Placement, all};

const SIZES: [u32; 7] = [32, 128, 512, 2048, 8192, 16_384, 65_536];
const QUICK_SIZES: [u32; 3] = [32, 512, 8192];

/// What `--large` adds.
const LARGE_SIZES: [u32; 2] = [1_000_000, 4_000_000];

/// Seconds an engine is timed with a crowd.
const SECONDS: f64 = 1.0;
const QUICK_SECONDS: f64 = 0.05;

/// Ticks a second that a game wants.
const PACES: [f64; 2] = [60.0, 120.0];

pub(crate) fn bench(args: &BenchArgs) -> Outcome {
    if args.list {
        return list();
    }
    let entries = engines(&args.engines)?;
    let level = args.isa.unwrap_or_else(Level::best);
    if !level.is_available() {
        return Err(Error::LevelMissing(level).into());
    }
    let csv = args.csv.as_deref();
    csv.map_or(Ok(()), |path| require_extension(path, "csv"))?;
    let csv = csv.map(Pending::create).transpose()?.map(csv::Writer::from_writer);
    let (crowds, largest) = crowds(args);
    let mut race = Race::new(Terms {
        entries,
        threads: threads(&args.threads),
        level,
        seconds: args.seconds.unwrap_or(if args.quick { QUICK_SECONDS } else { SECONDS }),
        longest: args.longest,
    })?;
    head(level)?;
    let measurements = crowds.iter().map(|crowd| race.contestants(crowd.bodies, largest).len());
    let mut progress = Progress::new(measurements.sum::<usize>() as u64, "measurements");
    let (mut rows, mut done) = (Vec::new(), 0);
    for &crowd in &crowds {
        let found = race.run(crowd, &race.contestants(crowd.bodies, largest), &mut progress)?;
        if interrupted() {
            // Some of its engines had too few turns, or none.
            break;
        }
        tell(crowd, &found, &progress)?;
        rows.extend(found);
        done += 1;
    }
    progress.finish();
    tell_capacities(&rows)?;
    if let Some(csv) = csv.filter(|_| done > 0) {
        write(csv, &rows)?;
    }
    if done < crowds.len() {
        let crowds = crowds.len();
        let text = format!("interrupted: {done} of {crowds} crowds are complete");
        return Err(Fault::Interrupted(text));
    }
    Ok(())
}

fn list() -> Outcome {
    for entry in all() {
        say(&format!("{:<19} {}", entry.name, entry.about))?;
    }
    Ok(())
}

/// The engines that are asked for, in the order of the table.
fn engines(names: &[String]) -> Outcome<Vec<&'static Entry>> {
    let known = || all().iter().map(|entry| entry.name);
    if let Some(name) = names.iter().find(|name| known().all(|known| known != **name)) {
        let hint = nearest(name, known()).map(|near| format!(", did you mean `{near}`?"));
        let (hint, names) = (hint.unwrap_or_default(), known().collect::<Vec<_>>().join(", "));
        return Err(Fault::Input(format!(
            "no engine is called `{name}`{hint} (there are: {names})"
        )));
    }
    let wanted = |entry: &&Entry| names.is_empty() || names.iter().any(|name| name == entry.name);
    Ok(all().iter().filter(wanted).collect())
}

fn threads(args: &[ThreadsArg]) -> Vec<usize> {
    let counts = args.iter().map(|count| match count {
        ThreadsArg::All => machine::cores(),
        ThreadsArg::These(count) => *count,
    });
    let mut counts: Vec<usize> = counts.collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Every crowd, each kind from small to large, and the largest that is for every engine.
fn crowds(args: &BenchArgs) -> (Vec<Crowd>, usize) {
    let default = if args.quick { &QUICK_SIZES[..] } else { &SIZES };
    let mut sizes = if args.sizes.is_empty() { default.to_vec() } else { args.sizes.clone() };
    let largest = sizes.iter().copied().max().unwrap_or(0) as usize;
    if args.large {
        sizes.extend(LARGE_SIZES);
    }
    sizes.sort_unstable();
    sizes.dedup();
    let placement = |placement: Placement| match placement {
        Placement::Uniform => args.crowds.contains(&PlacementArg::Uniform),
        Placement::Bunched => args.crowds.contains(&PlacementArg::Bunched),
    };
    let density = |density: Density| match density {
        Density::Seven => args.neighbours.contains(&DensityArg::Seven),
        Density::Thirty => args.neighbours.contains(&DensityArg::Thirty),
    };
    let mut crowds = Vec::new();
    for (placement, density) in kinds().filter(|&(p, d)| placement(p) && density(d)) {
        crowds.extend(sizes.iter().map(|&bodies| Crowd {
            bodies: bodies as usize,
            density,
            placement,
        }));
    }
    (crowds, largest)
}

fn head(level: Level) -> Outcome {
    say(&format!(
        "bench: flockstep {} on {}, {} cores, instruction set {level}",
        env!("CARGO_PKG_VERSION"),
        machine::cpu(),
        machine::cores(),
    ))?;
    say("       each answer is checked before it is timed; medians of batches, engines in turn")?;
    say("       x: times flockstep's time; of limit: lane slots against the bare arithmetic's")
}

/// One crowd's table.
fn tell(crowd: Crowd, rows: &[Row], progress: &Progress) -> Outcome {
    let Some(first) = rows.first() else { return Ok(()) };
    let Crowd { bodies, density, placement } = crowd;
    progress.line(&format!(
        "\n{bodies} bodies, {}, about {} neighbours ({:.2})",
        placement.name(),
        density.neighbours(),
        first.neighbours_a_body
    ))?;
    progress.line(
        "  engine              threads   us a tick  ns a body        x       tests  lane slots  \
         G slots/s  of limit",
    )?;
    rows.iter().try_for_each(|row| progress.line(&line(row)))
}

fn line(row: &Row) -> String {
    let Row { engine, threads, .. } = row;
    let Some(micros) = row.microseconds_a_tick else {
        let seconds = row.expected_microseconds_a_tick.unwrap_or(0.0) / 1e6;
        return format!(
            "  {engine:<19} {threads:>7}  skipped: a tick would take some {seconds:.2} s"
        );
    };
    let number = |value: Option<f64>, decimals: usize| {
        value.map_or("-".to_owned(), |value| format!("{value:.decimals$}"))
    };
    let count = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    format!(
        "  {engine:<19} {threads:>7} {micros:>11.2} {:>10} {:>8} {:>11} {:>11} {:>10} {:>9}",
        number(row.ns_a_body, 2),
        number(row.ratio_to_flockstep, 2),
        count(row.distance_tests_a_tick),
        count(row.lane_slots_a_tick),
        number(row.lane_slots_a_second.map(|rate| rate / 1e9), 2),
        row.share_of_limit.map_or("-".to_owned(), |share| format!("{:.0} %", share * 100.0)),
    )
}

/// Each engine's largest crowds at the paces of games.
fn tell_capacities(rows: &[Row]) -> Outcome {
    let kinds: Vec<_> = kinds().filter(|&(p, d)| rows.iter().any(|row| row.stands(p, d))).collect();
    if kinds.is_empty() {
        return Ok(());
    }
    let [slow, fast] = PACES;
    say(&format!("\nThe largest crowd at {slow} and at {fast} ticks a second"))?;
    say(
        "(on a straight line, in logarithms, between two measured sizes; > or <: than any measured)",
    )?;
    let columns =
        |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:>19}")).collect::<String>();
    let titles = kinds.iter().map(|(p, d)| format!("{}, {}", p.name(), d.neighbours()));
    say(&format!("  engine              threads{}", columns(titles.collect())))?;
    for (engine, threads) in contestants(rows) {
        let cells = kinds.iter().map(|&(placement, density)| {
            let mine = |row: &&Row| {
                row.engine == engine && row.threads == threads && row.stands(placement, density)
            };
            let rows: Vec<&Row> = rows.iter().filter(mine).collect();
            PACES.map(|pace| format!("{:>9}", capacity(&rows, pace))).concat()
        });
        say(&format!("  {engine:<19} {threads:>7}{}", columns(cells.collect())))?;
    }
    Ok(())
}

fn write(mut csv: csv::Writer<Pending>, rows: &[Row]) -> Outcome {
    for row in rows {
        csv.serialize(row).map_err(|error| Fault::Failed(error.to_string()))?;
    }
    let file = csv.into_inner().map_err(|error| Fault::Failed(error.error().to_string()))?;
    let path = file.path().to_owned();
    commit_all(vec![file.complete()?])?;
    say(&format!("wrote {}", path.display()))
}
