//! `flockstep hand`: one body's force, number by number.

use super::stopped;
use crate::cli::HandArgs;
use crate::console::{Progress, interrupted, say};
use crate::fault::{Fault, Outcome};
use crate::scene::Scene;
use flockstep::{Body, Drive, Edge, Explanation, Flock, Gait, Kinds, Rule, Target, Term, Urge};

pub(crate) fn hand(args: &HandArgs) -> Outcome {
    let scene = Scene::open(&args.scene)?;
    let mut flock = scene.play()?;
    let mut progress = Progress::new(args.tick, "ticks");
    while flock.tick_number() < args.tick {
        if interrupted() {
            return Err(stopped(flock.tick_number(), args.tick));
        }
        flock.tick()?;
        progress.step();
    }
    progress.finish();
    flock.happen()?;
    let Some(last) = flock.iter().map(|body| body.id).last() else {
        return Err(Fault::Input(format!("{}: there is no body to explain", scene.name)));
    };
    let id = args.body.unwrap_or(last);
    let told = flock.explain(id).ok_or_else(|| {
        let tick = args.tick;
        Fault::Input(format!("no body has id {id} at tick {tick}; the last is {last}"))
    })?;
    for line in explain(&told, &flock, &scene.kind_names()) {
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

fn explain(told: &Explanation, flock: &Flock, names: &[String]) -> Vec<String> {
    let mut lines = heading(told, flock, names);
    lines.push(String::new());
    lines.extend(neighbours(told, names));
    lines.push(String::new());
    lines.extend(terms(told, flock, names));
    lines.push(String::new());
    lines.extend(outcome(told));
    lines
}

/// The body, and what the tick gives it to go by.
fn heading(told: &Explanation, flock: &Flock, names: &[String]) -> Vec<String> {
    let Explanation { body, gait, .. } = told;
    let speeds =
        |gait: &Gait| format!("max speed {}, max force {}", gait.max_speed, gait.max_force);
    let (place, motion) = (pair(body.position), pair(body.velocity));
    let mut circumstances = vec![
        format!("tick {}", flock.tick_number()),
        format!("neighbour radius {}", flock.config().radius()),
    ];
    if names.len() > 1 {
        circumstances.push(format!("kind {}", names[usize::from(body.kind)]));
    }
    let mut lines = vec![
        format!("hand: body {} at {place} doing {motion}, {}", body.id, speeds(&body.gait)),
        format!("      {}", circumstances.join(", ")),
    ];
    if *gait != body.gait {
        lines.push(format!("      the ground makes that {}", speeds(gait)));
    }
    lines
}

// ---- Neighbours

/// Everybody near, and what each says by each rule, in the order in which forces are added.
fn neighbours(told: &Explanation, names: &[String]) -> Vec<String> {
    let rules: Vec<(usize, &str)> =
        told.terms.iter().filter_map(|term| Some((term.rule?, term.name))).collect();
    let heading: Vec<String> = rules.iter().map(|(_, name)| (*name).to_owned()).collect();
    let by_kind = names.len() > 1;
    let columns = ["position", "velocity", "offset", "distance"].map(str::to_owned);
    let mut lines =
        vec![neighbour_row("neighbour", &columns, &heading, if by_kind { "kind" } else { "" })];
    for vote in &told.neighbours {
        let kind = if by_kind { &names[usize::from(vote.body.kind)] } else { "" };
        let says = |rule: usize| vote.heard.iter().find(|heard| heard.rule == rule);
        let says: Vec<String> = rules
            .iter()
            .map(|&(rule, _)| says(rule).map_or_else(|| "-".to_owned(), |heard| pair(heard.says)))
            .collect();
        let Body { id, position, velocity, .. } = vote.body;
        let [position, velocity, offset] = [position, velocity, vote.offset].map(pair);
        let columns = [position, velocity, offset, three(vote.distance_squared.sqrt())];
        lines.push(neighbour_row(&id.to_string(), &columns, &says, kind));
    }
    if told.neighbours.is_empty() {
        lines.push("  nobody is near".to_owned());
    }
    lines
}

fn neighbour_row(id: &str, columns: &[String; 4], says: &[String], kind: &str) -> String {
    let [position, velocity, offset, distance] = columns;
    let mut row = format!("  {id:>9} {position:>16} {velocity:>16} {offset:>16} {distance:>9}");
    for said in says {
        row += &format!(" {said:>16}");
    }
    format!("{row}  {kind}").trim_end().to_owned()
}

// ---- Rules and behaviours

/// One row for each rule and behaviour, in the order in which forces are added.
fn terms(told: &Explanation, flock: &Flock, names: &[String]) -> Vec<String> {
    let kind = &flock.config().kinds[usize::from(told.body.kind)];
    let heading = ["within", "weight", "what it makes"];
    let numbers = ["desired", "steering", "|steer|", "force", "turn"].map(str::to_owned);
    let mut lines = vec![term_row("rule", heading, &numbers)];
    let mut behaviours = kind.behaviours.iter();
    for term in &told.terms {
        match term.rule {
            Some(at) => lines.extend(rule(term, &kind.rules[at], told, flock, names)),
            None => {
                let made = behaviours.next().map(|b| driven(&b.drive, term, told, flock));
                let about = ["-", &brief(term.weight), &made.unwrap_or_default()];
                lines.push(term_row(term.name, about, &numbers_of(term, &told.body)));
            }
        }
    }
    lines
}

fn term_row(name: &str, [within, weight, made]: [&str; 3], numbers: &[String; 5]) -> String {
    let [desired, steering, size, force, turn] = numbers;
    format!(
        "  {name:<14} {within:>7} {weight:>7}  {made:<37} {desired:>15} {steering:>15} {size:>8} \
         {force:>15} {turn:>7}"
    )
}

fn numbers_of(term: &Term, body: &Body) -> [String; 5] {
    let size = three(length(term.steering));
    let [desired, steering, force] = [term.desired, term.steering, term.force].map(pair);
    [desired, steering, size, force, turn(body.velocity, term.desired)]
}

/// A rule's row, and a line below on whom it does not hear.
fn rule(
    term: &Term,
    rule: &Rule,
    told: &Explanation,
    flock: &Flock,
    names: &[String],
) -> Vec<String> {
    let about = [&rule.radius.to_string(), &brief(term.weight), &made(term, rule, told, flock)];
    let row = term_row(term.name, about.map(String::as_str), &numbers_of(term, &told.body));
    let mut limits = Vec::new();
    if let Urge::Gather { beyond } = rule.urge {
        limits.push(format!("hears whoever is farther than {beyond}"));
    }
    if !(0..names.len()).all(|kind| rule.hears.contains(kind as u8)) {
        limits.push(format!("hears {}", listed(rule.hears, names)));
    }
    if rule.field_of_view < 360.0 {
        limits.push(format!("sees {} degrees", rule.field_of_view));
    }
    let below = (!limits.is_empty()).then(|| format!("    {}", limits.join(", ")));
    [Some(row), below].into_iter().flatten().collect()
}

/// The kinds of a set by name.
fn listed(kinds: Kinds, names: &[String]) -> String {
    let among = names.iter().enumerate().filter(|(kind, _)| kinds.contains(*kind as u8));
    let names: Vec<&str> = among.map(|(_, name)| name.as_str()).collect();
    if names.is_empty() { "no kind".to_owned() } else { format!("only {}", names.join(" and ")) }
}

/// What a rule made of its neighbours.
fn made(term: &Term, rule: &Rule, told: &Explanation, flock: &Flock) -> String {
    let Term { heard, direction, .. } = *term;
    if heard == 0 {
        return "nobody is heard".to_owned();
    }
    let mean = direction.map(|sum| sum / heard as f32);
    match rule.urge {
        Urge::Separation => format!("votes add to {}", pair(direction)),
        Urge::Alignment => format!("mean velocity {}", pair(mean)),
        Urge::Cohesion | Urge::Gather { .. } => format!("middle at {}", place(mean, told, flock)),
        Urge::View => format!("aside along {}", pair(direction)),
        Urge::Flee { .. } => format!("away along {}", pair(direction)),
        Urge::Hunt => format!("to the slowest at {}", place(direction, told, flock)),
    }
}

/// What a behaviour made of the world.
fn driven(drive: &Drive, term: &Term, told: &Explanation, flock: &Flock) -> String {
    let along = pair(term.direction);
    if term.direction == [0.0; 2] && term.steering == [0.0; 2] {
        return idle(drive, told, flock);
    }
    let to = place(term.direction, told, flock);
    let what = match drive {
        Drive::Seek { .. } => format!("to {to}"),
        Drive::Arrive { .. } => format!("to a stop at {to}"),
        Drive::Flee { .. } | Drive::Evade { .. } => format!("away along {along}"),
        Drive::Pursue { .. } => format!("to meet at {to}"),
        Drive::OffsetPursuit { .. } => format!("to its place at {to}"),
        Drive::Contain { .. } => format!("inwards along {along}"),
        Drive::Avoid { .. } => format!("aside along {along}"),
        Drive::FollowFlow { .. } => format!("along {along}"),
        Drive::FollowPath { .. } => format!("to {to} on the path"),
        Drive::FollowLeader { .. } => format!("towards {to}"),
        Drive::Wander { .. } => format!("to {to} on its circle"),
        _ => format!("towards {along}"),
    };
    match drive.target() {
        Some(Target::Body(id)) => format!("body {id}: {what}"),
        Some(Target::Nearest(_)) => format!("nearest: {what}"),
        _ => what,
    }
}

/// Why a behaviour gives no force.
fn idle(drive: &Drive, told: &Explanation, flock: &Flock) -> String {
    match (drive.target(), drive) {
        (Some(Target::Body(id)), _) if id == told.body.id => "it is its own target".to_owned(),
        (Some(Target::Body(id)), _) if flock.get(id).is_none() => format!("body {id} is gone"),
        (_, Drive::Flee { .. } | Drive::Evade { .. }) => "nothing is in range".to_owned(),
        (Some(Target::Nearest(_)), _) => "nobody to aim at".to_owned(),
        (Some(_), _) => "it is there".to_owned(),
        (_, Drive::Contain { .. }) => "no edge is near".to_owned(),
        (_, Drive::Avoid { .. }) => "no obstacle is in the way".to_owned(),
        (_, Drive::FollowFlow { .. }) => "no flow here".to_owned(),
        (_, Drive::FollowPath { .. }) => "it goes along it, or is at its end".to_owned(),
        _ => "no direction".to_owned(),
    }
}

/// The place that lies `offset` from the body, on a torus inside the world.
fn place(offset: [f32; 2], told: &Explanation, flock: &Flock) -> String {
    let world = flock.config().world;
    pair([0, 1].map(|axis| {
        let (there, extent) = (told.body.position[axis] + offset[axis], world.size[axis]);
        match world.edges[axis] {
            Edge::Torus if there < 0.0 => there + extent,
            Edge::Torus if there >= extent => there - extent,
            _ => there,
        }
    }))
}

// ---- What becomes of it

fn outcome(told: &Explanation) -> Vec<String> {
    let weights: Vec<String> = told.terms.iter().map(|term| brief(term.weight)).collect();
    let by = if weights.is_empty() { "by nothing".to_owned() } else { weights.join(", ") };
    let max_force = told.gait.max_force;
    let mut lines =
        vec![format!("  weighted {by}: {}, length {}", pair(told.sum), three(length(told.sum)))];
    lines.push(if told.cut == told.sum {
        format!("  within the gait's {max_force}: nothing to cut")
    } else {
        format!("  cut to the gait's {max_force}: {}", pair(told.cut))
    });
    if told.respawned {
        lines.push("  it is caught: no force moves it, it is put somewhere else".to_owned());
    }
    let (place, motion) = (pair(told.next_position), pair(told.next_velocity));
    lines.push(format!("  one tick later it is at {place} doing {motion}"));
    lines
}

// ---- Numbers

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

/// A number as it was written, if that is short.
fn brief(value: f32) -> String {
    let written = value.to_string();
    if written.len() <= 7 { written } else { three(value) }
}

/// The angle from a heading to a desired velocity in degrees, positive from +x towards +y.
fn turn(heading: [f32; 2], desired: [f32; 2]) -> String {
    if heading == [0.0; 2] || desired == [0.0; 2] {
        return "-".to_owned();
    }
    let ([vx, vy], [dx, dy]) = (heading.map(f64::from), desired.map(f64::from));
    let degrees = libm::atan2(vx * dy - vy * dx, vx * dx + vy * dy).to_degrees();
    let rounded = format!("{degrees:.1}");
    if rounded == "-0.0" { "0.0".to_owned() } else { rounded }
}

fn length([x, y]: [f32; 2]) -> f32 {
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_signed_from_x_towards_y() {
        assert_eq!(turn([1.0, 0.0], [0.0, 2.0]), "90.0");
        assert_eq!(turn([0.0, 3.0], [1.0, 0.0]), "-90.0");
        assert_eq!(turn([1.0, 1.0], [-2.0, -2.0]), "180.0");
        assert_eq!(turn([1.0, 0.0], [1.0, -1e-9]), "0.0");
        assert_eq!(turn([0.0, 0.0], [1.0, 0.0]), "-");
        assert_eq!(turn([1.0, 0.0], [0.0, 0.0]), "-");
    }
}
