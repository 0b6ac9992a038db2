//! Which bodies ask together, and whom they have to listen to.

use super::{Pass, Tick};
use crate::cells::RowAround;
use crate::grid::Order;
use crate::neighbours::{Answers, Asking, Ear};
use crate::simd::Simd;
use std::ops::Range;

/// Flocks that fill up to so many vectors are cut into blocks across rows, each of which hears one
/// run of whole rows: rows would not fill a vector.
pub(super) const BLOCKS_ACROSS_ROWS: usize = 3;

/// Where a task is among the rows of cells.
pub(super) struct Walk<'a> {
    pub row: RowAround<'a>,
    /// Whether blocks go across rows.
    pub across: bool,
}

/// The candidates of a block, in the order they are heard.
pub(super) struct Around {
    pub runs: [Range<usize>; 6],
    /// How many of them count.
    pub count: usize,
    /// Whether each lane hears its own part of the run; only the first three can.
    pub slides: [bool; 3],
    /// Whether offsets may have to be taken across a seam.
    pub wraps: bool,
}

impl<'a> Pass<'a> {
    #[inline(always)]
    pub(super) fn walk<S: Simd>(&self, bodies: Range<usize>) -> Walk<'a> {
        let Tick { sorted, cells, .. } = self.tick;
        let across =
            sorted.len() <= BLOCKS_ACROSS_ROWS * S::LANES && self.order == Order::Canonical;
        let mut row = cells.row_around(cells.grid.row(sorted.y[bodies.start]), self.order);
        if across {
            row.bodies = bodies;
        }
        Walk { row, across }
    }

    /// The next block: the first of these bodies, as far as they are in one row.
    #[inline(always)]
    pub(super) fn block<S: Simd>(
        &self,
        s: S,
        walk: &mut Walk<'a>,
        bodies: Range<usize>,
    ) -> Asking<S> {
        let Tick { sorted, cells, plan, .. } = self.tick;
        let at = bodies.start;
        if at >= walk.row.bodies.end {
            walk.row = cells.row_around(cells.grid.row(sorted.y[at]), self.order);
        }
        Asking {
            position: [s.load(&sorted.x[at..]), s.load(&sorted.y[at..])],
            span: at..bodies.end.min(walk.row.bodies.end).min(at + S::LANES),
            period: plan.period,
        }
    }

    /// Whom a block has to listen to.
    #[inline(always)]
    pub(super) fn around<S: Simd>(&self, s: S, asking: &Asking<S>, walk: &Walk<'a>) -> Around {
        let Tick { sorted, cells, .. } = self.tick;
        let Walk { row, across } = walk;
        let (first, last) = (asking.span.start, asking.span.end - 1);
        let n = sorted.len();
        let mut around =
            Around { runs: [const { 0..0 }; 6], count: 1, slides: [false; 3], wraps: false };
        if *across && cells.grid.wraps() {
            around.runs[0] = 0..n;
            around.wraps = true;
            return around;
        }
        if *across {
            let rows = [first, last].map(|place| cells.grid.row(sorted.y[place]));
            around.runs[0] = cells.rows_touching(rows);
            return around;
        }
        let cols = cells.grid.col(sorted.x[first])..cells.grid.col(sorted.x[last]) + 1;
        if cells.grid.sees_seam(row.number, &cols) {
            let runs = cells.candidates(row.number, cols, self.order);
            return Around { runs, count: 6, slides: [false; 3], wraps: true };
        }
        let runs = row.runs(&cols);
        let windows = row.windows(s, &cols, &asking.span, &runs, n);
        around.count = row.heard;
        for k in 0..3 {
            around.slides[k] = windows[k].len() < runs[k].len();
            let heard = if around.slides[k] { &windows[k] } else { &runs[k] };
            around.runs[k] = heard.clone();
        }
        around
    }
}

impl Around {
    /// How many pairs of lanes and candidates that is.
    pub(super) fn slots<S: Simd>(&self) -> u64 {
        let runs = self.runs[..self.count].iter();
        runs.map(|run| run.len() as u64).sum::<u64>() * S::LANES as u64
    }
}

/// A block and whom it hears.
pub(super) struct Hearsay<'a, S: Simd> {
    pub asking: &'a Asking<S>,
    pub answers: &'a Answers<'a>,
    pub around: &'a Around,
    pub walk: &'a Walk<'a>,
}

impl<S: Simd> Hearsay<'_, S> {
    /// Lets the block hear all of its candidates.
    #[inline(always)]
    pub(super) fn listen<E: Ear<S>>(&self, s: S, ear: &E, sums: &mut E::Sums) {
        let Self { asking, answers, around, walk } = self;
        for (k, run) in around.runs[..around.count].iter().enumerate() {
            let run = run.clone();
            if k < 3 && around.slides[k] {
                asking.hear_along(s, ear, answers, run, &walk.row.rows[k].bodies, sums);
            } else if around.wraps {
                asking.hear::<E, true>(s, ear, answers, run, sums);
            } else {
                asking.hear::<E, false>(s, ear, answers, run, sums);
            }
        }
    }
}
