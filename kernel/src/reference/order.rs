//! The order of every sum.

use crate::bodies::Body;
use crate::rules::Config;
use crate::world::{Edge, World};

/// Indices into `bodies`, ascending by `(row, col, id)`.
pub(super) fn canonical_order(config: &Config, bodies: &[Body]) -> Vec<usize> {
    let axis = |axis: usize| -> Vec<f32> { bodies.iter().map(|b| b.position[axis]).collect() };
    let extents = [0, 1].map(|a| extent(&config.world, a, &axis(a)));
    let [cols, rows] = cells(config.radius(), extents, bodies.len());
    let key = |i: usize| {
        let [x, y] = bodies[i].position;
        let row = cell_of(y, extents[1], rows);
        let col = cell_of(x, extents[0], cols);
        (row, col, bodies[i].id)
    };
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_key(|&i| key(i));
    order
}

/// Start and length of the grid along one axis.
fn extent(world: &World, axis: usize, values: &[f32]) -> (f32, f32) {
    if world.edges[axis] != Edge::Open {
        return (0.0, world.size[axis]);
    }
    let smallest = values.iter().copied().reduce(f32::min).unwrap_or(0.0);
    let largest = values.iter().copied().reduce(f32::max).unwrap_or(0.0);
    (smallest, largest - smallest)
}

/// Columns and rows: as many cells as the radius and the number of bodies allow.
fn cells(radius: f32, extents: [(f32, f32); 2], n: usize) -> [u64; 2] {
    if radius == 0.0 {
        return [1, 1];
    }
    let mut cell = radius * (65.0 / 64.0);
    loop {
        let along = |length: f32, cell: f32| (length / cell).floor().clamp(1.0, 16384.0) as u64;
        let (cols, rows) = (along(extents[0].1, cell / 2.0), along(extents[1].1, cell));
        if cols * rows <= 16 * n as u64 + 2048 {
            return [cols, rows];
        }
        cell *= 2.0;
    }
}

fn cell_of(value: f32, (start, length): (f32, f32), count: u64) -> u64 {
    if count == 1 {
        return 0;
    }
    ((value - start) * (count as f32 / length)).clamp(0.0, (count - 1) as f32) as u64
}
