//! Events: what a scene changes on its way, checked before its first tick.

use super::fields::Shelf;
use super::resolve::{config, kind_index};
use super::set;
use super::source::{Refusal, in_words};
use super::text::SceneText;
use crate::place::{Crowd, How, MOST_BODIES};
use flockstep::Config;
use serde::Deserialize;
use std::iter;
use std::path::Path;
use toml::{Table, Value};

/// The most events of a scene.
const MOST_EVENTS: usize = 1024;

/// The stream of the first event's draws; below it are the kinds'.
const FIRST_STREAM: u64 = 1 << 32;

/// One `[[event]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventText {
    at: u64,
    set: Option<Table>,
    remove: Option<WhoText>,
    #[serde(rename = "become")]
    turn: Option<BecomeText>,
    add: Option<AddText>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WhoText {
    kind: Option<String>,
    count: Option<u64>,
    ids: Option<Vec<u32>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BecomeText {
    kind: Option<String>,
    count: Option<u64>,
    ids: Option<Vec<u32>>,
    to: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddText {
    kind: String,
    count: Option<u64>,
    #[serde(default)]
    place: How,
    start_speed: Option<f32>,
    heading: Option<f32>,
}

/// An event that the scene's text allows.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// The tick that it comes before.
    pub at: u64,
    /// Where it stands: `event[0]`.
    pub path: String,
    /// The configuration from then on.
    pub set: Option<Config>,
    pub remove: Option<Who>,
    /// Who becomes a body of which kind.
    pub turn: Option<(Who, u8)>,
    add: Option<(AddText, u8, u64)>,
}

/// Which bodies an event is about.
#[derive(Clone, Debug)]
pub(super) enum Who {
    /// These, ascending.
    Ids(Vec<u32>),
    /// So many of a kind, the lowest ids first, or as many as there are.
    Oldest { kind: u8, count: u64 },
}

impl Event {
    /// Whether it is about certain bodies.
    pub(super) fn names_ids(&self) -> bool {
        let mut who = self.remove.iter().chain(self.turn.iter().map(|(who, _)| who));
        who.any(|who| matches!(who, Who::Ids(_)))
    }

    /// The bodies that it adds.
    pub(super) fn crowd(&self) -> Option<Crowd<'_>> {
        let (add, kind, stream) = self.add.as_ref()?;
        Some(Crowd {
            path: format!("{}.add", self.path),
            count: add.count,
            place: &add.place,
            start_speed: add.start_speed,
            heading: add.heading,
            kind: *kind,
            stream: *stream,
        })
    }
}

/// The events of a scene in the order in which they happen. `raw` is the scene's text as a tree.
pub(super) fn read(
    text: &SceneText,
    raw: &str,
    start: &Config,
    shelf: &mut Shelf<'_>,
) -> Result<Vec<Event>, Refusal> {
    if text.event.len() > MOST_EVENTS {
        let why = format!("event lists {}; allowed: at most {MOST_EVENTS}", text.event.len());
        return Err(Refusal::at("event", why));
    }
    let mut reader = Reader { text, raw, tree: None, shelf };
    let mut order: Vec<usize> = (0..text.event.len()).collect();
    order.sort_by_key(|&index| text.event[index].at);
    let (mut events, mut added) = (Vec::new(), 0);
    for index in order {
        let event = reader.event(index)?;
        if let Some(crowd) = event.crowd() {
            crowd.check(start)?;
            added += crowd.count.unwrap_or(0);
            if added > MOST_BODIES {
                let path = crowd.path;
                let why =
                    format!("{path}: events add {added} bodies by then; allowed: {MOST_BODIES}");
                return Err(Refusal::at(path, why));
            }
        }
        events.push(event);
    }
    Ok(events)
}

/// Reads events one after another in the order of their ticks.
struct Reader<'a, 'b> {
    text: &'a SceneText,
    raw: &'a str,
    /// The scene's tree with all that was set so far; read when something is set.
    tree: Option<Table>,
    shelf: &'a mut Shelf<'b>,
}

impl Reader<'_, '_> {
    fn event(&mut self, index: usize) -> Result<Event, Refusal> {
        let text = self.text;
        let (event, path) = (&text.event[index], format!("event[{index}]"));
        let EventText { at, set, remove, turn, add } = event;
        if set.is_none() && remove.is_none() && turn.is_none() && add.is_none() {
            let why = format!("{path} does nothing; allowed: set, remove, become, add");
            return Err(Refusal::at(path, why));
        }
        Ok(Event {
            at: *at,
            set: set.as_ref().map(|it| self.set(it, &format!("{path}.set"))).transpose()?,
            remove: remove.as_ref().map(|it| it.who(text, &path)).transpose()?,
            turn: turn.as_ref().map(|it| it.who(text, &path)).transpose()?,
            add: add.as_ref().map(|it| it.of(text, &path, index)).transpose()?,
            path,
        })
    }

    /// The configuration once these keys are set.
    fn set(&mut self, keys: &Table, path: &str) -> Result<Config, Refusal> {
        let tree = match &mut self.tree {
            Some(tree) => tree,
            None => self.tree.insert(toml::from_str(self.raw).unwrap_or_default()),
        };
        for (key, value) in keys {
            set::set(tree, key, value).map_err(|why| {
                let path = format!("{path}.\"{key}\"");
                Refusal::at(path.clone(), format!("{path}: {why}"))
            })?;
        }
        let path = match keys.keys().next() {
            Some(only) if keys.len() == 1 => format!("{path}.\"{only}\""),
            _ => path.to_owned(),
        };
        let mut tree = tree.clone();
        tree.remove("event");
        let text: SceneText = Value::Table(tree)
            .try_into()
            .map_err(|error| Refusal::at(path.clone(), format!("{path}: {}", in_words(&error))))?;
        config(&text, self.shelf).map_err(|why| why.after(&path))
    }
}

impl WhoText {
    fn who(&self, text: &SceneText, event: &str) -> Result<Who, Refusal> {
        who(text, self.kind.as_deref(), self.count, self.ids.as_deref(), &format!("{event}.remove"))
    }
}

impl BecomeText {
    fn who(&self, text: &SceneText, event: &str) -> Result<(Who, u8), Refusal> {
        let path = format!("{event}.become");
        let who = who(text, self.kind.as_deref(), self.count, self.ids.as_deref(), &path)?;
        Ok((who, kind_index(text, &self.to, &format!("{path}.to"))?))
    }
}

impl AddText {
    fn of(&self, text: &SceneText, event: &str, index: usize) -> Result<(Self, u8, u64), Refusal> {
        let kind = kind_index(text, &self.kind, &format!("{event}.add.kind"))?;
        Ok((self.clone(), kind, FIRST_STREAM + index as u64))
    }
}

fn who(
    text: &SceneText,
    kind: Option<&str>,
    count: Option<u64>,
    ids: Option<&[u32]>,
    path: &str,
) -> Result<Who, Refusal> {
    match (kind, ids) {
        (Some(name), None) => {
            let kind = kind_index(text, name, &format!("{path}.kind"))?;
            Ok(Who::Oldest { kind, count: count.unwrap_or(u64::MAX) })
        }
        (None, Some(ids)) if count.is_none() => {
            let mut ids = ids.to_vec();
            ids.sort_unstable();
            ids.dedup();
            Ok(Who::Ids(ids))
        }
        _ => {
            let why = format!("{path} wants a kind, with or without a count, or else ids");
            Err(Refusal::at(path, why))
        }
    }
}

/// Files that events read bodies from.
pub(super) fn files(text: &SceneText) -> impl Iterator<Item = &Path> {
    text.event.iter().filter_map(|event| event.add.as_ref()?.place.file())
}

/// Refuses events about bodies that are not there by then. Each event comes with the number of
/// bodies that it adds; `kinds` are those of the bodies at the start, by id.
pub(super) fn check_ids<'a>(
    events: impl Iterator<Item = (&'a Event, usize)>,
    kinds: impl Iterator<Item = u8>,
) -> Result<(), Refusal> {
    let mut bodies: Vec<Option<u8>> = kinds.map(Some).collect();
    for (event, added) in events {
        if let Some(who) = &event.remove {
            for place in who.places(&bodies, event, "remove")? {
                bodies[place] = None;
            }
        }
        if let Some((who, kind)) = &event.turn {
            for place in who.places(&bodies, event, "become")? {
                bodies[place] = Some(*kind);
            }
        }
        if let Some((_, kind, _)) = &event.add {
            bodies.extend(iter::repeat_n(Some(*kind), added));
        }
    }
    Ok(())
}

impl Who {
    /// Who it is among these, by id.
    fn places(
        &self,
        bodies: &[Option<u8>],
        event: &Event,
        key: &str,
    ) -> Result<Vec<usize>, Refusal> {
        match self {
            Self::Oldest { kind, count } => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                let places = (0..bodies.len()).filter(|&place| bodies[place] == Some(*kind));
                Ok(places.take(count).collect())
            }
            Self::Ids(ids) => {
                let alive = |id: u32| bodies.get(id as usize).is_some_and(Option::is_some);
                if let Some(gone) = ids.iter().find(|&&id| !alive(id)) {
                    let path = format!("{}.{key}.ids", event.path);
                    let why =
                        format!("{path} names body {gone}; at tick {} it is not there", event.at);
                    return Err(Refusal::at(path, why));
                }
                Ok(ids.iter().map(|&id| id as usize).collect())
            }
        }
    }
}
