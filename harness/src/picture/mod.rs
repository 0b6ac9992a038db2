//! Pictures of a flock: its bodies, what was there before them, and what they move among.

mod artist;
mod bodies;
mod canvas;
mod ground;
mod overlays;
mod search;
mod shapes;
#[cfg(test)]
mod tests;
mod trails;

pub(crate) use artist::Artist;
#[cfg(test)]
pub(crate) use bodies::Crowd;
pub(crate) use canvas::Canvas;
#[cfg(test)]
pub(crate) use canvas::View;
