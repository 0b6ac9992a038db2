//! The grid of cells. docs/contract.md, "Order", has the proof that two bodies within the radius are
//! never more than [`REACH`] cells apart.

use crate::world::{Edge, World};
use std::ops::Range;

/// The most cells along one axis.
const MAX_CELLS: f32 = 16_384.0;

/// Cells are wider than the radius by this much, which absorbs every rounding.
const SLACK: f32 = 65.0 / 64.0;

/// Cells are half as wide as they are tall: what a body hears then lies in fewer places.
const CELLS_PER_SIDE: [f32; 2] = [2.0, 1.0];

/// Two bodies within the radius are at most this many cells apart along each axis.
pub(crate) const REACH: [u32; 2] = [2, 1];

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

    /// Whether any axis is a torus.
    pub(crate) fn wraps(&self) -> bool {
        self.wraps[0] || self.wraps[1]
    }

    /// Whether a block in these cells can see across a seam.
    pub(crate) fn sees_seam(&self, row: u32, cols: &Range<u32>) -> bool {
        (self.wraps[0] && (cols.start < REACH[0] || cols.end + REACH[0] > self.cols))
            || (self.wraps[1] && (row < REACH[1] || row + 1 + REACH[1] > self.rows))
    }

    /// The rows that a body in `row` hears, in the order it hears them.
    #[inline(always)]
    pub(crate) fn rows_heard(&self, row: u32, order: Order) -> [Option<u32>; 3] {
        match order {
            Order::OwnRowFirst => self.own_row_first(row),
            Order::Canonical => {
                let mut rows = [None; 3];
                let [low, high] = self.rows_around(row..row + 1, REACH[1]);
                for (slot, row) in rows.iter_mut().zip(low.chain(high)) {
                    *slot = Some(row);
                }
                rows
            }
        }
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
    let limit = 16 * bodies as u64 + 2048;
    let mut cell = radius * SLACK;
    loop {
        let counts = [0, 1].map(|axis| {
            let count = (lengths[axis] / (cell / CELLS_PER_SIDE[axis])).floor();
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
    // Truncation as the compiler can vectorise it (a cast that saturates it cannot): from 2^23 on,
    // consecutive bit patterns are consecutive whole numbers; the value is clamped to less than 2^15.
    const WHOLE: f32 = 8_388_608.0;
    let nearest = place + WHOLE;
    let rounded_up = nearest - WHOLE > place;
    nearest.to_bits() - WHOLE.to_bits() - u32::from(rounded_up)
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
}
