//! What bodies are told to do: gaits, rules, behaviours, kinds, and the configuration that holds
//! them. All plain data; [`Config::check`] says what is refused. docs/steering.md has them in one
//! table.

use crate::error::{Error, Result};
use crate::scenery::Scenery;
use crate::world::{World, check_positive};

/// The most kinds one flock can have.
pub const MAX_KINDS: usize = 32;

/// The most rules one kind can list.
pub(crate) const MAX_RULES: usize = 16;

/// The most behaviours one kind can list.
const MAX_BEHAVIOURS: usize = 64;

/// The largest weight, either way.
const MAX_WEIGHT: f32 = 1e6;

/// The largest length, speed or force.
const LARGEST: f32 = 1e9;

/// The longest period, in ticks; also exact as an `f32`.
pub(crate) const MAX_PERIOD: u32 = 65_536;

/// The widest spread: a drawn speed stays above 0.
const WIDEST_SPREAD: f32 = 0.99;

/// The fastest respawn along an axis, so that no velocity is over 1e9.
const FASTEST_RESPAWN: f32 = 7e8;

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

/// How far bodies of one kind differ, each number a share of the kind's, from 0 to 0.99: a speed of
/// 1.5 with a spread of 0.2 is drawn from 1.2 to 1.8. What a body draws depends on its id and the
/// seed alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Of [`Gait::max_speed`], for bodies without a gait of their own.
    pub max_speed: f32,
    /// Of [`Gait::max_force`], for bodies without a gait of their own.
    pub max_force: f32,
    /// Of every behaviour's `look_ahead`.
    pub look_ahead: f32,
}

/// A set of kinds, by their index in [`Config::kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(pub(crate) u32);

impl Kinds {
    /// Every kind, also one that is added later.
    pub const ALL: Self = Self(u32::MAX);
    /// No kind.
    pub const NONE: Self = Self(0);

    /// This kind alone.
    ///
    /// # Panics
    /// If `kind` is not below [`MAX_KINDS`].
    pub const fn only(kind: u8) -> Self {
        assert!((kind as usize) < MAX_KINDS, "a flock has at most 32 kinds");
        Self(1 << kind)
    }

    /// This set and one more kind.
    ///
    /// # Panics
    /// If `kind` is not below [`MAX_KINDS`].
    #[must_use]
    pub const fn and(self, kind: u8) -> Self {
        Self(self.0 | Self::only(kind).0)
    }

    /// Whether this kind is among them.
    pub const fn contains(self, kind: u8) -> bool {
        (kind as usize) < MAX_KINDS && self.0 & Self::only(kind).0 != 0
    }

    fn check(self, kinds: usize, field: impl Fn() -> String) -> Result<()> {
        let beyond = if kinds < MAX_KINDS { self.0 >> kinds } else { 0 };
        if self == Self::ALL || beyond == 0 {
            return Ok(());
        }
        let index = kinds + beyond.trailing_zeros() as usize;
        Err(Error::NoSuch { field: field(), what: "kind", index, count: kinds })
    }
}

/// What a steering force is multiplied with before it is added. Numbers are within 1e6 of 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// Always the same.
    Steady(f32),
    /// A sine wave in time, the same for every body; it starts at the mean and rises.
    Sine {
        /// Its middle.
        mean: f32,
        /// How far it swings to either side.
        amplitude: f32,
        /// Ticks from one wave to the next, 1 to 65,536.
        period: u32,
    },
    /// For each body a number of its own, drawn once and evenly.
    Drawn {
        /// The smallest.
        low: f32,
        /// The largest.
        high: f32,
    },
    /// For each body a number of its own that drifts smoothly.
    Noise {
        /// The smallest.
        low: f32,
        /// The largest.
        high: f32,
        /// Ticks from one drawn number to the next, 1 to 65,536.
        period: u32,
    },
}

impl From<f32> for Weight {
    fn from(weight: f32) -> Self {
        Self::Steady(weight)
    }
}

impl Weight {
    fn check(&self, path: impl Fn() -> String) -> Result<()> {
        match *self {
            Self::Steady(weight) => check_weight(weight, path),
            Self::Sine { mean, amplitude, period } => {
                check_weight(mean, || path() + ".mean")?;
                check_weight(amplitude, || path() + ".amplitude")?;
                check_period(period, || path() + ".period")
            }
            Self::Drawn { low, high } => {
                check_weight(low, || path() + ".low")?;
                check_weight(high, || path() + ".high")
            }
            Self::Noise { low, high, period } => {
                check_weight(low, || path() + ".low")?;
                check_weight(high, || path() + ".high")?;
                check_period(period, || path() + ".period")
            }
        }
    }
}

/// What a neighbour rule makes of the bodies it hears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Urge {
    /// Push apart: away from each, weighted by one over its distance (Reynolds 1987).
    Separation,
    /// Match heading: along the sum of their velocities (Reynolds 1987).
    Alignment,
    /// Pull to the middle of their positions (Reynolds 1987).
    Cohesion,
    /// Pull to the middle of those that are farther away than this, from 0 to 1e9.
    Gather {
        /// Nobody nearer is heard.
        beyond: f32,
    },
    /// Move sideways, away from whoever blocks the view, the more so the nearer (Flake 1998).
    View,
    /// Away from each, all alike; if fading, slower the farther they are, to a stop at the radius.
    Flee {
        /// Whether it fades.
        fading: bool,
    },
    /// To the slowest of them, the first in canonical order of equals.
    Hunt,
}

impl Urge {
    /// The names in the order in which forces are added.
    pub const NAMES: [&'static str; 7] =
        ["separation", "alignment", "cohesion", "gather", "view", "flee", "hunt"];

    /// Its place in that order.
    pub(crate) const fn order(self) -> usize {
        match self {
            Self::Separation => 0,
            Self::Alignment => 1,
            Self::Cohesion => 2,
            Self::Gather { .. } => 3,
            Self::View => 4,
            Self::Flee { .. } => 5,
            Self::Hunt => 6,
        }
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self.order()]
    }
}

/// One neighbour rule: who is heard, what is made of it, and how loudly it speaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// What is made of those that are heard.
    pub urge: Urge,
    /// Bodies at most this far away are heard, from 1e-9 to 1e9; at most half a torus.
    pub radius: f32,
    /// What the steering force is multiplied with before the forces are added.
    pub weight: Weight,
    /// Which kinds are heard.
    pub hears: Kinds,
    /// How wide a body sees, in degrees, half of it to either side of its heading: over 0 to 360. A
    /// body at rest sees all round.
    pub field_of_view: f32,
}

impl Rule {
    /// A rule that hears all kinds, all round.
    pub fn new(urge: Urge, radius: f32, weight: impl Into<Weight>) -> Self {
        Self { urge, radius, weight: weight.into(), hears: Kinds::ALL, field_of_view: 360.0 }
    }

    /// [`Urge::Separation`] from all kinds, all round.
    pub fn separation(radius: f32, weight: impl Into<Weight>) -> Self {
        Self::new(Urge::Separation, radius, weight)
    }

    /// [`Urge::Alignment`] with all kinds, all round.
    pub fn alignment(radius: f32, weight: impl Into<Weight>) -> Self {
        Self::new(Urge::Alignment, radius, weight)
    }

    /// [`Urge::Cohesion`] with all kinds, all round.
    pub fn cohesion(radius: f32, weight: impl Into<Weight>) -> Self {
        Self::new(Urge::Cohesion, radius, weight)
    }

    /// The same, hearing these kinds only.
    #[must_use]
    pub const fn hearing(mut self, kinds: Kinds) -> Self {
        self.hears = kinds;
        self
    }

    /// The same, seeing this many degrees only.
    #[must_use]
    pub const fn seeing(mut self, degrees: f32) -> Self {
        self.field_of_view = degrees;
        self
    }

    fn check(&self, world: &World, kinds: usize, path: &dyn Fn() -> String) -> Result<()> {
        check_positive(self.radius, || path() + ".radius")?;
        self.weight.check(|| path() + ".weight")?;
        world.check_radius(self.radius, || path() + ".radius")?;
        self.hears.check(kinds, || path() + ".hears")?;
        if let Urge::Gather { beyond } = self.urge {
            check_distance(beyond, || path() + ".beyond")?;
        }
        let degrees = self.field_of_view;
        if degrees > 0.0 && degrees <= 360.0 {
            return Ok(());
        }
        setting(path() + ".field_of_view", degrees, "degrees over 0, at most 360")
    }
}

/// What a behaviour is about: a place that may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A place.
    Point([f32; 2]),
    /// A place that circles, from +x towards +y.
    Orbit {
        /// The circle's middle.
        centre: [f32; 2],
        /// Its radius, from 1e-9 to 1e9.
        radius: f32,
        /// Ticks for one turn, 1 to 65,536.
        period: u32,
    },
    /// A body, by its id; nothing happens once it is gone, or to itself.
    Body(u32),
    /// The nearest other body of these kinds, however far; the first in canonical order of equals.
    /// Every body asks every body of these kinds: meant for a few.
    Nearest(Kinds),
}

impl Target {
    fn check(&self, kinds: usize, path: impl Fn() -> String) -> Result<()> {
        match *self {
            Self::Point(point) => check_point(point, path),
            Self::Orbit { centre, radius, period } => {
                check_point(centre, || path() + ".centre")?;
                check_positive(radius, || path() + ".radius")?;
                check_period(period, || path() + ".period")
            }
            Self::Body(_) => Ok(()),
            Self::Nearest(nearest) => nearest.check(kinds, || path() + ".nearest"),
        }
    }
}

/// A steering force that asks no neighbour, and how loudly it speaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behaviour {
    /// What the force is multiplied with.
    pub weight: Weight,
    /// What it does.
    pub drive: Drive,
}

/// What a behaviour does. Formulas are in docs/contract.md; ranges and look-aheads are 0 to 1e9.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Drive {
    /// Go to the target at full speed, and through it (Reynolds 1999).
    Seek {
        /// Where to.
        target: Target,
    },
    /// Go to the target and stop there (Reynolds 1999).
    Arrive {
        /// Where to.
        target: Target,
        /// How near the body slows down, from 1e-9 to 1e9.
        slowing: f32,
    },
    /// Go away from the target (Reynolds 1999).
    Flee {
        /// From what.
        target: Target,
        /// Farther targets are ignored.
        range: f32,
        /// Whether it goes slower the farther the target, to a stop at the range.
        fading: bool,
    },
    /// Go where a moving target will be (Reynolds 1999).
    Pursue {
        /// Whom.
        target: Target,
        /// The furthest to look ahead, in time.
        look_ahead: f32,
    },
    /// Go away from where a moving target will be (Reynolds 1999).
    Evade {
        /// Whom.
        target: Target,
        /// Farther targets are ignored.
        range: f32,
        /// The furthest to look ahead, in time.
        look_ahead: f32,
    },
    /// Keep a place beside a moving target (Reynolds 1999).
    OffsetPursuit {
        /// Beside whom.
        target: Target,
        /// How far ahead of it, and how far to the side that lies from +x towards +y.
        offset: [f32; 2],
        /// How near its place the body slows down, from 1e-9 to 1e9.
        slowing: f32,
        /// The furthest to look ahead, in time.
        look_ahead: f32,
    },
    /// Follow behind a leader and get out of its way (Reynolds 1999).
    FollowLeader {
        /// Whom.
        target: Target,
        /// How far behind it.
        behind: f32,
        /// In front of it and nearer than this, a body steps aside.
        clearance: f32,
        /// How near its place the body slows down, from 1e-9 to 1e9.
        slowing: f32,
    },
    /// Steer to a point on a circle ahead, whose angle drifts smoothly (Reynolds 1999).
    ///
    /// The angle is a function of seed, id and tick alone, so nothing hides outside the state.
    Wander {
        /// How far ahead the circle's middle is, from 1e-9 to 1e9.
        distance: f32,
        /// The circle's radius, from 1e-9 to 1e9.
        radius: f32,
        /// Ticks from one drawn angle to the next, 1 to 65,536; between them it is blended.
        period: u32,
    },
    /// Travel away from every edge of the world nearer than `margin`; corners act on both axes.
    Contain {
        /// How near is too near, from 1e-9 to 1e9.
        margin: f32,
    },
    /// Step aside for the first of the scenery's obstacles on the way (Reynolds 1999).
    Avoid {
        /// How far ahead to look.
        look_ahead: f32,
        /// How much room to leave beside an obstacle.
        clearance: f32,
    },
    /// Go along a flow of the scenery (Reynolds 1999).
    FollowFlow {
        /// Its index in [`Scenery::flows`].
        flow: u8,
    },
    /// Stay on a path of the scenery and go along it (Reynolds 1999).
    FollowPath {
        /// Its index in [`Scenery::paths`].
        path: u8,
        /// How far ahead to look, and how far along the path to aim.
        look_ahead: f32,
    },
}

impl Drive {
    /// This drive with a weight.
    pub fn weighing(self, weight: impl Into<Weight>) -> Behaviour {
        Behaviour { weight: weight.into(), drive: self }
    }

    /// What it is called.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Seek { .. } => "seek",
            Self::Arrive { .. } => "arrive",
            Self::Flee { .. } => "flee",
            Self::Pursue { .. } => "pursue",
            Self::Evade { .. } => "evade",
            Self::OffsetPursuit { .. } => "offset pursuit",
            Self::FollowLeader { .. } => "follow leader",
            Self::Wander { .. } => "wander",
            Self::Contain { .. } => "contain",
            Self::Avoid { .. } => "avoid",
            Self::FollowFlow { .. } => "follow flow",
            Self::FollowPath { .. } => "follow path",
        }
    }

    /// Its target, if it has one.
    pub const fn target(&self) -> Option<Target> {
        match *self {
            Self::Seek { target }
            | Self::Arrive { target, .. }
            | Self::Flee { target, .. }
            | Self::Pursue { target, .. }
            | Self::Evade { target, .. }
            | Self::OffsetPursuit { target, .. }
            | Self::FollowLeader { target, .. } => Some(target),
            _ => None,
        }
    }

    fn check(&self, config: &Config, path: &dyn Fn() -> String) -> Result<()> {
        let field = |name: &'static str| move || format!("{}.{name}", path());
        if let Some(target) = self.target() {
            target.check(config.kinds.len(), field("target"))?;
        }
        match *self {
            Self::Seek { .. } => Ok(()),
            Self::Arrive { slowing, .. } => check_positive(slowing, field("slowing")),
            Self::Flee { range, .. } => check_distance(range, field("range")),
            Self::Pursue { look_ahead, .. } => check_distance(look_ahead, field("look_ahead")),
            Self::Evade { range, look_ahead, .. } => {
                check_distance(range, field("range"))?;
                check_distance(look_ahead, field("look_ahead"))
            }
            Self::OffsetPursuit { offset, slowing, look_ahead, .. } => {
                check_point(offset, field("offset"))?;
                check_positive(slowing, field("slowing"))?;
                check_distance(look_ahead, field("look_ahead"))
            }
            Self::FollowLeader { behind, clearance, slowing, .. } => {
                check_distance(behind, field("behind"))?;
                check_distance(clearance, field("clearance"))?;
                check_positive(slowing, field("slowing"))
            }
            Self::Wander { distance, radius, period } => {
                check_positive(distance, field("distance"))?;
                check_positive(radius, field("radius"))?;
                check_period(period, field("period"))
            }
            Self::Contain { margin } => check_positive(margin, field("margin")),
            Self::Avoid { look_ahead, clearance } => {
                check_distance(look_ahead, field("look_ahead"))?;
                check_distance(clearance, field("clearance"))
            }
            Self::FollowFlow { flow } => {
                check_index("flow", flow, config.scenery.flows.len(), field("flow"))
            }
            Self::FollowPath { path, look_ahead } => {
                check_index("path", path, config.scenery.paths.len(), field("path"))?;
                check_distance(look_ahead, field("look_ahead"))
            }
        }
    }
}

/// How the ground under a body sets its gait: `a + (b - a) * v` of each pair `[a, b]`, where `v` is
/// the field's value at the body. It takes the place of the kind's gait and of a body's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Its index in [`Scenery::grounds`].
    pub field: u8,
    /// The speed where the field is 0, and where it is 1; from 0 to 1e9.
    pub max_speed: [f32; 2],
    /// The force where the field is 0, and where it is 1; from 0 to 1e9.
    pub max_force: [f32; 2],
}

impl Ground {
    fn check(&self, config: &Config, path: &dyn Fn() -> String) -> Result<()> {
        let count = config.scenery.grounds.len();
        check_index("ground", self.field, count, || path() + ".field")?;
        for at in 0..2 {
            let speed = self.max_speed[at];
            check_distance(speed, || format!("{}.max_speed[{at}]", path()))?;
            check_distance(self.max_force[at], || format!("{}.max_force[{at}]", path()))?;
            let field = || format!("{}.max_speed[{at}]", path());
            config.world.check_step(speed * config.dt, field)?;
        }
        Ok(())
    }
}

/// What happens to a body that is caught: it is put somewhere else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Respawn {
    /// Who catches it.
    pub by: Kinds,
    /// How near they have to be, from 1e-9 to 1e9; at most half a torus.
    pub within: f32,
    /// One corner of the rectangle, inside the world, in which its new place is drawn.
    pub low: [f32; 2],
    /// The opposite corner.
    pub high: [f32; 2],
    /// Its new velocity is drawn within this of 0 along each axis, from 0 to 7e8.
    pub speed: f32,
}

impl Respawn {
    fn check(&self, config: &Config, path: &dyn Fn() -> String) -> Result<()> {
        self.by.check(config.kinds.len(), || path() + ".by")?;
        check_positive(self.within, || path() + ".within")?;
        config.world.check_radius(self.within, || path() + ".within")?;
        for axis in 0..2 {
            let ([low, high], extent) =
                ([self.low[axis], self.high[axis]], config.world.size[axis]);
            if !(0.0..=extent).contains(&high) {
                return setting(format!("{}.high[{axis}]", path()), high, "inside the world");
            }
            if !(0.0..=high).contains(&low) {
                let allowed = "inside the world, and at most the opposite corner";
                return setting(format!("{}.low[{axis}]", path()), low, allowed);
            }
        }
        if (0.0..=FASTEST_RESPAWN).contains(&self.speed) {
            return Ok(());
        }
        setting(path() + ".speed", self.speed, "a finite number from 0 to 7e8")
    }
}

/// What the bodies of one kind share.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// The gait of bodies that were not given their own.
    pub gait: Gait,
    /// How far bodies differ.
    pub spread: Option<Spread>,
    /// What sets the gait in place of all that.
    pub ground: Option<Ground>,
    /// At most 16. Their forces are added by urge, in the order of [`Urge`], and as listed.
    pub rules: Vec<Rule>,
    /// At most 64. Their forces are added after the rules', as listed.
    pub behaviours: Vec<Behaviour>,
    /// What happens to bodies that are caught.
    pub respawn: Option<Respawn>,
}

impl Kind {
    /// A kind that goes straight: no rule, no behaviour. Fill in with struct update:
    /// `Kind { rules: vec![Rule::alignment(8.0, 1.0)], ..Kind::new(gait) }`.
    pub const fn new(gait: Gait) -> Self {
        Self {
            gait,
            spread: None,
            ground: None,
            rules: Vec::new(),
            behaviours: Vec::new(),
            respawn: None,
        }
    }

    /// The places of the rules in [`Kind::rules`], in the order their forces are added.
    pub(crate) fn rules_in_order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.rules.len()).collect();
        places.sort_by_key(|&place| self.rules[place].urge.order());
        places
    }

    fn check(&self, config: &Config, path: &dyn Fn() -> String) -> Result<()> {
        self.gait.check(|| path() + ".gait")?;
        let spread = self.spread.unwrap_or_default();
        for (name, share, value) in [
            ("max_speed", spread.max_speed, self.gait.max_speed),
            ("max_force", spread.max_force, self.gait.max_force),
            ("look_ahead", spread.look_ahead, 0.0),
        ] {
            let field = || format!("{}.spread.{name}", path());
            if !(0.0..=WIDEST_SPREAD).contains(&share) {
                return setting(field(), share, "a number from 0 to 0.99");
            }
            if value * (1.0 + share) > LARGEST {
                return setting(field(), share, "small enough to keep it within 1e9");
            }
        }
        let fastest = self.gait.max_speed * (1.0 + spread.max_speed);
        config.world.check_step(fastest * config.dt, || path() + ".gait.max_speed")?;
        for (name, count, most) in [
            ("rules", self.rules.len(), MAX_RULES),
            ("behaviours", self.behaviours.len(), MAX_BEHAVIOURS),
        ] {
            if count > most {
                return Err(Error::TooMany { field: format!("{}.{name}", path()), count, most });
            }
        }
        for (at, rule) in self.rules.iter().enumerate() {
            rule.check(&config.world, config.kinds.len(), &|| format!("{}.rules[{at}]", path()))?;
        }
        for (at, behaviour) in self.behaviours.iter().enumerate() {
            let path = || format!("{}.behaviours[{at}]", path());
            behaviour.weight.check(|| path() + ".weight")?;
            behaviour.drive.check(config, &path)?;
        }
        if let Some(ground) = &self.ground {
            ground.check(config, &|| path() + ".ground")?;
        }
        if let Some(respawn) = &self.respawn {
            respawn.check(config, &|| path() + ".respawn")?;
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
    /// What is drawn depends on it.
    pub seed: u64,
    /// One to [`MAX_KINDS`] kinds; a body's kind is its index here.
    pub kinds: Vec<Kind>,
    /// What behaviours name by index.
    pub scenery: Scenery,
}

impl Config {
    /// A flock of one kind, with a time step of 1, seed 0 and no scenery.
    pub fn new(world: World, kind: Kind) -> Self {
        Self { world, dt: 1.0, seed: 0, kinds: vec![kind], scenery: Scenery::default() }
    }

    /// The largest radius of any rule in use, and of any respawn, or 0 when there is none.
    pub fn radius(&self) -> f32 {
        let rules = self.kinds.iter().flat_map(|kind| &kind.rules).map(|rule| rule.radius);
        let caught = self.kinds.iter().filter_map(|kind| kind.respawn).map(|it| it.within);
        let larger = |largest, radius| if radius > largest { radius } else { largest };
        rules.chain(caught).fold(0.0, larger)
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
        self.scenery.check()?;
        for (index, kind) in self.kinds.iter().enumerate() {
            kind.check(self, &|| format!("kinds[{index}]"))?;
        }
        Ok(())
    }
}

/// A refusal of a number.
pub(crate) fn setting(field: String, value: f32, allowed: &'static str) -> Result<()> {
    Err(Error::Setting { field, value, allowed })
}

fn check_weight(value: f32, field: impl Fn() -> String) -> Result<()> {
    if value.abs() <= MAX_WEIGHT {
        return Ok(());
    }
    setting(field(), value, "a finite number from -1e6 to 1e6")
}

fn check_period(value: u32, field: impl Fn() -> String) -> Result<()> {
    if (1..=MAX_PERIOD).contains(&value) {
        return Ok(());
    }
    setting(field(), value as f32, "a whole number of ticks from 1 to 65536")
}

/// Refuses what is not a finite number from 0 to 1e9.
pub(crate) fn check_distance(value: f32, field: impl Fn() -> String) -> Result<()> {
    if (0.0..=LARGEST).contains(&value) {
        return Ok(());
    }
    setting(field(), value, "a finite number from 0 to 1e9")
}

/// Refuses a point that is not finite or too far out.
pub(crate) fn check_point(point: [f32; 2], field: impl Fn() -> String) -> Result<()> {
    for (axis, value) in point.into_iter().enumerate() {
        if value.is_nan() || value.abs() > LARGEST {
            let field = format!("{}[{axis}]", field());
            return setting(field, value, "a finite number, at most 1e9 either way");
        }
    }
    Ok(())
}

fn check_index(
    what: &'static str,
    index: u8,
    count: usize,
    field: impl Fn() -> String,
) -> Result<()> {
    if usize::from(index) < count {
        return Ok(());
    }
    Err(Error::NoSuch { field: field(), what, index: index.into(), count })
}
