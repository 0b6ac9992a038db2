//! Any bytes as a scene's text and as a snapshot: never a panic, never a huge allocation, and a
//! snapshot that is taken can be ticked. cargo-fuzz's memory limit watches the allocations.
#![no_main]

use flockstep::Flock;
use libfuzzer_sys::fuzz_target;
use std::hint::black_box;
use xxhash_rust::xxh3::xxh3_64;

/// A tick of more bodies than a short input can hold would only be slow.
const MOST_BODIES: usize = 4096;

/// Puts the right checksum into a snapshot, so that what lies behind it is reached.
fn with_checksum(data: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = data.to_vec();
    let (header, rest) = bytes.split_at_mut_checked(24)?;
    header[..12].copy_from_slice(b"flockstp\x02\0\0\0");
    header[16..].copy_from_slice(&xxh3_64(rest).to_le_bytes());
    Some(bytes)
}

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let _said = black_box(flockstep_cli::check_scene(text));
    }
    let repaired = with_checksum(data);
    for bytes in [Some(data), repaired.as_deref()].into_iter().flatten() {
        if let Ok(mut flock) = Flock::restore(bytes)
            && flock.len() <= MOST_BODIES
        {
            flock.tick();
            let finite = |v: [f32; 2]| v.iter().all(|part| part.is_finite());
            assert!(flock.iter().all(|body| finite(body.position) && finite(body.velocity)));
            Flock::restore(&flock.snapshot()).expect("a saved state always loads again");
        }
    }
});
