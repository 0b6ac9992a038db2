//! The grid, and the counting sort that brings bodies into canonical order: ascending
//! `(row, col, id)`. docs/contract.md, "Order", has the proof that two bodies within the radius are
//! never more than one cell apart.

use crate::parallel::{Job, Slots, Tally, drive, for_each, threads};
use crate::simd::{Isa, Kernel, Simd};
use crate::world::{Edge, World};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most cells along one axis.
const MAX_CELLS: f32 = 16_384.0;

/// Cells are wider than the radius by this much, which absorbs every rounding.
const SLACK: f32 = 65.0 / 64.0;

/// Cells up to this many bodies are put in id order by insertion: they are nearly sorted already.
const INSERTION_LIMIT: usize = 24;

/// Which cell a position is in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub cols: u32,
    pub rows: u32,
    origin: [f32; 2],
    /// Cells a unit of length; 0 on an axis of one cell.
    scale: [f32; 2],
    wraps: [bool; 2],
}

impl Grid {
    /// The grid of the contract for these positions. `radius` 0 means that no rule is in use.
    pub(crate) fn new(world: &World, radius: f32, x: &[f32], y: &[f32]) -> Self {
        let axes = [(0, x), (1, y)].map(|(axis, values)| match world.edges[axis] {
            Edge::Open => bounds(values),
            Edge::Walls | Edge::Torus => (0.0, world.size[axis]),
        });
        let counts = cell_counts(axes.map(|(_, length)| length), radius, x.len());
        let scale = [0, 1]
            .map(|axis| if counts[axis] > 1 { counts[axis] as f32 / axes[axis].1 } else { 0.0 });
        Self {
            cols: counts[0],
            rows: counts[1],
            origin: axes.map(|(start, _)| start),
            scale,
            wraps: world.edges.map(|edge| edge == Edge::Torus),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.cols as usize * self.rows as usize
    }

    #[inline(always)]
    pub(crate) fn col(&self, x: f32) -> u32 {
        cell_along(x, self.origin[0], self.scale[0], self.cols)
    }

    #[inline(always)]
    pub(crate) fn row(&self, y: f32) -> u32 {
        cell_along(y, self.origin[1], self.scale[1], self.rows)
    }

    /// How many cells a length can reach across along each axis, rounding included.
    pub(crate) fn reach(&self, length: f32) -> [u32; 2] {
        // One more than the quotient, and one for its rounding; `as` saturates.
        self.scale.map(|scale| ((length * scale) as u32).saturating_add(2))
    }

    /// The columns within `reach` of `cols`.
    pub(crate) fn cols_around(&self, cols: Range<u32>, reach: u32) -> [Range<u32>; 2] {
        around(cols, reach, self.cols, self.wraps[0])
    }

    /// The rows within `reach` of `rows`.
    pub(crate) fn rows_around(&self, rows: Range<u32>, reach: u32) -> [Range<u32>; 2] {
        around(rows, reach, self.rows, self.wraps[1])
    }

    /// Whether a block in these cells can see across a seam.
    pub(crate) fn sees_seam(&self, row: u32, cols: &Range<u32>) -> bool {
        (self.wraps[0] && (cols.start == 0 || cols.end == self.cols))
            || (self.wraps[1] && (row == 0 || row + 1 == self.rows))
    }

    /// The row itself, the one above and the one below, each once: the order of the engine that
    /// shows why order matters.
    fn own_row_first(&self, row: u32) -> [Option<u32>; 3] {
        let wrapped = |row: u32, by: u32| self.wraps[1].then_some((row + by) % self.rows);
        let above = if row > 0 { Some(row - 1) } else { wrapped(row, self.rows - 1) };
        let below = if row + 1 < self.rows { Some(row + 1) } else { wrapped(row, 1) };
        let above = above.filter(|&above| above != row);
        [Some(row), above, below.filter(|&below| below != row && Some(below) != above)]
    }
}

/// Start and length of what the values cover.
fn bounds(values: &[f32]) -> (f32, f32) {
    let Some(&first) = values.first() else {
        return (0.0, 0.0);
    };
    let (low, high) = values.iter().fold((first, first), |(low, high), &value| {
        (if value < low { value } else { low }, if value > high { value } else { high })
    });
    (low, high - low)
}

/// Columns and rows for these lengths.
fn cell_counts(lengths: [f32; 2], radius: f32, bodies: usize) -> [u32; 2] {
    if radius == 0.0 {
        return [1, 1];
    }
    let limit = 8 * bodies as u64 + 1024;
    let mut cell = radius * SLACK;
    loop {
        let counts = lengths.map(|length| {
            let count = (length / cell).floor();
            let count = if count > MAX_CELLS { MAX_CELLS } else { count };
            if count < 1.0 { 1 } else { count as u32 }
        });
        if u64::from(counts[0]) * u64::from(counts[1]) <= limit {
            return counts;
        }
        cell *= 2.0;
    }
}

#[inline(always)]
fn cell_along(value: f32, origin: f32, scale: f32, count: u32) -> u32 {
    let place = (value - origin) * scale;
    let last = (count - 1) as f32;
    let place = if place > last { last } else { place };
    let place = if place < 0.0 { 0.0 } else { place };
    // Through i32, which has a vector instruction; the value is clamped to less than 2^15.
    place as i32 as u32
}

/// The cells of an axis within `reach` of `cells`, each once and ascending: one range, or two where
/// a torus is seen across its seam.
fn around(cells: Range<u32>, reach: u32, count: u32, wraps: bool) -> [Range<u32>; 2] {
    let start = i64::from(cells.start) - i64::from(reach);
    let end = i64::from(cells.end) + i64::from(reach);
    let count = i64::from(count);
    let (low, high) = if !wraps {
        (start.max(0)..end.min(count), 0..0)
    } else if end - start >= count {
        (0..count, 0..0)
    } else if start < 0 {
        (0..end, start + count..count)
    } else if end > count {
        (0..end - count, start..count)
    } else {
        (start..end, 0..0)
    };
    [low, high].map(|range| range.start as u32..range.end as u32)
}

/// In which order the rows around a block are read, and whether ids settle the order in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Ascending `(row, col, id)`: the contract.
    Canonical,
    /// Own row first, then above, then below; within a cell as stored.
    OwnRowFirst,
}

/// Bodies counted into the cells of a grid.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub grid: Grid,
    /// Where each cell's bodies start; one more entry than cells.
    pub starts: Vec<u32>,
    /// Per body, in canonical order: id in the high half, its place before the sort in the low.
    /// Atomic only so that chunks can place their bodies side by side; a relaxed access is a plain
    /// one.
    pub places: Vec<AtomicU64>,
    cell_of: Vec<u32>,
    /// For each chunk of bodies and each cell: how many, then where the next one goes.
    cursors: Vec<u32>,
}

impl Clone for Cells {
    fn clone(&self) -> Self {
        let copy = |place: &AtomicU64| AtomicU64::new(place.load(Relaxed));
        Self {
            grid: self.grid.clone(),
            starts: self.starts.clone(),
            places: self.places.iter().map(copy).collect(),
            cell_of: self.cell_of.clone(),
            cursors: self.cursors.clone(),
        }
    }
}

/// What spreads a sort: how many chunks, from how many bodies on, and with which instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub parallel_from: usize,
    pub isa: Isa,
}

/// More chunks than this would only make more counts to add up.
const MOST_CHUNKS: usize = 16;

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
        self.find_cells(x, y, spread);
        self.starts.resize(self.grid.len() + 1, 0);
        self.places.resize_with(id.len(), AtomicU64::default);
        let alone = id.len() < spread.parallel_from;
        let chunks = if alone { 1 } else { threads().min(MOST_CHUNKS) };
        let chunk = id.len().div_ceil(chunks).max(1);
        self.count(chunks, chunk);
        self.scatter(chunk, id);
        if order == Order::Canonical {
            let Self { starts, places, .. } = self;
            // There may be more cells than bodies, and it is bodies that make it worth a pool.
            let from = if alone { usize::MAX } else { spread.parallel_from };
            drive(Ties { starts, places }, from, &|ties: Ties<'_>| ties.settle());
        }
    }

    /// Each body's cell.
    fn find_cells(&mut self, x: &[f32], y: &[f32], spread: Spread) {
        let Self { grid, cell_of, .. } = self;
        cell_of.resize(x.len(), 0);
        drive(Slots { start: 0, columns: [cell_of] }, spread.parallel_from, &|slots| {
            let Slots { start, columns: [cells] } = slots;
            let bodies = start..start + cells.len();
            let (x, y) = (&x[bodies.clone()], &y[bodies]);
            spread.isa.run(FindCells { grid, x, y, cells });
            Tally::default()
        });
    }

    /// How many bodies of each chunk lie in each cell, then where each chunk's go.
    fn count(&mut self, chunks: usize, chunk: usize) {
        let Self { starts, cell_of, cursors, .. } = self;
        let cells = starts.len() - 1;
        cursors.clear();
        cursors.resize(chunks * cells, 0);
        for_each(cursors.chunks_mut(cells).zip(cell_of.chunks(chunk)), |(counts, cell_of)| {
            for &cell in cell_of {
                counts[cell as usize] += 1;
            }
        });
        let mut next = 0;
        for (cell, start) in starts.iter_mut().enumerate() {
            *start = next;
            if cell < cells {
                for cursor in cursors[cell..].iter_mut().step_by(cells) {
                    let count = *cursor;
                    *cursor = next;
                    next += count;
                }
            }
        }
    }

    /// Places bodies chunk by chunk, so that those of one cell keep their order.
    fn scatter(&mut self, chunk: usize, id: &[u32]) {
        let Self { starts, places, cell_of, cursors, .. } = self;
        let cells = starts.len() - 1;
        let chunks = cell_of.chunks(chunk).zip(id.chunks(chunk)).enumerate();
        for_each(cursors.chunks_mut(cells).zip(chunks), |(next, (number, (cell_of, id)))| {
            for (offset, (&cell, &id)) in cell_of.iter().zip(id).enumerate() {
                let place = number * chunk + offset;
                let at = &mut next[cell as usize];
                places[*at as usize].store(u64::from(id) << 32 | place as u64, Relaxed);
                *at += 1;
            }
        });
    }

    /// The bodies in these rows' and columns' cells, as runs of consecutive places.
    pub(crate) fn runs(&self, row: u32, cols: &[Range<u32>; 2]) -> [Range<usize>; 2] {
        let first = row as usize * self.grid.cols as usize;
        [0, 1].map(|half| {
            let start = self.starts[first + cols[half].start as usize] as usize;
            start..self.starts[first + cols[half].end as usize] as usize
        })
    }

    /// The candidates of a block in `row` and `cols`, in the order they are heard; later entries
    /// may be empty.
    pub(crate) fn candidates(&self, row: u32, cols: Range<u32>, order: Order) -> [Range<usize>; 6] {
        let cols = self.grid.cols_around(cols, 1);
        let mut rows = [None; 3];
        match order {
            Order::OwnRowFirst => rows = self.grid.own_row_first(row),
            Order::Canonical => {
                let [low, high] = self.grid.rows_around(row..row + 1, 1);
                for (slot, row) in rows.iter_mut().zip(low.chain(high)) {
                    *slot = Some(row);
                }
            }
        }
        let mut runs = [const { 0..0 }; 6];
        for (pair, row) in runs.chunks_exact_mut(2).zip(rows) {
            if let Some(row) = row {
                pair.clone_from_slice(&self.runs(row, &cols));
            }
        }
        runs
    }

    /// Ordered pairs of two bodies in the same or touching cells.
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

/// Consecutive cells whose bodies are to be brought into id order.
struct Ties<'a> {
    /// Bounds of the cells, as places in the whole.
    starts: &'a [u32],
    places: &'a mut [AtomicU64],
}

impl Ties<'_> {
    fn settle(self) -> Tally {
        let first = self.starts[0];
        for bounds in self.starts.windows(2) {
            let [start, end] = [bounds[0], bounds[1]].map(|place| (place - first) as usize);
            let cell = &mut self.places[start..end];
            if cell.len() <= INSERTION_LIMIT {
                insertion_sort(cell);
            } else {
                cell.sort_unstable_by_key(|place| place.load(Relaxed));
            }
        }
        Tally::default()
    }
}

impl Job for Ties<'_> {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn split(self, at: usize) -> (Self, Self) {
        let (first, rest) = self.places.split_at_mut((self.starts[at] - self.starts[0]) as usize);
        (
            Self { starts: &self.starts[..=at], places: first },
            Self { starts: &self.starts[at..], places: rest },
        )
    }
}

fn insertion_sort(cell: &mut [AtomicU64]) {
    for end in 1..cell.len() {
        let moving = *cell[end].get_mut();
        let mut at = end;
        while at > 0 && *cell[at - 1].get_mut() > moving {
            *cell[at].get_mut() = *cell[at - 1].get_mut();
            at -= 1;
        }
        *cell[at].get_mut() = moving;
    }
}

/// The loop that finds cells, compiled for each instruction set; the compiler vectorises it.
struct FindCells<'a> {
    grid: &'a Grid,
    x: &'a [f32],
    y: &'a [f32],
    cells: &'a mut [u32],
}

impl Kernel for FindCells<'_> {
    type Output = ();

    #[inline(always)]
    fn call<S: Simd>(self, _: S) {
        let grid = self.grid;
        for ((cell, &x), &y) in self.cells.iter_mut().zip(self.x).zip(self.y) {
            *cell = grid.row(y) * grid.cols + grid.col(x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn around_names_each_cell_once_and_ascending() {
        assert_eq!(around(0..1, 1, 5, false), [0..2, 0..0]);
        assert_eq!(around(4..5, 1, 5, false), [3..5, 0..0]);
        assert_eq!(around(0..1, 1, 5, true), [0..2, 4..5]);
        assert_eq!(around(4..5, 1, 5, true), [0..1, 3..5]);
        for count in 1..8u32 {
            for start in 0..count {
                for reach in 0..4 {
                    let [low, high] = around(start..start + 1, reach, count, true);
                    let found: Vec<u32> = low.chain(high).collect();
                    let wanted: Vec<u32> = (0..count)
                        .filter(|&cell| {
                            let apart = cell.abs_diff(start);
                            apart.min(count - apart) <= reach
                        })
                        .collect();
                    assert_eq!(found, wanted, "{count} cells, {start}, reach {reach}");
                }
            }
        }
    }

    #[test]
    fn own_row_first_names_each_row_once() {
        let world = World::new(10.0, 10.0, Edge::Torus);
        let grid = Grid { rows: 2, ..Grid::new(&world, 5.0, &[], &[]) };
        assert_eq!(grid.own_row_first(0), [Some(0), Some(1), None]);
        let grid = Grid { rows: 4, ..grid };
        assert_eq!(grid.own_row_first(0), [Some(0), Some(3), Some(1)]);
        let grid = Grid { rows: 1, ..grid };
        assert_eq!(grid.own_row_first(0), [Some(0), None, None]);
    }

    #[test]
    fn sort_is_by_cell_then_id() {
        let world = World::new(40.0, 40.0, Edge::Walls);
        let (x, y) = ([35.0, 1.0, 35.0, 1.0, 1.0], [1.0, 1.0, 1.0, 35.0, 1.0]);
        let mut cells = Cells::default();
        let grid = Grid::new(&world, 10.0, &x, &y);
        let spread = Spread { parallel_from: usize::MAX, isa: Isa::best() };
        cells.sort(grid, &x, &y, &[9, 8, 3, 1, 4], Order::Canonical, spread);
        let ids: Vec<u64> = cells.places.iter().map(|place| place.load(Relaxed) >> 32).collect();
        assert_eq!(ids, [4, 8, 3, 9, 1]);
    }
}
