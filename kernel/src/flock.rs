//! The owned flock: bodies with stable ids, and the tick.

use crate::bodies::{Bodies, Body, Spawn, check_kind, check_own_gait, places_by_id};
use crate::error::{Error, Result};
use crate::float_mode::check_float_mode;
use crate::grid::Order;
use crate::hash;
use crate::parallel::{PARALLEL_FROM, Tally, enter};
use crate::reference::{self, Explanation};
use crate::rules::{Config, Gait};
use crate::simd::{Isa, Level};
use crate::snapshot::{self, Progress};
use crate::sort::Spread;
use crate::tick::{Mode, Tick, check_host_force};
use std::mem::swap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// How neighbours are found. [`Cells`](Engine::Cells) and [`Everybody`](Engine::Everybody) give the
/// same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fast path: a grid of cells, vectors, threads.
    #[default]
    Cells,
    /// The scalar reference: a double loop over every pair.
    Everybody,
    /// The fast path with candidates from the own row first, then above, then below, and as stored
    /// within a cell. Its neighbours are right and its sums differ: it shows why order matters.
    Unordered,
}

/// What a tick did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs whose distance the engine has to look at: bodies in cells near enough, or all,
    /// counted once from each side.
    pub distance_tests: u64,
    /// Pairs the vectors evaluated, lanes that were idle or too far away included; 0 for the
    /// reference, and when no rule is in use.
    pub lane_slots: u64,
    /// Neighbours within [`Config::radius`], summed over all bodies.
    pub neighbours: u64,
    /// Pieces the tick was cut into; 1 means that it ran on the calling thread.
    pub tasks: u64,
}

/// Many bodies under one configuration.
///
/// Ids are handed out in ascending order and never used again; what callers see is by id. See the
/// [crate's front page](crate) for an example.
#[derive(Debug)]
pub struct Flock {
    config: Config,
    bodies: Bodies,
    progress: Progress,
    engine: Engine,
    parallel_from: usize,
    isa: Isa,
    tick: Tick,
    by_id: ById,
}

impl Flock {
    /// A flock without bodies, at tick 0.
    ///
    /// # Errors
    /// What [`Config::check`] refuses, and [`Error::FloatMode`] if this thread's arithmetic is not
    /// the contract's.
    pub fn new(config: Config) -> Result<Self> {
        check_float_mode()?;
        config.check()?;
        Ok(Self {
            tick: Tick::new(&config),
            config,
            bodies: Bodies::default(),
            progress: Progress { tick: 0, next_id: 0 },
            engine: Engine::Cells,
            parallel_from: PARALLEL_FROM,
            isa: Isa::best(),
            by_id: ById::default(),
        })
    }

    // ---- Bodies

    /// Adds one body and returns its id.
    ///
    /// # Errors
    /// [`Error::Body`] names what is out of range, with the id that the body would have had.
    pub fn add(&mut self, spawn: Spawn) -> Result<u32> {
        let id = self.progress.next_id;
        let spawn = spawn.admit(&self.config, id as usize)?;
        self.progress.next_id = id.checked_add(1).ok_or(Error::IdsRunOut)?;
        self.bodies.push(id, &spawn, &self.config);
        self.by_id.forget();
        Ok(id)
    }

    /// Adds many bodies, all or none, and returns the id of the first; the others follow it.
    ///
    /// # Errors
    /// As [`Flock::add`], naming the body by its place in the list.
    pub fn add_all(&mut self, spawns: &[Spawn]) -> Result<u32> {
        let first = self.progress.next_id;
        for (place, spawn) in spawns.iter().enumerate() {
            spawn.admit(&self.config, place)?;
        }
        let count = u32::try_from(spawns.len()).map_err(|_| Error::IdsRunOut)?;
        first.checked_add(count).ok_or(Error::IdsRunOut)?;
        self.bodies.reserve(spawns.len());
        for &spawn in spawns {
            self.add(spawn)?;
        }
        Ok(first)
    }

    /// Removes a body and returns it. For many at once [`Flock::retain`] is cheaper: each removal
    /// makes the next look-up by id work the order of ids out again.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn remove(&mut self, id: u32) -> Result<Body> {
        let place = self.place(id)?;
        let body = self.bodies.get(place, &self.config);
        self.bodies.swap_remove(place);
        self.by_id.forget();
        Ok(body)
    }

    /// Keeps the bodies for which `keep` holds, visited in ascending id order.
    pub fn retain(&mut self, mut keep: impl FnMut(&Body) -> bool) {
        let gone: Vec<u32> = self.iter().filter(|body| !keep(body)).map(|body| body.id).collect();
        let mut places: Vec<usize> = gone.iter().filter_map(|&id| self.place(id).ok()).collect();
        // From the back, so that the body moved into a gap is never one that is still to go.
        places.sort_unstable();
        for &place in places.iter().rev() {
            self.bodies.swap_remove(place);
        }
        self.by_id.forget();
    }

    /// Puts a body somewhere else.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`], or as [`Flock::add`].
    pub fn set_motion(&mut self, id: u32, position: [f32; 2], velocity: [f32; 2]) -> Result<()> {
        let place = self.place(id)?;
        let spawn = Spawn::new(position, velocity).admit(&self.config, id as usize)?;
        [self.bodies.x[place], self.bodies.y[place]] = spawn.position;
        [self.bodies.vx[place], self.bodies.vy[place]] = spawn.velocity;
        Ok(())
    }

    /// Gives a body a gait of its own.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`], or what is out of range.
    pub fn set_gait(&mut self, id: u32, gait: Gait) -> Result<()> {
        let place = self.place(id)?;
        check_own_gait(gait, &self.config, id as usize)?;
        self.bodies.make_room_for_own_gaits();
        self.bodies.max_speed[place] = gait.max_speed;
        self.bodies.max_force[place] = gait.max_force;
        Ok(())
    }

    /// Makes a body one of another kind. A gait of its own stays its own.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`], or [`Error::Body`] for a kind that there is not.
    pub fn set_kind(&mut self, id: u32, kind: u8) -> Result<()> {
        let place = self.place(id)?;
        check_kind(kind, &self.config, id as usize)?;
        if let Some(slot) = self.bodies.kind.get_mut(place) {
            *slot = kind;
        }
        Ok(())
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The body with this id, if it lives.
    pub fn get(&self, id: u32) -> Option<Body> {
        self.place(id).ok().map(|place| self.bodies.get(place, &self.config))
    }

    /// All bodies in ascending id order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Body> + '_ {
        self.places().iter().map(|&place| self.bodies.get(place as usize, &self.config))
    }

    /// Ids, x, y, vx and vy as stored: entry `i` of each belongs to one body. The order is that of
    /// the last tick's cells, with bodies added since at the end; it is the cheapest way to read
    /// a large flock.
    pub fn columns(&self) -> (&[u32], [&[f32]; 4]) {
        let Bodies { id, x, y, vx, vy, .. } = &self.bodies;
        (id, [x, y, vx, vy])
    }

    fn places(&self) -> &[u32] {
        self.by_id.places(&self.bodies.id)
    }

    fn place(&self, id: u32) -> Result<usize> {
        let places = self.places();
        let found = places.binary_search_by_key(&id, |&place| self.bodies.id[place as usize]);
        found.map(|rank| places[rank] as usize).map_err(|_| Error::NoSuchBody(id))
    }

    // ---- Configuration

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Changes the configuration between two ticks. Bodies keep their kinds by index.
    ///
    /// # Errors
    /// What [`Config::check`] refuses, and [`Error::Body`] for a body that the new configuration
    /// has no place for: outside the new walls, of a kind that is gone, or too fast for a torus.
    pub fn set_config(&mut self, config: Config) -> Result<()> {
        config.check()?;
        let mut bodies = self.bodies.clone();
        bodies.check_saved(&config)?;
        self.bodies = bodies;
        if config.kinds.len() == 1 {
            self.bodies.kind.clear();
        } else {
            self.bodies.kind.resize(self.bodies.len(), 0);
        }
        self.adopt(config);
        Ok(())
    }

    /// Takes a checked configuration; one that is as before costs nothing.
    fn adopt(&mut self, config: Config) {
        if config != self.config {
            self.tick.adopt(&config);
            self.config = config;
        }
    }

    /// The number of ticks so far.
    pub fn tick_number(&self) -> u64 {
        self.progress.tick
    }

    /// Chooses how neighbours are found.
    pub fn set_engine(&mut self, engine: Engine) {
        self.engine = engine;
    }

    /// How neighbours are found.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Flocks of at least this many bodies are spread over the caller's rayon pool (the pool the
    /// call runs in, else rayon's global one). The default is [`PARALLEL_FROM`]; `usize::MAX` keeps
    /// every tick on the calling thread. The bits do not depend on it.
    pub fn set_parallel_from(&mut self, bodies: usize) {
        self.parallel_from = bodies;
    }

    /// Chooses the instruction set; a new flock uses [`Level::best`]. The bits do not depend on it.
    ///
    /// # Errors
    /// [`Error::LevelMissing`] if this CPU lacks it.
    pub fn set_level(&mut self, level: Level) -> Result<()> {
        self.isa = Isa::new(level)?;
        Ok(())
    }

    /// The instruction set in use.
    pub fn level(&self) -> Level {
        self.isa.level()
    }

    // ---- Ticks

    /// One tick: every body hears its neighbours, steers, and moves.
    pub fn tick(&mut self) {
        let done = self.advance(None::<&fn(&Body) -> [f32; 2]>, false);
        debug_assert!(done.is_ok(), "only a host's force can be refused");
    }

    /// One tick, and what it did. Counting costs a little time and changes no bit.
    pub fn tick_counted(&mut self) -> Counts {
        self.advance(None::<&fn(&Body) -> [f32; 2]>, true).unwrap_or_default()
    }

    /// One tick with a force of the host's on every body, added last before the cut. The function
    /// may be called from several threads at once.
    ///
    /// # Errors
    /// [`Error::Body`] if a force is not finite or over 1e15 along an axis; nothing has moved then.
    pub fn tick_with(&mut self, force: impl Fn(&Body) -> [f32; 2] + Sync) -> Result<()> {
        self.advance(Some(&force), false).map(|_| ())
    }

    fn advance(
        &mut self,
        host: Option<&(impl Fn(&Body) -> [f32; 2] + Sync)>,
        counted: bool,
    ) -> Result<Counts> {
        let counts = match self.engine {
            Engine::Everybody => self.advance_by_reference(host)?,
            Engine::Cells | Engine::Unordered => {
                let spread = self.len() >= self.parallel_from;
                enter(spread, || self.advance_by_cells(host, counted))?
            }
        };
        self.progress.tick = self.progress.tick.wrapping_add(1);
        self.by_id.forget();
        Ok(counts)
    }

    /// The tick of the contract, step by step.
    fn advance_by_cells(
        &mut self,
        host: Option<&(impl Fn(&Body) -> [f32; 2] + Sync)>,
        counted: bool,
    ) -> Result<Counts> {
        let Self { config, bodies, tick, parallel_from, isa, engine, .. } = self;
        let order = match engine {
            Engine::Unordered => Order::OwnRowFirst,
            Engine::Cells | Engine::Everybody => Order::Canonical,
        };
        let spread = Spread { parallel_from: *parallel_from, isa: *isa };
        let mode = Mode { order, counted, spread };
        tick.sort(bodies, config, self.progress.tick, mode);
        if let Some(host) = host {
            tick.ask_host(config, *parallel_from, host)?;
        }
        let Bodies { x, y, vx, vy, .. } = bodies;
        let tally = tick.step(config, mode, [x, y, vx, vy]);
        // The step wrote motion in canonical order; what did not change follows it there.
        swap(&mut bodies.id, &mut tick.sorted.id);
        swap(&mut bodies.kind, &mut tick.sorted.kind);
        swap(&mut bodies.max_speed, &mut tick.sorted.max_speed);
        swap(&mut bodies.max_force, &mut tick.sorted.max_force);
        let Tally { tasks, lane_slots, neighbours } = tally;
        let distance_tests = if counted { tick.cells.distance_tests() } else { 0 };
        Ok(Counts { distance_tests, lane_slots, neighbours, tasks })
    }

    fn advance_by_reference(
        &mut self,
        host: Option<&(impl Fn(&Body) -> [f32; 2] + Sync)>,
    ) -> Result<Counts> {
        let mut bodies: Vec<Body> =
            (0..self.len()).map(|place| self.bodies.get(place, &self.config)).collect();
        let forces: Vec<[f32; 2]> = host.map_or(Vec::new(), |f| bodies.iter().map(f).collect());
        for (force, body) in forces.iter().zip(&bodies) {
            check_host_force(*force, body.id)?;
        }
        let counts = reference::tick(&self.config, self.progress.tick, &mut bodies, &forces);
        for (place, body) in bodies.iter().enumerate() {
            [self.bodies.x[place], self.bodies.y[place]] = body.position;
            [self.bodies.vx[place], self.bodies.vy[place]] = body.velocity;
        }
        Ok(counts)
    }

    /// Tells why a body will move as it does in the next [`Flock::tick`], with every number on the
    /// way: who votes how, each rule's direction, force and weight, the sum and the cut. `None` if
    /// there is no such body. The numbers are the reference's, so they are the tick's to the bit.
    pub fn explain(&self, id: u32) -> Option<Explanation> {
        self.explain_under(id, None)
    }

    /// The same for the next [`Flock::tick_with`] this force.
    pub fn explain_with(&self, id: u32, force: impl Fn(&Body) -> [f32; 2]) -> Option<Explanation> {
        self.explain_under(id, Some(force(&self.get(id)?)))
    }

    fn explain_under(&self, id: u32, host: Option<[f32; 2]>) -> Option<Explanation> {
        let bodies: Vec<Body> = self.iter().collect();
        reference::explain(&self.config, self.progress.tick, &bodies, id, host)
    }

    // ---- Identity of a run

    /// XXH3-64 of the number of bodies and of every body in id order: two runs agree when their
    /// hashes agree at every tick.
    pub fn state_hash(&self) -> u64 {
        hash::state_hash(&self.bodies, self.places())
    }

    /// XXH3-64 of the configuration (world, time step, seed, kinds) and of bodies' own gaits.
    pub fn fingerprint(&self) -> u64 {
        let mut config = Vec::new();
        snapshot::put_config(&mut config, &self.config);
        hash::fingerprint(&config, &self.bodies, self.places())
    }

    /// The flock as bytes: configuration, tick, ids and bodies, versioned and checksummed.
    /// [`Flock::restore`] continues from them to the same bits on any machine.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.snapshot_into(&mut bytes);
        bytes
    }

    /// The same into a buffer that is reused, for a rollback's ring of states.
    pub fn snapshot_into(&self, bytes: &mut Vec<u8>) {
        snapshot::save(bytes, &self.config, self.progress, &self.bodies);
    }

    /// A flock from a snapshot's bytes.
    ///
    /// # Errors
    /// [`Error::Snapshot`] for bytes that are cut off, altered or of another version, and every
    /// refusal of [`Flock::new`] and [`Flock::add`].
    pub fn restore(bytes: &[u8]) -> Result<Self> {
        let mut bodies = Bodies::default();
        let (config, progress) = load_checked(bytes, &mut bodies)?;
        let flock = Self::new(config)?;
        Ok(Self { bodies, progress, ..flock })
    }

    /// Goes back to a snapshot, reusing the memory of this flock's bodies and keeping its engine and
    /// threading.
    ///
    /// # Errors
    /// As [`Flock::restore`]; the flock is then as it was.
    pub fn restore_from(&mut self, bytes: &[u8]) -> Result<()> {
        let (config, progress) = load_checked(bytes, &mut self.tick.sorted)?;
        swap(&mut self.bodies, &mut self.tick.sorted);
        self.adopt(config);
        self.progress = progress;
        self.by_id.forget();
        Ok(())
    }
}

/// Reads a snapshot and refuses what no flock could have saved.
fn load_checked(bytes: &[u8], bodies: &mut Bodies) -> Result<(Config, Progress)> {
    let (config, progress) = snapshot::load(bytes, bodies)?;
    config.check()?;
    bodies.check_saved(&config)?;
    let mut places = Vec::new();
    places_by_id(&bodies.id, &mut places);
    let ids = || places.iter().map(|&place| bodies.id[place as usize]);
    let ascending = ids().zip(ids().skip(1)).all(|(before, after)| before < after);
    if ascending && ids().next_back().is_none_or(|last| last < progress.next_id) {
        Ok((config, progress))
    } else {
        Err(Error::Snapshot("an id stands twice or was never handed out".to_owned()))
    }
}

impl Clone for Flock {
    fn clone(&self) -> Self {
        Self {
            config: self.config.clone(),
            bodies: self.bodies.clone(),
            progress: self.progress,
            engine: self.engine,
            parallel_from: self.parallel_from,
            isa: self.isa,
            tick: Tick::new(&self.config),
            by_id: ById::default(),
        }
    }
}

/// Storage places in id order, worked out when someone asks and forgotten when bodies move in
/// memory; the buffer is kept, so that asking at every tick allocates nothing.
#[derive(Debug, Default)]
struct ById {
    places: OnceLock<Vec<u32>>,
    spare: Mutex<Vec<u32>>,
}

impl ById {
    fn places(&self, ids: &[u32]) -> &[u32] {
        self.places.get_or_init(|| {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            let mut places = std::mem::take(&mut *spare);
            places_by_id(ids, &mut places);
            places
        })
    }

    fn forget(&mut self) {
        if let Some(places) = self.places.take() {
            *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = places;
        }
    }
}
