//! Pictures of flocks, one after the other.

use super::bodies::Crowd;
use super::canvas::{Canvas, View};
use super::overlays::Stage;
use crate::look::Look;
use flockstep::{Edge, Flock, World};

/// Draws flocks into one canvas, keeping its buffers from picture to picture.
pub(crate) struct Artist {
    pub canvas: Canvas,
    ids: Vec<u32>,
    positions: Vec<[f32; 2]>,
    velocities: Vec<[f32; 2]>,
    kinds: Vec<u8>,
}

impl Artist {
    /// A canvas that shows the world, and on open axes all bodies wherever they are now.
    pub(crate) fn new(flock: &Flock, longest: u32) -> Self {
        Self::with_look(flock, &Look::default(), longest)
    }

    /// The same, drawn as the look says.
    pub(crate) fn with_look(flock: &Flock, look: &Look, longest: u32) -> Self {
        let view = view(&flock.config().world, flock);
        let canvas = Canvas::new(view, longest).dressed(look, flock.config());
        let (ids, kinds) = (Vec::new(), Vec::new());
        Self { canvas, ids, positions: Vec::new(), velocities: Vec::new(), kinds }
    }

    /// Draws the flock as it is now, over the trails of how it was.
    pub(crate) fn draw(&mut self, flock: &Flock) -> &Canvas {
        self.ids.clear();
        self.positions.clear();
        self.velocities.clear();
        self.kinds.clear();
        for body in flock.iter() {
            self.ids.push(body.id);
            self.positions.push(body.position);
            self.velocities.push(body.velocity);
            self.kinds.push(body.kind);
        }
        let stage = Stage { config: flock.config(), tick: flock.tick_number(), ids: &self.ids };
        let crowd =
            Crowd { positions: &self.positions, velocities: &self.velocities, kinds: &self.kinds };
        self.canvas.draw_on(Some(&stage), &crowd);
        &self.canvas
    }
}

fn view(world: &World, flock: &Flock) -> View {
    let (mut min, mut max) = ([0.0; 2], world.size);
    for body in flock.iter() {
        for axis in 0..2 {
            if world.edges[axis] == Edge::Open {
                min[axis] = body.position[axis].min(min[axis]);
                max[axis] = body.position[axis].max(max[axis]);
            }
        }
    }
    View { min, max }
}
