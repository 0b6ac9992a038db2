//! A grid in a hash map from cell to bodies, the way most game code has it.

use super::herd::{Herd, Vector};
use super::search::Search;
#[expect(clippy::disallowed_types, reason = "a rival; its iteration order is never read")]
use std::collections::HashMap;

#[expect(clippy::disallowed_types, reason = "a rival; its iteration order is never read")]
#[derive(Default)]
pub(crate) struct HashGrid {
    cells: HashMap<[i32; 2], Vec<u32>>,
}

/// The cell of a position. Cells are a hair wider than the radius, as in the chapter's buckets.
fn cell_of(herd: &Herd, position: Vector) -> [i32; 2] {
    position.map(|along| (along / herd.reach()) as i32)
}

impl HashGrid {
    fn around(&self, [col, row]: [i32; 2]) -> impl Iterator<Item = &Vec<u32>> {
        let cells =
            (row - 1..=row + 1).flat_map(move |row| (col - 1..=col + 1).map(move |col| [col, row]));
        cells.filter_map(|cell| self.cells.get(&cell))
    }
}

impl Search for HashGrid {
    fn build(&mut self, herd: &Herd) {
        // The lists stay for their memory.
        self.cells.values_mut().for_each(Vec::clear);
        for (walker, i) in herd.walkers.iter().zip(0..) {
            self.cells.entry(cell_of(herd, walker.position)).or_default().push(i);
        }
    }

    #[inline]
    fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        for list in self.around(cell_of(herd, herd.walkers[i].position)) {
            for &j in list {
                let j = j as usize;
                if j != i && herd.hears(i, j) {
                    visit(j);
                }
            }
        }
    }

    fn tests(&self, herd: &Herd) -> Option<u64> {
        let others = |position| {
            let lists = self.around(cell_of(herd, position));
            lists.map(Vec::len).sum::<usize>() - 1
        };
        Some(herd.walkers.iter().map(|walker| others(walker.position) as u64).sum())
    }
}
