//! `flockstep hand`: one body's force, number by number.

use super::stopped;
use crate::cli::HandArgs;
use crate::console::{Progress, interrupted, say};
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
    while flock.tick_number() < args.tick {
        if interrupted() {
            return Err(stopped(flock.tick_number(), args.tick));
        }
        flock.tick();
        progress.step();
    }
    progress.finish();
    let told = flock.explain(id).ok_or_else(|| Fault::Failed(format!("body {id} is gone")))?;
    for line in explain(&told, &flock) {
        say(&line)?;
    }
    if args.scene == "hand" && args.tick == 0 {
        say(
            "\n  The calculation of the chapter \"The Herd That Bunches\", from which this project grew. In 32",
        )?;
        say(
            "  bits the first part of the separation sum rounds to 0.142 where its 64 bits give 0.143; every",
        )?;
        say("  other number is the chapter's.")?;
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
    let heading = ["within", "weight", "what it makes"];
    lines.push(term_row("rule", heading, ["desired", "steering", "|steer|", "force"]));
    lines.extend(told.terms.iter().map(|term| rule(term, told, flock)));
    lines.push(String::new());
    let weights: Vec<String> = told.terms.iter().map(|term| term.weight.to_string()).collect();
    lines.push(format!(
        "  weighted {}: {}, length {}",
        if weights.is_empty() { "by nothing".to_owned() } else { weights.join(", ") },
        pair(told.sum),
        three(length(told.sum))
    ));
    let max_force = body.gait.max_force;
    lines.push(if told.cut == told.sum {
        format!("  within the gait's {max_force}: nothing to cut")
    } else {
        format!("  cut to the gait's {max_force}: {}", pair(told.cut))
    });
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
    let distance = three(vote.distance_squared.sqrt());
    let said = vote.separation.map_or_else(|| "-".to_owned(), pair);
    let body = &vote.body;
    neighbour_row(
        &body.id.to_string(),
        [&pair(body.position), &pair(body.velocity), &pair(vote.offset), &distance, &said],
    )
}

fn term_row(
    name: &str,
    [within, weight, made]: [&str; 3],
    [desired, steering, size, force]: [&str; 4],
) -> String {
    format!(
        "  {name:<10} {within:>7} {weight:>7}  {made:<30} {desired:>15} {steering:>15} {size:>8} \
         {force:>15}"
    )
}

fn rule(term: &Term, told: &Explanation, flock: &Flock) -> String {
    let kind = &flock.config().kinds[usize::from(told.body.kind)];
    let rules = kind.rules().into_iter();
    let within = rules.filter(|(name, _)| *name == term.name).find_map(|(_, rule)| rule);
    let within = within.map_or_else(|| "-".to_owned(), |rule| rule.radius.to_string());
    let weight = term.weight.to_string();
    let size = three(length(term.steering));
    let [desired, steering, force] = [term.desired, term.steering, term.force].map(pair);
    term_row(term.name, [&within, &weight, &made(term, told)], [&desired, &steering, &size, &force])
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

/// Three decimals, or three digits and a power of ten where decimals would show nothing or too
/// much.
fn three(value: f32) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0.000".to_owned()
    } else if (0.0005..99_999.5).contains(&size) {
        format!("{value:.3}")
    } else {
        format!("{value:.2e}")
    }
}

fn length([x, y]: [f32; 2]) -> f32 {
    (x * x + y * y).sqrt()
}
