//! The crate `rstar`: an R*-tree, bulk-loaded anew each tick.

use super::herd::Herd;
use super::search::Search;
use rstar::RTree;
use rstar::primitives::GeomWithData;

#[derive(Default)]
pub(crate) struct RStarTree(RTree<GeomWithData<[f32; 2], u32>>);

impl Search for RStarTree {
    fn build(&mut self, herd: &Herd) {
        let walkers = herd.walkers.iter().zip(0..);
        let points = walkers.map(|(walker, i)| GeomWithData::new(walker.position, i));
        self.0 = RTree::bulk_load(points.collect());
    }

    #[inline]
    fn near(&mut self, herd: &Herd, i: usize, mut visit: impl FnMut(usize)) {
        let position = herd.walkers[i].position;
        let reach = herd.reach() * herd.reach();
        for found in self.0.locate_within_distance(position, reach) {
            let j = found.data as usize;
            if j != i && herd.hears(i, j) {
                visit(j);
            }
        }
    }
}
