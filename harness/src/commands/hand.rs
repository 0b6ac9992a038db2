//! `flockstep hand`: one body's force, number by number.

use crate::cli::HandArgs;
use crate::console::{Progress, say, stop_if_interrupted};
use crate::fault::{Fault, Outcome};
use crate::scene::Scene;
use flockstep::Flock;
use flockstep::reference::{Explanation, Term, Vote};

pub(crate) fn hand(args: &HandArgs) -> Outcome {
    let scene = Scene::open(&args.scene)?;
    let mut flock = scene.flock()?;
    let last = flock.iter().map(|body| body.id).last();
    let Some(id) = args.body.or(last) else {
        return Err(Fault::Input(format!("{}: there is no body to explain", scene.name)));
    };
    if flock.get(id).is_none() {
        let last = last.unwrap_or(0);
        return Err(Fault::Input(format!("no body has id {id}; {} has 0 to {last}", scene.name)));
    }
    let mut progress = Progress::new(args.tick, "ticks");
    for _ in 0..args.tick {
        flock.tick();
        progress.step();
        stop_if_interrupted()?;
    }
    progress.finish();
    let told = flock.explain(id).ok_or_else(|| Fault::Failed(format!("body {id} is gone")))?;
    for line in explain(&told, &flock) {
        say(&line)?;
    }
    if args.scene == "hand" && args.tick == 0 {
        say(
            "\n  In 32 bits the first component of the separation sum rounds to 0.142; the chapter's",
        )?;
        say("  64 bits give 0.143. Every other number is the chapter's.")?;
    }
    Ok(())
}

fn explain(told: &Explanation, flock: &Flock) -> Vec<String> {
    let body = &told.body;
    let mut lines = vec![
        format!(
            "hand: body {} at {} doing {}, max speed {}, max force {}",
            body.id,
            pair(body.position),
            pair(body.velocity),
            body.gait.max_speed,
            body.gait.max_force
        ),
        format!("      tick {}, neighbour radius {}", flock.tick_number(), flock.config().radius()),
        String::new(),
    ];
    lines.push(neighbour_row("neighbour", ["position", "velocity", "offset", "distance", "vote"]));
    lines.extend(told.neighbours.iter().map(neighbour));
    if told.neighbours.is_empty() {
        lines.push("  nobody is near".to_owned());
    }
    lines.push(String::new());
    lines.push(term_row("rule", "what it makes", ["desired", "steering", "|steer|", "force"]));
    lines.extend(told.terms.iter().map(|term| rule(term, told)));
    lines.push(String::new());
    let weights: Vec<String> = told.terms.iter().map(|term| term.weight.to_string()).collect();
    lines.push(format!(
        "  weighted {}: {}, length {:.3}",
        if weights.is_empty() { "by nothing".to_owned() } else { weights.join(", ") },
        pair(told.sum),
        length(told.sum)
    ));
    lines.push(format!("  cut to the gait's {}: {}", body.gait.max_force, pair(told.cut)));
    lines.push(format!(
        "  one tick later it is at {} doing {}",
        pair(told.next_position),
        pair(told.next_velocity)
    ));
    lines
}

fn neighbour_row(id: &str, [position, velocity, offset, distance, vote]: [&str; 5]) -> String {
    format!("  {id:>9} {position:>16} {velocity:>16} {offset:>16} {distance:>9} {vote:>16}")
}

fn neighbour(vote: &Vote) -> String {
    let distance = format!("{:.3}", f64::from(vote.distance_squared).sqrt());
    let said = vote.separation.map_or_else(|| "-".to_owned(), pair);
    let body = &vote.body;
    neighbour_row(
        &body.id.to_string(),
        [&pair(body.position), &pair(body.velocity), &pair(vote.offset), &distance, &said],
    )
}

fn term_row(name: &str, made: &str, [desired, steering, size, force]: [&str; 4]) -> String {
    format!("  {name:<10} {made:<32} {desired:>15} {steering:>15} {size:>8} {force:>15}")
}

fn rule(term: &Term, told: &Explanation) -> String {
    let size = format!("{:.3}", length(term.steering));
    let [desired, steering, force] = [term.desired, term.steering, term.force].map(pair);
    term_row(term.name, &made(term, told), [&desired, &steering, &size, &force])
}

/// What a rule made of its neighbours, or a behaviour of the world.
fn made(term: &Term, told: &Explanation) -> String {
    let Term { name, heard, direction, .. } = *term;
    let mean = direction.map(|sum| sum / heard as f32);
    let position = told.body.position;
    match name {
        "separation" if heard > 0 => format!("votes add to {}", pair(direction)),
        "alignment" if heard > 0 => format!("mean velocity {}", pair(mean)),
        "cohesion" if heard > 0 => {
            format!("middle at {}", pair([position[0] + mean[0], position[1] + mean[1]]))
        }
        "separation" | "alignment" | "cohesion" => "nobody is heard".to_owned(),
        "contain" if direction == [0.0, 0.0] => "no edge is near".to_owned(),
        "contain" => format!("inwards along {}", pair(direction)),
        _ => format!("towards {}", pair(direction)),
    }
}

fn pair([x, y]: [f32; 2]) -> String {
    format!("{},{}", three(x), three(y))
}

/// Three decimals, without the sign of a zero.
fn three(value: f32) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

fn length([x, y]: [f32; 2]) -> f32 {
    (x * x + y * y).sqrt()
}
