//! Animations made of pictures.

mod adaptive;
mod palette;

use std::io::Write;

use crate::colour::Rgb;
use crate::picture::Canvas;
use adaptive::Adaptive;
use palette::Palette;

/// How long a frame of an animation is shown, in hundredths of a second.
const DELAY: u16 = 3;

/// How far a colour may be from the right one to be left as it is, in pictures of many colours:
/// what the eye does not see would only make the file longer, and flicker.
const UNSEEN: u32 = 64;

/// An animated GIF, written frame by frame, that loops for ever.
pub(crate) struct Animation<W: Write> {
    encoder: gif::Encoder<W>,
    size: (u16, u16),
    delay: u16,
    palette: Palette,
    adaptive: Adaptive,
    /// What the frames so far add up to; at first empty.
    shown: Vec<Rgb>,
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
        let (size, adaptive) = ((width, height), Adaptive::default());
        Ok(Self { encoder, size, delay: DELAY, palette, adaptive, shown: Vec::new() })
    }

    /// The same with each frame shown for this long, in hundredths of a second.
    #[must_use]
    pub(crate) fn slowed_to(mut self, delay: u16) -> Self {
        self.delay = delay;
        self
    }

    /// Adds a frame; only the pixels that changed are written.
    pub(crate) fn add(&mut self, canvas: &Canvas) -> Result<(), String> {
        let (width, height) = self.size;
        if canvas.size() != (width.into(), height.into()) {
            return Err("all frames of a GIF must have the same size".to_owned());
        }
        let (buffer, palette) = if canvas.is_plain() {
            (self.plain(canvas), None)
        } else {
            let (buffer, palette) = self.colourful(canvas);
            (buffer, Some(palette.into_flattened()))
        };
        let transparent = Some(Palette::TRANSPARENT);
        let (delay, buffer) = (self.delay, buffer.into());
        let frame =
            gif::Frame { delay, transparent, width, height, buffer, palette, ..Default::default() };
        self.encoder.write_frame(&frame).map_err(|error| error.to_string())
    }

    /// A frame in the file's own colours.
    fn plain(&mut self, canvas: &Canvas) -> Vec<u8> {
        let mut buffer: Vec<u8> = canvas.rgb().map(|colour| self.palette.index(colour)).collect();
        let colours = &self.palette.colours;
        let next: Vec<Rgb> = buffer.iter().map(|&index| colours[usize::from(index)]).collect();
        for (index, (next, before)) in buffer.iter_mut().zip(next.iter().zip(&self.shown)) {
            if next == before {
                *index = Palette::TRANSPARENT;
            }
        }
        self.shown = next;
        buffer
    }

    /// A frame in the colours that suit it best.
    fn colourful(&mut self, canvas: &Canvas) -> (Vec<u8>, Vec<Rgb>) {
        let wanted: Vec<Rgb> = canvas.rgb().collect();
        let shown = (!self.shown.is_empty()).then_some(&self.shown[..]);
        // How wrong each pixel is as it is.
        let wrong = |place: usize| shown.map_or(u32::MAX, |it| distance(it[place], wanted[place]));
        let changed = wanted.iter().enumerate().filter(|&(place, _)| wrong(place) > UNSEEN);
        let colours = self.adaptive.choose(changed.map(|(_, &colour)| colour));
        let mut next = wanted.clone();
        let mut buffer = vec![Palette::TRANSPARENT; wanted.len()];
        for (place, (next, index)) in next.iter_mut().zip(&mut buffer).enumerate() {
            let wrong = wrong(place);
            if wrong > UNSEEN {
                let nearest = self.adaptive.index(wanted[place]);
                // An even worse colour would be a step back.
                if distance(colours[usize::from(nearest)], wanted[place]) < wrong {
                    (*index, *next) = (nearest, colours[usize::from(nearest)]);
                    continue;
                }
            }
            *next = self.shown[place];
        }
        self.shown = next;
        (buffer, colours)
    }

    /// Writes the end and hands the writer back.
    pub(crate) fn finish(self) -> Result<W, String> {
        self.encoder.into_inner().map_err(|error| error.to_string())
    }
}

/// Colours that count as one here: red, green and blue agree in their upper six bits.
const CELLS: usize = 1 << 18;

fn cell(colour: Rgb) -> usize {
    colour.iter().fold(0, |cell, &channel| cell << 6 | usize::from(channel >> 2))
}

/// The squared distance, with the weights the eye gives to red, green and blue.
fn distance(a: Rgb, b: Rgb) -> u32 {
    let part = |channel: usize| u32::from(a[channel].abs_diff(b[channel])).pow(2);
    let [red, green, blue] = WEIGHTS;
    red * part(0) + green * part(1) + blue * part(2)
}

const WEIGHTS: [u32; 3] = [2, 4, 3];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;
    use crate::picture::{Crowd, View};
    use flockstep::{Config, Edge, Gait, Kind, World};

    fn canvas(max: [f32; 2]) -> Canvas {
        Canvas::new(View { min: [0.0; 2], max }, 90)
    }

    fn draw(canvas: &mut Canvas, x: f32) {
        canvas.draw(&Crowd { positions: &[[x, 30.0]], velocities: &[[1.0, 0.5]], kinds: &[] });
    }

    /// Plays a GIF: delays, and what is shown after each frame.
    fn play(bytes: &[u8]) -> Vec<(u16, Vec<Rgb>)> {
        let mut decoder = gif::DecodeOptions::new().read_info(bytes).unwrap();
        assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
        let global = decoder.global_palette().unwrap().to_vec();
        let mut screen = vec![[0; 3]; 90 * 60];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let palette = frame.palette.as_ref().unwrap_or(&global).as_chunks::<3>().0;
            for (shown, &index) in screen.iter_mut().zip(&*frame.buffer) {
                if Some(index) != frame.transparent {
                    *shown = palette[usize::from(index)];
                }
            }
            frames.push((frame.delay, screen.clone()));
        }
        frames
    }

    #[test]
    fn an_animation_loops_and_replays_its_frames() {
        let mut canvas = canvas([90.0, 60.0]);
        let mut animation = Animation::new(Vec::new(), canvas.size()).unwrap();
        let mut wanted = Vec::new();
        for x in [20.0, 25.0, 25.0] {
            draw(&mut canvas, x);
            animation.add(&canvas).unwrap();
            wanted.push((DELAY, animation.shown.clone()));
        }
        assert!(animation.add(&self::canvas([1.0, 1.0])).is_err());
        assert!(Animation::new(Vec::new(), (70_000, 1)).is_err());
        assert_eq!(play(&animation.finish().unwrap()), wanted);
    }

    #[test]
    fn many_colours_are_shown_as_they_are() {
        let world = World::new(90.0, 60.0, Edge::Torus);
        let config = Config::new(world, Kind::new(Gait::new(1.0, 0.1)));
        let look = Look { trails: 20, glow: 25.0, ..Look::default() };
        let mut canvas = canvas([90.0, 60.0]).dressed(&look, &config);
        let mut animation = Animation::new(Vec::new(), canvas.size()).unwrap().slowed_to(9);
        let mut wanted: Vec<Vec<Rgb>> = Vec::new();
        for step in 0..12_u8 {
            draw(&mut canvas, 20.0 + 4.0 * f32::from(step));
            animation.add(&canvas).unwrap();
            wanted.push(canvas.rgb().collect());
        }
        let frames = play(&animation.finish().unwrap());
        assert_eq!(frames.len(), wanted.len());
        for ((delay, frame), wanted) in frames.iter().zip(&wanted) {
            assert_eq!(*delay, 9);
            let worst = frame.iter().zip(wanted).map(|(&a, &b)| distance(a, b)).max();
            assert!(worst < Some(700), "{worst:?}");
        }
    }
}
