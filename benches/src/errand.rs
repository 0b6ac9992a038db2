//! Crowds that do one thing each, to time it by itself.

use crate::crowd::{Crowd, RADIUS, SETTLED};
use flockstep::{
    Config, Drive, Field, Flock, Flow, Gait, Ground, Kind, Kinds, Noise, Obstacle, Path, Respawn,
    Rule, Soil, Spread, Target, Urge, Weight,
};

/// What a crowd does, and what that is called.
#[derive(Clone, Copy)]
pub struct Errand {
    /// What it is called.
    pub name: &'static str,
    set: fn(&mut Config),
}

/// How many bodies of the second kind there are at most: leaders, threats, targets.
const FEW: usize = 8;

impl Errand {
    /// Every rule, every behaviour, and some of them together.
    pub const ALL: [Self; 29] = [
        Self { name: "nothing", set: |_| {} },
        Self { name: "herd", set: |config| config.kinds[0].rules = herd() },
        Self { name: "herd, one by one", set: |config| config.kinds[0].rules = one_by_one() },
        Self { name: "separation", set: |config| rule(config, Urge::Separation, 270.0) },
        Self { name: "alignment", set: |config| rule(config, Urge::Alignment, 270.0) },
        Self { name: "cohesion", set: |config| rule(config, Urge::Cohesion, 270.0) },
        Self { name: "gather", set: |config| rule(config, Urge::Gather { beyond: 8.0 }, 360.0) },
        Self { name: "view", set: |config| rule(config, Urge::View, 120.0) },
        Self { name: "flee rule", set: |config| rule(config, Urge::Flee { fading: true }, 360.0) },
        Self { name: "hunt", set: |config| rule(config, Urge::Hunt, 360.0) },
        Self { name: "respawn", set: respawn },
        Self { name: "spread", set: |config| config.kinds[0].spread = Some(SPREAD) },
        Self { name: "ground", set: ground },
        Self { name: "drawn weights", set: |config| weigh(config, DRAWN) },
        Self { name: "noisy weights", set: |config| weigh(config, NOISY) },
        Self { name: "seek", set: |config| drive(config, Drive::Seek { target: FIXED }) },
        Self { name: "seek nearest", set: |config| drive(config, Drive::Seek { target: NEAREST }) },
        Self {
            name: "arrive",
            set: |config| drive(config, Drive::Arrive { target: FIXED, slowing: 100.0 }),
        },
        Self {
            name: "flee",
            set: |config| drive(config, Drive::Flee { target: FIXED, range: 500.0, fading: true }),
        },
        Self {
            name: "pursue",
            set: |config| drive(config, Drive::Pursue { target: BODY, look_ahead: 50.0 }),
        },
        Self {
            name: "evade",
            set: |config| {
                drive(config, Drive::Evade { target: BODY, range: 500.0, look_ahead: 50.0 });
            },
        },
        Self {
            name: "offset pursuit",
            set: |config| {
                let (offset, slowing, look_ahead) = ([-20.0, 10.0], 40.0, 20.0);
                drive(config, Drive::OffsetPursuit { target: BODY, offset, slowing, look_ahead });
            },
        },
        Self {
            name: "follow leader",
            set: |config| {
                let (behind, clearance, slowing) = (20.0, 30.0, 40.0);
                drive(config, Drive::FollowLeader { target: BODY, behind, clearance, slowing });
            },
        },
        Self {
            name: "wander",
            set: |config| drive(config, Drive::Wander { distance: 6.0, radius: 4.0, period: 20 }),
        },
        Self { name: "contain", set: |config| drive(config, Drive::Contain { margin: 60.0 }) },
        Self { name: "avoid", set: avoid },
        Self { name: "follow flow", set: flow },
        Self { name: "follow path", set: path },
        Self { name: "everything", set: everything },
    ];

    /// A crowd of this many bodies on this errand, at tick 0. All but a few are of kind 0.
    pub fn flock(&self, bodies: usize) -> Flock {
        let mut flock = Crowd::new(bodies).flock();
        let mut config = flock.config().clone();
        let Gait { max_speed, max_force } = config.kinds[0].gait;
        config.kinds = vec![Kind::new(Gait::new(max_speed, max_force)); 2];
        (self.set)(&mut config);
        flock.set_config(config).expect("every errand is allowed");
        for id in (0..bodies as u32).step_by(bodies / FEW) {
            flock.set_kind(id, 1).expect("there are two kinds");
        }
        flock
    }

    /// The same a few ticks later.
    pub fn settled(&self, bodies: usize) -> Flock {
        let mut flock = self.flock(bodies);
        (0..SETTLED).for_each(|_| flock.tick());
        flock
    }
}

const FIXED: Target = Target::Point([300.0, 200.0]);
const BODY: Target = Target::Body(0);
const NEAREST: Target = Target::Nearest(Kinds::only(1));
const SPREAD: Spread = Spread { max_speed: 0.3, max_force: 0.3, look_ahead: 0.3 };
const DRAWN: Weight = Weight::Drawn { low: 0.5, high: 1.5 };
const NOISY: Weight = Weight::Noise { low: 0.5, high: 1.5, period: 60 };

fn herd() -> Vec<Rule> {
    vec![Rule::separation(RADIUS, 1.6), Rule::alignment(RADIUS, 1.0), Rule::cohesion(RADIUS, 0.9)]
}

/// The same with views, so that each rule is heard by itself.
fn one_by_one() -> Vec<Rule> {
    herd().into_iter().map(|rule| rule.seeing(270.0)).collect()
}

fn rule(config: &mut Config, urge: Urge, view: f32) {
    config.kinds[0].rules = vec![Rule::new(urge, RADIUS, 1.0).seeing(view)];
}

fn drive(config: &mut Config, drive: Drive) {
    config.kinds[0].behaviours.push(drive.weighing(1.0));
}

fn weigh(config: &mut Config, weight: Weight) {
    config.kinds[0].rules = vec![Rule::separation(RADIUS, weight)];
}

fn respawn(config: &mut Config) {
    let (low, high) = ([0.0, 0.0], config.world.size);
    let by = Kinds::only(1);
    config.kinds[0].respawn = Some(Respawn { by, within: RADIUS, low, high, speed: 1.0 });
}

fn ground(config: &mut Config) {
    let noise = Noise { density: 0.1, period: 0, stream: 0 };
    config.scenery.grounds = vec![Field { cells: [64, 64], values: Soil::Noise(noise) }];
    let (max_speed, max_force) = ([1.0, 4.0], [0.2, 0.1]);
    config.kinds[0].ground = Some(Ground { field: 0, max_speed, max_force });
}

fn flow(config: &mut Config) {
    let noise = Noise { density: 0.1, period: 200, stream: 0 };
    config.scenery.flows = vec![Field { cells: [64, 64], values: Flow::Noise(noise) }];
    drive(config, Drive::FollowFlow { flow: 0 });
}

fn avoid(config: &mut Config) {
    let [width, height] = config.world.size;
    let centre = |k: u8| [width * f32::from(k) / 9.0, height * f32::from(k % 3 + 1) / 4.0];
    let disc = |k| Obstacle { centre: centre(k), radius: 30.0 };
    config.scenery.obstacles = (1..9).map(disc).collect();
    drive(config, Drive::Avoid { look_ahead: 60.0, clearance: 5.0 });
}

fn path(config: &mut Config) {
    let [width, height] = config.world.size;
    let corners = [[0.1, 0.1], [0.9, 0.2], [0.8, 0.9], [0.5, 0.6], [0.1, 0.8]];
    let points = corners.map(|[x, y]| [x * width, y * height]).to_vec();
    config.scenery.paths = vec![Path { points, radius: 40.0, closed: true }];
    drive(config, Drive::FollowPath { path: 0, look_ahead: 30.0 });
}

fn everything(config: &mut Config) {
    path(config);
    avoid(config);
    flow(config);
    ground(config);
    let threat = Rule::new(Urge::Flee { fading: true }, RADIUS, 2.5).hearing(Kinds::only(1));
    let view = Rule::new(Urge::View, RADIUS, 0.5).seeing(120.0);
    config.kinds[0].rules = one_by_one();
    config.kinds[0].rules.extend([view, threat]);
    config.kinds[1].rules = vec![Rule::new(Urge::Hunt, RADIUS, 1.0).hearing(Kinds::only(0))];
    drive(config, Drive::Wander { distance: 6.0, radius: 4.0, period: 20 });
    drive(config, Drive::Contain { margin: 14.0 });
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockstep::Engine;

    #[test]
    fn every_errand_moves_the_crowd_as_the_reference_says() {
        let mut hashes = Vec::new();
        for errand in Errand::ALL {
            let (mut fast, mut slow) = (errand.flock(512), errand.flock(512));
            slow.set_engine(Engine::Everybody);
            for _ in 0..5 {
                fast.tick();
                slow.tick();
                assert_eq!(fast.state_hash(), slow.state_hash(), "{}", errand.name);
            }
            hashes.push(fast.state_hash());
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), Errand::ALL.len(), "no two errands are the same");
    }
}
