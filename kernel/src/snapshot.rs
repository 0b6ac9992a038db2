//! A flock as bytes: versioned, checksummed, little-endian. docs/contract.md, "Snapshot".
//!
//! Layout: magic (8), version (u32), reserved 0 (u32), XXH3-64 of all that follows (u64), then
//! configuration, tick (u64), next id (u32), flags (u32), number of bodies (u32), and the arrays.

use crate::bodies::Bodies;
use crate::error::{Error, Result};
use crate::rules::{
    Behaviour, Config, Drive, Gait, Ground, Kind, Kinds, MAX_KINDS, Respawn, Rule, Spread, Target,
    Urge, Weight,
};
use crate::scenery::{Field, Flow, Noise, Obstacle, Path, Scenery, Soil};
use crate::world::{Edge, World};
use bytemuck::Pod;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"flockstp";
const VERSION: u32 = 2;
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
    let config = Config::take(&mut from)?;
    if config.kinds.len() > MAX_KINDS {
        return Err(unusable(format!(
            "{} kinds; allowed: at most {MAX_KINDS}",
            config.kinds.len()
        )));
    }
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
    config.put(bytes);
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
}

/// What a configuration is made of, as bytes: structures field by field, choices after their number
/// (u32), lists after their length (u32).
trait Coded: Sized {
    fn put(&self, bytes: &mut Vec<u8>);
    fn take(from: &mut Reader<'_>) -> Result<Self>;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Coded for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                put(bytes, *self);
            }

            fn take(from: &mut Reader<'_>) -> Result<Self> {
                from.take()
            }
        }
    )*};
}

numbers!(f32, u32, u64);

/// Smaller numbers are written as u32.
macro_rules! small_numbers {
    ($($type:ty),*) => {$(
        impl Coded for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                put(bytes, u32::from(*self));
            }

            fn take(from: &mut Reader<'_>) -> Result<Self> {
                let number: u32 = from.take()?;
                Self::try_from(number)
                    .map_err(|_| unusable(format!("{number} is too large where it stands")))
            }
        }
    )*};
}

small_numbers!(u8, u16);

impl<T: Coded> Coded for Vec<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.len() as u32);
        self.iter().for_each(|item| item.put(bytes));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self> {
        let count: u32 = from.take()?;
        (0..count).map(|_| T::take(from)).collect()
    }
}

impl<T: Coded> Coded for Option<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        put(bytes, u32::from(self.is_some()));
        if let Some(item) = self {
            item.put(bytes);
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self> {
        match from.take::<u32>()? {
            0 => Ok(None),
            1 => T::take(from).map(Some),
            other => Err(unusable(format!("option {other} is unknown"))),
        }
    }
}

impl<T: Coded> Coded for [T; 2] {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|item| item.put(bytes));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self> {
        Ok([T::take(from)?, T::take(from)?])
    }
}

impl<T: Coded> Coded for Field<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.cells.put(bytes);
        self.values.put(bytes);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Self { cells: Coded::take(from)?, values: T::take(from)? })
    }
}

impl Coded for bool {
    fn put(&self, bytes: &mut Vec<u8>) {
        put(bytes, u32::from(*self));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self> {
        match from.take::<u32>()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(unusable(format!("truth value {other} is unknown"))),
        }
    }
}

impl Coded for Kinds {
    fn put(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.0);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Self(from.take()?))
    }
}

macro_rules! structures {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl Coded for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                $(self.$field.put(bytes);)*
            }

            fn take(from: &mut Reader<'_>) -> Result<Self> {
                $(let $field = Coded::take(from)?;)*
                Ok(Self { $($field),* })
            }
        }
    )*};
}

structures! {
    Config { world, dt, seed, kinds, scenery }
    World { size, edges }
    Kind { gait, spread, ground, rules, behaviours, respawn }
    Gait { max_speed, max_force }
    Spread { max_speed, max_force, look_ahead }
    Ground { field, max_speed, max_force }
    Rule { urge, radius, weight, hears, field_of_view }
    Behaviour { weight, drive }
    Respawn { by, within, low, high, speed }
    Scenery { flows, grounds, paths, obstacles }
    Noise { density, period, stream }
    Path { points, radius, closed }
    Obstacle { centre, radius }
}

macro_rules! choices {
    ($($what:literal $type:ident {
        $($number:literal $variant:ident $({ $($field:ident),* })? $(( $($item:ident),* ))?,)*
    })*) => {$(
        impl Coded for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $({ $($field),* })? $(( $($item),* ))? => {
                        put(bytes, $number as u32);
                        $($($field.put(bytes);)*)?
                        $($($item.put(bytes);)*)?
                    })*
                }
            }

            fn take(from: &mut Reader<'_>) -> Result<Self> {
                match from.take::<u32>()? {
                    $($number => {
                        $($(let $field = Coded::take(from)?;)*)?
                        $($(let $item = Coded::take(from)?;)*)?
                        Ok(Self::$variant $({ $($field),* })? $(( $($item),* ))?)
                    })*
                    other => Err(unusable(format!("{} {other} is unknown", $what))),
                }
            }
        }
    )*};
}

choices! {
    "edge" Edge { 0 Walls, 1 Torus, 2 Open, }
    "weight" Weight {
        0 Steady(weight),
        1 Sine { mean, amplitude, period },
        2 Drawn { low, high },
        3 Noise { low, high, period },
    }
    "urge" Urge {
        0 Separation,
        1 Alignment,
        2 Cohesion,
        3 Gather { beyond },
        4 View,
        5 Flee { fading },
        6 Hunt,
    }
    "target" Target {
        0 Point(point),
        1 Orbit { centre, radius, period },
        2 Body(id),
        3 Nearest(kinds),
    }
    "drive" Drive {
        0 Seek { target },
        1 Arrive { target, slowing },
        2 Flee { target, range, fading },
        3 Pursue { target, look_ahead },
        4 Evade { target, range, look_ahead },
        5 OffsetPursuit { target, offset, slowing, look_ahead },
        6 FollowLeader { target, behind, clearance, slowing },
        7 Wander { distance, radius, period },
        8 Contain { margin },
        9 Avoid { look_ahead, clearance },
        10 FollowFlow { flow },
        11 FollowPath { path, look_ahead },
    }
    "flow" Flow {
        0 Uniform(vector),
        1 Swirl { centre },
        2 Random { stream },
        3 Noise(noise),
        4 Listed(vectors),
    }
    "ground" Soil {
        0 Noise(noise),
        1 Listed(values),
    }
}
