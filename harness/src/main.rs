//! See the crate `flockstep_cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    flockstep_cli::main()
}
