//! Flows and grounds: from their text to the library's fields.

use super::either::Either;
use super::rows::{Rows, Wanted, read_rows};
use super::source::Refusal;
use super::text::{FlowText, FlowValues, FlowWord, GroundText, NoiseText, SoilValues};
use flockstep::{Field, Flow, Noise, Soil, World};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most cells of a field along an axis.
const MOST_CELLS: u16 = 4096;

/// The numbers of a field's file.
const VECTORS: Wanted<2> = Wanted {
    columns: ["vx", "vy"],
    allowed: Some((-1e9..=1e9, "finite, at most 1e9 either way")),
    kind: None,
    most: MOST_CELLS as u64 * MOST_CELLS as u64,
    rows: "values",
};

/// The same of a ground.
const NUMBERS: Wanted<1> = Wanted {
    columns: ["value"],
    allowed: Some((0.0..=1.0, "0 to 1")),
    kind: None,
    most: MOST_CELLS as u64 * MOST_CELLS as u64,
    rows: "values",
};

/// Files of fields that were read, so that a scene with many events reads each once.
#[derive(Debug)]
pub(super) struct Shelf<'a> {
    directory: &'a Path,
    vectors: BTreeMap<PathBuf, Rows<2>>,
    numbers: BTreeMap<PathBuf, Rows<1>>,
}

impl<'a> Shelf<'a> {
    pub(super) fn new(directory: &'a Path) -> Self {
        Self { directory, vectors: BTreeMap::new(), numbers: BTreeMap::new() }
    }

    fn vectors(&mut self, file: &Path, place: &str) -> Result<Vec<[f32; 2]>, Refusal> {
        take_down(&mut self.vectors, &self.directory.join(file), place, &VECTORS)
    }

    fn numbers(&mut self, file: &Path, place: &str) -> Result<Vec<f32>, Refusal> {
        let path = self.directory.join(file);
        let rows = take_down(&mut self.numbers, &path, place, &NUMBERS)?;
        Ok(rows.into_iter().map(|[number]| number).collect())
    }

    /// The field of a `[[flow]]`, the `index`th of the scene.
    pub(super) fn flow(
        &mut self,
        text: &FlowText,
        index: usize,
        world: &World,
    ) -> Result<Field<Flow>, Refusal> {
        let path = format!("flow[{index}]");
        let middle = || world.size.map(|extent| extent * 0.5);
        let values = match &text.values {
            Either::Plain(FlowWord::Random) => Flow::Random { stream: index as u32 },
            Either::Plain(FlowWord::Swirl) => Flow::Swirl { centre: middle() },
            Either::Table(values) => match values {
                FlowValues::Uniform(vector) => Flow::Uniform(*vector),
                FlowValues::Swirl { centre } => {
                    Flow::Swirl { centre: centre.unwrap_or_else(middle) }
                }
                FlowValues::Random { stream } => {
                    Flow::Random { stream: stream.unwrap_or(index as u32) }
                }
                FlowValues::Noise(text) => Flow::Noise(noise(text, index)),
                FlowValues::List(vectors) => Flow::Listed(vectors.clone()),
                FlowValues::Csv(file) => {
                    Flow::Listed(self.vectors(file, &format!("{path}.values.csv"))?)
                }
            },
        };
        let needed = !matches!(values, Flow::Uniform(_));
        Ok(Field { cells: cells(text.cells, text.cell, needed, world, &path)?, values })
    }

    /// The field of a `[[ground]]`, the `index`th of the scene.
    pub(super) fn ground(
        &mut self,
        text: &GroundText,
        index: usize,
        world: &World,
    ) -> Result<Field<Soil>, Refusal> {
        let path = format!("ground[{index}]");
        let values = match &text.values {
            SoilValues::Noise(text) => Soil::Noise(noise(text, index)),
            SoilValues::List(numbers) => Soil::Listed(numbers.clone()),
            SoilValues::Csv(file) => {
                Soil::Listed(self.numbers(file, &format!("{path}.values.csv"))?)
            }
        };
        Ok(Field { cells: cells(text.cells, text.cell, true, world, &path)?, values })
    }
}

/// A file's rows, read if this is the first time.
fn take_down<const N: usize>(
    shelf: &mut BTreeMap<PathBuf, Rows<N>>,
    path: &Path,
    place: &str,
    wanted: &Wanted<N>,
) -> Result<Vec<[f32; N]>, Refusal> {
    if let Some(rows) = shelf.get(path) {
        return Ok(rows.values.clone());
    }
    let rows = read_rows(path, place, wanted)?;
    let values = rows.values.clone();
    shelf.insert(path.to_owned(), rows);
    Ok(values)
}

/// Fields draw from streams of their own unless they are told otherwise.
fn noise(text: &NoiseText, index: usize) -> Noise {
    let stream = text.stream.unwrap_or(index as u32);
    Noise { density: text.density, period: text.period, stream }
}

/// Columns and rows, listed or from the size of a cell.
fn cells(
    listed: Option<[u32; 2]>,
    size: Option<f32>,
    needed: bool,
    world: &World,
    path: &str,
) -> Result<[u16; 2], Refusal> {
    let refuse = |key: &str, why: String| Err(Refusal::at(format!("{path}{key}"), why));
    match (listed, size) {
        (Some(_), Some(_)) => {
            refuse(".cell", format!("{path} has both cell and cells; allowed: one of them"))
        }
        (None, None) if !needed => Ok([1, 1]),
        (None, None) => {
            refuse("", format!("{path} has neither cells ([columns, rows]) nor cell (their size)"))
        }
        (Some(listed), None) => {
            for (axis, count) in listed.into_iter().enumerate() {
                if !(1..=u32::from(MOST_CELLS)).contains(&count) {
                    let key = format!(".cells[{axis}]");
                    return refuse(&key, format!("{path}{key} is {count}; allowed: 1 to 4096"));
                }
            }
            Ok(listed.map(|count| count as u16))
        }
        (None, Some(size)) => {
            let counts = world.size.map(|extent| (extent / size).round().max(1.0));
            if size > 0.0 && counts.iter().all(|count| *count <= f32::from(MOST_CELLS)) {
                return Ok(counts.map(|count| count as u16));
            }
            let allowed = "over 0, and 4096 cells along an axis at most";
            refuse(".cell", format!("{path}.cell is {size:?}; allowed: {allowed}"))
        }
    }
}
