//! `flockstep run`: a scene from its first tick to its last.

use super::write;
use super::{decimals, stopped};
use crate::animation::Animation;
use crate::cli::{EngineArg, RunArgs};
use crate::console::{Progress, interrupted, say};
use crate::fault::{Fault, Outcome};
use crate::input::read_file;
use crate::look::Look;
use crate::measure::{Measures, Meter};
use crate::output::{Pending, commit_all, is_special, require_extension, whole_name};
use crate::picture::Artist;
use crate::scene::{Play, Scene};
use crate::table::{BodyTable, Row};
use flockstep::{Config, Counts, Engine, Flock};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) fn run(args: &RunArgs) -> Outcome {
    let mut scene = Scene::open(&args.scene)?;
    if let Some(seed) = args.seed {
        scene.set_seed(seed);
    }
    if let Some(ticks) = args.ticks {
        scene.ticks = ticks;
    }
    scene.look = scene.look.with(&args.overlay);
    let mut flock = match &args.resume {
        Some(path) => resume(path, &scene)?,
        None => scene.play()?,
    };
    flock.set_engine(match args.engine {
        EngineArg::Cells => Engine::Cells,
        EngineArg::Everybody => Engine::Everybody,
        EngineArg::Unordered => Engine::Unordered,
    });
    if let Some(level) = args.isa {
        flock.set_level(level)?;
    }
    check_distinct(args, &scene)?;
    let outputs = Outputs::open(args, &scene, &flock)?;
    let meter = Meter::new(scene.config.world, scene.radius)?;
    match args.threads {
        None => simulate(args, &scene, flock, outputs, meter),
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build()
            .map_err(|error| Fault::Failed(format!("cannot start {threads} threads: {error}")))?
            .install(|| simulate(args, &scene, flock, outputs, meter)),
    }
}

/// The flock of a snapshot, if it belongs to this scene, with the events still to come.
fn resume(path: &Path, scene: &Scene) -> Outcome<Play> {
    let name = path.display();
    let refuse = |why: String| Fault::Input(format!("cannot resume from {name}: {why}"));
    let bytes = read_file(path).map_err(|error| refuse(error.to_string()))?;
    let flock = Flock::restore(&bytes).map_err(|error| refuse(error.to_string()))?;
    let wanted = scene.config_at(flock.tick_number());
    if flock.config() != wanted {
        let what = difference(flock.config(), wanted);
        return Err(refuse(format!("it belongs to another configuration: {what}")));
    }
    if flock.tick_number() > scene.ticks {
        let (tick, ticks) = (flock.tick_number(), scene.ticks);
        return Err(refuse(format!("it is at tick {tick}, past the run's end at {ticks}")));
    }
    scene.resume(flock)
}

/// What differs first between a snapshot's configuration and the scene's.
fn difference(saved: &Config, wanted: &Config) -> String {
    if saved.seed != wanted.seed {
        format!("its seed is {}, the scene's {}", saved.seed, wanted.seed)
    } else if saved.world != wanted.world {
        format!("its world is {:?}, the scene's {:?}", saved.world, wanted.world)
    } else if saved.dt.to_bits() != wanted.dt.to_bits() {
        format!("its dt is {}, the scene's {}", saved.dt, wanted.dt)
    } else if saved.kinds.len() != wanted.kinds.len() {
        format!("it has {} kinds, the scene {}", saved.kinds.len(), wanted.kinds.len())
    } else {
        let mut pairs = saved.kinds.iter().zip(&wanted.kinds).enumerate();
        match pairs.find(|(_, (saved, wanted))| saved != wanted) {
            Some((index, (saved, wanted))) => {
                format!("its kind {index} is {saved:?}, the scene's {wanted:?}")
            }
            None if saved.scenery != wanted.scenery => "its scenery is not the scene's".to_owned(),
            None => "a number that is not a number".to_owned(),
        }
    }
}

/// Two outputs in one file would overwrite each other, and an output must not overwrite the scene; a
/// device may take several.
fn check_distinct(args: &RunArgs, scene: &Scene) -> Outcome {
    let outputs = [&args.measures, &args.out, &args.trajectory, &args.png, &args.gif, &args.save];
    let inputs: BTreeSet<PathBuf> = scene.files().iter().map(|path| whole_name(path)).collect();
    let mut seen = BTreeSet::new();
    for path in outputs.into_iter().flatten().filter(|path| !is_special(path)) {
        let name = path.display();
        if inputs.contains(&whole_name(path)) {
            return Err(Fault::Input(format!("{name} is what the scene is read from")));
        }
        if !seen.insert(whole_name(path)) {
            return Err(Fault::Input(format!("{name} is named for two outputs")));
        }
    }
    Ok(())
}

/// Every file that is asked for, opened before the first tick so that a place that cannot be
/// written is told at once.
struct Outputs {
    measures: Option<csv::Writer<Pending>>,
    out: Option<BodyTable>,
    trajectory: Option<BodyTable>,
    png: Option<Pending>,
    /// Draws the picture at the end, from as long before it as trails last.
    last: Option<Artist>,
    gif: Option<(Animation<Pending>, Artist)>,
    save: Option<Pending>,
    look: Look,
    width: u32,
}

impl Outputs {
    fn open(args: &RunArgs, scene: &Scene, flock: &Flock) -> Outcome<Self> {
        let kinds = flock.config().kinds.len() > 1;
        let table = |path: &Option<PathBuf>, ticks| {
            path.as_deref().map(|path| BodyTable::create(path, ticks, kinds)).transpose()
        };
        let pending = |path: &Option<PathBuf>| path.as_deref().map(Pending::create).transpose();
        for (path, wanted) in [(&args.measures, "csv"), (&args.png, "png"), (&args.gif, "gif")] {
            path.as_deref().map_or(Ok(()), |path| require_extension(path, wanted))?;
        }
        let measures = pending(&args.measures)?.map(csv::Writer::from_writer);
        let gif = match pending(&args.gif)? {
            None => None,
            Some(file) => {
                let artist = Artist::with_look(flock, &scene.look, args.width);
                let size = artist.canvas.size();
                Some((Animation::new(file, size).map_err(Fault::Failed)?, artist))
            }
        };
        Ok(Self {
            measures,
            out: table(&args.out, false)?,
            trajectory: table(&args.trajectory, true)?,
            png: pending(&args.png)?,
            last: None,
            gif,
            save: pending(&args.save)?,
            look: scene.look.clone(),
            width: args.width,
        })
    }

    /// Lets every tick leave its trail, also between frames.
    fn watch(&mut self, flock: &Flock, ticks: u64) {
        let kept = self.look.frames_kept();
        if kept == 0 {
            return;
        }
        if let Some((_, artist)) = &mut self.gif {
            artist.draw(flock);
        }
        if self.png.is_some() && flock.tick_number().saturating_add(kept) >= ticks {
            let artist = || Artist::with_look(flock, &self.look, self.width);
            self.last.get_or_insert_with(artist).draw(flock);
        }
    }

    /// What is written along the way.
    fn record(&mut self, flock: &Flock, meter: &mut Meter) -> Outcome {
        if let Some(measures) = &mut self.measures {
            let found = meter.measure(flock)?;
            let row = MeasuresRow::new(flock, &found);
            measures.serialize(row).map_err(|error| Fault::Failed(error.to_string()))?;
        }
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.add(flock.tick_number(), rows(flock))?;
        }
        if let Some((animation, artist)) = &mut self.gif {
            if self.look.frames_kept() == 0 {
                artist.draw(flock);
            }
            animation.add(&artist.canvas).map_err(Fault::Failed)?;
        }
        Ok(())
    }

    /// What is written at the end. Only when every file is complete do they take their places.
    fn finish(self, flock: &Flock) -> Outcome {
        let mut complete = Vec::new();
        if let Some(measures) = self.measures {
            let file = measures.into_inner();
            let file = file.map_err(|error| Fault::Failed(error.error().to_string()))?;
            complete.push(file.complete()?);
        }
        if let Some(mut out) = self.out {
            out.add(flock.tick_number(), rows(flock))?;
            complete.push(out.finish()?);
        }
        if let Some(trajectory) = self.trajectory {
            complete.push(trajectory.finish()?);
        }
        if let Some(file) = self.png {
            let artist = self.last.unwrap_or_else(|| {
                let mut artist = Artist::with_look(flock, &self.look, self.width);
                artist.draw(flock);
                artist
            });
            complete.push(write(file, &artist.canvas.png().map_err(Fault::Failed)?)?);
        }
        if let Some((animation, _)) = self.gif {
            complete.push(animation.finish().map_err(Fault::Failed)?.complete()?);
        }
        if let Some(file) = self.save {
            complete.push(write(file, &flock.snapshot())?);
        }
        commit_all(complete)
    }
}

fn rows(flock: &Flock) -> impl Iterator<Item = Row> {
    flock.iter().map(|body| Row {
        id: body.id,
        kind: body.kind,
        position: body.position,
        velocity: body.velocity,
    })
}

/// A row of `--measures`.
#[derive(Serialize)]
struct MeasuresRow {
    tick: u64,
    bodies: usize,
    neighbours: f64,
    nearest: Option<f64>,
    together: Option<f64>,
    groups: usize,
    polarisation: f64,
    speed: f64,
}

impl MeasuresRow {
    fn new(flock: &Flock, found: &Measures) -> Self {
        let Measures { neighbours, nearest, together, groups, polarisation, speed } = *found;
        let (tick, bodies) = (flock.tick_number(), flock.len());
        Self { tick, bodies, neighbours, nearest, together, groups, polarisation, speed }
    }
}

/// Ticks until the scene's end or an interruption, then writes and tells.
fn simulate(
    args: &RunArgs,
    scene: &Scene,
    mut flock: Play,
    mut outputs: Outputs,
    mut meter: Meter,
) -> Outcome {
    let first = flock.tick_number();
    let mut summary = Summary { hashes: Vec::new(), counts: Totals::default() };
    let mut progress = Progress::new(scene.ticks - first, "ticks");
    let mut recorded = false;
    let mut ticking = Duration::ZERO;
    loop {
        let tick = flock.tick_number();
        let last = tick == scene.ticks || interrupted();
        outputs.watch(&flock, scene.ticks);
        // A table or animation has at least its last row.
        if tick.is_multiple_of(args.every) || last && !recorded {
            outputs.record(&flock, &mut meter)?;
            recorded = true;
        }
        if args.hash_every.is_some_and(|every| last || tick.is_multiple_of(every)) {
            summary.tell_hash(&flock, args.json, &progress)?;
        }
        if last {
            break;
        }
        let (counts, took) = timed(|| flock.tick_counted());
        summary.counts.add(counts?);
        ticking += took;
        progress.step();
    }
    progress.finish();
    outputs.finish(&flock)?;
    let measures = meter.measure(&flock)?;
    summary.tell(args, scene, &flock, &measures, flock.tick_number() - first, ticking)?;
    if flock.tick_number() < scene.ticks {
        return Err(stopped(flock.tick_number(), scene.ticks));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "time is only shown, nothing depends on it")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = std::time::Instant::now();
    let done = work();
    (done, began.elapsed())
}

/// Counts over all ticks.
#[derive(Default)]
struct Totals {
    ticks: u64,
    distance_tests: u64,
    lane_slots: u64,
    neighbours: u64,
}

impl Totals {
    fn add(&mut self, counts: Counts) {
        self.ticks += 1;
        self.distance_tests += counts.distance_tests;
        self.lane_slots += counts.lane_slots;
        self.neighbours += counts.neighbours;
    }

    fn a_tick(&self, total: u64) -> f64 {
        if self.ticks == 0 { 0.0 } else { total as f64 / self.ticks as f64 }
    }
}

struct Summary {
    hashes: Vec<(u64, String)>,
    counts: Totals,
}

impl Summary {
    /// A line `tick hash`, or an entry of the JSON.
    fn tell_hash(&mut self, flock: &Flock, json: bool, progress: &Progress) -> Outcome {
        let (tick, hash) = (flock.tick_number(), format!("{:016x}", flock.state_hash()));
        if json {
            self.hashes.push((tick, hash));
            return Ok(());
        }
        progress.line(&format!("{tick} {hash}"))
    }

    fn tell(
        &self,
        args: &RunArgs,
        scene: &Scene,
        flock: &Flock,
        measures: &Measures,
        ticks: u64,
        took: Duration,
    ) -> Outcome {
        let Totals { distance_tests, lane_slots, neighbours, .. } = self.counts;
        let micros = if ticks == 0 { 0.0 } else { took.as_secs_f64() * 1e6 / ticks as f64 };
        let engine = format!("{:?}", flock.engine()).to_lowercase();
        let hash = format!("{:016x}", flock.state_hash());
        let fingerprint = format!("{:016x}", flock.fingerprint());
        if args.json {
            let text = serde_json::json!({
                "scene": scene.name,
                "seed": scene.config.seed,
                "dt": scene.config.dt,
                "radius": scene.radius,
                "engine": engine,
                "isa": flock.level().name(),
                "threads": rayon::current_num_threads(),
                "bodies": flock.len(),
                "kinds": scene.kind_names(),
                "tick": flock.tick_number(),
                "ticks_run": ticks,
                "complete": flock.tick_number() == scene.ticks,
                "microseconds_a_tick": micros,
                "distance_tests_a_tick": self.counts.a_tick(distance_tests),
                "lane_slots_a_tick": self.counts.a_tick(lane_slots),
                "neighbours_a_tick": self.counts.a_tick(neighbours),
                "measures": measures,
                "state_hash": hash,
                "fingerprint": fingerprint,
                "hashes": self.hashes,
            });
            return say(&format!("{text:#}"));
        }
        // The double loop is scalar, whatever the flock's level.
        let engine_in_words = match flock.engine() {
            Engine::Everybody => engine,
            Engine::Cells | Engine::Unordered => format!("{engine}, {}", flock.level()),
        };
        let tests = self.counts.a_tick(distance_tests);
        let slots = self.counts.a_tick(lane_slots);
        for (name, value) in [
            ("scene", format!("{} (seed {})", scene.name, scene.config.seed)),
            ("bodies", flock.len().to_string()),
            ("ticks", format!("{ticks}, to tick {}", flock.tick_number())),
            ("engine", engine_in_words),
            ("time a tick", format!("{micros:.1} microseconds")),
            ("distance tests", format!("{tests:.0} a tick, {slots:.0} lane slots")),
            ("neighbours", format!("{:.3} within {}", measures.neighbours, scene.radius)),
            ("nearest", decimals(measures.nearest)),
            ("together", decimals(measures.together)),
            ("groups", measures.groups.to_string()),
            ("polarisation", decimals(Some(measures.polarisation))),
            ("speed", decimals(Some(measures.speed))),
            ("state hash", hash),
            ("fingerprint", fingerprint),
        ] {
            say(&format!("{name:<15} {value}"))?;
        }
        Ok(())
    }
}
