//! `flockstep gallery` as a user meets it.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

fn gallery(folder: &Path, args: &[&str]) -> assert_cmd::assert::Assert {
    let mut program = Command::cargo_bin("flockstep").expect("the program is built");
    program.arg("gallery").arg(folder).args(args).assert()
}

const TWO: [&str; 6] = ["--scenes", "valley,hand", "--ticks", "12", "--width", "90"];

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it is a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn two_scenes_make_a_page_with_pictures_and_animations() {
    let place = tempfile::tempdir().expect("there is room");
    let folder = place.path().join("new/pictures");
    let said = gallery(&folder, &TWO).success().get_output().stdout.clone();
    let said = String::from_utf8(said).expect("it is text");
    let files = ["hand.gif", "hand.png", "index.html", "valley.gif", "valley.png"];
    assert_eq!(names(&folder), files);
    let page = fs::read_to_string(folder.join("index.html")).expect("it is text");
    let places = ["id=\"valley\"", "id=\"hand\""].map(|entry| page.find(entry));
    assert!(places[0].is_some() && places[0] < places[1], "in the order they were named");
    for line in said.lines().take(2) {
        let hash = line.split_whitespace().last().expect("a line ends with a hash");
        assert!(page.contains(hash), "{line}");
    }
    assert!(page.contains("12 ticks") && page.contains("<html") && page.ends_with("</html>\n"));
    assert!(fs::read(folder.join("valley.png")).expect("it is there").starts_with(b"\x89PNG"));
    assert!(fs::read(folder.join("hand.gif")).expect("it is there").starts_with(b"GIF89a"));

    // What is not of the gallery stays, and a second one is the same to the byte.
    fs::write(folder.join("mine.txt"), "mine").expect("it can be written");
    let read = |name: &str| fs::read(folder.join(name)).expect("it is there");
    let before = files.map(read);
    gallery(&folder, &TWO).success();
    assert_eq!(files.map(read), before);
    assert_eq!(read("mine.txt"), b"mine");
}

#[test]
fn nothing_that_is_not_a_gallerys_is_overwritten() {
    let place = tempfile::tempdir().expect("there is room");
    for (file, other) in [("valley.gif", "hand.png"), ("index.html", "valley.png")] {
        let folder = place.path().join(file);
        fs::create_dir(&folder).expect("it can be made");
        fs::write(folder.join(file), "mine").expect("it can be written");
        let assert = gallery(&folder, &TWO).code(2);
        let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(told.contains(file) && told.contains("would be overwritten"), "{told}");
        assert_eq!(fs::read(folder.join(file)).expect("it is there"), b"mine");
        assert!(!folder.join(other).exists());
    }
}

#[test]
fn bad_folders_and_scenes_are_refused_and_leave_nothing() {
    let place = tempfile::tempdir().expect("there is room");
    let file = place.path().join("file");
    fs::write(&file, "mine").expect("it can be written");
    for folder in [file.clone(), file.join("inner")] {
        let assert = gallery(&folder, &TWO).code(2);
        let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(told.contains("cannot make the folder"), "{told}");
    }
    let folder = place.path().join("new");
    let assert = gallery(&folder, &["--scenes", "valey"]).code(2);
    let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(told.contains("did you mean `valley`?"), "{told}");
    assert_eq!(names(place.path()), ["file"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_gallery_leaves_no_trace() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let place = tempfile::tempdir().expect("there is room");
    let folder = place.path().join("new");
    let mut program = Command::new(assert_cmd::cargo::cargo_bin("flockstep"))
        .arg("gallery")
        .arg(&folder)
        .args(["--ticks", "100000000"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    while fs::read_dir(&folder).map_or(0, Iterator::count) < 2 {
        std::thread::sleep(Duration::from_millis(20));
        assert!(program.try_wait().expect("it runs").is_none(), "it runs for long");
    }
    let id = program.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill is there").success());
    let output = program.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("nothing was written"), "{told}");
    assert_eq!(names(place.path()), [""; 0], "the folder was made for nothing");
}
