//! One tick of 2,048 bodies, two a square of one radius, through every engine on one thread. Every
//! engine's answer is checked before it is timed. `flockstep bench` has more sizes and crowds.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flockstep_benches::{Crowd, all, check, time};
use std::time::Duration;

const BODIES: usize = 2048;

fn rivals(criterion: &mut Criterion) {
    let mut crowd = Crowd::new(BODIES).settled();
    crowd.set_parallel_from(usize::MAX);
    let mut group = criterion.benchmark_group("rivals");
    group.sample_size(20).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(BODIES as u64));
    for entry in all() {
        if let Err(difference) = check(entry, &crowd) {
            panic!("{} at {BODIES} bodies: {difference}", entry.name);
        }
        let mut engine = (entry.build)(&crowd);
        group.bench_function(entry.name, |bencher| {
            bencher.iter_custom(|ticks| time(engine.as_mut(), ticks));
        });
    }
    group.finish();
}

criterion_group!(benches, rivals);
criterion_main!(benches);
