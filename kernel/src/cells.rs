//! Bodies in the cells of a grid, and who hears whom: runs of consecutive bodies.

use crate::grid::{Grid, Order, REACH};
use crate::simd::{MAX_LANES, Simd};
use crate::sort::{Places, Sorter, Spread};
use std::ops::Range;

/// Bodies counted into the cells of a grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub grid: Grid,
    /// Where each cell's bodies start, and [`BEFORE`] and [`AFTER`] entries around them.
    starts: Vec<u32>,
    pub places: Places,
    sorter: Sorter,
}

/// Entries of [`Cells::starts`] before the first cell and after the last: what a window reads there
/// is a bound that is too wide, never one that is too narrow.
const BEFORE: usize = REACH[0] as usize;
const AFTER: usize = REACH[0] as usize + 1 + MAX_LANES;

/// In larger flocks all lanes hear whole runs; in smaller ones every distance in storage is exact as
/// an `f32`.
const MOST_ALONG: usize = 1 << 24;

impl Cells {
    /// Sorts bodies into `grid`. Afterwards `places` tells where each one came from.
    pub(crate) fn sort(
        &mut self,
        grid: Grid,
        x: &[f32],
        y: &[f32],
        id: &[u32],
        order: Order,
        spread: Spread,
    ) {
        self.grid = grid;
        let cells = self.grid.len();
        self.starts.resize(BEFORE + cells + AFTER, 0);
        self.starts[BEFORE + cells..].fill(id.len() as u32);
        let starts = &mut self.starts[BEFORE..=BEFORE + cells];
        self.sorter.sort(&self.grid, [x, y], id, starts, &mut self.places, order, spread);
    }

    /// The bodies in these rows' and columns' cells, as runs of consecutive places.
    pub(crate) fn runs(&self, row: u32, cols: &[Range<u32>; 2]) -> [Range<usize>; 2] {
        let first = row as usize * self.grid.cols as usize;
        [0, 1].map(|half| {
            let start = self.start(first + cols[half].start as usize);
            start..self.start(first + cols[half].end as usize)
        })
    }

    /// A row and those that its bodies hear.
    #[inline(always)]
    pub(crate) fn row_around(&self, number: u32, order: Order) -> RowAround<'_> {
        let own = self.row(number);
        // Entries that are left over are never heard.
        let mut rows = [own.clone(), own.clone(), own.clone()];
        let mut heard = 0;
        for number in self.grid.rows_heard(number, order).into_iter().flatten() {
            rows[heard] = self.row(number);
            heard += 1;
        }
        RowAround { number, bodies: own.bodies.clone(), own, rows, heard }
    }

    /// The bodies from the row before the first of these to the row after the last; no axis wraps.
    pub(crate) fn rows_touching(&self, [first, last]: [u32; 2]) -> Range<usize> {
        let first = first.saturating_sub(REACH[1]) * self.grid.cols;
        let last = (last + REACH[1] + 1).min(self.grid.rows) * self.grid.cols;
        self.start(first as usize)..self.start(last as usize)
    }

    fn row(&self, number: u32) -> Row<'_> {
        let cols = self.grid.cols as usize;
        let first = number as usize * cols;
        let starts = &self.starts[first..first + BEFORE + cols + AFTER];
        Row { starts, cols, bodies: self.start(first)..self.start(first + cols) }
    }

    /// Where the bodies of a cell start; also for the one after the last.
    #[inline(always)]
    pub(crate) fn start(&self, cell: usize) -> usize {
        self.starts[BEFORE + cell] as usize
    }

    /// The candidates of a block in `row` and `cols`, in the order they are heard; later entries
    /// may be empty.
    pub(crate) fn candidates(&self, row: u32, cols: Range<u32>, order: Order) -> [Range<usize>; 6] {
        let cols = self.grid.cols_around(cols, REACH[0]);
        let mut runs = [const { 0..0 }; 6];
        for (pair, row) in runs.chunks_exact_mut(2).zip(self.grid.rows_heard(row, order)) {
            if let Some(row) = row {
                pair.clone_from_slice(&self.runs(row, &cols));
            }
        }
        runs
    }

    /// Ordered pairs of two bodies at most [`REACH`] cells apart.
    pub(crate) fn distance_tests(&self) -> u64 {
        let mut tests = 0;
        for row in 0..self.grid.rows {
            for col in 0..self.grid.cols {
                let own = self.runs(row, &[col..col + 1, 0..0])[0].len() as u64;
                if own > 0 {
                    let around = self.candidates(row, col..col + 1, Order::Canonical);
                    let heard: u64 = around.iter().map(|run| run.len() as u64).sum();
                    tests += own * (heard - 1);
                }
            }
        }
        tests
    }
}

/// One row of cells.
#[derive(Clone)]
pub(crate) struct Row<'a> {
    /// Where each cell's bodies start, with [`BEFORE`] and [`AFTER`] entries around them.
    starts: &'a [u32],
    cols: usize,
    pub bodies: Range<usize>,
}

/// A row, and the rows that its bodies hear.
pub(crate) struct RowAround<'a> {
    pub number: u32,
    pub bodies: Range<usize>,
    own: Row<'a>,
    /// In the order they are heard; only the first `heard` count.
    pub rows: [Row<'a>; 3],
    pub heard: usize,
}

impl RowAround<'_> {
    /// The bodies of each row that a block in `cols` can hear, where no seam is near.
    #[inline(always)]
    pub(crate) fn runs(&self, cols: &Range<u32>) -> [Range<usize>; 3] {
        let low = cols.start.saturating_sub(REACH[0]) as usize;
        let high = (cols.end + REACH[0]) as usize;
        let mut runs = [0..0, 0..0, 0..0];
        for (run, row) in runs.iter_mut().zip(&self.rows) {
            let [low, high] = [low, high.min(row.cols)].map(|col| row.starts[BEFORE + col]);
            *run = low as usize..high as usize;
        }
        runs
    }

    /// For each row, where lane 0 must listen so that lane `i`, which listens `i` places further,
    /// meets every body in its reach. The bodies of the block at `span` are in `cols` of the own
    /// row; no seam is near. Where that reaches outside the `bodies` there are, it is the run, which
    /// all lanes can hear together.
    #[inline(always)]
    pub(crate) fn windows<S: Simd>(
        &self,
        s: S,
        cols: &Range<u32>,
        span: &Range<usize>,
        runs: &[Range<usize>; 3],
        bodies: usize,
    ) -> [Range<usize>; 3] {
        let mut windows = runs.clone();
        if bodies > MOST_ALONG {
            return windows;
        }
        // Cells are in the lanes here; their starts, told from where a run or block starts, are
        // small whole numbers, which f32 holds exactly.
        const REACHED: usize = REACH[0] as usize;
        let (zero, len) = (s.splat(0.0), s.splat(span.len() as f32));
        let (mut low, mut high) = ([s.splat(f32::MAX); 3], [s.splat(f32::MIN); 3]);
        for col in (cols.start as usize..cols.end as usize).step_by(S::LANES) {
            // From each cell's first lane to the one after its last. A cell without a lane changes
            // nothing: the cells beside it ask for more.
            let start = s.load_since(&self.own.starts[BEFORE + col..], span.start as u32);
            let end = s.load_since(&self.own.starts[BEFORE + col + 1..], span.start as u32);
            let start = s.max(zero, s.min(len, start));
            let end = s.max(zero, s.min(len, end));
            for k in 0..3 {
                let starts = &self.rows[k].starts[col..];
                let from = s.load_since(&starts[BEFORE - REACHED..], runs[k].start as u32);
                let to = s.load_since(&starts[BEFORE + REACHED + 1..], runs[k].start as u32);
                low[k] = s.min(low[k], s.max(zero, from) - end);
                high[k] = s.max(high[k], s.min(s.splat(runs[k].len() as f32), to) - start);
            }
        }
        for k in 0..3 {
            let low = runs[k].start as isize + s.least(low[k]) as isize + 1;
            let high = runs[k].start as isize + s.greatest(high[k]) as isize;
            if low >= 0 && high + S::LANES as isize - 1 <= bodies as isize {
                windows[k] = low as usize..high as usize;
            }
        }
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Isa;
    use crate::world::{Edge, World};

    #[test]
    fn sort_is_by_cell_then_id() {
        let world = World::new(40.0, 40.0, Edge::Walls);
        let (x, y) = ([35.0, 1.0, 35.0, 1.0, 1.0], [1.0, 1.0, 1.0, 35.0, 1.0]);
        let mut cells = Cells::default();
        let grid = Grid::new(&world, 10.0, &x, &y);
        let spread = Spread { parallel_from: usize::MAX, isa: Isa::best() };
        cells.sort(grid, &x, &y, &[9, 8, 3, 1, 4], Order::Canonical, spread);
        let ids: Vec<u32> = cells.places.iter().map(|place| place.id).collect();
        assert_eq!(ids, [4, 8, 3, 9, 1]);
    }
}
