//! Where a scene came from, and refusals at the line of what is refused.

use crate::fault::Fault;
use flockstep::Error;
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A scene's text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(super) name: String,
    pub(super) text: String,
    /// Where files that it names are looked for.
    pub(super) directory: PathBuf,
}

/// Why a scene cannot be run.
pub(crate) enum Refusal {
    /// What stands at this path of the scene (`kind[0].gait.max_speed`) is at fault.
    At(String, String),
    /// Another file is, which the fault names.
    Elsewhere(Fault),
}

impl Refusal {
    pub(crate) fn at(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self::At(path.into(), why.into())
    }

    /// What a line of another file says.
    pub(crate) fn of_file(file: &str, line: u64, why: &str) -> Self {
        Self::Elsewhere(Fault::Input(format!("{file}:{line}: {why}")))
    }

    /// The same refusal, of what an event makes of the scene.
    pub(super) fn after(self, path: &str) -> Self {
        match self {
            Self::At(_, why) => Self::at(path, format!("{path} makes a scene where {why}")),
            elsewhere @ Self::Elsewhere(_) => elsewhere,
        }
    }

    /// A name that is not there, with what is.
    pub(crate) fn no_such<'a>(
        path: String,
        what: &str,
        found: &str,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let hint = nearest(found, names.clone()).map(|near| format!("; did you mean `{near}`?"));
        let there = match names.map(|name| format!("`{name}`")).collect::<Vec<_>>() {
            names if names.is_empty() => "none has a name".to_owned(),
            names => format!("there are {}", names.join(", ")),
        };
        let why = format!("{path} names {what} `{found}`; {there}{}", hint.unwrap_or_default());
        Self::At(path, why)
    }
}

impl From<Error> for Refusal {
    /// What the library refuses, at the scene's path of what it is about.
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match field(&error) {
            None => Self::At(String::new(), text),
            Some(field) => {
                let path = scene_path(field);
                let why = text.replacen(field, &path, 1);
                Self::At(path, why)
            }
        }
    }
}

fn field(error: &Error) -> Option<&str> {
    match error {
        Error::Setting { field, .. }
        | Error::TooMany { field, .. }
        | Error::NoSuch { field, .. }
        | Error::Values { field, .. }
        | Error::Points { field, .. }
        | Error::RadiusOverTorus { field, .. }
        | Error::StepOverTorus { field, .. } => Some(field),
        _ => None,
    }
}

/// The library's path as a scene has it.
fn scene_path(field: &str) -> String {
    let mut path = field.to_owned();
    for (library, scene) in [
        ("kinds[", "kind["),
        ("scenery.flows", "flow"),
        ("scenery.grounds", "ground"),
        ("scenery.paths", "path"),
        ("scenery.obstacles", "obstacle"),
        (".spread.look_ahead", ".gait.look_ahead_spread"),
        (".spread.", ".gait."),
    ] {
        path = path.replacen(library, scene, 1);
    }
    path
}

impl Source {
    /// A refusal at its line.
    pub(crate) fn refuse(&self, refusal: impl Into<Refusal>) -> Fault {
        match refusal.into() {
            Refusal::Elsewhere(fault) => fault,
            Refusal::At(path, why) => Fault::Input(format!("{}: {why}", self.place(&path))),
        }
    }

    /// The scene's name, and the line of the value at `path` if it has one.
    fn place(&self, path: &str) -> String {
        let table = DeTable::parse(&self.text).ok();
        match table.and_then(|table| span_of(table.get_ref(), path)) {
            Some(offset) => format!("{}:{}", self.name, self.line(offset)),
            None => self.name.clone(),
        }
    }

    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().iter().take(offset);
        1 + before.filter(|&&byte| byte == b'\n').count()
    }

    /// What the TOML parser or the shape of a scene refuses.
    pub(super) fn refuse_syntax(&self, error: &toml::de::Error) -> Fault {
        let line = error.span().map(|span| format!(":{}", self.line(span.start)));
        let words = in_words(error);
        // What is unknown or stands twice is named by its words; what is missing or of the wrong form,
        // by where it stands.
        let named =
            ["invalid ", "missing ", "expected "].iter().any(|start| words.starts_with(start));
        let table = DeTable::parse(&self.text).ok().filter(|_| named);
        let path =
            table.zip(error.span()).and_then(|(table, span)| path_at(table.get_ref(), &span));
        let path = path.map(|path| format!("{path}: ")).unwrap_or_default();
        Fault::Input(format!("{}{}: {path}{words}", self.name, line.unwrap_or_default()))
    }
}

/// The path of the innermost value that covers these bytes.
fn path_at(table: &DeTable<'_>, bytes: &Range<usize>) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    let mut open: Vec<(String, &Spanned<DeValue<'_>>)> =
        table.iter().map(|(key, value)| (key.get_ref().to_string(), value)).collect();
    while let Some((path, value)) = open.pop() {
        let span = value.span();
        let covers = span.start <= bytes.start && bytes.end <= span.end;
        if covers && best.as_ref().is_none_or(|(length, _)| span.len() <= *length) {
            best = Some((span.len(), path.clone()));
        }
        match value.get_ref() {
            DeValue::Array(items) => {
                let items = items.iter().enumerate();
                open.extend(items.map(|(at, item)| (format!("{path}[{at}]"), item)));
            }
            DeValue::Table(table) => open.extend(
                table.iter().map(|(key, value)| (format!("{path}.{}", key.get_ref()), value)),
            ),
            _ => {}
        }
    }
    best.map(|(_, path)| path)
}

/// A parser's refusal on one line, in a scene's words, with a hint for misspelt names.
pub(super) fn in_words(error: &toml::de::Error) -> String {
    let message = unexpected(error.message().trim().replace('\n', "; "));
    let mut names = message.split('`').skip(1).step_by(2);
    let hint = match names.next() {
        Some(found) if message.starts_with("unknown ") => {
            nearest(found, names).map(|near| format!("; did you mean `{near}`?"))
        }
        _ => None,
    };
    let mut words = message.clone();
    for (parser, scene) in [
        ("unknown field", "unknown key"),
        ("missing field", "missing key"),
        ("unknown variant", "unknown name"),
        ("expected u64", "expected a whole number, 0 or more"),
        ("expected u32", "expected a whole number, 0 or more"),
        ("expected f32", "expected a number"),
        (
            "wanted exactly 1 element, more than 1 element",
            "more than one name in these braces; allowed: one name with its table",
        ),
        ("wanted exactly 1 element", "expected one name with its table"),
    ] {
        words = words.replace(parser, scene);
    }
    words + &hint.unwrap_or_default()
}

/// The parser puts some unknown keys in words of its own.
fn unexpected(message: String) -> String {
    let lists = message.strip_prefix("unexpected keys in table: ");
    match lists.and_then(|lists| lists.split_once(", available keys: ")) {
        None => message,
        Some((found, known)) => {
            let [found, known] = [found, known].map(|keys| {
                let quoted = keys.split(", ").map(|key| format!("`{key}`"));
                quoted.collect::<Vec<_>>().join(", ")
            });
            format!("unknown field {found}, expected one of {known}")
        }
    }
}

/// The name most like `found`, if one is alike at all.
pub(crate) fn nearest<'a>(found: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let score = |name: &str| strsim::jaro_winkler(found, name);
    names.filter(|name| score(name) > 0.8).max_by(|a, b| score(a).total_cmp(&score(b)))
}

/// The steps of a path: `kind[0].gait` is `kind`, `0`, `gait`. What stands in quotes is one step.
pub(super) fn steps(path: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut quoted = false;
    for letter in path.chars() {
        match letter {
            '"' => quoted = !quoted,
            '.' | '[' | ']' if !quoted => found.push(String::new()),
            _ => found.last_mut().into_iter().for_each(|step| step.push(letter)),
        }
    }
    found.retain(|step| !step.is_empty());
    found
}

/// Where the value at `path` stands in the text; if it is left to its default, where the nearest
/// table around it stands.
fn span_of(table: &DeTable<'_>, path: &str) -> Option<usize> {
    let mut found = None;
    let mut here = None;
    for step in steps(path) {
        let next = match here {
            None => table.get(step.as_str()),
            Some(value) => step_into(value, &step),
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
        // A rule stands in a table of its own name, which paths leave out; so do behaviours,
        // targets, weights and values.
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

    #[test]
    fn a_path_has_steps() {
        assert_eq!(steps("kind[0].gait.max_speed"), ["kind", "0", "gait", "max_speed"]);
        assert_eq!(steps("path.river.points[3][1]"), ["path", "river", "points", "3", "1"]);
        assert_eq!(steps("event[2].set.\"a.b[1]\""), ["event", "2", "set", "a.b[1]"]);
        assert!(steps("").is_empty());
    }

    #[test]
    fn the_librarys_paths_become_the_scenes() {
        for (library, scene) in [
            ("kinds[1].rules[0].radius", "kind[1].rules[0].radius"),
            ("kinds[1].spread.look_ahead", "kind[1].gait.look_ahead_spread"),
            ("kinds[1].spread.max_speed", "kind[1].gait.max_speed"),
            ("kinds[1].ground.field", "kind[1].ground.field"),
            ("scenery.grounds[2].values[7]", "ground[2].values[7]"),
            ("scenery.paths", "path"),
            ("scenery.obstacles[0].centre[1]", "obstacle[0].centre[1]"),
            ("world.size[0]", "world.size[0]"),
        ] {
            assert_eq!(scene_path(library), scene);
        }
    }
}
