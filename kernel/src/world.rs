//! The world's extent and what happens at its edges.

use crate::error::{Error, Result};

/// What happens to a body that crosses the edge of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edge {
    /// It is reflected; positions stay in `[0, extent]`.
    #[default]
    Walls,
    /// It comes back at the other side; positions stay in `[0, extent)`, and offsets between bodies
    /// are taken the short way round.
    Torus,
    /// Nothing: it walks on, and the grid follows.
    Open,
}

/// The rectangle `[0, size[0]] x [0, size[1]]` and the edge of each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// Extents along x and y, from 1e-9 to 1e9. On an open axis only pictures, placement and
    /// [`Drive::Contain`](crate::Drive::Contain) use it.
    pub size: [f32; 2],
    /// The edge of each axis.
    pub edges: [Edge; 2],
}

/// Sizes, radii, speeds, forces and time steps: wide enough for any model, narrow enough that no
/// product of two in a tick overflows.
const POSITIVE: std::ops::RangeInclusive<f32> = 1e-9..=1e9;

/// What a coordinate may be on an axis, when a body is added.
const COORDINATE_LIMIT: f32 = 1e9;

/// What a coordinate that a flock has reached may be on an open axis: out of reach of any run
/// (1e18 a tick at most), yet small enough for every difference to stay finite.
const FAR_LIMIT: f32 = 1e30;

impl World {
    /// A world with the same edge on both axes.
    pub const fn new(width: f32, height: f32, edge: Edge) -> Self {
        Self { size: [width, height], edges: [edge; 2] }
    }

    /// `to - from`, taken the short way round on a torus: the offset of the contract.
    pub fn offset(&self, from: [f32; 2], to: [f32; 2]) -> [f32; 2] {
        let period = self.period();
        [0, 1].map(|axis| short_way(to[axis] - from[axis], period[axis]))
    }

    pub(crate) fn check(&self) -> Result<()> {
        for (axis, name) in ["world.size[0]", "world.size[1]"].into_iter().enumerate() {
            check_positive(self.size[axis], || name.to_owned())?;
        }
        Ok(())
    }

    /// Per axis: the extent of a torus, or infinity, past which no offset is ever wrapped.
    pub(crate) fn period(&self) -> [f32; 2] {
        [0, 1].map(|axis| match self.edges[axis] {
            Edge::Torus => self.size[axis],
            Edge::Walls | Edge::Open => f32::INFINITY,
        })
    }

    /// Refuses a radius over half a torus.
    pub(crate) fn check_radius(&self, radius: f32, field: impl Fn() -> String) -> Result<()> {
        match self.over_half_torus(radius) {
            None => Ok(()),
            Some((axis, limit)) => {
                Err(Error::RadiusOverTorus { field: field(), radius, axis, limit })
            }
        }
    }

    /// Refuses a tick that could cross more than half a torus.
    pub(crate) fn check_step(&self, step: f32, field: impl Fn() -> String) -> Result<()> {
        match self.over_half_torus(step) {
            None => Ok(()),
            Some((axis, limit)) => Err(Error::StepOverTorus { field: field(), step, axis, limit }),
        }
    }

    fn over_half_torus(&self, length: f32) -> Option<(char, f32)> {
        let limits = self.period().map(|extent| extent * 0.5);
        if length > limits[0] {
            Some(('x', limits[0]))
        } else if length > limits[1] {
            Some(('y', limits[1]))
        } else {
            None
        }
    }

    /// Checks a position that a caller hands over and brings the far edge of a torus to 0.
    pub(crate) fn admit(&self, position: [f32; 2], body: usize) -> Result<[f32; 2]> {
        self.admit_within(position, body, COORDINATE_LIMIT)
    }

    /// The same for a position that a flock may have reached since, further along an open axis.
    pub(crate) fn admit_reached(&self, position: [f32; 2], body: usize) -> Result<[f32; 2]> {
        self.admit_within(position, body, FAR_LIMIT)
    }

    fn admit_within(&self, position: [f32; 2], body: usize, open: f32) -> Result<[f32; 2]> {
        let mut admitted = position;
        for axis in 0..2 {
            let (value, extent) = (position[axis], self.size[axis]);
            let fine = match self.edges[axis] {
                Edge::Open => value.abs() <= open,
                Edge::Walls | Edge::Torus => (0.0..=extent).contains(&value),
            };
            if !fine {
                let allowed = match self.edges[axis] {
                    Edge::Open => format!("a finite number, at most {open:e} either way").into(),
                    Edge::Walls | Edge::Torus => format!("from 0 to {extent}").into(),
                };
                return Err(Error::Body { body, field: ["x", "y"][axis], value, allowed });
            }
            if self.edges[axis] == Edge::Torus && value == extent {
                admitted[axis] = 0.0;
            }
        }
        Ok(admitted)
    }
}

fn short_way(d: f32, period: f32) -> f32 {
    if d > period * 0.5 {
        d - period
    } else if d < -period * 0.5 {
        d + period
    } else {
        d
    }
}

/// Refuses what is not a finite number from 1e-9 to 1e9.
pub(crate) fn check_positive(value: f32, field: impl Fn() -> String) -> Result<()> {
    if POSITIVE.contains(&value) {
        Ok(())
    } else {
        Err(Error::Setting { field: field(), value, allowed: "a finite number from 1e-9 to 1e9" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_torus_is_the_limit_and_names_its_axis() {
        let world = World { size: [100.0, 60.0], edges: [Edge::Torus; 2] };
        assert_eq!(world.check_radius(30.0, String::new), Ok(()));
        assert!(matches!(
            world.check_radius(31.0, String::new),
            Err(Error::RadiusOverTorus { axis: 'y', limit: 30.0, .. })
        ));
        assert_eq!(World::new(1.0, 1.0, Edge::Walls).check_radius(31.0, String::new), Ok(()));
    }

    #[test]
    fn the_far_edge_of_a_torus_is_its_start() {
        let world = World { size: [4.0, 4.0], edges: [Edge::Torus, Edge::Walls] };
        assert_eq!(world.admit([4.0, 4.0], 0), Ok([0.0, 4.0]));
        assert!(world.admit([4.1, 4.0], 0).is_err());
        assert!(world.admit([0.0, -0.1], 0).is_err());
        assert!(world.admit([f32::NAN, 0.0], 0).is_err());
    }
}
