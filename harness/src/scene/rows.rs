//! Numbers from CSV files, by the names of their columns.

use super::source::Refusal;
use crate::fault::Fault;
use crate::input::read_file;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

/// Longer files are refused.
const LONGEST_FILE: u64 = 1 << 31;

/// What is wanted of a file.
pub(crate) struct Wanted<const N: usize> {
    /// The columns, which may stand in any order among others.
    pub columns: [&'static str; N],
    /// What a number may be, in a range and in words; everything if left out.
    pub allowed: Option<(RangeInclusive<f32>, &'static str)>,
    /// If there is a column `kind`, rows of other kinds are passed over.
    pub kind: Option<u8>,
    /// The most rows.
    pub most: u64,
    /// What a row is, in words.
    pub rows: &'static str,
}

/// What was found: the numbers of each row, and its line.
#[derive(Debug)]
pub(crate) struct Rows<const N: usize> {
    pub values: Vec<[f32; N]>,
    pub lines: Vec<u64>,
}

/// Reads a file that the scene names at `place`.
pub(crate) fn read_rows<const N: usize>(
    path: &Path,
    place: &str,
    wanted: &Wanted<N>,
) -> Result<Rows<N>, Refusal> {
    let name = path.display();
    let text =
        bytes(path).map_err(|why| Refusal::at(place, format!("cannot read {name}: {why}")))?;
    parse(&name.to_string(), &text, wanted).map_err(|why| Refusal::Elsewhere(Fault::Input(why)))
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let length = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if length > LONGEST_FILE {
        return Err(format!("it is longer than {LONGEST_FILE} bytes"));
    }
    read_file(path).map_err(|error| error.to_string())
}

fn parse<const N: usize>(name: &str, text: &[u8], wanted: &Wanted<N>) -> Result<Rows<N>, String> {
    let mut lines = Lines::new(text);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text);
    let header = reader.headers().map_err(|error| refusal(name, &error, &mut lines))?.clone();
    let columns = find_columns(name, &header, wanted)?;
    let kind = wanted.kind.and_then(|kind| Some((column(&header, "kind")?, kind)));
    let mut rows = Rows { values: Vec::new(), lines: Vec::new() };
    for record in reader.records() {
        let record = record.map_err(|error| refusal(name, &error, &mut lines))?;
        let line = record.position().map_or(0, |position| lines.at(position));
        if kind.is_some_and(|(column, kind)| record[column].parse() != Ok(kind)) {
            continue;
        }
        if rows.values.len() as u64 == wanted.most {
            return Err(format!("{name}:{line}: more than {} {}", wanted.most, wanted.rows));
        }
        let row =
            numbers(&record, columns, wanted).map_err(|why| format!("{name}:{line}: {why}"))?;
        rows.values.push(row);
        rows.lines.push(line);
    }
    Ok(rows)
}

/// The place of a column.
fn column(header: &csv::StringRecord, wanted: &str) -> Option<usize> {
    // Some programs begin a text file with a byte-order mark.
    header.iter().position(|name| name.trim_start_matches('\u{feff}') == wanted)
}

fn find_columns<const N: usize>(
    name: &str,
    header: &csv::StringRecord,
    wanted: &Wanted<N>,
) -> Result<[usize; N], String> {
    let mut columns = [0; N];
    for (at, field) in columns.iter_mut().zip(wanted.columns) {
        *at = column(header, field).ok_or_else(|| {
            let header = header.iter().collect::<Vec<_>>().join(",");
            let found = if header.is_empty() { "it is empty".to_owned() } else { header };
            let all = wanted.columns.join(",");
            format!("{name}:1: column {field} is missing (wanted: {all}); the header: {found}")
        })?;
    }
    Ok(columns)
}

fn numbers<const N: usize>(
    record: &csv::StringRecord,
    columns: [usize; N],
    wanted: &Wanted<N>,
) -> Result<[f32; N], String> {
    let mut row = [0.0; N];
    for (value, (column, field)) in row.iter_mut().zip(columns.iter().zip(wanted.columns)) {
        let text = &record[*column];
        *value = text.parse().map_err(|_| format!("{field} is {text:?}; allowed: a number"))?;
        if let Some((range, words)) = &wanted.allowed
            && !range.contains(value)
        {
            return Err(format!("{field} is {value:?}; allowed: {words}"));
        }
    }
    Ok(row)
}

/// Finds the lines of ascending positions: the parser's own count is off by one after CRLF.
struct Lines<'a> {
    text: &'a [u8],
    seen: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, seen: 0, line: 1 }
    }

    /// The line on which the record that was found here begins.
    fn at(&mut self, position: &csv::Position) -> u64 {
        let found = (position.byte() as usize).max(self.seen);
        let blank = self.text[found..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let breaks = self.text[self.seen..found + blank].iter().filter(|&&byte| byte == b'\n');
        self.line += breaks.count() as u64;
        self.seen = found + blank;
        self.line
    }
}

/// What the parser refuses, at its line.
fn refusal(name: &str, error: &csv::Error, lines: &mut Lines<'_>) -> String {
    let line = error.position().map_or(1, |position| lines.at(position));
    let why = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} columns where the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "not UTF-8 text".to_owned(),
        _ => error.to_string(),
    };
    format!("{name}:{line}: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soil(text: &str) -> Result<Vec<[f32; 1]>, String> {
        let wanted = Wanted {
            columns: ["value"],
            allowed: Some((0.0..=1.0, "0 to 1")),
            kind: None,
            most: 3,
            rows: "values",
        };
        parse("mud.csv", text.as_bytes(), &wanted).map(|rows| rows.values)
    }

    #[test]
    fn numbers_are_found_by_their_columns() {
        assert_eq!(soil("value\n0.5\n1\n"), Ok(vec![[0.5], [1.0]]));
        assert_eq!(soil("\u{feff}x,value\r\n9,0.5\r\n"), Ok(vec![[0.5]]));
        for (text, wanted) in [
            ("", "mud.csv:1: column value is missing (wanted: value); the header: it is empty"),
            ("x,y\n", "mud.csv:1: column value is missing (wanted: value); the header: x,y"),
            ("value\n0\n1.5\n", "mud.csv:3: value is 1.5; allowed: 0 to 1"),
            ("value\r\n0\r\nNaN\r\n", "mud.csv:3: value is NaN; allowed: 0 to 1"),
            ("value\nmany\n", "mud.csv:2: value is \"many\"; allowed: a number"),
            ("value\n0\n0\n0\n0\n", "mud.csv:5: more than 3 values"),
            ("value\n0,1\n", "mud.csv:2: 2 columns where the header has 1"),
        ] {
            assert_eq!(soil(text), Err(wanted.to_owned()));
        }
    }
}
