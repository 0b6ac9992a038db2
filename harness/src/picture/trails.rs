//! Trails: what was drawn before, fading.

use tiny_skia::Pixmap;

/// Fractions of a level of brightness that are kept, so that slow fades do not stand still.
const FRACTIONS: i32 = 128;

/// The brightness at which a trail is drawn, and what is left of it at its end but for the
/// steady loss.
const BRIGHTEST: f64 = 240.0;
const LEFT: f64 = 1.0 / 64.0;

/// How far each channel of each pixel is from what would be there without bodies.
///
/// Not colours of its own: so a trail can darken as well as brighten, and what moves under it shows
/// at once.
pub(super) struct Trails {
    distance: Vec<i16>,
    /// What would be there.
    behind: Vec<u8>,
    fade: Fade,
}

/// A fade that comes to its end: by a factor, which looks even, and by a steady loss.
#[derive(Clone, Copy, Debug)]
struct Fade {
    /// Of 65,536.
    factor: i32,
    /// In fractions of a level.
    loss: i32,
}

impl Fade {
    /// To nothing in this many frames.
    fn over(frames: u32) -> Self {
        let factor = libm::pow(LEFT, 1.0 / f64::from(frames));
        let lost = BRIGHTEST * f64::from(FRACTIONS) * LEFT * (1.0 - factor) / (1.0 - LEFT);
        Self { factor: (factor * 65_536.0).floor() as i32, loss: lost.ceil() as i32 }
    }

    fn of(self, distance: i16) -> i16 {
        let left = (i32::from(distance.unsigned_abs()) * self.factor) >> 16;
        // Smaller than it was, so it fits.
        (i32::from(distance.signum()) * (left - self.loss).max(0)) as i16
    }
}

impl Trails {
    /// None yet; they will take this many frames to fade, at least one.
    pub(super) fn new(frames: u32, (width, height): (u32, u32)) -> Self {
        let channels = width as usize * height as usize * 3;
        let fade = Fade::over(frames.max(1));
        Self { distance: vec![0; channels], behind: Vec::new(), fade }
    }

    /// Draws what is left of the frames before, a frame fainter.
    pub(super) fn draw(&mut self, pixels: &mut Pixmap) {
        self.behind.clear();
        self.behind.extend_from_slice(pixels.data());
        let Self { distance, fade, .. } = self;
        let pixels = pixels.data_mut().as_chunks_mut::<4>().0;
        for (pixel, distance) in pixels.iter_mut().zip(distance.as_chunks_mut::<3>().0) {
            for (channel, distance) in pixel.iter_mut().zip(distance) {
                *distance = fade.of(*distance);
                *channel = shown(*channel, *distance);
            }
        }
    }

    /// Takes over what was drawn since.
    pub(super) fn keep(&mut self, pixels: &Pixmap) {
        let pixels = pixels.data().as_chunks::<4>().0;
        let behind = self.behind.as_chunks::<4>().0;
        let distances = self.distance.as_chunks_mut::<3>().0;
        for ((pixel, behind), distance) in pixels.iter().zip(behind).zip(distances) {
            for ((&channel, &behind), distance) in pixel.iter().zip(behind).zip(distance) {
                if channel != shown(behind, *distance) {
                    let levels = i32::from(channel) - i32::from(behind);
                    *distance = (levels * FRACTIONS) as i16;
                }
            }
        }
    }
}

fn shown(behind: u8, distance: i16) -> u8 {
    let levels = (i32::from(distance) + FRACTIONS / 2).div_euclid(FRACTIONS);
    (i32::from(behind) + levels).clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fade_is_steady_and_ends_when_it_should() {
        for frames in [1, 2, 7, 40, 300, 2_000, 10_000] {
            let fade = Fade::over(frames);
            for start in [240 * 128_i32, -240 * 128, 20 * 128, 1] {
                let (mut distance, mut taken) = (start as i16, 0);
                while distance != 0 {
                    let next = fade.of(distance);
                    assert!(next.abs() < distance.abs() && next.signum() * distance.signum() >= 0);
                    distance = next;
                    taken += 1;
                }
                assert!(taken <= frames, "{start} took {taken} of {frames}");
                if start.abs() > 10_000 {
                    assert!(taken > frames / 2, "{start} took only {taken} of {frames}");
                }
            }
        }
    }

    #[test]
    fn channels_stay_in_range() {
        assert_eq!(shown(250, 30 * 128), 255);
        assert_eq!(shown(10, -30 * 128), 0);
        assert_eq!([shown(10, 63), shown(10, 64), shown(10, -65)], [10, 11, 9]);
    }
}
