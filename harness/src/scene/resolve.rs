//! From a scene's text to the library's configuration: names become indices, pairs become spreads.

use super::either::Either;
use super::fields::Shelf;
use super::source::Refusal;
use super::text::{
    BehaviourText, GaitText, HeardText, KindText, KindsText, MovingText, Numbers, OnGroundText,
    RespawnText, RuleText, SceneText, TargetText, WaveText, WeightText,
};
use flockstep::{
    Behaviour, Config, Drive, Error, Gait, Ground, Kind, Kinds, MAX_KINDS, Obstacle, Path, Respawn,
    Rule, Scenery, Spread, Target, Urge, Weight, World,
};

/// The configuration that a scene's text asks for, checked.
pub(super) fn config(text: &SceneText, shelf: &mut Shelf<'_>) -> Result<Config, Refusal> {
    match text.kind.len() {
        0 => return Err(Refusal::at("", "a scene needs at least one [[kind]]")),
        kinds if kinds > MAX_KINDS => return Err(Error::Kinds(kinds).into()),
        _ => {}
    }
    check_names("kind", text.kind.iter().map(|kind| kind.name.as_deref()))?;
    check_names("flow", text.flow.iter().map(|flow| Some(&*flow.name)))?;
    check_names("ground", text.ground.iter().map(|ground| Some(&*ground.name)))?;
    check_names("path", text.path.iter().map(|path| Some(&*path.name)))?;
    let (world, names) = (text.world.world(), Names(text));
    let kinds = text.kind.iter().enumerate();
    let config = Config {
        world,
        dt: text.dt,
        seed: text.seed,
        kinds: kinds
            .map(|(index, kind)| names.kind(kind, &world, &format!("kind[{index}]")))
            .collect::<Result<_, _>>()?,
        scenery: scenery(text, &world, shelf)?,
    };
    config.check()?;
    Ok(config)
}

/// Refuses names that mean two things, or that no path could lead to.
fn check_names<'a>(
    what: &str,
    names: impl Iterator<Item = Option<&'a str>>,
) -> Result<(), Refusal> {
    let mut seen: Vec<&str> = Vec::new();
    for (index, name) in names.enumerate() {
        let refuse = |why: String| {
            let path = format!("{what}[{index}].name");
            Err(Refusal::at(path.clone(), format!("{path} is {:?}; {why}", name.unwrap_or(""))))
        };
        let Some(name) = name else { continue };
        let unclear = ['.', '[', ']', '"'];
        let odd = |sign: char| sign.is_control() || unclear.contains(&sign);
        if name.trim().is_empty() || name.contains(odd) || name.parse::<f64>().is_ok() {
            let allowed = "allowed: letters and signs but dots, brackets, double quotes and control \
                           characters; not empty, and not a number";
            return refuse(allowed.to_owned());
        }
        if name == "all" && what == "kind" {
            return refuse("which stands for every kind".to_owned());
        }
        if seen.contains(&name) {
            return refuse(format!("another {what} has this name"));
        }
        seen.push(name);
    }
    Ok(())
}

fn scenery(text: &SceneText, world: &World, shelf: &mut Shelf<'_>) -> Result<Scenery, Refusal> {
    let mut scenery = Scenery::default();
    for (index, flow) in text.flow.iter().enumerate() {
        scenery.flows.push(shelf.flow(flow, index, world)?);
    }
    for (index, ground) in text.ground.iter().enumerate() {
        scenery.grounds.push(shelf.ground(ground, index, world)?);
    }
    for path in &text.path {
        let (points, radius, closed) = (path.points.clone(), path.radius, path.closed);
        scenery.paths.push(Path { points, radius, closed });
    }
    for obstacle in &text.obstacle {
        let (centre, radius) = (obstacle.centre, obstacle.radius);
        scenery.obstacles.push(Obstacle { centre, radius });
    }
    Ok(scenery)
}

/// The index of a kind by its name, which stands at `path`.
pub(super) fn kind_index(text: &SceneText, name: &str, path: &str) -> Result<u8, Refusal> {
    let names = text.kind.iter().map(|kind| kind.name.as_deref());
    find("kind", names, name, path)
}

/// At most 32 kinds and 256 of the others; where there are more, the library refuses them.
fn find<'a>(
    what: &str,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
    name: &str,
    path: &str,
) -> Result<u8, Refusal> {
    match names.clone().position(|known| known == Some(name)) {
        Some(index) => Ok(u8::try_from(index).unwrap_or(u8::MAX)),
        None => Err(Refusal::no_such(path.to_owned(), what, name, names.flatten())),
    }
}

/// What a scene calls its things.
struct Names<'a>(&'a SceneText);

impl Names<'_> {
    fn kind(&self, text: &KindText, world: &World, path: &str) -> Result<Kind, Refusal> {
        let (gait, spread) = gait(&text.gait, &format!("{path}.gait"))?;
        let rules = text.rules.iter().enumerate();
        let behaviours = text.behaviours.iter().enumerate();
        let ground = text.ground.as_ref();
        let respawn = text.respawn.as_ref();
        Ok(Kind {
            gait,
            spread,
            ground: ground.map(|it| self.ground(it, &format!("{path}.ground"))).transpose()?,
            rules: rules
                .map(|(at, rule)| self.rule(rule, &format!("{path}.rules[{at}]")))
                .collect::<Result<_, _>>()?,
            behaviours: behaviours
                .map(|(at, it)| self.behaviour(it, &format!("{path}.behaviours[{at}]")))
                .collect::<Result<_, _>>()?,
            respawn: respawn
                .map(|it| self.respawn(it, world, &format!("{path}.respawn")))
                .transpose()?,
        })
    }

    fn rule(&self, text: &RuleText, path: &str) -> Result<Rule, Refusal> {
        let (urge, radius, weight, hears, field_of_view) = match text {
            RuleText::Separation(text) => heard(Urge::Separation, text),
            RuleText::Alignment(text) => heard(Urge::Alignment, text),
            RuleText::Cohesion(text) => heard(Urge::Cohesion, text),
            RuleText::View(text) => heard(Urge::View, text),
            RuleText::Hunt(text) => heard(Urge::Hunt, text),
            RuleText::Gather { radius, beyond, weight, hears, field_of_view } => {
                (Urge::Gather { beyond: *beyond }, *radius, weight, hears, *field_of_view)
            }
            RuleText::Flee { radius, fading, weight, hears, field_of_view } => {
                (Urge::Flee { fading: *fading }, *radius, weight, hears, *field_of_view)
            }
        };
        let hears = self.kinds(hears, &format!("{path}.hears"))?;
        Ok(Rule { urge, radius, weight: steered_by(weight), hears, field_of_view })
    }

    fn kinds(&self, text: &KindsText, path: &str) -> Result<Kinds, Refusal> {
        let kind = |name: &str, path: &str| kind_index(self.0, name, path);
        match text {
            KindsText::One(name) if name == "all" => Ok(Kinds::ALL),
            KindsText::One(name) => Ok(Kinds::only(kind(name, path)?)),
            KindsText::List(names) => {
                let mut kinds = Kinds::NONE;
                for (at, name) in names.iter().enumerate() {
                    kinds = kinds.and(kind(name, &format!("{path}[{at}]"))?);
                }
                Ok(kinds)
            }
        }
    }

    fn target(&self, text: &TargetText, path: &str) -> Result<Target, Refusal> {
        let path = format!("{path}.target");
        Ok(match text {
            Either::Plain(point) => Target::Point(*point),
            Either::Table(MovingText::Orbit { centre, radius, period }) => {
                Target::Orbit { centre: *centre, radius: *radius, period: *period }
            }
            Either::Table(MovingText::Body(id)) => Target::Body(*id),
            Either::Table(MovingText::Nearest(kinds)) => {
                Target::Nearest(self.kinds(kinds, &format!("{path}.nearest"))?)
            }
        })
    }

    fn behaviour(&self, text: &BehaviourText, path: &str) -> Result<Behaviour, Refusal> {
        let towards = |target: &TargetText| self.target(target, path);
        let (weight, drive) = match text {
            BehaviourText::Seek { weight, target } => {
                (weight, Drive::Seek { target: towards(target)? })
            }
            BehaviourText::Arrive { weight, target, slowing } => {
                (weight, Drive::Arrive { target: towards(target)?, slowing: *slowing })
            }
            BehaviourText::Flee { weight, target, range, fading } => {
                let (range, fading) = (*range, *fading);
                (weight, Drive::Flee { target: towards(target)?, range, fading })
            }
            BehaviourText::Pursue { weight, target, look_ahead } => {
                (weight, Drive::Pursue { target: towards(target)?, look_ahead: *look_ahead })
            }
            BehaviourText::Evade { weight, target, range, look_ahead } => {
                let (range, look_ahead) = (*range, *look_ahead);
                (weight, Drive::Evade { target: towards(target)?, range, look_ahead })
            }
            BehaviourText::OffsetPursuit { weight, target, offset, slowing, look_ahead } => {
                let (target, offset) = (towards(target)?, *offset);
                let (slowing, look_ahead) = (*slowing, *look_ahead);
                (weight, Drive::OffsetPursuit { target, offset, slowing, look_ahead })
            }
            BehaviourText::FollowLeader { weight, target, behind, clearance, slowing } => {
                let (target, behind) = (towards(target)?, *behind);
                let (clearance, slowing) = (*clearance, *slowing);
                (weight, Drive::FollowLeader { target, behind, clearance, slowing })
            }
            BehaviourText::Wander { weight, distance, radius, period } => {
                let (distance, radius, period) = (*distance, *radius, *period);
                (weight, Drive::Wander { distance, radius, period })
            }
            BehaviourText::Contain { weight, margin } => {
                (weight, Drive::Contain { margin: *margin })
            }
            BehaviourText::Avoid { weight, look_ahead, clearance } => {
                (weight, Drive::Avoid { look_ahead: *look_ahead, clearance: *clearance })
            }
            BehaviourText::FollowFlow { weight, flow } => {
                (weight, Drive::FollowFlow { flow: self.flow(flow, path)? })
            }
            BehaviourText::FollowPath { weight, path: name, look_ahead } => {
                let look_ahead = *look_ahead;
                (weight, Drive::FollowPath { path: self.path(name, path)?, look_ahead })
            }
        };
        Ok(Behaviour { weight: steered_by(weight), drive })
    }

    fn flow(&self, name: &str, path: &str) -> Result<u8, Refusal> {
        let names = self.0.flow.iter().map(|flow| Some(&*flow.name));
        find("flow", names, name, &format!("{path}.flow"))
    }

    fn path(&self, name: &str, path: &str) -> Result<u8, Refusal> {
        let names = self.0.path.iter().map(|path| Some(&*path.name));
        find("path", names, name, &format!("{path}.path"))
    }

    fn ground(&self, text: &OnGroundText, path: &str) -> Result<Ground, Refusal> {
        let names = self.0.ground.iter().map(|ground| Some(&*ground.name));
        let field = find("ground", names, &text.field, &format!("{path}.field"))?;
        let both = |numbers: Numbers| match numbers {
            Numbers::One(number) => [number; 2],
            Numbers::Pair(pair) => pair,
        };
        Ok(Ground { field, max_speed: both(text.max_speed), max_force: both(text.max_force) })
    }

    fn respawn(&self, text: &RespawnText, world: &World, path: &str) -> Result<Respawn, Refusal> {
        Ok(Respawn {
            by: self.kinds(&text.by, &format!("{path}.by"))?,
            within: text.within,
            low: text.low.unwrap_or([0.0; 2]),
            high: text.high.unwrap_or(world.size),
            speed: text.speed,
        })
    }
}

/// The parts of a rule that has no numbers of its own.
fn heard(urge: Urge, text: &HeardText) -> (Urge, f32, &WeightText, &KindsText, f32) {
    (urge, text.radius, &text.weight, &text.hears, text.field_of_view)
}

fn steered_by(weight: &WeightText) -> Weight {
    match *weight {
        Either::Plain(weight) => Weight::Steady(weight),
        Either::Table(WaveText::Sine { mean, amplitude, period }) => {
            Weight::Sine { mean, amplitude, period }
        }
        Either::Table(WaveText::Drawn([low, high])) => Weight::Drawn { low, high },
        Either::Table(WaveText::Noise { low, high, period }) => Weight::Noise { low, high, period },
    }
}

/// Without a pair or a spread nothing is drawn.
fn gait(text: &GaitText, path: &str) -> Result<(Gait, Option<Spread>), Refusal> {
    let (max_speed, of_speed) = middle(text.max_speed, &format!("{path}.max_speed"))?;
    let (max_force, of_force) = middle(text.max_force, &format!("{path}.max_force"))?;
    let spreads = [of_speed, of_force, text.look_ahead_spread];
    let spread = spreads.iter().any(Option::is_some).then(|| {
        let [max_speed, max_force, look_ahead] = spreads.map(Option::unwrap_or_default);
        Spread { max_speed, max_force, look_ahead }
    });
    Ok((Gait::new(max_speed, max_force), spread))
}

/// The middle of low and high, and how far they are from it as a share of it.
fn middle(numbers: Numbers, path: &str) -> Result<(f32, Option<f32>), Refusal> {
    let pair = match numbers {
        Numbers::One(number) => return Ok((number, None)),
        Numbers::Pair(pair) => pair,
    };
    let [low, high] = pair.map(f64::from);
    // 199 times as much is a spread of 0.99.
    if low > 0.0 && low <= high && high <= low * 199.0 {
        let share = (high - low) / (high + low);
        return Ok((((low + high) / 2.0) as f32, Some(share as f32)));
    }
    let allowed = "low and high, over 0, and high at most 199 times low";
    Err(Refusal::at(path, format!("{path} is {pair:?}; allowed: {allowed}")))
}
