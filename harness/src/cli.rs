//! The command line.

use crate::look::Overlay;
use clap::{Args, Parser, Subcommand, ValueEnum};
use flockstep::Level;
use std::path::PathBuf;
use std::str::FromStr;

/// Flocking and steering for many bodies, the same bits everywhere.
#[derive(Debug, Parser)]
#[command(name = "flockstep", version, about, after_help = EXAMPLES, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  flockstep run valley --png herd.png          run a built-in scene and draw its end
  flockstep scenes --show valley > mine.toml   start a scene of your own
  flockstep hand                               one body's force, number by number
  flockstep alone                              what each rule does on its own
  flockstep sweep                              the engines, compared to the bit at every tick
  flockstep bench --quick                      how fast it is here, and against what

Exit codes: 0 fine, 1 a run failed or a check did not hold, 2 bad usage or input, 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene; print what the herd did, and write tables, pictures and snapshots
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArgs>),
    /// List the built-in scenes, or print one to copy
    #[command(after_help = SCENES_EXAMPLES)]
    Scenes(ScenesArgs),
    /// Explain one body's force number by number: the chapter's hand calculation, or any scene's
    #[command(after_help = HAND_EXAMPLES)]
    Hand(HandArgs),
    /// Run the valley with no rule, each rule alone, and all three; compare what they do
    #[command(after_help = ALONE_EXAMPLES)]
    Alone(AloneArgs),
    /// Run one scene through every engine and compare state and picture at every tick
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(SweepArgs),
    /// Draw every built-in scene: a page with pictures, animations and hashes
    #[command(after_help = GALLERY_EXAMPLES)]
    Gallery(GalleryArgs),
    /// Time flockstep against other engines on this machine, each answer checked first
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(BenchArgs),
    /// Draw the results of `bench --csv` as SVG
    #[command(after_help = BENCH_PLOT_EXAMPLES)]
    BenchPlot(BenchPlotArgs),
}

const RUN_EXAMPLES: &str = "\
Examples:
  flockstep run valley --png herd.png --gif herd.gif --width 480
  flockstep run view-cone --png seen.png --overlay views,radii,cells
  flockstep run murmuration --ticks 2000 --threads 2 --hash-every 100
  flockstep run mine.toml --measures m.csv --every 10 --trajectory t.npz --out end.csv
  flockstep run valley --ticks 200 --save half.snap
  flockstep run valley --resume half.snap         goes on to the scene's 400 ticks";

const SCENES_EXAMPLES: &str = "\
Examples:
  flockstep scenes
  flockstep scenes --show valley > mine.toml";

const ALONE_EXAMPLES: &str = "\
Examples:
  flockstep alone --shots pictures             the table, and a picture of each run
  flockstep alone --rule cohere -n 500 --ticks 1000 --seed 8";

const SWEEP_EXAMPLES: &str = "\
Examples:
  flockstep sweep
  flockstep sweep strangers --ticks 100 --every 10
  flockstep sweep --rule align -n 300";

const GALLERY_EXAMPLES: &str = "\
Examples:
  flockstep gallery pictures                   then open pictures/index.html
  flockstep gallery few --scenes valley,strangers --ticks 100 --width 720";

const BENCH_EXAMPLES: &str = "\
Examples:
  flockstep bench --quick                      a first look, in seconds
  flockstep bench --csv here.csv               everything; takes some ten minutes
  flockstep bench --engines flockstep,buckets-lean --sizes 2048,65536 --crowds uniform
  flockstep bench --list                       the engines";

const BENCH_PLOT_EXAMPLES: &str = "\
Examples:
  flockstep bench-plot here.csv --out plots";

const HAND_EXAMPLES: &str = "\
Examples:
  flockstep hand                               the chapter's calculation
  flockstep hand valley --tick 40 --body 7     any body of any scene at any tick

`turn` is the angle from the body's heading to the velocity that a rule desires, in degrees, positive
from +x towards +y (clockwise in pictures).";

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A built-in scene (see `flockstep scenes`) or a TOML file
    pub scene: String,
    /// At which tick to stop [default: the scene's]
    #[arg(long, short)]
    pub ticks: Option<u64>,
    /// The seed of every draw [default: the scene's]
    #[arg(long)]
    pub seed: Option<u64>,
    /// How many threads may share a tick [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// How neighbours are found; `unordered` shows why order matters
    #[arg(long, value_enum, default_value_t)]
    pub engine: EngineArg,
    /// Which instruction set to use: portable, avx2 or avx512 [default: the widest this CPU has]
    #[arg(long, value_name = "LEVEL", env = "FLOCKSTEP_ISA")]
    pub isa: Option<Level>,
    /// Print `tick hash` every so many ticks, and at the last
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub hash_every: Option<u64>,
    /// Write measures of the herd as CSV, every `--every` ticks
    #[arg(long, value_name = "FILE.csv")]
    pub measures: Option<PathBuf>,
    /// Write the final bodies as .csv or .npz; numbers read back to the same bits
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the bodies every `--every` ticks as .csv or .npz
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// Ticks from one row of measures, trajectory or animation to the next
    #[arg(long, value_name = "K", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Draw the final bodies
    #[arg(long, value_name = "FILE.png")]
    pub png: Option<PathBuf>,
    /// Draw the run as an animation, a frame every `--every` ticks
    #[arg(long, value_name = "FILE.gif")]
    pub gif: Option<PathBuf>,
    /// The longest side of pictures, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 960,
          value_parser = clap::value_parser!(u32).range(16..=8000))]
    pub width: u32,
    /// What pictures show besides bodies, in place of the scene's own choice; radii and views are those
    /// of a few bodies of each kind
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT,...")]
    pub overlay: Vec<Overlay>,
    /// Write a snapshot at the end, or where the run was interrupted
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Continue from a snapshot of this scene
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// The fast path
    #[default]
    Cells,
    /// The scalar reference, a double loop: the same bits, slowly
    Everybody,
    /// Cells read in another order: the same neighbours, other bits
    Unordered,
}

#[derive(Debug, Args)]
pub(crate) struct ScenesArgs {
    /// Print this scene's TOML
    #[arg(long, value_name = "NAME")]
    pub show: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct HandArgs {
    /// A built-in scene or a TOML file
    #[arg(default_value = "hand")]
    pub scene: String,
    /// After how many ticks
    #[arg(long, short, default_value_t = 0)]
    pub tick: u64,
    /// The body's id [default: the last body]
    #[arg(long, short)]
    pub body: Option<u32>,
}

/// The rules a walker hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleArg {
    /// No rule; wander and the field's rim stay
    None,
    /// Push apart
    Separate,
    /// Match heading
    Align,
    /// Pull to the middle
    Cohere,
    /// All three
    Herd,
}

/// What `alone` and `sweep` share.
#[derive(Debug, Args)]
pub(crate) struct CrowdArgs {
    /// How many bodies of the first kind [default: the scene's]
    #[arg(short, long, value_name = "COUNT")]
    pub n: Option<u64>,
    /// How many ticks [default: the scene's]
    #[arg(long, short)]
    pub ticks: Option<u64>,
    /// The seed of every draw [default: the scene's]
    #[arg(long)]
    pub seed: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct AloneArgs {
    #[command(flatten)]
    pub crowd: CrowdArgs,
    /// Only this run [default: all five]
    #[arg(long, value_enum)]
    pub rule: Option<RuleArg>,
    /// Write the runs' last pictures into this folder, which is made if need be
    #[arg(long, value_name = "DIR")]
    pub shots: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    /// A built-in scene or a TOML file
    #[arg(default_value = "valley")]
    pub scene: String,
    #[command(flatten)]
    pub crowd: CrowdArgs,
    /// The rules heard
    #[arg(long, value_enum, default_value_t = RuleArg::Herd)]
    pub rule: RuleArg,
    /// Ticks from one printed row to the next
    #[arg(long, value_name = "K", default_value_t = 40,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
}

#[derive(Debug, Args)]
pub(crate) struct GalleryArgs {
    /// Write into this folder, which is made if need be; of what is there only an earlier gallery
    /// is overwritten
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Which scenes [default: every built-in one]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub scenes: Vec<String>,
    /// The longest side of pictures, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 480,
          value_parser = clap::value_parser!(u32).range(16..=8000))]
    pub width: u32,
    /// At which tick to stop [default: each scene's]
    #[arg(long, short)]
    pub ticks: Option<u64>,
}

/// Where bodies stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlacementArg {
    /// Anywhere on the field
    Uniform,
    /// As dense, but in the middle sixteenth of a larger field
    Bunched,
}

/// About how many neighbours a body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DensityArg {
    /// Two bodies a square of one radius
    #[value(name = "7")]
    Seven,
    /// Nine and a half
    #[value(name = "30")]
    Thirty,
}

/// How many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadsArg {
    /// As many as there are cores.
    All,
    These(usize),
}

impl FromStr for ThreadsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let count = text.parse().ok().filter(|count| (1..=1024).contains(count));
        count.map(Self::These).ok_or_else(|| "allowed: 1 to 1024, or `all`".to_owned())
    }
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Which engines [default: every one]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub engines: Vec<String>,
    /// Only list the engines
    #[arg(long)]
    pub list: bool,
    /// How many bodies [default: 32,128,512,2048,8192,16384,65536]
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub sizes: Vec<u32>,
    /// Flockstep also at 1,000,000 and 4,000,000 bodies
    #[arg(long)]
    pub large: bool,
    /// Where the bodies stand
    #[arg(long, value_enum, value_delimiter = ',', default_value = "uniform,bunched")]
    pub crowds: Vec<PlacementArg>,
    /// About how many neighbours a body has
    #[arg(long, value_enum, value_delimiter = ',', default_value = "7,30")]
    pub neighbours: Vec<DensityArg>,
    /// How many threads flockstep may use, or `all`; the others use one
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',', default_value = "1,all")]
    pub threads: Vec<ThreadsArg>,
    /// Which instruction set flockstep uses: portable, avx2 or avx512 [default: the widest this
    /// CPU has]
    #[arg(long, value_name = "LEVEL", env = "FLOCKSTEP_ISA")]
    pub isa: Option<Level>,
    /// How long to time each engine with each crowd, in seconds [default: 1]
    #[arg(long, value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Skip an engine where one tick would take longer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds)]
    pub longest: f64,
    /// Only 32, 512 and 8192 bodies, and a twentieth of a second each
    #[arg(long)]
    pub quick: bool,
    /// Write every result
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "allowed: 0.001 to 3600".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct BenchPlotArgs {
    /// What `bench --csv` wrote
    #[arg(value_name = "FILE.csv")]
    pub results: PathBuf,
    /// Write the plots into this folder, which is made if need be
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
}
