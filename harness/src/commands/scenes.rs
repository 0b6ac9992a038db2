//! `flockstep scenes`: what is built in.

use crate::cli::ScenesArgs;
use crate::console::say;
use crate::fault::{Fault, Outcome};
use crate::scene::{BUILT_IN, Scene, nearest};

pub(crate) fn scenes(args: &ScenesArgs) -> Outcome {
    match &args.show {
        Some(name) => show(name),
        None => list(),
    }
}

fn list() -> Outcome {
    for (name, _) in BUILT_IN {
        let Scene { from, about, .. } = Scene::open(name)?;
        say(&format!("{name:<13} {from:<22} {about}"))?;
    }
    say("\nrun one with `flockstep run NAME`, copy one with `flockstep scenes --show NAME`")
}

fn show(name: &str) -> Outcome {
    let names = || BUILT_IN.iter().map(|(name, _)| *name);
    match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        Some((_, text)) => say(text.trim_end()),
        None => {
            let hint = nearest(name, names()).map(|near| format!(", did you mean `{near}`?"));
            let hint = hint.unwrap_or_else(|| "; `flockstep scenes` lists them".to_owned());
            Err(Fault::Input(format!("no built-in scene is called `{name}`{hint}")))
        }
    }
}
