//! Bodies as structure-of-arrays, and how callers see one.

use crate::error::{Error, Result};
use crate::parallel::{Slots, Tally, drive, in_pieces};
use crate::plan::spread_gait;
use crate::rules::{Config, Gait};
use crate::sort::Places;

/// One body, as callers see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Given out in ascending order by [`Flock::add`](crate::Flock::add), never used twice.
    pub id: u32,
    /// The index of its kind in [`Config::kinds`].
    pub kind: u8,
    /// Where it is.
    pub position: [f32; 2],
    /// How it moves, in world units a unit of time.
    pub velocity: [f32; 2],
    /// What limits it: its own gait, or its kind's with its spread. A ground is not in it.
    pub gait: Gait,
}

/// A body to be added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spawn {
    /// Where it starts.
    pub position: [f32; 2],
    /// How it moves at the start; longer than the gait allows is fine, the first tick cuts it.
    pub velocity: [f32; 2],
    /// The index of its kind in [`Config::kinds`].
    pub kind: u8,
    /// Its own gait, or `None` for its kind's.
    pub gait: Option<Gait>,
}

impl Spawn {
    /// A body of the first kind with that kind's gait.
    pub const fn new(position: [f32; 2], velocity: [f32; 2]) -> Self {
        Self { position, velocity, kind: 0, gait: None }
    }

    /// The spawn as it may be stored, or why not. `body` names it in the refusal.
    pub(crate) fn admit(mut self, config: &Config, body: usize) -> Result<Self> {
        self.position = config.world.admit(self.position, body)?;
        check_velocity(self.velocity, body, SPEED_LIMIT)?;
        check_kind(self.kind, config, body)?;
        if let Some(gait) = self.gait {
            check_own_gait(gait, config, body)?;
        }
        Ok(self)
    }
}

/// The longest velocity that can be added.
const SPEED_LIMIT: f64 = 1e9;

/// The longest that a flock can have reached: a cut to 1e9 may round to a little more.
const REACHED_SPEED_LIMIT: f64 = 1.001e9;

fn check_velocity(velocity: [f32; 2], body: usize, limit: f64) -> Result<()> {
    for (field, value) in ["vx", "vy"].into_iter().zip(velocity) {
        if !value.is_finite() {
            return Err(Error::Body { body, field, value, allowed: "a finite number".into() });
        }
    }
    let [vx, vy] = velocity.map(f64::from);
    let squared = vx * vx + vy * vy;
    if squared <= limit * limit {
        Ok(())
    } else {
        let value = squared.sqrt() as f32;
        Err(Error::Body { body, field: "velocity", value, allowed: "at most 1e9 long".into() })
    }
}

pub(crate) fn check_kind(kind: u8, config: &Config, body: usize) -> Result<()> {
    if usize::from(kind) < config.kinds.len() {
        return Ok(());
    }
    let allowed = format!("a kind from 0 to {}", config.kinds.len() - 1).into();
    Err(Error::Body { body, field: "kind", value: f32::from(kind), allowed })
}

pub(crate) fn check_own_gait(gait: Gait, config: &Config, body: usize) -> Result<()> {
    gait.check(|| format!("body {body}: gait"))?;
    let field = || format!("body {body}: gait.max_speed");
    config.world.check_step(gait.max_speed * config.dt, field)
}

/// What stands for a body that follows its kind's gait, where others have their own.
const NO_OWN_GAIT: Gait = Gait::new(f32::NAN, f32::NAN);

/// The arrays. Entry `i` of each describes one body; the order is the canonical order of the last
/// tick, with bodies added since at the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    pub id: Vec<u32>,
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    pub vx: Vec<f32>,
    pub vy: Vec<f32>,
    /// Empty while there is only one kind.
    pub kind: Vec<u8>,
    /// Own gaits: empty while no body has one, else NaN for those that follow their kind's; likewise
    /// `max_force`.
    pub max_speed: Vec<f32>,
    pub max_force: Vec<f32>,
}

impl Bodies {
    pub(crate) fn len(&self) -> usize {
        self.id.len()
    }

    pub(crate) fn has_own_gaits(&self) -> bool {
        !self.max_speed.is_empty()
    }

    pub(crate) fn kind_at(&self, at: usize) -> u8 {
        self.kind.get(at).copied().unwrap_or(0)
    }

    pub(crate) fn gait_at(&self, at: usize, config: &Config) -> Gait {
        let kind = &config.kinds[usize::from(self.kind_at(at))];
        self.own_gait_at(at).unwrap_or_else(|| spread_gait(kind, config.seed, self.id[at]))
    }

    pub(crate) fn own_gait_at(&self, at: usize) -> Option<Gait> {
        let (&max_speed, &max_force) = self.max_speed.get(at).zip(self.max_force.get(at))?;
        (!max_speed.is_nan()).then_some(Gait { max_speed, max_force })
    }

    pub(crate) fn get(&self, at: usize, config: &Config) -> Body {
        Body {
            id: self.id[at],
            kind: self.kind_at(at),
            position: [self.x[at], self.y[at]],
            velocity: [self.vx[at], self.vy[at]],
            gait: self.gait_at(at, config),
        }
    }

    /// Removes all bodies and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.id.clear();
        self.kind.clear();
        let Self { x, y, vx, vy, max_speed, max_force, .. } = self;
        for column in [x, y, vx, vy, max_speed, max_force] {
            column.clear();
        }
    }

    /// Makes room for so many more bodies, in columns that are in use.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.id.reserve(more);
        let Self { x, y, vx, vy, .. } = self;
        [x, y, vx, vy].into_iter().for_each(|column| column.reserve(more));
    }

    /// Appends an admitted spawn.
    pub(crate) fn push(&mut self, id: u32, spawn: &Spawn, config: &Config) {
        if spawn.gait.is_some() {
            self.make_room_for_own_gaits();
        }
        self.id.push(id);
        self.x.push(spawn.position[0]);
        self.y.push(spawn.position[1]);
        self.vx.push(spawn.velocity[0]);
        self.vy.push(spawn.velocity[1]);
        if config.kinds.len() > 1 {
            self.kind.push(spawn.kind);
        }
        if self.has_own_gaits() || spawn.gait.is_some() {
            let gait = spawn.gait.unwrap_or(NO_OWN_GAIT);
            self.max_speed.push(gait.max_speed);
            self.max_force.push(gait.max_force);
        }
    }

    /// Lets bodies have gaits of their own; none has one yet.
    pub(crate) fn make_room_for_own_gaits(&mut self) {
        if !self.has_own_gaits() {
            self.max_speed.resize(self.len(), NO_OWN_GAIT.max_speed);
            self.max_force.resize(self.len(), NO_OWN_GAIT.max_force);
        }
    }

    /// Removes the body at `at`; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, at: usize) {
        self.id.swap_remove(at);
        for column in [&mut self.x, &mut self.y, &mut self.vx, &mut self.vy] {
            column.swap_remove(at);
        }
        if !self.kind.is_empty() {
            self.kind.swap_remove(at);
        }
        if self.has_own_gaits() {
            self.max_speed.swap_remove(at);
            self.max_force.swap_remove(at);
        }
    }

    /// Fills `self` with the bodies of `source` in the order of `places`.
    pub(crate) fn gather(&mut self, source: &Self, places: &Places, parallel_from: usize) {
        let n = places.len();
        self.id.resize(n, 0);
        let Self { id, x, y, vx, vy, .. } = self;
        let motion = [x, y, vx, vy].map(|column| {
            column.resize(n, 0.0);
            &mut column[..]
        });
        let slots = (Slots { start: 0, columns: [id] }, Slots { start: 0, columns: motion });
        drive(slots, parallel_from, &|slots| {
            in_pieces(slots, PIECE, |(ids, motion)| {
                let Slots { start, columns: [ids] } = ids;
                for (id, place) in ids.iter_mut().zip(places.from(start)) {
                    *id = place.id;
                }
                gather(motion, [&source.x, &source.y, &source.vx, &source.vy], places);
            });
            Tally::default()
        });
        if source.kind.is_empty() {
            self.kind.clear();
        } else {
            self.kind.resize(n, 0);
            let slots = Slots { start: 0, columns: [&mut self.kind] };
            drive(slots, parallel_from, &|kinds| {
                gather(kinds, [&source.kind], places);
                Tally::default()
            });
        }
        if source.has_own_gaits() {
            let gaits = [&mut self.max_speed, &mut self.max_force].map(|column| {
                column.resize(n, 0.0);
                &mut column[..]
            });
            let slots = Slots { start: 0, columns: gaits };
            drive(slots, parallel_from, &|gaits| {
                gather(gaits, [&source.max_speed, &source.max_force], places);
                Tally::default()
            });
        } else {
            self.max_speed.clear();
            self.max_force.clear();
        }
    }

    /// Refuses restored arrays that no flock of this configuration could have reached.
    pub(crate) fn check_saved(&mut self, config: &Config) -> Result<()> {
        for at in 0..self.len() {
            let body = self.id[at] as usize;
            let position = config.world.admit_reached([self.x[at], self.y[at]], body)?;
            [self.x[at], self.y[at]] = position;
            check_velocity([self.vx[at], self.vy[at]], body, REACHED_SPEED_LIMIT)?;
            check_kind(self.kind_at(at), config, body)?;
            if let Some(gait) = self.own_gait_at(at) {
                check_own_gait(gait, config, body)?;
            } else if self.has_own_gaits() {
                // One bit pattern for "none", whatever NaN was saved.
                [self.max_speed[at], self.max_force[at]] = [f32::NAN; 2];
            }
        }
        Ok(())
    }
}

/// How many bodies are gathered at a time: their places are read once for each column.
const PIECE: usize = 1024;

/// Fills slots from the places their bodies come from.
fn gather<T: Copy + Send, const N: usize>(
    slots: Slots<'_, T, N>,
    sources: [&[T]; N],
    places: &Places,
) {
    let Slots { start, columns } = slots;
    for (target, source) in columns.into_iter().zip(sources) {
        for (value, place) in target.iter_mut().zip(places.from(start)) {
            *value = source[place.from as usize];
        }
    }
}

/// Storage places in ascending id order.
pub(crate) fn places_by_id(ids: &[u32], places: &mut Vec<u32>) {
    places.clear();
    let (Some(&first), Some(&last)) = (ids.iter().min(), ids.iter().max()) else {
        return;
    };
    if (last - first) as usize == ids.len() - 1 {
        // No gaps: every id tells its own rank.
        places.resize(ids.len(), 0);
        for (place, &id) in ids.iter().enumerate() {
            places[(id - first) as usize] = place as u32;
        }
    } else {
        places.extend(0..ids.len() as u32);
        places.sort_unstable_by_key(|&place| ids[place as usize]);
    }
}
