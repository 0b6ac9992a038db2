//! Any world, scenery, rules, behaviours, bodies and changes: either they are refused by name and
//! change nothing, or the fast path equals the reference at every body and tick, everything stays
//! finite, and a snapshot loads again.
#![no_main]

use arbitrary::{Arbitrary, Result, Unstructured};
use flockstep::{
    Behaviour, Body, Config, Drive, Edge, Field, Flock, Flow, Gait, Ground, Kind, Kinds, Noise,
    Obstacle, Path, Respawn, Rule, Scenery, Soil, Spawn, Spread, Target, Urge, Weight, World,
    reference,
};
use libfuzzer_sys::fuzz_target;

/// More bodies than this would only be slow; more are strewn.
const MOST_BODIES: usize = 60;

#[derive(Debug)]
struct Input {
    config: Config,
    bodies: Vec<Spawn>,
    /// More bodies, anywhere in the world; their number is what a short input can hold too.
    strewn: u8,
    /// What changes after each tick. As many ticks as there are lists.
    changes: Vec<Vec<Change>>,
}

#[derive(Debug)]
enum Change {
    Add(Spawn),
    Remove(u32),
    Kind(u32, u8),
    Motion(u32, [f32; 2], [f32; 2]),
    Gait(u32, Gait),
    Config(Box<Config>),
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut draw = Draw::new(u)?;
        // What comes first is still there when a short input ends.
        let strewn = draw.u.arbitrary()?;
        let ticks = draw.u.int_in_range(1..=6)?;
        let config = draw.config()?;
        let changes = draw.times(ticks, |draw| draw.list(3, Draw::change))?;
        let bodies = draw.list(MOST_BODIES, Draw::spawn)?;
        Ok(Self { config, bodies, strewn, changes })
    }
}

/// Reads an input's bytes as whatever is asked for.
struct Draw<'u, 'a> {
    u: &'u mut Unstructured<'a>,
    world: World,
    kinds: usize,
    flows: usize,
    grounds: usize,
    paths: usize,
}

impl<'u, 'a> Draw<'u, 'a> {
    fn new(u: &'u mut Unstructured<'a>) -> Result<Self> {
        let world = World::new(1.0, 1.0, Edge::Walls);
        let mut draw = Self { u, world, kinds: 1, flows: 0, grounds: 0, paths: 0 };
        let edge =
            |draw: &mut Self| draw.u.choose(&[Edge::Walls, Edge::Torus, Edge::Open]).copied();
        draw.world = World {
            size: [draw.positive()?, draw.positive()?],
            edges: [edge(&mut draw)?, edge(&mut draw)?],
        };
        Ok(draw)
    }

    // ---- Numbers

    /// Numbers of every size, small ones more often.
    fn number(&mut self) -> Result<f32> {
        Ok(match self.u.int_in_range(0..=3)? {
            0 | 1 => f32::from(self.u.arbitrary::<i16>()?) / 4.0,
            2 => {
                let exponent: i8 = self.u.arbitrary()?;
                let two: f32 = if exponent < 0 { 0.5 } else { 2.0 };
                (0..exponent.unsigned_abs()).fold(1.0, |power, _| power * two)
            }
            _ => f32::from_bits(self.u.arbitrary()?),
        })
    }

    /// A number that a configuration mostly allows.
    fn positive(&mut self) -> Result<f32> {
        let value = self.number()?.abs();
        Ok(if value > 0.0 { value } else { 1.0 })
    }

    /// From 0 to 1.
    fn share(&mut self) -> Result<f32> {
        Ok(f32::from(self.u.arbitrary::<u8>()?) / 255.0)
    }

    /// Half of the time of the world's size; seldom too long for a torus then.
    fn length(&mut self) -> Result<f32> {
        let span = self.world.size[0].min(self.world.size[1]);
        if self.u.arbitrary()? {
            self.positive()
        } else {
            Ok((self.share()? * span).max(1e-9) / 2.0)
        }
    }

    fn distance(&mut self) -> Result<f32> {
        if self.u.ratio(1, 8)? { Ok(0.0) } else { self.length() }
    }

    fn vector(&mut self) -> Result<[f32; 2]> {
        Ok([self.number()?, self.number()?])
    }

    fn point(&mut self) -> Result<[f32; 2]> {
        if self.u.arbitrary()? {
            return self.vector();
        }
        let [width, height] = self.world.size;
        Ok([self.share()? * width, self.share()? * height])
    }

    fn period(&mut self) -> Result<u32> {
        Ok(if self.u.ratio(1, 16)? { self.u.arbitrary()? } else { self.u.int_in_range(1..=9)? })
    }

    /// One of so many, and now and then one that is not there.
    fn index(&mut self, count: usize) -> Result<u8> {
        let any: u8 = self.u.arbitrary()?;
        Ok(if any >= 240 || count == 0 { any } else { (usize::from(any) % count) as u8 })
    }

    /// A body that lives, did live, or never will.
    fn id(&mut self) -> Result<u32> {
        Ok(if self.u.ratio(1, 16)? {
            self.u.arbitrary()?
        } else {
            self.u.arbitrary::<u8>()?.into()
        })
    }

    fn times<T>(&mut self, count: usize, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        (0..count).map(|_| one(self)).collect()
    }

    fn list<T>(&mut self, most: usize, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.u.int_in_range(0..=most)?;
        self.times(count, one)
    }

    // ---- Configurations

    /// How many there are of everything, then the kinds, then the scenery: a short input should not
    /// end in the values of a field.
    fn config(&mut self) -> Result<Config> {
        self.kinds = if self.u.ratio(1, 32)? { 32 } else { self.u.int_in_range(1..=4)? };
        self.flows = self.u.int_in_range(0..=3)?;
        self.grounds = self.u.int_in_range(0..=2)?;
        self.paths = self.u.int_in_range(0..=2)?;
        let obstacles = self.u.int_in_range(0..=4)?;
        let seed = self.u.arbitrary::<u16>()?.into();
        let dt = if self.u.arbitrary()? { 1.0 } else { self.positive()? };
        let kinds = self.times(self.kinds, Self::kind)?;
        let scenery = Scenery {
            obstacles: self.times(obstacles, |draw| {
                Ok(Obstacle { centre: draw.point()?, radius: draw.length()? })
            })?,
            paths: self.times(self.paths, Self::path)?,
            flows: self.times(self.flows, Self::flow)?,
            grounds: self.times(self.grounds, Self::soil)?,
        };
        Ok(Config { world: self.world, dt, seed, kinds, scenery })
    }

    fn kinds(&mut self) -> Result<Kinds> {
        Ok(match self.u.int_in_range(0..=3)? {
            0 => Kinds::ALL,
            1 => Kinds::only(self.index(self.kinds)? % 32),
            2 => Kinds::NONE,
            _ => {
                let bits: u32 = self.u.arbitrary()?;
                let some = (0..self.kinds as u8).filter(|kind| bits >> kind & 1 == 1);
                some.fold(Kinds::NONE, Kinds::and)
            }
        })
    }

    fn kind(&mut self) -> Result<Kind> {
        let spread = |draw: &mut Self| -> Result<Spread> {
            let [max_speed, max_force, look_ahead] = [draw.share()?, draw.share()?, draw.share()?];
            Ok(Spread { max_speed, max_force, look_ahead })
        };
        Ok(Kind {
            gait: self.gait()?,
            spread: if self.u.ratio(1, 4)? { Some(spread(self)?) } else { None },
            ground: if self.u.ratio(1, 4)? { Some(self.ground()?) } else { None },
            rules: self.list(5, Self::rule)?,
            behaviours: self.list(5, Self::behaviour)?,
            respawn: if self.u.ratio(1, 4)? { Some(self.respawn()?) } else { None },
        })
    }

    fn gait(&mut self) -> Result<Gait> {
        Ok(Gait::new(self.length()?, self.positive()?))
    }

    fn ground(&mut self) -> Result<Ground> {
        Ok(Ground {
            field: self.index(self.grounds)?,
            max_speed: [self.distance()?, self.distance()?],
            max_force: [self.distance()?, self.distance()?],
        })
    }

    fn respawn(&mut self) -> Result<Respawn> {
        let [width, height] = self.world.size;
        let corners = [[self.share()?, self.share()?], [self.share()?, self.share()?]];
        let corner = |choose: fn(f32, f32) -> f32| {
            [
                choose(corners[0][0], corners[1][0]) * width,
                choose(corners[0][1], corners[1][1]) * height,
            ]
        };
        Ok(Respawn {
            by: self.kinds()?,
            within: self.length()?,
            low: corner(f32::min),
            high: corner(f32::max),
            speed: self.distance()?,
        })
    }

    fn weight(&mut self) -> Result<Weight> {
        Ok(match self.u.int_in_range(0..=5)? {
            0 => Weight::Sine {
                mean: self.number()?,
                amplitude: self.number()?,
                period: self.period()?,
            },
            1 => Weight::Drawn { low: self.number()?, high: self.number()? },
            2 => {
                Weight::Noise { low: self.number()?, high: self.number()?, period: self.period()? }
            }
            _ => Weight::Steady(self.number()?),
        })
    }

    fn rule(&mut self) -> Result<Rule> {
        let urge = match self.u.int_in_range(0..=6)? {
            0 => Urge::Separation,
            1 => Urge::Alignment,
            2 => Urge::Cohesion,
            3 => Urge::Gather { beyond: self.distance()? },
            4 => Urge::View,
            5 => Urge::Flee { fading: self.u.arbitrary()? },
            _ => Urge::Hunt,
        };
        let rule = Rule::new(urge, self.length()?, self.weight()?).hearing(self.kinds()?);
        Ok(match self.u.int_in_range(0..=3)? {
            0 => rule.seeing(*self.u.choose(&[1e-30, 90.0, 180.0, 270.0, 359.0, 360.0])?),
            1 => rule.seeing(self.share()? * 360.0),
            _ => rule,
        })
    }

    fn target(&mut self) -> Result<Target> {
        Ok(match self.u.int_in_range(0..=3)? {
            0 => Target::Point(self.point()?),
            1 => Target::Orbit {
                centre: self.point()?,
                radius: self.length()?,
                period: self.period()?,
            },
            2 => Target::Body(self.id()?),
            _ => Target::Nearest(self.kinds()?),
        })
    }

    fn behaviour(&mut self) -> Result<Behaviour> {
        let drive = match self.u.int_in_range(0..=11)? {
            0 => Drive::Seek { target: self.target()? },
            1 => Drive::Arrive { target: self.target()?, slowing: self.length()? },
            2 => Drive::Flee {
                target: self.target()?,
                range: self.distance()?,
                fading: self.u.arbitrary()?,
            },
            3 => Drive::Pursue { target: self.target()?, look_ahead: self.distance()? },
            4 => Drive::Evade {
                target: self.target()?,
                range: self.distance()?,
                look_ahead: self.distance()?,
            },
            5 => Drive::OffsetPursuit {
                target: self.target()?,
                offset: self.vector()?,
                slowing: self.length()?,
                look_ahead: self.distance()?,
            },
            6 => Drive::FollowLeader {
                target: self.target()?,
                behind: self.distance()?,
                clearance: self.distance()?,
                slowing: self.length()?,
            },
            7 => Drive::Wander {
                distance: self.length()?,
                radius: self.length()?,
                period: self.period()?,
            },
            8 => Drive::Contain { margin: self.length()? },
            9 => Drive::Avoid { look_ahead: self.distance()?, clearance: self.distance()? },
            10 => Drive::FollowFlow { flow: self.index(self.flows)? },
            _ => Drive::FollowPath { path: self.index(self.paths)?, look_ahead: self.distance()? },
        };
        Ok(drive.weighing(self.weight()?))
    }

    // ---- Scenery

    fn cells(&mut self) -> Result<[u16; 2]> {
        Ok([self.u.int_in_range(1..=8)?, self.u.int_in_range(1..=8)?])
    }

    fn noise(&mut self) -> Result<Noise> {
        let density = if self.u.arbitrary()? { self.positive()? } else { self.share()? + 1e-3 };
        let period = if self.u.arbitrary()? { 0 } else { self.period()? };
        Ok(Noise { density, period, stream: self.u.arbitrary()? })
    }

    fn flow(&mut self) -> Result<Field<Flow>> {
        let cells = self.cells()?;
        let count = usize::from(cells[0] * cells[1]);
        let values = match self.u.int_in_range(0..=4)? {
            0 => Flow::Uniform(self.vector()?),
            1 => Flow::Swirl { centre: self.point()? },
            2 => Flow::Random { stream: self.u.arbitrary()? },
            3 => Flow::Noise(self.noise()?),
            _ => Flow::Listed(self.times(count, Self::vector)?),
        };
        Ok(Field { cells, values })
    }

    fn soil(&mut self) -> Result<Field<Soil>> {
        let cells = self.cells()?;
        let count = usize::from(cells[0] * cells[1]);
        let values = match self.u.arbitrary()? {
            true => Soil::Noise(self.noise()?),
            false => Soil::Listed(self.times(count, Self::share)?),
        };
        Ok(Field { cells, values })
    }

    fn path(&mut self) -> Result<Path> {
        let mut points = vec![self.point()?];
        for _ in 0..self.u.int_in_range(1..=6)? {
            let last = points[points.len() - 1];
            points.push(if self.u.ratio(1, 4)? { last } else { self.point()? });
        }
        Ok(Path { points, radius: self.distance()?, closed: self.u.arbitrary()? })
    }

    // ---- Bodies and changes

    fn spawn(&mut self) -> Result<Spawn> {
        let gait = if self.u.ratio(1, 8)? { Some(self.gait()?) } else { None };
        let (position, velocity) = self.motion()?;
        Ok(Spawn { position, velocity, kind: self.index(self.kinds)?, gait })
    }

    fn motion(&mut self) -> Result<([f32; 2], [f32; 2])> {
        let velocity = if self.u.ratio(1, 4)? { [0.0, 0.0] } else { self.vector()? };
        Ok((self.point()?, velocity))
    }

    fn change(&mut self) -> Result<Change> {
        Ok(match self.u.int_in_range(0..=5)? {
            0 => Change::Add(self.spawn()?),
            1 => Change::Remove(self.id()?),
            2 => Change::Kind(self.id()?, self.index(self.kinds)?),
            3 => {
                let id = self.id()?;
                let (position, velocity) = self.motion()?;
                Change::Motion(id, position, velocity)
            }
            4 => Change::Gait(self.id()?, self.gait()?),
            _ => Change::Config(Box::new(self.config()?)),
        })
    }
}

impl Change {
    fn apply(&self, flock: &mut Flock) -> flockstep::Result<()> {
        match self {
            Self::Add(spawn) => flock.add(*spawn).map(drop),
            Self::Remove(id) => flock.remove(*id).map(drop),
            Self::Kind(id, kind) => flock.set_kind(*id, *kind),
            Self::Motion(id, position, velocity) => flock.set_motion(*id, *position, *velocity),
            Self::Gait(id, gait) => flock.set_gait(*id, *gait),
            Self::Config(config) => flock.set_config((**config).clone()),
        }
    }
}

/// A body anywhere in the world, by SplitMix64.
fn strewn(config: &Config, state: &mut u64) -> Spawn {
    let mut unit = || {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z >> 40) as f32 / 16_777_216.0
    };
    let [width, height] = config.world.size;
    let position = [unit() * width, unit() * height];
    let kind = (unit() * config.kinds.len() as f32) as u8;
    let speed = config.kinds[usize::from(kind)].gait.max_speed;
    let velocity = [unit() * speed, unit() * speed - speed / 2.0];
    Spawn { position, velocity, kind, gait: None }
}

fn assert_same(flock: &Flock, wanted: &[Body]) {
    assert_eq!(flock.len(), wanted.len());
    for (found, wanted) in flock.iter().zip(wanted) {
        let bits = |body: &Body| [body.position, body.velocity].map(|v| v.map(f32::to_bits));
        assert_eq!(bits(&found), bits(wanted), "{found:?} should be {wanted:?}");
        let values = found.position.into_iter().chain(found.velocity);
        assert!(values.into_iter().all(f32::is_finite), "{found:?}");
    }
}

fuzz_target!(|input: Input| {
    let Ok(mut flock) = Flock::new(input.config) else { return };
    flock.set_parallel_from(1);
    for spawn in input.bodies {
        let _refused = flock.add(spawn);
    }
    let mut state = flock.config().seed;
    for _ in 0..input.strewn {
        let _refused = flock.add(strewn(flock.config(), &mut state));
    }
    for changes in &input.changes {
        // What was restored has nothing that the other might keep from tick to tick.
        let saved = flock.snapshot();
        let mut fresh = Flock::restore(&saved).expect("a saved state always loads again");
        assert_eq!(fresh.snapshot(), saved);
        let mut slow: Vec<Body> = flock.iter().collect();
        let wanted = reference::tick(flock.config(), flock.tick_number(), &mut slow, &[]);
        assert_eq!(flock.tick_counted().neighbours, wanted.neighbours);
        assert_same(&flock, &slow);
        fresh.tick();
        assert_same(&fresh, &slow);
        for change in changes {
            let before = flock.snapshot();
            if change.apply(&mut flock).is_err() {
                assert_eq!(flock.snapshot(), before, "a refused call changes nothing");
            }
        }
    }
    let again = Flock::restore(&flock.snapshot()).expect("a saved state always loads again");
    assert_eq!(again.state_hash(), flock.state_hash());
});
