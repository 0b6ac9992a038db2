//! Integration and edges.

use crate::simd::Simd;
use crate::steering::limit;
use crate::world::{Edge, World};

/// Where and how bodies move.
pub(crate) struct Motion<S: Simd> {
    pub position: [S::F; 2],
    pub velocity: [S::F; 2],
}

impl<S: Simd> Motion<S> {
    /// One tick later under `force`: velocity first, then position with the new velocity.
    #[inline(always)]
    pub(crate) fn step(
        self,
        s: S,
        force: [S::F; 2],
        max_speed: S::F,
        dt: S::F,
        world: &World,
    ) -> Self {
        let [vx, vy] = self.velocity;
        let velocity = limit(s, [vx + force[0] * dt, vy + force[1] * dt], max_speed);
        let mut moved = Self {
            position: [self.position[0] + velocity[0] * dt, self.position[1] + velocity[1] * dt],
            velocity,
        };
        for axis in 0..2 {
            let (p, v) = (&mut moved.position[axis], &mut moved.velocity[axis]);
            let extent = s.splat(world.size[axis]);
            match world.edges[axis] {
                Edge::Walls => reflect(s, p, v, extent),
                Edge::Torus => wrap(s, p, extent),
                Edge::Open => {}
            }
        }
        moved
    }
}

#[inline(always)]
fn reflect<S: Simd>(s: S, p: &mut S::F, v: &mut S::F, extent: S::F) {
    let (zero, minus) = (s.splat(0.0), s.splat(-1.0));
    let (below, above) = (s.lt(*p, zero), s.lt(extent, *p));
    let back = s.select(above, s.splat(2.0) * extent - *p, *p);
    let back = s.select(below, *p * minus, back);
    let turned = *v * minus;
    *v = s.select(below, turned, s.select(above, turned, *v));
    let back = s.select(s.lt(extent, back), extent, back);
    *p = s.select(s.lt(back, zero), zero, back);
}

#[inline(always)]
fn wrap<S: Simd>(s: S, p: &mut S::F, extent: S::F) {
    let up = s.select(s.lt(*p, s.splat(0.0)), *p + extent, *p);
    *p = s.select(s.le(extent, up), up - extent, up);
}
