//! One file a command, and what they share.

mod alone;
mod bench;
mod bench_plot;
mod hand;
mod run;
mod scenes;
mod sweep;

use crate::cli::{Cli, Command, CrowdArgs, RuleArg};
use crate::console::catch_interrupts;
use crate::fault::{Fault, Outcome};
use crate::output::{Complete, Pending};
use crate::picture::{Canvas, Crowd, View};
use crate::scene::Scene;
use flockstep::{Config, Edge, Flock, World};
use std::io::Write;

/// Does what the command line asks for.
pub(crate) fn execute(cli: Cli) -> Outcome {
    catch_interrupts()?;
    match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Scenes(args) => scenes::scenes(&args),
        Command::Hand(args) => hand::hand(&args),
        Command::Alone(args) => alone::alone(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::BenchPlot(args) => bench_plot::bench_plot(&args),
    }
}

/// A scene with the command line's changes.
fn open_crowd(scene: &str, args: &CrowdArgs) -> Outcome<Scene> {
    let mut scene = Scene::open(scene)?;
    if let Some(n) = args.n {
        scene.set_count(n)?;
    }
    if let Some(ticks) = args.ticks {
        scene.ticks = ticks;
    }
    if let Some(seed) = args.seed {
        scene.set_seed(seed);
    }
    Ok(scene)
}

/// Leaves every kind only the rules that are asked for.
fn hear_only(config: &mut Config, heard: RuleArg) {
    let hears = |rule| heard == rule || heard == RuleArg::Herd;
    for kind in &mut config.kinds {
        kind.separation = kind.separation.filter(|_| hears(RuleArg::Separate));
        kind.alignment = kind.alignment.filter(|_| hears(RuleArg::Align));
        kind.cohesion = kind.cohesion.filter(|_| hears(RuleArg::Cohere));
    }
}

/// Draws flocks into one canvas, keeping its buffers from picture to picture.
struct Artist {
    canvas: Canvas,
    positions: Vec<[f32; 2]>,
    velocities: Vec<[f32; 2]>,
    kinds: Vec<u8>,
}

impl Artist {
    /// A canvas that shows the world, and on open axes all bodies wherever they are now.
    fn new(flock: &Flock, longest: u32) -> Self {
        let world = flock.config().world;
        let canvas = Canvas::new(view(&world, flock), longest);
        Self { canvas, positions: Vec::new(), velocities: Vec::new(), kinds: Vec::new() }
    }

    fn draw(&mut self, flock: &Flock) -> &Canvas {
        self.positions.clear();
        self.velocities.clear();
        self.kinds.clear();
        for body in flock.iter() {
            self.positions.push(body.position);
            self.velocities.push(body.velocity);
            self.kinds.push(body.kind);
        }
        self.canvas.draw(&Crowd {
            positions: &self.positions,
            velocities: &self.velocities,
            kinds: &self.kinds,
        });
        &self.canvas
    }
}

fn view(world: &World, flock: &Flock) -> View {
    let (mut min, mut max) = ([0.0; 2], world.size);
    for body in flock.iter() {
        for axis in 0..2 {
            if world.edges[axis] == Edge::Open {
                min[axis] = body.position[axis].min(min[axis]);
                max[axis] = body.position[axis].max(max[axis]);
            }
        }
    }
    View { min, max }
}

/// What a command that was interrupted says, once it has told what it had.
fn stopped(tick: u64, ticks: u64) -> Fault {
    Fault::Interrupted(format!("interrupted: stopped at tick {tick} of {ticks}"))
}

/// Fills a file and completes it.
fn write(mut file: Pending, bytes: &[u8]) -> Outcome<Complete> {
    file.write_all(bytes).map_err(|error| Fault::Failed(error.to_string()))?;
    file.complete()
}

/// A number with three decimals, or a dash.
fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}
