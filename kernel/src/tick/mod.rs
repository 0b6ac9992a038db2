//! What the owned flock and the forces-only call share: sort, hear neighbours, steer, act, step.

mod act;
mod blocks;
mod herd;
mod singles;

use crate::behaviours::Stage;
use crate::bodies::{Bodies, Body};
use crate::cells::Cells;
use crate::error::{Error, Result};
use crate::grid::{Grid, Order};
use crate::neighbours::Answers;
use crate::parallel::{Slots, Tally, drive};
use crate::plan::{Hearing, Moment, Plan};
use crate::rules::Config;
use crate::simd::Isa;
use crate::sort::Spread;
use herd::HerdBlocks;

/// The largest force a host may add, along either axis.
const HOST_FORCE_LIMIT: f32 = 1e15;

/// The number of columns that a step writes: x, y, vx, vy.
const STEP: usize = 4;

/// Buffers that live from tick to tick; once they are large enough, a tick allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tick {
    plan: Plan,
    moment: Moment,
    /// The bodies as the tick found them, in canonical order.
    pub sorted: Bodies,
    pub cells: Cells,
    host: [Vec<f32>; 2],
}

/// How a tick runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    pub order: Order,
    pub counted: bool,
    pub spread: Spread,
}

impl Tick {
    pub(crate) fn new(config: &Config) -> Self {
        Self { plan: Plan::new(config), moment: Moment::new(config), ..Self::default() }
    }

    /// Makes the next tick one of this configuration.
    pub(crate) fn adopt(&mut self, config: &Config) {
        self.plan = Plan::new(config);
        self.moment = Moment::new(config);
    }

    /// Brings `bodies` into canonical order, and works out what else this tick needs.
    pub(crate) fn sort(&mut self, bodies: &Bodies, config: &Config, tick: u64, mode: Mode) {
        let Self { plan, moment, sorted, cells, host } = self;
        let grid = Grid::new(&config.world, plan.radius, &bodies.x, &bodies.y);
        cells.sort(grid, &bodies.x, &bodies.y, &bodies.id, mode.order, mode.spread);
        sorted.gather(bodies, &cells.places, mode.spread.parallel_from);
        moment.prepare(config, plan, sorted, tick);
        host.iter_mut().for_each(Vec::clear);
    }

    /// Asks the host for a force on every body, to be added before the cut.
    pub(crate) fn ask_host(
        &mut self,
        config: &Config,
        parallel_from: usize,
        force: &(impl Fn(&Body) -> [f32; 2] + Sync),
    ) -> Result<()> {
        let Self { sorted, host, .. } = self;
        let [fx, fy] = host;
        fx.resize(sorted.len(), 0.0);
        fy.resize(sorted.len(), 0.0);
        drive(Slots { start: 0, columns: [fx, fy] }, parallel_from, &|slots: Slots<'_, f32, 2>| {
            let [fx, fy] = slots.columns;
            for (offset, (fx, fy)) in fx.iter_mut().zip(fy).enumerate() {
                [*fx, *fy] = force(&sorted.get(slots.start + offset, config));
            }
            Tally::default()
        });
        for (at, &id) in sorted.id.iter().enumerate() {
            check_host_force([host[0][at], host[1][at]], id)?;
        }
        Ok(())
    }

    /// The force on every sorted body, into two columns in canonical order.
    pub(crate) fn forces(&self, config: &Config, mode: Mode, columns: [&mut [f32]; 2]) -> Tally {
        self.pass(config, mode, columns)
    }

    /// Position and velocity of every sorted body one tick later, in canonical order.
    pub(crate) fn step(&self, config: &Config, mode: Mode, columns: [&mut [f32]; STEP]) -> Tally {
        self.pass(config, mode, columns)
    }

    fn pass<const N: usize>(&self, config: &Config, mode: Mode, columns: [&mut [f32]; N]) -> Tally {
        let pass = Pass { tick: self, config, order: mode.order, isa: mode.spread.isa };
        let slots = Slots { start: 0, columns };
        drive(slots, mode.spread.parallel_from, &|slots| pass.enter(mode.counted, slots))
    }
}

/// Refuses a host's force on the body `id` that could overflow.
pub(crate) fn check_host_force(force: [f32; 2], id: u32) -> Result<()> {
    for (field, value) in ["force x", "force y"].into_iter().zip(force) {
        if value.is_nan() || value.abs() > HOST_FORCE_LIMIT {
            let allowed = "a finite number, at most 1e15 either way".into();
            return Err(Error::Body { body: id as usize, field, value, allowed });
        }
    }
    Ok(())
}

/// How many bodies are heard before they are steered. Half as many cost 10 %, twice as many gain
/// nothing (docs/performance.md).
const STRETCH: usize = 128;

/// One pass over all blocks: what every block reads.
#[derive(Clone, Copy)]
struct Pass<'a> {
    tick: &'a Tick,
    config: &'a Config,
    order: Order,
    isa: Isa,
}

impl<'a> Pass<'a> {
    fn enter<const N: usize>(&self, counted: bool, slots: Slots<'_, f32, N>) -> Tally {
        match &self.tick.plan.hearing {
            Hearing::Singles(singles) => self.singles(singles, counted, slots),
            Hearing::Herd { rules, one_reach } => {
                self.enter_herd(Plan::variant(*rules, *one_reach, counted, N == STEP), slots)
            }
        }
    }

    /// Picks the compiled variant for these rules. Called once a task, so that everything below it
    /// is inlined into one function.
    fn enter_herd<const N: usize>(&self, rules: u8, slots: Slots<'_, f32, N>) -> Tally {
        macro_rules! variants {
            ($($rules:literal)*) => {
                match rules {
                    $($rules => self.isa.run(HerdBlocks::<N, $rules> { pass: self, slots }),)*
                    _ => unreachable!("Plan::variant names no other"),
                }
            };
        }
        if N == STEP { variants!(0 1 2 3 4 5 6 7 15 23) } else { variants!(0 7 15 23) }
    }

    fn stage(&self) -> Stage<'a> {
        let Tick { plan, moment, sorted, .. } = self.tick;
        Stage { config: self.config, plan, moment, sorted }
    }

    fn answers(&self) -> Answers<'a> {
        let Tick { sorted, moment, .. } = self.tick;
        // A herd's ear does not ask for kinds.
        let kinds = if moment.kind_bits.is_empty() { &sorted.id } else { &moment.kind_bits };
        Answers::new([&sorted.x, &sorted.y, &sorted.vx, &sorted.vy], kinds)
    }
}
