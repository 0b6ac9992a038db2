//! The colours that suit one frame best, by dividing those it has where they differ most.

use super::palette::Palette;
use super::{CELLS, WEIGHTS, cell};
use crate::colour::Rgb;
use std::ops::Range;

/// One index is left for pixels that do not change.
const MOST: usize = Palette::TRANSPARENT as usize;

/// Chooses palettes, keeping its tables from frame to frame.
#[derive(Default)]
pub(super) struct Adaptive {
    /// How many pixels each cell of colours has, and the sums of their channels; then the index of
    /// its colour in the palette.
    cells: Vec<Cell>,
    /// The cells that are in use.
    used: Vec<usize>,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    count: u32,
    sums: [u64; 3],
    index: u8,
}

/// The mean colour of a cell, and how much it weighs.
struct Bin {
    cell: usize,
    colour: [f64; 3],
    weight: f64,
}

/// Bins that share a colour unless they are divided.
struct Group {
    bins: Range<usize>,
    mean: [f64; 3],
    /// Along which channel they differ most, and how much in all.
    axis: usize,
    spread: f64,
}

impl Group {
    fn new(bins: &[Bin], range: Range<usize>) -> Self {
        let members = &bins[range.clone()];
        let weight: f64 = members.iter().map(|bin| bin.weight).sum();
        let sum = |value: &dyn Fn(&Bin) -> f64| -> f64 {
            members.iter().map(|bin| bin.weight * value(bin)).sum()
        };
        let mean = [0, 1, 2].map(|axis| sum(&|bin| bin.colour[axis]) / weight);
        let spreads = [0, 1, 2].map(|axis| {
            let off = |bin: &Bin| bin.colour[axis] - mean[axis];
            f64::from(WEIGHTS[axis]) * sum(&|bin| off(bin) * off(bin))
        });
        let widest = (0..3).max_by(|&a, &b| spreads[a].total_cmp(&spreads[b]));
        let axis = widest.unwrap_or(0);
        // One bin has none, whatever rounding says.
        let spread = if members.len() > 1 { spreads[axis] } else { 0.0 };
        Self { bins: range, mean, axis, spread }
    }

    /// The same bins in two groups, below and above their mean.
    fn divide(self, bins: &mut [Bin]) -> Option<[Self; 2]> {
        let Self { bins: range, mean, axis, .. } = self;
        let members = &mut bins[range.clone()];
        members.sort_by(|a, b| a.colour[axis].total_cmp(&b.colour[axis]));
        let below = members.partition_point(|bin| bin.colour[axis] < mean[axis]);
        let middle = range.start + below.clamp(1, members.len().checked_sub(1)?);
        Some([range.start..middle, middle..range.end].map(|range| Self::new(bins, range)))
    }
}

impl Adaptive {
    /// At most 255 colours for these pixels, and at least one.
    pub(super) fn choose(&mut self, pixels: impl Iterator<Item = Rgb>) -> Vec<Rgb> {
        self.count(pixels);
        let cells = &self.cells;
        let bin = |&cell: &usize| {
            let Cell { count, sums, .. } = cells[cell];
            let weight = f64::from(count);
            Bin { cell, colour: sums.map(|sum| sum as f64 / weight), weight }
        };
        let mut bins: Vec<Bin> = self.used.iter().map(bin).collect();
        if bins.is_empty() {
            return vec![[0; 3]];
        }
        let groups = groups(&mut bins);
        for (index, group) in groups.iter().enumerate() {
            for bin in &bins[group.bins.clone()] {
                self.cells[bin.cell].index = index as u8;
            }
        }
        groups.iter().map(|group| group.mean.map(|channel| channel.round() as u8)).collect()
    }

    /// The index of the colour for a pixel that was among those chosen for.
    pub(super) fn index(&self, colour: Rgb) -> u8 {
        self.cells[cell(colour)].index
    }

    fn count(&mut self, pixels: impl Iterator<Item = Rgb>) {
        self.cells.resize(CELLS, Cell::default());
        for cell in self.used.drain(..) {
            self.cells[cell] = Cell::default();
        }
        for colour in pixels {
            let place = cell(colour);
            let cell = &mut self.cells[place];
            if cell.count == 0 {
                self.used.push(place);
            }
            cell.count += 1;
            for (sum, channel) in cell.sums.iter_mut().zip(colour) {
                *sum += u64::from(channel);
            }
        }
        // So that the palette is a matter of which pixels there are, not of where they are.
        self.used.sort_unstable();
    }
}

/// Divides all bins, always the group that differs most.
fn groups(bins: &mut [Bin]) -> Vec<Group> {
    let mut groups = vec![Group::new(bins, 0..bins.len())];
    while groups.len() < MOST {
        let widest =
            (0..groups.len()).max_by(|&a, &b| groups[a].spread.total_cmp(&groups[b].spread));
        let Some(widest) = widest.filter(|&widest| groups[widest].spread > 0.0) else {
            break;
        };
        match groups.swap_remove(widest).divide(bins) {
            Some(halves) => groups.extend(halves),
            None => break,
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_colours_stay_what_they_are() {
        let pixels: Vec<Rgb> = (0..200_u8).map(|i| [i, 255 - i, i / 2]).collect();
        let mut adaptive = Adaptive::default();
        for pixels in [&pixels[..], &pixels[..50], &[], &pixels[10..11]] {
            let colours = adaptive.choose(pixels.iter().copied());
            assert!((1..=MOST).contains(&colours.len()));
            for &pixel in pixels {
                let found = colours[usize::from(adaptive.index(pixel))];
                assert!((0..3).all(|c| found[c].abs_diff(pixel[c]) <= 2), "{pixel:?} {found:?}");
            }
        }
    }

    #[test]
    fn many_colours_are_near() {
        let pixels =
            (0..1 << 18).map(|i: u32| [i, i >> 6, i >> 12].map(|part| (part & 63) as u8 * 4));
        let mut adaptive = Adaptive::default();
        let colours = adaptive.choose(pixels.clone());
        assert_eq!(colours.len(), MOST);
        let apart =
            |pixel: Rgb| super::super::distance(colours[usize::from(adaptive.index(pixel))], pixel);
        let mean = pixels.map(apart).map(f64::from).sum::<f64>() / f64::from(1 << 18);
        assert!(mean < 2600.0, "{mean}");
    }
}
