//! Scenes: what a TOML file says, checked, with line numbers for what is refused. docs/scenes.md.

use crate::fault::{Fault, Outcome};
use crate::place::{self, Placed};
use flockstep::{Behaviour, Config, Edge, Error, Flock, Gait, Kind, Rule, World};
use serde::Deserialize;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Longer files are refused.
const LONGEST_FILE: u64 = 1 << 20;

/// The built-in scenes, in the order they are listed.
pub(crate) const BUILT_IN: [(&str, &str); 7] = [
    ("valley", include_str!("../scenes/valley.toml")),
    ("hand", include_str!("../scenes/hand.toml")),
    ("crowd", include_str!("../scenes/crowd.toml")),
    ("murmuration", include_str!("../scenes/murmuration.toml")),
    ("strangers", include_str!("../scenes/strangers.toml")),
    ("lattice", include_str!("../scenes/lattice.toml")),
    ("plain", include_str!("../scenes/plain.toml")),
];

/// A scene that can be run.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// The file as it was named, or the built-in name.
    pub name: String,
    /// What it shows, in a line.
    pub about: String,
    pub config: Config,
    /// How many ticks a run lasts.
    pub ticks: u64,
    /// Within which distance bodies count as neighbours in measures.
    pub radius: f32,
    kinds: Vec<KindText>,
    source: Source,
}

/// Where a scene came from, to find the line of what is refused.
#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    /// Where files that it names are looked for.
    directory: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneText {
    #[serde(default)]
    about: String,
    #[serde(default)]
    seed: u64,
    #[serde(default = "default_ticks")]
    ticks: u64,
    #[serde(default = "one")]
    dt: f32,
    radius: Option<f32>,
    world: WorldText,
    #[serde(default)]
    kind: Vec<KindText>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldText {
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

/// One `[[kind]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KindText {
    /// What people call it.
    pub name: Option<String>,
    /// How many bodies; decided by the file or list where bodies are placed one by one.
    pub count: Option<Spanned<u64>>,
    gait: GaitText,
    separation: Option<RuleText>,
    alignment: Option<RuleText>,
    cohesion: Option<RuleText>,
    #[serde(default)]
    behaviours: Vec<BehaviourText>,
    /// How bodies are placed.
    #[serde(default)]
    pub place: place::How,
    /// How fast bodies start; the default is their gait's `max_speed`.
    pub start_speed: Option<Spanned<f32>>,
    /// Which way bodies start, in degrees from +x towards +y; the default is drawn.
    pub heading: Option<Spanned<f32>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GaitText {
    max_speed: f32,
    max_force: f32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    radius: f32,
    #[serde(default = "one")]
    weight: f32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum BehaviourText {
    Wander {
        #[serde(default = "one")]
        weight: f32,
        distance: f32,
        radius: f32,
        period: u32,
    },
    Contain {
        #[serde(default = "one")]
        weight: f32,
        margin: f32,
    },
}

fn one() -> f32 {
    1.0
}

fn default_ticks() -> u64 {
    400
}

impl Scene {
    /// The built-in scene of this name, or else the scene in the file of this name.
    pub(crate) fn open(name: &str) -> Outcome<Self> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return Self::parse(name, text, Path::new("."));
        }
        let path = Path::new(name);
        let text = read(path)?;
        Self::parse(name, &text, path.parent().unwrap_or(Path::new(".")))
    }

    /// A scene from its text. Files that it names are looked for in `directory`.
    pub(crate) fn parse(name: &str, text: &str, directory: &Path) -> Outcome<Self> {
        let source = Source {
            name: name.to_owned(),
            text: text.to_owned(),
            directory: directory.to_owned(),
        };
        let scene: SceneText =
            toml::from_str(text).map_err(|error| source.refuse_syntax(&error))?;
        let config = Config {
            world: scene.world.world(),
            dt: scene.dt,
            seed: scene.seed,
            kinds: scene.kind.iter().map(KindText::kind).collect(),
        };
        if config.kinds.is_empty() {
            return Err(Fault::Input(format!("{name}: a scene needs at least one [[kind]]")));
        }
        config.check().map_err(|error| source.refuse(&error))?;
        let radius = scene.radius.unwrap_or(config.radius());
        if scene.radius.is_some()
            && let Err(error) = flockstep::Neighbours::new(config.world, radius)
        {
            return Err(source.refuse(&error));
        }
        place::check(&scene.kind, &config).map_err(|(path, why)| source.fault(&path, &why))?;
        let (about, ticks, kinds) = (scene.about, scene.ticks, scene.kind);
        Ok(Self { name: name.to_owned(), about, config, ticks, radius, kinds, source })
    }

    /// Changes what the bodies are drawn from.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    /// Changes how many bodies the first kind has.
    pub(crate) fn set_count(&mut self, count: u64) -> Outcome {
        self.kinds[0].count = Some(Spanned::new(0..0, count));
        place::check(&self.kinds[..1], &self.config)
            .map_err(|(_, why)| Fault::Input(format!("-n: {why}")))
    }

    /// The files that the scene is read from.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let csv = self.kinds.iter().filter_map(|kind| match &kind.place {
            place::How::Csv(file) => Some(self.source.directory.join(file)),
            _ => None,
        });
        csv.chain([PathBuf::from(&self.name)]).collect()
    }

    /// The kinds' names, or their numbers.
    pub(crate) fn kind_names(&self) -> Vec<String> {
        let name = |(index, kind): (usize, &KindText)| {
            kind.name.clone().unwrap_or_else(|| format!("kind {index}"))
        };
        self.kinds.iter().enumerate().map(name).collect()
    }

    /// A flock with the scene's bodies in it, at tick 0.
    pub(crate) fn flock(&self) -> Outcome<Flock> {
        let mut flock = self.empty_flock()?;
        for (index, kind) in self.kinds.iter().enumerate() {
            let Placed { spawns, origins } =
                place::place(kind, index as u8, &self.config, &self.source.directory)
                    .map_err(|why| self.source.within(&format!("kind[{index}].place"), why))?;
            flock.add_all(&spawns).map_err(|error| match (&error, &origins) {
                (Error::Body { body, field, value, allowed }, Some(origins)) => {
                    let at = origins.line(*body);
                    Fault::Input(format!("{at}: {field} is {value:?}; allowed: {allowed}"))
                }
                _ => self.source.fault(&format!("kind[{index}]"), &error.to_string()),
            })?;
        }
        Ok(flock)
    }

    /// A flock of the scene's configuration without bodies.
    pub(crate) fn empty_flock(&self) -> Outcome<Flock> {
        Flock::new(self.config.clone()).map_err(|error| self.source.refuse(&error))
    }
}

/// Reads a scene file.
fn read(path: &Path) -> Outcome<String> {
    let name = path.display();
    let file = fs::File::open(path).map_err(|error| {
        let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        let hint = match nearest(&path.to_string_lossy(), names.iter().copied()) {
            Some(near) => format!("did you mean the built-in scene `{near}`?"),
            None => format!("built-in scenes: {}", names.join(", ")),
        };
        Fault::Input(format!("cannot read the scene {name}: {error}; {hint}"))
    })?;
    let mut text = String::new();
    file.take(LONGEST_FILE + 1)
        .read_to_string(&mut text)
        .map_err(|error| Fault::Input(format!("cannot read the scene {name}: {error}")))?;
    if text.len() as u64 > LONGEST_FILE {
        let why = format!("is longer than {LONGEST_FILE} bytes");
        return Err(Fault::Input(format!("the scene {name} {why}")));
    }
    Ok(text)
}

impl WorldText {
    fn world(&self) -> World {
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

impl KindText {
    fn kind(&self) -> Kind {
        let rule = |text: Option<RuleText>| text.map(|rule| Rule::new(rule.radius, rule.weight));
        let behaviour = |text: &BehaviourText| match *text {
            BehaviourText::Wander { weight, distance, radius, period } => {
                Behaviour::Wander { weight, distance, radius, period }
            }
            BehaviourText::Contain { weight, margin } => Behaviour::Contain { weight, margin },
        };
        Kind {
            gait: Gait::new(self.gait.max_speed, self.gait.max_force),
            separation: rule(self.separation),
            alignment: rule(self.alignment),
            cohesion: rule(self.cohesion),
            behaviours: self.behaviours.iter().map(behaviour).collect(),
        }
    }
}

impl Source {
    /// A refusal of the library, at the line of the value it is about.
    fn refuse(&self, error: &Error) -> Fault {
        let text = error.to_string();
        match error {
            Error::Setting { field, .. }
            | Error::Behaviours { field, .. }
            | Error::RadiusOverTorus { field, .. }
            | Error::StepOverTorus { field, .. } => {
                let path = field.replace("kinds[", "kind[");
                self.fault(&path, &text.replace("kinds[", "kind["))
            }
            _ => Fault::Input(format!("{}: {text}", self.name)),
        }
    }

    /// A refusal at the line of `path`.
    fn fault(&self, path: &str, why: &str) -> Fault {
        match DeTable::parse(&self.text).ok().and_then(|table| span_of(table.get_ref(), path)) {
            Some(offset) => Fault::Input(format!("{}:{}: {why}", self.name, self.line(offset))),
            None => Fault::Input(format!("{}: {why}", self.name)),
        }
    }

    /// A refusal that already names another file stays as it is.
    fn within(&self, path: &str, why: place::Refusal) -> Fault {
        match why {
            place::Refusal::Scene(why) => self.fault(path, &why),
            place::Refusal::Elsewhere(fault) => fault,
        }
    }

    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().iter().take(offset);
        1 + before.filter(|&&byte| byte == b'\n').count()
    }

    /// What the TOML parser or the shape of a scene refuses, with a hint for misspelt names.
    fn refuse_syntax(&self, error: &toml::de::Error) -> Fault {
        let message = error.message().trim().replace('\n', "; ");
        let mut names = message.split('`').skip(1).step_by(2);
        let hint = match names.next() {
            Some(found) if message.starts_with("unknown ") => {
                nearest(found, names).map(|near| format!("; did you mean `{near}`?"))
            }
            _ => None,
        };
        let message = message
            .replace("unknown field", "unknown key")
            .replace("missing field", "missing key")
            .replace("unknown variant", "unknown name")
            .replace("expected u64", "expected a whole number, 0 or more")
            .replace("expected u32", "expected a whole number, 0 or more");
        let line = error.span().map(|span| format!(":{}", self.line(span.start)));
        let (line, hint) = (line.unwrap_or_default(), hint.unwrap_or_default());
        Fault::Input(format!("{}{line}: {message}{hint}", self.name))
    }
}

/// The name most like `found`, if one is alike at all.
pub(crate) fn nearest<'a>(found: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let score = |name: &str| strsim::jaro_winkler(found, name);
    names.filter(|name| score(name) > 0.8).max_by(|a, b| score(a).total_cmp(&score(b)))
}

/// Where the value at `path` (`kind[0].gait.max_speed`) stands in the text; if it is left to its
/// default, where the nearest table around it stands.
fn span_of(table: &DeTable<'_>, path: &str) -> Option<usize> {
    let mut found = None;
    let mut here = None;
    for step in path.split(['.', '[']).map(|step| step.trim_end_matches(']')) {
        let next = match here {
            None => table.get(step),
            Some(value) => step_into(value, step),
        };
        let Some(next) = next else { break };
        found = Some(next.span().start);
        here = Some(next.get_ref());
    }
    found
}

fn step_into<'a>(value: &'a DeValue<'_>, step: &str) -> Option<&'a Spanned<DeValue<'a>>> {
    match value {
        DeValue::Array(items) => items.get(step.parse::<usize>().ok()?),
        // A behaviour stands in a table of its own name, which the library's path leaves out.
        DeValue::Table(table) => table.get(step).or_else(|| {
            let only = table.values().next().filter(|_| table.len() == 1)?;
            step_into(only.get_ref(), step)
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        match Scene::parse("test.toml", text, Path::new(".")).and_then(|scene| scene.flock()) {
            Err(Fault::Input(why)) => why,
            other => panic!("{other:?} should be refused"),
        }
    }

    const SCENE: &str = "\
ticks = 10
[world]
size = [100, 60]
edges = \"torus\"
[[kind]]
count = 5
gait = { max_speed = 2, max_force = 0.3 }
separation = { radius = 10, weight = 1.6 }
behaviours = [{ wander = { distance = 1, radius = 1, period = 20 } }]
";

    #[test]
    fn refusals_name_file_line_and_a_hint() {
        let with = |from: &str, to: &str| {
            assert!(SCENE.contains(from));
            refused(&SCENE.replace(from, to))
        };
        for (from, to, wanted) in [
            ("count", "cuont", "test.toml:6: unknown key `cuont`, expected one of"),
            ("count", "cuont", "did you mean `count`?"),
            ("radius = 10", "radius = 31", "test.toml:8: kind[0].separation.radius is 31.0, over"),
            ("radius = 10", "radius = nan", "test.toml:8: kind[0].separation.radius is NaN"),
            ("weight = 1.6", "weight = 3e38", "test.toml:8: kind[0].separation.weight is 3e38"),
            ("period = 20", "period = 0", "test.toml:9: kind[0].behaviours[0].period is 0.0"),
            ("distance = 1,", "distance = -1,", "test.toml:9: kind[0].behaviours[0].distance"),
            ("60]", "0]", "test.toml:3: world.size[1] is 0.0"),
            ("\"torus\"", "\"tours\"", "test.toml:4: edges are \"walls\", \"torus\" or \"open\""),
            ("max_speed = 2", "max_speed = 40", "test.toml:7: kind[0].gait.max_speed times dt"),
            ("count = 5", "count = -5", "test.toml:6: invalid value: integer `-5`"),
            ("count = 5", "count = 999999999", "test.toml:6: count is 999999999; allowed"),
            ("count = 5\n", "", "test.toml:5: count is missing"),
            ("size", "siez", "did you mean `size`?"),
            ("ticks = 10", "ticks = ", "test.toml:1: "),
        ] {
            let why = with(from, to);
            assert!(why.contains(wanted), "{why:?} lacks {wanted:?}");
            assert!(!why.contains('\n'), "{why:?} is one line");
        }
    }

    #[test]
    fn built_in_scenes_can_be_run() {
        for (name, _) in BUILT_IN {
            let scene = Scene::open(name).unwrap();
            assert!(!scene.about.is_empty() && scene.flock().unwrap().len() > 1, "{name}");
        }
    }
}
