//! A flock as bytes: versioned, checksummed, little-endian. docs/contract.md, "Snapshot".
//!
//! Layout: magic (8), version (u32), reserved 0 (u32), XXH3-64 of all that follows (u64), then
//! configuration, tick (u64), next id (u32), flags (u32), number of bodies (u32), and the arrays.

use crate::bodies::Bodies;
use crate::error::{Error, Result};
use crate::rules::{Behaviour, Config, Gait, Kind, MAX_KINDS, Rule};
use crate::world::{Edge, World};
use bytemuck::Pod;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"flockstp";
const VERSION: u32 = 1;
const HEADER: usize = 24;

const HAS_KINDS: u32 = 1;
const HAS_OWN_GAITS: u32 = 2;

/// What a snapshot carries besides configuration and bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub tick: u64,
    pub next_id: u32,
}

/// Replaces the contents of `bytes` with a snapshot.
pub(crate) fn save(bytes: &mut Vec<u8>, config: &Config, progress: Progress, bodies: &Bodies) {
    bytes.clear();
    bytes.extend_from_slice(&[0; HEADER]);
    put_config(bytes, config);
    put(bytes, progress.tick);
    put(bytes, progress.next_id);
    let kinds = if config.kinds.len() > 1 { HAS_KINDS } else { 0 };
    put(bytes, kinds | if bodies.has_own_gaits() { HAS_OWN_GAITS } else { 0 });
    put(bytes, bodies.len() as u32);
    put_all(bytes, &bodies.id);
    for column in [&bodies.x, &bodies.y, &bodies.vx, &bodies.vy] {
        put_all(bytes, column);
    }
    put_all(bytes, &bodies.max_speed);
    put_all(bytes, &bodies.max_force);
    put_all(bytes, &bodies.kind);
    let checksum = xxh3_64(&bytes[HEADER..]);
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[16..24].copy_from_slice(&checksum.to_le_bytes());
}

/// Reads a snapshot, filling `bodies`. They are checked by the caller.
pub(crate) fn load(bytes: &[u8], bodies: &mut Bodies) -> Result<(Config, Progress)> {
    let mut from = open(bytes)?;
    let config = from.config()?;
    let progress = Progress { tick: from.take()?, next_id: from.take()? };
    let flags: u32 = from.take()?;
    let count = from.take::<u32>()? as usize;
    let (kinds, own_gaits) = (flags & HAS_KINDS != 0, flags & HAS_OWN_GAITS != 0);
    let body_bytes = 20 + usize::from(kinds) + if own_gaits { 8 } else { 0 };
    if count.checked_mul(body_bytes) != Some(from.rest.len()) {
        return Err(unusable(format!(
            "it tells of {count} bodies of {body_bytes} bytes but holds {} bytes",
            from.rest.len()
        )));
    }
    if kinds != (config.kinds.len() > 1) || flags > (HAS_KINDS | HAS_OWN_GAITS) {
        return Err(unusable(format!("flags {flags} do not fit {} kinds", config.kinds.len())));
    }
    from.take_all(&mut bodies.id, count)?;
    for column in [&mut bodies.x, &mut bodies.y, &mut bodies.vx, &mut bodies.vy] {
        from.take_all(column, count)?;
    }
    let gaits = if own_gaits { count } else { 0 };
    from.take_all(&mut bodies.max_speed, gaits)?;
    from.take_all(&mut bodies.max_force, gaits)?;
    from.take_all(&mut bodies.kind, if kinds { count } else { 0 })?;
    Ok((config, progress))
}

/// Checks magic, version and checksum.
fn open(bytes: &[u8]) -> Result<Reader<'_>> {
    let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
        return Err(unusable(format!("{} bytes are fewer than a header's {HEADER}", bytes.len())));
    };
    let mut from = Reader { rest: header };
    if from.take::<[u8; 8]>()? != MAGIC {
        return Err(unusable("it does not begin with \"flockstp\"".to_owned()));
    }
    let version: u32 = from.take()?;
    if version != VERSION {
        return Err(unusable(format!("version {version}; this library reads {VERSION}")));
    }
    let (reserved, checksum): (u32, u64) = (from.take()?, from.take()?);
    if reserved != 0 {
        return Err(unusable(format!("its reserved number is {reserved}, not 0")));
    }
    if checksum != xxh3_64(rest) {
        return Err(unusable("its checksum does not match: truncated or altered".to_owned()));
    }
    Ok(Reader { rest })
}

fn unusable(why: String) -> Error {
    Error::Snapshot(why)
}

/// The bytes that stand for a configuration, in a snapshot and in its fingerprint.
pub(crate) fn put_config(bytes: &mut Vec<u8>, config: &Config) {
    for axis in 0..2 {
        put(bytes, config.world.size[axis]);
        put(
            bytes,
            match config.world.edges[axis] {
                Edge::Walls => 0_u32,
                Edge::Torus => 1,
                Edge::Open => 2,
            },
        );
    }
    put(bytes, config.dt);
    put(bytes, config.seed);
    put(bytes, config.kinds.len() as u32);
    for kind in &config.kinds {
        put(bytes, kind.gait.max_speed);
        put(bytes, kind.gait.max_force);
        for (_, rule) in kind.rules() {
            put(bytes, u32::from(rule.is_some()));
            if let Some(rule) = rule {
                put(bytes, rule.radius);
                put(bytes, rule.weight);
            }
        }
        put(bytes, kind.behaviours.len() as u32);
        for behaviour in &kind.behaviours {
            put_behaviour(bytes, behaviour);
        }
    }
}

fn put_behaviour(bytes: &mut Vec<u8>, behaviour: &Behaviour) {
    match *behaviour {
        Behaviour::Wander { weight, distance, radius, period } => {
            put(bytes, 0_u32);
            put_all(bytes, &[weight, distance, radius]);
            put(bytes, period);
        }
        Behaviour::Contain { weight, margin } => {
            put(bytes, 1_u32);
            put_all(bytes, &[weight, margin]);
        }
    }
}

/// A number or array of bytes, written little-endian.
trait Wire: Pod {
    #[cfg(target_endian = "big")]
    fn swapped(self) -> Self;
}

macro_rules! wire {
    ($($type:ty => $swap:expr),*) => {$(
        impl Wire for $type {
            #[cfg(target_endian = "big")]
            fn swapped(self) -> Self {
                let swap: fn($type) -> $type = $swap;
                swap(self)
            }
        }
    )*};
}

wire!(u8 => |v| v, u32 => u32::swap_bytes, u64 => u64::swap_bytes, [u8; 8] => |v| v,
      f32 => |v| f32::from_bits(v.to_bits().swap_bytes()));

fn put<T: Wire>(bytes: &mut Vec<u8>, value: T) {
    put_all(bytes, &[value]);
}

fn put_all<T: Wire>(bytes: &mut Vec<u8>, values: &[T]) {
    #[cfg(target_endian = "little")]
    bytes.extend_from_slice(bytemuck::cast_slice(values));
    #[cfg(target_endian = "big")]
    for value in values {
        bytes.extend_from_slice(bytemuck::bytes_of(&value.swapped()));
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn take<T: Wire>(&mut self) -> Result<T> {
        let mut value = [T::zeroed()];
        self.fill(&mut value)?;
        Ok(value[0])
    }

    /// Replaces the contents of `values`.
    fn take_all<T: Wire>(&mut self, values: &mut Vec<T>, count: usize) -> Result<()> {
        values.clear();
        values.resize(count, T::zeroed());
        self.fill(values)
    }

    fn fill<T: Wire>(&mut self, values: &mut [T]) -> Result<()> {
        let Some((bytes, rest)) = self.rest.split_at_checked(size_of_val(values)) else {
            return Err(unusable("it ends early".to_owned()));
        };
        bytemuck::cast_slice_mut(values).copy_from_slice(bytes);
        #[cfg(target_endian = "big")]
        values.iter_mut().for_each(|value| *value = value.swapped());
        self.rest = rest;
        Ok(())
    }

    fn config(&mut self) -> Result<Config> {
        let mut world = World::new(0.0, 0.0, Edge::Walls);
        for axis in 0..2 {
            world.size[axis] = self.take()?;
            world.edges[axis] = match self.take::<u32>()? {
                0 => Edge::Walls,
                1 => Edge::Torus,
                2 => Edge::Open,
                other => return Err(unusable(format!("edge {other} is unknown"))),
            };
        }
        let (dt, seed) = (self.take()?, self.take()?);
        let count = self.take::<u32>()? as usize;
        if count > MAX_KINDS {
            return Err(unusable(format!("{count} kinds; allowed: at most {MAX_KINDS}")));
        }
        let kinds = (0..count).map(|_| self.kind()).collect::<Result<_>>()?;
        Ok(Config { world, dt, seed, kinds })
    }

    fn kind(&mut self) -> Result<Kind> {
        let gait = Gait::new(self.take()?, self.take()?);
        let (separation, alignment, cohesion) = (self.rule()?, self.rule()?, self.rule()?);
        let mut behaviours = Vec::new();
        for _ in 0..self.take::<u32>()? {
            behaviours.push(self.behaviour()?);
        }
        Ok(Kind { gait, separation, alignment, cohesion, behaviours })
    }

    fn rule(&mut self) -> Result<Option<Rule>> {
        match self.take::<u32>()? {
            0 => Ok(None),
            1 => Ok(Some(Rule::new(self.take()?, self.take()?))),
            other => Err(unusable(format!("rule {other} is unknown"))),
        }
    }

    fn behaviour(&mut self) -> Result<Behaviour> {
        match self.take::<u32>()? {
            0 => Ok(Behaviour::Wander {
                weight: self.take()?,
                distance: self.take()?,
                radius: self.take()?,
                period: self.take()?,
            }),
            1 => Ok(Behaviour::Contain { weight: self.take()?, margin: self.take()? }),
            other => Err(unusable(format!("behaviour {other} is unknown"))),
        }
    }
}
