//! What the suites share: one crowd at any size, and the hashes it must reach.

use flockstep::{Config, Edge, Flock, Gait, Kind, Rule, Spawn, World};

/// The radius of every rule; the worlds hold two bodies a square of it.
pub const RADIUS: f32 = 16.0;

/// Ticks after which a crowd is checked and timed: its headings have settled, its density has not
/// yet changed much.
pub const SETTLED: u64 = 30;

/// Sizes, and the state hash of each crowd at tick [`SETTLED`].
pub const CROWDS: [(usize, u64); 7] = [
    (32, 0xb9ef_a25b_f0a0_607c),
    (128, 0xfc9e_af78_df42_a51f),
    (512, 0x38e8_a48d_e98c_e3d2),
    (2048, 0x5da8_bf3b_f4aa_63d5),
    (8192, 0x96b6_0bf4_b6a0_f70a),
    (16_384, 0x4ccf_88c0_079a_f398),
    (65_536, 0x2a8c_6ab0_09a7_13b7),
];

/// `n` walkers of the chapter, anywhere on a walled field of two a square of one radius.
pub fn crowd(n: usize) -> Flock {
    let side = RADIUS * (n as f32 / 2.0).sqrt();
    let walker = Kind {
        separation: Some(Rule::new(RADIUS, 1.6)),
        alignment: Some(Rule::new(RADIUS, 1.0)),
        cohesion: Some(Rule::new(RADIUS, 0.9)),
        ..Kind::new(Gait::new(2.4, 0.3))
    };
    let config = Config::new(World::new(side, side, Edge::Walls), walker);
    let mut flock = Flock::new(config).expect("the crowd's configuration is allowed");
    let mut chance = Chance(n as u64);
    let spawns: Vec<Spawn> = (0..n)
        .map(|_| {
            let position = [chance.unit() * side, chance.unit() * side];
            Spawn::new(position, [chance.unit() * 4.0 - 2.0, chance.unit() * 4.0 - 2.0])
        })
        .collect();
    flock.add_all(&spawns).expect("every body lies on the field");
    flock
}

/// The crowd at tick [`SETTLED`], checked against its hash.
///
/// # Panics
/// If the hash differs: what would be timed is not what is promised.
pub fn settled(n: usize, hash: u64) -> Flock {
    let mut flock = crowd(n);
    for _ in 0..SETTLED {
        flock.tick();
    }
    assert_eq!(flock.state_hash(), hash, "{n} bodies: {:#018x}", flock.state_hash());
    flock
}

/// SplitMix64.
struct Chance(u64);

impl Chance {
    /// In [0, 1).
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / 16_777_216.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockstep::Engine;

    #[test]
    fn crowds_reach_their_hashes() {
        for (n, hash) in CROWDS {
            assert_eq!(settled(n, hash).len(), n);
        }
    }

    #[test]
    fn the_reference_reaches_the_same_hashes() {
        for (n, hash) in CROWDS.into_iter().filter(|(n, _)| *n <= 2048) {
            let mut flock = crowd(n);
            flock.set_engine(Engine::Everybody);
            for _ in 0..SETTLED {
                flock.tick();
            }
            assert_eq!(flock.state_hash(), hash, "{n} bodies");
        }
    }
}
