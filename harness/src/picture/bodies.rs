//! Bodies: their colours, shapes and halos.

use tiny_skia::{BlendMode, FilterQuality, PixmapPaint, PixmapRef, Transform};

use super::canvas::{Canvas, paint};
use super::shapes;
use crate::colour::{
    HEADINGS, Rgb, SPEEDS, Theme, dark_wheel, heading, kind_colour, speed, speeds, wheel,
};
use crate::look::{Blend, Colouring, Shape};

/// Bodies shorter than this many pixels are squares: a triangle would show no direction.
const SHORTEST_TRIANGLE: f64 = 3.0;
/// A dot's share of the length a triangle would have; both then look about as large.
const DOT: f64 = 0.55;
/// How opaque a pixel is that leaves a trail.
const PIXEL_OPACITY: f64 = 0.5;
/// How long a trail is as bright as at its beginning, if all its brightness were spent at that: a
/// part of the time it takes to fade.
const TRAIL_SUM: f64 = 0.24;
/// How opaque the middle of a halo is, where halos do not crowd: alone, and around a body.
const GLOW_OPACITY: [f64; 2] = [0.85, 0.45];

/// What is drawn of a flock: one entry a body, in the order to draw them (ascending id).
pub(crate) struct Crowd<'a> {
    /// Where each body is; one outside the view is not drawn.
    pub positions: &'a [[f32; 2]],
    /// Where each body is going.
    pub velocities: &'a [[f32; 2]],
    /// The kind of each body. Empty, or all zero: one kind, coloured by heading.
    pub kinds: &'a [u8],
}

impl Crowd<'_> {
    /// What gives the bodies their colours if nobody says.
    fn colouring(&self) -> Colouring {
        if self.kinds.iter().any(|&kind| kind != 0) { Colouring::Kind } else { Colouring::Heading }
    }

    pub(super) fn kind(&self, body: usize) -> u8 {
        self.kinds.get(body).copied().unwrap_or(0)
    }
}

/// The colours bodies can have.
#[derive(Clone, Debug)]
pub(super) struct Colours {
    pub wheel: [Rgb; HEADINGS],
    speeds: [Rgb; SPEEDS],
    /// The speed that has the last of them.
    fastest: f64,
    /// Of a body without a heading.
    resting: Rgb,
}

impl Colours {
    pub(super) fn new(theme: &Theme, fastest: f64) -> Self {
        let wheel = if theme.light { dark_wheel() } else { wheel() };
        Self { wheel, speeds: speeds(theme.light), fastest, resting: theme.ink }
    }

    fn of(&self, colouring: Colouring, kind: u8, velocity: [f32; 2]) -> Rgb {
        match colouring {
            Colouring::Kind => kind_colour(kind),
            Colouring::Heading => match shapes::direction(velocity) {
                Some(direction) => self.wheel[heading(direction)],
                None => self.resting,
            },
            Colouring::Speed => {
                let [x, y] = velocity.map(f64::from);
                self.speeds[speed((x * x + y * y).sqrt(), self.fastest)]
            }
        }
    }
}

impl Blend {
    fn mode(self) -> BlendMode {
        match self {
            Self::Normal => BlendMode::SourceOver,
            Self::Lighter => BlendMode::Plus,
            Self::Screen => BlendMode::Screen,
            Self::Multiply => BlendMode::Multiply,
            Self::Overlay => BlendMode::Overlay,
            Self::Darken => BlendMode::Darken,
            Self::ColorDodge => BlendMode::ColorDodge,
            Self::ColorBurn => BlendMode::ColorBurn,
            Self::HardLight => BlendMode::HardLight,
            Self::SoftLight => BlendMode::SoftLight,
        }
    }
}

impl Canvas {
    /// The colour of one body of a crowd.
    pub(super) fn colour_of(&self, crowd: &Crowd<'_>, body: usize) -> Rgb {
        let colouring = self.look.colour.unwrap_or_else(|| crowd.colouring());
        self.colours.of(colouring, crowd.kind(body), crowd.velocities[body])
    }

    pub(super) fn draw_bodies(&mut self, crowd: &Crowd<'_>) {
        let shape = self.look.bodies;
        let (length, side) = (self.body_length(crowd.positions.len()), self.pixel_side());
        let colouring = self.look.colour.unwrap_or_else(|| crowd.colouring());
        let (blend, pixel_opacity) =
            (self.look.blend.mode(), self.pixel_opacity(crowd.positions.len()));
        let paint = |colour, opacity, anti_alias| paint(colour, opacity, blend, anti_alias);
        let bodies = crowd.positions.iter().zip(crowd.velocities).enumerate();
        for (index, (&position, &velocity)) in bodies {
            let Some(centre) = self.place(position) else {
                continue;
            };
            let colour = self.colours.of(colouring, crowd.kind(index), velocity);
            match shape {
                Shape::None => {}
                Shape::Pixels => {
                    let edges = shapes::square(centre, side);
                    self.rectangle_with(edges, &paint(colour, pixel_opacity, false));
                }
                _ if length < SHORTEST_TRIANGLE => {
                    let side = if length < 1.8 { 1.0 } else { 2.0 };
                    let edges = shapes::square(centre, side);
                    self.rectangle_with(edges, &paint(colour, 1.0, false));
                }
                Shape::Dots => {
                    let dot = shapes::disc(centre, self.dot_radius(length));
                    self.fill_with(dot.as_ref(), &paint(colour, 1.0, true));
                }
                Shape::Triangles => {
                    let outline = shapes::body(centre, shapes::direction(velocity), length);
                    self.fill_with(outline.as_ref(), &paint(colour, 1.0, true));
                }
            }
        }
    }

    /// Draws a soft disc around each body, its colour fading outwards.
    pub(super) fn draw_glows(&mut self, crowd: &Crowd<'_>) {
        let radius = (f64::from(self.look.glow) * self.scale).min(self.diagonal() / 4.0);
        let opacity = self.glow_opacity(radius, crowd.positions.len());
        let blend_mode = match self.look.blend {
            // Light adds up.
            Blend::Normal => BlendMode::Plus,
            other => other.mode(),
        };
        let mut sprite = Sprite::default();
        for (index, &position) in crowd.positions.iter().enumerate() {
            let colour = self.colour_of(crowd, index);
            for centre in self.images(position.map(f64::from), radius) {
                sprite.draw(&mut self.pixels, centre, radius, colour, opacity, blend_mode);
            }
        }
    }

    /// Less where many halos lie over each other or over their trails, so that a crowd is not one
    /// white spot.
    fn glow_opacity(&self, radius: f64, bodies: usize) -> f64 {
        let [alone, around] = GLOW_OPACITY;
        let most = if self.look.bodies == Shape::None { alone } else { around };
        let [across, down] = self.shown();
        let overlap = bodies as f64 * radius * radius / (across * down);
        let trails = f64::from(self.look.trails) / 4.0;
        (most / ((1.0 + overlap) * (1.0 + trails).sqrt())).max(0.02)
    }

    /// In pixels: as the look says, or a part of the mean distance between evenly spread bodies,
    /// unless the picture is so roomy that bodies would look swollen.
    pub(super) fn body_length(&self, bodies: usize) -> f64 {
        if let Some(size) = self.look.size {
            return (f64::from(size) * self.scale).min(self.diagonal());
        }
        let (width, height) = self.size();
        let longest = ((f64::from(width) * f64::from(height)).sqrt() / 56.0).clamp(6.0, 48.0);
        let [across, down] = self.shown();
        (0.62 * (across * down / bodies.max(1) as f64).sqrt()).min(longest)
    }

    fn dot_radius(&self, length: f64) -> f64 {
        let width = if self.look.size.is_some() { length } else { DOT * length };
        width.max(1.5) / 2.0
    }

    /// Pixels that leave trails are fainter where trails add up, so that they do not add up to
    /// white everywhere.
    fn pixel_opacity(&self, bodies: usize) -> f64 {
        if self.look.trails == 0 {
            return 1.0;
        }
        let [across, down] = self.shown();
        let crowding = bodies as f64 * self.pixel_side() * self.pixel_side() / (across * down);
        let layers = match self.look.blend {
            Blend::Lighter | Blend::Screen | Blend::ColorDodge => {
                crowding * TRAIL_SUM * f64::from(self.look.trails)
            }
            _ => 0.0,
        };
        (PIXEL_OPACITY / (1.0 + 2.0 * layers)).max(0.03)
    }

    fn pixel_side(&self) -> f64 {
        let size = self.look.size.map_or(0.0, |size| f64::from(size) * self.scale);
        size.min(self.diagonal()).round().max(1.0)
    }
}

/// Room for one halo, kept from body to body.
#[derive(Default)]
struct Sprite {
    rgba: Vec<u8>,
}

impl Sprite {
    fn draw(
        &mut self,
        pixels: &mut tiny_skia::Pixmap,
        [x, y]: [f64; 2],
        radius: f64,
        colour: Rgb,
        opacity: f64,
        blend_mode: BlendMode,
    ) {
        let span = |middle: f64, side: u32| {
            // `as` saturates, also at 0.
            let low = (middle - radius).floor() as u32;
            (low, ((middle + radius).ceil() as u32).min(side).saturating_sub(low))
        };
        let (left, width) = span(x, pixels.width());
        let (top, height) = span(y, pixels.height());
        self.rgba.clear();
        for row in top..top + height {
            for col in left..left + width {
                let [x, y] = [f64::from(col) + 0.5 - x, f64::from(row) + 0.5 - y];
                let rim = 1.0 - (x * x + y * y) / (radius * radius);
                // A soft disc with a bright middle; both end smoothly at the rim.
                let square = rim.max(0.0) * rim.max(0.0);
                let share = opacity * (0.4 * square + 0.6 * square * square * square);
                let [red, green, blue] = colour.map(|part| (f64::from(part) * share).round() as u8);
                self.rgba.extend([red, green, blue, (255.0 * share).round() as u8]);
            }
        }
        if let Some(sprite) = PixmapRef::from_bytes(&self.rgba, width, height) {
            let paint = PixmapPaint { opacity: 1.0, blend_mode, quality: FilterQuality::Nearest };
            let still = Transform::identity();
            pixels.draw_pixmap(left as i32, top as i32, sprite, &paint, still, None);
        }
    }
}
