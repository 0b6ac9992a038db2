//! What bodies move among and what they heed: drawn beneath them.

use tiny_skia::PathBuilder;

use super::bodies::Crowd;
use super::canvas::Canvas;
use super::shapes;
use crate::colour::{Rgb, kind_colour};
use crate::look::{Colouring, Overlay};
use flockstep::{Config, Drive, Flow, Kind, Obstacle, Path, Rule, Target};

/// How near arrows of a flow come to each other, in pixels.
const ARROWS_APART: f64 = 17.0;
/// The longest arrow, in pixels.
const LONGEST_ARROW: f64 = 24.0;
/// Every body of a crowd up to this size shows what it hears and sees.
const FEW: usize = 24;
/// How many of each kind do in larger crowds.
const EXAMPLES: usize = 3;
/// Segments of a path shorter than this many pixels have no arrowhead.
const SHORTEST_LEG: f64 = 48.0;

/// What is there besides the crowd.
pub(crate) struct Stage<'a> {
    pub config: &'a Config,
    pub tick: u64,
    /// The crowd's ids, ascending.
    pub ids: &'a [u32],
}

/// Draws what the canvas's look shows, from the ground up.
pub(super) fn draw(canvas: &mut Canvas, stage: &Stage<'_>, crowd: &Crowd<'_>) {
    let look = canvas.look.clone();
    for (overlay, draw) in [
        (Overlay::Ground, Canvas::draw_ground as fn(&mut Canvas, &Stage<'_>, &Crowd<'_>)),
        (Overlay::Cells, Canvas::draw_cells),
        (Overlay::Quadtree, Canvas::draw_quadtree),
        (Overlay::Paths, Canvas::draw_paths),
        (Overlay::Flow, Canvas::draw_flows),
        (Overlay::Obstacles, Canvas::draw_obstacles),
        (Overlay::Targets, Canvas::draw_targets),
        (Overlay::Views, Canvas::draw_views),
        (Overlay::Radii, Canvas::draw_radii),
    ] {
        if look.shows(overlay) {
            draw(canvas, stage, crowd);
        }
    }
}

impl Canvas {
    fn draw_paths(&mut self, stage: &Stage<'_>, _: &Crowd<'_>) {
        for (index, path) in stage.config.scenery.paths.iter().enumerate() {
            self.decorated = true;
            let follows = |drive: &Drive| matches!(drive, Drive::FollowPath { path, .. } if usize::from(*path) == index);
            self.draw_path(path, self.colour_by_kind(stage.config, follows));
        }
    }

    /// The colour of the only kind that does this, where kinds have colours.
    fn colour_by_kind(&self, config: &Config, does: impl Fn(&Drive) -> bool) -> Rgb {
        let by_kind = self.look.colour.is_none_or(|colouring| colouring == Colouring::Kind);
        let doing = |kind: &Kind| kind.behaviours.iter().any(|behaviour| does(&behaviour.drive));
        let mut kinds = config.kinds.iter().enumerate().filter(|(_, kind)| doing(kind));
        match (kinds.next(), kinds.next()) {
            (Some((kind, _)), None) if by_kind && config.kinds.len() > 1 => kind_colour(kind as u8),
            _ => self.theme.ink,
        }
    }

    /// Its width translucent, its middle as a line with arrowheads.
    fn draw_path(&mut self, path: &Path, ink: Rgb) {
        let width = (2.0 * f64::from(path.radius) * self.scale).min(4.0 * self.diagonal());
        let segments = || path.segments().map(|ends| ends.map(|end| self.at(end.map(f64::from))));
        let band = shapes::lines(segments(), self.edges(width));
        let middle = shapes::lines(segments(), self.edges(8.0));
        let mut heads = PathBuilder::new();
        for [from, to] in segments() {
            let along = [to[0] - from[0], to[1] - from[1]];
            let long = (along[0] * along[0] + along[1] * along[1]).sqrt() > SHORTEST_LEG;
            if let Some(direction) = shapes::unit(along).filter(|_| long) {
                let halfway = [from[0] + along[0] * 0.5, from[1] + along[1] * 0.5];
                shapes::push_head(&mut heads, halfway, direction, 9.0);
            }
        }
        if width > 1.5 {
            self.stroke(band.as_ref(), ink, 0.1, width);
        }
        self.stroke(middle.as_ref(), ink, 0.4, 1.2);
        self.fill(heads.finish().as_ref(), ink, 0.4);
    }

    fn draw_flows(&mut self, stage: &Stage<'_>, _: &Crowd<'_>) {
        for (index, flow) in stage.config.scenery.flows.iter().enumerate() {
            // One vector everywhere is shown in many places.
            let cells = match flow.values {
                Flow::Uniform(_) => [12, 8],
                _ => flow.cells,
            };
            if let Some(vectors) = stage.config.flow_vectors(index, stage.tick) {
                self.decorated = true;
                let follows = |drive: &Drive| matches!(drive, Drive::FollowFlow { flow } if usize::from(*flow) == index);
                let ink = self.colour_by_kind(stage.config, follows);
                self.draw_flow(stage.config.world.size, cells, &vectors, ink);
            }
        }
    }

    /// An arrow in the middle of each cell, or of some where cells are small.
    fn draw_flow(
        &mut self,
        size: [f32; 2],
        [cols, rows]: [u16; 2],
        vectors: &[[f32; 2]],
        ink: Rgb,
    ) {
        let size = size.map(f64::from);
        let cell = [size[0] / f64::from(cols), size[1] / f64::from(rows)];
        let [across, down] = cell.map(|side| {
            let pixels = side * self.scale;
            // Odd, so that there is a middle one; `as` saturates.
            let every = (ARROWS_APART / pixels).ceil().max(1.0) as usize | 1;
            (every, pixels * every as f64)
        });
        let length = (0.72 * across.1.min(down.1)).min(LONGEST_ARROW);
        let mut arrows = PathBuilder::new();
        for row in (down.0 / 2..rows.into()).step_by(down.0) {
            for col in (across.0 / 2..cols.into()).step_by(across.0) {
                let place = if vectors.len() == 1 { 0 } else { row * usize::from(cols) + col };
                let vector = vectors.get(place).copied().unwrap_or_default();
                if let Some(direction) = shapes::direction(vector) {
                    let middle = [(col as f64 + 0.5) * cell[0], (row as f64 + 0.5) * cell[1]];
                    shapes::push_arrow(&mut arrows, self.at(middle), direction, length);
                }
            }
        }
        self.fill(arrows.finish().as_ref(), ink, 0.3);
    }

    fn draw_obstacles(&mut self, stage: &Stage<'_>, _: &Crowd<'_>) {
        let (fill, rim) = (self.theme.raised, self.theme.ink);
        for &Obstacle { centre, radius } in &stage.config.scenery.obstacles {
            self.decorated = true;
            let radius = f64::from(radius) * self.scale;
            for centre in self.images(centre.map(f64::from), radius) {
                let disc = shapes::disc(centre, radius);
                self.fill(disc.as_ref(), fill, 1.0);
                self.stroke(disc.as_ref(), rim, 0.45, 1.2);
            }
        }
    }

    fn draw_targets(&mut self, stage: &Stage<'_>, crowd: &Crowd<'_>) {
        // Kinds may share a target, which is then drawn once.
        let mut drawn = Vec::new();
        for drive in stage.config.kinds.iter().flat_map(|kind| &kind.behaviours).map(|it| it.drive)
        {
            let mark = (drive.target(), is_shunned(&drive), range(&drive));
            let Some(target) = mark.0.filter(|_| !drawn.contains(&mark)) else {
                continue;
            };
            drawn.push(mark);
            let colour = if mark.1 { self.theme.danger } else { self.theme.goal };
            if let Some(place) = self.place_of(&target, stage, crowd) {
                self.decorated = true;
                self.draw_target(&target, place, mark.2, colour);
            }
        }
    }

    /// A ring, with the circle it runs on and the one within which it changes what bodies do.
    fn draw_target(&mut self, target: &Target, place: [f64; 2], range: Option<f32>, colour: Rgb) {
        let ring = (self.diagonal() / 110.0).clamp(4.0, 12.0);
        if let Target::Orbit { centre, radius, .. } = target {
            let orbit =
                shapes::disc(self.at(centre.map(f64::from)), f64::from(*radius) * self.scale);
            self.stroke(orbit.as_ref(), colour, 0.3, 1.0);
        }
        let range = range.map_or(0.0, |range| f64::from(range) * self.scale);
        for place in self.images(place, range.max(ring).min(self.diagonal())) {
            self.stroke(shapes::disc(place, range).as_ref(), colour, 0.3, 1.0);
            self.stroke(shapes::disc(place, ring).as_ref(), colour, 0.9, 1.8);
            self.fill(shapes::disc(place, 0.3 * ring).as_ref(), colour, 0.9);
        }
    }

    /// Where a target is now, if it is anywhere in particular.
    fn place_of(&self, target: &Target, stage: &Stage<'_>, crowd: &Crowd<'_>) -> Option<[f64; 2]> {
        match *target {
            Target::Point(point) => Some(point.map(f64::from)),
            Target::Orbit { centre, radius, period } => {
                let turn = (stage.tick % u64::from(period)) as f64 / f64::from(period);
                let angle = turn * std::f64::consts::TAU;
                let radius = f64::from(radius);
                let [x, y] = centre.map(f64::from);
                Some([x + radius * libm::cos(angle), y + radius * libm::sin(angle)])
            }
            Target::Body(id) => {
                let body = stage.ids.binary_search(&id).ok()?;
                crowd.positions.get(body).map(|position| position.map(f64::from))
            }
            Target::Nearest(_) => None,
        }
    }

    /// What a body sees, by the narrowest of its rules.
    fn draw_views(&mut self, stage: &Stage<'_>, crowd: &Crowd<'_>) {
        for body in examples(crowd) {
            let kind = stage.config.kinds.get(usize::from(crowd.kind(body)));
            let colour = self.colour_of(crowd, body);
            for (radius, degrees) in kind.map(views).unwrap_or_default() {
                self.decorated = true;
                self.draw_view(crowd, body, radius, degrees, colour);
            }
        }
    }

    fn draw_view(
        &mut self,
        crowd: &Crowd<'_>,
        body: usize,
        radius: f32,
        degrees: f32,
        colour: Rgb,
    ) {
        let radius = f64::from(radius) * self.scale;
        let heading = shapes::direction(crowd.velocities[body]).filter(|_| degrees < 360.0);
        for centre in self.images(crowd.positions[body].map(f64::from), radius) {
            let view = match heading {
                Some(heading) => shapes::sector(centre, radius, heading, degrees.into()),
                // At rest it sees all round.
                None => shapes::disc(centre, radius),
            };
            self.fill(view.as_ref(), colour, 0.12);
            self.stroke(view.as_ref(), colour, 0.4, 1.0);
        }
    }

    /// How far a body hears, by each of its rules.
    fn draw_radii(&mut self, stage: &Stage<'_>, crowd: &Crowd<'_>) {
        for body in examples(crowd) {
            let kind = stage.config.kinds.get(usize::from(crowd.kind(body)));
            let colour = self.colour_of(crowd, body);
            for radius in kind.map(radii).unwrap_or_default() {
                self.decorated = true;
                let radius = f64::from(radius) * self.scale;
                for centre in self.images(crowd.positions[body].map(f64::from), radius) {
                    self.stroke(shapes::disc(centre, radius).as_ref(), colour, 0.6, 1.0);
                }
            }
        }
    }

    /// The edges of the picture, so far out that a stroke of this width beyond them is not seen.
    fn edges(&self, width: f64) -> [f64; 4] {
        let [x, y] = <[u32; 2]>::from(self.size()).map(f64::from);
        [-width, -width, x + width, y + width]
    }
}

/// Bodies that stand for all: every one of a few, or the first of each kind.
fn examples(crowd: &Crowd<'_>) -> Vec<usize> {
    let bodies = 0..crowd.positions.len();
    if bodies.len() <= FEW {
        return bodies.collect();
    }
    let mut shown = [0; 256];
    bodies
        .filter(|&body| {
            let shown = &mut shown[usize::from(crowd.kind(body))];
            *shown += 1;
            *shown <= EXAMPLES
        })
        .collect()
}

/// Whether it leads away from its target.
fn is_shunned(drive: &Drive) -> bool {
    matches!(drive, Drive::Flee { .. } | Drive::Evade { .. })
}

/// How near a target something changes.
fn range(drive: &Drive) -> Option<f32> {
    match *drive {
        Drive::Arrive { slowing, .. } => Some(slowing),
        Drive::Flee { range, .. } | Drive::Evade { range, .. } => Some(range),
        _ => None,
    }
}

/// Each radius and field of view of a kind's rules once; of those that see all round the largest,
/// and that only if there are no others.
fn views(kind: &Kind) -> Vec<(f32, f32)> {
    let all = kind.rules.iter().map(|&Rule { radius, field_of_view, .. }| (radius, field_of_view));
    let (round, mut narrow): (Vec<_>, Vec<_>) = all.partition(|&(_, degrees)| degrees >= 360.0);
    narrow.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    narrow.dedup();
    if narrow.is_empty() {
        narrow.extend(round.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)));
    }
    narrow
}

/// Each radius of a kind's rules once.
fn radii(kind: &Kind) -> Vec<f32> {
    let mut radii: Vec<f32> = kind.rules.iter().map(|rule| rule.radius).collect();
    radii.sort_by(f32::total_cmp);
    radii.dedup();
    radii
}
