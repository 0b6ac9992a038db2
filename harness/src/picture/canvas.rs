//! What is drawn on: where the world lies on it, and its first and last strokes.

use tiny_skia::{
    BlendMode, Color, FillRule, LineCap, LineJoin, Paint, Path, Pixmap, Rect, Stroke, Transform,
};
use xxhash_rust::xxh3::xxh3_64;

use super::bodies::{Colours, Crowd};
use super::overlays::{self, Stage};
use super::trails::Trails;
use crate::colour::{Rgb, Theme};
use crate::look::Look;
use flockstep::{Config, Edge};

/// Larger canvases would make tiny-skia copy every path for its tiles.
const LONGEST_SIDE: u32 = 8_000;
/// How many times longer than wide a picture may get.
const ASPECT_LIMIT: f64 = 8.0;

/// The rectangle of the world that is shown.
pub(crate) struct View {
    /// Its least coordinates, shown at the top left.
    pub min: [f32; 2],
    /// Its greatest coordinates.
    pub max: [f32; 2],
}

/// A picture of one moment, and of those before it where there are trails.
pub(crate) struct Canvas {
    pub(super) pixels: Pixmap,
    view: View,
    /// The view's width and height, made positive.
    extent: [f64; 2],
    /// Pixels per unit of the world.
    pub(super) scale: f64,
    /// After how long each axis comes round again, if it does.
    period: [Option<f64>; 2],
    pub(super) look: Look,
    pub(super) theme: Theme,
    pub(super) colours: Colours,
    trails: Option<Trails>,
    /// Whether anything but bodies was drawn.
    pub(super) decorated: bool,
}

impl Canvas {
    /// An empty picture whose longest side has `longest` pixels (1 to 8000); the other follows from
    /// the view's shape, but is an eighth at least.
    pub(crate) fn new(view: View, longest: u32) -> Self {
        let extent = extent(&view);
        let longest = longest.clamp(1, LONGEST_SIDE);
        let [width, height] = picture_size(extent, longest);
        let margin = (longest / 80).clamp(3, 12);
        let room = |side: u32| f64::from(side.saturating_sub(2 * margin).max(1));
        let scale = (room(width) / extent[0]).min(room(height) / extent[1]);
        let pixels = Pixmap::new(width, height).expect("both sides are between 1 and 8000");
        let theme = Theme::plain();
        let mut canvas = Self {
            pixels,
            view,
            extent,
            scale,
            period: [None; 2],
            look: Look::default(),
            theme,
            colours: Colours::new(&theme, 0.0),
            trails: None,
            decorated: false,
        };
        canvas.clear();
        canvas
    }

    /// The same, to be drawn on as the look says.
    pub(crate) fn dressed(mut self, look: &Look, config: &Config) -> Self {
        self.look = look.clone();
        self.theme = look.background.map_or_else(Theme::plain, |colour| Theme::on(colour.0));
        self.colours = Colours::new(&self.theme, fastest(config));
        self.trails = (look.trails > 0).then(|| Trails::new(look.trails, self.size()));
        self.period = [0, 1].map(|axis| {
            (config.world.edges[axis] == Edge::Torus).then(|| f64::from(config.world.size[axis]))
        });
        self.clear();
        self
    }

    /// The crowd alone.
    #[cfg(test)]
    pub(crate) fn draw(&mut self, crowd: &Crowd<'_>) {
        self.draw_on(None, crowd);
    }

    /// Replaces what is shown by this crowd and what it moves among; what was shown before only
    /// leaves trails.
    pub(crate) fn draw_on(&mut self, stage: Option<&Stage<'_>>, crowd: &Crowd<'_>) {
        self.clear();
        self.decorated = false;
        if let Some(stage) = stage {
            overlays::draw(self, stage, crowd);
            if self.decorated {
                self.frame();
            }
        }
        let mut trails = self.trails.take();
        if let Some(trails) = &mut trails {
            trails.draw(&mut self.pixels);
        }
        if self.look.glow > 0.0 {
            self.draw_glows(crowd);
            self.frame();
        }
        self.draw_bodies(crowd);
        if let Some(trails) = &mut trails {
            trails.keep(&self.pixels);
        }
        self.trails = trails;
    }

    /// Whether every colour is that of a body or around it, as in pictures of scenes that ask for
    /// nothing else.
    pub(crate) fn is_plain(&self) -> bool {
        self.look.is_plain() && !self.decorated
    }

    /// XXH3-64 of the RGBA pixels.
    pub(crate) fn frame_hash(&self) -> u64 {
        xxh3_64(self.rgba())
    }

    /// The picture as the bytes of a PNG file.
    pub(crate) fn png(&self) -> Result<Vec<u8>, String> {
        let (width, height) = self.size();
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
        let data: Vec<Rgb> = self.rgb().collect();
        writer.write_image_data(data.as_flattened()).map_err(|error| error.to_string())?;
        writer.finish().map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// Width and height in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }

    /// The pixels row by row, all of them opaque.
    pub(crate) fn rgba(&self) -> &[u8] {
        self.pixels.data()
    }

    /// The pixels row by row.
    pub(crate) fn rgb(&self) -> impl Iterator<Item = Rgb> {
        self.rgba().as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [r, g, b])
    }

    /// Draws the empty world: its edge lies just outside the outermost positions.
    fn clear(&mut self) {
        let Theme { background, border, .. } = self.theme;
        let [red, green, blue] = background;
        self.pixels.fill(Color::from_rgba8(red, green, blue, 255));
        let [left, top, right, bottom] = self.inside();
        self.rectangle([left - 1.0, top - 1.0, right + 1.0, bottom + 1.0], border);
        self.rectangle([left, top, right, bottom], background);
    }

    /// Draws what is around the world once more, over whatever reached beyond its edge.
    fn frame(&mut self) {
        let Theme { background, border, .. } = self.theme;
        let [left, top, right, bottom] = self.inside();
        let (width, height) = self.size();
        let [width, height] = [width, height].map(f64::from);
        for edges in [
            [0.0, 0.0, width, top],
            [0.0, bottom, width, height],
            [0.0, top, left, bottom],
            [right, top, width, bottom],
        ] {
            self.rectangle(edges, background);
        }
        for edges in [
            [left - 1.0, top - 1.0, right + 1.0, top],
            [left - 1.0, bottom, right + 1.0, bottom + 1.0],
            [left - 1.0, top, left, bottom],
            [right, top, right + 1.0, bottom],
        ] {
            self.rectangle(edges, border);
        }
    }

    /// The edges of the world in whole pixels: left, top, right and bottom.
    pub(super) fn inside(&self) -> [f64; 4] {
        let (width, height) = self.size();
        let [across, down] = self.extent.map(|extent| extent * self.scale / 2.0);
        let [x, y] = [f64::from(width) / 2.0, f64::from(height) / 2.0];
        let [left, top] = [x - across, y - down].map(f64::floor);
        let [right, bottom] = [x + across, y + down].map(f64::ceil);
        [left, top, right, bottom]
    }

    /// Fills whole pixels from left and top to right and bottom.
    pub(super) fn rectangle(&mut self, edges: [f64; 4], colour: Rgb) {
        self.rectangle_with(edges, &paint(colour, 1.0, BlendMode::SourceOver, false));
    }

    /// The same, mixed with what is there.
    pub(super) fn rectangle_with(&mut self, edges: [f64; 4], paint: &Paint<'_>) {
        let [left, top, right, bottom] = edges.map(|edge| edge as f32);
        if let Some(rect) = Rect::from_ltrb(left, top, right, bottom) {
            self.pixels.fill_rect(rect, paint, Transform::identity(), None);
        }
    }

    /// Fills a path with a colour of this opacity.
    pub(super) fn fill(&mut self, path: Option<&Path>, colour: Rgb, opacity: f64) {
        self.fill_with(path, &paint(colour, opacity, BlendMode::SourceOver, true));
    }

    pub(super) fn fill_with(&mut self, path: Option<&Path>, paint: &Paint<'_>) {
        if let Some(path) = path {
            let (rule, still) = (FillRule::Winding, Transform::identity());
            self.pixels.fill_path(path, paint, rule, still, None);
        }
    }

    /// Draws along a path with round ends and corners.
    pub(super) fn stroke(&mut self, path: Option<&Path>, colour: Rgb, opacity: f64, width: f64) {
        let Some(path) = path else {
            return;
        };
        let stroke = Stroke {
            width: width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        let paint = paint(colour, opacity, BlendMode::SourceOver, true);
        self.pixels.stroke_path(path, &paint, &stroke, Transform::identity(), None);
    }

    /// Where a position is on the canvas, if it is in view. NaN never is.
    pub(super) fn place(&self, position: [f32; 2]) -> Option<[f64; 2]> {
        let View { min, max } = &self.view;
        let seen = (0..2).all(|axis| min[axis] <= position[axis] && position[axis] <= max[axis]);
        seen.then(|| self.at(position.map(f64::from)))
    }

    /// Where any place of the world would be.
    pub(super) fn at(&self, position: [f64; 2]) -> [f64; 2] {
        let (View { min, max }, (width, height)) = (&self.view, self.size());
        let pixel = |axis: usize, side: u32| {
            let middle = (f64::from(min[axis]) + f64::from(max[axis])) / 2.0;
            f64::from(side) / 2.0 + (position[axis] - middle) * self.scale
        };
        [pixel(0, width), pixel(1, height)]
    }

    /// Which place of the world is there.
    pub(super) fn position(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (View { min, max }, (width, height)) = (&self.view, self.size());
        let middle = |axis: usize| (f64::from(min[axis]) + f64::from(max[axis])) / 2.0;
        let from_middle = |pixel: f64, side: u32| (pixel - f64::from(side) / 2.0) / self.scale;
        [middle(0) + from_middle(x, width), middle(1) + from_middle(y, height)]
    }

    /// Wherever something around a position can be seen that reaches this many pixels: on a torus
    /// also across the seams. Positions beyond any picture are nowhere.
    pub(super) fn images(
        &self,
        position: [f64; 2],
        reach: f64,
    ) -> impl Iterator<Item = [f64; 2]> + use<> {
        let at = self.at(position);
        let step = self.period.map(|period| period.map(|period| period * self.scale));
        let [left, top, right, bottom] = self.inside();
        let along = move |axis: usize, low: f64, high: f64| {
            let copies = match step[axis] {
                Some(step) => [Some(at[axis]), Some(at[axis] - step), Some(at[axis] + step)],
                None => [Some(at[axis]), None, None],
            };
            let seen = move |&pixel: &f64| low - reach <= pixel && pixel <= high + reach;
            copies.into_iter().flatten().filter(seen)
        };
        along(0, left, right).flat_map(move |x| along(1, top, bottom).map(move |y| [x, y]))
    }

    /// How far it is from one end of the picture to the other.
    pub(super) fn diagonal(&self) -> f64 {
        let [x, y] = <[u32; 2]>::from(self.size()).map(f64::from);
        (x * x + y * y).sqrt()
    }

    /// The view's width and height in pixels.
    pub(super) fn shown(&self) -> [f64; 2] {
        self.extent.map(|extent| extent * self.scale)
    }

    /// The rectangle of the world that is shown: its least and greatest coordinates.
    pub(super) fn view(&self) -> [[f64; 2]; 2] {
        [self.view.min, self.view.max].map(|corner| corner.map(f64::from))
    }
}

/// The greatest speed of any kind.
fn fastest(config: &Config) -> f64 {
    let kinds = config.kinds.iter().flat_map(|kind| {
        let spread = kind.spread.map_or(0.0, |spread| spread.max_speed);
        let grounds = kind.ground.map_or([0.0; 2], |ground| ground.max_speed);
        let own = if kind.ground.is_some() { 0.0 } else { kind.gait.max_speed * (1.0 + spread) };
        [own, grounds[0], grounds[1]]
    });
    kinds.fold(0.0, f32::max).into()
}

/// The size of a view; an axis that has none borrows the other's.
fn extent(view: &View) -> [f64; 2] {
    let [x, y] = [0, 1].map(|axis| f64::from(view.max[axis]) - f64::from(view.min[axis]));
    let usable = |extent: f64| extent.is_finite() && extent > 0.0;
    let or = |extent: f64, other| if usable(extent) { extent } else { other };
    [or(x, or(y, 1.0)), or(y, or(x, 1.0))]
}

fn picture_size([x, y]: [f64; 2], longest: u32) -> [u32; 2] {
    let padded = [x.max(y / ASPECT_LIMIT), y.max(x / ASPECT_LIMIT)];
    let pixels = f64::from(longest) / x.max(y);
    padded.map(|extent| ((extent * pixels).round() as u32).clamp(1, longest))
}

/// A colour of this opacity, and how it is put on.
pub(super) fn paint(
    [red, green, blue]: Rgb,
    opacity: f64,
    blend_mode: BlendMode,
    anti_alias: bool,
) -> Paint<'static> {
    // In their quick forms these two overflow on the way, which a debug build does not forgive.
    let force_hq_pipeline = matches!(blend_mode, BlendMode::Overlay | BlendMode::HardLight);
    let mut paint = Paint { anti_alias, blend_mode, force_hq_pipeline, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint
}
