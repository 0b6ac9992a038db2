//! Neighbour queries without flocking: who is near whom, near a point, or in a rectangle.

use crate::cells::Cells;
use crate::error::{Error, Result};
use crate::flock::Flock;
use crate::grid::{Grid, Order, REACH};
use crate::simd::Isa;
use crate::sort::Spread;
use crate::world::{World, check_positive};
use std::ops::Range;

/// One answer to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Its index in the positions that were built from.
    pub index: u32,
    /// From the neighbour to whoever asks, the short way round on a torus.
    pub offset: [f32; 2],
    /// The offset's squared length, rounded as in a tick.
    pub distance_squared: f32,
}

/// A grid over positions that the caller owns, for sims that only want neighbours.
///
/// Every answer comes in canonical order (ascending row, column, index), whatever the machine.
///
/// ```
/// use flockstep::{Edge, Neighbours, World};
///
/// let mut near = Neighbours::new(World::new(100.0, 100.0, Edge::Torus), 5.0)?;
/// near.build(&[[1.0, 50.0], [99.0, 50.0], [4.0, 54.0]])?;
/// let mut found = Vec::new();
/// near.of_body(0, |neighbour| found.push((neighbour.index, neighbour.offset)));
/// assert_eq!(found, [(1, [2.0, 0.0]), (2, [-3.0, -4.0])]);
/// # Ok::<(), flockstep::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Neighbours {
    world: World,
    radius: f32,
    /// As given, by index.
    positions: Vec<[f32; 2]>,
    /// In canonical order.
    sorted: Vec<(u32, [f32; 2])>,
    cells: Cells,
    scratch: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    x: Vec<f32>,
    y: Vec<f32>,
    index: Vec<u32>,
}

impl Neighbours {
    /// A grid for neighbours within `radius`.
    ///
    /// # Errors
    /// [`Error::Setting`] for an extent or radius out of range, [`Error::RadiusOverTorus`].
    pub fn new(world: World, radius: f32) -> Result<Self> {
        world.check()?;
        check_positive(radius, || "radius".to_owned())?;
        world.check_radius(radius, || "radius".to_owned())?;
        let mut empty = Self {
            world,
            radius,
            positions: Vec::new(),
            sorted: Vec::new(),
            cells: Cells::default(),
            scratch: Scratch::default(),
        };
        empty.build(&[])?;
        Ok(empty)
    }

    /// Takes these positions, and forgets those before.
    ///
    /// # Errors
    /// [`Error::Body`] names a position that [`Flock::add`] would refuse; [`Error::IdsRunOut`] over
    /// 2^32 - 1 positions. The earlier positions stay then.
    pub fn build(&mut self, positions: &[[f32; 2]]) -> Result<()> {
        if u32::try_from(positions.len()).is_err() {
            return Err(Error::IdsRunOut);
        }
        for (index, &position) in positions.iter().enumerate() {
            self.world.admit(position, index)?;
        }
        self.fill(positions.iter().copied())
    }

    /// Takes the positions of a flock's bodies; an index is then a body's place among the ascending
    /// ids. The world stays this one's own.
    ///
    /// # Errors
    /// [`Error::Body`] names a body that this world has no place for; the positions are gone then.
    pub fn build_from(&mut self, flock: &Flock) -> Result<()> {
        self.fill(flock.iter().map(|body| body.position))
    }

    fn fill(&mut self, positions: impl Iterator<Item = [f32; 2]>) -> Result<()> {
        self.positions.clear();
        let mut taken = Ok(());
        for (index, position) in positions.enumerate() {
            match self.world.admit_reached(position, index) {
                Ok(position) => self.positions.push(position),
                Err(refusal) => {
                    self.positions.clear();
                    taken = Err(refusal);
                    break;
                }
            }
        }
        let Scratch { x, y, index } = &mut self.scratch;
        x.clear();
        x.extend(self.positions.iter().map(|position| position[0]));
        y.clear();
        y.extend(self.positions.iter().map(|position| position[1]));
        index.clear();
        index.extend(0..self.positions.len() as u32);
        let grid = Grid::new(&self.world, self.radius, x, y);
        let spread = Spread { parallel_from: usize::MAX, isa: Isa::best() };
        self.cells.sort(grid, x, y, index, Order::Canonical, spread);
        self.sorted.clear();
        let positions = &self.positions;
        let places = self.cells.places.iter();
        self.sorted.extend(places.map(|place| (place.id, positions[place.from as usize])));
        taken
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Visits the neighbours of position `index`: every other one within the radius, those on the
    /// same spot included.
    ///
    /// # Panics
    /// If there is no such index.
    pub fn of_body(&self, index: u32, mut visit: impl FnMut(Neighbour)) {
        let position = self.positions[index as usize];
        self.within(position, self.radius, REACH, |neighbour| {
            if neighbour.index != index {
                visit(neighbour);
            }
        });
    }

    /// Visits every body within `radius` of a point, which may be any radius, not only the grid's.
    ///
    /// # Errors
    /// [`Error::Setting`] for a point that is not finite or over 1e30, or outside `[0, extent]` of a
    /// torus axis; [`Error::Setting`] and [`Error::RadiusOverTorus`] for the radius.
    pub fn of_point(
        &self,
        point: [f32; 2],
        radius: f32,
        visit: impl FnMut(Neighbour),
    ) -> Result<()> {
        check_positive(radius, || "radius".to_owned())?;
        self.world.check_radius(radius, || "radius".to_owned())?;
        self.check_point(point)?;
        let reach = self.cells.grid.reach(radius);
        self.within(point, radius, reach, visit);
        Ok(())
    }

    fn check_point(&self, point: [f32; 2]) -> Result<()> {
        let period = self.world.period();
        for axis in 0..2 {
            let (value, extent) = (point[axis], period[axis]);
            let (fine, allowed) = if extent.is_finite() {
                ((0.0..=extent).contains(&value), "from 0 to the extent of a torus")
            } else {
                (value.abs() <= 1e30, "a finite number, at most 1e30 either way")
            };
            if fine {
                continue;
            }
            let field = ["point x", "point y"][axis].to_owned();
            return Err(Error::Setting { field, value, allowed });
        }
        Ok(())
    }

    /// Visits every body of the rectangle from `low` to `high`, both included. On a torus axis the
    /// rectangle may hang over either edge by up to one extent and wraps.
    ///
    /// # Errors
    /// [`Error::Setting`] if a corner is not finite, `low` is above `high`, or it hangs over too
    /// far.
    pub fn in_rectangle(
        &self,
        low: [f32; 2],
        high: [f32; 2],
        mut visit: impl FnMut(u32),
    ) -> Result<()> {
        let mut cells = [const { [0..0, 0..0] }; 2];
        for axis in 0..2 {
            check_span(&self.world, axis, low[axis], high[axis])?;
            cells[axis] = self.cells_of_span(axis, low[axis], high[axis]);
        }
        let [cols, rows] = cells;
        let period = self.world.period();
        let inside = |axis: usize, p: f32| {
            let within = |p: f32| low[axis] <= p && p <= high[axis];
            let e = period[axis];
            within(p) || within(p + e) || within(p - e) || within(p + 2.0 * e)
        };
        for row in rows.into_iter().flatten() {
            for run in self.cells.runs(row, &cols) {
                for &(index, [x, y]) in &self.sorted[run] {
                    if inside(0, x) && inside(1, y) {
                        visit(index);
                    }
                }
            }
        }
        Ok(())
    }

    /// All neighbours of all positions at once: those of position `i` are
    /// `indices[offsets[i] as usize..offsets[i + 1] as usize]`, in canonical order. Both buffers
    /// are replaced.
    pub fn lists(&self, offsets: &mut Vec<u64>, indices: &mut Vec<u32>) {
        offsets.clear();
        indices.clear();
        offsets.push(0);
        for index in 0..self.positions.len() as u32 {
            self.of_body(index, |neighbour| indices.push(neighbour.index));
            offsets.push(indices.len() as u64);
        }
    }

    fn within(
        &self,
        point: [f32; 2],
        radius: f32,
        reach: [u32; 2],
        mut visit: impl FnMut(Neighbour),
    ) {
        let grid = &self.cells.grid;
        let (col, row) = (grid.col(point[0]), grid.row(point[1]));
        let cols = grid.cols_around(col..col + 1, reach[0]);
        for row in grid.rows_around(row..row + 1, reach[1]).into_iter().flatten() {
            for run in self.cells.runs(row, &cols) {
                for &(index, position) in &self.sorted[run] {
                    let [dx, dy] = self.world.offset(position, point);
                    let distance_squared = dx * dx + dy * dy;
                    if distance_squared <= radius * radius {
                        visit(Neighbour { index, offset: [dx, dy], distance_squared });
                    }
                }
            }
        }
    }

    /// The cells that a span along an axis can touch, one more on each side for what rounding put
    /// next door.
    fn cells_of_span(&self, axis: usize, low: f32, high: f32) -> [Range<u32>; 2] {
        let grid = &self.cells.grid;
        let cell = |p: f32| if axis == 0 { grid.col(p) } else { grid.row(p) };
        let extent = self.world.period()[axis];
        let cells = if extent.is_finite() {
            let home = if low < 0.0 { low + extent } else { low };
            let first = cell(if home >= extent { home - extent } else { home });
            first..first + grid.reach(high - low)[axis].min(MAX_REACH)
        } else {
            cell(low)..cell(high) + 1
        };
        if axis == 0 { grid.cols_around(cells, 1) } else { grid.rows_around(cells, 1) }
    }
}

/// More cells than any axis has.
const MAX_REACH: u32 = 1 << 16;

/// Refuses a rectangle's span that is not one.
fn check_span(world: &World, axis: usize, low: f32, high: f32) -> Result<()> {
    let fields = [["low x", "high x"], ["low y", "high y"]][axis];
    let extent = world.period()[axis];
    for (field, value) in fields.into_iter().zip([low, high]) {
        let hangs_over = extent.is_finite() && !(-extent..=2.0 * extent).contains(&value);
        if !value.is_finite() || hangs_over {
            let allowed = "finite, and on a torus within one extent of the world";
            return Err(Error::Setting { field: field.to_owned(), value, allowed });
        }
    }
    if low <= high {
        Ok(())
    } else {
        let (field, allowed) = (fields[0].to_owned(), "at most the opposite corner");
        Err(Error::Setting { field, value: low, allowed })
    }
}
