//! The colours of pictures.

use std::f64::consts::TAU;

/// Red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// Behind everything.
pub(crate) const BACKGROUND: Rgb = [14, 17, 24];
/// Of the world's edge.
pub(crate) const BORDER: Rgb = [58, 66, 84];
/// A body without a heading, where headings give the colour.
pub(crate) const RESTING: Rgb = [203, 209, 220];
/// One hue a kind; kinds beyond the last start again.
const KINDS: [u32; 10] = [
    0x5ba8ff, 0xff9e44, 0x5cd086, 0xf06eb2, 0xf0d654, 0xa688ff, 0xff6258, 0x4cd4d6, 0xc49668,
    0xcbd1dc,
];
/// How many kinds have colours of their own.
pub(crate) const KINDS_SHOWN: u8 = KINDS.len() as u8;
/// How many colours the wheel of headings has.
pub(crate) const HEADINGS: usize = 48;

/// How many colours the ramp of speeds has.
pub(crate) const SPEEDS: usize = 48;
/// The colours around the bodies: what is behind everything, and what lines are drawn with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    pub background: Rgb,
    /// Of the world's edge.
    pub border: Rgb,
    /// What stands out from the background.
    pub ink: Rgb,
    /// Of solid things that stand in the way.
    pub raised: Rgb,
    /// Of where a crowd wants to be.
    pub goal: Rgb,
    /// Of what it keeps away from.
    pub danger: Rgb,
    /// Grounds of 0 and of 1.
    pub ground: [Rgb; 2],
    pub light: bool,
}

impl Theme {
    /// Of pictures that ask for no background.
    pub(crate) fn plain() -> Self {
        Self { border: BORDER, ..Self::on(BACKGROUND) }
    }

    /// The colours that go with a background.
    pub(crate) fn on(background: Rgb) -> Self {
        // By the weights of red, green and blue in brightness.
        let bright: u32 =
            background.iter().zip([3, 6, 1]).map(|(&c, part)| u32::from(c) * part).sum();
        let light = bright > 1280;
        let ink = if light { [44, 50, 64] } else { RESTING };
        let tint = |share: f64, lightness: f64, hue: f64| {
            let lightness = if light { 1.0 - 0.55 * lightness } else { lightness };
            mix(background, oklch(lightness, 0.075, hue * TAU), share)
        };
        let ground = [tint(0.75, 0.2, 0.78), tint(0.75, 0.47, 0.46)];
        let [border, raised] = [0.23, 0.2].map(|share| mix(background, ink, share));
        let (goal, danger) = match light {
            true => ([168, 122, 0], [200, 40, 44]),
            false => ([240, 214, 84], [255, 98, 88]),
        };
        Self { background, border, ink, raised, goal, danger, ground, light }
    }
}

/// A colour this share of the way from one to another.
pub(crate) fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|channel| {
        let [from, to] = [from, to].map(|colour| f64::from(colour[channel]));
        (from + (to - from) * share).round() as u8
    })
}

/// The colour of a kind, where kinds give the colours.
pub(crate) fn kind_colour(kind: u8) -> Rgb {
    let [_, red, green, blue] = KINDS[usize::from(kind) % KINDS.len()].to_be_bytes();
    [red, green, blue]
}

/// The place of a direction on the wheel of colours.
pub(crate) fn heading([x, y]: [f64; 2]) -> usize {
    let turns = libm::atan2(y, x) / TAU + 1.0;
    (turns * HEADINGS as f64).round() as usize % HEADINGS
}

/// Colours of equal lightness and chroma, one a heading.
pub(crate) fn wheel() -> [Rgb; HEADINGS] {
    std::array::from_fn(|index| oklch(0.77, 0.125, (index as f64 / HEADINGS as f64 + 0.05) * TAU))
}

/// The same, darker, for light backgrounds.
pub(crate) fn dark_wheel() -> [Rgb; HEADINGS] {
    std::array::from_fn(|index| oklch(0.56, 0.125, (index as f64 / HEADINGS as f64 + 0.05) * TAU))
}

/// From the colour of a body at rest to that of the fastest: brighter and warmer, or on a light
/// background darker.
pub(crate) fn speeds(light: bool) -> [Rgb; SPEEDS] {
    std::array::from_fn(|index| {
        let share = index as f64 / (SPEEDS - 1) as f64;
        let lightness = if light { 0.78 - 0.4 * share } else { 0.48 + 0.42 * share };
        // From blue the short way over violet and red to yellow.
        oklch(lightness, 0.14, (0.76 + 0.53 * share) * TAU)
    })
}

/// The place of a speed on the ramp; what is over the fastest is the fastest.
pub(crate) fn speed(speed: f64, fastest: f64) -> usize {
    if !(speed > 0.0 && fastest > 0.0) {
        return 0;
    }
    ((speed / fastest).min(1.0) * (SPEEDS - 1) as f64).round() as usize
}

/// OKLCH (hue in radians) to sRGB, by Björn Ottosson's matrices.
fn oklch(lightness: f64, chroma: f64, hue: f64) -> Rgb {
    let (a, b) = (chroma * libm::cos(hue), chroma * libm::sin(hue));
    let cone = |of_a: f64, of_b: f64| {
        let root = lightness + of_a * a + of_b * b;
        root * root * root
    };
    let long = cone(0.396_337_777_4, 0.215_803_757_3);
    let medium = cone(-0.105_561_345_8, -0.063_854_172_8);
    let short = cone(-0.089_484_177_5, -1.291_485_548);
    [
        4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701 * short,
    ]
    .map(|linear| {
        let curved = 1.055 * libm::pow(linear.max(0.0), 1.0 / 2.4) - 0.055;
        let value = if linear <= 0.003_130_8 { 12.92 * linear } else { curved };
        (value * 255.0).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_is_even() {
        let wheel = wheel();
        assert_eq!(oklch(1.0, 0.0, 0.0), [255; 3]);
        assert_eq!(oklch(0.627_96, 0.257_68, 29.234 / 360.0 * TAU), [255, 0, 0]);
        for (index, &colour) in wheel.iter().enumerate() {
            let next = wheel[(index + 1) % HEADINGS];
            let step: u32 = (0..3).map(|c| u32::from(colour[c].abs_diff(next[c])).pow(2)).sum();
            assert!((40..1000).contains(&step), "{index}: {step}");
        }
    }

    #[test]
    fn speeds_grow_brighter_up_to_the_fastest() {
        let brightness = |[r, g, b]: Rgb| 3 * u32::from(r) + 6 * u32::from(g) + u32::from(b);
        assert!(speeds(false).windows(2).all(|pair| brightness(pair[0]) < brightness(pair[1])));
        assert!(speeds(true).windows(2).all(|pair| brightness(pair[0]) > brightness(pair[1])));
        let last = SPEEDS - 1;
        for (moving, fastest, place) in [
            (0.0, 2.0, 0),
            (1.0, 2.0, 24),
            (2.0, 2.0, last),
            (9.0, 2.0, last),
            (f64::INFINITY, 2.0, last),
            (1.0, 0.0, 0),
            (f64::NAN, 2.0, 0),
            (1.0, f64::NAN, 0),
        ] {
            assert_eq!(speed(moving, fastest), place, "{moving} of {fastest}");
        }
    }

    #[test]
    fn lines_stand_out_from_any_background() {
        for background in [BACKGROUND, [0; 3], [255; 3], [128; 3], [200, 60, 60], [17, 0, 44]] {
            let theme = Theme::on(background);
            let apart: u32 = (0..3).map(|c| u32::from(theme.ink[c].abs_diff(background[c]))).sum();
            assert!(apart > 190, "{background:?} {apart}");
        }
        assert_eq!((Theme::plain().background, Theme::plain().border), (BACKGROUND, BORDER));
    }
}
