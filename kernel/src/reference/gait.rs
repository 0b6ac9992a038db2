//! What one body's numbers are at this tick: gait, look-ahead and weights.

use super::State;
use super::draws::{SPREAD, lerp, share, sine_and_cosine, turning};
use super::scenery::ground_at;
use crate::bodies::Body;
use crate::rules::{Gait, Weight};

impl State<'_> {
    /// The body's gait, its own or its kind's with the spread, unless the ground sets it.
    pub(super) fn gait(&self, body: &Body) -> Gait {
        let Some(ground) = self.kind(body).ground else {
            return body.gait;
        };
        let field = &self.config.scenery.grounds[usize::from(ground.field)];
        let value = ground_at(self, field, body.position);
        let between = |[bare, full]: [f32; 2]| lerp(bare, full, value);
        Gait { max_speed: between(ground.max_speed), max_force: between(ground.max_force) }
    }

    /// What the body's look-aheads are multiplied with.
    pub(super) fn look_ahead_factor(&self, body: &Body) -> f32 {
        match self.kind(body).spread {
            Some(spread) => 1.0 + spread.look_ahead * self.draw(SPREAD, body.id.into(), 2),
            None => 1.0,
        }
    }

    /// A weight at this tick, for the body `id`; `stream` is its rule's or behaviour's.
    pub(super) fn weight(&self, weight: Weight, stream: u64, id: u32) -> f32 {
        match weight {
            Weight::Steady(weight) => weight,
            Weight::Sine { mean, amplitude, period } => {
                let (sin, _) = sine_and_cosine(turning(self.tick, period));
                mean + amplitude * sin
            }
            Weight::Drawn { low, high } => lerp(low, high, share(self.draw(stream, id.into(), 0))),
            Weight::Noise { low, high, period } => {
                lerp(low, high, share(self.drift(stream, id.into(), period)))
            }
        }
    }
}
