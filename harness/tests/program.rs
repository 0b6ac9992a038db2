//! The program, run as its users run it.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn flockstep(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("flockstep").unwrap();
    command.current_dir(folder).args(args);
    command
}

/// Standard output of a run that must succeed.
#[track_caller]
fn output(folder: &Path, args: &[&str]) -> String {
    let done = flockstep(folder, args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Standard error of a run that must be refused as bad input, with nothing on standard output.
#[track_caller]
fn refusal(folder: &Path, args: &[&str]) -> String {
    let done = flockstep(folder, args).output().unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{args:?}: {error}");
    assert!(done.stdout.is_empty(), "{args:?} printed {}", String::from_utf8_lossy(&done.stdout));
    error
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// `tick hash` lines as a map.
fn hashes(output: &str) -> BTreeMap<u64, String> {
    let pair = |line: &str| {
        let (tick, hash) = line.split_once(' ')?;
        Some((tick.parse().ok()?, hash.trim().to_owned()))
    };
    output.lines().filter_map(pair).collect()
}

/// A value of the summary.
#[track_caller]
fn told<'a>(output: &'a str, name: &str) -> &'a str {
    let line = output.lines().find(|line| line.starts_with(name)).unwrap();
    line[name.len()..].trim()
}

#[test]
fn hand_prints_the_chapters_table() {
    let text = output(folder().path(), &["hand"]);
    let numbers: Vec<&str> = text.split_whitespace().collect();
    // The chapter's printed numbers, row by row; in 32 bits the first vote sum rounds to 0.142.
    for row in [
        "0 92.000,67.000 0.600,-2.000 4.000,-3.000 5.000 0.160,-0.120",
        "1 80.000,64.000 2.400,0.000 16.000,0.000 16.000 0.062,0.000",
        "2 104.000,70.000 -0.300,-1.600 -8.000,-6.000 10.000 -0.080,-0.060",
        "0.142,-0.180 1.490,-1.882 -0.310,-2.482 2.501 -0.037,-0.298",
        "0.900,-1.200 1.440,-1.920 -0.360,-2.520 2.546 -0.042,-0.297",
        "92.000,67.000 -1.920,1.440 -3.720,0.840 3.814 -0.293,0.066",
        "-0.365,-0.714, length 0.802",
        "cut to the gait's 0.3: -0.137,-0.267",
        "one tick later it is at 97.663,64.333 doing 1.663,0.333",
        "where its 64 bits give 0.143;",
    ] {
        let row: Vec<&str> = row.split_whitespace().collect();
        assert!(numbers.windows(row.len()).any(|found| found == row), "{row:?} is not in {text}");
    }
}

#[test]
fn hand_explains_any_body_at_any_tick() {
    let folder = folder();
    let text = output(folder.path(), &["hand", "valley", "--tick", "40", "--body", "7"]);
    for word in ["body 7", "tick 40", "separation", "wander", "contain", "the gait's 0.3"] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
    // What it says of the next tick is where the next tick finds the body.
    let next = text.split("one tick later it is at ").nth(1).unwrap();
    let (place, motion) = next.trim().split_once(" doing ").unwrap();
    let then = output(folder.path(), &["hand", "valley", "--tick", "41", "--body", "7"]);
    assert!(then.contains(&format!("body 7 at {place} doing {motion}")), "{place} in {then}");
    assert!(refusal(folder.path(), &["hand", "valley", "--body", "120"]).contains("id 120"));
}

#[test]
fn sweep_shows_ordered_engines_agreeing_and_the_unordered_one_not() {
    let text = output(folder().path(), &["sweep"]);
    let last = text.lines().last().unwrap();
    assert!(last.contains("over 401 states the cells disagreed on 0"), "{last}");
    let unordered: u64 = last.split_whitespace().last().unwrap().parse().unwrap();
    assert!(unordered > 0, "{last}");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(" yes ")).collect();
    assert_eq!(rows.len(), 11);
    assert!(rows[1..].iter().all(|row| row.contains("14280")), "{text}");
}

#[test]
fn alone_writes_five_pictures() {
    let folder = folder();
    let args = ["alone", "--ticks", "30", "-n", "40", "--seed", "9", "--shots", "shots"];
    let text = output(folder.path(), &args);
    for name in ["adrift", "separate", "align", "cohere", "herd"] {
        let bytes = fs::read(folder.path().join(format!("shots/{name}.png"))).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"), "{name}");
    }
    assert!(text.contains("40 walkers on the seed 9 valley, 30 ticks"), "{text}");
    let one = output(folder.path(), &[&args[..7], &["--rule", "align"]].concat());
    let row = one.lines().find(|line| line.contains("match heading")).unwrap();
    assert!(text.contains(row), "the same run alone gives the same row");
    assert!(!one.contains("push apart"));
}

#[test]
fn every_engine_and_thread_count_prints_the_same_hashes() {
    let folder = folder();
    let run = |more: &[&str]| {
        let common = ["run", "crowd", "--ticks", "60", "--hash-every", "20"];
        hashes(&output(folder.path(), &[&common, more].concat()))
    };
    let wanted = run(&[]);
    assert_eq!(wanted.keys().copied().collect::<Vec<_>>(), [0, 20, 40, 60]);
    for more in [["--threads", "1"], ["--threads", "7"], ["--engine", "everybody"]] {
        assert_eq!(run(&more), wanted, "{more:?}");
    }
    assert_ne!(run(&["--engine", "unordered"]), wanted);
    assert_ne!(run(&["--seed", "2"]), wanted);
}

#[test]
fn a_run_writes_everything_it_is_asked_for() {
    let folder = folder();
    let path = folder.path();
    let text = output(
        path,
        &[
            "run",
            "strangers",
            "--ticks",
            "20",
            "--every",
            "5",
            "--out",
            "end.csv",
            "--trajectory",
            "path.npz",
            "--measures",
            "m.csv",
            "--png",
            "end.png",
            "--gif",
            "run.gif",
            "--width",
            "200",
            "--save",
            "end.snap",
        ],
    );
    let end = fs::read_to_string(path.join("end.csv")).unwrap();
    assert_eq!(end.lines().next(), Some("id,kind,x,y,vx,vy"));
    assert_eq!(end.lines().count(), 581);
    let measures = fs::read_to_string(path.join("m.csv")).unwrap();
    let rows: Vec<&str> = measures.lines().collect();
    assert_eq!(rows.len(), 6, "{measures}");
    assert!(rows[5].starts_with("20,580,"), "{measures}");
    assert!(fs::read(path.join("path.npz")).unwrap().starts_with(b"PK"));
    assert!(fs::read(path.join("end.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(fs::read(path.join("run.gif")).unwrap().starts_with(b"GIF89a"));
    let bytes = fs::read(path.join("end.snap")).unwrap();
    let flock = flockstep::Flock::restore(&bytes).unwrap();
    assert_eq!(format!("{:016x}", flock.state_hash()), told(&text, "state hash"));
    // The table reads back to the same bits.
    for (line, body) in end.lines().skip(1).zip(flock.iter()) {
        let cells: Vec<&str> = line.split(',').collect();
        let value = |k: usize| cells[k].parse::<f32>().unwrap().to_bits();
        assert_eq!(cells[0], body.id.to_string());
        assert_eq!([value(2), value(3)], body.position.map(f32::to_bits));
        assert_eq!([value(4), value(5)], body.velocity.map(f32::to_bits));
    }
}

#[test]
fn a_csv_of_bodies_runs_on_to_the_same_bits() {
    let folder = folder();
    let path = folder.path();
    output(path, &["run", "crowd", "--ticks", "50", "--out", "half.csv"]);
    let scene = output(path, &["scenes", "--show", "crowd"]);
    let scene = scene.replace("count = 512", "place.csv = \"half.csv\"");
    fs::write(path.join("on.toml"), scene).unwrap();
    let on = output(path, &["run", "on.toml", "--ticks", "50"]);
    let whole = output(path, &["run", "crowd", "--ticks", "100"]);
    assert_eq!(told(&on, "state hash"), told(&whole, "state hash"));
}

#[test]
fn a_resumed_run_ends_as_the_whole_one() {
    let folder = folder();
    let path = folder.path();
    let whole = output(path, &["run", "valley", "--ticks", "90"]);
    output(path, &["run", "valley", "--ticks", "40", "--save", "s.snap"]);
    let rest = output(path, &["run", "valley", "--ticks", "90", "--resume", "s.snap"]);
    assert_eq!(told(&rest, "state hash"), told(&whole, "state hash"));
    assert_eq!(told(&rest, "ticks"), "50, to tick 90");
    // Saved where it was read from.
    output(path, &["run", "valley", "--ticks", "90", "--resume", "s.snap", "--save", "s.snap"]);
    let again = output(path, &["run", "valley", "--ticks", "90", "--resume", "s.snap"]);
    assert_eq!(told(&again, "state hash"), told(&whole, "state hash"));

    let other = refusal(path, &["run", "valley", "--seed", "6", "--resume", "s.snap"]);
    assert!(other.contains("its seed is 5, the scene's 6"), "{other}");
    let other = refusal(path, &["run", "crowd", "--resume", "s.snap"]);
    assert!(other.contains("another configuration"), "{other}");
    let past = refusal(path, &["run", "valley", "--ticks", "80", "--resume", "s.snap"]);
    assert!(past.contains("at tick 90, past the run's end at 80"), "{past}");
}

#[test]
fn json_holds_the_summary_and_the_hashes() {
    let folder = folder();
    let args = ["run", "valley", "--ticks", "20", "--hash-every", "10", "--json"];
    let json: serde_json::Value = serde_json::from_str(&output(folder.path(), &args)).unwrap();
    assert_eq!(json["bodies"], 120);
    assert_eq!(json["complete"], true);
    assert_eq!(json["hashes"].as_array().unwrap().len(), 3);
    assert_eq!(json["hashes"][2][1], json["state_hash"]);
    assert!(json["measures"]["nearest"].as_f64().unwrap() > 0.0);
    assert!(json["distance_tests_a_tick"].as_f64().unwrap() > 0.0);
}

#[test]
fn bad_input_is_named_and_touches_nothing() {
    let folder = folder();
    let path = folder.path();
    let scene = output(path, &["scenes", "--show", "strangers"]);
    let write = |name: &str, from: &str, to: &str| {
        assert!(scene.contains(from), "{from}");
        fs::write(path.join(name), scene.replacen(from, to, 1)).unwrap();
    };
    write("key.toml", "count = 500", "cuont = 500");
    write("radius.toml", "alignment = { radius = 16", "alignment = { radius = 241");
    write("csv.toml", "count = 500", "place.csv = \"bad.csv\"\n#");
    let listed = fs::read_to_string(path.join("csv.toml")).unwrap();
    let listed = listed.replace("place.normal", "#");
    fs::write(path.join("csv.toml"), listed).unwrap();
    fs::write(path.join("bad.csv"), "x,y,vx,vy\n1,2,3,4\n2,NaN,0,0\n").unwrap();
    fs::write(path.join("words.csv"), "x,y,vx,vy\n1,2,3,four\n").unwrap();
    fs::write(path.join("narrow.csv"), "x,y,vx\n1,2,3\n").unwrap();
    for (name, file) in [("words.toml", "words.csv"), ("narrow.toml", "narrow.csv")] {
        let text = fs::read_to_string(path.join("csv.toml")).unwrap();
        fs::write(path.join(name), text.replace("bad.csv", file)).unwrap();
    }
    output(path, &["run", "valley", "--ticks", "5", "--save", "good.snap"]);
    let snapshot = fs::read(path.join("good.snap")).unwrap();
    fs::write(path.join("cut.snap"), &snapshot[..snapshot.len() - 1]).unwrap();
    fs::write(path.join("kept.csv"), "precious").unwrap();

    let out = ["--out", "kept.csv"];
    for (args, wanted) in [
        (vec!["run", "missing.toml"], "cannot read the scene missing.toml"),
        (vec!["run", "valey"], "did you mean the built-in scene `valley`?"),
        (vec!["run", "key.toml"], "key.toml:11: unknown key `cuont`"),
        (vec!["run", "radius.toml"], "radius.toml:15: kind[0].rules[1].radius is 241.0, over"),
        (vec!["run", "csv.toml"], "bad.csv:3: y is NaN"),
        (vec!["run", "words.toml"], "words.csv:2: vy is \"four\"; allowed: a number"),
        (vec!["run", "narrow.toml"], "narrow.csv:1: column vy is missing"),
        (vec!["run", "valley", "--resume", "cut.snap"], "its checksum does not match"),
        (vec!["run", "valley", "--resume", "none.snap"], "cannot resume from none.snap"),
        (vec!["run", "valley", "--save", "no/such/folder/s.snap"], "cannot write no/such/folder"),
        (vec!["run", "valley", "--save", "."], "cannot write .: it is a directory"),
        (vec!["run", "valley", "--trajectory", "t.txt"], "its extension is .txt"),
        (vec!["run", "valley", "--save", "kept.csv"], "kept.csv is named for two outputs"),
        (vec!["run", "valley", "--threads", "0"], "0 is not in 1..=1024"),
        (vec!["run", "valley", "--engine", "magic"], "invalid value 'magic'"),
        (vec!["run", "valley", "--hash-every", "0"], "--hash-every"),
        (vec!["run", "valley", "--width", "9999"], "9999 is not in 16..=8000"),
    ] {
        let error = refusal(path, &[&args[..], &out].concat());
        assert!(error.contains(wanted), "{args:?}: {error:?} lacks {wanted:?}");
        assert_eq!(fs::read(path.join("kept.csv")).unwrap(), b"precious", "{args:?}");
    }
    let own = refusal(path, &["run", "csv.toml", "--save", "csv.toml"]);
    assert!(own.contains("bad.csv:3"), "{own}");
    fs::write(path.join("bad.csv"), "x,y,vx,vy\r\n1,2,3,4\r\n").unwrap();
    for output in ["csv.toml", "./csv.toml", "bad.csv"] {
        let own = refusal(path, &["run", "csv.toml", "--save", output]);
        assert!(own.contains("is what the scene is read from"), "{own}");
    }
    fs::write(path.join("bad.csv"), "x,y,vx,vy\r\n1,2,3,4\r\n1,2\r\n").unwrap();
    let ragged = refusal(path, &["run", "csv.toml"]);
    assert!(ragged.contains("bad.csv:3: 2 columns where the header has 4"), "{ragged}");
    let hint = refusal(path, &["scenes", "--show", "latice"]);
    assert!(hint.contains("did you mean `lattice`?"), "{hint}");
    refusal(path, &["alone", "--shots", "kept.csv"]);
    refusal(path, &["run", "valley", "--png", "a.jpg"]);
    refusal(path, &["run", "valley", "--gif", "a.png"]);
    refusal(path, &["sweep", "-n", "99999999999"]);
    let left: Vec<_> = fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name()).collect();
    let temporary = left.iter().filter(|name| name.to_string_lossy().starts_with(".flockstep"));
    assert_eq!(temporary.count(), 0, "{left:?}");
}

#[test]
fn nobody_and_one_body_are_fine_everywhere() {
    let folder = folder();
    let path = folder.path();
    let scene = output(path, &["scenes", "--show", "valley"]);
    for count in ["0", "1"] {
        let text = scene.replace("count = 120", &format!("count = {count}"));
        fs::write(path.join("few.toml"), text).unwrap();
        let args = ["run", "few.toml", "--png", "a.png", "--gif", "a.gif", "--out", "a.npz"];
        let text = output(path, &[&args[..], &["--measures", "a.csv", "--every", "50"]].concat());
        assert_eq!(told(&text, "bodies"), count);
        output(path, &["sweep", "few.toml", "--ticks", "3"]);
        output(path, &["alone", "-n", count, "--ticks", "3"]);
    }
    output(path, &["hand", "few.toml"]);
    let nobody = scene.replace("count = 120", "count = 0");
    fs::write(path.join("few.toml"), nobody).unwrap();
    assert!(refusal(path, &["hand", "few.toml"]).contains("no body to explain"));
}

#[test]
fn no_command_and_help_say_how_to_begin() {
    let folder = folder();
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["hand", "--help"],
        &["scenes", "--help"],
        &["alone", "--help"],
        &["sweep", "--help"],
        &["bench", "--help"],
        &["bench-plot", "--help"],
    ] {
        assert!(output(folder.path(), args).contains("Examples:"), "{args:?}");
    }
    assert!(output(folder.path(), &["--version"]).starts_with("flockstep 0."));
    let done = flockstep(folder.path(), &[]).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
}

const BENCH: [&str; 8] =
    ["bench", "--quick", "--sizes", "3,40", "--seconds", "0.001", "--csv", "r.csv"];

/// The results in r.csv, by column.
fn results(folder: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(folder.join("r.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().unwrap().collect();
    lines.map(|row| names.iter().cloned().zip(row).collect()).collect()
}

#[test]
fn bench_checks_and_times_every_engine() {
    let folder = folder();
    let path = folder.path();
    let text = output(path, &[&BENCH[..], &["--threads", "1,2"]].concat());
    assert!(text.starts_with("bench: flockstep "), "{text}");
    assert!(text.contains("The largest crowd at 60 and at 120 ticks a second"), "{text}");
    let rows = results(path);
    let engines = output(path, &["bench", "--list"]);
    let engines: Vec<&str> =
        engines.lines().filter_map(|line| line.split_whitespace().next()).collect();
    // Two sizes, two placements, two densities; flockstep on two numbers of threads.
    assert_eq!(rows.len(), 8 * (engines.len() + 1));
    for engine in engines {
        let mine: Vec<_> = rows.iter().filter(|row| row["engine"] == engine).collect();
        assert_eq!(mine.len(), if engine == "flockstep" { 16 } else { 8 }, "{engine}");
        for row in mine {
            assert_eq!(row["status"], "measured", "{row:?}");
            for column in ["microseconds_a_tick", "ns_a_body", "ratio_to_flockstep"] {
                assert!(row[column].parse::<f64>().unwrap() > 0.0, "{column} of {row:?}");
            }
        }
    }
    let of_flockstep = |column: &str| {
        let mut found = rows.iter().filter(|row| row["engine"] == "flockstep");
        found.all(|row| row[column].parse::<f64>().is_ok_and(|value| value >= 0.0))
    };
    for column in ["distance_tests_a_tick", "lane_slots_a_tick", "lane_slots_a_second"] {
        assert!(of_flockstep(column), "{column}");
    }
}

#[test]
fn bench_skips_by_name_what_would_take_too_long() {
    let folder = folder();
    let args = ["--longest", "0.001", "--engines", "reference,flockstep", "--crowds", "uniform"];
    let sizes = ["--sizes", "4000", "--neighbours", "7"];
    let text = output(folder.path(), &[&BENCH[..2], &BENCH[4..], &args, &sizes].concat());
    let skipped = text.lines().find(|line| line.trim_start().starts_with("reference")).unwrap();
    assert!(skipped.contains("skipped: a tick would take some"), "{text}");
    let rows = results(folder.path());
    let reference = rows.iter().find(|row| row["engine"] == "reference").unwrap();
    assert_eq!((&reference["status"][..], &reference["microseconds_a_tick"][..]), ("skipped", ""));
}

#[test]
fn bench_refuses_what_it_does_not_know() {
    let folder = folder();
    let path = folder.path();
    for (args, wanted) in [
        (&["--engines", "flockstep,kido"][..], "no engine is called `kido`, did you mean `kiddo`?"),
        (&["--sizes", "0"], "0 is not in 1..=10000000"),
        (&["--threads", "some"], "allowed: 1 to 1024, or `all`"),
        (&["--seconds", "0"], "allowed: 0.001 to 3600"),
        (&["--crowds", "sparse"], "invalid value 'sparse'"),
        (&["--csv", "r.txt"], "its extension is .txt"),
        (&["--csv", "no/such/r.csv"], "cannot write no/such/r.csv"),
    ] {
        let error = refusal(path, &[&["bench"], args].concat());
        assert!(error.contains(wanted), "{args:?}: {error:?} lacks {wanted:?}");
    }
    fs::write(path.join("r.csv"), "engine,bodies\na,1\n").unwrap();
    let error = refusal(path, &["bench-plot", "r.csv"]);
    assert!(error.contains("r.csv: not results of `flockstep bench`"), "{error}");
    assert!(refusal(path, &["bench-plot", "none.csv"]).contains("cannot read none.csv"));
}

#[test]
fn bench_plot_draws_what_bench_measured() {
    let folder = folder();
    let path = folder.path();
    let args = ["--engines", "flockstep,kiddo,rstar", "--threads", "1,2", "--neighbours", "7"];
    output(path, &[&BENCH[..], &args].concat());
    let text = output(path, &["bench-plot", "r.csv", "--out", "plots/here"]);
    let drawn: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("wrote ")).collect();
    let wanted = ["uniform", "bunched"].map(|crowd| {
        ["ns-a-body", "ticks-a-second"].map(|what| format!("plots/here/{what}-{crowd}-7.svg"))
    });
    let wanted = wanted.concat();
    assert_eq!(drawn, [&wanted[..], &["plots/here/threads.svg".to_owned()]].concat());
    for file in drawn {
        let svg = fs::read_to_string(path.join(file)).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("bodies"), "{file}");
        assert!(file.ends_with("threads.svg") || svg.contains("kiddo"), "{file}");
    }
    // Lines of two machines would run into each other.
    let text = fs::read_to_string(path.join("r.csv")).unwrap();
    let isa = results(path)[0]["isa"].clone();
    let other = text.replace(&format!(",{isa},"), ",another,");
    let rows: Vec<&str> = other.lines().skip(1).collect();
    fs::write(path.join("two.csv"), text + &rows.join("\n")).unwrap();
    let error = refusal(path, &["bench-plot", "two.csv", "--out", "no"]);
    assert!(
        error.contains(&isa) && error.contains("another") && !path.join("no").exists(),
        "{error}"
    );
}

/// Ctrl-C ends a race between two batches; what was measured is told and written, and a file stays
/// as it was if nothing was.
#[cfg(unix)]
#[test]
fn an_interrupted_bench_tells_what_it_has() {
    let folder = folder();
    let path = folder.path();
    let bench = ["bench", "--engines", "flockstep", "--threads", "1", "--csv", "r.csv"];
    fs::write(path.join("r.csv"), "earlier results").unwrap();
    let slow = [&bench[..], &["--sizes", "512", "--seconds", "1000"]].concat();
    let (rest, error) = interrupted_after(path, &slow, "x: times flockstep's time");
    assert!(error.contains("interrupted: 0 of 4 crowds are complete"), "{error}");
    assert!(rest.iter().all(|line| !line.contains("512 bodies")), "{rest:?}");
    assert_eq!(fs::read_to_string(path.join("r.csv")).unwrap(), "earlier results");

    let sizes = (32..100).map(|size: u32| size.to_string()).collect::<Vec<_>>().join(",");
    let many = [&bench[..], &["--sizes", &sizes]].concat();
    let (rest, error) = interrupted_after(path, &many, "flockstep  ");
    assert!(error.contains(" of 272 crowds are complete"), "{error}");
    assert!(rest.iter().any(|line| line.contains("The largest crowd")), "{rest:?}");
    assert!(results(path).iter().any(|row| row["bodies"] == "32"), "{rest:?}");
}

/// Starts the program, interrupts it after a line that starts so, and returns the lines that follow
/// and what it said on standard error.
#[cfg(unix)]
fn interrupted_after(folder: &Path, args: &[&str], start: &str) -> (Vec<String>, String) {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let mut child = Command::new(env!("CARGO_BIN_EXE_flockstep"))
        .current_dir(folder)
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.trim_start().starts_with(start)), "no line starts so: {start}");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let rest = lines.collect();
    let done = child.wait_with_output().unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(130), "{error}");
    (rest, error)
}

/// Ctrl-C ends a run between two ticks: what was asked for is written, and a snapshot goes on from
/// there to the bits of a run that was never interrupted.
#[cfg(unix)]
#[test]
fn an_interrupted_run_loses_nothing() {
    let folder = folder();
    let path = folder.path();
    let ticks = "100000000";
    let args = ["run", "valley", "--ticks", ticks, "--hash-every", "50", "--save", "s.snap"];
    let (rest, error) =
        interrupted_after(path, &[&args[..], &["--out", "end.csv"]].concat(), "150");
    let bytes = fs::read(path.join("s.snap")).unwrap();
    let flock = flockstep::Flock::restore(&bytes).unwrap();
    let stopped = format!("stopped at tick {} of {ticks}", flock.tick_number());
    assert!(error.contains(&stopped), "{error}");
    let hash = format!("{:016x}", flock.state_hash());
    assert!(rest.iter().any(|line| line.starts_with("state hash") && line.ends_with(&hash)));
    assert_eq!(fs::read_to_string(path.join("end.csv")).unwrap().lines().count(), 121);
    let tick = flock.tick_number().to_string();
    let whole = output(path, &["run", "valley", "--ticks", &tick]);
    assert_eq!(told(&whole, "state hash"), hash);
}

/// A file that cannot be completed keeps every other one from taking its place.
#[cfg(target_os = "linux")]
#[test]
fn files_take_their_places_together() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("kept.csv"), "precious").unwrap();
    let args = ["run", "valley", "--ticks", "5", "--out", "kept.csv", "--save", "/dev/full"];
    let done = flockstep(path, &args).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(fs::read(path.join("kept.csv")).unwrap(), b"precious");
}

/// An open world may be walked out of without end, measured all the while.
#[test]
fn bodies_far_beyond_an_open_world_are_still_measured() {
    let folder = folder();
    let path = folder.path();
    let scene = "\
[world]
size = [1e9, 1e9]
edges = \"open\"
[[kind]]
count = 50
heading = 0
gait = { max_speed = 1e7, max_force = 1e6 }
rules = [{ separation = { radius = 1e6 } }]
";
    fs::write(path.join("far.toml"), scene).unwrap();
    let args = ["run", "far.toml", "--ticks", "150", "--measures", "m.csv", "--save", "s.snap"];
    output(path, &args);
    assert_eq!(fs::read_to_string(path.join("m.csv")).unwrap().lines().count(), 152);
    output(path, &["run", "far.toml", "--ticks", "160", "--resume", "s.snap"]);
}

/// A reader that goes away (`| head`) ends the printing, not the run.
#[cfg(unix)]
#[test]
fn a_closed_pipe_does_not_stop_a_run() {
    let folder = folder();
    let run = format!(
        "{} run valley --ticks 300 --hash-every 1 --out end.csv | head -1; echo ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_flockstep")
    );
    let done = Command::new("bash").args(["-c", &run]).current_dir(folder.path()).output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert_eq!(text.lines().last(), Some("0"), "{text}");
    assert_eq!(fs::read_to_string(folder.path().join("end.csv")).unwrap().lines().count(), 121);
}
