//! The notebook's quadtree, built anew each tick, with its variants as options.

use super::circle::{Circle, Rect};
use super::herd::{Herd, Vector};
use super::search::Search;

/// Bodies a node takes before it is split.
const LIMIT: usize = 4;

/// Nodes this deep are not split: bodies on one spot would never come apart. The notebook has no
/// such bound.
const DEEPEST: u32 = 24;

/// When a node's bodies are all taken without measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// If the circle contains the node.
    Contained,
    /// Never.
    Never,
    /// If the square inside the circle contains the node.
    InnerBox,
}

/// Which variant of the notebook's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub skip: Skip,
    /// Split nodes hand their bodies down, so that only leaves hold any; otherwise a node keeps
    /// its first four.
    pub only_leaves: bool,
    /// Nodes and their lists are used again in the next tick.
    pub pooled: bool,
}

impl Options {
    /// The variant that the notebook begins with.
    pub(crate) const FIRST: Self =
        Self { skip: Skip::Contained, only_leaves: false, pooled: false };
}

struct Node {
    bounds: Rect,
    bodies: Vec<u32>,
    /// The first of four consecutive nodes, or 0 for a leaf: no node's child is the root.
    children: usize,
}

pub(crate) struct Quadtree {
    options: Options,
    nodes: Vec<Node>,
    /// How many nodes are in use.
    used: usize,
}

impl Quadtree {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, nodes: Vec::new(), used: 0 }
    }

    /// A fresh leaf.
    fn grow(&mut self, bounds: Rect) {
        match self.nodes.get_mut(self.used) {
            Some(node) => {
                node.bodies.clear();
                (node.bounds, node.children) = (bounds, 0);
            }
            None => self.nodes.push(Node { bounds, bodies: Vec::new(), children: 0 }),
        }
        self.used += 1;
    }

    fn split(&mut self, at: usize) {
        let Rect { low, high } = self.nodes[at].bounds;
        let centre = [0, 1].map(|k| low[k] + (high[k] - low[k]) * 0.5);
        self.nodes[at].children = self.used;
        self.grow(Rect { low, high: centre });
        self.grow(Rect { low: [centre[0], low[1]], high: [high[0], centre[1]] });
        self.grow(Rect { low: [low[0], centre[1]], high: [centre[0], high[1]] });
        self.grow(Rect { low: centre, high });
    }

    /// Puts a body into the first node below `at` that has room and holds its position.
    fn add(&mut self, herd: &Herd, mut at: usize, body: u32) {
        let position = herd.walkers[body as usize].position;
        let mut depth = 0;
        loop {
            let node = &mut self.nodes[at];
            let leaf = node.children == 0;
            let full = node.bodies.len() >= LIMIT && depth < DEEPEST;
            let takes = if self.options.only_leaves { leaf && !full } else { !full };
            if takes {
                node.bodies.push(body);
                return;
            }
            if leaf {
                self.split(at);
                if self.options.only_leaves {
                    self.hand_down(herd, at);
                }
            }
            at = self.child(at, position);
            depth += 1;
        }
    }

    /// Moves a node's bodies to its new children, which have room for them.
    fn hand_down(&mut self, herd: &Herd, at: usize) {
        let bodies = std::mem::take(&mut self.nodes[at].bodies);
        for &body in &bodies {
            let child = self.child(at, herd.walkers[body as usize].position);
            self.nodes[child].bodies.push(body);
        }
        // The list goes back for its memory.
        self.nodes[at].bodies = bodies;
        self.nodes[at].bodies.clear();
    }

    /// The first child that holds a position.
    fn child(&self, at: usize, position: Vector) -> usize {
        let first = self.nodes[at].children;
        let holds = |&child: &usize| self.nodes[child].bounds.holds(position);
        (first..first + 3).find(holds).unwrap_or(first + 3)
    }

    fn take_all(&self, at: usize, take: &mut impl FnMut(usize)) {
        let node = &self.nodes[at];
        node.bodies.iter().for_each(|&body| take(body as usize));
        if node.children != 0 {
            (0..4).for_each(|k| self.take_all(node.children + k, take));
        }
    }

    /// Takes every body in the circle: those of contained nodes at once, others if they pass.
    fn query(
        &self,
        at: usize,
        circle: &Circle,
        passes: &impl Fn(usize) -> bool,
        take: &mut impl FnMut(usize),
    ) {
        let node = &self.nodes[at];
        if !circle.outer().meets(&node.bounds) {
            return;
        }
        let inside = match self.options.skip {
            Skip::Contained => circle.contains(&node.bounds),
            Skip::Never => false,
            Skip::InnerBox => circle.inner_holds(&node.bounds),
        };
        if inside {
            return self.take_all(at, take);
        }
        for &body in &node.bodies {
            if passes(body as usize) {
                take(body as usize);
            }
        }
        if node.children != 0 {
            (0..4).for_each(|k| self.query(node.children + k, circle, passes, take));
        }
    }
}

impl Search for Quadtree {
    fn build(&mut self, herd: &Herd) {
        if !self.options.pooled {
            self.nodes.clear();
        }
        self.used = 0;
        self.grow(Rect { low: [0.0, 0.0], high: herd.size });
        for body in 0..herd.walkers.len() as u32 {
            self.add(herd, 0, body);
        }
    }

    fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        let circle = Circle::new(herd.walkers[i].position, herd.radius);
        self.query(0, &circle, &|j| herd.hears(i, j), &mut |j| {
            if j != i {
                visit(j);
            }
        });
    }
}
