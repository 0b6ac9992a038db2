//! One file a command, and what they share.

mod alone;
mod bench;
mod bench_plot;
mod gallery;
mod hand;
mod run;
mod scenes;
mod sweep;

use crate::cli::{Cli, Command, CrowdArgs, RuleArg};
use crate::console::catch_interrupts;
use crate::fault::{Fault, Outcome};
use crate::output::{Complete, Pending};
use crate::scene::Scene;
use flockstep::{Config, Rule, Urge};
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
        Command::Gallery(args) => gallery::gallery(&args),
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
    let hears = |rule: &Rule| match heard {
        RuleArg::None => false,
        RuleArg::Separate => rule.urge == Urge::Separation,
        RuleArg::Align => rule.urge == Urge::Alignment,
        RuleArg::Cohere => rule.urge == Urge::Cohesion,
        RuleArg::Herd => true,
    };
    config.kinds.iter_mut().for_each(|kind| kind.rules.retain(hears));
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
