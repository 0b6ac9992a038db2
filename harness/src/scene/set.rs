//! Setting a value of a scene's tree by its path.

use super::source::{nearest, steps};
use toml::{Table, Value};

/// The lists that a path may lead into.
const LISTS: [&str; 5] = ["kind", "flow", "ground", "path", "obstacle"];

/// What of a kind matters only when bodies are placed.
const AT_THE_START: [&str; 4] = ["count", "place", "start_speed", "heading"];

/// Sets what `path` leads to: `kind.boid.gait.max_speed`, `path.river.points`, `dt`. Lists are
/// stepped into by number, or by the name of what they hold.
pub(super) fn set(tree: &mut Table, path: &str, value: &Value) -> Result<(), String> {
    let steps = steps(path);
    let (root, rest) = steps.split_first().ok_or("allowed: a path into the scene")?;
    match (root.as_str(), rest) {
        ("dt", []) | ("obstacle", []) => {
            tree.insert(root.clone(), value.clone());
            return Ok(());
        }
        (_, [_, key, ..]) if LISTS.contains(&root.as_str()) => allow(root, key)?,
        _ => {
            let lists = LISTS.join(", ");
            return Err(format!("allowed: dt, or a key of something in {lists}, as kind.NAME.KEY"));
        }
    }
    let mut here = tree.get_mut(root).ok_or_else(|| format!("the scene has no [[{root}]]"))?;
    let (last, between) = rest.split_last().ok_or("allowed: a path into the scene")?;
    for (at, step) in between.iter().enumerate() {
        here = enter(here, step, is_named(&steps[..=at]))?;
    }
    put(here, last, is_named(&steps[..steps.len() - 1]), value)
}

fn allow(root: &str, key: &str) -> Result<(), String> {
    if key == "name" {
        return Err("names stay as they are".to_owned());
    }
    if root == "kind" && AT_THE_START.contains(&key) {
        return Err(format!("{key} only matters when bodies are placed; an event can add some"));
    }
    Ok(())
}

/// Whether what these steps lead to stands in a table of its own name: `{ separation = {..} }`.
fn is_named(steps: &[String]) -> bool {
    match steps {
        [.., key] if ["weight", "target", "values"].contains(&key.as_str()) => true,
        [.., list, _] => list == "rules" || list == "behaviours",
        _ => false,
    }
}

/// One step further.
fn enter<'a>(here: &'a mut Value, step: &str, named: bool) -> Result<&'a mut Value, String> {
    match here {
        Value::Array(items) => {
            let place = place_of(items, step)?;
            Ok(&mut items[place])
        }
        Value::Table(table) => {
            let table = inside(table, step, named);
            let keys: Vec<String> = table.keys().cloned().collect();
            table.get_mut(step).ok_or_else(|| {
                let near = nearest(step, keys.iter().map(String::as_str));
                let hint = near.map(|near| format!("; did you mean `{near}`?"));
                format!("there is no `{step}`{}", hint.unwrap_or_default())
            })
        }
        _ => Err(format!("there is nothing in which `{step}` could be")),
    }
}

/// The last step: what stands there is replaced, or a key is added.
fn put(here: &mut Value, step: &str, named: bool, value: &Value) -> Result<(), String> {
    match here {
        Value::Array(items) => {
            let place = place_of(items, step)?;
            items[place] = value.clone();
            Ok(())
        }
        Value::Table(table) => {
            inside(table, step, named).insert(step.to_owned(), value.clone());
            Ok(())
        }
        _ => Err(format!("there is nothing in which `{step}` could be")),
    }
}

/// The table that has `step`, or would have it: the one behind the name, where there is a name.
fn inside<'a>(table: &'a mut Table, step: &str, named: bool) -> &'a mut Table {
    let behind = named
        && !table.contains_key(step)
        && table.len() == 1
        && table.values().all(Value::is_table);
    if behind && let Some(name) = table.keys().next().cloned() {
        return match table.get_mut(&name) {
            Some(Value::Table(inner)) => inner,
            _ => unreachable!("it was looked at just now"),
        };
    }
    table
}

/// The place of an item by its number, its name, or the one name it stands under.
fn place_of(items: &[Value], step: &str) -> Result<usize, String> {
    if let Ok(place) = step.parse::<usize>() {
        return match items.len() {
            length if place < length => Ok(place),
            length => Err(format!("there are {length}, counted from 0")),
        };
    }
    let names: Vec<Option<&str>> = items.iter().map(name_of).collect();
    let mut found = (0..items.len()).filter(|&place| names[place] == Some(step));
    match (found.next(), found.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => Err(format!("there are several `{step}`: give a number")),
        (None, _) => {
            let there: Vec<&str> = names.iter().flatten().copied().collect();
            let hint = nearest(step, there.iter().copied());
            let hint = hint.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(format!("there is no `{step}`, but {}{hint}", list(&there)))
        }
    }
}

fn name_of(item: &Value) -> Option<&str> {
    let table = item.as_table()?;
    match table.get("name") {
        Some(name) => name.as_str(),
        None if table.len() == 1 => table.keys().next().map(String::as_str),
        None => None,
    }
}

fn list(names: &[&str]) -> String {
    match names {
        [] => "nothing with a name".to_owned(),
        _ => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "\
dt = 1
[[kind]]
name = \"boid\"
count = 3
gait = { max_speed = 1, max_force = 1 }
rules = [{ separation = { radius = 5 } }, { view = { radius = 5 } }, { view = { radius = 6 } }]
behaviours = [{ seek = { target = { orbit = { radius = 3 } } } }]
[[path]]
name = \"river\"
points = [[0, 0], [1, 1]]
";

    fn after(path: &str, value: &str) -> Result<Table, String> {
        let mut tree: Table = toml::from_str(SCENE).unwrap();
        let value: Table = toml::from_str(&format!("v = {value}")).unwrap();
        set(&mut tree, path, &value["v"]).map(|()| tree)
    }

    #[test]
    fn paths_lead_by_name_number_and_past_the_names_of_rules() {
        let wanted = |from: &str, to: &str| {
            assert!(SCENE.contains(from), "{from}");
            toml::from_str::<Table>(&SCENE.replacen(from, to, 1)).unwrap()
        };
        for (path, value, from, to) in [
            ("dt", "2", "dt = 1", "dt = 2"),
            ("kind.boid.gait.max_speed", "3.5", "max_speed = 1", "max_speed = 3.5"),
            ("kind[0].gait.max_speed", "3.5", "max_speed = 1", "max_speed = 3.5"),
            ("kind.boid.rules[0].radius", "7", "radius = 5 }", "radius = 7 }"),
            ("kind.boid.rules[0].separation.radius", "7", "radius = 5 }", "radius = 7 }"),
            ("kind.boid.rules.separation.radius", "7", "radius = 5 }", "radius = 7 }"),
            ("kind.boid.rules[2].weight", "7", "radius = 6 }", "radius = 6, weight = 7 }"),
            (
                "kind.boid.rules[0]",
                "{ hunt = {} }",
                "{ separation = { radius = 5 } }",
                "{ hunt = {} }",
            ),
            ("kind.boid.behaviours.seek.weight", "2", "seek = {", "seek = { weight = 2,"),
            ("kind.boid.behaviours[0].target.radius", "2", "radius = 3", "radius = 2"),
            ("kind.boid.behaviours[0].target.orbit.radius", "2", "radius = 3", "radius = 2"),
            ("path.river.points[1][0]", "9", "[1, 1]", "[9, 1]"),
            ("path.river.radius", "9", "name = \"river\"", "name = \"river\"\nradius = 9"),
        ] {
            assert_eq!(after(path, value).unwrap(), wanted(from, to), "{path}");
        }
    }

    #[test]
    fn paths_that_lead_nowhere_are_refused() {
        for (path, wanted) in [
            ("", "allowed: a path"),
            ("seed", "allowed: dt, or a key of something in kind,"),
            ("kind", "allowed: dt, or a key of"),
            ("kind.boid", "allowed: dt, or a key of"),
            ("world.size", "allowed: dt, or a key of"),
            ("event[0].at", "allowed: dt, or a key of"),
            ("kind.boid.name", "names stay as they are"),
            ("kind.boid.count", "count only matters when bodies are placed"),
            ("kind.bird.gait.max_speed", "there is no `bird`, but `boid`"),
            ("kind[1].gait.max_speed", "there are 1, counted from 0"),
            ("kind.boid.gate.max_speed", "there is no `gate`; did you mean `gait`?"),
            ("kind.boid.rules[3].radius", "there are 3, counted from 0"),
            ("kind.boid.rules.view.radius", "there are several `view`: give a number"),
            ("kind.boid.gait.max_speed.low", "there is nothing in which `low` could be"),
            ("flow.wind.cells", "the scene has no [[flow]]"),
        ] {
            let why = after(path, "1").unwrap_err();
            assert!(why.contains(wanted), "{path}: {why:?} lacks {wanted:?}");
        }
    }
}
