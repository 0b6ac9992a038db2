//! What a herd looks like in numbers.

use crate::fault::Outcome;
use flockstep::{Flock, Neighbours, World};
use serde::Serialize;

/// Measures of one moment. Means are over bodies; what does not exist (a nearest body of one body)
/// is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Measures {
    /// Neighbours within the radius, a body.
    pub neighbours: f64,
    /// Distance to the nearest other body.
    pub nearest: Option<f64>,
    /// How far a body's heading agrees with its neighbours': the mean cosine between them, from -1
    /// to 1, over bodies that have neighbours.
    pub together: Option<f64>,
    /// Connected groups, where neighbours within the radius are connected.
    pub groups: usize,
    /// Length of the mean heading: 1 when all go one way.
    pub polarisation: f64,
    /// Mean speed.
    pub speed: f64,
}

/// Measures bodies, keeping its buffers from call to call.
pub(crate) struct Meter {
    world: World,
    near: Option<Neighbours>,
    positions: Vec<[f32; 2]>,
    headings: Vec<[f64; 2]>,
}

impl Meter {
    /// Measures with neighbours within `radius`; 0 means that there are none.
    pub(crate) fn new(world: World, radius: f32) -> Outcome<Self> {
        let near = if radius > 0.0 { Some(Neighbours::new(world, radius)?) } else { None };
        Ok(Self { world, near, positions: Vec::new(), headings: Vec::new() })
    }

    /// Measures a flock.
    pub(crate) fn measure(&mut self, flock: &Flock) -> Outcome<Measures> {
        self.positions.clear();
        self.headings.clear();
        let mut speeds = 0.0;
        for body in flock.iter() {
            self.positions.push(body.position);
            let [vx, vy] = body.velocity.map(f64::from);
            let speed = (vx * vx + vy * vy).sqrt();
            speeds += speed;
            let unit = if speed > 0.0 { [vx / speed, vy / speed] } else { [0.0, 0.0] };
            self.headings.push(unit);
        }
        let n = self.positions.len();
        let mean = |sum: f64| if n == 0 { 0.0 } else { sum / n as f64 };
        let sum = self.headings.iter().fold([0.0, 0.0], |[x, y], h| [x + h[0], y + h[1]]);
        let around = self.around(flock)?;
        Ok(Measures {
            neighbours: mean(around.neighbours as f64),
            nearest: (n > 1).then(|| mean(around.nearest)),
            together: (around.not_alone > 0).then(|| around.agreement / around.not_alone as f64),
            groups: around.groups,
            polarisation: mean((sum[0] * sum[0] + sum[1] * sum[1]).sqrt()),
            speed: mean(speeds),
        })
    }

    fn around(&mut self, flock: &Flock) -> Outcome<Around> {
        let n = self.positions.len();
        let mut around = Around::default();
        if let Some(near) = &mut self.near {
            near.build_from(flock)?;
        }
        let spacing = spacing(&self.world, &self.positions);
        let mut spaced = Neighbours::new(self.world, spacing)?;
        spaced.build_from(flock)?;
        let mut group_of = vec![usize::MAX; n];
        let mut to_visit = Vec::new();
        for body in 0..n {
            let agreement = self.agreement(body, &mut around.neighbours);
            if let Some(agreement) = agreement {
                around.agreement += agreement;
                around.not_alone += 1;
            }
            around.nearest += self.nearest(body, &spaced, spacing);
            if group_of[body] == usize::MAX {
                to_visit.push(body);
                group_of[body] = around.groups;
                while let Some(member) = to_visit.pop() {
                    self.visit(member, |other| {
                        if group_of[other] == usize::MAX {
                            group_of[other] = around.groups;
                            to_visit.push(other);
                        }
                    });
                }
                around.groups += 1;
            }
        }
        Ok(around)
    }

    fn visit(&self, body: usize, mut visit: impl FnMut(usize)) {
        if let Some(near) = &self.near {
            near.of_body(body as u32, |neighbour| visit(neighbour.index as usize));
        }
    }

    /// The mean cosine between a body's heading and its neighbours'.
    fn agreement(&self, body: usize, neighbours: &mut u64) -> Option<f64> {
        let ([x, y], mut sum, mut count) = (self.headings[body], 0.0, 0);
        self.visit(body, |other| {
            let [ox, oy] = self.headings[other];
            sum += x * ox + y * oy;
            count += 1;
        });
        *neighbours += count;
        (count > 0).then(|| sum / count as f64)
    }

    /// The distance to the nearest other body, or 0 if there is none: looked for in circles that grow
    /// from `radius`, and among all where a circle would be over half a torus.
    fn nearest(&self, body: usize, spaced: &Neighbours, mut radius: f32) -> f64 {
        let point = self.positions[body];
        if self.positions.len() < 2 {
            return 0.0;
        }
        loop {
            let mut nearest = f32::INFINITY;
            let looked = spaced.of_point(point, radius, |other| {
                if other.index as usize != body && other.distance_squared < nearest {
                    nearest = other.distance_squared;
                }
            });
            if nearest.is_finite() {
                return f64::from(nearest).sqrt();
            }
            if looked.is_err() {
                break;
            }
            radius *= 2.0;
        }
        let others = self.positions.iter().enumerate().filter(|(other, _)| *other != body);
        let squares = others.map(|(_, &other)| {
            let [dx, dy] = self.world.offset(other, point).map(f64::from);
            dx * dx + dy * dy
        });
        squares.fold(f64::INFINITY, f64::min).sqrt()
    }
}

/// About the distance that these positions have from each other if they are spread evenly.
fn spacing(world: &World, positions: &[[f32; 2]]) -> f32 {
    let extent = |axis: usize| {
        let along = || positions.iter().map(|position| f64::from(position[axis]));
        let (low, high) = (along().fold(f64::MAX, f64::min), along().fold(f64::MIN, f64::max));
        (high - low).max(0.0)
    };
    let (width, height) = (extent(0), extent(1));
    let even = (width * height / positions.len().max(1) as f64).sqrt();
    let line = width.max(height) / positions.len().max(1) as f64;
    let smallest = f64::from(world.size[0].min(world.size[1]));
    let distance = even.max(line).clamp(1e-9, (smallest / 2.0).clamp(1e-9, 1e9)) as f32;
    // Rounding may have brought it over half a torus; half of that is as good a start.
    (distance * 0.5).max(1e-9)
}

/// Sums over all bodies.
#[derive(Default)]
struct Around {
    neighbours: u64,
    nearest: f64,
    agreement: f64,
    not_alone: usize,
    groups: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockstep::{Config, Edge, Gait, Kind, Spawn};

    fn measured(world: World, radius: f32, bodies: &[[f32; 4]]) -> Measures {
        let kind = Kind::new(Gait::new(1.0, 1.0));
        let mut flock = Flock::new(Config::new(world, kind)).unwrap();
        for &[x, y, vx, vy] in bodies {
            flock.add(Spawn::new([x, y], [vx, vy])).unwrap();
        }
        Meter::new(world, radius).unwrap().measure(&flock).unwrap()
    }

    #[test]
    fn three_bodies_by_hand() {
        let world = World::new(100.0, 100.0, Edge::Torus);
        let bodies = [[1.0, 50.0, 2.0, 0.0], [98.0, 50.0, 0.0, 1.0], [50.0, 50.0, -1.0, 0.0]];
        let found = measured(world, 5.0, &bodies);
        assert_eq!(found.neighbours, 2.0 / 3.0);
        assert_eq!(found.nearest, Some((3.0 + 3.0 + 48.0) / 3.0));
        assert_eq!(found.together, Some(0.0));
        assert_eq!(found.groups, 2);
        assert_eq!(found.polarisation, 1.0 / 3.0);
        assert_eq!(found.speed, 4.0 / 3.0);
    }

    #[test]
    fn nobody_and_one_body_are_defined() {
        let world = World::new(100.0, 100.0, Edge::Walls);
        let nobody = measured(world, 5.0, &[]);
        assert_eq!((nobody.nearest, nobody.together, nobody.groups), (None, None, 0));
        let one = measured(world, 0.0, &[[1.0, 1.0, 0.0, 0.0]]);
        assert_eq!((one.nearest, one.together, one.groups), (None, None, 1));
        assert_eq!(one.neighbours, 0.0);
    }
}
