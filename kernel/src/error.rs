//! Every refusal, by name. A refused call changes nothing.

use std::borrow::Cow;

/// Why a call was refused. The text names the field or body, its value, and what is allowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number of the configuration is outside its range.
    #[error("{field} is {value:?}; allowed: {allowed}")]
    Setting {
        /// Where it stands, as a path into [`Config`](crate::Config): `kinds[0].separation.radius`.
        field: String,
        /// The value refused.
        value: f32,
        /// The range, in words.
        allowed: &'static str,
    },
    /// A flock has no kind, or more than [`MAX_KINDS`](crate::MAX_KINDS).
    #[error("a flock of {0} kinds; allowed: 1 to 32")]
    Kinds(usize),
    /// A list is too long.
    #[error("{field} lists {count}; allowed: at most {most}")]
    TooMany {
        /// Which list: `kinds[0].behaviours`.
        field: String,
        /// How many it lists.
        count: usize,
        /// How many it may.
        most: usize,
    },
    /// Something is named by index that is not there.
    #[error("{field} names {what} {index}; there are {count}, counted from 0")]
    NoSuch {
        /// Where it is named.
        field: String,
        /// `kind`, `flow`, `ground` or `path`.
        what: &'static str,
        /// The index refused.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A field lists more or fewer values than it has cells.
    #[error("{field} has {count} values for {cells} cells")]
    Values {
        /// Which field.
        field: String,
        /// How many it lists.
        count: usize,
        /// How many cells it has.
        cells: usize,
    },
    /// A path is too short or too long.
    #[error("{field} has {count}; allowed: 2 to 1024 points")]
    Points {
        /// Which path's points.
        field: String,
        /// How many there are.
        count: usize,
    },
    /// A radius reaches further than half way round a torus, where "the nearest image" is not one.
    #[error(
        "{field} is {radius:?}, over half the torus's {axis} extent; allowed: at most {limit:?}"
    )]
    RadiusOverTorus {
        /// The rule's path, or `radius` for a query.
        field: String,
        /// The radius refused.
        radius: f32,
        /// `x` or `y`.
        axis: char,
        /// Half the extent.
        limit: f32,
    },
    /// One tick at full speed would cross more than half a torus.
    #[error(
        "{field} times dt is {step:?}, over half the torus's {axis} extent; allowed: at most {limit:?}"
    )]
    StepOverTorus {
        /// The path of the speed.
        field: String,
        /// `max_speed * dt`.
        step: f32,
        /// `x` or `y`.
        axis: char,
        /// Half the extent.
        limit: f32,
    },
    /// A body's number is not finite or out of range.
    #[error("body {body}: {field} is {value:?}; allowed: {allowed}")]
    Body {
        /// Its id, or its place in the list that was handed over.
        body: usize,
        /// `x`, `y`, `vx`, `vy`, `velocity`, `kind`, `max_speed`, `max_force`, `force x`, `force y`.
        field: &'static str,
        /// The value refused.
        value: f32,
        /// The range, in words.
        allowed: Cow<'static, str>,
    },
    /// No live body has this id.
    #[error("no body has id {0}")]
    NoSuchBody(u32),
    /// Ids are 32 bits and never used twice.
    #[error("ids have run out: a flock hands out 4,294,967,295 in its life")]
    IdsRunOut,
    /// Slices that describe the same bodies differ in length.
    #[error("{what} has {length} entries for {bodies} bodies")]
    Lengths {
        /// Which slice.
        what: &'static str,
        /// Its length.
        length: usize,
        /// The number of bodies.
        bodies: usize,
    },
    /// These bytes are not a snapshot that this version can restore.
    #[error("not a usable snapshot: {0}")]
    Snapshot(String),
    /// This CPU lacks the instruction set.
    #[error("this CPU has no {0}; `portable` works everywhere")]
    LevelMissing(crate::Level),
    /// No instruction set has this name.
    #[error("no instruction set is called {0:?}; there are portable, avx2 and avx512")]
    UnknownLevel(String),
    /// This thread rounds or flushes in a way that would change bits.
    #[error("this thread {0}: the same bits cannot be promised; reset its floating-point mode")]
    FloatMode(&'static str),
}

/// The result of a call that can be refused.
pub type Result<T, E = Error> = core::result::Result<T, E>;
