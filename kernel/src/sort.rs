//! The counting sort that brings bodies into canonical order: ascending `(row, col, id)`.
//!
//! Bodies arrive nearly in that order, that of the tick before. Each chunk of them therefore falls
//! into a narrow stretch of cells, which it counts and fills on its own; where stretches of several
//! chunks meet, ids are put in order afterwards.

use crate::grid::{Grid, Order};
use crate::parallel::{Job, Tally, drive, for_each, threads};
use crate::simd::{Isa, Kernel, Simd};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// How a sort runs: spread from how many bodies on, and with which instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub parallel_from: usize,
    pub isa: Isa,
}

/// More chunks than this would only make more counts to add up.
const MOST_CHUNKS: usize = 16;

/// Cells of at most this many bodies are put in id order by insertion; with larger ones about,
/// all are sorted once they are full.
const MOST_INSERTED: usize = 32;

/// How many cells wait to be put in order.
const BATCH: usize = 64;

/// Where a sorted body comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub id: u32,
    /// Its index before the sort.
    pub from: u32,
}

impl Place {
    /// The id in the high half, so that numbers compare as ids.
    fn pack(self) -> u64 {
        u64::from(self.id) << 32 | u64::from(self.from)
    }

    fn unpack(packed: u64) -> Self {
        Self { id: (packed >> 32) as u32, from: packed as u32 }
    }
}

/// A [`Place`] for each body, in canonical order. Atomic only so that chunks can place their bodies
/// side by side; a relaxed access is a plain one.
#[derive(Debug, Default)]
pub(crate) struct Places(Vec<AtomicU64>);

impl Places {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Place> + '_ {
        self.from(0)
    }

    /// Those from the sorted place `start` on.
    #[inline(always)]
    pub(crate) fn from(&self, start: usize) -> impl Iterator<Item = Place> + '_ {
        self.0[start..].iter().map(|place| Place::unpack(place.load(Relaxed)))
    }
}

impl Clone for Places {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|place| AtomicU64::new(place.load(Relaxed))).collect())
    }
}

/// Consecutive bodies that one task counts and places.
#[derive(Debug, Default)]
struct Chunk {
    bodies: Range<usize>,
    /// From its first body's cell to its last's.
    cells: Range<usize>,
    /// Those of them that no other chunk counts in.
    alone: Range<usize>,
    /// For each of `cells`: how many, then where the next one goes. Atomic only so that sections of
    /// cells can be placed side by side.
    cursors: Vec<AtomicU32>,
    /// How many of its bodies each section of the grid holds; there are as many as chunks.
    sections: [u32; MOST_CHUNKS],
    /// Whether a cell of more than [`MOST_INSERTED`] got a body out of order.
    crowded: bool,
}

impl Chunk {
    /// Counts its bodies; sections are of `section` cells each.
    fn count(&mut self, cell_of: &[u32], section: usize) {
        let Self { cells, cursors, sections, .. } = self;
        if cursors.len() < cells.len() {
            cursors.resize_with(cells.len(), AtomicU32::default);
        }
        let counts = &mut cursors[..cells.len()];
        counts.iter_mut().for_each(|count| *count.get_mut() = 0);
        for &cell in cell_of {
            *counts[cell as usize - cells.start].get_mut() += 1;
        }
        for (k, sum) in sections.iter_mut().enumerate() {
            let [from, to] = [k * section, (k + 1) * section]
                .map(|cell| cell.clamp(cells.start, cells.end) - cells.start);
            *sum = counts[from..to].iter_mut().map(|count| *count.get_mut()).sum();
        }
    }
}

/// Buffers of the sort, kept from tick to tick.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    cell_of: Vec<u32>,
    /// Only the first `in_use` count in this sort.
    chunks: Vec<Chunk>,
    in_use: usize,
}

impl Clone for Sorter {
    /// Nothing in the buffers outlives a sort.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Sorter {
    /// Sorts bodies by cell, then by id. `starts` has one entry more than there are cells.
    #[expect(clippy::too_many_arguments, reason = "inputs, outputs and how; used once")]
    pub(crate) fn sort(
        &mut self,
        grid: &Grid,
        position: [&[f32]; 2],
        id: &[u32],
        starts: &mut [u32],
        places: &mut Places,
        order: Order,
        spread: Spread,
    ) {
        places.0.resize_with(id.len(), AtomicU64::default);
        if id.is_empty() {
            starts.fill(0);
            return;
        }
        self.count(grid, position, spread);
        self.tell_apart();
        self.place_cells(&mut starts[..grid.len()]);
        let in_order = order == Order::Canonical;
        self.place_bodies(id, starts, places, in_order);
        if in_order {
            self.settle(starts, &mut places.0, spread.parallel_from);
        }
    }

    /// Each body's cell, and how many bodies of each chunk a cell has. There is a body.
    fn count(&mut self, grid: &Grid, [x, y]: [&[f32]; 2], spread: Spread) {
        let Self { cell_of, chunks, in_use } = self;
        let (n, cells) = (x.len(), grid.len());
        cell_of.resize(n, 0);
        let count = if n < spread.parallel_from { 1 } else { threads().min(MOST_CHUNKS) };
        let size = n.div_ceil(count);
        *in_use = n.div_ceil(size);
        if chunks.len() < *in_use {
            chunks.resize_with(*in_use, Chunk::default);
        }
        let chunks = &mut chunks[..*in_use];
        // Many chunks of bodies far from any order would need too much room: then one does it all.
        let section = cells.div_ceil(chunks.len());
        let most_cells = 4 * section + size;
        let work = chunks.iter_mut().zip(cell_of.chunks_mut(size)).enumerate();
        for_each(work, |(k, (chunk, cell_of))| {
            chunk.bodies = k * size..k * size + cell_of.len();
            let [x, y] = [x, y].map(|values| &values[chunk.bodies.clone()]);
            let found = spread.isa.run(FindCells { grid, x, y, cells: &mut *cell_of });
            chunk.cells = found.start as usize..found.end as usize;
            if chunk.cells.len() <= most_cells {
                chunk.count(cell_of, section);
            }
        });
        if chunks.len() > 1 && chunks.iter().any(|chunk| chunk.cells.len() > most_cells) {
            *in_use = 1;
            chunks[0].bodies = 0..n;
            chunks[0].cells = 0..cells;
            chunks[0].count(cell_of, cells);
        }
    }

    /// Finds the cells that each chunk has to itself.
    fn tell_apart(&mut self) {
        let chunks = &mut self.chunks[..self.in_use];
        for k in 0..chunks.len() {
            let mut alone = chunks[k].cells.clone();
            for other in chunks.iter().enumerate().filter(|&(j, _)| j != k).map(|(_, other)| other)
            {
                if other.cells.start <= alone.start {
                    alone.start = alone.start.max(other.cells.end);
                } else {
                    alone.end = alone.end.min(other.cells.start);
                }
            }
            alone.end = alone.end.max(alone.start);
            chunks[k].alone = alone;
            chunks[k].crowded = false;
        }
    }

    /// From counts to where each cell starts, and where each chunk's bodies of it go.
    fn place_cells(&mut self, starts: &mut [u32]) {
        let chunks = &self.chunks[..self.in_use];
        let size = starts.len().div_ceil(chunks.len());
        for_each(starts.chunks_mut(size).enumerate(), |(k, starts)| {
            let before = chunks.iter().flat_map(|chunk| &chunk.sections[..k]);
            let mut next = before.sum();
            let (mut cell, end) = (k * size, k * size + starts.len());
            while cell < end {
                // As far as the same chunks have a say.
                let edges = chunks.iter().flat_map(|chunk| [chunk.cells.start, chunk.cells.end]);
                let until = edges.filter(|&edge| edge > cell).fold(end, usize::min);
                let mut here = chunks.iter().filter(|chunk| chunk.cells.contains(&cell));
                let starts = &mut starts[cell - k * size..until - k * size];
                match (here.next(), here.next()) {
                    (None, _) => starts.fill(next),
                    (Some(Chunk { cells, cursors, .. }), None) => {
                        let cursors = &cursors[cell - cells.start..until - cells.start];
                        for (start, cursor) in starts.iter_mut().zip(cursors) {
                            *start = next;
                            next += count_to_cursor(cursor, next);
                        }
                    }
                    _ => {
                        for (start, cell) in starts.iter_mut().zip(cell..) {
                            *start = next;
                            for Chunk { cells, cursors, .. } in chunks {
                                if cells.contains(&cell) {
                                    next += count_to_cursor(&cursors[cell - cells.start], next);
                                }
                            }
                        }
                    }
                }
                cell = until;
            }
        });
    }

    /// Places bodies chunk by chunk, so that those of one cell keep their order; where a chunk is
    /// alone, in id order.
    fn place_bodies(&mut self, id: &[u32], starts: &[u32], places: &Places, in_order: bool) {
        let Self { cell_of, chunks, in_use } = self;
        let places = &places.0[..];
        for_each(chunks[..*in_use].iter_mut(), |chunk| {
            let Chunk { bodies, cells, alone, cursors, crowded, .. } = chunk;
            let next = &mut cursors[..cells.len()];
            let starts = &starts[cells.clone()][..next.len()];
            let (first_alone, alone) = (alone.start - cells.start, alone.len());
            let alone = if in_order { alone } else { 0 };
            // Cells that got a body out of order. Which will cannot be predicted, so there is no
            // branch for it; they are put in order a batch at a time.
            let (mut waiting, mut batch) = (0, [0; BATCH]);
            let ids = id[bodies.clone()].iter().zip(bodies.start as u32..);
            for (&cell, (&id, from)) in cell_of[bodies.clone()].iter().zip(ids) {
                let cell = cell as usize - cells.start;
                let place = Place { id, from }.pack();
                let at = *next[cell].get_mut() as usize;
                *next[cell].get_mut() += 1;
                let first =
                    if cell.wrapping_sub(first_alone) < alone { starts[cell] } else { u32::MAX };
                let before = places[at.saturating_sub(1)].load(Relaxed);
                places[at].store(place, Relaxed);
                batch[waiting] = cell;
                waiting += usize::from((at > first as usize) & (before > place));
                if waiting == BATCH {
                    *crowded |= order_ids(&batch[..waiting], starts, next, places);
                    waiting = 0;
                }
            }
            *crowded |= order_ids(&batch[..waiting], starts, next, places);
        });
    }

    /// Brings what is left into id order: cells that several chunks share, or all cells if any was
    /// too crowded.
    fn settle(&self, starts: &[u32], places: &mut [AtomicU64], parallel_from: usize) {
        let Self { chunks, cell_of, in_use } = self;
        let chunks = &chunks[..*in_use];
        // There may be more cells than bodies, and it is bodies that make it worth a pool.
        let from = if cell_of.len() < parallel_from { usize::MAX } else { parallel_from };
        if chunks.iter().any(|chunk| chunk.crowded) {
            drive(Ties { starts, places }, from, &|ties: Ties<'_>| ties.settle());
            return;
        }
        // Several chunks may share the same cells, which need settling once.
        let mut shared = [const { 0..0 }; 2 * MOST_CHUNKS];
        for (pair, Chunk { cells, alone, .. }) in shared.chunks_exact_mut(2).zip(chunks) {
            pair[0] = cells.start..alone.start.min(cells.end);
            pair[1] = alone.end.max(cells.start)..cells.end;
        }
        let shared = &mut shared[..2 * chunks.len()];
        shared.sort_unstable_by_key(|cells| cells.start);
        let mut settled = 0;
        for cells in shared {
            let cells = cells.start.max(settled)..cells.end;
            if cells.is_empty() {
                continue;
            }
            settled = cells.end;
            let starts = &starts[cells.start..=cells.end];
            let bodies = starts[0] as usize..starts[starts.len() - 1] as usize;
            let ties = Ties { starts, places: &mut places[bodies] };
            drive(ties, from, &|ties: Ties<'_>| ties.settle());
        }
    }
}

/// Puts the bodies of each of these cells into id order, as far as they have been placed. Returns
/// whether any cell has so many that it must be sorted in another way.
fn order_ids(
    cells: &[usize],
    starts: &[u32],
    next: &mut [AtomicU32],
    places: &[AtomicU64],
) -> bool {
    let mut crowded = false;
    for &cell in cells {
        let places = &places[starts[cell] as usize..*next[cell].get_mut() as usize];
        if places.len() > MOST_INSERTED {
            crowded = true;
            continue;
        }
        for end in 1..places.len() {
            let moving = places[end].load(Relaxed);
            let mut at = end;
            while at > 0 && places[at - 1].load(Relaxed) > moving {
                places[at].store(places[at - 1].load(Relaxed), Relaxed);
                at -= 1;
            }
            places[at].store(moving, Relaxed);
        }
    }
    crowded
}

/// Writes where a cell's next body goes over how many there are, which it returns.
fn count_to_cursor(cursor: &AtomicU32, next: u32) -> u32 {
    let count = cursor.load(Relaxed);
    cursor.store(next, Relaxed);
    count
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
            self.places[start..end].sort_unstable_by_key(|place| place.load(Relaxed));
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

/// The loop that finds cells, compiled for each instruction set; the compiler vectorises it.
struct FindCells<'a> {
    grid: &'a Grid,
    x: &'a [f32],
    y: &'a [f32],
    cells: &'a mut [u32],
}

impl Kernel for FindCells<'_> {
    type Output = Range<u32>;

    #[inline(always)]
    fn call<S: Simd>(self, _: S) -> Range<u32> {
        let grid = self.grid;
        for ((cell, &x), &y) in self.cells.iter_mut().zip(self.x).zip(self.y) {
            *cell = grid.row(y) * grid.cols + grid.col(x);
        }
        let Some(&any) = self.cells.first() else { return 0..0 };
        let (mut first, mut end) = (any, any);
        for &cell in &*self.cells {
            first = first.min(cell);
            end = end.max(cell + 1);
        }
        first..end
    }
}
