//! The flockstep program: runs, explains, compares and draws flocks from scene files.
//!
//! The library to call from other programs is the crate `flockstep`; this one only gives the
//! program's own `main` and its fuzz target a way in.

mod animation;
mod cli;
mod colour;
mod commands;
mod console;
mod fault;
mod input;
mod look;
mod machine;
mod measure;
mod output;
mod picture;
mod place;
mod plot;
mod race;
mod results;
mod scene;
mod table;

use clap::Parser;
use std::path::Path;
use std::process::ExitCode;

/// The program: does what the command line asks for, and tells how it went.
pub fn main() -> ExitCode {
    match commands::execute(cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            console::complain(&fault.to_string());
            ExitCode::from(fault.code())
        }
    }
}

/// Whether a scene's text is one that can be run, without placing its bodies.
///
/// # Errors
/// What the program would say of it.
pub fn check_scene(text: &str) -> Result<(), String> {
    let scene = scene::Scene::parse("scene", text, Path::new("."));
    scene.map(|_| ()).map_err(|fault| fault.to_string())
}
