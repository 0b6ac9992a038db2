//! One tick of each rule and each behaviour by itself, of three rules as a herd hears them and one by
//! one, and of everything mixed. Every answer is checked before it is timed: against the scalar
//! reference where that takes no minutes, else against the narrowest instruction set.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use flockstep::{Engine, Flock, Level};
use flockstep_benches::{Errand, time_flock};
use std::time::Duration;

const SIZES: [usize; 2] = [8192, 65_536];

/// The reference looks at every pair.
const LARGEST_REFERENCE: usize = 8192;

/// Asserts that the next tick is the contract's.
fn check(flock: &Flock, name: &str) {
    let (mut fast, mut slow) = (flock.clone(), flock.clone());
    if flock.len() <= LARGEST_REFERENCE {
        slow.set_engine(Engine::Everybody);
    } else {
        slow.set_level(Level::Portable).expect("every CPU has it");
    }
    fast.tick();
    slow.tick();
    assert_eq!(fast.state_hash(), slow.state_hash(), "{name} of {}", flock.len());
    assert_ne!(fast.state_hash(), flock.state_hash(), "{name} moves nobody");
}

fn steering(criterion: &mut Criterion) {
    for errand in Errand::ALL {
        let mut group = criterion.benchmark_group(errand.name);
        group.sample_size(10).measurement_time(Duration::from_secs(1));
        for n in SIZES {
            let mut flock = errand.settled(n);
            check(&flock, errand.name);
            let bytes = flock.snapshot();
            group.throughput(Throughput::Elements(n as u64));
            group.bench_function(BenchmarkId::from_parameter(n), |bencher| {
                bencher.iter_custom(|ticks| time_flock(&mut flock, ticks, &bytes));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, steering);
criterion_main!(benches);
