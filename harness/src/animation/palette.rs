//! The colours of plain pictures, chosen before the first of them is drawn.

use super::{CELLS, cell, distance};
use crate::colour::{BACKGROUND, BORDER, KINDS_SHOWN, Rgb, kind_colour, wheel};

/// Every colour a plain canvas is made of, and its blends with the background.
pub(super) struct Palette {
    pub colours: Vec<Rgb>,
    /// The index of the nearest colour by the upper six bits of red, green and blue, found when it
    /// is first wanted.
    nearest: Vec<u8>,
}

impl Palette {
    /// Stands for an unchanged pixel, and in `nearest` for one not yet found.
    pub(super) const TRANSPARENT: u8 = 255;

    pub(super) fn new() -> Self {
        let mut colours = vec![BACKGROUND, BORDER];
        for colour in wheel().into_iter().chain((0..KINDS_SHOWN).map(kind_colour)) {
            colours.extend([4, 3, 2, 1].map(|quarters| faded(colour, quarters)));
        }
        let mut nearest = vec![Self::TRANSPARENT; CELLS];
        for (index, &colour) in colours.iter().enumerate().rev() {
            nearest[cell(colour)] = index as u8;
        }
        Self { colours, nearest }
    }

    pub(super) fn index(&mut self, colour: Rgb) -> u8 {
        let cell = cell(colour);
        if self.nearest[cell] == Self::TRANSPARENT {
            // Of the cell, not of the colour: else an index would depend on the frames before.
            let middle = colour.map(|channel| channel & !3 | 2);
            let index = (0..self.colours.len()).min_by_key(|&i| distance(self.colours[i], middle));
            self.nearest[cell] = index.unwrap_or(0) as u8;
        }
        self.nearest[cell]
    }
}

/// The colour with this many quarters of it left, over the background.
fn faded(colour: Rgb, quarters: u16) -> Rgb {
    std::array::from_fn(|channel| {
        let [colour, ground] = [colour, BACKGROUND].map(|c| u16::from(c[channel]));
        ((colour * quarters + ground * (4 - quarters)) / 4) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_is_close() {
        let mut palette = Palette::new();
        assert!(palette.colours.len() < usize::from(Palette::TRANSPARENT));
        assert_eq!([BACKGROUND, BORDER].map(|colour| palette.index(colour)), [0, 1]);
        for colour in wheel() {
            let nearest = palette.index(colour);
            assert!(distance(palette.colours[usize::from(nearest)], colour) < 100);
        }
    }
}
