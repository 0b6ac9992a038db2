//! What a person at a terminal sees and does: lines, a progress bar, the clock, Ctrl-C.

use crate::fault::{Fault, Outcome};
use crate::output::abandon;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C is noted instead of ending the program; the second time it ends it at once.
pub(crate) fn catch_interrupts() -> Outcome {
    let note = || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            abandon();
            process::exit(130);
        }
        if io::stderr().is_terminal() {
            complain("finishing this tick; Ctrl-C again to give up at once");
        }
    };
    ctrlc::set_handler(note)
        .map_err(|error| Fault::Failed(format!("cannot listen for Ctrl-C: {error}")))
}

/// Says something on standard error, if anyone can hear it there.
pub(crate) fn complain(text: &str) {
    let _unheard = writeln!(io::stderr(), "flockstep: {text}");
}

/// Whether the program was asked to stop.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Times the work and shows how far it is, on stderr if that is a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    shown: bool,
    began: Instant,
}

impl Progress {
    /// `length` steps of `what`.
    #[expect(clippy::disallowed_methods, reason = "time is only shown, nothing depends on it")]
    pub(crate) fn new(length: u64, what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        let template = "{prefix} {wide_bar} {pos}/{len}  {eta} to go";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        Self { bar, shown: false, began: Instant::now() }
    }

    /// One step is done.
    pub(crate) fn step(&mut self) {
        self.bar.inc(1);
        if !self.shown && self.began.elapsed() > PATIENCE {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Prints a line above the bar.
    pub(crate) fn line(&self, line: &str) -> Outcome {
        self.bar.suspend(|| say(line))
    }

    /// Takes the bar away and tells how long the work took.
    pub(crate) fn finish(self) -> Duration {
        self.bar.finish_and_clear();
        self.began.elapsed()
    }
}

/// Prints a line. When nobody reads any more (`| head`), lines are dropped and the run goes on.
pub(crate) fn say(line: &str) -> Outcome {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Fault::Failed(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
