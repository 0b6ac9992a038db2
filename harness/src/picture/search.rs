//! How neighbours are looked for: the grid of cells, and for comparison a quadtree.

use std::collections::BTreeSet;

use super::bodies::Crowd;
use super::canvas::{Canvas, paint};
use super::overlays::Stage;
use flockstep::{Config, Edge};
use tiny_skia::BlendMode;

/// Lines nearer to each other than this many pixels would be one grey.
const LINES_APART: f64 = 4.0;
/// How many bodies a leaf of the quadtree holds.
const LEAF: usize = 4;
/// How opaque lines are.
const LINE: f64 = 0.16;
/// How opaque a cell is that bodies are in.
const OCCUPIED: f64 = 0.07;

/// The grid of docs/contract.md, "Order".
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grid {
    start: [f32; 2],
    length: [f32; 2],
    counts: [u32; 2],
}

impl Grid {
    fn new(config: &Config, positions: &[[f32; 2]]) -> Self {
        let axes = [0, 1].map(|axis| match config.world.edges[axis] {
            Edge::Open => bounds(positions.iter().map(|position| position[axis])),
            Edge::Walls | Edge::Torus => (0.0, config.world.size[axis]),
        });
        let [start, length] = [axes.map(|(start, _)| start), axes.map(|(_, length)| length)];
        let counts = counts(length, config.radius(), positions.len());
        Self { start, length, counts }
    }

    /// Where a column or row begins; one past the last, where that ends.
    fn line(&self, axis: usize, index: u32) -> f64 {
        let share = f64::from(index) / f64::from(self.counts[axis]);
        f64::from(self.start[axis]) + f64::from(self.length[axis]) * share
    }

    /// The column and row that a position is in.
    fn cell(&self, position: [f32; 2]) -> [u32; 2] {
        [0, 1].map(|axis| {
            let scale = self.counts[axis] as f32 / self.length[axis];
            let place = (position[axis] - self.start[axis]) * scale;
            // `as` saturates, and NaN (no length, one cell) is 0.
            (place as u32).min(self.counts[axis] - 1)
        })
    }
}

/// Start and length of what the values cover.
fn bounds(mut values: impl Iterator<Item = f32>) -> (f32, f32) {
    let Some(first) = values.next() else {
        return (0.0, 0.0);
    };
    let (low, high) =
        values.fold((first, first), |(low, high), value| (low.min(value), high.max(value)));
    (low, high - low)
}

/// Columns and rows.
fn counts(length: [f32; 2], radius: f32, bodies: usize) -> [u32; 2] {
    if radius <= 0.0 {
        return [1; 2];
    }
    let most = 16 * bodies as u64 + 2048;
    let mut cell = radius * 1.015_625;
    loop {
        // Half as wide as they are tall.
        let [cols, rows] = [length[0] / (cell / 2.0), length[1] / cell]
            .map(|count| count.floor().clamp(1.0, 16_384.0) as u32);
        if u64::from(cols) * u64::from(rows) <= most {
            return [cols, rows];
        }
        cell *= 2.0;
    }
}

impl Canvas {
    /// The lines between cells, and the cells that bodies are in.
    pub(super) fn draw_cells(&mut self, stage: &Stage<'_>, crowd: &Crowd<'_>) {
        self.decorated = true;
        let grid = Grid::new(stage.config, crowd.positions);
        let cells: BTreeSet<[u32; 2]> =
            crowd.positions.iter().map(|&position| grid.cell(position)).collect();
        for [col, row] in cells {
            let low = [grid.line(0, col), grid.line(1, row)];
            let high = [grid.line(0, col + 1), grid.line(1, row + 1)];
            self.box_between(low, high, OCCUPIED);
        }
        let end = [0, 1].map(|axis| grid.line(axis, grid.counts[axis]));
        for axis in [0, 1] {
            let apart = f64::from(grid.length[axis] / grid.counts[axis] as f32) * self.scale;
            // Of cells that are too small, every second, fourth or eighth line is drawn.
            let mut every = 1;
            while f64::from(every) * apart < LINES_APART && every < grid.counts[axis] {
                every *= 2;
            }
            for index in (0..=grid.counts[axis]).step_by(every as usize) {
                let mut from = grid.start.map(f64::from);
                let mut to = end;
                (from[axis], to[axis]) = (grid.line(axis, index), grid.line(axis, index));
                self.line_between(from, to);
            }
        }
    }

    /// The lines at which the leaves of a quadtree were divided.
    pub(super) fn draw_quadtree(&mut self, stage: &Stage<'_>, crowd: &Crowd<'_>) {
        self.decorated = true;
        let [mut low, mut high] = self.view();
        for axis in 0..2 {
            if stage.config.world.edges[axis] != Edge::Open {
                (low[axis], high[axis]) = (0.0, stage.config.world.size[axis].into());
            }
        }
        let mut positions: Vec<[f64; 2]> =
            crowd.positions.iter().map(|position| position.map(f64::from)).collect();
        self.divide(&mut positions, low, high);
    }

    /// Draws a node's two lines and its four parts, if it has too many bodies for a leaf.
    fn divide(&mut self, positions: &mut [[f64; 2]], low: [f64; 2], high: [f64; 2]) {
        let side = (high[0] - low[0]).min(high[1] - low[1]) * self.scale;
        // A part too small for its lines to be told apart stays whole, however many are in it.
        if positions.len() <= LEAF || side.is_nan() || side < LINES_APART {
            return;
        }
        let middle = [0, 1].map(|axis| (low[axis] + high[axis]) / 2.0);
        self.line_between([middle[0], low[1]], [middle[0], high[1]]);
        self.line_between([low[0], middle[1]], [high[0], middle[1]]);
        let (upper, lower) = partition(positions, 1, middle[1]);
        for (half, low_y, high_y) in [(upper, low[1], middle[1]), (lower, middle[1], high[1])] {
            let (left, right) = partition(half, 0, middle[0]);
            self.divide(left, [low[0], low_y], [middle[0], high_y]);
            self.divide(right, [middle[0], low_y], [high[0], high_y]);
        }
    }

    /// A line of one pixel along an axis.
    fn line_between(&mut self, from: [f64; 2], to: [f64; 2]) {
        let ([left, top], [right, bottom]) = (self.at(from), self.at(to));
        let [left, top, right, bottom] = [left, top, right, bottom].map(f64::round);
        let edges = [left, top, right.max(left + 1.0), bottom.max(top + 1.0)];
        let paint = paint(self.theme.ink, LINE, BlendMode::SourceOver, false);
        self.rectangle_with(edges, &paint);
    }

    fn box_between(&mut self, low: [f64; 2], high: [f64; 2], opacity: f64) {
        let ([left, top], [right, bottom]) = (self.at(low), self.at(high));
        let edges = [left, top, right, bottom].map(f64::round);
        let paint = paint(self.theme.ink, opacity, BlendMode::SourceOver, false);
        self.rectangle_with(edges, &paint);
    }
}

/// Those below a coordinate, and the others.
fn partition(
    positions: &mut [[f64; 2]],
    axis: usize,
    middle: f64,
) -> (&mut [[f64; 2]], &mut [[f64; 2]]) {
    let mut below = 0;
    for index in 0..positions.len() {
        if positions[index][axis] < middle {
            positions.swap(index, below);
            below += 1;
        }
    }
    positions.split_at_mut(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockstep::{Gait, Kind, Rule, World};

    fn config(edge: Edge, radius: f32) -> Config {
        let kind =
            Kind { rules: vec![Rule::alignment(radius, 1.0)], ..Kind::new(Gait::new(1.0, 0.1)) };
        Config::new(World::new(130.0, 65.0, edge), kind)
    }

    #[test]
    fn cells_are_half_as_wide_as_tall_and_a_little_wider_than_half_the_radius() {
        let grid = Grid::new(&config(Edge::Walls, 16.0), &[]);
        assert_eq!(grid.counts, [16, 4], "of 8.125 by 16.25");
        assert_eq!([grid.line(0, 1), grid.line(1, 1)], [8.125, 16.25]);
        assert_eq!(grid.cell([8.0, 16.0]), [0, 0]);
        assert_eq!(grid.cell([8.2, 16.5]), [1, 1]);
        assert_eq!(grid.cell([130.0, 65.0]), [15, 3]);
        let alone =
            Config { kinds: vec![Kind::new(Gait::new(1.0, 0.1))], ..config(Edge::Walls, 1.0) };
        assert_eq!(Grid::new(&alone, &[[1.0; 2]]).counts, [1, 1], "nobody is looked for");
    }

    #[test]
    fn the_grid_follows_an_open_herd_and_never_has_too_many_cells() {
        let grid = Grid::new(&config(Edge::Open, 16.0), &[[-50.0, 5.0], [275.0, 5.0]]);
        assert_eq!((grid.start, grid.counts), ([-50.0, 5.0], [40, 1]));
        assert_eq!(grid.cell([275.0, 5.0]), [39, 0]);
        let grid = Grid::new(&config(Edge::Walls, 1e-9), &[]);
        assert!(grid.counts[0] * grid.counts[1] <= 2048, "{grid:?}");
    }

    #[test]
    fn a_partition_keeps_every_position() {
        let mut positions = [[3.0, 0.0], [1.0, 0.0], [f64::NAN, 0.0], [2.0, 0.0], [0.5, 0.0]];
        let (below, others) = partition(&mut positions, 0, 2.0);
        assert_eq!((below.len(), others.len()), (2, 3));
        assert!(below.iter().all(|position| position[0] < 2.0));
    }
}
