//! Outlines, in pixels.

use std::f64::consts::{PI, TAU};
use tiny_skia::{Path, PathBuilder};

/// Circles wider than this are not drawn: no picture could tell.
const WIDEST: f64 = 1e6;

/// How much of an arc one straight line stands for at most.
const STEP: f64 = PI / 36.0;

/// The velocity's unit vector, unless it has none.
pub(super) fn direction(velocity: [f32; 2]) -> Option<[f64; 2]> {
    unit(velocity.map(f64::from))
}

/// The unit vector along another, unless that has no direction.
pub(super) fn unit([x, y]: [f64; 2]) -> Option<[f64; 2]> {
    let length = (x * x + y * y).sqrt();
    (length > 0.0 && length.is_finite()).then(|| [x / length, y / length])
}

/// A slender triangle that points in the direction, or a dot.
pub(super) fn body([x, y]: [f64; 2], direction: Option<[f64; 2]>, length: f64) -> Option<Path> {
    let half_width = (0.21 * length).max(0.95);
    let Some([ahead, aside]) = direction else {
        return disc([x, y], half_width);
    };
    let corner = |along: f64, across: f64| {
        let (along, across) = (along * length, across * half_width);
        [x + along * ahead - across * aside, y + along * aside + across * ahead]
    };
    polygon(&[corner(0.55, 0.0), corner(-0.45, 1.0), corner(-0.45, -1.0)])
}

/// The edges of a square of whole pixels.
pub(super) fn square([x, y]: [f64; 2], side: f64) -> [f64; 4] {
    let [left, top] = [x, y].map(|middle| (middle - side / 2.0).round());
    [left, top, left + side, top + side]
}

/// A circle.
pub(super) fn disc([x, y]: [f64; 2], radius: f64) -> Option<Path> {
    if !(radius > 0.0 && radius < WIDEST) {
        return None;
    }
    PathBuilder::from_circle(x as f32, y as f32, radius as f32)
}

/// The part of a disc that is at most half of `degrees` off the heading.
pub(super) fn sector(
    [x, y]: [f64; 2],
    radius: f64,
    [ahead, aside]: [f64; 2],
    degrees: f64,
) -> Option<Path> {
    if !(radius > 0.0 && radius < WIDEST) {
        return None;
    }
    let half = degrees / 720.0 * TAU;
    let steps = (2.0 * half / STEP).ceil().max(1.0);
    let mut corners = vec![[x, y]];
    for step in 0..=steps as u32 {
        let angle = half * (2.0 * f64::from(step) / steps - 1.0);
        let (sin, cos) = (libm::sin(angle) * radius, libm::cos(angle) * radius);
        corners.push([x + cos * ahead - sin * aside, y + cos * aside + sin * ahead]);
    }
    polygon(&corners)
}

/// Adds an arrow whose middle is here.
pub(super) fn push_arrow(
    path: &mut PathBuilder,
    [x, y]: [f64; 2],
    [ahead, aside]: [f64; 2],
    length: f64,
) {
    let (shaft, barb) = ((0.025 * length).max(0.45), (0.13 * length).max(1.6));
    let neck = 0.5 * length - 2.1 * barb;
    let corner = |along: f64, across: f64| {
        [x + along * ahead - across * aside, y + along * aside + across * ahead]
    };
    push_polygon(
        path,
        &[
            corner(-0.5 * length, shaft),
            corner(neck, shaft),
            corner(neck, barb),
            corner(0.5 * length, 0.0),
            corner(neck, -barb),
            corner(neck, -shaft),
            corner(-0.5 * length, -shaft),
        ],
    );
}

/// Adds an arrowhead whose middle is here.
pub(super) fn push_head(
    path: &mut PathBuilder,
    [x, y]: [f64; 2],
    [ahead, aside]: [f64; 2],
    length: f64,
) {
    let corner = |along: f64, across: f64| {
        let (along, across) = (along * length, across * length);
        [x + along * ahead - across * aside, y + along * aside + across * ahead]
    };
    push_polygon(path, &[corner(0.5, 0.0), corner(-0.5, 0.36), corner(-0.5, -0.36)]);
}

/// A closed line through these corners.
pub(super) fn polygon(corners: &[[f64; 2]]) -> Option<Path> {
    let mut path = PathBuilder::new();
    push_polygon(&mut path, corners);
    path.finish()
}

fn push_polygon(path: &mut PathBuilder, corners: &[[f64; 2]]) {
    for (at, corner) in corners.iter().enumerate() {
        let [x, y] = corner.map(|pixel| pixel as f32);
        if at == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    path.close();
}

/// Those parts of straight lines that are between these edges; lines far outside would overtax the
/// rasteriser.
pub(super) fn lines(lines: impl Iterator<Item = [[f64; 2]; 2]>, edges: [f64; 4]) -> Option<Path> {
    let mut path = PathBuilder::new();
    let mut end = None;
    for line in lines {
        let Some([from, to]) = between(line, edges) else {
            continue;
        };
        if end != Some(from) {
            path.move_to(from[0] as f32, from[1] as f32);
        }
        path.line_to(to[0] as f32, to[1] as f32);
        end = Some(to);
    }
    path.finish()
}

/// The part of a line between left, top, right and bottom, by Liang and Barsky.
fn between(
    [from, to]: [[f64; 2]; 2],
    [left, top, right, bottom]: [f64; 4],
) -> Option<[[f64; 2]; 2]> {
    if from.iter().chain(&to).any(|coordinate| !coordinate.is_finite()) {
        return None;
    }
    let along = [to[0] - from[0], to[1] - from[1]];
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (axis, low, high) in [(0, left, right), (1, top, bottom)] {
        if along[axis] == 0.0 {
            if !(low <= from[axis] && from[axis] <= high) {
                return None;
            }
            continue;
        }
        let [a, b] = [low, high].map(|edge| (edge - from[axis]) / along[axis]);
        first = first.max(a.min(b));
        last = last.min(a.max(b));
    }
    let at = |part: f64| [from[0] + along[0] * part, from[1] + along[1] * part];
    // An end that is inside stays what it is, so that the next line can be joined to it.
    let start = if first > 0.0 { at(first) } else { from };
    let end = if last < 1.0 { at(last) } else { to };
    (first <= last).then_some([start, end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_found_for_every_length() {
        assert_eq!(direction([f32::MAX, 0.0]), Some([1.0, 0.0]));
        assert_eq!(direction([0.0, -1e-45]), Some([0.0, -1.0]));
        assert_eq!(direction([0.0, 0.0]), None);
        assert_eq!(direction([f32::NAN, 1.0]), None);
    }

    #[test]
    fn lines_are_cut_at_the_edges() {
        let edges = [0.0, 0.0, 10.0, 20.0];
        for (line, wanted) in [
            ([[1.0, 1.0], [9.0, 19.0]], Some([[1.0, 1.0], [9.0, 19.0]])),
            ([[-10.0, 5.0], [20.0, 5.0]], Some([[0.0, 5.0], [10.0, 5.0]])),
            ([[5.0, 5.0], [5.0, 1e12]], Some([[5.0, 5.0], [5.0, 20.0]])),
            ([[5.0, 5.0], [5.0, 5.0]], Some([[5.0, 5.0], [5.0, 5.0]])),
            ([[-1.0, 0.0], [-1.0, 9.0]], None),
            ([[-5.0, 2.0], [2.0, -5.0]], None),
            ([[f64::NAN, 2.0], [2.0, 5.0]], None),
            ([[2.0, 5.0], [2.0, f64::NAN]], None),
            ([[2.0, 5.0], [f64::INFINITY, 5.0]], None),
        ] {
            assert_eq!(between(line, edges), wanted, "{line:?}");
        }
    }

    #[test]
    fn a_sector_is_as_wide_as_the_view() {
        for (degrees, width) in [(90.0, 20.0 * 0.5_f64.sqrt()), (180.0, 20.0), (300.0, 20.0)] {
            let bounds = sector([0.0; 2], 10.0, [1.0, 0.0], degrees).unwrap().bounds();
            assert!((f64::from(bounds.height()) - width).abs() < 0.1, "{degrees} {bounds:?}");
        }
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(sector([0.0; 2], odd, [1.0, 0.0], 90.0).is_none());
            assert!(disc([0.0; 2], odd).is_none());
        }
    }
}
