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
}
