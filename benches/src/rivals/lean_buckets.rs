//! Buckets with everything left out that can be: no list, no sort.
//!
//! The cells are the contract's and are read in canonical order, row by row, and each cell's list
//! is in id order because it was filled so. The sums are therefore the kernel's to the bit.

use super::herd::{Herd, Vector};
use super::search::Search;
use std::ops::Range;

pub(crate) struct LeanBuckets {
    cols: usize,
    rows: usize,
    /// Cells a unit of length.
    scale: Vector,
    lists: Vec<Vec<u32>>,
}

impl LeanBuckets {
    pub(crate) fn new(herd: &Herd) -> Self {
        let [cols, rows] = cells(herd);
        let scale = [cols as f32 / herd.size[0], rows as f32 / herd.size[1]];
        Self { cols, rows, scale, lists: vec![Vec::new(); cols * rows] }
    }

    fn col(&self, x: f32) -> usize {
        (x * self.scale[0]).clamp(0.0, (self.cols - 1) as f32) as usize
    }

    fn row(&self, y: f32) -> usize {
        (y * self.scale[1]).clamp(0.0, (self.rows - 1) as f32) as usize
    }

    /// The cells around a position, a range for each row, in canonical order.
    fn around(&self, [x, y]: Vector) -> impl Iterator<Item = Range<usize>> + use<> {
        let (col, row) = (self.col(x), self.row(y));
        let cols = col.saturating_sub(2)..(col + 3).min(self.cols);
        let (rows, width) = (row.saturating_sub(1)..(row + 2).min(self.rows), self.cols);
        rows.map(move |row| row * width + cols.start..row * width + cols.end)
    }
}

/// Columns and rows as the contract counts them.
fn cells(herd: &Herd) -> [usize; 2] {
    let mut cell = herd.radius * (65.0 / 64.0);
    loop {
        let along = |length: f32, cell: f32| (length / cell).floor().clamp(1.0, 16384.0) as usize;
        let [cols, rows] = [along(herd.size[0], cell / 2.0), along(herd.size[1], cell)];
        if cols * rows <= 16 * herd.walkers.len() + 2048 {
            return [cols, rows];
        }
        cell *= 2.0;
    }
}

impl Search for LeanBuckets {
    fn build(&mut self, herd: &Herd) {
        self.lists.iter_mut().for_each(Vec::clear);
        for (i, walker) in herd.walkers.iter().enumerate() {
            let [x, y] = walker.position;
            let cell = self.row(y) * self.cols + self.col(x);
            self.lists[cell].push(i as u32);
        }
    }

    #[inline]
    fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        for cells in self.around(herd.walkers[i].position) {
            for list in &self.lists[cells] {
                for &j in list {
                    let j = j as usize;
                    if j != i && herd.hears(i, j) {
                        visit(j);
                    }
                }
            }
        }
    }

    fn tests(&self, herd: &Herd) -> Option<u64> {
        let others = |position| {
            let lists = self.around(position).flat_map(|cells| &self.lists[cells]);
            lists.map(Vec::len).sum::<usize>() - 1
        };
        Some(herd.walkers.iter().map(|walker| others(walker.position) as u64).sum())
    }
}
