//! One tick at seven sizes, two bodies a square of one radius, through each engine. Every engine's
//! answer is checked before it is timed, and its distance tests are reported.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use flockstep::{Engine, Flock};
use flockstep_benches::{CROWDS, settled, time_flock};
use std::time::Duration;

/// The reference looks at every pair; larger crowds would take minutes.
const LARGEST_REFERENCE: usize = 2048;

/// The flock ready to be timed with this engine, its next tick checked against the fast path's.
fn checked(settled: &Flock, engine: Engine) -> Flock {
    let (mut cells, mut flock) = (settled.clone(), settled.clone());
    flock.set_engine(engine);
    let (wanted, found) = (cells.tick_counted(), flock.tick_counted());
    assert_eq!(found.neighbours, wanted.neighbours, "{engine:?} finds other neighbours");
    let same = flock.state_hash() == cells.state_hash();
    assert_eq!(same, engine != Engine::Unordered, "{engine:?} and the order of its sums");
    println!("{engine:?}/{}: {} distance tests a tick", flock.len(), found.distance_tests);
    flock
}

fn sizes(criterion: &mut Criterion) {
    for (name, engine, largest) in [
        ("reference", Engine::Everybody, LARGEST_REFERENCE),
        ("cells", Engine::Cells, usize::MAX),
        ("unordered", Engine::Unordered, usize::MAX),
    ] {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20).measurement_time(Duration::from_secs(2));
        for (n, hash) in CROWDS.into_iter().filter(|(n, _)| *n <= largest) {
            let settled = settled(n, hash);
            let mut flock = checked(&settled, engine);
            let bytes = settled.snapshot();
            group.throughput(Throughput::Elements(n as u64));
            group.bench_function(BenchmarkId::from_parameter(n), |bencher| {
                bencher.iter_custom(|ticks| time_flock(&mut flock, ticks, &bytes));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, sizes);
criterion_main!(benches);
