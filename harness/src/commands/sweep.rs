//! `flockstep sweep`: one scene through every engine, compared to the bit at every tick.

use super::{hear_only, open_crowd, stopped};
use crate::cli::{RuleArg, SweepArgs};
use crate::console::{Progress, interrupted, say};
use crate::fault::{Fault, Outcome};
use crate::picture::Artist;
use crate::scene::Play;
use clap::ValueEnum;
use flockstep::{Body, Counts, Engine, Flock};

/// The longest side of the pictures that are compared, in pixels.
const WIDTH: u32 = 576;

/// One engine's flock and picture.
struct Contender {
    flock: Play,
    artist: Artist,
    counts: Counts,
    disagreements: u64,
}

impl Contender {
    fn new(flock: &Play, engine: Engine) -> Self {
        let mut flock = flock.clone();
        flock.set_engine(engine);
        let artist = Artist::new(&flock, WIDTH);
        Self { flock, artist, counts: Counts::default(), disagreements: 0 }
    }

    /// Hashes of picture and state.
    fn hashes(&mut self) -> [u64; 2] {
        [self.artist.draw(&self.flock).frame_hash(), self.flock.state_hash()]
    }

    /// Compares with the reference, counts, and says yes or NO to picture and state.
    fn compare(&mut self, wanted: [u64; 2]) -> [&'static str; 2] {
        let found = self.hashes();
        if found != wanted {
            self.disagreements += 1;
        }
        [0, 1].map(|k| if found[k] == wanted[k] { "yes" } else { "NO" })
    }
}

pub(crate) fn sweep(args: &SweepArgs) -> Outcome {
    let mut scene = open_crowd(&args.scene, &args.crowd)?;
    scene.change(|config| hear_only(config, args.rule));
    let flock = scene.play()?;
    let heard = match args.rule {
        RuleArg::Herd => "all its rules".to_owned(),
        rule => rule.to_possible_value().map_or(String::new(), |rule| rule.get_name().to_owned()),
    };
    say(&format!(
        "sweep: {} bodies of the seed {} {}, rules heard: {heard}",
        flock.len(),
        scene.config.seed,
        scene.name
    ))?;
    say("       through every body, cells, and unordered cells; same? is the picture, then the")?;
    say("       numbers behind it\n")?;
    say(
        "  tick       every body: frame           numbers  cells same?  unordered same?  tests: every     cells",
    )?;
    let mut everybody = Contender::new(&flock, Engine::Everybody);
    let mut cells = Contender::new(&flock, Engine::Cells);
    let mut unordered = Contender::new(&flock, Engine::Unordered);
    let mut progress = Progress::new(scene.ticks, "ticks");
    let mut first = None;
    for tick in 0..=scene.ticks {
        if tick > 0 {
            for engine in [&mut everybody, &mut cells, &mut unordered] {
                engine.counts = engine.flock.tick_counted()?;
            }
            progress.step();
        }
        let wanted = everybody.hashes();
        let (ordered, other) = (cells.compare(wanted), unordered.compare(wanted));
        if cells.disagreements == 1 && first.is_none() {
            first = Some(difference(tick, &everybody.flock, &cells.flock));
        }
        let last = tick == scene.ticks || interrupted();
        if last || tick % args.every == 0 {
            let [frame, numbers] = wanted;
            let (every, few) = (everybody.counts.distance_tests, cells.counts.distance_tests);
            progress.line(&format!(
                "{tick:>6}  {frame:016x}  {numbers:016x}  {:>4} {:>4}    {:>4} {:>4}    {every:>9} {few:>9}",
                ordered[0], ordered[1], other[0], other[1]
            ))?;
        }
        if last {
            break;
        }
    }
    progress.finish();
    let states = cells.flock.tick_number() + 1;
    say(&format!(
        "       over {states} states the cells disagreed on {}, the unordered cells on {}",
        cells.disagreements, unordered.disagreements
    ))?;
    match first {
        None if states <= scene.ticks => Err(stopped(states - 1, scene.ticks)),
        None => Ok(()),
        Some(first) => Err(Fault::Failed(format!("the cells disagree with every body: {first}"))),
    }
}

/// The first body that differs, with both values.
fn difference(tick: u64, wanted: &Flock, found: &Flock) -> String {
    let bits = |body: &Body| {
        let ([x, y], [vx, vy]) = (body.position, body.velocity);
        [x, y, vx, vy].map(f32::to_bits)
    };
    let differs = |(wanted, found): &(Body, Body)| bits(wanted) != bits(found);
    match wanted.iter().zip(found.iter()).find(differs) {
        None => format!("tick {tick}: only the pictures differ"),
        Some((wanted, found)) => format!(
            "tick {tick}, body {}: every body has it at {:?} doing {:?}, the cells at {:?} doing {:?}",
            wanted.id, wanted.position, wanted.velocity, found.position, found.velocity
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockstep::Config;
    use flockstep::{Edge, Gait, Kind, Spawn, World};

    #[test]
    fn a_difference_names_tick_body_and_both_values() {
        let kind = Kind::new(Gait::new(1.0, 1.0));
        let mut wanted = Flock::new(Config::new(World::new(9.0, 9.0, Edge::Walls), kind)).unwrap();
        wanted.add_all(&[Spawn::new([1.0, 2.0], [0.0; 2]); 2]).unwrap();
        let mut found = wanted.clone();
        assert_eq!(difference(3, &wanted, &found), "tick 3: only the pictures differ");
        found.set_motion(1, [1.0, 2.5], [0.0; 2]).unwrap();
        let text = difference(3, &wanted, &found);
        assert_eq!(
            text,
            "tick 3, body 1: every body has it at [1.0, 2.0] doing [0.0, 0.0], \
             the cells at [1.0, 2.5] doing [0.0, 0.0]"
        );
    }
}
