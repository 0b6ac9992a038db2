use super::*;
use flockstep::{Drive, Field, Flow, Kinds, Noise, Soil, Spread, Target, Urge, Weight};

fn parse(text: &str) -> Outcome<Scene> {
    Scene::parse("test.toml", text, Path::new("."))
}

#[track_caller]
fn parsed(text: &str) -> Scene {
    parse(text).unwrap()
}

#[track_caller]
fn refused(text: &str) -> String {
    match parse(text).and_then(|scene| scene.play()) {
        Err(Fault::Input(why)) => why,
        other => panic!("{other:?} should be refused"),
    }
}

/// Each edit of a scene must be refused with these words, on one line.
#[track_caller]
fn refuses(scene: &str, edits: &[(&str, &str, &str)]) {
    let mut missing = Vec::new();
    for (from, to, wanted) in edits {
        assert!(scene.contains(from), "{from:?} is not in the scene");
        let why = refused(&scene.replacen(from, to, 1));
        if !why.contains(wanted) || why.contains('\n') {
            missing.push(format!("{to:?}: {why:?} lacks {wanted:?}, or is not one line"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Uses every key.
const SCENE: &str = r#"
about = "everything"
from = "Exercise 5.16"
seed = 9
ticks = 50
dt = 0.5
radius = 20
[picture]
trails = 3
[world]
size = [100, 60]
edges = ["torus", "walls"]
[[kind]]
name = "boid"
count = 5
gait = { max_speed = [1, 3], max_force = 0.3, look_ahead_spread = 0.2 }
rules = [
    { separation = { radius = 10, weight = 1.6 } },
    { alignment = { radius = 11, hears = "boid", field_of_view = 120 } },
    { cohesion = { radius = 12, weight = { sine = { mean = 1, amplitude = 2, period = 30 } } } },
    { gather = { radius = 13, beyond = 4, weight = { drawn = [0, 2] } } },
    { view = { radius = 14, weight = { noise = { low = 0, high = 2, period = 9 } } } },
    { flee = { radius = 15, fading = true, hears = ["hawk", "stone"] } },
    { hunt = { radius = 16, hears = "all" } },
]
behaviours = [
    { seek = { target = [4, 5] } },
    { arrive = { target = { body = 3 }, slowing = 8 } },
    { flee = { target = { nearest = "hawk" }, range = 9, fading = true } },
    { pursue = { target = { orbit = { centre = [5, 6], radius = 7, period = 8 } }, look_ahead = 9 } },
    { evade = { target = { nearest = ["hawk"] }, range = 9, look_ahead = 3 } },
    { offset_pursuit = { target = { body = 1 }, offset = [-3, 4], slowing = 5, look_ahead = 6 } },
    { follow_leader = { target = { body = 1 }, behind = 3, clearance = 4, slowing = 5 } },
    { wander = { weight = 0.5, distance = 1, radius = 2, period = 20 } },
    { contain = { margin = 7 } },
    { avoid = { look_ahead = 8, clearance = 1 } },
    { follow_flow = { flow = "wind" } },
    { follow_path = { path = "river", look_ahead = 30 } },
]
ground = { field = "mud", max_speed = [1, 4], max_force = 0.2 }
respawn = { by = "hawk", within = 3, low = [5, 5], high = [50, 40], speed = 2 }
[[kind]]
name = "hawk"
count = 2
gait = { max_speed = 2, max_force = [0.1, 0.3] }
place.normal = { centre = [50, 30], deviation = [9, 4] }
[[kind]]
name = "stone"
count = 0
gait = { max_speed = 1, max_force = 1 }
[[flow]]
name = "wind"
cells = [4, 2]
values.noise = { density = 0.3, period = 100, stream = 7 }
[[flow]]
name = "drift"
values.uniform = [1, 0]
[[flow]]
name = "swirl"
cell = 9
values = "swirl"
[[flow]]
name = "dice"
cell = 10
values = "random"
[[flow]]
name = "listed"
cells = [2, 1]
values.list = [[1, 0], [0, 1]]
[[ground]]
name = "mud"
cells = [3, 2]
values.list = [0, 0.5, 1, 1, 0, 0]
[[ground]]
name = "hills"
cell = 5
values.noise = { density = 0.1 }
[[path]]
name = "river"
points = [[0, 0], [50, 30], [90, 10]]
radius = 4
closed = true
[[obstacle]]
centre = [20, 20]
radius = 3
"#;

#[test]
fn every_key_reaches_the_configuration() {
    let scene = parsed(SCENE);
    assert_eq!((scene.about.as_str(), scene.from.as_str()), ("everything", "Exercise 5.16"));
    assert_eq!((scene.ticks, scene.radius, scene.look.trails), (50, 20.0, 3));
    let Config { dt, seed, kinds, scenery, .. } = &scene.config;
    assert_eq!((*dt, *seed, kinds.len()), (0.5, 9, 3));
    let [boid, hawk, _] = &kinds[..] else { unreachable!() };
    assert_eq!(boid.gait, flockstep::Gait::new(2.0, 0.3));
    let spread = Spread { max_speed: 0.5, max_force: 0.0, look_ahead: 0.2 };
    assert_eq!(boid.spread, Some(spread));
    assert_eq!(hawk.spread, Some(Spread { max_force: 0.5, ..Spread::default() }));
    assert_eq!(kinds[2].spread, None, "without a pair nothing is drawn");

    let names: Vec<&str> = boid.rules.iter().map(|rule| rule.urge.name()).collect();
    assert_eq!(names, Urge::NAMES, "every rule is there");
    let radii: Vec<f32> = boid.rules.iter().map(|rule| rule.radius).collect();
    assert_eq!(radii, [10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]);
    let heard: Vec<Kinds> = boid.rules.iter().map(|rule| rule.hears).collect();
    assert_eq!(heard[1], Kinds::only(0));
    assert_eq!(heard[5], Kinds::only(1).and(2));
    assert!([0, 2, 3, 4, 6].iter().all(|&rule: &usize| heard[rule] == Kinds::ALL));
    assert_eq!([boid.rules[0].field_of_view, boid.rules[1].field_of_view], [360.0, 120.0]);
    assert_eq!(boid.rules[1].weight, Weight::Steady(1.0));
    assert_eq!(boid.rules[2].weight, Weight::Sine { mean: 1.0, amplitude: 2.0, period: 30 });
    assert_eq!(boid.rules[3].weight, Weight::Drawn { low: 0.0, high: 2.0 });
    assert_eq!(boid.rules[4].weight, Weight::Noise { low: 0.0, high: 2.0, period: 9 });
    assert_eq!(boid.rules[3].urge, Urge::Gather { beyond: 4.0 });
    assert_eq!(boid.rules[5].urge, Urge::Flee { fading: true });

    let drives: Vec<Drive> = boid.behaviours.iter().map(|it| it.drive).collect();
    let orbit = Target::Orbit { centre: [5.0, 6.0], radius: 7.0, period: 8 };
    assert_eq!(drives[0], Drive::Seek { target: Target::Point([4.0, 5.0]) });
    assert_eq!(drives[1], Drive::Arrive { target: Target::Body(3), slowing: 8.0 });
    let hawks = Target::Nearest(Kinds::only(1));
    assert_eq!(drives[2], Drive::Flee { target: hawks, range: 9.0, fading: true });
    assert_eq!(drives[3], Drive::Pursue { target: orbit, look_ahead: 9.0 });
    assert_eq!(drives[4], Drive::Evade { target: hawks, range: 9.0, look_ahead: 3.0 });
    assert_eq!(drives[10], Drive::FollowFlow { flow: 0 });
    assert_eq!(drives[11], Drive::FollowPath { path: 0, look_ahead: 30.0 });
    assert_eq!(drives.len(), 12);
    let ground = boid.ground.unwrap();
    assert_eq!((ground.max_speed, ground.max_force), ([1.0, 4.0], [0.2, 0.2]));
    assert_eq!(boid.respawn.unwrap().by, Kinds::only(1));

    let flows = &scenery.flows;
    let noise = Noise { density: 0.3, period: 100, stream: 7 };
    assert_eq!(flows[0], Field { cells: [4, 2], values: Flow::Noise(noise) });
    assert_eq!(flows[1], Field { cells: [1, 1], values: Flow::Uniform([1.0, 0.0]) });
    assert_eq!(flows[2], Field { cells: [11, 7], values: Flow::Swirl { centre: [50.0, 30.0] } });
    assert_eq!(flows[3], Field { cells: [10, 6], values: Flow::Random { stream: 3 } });
    assert_eq!(flows[4].values, Flow::Listed(vec![[1.0, 0.0], [0.0, 1.0]]));
    assert_eq!(scenery.grounds[0].values, Soil::Listed(vec![0.0, 0.5, 1.0, 1.0, 0.0, 0.0]));
    let hills = Noise { density: 0.1, period: 0, stream: 1 };
    assert_eq!(scenery.grounds[1].values, Soil::Noise(hills));
    assert!(scenery.paths[0].closed && scenery.paths[0].points.len() == 3);
    assert_eq!(scenery.obstacles[0].centre, [20.0, 20.0]);
    assert_eq!(scene.play().unwrap().len(), 7);
}

#[test]
fn refusals_name_file_line_and_a_hint() {
    refuses(
        SCENE,
        &[
            ("count = 5", "cuont = 5", "test.toml:15: unknown key `cuont`, expected one of"),
            ("count = 5", "cuont = 5", "did you mean `count`?"),
            ("60]", "0]", "test.toml:11: world.size[1] is 0.0"),
            ("\"torus\"", "\"tours\"", "test.toml:12: edges are \"walls\", \"torus\" or \"open\""),
            ("dt = 0.5", "dt = 0", "test.toml:6: dt is 0.0; allowed: a finite number"),
            ("dt = 0.5", "dt = 40", "test.toml:16: kind[0].gait.max_speed times dt is 120.0, over"),
            ("radius = 20", "radius = 0", "test.toml:7: radius is 0.0"),
            ("trails = 3", "trials = 3", "test.toml:9: unknown key `trials`"),
            ("trails = 3", "glow = -1", "test.toml:9: picture.glow is -1.0; allowed"),
            ("count = 5", "count = -5", "test.toml:15: kind[0].count: invalid value: integer `-5`"),
            ("count = 5", "count = 999999999", "test.toml:15: kind[0].count is 999999999; allowed"),
            ("count = 5\n", "", "test.toml:13: kind[0] lacks a count: how many bodies?"),
            (
                "count = 0",
                "place.list = [[1, 2, 3, 4], [-1, 0, 0, 0]]",
                "test.toml:49: kind[2].place.list[1]: x is -1.0; allowed",
            ),
            ("size", "siez", "did you mean `size`?"),
            ("ticks = 50", "ticks = ", "test.toml:5: "),
        ],
    );
}

#[test]
fn gaits_rules_and_weights_are_refused_by_their_own_keys() {
    refuses(
        SCENE,
        &[
            (
                "[1, 3]",
                "[3, 1]",
                "test.toml:16: kind[0].gait.max_speed is [3.0, 1.0]; allowed: low",
            ),
            ("[1, 3]", "[0.001, 3]", "kind[0].gait.max_speed is [0.001, 3.0]; allowed: low and"),
            (
                "[1, 3]",
                "[1, 2, 3]",
                "test.toml:16: kind[0].gait.max_speed: expected a number or a pair of numbers",
            ),
            ("[1, 3]", "-1", "test.toml:16: kind[0].gait.max_speed is -1.0"),
            ("spread = 0.2", "spread = 1", "test.toml:16: kind[0].gait.look_ahead_spread is 1.0"),
            (
                "radius = 10",
                "radius = 51",
                "test.toml:18: kind[0].rules[0].radius is 51.0, over half",
            ),
            ("radius = 10", "radius = nan", "test.toml:18: kind[0].rules[0].radius is NaN"),
            ("radius = 10,", "", "test.toml:18: kind[0].rules[0].separation: missing key `radius`"),
            ("weight = 1.6", "weight = 3e38", "test.toml:18: kind[0].rules[0].weight is 3e38"),
            ("weight = 1.6", "wieght = 1", "test.toml:18: unknown key `wieght`, expected one of"),
            (
                "weight = 1.6",
                "weight = \"a\"",
                "test.toml:18: kind[0].rules[0].separation.weight: invalid value \"a\"; allowed: a number, or { sine",
            ),
            (
                "{ separation",
                "{ seperation",
                "test.toml:18: unknown name `seperation`, expected one of",
            ),
            ("{ separation", "{ seperation", "did you mean `separation`?"),
            (
                "\"boid\", field",
                "\"bird\", field",
                "test.toml:19: kind[0].rules[1].hears names kind `bird`; there are `boid`, `hawk`, `stone`",
            ),
            ("\"boid\", field", "\"bold\", field", "did you mean `boid`?"),
            (
                "\"boid\", field",
                "7, field",
                "expected \"all\", the name of a kind, or a list of names",
            ),
            (
                "view = 120",
                "view = 0",
                "test.toml:19: kind[0].rules[1].field_of_view is 0.0; allowed: degrees",
            ),
            (
                "sine = { mean = 1,",
                "sine = { mean = nan,",
                "test.toml:20: kind[0].rules[2].weight.mean is NaN",
            ),
            ("period = 30", "period = 0", "test.toml:20: kind[0].rules[2].weight.period is 0.0"),
            ("sine =", "cosine =", "test.toml:20: unknown name `cosine`, expected one of `sine`"),
            (
                "drawn = [0, 2]",
                "drawn = [0, 2], sine = 1",
                "test.toml:21: more than one name in these braces; allowed: one name with its table",
            ),
            ("beyond = 4, ", "", "test.toml:21: kind[0].rules[3].gather: missing key `beyond`"),
            ("beyond = 4", "beyond = -4", "test.toml:21: kind[0].rules[3].beyond is -4.0"),
            (
                "fading = true, hears",
                "fading = 1, hears",
                "test.toml:23: kind[0].rules[5].flee.fading: invalid type: integer `1`, expected a boolean",
            ),
            (
                "\"stone\"]",
                "\"stones\"]",
                "test.toml:23: kind[0].rules[5].hears[1] names kind `stones`",
            ),
            ("radius = 16,", "radius = 16, beyond = 3,", "test.toml:24: unknown key `beyond`"),
        ],
    );
}

#[test]
fn behaviours_and_targets_are_refused_by_their_own_keys() {
    refuses(
        SCENE,
        &[
            ("[4, 5]", "[4, inf]", "test.toml:27: kind[0].behaviours[0].target[1] is inf"),
            (
                "[4, 5]",
                "[4]",
                "test.toml:27: kind[0].behaviours[0].seek.target: invalid length 1, expected an array of length 2",
            ),
            (
                "[4, 5]",
                "{ bdoy = 3 }",
                "test.toml:27: unknown name `bdoy`, expected one of `orbit`",
            ),
            ("[4, 5]", "{ bdoy = 3 }", "did you mean `body`?"),
            (
                "{ body = 3 }",
                "{ body = 3, nearest = \"hawk\" }",
                "test.toml:28: more than one name in these braces; allowed: one name with its table",
            ),
            ("slowing = 8", "slowing = 0", "test.toml:28: kind[0].behaviours[1].slowing is 0.0"),
            (
                "nearest = \"hawk\"",
                "nearest = \"hwak\"",
                "test.toml:29: kind[0].behaviours[2].target.nearest names kind `hwak`",
            ),
            (
                "range = 9, fading",
                "range = -9, fading",
                "test.toml:29: kind[0].behaviours[2].range is -9.0",
            ),
            (
                "period = 8",
                "period = 0",
                "test.toml:30: kind[0].behaviours[3].target.period is 0.0",
            ),
            (
                "look_ahead = 3",
                "look_ahaed = 3",
                "test.toml:31: unknown key `look_ahaed`, expected one of `weight`, `target`",
            ),
            ("look_ahead = 3", "look_ahaed = 3", "did you mean `look_ahead`?"),
            (
                "offset = [-3, 4]",
                "offset = [-3, nan]",
                "test.toml:32: kind[0].behaviours[5].offset[1] is NaN",
            ),
            (
                "clearance = 4",
                "clearance = -4",
                "test.toml:33: kind[0].behaviours[6].clearance is -4.0",
            ),
            ("distance = 1,", "distance = -1,", "test.toml:34: kind[0].behaviours[7].distance"),
            ("period = 20", "period = 0", "test.toml:34: kind[0].behaviours[7].period is 0.0"),
            ("margin = 7", "margin = 0", "test.toml:35: kind[0].behaviours[8].margin is 0.0"),
            ("look_ahead = 8", "look_ahead = -8", "test.toml:36: kind[0].behaviours[9].look_ahead"),
            (
                "flow = \"wind\"",
                "flow = \"wnid\"",
                "test.toml:37: kind[0].behaviours[10].flow names flow `wnid`; there are `wind`, `drift`",
            ),
            (
                "path = \"river\"",
                "path = \"raver\"",
                "test.toml:38: kind[0].behaviours[11].path names path `raver`; there are `river`; did you mean `river`?",
            ),
            (
                "field = \"mud\"",
                "field = \"mad\"",
                "test.toml:40: kind[0].ground.field names ground `mad`",
            ),
            (
                "[1, 4], max_force = 0.2 }",
                "[1, -4], max_force = 0.2 }",
                "test.toml:40: kind[0].ground.max_speed[1] is -4.0",
            ),
            (
                "by = \"hawk\"",
                "by = \"howk\"",
                "test.toml:41: kind[0].respawn.by names kind `howk`",
            ),
            ("within = 3", "within = 0", "test.toml:41: kind[0].respawn.within is 0.0"),
            ("high = [50, 40]", "high = [50, 61]", "test.toml:41: kind[0].respawn.high[1] is 61.0"),
        ],
    );
}

#[test]
fn scenery_is_refused_by_its_own_keys() {
    refuses(
        SCENE,
        &[
            (
                "cells = [4, 2]",
                "cells = [4, 0]",
                "test.toml:53: flow[0].cells[1] is 0; allowed: 1 to 4096",
            ),
            ("cells = [4, 2]", "cells = [4097, 1]", "flow[0].cells[0] is 4097; allowed: 1 to 4096"),
            (
                "cells = [4, 2]",
                "cell = 0.01",
                "test.toml:53: flow[0].cell is 0.01; allowed: over 0, and",
            ),
            ("cells = [4, 2]", "cell = -1", "flow[0].cell is -1.0"),
            (
                "cells = [4, 2]",
                "cells = [4, 2]\ncell = 3",
                "test.toml:54: flow[0] has both cell and cells",
            ),
            ("cells = [4, 2]\n", "", "test.toml:51: flow[0] has neither cells"),
            ("density = 0.3", "density = 17", "test.toml:54: flow[0].values.density is 17.0"),
            ("period = 100", "period = 65537", "test.toml:54: flow[0].values.period is 65537.0"),
            ("stream = 7", "steram = 7", "test.toml:54: unknown key `steram`"),
            ("[1, 0]", "[nan, 0]", "test.toml:57: flow[1].values[0] is NaN"),
            ("\"swirl\"\n[[", "\"swril\"\n[[", "test.toml:61: unknown name `swril`"),
            (
                "[[1, 0], [0, 1]]",
                "[[1, 0]]",
                "test.toml:69: flow[4].values has 1 values for 2 cells",
            ),
            ("[[1, 0], [0, 1]]", "[[1, 0], [0, inf]]", "test.toml:69: flow[4].values[1][1] is inf"),
            (
                "name = \"drift\"",
                "name = \"wind\"",
                "test.toml:56: flow[1].name is \"wind\"; another flow",
            ),
            (
                "name = \"drift\"",
                "name = \"a.b\"",
                "test.toml:56: flow[1].name is \"a.b\"; allowed",
            ),
            ("name = \"hawk\"", "name = \"all\"", "kind[1].name is \"all\"; which stands for"),
            (
                "[0, 0.5, 1, 1, 0, 0]",
                "[0, 1.5, 1, 1, 0, 0]",
                "test.toml:73: ground[0].values[1] is 1.5",
            ),
            (
                "[0, 0.5, 1, 1, 0, 0]",
                "[0]",
                "test.toml:73: ground[0].values has 1 values for 6 cells",
            ),
            (
                "points = [[0, 0], [50, 30], [90, 10]]",
                "points = [[0, 0]]",
                "test.toml:80: path[0].points has 1; allowed: 2",
            ),
            ("[90, 10]", "[90, nan]", "test.toml:80: path[0].points[2][1] is NaN"),
            ("radius = 4", "radius = -4", "test.toml:81: path[0].radius is -4.0"),
            ("[20, 20]", "[nan, 20]", "test.toml:84: obstacle[0].centre[0] is NaN"),
            ("radius = 3\n", "radius = 0\n", "test.toml:85: obstacle[0].radius is 0.0"),
        ],
    );
}

#[test]
fn built_in_scenes_can_be_run() {
    for (name, _) in BUILT_IN {
        let scene = Scene::open(name).unwrap();
        assert!(!scene.about.is_empty() && !scene.play().unwrap().is_empty(), "{name}");
        assert!((1..=5000).contains(&scene.ticks), "{name}");
    }
}

const DOCS: &str = include_str!("../../../docs/scenes.md");

#[test]
fn the_scene_of_the_docs_can_be_run() {
    let (_, text) = DOCS.split_once("```toml\n").unwrap();
    let (text, _) = text.split_once("```").unwrap();
    let mut play = parsed(text).play().unwrap();
    assert_eq!(play.len(), 501);
    (0..251).for_each(|_| play.tick().unwrap());
    assert_eq!(play.len(), 551);
}

#[test]
fn the_docs_list_what_is_built_in() {
    for (name, _) in BUILT_IN {
        let Scene { about, from, .. } = Scene::open(name).unwrap();
        let row = format!("\n| `{name}` | {from} | {about} |\n");
        assert!(DOCS.contains(&row), "docs/scenes.md lacks {row}");
    }
}

const QUIET: &str = r#"
ticks = 30
[world]
size = [100, 60]
[[kind]]
name = "a"
count = 4
gait = { max_speed = 1, max_force = 0.1 }
behaviours = [{ wander = { distance = 3, radius = 1, period = 5 } }]
[[kind]]
name = "b"
count = 2
gait = { max_speed = 2, max_force = 0.1 }
rules = [{ separation = { radius = 5 } }]
"#;

/// Ids and kinds after so many ticks.
fn who(events: &str, ticks: u64) -> Vec<(u32, u8)> {
    let mut play = parsed(&format!("{QUIET}{events}")).play().unwrap();
    for _ in 0..ticks {
        play.tick().unwrap();
    }
    play.iter().map(|body| (body.id, body.kind)).collect()
}

const EVENTS: &str = r#"
[[event]]
at = 9
remove = { kind = "b" }
[[event]]
at = 3
add = { kind = "b", count = 2, place.disc = { centre = [50, 30], radius = 5 }, start_speed = 0.5 }
[[event]]
at = 3
become = { kind = "a", count = 2, to = "b" }
remove = { ids = [0, 5] }
[[event]]
at = 5
set = { "kind.a.gait.max_speed" = 0.25, "kind.b.rules[0].weight" = 2 }
become = { ids = [7], to = "a" }
"#;

#[test]
fn events_happen_before_their_tick_in_order() {
    assert_eq!(who(EVENTS, 3), [(0, 0), (1, 0), (2, 0), (3, 0), (4, 1), (5, 1)]);
    assert_eq!(who(EVENTS, 4), [(1, 1), (2, 1), (3, 0), (4, 1), (6, 1), (7, 1)]);
    assert_eq!(who(EVENTS, 6), [(1, 1), (2, 1), (3, 0), (4, 1), (6, 1), (7, 0)]);
    assert_eq!(who(EVENTS, 20), [(3, 0), (7, 0)]);
    let scene = parsed(&format!("{QUIET}{EVENTS}"));
    let mut play = scene.play().unwrap();
    while play.tick_number() < 12 {
        assert_eq!(play.config(), scene.config_at(play.tick_number()));
        play.tick().unwrap();
    }
    assert_eq!(play.config().kinds[0].gait.max_speed, 0.25);
    assert_eq!(play.config().kinds[1].rules[0].weight, Weight::Steady(2.0));
    assert!(play.iter().all(|body| body.velocity.iter().all(|part| part.abs() <= 0.26)));
}

#[test]
fn an_event_moves_no_other_draw() {
    let state = |events: &str, id: u32| {
        let mut play = parsed(&format!("{QUIET}{events}")).play().unwrap();
        (0..5).for_each(|_| play.tick().unwrap());
        play.get(id).unwrap()
    };
    let apart = "[[event]]\nat = 1\nadd = { kind = \"a\", count = 1 }\n";
    assert_eq!(state("", 1), state(apart, 1));
    let more = format!("{apart}[[event]]\nat = 1\nadd = {{ kind = \"a\", count = 1 }}\n");
    assert_eq!(state(apart, 6), state(&more, 6));
    assert_ne!(state(&more, 7).position, state(&more, 6).position);
}

#[test]
fn a_run_goes_on_from_between_its_events() {
    let scene = parsed(&format!("{QUIET}{EVENTS}"));
    let mut whole = scene.play().unwrap();
    let mut hashes = Vec::new();
    for _ in 0..12 {
        let saved = whole.snapshot();
        hashes.push(whole.state_hash());
        let mut rest = scene.resume(Flock::restore(&saved).unwrap()).unwrap();
        let mut twin = whole.clone();
        while twin.tick_number() < 12 {
            twin.tick().unwrap();
            rest.tick_counted().unwrap();
        }
        assert_eq!(twin.state_hash(), rest.state_hash(), "from tick {}", whole.tick_number());
        whole.tick().unwrap();
    }
}

#[test]
fn a_seed_of_the_command_line_holds_after_events() {
    let mut scene = parsed(&format!("{QUIET}{EVENTS}"));
    scene.set_seed(77);
    let mut play = scene.play().unwrap();
    (0..8).for_each(|_| play.tick().unwrap());
    assert_eq!(play.config().seed, 77);
}

#[test]
fn bad_events_are_refused_before_the_first_tick() {
    let scene = &format!("{QUIET}{EVENTS}");
    refuses(
        scene,
        &[
            ("at = 9", "ta = 9", "test.toml:17: unknown key `ta`"),
            ("at = 9\n", "", "test.toml:16: event[0]: missing key `at`"),
            (
                "remove = { kind = \"b\" }\n",
                "",
                "test.toml:16: event[0] does nothing; allowed: set",
            ),
            (
                "kind = \"b\" }",
                "kind = \"c\" }",
                "test.toml:18: event[0].remove.kind names kind `c`; there are",
            ),
            (
                "kind = \"b\" }",
                "kind = \"b\", ids = [1] }",
                "test.toml:18: event[0].remove wants a kind",
            ),
            ("kind = \"b\" }", "count = 3 }", "event[0].remove wants a kind"),
            ("kind = \"b\" }", "ids = [1], count = 1 }", "event[0].remove wants a kind"),
            (
                "\"b\", count = 2, place",
                "\"c\", count = 2, place",
                "test.toml:21: event[1].add.kind names kind `c`",
            ),
            ("count = 2, place", "place", "test.toml:21: event[1].add lacks a count"),
            (
                "count = 2, place",
                "count = 99999999, place",
                "test.toml:21: event[1].add.count is 99999999",
            ),
            ("[50, 30]", "[500, 30]", "test.toml:21: event[1].add.place: 1000 places drawn"),
            (
                "radius = 5 }, start",
                "radius = -5 }, start",
                "test.toml:21: event[1].add.place holds -5.0",
            ),
            (
                "start_speed = 0.5",
                "start_speed = -1",
                "test.toml:21: event[1].add.start_speed is -1.0",
            ),
            (
                "count = 2, place.disc = { centre = [50, 30], radius = 5 }, start_speed = 0.5",
                "place.list = [[1, 2, 3, 4], [101, 0, 0, 0]]",
                "test.toml:21: event[1].add.place.list[1]: x is 101.0; allowed",
            ),
            ("to = \"b\"", "to = \"bb\"", "test.toml:24: event[2].become.to names kind `bb`"),
            (", to = \"b\"", "", "test.toml:24: event[2].become: missing key `to`"),
            (
                "ids = [0, 5]",
                "ids = [0, 9]",
                "test.toml:25: event[2].remove.ids names body 9; at tick 3 it is not",
            ),
            (
                "ids = [7]",
                "ids = [5]",
                "test.toml:29: event[3].become.ids names body 5; at tick 5 it is not",
            ),
            (
                "max_speed\" = 0.25",
                "max_speed\" = -1",
                "test.toml:28: event[3].set makes a scene where kind[0].gait.max_speed is -1.0",
            ),
            (
                "max_speed\" = 0.25",
                "max_spede\" = 1",
                "test.toml:28: event[3].set: unknown key `max_spede`",
            ),
            (
                "kind.a.gait",
                "kind.c.gait",
                "event[3].set.\"kind.c.gait.max_speed\": there is no `c`, but `a`, `b`",
            ),
            (
                "\"kind.a.gait.max_speed\" = 0.25",
                "dt = 0",
                "event[3].set makes a scene where dt is 0.0",
            ),
        ],
    );
    let bare = "[[event]]\nat = 1\nset = { dt = 0 }\n";
    let why = refused(&format!("{QUIET}{bare}"));
    assert!(
        why.starts_with("test.toml:17: event[0].set.\"dt\" makes a scene where dt is 0"),
        "{why}"
    );
}

#[test]
fn fields_are_read_from_files_beside_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let scene = r#"
[world]
size = [4, 2]
[[kind]]
count = 1
gait = { max_speed = 1, max_force = 1 }
[[flow]]
name = "wind"
cells = [2, 1]
values.csv = "wind.csv"
[[ground]]
name = "mud"
cells = [1, 2]
values.csv = "mud.csv"
"#;
    let open = |wind: &str, mud: &str| {
        fs::write(folder.path().join("wind.csv"), wind).unwrap();
        fs::write(folder.path().join("mud.csv"), mud).unwrap();
        Scene::parse("test.toml", scene, folder.path())
    };
    let (wind, mud) = ("vx,vy\n1,0\n0,-1\n", "value\n0.5\n1\n");
    let fine = open(wind, mud).unwrap();
    let scenery = &fine.config.scenery;
    assert_eq!(scenery.flows[0].values, Flow::Listed(vec![[1.0, 0.0], [0.0, -1.0]]));
    assert_eq!(scenery.grounds[0].values, Soil::Listed(vec![0.5, 1.0]));
    assert_eq!(fine.files().len(), 3);
    for (wind, mud, wanted) in [
        ("vx\n1\n", mud, "wind.csv:1: column vy is missing (wanted: vx,vy)"),
        ("vx,vy\n1,0\n", mud, "test.toml:10: flow[0].values has 1 values for 2 cells"),
        ("vx,vy\n1,0\n1,inf\n", mud, "wind.csv:3: vy is inf; allowed: finite"),
        (wind, "value\n0.5\n2\n", "mud.csv:3: value is 2.0; allowed: 0 to 1"),
        (wind, "value\n0.5\n0\n1\n", "test.toml:14: ground[0].values has 3 values for 2 cells"),
    ] {
        match open(wind, mud) {
            Err(Fault::Input(why)) => assert!(why.contains(wanted), "{why:?} lacks {wanted:?}"),
            other => panic!("{other:?} should be refused"),
        }
    }
    fs::remove_file(folder.path().join("mud.csv")).unwrap();
    let gone = Scene::parse("test.toml", scene, folder.path()).unwrap_err().to_string();
    assert!(gone.starts_with("test.toml:14: cannot read ") && gone.contains("mud.csv"), "{gone}");
}
