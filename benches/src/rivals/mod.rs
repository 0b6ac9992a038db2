//! The engines that are raced, flockstep among them.
//!
//! Each computes the tick of docs/contract.md for one kind with three rules of one radius between
//! walls. They differ in how they find neighbours and in the order in which they add them up.

mod buckets;
mod chapter;
mod circle;
pub(crate) mod everybody;
mod hash_grid;
pub(crate) mod herd;
mod kd_tree;
mod lattice;
mod lean_buckets;
mod own;
mod quadtree;
mod r_tree;
pub(crate) mod search;

pub use herd::Walker;

use buckets::Buckets;
use chapter::Listed;
use everybody::Everybody;
use flockstep::{Engine, Flock};
use hash_grid::HashGrid;
use kd_tree::KdTree;
use lattice::Lattice;
use lean_buckets::LeanBuckets;
use own::Own;
use quadtree::{Options, Quadtree, Skip};
use r_tree::RStarTree;
use search::{Fused, Searching};

/// An engine with a crowd of its own.
pub trait Rival: Send {
    /// One tick.
    fn tick(&mut self);

    /// Puts the crowd back to where the engine got it.
    fn rewind(&mut self);

    /// Every body, in id order.
    fn state(&self) -> Vec<Walker>;

    /// Tells, body by body, whom each would hear in the next tick, in ascending order.
    fn neighbours(&mut self, hear: &mut dyn FnMut(&[u32]));

    /// What the next tick will do.
    fn work(&mut self) -> Work;
}

/// What a tick does, as far as an engine can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Distances that are measured, a pair counted once from each side.
    pub distance_tests: Option<u64>,
    /// Pairs that vectors evaluate, idle lanes included.
    pub lane_slots: Option<u64>,
}

/// In which order an engine adds up what neighbours say, and so what its answer is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The contract's: the state hash must be the kernel's.
    Canonical,
    /// Ascending ids: the bits must be those of sums over the kernel's neighbours in that order.
    ById,
    /// One of its own: only its neighbours can be compared exactly, its numbers nearly.
    OwnOrder,
}

/// An engine that can be raced.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is called. Variants of one engine share what stands before the first hyphen.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// How its answer is checked.
    pub answer: Answer,
    /// Whether it measures every pair, so that four times the bodies take sixteen times as long.
    pub every_pair: bool,
    /// Whether it is the one that others are compared with, and the only one to use threads.
    pub own: bool,
    /// The engine with a copy of this crowd: one kind, three rules of one radius, walls.
    pub build: fn(&Flock) -> Box<dyn Rival>,
}

/// A rival's entry.
const fn rival(
    name: &'static str,
    about: &'static str,
    answer: Answer,
    build: fn(&Flock) -> Box<dyn Rival>,
) -> Entry {
    Entry { name, about, answer, every_pair: false, own: false, build }
}

/// Every engine.
pub const fn all() -> &'static [Entry] {
    use Answer::{ById, Canonical, OwnOrder};
    const {
        &[
            Entry {
                own: true,
                ..rival("flockstep", "flockstep: cells, vectors, threads", Canonical, |flock| {
                    Box::new(Own::new(flock, Engine::Cells))
                })
            },
            Entry {
                every_pair: true,
                ..rival("reference", "flockstep's scalar reference", Canonical, |flock| {
                    Box::new(Own::new(flock, Engine::Everybody))
                })
            },
            Entry {
                every_pair: true,
                ..rival("loop", "the chapter's double loop: a list, three rules", ById, |flock| {
                    Box::new(Searching::<_, Listed>::new(flock, |_| Everybody))
                })
            },
            Entry {
                every_pair: true,
                ..rival("loop-fused", "a double loop without a list", ById, |flock| {
                    Box::new(Searching::<_, Fused>::new(flock, |_| Everybody))
                })
            },
            rival("buckets", "the chapter's buckets: candidates sorted by index", ById, |flock| {
                Box::new(Searching::<_, Listed>::new(flock, Buckets::new))
            }),
            rival("buckets-lean", "buckets without list and sort", Canonical, |flock| {
                Box::new(Searching::<_, Fused>::new(flock, LeanBuckets::new))
            }),
            rival("lattice", "the notebook's bin lattice", OwnOrder, |flock| {
                Box::new(Searching::<_, Fused>::new(flock, |herd| Lattice::new(herd, false)))
            }),
            rival(
                "lattice-circle",
                "the same, bins tested against the circle",
                OwnOrder,
                |flock| {
                    Box::new(Searching::<_, Fused>::new(flock, |herd| Lattice::new(herd, true)))
                },
            ),
            rival("quadtree", "the notebook's quadtree", OwnOrder, |flock| {
                quadtree(flock, Options::FIRST)
            }),
            rival("quadtree-no-test", "the same, every body measured", OwnOrder, |flock| {
                quadtree(flock, Options { skip: Skip::Never, ..Options::FIRST })
            }),
            rival(
                "quadtree-inner-box",
                "the same, nodes tested against a box",
                OwnOrder,
                |flock| quadtree(flock, Options { skip: Skip::InnerBox, ..Options::FIRST }),
            ),
            rival("quadtree-leaves", "the same, bodies only in leaves", OwnOrder, |flock| {
                quadtree(flock, Options { only_leaves: true, ..Options::FIRST })
            }),
            rival("quadtree-pooled", "the same, nodes used again", OwnOrder, |flock| {
                quadtree(flock, Options { pooled: true, ..Options::FIRST })
            }),
            rival("kiddo", "the crate kiddo: a k-d tree", OwnOrder, |flock| {
                Box::new(Searching::<_, Fused>::new(flock, |_| KdTree::default()))
            }),
            rival("rstar", "the crate rstar: an R*-tree", OwnOrder, |flock| {
                Box::new(Searching::<_, Fused>::new(flock, |_| RStarTree::default()))
            }),
            rival("hash-grid", "cells in a hash map", OwnOrder, |flock| {
                Box::new(Searching::<_, Fused>::new(flock, |_| HashGrid::default()))
            }),
        ]
    }
}

fn quadtree(flock: &Flock, options: Options) -> Box<dyn Rival> {
    Box::new(Searching::<_, Fused>::new(flock, |_| Quadtree::new(options)))
}
