//! State hash and configuration fingerprint: XXH3-64 over bytes laid out in docs/contract.md.

use crate::bodies::Bodies;
use xxhash_rust::xxh3::Xxh3;

/// How many bytes are gathered before they are hashed.
const BUFFER: usize = 4096;

/// The hash of `bodies`, visited in ascending id order through `places`.
pub(crate) fn state_hash(bodies: &Bodies, places: &[u32]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&(bodies.len() as u64).to_le_bytes());
    let mut buffer = Vec::with_capacity(BUFFER + 32);
    for at in places.iter().map(|&place| place as usize) {
        buffer.extend_from_slice(&bodies.id[at].to_le_bytes());
        for value in [bodies.x[at], bodies.y[at], bodies.vx[at], bodies.vy[at]] {
            buffer.extend_from_slice(&value.to_bits().to_le_bytes());
        }
        if let Some(&kind) = bodies.kind.get(at) {
            buffer.extend_from_slice(&u32::from(kind).to_le_bytes());
        }
        if buffer.len() >= BUFFER {
            hasher.update(&buffer);
            buffer.clear();
        }
    }
    hasher.update(&buffer);
    hasher.digest()
}

/// The hash of a configuration's bytes (see `snapshot`), and of the gaits that bodies were given
/// on their own, in id order.
pub(crate) fn fingerprint(config: &[u8], bodies: &Bodies, places: &[u32]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(config);
    for at in places.iter().map(|&place| place as usize) {
        if let Some(gait) = bodies.own_gait_at(at) {
            hasher.update(&bodies.id[at].to_le_bytes());
            hasher.update(&gait.max_speed.to_bits().to_le_bytes());
            hasher.update(&gait.max_force.to_bits().to_le_bytes());
        }
    }
    hasher.digest()
}
