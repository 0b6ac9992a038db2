//! Steering that asks no neighbour, a block of bodies at a time. docs/contract.md, "Behaviours".

use crate::bodies::Bodies;
use crate::draws::{Stream, WANDER, sin_cos_half_turns};
use crate::neighbours::{SAME_SPOT, short_way};
use crate::plan::{Aim, Moment, PathPlan, Plan, Segment, look_ahead_factor};
use crate::rules::{Config, Drive, Kind};
use crate::simd::{MAX_LANES, Simd};
use crate::steering::{Limits, keep, select, steer, steer_scaled, toward};
use std::ops::Range;

/// What behaviours read besides the block.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    pub config: &'a Config,
    pub plan: &'a Plan,
    pub moment: &'a Moment,
    /// All bodies in canonical order.
    pub sorted: &'a Bodies,
}

/// A block of bodies, one a lane.
pub(crate) struct Acting<S: Simd> {
    /// Their places in canonical order.
    pub block: Range<usize>,
    pub position: [S::F; 2],
    pub velocity: [S::F; 2],
    pub limits: Limits<S>,
}

/// A target as the lanes see it.
struct Seen<S: Simd> {
    /// From the body to it, the short way round.
    offset: [S::F; 2],
    velocity: [S::F; 2],
    /// The lanes that have it, if not all.
    by: Option<S::M>,
}

/// A heading, and whether there is one.
struct Heading<S: Simd> {
    /// Of length 1; (1, 0) at rest.
    unit: [S::F; 2],
    moving: S::M,
}

impl Stage<'_> {
    /// Adds each body's behaviours to its force, in listed order.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&self, s: S, me: &Acting<S>, force: [S::F; 2]) -> [S::F; 2] {
        if self.config.kinds.len() == 1 {
            return self.add_of_kind(s, me, 0, force);
        }
        let kinds = &self.sorted.kind[me.block.clone()];
        let mut present = kinds.iter().fold(0_u32, |present, &kind| present | 1 << kind);
        let bits = s.load_bits(&self.moment.kind_bits[me.block.clone()]);
        let mut force = force;
        while present != 0 {
            let kind = present.trailing_zeros() as usize;
            present &= present - 1;
            if !self.config.kinds[kind].behaviours.is_empty() {
                let theirs = self.add_of_kind(s, me, kind, force);
                let them = s.meets(bits, s.splat_bits(1 << kind));
                force = select(s, them, theirs, force);
            }
        }
        force
    }

    /// Adds this kind's behaviours in every lane.
    #[inline(always)]
    fn add_of_kind<S: Simd>(
        &self,
        s: S,
        me: &Acting<S>,
        index: usize,
        mut force: [S::F; 2],
    ) -> [S::F; 2] {
        let kind = &self.config.kinds[index];
        let ids = &self.sorted.id[me.block.clone()];
        for (at, behaviour) in kind.behaviours.iter().enumerate() {
            let aim = self.moment.aims[index][at];
            let [x, y] = self.force(s, me, kind, &behaviour.drive, aim);
            let mut weights = [0.0; MAX_LANES];
            let seed = self.config.seed;
            self.moment.weights(behaviour.weight, at, seed, ids, &mut weights);
            let weight = s.load(&weights);
            force = [force[0] + weight * x, force[1] + weight * y];
        }
        force
    }

    #[inline(always)]
    fn force<S: Simd>(
        &self,
        s: S,
        me: &Acting<S>,
        kind: &Kind,
        drive: &Drive,
        aim: Aim,
    ) -> [S::F; 2] {
        let nothing = [s.splat(0.0); 2];
        let direction = match *drive {
            Drive::Wander { distance, radius, period } => {
                self.ahead(s, me, distance, radius, period)
            }
            Drive::Contain { margin } => self.inward(s, me, margin),
            Drive::Avoid { look_ahead, clearance } => {
                let look_ahead = self.look_ahead(s, me, kind, look_ahead);
                self.aside(s, me, look_ahead, clearance)
            }
            Drive::FollowFlow { flow } => self.flow(s, me, flow),
            Drive::FollowPath { path, look_ahead } => {
                let look_ahead = self.look_ahead(s, me, kind, look_ahead);
                self.along(s, me, &self.plan.paths[usize::from(path)], look_ahead)
            }
            _ => {
                let Some(seen) = self.see(s, me, aim) else { return nothing };
                let force = self.force_about(s, me, kind, drive, &seen);
                return match seen.by {
                    Some(by) => keep(s, by, force),
                    None => force,
                };
            }
        };
        steer(s, direction, me.velocity, me.limits)
    }

    /// The force of a behaviour that has a target.
    #[inline(always)]
    fn force_about<S: Simd>(
        &self,
        s: S,
        me: &Acting<S>,
        kind: &Kind,
        drive: &Drive,
        seen: &Seen<S>,
    ) -> [S::F; 2] {
        let (o, v) = (seen.offset, me.velocity);
        let q = squared::<S>(o);
        let away = [s.splat(0.0) - o[0], s.splat(0.0) - o[1]];
        match *drive {
            Drive::Arrive { slowing, .. } => arrive(s, me, o, slowing),
            Drive::Flee { range, fading, .. } => {
                let near = s.le(q, s.splat(range * range));
                let near = s.le_where(near, s.splat(SAME_SPOT), q);
                let force = if fading {
                    let w = s.splat(1.0) / s.sqrt(q) - s.splat(1.0 / range);
                    steer_scaled(s, [away[0] * w, away[1] * w], v, me.limits)
                } else {
                    steer(s, away, v, me.limits)
                };
                keep(s, near, force)
            }
            Drive::Pursue { look_ahead, .. } => {
                let look_ahead = self.look_ahead(s, me, kind, look_ahead);
                let later = foresee(s, me, o, seen.velocity, look_ahead);
                steer(s, later, v, me.limits)
            }
            Drive::Evade { range, look_ahead, .. } => {
                let look_ahead = self.look_ahead(s, me, kind, look_ahead);
                let [x, y] = foresee(s, me, o, seen.velocity, look_ahead);
                let away = [s.splat(0.0) - x, s.splat(0.0) - y];
                let near = s.le(q, s.splat(range * range));
                keep(s, near, steer(s, away, v, me.limits))
            }
            Drive::OffsetPursuit { offset, slowing, look_ahead, .. } => {
                let look_ahead = self.look_ahead(s, me, kind, look_ahead);
                let [gx, gy] = heading(s, seen.velocity).unit;
                let [ahead, side] = splat_pair(s, offset);
                let place = [o[0] + (gx * ahead - gy * side), o[1] + (gy * ahead + gx * side)];
                arrive(s, me, foresee(s, me, place, seen.velocity, look_ahead), slowing)
            }
            Drive::FollowLeader { behind, clearance, slowing, .. } => {
                let zero = s.splat(0.0);
                let [gx, gy] = heading(s, seen.velocity).unit;
                let ahead = zero - (o[0] * gx + o[1] * gy);
                let side = gy * o[0] - gx * o[1];
                let left = s.le(zero, side);
                let aside = select(s, left, [zero - gy, gx], [gy, zero - gx]);
                let behind = s.splat(behind);
                let follow = arrive(s, me, [o[0] - gx * behind, o[1] - gy * behind], slowing);
                let clear = s.splat(clearance * clearance);
                let in_the_way = s.le_where(s.lt(zero, ahead), q, clear);
                select(s, in_the_way, steer(s, aside, v, me.limits), follow)
            }
            _ => steer(s, o, v, me.limits),
        }
    }

    /// Where the target is as each lane sees it, unless it is gone.
    #[inline(always)]
    fn see<S: Simd>(&self, s: S, me: &Acting<S>, aim: Aim) -> Option<Seen<S>> {
        let (position, velocity, by) = match aim {
            Aim::Nobody => return None,
            Aim::Nearest { members } => {
                return Some(self.nearest(s, me, &self.moment.members[members].1));
            }
            Aim::Place { position, velocity } => (position, velocity, None),
            Aim::Body { place, position, velocity } if me.block.contains(&place) => {
                (position, velocity, Some(s.all_but(place - me.block.start)))
            }
            Aim::Body { position, velocity, .. } => (position, velocity, None),
        };
        let [x, y] = splat_pair(s, position);
        let offset = [x - me.position[0], y - me.position[1]];
        let offset = short_way(s, offset, self.plan.period);
        Some(Seen { offset, velocity: splat_pair(s, velocity), by })
    }

    /// The nearest of these members, the first of equals.
    #[inline(always)]
    fn nearest<S: Simd>(&self, s: S, me: &Acting<S>, members: &[u32]) -> Seen<S> {
        let zero = s.splat(0.0);
        let (mut offset, mut velocity) = ([zero; 2], [zero; 2]);
        let mut least = s.splat(f32::INFINITY);
        for place in members.iter().map(|&place| place as usize) {
            let Bodies { x, y, vx, vy, .. } = self.sorted;
            let [x, y] = splat_pair(s, [x[place], y[place]]);
            let theirs = splat_pair(s, [vx[place], vy[place]]);
            let o = [x - me.position[0], y - me.position[1]];
            let o = short_way(s, o, self.plan.period);
            let q = squared::<S>(o);
            let mut nearer = s.lt(q, least);
            if me.block.contains(&place) {
                nearer = nearer & s.all_but(place - me.block.start);
            }
            least = s.select(nearer, q, least);
            offset = select(s, nearer, o, offset);
            velocity = select(s, nearer, theirs, velocity);
        }
        Seen { offset, velocity, by: Some(s.lt(least, s.splat(f32::INFINITY))) }
    }

    /// How far each body of the kind looks ahead.
    #[inline(always)]
    fn look_ahead<S: Simd>(&self, s: S, me: &Acting<S>, kind: &Kind, length: f32) -> S::F {
        if kind.spread.is_none_or(|spread| spread.look_ahead == 0.0) {
            return s.splat(length);
        }
        let mut lanes = [0.0; MAX_LANES];
        for (lane, &id) in lanes.iter_mut().zip(&self.sorted.id[me.block.clone()]) {
            *lane = length * look_ahead_factor(kind, self.config.seed, id);
        }
        s.load(&lanes)
    }

    /// From the body to a point on the wander circle.
    #[inline(always)]
    fn ahead<S: Simd>(
        &self,
        s: S,
        me: &Acting<S>,
        distance: f32,
        radius: f32,
        period: u32,
    ) -> [S::F; 2] {
        let mut lanes = [[0.0; MAX_LANES]; 2];
        for (lane, &id) in self.sorted.id[me.block.clone()].iter().enumerate() {
            let stream = Stream::new(self.config.seed, WANDER, id);
            let [sin, cos] = sin_cos_half_turns(stream.drift(self.moment.tick, period));
            (lanes[0][lane], lanes[1][lane]) = (sin, cos);
        }
        let (sin, cos) = (s.load(&lanes[0]), s.load(&lanes[1]));
        let [hx, hy] = heading(s, me.velocity).unit;
        let (distance, radius) = (s.splat(distance), s.splat(radius));
        [
            hx * distance + (hx * cos - hy * sin) * radius,
            hy * distance + (hx * sin + hy * cos) * radius,
        ]
    }

    /// Away from the edges nearer than `margin`.
    #[inline(always)]
    fn inward<S: Simd>(&self, s: S, me: &Acting<S>, margin: f32) -> [S::F; 2] {
        let size = self.config.world.size;
        let one = s.splat(1.0);
        let mut direction = [s.splat(0.0); 2];
        for axis in 0..2 {
            let p = me.position[axis];
            let from_low = s.keep(s.lt(p, s.splat(margin)), one);
            let from_high = s.keep(s.lt(s.splat(size[axis] - margin), p), one);
            direction[axis] = from_low - from_high;
        }
        direction
    }

    /// Away from the first obstacle on the way, or out of the one that the body is in.
    #[inline(always)]
    fn aside<S: Simd>(&self, s: S, me: &Acting<S>, look_ahead: S::F, clearance: f32) -> [S::F; 2] {
        let zero = s.splat(0.0);
        let Heading { unit: [hx, hy], moving } = heading(s, me.velocity);
        let mut direction = [zero; 2];
        let mut least = s.splat(f32::INFINITY);
        for obstacle in &self.config.scenery.obstacles {
            let [x, y] = splat_pair(s, obstacle.centre);
            let o = [x - me.position[0], y - me.position[1]];
            let o = short_way(s, o, self.plan.period);
            let room = obstacle.radius + clearance;
            let inside = s.lt(squared::<S>(o), s.splat(room * room));

            let along = o[0] * hx + o[1] * hy;
            let past = [hx * along - o[0], hy * along - o[1]];
            let on_the_way = moving
                & s.lt(zero, along)
                & s.le(along, look_ahead + s.splat(room))
                & s.lt(squared::<S>(past), s.splat(room * room));

            // Who is inside one does not mind what is on the way to another.
            let along = s.select(inside, s.splat(-1.0), along);
            let first = s.lt(along, least);
            let threatens = on_the_way & first;
            direction = select(s, threatens, past, direction);
            least = s.select(threatens, along, least);
            let holds = inside & first;
            direction = select(s, holds, [zero - o[0], zero - o[1]], direction);
            least = s.select(holds, along, least);
        }
        let blocked = s.lt(least, s.splat(f32::INFINITY));
        let named = s.lt(zero, squared::<S>(direction));
        let to_the_side = keep(s, blocked, [zero - hy, hx]);
        select(s, named, direction, to_the_side)
    }

    /// The flow's vector under each body.
    #[inline(always)]
    fn flow<S: Simd>(&self, s: S, me: &Acting<S>, flow: u8) -> [S::F; 2] {
        let grid = &self.moment.flows[usize::from(flow)];
        let mut lanes = [[0.0; MAX_LANES]; 2];
        for (lane, place) in me.block.clone().enumerate() {
            let vector = grid.at([self.sorted.x[place], self.sorted.y[place]]);
            (lanes[0][lane], lanes[1][lane]) = (vector[0], vector[1]);
        }
        [s.load(&lanes[0]), s.load(&lanes[1])]
    }

    /// To a place further along the path, for who is off it or goes against it.
    #[inline(always)]
    fn along<S: Simd>(&self, s: S, me: &Acting<S>, path: &PathPlan, look_ahead: S::F) -> [S::F; 2] {
        let zero = s.splat(0.0);
        let Heading { unit: [hx, hy], moving } = heading(s, me.velocity);
        let reach = s.keep(moving, look_ahead);
        let future = [me.position[0] + hx * reach, me.position[1] + hy * reach];
        // The nearest point of the path: how far off, in which segment and where in it.
        let mut least = s.splat(f32::INFINITY);
        let (mut which, mut part, mut onward) = (zero, zero, zero);
        for (number, segment) in path.segments.iter().enumerate() {
            let t = part_along(s, segment, future);
            let [ex, ey] = splat_pair(s, segment.along);
            let [ax, ay] = splat_pair(s, segment.start);
            let off = [future[0] - (ax + ex * t), future[1] - (ay + ey * t)];
            let q = squared::<S>(off);
            let nearer = s.lt(q, least);
            least = s.select(nearer, q, least);
            which = s.select(nearer, s.splat(number as f32), which);
            part = s.select(nearer, t, part);
            let going = me.velocity[0] * ex + me.velocity[1] * ey;
            onward = s.select(nearer, going, onward);
        }
        let content = s.le_where(s.lt(zero, onward), least, s.splat(path.radius_squared));
        let found = s.lt(least, s.splat(f32::INFINITY));
        let direction = self.further_along(s, me, path, which, part, look_ahead);
        select(s, content, [zero; 2], keep(s, found, direction))
    }

    /// From each body to the place `look_ahead` further along the path than `part` of its segment;
    /// zero where an open path ends there.
    #[inline(always)]
    fn further_along<S: Simd>(
        &self,
        s: S,
        me: &Acting<S>,
        path: &PathPlan,
        which: S::F,
        part: S::F,
        look_ahead: S::F,
    ) -> [S::F; 2] {
        let [mut number, mut t, mut length] = [[0.0_f32; MAX_LANES]; 3];
        s.store(which, &mut number[..S::LANES]);
        s.store(part, &mut t[..S::LANES]);
        s.store(look_ahead, &mut length[..S::LANES]);
        let mut lanes = [[0.0; MAX_LANES]; 2];
        for (lane, place) in me.block.clone().enumerate() {
            if let Some(aim) = path.further(number[lane] as usize, t[lane], length[lane]) {
                lanes[0][lane] = aim[0] - self.sorted.x[place];
                lanes[1][lane] = aim[1] - self.sorted.y[place];
            }
        }
        [s.load(&lanes[0]), s.load(&lanes[1])]
    }
}

impl PathPlan {
    /// The place `length` further along the path than part `t` of a segment; none where an open path
    /// ends.
    fn further(&self, segment: usize, t: f32, length: f32) -> Option<[f32; 2]> {
        let count = self.segments.len();
        if !self.closed && segment >= self.last && t == 1.0 {
            return None;
        }
        let mut at = segment;
        let mut rest = length + t * self.segments[at].length;
        // Once round a closed path at most, and to the end of an open one.
        let mut left = if self.closed { count } else { count - 1 - segment };
        while rest > self.segments[at].length && left > 0 {
            rest -= self.segments[at].length;
            at = (at + 1) % count;
            left -= 1;
        }
        let Segment { start, along, end, length, .. } = self.segments[at];
        if rest < length {
            let part = rest / length;
            Some([start[0] + along[0] * part, start[1] + along[1] * part])
        } else {
            Some(end)
        }
    }
}

/// Which part of a segment is nearest to a point, from 0 to 1.
#[inline(always)]
fn part_along<S: Simd>(s: S, segment: &Segment, point: [S::F; 2]) -> S::F {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    if segment.squared <= 0.0 {
        return zero;
    }
    let [ax, ay] = splat_pair(s, segment.start);
    let [ex, ey] = splat_pair(s, segment.along);
    let t = ((point[0] - ax) * ex + (point[1] - ay) * ey) / s.splat(segment.squared);
    let t = s.keep(s.lt(zero, t), t);
    s.select(s.lt(one, t), one, t)
}

#[inline(always)]
fn splat_pair<S: Simd>(s: S, [x, y]: [f32; 2]) -> [S::F; 2] {
    [s.splat(x), s.splat(y)]
}

#[inline(always)]
fn squared<S: Simd>([x, y]: [S::F; 2]) -> S::F {
    x * x + y * y
}

#[inline(always)]
fn heading<S: Simd>(s: S, [x, y]: [S::F; 2]) -> Heading<S> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let q = x * x + y * y;
    let length = s.sqrt(q);
    let named = s.lt(zero, length);
    let unit = select(s, named, [x / length, y / length], [one, zero]);
    Heading { unit, moving: s.lt(zero, q) }
}

/// To a place at full speed, slower in proportion where it is nearer than `slowing`.
#[inline(always)]
fn arrive<S: Simd>(s: S, me: &Acting<S>, o: [S::F; 2], slowing: f32) -> [S::F; 2] {
    let q = squared::<S>(o);
    let far = s.lt(s.splat(slowing * slowing), q);
    let Limits { max_speed, .. } = me.limits;
    let scale = s.select(far, max_speed / s.sqrt(q), max_speed / s.splat(slowing));
    toward(s, [o[0] * scale, o[1] * scale], me.velocity, me.limits)
}

/// Where what is at `o` will be when the body could be there, `look_ahead` at most.
#[inline(always)]
fn foresee<S: Simd>(
    s: S,
    me: &Acting<S>,
    o: [S::F; 2],
    velocity: [S::F; 2],
    look_ahead: S::F,
) -> [S::F; 2] {
    let distance = s.sqrt(squared::<S>(o));
    let Limits { max_speed, .. } = me.limits;
    let soon = s.lt(distance, look_ahead * max_speed);
    let time = s.select(soon, distance / max_speed, look_ahead);
    [o[0] + velocity[0] * time, o[1] + velocity[1] * time]
}
