//! Fields in a body's cell, and the way along a path.

use super::draws::{
    FIRST_NOISE, FIRST_RANDOM_FLOW, ease, lerp, share, share_of_period, sine_and_cosine,
};
use super::steering::{dot, minus, plus, times, unit};
use super::{State, Vector};
use crate::bodies::Body;
use crate::scenery::{Field, Flow, Noise, Path, Soil};

// ---- Fields

/// The vector of a flow at a position.
pub(super) fn flow_at(state: &State<'_>, field: &Field<Flow>, position: Vector) -> Vector {
    let cell = cell_of(state, field.cells, position);
    let [col, row] = cell;
    match &field.values {
        Flow::Uniform(vector) => *vector,
        Flow::Swirl { centre } => {
            let [x, y] = [0, 1].map(|axis| {
                let size = state.config.world.size[axis] / f32::from(field.cells[axis]);
                (cell[axis] as f32 + 0.5) * size
            });
            [centre[1] - y, x - centre[0]]
        }
        Flow::Random { stream } => {
            let stream = FIRST_RANDOM_FLOW + u64::from(*stream);
            towards(state.draw(stream, col.into(), row.into()))
        }
        Flow::Noise(noise) => towards(noise_in(state, noise, cell)),
        Flow::Listed(vectors) => vectors[listed_at(field.cells, cell)],
    }
}

/// The number of a ground at a position, from 0 to 1.
pub(super) fn ground_at(state: &State<'_>, field: &Field<Soil>, position: Vector) -> f32 {
    let cell = cell_of(state, field.cells, position);
    match &field.values {
        Soil::Noise(noise) => share(noise_in(state, noise, cell)),
        Soil::Listed(values) => values[listed_at(field.cells, cell)],
    }
}

/// Column and row; the nearest cell outside the world.
fn cell_of(state: &State<'_>, cells: [u16; 2], position: Vector) -> [u32; 2] {
    [0, 1].map(|axis| {
        if cells[axis] == 1 {
            return 0;
        }
        let a_unit = f32::from(cells[axis]) / state.config.world.size[axis];
        (position[axis] * a_unit).clamp(0.0, f32::from(cells[axis] - 1)) as u32
    })
}

fn listed_at(cells: [u16; 2], [col, row]: [u32; 2]) -> usize {
    row as usize * usize::from(cells[0]) + col as usize
}

/// The direction `u` half-turns from +x.
fn towards(u: f32) -> Vector {
    let (sin, cos) = sine_and_cosine(u);
    [cos, sin]
}

/// Smooth noise in a cell: eased between the eight draws around it on a lattice in space and time.
fn noise_in(state: &State<'_>, noise: &Noise, cell: [u32; 2]) -> f32 {
    let [x, y] = cell.map(|at| at as f32 * noise.density);
    let (u, w) = (ease(x - x.floor()), ease(y - y.floor()));
    let (i, j) = (x.floor() as u64, y.floor() as u64);
    let (k, z) = if noise.period > 0 {
        let passed = share_of_period(state.tick, noise.period);
        (state.tick / u64::from(noise.period), ease(passed))
    } else {
        (0, 0.0)
    };
    let stream = FIRST_NOISE + u64::from(noise.stream);
    let at = |i: u64, j: u64, k: u64| state.draw(stream, i, (j << 32) + k % (1 << 32));
    let plane = |k: u64| {
        let low = lerp(at(i, j, k), at(i + 1, j, k), u);
        let high = lerp(at(i, j + 1, k), at(i + 1, j + 1, k), u);
        lerp(low, high, w)
    };
    lerp(plane(k), plane(k.wrapping_add(1)), z)
}

// ---- Paths

/// Where on a path the nearest point is.
struct Nearest {
    /// The segment's index.
    segment: usize,
    /// How far along the segment, from 0 to 1.
    t: f32,
    /// The squared distance.
    q: f32,
}

/// Where to steer to follow a path; `None` if the body is on it and goes along it, if it has come to
/// its end, or if the path is too far away to tell.
pub(super) fn along_path(me: &Body, path: &Path, look_ahead: f32) -> Option<Vector> {
    let (p, v) = (me.position, me.velocity);
    let future = if dot(v, v) > 0.0 { plus(p, times(unit(v), look_ahead)) } else { p };
    let segments: Vec<[Vector; 2]> = path.segments().collect();
    let nearest = nearest_on(&segments, future)?;
    // What comes after it, if anything, has no length.
    let last = segments[nearest.segment + 1..].iter().all(|&[a, b]| {
        let e = minus(b, a);
        dot(e, e) <= 0.0
    });
    if !path.closed && last && nearest.t == 1.0 {
        return None;
    }
    let [a, b] = segments[nearest.segment];
    if nearest.q <= path.radius * path.radius && dot(v, minus(b, a)) > 0.0 {
        return None;
    }
    let goal = further(&segments, path.closed, &nearest, look_ahead);
    Some(minus(goal, p))
}

/// The nearest point of the path, the first of equals; `None` if all are infinitely far.
fn nearest_on(segments: &[[Vector; 2]], place: Vector) -> Option<Nearest> {
    let mut nearest = None;
    let mut least = f32::INFINITY;
    for (segment, &[a, b]) in segments.iter().enumerate() {
        let e = minus(b, a);
        let ee = dot(e, e);
        let t = dot(minus(place, a), e) / ee;
        let t = match t {
            t if ee > 0.0 && t > 1.0 => 1.0,
            t if ee > 0.0 && t > 0.0 => t,
            _ => 0.0,
        };
        let off = minus(place, plus(a, times(e, t)));
        let q = dot(off, off);
        if q < least {
            least = q;
            nearest = Some(Nearest { segment, t, q });
        }
    }
    nearest
}

/// The point `look_ahead` further along the path. An open path ends at its last point, and a closed
/// one goes round once, to the end of the segment it started on.
fn further(segments: &[[Vector; 2]], closed: bool, from: &Nearest, look_ahead: f32) -> Vector {
    let length = |[a, b]: [Vector; 2]| dot(minus(b, a), minus(b, a)).sqrt();
    let mut at = from.segment;
    let mut to_come = if closed { segments.len() } else { segments.len() - 1 - at };
    let mut rest = look_ahead + from.t * length(segments[at]);
    while rest > length(segments[at]) && to_come > 0 {
        rest -= length(segments[at]);
        at = (at + 1) % segments.len();
        to_come -= 1;
    }
    let [a, b] = segments[at];
    let len = length([a, b]);
    if rest < len { plus(a, times(minus(b, a), rest / len)) } else { b }
}
