//! Animations made of pictures.

use std::io::Write;

use crate::colour::{BACKGROUND, BORDER, KINDS_SHOWN, Rgb, kind_colour, wheel};
use crate::picture::Canvas;

/// How long a frame of an animation is shown, in hundredths of a second.
const DELAY: u16 = 3;

/// An animated GIF, written frame by frame, that loops for ever.
pub(crate) struct Animation<W: Write> {
    encoder: gif::Encoder<W>,
    size: (u16, u16),
    palette: Palette,
    /// The palette's indices of the frame before; at first empty.
    shown: Vec<u8>,
}

impl<W: Write> Animation<W> {
    /// Writes the beginning of a GIF for canvases of this size.
    pub(crate) fn new(writer: W, (width, height): (u32, u32)) -> Result<Self, String> {
        let (Ok(width), Ok(height)) = (u16::try_from(width), u16::try_from(height)) else {
            return Err(format!("a GIF cannot have {width}x{height} pixels"));
        };
        let palette = Palette::new();
        let mut encoder = gif::Encoder::new(writer, width, height, palette.colours.as_flattened())
            .map_err(|error| error.to_string())?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(|error| error.to_string())?;
        Ok(Self { encoder, size: (width, height), palette, shown: Vec::new() })
    }

    /// Adds a frame; only the pixels that changed are written.
    pub(crate) fn add(&mut self, canvas: &Canvas) -> Result<(), String> {
        let (width, height) = self.size;
        if canvas.size() != (width.into(), height.into()) {
            return Err("all frames of a GIF must have the same size".to_owned());
        }
        let next: Vec<u8> = canvas.rgb().map(|colour| self.palette.index(colour)).collect();
        let mut buffer = next.clone();
        for (index, before) in buffer.iter_mut().zip(&self.shown) {
            if index == before {
                *index = Palette::TRANSPARENT;
            }
        }
        self.shown = next;
        let transparent = Some(Palette::TRANSPARENT);
        let buffer = buffer.into();
        let frame =
            gif::Frame { delay: DELAY, transparent, width, height, buffer, ..Default::default() };
        self.encoder.write_frame(&frame).map_err(|error| error.to_string())
    }

    /// Writes the end and hands the writer back.
    pub(crate) fn finish(self) -> Result<W, String> {
        self.encoder.into_inner().map_err(|error| error.to_string())
    }
}

/// Every colour a canvas is made of, and its blends with the background.
struct Palette {
    colours: Vec<Rgb>,
    /// The index of the nearest colour by the upper six bits of red, green and blue, found when it
    /// is first wanted.
    nearest: Vec<u8>,
}

impl Palette {
    /// Stands for an unchanged pixel, and in `nearest` for one not yet found.
    const TRANSPARENT: u8 = 255;

    fn new() -> Self {
        let mut colours = vec![BACKGROUND, BORDER];
        for colour in wheel().into_iter().chain((0..KINDS_SHOWN).map(kind_colour)) {
            colours.extend([4, 3, 2, 1].map(|quarters| faded(colour, quarters)));
        }
        let mut nearest = vec![Self::TRANSPARENT; 1 << 18];
        for (index, &colour) in colours.iter().enumerate().rev() {
            nearest[cell(colour)] = index as u8;
        }
        Self { colours, nearest }
    }

    fn index(&mut self, colour: Rgb) -> u8 {
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

fn cell(colour: Rgb) -> usize {
    colour.iter().fold(0, |cell, &channel| cell << 6 | usize::from(channel >> 2))
}

/// The squared distance, with the weights the eye gives to red, green and blue.
fn distance(a: Rgb, b: Rgb) -> u32 {
    let part = |channel: usize| u32::from(a[channel].abs_diff(b[channel])).pow(2);
    2 * part(0) + 4 * part(1) + 3 * part(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Crowd, View};

    fn canvas(max: [f32; 2]) -> Canvas {
        Canvas::new(View { min: [0.0; 2], max }, 90)
    }

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

    #[test]
    fn an_animation_loops_and_replays_its_frames() {
        let mut canvas = canvas([90.0, 60.0]);
        let mut animation = Animation::new(Vec::new(), canvas.size()).unwrap();
        let mut wanted = Vec::new();
        for x in [20.0, 25.0, 25.0] {
            canvas.draw(&Crowd { positions: &[[x, 30.0]], velocities: &[[1.0, 0.5]], kinds: &[] });
            animation.add(&canvas).unwrap();
            wanted.push(animation.shown.clone());
        }
        assert!(animation.add(&self::canvas([1.0, 1.0])).is_err());
        assert!(Animation::new(Vec::new(), (70_000, 1)).is_err());
        let bytes = animation.finish().unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
        assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
        let mut screen = vec![Palette::TRANSPARENT; 90 * 60];
        for wanted in wanted {
            let frame = decoder.read_next_frame().unwrap().unwrap();
            assert_eq!((frame.delay, frame.transparent), (DELAY, Some(Palette::TRANSPARENT)));
            for (shown, &index) in screen.iter_mut().zip(&*frame.buffer) {
                *shown = if index == Palette::TRANSPARENT { *shown } else { index };
            }
            assert_eq!(screen, wanted);
        }
        assert!(decoder.read_next_frame().unwrap().is_none());
    }
}
