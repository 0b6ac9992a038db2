//! The chapter's buckets: a list of indices for each cell of the field.

use super::herd::{Herd, Vector};
use super::search::Search;

/// As the chapter writes them: the candidates out of nine buckets are gathered and put in index
/// order before anybody is measured, so that sums come out as the double loop's.
pub(crate) struct Buckets {
    /// A hair over the radius, so that two bodies whose distance rounds down to it are never two
    /// cells apart.
    cell: f32,
    cols: usize,
    rows: usize,
    lists: Vec<Vec<usize>>,
    candidates: Vec<usize>,
}

impl Buckets {
    pub(crate) fn new(herd: &Herd) -> Self {
        let cell = herd.reach();
        let [cols, rows] = herd.size.map(|extent| (extent / cell).ceil().max(1.0) as usize);
        Self { cell, cols, rows, lists: vec![Vec::new(); cols * rows], candidates: Vec::new() }
    }

    /// Column and row of a position.
    fn at(&self, [x, y]: Vector) -> (usize, usize) {
        // `as` truncates, and makes zero of what is below zero.
        let col = ((x / self.cell) as usize).min(self.cols - 1);
        let row = ((y / self.cell) as usize).min(self.rows - 1);
        (col, row)
    }

    /// The lists of the nine cells around a position.
    fn around(&self, position: Vector) -> impl Iterator<Item = &Vec<usize>> {
        let (col, row) = self.at(position);
        let cols = col.saturating_sub(1)..(col + 2).min(self.cols);
        let rows = row.saturating_sub(1)..(row + 2).min(self.rows);
        rows.flat_map(move |row| self.lists[row * self.cols..][cols.clone()].iter())
    }
}

impl Search for Buckets {
    fn build(&mut self, herd: &Herd) {
        self.lists.iter_mut().for_each(Vec::clear);
        for (i, walker) in herd.walkers.iter().enumerate() {
            let (col, row) = self.at(walker.position);
            self.lists[row * self.cols + col].push(i);
        }
    }

    fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for list in self.around(herd.walkers[i].position) {
            candidates.extend_from_slice(list);
        }
        candidates.sort_unstable();
        for &j in &candidates {
            if j != i && herd.hears(i, j) {
                visit(j);
            }
        }
        self.candidates = candidates;
    }

    fn tests(&self, herd: &Herd) -> Option<u64> {
        let others = |position| self.around(position).map(Vec::len).sum::<usize>() - 1;
        Some(herd.walkers.iter().map(|walker| others(walker.position) as u64).sum())
    }
}
