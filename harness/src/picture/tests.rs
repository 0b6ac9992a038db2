use super::bodies::Crowd;
use super::canvas::{Canvas, View};
use super::overlays::Stage;
use crate::colour::{BACKGROUND, BORDER, HEADINGS, Rgb, kind_colour};
use crate::look::Look;
use flockstep::{
    Config, Drive, Edge, Field, Flow, Gait, Ground, Kind, Noise, Obstacle, Path, Rule, Soil,
    Target, World,
};
use xxhash_rust::xxh3::xxh3_64;

fn canvas(max: [f32; 2], longest: u32) -> Canvas {
    Canvas::new(View { min: [0.0; 2], max }, longest)
}

fn draw_one(canvas: &mut Canvas, position: [f32; 2], velocity: [f32; 2], kind: u8) -> u64 {
    canvas.draw(&Crowd { positions: &[position], velocities: &[velocity], kinds: &[kind] });
    canvas.frame_hash()
}

fn pixel(canvas: &Canvas, [x, y]: [u32; 2]) -> Rgb {
    canvas.rgb().nth((y * canvas.size().0 + x) as usize).unwrap()
}

// ---- Plain pictures

#[test]
fn the_size_follows_the_view_up_to_eight_to_one() {
    assert_eq!(canvas([1200.0, 800.0], 960).size(), (960, 640));
    assert_eq!(canvas([10.0, 1000.0], 800).size(), (100, 800));
    assert_eq!(canvas([f32::MAX, f32::MIN_POSITIVE], 1).size(), (1, 1));
    assert_eq!(canvas([f32::NAN, 0.0], 0).size(), (1, 1));
    assert_eq!(canvas([1.0, 1.0], u32::MAX).size(), (8000, 8000));
}

#[test]
fn a_body_lies_where_it_is_and_points_where_it_goes() {
    let mut canvas = canvas([960.0, 640.0], 960);
    draw_one(&mut canvas, [480.0, 100.0], [0.0, 3.0], 0);
    let [x, y] = canvas.place([480.0, 100.0]).unwrap().map(|v| v as u32);
    assert!(y < 130, "a small y is at the top");
    let down = canvas.colours.wheel[HEADINGS / 4];
    assert_eq!(pixel(&canvas, [x, y]), down);
    assert_eq!(pixel(&canvas, [x + 1, y - 5]), down, "the tail is wide");
    assert_eq!(pixel(&canvas, [x + 1, y + 5]), BACKGROUND, "the nose is narrow");
    draw_one(&mut canvas, [480.0, 100.0], [0.0; 2], 0);
    assert_eq!(pixel(&canvas, [x, y]), canvas.theme.ink);
    draw_one(&mut canvas, [480.0, 100.0], [0.0, 3.0], 11);
    assert_eq!(pixel(&canvas, [x, y]), [0xff, 0x9e, 0x44]);
}

#[test]
fn odd_positions_velocities_and_views_do_no_harm() {
    let mut canvas = canvas([100.0, 100.0], 200);
    let empty = canvas.frame_hash();
    for far in [-0.5, 100.5, 1e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        assert_eq!(draw_one(&mut canvas, [50.0, far], [1.0, 0.0], 0), empty);
        assert_eq!(draw_one(&mut canvas, [far, 50.0], [1.0, 0.0], 0), empty);
    }
    for odd in [f32::NAN, f32::INFINITY, f32::MAX, 1e-45] {
        assert_ne!(draw_one(&mut canvas, [100.0, 0.0], [odd, odd], 0), empty);
        let (min, max) = ([-odd; 2], [odd; 2]);
        draw_one(&mut Canvas::new(View { min, max }, 50), [odd; 2], [1.0; 2], 0);
    }
}

#[test]
fn bodies_shrink_to_dots_and_equal_crowds_give_equal_pictures() {
    let mut canvas = canvas([256.0, 256.0], 160);
    let places: Vec<_> = (0..65_536).map(|i| [(i % 256) as f32, (i / 256) as f32]).collect();
    let (positions, velocities, kinds) = (&places[..], &places[..], &[][..]);
    let crowd = Crowd { positions, velocities, kinds };
    canvas.draw(&crowd);
    let hash = canvas.frame_hash();
    canvas.draw(&crowd);
    assert_eq!(canvas.frame_hash(), hash);
    assert_eq!(hash, xxh3_64(canvas.rgba()));
    assert!(canvas.rgba().as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255));
    let known = |colour| {
        canvas.colours.wheel.contains(&colour)
            || [BACKGROUND, BORDER, canvas.theme.ink].contains(&colour)
    };
    assert!(canvas.rgb().all(known), "dots are not blended");
    assert!((13.0..15.0).contains(&self::canvas([960.0, 640.0], 960).body_length(120)));
    assert!((3.0..5.0).contains(&self::canvas([1.0, 1.0], 1600).body_length(65_536)));
}

#[test]
fn the_png_holds_the_pixels() {
    let mut canvas = canvas([3.0, 2.0], 90);
    draw_one(&mut canvas, [1.0, 1.0], [1.0, 1.0], 0);
    let file = std::io::Cursor::new(canvas.png().unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut data).unwrap();
    assert_eq!((info.width, info.height), (90, 60));
    assert_eq!(data, canvas.rgb().collect::<Vec<_>>().as_flattened());
}

// ---- Looks

/// A torus of 200 by 100 with one kind, which a picture of 420 pixels shows at two pixels a unit.
fn config() -> Config {
    Config::new(World::new(200.0, 100.0, Edge::Torus), Kind::new(Gait::new(2.0, 0.1)))
}

fn look(text: &str) -> Look {
    toml::from_str(text).unwrap()
}

fn dressed(config: &Config, look: &Look) -> Canvas {
    let canvas = canvas(config.world.size, 420).dressed(look, config);
    assert_eq!(canvas.scale, 2.0);
    canvas
}

/// What is shown of a body that stands where it does no harm.
fn draw_among(canvas: &mut Canvas, config: &Config, tick: u64) {
    let stage = Stage { config, tick, ids: &[7] };
    let crowd = Crowd { positions: &[[190.0, 90.0]], velocities: &[[1.0, 0.0]], kinds: &[] };
    canvas.draw_on(Some(&stage), &crowd);
}

fn at(canvas: &Canvas, position: [f64; 2]) -> Rgb {
    pixel(canvas, canvas.at(position).map(|pixel| pixel as u32))
}

fn brightness(colour: Rgb) -> u32 {
    colour.iter().map(|&channel| u32::from(channel)).sum()
}

#[test]
fn a_scene_with_nothing_but_bodies_is_plain_whatever_it_could_show() {
    let config = config();
    let mut plain = dressed(&config, &Look::default());
    draw_among(&mut plain, &config, 3);
    let mut bare = canvas(config.world.size, 420);
    draw_one(&mut bare, [190.0, 90.0], [1.0, 0.0], 0);
    assert_eq!(plain.frame_hash(), bare.frame_hash());
    assert!(plain.is_plain());
    let mut cells = dressed(&config, &look("overlays = [\"cells\"]"));
    draw_among(&mut cells, &config, 3);
    assert!(!cells.is_plain());
}

#[test]
fn shapes_are_as_large_as_the_look_says() {
    let config = config();
    let lit = |text: &str| {
        let mut canvas = dressed(&config, &look(text));
        draw_one(&mut canvas, [100.0, 50.0], [1.0, 0.0], 0);
        canvas.rgb().filter(|&colour| colour != BACKGROUND && colour != BORDER).count()
    };
    let dot = lit("bodies = \"dots\"\nsize = 20");
    assert!((1200..1340).contains(&dot), "{dot} is 400 pi and a rim");
    let triangle = lit("size = 20");
    assert!((300..480).contains(&triangle), "{triangle} is half of 40 times 17 and a rim");
    assert_eq!(lit("bodies = \"pixels\""), 1);
    assert_eq!(lit("bodies = \"pixels\"\nsize = 2"), 16);
    assert_eq!(lit("bodies = \"none\""), 0);
    assert_eq!(lit("size = 0.1"), 1, "too small for a triangle");
    assert!(lit("size = 1e9") > 0);
}

#[test]
fn colours_follow_kind_speed_or_heading() {
    let config = config();
    let colour = |text: &str, velocity: [f32; 2], kind: u8| {
        let mut canvas = dressed(&config, &look(&format!("size = 20\n{text}")));
        draw_one(&mut canvas, [100.0, 50.0], velocity, kind);
        at(&canvas, [100.0, 50.0])
    };
    let (kind, speed, heading) =
        ("colour = \"kind\"", "colour = \"speed\"", "colour = \"heading\"");
    assert_eq!(colour(kind, [1.0, 0.0], 0), kind_colour(0));
    assert_eq!(colour("", [1.0, 0.0], 1), kind_colour(1));
    assert_eq!(colour("", [1.0, 0.0], 0), colour(heading, [2.0, 0.0], 3));
    assert_ne!(colour(heading, [1.0, 0.0], 0), colour(heading, [0.0, 1.0], 0));
    assert_eq!(colour(speed, [1.0, 0.0], 0), colour(speed, [0.0, 1.0], 2));
    let [slow, fast] = [[0.2, 0.0], [2.0, 0.0]].map(|it| brightness(colour(speed, it, 0)));
    assert!(slow < fast, "{slow} {fast}");
}

#[test]
fn blend_modes_are_what_their_names_say() {
    let config = config();
    let names = [
        "normal",
        "lighter",
        "screen",
        "multiply",
        "overlay",
        "darken",
        "color-dodge",
        "color-burn",
        "hard-light",
        "soft-light",
    ];
    let crowd = Crowd { positions: &[[100.0, 50.0]], velocities: &[[1.0, 0.0]], kinds: &[1] };
    let mut seen = Vec::new();
    for name in names {
        for shown in ["glow = 30\nbodies = \"none\"", "bodies = \"dots\"\nsize = 20"] {
            let text = format!("blend = \"{name}\"\nbackground = \"#808890\"\n{shown}");
            let mut canvas = dressed(&config, &look(&text));
            canvas.draw(&crowd);
            assert!(canvas.rgba().as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255), "{name}");
            assert_eq!(at(&canvas, [10.0, 10.0]), [0x80, 0x88, 0x90], "{name} reaches too far");
            let colour = at(&canvas, [100.0, 50.0]);
            match name {
                "multiply" | "darken" | "color-burn" => {
                    assert!(colour.iter().zip([0x80, 0x88, 0x90]).all(|(&a, b)| a <= b), "{name}");
                }
                "lighter" | "screen" | "color-dodge" => {
                    assert!(colour.iter().zip([0x80, 0x88, 0x90]).all(|(&a, b)| a >= b), "{name}");
                }
                _ => {}
            }
            seen.push((name, shown, colour));
        }
    }
    for (index, &(name, shown, colour)) in seen.iter().enumerate() {
        let same = |&&(other, too, theirs): &&(&str, &str, Rgb)| {
            // A halo that is not blended adds up like light.
            let alike = shown.starts_with("glow") && name == "normal" && other == "lighter";
            shown == too && colour == theirs && !alike
        };
        assert_eq!(seen[index + 1..].iter().find(same), None, "as {name} {shown}");
    }
}

#[test]
fn a_halo_is_bright_in_the_middle_round_and_seen_across_the_seams() {
    let config = config();
    let mut canvas = dressed(&config, &look("glow = 20\nbodies = \"none\""));
    draw_one(&mut canvas, [195.0, 50.0], [1.0, 0.0], 0);
    let along: Vec<u32> =
        [195.0, 188.0, 182.0, 178.0, 170.0].map(|x| brightness(at(&canvas, [x, 50.0]))).to_vec();
    assert!(along.windows(2).all(|pair| pair[0] > pair[1] || pair[0] == brightness(BACKGROUND)));
    let (left, down) = (at(&canvas, [185.0, 50.0]), at(&canvas, [195.0, 60.0]));
    assert!((0..3).all(|c| left[c].abs_diff(down[c]) < 9), "{left:?} {down:?}");
    assert!(brightness(at(&canvas, [3.0, 50.0])) > brightness(BACKGROUND), "across the seam");
    let beyond = canvas.at([200.0, 50.0]).map(|pixel| pixel as u32);
    assert_eq!(pixel(&canvas, [beyond[0] + 3, beyond[1]]), BACKGROUND, "not beyond the edge");
    let walls = Config { world: World::new(200.0, 100.0, Edge::Walls), ..config };
    let mut canvas = dressed(&walls, &look("glow = 20\nbodies = \"none\""));
    draw_one(&mut canvas, [195.0, 50.0], [1.0, 0.0], 0);
    assert_eq!(at(&canvas, [3.0, 50.0]), BACKGROUND, "walls have no other side");
}

#[test]
fn trails_fade_evenly_and_are_gone_in_time() {
    let config = config();
    let mut canvas = dressed(&config, &look("trails = 12\nsize = 20\nbodies = \"dots\""));
    let empty = canvas.frame_hash();
    draw_one(&mut canvas, [50.0, 50.0], [1.0, 0.0], 0);
    let fresh = at(&canvas, [50.0, 50.0]);
    let mut before = brightness(fresh);
    for frame in 1..12 {
        canvas.draw(&Crowd { positions: &[], velocities: &[], kinds: &[] });
        let now = brightness(at(&canvas, [50.0, 50.0]));
        assert!(now < before || now == brightness(BACKGROUND), "{now} after {before} at {frame}");
        assert!(frame > 8 || now > brightness(BACKGROUND), "gone at {frame}");
        before = now;
    }
    canvas.draw(&Crowd { positions: &[], velocities: &[], kinds: &[] });
    assert_eq!(canvas.frame_hash(), empty, "nothing is left");
    for _ in 0..5 {
        draw_one(&mut canvas, [50.0, 50.0], [1.0, 0.0], 0);
        assert_eq!(at(&canvas, [50.0, 50.0]), fresh, "a body is never faint");
    }
}

#[test]
fn what_moves_under_a_trail_shows_at_once() {
    let mut config = config();
    let orbit = Target::Orbit { centre: [100.0, 50.0], radius: 30.0, period: 4 };
    config.kinds[0].behaviours = vec![Drive::Seek { target: orbit }.weighing(1.0)];
    let mut trails = dressed(&config, &look("trails = 50\nbodies = \"none\""));
    let mut without = dressed(&config, &look("bodies = \"none\""));
    for tick in 0..4 {
        draw_among(&mut trails, &config, tick);
        draw_among(&mut without, &config, tick);
        assert_eq!(trails.frame_hash(), without.frame_hash(), "tick {tick}");
        let [x, y] = [[130.0, 50.0], [100.0, 80.0], [70.0, 50.0], [100.0, 20.0]][tick as usize];
        let goal = trails.theme.goal;
        assert!(at(&trails, [x, y]).iter().zip(goal).all(|(&a, b)| a.abs_diff(b) < 40), "{tick}");
    }
}

// ---- Overlays

/// Draws the scenery and tells which of these places show something.
fn shown(config: &Config, text: &str, places: &[[f64; 2]]) -> Vec<bool> {
    let mut canvas = dressed(config, &look(text));
    draw_among(&mut canvas, config, 0);
    places.iter().map(|&place| at(&canvas, place) != BACKGROUND).collect()
}

#[test]
fn paths_have_their_width_and_obstacles_their_size() {
    let mut config = config();
    config.scenery.paths.push(Path {
        points: vec![[40.0, 30.0], [160.0, 30.0]],
        radius: 10.0,
        closed: false,
    });
    let places = [[100.0, 30.0], [100.0, 38.0], [100.0, 43.0], [33.0, 30.0], [20.0, 30.0]];
    assert_eq!(shown(&config, "", &places), [true, true, false, true, false]);
    assert_eq!(shown(&config, "overlays = []", &places), [false; 5]);
    config.scenery.paths.clear();
    config.scenery.obstacles.push(Obstacle { centre: [5.0, 50.0], radius: 12.0 });
    let places = [[5.0, 50.0], [5.0, 61.0], [5.0, 64.0], [195.0, 50.0], [180.0, 50.0]];
    assert_eq!(shown(&config, "", &places), [true, true, false, true, false]);
}

#[test]
fn arrows_stand_in_the_middle_of_cells_and_point_along_the_flow() {
    let mut config = config();
    let vectors = vec![[1.0, 0.0], [0.0, 0.0], [0.0, -5.0], [-0.1, 0.0]];
    config.scenery.flows.push(Field { cells: [2, 2], values: Flow::Listed(vectors) });
    let places = [[50.0, 25.0], [150.0, 25.0], [50.0, 75.0], [150.0, 75.0]];
    assert_eq!(shown(&config, "", &places), [true, false, true, true]);
    // The barbs are at the front.
    let places = [[53.2, 26.0], [46.8, 26.0], [146.8, 76.0], [153.2, 76.0]];
    assert_eq!(shown(&config, "", &places), [true, false, true, false]);
    let places = [[51.0, 71.8], [51.0, 78.2]];
    assert_eq!(shown(&config, "", &places), [true, false], "up is towards small y");
}

#[test]
fn grounds_tint_cell_by_cell_and_change_in_time() {
    let mut config = config();
    config.scenery.grounds.push(Field { cells: [2, 1], values: Soil::Listed(vec![0.0, 1.0]) });
    let gait = [1.0, 2.0];
    config.kinds[0].ground = Some(Ground { field: 0, max_speed: gait, max_force: gait });
    let mut canvas = dressed(&config, &look(""));
    draw_among(&mut canvas, &config, 0);
    let [low, high] = canvas.theme.ground;
    for (x, wanted) in [(1.0, low), (99.0, low), (101.0, high), (180.0, high)] {
        assert_eq!(at(&canvas, [x, 40.0]), wanted, "{x}");
    }
    let noise = Noise { density: 0.3, period: 10, stream: 0 };
    config.scenery.grounds[0] = Field { cells: [20, 10], values: Soil::Noise(noise) };
    let hash = |tick| {
        let mut canvas = dressed(&config, &look(""));
        draw_among(&mut canvas, &config, tick);
        canvas.frame_hash()
    };
    assert_eq!(hash(3), hash(3));
    assert_ne!(hash(3), hash(4));
}

#[test]
fn a_view_is_in_front_and_as_wide_as_the_rule_says() {
    let mut config = config();
    config.kinds[0].rules = vec![Rule::alignment(30.0, 1.0).seeing(120.0)];
    let stage = Stage { config: &config, tick: 0, ids: &[0] };
    let mut canvas = dressed(&config, &look("overlays = [\"views\"]"));
    let mut seen = |velocity: [f32; 2], place: [f64; 2]| {
        let crowd = Crowd { positions: &[[100.0, 50.0]], velocities: &[velocity], kinds: &[] };
        canvas.draw_on(Some(&stage), &crowd);
        at(&canvas, place) != BACKGROUND
    };
    let (right, up) = ([1.0, 0.0], [0.0, -1.0]);
    assert!(
        seen(right, [125.0, 50.0]) && !seen(right, [134.0, 50.0]) && !seen(right, [80.0, 50.0])
    );
    // 20 long at 55 and at 65 degrees.
    assert!(seen(right, [111.5, 66.4]) && !seen(right, [108.4, 68.1]));
    assert!(seen(up, [100.0, 25.0]) && !seen(up, [100.0, 75.0]));
    assert!(seen([0.0; 2], [75.0, 50.0]), "at rest it sees all round");
}

#[test]
fn radii_are_circles_of_a_few_in_a_large_crowd() {
    let mut config = config();
    config.kinds[0].rules = vec![Rule::alignment(30.0, 1.0), Rule::separation(8.0, 1.0)];
    let ids: Vec<u32> = (0..100).collect();
    let stage = Stage { config: &config, tick: 0, ids: &ids };
    let mut positions = vec![[3.0, 3.0]; 100];
    positions[0] = [100.0, 50.0];
    positions[99] = [160.0, 50.0];
    let velocities = vec![[1.0, 0.0]; 100];
    let mut canvas = dressed(&config, &look("overlays = [\"radii\"]\nbodies = \"none\""));
    let crowd = Crowd { positions: &positions, velocities: &velocities, kinds: &[] };
    canvas.draw_on(Some(&stage), &crowd);
    let shown = [130.0, 108.0, 120.0, 168.0].map(|x| at(&canvas, [x, 50.0]) != BACKGROUND);
    assert_eq!(shown, [true, true, false, false]);
}

#[test]
fn targets_are_rings_and_those_of_bodies_go_with_them() {
    let mut config = config();
    let seek = |target| Drive::Seek { target }.weighing(1.0);
    let flee = Drive::Flee { target: Target::Point([60.0, 20.0]), range: 15.0, fading: false };
    config.kinds[0].behaviours =
        vec![seek(Target::Body(7)), seek(Target::Body(8)), flee.weighing(1.0)];
    let mut canvas = dressed(&config, &look("bodies = \"none\""));
    draw_among(&mut canvas, &config, 0);
    let (goal, danger) = (canvas.theme.goal, canvas.theme.danger);
    let near = |place: [f64; 2], colour: Rgb| {
        at(&canvas, place).iter().zip(colour).all(|(&a, b)| a.abs_diff(b) < 40)
    };
    assert!(near([190.0, 90.0], goal) && near([60.0, 20.0], danger));
    assert!(at(&canvas, [75.0, 20.0]) != BACKGROUND, "where fear begins");
}

#[test]
fn cells_and_the_quadtree_show_where_neighbours_are_looked_for() {
    let mut config = config();
    config.kinds[0].rules = vec![Rule::alignment(24.0, 1.0)];
    // 200 / (24 * 65/64 / 2) and 100 / (24 * 65/64), rounded down: 16 columns and 4 rows.
    let places = [[12.5, 10.0], [6.0, 10.0], [6.0, 25.0], [6.0, 30.0], [193.0, 85.0]];
    assert_eq!(shown(&config, "overlays = [\"cells\"]", &places), [true, false, true, false, true]);
    let crowded = |bodies: usize| {
        let (positions, velocities) = (vec![[20.0, 20.0]; bodies], vec![[0.0; 2]; bodies]);
        let ids: Vec<u32> = (0..bodies as u32).collect();
        let stage = Stage { config: &config, tick: 0, ids: &ids };
        let mut canvas = dressed(&config, &look("overlays = [\"quadtree\"]"));
        let crowd = Crowd { positions: &positions, velocities: &velocities, kinds: &[] };
        canvas.draw_on(Some(&stage), &crowd);
        [[100.0, 80.0], [50.0, 40.0], [150.0, 40.0]].map(|place| at(&canvas, place) != BACKGROUND)
    };
    assert_eq!(crowded(4), [false; 3], "a leaf");
    assert_eq!(crowded(5), [true, true, false], "only crowded parts are divided");
}

#[test]
fn odd_looks_and_sceneries_do_no_harm() {
    let far = 1e9;
    let mut config = config();
    config.kinds[0].rules = vec![Rule::alignment(1e-9, 1.0).seeing(0.1), Rule::cohesion(50.0, 1.0)];
    config.kinds[0].behaviours = vec![
        Drive::Arrive { target: Target::Point([far, -far]), slowing: far }.weighing(1.0),
        Drive::Seek { target: Target::Orbit { centre: [0.0; 2], radius: far, period: 1 } }
            .weighing(1.0),
    ];
    config.scenery.paths = vec![
        Path { points: vec![[-far, -far], [far, far], [far, far]], radius: far, closed: true },
        Path { points: vec![[0.0; 2]; 2], radius: 0.0, closed: true },
    ];
    config.scenery.obstacles = vec![
        Obstacle { centre: [far; 2], radius: far },
        Obstacle { centre: [9.0; 2], radius: 1e-9 },
    ];
    let fine = Field { cells: [4096, 1], values: Flow::Uniform([f32::MIN_POSITIVE, 0.0]) };
    config.scenery.flows =
        vec![fine, Field { cells: [1, 300], values: Flow::Random { stream: 1 } }];
    config.check().unwrap();
    let all = "overlays = [\"cells\", \"quadtree\", \"radii\", \"views\", \"paths\", \"flow\", \
               \"ground\", \"targets\", \"obstacles\"]";
    for text in ["size = 1e9", "size = 1e-9", "glow = 1e9", "glow = 1e-9", "trails = 10000"] {
        for max in [[200.0, 100.0], [1e-9, 1e9], [f32::MAX, 1.0]] {
            let look = look(&format!("{text}\n{all}"));
            let mut canvas = canvas(max, 60).dressed(&look, &config);
            for body in [[0.0, 0.0], [far, far], [f32::NAN, 1.0], [f32::INFINITY, 0.0]] {
                let stage = Stage { config: &config, tick: u64::MAX, ids: &[1] };
                let crowd = Crowd { positions: &[body], velocities: &[body], kinds: &[255] };
                canvas.draw_on(Some(&stage), &crowd);
            }
        }
    }
}
