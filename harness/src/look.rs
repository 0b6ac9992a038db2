//! How a scene wants to be shown: its optional `[picture]` table. docs/scenes.md, "Pictures".

use crate::colour::Rgb;
use clap::ValueEnum;
use serde::Deserialize;

/// The largest length, as for any other in a scene.
const LARGEST: f32 = 1e9;

/// The smallest length that is not nothing.
const SMALLEST: f32 = 1e-9;

/// The slowest fade; slower ones would not show.
const LONGEST_TRAIL: u32 = 10_000;

/// What is shown of a scene, and how. The default is what a scene without the table gets.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Look {
    /// What a body is drawn as.
    pub bodies: Shape,
    /// What gives a body its colour; by default its heading, or its kind if there are several.
    pub colour: Option<Colouring>,
    /// A body's length in world units; by default so that the crowd is legible.
    pub size: Option<f32>,
    /// How many ticks it takes what was drawn to fade; 0 leaves no trails.
    pub trails: u32,
    /// How bodies are mixed with what is under them.
    pub blend: Blend,
    /// The radius of the halo around each body, in world units; 0 draws none.
    pub glow: f32,
    /// The colour behind everything.
    pub background: Option<Background>,
    /// What is shown besides bodies; by default what the scene has, see [`Look::shows`].
    pub overlays: Option<Vec<Overlay>>,
}

/// What a body is drawn as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shape {
    /// A slender one that points where the body goes; a dot where it would be too small.
    #[default]
    Triangles,
    Dots,
    /// One pixel; with trails a translucent one, so that busy ways grow bright.
    Pixels,
    None,
}

/// What gives a body its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Colouring {
    Kind,
    Speed,
    Heading,
}

/// How bodies are mixed with what is under them; the names are those of CSS and canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Blend {
    #[default]
    Normal,
    Lighter,
    Screen,
    Multiply,
    Overlay,
    Darken,
    ColorDodge,
    ColorBurn,
    HardLight,
    SoftLight,
}

/// What can be shown besides bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Overlay {
    /// The grid in which neighbours are looked for
    Cells,
    /// The quadtree of at most four bodies a leaf, for comparison
    Quadtree,
    /// How far bodies hear, as circles
    Radii,
    /// What bodies see, as cones
    Views,
    /// The scenery's paths
    Paths,
    /// The scenery's flows, as arrows
    Flow,
    /// The scenery's grounds, tinted
    Ground,
    /// What behaviours are about
    Targets,
    /// The scenery's obstacles
    Obstacles,
}

/// A colour written as `"#rrggbb"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Background(pub Rgb);

impl TryFrom<String> for Background {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        // A sign would be taken for part of a number.
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(number) => {
                let [_, red, green, blue] = number.to_be_bytes();
                Ok(Self([red, green, blue]))
            }
            None => Err(format!("background is {text:?}; allowed: a colour as \"#rrggbb\"")),
        }
    }
}

impl Look {
    /// Checks every number against its range.
    ///
    /// The error starts with the key's path, and tells its value and what is allowed.
    pub(crate) fn check(&self) -> Result<(), String> {
        let length = SMALLEST..=LARGEST;
        if let Some(size) = self.size.filter(|size| !length.contains(size)) {
            return Err(refusal("size", size, "a finite number from 1e-9 to 1e9"));
        }
        if self.glow != 0.0 && !length.contains(&self.glow) {
            return Err(refusal("glow", self.glow, "0, or a finite number from 1e-9 to 1e9"));
        }
        if self.trails > LONGEST_TRAIL {
            return Err(refusal("trails", self.trails, "a whole number of ticks from 0 to 10000"));
        }
        let listed = self.overlays.as_deref().unwrap_or_default();
        for (at, overlay) in listed.iter().enumerate() {
            if listed[..at].contains(overlay) {
                return Err(refusal(&format!("overlays[{at}]"), overlay, "each overlay once"));
            }
        }
        Ok(())
    }

    /// The same with these overlays, whatever the scene asks for; it stays as it is if there are
    /// none.
    #[must_use]
    pub(crate) fn with(mut self, overlays: &[Overlay]) -> Self {
        if !overlays.is_empty() {
            self.overlays = Some(overlays.to_vec());
        }
        self
    }

    /// Whether this is shown. What steers bodies is by default, what explains the search is not.
    pub(crate) fn shows(&self, overlay: Overlay) -> bool {
        use Overlay::{Cells, Quadtree, Radii, Views};
        match &self.overlays {
            Some(listed) => listed.contains(&overlay),
            None => !matches!(overlay, Cells | Quadtree | Radii | Views),
        }
    }

    /// How many ticks are to be drawn before a picture for its trails to be whole; 0 if only it
    /// itself is.
    pub(crate) fn frames_kept(&self) -> u64 {
        self.trails.into()
    }

    /// Whether bodies are all that needs colours, and keep those they have in a plain picture.
    pub(crate) fn is_plain(&self) -> bool {
        self.colour != Some(Colouring::Speed)
            && self.trails == 0
            && self.blend == Blend::Normal
            && self.glow == 0.0
            && self.background.is_none()
    }
}

fn refusal(key: &str, value: impl std::fmt::Debug, allowed: &str) -> String {
    format!("picture.{key} is {value:?}; allowed: {allowed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Look, String> {
        let look: Look = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        look.check().map(|()| look)
    }

    #[test]
    fn an_empty_table_is_the_default() {
        let look = read("").unwrap();
        assert_eq!(look, Look::default());
        assert!(look.is_plain() && look.frames_kept() == 0);
        assert!(look.shows(Overlay::Paths) && !look.shows(Overlay::Cells));
    }

    #[test]
    fn every_key_is_read() {
        let look = read(
            "bodies = \"dots\"\ncolour = \"speed\"\nsize = 3\ntrails = 40\nblend = \"color-dodge\"
             glow = 12.5\nbackground = \"#11002C\"\noverlays = [\"cells\", \"views\"]",
        );
        let wanted = Look {
            bodies: Shape::Dots,
            colour: Some(Colouring::Speed),
            size: Some(3.0),
            trails: 40,
            blend: Blend::ColorDodge,
            glow: 12.5,
            background: Some(Background([0x11, 0, 0x2c])),
            overlays: Some(vec![Overlay::Cells, Overlay::Views]),
        };
        assert_eq!(look, Ok(wanted));
    }

    #[test]
    fn what_is_out_of_range_is_refused_by_name() {
        for (text, wanted) in [
            ("size = 0", "picture.size is 0.0; allowed: a finite number from 1e-9 to 1e9"),
            ("size = nan", "picture.size is NaN; allowed"),
            ("glow = -1", "picture.glow is -1.0; allowed: 0, or"),
            ("glow = inf", "picture.glow is inf; allowed: 0, or"),
            ("trails = 10001", "picture.trails is 10001; allowed: a whole number of ticks"),
            ("trails = -1", "invalid value"),
            ("overlays = [\"flow\", \"flow\"]", "picture.overlays[1] is Flow; allowed: each"),
            ("overlays = [\"flows\"]", "unknown variant `flows`"),
            ("blend = \"add\"", "unknown variant `add`, expected one of `normal`"),
            ("background = \"#12345\"", "background is \"#12345\"; allowed: a colour as"),
            ("background = \"#+12345\"", "allowed: a colour as \"#rrggbb\""),
            ("background = \"blue\"", "allowed: a colour as \"#rrggbb\""),
            ("hue = 3", "unknown field `hue`"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(wanted), "{text}: {why:?} lacks {wanted:?}");
        }
    }

    #[test]
    fn the_command_line_has_the_last_word_on_overlays() {
        let look = Look { overlays: Some(vec![Overlay::Flow]), ..Look::default() };
        assert_eq!(look.clone().with(&[]), look);
        let look = look.with(&[Overlay::Views]);
        assert!(look.shows(Overlay::Views) && !look.shows(Overlay::Flow));
    }
}
