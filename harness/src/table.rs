//! Tables of bodies, as CSV or as NumPy arrays.

use std::fmt::Display;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use npyz::{DType, WriteOptions, WriterBuilder};
use tempfile::SpooledTempFile;
use zip::{DateTime, ZipWriter, write::SimpleFileOptions};

use crate::fault::{Fault, Outcome};
use crate::output::{Complete, Pending, is_special, named, wrong_extension};

/// A column longer than this many bytes leaves the memory for a temporary file.
const SPILL: usize = 1 << 20;

/// How a table of bodies is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Comma-separated text, one line a row.
    Csv,
    /// A zip of NumPy arrays, one a column.
    Npz,
}

impl Format {
    /// The format a file's extension asks for.
    pub(crate) fn of(path: &Path) -> Outcome<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy());
        match extension.as_deref() {
            Some(csv) if csv.eq_ignore_ascii_case("csv") => Ok(Self::Csv),
            Some(npz) if npz.eq_ignore_ascii_case("npz") => Ok(Self::Npz),
            // A device or pipe has no extension to go by.
            None if is_special(path) => Ok(Self::Csv),
            _ => Err(wrong_extension(path, "csv or .npz")),
        }
    }
}

/// One body's row.
pub(crate) struct Row {
    /// The body's number.
    pub id: u32,
    /// The number of its kind.
    pub kind: u8,
    /// Where it is.
    pub position: [f32; 2],
    /// Where it is going.
    pub velocity: [f32; 2],
}

/// All columns, and the types of their NumPy arrays.
const COLUMNS: [(&str, &str); 7] = [
    ("tick", "<u8"),
    ("id", "<u4"),
    ("kind", "|u1"),
    ("x", "<f4"),
    ("y", "<f4"),
    ("vx", "<f4"),
    ("vy", "<f4"),
];

/// Bodies at one tick or at many, one row each.
pub(crate) struct BodyTable {
    /// The columns that are written.
    columns: Vec<usize>,
    body: Body,
}

enum Body {
    Csv(Box<csv::Writer<Pending>>),
    Npz { pending: Pending, columns: Vec<BufWriter<SpooledTempFile>>, rows: u64 },
}

impl BodyTable {
    /// Opens the file at once, in the format of its extension.
    pub(crate) fn create(path: &Path, with_tick: bool, with_kind: bool) -> Outcome<Self> {
        let format = Format::of(path)?;
        let pending = Pending::create(path)?;
        let written = |&column: &usize| match COLUMNS[column].0 {
            "tick" => with_tick,
            "kind" => with_kind,
            _ => true,
        };
        let columns: Vec<usize> = (0..COLUMNS.len()).filter(written).collect();
        let body = match format {
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(pending);
                let names = columns.iter().map(|&column| COLUMNS[column].0);
                writer.write_record(names).map_err(failed)?;
                Body::Csv(Box::new(writer))
            }
            Format::Npz => {
                let scratch = |_: &usize| BufWriter::new(pending.scratch(SPILL));
                let columns = columns.iter().map(scratch).collect();
                Body::Npz { pending, columns, rows: 0 }
            }
        };
        Ok(Self { columns, body })
    }

    /// Adds the rows of one tick.
    pub(crate) fn add(&mut self, tick: u64, rows: impl Iterator<Item = Row>) -> Outcome {
        for row in rows {
            self.add_row(tick, &row).map_err(failed)?;
        }
        Ok(())
    }

    fn add_row(&mut self, tick: u64, row: &Row) -> io::Result<()> {
        let (Row { id, kind, .. }, [x, y], [vx, vy]) = (row, row.position, row.velocity);
        match &mut self.body {
            Body::Csv(writer) => {
                // A real is written as the shortest digits that give its bits back.
                let cells: [&dyn Display; COLUMNS.len()] = [&tick, id, kind, &x, &y, &vx, &vy];
                let mut text = Vec::new();
                for &column in &self.columns {
                    text.clear();
                    write!(text, "{}", cells[column])?;
                    writer.write_field(&text)?;
                }
                writer.write_record(None::<&[u8]>)?;
            }
            Body::Npz { pending, columns, rows } => {
                let [tick, id] = [&tick.to_le_bytes()[..], &id.to_le_bytes()];
                let [x, y, vx, vy] = [x, y, vx, vy].map(f32::to_le_bytes);
                let cells: [&[u8]; COLUMNS.len()] = [tick, id, &[*kind], &x, &y, &vx, &vy];
                for (&column, values) in self.columns.iter().zip(columns) {
                    let written = values.write_all(cells[column]);
                    written.map_err(|error| named(pending.path(), error))?;
                }
                *rows += 1;
            }
        }
        Ok(())
    }

    /// Completes the file.
    pub(crate) fn finish(self) -> Outcome<Complete> {
        match self.body {
            Body::Csv(writer) => {
                let pending = writer.into_inner().map_err(|error| failed(error.error()))?;
                pending.complete()
            }
            Body::Npz { mut pending, columns, rows } => {
                let columns = self.columns.iter().map(|&column| COLUMNS[column]).zip(columns);
                write_arrays(&mut pending, columns, rows).map_err(failed)?;
                pending.complete()
            }
        }
    }
}

fn failed(error: impl Display) -> Fault {
    Fault::Failed(error.to_string())
}

/// Writes one array a column.
fn write_arrays<'a>(
    pending: &mut Pending,
    columns: impl Iterator<Item = ((&'a str, &'a str), BufWriter<SpooledTempFile>)>,
    rows: u64,
) -> io::Result<()> {
    let path = pending.path().to_owned();
    let mut archive = ZipWriter::new_stream(Shield { pending, failure: None });
    for ((name, kind), column) in columns {
        let flushed = column.into_inner();
        let mut values = flushed.map_err(|error| named(&path, error.into_error()))?;
        values.rewind()?;
        // Sizes of four gigabytes and more need the wider fields of zip64.
        let options = SimpleFileOptions::default()
            .last_modified_time(DateTime::default())
            .large_file(rows > u64::from(u32::MAX) / 16);
        archive.start_file(format!("{name}.npy"), options)?;
        let kind = kind.parse().map_err(io::Error::other)?;
        WriteOptions::new_header_only()
            .dtype(DType::Plain(kind))
            .shape(&[rows])
            .writer(&mut archive)
            .write_header_only()?;
        io::copy(&mut values, &mut archive)?;
    }
    archive.finish()?.into_inner().failure.map_or(Ok(()), Err)
}

/// Keeps the first failure to itself, since a `ZipWriter` that saw one writes once more when it is
/// dropped, and complains to stderr on its own.
struct Shield<'a> {
    pending: &'a mut Pending,
    failure: Option<io::Error>,
}

impl Write for Shield<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failure.is_none() {
            self.failure = self.pending.write_all(bytes).err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::commit_all;

    fn done(table: BodyTable) -> Outcome {
        commit_all(vec![table.finish()?])
    }
    use std::fs;
    use std::io::Read;

    const REALS: [f32; 8] =
        [-0.0, 1e-45, 3e38, 0.1, -1.5e-40, 16_777_216.0, f32::MIN_POSITIVE, 7.0];

    fn rows(count: u32) -> impl Iterator<Item = Row> {
        let real = |index: u32| REALS[index as usize % REALS.len()];
        (0..count).map(move |id| Row {
            id,
            kind: (id % 3) as u8,
            position: [real(id), real(id + 1)],
            velocity: [real(id + 2), real(id + 3)],
        })
    }

    fn said(outcome: Outcome<impl Sized>) -> (u8, String) {
        let fault = outcome.err().expect("a fault");
        (fault.code(), fault.to_string())
    }

    #[test]
    fn the_extension_gives_the_format() {
        assert_eq!(Format::of(Path::new("a.b/c.CSV")).unwrap(), Format::Csv);
        assert_eq!(Format::of(Path::new("c.NpZ")).unwrap(), Format::Npz);
        let wrong = "cannot write a.txt: its extension is .txt, not .csv or .npz";
        assert_eq!(said(Format::of(Path::new("a.txt"))), (2, wrong.to_owned()));
        let missing = "cannot write csv: its extension is missing, not .csv or .npz";
        assert_eq!(
            said(BodyTable::create(Path::new("csv"), false, false)),
            (2, missing.to_owned())
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told() {
        let place = tempfile::tempdir().unwrap();
        for name in ["full.csv", "full.npz"] {
            let path = place.path().join(name);
            std::os::unix::fs::symlink("/dev/full", &path).unwrap();
            for count in [1, 300_000] {
                let mut table = BodyTable::create(&path, false, false).unwrap();
                let (code, text) = said(table.add(0, rows(count)).and_then(|()| done(table)));
                let expected = format!("cannot write {}: No space", path.display());
                assert!(code == 1 && text.starts_with(&expected), "{text}");
            }
        }
    }

    #[test]
    fn a_csv_gives_the_same_bits_back() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("flock.csv");
        let mut table = BodyTable::create(&path, true, true).unwrap();
        table.add(u64::MAX, rows(8)).unwrap();
        done(table).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("tick,id,kind,x,y,vx,vy\n18446744073709551615,0,0,-0,0.000"));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for (index, record) in reader.records().enumerate() {
            let record = record.unwrap();
            for column in 0..4 {
                let real: f32 = record[3 + column].parse().unwrap();
                assert_eq!(real.to_bits(), REALS[(index + column) % 8].to_bits());
            }
        }
        done(BodyTable::create(&path, false, false).unwrap()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "id,x,y,vx,vy\n");
    }

    /// Writes two ticks and gives the file's bytes.
    fn npz(place: &Path, bodies: u32) -> Vec<u8> {
        let path = place.join("flock.npz");
        let mut table = BodyTable::create(&path, true, true).unwrap();
        table.add(5, rows(bodies)).unwrap();
        table.add(6, rows(bodies)).unwrap();
        done(table).unwrap();
        fs::read(path).unwrap()
    }

    fn array<T: npyz::Deserialize>(file: &[u8], name: &str) -> Vec<T> {
        let mut archive = zip::ZipArchive::new(io::Cursor::new(file)).unwrap();
        let mut bytes = Vec::new();
        archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        npyz::NpyFile::new(&bytes[..]).unwrap().into_vec().unwrap()
    }

    #[test]
    fn an_npz_gives_the_same_bits_back_and_equal_data_equal_bytes() {
        let place = tempfile::tempdir().unwrap();
        for bodies in [0, 8, 200_000] {
            let file = npz(place.path(), bodies);
            assert!(file == npz(place.path(), bodies));
            let twice = || (0..bodies).chain(0..bodies);
            assert_eq!(array::<u32>(&file, "id.npy"), twice().collect::<Vec<_>>());
            assert!(
                array::<u8>(&file, "kind.npy").into_iter().eq(twice().map(|id| (id % 3) as u8))
            );
            for (column, name) in ["x.npy", "y.npy", "vx.npy", "vy.npy"].iter().enumerate() {
                let bits = array::<f32>(&file, name).into_iter().map(f32::to_bits);
                assert!(bits.eq(twice().map(|id| REALS[(id as usize + column) % 8].to_bits())));
            }
            let ticks = array::<u64>(&file, "tick.npy");
            assert_eq!(ticks, [vec![5; bodies as usize], vec![6; bodies as usize]].concat());
        }
    }
}
