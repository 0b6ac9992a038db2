//! What bodies are told to do: gaits, rules, behaviours, kinds, and the configuration that holds
//! them. All plain data; [`Config::check`] says what is refused.

use crate::error::{Error, Result};
use crate::world::{World, check_positive};

/// The most kinds one flock can have.
pub const MAX_KINDS: usize = 32;

/// The most behaviours one kind can list.
const MAX_BEHAVIOURS: usize = 64;

/// The largest weight, either way.
const MAX_WEIGHT: f32 = 1e6;

/// The longest time between two headings of a wanderer, in ticks; also exact as an `f32`.
const MAX_PERIOD: u32 = 65_536;

/// What limits a body's movement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gait {
    /// The longest velocity, in world units a unit of time, from 1e-9 to 1e9.
    pub max_speed: f32,
    /// The longest force, from 1e-9 to 1e9. It bounds every single steering force, and their
    /// weighted sum.
    pub max_force: f32,
}

impl Gait {
    /// A gait of this speed and force.
    pub const fn new(max_speed: f32, max_force: f32) -> Self {
        Self { max_speed, max_force }
    }

    pub(crate) fn check(&self, path: impl Fn() -> String) -> Result<()> {
        check_positive(self.max_speed, || path() + ".max_speed")?;
        check_positive(self.max_force, || path() + ".max_force")
    }
}

/// One neighbour rule: who is heard, and how loudly it speaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Bodies at most this far away are heard, from 1e-9 to 1e9; at most half a torus.
    pub radius: f32,
    /// What the steering force is multiplied with before the forces are added; within 1e6 of 0.
    pub weight: f32,
}

impl Rule {
    /// A rule of this radius and weight.
    pub const fn new(radius: f32, weight: f32) -> Self {
        Self { radius, weight }
    }
}

/// A steering force that asks no neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Behaviour {
    /// Steer to a point on a circle ahead, whose angle drifts smoothly (Reynolds 1999).
    ///
    /// The angle is a function of seed, id and tick alone, so nothing hides outside the state.
    Wander {
        /// What the force is multiplied with.
        weight: f32,
        /// How far ahead the circle's middle is, from 1e-9 to 1e9.
        distance: f32,
        /// The circle's radius, from 1e-9 to 1e9.
        radius: f32,
        /// Ticks from one drawn angle to the next, 1 to 65,536; between them it is blended.
        period: u32,
    },
    /// Travel away from every edge of the world nearer than `margin`; corners act on both axes.
    Contain {
        /// What the force is multiplied with.
        weight: f32,
        /// How near is too near, from 1e-9 to 1e9.
        margin: f32,
    },
}

impl Behaviour {
    fn check(&self, path: &dyn Fn() -> String) -> Result<()> {
        match *self {
            Self::Wander { weight, distance, radius, period } => {
                check_weight(weight, || path() + ".weight")?;
                check_positive(distance, || path() + ".distance")?;
                check_positive(radius, || path() + ".radius")?;
                if (1..=MAX_PERIOD).contains(&period) {
                    return Ok(());
                }
                Err(Error::Setting {
                    field: path() + ".period",
                    value: period as f32,
                    allowed: "a whole number of ticks from 1 to 65536",
                })
            }
            Self::Contain { weight, margin } => {
                check_weight(weight, || path() + ".weight")?;
                check_positive(margin, || path() + ".margin")
            }
        }
    }
}

/// What the bodies of one kind share.
///
/// A rule is in use when it is `Some`. Forces are added in the order of the fields here.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// The gait of bodies that were not given their own.
    pub gait: Gait,
    /// Push apart: away from each neighbour, weighted by one over its distance.
    pub separation: Option<Rule>,
    /// Match heading: along the sum of the neighbours' velocities.
    pub alignment: Option<Rule>,
    /// Pull to the middle: towards the mean of the neighbours' positions.
    pub cohesion: Option<Rule>,
    /// Further forces, added after the rules in this order.
    pub behaviours: Vec<Behaviour>,
}

impl Kind {
    /// A kind that goes straight: no rule, no behaviour. Fill in with struct update:
    /// `Kind { alignment: Some(Rule::new(8.0, 1.0)), ..Kind::new(gait) }`.
    pub const fn new(gait: Gait) -> Self {
        Self { gait, separation: None, alignment: None, cohesion: None, behaviours: Vec::new() }
    }

    /// The three rules with their names, in the order their forces are added.
    pub const fn rules(&self) -> [(&'static str, Option<Rule>); 3] {
        [
            ("separation", self.separation),
            ("alignment", self.alignment),
            ("cohesion", self.cohesion),
        ]
    }

    fn check(&self, world: &World, dt: f32, path: &dyn Fn() -> String) -> Result<()> {
        self.gait.check(|| path() + ".gait")?;
        world.check_step(self.gait.max_speed * dt, || path() + ".gait.max_speed")?;
        for (name, rule) in self.rules() {
            let Some(rule) = rule else { continue };
            let field = |of: &str| format!("{}.{name}.{of}", path());
            check_positive(rule.radius, || field("radius"))?;
            check_weight(rule.weight, || field("weight"))?;
            world.check_radius(rule.radius, || field("radius"))?;
        }
        if self.behaviours.len() > MAX_BEHAVIOURS {
            let (field, count) = (path() + ".behaviours", self.behaviours.len());
            return Err(Error::Behaviours { field, count });
        }
        for (at, behaviour) in self.behaviours.iter().enumerate() {
            behaviour.check(&|| format!("{}.behaviours[{at}]", path()))?;
        }
        Ok(())
    }
}

/// Everything that decides a run besides the bodies themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Extent and edges.
    pub world: World,
    /// Time a tick, from 1e-9 to 1e9.
    pub dt: f32,
    /// What seeded behaviours draw from.
    pub seed: u64,
    /// One to [`MAX_KINDS`] kinds; a body's kind is its index here.
    pub kinds: Vec<Kind>,
}

impl Config {
    /// A flock of one kind, with a time step of 1 and seed 0.
    pub fn new(world: World, kind: Kind) -> Self {
        Self { world, dt: 1.0, seed: 0, kinds: vec![kind] }
    }

    /// The largest radius of any rule in use, or 0 when there is none.
    pub fn radius(&self) -> f32 {
        let rules = self.kinds.iter().flat_map(|kind| kind.rules());
        let radii = rules.filter_map(|(_, rule)| rule).map(|rule| rule.radius);
        radii.fold(0.0, |largest, radius| if radius > largest { radius } else { largest })
    }

    /// Checks every number against its range.
    ///
    /// # Errors
    /// The first that is refused, with its path ([`Error::Setting`] and kin).
    pub fn check(&self) -> Result<()> {
        self.world.check()?;
        check_positive(self.dt, || "dt".to_owned())?;
        if !(1..=MAX_KINDS).contains(&self.kinds.len()) {
            return Err(Error::Kinds(self.kinds.len()));
        }
        for (index, kind) in self.kinds.iter().enumerate() {
            kind.check(&self.world, self.dt, &|| format!("kinds[{index}]"))?;
        }
        Ok(())
    }
}

fn check_weight(value: f32, field: impl Fn() -> String) -> Result<()> {
    if value.abs() <= MAX_WEIGHT {
        Ok(())
    } else {
        Err(Error::Setting { field: field(), value, allowed: "a finite number from -1e6 to 1e6" })
    }
}
