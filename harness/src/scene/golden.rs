//! Where each built-in scene ends, on every machine. A hash changes only with its scene or with the
//! contract.

use super::{BUILT_IN, Scene};
use flockstep::{Flock, Level};

/// Name, and state hash at the scene's end.
const ENDS: &[(&str, u64)] = &[
    ("valley", 0x22fc_ee38_81cb_860e),
    ("hand", 0x072d_675d_1bce_47b3),
    ("crowd", 0x6fb8_8c39_9140_aa36),
    ("murmuration", 0xeae9_bff8_74c6_9256),
    ("strangers", 0xb24c_2c98_95c5_0a6f),
    ("lattice", 0x58a7_1334_1218_2636),
    ("plain", 0xd4e3_3147_8e50_232c),
    ("seek", 0xe204_688e_ec7a_0d31),
    ("limits", 0x3829_d0b8_d4c0_294f),
    ("flee", 0x296f_cca2_d7a6_dee2),
    ("ground", 0xb44a_6776_49c0_9841),
    ("pursue", 0x2c0c_b643_33cf_d1e3),
    ("arrive", 0x03c7_852f_e1ec_487a),
    ("wander", 0x5ca6_a209_7b5e_6aa0),
    ("walls", 0x75fd_2001_5086_4a74),
    ("evade", 0xa96a_0ad1_2631_477c),
    ("flow-uniform", 0x408f_fe73_73cb_7219),
    ("flow-random", 0x2bde_f823_fc03_b8c4),
    ("flow-noise", 0xa6e0_8123_1170_db6c),
    ("flow-swirl", 0x96b7_40bf_cbf1_aacc),
    ("flow", 0xd6c4_aab8_96c4_3149),
    ("flow-time", 0xc263_a963_c6bd_0821),
    ("flow-art", 0x6471_24fe_5696_30bf),
    ("path", 0xcd33_de33_cdbb_a02f),
    ("path-bends", 0x55ed_15a1_74d4_f2ec),
    ("path-group", 0x70eb_e561_e42c_ae1c),
    ("obstacles", 0x2d5f_e027_828e_7058),
    ("separation", 0xa45c_89a9_bea6_f7cf),
    ("gather", 0x77be_5679_6fc3_3853),
    ("combine", 0x43cb_a5fe_14c8_0f79),
    ("weights", 0x36b1_997e_cc67_b08d),
    ("leader", 0x3882_84d1_8638_1f90),
    ("formation", 0x6dd6_e01e_c147_5d92),
    ("flocking", 0x53f5_09bb_1c2d_0a5f),
    ("view-cone", 0xd803_4aa3_4f8c_1830),
    ("ecosystem", 0xa070_2cc7_20c2_bdd4),
    ("flake", 0x1cfc_d115_41c1_af99),
    ("glow", 0x1ec8_00fd_5f1f_b60e),
    ("bins", 0x95b6_a934_1d1f_6289),
    ("quadtree", 0xa258_2cdc_114a_fc6b),
    ("mixed", 0xc6d8_0e77_b0ec_19f6),
];

/// A task for every so many bodies, so that small scenes are spread, too.
const GRAIN: usize = 64;

/// The state hash at the scene's end, once everything on the way was finite.
fn end(scene: &Scene, level: Level, parallel_from: usize) -> u64 {
    let mut play = scene.play().unwrap();
    play.set_level(level).unwrap();
    play.set_parallel_from(parallel_from);
    while play.tick_number() < scene.ticks {
        play.tick().unwrap();
        if play.tick_number().is_multiple_of(50) {
            assert_finite(&play, &scene.name);
        }
    }
    assert_finite(&play, &scene.name);
    play.state_hash()
}

fn assert_finite(flock: &Flock, name: &str) {
    let (_, columns) = flock.columns();
    let finite = columns.iter().all(|column| column.iter().all(|value| value.is_finite()));
    assert!(finite, "{name} at tick {}", flock.tick_number());
}

#[test]
fn every_scene_ends_where_it_should_on_any_number_of_threads() {
    let mut wrong = Vec::new();
    for (name, _) in BUILT_IN {
        let scene = Scene::open(name).unwrap();
        let golden = ENDS.iter().find(|(of, _)| of == name).map(|(_, hash)| *hash);
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| end(&scene, Level::best(), GRAIN));
            if Some(found) != golden {
                wrong.push(format!("(\"{name}\", {found:#018x}), // {threads} threads"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_scene_ends_where_it_should_on_every_instruction_set() {
    let mut wrong = Vec::new();
    for level in Level::ALL {
        if !level.is_available() {
            eprintln!("skipped: {level} (this CPU lacks it)");
            continue;
        }
        for (name, golden) in ENDS {
            let found = end(&Scene::open(name).unwrap(), level, usize::MAX);
            if found != *golden {
                wrong.push(format!("{name} on {level}: {found:#018x}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
