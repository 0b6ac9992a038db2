//! The shape of a scene's text. What the numbers may be is checked elsewhere.

use super::either::{Either, Written};
use super::events::EventText;
use crate::look::Look;
use crate::place::How;
use flockstep::{Edge, World};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SceneText {
    #[serde(default)]
    pub about: String,
    #[serde(default)]
    pub from: String,
    #[serde(default)]
    pub seed: u64,
    #[serde(default = "default_ticks")]
    pub ticks: u64,
    #[serde(default = "one")]
    pub dt: f32,
    pub radius: Option<f32>,
    #[serde(default)]
    pub picture: Look,
    pub world: WorldText,
    #[serde(default)]
    pub kind: Vec<KindText>,
    #[serde(default)]
    pub flow: Vec<FlowText>,
    #[serde(default)]
    pub ground: Vec<GroundText>,
    #[serde(default)]
    pub path: Vec<PathText>,
    #[serde(default)]
    pub obstacle: Vec<ObstacleText>,
    #[serde(default)]
    pub event: Vec<EventText>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldText {
    size: [f32; 2],
    #[serde(default)]
    edges: EdgesText,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "edges are \"walls\", \"torus\" or \"open\", or a pair of them")]
enum EdgesText {
    Both(EdgeText),
    Each([EdgeText; 2]),
}

impl Default for EdgesText {
    fn default() -> Self {
        Self::Both(EdgeText::Walls)
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EdgeText {
    Walls,
    Torus,
    Open,
}

impl WorldText {
    pub(super) fn world(&self) -> World {
        let edges = match self.edges {
            EdgesText::Both(edge) => [edge; 2],
            EdgesText::Each(edges) => edges,
        };
        let edges = edges.map(|edge| match edge {
            EdgeText::Walls => Edge::Walls,
            EdgeText::Torus => Edge::Torus,
            EdgeText::Open => Edge::Open,
        });
        World { size: self.size, edges }
    }
}

/// One `[[kind]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KindText {
    /// What it is called.
    pub name: Option<String>,
    /// How many bodies; decided by the file or list where bodies are placed one by one.
    pub count: Option<u64>,
    pub gait: GaitText,
    #[serde(default)]
    pub rules: Vec<RuleText>,
    #[serde(default)]
    pub behaviours: Vec<BehaviourText>,
    pub ground: Option<OnGroundText>,
    pub respawn: Option<RespawnText>,
    /// How bodies are placed.
    #[serde(default)]
    pub place: How,
    /// How fast bodies start; the default is their gait's `max_speed`.
    pub start_speed: Option<f32>,
    /// Which way bodies start, in degrees from +x towards +y; the default is drawn.
    pub heading: Option<f32>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GaitText {
    pub max_speed: Numbers,
    pub max_force: Numbers,
    pub look_ahead_spread: Option<f32>,
}

/// A number, or two.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number or a pair of numbers")]
pub(super) enum Numbers {
    One(f32),
    Pair([f32; 2]),
}

/// A set of kinds.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected \"all\", the name of a kind, or a list of names")]
pub(super) enum KindsText {
    One(String),
    List(Vec<String>),
}

impl Default for KindsText {
    fn default() -> Self {
        Self::One("all".to_owned())
    }
}

/// A number, or how it changes.
pub(super) type WeightText = Either<f32, WaveText>;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum WaveText {
    Sine { mean: f32, amplitude: f32, period: u32 },
    Drawn([f32; 2]),
    Noise { low: f32, high: f32, period: u32 },
}

impl Written for WaveText {
    const ALLOWED: &str = "a number, or { sine = { mean, amplitude, period } }, \
        { drawn = [low, high] } or { noise = { low, high, period } }";
}

fn weight_one() -> WeightText {
    Either::Plain(1.0)
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum RuleText {
    Separation(HeardText),
    Alignment(HeardText),
    Cohesion(HeardText),
    Gather {
        radius: f32,
        beyond: f32,
        #[serde(default = "weight_one")]
        weight: WeightText,
        #[serde(default)]
        hears: KindsText,
        #[serde(default = "all_round")]
        field_of_view: f32,
    },
    View(HeardText),
    Flee {
        radius: f32,
        #[serde(default)]
        fading: bool,
        #[serde(default = "weight_one")]
        weight: WeightText,
        #[serde(default)]
        hears: KindsText,
        #[serde(default = "all_round")]
        field_of_view: f32,
    },
    Hunt(HeardText),
}

/// What all rules have.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeardText {
    pub radius: f32,
    #[serde(default = "weight_one")]
    pub weight: WeightText,
    #[serde(default)]
    pub hears: KindsText,
    #[serde(default = "all_round")]
    pub field_of_view: f32,
}

/// A point, or what moves.
pub(super) type TargetText = Either<[f32; 2], MovingText>;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum MovingText {
    Orbit { centre: [f32; 2], radius: f32, period: u32 },
    Body(u32),
    Nearest(KindsText),
}

impl Written for MovingText {
    const ALLOWED: &str = "a point [x, y], or { orbit = { centre, radius, period } }, \
        { body = ID } or { nearest = [KINDS] }";
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum BehaviourText {
    Seek {
        #[serde(default = "weight_one")]
        weight: WeightText,
        target: TargetText,
    },
    Arrive {
        #[serde(default = "weight_one")]
        weight: WeightText,
        target: TargetText,
        slowing: f32,
    },
    Flee {
        #[serde(default = "weight_one")]
        weight: WeightText,
        target: TargetText,
        range: f32,
        #[serde(default)]
        fading: bool,
    },
    Pursue {
        #[serde(default = "weight_one")]
        weight: WeightText,
        target: TargetText,
        look_ahead: f32,
    },
    Evade {
        #[serde(default = "weight_one")]
        weight: WeightText,
        target: TargetText,
        range: f32,
        look_ahead: f32,
    },
    OffsetPursuit {
        #[serde(default = "weight_one")]
        weight: WeightText,
        target: TargetText,
        offset: [f32; 2],
        slowing: f32,
        look_ahead: f32,
    },
    FollowLeader {
        #[serde(default = "weight_one")]
        weight: WeightText,
        target: TargetText,
        behind: f32,
        clearance: f32,
        slowing: f32,
    },
    Wander {
        #[serde(default = "weight_one")]
        weight: WeightText,
        distance: f32,
        radius: f32,
        period: u32,
    },
    Contain {
        #[serde(default = "weight_one")]
        weight: WeightText,
        margin: f32,
    },
    Avoid {
        #[serde(default = "weight_one")]
        weight: WeightText,
        look_ahead: f32,
        #[serde(default)]
        clearance: f32,
    },
    FollowFlow {
        #[serde(default = "weight_one")]
        weight: WeightText,
        flow: String,
    },
    FollowPath {
        #[serde(default = "weight_one")]
        weight: WeightText,
        path: String,
        look_ahead: f32,
    },
}

/// A kind's `ground`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OnGroundText {
    pub field: String,
    pub max_speed: Numbers,
    pub max_force: Numbers,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RespawnText {
    pub by: KindsText,
    pub within: f32,
    pub low: Option<[f32; 2]>,
    pub high: Option<[f32; 2]>,
    #[serde(default)]
    pub speed: f32,
}

/// One `[[flow]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlowText {
    pub name: String,
    pub cells: Option<[u32; 2]>,
    pub cell: Option<f32>,
    pub values: Either<FlowWord, FlowValues>,
}

/// Flows that need no number.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FlowWord {
    Random,
    Swirl,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum FlowValues {
    Uniform([f32; 2]),
    Swirl { centre: Option<[f32; 2]> },
    Random { stream: Option<u32> },
    Noise(NoiseText),
    List(Vec<[f32; 2]>),
    Csv(PathBuf),
}

impl Written for FlowValues {
    const ALLOWED: &str = "\"random\", \"swirl\", or { uniform = [x, y] }, { swirl = { centre } }, \
        { random = { stream } }, { noise = { density, period, stream } }, { list = [[x, y], ...] } or \
        { csv = \"FILE\" }";
}

/// One `[[ground]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroundText {
    pub name: String,
    pub cells: Option<[u32; 2]>,
    pub cell: Option<f32>,
    pub values: SoilValues,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum SoilValues {
    Noise(NoiseText),
    List(Vec<f32>),
    Csv(PathBuf),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoiseText {
    pub density: f32,
    #[serde(default)]
    pub period: u32,
    pub stream: Option<u32>,
}

/// One `[[path]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PathText {
    pub name: String,
    pub points: Vec<[f32; 2]>,
    pub radius: f32,
    #[serde(default)]
    pub closed: bool,
}

/// One `[[obstacle]]`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ObstacleText {
    pub centre: [f32; 2],
    pub radius: f32,
}

fn one() -> f32 {
    1.0
}

fn all_round() -> f32 {
    360.0
}

fn default_ticks() -> u64 {
    400
}
