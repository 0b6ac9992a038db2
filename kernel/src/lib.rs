//! Flocking and steering for many bodies, the same bits everywhere.
//!
//! A flock of boids is a sum over neighbours, and a floating-point sum depends on its order.
//! flockstep fixes the order of every sum, so that the fast path (cells, vectors, threads) equals a
//! readable scalar [`reference`](mod@reference) bit for bit: on every instruction set, at every
//! vector width, for every number of threads. Lockstep games stay in step, papers can be
//! reproduced, and tests can compare for equality.
//!
//! ```
//! use flockstep::{Config, Edge, Flock, Gait, Kind, Rule, Spawn, World};
//!
//! let walker = Kind {
//!     rules: vec![
//!         Rule::separation(16.0, 1.6), // radius, weight
//!         Rule::alignment(16.0, 1.0),
//!         Rule::cohesion(16.0, 0.9),
//!     ],
//!     ..Kind::new(Gait::new(2.4, 0.3)) // max speed, max force
//! };
//! let mut flock = Flock::new(Config::new(World::new(192.0, 128.0, Edge::Torus), walker))?;
//! for k in 0..120_u8 {
//!     let place = [f32::from(k % 12) * 16.0, f32::from(k / 12) * 12.0];
//!     flock.add(Spawn::new(place, [1.0, f32::from(k % 5) - 2.0]))?;
//! }
//! for _ in 0..100 {
//!     flock.tick();
//! }
//! assert_eq!(flock.state_hash(), 0x6860_d345_fe4a_4746); // on every machine
//! # Ok::<(), flockstep::Error>(())
//! ```
//!
//! Build it with optimisation: SIMD types without are some two hundred times slower. For debug
//! builds of your own program, `[profile.dev.package.flockstep] opt-level = 3` is enough.
//!
//! # Ways in
//!
//! | you have | take |
//! |---|---|
//! | a program that wants flocks moved | [`Flock`]: add, tick, read by id |
//! | forces of your own besides | [`Flock::tick_with`] |
//! | your own arrays and integrator | [`Forces`] |
//! | a sim that only asks who is near | [`Neighbours`] |
//! | rollback or saved games | [`Flock::snapshot_into`], [`Flock::restore_from`] |
//! | a doubt why a body moves as it does | [`Flock::explain`] |
//!
//! # Threads
//!
//! Ticks of large flocks run in the rayon pool they are called from (`pool.install(|| ...)`), or in
//! rayon's global one; small flocks stay on the calling thread. [`Flock::set_parallel_from`] and the
//! default feature `parallel` switch that off. All types are `Send + Sync`. The library reads no
//! environment, no clock and no file, and keeps no global state.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

mod behaviours;
mod bodies;
mod cells;
mod draws;
mod error;
mod fields;
mod float_mode;
mod flock;
mod forces;
mod grid;
mod hash;
mod neighbours;
mod parallel;
mod plan;
mod query;
pub mod reference;
mod rules;
mod scenery;
mod simd;
mod snapshot;
mod sort;
mod steering;
mod step;
mod tick;
mod world;

pub use bodies::{Body, Spawn};
pub use error::{Error, Result};
pub use float_mode::check_float_mode;
pub use flock::{Counts, Engine, Flock};
pub use forces::Forces;
pub use neighbours::pair_loop;
pub use parallel::PARALLEL_FROM;
pub use query::{Neighbour, Neighbours};
pub use reference::{Explanation, Heard, Term, Vote};
pub use rules::{
    Behaviour, Config, Drive, Gait, Ground, Kind, Kinds, MAX_KINDS, Respawn, Rule, Spread, Target,
    Urge, Weight,
};
pub use scenery::{Field, Flow, MAX_FIELDS, Noise, Obstacle, Path, Scenery, Soil};
pub use simd::Level;
pub use world::{Edge, World};
