//! Scenes: what a TOML file says, checked, with line numbers for what is refused. docs/scenes.md.

mod built_in;
mod either;
mod events;
mod fields;
#[cfg(test)]
mod golden;
mod play;
mod resolve;
mod rows;
mod set;
mod source;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use built_in::BUILT_IN;
pub(crate) use play::Play;
pub(crate) use rows::{Rows, Wanted, read_rows};
pub(crate) use source::{Refusal, nearest};

use crate::fault::{Fault, Outcome};
use crate::look::Look;
use crate::place::Crowd;
use either::Either;
use events::Event;
use fields::Shelf;
use flockstep::{Config, Flock};
use play::Due;
use source::Source;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use text::{FlowValues, KindText, SceneText, SoilValues};

/// Longer files are refused.
const LONGEST_FILE: u64 = 1 << 20;

/// A scene that can be run.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// The file as it was named, or the built-in name.
    pub name: String,
    /// What it shows, in a line.
    pub about: String,
    /// What it was made after, if it was.
    pub from: String,
    /// The configuration at the start.
    pub config: Config,
    /// How many ticks a run lasts.
    pub ticks: u64,
    /// Within which distance bodies count as neighbours in measures.
    pub radius: f32,
    /// How it is shown.
    pub look: Look,
    kinds: Vec<KindText>,
    /// In the order in which they happen.
    events: Vec<Event>,
    files: Vec<PathBuf>,
    source: Source,
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
        let (config, events) = check(&scene, &source).map_err(|why| source.refuse(why))?;
        let radius = scene.radius.unwrap_or(config.radius());
        if scene.radius.is_some()
            && let Err(error) = flockstep::Neighbours::new(config.world, radius)
        {
            return Err(source.refuse(error));
        }
        let files = files(&scene, name, directory);
        let SceneText { about, from, ticks, picture: look, kind: kinds, .. } = scene;
        let name = name.to_owned();
        Ok(Self { name, about, from, config, ticks, radius, look, kinds, events, files, source })
    }

    /// Changes the configuration of every moment.
    pub(crate) fn change(&mut self, change: impl Fn(&mut Config)) {
        change(&mut self.config);
        self.events.iter_mut().filter_map(|event| event.set.as_mut()).for_each(change);
    }

    /// Changes what the bodies are drawn from.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.change(|config| config.seed = seed);
    }

    /// Changes how many bodies the first kind has.
    pub(crate) fn set_count(&mut self, count: u64) -> Outcome {
        self.kinds[0].count = Some(count);
        self.kinds[0].crowd(0).check(&self.config).map_err(|why| match why {
            Refusal::At(_, why) => Fault::Input(format!("-n: {why}")),
            Refusal::Elsewhere(fault) => fault,
        })
    }

    /// The files that the scene is read from.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The kinds' names, or their numbers.
    pub(crate) fn kind_names(&self) -> Vec<String> {
        let name = |(index, kind): (usize, &KindText)| {
            kind.name.clone().unwrap_or_else(|| format!("kind {index}"))
        };
        self.kinds.iter().enumerate().map(name).collect()
    }

    /// The scene's bodies at tick 0, and what is going to happen to them.
    pub(crate) fn play(&self) -> Outcome<Play> {
        Ok(Play::new(self.flock()?, self.due()?))
    }

    /// The same from where a snapshot of this scene was saved.
    pub(crate) fn resume(&self, flock: Flock) -> Outcome<Play> {
        Ok(Play::new(flock, self.due()?))
    }

    /// The configuration of a snapshot that is saved at this tick: the events before that tick have
    /// not happened then.
    pub(crate) fn config_at(&self, tick: u64) -> &Config {
        let before = self.events.iter().take_while(|event| event.at < tick);
        before.filter_map(|event| event.set.as_ref()).last().unwrap_or(&self.config)
    }

    /// A flock with the scene's bodies in it, at tick 0.
    pub(crate) fn flock(&self) -> Outcome<Flock> {
        self.place_kinds().map_err(|why| self.source.refuse(why))
    }

    fn place_kinds(&self) -> Result<Flock, Refusal> {
        let mut flock = Flock::new(self.config.clone())?;
        for (index, kind) in self.kinds.iter().enumerate() {
            let placed = kind.crowd(index).place(&self.config, &self.source.directory)?;
            placed.add_to(&mut flock)?;
        }
        Ok(flock)
    }

    /// The events with the bodies that they add.
    fn due(&self) -> Outcome<Arc<[Due]>> {
        self.check_due().map(Arc::from).map_err(|why| self.source.refuse(why))
    }

    fn check_due(&self) -> Result<Vec<Due>, Refusal> {
        let due = self.place_added()?;
        if self.events.iter().any(Event::names_ids) {
            let start = self.place_kinds()?;
            let happening = due.iter().map(|due| (&due.event, due.add.len()));
            events::check_ids(happening, start.iter().map(|body| body.kind))?;
        }
        Ok(due)
    }

    fn place_added(&self) -> Result<Vec<Due>, Refusal> {
        let (mut due, mut config) = (Vec::new(), &self.config);
        for event in &self.events {
            config = event.set.as_ref().unwrap_or(config);
            let mut add = Vec::new();
            if let Some(crowd) = event.crowd() {
                let placed = crowd.place(config, &self.source.directory)?;
                // What a flock refuses is told now and not on the way.
                placed.add_to(&mut Flock::new(config.clone())?)?;
                add = placed.spawns;
            }
            due.push(Due { event: event.clone(), add });
        }
        Ok(due)
    }
}

/// The configuration and the events of a scene's text.
fn check(scene: &SceneText, source: &Source) -> Result<(Config, Vec<Event>), Refusal> {
    let mut shelf = Shelf::new(&source.directory);
    let config = resolve::config(scene, &mut shelf)?;
    for (index, kind) in scene.kind.iter().enumerate() {
        kind.crowd(index).check(&config)?;
    }
    scene.picture.check().map_err(|why| {
        // It begins with the path.
        Refusal::at(why.split(' ').next().unwrap_or_default(), why.clone())
    })?;
    let events = events::read(scene, &source.text, &config, &mut shelf)?;
    Ok((config, events))
}

/// The files that a scene is read from.
fn files(scene: &SceneText, name: &str, directory: &Path) -> Vec<PathBuf> {
    let kinds = scene.kind.iter().filter_map(|kind| kind.place.file());
    let flows = scene.flow.iter().filter_map(|flow| match &flow.values {
        Either::Table(FlowValues::Csv(file)) => Some(file.as_path()),
        _ => None,
    });
    let grounds = scene.ground.iter().filter_map(|ground| match &ground.values {
        SoilValues::Csv(file) => Some(file.as_path()),
        _ => None,
    });
    let named = kinds.chain(flows).chain(grounds).chain(events::files(scene));
    named.map(|file| directory.join(file)).chain([PathBuf::from(name)]).collect()
}

impl KindText {
    /// The bodies of the `index`th kind.
    fn crowd(&self, index: usize) -> Crowd<'_> {
        Crowd {
            path: format!("kind[{index}]"),
            count: self.count,
            place: &self.place,
            start_speed: self.start_speed,
            heading: self.heading,
            kind: index as u8,
            stream: index as u64,
        }
    }
}

/// Reads a scene file.
fn read(path: &Path) -> Outcome<String> {
    let name = path.display();
    let file = fs::File::open(path).map_err(|error| {
        let names = BUILT_IN.iter().map(|(name, _)| *name);
        let hint = match nearest(&path.to_string_lossy(), names) {
            Some(near) => format!("did you mean the built-in scene `{near}`?"),
            None => "`flockstep scenes` lists the built-in ones".to_owned(),
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
