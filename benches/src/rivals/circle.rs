//! The circle that a body hears in, and boxes.

use super::herd::{SLACK, Vector};

/// A rectangle, its edges included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rect {
    pub low: Vector,
    pub high: Vector,
}

impl Rect {
    pub(crate) fn holds(&self, point: Vector) -> bool {
        (0..2).all(|k| self.low[k] <= point[k] && point[k] <= self.high[k])
    }

    fn contains(&self, other: &Self) -> bool {
        self.holds(other.low) && self.holds(other.high)
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        (0..2).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

/// Where a body hears. Tests of whole boxes keep [`SLACK`] on the safe side, so that no rounding
/// decides who is a neighbour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circle {
    centre: Vector,
    radius: f32,
}

impl Circle {
    pub(crate) fn new(centre: Vector, radius: f32) -> Self {
        Self { centre, radius }
    }

    fn square(&self, half: f32) -> Rect {
        let [x, y] = self.centre;
        Rect { low: [x - half, y - half], high: [x + half, y + half] }
    }

    /// The box around the circle.
    pub(crate) fn outer(&self) -> Rect {
        self.square(self.radius * SLACK)
    }

    /// Whether a box lies in the square inside the circle.
    pub(crate) fn inner_holds(&self, rect: &Rect) -> bool {
        self.square(self.radius / SLACK * std::f32::consts::FRAC_1_SQRT_2).contains(rect)
    }

    /// Whether some of a box may lie in the circle.
    pub(crate) fn meets(&self, rect: &Rect) -> bool {
        let reach = self.radius * SLACK;
        let [dx, dy] = [0, 1].map(|k| {
            let nearest = self.centre[k].max(rect.low[k]).min(rect.high[k]);
            self.centre[k] - nearest
        });
        dx * dx + dy * dy <= reach * reach
    }

    /// Whether all of a box lies in the circle.
    pub(crate) fn contains(&self, rect: &Rect) -> bool {
        let reach = self.radius / SLACK;
        let [dx, dy] =
            [0, 1].map(|k| (self.centre[k] - rect.low[k]).max(rect.high[k] - self.centre[k]));
        dx * dx + dy * dy <= reach * reach
    }
}
