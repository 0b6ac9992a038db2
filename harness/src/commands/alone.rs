//! `flockstep alone`: what each rule does when it is heard alone.

use super::{decimals, hear_only, open_crowd, stopped, write};
use crate::cli::{AloneArgs, RuleArg};
use crate::console::{Progress, interrupted, say};
use crate::fault::{Fault, Outcome};
use crate::measure::{Measures, Meter};
use crate::output::{Pending, commit_all};
use crate::picture::Artist;
use crate::scene::Scene;
use std::fs;
use std::path::Path;

/// The longest side of a shot, in pixels.
const WIDTH: u32 = 960;

/// The runs, what they are called, and their pictures' names.
const RUNS: [(RuleArg, &str, &str); 5] = [
    (RuleArg::None, "none", "adrift.png"),
    (RuleArg::Separate, "push apart", "separate.png"),
    (RuleArg::Align, "match heading", "align.png"),
    (RuleArg::Cohere, "pull to middle", "cohere.png"),
    (RuleArg::Herd, "all three", "herd.png"),
];

pub(crate) fn alone(args: &AloneArgs) -> Outcome {
    let scene = open_crowd("valley", &args.crowd)?;
    let runs = RUNS.iter().filter(|(rule, ..)| args.rule.is_none_or(|only| only == *rule));
    let runs: Vec<_> = runs.collect();
    let mut shots = Vec::new();
    if let Some(folder) = &args.shots {
        fs::create_dir_all(folder).map_err(|error| {
            Fault::Input(format!("cannot make the folder {}: {error}", folder.display()))
        })?;
        for (.., name) in &runs {
            shots.push(Pending::create(&folder.join(name))?);
        }
    }
    let count = scene.flock()?.len();
    say(&format!(
        "alone: {count} walkers on the seed {} valley, {} ticks, neighbour radius {}",
        scene.config.seed, scene.ticks, scene.radius
    ))?;
    say("  rules heard    neighbours  nearest  together  groups  polarisation             frame")?;
    let mut progress = Progress::new(scene.ticks.saturating_mul(runs.len() as u64), "ticks");
    let mut shots = shots.into_iter();
    let (mut complete, mut written) = (Vec::new(), Vec::new());
    let mut stopped_at = None;
    for (rule, title, name) in runs {
        let Run { measures, artist, tick } = run(&scene, *rule, &mut progress)?;
        if tick < scene.ticks {
            stopped_at = Some(tick);
            progress.line(&format!("  {title:<14} interrupted"))?;
            break;
        }
        let frame = artist.canvas.frame_hash();
        progress.line(&row(title, &measures, frame))?;
        if let Some(shot) = shots.next() {
            let bytes = artist.canvas.png().map_err(Fault::Failed)?;
            complete.push(write(shot, &bytes)?);
            written.push(name);
        }
    }
    progress.finish();
    commit_all(complete)?;
    for name in written {
        let folder = args.shots.as_deref().unwrap_or(Path::new("."));
        say(&format!("wrote {}", folder.join(name).display()))?;
    }
    match stopped_at {
        Some(tick) => Err(stopped(tick, scene.ticks)),
        None => Ok(()),
    }
}

fn row(title: &str, measures: &Measures, frame: u64) -> String {
    let Measures { neighbours, nearest, together, groups, polarisation, .. } = measures;
    let (nearest, together) = (decimals(*nearest), decimals(*together));
    format!(
        "  {title:<14} {neighbours:>10.2} {nearest:>8} {together:>9} {groups:>7} \
         {polarisation:>13.3}  {frame:016x}"
    )
}

/// What one run ended with.
struct Run {
    measures: Measures,
    artist: Artist,
    /// Where it ended, early if it was interrupted.
    tick: u64,
}

fn run(scene: &Scene, rule: RuleArg, progress: &mut Progress) -> Outcome<Run> {
    let mut scene = scene.clone();
    scene.change(|config| hear_only(config, rule));
    let mut flock = scene.play()?;
    while flock.tick_number() < scene.ticks && !interrupted() {
        flock.tick()?;
        progress.step();
    }
    let mut artist = Artist::new(&flock, WIDTH);
    artist.draw(&flock);
    let measures = Meter::new(scene.config.world, scene.radius)?.measure(&flock)?;
    Ok(Run { measures, artist, tick: flock.tick_number() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    /// Seeds over which medians are taken; single runs vary much, since an edge turns a whole herd.
    const SEEDS: u64 = 11;

    fn medians(rule: RuleArg) -> [f64; 4] {
        let mut columns = [const { Vec::new() }; 4];
        for seed in 1..=SEEDS {
            let mut scene = Scene::open("valley").unwrap();
            scene.set_seed(seed);
            let mut progress = Progress::new(0, "");
            let Run { measures, .. } = run(&scene, rule, &mut progress).unwrap();
            let values = [
                measures.neighbours,
                measures.nearest.unwrap(),
                measures.together.unwrap_or(0.0),
                measures.groups as f64,
            ];
            for (column, value) in columns.iter_mut().zip(values) {
                column.push(value);
            }
        }
        columns.map(|mut column| {
            column.sort_by(f64::total_cmp);
            column[column.len() / 2]
        })
    }

    #[test]
    fn every_rule_alone_does_what_the_chapter_says() {
        let [none, apart, align, cohere, herd] = RUNS.map(|(rule, ..)| medians(rule));
        let [neighbours, nearest, together, groups] = [0, 1, 2, 3];
        let table = format!("{none:.3?} {apart:.3?} {align:.3?} {cohere:.3?} {herd:.3?}");
        for other in [none, align, cohere, herd] {
            assert!(apart[nearest] > other[nearest], "nearest is largest for push apart: {table}");
        }
        for other in [align, cohere] {
            assert!(herd[nearest] >= 2.0 * other[nearest], "the herd keeps apart: {table}");
        }
        assert!(align[together] >= 0.95, "match heading agrees: {table}");
        assert!(herd[together] >= 0.7, "the herd agrees: {table}");
        for other in [none, apart, cohere] {
            assert!(other[together].abs() <= 0.25, "strangers do not agree: {table}");
        }
        assert!(cohere[groups] > 1.0, "knots, not one herd: {table}");
        assert!(cohere[neighbours] > 3.0 * none[neighbours], "tight knots: {table}");
    }
}
