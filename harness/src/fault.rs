//! How the program fails: what is said, and with which exit code.

use std::fmt;

/// Why the program stops, told on stderr as `flockstep: ...`.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Bad usage or input; nothing was written. Exit 2.
    Input(String),
    /// The run itself failed, or a check did not hold. Exit 1.
    Failed(String),
    /// Ctrl-C; everything asked for was written up to the tick named. Exit 130.
    Interrupted(String),
}

/// What commands return.
pub(crate) type Outcome<T = ()> = Result<T, Fault>;

impl Fault {
    /// The exit code of the process.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Failed(_) => 1,
            Self::Input(_) => 2,
            Self::Interrupted(_) => 130,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(text) | Self::Failed(text) | Self::Interrupted(text) => f.write_str(text),
        }
    }
}

impl From<flockstep::Error> for Fault {
    fn from(error: flockstep::Error) -> Self {
        Self::Input(error.to_string())
    }
}
