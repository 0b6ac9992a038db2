//! Putting bodies into the world. docs/scenes.md, "Draws", says how each number comes from ChaCha8
//! words.

use crate::scene::{Refusal, Rows, Wanted, read_rows};
use flockstep::{Config, Edge, Error, Flock, Spawn};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde::Deserialize;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

/// The most bodies of one kind, and of all events.
pub(crate) const MOST_BODIES: u64 = 1 << 24;

/// The fastest start along a drawn heading.
const FASTEST_DRAWN: f32 = 9.999_999e8;

/// How often a place outside the world is drawn again before the scene is refused.
const REDRAWS: usize = 1000;

/// Bodies in a file.
const BODIES: Wanted<4> = Wanted {
    columns: ["x", "y", "vx", "vy"],
    allowed: None,
    kind: None,
    most: MOST_BODIES,
    rows: "bodies",
};

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
    Normal { centre: [f32; 2], deviation: Deviation },
    /// Evenly in a disc.
    Disc { centre: [f32; 2], radius: f32 },
    /// In rows and columns that fill the world.
    Lattice,
    /// One by one, as x, y, vx, vy.
    List(Vec<[f32; 4]>),
    /// From a file with the header `x,y,vx,vy`; other columns are passed over.
    Csv(PathBuf),
}

/// The same along both axes, or one for each.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number or a pair of numbers")]
pub(crate) enum Deviation {
    Both(f32),
    Each([f32; 2]),
}

impl Deviation {
    fn each(self) -> [f32; 2] {
        match self {
            Self::Both(both) => [both; 2],
            Self::Each(each) => each,
        }
    }
}

impl How {
    /// Whether the bodies are given one by one, so that there is nothing to count.
    fn is_listed(&self) -> bool {
        matches!(self, Self::List(_) | Self::Csv(_))
    }

    /// The file that bodies are read from.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Csv(file) => Some(file),
            _ => None,
        }
    }
}

/// Bodies of one kind that are placed together, as the scene asks for them.
pub(crate) struct Crowd<'a> {
    /// Where the scene asks for them: `kind[0]`.
    pub path: String,
    pub count: Option<u64>,
    pub place: &'a How,
    pub start_speed: Option<f32>,
    pub heading: Option<f32>,
    /// The kind's index.
    pub kind: u8,
    /// The number of the stream that they are drawn from.
    pub stream: u64,
}

/// Bodies to be added.
pub(crate) struct Placed {
    pub spawns: Vec<Spawn>,
    origin: Origin,
}

/// Where bodies came from, to find the one that is refused.
enum Origin {
    /// A file with a line for each.
    File(String, Vec<u64>),
    /// What stands in the scene, at this path.
    Scene(String),
}

impl Placed {
    /// Adds them to a flock.
    pub(crate) fn add_to(&self, flock: &mut Flock) -> Result<(), Refusal> {
        flock.add_all(&self.spawns).map(|_| ()).map_err(|error| match (&self.origin, error) {
            (Origin::File(file, lines), Error::Body { body, field, value, allowed }) => {
                let why = format!("{field} is {value:?}; allowed: {allowed}");
                Refusal::of_file(file, lines[body], &why)
            }
            (Origin::Scene(path), Error::Body { body, field, value, allowed }) => {
                let path = format!("{path}.place.list[{body}]");
                let why = format!("{path}: {field} is {value:?}; allowed: {allowed}");
                Refusal::at(path, why)
            }
            (_, error) => error.into(),
        })
    }
}

impl Crowd<'_> {
    /// Refuses what cannot be placed.
    pub(crate) fn check(&self, config: &Config) -> Result<(), Refusal> {
        let refuse = |key: &str, why: String| {
            let path = format!("{}{key}", self.path);
            Err(Refusal::at(path.clone(), format!("{path} {why}")))
        };
        match self.count {
            None if !self.place.is_listed() => {
                return refuse("", "lacks a count: how many bodies?".to_owned());
            }
            Some(_) if self.place.is_listed() => {
                return refuse(".count", "is decided by the listed bodies".to_owned());
            }
            Some(count) if count > MOST_BODIES => {
                return refuse(".count", format!("is {count}; allowed: 0 to {MOST_BODIES}"));
            }
            _ => {}
        }
        if let Some(speed) = self.start_speed.filter(|speed| !(0.0..=1e9).contains(speed)) {
            return refuse(".start_speed", format!("is {speed:?}; allowed: 0 to 1e9"));
        }
        if let Some(heading) = self.heading.filter(|it| !(-360.0..=360.0).contains(it)) {
            return refuse(".heading", format!("is {heading:?}; allowed: -360 to 360 degrees"));
        }
        check_shape(self.place, config).or_else(|why| refuse(".place", why))
    }

    /// The bodies. Those of a kind draw from a stream of their own, so that a change to one kind
    /// moves no other.
    pub(crate) fn place(&self, config: &Config, directory: &Path) -> Result<Placed, Refusal> {
        let kind = self.kind;
        let spawn = |position, velocity| Spawn { position, velocity, kind, gait: None };
        let listed = |&[x, y, vx, vy]: &[f32; 4]| spawn([x, y], [vx, vy]);
        match self.place {
            How::List(bodies) => Ok(Placed {
                spawns: bodies.iter().map(listed).collect(),
                origin: Origin::Scene(self.path.clone()),
            }),
            How::Csv(file) => {
                let path = directory.join(file);
                let wanted = Wanted { kind: Some(kind), ..BODIES };
                let place = format!("{}.place.csv", self.path);
                let Rows { values, lines } = read_rows(&path, &place, &wanted)?;
                let origin = Origin::File(path.display().to_string(), lines);
                Ok(Placed { spawns: values.iter().map(listed).collect(), origin })
            }
            _ => self.draw(config),
        }
    }

    fn draw(&self, config: &Config) -> Result<Placed, Refusal> {
        let count = self.count.unwrap_or(0);
        let mut draw = Draw::new(config.seed, self.stream);
        let usual = config.kinds[usize::from(self.kind)].gait.max_speed;
        // Both parts of the fastest velocity round, and it must not become longer than 1e9.
        let speed = self.start_speed.unwrap_or(usual).min(FASTEST_DRAWN);
        let mut spawns = Vec::new();
        for at in 0..count {
            let position = position(self.place, at, count, config, &mut draw).ok_or_else(|| {
                let path = format!("{}.place", self.path);
                let what = "places drawn one after another lie outside the world";
                Refusal::at(path.clone(), format!("{path}: {REDRAWS} {what}"))
            })?;
            let heading = match self.heading {
                Some(degrees) => f64::from(degrees) / 360.0,
                None => f64::from(draw.unit()),
            };
            let velocity = towards(heading, speed);
            spawns.push(Spawn { position, velocity, kind: self.kind, gait: None });
        }
        Ok(Placed { spawns, origin: Origin::Scene(self.path.clone()) })
    }
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
                    "is the rectangle from {low:?} to {high:?}, which does not lie in the world"
                ));
            }
            [low[0], low[1], high[0], high[1]]
        }
        How::Normal { centre, deviation } => {
            let [x, y] = check_sizes(deviation.each())?;
            [centre[0], centre[1], x, y]
        }
        How::Disc { centre, radius } => {
            let [radius, _] = check_sizes([*radius; 2])?;
            [centre[0], centre[1], radius, 0.0]
        }
    };
    match numbers.iter().find(|number| !(-1e9..=1e9).contains(*number)) {
        Some(number) => Err(format!("holds {number:?}; allowed: finite, at most 1e9")),
        None => Ok(()),
    }
}

fn check_sizes(sizes: [f32; 2]) -> Result<[f32; 2], String> {
    match sizes.iter().find(|size| **size < 0.0) {
        Some(size) => Err(format!("holds {size:?}; allowed: 0 or more")),
        None => Ok(sizes),
    }
}

/// Speed along a heading in turns from +x towards +y.
fn towards(turns: f64, speed: f32) -> [f32; 2] {
    let angle = turns * TAU;
    [libm::cos(angle), libm::sin(angle)].map(|part| (part * f64::from(speed)) as f32)
}

fn position(how: &How, at: u64, count: u64, config: &Config, draw: &mut Draw) -> Option<[f32; 2]> {
    let size = config.world.size;
    let inside = |position: &[f32; 2]| {
        [0, 1].into_iter().all(|axis| {
            config.world.edges[axis] == Edge::Open || (0.0..=size[axis]).contains(&position[axis])
        })
    };
    let mut one = || match how {
        How::Rectangle { low, high } => draw.within(*low, *high),
        How::Normal { centre, deviation } => draw.normal(*centre, deviation.each()),
        How::Disc { centre, radius } => draw.in_disc(*centre, *radius),
        How::Lattice => lattice(at, count, size),
        How::Uniform | How::List(_) | How::Csv(_) => draw.within([0.0; 2], size),
    };
    (0..REDRAWS).map(|_| one()).find(inside)
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

/// Numbers drawn from one stream.
struct Draw(ChaCha8Rng);

impl Draw {
    fn new(seed: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut words = ChaCha8Rng::from_seed(key);
        words.set_stream(stream);
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
    fn normal(&mut self, centre: [f32; 2], deviation: [f32; 2]) -> [f32; 2] {
        let (u, turns) = (1.0 - f64::from(self.unit()), f64::from(self.unit()));
        let length = (-2.0 * libm::log(u)).sqrt();
        polar(centre, deviation.map(|it| length * f64::from(it)), turns)
    }

    fn in_disc(&mut self, centre: [f32; 2], radius: f32) -> [f32; 2] {
        let (share, turns) = (f64::from(self.unit()), f64::from(self.unit()));
        polar(centre, [share.sqrt() * f64::from(radius); 2], turns)
    }
}

fn polar(centre: [f32; 2], [along, across]: [f64; 2], turns: f64) -> [f32; 2] {
    let angle = turns * TAU;
    let [x, y] = centre.map(f64::from);
    [(x + along * libm::cos(angle)) as f32, (y + across * libm::sin(angle)) as f32]
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
            (0..n).map(|_| f64::from(draw.normal([10.0, 0.0], [2.0, 5.0])[0])).collect();
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
