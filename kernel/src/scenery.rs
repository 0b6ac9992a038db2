//! What behaviours name by index: flows, grounds, paths and obstacles. Plain data with its ranges.

use crate::error::{Error, Result};
use crate::rules::{MAX_PERIOD, check_distance, check_point, setting};
use crate::world::check_positive;

/// The most flows, grounds and paths a scenery has of each.
pub const MAX_FIELDS: usize = 256;

/// The most obstacles of a scenery, and points of a path.
const MOST_POINTS: usize = 1024;

/// The most cells a field has along an axis.
const MOST_CELLS: u16 = 4096;

/// The most cells that all fields have together.
const MOST_CELLS_IN_ALL: usize = 1 << 22;

/// The densest noise: sixteen draws a cell.
const DENSEST: f32 = 16.0;

/// Everything in the world besides its edges and bodies. Empty by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenery {
    /// Vectors over the world, for [`Drive::FollowFlow`](crate::Drive::FollowFlow).
    pub flows: Vec<Field<Flow>>,
    /// Numbers over the world, for [`Ground`](crate::Ground).
    pub grounds: Vec<Field<Soil>>,
    /// Lines through the world, for [`Drive::FollowPath`](crate::Drive::FollowPath).
    pub paths: Vec<Path>,
    /// Discs in the way, for [`Drive::Avoid`](crate::Drive::Avoid).
    pub obstacles: Vec<Obstacle>,
}

/// A grid of equal cells over the world's rectangle with a value in each. Positions outside take
/// the nearest cell's.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<T> {
    /// Columns and rows, 1 to 4096 each; all fields together have at most 4,194,304 cells.
    pub cells: [u16; 2],
    /// Where the values come from.
    pub values: T,
}

/// The vectors of a flow field. Their lengths do not matter, only their directions; where one is
/// (0, 0) nobody is steered.
#[derive(Clone, Debug, PartialEq)]
pub enum Flow {
    /// One vector everywhere.
    Uniform([f32; 2]),
    /// Around a point, from +x towards +y.
    Swirl {
        /// The point.
        centre: [f32; 2],
    },
    /// A direction of its own in each cell, drawn from the seed.
    Random {
        /// Fields of different streams draw differently.
        stream: u32,
    },
    /// Directions that change smoothly from cell to cell, and in time.
    Noise(Noise),
    /// Row by row, from low y to high.
    Listed(Vec<[f32; 2]>),
}

/// The numbers of a ground, all from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Soil {
    /// Numbers that change smoothly from cell to cell, and in time.
    Noise(Noise),
    /// Row by row, from low y to high.
    Listed(Vec<f32>),
}

/// Smooth noise: numbers drawn on a lattice and blended in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// How far apart neighbouring cells are on the lattice, from 1e-9 to 16: small is smooth.
    pub density: f32,
    /// Ticks from one lattice in time to the next, 1 to 65,536; 0 stands still.
    pub period: u32,
    /// Fields of different streams draw differently.
    pub stream: u32,
}

/// A line of straight segments with a width.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// 2 to 1024 points; some of them may coincide.
    pub points: Vec<[f32; 2]>,
    /// Half its width, from 0 to 1e9.
    pub radius: f32,
    /// Whether a last segment leads from the last point to the first.
    pub closed: bool,
}

/// A disc in the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Its middle.
    pub centre: [f32; 2],
    /// Its size, from 1e-9 to 1e9.
    pub radius: f32,
}

impl Scenery {
    pub(crate) fn check(&self) -> Result<()> {
        for (name, count, most) in [
            ("flows", self.flows.len(), MAX_FIELDS),
            ("grounds", self.grounds.len(), MAX_FIELDS),
            ("paths", self.paths.len(), MAX_FIELDS),
            ("obstacles", self.obstacles.len(), MOST_POINTS),
        ] {
            if count > most {
                return Err(Error::TooMany { field: format!("scenery.{name}"), count, most });
            }
        }
        let flows = self.flows.iter().map(|flow| flow.cells);
        let cells = flows.chain(self.grounds.iter().map(|ground| ground.cells));
        let count = cells.map(|[cols, rows]| usize::from(cols) * usize::from(rows)).sum();
        if count > MOST_CELLS_IN_ALL {
            let field = "scenery: cells of all fields".to_owned();
            return Err(Error::TooMany { field, count, most: MOST_CELLS_IN_ALL });
        }
        for (at, flow) in self.flows.iter().enumerate() {
            flow.check(&|| format!("scenery.flows[{at}]"))?;
        }
        for (at, ground) in self.grounds.iter().enumerate() {
            ground.check(&|| format!("scenery.grounds[{at}]"))?;
        }
        for (at, path) in self.paths.iter().enumerate() {
            path.check(&|| format!("scenery.paths[{at}]"))?;
        }
        for (at, obstacle) in self.obstacles.iter().enumerate() {
            let path = || format!("scenery.obstacles[{at}]");
            check_point(obstacle.centre, || path() + ".centre")?;
            check_positive(obstacle.radius, || path() + ".radius")?;
        }
        Ok(())
    }
}

impl<T> Field<T> {
    fn check_cells(&self, listed: Option<usize>, path: &dyn Fn() -> String) -> Result<()> {
        for (axis, &cells) in self.cells.iter().enumerate() {
            if !(1..=MOST_CELLS).contains(&cells) {
                let field = format!("{}.cells[{axis}]", path());
                return setting(field, f32::from(cells), "a whole number from 1 to 4096");
            }
        }
        let wanted = usize::from(self.cells[0]) * usize::from(self.cells[1]);
        match listed {
            Some(found) if found != wanted => {
                Err(Error::Values { field: path() + ".values", count: found, cells: wanted })
            }
            _ => Ok(()),
        }
    }
}

impl Field<Flow> {
    fn check(&self, path: &dyn Fn() -> String) -> Result<()> {
        let field = || path() + ".values";
        let listed = match &self.values {
            Flow::Listed(vectors) => Some(vectors.len()),
            _ => None,
        };
        self.check_cells(listed, path)?;
        match &self.values {
            Flow::Uniform(vector) => check_point(*vector, field),
            Flow::Swirl { centre } => check_point(*centre, || field() + ".centre"),
            Flow::Random { .. } => Ok(()),
            Flow::Noise(noise) => noise.check(&field),
            Flow::Listed(vectors) => vectors.iter().enumerate().try_for_each(|(at, &vector)| {
                check_point(vector, || format!("{}.values[{at}]", path()))
            }),
        }
    }
}

impl Field<Soil> {
    fn check(&self, path: &dyn Fn() -> String) -> Result<()> {
        match &self.values {
            Soil::Noise(noise) => {
                self.check_cells(None, path)?;
                noise.check(&|| path() + ".values")
            }
            Soil::Listed(values) => {
                self.check_cells(Some(values.len()), path)?;
                match values.iter().position(|value| !(0.0..=1.0).contains(value)) {
                    Some(at) => {
                        let field = format!("{}.values[{at}]", path());
                        setting(field, values[at], "a number from 0 to 1")
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

impl Noise {
    fn check(&self, path: &dyn Fn() -> String) -> Result<()> {
        if !(1e-9..=DENSEST).contains(&self.density) {
            let allowed = "a finite number from 1e-9 to 16";
            return setting(path() + ".density", self.density, allowed);
        }
        if self.period > MAX_PERIOD {
            let allowed = "a whole number of ticks from 0 to 65536";
            return setting(path() + ".period", self.period as f32, allowed);
        }
        Ok(())
    }
}

impl Path {
    /// Start and end of each segment, in order.
    pub fn segments(&self) -> impl Iterator<Item = [[f32; 2]; 2]> + '_ {
        let back = match (self.closed, self.points.first(), self.points.last()) {
            (true, Some(&first), Some(&last)) => Some([last, first]),
            _ => None,
        };
        self.points.windows(2).map(|pair| [pair[0], pair[1]]).chain(back)
    }

    fn check(&self, path: &dyn Fn() -> String) -> Result<()> {
        if !(2..=MOST_POINTS).contains(&self.points.len()) {
            return Err(Error::Points { field: path() + ".points", count: self.points.len() });
        }
        for (at, &point) in self.points.iter().enumerate() {
            check_point(point, || format!("{}.points[{at}]", path()))?;
        }
        check_distance(self.radius, || path() + ".radius")
    }
}
