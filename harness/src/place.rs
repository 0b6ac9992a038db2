//! Putting a kind's bodies into the world. docs/scenes.md, "Draws", says how each number comes
//! from ChaCha8 words.

use crate::fault::Fault;
use crate::input::read_file;
use crate::scene::KindText;
use flockstep::{Config, Edge, Spawn};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde::Deserialize;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

/// The most bodies of one kind.
const MOST_BODIES: u64 = 1 << 24;

/// The fastest start along a drawn heading.
const FASTEST_DRAWN: f32 = 9.999_999e8;

/// How often a place outside the world is drawn again before the scene is refused.
const REDRAWS: usize = 1000;

/// How bodies are placed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum How {
    /// Anywhere in the world.
    #[default]
    Uniform,
    /// Anywhere in a rectangle.
    Rectangle { low: [f32; 2], high: [f32; 2] },
    /// Around a point, normally distributed along each axis.
    Normal { centre: [f32; 2], deviation: f32 },
    /// Evenly in a disc.
    Disc { centre: [f32; 2], radius: f32 },
    /// In rows and columns that fill the world.
    Lattice,
    /// One by one, as x, y, vx, vy.
    List(Vec<[f32; 4]>),
    /// From a file with the header `x,y,vx,vy`; other columns are passed over.
    Csv(PathBuf),
}

impl How {
    /// Whether the bodies are given one by one, so that there is nothing to count.
    fn is_listed(&self) -> bool {
        matches!(self, Self::List(_) | Self::Csv(_))
    }
}

/// Bodies to be added.
pub(crate) struct Placed {
    pub spawns: Vec<Spawn>,
    /// Where each came from, if from a file.
    pub origins: Option<Origins>,
}

/// The lines of a file that bodies came from.
pub(crate) struct Origins {
    file: String,
    lines: Vec<u64>,
}

impl Origins {
    /// File and line of a body, by its place in the list.
    pub(crate) fn line(&self, body: usize) -> String {
        format!("{}:{}", self.file, self.lines[body])
    }
}

/// Why bodies cannot be placed.
pub(crate) enum Refusal {
    /// The scene's placement is at fault.
    Scene(String),
    /// Another file is.
    Elsewhere(Fault),
}

/// Refuses placements that cannot work, with their path in the scene.
pub(crate) fn check(kinds: &[KindText], config: &Config) -> Result<(), (String, String)> {
    for (index, kind) in kinds.iter().enumerate() {
        let refuse = |key: &str, why: String| Err((format!("kind[{index}]{key}"), why));
        match &kind.count {
            None if !kind.place.is_listed() => {
                return refuse("", "count is missing: how many bodies of this kind?".to_owned());
            }
            Some(count) if *count.get_ref() > MOST_BODIES => {
                let why = format!("count is {}; allowed: 0 to {MOST_BODIES}", count.get_ref());
                return refuse(".count", why);
            }
            Some(_) if kind.place.is_listed() => {
                return refuse(".count", "count is decided by the listed bodies".to_owned());
            }
            _ => {}
        }
        let speed = kind.start_speed.as_ref().map(|speed| *speed.get_ref());
        if let Some(speed) = speed.filter(|speed| !(0.0..=1e9).contains(speed)) {
            let why = format!("start_speed is {speed:?}; allowed: 0 to 1e9");
            return refuse(".start_speed", why);
        }
        let heading = kind.heading.as_ref().map(|heading| *heading.get_ref());
        if let Some(heading) = heading.filter(|heading| !(-360.0..=360.0).contains(heading)) {
            let why = format!("heading is {heading:?}; allowed: -360 to 360 degrees");
            return refuse(".heading", why);
        }
        check_shape(&kind.place, config).or_else(|why| refuse(".place", why))?;
    }
    Ok(())
}

fn check_shape(how: &How, config: &Config) -> Result<(), String> {
    let numbers = match how {
        How::Uniform | How::Lattice | How::List(_) | How::Csv(_) => return Ok(()),
        How::Rectangle { low, high } => {
            let inside = |axis: usize| {
                let extent = config.world.size[axis];
                low[axis] <= high[axis]
                    && (config.world.edges[axis] == Edge::Open
                        || (low[axis] >= 0.0 && high[axis] <= extent))
            };
            if !(inside(0) && inside(1)) {
                return Err(format!(
                    "the rectangle from {low:?} to {high:?} does not lie in the world"
                ));
            }
            [low[0], low[1], high[0], high[1]]
        }
        How::Normal { centre, deviation: spread } | How::Disc { centre, radius: spread } => {
            if *spread < 0.0 {
                return Err(format!("{spread:?} in place; allowed: 0 or more"));
            }
            [centre[0], centre[1], *spread, 0.0]
        }
    };
    match numbers.iter().find(|number| !(-1e9..=1e9).contains(*number)) {
        Some(number) => Err(format!("{number:?} in place; allowed: finite, at most 1e9")),
        None => Ok(()),
    }
}

/// The bodies of one kind. Each kind draws from its own stream of the seed, so that a change to one
/// kind moves no other.
pub(crate) fn place(
    kind: &KindText,
    index: u8,
    config: &Config,
    directory: &Path,
) -> Result<Placed, Refusal> {
    let spawn = |position, velocity| Spawn { position, velocity, kind: index, gait: None };
    match &kind.place {
        How::List(bodies) => {
            let spawns = bodies.iter().map(|&[x, y, vx, vy]| spawn([x, y], [vx, vy])).collect();
            return Ok(Placed { spawns, origins: None });
        }
        How::Csv(file) => {
            let path = directory.join(file);
            let (bodies, lines) = read_csv(&path, index).map_err(Refusal::Elsewhere)?;
            let spawns = bodies.into_iter().map(|[x, y, vx, vy]| spawn([x, y], [vx, vy])).collect();
            let file = path.display().to_string();
            return Ok(Placed { spawns, origins: Some(Origins { file, lines }) });
        }
        _ => {}
    }
    let count = kind.count.as_ref().map_or(0, |count| *count.get_ref());
    let mut draw = Draw::new(config.seed, index);
    let speed = kind.start_speed.as_ref().map(|speed| *speed.get_ref());
    let speed = speed.unwrap_or(config.kinds[usize::from(index)].gait.max_speed);
    // Both parts of the fastest velocity round, and it must not become longer than 1e9.
    let speed = speed.min(FASTEST_DRAWN);
    let mut spawns = Vec::new();
    for at in 0..count {
        let position = position(&kind.place, at, count, config, &mut draw)?;
        let heading = match &kind.heading {
            Some(degrees) => f64::from(*degrees.get_ref()) / 360.0,
            None => f64::from(draw.unit()),
        };
        spawns.push(spawn(position, towards(heading, speed)));
    }
    Ok(Placed { spawns, origins: None })
}

/// Speed along a heading in turns from +x towards +y.
fn towards(turns: f64, speed: f32) -> [f32; 2] {
    let angle = turns * TAU;
    [libm::cos(angle), libm::sin(angle)].map(|part| (part * f64::from(speed)) as f32)
}

fn position(
    how: &How,
    at: u64,
    count: u64,
    config: &Config,
    draw: &mut Draw,
) -> Result<[f32; 2], Refusal> {
    let size = config.world.size;
    let inside = |position: &[f32; 2]| {
        [0, 1].into_iter().all(|axis| {
            config.world.edges[axis] == Edge::Open || (0.0..=size[axis]).contains(&position[axis])
        })
    };
    let mut one = || match how {
        How::Rectangle { low, high } => draw.within(*low, *high),
        How::Normal { centre, deviation } => draw.normal(*centre, *deviation),
        How::Disc { centre, radius } => draw.in_disc(*centre, *radius),
        How::Lattice => lattice(at, count, size),
        How::Uniform | How::List(_) | How::Csv(_) => draw.within([0.0; 2], size),
    };
    (0..REDRAWS).map(|_| one()).find(inside).ok_or_else(|| {
        Refusal::Scene(format!("{REDRAWS} places drawn one after another lie outside the world"))
    })
}

/// The middle of cell `at` of a lattice of at least `count` cells that fills the world.
fn lattice(at: u64, count: u64, size: [f32; 2]) -> [f32; 2] {
    let [width, height] = size.map(f64::from);
    let cols = (count as f64 * width / height).sqrt().ceil().max(1.0) as u64;
    let cols = cols.min(count);
    let rows = count.div_ceil(cols);
    let middle = |place: u64, places: u64, extent: f64| {
        ((place as f64 + 0.5) / places as f64 * extent) as f32
    };
    [middle(at % cols, cols, width), middle(at / cols, rows, height)]
}

/// Numbers drawn from one kind's stream.
struct Draw(ChaCha8Rng);

impl Draw {
    fn new(seed: u64, stream: u8) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut words = ChaCha8Rng::from_seed(key);
        words.set_stream(stream.into());
        Self(words)
    }

    /// On a grid of 2^24 points in [0, 1): the upper 24 bits of a word.
    fn unit(&mut self) -> f32 {
        (self.0.next_u32() >> 8) as f32 / 16_777_216.0
    }

    fn within(&mut self, low: [f32; 2], high: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| low[axis] + (high[axis] - low[axis]) * self.unit())
    }

    /// Two normal numbers by Box and Muller's transform, in f64.
    fn normal(&mut self, centre: [f32; 2], deviation: f32) -> [f32; 2] {
        let (u, turns) = (1.0 - f64::from(self.unit()), f64::from(self.unit()));
        let length = (-2.0 * libm::log(u)).sqrt() * f64::from(deviation);
        polar(centre, length, turns)
    }

    fn in_disc(&mut self, centre: [f32; 2], radius: f32) -> [f32; 2] {
        let (share, turns) = (f64::from(self.unit()), f64::from(self.unit()));
        polar(centre, share.sqrt() * f64::from(radius), turns)
    }
}

fn polar(centre: [f32; 2], length: f64, turns: f64) -> [f32; 2] {
    let angle = turns * TAU;
    let [x, y] = centre.map(f64::from);
    [(x + length * libm::cos(angle)) as f32, (y + length * libm::sin(angle)) as f32]
}

/// x, y, vx and vy of every row, and the rows' lines. If there is a column `kind`, the rows of other
/// kinds are passed over.
fn read_csv(path: &Path, kind: u8) -> Result<(Vec<[f32; 4]>, Vec<u64>), Fault> {
    let name = path.display();
    let text =
        read_file(path).map_err(|error| Fault::Input(format!("cannot read {name}: {error}")))?;
    let mut lines = Lines::new(&text);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&text[..]);
    let header = reader.headers().map_err(|error| csv_fault(path, &error, &mut lines))?.clone();
    let column = |wanted: &str| {
        // Some programs begin a text file with a byte-order mark.
        header.iter().position(|name| name.trim_start_matches('\u{feff}') == wanted)
    };
    let mut columns = [0; 4];
    for (at, wanted) in columns.iter_mut().zip(FIELDS) {
        *at = column(wanted).ok_or_else(|| {
            let header = header.iter().collect::<Vec<_>>().join(",");
            let found = if header.is_empty() { "it is empty".to_owned() } else { header };
            let wanted = format!("column {wanted} is missing (wanted: {})", FIELDS.join(","));
            Fault::Input(format!("{name}:1: {wanted}; the header: {found}"))
        })?;
    }
    let kind_column = column("kind");
    let (mut bodies, mut origins) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| csv_fault(path, &error, &mut lines))?;
        let line = record.position().map_or(0, |position| lines.at(position));
        if kind_column.is_some_and(|column| record[column].parse() != Ok(kind)) {
            continue;
        }
        let mut body = [0.0; 4];
        for (value, (column, field)) in body.iter_mut().zip(columns.iter().zip(FIELDS)) {
            let text = &record[*column];
            *value = text.parse().map_err(|_| {
                Fault::Input(format!("{name}:{line}: {field} is {text:?}; allowed: a number"))
            })?;
        }
        bodies.push(body);
        origins.push(line);
        if bodies.len() as u64 > MOST_BODIES {
            return Err(Fault::Input(format!("{name}: more than {MOST_BODIES} bodies")));
        }
    }
    Ok((bodies, origins))
}

/// The columns that are read.
const FIELDS: [&str; 4] = ["x", "y", "vx", "vy"];

/// Finds the lines of ascending positions: the parser's own count is off by one after CRLF.
struct Lines<'a> {
    text: &'a [u8],
    seen: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, seen: 0, line: 1 }
    }

    /// The line on which the record that was found here begins.
    fn at(&mut self, position: &csv::Position) -> u64 {
        let found = (position.byte() as usize).max(self.seen);
        let blank = self.text[found..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let breaks = self.text[self.seen..found + blank].iter().filter(|&&byte| byte == b'\n');
        self.line += breaks.count() as u64;
        self.seen = found + blank;
        self.line
    }
}

/// What is wrong with a CSV file, at its line.
fn csv_fault(path: &Path, error: &csv::Error, lines: &mut Lines<'_>) -> Fault {
    let line = error.position().map_or(1, |position| lines.at(position));
    let why = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} columns where the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "not UTF-8 text".to_owned(),
        _ => error.to_string(),
    };
    Fault::Input(format!("{}:{line}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stream is part of what a seed means: these words must never change.
    #[test]
    fn draws_are_what_the_docs_say() {
        let mut words = Draw::new(5, 0);
        let first: Vec<u32> = (0..3).map(|_| words.0.next_u32()).collect();
        let mut draw = Draw::new(5, 0);
        for word in &first {
            assert_eq!(draw.unit(), (word >> 8) as f32 / 16_777_216.0);
        }
        assert_ne!(Draw::new(5, 1).0.next_u32(), first[0]);
        assert_ne!(Draw::new(6, 0).0.next_u32(), first[0]);
        assert_eq!(first, [3_888_266_880, 3_588_025_681, 1_050_581_674]);
    }

    #[test]
    fn draws_follow_their_distributions() {
        let mut draw = Draw::new(1, 0);
        let n = 20_000;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let normal: Vec<f64> =
            (0..n).map(|_| f64::from(draw.normal([10.0, 0.0], 2.0)[0])).collect();
        let squares: Vec<f64> = normal.iter().map(|x| (x - 10.0) * (x - 10.0)).collect();
        assert!((mean(&normal) - 10.0).abs() < 0.05 && (mean(&squares) - 4.0).abs() < 0.15);
        let disc: Vec<f64> = (0..n)
            .map(|_| {
                let [x, y] = draw.in_disc([0.0, 0.0], 1.0).map(f64::from);
                x * x + y * y
            })
            .collect();
        assert!(disc.iter().all(|q| *q <= 1.0 + 1e-6) && (mean(&disc) - 0.5).abs() < 0.02);
    }

    #[test]
    fn a_lattice_is_even() {
        let places: Vec<[f32; 2]> = (0..6).map(|at| lattice(at, 6, [30.0, 20.0])).collect();
        assert_eq!(
            places,
            [[5.0, 5.0], [15.0, 5.0], [25.0, 5.0], [5.0, 15.0], [15.0, 15.0], [25.0, 15.0]]
        );
    }
}
