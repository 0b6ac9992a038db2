//! The crate `kiddo`: a k-d tree, built anew each tick.

use super::herd::Herd;
use super::search::Search;
use kiddo::{ImmutableKdTree, SquaredEuclidean};

#[derive(Default)]
pub(crate) struct KdTree(Option<ImmutableKdTree<f32, 2>>);

impl Search for KdTree {
    fn build(&mut self, herd: &Herd) {
        let along = |walker: &super::Walker, axis: usize| walker.position[axis];
        let tree = ImmutableKdTree::new_from_source(&herd.walkers, along, |i, _| i as u32);
        self.0 = Some(tree.expect("indices fit into u32"));
    }

    #[inline]
    fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        let Some(tree) = &self.0 else { return };
        let position = herd.walkers[i].position;
        let reach = herd.reach() * herd.reach();
        tree.query(&position).within::<SquaredEuclidean<f32>>(reach).unsorted().visit(|found| {
            let j = found.item as usize;
            if j != i && herd.hears(i, j) {
                visit(j);
            }
        });
    }
}
