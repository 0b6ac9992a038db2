//! Any world, rules and bodies: either they are refused by name, or the fast path equals the
//! reference at every body and tick, everything stays finite, and a snapshot loads again.
#![no_main]

use arbitrary::Arbitrary;
use flockstep::{Behaviour, Body, Config, Edge, Flock, Gait, Kind, Rule, Spawn, World, reference};
use libfuzzer_sys::fuzz_target;

/// Numbers of every size, small ones more often.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Number {
    Quarters(i16),
    Power(i8),
    Bits(u32),
}

impl Number {
    fn value(self) -> f32 {
        match self {
            Self::Quarters(n) => f32::from(n) / 4.0,
            Self::Power(exponent) => {
                let two: f32 = if exponent < 0 { 0.5 } else { 2.0 };
                (0..exponent.unsigned_abs()).fold(1.0, |power, _| power * two)
            }
            Self::Bits(bits) => f32::from_bits(bits),
        }
    }

    /// A number that a configuration mostly allows.
    fn positive(self) -> f32 {
        let value = self.value().abs();
        if value > 0.0 { value } else { 1.0 }
    }
}

#[derive(Arbitrary, Clone, Debug)]
enum Push {
    Wander(Number, Number, Number, u8),
    Contain(Number, Number),
}

#[derive(Arbitrary, Clone, Debug)]
struct Sort {
    gait: [Number; 2],
    rules: [Option<[Number; 2]>; 3],
    pushes: Vec<Push>,
}

#[derive(Arbitrary, Clone, Debug)]
struct Input {
    size: [Number; 2],
    edges: [u8; 2],
    dt: Number,
    seed: u64,
    sorts: Vec<Sort>,
    bodies: Vec<([Number; 4], u8, Option<[Number; 2]>)>,
    /// More bodies, anywhere in the world; their number is what a short input can hold too.
    strewn: u8,
    /// Which bodies leave after the first tick.
    leaving: Vec<u8>,
    ticks: u8,
}

fn kind(sort: &Sort) -> Kind {
    let [separation, alignment, cohesion] =
        sort.rules.map(|rule| rule.map(|[r, w]| Rule::new(r.positive(), w.value())));
    let push = |push: &Push| match *push {
        Push::Wander(weight, distance, radius, period) => Behaviour::Wander {
            weight: weight.value(),
            distance: distance.positive(),
            radius: radius.positive(),
            period: period.into(),
        },
        Push::Contain(weight, margin) => {
            Behaviour::Contain { weight: weight.value(), margin: margin.positive() }
        }
    };
    Kind {
        gait: Gait::new(sort.gait[0].positive(), sort.gait[1].positive()),
        separation,
        alignment,
        cohesion,
        behaviours: sort.pushes.iter().map(push).collect(),
    }
}

fn config(input: &Input) -> Config {
    let edge = |code: u8| [Edge::Walls, Edge::Torus, Edge::Open][usize::from(code % 3)];
    Config {
        world: World { size: input.size.map(Number::positive), edges: input.edges.map(edge) },
        dt: input.dt.positive(),
        seed: input.seed,
        kinds: input.sorts.iter().map(kind).collect(),
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
    let speed = config.kinds[0].gait.max_speed;
    Spawn::new([unit() * width, unit() * height], [unit() * speed, unit() * speed - speed / 2.0])
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
    if input.bodies.len() > 300 || input.sorts.len() > 33 {
        return;
    }
    let Ok(mut flock) = Flock::new(config(&input)) else { return };
    flock.set_parallel_from(1);
    for (motion, kind, gait) in &input.bodies {
        let [x, y, vx, vy] = motion.map(Number::value);
        let gait = gait.map(|[speed, force]| Gait::new(speed.positive(), force.positive()));
        let kind = *kind;
        let _refused = flock.add(Spawn { position: [x, y], velocity: [vx, vy], kind, gait });
    }
    let mut state = input.seed;
    for _ in 0..input.strewn {
        let _refused = flock.add(strewn(flock.config(), &mut state));
    }
    let mut slow: Vec<Body> = flock.iter().collect();
    for tick in 0..input.ticks % 8 {
        let counts = flock.tick_counted();
        let wanted = reference::tick(flock.config(), tick.into(), &mut slow, &[]);
        assert_eq!(counts.neighbours, wanted.neighbours);
        assert_same(&flock, &slow);
        if tick == 0 {
            let leaving = |id: u32| input.leaving.contains(&(id as u8));
            flock.retain(|body| !leaving(body.id));
            slow.retain(|body| !leaving(body.id));
        }
    }
    let again = Flock::restore(&flock.snapshot()).expect("a saved state always loads again");
    assert_eq!(again.state_hash(), flock.state_hash());
});
