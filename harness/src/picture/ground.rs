//! Grounds: the world's floor, tinted by a field of numbers.

use super::bodies::Crowd;
use super::canvas::Canvas;
use super::overlays::Stage;
use crate::colour::{Rgb, mix};
use flockstep::Config;

/// How many tints there are from 0 to 1.
const TINTS: usize = 64;

impl Canvas {
    /// Tints the world by its ground: of several by the first that a kind walks on, as tints over
    /// each other would tell of none.
    pub(super) fn draw_ground(&mut self, stage: &Stage<'_>, _: &Crowd<'_>) {
        let index = walked_on(stage.config);
        let Some(values) = stage.config.ground_values(index, stage.tick) else {
            return;
        };
        self.decorated = true;
        let cells = stage.config.scenery.grounds[index].cells.map(usize::from);
        let [low, high] = self.theme.ground;
        let tints: [Rgb; TINTS] =
            std::array::from_fn(|tint| mix(low, high, tint as f64 / (TINTS - 1) as f64));
        let [cols, rows] = self.cells_along(stage, cells);
        let (width, left, top) = (self.size().0 as usize, cols.0, rows.0);
        for (row, y) in rows.1.into_iter().zip(top..) {
            for (col, x) in cols.1.iter().zip(left..) {
                let value = values[row * cells[0] + col];
                let [red, green, blue] = tints[(value * (TINTS - 1) as f32).round() as usize];
                let pixel = 4 * (y * width + x);
                self.pixels.data_mut()[pixel..pixel + 3].copy_from_slice(&[red, green, blue]);
            }
        }
    }

    /// For each axis the first pixel inside the world, and from there on which column or row of
    /// the field is under each pixel: a position beyond the field has the nearest.
    fn cells_along(&self, stage: &Stage<'_>, cells: [usize; 2]) -> [(usize, Vec<usize>); 2] {
        let [left, top, right, bottom] = self.inside().map(|edge| edge.max(0.0) as usize);
        let (width, height) = self.size();
        let ends = [(left, right.min(width as usize)), (top, bottom.min(height as usize))];
        [0, 1].map(|axis| {
            let (first, end) = ends[axis];
            let cell = |pixel: usize| {
                let place = self.position([pixel as f64 + 0.5; 2])[axis];
                let cell = place / f64::from(stage.config.world.size[axis]) * cells[axis] as f64;
                (cell.max(0.0) as usize).min(cells[axis] - 1)
            };
            (first, (first..end).map(cell).collect())
        })
    }
}

fn walked_on(config: &Config) -> usize {
    let mut grounds = config.kinds.iter().filter_map(|kind| kind.ground);
    grounds.next().map_or(0, |ground| ground.field.into())
}
