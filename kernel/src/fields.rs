//! Flows and grounds as grids of values at one tick. docs/contract.md, "Fields".

use crate::draws::{ANGLES, NOISE, Stream, ease, lerp, share, sin_cos_half_turns, whole_and_part};
use crate::rules::Config;
use crate::scenery::{Field, Flow, Noise, Soil};
use crate::world::World;

/// The values of one field, row by row, and how to find a position's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid<T> {
    cells: [u16; 2],
    /// Cells a unit of length; 0 along an axis of one cell.
    scale: [f32; 2],
    values: Vec<T>,
}

impl<T: Copy> Grid<T> {
    /// The value at a position; outside the world, the nearest cell's.
    #[inline]
    pub(crate) fn at(&self, position: [f32; 2]) -> T {
        let [col, row] = [0, 1].map(|axis| {
            let last = f32::from(self.cells[axis] - 1);
            let place = position[axis] * self.scale[axis];
            let place = if place > last { last } else { place };
            if place > 0.0 { place as usize } else { 0 }
        });
        self.values[row * usize::from(self.cells[0]) + col]
    }

    fn resize<V>(&mut self, field: &Field<V>, world: &World) {
        self.cells = field.cells;
        self.scale = [0, 1].map(|axis| match field.cells[axis] {
            1 => 0.0,
            cells => f32::from(cells) / world.size[axis],
        });
        self.values.clear();
    }

    /// Fills the grid with what `value` says of each column and row.
    fn fill(&mut self, value: impl Fn(u16, u16) -> T) {
        let [cols, rows] = self.cells;
        for row in 0..rows {
            self.values.extend((0..cols).map(|col| value(col, row)));
        }
    }
}

impl Grid<[f32; 2]> {
    /// The vectors of a flow.
    pub(crate) fn refill(&mut self, flow: &Field<Flow>, config: &Config, tick: u64) {
        self.resize(flow, &config.world);
        let Config { world, seed, .. } = config;
        match &flow.values {
            Flow::Uniform(vector) => self.fill(|_, _| *vector),
            Flow::Listed(vectors) => self.values.extend_from_slice(vectors),
            Flow::Random { stream } => self.fill(|col, row| {
                let stream = Stream::new(*seed, ANGLES + u64::from(*stream), col.into());
                along(stream.draw(row.into()))
            }),
            Flow::Noise(noise) => {
                self.fill(|col, row| along(noise_at(noise, *seed, tick, [col, row])));
            }
            Flow::Swirl { centre } => {
                let side = [0, 1].map(|axis| world.size[axis] / f32::from(flow.cells[axis]));
                let middle = |cell: u16, axis: usize| (f32::from(cell) + 0.5) * side[axis];
                self.fill(|col, row| [centre[1] - middle(row, 1), middle(col, 0) - centre[0]]);
            }
        }
    }
}

impl Grid<f32> {
    /// The numbers of a ground.
    pub(crate) fn refill(&mut self, ground: &Field<Soil>, config: &Config, tick: u64) {
        self.resize(ground, &config.world);
        match &ground.values {
            Soil::Listed(values) => self.values.extend_from_slice(values),
            Soil::Noise(noise) => {
                self.fill(|col, row| share(noise_at(noise, config.seed, tick, [col, row])));
            }
        }
    }
}

impl Flow {
    /// Whether it changes from tick to tick.
    pub(crate) fn changes(&self) -> bool {
        matches!(self, Self::Noise(noise) if noise.period > 0)
    }
}

impl Soil {
    /// Whether it changes from tick to tick.
    pub(crate) fn changes(&self) -> bool {
        matches!(self, Self::Noise(noise) if noise.period > 0)
    }
}

impl Config {
    /// The vectors of a flow of the scenery at a tick, row by row from low y to high; `None` if
    /// there is no such flow.
    pub fn flow_vectors(&self, flow: usize, tick: u64) -> Option<Vec<[f32; 2]>> {
        let mut grid = Grid::<[f32; 2]>::default();
        grid.refill(self.scenery.flows.get(flow)?, self, tick);
        Some(grid.values)
    }

    /// The numbers of a ground of the scenery at a tick, row by row from low y to high; `None` if
    /// there is no such ground.
    pub fn ground_values(&self, ground: usize, tick: u64) -> Option<Vec<f32>> {
        let mut grid = Grid::<f32>::default();
        grid.refill(self.scenery.grounds.get(ground)?, self, tick);
        Some(grid.values)
    }
}

/// The unit vector at an angle in half-turns.
fn along(angle: f32) -> [f32; 2] {
    let [sin, cos] = sin_cos_half_turns(angle);
    [cos, sin]
}

/// The noise in a cell at a tick, in [-1, 1].
fn noise_at(noise: &Noise, seed: u64, tick: u64, [col, row]: [u16; 2]) -> f32 {
    let lattice = |cell: u16| {
        let place = f32::from(cell) * noise.density;
        (place as u32, ease(place - place.floor()))
    };
    let ((i, u), (j, w)) = (lattice(col), lattice(row));
    let (layer, z) = match noise.period {
        0 => (0, 0.0),
        period => {
            let (layer, part) = whole_and_part(tick, period);
            (layer, ease(part))
        }
    };
    let number = |i: u32| Stream::new(seed, NOISE + u64::from(noise.stream), i);
    let (left, right) = (number(i), number(i + 1));
    let plane = |layer: u64| {
        let at = |j: u32| u64::from(j) << 32 | layer & u64::from(u32::MAX);
        let across = |j: u32| lerp(left.draw(at(j)), right.draw(at(j)), u);
        lerp(across(j), across(j + 1), w)
    };
    lerp(plane(layer), plane(layer.wrapping_add(1)), z)
}
