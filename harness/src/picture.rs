//! Pictures of a flock.

use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Transform};
use xxhash_rust::xxh3::xxh3_64;

use crate::colour::{BACKGROUND, BORDER, HEADINGS, RESTING, Rgb, heading, kind_colour, wheel};

/// Larger canvases would make tiny-skia copy every path for its tiles.
const LONGEST_SIDE: u32 = 8_000;
/// How many times longer than wide a picture may get.
const ASPECT_LIMIT: f64 = 8.0;
/// Bodies shorter than this many pixels are squares: a triangle would show no direction.
const SHORTEST_TRIANGLE: f64 = 3.0;

/// The rectangle of the world that is shown.
pub(crate) struct View {
    /// Its least coordinates, shown at the top left.
    pub min: [f32; 2],
    /// Its greatest coordinates.
    pub max: [f32; 2],
}

/// What is drawn of a flock: one entry a body, in the order to draw them (ascending id).
pub(crate) struct Crowd<'a> {
    /// Where each body is; one outside the view is not drawn.
    pub positions: &'a [[f32; 2]],
    /// Where each body is going.
    pub velocities: &'a [[f32; 2]],
    /// The kind of each body. Empty, or all zero: one kind, coloured by heading.
    pub kinds: &'a [u8],
}

/// A picture of one moment.
pub(crate) struct Canvas {
    pixels: Pixmap,
    view: View,
    /// The view's width and height, made positive.
    extent: [f64; 2],
    /// Pixels per unit of the world.
    scale: f64,
    wheel: [Rgb; HEADINGS],
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
        let mut canvas = Self { pixels, view, extent, scale, wheel: wheel() };
        canvas.clear();
        canvas
    }

    /// Replaces what is shown by this crowd.
    pub(crate) fn draw(&mut self, crowd: &Crowd<'_>) {
        self.clear();
        let length = self.body_length(crowd.positions.len());
        let by_kind = crowd.kinds.iter().any(|&kind| kind != 0);
        for (index, (&position, &velocity)) in
            crowd.positions.iter().zip(crowd.velocities).enumerate()
        {
            let Some(centre) = self.place(position) else {
                continue;
            };
            let direction = direction(velocity);
            let colour = match direction {
                _ if by_kind => kind_colour(crowd.kinds.get(index).copied().unwrap_or(0)),
                Some(direction) => self.wheel[heading(direction)],
                None => RESTING,
            };
            if length < SHORTEST_TRIANGLE {
                self.rectangle(square(centre, length), colour);
            } else if let Some(path) = outline(centre, direction, length) {
                let (rule, still) = (FillRule::Winding, Transform::identity());
                self.pixels.fill_path(&path, &paint(colour, true), rule, still, None);
            }
        }
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
        let [red, green, blue] = BACKGROUND;
        self.pixels.fill(Color::from_rgba8(red, green, blue, 255));
        let (width, height) = self.size();
        let [across, down] = self.extent.map(|extent| extent * self.scale / 2.0);
        let [x, y] = [f64::from(width) / 2.0, f64::from(height) / 2.0];
        let [left, top] = [x - across, y - down].map(f64::floor);
        let [right, bottom] = [x + across, y + down].map(f64::ceil);
        self.rectangle([left - 1.0, top - 1.0, right + 1.0, bottom + 1.0], BORDER);
        self.rectangle([left, top, right, bottom], BACKGROUND);
    }

    /// Fills whole pixels from left and top to right and bottom.
    fn rectangle(&mut self, edges: [f64; 4], colour: Rgb) {
        let [left, top, right, bottom] = edges.map(|edge| edge as f32);
        if let Some(rect) = Rect::from_ltrb(left, top, right, bottom) {
            self.pixels.fill_rect(rect, &paint(colour, false), Transform::identity(), None);
        }
    }

    /// Where a position is on the canvas, if it is in view. NaN never is.
    fn place(&self, position: [f32; 2]) -> Option<[f64; 2]> {
        let (View { min, max }, (width, height)) = (&self.view, self.size());
        let seen = (0..2).all(|axis| min[axis] <= position[axis] && position[axis] <= max[axis]);
        let pixel = |axis: usize, side: u32| {
            let middle = (f64::from(min[axis]) + f64::from(max[axis])) / 2.0;
            f64::from(side) / 2.0 + (f64::from(position[axis]) - middle) * self.scale
        };
        seen.then(|| [pixel(0, width), pixel(1, height)])
    }

    /// A part of the mean distance between evenly spread bodies, unless the picture is so roomy
    /// that bodies would look swollen.
    fn body_length(&self, bodies: usize) -> f64 {
        let (width, height) = self.size();
        let longest = ((f64::from(width) * f64::from(height)).sqrt() / 56.0).clamp(6.0, 48.0);
        let [across, down] = self.extent.map(|extent| extent * self.scale);
        (0.62 * (across * down / bodies.max(1) as f64).sqrt()).min(longest)
    }
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

/// The velocity's unit vector, unless it has none.
fn direction(velocity: [f32; 2]) -> Option<[f64; 2]> {
    let [x, y] = velocity.map(f64::from);
    let speed = (x * x + y * y).sqrt();
    (speed > 0.0 && speed.is_finite()).then(|| [x / speed, y / speed])
}

fn paint([red, green, blue]: Rgb, anti_alias: bool) -> Paint<'static> {
    let mut paint = Paint { anti_alias, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}

/// A slender triangle that points in the direction, or a dot.
fn outline([x, y]: [f64; 2], direction: Option<[f64; 2]>, length: f64) -> Option<Path> {
    let mut outline = PathBuilder::new();
    let half_width = (0.21 * length).max(0.95);
    let Some([ahead, aside]) = direction else {
        outline.push_circle(x as f32, y as f32, half_width as f32);
        return outline.finish();
    };
    let corner = |along: f64, across: f64| {
        let (along, across) = (along * length, across * half_width);
        let corner = [x + along * ahead - across * aside, y + along * aside + across * ahead];
        corner.map(|pixel| pixel as f32)
    };
    let [nose, left, right] = [corner(0.55, 0.0), corner(-0.45, 1.0), corner(-0.45, -1.0)];
    outline.move_to(nose[0], nose[1]);
    outline.line_to(left[0], left[1]);
    outline.line_to(right[0], right[1]);
    outline.close();
    outline.finish()
}

/// The edges of one pixel or of four.
fn square([x, y]: [f64; 2], length: f64) -> [f64; 4] {
    let side = if length < 1.8 { 1.0 } else { 2.0 };
    let [left, top] = [x, y].map(|middle| (middle - side / 2.0).round());
    [left, top, left + side, top + side]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canvas(max: [f32; 2], longest: u32) -> Canvas {
        Canvas::new(View { min: [0.0; 2], max }, longest)
    }

    fn draw_one(canvas: &mut Canvas, position: [f32; 2], velocity: [f32; 2], kind: u8) -> u64 {
        canvas.draw(&Crowd { positions: &[position], velocities: &[velocity], kinds: &[kind] });
        canvas.frame_hash()
    }

    fn pixel(canvas: &Canvas, [x, y]: [u32; 2]) -> Rgb {
        canvas.rgb().nth((y * canvas.size().0 + x) as usize).unwrap()
    }

    #[test]
    fn the_size_follows_the_view_up_to_eight_to_one() {
        assert_eq!(canvas([1200.0, 800.0], 960).size(), (960, 640));
        assert_eq!(canvas([10.0, 1000.0], 800).size(), (100, 800));
        assert_eq!(canvas([f32::MAX, f32::MIN_POSITIVE], 1).size(), (1, 1));
        assert_eq!(canvas([f32::NAN, 0.0], 0).size(), (1, 1));
        assert_eq!(canvas([1.0, 1.0], u32::MAX).size(), (8000, 8000));
    }

    #[test]
    fn a_body_lies_where_it_is_and_points_where_it_goes() {
        let mut canvas = canvas([960.0, 640.0], 960);
        draw_one(&mut canvas, [480.0, 100.0], [0.0, 3.0], 0);
        let [x, y] = canvas.place([480.0, 100.0]).unwrap().map(|v| v as u32);
        assert!(y < 130, "a small y is at the top");
        let down = canvas.wheel[HEADINGS / 4];
        assert_eq!(pixel(&canvas, [x, y]), down);
        assert_eq!(pixel(&canvas, [x + 1, y - 5]), down, "the tail is wide");
        assert_eq!(pixel(&canvas, [x + 1, y + 5]), BACKGROUND, "the nose is narrow");
        draw_one(&mut canvas, [480.0, 100.0], [0.0; 2], 0);
        assert_eq!(pixel(&canvas, [x, y]), RESTING);
        draw_one(&mut canvas, [480.0, 100.0], [0.0, 3.0], 11);
        assert_eq!(pixel(&canvas, [x, y]), [0xff, 0x9e, 0x44]);
    }

    #[test]
    fn odd_positions_velocities_and_views_do_no_harm() {
        let mut canvas = canvas([100.0, 100.0], 200);
        let empty = canvas.frame_hash();
        for far in [-0.5, 100.5, 1e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(draw_one(&mut canvas, [50.0, far], [1.0, 0.0], 0), empty);
            assert_eq!(draw_one(&mut canvas, [far, 50.0], [1.0, 0.0], 0), empty);
        }
        for odd in [f32::NAN, f32::INFINITY, f32::MAX, 1e-45] {
            assert_ne!(draw_one(&mut canvas, [100.0, 0.0], [odd, odd], 0), empty);
            let (min, max) = ([-odd; 2], [odd; 2]);
            draw_one(&mut Canvas::new(View { min, max }, 50), [odd; 2], [1.0; 2], 0);
        }
        assert_eq!(direction([f32::MAX, 0.0]), Some([1.0, 0.0]));
        assert_eq!(direction([0.0, -1e-45]), Some([0.0, -1.0]));
    }

    #[test]
    fn bodies_shrink_to_dots_and_equal_crowds_give_equal_pictures() {
        let mut canvas = canvas([256.0, 256.0], 160);
        let places: Vec<_> = (0..65_536).map(|i| [(i % 256) as f32, (i / 256) as f32]).collect();
        let (positions, velocities, kinds) = (&places[..], &places[..], &[][..]);
        let crowd = Crowd { positions, velocities, kinds };
        canvas.draw(&crowd);
        let hash = canvas.frame_hash();
        canvas.draw(&crowd);
        assert_eq!(canvas.frame_hash(), hash);
        assert_eq!(hash, xxh3_64(canvas.rgba()));
        assert!(canvas.rgba().as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255));
        let known = |colour| {
            canvas.wheel.contains(&colour) || [BACKGROUND, BORDER, RESTING].contains(&colour)
        };
        assert!(canvas.rgb().all(known), "dots are not blended");
        assert!((13.0..15.0).contains(&self::canvas([960.0, 640.0], 960).body_length(120)));
        assert!((3.0..5.0).contains(&self::canvas([1.0, 1.0], 1600).body_length(65_536)));
    }

    #[test]
    fn the_png_holds_the_pixels() {
        let mut canvas = canvas([3.0, 2.0], 90);
        draw_one(&mut canvas, [1.0, 1.0], [1.0, 1.0], 0);
        let file = std::io::Cursor::new(canvas.png().unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        assert_eq!((info.width, info.height), (90, 60));
        assert_eq!(data, canvas.rgb().collect::<Vec<_>>().as_flattened());
    }
}
