//! `flockstep gallery`: every built-in scene as a picture, an animation and an entry of one page.

use super::write;
use crate::animation::Animation;
use crate::cli::GalleryArgs;
use crate::console::{Progress, interrupted, say};
use crate::fault::{Fault, Outcome};
use crate::output::{Complete, Pending, commit_all};
use crate::picture::Artist;
use crate::scene::{BUILT_IN, Play, Scene, nearest};
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The most frames of an animation, and of one whose frames are large.
const FRAMES: u64 = 100;
const FRAMES_OF_MANY: u64 = 40;
/// From this many bodies on, frames are large.
const MANY: usize = 1_500;
/// How long a frame is shown at least and at most, in hundredths of a second.
const DELAYS: [u64; 2] = [4, 8];

/// The line by which a page is known as one of ours.
const MARK: &str = "<meta name=\"generator\" content=\"flockstep gallery\">";

pub(crate) fn gallery(args: &GalleryArgs) -> Outcome {
    let scenes = scenes(args)?;
    let folder = Folder::open(&args.folder)?;
    folder.check_overwritten(&scenes)?;
    let ticks = scenes.iter().fold(0_u64, |sum, scene| sum.saturating_add(scene.ticks));
    let mut progress = Progress::new(ticks, "ticks");
    let (mut complete, mut entries) = (Vec::new(), Vec::new());
    for scene in &scenes {
        let entry = show(scene, &args.folder, args.width, &mut complete, &mut progress)?;
        progress.line(&entry.row())?;
        entries.push(entry);
    }
    progress.finish();
    let path = args.folder.join("index.html");
    complete.push(write(Pending::create(&path)?, page(&entries).as_bytes())?);
    commit_all(complete)?;
    folder.keep();
    say(&format!("wrote {}", path.display()))
}

/// The scenes to show, each once, in the order they are named or listed.
fn scenes(args: &GalleryArgs) -> Outcome<Vec<Scene>> {
    let mut names: Vec<&str> = args.scenes.iter().map(String::as_str).collect();
    if names.is_empty() {
        names.extend(BUILT_IN.iter().map(|(name, _)| *name));
    }
    let mut scenes: Vec<Scene> = Vec::new();
    for name in names {
        if scenes.iter().all(|scene| scene.name != name) {
            let mut scene = built_in(name)?;
            scene.ticks = args.ticks.unwrap_or(scene.ticks);
            scenes.push(scene);
        }
    }
    Ok(scenes)
}

fn built_in(name: &str) -> Outcome<Scene> {
    let mut names = BUILT_IN.iter().map(|(name, _)| *name);
    if names.clone().any(|built_in| built_in == name) {
        return Scene::open(name);
    }
    let hint = nearest(name, names.by_ref()).map(|near| format!(", did you mean `{near}`?"));
    let hint = hint.unwrap_or_else(|| "; `flockstep scenes` lists them".to_owned());
    Err(Fault::Input(format!("no built-in scene is called `{name}`{hint}")))
}

// ---- Where it is put

/// The folder of a gallery, taken away again if it was made for one that is never finished.
struct Folder<'a> {
    path: &'a Path,
    made: bool,
}

impl<'a> Folder<'a> {
    fn open(path: &'a Path) -> Outcome<Self> {
        let refuse = |why: String| {
            Err(Fault::Input(format!("cannot make the folder {}: {why}", path.display())))
        };
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Ok(Self { path, made: false }),
            Ok(_) => refuse("it is a file".to_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => match fs::create_dir_all(path) {
                Ok(()) => Ok(Self { path, made: true }),
                Err(error) => refuse(error.to_string()),
            },
            Err(error) => refuse(error.to_string()),
        }
    }

    /// Refuses to write over what is not of an earlier gallery.
    fn check_overwritten(&self, scenes: &[Scene]) -> Outcome {
        let index = self.path.join("index.html");
        if fs::read_to_string(&index).is_ok_and(|page| page.contains(MARK)) {
            return Ok(());
        }
        let [png, gif] = ["png", "gif"].map(|extension| {
            scenes.iter().map(move |scene| self.path.join(format!("{}.{extension}", scene.name)))
        });
        let mut files = [index].into_iter().chain(png).chain(gif);
        match files.find(|file| fs::symlink_metadata(file).is_ok()) {
            None => Ok(()),
            Some(file) => Err(Fault::Input(format!(
                "{} is not of a gallery and would be overwritten; name another folder",
                file.display()
            ))),
        }
    }

    fn keep(mut self) {
        self.made = false;
    }
}

impl Drop for Folder<'_> {
    fn drop(&mut self) {
        if self.made {
            // Not if somebody put something there meanwhile.
            let _not_empty = fs::remove_dir(self.path);
        }
    }
}

// ---- Pictures

/// What the page tells of a scene.
struct Entry {
    name: String,
    about: String,
    from: String,
    size: (u32, u32),
    bodies: usize,
    ticks: u64,
    hash: u64,
}

impl Entry {
    fn row(&self) -> String {
        format!("{:<20} {:>7} ticks  {:016x}", self.name, self.ticks, self.hash)
    }
}

/// Runs a scene, and leaves its files ready to be put at their places.
fn show(
    scene: &Scene,
    folder: &Path,
    width: u32,
    complete: &mut Vec<Complete>,
    progress: &mut Progress,
) -> Outcome<Entry> {
    let create = |extension: &str| -> Outcome<Pending> {
        Pending::create(&folder.join(format!("{}.{extension}", scene.name)))
    };
    let (png, gif) = (create("png")?, create("gif")?);
    let mut play = scene.play()?;
    let mut artist = Artist::with_look(&play, &scene.look, width);
    let size = artist.canvas.size();
    let pace = Pace::of(scene, play.len());
    let animation = Animation::new(gif, size).map_err(Fault::Failed)?;
    let mut animation = animation.slowed_to(pace.delay);
    let trails = scene.look.frames_kept() > 0;
    loop {
        let (tick, last) = (play.tick_number(), play.tick_number() >= scene.ticks);
        let frame = tick.is_multiple_of(pace.every) || last;
        // Each tick leaves its trail, also between frames.
        if frame || trails {
            artist.draw(&play);
        }
        if frame {
            animation.add(&artist.canvas).map_err(Fault::Failed)?;
        }
        if last {
            break;
        }
        if interrupted() {
            let what = format!("interrupted at tick {tick} of {}: nothing was written", scene.name);
            return Err(Fault::Interrupted(what));
        }
        play.tick()?;
        progress.step();
    }
    complete.push(animation.finish().map_err(Fault::Failed)?.complete()?);
    complete.push(write(png, &last_picture(scene, &play, artist, width)?)?);
    Ok(Entry {
        name: scene.name.clone(),
        about: scene.about.clone(),
        from: scene.from.clone(),
        size,
        bodies: play.len(),
        ticks: play.tick_number(),
        hash: play.state_hash(),
    })
}

/// The end of a scene as a PNG.
fn last_picture(scene: &Scene, play: &Play, mut artist: Artist, width: u32) -> Outcome<Vec<u8>> {
    if scene.look.frames_kept() == 0 {
        // On open axes the herd may have left what the animation shows.
        artist = Artist::with_look(play, &scene.look, width);
        artist.draw(play);
    }
    artist.canvas.png().map_err(Fault::Failed)
}

/// How an animation goes.
#[derive(Debug, PartialEq)]
struct Pace {
    /// Ticks from one frame to the next.
    every: u64,
    /// In hundredths of a second.
    delay: u16,
}

impl Pace {
    /// So that the whole scene fits into a small file.
    fn of(scene: &Scene, bodies: usize) -> Self {
        let many = bodies >= MANY || !scene.look.is_plain();
        let frames = if many { FRAMES_OF_MANY } else { FRAMES };
        let every = scene.ticks.div_ceil(frames).max(1);
        let delay = every.saturating_mul(2).clamp(DELAYS[0], DELAYS[1]) as u16;
        Self { every, delay }
    }
}

// ---- The page

const STYLE: &str = "\
:root { color-scheme: dark; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 110rem; padding: 2.5rem 1.5rem 4rem; background: #0b0d12;
  color: #cbd1dc; font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-weight: 600; letter-spacing: 0.01em; }
header p { margin: 0.3rem 0 2rem; color: #8b95a8; max-width: 46rem; }
main { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); }
article { display: flex; flex-direction: column; background: #12151d; border-radius: 10px;
  border: 1px solid #232936; overflow: hidden; }
article > a { display: flex; aspect-ratio: 3 / 2; background: #0e1118; }
img { width: 100%; height: 100%; object-fit: contain; }
section { padding: 0.9rem 1.1rem 1rem; display: flex; flex-direction: column; flex: 1; }
h2 { margin: 0; font-size: 1.1rem; font-weight: 600; }
.from { color: #5ba8ff; font-size: 0.85rem; }
section p { margin: 0.35rem 0 0.8rem; flex: 1; }
footer { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; font-size: 0.82rem; color: #8b95a8; }
code { font-family: ui-monospace, monospace; }
a { color: #5ba8ff; }
";

fn page(entries: &[Entry]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{MARK}\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>flockstep gallery</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>flockstep</h1>\n\
         <p>Each scene as it is after its last tick. A picture leads to its animation; the hash is \
         that of the bodies, and the same on every machine.</p>\n</header>\n<main>\n"
    );
    for entry in entries {
        push_article(&mut page, entry);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn push_article(page: &mut String, entry: &Entry) {
    let Entry { name, about, from, size, bodies, ticks, hash } = entry;
    let [name, about, from] = [name, about, from].map(|text| escaped(text));
    let from = match from.as_str() {
        "" => String::new(),
        from => format!("<span class=\"from\">{from}</span>\n"),
    };
    let (width, height) = size;
    let _infallible = write!(
        page,
        "<article id=\"{name}\">\n<a href=\"{name}.gif\"><img src=\"{name}.png\" width=\"{width}\" \
         height=\"{height}\" alt=\"{about}\" loading=\"lazy\"></a>\n<section>\n<h2>{name}</h2>\n\
         {from}<p>{about}</p>\n<footer><span>{bodies}</span><span>{ticks}</span>\
         <code title=\"state hash\">{hash:016x}</code><a href=\"{name}.gif\">animation</a></footer>\n\
         </section>\n</article>\n",
        bodies = counted(*bodies as u64, "body", "bodies"),
        ticks = counted(*ticks, "tick", "ticks"),
    );
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Text that stands for itself in HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(about: &str, from: &str) -> Entry {
        let (about, from) = (about.to_owned(), from.to_owned());
        let name = "valley".to_owned();
        Entry { name, about, from, size: (480, 320), bodies: 1, ticks: 400, hash: 0xab }
    }

    #[test]
    fn the_page_stands_alone_and_escapes_what_scenes_say() {
        let page = page(&[entry("a < b & \"c\"", ""), entry("", "Example 5.1")]);
        assert!(page.contains("<p>a &lt; b &amp; &quot;c&quot;</p>"));
        assert!(page.contains("<span class=\"from\">Example 5.1</span>"));
        assert!(page.contains("1 body<") && page.contains("400 ticks<"));
        assert!(page.contains("00000000000000ab") && page.contains("href=\"valley.gif\""));
        assert!(page.contains(MARK) && !page.contains("<script") && !page.contains("http"));
        assert_eq!(page.matches("class=\"from\"").count(), 1, "no line for no origin");
    }

    #[test]
    fn animations_are_short_whatever_the_scene() {
        let pace = |ticks, bodies| {
            let mut scene = Scene::open("valley").unwrap();
            scene.ticks = ticks;
            Pace::of(&scene, bodies)
        };
        assert_eq!(pace(0, 1), Pace { every: 1, delay: 4 });
        assert_eq!(pace(100, 1), Pace { every: 1, delay: 4 });
        assert_eq!(pace(401, 1), Pace { every: 5, delay: 8 });
        assert_eq!(pace(400, 10_000), Pace { every: 10, delay: 8 });
        assert_eq!(pace(u64::MAX, 1).delay, 8);
    }
}
