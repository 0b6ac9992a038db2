//! The notebook's bin lattice (Reynolds 2000): a list of bodies for each bin of the field, and a
//! query that reads every bin that the box around the circle touches.
//!
//! Rounding the far side up and including it reads one bin more along each axis than is needed, as
//! in the notebook: sixteen bins where nine would do.

use super::circle::{Circle, Rect};
use super::herd::{Herd, Vector};
use super::search::Search;

pub(crate) struct Lattice {
    resolution: f32,
    cols: usize,
    rows: usize,
    bins: Vec<Vec<u32>>,
    circle_test: bool,
}

impl Lattice {
    /// Bins as wide as the radius. With `circle_test`, a bin that the circle does not touch is
    /// left out, and one that lies inside it is taken without measuring.
    pub(crate) fn new(herd: &Herd, circle_test: bool) -> Self {
        let resolution = herd.radius;
        let [cols, rows] = herd.size.map(|extent| ((extent + 1.0) / resolution).ceil() as usize);
        let bins = vec![Vec::new(); cols * rows];
        Self { resolution, cols, rows, bins, circle_test }
    }

    fn bin_of(&self, [x, y]: Vector) -> usize {
        let col = ((x / self.resolution) as usize).min(self.cols - 1);
        let row = ((y / self.resolution) as usize).min(self.rows - 1);
        row * self.cols + col
    }

    fn bounds(&self, col: usize, row: usize) -> Rect {
        let low = [col as f32 * self.resolution, row as f32 * self.resolution];
        Rect { low, high: low.map(|low| low + self.resolution) }
    }
}

impl Search for Lattice {
    fn build(&mut self, herd: &Herd) {
        self.bins.iter_mut().for_each(Vec::clear);
        for (i, walker) in herd.walkers.iter().enumerate() {
            let bin = self.bin_of(walker.position);
            self.bins[bin].push(i as u32);
        }
    }

    #[inline]
    fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        let circle = Circle::new(herd.walkers[i].position, herd.radius);
        let Rect { low, high } = circle.outer();
        // `as` truncates, and makes zero of what is below zero.
        let [first_col, first_row] = low.map(|low| (low / self.resolution) as usize);
        let [last_col, last_row] = high.map(|high| (high / self.resolution).ceil() as usize);
        for row in first_row..=last_row.min(self.rows - 1) {
            for col in first_col..=last_col.min(self.cols - 1) {
                let bounds = self.bounds(col, row);
                if self.circle_test && !circle.meets(&bounds) {
                    continue;
                }
                let inside = self.circle_test && circle.contains(&bounds);
                for &j in &self.bins[row * self.cols + col] {
                    let j = j as usize;
                    if j != i && (inside || herd.hears(i, j)) {
                        visit(j);
                    }
                }
            }
        }
    }
}
