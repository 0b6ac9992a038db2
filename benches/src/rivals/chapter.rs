//! The tick as the chapter writes it: a list of neighbours for each body, their bodies gathered,
//! and three functions over that list.

use super::herd::{Herd, Vector, Walker, apart, vote};
use super::search::{Listen, Search};

/// Lists neighbours first, then asks each rule.
#[derive(Default)]
pub(crate) struct Listed {
    indices: Vec<usize>,
    near: Vec<Walker>,
}

impl Listen for Listed {
    fn hear(&mut self, herd: &Herd, search: &mut impl Search, i: usize) -> [Vector; 3] {
        let Self { indices, near } = self;
        indices.clear();
        search.near(herd, i, |j| indices.push(j));
        near.clear();
        near.extend(indices.iter().map(|&j| herd.walkers[j]));
        let me = &herd.walkers[i];
        [separate(me, near), align(near), cohere(me, near)]
    }
}

/// Away from each neighbour, the nearest loudest.
fn separate(me: &Walker, near: &[Walker]) -> Vector {
    near.iter().fold([0.0, 0.0], |away, other| {
        let (d, q) = apart(me, other);
        add(away, vote(d, q))
    })
}

/// Where the neighbours are going.
fn align(near: &[Walker]) -> Vector {
    near.iter().fold([0.0, 0.0], |sum, other| add(sum, other.velocity))
}

/// To the middle of the neighbours.
fn cohere(me: &Walker, near: &[Walker]) -> Vector {
    near.iter().fold([0.0, 0.0], |sum, other| {
        let ([dx, dy], _) = apart(me, other);
        [sum[0] - dx, sum[1] - dy]
    })
}

fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1]]
}
