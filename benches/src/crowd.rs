//! The crowds that are timed.

use flockstep::{Config, Edge, Flock, Gait, Kind, Rule, Spawn, World};

/// The radius of every rule.
pub const RADIUS: f32 = 16.0;

/// Ticks after which a crowd is checked and timed: its headings have settled, its density has not
/// yet changed much.
pub const SETTLED: u64 = 30;

/// Sizes, and the state hash at tick [`SETTLED`] of each uniform crowd of [`Density::Seven`].
pub const CROWDS: [(usize, u64); 7] = [
    (32, 0xfaad_a29d_b87b_ef44),
    (128, 0xd441_d8a2_cc5f_45b4),
    (512, 0x8efc_59c4_161a_e7bf),
    (2048, 0xd3c8_adaa_6c3d_a5b1),
    (8192, 0x5074_62d4_82b5_cc4c),
    (16_384, 0xd394_3101_19ed_451b),
    (65_536, 0x8e91_9a10_8647_07e9),
];

/// A bunched crowd's field is so many times as wide and as high as the part that it stands in.
///
/// Wider, and the contract's bound on the number of cells would double their width.
const ROOM: f32 = 4.0;

/// How dense a crowd stands, named by about how many neighbours a body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Density {
    /// Two bodies a square of one radius: the chapter's.
    Seven,
    /// Nine and a half.
    Thirty,
}

impl Density {
    /// Both, thin to dense.
    pub const ALL: [Self; 2] = [Self::Seven, Self::Thirty];

    /// About how many neighbours a body has.
    pub const fn neighbours(self) -> u32 {
        match self {
            Self::Seven => 7,
            Self::Thirty => 30,
        }
    }

    /// Bodies a square of one radius.
    const fn per_square(self) -> f32 {
        match self {
            Self::Seven => 2.0,
            Self::Thirty => 9.5,
        }
    }
}

/// Where a crowd stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placement {
    /// Anywhere on its field.
    Uniform,
    /// As dense, but in the middle sixteenth of a field sixteen times as large.
    Bunched,
}

impl Placement {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Bunched];

    /// `uniform` or `bunched`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Bunched => "bunched",
        }
    }
}

/// A crowd of the chapter's walkers on a walled field. Equal crowds are equal to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crowd {
    /// How many there are.
    pub bodies: usize,
    /// How dense they stand.
    pub density: Density,
    /// Where they stand.
    pub placement: Placement,
}

impl Crowd {
    /// A uniform crowd of [`Density::Seven`].
    pub const fn new(bodies: usize) -> Self {
        Self { bodies, density: Density::Seven, placement: Placement::Uniform }
    }

    /// The crowd at tick 0.
    pub fn flock(self) -> Flock {
        let side = RADIUS * (self.bodies as f32 / self.density.per_square()).sqrt();
        let (extent, corner) = match self.placement {
            Placement::Uniform => (side, 0.0),
            Placement::Bunched => (side * ROOM, side * ((ROOM - 1.0) / 2.0)),
        };
        let walker = Kind {
            rules: vec![
                Rule::separation(RADIUS, 1.6),
                Rule::alignment(RADIUS, 1.0),
                Rule::cohesion(RADIUS, 0.9),
            ],
            ..Kind::new(Gait::new(2.4, 0.3))
        };
        let config = Config::new(World::new(extent, extent, Edge::Walls), walker);
        let mut flock = Flock::new(config).expect("the crowd's configuration is allowed");
        let mut chance = Chance(self.bodies as u64);
        let spawns: Vec<Spawn> = (0..self.bodies)
            .map(|_| {
                let position = [corner + chance.unit() * side, corner + chance.unit() * side];
                Spawn::new(position, [chance.unit() * 4.0 - 2.0, chance.unit() * 4.0 - 2.0])
            })
            .collect();
        flock.add_all(&spawns).expect("every body lies on the field");
        flock
    }

    /// The crowd at tick [`SETTLED`].
    pub fn settled(self) -> Flock {
        let mut flock = self.flock();
        for _ in 0..SETTLED {
            flock.tick();
        }
        flock
    }
}

/// The uniform crowd of [`Density::Seven`] at tick [`SETTLED`], checked against its hash.
///
/// # Panics
/// If the hash differs: what would be timed is not what is promised.
pub fn settled(bodies: usize, hash: u64) -> Flock {
    let flock = Crowd::new(bodies).settled();
    assert_eq!(flock.state_hash(), hash, "{bodies} bodies: {:#018x}", flock.state_hash());
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
            let mut flock = Crowd::new(n).flock();
            flock.set_engine(Engine::Everybody);
            for _ in 0..SETTLED {
                flock.tick();
            }
            assert_eq!(flock.state_hash(), hash, "{n} bodies");
        }
    }

    #[test]
    fn crowds_are_as_dense_as_they_are_called() {
        for placement in Placement::ALL {
            for density in Density::ALL {
                let mut flock = Crowd { bodies: 8192, density, placement }.settled();
                let found = flock.tick_counted().neighbours as f64 / 8192.0;
                let named = f64::from(density.neighbours());
                let allowed = 0.7 * named..1.3 * named;
                assert!(allowed.contains(&found), "{placement:?}, {named}: {found}");
            }
        }
    }

    #[test]
    fn a_bunch_is_small_on_its_field_and_wider_than_the_radius() {
        let crowd = Crowd { placement: Placement::Bunched, ..Crowd::new(32) };
        let flock = crowd.flock();
        let extent = flock.config().world.size[0];
        for axis in 0..2 {
            let along = || flock.iter().map(|body| body.position[axis]);
            let (low, high) = (along().fold(extent, f32::min), along().fold(0.0, f32::max));
            assert!(low >= extent * 0.375 && high <= extent * 0.625, "{low} to {high}");
            assert!(high - low > 2.0 * RADIUS, "{low} to {high}");
        }
    }
}
