//! Forces only, over the caller's own arrays: for hosts that keep their own integrator.

use crate::bodies::{Bodies, Body, Spawn};
use crate::error::{Error, Result};
use crate::float_mode::check_float_mode;
use crate::grid::Order;
use crate::parallel::{PARALLEL_FROM, enter};
use crate::rules::Config;
use crate::simd::{Isa, Level};
use crate::sort::Spread;
use crate::tick::{Mode, Tick};

/// Computes flocking forces over positions and velocities that the host owns.
///
/// A body's index in the slices is its id: the order of every sum, and with it every bit, depends
/// on nothing else. Buffers are kept from call to call.
///
/// ```
/// use flockstep::{Config, Edge, Forces, Gait, Kind, Rule, World};
///
/// let kind = Kind { rules: vec![Rule::cohesion(10.0, 1.0)], ..Kind::new(Gait::new(2.0, 0.5)) };
/// let mut forces = Forces::new(Config::new(World::new(100.0, 100.0, Edge::Walls), kind))?;
/// let positions = [[40.0, 50.0], [46.0, 50.0]];
/// let velocities = [[0.0, 0.0]; 2];
/// let mut out = [[0.0; 2]; 2];
/// forces.compute(0, &positions, &velocities, &mut out)?;
/// assert_eq!(out, [[0.5, 0.0], [-0.5, 0.0]]);
/// # Ok::<(), flockstep::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forces {
    config: Config,
    parallel_from: usize,
    isa: Isa,
    bodies: Bodies,
    tick: Tick,
    columns: [Vec<f32>; 2],
}

impl Forces {
    /// # Errors
    /// As [`Flock::new`](crate::Flock::new).
    pub fn new(config: Config) -> Result<Self> {
        check_float_mode()?;
        config.check()?;
        let tick = Tick::new(&config);
        Ok(Self {
            config,
            parallel_from: PARALLEL_FROM,
            isa: Isa::best(),
            bodies: Bodies::default(),
            tick,
            columns: Default::default(),
        })
    }

    /// See [`Flock::set_parallel_from`](crate::Flock::set_parallel_from).
    pub fn set_parallel_from(&mut self, bodies: usize) {
        self.parallel_from = bodies;
    }

    /// See [`Flock::set_level`](crate::Flock::set_level).
    ///
    /// # Errors
    /// [`Error::LevelMissing`] if this CPU lacks it.
    pub fn set_level(&mut self, level: Level) -> Result<()> {
        self.isa = Isa::new(level)?;
        Ok(())
    }

    /// Writes into `out` the force on each body, cut to its gait, all of the first kind. `tick`
    /// drives behaviours that change in time.
    ///
    /// # Errors
    /// [`Error::Lengths`] for slices of different lengths, [`Error::Body`] for a position or
    /// velocity that [`Flock::add`](crate::Flock::add) would refuse. `out` is untouched then.
    pub fn compute(
        &mut self,
        tick: u64,
        positions: &[[f32; 2]],
        velocities: &[[f32; 2]],
        out: &mut [[f32; 2]],
    ) -> Result<()> {
        let host = None::<&fn(&Body) -> [f32; 2]>;
        self.compute_all(tick, positions, velocities, &[], host, out)
    }

    /// The same with each body's kind (or none: all of the first), and a force of the host's on
    /// each body, added last before the cut.
    ///
    /// ```
    /// # use flockstep::{Config, Edge, Forces, Gait, Kind, World};
    /// # let kind = Kind::new(Gait::new(2.0, 0.5));
    /// # let mut forces = Forces::new(Config::new(World::new(9.0, 9.0, Edge::Walls), kind))?;
    /// let mut out = [[0.0; 2]];
    /// forces.compute_with(0, &[[1.0, 2.0]], &[[0.0, 0.0]], &[], |body| body.position, &mut out)?;
    /// # assert!(out[0][1] > out[0][0]);
    /// # Ok::<(), flockstep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Forces::compute`], and for an unknown kind or a host force out of range.
    pub fn compute_with(
        &mut self,
        tick: u64,
        positions: &[[f32; 2]],
        velocities: &[[f32; 2]],
        kinds: &[u8],
        host: impl Fn(&Body) -> [f32; 2] + Sync,
        out: &mut [[f32; 2]],
    ) -> Result<()> {
        self.compute_all(tick, positions, velocities, kinds, Some(&host), out)
    }

    fn compute_all(
        &mut self,
        number: u64,
        positions: &[[f32; 2]],
        velocities: &[[f32; 2]],
        kinds: &[u8],
        host: Option<&(impl Fn(&Body) -> [f32; 2] + Sync)>,
        out: &mut [[f32; 2]],
    ) -> Result<()> {
        let n = positions.len();
        let lengths = [
            ("velocities", velocities.len()),
            ("kinds", if kinds.is_empty() { n } else { kinds.len() }),
            ("out", out.len()),
        ];
        if let Some(&(what, length)) = lengths.iter().find(|(_, length)| *length != n) {
            return Err(Error::Lengths { what, length, bodies: n });
        }
        if u32::try_from(n).is_err() {
            return Err(Error::IdsRunOut);
        }
        self.bodies.clear();
        for (at, (&position, &velocity)) in positions.iter().zip(velocities).enumerate() {
            let kind = kinds.get(at).copied().unwrap_or(0);
            let spawn = Spawn { position, velocity, kind, gait: None }.admit(&self.config, at)?;
            self.bodies.push(at as u32, &spawn, &self.config);
        }
        let Self { config, parallel_from, isa, bodies, tick, columns } = self;
        let spread = Spread { parallel_from: *parallel_from, isa: *isa };
        let mode = Mode { order: Order::Canonical, counted: false, spread };
        let [fx, fy] = columns;
        fx.resize(n, 0.0);
        fy.resize(n, 0.0);
        enter(n >= *parallel_from, || -> Result<()> {
            tick.sort(bodies, config, number, mode);
            if let Some(host) = host {
                tick.ask_host(config, *parallel_from, host)?;
            }
            tick.forces(config, mode, [fx, fy]);
            Ok(())
        })?;
        let [fx, fy] = &self.columns;
        for (at, &id) in self.tick.sorted.id.iter().enumerate() {
            out[id as usize] = [fx[at], fy[at]];
        }
        Ok(())
    }
}
