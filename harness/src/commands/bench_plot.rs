//! `flockstep bench-plot`: the results of a race, drawn.

use super::write;
use crate::cli::BenchPlotArgs;
use crate::console::say;
use crate::fault::{Fault, Outcome};
use crate::output::{Pending, commit_all};
use crate::plot::{Chart, Line, Look};
use crate::results::{Row, contestants, kinds, read};
use flockstep_benches::all;
use std::fs;

/// The paces that are marked in charts of ticks a second.
const PACES: [(f64, &str); 2] = [(60.0, "60 a second"), (120.0, "120 a second")];

pub(crate) fn bench_plot(args: &BenchPlotArgs) -> Outcome {
    let rows = read(&args.results)?;
    let of = |row: &Row| format!("{} with {}", row.cpu, row.isa);
    if let Some(other) = rows.iter().map(of).find(|other| *other != of(&rows[0])) {
        let (name, first) = (args.results.display(), of(&rows[0]));
        return Err(Fault::Input(format!(
            "{name} holds results of {first} and of {other}: draw one machine and instruction set at a time"
        )));
    }
    let charts = charts(&rows);
    if charts.is_empty() {
        let name = args.results.display();
        return Err(Fault::Input(format!("{name} has no measurement to draw")));
    }
    fs::create_dir_all(&args.out).map_err(|error| {
        Fault::Input(format!("cannot make the folder {}: {error}", args.out.display()))
    })?;
    let mut complete = Vec::new();
    for (name, chart) in &charts {
        let svg = chart.svg().map_err(Fault::Failed)?;
        complete.push(write(Pending::create(&args.out.join(name))?, svg.as_bytes())?);
    }
    commit_all(complete)?;
    charts.iter().try_for_each(|(name, _)| say(&format!("wrote {}", args.out.join(name).display())))
}

/// Every chart that these rows can fill, with its file's name.
fn charts(rows: &[Row]) -> Vec<(String, Chart<'static>)> {
    let mut charts = Vec::new();
    let mut threads = Vec::new();
    for (kind, (placement, density)) in kinds().enumerate() {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.stands(placement, density)).collect();
        let (place, neighbours) = (placement.name(), density.neighbours());
        let crowd = format!("{place}, about {neighbours} neighbours");
        for (file, title, y, marked, value) in QUANTITIES {
            let lines = lines(&rows, value);
            if !lines.is_empty() {
                let title = format!("{title}: {crowd}");
                let chart = Chart { title, x: "bodies", y, marked, lines };
                charts.push((format!("{file}-{place}-{neighbours}.svg"), chart));
            }
        }
        threads.extend(own_lines(&rows, &format!("{place}, {neighbours}"), kind));
    }
    if threads.iter().any(|line| line.look.mark > 0) {
        let title = "flockstep by number of threads".to_owned();
        let y = "nanoseconds a body and tick";
        let chart = Chart { title, x: "bodies", y, marked: &[], lines: threads };
        charts.push(("threads.svg".to_owned(), chart));
    }
    charts
}

/// What is drawn of every kind of crowd: file, title, axis, marked heights, and the row's value.
type Quantity = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(f64, &'static str)],
    fn(&Row) -> Option<f64>,
);

const QUANTITIES: [Quantity; 2] = [
    ("ns-a-body", "Time a body", "nanoseconds a body and tick", &[], |row| row.ns_a_body),
    ("ticks-a-second", "Ticks a second", "ticks a second", &PACES, |row| {
        row.microseconds_a_tick.map(|micros| 1e6 / micros)
    }),
];

/// A line for every engine and number of threads in these rows.
fn lines(rows: &[&Row], value: fn(&Row) -> Option<f64>) -> Vec<Line> {
    let who = contestants(rows.iter().copied());
    let line = |&(engine, threads): &(&str, usize)| {
        let mut relatives = who.iter().filter(|(other, _)| *other == engine);
        let alone = relatives.clone().count() == 1;
        let rank = relatives.position(|(_, other)| *other == threads).unwrap_or(0);
        let Look { colour, mark } = look(engine);
        Line {
            name: if alone { engine.to_owned() } else { on_threads(engine, threads) },
            look: Look { colour, mark: mark + rank },
            points: points(rows, engine, threads, value),
        }
    };
    who.iter().map(line).filter(|line| !line.points.is_empty()).collect()
}

/// flockstep's own lines, one a number of threads, in the colour of this kind of crowd.
fn own_lines(rows: &[&Row], crowd: &str, kind: usize) -> Vec<Line> {
    let own = |name: &str| all().iter().any(|entry| entry.own && entry.name == name);
    let who =
        contestants(rows.iter().copied()).into_iter().filter(|(engine, _)| own(engine)).enumerate();
    let line = |(rank, (engine, threads))| Line {
        name: on_threads(crowd, threads),
        look: Look { colour: kind, mark: rank },
        points: points(rows, engine, threads, |row| row.ns_a_body),
    };
    who.map(line).filter(|line| !line.points.is_empty()).collect()
}

fn on_threads(name: &str, threads: usize) -> String {
    let noun = if threads == 1 { "thread" } else { "threads" };
    format!("{name}, {threads} {noun}")
}

/// Bodies and a value of one contestant's rows, ascending.
fn points(
    rows: &[&Row],
    engine: &str,
    threads: usize,
    value: fn(&Row) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let mine = rows.iter().filter(|row| row.engine == engine && row.threads == threads);
    let points = mine.filter_map(|row| Some((row.bodies as f64, value(row)?)));
    let mut points: Vec<_> = points.filter(|(x, y)| *x > 0.0 && *y > 0.0).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Engines of one family (what stands before the first hyphen) share a colour; each has a mark of
/// its own.
fn look(engine: &str) -> Look {
    fn family(name: &str) -> &str {
        name.split('-').next().unwrap_or(name)
    }
    let mut families: Vec<&str> = Vec::new();
    for entry in all() {
        if !families.contains(&family(entry.name)) {
            families.push(family(entry.name));
        }
    }
    let colour = families.iter().position(|it| *it == family(engine)).unwrap_or(families.len());
    let mut relatives = all().iter().filter(|entry| family(entry.name) == family(engine));
    let mark = relatives.position(|entry| entry.name == engine).unwrap_or(0);
    Look { colour, mark }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::COLOURS;

    #[test]
    fn every_engine_looks_different_and_families_share_a_colour() {
        let looks: Vec<Look> = all().iter().map(|entry| look(entry.name)).collect();
        for (k, look) in looks.iter().enumerate() {
            assert!(!looks[..k].contains(look), "{}", all()[k].name);
            assert!(look.colour < COLOURS, "{} needs a colour of its own", all()[k].name);
        }
        assert_eq!(look("quadtree").colour, look("quadtree-pooled").colour);
    }
}
