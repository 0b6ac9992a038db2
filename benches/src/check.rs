//! Checks an engine's answers before its time is taken.

use crate::rivals::herd::Herd;
use crate::rivals::search::{Fused, Search, Searching};
use crate::rivals::{Answer, Entry, Rival, Walker, all};
use flockstep::{Edge, Flock, Neighbours, Spawn, World};

/// How many ticks are compared.
const TICKS: u32 = 3;

/// How far from the kernel's a number may be after one tick from one state, where sums are in
/// another order. Bodies are within 16 of their neighbours and walk 2.4 a tick.
const TOLERANCE: f32 = 1e-3;

/// Runs the engine for a few ticks from this crowd and compares, at each of them, whom every body
/// hears and where the tick takes it.
///
/// Each tick starts from the engine's own state, so that a difference that is allowed does not
/// grow into one that is not.
///
/// # Errors
/// What differs first: tick, body, and both values.
pub fn check(entry: &Entry, crowd: &Flock) -> Result<(), String> {
    let mut engine = (entry.build)(crowd);
    for tick in 0..TICKS {
        let said = |what| format!("tick {tick}: {what}");
        let before = placed(crowd, &engine.state());
        compare_neighbours(&before, engine.as_mut()).map_err(said)?;
        engine.tick();
        let found = engine.state();
        for yardstick in yardsticks(entry.answer, &before) {
            compare_states(&yardstick, &found, entry.answer).map_err(said)?;
        }
    }
    if entry.answer == Answer::Canonical {
        compare_hashes(crowd, &engine.state())?;
    }
    engine.rewind();
    let same = compare_states(&(entry.build)(crowd).state(), &engine.state(), Answer::Canonical);
    same.map_err(|what| format!("put back, {what}"))
}

/// A flock like this one with its bodies somewhere else.
fn placed(flock: &Flock, walkers: &[Walker]) -> Flock {
    let mut placed = Flock::new(flock.config().clone()).expect("it is a flock's configuration");
    placed.set_level(flock.level()).expect("a flock has it");
    let spawn = |walker: &Walker| Spawn::new(walker.position, walker.velocity);
    let spawns: Vec<Spawn> = walkers.iter().map(spawn).collect();
    placed.add_all(&spawns).expect("an engine keeps its bodies between the walls");
    placed
}

/// The state one tick later. For the canonical order by two engines that share no code, so that
/// neither is compared only with itself.
fn yardsticks(answer: Answer, before: &Flock) -> Vec<Vec<Walker>> {
    let after = |mut engine: Box<dyn Rival>| {
        engine.tick();
        engine.state()
    };
    let named = |name| {
        let entry = all().iter().find(|entry| entry.name == name);
        after((entry.expect("the table has it").build)(before))
    };
    match answer {
        Answer::Canonical => vec![named("flockstep"), named("buckets-lean")],
        Answer::ById => {
            vec![after(Box::new(Searching::<_, Fused>::new(before, KernelsById::new)))]
        }
        Answer::OwnOrder => vec![named("flockstep")],
    }
}

/// The kernel's neighbours in ascending order.
struct KernelsById {
    near: Neighbours,
    found: Vec<u32>,
}

impl KernelsById {
    fn new(herd: &Herd) -> Self {
        let world = World::new(herd.size[0], herd.size[1], Edge::Walls);
        let near = Neighbours::new(world, herd.radius).expect("a flock has it");
        Self { near, found: Vec::new() }
    }
}

impl Search for KernelsById {
    fn build(&mut self, herd: &Herd) {
        let positions: Vec<_> = herd.walkers.iter().map(|walker| walker.position).collect();
        self.near.build(&positions).expect("the bodies are between the walls");
    }

    fn near(&mut self, _herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        self.found.clear();
        self.near.of_body(i as u32, |neighbour| self.found.push(neighbour.index));
        self.found.sort_unstable();
        self.found.iter().for_each(|&j| visit(j as usize));
    }
}

fn compare_neighbours(before: &Flock, engine: &mut dyn Rival) -> Result<(), String> {
    let herd = Herd::new(before);
    let mut wanted = KernelsById::new(&herd);
    wanted.build(&herd);
    let (mut body, mut outcome) = (0, Ok(()));
    engine.neighbours(&mut |found| {
        if outcome.is_ok() && body < herd.walkers.len() {
            wanted.near(&herd, body, |_| ());
            if wanted.found != found {
                outcome =
                    Err(format!("body {body} hears {found:?}, the kernel {:?}", wanted.found));
            }
        }
        body += 1;
    });
    match outcome {
        Ok(()) if body != herd.walkers.len() => {
            Err(format!("it has neighbours of {body} bodies of {}", herd.walkers.len()))
        }
        outcome => outcome,
    }
}

fn compare_states(wanted: &[Walker], found: &[Walker], answer: Answer) -> Result<(), String> {
    let numbers = |walker: &Walker| {
        let ([x, y], [vx, vy]) = (walker.position, walker.velocity);
        [x, y, vx, vy]
    };
    let same = |wanted: f32, found: f32| match answer {
        Answer::Canonical | Answer::ById => wanted.to_bits() == found.to_bits(),
        Answer::OwnOrder => (wanted - found).abs() <= TOLERANCE,
    };
    if wanted.len() != found.len() {
        return Err(format!("it has {} bodies of {}", found.len(), wanted.len()));
    }
    for (body, (wanted, found)) in wanted.iter().zip(found).enumerate() {
        if !numbers(wanted).into_iter().zip(numbers(found)).all(|(w, f)| same(w, f)) {
            return Err(format!("body {body} has {found:?}, wanted is {wanted:?}"));
        }
    }
    Ok(())
}

fn compare_hashes(crowd: &Flock, found: &[Walker]) -> Result<(), String> {
    let mut flock = crowd.clone();
    for _ in 0..TICKS {
        flock.tick();
    }
    let (wanted, found) = (flock.state_hash(), placed(crowd, found).state_hash());
    if wanted == found {
        return Ok(());
    }
    Err(format!("its state hash is {found:016x} after {TICKS} ticks, the kernel's {wanted:016x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::{Crowd, Density, Placement};
    use crate::rivals::everybody::Everybody;
    use flockstep::Config;

    #[track_caller]
    fn check_all(crowd: &Flock, what: &str) {
        for entry in all() {
            if let Err(difference) = check(entry, crowd) {
                panic!("{} at {what}: {difference}", entry.name);
            }
        }
    }

    #[test]
    fn every_engine_gives_its_answer() {
        for bodies in [1, 2, 32, 128, 512, 2048] {
            for density in Density::ALL {
                for placement in Placement::ALL {
                    let crowd = Crowd { bodies, density, placement };
                    check_all(&crowd.settled(), &format!("{crowd:?}"));
                }
            }
        }
    }

    /// A walled flock like the crowds', with these bodies at rest.
    fn at_rest(side: f32, places: &[[f32; 2]]) -> Flock {
        let kind = Crowd::new(1).flock().config().kinds[0].clone();
        let world = World::new(side, side, Edge::Walls);
        let mut flock = Flock::new(Config::new(world, kind)).unwrap();
        let spawns: Vec<Spawn> = places.iter().map(|&p| Spawn::new(p, [0.0; 2])).collect();
        flock.add_all(&spawns).unwrap();
        flock
    }

    #[test]
    fn every_engine_knows_bodies_on_one_spot_and_in_corners() {
        let mut places = vec![[40.0, 40.0]; 70];
        places.extend([[0.0, 0.0], [0.0, 100.0], [100.0, 0.0], [100.0, 100.0], [56.0, 40.0]]);
        check_all(&at_rest(100.0, &places), "one spot");
    }

    #[test]
    fn every_engine_measures_exactly_at_the_radius() {
        // Offsets that round to the radius, from either side, on and off the lines between cells.
        let mut places = Vec::new();
        for x in [16.0_f32, 16.25, 32.0, 48.0, 50.0] {
            for near in [x - 16.0, (x - 16.0).next_up(), (x - 16.0).next_down().max(0.0)] {
                let row = places.len() as f32 * 20.0;
                places.extend([[x, row], [near, row]]);
            }
        }
        check_all(&at_rest(1000.0, &places), "the radius");
    }

    #[test]
    fn engines_that_add_by_index_agree_with_each_other() {
        let crowd = Crowd::new(512).settled();
        let by_id = all().iter().filter(|entry| entry.answer == Answer::ById);
        let states: Vec<_> = by_id
            .map(|entry| {
                let mut engine = (entry.build)(&crowd);
                (0..50).for_each(|_| engine.tick());
                engine.state()
            })
            .collect();
        assert_eq!(states.len(), 3);
        for state in &states[1..] {
            compare_states(&states[0], state, Answer::ById).unwrap();
        }
    }

    /// The double loop with a fault.
    struct Faulty {
        misses: Option<(usize, usize)>,
        backwards: bool,
    }

    impl Search for Faulty {
        fn build(&mut self, _herd: &Herd) {}

        fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
            let mut found = Vec::new();
            Everybody.near(herd, i, |j| found.push(j));
            if self.backwards {
                found.reverse();
            }
            for j in found.into_iter().filter(|&j| self.misses != Some((i, j))) {
                visit(j);
            }
        }
    }

    fn difference(build: fn(&Flock) -> Box<dyn Rival>, answer: Answer) -> String {
        let entry = Entry { build, answer, ..all()[0] };
        check(&entry, &Crowd::new(128).settled()).expect_err("a fault is found")
    }

    #[test]
    fn a_missed_neighbour_is_named() {
        for answer in [Answer::Canonical, Answer::ById, Answer::OwnOrder] {
            let said = difference(
                |flock| {
                    let first = |i| {
                        let mut found = None;
                        Everybody.near(&Herd::new(flock), i, |j| found = found.or(Some(j)));
                        found.map(|j| (i, j))
                    };
                    let misses = (0..flock.len()).find_map(first);
                    let faulty = Faulty { misses, backwards: false };
                    Box::new(Searching::<_, Fused>::new(flock, |_| faulty))
                },
                answer,
            );
            assert!(said.starts_with("tick 0: body ") && said.contains(" hears ["), "{said}");
        }
    }

    #[test]
    fn sums_in_another_order_are_told_from_the_right_ones() {
        fn backwards(flock: &Flock) -> Box<dyn Rival> {
            let faulty = Faulty { misses: None, backwards: true };
            Box::new(Searching::<_, Fused>::new(flock, |_| faulty))
        }
        for answer in [Answer::Canonical, Answer::ById] {
            let said = difference(backwards, answer);
            assert!(said.contains("wanted is Walker { position: ["), "{said}");
        }
        let entry = Entry { build: backwards, answer: Answer::OwnOrder, ..all()[0] };
        check(&entry, &Crowd::new(128).settled()).unwrap();
    }
}
